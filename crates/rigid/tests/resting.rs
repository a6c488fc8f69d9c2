//! Promise: bodies come to rest and stay. Boxes stick and slide as Coulomb
//! says, balls slide and roll as the textbook says, towers stand, and a body
//! at rest does not change by a bit until it is hit.

#![allow(clippy::unwrap_used)]

use proscenium_rigid::baselines::FreezeRule;
use proscenium_rigid::geometry::{Hull, Pose, Ring, Shape};
use proscenium_rigid::glam::{DQuat, DVec3};
use proscenium_rigid::{BodyDef, BodyId, Control, Material, Region, World, WorldBuilder};

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn level_ground(material: Material) -> (WorldBuilder, proscenium_rigid::MaterialId) {
    let mut builder = World::builder().gravity(DOWN).recording();
    let id = builder.material(material);
    builder.body(BodyDef::fixed("ground", Shape::half_space(DVec3::Y).unwrap(), id));
    (builder, id)
}

fn all_rest(world: &World) -> bool {
    world.bodies().all(|body| world.inertia(body).is_none() || world.is_resting(body))
}

/// A box on a slope whose tangent is `share` of the friction, after a second.
fn slide(share: f64) -> (f64, f64) {
    let friction = 0.5;
    let angle = libm::atan(share * friction);
    let tilt = DQuat::from_rotation_z(-angle);
    let mut builder = World::builder().gravity(DOWN);
    let material = builder.material(Material::new(700.0, 0.3, friction));
    let ground = Shape::half_space(DVec3::Y).unwrap();
    builder.body(BodyDef::fixed("slope", ground, material).at(Pose::new(DVec3::ZERO, tilt)));
    let half = DVec3::new(0.1, 0.05, 0.08);
    let start = tilt * DVec3::new(0.0, half.y + 1e-6, 0.0);
    let shape = Shape::cuboid(half, 0.0).unwrap();
    let crate_ = builder.body(BodyDef::moving("crate", shape, material).at(Pose::new(start, tilt)));
    let mut world = builder.build().unwrap();
    world.advance(1.0).unwrap();
    let moved = world.pose(crate_).unwrap().translation - start;
    let expected = 0.5 * 9.81 * (libm::sin(angle) - friction * libm::cos(angle)).max(0.0);
    (moved.dot(tilt * DVec3::X), expected)
}

#[test]
fn a_box_sticks_below_the_friction_angle_and_slides_above() {
    for share in [0.2, 0.9, 0.99] {
        let (moved, _) = slide(share);
        assert!(moved.abs() < 1e-4, "tan = {share} mu: moved {moved}");
    }
    for share in [1.1, 1.5, 3.0] {
        let (moved, expected) = slide(share);
        assert!((moved / expected - 1.0).abs() < 0.02, "tan = {share} mu: moved {moved}, expected {expected}");
    }
}

#[test]
fn a_ball_with_backspin_slides_stops_and_rolls_back() {
    let (friction, radius) = (0.2, 0.1);
    let (mut builder, material) = level_ground(Material::new(1000.0, 0.5, friction));
    let (speed, spin) = (1.0, 40.0);
    let ball = builder.body(
        BodyDef::moving("ball", Shape::sphere(radius).unwrap(), material)
            .at(Pose::from_translation(DVec3::new(0.0, radius, 0.0)))
            .with_velocity(DVec3::new(speed, 0.0, 0.0))
            .with_spin(DVec3::new(0.0, 0.0, spin)),
    );
    let mut world = builder.build().unwrap();
    // Slip u = v + r w, slowed by 7/2 mu g; the centre by mu g.
    let rolls_after = (speed + radius * spin) / (3.5 * friction * 9.81);
    let turns_after = speed / (friction * 9.81);
    let final_speed = speed - friction * 9.81 * rolls_after;
    assert!(turns_after < rolls_after && final_speed < 0.0);
    for time in [0.3, turns_after, 0.6, rolls_after, rolls_after + 1.0] {
        world.advance(time).unwrap();
        let sliding = time.min(rolls_after);
        let x = speed * sliding - 0.5 * friction * 9.81 * sliding * sliding + final_speed * (time - sliding);
        let found = world.pose(ball).unwrap().translation;
        assert!((found - DVec3::new(x, radius, 0.0)).length() < 1e-6, "at {time}: {found}, expected {x}");
    }
    let motion = world.motion(ball).unwrap();
    assert!((motion.velocity.x - final_speed).abs() < 1e-6);
    assert!((motion.spin.z + final_speed / radius).abs() < 1e-5);
    assert!(world.statistics().events < 40, "{:?}", world.statistics());
}

