//! What a body does from one event to the next: it flies, or is carried on.

use glam::{DQuat, DVec3};
use proscenium_geometry::Pose;

use crate::rotation::Rotation;
use crate::{Inertia, inertia::Symmetry};

/// Where a body is and how it moves, in terms of its principal frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// The centre of mass.
    pub position: DVec3,
    /// From the principal frame to the world.
    pub orientation: DQuat,
    /// Of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity in the world, rad/s.
    pub spin: DVec3,
}

impl Motion {
    /// At the origin, not moving.
    pub const AT_REST: Self =
        Self { position: DVec3::ZERO, orientation: DQuat::IDENTITY, velocity: DVec3::ZERO, spin: DVec3::ZERO };

    /// The pose of the principal frame.
    pub fn pose(&self) -> Pose {
        Pose::new(self.position, self.orientation)
    }

    /// The velocity of the material point at a place in the world.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.position)
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.orientation.is_finite() && self.velocity.is_finite() && self.spin.is_finite()
    }
}

/// A motion from a start time on, in closed form: a ballistic flight while
/// nothing touches the body, or what a contact makes of it for a while. The
/// centre of mass has a constant acceleration in either case.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    start: f64,
    motion: Motion,
    acceleration: DVec3,
    moments: DVec3,
    angular_momentum: DVec3,
    rotation: Rotation,
    max_spin: f64,
    unevenness: f64,
}

impl Flight {
    /// A flight from a motion at a time, under a constant acceleration.
    pub fn new(start: f64, motion: Motion, inertia: &Inertia, acceleration: DVec3) -> Self {
        let rotation = Rotation::new(motion.orientation, motion.spin, inertia);
        let angular_momentum = inertia.angular_momentum(motion.orientation, motion.spin);
        let max_spin = match inertia.symmetry() {
            Symmetry::None => {
                let least = inertia.moments.min_element();
                let by_energy = (2.0 * inertia.rotational_energy(&motion) / least).sqrt();
                by_energy.min(angular_momentum.length() / least)
            }
            // The spin changes its direction at most.
            Symmetry::Full => motion.spin.length(),
            Symmetry::About(_) => motion.spin.length() * (1.0 + 4.0 * f64::EPSILON),
        };
        let unevenness = inertia.unevenness();
        Self { start, motion, acceleration, moments: inertia.moments, angular_momentum, rotation, max_spin, unevenness }
    }

    /// A steady motion: velocity and spin stay what they are.
    pub fn steady(start: f64, motion: Motion) -> Self {
        Self::ball(start, motion, DVec3::ZERO, DVec3::ZERO, 0.0)
    }

    /// The motion of a ball that slides or rolls: velocity and spin both
    /// change at constant rates, for at most `duration` seconds.
    pub fn ball(start: f64, motion: Motion, acceleration: DVec3, spin_rate: DVec3, duration: f64) -> Self {
        let last = motion.spin + if spin_rate == DVec3::ZERO { DVec3::ZERO } else { duration * spin_rate };
        Self {
            start,
            motion,
            acceleration,
            moments: DVec3::ONE,
            angular_momentum: DVec3::ZERO,
            rotation: Rotation::changing(motion.spin, spin_rate),
            max_spin: motion.spin.length().max(last.length()),
            unevenness: 0.0,
        }
    }

    /// The motion of any body whose velocity and spin both change at constant rates, for
    /// at most `duration` seconds: what joints make of it for a while.
    ///
    /// ```
    /// use proscenium_bodies::{Flight, Motion, glam::DVec3};
    ///
    /// let slowing = Flight::turning(0.0, Motion { spin: DVec3::Y, ..Motion::AT_REST }, DVec3::ZERO, -DVec3::Y, 1.0);
    /// assert_eq!(slowing.at(1.0).spin, DVec3::ZERO);
    /// assert!((slowing.pose(1.0).rotation.to_axis_angle().1 - 0.5).abs() < 1e-15);
    /// ```
    pub fn turning(start: f64, motion: Motion, acceleration: DVec3, spin_rate: DVec3, duration: f64) -> Self {
        let flight = Self::ball(start, motion, acceleration, spin_rate, duration);
        let square = flight.max_spin * flight.max_spin;
        let unevenness = if square > 0.0 { spin_rate.length() / square } else { 0.0 };
        Self { unevenness, ..flight }
    }

