//! Surfaces that are not the same everywhere: an oiled lane, a sticky spot.

use proscenium_bodies::glam::DVec3;

use crate::body::MaterialId;

/// A part of space, in the frame of the shape it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// Between two corners.
    Box {
        /// The least coordinates.
        min: DVec3,
        /// The greatest.
        max: DVec3,
    },
    /// Within a distance of a point.
    Ball {
        /// The point.
        center: DVec3,
        /// The distance, metres.
        radius: f64,
    },
}

/// A part of a body's surface that is of another material: where it touches
/// something inside the region, that material's friction, restitution and
/// rolling resistance hold. Its density means nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// Where.
    pub region: Region,
    /// What it is made of there.
    pub material: MaterialId,
}

impl Region {
    /// Whether a point of the shape's frame lies inside.
    ///
    /// ```
    /// use proscenium_rigid::{Region, glam::DVec3};
    ///
    /// let spot = Region::Ball { center: DVec3::X, radius: 0.5 };
    /// assert!(spot.contains(DVec3::new(1.3, 0.0, 0.3)));
    /// assert!(!spot.contains(DVec3::ZERO));
    /// ```
    pub fn contains(&self, point: DVec3) -> bool {
        match self {
            Self::Box { min, max } => point.cmpge(*min).all() && point.cmple(*max).all(),
            Self::Ball { center, radius } => point.distance_squared(*center) <= radius * radius,
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        match self {
            // A box may be open to any side.
            Self::Box { min, max } => !(min.is_nan() || max.is_nan()),
            Self::Ball { center, radius } => center.is_finite() && radius.is_finite(),
        }
    }
}
