//! `iris`: irises with their leaves, in grass.

use glam::DVec3;
use proscenium_chance::{Seed, Stream};

use super::bed::{Bed, Part, Root};
use super::blade::{Blade, GRASS, Kind};
use super::{GOLDEN, Leaf, Way, corners_at, outwards, stem, winds};
use crate::simulate::{Generator, SimulateSettings, SoftModel, Stuff};

/// Irises on a round patch of ground, with leaves and grass between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iris {
    /// How many irises stand there.
    pub irises: u32,
    /// How many groups there are in all, if there is room: what is not iris is
    /// grass.
    pub groups: usize,
    /// From one iris to the next, about, metres.
    pub spacing: f64,
    /// What all follows from.
    pub seed: Seed,
}

impl Iris {
    /// A clump, to have many of: 160 to 177 groups.
    pub fn clump(seed: Seed) -> Self {
        let groups = 160 + seed.stream("groups").below(18) as usize;
        Self { irises: 7, groups, spacing: 0.13, seed }
    }

    /// A bed of twenty irises.
    pub fn large(seed: Seed) -> Self {
        Self { irises: 20, groups: 547, spacing: 0.15, seed }
    }
}

/// How long stems are, metres.
const STEM: [f64; 2] = [0.42, 0.68];
const STEM_RINGS: u32 = 8;
/// The radius of a stem, and of the flower's bottom, metres.
const RADII: [f64; 2] = [0.006, 0.014];
/// Of each flower, three petals fall and three stand.
const FALL: Leaf = Leaf { net: [6, 5], base: 0.006, width: 0.045, tip: 0.012, fold: 0.1 };
const STANDARD: Leaf = Leaf { net: [6, 5], base: 0.006, width: 0.036, tip: 0.012, fold: 0.15 };
/// How long petals are, metres.
const PETAL: [f64; 2] = [0.085, 0.075];
/// How long the leaves of an iris are, and how many it has.
const SWORD: [f64; 2] = [0.3, 0.5];
const SWORDS: u32 = 4;
/// How long blades of grass are, metres.
const BLADE: [f64; 2] = [0.14, 0.3];
/// How far apart all that grows is, metres.
const CLEAR: f64 = 0.0055;

const STALK: Stuff = Stuff { density: 1.2, stretch: 6_000.0, bend: 2_500.0, damping: 0.05 };
const PETALS: Stuff = Stuff { density: 0.12, stretch: 300.0, bend: 60.0, damping: 0.02 };
/// The leaves of an iris.
const LEAVES: Kind =
    Kind { rows: 9, width: 0.02, stuff: Stuff { density: 0.3, stretch: 400.0, bend: 12.0, damping: 0.02 } };

/// Wind levels: name and mean speed, metres per second.
const LEVELS: [(&str, f64); 3] = [("calm", 0.8), ("breeze", 1.5), ("wind", 2.3)];

impl Iris {
    /// The irises and the grass, at rest.
    pub fn model(&self) -> SoftModel {
        let mut bed = Bed::new(CLEAR);
        let mut stream = self.seed.stream("iris");
        let mut feet = Vec::new();
        for place in 0..4 * self.irises {
            if feet.len() == self.irises as usize {
                break;
            }
            feet.extend(self.grow_iris(&mut bed, place, feet.len() + 1, &mut stream));
        }
        for (number, &(foot, turn)) in (1..).zip(&feet) {
            for leaf in 0..SWORDS {
                grow_sword(&mut bed, foot, turn, [number, leaf + 1], &mut stream);
            }
        }
        for number in 1..=4 * self.groups as u32 {
            if bed.model.groups().len() >= self.groups {
                break;
            }
            self.grow_grass(&mut bed, number, &mut stream);
        }
        bed.model
    }

    fn radius(&self) -> f64 {
        self.spacing * (f64::from(self.irises) / std::f64::consts::PI).sqrt()
    }

    /// A stem and its flower: where it stands, and which way it is turned.
    fn grow_iris(&self, bed: &mut Bed, place: u32, number: usize, stream: &mut Stream) -> Option<(DVec3, f64)> {
        let away = ((f64::from(place) + 0.5) / f64::from(self.irises)).sqrt();
        let turn = GOLDEN * f64::from(place);
        let foot = outwards(turn) * (self.radius() * away);
        let grown = bed.grow(stream, |stream, freely| {
            let aside = freely * (2.0 * stream.uniform() - 1.0);
            let way = Way {
                from: foot,
                turn: turn + 0.6 * aside,
                rise: std::f64::consts::FRAC_PI_2 - 0.3 * away * stream.uniform(),
                bend: -0.08,
                length: STEM[0] + (STEM[1] - STEM[0]) * stream.uniform(),
            };
            flower(way, number, std::f64::consts::TAU * stream.uniform())
        })?;
        let (&stem, rest) = grown.split_first()?;
        (0..8).for_each(|vertex| bed.model.pin(stem, vertex));
        let (pistil, petals) = rest.split_last()?;
        let corners = corners_at(STEM_RINGS, 1.0);
        petals.iter().for_each(|&petal| bed.model.graft(petal, stem, corners, &FALL.base_vertices()));
        bed.model.graft(*pistil, stem, corners, &[0, 1, 2, 3, 4, 5, 6, 7]);
        Some((foot, turn))
    }

