//! Promise: a body that nothing touches turns as Euler's equations say, and
//! keeps its energy and angular momentum to rounding for as long as it flies.

use proptest::prelude::*;
use proscenium_bodies::glam::{DQuat, DVec3};
use proscenium_bodies::{Flight, Inertia, Motion};

/// Euler's equations by small Runge–Kutta steps: slow, independent.
fn integrate(mut q: DQuat, spin: DVec3, inertia: &Inertia, seconds: f64, steps: u32) -> DQuat {
    let mut w = q.inverse() * spin;
    let h = seconds / f64::from(steps);
    let rate = |q: DQuat, w: DVec3| {
        let turning = (inertia.moments * w).cross(w) / inertia.moments;
        let dq = q * DQuat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0);
        (dq, turning)
    };
    for _ in 0..steps {
        let (k1, l1) = rate(q, w);
        let (k2, l2) = rate(q + k1 * (0.5 * h), w + 0.5 * h * l1);
        let (k3, l3) = rate(q + k2 * (0.5 * h), w + 0.5 * h * l2);
        let (k4, l4) = rate(q + k3 * h, w + h * l3);
        q = (q + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0)).normalize();
        w += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    q
}

fn moments() -> impl Strategy<Value = DVec3> {
    // Any three lengths squared that obey the triangle inequality of moments.
    (0.2..2.0_f64, 0.2..2.0_f64, 0.2..2.0_f64).prop_map(|(a, b, c)| DVec3::new(b + c, c + a, a + b))
}

fn direction() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_closed_form_solves_eulers_equations(moments in moments(), spin in direction(), axis in direction(), angle in 0.0..3.0_f64) {
        let inertia = Inertia { mass: 1.0, moments };
        let orientation = DQuat::from_axis_angle(axis.normalize_or(DVec3::X), angle);
        let start = Motion { orientation, spin: 4.0 * spin, ..Motion::AT_REST };
        let flight = Flight::new(3.0, start, &inertia, DVec3::ZERO);
        let expected = integrate(orientation, 4.0 * spin, &inertia, 2.0, 8000);
        let found = flight.at(5.0).orientation;
        let error = (found.inverse() * expected).to_axis_angle().1.abs();
        let error = error.min(std::f64::consts::TAU - error);
        prop_assert!(error < 1e-7, "off by {error} rad");
    }

    #[test]
    fn energy_and_momentum_are_kept(moments in moments(), spin in direction(), seconds in 0.0..1e4_f64) {
        let inertia = Inertia { mass: 1.0, moments };
        let start = Motion { spin: 20.0 * spin, ..Motion::AT_REST };
        prop_assume!(spin.length() > 1e-3);
        let later = Flight::new(0.0, start, &inertia, DVec3::ZERO).at(seconds);
        let energy = |m: &Motion| inertia.rotational_energy(m);
        let momentum = |m: &Motion| inertia.angular_momentum(m.orientation, m.spin);
        prop_assert!((energy(&later) / energy(&start) - 1.0).abs() < 1e-11);
        prop_assert!((momentum(&later) - momentum(&start)).length() < 1e-11 * momentum(&start).length());
    }

    #[test]
    fn the_spin_stays_within_its_bound(moments in moments(), spin in direction()) {
        let inertia = Inertia { mass: 1.0, moments };
        let flight = Flight::new(0.0, Motion { spin, ..Motion::AT_REST }, &inertia, DVec3::ZERO);
        for k in 0..200 {
            let motion = flight.at(0.1 * f64::from(k));
            prop_assert!(motion.spin.length() <= flight.max_spin() * (1.0 + 1e-9));
        }
    }
}

#[test]
fn a_book_thrown_about_its_middle_axis_flips() {
    let inertia = Inertia { mass: 1.0, moments: DVec3::new(1.0, 2.0, 3.0) };
    let start = Motion { spin: DVec3::new(1e-3, 5.0, 0.0), ..Motion::AT_REST };
    let flight = Flight::new(0.0, start, &inertia, DVec3::ZERO);
    let along: Vec<f64> = (0..400).map(|k| (flight.at(0.05 * f64::from(k)).orientation * DVec3::Y).y).collect();
    assert!(along.iter().any(|y| *y < -0.99) && along.iter().any(|y| *y > 0.99));
}

#[test]
fn extreme_rotations_stay_finite() {
    for moments in [DVec3::new(1.0, 1.0 + 2e-5, 2.0), DVec3::new(1e-12, 2e-12, 2.5e-12), DVec3::new(1.0, 1.9, 2.9)] {
        let inertia = Inertia { mass: 1.0, moments };
        for spin in [DVec3::Y, DVec3::new(1e-9, 1.0, 0.0), DVec3::new(0.0, 1e-200, 1.0), DVec3::new(1e4, 1e4, 1e4)] {
            let flight = Flight::new(0.0, Motion { spin, ..Motion::AT_REST }, &inertia, DVec3::ZERO);
            assert!(flight.at(100.0).is_finite(), "{moments} {spin}");
        }
    }
}

/// A ball whose spin changes at a constant rate, against small steps.
#[test]
fn a_driven_ball_turns_as_small_steps_say() {
    let spin = DVec3::new(3.0, -8.0, 5.0);
    let rate = DVec3::new(-2.0, 1.0, 7.0);
    let motion = Motion { spin, ..Motion::AT_REST };
    let flight = Flight::ball(0.0, motion, DVec3::ZERO, rate, 2.0);
    let (end, count) = (1.5, 200_000);
    let step = end / f64::from(count);
    let mut orientation = DQuat::IDENTITY;
    for k in 0..count {
        let middle = spin + (f64::from(k) + 0.5) * step * rate;
        orientation = DQuat::from_scaled_axis(step * middle) * orientation;
    }
    let found = flight.pose(end).rotation;
    assert!(found.angle_between(orientation) < 1e-6, "{found} {orientation}");
    assert!((flight.at(end).spin - (spin + end * rate)).length() < 1e-12);
}
