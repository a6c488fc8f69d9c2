//! The world: what it is made of, and how it is built.

mod bounds;
pub(crate) mod collision;
mod contact;
mod driven;
mod events;
mod island;
mod linkage;
pub(crate) mod mark;
mod meetings;
mod rank;
mod rolls;
mod settled;
mod state;
mod tape;

use std::collections::{BTreeMap, BTreeSet};

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Flight, Material, PairSurface};
use proscenium_geometry::{Gap, Warmth};

use crate::body::{Body, BodyDef, BodyId, Touchable};
use crate::builder::{Contacts, WorldBuilder};
use crate::contact::{ContactRule, PersistentContact};
use crate::control::Control;
use crate::error::WorldError;
use crate::field::feelers;
use crate::intersections::{Changes, Intersections};
use crate::joint::WorldJoint;
use crate::queue::{EventQueue, Slot};
use crate::record::{Life, Recording, Sample};
use crate::simple_flight::SimpleFlight;
use crate::statistics::Statistics;
use crate::surface::CollisionChanges;
use crate::take::Past;
use meetings::Meeting;
use tape::Tape;

/// Everything that can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A body enters the world.
    Start(u32),
    /// A body's temporal bound expires, or it meets another on a course that
    /// says everything: the one event that every body has.
    BoundOrMeeting(u32),
    /// A pair of bodies may meet.
    Collision(u32),
    /// An island of touching bodies is stepped.
    Contact(u32),
    /// A body that moves as told begins its next stretch.
    Drive(u32),
    /// Something is done from outside.
    Control(u32),
    /// The poses of all bodies are wanted.
    Sample,
}

/// Two bodies whose temporal bounds intersect.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// The first is always a solid; scenery comes second.
    pub a: u32,
    pub b: u32,
    /// For its event, once there is one.
    pub slot: Slot,
    /// Where each of the two has it in its list of neighbours.
    places: [u32; 2],
    /// What predictions have found, unless the courses say everything.
    predictions: Option<Box<PairPredictions>>,
    /// Whether the bounds intersect now; only the synchronous algorithm keeps
    /// pairs for which they do not.
    pub intersecting: bool,
    /// Set while the two touch in a contact that lasts.
    held: Option<Box<PersistentContact>>,
}

/// What predictions about a pair leave for the next one and for the collision.
#[derive(Clone, Debug, Default)]
struct PairPredictions {
    warmth: Warmth,
    /// The gap at the expected touch, if one is expected.
    expected: Option<Gap>,
    /// A gap that the two had, or more, and how far they had come by then.
    clear: Option<(f64, f64)>,
}

impl Pair {
    fn expected(&self) -> Option<Gap> {
        self.predictions.as_ref().and_then(|predictions| predictions.expected)
    }

    fn expect(&mut self, gap: Gap) {
        self.predictions.get_or_insert_default().expected = Some(gap);
    }

    fn expect_nothing(&mut self) {
        if let Some(predictions) = &mut self.predictions {
            predictions.expected = None;
        }
    }
}

/// Bodies that touch each other, and when they are stepped next.
#[derive(Clone, Debug)]
pub(crate) struct Island {
    members: Vec<u32>,
    slot: Slot,
}

// Where not said otherwise, these are chosen; how bodies move does not depend on
// bounds and predictions (decision 23), only speed does.

/// A bound covers at least this share of the time in which the body crosses
/// its own radius, so that no interval shrinks to nothing.
const SHORTEST_BOUND: f64 = 0.05;
/// A body on a new course keeps its bound if it stays inside for at least this
/// share of the time in which it would cross the room.
const STAY: f64 = 0.25;
/// A contact step is cut short only after this share of it: what touches
/// before is left to the solver (decision 12).
const SHORTEST_STEP: f64 = 0.1;
/// Steps of a prediction within a contact step.
const HELD_PATIENCE: u32 = 20;
/// More collisions of one body than this within [`RAPID_SPAN`] mean that it
/// is wedged: far more than any collapse that ends has had (decision 37).
const RAPID_COLLISIONS: u32 = 10_000;
const RAPID_SPAN: f64 = 1e-3;
/// More collisions within that time mean that a body is pressed between others:
/// a blow that is handed on from one to the next comes back at the same moment,
/// and need not become weaker by that. From then on its touches last, however
/// fast they are, and the solver of its island stops all of them together.
/// Measured on thousands of throws at pins (decision 37).
const PRESSED: u32 = 300;
/// More events than this at one moment mean that time stands still.
const MOST_EVENTS_AT_ONCE: u32 = 1_000_000;

