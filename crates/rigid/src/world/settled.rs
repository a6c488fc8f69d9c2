//! What stays as it is, whatever else still moves.

use proscenium_bodies::Motion;
use proscenium_bodies::glam::DVec3;

use super::World;
use crate::body::{Body, Presence, Touchable};

/// The cosine of the angle within which a plane is level; chosen, at rounding.
const LEVEL: f64 = 1.0 - 1e-9;
/// No energy is ever gained but by rounding and by the solver, which pushes
/// apart what overlaps: so many times what there is will not be exceeded. Chosen, on
/// the safe side.
const SURPLUS: f64 = 1.5;

impl World {
    /// Which bodies, in the order of addition, certainly stay as they are until a
    /// time: fixed ones, and those at rest so high up that nothing that moves has
    /// the energy to get to them. How far away things are does not count, only how
    /// far below.
    ///
    /// ```
    /// use proscenium_rigid::{BodyDef, Material, World, geometry::{Pose, Shape}, glam::DVec3};
    ///
    /// let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    /// let wood = builder.material(Material::new(700.0, 0.4, 0.3));
    /// builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y)?, wood));
    /// let ball = |y: f64| Ok::<_, Box<dyn std::error::Error>>(
    ///     BodyDef::moving("ball", Shape::sphere(0.1)?, wood).at(Pose::from_translation(DVec3::new(0.0, y, 0.0))),
    /// );
    /// builder.body(ball(3.0)?.at_rest());
    /// builder.body(ball(1.0)?);
    /// let world = builder.build()?;
    /// assert_eq!(world.settled(1.0), [true, true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn settled(&self, until: f64) -> Vec<bool> {
        let stays = |body: &Body| {
            body.inertia.is_none() || body.drive.as_ref().is_some_and(|drive| drive.is_still(self.now, until))
        };
        let mut settled: Vec<bool> = self.bodies.iter().map(stays).collect();
        if self.is_interfered_with(until) {
            return settled;
        }
        let mut resting = Vec::new();
        let mut stirring = RestlessBodies::over(self);
        for (index, body) in self.bodies.iter().enumerate().filter(|(index, _)| !settled[*index]) {
            match body.presence {
                Presence::Resting => resting.push(index),
                Presence::Here => stirring.add(body, self.now),
                Presence::Waiting | Presence::Gone => {}
            }
        }
        // What can be hit can be moved, and hits others.
        while let Some(at) = resting.iter().position(|index| stirring.reaches(&self.bodies[*index])) {
            // What hangs together moves together.
            let linkage = self.linkage_of(resting[at] as u32);
            for index in linkage.into_iter().map(|index| index as usize) {
                stirring.add(&self.bodies[index], self.now);
                resting.retain(|other| *other != index);
            }
        }
        for index in resting {
            settled[index] = true;
        }
        settled
    }

    /// Whether something is done from outside, or somebody enters, by a time.
    fn is_interfered_with(&self, until: f64) -> bool {
        let enters = |body: &Body| body.presence == Presence::Waiting && body.start <= until;
        self.controls.iter().flatten().any(|(time, _)| *time <= until) || self.bodies.iter().any(enters)
    }
}

/// The bodies that move or may come to move, and how high they can get.
struct RestlessBodies {
    gravity: DVec3,
    up: DVec3,
    /// How high the ground is that nobody falls through.
    floor: f64,
    /// What they have above lying on the floor, joules.
    energy: f64,
    /// Of each: how high it reaches when its centre is as low as it can be, and
    /// its weight.
    members: Vec<(f64, f64)>,
}

impl RestlessBodies {
    fn over(world: &World) -> Self {
        let up = (-world.gravity).normalize_or_zero();
        let height = |body: &Body| match &body.touchable {
            Touchable::HalfSpace { normal } => {
                let pose = body.flight.pose(world.now);
                ((pose.rotation * *normal).dot(up) > LEVEL).then(|| pose.translation.dot(up))
            }
            _ => None,
        };
        let floor = world.bodies.iter().filter(|body| body.is_here()).filter_map(height);
        let floor = floor.fold(f64::NEG_INFINITY, f64::max);
        Self { gravity: world.gravity, up, floor, energy: 0.0, members: Vec::new() }
    }

    /// Adds a body that can move; others have no energy to share.
    fn add(&mut self, body: &Body, now: f64) {
        let Some(inertia) = &body.inertia else {
            return;
        };
        if body.is_driven() {
            // It gives as much as it takes.
            self.energy = f64::INFINITY;
        }
        let pose = body.pose_to_touch(now);
        let motion = Motion {
            position: pose.translation,
            orientation: pose.rotation,
            velocity: body.flight.velocity(now),
            spin: body.flight.spin(now, pose.rotation),
        };
        let weight = inertia.mass * self.gravity.length();
        let inside = body.touchable.parts().iter().map(|part| part.inner_radius()).fold(0.0, f64::max);
        let lowest = self.floor + inside;
        self.energy += inertia.kinetic_energy(&motion) + weight * (motion.position.dot(self.up) - lowest).max(0.0);
        self.members.push((lowest + body.reach, weight));
    }

    /// Whether one of them can get as high as a body that rests.
    fn reaches(&self, body: &Body) -> bool {
        let corner = DVec3::select(self.up.cmpge(DVec3::ZERO), body.bound.min, body.bound.max);
        let bottom = corner.dot(self.up);
        let mut heights = self.members.iter().map(|(base, weight)| base + SURPLUS * self.energy / weight);
        // Without gravity or a floor the height is no number, and nothing is out of reach.
        heights.any(|height| height >= bottom || height.is_nan())
    }
}
