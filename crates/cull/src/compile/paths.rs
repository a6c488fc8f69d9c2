//! Paths of the complete model from its initial states: the range, and the
//! states that the stationary distribution is made of.

use proscenium_chance::Seed;
use proscenium_work::{Halt, Progress, parallel};

use crate::error::CullError;
use crate::learned::Findings;
use crate::system::{State, System, wrap};

use super::Question;
use super::cells::{Grid, distance};
use super::choose::largest_difference;

/// Steps that are looked at within one jump, for the range. Chosen: a swing within
/// a jump is then missed by less than the margin.
const LOOKS: u32 = 48;

/// The distribution has converged when another round changes it by less (L1).
/// Chosen: a third of what a viewer is taken not to tell
/// ([`CompileSettings::difference`]).
const CONVERGED: f64 = 0.03;

/// It is known when groups of the paths agree on how the modes, and on how the values of
/// each variable are shared: when the mean of all is expected to be off by less than this
/// (L1). Two groups would agree by luck too soon; sixteen hardly do.
const KNOWN_MODES: f64 = 0.004;
const KNOWN_VALUES: f64 = 0.02;
const GROUPS: usize = 16;

/// Jumps in a round. Chosen.
const ROUND: usize = 32;

/// The start is forgotten when one round is as the one before to within this (L1), and
/// what so few paths make of it by chance; after so many rounds nobody waits any longer.
const FORGOTTEN: f64 = 0.1;
const MOST_FORGETTING: usize = 16;

/// Rounds at most, so that what never converges ends, and those that are cheap may go on
/// until they have cost so many additions: a second or two. Chosen.
const MOST_ROUNDS: usize = 12;
const MOST_CHEAP_ROUNDS: usize = 96;
const CHEAP: f64 = 1e9;

/// So many states stand for all.
const SOME: usize = 256;

/// Values of a variable are put into so many bins when rounds are compared. Chosen.
const BINS: usize = 12;

/// Of one start the paths begin this many jumps apart on the path from it, each moved
/// aside by this share of the range: too little to leave the level or the basin, enough
/// to grow to the size of the range where neighbours part. Some begin at the start.
const APART: usize = 5;
const ASIDE: f64 = 1e-4;
const AT_START: usize = 8;

/// A margin around the range, as a share of it: small errors do no harm. Chosen.
const MARGIN: f64 = 0.02;

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
    /// The range where the system lives: of a variable that comes from elsewhere the
    /// range once the start is forgotten, of one that comes to rest all of it.
    pub lived_ranges: Vec<(f64, f64)>,
    pub simulated: f64,
    /// How many paths there were.
    count: usize,
}

/// A system comes to rest if it is found in one cell for this share of the time.
const RESTS: f64 = 0.9;

/// What is within this share of the range is in one place.
const IN_ONE_PLACE: f64 = 0.005;

/// A variable lives where it is once the start is forgotten if that is this share of
/// all its range; else it comes to rest.
const LIVES: f64 = 0.1;

/// Paths stay apart if the means of their halves are correlated by this much, and differ
/// by this share of the range (the root of the mean square: one of 256 paths that is elsewhere
/// by a third of the range is enough, where the others hardly move); of fewer paths it is not said. Chosen: of 24 paths that
/// know nothing of each other one in 10⁸ does.
const TELLS: f64 = 0.85;
const APART_BY: f64 = 0.02;
const FEWEST_FOR_APART: usize = 16;

