//! Promise: each built-in scene shows what its summary says.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use proscenium_diagnostics::Remedy as _;
use proscenium_geometry::ShapeKind;
use proscenium_geometry::glam::DVec3;
use proscenium_rigid::{BodyId, World};
use proscenium_scenes::{Seed, builtin, find};

fn world(name: &str, parameters: &[(&str, f64)]) -> World {
    find(name, parameters).unwrap().draw(Seed(1)).world().unwrap()
}

fn moving(world: &World) -> Vec<BodyId> {
    world.bodies().filter(|body| world.inertia(*body).is_some()).collect()
}

#[test]
fn scenes_are_sorted_and_described() {
    assert!(builtin().is_sorted_by_key(|scene| scene.name));
    for scene in builtin() {
        assert!(scene.summary.ends_with('.') || scene.summary.ends_with(')'), "{}", scene.name);
        for parameter in scene.parameters {
            assert!((parameter.min..=parameter.max).contains(&parameter.default), "{}", parameter.name);
            let wrong = [f64::NAN, parameter.min - 1.0, parameter.max + parameter.max.abs() + 1.0];
            for value in wrong {
                assert!(scene.scene(&[(parameter.name, value)]).is_err(), "{} = {value}", parameter.name);
            }
            if parameter.whole {
                assert!(scene.scene(&[(parameter.name, parameter.default + 0.5)]).is_err());
            }
        }
    }
    let errors = find("box", &[("radios", 1.0)]).unwrap_err().explain();
    assert!(errors.contains("did you mean \"radius\"?"), "{errors}");
}

#[test]
fn the_box_holds_up_to_512_polyhedra() {
    for (count, seed) in [(1, 1), (64, 1), (64, 2), (512, 3)] {
        let world = world("box", &[("n", f64::from(count)), ("seed", f64::from(seed))]);
        let bodies = moving(&world);
        assert_eq!(bodies.len(), count as usize);
        for body in bodies {
            let motion = world.motion(body).unwrap();
            assert_eq!(motion.spin, DVec3::ZERO);
            let place = motion.position;
            // 10.2 diameters wide, so that centres keep within 9.2 of them.
            assert!(place.x.abs().max(place.z.abs()).max((place.y - 0.51).abs()) <= 0.46 + 1e-12);
        }
    }
    let places = |seed| find("box", &[("seed", seed)]).unwrap().to_toml();
    assert_eq!(places(5.0), places(5.0));
    assert_ne!(places(5.0), places(6.0));
}

#[test]
fn the_gas_has_the_packing_that_was_asked_for() {
    let packing = 0.2;
    let world = world("gas", &[("packing", packing), ("n", 50.0), ("radius", 0.1)]);
    let planes: Vec<f64> = world
        .bodies()
        .filter(|body| matches!(world.shape(*body).kind(), ShapeKind::HalfSpace { .. }))
        .map(|body| world.pose(body).unwrap().translation.length())
        .collect();
    let side = planes.iter().copied().fold(0.0, f64::max);
    let filled = 50.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.001;
    assert!((filled / (side * side * side) / packing - 1.0).abs() < 1e-12);
    assert!(find("gas", &[("packing", 0.3), ("n", 2.0)]).is_err());
}

#[test]
fn the_handle_flips_over() {
    let mut world = world("spin", &[]);
    let handle = moving(&world)[0];
    let mut sides = Vec::new();
    for step in 1..=600 {
        world.advance(12.0 * f64::from(step) / 600.0).unwrap();
        let stem = world.pose(handle).unwrap().rotation * DVec3::Y;
        let side = stem.y > 0.0;
        // Near the horizontal it is neither.
        if stem.y.abs() > 0.5 && sides.last() != Some(&side) {
            sides.push(side);
        }
    }
    assert!(sides.len() >= 5, "it flips {} times", sides.len() - 1);
}

#[test]
fn the_bullet_never_passes_the_plate() {
    for speed in [0.5, 10.0, 333.3, 1000.0, 3141.6, 10_000.0] {
        for thickness in [1e-5, 1e-3] {
            let mut world = world("bullet", &[("speed", speed), ("thickness", thickness)]);
            let bullet = moving(&world)[0];
            for step in 1..=50 {
                world.advance(3.0 * f64::from(step) / 50.0).unwrap();
                let x = world.pose(bullet).unwrap().translation.x;
                assert!((-0.45..0.1).contains(&x), "at {speed} m/s it is at {x}");
            }
        }
    }
}

