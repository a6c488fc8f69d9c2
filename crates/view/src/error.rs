//! What can be wrong with a view.

use std::borrow::Cow;

use proscenium_work::Remedy;
use thiserror::Error;

/// Why a camera, a frustum, a path or a framing could not be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A number is NaN or infinite.
    #[error("the camera's {what} is not finite")]
    NotFinite {
        /// The offending field.
        what: &'static str,
    },
    /// The eye and the target coincide, or the direction has no length.
    #[error("the camera has no looking direction")]
    NoDirection,
    /// The up vector has no length or lies along the looking direction.
    #[error("the camera's up vector is zero or along its looking direction")]
    NoUp,
    /// A full vertical angle outside `(0, π)`.
    #[error("the field of view is {fov_y} radians")]
    FieldOfView {
        /// The offending angle.
        fov_y: f64,
    },
    /// A length or ratio that must be positive is not.
    #[error("the camera's {what} is {value}")]
    NotPositive {
        /// The offending field.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The far plane does not lie behind the near plane.
    #[error("the far plane is at {far} m and the near plane at {near} m")]
    NearFar {
        /// Distance to the near plane.
        near: f64,
        /// Distance to the far plane.
        far: f64,
    },
    /// There is nothing to frame.
    #[error("there is nothing to frame")]
    NothingToFrame,
    /// The margin of a framing leaves no room.
    #[error("the margin is {margin}")]
    Margin {
        /// The offending margin.
        margin: f64,
    },
    /// A path without keys.
    #[error("a viewer path has no keys")]
    NoKeys,
    /// The times of a path do not increase.
    #[error("key {index} of the viewer path is at {time} s, not after the key before it")]
    KeyOrder {
        /// Index of the offending key.
        index: usize,
        /// Its time, seconds.
        time: f64,
    },
    /// A path that changes from perspective to parallel projection.
    #[error("key {index} of the viewer path has another kind of projection than the first")]
    MixedProjections {
        /// Index of the offending key.
        index: usize,
    },
}

impl Remedy for ViewError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::NotFinite { .. } => "give it finite numbers",
            Self::NoDirection => "put the eye and the target apart, and give a direction with a length",
            Self::NoUp => "turn it away",
            Self::FieldOfView { .. } => "give an angle between 0 and π, both excluded",
            Self::NotPositive { .. } => "give a positive number",
            Self::NearFar { .. } => {
                "put the far plane behind the near plane, and the near plane of a perspective camera in front of the eye"
            }
            Self::NothingToFrame => "give at least one point",
            Self::Margin { .. } => "give a number in [0, 0.9]",
            Self::NoKeys => "give at least one key",
            Self::KeyOrder { .. } => "sort the keys and remove doubles",
            Self::MixedProjections { .. } => "use one kind throughout",
        }))
    }
}