/// What is usual is looked at again so much later, seconds, or sooner if that takes more
/// additions. It is another if a distribution function differs by so many times the root of
/// one over the number of paths (Kolmogorov and Smirnov: once in 10⁵ by chance).
const LATER: f64 = 3600.0;
const LATER_WORK: f64 = 5e9;
const BY_CHANCE_LATER: f64 = 2.5;

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
    fn start(system: &dyn System, seed: Seed, index: usize, one: Option<&OneStart>) -> Self {
        let mut stream = seed.stream("paths").at(index as u64);
        let mut state = system.initial(&mut stream);
        if let Some(one) = one {
            state = one.state(system, index, &mut stream);
        }
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

/// The path from the only start that a system has.
struct OneStart {
    /// States that are some jumps apart.
    states: Vec<State>,
    sizes: Vec<f64>,
    energy: Option<f64>,
}

impl OneStart {
    /// `None` if the starts of a system differ, or chance parts them.
    fn find(question: &Question<'_>, progress: &Progress) -> Result<Option<Self>, Halt<CullError>> {
        let Question { system, seed, step, .. } = *question;
        let start = |index: u64| system.initial(&mut seed.stream("starts").at(index));
        let first = start(0);
        if system.is_random() || (1..8).any(|index| start(index) != first) {
            return Ok(None);
        }
        let count = question.settings.paths.max(4);
        let mut stream = seed.stream("one start");
        let mut path =
            Path { state: first, stream: stream.clone(), jumps: 0, seen: Vec::new(), low: first, high: first };
        path.run(system, step, APART * count, progress)?;
        let sizes =
            (0..system.variables().len()).map(|index| path.high.values[index] - path.low.values[index]).collect();
        let mut states: Vec<State> = path.seen.iter().step_by(APART).copied().collect();
        // Neighbours on the path should not be neighbours among the paths.
        stream.shuffle(&mut states);
        for state in states.iter_mut().step_by(AT_START) {
            *state = first;
        }
        Ok(Some(Self { states, sizes, energy: system.energy(&first, 0.0) }))
    }

    fn state(&self, system: &dyn System, index: usize, stream: &mut proscenium_chance::Stream) -> State {
        let mut state = self.states[index % self.states.len()];
        for (value, size) in state.values.iter_mut().zip(&self.sizes) {
            *value += ASIDE * size * (2.0 * stream.uniform() - 1.0);
        }
        if let Some(energy) = self.energy {
            system.restore(&mut state, energy);
        }
        state
    }
}

/// How the modes and the values of each variable are shared, one after another.
fn margins<'s>(system: &dyn System, ranges: &[(f64, f64)], states: impl Iterator<Item = &'s State>) -> Vec<Vec<f64>> {
    let mut margins = vec![vec![0.0; usize::from(system.mode_count())]];
    margins.extend(ranges.iter().map(|_| vec![0.0; BINS]));
    let mut all = 0.0_f64;
    for state in states {
        all += 1.0;
        if let Some(share) = margins[0].get_mut(usize::from(state.mode)) {
            *share += 1.0;
        }
        for ((margin, value), (low, high)) in margins[1..].iter_mut().zip(state.values).zip(ranges) {
            let bin = ((value - low) / (high - low) * BINS as f64).floor().clamp(0.0, BINS as f64 - 1.0);
            margin[bin as usize] += 1.0;
        }
    }
    margins.iter_mut().flatten().for_each(|share| *share /= all.max(1.0));
    margins
}

impl Paths {
    pub(crate) fn run(question: &Question<'_>, progress: &Progress) -> Result<Self, Halt<CullError>> {
        let Question { system, settings, seed, step, longest } = *question;
        let one = OneStart::find(question, progress)?;
        let count = settings.paths.max(4);
        let mut paths: Vec<Path> = (0..count).map(|index| Path::start(system, seed, index, one.as_ref())).collect();
        let starts: Vec<State> = paths.iter().map(|path| path.state).collect();
        let round = |paths: &mut Vec<Path>, jumps: usize| -> Result<Vec<State>, Halt<CullError>> {
            parallel::try_map_mut(paths, |path| path.run(system, step, jumps, progress))?;
            Ok(paths.iter().flat_map(|path| path.seen.iter().copied()).collect())
        };
        let mut burn_in = (longest / step / 2.0).ceil().clamp(8.0, 200.0) as usize;
        let mut starting = round(&mut paths, burn_in)?;
        starting.extend(starts);
        let mut whole = Extent::of(&paths);
        // The start is forgotten once rounds are alike.
        let mut before: Option<Vec<State>> = None;
        for index in 0.. {
            progress.tell("finding the range", 0.0)?;
            let seen = round(&mut paths, ROUND)?;
            burn_in += ROUND;
            whole = whole.with(&Extent::of(&paths));
            let ranges = whole.ranges(system, 0.0);
            let by_chance = (4.0 * BINS as f64 / (std::f64::consts::PI * count as f64)).sqrt();
            let is_alike = before.as_ref().is_some_and(|before| {
                let (old, new) = (margins(system, &ranges, before.iter()), margins(system, &ranges, seen.iter()));
                old.iter().zip(&new).all(|(old, new)| distance(old, new) < FORGOTTEN + by_chance)
            });
            before = Some(seen);
            // Whatever is forgotten at all is forgotten by then.
            if burn_in as f64 * step >= longest && (is_alike || index >= MOST_FORGETTING) {
                break;
            }
        }
        let mut extent: Option<Extent> = None;
        let mut settled: Vec<State> = Vec::new();
        let mut rounds = 0;
        let cost = count as f64 * ROUND as f64 * step * system.cost_per_second();
        let most = ((CHEAP / cost.max(1.0)) as usize).clamp(MOST_ROUNDS, MOST_CHEAP_ROUNDS);
        while rounds < most {
            progress.tell("finding the range", rounds as f64 / most as f64)?;
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
            let converged = rounds > 1 && distance(&old, &new) < CONVERGED && grown < 1e-3;
            if converged && is_known(system, &ranges, &settled, count) {
                break;
            }
        }
        let jumps = burn_in + rounds * ROUND;
        let extent = extent.unwrap_or(whole.clone());
        let ranges = extent.ranges(system, 0.0);
        let whole_ranges = whole.ranges(system, MARGIN);
        let lived = extent.ranges(system, 2.0 * MARGIN).into_iter().zip(&whole_ranges);
        let lived_ranges =
            lived.map(|(lived, whole)| if lived.1 - lived.0 > LIVES * (whole.1 - whole.0) { lived } else { *whole });
        let lived_ranges = lived_ranges.collect();
        let simulated = paths.len() as f64 * jumps as f64 * step;
        Ok(Self { settled, starting, ranges, whole_ranges, lived_ranges, simulated, count })
    }

