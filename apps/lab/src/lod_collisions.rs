//! Random collisions of concave meshes, and what trees make of them.

use proscenium_bodies::{CollidingBody, Inertia, Motion, PairSurface};
use proscenium_chance::statistics::quantiles;
use proscenium_geometry::Pose;
use proscenium_lod::contact::{Contact, PlacedPair, Primitive};
use proscenium_lod::exact::ExactMesh;
use proscenium_lod::glam::DVec3;
use proscenium_lod::mesh::built_in;
use proscenium_lod::response::respond;
use proscenium_lod::{TreeKind, TreeSettings, VolumeModel};

use crate::error::Halt;
use crate::experiment::Context;

/// The meshes that collide, and how fine they are.
const MESHES: [&str; 6] = ["bowl", "jack", "knot", "l-shape", "torus", "vase"];
const TRIANGLES: usize = 800;

/// The surfaces of all collisions.
pub(crate) const SURFACE: PairSurface = PairSurface::new(0.6, 0.2);

/// Two bodies just as they touch.
pub(crate) struct Scene {
    pub(crate) meshes: [usize; 2],
    pub(crate) poses: [Pose; 2],
    velocity: DVec3,
    radius: f64,
    inertias: [Inertia; 2],
    exact: Contact,
    truth: [Motion; 2],
    approach: f64,
}

/// How far off a contact is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Off {
    /// Metres, as a share of the bodies' radius.
    pub(crate) point: f64,
    /// Degrees.
    pub(crate) normal: f64,
    /// Of velocities and of spins times the radius, as a share of the speed of
    /// approach.
    pub(crate) velocity: f64,
}

/// The models of all meshes with one kind of tree.
pub(crate) fn models(kind: TreeKind, depth: u32, context: &Context) -> Result<Vec<VolumeModel>, Halt> {
    let settings = TreeSettings { kind, depth };
    let progress = context.progress();
    let model = |name: &&str| {
        let built = VolumeModel::build(name, &built_in(name, TRIANGLES)?, settings, &progress)?;
        Ok(built.or_stopped()?)
    };
    MESHES.iter().map(model).collect()
}

/// So many collisions: two of the meshes, turned at random, one moving towards
/// the other along a line that passes not too far from its middle.
pub(crate) fn scenes(models: &[VolumeModel], count: usize, context: &Context) -> Result<Vec<Scene>, Halt> {
    let exact: Vec<ExactMesh> = models.iter().map(ExactMesh::new).collect::<Result<_, _>>()?;
    let streams = context.seed().stream("lod collisions");
    let mut scenes = Vec::new();
    let mut number = 0;
    while scenes.len() < count {
        context.check()?;
        let mut stream = streams.at(number);
        number += 1;
        let meshes = [0, 1].map(|_| stream.below(models.len() as u64) as usize);
        let radius = 0.5 * (models[meshes[0]].radius() + models[meshes[1]].radius());
        let velocity = stream.unit_vector();
        let aside = velocity.any_orthonormal_pair();
        let (angle, away) = (std::f64::consts::TAU * stream.uniform(), 0.9 * radius * stream.uniform());
        let aside = away * (libm::cos(angle) * aside.0 + libm::sin(angle) * aside.1);
        let start = Pose::new(-3.0 * radius * velocity + aside, stream.rotation());
        let still = Pose::new(DVec3::ZERO, stream.rotation());
        let (one, other) = (&exact[meshes[0]], &exact[meshes[1]]);
        if let Some(found) = one.first_contact(&start, other, &still, velocity, 6.0 * radius) {
            let touching = Pose::new(start.translation + found.distance * velocity, start.rotation);
            let contact = Contact { point: found.point, normal: found.normal, depth: 0.0, interpenetration: 0.0 };
            let inertias = [0, 1].map(|side| models[meshes[side]].inertia(1000.0));
            let mut scene = Scene {
                meshes,
                poses: [touching, still],
                velocity,
                radius,
                inertias,
                exact: contact,
                truth: [Motion::AT_REST; 2],
                approach: velocity.dot(found.normal),
            };
            scene.truth = scene.outcome(&[contact]);
            // A graze has no outcome to speak of.
            if scene.approach > 0.05 {
                scenes.push(scene);
            }
        }
    }
    Ok(scenes)
}

impl Scene {
    /// The contact primitives of a level.
    pub(crate) fn primitives(&self, models: &[VolumeModel], level: u32) -> Vec<Primitive> {
        let (a, b) = (&models[self.meshes[0]], &models[self.meshes[1]]);
        PlacedPair::new(a, &self.poses[0], b, &self.poses[1]).primitives_at(level)
    }

    /// How the two move after a response to some contacts.
    pub(crate) fn outcome(&self, contacts: &[Contact]) -> [Motion; 2] {
        let motion = |side: usize| Motion {
            position: self.poses[side].translation,
            orientation: self.poses[side].rotation,
            velocity: if side == 0 { self.velocity } else { DVec3::ZERO },
            spin: DVec3::ZERO,
        };
        let mut a = CollidingBody { motion: motion(0), inertia: Some(&self.inertias[0]) };
        let mut b = CollidingBody { motion: motion(1), inertia: Some(&self.inertias[1]) };
        respond(&mut a, &mut b, contacts, &SURFACE);
        [a.motion, b.motion]
    }

    /// How far off some contacts and their outcome are. Several contacts are
    /// judged by the one whose normal is met fastest.
    pub(crate) fn off(&self, contacts: &[Contact]) -> Option<Off> {
        let rate = |contact: &Contact| self.velocity.dot(contact.normal);
        let main = contacts.iter().max_by(|a, b| rate(a).total_cmp(&rate(b)))?;
        let outcome = self.outcome(contacts);
        let difference = |side: usize| {
            let (came, right) = (&outcome[side], &self.truth[side]);
            came.velocity.distance(right.velocity) + self.radius * came.spin.distance(right.spin)
        };
        let cosine = main.normal.dot(self.exact.normal).clamp(-1.0, 1.0);
        Some(Off {
            point: main.point.distance(self.exact.point) / self.radius,
            normal: libm::acos(cosine).to_degrees(),
            velocity: 0.5 * (difference(0) + difference(1)),
        })
    }
}

/// The median and its standard error, from the order of the values.
pub(crate) fn median(values: &[f64]) -> Result<(f64, f64), Halt> {
    let spread = 0.5 / (values.len().max(1) as f64).sqrt();
    let shares = [0.5, (0.5 - spread).max(0.0), (0.5 + spread).min(1.0)];
    let found = quantiles(values, &shares)?;
    Ok((found[0], 0.5 * (found[2] - found[1])))
}
