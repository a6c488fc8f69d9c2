//! Promise: what joints hold stays held, swings as it should, answers blows as a whole, and
//! costs nothing where it rests.

#![allow(clippy::unwrap_used)]

use std::f64::consts::{FRAC_PI_2, PI};

use proscenium_rigid::geometry::{Pose, Shape};
use proscenium_rigid::glam::{DQuat, DVec3};
use proscenium_rigid::{BodyDef, BodyId, BoundsKind, Control, JointDef, JointDefKind, Material, MaterialId};
use proscenium_rigid::{Take, World, WorldBuilder, WorldError};

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);
const STEEL: Material = Material::new(7850.0, 1.0, 0.0);

/// The complete elliptic integral of the first kind, by the arithmetic-geometric mean.
fn complete_elliptic(modulus: f64) -> f64 {
    let (mut a, mut g) = (1.0, (1.0 - modulus * modulus).sqrt());
    while (a - g) > 1e-15 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    FRAC_PI_2 / a
}

fn rod(half: DVec3) -> Shape {
    Shape::cuboid(half, 0.0).unwrap()
}

/// A rod of a metre that hangs from a hinge, and starts this far to the side.
fn pendulum(angle: f64) -> (WorldBuilder, BodyId) {
    let mut builder = World::builder().gravity(DOWN);
    let wood = builder.material(Material::new(700.0, 0.4, 0.3));
    let turn = DQuat::from_rotation_z(angle - FRAC_PI_2);
    let body = BodyDef::moving("rod", rod(DVec3::new(0.5, 0.03, 0.04)), wood);
    let body = builder.body(body.at(Pose::new(turn * (0.5 * DVec3::X), turn)));
    builder.joint(JointDef::hinge("pivot", body, None, DVec3::ZERO, DVec3::Z));
    (builder, body)
}

/// Against the closed form: 100 swings through 57 degrees take 100 periods, and the energy of
/// swinging changes by less than a millionth at any time.
#[test]
fn a_pendulum_swings_as_the_closed_form_says() {
    let swing = 1.0;
    let (builder, body) = pendulum(swing);
    let mut world = builder.build().unwrap();
    let inertia = *world.inertia(body).unwrap();
    // About the hinge: m (x² + y²) / 3 for half the edges, and m / 4 for half a metre.
    let (moment, torque) = (inertia.mass * ((0.25 + 0.0009) / 3.0 + 0.25), 0.5 * inertia.mass * 9.81);
    let period = 4.0 * (moment / torque).sqrt() * complete_elliptic(libm::sin(0.5 * swing));
    let (start, first) = (world.pose(body).unwrap(), world.energy());
    let swinging = torque * (1.0 - libm::cos(swing));
    let (mut worst, mut off) = (0.0_f64, 0.0_f64);
    for sample in 1..=700 {
        world.advance(f64::from(sample) / 7.0 * period).unwrap();
        worst = worst.max((world.energy() - first).abs() / swinging);
        let end = world.pose(body).unwrap().transform_point(-0.5 * DVec3::X);
        off = off.max(end.length());
    }
    assert!(worst < 1e-6, "{worst:e}");
    assert!(off < 1e-6, "{off:e}");
    let miss = world.pose(body).unwrap().translation.distance(start.translation);
    assert!(miss < 1e-5, "{miss:e}");
}

/// A ball on two strings: a point on a circle.
fn hang(builder: &mut WorldBuilder, steel: MaterialId, [x, angle]: [f64; 2]) -> BodyId {
    let (top, length) = (DVec3::new(x, 0.0, 0.0), 0.3);
    let place = top + length * DVec3::new(libm::sin(angle), -libm::cos(angle), 0.0);
    let ball = BodyDef::moving(format!("ball at {x}"), Shape::sphere(0.02).unwrap(), steel);
    let ball = builder.body(ball.at(Pose::from_translation(place)));
    for z in [-0.1, 0.1] {
        builder.joint(JointDef::rod(format!("string at {x} {z}"), ball, None, place, top + z * DVec3::Z));
    }
    ball
}

fn cradle(angle: f64) -> WorldBuilder {
    let mut builder = World::builder().gravity(DOWN);
    let steel = builder.material(STEEL);
    for k in 0..5 {
        hang(&mut builder, steel, [0.0401 * f64::from(k), if k == 0 { -angle } else { 0.0 }]);
    }
    builder
}

