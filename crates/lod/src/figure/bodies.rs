//! Figures as bodies of a world: a body for each segment, and a joint for each but
//! the first.

use std::sync::Arc;

use glam::DVec3;
use proscenium_bodies::{Material, Motion};
use proscenium_geometry::Pose;
use proscenium_work::{Completion, Finish as _, Halt, Progress};

use super::Figure;
use crate::LodError;
use crate::mesh::{SampleGrid, SolidMesh};
use crate::tree::{TreeSettings, Volume, VolumeModel};
use crate::world::{BodyId, World, WorldJoint};

/// Cells along the longest side of the mesh of a volume; chosen: it is drawn.
const CELLS: f64 = 20.0;
/// Halvings of a cell to where the surface is.
const HALVINGS: usize = 10;

impl Figure {
    /// A model for each segment: its detail, or a tree about its volume.
    ///
    /// # Errors
    /// When a volume has no size.
    pub fn models(
        &self,
        settings: TreeSettings,
        progress: &Progress,
    ) -> Result<Completion<Vec<Arc<VolumeModel>>>, LodError> {
        self.try_models(settings, progress).finish()
    }

    pub(crate) fn try_models(
        &self,
        settings: TreeSettings,
        progress: &Progress,
    ) -> Result<Vec<Arc<VolumeModel>>, Halt<LodError>> {
        let count = self.segments().len() as f64;
        let mut models = Vec::new();
        for (number, segment) in self.segments().iter().enumerate() {
            let part = progress.part(number as f64 / count, (number + 1) as f64 / count);
            models.push(match &segment.detail {
                Some((model, _)) => Arc::clone(model),
                None => {
                    let mesh = mesh_of(&segment.volume)?;
                    Arc::new(VolumeModel::try_build(&segment.name, &mesh, settings, &part)?)
                }
            });
        }
        Ok(models)
    }

    /// Puts the figure into a world, where it stands and as its joints are turned,
    /// moving as a whole. Joints bend no farther than their angles allow; segments
    /// that overlap now, as neighbours do, pass through each other, and all others
    /// collide.
    ///
    /// ```
    /// use proscenium_bodies::{Material, Motion};
    /// use proscenium_lod::glam::DVec3;
    /// use proscenium_lod::{Budget, TreeSettings, World, figure};
    /// use proscenium_work::Progress;
    ///
    /// let chain = figure::Figure::chain(&[0.3, 0.3, 0.3], 0.05)?;
    /// let settings = TreeSettings { depth: 3, ..TreeSettings::default() };
    /// let models = chain.models(settings, &Progress::none())?.finished().expect("nobody stops it");
    /// let mut world = World::new();
    /// world.add_wall(DVec3::Y, -DVec3::Y)?;
    /// let links = chain.enter(&mut world, &models, &Motion::AT_REST, Material::new(700.0, 0.3, 0.5))?;
    /// for frame in 1..=60 {
    ///     world.advance(f64::from(frame) / 60.0, &[], Budget::Tests(20_000))?;
    /// }
    /// assert!(world.motion(links[2])?.position.y < -0.5 && world.joint_gap()? < 0.02);
    /// # Ok::<(), proscenium_lod::LodError>(())
    /// ```
    ///
    /// # Errors
    /// When there are not as many models as segments, or a number is not finite.
    pub fn enter(
        &self,
        world: &mut World,
        models: &[Arc<VolumeModel>],
        moving: &Motion,
        material: Material,
    ) -> Result<Vec<BodyId>, LodError> {
        if models.len() != self.segments().len() {
            let remedy = "give one for each segment, as Figure::models makes them";
            return Err(LodError::Number { what: "the number of models", value: models.len() as f64, remedy });
        }
        let mut bodies = Vec::new();
        for (number, model) in models.iter().enumerate() {
            let place = match &self.segments()[number].detail {
                Some((_, place)) => *place,
                None => *model.mesh_from_model(),
            };
            let pose: Pose = self.poses()[number] * place;
            let arm = pose.translation - moving.position;
            let motion = Motion {
                position: pose.translation,
                orientation: pose.rotation.normalize(),
                velocity: moving.velocity + moving.spin.cross(arm),
                spin: moving.spin,
            };
            bodies.push(world.add(model, motion, material)?);
        }
        for (number, segment) in self.segments().iter().enumerate() {
            if let Some(parent) = segment.parent {
                world.join(bodies[number], Some(bodies[parent]), self.joint(number, parent))?;
            }
            for other in 0..number {
                let (one, two) = (self.volume(other), self.volume(number));
                if (crate::contact::pair_model(one.kind, two.kind).meet)(&one, &two) {
                    world.pass_through(bodies[other], bodies[number])?;
                }
            }
        }
        Ok(bodies)
    }

