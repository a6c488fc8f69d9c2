//! Bodies, as they are described and as the simulator keeps them.

use std::sync::{Arc, OnceLock};

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Flight, Inertia, Material, Motion};
use proscenium_geometry::{Bounds, ConvexPart, Core, HeightField, Pose, Shape, ShapeKind, TriangleMesh};

use crate::drive::Drive;
use crate::error::WorldError;
use crate::field::Feeler;
use crate::intersections::{cell_width, level_above};
use crate::queue::Slot;
use crate::simple_flight::leaves;
use crate::surface::{Region, SurfaceSplines, Zone};

/// A bound in the grid just fits into a cell.
const FIT: f64 = 0.999;
/// It is at least this much wider than the body; chosen.
const LEAST_ROOM: f64 = 1.05;
/// It may be wider by this many levels of cells.
const MOST_LEVELS: i32 = 100;
/// Fewer neighbours than a few ask for wider bounds, more than many for
/// narrower ones (decision 13).
const FEW: f64 = 12.0;
const MANY: f64 = 50.0;
/// How far the middle of a new bound is ahead of the body, as a share of the
/// room there is; chosen: only speed depends on it.
const AHEAD: f64 = 0.6;
/// A bound is larger by this factor, in volume, than one of the level below: cells
/// of neighbouring levels differ by the square root of two (decision 13).
const PER_LEVEL: f64 = 2.0 * std::f64::consts::SQRT_2;
/// What the last count of neighbours adds to what is known of the crowd; chosen.
const RECENT: f64 = 0.5;

/// A body of a world, in the order of addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u32);

impl BodyId {
    /// The place in the order of addition.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A material of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaterialId(pub(crate) u32);

/// A body to be added to a world.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDef {
    /// For messages and recordings.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// What it is made of.
    pub material: MaterialId,
    /// Where its shape is placed at the start.
    pub pose: Pose,
    /// Velocity of the centre of mass at the start, m/s.
    pub velocity: DVec3,
    /// Angular velocity at the start, rad/s.
    pub spin: DVec3,
    /// Whether nothing can move it.
    pub fixed: bool,
    /// Whether it starts at rest: it stays as it is until something hits it.
    pub resting: bool,
    /// When it enters the world, seconds.
    pub start: f64,
    /// The most that it weighs, kg: it is made less dense if it would weigh
    /// more.
    pub mass_at_most: Option<f64>,
    /// Where its surface is of another material; the last zone that contains
    /// a point counts.
    pub zones: Vec<Zone>,
    /// Friction and restitution that change over the surface of a height field.
    pub splines: Option<SurfaceSplines>,
    /// How it moves, if it moves as told; then it has no other velocity, and nothing pushes it.
    pub drive: Option<Drive>,
}

impl BodyDef {
    /// A body at the origin that can move and is at rest.
    pub fn moving(name: impl Into<String>, shape: Shape, material: MaterialId) -> Self {
        Self {
            name: name.into(),
            shape,
            material,
            pose: Pose::IDENTITY,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            fixed: false,
            resting: false,
            start: 0.0,
            mass_at_most: None,
            zones: Vec::new(),
            splines: None,
            drive: None,
        }
    }

    /// A body at the origin that nothing can move.
    pub fn fixed(name: impl Into<String>, shape: Shape, material: MaterialId) -> Self {
        Self { fixed: true, ..Self::moving(name, shape, material) }
    }

    /// Places the shape.
    #[must_use]
    pub fn at(mut self, pose: Pose) -> Self {
        self.pose = pose;
        self
    }

    /// Sets the velocity of the centre of mass.
    #[must_use]
    pub fn with_velocity(mut self, velocity: DVec3) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the angular velocity.
    #[must_use]
    pub fn with_spin(mut self, spin: DVec3) -> Self {
        self.spin = spin;
        self
    }

    /// Lets the body move as told, whatever it meets: a paddle, or a conveyor.
    #[must_use]
    pub fn driven(mut self, drive: Drive) -> Self {
        self.drive = Some(drive);
        self
    }

    /// Makes a part of the surface of another material.
    #[must_use]
    pub fn with_zone(mut self, region: Region, material: MaterialId) -> Self {
        self.zones.push(Zone { region, material });
        self
    }

