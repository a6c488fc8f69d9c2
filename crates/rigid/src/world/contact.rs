//! Contacts of a world: how they begin, what wakes a body, and who is joined.

use proscenium_bodies::glam::DVec3;
use proscenium_geometry::{Gap, TouchPoint};

use super::{Event, Island, World, rank};
use crate::body::Presence;
use crate::contact::{ContactRule, PersistentContact, every_touch, touches};
use crate::simple_flight::SimpleFlight;

/// Places that approach within this share of the fastest do so alike; chosen, far above
/// rounding, so that what is pressed evenly is not set spinning, and far below what corners
/// of a polygon of sixteen sides differ by.
const ALIKE: f64 = 0.01;

impl World {
    /// Makes a slow touch a contact: from now on the two are kept apart
    /// together with all that they touch.
    pub(super) fn hold(&mut self, pair: u32) {
        let (a, b) = (self.pairs[pair as usize].a, self.pairs[pair as usize].b);
        self.pairs[pair as usize].held.get_or_insert_with(Self::fresh_contact);
        self.note_touch(pair);
        self.pairs[pair as usize].expect_nothing();
        self.queue.cancel(self.pairs[pair as usize].slot);
        self.note_meeting(a, b);
        self.join(&[a, b]);
    }

    /// What enters at rest is in contact with what it touches and does not move
    /// either, so that it wakes when that moves.
    pub(super) fn rest_on_neighbours(&mut self, index: u32) {
        let Some(rule) = self.contact.filter(|_| !self.bodies[index as usize].moves()) else {
            return;
        };
        for at in 0..self.neighbours[index as usize].len() {
            let (other, pair) = self.neighbours[index as usize][at];
            let (a, b) = (self.pairs[pair as usize].a, self.pairs[pair as usize].b);
            if !self.bodies[other as usize].stands() || self.surface_of(a, b).restitution >= 1.0 {
                continue;
            }
            let (first, second) = (&self.bodies[a as usize], &self.bodies[b as usize]);
            if !touches(first, second, self.now, rule.margin(), None).is_empty() {
                let contact = self.pairs[pair as usize].held.get_or_insert_with(Self::fresh_contact);
                (contact.has_woken, contact.presses) = (true, true);
                self.note_meeting(a, b);
            }
        }
    }

    /// Lets bodies, and all that they are in an island with, form one island,
    /// which is stepped at once. What rests among them is awake.
    pub(super) fn join(&mut self, bodies: &[u32]) {
        let mut members = Vec::new();
        for body in bodies {
            self.collect(*body, &mut members);
        }
        self.found_island(members, self.now);
    }

    /// Adds a body that can move, and its island, to a list of members.
    pub(super) fn collect(&mut self, index: u32, members: &mut Vec<u32>) {
        let body = &self.bodies[index as usize];
        if body.inertia.is_none() || body.is_driven() || !body.is_here() {
            return;
        }
        match body.island {
            Some(island) => members.extend(self.dissolve(island)),
            None if !members.contains(&index) => members.push(index),
            None => {}
        }
    }

    /// Ends an island, and returns those who were in it.
    pub(super) fn dissolve(&mut self, island: u32) -> Vec<u32> {
        let Some(ended) = self.islands[island as usize].take() else {
            return Vec::new();
        };
        self.queue.release(ended.slot);
        self.free_islands.push(island);
        for member in &ended.members {
            self.bodies[*member as usize].island = None;
        }
        ended.members
    }

    /// Makes an island that is stepped at a time.
    pub(super) fn found_island(&mut self, mut members: Vec<u32>, time: f64) {
        members.sort_unstable();
        members.dedup();
        let Some(first) = members.first().copied() else {
            return;
        };
        let index = self.free_islands.pop().unwrap_or(self.islands.len() as u32);
        let slot = self.queue.slot(Event::Contact(index), rank::contact(first));
        self.queue.schedule(slot, time);
        for member in &members {
            let body = &mut self.bodies[*member as usize];
            body.island = Some(index);
            // A ball that rolls goes on until its mode changes.
            body.flight_ends = if body.rolling { f64::INFINITY } else { time };
            self.simple[*member as usize] = SimpleFlight::of(body, self.gravity);
            if body.presence == Presence::Resting {
                body.presence = Presence::Here;
                body.calm = 0;
            }
        }
        let island = Some(Island { members, slot });
        if index as usize == self.islands.len() {
            self.islands.push(island);
        } else {
            self.islands[index as usize] = island;
        }
    }