#[test]
fn a_cradle_hands_its_motion_on_and_keeps_its_energy() {
    let mut world = cradle(0.4).build().unwrap();
    let first = world.energy();
    let balls: Vec<BodyId> = world.bodies().collect();
    let height = |world: &World, k: usize| world.pose(balls[k]).unwrap().translation.y;
    let start = height(&world, 0);
    let mut highest = f64::NEG_INFINITY;
    for frame in 1..200 {
        world.advance(0.01 * f64::from(frame)).unwrap();
        highest = highest.max(height(&world, 4));
        assert!((world.energy() - first).abs() < 1e-7 * first.abs());
    }
    // As high as the first one was let go, but for what the gaps take.
    assert!((highest - start).abs() < 2e-4, "{highest} {start}");
    assert!(world.statistics().collisions >= 8);
}

/// Without gravity, the blow itself: energy and the angular momentum about the hinge stay, to
/// rounding, whichever bodies hang together.
#[test]
fn a_blow_moves_all_that_hangs_together() {
    let mut builder = World::builder();
    let steel = builder.material(STEEL);
    let mut links = Vec::new();
    for k in 0..3_u32 {
        let place = Pose::from_translation(DVec3::new(0.2 + 0.4 * f64::from(k), 0.0, 0.0));
        links.push(
            builder.body(BodyDef::moving(format!("link-{k}"), rod(DVec3::new(0.19, 0.02, 0.02)), steel).at(place)),
        );
        let to = k.checked_sub(1).map(|before| links[before as usize]);
        builder.joint(JointDef::hinge(
            format!("hinge-{k}"),
            links[k as usize],
            to,
            0.4 * f64::from(k) * DVec3::X,
            DVec3::Z,
        ));
    }
    let ball = BodyDef::moving("ball", Shape::sphere(0.05).unwrap(), steel).with_velocity(DVec3::new(0.0, -3.0, 0.0));
    let ball = builder.body(ball.at(Pose::from_translation(DVec3::new(0.45, 0.5, 0.0))));
    let mut world = builder.build().unwrap();
    let momentum = |world: &World| -> f64 {
        let of = |body: BodyId| {
            let (inertia, motion) = (world.inertia(body).unwrap(), world.motion(body).unwrap());
            let own = inertia.angular_momentum(motion.orientation, motion.spin);
            (inertia.mass * motion.position.cross(motion.velocity) + own).z
        };
        links.iter().copied().chain([ball]).map(of).sum()
    };
    let (energy, turning) = (world.energy(), momentum(&world));
    while world.statistics().collisions == 0 {
        world.step().unwrap();
    }
    assert!((world.energy() / energy - 1.0).abs() < 1e-12, "{:e}", world.energy() / energy - 1.0);
    assert!((momentum(&world) / turning - 1.0).abs() < 1e-12, "{:e}", momentum(&world) / turning - 1.0);
    // And what it set moving goes on so.
    world.advance(0.4).unwrap();
    assert!((world.energy() / energy - 1.0).abs() < 1e-6, "{:e}", world.energy() / energy - 1.0);
    assert!((momentum(&world) / turning - 1.0).abs() < 1e-6, "{:e}", momentum(&world) / turning - 1.0);
    assert!(links.iter().all(|link| world.motion(*link).unwrap().spin.length() > 0.1));
}

/// A chain of capsules from a hook above the ground, let go to the side.
fn chain(count: u32) -> (WorldBuilder, Vec<BodyId>) {
    let mut builder = World::builder().gravity(DOWN);
    let iron = builder.material(Material::new(5000.0, 0.2, 0.5));
    builder.body(BodyDef::fixed("ground", Shape::half_space(DVec3::Y).unwrap(), iron));
    let mut links: Vec<BodyId> = Vec::new();
    let top = DVec3::new(0.0, 0.35, 0.0);
    for k in 0..count {
        let turn = DQuat::from_rotation_z(FRAC_PI_2);
        let place = top + (0.05 + 0.1 * f64::from(k)) * DVec3::X;
        let link = BodyDef::moving(format!("link-{k}"), Shape::capsule(0.035, 0.012).unwrap(), iron);
        let link = builder.body(link.at(Pose::new(place, turn)));
        let joint =
            JointDef::ball(format!("joint-{k}"), link, links.last().copied(), top + 0.1 * f64::from(k) * DVec3::X);
        builder.joint(joint.damped(2e-3));
        links.push(link);
    }
    (builder, links)
}