    /// Lets friction and restitution change over the surface of a height field.
    #[must_use]
    pub fn with_splines(mut self, splines: SurfaceSplines) -> Self {
        self.splines = Some(splines);
        self
    }

    /// Lets the body start at rest, as one that has come to rest is: nothing is
    /// computed about it until something hits it or what it touches moves. In the
    /// air it stays in the air.
    ///
    /// ```
    /// use proscenium_rigid::{BodyDef, Material, World, geometry::{Pose, Shape}, glam::DVec3};
    ///
    /// let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    /// let wood = builder.material(Material::new(700.0, 0.4, 0.3));
    /// builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y)?, wood));
    /// let standing = Pose::from_translation(DVec3::new(0.0, 0.5, 0.0));
    /// let block = BodyDef::moving("block", Shape::cuboid(DVec3::splat(0.5), 0.0)?, wood);
    /// let block = builder.body(block.at(standing).at_rest());
    /// let mut world = builder.build()?;
    /// world.advance(10.0)?;
    /// assert!(world.is_resting(block) && world.statistics().events == 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn at_rest(mut self) -> Self {
        self.resting = true;
        self
    }

    /// Lets the body enter later.
    #[must_use]
    pub fn starting_at(mut self, time: f64) -> Self {
        self.start = time;
        self
    }
}

/// What can be touched of a body, in its principal frame.
#[derive(Clone, Debug)]
pub(crate) enum Touchable {
    /// A ball around the centre of mass: everything about it is exact.
    Ball { radius: f64, part: Box<ConvexPart> },
    /// Convex solids.
    Parts(Arc<[ConvexPart]>),
    /// The half-space behind a plane through the body's position.
    HalfSpace { normal: DVec3 },
    /// Triangles, each as a flat part once something other than a ball is near.
    Triangles { mesh: TriangleMesh, parts: Arc<OnceLock<Vec<ConvexPart>>> },
    /// A smooth surface.
    Field(HeightField),
}

/// Whether a body takes part, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Not yet in the world.
    Waiting,
    /// In the world.
    Here,
    /// In the world and at rest: as good as fixed until hit.
    Resting,
    /// Taken out of the world.
    Gone,
}

impl Presence {
    /// Whether it takes part in collisions.
    pub(crate) fn is_here(self) -> bool {
        matches!(self, Self::Here | Self::Resting)
    }
}

/// A body as the simulator keeps it.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub name: String,
    pub shape: Shape,
    pub material: MaterialId,
    pub zones: Vec<Zone>,
    pub splines: Option<SurfaceSplines>,
    /// How it moves, if it moves as told, and the event of its next stretch.
    pub drive: Option<Drive>,
    pub drive_slot: Slot,
    /// `None` for fixed bodies.
    pub inertia: Option<Inertia>,
    pub shape_from_principal: Pose,
    pub touchable: Touchable,
    /// Where it can touch a height field; empty in worlds without one.
    pub feelers: Vec<Feeler>,
    /// The radius of the sphere around the centre of mass.
    pub reach: f64,
    /// The box around its parts, in its principal frame.
    pub around: Bounds,
    pub presence: Presence,
    pub flight: Flight,
    pub start: f64,
    /// Whether it enters at rest.
    pub starts_at_rest: bool,
    /// The temporal bound, when it was made, and its expiry event.
    pub bound: Bounds,
    pub last_event: f64,
    pub bound_expires: f64,
    /// The level of its bounds in the grid.
    pub room: i32,
    /// How many neighbours it has had lately.
    pub crowd: f64,
    pub slot: Slot,
    /// The island that it is stepped with.
    pub island: Option<u32>,
    /// When its flight ends, if that is known: with the next contact step.
    pub flight_ends: f64,
    /// No point of it has come farther than this by the start of its flight,
    /// metres.
    pub way: f64,
    /// Whether its flight is the closed form of a ball on the ground.
    pub rolling: bool,
    /// Whether its flight leads to where joints let it go, and is part of a linkage's.
    pub linked: bool,
    /// Steps in a row in which it was slow.
    pub calm: u32,
    /// Collisions without time passing between them, and since when.
    pub rapid_collisions: u32,
    pub rapid_since: f64,
}

