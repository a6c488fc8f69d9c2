//! A ball on flat ground, or in a gutter of two planes, in closed form.
//!
//! While a ball slides in a constant direction the friction is constant, and
//! so are the rates of its velocity and spin; when the sliding has stopped it
//! rolls, and slows down at a constant rate. Each phase is exact, and ends at
//! a known time. What is not of this kind (a ball that curves on a slope) has
//! no course here and is stepped.

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Motion, PairSurface};

/// A plane that a ball lies on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Support {
    /// Out of the ground, towards the ball.
    pub normal: DVec3,
    pub surface: PairSurface,
}

/// What a ball does until something changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Course {
    /// The motion that it starts from, freed of what the ground does not allow.
    pub motion: Motion,
    pub acceleration: DVec3,
    pub spin_rate: DVec3,
    /// How long it lasts; infinite if nothing in it ends.
    pub duration: f64,
    /// Whether the ball lies still for good.
    pub rests: bool,
}

/// A ball as this module needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rolling {
    pub radius: f64,
    /// The moment of inertia over mass times radius squared.
    pub share: f64,
}

/// Relative to the speeds involved, what counts as nothing. The speed of a
/// fall through the ball's own radius is always among them. Chosen: far above
/// rounding, far below what is seen.
const NOTHING: f64 = 1e-9;

/// The course of a ball on one or two planes under gravity; `None` if it has
/// no closed form, or if the ball is leaving.
pub(crate) fn plan(motion: &Motion, ball: Rolling, supports: &[Support], gravity: DVec3) -> Option<Course> {
    match supports {
        [support] => on_a_plane(motion, ball, support, gravity),
        [first, second] => in_a_gutter(motion, ball, [first, second], gravity),
        _ => None,
    }
}

fn on_a_plane(motion: &Motion, ball: Rolling, support: &Support, gravity: DVec3) -> Option<Course> {
    let Rolling { radius, share } = ball;
    let n = support.normal;
    let load = -gravity.dot(n);
    if load <= 0.0 {
        return None;
    }
    let downhill = gravity + load * n;
    let downhill = if downhill.length() <= 1e-12 * gravity.length() { DVec3::ZERO } else { downhill };
    let mut motion = *motion;
    motion.velocity -= motion.velocity.dot(n) * n;
    let slip = motion.velocity - radius * motion.spin.cross(n);
    let speeds = motion.velocity.length() + radius * motion.spin.length() + (load * radius).sqrt();
    let grip = support.surface.friction * load;
    let holds = downhill.length() * share / (1.0 + share) <= grip;
    if slip.length() <= NOTHING * speeds && holds {
        return roll(motion, ball, support, load, downhill);
    }
    // It slides: along its slip, or downhill from rest.
    let direction = if slip.length() > NOTHING * speeds { slip.normalize() } else { downhill.normalize_or_zero() };
    if downhill.cross(direction).length() > 1e-12 * gravity.length() {
        return None;
    }
    let friction = -grip * direction;
    let slowing = grip * (1.0 + 1.0 / share) - downhill.dot(direction);
    let duration = if slowing > 0.0 { slip.length() / slowing } else { f64::INFINITY };
    Some(Course {
        motion,
        acceleration: downhill + friction,
        spin_rate: -n.cross(friction) / (share * radius),
        duration,
        rests: false,
    })
}

/// Rolling without sliding, and turning on the spot.
fn roll(mut motion: Motion, ball: Rolling, support: &Support, load: f64, downhill: DVec3) -> Option<Course> {
    let Rolling { radius, share } = ball;
    let n = support.normal;
    let resistance = support.surface.rolling * load;
    let pivot = motion.spin.dot(n);
    let driving = downhill / (1.0 + share);
    let speed = motion.velocity.length();
    let still = speed <= NOTHING * (load * radius).sqrt();
    let (acceleration, until_still) = if still {
        motion.velocity = DVec3::ZERO;
        let excess = driving.length() - resistance;
        (if excess > 0.0 { excess * driving.normalize_or_zero() } else { DVec3::ZERO }, f64::INFINITY)
    } else {
        let ahead = motion.velocity / speed;
        if resistance > 0.0 && driving.cross(ahead).length() > 1e-12 * driving.length() {
            return None;
        }
        let rate = driving - resistance * ahead;
        let slowing = -rate.dot(ahead);
        (rate, if slowing > 0.0 && resistance > 0.0 { speed / slowing } else { f64::INFINITY })
    };
    // A ball that turns on the spot is slowed by the same torque.
    let pivot_rate = resistance * (1.0 + share) / (share * radius);
    let turns = pivot.abs() > NOTHING * (load / radius).sqrt();
    let pivot = if turns { pivot } else { 0.0 };
    let until_pivot = if turns && pivot_rate > 0.0 { pivot.abs() / pivot_rate } else { f64::INFINITY };
    motion.spin = n.cross(motion.velocity) / radius + pivot * n;
    let against = if turns { -pivot_rate * pivot.signum() * n } else { DVec3::ZERO };
    let rests = motion.velocity == DVec3::ZERO && acceleration == DVec3::ZERO && pivot == 0.0;
    Some(Course {
        motion,
        acceleration,
        spin_rate: n.cross(acceleration) / radius + against,
        duration: until_still.min(until_pivot),
        rests,
    })
}

