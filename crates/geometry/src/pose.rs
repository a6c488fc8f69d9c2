//! A place and an orientation.

use glam::{DQuat, DVec3};

/// A rigid transformation: rotate, then translate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Where the local origin goes.
    pub translation: DVec3,
    /// A unit quaternion.
    pub rotation: DQuat,
}

impl Pose {
    /// The pose that changes nothing.
    pub const IDENTITY: Self = Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A pose from its two parts.
    pub const fn new(translation: DVec3, rotation: DQuat) -> Self {
        Self { translation, rotation }
    }

    /// A pose that only translates.
    pub const fn from_translation(translation: DVec3) -> Self {
        Self { translation, rotation: DQuat::IDENTITY }
    }

    /// Where a local point goes.
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Which local point comes to this place.
    pub fn inverse_transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation.inverse() * (point - self.translation)
    }

    /// The pose that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self { translation: -(rotation * self.translation), rotation }
    }

    /// Whether every number is finite and the rotation is a unit quaternion.
    pub fn is_valid(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && (self.rotation.length_squared() - 1.0).abs() < 1e-6
    }

    pub(crate) fn to_parry(self) -> parry3d_f64::math::Pose {
        parry3d_f64::math::Pose { rotation: self.rotation, translation: self.translation }
    }
}

impl std::ops::Mul for Pose {
    type Output = Pose;

    /// First `inner`, then `self`.
    fn mul(self, inner: Pose) -> Pose {
        Pose { translation: self.transform_point(inner.translation), rotation: self.rotation * inner.rotation }
    }
}
