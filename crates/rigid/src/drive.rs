//! Bodies that move as told: where they are follows from the time alone, whatever they meet.
//!
//! A drive is a row of stretches, each in closed form: velocity and spin change at constant
//! rates. A stretch ends with an event of the queue, so that what is predicted about the
//! body is exact, as it is for all others. Functions of time that are no such thing are
//! approached by stretches as short as they need (decision 600).

use std::sync::Arc;

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Flight, Motion};
use proscenium_geometry::{Pose, Shape};

/// A stretch of a drive, from a time until that of the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// When it begins, s.
    pub from: f64,
    /// Of the centre of mass at its beginning, m/s.
    pub velocity: DVec3,
    /// Of the centre of mass, m/s².
    pub acceleration: DVec3,
    /// At its beginning, rad/s.
    pub spin: DVec3,
    /// The rate at which the spin changes, rad/s².
    pub spin_rate: DVec3,
}

impl Stretch {
    fn is_still(&self) -> bool {
        let moving = [self.velocity, self.acceleration, self.spin, self.spin_rate];
        moving.into_iter().all(|part| part == DVec3::ZERO)
    }

    fn is_finite(&self) -> bool {
        let parts = [self.velocity, self.acceleration, self.spin, self.spin_rate];
        self.from.is_finite() && parts.into_iter().all(DVec3::is_finite)
    }
}

/// How a body moves that nothing can push. It begins where the body is placed.
///
/// ```
/// use proscenium_rigid::{BodyDef, Drive, Material, World, geometry::{Pose, Shape}, glam::DVec3};
///
/// // A paddle comes at 2 m/s and meets a ball that lies still, in a world without losses.
/// let mut builder = World::builder();
/// let steel = builder.material(Material::LOSSLESS);
/// let paddle = BodyDef::moving("paddle", Shape::cuboid(DVec3::new(0.1, 0.5, 0.5), 0.0)?, steel);
/// builder.body(paddle.driven(Drive::steady(2.0 * DVec3::X, DVec3::ZERO)));
/// let ball = BodyDef::moving("ball", Shape::sphere(0.1)?, steel).at(Pose::from_translation(1.2 * DVec3::X));
/// let ball = builder.body(ball);
/// let mut world = builder.build()?;
/// world.advance(1.0)?;
/// assert!((world.motion(ball).unwrap().velocity.x - 4.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    stretches: Arc<[Stretch]>,
}

/// Stretches of one drive are as many at most: what needs more is noise.
const MOST_STRETCHES: usize = 200_000;
/// What a function of time does within so long, s, is looked at in a few places only.
/// Chosen: what moves to and fro more often than this is not seen as motion.
const SHORT: f64 = 1.0 / 64.0;
/// A stretch is not made shorter than this, s: what still does not fit jumps.
const SHORTEST: f64 = 1e-9;
/// Rounding of a function of time, as a share of what it comes to and one.
const ROUNDING: f64 = 1e-13;
/// Where a stretch is compared with the function: off the places where it is made to fit.
const PLACES: [f64; 6] = [0.071, 0.187, 0.342, 0.611, 0.789, 0.933];

/// Why a function of time makes no drive.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// It is no number somewhere.
    #[error("where it is at {time} s is not a finite number")]
    NotFinite {
        /// When, s.
        time: f64,
    },
    /// It is in two places at one time.
    #[error("it jumps at {time:.6} s")]
    Jumps {
        /// When, s.
        time: f64,
    },
    /// It never settles to anything that can be followed.
    #[error("it changes its course more than {most} times")]
    TooRough {
        /// The limit.
        most: usize,
    },
    /// The times are no times, or the stretches not in their order.
    #[error("the stretches of a drive must be finite and in the order of time, and the last one steady")]
    Stretches,
    /// What has no centre of mass is not driven.
    #[error("what has no volume cannot be driven")]
    NoVolume,
}

/// Where something is at a time: x, y, z and by how much it is turned, in metres and radians.
type Place = [f64; 4];

impl Drive {
    /// The same velocity of the centre of mass and the same spin for ever.
    #[must_use]
    pub fn steady(velocity: DVec3, spin: DVec3) -> Self {
        let still = DVec3::ZERO;
        let only = Stretch { from: f64::NEG_INFINITY, velocity, acceleration: still, spin, spin_rate: still };
        Self { stretches: [only].into() }
    }