    /// Some of the states, the most of them from where the system lives.
    pub(crate) fn some(&self) -> Vec<State> {
        let evenly = |states: &[State], count: usize| -> Vec<State> {
            let count = count.min(states.len());
            (0..count).map(|index| states[index * states.len() / count]).collect()
        };
        let mut some = evenly(&self.settled, SOME - SOME / 4);
        some.extend(evenly(&self.starting, SOME / 4));
        some
    }

    /// Whether all come to rest in one place: nearly all states are within a small share of the
    /// range.
    pub(crate) fn rest(&self, system: &dyn System) -> bool {
        let Some(middle) = self.settled.get(self.settled.len() / 2) else {
            return false;
        };
        let is_there = |state: &&State| {
            let each = system.variables().iter().zip(&self.whole_ranges).enumerate();
            let mut apart = each.map(|(index, (variable, (low, high)))| {
                let off = state.values[index] - middle.values[index];
                variable.wrap.map_or(off, |wrap| wrap.difference(off)).abs() / (high - low)
            });
            state.mode == middle.mode && apart.all(|share| share <= IN_ONE_PLACE)
        };
        self.settled.iter().filter(is_there).count() as f64 > RESTS * self.settled.len() as f64
    }

    /// The variance of the share of each cell: what two halves of the paths, which know
    /// nothing of each other, differ by.
    pub(crate) fn variances(&self, grid: &Grid) -> Vec<f64> {
        let [a, b] = [0, 1].map(|half| grid.shares(group_of(&self.settled, self.count, (half, 2))));
        a.iter().zip(b).map(|(a, b)| 0.25 * (a - b) * (a - b)).collect()
    }