/// In a gutter the ball moves along it. Either of the two contacts slides one
/// way or the other, or holds.
fn in_a_gutter(motion: &Motion, ball: Rolling, supports: [&Support; 2], gravity: DVec3) -> Option<Course> {
    let Rolling { radius, share } = ball;
    let n = supports.map(|support| support.normal);
    let along = n[0].cross(n[1]).try_normalize()?;
    let load = loads(n, gravity)?;
    let grip = [0, 1].map(|i| supports[i].surface.friction * load[i]);
    let mut motion = *motion;
    motion.velocity = motion.velocity.dot(along) * along;
    let fall = ((load[0] + load[1]) * radius).sqrt();
    let speeds = motion.velocity.length() + radius * motion.spin.length() + fall;
    if (motion.spin.dot(along) * radius).abs() > NOTHING * speeds {
        return None;
    }
    motion.spin -= motion.spin.dot(along) * along;
    let speed = motion.velocity.dot(along);
    let slip = n.map(|n| speed - radius * motion.spin.cross(n).dot(along));
    let slip = slip.map(|s| if s.abs() <= NOTHING * speeds { 0.0 } else { s });

    let resistance = supports[0].surface.rolling * load[0] + supports[1].surface.rolling * load[1];
    let driving = gravity.dot(along);
    let (force, held) = friction_along([slip[0], slip[1]], grip, n, share, driving);
    // Rolling resistance acts once nothing slides.
    let rolls = held == [true, true];
    let inertia = 1.0 + share * 4.0 / (n[0] + n[1]).length_squared();
    let free = if rolls { driving / inertia } else { driving + force[0] + force[1] };
    let still = speed.abs() <= NOTHING * fall;
    let acceleration = match (rolls, still) {
        (true, true) if free.abs() <= resistance => 0.0,
        (true, true) => free - resistance * free.signum(),
        (true, false) => free - resistance * speed.signum(),
        (false, _) => free,
    };
    let spin_rate: DVec3 = if rolls {
        // About the chord between the two contacts.
        let up = n[0] + n[1];
        acceleration * up.cross(along) * (2.0 / up.length_squared()) / radius
    } else {
        [0, 1].iter().map(|i| -n[*i].cross(along) * force[*i] / (share * radius)).sum()
    };
    let mut duration = f64::INFINITY;
    for i in 0..2 {
        let rate = acceleration - radius * spin_rate.cross(n[i]).dot(along);
        if !held[i] && slip[i] * rate < 0.0 {
            duration = duration.min(-slip[i] / rate);
        }
    }
    if rolls && !still && speed * acceleration < 0.0 && resistance > 0.0 {
        duration = duration.min(-speed / acceleration);
    }
    if rolls && still {
        motion.velocity = DVec3::ZERO;
        motion.spin = DVec3::ZERO;
    }
    let rests = rolls && still && acceleration == 0.0;
    Some(Course { motion, acceleration: acceleration * along, spin_rate, duration, rests })
}

/// The loads on two planes, per mass; `None` if the ball does not lie in both.
fn loads(n: [DVec3; 2], gravity: DVec3) -> Option<[f64; 2]> {
    let cosine = n[0].dot(n[1]);
    let determinant = 1.0 - cosine * cosine;
    let (p, q) = (-gravity.dot(n[0]), -gravity.dot(n[1]));
    let load = [(p - cosine * q) / determinant, (q - cosine * p) / determinant];
    (determinant > 1e-6 && load[0] > 0.0 && load[1] > 0.0).then_some(load)
}

