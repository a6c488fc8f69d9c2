//! Promise: the same scene and seed give the same bytes, in every build
//! profile, for any number of threads, and whatever is drawn beside.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proscenium_scenes::{Builtin, Scene, Seed, SimulateOptions, Source, builtin, find};
use proscenium_work::{Progress, Stop};
use rayon::prelude::*;

/// The state of every built-in scene after some seconds.
const EXPECTED: &[(&str, f64, u64)] = &[
    ("billiards", 4.0, 0x18b113086997bd25),
    ("bounce", 2.5, 0x1705310bbf018353),
    ("bowling", 4.0, 0x6a1620effc6a6a37),
    ("box", 2.0, 0x69a1fc6c1f562cad),
    ("break", 4.0, 0x67715ac3bf93abc5),
    ("bullet", 1.0, 0xcff9ba1c097f4e32),
    ("chain", 1.0, 0xb5620c7bc2347470),
    ("cradle", 2.0, 0x9988985fcd7dd541),
    ("dice", 2.0, 0xd667829748ce7ae7),
    ("dominoes", 2.0, 0x0ac50f404353c168),
    ("door", 1.0, 0xf97028326a0c747a),
    ("gas", 2.0, 0x6d9c9fcd4d1b2042),
    ("hourglass", 3.0, 0x2a83c71a8a4c49e3),
    ("pins", 2.0, 0xa4d702ee2c9b4fb1),
    ("spell", 1.0, 0x5206e5ec21beb53e),
    ("spin", 3.0, 0xee02f25c03491960),
    ("swing", 1.0, 0xbb3e26dd822a1269),
    ("table", 1.0, 0xe4793f5d78db5eb6),
];

fn hash_after(entry: &Builtin, time: f64) -> u64 {
    let mut world = entry.scene(&[]).unwrap().draw(Seed(1)).world().unwrap();
    world.advance(time).unwrap();
    world.state_hash()
}

#[test]
fn built_in_scenes_reach_the_expected_states() {
    let found: Vec<(&str, f64, u64)> = builtin()
        .iter()
        .map(|entry| {
            let time = EXPECTED.iter().find(|(name, ..)| *name == entry.name).map_or(1.0, |(_, time, _)| *time);
            (entry.name, time, hash_after(entry, time))
        })
        .collect();
    let listed: Vec<String> =
        found.iter().map(|(name, time, hash)| format!("(\"{name}\", {time:?}, {hash:#018x}),")).collect();
    assert!(found == EXPECTED, "the states are\n{}", listed.join("\n"));
}

#[test]
fn runs_in_parallel_equal_runs_in_sequence() {
    let bytes = |seed: u64| {
        let scene = find("bounce", &[("duration", 1.0)]).unwrap();
        let run = scene.draw(Seed(seed)).simulate(&SimulateOptions::default(), &Progress::none());
        let run = run.unwrap();
        (run.state_hash, run.clip.to_glb().unwrap(), run.contacts.len())
    };
    let sequence: Vec<_> = (0..12).map(bytes).collect();
    let parallel: Vec<_> = (0..12_u64).into_par_iter().map(bytes).collect();
    assert!(sequence == parallel);
    assert!(sequence[0].0 != sequence[1].0, "every seed drops things another way");
}

#[test]
fn pauses_for_progress_do_not_reach_the_result() {
    let drawn = find("bounce", &[]).unwrap().draw(Seed(3));
    let run = drawn.simulate(&SimulateOptions::default(), &Progress::none()).unwrap();
    let mut world = drawn.world().unwrap();
    world.advance(drawn.scene().duration()).unwrap();
    assert_eq!(world.state_hash(), run.state_hash);
}

#[test]
fn draws_do_not_depend_on_what_else_is_drawn() {
    let body = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ sphere = {{ uniform = [0.1, 0.2] }} }}\nposition = [{x}, \"y\", {{ normal = [0, 1] }}]\n"
        )
    };
    let parse = |text: String| Scene::parse(&text, &Source::inline("scene.toml", text.clone())).unwrap();
    let variables = "format = 1\n[variables]\ny = { normal = [0, 1] }\n";
    let one = parse(format!("{variables}{}", body("a", 0.0))).draw(Seed(9));
    let two =
        parse(format!("{variables}z = {{ normal = [0, 1] }}\n{}{}", body("b", 5.0), body("a", 0.0))).draw(Seed(9));
    for (name, value) in one.values() {
        assert_eq!(two.values()[name], *value, "{name}");
    }
    assert_eq!(two.values().len(), one.values().len() + 3);
    assert_ne!(one.values()["y"], two.values()["z"]);
}

#[test]
fn a_run_that_is_stopped_keeps_what_there_is() {
    let drawn = find("bounce", &[]).unwrap().draw(Seed(1));
    let (stop, calls) = (Stop::new(), Arc::new(AtomicU64::new(0)));
    let (switch, counter) = (stop.clone(), calls.clone());
    let progress = Progress::watched(&stop, move |report| {
        counter.fetch_add(1, Ordering::Relaxed);
        assert!(report.doing == "simulating" && report.done <= 1.0);
        if report.done >= 1.0 / 3.0 {
            switch.press();
        }
    });
    let run = drawn.simulate(&SimulateOptions::default(), &progress).unwrap();
    assert!(run.stopped && calls.load(Ordering::Relaxed) >= 60);
    assert!(run.event_counts.is_sorted() && run.event_counts.last().unwrap().1 == run.statistics.events);
    assert!((run.clip.duration_secs - 1.0).abs() < 0.05);
    assert!(run.contacts.iter().all(|contact| contact.time <= 1.05) && !run.contacts.is_empty());
}

#[test]
fn a_run_asks_before_every_event_and_goes_no_further_when_it_is_stopped() {
    let drawn = find("bounce", &[]).unwrap().draw(Seed(1));
    let counted = Progress::new(&Stop::new());
    let whole = drawn.simulate(&SimulateOptions::default(), &counted).unwrap();
    assert!(!whole.stopped && counted.questions() >= whole.statistics.events, "{}", counted.questions());
    for question in (1..=counted.questions()).step_by(101) {
        let progress = Progress::stopping_at(question);
        let run = drawn.simulate(&SimulateOptions::default(), &progress).unwrap();
        assert!(run.statistics.events <= question && progress.questions() <= question + 1, "{question}");
        assert!(run.stopped || run.world.now() == 3.0);
        let seen = whole.contacts.iter().take(run.contacts.len());
        assert!(run.contacts.iter().zip(seen).all(|(one, other)| one == other), "{question}");
    }
}
