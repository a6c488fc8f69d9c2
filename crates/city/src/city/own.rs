//! A car that the viewer drives: others brake for it and wait for it.

use glam::DVec2;
use serde::{Deserialize, Serialize};

use super::{City, State};
use crate::error::CityError;
use crate::map::{LaneId, Map, PathId};
use crate::traffic::{Car, NONE, Newcomer, Placement, Traffic};
use crate::wander::{CarId, Course};

/// Farther from the middle of a lane a car is not on it, metres. Chosen: half
/// a lane and a little, so that whoever straddles a line is on one of the two.
const BESIDE: f64 = 2.0;

/// A car that somebody else drives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnCar {
    /// Where its front is, plan coordinates, metres.
    pub position: DVec2,
    /// Where it points: a vector of any length.
    pub direction: DVec2,
    /// m/s.
    pub speed: f64,
}

impl City {
    /// Says where the viewer's own car is from now on, or that there is none.
    /// Other cars keep their distance behind it, and wait while it is in a
    /// junction. Off the roads, nobody minds it.
    ///
    /// # Errors
    /// When a number is not finite, or the city cannot start.
    pub fn set_own_car(&mut self, own: Option<OwnCar>) -> Result<(), CityError> {
        if let Some(own) = own
            && !(own.position.is_finite() && own.direction.is_finite() && own.speed.is_finite())
        {
            let value = own.position.x + own.direction.x + own.speed;
            return Err(CityError::Number { what: "the viewer's own car", value, remedy: "give finite numbers" });
        }
        let state = self.started()?;
        state.own_car = own;
        Ok(())
    }
}

impl State {
    /// Puts the viewer's car where it is in this frame.
    pub(super) fn put_own_car(&mut self) {
        if let Some(slot) = self.own_slot.take() {
            self.traffic.remove(slot);
        }
        let Some(own) = self.own_car else {
            return;
        };
        let map = std::sync::Arc::clone(&self.traffic.map);
        if let Some((path, remaining)) = place_of(&map, &own)
            && self.traffic.is_active(map.road_of(path))
        {
            let car = Newcomer {
                id: CarId(u32::MAX),
                path,
                next: path,
                course: Course { visit: 0, trip: 0 },
                entered: 0.0,
                seen: f64::NEG_INFINITY,
            };
            let placed = Placement { remaining, speed: own.speed.max(0.0) };
            self.own_slot = Some(self.traffic.insert_driven(&car, placed));
        }
    }
}

impl Traffic {
    /// Puts a car between those of its lane that somebody else drives.
    fn insert_driven(&mut self, newcomer: &Newcomer, placed: Placement) -> u32 {
        let car = Car { is_driven: true, ..Car::new(&self.map, &self.vehicle, newcomer, placed) };
        let (lane, is_inside) =
            (self.map.path(newcomer.path).to, placed.remaining > car.lane_length - self.reach(newcomer.path));
        let mut ahead = NONE;
        let mut behind = NONE;
        for slot in self.slots_of(lane) {
            if self.cars[slot as usize].remaining > placed.remaining {
                behind = slot;
                break;
            }
            ahead = slot;
        }
        let slot = self.store(car);
        self.link(slot, ahead, behind);
        if is_inside {
            let junction = self.map.start_of(newcomer.path);
            self.crossings[junction.index()].inside.push(slot);
        }
        slot
    }
}

/// The path that a car is on, and how far from its end.
pub(super) fn place_of(map: &Map, own: &OwnCar) -> Option<(PathId, f64)> {
    if let Some(junction) = map.junction_at(own.position) {
        // The way through the junction that is nearest.
        let near = map.paths_through(junction).map(|path| {
            let curve = map.curve(path);
            let best = (0..=16).map(|step| f64::from(step) / 16.0).min_by(|a, b| {
                let far = |u: f64| curve.position(u).distance_squared(own.position);
                far(*a).total_cmp(&far(*b))
            });
            let u = best.unwrap_or(0.0);
            (path, curve.length() - curve.distance(u), curve.position(u).distance_squared(own.position))
        });
        return near.min_by(|a, b| a.2.total_cmp(&b.2)).map(|(path, remaining, _)| (path, remaining));
    }
    let near = map.nearest_road(own.position, 12.0)?;
    let on = |lane: LaneId| {
        let (mut gone, mut best) = (0.0, None::<(f64, f64)>);
        for segment in map.lane_points(lane).windows(2) {
            let way = segment[1] - segment[0];
            let length = way.length();
            let along = (own.position - segment[0]).dot(way) / length.max(1e-9);
            let along = along.clamp(0.0, length);
            let off = (segment[0] + way * (along / length.max(1e-9))).distance(own.position);
            if way.dot(own.direction) > 0.0 && best.is_none_or(|(least, _)| off < least) {
                best = Some((off, gone + along));
            }
            gone += length;
        }
        best.map(|(off, along)| (off, lane, map.lane(lane).length - along))
    };
    let nearest = map.lanes_of(near.road).filter_map(on).min_by(|a, b| a.0.total_cmp(&b.0));
    let (_, lane, remaining) = nearest.filter(|(off, ..)| *off < BESIDE)?;
    map.paths_onto(lane).first().map(|path| (*path, remaining.max(0.0)))
}
