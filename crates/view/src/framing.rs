//! The camera that frames given things by itself.

use crate::camera::{check_finite, check_positive, natural_up};
use crate::{Camera, Projection, ViewError};
use glam::DVec3;

/// How to frame something: from where, through which lens, with how much air.
///
/// For a fixed direction, the nearest eye that has everything in the picture
/// is found exactly: each side of the picture is pushed in until it touches,
/// and the eye is where the narrower pair of sides meets.
///
/// ```
/// use proscenium_view::{Framing, glam::DVec3};
///
/// let corners = [DVec3::new(-3.0, 0.0, -1.0), DVec3::new(3.0, 0.5, 1.0)];
/// let camera = Framing::default().points(&corners)?;
/// assert!(corners.iter().all(|&corner| camera.project(corner).unwrap().is_inside()));
/// # Ok::<(), proscenium_view::ViewError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Framing {
    /// The looking direction; need not be of unit length.
    pub direction: DVec3,
    /// Full vertical field of view, radians.
    pub fov_y: f64,
    /// Width over height of the picture.
    pub aspect: f64,
    /// The share of the picture's half width and half height that stays free
    /// on each side, in `[0, 0.9]`.
    pub margin: f64,
}

impl Default for Framing {
    /// A calm three-quarter view from above: 16:9, 35°, a tenth of margin.
    fn default() -> Self {
        Self { direction: DVec3::new(-0.55, -0.45, -1.0), fov_y: 0.61, aspect: 16.0 / 9.0, margin: 0.1 }
    }
}

impl Framing {
    /// The same framing from another direction.
    pub fn from_direction(self, direction: DVec3) -> Self {
        Self { direction, ..self }
    }

    /// The same framing for another shape of picture.
    pub fn with_aspect(self, aspect: f64) -> Self {
        Self { aspect, ..self }
    }

    /// The nearest camera that has all points in its picture.
    ///
    /// # Errors
    /// When there is no point, a number is not finite, or the framing itself
    /// makes no sense.
    pub fn points(&self, points: &[DVec3]) -> Result<Camera, ViewError> {
        self.frame(points.iter().map(|&point| (point, 0.0)))
    }

    /// The nearest camera that has the whole box in its picture.
    ///
    /// # Errors
    /// As [`Framing::points`].
    pub fn aabb(&self, min: DVec3, max: DVec3) -> Result<Camera, ViewError> {
        self.frame((0..8).map(|corner| {
            let pick = |bit: u32, low: f64, high: f64| if corner & bit == 0 { low } else { high };
            let point = DVec3::new(pick(1, min.x, max.x), pick(2, min.y, max.y), pick(4, min.z, max.z));
            (point, 0.0)
        }))
    }

    /// The nearest camera that has all balls (centre, radius) in its picture.
    ///
    /// # Errors
    /// As [`Framing::points`], and when a radius is negative.
    pub fn spheres(&self, spheres: &[(DVec3, f64)]) -> Result<Camera, ViewError> {
        self.frame(spheres.iter().copied())
    }

    fn frame(&self, spheres: impl Iterator<Item = (DVec3, f64)>) -> Result<Camera, ViewError> {
        check_finite("looking direction", self.direction.is_finite())?;
        let forward = self.direction.try_normalize().ok_or(ViewError::NoDirection)?;
        if !(0.0..=0.9).contains(&self.margin) {
            return Err(ViewError::Margin { margin: self.margin });
        }
        check_positive("aspect", self.aspect)?;
        let mut camera = Camera {
            position: DVec3::ZERO,
            forward,
            up: natural_up(forward),
            projection: Projection::Perspective { fov_y: self.fov_y },
            aspect: self.aspect,
            near: 1.0,
            far: 2.0,
        };
        camera.validate()?;
        let (half_width, half_height) = camera.half_extents();
        let axes = camera.axes();
        let mut extents = Extents::new(half_width * (1.0 - self.margin), half_height * (1.0 - self.margin));
        for (center, radius) in spheres {
            check_finite("subject", center.is_finite() && radius.is_finite())?;
            if radius < 0.0 {
                return Err(ViewError::NotPositive { what: "subject's radius", value: radius });
            }
            extents.add(axes.transpose() * center, radius);
        }
        let (eye_in_view, near, far) = extents.eye().ok_or(ViewError::NothingToFrame)?;
        camera.position = axes * eye_in_view;
        camera.near = near;
        camera.far = far;
        camera.validate()?;
        Ok(camera)
    }
}

/// How far the subject reaches towards the four slanted sides, in camera axes
/// (x right, y up, z back) whose origin is the world's.
struct Extents {
    half_width: f64,
    half_height: f64,
    right: f64,
    left: f64,
    top: f64,
    bottom: f64,
    /// Towards the eye.
    front: f64,
    /// Away from the eye.
    back: f64,
    empty: bool,
}

impl Extents {
    fn new(half_width: f64, half_height: f64) -> Self {
        let low = f64::NEG_INFINITY;
        Self {
            half_width,
            half_height,
            right: low,
            left: low,
            top: low,
            bottom: low,
            front: low,
            back: f64::INFINITY,
            empty: true,
        }
    }

    fn add(&mut self, center: DVec3, radius: f64) {
        // A side with slope s is the plane x + s z = const; a ball reaches
        // √(1 + s²) radii beyond its centre there.
        let wide = radius * libm::sqrt(1.0 + self.half_width * self.half_width);
        let high = radius * libm::sqrt(1.0 + self.half_height * self.half_height);
        self.right = self.right.max(center.x + self.half_width * center.z + wide);
        self.left = self.left.max(-center.x + self.half_width * center.z + wide);
        self.top = self.top.max(center.y + self.half_height * center.z + high);
        self.bottom = self.bottom.max(-center.y + self.half_height * center.z + high);
        self.front = self.front.max(center.z + radius);
        self.back = self.back.min(center.z - radius);
        self.empty = false;
    }

    /// The eye, and distances for the near and far planes.
    fn eye(&self) -> Option<(DVec3, f64, f64)> {
        if self.empty {
            return None;
        }
        // Opposite sides meet where their sum leaves no room: that is the
        // nearest eye for this pair. The other pair is then centred.
        let for_width = 0.5 * (self.right + self.left) / self.half_width;
        let for_height = 0.5 * (self.top + self.bottom) / self.half_height;
        let size = (self.front - self.back)
            .max(2.0 * (for_width - self.front) * self.half_width)
            .max(2.0 * (for_height - self.front) * self.half_height);
        // A subject without extent (one point, or points in line with the
        // eye) still needs air before the lens.
        let rounding = 1e-9 * self.front.abs().max(self.right.abs()).max(self.top.abs());
        let air = if size > rounding { 0.05 * size } else { 1.0_f64.max(rounding) };
        let z = for_width.max(for_height).max(self.front + air);
        let eye = DVec3::new(0.5 * (self.right - self.left), 0.5 * (self.top - self.bottom), z);
        let near = 0.1 * (z - self.front);
        let far = 1e3 * (z - self.back);
        Some((eye, near, far))
    }
}