    /// The joint that a segment hangs on its parent by, where both are now.
    fn joint(&self, number: usize, parent: usize) -> WorldJoint {
        let (segment, pose) = (&self.segments()[number], &self.poses()[number]);
        let at = pose.translation;
        if let Some((axis, [least, most])) = segment.hinge {
            let turn = self.turns[number];
            let turn = if turn.w < 0.0 { -turn } else { turn };
            let now = 2.0 * libm::atan2(turn.xyz().dot(axis.normalize_or_zero()), turn.w);
            let limits = Some([(least - now).min(0.0), (most - now).max(0.0)]);
            return WorldJoint::Hinge { at, axis: self.poses()[parent].rotation * axis, limits };
        }
        let (ahead, along) = (at - self.volume(parent).center, pose.rotation * segment.axis);
        let has_axes = ahead.length() > 1e-9 && along.length() > 1e-9;
        let most = (std::f64::consts::PI - segment.least_angle).clamp(0.0, std::f64::consts::PI);
        WorldJoint::Ball { at, swing: has_axes.then_some(([ahead, along], most)) }
    }

    /// The middle of the figure as it stands, and the radius about it that holds it.
    pub fn ball(&self) -> (DVec3, f64) {
        let volumes: Vec<Volume> = (0..self.segments().len()).map(|number| self.volume(number)).collect();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for volume in &volumes {
            (low, high) = (low.min(volume.center - volume.reach()), high.max(volume.center + volume.reach()));
        }
        let middle = 0.5 * (low + high);
        let reach = |volume: &Volume| volume.center.distance(middle) + volume.reach();
        (middle, volumes.iter().map(reach).fold(0.0, f64::max))
    }
}

