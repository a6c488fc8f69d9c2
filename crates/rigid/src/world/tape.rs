//! What a world notes for the blocks of time that are kept.

use std::collections::BTreeSet;

use proscenium_geometry::separation;

use super::{Event, World, rank};
use crate::body::BodyId;
use crate::control::Control;
use crate::error::WorldError;
use crate::record::{Contact, Life, Recording, Sample, Touch};

/// What was noted since the last block ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape {
    pub recording: Recording,
    met: BTreeSet<(u32, u32)>,
}

impl World {
    /// Begins to note how bodies move and whom they meet.
    pub(crate) fn note_meetings(&mut self) {
        self.tape = Some(Tape::default());
        self.take_recorded();
    }

    /// How bodies moved since this was last asked.
    pub(crate) fn take_recorded(&mut self) -> Recording {
        let bodies = vec![Life::default(); self.bodies.len()];
        let fresh = Recording { bodies, ..Recording::default() };
        self.tape.as_mut().map_or_else(Recording::default, |tape| std::mem::replace(&mut tape.recording, fresh))
    }

    /// Whom they met since this was last asked.
    pub(crate) fn take_meetings(&mut self) -> BTreeSet<(u32, u32)> {
        self.tape.as_mut().map_or_else(BTreeSet::new, |tape| std::mem::take(&mut tape.met))
    }

    pub(super) fn note_meeting(&mut self, a: u32, b: u32) {
        if let Some(tape) = &mut self.tape {
            tape.met.insert((a.min(b), a.max(b)));
        }
    }

    pub(super) fn note_contact(&mut self, contact: Contact) {
        self.note_meeting(contact.a.0, contact.b.0);
        if let Some(recording) = &mut self.recording {
            recording.contacts.push(contact);
        }
        if let Some(tape) = &mut self.tape {
            tape.recording.contacts.push(contact);
        }
    }

    /// Notes that a pair begins to press on each other, unless it does so already.
    pub(super) fn note_touch(&mut self, pair: u32) {
        let entry = &mut self.pairs[pair as usize];
        let (a, b, time) = (BodyId(entry.a), BodyId(entry.b), self.now);
        let Some(held) = entry.held.as_mut().filter(|held| !held.presses) else {
            return;
        };
        held.presses = true;
        let recordings = [self.recording.as_mut(), self.tape.as_mut().map(|tape| &mut tape.recording)];
        for recording in recordings.into_iter().flatten() {
            recording.add_touch(Touch { time, a, b });
        }
    }

    pub(super) fn record_flight(&mut self, index: u32) {
        let body = &self.bodies[index as usize];
        let recordings = [self.recording.as_mut(), self.tape.as_mut().map(|tape| &mut tape.recording)];
        for recording in recordings.into_iter().flatten() {
            let life = &mut recording.bodies[index as usize];
            life.principal_from_shape = Some(body.shape_from_principal.inverse());
            // A flight that is replaced at once was never seen.
            if life.flights.last().is_some_and(|last| last.start() >= body.flight.start()) {
                life.flights.pop();
            }
            life.flights.push(body.flight.clone());
        }
    }

    pub(super) fn record_end(&mut self, index: u32) {
        let now = self.now;
        let recordings = [self.recording.as_mut(), self.tape.as_mut().map(|tape| &mut tape.recording)];
        for recording in recordings.into_iter().flatten() {
            recording.bodies[index as usize].end = Some(now);
        }
    }

    /// Replaces what was recorded by what is known now.
    pub(crate) fn replace_recording(&mut self, known: &Recording) {
        if let Some(recording) = &mut self.recording {
            *recording = known.clone();
        }
        self.take_recorded();
        self.take_meetings();
    }

    /// Replaces the samples, and goes on taking them.
    pub(crate) fn replace_samples(&mut self, samples: Vec<Sample>) {
        self.samples = samples;
        if let Some((period, _)) = self.sampling {
            let slot = self.queue.slot(Event::Sample, rank::SAMPLE);
            self.queue.schedule(slot, period * (self.samples.len() as f64));
            self.sampling = Some((period, slot));
        }
    }

    /// Controls that are still to come.
    pub(crate) fn pending_controls(&self) -> Vec<(f64, Control)> {
        self.controls.iter().flatten().cloned().collect()
    }

    pub(crate) fn schedule_control(&mut self, time: f64, control: Control) {
        self.controls.push(Some((time, control)));
        let index = self.controls.len() as u32 - 1;
        let slot = self.queue.slot(Event::Control(index), rank::control(index));
        self.queue.schedule(slot, time);
    }

    /// How many bodies can move.
    pub(crate) fn movable_count(&self) -> u64 {
        self.bodies.iter().filter(|body| body.inertia.is_some()).count() as u64
    }

    /// Whether bodies would move differently in the two for another reason
    /// than their own description.
    pub(crate) fn settings_differ(&self, other: &Self) -> bool {
        self.runs_otherwise(other) || self.materials != other.materials || self.surfaces != other.surfaces
    }

    /// Whether the two differ in what every event may depend on.
    pub(crate) fn runs_otherwise(&self, other: &Self) -> bool {
        self.tolerance != other.tolerance
            || self.contact != other.contact
            || self.patience != other.patience
            || self.gravity != other.gravity
            || self.field_spacing != other.field_spacing
    }

    /// Whether bodies that are there from the beginning start clear of all
    /// others.
    pub(crate) fn check_entering(&self, changed: &BTreeSet<u32>) -> Result<(), WorldError> {
        let first = self.bodies.iter().map(|body| body.start).fold(0.0, f64::min);
        let present = |k: &u32| self.bodies[*k as usize].start <= first;
        for index in changed.iter().copied().filter(present) {
            let body = &self.bodies[index as usize];
            let pose = body.world_from_shape(body.start);
            for other in (0..self.bodies.len() as u32).filter(|k| *k != index && present(k)) {
                let there = &self.bodies[other as usize];
                let distance = separation(&body.shape, &pose, &there.shape, &there.world_from_shape(there.start));
                let allowed = self.tolerance.max(1e-9 * body.reach.min(there.reach));
                if distance < -allowed {
                    let name = |k: u32| self.bodies[k as usize].name.clone();
                    let (a, b) = (name(other.min(index)), name(other.max(index)));
                    return Err(WorldError::Overlap { a, b, depth: -distance });
                }
            }
        }
        Ok(())
    }

    /// Forgets all bounds.
    pub(super) fn clear_bounds(&mut self) {
        self.intersections = self.intersections.fresh();
    }

    /// Enters bounds of many bodies at once.
    pub(super) fn insert_bounds(&mut self, bounds: &[(u32, proscenium_geometry::Bounds)]) {
        self.intersections.structure().insert_all(bounds, &mut self.changes);
    }
}
