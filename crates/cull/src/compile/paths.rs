//! Paths of the complete model from its initial states: the range, and the
//! states that the stationary distribution is made of.

use proscenium_chance::Seed;
use proscenium_work::{Halt, Progress, parallel};

use crate::error::CullError;
use crate::learned::Findings;
use crate::system::{State, System, wrap};

use super::CompileSettings;
use super::cells::{Grid, distance};

/// Steps that are looked at within one jump, for the range. Chosen: a swing within
/// a jump is then missed by less than the margin.
const LOOKS: u32 = 48;

/// The distribution has converged when another round changes it by less (L1).
/// Chosen: a third of what a viewer is taken not to tell
/// ([`CompileSettings::difference`]).
const CONVERGED: f64 = 0.03;

/// Jumps in a round. Chosen.
const ROUND: usize = 32;

/// Rounds at most, so that what never converges ends. Chosen.
const MOST_ROUNDS: usize = 12;

/// A margin around the range, as a share of it: small errors do no harm. Chosen.
const MARGIN: f64 = 0.02;

/// What is asked of the paths.
pub(crate) struct Question<'a> {
    pub system: &'a dyn System,
    pub settings: &'a CompileSettings,
    pub seed: Seed,
    pub step: f64,
    pub longest: f64,
}

/// What the paths showed.
pub(crate) struct Paths {
    /// States after the start is forgotten, at whole multiples of the step.
    pub settled: Vec<State>,
    /// States on the way there.
    pub starting: Vec<State>,
    /// The range once the start is forgotten.
    pub ranges: Vec<(f64, f64)>,
    /// The range from the start on, with a margin.
    pub whole_ranges: Vec<(f64, f64)>,
    pub simulated: f64,
}

/// One path, and what was seen of it in a round.
struct Path {
    state: State,
    stream: proscenium_chance::Stream,
    jumps: usize,
    seen: Vec<State>,
    low: State,
    high: State,
}

impl Path {
    fn start(system: &dyn System, seed: Seed, index: usize) -> Self {
        let mut stream = seed.stream("paths").at(index as u64);
        let mut state = system.initial(&mut stream);
        // Half of the paths begin with what others may do to the system.
        if index % 2 == 1 {
            system.disturb(&mut state, &mut stream);
        }
        Self { state, stream, jumps: 0, seen: Vec::new(), low: state, high: state }
    }

    fn run(
        &mut self,
        system: &dyn System,
        step: f64,
        jumps: usize,
        progress: &Progress,
    ) -> Result<(), Halt<CullError>> {
        self.seen.clear();
        let (mut low, mut high) = (self.state, self.state);
        for _ in 0..jumps {
            progress.check()?;
            let from = self.jumps as f64 * step;
            for look in 0..LOOKS {
                let at = |look: u32| from + step * f64::from(look) / f64::from(LOOKS);
                let end = if look + 1 == LOOKS { (self.jumps + 1) as f64 * step } else { at(look + 1) };
                system.advance(&mut self.state, at(look), end, &mut self.stream)?;
                for (index, value) in self.state.values.iter().enumerate() {
                    low.values[index] = low.values[index].min(*value);
                    high.values[index] = high.values[index].max(*value);
                }
            }
            wrap(system.variables(), &mut self.state);
            self.jumps += 1;
            self.seen.push(self.state);
        }
        (self.low, self.high) = (low, high);
        Ok(())
    }
}

