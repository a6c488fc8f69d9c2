//! Bodies that fall, tumble and come to rest.
//!
//! Here bodies may fall asleep: that is how rapier brings them to rest.
//! rapier's length unit is the size of a typical moving body, as its
//! documentation asks. A body that enters late is put in at the first step
//! that begins at its time or later.

use std::time::Duration;

use rapier3d_f64::parry::bounding_volume::BoundingVolume;
use rapier3d_f64::parry::query;
use rapier3d_f64::prelude::*;
use serde::{Deserialize, Serialize};

use crate::clock;
use crate::request::{RequestError, positive};

/// What the caller asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RestFile {
    seconds: f64,
    later: f64,
    period: f64,
    /// The length of a step, seconds.
    dt: f64,
    gravity: [f64; 3],
    bodies: Vec<BodyFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyFile {
    shape: ShapeFile,
    pose: PoseFile,
    v: [f64; 3],
    w: [f64; 3],
    fixed: bool,
    start: f64,
    density: f64,
    restitution: f64,
    friction: f64,
}

#[derive(Deserialize)]
struct PoseFile {
    p: [f64; 3],
    q: [f64; 4],
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ShapeFile {
    Ball { ball: f64 },
    Box { r#box: [f64; 3], rounding: f64 },
    Capsule { capsule: [f64; 2] },
    Cylinder { cylinder: [f64; 2] },
    Hull { hull: Vec<[f64; 3]> },
    HalfSpace { half_space: [f64; 3] },
    Compound { compound: Vec<PartFile> },
    Mesh { corners: Vec<[f64; 3]>, triangles: Vec<[u32; 3]> },
}

#[derive(Deserialize)]
struct PartFile {
    pose: PoseFile,
    shape: ShapeFile,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Measured {
    rests_at_s: Option<f64>,
    later_motion: Option<f64>,
    max_overlap: f64,
    s_per_sim_s: f64,
}

impl PoseFile {
    fn pose(&self) -> Pose {
        Pose::from_parts(Vector::from_array(self.p), Rotation::from_array(self.q).normalize())
    }
}

impl ShapeFile {
    fn shape(&self) -> Result<SharedShape, RequestError> {
        Ok(match self {
            Self::Ball { ball } => SharedShape::ball(*ball),
            Self::Box { r#box: [x, y, z], rounding } if *rounding > 0.0 => {
                SharedShape::round_cuboid(x - rounding, y - rounding, z - rounding, *rounding)
            }
            Self::Box { r#box: [x, y, z], .. } => SharedShape::cuboid(*x, *y, *z),
            Self::Capsule { capsule: [half_height, radius] } => SharedShape::capsule_y(*half_height, *radius),
            Self::Mesh { corners, triangles } => {
                let corners = corners.iter().copied().map(Vector::from_array).collect();
                SharedShape::trimesh(corners, triangles.clone()).map_err(|_| RequestError::FlatHull)?
            }
            Self::Cylinder { cylinder: [half_height, radius] } => SharedShape::cylinder(*half_height, *radius),
            Self::Hull { hull } => {
                let points: Vec<Vector> = hull.iter().copied().map(Vector::from_array).collect();
                SharedShape::convex_hull(&points).ok_or(RequestError::FlatHull)?
            }
            Self::HalfSpace { half_space } => SharedShape::halfspace(Vector::from_array(*half_space).normalize()),
            Self::Compound { compound } => {
                let part = |part: &PartFile| Ok((part.pose.pose(), part.shape.shape()?));
                SharedShape::compound(compound.iter().map(part).collect::<Result<_, RequestError>>()?)
            }
        })
    }
}

impl BodyFile {
    fn enter(&self, world: &mut PhysicsWorld, shape: SharedShape) -> RigidBodyHandle {
        let body = if self.fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic().ccd_enabled(true) };
        let body = body.pose(self.pose.pose()).linvel(Vector::from_array(self.v)).angvel(Vector::from_array(self.w));
        let collider = ColliderBuilder::new(shape)
            .density(self.density)
            .restitution(self.restitution)
            .friction(self.friction)
            .restitution_combine_rule(CoefficientCombineRule::GeometricMean)
            .friction_combine_rule(CoefficientCombineRule::GeometricMean);
        world.insert(body, collider).0
    }
}

/// Runs the scene; only rapier's own steps are timed.
pub fn run(scene: &RestFile) -> Result<Measured, RequestError> {
    positive("dt", scene.dt)?;
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::from_array(scene.gravity);
    world.integration_parameters.dt = scene.dt;
    let shapes: Vec<SharedShape> = scene.bodies.iter().map(|body| body.shape.shape()).collect::<Result<_, _>>()?;
    world.integration_parameters.length_unit = typical_size(scene, &shapes);
    let mut waiting: Vec<usize> = (0..scene.bodies.len()).collect();
    let mut moving = Vec::new();
    let (mut spent, mut max_overlap, mut step) = (Duration::ZERO, 0.0_f64, 0_u32);
    let looked_at = (scene.period / scene.dt).round().max(1.0) as u32;
    let mut rests_at = None;
    while rests_at.is_none() && f64::from(step) * scene.dt < scene.seconds {
        let now = f64::from(step) * scene.dt;
        waiting.retain(|&index| {
            let body = &scene.bodies[index];
            if body.start <= now {
                let handle = body.enter(&mut world, shapes[index].clone());
                moving.extend((!body.fixed).then_some(handle));
            }
            body.start > now
        });
        let start = clock::now();
        world.step();
        spent += clock::now().saturating_sub(start);
        step += 1;
        if step % looked_at == 0 {
            max_overlap = max_overlap.max(overlap(&world));
        }
        let asleep = waiting.is_empty() && moving.iter().all(|&handle| world.bodies[handle].is_sleeping());
        rests_at = asleep.then_some(f64::from(step) * scene.dt);
    }
    let simulated = f64::from(step) * scene.dt;
    let later_motion = rests_at.map(|_| later_motion(&mut world, &moving, scene.later));
    Ok(Measured { rests_at_s: rests_at, later_motion, max_overlap, s_per_sim_s: spent.as_secs_f64() / simulated })
}

/// The median of the longest sides of all that moves.
fn typical_size(scene: &RestFile, shapes: &[SharedShape]) -> f64 {
    let moving = scene.bodies.iter().zip(shapes).filter(|(body, _)| !body.fixed);
    let mut sizes: Vec<f64> =
        moving.map(|(_, shape)| 2.0 * shape.compute_local_aabb().half_extents().max_element()).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(1.0)
}

/// The farthest that a body goes.
fn later_motion(world: &mut PhysicsWorld, moving: &[RigidBodyHandle], seconds: f64) -> f64 {
    let places = |world: &PhysicsWorld| -> Vec<Vector> {
        moving.iter().map(|&handle| world.bodies[handle].translation()).collect()
    };
    let before = places(world);
    for _ in 0..(seconds / world.integration_parameters.dt).round() as u32 {
        world.step();
    }
    before.iter().zip(places(world)).map(|(p, q)| p.distance(q)).fold(0.0, f64::max)
}

/// The deepest penetration of any two bodies of which one can move, now.
fn overlap(world: &PhysicsWorld) -> f64 {
    let placed: Vec<_> = world
        .colliders
        .iter()
        .map(|(_, collider)| {
            let moves = collider.parent().is_some_and(|parent| world.bodies[parent].is_dynamic());
            (collider, collider.compute_aabb(), moves)
        })
        .collect();
    let mut deepest = 0.0_f64;
    for (index, (a, bounds_a, moves_a)) in placed.iter().enumerate() {
        for (b, bounds_b, moves_b) in &placed[index + 1..] {
            if (*moves_a || *moves_b) && bounds_a.intersects(bounds_b) {
                let contact = query::contact(a.position(), a.shape(), b.position(), b.shape(), 0.0);
                deepest = deepest.max(contact.ok().flatten().map_or(0.0, |contact| -contact.dist));
            }
        }
    }
    deepest
}
