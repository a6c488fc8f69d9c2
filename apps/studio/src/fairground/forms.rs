//! What the boxes of a ride stand for: a model says how large a part is, and here
//! it gets a form of that size. What is long becomes a pole, what is flat a disc,
//! a plate that stands up a trestle, and what people sit in a car or a boat. What
//! would float is held by rods.

use std::f64::consts::TAU;

use proscenium_cull::Model;
use proscenium_cull::geometry::{Part, Solid};
use proscenium_cull::glam::{DAffine3, DVec3};

/// Points around a ring.
const AROUND: usize = 24;
/// A part this many times as long as it is wide is a pole, and one this many times as
/// wide as it is high a plate.
const LONG: f64 = 3.0;
const FLAT: f64 = 5.0;
/// How round a ring is: 2 is an ellipse, and more is nearer to a rectangle.
const ROUND: f64 = 2.0;
const SEAT: f64 = 4.5;
const HULL: f64 = 2.6;
/// What people sit in.
const CARS: [&str; 5] = ["seat", "car", "cabin", "gondola", "bench"];
const BOATS: [&str; 3] = ["hull", "boat", "ship"];
/// The radius of a rod, m, and how far parts may be apart before one is held by rods.
const ROD: f64 = 0.045;
const APART: f64 = 0.12;
/// Places that differ by less are the same, m.
const SAME: f64 = 1e-6;

/// A form as triangles, around the middle of its part.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// Where its corners are, m.
    pub positions: Vec<[f32; 3]>,
    /// Which three corners each triangle has.
    pub triangles: Vec<[u32; 3]>,
}

/// The forms of a model's parts; of those that look like a ball, like a mesh, or
/// like nothing there is none.
pub fn forms(model: &Model) -> Vec<Option<Form>> {
    let form = |(index, part): (usize, &Part)| match (&part.solid, &part.mesh) {
        (Some(Solid::Box(half)), None) => {
            let mut form = Form::of(&part.name, *half);
            for (from, to) in rods(model, index, *half) {
                form.rod(from, to, ROD);
            }
            Some(form)
        }
        _ => None,
    };
    model.parts().iter().enumerate().map(form).collect()
}

impl Form {
    /// What a box of this name and size stands for.
    fn of(name: &str, half: DVec3) -> Self {
        let mut form = Self::default();
        let is = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let order = by_length(half);
        let [longest, middle, least] = order.map(|axis| half[axis]);
        if is(&BOATS) {
            form.boat(half);
        } else if is(&CARS) {
            form.car(half);
        } else if longest > LONG * middle {
            form.pole(half, order[0]);
        } else if middle > FLAT * least && order[2] != 1 && order[0] == 1 {
            form.trestle(half);
        } else if is_square(half.x, half.z) && (half.y > half.x || half.x > FLAT * half.y) {
            form.pole(half, 1);
        } else {
            form.plank(half);
        }
        form
    }

    /// A ring of points, which are added.
    fn ring(&mut self, point: impl Fn(f64, f64) -> DVec3, power: f64) -> u32 {
        let first = self.positions.len() as u32;
        let bent = |share: f64| libm::pow(share.abs(), 2.0 / power).copysign(share);
        for number in 0..AROUND {
            let (sine, cosine) = libm::sincos(TAU * number as f64 / AROUND as f64);
            self.positions.push(point(bent(cosine), bent(sine)).as_vec3().to_array());
        }
        first
    }

    /// A skin over rings, one above the other, from the one end to the other.
    fn skin(&mut self, rings: &[u32]) {
        for pair in rings.windows(2) {
            for number in 0..AROUND as u32 {
                let next = (number + 1) % AROUND as u32;
                let [a, b, c, d] = [pair[0] + number, pair[0] + next, pair[1] + next, pair[1] + number];
                self.triangles.extend([[a, c, b], [a, d, c]]);
            }
        }
    }

    /// A round body along an axis, with edges that are a little rounded.
    fn pole(&mut self, half: DVec3, along: usize) {
        let [u, v] = [(along + 1) % 3, (along + 2) % 3];
        let edge = 0.35 * half[u].min(half[v]).min(half[along]);
        let within = |by: f64, from: f64| if from > 0.0 { (from - by) / from } else { 0.0 };
        let profile = [
            (0.0, -1.0),
            (within(edge, half[u].min(half[v])), -1.0),
            (1.0, -within(edge, half[along])),
            (1.0, within(edge, half[along])),
            (within(edge, half[u].min(half[v])), 1.0),
            (0.0, 1.0),
        ];
        let rings = profile.map(|(wide, high)| {
            let point = |cosine: f64, sine: f64| {
                let mut place = DVec3::ZERO;
                place[u] = wide * cosine * half[u];
                place[v] = wide * sine * half[v];
                place[along] = high * half[along];
                place
            };
            self.ring(point, ROUND)
        });
        self.skin(&rings);
    }