#[test]
fn a_rolling_ball_stops_where_it_should() {
    let (mut builder, material) = level_ground(Material::new(1000.0, 0.5, 0.3).with_rolling(0.02));
    let radius = 0.05;
    let ball = builder.body(
        BodyDef::moving("ball", Shape::sphere(radius).unwrap(), material)
            .at(Pose::from_translation(DVec3::new(0.0, radius, 0.0)))
            .with_velocity(DVec3::new(1.0, 0.0, 0.0))
            .with_spin(DVec3::new(0.0, 0.0, -1.0 / radius)),
    );
    let mut world = builder.build().unwrap();
    world.advance(10.0).unwrap();
    assert!(world.is_resting(ball));
    let way = world.pose(ball).unwrap().translation.x;
    assert!((way - 1.0 / (2.0 * 0.02 * 9.81)).abs() < 1e-4, "{way}");
}

/// In a gutter of two planes the ball ends up rolling about the chord between
/// its contacts, with the speed that angular momentum about it says.
#[test]
fn a_ball_slides_and_rolls_in_a_gutter() {
    let mut builder = World::builder().gravity(DOWN);
    let material = builder.material(Material::new(1000.0, 0.3, 0.2));
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for (k, side) in [1.0, -1.0].into_iter().enumerate() {
        let plane = Shape::half_space(DVec3::new(side * half, half, 0.0)).unwrap();
        builder.body(BodyDef::fixed(format!("side-{k}"), plane, material));
    }
    let radius = 0.1;
    let ball = builder.body(
        BodyDef::moving("ball", Shape::sphere(radius).unwrap(), material)
            .at(Pose::from_translation(DVec3::new(0.0, radius / half, 0.0)))
            .with_velocity(DVec3::new(0.0, 0.0, 2.0)),
    );
    let mut world = builder.build().unwrap();
    world.advance(3.0).unwrap();
    let motion = world.motion(ball).unwrap();
    let expected = 2.0 / (1.0 + 0.4 / 0.5);
    assert!((motion.velocity - expected * DVec3::Z).length() < 1e-3, "{motion:?}");
    assert!((motion.spin.x * radius * half - expected).abs() < 1e-3, "{motion:?}");
    assert!(world.statistics().events < 60, "{:?}", world.statistics());
}

/// The oil ends at 1 m: the ball slides to there as on ice, and grips beyond.
#[test]
fn friction_changes_where_a_zone_ends() {
    let mut builder = World::builder().gravity(DOWN).recording();
    let dry = builder.material(Material::new(1000.0, 0.5, 0.2));
    let oil = builder.material(Material::new(1000.0, 0.5, 0.0));
    let lane = Shape::cuboid(DVec3::new(5.0, 0.1, 1.0), 0.0).unwrap();
    let oiled =
        Region::Box { min: DVec3::splat(f64::NEG_INFINITY), max: DVec3::new(1.0, f64::INFINITY, f64::INFINITY) };
    builder.body(
        BodyDef::fixed("lane", lane, dry).at(Pose::from_translation(DVec3::new(0.0, -0.1, 0.0))).with_zone(oiled, oil),
    );
    let ball = builder.body(
        BodyDef::moving("ball", Shape::sphere(0.1).unwrap(), dry)
            .at(Pose::from_translation(DVec3::new(0.0, 0.1, 0.0)))
            .with_velocity(DVec3::new(2.0, 0.0, 0.0)),
    );
    let mut world = builder.build().unwrap();
    world.advance(0.499).unwrap();
    let motion = world.motion(ball).unwrap();
    assert!((motion.velocity.x - 2.0).abs() < 1e-9 && motion.spin.length() < 1e-9);
    world.advance(2.0).unwrap();
    let motion = world.motion(ball).unwrap();
    assert!((motion.velocity.x - 2.0 * 5.0 / 7.0).abs() < 1e-9, "{motion:?}");
    // It rolls off the end of the lane and falls.
    world.advance(5.0).unwrap();
    let position = world.pose(ball).unwrap().translation;
    assert!(position.x > 5.0 && position.y < -1.0, "{position}");
}

