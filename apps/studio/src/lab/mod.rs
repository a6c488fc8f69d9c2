//! The lab from the studio: its program is run beside the server, and what it
//! leaves is shown.
//!
//! The lab is another application, and one whose timings are results: it runs as
//! a process of its own, one experiment at a time.

mod job;
mod keep;
mod results;
mod routes;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Deserialize;
use tokio::sync::Semaphore;

use crate::api::{LabExperiment, LabOrder, LabReport, RunState};
use crate::failure::Failure;
use crate::jobs::lock;
use crate::workspace::Workspace;

use job::Job;
pub use routes::routes;

/// How long the studio waits for an experiment to write what it has, when it stops.
const FAREWELL: Duration = Duration::from_secs(5);

/// Where the lab is, and where its results are.
#[derive(Clone, Debug)]
pub struct LabPlace {
    /// Its program, whether it is there or not.
    pub program: PathBuf,
    /// The folder that it writes to.
    pub results: PathBuf,
}

impl LabPlace {
    /// The lab's program beside this one, and results in the workspace.
    pub fn usual(workspace: &Workspace) -> Self {
        let file = format!("lab{}", std::env::consts::EXE_SUFFIX);
        let program = std::env::current_exe().map(|own| own.with_file_name(&file)).unwrap_or(file.into());
        Self { program, results: workspace.results() }
    }
}

/// The lab.
pub struct Lab {
    place: LabPlace,
    jobs_folder: PathBuf,
    jobs: Mutex<BTreeMap<String, Arc<Job>>>,
    listed: Mutex<Option<Vec<Listed>>>,
    turn: Arc<Semaphore>,
}

/// An experiment as the lab lists it.
#[derive(Clone, Debug, Deserialize)]
struct Listed {
    name: String,
    reproduces: String,
    summary: String,
    columns: Vec<String>,
}

impl Lab {
    /// The lab at a place; jobs that were under way have stopped.
    pub fn open(place: LabPlace, workspace: &Workspace) -> Self {
        let jobs_folder = workspace.lab_jobs();
        let jobs =
            keep::read_all(&jobs_folder).into_iter().map(|(name, told, log)| (name, Arc::new(Job::of(told, log))));
        Self {
            place,
            jobs: Mutex::new(jobs.collect()),
            jobs_folder,
            listed: Mutex::default(),
            turn: Arc::new(Semaphore::new(1)),
        }
    }

    /// Everything there is.
    pub fn told(&self) -> LabReport {
        let (listed, problem) = match self.listed() {
            Ok(listed) => (listed, None),
            Err(failure) => (results::found(&self.place.results), Some(failure.problem)),
        };
        let names: Vec<&str> = listed.iter().map(|one| one.name.as_str()).collect();
        let experiments = listed.iter().map(|one| LabExperiment {
            name: one.name.clone(),
            reproduces: one.reproduces.clone(),
            summary: one.summary.clone(),
            columns: one.columns.clone(),
            last: results::last(&self.place.results, &one.name, &names),
            job: lock(&self.jobs).get(&one.name).map(|job| job.told(false)),
        });
        LabReport { experiments: experiments.collect(), problem }
    }

    /// What the lab's program says that there is; asked once.
    fn listed(&self) -> Result<Vec<Listed>, Failure> {
        let mut known = lock(&self.listed);
        if let Some(listed) = &*known {
            return Ok(listed.clone());
        }
        let answer = Command::new(&self.place.program).args(["list", "--json"]).stdin(Stdio::null()).output();
        let listed = answer.ok().and_then(|answer| serde_json::from_slice::<Vec<Listed>>(&answer.stdout).ok());
        *known = Some(listed.ok_or_else(no_program)?);
        Ok(known.clone().unwrap_or_default())
    }

    /// The names that there are, of which one has to be this.
    fn names(&self, name: &str) -> Result<Vec<String>, Failure> {
        let listed = self.listed().unwrap_or_else(|_| results::found(&self.place.results));
        let names: Vec<String> = listed.into_iter().map(|one| one.name).collect();
        if names.iter().any(|known| known == name) { Ok(names) } else { Err(no_experiment()) }
    }

