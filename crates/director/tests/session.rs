//! Promise: the same order gives the same gallery, for any number of threads
//! and however often the run is stopped; every stored sample, simulated again,
//! meets the wants that it is stored with.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use std::path::Path;

use proscenium_chance::Seed;
use proscenium_direct::{Draw, Method};
use proscenium_director::{
    Archive, Budget, DirectorError, Ending, MemoryArchive, Order, Pick, Review, RunReport, direct, direct_to_gallery,
    directed_as_recorded, gallery_scene, judge_again, review,
};
use proscenium_gallery::{Entry, Gallery};
use proscenium_scenes::{DirectedScene, Scene, Source, Unrest};
use proscenium_work::{Progress, Stop, Stopped};

const DIE: &str = include_str!("../../scenes/tests/scenes/die.toml");

fn scene(wants: &str) -> Scene {
    Scene::parse(DIE, &Source::inline("die.toml", DIE)).unwrap().with_wants(wants).unwrap()
}

/// A ball that flies, and a bird that may: simulated in microseconds.
const FLIGHT: &str = r#"
        format = 1
        duration = 1.0
        [[body]]
        name = "ball"
        shape = { sphere = 0.05 }
        velocity = [{ normal = [0, 1] }, 0, 0]
        [[body]]
        name = "bird"
        shape = { sphere = 0.05 }
        position = [0, 0, 3]
        velocity = [{ normal = [0, 1] }, 0, 0]
        takes_part = 0.9
        [[want]]
        body = "ball"
        near = { position = [1, 0], within = 0.3 }
        at = 1.0
    "#;

fn flight() -> Scene {
    Scene::parse(FLIGHT, &Source::inline("flight.toml", FLIGHT)).unwrap()
}

fn order(samples: usize, method: Option<Method>) -> Order {
    let mut order = Order::new(samples, Seed(4));
    order.options.method = method;
    order
}

fn run(scene: &Scene, path: &Path, order: &Order) -> RunReport {
    let directed = DirectedScene::new(scene).unwrap();
    direct_to_gallery(&directed, path, order, &Progress::none(), &mut |_| Ok(())).unwrap()
}

fn content(path: &Path) -> (Vec<Entry>, Vec<Draw>) {
    let gallery = Gallery::open(path).unwrap();
    (gallery.entries().unwrap(), gallery.draws().unwrap())
}

#[test]
fn threads_and_stops_change_nothing() {
    let (two, one) = (scene("die shows 6, die rests near 0.1 0 within 0.05"), flight());
    let (different, likely) = (Pick::Different, Pick::Likely);
    for (scene, method, samples, pick) in [
        (&two, None, 4, different),
        (&two, Some(Method::Chain), 10, different),
        (&two, Some(Method::Tempering), 4, different),
        (&two, None, 4, likely),
        (&one, Some(Method::Chain), 5, likely),
        (&one, Some(Method::Tempering), 5, likely),
        (&one, Some(Method::Population), 5, likely),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let order = Order { pick, ..order(samples, method) };
        let whole = run(scene, &path("whole"), &order);
        assert_eq!((whole.ending, whole.animations.len()), (Ending::Enough, samples));

        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let alone = one.install(|| run(scene, &path("alone"), &order));
        assert_eq!(content(&path("whole")), content(&path("alone")));
        assert_eq!(whole.animations, alone.animations);

        // The same in memory.
        let directed = DirectedScene::new(scene).unwrap();
        let mut memory = MemoryArchive::default();
        let remembered = direct(&directed, &mut memory, &order, &Progress::none(), &mut |_| Ok(())).unwrap();
        assert_eq!((memory.entries().unwrap(), memory.draws().unwrap()), content(&path("whole")));
        assert_eq!(whole.animations, remembered.animations);

        // Stopped after every batch, in turn by the switch, by who observes, and
        // in the middle of the next batch.
        let mut starts = 0;
        let stopped = loop {
            starts += 1;
            let (stop, mut calls) = (Stop::new(), 0);
            let progress = if starts % 3 == 2 { Progress::stopping_at(4000 * starts) } else { Progress::new(&stop) };
            let report = direct_to_gallery(&directed, &path("stopped"), &order, &progress, &mut |_| {
                calls += 1;
                match (calls > 1, starts % 3) {
                    (true, 0) => return Err(Stopped),
                    (true, 1) => drop(stop.press()),
                    _ => {}
                }
                Ok(())
            });
            let report = report.unwrap();
            if report.ending == Ending::Enough {
                break report;
            }
            // A run of a minute is not stopped after every batch.
            if starts > 5 {
                break direct_to_gallery(&directed, &path("stopped"), &order, &Progress::none(), &mut |_| Ok(()))
                    .unwrap();
            }
            assert_eq!(report.ending, Ending::Stopped);
        };
        assert_eq!(content(&path("whole")), content(&path("stopped")));
        assert_eq!(whole.animations, stopped.animations);
        assert_eq!(whole.effort, stopped.effort);
    }
}

