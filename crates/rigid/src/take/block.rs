//! A block of time of a run.

use std::collections::BTreeSet;
use std::sync::Arc;

use proscenium_bodies::Flight;
use proscenium_geometry::Bounds;

use crate::body::{Body, Presence};
use crate::record::{Contact, Life, Recording, Touch};
use crate::world::World;
use crate::world::mark::Mark;

/// What happened between two moments.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub start: Mark,
    pub end: f64,
    /// Per body: the flights that began in the block, and when it was taken
    /// out of the world, if it was.
    pub flights: Vec<Arc<[Flight]>>,
    pub ends: Vec<Option<f64>>,
    /// Per body: where it was; empty if it was nowhere.
    pub extents: Vec<Bounds>,
    /// Who exchanged an impulse or touched whom.
    pub met: BTreeSet<(u32, u32)>,
    pub contacts: Vec<Contact>,
    pub touches: Vec<Touch>,
}

impl Block {
    /// The block from a mark until now, with what was recorded since about
    /// some bodies.
    pub(crate) fn take(world: &mut World, start: Mark, includes: impl Fn(u32) -> bool) -> Self {
        let lives = world.take_recorded();
        let met = world.take_meetings();
        let (end, margin) = (world.now(), world.contact_margin());
        let extent = |(k, body): (u32, &Body)| {
            let life = &lives.bodies[k as usize];
            if includes(k) { extent(body, &start, k as usize, life, end, margin) } else { Bounds::EMPTY }
        };
        let extents = (0_u32..).zip(&world.bodies).map(extent).collect();
        let nothing: Arc<[Flight]> = Arc::from([]);
        let flights = lives.bodies.into_iter().map(|life| {
            let flights = if life.flights.is_empty() { nothing.clone() } else { life.flights.into() };
            (flights, life.end)
        });
        let (flights, ends) = flights.unzip();
        Self { end, flights, ends, extents, met, contacts: lives.contacts, touches: lives.touches, start }
    }

    /// Who was in one of some places, and moved.
    pub(crate) fn near(&self, places: &[Bounds]) -> BTreeSet<u32> {
        let moved = |k: usize| self.start.bodies[k].presence != Presence::Resting || !self.flights[k].is_empty();
        let within = |extent: &Bounds| places.iter().any(|place| place.intersects(extent));
        let all = (0_u32..).zip(&self.extents);
        all.filter(|(k, extent)| moved(*k as usize) && within(extent)).map(|(k, _)| k).collect()
    }

    /// The block with what some bodies did instead, from the start that they
    /// had.
    pub(crate) fn with(&self, part: Self, active: &BTreeSet<u32>) -> Self {
        let concerns = |a: u32, b: u32| active.contains(&a) || active.contains(&b);
        let others = self.contacts.iter().filter(|contact| !concerns(contact.a.0, contact.b.0));
        let untouched = self.touches.iter().filter(|touch| !concerns(touch.a.0, touch.b.0));
        let mut merged = Self {
            start: part.start,
            end: self.end,
            flights: self.flights.clone(),
            ends: self.ends.clone(),
            extents: self.extents.clone(),
            met: self.met.iter().copied().filter(|(a, b)| !concerns(*a, *b)).chain(part.met).collect(),
            contacts: others.copied().chain(part.contacts).collect(),
            touches: untouched.copied().chain(part.touches).collect(),
        };
        for k in active.iter().map(|k| *k as usize) {
            merged.flights[k] = part.flights[k].clone();
            merged.ends[k] = part.ends[k];
            merged.extents[k] = part.extents[k];
        }
        // Of contacts at one time, those of one body keep their order.
        merged.contacts.sort_by(|p, q| p.time.total_cmp(&q.time));
        merged.touches.sort_by(Touch::order);
        merged
    }
}

/// A box around a body throughout a block.
fn extent(body: &Body, start: &Mark, index: usize, life: &Life, end: f64, margin: f64) -> Bounds {
    if body.inertia.is_none() {
        return Bounds::EMPTY;
    }
    let state = &start.bodies[index];
    let before = state.presence.is_here().then_some(&state.flight);
    let flights: Vec<&Flight> = before.into_iter().chain(&life.flights).collect();
    let mut whole = Bounds::EMPTY;
    for (k, flight) in flights.iter().enumerate() {
        let from = flight.start().max(start.time);
        let until = flights.get(k + 1).map_or(life.end.unwrap_or(end), |next| next.start()).max(from);
        let swept = if flight.is_still() {
            body.shape.bounds(&(flight.pose(from) * body.shape_from_principal.inverse()))
        } else {
            body.swept(flight, from, until)
        };
        whole = whole.merge(&swept.grow(margin));
    }
    whole
}

/// All of what blocks tell about bodies, in order.
pub(crate) fn recording(world: &World, blocks: &[Arc<Block>]) -> Recording {
    let mut recording = Recording::default();
    for (k, body) in world.bodies.iter().enumerate() {
        let flights = blocks.iter().flat_map(|block| block.flights[k].iter().cloned()).collect();
        let end = blocks.iter().find_map(|block| block.ends[k]);
        recording.bodies.push(Life { flights, principal_from_shape: Some(body.shape_from_principal.inverse()), end });
    }
    recording.contacts = blocks.iter().flat_map(|block| block.contacts.iter().copied()).collect();
    recording.touches = blocks.iter().flat_map(|block| block.touches.iter().copied()).collect();
    recording
}
