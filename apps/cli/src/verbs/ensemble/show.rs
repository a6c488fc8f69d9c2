//! `proscenium ensemble show`: what is in a motion graph.

use std::sync::Arc;

use proscenium_chance::Seed;
use proscenium_ensemble::transition::{Splice, cost_matrices};
use proscenium_ensemble::{MotionGraph, Player};
use proscenium_picture::Picture;
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use crate::VerbEnding;
use crate::arguments::EnsembleShow;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::{bytes, columns, three_digits};

pub fn run(options: &EnsembleShow, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let graph = super::read_graph(&options.graph)?;
    let report = Report::new(&graph, seed)?;
    if let Some(output) = &options.output {
        let bar = Bar::new(console, "drawing", &Interrupt::watch()?);
        let Completion::Finished(picture) = costs(&graph, bar.progress())? else { return Ok(VerbEnding::Interrupted) };
        output::write(&output.path, &picture.to_png()?)?;
    }
    console.report(|| report.text(), &report)?;
    Ok(VerbEnding::Complete)
}

/// A condition of the graph.
#[derive(Serialize)]
struct Level {
    name: String,
    intensity: f64,
    seconds: f64,
    transitions: usize,
    forgets_after_s: Option<f64>,
    /// Seconds to each other condition from the beginning of a walk.
    arrives_s: Vec<Option<f64>>,
}

#[derive(Serialize)]
struct Report {
    name: String,
    groups: usize,
    vertices: usize,
    rank: usize,
    bytes: usize,
    frames_per_second: f64,
    thickness: f64,
    levels: Vec<Level>,
    transitions: usize,
    detours: usize,
    cost: Option<[f64; 3]>,
}

impl Report {
    fn new(graph: &Arc<MotionGraph>, seed: u64) -> Result<Self, Failure> {
        let data = graph.data();
        let rate = data.frames_per_second();
        let player = Player::new(graph, Seed(seed))?;
        let levels = data.conditions().iter().enumerate().map(|(level, condition)| Level {
            name: condition.name.clone(),
            intensity: condition.intensity,
            seconds: graph.report().seconds[level],
            transitions: graph
                .transitions()
                .iter()
                .filter(|transition| data.sequences()[transition.from.sequence as usize].condition == level)
                .count(),
            forgets_after_s: graph.stationary(level).map(|stationary| stationary.forgets_after() as f64 / rate),
            arrives_s: vec![player.frames_until(level).map(|frames| frames as f64 / rate)],
        });
        let mut costs: Vec<f64> = graph.transitions().iter().map(|transition| transition.cost).collect();
        costs.sort_unstable_by(f64::total_cmp);
        let detours = graph.transitions().iter().flat_map(|transition| &transition.splices);
        let middle = costs.get(costs.len() / 2).copied();
        Ok(Self {
            name: data.name().to_owned(),
            groups: data.groups().len(),
            vertices: data.vertex_count(),
            rank: data.rank(),
            bytes: data.bytes(),
            frames_per_second: rate,
            thickness: data.thickness(),
            levels: levels.collect(),
            transitions: graph.transitions().len(),
            detours: detours.filter(|splice| matches!(splice, Splice::Detour { .. })).count(),
            cost: middle.map(|middle| [costs[0], middle, costs[costs.len() - 1]]),
        })
    }

    fn text(&self) -> String {
        let row = |name: &str, text: String| vec![format!("  {name}"), text];
        let thickness = three_digits(1000.0 * self.thickness);
        let mut rows = vec![
            row("groups", format!("{}, {} vertices, {thickness} mm thick", self.groups, self.vertices)),
            row(
                "data",
                format!(
                    "rank {}, {} at {} frames per second",
                    self.rank,
                    bytes(self.bytes as u64),
                    self.frames_per_second
                ),
            ),
            row("transitions", format!("{}, {} groups by a detour", self.transitions, self.detours)),
        ];
        if let Some([least, middle, most]) = self.cost.map(|costs| costs.map(three_digits)) {
            rows.push(row("cost", format!("{least} to {most}, median {middle}")));
        }
        for level in &self.levels {
            let forgets = level.forgets_after_s.map_or_else(String::new, |seconds| {
                format!(", forgets where it was after {} s", three_digits(seconds))
            });
            let text = format!(
                "{} transitions leave it, {} s of data{forgets}",
                level.transitions,
                three_digits(level.seconds)
            );
            rows.push(row(&level.name, text));
        }
        columns(&rows)
    }
}

/// Reaches for which costs are drawn, frames, as in figure 4 of the paper; and how many
/// departures and destinations.
const REACHES: [u32; 4] = [0, 10, 20, 30];
const MOMENTS: usize = 55;

fn costs(graph: &MotionGraph, progress: &Progress) -> Result<Completion<Picture>, Failure> {
    match cost_matrices(graph.data(), &REACHES, MOMENTS, progress) {
        Completion::Finished(matrices) => Ok(Completion::Finished(proscenium_show::ensemble::costs(&matrices)?)),
        Completion::Stopped => Ok(Completion::Stopped),
    }
}