#[test]
fn a_tower_of_five_boxes_stands_for_a_minute() {
    let (mut builder, material) = level_ground(Material::new(600.0, 0.2, 0.5));
    let half = 0.1;
    let boxes: Vec<BodyId> = (0..5)
        .map(|k| {
            let offset = 0.02 * f64::from(k % 3) - 0.02;
            let place = DVec3::new(offset, half + f64::from(k) * (2.0 * half + 1e-5), 0.3 * offset);
            let shape = Shape::cuboid(DVec3::splat(half), 0.0).unwrap();
            builder.body(BodyDef::moving(format!("box-{k}"), shape, material).at(Pose::from_translation(place)))
        })
        .collect();
    let mut world = builder.build().unwrap();
    let before: Vec<DVec3> = boxes.iter().map(|b| world.pose(*b).unwrap().translation).collect();
    world.advance(1.0).unwrap();
    assert!(all_rest(&world), "{:?}", world.statistics());
    let hash: Vec<Pose> = boxes.iter().map(|b| world.pose(*b).unwrap()).collect();
    world.advance(60.0).unwrap();
    for (k, body) in boxes.iter().enumerate() {
        let pose = world.pose(*body).unwrap();
        assert!(pose.translation.distance(before[k]) < 1e-3, "box {k} moved to {}", pose.translation);
        assert_eq!(pose, hash[k]);
    }
    assert!(world.statistics().contact_steps < 400, "{:?}", world.statistics());
}

#[test]
fn dropped_dice_come_to_rest_on_a_face_and_stay() {
    for seed in 0..10 {
        let (mut builder, material) = level_ground(Material::new(1200.0, 0.4, 0.3));
        let half = 0.008;
        let turn =
            DQuat::from_euler(proscenium_rigid::glam::EulerRot::XYZ, 0.3 * f64::from(seed), 0.7, 1.1 * f64::from(seed));
        let shape = Shape::cuboid(DVec3::splat(half), 0.001).unwrap();
        let die = builder.body(
            BodyDef::moving("die", shape, material)
                .at(Pose::new(DVec3::new(0.0, 0.1, 0.0), turn))
                .with_velocity(DVec3::new(0.8, 0.0, 0.3))
                .with_spin(DVec3::new(10.0, -20.0, 15.0)),
        );
        let mut world = builder.build().unwrap();
        world.advance(3.0).unwrap();
        assert!(world.is_resting(die), "die {seed}: {:?} {:?}", world.motion(die), world.statistics());
        let pose = world.pose(die).unwrap();
        let up = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (pose.rotation * axis).y.abs());
        assert!(up.iter().any(|u| *u > 1.0 - 1e-6), "die {seed} leans: {up:?}");
        assert!((pose.translation.y - half).abs() < 1e-5, "die {seed} at {}", pose.translation.y);
    }
}