/// How far the ends of neighbouring links are apart.
fn drift(world: &World, links: &[BodyId]) -> f64 {
    let end = |link: BodyId, side: f64| world.pose(link).unwrap().transform_point(side * 0.05 * DVec3::Y);
    let apart = links.windows(2).map(|both| {
        let ends = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
        ends.map(|(p, q)| end(both[0], p).distance(end(both[1], q))).into_iter().fold(f64::INFINITY, f64::min)
    });
    apart.fold(0.0, f64::max)
}

#[test]
fn a_chain_comes_to_rest_on_the_ground_and_costs_nothing_there() {
    let (builder, links) = chain(8);
    let mut world = builder.build().unwrap();
    let (mut worst, mut time) = (0.0_f64, 0.0);
    while !links.iter().all(|link| world.is_resting(*link)) {
        time += 0.05;
        assert!(time < 30.0, "it never rests");
        world.advance(time).unwrap();
        worst = worst.max(drift(&world, &links));
    }
    // Links of a decimetre: within a step their ends go straight.
    assert!(worst < 2e-5, "{worst:e}");
    let events = world.statistics().events;
    let lowest = links.iter().map(|link| world.pose(*link).unwrap().translation.y).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.0119 && lowest < 0.0125, "{lowest}");
    world.advance(time + 100.0).unwrap();
    assert_eq!(world.statistics().events, events);
}

/// A door with a stop on either side that resists a little.
fn door() -> (WorldBuilder, BodyId) {
    let mut builder = World::builder().gravity(DOWN);
    let wood = builder.material(Material::new(600.0, 0.3, 0.4));
    let post = builder
        .body(BodyDef::fixed("post", rod(DVec3::new(0.05, 1.0, 0.05)), wood).at(Pose::from_translation(DVec3::Y)));
    let leaf = BodyDef::moving("door", rod(DVec3::new(0.4, 1.0, 0.02)), wood);
    let leaf = builder.body(leaf.at(Pose::from_translation(DVec3::new(0.45, 1.0, 0.0))).at_rest());
    for y in [0.2, 1.8] {
        let hinge = JointDef::hinge(format!("hinge at {y}"), leaf, Some(post), DVec3::new(0.04, y, 0.0), DVec3::Y);
        builder.joint(hinge.within(-0.1, 1.8).damped(1.5));
    }
    (builder, leaf)
}

fn opening(world: &World, leaf: BodyId) -> f64 {
    let along = world.pose(leaf).unwrap().rotation * DVec3::X;
    libm::atan2(-along.z, along.x)
}

#[test]
fn a_door_opens_stops_at_its_limit_and_rests() {
    let (mut builder, leaf) = door();
    let ball = builder.material(Material::new(2000.0, 0.6, 0.4));
    let thrown = BodyDef::moving("ball", Shape::sphere(0.1).unwrap(), ball).with_velocity(DVec3::new(0.0, 0.5, -8.0));
    builder.body(thrown.at(Pose::from_translation(DVec3::new(0.7, 1.0, 1.0))));
    let mut world = builder.build().unwrap();
    world.advance(0.05).unwrap();
    // Nothing is computed about what rests: one step of the ball's bound at most.
    assert!(world.is_resting(leaf));
    let (mut widest, mut least) = (0.0_f64, 0.0_f64);
    for frame in 1..=600 {
        world.advance(0.05 + f64::from(frame) / 60.0).unwrap();
        widest = widest.max(opening(&world, leaf));
        least = least.min(opening(&world, leaf));
        let place = world.pose(leaf).unwrap();
        assert!((place.translation.y - 1.0).abs() < 1e-6 && (place.rotation * DVec3::Y).distance(DVec3::Y) < 1e-6);
    }
    assert!(widest > 0.5, "{widest}");
    assert!(widest < 1.8 + 1e-3 && least > -0.1 - 1e-3, "{widest} {least}");
    assert!(world.is_resting(leaf));
}

/// What hangs in equilibrium and starts at rest is no event at all; a pendulum at its turning
/// point does not rest.
#[test]
fn rest_is_rest_and_a_turning_point_is_not() {
    let (mut builder, _) = pendulum(0.0);
    builder = WorldBuilder::clone(&builder);
    let mut still = builder.build().unwrap();
    still.advance(10.0).unwrap();
    let events = still.statistics().events;
    still.advance(1000.0).unwrap();
    assert_eq!(still.statistics().events, events);
    let (builder, body) = pendulum(0.01);
    let mut world = builder.build().unwrap();
    world.advance(60.0).unwrap();
    assert!(!world.is_resting(body));
}

