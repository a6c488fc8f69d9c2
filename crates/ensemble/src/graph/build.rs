//! Finding the transitions of a whole ensemble: every second of data can
//! leave, within its condition and to others (section 2.4).

use std::collections::BTreeMap;

use proscenium_chance::{Seed, Stream};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::connect::{kept_within, leads_on, passes};
use crate::compressed::Compressed;
use crate::data::Moment;
use crate::error::EnsembleError;
use crate::transition::{Costs, Found, Rule, Shapes, Tally, Trace, Transition, TransitionSettings, compute_transition};

/// How a graph is built.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BuildSettings {
    /// How transitions are sought.
    pub transition: TransitionSettings,
    /// Every stretch of so many seconds should be left once.
    pub interval: f64,
    /// How many departures are tried in a stretch.
    pub tries: u32,
}

impl Default for BuildSettings {
    fn default() -> Self {
        Self { transition: TransitionSettings::default(), interval: 1.0, tries: 2 }
    }
}

/// A stretch that should be left, and the condition that it should be left for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Task {
    /// The condition that is wanted.
    pub to: usize,
    /// The sequence.
    pub sequence: u32,
    /// Its first frame.
    pub first: u32,
    /// The frame after its last.
    pub end: u32,
}

/// A task that is done: a line of the journal of a build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solved {
    /// What was asked.
    pub task: Task,
    /// What came of it.
    pub found: Found,
}

/// Finds the transitions of an ensemble.
pub struct Builder<'data> {
    shapes: Shapes<'data>,
    costs: Costs<'data>,
    settings: BuildSettings,
    seed: Seed,
    /// Who is told of every step of the searches.
    watcher: Option<&'data (dyn Fn(Trace) + Sync)>,
}

/// How far a build has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildProgress {
    /// Tasks that are done.
    pub done: usize,
    /// Tasks that are known so far.
    pub known: usize,
}

impl<'data> Builder<'data> {
    /// Prepares a build.
    ///
    /// # Errors
    /// Settings out of range, and data that interpenetrates or breaks a rule,
    /// with the first frame and groups that do.
    pub fn new(
        data: &'data Compressed,
        settings: BuildSettings,
        rules: Vec<&'data dyn Rule>,
        seed: Seed,
    ) -> Result<Self, EnsembleError> {
        check(&settings)?;
        let shapes = Shapes::new(data).with_rules(rules);
        check_clean(&shapes)?;
        Ok(Self { shapes, costs: Costs::new(data), settings, seed, watcher: None })
    }

    /// Tells `watcher` how searches go, as they go (figure 10), from any thread.
    #[must_use]
    pub fn traced(self, watcher: &'data (dyn Fn(Trace) + Sync)) -> Self {
        Self { watcher: Some(watcher), ..self }
    }