    /// A body that stays where it is from a time on.
    pub fn resting(start: f64, pose: &Pose) -> Self {
        let motion = Motion { position: pose.translation, orientation: pose.rotation, ..Motion::AT_REST };
        Self {
            start,
            motion,
            acceleration: DVec3::ZERO,
            moments: DVec3::ONE,
            angular_momentum: DVec3::ZERO,
            rotation: Rotation::Still,
            max_spin: 0.0,
            unevenness: 0.0,
        }
    }

    /// Whether it goes nowhere and does not turn.
    pub fn is_still(&self) -> bool {
        self.motion.velocity == DVec3::ZERO && self.acceleration == DVec3::ZERO && self.rotation == Rotation::Still
    }

    /// When it began.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// The motion at its beginning.
    pub fn initial(&self) -> &Motion {
        &self.motion
    }

    /// The constant acceleration of the centre of mass.
    pub fn acceleration(&self) -> DVec3 {
        self.acceleration
    }

    /// The spin never exceeds this, rad/s.
    pub fn max_spin(&self) -> f64 {
        self.max_spin
    }

    /// A point at unit distance from the centre of mass is never accelerated
    /// by more than this through rotation, 1/s².
    pub fn max_turning(&self) -> f64 {
        self.max_spin * self.max_spin * (1.0 + self.unevenness)
    }

    /// The spin changes by at most this times its square per second.
    pub fn unevenness(&self) -> f64 {
        self.unevenness
    }

    /// The rate of change of the angular velocity, given the orientation.
    pub fn spin_change(&self, orientation: DQuat) -> DVec3 {
        if self.unevenness == 0.0 {
            return DVec3::ZERO;
        }
        if let Rotation::Changing { rate, .. } = &self.rotation {
            return *rate;
        }
        let to_local = orientation.inverse();
        let momentum = to_local * self.angular_momentum;
        orientation * (momentum.cross(momentum / self.moments) / self.moments)
    }

    /// The centre of mass at a time.
    #[inline]
    pub fn position(&self, time: f64) -> DVec3 {
        let dt = time - self.start;
        self.motion.position + dt * (self.motion.velocity + 0.5 * dt * self.acceleration)
    }

    /// The velocity of the centre of mass at a time.
    #[inline]
    pub fn velocity(&self, time: f64) -> DVec3 {
        self.motion.velocity + (time - self.start) * self.acceleration
    }

    /// The pose of the principal frame at a time.
    #[inline]
    pub fn pose(&self, time: f64) -> Pose {
        let rotation = self.rotation.orientation(self.motion.orientation, time - self.start);
        Pose::new(self.position(time), rotation)
    }

    /// The angular velocity at a time, given the orientation then.
    #[inline]
    pub fn spin(&self, time: f64, orientation: DQuat) -> DVec3 {
        match &self.rotation {
            Rotation::Still | Rotation::Steady { .. } => self.motion.spin,
            Rotation::Changing { rate, .. } => self.motion.spin + (time - self.start) * *rate,
            _ => orientation * ((orientation.inverse() * self.angular_momentum) / self.moments),
        }
    }

    /// Everything at a time.
    pub fn at(&self, time: f64) -> Motion {
        let pose = self.pose(time);
        Motion {
            position: pose.translation,
            orientation: pose.rotation.normalize(),
            velocity: self.velocity(time),
            spin: self.spin(time, pose.rotation),
        }
    }
}