    /// Whether paths stay apart: where one was in the first half of the rounds tells where
    /// it is in the second, for the mean of some variable, or of its square, or for how long it
    /// was in some mode.
    pub(crate) fn stay_apart(&self, system: &dyn System) -> bool {
        let rounds = self.settled.len() / (ROUND * self.count).max(1);
        if rounds < 2 || self.count < FEWEST_FOR_APART {
            return false;
        }
        let mean = |path: usize, late: bool, of: &dyn Fn(&State) -> f64| {
            let each = (0..rounds).filter(|round| (2 * round >= rounds) == late);
            let states = each.flat_map(|round| {
                let first = (round * self.count + path) * ROUND;
                &self.settled[first..first + ROUND]
            });
            let (sum, all) = states.fold((0.0, 0.0_f64), |(sum, all), state| (sum + of(state), all + 1.0));
            sum / all.max(1.0)
        };
        let is_told = |of: &dyn Fn(&State) -> f64, size: f64| {
            let pairs: Vec<[f64; 2]> =
                (0..self.count).map(|path| [false, true].map(|late| mean(path, late, of))).collect();
            let moments = |side: usize| {
                let mean = pairs.iter().map(|pair| pair[side]).sum::<f64>() / pairs.len() as f64;
                let square = pairs.iter().map(|pair| (pair[side] - mean) * (pair[side] - mean)).sum::<f64>();
                (mean, (square / pairs.len() as f64).sqrt())
            };
            let ((first, of_first), (second, of_second)) = (moments(0), moments(1));
            let both =
                pairs.iter().map(|pair| (pair[0] - first) * (pair[1] - second)).sum::<f64>() / pairs.len() as f64;
            of_first.min(of_second) > APART_BY * size && both > TELLS * of_first * of_second
        };
        let modes = if system.mode_count() > 1 { 0..system.mode_count() } else { 0..0 };
        if modes.into_iter().any(|mode| is_told(&|state| f64::from(u8::from(state.mode == mode)), 1.0)) {
            return true;
        }
        self.whole_ranges.iter().enumerate().any(|(variable, (low, high))| {
            let share = |state: &State| (state.values[variable] - low) / (high - low);
            if system.variables()[variable].wrap.is_some() {
                let turn = |state: &State| std::f64::consts::TAU * share(state);
                return is_told(&|state| libm::sin(turn(state)), 1.0) || is_told(&|state| libm::cos(turn(state)), 1.0);
            }
            is_told(&share, 1.0) || is_told(&|state| share(state) * share(state), 1.0)
        })
    }

    /// Whether what is usual is another an hour later: a system may live for long where it does
    /// not stay (chaos that dies out, a machine that breaks), and rounds of it are alike.
    pub(crate) fn still_change(&self, question: &Question<'_>, progress: &Progress) -> Result<bool, Halt<CullError>> {
        let Question { system, seed, step, .. } = *question;
        let affordable = LATER_WORK / (self.count as f64 * system.work_per_second()).max(1.0);
        let jumps = (LATER.min(affordable) / step).ceil() as u64;
        let last = self.settled.len().saturating_sub(self.count * ROUND);
        let later = parallel::try_tasks(self.count, |path| {
            let mut state = self.settled[last + path * ROUND + ROUND - 1];
            let mut stream = seed.stream("later").at(path as u64);
            let energy = system.energy(&state, 0.0);
            for jump in 0..jumps {
                progress.check()?;
                system.spread(&mut state, jump as f64 * step, (jump + 1) as f64 * step, &mut stream)?;
                wrap(system.variables(), &mut state);
                if let Some(energy) = energy {
                    system.restore(&mut state, energy);
                }
            }
            Ok::<State, Halt<CullError>>(state)
        })?;
        let most = BY_CHANCE_LATER / (self.count as f64).sqrt();
        let mut stream = seed.stream("unsharp");
        // What has all but come to rest is not told from what has.
        let mut differs = |side: f64, of: &dyn Fn(&State) -> f64| {
            let mut column = |states: &[State]| -> Vec<f64> {
                states.iter().map(|state| of(state) + side * (stream.uniform() - 0.5)).collect()
            };
            largest_difference(&mut column(&self.settled), &mut column(&later)) > most
        };
        let sides = self.whole_ranges.iter().map(|(low, high)| (high - low) / BINS as f64);
        Ok(differs(0.0, &|state| f64::from(state.mode))
            || sides.enumerate().any(|(variable, side)| differs(side, &|state| state.values[variable])))
    }

    /// Whether what is seen at first differs from what is seen later.
    pub(crate) fn is_transient(&self, grid: &Grid, shares: &[f64]) -> bool {
        let comes_to_rest = shares.iter().any(|share| *share > RESTS);
        let most = if comes_to_rest { 0.02 } else { 0.5 };
        distance(&grid.shares(self.starting.iter()), shares) > most
    }