impl Body {
    /// A body to be. Bodies of one shape share what can be touched of them:
    /// the one before is asked.
    pub(crate) fn new(
        def: BodyDef,
        material: &Material,
        slot: Slot,
        before: Option<&Self>,
    ) -> Result<Self, WorldError> {
        check(&def)?;
        let (inertia, shape_from_principal) = if def.fixed {
            (None, Pose::IDENTITY)
        } else {
            let cannot = || WorldError::CannotMove { body: def.name.clone(), shape: def.shape.name() };
            let at_density = |density: f64| {
                let properties = def.shape.mass_properties(density).ok_or_else(cannot)?;
                properties.map_err(|error| WorldError::Mass { body: def.name.clone(), error })
            };
            let properties = at_density(material.density)?;
            let properties = match def.mass_at_most {
                Some(most) if properties.mass > most => at_density(material.density * (most / properties.mass))?,
                _ => properties,
            };
            (Some(Inertia::new(&properties)), properties.shape_from_principal)
        };
        let principal_from_shape = shape_from_principal.inverse();
        let alike = before.filter(|body| body.shape_from_principal == shape_from_principal && body.shape == def.shape);
        let touchable =
            alike.map_or_else(|| Touchable::new(&def.shape, &principal_from_shape), |body| body.touchable.clone());
        let world_from_principal = def.pose * shape_from_principal;
        let flight = match &inertia {
            None => Flight::resting(def.start, &world_from_principal),
            Some(inertia) => {
                let motion = Motion {
                    position: world_from_principal.translation,
                    orientation: world_from_principal.rotation.normalize(),
                    velocity: def.velocity,
                    spin: def.spin,
                };
                if let Some(drive) = &def.drive {
                    drive.flight(def.start, motion).0
                } else if def.resting {
                    Flight::resting(def.start, &motion.pose())
                } else {
                    Flight::new(def.start, motion, inertia, DVec3::ZERO)
                }
            }
        };
        Ok(Self {
            reach: touchable.reach(),
            around: touchable.solids().iter().fold(Bounds::EMPTY, |all, part| all.merge(&part.bounds())),
            name: def.name,
            shape: def.shape,
            material: def.material,
            zones: def.zones,
            splines: def.splines,
            drive: def.drive,
            drive_slot: Slot::NONE,
            inertia,
            shape_from_principal,
            touchable,
            feelers: Vec::new(),
            presence: Presence::Waiting,
            flight,
            start: def.start,
            starts_at_rest: def.resting,
            bound: Bounds::EMPTY,
            last_event: def.start,
            bound_expires: def.start,
            room: i32::MIN,
            crowd: FEW,
            slot,
            island: None,
            flight_ends: f64::INFINITY,
            way: 0.0,
            rolling: false,
            linked: false,
            calm: 0,
            rapid_collisions: 0,
            rapid_since: def.start,
        })
    }

    /// Puts the body on another flight.
    pub(crate) fn take_flight(&mut self, flight: Flight) {
        self.way = self.way_by(flight.start());
        self.flight = flight;
        self.flight_ends = f64::INFINITY;
        self.linked = false;
    }

    /// No point of the body is faster than this from the start of its flight
    /// until a time, m/s.
    pub(crate) fn fastest(&self, until: f64) -> f64 {
        if self.inertia.is_none() {
            return 0.0;
        }
        let (first, last) = (self.flight.initial().velocity, self.flight.velocity(until));
        first.length().max(last.length()) + self.flight.max_spin() * self.reach
    }

    /// No point of the body has come farther than this by a time, metres.
    pub(crate) fn way_by(&self, time: f64) -> f64 {
        let span = time - self.flight.start();
        if span > 0.0 { self.way + span * self.fastest(time) } else { self.way }
    }

    /// What it is made of at a point of the world.
    pub(crate) fn material_at(&self, point: DVec3, time: f64) -> MaterialId {
        if self.zones.is_empty() {
            return self.material;
        }
        let local = self.world_from_shape(time).inverse_transform_point(point);
        self.zones.iter().rev().find(|zone| zone.region.contains(local)).map_or(self.material, |zone| zone.material)
    }

