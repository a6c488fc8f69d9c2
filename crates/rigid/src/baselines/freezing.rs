//! How bodies come to rest in the paper: what stays slow over many collisions
//! freezes (Chenney 2000, 3.3.2). Contact that lasts has taken its place.

use crate::body::{Body, Presence};
use crate::world::World;

/// How bodies come to rest by bouncing alone, as in Chenney 2000, section
/// 3.3.2: those that stay slow over many collisions are as good as fixed until
/// something hits them. For comparison: what was frozen leaning on something
/// stays where it is when that goes away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreezeRule {
    /// A body all of whose points are slower than this is slow, and a blow
    /// must be faster to wake it, m/s. No blow leaves the two parting at less
    /// than a quarter of it, so that bounces do not become infinitely many in
    /// a moment.
    pub speed: f64,
    /// After so many collisions in a row that leave it slow a body rests.
    pub collisions: u32,
}

impl FreezeRule {
    /// Whether a blow this fast wakes a body.
    fn wakes(&self, approach: f64) -> bool {
        approach > self.speed
    }

    /// The least speed of parting; chosen, well below what counts as slow.
    fn parting(&self) -> f64 {
        0.25 * self.speed
    }
}

impl World {
    /// The speed at which bodies part at least, where they freeze.
    pub(crate) fn least_parting(&self) -> Option<f64> {
        self.freezing.map(|rule| rule.parting())
    }

    /// Whether a body is frozen, and gives way to no blow of this speed.
    pub(crate) fn is_frozen(&self, body: &Body, approach: f64) -> bool {
        body.presence == Presence::Resting && self.freezing.is_some_and(|rule| !rule.wakes(approach))
    }

    /// Freezes a body that has been slow for long enough, where that is how
    /// bodies come to rest.
    pub(crate) fn freeze_if_slow(&mut self, index: u32) {
        let Some(rule) = self.freezing else {
            return;
        };
        let body = &mut self.bodies[index as usize];
        let motion = *body.flight.initial();
        let fastest = motion.velocity.length() + motion.spin.length() * body.reach;
        body.calm = if fastest < rule.speed { body.calm + 1 } else { 0 };
        if body.calm >= rule.collisions {
            self.put_to_rest(index);
        }
    }
}
