//! Whether a wish comes true: by what is in view in this frame and the one before, and by
//! nothing else.

use glam::DVec2;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::goals::is_on;
use super::wish::Wish;
use crate::city::VisibleCar;
use crate::map::{Control, JunctionId, Light, Map, PathId, RoadId, Turn};
use crate::wander::CarId;

/// Two cars of a row follow each other within this, seconds.
pub(crate) const ROW: f64 = 8.0;
/// Who brakes harder than this brakes at the last moment, m/s².
const HARD: f64 = 4.5;
/// How long two cars are looked at after one has cut in, seconds.
const CUT: f64 = 5.0;

/// A car as it was in the frame before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Before {
    pub(crate) path: PathId,
    speed: f64,
}

/// What is remembered for one wish.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Who has come through a junction lately, from where, and when.
    passed: Vec<(f64, CarId, JunctionId, RoadId)>,
    /// Who has cut in before whom, until when that is looked at, and how near they were.
    cuts: Vec<(CarId, CarId, f64, f64)>,
    /// Since when the street is empty.
    empty_since: Option<f64>,
    /// Whether the car was out of view.
    was_away: bool,
}

impl Memory {
    /// Says whether all that is named is there.
    pub(crate) fn fits(&self, map: &Map) -> bool {
        let is_there = |passed: &(f64, CarId, JunctionId, RoadId)| {
            passed.2.index() < map.junction_count() && passed.3.index() < map.road_count()
        };
        self.passed.iter().all(is_there)
    }
}

/// What a viewer sees at a moment.
pub(crate) struct Sighting<'a> {
    pub(crate) map: &'a Map,
    pub(crate) now: f64,
    /// Since the last frame, seconds.
    pub(crate) elapsed: f64,
    pub(crate) eye: DVec2,
    pub(crate) ahead: DVec2,
    /// The road that the viewer is on.
    pub(crate) road: Option<RoadId>,
    pub(crate) before: &'a BTreeMap<CarId, Before>,
    pub(crate) cars: &'a [VisibleCar],
}

impl Before {
    pub(crate) fn of(car: &VisibleCar) -> Self {
        Self { path: car.path, speed: car.speed }
    }
}

impl Sighting<'_> {
    /// Who has just made a wish come true; no car where nobody came.
    pub(crate) fn comes_true(&self, wish: &Wish, memory: &mut Memory) -> Option<Option<CarId>> {
        match wish {
            Wish::RunsRed { .. } => self.entered().find(|(car, _)| self.runs_red(car)).map(|(car, _)| Some(car.id)),
            Wish::ComesRound { kind, .. } => {
                let turns = |car: &VisibleCar| matches!(self.map.path(car.path).turn, Turn::Left | Turn::Right);
                self.entered().find(|(car, _)| car.kind == *kind && turns(car)).map(|(car, _)| Some(car.id))
            }
            Wish::InARow { count, from, .. } => {
                let comes = |road, junction| is_on(*from, self.ahead, self.map.away(road, junction));
                self.row(*count, &comes, memory)
            }
            Wish::ComesBack { car, .. } => {
                let is_here = self.cars.iter().any(|known| known.id == *car);
                memory.was_away |= !is_here;
                (is_here && memory.was_away).then_some(Some(*car))
            }
            Wish::Empty { seconds, .. } => {
                let is_before = |car: &&VisibleCar| {
                    let at = DVec2::new(car.world_from_body.translation.x, car.world_from_body.translation.z);
                    Some(self.map.road_of(car.path)) == self.road && (at - self.eye).dot(self.ahead) > 0.0
                };
                let is_empty = self.road.is_some() && !self.cars.iter().any(|car| is_before(&car));
                memory.empty_since = if is_empty { memory.empty_since.or(Some(self.now)) } else { None };
                memory.empty_since.filter(|since| self.now - since >= *seconds - 1e-9).map(|_| None)
            }
            Wish::CutsIn { spare, .. } => self.cut(*spare, memory),
            Wish::AccidentAvoided { .. } => {
                let brakes = |car: &&VisibleCar| {
                    let last = self.before.get(&car.id).filter(|last| last.path == car.path);
                    last.is_some_and(|last| last.speed - car.speed > HARD * self.elapsed && last.speed > 1.5)
                        && car.remaining < 25.0
                        && self.is_ahead(self.map.end_of(car.path))
                };
                self.cars.iter().find(brakes).map(|car| Some(car.id))
            }
        }
    }

    fn is_ahead(&self, junction: JunctionId) -> bool {
        (self.map.junction(junction).position - self.eye).dot(self.ahead) > 0.0
    }

    /// Cars that have passed the line of a junction ahead, and the path they came by.
    fn entered(&self) -> impl Iterator<Item = (&VisibleCar, PathId)> {
        self.cars.iter().filter_map(|car| {
            let last = self.before.get(&car.id).filter(|last| last.path != car.path)?;
            self.is_ahead(self.map.start_of(car.path)).then_some((car, last.path))
        })
    }

    fn runs_red(&self, car: &VisibleCar) -> bool {
        let junction = self.map.start_of(car.path);
        self.map.junction(junction).control == Control::Signals && self.map.light(car.path, self.now) == Light::Red
    }

    fn row(
        &self,
        count: u32,
        comes: &dyn Fn(RoadId, JunctionId) -> bool,
        memory: &mut Memory,
    ) -> Option<Option<CarId>> {
        for (car, _) in self.entered() {
            let junction = self.map.start_of(car.path);
            let road = self.map.lane(self.map.path(car.path).from).road;
            if comes(road, junction) {
                memory.passed.push((self.now, car.id, junction, road));
            }
        }
        memory.passed.retain(|passed| self.now - passed.0 <= ROW * f64::from(count));
        let last = memory.passed.last().filter(|passed| passed.0 == self.now)?;
        let same: Vec<f64> =
            memory.passed.iter().filter(|passed| (passed.2, passed.3) == (last.2, last.3)).map(|p| p.0).collect();
        let row = same.len().checked_sub(count as usize).map(|first| &same[first..])?;
        row.windows(2).all(|two| two[1] - two[0] <= ROW).then_some(Some(last.1))
    }

    fn cut(&self, spare: f64, memory: &mut Memory) -> Option<Option<CarId>> {
        for (car, _) in self.entered() {
            let control = self.map.junction(self.map.start_of(car.path)).control;
            if !matches!(control, Control::Priority | Control::Signals) {
                continue;
            }
            let goes_first = |other: &&VisibleCar| {
                self.map.end_of(other.path) == self.map.start_of(car.path)
                    && self.map.gives_way(car.path, other.next)
                    && other.remaining < 5.0 * other.speed.max(1.0)
                    && self.map.light(other.next, self.now) == Light::Green
            };
            for other in self.cars.iter().filter(goes_first) {
                memory.cuts.push((car.id, other.id, self.now + CUT, f64::INFINITY));
            }
        }
        let find = |id: CarId| self.cars.iter().find(|car| car.id == id);
        for cut in &mut memory.cuts {
            if let (Some(one), Some(other)) = (find(cut.0), find(cut.1)) {
                cut.3 = cut.3.min(one.distance(other));
            }
        }
        let done = memory.cuts.iter().find(|cut| cut.3 <= spare && cut.3 > 0.0).map(|cut| Some(cut.0));
        memory.cuts.retain(|cut| cut.2 > self.now);
        done
    }
}