/// A world of rigid bodies, simulated asynchronously.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) now: f64,
    pub(crate) gravity: DVec3,
    pub(crate) tolerance: f64,
    /// Steps of one prediction before it is put off until the time it has
    /// reached: what happens until then may make the rest needless.
    pub(crate) patience: u32,
    contact: Option<ContactRule>,
    /// How bodies freeze where no contact lasts.
    #[cfg(feature = "baselines")]
    pub(crate) freezing: Option<crate::baselines::FreezeRule>,
    islands: Vec<Option<Island>>,
    free_islands: Vec<u32>,
    materials: Vec<Material>,
    surfaces: BTreeMap<(u32, u32), PairSurface>,
    /// What is other about single collisions.
    collisions: CollisionChanges,
    joints: Vec<WorldJoint>,
    /// Per body, the joints that hold it; and which bodies are joined.
    joints_of: Vec<Vec<u32>>,
    joined: BTreeSet<(u32, u32)>,
    pub(crate) bodies: Vec<Body>,
    /// Per body, what most predictions need of it, the meeting that it
    /// expects, and whether anything can move it.
    simple: Vec<SimpleFlight>,
    meetings: Vec<Meeting>,
    movable: Vec<bool>,
    pub(crate) queue: EventQueue<Event>,
    pub(crate) intersections: Intersections,
    pub(crate) pairs: Vec<Pair>,
    free_pairs: Vec<u32>,
    /// Per body: the others whose bounds it intersects, and the pairs.
    pub(crate) neighbours: Vec<Vec<(u32, u32)>>,
    pub(crate) changes: Changes,
    controls: Vec<Option<(f64, Control)>>,
    pub(crate) statistics: Statistics,
    recording: Option<Recording>,
    /// What was recorded for the present block of time, if blocks are kept.
    tape: Option<Tape>,
    pub(crate) past: Option<Box<Past>>,
    sampling: Option<(f64, Slot)>,
    samples: Vec<Sample>,
    field_spacing: Option<f64>,
    /// Events in a row without time passing.
    stalled: u32,
    /// Whether the synchronous algorithm drives it: bounds do not expire, and
    /// pairs outlive them while an event is expected.
    pub(crate) synchronous: bool,
}

impl World {
    /// Starts the description of a world.
    pub fn builder() -> WorldBuilder {
        WorldBuilder::default()
    }

    pub(crate) fn new(builder: WorldBuilder) -> Result<Self, WorldError> {
        let (late, taped) = (builder.late, builder.taped);
        let mut world = Self::described(builder)?;
        if late.is_some() || taped {
            world.note_meetings();
        }
        let first = world.bodies.iter().map(|body| body.start).fold(0.0, f64::min);
        let mut start = world.mark();
        start.time = first;
        world.enter_all(first)?;
        world.now = first;
        if let Some((_, slot)) = world.sampling {
            world.queue.schedule(slot, first);
        }
        world.past = late.map(|late| Box::new(Past::new(late, start)));
        Ok(world)
    }

    /// The world before anything is in it.
    pub(crate) fn described(builder: WorldBuilder) -> Result<Self, WorldError> {
        builder.check()?;
        let mut queue = EventQueue::new();
        let sampling = builder.sample_period.map(|period| (period, queue.slot(Event::Sample, rank::SAMPLE)));
        let mut world = Self {
            now: f64::NEG_INFINITY,
            gravity: builder.gravity,
            tolerance: 0.0,
            patience: builder.patience,
            #[cfg(feature = "baselines")]
            freezing: None,
            contact: None,
            islands: Vec::new(),
            free_islands: Vec::new(),
            materials: builder.materials,
            surfaces: builder.pairs,
            collisions: CollisionChanges { given: builder.collisions, ..CollisionChanges::default() },
            joints: Vec::new(),
            joints_of: Vec::with_capacity(builder.bodies.len()),
            joined: BTreeSet::new(),
            bodies: Vec::with_capacity(builder.bodies.len()),
            simple: Vec::with_capacity(builder.bodies.len()),
            meetings: Vec::with_capacity(builder.bodies.len()),
            movable: Vec::with_capacity(builder.bodies.len()),
            queue,
            intersections: Intersections::new(builder.bounds, builder.bodies.len()),
            pairs: Vec::new(),
            free_pairs: Vec::new(),
            neighbours: Vec::new(),
            changes: Changes::default(),
            controls: Vec::new(),
            statistics: Statistics::default(),
            recording: builder.record.then(Recording::default),
            tape: None,
            past: None,
            sampling,
            samples: Vec::new(),
            field_spacing: None,
            stalled: 0,
            synchronous: false,
        };
        for def in builder.bodies {
            world.add_body(def)?;
        }
        let smallest = world.smallest_reach();
        world.tolerance = builder.tolerance.unwrap_or(1e-6 * smallest.unwrap_or(1.0));
        world.contact = match builder.contact {
            Contacts::Natural => Some(ContactRule::natural(smallest.unwrap_or(1.0), world.gravity)),
            Contacts::By(rule) => Some(rule),
            Contacts::Never => None,
            #[cfg(feature = "baselines")]
            Contacts::Freezing(rule) => {
                world.freezing = Some(rule);
                None
            }
        };
        for joint in &builder.joints {
            world.add_joint(joint)?;
        }
        Ok(world)
    }

