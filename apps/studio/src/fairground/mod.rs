//! The fairground: rides that run, of which only those in view are computed, or
//! all of them, so that one can see what that costs.

mod clip;
mod forms;
mod layout;
mod looks;
mod rides;

use std::sync::Arc;
use std::time::Instant;

use proscenium_cull::geometry::Bounds;
use proscenium_cull::glam::DVec3;
use proscenium_cull::world::SystemId;
use proscenium_cull::{CompiledModel, CullError, Regime, Seed, State, Stream, System as _, World};
use proscenium_view::{Camera, Frustum, ViewError};

use crate::api::{FairgroundControl, FairgroundFacts, FairgroundStatistics, LiveHello, LiveShape, Problem};
use crate::failure::Failure;
use crate::live::{Costs, Instances, LiveWorld};
use crate::stream::problem;

use layout::Block;
use looks::{Looks, Origin};

pub use clip::{animation, clip};
pub use rides::{AT_ONCE, Ride, Rides};

/// So many rides stand here at first, at least, and at most.
const FIRST: usize = 40;
const LEAST: u32 = 1;
const MOST: u32 = 40_000;
/// How far one sees, m.
const FAR: f64 = 220.0;

/// A fairground.
pub struct Fairground {
    rides: Arc<Rides>,
    kinds: Vec<Kind>,
    shapes: Vec<LiveShape>,
    block: Block,
    placed: Vec<PlacedRide>,
    /// The rides that are learned, if culling is on.
    world: World,
    /// The place of each system of the world.
    places: Vec<u32>,
    culling: bool,
    /// Whether the ground of a ride tells how it came back into view.
    marks: bool,
    now: f64,
    frame: u64,
    stream: Stream,
    is_new: bool,
    costs: Costs,
    computed: u64,
    returns: [u64; 3],
    in_view: Vec<(u32, u8)>,
}

/// A kind of ride.
struct Kind {
    ride: Arc<Ride>,
    bounds: Bounds,
    looks: Looks,
    /// What the world of culled rides knows of it.
    compiled: Option<Arc<CompiledModel>>,
}

/// A ride that stands somewhere.
struct PlacedRide {
    kind: usize,
    position: DVec3,
    /// The world of culled rides has it; it is not computed otherwise.
    is_culled: bool,
    /// Of each copy, while it is computed always.
    states: Vec<State>,
    /// The frame in which it was last in view, and how it had come there.
    seen: (u64, Regime),
}

