//! Promise: a run that re-uses another equals a fresh one bit for bit, and a
//! control event that comes late equals the same event given in time.

#![allow(clippy::unwrap_used)]

use proscenium_rigid::geometry::{Hull, Pose, Shape, TriangleMesh};
use proscenium_rigid::glam::{DQuat, DVec3};
use proscenium_rigid::{BodyDef, BodyId, BoundsKind, Control, Material, SimulationError, Take, World, WorldBuilder};

/// Grains and balls that fall into four bins, one after the other. One of
/// them is let go elsewhere.
fn bins(count: u32, odd: u32, by: f64) -> WorldBuilder {
    let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    let stone = builder.material(Material::new(2000.0, 0.4, 0.4).with_rolling(0.02));
    builder.body(BodyDef::fixed("ground", Shape::half_space(DVec3::Y).unwrap(), stone));
    for k in 0..5 {
        let shape = Shape::cuboid(DVec3::new(0.005, 0.06, 0.1), 0.0).unwrap();
        let place = Pose::from_translation(DVec3::new(0.2 * f64::from(k), 0.06, 0.0));
        builder.body(BodyDef::fixed(format!("wall-{k}"), shape, stone).at(place));
    }
    for (k, z) in [-0.105, 0.105].into_iter().enumerate() {
        let shape = Shape::cuboid(DVec3::new(0.5, 0.06, 0.005), 0.0).unwrap();
        builder.body(
            BodyDef::fixed(format!("side-{k}"), shape, stone).at(Pose::from_translation(DVec3::new(0.4, 0.06, z))),
        );
    }
    for k in 0..count {
        let f = f64::from(k);
        let offset = |c: usize| 0.003 * DVec3::new(libm::sin(f + c as f64), libm::cos(2.0 * f), libm::sin(3.0 * f));
        let shape = match k % 2 {
            0 => Shape::sphere(0.02).unwrap(),
            _ => Shape::hull(Hull::perturbed_cube(0.015, &std::array::from_fn(offset)).unwrap()),
        };
        let away = if k == odd { by } else { 0.0 };
        let place = DVec3::new(
            0.1 + 0.2 * f64::from(k % 4) + 0.03 * libm::sin(5.0 * f) + away,
            0.25,
            0.03 * libm::cos(5.0 * f),
        );
        let pose = Pose::new(place, DQuat::from_rotation_x(f));
        builder.body(BodyDef::moving(format!("grain-{k}"), shape, stone).at(pose).starting_at(0.1 * f));
    }
    builder
}

#[test]
fn a_reused_run_equals_a_fresh_one() {
    let first = Take::record(bins(12, 0, 0.0), 2.5, 0.1).unwrap();
    let mut world = bins(12, 0, 0.0).recording().build().unwrap();
    world.advance(2.5).unwrap();
    assert_eq!(first.state_hash(), world.state_hash());
    for (odd, by) in [(0, 0.01), (3, 0.05), (5, -0.004), (8, 0.15), (11, 0.02)] {
        let again = first.again(bins(12, odd, by)).unwrap();
        let mut fresh = bins(12, odd, by).recording().build().unwrap();
        fresh.advance(2.5).unwrap();
        assert_eq!(again.state_hash(), fresh.state_hash(), "grain {odd} by {by}: {:?}", again.reuse());
        let (told, seen) = (again.recording(), fresh.recording().unwrap());
        assert!(told.contacts == seen.contacts && told.touches == seen.touches);
        assert!(!told.touches.is_empty());
        for body in fresh.bodies() {
            assert!(told.flights(body) == seen.flights(body), "{}", fresh.name(body));
        }
        assert!(again.reuse().share() > 0.3, "grain {odd}: {:?}", again.reuse());
        // And again from there, back to the beginning.
        let back = again.again(bins(12, 0, 0.0)).unwrap();
        assert_eq!(back.state_hash(), first.state_hash());
    }
}

