//! From what was found of a pair to the contacts that are solved.
//!
//! A pair that was refined as far as it may be gives new contacts. One that was
//! not keeps the contacts of the frame in which it was, as long as the bodies
//! have not moved far against each other since; after that its bounding balls
//! stand for it, which may come no nearer to each other than they were when a
//! finer level was asked. So no coarse level makes deep what a finer one knew to
//! be apart.

use glam::DVec3;
use proscenium_bodies::contact::{ContactImpulse, ContactPoint};
use proscenium_bodies::{CollidingBody, Motion};

use super::World;
use super::collision::{Collision, Partner, motions};
use super::memory::{KeptContact, PairMemory};
use crate::contact::pair::{Hit, NO_NODE};
use crate::contact::{Contact, Primitive, Reduction, facing, reduce, spanning};
use crate::response::{Coarse, respond_coarsely};

/// Contacts are used again without a new look while the bodies have moved
/// against each other by no more than this share of a radius.
const REUSED: f64 = 0.015;
/// Contacts of a frame before stand for a pair while the bodies have moved
/// against each other by no more than this share of a radius.
const HELD: f64 = 0.1;
/// An impulse is taken over from a contact within this share of a radius.
const SAME_PLACE: f64 = 0.15;
/// Bounding balls that lie on each other resist turning as if they touched over
/// this share of their radius: the bodies in them do not roll.
const GRIP: f64 = 0.5;

impl World {
    /// Whether a pair is known to be apart in this step, from a frame before.
    pub(super) fn is_known_apart(&self, collision: &Collision) -> bool {
        let pair = (collision.a, collision.partner);
        self.settings.hold_levels
            && collision.swept.is_none()
            && self.memory.of(pair).is_some_and(|memory| {
                memory.rounds > 0
                    && memory.contacts.is_empty()
                    && self.drift(collision, memory) + collision.displacement <= memory.margin
            })
    }

    /// Whether a pair hardly moved since its contacts were found as fine as
    /// they may be; nothing has to be refined then.
    pub(super) fn is_reusable(&self, collision: &Collision) -> Option<usize> {
        let memory = self.memory.of((collision.a, collision.partner))?;
        let drift = self.drift(collision, memory);
        let as_fine = memory.rounds >= collision.cap || memory.is_of_leaves;
        let is_allowed = memory.rounds <= collision.cap || self.settings.schedule.others_to.is_none();
        let is_near = drift <= REUSED * self.radius(collision) && drift + collision.displacement <= memory.margin;
        let is_reusable = self.settings.hold_levels
            && collision.swept.is_none()
            && !memory.contacts.is_empty()
            && as_fine
            && is_allowed
            && is_near;
        is_reusable.then_some(memory.contacts.len())
    }

    /// How far a pair that touched has moved since it was looked at, as a share of what
    /// may pass before its contacts no longer stand for it.
    pub(super) fn staleness(&self, collision: &Collision) -> f64 {
        let memory = self.memory.of((collision.a, collision.partner)).filter(|memory| !memory.contacts.is_empty());
        memory.map_or(0.0, |memory| self.drift(collision, memory) / (HELD * self.radius(collision)))
    }

    fn drift(&self, collision: &Collision, memory: &PairMemory) -> f64 {
        let (relative, reach) = collision.relative(&self.bodies);
        memory.drift(&relative, reach)
    }

    /// The radius of the smaller body.
    fn radius(&self, collision: &Collision) -> f64 {
        let own = self.bodies[collision.a as usize].model.radius();
        match collision.partner {
            Partner::Body(other) => own.min(self.bodies[other.0 as usize].model.radius()),
            Partner::Wall(_) => own,
        }
    }

    /// The contacts of a collision; `points` gets one row for each.
    pub(super) fn model_contacts(
        &mut self,
        collision: &mut Collision,
        step: f64,
        primitives: &mut Vec<Primitive>,
        points: &mut Vec<ContactPoint>,
    ) {
        collision.shown_rounds = collision.rounds;
        primitives.clear();
        if let Some((time, normal)) = collision.swept {
            self.respond_in_passing(collision, time, normal);
            return;
        }
        if collision.hits.is_empty() && !collision.is_reused {
            self.remember(collision, Vec::new());
            return;
        }
        if collision.is_held {
            self.hold(collision, points);
        } else if collision.rounds == 0 || self.is_finer_known(collision) {
            self.model_coarsely(collision, step, points);
        } else {
            self.model_finely(collision, primitives, points);
        }
    }

    /// How many contacts of a frame before could stand for a pair that the budget
    /// did not let be refined as far.
    pub(super) fn finer_contacts(&self, collision: &Collision) -> Option<usize> {
        if collision.is_held || !self.is_finer_known(collision) {
            return None;
        }
        let memory = self.memory.of((collision.a, collision.partner))?;
        let is_near = self.drift(collision, memory) <= HELD * self.radius(collision);
        (is_near && !memory.contacts.is_empty()).then_some(memory.contacts.len())
    }