    /// What a blow to a body does to its contacts: those that it now presses
    /// faster than a contact allows are hit in turn, and the island goes on
    /// from here.
    pub(crate) fn disturb(&mut self, index: u32) {
        let body = &self.bodies[index as usize];
        let Some(rule) = self.contact.filter(|_| body.inertia.is_some() && !body.is_driven()) else {
            return;
        };
        if self.is_jointed(index) {
            let members = self.linkage_of(index);
            for member in &members {
                let held = self.held_pairs(*member);
                self.hand_on(&held, &rule);
            }
            self.join(&members);
            return;
        }
        let held: Vec<u32> = self.held_pairs(index);
        if held.is_empty() && self.bodies[index as usize].island.is_none() {
            return;
        }
        self.hand_on(&held, &rule);
        self.join(&[index]);
    }

    /// Contacts that are pressed faster than they allow are hit now.
    pub(super) fn hand_on(&mut self, held: &[u32], rule: &ContactRule) {
        for pair in held {
            if let Some(gap) = self.fast_approach(*pair, rule) {
                self.pairs[*pair as usize].expect(gap);
                self.schedule_pair(*pair, self.now);
            }
        }
    }

    /// How far apart bodies may be that a step considers together.
    pub(crate) fn contact_margin(&self) -> f64 {
        self.contact.map_or(self.tolerance, |rule| rule.margin())
    }

    /// The contacts of a body, by the other's number.
    pub(super) fn held_pairs(&self, index: u32) -> Vec<u32> {
        let mut held: Vec<(u32, u32)> = self.neighbours[index as usize]
            .iter()
            .copied()
            .filter(|(_, pair)| self.pairs[*pair as usize].held.is_some())
            .collect();
        held.sort_unstable();
        held.into_iter().map(|(_, pair)| pair).collect()
    }

    /// The place of a contact at which the two approach each other too fast for it, if there
    /// is one: that which approaches fastest, or the middle of those that do so alike. Bodies
    /// that are a hair apart would meet there first, and that hair must not matter.
    fn fast_approach(&self, pair: u32, rule: &ContactRule) -> Option<Gap> {
        let pair = &self.pairs[pair as usize];
        let (a, b) = (&self.bodies[pair.a as usize], &self.bodies[pair.b as usize]);
        let mut places = every_touch(a, b, self.now, rule.margin());
        let (motion_a, motion_b) = (a.flight.at(self.now), b.flight.at(self.now));
        let approach = |place: &TouchPoint| {
            let relative = motion_b.velocity_at(place.point_b) - motion_a.velocity_at(place.point_a);
            -relative.dot(place.normal)
        };
        let fastest = places.iter().map(approach).fold(f64::NEG_INFINITY, f64::max);
        if fastest <= rule.speed {
            return None;
        }
        places.retain(|place| approach(place) >= (1.0 - ALIKE) * fastest);
        let count = places.len() as f64;
        let mean = |of: fn(&TouchPoint) -> DVec3| places.iter().map(of).sum::<DVec3>() / count;
        let normal = mean(|p| p.normal).try_normalize()?;
        let distance = places.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        Some(Gap { distance, point_a: mean(|p| p.point_a), point_b: mean(|p| p.point_b), normal })
    }

    /// Wakes whatever touches a body that leaves.
    pub(super) fn let_go(&mut self, index: u32) {
        if let Some(island) = self.bodies[index as usize].island {
            let mut others = self.dissolve(island);
            others.retain(|k| *k != index);
            self.found_island(others, self.now);
        }
        for pair in self.held_pairs(index) {
            let pair = &mut self.pairs[pair as usize];
            pair.held = None;
            let other = if pair.a == index { pair.b } else { pair.a };
            if self.bodies[other as usize].inertia.is_some() {
                self.join(&[other]);
            }
        }
    }

    /// A contact with nothing remembered.
    pub(super) fn fresh_contact() -> Box<PersistentContact> {
        Box::default()
    }
}
