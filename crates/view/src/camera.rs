//! Cameras.

use crate::ViewError;
use glam::{DMat3, DMat4, DVec3, DVec4};

/// A place to look from, and what is seen from there.
///
/// The fields are plain data; [`Camera::validate`] tells whether they make
/// sense together, and whatever draws or culls calls it first.
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

/// A place in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScreenPoint {
    /// 0 at the left edge of the picture, 1 at the right.
    pub x: f64,
    /// 0 at the top edge of the picture, 1 at the bottom.
    pub y: f64,
    /// Distance from the eye along the looking direction, metres.
    pub depth: f64,
}

impl ScreenPoint {
    /// Whether the point lies in the picture and not beside it.
    pub fn is_inside(&self) -> bool {
        (0.0..=1.0).contains(&self.x) && (0.0..=1.0).contains(&self.y)
    }
}

/// A half-line into the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts, metres.
    pub origin: DVec3,
    /// Unit vector.
    pub direction: DVec3,
}

impl Ray {
    /// The point at this distance from the origin.
    pub fn at(&self, distance: f64) -> DVec3 {
        self.origin + self.direction * distance
    }
}

/// A unit vector that is up for this looking direction: y, or, for a look
/// straight up or down, −z or z, so that the picture's top is "ahead".
pub(crate) fn natural_up(forward: DVec3) -> DVec3 {
    if forward.y.abs() < 0.9999 {
        DVec3::Y
    } else if forward.y < 0.0 {
        DVec3::NEG_Z
    } else {
        DVec3::Z
    }
}

impl Camera {
    /// A perspective camera at `eye` that has `target` in the middle of the
    /// picture. The near and far planes lie at 1/1000 and 1000 times the
    /// distance between the two; set the fields for others.
    ///
    /// # Errors
    /// When a number is not finite, `eye` and `target` coincide, `fov_y` is
    /// outside `(0, π)` or `aspect` is not positive.
    pub fn look_at(eye: DVec3, target: DVec3, fov_y: f64, aspect: f64) -> Result<Self, ViewError> {
        Self::aimed(eye, target, Projection::Perspective { fov_y }, aspect)
    }

    /// A parallel-projection camera at `eye` that has `target` in the middle
    /// of a picture `height` metres high.
    ///
    /// # Errors
    /// As [`Camera::look_at`], and when `height` is not positive.
    pub fn orthographic(eye: DVec3, target: DVec3, height: f64, aspect: f64) -> Result<Self, ViewError> {
        Self::aimed(eye, target, Projection::Orthographic { height }, aspect)
    }

    fn aimed(eye: DVec3, target: DVec3, projection: Projection, aspect: f64) -> Result<Self, ViewError> {
        check_finite("position", eye.is_finite())?;
        check_finite("target", target.is_finite())?;
        let distance = eye.distance(target);
        check_finite("distance to the target", distance.is_finite())?;
        let forward = (target - eye).try_normalize().ok_or(ViewError::NoDirection)?;
        let camera = Self {
            position: eye,
            forward,
            up: natural_up(forward),
            projection,
            aspect,
            near: distance * 1e-3,
            far: distance * 1e3,
        };
        camera.validate()?;
        Ok(camera)
    }

    /// Checks that the fields are finite and make sense together.
    ///
    /// # Errors
    /// Names the first field that does not.
    pub fn validate(&self) -> Result<(), ViewError> {
        check_finite("position", self.position.is_finite())?;
        check_finite("looking direction", self.forward.is_finite())?;
        check_finite("up vector", self.up.is_finite())?;
        check_positive("aspect", self.aspect)?;
        match self.projection {
            Projection::Perspective { fov_y } => {
                check_finite("field of view", fov_y.is_finite())?;
                if fov_y <= 0.0 || fov_y >= std::f64::consts::PI {
                    return Err(ViewError::FieldOfView { fov_y });
                }
                if self.near <= 0.0 {
                    return Err(ViewError::NearFar { near: self.near, far: self.far });
                }
            }
            Projection::Orthographic { height } => check_positive("height", height)?,
        }
        check_finite("near plane", self.near.is_finite())?;
        check_finite("far plane", self.far.is_finite())?;
        if self.far <= self.near {
            return Err(ViewError::NearFar { near: self.near, far: self.far });
        }
        let forward = self.forward.try_normalize().ok_or(ViewError::NoDirection)?;
        let up = self.up.try_normalize().ok_or(ViewError::NoUp)?;
        if forward.cross(up).length_squared() < 1e-18 {
            return Err(ViewError::NoUp);
        }
        Ok(())
    }

    /// The unit vectors right, up and back (against the looking direction) of
    /// a valid camera, as the columns of a rotation.
    pub fn axes(&self) -> DMat3 {
        let back = -self.forward.normalize_or(DVec3::NEG_Z);
        let up = self.up.normalize_or(DVec3::Y);
        let right = up.cross(back).normalize_or(back.any_orthonormal_vector());
        DMat3::from_cols(right, back.cross(right), back)
    }

