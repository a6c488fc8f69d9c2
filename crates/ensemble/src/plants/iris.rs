//! `iris`: flowers on stems with sword-shaped leaves, in grass.

use glam::DVec3;
use proscenium_chance::{Seed, Stream};

use super::grass::settings;
use super::{GOLDEN, Grass, Rod, Thicket, winds};
use crate::simulate::{Generator, SoftModel, Stuff};

/// Irises, and blades of grass between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Irises {
    /// How many flowers there are, each on its stem.
    pub flowers: u32,
    /// How many leaves each has.
    pub leaves: u32,
    /// How many blades of grass grow between them.
    pub blades: u32,
    /// From one stem to the next, about, metres.
    pub spacing: f64,
    /// What they follow from.
    pub seed: Seed,
}

impl Irises {
    /// A large bed.
    pub fn large(seed: Seed) -> Self {
        Self { flowers: 20, leaves: 5, blades: 307, spacing: 0.17, seed }
    }

    /// A clump, to have many of; a few more or fewer blades by the seed.
    pub fn clump(seed: Seed) -> Self {
        let blades = 112 + seed.stream("clump").below(17) as u32;
        Self { flowers: 4, leaves: 5, blades, spacing: 0.17, seed }
    }
}

const STEM: Stuff = Stuff { density: 1.2, stretch: 4000.0, bend: 60.0, damping: 0.03 };
const LEAF: Stuff = Stuff { density: 0.5, stretch: 800.0, bend: 14.0, damping: 0.03 };
const PETAL: Stuff = Stuff { density: 0.15, stretch: 120.0, bend: 0.4, damping: 0.02 };
/// Rings of a stem, rows of a leaf, and rows and columns of a petal.
const RINGS: u32 = 10;
const ROWS: u32 = 10;
const NET: [u32; 2] = [6, 5];
/// A stem's radius, a leaf's width, and a petal's length and width, metres.
const RADIUS: f64 = 0.004;
const WIDTH: f64 = 0.022;
const PETAL_SIZE: [f64; 2] = [0.075, 0.042];
/// Petals that stand, and as many that fall.
const STANDARDS: u32 = 3;
/// Wind levels: name and mean speed, metres per second.
const LEVELS: [(&str, f64); 3] = [("calm", 0.8), ("breeze", 1.6), ("wind", 2.5)];

/// A stem that is to grow.
struct Stem {
    root: DVec3,
    top: DVec3,
}

/// A leaf that is to grow.
struct Leaf {
    root: DVec3,
    tip: DVec3,
    across: DVec3,
}

impl Irises {
    /// The plants, at rest.
    pub fn model(&self) -> SoftModel {
        let mut model = SoftModel::new();
        let mut thicket = Thicket::default();
        let mut stream = self.seed.stream("irises");
        for number in 0..self.flowers {
            let stem = thicket.grow(&mut stream, |stream, freely| self.stem(number, stream, freely));
            let name = format!("iris-{}", number + 1);
            let group = model.tube(format!("{name}-stem"), RINGS, RADIUS, &STEM, |at| stem.root.lerp(stem.top, at));
            (0..8).for_each(|vertex| model.pin(group, vertex));
            flower(&mut model, group, &name, &stem, std::f64::consts::TAU * stream.uniform());
            for leaf in 0..self.leaves {
                let grown = thicket.grow(&mut stream, |stream, freely| leaf_of(&stem, leaf, stream, freely));
                let Leaf { root, tip, across } = grown;
                let width = |share: f64| WIDTH * (1.0 - 0.9 * share * share * share);
                let middle = |share: f64| root.lerp(tip, share);
                let group = model.blade(format!("{name}-leaf-{}", leaf + 1), ROWS, &LEAF, across, middle, width);
                (0..6).for_each(|vertex| model.pin(group, vertex));
            }
        }
        let area = f64::from(self.flowers) * self.spacing * self.spacing;
        let spacing = (area / f64::from(self.blades.max(1))).sqrt();
        let grass = Grass { blades: self.blades, spacing, length: 0.28, splay: 0.3, seed: self.seed };
        grass.grow(&mut model, &mut thicket);
        model
    }

