//! Input that comes late: only what it could have reached is unwound.

use std::sync::Arc;

use proscenium_work::{Finish as _, Progress};

use super::Reuse;
use super::block::{Block, recording};
use super::rerun::{Change, rerun};
use crate::control::Control;
use crate::error::SimulationError;
use crate::record::{Recording, Sample};
use crate::world::World;
use crate::world::mark::Mark;

/// How much of its past a world remembers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LateInput {
    /// The length of a block, seconds.
    pub block: f64,
    /// How far back input may come, seconds.
    pub horizon: f64,
}

/// What a world remembers of its past.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    late: LateInput,
    blocks: Vec<Arc<Block>>,
    /// Where the present block begins.
    start: Mark,
    controls: Vec<(f64, Control)>,
    reuse: Reuse,
}

impl Past {
    pub(crate) fn new(late: LateInput, start: Mark) -> Self {
        Self { late, blocks: Vec::new(), start, controls: Vec::new(), reuse: Reuse::default() }
    }

    /// When the present block ends.
    pub(crate) fn next(&self) -> f64 {
        self.start.time + self.late.block
    }

    pub(crate) fn note(&mut self, time: f64, control: &Control) {
        let after = self.controls.partition_point(|(other, _)| *other <= time);
        self.controls.insert(after, (time, control.clone()));
    }

    /// How far back the memory goes.
    fn reaches(&self) -> f64 {
        self.blocks.first().map_or(self.start.time, |block| block.start.time)
    }
}

impl World {
    /// How much of the past was kept when input last came late.
    pub fn last_reuse(&self) -> Option<Reuse> {
        self.past.as_ref().map(|past| past.reuse)
    }

    /// Ends the present block of the past here.
    pub(crate) fn close_block(&mut self) {
        let Some(mut past) = self.past.take() else {
            return;
        };
        let start = std::mem::replace(&mut past.start, self.mark());
        if start.time < self.now {
            past.blocks.push(Arc::new(Block::take(self, start, |_| true)));
        }
        let oldest = self.now - past.late.horizon;
        past.blocks.retain(|block| block.end >= oldest);
        let reaches = past.reaches();
        past.controls.retain(|(time, _)| *time >= reaches);
        self.past = Some(past);
    }

    /// Does something to a body at a time that has passed. What it could not
    /// have reached stays as it is; the result is the same as if it had been
    /// known in time.
    pub(crate) fn act_in_the_past(&mut self, time: f64, control: Control) -> Result<(), SimulationError> {
        self.close_block();
        let Some(past) = self.past.take() else {
            return Err(SimulationError::BadControl { now: self.now, time });
        };
        let refusal = match control.body() {
            None => Some(SimulationError::LateAddition { now: self.now, time }),
            Some(_) if time < past.reaches() => {
                Some(SimulationError::TooLate { reaches: past.reaches(), now: self.now, time })
            }
            Some(_) => None,
        };
        let changed = match (refusal, control.body()) {
            (None, Some(body)) => {
                let mut known = Past::clone(&past);
                known.note(time, &control);
                self.repeat(known, Change { body: body.0, time, state: None })
            }
            (refusal, _) => Err(refusal.unwrap_or(SimulationError::BadControl { now: self.now, time })),
        };
        let (past, outcome) = match changed {
            Ok(changed) => (Box::new(changed), Ok(())),
            Err(error) => (past, Err(error)),
        };
        self.past = Some(past);
        outcome
    }

    /// Runs the past again with a change, and goes on from there.
    fn repeat(&mut self, mut past: Past, change: Change) -> Result<Past, SimulationError> {
        let mut stage = self.clone();
        let since = change.time;
        let outcome = rerun(&mut stage, &past.blocks, &past.start, &[change], &[], &past.controls, &Progress::none());
        let outcome = outcome.finish()?.finished().expect("nobody stops it");
        (past.blocks, past.start, past.reuse) = (outcome.blocks, outcome.end, outcome.reuse);
        let pending = self.pending_controls();
        self.statistics = stage.statistics;
        self.load(&past.start, |_| true);
        for (time, control) in pending {
            self.schedule_control(time, control);
        }
        let recent = recording(self, &past.blocks);
        let known = self.recording().map(|recording| recording.before(past.reaches()).followed_by(&recent));
        if let Some(known) = &known {
            self.replace_recording(known);
        }
        self.renew_samples(since, &recent);
        Ok(past)
    }

    /// Takes the samples since a time anew, and goes on taking them.
    fn renew_samples(&mut self, since: f64, known: &Recording) {
        let renew = |sample: &Sample| Sample {
            time: sample.time,
            poses: if sample.time < since {
                sample.poses.clone()
            } else {
                self.bodies().map(|body| known.pose(body, sample.time)).collect()
            },
        };
        let renewed = self.samples().iter().map(renew).collect();
        self.replace_samples(renewed);
    }
}