/// The surface of a volume.
fn mesh_of(volume: &Volume) -> Result<SolidMesh, LodError> {
    let size = 2.0 * DVec3::from(DVec3::AXES.map(|axis| volume.extent(axis)));
    let cell = crate::error::positive("the size of a segment", size.max_element())? / CELLS;
    let low = volume.center - 0.5 * size - cell * DVec3::new(0.617, 0.631, 0.587);
    let grid = SampleGrid { low, cell, points: size.to_array().map(|size| (size / cell) as usize + 3) };
    let inside: Vec<bool> = (0..grid.count()).map(|number| volume.contains(grid.place(number))).collect();
    let (vertices, triangles) = grid.surface(&inside, |near, far| {
        let (mut from, mut to) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle: f64 = 0.5 * (from + to);
            if volume.contains(near.lerp(far, middle)) { from = middle } else { to = middle }
        }
        (0.5 * (from + to)).clamp(0.1, 0.9)
    });
    Ok(SolidMesh::new(vertices, &triangles)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::person;
    use crate::world::{Budget, Settings};
    use glam::DQuat;
    use proscenium_chance::Seed;

    fn models(figure: &Figure) -> Vec<Arc<VolumeModel>> {
        let settings = TreeSettings { depth: 3, ..TreeSettings::default() };
        figure.models(settings, &Progress::none()).unwrap().finished().unwrap()
    }

    const STUFF: Material = Material::new(1000.0, 0.2, 0.5);

    #[test]
    fn a_model_is_as_large_as_its_segment() {
        let person = person().unwrap();
        for (model, segment) in models(&person).iter().zip(person.segments()) {
            let share = model.mesh().volume() / segment.volume.size();
            assert!((0.9..1.01).contains(&share), "{}: {share}", segment.name);
        }
    }

    /// What joints hold, how far they bend, and where everything ends, at a budget
    /// that is far too small and without one.
    #[test]
    fn a_person_that_falls_lies_in_one_piece() {
        for budget in [Budget::Tests(12_000), Budget::Unlimited] {
            let mut person = person().unwrap();
            let turn = DQuat::from_rotation_z(0.4) * DQuat::from_rotation_x(0.3);
            person.stand(Pose::new(0.7 * DVec3::Y, turn));
            let models = models(&person);
            let mut world = World::with(Settings::default(), Seed(2)).unwrap();
            world.add_wall(DVec3::Y, DVec3::ZERO).unwrap();
            let bodies = person.enter(&mut world, &models, &Motion::AT_REST, STUFF).unwrap();
            let (mut gap, mut folded, mut asleep) = (0.0_f64, f64::INFINITY, 0);
            for frame in 1..=360 {
                asleep = world.advance(f64::from(frame) / 60.0, &[], budget).unwrap().asleep;
                gap = gap.max(world.joint_gap().unwrap());
                for (number, segment) in person.segments().iter().enumerate() {
                    let Some(parent) = segment.parent.filter(|_| segment.hinge.is_none()) else {
                        continue;
                    };
                    let place =
                        |of: usize| world.motion(bodies[of]).unwrap().pose() * models[of].mesh_from_model().inverse();
                    let back = place(parent).rotation * (person.segments()[parent].volume.center - segment.joint);
                    let along = place(number).rotation * segment.axis;
                    folded = folded.min(back.angle_between(along) - segment.least_angle);
                }
            }
            assert!(gap < 0.03, "{budget:?}: joints apart by {gap}");
            assert!(folded > -0.12, "{budget:?}: bent too far by {folded}");
            assert_eq!(asleep, 14, "{budget:?}: it comes to rest");
            for (body, model) in bodies.iter().zip(&models) {
                let pose = world.motion(*body).unwrap().pose();
                let heights = model.mesh().vertices().iter().map(|vertex| pose.transform_point(*vertex).y);
                let lowest = heights.fold(f64::INFINITY, f64::min);
                assert!(lowest > -0.01, "{budget:?}: {} at {lowest}", model.name());
            }
        }
    }

    /// The ends of a chain that is rolled up are no neighbours.
    #[test]
    fn a_figure_does_not_pass_through_itself() {
        let mut chain = Figure::chain(&[0.4, 0.3, 0.4], 0.06).unwrap();
        (1..3).for_each(|joint| chain.turn(joint, DQuat::from_rotation_z(1.4)).unwrap());
        let models = models(&chain);
        let settings = Settings { gravity: DVec3::ZERO, ..Settings::default() };
        let mut world = World::with(settings, Seed(2)).unwrap();
        let bodies = chain.enter(&mut world, &models, &Motion::AT_REST, STUFF).unwrap();
        // The last segment swings toward the first.
        let last = *world.motion(bodies[2]).unwrap();
        world.set_motion(bodies[2], Motion { spin: 3.0 * DVec3::Z, ..last }).unwrap();
        let mut nearest = f64::INFINITY;
        for frame in 1..=120 {
            world.advance(f64::from(frame) / 60.0, &[], Budget::Unlimited).unwrap();
            let ends = [bodies[0], bodies[2]].map(|body| *world.motion(body).unwrap());
            let line = |of: usize, motion: &Motion| {
                chain.segments()[of].volume.placed(&(motion.pose() * models[of].mesh_from_model().inverse()))
            };
            let (one, two) = (line(0, &ends[0]), line(2, &ends[1]));
            let points = (-20..=20).map(|k| two.center + f64::from(k) / 20.0 * two.axes[0]);
            nearest = nearest.min(points.map(|point| one.core_distance(point)).fold(f64::INFINITY, f64::min));
        }
        assert!(nearest < 0.2, "they meet: {nearest}");
        assert!(nearest > 2.0 * 0.06 - 0.012, "and do not pass: {nearest}");
    }
}
