//! A world of bodies whose collisions are handled within a budget.

mod broad;
mod budget;
mod collision;
mod contacts;
mod frame;
mod joints;
mod memory;
mod moving;
mod priority;
mod sleep;
mod solve;

use std::sync::Arc;

use glam::DVec3;
use proscenium_bodies::{Inertia, Material, Motion};
use proscenium_chance::{Seed, Stream};

use broad::BroadPhase;
use budget::Rates;
pub use budget::{Budget, CONTACT_TESTS, JOINT_TESTS, PRIMITIVE_TESTS, ROOT_TESTS, ROUND_TESTS};
use collision::Collision;
pub use collision::{CollisionReport, Partner};
pub use frame::FrameReport;
use joints::JointList;
pub use joints::WorldJoint;
use memory::ContactCache;
pub use priority::{Measure, Schedule, Thresholds, Viewer};

use crate::LodError;
use crate::contact::Reduction;
use crate::error::positive;
use crate::tree::VolumeModel;

/// A body of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub u32);

/// How a world handles collisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Acceleration of every body, m/s².
    pub gravity: DVec3,
    /// How contact primitives become contacts.
    pub reduction: Reduction,
    /// How the budget is spent.
    pub schedule: Schedule,
    /// The deepest level that is ever used; deeper ones of the trees are not.
    pub deepest: u32,
    /// Whether a pair that touches and is watched keeps its level.
    pub hold_levels: bool,
    /// Whether bodies get a plausible random spin at the coarsest level.
    pub random_spin: bool,
    /// Whether bodies that lie still together fall asleep, until something
    /// touches them: they cost nothing then. Without gravity nothing does.
    pub sleeping: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            reduction: Reduction::Span,
            schedule: Schedule::perceptual(),
            deepest: crate::tree::DEEPEST,
            hold_levels: true,
            random_spin: true,
            sleeping: true,
        }
    }
}

/// One of the walls that keep bodies in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Unit vector into the room.
    pub normal: DVec3,
    /// The product of the normal with the points of the wall.
    pub offset: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) model: Arc<VolumeModel>,
    pub(crate) motion: Motion,
    pub(crate) inertia: Inertia,
    pub(crate) material: Material,
    pub(crate) fixed: bool,
    /// A body that would pass others within a step moves on as it was only to
    /// the first of them: its velocity before, and for how long.
    pub(crate) stopped: Option<(DVec3, f64)>,
    /// The number of the island that it fell asleep with.
    pub(crate) asleep: Option<u64>,
    /// For how long it has hardly moved, seconds.
    pub(crate) still_for: f64,
}

impl Body {
    /// Whether forces and contacts move it.
    pub(crate) fn is_awake(&self) -> bool {
        !self.fixed && self.asleep.is_none()
    }
}

