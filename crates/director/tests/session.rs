//! Promise: the same order gives the same gallery, for any number of threads
//! and however often the run is stopped; every stored sample, simulated again,
//! meets the wants that it is stored with.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use std::path::Path;

use proscenium_chance::Seed;
use proscenium_direct::{Draw, Method};
use proscenium_director::{
    Archive, Budget, DirectorError, Ending, MemoryArchive, Order, Review, RunReport, direct, direct_to_gallery,
    gallery_scene, review,
};
use proscenium_gallery::{Entry, Gallery};
use proscenium_scenes::{Directed, Scene, Source};
use proscenium_work::{Progress, Stop, Stopped};

const DIE: &str = include_str!("../../scenes/tests/scenes/die.toml");

fn scene(wants: &str) -> Scene {
    Scene::parse(DIE, &Source::inline("die.toml", DIE)).unwrap().with_wants(wants).unwrap()
}

fn order(samples: usize, method: Option<Method>) -> Order {
    let mut order = Order::new(samples, Seed(4));
    order.options.method = method;
    order
}

fn run(scene: &Scene, path: &Path, order: &Order) -> RunReport {
    let directed = Directed::new(scene).unwrap();
    direct_to_gallery(&directed, path, order, &Progress::none(), &mut |_| Ok(())).unwrap()
}

fn content(path: &Path) -> (Vec<Entry>, Vec<Draw>) {
    let gallery = Gallery::open(path).unwrap();
    (gallery.entries().unwrap(), gallery.draws().unwrap())
}

#[test]
fn threads_and_stops_change_nothing() {
    let scene = scene("die shows 6, die rests near 0.1 0 within 0.05");
    for (method, samples) in [(None, 4), (Some(Method::Chain), 10), (Some(Method::Tempering), 4)] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let order = order(samples, method);
        let whole = run(&scene, &path("whole"), &order);
        assert_eq!((whole.ending, whole.animations.len()), (Ending::Enough, samples));

        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let alone = one.install(|| run(&scene, &path("alone"), &order));
        assert_eq!(content(&path("whole")), content(&path("alone")));
        assert_eq!(whole.animations, alone.animations);

        // The same in memory.
        let directed = Directed::new(&scene).unwrap();
        let mut memory = MemoryArchive::default();
        let remembered = direct(&directed, &mut memory, &order, &Progress::none(), &mut |_| Ok(())).unwrap();
        assert_eq!((memory.entries().unwrap(), memory.draws().to_vec()), content(&path("whole")));
        assert_eq!(whole.animations, remembered.animations);

        // Stopped after every batch, in turn by the switch, by who observes, and
        // in the middle of the next batch.
        let mut starts = 0;
        let stopped = loop {
            starts += 1;
            let (stop, mut calls) = (Stop::new(), 0);
            let progress = if starts % 3 == 2 { Progress::stopping_at(400 * starts) } else { Progress::new(&stop) };
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
    let directed = Directed::new(&again).unwrap();
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

#[test]
fn another_run_is_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gallery");
    run(&scene("die shows 6"), &path, &order(1, None));
    let attempt = |scene: &Scene, order: &Order| {
        let directed = Directed::new(scene).unwrap();
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