#[test]
fn what_is_stored_meets_its_wants_and_can_be_reviewed() {
    let scene = scene("die shows 5");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gallery");
    let report = run(&scene, &path, &order(6, None));
    let (again, stored) = gallery_scene(&path, Path::new("")).unwrap();
    assert_eq!((&again, stored.wants.as_slice()), (&scene, ["die shows 5".to_owned()].as_slice()));
    let directed = DirectedScene::new(&again).unwrap();
    for entry in content(&path).0 {
        let simulated = directed.outcome(&entry.sample.point, &Progress::none()).unwrap().finished().unwrap();
        assert_eq!(simulated.outcome.wants_met(), entry.wants_met);
        assert_eq!(simulated.log_score.to_bits(), entry.sample.log_score.to_bits());
    }
    let reviewed = review(&directed, &Gallery::open(&path).unwrap(), 6, &Progress::none()).unwrap();
    let Review { found, different, animations } = reviewed.finished().unwrap();
    assert_eq!((found, different, &animations), (report.found, report.different, &report.animations));
    let least = animations.iter().filter_map(|animation| animation.difference).map(|difference| difference.radii);
    assert!(least.fold(f64::INFINITY, f64::min) > 0.1);
}

#[test]
fn what_cannot_be_met_is_told_with_what_came_closest() {
    let scene = scene("die shows 6, die rests near 9 9 within 0.01");
    let folder = tempfile::tempdir().unwrap();
    let order = Order { budget: Budget::Simulations(600), ..order(2, None) };
    let report = run(&scene, &folder.path().join("gallery"), &order);
    assert_eq!((report.ending, report.animations.len()), (Ending::Budget, 0));
    let closest = report.closest.unwrap();
    assert_eq!((closest.wants_met.as_slice(), closest.obstacle), ([true, false].as_slice(), 1));
    assert!(closest.obstacle_met.0 == 0 && closest.obstacle_met.1 >= 600 && closest.scores[1] < -1000.0);
}