    /// A box with rounded corners.
    fn plank(&mut self, half: DVec3) {
        let edge = (0.2 * half.min_element()).min(0.06);
        let [x, z] = [(half.x - edge) / half.x, (half.z - edge) / half.z];
        let profile = [
            (0.0, 0.0, -1.0),
            (x, z, -1.0),
            (1.0, 1.0, edge / half.y - 1.0),
            (1.0, 1.0, 1.0 - edge / half.y),
            (x, z, 1.0),
            (0.0, 0.0, 1.0),
        ];
        let rings = profile.map(|(wide, deep, high)| {
            self.ring(|cosine, sine| DVec3::new(wide * cosine, high, deep * sine) * half, 12.0)
        });
        self.skin(&rings);
    }

    /// An open shell: the outside from the keel to the rim, and the inside down to a floor.
    fn shell(&mut self, half: DVec3, power: f64, keel: DVec3, floor: f64, rim: impl Fn(f64) -> f64) {
        // Shares of the widths and of the way from the bottom to the rim.
        let outside = [(0.0, 0.0), (0.55, 0.0), (0.82, 0.1), (0.95, 0.45), (1.0, 1.0)];
        let wide = |share: f64, up: f64| keel.lerp(DVec3::ONE, up) * share;
        let mut rings: Vec<u32> = outside
            .into_iter()
            .map(|(share, up)| {
                let size = wide(share, up);
                let point = |cosine: f64, sine: f64| {
                    DVec3::new(size.x * cosine, up * (rim(cosine) + 1.0) - 1.0, size.z * sine) * half
                };
                self.ring(point, power)
            })
            .collect();
        let thick = (0.08 * half.x.min(half.z)).max(0.02);
        let [x, z] = [half.x - thick, half.z - thick];
        rings.push(self.ring(|cosine, sine| DVec3::new(x * cosine, rim(cosine) * half.y, z * sine), power));
        rings.push(self.ring(|cosine, sine| DVec3::new(0.92 * x * cosine, floor * half.y, 0.92 * z * sine), power));
        rings.push(self.ring(|_, _| DVec3::new(0.0, floor * half.y, 0.0), power));
        self.skin(&rings);
    }

    /// A car to sit in: what goes along x has its back behind, and what is broad turns
    /// its back outwards.
    fn car(&mut self, half: DVec3) {
        let back = if half.x > 1.1 * half.z { -1.0 } else { 1.0 };
        let rim = |cosine: f64| {
            let behind = ((back * cosine + 0.1) / 0.8).clamp(0.0, 1.0);
            -0.05 + 1.05 * behind * behind * (3.0 - 2.0 * behind)
        };
        self.shell(half, SEAT, DVec3::new(0.86, 1.0, 0.86), -0.55, rim);
        // The bench within.
        let first = self.positions.len();
        self.plank(DVec3::new(0.28 * half.x, 0.18 * half.y, 0.8 * half.z));
        for place in &mut self.positions[first..] {
            place[0] += (0.45 * back * half.x) as f32;
            place[1] -= (0.38 * half.y) as f32;
        }
    }

    /// A boat, which rises at its ends.
    fn boat(&mut self, half: DVec3) {
        self.shell(half, HULL, DVec3::new(0.72, 1.0, 0.45), -0.35, |cosine| 0.25 + 0.75 * cosine * cosine);
        for bench in [-0.5, 0.0, 0.5] {
            let from = self.positions.len();
            self.plank(DVec3::new(0.07 * half.x, 0.07 * half.y, 0.78 * half.z));
            for place in &mut self.positions[from..] {
                place[0] += (bench * half.x) as f32;
            }
        }
    }

    /// Two legs that lean on each other, and a bar between them.
    fn trestle(&mut self, half: DVec3) {
        let thin = half.x.min(half.z);
        let along = if half.x > half.z { DVec3::X * (half.x - thin) } else { DVec3::Z * (half.z - thin) };
        // The end of a leg that leans reaches lower on one side.
        let (foot, top) = (DVec3::Y * (0.5 * thin - half.y), DVec3::Y * (half.y - thin));
        for side in [-1.0, 1.0] {
            self.rod(foot + side * along, top + 0.06 * side * along, thin);
        }
        let bar = 0.55 * along;
        self.rod(DVec3::Y * (-0.1 * half.y) - bar, DVec3::Y * (-0.1 * half.y) + bar, 0.7 * thin);
    }

    fn rod(&mut self, from: DVec3, to: DVec3, radius: f64) {
        let Some(ahead) = (to - from).try_normalize() else { return };
        let [aside, across] = [ahead.any_orthonormal_vector(), ahead.cross(ahead.any_orthonormal_vector())];
        let rings = [(from, 0.0), (from, radius), (to, radius), (to, 0.0)].map(|(middle, radius)| {
            self.ring(|cosine, sine| middle + radius * (cosine * aside + sine * across), ROUND)
        });
        self.skin(&rings);
    }
}

