//! The last word: states that no approximation has seen come back into view, and are
//! held against the complete model. What can be told is not used: jumps are given up
//! from the longest on, the stationary distribution is used later or never, and what is
//! left is the complete model.

use proscenium_chance::Stream;
use proscenium_work::{Halt, Progress, Stopped, parallel};

use crate::error::CullError;
use crate::learned::{Behaviour, Forgetful, LONGEST_CHAIN, LearnedBehaviour, Regime, Trial};
use crate::player::Player;
use crate::system::{State, System, wrap};

use super::Question;
use super::cells::{Grid, as_distance};
use super::choose::largest_difference;

/// What is being done, in words.
const DOING: &str = "judging returns";

/// Sightings, each with times out of view of every kind.
const SIGHTINGS: usize = 10;

/// States of either side at each of them, at most. Chosen: chance then makes no more of a
/// difference than 0.05.
const STATES: usize = 4000;

/// Fewer if they would have to be followed for too long, but not fewer than so many for
/// that: the work is in additions, some ten seconds of it.
const MOST_WORK: f64 = 1e10;
const FEWEST: usize = 1000;

/// Paths from each cell at which all of that work is done: the default.
const FULL_EFFORT: f64 = 5000.0;

/// How much later a state may be that is taken for another, seconds. Chosen: a moment.
const LITTLE: f64 = 0.25;

/// Early sightings come after so many seconds, and up to so many more. Chosen: what comes
/// to rest is still moving.
const SOON: (f64, f64) = (0.3, 6.0);

/// With 95 % no difference that is none passes for one, among all that are looked at
/// (Kolmogorov and Smirnov, with Bonferroni's correction).
const MISTAKEN: f64 = 0.05;

/// Times out of view, as multiples of the shortest jump and of the time after which
/// nothing is remembered.
const OF_MEDIUM: [f64; 4] = [1.1, 1.9, 3.3, 7.4];
const OF_LONG: [f64; 5] = [0.6, 0.95, 1.05, 1.5, 2.1];

/// If samples of what rests can be told at all of these, they are tried so many times later, so often.
const LATER: f64 = 2.1;
const LATER_TRIALS: usize = 3;

/// A system that never forgets is watched for so many of its shortest jumps.
const OF_MEDIUM_ALONE: [f64; 2] = [19.0, 47.0];

/// No return after a longer time is compared, seconds, or a longer multiple of the shortest
/// jump: the complete model has to get there for each of some thousand states.
const LONGEST_GAP: f64 = 400.0;
const OF_LONG_JUMPS: f64 = 2.0;

/// Chains of jumps are judged after this share of the time that they are used for, at so many
/// sightings more, with so many states of either side, or fewer if that took more additions.
const LATE: f64 = 0.999;
const SEEN_LATE: usize = 4;
const LATE_STATES: usize = 400;
const FEWEST_LATE: usize = 100;
const MOST_LATE_WORK: f64 = 1e10;

/// A viewer sees a state to this share of a cell. Chosen: about a pixel.
const BLUR: f64 = 0.1;

/// However much chance may make of it, no difference is let pass of so many times what is
/// unseen: twice 0.06 is told in 0.56 of the cases, half of it more often than by guessing.
const TOLD: f64 = 2.0;

/// Standard deviations of chance that are no difference when cells are compared.
const BY_CHANCE: f64 = 3.0;

/// What comes to rest is seen more often, and but for every so manieth time on the way.
const SIGHTINGS_OF_RESTING: usize = 16;
const AT_REST: usize = 5;

/// The share of sightings while a system still goes from where it starts to where it
/// lives.
const EARLY: usize = 3;

/// A state that was seen, and where the complete model goes from states that a viewer
/// takes for it.
struct Sighting {
    time: f64,
    starts: Vec<State>,
    /// For each time out of view.
    truths: Vec<Vec<State>>,
}

