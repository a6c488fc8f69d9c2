//! What is commonly done instead, to be compared with: cars are made at the
//! edge of the view and deleted when they leave it.

use super::State;
use crate::culling::{Ways, course_at, meet, poisson};
use crate::map::{PathId, RoadId};
use crate::traffic::Newcomer;
use crate::wander::CarId;
use serde::{Deserialize, Serialize};

/// What making cars takes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Baseline {
    made: u32,
    rounds: u64,
}

impl State {
    /// Fills roads that come into view, as densely as they are on average.
    pub(super) fn spawn_on(&mut self, come: &[RoadId]) {
        let now = self.traffic.now;
        self.baseline.rounds += 1;
        let mut stream = self.seed.stream("spawned").at(self.baseline.rounds);
        let map = std::sync::Arc::clone(&self.traffic.map);
        let lanes = come.iter().flat_map(|road| map.lanes_of(*road));
        for path in lanes.flat_map(|lane| map.paths_onto(lane).to_vec()) {
            let mean = self.expectations.cars_on(&map, &self.traffic.vehicle, path);
            for _ in 0..poisson(mean, &mut stream) {
                let id = CarId(self.baseline.made);
                self.baseline.made += 1;
                let is_active = |road| self.traffic.is_active(road);
                let ways: Ways = Self::ways(&self.traffic, &self.expectations, &is_active);
                let (car, _) = meet(id, path, now, &ways, &mut stream);
                let learned = std::sync::Arc::clone(&self.expectations.learned);
                self.traffic.place(&car, &learned.following);
            }
        }
    }

    /// Makes cars that come from roads out of view.
    pub(super) fn spawn_at_the_edge(&mut self) {
        self.baseline.rounds += 1;
        let mut stream = self.seed.stream("edge").at(self.baseline.rounds);
        let map = std::sync::Arc::clone(&self.traffic.map);
        let roads = self.traffic.active_roads().to_vec();
        let lanes = roads.iter().flat_map(|road| map.lanes_of(*road));
        let paths: Vec<PathId> = lanes.flat_map(|lane| map.paths_onto(lane).to_vec()).collect();
        for path in paths {
            if self.traffic.is_active(map.lane(map.path(path).from).road) {
                continue;
            }
            let rate = self.expectations.path_rate(&map, path) * self.settings.step;
            if stream.uniform() < rate {
                let (id, mut course) = (CarId(self.baseline.made), course_at(self.traffic.now));
                self.baseline.made += 1;
                let next = self.traffic.draws.next_path(&map, id, &mut course, path);
                let entered = self.traffic.now;
                self.traffic.wait_to_enter(&Newcomer { id, path, next, course, entered, seen: f64::NEG_INFINITY });
            }
        }
    }
}
