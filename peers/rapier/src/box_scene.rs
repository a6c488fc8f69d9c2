//! Equal convex bodies in a closed box, as in Chenney 2000, section 3.3.1.
//!
//! The walls are six half-spaces: a body that sinks into one is pushed back
//! however deep it is. Thick cuboids in their place gave rapier up to hundreds of
//! times the gain of energy with fast bodies, and about the same with slow ones.

use std::time::Duration;

use rapier3d_f64::parry::query;
use rapier3d_f64::prelude::*;
use serde::Serialize;

use crate::clock;
use crate::request::BoxScene;

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Measured {
    seed: u64,
    steps: u64,
    wall_s: f64,
    energy_initial: f64,
    energy_final: f64,
    energy_drift: f64,
    max_overlap: f64,
    escaped: usize,
}

/// Runs the scene; only rapier's own steps are timed.
pub fn run(scene: &BoxScene) -> Measured {
    let mut world = PhysicsWorld::new();
    world.gravity = scene.gravity;
    world.integration_parameters.dt = scene.dt;
    world.integration_parameters.length_unit = scene.length_unit;
    let walls = add_walls(&mut world, scene);
    let bodies = add_bodies(&mut world, scene);

    let energy_initial = energy(&world, &bodies, scene);
    let mut max_overlap = overlap(&world, &bodies, &walls, scene);
    let mut wall_time = Duration::ZERO;
    for _ in 0..scene.steps {
        let start = clock::now();
        world.step();
        wall_time += clock::now().saturating_sub(start);
        max_overlap = max_overlap.max(overlap(&world, &bodies, &walls, scene));
    }
    let energy_final = energy(&world, &bodies, scene);
    let outside = |body: &&RigidBodyHandle| world.bodies[**body].translation().abs().max_element() > scene.box_half;
    Measured {
        seed: scene.seed,
        steps: scene.steps,
        wall_s: wall_time.as_secs_f64(),
        energy_initial,
        energy_final,
        energy_drift: (energy_final - energy_initial) / energy_initial,
        max_overlap,
        escaped: bodies.iter().filter(outside).count(),
    }
}

/// A wall: where it stands and which way it faces.
struct Wall {
    world_from_wall: Pose,
    normal: Vector,
}

fn add_walls(world: &mut PhysicsWorld, scene: &BoxScene) -> Vec<Wall> {
    let mut walls = Vec::with_capacity(6);
    for axis in [Vector::X, Vector::Y, Vector::Z] {
        for normal in [axis, -axis] {
            let position = normal * -scene.box_half;
            let collider = ColliderBuilder::new(SharedShape::halfspace(normal));
            world.insert(RigidBodyBuilder::fixed().translation(position), material(collider, scene));
            walls.push(Wall { world_from_wall: Pose::from_translation(position), normal });
        }
    }
    walls
}

fn add_bodies(world: &mut PhysicsWorld, scene: &BoxScene) -> Vec<RigidBodyHandle> {
    let states = scene.states.iter();
    states
        .map(|state| {
            let body = RigidBodyBuilder::dynamic()
                .pose(state.world_from_body)
                .linvel(state.velocity)
                .angvel(state.spin)
                .ccd_enabled(true)
                .can_sleep(false);
            let collider = ColliderBuilder::new(scene.shape.clone());
            world.insert(body, material(collider, scene)).0
        })
        .collect()
}

/// Every collider has the same material, so that of a pair is the same again.
fn material(collider: ColliderBuilder, scene: &BoxScene) -> ColliderBuilder {
    collider.restitution(scene.restitution).friction(scene.friction)
}

/// Kinetic plus potential energy.
fn energy(world: &PhysicsWorld, bodies: &[RigidBodyHandle], scene: &BoxScene) -> f64 {
    let each = bodies.iter().map(|&handle| {
        let body = &world.bodies[handle];
        body.kinetic_energy() - body.mass() * scene.gravity.dot(body.center_of_mass())
    });
    each.sum()
}

