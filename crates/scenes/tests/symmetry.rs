//! Promise: one simulation stands for all turns of symmetric bodies, and what is found in
//! this way is distributed as what is found without.
//!
//! The two are compared by tests of Kolmogorov and Smirnov and of chi squared; with the
//! seeds fixed they always pass or always fail, and a right program fails one in a
//! thousand of all that are here.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use proscenium_chance::statistics::{chi_squared_homogeneity, kolmogorov_smirnov_two_samples};
use proscenium_direct::{Method, Mix, Sampler, SamplerOptions, Success};
use proscenium_scenes::{DirectedScene, Outcome, Scene, Seed, SimulateOptions, Source};
use proscenium_work::Progress;

/// Of all tests here together.
const ERROR_RATE: f64 = 1e-3;

const FLOOR: &str = r#"
format = 1
duration = 2.0
[materials.bone]
density = 1800.0
restitution = 0.3
friction = 0.5
[[body]]
name = "table"
fixed = true
material = "bone"
shape = { half_space = [0, 1, 0] }
"#;

/// A body that is thrown, with its shape and how it is turned.
fn thrown(name: &str, shape: &str, turned: &str, x: f64) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmaterial = \"bone\"\nshape = {shape}\nposition = [{x}, 0.05, 0]\n\
         orientation = {turned}\nvelocity = [{{ normal = [0, 0.2] }}, 0, {{ normal = [0, 0.2] }}]\n\
         spin = {{ normal = [0, 10] }}\n"
    )
}

const CUBE: &str = "{ box = [0.02, 0.02, 0.02], rounding = 0.002 }";
const UNIFORM: &str = "\"uniform\"";

fn directed(bodies: &[String], wants: &str) -> DirectedScene {
    let mut text = format!("{FLOOR}{}{wants}", bodies.concat());
    if text.contains("sphere") || text.contains("turned =") {
        // What is round rolls on until something stops it.
        text = text.replace("friction = 0.5", "friction = 0.5\nrolling = 0.2");
    }
    let scene = Scene::parse(&text, &Source::inline("scene.toml", &text));
    DirectedScene::new(&scene.unwrap_or_else(|errors| panic!("{errors}\nin\n{text}"))).unwrap()
}

/// So many animations that meet the wants, and how many simulations they took.
fn found(model: &DirectedScene, seed: u64, samples: usize) -> (Vec<Success<Outcome>>, u64) {
    let (mix, progress): (Mix, Progress) = (model.mix().unwrap(), Progress::none());
    let options = SamplerOptions { method: Some(Method::Rejection), ..SamplerOptions::default() };
    let mut sampler = Sampler::start(model, &mix, Seed(seed), options, &progress).unwrap().finished().unwrap();
    let mut found = Vec::new();
    while found.len() < samples {
        found.extend(sampler.advance(&progress).unwrap().finished().unwrap().successes);
    }
    found.truncate(samples);
    let simulations = found.last().map_or(0, |last| last.sample.iteration + 1);
    (found, simulations)
}

/// With and without the symmetry: what is found agrees in every number that is asked
/// for. Also how many times fewer simulations it takes.
fn agrees(model: impl Fn() -> DirectedScene, samples: usize, numbers: &[fn(&Outcome) -> f64]) -> f64 {
    let (with, without) = (model(), model().without_symmetry());
    assert!(with.is_symmetric() && !without.is_symmetric());
    let (one, cost) = found(&with, 1, samples);
    let (other, cost_without) = found(&without, 2, samples);
    for (index, number) in numbers.iter().enumerate() {
        let of =
            |found: &[Success<Outcome>]| -> Vec<f64> { found.iter().map(|success| number(&success.outcome)).collect() };
        let test = kolmogorov_smirnov_two_samples(&of(&one), &of(&other)).unwrap();
        assert!(test.p_value > ERROR_RATE / 20.0, "number {index}: {}", test.p_value);
    }
    cost_without as f64 / cost as f64
}

/// How far a body is turned about the vertical, in the direction of one of its axes.
fn heading(outcome: &Outcome, body: &str, axis: glam::DVec3) -> f64 {
    let pointed = outcome.pose(body, 2.0).unwrap().rotation * axis;
    libm::atan2(pointed.z, pointed.x)
}

