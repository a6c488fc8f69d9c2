//! Promise: what starts at rest costs nothing and stays until it is hit or what it
//! stands on moves, and what the world says will stay does stay.

#![allow(clippy::unwrap_used)]

use proscenium_rigid::geometry::{Hull, Pose, Shape};
use proscenium_rigid::glam::DVec3;
use proscenium_rigid::{BodyDef, BodyId, Control, Material, Take, World, WorldBuilder, WorldError};

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn at(x: f64, y: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, 0.0))
}

/// A tower of blocks that starts at rest, and a ball that comes along to hit the
/// lowest, so fast.
fn tower(blocks: u32, speed: f64) -> WorldBuilder {
    let mut builder = World::builder().gravity(DOWN);
    let wood = builder.material(Material::new(700.0, 0.4, 0.3));
    for k in 0..blocks {
        let shape = Shape::cuboid(DVec3::splat(0.05), 0.0).unwrap();
        builder
            .body(BodyDef::moving(format!("block-{k}"), shape, wood).at(at(0.0, 0.05 + 0.1 * f64::from(k))).at_rest());
    }
    // The ground comes last: who rests on whom does not depend on the order.
    builder.body(BodyDef::fixed("ground", Shape::half_space(DVec3::Y).unwrap(), wood));
    let ball = BodyDef::moving("ball", Shape::sphere(0.04).unwrap(), wood).at(at(-1.0, 0.04));
    builder.body(ball.with_velocity(speed * DVec3::X));
    builder
}

fn named(world: &World, name: &str) -> BodyId {
    world.bodies().find(|body| world.name(*body) == name).unwrap()
}

#[test]
fn what_starts_at_rest_stays_until_it_is_hit() {
    let mut world = tower(3, 5.0).build().unwrap();
    let top = named(&world, "block-2");
    let start = world.motion(top).unwrap();
    world.advance(0.17).unwrap();
    assert!((0..3).all(|k| world.is_resting(named(&world, &format!("block-{k}")))));
    assert_eq!(world.statistics().contact_steps, 1, "only the ball is looked at");
    assert_eq!(world.motion(top).unwrap(), start);
    world.advance(3.0).unwrap();
    assert!(world.motion(named(&world, "block-0")).unwrap().position.x > 0.05, "the ball has pushed it");
}

/// The lowest block is taken away without touching the others.
#[test]
fn what_stood_on_something_falls_when_that_is_gone() {
    let mut world = tower(3, 0.1).build().unwrap();
    let [low, middle, top] = ["block-0", "block-1", "block-2"].map(|name| named(&world, name));
    world.schedule(0.5, Control::Remove { body: low }).unwrap();
    world.advance(2.0).unwrap();
    for (body, height) in [(middle, 0.05), (top, 0.15)] {
        let found = world.pose(body).unwrap().translation.y;
        assert!((found - height).abs() < 1e-3 && world.is_resting(body), "{} at {found} m", world.name(body));
    }
    // And where it is knocked away.
    let mut world = tower(2, 0.1).build().unwrap();
    let kick = Control::SetVelocity { body: named(&world, "block-0"), velocity: 4.0 * DVec3::X, spin: DVec3::ZERO };
    world.schedule(0.5, kick).unwrap();
    world.advance(2.0).unwrap();
    let upper = world.pose(named(&world, "block-1")).unwrap().translation.y;
    assert!(upper < 0.07, "it is still {upper} m up");
}

#[test]
fn what_moves_does_not_start_at_rest() {
    let mut builder = World::builder();
    let wood = builder.material(Material::new(700.0, 0.4, 0.3));
    let ball = BodyDef::moving("ball", Shape::sphere(0.1).unwrap(), wood).with_velocity(DVec3::X).at_rest();
    builder.body(ball);
    assert_eq!(builder.build().err(), Some(WorldError::MovesAtRest { body: "ball".to_owned() }));
}

#[test]
fn runs_with_bodies_at_rest_are_reused_to_the_bit() {
    let mut take = Take::record(tower(4, 3.0), 2.0, 0.1).unwrap();
    let fresh = |speed: f64| {
        let mut world = tower(4, speed).build().unwrap();
        world.advance(2.0).unwrap();
        world.state_hash()
    };
    assert_eq!(take.state_hash(), fresh(3.0));
    for speed in [3.1, 0.2, 8.0, 3.0] {
        take = take.again(tower(4, speed)).unwrap();
        assert_eq!(take.state_hash(), fresh(speed), "{speed} m/s");
    }
}

