//! `proscenium city import`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use proscenium_city::import;
use proscenium_work::Completion;
use serde::Serialize;

use super::{CityOutput, Numbers, build, nothing_written};
use crate::VerbEnding;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::bytes;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium city import extract.osm.pbf -o ours.city
  proscenium city import cologne8.net.xml -o cologne.city
  proscenium city import soderleden.xodr -o soderleden.city

What a city here cannot have (turn restrictions, bridges, bus lanes …) is listed. Data from
OpenStreetMap is © OpenStreetMap contributors (ODbL): say so where you show it.")]
pub struct Import {
    /// A file of OpenStreetMap (.osm, .osm.pbf), SUMO (.net.xml) or OpenDRIVE (.xodr), packed (.gz) or not
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    #[command(flatten)]
    output: CityOutput,
}

#[derive(Serialize)]
struct Note {
    what: String,
    count: usize,
    examples: Vec<String>,
}

#[derive(Serialize)]
struct Report {
    format: String,
    city: Numbers,
    notes: Vec<Note>,
    path: String,
    bytes: usize,
}

pub fn run(options: &Import, console: Console) -> Result<VerbEnding, Failure> {
    let content =
        std::fs::read(&options.file).map_err(|source| Failure::Read { path: options.file.clone(), source })?;
    let interrupt = Interrupt::watch()?;
    let bar = Bar::new(console, "importing", &interrupt);
    let read = import::read_watched(&content, &bar.progress().part(0.0, 0.8));
    let read = read.map_err(|source| Failure::ImportMap { path: options.file.clone(), source })?;
    let Completion::Finished(imported) = read else {
        return nothing_written(console);
    };
    let path = &options.output.output;
    let Completion::Finished(map) = build(&options.file, &imported.plan, &bar.progress().part(0.8, 1.0))? else {
        return nothing_written(console);
    };
    drop(bar);
    let file = imported.plan.to_bytes();
    output::write(path, &file)?;
    let notes = imported.report.notes.iter().map(|note| Note {
        what: note.what.clone(),
        count: note.count,
        examples: note.examples.clone(),
    });
    let report = Report {
        format: imported.report.format.to_string(),
        city: Numbers::of(&map),
        notes: notes.collect(),
        path: path.display().to_string(),
        bytes: file.len(),
    };
    let text = || {
        let written = format!("wrote {} ({})", report.path, bytes(report.bytes as u64));
        format!("{}\n{}  {written}\n", imported.report, report.city.text())
    };
    console.report(text, &report)?;
    Ok(VerbEnding::Complete)
}
