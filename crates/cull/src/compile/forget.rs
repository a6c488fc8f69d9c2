//! How long a system remembers: small cells of what a viewer knows, each a
//! cloud of paths, until they look like any other states of the system.

use proscenium_chance::Seed;
use proscenium_work::{Halt, Progress, parallel};

use crate::error::CullError;
use crate::system::{State, System, wrap};

use super::CompileSettings;
use super::cells::{Grid, as_distance, as_squared, distance, distance_by_chance, squared_distance};
use super::paths::pair;

/// What is being done, in words.
const DOING: &str = "watching clouds spread";

/// The threshold of Chenney, Ichnowski and Forsyth 1998: an L1 distance of 0.8,
/// for four cells of five.
const PAPER_DIFFERENCE: f64 = 0.8;
const PAPER_QUANTILE: f64 = 0.8;

/// A cloud is followed until it was this share of the threshold away so many times one
/// after another. Chosen: at the threshold itself, cells that have arrived would no longer
/// be measured while the mean still needs them, and once may be chance.
const ENOUGH: f64 = 0.6;
const TIMES: usize = 3;

/// The worst cell may differ by so many times the threshold of the mean: an L1 distance
/// of 0.2 is told in 0.55 of the cases.
const WORST: f64 = 2.0;

/// The distances of so many steps one after another are averaged, and so many standard
/// deviations of that are not taken for a difference. The last of some dozens of crossings is
/// looked for, of the mean and of as many cells: with fewer deviations chance would put it
/// off, with more it would come the sooner the fewer paths there are.
const AVERAGED: usize = 3;
const CHANCE_OF_MEAN: f64 = 0.5;
const CHANCE_OF_ONE: f64 = 1.5;

/// All clouds together may cost so many additions, some ten seconds, but no cloud has
/// fewer paths than this.
const MOST_WORK: f64 = 1.5e10;
const FEWEST: usize = 1000;

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
    /// Of the shares themselves, which come from a sample too.
    pub variances: &'a [f64],
    /// The energy that all states keep.
    pub energy: Option<f64>,
    pub step: f64,
    pub longest: f64,
}

impl Question<'_> {
    /// How many paths start from each of some cells: fewer than usual if they would take
    /// too long. Who wants more than usual gets them.
    fn paths(&self, cells: usize) -> usize {
        let wanted = self.settings.paths_per_cell;
        if wanted > CompileSettings::default().paths_per_cell {
            return wanted;
        }
        let work = cells as f64 * self.longest * self.system.work_per_second();
        wanted.min((MOST_WORK / work.max(1.0)) as usize).max(wanted.min(FEWEST))
    }
}

/// What the clouds showed.
pub(crate) struct Forgetting {
    step: f64,
    /// For each cell its weight and its distances after 1, 2, … steps: squared and
    /// without what chance makes of them, and those of the paper.
    cells: Vec<(f64, Vec<(f64, f64)>)>,
    /// The standard deviation of a squared distance that is none.
    chance: f64,
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
    let count = question.paths(cells.len());
    let chance = distance_by_chance(count, question.shares, question.variances);
    let mut found =
        Forgetting { step: question.step, cells: Vec::new(), chance, spreading: Vec::new(), simulated: 0.0 };
    progress.tell(DOING, 0.0)?;
    let counter = progress.counter(DOING, cells.len());
    let clouds = parallel::try_tasks(cells.len(), |index| {
        let cloud = follow(question, cells[index], (count, chance), index == 0, progress)?;
        counter.count()?;
        Ok::<Cloud, Halt<CullError>>(cloud)
    })?;
    for (cell, cloud) in cells.iter().zip(clouds) {
        found.simulated += cloud.distances.len() as f64 * question.step * count as f64;
        found.cells.push((seen[*cell], cloud.distances));
        found.spreading.extend(cloud.pictures);
    }
    Ok(found)
}

struct Cloud {
    distances: Vec<(f64, f64)>,
    pictures: Vec<(f64, Vec<(f32, f32)>)>,
}

