//! What rides look like: a shape for every part that can be seen, a plate under
//! each ride, and rails where a model has a track.

use proscenium_cull::geometry::{Bounds, Solid};
use proscenium_cull::glam::{DAffine3, DVec3};
use proscenium_cull::{Model, Regime};

use crate::api::{LiveFinish, LiveShape, LiveSolid, LiveStill};
use crate::live::Instances;

use super::forms::forms;

/// From one place of a track to the next, per point of its curve.
const RAIL_STEPS: u32 = 10;
/// A post stands under every so many of those places.
const POSTS: usize = 5;

/// A lamp that is off keeps this share of its colour.
const DIM: f32 = 0.25;

/// Colours of the ground that tell how a ride came back into view.
const BY_COMPLETE: [u8; 3] = [0x7f, 0xc9, 0xa0];
const BY_JUMPS: [u8; 3] = [0xf0, 0xc4, 0x74];
const BY_SAMPLE: [u8; 3] = [0x86, 0xb1, 0xee];
const ALWAYS: [u8; 3] = [0xb4, 0xb8, 0xbe];
/// The ground reaches so far around a ride, m.
const AROUND: f64 = 0.8;
/// Between the posts of a fence, how high it is, and how thick its wood, m.
const POST: f64 = 1.6;
const FENCE: f64 = 0.95;
const WOOD: f64 = 0.035;
/// A fence has an opening on the side of the visitors, m.
const ENTRANCE: f64 = 1.6;

/// How a kind of ride is drawn.
pub struct Looks {
    /// By part: its shape, if it can be seen.
    parts: Vec<Option<usize>>,
    /// By part: the output that says whether it is lit, if it is a lamp.
    lamps: Vec<Option<usize>>,
    ground: usize,
    fence: usize,
    middle: DVec3,
    rails: Vec<usize>,
}

/// How a ride that is in view came there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was not computed while nobody looked, and came back like this.
    Culled(Regime),
    /// It is computed always.
    Always,
}

impl Origin {
    /// The number that the page knows it by.
    pub fn number(self) -> u8 {
        match self {
            Origin::Culled(Regime::Complete) => 0,
            Origin::Culled(Regime::Approximate) => 1,
            Origin::Culled(Regime::Sampled) => 2,
            Origin::Always => 3,
        }
    }

    fn colour(self) -> [u8; 3] {
        [BY_COMPLETE, BY_JUMPS, BY_SAMPLE, ALWAYS][usize::from(self.number())]
    }
}

impl Looks {
    /// Adds the shapes of a model to those that there are.
    pub fn new(model: &Model, bounds: &Bounds, shapes: &mut Vec<LiveShape>) -> Self {
        let mut add_finished = |name: String, solid: LiveSolid, colour: String, finish: LiveFinish| {
            shapes.push(LiveShape { name, solid, colour, finish });
            shapes.len() - 1
        };
        let solid = |solid: &Solid| match solid {
            Solid::Box(half) => LiveSolid::Box(half.to_array()),
            Solid::Ball(radius) => LiveSolid::Ball(*radius),
        };
        let parts: Vec<Option<usize>> = model
            .parts()
            .iter()
            .zip(forms(model))
            .map(|(part, form)| {
                let name = format!("{} {}", model.name(), part.name);
                let mesh = part.mesh.as_ref().map(|mesh| LiveSolid::Mesh {
                    positions: mesh.positions().iter().flatten().copied().collect(),
                    indices: mesh.triangles().iter().flatten().copied().collect(),
                });
                let form = form.map(|form| LiveSolid::Mesh {
                    positions: form.positions.concat(),
                    indices: form.triangles.concat(),
                });
                let seen = mesh.or(form).or_else(|| part.solid.as_ref().map(solid));
                seen.map(|seen| add_finished(name, seen, web_colour(part.colour), LiveFinish::Paint))
            })
            .collect();
        // A part that is called as a mode is a lamp that shines in this mode.
        let lamp = |name: &str| model.modes().iter().any(|mode| mode == name).then(|| model.output_index(name));
        let lamps = model.parts().iter().map(|part| lamp(&part.name).flatten()).collect();
        let middle = 0.5 * (bounds.min + bounds.max);
        let half = 0.5 * (bounds.max - bounds.min);
        let plate = LiveSolid::Box([half.x + AROUND, 0.03, half.z + AROUND]);
        let name = |what: &str| format!("{} {what}", model.name());
        let ground = add_finished(name("ground"), plate, "#a89b80".to_owned(), LiveFinish::Grain);
        let fence = fence(half.x + AROUND, half.z + AROUND);
        let fence = add_finished(name("fence"), fence, "#d9d4c6".to_owned(), LiveFinish::Plain);
        let mut add = |name, solid, colour| add_finished(name, solid, colour, LiveFinish::Metal);
        let track = model.curve("track", RAIL_STEPS).unwrap_or_default();
        let rails = if track.is_empty() {
            Vec::new()
        } else {
            let points = track.iter().map(|place| (*place - DVec3::Y * 0.55).to_array()).collect();
            let pipe = LiveSolid::Pipe { points, closed: true, radius: 0.14 };
            let rail = add(format!("{} rail", model.name()), pipe, "#c8503a".to_owned());
            vec![rail, add(format!("{} posts", model.name()), posts(&track), "#b9bec6".to_owned())]
        };
        Self { parts, lamps, ground, fence, middle: DVec3::new(middle.x, 0.0, middle.z), rails }
    }

