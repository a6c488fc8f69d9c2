//! Collision impulses: Coulomb friction, energetic restitution.
//!
//! The normal impulse grows from nothing while the relative velocity changes
//! in proportion (Routh, Keller, Mirtich): sliding friction opposes the
//! sliding at every instant, sticking happens when and only when the friction
//! cone allows, and restitution gives back a share of the work done in
//! compression (Stronge), so that no collision adds energy.

use glam::{DMat3, DVec3};

use crate::{Inertia, Motion, PairSurface};

/// One body in a collision.
#[derive(Clone, Copy, Debug)]
pub struct CollidingBody<'a> {
    /// How it moves; changed by the collision.
    pub motion: Motion,
    /// Its inertia; `None` for a body that nothing can move.
    pub inertia: Option<&'a Inertia>,
}

/// Where and how two bodies meet.
#[derive(Clone, Copy, Debug)]
pub struct Encounter {
    /// The common point.
    pub point: DVec3,
    /// Unit vector from the first body to the second.
    pub normal: DVec3,
    /// Friction and restitution there.
    pub surface: PairSurface,
}

/// Resolves a collision and returns the impulse on the second body, or `None`
/// if the bodies do not approach each other.
///
/// ```
/// use proscenium_bodies::{CollidingBody, Encounter, Inertia, Material, Motion, collide, glam::DVec3};
///
/// let inertia = Inertia { mass: 2.0, moments: DVec3::ONE };
/// let mut left = CollidingBody { motion: Motion { velocity: DVec3::X, ..Motion::AT_REST }, inertia: Some(&inertia) };
/// let mut right = CollidingBody { motion: Motion { position: DVec3::X, ..Motion::AT_REST }, inertia: Some(&inertia) };
/// let meeting = Encounter { point: 0.5 * DVec3::X, normal: DVec3::X, surface: Material::LOSSLESS.surface() };
/// collide(&mut left, &mut right, &meeting);
/// assert_eq!((left.motion.velocity, right.motion.velocity), (DVec3::ZERO, DVec3::X));
/// ```
pub fn collide(a: &mut CollidingBody<'_>, b: &mut CollidingBody<'_>, meeting: &Encounter) -> Option<DVec3> {
    let relative = b.motion.velocity_at(meeting.point) - a.motion.velocity_at(meeting.point);
    let response = a.response(meeting.point) + b.response(meeting.point);
    let impulse = impulse_between(&response, relative, meeting.normal, &meeting.surface)?;
    push_apart(a, b, meeting.point, impulse);
    Some(impulse)
}

/// The impulse on the second of two things that meet, however they are held: given how fast the
/// second moves against the first at their common point, and how much an impulse there changes
/// that; `None` if they do not approach each other along the normal.
pub fn impulse_between(response: &DMat3, relative: DVec3, normal: DVec3, surface: &PairSurface) -> Option<DVec3> {
    let approach = relative.dot(normal);
    if approach >= 0.0 || approach.is_nan() {
        return None;
    }
    Some(if surface.friction == 0.0 {
        -(1.0 + surface.restitution) * approach / normal.dot(*response * normal) * normal
    } else {
        let rough = rough_impulse(response, relative, normal, surface);
        without_gain(response, relative, rough)
    })
}

/// Pushes two bodies apart along the normal, so that they part at this speed
/// at least, and returns the impulse on the second.
pub fn part(a: &mut CollidingBody<'_>, b: &mut CollidingBody<'_>, meeting: &Encounter, speed: f64) -> DVec3 {
    let n = meeting.normal;
    let relative = b.motion.velocity_at(meeting.point) - a.motion.velocity_at(meeting.point);
    let response = n.dot((a.response(meeting.point) + b.response(meeting.point)) * n);
    let parting = relative.dot(n);
    if parting >= speed || response <= 0.0 {
        return DVec3::ZERO;
    }
    let impulse = (speed - parting) / response * n;
    push_apart(a, b, meeting.point, impulse);
    impulse
}

/// Pushes two bodies apart: the second by the impulse, the first against it.
fn push_apart(a: &mut CollidingBody<'_>, b: &mut CollidingBody<'_>, point: DVec3, impulse: DVec3) {
    a.push(point, -impulse);
    b.push(point, impulse);
}

impl CollidingBody<'_> {
    /// The change of velocity at a point per impulse at that point.
    fn response(&self, point: DVec3) -> DMat3 {
        let Some(inertia) = self.inertia else {
            return DMat3::ZERO;
        };
        let arm = cross_matrix(point - self.motion.position);
        let turning = arm * inertia.inverse_tensor(self.motion.orientation) * arm;
        DMat3::from_diagonal(DVec3::splat(1.0 / inertia.mass)) - turning
    }

    fn push(&mut self, point: DVec3, impulse: DVec3) {
        let Some(inertia) = self.inertia else {
            return;
        };
        let turning = (point - self.motion.position).cross(impulse);
        self.motion.velocity += impulse / inertia.mass;
        self.motion.spin += inertia.inverse_tensor(self.motion.orientation) * turning;
    }
}

fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

/// Scales an impulse back to where it adds no energy. The steps below lose at
/// least what they should only up to their own error.
fn without_gain(response: &DMat3, relative: DVec3, impulse: DVec3) -> DVec3 {
    let gained = impulse.dot(relative) + 0.5 * impulse.dot(*response * impulse);
    if gained <= 0.0 {
        return impulse;
    }
    impulse * (-2.0 * impulse.dot(relative) / impulse.dot(*response * impulse)).clamp(0.0, 1.0)
}

/// The course of a collision with friction, as the normal impulse grows.
struct Course<'a> {
    response: &'a DMat3,
    n: DVec3,
    friction: f64,
    /// The relative velocity now, and the impulse so far.
    velocity: DVec3,
    impulse: DVec3,
    /// Work of the normal impulse so far, and what ends the collision.
    work: f64,
    work_at_end: Option<f64>,
    give_back: f64,
}

/// Steps of the sliding phase, at most; far more than any collision takes.
const SLIDING_STEPS: u32 = 4000;
/// A step covers at most this share of a frictionless collision, and of the way to where
/// sliding would stop if it were braked straight. Steps take the direction of sliding in their
/// middle: errors fall with the square of these (decision 620).
const LONGEST_STEP: f64 = 1.0 / 8.0;
const TOWARDS_STOP: f64 = 0.3;
/// Sliding that is braked within this angle (its sine) of straight goes to its stop in one
/// step; what is left across is braked after it.
const NEARLY_STRAIGHT: f64 = 0.01;

fn rough_impulse(response: &DMat3, relative: DVec3, n: DVec3, surface: &PairSurface) -> DVec3 {
    let mut course = Course::new(response, relative, n, surface);
    let whole = -relative.dot(n) / n.dot(*response * n);
    let still = 1e-9 * relative.length();
    for _ in 0..SLIDING_STEPS {
        let sliding = course.sliding();
        let speed = sliding.length();
        if speed <= still {
            break;
        }
        let (direction, braking) = course.against(sliding, speed);
        // Straight towards a stop, the stop can be reached in one step.
        let slowing = -braking.dot(sliding) / speed;
        let sine = braking.cross(sliding).length();
        let straight = sine <= NEARLY_STRAIGHT * braking.length() * speed;
        let ends = if slowing > 0.0 && straight {
            course.proceed(direction, (speed / slowing).min(whole))
        } else {
            let towards_stop = TOWARDS_STOP * speed / braking.length().max(f64::MIN_POSITIVE);
            let step = (LONGEST_STEP * whole).min(towards_stop);
            let middle = sliding + 0.5 * step * braking;
            let (direction, _) = course.against(middle, middle.length());
            course.proceed(direction, step)
        };
        if ends {
            return course.impulse;
        }
    }
    course.finish_in_one_direction();
    course.impulse
}

impl<'a> Course<'a> {
    fn new(response: &'a DMat3, relative: DVec3, n: DVec3, surface: &PairSurface) -> Self {
        Self {
            response,
            n,
            friction: surface.friction,
            velocity: relative,
            impulse: DVec3::ZERO,
            work: 0.0,
            work_at_end: None,
            give_back: surface.restitution * surface.restitution,
        }
    }

    /// The direction of the impulse while a contact slides so, and what it does to the sliding.
    fn against(&self, sliding: DVec3, speed: f64) -> (DVec3, DVec3) {
        let direction = self.n - self.friction * (sliding / speed);
        let change = *self.response * direction;
        (direction, change - change.dot(self.n) * self.n)
    }

    fn sliding(&self) -> DVec3 {
        self.velocity - self.velocity.dot(self.n) * self.n
    }

    /// Follows a constant direction of impulse for a normal impulse of `step`;
    /// true if the collision ends on the way.
    fn proceed(&mut self, direction: DVec3, step: f64) -> bool {
        let change = *self.response * direction;
        let (speed, rate) = (self.velocity.dot(self.n), change.dot(self.n));
        if self.work_at_end.is_none() && speed + rate * step >= 0.0 && rate > 0.0 {
            // Compression ends within the step.
            let to_turn = (-speed / rate).max(0.0);
            self.take(direction, change, to_turn);
            self.work_at_end = Some(self.work * (1.0 - self.give_back));
            return self.proceed(direction, (step - to_turn).max(0.0));
        }
        if let Some(end) = self.work_at_end {
            // work + speed·p + rate·p²/2 = end, for the first p from here.
            let missing = end - self.work;
            let reached = speed * step + 0.5 * rate * step * step;
            if missing <= 0.0 || reached >= missing {
                let discriminant = (speed * speed + 2.0 * rate * missing).max(0.0).sqrt();
                let last = if missing <= 0.0 { 0.0 } else { 2.0 * missing / (speed + discriminant) };
                self.take(direction, change, last.min(step));
                return true;
            }
        }
        self.take(direction, change, step);
        false
    }

