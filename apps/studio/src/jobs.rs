//! Work that goes on beside the server: one kind of job for simulations, directed
//! runs, motion graphs, meadows and rides.
//!
//! A [`Job`] says how far it is to whoever asks, and can be stopped; a [`Bench`] does
//! so many jobs at once, in the order in which they were begun, on threads of its own.
//!
//! ```text
//!            begin            a place is free           work returns
//!   Idle ───────────▶ Waiting ───────────────▶ Working ─┬──────────▶ Ready
//!     ▲                  │                              ├──────────▶ Failed
//!     └── may begin again, from any state at rest ◀─────┴──────────▶ Stopped
//! ```

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use proscenium_work::{Completion, Progress, Stop};

use crate::api::Problem;
use crate::failure::Failure;

/// Something that is made beside the server.
pub struct Job<T> {
    state: Mutex<State<T>>,
    stop: Mutex<Stop>,
    /// Whether it is at rest: nobody works on it, and nobody will.
    at_rest: tokio::sync::watch::Sender<bool>,
}

/// How far a job is.
#[derive(Debug)]
pub enum State<T> {
    /// Nobody has begun it.
    Idle,
    /// Others come first.
    Waiting,
    /// It is being done.
    Working {
        /// What is being done.
        doing: String,
        /// The share that is done, from 0 to 1.
        done: f64,
    },
    /// It is done.
    Ready(Arc<T>),
    /// It was told to stop.
    Stopped,
    /// It could not be done.
    Failed(Problem),
}

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        match self {
            State::Idle => State::Idle,
            State::Waiting => State::Waiting,
            State::Working { doing, done } => State::Working { doing: doing.clone(), done: *done },
            State::Ready(made) => State::Ready(Arc::clone(made)),
            State::Stopped => State::Stopped,
            State::Failed(problem) => State::Failed(problem.clone()),
        }
    }
}

impl<T> State<T> {
    /// Whether somebody works on it, or will.
    pub fn is_under_way(&self) -> bool {
        matches!(self, State::Waiting | State::Working { .. })
    }
}

impl<T> Default for Job<T> {
    fn default() -> Self {
        let (at_rest, _) = tokio::sync::watch::channel(true);
        Self { state: Mutex::new(State::Idle), stop: Mutex::default(), at_rest }
    }
}

impl<T> Job<T> {
    /// How far it is.
    pub fn state(&self) -> State<T> {
        lock(&self.state).clone()
    }

    /// Whether somebody works on it, or will.
    pub fn is_under_way(&self) -> bool {
        lock(&self.state).is_under_way()
    }

    /// Asks it to stop.
    pub fn stop(&self) {
        lock(&self.stop).press();
    }

    /// Whether it was asked to stop since it was begun.
    pub fn is_told_to_stop(&self) -> bool {
        lock(&self.stop).is_pressed()
    }

    /// Waits until nobody works on it.
    pub async fn rest(&self) {
        let mut at_rest = self.at_rest.subscribe();
        // The sender lives as long as the job.
        let _ = at_rest.wait_for(|at_rest| *at_rest).await;
    }

    /// What it gave, once it is done.
    ///
    /// # Errors
    ///
    /// Why there is nothing.
    pub async fn wait(&self) -> Result<Arc<T>, Failure> {
        self.rest().await;
        match self.state() {
            State::Ready(made) => Ok(made),
            State::Failed(problem) => Err(Failure { status: axum::http::StatusCode::UNPROCESSABLE_ENTITY, problem }),
            _ => Err(Failure::missing("this was stopped before it was done", "order it again")),
        }
    }

    /// Says that it will be done; `false` if it is under way.
    fn take_up(&self) -> bool {
        let mut state = lock(&self.state);
        if state.is_under_way() {
            return false;
        }
        *state = State::Waiting;
        *lock(&self.stop) = Stop::new();
        self.at_rest.send_replace(false);
        true
    }

    fn put_down(&self, state: State<T>) {
        *lock(&self.state) = state;
        self.at_rest.send_replace(true);
    }
}

