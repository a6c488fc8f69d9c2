//! What a model looks like: parts that hang on each other and follow outputs.

use glam::{DAffine3, DQuat, DVec3};
use proscenium_chance::Seed;
use proscenium_work::{Completion, Progress};

use crate::expression::Tape;
use crate::model::Model;
use crate::system::{MotionError, System as _};

/// A part of a model: a solid, and how it hangs on its parent.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is called.
    pub name: String,
    /// The part that carries it, an earlier one.
    pub parent: Option<usize>,
    /// Whether every copy has one, and not the whole model only one.
    pub each: bool,
    /// What it looks like.
    pub solid: Option<Solid>,
    /// Red, green and blue from 0 to 1.
    pub colour: [f32; 3],
    /// Where it is moved (three results), the axis it turns about (three) and
    /// the angle: functions of the outputs and the number of the copy.
    pub(crate) placement: Tape,
}

/// A simple solid, its middle at the part's origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// A box with these half sides, metres.
    Box(DVec3),
    /// A ball of this radius, metres.
    Ball(f64),
}

impl Solid {
    /// Half the sides of the box around it.
    pub fn half_sides(&self) -> DVec3 {
        match self {
            Solid::Box(half) => *half,
            Solid::Ball(radius) => DVec3::splat(*radius),
        }
    }
}

/// A box that holds something, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least coordinates.
    pub min: DVec3,
    /// The greatest coordinates.
    pub max: DVec3,
}

impl Bounds {
    /// Around nothing: the greatest coordinates are less than the least.
    pub(crate) const NOTHING: Bounds = Bounds { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// A cube around the origin.
    pub fn cube(half: f64) -> Self {
        Self { min: DVec3::splat(-half), max: DVec3::splat(half) }
    }

    /// The same box somewhere else.
    #[must_use]
    pub fn moved(self, by: DVec3) -> Self {
        Self { min: self.min + by, max: self.max + by }
    }

    /// A box around the same box, turned about the origin.
    #[must_use]
    pub fn turned(self, by: DQuat) -> Self {
        if by == DQuat::IDENTITY {
            return self;
        }
        let mut around = Bounds::NOTHING;
        for corner in 0..8_u32 {
            let pick = |bit: u32, low: f64, high: f64| if corner & bit == 0 { low } else { high };
            let (min, max) = (self.min, self.max);
            around.include(by * DVec3::new(pick(1, min.x, max.x), pick(2, min.y, max.y), pick(4, min.z, max.z)));
        }
        around
    }

    /// Whether it holds nothing.
    pub(crate) fn is_nothing(self) -> bool {
        self.min.x > self.max.x
    }

    /// The smallest box around both.
    #[must_use]
    pub fn with(self, other: Bounds) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    fn include(&mut self, point: DVec3) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }
}

impl Model {
    /// The parts, parents first.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Places along a closed curve of the model, so many from each of its
    /// points to the next: the track of a ride, say. `None` if there is no such
    /// curve.
    pub fn curve(&self, name: &str, steps: u32) -> Option<Vec<DVec3>> {
        let curve = self.curves.iter().find(|curve| curve.name == name)?;
        let places = curve.points.len() as u32 * steps;
        Some((0..places).map(|place| curve.at(0, f64::from(place) / f64::from(steps)).into()).collect())
    }

    /// Where the parts of a copy are, in the model's own coordinates. Parts
    /// that are not on every copy are placed for the first.
    pub fn poses(&self, copy: usize, shown: &[f64]) -> Vec<DAffine3> {
        let mut inputs = shown.to_vec();
        inputs.resize(self.outputs.len(), 0.0);
        inputs.push(copy as f64);
        let mut slots = Vec::new();
        let mut poses: Vec<DAffine3> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            part.placement.run(&inputs, &self.curves, &mut slots);
            let result = |index: usize| part.placement.result(index, &slots);
            let by = DVec3::new(result(0), result(1), result(2));
            let axis = DVec3::new(result(3), result(4), result(5)).try_normalize().unwrap_or(DVec3::Y);
            let own = DAffine3::from_rotation_translation(DQuat::from_axis_angle(axis, result(6)), by);
            let parent = part.parent.map_or(DAffine3::IDENTITY, |parent| poses[parent]);
            poses.push(parent * own);
        }
        poses
    }

    /// A box that holds every part of every copy, found by running them for
    /// some seconds, with a tenth to spare; a cube of a metre if nothing is
    /// seen of the model.
    ///
    /// # Errors
    /// When the model does not stay finite.
    pub fn bounds(&self, seed: Seed, seconds: f64, progress: &Progress) -> Result<Completion<Bounds>, MotionError> {
        let mut bounds = Bounds::NOTHING;
        let mut shown = Vec::new();
        for (copy, &ahead) in self.copies.iter().enumerate() {
            let mut stream = seed.stream("bounds").at(copy as u64);
            let mut state = self.initial(&mut stream);
            let steps = (seconds / 0.1).ceil().max(1.0) as u64;
            for step in 0..steps {
                let done = (copy as f64 + step as f64 / steps as f64) / self.copies.len() as f64;
                if progress.tell("finding the bounds", done).is_err() {
                    return Ok(Completion::Stopped);
                }
                let time = ahead + step as f64 * 0.1;
                self.show(&state, time, &[], &mut shown);
                for (part, pose) in self.parts.iter().zip(self.poses(copy, &shown)) {
                    let Some(half) = part.solid.map(|solid| solid.half_sides()) else {
                        continue;
                    };
                    for corner in 0..8_u32 {
                        let sign = |bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
                        bounds.include(pose.transform_point3(half * DVec3::new(sign(1), sign(2), sign(4))));
                    }
                }
                self.advance(&mut state, time, time + 0.1, &mut stream)?;
            }
        }
        if bounds.is_nothing() {
            return Ok(Completion::Finished(Bounds::cube(0.5)));
        }
        let spare = 0.05 * (bounds.max - bounds.min);
        Ok(Completion::Finished(Bounds { min: bounds.min - spare, max: bounds.max + spare }))
    }
}