    /// These stretches, one after the other. The first holds before its time, too.
    ///
    /// # Errors
    ///
    /// Stretches that are not finite or not in the order of time, none at all, or a last one
    /// that is not steady: it goes on for ever.
    pub fn new(stretches: Vec<Stretch>) -> Result<Self, DriveError> {
        let in_order = stretches.windows(2).all(|both| both[0].from < both[1].from);
        let ends =
            stretches.last().is_some_and(|last| last.acceleration == DVec3::ZERO && last.spin_rate == DVec3::ZERO);
        if !(in_order && ends && stretches.iter().all(Stretch::is_finite)) {
            return Err(DriveError::Stretches);
        }
        Ok(Self { stretches: stretches.into() })
    }

    /// Follows functions of time from one time to another, and goes on steadily after: where
    /// the origin of a shape is, and by how many radians it is turned about an axis of the
    /// world through it, against a beginning (`start`) at which the body is placed in its
    /// pose. What is a parabola in time and turns about the centre of mass is followed
    /// exactly, everything else to within `precision` metres.
    ///
    /// # Errors
    ///
    /// What is no number, jumps, or changes too often.
    pub fn along(
        shape: &Shape,
        pose: &Pose,
        axis: DVec3,
        [start, until]: [f64; 2],
        precision: f64,
        course: impl Fn(f64) -> (DVec3, f64),
    ) -> Result<Self, DriveError> {
        let properties = shape.mass_properties(1.0).ok_or(DriveError::NoVolume)?.map_err(|_| DriveError::NoVolume)?;
        let arm = pose.rotation * properties.shape_from_principal.translation;
        let first = course(start).1;
        let centre = |time: f64| {
            let (place, angle) = course(time);
            let turned = Flight::turning(
                0.0,
                Motion { spin: (angle - first) * axis, ..Motion::AT_REST },
                DVec3::ZERO,
                DVec3::ZERO,
                1.0,
            );
            let [x, y, z] = (place + turned.pose(1.0).rotation * arm).to_array();
            [x, y, z, angle]
        };
        let mut fit = Fit {
            centre: &centre,
            precision: [precision, precision, precision, precision / reach(shape)],
            axis,
            stretches: Vec::new(),
        };
        fit.follow(start, until)?;
        let mut stretches = fit.stretches;
        if let Some(last) = stretches.last().copied() {
            let time = until - last.from;
            stretches.push(Stretch {
                from: until,
                velocity: last.velocity + time * last.acceleration,
                acceleration: DVec3::ZERO,
                spin: last.spin + time * last.spin_rate,
                spin_rate: DVec3::ZERO,
            });
        }
        Self::new(stretches)
    }

    /// The stretches, in the order of time.
    #[must_use]
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// The flight from a motion at a time, and when it ends.
    pub(crate) fn flight(&self, now: f64, at: Motion) -> (Flight, f64) {
        let next = self.stretches.partition_point(|stretch| stretch.from <= now).max(1);
        let stretch = &self.stretches[next - 1];
        let ends = self.next_after(now);
        let ago = if stretch.from.is_finite() { (now - stretch.from).max(0.0) } else { 0.0 };
        let motion = Motion {
            velocity: stretch.velocity + ago * stretch.acceleration,
            spin: stretch.spin + ago * stretch.spin_rate,
            ..at
        };
        if stretch.is_still() {
            return (Flight::resting(now, &motion.pose()), ends);
        }
        // The last one is steady.
        let duration = if ends.is_finite() { ends - now } else { 0.0 };
        (Flight::turning(now, motion, stretch.acceleration, stretch.spin_rate, duration), ends)
    }

    /// When the next stretch begins after a time, or never.
    pub(crate) fn next_after(&self, now: f64) -> f64 {
        let next = self.stretches.partition_point(|stretch| stretch.from <= now).max(1);
        self.stretches.get(next).map_or(f64::INFINITY, |stretch| stretch.from)
    }

    /// Whether it goes nowhere from one time to another.
    pub(crate) fn is_still(&self, from: f64, until: f64) -> bool {
        let first = self.stretches.partition_point(|stretch| stretch.from <= from).max(1) - 1;
        let within = self.stretches[first..].iter().enumerate();
        within.take_while(|(k, stretch)| *k == 0 || stretch.from <= until).all(|(_, stretch)| stretch.is_still())
    }
}

/// How far a shape reaches from the origin: what a turn by an angle moves at most.
fn reach(shape: &Shape) -> f64 {
    let bounds = shape.bounds(&Pose::IDENTITY);
    bounds.min.abs().max(bounds.max.abs()).length().max(1e-3)
}

/// Stretches that follow a function of time.
struct Fit<'f> {
    centre: &'f dyn Fn(f64) -> Place,
    precision: Place,
    axis: DVec3,
    stretches: Vec<Stretch>,
}