#[test]
fn the_cradle_hands_motion_on() {
    for arriving in 1..=3 {
        let mut world = world("cradle", &[("moving", f64::from(arriving))]);
        let energy = world.energy();
        world.advance(0.35).unwrap();
        let balls = moving(&world);
        let speeds: Vec<f64> = balls.iter().map(|ball| world.motion(*ball).unwrap().velocity.length()).collect();
        let leave = speeds.iter().rev().take_while(|speed| **speed > 0.5).count();
        assert_eq!(leave, arriving as usize, "{speeds:?}");
        assert!(speeds[..5 - leave].iter().all(|speed| *speed < 1e-9), "{speeds:?}");
        assert!((world.energy() / energy - 1.0).abs() < 1e-12);
    }
}

fn at_rest(world: &World, body: BodyId) -> bool {
    world.motion(body).is_some_and(|motion| motion.velocity == DVec3::ZERO && motion.spin == DVec3::ZERO)
}

#[test]
fn the_hourglass_lets_every_grain_through() {
    let count = 15;
    let mut world = world("hourglass", &[("n", f64::from(count)), ("rate", 12.0)]);
    let grains = moving(&world);
    world.advance(0.5).unwrap();
    // One at the start, and one each twelfth of a second.
    assert_eq!(grains.iter().filter(|grain| world.pose(**grain).is_some()).count(), 7);
    world.advance(5.0).unwrap();
    for grain in grains {
        let place = world.pose(grain).unwrap().translation;
        assert!(place.y < 0.14 && place.x.abs().max(place.z.abs()) < 0.08, "{} is at {place}", world.name(grain));
        assert!(at_rest(&world, grain), "{} moves", world.name(grain));
    }
}

#[test]
fn the_break_keeps_its_balls_on_the_table_or_in_the_catcher() {
    for seed in 1..=5 {
        let mut world = find("break", &[]).unwrap().draw(Seed(seed)).world().unwrap();
        let balls = moving(&world);
        assert_eq!(balls.len(), 16);
        let mass = world.inertia(balls[0]).unwrap().mass;
        assert!((mass - 0.17).abs() < 1e-4, "{mass}");
        let start: Vec<DVec3> = balls.iter().map(|ball| world.pose(*ball).unwrap().translation).collect();
        world.advance(30.0).unwrap();
        let mut scattered = 0;
        for (ball, start) in balls.iter().zip(start) {
            let place = world.pose(*ball).unwrap().translation;
            assert!(place.x.abs() < 1.36 && place.z.abs() < 0.725, "{} is at {place}", world.name(*ball));
            let height = place.y - 0.028_575;
            let (on_the_bed, caught) = (height.abs() < 2e-5, (height + 0.11).abs() < 2e-5);
            assert!(on_the_bed || caught, "{} is at {place}", world.name(*ball));
            assert!(at_rest(&world, *ball), "{} rolls on", world.name(*ball));
            scattered += usize::from(place.distance(start) > 0.1);
        }
        assert!(scattered >= 10, "seed {seed} scatters {scattered}");
    }
}

#[test]
fn dominoes_stand_until_they_are_pushed_and_then_all_fall() {
    let upright = |world: &World, body: BodyId| (world.pose(body).unwrap().rotation * DVec3::Y).y;
    let mut still = world("dominoes", &[("count", 40.0), ("push", 0.0)]);
    still.advance(2.0).unwrap();
    let places: Vec<_> = moving(&still).iter().map(|domino| still.pose(*domino)).collect();
    still.advance(10.0).unwrap();
    for (domino, place) in moving(&still).into_iter().zip(places) {
        assert!(upright(&still, domino) > 1.0 - 1e-9 && still.pose(domino) == place);
    }
    let mut pushed = world("dominoes", &[("count", 40.0)]);
    pushed.advance(4.0).unwrap();
    for domino in moving(&pushed) {
        assert!(upright(&pushed, domino) < 0.7, "{} stands", pushed.name(domino));
        assert!(at_rest(&pushed, domino), "{} moves", pushed.name(domino));
    }
}

