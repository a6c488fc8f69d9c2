//! Axis-aligned boxes.

use glam::DVec3;

/// An axis-aligned box; sides may be at infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest coordinates.
    pub min: DVec3,
    /// The largest coordinates.
    pub max: DVec3,
}

impl Bounds {
    /// The box that contains nothing, and grows by [`Bounds::merge`].
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
    /// The box that contains everything.
    pub const EVERYTHING: Self = Self { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// The smallest box around some points.
    pub fn from_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The box around a sphere.
    pub fn around_sphere(center: DVec3, radius: f64) -> Self {
        Self { min: center - radius, max: center + radius }
    }

    /// The smallest box around both.
    #[must_use]
    pub fn merge(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box grown on every side.
    #[must_use]
    pub fn grow(&self, margin: f64) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// Whether the two share a point; touching counts.
    pub fn intersects(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether `other` lies inside this box.
    pub fn contains(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// Whether the point lies inside; the surface counts.
    pub fn contains_point(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// The middle of the box.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// The edge lengths of the box.
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }

    pub(crate) fn to_parry(self) -> parry3d_f64::bounding_volume::Aabb {
        parry3d_f64::bounding_volume::Aabb::new(self.min, self.max)
    }
}
