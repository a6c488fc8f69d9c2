//! How the box starts: the built-in scene `box`, the same for every side of
//! the comparison.

use glam::DVec3;
use proscenium_chance::Seed;
use proscenium_geometry::ShapeKind;
use proscenium_rigid::{BoundsKind, World, WorldBuilder};
use serde_json::{Value, json};

use crate::error::Halt;

/// The radius of the sphere through a body's corners, metres.
pub(super) const RADIUS: f64 = 0.05;
/// The standard deviation of each component of a body's velocity, m/s.
pub(super) const SPEED: f64 = 0.5;

/// `n` icosahedra in the box, without gravity or losses, and the sorted lists
/// of the paper on every side.
pub(super) fn boxed(n: usize, seed: Seed) -> Result<WorldBuilder, Halt> {
    // A parameter holds whole numbers below 2⁵³.
    let seed_number = (seed.0 & ((1 << 53) - 1)) as f64;
    let parameters = [("n", n as f64), ("radius", RADIUS), ("speed", SPEED), ("seed", seed_number)];
    let scene = proscenium_scenes::find("box", &parameters)?;
    Ok(scene.draw(seed).builder()?.bounds(BoundsKind::SortedLists))
}

/// The middle of the box and half its width, from its walls; `None` without
/// walls.
fn middle(world: &World) -> Option<(DVec3, f64)> {
    let (mut low, mut high) = (DVec3::NEG_INFINITY, DVec3::INFINITY);
    for body in world.bodies() {
        if let (ShapeKind::HalfSpace { normal }, Some(pose)) = (world.shape(body).kind(), world.pose(body)) {
            let normal = pose.rotation * *normal;
            for axis in 0..3 {
                match normal[axis] {
                    facing if facing > 0.5 => low[axis] = low[axis].max(pose.translation[axis]),
                    facing if facing < -0.5 => high[axis] = high[axis].min(pose.translation[axis]),
                    _ => {}
                }
            }
        }
    }
    (low.is_finite() && high.is_finite()).then(|| (0.5 * (low + high), 0.5 * (high - low).min_element()))
}

/// The same start as a request to another engine, for so many seconds, in a
/// box about the origin.
pub(super) fn request(world: &World, seconds: f64) -> Option<Value> {
    let (middle, half_width) = middle(world)?;
    let moving = world.bodies().filter(|body| world.inertia(*body).is_some());
    let states: Vec<Value> = moving
        .filter_map(|body| {
            let (pose, motion) = (world.pose(body)?, world.motion(body)?);
            Some(json!({
                "p": (pose.translation - middle).to_array(),
                "q": pose.rotation.to_array(),
                "v": motion.velocity.to_array(),
                "w": motion.spin.to_array(),
            }))
        })
        .collect();
    Some(json!({
        "scene": "box",
        "n": states.len(),
        "seconds": seconds,
        "shape": "icosahedron",
        "radius": RADIUS,
        "box_half": half_width,
        "states": states,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_is_slightly_wider_than_ten_diameters() {
        let world = boxed(8, Seed(3)).unwrap().build().unwrap();
        let (_, half_width) = middle(&world).unwrap();
        let diameters = half_width / RADIUS;
        assert!((10.0..10.5).contains(&diameters), "{diameters}");
    }

    #[test]
    fn bodies_fly_without_spin_and_starts_differ() {
        let world = |seed| boxed(8, Seed(seed)).unwrap().build().unwrap();
        let moving = |world: &World| -> Vec<_> {
            world.bodies().filter(|body| world.inertia(*body).is_some()).filter_map(|body| world.motion(body)).collect()
        };
        let motions = moving(&world(1));
        assert_eq!(motions.len(), 8);
        assert!(motions.iter().all(|motion| motion.spin == DVec3::ZERO && motion.velocity != DVec3::ZERO));
        assert_eq!(motions, moving(&world(1)));
        assert_ne!(motions, moving(&world(2)));
    }

    #[test]
    fn another_engine_is_told_the_same_start() {
        let world = boxed(5, Seed(1)).unwrap().build().unwrap();
        let request = request(&world, 60.0).unwrap();
        let states = request["states"].as_array().unwrap();
        assert_eq!((states.len(), &request["n"]), (5, &Value::from(5)));
        let room = request["box_half"].as_f64().unwrap() - 0.75 * RADIUS;
        for state in states {
            assert!((0..3).all(|axis| state["p"][axis].as_f64().unwrap().abs() <= room), "{state}");
        }
    }

    #[test]
    fn a_world_without_walls_is_no_box() {
        assert_eq!(middle(&World::builder().build().unwrap()), None);
    }
}
