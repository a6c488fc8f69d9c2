//! Promise: pins, balls and alleys behave as mechanics says, and a shot that was
//! found is that shot whenever it is simulated again.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use glam::{DQuat, DVec3};
use proscenium_direct::Model;
use proscenium_geometry::{Pose, separation};
use proscenium_rigid::{BodyDef, BodyId, Material, World};
use proscenium_scenes::{DirectedScene, Scene, Seed, Source, find};
use proscenium_work::Progress;

const GRAVITY: f64 = 9.81;

fn named(world: &World, name: &str) -> BodyId {
    world.bodies().find(|body| world.name(*body) == name).unwrap()
}

fn pins(world: &World) -> Vec<BodyId> {
    world.bodies().filter(|body| world.name(*body).starts_with("pin-")).collect()
}

/// How far a pin leans.
fn lean(pose: &Pose) -> f64 {
    libm::acos((pose.rotation * DVec3::Y).dot(DVec3::Y).clamp(-1.0, 1.0))
}

/// The pin of the alley, on ground that it does not slide on.
fn pin(leans: f64) -> (World, BodyId) {
    let alley = find("bowling=1", &[]).unwrap().draw(Seed(1)).world().unwrap();
    let shape = alley.shape(named(&alley, "pin-1")).clone();
    let mut builder = World::builder().gravity(DVec3::new(0.0, -GRAVITY, 0.0));
    let wood = builder.material(Material::new(756.0, 0.0, 0.9));
    let ground = proscenium_geometry::Shape::half_space(DVec3::Y).unwrap();
    builder.body(BodyDef::fixed("ground", ground, wood));
    // It leans over a corner of its base, which stays where it is.
    let corner = DVec3::new(BASE, 0.0, 0.0);
    let turn = DQuat::from_rotation_z(-leans);
    let pose = Pose::new(corner - turn * corner + 1e-6 * DVec3::Y, turn);
    let pin = builder.body(BodyDef::moving("pin", shape, wood).at(pose));
    (builder.build().unwrap(), pin)
}

/// The radius of the base, m.
const BASE: f64 = 0.5 * 2.031 * 0.0254;

#[test]
fn a_pin_has_the_mass_and_the_balance_of_the_rules() {
    let (world, pin) = pin(0.0);
    let mass = world.inertia(pin).unwrap().mass;
    assert!((1.53..1.64).contains(&mass), "{mass} kg");
    let height = world.shape(pin).mass_properties(756.0).unwrap().unwrap().shape_from_principal.translation.y;
    assert!((5.625..5.94).contains(&(height / 0.0254)), "{} in", height / 0.0254);
}

#[test]
fn a_pin_topples_beyond_the_angle_that_its_balance_implies() {
    let (world, id) = pin(0.0);
    let height = world.shape(id).mass_properties(756.0).unwrap().unwrap().shape_from_principal.translation.y;
    let critical = libm::atan(BASE / height);
    for (share, falls) in [(0.93, false), (1.07, true)] {
        let (mut world, id) = pin(share * critical);
        world.advance(4.0).unwrap();
        let leans = lean(&world.pose(id).unwrap());
        assert_eq!(leans > 1.0, falls, "let go at {share} of {critical}, it leans {leans}");
    }
}

/// Housner's rocking: from rest at an angle θ it takes acosh(1 / (1 − θ/α)) / p
/// to come upright, with p² = m g R / I about the corner, for slender bodies.
#[test]
fn a_pin_rocks_as_fast_as_its_moments_imply() {
    let (world, id) = pin(0.0);
    let inertia = *world.inertia(id).unwrap();
    let height = world.shape(id).mass_properties(756.0).unwrap().unwrap().shape_from_principal.translation.y;
    let (arm_squared, critical) = (BASE * BASE + height * height, libm::atan(BASE / height));
    let about_corner = inertia.moments.x + inertia.mass * arm_squared;
    let rate = (inertia.mass * GRAVITY * arm_squared.sqrt() / about_corner).sqrt();
    let share = 0.5;
    let expected = libm::acosh(1.0 / (1.0 - share)) / rate;
    let (mut world, id) = pin(share * critical);
    let mut upright = f64::INFINITY;
    for step in 1..4000 {
        let time = 2.0 * expected * f64::from(step) / 4000.0;
        world.advance(time).unwrap();
        // Upright is where it stops leaning to the side that it began with.
        let leans = (world.pose(id).unwrap().rotation * DVec3::Y).x;
        if leans <= 1e-3 * critical {
            upright = time;
            break;
        }
    }
    assert!((upright / expected - 1.0).abs() < 0.05, "{upright} s, and not {expected} s");
}