    /// Whether a pair that the budget did not let be refined was finer before.
    fn is_finer_known(&self, collision: &Collision) -> bool {
        let memory = self.memory.of((collision.a, collision.partner));
        self.settings.hold_levels
            && collision.swept.is_none()
            && !collision.hits.is_empty()
            && !collision.is_complete(&self.bodies)
            && memory.is_some_and(|memory| memory.rounds > collision.rounds)
    }

    fn hold(&mut self, collision: &mut Collision, points: &mut Vec<ContactPoint>) {
        let both = motions(&self.bodies, collision);
        let Some(memory) = self.memory.of_mut((collision.a, collision.partner)) else {
            return;
        };
        collision.shown_rounds = memory.rounds;
        let most = collision.held_contacts;
        if most < memory.contacts.len() {
            // Those that press most come first; the others press no more.
            memory.contacts.sort_by(|one, other| other.impulse.along.total_cmp(&one.impulse.along));
            memory.contacts[most..].iter_mut().for_each(|left_out| left_out.impulse = ContactImpulse::default());
        }
        let kept = memory.contacts.iter().take(most).map(|kept| (kept.now(both), kept.nodes, kept.impulse));
        let kept: Vec<(Contact, Hit, ContactImpulse)> = kept.collect();
        self.add_rows(collision, kept, 0.0, points);
        if let Some(memory) = self.memory.of_mut((collision.a, collision.partner)) {
            memory.seen_in = self.frame;
        }
    }

    fn model_finely(
        &mut self,
        collision: &mut Collision,
        primitives: &mut Vec<Primitive>,
        points: &mut Vec<ContactPoint>,
    ) {
        collision.primitives(&self.bodies, &self.walls, primitives);
        // Where surfaces face each other, the lines between nodes inside say nothing.
        if self.settings.reduction == Reduction::Span && primitives.iter().any(|primitive| primitive.facing.is_some()) {
            primitives.retain(|primitive| primitive.facing.is_some());
        }
        let found: Vec<(Contact, Hit)> = if self.settings.reduction == Reduction::Span {
            spanning(primitives)
                .into_iter()
                .map(|index| (facing(&primitives[index]), primitives[index].nodes))
                .collect()
        } else {
            let mut contacts = Vec::new();
            reduce(self.settings.reduction, primitives, &mut contacts);
            contacts.into_iter().zip(0..).map(|(contact, number)| (contact, [NO_NODE, number])).collect()
        };
        let is_of_leaves = collision.is_of_leaves(&self.bodies);
        let both = motions(&self.bodies, collision);
        let within = SAME_PLACE * self.radius(collision);
        let memory = self.memory.of((collision.a, collision.partner));
        let mut rows = Vec::new();
        let mut kept_contacts = Vec::new();
        for (mut contact, nodes) in found {
            if !is_of_leaves {
                // How deep coarse nodes are says nothing of the solids.
                contact.depth = contact.depth.min(0.0);
            }
            let mut kept = KeptContact::new(&contact, nodes, both);
            kept.impulse = memory.map_or_else(Default::default, |memory| memory.impulse_for(&kept, within));
            let standing = memory.filter(|_| !is_of_leaves).and_then(|memory| memory.standing(nodes, both, within));
            if let Some(known) = standing {
                // They may come no nearer than they were when they first met.
                contact = known.now(both);
                kept = known;
            }
            rows.push((contact, nodes, kept.impulse));
            kept_contacts.push(kept);
        }
        self.remember(collision, kept_contacts);
        self.add_rows(collision, rows, 0.0, points);
    }

    /// The bounding balls, as near as they may come.
    fn model_coarsely(&mut self, collision: &mut Collision, step: f64, points: &mut Vec<ContactPoint>) {
        let pair = (collision.a, collision.partner);
        let (distance, both, normal) = collision.balls(&self.bodies, &self.walls);
        if self.memory.of(pair).is_none() {
            let (relative, _) = collision.relative(&self.bodies);
            let first = PairMemory::new(self.frame, 0, 0.0, distance.min(both), relative);
            self.memory.keep(pair, first);
        }
        let known = self.memory.of(pair).map_or(both, |memory| memory.distance.min(both));
        let coarse = self.memory.of(pair).and_then(|memory| memory.coarse);
        let touched_before = coarse.is_some_and(|(frame, _)| frame + 1 == self.frame);
        let depth = known - distance;
        let point = collision.middle(&self.bodies, &self.walls);
        let contact = Contact { point, normal, depth, interpenetration: 0.0 };
        collision.shown_rounds = 0;
        let [a, b] = motions(&self.bodies, collision);
        let approach = -(b.velocity - a.velocity).dot(normal);
        let is_impact = !touched_before && approach > self.rest_speed(step) && approach * step >= -depth;
        if is_impact {
            // A spin is drawn once for an impact, not for every frame of lying there.
            self.bounce_coarsely(collision, normal);
        }
        let impulse = coarse.filter(|_| touched_before).map_or_else(Default::default, |(_, impulse)| impulse);
        let grip = GRIP * self.radius(collision);
        self.add_rows(collision, vec![(contact, [NO_NODE; 2], impulse)], grip, points);
        if let Some(memory) = self.memory.of_mut(pair) {
            memory.seen_in = self.frame;
            if approach * step >= -depth || touched_before && depth >= 0.0 {
                memory.coarse = Some((self.frame, impulse));
            }
        }
    }

