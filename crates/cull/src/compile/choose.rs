//! Which approximation serves for which jump.

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Halt, Progress, Stopped, parallel};

use crate::error::CullError;
use crate::learned::{Candidate, Jump, LONGEST_JUMP};
use crate::system::{State, System};

use super::CompileSettings;
use super::cells::Grid;
use super::maps::{Example, Map, Polynomials, Transfer};
use super::network::Network;
use super::paths::{Paths, pair};

/// What is being done, in words.
const DOING: &str = "learning to jump";

/// Cells whose futures are compared, and starts in each. Chosen: few enough that
/// judging takes less time than learning.
const JUDGED_CELLS: usize = 24;
const JUDGED_STARTS: usize = 300;

/// What is learned in a hurry is judged in a hurry: with fewer examples than these in
/// proportion fewer cells, but not fewer than the second. Chosen: what
/// [`CompileSettings::hurried`] learns from.
const JUDGED_EXAMPLES: usize = 6000;
const FEWEST_CELLS: usize = 4;

/// No jump is used whose error is larger than what a return may differ by and this,
/// however bad the others are: 300 states of one distribution differ by 0.05 on the
/// average, and the largest of several variables and cells by twice as much.
const ERROR_BY_CHANCE: f64 = 0.11;

/// Differences of distribution functions that nobody can tell from so few
/// sightings as a viewer has. Chosen: 300 states of one distribution differ by as
/// much by chance.
const UNSEEN: f64 = 0.04;

/// An approximation may be this much worse than the best if it is cheaper
/// (`docs/decisions/0021-local-polynomials-beside-networks.md`).
const NEARLY_BEST: f64 = 1.15;

/// Successors of a cell that are kept: many if chance decides, else few, for
/// then the other approximations are better. Chosen for the size of the file.
const RANDOM_SUCCESSORS: usize = 64;
const SUCCESSORS: usize = 24;

/// Where chance decides, fewer successors of a cell than this say nothing of how they are
/// distributed: the complete model is used there.
const FEWEST_RANDOM: usize = 8;

/// For so many lengths of jumps networks are trained: as many as the Tilt-A-Whirl
/// has in Chenney 2000, table 5.1.
const NETWORKS: usize = 3;

/// With more variables neither networks nor cubic polynomials are tried: they would need
/// more examples than can be had. Chosen.
const MOST_FOR_NETWORKS: usize = 3;

/// Local polynomials that are tried: how much finer than the viewer's cells
/// theirs are, and their degree.
pub(super) const POLYNOMIALS: [(u16, u8); 4] = [(1, 2), (1, 3), (2, 2), (2, 3)];

pub(crate) struct Question<'a> {
    pub system: &'a dyn System,
    pub settings: &'a CompileSettings,
    pub seed: Seed,
    pub grid: &'a Grid,
    /// The energy that all states keep.
    pub energy: Option<f64>,
    pub step: f64,
    pub horizon: f64,
}

/// A start, of which at most two variables count, and the error from there.
type ErrorAt = ((f32, f32), f32);

/// Which approximations were chosen, and what was found on the way.
#[derive(Default)]
pub(crate) struct Choice {
    /// Longest first.
    pub jumps: Vec<Jump>,
    /// What each of them costs, with the complete model where it knows nothing.
    pub costs: Vec<f64>,
    pub candidates: Vec<Candidate>,
    pub errors: Vec<ErrorAt>,
    pub simulated: f64,
}

/// Starts of one cell, and where they are after each jump.
struct TestGroup {
    starts: Vec<State>,
    ends: Vec<Vec<State>>,
}

