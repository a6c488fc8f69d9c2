//! Promise: what a file says about surfaces holds where bodies touch, and only
//! there.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use proscenium_rigid::World;
use proscenium_scenes::{Scene, Seed, Source};

/// Three balls dropped on a plank that lies askew: one beyond its zones, one on
/// a box of clay, one on a ball of clay.
const PLANK: &str = r#"
format = 1

[materials.rubber]
restitution = 1
friction = 0

[materials.clay]
restitution = 0
friction = 0

[[pair]]
materials = ["rubber", "clay"]
restitution = 0.5

[[body]]
name = "plank"
fixed = true
material = "rubber"
shape = { box = [4, 0.2, 1] }
position = [0, -0.1, 0]
orientation = { axis = [0, 1, 0], degrees = 90 }
zones = [
  { shape = { box = [0.5, 1, 0.5] }, position = [1, 0, 0], material = "clay" },
  { shape = { sphere = 0.3 }, position = [-1, 0.1, 0], material = "clay" },
]

[[body]]
name = "ball"
material = "rubber"
shape = { sphere = 0.1 }
position = [0, 1.1, -1]
repeat = { count = 3, offset = [0, 0, 1] }
"#;

fn world(text: &str) -> World {
    Scene::parse(text, &Source::inline("scene.toml", text)).unwrap().draw(Seed(1)).world().unwrap()
}

#[test]
fn zones_and_pairs_reach_the_collisions() {
    let mut world = world(PLANK);
    world.advance(0.5).unwrap();
    let fall = (2.0 / 9.81_f64).sqrt();
    let arrival = 9.81 * fall;
    // The quarter turn takes the zone at x = 1 to z = -1.
    for (ball, restitution) in world.bodies().skip(1).zip([0.5, 1.0, 0.5]) {
        let speed = world.motion(ball).unwrap().velocity.y;
        let expected = restitution * arrival - 9.81 * (0.5 - fall);
        assert!((speed - expected).abs() < 1e-4, "{}: {speed} instead of {expected}", world.name(ball));
    }
}

#[test]
fn a_zone_of_the_last_name_counts() {
    let patched = PLANK.replace(
        "zones = [",
        "zones = [\n  { shape = { box = [9, 9, 9] }, material = \"clay\" },\n  { shape = { box = [0.5, 9, 9] }, material = \"rubber\" },",
    );
    let mut world = world(&patched);
    world.advance(0.5).unwrap();
    let speeds: Vec<f64> = world.bodies().skip(1).map(|ball| world.motion(ball).unwrap().velocity.y).collect();
    assert!(speeds[1] > 2.0 * speeds[0] && (speeds[0] - speeds[2]).abs() < 1e-4, "{speeds:?}");
}
