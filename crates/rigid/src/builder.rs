//! Describing a world.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Material, PairSurface};
use proscenium_geometry::{Bounds, ShapeKind};

use crate::body::{BodyDef, BodyId, MaterialId};
use crate::contact::ContactRule;
use crate::error::WorldError;
use crate::intersections::BoundsKind;
use crate::joint::JointDef;
use crate::surface::{BodyPair, CollisionChange};
use crate::take::LateInput;
use crate::world::World;

/// Whether touches become contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Contacts {
    /// As gravity and the smallest body suggest.
    Natural,
    /// By this rule.
    By(ContactRule),
    /// Never.
    Never,
    /// Never, but slow bodies freeze.
    #[cfg(feature = "baselines")]
    Freezing(crate::baselines::FreezeRule),
}

/// A world to be.
#[derive(Clone, Debug)]
pub struct WorldBuilder {
    pub(crate) gravity: DVec3,
    pub(crate) tolerance: Option<f64>,
    pub(crate) patience: u32,
    pub(crate) bounds: BoundsKind,
    pub(crate) contact: Contacts,
    pub(crate) materials: Vec<Material>,
    pub(crate) pairs: BTreeMap<(u32, u32), PairSurface>,
    pub(crate) bodies: Vec<BodyDef>,
    pub(crate) collisions: BTreeMap<BodyPair, (bool, Arc<[CollisionChange]>)>,
    pub(crate) joints: Vec<JointDef>,
    pub(crate) record: bool,
    pub(crate) sample_period: Option<f64>,
    pub(crate) late: Option<LateInput>,
    /// Whether blocks of time will be taken of the run.
    pub(crate) taped: bool,
}

impl Default for WorldBuilder {
    fn default() -> Self {
        Self {
            gravity: DVec3::ZERO,
            tolerance: None,
            patience: 1,
            bounds: BoundsKind::default(),
            contact: Contacts::Natural,
            materials: Vec::new(),
            pairs: BTreeMap::new(),
            bodies: Vec::new(),
            collisions: BTreeMap::new(),
            joints: Vec::new(),
            record: false,
            sample_period: None,
            late: None,
            taped: false,
        }
    }
}

impl WorldBuilder {
    /// The acceleration of every body that can move, m/s².
    #[must_use]
    pub fn gravity(mut self, gravity: DVec3) -> Self {
        self.gravity = gravity;
        self
    }

    /// The acceleration of everything that can move, as [`WorldBuilder::gravity`] set it.
    pub fn acceleration(&self) -> DVec3 {
        self.gravity
    }

    /// The gap that counts as contact, metres. By default a millionth of the
    /// smallest moving body's radius.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// How many steps of conservative advancement one prediction takes before
    /// it is put off until the time it has reached. What happens until then
    /// often makes the rest needless: one, as in the paper, is the default and
    /// as fast as any, and the fastest where bodies are many. The synchronous
    /// algorithm, which pays for every event with all bodies, is fastest with
    /// as many as it takes.
    #[must_use]
    pub fn patience(mut self, steps: u32) -> Self {
        self.patience = steps.max(1);
        self
    }

    /// How temporal bounds are kept, and how long they last.
    #[must_use]
    pub fn bounds(mut self, kind: BoundsKind) -> Self {
        self.bounds = kind;
        self
    }

    /// How slow contacts are kept, where the natural way will not do.
    #[must_use]
    pub fn contact(mut self, rule: ContactRule) -> Self {
        self.contact = Contacts::By(rule);
        self
    }

    /// No contact lasts: bodies bounce for ever, however slowly.
    #[must_use]
    pub fn impulses_only(mut self) -> Self {
        self.contact = Contacts::Never;
        self
    }

    /// Remembers every flight and collision, for [`World::recording`].
    #[must_use]
    pub fn recording(mut self) -> Self {
        self.record = true;
        self
    }

    /// Takes a sample of all poses at the start and every so many seconds,
    /// for [`World::samples`].
    #[must_use]
    pub fn sample_every(mut self, seconds: f64) -> Self {
        self.sample_period = Some(seconds);
        self
    }

    /// Lets control events come late, by up to `horizon` seconds: what they
    /// could have reached by then is simulated anew, the rest stays. The past
    /// is kept in blocks of `block` seconds; a tenth of a second is a good
    /// length.
    #[must_use]
    pub fn late_input(mut self, block: f64, horizon: f64) -> Self {
        self.late = Some(LateInput { block, horizon });
        self
    }

    /// How another description differs; `None` if it does in more than bodies
    /// that can move and corners of fixed meshes.
    pub(crate) fn differences(&self, other: &Self) -> Option<Differences> {
        if self.bodies.len() != other.bodies.len() || self.collisions != other.collisions {
            return None;
        }
        let mut differences = Differences::default();
        for (index, (before, after)) in (0_u32..).zip(self.bodies.iter().zip(&other.bodies)) {
            if before == after {
                continue;
            }
            // A drive that differs later on is not seen in the state of now.
            if before.drive != after.drive {
                return None;
            }
            if before.fixed || after.fixed {
                differences.places.extend(moved_corners(before, after)?);
            } else {
                differences.bodies.insert(index);
            }
        }
        Some(differences)
    }