pub(crate) fn choose(question: &Question<'_>, paths: &Paths, progress: &Progress) -> Result<Choice, Halt<CullError>> {
    // Jumps of 1, 2, 4, … steps below the horizon.
    let mut lengths = vec![1_u32];
    let mut next = 2;
    while f64::from(next) * question.step < question.horizon && next <= LONGEST_JUMP {
        lengths.push(next);
        next *= 2;
    }
    progress.tell(DOING, 0.0)?;
    let tables = examples(question, paths, &lengths, &progress.part(0.0, 0.3))?;
    progress.tell(DOING, 0.3)?;
    let groups = test_groups(question, paths, &lengths, progress)?;
    let fitting = progress.part(0.4, 0.9);
    fitting.tell(DOING, 0.0)?;
    let counter = fitting.counter(DOING, tables.len());
    let fitted = parallel::try_tasks(tables.len(), |index| {
        let maps = fit(question, index, &tables[index], progress)?;
        counter.count()?;
        Ok::<Vec<Map>, Stopped>(maps)
    })?;
    let longest = f64::from(lengths[lengths.len() - 1]) * question.step;
    let starts = tables.last().map_or(0, Vec::len) + groups.iter().map(|group| group.starts.len()).sum::<usize>();
    let mut chosen = Choice {
        jumps: Vec::new(),
        costs: Vec::new(),
        candidates: Vec::new(),
        errors: Vec::new(),
        simulated: starts as f64 * longest,
    };
    for (index, (steps, maps)) in lengths.iter().zip(fitted).enumerate() {
        chosen.add(question, *steps, index, maps, &groups, progress)?;
    }
    if let Some(first) = chosen.jumps.last() {
        chosen.errors = errors(question, first, &tables[0], progress)?;
    }
    Ok(chosen)
}

impl Choice {
    /// Judges the approximations of one jump, and two of the jump before, and
    /// keeps the cheapest of those that are good.
    fn add(
        &mut self,
        question: &Question<'_>,
        steps: u32,
        index: usize,
        maps: Vec<Map>,
        groups: &[TestGroup],
        progress: &Progress,
    ) -> Result<(), Stopped> {
        let grid = question.grid;
        let jump_s = f64::from(steps) * question.step;
        let mut found: Vec<(Option<Map>, f64, f64, String)> = Vec::new();
        for map in maps {
            let alone = [Jump { steps, map }];
            let error = error(question, &alone, steps, index, groups, progress)?;
            let [Jump { map, .. }] = alone;
            let missing = 1.0 - coverage(question, &map, groups);
            let (cost, name) = (map.cost(grid) + missing * question.system.cost_per_second() * jump_s, map.name());
            found.push((Some(map), error, cost, name));
        }
        if steps > 1 && !self.jumps.is_empty() {
            let error = error(question, &self.jumps, steps, index, groups, progress)?;
            let known = |jump: &Jump| self.jumps.iter().position(|known| known.steps == jump.steps);
            let cost = chain(&self.jumps, steps).filter_map(|jump| self.costs.get(known(jump)?)).sum();
            found.push((None, error, cost, "shorter jumps, chained".to_owned()));
        }
        let best = found.iter().map(|(_, error, ..)| *error).fold(f64::INFINITY, f64::min);
        let good_enough = UNSEEN.max(NEARLY_BEST * best);
        let cheapest = found
            .iter()
            .enumerate()
            .filter(|(_, (_, error, ..))| *error <= good_enough.min(question.settings.unseen + ERROR_BY_CHANCE))
            .min_by(|(_, a), (_, b)| a.2.total_cmp(&b.2).then(a.1.total_cmp(&b.1)))
            .map(|(place, _)| place);
        for (place, (map, error, cost, name)) in found.into_iter().enumerate() {
            let chosen = Some(place) == cheapest;
            self.candidates.push(Candidate { jump_s, name, error, cost, chosen });
            if let (true, Some(map)) = (chosen, map) {
                self.jumps.insert(0, Jump { steps, map });
                self.costs.insert(0, cost);
            }
        }
        Ok(())
    }
}

/// The share of judged starts from which an approximation knows where to go.
fn coverage(question: &Question<'_>, map: &Map, groups: &[TestGroup]) -> f64 {
    let mut stream = question.seed.stream("coverage");
    let starts: Vec<&State> = groups.iter().flat_map(|group| &group.starts).collect();
    let known = starts.iter().filter(|start| map.apply(question.grid, start, &mut stream).is_some()).count();
    known as f64 / starts.len().max(1) as f64
}