    /// Half the width and half the height of the picture: at distance 1 for a
    /// perspective camera, anywhere for a parallel one. Metres.
    pub fn half_extents(&self) -> (f64, f64) {
        let half_height = match self.projection {
            Projection::Perspective { fov_y } => libm::tan(0.5 * fov_y),
            Projection::Orthographic { height } => 0.5 * height,
        };
        (half_height * self.aspect, half_height)
    }

    /// Takes camera coordinates (x right, y up, z back) to the world.
    pub fn world_from_view(&self) -> DMat4 {
        let axes = self.axes();
        DMat4::from_cols(
            axes.x_axis.extend(0.0),
            axes.y_axis.extend(0.0),
            axes.z_axis.extend(0.0),
            self.position.extend(1.0),
        )
    }

    /// Takes the world to camera coordinates (x right, y up, z back).
    pub fn view_from_world(&self) -> DMat4 {
        let view_from_world = self.axes().transpose();
        DMat4::from_cols(
            view_from_world.x_axis.extend(0.0),
            view_from_world.y_axis.extend(0.0),
            view_from_world.z_axis.extend(0.0),
            (view_from_world * -self.position).extend(1.0),
        )
    }

    /// Takes camera coordinates to clip coordinates: after division by `w`, x
    /// and y in `[-1, 1]` (y up), depth 0 at the near and 1 at the far plane,
    /// as wgpu, Vulkan and Direct3D have it.
    pub fn clip_from_view(&self) -> DMat4 {
        let (half_width, half_height) = self.half_extents();
        let depth = self.near - self.far;
        match self.projection {
            Projection::Perspective { .. } => DMat4::from_cols(
                DVec4::new(1.0 / half_width, 0.0, 0.0, 0.0),
                DVec4::new(0.0, 1.0 / half_height, 0.0, 0.0),
                DVec4::new(0.0, 0.0, self.far / depth, -1.0),
                DVec4::new(0.0, 0.0, self.near * self.far / depth, 0.0),
            ),
            Projection::Orthographic { .. } => DMat4::from_cols(
                DVec4::new(1.0 / half_width, 0.0, 0.0, 0.0),
                DVec4::new(0.0, 1.0 / half_height, 0.0, 0.0),
                DVec4::new(0.0, 0.0, 1.0 / depth, 0.0),
                DVec4::new(0.0, 0.0, self.near / depth, 1.0),
            ),
        }
    }

    /// Takes the world to clip coordinates.
    pub fn clip_from_world(&self) -> DMat4 {
        self.clip_from_view() * self.view_from_world()
    }

    /// Where a point of the world appears: `None` when it is nearer than the
    /// near plane or behind the eye. The result may lie beside the picture;
    /// see [`ScreenPoint::is_inside`].
    pub fn project(&self, point: DVec3) -> Option<ScreenPoint> {
        let view = self.axes().transpose() * (point - self.position);
        let depth = -view.z;
        // Written so that a NaN is refused as well.
        if !view.is_finite() || depth < self.near {
            return None;
        }
        let (half_width, half_height) = self.half_extents();
        let shrink = match self.projection {
            Projection::Perspective { .. } => depth,
            Projection::Orthographic { .. } => 1.0,
        };
        Some(ScreenPoint {
            x: 0.5 + 0.5 * view.x / (half_width * shrink),
            y: 0.5 - 0.5 * view.y / (half_height * shrink),
            depth,
        })
    }

    /// The ray through a place in the picture, given as in [`ScreenPoint`]:
    /// (0, 0) is the top left corner and (1, 1) the bottom right one.
    pub fn ray(&self, x: f64, y: f64) -> Ray {
        let axes = self.axes();
        let (half_width, half_height) = self.half_extents();
        let sideways = axes.x_axis * ((2.0 * x - 1.0) * half_width) + axes.y_axis * ((1.0 - 2.0 * y) * half_height);
        match self.projection {
            Projection::Perspective { .. } => {
                Ray { origin: self.position, direction: (sideways - axes.z_axis).normalize() }
            }
            Projection::Orthographic { .. } => Ray { origin: self.position + sideways, direction: -axes.z_axis },
        }
    }

    /// The ray through the middle of a pixel of a picture of this size.
    pub fn pixel_ray(&self, column: u32, row: u32, width: u32, height: u32) -> Ray {
        self.ray((f64::from(column) + 0.5) / f64::from(width.max(1)), (f64::from(row) + 0.5) / f64::from(height.max(1)))
    }
}

pub(crate) fn check_finite(what: &'static str, finite: bool) -> Result<(), ViewError> {
    if finite { Ok(()) } else { Err(ViewError::NotFinite { what }) }
}