/// Follows a cloud of paths from a cell until it looks like any other.
fn follow(
    question: &Question<'_>,
    cell: usize,
    (count, chance): (usize, f64),
    is_pictured: bool,
    progress: &Progress,
) -> Result<Cloud, Halt<CullError>> {
    let Question { system, settings, grid, step, .. } = *question;
    let mut stream = question.seed.stream("clouds").at(cell as u64);
    let mut states: Vec<State> = (0..count).map(|_| grid.point(cell, || stream.uniform())).collect();
    if let Some(energy) = question.energy {
        states.iter_mut().for_each(|state| system.restore(state, energy));
    }
    let mut cloud = Cloud { distances: Vec::new(), pictures: Vec::new() };
    let steps = (question.longest / step).ceil().max(1.0) as usize;
    for index in 0..steps {
        let (from, to) = (index as f64 * step, (index + 1) as f64 * step);
        let mut gone = 0;
        for state in &mut states {
            progress.check()?;
            // A place in a cell may be none that the system can have: it does not count.
            if system.spread(state, from, to, &mut stream).is_err() {
                state.values[0] = f64::NAN;
                gone += 1;
            }
            wrap(system.variables(), state);
        }
        states.retain(|state| !state.values[0].is_nan());
        if states.len() < 2 * gone {
            // Most of them: then something else is wrong.
            let mut state = grid.point(cell, || 0.5);
            system.spread(&mut state, from, to, &mut stream)?;
        }
        let shares = grid.shares(states.iter());
        let squared = squared_distance(&shares, states.len(), question.shares, question.variances);
        cloud.distances.push((squared, distance(&shares, question.shares)));
        if is_pictured && index < PICTURES {
            cloud.pictures.push((to, states.iter().take(PICTURED_STATES).map(pair).collect()));
        }
        let enough = as_squared(ENOUGH * settings.difference) + chance;
        let arrived = |(squared, _): &(f64, f64)| *squared < enough;
        if index >= PICTURES && cloud.distances.iter().rev().take(TIMES).all(arrived) {
            break;
        }
    }
    Ok(cloud)
}

impl Forgetting {
    fn at(&self, cell: &[(f64, f64)], index: usize) -> f64 {
        cell.get(index).or(cell.last()).map_or(4.0, |(squared, _)| *squared)
    }

    /// For each number of steps: seconds, the distance of the average cell, that of the
    /// cell that four of five are nearer than, and that of the worst.
    pub(crate) fn curve(&self) -> Vec<(f64, f64, f64, f64)> {
        let longest = self.cells.iter().map(|(_, distances)| distances.len()).max().unwrap_or(0);
        let weight: f64 = self.cells.iter().map(|(weight, _)| weight).sum();
        let row = |index: usize| {
            let each = self.cells.iter().map(|(weight, distances)| weight * self.at(distances, index));
            let mean = each.sum::<f64>() / weight.max(f64::MIN_POSITIVE);
            let mut all: Vec<f64> = self.cells.iter().map(|(_, distances)| self.at(distances, index)).collect();
            all.sort_by(f64::total_cmp);
            let place = ((PAPER_QUANTILE * all.len() as f64) as usize).min(all.len().saturating_sub(1));
            let of = |place: usize| as_distance(all.get(place).copied().unwrap_or(4.0));
            ((index + 1) as f64 * self.step, as_distance(mean), of(place), of(all.len().saturating_sub(1)))
        };
        (0..longest).map(row).collect()
    }

    /// When the clouds of the average cell are no more to be told from the
    /// stationary distribution than this, and those of the worst not much more; `None`
    /// if that never comes.
    pub(crate) fn long(&self, difference: f64) -> Option<f64> {
        let longest = self.cells.iter().map(|(_, distances)| distances.len()).max().unwrap_or(0);
        let weight: f64 = self.cells.iter().map(|(weight, _)| weight).sum();
        let (count, chance) = (self.cells.len().max(1) as f64, self.chance / (AVERAGED as f64).sqrt());
        let most = as_squared(difference) + CHANCE_OF_MEAN * chance / count.sqrt();
        let worst_of_all = as_squared(WORST * difference) + CHANCE_OF_ONE * chance;
        let is_far = |index: usize| {
            let each = || self.cells.iter().map(|(weight, cell)| (weight, self.averaged(cell, index)));
            let mean = each().map(|(weight, squared)| weight * squared).sum::<f64>() / weight.max(f64::MIN_POSITIVE);
            mean > most || each().any(|(_, squared)| squared > worst_of_all)
        };
        // The last crossing counts: a cloud may come near for a moment.
        let first_near = (0..longest).rev().find(|&index| is_far(index)).map_or(0, |far| far + 1);
        (first_near < longest).then(|| (first_near + 1) as f64 * self.step)
    }

    /// The mean distance of some steps around one.
    fn averaged(&self, cell: &[(f64, f64)], index: usize) -> f64 {
        let first = index.saturating_sub(AVERAGED / 2);
        (first..first + AVERAGED).map(|index| self.at(cell, index)).sum::<f64>() / AVERAGED as f64
    }

    /// The threshold of the 1998 paper.
    pub(crate) fn paper_long(&self) -> Option<f64> {
        let first = |distances: &[(f64, f64)]| distances.iter().position(|(_, distance)| *distance < PAPER_DIFFERENCE);
        let mut times: Vec<f64> = Vec::new();
        for (_, distances) in &self.cells {
            times.push(first(distances).map_or(f64::INFINITY, |index| (index + 1) as f64 * self.step));
        }
        times.sort_by(f64::total_cmp);
        let place = (PAPER_QUANTILE * times.len() as f64).floor() as usize;
        times.get(place.min(times.len().saturating_sub(1))).copied().filter(|time| time.is_finite())
    }
}