/// The jumps that together leap over so many steps, longest first.
pub(crate) fn chain(jumps: &[Jump], steps: u32) -> impl Iterator<Item = &Jump> {
    let mut rest = steps;
    jumps.iter().flat_map(move |jump| {
        let times = rest / jump.steps;
        rest -= times * jump.steps;
        std::iter::repeat_n(jump, times as usize)
    })
}

/// Trajectories from states of the stationary distribution, half of them shaken
/// by as much as a viewer cannot tell, cut into intervals of each length.
fn examples(
    question: &Question<'_>,
    paths: &Paths,
    lengths: &[u32],
    progress: &Progress,
) -> Result<Vec<Vec<Example>>, Halt<CullError>> {
    let Question { system, step, seed, grid, .. } = *question;
    // Jumps of one length are learned from the intervals of that length.
    let total = lengths[lengths.len() - 1];
    let most = question.settings.examples.max(100);
    let count = (8 * most / total as usize).clamp(most / 3, 2 * most);
    let starts = Starts::new(question, paths);
    let counter = progress.counter(DOING, count);
    let trajectory = |index: usize| {
        let mut stream = seed.stream("examples").at(index as u64);
        let mut states = vec![starts.state_from(question, index, &mut stream)];
        for index in 0..total {
            progress.check()?;
            let mut state = states[index as usize];
            // A state that was shaken may be none that the system can have.
            let (from, to) = (f64::from(index) * step, f64::from(index + 1) * step);
            if system.advance(&mut state, from, to, &mut stream).is_err() {
                break;
            }
            states.push(state);
        }
        counter.count()?;
        Ok::<Vec<State>, Halt<CullError>>(states)
    };
    let trajectories = parallel::times(count, trajectory).into_iter().collect::<Result<Vec<_>, _>>()?;
    let tables = lengths.iter().map(|&length| intervals(grid, &trajectories, length as usize, progress));
    Ok(tables.collect::<Result<_, Stopped>>()?)
}

/// From where is learned.
pub(super) struct Starts<'a> {
    paths: &'a Paths,
    /// Whether what is seen at first differs from what is seen later.
    is_transient: bool,
}

impl<'a> Starts<'a> {
    pub(super) fn new(question: &Question<'_>, paths: &'a Paths) -> Self {
        let grid = question.grid;
        Self { paths, is_transient: paths.is_transient(grid, &grid.shares(paths.settled.iter())) }
    }

    /// A state of its own for each number.
    pub(super) fn state(&self, question: &Question<'_>, index: usize) -> State {
        self.state_from(question, index, &mut question.seed.stream("starts of phases").at(index as u64))
    }

    /// A state that was seen, every other one shaken by as much as a viewer cannot tell.
    fn state_from(&self, question: &Question<'_>, index: usize, stream: &mut Stream) -> State {
        let pool = if self.is_transient && index % 4 < 3 { &self.paths.starting } else { &self.paths.settled };
        let mut start = *stream.pick(pool).unwrap_or(&State::default());
        if index % 2 == 1 {
            for (axis, value) in question.grid.axes.iter().zip(&mut start.values) {
                let shaken = *value + axis.width() * (stream.uniform() - 0.5) * 2.0;
                *value = if axis.wraps { axis.wrapped(shaken) } else { shaken.clamp(axis.low, axis.high) };
            }
            if let Some(energy) = question.energy {
                question.system.restore(&mut start, energy);
            }
        }
        start
    }
}

/// The intervals of a length, one after another, of all trajectories.
fn intervals(
    grid: &Grid,
    trajectories: &[Vec<State>],
    length: usize,
    progress: &Progress,
) -> Result<Vec<Example>, Stopped> {
    let mut examples = Vec::new();
    for states in trajectories {
        progress.check()?;
        for (start, end) in states.iter().step_by(length).zip(states.iter().skip(length).step_by(length)) {
            let mut change = end.values;
            for (change, before) in change.iter_mut().zip(start.values) {
                *change -= before;
            }
            examples.push(Example { start: wrapped(grid, start), change, end_mode: end.mode });
        }
    }
    Ok(examples)
}

