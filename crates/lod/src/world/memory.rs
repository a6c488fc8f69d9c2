//! What is known of a pair from frames before: against popping (section 5.3.1),
//! and so that what rests costs nothing.

use std::collections::HashMap;

use glam::DVec3;
use proscenium_bodies::Motion;
use proscenium_bodies::contact::ContactImpulse;
use proscenium_geometry::Pose;

use super::collision::Partner;
use crate::contact::Contact;

/// A contact that is kept in the frames of its bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptContact {
    /// The nodes that met.
    pub(crate) nodes: [u32; 2],
    pub(crate) impulse: ContactImpulse,
    point_in_a: DVec3,
    point_in_b: DVec3,
    normal_in_b: DVec3,
    depth: f64,
    interpenetration: f64,
}

impl KeptContact {
    pub(crate) fn new(contact: &Contact, nodes: [u32; 2], motions: [&Motion; 2]) -> Self {
        let [a, b] = motions;
        Self {
            nodes,
            impulse: ContactImpulse::default(),
            point_in_a: a.pose().inverse_transform_point(contact.point),
            point_in_b: b.pose().inverse_transform_point(contact.point),
            normal_in_b: b.orientation.inverse() * contact.normal,
            depth: contact.depth,
            interpenetration: contact.interpenetration,
        }
    }

    /// The contact where the bodies are now.
    pub(crate) fn now(&self, motions: [&Motion; 2]) -> Contact {
        let [a, b] = motions;
        let (p, q) = (a.pose().transform_point(self.point_in_a), b.pose().transform_point(self.point_in_b));
        let normal = b.orientation * self.normal_in_b;
        let depth = self.depth - (q - p).dot(normal);
        Contact { point: 0.5 * (p + q), normal, depth, interpenetration: self.interpenetration }
    }

    /// How far its points have slid along each other.
    fn slid(&self, motions: [&Motion; 2]) -> f64 {
        let [a, b] = motions;
        let (p, q) = (a.pose().transform_point(self.point_in_a), b.pose().transform_point(self.point_in_b));
        (q - p).reject_from_normalized(b.orientation * self.normal_in_b).length()
    }

    /// How far apart two contacts are on the first body.
    fn away(&self, other: &Self) -> f64 {
        self.point_in_a.distance(other.point_in_a)
    }
}

/// What was found when a pair was last looked at closely.
#[derive(Clone, Debug)]
pub(crate) struct PairMemory {
    /// The last frame in which the pair was near.
    pub(crate) seen_in: u64,
    /// The frame in which the pair was refined as far as this, or first seen.
    pub(crate) looked_in: u64,
    /// How far the pair was refined.
    pub(crate) rounds: u32,
    /// Nodes within this distance were found then, metres.
    pub(crate) margin: f64,
    /// The distance of the middles then, or the height over a wall, metres.
    pub(crate) distance: f64,
    /// Where the second was, seen from the first; the first, seen from a wall.
    relative: Pose,
    /// Whether all nodes that met were leaves: the trees know no more.
    pub(crate) is_of_leaves: bool,
    /// None where the pair was found to be apart.
    pub(crate) contacts: Vec<KeptContact>,
    /// The contact of the bounding balls, if they touched in a frame.
    pub(crate) coarse: Option<(u64, ContactImpulse)>,
}

impl PairMemory {
    /// A pair as it is in a frame.
    pub(crate) fn new(frame: u64, rounds: u32, margin: f64, distance: f64, relative: Pose) -> Self {
        Self {
            seen_in: frame,
            looked_in: frame,
            rounds,
            margin,
            distance,
            relative,
            is_of_leaves: false,
            contacts: Vec::new(),
            coarse: None,
        }
    }

    /// No point within a reach of the middle has moved farther than this since,
    /// seen from the other body.
    pub(crate) fn drift(&self, relative: &Pose, reach: f64) -> f64 {
        let angle = self.relative.rotation.angle_between(relative.rotation);
        self.relative.translation.distance(relative.translation) + angle * reach
    }

    /// The contact of two coarse nodes from the frame in which they met, unless they
    /// have slid away from there since.
    pub(crate) fn standing(&self, nodes: [u32; 2], motions: [&Motion; 2], within: f64) -> Option<KeptContact> {
        let known = self.contacts.iter().find(|kept| kept.nodes == nodes && !self.is_of_leaves)?;
        (known.slid(motions) <= within).then_some(*known)
    }

    /// The impulse that a new contact begins with: that of the same nodes, or of
    /// the contact nearest to it.
    pub(crate) fn impulse_for(&self, contact: &KeptContact, within: f64) -> ContactImpulse {
        if let Some(same) = self.contacts.iter().find(|kept| kept.nodes == contact.nodes) {
            return same.impulse;
        }
        let mut nearest: Option<(f64, &KeptContact)> = None;
        for kept in &self.contacts {
            let away = kept.away(contact);
            if away <= within && nearest.is_none_or(|(least, _)| away < least) {
                nearest = Some((away, kept));
            }
        }
        nearest.map_or_else(ContactImpulse::default, |(_, kept)| kept.impulse)
    }
}

/// What is known, by pair. Nothing iterates over it but to forget.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactCache {
    pairs: HashMap<(u32, Partner), PairMemory>,
}

impl ContactCache {
    pub(crate) fn of(&self, pair: (u32, Partner)) -> Option<&PairMemory> {
        self.pairs.get(&pair)
    }

    pub(crate) fn of_mut(&mut self, pair: (u32, Partner)) -> Option<&mut PairMemory> {
        self.pairs.get_mut(&pair)
    }

    pub(crate) fn keep(&mut self, pair: (u32, Partner), memory: PairMemory) {
        self.pairs.insert(pair, memory);
    }

    /// Forgets pairs that are no longer near, now and then; not those that are
    /// asleep.
    pub(crate) fn forget(&mut self, frame: u64, is_awake: impl Fn(u32) -> bool) {
        if frame.is_multiple_of(64) {
            self.pairs.retain(|(a, partner), memory| {
                let awake = is_awake(*a) || matches!(partner, Partner::Body(b) if is_awake(b.0));
                memory.seen_in + 1 >= frame || !awake
            });
        }
    }
}
