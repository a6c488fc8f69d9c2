//! Where a car goes next, and how long it takes when nobody looks: draws that
//! depend on the car and on how many paths it has taken, and on nothing else.

use proscenium_chance::{Seed, Stream};

use crate::map::{JunctionId, Map, PathId};

/// Of two ways that bring a car this much nearer than each other to where it
/// wants, the better is e times as likely, metres. Chosen: about a third of a
/// block, so that a detour is taken now and then, and never for long.
const INDIFFERENT: f64 = 40.0;

/// A car of a city.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CarId(pub u32);

/// How cars choose their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wander {
    /// At random at every junction, as in the paper.
    #[default]
    Random,
    /// To a destination, and then to another (Chenney 2000, 6.3.7). Ways that
    /// lead nearer to it are likelier; no route is planned ahead.
    Destinations,
}

/// Where a car is going: how many paths it has taken, and how many
/// destinations it has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

impl Draws {
    pub(crate) fn new(seed: Seed, wander: Wander) -> Self {
        Self {
            wander,
            turns: seed.stream("turn"),
            times: seed.stream("excess"),
            states: seed.stream("state"),
            destinations: seed.stream("destination"),
        }
    }

    pub(crate) fn wander(&self) -> Wander {
        self.wander
    }

    /// The path that a car takes after one.
    #[inline]
    pub(crate) fn next_path(&self, map: &Map, car: CarId, course: &mut Course, path: PathId) -> PathId {
        if self.wander == Wander::Destinations {
            return self.path_towards(map, car, course, path);
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
