//! Promise: a counted budget is never passed and replays exactly; nothing
//! tunnels at any speed, at any budget that covers the root level; a level does
//! not fall while a pair touches and is watched.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use proscenium_bodies::{Material, Motion};
use proscenium_chance::Seed;
use proscenium_lod::glam::DVec3;
use proscenium_lod::mesh::built_in;
use proscenium_lod::world::{Partner, Schedule};
use proscenium_lod::{BodyId, Budget, Crowd, Settings, TreeKind, TreeSettings, Viewer, VolumeModel, World};
use proscenium_view::Camera;
use proscenium_work::Progress;

fn crowd(count: usize) -> Crowd {
    let tree = TreeSettings { kind: TreeKind::Adaptive, depth: 4 };
    Crowd { count, triangles: 600, tree, spacing: 1.4, ..Crowd::default() }
}

#[test]
fn a_counted_budget_is_never_passed() {
    let crowd = crowd(60);
    let models = crowd.models("crowd", &Progress::none()).unwrap().finished().unwrap();
    let viewer = crowd.viewer(models[0].radius(), 1.5).unwrap();
    for tests in [0, 10, 1_000, 20_000, 100_000, 400_000] {
        for schedule in [Schedule::perceptual(), Schedule::round_robin()] {
            let mut world = crowd.world(&models, Settings { schedule, ..Settings::default() }, Seed(1)).unwrap();
            for frame in 1..=25 {
                let report = world.advance(f64::from(frame) / 60.0, &[viewer], Budget::Tests(tests)).unwrap();
                assert!(report.spent <= tests, "{} of {tests}", report.spent);
                assert!(report.tests <= tests);
            }
        }
    }
}

#[test]
fn a_larger_budget_goes_deeper() {
    let crowd = crowd(60);
    let models = crowd.models("knots", &Progress::none()).unwrap().finished().unwrap();
    let level = |tests: u64| {
        let mut world = crowd.world(&models, Settings::default(), Seed(1)).unwrap();
        let mut sum = 0.0;
        for frame in 1..=20 {
            sum += world.advance(f64::from(frame) / 60.0, &[], Budget::Tests(tests)).unwrap().mean_level;
        }
        sum / 20.0
    };
    let levels = [60_000, 90_000, 200_000, 8_000_000].map(level);
    assert!(levels.is_sorted() && levels[3] > levels[0] + 0.5, "{levels:?}");
}

#[test]
fn what_is_fine_within_a_region_is_coarse_elsewhere() {
    let crowd = crowd(60);
    let models = crowd.models("crowd", &Progress::none()).unwrap().finished().unwrap();
    let viewer = crowd.viewer(models[0].radius(), 1.5).unwrap();
    let settings = Settings { schedule: Schedule::fine_within(40.0), ..Settings::default() };
    let mut world = crowd.world(&models, settings, Seed(1)).unwrap();
    let (mut deepest, mut coarse) = (0, 0);
    for frame in 1..=20 {
        world.advance(f64::from(frame) / 60.0, &[viewer], Budget::Unlimited).unwrap();
        for collision in world.collisions() {
            assert!(collision.band == 0 || collision.level == 0, "{collision:?}");
            deepest = deepest.max(collision.level);
            coarse += u32::from(collision.band > 0);
        }
    }
    assert!(deepest >= 3 && coarse > 20, "{deepest} {coarse}");
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let crowd = crowd(40);
    let run = || {
        let models = crowd.models("crowd", &Progress::none()).unwrap().finished().unwrap();
        let viewer = crowd.viewer(models[0].radius(), 1.5).unwrap();
        let mut world = crowd.world(&models, Settings::default(), Seed(9)).unwrap();
        for frame in 1..=40 {
            world.advance(f64::from(frame) / 60.0, &[viewer], Budget::Tests(40_000)).unwrap();
        }
        (0..40).flat_map(|index| world.motion(BodyId(index)).unwrap().position.to_array().map(f64::to_bits)).collect()
    };
    let (one, two): (Vec<u64>, Vec<u64>) = (run(), run());
    assert_eq!(one, two);
}

fn model(name: &str) -> Arc<VolumeModel> {
    let settings = TreeSettings { kind: TreeKind::Adaptive, depth: 4 };
    Arc::new(
        VolumeModel::build(name, &built_in(name, 800).unwrap(), settings, &Progress::none())
            .unwrap()
            .finished()
            .unwrap(),
    )
}

