//! `proscenium city generate`.

use std::time::Instant;

use clap::Args;
use proscenium_chance::Seed;
use proscenium_city::Recipe;
use proscenium_work::Completion;
use serde::Serialize;

use super::{CityOutput, Numbers, build, nothing_written};
use crate::VerbEnding;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::{bytes, seconds};

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium city generate --roads 200 -o malta.city
  proscenium city generate --roads 1000000 --seed 7 -o metropolis.city")]
pub struct Generate {
    /// About how many roads
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=20_000_000))]
    roads: u32,
    /// Mean size of a block, metres
    #[arg(long, value_name = "METRES", default_value_t = Recipe::default().spacing)]
    spacing: f64,
    /// Leave roads that end blindly at the rim
    #[arg(long)]
    dead_ends: bool,
    #[command(flatten)]
    output: CityOutput,
}

#[derive(Serialize)]
struct Report {
    city: Numbers,
    generate_s: f64,
    build_s: f64,
    path: String,
    bytes: usize,
}

pub fn run(options: &Generate, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let recipe =
        Recipe { spacing: options.spacing, dead_ends: options.dead_ends, ..Recipe::with_roads(options.roads as usize) };
    let interrupt = Interrupt::watch()?;
    let start = Instant::now();
    let bar = Bar::new(console, "generating", &interrupt);
    let Completion::Finished(plan) = recipe.generate_watched(Seed(seed), &bar.progress().part(0.0, 0.7))? else {
        return nothing_written(console);
    };
    let generate_s = start.elapsed().as_secs_f64();
    let path = &options.output.output;
    let Completion::Finished(map) = build(path, &plan, &bar.progress().part(0.7, 1.0))? else {
        return nothing_written(console);
    };
    drop(bar);
    let build_s = start.elapsed().as_secs_f64() - generate_s;
    let file = plan.to_bytes();
    output::write(path, &file)?;
    let report =
        Report { city: Numbers::of(&map), generate_s, build_s, path: path.display().to_string(), bytes: file.len() };
    let text = || {
        let took = seconds(generate_s + build_s);
        format!("{}  wrote {} ({})     {took}\n", report.city.text(), report.path, bytes(report.bytes as u64))
    };
    console.report(text, &report)?;
    Ok(VerbEnding::Complete)
}
