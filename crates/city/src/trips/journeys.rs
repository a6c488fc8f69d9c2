//! The ways of all cars that want somewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Progress, Stopped};

use super::field::{Corridor, Field, cost};
use super::{Carriageway, Trips, pick, weights};
use crate::driving::Vehicle;
use crate::map::{LaneId, Map, PathId};
use crate::wander::{CarId, Course};

/// Cars that drive for ever go from one of so many places to another. Chosen: some
/// dozens are a town, and what is kept for each lane stays below a kilobyte.
const PLACES: usize = 96;
/// What is kept for all lanes and places together, numbers.
const MOST: usize = 1 << 27;

/// Where cars want to.
#[derive(Clone, Debug)]
enum Goals {
    /// From place to place, drawn.
    Drawn(Stream),
    /// Each by its own trip: the place of its goal, and its way if that is told.
    Trips(Arc<Trips>, Vec<(u32, Option<u32>)>),
}

/// What cars that want somewhere need to know: for each goal the time that is left.
#[derive(Clone, Debug)]
pub(crate) struct Journeys {
    vehicle: Vehicle,
    goals: Goals,
    fields: Vec<Field>,
    corridors: Vec<Corridor>,
}

impl Journeys {
    /// Cars that go from place to place for ever.
    pub(crate) fn drawn(map: &Map, seed: Seed, changes_lanes: bool, progress: &Progress) -> Result<Self, Stopped> {
        let vehicle = Vehicle::default();
        let sums = weights(map, true);
        let mut stream = seed.stream("places");
        let count = PLACES.min(MOST / map.lane_count().max(1)).clamp(2, sums.len().max(2));
        let mut places: Vec<Carriageway> = Vec::new();
        // Few roads may all be drawn already.
        for _ in 0..20 * count {
            if let Some(place) = pick(&sums, &mut stream).filter(|place| !places.contains(place))
                && places.len() < count
            {
                places.push(place);
            }
        }
        let counter = progress.counter("ways", places.len());
        let mut fields = Vec::with_capacity(places.len());
        for place in places {
            counter.count()?;
            fields.push(Field::new(map, &vehicle, place, changes_lanes));
        }
        Ok(Self { vehicle, goals: Goals::Drawn(seed.stream("journeys")), fields, corridors: Vec::new() })
    }

    /// Cars that make trips, each its own.
    pub(crate) fn of_trips(
        map: &Map,
        trips: &Arc<Trips>,
        changes_lanes: bool,
        progress: &Progress,
    ) -> Result<Self, Stopped> {
        let vehicle = Vehicle::default();
        let mut known: BTreeMap<Carriageway, u32> = BTreeMap::new();
        let mut told: BTreeMap<&[Carriageway], u32> = BTreeMap::new();
        let (mut fields, mut corridors, mut of_trip) = (Vec::new(), Vec::new(), Vec::with_capacity(trips.len()));
        let counter = progress.counter("ways", trips.len());
        for trip in trips.iter() {
            counter.count()?;
            let field = *known.entry(trip.to).or_insert_with(|| {
                fields.push(Field::new(map, &vehicle, trip.to, changes_lanes));
                (fields.len() - 1) as u32
            });
            let corridor = (!trip.way.is_empty()).then(|| {
                *told.entry(&trip.way).or_insert_with(|| {
                    corridors.push(Corridor::new(map, &vehicle, &trip.way, &fields[field as usize], changes_lanes));
                    (corridors.len() - 1) as u32
                })
            });
            of_trip.push((field, corridor));
        }
        Ok(Self { vehicle, goals: Goals::Trips(Arc::clone(trips), of_trip), fields, corridors })
    }

    /// Whether cars come and leave, each with its trip.
    pub(crate) fn are_trips(&self) -> bool {
        matches!(self.goals, Goals::Trips(..))
    }

    /// Whether a way is planned again when it jams.
    pub(crate) fn is_replanned(&self, car: CarId) -> bool {
        match &self.goals {
            Goals::Drawn(_) => true,
            Goals::Trips(trips, of_trip) => {
                let is_told = of_trip.get(car.0 as usize).is_some_and(|(_, corridor)| corridor.is_some());
                trips.is_replanned() && !is_told
            }
        }
    }

    /// The goal of a car, and its way if that is told.
    fn goal(&self, car: CarId, trip: u32) -> Option<(&Field, Option<&Corridor>)> {
        match &self.goals {
            Goals::Drawn(stream) => {
                let mut stream = stream.at(u64::from(car.0)).at(u64::from(trip));
                let place = stream.below(self.fields.len().max(1) as u64) as usize;
                self.fields.get(place).map(|field| (field, None))
            }
            Goals::Trips(_, of_trip) => {
                let (field, corridor) = of_trip.get(car.0 as usize)?;
                let corridor = corridor.map(|corridor| &self.corridors[corridor as usize]);
                self.fields.get(*field as usize).map(|field| (field, corridor))
            }
        }
    }

    /// Whether a car that makes a trip has come to its last road.
    #[inline]
    pub(crate) fn ends(&self, map: &Map, car: CarId, path: PathId) -> bool {
        self.are_trips()
            && self.goal(car, 0).is_some_and(|(field, _)| Carriageway::of(map, map.path(path).to) == field.goal())
    }

