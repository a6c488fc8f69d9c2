//! Plants that are made from a seed: they stand in the ground, in winds that
//! are made for them.

mod banana;
mod bed;
mod blade;
mod grass;
mod iris;

use glam::DVec3;

use crate::data::Condition;
use crate::simulate::{SoftModel, Stuff, Wind};

pub use banana::Banana;
pub use grass::Grass;
pub use iris::Iris;

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

/// The way along the ground to which something is turned.
fn outwards(turn: f64) -> DVec3 {
    DVec3::new(libm::cos(turn), 0.0, libm::sin(turn))
}

/// The way of a stem or a leaf: it begins at a point, at an angle to the ground,
/// and bends up or down as it goes.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: DVec3,
    /// About y, radians.
    turn: f64,
    /// Above the ground where it begins, radians.
    rise: f64,
    /// How much more at its end, radians.
    bend: f64,
    /// Metres.
    length: f64,
}

impl Way {
    /// A point at a share of the way: on an arc.
    fn at(&self, share: f64) -> DVec3 {
        let end = self.rise + self.bend * share;
        // Where it is nearly straight, the arc is too flat to divide by.
        let (out, up) = if self.bend.abs() < 1e-6 {
            (share * libm::cos(self.rise), share * libm::sin(self.rise))
        } else {
            ((libm::sin(end) - libm::sin(self.rise)) / self.bend, (libm::cos(self.rise) - libm::cos(end)) / self.bend)
        };
        self.from + self.length * (outwards(self.turn) * out + DVec3::Y * up)
    }

    /// What is above it at a share of the way.
    fn above(&self, share: f64) -> DVec3 {
        let rise = self.rise + self.bend * share;
        DVec3::Y * libm::cos(rise) - outwards(self.turn) * libm::sin(rise)
    }

    /// What is beside it.
    fn beside(&self) -> DVec3 {
        outwards(self.turn + std::f64::consts::FRAC_PI_2)
    }
}

/// The shape of a leaf or a petal: a sheet that is folded along its middle.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    /// Rows and columns of vertices.
    net: [u32; 2],
    /// How wide it is where it begins, at most, and at its tip, metres.
    base: f64,
    width: f64,
    tip: f64,
    /// How high its sides are above its middle, as a share of its width.
    fold: f64,
}

impl Leaf {
    fn scaled(self, size: f64) -> Self {
        Self { base: size * self.base, width: size * self.width, tip: size * self.tip, ..self }
    }

    fn add(&self, model: &mut SoftModel, name: String, stuff: &Stuff, way: &Way) -> usize {
        let width = |share: f64| {
            let end = self.base + (self.tip - self.base) * share;
            end + (self.width - end) * libm::sin(std::f64::consts::PI * libm::pow(share, 0.8))
        };
        let leaf = model.sheet(name, self.net, stuff, |share, across| {
            let aside = across - 0.5;
            let lift = 2.0 * self.fold * libm::fabs(aside);
            way.at(share) + width(share) * (way.beside() * aside + way.above(share) * lift)
        });
        model.ribs(leaf, self.net, stuff);
        leaf
    }

    /// The vertices by which it is held: its first two rows, so that it turns with
    /// what holds it.
    fn base_vertices(&self) -> Vec<u32> {
        (0..2 * self.net[1]).collect()
    }
}

/// A stem: a tube that is stiff over its length.
fn stem(
    model: &mut SoftModel,
    name: String,
    rings: u32,
    stuff: &Stuff,
    radius: impl Fn(f64) -> f64,
    middle: impl Fn(f64) -> DVec3,
) -> usize {
    let stem = model.stalk(name, rings, stuff, radius, middle);
    model.ribs(stem, [rings, 4], stuff);
    stem
}

/// Four vertices of a stalk that span a body, of the two rings around a share of
/// its way.
fn corners_at(rings: u32, share: f64) -> [u32; 4] {
    let ring = ((share * f64::from(rings - 1)) as u32).min(rings - 2);
    [4 * ring, 4 * ring + 2, 4 * ring + 5, 4 * ring + 7]
}