/// Groups of states from the same cell, with their true futures.
fn test_groups(
    question: &Question<'_>,
    paths: &Paths,
    lengths: &[u32],
    progress: &Progress,
) -> Result<Vec<TestGroup>, Halt<CullError>> {
    let Question { system, grid, step, seed, .. } = *question;
    let mut members: Vec<Vec<&State>> = vec![Vec::new(); grid.len()];
    for state in paths.settled.iter().chain(&paths.starting) {
        if let Some(cell) = grid.cell(state) {
            members[cell].push(state);
        }
    }
    let mut full: Vec<usize> = (0..members.len()).filter(|&cell| members[cell].len() >= 40).collect();
    full.sort_by_key(|&cell| std::cmp::Reverse((members[cell].len(), cell)));
    let wanted = (JUDGED_CELLS * question.settings.examples / JUDGED_EXAMPLES).clamp(FEWEST_CELLS, JUDGED_CELLS);
    let kept: Vec<usize> = (0..wanted.min(full.len())).map(|i| full[i * full.len() / wanted.min(full.len())]).collect();
    parallel::try_map(&kept, |&cell| {
        let mut stream = seed.stream("judged").at(cell as u64);
        let all = &members[cell];
        let count = JUDGED_STARTS.min(all.len());
        let starts: Vec<State> = (0..count).map(|index| *all[index * all.len() / count]).collect();
        let mut now = starts.clone();
        let mut done = 0;
        let mut ends = Vec::new();
        for &length in lengths {
            for state in &mut now {
                progress.check()?;
                system.advance(state, f64::from(done) * step, f64::from(length) * step, &mut stream)?;
            }
            done = length;
            ends.push(now.iter().map(|state| wrapped(grid, state)).collect());
        }
        Ok(TestGroup { starts, ends })
    })
}

pub(super) fn wrapped(grid: &Grid, state: &State) -> State {
    let mut state = *state;
    for (axis, value) in grid.axes.iter().zip(&mut state.values) {
        *value = axis.wrapped(*value);
    }
    state
}

fn fit(question: &Question<'_>, index: usize, examples: &[Example], progress: &Progress) -> Result<Vec<Map>, Stopped> {
    let Question { system, grid, settings, seed, .. } = *question;
    let is_random = system.is_random();
    let successors = if is_random { RANDOM_SUCCESSORS } else { SUCCESSORS };
    let has_clocks = is_random || grid.modes > 1;
    let finenesses: &[u16] = if has_clocks { &[1, 2, 4, 8] } else { &[1] };
    let kinds: &[bool] = if has_clocks { &[false, true] } else { &[false] };
    let mut maps: Vec<Map> = Vec::new();
    for &finer in finenesses {
        for &is_relative in kinds {
            let kept = (if is_random { FEWEST_RANDOM } else { 1 }, successors, is_relative);
            let transfer = Transfer::sample(grid, finer, examples, kept, progress)?;
            maps.extend(transfer.map(Map::Transfer));
        }
    }
    // A function of the state cannot say what chance decides.
    if !is_random && grid.modes == 1 {
        let is_small = grid.axes.len() <= MOST_FOR_NETWORKS;
        for (finer, degree) in POLYNOMIALS.into_iter().filter(|(_, degree)| is_small || *degree == 2) {
            maps.extend(Polynomials::fit(grid, finer, degree, examples, progress)?.map(Map::Polynomials));
        }
        // Longer jumps than these fold too often for a network to follow.
        if index < NETWORKS && is_small {
            let mut stream = seed.stream("training").at(index as u64);
            let network = Network::train(grid, examples, settings.training_rounds, &mut stream, progress)?;
            maps.extend(network.map(Map::Network));
        }
    }
    Ok(maps)
}

