//! Where a car goes next, and how long it takes when nobody looks: draws that
//! depend on the car and on how many paths it has taken, and on nothing else.

use proscenium_chance::{Seed, Stream};

use crate::map::{Map, PathId};

/// A car of a city.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CarId(pub u32);

/// The draws of all cars.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    turns: Stream,
    times: Stream,
    states: Stream,
}

impl Draws {
    pub(crate) fn new(seed: Seed) -> Self {
        Self { turns: seed.stream("turn"), times: seed.stream("excess"), states: seed.stream("state") }
    }

    /// The path that a car takes after one, its `visit`-th: each with equal
    /// chances, as in the paper.
    #[inline]
    pub(crate) fn next_path(&self, map: &Map, car: CarId, visit: u32, path: PathId) -> PathId {
        let mut options = map.successors(path);
        let count = options.len();
        let chosen = match count {
            1 => 0,
            _ => self.turns.at(u64::from(car.0)).at(u64::from(visit)).below(count as u64) as usize,
        };
        options.nth(chosen).expect("a number below the count of options")
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
