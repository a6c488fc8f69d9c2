//! A city that runs: what a viewer sees is computed, and nothing else.

mod baseline;
mod control;
mod demand;
mod number;
mod own;
mod recruit;
mod save;
mod settings;
mod start;
mod transitions;
mod visible;
mod wishes;

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish, Halt, Progress, Store};

use crate::culling::{Pools, TrackedCars, TrackingWork, Ways, Whereabouts};
use crate::error::CityError;
use crate::learn::{Approach, Expectations, LearnedTraffic};
use crate::map::{LaneId, Map, Plan, RoadId};
use crate::sight::{Eye, VisibleRoads};
use crate::traffic::{Courtesies, Gridlock, Newcomer, Traffic};
use crate::trips::Trips;
use crate::wander::CarId;

pub use control::CityEvent;
pub use demand::TripCounts;
pub use own::OwnCar;
pub use settings::{Detail, Settings};
pub use visible::VisibleCar;

/// How often regions are put to sleep and gridlocks looked for, seconds. Chosen:
/// rare beside a frame, and soon beside what it looks for, which takes 20 s (a
/// region) and 90 s (a gridlock) to come about.
const SETTLE: f64 = 5.0;

/// What a frame took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CityWork {
    /// Cars on active roads, times steps.
    pub car_steps: u64,
    /// Cars whose bodies were computed.
    pub poses: u64,
    /// Cars that were put on a road that came to life.
    pub placed: u64,
    /// What was done for cars that nobody sees.
    pub tracking: TrackingWork,
}

/// A city with cars.
///
/// ```
/// use proscenium_city::{City, Drive, Map, Recipe, Seed};
///
/// let map = Map::build(&Recipe::with_roads(200).generate(Seed(1))?)?;
/// let drive = Drive::record(&map, Seed(2), 10.0, 10.0)?;
/// let mut city = City::new(map).with_cars(150).seed(7);
/// for (frame, viewer) in drive.frames().iter().enumerate() {
///     city.look(&[viewer.eye(1.2, 400.0)?]);
///     for car in city.advance(0.1 * frame as f64)? {
///         assert!(car.world_from_body.is_finite() && car.steering.abs() < 1.6);
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct City {
    map: Arc<Map>,
    learned: Arc<LearnedTraffic>,
    seed: Seed,
    cars: u32,
    settings: Settings,
    trips: Option<Arc<Trips>>,
    state: Option<Box<State>>,
    visible: Vec<VisibleCar>,
    /// The cars that were seen in the frame before.
    previous: Vec<VisibleCar>,
    /// The roads in view, by the last look.
    in_view: Vec<RoadId>,
    /// What viewers saw then, if it was they who looked.
    sight: Option<Box<VisibleRoads>>,
    /// The viewer for whom wishes are planned.
    eye: Option<Eye>,
}

/// What changes while a city runs.
#[derive(Clone, Debug)]
struct State {
    traffic: Traffic,
    tracked: TrackedCars,
    pools: Option<Pools>,
    expectations: Arc<Expectations>,
    seed: Seed,
    settings: Settings,
    /// The roads in view, in order.
    in_view: Vec<RoadId>,
    /// The last frame in which each road was noted as in view.
    marks: Vec<u32>,
    /// Lanes of roads in view, and lanes of others that start (true) or end at
    /// their junctions.
    view_lanes: Vec<LaneId>,
    edge_lanes: Vec<(LaneId, bool)>,
    /// The roads in view and those of the margin.
    margin: Vec<RoadId>,
    /// Until when each road was in view or in the margin; −∞ if never.
    wanted: Vec<f64>,
    /// When roads that linger may be let go.
    recheck: f64,
    shown: Vec<u32>,
    followed: BTreeSet<CarId>,
    gridlocks: Vec<Gridlock>,
    settled: f64,
    work: CityWork,
    baseline: baseline::Baseline,
    demand: Option<demand::Demand>,
    own_car: Option<OwnCar>,
    own_slot: Option<u32>,
    /// Cars that were added by hand so far.
    made: u32,
    wishes: wishes::Wishes,
}

impl City {
    /// A city on a map, without cars yet.
    pub fn new(map: impl Into<Arc<Map>>) -> Self {
        Self {
            map: map.into(),
            learned: Arc::new(LearnedTraffic::usual()),
            seed: Seed(1),
            cars: 0,
            settings: Settings::default(),
            trips: None,
            state: None,
            visible: Vec::new(),
            previous: Vec::new(),
            in_view: Vec::new(),
            sight: None,
            eye: None,
        }
    }