#[test]
fn every_die_shows_a_face() {
    for seed in 1..=10 {
        let scene = find("dice", &[]).unwrap();
        let mut world = scene.draw(Seed(seed)).world().unwrap();
        world.advance(scene.duration()).unwrap();
        for die in moving(&world) {
            let up = world.pose(die).unwrap().rotation.inverse() * DVec3::Y;
            assert!(at_rest(&world, die), "seed {seed}: {} moves", world.name(die));
            assert!(up.abs().max_element() > 0.999, "seed {seed}: {} stands on an edge: {up}", world.name(die));
        }
    }
}

/// Every marble comes to rest, nearly always in a bin; and the word has as many
/// bins and marbles as the paper says.
#[test]
fn marbles_come_to_rest_in_bins() {
    let scene = find("spell", &[]).unwrap();
    assert_eq!((scene.wants().count(), scene.body_count()), (10, 11));
    let large = find("spell=acm", &[("height", 5.0)]).unwrap();
    assert_eq!((large.wants().count(), large.body_count()), (30, 31));
    let mut on_partitions = 0;
    for seed in 1..=5 {
        let mut world = scene.draw(Seed(seed)).world().unwrap();
        world.advance(scene.duration()).unwrap();
        for marble in moving(&world).into_iter().filter(|marble| world.pose(*marble).is_some()) {
            let place = world.pose(marble).unwrap().translation;
            assert!(at_rest(&world, marble), "seed {seed}: {} moves", world.name(marble));
            assert!(place.x.abs() < 0.07 && place.z.abs() < 0.05, "{} is at {place}", world.name(marble));
            let middle = |x: f64| (x / 0.022).round() * 0.022;
            let off = DVec3::new(place.x - middle(place.x), 0.0, place.z - middle(place.z)).length();
            on_partitions += usize::from(place.y > 0.018 || off > 0.005);
        }
    }
    assert!(on_partitions <= 3, "{on_partitions} marbles lie on partitions");
    for wrong in ["spell=H2O", "spell=", "dice=HI"] {
        assert!(find(wrong, &[]).is_err(), "{wrong}");
    }
    assert!(find("spell", &[("height", 4.0)]).is_err());
}

#[test]
fn dice_come_to_rest_on_their_faces_on_a_bumpy_table() {
    for seed in 1..=10 {
        let scene = find("table", &[("n", 3.0)]).unwrap();
        let mut world = scene.draw(Seed(seed)).world().unwrap();
        world.advance(scene.duration()).unwrap();
        for die in moving(&world) {
            let pose = world.pose(die).unwrap();
            let up = pose.rotation.inverse() * DVec3::Y;
            assert!(at_rest(&world, die), "seed {seed}: {} moves", world.name(die));
            // The bumps are as steep as a few degrees, and one die may lean on another.
            assert!(up.abs().max_element() > 0.9, "seed {seed}: {} stands on an edge: {up}", world.name(die));
        }
    }
}

#[test]
fn pins_weigh_what_the_rules_say_and_stand_until_they_are_hit() {
    let scene = find("pins", &[("distance", 18.0)]).unwrap();
    let mut world = scene.draw(Seed(1)).world().unwrap();
    let pins: Vec<BodyId> = moving(&world).into_iter().filter(|body| world.name(*body).starts_with("pin")).collect();
    assert_eq!(pins.len(), 10);
    let inertia = world.inertia(pins[0]).unwrap();
    assert!((1.531..1.644).contains(&inertia.mass), "{} kg", inertia.mass);
    let start: Vec<_> = pins.iter().map(|pin| world.pose(*pin).unwrap()).collect();
    world.advance(2.0).unwrap();
    for (pin, start) in pins.iter().zip(start) {
        let pose = world.pose(*pin).unwrap();
        let way = pose.translation.distance(start.translation);
        assert!(way < 1e-4, "{} walks by {way}", world.name(*pin));
        assert!((pose.rotation * DVec3::Y).y > 1.0 - 1e-6, "{} leans", world.name(*pin));
    }
    // From near by the ball goes where it is aimed.
    for seed in 1..=3 {
        let mut world = find("pins", &[]).unwrap().draw(Seed(seed)).world().unwrap();
        world.advance(6.0).unwrap();
        let fallen = |pin: &&BodyId| {
            let pose = world.pose(**pin).unwrap();
            (pose.rotation * DVec3::Y).y < 0.9 || pose.translation.y < -0.01
        };
        let count = pins.iter().filter(fallen).count();
        assert!(count >= 5, "seed {seed}: {count} have fallen");
    }
}