#[test]
fn a_body_at_rest_stays_bit_identical_until_hit() {
    let (mut builder, material) = level_ground(Material::new(1000.0, 0.3, 0.5));
    let cube = Shape::cuboid(DVec3::splat(0.1), 0.0).unwrap();
    let still =
        builder.body(BodyDef::moving("still", cube, material).at(Pose::from_translation(DVec3::new(0.0, 0.1001, 0.0))));
    let hammer = builder.body(
        BodyDef::moving("hammer", Shape::sphere(0.05).unwrap(), material)
            .at(Pose::from_translation(DVec3::new(-10.0, 0.1, 0.0)))
            .with_velocity(DVec3::new(2.0, 1.0, 0.0)),
    );
    let mut world = builder.build().unwrap();
    world.advance(1.0).unwrap();
    assert!(world.is_resting(still));
    let pose = world.pose(still).unwrap();
    let mut hit = None;
    for tenth in 11..200 {
        world.advance(0.1 * f64::from(tenth)).unwrap();
        let hits = world
            .recording()
            .unwrap()
            .contacts
            .iter()
            .find(|c| [c.a, c.b] == [still, hammer] || [c.b, c.a] == [still, hammer]);
        if let Some(contact) = hits {
            hit = Some(contact.time);
            break;
        }
        assert_eq!(world.pose(still).unwrap(), pose);
    }
    let hit = hit.unwrap();
    assert_eq!(world.recording().unwrap().pose(still, hit - 1e-9).unwrap(), pose);
    world.advance(hit + 10.0).unwrap();
    assert!(world.pose(still).unwrap().translation.x > pose.translation.x + 1e-4);
}

#[test]
fn a_pile_of_a_hundred_grains_settles() {
    let (mut builder, material) = level_ground(Material::new(2000.0, 0.2, 0.5));
    for (k, (x, z)) in [(0.12, 0.0), (-0.12, 0.0), (0.0, 0.12), (0.0, -0.12)].into_iter().enumerate() {
        let half = if x == 0.0 { DVec3::new(0.14, 0.5, 0.02) } else { DVec3::new(0.02, 0.5, 0.14) };
        let wall = Shape::cuboid(half, 0.0).unwrap();
        builder.body(
            BodyDef::fixed(format!("wall-{k}"), wall, material).at(Pose::from_translation(DVec3::new(x, 0.5, z))),
        );
    }
    let mut grains = Vec::new();
    for k in 0..100 {
        let f = f64::from(k);
        let offsets = std::array::from_fn(|c| {
            0.002 * DVec3::new(libm::sin(f + c as f64), libm::cos(2.0 * f + c as f64), libm::sin(3.0 * f))
        });
        let shape = Shape::hull(Hull::perturbed_cube(0.01, &offsets).unwrap());
        let place = DVec3::new(0.05 * libm::sin(7.0 * f), 0.05 + 0.04 * f64::from(k / 4), 0.05 * libm::cos(7.0 * f));
        grains.push(
            builder.body(BodyDef::moving(format!("grain-{k}"), shape, material).at(Pose::from_translation(place))),
        );
    }
    let mut world = builder.build().unwrap();
    for tenth in 1..80 {
        world.advance(0.1 * f64::from(tenth)).unwrap();
    }
    let awake = grains.iter().filter(|g| !world.is_resting(**g)).count();
    assert_eq!(awake, 0, "{:?}", world.statistics());
    let overlap = deepest(&world);
    assert!(overlap < 1e-5, "{overlap}");
}

/// The deepest overlap of any two bodies, by an independent query.
fn deepest(world: &World) -> f64 {
    let bodies: Vec<BodyId> = world.bodies().collect();
    let mut deepest = 0.0_f64;
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[i + 1..] {
            if world.inertia(*a).is_none() && world.inertia(*b).is_none() {
                continue;
            }
            let (pose_a, pose_b) = (world.pose(*a).unwrap(), world.pose(*b).unwrap());
            let distance = proscenium_rigid::geometry::separation(world.shape(*a), &pose_a, world.shape(*b), &pose_b);
            deepest = deepest.max(-distance);
        }
    }
    deepest
}

