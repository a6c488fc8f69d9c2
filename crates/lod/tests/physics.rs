//! Promise: linear momentum is kept at every level, angular momentum at all but
//! the coarsest, and no response adds energy.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use proptest::prelude::*;
use proscenium_bodies::{CollidingBody, Inertia, Material, Motion, PairSurface};
use proscenium_chance::Seed;
use proscenium_lod::contact::{Contact, Reduction};
use proscenium_lod::glam::{DQuat, DVec3};
use proscenium_lod::mesh::built_in;
use proscenium_lod::response::respond;
use proscenium_lod::{BodyId, Budget, Crowd, Settings, TreeKind, TreeSettings, VolumeModel, World};
use proscenium_work::Progress;

fn vector(range: f64) -> impl Strategy<Value = DVec3> {
    (-range..range, -range..range, -range..range).prop_map(DVec3::from)
}

fn motion() -> impl Strategy<Value = Motion> {
    (vector(1.0), vector(3.0), vector(5.0), vector(3.0)).prop_map(|(position, velocity, spin, turn)| Motion {
        position,
        orientation: DQuat::from_scaled_axis(turn),
        velocity,
        spin,
    })
}

fn inertia() -> impl Strategy<Value = Inertia> {
    (0.1..10.0, 0.05..1.0, 0.05..1.0).prop_map(|(mass, a, b): (f64, f64, f64)| Inertia {
        mass,
        // Two moments and less than their sum, as solids have it.
        moments: mass * DVec3::new(a, b, 0.5 * (a + b)),
    })
}

fn energy(inertia: &Inertia, motion: &Motion) -> f64 {
    0.5 * inertia.mass * motion.velocity.length_squared() + inertia.rotational_energy(motion)
}

fn angular(inertia: &Inertia, motion: &Motion) -> DVec3 {
    inertia.angular_momentum(motion.orientation, motion.spin) + inertia.mass * motion.position.cross(motion.velocity)
}

proptest! {
    #[test]
    fn a_response_keeps_momentum_and_adds_no_energy(
        (ia, ma, ib, mb) in (inertia(), motion(), inertia(), motion()),
        places in proptest::collection::vec((vector(1.0), vector(1.0)), 1..6),
        restitution in 0.0..1.0_f64,
        friction in 0.0..1.5_f64,
    ) {
        let contacts: Vec<Contact> = places
            .into_iter()
            .filter_map(|(point, normal)| {
                Some(Contact { point, normal: normal.try_normalize()?, depth: 0.0, interpenetration: 0.1 })
            })
            .collect();
        let mut a = CollidingBody { motion: ma, inertia: Some(&ia) };
        let mut b = CollidingBody { motion: mb, inertia: Some(&ib) };
        respond(&mut a, &mut b, &contacts, &PairSurface::new(restitution, friction));
        let before = energy(&ia, &ma) + energy(&ib, &mb);
        let after = energy(&ia, &a.motion) + energy(&ib, &b.motion);
        prop_assert!(after <= before * (1.0 + 1e-9), "{before} {after}");
        let momentum = |a: &Motion, b: &Motion| ia.mass * a.velocity + ib.mass * b.velocity;
        prop_assert!((momentum(&ma, &mb) - momentum(&a.motion, &b.motion)).length() < 1e-8 * (1.0 + before));
        let turning = angular(&ia, &ma) + angular(&ib, &mb);
        let turned = angular(&ia, &a.motion) + angular(&ib, &b.motion);
        prop_assert!((turning - turned).length() < 1e-8 * (1.0 + before), "{turning} {turned}");
    }

    /// Without friction, the simultaneous solve meets the conditions 3.4 to 3.6.
    #[test]
    fn several_contacts_are_solved_together(
        (ia, ma, ib, mb) in (inertia(), motion(), inertia(), motion()),
        spots in proptest::collection::vec((-1.0..1.0_f64, -1.0..1.0_f64), 2..5),
    ) {
        // Contacts across one plane, as of two faces.
        let contacts: Vec<Contact> = spots
            .into_iter()
            .map(|(x, z)| Contact { point: DVec3::new(x, 0.0, z), normal: DVec3::Y, depth: 0.0, interpenetration: 0.1 })
            .collect();
        let parting = |a: &Motion, b: &Motion, contact: &Contact| {
            (b.velocity_at(contact.point) - a.velocity_at(contact.point)).dot(contact.normal)
        };
        let mut a = CollidingBody { motion: ma, inertia: Some(&ia) };
        let mut b = CollidingBody { motion: mb, inertia: Some(&ib) };
        respond(&mut a, &mut b, &contacts, &PairSurface::new(0.0, 0.0));
        let speed = ma.velocity.length() + mb.velocity.length() + ma.spin.length() + mb.spin.length();
        for contact in &contacts {
            prop_assert!(parting(&a.motion, &b.motion, contact) > -0.05 * speed);
        }
    }
}

fn model(name: &str, kind: TreeKind, depth: u32) -> Arc<VolumeModel> {
    let mesh = built_in(name, 800).unwrap();
    Arc::new(
        VolumeModel::build(name, &mesh, TreeSettings { kind, depth }, &Progress::none()).unwrap().finished().unwrap(),
    )
}