    /// Where a viewer may have seen the system: for one that settles, half of
    /// that is on the way, and not where it rests.
    pub(crate) fn seen_shares(&self, grid: &Grid, shares: &[f64]) -> Vec<f64> {
        if !self.is_transient(grid, shares) {
            return shares.to_vec();
        }
        let mut starting = grid.shares(self.starting.iter());
        for (early, late) in starting.iter_mut().zip(shares) {
            if *late > RESTS {
                *early = 0.0;
            }
        }
        let moving = starting.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        shares.iter().zip(starting).map(|(late, early)| 0.5 * (late + early / moving)).collect()
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

/// The states of one of some groups of the paths: of two neighbours one begins with what
/// others may do to the system, so that pairs are taken.
fn group_of(settled: &[State], count: usize, (group, groups): (usize, usize)) -> impl Iterator<Item = &State> {
    let is_meant = move |index: usize| (index / ROUND % count / 2) % groups == group;
    settled.iter().enumerate().filter(move |(index, _)| is_meant(*index)).map(|(_, state)| state)
}

/// Whether groups of the paths agree.
fn is_known(system: &dyn System, ranges: &[(f64, f64)], settled: &[State], count: usize) -> bool {
    let groups = GROUPS.min(count / 2).max(2);
    let each: Vec<Vec<Vec<f64>>> =
        (0..groups).map(|group| margins(system, ranges, group_of(settled, count, (group, groups)))).collect();
    let error = |margin: usize| {
        let bins = each.first().map_or(0, |margins| margins[margin].len());
        let of_bin = |bin: usize| {
            let mean = each.iter().map(|margins| margins[margin][bin]).sum::<f64>() / groups as f64;
            let squares = each.iter().map(|margins| (margins[margin][bin] - mean) * (margins[margin][bin] - mean));
            // The mean of as many has a variance that is so many times less.
            (squares.sum::<f64>() / ((groups - 1) * groups) as f64 * 2.0 / std::f64::consts::PI).sqrt()
        };
        (0..bins).map(of_bin).sum::<f64>()
    };
    error(0) < KNOWN_MODES && (1..=ranges.len()).all(|margin| error(margin) < KNOWN_VALUES)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileSettings, Model};

    /// Red lasts from 15 to 45 s, green from 12 to 30 s, the others as long as they say.
    #[test]
    fn a_light_of_five_modes_has_its_exact_shares() {
        let modes = ["red", "ready", "green", "blinking", "yellow"];
        let lasts = ["{ uniform = [15.0, 45.0] }", "2.0", "{ uniform = [12.0, 30.0] }", "4.0", "3.0"];
        let mut text = "format = 1\n[state]\nleft = { initial = 20.0 }\n[motion]\nleft = -1.0\n[modes]\n".to_owned();
        text += &modes.map(|mode| format!("{mode} = {{}}\n")).concat();
        for (index, mode) in modes.iter().enumerate() {
            let next = (index + 1) % modes.len();
            text += &format!(
                "[[switch]]\nfrom = \"{mode}\"\nto = \"{}\"\nwhen = \"left <= 0\"\nreset = {{ left = {} }}\n",
                modes[next], lasts[next]
            );
        }
        let model = Model::parse("light", &text).unwrap();
        let settings = CompileSettings::default();
        let question = Question { system: &model, settings: &settings, seed: Seed(1), step: 1.0, longest: 60.0 };
        let paths = Paths::run(&question, &Progress::none()).map_err(|_| "stopped").unwrap();
        let mut shares = [0.0; 5];
        for state in &paths.settled {
            shares[usize::from(state.mode)] += 1.0 / paths.settled.len() as f64;
        }
        let exact = [30.0, 2.0, 21.0, 4.0, 3.0].map(|seconds| seconds / 60.0);
        let off = distance(&shares, &exact);
        assert!(off < 0.01, "{off}: {shares:?}");
        assert!(!paths.stay_apart(&model));
    }

    /// Machines break after a quarter of an hour on the average: rounds of half a minute are
    /// alike, and an hour later nothing is as it was.
    #[test]
    fn what_breaks_is_another_an_hour_later() {
        let text = |after: &str| {
            format!(
                "format = 1\n[state]\nleft = {{ initial = {{ exponential = 0.001 }} }}\n[motion]\nleft = -1.0\n[modes]\nruns = {{}}\n\
                 broken = {{}}\n[[switch]]\nfrom = \"runs\"\nto = \"{after}\"\nwhen = \"left <= 0\"\n\
                 reset = {{ left = {{ exponential = 0.001 }} }}\n"
            )
        };
        let changes = |text: &str| {
            let model = Model::parse("machine", text).unwrap();
            let settings = CompileSettings { paths: 64, ..CompileSettings::quick() };
            let question = Question { system: &model, settings: &settings, seed: Seed(1), step: 1.0, longest: 60.0 };
            let paths = Paths::run(&question, &Progress::none()).map_err(|_| "stopped").unwrap();
            paths.still_change(&question, &Progress::none()).map_err(|_| "stopped").unwrap()
        };
        assert!(changes(&text("broken")));
        assert!(!changes(&text("runs")));
    }
}