/// Holds what was learned against the complete model, and gives up what can be told.
pub(crate) fn verify(
    question: &Question<'_>,
    learned: LearnedBehaviour,
    rests: bool,
    progress: &Progress,
) -> Result<LearnedBehaviour, Halt<CullError>> {
    let Behaviour::Forgetful(first) = learned.behaviour.clone() else {
        return Ok(learned);
    };
    let usual = first.long;
    let verified = judged(question, learned.clone(), (first.clone(), rests), progress)?;
    // What comes to rest still trembles where clouds have long been in one cell with what rests.
    let mut long = usual.filter(|_| rests && verified.long().is_none());
    for _ in 0..LATER_TRIALS {
        let Some(later) = long.map(|long| LATER * long).filter(|later| *later < 0.9 * LONGEST_GAP) else {
            break;
        };
        let again =
            judged(question, learned.clone(), (Forgetful { long: Some(later), ..first.clone() }, rests), progress)?;
        if again.long().is_some() {
            return Ok(again);
        }
        long = Some(later);
    }
    Ok(verified)
}

/// What is left of what was learned once all that can be told is given up.
fn judged(
    question: &Question<'_>,
    learned: LearnedBehaviour,
    (first, rests): (Forgetful, bool),
    progress: &Progress,
) -> Result<LearnedBehaviour, Halt<CullError>> {
    let gaps = gaps(&first);
    progress.tell(DOING, 0.0)?;
    let plan = Plan::of(question, &first, rests);
    let counter = progress.counter(DOING, plan.sightings);
    let sightings = parallel::try_tasks(plan.sightings, |index| {
        let sighting = Sighting::run(question, &learned.grid, (index, &plan), (&gaps, STATES), progress)?;
        counter.count()?;
        Ok::<Sighting, Halt<CullError>>(sighting)
    })?;
    let judge = Judge { question, sightings, gaps, progress };
    judge.best(learned, first)
}

fn gaps(forgetful: &Forgetful) -> Vec<f64> {
    let medium = if forgetful.medium.is_finite() { forgetful.medium } else { forgetful.step };
    let mut gaps: Vec<f64> = OF_MEDIUM.map(|times| times * medium).to_vec();
    match forgetful.long {
        Some(long) => gaps.extend(OF_LONG.map(|times| times * long)),
        None => gaps.extend(OF_MEDIUM_ALONE.map(|times| times * medium)),
    }
    gaps.sort_by(f64::total_cmp);
    gaps.retain(|gap| *gap <= LONGEST_GAP.max(OF_LONG_JUMPS * medium));
    gaps
}

/// When a system is seen.
struct Plan {
    sightings: usize,
    /// How long it is on its way to where it rests, seconds.
    on_its_way: Option<f64>,
}

impl Plan {
    fn of(question: &Question<'_>, forgetful: &Forgetful, rests: bool) -> Self {
        let on_its_way = rests.then(|| forgetful.long.unwrap_or(question.longest));
        Self { sightings: if on_its_way.is_some() { SIGHTINGS_OF_RESTING } else { SIGHTINGS }, on_its_way }
    }

    /// When the system is seen, seconds after it starts.
    fn time(&self, question: &Question<'_>, index: usize, stream: &mut Stream) -> f64 {
        if let Some(way) = self.on_its_way.filter(|_| !index.is_multiple_of(AT_REST)) {
            let part = (index as f64 + stream.uniform()) / self.sightings as f64;
            return SOON.0 + way * part * part;
        }
        let part = ((index / EARLY) as f64 + stream.uniform()) / SIGHTINGS.div_ceil(EARLY) as f64;
        let is_early = self.on_its_way.is_none() && index % EARLY == 1;
        if is_early { SOON.0 + SOON.1 * part } else { question.longest * (0.5 + stream.uniform()) }
    }
}

impl Sighting {
    fn run(
        question: &Question<'_>,
        grid: &Grid,
        (index, plan): (usize, &Plan),
        (gaps, most): (&[f64], usize),
        progress: &Progress,
    ) -> Result<Self, Halt<CullError>> {
        let Question { system, settings, seed, .. } = *question;
        let mut stream = seed.stream("held out").at(index as u64);
        let mut state = system.initial(&mut stream);
        if index % 4 == 3 {
            system.disturb(&mut state, &mut stream);
        }
        let time = plan.time(question, index, &mut stream);
        system.advance_far(&mut state, 0.0, time, &mut stream, progress)?.finished().ok_or(Stopped)?;
        let seconds = plan.sightings as f64 * gaps.last().copied().unwrap_or(1.0);
        // What was learned in a hurry is judged in a hurry: fewer states let more pass.
        let paths = settings.paths_per_cell;
        let work = MOST_WORK * (paths as f64 / FULL_EFFORT).min(1.0);
        let affordable = work / (seconds * system.work_per_second()).max(1.0);
        let count = (2 * paths).clamp(100, STATES).min((affordable as usize).max(FEWEST.min(paths)).max(100)).min(most);
        // A state of the same cell may be none that the system can have.
        let is_smooth = system.is_smooth() && system.energy(&state, time).is_none();
        let rests = plan.on_its_way.is_some();
        match Self::spread(
            system,
            is_smooth.then_some(grid),
            (&state, time),
            gaps,
            (count, rests, &mut stream),
            progress,
        ) {
            Err(Halt::Failed(CullError::Motion(_))) if is_smooth => {
                Self::spread(system, None, (&state, time), gaps, (count, rests, &mut stream), progress)
            }
            other => other,
        }
    }

