//! What can be wrong with a view.

use thiserror::Error;

/// Why a camera, a frustum, a path or a framing could not be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A number is NaN or infinite.
    #[error("the camera's {what} is not finite: give it finite numbers")]
    NotFinite {
        /// The offending field.
        what: &'static str,
    },
    /// The eye and the target coincide, or the direction has no length.
    #[error(
        "the camera has no looking direction: put the eye and the target apart, and give a direction with a length"
    )]
    NoDirection,
    /// The up vector has no length or lies along the looking direction.
    #[error("the camera's up vector is zero or along its looking direction: turn it away")]
    NoUp,
    /// A full vertical angle outside `(0, π)`.
    #[error("the field of view is {fov_y} radians: it must lie between 0 and π, both excluded")]
    FieldOfView {
        /// The offending angle.
        fov_y: f64,
    },
    /// A length or ratio that must be positive is not.
    #[error("the camera's {what} is {value}: it must be positive")]
    NotPositive {
        /// The offending field.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The far plane does not lie behind the near plane.
    #[error(
        "the far plane ({far} m) must lie behind the near plane ({near} m), which a perspective camera has in front of the eye"
    )]
    NearFar {
        /// Distance to the near plane.
        near: f64,
        /// Distance to the far plane.
        far: f64,
    },
    /// There is nothing to frame.
    #[error("there is nothing to frame: give at least one point")]
    NothingToFrame,
    /// The margin of a framing leaves no room.
    #[error("the margin is {margin}: it must lie in [0, 0.9]")]
    Margin {
        /// The offending margin.
        margin: f64,
    },
    /// A path without keys.
    #[error("a viewer path needs at least one key")]
    NoKeys,
    /// The times of a path do not increase.
    #[error(
        "key {index} of the viewer path is at {time} s, not after the key before it: sort the keys and remove doubles"
    )]
    KeyOrder {
        /// Index of the offending key.
        index: usize,
        /// Its time, seconds.
        time: f64,
    },
    /// A path that changes from perspective to parallel projection.
    #[error("key {index} of the viewer path has another kind of projection than the first: use one kind throughout")]
    MixedProjections {
        /// Index of the offending key.
        index: usize,
    },
}