#[test]
fn what_is_held_up_falls_when_its_support_is_taken_away() {
    let (mut builder, material) = level_ground(Material::new(1000.0, 0.3, 0.5));
    let cube = Shape::cuboid(DVec3::splat(0.1), 0.0).unwrap();
    let below = builder
        .body(BodyDef::moving("below", cube.clone(), material).at(Pose::from_translation(DVec3::new(0.0, 0.1, 0.0))));
    let above =
        builder.body(BodyDef::moving("above", cube, material).at(Pose::from_translation(DVec3::new(0.05, 0.3, 0.0))));
    let mut world = builder.build().unwrap();
    world.advance(1.0).unwrap();
    assert!(world.is_resting(above));
    world.schedule(1.5, Control::Remove { body: below }).unwrap();
    world.advance(3.0).unwrap();
    assert!((world.pose(above).unwrap().translation.y - 0.1).abs() < 1e-3, "{:?}", world.pose(above));
    assert!(world.is_resting(above));
}

/// Dice on a table that is not quite flat, as felt over wood is not.
#[test]
fn dice_come_to_rest_on_a_bumpy_table_and_on_triangles() {
    let (count, spacing) = (26_usize, 0.02);
    let height = |i: usize, j: usize| 3e-4 * libm::sin(1.7 * i as f64) * libm::cos(2.3 * j as f64);
    let heights = (0..count * count).map(|k| height(k % count, k / count)).collect();
    let bumpy =
        Shape::height_field(proscenium_rigid::geometry::HeightField::new(count, count, spacing, heights).unwrap());
    let corners = [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)];
    let corners = corners.map(|(x, z)| DVec3::new(x, 0.0, z)).to_vec();
    let flat = Shape::mesh(proscenium_rigid::geometry::TriangleMesh::new(corners, &[[0, 2, 1], [0, 3, 2]]).unwrap());
    for (name, table) in [("bumpy", bumpy), ("flat", flat)] {
        for seed in 0..6 {
            let mut builder = World::builder().gravity(DOWN).recording();
            let ivory = builder.material(Material::new(1200.0, 0.4, 0.3));
            builder.body(BodyDef::fixed("table", table.clone(), ivory));
            let turn = DQuat::from_rotation_x(0.9 * f64::from(seed)) * DQuat::from_rotation_z(0.4 + f64::from(seed));
            let die = builder.body(
                BodyDef::moving("die", Shape::cuboid(DVec3::splat(0.008), 0.001).unwrap(), ivory)
                    .at(Pose::new(DVec3::new(-0.1, 0.08, 0.0), turn))
                    .with_velocity(DVec3::new(0.4, 0.0, 0.1))
                    .with_spin(DVec3::new(5.0, -10.0, -15.0)),
            );
            let mut world = builder.build().unwrap();
            world.advance(3.0).unwrap();
            assert!(world.is_resting(die), "{name} {seed}: {:?} {:?}", world.motion(die), world.statistics());
            let pose = world.pose(die).unwrap();
            let up = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (pose.rotation * axis).y.abs());
            assert!(up.iter().any(|u| *u > 0.99), "{name} {seed} leans: {up:?}");
            assert!(pose.translation.y.abs() < 0.01, "{name} {seed}: {}", pose.translation);
        }
    }
}

#[test]
fn bodies_that_bounce_alone_freeze_and_wake_when_hit() {
    let scene = || {
        let (mut builder, material) = level_ground(Material::new(1000.0, 0.3, 0.5));
        let cube = Shape::cuboid(DVec3::splat(0.02), 0.0).unwrap();
        let turned = Pose::new(DVec3::new(0.0, 0.1, 0.0), DQuat::from_rotation_x(0.4) * DQuat::from_rotation_z(0.3));
        let die = builder.body(BodyDef::moving("die", cube, material).at(turned));
        let ball = BodyDef::moving("ball", Shape::sphere(0.02).unwrap(), material).starting_at(3.0);
        let place = Pose::from_translation(DVec3::new(-0.2, 0.03, 0.0));
        builder.body(ball.at(place).with_velocity(DVec3::new(3.0, 0.0, 0.0)));
        (builder.impulses_until_frozen(FreezeRule { speed: 0.06, collisions: 20 }), die)
    };
    let (builder, die) = scene();
    let mut world = builder.build().unwrap();
    world.advance(2.0).unwrap();
    assert!(world.is_resting(die));
    assert_eq!(world.statistics().contact_steps, 0);
    let before = world.pose(die).unwrap();
    world.advance(3.0).unwrap();
    assert!(world.pose(die).unwrap() == before, "it moved while frozen");
    world.advance(4.0).unwrap();
    assert!((world.pose(die).unwrap().translation - before.translation).length() > 0.02, "it was not hit away");

    let mut synchronous = scene().0.build_synchronous().unwrap();
    synchronous.advance(4.0).unwrap();
    assert_eq!(synchronous.world().state_hash(), world.state_hash());
    for speed in [0.0, f64::NAN, f64::INFINITY] {
        assert!(scene().0.impulses_until_frozen(FreezeRule { speed, collisions: 1 }).build().is_err());
    }
}