/// A ball of radius r that slides with the velocity u of its lowest point is
/// slowed down by μ g along u, which keeps its direction and decreases by
/// 7/2 μ g, until it rolls.
#[test]
fn a_ball_slides_hooks_and_rolls_as_the_closed_form_says() {
    let (radius, oiled, friction) = (0.108, 12.0, [0.04, 0.20]);
    let text = format!(
        r#"
        format = 1
        duration = 4.0
        [materials.boards]
        friction = {dry}
        restitution = 0.0
        [materials.oil]
        friction = {oil}
        restitution = 0.0
        [[pair]]
        materials = ["urethane", "oil"]
        friction = {oil}
        [[pair]]
        materials = ["urethane", "boards"]
        friction = {dry}
        [materials.urethane]
        [[body]]
        name = "lane"
        fixed = true
        material = "boards"
        shape = {{ box = [40.0, 0.2, 20.0] }}
        position = [20.0, -0.1, 0.0]
        zones = [{{ shape = {{ box = [{oiled}, 1.0, 20.0] }}, position = [-14.0, 0.0, 0.0], material = "oil" }}]
        [[body]]
        name = "ball"
        material = "urethane"
        shape = {{ sphere = {radius} }}
        position = [0.0, {radius}, 0.0]
        velocity = [8.0, 0.0, 0.1]
        spin = [-30.0, 5.0, -15.0]
        "#,
        oil = friction[0],
        dry = friction[1],
    );
    let scene = Scene::parse(&text, &Source::inline("lane.toml", text.clone())).unwrap();
    let mut world = scene.draw(Seed(1)).world().unwrap();
    let ball = named(&world, "ball");

    let (mut place, mut velocity) = (DVec3::new(0.0, radius, 0.0), DVec3::new(8.0, 0.0, 0.1));
    let mut slip = velocity + DVec3::new(-30.0, 5.0, -15.0).cross(-radius * DVec3::Y);
    let mut now = 0.0;
    for (mu, until) in [(friction[0], oiled), (friction[1], f64::INFINITY)] {
        let slowing = -mu * GRAVITY * slip.normalize();
        let rolls = slip.length() / (3.5 * mu * GRAVITY);
        // When it reaches the end of the oil, if it still slides then.
        let leaves = if until.is_finite() {
            let (speed, rate) = (velocity.x, slowing.x);
            (-speed + (speed * speed + 2.0 * rate * (until - place.x)).sqrt()) / rate
        } else {
            f64::INFINITY
        };
        let span = rolls.min(leaves);
        for part in [0.25, 0.5, 0.75, 1.0] {
            let dt = part * span;
            world.advance(now + dt).unwrap();
            let expected = place + dt * velocity + 0.5 * dt * dt * slowing;
            let found = world.pose(ball).unwrap().translation;
            assert!(found.distance(expected) < 2e-3, "at {} s: {found}, and not {expected}", now + dt);
        }
        now += span;
        place += span * velocity + 0.5 * span * span * slowing;
        velocity += span * slowing;
        slip += 3.5 * span * slowing;
    }
    assert!(place.z.abs() > 0.3, "it hooks: {place}");
    // Then it rolls straight on.
    world.advance(now + 0.5).unwrap();
    let found = world.pose(ball).unwrap().translation;
    assert!(found.distance(place + 0.5 * velocity) < 5e-3, "{found}");
}

#[test]
fn equal_balls_part_at_a_right_angle() {
    let mut builder = World::builder().gravity(DVec3::ZERO);
    let smooth = builder.material(Material::new(1700.0, 1.0, 0.0));
    let sphere = proscenium_geometry::Shape::sphere(0.0286).unwrap();
    let cue = BodyDef::moving("cue", sphere.clone(), smooth).with_velocity(DVec3::new(2.0, 0.0, 0.0));
    let cue = builder.body(cue.at(Pose::from_translation(DVec3::new(-0.5, 0.0, 0.02))));
    let other = builder.body(BodyDef::moving("other", sphere, smooth));
    let mut world = builder.build().unwrap();
    world.advance(1.0).unwrap();
    let [a, b] = [cue, other].map(|ball| world.motion(ball).unwrap().velocity);
    assert!(b.length() > 0.1 && a.length() > 0.1);
    assert!(a.angle_between(b).to_degrees() - 90.0 < 1e-6, "{}", a.angle_between(b).to_degrees());
    assert!((a + b).distance(DVec3::new(2.0, 0.0, 0.0)) < 1e-12);
}

