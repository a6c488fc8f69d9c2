//! Promise: where a number stands, arithmetic with variables may stand, in the language of
//! model files; it is what it says for every draw, and keeps the limits of the number. A
//! body can be pushed at a time.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use proscenium_direct::Model as _;
use proscenium_scenes::{DirectedScene, Scene, Seed, SimulateOptions, Source};
use proscenium_work::{Progress, Remedy as _};

const PAIR: &str = r#"
format = 1
[variables]
v = { normal = [1.0, 0.3] }
gap = { uniform = [0.5, 0.6] }
half = 0.5
[[body]]
name = "left"
shape = { sphere = "gap / 5" }
position = ["-gap", 0, "2 * v + 0.1"]
velocity = ["v", 0, 0]
[[body]]
name = "right"
shape = { box = ["gap^2", "half", "max(0.01, sin(v))"] }
position = ["gap + half", { uniform = [0, 0.1] }, 0]
velocity = ["-v", 0, "if(v > 1, 1, 0)"]
"#;

fn scene(text: &str) -> Scene {
    Scene::parse(text, &Source::inline("scene.toml", text)).unwrap_or_else(|errors| panic!("{errors}\nin\n{text}"))
}

#[test]
fn arithmetic_is_what_it_says() {
    let pair = scene(PAIR);
    assert!(pair.warnings().is_empty());
    let names: Vec<&str> = pair.variables().map(|(name, _)| name).collect();
    assert_eq!(names, ["v", "gap", "half", "right.position.y"]);
    for seed in 0..20 {
        let drawn = pair.draw(Seed(seed));
        let (v, gap) = (drawn.values()["v"], drawn.values()["gap"]);
        assert_eq!(drawn.values().len(), 4);
        let world = drawn.world().unwrap();
        let ids: Vec<_> = world.bodies().collect();
        let place = |k: usize| world.pose(ids[k]).unwrap().translation;
        assert_eq!((place(0).x, place(0).z), (-gap, 2.0 * v + 0.1));
        assert_eq!(place(1).x, gap + 0.5);
        let velocity = |k: usize| world.motion(ids[k]).unwrap().velocity;
        assert_eq!((velocity(0).x, velocity(1).x), (v, -v));
        assert_eq!(velocity(1).z, if v > 1.0 { 1.0 } else { 0.0 });
        assert!(pair.to_toml().contains("\"2 * v + 0.1\"") && scene(&pair.to_toml()) == pair);
    }
}

#[test]
fn what_is_wrong_with_it_has_its_place() {
    for (from, to, excerpt, words) in [
        ("2 * v + 0.1", "2 * w + 0.1", "w", "`w` is not known"),
        ("2 * v + 0.1", "2 * & v", "&", "has no meaning here"),
        ("gap^2", "gap - 0.55", "\"gap - 0.55\"", "anything from -0.0"),
        ("gap / 5", "sqrt(v)", "\"sqrt(v)\"", "could be no number"),
        ("gap / 5", "gapp", "\"gapp\"", "did you mean \"gap\""),
        ("gap / 5", "1 / (v - 1)", "\"1 / (v - 1)\"", "must be positive"),
    ] {
        let text = PAIR.replace(from, to);
        let errors = Scene::parse(&text, &Source::inline("scene.toml", text.clone())).unwrap_err();
        let place = errors.errors[0].place.clone().unwrap();
        assert_eq!(text[place.span.clone()].trim(), excerpt, "{to}: {errors}");
        assert!(errors.explain().contains(words), "{to}: {}", errors.explain());
    }
}

#[test]
fn a_push_changes_the_velocity_at_its_time() {
    let text = r#"
        format = 1
        duration = 2.0
        gravity = [0, 0, 0]
        [variables]
        late = { uniform = [0.4, 0.6] }
        [materials.wood]
        density = 1000.0
        [[body]]
        name = "puck"
        resting = true
        material = "wood"
        shape = { box = [0.1, 0.1, 0.1] }
        pushes = [{ at = "late", impulse = [2, 0, 0] }, { at = "late + 0.5", impulse = ["-late", 0, { normal = [0, 1] }] }]
        [[want]]
        body = "puck"
        near = { position = [1, 0, 0], within = 0.5 }
        at = 1.5
    "#;
    let puck = scene(text);
    assert_eq!(scene(&puck.to_toml()), puck);
    for seed in 0..8 {
        let drawn = puck.draw(Seed(seed));
        let (late, side) = (drawn.values()["late"], drawn.values()["puck.pushes.2.impulse.z"]);
        let run = drawn.simulate(&SimulateOptions::default(), &Progress::none()).unwrap();
        let ids: Vec<_> = run.world.bodies().collect();
        // It weighs 1 kg.
        let expected = [2.0 * (2.0 - late) - late * (1.5 - late), 0.0, side * (1.5 - late)];
        let place = run.world.pose(ids[0]).unwrap().translation;
        let off = place.to_array().iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{place} {expected:?}");
    }
    let directed = DirectedScene::new(&puck).unwrap();
    let point = directed.space().draw(&mut Seed(3).stream("point"));
    let outcome = directed.outcome(&point, &Progress::none()).unwrap().finished().unwrap().outcome;
    assert!(outcome.pose("puck", 1.5).unwrap().translation.x > 0.5, "it is not settled before it is pushed");
    let fixed = text.replace("resting = true", "fixed = true");
    let errors = Scene::parse(&fixed, &Source::inline("scene.toml", fixed.clone())).unwrap_err();
    assert!(errors.explain().contains("nothing pushes a fixed body"));
}
