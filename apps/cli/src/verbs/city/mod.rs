//! `proscenium city`: road networks, made, imported and looked at.

mod drive;
mod generate;
mod import;
mod learn;
mod show;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueHint};
use proscenium_city::map::MapStatistics;
use proscenium_city::{Map, Plan};
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use crate::VerbEnding;
use crate::console::Console;
use crate::failure::Failure;
use crate::text::{bytes, columns, count};

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium city generate --roads 200 -o malta.city     a city from a seed
  proscenium city import extract.osm.pbf -o ours.city    streets as they are
  proscenium city show malta.city -o map.png -o malta.glb
  proscenium city drive malta.city --cars 150 -o drive.png -o drive.glb")]
pub struct City {
    #[command(subcommand)]
    verb: CityVerb,
}

#[derive(Debug, Subcommand)]
enum CityVerb {
    /// Make a city from a seed
    Generate(generate::Generate),
    /// Read OpenStreetMap (.osm, .osm.pbf) or SUMO (.net.xml), packed (.gz) or not
    Import(import::Import),
    /// Tell what a city is made of, and draw it
    Show(show::Show),
    /// Learn what traffic does to a car
    Learn(learn::Learn),
    /// Drive through it, and simulate only what is seen
    Drive(drive::Drive),
}

pub fn run(options: &City, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    match &options.verb {
        CityVerb::Generate(options) => generate::run(options, seed, console),
        CityVerb::Import(options) => import::run(options, console),
        CityVerb::Show(options) => show::run(options, console),
        CityVerb::Learn(options) => learn::run(options, seed, console),
        CityVerb::Drive(options) => drive::run(options, seed, console),
    }
}

/// A city file to be written.
#[derive(Args, Debug)]
struct CityOutput {
    /// Where to write the city
    #[arg(short, long, value_name = "OUT.city", value_hint = ValueHint::FilePath)]
    output: PathBuf,
}

/// Reads a `.city` file and builds its map.
pub fn read(path: &Path, progress: &Progress) -> Result<Completion<Map>, Failure> {
    let bytes = std::fs::read(path).map_err(|source| Failure::Read { path: path.to_owned(), source })?;
    let plan = Plan::from_bytes(&bytes).map_err(|source| Failure::Map { path: path.to_owned(), source })?;
    build(path, &plan, progress)
}

fn build(path: &Path, plan: &Plan, progress: &Progress) -> Result<Completion<Map>, Failure> {
    Map::build_watched(plan, progress).map_err(|source| Failure::Map { path: path.to_owned(), source })
}

/// Ctrl-C was pressed before there was anything to keep.
fn nothing_written(console: Console) -> Result<VerbEnding, Failure> {
    console.remark("nothing was made yet, so nothing was written");
    Ok(VerbEnding::Interrupted)
}

/// What a map is made of, as scripts see it.
#[derive(Serialize)]
struct Numbers {
    name: String,
    #[serde(flatten)]
    numbers: MapStatistics,
}

impl Numbers {
    fn of(map: &Map) -> Self {
        Self { name: map.name().to_owned(), numbers: map.statistics() }
    }

    fn text(&self) -> String {
        let numbers = &self.numbers;
        let number = |number: usize| count(number as u64);
        let roads = format!(
            "{}, {:.0} m on average; {} wide, {} one-way",
            number(numbers.roads),
            numbers.mean_road,
            number(numbers.wide),
            number(numbers.one_way),
        );
        let junctions = format!(
            "{}: {} all-way stops, {} with lights, {} with priorities, {} dead ends",
            number(numbers.junctions),
            number(numbers.all_way_stops),
            number(numbers.signals),
            number(numbers.priorities),
            number(numbers.dead_ends),
        );
        let lanes = format!("{}, {:.1} km in all", number(numbers.lanes), numbers.lane_metres / 1000.0);
        let rows = [
            ("roads", roads),
            ("junctions", junctions),
            ("lanes", lanes),
            ("paths", number(numbers.paths)),
            ("extent", format!("{:.2} by {:.2} km", numbers.extent[0] / 1000.0, numbers.extent[1] / 1000.0)),
            ("memory", bytes(numbers.bytes as u64)),
        ];
        let rows: Vec<Vec<String>> = rows.into_iter().map(|(key, value)| vec![key.to_owned(), value]).collect();
        columns(&rows)
    }
}