    /// Follows states that a viewer takes for the one that was seen: of the same cell, or
    /// the same a little later.
    fn spread(
        system: &dyn System,
        grid: Option<&Grid>,
        (state, time): (&State, f64),
        gaps: &[f64],
        (count, rests, stream): (usize, bool, &mut Stream),
        progress: &Progress,
    ) -> Result<Self, Halt<CullError>> {
        let mut starts = Vec::with_capacity(count);
        for _ in 0..count {
            progress.check()?;
            starts.push(start(system, grid, state, time, stream)?);
        }
        let mut now = starts.clone();
        let mut reached = 0.0;
        let mut truths = Vec::with_capacity(gaps.len());
        for &gap in gaps {
            for state in &mut now {
                progress.check()?;
                // Less accurate steps would keep what rests from resting.
                match rests {
                    true => system.advance(state, time + reached, time + gap, stream)?,
                    false => system.spread(state, time + reached, time + gap, stream)?,
                }
                wrap(system.variables(), state);
            }
            reached = gap;
            truths.push(now.clone());
        }
        // The other side starts from states of its own.
        for place in &mut starts {
            progress.check()?;
            *place = start(system, grid, state, time, stream)?;
        }
        Ok(Self { time, starts, truths })
    }
}

/// A state that a viewer takes for another: one of the same cell, or the same a little
/// later.
fn start(
    system: &dyn System,
    grid: Option<&Grid>,
    seen: &State,
    time: f64,
    stream: &mut Stream,
) -> Result<State, Halt<CullError>> {
    let mut state = *seen;
    match grid {
        Some(grid) => {
            for (axis, value) in grid.axes.iter().zip(&mut state.values) {
                *value += axis.unsure() * (stream.uniform() - 0.5);
            }
        }
        None => system.advance(&mut state, time, time + LITTLE * stream.uniform(), stream)?,
    }
    Ok(state)
}

struct Judge<'a> {
    question: &'a Question<'a>,
    sightings: Vec<Sighting>,
    gaps: Vec<f64>,
    progress: &'a Progress,
}

