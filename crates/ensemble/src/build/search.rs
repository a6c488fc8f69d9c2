//! Finding the transitions of a whole ensemble: every second of data can
//! leave, within its condition and to others (section 2.4).
//!
//! Tasks are independent of each other and of the order in which they are done: each
//! has a stream of random numbers of its own. What is done goes to a journal, so that
//! a search which was killed goes on where it was.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Completion, Finish as _, Halt, Journal, Progress, Stopped, Store, StoreError, parallel};
use serde::{Deserialize, Serialize};

use crate::compressed::CompressedEnsemble;
use crate::data::Moment;
use crate::error::{BuildError, EnsembleError};
use crate::file::JOURNAL;
use crate::graph::{kept_within, leads_on, passes};
use crate::transition::{
    Costs, DepartureOutcome, Observer, Rule, Shapes, Step, Tally, Trace, Transition, TransitionSettings,
    compute_transition,
};

/// What the journal is called in a store.
pub(super) const JOURNAL_NAME: &str = "transitions.journal";
/// A search that takes long says how it goes after so many steps.
const STEPS_BETWEEN_WORDS: u64 = 64;

/// How many ways are sought to the beginning of each sequence. Chosen: of some that fail one
/// is found.
const ARRIVALS: u32 = 4;
/// Departures from the last stretch of a sequence are from the last of so many parts of it.
const LATE: u32 = 3;

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

/// The interval and the tries are chosen: the paper does not give them.
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
    /// The sequence whose beginning it should lead to, if not just anywhere: what lies
    /// before the first arrival is never walked.
    pub arrives: Option<u32>,
}

/// A task and what came of it: a record of the journal.
pub(super) type TaskOutcome = (Task, DepartureOutcome);

/// What a journal belongs to: another seed, other settings, rules or data make it
/// useless.
#[derive(Serialize)]
struct JournalKey<'search> {
    seed: u64,
    settings: BuildSettings,
    rules: Vec<&'search str>,
    /// The 64-bit FNV-1a hash of the data.
    data: u64,
}

/// Finds the transitions of an ensemble.
pub struct TransitionSearch<'data> {
    shapes: Shapes<'data>,
    costs: Costs<'data>,
    settings: BuildSettings,
    seed: Seed,
}

/// Tasks that are done, and how far this is of those that are known.
struct Tasks<'search> {
    kept: Option<&'search [Transition]>,
    progress: &'search Progress,
    done: AtomicUsize,
    known: usize,
}

impl Tasks<'_> {
    fn share(&self) -> f64 {
        self.done.load(Ordering::Relaxed) as f64 / self.known.max(1) as f64
    }
}

impl<'data> TransitionSearch<'data> {
    /// Prepares a search.
    ///
    /// # Errors
    /// Settings out of range, and data that interpenetrates or breaks a rule,
    /// with the first frame and groups that do.
    pub fn new(
        data: &'data CompressedEnsemble,
        settings: BuildSettings,
        rules: Vec<&'data dyn Rule>,
        seed: Seed,
        progress: &Progress,
    ) -> Result<Completion<Self>, EnsembleError> {
        Self::prepare(data, settings, rules, seed, progress).finish()
    }

    fn prepare(
        data: &'data CompressedEnsemble,
        settings: BuildSettings,
        rules: Vec<&'data dyn Rule>,
        seed: Seed,
        progress: &Progress,
    ) -> Result<Self, Halt<EnsembleError>> {
        check(&settings)?;
        let shapes = Shapes::new(data).with_rules(rules);
        check_clean(&shapes, progress)?;
        Ok(Self { shapes, costs: Costs::prepare(data, progress)?, settings, seed })
    }