    /// The shapes and their test.
    pub fn shapes(&self) -> &Shapes<'data> {
        &self.shapes
    }

    /// The costs of splices.
    pub fn costs(&self) -> &Costs<'data> {
        &self.costs
    }

    fn data(&self) -> &'data Compressed {
        self.shapes.data
    }

    /// The frames of a sequence around which a transition fits, velocities
    /// included.
    fn room(&self, sequence: u32) -> std::ops::Range<u32> {
        let margin = self.settings.transition.span() + 1;
        let frames = self.data().sequences()[sequence as usize].frames as u32;
        margin..frames.saturating_sub(margin).max(margin)
    }

    /// A departure drawn from all the data, and where it may lead in its own
    /// condition; `None` where no transition fits.
    pub fn random_departure(&self, stream: &mut Stream) -> Option<(Moment, Vec<Moment>)> {
        let task = *stream.pick(&self.within())?;
        let from = *stream.pick(&self.departures(&task, None))?;
        let candidates = self.candidates(&task, from, None);
        (!candidates.is_empty()).then_some((from, candidates))
    }

    /// One task for each stretch of a sequence, leading to a condition.
    fn stretches(&self, sequence: u32, to: usize, tasks: &mut Vec<Task>) {
        let room = self.room(sequence);
        let length = ((self.settings.interval * self.data().frames_per_second()) as u32).max(1);
        let mut first = room.start;
        while first < room.end {
            let end = (first + length).min(room.end);
            tasks.push(Task { to, sequence, first, end });
            first = end;
        }
    }

    /// The tasks within conditions.
    pub fn within(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (sequence, info) in (0..).zip(self.data().sequences()) {
            self.stretches(sequence, info.condition, &mut tasks);
        }
        tasks
    }

    /// The tasks between conditions, once those within are done: only
    /// stretches that the walk comes by.
    fn between(&self, kept: &[Transition]) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (sequence, info) in (0..).zip(self.data().sequences()) {
            for to in (0..self.data().conditions().len()).filter(|&to| to != info.condition) {
                self.stretches(sequence, to, &mut tasks);
            }
        }
        tasks.retain(|task| !self.departures(task, Some(kept)).is_empty());
        tasks
    }

    /// The moments of a stretch that can be left.
    fn departures(&self, task: &Task, kept: Option<&[Transition]>) -> Vec<Moment> {
        let span = self.settings.transition.span();
        let moments = (task.first..task.end).map(|frame| Moment { sequence: task.sequence, frame });
        let begins = |moment: &Moment| Moment { frame: moment.frame - span, ..*moment };
        moments.filter(|moment| kept.is_none_or(|kept| passes(kept, begins(moment)))).collect()
    }

    /// Where a departure may lead: elsewhere in the wanted condition, and not
    /// so late that nothing could follow.
    fn candidates(&self, task: &Task, from: Moment, kept: Option<&[Transition]>) -> Vec<Moment> {
        let span = self.settings.transition.span();
        let sequences = (0..).zip(self.data().sequences()).filter(|(_, info)| info.condition == task.to);
        let moments = sequences.flat_map(|(sequence, _)| {
            let room = self.room(sequence);
            let end = room.end.saturating_sub(2 * span);
            (room.start..end).map(move |frame| Moment { sequence, frame })
        });
        let elsewhere = |to: &Moment| to.sequence != from.sequence || to.frame.abs_diff(from.frame) > 2 * span;
        let arrives = |to: &Moment| Moment { frame: to.frame + span, ..*to };
        moments.filter(elsewhere).filter(|to| kept.is_none_or(|kept| leads_on(kept, arrives(to)))).collect()
    }

    /// Does one task: tries departures until one has a transition.
    fn solve(&self, task: Task, kept: Option<&[Transition]>) -> Solved {
        let mut found = Found::default();
        let mut departures = self.departures(&task, kept);
        let key = u64::from(task.sequence) << 32 | u64::from(task.first);
        let mut stream: Stream = self.seed.stream("transitions").at(task.to as u64).at(key);
        for _ in 0..self.settings.tries {
            if departures.is_empty() {
                break;
            }
            let from = departures.swap_remove(stream.below(departures.len() as u64) as usize);
            let candidates = self.candidates(&task, from, kept);
            let settings = &self.settings.transition;
            let mut tell = |point: Trace| self.watcher.into_iter().for_each(|watcher| watcher(point));
            let next =
                compute_transition(&self.shapes, &self.costs, from, &candidates, settings, &mut stream, &mut tell);
            found.tally.add(&next.tally);
            next.stubborn.into_iter().for_each(|(name, count)| *found.stubborn.entry(name).or_default() += count);
            if next.transition.is_some() {
                found.transition = next.transition;
                break;
            }
        }
        Solved { task, found }
    }

    /// Finds all transitions, on all cores. `done` are tasks that an earlier
    /// build has done; `keep` is given every other as soon as it is, in any
    /// order and from any thread, and stops the build by returning false.
    ///
    /// # Errors
    /// A stop; or that no transition was found at all, with the pair of groups
    /// that stood in the way most often.
    pub fn build(
        &self,
        done: Vec<Solved>,
        keep: &(dyn Fn(&Solved, BuildProgress) -> bool + Sync),
    ) -> Result<(Vec<Transition>, Tally), EnsembleError> {
        let mut known: BTreeMap<Task, Found> = done.into_iter().map(|solved| (solved.task, solved.found)).collect();
        let within = self.within();
        self.solve_all(&within, None, &mut known, keep)?;
        let transitions = |known: &BTreeMap<Task, Found>, tasks: &[Task]| -> Vec<Transition> {
            tasks.iter().filter_map(|task| known.get(task)?.transition.clone()).collect()
        };
        let first = transitions(&known, &within);
        if first.is_empty() {
            return Err(no_transition(&known, &within));
        }
        let kept = kept_within(self.data(), &first);
        let between = self.between(&kept);
        self.solve_all(&between, Some(&kept), &mut known, keep)?;
        let mut tally = Tally::default();
        let tasks: Vec<Task> = within.into_iter().chain(between).collect();
        tasks.iter().filter_map(|task| known.get(task)).for_each(|found| tally.add(&found.tally));
        Ok((transitions(&known, &tasks), tally))
    }

    fn solve_all(
        &self,
        tasks: &[Task],
        kept: Option<&[Transition]>,
        known: &mut BTreeMap<Task, Found>,
        keep: &(dyn Fn(&Solved, BuildProgress) -> bool + Sync),
    ) -> Result<(), EnsembleError> {
        let open: Vec<Task> = tasks.iter().copied().filter(|task| !known.contains_key(task)).collect();
        let (before, total) = (known.len(), known.len() + open.len());
        let count = std::sync::atomic::AtomicUsize::new(before);
        let solved: Result<Vec<Solved>, EnsembleError> = open
            .into_par_iter()
            .with_max_len(1)
            .map(|task| {
                let solved = self.solve(task, kept);
                let done = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
                match keep(&solved, BuildProgress { done, known: total }) {
                    true => Ok(solved),
                    false => Err(EnsembleError::Stopped),
                }
            })
            .collect();
        known.extend(solved?.into_iter().map(|solved| (solved.task, solved.found)));
        Ok(())
    }
}