impl Judge<'_> {
    /// The most that is not told: first when to sample, then how far to jump.
    fn best(&self, learned: LearnedBehaviour, first: Forgetful) -> Result<LearnedBehaviour, Halt<CullError>> {
        let with =
            |forgetful: Forgetful| LearnedBehaviour { behaviour: Behaviour::Forgetful(forgetful), ..learned.clone() };
        let mut forgetful = first.clone();
        let mut trials = Vec::new();
        if let Some(long) = forgetful.long {
            // From each time on all samples must pass.
            let late: Vec<usize> = (0..self.gaps.len()).filter(|&place| self.gaps[place] > 0.99 * long).collect();
            let always = with(Forgetful { long: Some(0.0), ..first.clone() });
            let mut since: Option<f64> = None;
            for &place in late.iter().rev() {
                let worst = self.worst(&always, place)?;
                let passes = worst <= self.allowed();
                trials.push(Trial {
                    gap_s: self.gaps[place],
                    regime: Regime::Sampled,
                    difference: worst,
                    used: passes,
                });
                if !passes {
                    break;
                }
                since = Some(self.gaps[place]);
            }
            // The first time that passes stands for what comes just before it.
            let usual = late.first().map(|&place| self.gaps[place]);
            forgetful.long = since.map(|since| if Some(since) == usual { long } else { since });
        }
        // Jumps begin and end at several phases, if nobody can tell.
        let has_ways = |forgetful: &Forgetful| {
            forgetful.phases.iter().any(|phase| phase.to_next.is_some() || phase.from_start.is_some())
        };
        let is_tried = !forgetful.jumps.is_empty() && has_ways(&forgetful);
        if !is_tried || !self.jumps_pass(&with(forgetful.clone()), &mut trials)? {
            for phase in &mut forgetful.phases {
                (phase.to_next, phase.from_start) = (None, None);
            }
        }
        // Without jumps the complete model is used up to there.
        loop {
            let learned = with(forgetful.clone());
            let passes = forgetful.jumps.is_empty()
                || (has_ways(&forgetful) || self.jumps_pass(&learned, &mut trials)?)
                    && self.chains_last(&learned, &mut trials)?;
            if passes {
                break;
            }
            forgetful.jumps.remove(0);
            for phase in &mut forgetful.phases {
                (phase.to_next, phase.from_start) = (None, None);
            }
        }
        if forgetful.long.is_none() && !has_ways(&forgetful) {
            forgetful.phases.clear();
        }
        if forgetful.jumps.is_empty() {
            forgetful.medium = forgetful.long.unwrap_or(f64::INFINITY);
        }
        let mut verified = with(forgetful);
        verified.findings.trials = trials;
        let followed: usize = self.sightings.iter().map(|sighting| sighting.starts.len()).sum();
        verified.findings.simulated_s += followed as f64 * self.gaps.last().copied().unwrap_or(0.0);
        Ok(verified)
    }

    /// Whether jumps cannot be told, as far as any were judged.
    fn jumps_pass(&self, learned: &LearnedBehaviour, trials: &mut Vec<Trial>) -> Result<bool, Halt<CullError>> {
        let mut is_judged = false;
        for (place, &gap) in self.gaps.iter().enumerate() {
            if learned.regime(gap) != Regime::Approximate {
                continue;
            }
            is_judged = true;
            let difference = self.worst(learned, place)?;
            let passes = difference <= self.allowed();
            trials.push(Trial { gap_s: gap, regime: Regime::Approximate, difference, used: passes });
            if !passes {
                return Ok(false);
            }
        }
        Ok(is_judged)
    }

    /// Whether what never forgets can be told after as long as jumps are used, of which each
    /// is a little off. What is too dear to be judged does not pass.
    fn chains_last(&self, learned: &LearnedBehaviour, trials: &mut Vec<Trial>) -> Result<bool, Halt<CullError>> {
        let gap = LATE * LONGEST_CHAIN;
        if learned.longest_chain() > LONGEST_CHAIN || learned.regime(gap) != Regime::Approximate {
            return Ok(true);
        }
        let each = SEEN_LATE as f64 * gap * self.question.system.work_per_second();
        let affordable = (MOST_LATE_WORK / each) as usize;
        if affordable < FEWEST_LATE {
            return Ok(false);
        }
        let effort = (self.question.settings.paths_per_cell as f64 / FULL_EFFORT).min(1.0);
        let count = ((effort * MOST_LATE_WORK / each) as usize).clamp(FEWEST_LATE, LATE_STATES);
        let plan = Plan { sightings: SIGHTINGS, on_its_way: None };
        let sightings = parallel::try_tasks(SEEN_LATE, |index| {
            // None of them early, and none that was looked at before.
            let index = SIGHTINGS.next_multiple_of(EARLY) + EARLY * index;
            Sighting::run(self.question, &learned.grid, (index, &plan), (&[gap], count), self.progress)
        })?;
        let difference = self.worst_of(learned, &sightings, (0, gap))?;
        let passes = difference <= self.allowed_of(&sightings);
        trials.push(Trial { gap_s: gap, regime: Regime::Approximate, difference, used: passes });
        Ok(passes)
    }

    /// What may be seen by chance, and what no viewer can tell.
    fn allowed(&self) -> f64 {
        self.allowed_of(&self.sightings)
    }

    fn allowed_of(&self, sightings: &[Sighting]) -> f64 {
        let count = sightings.first().map_or(1, |sighting| sighting.starts.len()) as f64;
        let looks = (self.sightings.len() * self.gaps.len() * 8) as f64;
        let chance = (libm::log(2.0 * looks / MISTAKEN) / count).sqrt();
        // Few states are no excuse for a difference that could be told.
        let unseen = self.question.settings.unseen;
        (unseen + chance).min((TOLD * unseen).max(chance))
    }

    /// The largest difference over sightings, of returns after one time out of view.
    fn worst(&self, learned: &LearnedBehaviour, place: usize) -> Result<f64, Halt<CullError>> {
        self.worst_of(learned, &self.sightings, (place, self.gaps[place]))
    }

    fn worst_of(
        &self,
        learned: &LearnedBehaviour,
        sightings: &[Sighting],
        (place, gap): (usize, f64),
    ) -> Result<f64, Halt<CullError>> {
        let system = self.question.system;
        let each = parallel::try_map(sightings, |sighting| {
            let mut back = Vec::with_capacity(sighting.starts.len());
            for (index, start) in sighting.starts.iter().enumerate() {
                self.progress.check()?;
                let seed = self.question.seed.child("judged player", index as u64);
                let mut player = Player::new(system, seed, sighting.time);
                player.interact(system, learned, sighting.time, |state, _| *state = *start)?;
                back.push(player.see(system, learned, sighting.time + gap)?.0);
            }
            let mut stream = self.question.seed.stream("blur").at(place as u64);
            let mut blur = |states: &[State]| blurred(&learned.grid, states, &mut stream);
            let (truth, back) = (blur(&sighting.truths[place]), blur(&back));
            Ok::<f64, Halt<CullError>>(apart(&learned.grid, &truth, &back))
        })?;
        Ok(each.into_iter().fold(0.0, f64::max))
    }
}

