//! The volumes that nodes are made of: a core of up to three half axes about
//! a centre, and everything within a radius of it.

use std::f64::consts::PI;

use glam::DVec3;
use proscenium_geometry::Pose;
use serde::{Deserialize, Serialize};

/// What kind of volume a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// A sphere: a point, swept.
    Sphere,
    /// A capsule: a line, swept by a sphere.
    Line,
    /// A rectangle, swept by a sphere.
    Rectangle,
    /// A box, of which a voxel is one.
    Box,
}

impl Kind {
    /// All of them, in the order of the table of pairs.
    pub const ALL: [Self; 4] = [Self::Sphere, Self::Line, Self::Rectangle, Self::Box];

    /// How many half axes its core has.
    pub(crate) const fn axes(self) -> usize {
        self as usize
    }

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Line => "line",
            Self::Rectangle => "rectangle",
            Self::Box => "box",
        }
    }
}

/// A bounding volume: all points within `radius` of
/// `center + Σ tᵢ axisᵢ`, each tᵢ from −1 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Volume {
    /// What it is.
    pub kind: Kind,
    /// Its middle, metres.
    pub center: DVec3,
    /// Half axes of the core, at right angles; those that the kind does not
    /// have are zero.
    pub axes: [DVec3; 3],
    /// How far it reaches beyond its core, metres; zero for a box.
    pub radius: f64,
}

impl Volume {
    /// A sphere.
    pub const fn sphere(center: DVec3, radius: f64) -> Self {
        Self { kind: Kind::Sphere, center, axes: [DVec3::ZERO; 3], radius }
    }

    /// A capsule about a line between two points.
    pub fn line(from: DVec3, to: DVec3, radius: f64) -> Self {
        let axes = [0.5 * (to - from), DVec3::ZERO, DVec3::ZERO];
        Self { kind: Kind::Line, center: 0.5 * (from + to), axes, radius }
    }

    /// A rectangle with half axes at right angles, swept by a sphere.
    pub const fn rectangle(center: DVec3, axes: [DVec3; 2], radius: f64) -> Self {
        Self { kind: Kind::Rectangle, center, axes: [axes[0], axes[1], DVec3::ZERO], radius }
    }

    /// A box with half axes at right angles.
    pub const fn cuboid(center: DVec3, axes: [DVec3; 3]) -> Self {
        Self { kind: Kind::Box, center, axes, radius: 0.0 }
    }

    /// The half axes that the kind has.
    pub(crate) fn core(&self) -> &[DVec3] {
        &self.axes[..self.kind.axes()]
    }

    /// The radius of the sphere about the centre that holds all of it.
    pub fn reach(&self) -> f64 {
        let squared: f64 = self.core().iter().map(|axis| axis.length_squared()).sum();
        self.radius + squared.sqrt()
    }

    /// How far it extends from its centre along a unit direction.
    pub(crate) fn extent(&self, direction: DVec3) -> f64 {
        self.radius + self.core().iter().map(|axis| axis.dot(direction).abs()).sum::<f64>()
    }

    /// The distance of a point from the core.
    pub(crate) fn core_distance(&self, point: DVec3) -> f64 {
        point.distance(self.nearest_of_core(point))
    }

    /// The point of the core that is nearest to a point.
    pub(crate) fn nearest_of_core(&self, point: DVec3) -> DVec3 {
        let offset = point - self.center;
        self.core().iter().fold(self.center, |nearest, axis| {
            let squared = axis.length_squared();
            let along = if squared > 0.0 { (offset.dot(*axis) / squared).clamp(-1.0, 1.0) } else { 0.0 };
            nearest + along * *axis
        })
    }

    /// Whether a point lies in it; the surface counts.
    pub fn contains(&self, point: DVec3) -> bool {
        self.core_distance(point) <= self.radius * (1.0 + 1e-12) + 1e-12 * self.reach()
    }

    /// Cubic metres.
    pub fn size(&self) -> f64 {
        let half = self.axes.map(DVec3::length);
        let r = self.radius;
        let ball = 4.0 / 3.0 * PI * r * r * r;
        match self.kind {
            Kind::Sphere => ball,
            Kind::Line => ball + PI * r * r * 2.0 * half[0],
            Kind::Rectangle => ball + 2.0 * PI * r * r * (half[0] + half[1]) + 8.0 * half[0] * half[1] * r,
            Kind::Box => 8.0 * half[0] * half[1] * half[2],
        }
    }

    /// The same volume in another frame.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Self {
        let mut placed = Self { center: pose.transform_point(self.center), ..*self };
        for axis in &mut placed.axes[..self.kind.axes()] {
            *axis = pose.rotation * *axis;
        }
        placed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;

    #[test]
    fn sizes_agree_with_counting_points() {
        let volumes = [
            Volume::sphere(DVec3::X, 0.8),
            Volume::line(DVec3::ZERO, DVec3::new(1.0, 0.5, 0.0), 0.4),
            Volume::rectangle(DVec3::Y, [DVec3::new(0.6, 0.6, 0.0), DVec3::new(-0.2, 0.2, 0.0)], 0.3),
            Volume::cuboid(DVec3::ZERO, [0.5 * DVec3::X, 0.3 * DVec3::Y, 0.9 * DVec3::Z]),
        ];
        for volume in volumes {
            let mut stream = Seed(1).stream(volume.kind.name());
            let reach = volume.reach();
            let inside = (0..100_000).filter(|_| {
                let offset = DVec3::new(stream.uniform(), stream.uniform(), stream.uniform()) * 2.0 - 1.0;
                volume.contains(volume.center + reach * offset)
            });
            let counted = inside.count() as f64 / 1e5 * 8.0 * reach * reach * reach;
            // Four standard errors of the count.
            assert!((counted / volume.size() - 1.0).abs() < 0.06, "{:?}", volume.kind);
        }
    }
}