/// Balls fall off a shelf past what stands on it; whatever is said to stay at any
/// moment is where it was to the bit in the end.
#[test]
fn what_is_settled_stays() {
    let mut builder = World::builder().gravity(DOWN);
    let rubber = builder.material(Material::new(1100.0, 0.8, 0.3).with_rolling(0.01));
    builder.body(BodyDef::fixed("ground", Shape::half_space(DVec3::Y).unwrap(), rubber));
    for (k, height) in [0.3, 0.6, 0.9, 1.2].into_iter().enumerate() {
        let (x, shelf) = (0.3 * k as f64, Shape::cuboid(DVec3::new(0.1, 0.01, 0.1), 0.0).unwrap());
        builder.body(BodyDef::fixed(format!("shelf-{k}"), shelf, rubber).at(at(x, height)));
        let block = Shape::cuboid(DVec3::splat(0.05), 0.0).unwrap();
        builder.body(BodyDef::moving(format!("block-{k}"), block, rubber).at(at(x, height + 0.06)).at_rest());
        let ball = BodyDef::moving(format!("ball-{k}"), Shape::sphere(0.04).unwrap(), rubber);
        builder.body(ball.at(at(x - 0.15, 1.0)).with_velocity(DVec3::new(0.3, 0.0, 0.02)));
    }
    let (mut world, until) = (builder.build().unwrap(), 8.0);
    let mut said: Vec<Vec<BodyId>> = Vec::new();
    let mut moments = Vec::new();
    for step in 0..=80 {
        world.advance(0.1 * f64::from(step)).unwrap();
        let settled = world.settled(until);
        said.push(world.bodies().filter(|body| settled[body.index()] && world.inertia(*body).is_some()).collect());
        moments.push(world.bodies().map(|body| world.motion(body).unwrap()).collect::<Vec<_>>());
    }
    for (bodies, motions) in said.iter().zip(&moments) {
        for body in bodies {
            assert_eq!(motions[body.index()], moments[80][body.index()], "{}", world.name(*body));
        }
    }
    // Something is told before all is over, and not from the start.
    assert!(said[0].is_empty());
    assert!(said[40].len() > 1 && said[40].len() < 8, "{} after four seconds", said[40].len());
}

#[test]
fn nothing_is_settled_while_somebody_may_still_come() {
    let mut builder = World::builder().gravity(DOWN);
    let wood = builder.material(Material::new(700.0, 0.4, 0.3));
    builder.body(BodyDef::fixed("ground", Shape::half_space(DVec3::Y).unwrap(), wood));
    let ball = |name: &str, x: f64| BodyDef::moving(name, Shape::sphere(0.1).unwrap(), wood).at(at(x, 0.1));
    let standing = builder.body(ball("standing", 0.0).at_rest());
    builder.body(ball("late", 1.0).starting_at(2.0));
    let mut world = builder.build().unwrap();
    assert!(world.settled(1.9)[standing.index()] && !world.settled(2.1)[standing.index()]);
    world.schedule(0.5, Control::SetVelocity { body: standing, velocity: DVec3::X, spin: DVec3::ZERO }).unwrap();
    assert!(world.settled(0.4)[standing.index()] && !world.settled(1.9)[standing.index()]);
}

/// How much of a drum's foot touches when it is hit: it stands at rest, has settled, or is a
/// hair above the ground.
enum Stands {
    AtRest,
    Settled,
    Above(f64),
}

/// A drum of sixteen sides that is hit low by a heavy ball, off its middle by some angle: how it
/// moves a hundredth of a second later.
fn drum_after_a_blow(stands: &Stands, angle: f64) -> (DVec3, DVec3) {
    let mut builder = World::builder().gravity(DOWN);
    let maple = builder.material(Material::new(750.0, 0.4, 0.3));
    let (low, high) = (0.03, 0.4);
    let ring = |height: f64| {
        (0..16).map(move |k| {
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(k) / 16.0);
            DVec3::new(low * cos, height, low * sin)
        })
    };
    let corners: Vec<DVec3> = ring(-0.5 * high).chain(ring(0.5 * high)).collect();
    let drum = Shape::hull(Hull::new(&corners).unwrap());
    let gap = if let Stands::Above(gap) = stands { *gap } else { 0.0 };
    let mut def = BodyDef::moving("drum", drum, maple).at(at(0.0, 0.5 * high + gap));
    match stands {
        Stands::AtRest => def = def.at_rest(),
        Stands::Settled => {}
        Stands::Above(_) => def = def.starting_at(1.0),
    }
    let drum = builder.body(def);
    // A long block, whose middle is far away: the line between the middles is no normal.
    let ground = Shape::cuboid(DVec3::new(9.0, 0.05, 1.0), 0.0).unwrap();
    builder.body(BodyDef::fixed("ground", ground, maple).at(at(-7.0, -0.05)));
    // So near that what falls from a hair above has not come down.
    let (sin, cos) = libm::sincos(angle);
    let place = -(0.1 + low + 1e-4) * DVec3::new(cos, 0.0, sin) + 0.1 * DVec3::Y;
    let ball = BodyDef::moving("ball", Shape::sphere(0.1).unwrap(), maple).at(Pose::from_translation(place));
    builder.body(ball.with_velocity(7.0 * DVec3::new(cos, 0.0, sin)).starting_at(1.0));
    let mut world = builder.build().unwrap();
    world.advance(1.01).unwrap();
    let motion = world.motion(drum).unwrap();
    (motion.velocity, motion.spin)
}

/// A blow to what stands was handed on to the ground in the middle of all the places that it
/// pressed, and where there was a hair between them, at the first of them: it hopped by a third more.
/// Where there was no gap at all, along the line between the middles.
#[test]
fn a_blow_does_not_ask_how_a_thing_was_put_down() {
    for angle in [0.0, 0.1, 0.19, 0.3] {
        let (velocity, spin) = drum_after_a_blow(&Stands::Above(1e-6), angle);
        for (stands, how) in [(Stands::AtRest, "at rest"), (Stands::Settled, "settled"), (Stands::Above(1e-5), "above")]
        {
            let (other, turns) = drum_after_a_blow(&stands, angle);
            assert!(other.distance(velocity) < 0.03 * velocity.y.max(0.5), "{how}, {angle}: {other} for {velocity}");
            assert!(turns.distance(spin) < 0.03 * spin.length(), "{how}, {angle}: {turns} for {spin}");
        }
    }
}
