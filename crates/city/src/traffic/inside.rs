//! Waiting in the middle of a junction: who turns across others goes there at a green
//! light, lets them pass, and goes on when they have, at the latest when their light
//! has changed.

use super::{Car, Traffic};
use crate::map::{Control, JunctionId, Light, PathId};

impl Traffic {
    /// The path that a car inside a junction takes through it.
    pub(super) fn taken(&self, junction: JunctionId, car: &Car) -> PathId {
        if self.map.start_of(car.path) == junction { car.path } else { car.next }
    }

    /// Whether a car that waits inside holds up one that wants to take a path: it is in
    /// its way, wants to the same lane, or comes from the same; or its light has
    /// changed, so that it is its turn.
    pub(super) fn is_held_up_by(&self, path: PathId, waiting: PathId) -> bool {
        let (own, its) = (self.map.path(path), self.map.path(waiting));
        let is_its_turn = self.map.light(waiting, self.now) < Light::Permissive && self.map.conflict(path, waiting);
        own.from == its.from || own.to == its.to || is_its_turn || self.map.is_in_the_way(waiting, path)
    }

    /// Whether a car may go and wait inside: its light allows it to go, its lane has
    /// room, nobody who is inside is in its way there, and it is in nobody's.
    pub(super) fn may_wait_inside(&self, junction: JunctionId, path: PathId) -> bool {
        let crossing = &self.crossings[junction.index()];
        let is_shown_to_go = self.map.junction(junction).control == Control::Signals
            && self.map.light(path, self.now) >= Light::Permissive;
        if !is_shown_to_go || self.map.waiting_place(path) == 0.0 || crossing.wave.is_some() || !self.has_room(path) {
            return false;
        }
        crossing.inside.iter().all(|slot| {
            let other = &self.cars[*slot as usize];
            let taken = self.taken(junction, other);
            if other.waits_at > 0.0 {
                return !self.is_held_up_by(path, taken) && !self.map.is_in_the_way(path, taken);
            }
            let (own, its) = (self.map.path(path), self.map.path(taken));
            own.to != its.to
                && match own.from == its.from {
                    true => !self.map.conflict(path, taken),
                    false => !self.map.is_in_the_way(path, taken),
                }
        })
    }

    /// Lets those go on who wait inside and for whom the way is free.
    pub(super) fn let_waiting_go(&mut self, junction: JunctionId) {
        for place in 0..self.crossings[junction.index()].inside.len() {
            let slot = self.crossings[junction.index()].inside[place];
            if self.cars[slot as usize].waits_at > 0.0 && self.may_go_on(junction, slot) {
                self.cars[slot as usize].waits_at = 0.0;
            }
        }
    }

    /// Whether nobody is in the way of a car that waits inside, and nobody comes who
    /// goes first.
    fn may_go_on(&self, junction: JunctionId, slot: u32) -> bool {
        let path = self.taken(junction, &self.cars[slot as usize]);
        let is_free = self.crossings[junction.index()].inside.iter().filter(|other| **other != slot).all(|other| {
            let other = &self.cars[*other as usize];
            let taken = self.taken(junction, other);
            other.waits_at > 0.0
                || self.map.path(taken).from == self.map.path(path).from
                || !self.map.conflict(path, taken)
        });
        let is_its_turn = self.map.light(path, self.now) < Light::Permissive;
        is_free && (is_its_turn || !self.must_give_way(junction, path))
    }
}
