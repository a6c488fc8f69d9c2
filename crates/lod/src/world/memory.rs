//! What a pair was like in the frame before: against popping (section 5.3.1).

use std::collections::HashMap;

use glam::DVec3;
use proscenium_bodies::Motion;

use super::collision::Partner;
use crate::contact::Contact;

/// A contact that is kept in the frames of its bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedContact {
    /// How far the pair was refined.
    pub(crate) rounds: u32,
    frame: u64,
    point_in_a: DVec3,
    point_in_b: DVec3,
    normal_in_a: DVec3,
    depth: f64,
    interpenetration: f64,
    /// Beyond this gap the pair does not touch any more.
    tolerance: f64,
}

/// The kept contacts, by pair. Nothing iterates over them but to forget.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactCache {
    pairs: HashMap<(u32, Partner), CachedContact>,
}

impl ContactCache {
    /// The contact of the last frame, if the pair had one.
    pub(crate) fn of(&self, pair: (u32, Partner), frame: u64) -> Option<&CachedContact> {
        self.pairs.get(&pair).filter(|kept| kept.frame + 1 == frame)
    }

    pub(crate) fn keep(&mut self, pair: (u32, Partner), kept: CachedContact) {
        self.pairs.insert(pair, kept);
    }

    /// Forgets pairs that do not touch any more, now and then.
    pub(crate) fn forget(&mut self, frame: u64) {
        if frame.is_multiple_of(64) {
            self.pairs.retain(|_, kept| kept.frame + 1 >= frame);
        }
    }
}

impl CachedContact {
    pub(crate) fn new(contact: &Contact, motions: [&Motion; 2], rounds: u32, frame: u64, tolerance: f64) -> Self {
        let [a, b] = motions;
        Self {
            rounds,
            frame,
            point_in_a: a.pose().inverse_transform_point(contact.point),
            point_in_b: b.pose().inverse_transform_point(contact.point),
            normal_in_a: a.orientation.inverse() * contact.normal,
            depth: contact.depth,
            interpenetration: contact.interpenetration,
            tolerance,
        }
    }

    /// The contact where the bodies are now; `None` once they have parted.
    pub(crate) fn now(&self, motions: [&Motion; 2]) -> Option<Contact> {
        let [a, b] = motions;
        let (p, q) = (a.pose().transform_point(self.point_in_a), b.pose().transform_point(self.point_in_b));
        let normal = a.orientation * self.normal_in_a;
        let gap = (q - p).dot(normal) - self.depth;
        let aside = (q - p).reject_from_normalized(normal).length();
        let contact =
            Contact { point: 0.5 * (p + q), normal, depth: (-gap).max(0.0), interpenetration: self.interpenetration };
        (gap <= self.tolerance && aside <= 4.0 * self.tolerance).then_some(contact)
    }

    /// The same contact, touched again in a later frame.
    pub(crate) fn again(&self, frame: u64) -> Self {
        Self { frame, ..*self }
    }
}