/// States as a viewer sees them: to a tenth of a cell.
fn blurred(grid: &Grid, states: &[State], stream: &mut Stream) -> Vec<State> {
    let mut blurred = states.to_vec();
    for state in &mut blurred {
        for (axis, value) in grid.axes.iter().zip(&mut state.values) {
            *value = axis.wrapped(*value + BLUR * axis.width() * (stream.uniform() - 0.5));
        }
    }
    blurred
}

/// The largest difference of distribution functions: of the variables, of the modes,
/// and of sums and differences of two variables, which see what hangs together.
fn apart(grid: &Grid, truth: &[State], back: &[State]) -> f64 {
    let scaled = |state: &State, variable: usize| {
        let axis = &grid.axes[variable];
        (state.values[variable] - axis.low) / (axis.high - axis.low)
    };
    let mut largest = 0.0_f64;
    let mut compare = |of: &dyn Fn(&State) -> f64| {
        let column = |states: &[State]| states.iter().map(of).collect::<Vec<f64>>();
        let (mut a, mut b) = (column(truth), column(back));
        largest = largest.max(largest_difference(&mut a, &mut b));
    };
    compare(&|state| f64::from(state.mode));
    for first in 0..grid.axes.len() {
        compare(&|state| scaled(state, first));
        for second in first + 1..grid.axes.len() {
            compare(&|state| scaled(state, first) + scaled(state, second));
            compare(&|state| scaled(state, first) - scaled(state, second));
        }
    }
    largest.max(apart_in_cells(grid, truth, back))
}

/// What two samples differ by in the cells of all variables at once, as the largest
/// difference of the probabilities of any set of cells: half of the L1 distance, without
/// what chance makes of it. Of a cell with so many states of both sides the squared
/// difference of their numbers is as large on the average, if the sides are alike.
fn apart_in_cells(grid: &Grid, truth: &[State], back: &[State]) -> f64 {
    let mut counts = vec![(0.0_f64, 0.0_f64); grid.len()];
    for cell in truth.iter().filter_map(|state| grid.cell(state)) {
        counts[cell].0 += 1.0;
    }
    for cell in back.iter().filter_map(|state| grid.cell(state)) {
        counts[cell].1 += 1.0;
    }
    let count = truth.len().min(back.len()).max(1) as f64;
    let (mut squared, mut variance) = (0.0_f64, 0.0_f64);
    for (a, b) in counts.into_iter().filter(|(a, b)| a + b > 0.0) {
        let both = a + b;
        squared += 2.0 * ((a - b) * (a - b) - both) / (count * both);
        variance += 8.0 * (both - 1.0) / (both * count * count);
    }
    0.5 * as_distance(squared - BY_CHANCE * variance.sqrt())
}
