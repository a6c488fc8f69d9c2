//! Bodies that move as told: their stretches, and what lies on them.

use super::{Event, World, rank};
use crate::body::Body;

impl World {
    /// The next stretch of a drive begins.
    pub(super) fn process_drive(&mut self, index: u32) {
        self.statistics.other_events += 1;
        if !self.bodies[index as usize].is_here() {
            return;
        }
        self.follow_drive(index);
        self.note_flight(index);
        self.record_flight(index);
        self.renew_bound(index);
        self.predict_all(index);
        // Whatever lies against it is pressed, or carried on, in another way.
        let held = self.held_pairs(index);
        if let Some(rule) = self.contact {
            self.hand_on(&held, &rule);
        }
        for pair in held {
            let pair = &self.pairs[pair as usize];
            let other = if pair.a == index { pair.b } else { pair.a };
            self.join(&[other]);
        }
    }

    /// Puts a body on the stretch of now, if it moves as told.
    pub(super) fn follow_drive(&mut self, index: u32) {
        let now = self.now;
        let body = &mut self.bodies[index as usize];
        let Some(drive) = body.drive.clone() else {
            return;
        };
        let at = body.flight.at(now.max(body.flight.start()));
        let (flight, ends) = drive.flight(now, at);
        body.take_flight(flight);
        body.flight_ends = ends;
        self.schedule_drive(index);
    }

    /// Schedules the next stretch of a body that moves as told.
    pub(super) fn schedule_drive(&mut self, index: u32) {
        let now = self.now;
        let body = &mut self.bodies[index as usize];
        let Some(drive) = &body.drive else {
            return;
        };
        let next = drive.next_after(now);
        body.flight_ends = next;
        let slot = self.queue.slot(Event::Drive(index), rank::drive(index));
        self.queue.release(std::mem::replace(&mut self.bodies[index as usize].drive_slot, slot));
        if next.is_finite() {
            self.queue.schedule(slot, next);
        }
    }

    /// Whether a body moves as told, and moves now.
    pub(super) fn is_carrying(&self, index: u32) -> bool {
        let body = &self.bodies[index as usize];
        body.is_driven() && !body.stands()
    }
}

impl Body {
    /// Whether it moves as told.
    pub(crate) fn is_driven(&self) -> bool {
        self.drive.is_some()
    }

    /// Whether it changes its place, and by what it meets.
    pub(crate) fn moves_freely(&self) -> bool {
        self.moves() && !self.is_driven()
    }

    /// Whether it is where it was, as long as nothing hits it.
    pub(crate) fn stands(&self) -> bool {
        !self.moves() || (self.is_driven() && self.flight.is_still())
    }
}
