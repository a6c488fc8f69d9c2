//! What has happened in view, judged apart from the city's own watch.

use std::collections::BTreeMap;

use glam::DVec2;
use proscenium_city::map::{Control, JunctionId, Light, PathId, RoadId, Turn};
use proscenium_city::{CarId, Hand, Map, VisibleCar, Wish};

/// Two of a row are at most so far apart, seconds.
const ROW: f64 = 8.0;
/// Harder than this nobody brakes who is not late, m/s².
const USUAL: f64 = 3.5;

/// Watches a drive for one wish.
pub(super) struct Judge<'map> {
    map: &'map Map,
    last: BTreeMap<CarId, (PathId, f64)>,
    time: f64,
    came: Vec<(f64, JunctionId, RoadId)>,
    cuts: Vec<(CarId, CarId, f64)>,
    empty: f64,
    was_away: bool,
    is_seen: bool,
}

impl<'map> Judge<'map> {
    pub fn new(map: &'map Map) -> Self {
        Self {
            map,
            last: BTreeMap::new(),
            time: f64::NAN,
            came: Vec::new(),
            cuts: Vec::new(),
            empty: 0.0,
            was_away: false,
            is_seen: false,
        }
    }

    pub fn is_seen(&self) -> bool {
        self.is_seen
    }

    /// One frame of the drive.
    pub fn see(&mut self, wish: &Wish, viewer: (DVec2, DVec2), now: f64, cars: &[VisibleCar]) {
        let elapsed = if self.time.is_nan() { 0.0 } else { now - self.time };
        self.is_seen |= match wish {
            Wish::ComesBack { car, .. } => {
                let is_here = cars.iter().any(|known| known.id == *car);
                self.was_away |= !is_here;
                is_here && self.was_away
            }
            Wish::Empty { seconds, .. } => {
                self.empty = if self.is_empty(viewer, cars) { self.empty + elapsed } else { 0.0 };
                self.empty >= seconds - 0.11
            }
            Wish::AccidentAvoided { .. } => cars.iter().any(|car| self.brakes_late(car, viewer, elapsed)),
            _ => self.passes(wish, viewer, now, cars),
        };
        if let Wish::CutsIn { spare, .. } = wish {
            self.is_seen |= self.is_cut(*spare, cars, now);
        }
        self.time = now;
        self.last = cars.iter().map(|car| (car.id, (car.path, car.speed))).collect();
    }

    fn is_before(&self, place: DVec2, (eye, direction): (DVec2, DVec2)) -> bool {
        (place - eye).dot(direction) > 0.0
    }

    fn is_empty(&self, viewer: (DVec2, DVec2), cars: &[VisibleCar]) -> bool {
        let road = self.map.nearest_road(viewer.0, 15.0).map(|near| near.road);
        let is_there = |car: &VisibleCar| {
            let at = car.world_from_body.translation;
            Some(self.map.road_of(car.path)) == road && self.is_before(DVec2::new(at.x, at.z), viewer)
        };
        road.is_some() && !cars.iter().any(is_there)
    }

    fn brakes_late(&self, car: &VisibleCar, viewer: (DVec2, DVec2), elapsed: f64) -> bool {
        let end = self.map.junction(self.map.end_of(car.path)).position;
        self.last.get(&car.id).is_some_and(|(path, speed)| {
            *path == car.path && speed - car.speed > USUAL * elapsed && *speed > 1.5 && self.is_before(end, viewer)
        })
    }

    /// Whether a car that passes a line ahead is what was wished for.
    fn passes(&mut self, wish: &Wish, viewer: (DVec2, DVec2), now: f64, cars: &[VisibleCar]) -> bool {
        let mut found = false;
        for car in cars {
            let Some((before, _)) = self.last.get(&car.id).filter(|(path, _)| *path != car.path) else {
                continue;
            };
            let junction = self.map.start_of(car.path);
            let at = self.map.junction(junction);
            if !self.is_before(at.position, viewer) {
                continue;
            }
            let road = self.map.road_of(*before);
            match wish {
                Wish::RunsRed { .. } => {
                    found |= at.control == Control::Signals && self.map.light(car.path, now) == Light::Red;
                }
                Wish::ComesRound { kind, .. } => {
                    let turn = self.map.path(car.path).turn;
                    found |= car.kind == *kind && (turn == Turn::Left || turn == Turn::Right);
                }
                Wish::InARow { from, .. } => {
                    let away = self.map.away(road, junction);
                    let left = viewer.1.y * away.x - viewer.1.x * away.y;
                    if (*from == Hand::Left && left > 0.5) || (*from == Hand::Right && left < -0.5) {
                        self.came.push((now, junction, road));
                    }
                }
                Wish::CutsIn { .. } if matches!(at.control, Control::Priority | Control::Signals) => {
                    let gives_way = cars.iter().filter(|other| {
                        self.map.end_of(other.path) == junction
                            && self.map.gives_way(car.path, other.next)
                            && other.remaining < 5.0 * other.speed.max(1.0)
                    });
                    self.cuts.extend(gives_way.map(|other| (car.id, other.id, now)));
                }
                _ => {}
            }
        }
        if let Wish::InARow { count, .. } = wish {
            found |= self.is_row(*count as usize);
        }
        found
    }

    fn is_row(&self, count: usize) -> bool {
        self.came.iter().any(|first| {
            let same: Vec<f64> = self
                .came
                .iter()
                .filter(|other| (other.1, other.2) == (first.1, first.2) && other.0 >= first.0)
                .map(|other| other.0)
                .take(count)
                .collect();
            same.len() == count && same.windows(2).all(|two| two[1] - two[0] <= ROW)
        })
    }

    fn is_cut(&mut self, spare: f64, cars: &[VisibleCar], now: f64) -> bool {
        self.cuts.retain(|cut| now - cut.2 < 5.0);
        let find = |id: CarId| cars.iter().find(|car| car.id == id);
        self.cuts.iter().any(|(one, other, _)| match (find(*one), find(*other)) {
            (Some(one), Some(other)) => one.distance(other) <= spare,
            _ => false,
        })
    }
}
