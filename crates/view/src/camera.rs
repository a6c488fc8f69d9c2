//! Cameras.

use glam::DVec3;

/// A place to look from, and what is seen from there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the eye is, metres.
    pub position: DVec3,
    /// Unit vector of the looking direction.
    pub forward: DVec3,
    /// Roughly up; need not be orthogonal to `forward`.
    pub up: DVec3,
    /// How the world is projected to the picture.
    pub projection: Projection,
    /// Width over height of the picture.
    pub aspect: f64,
    /// Distance to the near plane, metres.
    pub near: f64,
    /// Distance to the far plane, metres.
    pub far: f64,
}

/// How the world is projected to the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Central projection with this full vertical angle, radians.
    Perspective {
        /// Full vertical field of view, radians.
        fov_y: f64,
    },
    /// Parallel projection of this full height, metres.
    Orthographic {
        /// Full height of the picture, metres.
        height: f64,
    },
}
