//! `banana`: a tree of large leaves on stalks.

use glam::DVec3;
use proscenium_chance::Seed;

use super::{GOLDEN, winds};
use crate::simulate::{Generator, SimulateSettings, SoftModel, Stuff};

/// A banana tree: a trunk, stalks, and a leaf on each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Banana {
    /// How many leaves it has.
    pub leaves: u32,
    /// How high the trunk is, metres.
    pub height: f64,
    /// What it follows from.
    pub seed: Seed,
}

impl Banana {
    /// A tree of 31 groups below its youngest leaf, which is still furled.
    pub fn new(seed: Seed) -> Self {
        Self { leaves: 15, height: 1.6, seed }
    }
}

const TRUNK: Stuff = Stuff { density: 12.0, stretch: 60_000.0, bend: 8000.0, damping: 0.05 };
const STALK: Stuff = Stuff { density: 4.0, stretch: 20_000.0, bend: 1500.0, damping: 0.04 };
const LEAF: Stuff = Stuff { density: 0.3, stretch: 900.0, bend: 6.0, damping: 0.02 };
/// The rib of a leaf; only what resists bending counts.
const RIB: Stuff = Stuff { density: 0.0, stretch: 0.0, bend: 700.0, damping: 0.04 };
/// Rings of the trunk and of a stalk, rows and columns of a leaf.
const RINGS: [u32; 2] = [8, 6];
const NET: [u32; 2] = [16, 9];
/// Radii of the trunk and of a stalk, metres.
const RADII: [f64; 2] = [0.09, 0.018];
/// How long a stalk is, and how long and wide a leaf is, metres.
const STALK_LENGTH: f64 = 0.35;
const LEAF_SIZE: [f64; 2] = [1.15, 0.34];
/// Wind levels: name and mean speed, metres per second.
const LEVELS: [(&str, f64); 3] = [("calm", 1.2), ("breeze", 3.0), ("gale", 5.5)];

impl Banana {
    /// The tree, at rest.
    pub fn model(&self) -> SoftModel {
        let mut model = SoftModel::new();
        let mut stream = self.seed.stream("banana");
        let trunk = model.tube("trunk", RINGS[0], RADII[0], &TRUNK, |share| DVec3::Y * (self.height * share));
        (0..8).for_each(|vertex| model.pin(trunk, vertex));
        for number in 0..self.leaves {
            let share = f64::from(number) / f64::from(self.leaves);
            let turn = GOLDEN * f64::from(number) + 0.2 * (stream.uniform() - 0.5);
            let out = DVec3::new(libm::cos(turn), 0.0, libm::sin(turn));
            // Older leaves hang lower and farther out.
            let rise = 0.35 + 0.95 * share + 0.1 * (stream.uniform() - 0.5);
            let ring = RINGS[0] - 1 - u32::from(share < 0.5);
            let foot = DVec3::Y * (self.height * f64::from(ring) / f64::from(RINGS[0] - 1));
            let along = libm::cos(rise) * out + libm::sin(rise) * DVec3::Y;
            let root = foot + (RADII[0] + RADII[1]) * out + (0.1 * share + 0.02) * DVec3::Y;
            self.leaf(&mut model, trunk, number, ring, (root, along, DVec3::Y.cross(out)));
        }
        let top = DVec3::Y * (self.height + 0.03);
        let furled = model.tube("furled", RINGS[1], 0.02, &STALK, |share| top + DVec3::Y * (0.7 * share));
        let ring = 4 * (RINGS[0] - 1);
        model.clamp(furled, trunk, [ring, ring + 1, ring + 2], &(0..8).collect::<Vec<_>>());
        model
    }

    /// A stalk on the trunk, and a leaf on the stalk.
    fn leaf(
        &self,
        model: &mut SoftModel,
        trunk: usize,
        number: u32,
        ring: u32,
        (root, along, across): (DVec3, DVec3, DVec3),
    ) {
        let end = root + STALK_LENGTH * along;
        let stalk =
            model.tube(format!("stalk-{}", number + 1), RINGS[1], RADII[1], &STALK, |share| root.lerp(end, share));
        let first = 4 * ring;
        model.clamp(stalk, trunk, [first, first + 2, first - 3], &(0..8).collect::<Vec<_>>());
        let face = across.cross(along).normalize_or(DVec3::Y);
        let [length, width] = LEAF_SIZE;
        let [rows, columns] = NET;
        let leaf = model.sheet(format!("leaf-{}", number + 1), NET, &LEAF, |down, over| {
            let bulge = libm::sin(std::f64::consts::PI * (0.08 + 0.84 * down));
            let aside = 2.0 * over - 1.0;
            let place = end + along * (0.03 + length * down) + across * (0.5 * width * bulge * aside);
            // A shallow gutter along the rib.
            place + face * (0.12 * width * bulge * aside.abs())
        });
        let rib: Vec<u32> = (0..rows).map(|row| row * columns + columns / 2).collect();
        model.stiffen(leaf, &rib, &RIB);
        let last = 4 * (RINGS[1] - 1);
        model.clamp(leaf, stalk, [last, last + 2, last - 3], &(0..2 * columns).collect::<Vec<_>>());
    }

    /// The tree in three winds.
    pub fn generator(&self) -> Generator {
        let thick = SimulateSettings {
            thickness: 0.006,
            margin: 0.003,
            distance: 0.02,
            damping: 0.4,
            ..SimulateSettings::default()
        };
        Generator {
            name: "banana".to_owned(),
            model: self.model(),
            levels: winds(&LEVELS, 1.0),
            settings: SimulateSettings { steps: 24, ..thick },
            error: 0.0015,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactTest;

    #[test]
    fn a_tree_has_as_many_groups_as_that_of_the_paper_and_stands_clear() {
        let generator = Banana::new(Seed(1)).generator();
        let groups = generator.model.groups();
        assert_eq!(groups.len(), 32);
        let rest: Vec<[f32; 3]> = groups.iter().flat_map(|group| group.rest.clone()).collect();
        let touching = ContactTest::new(groups, generator.settings.thickness).touching(&rest);
        let names = touching.iter().map(|&(k, l)| (&groups[k].name, &groups[l].name));
        assert_eq!(names.collect::<Vec<_>>(), []);
    }
}