/// Chains of small changes, as a sampler makes them: each take re-uses the
/// last.
#[test]
fn so_does_the_fiftieth_in_a_row() {
    let mut take = Take::record(bins(12, 0, 0.0), 2.5, 0.1).unwrap();
    for k in 0..50_u32 {
        let (odd, by) = ((7 * k) % 12, 0.06 * libm::sin(f64::from(k)));
        take = take.again(bins(12, odd, by)).unwrap();
        if k % 5 == 4 {
            let mut fresh = bins(12, odd, by).build().unwrap();
            fresh.advance(2.5).unwrap();
            assert_eq!(take.state_hash(), fresh.state_hash(), "change {k}: {:?}", take.reuse());
        }
    }
}

/// The same with bounds in the grid, which few bodies would not choose.
#[test]
fn takes_do_not_notice_how_bounds_are_kept() {
    let grid = |odd: u32, by: f64| bins(12, odd, by).bounds(BoundsKind::Grid);
    let mut take = Take::record(grid(0, 0.0), 2.5, 0.1).unwrap();
    for k in 0..20_u32 {
        let (odd, by) = ((7 * k) % 12, 0.06 * libm::sin(f64::from(k)));
        take = take.again(grid(odd, by)).unwrap();
    }
    let mut fresh = bins(12, 133 % 12, 0.06 * libm::sin(19.0)).build().unwrap();
    fresh.advance(2.5).unwrap();
    assert_eq!(take.state_hash(), fresh.state_hash());
}

#[test]
fn nothing_changed_is_replayed_whole() {
    let first = Take::record(bins(6, 0, 0.0), 1.5, 0.1).unwrap();
    let again = first.again(bins(6, 0, 0.0)).unwrap();
    assert_eq!(again.reuse().share(), 1.0);
    assert_eq!(again.state_hash(), first.state_hash());
    assert_eq!(again.statistics().events, 0);
}

#[test]
fn another_world_is_simulated_anew() {
    let first = Take::record(bins(4, 0, 0.0), 1.0, 0.1).unwrap();
    let heavier = bins(4, 0, 0.0).gravity(DVec3::new(0.0, -20.0, 0.0));
    let again = first.again(heavier.clone()).unwrap();
    assert_eq!(again.reuse().replayed, 0);
    assert_eq!(again.state_hash(), Take::record(heavier, 1.0, 0.1).unwrap().state_hash());
}

fn push(body: u32, impulse: DVec3) -> Control {
    Control::Impulse { body: nth(body), impulse, point: None }
}

/// The grain of this number: after the ground, five walls and two sides.
fn nth(grain: u32) -> BodyId {
    let world = bins(12, 0, 0.0).build().unwrap();
    world.bodies().nth(8 + grain as usize).unwrap()
}

#[test]
fn late_input_equals_input_in_time() {
    let kick = DVec3::new(0.02, 0.1, 0.01);
    for (grain, time) in [(2, 0.31), (0, 1.0), (5, 1.7)] {
        let mut in_time = bins(12, 0, 0.0).recording().sample_every(0.25).build().unwrap();
        in_time.schedule(time, push(grain, kick)).unwrap();
        in_time.advance(3.0).unwrap();
        let mut late = bins(12, 0, 0.0).recording().sample_every(0.25).late_input(0.1, 10.0).build().unwrap();
        late.advance(2.03).unwrap();
        late.schedule(time, push(grain, kick)).unwrap();
        let reuse = late.last_reuse().unwrap();
        assert!(reuse.share() > 0.3, "{reuse:?}");
        late.advance(3.0).unwrap();
        assert_eq!(late.state_hash(), in_time.state_hash(), "grain {grain} at {time}");
        assert!(late.samples() == in_time.samples());
        let (late, in_time) = (late.recording().unwrap(), in_time.recording().unwrap());
        assert!(late.contacts == in_time.contacts && late.touches == in_time.touches);
    }
}

#[test]
fn two_late_inputs_in_the_wrong_order() {
    let (first, second) = (push(1, DVec3::new(0.0, 0.1, 0.02)), push(6, DVec3::new(-0.02, 0.1, 0.0)));
    let mut in_time = bins(12, 0, 0.0).build().unwrap();
    in_time.schedule(0.9, first.clone()).unwrap();
    in_time.schedule(1.2, second.clone()).unwrap();
    in_time.advance(3.0).unwrap();
    let mut late = bins(12, 0, 0.0).late_input(0.1, 10.0).build().unwrap();
    late.advance(1.5).unwrap();
    late.schedule(1.2, second).unwrap();
    late.advance(2.0).unwrap();
    late.schedule(0.9, first).unwrap();
    late.advance(3.0).unwrap();
    assert_eq!(late.state_hash(), in_time.state_hash());
}

