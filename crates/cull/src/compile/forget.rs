//! How long a system remembers: small cells of what a viewer knows, each a
//! cloud of paths, until they look like any other states of the system.

use proscenium_chance::Seed;
use proscenium_work::{Halt, Progress, parallel};

use crate::error::CullError;
use crate::system::{State, System, wrap};

use super::CompileSettings;
use super::cells::{Grid, distance, expected_distance};
use super::paths::pair;

/// What is being done, in words.
const DOING: &str = "watching clouds spread";

/// The threshold of Chenney, Ichnowski and Forsyth 1998: an L1 distance of 0.8,
/// for four cells of five.
const PAPER_DIFFERENCE: f64 = 0.8;
const PAPER_QUANTILE: f64 = 0.8;

/// A cloud is followed until it is this share of the threshold away. Chosen: at
/// the threshold itself, cells that have arrived would no longer be measured
/// while the mean still needs them.
const ENOUGH: f64 = 0.4;

/// Pictures of a spreading cloud for the report, and states in each, as many
/// as can be told apart in a plot.
const PICTURES: usize = 4;
const PICTURED_STATES: usize = 3000;

pub(crate) struct Question<'a> {
    pub system: &'a dyn System,
    pub settings: &'a CompileSettings,
    pub seed: Seed,
    pub grid: &'a Grid,
    pub shares: &'a [f64],
    pub step: f64,
    pub longest: f64,
}

/// What the clouds showed.
pub(crate) struct Forgetting {
    step: f64,
    /// For each cell its weight and its distances after 1, 2, … steps.
    cells: Vec<(f64, Vec<f64>)>,
    /// The distance that chance alone would make.
    noise: f64,
    pub spreading: Vec<(f64, Vec<(f32, f32)>)>,
    pub simulated: f64,
}

/// The most probable cells that together carry a share of the time.
pub(crate) fn important(shares: &[f64], share: f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shares.len()).filter(|&cell| shares[cell] > 0.0).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]).then(a.cmp(&b)));
    let mut sum = 0.0;
    let enough = order.iter().position(|&cell| {
        sum += shares[cell];
        sum >= share
    });
    order.truncate(enough.map_or(order.len(), |last| last + 1));
    order
}

pub(crate) fn forgetting(
    question: &Question<'_>,
    seen: &[f64],
    progress: &Progress,
) -> Result<Forgetting, Halt<CullError>> {
    let all = important(seen, question.settings.important);
    let most = question.settings.most_cells.max(1);
    // Evenly from the frequent to the rare.
    let cells: Vec<usize> =
        if all.len() <= most { all } else { (0..most).map(|index| all[index * all.len() / most]).collect() };
    let noise = expected_distance(question.shares, question.settings.paths_per_cell);
    let mut found = Forgetting { step: question.step, cells: Vec::new(), noise, spreading: Vec::new(), simulated: 0.0 };
    progress.tell(DOING, 0.0)?;
    let counter = progress.counter(DOING, cells.len());
    let clouds = parallel::try_tasks(cells.len(), |index| {
        let cloud = follow(question, cells[index], noise, index == 0, progress)?;
        counter.count()?;
        Ok::<Cloud, Halt<CullError>>(cloud)
    })?;
    for (cell, cloud) in cells.iter().zip(clouds) {
        found.simulated += cloud.distances.len() as f64 * question.step * question.settings.paths_per_cell as f64;
        found.cells.push((seen[*cell], cloud.distances));
        found.spreading.extend(cloud.pictures);
    }
    Ok(found)
}

struct Cloud {
    distances: Vec<f64>,
    pictures: Vec<(f64, Vec<(f32, f32)>)>,
}

/// Follows a cloud of paths from a cell until it looks like any other.
fn follow(
    question: &Question<'_>,
    cell: usize,
    noise: f64,
    is_pictured: bool,
    progress: &Progress,
) -> Result<Cloud, Halt<CullError>> {
    let Question { system, settings, grid, step, .. } = *question;
    let mut stream = question.seed.stream("clouds").at(cell as u64);
    let mut states: Vec<State> = (0..settings.paths_per_cell).map(|_| grid.point(cell, || stream.uniform())).collect();
    let mut cloud = Cloud { distances: Vec::new(), pictures: Vec::new() };
    let steps = (question.longest / step).ceil().max(1.0) as usize;
    for index in 0..steps {
        let (from, to) = (index as f64 * step, (index + 1) as f64 * step);
        for state in &mut states {
            progress.check()?;
            system.spread(state, from, to, &mut stream)?;
            wrap(system.variables(), state);
        }
        let now = distance(&grid.shares(states.iter()), question.shares);
        cloud.distances.push(now);
        if is_pictured && index < PICTURES {
            cloud.pictures.push((to, states.iter().take(PICTURED_STATES).map(pair).collect()));
        }
        // Well below the threshold, so that the mean over cells is known there.
        if now < noise + ENOUGH * settings.difference && index >= PICTURES - 1 {
            break;
        }
    }
    Ok(cloud)
}

impl Forgetting {
    fn at(&self, cell: &[f64], index: usize) -> f64 {
        cell.get(index).or(cell.last()).copied().unwrap_or(2.0)
    }

    /// For each number of steps: seconds, the mean distance, and what chance
    /// makes of it.
    pub(crate) fn curve(&self) -> Vec<(f64, f64, f64)> {
        let longest = self.cells.iter().map(|(_, distances)| distances.len()).max().unwrap_or(0);
        let weight: f64 = self.cells.iter().map(|(weight, _)| weight).sum();
        let mean = |index: usize| {
            let each = self.cells.iter().map(|(weight, distances)| weight * self.at(distances, index));
            each.sum::<f64>() / weight.max(f64::MIN_POSITIVE)
        };
        (0..longest).map(|index| ((index + 1) as f64 * self.step, mean(index), self.noise)).collect()
    }

    /// When the clouds of the average cell are no more to be told from the
    /// stationary distribution than this; `None` if that never comes.
    pub(crate) fn long(&self, difference: f64) -> Option<f64> {
        let curve = self.curve();
        // The last crossing counts: a cloud may come near for a moment.
        let last_far = curve.iter().rposition(|(_, mean, noise)| mean - noise > difference);
        match last_far {
            None => curve.first().map(|(time, ..)| *time),
            Some(index) => curve.get(index + 1).map(|(time, ..)| *time),
        }
    }

    /// The threshold of the 1998 paper.
    pub(crate) fn paper_long(&self) -> Option<f64> {
        let first = |distances: &[f64]| distances.iter().position(|distance| *distance < PAPER_DIFFERENCE);
        let mut times: Vec<f64> = Vec::new();
        for (_, distances) in &self.cells {
            times.push(first(distances).map_or(f64::INFINITY, |index| (index + 1) as f64 * self.step));
        }
        times.sort_by(f64::total_cmp);
        let place = (PAPER_QUANTILE * times.len() as f64).floor() as usize;
        times.get(place.min(times.len().saturating_sub(1))).copied().filter(|time| time.is_finite())
    }
}