    /// Reads a `.city` file, and what was learned of it from the `.learned`
    /// file beside it if there is one.
    ///
    /// ```
    /// use proscenium_city::{City, Recipe, Seed};
    /// use proscenium_work::{Folder, Memory, Store};
    ///
    /// let store = Memory::default(); // or Folder::new(".")
    /// store.write("malta.city", &Recipe::with_roads(60).generate(Seed(1))?.to_bytes())?;
    /// let city = City::load(&store, "malta.city")?.with_cars(20);
    /// assert!(city.map().road_count() > 50);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When a file cannot be read, or does not hold what it should.
    pub fn load(store: &dyn Store, name: &str) -> Result<Self, CityError> {
        Self::load_watched(store, name, &Progress::none()).map(|city| city.finished().expect("nobody stops it"))
    }

    /// As [`City::load`], for those who watch or may want it to stop.
    ///
    /// # Errors
    /// As [`City::load`].
    pub fn load_watched(store: &dyn Store, name: &str, progress: &Progress) -> Result<Completion<Self>, CityError> {
        let plan = store.read(name)?.ok_or_else(|| CityError::Missing { name: name.to_owned() })?;
        let learned = store.read(&beside(name, "learned"))?;
        let Completion::Finished(map) = Map::build_watched(&Plan::from_bytes(&plan)?, progress)? else {
            return Ok(Completion::Stopped);
        };
        let city = Self::new(map);
        Ok(Completion::Finished(match learned {
            Some(bytes) => city.with_learned(LearnedTraffic::from_bytes(&bytes)?),
            None => city,
        }))
    }

    /// With so many cars. The city starts anew.
    #[must_use]
    pub fn with_cars(mut self, cars: u32) -> Self {
        (self.cars, self.state) = (cars, None);
        self
    }

