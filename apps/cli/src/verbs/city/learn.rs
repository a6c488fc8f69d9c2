//! `proscenium city learn`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueHint};
use proscenium_city::Study;
use proscenium_city::learn::StudySettings;
use proscenium_work::Completion;
use serde::Serialize;

use super::{nothing_written, read};
use crate::VerbEnding;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::{bytes, count, seconds};

#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  proscenium city learn malta.city          writes malta.learned, which City::load finds

Ctrl-C keeps the runs that are done in malta.study; the same command goes on from there.")]
pub struct Learn {
    /// A city that was made or imported
    #[arg(value_name = "CITY", value_hint = ValueHint::FilePath)]
    city: PathBuf,
    /// Simulated time of each run, minutes
    #[arg(long, value_name = "MINUTES", default_value_t = 20.0)]
    minutes: f64,
    /// Roads of the part that is run at most; what is learned holds for the rest
    #[arg(long, value_name = "N", default_value_t = 600)]
    roads: usize,
}

#[derive(Serialize)]
struct Report {
    traversals: u64,
    densities: Vec<f64>,
    jammed: Vec<f64>,
    learn_s: f64,
    path: String,
    bytes: usize,
}

pub fn run(options: &Learn, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let interrupt = Interrupt::watch()?;
    let bar = Bar::new(console, "learning", &interrupt);
    let Completion::Finished(map) = read(&options.city, bar.progress())? else {
        return nothing_written(console);
    };
    let map = std::sync::Arc::new(map);
    let kept = options.city.with_extension("study");
    let settings =
        StudySettings { measured: 60.0 * options.minutes, roads: options.roads, seed, ..StudySettings::default() };
    let mut study = begin(&kept, settings, console)?;
    let start = Instant::now();
    loop {
        let (done, runs) = (study.runs_done(), study.runs());
        let share = |runs_done: usize| runs_done as f64 / runs.max(1) as f64;
        match study.run_next(&map, &bar.progress().part(share(done), share(done + 1))) {
            Completion::Finished(true) => output::write(&kept, &study.to_bytes())?,
            Completion::Finished(false) => break,
            Completion::Stopped => {
                drop(bar);
                output::write(&kept, &study.to_bytes())?;
                console
                    .remark(&format!("{done} of {runs} runs are kept in {}; the same command goes on", kept.display()));
                return Ok(VerbEnding::Interrupted);
            }
        }
    }
    drop(bar);
    let learned = study.conclude();
    let (path, content) = (options.city.with_extension("learned"), learned.to_bytes());
    output::write(&path, &content)?;
    // What can be gone on from is of no use any more.
    let _ = std::fs::remove_file(&kept);
    let report = Report {
        traversals: learned.traversals(),
        densities: learned.densities().to_vec(),
        jammed: learned.gridlocked().to_vec(),
        learn_s: start.elapsed().as_secs_f64(),
        path: path.display().to_string(),
        bytes: content.len(),
    };
    console.report(|| report.text(), &report)?;
    Ok(VerbEnding::Complete)
}

/// A study that goes on from what was kept, if that was set alike.
fn begin(kept: &Path, settings: StudySettings, console: Console) -> Result<Study, Failure> {
    if let Ok(bytes) = std::fs::read(kept)
        && let Ok(study) = Study::from_bytes(&bytes)
        && *study.settings() == settings
    {
        console.remark(&format!("going on after {} runs", study.runs_done()));
        return Ok(study);
    }
    Study::new(settings).map_err(Failure::City)
}

impl Report {
    fn text(&self) -> String {
        let jam = self.jammed.first().map_or_else(String::new, |density| {
            format!("  traffic jams from {density} cars for each kilometre of lane; nothing is learned from jams\n")
        });
        format!(
            "  {} times of paths, at densities up to the jam\n{jam}  wrote {} ({})     {}\n",
            count(self.traversals),
            self.path,
            bytes(self.bytes as u64),
            seconds(self.learn_s)
        )
    }
}
