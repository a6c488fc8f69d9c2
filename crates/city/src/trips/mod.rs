//! Trips: who goes from where to where, when, and by which way.
//!
//! A way is planned by the least time, with a few seconds for each stop, and
//! followed by a car wherever it is: one that was led astray (waved into another
//! street, say) goes on by the best way from there. What is planned depends on the
//! map and the goal alone, so that a car that nobody sees goes the same way as one
//! that is seen, and a guarantee may rest on it (Chenney 2000, 6.3.7).

mod field;
mod journeys;
mod read;

use serde::{Deserialize, Serialize};

use crate::map::{LaneId, Map, Plan, RoadId};

pub(crate) use field::Field;
pub(crate) use journeys::Journeys;
pub use read::{Names, TripError, TripReport};

use proscenium_chance::Seed;

/// One direction of a road.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Carriageway {
    /// The road.
    pub road: RoadId,
    /// Whether it is the direction against the road's own.
    pub against: bool,
}

impl Carriageway {
    /// The one that a lane belongs to.
    #[inline]
    pub fn of(map: &Map, lane: LaneId) -> Self {
        let lane = map.lane(lane);
        Self { road: lane.road, against: lane.against }
    }

    /// Its lanes, from the kerb inwards.
    pub fn lanes(self, map: &Map) -> impl Iterator<Item = LaneId> + '_ {
        map.lanes_of(self.road).filter(move |lane| map.lane(*lane).against == self.against)
    }
}

/// One trip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trip {
    /// When it begins, seconds.
    pub depart: f64,
    /// Where it begins.
    pub from: Carriageway,
    /// Where it ends.
    pub to: Carriageway,
    /// The whole way, with the first and the last, if it is told; empty for one
    /// that is planned.
    pub way: Vec<Carriageway>,
}

/// The trips of a city, in the order in which they begin. The number of a trip is
/// the [`CarId`](crate::CarId) of the car that makes it.
///
/// ```
/// use proscenium_city::trips::Trips;
/// use proscenium_city::{City, Detail, Map, Recipe, Seed, Settings};
///
/// let map = Map::build(&Recipe::with_roads(120).generate(Seed(1))?)?;
/// let trips = Trips::drawn(&map, Seed(2), 400.0, 600.0)?;
/// let settings = Settings { detail: Detail::Complete, ..Settings::default() };
/// let mut city = City::new(map).with_settings(settings).with_trips(trips);
/// for second in 0..600 {
///     city.advance(f64::from(second))?;
/// }
/// assert!(city.arrivals().len() > 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trips {
    trips: Vec<Trip>,
    /// Whether a way is planned again when it jams.
    is_replanned: bool,
}

/// A trip that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arrival {
    /// The number of the trip.
    pub trip: u32,
    /// When the car came to the road, seconds: when there was room for it.
    pub departed: f64,
    /// When it left it.
    pub arrived: f64,
}

impl Trips {
    /// Trips, in any order.
    ///
    /// # Errors
    /// When a road is not of this map, has no lanes in that direction, or a time is
    /// not finite; when a way does not begin and end where its trip does.
    pub fn new(map: &Map, mut trips: Vec<Trip>) -> Result<Self, TripError> {
        for (number, trip) in trips.iter().enumerate() {
            let wrong = |what: String| TripError::Trip { number, what };
            if !(trip.depart.is_finite() && trip.depart >= 0.0) {
                return Err(wrong(format!("begins at {} s", trip.depart)));
            }
            for end in [trip.from, trip.to].iter().chain(&trip.way) {
                if end.road.index() >= map.road_count() || end.lanes(map).next().is_none() {
                    return Err(wrong(format!("names road {}, which has no lane in that direction", end.road.0)));
                }
            }
            let ends = trip.way.first().zip(trip.way.last());
            if ends.is_some_and(|(first, last)| (*first, *last) != (trip.from, trip.to)) {
                return Err(wrong("has a way that begins or ends elsewhere".into()));
            }
        }
        trips.sort_by(|a, b| a.depart.total_cmp(&b.depart));
        Ok(Self { trips, is_replanned: true })
    }