    /// Adds a material.
    pub fn material(&mut self, material: Material) -> MaterialId {
        self.materials.push(material);
        MaterialId(self.materials.len() as u32 - 1)
    }

    /// Says how two materials meet; without it the geometric means hold.
    pub fn pair(&mut self, a: MaterialId, b: MaterialId, surface: PairSurface) {
        self.pairs.insert((a.0.min(b.0), a.0.max(b.0)), surface);
    }

    /// Adds a body.
    pub fn body(&mut self, body: BodyDef) -> BodyId {
        self.bodies.push(body);
        BodyId(self.bodies.len() as u32 - 1)
    }

    /// Says what is other about the first collisions of two bodies than their materials and
    /// shapes say: the k-th time that they hit each other has the k-th change, and later ones
    /// have none. A normal that leans is that from the second body to the first. Contacts
    /// that last are no collisions, and what a joint holds hits as materials and shapes say.
    ///
    /// ```
    /// use proscenium_rigid::{BodyDef, CollisionChange, Material, World, geometry::{Pose, Shape}, glam::DVec3};
    ///
    /// // A ball is dropped on a floor that leans by 0.1 where it is hit first: half of the
    /// // fall's speed would be turned by 0.2, and all of it is.
    /// let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    /// let glass = builder.material(Material::new(2500.0, 1.0, 0.0));
    /// let floor = builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y)?, glass));
    /// let place = Pose::from_translation(DVec3::new(0.0, 1.1, 0.0));
    /// let ball = builder.body(BodyDef::moving("ball", Shape::sphere(0.1)?, glass).at(place));
    /// builder.collisions(ball, floor, vec![CollisionChange { lean: [0.1, 0.0], ..Default::default() }]);
    /// let mut world = builder.build()?;
    /// world.advance(0.5)?;
    /// let velocity = world.motion(ball).map(|motion| motion.velocity).unwrap_or_default();
    /// let fall = (2.0_f64 * 9.81).sqrt();
    /// assert!((velocity.x - fall * 0.2_f64.sin()).abs() < 1e-4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn collisions(&mut self, a: BodyId, b: BodyId, changes: Vec<CollisionChange>) {
        let pair = (a.0.min(b.0), a.0.max(b.0));
        self.collisions.insert(pair, (b.0 < a.0, changes.into()));
    }

    /// Adds a joint between bodies that were added before.
    pub fn joint(&mut self, joint: JointDef) {
        self.joints.push(joint);
    }

    /// The joints so far, in the order of addition.
    pub fn joints(&self) -> &[JointDef] {
        &self.joints
    }

    /// Numbers the bodies anew, along a curve that fills space, so that those
    /// which start near each other lie near each other in memory. Large worlds
    /// run faster so. Returns the new number of each body, by the old one.
    ///
    /// ```
    /// use proscenium_rigid::{BodyDef, Material, World, geometry::{Pose, Shape}, glam::DVec3};
    ///
    /// let mut builder = World::builder();
    /// let steel = builder.material(Material::LOSSLESS);
    /// for x in [0.0, 7.0, 1.0, 8.0] {
    ///     let place = Pose::from_translation(DVec3::new(x, 0.0, 0.0));
    ///     builder.body(BodyDef::moving(format!("at {x}"), Shape::sphere(0.1)?, steel).at(place));
    /// }
    /// let ids = builder.sort_in_space();
    /// let world = builder.build()?;
    /// assert_eq!(ids.iter().map(|id| world.name(*id)).collect::<Vec<_>>(), ["at 0", "at 7", "at 1", "at 8"]);
    /// assert_eq!(world.bodies().map(|id| world.name(id)).collect::<Vec<_>>(), ["at 0", "at 1", "at 7", "at 8"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sort_in_space(&mut self) -> Vec<BodyId> {
        let places = self.bodies.iter().filter(|body| !body.fixed).map(|body| body.pose.translation);
        let everything = Bounds::from_points(places.filter(|place| place.is_finite()));
        let size = everything.size().max_element().max(f64::MIN_POSITIVE);
        // Fixed bodies come first.
        let key = |body: &BodyDef| (!body.fixed, along_curve((body.pose.translation - everything.min) / size));
        let mut order: Vec<usize> = (0..self.bodies.len()).collect();
        order.sort_by_cached_key(|old| key(&self.bodies[*old]));
        let mut ids = vec![BodyId(0); order.len()];
        for (new, old) in (0_u32..).zip(&order) {
            ids[*old] = BodyId(new);
        }
        let renewed = |body: BodyId| ids.get(body.index()).copied().unwrap_or(body);
        for joint in &mut self.joints {
            (joint.body, joint.to) = (renewed(joint.body), joint.to.map(renewed));
        }
        self.bodies = order.into_iter().map(|old| self.bodies[old].clone()).collect();
        for ((a, b), (upwards, changes)) in std::mem::take(&mut self.collisions) {
            let (BodyId(first), BodyId(second)) = (ids[a as usize], ids[b as usize]);
            let upwards = upwards == (first < second);
            self.collisions.insert((first.min(second), first.max(second)), (upwards, changes));
        }
        ids
    }

    /// The numbers of the bodies so far, in the order of addition.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.bodies.len() as u32).map(BodyId)
    }

    /// The bodies so far, in the order of addition.
    pub fn bodies(&self) -> &[BodyDef] {
        &self.bodies
    }

    /// What a material is; `None` if it is not one of this world's.
    pub fn material_of(&self, material: MaterialId) -> Option<&Material> {
        self.materials.get(material.0 as usize)
    }

    /// The world, if everything about it makes sense.
    pub fn build(self) -> Result<World, WorldError> {
        World::new(self)
    }

    pub(crate) fn check(&self) -> Result<(), WorldError> {
        let setting = |what, rule, value: f64| Err(WorldError::Setting { what, rule, value });
        if !self.gravity.is_finite() {
            return setting("gravity", "finite", self.gravity.length());
        }
        if let Some(tolerance) = self.tolerance.filter(|t| !(t.is_finite() && *t > 0.0)) {
            return setting("the tolerance", "positive and finite", tolerance);
        }
        if let Some(period) = self.sample_period.filter(|p| !(p.is_finite() && *p > 0.0)) {
            return setting("the sampling period", "positive and finite", period);
        }
        if let Some(late) = self.late.filter(|late| !(late.block.is_finite() && late.block > 0.0)) {
            return setting("a block of the past", "positive and finite", late.block);
        }
        if let Contacts::By(rule) = &self.contact {
            rule.check().map_err(|(what, value)| WorldError::Setting { what, rule: "positive and finite", value })?;
        }
        #[cfg(feature = "baselines")]
        if let Contacts::Freezing(crate::baselines::FreezeRule { speed, .. }) = self.contact
            && !(speed.is_finite() && speed > 0.0)
        {
            return setting("the speed of freezing", "positive and finite", speed);
        }
        if self.bodies.len() >= 1 << 30 {
            return Err(WorldError::TooManyBodies { most: 1 << 30 });
        }
        for surface in self.pairs.values() {
            surface.check().map_err(WorldError::Pair)?;
        }
        let plain = PairSurface { restitution: 0.0, friction: 0.0, rolling: 0.0 };
        for (pair, (_, changes)) in &self.collisions {
            if pair.1 as usize >= self.bodies.len() {
                return setting("the number of a body that collides", "that of one that was added", f64::from(pair.1));
            }
            for change in changes.iter() {
                if !change.is_finite() {
                    return setting("the lean of a normal", "finite", change.lean[0] + change.lean[1]);
                }
                change.surface(plain).check().map_err(WorldError::Pair)?;
            }
        }
        Ok(())
    }
}

