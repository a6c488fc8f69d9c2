//! Trips that begin when they should, and what became of them.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::{City, State};
use crate::map::LaneId;
use crate::trips::{Arrival, Trips};
use crate::wander::CarId;

/// The trips of a city that runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Demand {
    #[serde(skip)]
    trips: Arc<Trips>,
    /// The next that begins.
    next: u32,
    /// Those for which there was no room yet, by the lane on which they begin.
    waiting: BTreeMap<LaneId, VecDeque<u32>>,
    /// When each came to the road; NaN before.
    departed: Vec<f64>,
    arrivals: Vec<Arrival>,
    /// Trips to which no way leads.
    impossible: u32,
}

impl Demand {
    pub(super) fn new(trips: &Arc<Trips>) -> Self {
        Self {
            trips: Arc::clone(trips),
            next: 0,
            waiting: BTreeMap::new(),
            departed: vec![f64::NAN; trips.len()],
            arrivals: Vec::new(),
            impossible: 0,
        }
    }

    /// From the first trip to the last, seconds, and a minute.
    pub(super) fn duration(&self) -> f64 {
        let ends = self.trips.iter().next().zip(self.trips.iter().last());
        60.0 + ends.map_or(0.0, |(first, last)| last.depart - first.depart)
    }

    /// With the trips, of which a file keeps but the numbers.
    pub(super) fn with_trips(self, trips: &Arc<Trips>) -> Result<Self, &'static str> {
        let is_trip = |number: &u32| (*number as usize) < trips.len();
        let waiting = self.waiting.values().flatten().all(is_trip);
        match self.departed.len() == trips.len() && waiting && self.next as usize <= trips.len() {
            true => Ok(Self { trips: Arc::clone(trips), ..self }),
            false => Err("it has other trips than it says"),
        }
    }
}

/// How the trips of a city stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TripCounts {
    /// Those that should have begun.
    pub demanded: u32,
    /// Of which have come to the road.
    pub inserted: u32,
    /// Of which have ended.
    pub arrived: u32,
    /// Those that should have begun, to which no way leads.
    pub impossible: u32,
}

impl City {
    /// With cars that make these trips, and no others: each comes to its first road
    /// when it is time and there is room, and is gone at the end of its last. The
    /// city starts anew. What nobody sees is tracked car by car, whatever
    /// [`Settings::detail`](crate::Settings::detail) says of pools.
    #[must_use]
    pub fn with_trips(mut self, trips: Trips) -> Self {
        (self.trips, self.state) = (Some(Arc::new(trips)), None);
        self
    }

    /// The trips that have ended so far, in their order.
    pub fn arrivals(&self) -> &[Arrival] {
        let demand = self.state.as_ref().and_then(|state| state.demand.as_ref());
        demand.map_or(&[], |demand| &demand.arrivals)
    }

    /// How the trips stand.
    pub fn trip_counts(&self) -> TripCounts {
        let demand = self.state.as_ref().and_then(|state| state.demand.as_ref());
        demand.map_or_else(TripCounts::default, |demand| TripCounts {
            demanded: demand.next,
            inserted: demand.departed.iter().filter(|time| !time.is_nan()).count() as u32,
            arrived: demand.arrivals.len() as u32,
            impossible: demand.impossible,
        })
    }

    /// How many cars have come to a lane so far: from a junction, or as their first.
    /// Those that nobody sees are not counted.
    pub fn entries(&self, lane: LaneId) -> u32 {
        self.state.as_ref().and_then(|state| state.traffic.entries.get(lane.index())).copied().unwrap_or(0)
    }
}

impl State {
    /// Lets trips begin for which there is room, and notes those that have ended.
    pub(super) fn begin_and_end_trips(&mut self) {
        let Some(mut demand) = self.demand.take() else {
            return;
        };
        for (car, arrived) in self.traffic.arrivals.drain(..) {
            if let Some(&departed) = demand.departed.get(car.0 as usize) {
                demand.arrivals.push(Arrival { trip: car.0, departed, arrived });
            }
        }
        let now = self.traffic.now;
        let map = Arc::clone(&self.traffic.map);
        while let Some(trip) = demand.trips.get(demand.next).filter(|trip| trip.depart <= now) {
            let number = demand.next;
            demand.next += 1;
            let journeys = self.traffic.draws.journeys.as_ref();
            match journeys.and_then(|journeys| journeys.first_lane(&map, CarId(number), trip.from)) {
                Some(lane) => demand.waiting.entry(lane).or_default().push_back(number),
                None => demand.impossible += 1,
            }
        }
        let mut begun = Vec::new();
        for (&lane, waiting) in &demand.waiting {
            let is_active = self.traffic.is_active(map.lane(lane).road);
            if !is_active || self.traffic.is_free_at_start(lane) {
                begun.extend(waiting.front().map(|number| (lane, *number, is_active)));
            }
        }
        for (lane, number, is_active) in begun {
            if let Some(waiting) = demand.waiting.get_mut(&lane) {
                waiting.pop_front();
                if waiting.is_empty() {
                    demand.waiting.remove(&lane);
                }
            }
            demand.departed[number as usize] = now;
            self.begin(CarId(number), lane, is_active);
        }
        self.demand = Some(demand);
    }
}