    /// Trips from anywhere to anywhere else: so many each hour, for so many seconds.
    /// Both ends are drawn by the length of lanes; roads at which cars come from
    /// beyond the rim, and leave by, count as if they were ten times as long.
    ///
    /// # Errors
    /// When a number is not finite or below 0, or more trips would begin than can be
    /// numbered.
    pub fn drawn(map: &Map, seed: Seed, per_hour: f64, seconds: f64) -> Result<Self, TripError> {
        let count = per_hour * seconds / 3600.0;
        if !(count >= 0.0 && per_hour >= 0.0 && count < f64::from(u32::MAX / 2)) {
            return Err(TripError::Number { what: "the number of trips", value: count });
        }
        let (origins, goals) = (weights(map, false), weights(map, true));
        let mut stream = seed.stream("trips");
        let mut trips = Vec::new();
        let mut at = 0.0;
        // The time between two that begin is exponential.
        while let (Some(from), Some(to)) = (pick(&origins, &mut stream), pick(&goals, &mut stream)) {
            at -= libm::log(1.0 - stream.uniform()) * 3600.0 / per_hour.max(1e-9);
            if at >= seconds {
                break;
            }
            if from != to {
                trips.push(Trip { depart: at, from, to, way: Vec::new() });
            }
        }
        Self::new(map, trips)
    }

    /// With ways that are, or are not, planned again when they jam.
    #[must_use]
    pub fn replanned(mut self, is_replanned: bool) -> Self {
        self.is_replanned = is_replanned;
        self
    }

    /// Whether ways are planned again when they jam.
    pub fn is_replanned(&self) -> bool {
        self.is_replanned
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.trips.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.trips.is_empty()
    }

    /// A trip by its number.
    pub fn get(&self, number: u32) -> Option<&Trip> {
        self.trips.get(number as usize)
    }

    /// All trips, in the order in which they begin.
    pub fn iter(&self) -> std::slice::Iter<'_, Trip> {
        self.trips.iter()
    }

    /// Reads what SUMO writes (`.rou.xml`: trips, vehicles, routes and flows), for a
    /// network that was imported. What it names that the plan has not is told.
    ///
    /// # Errors
    /// When the text is not what it should be, or nothing of it can be used.
    pub fn from_sumo(map: &Map, plan: &Plan, text: &str) -> Result<(Self, TripReport), TripError> {
        read::sumo(map, &Names::of(plan), text)
    }

    /// Reads a matrix of origins and destinations as rows `from,to,trips`: that many
    /// begin at times drawn in so many seconds. Roads are called as in the file that
    /// the map was imported from, or by their numbers, with a minus for the direction
    /// against. A number of trips may be a fraction.
    ///
    /// # Errors
    /// When a row is not of that kind, or names what is not there.
    pub fn from_matrix(map: &Map, plan: &Plan, csv: &str, seconds: f64, seed: Seed) -> Result<Self, TripError> {
        read::matrix(map, &Names::of(plan), csv, seconds, seed)
    }
}

impl<'trips> IntoIterator for &'trips Trips {
    type Item = &'trips Trip;
    type IntoIter = std::slice::Iter<'trips, Trip>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// How likely each carriageway is an end of a trip, added up.
fn weights(map: &Map, is_goal: bool) -> Vec<(f64, Carriageway)> {
    /// How much more cars begin and end where the map does.
    const RIM: f64 = 10.0;
    let mut total = 0.0;
    let mut sums = Vec::new();
    for road in map.roads().filter(|road| !map.road(*road).is_beyond) {
        let about = map.road(road);
        for (against, lanes) in [(false, about.along), (true, about.against)] {
            let end = if against == is_goal { about.from } else { about.to };
            let is_rim = map.roads_at(end).iter().any(|other| map.road(*other).is_beyond);
            total += f64::from(about.length) * f64::from(lanes) * if is_rim { RIM } else { 1.0 };
            if lanes > 0 {
                sums.push((total, Carriageway { road, against }));
            }
        }
    }
    sums
}

fn pick(sums: &[(f64, Carriageway)], stream: &mut proscenium_chance::Stream) -> Option<Carriageway> {
    let wanted = sums.last()?.0 * stream.uniform();
    let place = sums.partition_point(|(sum, _)| *sum <= wanted);
    sums.get(place).or(sums.last()).map(|(_, carriageway)| *carriageway)
}
