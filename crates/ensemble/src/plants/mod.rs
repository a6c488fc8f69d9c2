//! Plants that are made from a seed: they stand in the ground, in winds that
//! are made for them.

mod grass;

use glam::DVec3;
use proscenium_chance::Stream;

use crate::contact::nearest_of_segments;
use crate::data::Condition;
use crate::simulate::Wind;

pub use grass::Grass;

/// The golden angle, radians: leaves that turn by it from one to the next are
/// spread evenly.
const GOLDEN: f64 = 2.399_963_229_728_653;

/// Winds over the ground, from the weakest to the strongest: names and mean
/// speeds, metres per second. They blow along x, and a little along z.
fn winds(levels: &[(&str, f64)], eddy: f64) -> Vec<(Condition, Wind)> {
    let level = |&(name, speed): &(&str, f64)| {
        let mean = DVec3::new(1.0, 0.0, 0.2).normalize() * speed;
        let wind = Wind { mean, gusts: 0.45, gust_time: 1.3, turbulence: 0.5, eddy };
        (Condition { name: name.to_owned(), intensity: speed }, wind)
    };
    levels.iter().map(level).collect()
}

/// What has grown so far, as rods, so that nothing grows through it.
#[derive(Default)]
struct Thicket {
    rods: Vec<Rod>,
}

/// A straight piece with a thickness.
#[derive(Clone, Copy)]
struct Rod {
    from: DVec3,
    to: DVec3,
    radius: f64,
}

impl Rod {
    fn is_clear_of(&self, other: &Rod) -> bool {
        let (s, t) = nearest_of_segments(self.from, self.to, other.from, other.to);
        let away = self.from.lerp(self.to, s) - other.from.lerp(other.to, t);
        away.length() > self.radius + other.radius
    }
}

impl Thicket {
    /// Draws something until it is clear of all that has grown: `draw` is given
    /// how freely it may grow, from 1 down to 0, and says what that takes up.
    /// `None` where there is no room.
    fn grow<Grown>(&mut self, stream: &mut Stream, draw: impl Fn(&mut Stream, f64) -> (Grown, Rod)) -> Option<Grown> {
        const TRIES: u32 = 24;
        for left in (0..=TRIES).rev() {
            let (grown, rod) = draw(stream, f64::from(left) / f64::from(TRIES));
            if self.rods.iter().all(|other| rod.is_clear_of(other)) {
                self.rods.push(rod);
                return Some(grown);
            }
        }
        None
    }
}
