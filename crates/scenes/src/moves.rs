//! Bodies that move as told, from the arithmetic of a file to what a world follows.

use std::cell::RefCell;

use glam::DVec3;
use proscenium_expression::Tape;
use proscenium_geometry::Pose;
use proscenium_rigid::{BodyDef, Drive, DriveError};

use crate::plan::turn;

/// How near a body that moves as told is to where it should be, metres: chosen, far below what
/// can be seen.
const PRECISION: f64 = 1e-6;

/// How a body moves that moves as told.
#[derive(Clone, Debug)]
pub(crate) struct MovesPlan {
    pub position: Option<[CoursePlan; 3]>,
    pub axis: DVec3,
    pub degrees: CoursePlan,
}

/// A number that may change with the time.
#[derive(Clone, Debug)]
pub(crate) enum CoursePlan {
    Fixed(f64),
    /// Arithmetic with the named variables and, as the input after them, the time.
    Changing(Tape),
}

impl CoursePlan {
    /// What it comes to; the inputs end with the time.
    pub(crate) fn at(&self, inputs: &[f64], slots: &mut Vec<f64>) -> f64 {
        match self {
            Self::Fixed(value) => *value,
            Self::Changing(tape) => tape.value(inputs, &[], slots),
        }
    }
}

impl MovesPlan {
    /// All that it consists of.
    pub(crate) fn courses(&self) -> impl Iterator<Item = &CoursePlan> {
        self.position.iter().flatten().chain([&self.degrees])
    }

    /// Places a body where it is told to be when it enters, and says how it goes on,
    /// given the named variables, how far it is from the first copy, and until when it is looked at.
    pub(crate) fn drive(
        &self,
        named: &[f64],
        (offset, until): (DVec3, f64),
        def: &mut BodyDef,
    ) -> Result<Drive, DriveError> {
        let scratch = RefCell::new((named.iter().copied().chain([0.0]).collect::<Vec<f64>>(), Vec::new()));
        let (pose, start) = (def.pose, def.start);
        let course = |time: f64| {
            let (inputs, slots) = &mut *scratch.borrow_mut();
            if let Some(last) = inputs.last_mut() {
                *last = time;
            }
            let place = self.position.as_ref().map_or(pose.translation, |position| {
                offset + DVec3::from_array([0, 1, 2].map(|axis| position[axis].at(inputs, slots)))
            });
            (place, self.degrees.at(inputs, slots).to_radians())
        };
        let (place, angle) = course(start);
        if !(place.is_finite() && angle.is_finite()) {
            return Err(DriveError::NotFinite { time: start });
        }
        def.pose = Pose::new(place, (turn(self.axis, angle.to_degrees()) * pose.rotation).normalize());
        Drive::along(&def.shape, &def.pose, self.axis, [start, until.max(start + 1.0)], PRECISION, course)
    }
}
