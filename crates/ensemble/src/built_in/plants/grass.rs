//! `grass`: blades in the ground, dense or in a clump.

use glam::DVec3;
use proscenium_chance::{Seed, Stream};

use super::bed::Bed;
use super::blade::{Blade, GRASS};
use super::{GOLDEN, Way, outwards, winds};
use crate::simulate::{Generator, SimulateSettings, SoftModel};

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

/// Wind levels: name and mean speed, metres per second.
const LEVELS: [(&str, f64); 3] = [("calm", 0.7), ("breeze", 1.2), ("wind", 1.8)];

/// How far apart blades grow, metres: a tenth more than is kept as they move.
const CLEAR: f64 = 0.0044;

impl Grass {
    /// The blades, at rest.
    pub fn model(&self) -> SoftModel {
        let mut bed = Bed::new(CLEAR);
        let mut stream = self.seed.stream("grass");
        let mut grown = 0;
        // Where there is no room the next place is tried, a little farther out.
        for place in 0..4 * self.blades {
            if grown == self.blades {
                break;
            }
            let name = format!("blade-{}", grown + 1);
            let draw = |stream: &mut Stream, freely: f64| self.blade(place, stream, freely);
            grown += u32::from(Blade::grow(&mut bed, &name, &mut stream, draw));
        }
        bed.model
    }

    /// Where a blade may grow: on a spiral, outwards and to any side.
    fn blade(&self, place: u32, stream: &mut Stream, freely: f64) -> Blade {
        let radius = self.spacing * (f64::from(self.blades) / std::f64::consts::PI).sqrt();
        let away = ((f64::from(place) + 0.5) / f64::from(self.blades)).sqrt();
        let out = outwards(GOLDEN * f64::from(place));
        let mut aside = || freely * (2.0 * stream.uniform() - 1.0);
        let from = out * (radius * away) + 0.25 * self.spacing * DVec3::new(aside(), 0.0, aside());
        let lean = out * (self.splay * away) + 0.3 * DVec3::new(aside(), 0.0, aside());
        let way = Way {
            from,
            turn: libm::atan2(lean.z, lean.x),
            rise: libm::atan2(1.0, lean.length()),
            bend: 0.0,
            length: self.length * (0.6 + 0.4 * stream.uniform()),
        };
        Blade { way, across: outwards(std::f64::consts::TAU * stream.uniform()), kind: GRASS }
    }

    /// The blades in three winds, or in one.
    pub fn generator(&self, name: &str, levels: usize) -> Generator {
        let weakest = LEVELS.len() - levels.clamp(1, LEVELS.len());
        Generator {
            name: name.to_owned(),
            model: self.model(),
            levels: winds(&LEVELS[weakest..], 0.25),
            settings: SimulateSettings {
                thickness: 0.0015,
                margin: 0.0008,
                distance: 0.004,
                friction: 0.2,
                damping: 0.5,
                ..SimulateSettings::default()
            },
            error: 0.0004,
        }
    }
}