    /// Seconds from the end of a lane to the goal of a car; nothing if no way leads
    /// there.
    pub(crate) fn seconds_from(&self, car: CarId, trip: u32, lane: LaneId) -> Option<f64> {
        let (field, corridor) = self.goal(car, trip)?;
        let told = corridor.and_then(|corridor| corridor.seconds(lane));
        told.or_else(|| Some(field.seconds(lane)).filter(|seconds| seconds.is_finite()))
    }

    /// Whether the way of a car leads on only from a lane beside the one that it is on.
    pub(crate) fn must_change(&self, map: &Map, car: CarId, trip: u32, lane: LaneId) -> bool {
        let Some((field, corridor)) = self.goal(car, trip) else {
            return false;
        };
        let onward = |seconds: &dyn Fn(LaneId) -> Option<f64>| {
            let all = map
                .paths_from(lane)
                .filter_map(|path| Some(cost(map, &self.vehicle, path) + seconds(map.path(path).to)?));
            all.fold(f64::INFINITY, f64::min)
        };
        let told = corridor.and_then(|corridor| Some((corridor, corridor.seconds(lane)?)));
        let (least, direct) = match told {
            Some((corridor, least)) => (least, onward(&|next| corridor.seconds_after(lane, next))),
            None => (field.seconds(lane), onward(&|next| Some(field.seconds(next)))),
        };
        Carriageway::of(map, lane) != field.goal() && direct > least + 1.0
    }

    /// Seconds to the goal of a car by a path from its start; nothing if it does not
    /// lead there.
    pub(crate) fn seconds_by(&self, map: &Map, car: CarId, trip: u32, path: PathId) -> Option<f64> {
        let rest = self.seconds_from(car, trip, map.path(path).to)?;
        Some(cost(map, &self.vehicle, path) + rest)
    }

    /// The path that a car takes after one: the quickest, or nothing if none leads to
    /// its goal. Who has come to a place wants to another.
    pub(crate) fn next_path(&self, map: &Map, car: CarId, course: &mut Course, path: PathId) -> Option<PathId> {
        let here = Carriageway::of(map, map.path(path).to);
        if !self.are_trips() && self.goal(car, course.trip).is_some_and(|(field, _)| field.goal() == here) {
            course.trip += 1;
        }
        let (field, corridor) = self.goal(car, course.trip)?;
        let quickest = |seconds: &dyn Fn(LaneId) -> Option<f64>| {
            let mut best: Option<(f64, PathId)> = None;
            for option in map.successors(path) {
                if let Some(rest) = seconds(map.path(option).to) {
                    let total = cost(map, &self.vehicle, option) + rest;
                    if best.is_none_or(|(least, _)| total < least) {
                        best = Some((total, option));
                    }
                }
            }
            best.map(|(_, path)| path)
        };
        let told = corridor.and_then(|corridor| quickest(&|lane| corridor.seconds_after(map.path(path).to, lane)));
        told.or_else(|| quickest(&|lane| Some(field.seconds(lane)).filter(|seconds| seconds.is_finite())))
    }

    /// How often each path is taken by all trips, and how many seconds they take
    /// together if nothing holds them up.
    pub(crate) fn travelled(&self, map: &Map, progress: &Progress) -> Result<(Vec<f32>, f64), Stopped> {
        /// No trip has more paths.
        const LONGEST: usize = 100_000;
        let (mut counts, mut seconds) = (vec![0.0_f32; map.path_count()], 0.0);
        let Goals::Trips(trips, _) = &self.goals else {
            return Ok((counts, seconds));
        };
        let counter = progress.counter("how often paths are taken", trips.len());
        for (number, trip) in trips.iter().enumerate() {
            counter.count()?;
            let (car, mut course) = (CarId(number as u32), Course { visit: 0, trip: 0 });
            let Some(mut path) = self.first_lane(map, car, trip.from).and_then(|lane| first_path(map, lane)) else {
                continue;
            };
            for _ in 0..LONGEST {
                counts[path.index()] += 1.0;
                seconds += self.vehicle.free_run(map, path).duration();
                if self.ends(map, car, path) {
                    break;
                }
                match self.next_path(map, car, &mut course, path) {
                    Some(next) => path = next,
                    None => break,
                }
            }
        }
        Ok((counts, seconds))
    }

    /// The lane on which a car begins: the one with the quickest way.
    pub(crate) fn first_lane(&self, map: &Map, car: CarId, from: Carriageway) -> Option<LaneId> {
        let known = |lane: &LaneId| self.seconds_from(car, 0, *lane);
        let entered = from.lanes(map).filter(|lane| !map.paths_onto(*lane).is_empty());
        let least = entered.filter_map(|lane| known(&lane).map(|seconds| (seconds, lane)));
        least.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, lane)| lane)
    }
}

/// A path onto a lane: one by which cars came that are there.
pub(crate) fn first_path(map: &Map, lane: LaneId) -> Option<PathId> {
    map.paths_onto(lane).first().copied()
}
