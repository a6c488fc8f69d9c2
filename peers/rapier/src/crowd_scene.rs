//! Concave bodies in a closed box, as convex pieces or as triangle meshes; only
//! rapier's own steps are timed, each by itself.

use rapier3d_f64::prelude::*;
use serde::{Deserialize, Serialize};

use crate::clock;
use crate::request::{RequestError, positive};

/// What the caller asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrowdFile {
    shapes: Shapes,
    meshes: Vec<MeshFile>,
    bodies: Vec<BodyFile>,
    box_half: f64,
    /// The length of a step, seconds.
    dt: f64,
    frames: u32,
    density: f64,
    restitution: f64,
    friction: f64,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Shapes {
    /// Convex pieces.
    Decomposition,
    /// The triangles.
    Trimesh,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
/// A mesh.
pub struct MeshFile {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyFile {
    pub mesh: usize,
    p: [f64; 3],
    q: [f64; 4],
    v: [f64; 3],
    w: [f64; 3],
}

impl BodyFile {
    /// A body that moves as it should at the start.
    pub fn builder(&self) -> RigidBodyBuilder {
        let pose = Pose::from_parts(Vector::from_array(self.p), Rotation::from_array(self.q).normalize());
        RigidBodyBuilder::dynamic().pose(pose).linvel(Vector::from_array(self.v)).angvel(Vector::from_array(self.w))
    }
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Measured {
    frame_us_p50: f64,
    frame_us_p99: f64,
    frame_us_max: f64,
    /// Convex pieces of all meshes together; zero for triangle meshes.
    pieces: usize,
}

impl MeshFile {
    /// Its shape.
    pub fn shape(&self, shapes: Shapes, index: usize) -> Result<SharedShape, RequestError> {
        let reason = "its mesh has no usable triangles";
        let unusable = || RequestError::State { index, reason };
        let vertices: Vec<Vector> = self.vertices.iter().copied().map(Vector::from_array).collect();
        if self.triangles.is_empty() || self.triangles.iter().flatten().any(|at| *at as usize >= vertices.len()) {
            return Err(unusable());
        }
        match shapes {
            Shapes::Decomposition => Ok(SharedShape::convex_decomposition(&vertices, &self.triangles)),
            Shapes::Trimesh => SharedShape::trimesh(vertices, self.triangles.clone()).map_err(|_| unusable()),
        }
    }
}

/// Runs the scene.
pub fn run(scene: &CrowdFile) -> Result<Measured, RequestError> {
    positive("dt", scene.dt)?;
    positive("box_half", scene.box_half)?;
    let shapes: Vec<SharedShape> =
        scene.meshes.iter().enumerate().map(|(index, mesh)| mesh.shape(scene.shapes, index)).collect::<Result<_, _>>()?;
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::ZERO;
    world.integration_parameters.dt = scene.dt;
    for axis in [Vector::X, Vector::Y, Vector::Z] {
        for side in [-1.0, 1.0] {
            let wall = ColliderBuilder::new(SharedShape::halfspace(-side * axis))
                .restitution(scene.restitution)
                .friction(scene.friction);
            world.insert(RigidBodyBuilder::fixed().translation(side * scene.box_half * axis), wall);
        }
    }
    for (index, body) in scene.bodies.iter().enumerate() {
        let reason = "it names a mesh that is not there";
        let shape = shapes.get(body.mesh).ok_or(RequestError::State { index, reason })?;
        let moving = body.builder().can_sleep(false);
        let collider = ColliderBuilder::new(shape.clone())
            .density(scene.density)
            .restitution(scene.restitution)
            .friction(scene.friction);
        world.insert(moving, collider);
    }
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..scene.frames.max(1) {
        let start = clock::now();
        world.step();
        times.push(clock::now().saturating_sub(start).as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    let pieces = shapes.iter().filter_map(|shape| shape.as_compound()).map(|compound| compound.shapes().len()).sum();
    Ok(Measured { frame_us_p50: at(0.5), frame_us_p99: at(0.99), frame_us_max: at(1.0), pieces })
}