    /// The shapes and their test.
    pub fn shapes(&self) -> &Shapes<'data> {
        &self.shapes
    }

    /// The costs of splices.
    pub fn costs(&self) -> &Costs<'data> {
        &self.costs
    }

    fn data(&self) -> &'data CompressedEnsemble {
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

    /// The frames of a stretch.
    fn interval(&self) -> u32 {
        ((self.settings.interval * self.data().frames_per_second()) as u32).max(1)
    }

    /// One task for each stretch of a sequence, leading to a condition.
    fn stretches(&self, sequence: u32, to: usize, tasks: &mut Vec<Task>) {
        let room = self.room(sequence);
        let length = self.interval();
        let mut first = room.start;
        while first < room.end {
            let end = (first + length).min(room.end);
            tasks.push(Task { to, sequence, first, end, arrives: None });
            first = end;
        }
    }

    /// The tasks within conditions: each stretch should be left, and the beginning of each
    /// sequence come to, from each quarter of a sequence of the same condition.
    pub fn within(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (sequence, info) in (0..).zip(self.data().sequences()) {
            self.stretches(sequence, info.condition, &mut tasks);
        }
        for (arrives, info) in (0..).zip(self.data().sequences()) {
            let to = info.condition;
            let alike = (0..).zip(self.data().sequences()).filter(|(_, other)| other.condition == to);
            let alike: Vec<u32> = alike.map(|(sequence, _)| sequence).collect();
            let next = alike.iter().position(|&sequence| sequence == arrives).map_or(0, |own| own + 1) % alike.len();
            let sequence = alike[next];
            let room = self.room(sequence);
            let cut = |share: u32| room.start + (room.end - room.start) * share / ARRIVALS;
            let parts = (0..ARRIVALS).map(|part| (cut(part), cut(part + 1))).filter(|(first, end)| first < end);
            tasks.extend(parts.map(|(first, end)| Task { to, sequence, first, end, arrives: Some(arrives) }));
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
        // The last stretch is left late: what lies after the last departure is never walked.
        let is_last = task.arrives.is_none() && task.end == self.room(task.sequence).end;
        let early = if is_last { task.end - (task.end - task.first).div_ceil(LATE) } else { task.first };
        let moments = moments.filter(|moment| moment.frame >= early);
        moments.filter(|moment| kept.is_none_or(|kept| passes(kept, begins(moment)))).collect()
    }

    /// Where a departure may lead: elsewhere in the wanted condition, and not
    /// so late that nothing could follow.
    pub(super) fn candidates(&self, task: &Task, from: Moment, kept: Option<&[Transition]>) -> Vec<Moment> {
        let span = self.settings.transition.span();
        let wanted = |sequence: u32| task.arrives.is_none_or(|arrives| sequence == arrives);
        let sequences = (0..).zip(self.data().sequences());
        let sequences = sequences.filter(|&(sequence, info)| info.condition == task.to && wanted(sequence));
        let most = if task.arrives.is_some() { self.interval().div_ceil(2) } else { u32::MAX };
        let moments = sequences.flat_map(|(sequence, _)| {
            let room = self.room(sequence);
            let end = room.end.saturating_sub(2 * span).min(room.start.saturating_add(most));
            (room.start..end).map(move |frame| Moment { sequence, frame })
        });
        let elsewhere = |to: &Moment| to.sequence != from.sequence || to.frame.abs_diff(from.frame) > 2 * span;
        let arrives = |to: &Moment| Moment { frame: to.frame + span, ..*to };
        moments.filter(elsewhere).filter(|to| kept.is_none_or(|kept| leads_on(kept, arrives(to)))).collect()
    }

    /// Does one task: tries departures until one has a transition.
    fn solve(&self, task: Task, tasks: &Tasks) -> Result<DepartureOutcome, Stopped> {
        let mut found = DepartureOutcome::default();
        let mut departures = self.departures(&task, tasks.kept);
        let key = u64::from(task.sequence) << 32 | u64::from(task.first);
        let mut stream: Stream = self.seed.stream("transitions").at(task.to as u64).at(key);
        if let Some(arrives) = task.arrives {
            stream = stream.at(u64::from(arrives) + 1);
        }
        let mut steps = 0;
        let mut trace = |point: Trace| {
            steps += u64::from(point.step == Step::Search);
            if point.step == Step::Search && steps.is_multiple_of(STEPS_BETWEEN_WORDS) {
                let words = format!("a search: {} of {} contacts bad", point.bad, point.known);
                // The search asks by itself whether to stop.
                let _ = tasks.progress.tell(&words, tasks.share());
            }
        };
        let mut observer = Observer { progress: tasks.progress, trace: &mut trace };
        for _ in 0..self.settings.tries {
            if departures.is_empty() {
                break;
            }
            let from = departures.swap_remove(stream.below(departures.len() as u64) as usize);
            let candidates = self.candidates(&task, from, tasks.kept);
            let settings = &self.settings.transition;
            let (shapes, costs) = (&self.shapes, &self.costs);
            let next = compute_transition(shapes, costs, from, &candidates, settings, &mut stream, &mut observer)
                .or_stopped()?;
            found.tally.add(&next.tally);
            next.stubborn.into_iter().for_each(|(name, count)| *found.stubborn.entry(name).or_default() += count);
            if next.transition.is_some() {
                found.transition = next.transition;
                break;
            }
        }
        Ok(found)
    }

    /// The same search with other settings.
    pub(super) fn with_settings(self, settings: BuildSettings) -> Self {
        Self { settings, ..self }
    }

    /// How hard a task within a condition is.
    pub(super) fn probe(&self, task: Task, progress: &Progress) -> Result<Tally, Stopped> {
        let tasks = Tasks { kept: None, progress, done: AtomicUsize::new(0), known: 1 };
        Ok(self.solve(task, &tasks)?.tally)
    }

    /// Finds all transitions, on all cores. Every task is kept in `store` as soon
    /// as it is done; what an earlier search of the same has done is taken from
    /// there.
    ///
    /// # Errors
    /// That no transition was found at all, with the pair of groups that stood in
    /// the way most often; or that the store cannot be used.
    pub fn find_all(
        &self,
        store: &dyn Store,
        progress: &Progress,
    ) -> Result<Completion<(Vec<Transition>, Tally)>, BuildError> {
        self.find(store, progress).finish()
    }

    fn find(&self, store: &dyn Store, progress: &Progress) -> Result<(Vec<Transition>, Tally), Halt<BuildError>> {
        let (journal, mut known) = self.journal(store).map_err(BuildError::from)?;
        let within = self.within();
        self.solve_all(&within, None, &mut known, &journal, progress)?;
        let transitions = |known: &BTreeMap<Task, DepartureOutcome>, tasks: &[Task]| -> Vec<Transition> {
            tasks.iter().filter_map(|task| known.get(task)?.transition.clone()).collect()
        };
        let first = transitions(&known, &within);
        if first.is_empty() {
            return Err(no_transition(&known, &within).into());
        }
        let kept = kept_within(self.data(), &first);
        let between = self.between(&kept);
        self.solve_all(&between, Some(&kept), &mut known, &journal, progress)?;
        let mut tally = Tally::default();
        let tasks: Vec<Task> = within.into_iter().chain(between).collect();
        tasks.iter().filter_map(|task| known.get(task)).for_each(|found| tally.add(&found.tally));
        Ok((transitions(&known, &tasks), tally))
    }

    /// What is done already.
    pub(super) fn journal<'store>(
        &self,
        store: &'store dyn Store,
    ) -> Result<(Journal<'store>, BTreeMap<Task, DepartureOutcome>), StoreError> {
        let (journal, done) = Journal::resume::<_, TaskOutcome>(store, JOURNAL_NAME, JOURNAL, &self.key())?;
        Ok((journal, done.into_iter().collect()))
    }

    /// The tasks that can be done now, and the transitions that are kept within conditions
    /// once all of those are known.
    pub(super) fn open(&self, known: &BTreeMap<Task, DepartureOutcome>) -> (Option<Vec<Transition>>, Vec<Task>) {
        let within = self.within();
        let is_open = |task: &Task| !known.contains_key(task);
        let open: Vec<Task> = within.iter().copied().filter(is_open).collect();
        if !open.is_empty() {
            return (None, open);
        }
        let first: Vec<Transition> = within.iter().filter_map(|task| known.get(task)?.transition.clone()).collect();
        if first.is_empty() {
            return (None, Vec::new());
        }
        let kept = kept_within(self.data(), &first);
        let open = self.between(&kept).into_iter().filter(is_open).collect();
        (Some(kept), open)
    }

    /// Does some tasks.
    pub(super) fn solve_some(
        &self,
        tasks: &[Task],
        kept: Option<&[Transition]>,
        progress: &Progress,
    ) -> Result<Vec<TaskOutcome>, Stopped> {
        let all = Tasks { kept, progress, done: AtomicUsize::new(0), known: tasks.len() };
        parallel::try_map(tasks, |&task| {
            let outcome = self.solve(task, &all)?;
            all.done.fetch_add(1, Ordering::Relaxed);
            progress.tell("finding transitions", all.share())?;
            Ok((task, outcome))
        })
    }

    fn key(&self) -> JournalKey<'_> {
        let hash = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        JournalKey {
            seed: self.seed.0,
            settings: self.settings,
            rules: self.shapes.rules.iter().map(|rule| rule.name()).collect(),
            data: self.data().to_bytes().iter().fold(0xcbf2_9ce4_8422_2325, hash),
        }
    }

    /// Does all tasks that are not known yet.
    fn solve_all(
        &self,
        tasks: &[Task],
        kept: Option<&[Transition]>,
        known: &mut BTreeMap<Task, DepartureOutcome>,
        journal: &Journal,
        progress: &Progress,
    ) -> Result<(), Halt<BuildError>> {
        let open: Vec<Task> = tasks.iter().copied().filter(|task| !known.contains_key(task)).collect();
        let done = AtomicUsize::new(known.len());
        let all = Tasks { kept, progress, done, known: known.len() + open.len() };
        // Records must not be written into each other.
        let journal = Mutex::new(journal);
        let found = parallel::try_tasks(open.len(), |index| {
            let outcome: TaskOutcome = (open[index], self.solve(open[index], &all)?);
            journal.lock().unwrap_or_else(PoisonError::into_inner).add(&outcome).map_err(BuildError::from)?;
            all.done.fetch_add(1, Ordering::Relaxed);
            progress.tell("finding transitions", all.share())?;
            Ok::<_, Halt<BuildError>>(outcome)
        })?;
        known.extend(found);
        Ok(())
    }
}

