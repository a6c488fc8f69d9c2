//! Simulations that are made, and kept for a while.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use proscenium_clip::Clip;
use proscenium_scenes::{DrawnScene, SceneErrors, SimulateOptions, Simulation};
use proscenium_work::{Completion, Progress, Stop};

use crate::api::{TakeBounds, TakeContact, TakeReport, TakeSummary};
use crate::failure::{Failure, problem_of};
use crate::jobs::{Bench, Job, State, lock};

/// So many simulations are kept.
const MOST_KEPT: usize = 64;
/// So many may wait.
const MOST_WAITING: usize = 128;
/// So many are made beside each other.
const AT_ONCE: usize = 2;
/// What takes longer is stopped, and shown as far as it came.
const LONGEST: Duration = Duration::from_secs(120);
/// More contacts and values than this are only counted.
const MOST_CONTACTS: usize = 10_000;
const MOST_VALUES: usize = 1_000;
/// Temporal bounds are shown of at most so many bodies, and so many of them.
const MOST_BOUNDED: u32 = 300;
const MOST_BOUNDS: usize = 30_000;

/// All simulations of the studio.
pub struct Takes {
    kept: Mutex<VecDeque<Arc<Take>>>,
    bench: Bench,
}

/// One simulation.
pub struct Take {
    id: String,
    job: Arc<Job<Shot>>,
}

/// What a simulation gave.
pub struct Shot {
    /// What is told about it.
    pub summary: TakeSummary,
    /// The file.
    pub glb: Bytes,
    /// The motion.
    pub clip: Clip,
    /// What was simulated.
    drawn: DrawnScene,
}

impl Shot {
    /// The temporal bounds, which the scene is simulated again for.
    ///
    /// # Errors
    ///
    /// More bodies than anybody could tell apart.
    pub fn bounds(&self) -> Result<TakeBounds, Failure> {
        if self.summary.moving > MOST_BOUNDED {
            let error = format!("{} bodies have too many temporal bounds to be shown", self.summary.moving);
            return Err(Failure::bad(error, format!("look at a scene with at most {MOST_BOUNDED} bodies")));
        }
        let notes = self.drawn.bounds(MOST_BOUNDS)?;
        let change =
            |note: proscenium_scenes::BoundNote| (note.time, note.body, note.min.to_array(), note.max.to_array());
        let changes = notes.changes.into_iter().map(change).collect();
        Ok(TakeBounds { bodies: notes.bodies, changes, until: notes.until })
    }
}

/// What is to be simulated.
pub type Recipe = Box<dyn FnOnce() -> Result<DrawnScene, Failure> + Send>;

impl Default for Takes {
    fn default() -> Self {
        Self { kept: Mutex::default(), bench: Bench::new(AT_ONCE) }
    }
}

impl Takes {
    /// A simulation by its name.
    ///
    /// # Errors
    ///
    /// One that is not kept.
    pub fn find(&self, id: &str) -> Result<Arc<Take>, Failure> {
        let kept = lock(&self.kept);
        kept.iter()
            .find(|take| take.id == id)
            .cloned()
            .ok_or_else(|| Failure::missing("this simulation is not kept any more", "order it again: POST /api/takes"))
    }

    /// A simulation of this name, which is begun if it is not kept.
    ///
    /// # Errors
    ///
    /// Too many that wait.
    pub fn order(&self, id: &str, recipe: Recipe) -> Result<Arc<Take>, Failure> {
        let mut kept = lock(&self.kept);
        // A stopped simulation is made again when it is asked for again.
        kept.retain(|take| take.id != id || !take.job.is_told_to_stop());
        if let Some(take) = kept.iter().find(|take| take.id == id) {
            return Ok(take.clone());
        }
        let waiting = kept.iter().filter(|take| take.job.is_under_way()).count();
        if waiting >= MOST_WAITING {
            let status = axum::http::StatusCode::TOO_MANY_REQUESTS;
            return Err(Failure::new(status, "too many simulations are under way", "wait for some of them to end"));
        }
        let take = Arc::new(Take { id: id.to_owned(), job: Arc::default() });
        kept.push_back(take.clone());
        while kept.len() > MOST_KEPT {
            let Some(oldest) = kept.iter().position(|take| !take.job.is_under_way()) else {
                break;
            };
            kept.remove(oldest);
        }
        let ours = take.clone();
        self.bench.begin(&take.job, move |progress| {
            recipe().and_then(|drawn| ours.simulate(&drawn, progress)).map(Completion::Finished)
        });
        Ok(take)
    }
}

