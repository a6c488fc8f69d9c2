//! `banana`: a banana plant and its sucker, with large leaves on stalks.

use glam::DVec3;
use proscenium_chance::{Seed, Stream};

use super::bed::{Bed, Part, Root};
use super::{GOLDEN, Leaf, Way, corners_at, outwards, stem, winds};
use crate::simulate::{Generator, SimulateSettings, SoftModel, Stuff};

/// A banana plant, and a smaller one beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banana {
    /// What the leaves follow from.
    pub seed: Seed,
}

/// A plant: where it stands, metres; how large it is; and its leaves.
#[derive(Clone, Copy)]
struct Plant {
    foot: DVec3,
    size: f64,
    leaves: u32,
}

const PLANTS: [Plant; 2] = [
    Plant { foot: DVec3::ZERO, size: 1.0, leaves: 10 },
    Plant { foot: DVec3::new(0.85, 0.0, 0.6), size: 0.5, leaves: 5 },
];

/// How high a trunk is, metres.
const TRUNK: f64 = 1.5;
const TRUNK_RINGS: u32 = 7;
/// How long a stalk is, metres.
const STALK: f64 = 0.4;
const STALK_RINGS: u32 = 4;
/// A leaf of a plant of full size.
const LEAF: Leaf = Leaf { net: [16, 7], base: 0.08, width: 0.4, tip: 0.05, fold: 0.14 };
/// How long it is, metres.
const LENGTH: f64 = 1.25;

const WOOD: Stuff = Stuff { density: 6.0, stretch: 60_000.0, bend: 20_000.0, damping: 0.03 };
const STIFF: Stuff = Stuff { density: 2.0, stretch: 12_000.0, bend: 4_000.0, damping: 0.03 };
const SOFT: Stuff = Stuff { density: 0.3, stretch: 3_000.0, bend: 2_000.0, damping: 0.02 };

/// Wind levels: name and mean speed, metres per second.
const LEVELS: [(&str, f64); 3] = [("calm", 1.2), ("breeze", 2.4), ("wind", 3.8)];

impl Banana {
    /// The plants, at rest.
    pub fn model(&self) -> SoftModel {
        let mut bed = Bed::new(1.1 * SimulateSettings::default().distance);
        let mut stream = self.seed.stream("banana");
        for (number, plant) in (1..).zip(PLANTS) {
            let trunk = bed.grow(&mut stream, |_, _| vec![trunk(plant, number)]);
            let Some([trunk]) = trunk.as_deref() else { continue };
            (0..8).for_each(|vertex| bed.model.pin(*trunk, vertex));
            for leaf in 0..plant.leaves {
                grow_leaf(&mut bed, plant, [number, leaf], *trunk, &mut stream);
            }
        }
        bed.model
    }

    /// The plants in three winds.
    pub fn generator(&self, name: &str) -> Generator {
        Generator {
            name: name.to_owned(),
            model: self.model(),
            levels: winds(&LEVELS, 0.8),
            settings: SimulateSettings { damping: 0.5, ..SimulateSettings::default() },
            error: 0.002,
        }
    }
}

fn trunk(plant: Plant, number: u32) -> Part {
    let add = move |model: &mut SoftModel| {
        let radius = |share: f64| plant.size * (0.1 - 0.035 * share);
        let middle = |share: f64| plant.foot + DVec3::Y * (TRUNK * plant.size * share);
        stem(model, format!("trunk-{number}"), TRUNK_RINGS, &WOOD, radius, middle)
    };
    Part { add: Box::new(add), from: Root::Ground }
}

/// A stalk from the trunk, and a leaf on it.
fn grow_leaf(bed: &mut Bed, plant: Plant, [number, leaf]: [u32; 2], trunk: usize, stream: &mut Stream) {
    let size = plant.size;
    // The youngest stand highest and steepest; the oldest spread.
    let age = f64::from(leaf) / f64::from(plant.leaves);
    let share = 0.97 - 0.45 * age;
    let grown = bed.grow(stream, |stream, freely| {
        let mut aside = || freely * (2.0 * stream.uniform() - 1.0);
        let turn = GOLDEN * f64::from(leaf) + 0.3 * aside();
        let rise = 1.2 - 0.8 * age + 0.15 * aside();
        let arch = -0.9 + 0.35 * aside();
        let from = plant.foot + DVec3::Y * (TRUNK * size * share) + outwards(turn) * (0.06 * size);
        let stalk = Way { from, turn, rise, bend: -0.15, length: STALK * size };
        let blade = Way { from: stalk.at(1.0), turn, rise: rise - 0.15, bend: arch, length: LENGTH * size };
        let add_stalk = move |model: &mut SoftModel| {
            let radius = |share: f64| size * (0.028 - 0.01 * share);
            stem(model, format!("stalk-{number}-{}", leaf + 1), STALK_RINGS, &STIFF, radius, |share| stalk.at(share))
        };
        let add_blade = move |model: &mut SoftModel| {
            LEAF.scaled(size).add(model, format!("leaf-{number}-{}", leaf + 1), &SOFT, &blade)
        };
        vec![
            Part { add: Box::new(add_stalk), from: Root::Grown(trunk) },
            Part { add: Box::new(add_blade), from: Root::With(0) },
        ]
    });
    let Some([stalk, blade]) = grown.as_deref() else { return };
    let held: Vec<u32> = (0..8).collect();
    bed.model.graft(*stalk, trunk, corners_at(TRUNK_RINGS, share), &held);
    bed.model.graft(*blade, *stalk, corners_at(STALK_RINGS, 1.0), &LEAF.base_vertices());
}