    /// Whether it is a ball that moves on the ground in closed form.
    pub(crate) fn rolls(&self) -> bool {
        self.rolling
    }

    /// Whether it takes part in collisions.
    pub(crate) fn is_here(&self) -> bool {
        self.presence.is_here()
    }

    /// Whether it changes its place.
    pub(crate) fn moves(&self) -> bool {
        self.presence == Presence::Here && self.inertia.is_some()
    }

    /// The pose in which it touches others at a time: how a ball is turned makes
    /// no difference.
    pub(crate) fn pose_to_touch(&self, time: f64) -> Pose {
        match &self.touchable {
            Touchable::Ball { .. } => Pose::from_translation(self.flight.position(time)),
            _ => self.flight.pose(time),
        }
    }

    /// The pose of the shape at a time.
    pub(crate) fn world_from_shape(&self, time: f64) -> Pose {
        self.flight.pose(time) * self.shape_from_principal.inverse()
    }

    /// Makes the next bound in the grid, with room for the body and a margin:
    /// wider among few neighbours, and narrower among many.
    pub(crate) fn make_room(&mut self, neighbours: usize, margin: f64) {
        let least = level_above(2.0 / FIT * (LEAST_ROOM * self.reach + margin));
        self.crowd += RECENT * (neighbours as f64 - self.crowd);
        let step = i32::from(self.crowd < FEW) - i32::from(self.crowd > MANY);
        self.room = self.room.saturating_add(step).clamp(least, least + MOST_LEVELS);
        // About as many more as the bound is larger.
        match step {
            1 => self.crowd *= PER_LEVEL,
            -1 => self.crowd /= PER_LEVEL,
            _ => {}
        }
    }

    /// How far the body can go from the middle of a bound in the grid.
    pub(crate) fn room_to_move(&self, margin: f64) -> f64 {
        0.5 * FIT * cell_width(self.room) - self.reach - margin
    }

    /// A new bound in the grid, with more of it ahead of the body than behind.
    pub(crate) fn roomy_bound(&self, now: f64, margin: f64) -> Bounds {
        let room = self.room_to_move(margin);
        let middle = self.flight.position(now) + AHEAD * room * self.flight.velocity(now).normalize_or_zero();
        Bounds::around_sphere(middle, self.reach + margin + room)
    }

    /// How long the body and a margin stay inside its bound; not at all if
    /// they are not inside.
    pub(crate) fn leaves_bound(&self, now: f64, margin: f64) -> f64 {
        let inner = self.bound.grow(-self.reach - margin);
        let position = self.flight.position(now);
        if !inner.contains_point(position) {
            return 0.0;
        }
        leaves(position, self.flight.velocity(now), self.flight.acceleration(), inner.min, inner.max)
    }

    /// How long the body takes to cross its own radius, at most a second.
    pub(crate) fn time_to_cross(&self, from: f64) -> f64 {
        let by_speed = self.reach / self.flight.velocity(from).length();
        let by_fall = (2.0 * self.reach / self.flight.acceleration().length()).sqrt();
        by_speed.min(by_fall).min(1.0)
    }

    /// A box that contains the body from `from` to `until` if nothing touches
    /// it: the box around the bounding sphere at both ends and at the apex of
    /// its parabola (Mirtich).
    pub(crate) fn temporal_bound(&self, from: f64, until: f64) -> Bounds {
        if !self.moves() {
            return self.shape.bounds(&self.world_from_shape(from));
        }
        self.swept(&self.flight, from, until)
    }

    /// The box around the bounding sphere on a flight.
    pub(crate) fn swept(&self, flight: &Flight, from: f64, until: f64) -> Bounds {
        let (p, q) = (flight.position(from), flight.position(until));
        let mut bound = Bounds { min: p.min(q), max: p.max(q) };
        let (velocity, acceleration) = (flight.velocity(from), flight.acceleration());
        for axis in 0..3 {
            if acceleration[axis] != 0.0 {
                let apex = from - velocity[axis] / acceleration[axis];
                if apex > from && apex < until {
                    let extreme = flight.position(apex)[axis];
                    bound.min[axis] = bound.min[axis].min(extreme);
                    bound.max[axis] = bound.max[axis].max(extreme);
                }
            }
        }
        bound.grow(self.reach)
    }
}