pub(crate) fn check_positive(what: &'static str, value: f64) -> Result<(), ViewError> {
    check_finite(what, value.is_finite())?;
    if value > 0.0 { Ok(()) } else { Err(ViewError::NotPositive { what, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dcamera::rh::{proj::directx, view::look_at_mat4};
    use proptest::prelude::*;

    fn vector(range: f64) -> impl Strategy<Value = DVec3> {
        (-range..range, -range..range, -range..range).prop_map(DVec3::from)
    }

    fn camera() -> impl Strategy<Value = Camera> {
        (vector(10.0), vector(10.0), 0.2..2.0, 0.5..2.5, any::<bool>()).prop_filter_map(
            "eye and target apart",
            |(eye, target, angle, aspect, parallel)| {
                if parallel {
                    Camera::orthographic(eye, target, 5.0 * angle, aspect).ok()
                } else {
                    Camera::look_at(eye, target, angle, aspect).ok()
                }
            },
        )
    }

    proptest! {
        /// Two ways to the picture: by hand, and by the matrices.
        #[test]
        fn projection_agrees_with_the_matrices(camera in camera(), point in vector(20.0)) {
            if let Some(screen) = camera.project(point) {
                let clip = camera.clip_from_world() * point.extend(1.0);
                let x = 0.5 + 0.5 * clip.x / clip.w;
                let y = 0.5 - 0.5 * clip.y / clip.w;
                prop_assert!((screen.x - x).abs() < 1e-7 * (1.0 + x.abs()));
                prop_assert!((screen.y - y).abs() < 1e-7 * (1.0 + y.abs()));
            }
        }

        #[test]
        fn a_ray_leads_back_to_its_pixel(
            camera in camera(), x in 0.0..1.0f64, y in 0.0..1.0f64, distance in 0.1..50.0f64,
        ) {
            let point = camera.ray(x, y).at(distance);
            if let Some(screen) = camera.project(point) {
                prop_assert!((screen.x - x).abs() < 1e-7 && (screen.y - y).abs() < 1e-7);
            }
        }

        #[test]
        fn the_view_transforms_are_inverses(camera in camera(), point in vector(20.0)) {
            let view = camera.view_from_world().transform_point3(point);
            let back = camera.world_from_view().transform_point3(view);
            prop_assert!(back.distance(point) < 1e-10);
        }
    }

    #[test]
    fn matrices_agree_with_glam() {
        let camera = Camera::look_at(DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO, 0.9, 1.5).unwrap();
        let projection = directx::perspective(0.9, 1.5, camera.near, camera.far);
        let view = look_at_mat4(camera.position, DVec3::ZERO, DVec3::Y);
        assert!(camera.clip_from_view().abs_diff_eq(projection, 1e-9));
        assert!(camera.view_from_world().abs_diff_eq(view, 1e-12));
        let camera = Camera::orthographic(DVec3::Z, DVec3::ZERO, 2.0, 1.5).unwrap();
        let projection = directx::orthographic(-1.5, 1.5, -1.0, 1.0, camera.near, camera.far);
        assert!(camera.clip_from_view().abs_diff_eq(projection, 1e-12));
    }

    #[test]
    fn degenerate_cameras_are_refused() {
        let at = |eye, fov_y, aspect| Camera::look_at(eye, DVec3::ZERO, fov_y, aspect);
        assert_eq!(at(DVec3::ZERO, 1.0, 1.0), Err(ViewError::NoDirection));
        assert!(matches!(at(DVec3::NAN, 1.0, 1.0), Err(ViewError::NotFinite { .. })));
        assert!(matches!(at(DVec3::MAX, 1.0, 1.0), Err(ViewError::NotFinite { .. })));
        assert!(matches!(at(DVec3::X, 4.0, 1.0), Err(ViewError::FieldOfView { .. })));
        assert!(matches!(at(DVec3::X, 0.0, 1.0), Err(ViewError::FieldOfView { .. })));
        assert!(matches!(at(DVec3::X, 1.0, -1.0), Err(ViewError::NotPositive { .. })));
        assert!(Camera::orthographic(DVec3::X, DVec3::ZERO, f64::NAN, 1.0).is_err());
    }

    #[test]
    fn looking_straight_down_has_an_up() {
        let camera = Camera::look_at(5.0 * DVec3::Y, DVec3::ZERO, 1.0, 1.0).unwrap();
        let ahead = camera.project(DVec3::NEG_Z).unwrap();
        assert!(ahead.y < 0.5 && (ahead.x - 0.5).abs() < 1e-12);
    }

    #[test]
    fn what_is_behind_has_no_place() {
        let camera = Camera::look_at(DVec3::Z, DVec3::ZERO, 1.0, 1.0).unwrap();
        assert_eq!(camera.project(2.0 * DVec3::Z), None);
        assert_eq!(camera.project(DVec3::NAN), None);
    }
}