    /// The radius of the smallest body that can move, if one can.
    fn smallest_reach(&self) -> Option<f64> {
        let moving = self.bodies.iter().filter(|body| body.inertia.is_some() && !body.is_driven());
        moving.map(|body| body.reach).reduce(f64::min)
    }

    fn add_body(&mut self, def: BodyDef) -> Result<BodyId, WorldError> {
        let Some(material) = self.materials.get(def.material.0 as usize) else {
            return Err(WorldError::UnknownMaterial { body: def.name });
        };
        material.check().map_err(|error| WorldError::Material { body: def.name.clone(), error })?;
        if def.zones.iter().any(|zone| zone.material.0 as usize >= self.materials.len()) {
            return Err(WorldError::UnknownMaterial { body: def.name });
        }
        let index = self.bodies.len() as u32;
        let slot = self.queue.slot(Event::Start(index), rank::start(index));
        let mut body = Body::new(def, material, slot, self.bodies.last())?;
        if let Touchable::Field(field) = &body.touchable {
            let spacing = self.field_spacing.map_or(field.spacing(), |s| s.min(field.spacing()));
            self.field_spacing = Some(spacing);
            for other in self.bodies.iter_mut().filter(|other| other.inertia.is_some()) {
                other.feelers = feelers(&other.touchable, spacing);
            }
        } else if let (Some(spacing), true) = (self.field_spacing, body.inertia.is_some()) {
            body.feelers = feelers(&body.touchable, spacing);
        }
        if let Some(inertia) = body.inertia.as_ref().filter(|_| !body.starts_at_rest && !body.is_driven()) {
            body.flight = Flight::new(body.start, *body.flight.initial(), inertia, self.gravity);
        }
        self.simple.push(SimpleFlight::of(&body, self.gravity));
        self.meetings.push(Meeting::NONE);
        self.movable.push(body.inertia.is_some() && !body.is_driven());
        self.bodies.push(body);
        self.neighbours.push(Vec::new());
        self.joints_of.push(Vec::new());
        if let Some(recording) = &mut self.recording {
            recording.bodies.push(Life::default());
        }
        if let Some(tape) = &mut self.tape {
            tape.recording.bodies.push(Life::default());
        }
        Ok(BodyId(index))
    }

    /// Puts in all bodies that are there from the beginning, and schedules
    /// the others.
    fn enter_all(&mut self, first: f64) -> Result<(), WorldError> {
        let mut present = Vec::new();
        for index in 0..self.bodies.len() as u32 {
            let (start, slot) = (self.bodies[index as usize].start, self.bodies[index as usize].slot);
            if start > first {
                self.queue.schedule(slot, start);
            } else {
                present.push((index, self.appear(index, first)));
            }
        }
        self.changes.clear();
        self.intersections.structure().insert_all(&present, &mut self.changes);
        self.apply_changes();
        for (index, _) in &present {
            self.check_clear(*index).map_err(|(other, depth)| {
                let name = |k: u32| self.bodies[k as usize].name.clone();
                WorldError::Overlap { a: name(other.min(*index)), b: name(other.max(*index)), depth }
            })?;
            self.record_flight(*index);
            self.rest_on_neighbours(*index);
        }
        for pair in 0..self.pairs.len() as u32 {
            self.predict(pair);
        }
        for (index, _) in &present {
            self.start_linkage(*index);
        }
        Ok(())
    }
}
