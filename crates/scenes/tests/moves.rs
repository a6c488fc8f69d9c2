//! Promise: bodies of a scene file that move as told do, in recordings and in directed runs.

#![allow(clippy::unwrap_used)]

use proscenium_direct::Model as _;
use proscenium_scenes::{DirectedScene, Scene, Seed, SimulateOptions, Source};
use proscenium_work::{Progress, Remedy as _};

const PADDLE: &str = r#"
format = 1
duration = 2.0
gravity = [0, 0, 0]
[variables]
beat = { uniform = [3.0, 5.0] }
[materials.steel]
restitution = 1.0
friction = 0.0
[[body]]
name = "paddle"
material = "steel"
shape = { box = [0.2, 0.2, 0.2] }
moves = { position = ["0.2 * sin(beat * t)", 0, 0], axis = [1, 0, 0], degrees = "90 * t" }
[[body]]
name = "ball"
material = "steel"
shape = { sphere = 0.1 }
position = [0.3, 0, 0]
"#;

fn scene(text: &str) -> Result<Scene, String> {
    Scene::parse(text, &Source::inline("scene.toml", text)).map_err(|errors| errors.explain())
}

#[test]
fn a_ball_is_hit_by_a_paddle_as_fast_as_its_formula_says() {
    let paddle = scene(PADDLE).unwrap();
    assert_eq!(scene(&paddle.to_toml()).unwrap(), paddle);
    for seed in 0..6 {
        let drawn = paddle.draw(Seed(seed));
        let beat = drawn.values()["beat"];
        let mut world = drawn.world().unwrap();
        let ball = world.bodies().nth(1).unwrap();
        // The side reaches x = 0.2 when the sine is a half.
        let when = libm::asin(0.5) / beat;
        world.advance(when - 1e-4).unwrap();
        assert_eq!(world.motion(ball).unwrap().velocity.length(), 0.0);
        world.advance(when + 1e-4).unwrap();
        let speed = world.motion(ball).unwrap().velocity.x;
        let expected = 2.0 * 0.2 * beat * libm::cos(beat * when);
        assert!((speed / expected - 1.0).abs() < 1e-3, "{speed} {expected}");
        // A run that lasts longer goes on to and fro.
        let options = SimulateOptions { duration: Some(4.0), ..SimulateOptions::default() };
        let run = drawn.simulate(&options, &Progress::none()).unwrap();
        let paddle = run.clip.world_from_node(run.clip.node("paddle").unwrap(), 3.3).unwrap();
        let place = f64::from(paddle.to_scale_rotation_translation().2.x);
        assert!((place - 0.2 * libm::sin(beat * 3.3)).abs() < 2e-3, "{place}");
    }
}

#[test]
fn a_directed_run_finds_when_the_paddle_has_to_swing() {
    let text =
        PADDLE.to_owned() + "[[want]]\nbody = \"ball\"\nhits = { body = \"paddle\", at = 0.14, within = 0.002 }\n";
    let directed = DirectedScene::new(&scene(&text).unwrap()).unwrap();
    let stream = Seed(1).stream("test");
    let mut met = 0;
    for index in 0..200 {
        let point = directed.space().draw(&mut stream.at(index));
        let beat = directed.drawn(&point).unwrap().values()["beat"];
        let outcome = directed.outcome(&point, &Progress::none()).unwrap().finished().unwrap();
        let late = (libm::asin(0.5) / beat - 0.14).abs() - 0.002;
        // To within the micrometre that a course is followed to.
        assert!(late.abs() < 2e-5 || outcome.satisfied == (late < 0.0), "{beat}: {late}");
        met += u32::from(outcome.satisfied);
    }
    assert!(met > 4);
}

#[test]
fn what_is_wrong_with_a_course_has_its_place() {
    for (from, to, told) in [
        ("beat * t)\"", "beet * t)\"", "beet"),
        ("\"0.2 * sin(beat * t)\"", "{ normal = [0, 1] }", "cannot stand where the time does"),
        ("axis = [1, 0, 0]", "axis = [0, 0, 0]", "no direction"),
        ("moves = {", "velocity = [1, 0, 0]\nmoves = {", "moves as told has no velocity"),
        ("moves = {", "position = [1, 0, 0]\nmoves = {", "has no position"),
        ("beat = {", "t = 1\nbeat = {", "variable \"t\""),
    ] {
        let text = PADDLE.replacen(from, to, 1);
        let error = scene(&text).unwrap_err();
        assert!(error.contains(told) && error.contains("scene.toml:"), "{error}");
    }
    let jumps = scene(&PADDLE.replace("0.2 * sin(beat * t)", "floor(beat * t)")).unwrap();
    let error = jumps.draw(Seed(1)).world().unwrap_err().explain();
    assert!(error.contains("jumps at") && error.contains("scene.toml:14"), "{error}");
}