#[test]
fn one_throw_of_a_die_serves_all_its_turns() {
    let die = || directed(&[thrown("die", CUBE, UNIFORM, 0.0)], "[[want]]\nbody = \"die\"\nface_up = 6\n");
    let gain = agrees(
        die,
        300,
        &[
            |outcome| outcome.pose("die", 2.0).unwrap().translation.x,
            |outcome| outcome.pose("die", 2.0).unwrap().translation.z,
            |outcome| heading(outcome, "die", glam::DVec3::X),
            |outcome| outcome.contacts().count() as f64,
            // Where it started: a turn of the body's side leaves it uniform.
            |outcome| (outcome.pose("die", 0.0).unwrap().rotation * glam::DVec3::X).y,
        ],
    );
    assert!(gain > 4.5, "{gain}");
}

#[test]
fn nine_pairs_of_sixes_take_thirty_simulations_at_most() {
    let wants = "[[want]]\nbody = \"die-1\"\nface_up = 6\n[[want]]\nbody = \"die-2\"\nface_up = 6\n";
    let dice = [thrown("die-1", CUBE, UNIFORM, 0.0), thrown("die-2", CUBE, UNIFORM, 0.1)];
    let (found, simulations) = found(&directed(&dice, wants), 5, 9);
    assert!(simulations <= 30, "{simulations}");
    for success in &found {
        assert_eq!(success.outcome.wants_met(), [true, true]);
        for die in ["die-1", "die-2"] {
            let up = success.outcome.pose(die, 2.0).unwrap().rotation * glam::DVec3::NEG_Y;
            assert!(up.y > 0.96, "{die} {up}");
        }
    }
}

#[test]
fn what_is_exported_shows_what_was_found() {
    let wants = "[[want]]\nbody = \"die\"\nface_up = 6\n";
    let model = directed(&[thrown("die", CUBE, UNIFORM, 0.0)], wants);
    for success in found(&model, 7, 20).0 {
        let simulation =
            model.drawn(&success.sample.point).unwrap().simulate(&SimulateOptions::default(), &Progress::none());
        let clip = simulation.unwrap().clip;
        let node = clip.nodes.iter().find(|node| node.name == "die").unwrap();
        for time in [0.0, 0.3, 1.0, 2.0] {
            let shown = node.track.as_ref().unwrap().sample(time as f32).orientation.as_dquat().normalize();
            let told = success.outcome.pose("die", time).unwrap().rotation;
            assert!(shown.dot(told).abs() > 0.999, "{time}: {shown} {told}");
        }
    }
}

#[test]
fn a_die_of_twenty_faces_has_sixty_turns() {
    // An icosahedron with a face up: two triangles and two rings between them.
    let corners: Vec<String> =
        twenty_faces().iter().map(|corner| format!("[{}, {}, {}]", corner.x, corner.y, corner.z)).collect();
    let shape = format!("{{ hull = [{}] }}", corners.join(", "));
    let model = || directed(&[thrown("die", &shape, UNIFORM, 0.0)], "[[want]]\nbody = \"die\"\nface_up = \"+y\"\n");
    let gain = agrees(
        model,
        100,
        &[
            |outcome| outcome.pose("die", 2.0).unwrap().translation.x,
            |outcome| heading(outcome, "die", glam::DVec3::X),
            |outcome| outcome.contacts().count() as f64,
        ],
    );
    assert!(gain > 12.0, "{gain}");
}

/// The corners of an icosahedron that stands on a face.
fn twenty_faces() -> Vec<glam::DVec3> {
    let hull = proscenium_geometry::Hull::icosahedron(0.015).unwrap();
    let [a, b, c] = hull.triangles()[0].map(|index| hull.vertices()[index as usize]);
    let normal = (b - a).cross(c - a).normalize();
    let turn = glam::DQuat::from_rotation_arc(normal, glam::DVec3::Y);
    hull.vertices().iter().map(|corner| turn * *corner).collect()
}