/// Largest difference of the distribution functions over variables, averaged
/// over cells; states that an approximation cannot treat count fully.
fn error(
    question: &Question<'_>,
    jumps: &[Jump],
    steps: u32,
    index: usize,
    groups: &[TestGroup],
    progress: &Progress,
) -> Result<f64, Stopped> {
    let dimensions = question.grid.axes.len();
    let errors = parallel::try_tasks(groups.len(), |place| {
        let group = &groups[place];
        let mut stream = question.seed.child("judging", index as u64).stream("group").at(place as u64);
        let mut ends: Vec<State> = Vec::with_capacity(group.starts.len());
        for start in &group.starts {
            progress.check()?;
            ends.extend(end(question, jumps, steps, start, &mut stream));
        }
        let missing = 1.0 - ends.len() as f64 / group.starts.len() as f64;
        let column = |states: &[State], variable: usize| states.iter().map(|s| s.values[variable]).collect::<Vec<_>>();
        let worst = (0..dimensions).fold(0.0_f64, |worst, variable| {
            worst.max(largest_difference(&mut column(&ends, variable), &mut column(&group.ends[index], variable)))
        });
        let modes = |states: &[State]| states.iter().map(|state| f64::from(state.mode)).collect::<Vec<_>>();
        let of_modes = largest_difference(&mut modes(&ends), &mut modes(&group.ends[index]));
        Ok::<f64, Stopped>((worst.max(of_modes) + missing).min(1.0))
    })?;
    Ok(errors.iter().sum::<f64>() / groups.len().max(1) as f64)
}

/// Where jumps lead from a start; `None` if the complete model cannot go on.
fn end(question: &Question<'_>, jumps: &[Jump], steps: u32, start: &State, stream: &mut Stream) -> Option<State> {
    let mut state = *start;
    let mut done = 0.0;
    for jump in chain(jumps, steps) {
        let after = done + f64::from(jump.steps) * question.step;
        // Where nothing was learned the complete model steps in, as it does
        // later on.
        match jump.map.apply(question.grid, &state, stream) {
            Some(next) => state = next,
            None => question.system.advance(&mut state, done, after, stream).ok()?,
        }
        done = after;
    }
    Some(wrapped(question.grid, &state))
}

/// The largest difference of the distribution functions of two samples
/// (Kolmogorov and Smirnov).
pub(crate) fn largest_difference(a: &mut [f64], b: &mut [f64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 1.0;
    }
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let (mut i, mut j, mut largest) = (0, 0, 0.0_f64);
    while i < a.len() && j < b.len() {
        let at = a[i].min(b[j]);
        while i < a.len() && a[i] <= at {
            i += 1;
        }
        while j < b.len() && b[j] <= at {
            j += 1;
        }
        largest = largest.max((i as f64 / a.len() as f64 - j as f64 / b.len() as f64).abs());
    }
    largest
}

/// Where the shortest jump errs, for pictures.
fn errors(
    question: &Question<'_>,
    jump: &Jump,
    examples: &[Example],
    progress: &Progress,
) -> Result<Vec<ErrorAt>, Stopped> {
    let mut stream = question.seed.stream("errors");
    let mut errors = Vec::new();
    for example in examples.iter().step_by((examples.len() / 4000).max(2) & !1) {
        progress.check()?;
        let Some(found) = jump.map.apply(question.grid, &example.start, &mut stream) else {
            continue;
        };
        let mut end = example.start;
        for (value, change) in end.values.iter_mut().zip(example.change) {
            *value += change;
        }
        let off = super::periodic::difference(question.grid, &found, &end);
        errors.push((pair(&example.start), off as f32));
    }
    Ok(errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_distributions_are_the_largest() {
        assert_eq!(largest_difference(&mut [1.0, 2.0], &mut [1.0, 2.0]), 0.0);
        assert_eq!(largest_difference(&mut [1.0, 2.0], &mut [3.0, 4.0]), 1.0);
        assert_eq!(largest_difference(&mut [1.0, 3.0], &mut [2.0, 3.0]), 0.5);
        assert_eq!(largest_difference(&mut [], &mut [2.0]), 1.0);
    }
}