    fn grow_grass(&self, bed: &mut Bed, number: u32, stream: &mut Stream) {
        let reach = self.radius() + 0.5 * self.spacing;
        let draw = |stream: &mut Stream, freely: f64| {
            let root = outwards(std::f64::consts::TAU * stream.uniform()) * (reach * stream.uniform().sqrt());
            let lean = 0.35 * freely * stream.uniform();
            let way = Way {
                from: root,
                turn: std::f64::consts::TAU * stream.uniform(),
                rise: std::f64::consts::FRAC_PI_2 - lean,
                bend: -0.2 * freely,
                length: BLADE[0] + (BLADE[1] - BLADE[0]) * stream.uniform(),
            };
            Blade { way, across: outwards(std::f64::consts::TAU * stream.uniform()), kind: GRASS }
        };
        Blade::grow(bed, &format!("blade-{number}"), stream, draw);
    }

    /// All that in three winds, or in the strongest.
    pub fn generator(&self, name: &str, levels: usize) -> Generator {
        let weakest = LEVELS.len() - levels.clamp(1, LEVELS.len());
        Generator {
            name: name.to_owned(),
            model: self.model(),
            levels: winds(&LEVELS[weakest..], 0.3),
            settings: SimulateSettings {
                thickness: 0.0025,
                margin: 0.0015,
                distance: 0.005,
                friction: 0.2,
                damping: 0.5,
                ..SimulateSettings::default()
            },
            error: 0.001,
        }
    }
}

/// A stem, six petals and a pistil, in this order.
fn flower(way: Way, number: usize, turned: f64) -> Vec<Part> {
    let [thin, thick] = RADII;
    let add = move |model: &mut SoftModel| {
        let radius = |share: f64| thin + (thick - thin) * ((share - 0.85) / 0.15).max(0.0);
        stem(model, format!("stem-{number}"), STEM_RINGS, &STALK, radius, |share| way.at(share))
    };
    let mut parts = vec![Part { add: Box::new(add), from: Root::Ground }];
    let top = way.at(1.0);
    for petal in 0..6 {
        let turn = turned + f64::from(petal) * std::f64::consts::TAU / 6.0;
        let from = top + outwards(turn) * thick;
        let (leaf, way) = match petal % 2 {
            0 => (FALL, Way { from, turn, rise: 0.3, bend: -1.3, length: PETAL[0] }),
            _ => (STANDARD, Way { from, turn, rise: 0.75, bend: 1.1, length: PETAL[1] }),
        };
        let add = move |model: &mut SoftModel| leaf.add(model, format!("petal-{number}-{}", petal + 1), &PETALS, &way);
        parts.push(Part { add: Box::new(add), from: Root::With(0) });
    }
    let pistil = move |model: &mut SoftModel| {
        let middle = |share: f64| top + DVec3::Y * (0.045 * share);
        model.stalk(format!("pistil-{number}"), 4, &PETALS, |share| 0.004 - 0.001 * share, middle)
    };
    parts.push(Part { add: Box::new(pistil), from: Root::With(0) });
    parts
}

/// A leaf like a sword, beside the foot of an iris.
fn grow_sword(bed: &mut Bed, foot: DVec3, turn: f64, [iris, leaf]: [u32; 2], stream: &mut Stream) {
    let side = if leaf.is_multiple_of(2) { 1.0 } else { -1.0 };
    let draw = |stream: &mut Stream, freely: f64| {
        let aside = freely * (2.0 * stream.uniform() - 1.0);
        let turn = turn + std::f64::consts::FRAC_PI_2 * side + 0.9 * aside;
        let way = Way {
            from: foot + outwards(turn) * (0.012 + 0.012 * f64::from(leaf) + 0.02 * stream.uniform()),
            turn,
            rise: std::f64::consts::FRAC_PI_2 - 0.1 * f64::from(leaf) * (0.5 + 0.5 * freely * stream.uniform()),
            bend: -0.25 * freely,
            length: SWORD[0] + (SWORD[1] - SWORD[0]) * stream.uniform(),
        };
        Blade { way, across: outwards(turn + std::f64::consts::FRAC_PI_2 + 0.4 * aside), kind: LEAVES }
    };
    Blade::grow(bed, &format!("leaf-{iris}-{leaf}"), stream, draw);
}