/// The axes of a box, the longest first.
fn by_length(half: DVec3) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| half[*b].total_cmp(&half[*a]).then(a.cmp(b)));
    order
}

fn is_square(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.05 * a.max(b)
}

/// Rods that hold a part which would float, in its own coordinates: from where what
/// carries it is, by way of everything between them that cannot be seen.
fn rods(model: &Model, index: usize, half: DVec3) -> Vec<(DVec3, DVec3)> {
    let parts = model.parts();
    // What holds in two states of different outputs is how the part is made.
    let [first, second] = [0.0, 0.7].map(|output| model.poses(0, &vec![output; model.outputs().len()]));
    let seen_from = |poses: &[DAffine3], place: DVec3, of: usize| {
        poses[index].inverse().transform_point3(poses[of].transform_point3(place))
    };
    let mut chain = Vec::new();
    let mut above = parts[index].parent;
    while let Some(carrier) = above {
        let (place, is_seen) = match parts[carrier].solid {
            Some(Solid::Box(its)) => {
                let from = *chain.last().map_or(&index, |(_, of)| of);
                let here = first[carrier].inverse().transform_point3(first[from].translation);
                (here.clamp(-its, its), true)
            }
            _ => (DVec3::ZERO, parts[carrier].solid.is_some() || parts[carrier].mesh.is_some()),
        };
        let [one, other] = [&first, &second].map(|poses| seen_from(poses, place, carrier));
        if one.distance(other) > SAME {
            return Vec::new();
        }
        chain.push((one, carrier));
        if is_seen {
            break;
        }
        above = parts[carrier].parent;
    }
    let Some(&(end, _)) = chain.last() else { return Vec::new() };
    if end.distance(end.clamp(-half, half)) < APART {
        return Vec::new();
    }
    let next = chain[0].0;
    // What is long hangs at both of its ends.
    let holds = if half.x > 1.5 * half.z && next.y > half.y {
        vec![DVec3::new(-0.75 * half.x, 0.3 * half.y, 0.0), DVec3::new(0.75 * half.x, 0.3 * half.y, 0.0)]
    } else {
        vec![next.clamp(-0.9 * half, 0.9 * half) * DVec3::new(1.0, 0.6, 1.0)]
    };
    let between = chain.windows(2).map(|pair| (pair[0].0, pair[1].0));
    let all = holds.into_iter().map(|hold| (hold, next)).chain(between);
    all.filter(|(from, to)| from.distance(*to) > SAME).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn model(name: &str) -> Model {
        proscenium_cull::builtin::MODELS.iter().find(|model| model.name == name).unwrap().model().unwrap()
    }

    fn reach(form: &Form) -> DVec3 {
        let places = form.positions.iter().map(|place| DVec3::from_array(place.map(|value| f64::from(value.abs()))));
        places.fold(DVec3::ZERO, DVec3::max)
    }

    #[test]
    fn forms_fill_the_boxes_that_they_stand_for() {
        for name in ["seat", "hull", "mast", "base", "trestle", "block"] {
            for half in [DVec3::new(0.4, 0.3, 0.5), DVec3::new(4.5, 0.12, 0.12), DVec3::new(1.2, 1.6, 0.1), DVec3::ONE]
            {
                let form = Form::of(name, half);
                let seen = reach(&form);
                assert!(seen.cmple(half + 1e-6).all() && seen.cmpge(0.8 * half).all(), "{name} {half} {seen}");
                let corners = form.positions.len() as u32;
                assert!(form.triangles.iter().flatten().all(|corner| *corner < corners));
            }
        }
    }

    #[test]
    fn what_would_float_is_held_and_what_stands_on_something_is_not() {
        let held = |name: &str, part: &str| {
            let model = model(name);
            let index = model.parts().iter().position(|one| one.name == part).unwrap();
            let Some(Solid::Box(half)) = model.parts()[index].solid else { panic!("{part} is no box") };
            rods(&model, index, half)
        };
        // By way of the cradle, up to the end of the beam.
        let octopus = held("octopus", "seat");
        assert!(octopus.len() == 2 && octopus[1].1.distance(DVec3::new(-0.8, 0.52, 0.0)) < 1e-9, "{octopus:?}");
        assert_eq!(held("ship", "hull").len(), 2);
        assert_eq!(held("dive-bomber", "seat").len(), 1);
        for (name, part) in [("octopus", "hub"), ("octopus", "beam"), ("pendulum", "upper"), ("roller-coaster", "car")]
        {
            assert!(held(name, part).is_empty(), "{name} {part}");
        }
    }
}
