//! Surfaces that are not the same everywhere, or every time: an oiled lane, a sticky spot, a
//! table that is never quite level where a ball hits it.

use std::collections::BTreeMap;
use std::sync::Arc;

use proscenium_bodies::glam::{DQuat, DVec3};
use proscenium_bodies::{Material, PairSurface};

use proscenium_geometry::HeightField;

use crate::body::MaterialId;

/// The farthest that a normal leans, radians (80 degrees): beyond that a blow would hardly
/// part two bodies.
const STEEPEST: f64 = 80.0 * std::f64::consts::PI / 180.0;

/// What is other about one collision of two bodies than their materials and shapes say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CollisionChange {
    /// By how much the normal leans, radians, at most 80 degrees. For a normal straight up
    /// the first number is towards +x and the second towards +z; for others these directions
    /// turn with it, on the shortest way.
    pub lean: [f64; 2],
    /// The share of the speed that the bounce keeps.
    pub restitution: Option<f64>,
    /// Coulomb's coefficient.
    pub friction: Option<f64>,
}

impl CollisionChange {
    pub(crate) fn surface(&self, surface: PairSurface) -> PairSurface {
        let restitution = self.restitution.unwrap_or(surface.restitution);
        PairSurface { restitution, friction: self.friction.unwrap_or(surface.friction), ..surface }
    }

    /// A normal that leans.
    pub(crate) fn normal(&self, normal: DVec3) -> DVec3 {
        let [towards_x, towards_z] = self.lean;
        let angle = libm::hypot(towards_x, towards_z);
        if angle == 0.0 {
            return normal;
        }
        let turn = DQuat::from_rotation_arc(DVec3::Y, normal);
        let across = turn * (DVec3::new(towards_x, 0.0, towards_z) / angle);
        let angle = angle.min(STEEPEST);
        (libm::cos(angle) * normal + libm::sin(angle) * across).normalize()
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.lean.iter().all(|lean| lean.is_finite())
    }
}

/// Friction and restitution that change over a surface: splines over the x and z of a
/// body's shape, whose heights are the values. They stand in place of the material's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceSplines {
    /// Coulomb's coefficient.
    pub friction: Option<HeightField>,
    /// The share of the speed that a bounce keeps.
    pub restitution: Option<HeightField>,
}

impl SurfaceSplines {
    /// A material at a place of the shape.
    pub(crate) fn at(&self, place: DVec3, material: Material) -> Material {
        let value = |spline: &Option<HeightField>, own: f64| {
            spline.as_ref().map_or(own, |spline| spline.height(place.x, place.z).max(0.0))
        };
        let restitution = value(&self.restitution, material.restitution).min(1.0);
        Material { friction: value(&self.friction, material.friction), restitution, ..material }
    }

    /// Whether all values can be: what lies between control points is between their values.
    pub(crate) fn are_possible(&self) -> bool {
        let lowest = |spline: &HeightField| spline.height_range().0 >= 0.0;
        self.friction.as_ref().is_none_or(lowest)
            && self.restitution.as_ref().is_none_or(|spline| lowest(spline) && spline.height_range().1 <= 1.0)
    }
}

/// Two bodies by their numbers, the lower first.
pub(crate) type BodyPair = (u32, u32);

/// The collisions that are other than their materials say, by the bodies and by how many
/// there were before.
#[derive(Clone, Debug, Default)]
pub(crate) struct CollisionChanges {
    /// With whether the normal is meant from the lower number to the higher.
    pub given: BTreeMap<BodyPair, (bool, Arc<[CollisionChange]>)>,
    /// How many collisions there were, of those pairs.
    pub counts: BTreeMap<BodyPair, u32>,
}

impl CollisionChanges {
    /// What is other about the next collision of two, and whether the normal is meant from
    /// the lower number to the higher.
    pub(crate) fn next(&self, a: u32, b: u32) -> Option<(bool, CollisionChange)> {
        let pair = (a.min(b), a.max(b));
        let (upwards, all) = self.given.get(&pair)?;
        let count = self.counts.get(&pair).copied().unwrap_or(0);
        all.get(count as usize).map(|change| (*upwards, *change))
    }

    /// Counts a collision.
    pub(crate) fn note(&mut self, a: u32, b: u32) {
        let pair = (a.min(b), a.max(b));
        if self.given.contains_key(&pair) {
            *self.counts.entry(pair).or_default() += 1;
        }
    }
}

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