/// Two jacks fly at each other along a line and never change places.
#[test]
fn nothing_tunnels_through_another() {
    let model = model("jack");
    for speed in [0.3, 2.0, 10.0, 60.0, 500.0, 1e4, 1e6] {
        // From what covers the root level of one pair to all there is.
        for budget in [Budget::Tests(800), Budget::Tests(3_000), Budget::Tests(30_000), Budget::Unlimited] {
            for sample in 0..4 {
                let settings = Settings { gravity: DVec3::ZERO, ..Settings::default() };
                let mut world = World::with(settings, Seed(sample)).unwrap();
                let mut stream = Seed(11).stream("tunnel").at(sample);
                for side in [-1.0, 1.0] {
                    let motion = Motion {
                        position: DVec3::new(3.0 * side, 0.0, 0.0),
                        orientation: stream.rotation(),
                        velocity: DVec3::new(-side * speed, 0.0, 0.0),
                        spin: DVec3::ZERO,
                    };
                    world.add(&model, motion, Material::new(500.0, 0.5, 0.2)).unwrap();
                }
                let frames = (8.0 / speed * 60.0).clamp(30.0, 2000.0) as u32;
                for frame in 1..=frames {
                    let report = world.advance(f64::from(frame) / 60.0, &[], budget).unwrap();
                    assert_eq!(report.uncovered, 0);
                    let x = |index| world.motion(BodyId(index)).unwrap().position.x;
                    assert!(x(0) < x(1), "at {speed} m/s with {budget:?} in frame {frame}");
                }
            }
        }
    }
}

/// Nor does anything leave a closed box.
#[test]
fn nothing_leaves_the_box() {
    let model = model("torus");
    for speed in [1.0, 30.0, 1e3, 1e6] {
        for tests in [2_000, 20_000, 1_000_000] {
            let mut world = World::with(Settings::default(), Seed(1)).unwrap();
            world.add_box(DVec3::splat(3.0)).unwrap();
            let velocity = speed * DVec3::new(0.9, 0.3, -0.4);
            world.add(&model, Motion { velocity, ..Motion::AT_REST }, Material::new(500.0, 0.9, 0.2)).unwrap();
            for frame in 1..=300 {
                world.advance(f64::from(frame) / 60.0, &[], Budget::Tests(tests)).unwrap();
                let motion = world.motion(BodyId(0)).unwrap();
                assert!(motion.position.abs().max_element() <= 3.0, "at {speed} m/s: {}", motion.position);
            }
        }
    }
}

#[test]
fn a_level_does_not_fall_while_a_pair_touches_and_is_watched() {
    let crowd = crowd(27);
    let models = crowd.models("l-shapes", &Progress::none()).unwrap().finished().unwrap();
    let viewer = crowd.viewer(models[0].radius(), 1.5).unwrap();
    let mut world = crowd.world(&models, Settings::default(), Seed(2)).unwrap();
    let mut held = 0;
    let mut before: Vec<((BodyId, Partner), u32)> = Vec::new();
    for frame in 1..=120 {
        // Now plenty, now little.
        let tests = if frame % 2 == 0 { 4_000_000 } else { 60_000 };
        let report = world.advance(f64::from(frame) / 60.0, &[viewer], Budget::Tests(tests)).unwrap();
        held += report.held;
        let now: Vec<((BodyId, Partner), u32)> =
            world.collisions().map(|collision| ((collision.a, collision.partner), collision.level)).collect();
        for collision in world.collisions().filter(|collision| collision.is_held) {
            let pair = (collision.a, collision.partner);
            let then = before.iter().find(|(other, _)| *other == pair).expect("it touched in the frame before");
            assert!(collision.level >= then.1);
        }
        before = now;
    }
    assert!(held > 10, "{held}");
}

#[test]
fn the_gaze_draws_the_detail() {
    let crowd = crowd(125);
    let models = crowd.models("knots", &Progress::none()).unwrap().finished().unwrap();
    let camera = crowd.viewer(models[0].radius(), 1.5).unwrap().camera;
    let mut level = [0.0; 2];
    let mut count = [0.0; 2];
    let mut world = crowd.world(&models, Settings::default(), Seed(2)).unwrap();
    for frame in 1..=40 {
        let viewer = Viewer { camera, gaze: Some([0.25, 0.7]) };
        world.advance(f64::from(frame) / 60.0, &[viewer], Budget::Tests(150_000)).unwrap();
        // Walls come first wherever somebody looks.
        for collision in world.collisions().filter(|collision| matches!(collision.partner, Partner::Body(_))) {
            let Some(screen) = camera.project(collision.point) else { continue };
            let side = usize::from(screen.x > 0.5);
            level[side] += f64::from(collision.level);
            count[side] += 1.0;
        }
    }
    assert!(level[0] / count[0] > level[1] / count[1] + 0.3, "{level:?} {count:?}");
    // Nobody needs to look: a world without viewers runs too.
    world.advance(41.0 / 60.0, &[], Budget::Tests(1000)).unwrap();
    assert!(world.advance(0.1, &[], Budget::Unlimited).is_err(), "time does not run back");
    let broken = Camera { aspect: f64::NAN, ..camera };
    assert!(world.advance(42.0 / 60.0, &[Viewer::new(broken)], Budget::Unlimited).is_err());
}