#[test]
fn pins_never_sink_into_the_deck() {
    for seed in 1..=2 {
        let scene = find("bowling", &[]).unwrap().with_variable("place", 0.04).unwrap();
        let mut world = scene.with_variable("drift", 0.0).unwrap().draw(Seed(seed)).world().unwrap();
        let lane = named(&world, "lane");
        for step in 0..=60 {
            world.advance(2.0 + 0.05 * f64::from(step)).unwrap();
            let lane_pose = world.pose(lane).unwrap();
            for body in pins(&world) {
                let gap = separation(world.shape(body), &world.pose(body).unwrap(), world.shape(lane), &lane_pose);
                assert!(gap > -1e-3, "{} is {} m deep at {} s", world.name(body), -gap, world.now());
            }
        }
    }
}

#[test]
fn sampled_strikes_are_strikes_when_they_are_simulated_again() {
    let scene = find("bowling", &[]).unwrap().with_variable("place", 0.06).unwrap();
    let scene = scene.with_variable("drift", 0.0).unwrap().with_wants("all fall").unwrap();
    let model = DirectedScene::new(&scene).unwrap();
    let stream = Seed(4).stream("strikes");
    let throws = (0..300).map(|index| model.space().draw(&mut stream.at(index)));
    let mut strikes = throws.filter_map(|point| {
        let thrown = model.outcome(&point, &Progress::none()).unwrap().finished().unwrap();
        thrown.satisfied.then_some((point, thrown.outcome))
    });
    let (point, outcome) = strikes.next().expect("a strike in 300 throws");
    let mut world = model.drawn(&point).unwrap().world().unwrap();
    world.advance(scene.duration()).unwrap();
    let down = |body: &BodyId| world.pose(*body).is_none_or(|pose| lean(&pose) > 0.78);
    let pins = pins(&world);
    assert_eq!(pins.len(), 10);
    assert!(pins.iter().all(down));
    // It was decided before the end of the scene, and not before the blow.
    assert!((1.0..=scene.duration()).contains(&outcome.ended()));
}

/// A shot that was decided before the end of the scene ends as it was decided.
#[test]
fn what_is_decided_early_is_how_the_whole_simulation_ends() {
    for text in ["bowling", "bowling=6,7"] {
        let scene = find(text, &[]).unwrap().with_wants("all fall").unwrap();
        let model = DirectedScene::new(&scene).unwrap();
        let stream = Seed(11).stream("decided");
        let mut early = 0;
        for index in 0..12 {
            let point = model.space().draw(&mut stream.at(index));
            let thrown = model.outcome(&point, &Progress::none()).unwrap().finished().unwrap().outcome;
            early += u32::from(thrown.ended() < scene.duration());
            let mut world = model.drawn(&point).unwrap().world().unwrap();
            let mut fallen = vec![false; world.bodies().count()];
            for moment in 1..=100 {
                world.advance(scene.duration() * f64::from(moment) / 100.0).unwrap();
                for body in pins(&world) {
                    fallen[body.index()] |= lean(&world.pose(body).unwrap()).to_degrees() > 60.0;
                }
            }
            for body in pins(&world) {
                let name = world.name(body);
                let decided = thrown.pose(name, thrown.ended()).unwrap();
                if thrown.is_resting(name) && thrown.ended() < scene.duration() && !fallen[body.index()] {
                    assert_eq!(decided, world.pose(body).unwrap(), "{name} in throw {index}");
                }
            }
            let is_down = |body: &BodyId| {
                let lies = lean(&world.pose(*body).unwrap()).to_degrees() > 45.0 && world.is_resting(*body);
                fallen[body.index()] || lies
            };
            let down = pins(&world).iter().all(is_down);
            assert_eq!(thrown.wants_met(), [down], "throw {index} of {text}");
        }
        assert!(early > 3, "{early} of 12 throws are decided early");
    }
}
