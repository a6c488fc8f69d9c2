//! How the boxes start: bodies on a lattice, with random velocities.

use std::f64::consts::PI;

use glam::DVec3;
use proscenium_chance::Seed;
use proscenium_geometry::{Hull, Pose, Shape};
use proscenium_rigid::{BodyDef, Material, World, WorldBuilder};
use serde_json::{Value, json};

use crate::error::Halt;

/// The radius of a ball, and of the sphere through an icosahedron's corners.
pub(super) const RADIUS: f64 = 0.05;
/// The standard deviation of each component of a body's velocity, m/s.
pub(super) const SPEED: f64 = 1.0;

/// What is in the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Balls.
    Spheres,
    /// Icosahedra in spheres of the same radius.
    Icosahedra,
    /// Balls under gravity: most of the box is empty, its bottom crowded.
    Heap,
}

impl Content {
    pub fn name(self) -> &'static str {
        match self {
            Self::Spheres => "spheres",
            Self::Icosahedra => "icosahedra",
            Self::Heap => "heap",
        }
    }

    /// As the rapier program calls the shape.
    fn shape_name(self) -> &'static str {
        match self {
            Self::Icosahedra => "icosahedron",
            Self::Spheres | Self::Heap => "ball",
        }
    }

    fn shape(self) -> Result<Shape, Halt> {
        Ok(match self {
            Self::Icosahedra => Shape::hull(Hull::icosahedron(RADIUS)?),
            Self::Spheres | Self::Heap => Shape::sphere(RADIUS)?,
        })
    }

    fn gravity(self) -> DVec3 {
        if self == Self::Heap { DVec3::new(0.0, -9.81, 0.0) } else { DVec3::ZERO }
    }
}

/// A cubic box, around the origin, of which bodies of the radius of a sphere
/// fill a share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Boxed {
    pub content: Content,
    pub packing: f64,
    pub n: usize,
}

impl Boxed {
    /// Half the width of the box.
    pub fn half_width(&self) -> f64 {
        let ball = 4.0 / 3.0 * PI * RADIUS * RADIUS * RADIUS;
        0.5 * libm::cbrt(self.n as f64 * ball / self.packing)
    }

    /// The world to be; without losses.
    pub fn builder(&self, seed: Seed) -> Result<WorldBuilder, Halt> {
        let mut builder = World::builder().gravity(self.content.gravity());
        let material = builder.material(Material::LOSSLESS);
        let half = self.half_width();
        for axis in DVec3::AXES {
            for normal in [axis, -axis] {
                let wall = BodyDef::fixed("wall", Shape::half_space(normal)?, material);
                builder.body(wall.at(Pose::from_translation(-half * normal)));
            }
        }
        let shape = self.content.shape()?;
        for index in 0..self.n {
            let mut stream = seed.stream("bodies").at(index as u64);
            let velocity = SPEED * DVec3::new(stream.normal(), stream.normal(), stream.normal());
            let pose = Pose::new(self.place(index), stream.rotation());
            builder.body(BodyDef::moving("body", shape.clone(), material).at(pose).with_velocity(velocity));
        }
        builder.sort_in_space();
        Ok(builder)
    }

    /// The place of a body on the lattice: the whole box, or for a heap layers
    /// from the bottom up.
    fn place(&self, index: usize) -> DVec3 {
        let half = self.half_width();
        let across = if self.content == Content::Heap {
            (2.0 * half / (2.2 * RADIUS)) as usize
        } else {
            // The least number whose cube is enough.
            (1..).find(|k: &usize| k * k * k >= self.n).unwrap_or(1)
        };
        let spacing = 2.0 * half / across as f64;
        let lattice =
            DVec3::new((index % across) as f64, (index / across / across) as f64, (index / across % across) as f64);
        spacing * (lattice + 0.5) - half
    }

    /// The same start as a request to another engine, for so many seconds.
    pub fn request(&self, world: &World, seconds: f64) -> Value {
        let moving = world.bodies().filter(|body| world.inertia(*body).is_some());
        let states: Vec<Value> = moving
            .filter_map(|body| {
                let (pose, motion) = (world.pose(body)?, world.motion(body)?);
                Some(json!({
                    "p": pose.translation.to_array(),
                    "q": pose.rotation.to_array(),
                    "v": motion.velocity.to_array(),
                    "w": motion.spin.to_array(),
                }))
            })
            .collect();
        json!({
            "scene": "box",
            "n": states.len(),
            "seconds": seconds,
            "shape": self.content.shape_name(),
            "radius": RADIUS,
            "box_half": self.half_width(),
            "gravity": self.content.gravity().to_array(),
            "states": states,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_as_full_as_they_say_and_nothing_overlaps() {
        for (content, packing) in [(Content::Spheres, 0.3), (Content::Icosahedra, 0.08), (Content::Heap, 0.05)] {
            let boxed = Boxed { content, packing, n: 130 };
            let world = boxed.builder(Seed(1)).unwrap().build().unwrap();
            let share = 130.0 * 4.0 / 3.0 * PI * libm::pow(RADIUS / (2.0 * boxed.half_width()), 3.0);
            assert!((share / packing - 1.0).abs() < 1e-12);
            assert_eq!(world.bodies().count(), 136);
            assert_eq!(boxed.request(&world, 1.0)["states"].as_array().unwrap().len(), 130);
        }
    }
}
