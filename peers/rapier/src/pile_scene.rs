//! Concave bodies, as convex pieces, that fall into a box without a lid; where
//! they lie in the end, and what rapier's own steps took.

use rapier3d_f64::prelude::*;
use serde::{Deserialize, Serialize};

use crate::clock;
use crate::crowd_scene::{BodyFile, MeshFile, Shapes};
use crate::request::{RequestError, positive};

/// What the caller asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PileFile {
    meshes: Vec<MeshFile>,
    bodies: Vec<BodyFile>,
    half_width: f64,
    /// The length of a step, seconds.
    dt: f64,
    frames: u32,
    density: f64,
    restitution: f64,
    friction: f64,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Lying {
    /// Where every body is in the end: position and orientation.
    poses: Vec<[f64; 7]>,
    /// The mean time of the steps from an eighth to a third of the run.
    ms_falling: f64,
    /// The mean time of the steps of the last second.
    ms_resting: f64,
}

/// Runs the scene.
pub fn run(scene: &PileFile) -> Result<Lying, RequestError> {
    positive("dt", scene.dt)?;
    positive("half_width", scene.half_width)?;
    let shapes: Vec<SharedShape> = scene
        .meshes
        .iter()
        .enumerate()
        .map(|(index, mesh)| mesh.shape(Shapes::Decomposition, index))
        .collect::<Result<_, _>>()?;
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, -9.81, 0.0);
    world.integration_parameters.dt = scene.dt;
    let half = scene.half_width;
    let sides = [Vector::X, -Vector::X, Vector::Z, -Vector::Z].map(|normal| (normal, -half * normal));
    for (normal, through) in sides.into_iter().chain([(Vector::Y, Vector::ZERO)]) {
        let wall = ColliderBuilder::new(SharedShape::halfspace(normal))
            .restitution(scene.restitution)
            .friction(scene.friction);
        world.insert(RigidBodyBuilder::fixed().translation(through), wall);
    }
    let mut handles = Vec::new();
    for (index, body) in scene.bodies.iter().enumerate() {
        let reason = "it names a mesh that is not there";
        let shape = shapes.get(body.mesh).ok_or(RequestError::State { index, reason })?;
        let collider = ColliderBuilder::new(shape.clone())
            .density(scene.density)
            .restitution(scene.restitution)
            .friction(scene.friction);
        handles.push(world.insert(body.builder().ccd_enabled(true), collider));
    }
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..scene.frames.max(1) {
        let start = clock::now();
        world.step();
        times.push(clock::now().saturating_sub(start).as_secs_f64() * 1e3);
    }
    let poses = handles
        .iter()
        .map(|(body, _)| {
            let pose = world.bodies[*body].position();
            let (p, q) = (pose.translation.to_array(), pose.rotation.to_array());
            [p[0], p[1], p[2], q[0], q[1], q[2], q[3]]
        })
        .collect();
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
    let last = times.len().saturating_sub((1.0 / scene.dt) as usize);
    let ms_falling = mean(&times[times.len() / 8..times.len() / 3]);
    Ok(Lying { poses, ms_falling, ms_resting: mean(&times[last..]) })
}