fn no_transition(known: &BTreeMap<Task, Found>, tasks: &[Task]) -> EnsembleError {
    let mut all = Found::default();
    for found in tasks.iter().filter_map(|task| known.get(task)) {
        all.tally.add(&found.tally);
        found.stubborn.iter().for_each(|(name, count)| *all.stubborn.entry(name.clone()).or_default() += count);
    }
    match all.most_stubborn() {
        Some(pair) => EnsembleError::NoTransition { programs: all.tally.programs, pair: pair.to_owned() },
        None => EnsembleError::TooShort,
    }
}

fn check(settings: &BuildSettings) -> Result<(), EnsembleError> {
    crate::data::positive("the interval", settings.interval, "use seconds above zero, such as 1")?;
    let transition = &settings.transition;
    let refuse = |what: &str, value: f64, remedy| Err(EnsembleError::Number { what: what.to_owned(), value, remedy });
    if transition.blend == 0 || !transition.blend.is_multiple_of(2) {
        return refuse("the length of a blend", transition.blend.into(), "use an even number of frames, such as 10");
    }
    if transition.reach > 100 {
        return refuse("the reach of a transition", transition.reach.into(), "use at most 100 frames");
    }
    if !(0.0..=1.0).contains(&transition.cutoff) {
        return refuse("the cutoff", transition.cutoff, "use a share from 0 to 1, such as 0.97");
    }
    if !(transition.patience.is_finite() && transition.patience >= 0.0) {
        return refuse("the patience", transition.patience, "use a multiple such as 20");
    }
    if !(transition.preference.is_finite() && transition.preference >= 1.0) {
        return refuse("the preference", transition.preference, "use 1 or more, such as 2");
    }
    if !(transition.tolerance.is_finite() && transition.tolerance >= 0.0) {
        return refuse("the tolerance", transition.tolerance, "use metres, at least 0");
    }
    Ok(())
}

