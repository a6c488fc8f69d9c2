//! One run of an experiment: a process, what it says, and how it ends.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use serde::Deserialize;

use crate::api::{LabJob, LabOrder, Problem, RunState};
use crate::failure::Failure;
use crate::jobs::lock;

use super::{keep, since_1970};

/// What the lab ends with when it was interrupted and has written what it had.
const INTERRUPTED: i32 = 130;
/// How far a run is is kept so often.
const KEPT: Duration = Duration::from_secs(2);

/// A run of an experiment.
pub struct Job {
    inner: Mutex<Inner>,
}

struct Inner {
    told: LabJob,
    log: VecDeque<String>,
    began: Option<Instant>,
    child: Option<Child>,
    is_unwanted: bool,
}

/// What has to be done.
pub(super) struct Work {
    pub command: Command,
    pub name: String,
    pub folder: PathBuf,
}

/// A line of progress.
#[derive(Deserialize)]
struct Line {
    share: Option<f64>,
    doing: String,
}

impl Job {
    pub(super) fn new(order: LabOrder) -> Self {
        let told = LabJob {
            order,
            state: RunState::Waiting,
            share: None,
            doing: String::new(),
            ordered: since_1970(SystemTime::now()),
            seconds: 0.0,
            log: Vec::new(),
            problem: None,
        };
        Self::of(told, Vec::new())
    }

    /// One that was kept.
    pub(super) fn of(told: LabJob, log: Vec<String>) -> Self {
        let inner = Inner { told, log: log.into(), began: None, child: None, is_unwanted: false };
        Self { inner: Mutex::new(inner) }
    }

    /// How far it is, and what it said if that is wanted.
    pub fn told(&self, with_log: bool) -> LabJob {
        let inner = lock(&self.inner);
        let seconds = inner.began.map_or(inner.told.seconds, |began| began.elapsed().as_secs_f64());
        let log = if with_log { inner.log.iter().cloned().collect() } else { Vec::new() };
        LabJob { seconds, log, ..inner.told.clone() }
    }

    pub(super) fn is_working(&self) -> bool {
        matches!(lock(&self.inner).told.state, RunState::Running)
    }

    /// Asks it to end, and to write what it has.
    pub fn stop(&self) {
        let mut inner = lock(&self.inner);
        inner.is_unwanted = true;
        if let Some(child) = &mut inner.child {
            interrupt(child);
        }
    }

    /// Runs the process to its end.
    pub(super) fn work(&self, mut work: Work) {
        let ended = self.watch(&mut work);
        let mut inner = lock(&self.inner);
        inner.told.seconds = inner.began.take().map_or(0.0, |began| began.elapsed().as_secs_f64());
        inner.child = None;
        match ended {
            Ok(state) => inner.told.state = state,
            Err(problem) => {
                inner.told.state = RunState::Failed;
                inner.told.problem = Some(problem);
            }
        }
        if inner.told.state == RunState::Finished {
            inner.told.share = Some(1.0);
        }
        let said = keep::said(&work.folder, &work.name);
        said.into_iter().for_each(|line| push(&mut inner.log, line));
        inner.keep(&work);
    }

    /// Starts the process and hears it out.
    fn watch(&self, work: &mut Work) -> Result<RunState, Problem> {
        let failed = |error: std::io::Error| Failure::machine(&error).problem;
        let mut errors = {
            let mut inner = lock(&self.inner);
            if inner.is_unwanted {
                return Ok(RunState::Stopped);
            }
            let table = keep::table(&work.folder, &work.name).map_err(failed)?;
            work.command.stdin(Stdio::null()).stdout(table).stderr(Stdio::piped());
            // A group of its own: Ctrl-C reaches the studio, which decides.
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut work.command, 0);
            let mut child = work.command.spawn().map_err(failed)?;
            let errors = child.stderr.take().map(BufReader::new);
            inner.child = Some(child);
            inner.began = Some(Instant::now());
            inner.told.state = RunState::Running;
            inner.keep(work);
            errors
        };
        let (mut line, mut last, mut kept) = (Vec::new(), String::new(), Instant::now());
        while let Some(errors) = &mut errors {
            line.clear();
            // A process that says nothing more has ended, or is about to.
            if errors.read_until(b'\n', &mut line).unwrap_or(0) == 0 {
                break;
            }
            let mut inner = lock(&self.inner);
            last = inner.hear(String::from_utf8_lossy(&line).trim_end()).unwrap_or(last);
            if kept.elapsed() > KEPT {
                kept = Instant::now();
                inner.keep(work);
            }
        }
        let child = lock(&self.inner).child.take();
        let status = child.map(|mut child| child.wait()).transpose().map_err(failed)?;
        match status.and_then(|status| status.code()) {
            Some(0) => Ok(RunState::Finished),
            Some(INTERRUPTED) => Ok(RunState::Stopped),
            _ if lock(&self.inner).is_unwanted => Ok(RunState::Stopped),
            _ => {
                let said = last.trim_start_matches("error: ").to_owned();
                let error = if said.is_empty() { "the experiment broke off".to_owned() } else { said };
                let help = "what it said before is below; `cargo lab run` does the same on a terminal";
                Err(Failure::bad(error, help).problem)
            }
        }
    }
}

impl Inner {
    /// Takes in a line; one that is no progress is returned.
    fn hear(&mut self, line: &str) -> Option<String> {
        let Ok(progress) = serde_json::from_str::<Line>(line) else {
            push(&mut self.log, line.to_owned());
            return Some(line.to_owned());
        };
        self.told.share = progress.share.filter(|share| share.is_finite()).map(|share| share.clamp(0.0, 1.0));
        if progress.doing != self.told.doing && !progress.doing.is_empty() {
            let seconds = self.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
            push(&mut self.log, format!("{seconds:7.1} s  {}", progress.doing));
            self.told.doing = progress.doing;
        }
        None
    }

    fn keep(&self, work: &Work) {
        let log = self.log.iter().cloned().collect();
        // What cannot be kept is forgotten at the next start, and nothing else.
        let _ = keep::write(&work.folder, &work.name, &LabJob { log, ..self.told.clone() });
    }
}

fn push(log: &mut VecDeque<String>, line: String) {
    log.push_back(line);
    if log.len() > keep::LINES {
        log.pop_front();
    }
}

/// Asks a process to end, and leaves it time to write what it has. What Ctrl-C
/// sends would not do: a studio that a script starts in the background is deaf to
/// it, and what it starts is so as well.
#[cfg(unix)]
fn interrupt(child: &mut Child) {
    let id = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(id) = id {
        // A process that has ended already needs no end.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
    }
}

/// Elsewhere a process can only be ended at once.
#[cfg(not(unix))]
fn interrupt(child: &mut Child) {
    let _ = child.kill();
}
