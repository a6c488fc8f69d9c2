//! How drivers differ from each other.

use serde::{Deserialize, Serialize};

use proscenium_chance::Stream;

/// By how much drivers differ: not at all by default, as in the paper. Each keeps to its own
/// for ever. Nobody drives faster than the limit, and nobody keeps less than the least
/// distance, so that what is certain of cars that nobody sees stays certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriverSpread {
    /// The slowest drive by this share slower than the limit, the others evenly between.
    pub speed: f64,
    /// The most careful keep so many seconds more to the car ahead while they move, the
    /// others evenly between none and that.
    pub headway: f64,
    /// The most patient wait by this share longer before they are waved through, the least
    /// patient by as much less.
    pub patience: f64,
}

impl DriverSpread {
    /// One number for all: a share of speeds, 5 times as many seconds, and twice the share of
    /// patience.
    pub fn all(share: f64) -> Self {
        Self { speed: share, headway: 5.0 * share, patience: 2.0 * share }
    }

    /// What is wrong with it, if anything: what, the number, what to do.
    pub(crate) fn wrong(&self) -> Option<(&'static str, f64, &'static str)> {
        if !(0.0..=0.5).contains(&self.speed) {
            return Some(("the spread of speeds", self.speed, "give a share from 0 to 0.5"));
        }
        if !(0.0..=5.0).contains(&self.headway) {
            return Some(("the spread of headways", self.headway, "give seconds from 0 to 5"));
        }
        let is_patience = (0.0..=0.9).contains(&self.patience);
        (!is_patience).then_some(("the spread of patience", self.patience, "give a share from 0 to 0.9"))
    }

    /// One of the drivers.
    pub(crate) fn draw(&self, mut stream: Stream) -> Driver {
        let [speed, headway, patience] = [stream.uniform(), stream.uniform(), stream.uniform()];
        Driver {
            speed: (1.0 - self.speed * speed) as f32,
            headway: (self.headway * headway) as f32,
            patience: (1.0 + self.patience * (2.0 * patience - 1.0)) as f32,
        }
    }
}

/// How one driver drives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Driver {
    /// The share of a limit that it drives.
    pub(crate) speed: f32,
    /// What it keeps beyond the least distance, seconds.
    pub(crate) headway: f32,
    /// How many times longer than usual it waits.
    pub(crate) patience: f32,
}

impl Driver {
    /// The one that all are unless told otherwise.
    pub(crate) const USUAL: Self = Self { speed: 1.0, headway: 0.0, patience: 1.0 };

    /// The speed at which it keeps its headway within some room, and from which it can still
    /// stop within that; nobody brakes for it harder than gently.
    #[inline]
    pub(crate) fn following(&self, room: f64, speed: f64, deceleration: f64, dt: f64) -> f64 {
        /// Who is too near lets the distance grow at this deceleration, m/s².
        const GENTLE: f64 = 1.0;
        if self.headway == 0.0 {
            return f64::INFINITY;
        }
        let keeps = deceleration * f64::from(self.headway);
        let wanted = (keeps * keeps + 2.0 * deceleration * room.max(0.0)).sqrt() - keeps;
        wanted.max(speed - GENTLE * dt)
    }
}