/// Two bodies that fly into each other, without gravity and walls.
fn meeting(model: &Arc<VolumeModel>, settings: Settings, restitution: f64, sample: u64) -> World {
    let mut world = World::with(Settings { gravity: DVec3::ZERO, ..settings }, Seed(sample)).unwrap();
    let mut stream = Seed(7).stream("meetings").at(sample);
    let material = Material::new(500.0, restitution, 0.4);
    for side in [-1.0, 1.0] {
        let motion = Motion {
            position: side * DVec3::new(1.3, 0.2 * stream.uniform(), 0.0),
            orientation: stream.rotation(),
            velocity: -side * DVec3::X,
            spin: 0.5 * stream.unit_vector(),
        };
        world.add(model, motion, material).unwrap();
    }
    world
}

fn angular_of(world: &World, density: f64) -> DVec3 {
    (0..world.len() as u32)
        .map(|index| {
            let inertia = world.model(BodyId(index)).unwrap().inertia(density);
            angular(&inertia, world.motion(BodyId(index)).unwrap())
        })
        .sum()
}

#[test]
fn worlds_keep_momentum_at_every_level_and_spin_at_the_exact_ones() {
    let model = model("knot", TreeKind::Adaptive, 3);
    let mut bounced = 0;
    for sample in 0..12 {
        for deepest in 0..=3 {
            for reduction in [Reduction::None, Reduction::WeightedGroups, Reduction::First] {
                let settings = Settings { deepest, reduction, ..Settings::default() };
                let mut world = meeting(&model, settings, 0.8, sample);
                let (momentum, turning) = (world.momentum(), angular_of(&world, 500.0));
                let scale = 500.0 * model.inertia(1.0).mass;
                let mut energy = world.kinetic_energy();
                for frame in 1..=100 {
                    world.advance(f64::from(frame) / 60.0, &[], Budget::Unlimited).unwrap();
                    assert!(world.kinetic_energy() <= energy * (1.0 + 1e-9), "energy rose at level {deepest}");
                    energy = world.kinetic_energy();
                }
                assert!((world.momentum() - momentum).length() < 1e-9 * scale);
                if deepest > 0 {
                    // The push out of overlaps is along the line of mass, but off the
                    // line of the velocities by as little as it moves.
                    let drift = (angular_of(&world, 500.0) - turning).length();
                    assert!(drift < 0.05 * scale, "level {deepest}: {drift} {scale}");
                }
                let parted = world.motion(BodyId(0)).unwrap().velocity.distance(DVec3::X) > 0.1;
                bounced += u32::from(parted);
            }
        }
    }
    assert!(bounced > 100, "{bounced}");
}

#[test]
fn the_coarsest_level_spins_bodies_as_accurate_collisions_do() {
    let model = model("l-shape", TreeKind::Adaptive, 3);
    assert!(model.spins().len() > 30 && model.spins().iter().all(|spin| *spin >= 0.0));
    let spun = |random_spin: bool| {
        let settings = Settings { deepest: 0, random_spin, ..Settings::default() };
        let mut world = meeting(&model, settings, 1.0, 3);
        let before = world.motion(BodyId(0)).unwrap().spin.length();
        for frame in 1..=60 {
            world.advance(f64::from(frame) / 60.0, &[], Budget::Unlimited).unwrap();
        }
        (world.motion(BodyId(0)).unwrap().spin.length() - before).abs()
    };
    assert!(spun(true) > 0.05);
    assert!(spun(false) < 0.5);
}

#[test]
fn a_crowd_never_gains_energy() {
    let tree = TreeSettings { kind: TreeKind::Adaptive, depth: 3 };
    let crowd = Crowd { count: 40, triangles: 600, tree, ..Crowd::default() };
    let models = crowd.models("crowd", &Progress::none()).unwrap().finished().unwrap();
    for tests in [3_000, 60_000, 2_000_000] {
        let settings = Settings { gravity: DVec3::ZERO, ..Settings::default() };
        let mut world = crowd.world(&models, settings, Seed(4)).unwrap();
        let mut energy = world.kinetic_energy();
        for frame in 1..=60 {
            world.advance(f64::from(frame) / 60.0, &[], Budget::Tests(tests)).unwrap();
            assert!(world.kinetic_energy() <= energy * (1.0 + 1e-9));
            energy = world.kinetic_energy();
        }
    }
}

#[test]
fn things_come_to_rest_on_the_floor() {
    let crowd = Crowd {
        count: 8,
        triangles: 600,
        tree: TreeSettings { kind: TreeKind::Adaptive, depth: 3 },
        ..Crowd::default()
    };
    let mut world = crowd
        .world(
            &crowd.models("l-shapes", &Progress::none()).unwrap().finished().unwrap(),
            Settings { sleeping: false, ..Settings::default() },
            Seed(4),
        )
        .unwrap();
    for frame in 1..=600 {
        world.advance(f64::from(frame) / 60.0, &[], Budget::Unlimited).unwrap();
    }
    let speeds = (0..8).map(|index| world.motion(BodyId(index)).unwrap().velocity.length());
    let fastest = speeds.fold(0.0, f64::max);
    assert!(fastest < 0.01, "{fastest}");
}
