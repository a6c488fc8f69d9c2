//! Ensembles that several tests use.

#![allow(clippy::unwrap_used, reason = "only tests call this")]

use proscenium_ensemble::Ensemble;
use proscenium_ensemble::data::{Attachment, Condition, EnsembleParts, Group, Sequence};

/// A strip of two rows of `length` vertices along y, from `base`.
pub fn strip(name: &str, base: [f32; 3], length: u32, height: f32, width: f32) -> Group {
    let row = |at: u32| height * at as f32 / (length - 1) as f32;
    let rest = (0..length).flat_map(|at| [0.0, width].map(|x| [base[0] + x, base[1] + row(at), base[2]]));
    let quads = (0..length - 1).map(|at| 2 * at);
    let triangles = quads.flat_map(|a| [[a, a + 1, a + 2], [a + 1, a + 3, a + 2]]);
    Group { name: name.to_owned(), attachment: None, rest: rest.collect(), triangles: triangles.collect() }
}

/// A stem that sways, and leaves on it that flap, each in its own time.
pub struct Plant {
    pub groups: Vec<Group>,
}

impl Plant {
    pub fn new(leaves: u32) -> Self {
        let mut groups = vec![strip("stem", [0.0, 0.0, 0.0], 9, 1.0, 0.05)];
        for leaf in 0..leaves {
            let mut group = strip(&format!("leaf {leaf}"), [0.025, 0.25 + 0.125 * leaf as f32, 0.0], 6, 0.3, 0.04);
            // Leaves point to the side, away from the stem.
            for point in &mut group.rest {
                let (along, across) = (point[1] - (0.25 + 0.125 * leaf as f32), point[0] - 0.025);
                *point = [0.025 + across, 0.25 + 0.125 * leaf as f32, 0.001 + along];
            }
            let first = 2 * (2 + leaf);
            group.attachment = Some(Attachment { parent: 0, anchor: [first, first + 1, first + 3] });
            groups.push(group);
        }
        Plant { groups }
    }

    /// All vertices at a time, seconds, in a wind of some strength.
    pub fn frame(&self, time: f64, wind: f64) -> Vec<[f32; 3]> {
        let sway = |y: f64| wind * y * y * (0.3 + 0.2 * libm::sin(2.1 * time) + 0.05 * libm::sin(7.3 * time + y));
        let moved = |group: usize, [x, y, z]: [f32; 3]| {
            let (x, y, z) = (f64::from(x), f64::from(y), f64::from(z));
            let flap = if group == 0 { 0.0 } else { 0.6 * wind * z * z * libm::sin(5.0 * time + group as f64) };
            let twist = if group == 0 { 0.0 } else { 0.2 * wind * z * libm::sin(3.1 * time - 2.0 * group as f64) };
            [(x + sway(y) + twist) as f32, (y - 0.5 * sway(y) * sway(y) + flap) as f32, z as f32]
        };
        let groups = self.groups.iter().enumerate();
        groups.flat_map(|(group, data)| data.rest.iter().map(move |&point| moved(group, point))).collect()
    }

    pub fn sequence(&self, condition: usize, frames: u32) -> Sequence {
        let wind = 0.3 + 0.4 * condition as f64;
        let frame = |n: u32| self.frame(f64::from(n) / 30.0 + 7.0 * condition as f64, wind);
        Sequence { condition, frames: (0..frames).map(frame).collect() }
    }

    pub fn parts(&self, conditions: usize, frames: u32) -> EnsembleParts {
        let names = ["calm", "breeze", "gale"];
        EnsembleParts {
            name: "plant".to_owned(),
            groups: self.groups.clone(),
            conditions: (0..conditions)
                .map(|at| Condition { name: names[at].to_owned(), intensity: at as f64 })
                .collect(),
            sequences: (0..conditions).map(|condition| self.sequence(condition, frames)).collect(),
            frames_per_second: 30.0,
            thickness: 0.002,
        }
    }

    pub fn ensemble(&self, conditions: usize, frames: u32) -> Ensemble {
        Ensemble::new(self.parts(conditions, frames)).unwrap()
    }
}

pub fn away(a: [f32; 3], b: [f32; 3]) -> f64 {
    libm::sqrt((0..3).map(|axis| f64::from(a[axis]) - f64::from(b[axis])).map(|x| x * x).sum())
}
