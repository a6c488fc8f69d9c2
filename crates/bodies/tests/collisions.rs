//! Promise: a collision keeps linear and angular momentum, never adds energy,
//! keeps all of it when it should, and obeys Coulomb's law whether it sticks
//! or slides.

use proptest::prelude::*;
use proscenium_bodies::glam::{DQuat, DVec3};
use proscenium_bodies::{CollidingBody, Encounter, Inertia, Motion, PairSurface, collide};

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64).prop_map(move |(x, y, z)| size * DVec3::new(x, y, z))
}

fn body() -> impl Strategy<Value = (Motion, Inertia)> {
    (
        vector(1.0),
        vector(3.0),
        vector(8.0),
        vector(1.0),
        0.0..3.0_f64,
        (0.1..5.0_f64, 0.1..2.0_f64, 0.1..2.0_f64, 0.1..2.0_f64),
    )
        .prop_map(|(position, velocity, spin, axis, angle, (mass, a, b, c))| {
            let orientation = DQuat::from_axis_angle(axis.normalize_or(DVec3::X), angle);
            let moments = 0.3 * mass * DVec3::new(b + c, c + a, a + b);
            (Motion { position, orientation, velocity, spin }, Inertia { mass, moments })
        })
}

fn totals(bodies: [&CollidingBody<'_>; 2]) -> (f64, DVec3, DVec3) {
    bodies.iter().filter_map(|b| b.inertia.map(|i| (b.motion, i))).fold(
        (0.0, DVec3::ZERO, DVec3::ZERO),
        |(energy, linear, angular), (motion, inertia)| {
            let own = inertia.angular_momentum(motion.orientation, motion.spin);
            let orbital = motion.position.cross(inertia.mass * motion.velocity);
            (energy + inertia.kinetic_energy(&motion), linear + inertia.mass * motion.velocity, angular + own + orbital)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn momentum_is_kept_and_energy_never_grows(
        first in body(), second in body(), point in vector(0.5), normal in vector(1.0),
        restitution in 0.0..=1.0_f64, friction in 0.0..2.0_f64,
    ) {
        let normal = normal.normalize_or(DVec3::X);
        let mut a = CollidingBody { motion: first.0, inertia: Some(&first.1) };
        let mut b = CollidingBody { motion: second.0, inertia: Some(&second.1) };
        let (energy, linear, angular) = totals([&a, &b]);
        let meeting = Encounter { point, normal, surface: PairSurface::new(restitution, friction) };
        let approach = |a: &CollidingBody<'_>, b: &CollidingBody<'_>| (b.motion.velocity_at(point) - a.motion.velocity_at(point)).dot(normal);
        let before = approach(&a, &b);
        let impulse = collide(&mut a, &mut b, &meeting);
        let (energy_after, linear_after, angular_after) = totals([&a, &b]);
        prop_assert_eq!(impulse.is_some(), before < 0.0);
        prop_assert!(energy_after <= energy * (1.0 + 1e-12), "{} to {}", energy, energy_after);
        prop_assert!((linear_after - linear).length() < 1e-11 * (1.0 + linear.length()));
        prop_assert!((angular_after - angular).length() < 1e-10 * (1.0 + angular.length()));
        if let Some(impulse) = impulse {
            prop_assert!(approach(&a, &b) > -1e-9 * before.abs(), "still approaching at {}", approach(&a, &b));
            let normal_part = impulse.dot(normal);
            let tangential = (impulse - normal_part * normal).length();
            prop_assert!(tangential <= friction * normal_part * (1.0 + 1e-9) + 1e-12);
        }
    }

    #[test]
    fn without_friction_and_loss_all_energy_is_kept(first in body(), second in body(), point in vector(0.5), normal in vector(1.0)) {
        let mut a = CollidingBody { motion: first.0, inertia: Some(&first.1) };
        let mut b = CollidingBody { motion: second.0, inertia: Some(&second.1) };
        let (energy, _, _) = totals([&a, &b]);
        let surface = PairSurface::new(1.0, 0.0);
        collide(&mut a, &mut b, &Encounter { point, normal: normal.normalize_or(DVec3::X), surface });
        let (after, _, _) = totals([&a, &b]);
        prop_assert!((after / energy - 1.0).abs() < 1e-12);
    }
}

/// A solid ball of unit mass and radius meets the floor.
fn bounce(velocity: DVec3, spin: DVec3, restitution: f64, friction: f64) -> (Motion, DVec3) {
    let inertia = Inertia { mass: 1.0, moments: DVec3::splat(0.4) };
    let mut floor = CollidingBody { motion: Motion::AT_REST, inertia: None };
    let mut ball = CollidingBody {
        motion: Motion { position: DVec3::Y, velocity, spin, ..Motion::AT_REST },
        inertia: Some(&inertia),
    };
    let surface = PairSurface::new(restitution, friction);
    let impulse = collide(&mut floor, &mut ball, &Encounter { point: DVec3::ZERO, normal: DVec3::Y, surface });
    (ball.motion, impulse.expect("the ball falls"))
}

#[test]
fn a_ball_that_grips_leaves_without_slip() {
    let (after, impulse) = bounce(DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.0, 0.2), 0.5, 1.0);
    let slip = after.velocity_at(DVec3::ZERO);
    assert!((after.velocity.y - 1.0).abs() < 1e-9);
    assert!(slip.x.abs() < 1e-9 && slip.z.abs() < 1e-9, "slip {slip}");
    assert!(impulse.y > 0.0);
}

#[test]
fn a_ball_that_slides_is_braked_by_exactly_the_friction() {
    let (after, impulse) = bounce(DVec3::new(10.0, -2.0, 0.0), DVec3::ZERO, 0.5, 0.2);
    // Normal impulse 3, friction 0.6 against the sliding.
    assert!((impulse - DVec3::new(-0.6, 3.0, 0.0)).length() < 1e-9, "{impulse}");
    assert!((after.velocity.x - 9.4).abs() < 1e-9);
    assert!((after.spin.z + 0.6 / 0.4).abs() < 1e-9);
}

#[test]
fn a_rod_on_its_corner_matches_the_planar_solution() {
    // A uniform rod at 45°, falling straight: with enough friction its lower
    // end sticks, and with e = 0 it stays put: the rod turns about that end.
    let inertia = Inertia { mass: 1.0, moments: DVec3::new(1.0 / 3.0, 1e-3, 1.0 / 3.0) };
    let orientation = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
    let arm = orientation * DVec3::Y;
    let motion = Motion { position: arm, orientation, velocity: DVec3::new(0.0, -3.0, 0.0), spin: DVec3::ZERO };
    let mut floor = CollidingBody { motion: Motion::AT_REST, inertia: None };
    let mut rod = CollidingBody { motion, inertia: Some(&inertia) };
    let surface = PairSurface::new(0.0, 5.0);
    collide(&mut floor, &mut rod, &Encounter { point: DVec3::ZERO, normal: DVec3::Y, surface });
    // Angular momentum about the end: r × mv = I_end ω, I_end = 1/3 + 1.
    let expected = arm.cross(motion.velocity).z / (4.0 / 3.0);
    assert!((rod.motion.spin.z - expected).abs() < 1e-8, "{} not {expected}", rod.motion.spin.z);
    assert!(rod.motion.velocity_at(DVec3::ZERO).length() < 1e-8);
}
