//! An experiment with people, played with invented answers: do they mind gaps?
//! `cargo run -p proscenium-study --example who_minds`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;

use proscenium_chance::Seed;
use proscenium_study::Study;

fn main() -> Result<(), Box<dyn Error>> {
    let study = Study::find("gap")?;
    let trials = study.schedule(12, Seed(1));
    println!("{}: {} trials for 12 people", study.name(), trials.len());

    // Here a page would show each clip and ask; these people like all of it equally, give
    // or take one.
    let mut stream = Seed(2).stream("invented answers");
    let highest = study.highest_rating();
    let table = study.schedule_csv(&trials);
    let answered: String = table
        .lines()
        .enumerate()
        .map(|(line, text)| match text.strip_suffix(',') {
            Some(trial) if line > 0 => format!("{trial},{}\n", (0.5 * highest + 2.0 * stream.uniform() - 1.0).round()),
            _ => format!("{text}\n"),
        })
        .collect();

    let analysis = study.analyse(&answered)?;
    println!("{} of {} people rated everything", analysis.complete, analysis.participants);
    for found in &analysis.ratings.factors {
        let means: Vec<String> = found.means.iter().map(|(mean, error)| format!("{mean:.2} ± {error:.2}")).collect();
        println!("  {}: {}", found.factor.name, means.join(", "));
    }
    Ok(())
}