/// How two descriptions differ.
#[derive(Clone, Debug, Default)]
pub(crate) struct Differences {
    /// Bodies that can move.
    pub bodies: BTreeSet<u32>,
    /// Where scenery is not as it was.
    pub places: Vec<Bounds>,
}

/// Boxes around the triangles of a fixed mesh whose corners have moved; `None`
/// if the two differ in anything else.
fn moved_corners(before: &BodyDef, after: &BodyDef) -> Option<Vec<Bounds>> {
    let (ShapeKind::Mesh(old), ShapeKind::Mesh(new)) = (before.shape.kind(), after.shape.kind()) else {
        return None;
    };
    let same = BodyDef { shape: after.shape.clone(), ..before.clone() } == *after;
    if !same || old.triangles() != new.triangles() {
        return None;
    }
    let triangles = 0..old.triangles().len() as u32;
    let corners = triangles.map(|triangle| (old.corners(triangle), new.corners(triangle)));
    let around = |(p, q): ([DVec3; 3], [DVec3; 3])| {
        Bounds::from_points(p.into_iter().chain(q).map(|corner| after.pose.transform_point(corner)))
    };
    Some(corners.filter(|(p, q)| p != q).map(around).collect())
}

/// How far along Morton's curve a point of the unit cube lies.
fn along_curve(point: DVec3) -> u64 {
    let cell = point.to_array().map(|x| (x.clamp(0.0, 1.0) * f64::from((1 << 21) - 1)) as u64);
    (0..21)
        .flat_map(|bit| (0..3).map(move |axis| (bit, axis)))
        .fold(0, |key, (bit, axis)| key | (cell[axis] >> bit & 1) << (3 * bit + axis))
}