impl Fit<'_> {
    fn at(&self, time: f64) -> Result<Place, DriveError> {
        let place = (self.centre)(time);
        if place.iter().all(|part| part.is_finite()) { Ok(place) } else { Err(DriveError::NotFinite { time }) }
    }

    /// Halves what does not fit until it does, from the left to the right.
    fn follow(&mut self, start: f64, until: f64) -> Result<(), DriveError> {
        let mut left = vec![(start, until)];
        while let Some((from, to)) = left.pop() {
            if self.parabola(from, to)? || (to - from <= SHORT && self.two_parabolas(from, to)?) {
                if self.stretches.len() > MOST_STRETCHES {
                    return Err(DriveError::TooRough { most: MOST_STRETCHES });
                }
                continue;
            }
            let middle = 0.5 * (from + to);
            if to - from < SHORTEST || middle <= from || middle >= to {
                return Err(DriveError::Jumps { time: from });
            }
            left.extend([(middle, to), (from, middle)]);
        }
        Ok(())
    }

    /// One stretch, if the function is a parabola but for rounding.
    fn parabola(&mut self, from: f64, to: f64) -> Result<bool, DriveError> {
        let (span, middle) = (to - from, 0.5 * (from + to));
        let (p, q, r) = (self.at(from)?, self.at(middle)?, self.at(to)?);
        let size: [f64; 4] = std::array::from_fn(|k| 1.0 + p[k].abs().max(q[k].abs()).max(r[k].abs()));
        let twice: [f64; 4] = std::array::from_fn(|k| {
            let bend = p[k] - 2.0 * q[k] + r[k];
            // What bends by less than rounding is straight.
            if bend.abs() < ROUNDING * size[k] { 0.0 } else { 4.0 * bend / (span * span) }
        });
        let speed: [f64; 4] = std::array::from_fn(|k| {
            let way = r[k] - p[k];
            let way = if way.abs() < ROUNDING * size[k] { 0.0 } else { way };
            way / span - 0.5 * span * twice[k]
        });
        // A long stretch is looked at in many places.
        let parts = (span / SHORT).clamp(1.0, 64.0) as u32;
        for part in 0..parts {
            for share in PLACES {
                let ago = span * (f64::from(part) + share) / f64::from(parts);
                let is = self.at(from + ago)?;
                let fits = |k: usize| {
                    (p[k] + ago * (speed[k] + 0.5 * ago * twice[k]) - is[k]).abs() < 20.0 * ROUNDING * size[k]
                };
                if !(0..4).all(fits) {
                    return Ok(false);
                }
            }
        }
        self.push(from, speed, twice);
        Ok(true)
    }

    /// Two stretches with the speeds that the function has at both ends, and with no leap of
    /// speed between them, if that is near enough.
    fn two_parabolas(&mut self, from: f64, to: f64) -> Result<bool, DriveError> {
        let (half, middle) = (0.5 * (to - from), 0.5 * (from + to));
        let (p, r) = (self.at(from)?, self.at(to)?);
        let (u, w) = (self.speed(from, half, 1.0)?, self.speed(to, half, -1.0)?);
        let v: [f64; 4] = std::array::from_fn(|k| (r[k] - p[k]) / half - 0.5 * (u[k] + w[k]));
        let (first, second): ([f64; 4], [f64; 4]) =
            (std::array::from_fn(|k| (v[k] - u[k]) / half), std::array::from_fn(|k| (w[k] - v[k]) / half));
        for share in PLACES.into_iter().chain([0.5]) {
            let ago = 2.0 * half * share;
            let is = self.at(from + ago)?;
            let fits = |k: usize| {
                let late = (ago - half).max(0.0);
                let early = ago - late;
                let at = p[k] + early * (u[k] + 0.5 * early * first[k]) + late * (v[k] + 0.5 * late * second[k]);
                (at - is[k]).abs() < self.precision[k]
            };
            if !(0..4).all(fits) {
                return Ok(false);
            }
        }
        self.push(from, u, first);
        self.push(middle, v, second);
        Ok(true)
    }

    /// The speed of the function at a time, from what lies on one side of it: at a corner the
    /// two sides differ.
    fn speed(&self, time: f64, half: f64, side: f64) -> Result<Place, DriveError> {
        let step = side * (half / 8.0).min(1e-4);
        let (a, b, c) = (self.at(time)?, self.at(time + step)?, self.at(time + 2.0 * step)?);
        let (d, e) = (self.at(time + 3.0 * step)?, self.at(time + 4.0 * step)?);
        // Five places, of fourth order.
        Ok(std::array::from_fn(|k| {
            (-25.0 * a[k] + 48.0 * b[k] - 36.0 * c[k] + 16.0 * d[k] - 3.0 * e[k]) / (12.0 * step)
        }))
    }

    fn push(&mut self, from: f64, speed: Place, twice: Place) {
        self.stretches.push(Stretch {
            from,
            velocity: DVec3::new(speed[0], speed[1], speed[2]),
            acceleration: DVec3::new(twice[0], twice[1], twice[2]),
            spin: speed[3] * self.axis,
            spin_rate: twice[3] * self.axis,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(until: f64, course: impl Fn(f64) -> (DVec3, f64)) -> Result<Drive, DriveError> {
        let shape = Shape::cuboid(DVec3::splat(0.1), 0.0).unwrap();
        Drive::along(&shape, &Pose::IDENTITY, DVec3::Z, [0.0, until], 1e-6, course)
    }

    /// Where a drive has led to, and by how much it has turned, stretch by stretch.
    fn place(drive: &Drive, start: DVec3, time: f64) -> (DVec3, f64) {
        let (mut place, mut angle) = (start, 0.0);
        let stretches = drive.stretches();
        for (k, stretch) in stretches.iter().enumerate() {
            let ends = stretches.get(k + 1).map_or(f64::INFINITY, |next| next.from).min(time);
            let span = (ends - stretch.from).max(0.0);
            place += span * (stretch.velocity + 0.5 * span * stretch.acceleration);
            angle += span * (stretch.spin + 0.5 * span * stretch.spin_rate).z;
        }
        (place, angle)
    }

    #[test]
    fn parabolas_are_one_stretch() {
        let drive = follow(4.0, |t| (DVec3::new(0.3 * t, 1.0 - 0.7 * t * t, 2.0), 3.0 * t)).unwrap();
        assert_eq!(drive.stretches().len(), 2, "{drive:?}");
        let first = drive.stretches()[0];
        assert!(first.velocity.abs_diff_eq(DVec3::new(0.3, 0.0, 0.0), 1e-12), "{first:?}");
        assert!(first.acceleration.abs_diff_eq(DVec3::new(0.0, -1.4, 0.0), 1e-12), "{first:?}");
        assert!(first.spin.abs_diff_eq(3.0 * DVec3::Z, 1e-12) && first.spin_rate == DVec3::ZERO);
        let still = follow(4.0, |_| (DVec3::Y, 0.5)).unwrap();
        assert!(still.is_still(0.0, 10.0));
        assert!(!drive.is_still(0.0, 1.0));
    }

    #[test]
    fn what_swings_is_followed_to_a_micrometre() {
        let course = |t: f64| (DVec3::new(0.1 * libm::sin(9.0 * t), 0.0, 0.0), 0.8 * libm::cos(5.0 * t));
        let drive = follow(3.0, course).unwrap();
        assert!(drive.stretches().len() < 2000, "{}", drive.stretches().len());
        for k in 0..300 {
            let time = 0.01 * f64::from(k);
            let ((x, angle), (is, turned)) = (place(&drive, DVec3::ZERO, time), course(time));
            assert!((x - is).length() < 2e-6, "{time}: {x} {is}");
            assert!((angle - (turned - 0.8)).abs() < 2e-5, "{time}: {angle} {turned}");
        }
    }

    #[test]
    fn corners_are_met_and_jumps_are_told() {
        let drive = follow(2.0, |t| (DVec3::new(t.min(0.7), 0.0, 0.0), 0.0)).unwrap();
        assert!((place(&drive, DVec3::ZERO, 2.0).0.x - 0.7).abs() < 2e-6);
        assert!(drive.is_still(0.8, 5.0));
        let jump = follow(2.0, |t| (DVec3::new(if t > 0.7 { 1.0 } else { 0.0 }, 0.0, 0.0), 0.0));
        assert!(matches!(jump, Err(DriveError::Jumps { time }) if (time - 0.7).abs() < 1e-6), "{jump:?}");
        let none = follow(2.0, |t| (DVec3::new((0.5 - t).sqrt(), 0.0, 0.0), 0.0));
        assert!(matches!(none, Err(DriveError::NotFinite { .. })), "{none:?}");
    }

    #[test]
    fn stretches_out_of_order_are_refused() {
        let one = |from: f64, acceleration: DVec3| Stretch {
            from,
            velocity: DVec3::X,
            acceleration,
            spin: DVec3::ZERO,
            spin_rate: DVec3::ZERO,
        };
        assert!(Drive::new(vec![one(0.0, DVec3::Y), one(1.0, DVec3::ZERO)]).is_ok());
        for wrong in [vec![], vec![one(0.0, DVec3::Y)], vec![one(1.0, DVec3::ZERO), one(0.0, DVec3::ZERO)]] {
            assert_eq!(Drive::new(wrong), Err(DriveError::Stretches));
        }
    }
}
