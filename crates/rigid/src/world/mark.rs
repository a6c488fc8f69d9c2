//! The state of a world at a moment, and going on from it.
//!
//! Because motion depends on flights alone, this is all that the future
//! depends on; bounds, pairs and predictions are made anew.

use std::collections::{BTreeMap, BTreeSet};

use proscenium_bodies::Flight;
use proscenium_work::{Halt, Progress};

use super::{Event, World, rank};
use crate::body::Presence;
use crate::contact::PersistentContact;
use crate::control::Control;
use crate::error::SimulationError;
use crate::queue::{EventQueue, Slot};
use crate::surface::BodyPair;

/// A moment of a world.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    pub time: f64,
    pub bodies: Vec<BodyState>,
    /// Members and the time of the next step, by the first member.
    pub islands: Vec<(Vec<u32>, f64)>,
    /// Contacts that last, by their bodies.
    pub contacts: Vec<((u32, u32), PersistentContact)>,
    /// How often bodies have collided of which single collisions are other.
    pub collisions: BTreeMap<BodyPair, u32>,
}

/// A body at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BodyState {
    pub presence: Presence,
    pub flight: Flight,
    pub rolling: bool,
    pub linked: bool,
    pub calm: u32,
}

impl Mark {
    /// Everyone whom a body is in an island or in contact with.
    pub(crate) fn joined(&self, body: u32) -> BTreeSet<u32> {
        let islands = self.islands.iter().filter(|(members, _)| members.contains(&body));
        let mut joined: BTreeSet<u32> = islands.flat_map(|(members, _)| members.iter().copied()).collect();
        for ((a, b), _) in &self.contacts {
            if *a == body {
                joined.insert(*b);
            } else if *b == body {
                joined.insert(*a);
            }
        }
        joined
    }

    /// Whether a body is in the same state in both, with all that it touches.
    pub(crate) fn agrees_about(&self, other: &Self, body: u32) -> bool {
        let contacts = |mark: &Self| -> Vec<((u32, u32), PersistentContact)> {
            mark.contacts.iter().filter(|((a, b), _)| *a == body || *b == body).cloned().collect()
        };
        let island = |mark: &Self| mark.islands.iter().find(|(members, _)| members.contains(&body)).cloned();
        let collisions = |mark: &Self| -> Vec<(BodyPair, u32)> {
            let of_body = |((a, b), _): &(&BodyPair, &u32)| *a == body || *b == body;
            mark.collisions.iter().filter(of_body).map(|(pair, count)| (*pair, *count)).collect()
        };
        self.bodies[body as usize] == other.bodies[body as usize]
            && collisions(self) == collisions(other)
            && island(self) == island(other)
            && contacts(self) == contacts(other)
    }
}

impl World {
    /// The state now.
    pub(crate) fn mark(&self) -> Mark {
        let state = |body: &crate::body::Body| BodyState {
            presence: body.presence,
            flight: body.flight.clone(),
            rolling: body.rolling,
            linked: body.linked,
            calm: body.calm,
        };
        let mut islands: Vec<(Vec<u32>, f64)> = self
            .islands
            .iter()
            .flatten()
            .map(|island| (island.members.clone(), self.queue.time(island.slot).unwrap_or(f64::INFINITY)))
            .collect();
        islands.sort_by(|p, q| p.0.cmp(&q.0));
        let mut contacts = Vec::new();
        for (index, list) in (0_u32..).zip(&self.neighbours) {
            for (_, pair) in list {
                let pair = &self.pairs[*pair as usize];
                if let Some(contact) = pair.held.as_ref().filter(|_| pair.a == index) {
                    contacts.push(((pair.a, pair.b), contact.as_ref().clone()));
                }
            }
        }
        contacts.sort_by_key(|(bodies, _)| *bodies);
        let (bodies, collisions) = (self.bodies.iter().map(state).collect(), self.collisions.counts.clone());
        Mark { time: self.now, bodies, islands, contacts, collisions }
    }

    /// Puts the world into a state. Of the bodies that can move only those
    /// that are active are there, and those that will be.
    pub(crate) fn load(&mut self, mark: &Mark, active: impl Fn(u32) -> bool) {
        self.now = mark.time;
        self.collisions.counts.clone_from(&mark.collisions);
        self.queue = EventQueue::new();
        self.pairs.clear();
        self.free_pairs.clear();
        self.islands.clear();
        self.free_islands.clear();
        self.controls.clear();
        self.clear_bounds();
        let mut present = Vec::new();
        for (index, state) in (0_u32..).zip(&mark.bodies) {
            self.neighbours[index as usize].clear();
            let slot = self.queue.slot(Event::BoundOrMeeting(index), rank::bound(index));
            let body = &mut self.bodies[index as usize];
            body.slot = slot;
            body.drive_slot = Slot::NONE;
            body.island = None;
            body.presence = state.presence;
            body.rolling = state.rolling;
            body.linked = state.linked;
            body.calm = state.calm;
            body.last_event = mark.time;
            if body.inertia.is_some() {
                body.flight = state.flight.clone();
                body.way = 0.0;
                body.flight_ends = f64::INFINITY;
            }
            let takes_part = body.inertia.is_none() || active(index);
            if takes_part {
                self.schedule_drive(index);
            }
            let body = &mut self.bodies[index as usize];
            match (takes_part, body.presence) {
                (true, Presence::Here | Presence::Resting) => present.push(index),
                (true, Presence::Waiting) => {
                    let start = body.start;
                    let slot = self.queue.slot(Event::Start(index), rank::start(index));
                    self.bodies[index as usize].slot = slot;
                    self.queue.schedule(slot, start);
                }
                (false, Presence::Here | Presence::Resting | Presence::Waiting) => body.presence = Presence::Gone,
                (_, Presence::Gone) => {}
            }
        }
        self.enter_marked(&present, mark);
    }

    fn enter_marked(&mut self, present: &[u32], mark: &Mark) {
        let mut bounds = Vec::with_capacity(present.len());
        for index in present {
            bounds.push((*index, self.first_bound(*index)));
        }
        self.changes.clear();
        self.insert_bounds(&bounds);
        self.apply_changes();
        let here = |world: &Self, k: u32| world.bodies[k as usize].is_here();
        for ((a, b), contact) in &mark.contacts {
            if let Some(pair) = self.pair_between(*a, *b) {
                self.pairs[pair as usize].held = Some(Box::new(contact.clone()));
            }
        }
        for (members, time) in &mark.islands {
            if members.iter().all(|k| here(self, *k)) {
                self.found_island(members.clone(), *time);
            }
        }
        for pair in 0..self.pairs.len() as u32 {
            self.predict(pair);
        }
    }

    /// Simulates a part of a run again: the active bodies alone, with the
    /// controls that concern them and come after a time.
    pub(crate) fn run_part(
        &mut self,
        since: f64,
        until: f64,
        active: &BTreeSet<u32>,
        controls: &[(f64, Control)],
        progress: &Progress,
    ) -> Result<(), Halt<SimulationError>> {
        for (time, control) in controls {
            let concerns = control.body().is_some_and(|body| active.contains(&body.0));
            if concerns && *time > since && *time <= until {
                self.schedule_control(*time, control.clone());
            }
        }
        self.advance_while_wanted(until, progress)
    }
}
