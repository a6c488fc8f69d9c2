//! How far a job is, and whether it should stop.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Asks work to stop. All clones are the same switch: Ctrl-C, a button and a
/// caller who has lost interest press it alike.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A switch that nobody has pressed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks all who watch this switch to stop; whether it had been pressed before.
    pub fn press(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether somebody has pressed it.
    pub fn is_pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Somebody wants the work to end. It travels upwards by `?` inside a crate, and
/// becomes a [`Completion`](crate::Completion) where it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report<'a> {
    /// What is being done, in words that a user understands.
    pub doing: &'a str,
    /// The share that is done, from 0 to 1.
    pub done: f64,
}

type Watcher = dyn Fn(Report<'_>) + Send + Sync;

struct Shared {
    stop: Stop,
    /// How often it was asked whether to stop.
    questions: AtomicU64,
    /// The question that is answered with yes, counted from 1; for tests.
    last_question: u64,
    watcher: Option<Box<Watcher>>,
}

/// What every long function takes: it tells how far it is, and asks whether to
/// stop.
///
/// A question costs a nanosecond or two, so a loop may ask in every round whose
/// work is worth a microsecond. Clones and [parts](Progress::part) share their
/// watcher and their switch, and may be used from many threads.
///
/// ```
/// use proscenium_work::{Progress, Stop};
///
/// let stop = Stop::new();
/// let progress = Progress::new(&stop);
/// assert!(progress.tell("warming up", 0.1).is_ok());
/// stop.press();
/// assert!(progress.check().is_err());
/// ```
#[derive(Clone)]
pub struct Progress {
    /// `None`: nobody watches, and nobody stops it.
    shared: Option<Arc<Shared>>,
    /// The part of the whole job that this is.
    start: f64,
    extent: f64,
}

impl Progress {
    /// Nobody watches, and nobody stops it.
    pub const fn none() -> Self {
        Self { shared: None, start: 0.0, extent: 1.0 }
    }

    /// Nobody watches, but it can be stopped.
    pub fn new(stop: &Stop) -> Self {
        Self::from_parts(stop, u64::MAX, None)
    }

    /// Somebody watches, and it can be stopped. The watcher is called from
    /// whatever thread works, as often as it has something to tell.
    pub fn watched(stop: &Stop, watcher: impl Fn(Report<'_>) + Send + Sync + 'static) -> Self {
        Self::from_parts(stop, u64::MAX, Some(Box::new(watcher)))
    }

    /// Stops at the given question, counted from 1: what happens when somebody
    /// presses Ctrl-C just then.
    pub fn stopping_at(question: u64) -> Self {
        Self::from_parts(&Stop::new(), question, None)
    }

    fn from_parts(stop: &Stop, last_question: u64, watcher: Option<Box<Watcher>>) -> Self {
        let shared = Shared { stop: stop.clone(), questions: AtomicU64::new(0), last_question, watcher };
        Self { shared: Some(Arc::new(shared)), start: 0.0, extent: 1.0 }
    }

    /// A part of the job, which counts from 0 to 1 by itself.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use proscenium_work::{Progress, Stop};
    ///
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// let list = seen.clone();
    /// let progress = Progress::watched(&Stop::new(), move |report| list.lock().unwrap().push(report.done));
    /// progress.part(0.5, 1.0).tell("the second half", 0.5);
    /// assert_eq!(*seen.lock().unwrap(), [0.75]);
    /// ```
    #[must_use]
    pub fn part(&self, from: f64, to: f64) -> Self {
        Self { shared: self.shared.clone(), start: self.start + from * self.extent, extent: (to - from) * self.extent }
    }

    /// Says how far the work is, and asks whether to go on.
    ///
    /// # Errors
    /// When somebody wants it to end.
    pub fn tell(&self, doing: &str, done: f64) -> Result<(), Stopped> {
        if let Some(shared) = &self.shared
            && let Some(watcher) = &shared.watcher
        {
            watcher(Report { doing, done: self.start + self.extent * done.clamp(0.0, 1.0) });
        }
        self.check()
    }

    /// Asks whether to go on.
    ///
    /// # Errors
    /// When somebody wants the work to end.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// Asks whether somebody wants the work to end.
    pub fn is_stopped(&self) -> bool {
        let Some(shared) = &self.shared else {
            return false;
        };
        let asked = shared.questions.fetch_add(1, Ordering::Relaxed);
        if asked.saturating_add(1) >= shared.last_question {
            shared.stop.press();
        }
        shared.stop.is_pressed()
    }

    /// How often it was asked whether to stop; 0 if nobody could have stopped it.
    pub fn questions(&self) -> u64 {
        self.shared.as_ref().map_or(0, |shared| shared.questions.load(Ordering::Relaxed))
    }

    /// Counts items that are done one by one, perhaps side by side.
    pub fn counter<'a>(&'a self, doing: &'a str, items: usize) -> Counter<'a> {
        Counter { progress: self, doing, items, done: AtomicUsize::new(0) }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::none()
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watched = self.shared.as_ref().is_some_and(|shared| shared.watcher.is_some());
        formatter
            .debug_struct("Progress")
            .field("watched", &watched)
            .field("questions", &self.questions())
            .finish_non_exhaustive()
    }
}

/// Counts items that are done one by one, perhaps by several threads.
#[derive(Debug)]
pub struct Counter<'a> {
    progress: &'a Progress,
    doing: &'a str,
    items: usize,
    done: AtomicUsize,
}

impl Counter<'_> {
    /// One more is done; asks whether to go on. It is told with every
    /// thousandth of the whole, so that items may be many and small.
    ///
    /// # Errors
    /// When somebody wants the work to end.
    pub fn count(&self) -> Result<(), Stopped> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let share = |done: usize| done as f64 / self.items.max(1) as f64;
        if (1000.0 * share(done)) as u64 == (1000.0 * share(done - 1)) as u64 {
            return self.progress.check();
        }
        self.progress.tell(self.doing, share(done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stops_at_the_question_that_was_named_and_stays_stopped() {
        let progress = Progress::stopping_at(3);
        let answers: Vec<bool> = (0..5).map(|_| progress.part(0.0, 0.5).check().is_ok()).collect();
        assert_eq!(answers, [true, true, false, false, false]);
        assert_eq!(progress.questions(), 5);
    }

    #[test]
    fn parts_of_parts_and_counters_are_told_as_shares_of_the_whole() {
        let told = Arc::new(std::sync::Mutex::new(Vec::new()));
        let list = told.clone();
        let progress = Progress::watched(&Stop::new(), move |report| {
            list.lock().unwrap().push((report.doing.to_owned(), report.done));
        });
        let half = progress.part(0.5, 1.0).part(0.0, 0.5);
        let counter = half.counter("leaves", 2);
        counter.count().unwrap();
        counter.count().unwrap();
        progress.tell("more than all", 7.0).unwrap();
        let told = told.lock().unwrap();
        assert_eq!(
            *told,
            [("leaves".to_owned(), 0.625), ("leaves".to_owned(), 0.75), ("more than all".to_owned(), 1.0)]
        );
    }

    #[test]
    fn many_small_items_are_told_a_thousand_times_and_asked_about_each_time() {
        let told = Arc::new(AtomicUsize::new(0));
        let counts = told.clone();
        let progress = Progress::watched(&Stop::new(), move |_| {
            counts.fetch_add(1, Ordering::Relaxed);
        });
        let counter = progress.counter("crumbs", 250_000);
        assert!((0..250_000).all(|_| counter.count().is_ok()));
        assert_eq!((told.load(Ordering::Relaxed), progress.questions()), (1000, 250_000));
    }

    #[test]
    fn one_switch_stops_all_clones_on_all_threads() {
        let stop = Stop::new();
        let progress = Progress::new(&stop);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let progress = progress.clone();
                scope.spawn(move || while progress.check().is_ok() {});
            }
            assert!(!stop.press());
        });
        assert!(stop.press(), "it was pressed before");
    }
}