#[test]
fn what_is_forgotten_cannot_be_changed() {
    let mut world = bins(4, 0, 0.0).late_input(0.1, 0.5).build().unwrap();
    world.advance(2.0).unwrap();
    let error = world.schedule(1.0, push(1, DVec3::Y)).unwrap_err();
    assert!(matches!(error, SimulationError::TooLate { .. }), "{error}");
    let mut forgetful = bins(4, 0, 0.0).build().unwrap();
    forgetful.advance(2.0).unwrap();
    assert!(matches!(forgetful.schedule(1.0, push(1, DVec3::Y)).unwrap_err(), SimulationError::BadControl { .. }));
}

/// Marbles that fall one after the other onto a bumpy mesh, one of whose corners
/// may be elsewhere, with one marble let go elsewhere.
fn marbles_on_a_mesh(count: u32, lifted: Option<(u32, f64)>, odd: u32, by: f64) -> WorldBuilder {
    let side = 12_u32;
    let mut vertices = Vec::new();
    for row in 0..=side {
        for column in 0..=side {
            let (x, z) = (0.02 * f64::from(column), 0.02 * f64::from(row));
            let height = 0.006 * libm::sin(2.1 * f64::from(column)) * libm::cos(1.7 * f64::from(row));
            let lift = lifted.filter(|(which, _)| *which as usize == vertices.len()).map_or(0.0, |(_, lift)| lift);
            vertices.push(DVec3::new(x, height + lift, z));
        }
    }
    let corner = |column: u32, row: u32| row * (side + 1) + column;
    let triangles: Vec<[u32; 3]> = (0..side * side)
        .map(|cell| (cell % side, cell / side))
        .flat_map(|(column, row)| {
            let [a, b] = [corner(column, row), corner(column + 1, row)];
            let [c, d] = [corner(column, row + 1), corner(column + 1, row + 1)];
            [[a, c, b], [b, c, d]]
        })
        .collect();
    let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    let felt = builder.material(Material::new(2000.0, 0.4, 0.4).with_rolling(0.1));
    builder.body(BodyDef::fixed("ground", Shape::mesh(TriangleMesh::new(vertices, &triangles).unwrap()), felt));
    for k in 0..count {
        let f = f64::from(k);
        let away = if k == odd { by } else { 0.0 };
        let place = DVec3::new(0.12 + 0.08 * libm::sin(5.0 * f) + away, 0.08, 0.12 + 0.08 * libm::cos(3.0 * f));
        let ball = BodyDef::moving(format!("marble-{k}"), Shape::sphere(0.008).unwrap(), felt);
        builder.body(ball.at(Pose::from_translation(place)).starting_at(0.15 * f));
    }
    builder
}

/// Corners of scenery may move: who is far from them is re-used.
#[test]
fn a_run_over_changed_scenery_equals_a_fresh_one() {
    let until = 2.5;
    let mut take = Take::record(marbles_on_a_mesh(8, None, 0, 0.0), until, 0.1).unwrap();
    let mut shares = 0.0;
    for k in 0..40_u32 {
        let lifted = Some((14 + (29 * k) % 140, 0.002 * libm::sin(f64::from(k))));
        let (odd, by) = if k % 2 == 0 { (k % 8, 0.03 * libm::sin(7.0 * f64::from(k))) } else { (0, 0.0) };
        let changed = || marbles_on_a_mesh(8, lifted, odd, by);
        take = take.again(changed()).unwrap();
        let mut fresh = changed().recording().build().unwrap();
        fresh.advance(until).unwrap();
        assert_eq!(take.state_hash(), fresh.state_hash(), "change {k}: {:?}", take.reuse());
        let (told, seen) = (take.recording(), fresh.recording().unwrap());
        assert!(told.contacts == seen.contacts && told.touches == seen.touches);
        shares += take.reuse().share();
    }
    assert!(shares / 40.0 > 0.3, "{shares}");
}