    fn take(&mut self, direction: DVec3, change: DVec3, step: f64) {
        let (speed, rate) = (self.velocity.dot(self.n), change.dot(self.n));
        self.work += step * (speed + 0.5 * rate * step);
        self.velocity += step * change;
        self.impulse += step * direction;
    }

    /// Once sliding has stopped, the contact sticks, or slides off in one
    /// direction; either goes on to the end.
    fn finish_in_one_direction(&mut self) {
        let sticking = self.response.inverse() * self.n;
        let sticking = sticking / sticking.dot(self.n);
        let grip = (sticking - self.n).length();
        let direction =
            if sticking.is_finite() && grip <= self.friction { sticking } else { self.sliding_off().unwrap_or(self.n) };
        let rate = (*self.response * direction).dot(self.n);
        if !(rate > 0.0 && rate.is_finite()) {
            return;
        }
        // Compression and restitution together take no more than this.
        let speed = self.velocity.dot(self.n);
        let enough = 4.0 * (speed.abs() + (2.0 * rate * self.work.abs()).sqrt()) / rate + f64::MIN_POSITIVE;
        self.proceed(direction, enough);
    }

    /// The direction in which a contact that cannot stick slides off: there
    /// the sliding grows along itself.
    fn sliding_off(&self) -> Option<DVec3> {
        let (right, ahead) = self.n.any_orthonormal_pair();
        let at = |angle: f64| {
            let along = libm::cos(angle) * right + libm::sin(angle) * ahead;
            let direction = self.n - self.friction * along;
            let change = *self.response * direction;
            let across = libm::cos(angle) * change.dot(ahead) - libm::sin(angle) * change.dot(right);
            (across, change.dot(along), direction)
        };
        let count = 72;
        let angle = |k: u32| std::f64::consts::TAU * f64::from(k) / f64::from(count);
        for k in 0..count {
            let (mut low, mut high) = (angle(k), angle(k + 1));
            if at(low).0 * at(high).0 > 0.0 || at(low).1 <= 0.0 {
                continue;
            }
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if at(low).0 * at(middle).0 <= 0.0 { high = middle } else { low = middle }
            }
            let (_, growth, direction) = at(0.5 * (low + high));
            if growth > 0.0 {
                return Some(direction);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body askew, hit at a corner: its response, and how it comes.
    fn askew(k: u32) -> (DMat3, DVec3) {
        let at = |j: u32| libm::sin(f64::from(7 * k + j) * 1.7 + 0.3);
        let arm = cross_matrix(0.1 * DVec3::new(at(1), at(2), at(3)));
        let moments = 1e-3 * DVec3::new(1.0, 2.0 + at(4), 1.5 + 0.5 * at(5));
        let response = DMat3::IDENTITY - arm * DMat3::from_diagonal(1.0 / moments) * arm;
        (response, DVec3::new(2.0 * at(6), -1.0 - at(7) * at(7), 2.0 * at(8)))
    }

    /// The same course in very many steps, each in the direction that it begins with.
    fn finely(response: &DMat3, relative: DVec3, surface: &PairSurface) -> DVec3 {
        let mut course = Course::new(response, relative, DVec3::Y, surface);
        let step = -relative.y / response.y_axis.y / 40_000.0;
        while course.sliding().length() > 1e-4 * relative.length() {
            let sliding = course.sliding();
            let (direction, _) = course.against(sliding, sliding.length());
            if course.proceed(direction, step) {
                return course.impulse;
            }
        }
        course.finish_in_one_direction();
        course.impulse
    }

    #[test]
    fn few_steps_find_what_very_many_do() {
        let mut errors = Vec::new();
        for k in 0..60 {
            let (response, relative) = askew(k);
            let surface = PairSurface::new(0.5, [0.1, 0.3, 0.8][k as usize % 3]);
            let found = rough_impulse(&response, relative, DVec3::Y, &surface);
            let right = finely(&response, relative, &surface);
            errors.push(found.distance(right) / right.length());
        }
        errors.sort_by(f64::total_cmp);
        assert!(errors[30] < 1.5e-4 && errors[59] < 5e-3, "{} {}", errors[30], errors[59]);
    }
}