/// A ball that flies from a drum which it should hit: that is decided before the end, so that
/// every draw is abandoned.
#[test]
fn where_everything_is_abandoned_it_is_told_what_stands_in_the_way() {
    let text = "format = 1\nduration = 2.0\n\
        [[body]]\nname = \"drum\"\nfixed = true\nposition = [3, 0, 0]\nshape = { box = [1, 1, 1] }\n\
        [[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }\nvelocity = [{ normal = [-1, 0.1] }, 0, 0]\n\
        [[want]]\nbody = \"ball\"\nhits = { body = \"drum\", at = 1.5, within = 0.02 }\n";
    let scene = Scene::parse(text, &Source::inline("drum.toml", text)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let order = Order { budget: Budget::Simulations(64), ..order(2, None) };
    let closest = run(&scene, &folder.path().join("gallery"), &order).closest.unwrap();
    assert_eq!((closest.obstacle, closest.obstacle_met), (0, (0, 32)));
    assert!(closest.abandoned >= 64, "{}", closest.abandoned);
}

#[test]
fn another_run_is_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gallery");
    run(&scene("die shows 6"), &path, &order(1, None));
    let attempt = |scene: &Scene, order: &Order| {
        let directed = DirectedScene::new(scene).unwrap();
        direct_to_gallery(&directed, &path, order, &Progress::none(), &mut |_| Err(Stopped))
    };
    let refused = |scene: &Scene, order: &Order| match attempt(scene, order) {
        Err(DirectorError::OtherRun { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&scene("die shows 5"), &order(1, None)), "other wants");
    assert_eq!(refused(&scene("die shows 6"), &order(1, Some(Method::Chain))), "another method");
    assert_eq!(refused(&scene("die shows 6"), &Order::new(1, Seed(5))), "another seed");
    let none = attempt(&scene("die shows 6"), &Order::new(0, Seed(4)));
    assert!(matches!(none, Err(DirectorError::NoSamples)));
}

/// Work begins with one simulation and grows as it pays: where 69 % succeed, one animation
/// costs four simulations or fewer in the mean of 200 seeds.
#[test]
fn what_succeeds_often_costs_little() {
    let near = "near = { position = [1, 0], within = 0.3 }";
    // A normal number is within 1.015 of its mean in 69 % of cases.
    let text = FLIGHT.replace(near, "near = { position = [0, 0], within = 1.015 }");
    let directed = DirectedScene::new(&Scene::parse(&text, &Source::inline("flight.toml", &text)).unwrap()).unwrap();
    for pick in [Pick::Different, Pick::Likely] {
        let simulations = |seed: u64| {
            let order = Order { pick, ..Order::new(1, Seed(seed)) };
            let mut archive = MemoryArchive::default();
            let report = direct(&directed, &mut archive, &order, &Progress::none(), &mut |_| Ok(())).unwrap();
            assert_eq!(report.animations.len(), 1);
            report.effort.simulations
        };
        let mean = (0..200).map(simulations).sum::<u64>() as f64 / 200.0;
        // Drawing one by one would take 1.45.
        assert!((1.4..=4.0).contains(&mean), "{pick:?}: {mean}");
    }
}

/// A body that has nothing to do with the want takes part as often as the world says.
#[test]
fn a_bystander_takes_part_as_often_as_it_should() {
    let directed = DirectedScene::new(&flight()).unwrap();
    for method in [Method::Rejection, Method::Chain, Method::Tempering, Method::Population] {
        let order = Order { pick: Pick::Likely, ..order(400, Some(method)) };
        let mut archive = MemoryArchive::default();
        let report = direct(&directed, &mut archive, &order, &Progress::none(), &mut |_| Ok(())).unwrap();
        assert_eq!((report.ending, report.animations.len()), (Ending::Enough, 400), "{method}");
        assert!(report.settling.is_none_or(|settling| settling.is_settled()), "{method}");
        let there = report.animations.iter().filter(|one| one.entry.sample.point.active()[1]).count() as f64 / 400.0;
        // Five standard deviations of 400 independent draws; of the jump chain half would be.
        assert!((there - 0.9).abs() < 0.075, "{method}: {there}");
    }
}

/// A ball that nothing stops, and one that rolls off a table.
fn bowl(floor: &str, rolling: &str) -> Scene {
    let text = format!(
        "format = 1\nduration = 2.0\n[materials.glass]\nrolling = {rolling}\n\
         [[body]]\nname = \"table\"\nfixed = true\nmaterial = \"glass\"\nshape = {floor}\n\
         [[body]]\nname = \"ball\"\nmaterial = \"glass\"\nshape = {{ sphere = 0.05 }}\nposition = [0, 0.1, 0]\n\
         velocity = [{{ normal = [2, 0.1] }}, 0, 0]\n\
         [[want]]\nbody = \"ball\"\nnear = {{ position = [1, 0], within = 0.3 }}\n"
    );
    Scene::parse(&text, &Source::inline("bowl.toml", &text)).unwrap()
}

#[test]
fn what_never_comes_to_rest_is_told_with_how_often_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let order = Order { budget: Budget::Simulations(64), ..order(2, None) };
    for (name, floor, unrest) in
        [("rolls", "{ half_space = [0, 1, 0] }", Unrest::Rolling), ("falls", "{ box = [1, 0.02, 1] }", Unrest::Falling)]
    {
        let report = run(&bowl(floor, "0.0"), &folder.path().join(name), &order);
        let restless = report.restless.unwrap();
        assert_eq!((restless.body.as_str(), restless.unrest), ("ball", unrest));
        assert!(restless.times == restless.whole && restless.whole + restless.abandoned >= 64, "{restless:?}");
    }
    // What is stopped rests.
    let report = run(&bowl("{ half_space = [0, 1, 0] }", "0.3"), &folder.path().join("stops"), &order);
    assert_eq!((report.restless, report.animations.len()), (None, 2));
}

