//! What happens in view, told; and cars and roads that are told what to do.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{City, State, VisibleCar};
use crate::error::CityError;
use crate::map::{LaneId, RoadId, Turn};
use crate::traffic::Newcomer;
use crate::trips::Carriageway;
use crate::wander::{CarId, Course};

/// Numbers of cars that are added by hand begin here: no city has so many others.
pub(super) const BY_HAND: u32 = 1 << 31;

/// What happened in view between the last two frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CityEvent {
    /// A car came into view.
    CameIntoView(CarId),
    /// A car left the view, or the road.
    LeftView(CarId),
    /// A car came to a stop.
    Stopped(CarId),
    /// A car that stood moves again.
    Started(CarId),
    /// A car passed a stop line and turns.
    Turned(CarId, Turn),
}

impl City {
    /// What happened in view between the last frame and the one before, in the order
    /// of the cars' numbers. It is found when it is asked for, and costs nothing if
    /// nobody does.
    pub fn events(&self) -> Vec<CityEvent> {
        let before: BTreeMap<CarId, &VisibleCar> = self.previous.iter().map(|car| (car.id, car)).collect();
        let now: BTreeMap<CarId, &VisibleCar> = self.visible.iter().map(|car| (car.id, car)).collect();
        let mut events = Vec::new();
        for (&id, car) in &now {
            let Some(last) = before.get(&id) else {
                events.push(CityEvent::CameIntoView(id));
                continue;
            };
            match (last.speed > 0.0, car.speed > 0.0) {
                (true, false) => events.push(CityEvent::Stopped(id)),
                (false, true) => events.push(CityEvent::Started(id)),
                _ => {}
            }
            let turn = self.map.path(car.path).turn;
            if last.path != car.path && turn != Turn::Straight {
                events.push(CityEvent::Turned(id, turn));
            }
        }
        events.extend(before.keys().filter(|id| !now.contains_key(id)).map(|id| CityEvent::LeftView(*id)));
        events
    }

    /// Adds a car at the start of a carriageway, standing. It goes its way as others
    /// do.
    ///
    /// # Errors
    /// When there is no such carriageway, or no room.
    pub fn add_car(&mut self, at: Carriageway) -> Result<CarId, CityError> {
        self.check_carriageway(at)?;
        let map = Arc::clone(&self.map);
        let state = self.started()?;
        let is_active = state.traffic.is_active(at.road);
        let has_room =
            |lane: &LaneId| !map.paths_onto(*lane).is_empty() && (!is_active || state.traffic.is_free_at_start(*lane));
        let Some(lane) = at.lanes(&map).find(has_room) else {
            return Err(CityError::NoRoom { road: at.road });
        };
        let id = CarId(BY_HAND + state.made);
        state.made += 1;
        state.begin(id, lane, is_active);
        Ok(id)
    }

    /// Takes a car away.
    ///
    /// # Errors
    /// When it is not known where it is.
    pub fn remove_car(&mut self, car: CarId) -> Result<(), CityError> {
        let state = self.started()?;
        if let Some(slot) = state.slot_of(car) {
            state.traffic.remove(slot);
            return Ok(());
        }
        let tracked = state.tracked.iter().find(|(_, unseen)| unseen.car.id == car).map(|(slot, _)| slot);
        match tracked {
            Some(slot) => {
                state.tracked.remove(slot);
                Ok(())
            }
            None => Err(CityError::UnknownCar { car }),
        }
    }

    /// Holds a car where it can stop, or lets it go on. Others wait behind it.
    ///
    /// # Errors
    /// When it does not drive by the complete model: it is far from any view.
    pub fn hold_car(&mut self, car: CarId, is_held: bool) -> Result<(), CityError> {
        let state = self.started()?;
        let slot = state.slot_of(car).ok_or(CityError::UnknownCar { car })?;
        state.traffic.cars[slot as usize].is_held = is_held;
        Ok(())
    }

    /// Sends a car to a carriageway, by the quickest way; where it comes to then, it
    /// turns at random.
    ///
    /// # Errors
    /// When there is no such carriageway.
    pub fn route_car(&mut self, car: CarId, to: Carriageway) -> Result<(), CityError> {
        self.check_carriageway(to)?;
        let state = self.started()?;
        let map = Arc::clone(&state.traffic.map);
        state.traffic.draws.route(&map, car, to);
        state.choose_again(&|other| other == car);
        Ok(())
    }

    /// Closes a road, or opens it again: who has another way takes it. Cars that are
    /// on it leave it, and who has no other way passes.
    ///
    /// # Errors
    /// When there is no such road.
    pub fn close_road(&mut self, road: RoadId, is_closed: bool) -> Result<(), CityError> {
        self.check_road(road)?;
        let state = self.started()?;
        state.traffic.draws.close(road, is_closed);
        state.choose_again(&|_| true);
        Ok(())
    }

    fn check_road(&self, road: RoadId) -> Result<(), CityError> {
        if road.index() < self.map.road_count() {
            return Ok(());
        }
        let remedy = "give roads of this map";
        Err(CityError::Number { what: "a road", value: f64::from(road.0), remedy })
    }

    fn check_carriageway(&self, at: Carriageway) -> Result<(), CityError> {
        self.check_road(at.road)?;
        match at.lanes(&self.map).next() {
            Some(_) => Ok(()),
            None => Err(CityError::NoLane { road: at.road }),
        }
    }
}

impl State {
    /// The place of a car that drives by the complete model.
    fn slot_of(&self, car: CarId) -> Option<u32> {
        self.traffic.slots().find(|slot| {
            let known = &self.traffic.cars[*slot as usize];
            known.id == car && !known.is_driven
        })
    }

    /// Cars that have not been let into a junction choose their way again.
    fn choose_again(&mut self, which: &dyn Fn(CarId) -> bool) {
        let slots: Vec<u32> = self.traffic.slots().collect();
        for slot in slots {
            let car = &self.traffic.cars[slot as usize];
            if !which(car.id) || car.is_admitted || car.is_driven {
                continue;
            }
            let (id, mut course, path, old) = (car.id, car.course, car.path, car.next);
            let is_open = !self.traffic.draws.is_closed(self.traffic.map.road_of(old));
            if self.traffic.draws.is_routed(id) || !is_open {
                let next = self.traffic.choose(id, &mut course, path);
                let car = &mut self.traffic.cars[slot as usize];
                (car.next, car.course) = (next, course);
            }
        }
    }

    /// Puts a car at the start of a lane, where it is seen or not.
    pub(super) fn begin(&mut self, id: CarId, lane: LaneId, is_active: bool) {
        let Some(&path) = self.traffic.map.paths_onto(lane).first() else {
            return;
        };
        let mut course = Course { visit: 1, trip: 0 };
        let next = self.traffic.choose(id, &mut course, path);
        let car = Newcomer { id, path, next, course, entered: self.traffic.now, seen: f64::NEG_INFINITY };
        if is_active {
            self.traffic.enter(&car);
        } else {
            self.track_from_start(car);
        }
    }
}
