//! `grass`: blades in the ground, dense or in a clump.

use glam::DVec3;
use proscenium_chance::{Seed, Stream};

use super::{GOLDEN, Rod, Thicket, winds};
use crate::simulate::{FOLD, Generator, SimulateSettings, SoftModel, Stuff};

/// Blades of grass on a round patch of ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grass {
    /// How many blades stand there.
    pub blades: u32,
    /// From one blade to the next, about, metres.
    pub spacing: f64,
    /// How long the longest blades are, metres.
    pub length: f64,
    /// How far blades lean outwards at the edge of the patch, radians.
    pub splay: f64,
    /// What the blades follow from.
    pub seed: Seed,
}

impl Grass {
    /// A dense patch.
    pub fn dense(seed: Seed) -> Self {
        Self { blades: 1005, spacing: 0.02, length: 0.3, splay: 0.35, seed }
    }

    /// A clump, to have many of.
    pub fn clump(seed: Seed) -> Self {
        Self { blades: 48, spacing: 0.016, length: 0.26, splay: 0.5, seed }
    }
}

/// Rows of three vertices in a blade.
const ROWS: u32 = 7;
/// Fresh grass.
const GREEN: Stuff = Stuff { density: 0.12, stretch: 150.0, bend: 1.0, damping: 0.02 };
/// How wide a blade is, metres.
const WIDTH: f64 = 0.007;
/// Wind levels: name and mean speed, metres per second.
const LEVELS: [(&str, f64); 3] = [("calm", 0.7), ("breeze", 1.2), ("wind", 1.8)];

/// How blades of grass are simulated.
fn settings() -> SimulateSettings {
    SimulateSettings {
        thickness: 0.0015,
        margin: 0.0008,
        distance: 0.004,
        friction: 0.2,
        damping: 0.5,
        ..SimulateSettings::default()
    }
}

/// A blade that is to grow.
struct Blade {
    root: DVec3,
    tip: DVec3,
    across: DVec3,
}

impl Grass {
    /// The blades, at rest.
    pub fn model(&self) -> SoftModel {
        let mut model = SoftModel::new();
        let mut thicket = Thicket::default();
        let mut stream = self.seed.stream("grass");
        let radius = self.spacing * (f64::from(self.blades) / std::f64::consts::PI).sqrt();
        // Where there is no room the next place is tried, a little farther out.
        let places = (0..4 * self.blades)
            .filter_map(|place| thicket.grow(&mut stream, |stream, freely| self.blade(place, radius, stream, freely)));
        for (number, Blade { root, tip, across }) in (1..).zip(places.take(self.blades as usize)) {
            let group = model.blade(
                format!("blade-{number}"),
                ROWS,
                &GREEN,
                across,
                |share| root.lerp(tip, share),
                |share| WIDTH * (1.0 - 0.85 * share * share),
            );
            // The two lowest rows stand in the ground.
            (0..6).for_each(|vertex| model.pin(group, vertex));
        }
        model
    }

    /// Where a blade may grow: on a spiral, outwards and to any side.
    fn blade(&self, place: u32, radius: f64, stream: &mut Stream, freely: f64) -> (Blade, Rod) {
        let (angle, away) = (GOLDEN * f64::from(place), ((f64::from(place) + 0.5) / f64::from(self.blades)).sqrt());
        let out = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
        let mut aside = || freely * (2.0 * stream.uniform() - 1.0);
        let root = out * (radius * away) + 0.25 * self.spacing * DVec3::new(aside(), 0.0, aside());
        let lean = out * (self.splay * away) + 0.3 * DVec3::new(aside(), 0.0, aside());
        let length = self.length * (0.6 + 0.4 * stream.uniform());
        let tip = root + length * (DVec3::Y + lean).normalize();
        let turn = std::f64::consts::TAU * stream.uniform();
        let across = DVec3::new(libm::cos(turn), 0.0, libm::sin(turn));
        // Room for its width and its fold, and for the distance that is kept.
        let rod = Rod { from: root, to: tip, radius: WIDTH * libm::hypot(0.5, FOLD) + 0.5 * settings().distance };
        (Blade { root, tip, across }, rod)
    }

    /// The blades in three winds, or in one.
    pub fn generator(&self, name: &str, levels: usize) -> Generator {
        let weakest = LEVELS.len() - levels.clamp(1, LEVELS.len());
        Generator {
            name: name.to_owned(),
            model: self.model(),
            levels: winds(&LEVELS[weakest..], 0.25),
            settings: settings(),
            error: 0.0004,
        }
    }
}