fn no_transition(known: &BTreeMap<Task, DepartureOutcome>, tasks: &[Task]) -> EnsembleError {
    let mut all = DepartureOutcome::default();
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
        return refuse("the preference", transition.preference, "use 1 or more, such as 1.1");
    }
    if transition.acceleration.is_nan() || transition.acceleration <= 0.0 {
        return refuse("the allowed acceleration", transition.acceleration, "use a multiple above zero, such as 1.1");
    }
    if !(transition.tolerance.is_finite() && transition.tolerance >= 0.0) {
        return refuse("the tolerance", transition.tolerance, "use metres, at least 0");
    }
    Ok(())
}

/// The data must be clean: transitions are tested only where they mix it.
fn check_clean(shapes: &Shapes, progress: &Progress) -> Result<(), Halt<EnsembleError>> {
    let data = shapes.data;
    let moments: Vec<Moment> = data.moments().collect();
    let counter = progress.counter("checking the data", moments.len());
    let first = parallel::find_first(&moments, |&moment| {
        if let Err(stopped) = counter.count() {
            return Some(Err(stopped));
        }
        let mut positions = Vec::new();
        data.positions_at(moment, &mut positions);
        shapes.test.touching(&positions).first().map(|&pair| Ok((moment, pair)))
    });
    let Some((moment, (k, l))) = first.transpose()? else {
        return Ok(());
    };
    let name = |group: usize| data.groups()[group].name.clone();
    let (first, second) = (name(k), name(l));
    Err(EnsembleError::Dirty { first, second, sequence: moment.sequence, frame: moment.frame }.into())
}
