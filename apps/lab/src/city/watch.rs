//! What must not happen in traffic: bodies that overlap, and locks.

use std::collections::BTreeMap;

use proscenium_city::driving::Vehicle;
use proscenium_city::map::LaneId;
use proscenium_city::{CarId, Map, VisibleCar};

/// What does not move for so long is locked, seconds.
pub(super) const LOCKED: f64 = 300.0;
/// Cells in which bodies are looked for, metres: longer than a car.
const CELL: f64 = 6.0;
/// By how much bodies are made smaller before they are compared, metres.
const SHRINK: f64 = 0.01;
/// From a stop line, a car farther away than this does not reach into its junction,
/// metres. Chosen: twice what is cut off a lane at most, and a car.
const NEAR: f64 = 30.0;

/// Watches the cars of a map, independent of what drives them.
pub(super) struct Watch<'map> {
    map: &'map Map,
    vehicle: Vehicle,
    /// Since when each car has stood, and where.
    stood: BTreeMap<CarId, (f64, f64)>,
}

impl<'map> Watch<'map> {
    pub fn new(map: &'map Map) -> Self {
        Self { map, vehicle: Vehicle::default(), stood: BTreeMap::new() }
    }

    /// Lanes whose foremost cars wait for each other in a circle in which nothing
    /// has moved for long, and cars that have stood in a junction for as long.
    pub fn locks(&mut self, cars: &[VisibleCar], now: f64) -> usize {
        let mut fronts: BTreeMap<LaneId, (f64, CarId, LaneId)> = BTreeMap::new();
        for car in cars {
            let known = self.stood.entry(car.id).or_insert((now, car.remaining));
            if car.speed > 0.0 || car.remaining != known.1 {
                *known = (now, car.remaining);
            }
            let lane = self.map.path(car.path).to;
            let front = fronts.entry(lane).or_insert((f64::INFINITY, car.id, lane));
            if car.remaining < front.0 {
                *front = (car.remaining, car.id, self.map.path(car.next).to);
            }
        }
        let has_stood = |car: &CarId| now - self.stood[car].0 > LOCKED;
        let waits_for = |lane: &LaneId| fronts.get(lane).filter(|front| has_stood(&front.1)).map(|front| front.2);
        let comes_back = |start: &LaneId| {
            let way = std::iter::successors(waits_for(start), |lane| waits_for(lane)).take(fronts.len());
            way.into_iter().any(|lane| lane == *start)
        };
        let circles = fronts.keys().filter(|lane| comes_back(lane)).count();
        let inside = cars.iter().filter(|car| {
            let length = self.map.lane(self.map.path(car.path).to).length;
            car.remaining > length - self.vehicle.length && has_stood(&car.id)
        });
        circles + inside.count()
    }

    /// Pairs of cars whose bodies overlap: those that meet on a road or at a junction,
    /// and those on roads that cross without meeting. Maps are flat, so that who
    /// passes over a bridge is drawn on who passes under it.
    pub fn overlaps(&self, cars: &[VisibleCar]) -> [usize; 2] {
        let cell = |car: &VisibleCar| {
            let at = car.world_from_body.translation / CELL;
            (at.x.floor() as i64, at.z.floor() as i64)
        };
        let mut cells: BTreeMap<(i64, i64), Vec<usize>> = BTreeMap::new();
        for (number, car) in cars.iter().enumerate() {
            cells.entry(cell(car)).or_default().push(number);
        }
        let mut found = [0; 2];
        for (number, car) in cars.iter().enumerate() {
            let (column, row) = cell(car);
            let around = (column - 1..=column + 1).flat_map(|x| (row - 1..=row + 1).map(move |y| (x, y)));
            let others = around.filter_map(|cell| cells.get(&cell)).flatten();
            for other in others.filter(|other| **other > number).map(|other| &cars[*other]) {
                if car.overlaps(other, SHRINK) {
                    found[usize::from(!self.meet(car, other))] += 1;
                }
            }
        }
        found
    }

    /// Whether two cars are on one road, or near the same junction.
    fn meet(&self, one: &VisibleCar, other: &VisibleCar) -> bool {
        let near = |car: &VisibleCar| {
            let gone = self.map.lane(self.map.path(car.path).to).length - car.remaining;
            let start = Some(self.map.start_of(car.path)).filter(|_| gone < NEAR);
            [start, Some(self.map.end_of(car.path)).filter(|_| car.remaining < NEAR)]
        };
        let (first, second) = (near(one), near(other));
        let share = first.iter().flatten().any(|junction| second.contains(&Some(*junction)));
        share || self.map.road_of(one.path) == self.map.road_of(other.path)
    }
}
