//! Promise: at 1000 random instants of the run of every built-in scene, no two
//! bodies overlap by more than the stated tolerance, by a distance query that
//! shares nothing with the simulator's own.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use proscenium_geometry::{Pose, separation};
use proscenium_rigid::{BodyId, World};
use proscenium_scenes::{Seed, builtin};

/// The deepest overlap of any two bodies now.
fn deepest(world: &World) -> (f64, String) {
    let placed = world.bodies().filter_map(|body| world.pose(body).map(|pose| (body, pose)));
    let bodies: Vec<_> = placed.map(|(body, pose)| (body, pose, world.shape(body).bounds(&pose))).collect();
    let mut worst = (0.0_f64, String::new());
    for (index, (a, pose_a, bounds_a)) in bodies.iter().enumerate() {
        for (b, pose_b, bounds_b) in &bodies[index + 1..] {
            let moves = world.inertia(*a).is_some() || world.inertia(*b).is_some();
            if !moves || !bounds_a.intersects(bounds_b) {
                continue;
            }
            let depth = -separation(world.shape(*a), pose_a, world.shape(*b), pose_b);
            if depth > worst.0 {
                worst = (depth, format!("{} in {}", world.name(*a), world.name(*b)));
            }
        }
    }
    worst
}

/// Less of what would take long.
fn smaller(name: &str) -> &'static [(&'static str, f64)] {
    match name {
        "dominoes" => &[("count", 30.0), ("duration", 3.0)],
        "hourglass" => &[("n", 20.0)],
        _ => &[],
    }
}

/// What a contact step may let through, as a share of the smallest body's
/// radius, where bodies tumble over each other.
fn stepped(name: &str) -> f64 {
    match name {
        "bowling" | "dominoes" | "door" | "pins" => 0.01,
        // What hangs together goes straight to where its joints let it, after the solver.
        "chain" => 0.02,
        "hourglass" | "dice" => 0.001,
        // A height field is felt at some points only: it may bend between them.
        "table" => 0.005,
        _ => 0.0,
    }
}

#[test]
fn no_two_bodies_overlap_at_random_instants() {
    let share = 1000_usize.div_ceil(builtin().len());
    for entry in builtin() {
        let scene = entry.scene(smaller(entry.name)).unwrap();
        let mut world = scene.draw(Seed(1)).world().unwrap();
        let stepped = stepped(entry.name);
        let radius = |body: BodyId| 0.5 * world.shape(body).bounds(&Pose::IDENTITY).size().max_element();
        let moving = world.bodies().filter(|body| world.inertia(*body).is_some());
        let smallest = moving.map(radius).fold(f64::INFINITY, f64::min);
        let mut stream = Seed(7).stream(entry.name);
        let mut instants: Vec<f64> = (0..share).map(|_| scene.duration() * stream.uniform()).collect();
        instants.sort_by(f64::total_cmp);
        for instant in instants {
            world.advance(instant).unwrap();
            let (depth, who) = deepest(&world);
            let allowed = world.tolerance().max(stepped * smallest);
            assert!(depth <= allowed, "{}: {who} by {depth} at {instant} s", entry.name);
        }
    }
}