/// The largest penetration between two bodies or of a body into a wall, now.
fn overlap(world: &PhysicsWorld, bodies: &[RigidBodyHandle], walls: &[Wall], scene: &BoxScene) -> f64 {
    let shape = &*scene.shape;
    let mut poses: Vec<Pose> = bodies.iter().map(|handle| *world.bodies[*handle].position()).collect();
    // In the order of x, those that can touch a body are not far behind it.
    poses.sort_by(|a, b| a.translation.x.total_cmp(&b.translation.x));
    let reach = 2.0 * scene.bounding_radius;
    let mut largest = 0.0_f64;
    for (index, first) in poses.iter().enumerate() {
        let behind = poses[index + 1..].iter().take_while(|second| second.translation.x - first.translation.x < reach);
        for second in behind {
            if first.translation.distance(second.translation) < reach {
                largest = largest.max(penetration(first, shape, second, shape));
            }
        }
        for wall in walls {
            let height = (first.translation - wall.world_from_wall.translation).dot(wall.normal);
            if height < scene.bounding_radius {
                let half_space = HalfSpace::new(wall.normal);
                let depth = penetration(&wall.world_from_wall, &half_space, first, shape);
                largest = largest.max(depth);
            }
        }
    }
    largest
}

fn penetration(first: &Pose, shape: &dyn Shape, second: &Pose, other: &dyn Shape) -> f64 {
    match query::contact(first, shape, second, other, 0.0) {
        Ok(Some(contact)) => -contact.dist,
        // No contact. Every pair of shapes used here is supported.
        Ok(None) | Err(_) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;

    /// Bodies on a lattice with velocities of unit size in scattered directions.
    fn lattice(per_side: usize, shape: &str, seconds: f64, restitution: f64) -> BoxScene {
        let mut states = Vec::new();
        for index in 0..per_side * per_side * per_side {
            let (x, y, z) = (index % per_side, index / per_side % per_side, index / per_side / per_side);
            let place = |i: usize| (i as f64 + 0.5) * 10.5 / per_side as f64 - 5.25;
            let angle = index as f64 * 2.4;
            states.push(format!(
                r#"{{"p":[{},{},{}],"q":[0,0,0,1],"v":[{},{},{}]}}"#,
                place(x),
                place(y),
                place(z),
                0.8 * angle.cos(),
                0.8 * angle.sin(),
                0.6 * (3.7 * angle).cos().signum(),
            ));
        }
        let text = format!(
            r#"{{"scene":"box","n":{},"seed":7,"seconds":{seconds},"shape":"{shape}","radius":0.5,
            "box_half":5.25,"restitution":{restitution},"states":[{}]}}"#,
            states.len(),
            states.join(",")
        );
        match Request::parse(&text).unwrap() {
            Request::Box(scene) => scene,
            Request::Crowd(_) | Request::Pile(_) | Request::Rest(_) => panic!("another scene"),
        }
    }

    #[test]
    fn a_body_that_meets_nothing_keeps_its_energy() {
        let measured = run(&lattice(1, "icosahedron", 1.0, 1.0));
        assert!(measured.energy_drift.abs() < 1e-12, "{measured:?}");
        assert_eq!(measured.max_overlap, 0.0);
        assert_eq!((measured.escaped, measured.steps), (0, 60));
    }

    #[test]
    fn the_initial_energy_is_that_of_the_given_states() {
        let scene = lattice(3, "ball", 0.1, 1.0);
        let mass = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
        let expected = 27.0 * 0.5 * mass;
        let measured = run(&scene);
        assert!((measured.energy_initial / expected - 1.0).abs() < 1e-9);
    }

    #[test]
    fn walls_hold_and_a_dead_box_loses_energy() {
        let measured = run(&lattice(3, "icosahedron", 20.0, 0.0));
        assert_eq!(measured.escaped, 0);
        assert!(measured.energy_final < measured.energy_initial);
        assert!(measured.max_overlap < 0.1, "{measured:?}");
    }

    #[test]
    fn overlaps_are_seen() {
        let scene = lattice(1, "ball", 0.1, 1.0);
        let mut world = PhysicsWorld::new();
        let walls = add_walls(&mut world, &scene);
        let mut bodies = add_bodies(&mut world, &scene);
        bodies.extend(add_bodies(&mut world, &scene));
        world.bodies[bodies[1]].set_translation(Vector::new(0.75, 0.0, 0.0), true);
        let depth = overlap(&world, &bodies, &walls, &scene);
        assert!((depth - 0.25).abs() < 1e-9, "{depth}");
        world.bodies[bodies[1]].set_translation(Vector::new(0.0, 5.15, 0.0), true);
        let depth = overlap(&world, &bodies, &walls, &scene);
        assert!((depth - 0.4).abs() < 1e-9, "{depth}");
    }
}
