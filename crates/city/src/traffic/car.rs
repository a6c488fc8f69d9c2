//! The state of a car.

use super::change::LaneChange;
use super::errors::DriverError;
use crate::driver::Driver;
use crate::driving::Vehicle;
use crate::map::{Map, PathId};
use crate::wander::{CarId, Course};
use serde::{Deserialize, Serialize};

/// The slot of no car.
pub(crate) const NONE: u32 = u32::MAX;

/// A car on an active road.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Car {
    pub(crate) id: CarId,
    pub(crate) path: PathId,
    /// The path that it will take after this one.
    pub(crate) next: PathId,
    /// From its front to the stop line at the end of its path, metres. More
    /// than the length of the lane while it is in the junction.
    pub(crate) remaining: f64,
    /// m/s.
    pub(crate) speed: f64,
    /// When it started on its path.
    pub(crate) entered: f64,
    /// Where it is going.
    pub(crate) course: Course,
    /// Neighbours in the lane.
    pub(crate) ahead: u32,
    pub(crate) behind: u32,
    /// Length of the lane of its path, metres.
    pub(crate) lane_length: f64,
    /// Speed limits in the junction and on the lane.
    pub(crate) limits: [f32; 2],
    /// Whether it may pass the stop line.
    pub(crate) is_admitted: bool,
    /// Whether it waits its turn at the stop line.
    pub(crate) is_queued: bool,
    /// Not before this time does it pass the stop line.
    pub(crate) release: f64,
    /// When a viewer saw it last; −∞ for never.
    pub(crate) seen: f64,
    /// Since when it stands.
    pub(crate) stands_since: f64,
    /// Direction of the body, radians from east towards south; only while it
    /// is shown.
    pub(crate) heading: f64,
    /// Turns of the steered and the two rear wheels, radians.
    pub(crate) wheels: [f32; 3],
    /// The last frame in which its body was simulated too.
    pub(crate) shown: u32,
    /// Whether somebody else drives it.
    pub(crate) is_driven: bool,
    /// Whether it is told to stand.
    pub(crate) is_held: bool,
    /// Its way to this lane from the one beside it, while it changes.
    pub(crate) change: Option<LaneChange>,
    /// When it changed lanes last.
    pub(crate) changed: f64,
    /// It does not go beyond this place before it has changed lanes, and not beyond that
    /// one, so that another fits in ahead: metres before the stop line, −∞ for nowhere.
    pub(crate) holds_at: f64,
    pub(crate) lets_in_at: f64,
    /// Whether its trip ends at the end of its lane.
    pub(crate) ends: bool,
    /// How far beyond its stop line it waits for those who go first, metres; 0 if it
    /// does not wait inside a junction.
    pub(crate) waits_at: f64,
    /// What its driver does wrong at the end of its path.
    pub(crate) error: Option<DriverError>,
    /// How its driver drives.
    pub(crate) driver: Driver,
}

/// A car that comes to an active road, or leaves the last one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Newcomer {
    pub(crate) id: CarId,
    pub(crate) path: PathId,
    pub(crate) next: PathId,
    pub(crate) course: Course,
    pub(crate) entered: f64,
    pub(crate) seen: f64,
}

/// Where on its path a car is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    pub(crate) remaining: f64,
    pub(crate) speed: f64,
}

impl Car {
    pub(crate) fn new(map: &Map, vehicle: &Vehicle, newcomer: &Newcomer, placed: Placement) -> Self {
        let Newcomer { id, path, next, course, entered, seen } = *newcomer;
        Self {
            id,
            path,
            next,
            remaining: placed.remaining,
            speed: placed.speed,
            entered,
            course,
            ahead: NONE,
            behind: NONE,
            lane_length: map.lane(map.path(path).to).length,
            limits: vehicle.limits(map, path).map(|limit| limit as f32),
            is_admitted: false,
            is_queued: false,
            release: f64::NEG_INFINITY,
            seen,
            stands_since: f64::INFINITY,
            heading: f64::NAN,
            wheels: [0.0; 3],
            shown: 0,
            is_driven: false,
            is_held: false,
            change: None,
            changed: f64::NEG_INFINITY,
            holds_at: f64::NEG_INFINITY,
            lets_in_at: f64::NEG_INFINITY,
            ends: false,
            waits_at: 0.0,
            error: None,
            driver: Driver::USUAL,
        }
    }

    /// Whether its front is still in the junction at the start of its path.
    #[inline]
    pub(crate) fn is_crossing(&self) -> bool {
        self.remaining > self.lane_length
    }

    /// The speed limit where it is.
    #[inline]
    pub(crate) fn limit(&self) -> f64 {
        f64::from(self.limits[usize::from(!self.is_crossing())]) * f64::from(self.driver.speed)
    }

    /// What is kept of it when it leaves.
    pub(crate) fn newcomer(&self) -> Newcomer {
        let Self { id, path, next, course, entered, seen, .. } = *self;
        Newcomer { id, path, next, course, entered, seen }
    }
}