#[test]
fn the_same_bits_whatever_the_bounds_and_in_reused_and_late_runs() {
    let push = |body: BodyId| Control::Impulse { body, impulse: DVec3::new(0.05, 0.0, 0.02), point: None };
    for builder in [cradle(0.3), chain(5).0] {
        let hash = |builder: WorldBuilder| {
            let mut world = builder.build().unwrap();
            let last = world.bodies().last().unwrap();
            world.schedule(0.431, push(last)).unwrap();
            world.advance(1.5).unwrap();
            world.state_hash()
        };
        let lists = hash(builder.clone().bounds(BoundsKind::SortedLists));
        assert_eq!(lists, hash(builder.clone().bounds(BoundsKind::Grid)));
        let mut late = builder.clone().late_input(0.1, 10.0).build().unwrap();
        late.advance(1.03).unwrap();
        let last = late.bodies().last().unwrap();
        late.schedule(0.431, push(last)).unwrap();
        late.advance(1.5).unwrap();
        assert_eq!(lists, late.state_hash());
    }
    let stray = |x: f64| {
        let (mut builder, _) = chain(4);
        let iron = builder.material(Material::new(2000.0, 0.5, 0.3));
        for (k, x) in [x, 3.0].into_iter().enumerate() {
            let ball = BodyDef::moving(format!("ball-{k}"), Shape::sphere(0.03).unwrap(), iron);
            builder.body(ball.at(Pose::from_translation(DVec3::new(x, 0.8, 0.0))));
        }
        builder
    };
    let take = Take::record(stray(0.2), 1.5, 0.1).unwrap();
    let again = take.again(stray(1.5)).unwrap();
    let mut fresh = stray(1.5).build().unwrap();
    fresh.advance(1.5).unwrap();
    assert_eq!(again.state_hash(), fresh.state_hash());
}

#[test]
fn what_is_taken_away_holds_nothing_any_more() {
    let (builder, links) = chain(4);
    let mut world = builder.build().unwrap();
    world.schedule(0.2, Control::Remove { body: links[1] }).unwrap();
    world.advance(0.3).unwrap();
    // The first still hangs, the others have begun to fall freely.
    let hung = world.pose(links[0]).unwrap();
    let top = DVec3::new(0.0, 0.35, 0.0);
    let nearest = [-1.0, 1.0].map(|side| hung.transform_point(side * 0.05 * DVec3::Y).distance(top));
    assert!(nearest[0].min(nearest[1]) < 1e-6);
    assert!(world.pose(links[1]).is_none());
    assert!(drift(&world, &links[2..]) < 1e-6);
    assert!(world.motion(links[2]).unwrap().velocity.y < -0.5);
}

#[test]
fn joints_that_cannot_be_are_refused() {
    let refused = |joint: fn(BodyId, BodyId) -> JointDef| {
        let (mut builder, leaf) = door();
        let post = builder.body_ids().next().unwrap();
        builder.joint(joint(leaf, post));
        let error = builder.build().unwrap_err();
        assert!(matches!(error, WorldError::Joint { .. }), "{error}");
        error.to_string()
    };
    let at = DVec3::Y;
    assert!(refused(|leaf, _| JointDef::ball("odd", leaf, Some(leaf), DVec3::Y)).contains("to itself"));
    assert!(refused(|_, post| JointDef::ball("odd", post, None, DVec3::Y)).contains("nothing can move"));
    assert!(refused(|leaf, _| JointDef::hinge("odd", leaf, None, DVec3::Y, DVec3::ZERO)).contains("no direction"));
    assert!(
        refused(|leaf, _| JointDef::hinge("odd", leaf, None, DVec3::Y, DVec3::Y).within(0.5, 1.0)).contains("beyond")
    );
    assert!(
        refused(|leaf, _| JointDef::hinge("odd", leaf, None, DVec3::Y, DVec3::Y).within(-4.0, 1.0))
            .contains("half a turn")
    );
    assert!(refused(|leaf, _| JointDef::rod("odd", leaf, None, DVec3::Y, DVec3::Y)).contains("coincide"));
    assert!(refused(|leaf, _| JointDef::rope("odd", leaf, None, [DVec3::Y, DVec3::X], 0.5)).contains("not within"));
    let (builder, _) = door();
    assert!(builder.impulses_only().build().unwrap_err().to_string().contains("contacts last"));
    let swing = JointDefKind::Ball { swing: Some((at, 2.0 * PI)) };
    let (mut builder, leaf) = door();
    builder.joint(JointDef { kind: swing, ..JointDef::ball("odd", leaf, None, at) });
    assert!(builder.build().unwrap_err().to_string().contains("half a turn"));
}