    fn add_rows(
        &self,
        collision: &mut Collision,
        contacts: Vec<(Contact, Hit, ContactImpulse)>,
        grip: f64,
        points: &mut Vec<ContactPoint>,
    ) {
        collision.first_row = points.len();
        let mut surface = self.surface(collision);
        if grip > 0.0 {
            surface.restitution = 0.0;
        }
        for (contact, nodes, impulse) in contacts {
            points.push(ContactPoint {
                bodies: [0; 2],
                point: contact.point,
                normal: contact.normal,
                depth: contact.depth,
                surface,
                grip,
                impulse,
            });
            collision.contacts.push(contact);
            collision.nodes.push(nodes);
        }
    }

    /// What was found of a pair, for the frames that follow.
    fn remember(&mut self, collision: &Collision, contacts: Vec<KeptContact>) {
        let (distance, _, _) = collision.balls(&self.bodies, &self.walls);
        let (relative, _) = collision.relative(&self.bodies);
        let mut memory = PairMemory::new(self.frame, collision.rounds.max(1), collision.margin, distance, relative);
        memory.is_of_leaves = contacts.is_empty() || collision.is_of_leaves(&self.bodies);
        memory.contacts = contacts;
        self.memory.keep((collision.a, collision.partner), memory);
    }

    /// Two bodies that would pass each other within the step: they bounce as
    /// balls, and move on only to where their balls touch.
    fn respond_in_passing(&mut self, collision: &mut Collision, time: f64, normal: DVec3) {
        let before = motions(&self.bodies, collision).map(|motion| motion.velocity);
        for index in members(collision).into_iter().flatten() {
            self.wake(index);
        }
        if self.bounce_coarsely(collision, normal) <= 0.0 {
            return;
        }
        for (index, velocity) in members(collision).into_iter().flatten().zip(before) {
            let body = &mut self.bodies[index];
            if !body.fixed && body.stopped.is_none_or(|(_, earlier)| time < earlier) {
                // Its velocity before any response of this frame is the one
                // whose path was tested.
                let first = body.stopped.map_or(velocity, |(first, _)| first);
                body.stopped = Some((first, time));
            }
        }
    }

    /// Both bodies as balls, with spins drawn from those of accurate collisions.
    /// Returns the speed of approach.
    fn bounce_coarsely(&mut self, collision: &Collision, normal: DVec3) -> f64 {
        let mut stream = self.stream.at(self.frame).at(pair_number(collision));
        let both = members(collision);
        let coarse = both.map(|index| {
            let body = index.map(|index| &self.bodies[index]);
            let spins = body.filter(|_| self.settings.random_spin).map_or(&[][..], |body| body.model.spins());
            Coarse { radius: body.map_or(1.0, |body| body.model.radius()), spins }
        });
        let surface = self.surface(collision);
        let inertias = both.map(|index| {
            let body = index.map(|index| &self.bodies[index]);
            body.filter(|body| body.is_awake()).map(|body| body.inertia)
        });
        let [a, b] = motions(&self.bodies, collision).map(|motion| *motion);
        let mut a = CollidingBody { motion: a, inertia: inertias[0].as_ref() };
        let mut b = CollidingBody { motion: b, inertia: inertias[1].as_ref() };
        let approach = respond_coarsely(&mut a, &mut b, normal, coarse, &surface, &mut stream);
        let moved: [Motion; 2] = [a.motion, b.motion];
        for (index, motion) in both.into_iter().zip(moved) {
            if let Some(index) = index {
                self.bodies[index].motion = motion;
            }
        }
        approach
    }

    fn surface(&self, collision: &Collision) -> proscenium_bodies::PairSurface {
        let material = &self.bodies[collision.a as usize].material;
        match collision.partner {
            Partner::Body(other) => material.meet(&self.bodies[other.0 as usize].material),
            Partner::Wall(_) => material.surface(),
        }
    }
}

/// The bodies of a collision; a wall is none.
fn members(collision: &Collision) -> [Option<usize>; 2] {
    let other = match collision.partner {
        Partner::Body(other) => Some(other.0 as usize),
        Partner::Wall(_) => None,
    };
    [Some(collision.a as usize), other]
}

/// A number of its own for each pair, for its random stream.
pub(super) fn pair_number(collision: &Collision) -> u64 {
    let other = match collision.partner {
        Partner::Body(other) => u64::from(other.0),
        Partner::Wall(wall) => u64::from(u32::MAX - wall),
    };
    u64::from(collision.a) << 32 | other
}