    /// Where a stem may grow, with room for its flower.
    fn stem(&self, number: u32, stream: &mut Stream, freely: f64) -> (Stem, Vec<Rod>) {
        let (angle, away) = (GOLDEN * f64::from(number), (f64::from(number) / std::f64::consts::PI).sqrt());
        let mut aside = || freely * (2.0 * stream.uniform() - 1.0);
        let out = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
        let root = out * (self.spacing * away) + 0.2 * self.spacing * DVec3::new(aside(), 0.0, aside());
        let lean = 0.1 * away * out + 0.06 * DVec3::new(aside(), 0.0, aside());
        let top = root + (0.5 + 0.15 * stream.uniform()) * (DVec3::Y + lean).normalize();
        let rod = |from, to, radius| Rod { from, to, radius };
        let [length, _] = PETAL_SIZE;
        (
            Stem { root, top },
            vec![rod(root, top, RADIUS + 0.003), rod(top, top + 0.3 * length * DVec3::Y, 0.8 * length)],
        )
    }

    /// The plants in three winds, or in one.
    pub fn generator(&self, name: &str, levels: usize) -> Generator {
        let weakest = LEVELS.len() - levels.clamp(1, LEVELS.len());
        Generator {
            name: name.to_owned(),
            model: self.model(),
            levels: winds(&LEVELS[weakest..], 0.4),
            settings: settings(),
            error: 0.0004,
        }
    }
}

/// Where a leaf of a stem may grow: around it, and away from it.
fn leaf_of(stem: &Stem, number: u32, stream: &mut Stream, freely: f64) -> (Leaf, Vec<Rod>) {
    let angle = GOLDEN * f64::from(number) + freely * stream.uniform() + stem.root.x * 40.0;
    let out = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
    let root = stem.root + (0.026 + 0.004 * f64::from(number)) * out;
    let lean = (0.16 + 0.2 * stream.uniform()) * out;
    let tip = root + (0.3 + 0.14 * stream.uniform()) * (DVec3::Y + lean).normalize();
    let rod = Rod { from: root, to: tip, radius: 0.5 * WIDTH + 0.002 };
    (Leaf { root, tip, across: DVec3::Y.cross(out) }, vec![rod])
}

/// Petals around the top of a stem: by turns they stand and fall.
fn flower(model: &mut SoftModel, stem: usize, name: &str, at: &Stem, turn: f64) {
    let up = (at.top - at.root).normalize();
    let [length, width] = PETAL_SIZE;
    // A triangle of the stem that is as long as it is wide at the top.
    let last = 4 * (RINGS - 1);
    let anchor = [last, last + 2, last - 3];
    for number in 0..2 * STANDARDS {
        let stands = number % 2 == 0;
        let angle = turn + std::f64::consts::PI * f64::from(number) / f64::from(STANDARDS);
        let side = up.any_orthonormal_vector();
        let out = libm::cos(angle) * side + libm::sin(angle) * up.cross(side);
        // Those that stand open like a cup, those that fall go outwards below.
        let (rise, below) = if stands { (1.1, 0.0) } else { (0.12, 0.014) };
        let along = libm::cos(rise) * out + libm::sin(rise) * up;
        let root = at.top - below * up + (RADIUS + 0.0015) * out;
        let across = up.cross(out);
        let kind = if stands { "standard" } else { "fall" };
        let petal = model.sheet(format!("{name}-{kind}-{}", number / 2 + 1), NET, &PETAL, |down, over| {
            let bulge = libm::sin(std::f64::consts::PI * (0.06 + 0.82 * down));
            root + along * (length * down) + across * ((over - 0.5) * width * bulge)
        });
        let held: Vec<u32> = (0..2 * NET[1]).collect();
        model.clamp(petal, stem, anchor, &held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactTest;

    #[test]
    fn clumps_have_as_many_groups_as_those_of_the_paper_and_stand_clear() {
        for seed in 1..=4 {
            let model = Irises::clump(Seed(seed)).model();
            assert!((160..=177).contains(&model.groups().len()), "{}", model.groups().len());
            let rest: Vec<[f32; 3]> = model.groups().iter().flat_map(|group| group.rest.clone()).collect();
            let touching = ContactTest::new(model.groups(), settings().thickness).touching(&rest);
            let names = touching.iter().map(|&(k, l)| (&model.groups()[k].name, &model.groups()[l].name));
            assert_eq!(names.collect::<Vec<_>>(), []);
        }
        assert_eq!(Irises::large(Seed(1)).model().groups().len(), 547);
    }
}