impl Paths {
    pub(crate) fn run(question: &Question<'_>, progress: &Progress) -> Result<Self, Halt<CullError>> {
        let Question { system, settings, seed, step, longest } = *question;
        let mut paths: Vec<Path> = (0..settings.paths.max(4)).map(|index| Path::start(system, seed, index)).collect();
        let starts: Vec<State> = paths.iter().map(|path| path.state).collect();
        let round = |paths: &mut Vec<Path>, jumps: usize| -> Result<Vec<State>, Halt<CullError>> {
            parallel::try_map_mut(paths, |path| path.run(system, step, jumps, progress))?;
            Ok(paths.iter().flat_map(|path| path.seen.iter().copied()).collect())
        };
        let burn_in = (longest / step / 2.0).ceil().clamp(8.0, 200.0) as usize;
        let mut starting = round(&mut paths, burn_in)?;
        starting.extend(starts);
        let mut whole = Extent::of(&paths);
        let mut extent: Option<Extent> = None;
        let mut settled: Vec<State> = Vec::new();
        let mut rounds = 0;
        while rounds < MOST_ROUNDS {
            progress.tell("finding the range", rounds as f64 / MOST_ROUNDS as f64)?;
            let seen = round(&mut paths, ROUND)?;
            rounds += 1;
            let now = Extent::of(&paths);
            let before = extent.clone();
            extent = Some(extent.map_or(now.clone(), |extent| extent.with(&now)));
            whole = whole.with(&now);
            let ranges = whole.ranges(system, 0.0);
            let grid = Grid::new(system, &ranges, settings.cells_per_variable);
            let old = grid.shares(settled.iter());
            settled.extend(seen);
            let new = grid.shares(settled.iter());
            let grown = match (&before, &extent) {
                (Some(before), Some(after)) => before.growth(after),
                _ => 1.0,
            };
            if rounds > 1 && distance(&old, &new) < CONVERGED && grown < 1e-3 {
                break;
            }
        }
        let jumps = burn_in + rounds * ROUND;
        let ranges = extent.unwrap_or(whole.clone()).ranges(system, 0.0);
        let whole_ranges = whole.ranges(system, MARGIN);
        let simulated = paths.len() as f64 * jumps as f64 * step;
        Ok(Self { settled, starting, ranges, whole_ranges, simulated })
    }

    /// Whether what is seen at first differs from what is seen later.
    pub(crate) fn is_transient(&self, grid: &Grid, shares: &[f64]) -> bool {
        distance(&grid.shares(self.starting.iter()), shares) > 0.5
    }

    /// Where a viewer may have seen the system: for one that settles, half of
    /// that is on the way.
    pub(crate) fn seen_shares(&self, grid: &Grid, shares: &[f64]) -> Vec<f64> {
        if !self.is_transient(grid, shares) {
            return shares.to_vec();
        }
        let starting = grid.shares(self.starting.iter());
        shares.iter().zip(starting).map(|(late, early)| 0.5 * (late + early)).collect()
    }

    pub(crate) fn findings(&self, system: &dyn System) -> Findings {
        let cloud = self.settled.iter().step_by((self.settled.len() / 6000).max(1)).map(pair);
        Findings {
            variables: system.variables().iter().map(|variable| variable.name.clone()).collect(),
            ranges: self.ranges.clone(),
            cloud: cloud.collect(),
            ..Findings::default()
        }
    }
}

/// The first two variables, for pictures.
pub(crate) fn pair(state: &State) -> (f32, f32) {
    (state.values[0] as f32, state.values[1] as f32)
}

/// The least and the greatest values.
#[derive(Clone)]
struct Extent {
    low: State,
    high: State,
}

impl Extent {
    fn of(paths: &[Path]) -> Self {
        let first = Extent { low: paths[0].low, high: paths[0].high };
        paths.iter().fold(first, |extent, path| extent.with(&Extent { low: path.low, high: path.high }))
    }

    fn with(&self, other: &Extent) -> Self {
        let mut both = self.clone();
        for index in 0..both.low.values.len() {
            both.low.values[index] = both.low.values[index].min(other.low.values[index]);
            both.high.values[index] = both.high.values[index].max(other.high.values[index]);
        }
        both
    }

    /// By how much this grew, as a share.
    fn growth(&self, after: &Extent) -> f64 {
        let mut worst = 0.0_f64;
        for index in 0..self.low.values.len() {
            let size = self.high.values[index] - self.low.values[index];
            let grown = after.high.values[index] - after.low.values[index];
            if size > 0.0 {
                worst = worst.max(grown / size - 1.0);
            }
        }
        worst
    }

    /// The range of each variable: what the author says, all around for what
    /// goes around, or what was seen.
    fn ranges(&self, system: &dyn System, margin: f64) -> Vec<(f64, f64)> {
        let each = system.variables().iter().enumerate();
        each.map(|(index, variable)| match (variable.range, variable.wrap) {
            (_, Some(wrap)) => (wrap.low, wrap.low + wrap.period),
            (Some(range), None) => range,
            (None, None) => {
                let (low, high) = (self.low.values[index], self.high.values[index]);
                // A variable that does not move still needs a cell.
                let spare = (margin * (high - low)).max(1e-6 * (1.0 + low.abs()));
                (low - spare, high + spare)
            }
        })
        .collect()
    }
}
