//! Meetings that follow from two simple flights alone.
//!
//! In the grid a ball among many others has one event in the queue rather than
//! one for each neighbour: the end of its bound, or its first meeting with
//! another ball or a plane, whichever comes first. The meeting is not taken
//! back when the other begins a new flight; when its time comes, the two are
//! found apart and the ball is predicted anew. This is enough, because of any
//! two balls the one whose flight is younger knows about the other.

use super::{World, rank};
use crate::error::SimulationError;
use crate::predict::at_once;
use crate::simple_flight::SimpleFlight;

/// The first meeting that a ball expects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub time: f64,
    pub other: u32,
}

impl Meeting {
    pub const NONE: Self = Self { time: f64::INFINITY, other: u32::MAX };
}

impl World {
    /// Notes what predictions need of a body whose flight is new.
    pub(super) fn note_flight(&mut self, index: u32) {
        self.simple[index as usize] = SimpleFlight::of(&self.bodies[index as usize], self.gravity);
        self.meetings[index as usize] = Meeting::NONE;
    }

    /// Schedules the event of a body's own: a meeting, or the end of its bound.
    pub(super) fn schedule_own(&mut self, index: u32) {
        let body = &self.bodies[index as usize];
        let Meeting { time, other } = self.meetings[index as usize];
        if time <= body.bound_expires && time < f64::INFINITY {
            self.queue.schedule_as(body.slot, time, rank::collision(index, other));
        } else {
            self.queue.schedule_as(body.slot, body.bound_expires, rank::bound(index));
        }
    }

    /// When a ball meets another ball or a plane from now on, or infinity;
    /// `None` if that cannot be told from their simple flights. A touch in the
    /// past was looked at then, and the two did not approach each other.
    pub(super) fn time_of_meeting(&self, own: &SimpleFlight, other: u32) -> Option<f64> {
        let time = own.first_touch(&self.simple[other as usize], self.gravity)?;
        Some(if time < self.now - at_once(self.now) { f64::INFINITY } else { time })
    }

    /// Whether a pair is predicted as a meeting of one of the two.
    pub(super) fn is_meeting(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.simple[a as usize], &self.simple[b as usize]);
        self.intersections.is_grid() && a.is_ball() && a.first_touch(b, self.gravity).is_some()
    }

    /// Keeps a meeting of a ball if it comes before the one that it expects.
    pub(super) fn expect_meeting(&mut self, index: u32, meeting: Meeting) {
        if meeting.time < self.meetings[index as usize].time {
            self.meetings[index as usize] = meeting;
            self.schedule_own(index);
        }
    }

    /// Renews the predictions of a ball with all its neighbours, or with all
    /// but one that has been predicted just now.
    pub(super) fn predict_ball(&mut self, index: u32, but: u32) {
        let own = self.simple[index as usize];
        let mut first = Meeting::NONE;
        for k in 0..self.neighbours[index as usize].len() {
            let (other, pair) = self.neighbours[index as usize][k];
            if other == but {
                continue;
            }
            match self.time_of_meeting(&own, other) {
                None => self.predict(pair),
                Some(time) => {
                    self.statistics.predictions += 1;
                    if time < first.time {
                        first = Meeting { time, other };
                    }
                }
            }
        }
        self.meetings[index as usize] = first;
        self.schedule_own(index);
    }

    /// A body's own event: it meets another, or its bound has expired.
    pub(super) fn process_bound_or_meeting(&mut self, index: u32) -> Result<(), SimulationError> {
        let Meeting { time, other } = self.meetings[index as usize];
        if time > self.now {
            self.process_update(index);
            return Ok(());
        }
        self.meetings[index as usize] = Meeting::NONE;
        let gap = self.gap_of_meeting(index, other).filter(|gap| gap.distance <= self.tolerance);
        let collisions = self.statistics.collisions;
        match (self.pair_between(index, other), gap) {
            (Some(pair), Some(gap)) => {
                self.pairs[pair as usize].expect(gap);
                self.process_collision(pair)?;
                self.pairs[pair as usize].expect_nothing();
            }
            // The other has begun a new flight.
            _ => self.statistics.near_misses += 1,
        }
        let body = &self.bodies[index as usize];
        if self.statistics.collisions == collisions || body.flight.start() != self.now {
            if body.island.is_none() {
                self.predict_all(index);
            }
            let Meeting { time, other } = self.meetings[index as usize];
            if time <= self.now && gap.is_some() {
                // A touch without approach is looked at a little later.
                self.meetings[index as usize].time = self.after_pause(index, other);
                self.schedule_own(index);
            }
        }
        Ok(())
    }

    /// The gap of a ball and another ball or a plane now, as the pair of the
    /// two would have it.
    fn gap_of_meeting(&self, index: u32, other: u32) -> Option<proscenium_geometry::Gap> {
        let pair = &self.pairs[self.pair_between(index, other)? as usize];
        let (a, b) = (&self.simple[pair.a as usize], &self.simple[pair.b as usize]);
        a.gap(b, self.now, self.gravity)
    }
}
