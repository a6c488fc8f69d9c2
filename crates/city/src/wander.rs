//! Where a car goes next, and how long it takes when nobody looks: draws that
//! depend on the car and on how many paths it has taken, and on nothing else.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proscenium_chance::{Seed, Stream};

use crate::driver::{Driver, DriverSpread};
use crate::driving::Vehicle;
use crate::driving::VehicleKind;
use crate::map::{JunctionId, Map, PathId, RoadId};
use crate::traffic::{DriverError, DriverErrors};
use crate::trips::{Carriageway, Field, Journeys};
use crate::want::Script;

/// Of two ways that bring a car this much nearer than each other to where it
/// wants, the better is e times as likely, metres. Chosen: about a third of a
/// block, so that a detour is taken now and then, and never for long.
const INDIFFERENT: f64 = 40.0;

/// A car of a city.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CarId(pub u32);

/// How cars choose their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wander {
    /// At random at every junction, as in the paper.
    #[default]
    Random,
    /// To a destination, and then to another (Chenney 2000, 6.3.7). Ways that
    /// lead nearer to it are likelier; no route is planned ahead.
    Destinations,
    /// From place to place, each time by a way that is planned (and planned again
    /// when it jams): some dozens of roads are places, drawn from the seed.
    Planned,
}

/// Where a car is going: how many paths it has taken, and how many
/// destinations it has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Course {
    pub(crate) visit: u32,
    pub(crate) trip: u32,
}

/// The draws of all cars.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    wander: Wander,
    turns: Stream,
    times: Stream,
    states: Stream,
    destinations: Stream,
    errors: Stream,
    kinds: Stream,
    drivers: Stream,
    spread: DriverSpread,
    rates: DriverErrors,
    /// What cars do for a wish, instead of what they would draw.
    pub(crate) scripts: BTreeMap<CarId, Script>,
    /// What those need who plan their way.
    pub(crate) journeys: Option<Arc<Journeys>>,
    /// Roads that are closed.
    closed: BTreeSet<RoadId>,
    /// Cars that were sent somewhere.
    routed: BTreeMap<CarId, Arc<Field>>,
}

impl Draws {
    pub(crate) fn new(seed: Seed, wander: Wander) -> Self {
        Self {
            wander,
            turns: seed.stream("turn"),
            times: seed.stream("excess"),
            states: seed.stream("state"),
            destinations: seed.stream("destination"),
            errors: seed.stream("driver error"),
            kinds: seed.stream("kind of vehicle"),
            drivers: seed.stream("driver"),
            spread: DriverSpread::default(),
            rates: DriverErrors::default(),
            scripts: BTreeMap::new(),
            journeys: None,
            closed: BTreeSet::new(),
            routed: BTreeMap::new(),
        }
    }

    /// With drivers who err.
    pub(crate) fn with_errors(self, rates: DriverErrors) -> Self {
        Self { rates, ..self }
    }

    /// With drivers who differ.
    pub(crate) fn with_spread(self, spread: DriverSpread) -> Self {
        Self { spread, ..self }
    }

    /// How the driver of a car drives.
    #[inline]
    pub(crate) fn driver(&self, car: CarId) -> Driver {
        match self.spread == DriverSpread::default() {
            true => Driver::USUAL,
            false => self.spread.draw(self.drivers.at(u64::from(car.0))),
        }
    }

    /// What the driver of a car does wrong at the end of its path.
    #[inline]
    pub(crate) fn error(&self, car: CarId, visit: u32) -> Option<DriverError> {
        if let Some(error) = self.scripts.get(&car).and_then(|script| script.error_at(visit)) {
            return Some(error);
        }
        if self.rates.are_none() {
            return None;
        }
        self.rates.at(self.errors.at(u64::from(car.0)).at(u64::from(visit)).uniform())
    }

    /// What a car is.
    pub(crate) fn kind(&self, car: CarId) -> VehicleKind {
        VehicleKind::at(self.kinds.at(u64::from(car.0)).uniform())
    }

    /// How long a car that does what is wished for takes for a path.
    #[inline]
    pub(crate) fn told_seconds(&self, car: CarId, visit: u32) -> Option<f64> {
        if self.scripts.is_empty() {
            return None;
        }
        self.scripts.get(&car)?.seconds_at(visit)
    }

    /// With cars that plan their way.
    pub(crate) fn with_journeys(self, journeys: Journeys) -> Self {
        Self { journeys: Some(Arc::new(journeys)), ..self }
    }

    /// Whether a car that makes a trip is on its last path.
    #[inline]
    pub(crate) fn ends(&self, map: &Map, car: CarId, path: PathId) -> bool {
        self.journeys.as_ref().is_some_and(|journeys| journeys.ends(map, car, path))
    }

    pub(crate) fn wander(&self) -> Wander {
        self.wander
    }