/// Bodies in a room with walls, stepped frame by frame.
///
/// ```
/// use std::sync::Arc;
/// use proscenium_bodies::{Material, Motion};
/// use proscenium_lod::{Budget, TreeSettings, VolumeModel, World, glam::DVec3, mesh::built_in};
/// use proscenium_work::Progress;
///
/// let settings = TreeSettings { depth: 3, ..TreeSettings::default() };
/// let knot = VolumeModel::build("knot", &built_in("knot", 1000)?, settings, &Progress::none())?;
/// let knot = Arc::new(knot.finished().expect("nobody stops it"));
/// let mut world = World::new();
/// world.add_box(DVec3::splat(3.0))?;
/// for index in 0..4 {
///     let position = DVec3::new(f64::from(index) - 1.5, 0.0, 0.0) * 1.6;
///     world.add(&knot, Motion { position, ..Motion::AT_REST }, Material::new(1000.0, 0.5, 0.3))?;
/// }
/// for frame in 1..=30 {
///     let report = world.advance(f64::from(frame) / 60.0, &[], Budget::Tests(20_000))?;
///     assert!(report.spent <= 20_000);
/// }
/// # Ok::<(), proscenium_lod::LodError>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    settings: Settings,
    bodies: Vec<Body>,
    walls: Vec<Wall>,
    now: f64,
    frame: u64,
    stream: Stream,
    chances: Stream,
    joints: JointList,
    broad: BroadPhase,
    memory: ContactCache,
    rates: Rates,
    viewers: Vec<Viewer>,
    collisions: Vec<Collision>,
    spare_hits: Vec<Vec<crate::contact::pair::Hit>>,
    /// Islands that fell asleep so far.
    sleepers: u64,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty world at time 0, with the default settings and seed 1.
    pub fn new() -> Self {
        Self::from_parts(Settings::default(), Seed(1))
    }

    /// An empty world.
    ///
    /// # Errors
    /// When a setting is out of its range.
    pub fn with(settings: Settings, seed: Seed) -> Result<Self, LodError> {
        settings.schedule.check()?;
        if !settings.gravity.is_finite() {
            let remedy = "give finite numbers";
            return Err(LodError::Number { what: "gravity", value: settings.gravity.length(), remedy });
        }
        Ok(Self::from_parts(settings, seed))
    }

    fn from_parts(settings: Settings, seed: Seed) -> Self {
        Self {
            settings,
            bodies: Vec::new(),
            walls: Vec::new(),
            now: 0.0,
            frame: 0,
            stream: seed.stream("lod coarse spins"),
            chances: seed.stream("lod chances"),
            joints: JointList::default(),
            broad: BroadPhase::default(),
            memory: ContactCache::default(),
            rates: Rates::default(),
            viewers: Vec::new(),
            collisions: Vec::new(),
            spare_hits: Vec::new(),
            sleepers: 0,
        }
    }

    /// Adds a body that moves.
    ///
    /// # Errors
    /// When its motion or material is out of range.
    pub fn add(&mut self, model: &Arc<VolumeModel>, motion: Motion, material: Material) -> Result<BodyId, LodError> {
        self.add_body(model, motion, material, false)
    }

    /// Adds a body that nothing can move.
    ///
    /// # Errors
    /// As [`World::add`].
    pub fn add_fixed(
        &mut self,
        model: &Arc<VolumeModel>,
        motion: Motion,
        material: Material,
    ) -> Result<BodyId, LodError> {
        let motion = Motion { velocity: DVec3::ZERO, spin: DVec3::ZERO, ..motion };
        self.add_body(model, motion, material, true)
    }

    fn add_body(
        &mut self,
        model: &Arc<VolumeModel>,
        motion: Motion,
        material: Material,
        fixed: bool,
    ) -> Result<BodyId, LodError> {
        material.check()?;
        let unit = (motion.orientation.length_squared() - 1.0).abs() < 1e-6;
        if !motion.is_finite() || !unit || self.bodies.len() >= u32::MAX as usize / 2 {
            return Err(LodError::Diverged { body: self.bodies.len() as u32 });
        }
        let inertia = model.inertia(material.density);
        let model = Arc::clone(model);
        self.bodies.push(Body { model, motion, inertia, material, fixed, stopped: None, asleep: None, still_for: 0.0 });
        Ok(BodyId(self.bodies.len() as u32 - 1))
    }

    /// Adds a wall; bodies stay where it points.
    ///
    /// # Errors
    /// When the normal has no direction or a number is not finite.
    pub fn add_wall(&mut self, normal: DVec3, through: DVec3) -> Result<(), LodError> {
        let unit = normal.try_normalize().filter(|_| through.is_finite());
        let Some(normal) = unit else {
            let remedy = "give a direction and a point of it";
            return Err(LodError::Number { what: "the normal of a wall", value: normal.length(), remedy });
        };
        self.walls.push(Wall { normal, offset: normal.dot(through) });
        Ok(())
    }

    /// Adds the six walls of a box about the origin.
    ///
    /// # Errors
    /// When it has no size.
    pub fn add_box(&mut self, half: DVec3) -> Result<(), LodError> {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            positive("half the size of the box", half.dot(axis))?;
            self.add_wall(axis, -half)?;
            self.add_wall(-axis, half)?;
        }
        Ok(())
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes how the budget is spent.
    ///
    /// # Errors
    /// When the schedule makes no sense.
    pub fn set_schedule(&mut self, schedule: Schedule) -> Result<(), LodError> {
        schedule.check()?;
        self.settings.schedule = schedule;
        Ok(())
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The time that was reached, seconds.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The walls.
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }

    /// Where a body is and how it moves.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn motion(&self, body: BodyId) -> Result<&Motion, LodError> {
        self.body(body).map(|body| &body.motion)
    }

    /// The model of a body.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn model(&self, body: BodyId) -> Result<&Arc<VolumeModel>, LodError> {
        self.body(body).map(|body| &body.model)
    }

    /// Moves a body, or changes how it moves.
    ///
    /// # Errors
    /// When there is no such body or a number is not finite.
    pub fn set_motion(&mut self, body: BodyId, motion: Motion) -> Result<(), LodError> {
        self.body(body)?;
        if !motion.is_finite() {
            return Err(LodError::Diverged { body: body.0 });
        }
        self.wake(body.0 as usize);
        self.bodies[body.0 as usize].motion = motion;
        Ok(())
    }

    /// Whether a body sleeps.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn is_asleep(&self, body: BodyId) -> Result<bool, LodError> {
        self.body(body).map(|body| body.asleep.is_some())
    }

    fn body(&self, body: BodyId) -> Result<&Body, LodError> {
        self.bodies.get(body.0 as usize).ok_or(LodError::NoBody { body: body.0, count: self.bodies.len() })
    }

    /// Kinetic energy of all bodies, joules.
    pub fn kinetic_energy(&self) -> f64 {
        let of = |body: &Body| {
            let motion = &body.motion;
            0.5 * body.inertia.mass * motion.velocity.length_squared() + body.inertia.rotational_energy(motion)
        };
        self.bodies.iter().filter(|body| !body.fixed).map(of).sum()
    }

    /// Linear momentum of all bodies, kg m/s.
    pub fn momentum(&self) -> DVec3 {
        self.bodies.iter().filter(|body| !body.fixed).map(|body| body.inertia.mass * body.motion.velocity).sum()
    }
}