    /// Draws a ride: its copies' outputs at a place.
    pub fn draw<'a>(
        &self,
        model: &Model,
        copies: impl Iterator<Item = &'a [f64]>,
        place: DVec3,
        (owner, shown): (u32, Option<Origin>),
        instances: &mut Instances,
    ) {
        let moved = DAffine3::from_translation(place);
        let ground = DAffine3::from_translation(place + self.middle);
        instances.push(self.ground, &ground, owner, shown.map(Origin::colour));
        instances.push(self.fence, &ground, owner, None);
        for rail in &self.rails {
            instances.push(*rail, &moved, owner, None);
        }
        for (copy, outputs) in copies.enumerate() {
            // It is not in view.
            if outputs.is_empty() && !model.outputs().is_empty() {
                continue;
            }
            let poses = model.poses(copy, outputs);
            for (index, (part, pose)) in model.parts().iter().zip(&poses).enumerate() {
                if copy > 0 && !part.each {
                    continue;
                }
                if let Some(shape) = self.parts[index] {
                    let is_off =
                        self.lamps[index].is_some_and(|output| outputs.get(output).is_some_and(|on| *on < 0.5));
                    let colour = is_off.then(|| part.colour.map(|share| (share * DIM * 255.0) as u8));
                    instances.push(shape, &(moved * *pose), owner, colour);
                }
            }
        }
    }
}

/// A fence around a plate with these half sides, as triangles.
fn fence(x: f64, z: f64) -> LiveSolid {
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    let mut beam = |from: [f64; 3], to: [f64; 3]| {
        let first = (positions.len() / 3) as u32;
        for corner in 0..8 {
            for axis in 0..3 {
                let end = if corner >> axis & 1 == 0 { from[axis] - WOOD } else { to[axis] + WOOD };
                positions.push(end as f32);
            }
        }
        for [a, b, c, d] in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
            indices.extend([a, b, c, a, c, d].map(|corner: u32| first + corner));
        }
    };
    let gate = (0.5 * ENTRANCE).min(0.8 * x);
    let sides =
        [([-x, z], [-gate, z]), ([gate, z], [x, z]), ([-x, -z], [x, -z]), ([-x, -z], [-x, z]), ([x, -z], [x, z])];
    for (from, to) in sides {
        for height in [0.5 * FENCE, 0.95 * FENCE] {
            beam([from[0], height, from[1]], [to[0], height, to[1]]);
        }
        let length = (to[0] - from[0]).abs().max((to[1] - from[1]).abs());
        let posts = (length / POST).ceil().max(1.0) as u32;
        for post in 0..=posts {
            let share = f64::from(post) / f64::from(posts);
            let at = [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]));
            beam([at[0], 0.0, at[1]], [at[0], FENCE, at[1]]);
        }
    }
    LiveSolid::Mesh { positions, indices }
}

/// The paths between blocks of rides: two shapes, and where they lie.
pub fn paths(strips: &[Vec<([f64; 2], [f64; 2])>; 2], first: usize) -> (Vec<LiveShape>, Vec<LiveStill>) {
    let (mut shapes, mut still) = (Vec::new(), Vec::new());
    for (way, strips) in strips.iter().enumerate() {
        let Some((_, half)) = strips.first() else { continue };
        // Where paths cross one is a little higher, so that they do not flicker.
        let height = 0.004 + 0.004 * way as f64;
        let solid = LiveSolid::Box([half[0], 0.01, half[1]]);
        let shape = (first + shapes.len()) as u32;
        shapes.push(LiveShape {
            name: "path".to_owned(),
            solid,
            colour: "#c9bc9c".to_owned(),
            finish: LiveFinish::Grain,
        });
        let lies = |(middle, _): &([f64; 2], [f64; 2])| LiveStill {
            shape,
            position: [middle[0], height, middle[1]],
            rotation: [0.0, 0.0, 0.0, 1.0],
        };
        still.extend(strips.iter().map(lies));
    }
    (shapes, still)
}

/// Posts under a track, as triangles.
fn posts(track: &[DVec3]) -> LiveSolid {
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for place in track.iter().step_by(POSTS) {
        let top = place.y - 0.6;
        let first = (positions.len() / 3) as u32;
        for y in [0.0, top] {
            for (x, z) in [(-0.09, -0.09), (0.09, -0.09), (0.09, 0.09), (-0.09, 0.09)] {
                positions.extend([(place.x + x) as f32, y as f32, (place.z + z) as f32]);
            }
        }
        for side in 0..4 {
            let next = (side + 1) % 4;
            let [a, b, c, d] = [side, next, next + 4, side + 4].map(|corner| first + corner);
            indices.extend([a, c, b, a, d, c]);
        }
    }
    LiveSolid::Mesh { positions, indices }
}

/// A colour as the web has it.
fn web_colour(colour: [f32; 3]) -> String {
    let [red, green, blue] = colour.map(|share| (share.clamp(0.0, 1.0) * 255.0).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}