#[test]
fn pins_turn_about_their_axis_and_balls_about_any() {
    let pin = "{ turned = [[-0.03, 0.012], [0.0, 0.015], [0.02, 0.008]] }";
    let about = "{ axis = [0, 1, 0], degrees = { uniform = [0, 360] } }";
    let wanted =
        "[[want]]\nbody = \"pin\"\norientation = { like = { axis = [1, 0, 0], degrees = 90 }, within_degrees = 60 }\n";
    let pins = || directed(&[thrown("pin", pin, about, 0.0)], wanted);
    let numbers: [fn(&Outcome) -> f64; 2] =
        [|outcome| outcome.pose("pin", 2.0).unwrap().translation.x, |outcome| heading(outcome, "pin", glam::DVec3::Y)];
    agrees(pins, 60, &numbers);
    let wanted = "[[want]]\nbody = \"ball\"\nface_up = \"+y\"\n";
    let balls = || directed(&[thrown("ball", "{ sphere = 0.01 }", UNIFORM, 0.0)], wanted);
    let numbers: [fn(&Outcome) -> f64; 2] = [
        |outcome| outcome.pose("ball", 2.0).unwrap().translation.x,
        |outcome| heading(outcome, "ball", glam::DVec3::X),
    ];
    agrees(balls, 100, &numbers);
}

#[test]
fn wants_that_connect_dice_are_counted_together() {
    let wants = "[[want]]\nbody = [\"die-1\", \"die-2\"]\nface_up = 6\nat_least = 1\n";
    let dice = || directed(&[thrown("die-1", CUBE, UNIFORM, 0.0), thrown("die-2", CUBE, UNIFORM, 0.1)], wants);
    let first_shows = |outcome: &Outcome| (outcome.pose("die-1", 2.0).unwrap().rotation * glam::DVec3::NEG_Y).y > 0.9;
    let second_shows = |outcome: &Outcome| (outcome.pose("die-2", 2.0).unwrap().rotation * glam::DVec3::NEG_Y).y > 0.9;
    let counts = |model: &DirectedScene, seed| {
        let mut counts = [0_u64; 3];
        for success in found(model, seed, 400).0 {
            let shows = (first_shows(&success.outcome), second_shows(&success.outcome));
            counts[if shows == (true, true) { 2 } else { usize::from(shows.1) }] += 1;
        }
        counts
    };
    let (with, without) = (counts(&dice(), 1), counts(&dice().without_symmetry(), 2));
    let test = chi_squared_homogeneity(&with, &without).unwrap();
    assert!(test.p_value > ERROR_RATE / 20.0, "{with:?} {without:?}");
    // One in eleven throws with a six has two.
    assert!(with[2] > 10 && with[0] > 120 && with[1] > 120, "{with:?}");
}

#[test]
fn where_a_turn_would_change_something_it_is_not_used() {
    let wants = "[[want]]\nbody = \"die\"\nface_up = 6\n";
    let is_used = |shape: &str, turned: &str, more: &str, wants: &str| {
        directed(&[thrown("die", shape, turned, 0.0), more.to_owned()], wants).is_symmetric()
    };
    assert!(is_used(CUBE, UNIFORM, "", wants));
    // A turn that is not drawn, or not from all.
    assert!(!is_used(CUBE, "{ euler_degrees = [10, 20, 30] }", "", wants));
    assert!(!is_used(CUBE, "{ axis = [0, 1, 0], degrees = { uniform = [0, 180] } }", "", wants));
    assert!(!is_used(CUBE, "{ axis = [0, 1, 0], degrees = { normal = [0, 90] } }", "", wants));
    // About the vertical the face that is up stays up.
    assert!(!is_used(CUBE, "{ axis = [0, 1, 0], degrees = { uniform = [0, 360] } }", "", wants));
    // A loaded die.
    assert!(!is_used(
        CUBE,
        UNIFORM,
        "zones = [{ shape = { sphere = 0.004 }, position = [0, 0.006, 0], material = \"bone\" }]\n",
        wants
    ));
    // A size that is drawn.
    assert!(!is_used("{ box = [{ uniform = [0.01, 0.02] }, 0.02, 0.02] }", UNIFORM, "", wants));
    // A want that no turn matters to.
    assert!(!is_used(CUBE, UNIFORM, "", "[[want]]\nbody = \"die\"\nnear = { position = [0, 0], within = 0.1 }\n"));
    // A brick of three lengths has turns, but none that shows another of its sides.
    assert!(is_used("{ box = [0.02, 0.03, 0.04] }", UNIFORM, "", wants));
    assert!(!is_used(
        "{ hull = [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01], [-0.01, -0.01, -0.012]] }",
        UNIFORM,
        "",
        wants
    ));
}