/// A puck whose friction acts at its rim stopped after 0.33 s.
#[test]
fn a_puck_that_spins_on_its_face_slows_as_even_pressure_says() {
    for turned in [false, true] {
        let mut builder = World::builder().gravity(DOWN);
        let wood = builder.material(Material::new(1000.0, 0.5, 0.3));
        builder.body(BodyDef::fixed("ground", Shape::half_space(DVec3::Y).unwrap(), wood));
        let ring = |height: f64| Ring { height, radius: 0.05 };
        let shape = if turned { Shape::turned(&[ring(-0.01), ring(0.01)]) } else { Shape::cylinder(0.01, 0.05) };
        let puck = BodyDef::moving("puck", shape.unwrap(), wood).at(Pose::from_translation(0.01 * DVec3::Y));
        let puck = builder.body(puck.with_spin(40.0 * DVec3::Y));
        let mut world = builder.build().unwrap();
        // I ω / (⅔ μ m g r)
        let stops = 0.75 * 40.0 * 0.05 / (0.3 * 9.81);
        world.advance(0.5 * stops).unwrap();
        let half = world.motion(puck).unwrap().spin.y;
        assert!((half - 20.0).abs() < 0.6, "{turned}: {half}");
        world.advance(0.95 * stops).unwrap();
        assert!(world.motion(puck).unwrap().spin.y > 1.0, "{turned}");
        world.advance(1.05 * stops).unwrap();
        assert!(world.motion(puck).unwrap().spin.length() < 0.1, "{turned}");
    }
}

/// Of a profile with flat ends, the rim had sixteen corners: it rolled 0.671 m in place of 3.
#[test]
fn a_turned_cylinder_rolls_as_far_as_a_cylinder() {
    let ring = |height: f64, radius: f64| Ring { height, radius };
    let shapes = [
        Shape::cylinder(0.1, 0.1).unwrap(),
        Shape::turned(&[ring(-0.1, 0.1), ring(0.1, 0.1)]).unwrap(),
        Shape::turned(&[ring(-0.1, 0.1), ring(-0.05, 0.06), ring(0.05, 0.06), ring(0.1, 0.1)]).unwrap(),
    ];
    for shape in shapes {
        let mut builder = World::builder().gravity(DOWN);
        let wood = builder.material(Material::new(1000.0, 0.5, 0.3));
        builder.body(BodyDef::fixed("ground", Shape::half_space(DVec3::Y).unwrap(), wood));
        let lying = DQuat::from_xyzw(std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2);
        let roller = BodyDef::moving("roller", shape, wood).at(Pose::new(0.1 * DVec3::Y, lying));
        let roller = builder.body(roller.with_velocity(DVec3::X).with_spin(-10.0 * DVec3::Z));
        let mut world = builder.build().unwrap();
        world.advance(3.0).unwrap();
        let place = world.pose(roller).unwrap().translation;
        assert!((place.x - 3.0).abs() < 2e-3 && (place.y - 0.1).abs() < 1e-3 && place.z.abs() < 1e-3, "{place}");
    }
}