/// Why the rides cannot go on.
#[derive(Debug, thiserror::Error)]
enum FairgroundError {
    #[error(transparent)]
    Cull(#[from] CullError),
    #[error(transparent)]
    View(#[from] ViewError),
}

impl Fairground {
    /// A fairground of the rides, which are learned beside it if they are not.
    ///
    /// # Errors
    ///
    /// A model that does not stay finite.
    pub fn open(rides: &Arc<Rides>) -> Result<Self, Failure> {
        rides.begin();
        let mut shapes = Vec::new();
        let mut kinds = Vec::new();
        for ride in rides.all() {
            let bounds = ride.bounds()?;
            let looks = Looks::new(&ride.model, &bounds, &mut shapes);
            kinds.push(Kind { ride: Arc::clone(ride), bounds, looks, compiled: None });
        }
        let block = Block::new(&kinds.iter().map(|kind| kind.bounds).collect::<Vec<_>>());
        let mut ground = Self {
            rides: Arc::clone(rides),
            kinds,
            shapes,
            block,
            placed: Vec::new(),
            world: World::new(Seed(1)),
            places: Vec::new(),
            culling: true,
            marks: false,
            now: 0.0,
            frame: 1,
            stream: Seed(1).stream("fairground"),
            is_new: true,
            costs: Costs::default(),
            computed: 0,
            returns: [0; 3],
            in_view: Vec::new(),
        };
        ground.build(FIRST);
        Ok(ground)
    }

    /// Puts up so many rides, each in an initial state.
    fn build(&mut self, total: usize) {
        self.placed = self
            .block
            .rides(total)
            .into_iter()
            .map(|(kind, position)| {
                let model = &self.kinds[kind].ride.model;
                let states = model.copies().iter().map(|_| model.initial(&mut self.stream)).collect();
                PlacedRide { kind, position, is_culled: false, states, seen: (0, Regime::Complete) }
            })
            .collect();
        self.world = World::new(Seed(1));
        self.places.clear();
        self.is_new = true;
    }

    /// Hands rides over: to the world of culled rides what is learned if
    /// culling is on, and everything back if it is off. What is seen goes on as
    /// it was.
    fn hand_over(&mut self) -> Result<(), FairgroundError> {
        self.take_back()?;
        for kind in &mut self.kinds {
            kind.compiled = if self.culling { kind.ride.compiled() } else { None };
        }
        let mut world = World::new(Seed(1)).with_work_per_frame(256);
        self.places.clear();
        for (index, placed) in self.placed.iter_mut().enumerate() {
            if let Some(compiled) = &self.kinds[placed.kind].compiled {
                world.add(compiled, placed.position)?;
                placed.is_culled = true;
                self.places.push(index as u32);
            }
        }
        world.advance(self.now, &[])?;
        for (system, place) in self.places.iter().enumerate() {
            let placed = &mut self.placed[*place as usize];
            for (copy, state) in placed.states.drain(..).enumerate() {
                world.interact(SystemId(system as u32), copy, |now| *now = state)?;
            }
        }
        self.world = world;
        Ok(())
    }

    /// Takes all rides back from the world of culled rides, by looking at all
    /// of them.
    fn take_back(&mut self) -> Result<(), FairgroundError> {
        if self.places.is_empty() {
            return Ok(());
        }
        let everything = everywhere(&self.bounds())?;
        for seen in self.world.advance(self.now, &[everything])? {
            let placed = &mut self.placed[self.places[seen.system.0 as usize] as usize];
            placed.states = seen.copies.iter().map(|(state, _)| *state).collect();
            placed.is_culled = false;
        }
        self.places.clear();
        Ok(())
    }

    /// The box around all rides.
    fn bounds(&self) -> Bounds {
        let each = self.placed.iter().map(|placed| self.kinds[placed.kind].bounds.moved(placed.position));
        each.reduce(Bounds::with).unwrap_or(Bounds::cube(1.0))
    }

    /// Whether a kind was learned, or learned anew, since the last frame.
    fn has_learned(&self) -> bool {
        let same = |kind: &Kind| match (&kind.compiled, kind.ride.compiled()) {
            (Some(ours), Some(latest)) => Arc::ptr_eq(ours, &latest),
            (None, None) => true,
            _ => false,
        };
        self.culling && !self.kinds.iter().all(same)
    }

    /// Moves everything on, and notes what that took.
    fn step(&mut self, to: f64, view: &Frustum) -> Result<(), CullError> {
        let began = Instant::now();
        self.computed = 0;
        let mut shown = Vec::new();
        for placed in self.placed.iter_mut().filter(|placed| !placed.is_culled) {
            let model = &self.kinds[placed.kind].ride.model;
            for (state, ahead) in placed.states.iter_mut().zip(model.copies()) {
                model.advance(state, self.now + ahead, to + ahead, &mut self.stream)?;
                model.show(state, to + ahead, &[], &mut shown);
                self.computed += 1;
            }
        }
        self.world.advance(to, std::slice::from_ref(view))?;
        let cost = began.elapsed().as_secs_f64() * 1e6;
        let work = self.world.frame_work().players;
        self.computed += work.buffered;
        self.costs.add(to, cost);
        self.now = to;
        Ok(())
    }

    /// Draws what is in view.
    fn draw(&mut self, view: &Frustum, instances: &mut Instances) {
        self.frame += 1;
        self.in_view.clear();
        let mut shown = Vec::new();
        for (index, placed) in self.placed.iter().enumerate().filter(|(_, placed)| !placed.is_culled) {
            let kind = &self.kinds[placed.kind];
            let bounds = kind.bounds.moved(placed.position);
            if !view.intersects_aabb(bounds.min, bounds.max) {
                continue;
            }
            let model = &kind.ride.model;
            shown.resize_with(model.copies().len(), Vec::new);
            for ((state, ahead), outputs) in placed.states.iter().zip(model.copies()).zip(&mut shown) {
                model.show(state, self.now + ahead, &[], outputs);
            }
            let copies = shown.iter().map(Vec::as_slice);
            kind.looks.draw(
                model,
                copies,
                placed.position,
                (index as u32, self.marks.then_some(Origin::Always)),
                instances,
            );
            self.in_view.push((index as u32, Origin::Always.number()));
        }
        for seen in self.world.visible() {
            let index = self.places[seen.system.0 as usize];
            let placed = &mut self.placed[index as usize];
            let kind = &self.kinds[placed.kind];
            let (last, mut regime) = placed.seen;
            if last + 1 < self.frame {
                regime = seen.regime;
                self.returns[usize::from(Origin::Culled(regime).number())] += 1;
            }
            placed.seen = (self.frame, regime);
            let copies = seen.copies.iter().map(|(_, outputs)| outputs.as_slice());
            let shown = Origin::Culled(regime);
            kind.looks.draw(&kind.ride.model, copies, placed.position, (index, self.marks.then_some(shown)), instances);
            self.in_view.push((index, shown.number()));
        }
    }

    fn signal(&mut self, ride: u32, name: &str) -> Result<(), Problem> {
        let unknown = |error: &str| problem(error, "give the number of a ride, and a signal that it knows");
        let placed = self.placed.get_mut(ride as usize).ok_or_else(|| unknown("there is no such ride"))?;
        let model = &self.kinds[placed.kind].ride.model;
        if !model.knows_signal(name) {
            return Err(unknown("the ride does not know this signal"));
        }
        if let Ok(system) = self.places.binary_search(&ride) {
            let told = self.world.signal(SystemId(system as u32), name);
            return told.map_err(|error| unknown(&error.to_string()));
        }
        for (state, ahead) in placed.states.iter_mut().zip(model.copies()) {
            model.signal(state, self.now + ahead, name, &[], &mut self.stream);
        }
        Ok(())
    }
}

impl LiveWorld for Fairground {
    type Control = FairgroundControl;
    type Facts = FairgroundFacts;
    type Statistics = FairgroundStatistics;
    const CONTROLS: &'static str = "say { \"culling\": true }, { \"rides\": 400 }, { \"marks\": true } or { \"signal\": { \"ride\": 7, \"name\": \"walk\" } }";

    fn hello(&mut self) -> LiveHello {
        let bounds = self.bounds();
        // At a corner of the stroll, a little above the heads.
        let [[left, top], _, [right, bottom], _] = self.block.stroll(self.placed.len());
        let (paths, still) = looks::paths(&self.block.paths(self.placed.len()), self.shapes.len());
        LiveHello {
            shapes: self.shapes.iter().cloned().chain(paths).collect(),
            still,
            bounds: [bounds.min.to_array(), bounds.max.to_array()],
            eye: [left, 9.0, bottom + 6.0],
            target: [0.5 * (left + right), 2.0, 0.5 * (top + bottom)],
            far: FAR,
            ..LiveHello::default()
        }
    }

    fn facts(&mut self) -> FairgroundFacts {
        let of = |placed: &PlacedRide| {
            let bounds = self.kinds[placed.kind].bounds.moved(placed.position);
            let (middle, half) = (0.5 * (bounds.min + bounds.max), 0.5 * (bounds.max - bounds.min));
            (placed.kind as u32, middle.x, middle.z, half.x.max(half.z))
        };
        FairgroundFacts {
            kinds: self.kinds.iter().map(|kind| kind.ride.name.clone()).collect(),
            rides: self.placed.iter().map(of).collect(),
            stroll: self.block.stroll(self.placed.len()).to_vec(),
        }
    }

    fn is_new(&mut self) -> &mut bool {
        &mut self.is_new
    }

    fn control(&mut self, control: FairgroundControl) -> Result<(), Problem> {
        match control {
            FairgroundControl::Culling(culling) => {
                self.culling = culling;
                self.hand_over().map_err(|error| broken(&error))
            }
            FairgroundControl::Marks(marks) => {
                self.marks = marks;
                Ok(())
            }
            FairgroundControl::Rides(total) if (LEAST..=MOST).contains(&total) => {
                self.build(total as usize);
                self.hand_over().map_err(|error| broken(&error))
            }
            FairgroundControl::Rides(total) => {
                Err(problem(&format!("there is no room for {total} rides"), &format!("give from {LEAST} to {MOST}")))
            }
            FairgroundControl::Signal { ride, name } => self.signal(ride, &name),
        }
    }

    fn advance(&mut self, seconds: f64, view: &Camera, instances: &mut Instances) -> Result<(), Problem> {
        let view = Frustum::of(view).map_err(|error| broken(&error))?;
        if self.has_learned() {
            self.hand_over().map_err(|error| broken(&error))?;
        }
        self.step(self.now + seconds, &view).map_err(|error| broken(&error))?;
        self.draw(&view, instances);
        Ok(())
    }

    fn statistics(&mut self) -> FairgroundStatistics {
        let learning = self.rides.all().iter().filter_map(|ride| Some((ride.name.clone(), ride.learning()?)));
        FairgroundStatistics {
            time: self.now,
            culling: self.culling,
            rides: self.placed.len() as u32,
            in_view: self.in_view.len() as u32,
            learned: self.places.len() as u32,
            costs: self.costs.take(),
            computed: self.computed as f64,
            returns: self.returns.map(|count| count as f64),
            seen: self.in_view.clone(),
            learning: learning.collect(),
        }
    }
}

/// The rides cannot go on.
fn broken(error: &dyn std::fmt::Display) -> Problem {
    problem(&error.to_string(), "reload the page; if it happens again, a model of the fairground is not sound")
}

/// A view that has all of a box in it.
fn everywhere(bounds: &Bounds) -> Result<Frustum, ViewError> {
    let (middle, size) = (0.5 * (bounds.min + bounds.max), (bounds.max - bounds.min).length() + 10.0);
    let mut camera = Camera::orthographic(middle + DVec3::Y * size, middle, 2.0 * size, 1.0)?;
    (camera.near, camera.far) = (0.0, 3.0 * size);
    Frustum::of(&camera)
}