    /// Closes a road, or opens it.
    pub(crate) fn close(&mut self, road: RoadId, is_closed: bool) {
        match is_closed {
            true => self.closed.insert(road),
            false => self.closed.remove(&road),
        };
    }

    pub(crate) fn is_closed(&self, road: RoadId) -> bool {
        self.closed.contains(&road)
    }

    /// Sends a car somewhere.
    pub(crate) fn route(&mut self, map: &Map, car: CarId, to: Carriageway) {
        self.routed.insert(car, Arc::new(Field::new(map, &Vehicle::default(), to, false)));
    }

    /// The roads that are closed.
    pub(crate) fn closed(&self) -> impl Iterator<Item = RoadId> + '_ {
        self.closed.iter().copied()
    }

    /// The cars that were sent somewhere, and where.
    pub(crate) fn routed(&self) -> impl Iterator<Item = (CarId, Carriageway)> + '_ {
        self.routed.iter().map(|(car, field)| (*car, field.goal()))
    }

    pub(crate) fn is_routed(&self, car: CarId) -> bool {
        self.routed.contains_key(&car)
    }

    /// The path that a car takes after one. Who has another way does not take one
    /// that is closed.
    #[inline]
    pub(crate) fn next_path(&self, map: &Map, car: CarId, course: &mut Course, path: PathId) -> PathId {
        let told = match self.scripts.is_empty() {
            true => None,
            false => self.scripts.get(&car).and_then(|script| script.next_at(course.visit)),
        };
        if let Some(next) = told.filter(|next| map.path(*next).from == map.path(path).to) {
            return next;
        }
        let wanted = self.wanted_path(map, car, course, path);
        if self.closed.is_empty() || !self.closed.contains(&map.road_of(wanted)) {
            return wanted;
        }
        let open: Vec<PathId> =
            map.successors(path).filter(|next| !self.closed.contains(&map.road_of(*next))).collect();
        self.one_of(&open, car, course.visit).unwrap_or(wanted)
    }

    /// The path that a car would take if all were open.
    #[inline]
    fn wanted_path(&self, map: &Map, car: CarId, course: &mut Course, path: PathId) -> PathId {
        if let Some(field) = self.routed.get(&car).filter(|field| !field.is_reached(map, path))
            && let Some(next) = field.quickest(map, path)
        {
            return next;
        }
        if self.wander == Wander::Destinations {
            return self.path_towards(map, car, course, path);
        }
        let planned = self.journeys.as_ref().and_then(|journeys| journeys.next_path(map, car, course, path));
        if let Some(planned) = planned {
            return planned;
        }
        let mut options = map.successors(path);
        let count = options.len();
        let chosen = match count {
            1 => 0,
            _ => self.turns.at(u64::from(car.0)).at(u64::from(course.visit)).below(count as u64) as usize,
        };
        options.nth(chosen).expect("a number below the count of options")
    }

    /// The path that a car takes that wants somewhere.
    fn path_towards(&self, map: &Map, car: CarId, course: &mut Course, path: PathId) -> PathId {
        let here = map.end_of(path);
        let wants = |trip: u32| {
            let mut stream = self.destinations.at(u64::from(car.0)).at(u64::from(trip));
            JunctionId(stream.below(map.junction_count() as u64) as u32)
        };
        let mut goal = wants(course.trip);
        if goal == here {
            course.trip += 1;
            goal = wants(course.trip);
        }
        let goal = map.junction(goal).position;
        let far = |junction: JunctionId| map.junction(junction).position.distance(goal);
        let now = far(here);
        let weight = |option: PathId| libm::exp(((now - far(map.end_of(option))) / INDIFFERENT).clamp(-30.0, 30.0));
        let total: f64 = map.successors(path).map(weight).sum();
        let mut wanted = total * self.turns.at(u64::from(car.0)).at(u64::from(course.visit)).uniform();
        let mut last = path;
        for option in map.successors(path) {
            wanted -= weight(option);
            last = option;
            if wanted <= 0.0 {
                break;
            }
        }
        last
    }

    /// One of some paths.
    pub(crate) fn one_of(&self, options: &[PathId], car: CarId, visit: u32) -> Option<PathId> {
        self.turns.at(u64::from(car.0)).at(u64::from(visit)).pick(options).copied()
    }

    /// The stream of a car's time on a path.
    #[inline]
    pub(crate) fn time(&self, car: CarId, path: PathId, visit: u32) -> Stream {
        self.times.at(u64::from(car.0)).at(u64::from(path.0) << 32 | u64::from(visit))
    }

    /// The stream of what a viewer cannot know of a car that comes into view.
    #[inline]
    pub(crate) fn state(&self, car: CarId, visit: u32) -> Stream {
        self.states.at(u64::from(car.0)).at(u64::from(visit))
    }
}