/// The data must be clean: transitions are tested only where they mix it.
fn check_clean(shapes: &Shapes) -> Result<(), EnsembleError> {
    let data = shapes.data;
    let moments: Vec<Moment> = data.moments().collect();
    let dirty = moments.par_iter().find_map_first(|&moment| {
        let mut positions = Vec::new();
        data.positions_at(moment, &mut positions);
        shapes.test.touching(&positions).first().map(|&pair| (moment, pair))
    });
    let Some((moment, (k, l))) = dirty else {
        return Ok(());
    };
    let name = |group: usize| data.groups()[group].name.clone();
    Err(EnsembleError::Dirty { first: name(k), second: name(l), sequence: moment.sequence, frame: moment.frame })
}

/// Chooses τ_max, the number of samples and η from the data: the reach beyond
/// which costs hardly fall, and the effort with which nearly all departures
/// succeed.
///
/// # Errors
/// As [`Builder::new`].
pub fn choose_settings(data: &Compressed, seed: Seed) -> Result<BuildSettings, EnsembleError> {
    const PROBES: u64 = 4;
    let mut settings = BuildSettings::default();
    let shortest = data.sequences().iter().map(|sequence| sequence.frames as u32).min().unwrap_or(0);
    // Three transitions must fit one after another.
    let longest = (shortest / 8).saturating_sub(settings.transition.blend / 2).clamp(1, 40);
    let costs = Costs::new(data);
    let reaches: Vec<u32> =
        [5, 10, 20, 30, 40].into_iter().filter(|&reach| reach <= longest).chain([longest]).collect();
    let mut stream = seed.stream("choose");
    settings.transition.reach = longest;
    let builder = Builder::new(data, settings, Vec::new(), seed)?;
    let tasks = builder.within();
    let mut falls = vec![0.0; reaches.len()];
    for _ in 0..32 {
        let Some(task) = stream.pick(&tasks) else {
            break;
        };
        let from = Moment { sequence: task.sequence, frame: task.first };
        let candidates = builder.candidates(task, from, None);
        let Some(&to) = stream.pick(&candidates) else {
            continue;
        };
        let table = costs.table(from, to, longest);
        let middle = longest as usize;
        for (fall, &reach) in falls.iter_mut().zip(&reaches) {
            let window = middle - reach as usize..=middle + reach as usize;
            let best = table.iter().map(|costs| costs[window.clone()].iter().copied().fold(f64::INFINITY, f64::min));
            *fall += best.sum::<f64>();
        }
    }
    let enough = falls[falls.len() - 1] * 1.15;
    let chosen = falls.iter().position(|&fall| fall <= enough).unwrap_or(falls.len() - 1);
    settings.transition.reach = reaches[chosen];
    // How hard are programs? A few tell.
    settings.transition.samples = 3;
    let probe = Builder { settings, ..builder };
    let tasks = probe.within();
    let chosen: Vec<Task> = (0..PROBES).filter_map(|_| stream.pick(&tasks).copied()).collect();
    let tallies: Vec<Tally> = chosen.par_iter().map(|&task| probe.solve(task, None).found.tally).collect();
    let mut tally = Tally::default();
    tallies.iter().for_each(|other| tally.add(other));
    let tried = (tally.feasible + tally.timed_out).max(1) as f64;
    let chance = (tally.feasible as f64 / tried).clamp(0.05, 0.95);
    // So many that nineteen of twenty departures succeed, and no fewer than
    // let the best of some be chosen.
    let needed = (libm::log(0.05) / libm::log(1.0 - chance)).ceil();
    settings.transition.samples = needed.clamp(4.0, 12.0) as u32;
    settings.transition.patience = if chance > 0.5 { 10.0 } else { 20.0 };
    Ok(settings)
}