impl Take {
    /// How far it is.
    pub fn report(&self) -> TakeReport {
        let id = self.id.clone();
        match self.job.state() {
            State::Idle | State::Waiting => TakeReport::Running { id, done: 0.0 },
            State::Working { done, .. } => TakeReport::Running { id, done },
            State::Ready(shot) => TakeReport::Ready(shot.summary.clone()),
            State::Failed(problem) => TakeReport::Failed { id, problem },
            State::Stopped => {
                let stopped = Failure::missing("the simulation was stopped before it began", "order it again");
                TakeReport::Failed { id, problem: stopped.problem }
            }
        }
    }

    /// What it gave, once it is done.
    ///
    /// # Errors
    ///
    /// Why it failed.
    pub async fn shot(&self) -> Result<Arc<Shot>, Failure> {
        self.job.wait().await
    }

    /// Ends it where it is.
    pub fn stop(&self) {
        self.job.stop();
    }

    /// Simulates; one that is stopped, or takes too long, is shown as far as it came.
    fn simulate(&self, drawn: &DrawnScene, progress: &Progress) -> Result<Shot, Failure> {
        let started = Instant::now();
        let (stop, outer) = (Stop::new(), progress.clone());
        let switch = stop.clone();
        let inner = Progress::watched(&stop, move |report| {
            if outer.tell(report.doing, report.done).is_err() || started.elapsed() > LONGEST {
                switch.press();
            }
        });
        let simulation = drawn.simulate(&SimulateOptions::default(), &inner);
        let simulation = simulation.map_err(|errors: SceneErrors| Failure {
            status: axum::http::StatusCode::UNPROCESSABLE_ENTITY,
            problem: problem_of(&errors),
        })?;
        let wall_ms = started.elapsed().as_secs_f64() * 1e3;
        let counts = simulation.event_counts.iter().map(|(time, events)| (*time, *events as f64));
        let event_counts: Vec<(f64, f64)> = std::iter::once((0.0, 0.0)).chain(counts).collect();
        let glb = Bytes::from(simulation.clip.to_glb().map_err(|error| Failure::machine(&error))?);
        let summary = self.summary(drawn, &simulation, thinned(event_counts), wall_ms, glb.len());
        Ok(Shot { summary, glb, clip: simulation.clip, drawn: drawn.clone() })
    }

    fn summary(
        &self,
        drawn: &DrawnScene,
        simulation: &Simulation,
        event_counts: Vec<(f64, f64)>,
        wall_ms: f64,
        glb_bytes: usize,
    ) -> TakeSummary {
        let contacts = simulation.contacts.iter().take(MOST_CONTACTS).map(|contact| TakeContact {
            time: contact.time,
            a: contact.a.to_string(),
            b: contact.b.to_string(),
            point: contact.point.to_array(),
            speed: contact.speed,
            impulse: contact.impulse,
        });
        TakeSummary {
            id: self.id.clone(),
            name: drawn.scene().name().to_owned(),
            duration: f64::from(simulation.clip.duration_secs),
            wall_ms,
            events: simulation.statistics.events as f64,
            collisions: simulation.statistics.collisions as f64,
            moving: simulation.clip.nodes.iter().filter(|node| node.track.is_some()).count() as u32,
            stopped_early: simulation.stopped,
            state_hash: format!("{:016x}", simulation.state_hash),
            contacts: contacts.collect(),
            event_counts,
            values: drawn.values().iter().take(MOST_VALUES).map(|(name, value)| (name.clone(), *value)).collect(),
            glb_bytes: glb_bytes as f64,
        }
    }
}

/// At most about 400 of many counts, with the last one.
fn thinned(counts: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let every = counts.len().div_ceil(400).max(1);
    let last = counts.len().saturating_sub(1);
    counts.into_iter().enumerate().filter(|(index, _)| index % every == 0 || *index == last).map(|(_, c)| c).collect()
}
