//! Plates that swing side by side: data in closed form, clean as long as all
//! swing together.

use proscenium_ensemble::data::{Condition, EnsembleParts, Group, Sequence};
use proscenium_ensemble::{CompressedEnsemble, Ensemble, compress};
use proscenium_work::Progress;

/// How plates swing.
#[derive(Clone, Copy)]
pub struct Swing {
    /// From one hinge to the next, metres.
    pub spacing: f64,
    /// How far each turns in its own way, radians.
    pub own: f64,
    /// How fast all turn together, radians per frame.
    pub speed: f64,
}

/// A gentle swing.
pub const GENTLE: Swing = Swing { spacing: 0.2, own: 0.04, speed: 0.21 };

/// The corners of a plate that hangs at `x` and is turned by `angle`.
pub fn plate(x: f64, angle: f64) -> Vec<[f32; 3]> {
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let corner = |down: f64, across: f64| [(x + down * sin) as f32, (-down * cos) as f32, across as f32];
    let rows = (0..4).map(|row| f64::from(row) / 3.0);
    rows.flat_map(|down| [corner(down, -0.2), corner(down, 0.2)]).collect()
}

pub fn group(name: String, x: f64) -> Group {
    let triangles = (0..3).flat_map(|row| {
        let first = 2 * row;
        [[first, first + 2, first + 1], [first + 1, first + 2, first + 3]]
    });
    Group { name, attachment: None, rest: plate(x, 0.0), triangles: triangles.collect() }
}

/// How a plate is turned at a time: as all are, and a little in its own way.
fn angle(swing: &Swing, strength: f64, time: f64, plate: usize) -> f64 {
    let own = swing.own * libm::sin(0.13 * time * (1.0 + 0.3 * plate as f64) + 2.0 * plate as f64);
    strength * (0.5 * libm::sin(swing.speed * time) + 0.3 * libm::sin(0.0834 * time + 1.0) + own)
}

/// `count` plates in two winds, `frames` frames in each.
pub fn plates(count: usize, frames: usize) -> CompressedEnsemble {
    swinging(GENTLE, count, frames)
}

/// The same with another swing.
pub fn swinging(swing: Swing, count: usize, frames: usize) -> CompressedEnsemble {
    let place = |k: usize| swing.spacing * k as f64;
    let groups: Vec<Group> = (0..count).map(|k| group(format!("plate-{k}"), place(k))).collect();
    let frame = |strength: f64, n: usize| -> Vec<[f32; 3]> {
        (0..count).flat_map(|k| plate(place(k), angle(&swing, strength, n as f64, k))).collect()
    };
    let sequence = |condition: usize, strength: f64| Sequence {
        condition,
        frames: (0..frames).map(|n| frame(strength, n + 1000 * condition)).collect(),
    };
    let condition = |name: &str, intensity: f64| Condition { name: name.to_owned(), intensity };
    let ensemble = Ensemble::new(EnsembleParts {
        name: "plates".to_owned(),
        groups,
        conditions: vec![condition("light", 0.6), condition("strong", 1.0)],
        sequences: vec![sequence(0, 0.6), sequence(1, 1.0)],
        frames_per_second: 30.0,
        thickness: 0.02,
    })
    .expect("the plates are sound");
    compress(&ensemble, 1e-4, &Progress::none())
        .expect("the plates can be compressed")
        .finished()
        .expect("nobody stops it")
}