fn check(def: &BodyDef) -> Result<(), WorldError> {
    let wrong = |what| Err(WorldError::NotFinite { body: def.name.clone(), what });
    if !def.pose.is_valid() {
        return wrong("its position or orientation");
    }
    if !def.velocity.is_finite() {
        return wrong("its velocity");
    }
    if !def.spin.is_finite() {
        return wrong("its spin");
    }
    if !def.start.is_finite() {
        return wrong("its start time");
    }
    if def.resting && (def.velocity != DVec3::ZERO || def.spin != DVec3::ZERO) {
        return Err(WorldError::MovesAtRest { body: def.name.clone() });
    }
    if def.drive.is_some() && (def.fixed || def.resting) {
        return Err(WorldError::DrivenAtRest { body: def.name.clone() });
    }
    if def.mass_at_most.is_some_and(|mass| !mass.is_finite() || mass <= 0.0) {
        return wrong("its greatest mass");
    }
    if !def.zones.iter().all(|zone| zone.region.is_finite()) {
        return wrong("a zone of its surface");
    }
    let is_field = matches!(def.shape.kind(), ShapeKind::HeightField(_));
    if def.splines.as_ref().is_some_and(|splines| !(is_field && splines.are_possible())) {
        return Err(WorldError::Splines { body: def.name.clone() });
    }
    Ok(())
}

impl Touchable {
    fn new(shape: &Shape, principal_from_shape: &Pose) -> Self {
        match shape.kind() {
            ShapeKind::HalfSpace { normal } => Self::HalfSpace { normal: *normal },
            ShapeKind::Mesh(mesh) => Self::Triangles { mesh: mesh.clone(), parts: Arc::default() },
            ShapeKind::HeightField(field) => Self::Field(field.clone()),
            kind => {
                let mut parts = shape.convex_parts(principal_from_shape);
                match (kind, parts.len()) {
                    (ShapeKind::Sphere { radius }, 1) => {
                        Self::Ball { radius: *radius, part: Box::new(parts.remove(0)) }
                    }
                    _ => Self::Parts(parts.into()),
                }
            }
        }
    }

    /// Whether it is made of balls and what lies between them: each part of it
    /// touches a flat side or a round solid in places that are all known.
    pub(crate) fn is_turned(&self) -> bool {
        match self {
            Self::Parts(parts) => parts.iter().any(|part| matches!(part.core(), Core::Balls { .. })),
            _ => false,
        }
    }

    /// The convex parts of a solid.
    pub(crate) fn parts(&self) -> &[ConvexPart] {
        match self {
            Self::Ball { part, .. } => std::slice::from_ref(part),
            Self::Parts(parts) => parts,
            Self::Triangles { mesh, parts } => parts.get_or_init(|| {
                let count = mesh.triangles().len() as u32;
                (0..count).map(|triangle| ConvexPart::triangle(mesh.corners(triangle))).collect()
            }),
            Self::HalfSpace { .. } | Self::Field(_) => &[],
        }
    }

    /// The convex parts among which round faces are: those of a solid that is no ball.
    pub(crate) fn faces(&self) -> &[ConvexPart] {
        match self {
            Self::Parts(parts) => parts,
            _ => &[],
        }
    }

    /// The convex parts of what is not scenery.
    fn solids(&self) -> &[ConvexPart] {
        match self {
            Self::Ball { .. } | Self::Parts(_) => self.parts(),
            Self::HalfSpace { .. } | Self::Triangles { .. } | Self::Field(_) => &[],
        }
    }

    fn reach(&self) -> f64 {
        match self {
            Self::Ball { radius, .. } => *radius,
            Self::Parts(parts) => parts.iter().map(farthest).fold(0.0, f64::max),
            Self::HalfSpace { .. } | Self::Triangles { .. } | Self::Field(_) => f64::INFINITY,
        }
    }
}

/// The distance from the centre of mass to the farthest point of a part.
fn farthest(part: &ConvexPart) -> f64 {
    part.farthest()
}