impl<T: Send + Sync + 'static> Job<T> {
    fn work(self: &Arc<Self>, work: impl FnOnce(&Progress) -> Result<Completion<T>, Failure>) {
        let stop = lock(&self.stop).clone();
        if stop.is_pressed() {
            self.put_down(State::Stopped);
            return;
        }
        *lock(&self.state) = State::Working { doing: String::new(), done: 0.0 };
        let watched = Arc::clone(self);
        let progress = Progress::watched(&stop, move |report| {
            *lock(&watched.state) = State::Working { doing: report.doing.to_owned(), done: report.done };
        });
        // A panic has been reported where it happened; nobody waits for ever.
        let made = catch_unwind(AssertUnwindSafe(|| work(&progress)));
        self.put_down(match made {
            Ok(Ok(Completion::Finished(made))) => State::Ready(Arc::new(made)),
            Ok(Ok(Completion::Stopped)) => State::Stopped,
            Ok(Err(failure)) => State::Failed(failure.problem),
            Err(_) => State::Failed(Failure::machine(&"the work broke off").problem),
        });
    }
}

type Task = Box<dyn FnOnce() + Send>;

/// Does jobs, so many at once.
#[derive(Clone)]
pub struct Bench {
    places: usize,
    queue: Arc<Mutex<Queue>>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Task>,
    working: usize,
}

impl Bench {
    /// A bench with so many places.
    pub fn new(places: usize) -> Self {
        Self { places, queue: Arc::default() }
    }

    /// Begins a job; `false` if it is under way already.
    pub fn begin<T: Send + Sync + 'static>(
        &self,
        job: &Arc<Job<T>>,
        work: impl FnOnce(&Progress) -> Result<Completion<T>, Failure> + Send + 'static,
    ) -> bool {
        if !job.take_up() {
            return false;
        }
        let ours = Arc::clone(job);
        let mut queue = lock(&self.queue);
        queue.waiting.push_back(Box::new(move || ours.work(work)));
        if queue.working < self.places {
            queue.working += 1;
            let queue = Arc::clone(&self.queue);
            std::thread::spawn(move || serve(&queue));
        }
        true
    }
}

/// Does what waits, until nothing does.
fn serve(queue: &Mutex<Queue>) {
    loop {
        let next = {
            let mut queue = lock(queue);
            let next = queue.waiting.pop_front();
            if next.is_none() {
                queue.working -= 1;
            }
            next
        };
        match next {
            Some(task) => task(),
            None => return,
        }
    }
}

/// Nothing that is kept under a lock is ever left half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn jobs_are_done_in_order_and_told_how_far_they_are() {
        let (bench, order) = (Bench::new(1), Arc::new(Mutex::new(Vec::new())));
        let jobs: Vec<Arc<Job<usize>>> = (0..5).map(|_| Arc::default()).collect();
        for (number, job) in jobs.iter().enumerate() {
            let order = Arc::clone(&order);
            assert!(bench.begin(job, move |progress| {
                lock(&order).push(number);
                Ok(progress.tell("counting", 0.5).map(|()| number).map_or(Completion::Stopped, Completion::Finished))
            }));
        }
        for (number, job) in jobs.iter().enumerate() {
            assert_eq!(*job.wait().await.unwrap(), number);
        }
        assert_eq!(*lock(&order), [0, 1, 2, 3, 4]);
    }

    #[tokio::test]
    async fn a_job_is_stopped_and_begun_again() {
        let (bench, job) = (Bench::new(2), Arc::new(Job::<u8>::default()));
        let endless = |progress: &Progress| {
            while progress.check().is_ok() {
                std::thread::yield_now();
            }
            Ok(Completion::Stopped)
        };
        assert!(bench.begin(&job, endless));
        assert!(!bench.begin(&job, endless), "it is under way");
        job.stop();
        assert!(job.wait().await.is_err());
        assert!(matches!(job.state(), State::Stopped));
        assert!(bench.begin(&job, |_| Ok(Completion::Finished(7))));
        assert_eq!(*job.wait().await.unwrap(), 7);
    }

    #[tokio::test]
    async fn work_that_panics_fails_and_others_go_on() {
        let (bench, broken, sound) = (Bench::new(1), Arc::new(Job::<u8>::default()), Arc::new(Job::default()));
        bench.begin(&broken, |_| panic!("for a test"));
        bench.begin(&sound, |_| Ok(Completion::Finished(())));
        assert!(sound.wait().await.is_ok());
        assert!(matches!(broken.state(), State::Failed(_)));
    }
}
