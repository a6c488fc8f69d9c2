//! Mass and moments, as the equations of motion want them.

use glam::{DMat3, DQuat, DVec3};
use proscenium_geometry::MassProperties;

use crate::Motion;

/// Moments closer than this, relatively, count as equal: a meshed ball then
/// turns as a ball does.
const SAME_MOMENT: f64 = 1e-5;

/// The resistance of a body to forces and torques, in its principal frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Kilograms.
    pub mass: f64,
    /// Moments about the principal axes, kg m².
    pub moments: DVec3,
}

/// Which moments are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symmetry {
    /// All three.
    Full,
    /// The two across this axis.
    About(usize),
    /// None.
    None,
}

impl Inertia {
    /// From mass properties, with nearly equal moments made equal.
    pub fn new(properties: &MassProperties) -> Self {
        let mut moments = properties.principal_inertia;
        for axis in 0..3 {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            if (moments[i] - moments[j]).abs() <= SAME_MOMENT * moments[i].max(moments[j]) {
                let mean = 0.5 * (moments[i] + moments[j]);
                (moments[i], moments[j]) = (mean, mean);
            }
        }
        let spread = moments.max_element() - moments.min_element();
        if spread <= SAME_MOMENT * moments.max_element() {
            moments = DVec3::splat(moments.element_sum() / 3.0);
        }
        Self { mass: properties.mass, moments }
    }

    pub(crate) fn symmetry(&self) -> Symmetry {
        let m = self.moments;
        if m.x == m.y && m.y == m.z {
            Symmetry::Full
        } else if m.y == m.z {
            Symmetry::About(0)
        } else if m.z == m.x {
            Symmetry::About(1)
        } else if m.x == m.y {
            Symmetry::About(2)
        } else {
            Symmetry::None
        }
    }

    /// Without torque the spin changes by at most this times its square per
    /// second: Euler's equations, with the sum of the squares of three products
    /// of two components of a unit vector, which is at most a third.
    pub(crate) fn unevenness(&self) -> f64 {
        let m = self.moments;
        let ratios = [(m.y - m.z) / m.x, (m.z - m.x) / m.y, (m.x - m.y) / m.z];
        ratios.into_iter().map(f64::abs).fold(0.0, f64::max) / 3f64.sqrt()
    }

    /// Angular momentum about the centre of mass, in the world.
    pub fn angular_momentum(&self, orientation: DQuat, spin: DVec3) -> DVec3 {
        orientation * (self.moments * (orientation.inverse() * spin))
    }

    /// The angular velocity that has this angular momentum.
    pub fn spin(&self, orientation: DQuat, angular_momentum: DVec3) -> DVec3 {
        orientation * ((orientation.inverse() * angular_momentum) / self.moments)
    }

    /// The inverse of the inertia tensor, in the world.
    pub fn inverse_tensor(&self, orientation: DQuat) -> DMat3 {
        let axes = DMat3::from_quat(orientation);
        let scaled =
            DMat3::from_cols(axes.x_axis / self.moments.x, axes.y_axis / self.moments.y, axes.z_axis / self.moments.z);
        scaled * axes.transpose()
    }

    /// The energy of rotation, joules.
    pub fn rotational_energy(&self, motion: &Motion) -> f64 {
        let local = motion.orientation.inverse() * motion.spin;
        0.5 * (self.moments * local).dot(local)
    }

    /// The energy of motion, joules.
    pub fn kinetic_energy(&self, motion: &Motion) -> f64 {
        0.5 * self.mass * motion.velocity.length_squared() + self.rotational_energy(motion)
    }
}
