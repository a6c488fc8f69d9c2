//! What drivers do wrong, at stated rates: brake late for a stop line, pass a light
//! that has just turned red, take a gap that is too short.
//!
//! None of it lets bodies touch. Who brakes late still stops at the line, harder; who
//! runs a light or takes a gap enters a junction only when nobody whose way conflicts is
//! inside, so that those who come can stop, and have to.

use serde::{Deserialize, Serialize};

use super::{Car, Traffic};
use crate::driving::Vehicle;
use crate::map::{Light, PathId};

/// How hard who brakes late does, m/s². Chosen: twice the usual, and two thirds of
/// what a car can on a dry road.
pub(crate) const LATE_BRAKING: f64 = 6.0;
/// A light that turned red at most so long ago is one that has just turned red, seconds.
pub(crate) const JUST_RED: f64 = 2.5;

/// What a driver does wrong at a junction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DriverError {
    /// Brakes late for the stop line, and hard.
    LateBrake,
    /// Passes a light that has just turned red.
    RedLight,
    /// Goes though somebody comes who goes first.
    ShortGap,
}

/// How often drivers err: for each error the share of the junctions that they come to.
/// None by default, as in the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriverErrors {
    /// [`DriverError::LateBrake`].
    pub late_brake: f64,
    /// [`DriverError::RedLight`], where a light has just turned red.
    pub red_light: f64,
    /// [`DriverError::ShortGap`], where somebody comes who goes first.
    pub short_gap: f64,
}

impl DriverErrors {
    /// The same rate for all.
    pub fn all(rate: f64) -> Self {
        Self { late_brake: rate, red_light: rate, short_gap: rate }
    }

    /// The rate of one.
    pub fn rate(&self, error: DriverError) -> f64 {
        match error {
            DriverError::LateBrake => self.late_brake,
            DriverError::RedLight => self.red_light,
            DriverError::ShortGap => self.short_gap,
        }
    }

    /// The error for a number in [0, 1).
    pub(crate) fn at(&self, mut level: f64) -> Option<DriverError> {
        [DriverError::LateBrake, DriverError::RedLight, DriverError::ShortGap].into_iter().find(|error| {
            level -= self.rate(*error);
            level < 0.0
        })
    }

    pub(crate) fn is_sound(&self) -> bool {
        let rates = [self.late_brake, self.red_light, self.short_gap];
        rates.iter().all(|rate| (0.0..=1.0).contains(rate)) && rates.iter().sum::<f64>() <= 1.0
    }

    pub(crate) fn are_none(&self) -> bool {
        self.late_brake == 0.0 && self.red_light == 0.0 && self.short_gap == 0.0
    }
}

impl Traffic {
    /// What a car does wrong at the junction that it comes to.
    pub(super) fn error_of(&self, slot: u32) -> Option<DriverError> {
        self.cars.get(slot as usize).and_then(|car| car.error)
    }

    /// Whether a driver goes though the light of a path is red when the car comes to it,
    /// and has only just turned so.
    pub(super) fn runs_red(&self, slot: u32, path: PathId) -> bool {
        let arrives = |car: &Car| self.now + (car.remaining / car.speed.max(1.0)).max(0.0);
        self.error_of(slot) == Some(DriverError::RedLight)
            && is_just_red(&self.map, path, arrives(&self.cars[slot as usize]))
    }

    /// The vehicle as it is driven by who brakes late, where only the stop line is ahead.
    pub(super) fn late_braker(&self, slot: u32, room: f64) -> Option<Vehicle> {
        let car = &self.cars[slot as usize];
        let is_late = car.error == Some(DriverError::LateBrake)
            && !(car.is_admitted || car.is_crossing() || car.is_held || car.ends || car.change.is_some());
        (is_late && room >= car.remaining).then_some(Vehicle { deceleration: LATE_BRAKING, ..self.vehicle })
    }
}

/// Whether the light of a path is red at a time, and has only just turned so.
pub(crate) fn is_just_red(map: &crate::map::Map, path: PathId, now: f64) -> bool {
    map.light(path, now) == Light::Red && map.light(path, now - JUST_RED) > Light::Red
}