    /// With everything uncertain following from another number. The city
    /// starts anew.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        (self.seed, self.state) = (Seed(seed), None);
        self
    }

    /// With something else learned. The city starts anew.
    #[must_use]
    pub fn with_learned(mut self, learned: LearnedTraffic) -> Self {
        (self.learned, self.state) = (Arc::new(learned), None);
        self
    }

    /// With other settings. The city starts anew.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        (self.settings, self.state) = (settings, None);
        self
    }

    /// The map.
    pub fn map(&self) -> &Arc<Map> {
        &self.map
    }

    /// What was learned of such cities.
    pub fn learned(&self) -> &LearnedTraffic {
        &self.learned
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Never forgets a car: it stays known one by one however long nobody sees
    /// it.
    ///
    /// # Errors
    /// When the city cannot start.
    pub fn follow(&mut self, car: CarId) -> Result<(), CityError> {
        self.started()?.followed.insert(car);
        Ok(())
    }

    /// Lets viewers look: what they see of the roads is in view from now on.
    pub fn look(&mut self, viewers: &[Eye]) -> &VisibleRoads {
        let sight = self.sight.get_or_insert_with(|| Box::new(VisibleRoads::new(&self.map)));
        sight.look(&self.map, viewers);
        self.eye = viewers.first().copied();
        self.in_view.clear();
        self.in_view.extend_from_slice(sight.roads());
        self.in_view.sort_unstable();
        sight
    }

    /// Says which roads are in view from now on, to who knows that already. Those
    /// beyond the rim never are.
    ///
    /// # Errors
    /// When a road is not of this map.
    pub fn look_at(&mut self, roads: &[RoadId]) -> Result<(), CityError> {
        let count = self.map.road_count();
        if let Some(road) = roads.iter().find(|road| road.index() >= count) {
            let remedy = "give roads of this map";
            return Err(CityError::Number { what: "a road in view", value: f64::from(road.0), remedy });
        }
        (self.sight, self.eye) = (None, None);
        self.in_view.clear();
        self.in_view.extend(roads.iter().copied().filter(|road| !self.map.road(*road).is_beyond));
        Ok(())
    }

    /// What viewers saw when they looked last; nothing if the roads in view were
    /// told.
    pub fn sight(&self) -> Option<&VisibleRoads> {
        self.sight.as_deref()
    }

    /// Moves on to a time, and gives the cars on the roads in view then. Nothing
    /// else is computed.
    ///
    /// # Errors
    /// When the time is not finite or lies in the past, or the cars do not fit.
    pub fn advance(&mut self, now: f64) -> Result<&[VisibleCar], CityError> {
        self.start()?;
        let state = self.state.as_mut().expect("it has started");
        if !now.is_finite() || now < state.traffic.now {
            let remedy = "give times in order, none before the last";
            return Err(CityError::Number { what: "the time", value: now, remedy });
        }
        std::mem::swap(&mut self.previous, &mut self.visible);
        state.advance(now, (&self.in_view, self.eye), &mut self.visible);
        Ok(&self.visible)
    }

    /// The cars that were seen last.
    pub fn visible(&self) -> &[VisibleCar] {
        &self.visible
    }

    /// Starts the city, if it has not started yet: divides the cars among its
    /// roads.
    ///
    /// # Errors
    /// When the cars do not fit.
    pub fn start(&mut self) -> Result<(), CityError> {
        self.start_watched(&Progress::none()).map(|started| started.finished().expect("nobody stops it"))
    }

    /// As [`City::start`], for those who watch or may want it to stop: a million
    /// cars take seconds. A city that was stopped has not started.
    ///
    /// # Errors
    /// As [`City::start`].
    pub fn start_watched(&mut self, progress: &Progress) -> Result<Completion<()>, CityError> {
        self.ensure_started(progress).finish()
    }

    fn ensure_started(&mut self, progress: &Progress) -> Result<(), Halt<CityError>> {
        if self.state.is_none() {
            self.state = Some(Box::new(start::start(self, progress)?));
        }
        Ok(())
    }

    fn started(&mut self) -> Result<&mut State, CityError> {
        self.start()?;
        Ok(self.state.as_mut().expect("it has started"))
    }

    /// What was done so far.
    pub fn work(&self) -> CityWork {
        self.state.as_ref().map_or_else(CityWork::default, |state| state.all_work())
    }

    /// Cars that drive by the complete model, are tracked one by one, and are
    /// in pools.
    pub fn counts(&self) -> [u64; 3] {
        self.state.as_ref().map_or([0; 3], |state| {
            let waiting = state.waiting() as u64;
            let pooled = state.pools.as_ref().map_or(0, Pools::count);
            [state.traffic.count() as u64 + waiting, state.tracked.count() as u64, pooled]
        })
    }

    /// What drivers did for each other so far where rules alone left them
    /// standing: those that drive by the complete model.
    pub fn courtesies(&self) -> Courtesies {
        self.state.as_ref().map_or_else(Courtesies::default, |state| state.traffic.courtesies)
    }

    /// How often a car has changed lanes so far.
    pub fn lane_changes(&self) -> u64 {
        self.state.as_ref().map_or(0, |state| state.traffic.lane_changes)
    }

    /// The roads on which the complete model runs, in order.
    pub fn active_roads(&self) -> &[RoadId] {
        self.state.as_ref().map_or(&[], |state| state.traffic.active_roads())
    }

    /// For each road how many cars it may have that nobody sees: bounds
    /// weighted by their size, and pools.
    pub fn densities(&self) -> Vec<f32> {
        let Some(state) = &self.state else {
            return vec![0.0; self.map.road_count()];
        };
        let mut densities = state.tracked.densities();
        if let Some(pools) = &state.pools {
            for (road, density) in densities.iter_mut().enumerate() {
                *density += pools.density(RoadId(road as u32), state.traffic.now) as f32;
            }
        }
        densities
    }

    /// Circles of cars that wait for each other, among those that drive by the
    /// complete model. Such roads stay in it until the circle is broken: a jam
    /// that was seen is not dissolved.
    pub fn gridlocks(&self) -> &[Gridlock] {
        self.state.as_ref().map_or(&[], |state| &state.gridlocks)
    }

    /// Of which approaches of its map nothing was learned, and how many lanes lead to such:
    /// who goes first is taken as not held up there, and who gives way waits for gaps that
    /// are drawn. `proscenium city learn` studies them.
    ///
    /// # Errors
    /// When the city cannot start.
    pub fn unlearned(&mut self) -> Result<Vec<(Approach, usize)>, CityError> {
        let map = Arc::clone(&self.map);
        Ok(self.started()?.expectations.unlearned(&map))
    }

    /// Memory that the city takes beside its map, bytes: what there is for each
    /// road, however many cars there are, and what there is for cars.
    pub fn bytes(&self) -> [usize; 2] {
        self.state.as_ref().map_or([0; 2], |state| {
            let parts =
                [state.traffic.bytes(), state.tracked.bytes(), state.pools.as_ref().map_or([0; 2], Pools::bytes)];
            let [roads, cars] = parts.into_iter().fold([0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]]);
            let marks = state.marks.capacity() * 4 + state.wanted.capacity() * 8;
            [roads + marks + state.expectations.bytes(), cars]
        })
    }
}

/// The name of a file with another ending.
fn beside(name: &str, ending: &str) -> String {
    let (folder, file) = name.rsplit_once('/').map_or(("", name), |(folder, file)| (folder, file));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| if stem.is_empty() { file } else { stem });
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{slash}{stem}.{ending}")
}