    /// The last results of an experiment, as the lab wrote them.
    ///
    /// # Errors
    ///
    /// An experiment that is not there, or has none.
    pub fn results(&self, name: &str) -> Result<Vec<u8>, Failure> {
        self.names(name)?;
        results::file(&self.place.results, name)
    }

    /// A picture of an experiment, as SVG.
    ///
    /// # Errors
    ///
    /// A picture that is not there.
    pub fn picture(&self, name: &str, picture: &str) -> Result<Vec<u8>, Failure> {
        let names = self.names(name)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        results::picture(&self.place.results, name, picture, &names)
    }

    /// The lab's own page about everything that was found.
    ///
    /// # Errors
    ///
    /// No results, or no lab.
    pub fn report(&self) -> Result<String, Failure> {
        self.listed()?;
        let made =
            Command::new(&self.place.program).arg("report").arg(&self.place.results).stdin(Stdio::null()).output();
        let made = made.map_err(|error| Failure::machine(&error))?;
        if !made.status.success() {
            let said = String::from_utf8_lossy(&made.stderr).trim_start_matches("error: ").trim().to_owned();
            return Err(Failure::missing(said, "run an experiment first"));
        }
        std::fs::read_to_string(self.place.results.join("report.html")).map_err(|error| Failure::machine(&error))
    }

    /// The run of an experiment that was ordered last.
    ///
    /// # Errors
    ///
    /// One that was never run from here.
    pub fn job(&self, name: &str) -> Result<Arc<Job>, Failure> {
        let help = "POST /api/lab/NAME/run runs one";
        lock(&self.jobs).get(name).cloned().ok_or_else(|| Failure::missing("this experiment was not run here", help))
    }

    /// Runs an experiment, when those before it are done.
    ///
    /// # Errors
    ///
    /// One that is not there or under way, or no lab.
    pub fn run(&self, name: &str, order: LabOrder) -> Result<Arc<Job>, Failure> {
        if !self.listed()?.iter().any(|one| one.name == name) {
            return Err(no_experiment());
        }
        let job = {
            let mut jobs = lock(&self.jobs);
            let before = jobs.get(name).map(|job| job.told(false).state);
            if matches!(before, Some(RunState::Waiting | RunState::Running)) {
                let status = axum::http::StatusCode::CONFLICT;
                return Err(Failure::new(status, "the experiment is under way", "wait for it, or stop it"));
            }
            let job = Arc::new(Job::new(order));
            jobs.insert(name.to_owned(), Arc::clone(&job));
            job
        };
        let (turn, ours, work) = (self.turn.clone(), Arc::clone(&job), self.work(name, order));
        tokio::spawn(async move {
            let _turn = turn.acquire().await;
            let worked = tokio::task::spawn_blocking(move || ours.work(work)).await;
            drop(worked);
        });
        Ok(job)
    }

    fn work(&self, name: &str, order: LabOrder) -> job::Work {
        let mut command = Command::new(&self.place.program);
        command.args(["run", name, "--lines", "--seed"]).arg(order.seed.to_string());
        command.arg("--out").arg(&self.place.results);
        if order.quick {
            command.arg("--quick");
        }
        job::Work { command, name: name.to_owned(), folder: self.jobs_folder.clone() }
    }

    /// Tells what runs to write what it has, and waits a little for that.
    pub fn stop(&self) {
        let jobs: Vec<Arc<Job>> = lock(&self.jobs).values().cloned().collect();
        jobs.iter().for_each(|job| job.stop());
        let began = std::time::Instant::now();
        while jobs.iter().any(|job| job.is_working()) && began.elapsed() < FAREWELL {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn no_program() -> Failure {
    let help = "`cargo xtask studio` builds it with the studio; or: cargo build --release -p proscenium-lab";
    Failure::missing("the lab's program is not beside the studio's", help)
}

fn no_experiment() -> Failure {
    Failure::missing("there is no experiment of this name", "GET /api/lab lists them")
}

/// Whether a file belongs to the experiment: `NAME` or `NAME-…`.
fn belongs(stem: &str, owner: &str) -> bool {
    stem.strip_prefix(owner).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Seconds since 1970.
fn since_1970(time: std::time::SystemTime) -> f64 {
    time.duration_since(std::time::UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
