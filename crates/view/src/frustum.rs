//! The part of the world that a camera sees.

use crate::{Camera, Projection, ViewError};
use glam::DVec3;

/// A plane with an inside: points with `normal · p ≥ offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit vector towards the inside.
    pub normal: DVec3,
    /// Distance of the plane from the origin along the normal, metres.
    pub offset: f64,
}

impl Plane {
    fn through(point: DVec3, inward: DVec3) -> Self {
        let normal = inward.normalize();
        Self { normal, offset: normal.dot(point) }
    }

    /// Positive inside, negative outside, metres.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// The convex region between a camera's near and far planes and the four
/// sides of its picture.
///
/// The intersection tests never miss what is visible; near an edge or a
/// corner they may report something that lies just outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    /// Left, right, bottom, top, near, far; normals point inside.
    pub planes: [Plane; 6],
    /// The corners: near before far, bottom before top, left before right.
    pub corners: [DVec3; 8],
}

impl Frustum {
    /// The frustum of a camera.
    ///
    /// # Errors
    /// When the camera is not valid.
    pub fn of(camera: &Camera) -> Result<Self, ViewError> {
        camera.validate()?;
        let axes = camera.axes();
        let (right, up, forward) = (axes.x_axis, axes.y_axis, -axes.z_axis);
        let (half_width, half_height) = camera.half_extents();
        let corner = |depth: f64, x: f64, y: f64| {
            let spread = match camera.projection {
                Projection::Perspective { .. } => depth,
                Projection::Orthographic { .. } => 1.0,
            };
            camera.position + forward * depth + right * (x * half_width * spread) + up * (y * half_height * spread)
        };
        let mut corners = [DVec3::ZERO; 8];
        for (index, place) in corners.iter_mut().enumerate() {
            let sign = |bit: usize| if index & bit == 0 { -1.0 } else { 1.0 };
            let depth = if index & 4 == 0 { camera.near } else { camera.far };
            *place = corner(depth, sign(1), sign(2));
        }
        // A perspective side holds the eye; a parallel side is shifted from it.
        let side = |outward: DVec3, half: f64| match camera.projection {
            Projection::Perspective { .. } => Plane::through(camera.position, forward * half - outward),
            Projection::Orthographic { .. } => Plane::through(camera.position + outward * half, -outward),
        };
        let planes = [
            side(-right, half_width),
            side(right, half_width),
            side(-up, half_height),
            side(up, half_height),
            Plane::through(camera.position + forward * camera.near, forward),
            Plane::through(camera.position + forward * camera.far, -forward),
        ];
        Ok(Self { planes, corners })
    }

    /// Whether the point can be seen.
    pub fn contains_point(&self, point: DVec3) -> bool {
        self.planes.iter().all(|plane| plane.signed_distance(point) >= 0.0)
    }

    /// Whether any part of the ball may be seen. Never misses one that can.
    pub fn intersects_sphere(&self, center: DVec3, radius: f64) -> bool {
        self.planes.iter().all(|plane| plane.signed_distance(center) >= -radius)
    }

    /// Whether any part of the axis-aligned box may be seen. Never misses one
    /// that can.
    pub fn intersects_aabb(&self, min: DVec3, max: DVec3) -> bool {
        let farthest_along = |normal: DVec3| DVec3::select(normal.cmpge(DVec3::ZERO), max, min);
        // The box lies wholly behind one plane of the frustum, …
        let behind = |plane: &Plane| plane.signed_distance(farthest_along(plane.normal)) < 0.0;
        if self.planes.iter().any(behind) {
            return false;
        }
        // … or the frustum lies wholly behind one face of the box.
        let lowest = self.corners.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let highest = self.corners.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        lowest.cmple(max).all() && highest.cmpge(min).all()
    }
}