impl State {
    /// One frame: algorithm 6.1. What the view needs is brought to life first;
    /// then cars drive, those that leave are bounded, bounds that expire are
    /// made anew, and cars that come are let in.
    fn advance(&mut self, now: f64, (in_view, eye): (&[RoadId], Option<Eye>), visible: &mut Vec<VisibleCar>) {
        self.look(now, in_view);
        self.put_own_car();
        let elapsed = now - self.traffic.now;
        if elapsed > 0.0 {
            let steps = (elapsed / self.settings.step - 1e-6).ceil().max(1.0);
            let dt = elapsed / steps;
            for _ in 0..steps as u64 {
                self.traffic.step(dt);
                self.bound_departures();
                self.renew_expired_bounds();
                self.let_arrivals_in();
                self.begin_and_end_trips();
            }
            self.traffic.now = now;
        }
        if now - self.settled >= SETTLE {
            self.settle(now);
        }
        self.show(now, elapsed, visible);
        if !self.wishes.list.is_empty() {
            self.attend_to_wishes(now, elapsed, eye, visible);
        }
    }

    fn ways<'a>(
        traffic: &'a Traffic,
        expectations: &'a Expectations,
        is_active: &'a dyn Fn(RoadId) -> bool,
    ) -> Ways<'a> {
        Ways { map: &traffic.map, vehicle: &traffic.vehicle, draws: &traffic.draws, expectations, is_active }
    }

    /// Cars that left the active roads are tracked from there on.
    fn bound_departures(&mut self) {
        let departures = std::mem::take(&mut self.traffic.departures);
        if self.settings.detail == Detail::SpawnedBaseline {
            return;
        }
        for car in &departures {
            self.track_from_start(*car);
        }
    }

    /// Bounds that have expired: the car walks on to the present (B.3.3), and
    /// gets a new bound or comes to the view.
    fn renew_expired_bounds(&mut self) {
        let now = self.traffic.now;
        self.tracked.choose_size(now);
        while let Some(slot) = self.tracked.expired(now) {
            if let Some(car) = self.walk_on(slot) {
                self.traffic.wait_to_enter(&car);
            }
        }
    }

    /// Lets a tracked car walk on to the present: it gets a new bound, or comes
    /// to an active road and is tracked no longer.
    fn walk_on(&mut self, slot: u32) -> Option<Newcomer> {
        let is_active = |road| self.traffic.is_active(road);
        let ways = Self::ways(&self.traffic, &self.expectations, &is_active);
        match self.tracked.set_position(slot, self.traffic.now, &ways) {
            Whereabouts::Unseen => {
                self.tracked.new_bound(slot, &ways);
                None
            }
            Whereabouts::Enters(car) => {
                self.tracked.remove(slot);
                Some(car)
            }
            Whereabouts::Arrived(car, time) => {
                self.tracked.remove(slot);
                self.traffic.arrivals.push((car, time));
                None
            }
        }
    }

    /// Cars that come from pools.
    fn let_arrivals_in(&mut self) {
        if self.settings.detail == Detail::SpawnedBaseline {
            self.spawn_at_the_edge();
        }
        let Some(mut pools) = self.pools.take() else {
            return;
        };
        let mut arrived = Vec::new();
        let is_active = |road| self.traffic.is_active(road);
        let ways = Self::ways(&self.traffic, &self.expectations, &is_active);
        pools.arrive(self.traffic.now, &ways, |car| arrived.push(car));
        self.pools = Some(pools);
        for car in arrived {
            if self.traffic.is_active(self.traffic.map.road_of(car.path)) {
                self.traffic.wait_to_enter(&car);
            } else {
                self.track_from_start(car);
            }
        }
    }

    /// Looks for gridlocks, and lets regions sleep.
    fn settle(&mut self, now: f64) {
        self.settled = now;
        let gridlocks = self.traffic.gridlocks();
        if gridlocks != self.gridlocks {
            self.gridlocks = gridlocks;
            self.recheck = now;
        }
        self.keep_awake(now);
        self.place_stranded();
        if let Some(pools) = &mut self.pools {
            let (followed, told) = (&self.followed, &self.wishes.told);
            let keep = |car: CarId| followed.contains(&car) || told.contains_key(&car);
            pools.settle(now, now - self.settings.forget, &keep, &mut self.tracked, &self.traffic.map);
        }
    }

    fn all_work(&self) -> CityWork {
        CityWork { car_steps: self.traffic.car_steps, tracking: self.tracked.work, ..self.work }
    }
}
