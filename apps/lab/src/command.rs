//! The command line.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use proscenium_work::{Remedy as _, Stop};

use crate::error::LabError;
use crate::experiment::{Context, Ending, Experiment, run};
use crate::figures::write_figures;
use crate::files::write_finished;
use crate::report::report;
use crate::results::Row;
use crate::table::table;
use crate::{experiments, find};

/// What a shell expects of a program that was interrupted.
const INTERRUPTED: u8 = 130;
/// What a shell expects of a program that was called wrongly.
const WRONG_CALL: u8 = 2;

/// Runs the papers' experiments and shows their figures beside ours.
#[derive(Debug, Parser)]
#[command(name = "lab", version)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the experiments.
    List {
        /// As JSON, with the columns of each table.
        #[arg(long)]
        json: bool,
    },
    /// Run an experiment; prints a table and writes NAME.json and pictures.
    Run {
        /// Which experiment (see `lab list`).
        name: String,
        /// Fewer or smaller rows: done in less than a minute.
        #[arg(long)]
        quick: bool,
        /// The number that all random numbers follow from.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The folder for the results.
        #[arg(long, default_value = "results")]
        out: PathBuf,
        /// Tell progress as lines of JSON on standard error, for other programs.
        #[arg(long)]
        lines: bool,
    },
    /// Gather the results of a folder into one page, DIR/report.html.
    Report {
        /// The folder that `lab run` wrote to.
        #[arg(default_value = "results")]
        folder: PathBuf,
        /// Also put them on a page of Markdown: docs/src/figures.md for the book.
        #[arg(long, value_name = "FILE")]
        figures: Option<PathBuf>,
    },
}

/// The whole program: parses the arguments, runs, and says how it went.
pub fn main() -> ExitCode {
    let done = match Command::parse().verb {
        Verb::List { json } => list(json),
        Verb::Run { name, quick, seed, out, lines } => {
            let context = Context::new(seed, quick).with_peers(peers_folder());
            run_one(&name, if lines { context.with_lines() } else { context.with_progress() }, &out)
        }
        Verb::Report { folder, figures } => write_report(&folder, figures.as_deref()),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            // With standard error closed there is nobody to tell.
            let help = error.remedy().map(|remedy| format!("\n  help: {remedy}")).unwrap_or_default();
            let _ = writeln!(std::io::stderr(), "error: {error}{help}");
            match error {
                LabError::UnknownExperiment { .. } => ExitCode::from(WRONG_CALL),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

/// Prints, and ends quietly if nobody reads any more (`lab list | head -1`).
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn list(json: bool) -> Result<ExitCode, LabError> {
    if json {
        say(&(listed().to_string() + "\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<Row> = experiments()
        .iter()
        .map(|e| Row::new().with("name", e.name()).with("reproduces", e.reproduces()).with("summary", e.summary()))
        .collect();
    say(&table(&["name", "reproduces", "summary"], &rows));
    Ok(ExitCode::SUCCESS)
}

/// The experiments as other programs read them.
fn listed() -> serde_json::Value {
    let one = |e: &&dyn Experiment| {
        serde_json::json!({
            "name": e.name(),
            "reproduces": e.reproduces(),
            "summary": e.summary(),
            "columns": e.columns(),
        })
    };
    experiments().iter().map(one).collect()
}

fn run_one(name: &str, context: Context, out: &Path) -> Result<ExitCode, LabError> {
    let experiment = find(name)?;
    let context = context.stopped_by(&listen_for_interrupts());
    // A folder that cannot be written is found out before the work, not after.
    std::fs::create_dir_all(out).map_err(LabError::file("make the folder", out))?;
    let finished = run(experiment, &context)?;
    let mut text = format!("{name}: {}\n\n", experiment.reproduces());
    text.push_str(&table(experiment.columns(), &finished.results.rows));
    text.push('\n');
    for note in &finished.results.notes {
        text.push_str(&bullet(note));
    }
    text.push('\n');
    for path in write_finished(&finished, out)? {
        text.push_str(&format!("wrote {}\n", path.display()));
    }
    say(&text);
    match finished.ending {
        Ending::Complete => Ok(ExitCode::SUCCESS),
        Ending::Interrupted => Ok(ExitCode::from(INTERRUPTED)),
        Ending::Failed(error) => Err(error),
    }
}

fn write_report(folder: &Path, figures: Option<&Path>) -> Result<ExitCode, LabError> {
    let path = report(folder)?;
    say(&format!("wrote {}\n", path.display()));
    if let Some(figures) = figures {
        write_figures(folder, figures)?;
        say(&format!("wrote {}\n", figures.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// A note as an indented paragraph.
fn bullet(note: &str) -> String {
    const WIDTH: usize = 96;
    let mut text = String::from("  ·");
    let mut column = 3;
    for word in note.split_whitespace() {
        let width = word.chars().count();
        if column + 1 + width > WIDTH && column > 4 {
            text.push_str("\n   ");
            column = 3;
        }
        text.push(' ');
        text.push_str(word);
        column += 1 + width;
    }
    text.push('\n');
    text
}

/// The first Ctrl-C asks the run to stop and keep what it has; the second
/// ends the program.
fn listen_for_interrupts() -> Stop {
    let stop = Stop::new();
    let pressed = stop.clone();
    // Without a handler Ctrl-C ends the program as it always does.
    let _ = ctrlc::set_handler(move || {
        if pressed.press() {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
    stop
}

/// Where `cargo xtask peers` puts other people's programs: below the folder
/// of this project that we are in, or that this program was built in.
fn peers_folder() -> Option<PathBuf> {
    let places = [std::env::current_dir().ok(), std::env::current_exe().ok()];
    let folders = places.iter().flatten().flat_map(|place| place.ancestors());
    folders.map(|folder| folder.join("peers/target/release")).find(|folder| folder.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_make_sense() {
        use clap::CommandFactory;
        Command::command().debug_assert();
    }

    #[test]
    fn notes_are_wrapped() {
        let text = bullet(&"word ".repeat(60));
        assert!(text.starts_with("  · word") && text.ends_with("word\n"));
        assert!(text.lines().skip(1).all(|line| line.starts_with("    word")), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 96));
    }
}