/// The friction along a gutter at its two contacts, per mass, and which of
/// them hold. A force `f` at contact `j` changes the slip at contact `i` by
/// `f (1 + n_i·n_j / share)`.
fn friction_along(slip: [f64; 2], grip: [f64; 2], n: [DVec3; 2], share: f64, driving: f64) -> ([f64; 2], [bool; 2]) {
    let own = 1.0 + 1.0 / share;
    let other = 1.0 + n[0].dot(n[1]) / share;
    let sliding = |i: usize| -grip[i] * slip[i].signum();
    let mut held = slip.map(|s| s == 0.0);
    let mut force = [0, 1].map(|i| if held[i] { 0.0 } else { sliding(i) });
    if held == [true, true] {
        let f = -driving / (own + other);
        if f.abs() <= grip[0].min(grip[1]) {
            return ([f, f], held);
        }
        // One of them gives way first, the other follows its own limit.
        let gives = usize::from(grip[1] < grip[0]);
        held[gives] = false;
        force[gives] = grip[gives] * f.signum();
    }
    for i in 0..2 {
        if held[i] {
            let f = -(driving + force[1 - i] * other) / own;
            force[i] = f.clamp(-grip[i], grip[i]);
            held[i] = f.abs() <= grip[i];
        }
    }
    (force, held)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BALL: Rolling = Rolling { radius: 0.1, share: 0.4 };
    const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

    fn moving(velocity: DVec3, spin: DVec3) -> Motion {
        Motion { velocity, spin, ..Motion::AT_REST }
    }

    fn level(friction: f64, rolling: f64) -> Support {
        Support { normal: DVec3::Y, surface: PairSurface { restitution: 0.0, friction, rolling } }
    }

    /// The textbook: a ball pushed off without spin rolls at 5/7 of its speed.
    #[test]
    fn a_sliding_ball_keeps_five_sevenths() {
        let start = moving(DVec3::new(3.0, 0.0, 4.0), DVec3::ZERO);
        let slide = plan(&start, BALL, &[level(0.3, 0.0)], DOWN).unwrap();
        assert!((slide.duration - 2.0 * 5.0 / (7.0 * 0.3 * 9.81)).abs() < 1e-12);
        let then = Motion {
            velocity: start.velocity + slide.duration * slide.acceleration,
            spin: slide.duration * slide.spin_rate,
            ..start
        };
        assert!((then.velocity - 5.0 / 7.0 * start.velocity).length() < 1e-12);
        let rolls = plan(&then, BALL, &[level(0.3, 0.0)], DOWN).unwrap();
        assert_eq!((rolls.acceleration, rolls.duration), (DVec3::ZERO, f64::INFINITY));
    }

    #[test]
    fn a_rolling_ball_stops_and_rests() {
        let velocity = DVec3::new(1.0, 0.0, 0.0);
        let start = moving(velocity, DVec3::Y.cross(velocity) / BALL.radius);
        let rolls = plan(&start, BALL, &[level(0.3, 0.02)], DOWN).unwrap();
        assert!((rolls.duration - 1.0 / (0.02 * 9.81)).abs() < 1e-9);
        let end = moving(DVec3::ZERO, DVec3::ZERO);
        assert!(plan(&end, BALL, &[level(0.3, 0.02)], DOWN).unwrap().rests);
    }

    #[test]
    fn a_ball_on_a_slope_rolls_with_five_sevenths_of_the_pull() {
        let angle = 0.2_f64;
        let normal = DVec3::new(libm::sin(angle), libm::cos(angle), 0.0);
        let slope = Support { normal, ..level(0.3, 0.0) };
        let rolls = plan(&Motion::AT_REST, BALL, &[slope], DOWN).unwrap();
        assert!((rolls.acceleration.length() - 5.0 / 7.0 * 9.81 * libm::sin(angle)).abs() < 1e-12);
        // Too steep to hold: it slides as well as rolls.
        let slick = Support { normal, ..level(0.01, 0.0) };
        let slides = plan(&Motion::AT_REST, BALL, &[slick], DOWN).unwrap();
        let pull = 9.81 * (libm::sin(angle) - 0.01 * libm::cos(angle));
        assert!((slides.acceleration.length() - pull).abs() < 1e-12);
    }

    /// In a gutter of 90° the ball rolls about a chord at r/√2.
    #[test]
    fn a_ball_in_a_gutter_ends_rolling_about_its_chord() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let gutter = [1.0, -1.0].map(|side| Support { normal: DVec3::new(side * half, half, 0.0), ..level(0.2, 0.0) });
        let start = moving(DVec3::new(0.0, 0.0, 2.0), DVec3::ZERO);
        let slide = plan(&start, BALL, &gutter, DOWN).unwrap();
        // Both loads are g / √2, and friction slows the ball with both.
        assert!((slide.acceleration.z + 0.2 * 9.81 * 2.0 * half).abs() < 1e-12);
        let then = Motion {
            velocity: start.velocity + slide.duration * slide.acceleration,
            spin: slide.duration * slide.spin_rate,
            ..start
        };
        let chord = BALL.radius * half;
        assert!((then.velocity.z - then.spin.x * chord).abs() < 1e-12, "{then:?}");
        // v = v0 / (1 + k r² / chord²)⁻¹ … by angular momentum about the chord.
        let kept = 1.0 / (1.0 + 0.4 / 0.5);
        assert!((then.velocity.z - 2.0 * kept).abs() < 1e-12, "{then:?}");
        let rolls = plan(&then, BALL, &gutter, DOWN).unwrap();
        assert!(rolls.acceleration.length() < 1e-12 && rolls.duration == f64::INFINITY);
    }
}