#[test]
fn a_scene_that_only_looks_otherwise_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gallery");
    let looks = |colour: &str, speed: &str| {
        let text = DIE.replace("name = \"die\"", &format!("name = \"die\"\ncolour = \"{colour}\""));
        let text = text.replace("[0.5, 0.2]", speed);
        Scene::parse(&text, &Source::inline("die.toml", &text)).unwrap().with_wants("die shows 6").unwrap()
    };
    let first = run(&looks("red", "[0.5, 0.2]"), &path, &order(2, None));
    let more = run(&looks("blue", "[0.5, 0.2]"), &path, &order(4, None));
    assert!(more.found > first.found);
    assert!(Gallery::open(&path).unwrap().run().unwrap().scene.contains("blue"));
    // What moves otherwise does not.
    let directed = DirectedScene::new(&looks("blue", "[0.6, 0.2]")).unwrap();
    let other = direct_to_gallery(&directed, &path, &order(6, None), &Progress::none(), &mut |_| Ok(()));
    assert!(matches!(other, Err(DirectorError::OtherRun { what: "another scene", .. })));
}

#[test]
fn an_export_that_differs_from_what_was_found_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gallery");
    let report = run(&scene("die shows 6"), &path, &order(1, None));
    let (again, recorded) = gallery_scene(&path, Path::new("")).unwrap();
    let directed = directed_as_recorded(&again, &recorded).unwrap();
    let mut entry = report.animations[0].entry.clone();
    let judged =
        |entry: &Entry| judge_again(&directed, entry, &recorded, &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(judged(&entry), None);
    entry.wants_met = vec![false];
    assert!(judged(&entry).unwrap().contains("meets 1 of 1 wants"));
}

#[test]
fn what_is_rare_is_looked_for_near_what_was_found_and_kept_like_the_rest() {
    // One throw in some thousand, without its symmetry.
    let scene = scene("die shows 6, die rests near 0.1 0.01 within 0.001");
    let folder = tempfile::tempdir().unwrap();
    let (whole, stopped) = (folder.path().join("whole"), folder.path().join("stopped"));
    let order = order(6, None);
    let report = run(&scene, &whole, &order);
    assert_eq!((report.ending, report.animations.len()), (Ending::Enough, 6));
    let explored =
        |path: &Path| content(path).0.iter().filter(|entry| entry.sample.method == Method::Exploration).count();
    assert!(explored(&whole) > 0);
    let directed = DirectedScene::new(&scene).unwrap();
    for entry in content(&whole).0 {
        let again = directed.outcome(&entry.sample.point, &Progress::none()).unwrap().finished().unwrap();
        assert!(again.satisfied, "{:?}", entry.sample.method);
    }
    // Stopped again and again, it is the same run.
    for stop_at in [20_000, 90_000, 300_000] {
        let progress = Progress::stopping_at(stop_at);
        direct_to_gallery(&directed, &stopped, &order, &progress, &mut |_| Ok(())).unwrap();
    }
    let ended = run(&scene, &stopped, &order);
    assert_eq!((content(&whole), report.effort), (content(&stopped), ended.effort));
    // A fair draw never looks near.
    let likely = Order { pick: Pick::Likely, budget: Budget::Simulations(4000), ..order };
    run(&scene, &folder.path().join("likely"), &likely);
    assert_eq!(explored(&folder.path().join("likely")), 0);
}
