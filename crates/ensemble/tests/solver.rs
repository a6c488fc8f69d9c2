//! Promise: what the solver is told beside non-penetration holds: rules, a
//! tolerance where nothing else is found, moments between frames; and it tells
//! how it goes.

use proscenium_ensemble::data::Moment;
use proscenium_ensemble::transition::{
    Costs, Observer, Rule, Shapes, Splice, Step, Trace, Transition, TransitionSettings, compute_transition,
};
use proscenium_ensemble::{CompressedEnsemble, Seed};
use proscenium_work::{Completion, Progress, Stop};

use crate::plates;

/// Nobody stops it.
fn quiet(trace: &mut dyn FnMut(Trace)) -> Observer<'_> {
    Observer { progress: const { &Progress::none() }, trace }
}

fn settings() -> TransitionSettings {
    TransitionSettings { reach: 8, blend: 6, samples: 6, patience: 20.0, ..TransitionSettings::default() }
}

fn departures(data: &CompressedEnsemble, count: u32) -> Vec<(Moment, Vec<Moment>)> {
    let frames = data.sequences()[1].frames as u32;
    let all = |frame| Moment { sequence: 1, frame };
    (0..count)
        .map(|index| {
            let from = 20 + 31 * index % (frames - 40);
            (all(from), (20..frames - 20).step_by(5).filter(|to| to.abs_diff(from) > 25).map(all).collect())
        })
        .collect()
}

/// The first plate's lower edge stays on one side while the second is well on
/// the other: a rule about two groups that data need not obey.
struct TipsTogether([usize; 2]);

impl Rule for TipsTogether {
    fn name(&self) -> &str {
        "tips together"
    }
    fn groups(&self) -> &[usize] {
        &self.0
    }
    fn holds(&self, shapes: &[&[[f32; 3]]]) -> bool {
        let tip = |shape: &[[f32; 3]]| shape[shape.len() - 1][0];
        (tip(shapes[1]) - tip(shapes[0]) - 0.5).abs() < 0.32
    }
}

#[test]
fn rules_are_obeyed_in_every_frame() {
    let data = plates::swinging(plates::Swing { spacing: 0.5, own: 0.14, speed: 0.6 }, 2, 200);
    let costs = Costs::new(&data);
    let rule = TipsTogether([0, 1]);
    let free = Shapes::new(&data);
    let ruled = Shapes::new(&data).with_rules(vec![&rule]);
    let broken = |transition: &Transition| {
        let span = i64::from(transition.span);
        let mut positions = Vec::new();
        let half = data.vertices_of(0).end;
        let breaks = (-span..=span).filter(|&frame| {
            transition.positions(&free, frame as f64, &mut positions);
            !rule.holds(&[&positions[..half], &positions[half..]])
        });
        breaks.count()
    };
    let (mut without, mut found) = (0, 0);
    for (index, (from, to)) in departures(&data, 20).iter().enumerate() {
        let solve = |shapes: &Shapes| {
            let mut stream = Seed(3).stream("rules").at(index as u64);
            compute_transition(shapes, &costs, *from, to, &settings(), &mut stream, &mut quiet(&mut |_| ()))
                .finished()
                .unwrap()
                .transition
        };
        without += solve(&free).map_or(0, |transition| broken(&transition));
        if let Some(transition) = solve(&ruled) {
            assert_eq!(broken(&transition), 0);
            found += 1;
        }
    }
    assert!(without > 0 && found > 5, "{without} {found}");
}

#[test]
fn a_tolerance_is_used_only_where_it_is_needed() {
    let data = plates::plates(4, 300);
    let (shapes, costs) = (Shapes::new(&data), Costs::new(&data));
    // No patience at all: only what needs no repair is found without it.
    let strict = TransitionSettings { patience: 0.0, samples: 2, ..settings() };
    let lax = TransitionSettings { tolerance: 0.02, ..strict };
    let (mut more, mut same) = (0, 0);
    for (index, (from, to)) in departures(&data, 40).iter().enumerate() {
        let solve = |settings: &TransitionSettings| {
            let mut stream = Seed(5).stream("tolerance").at(index as u64);
            compute_transition(&shapes, &costs, *from, to, settings, &mut stream, &mut quiet(&mut |_| ()))
                .finished()
                .unwrap()
                .transition
        };
        match (solve(&strict), solve(&lax)) {
            (Some(strict), Some(lax)) => {
                assert_eq!(strict, lax);
                same += 1;
            }
            (None, Some(lax)) => {
                assert_eq!(lax.tolerance, 0.02);
                more += 1;
            }
            (_, None) => {}
        }
    }
    assert!(same > 5, "{same} {more}");
}

#[test]
fn moments_between_frames_are_tested_too() {
    let data = plates::plates(3, 300);
    let (shapes, costs) = (Shapes::new(&data), Costs::new(&data));
    let fine = TransitionSettings { between: 2, ..settings() };
    let mut found = 0;
    for (index, (from, to)) in departures(&data, 8).iter().enumerate() {
        let mut stream = Seed(6).stream("between").at(index as u64);
        let Some(transition) =
            compute_transition(&shapes, &costs, *from, to, &fine, &mut stream, &mut quiet(&mut |_| ()))
                .finished()
                .unwrap()
                .transition
        else {
            continue;
        };
        found += 1;
        let mut positions = Vec::new();
        for moment in 0..=6 * transition.span {
            let frame = f64::from(moment) / 3.0 - f64::from(transition.span);
            transition.positions(&shapes, frame, &mut positions);
            assert_eq!(shapes.contact_test().touching(&positions), []);
        }
    }
    assert!(found > 3, "{found}");
}

#[test]
fn a_search_tells_how_it_goes() {
    let data = plates::plates(4, 300);
    let (shapes, costs) = (Shapes::new(&data), Costs::new(&data));
    let (from, to) = &departures(&data, 1)[0];
    let mut points = Vec::new();
    let mut stream = Seed(8).stream("trace");
    let mut push = |point| points.push(point);
    let mut observer = quiet(&mut push);
    let found = compute_transition(&shapes, &costs, *from, to, &settings(), &mut stream, &mut observer);
    let found = found.finished().unwrap();
    assert_eq!(points[0].step, Step::Departure);
    let count = |step: Step| points.iter().filter(|point| point.step == step).count() as u64;
    assert_eq!(count(Step::Destination), found.tally.programs);
    assert_eq!(count(Step::Feasible), found.tally.feasible);
    assert_eq!(count(Step::Culled), found.tally.culled);
    assert_eq!(count(Step::TimedOut), found.tally.timed_out);
    assert!(points.is_sorted_by_key(|point| point.work));
}

/// A search asks in every step and before every moment that it tests, so that it can
/// be stopped anywhere.
#[test]
fn a_search_can_be_stopped_at_any_question() {
    let data = plates::plates(4, 300);
    let (shapes, costs) = (Shapes::new(&data), Costs::new(&data));
    let (from, to) = &departures(&data, 1)[0];
    let solve = |progress: &Progress| {
        let mut searches = 0;
        let mut trace = |point: Trace| searches += u64::from(point.step == Step::Search);
        let mut observer = Observer { progress, trace: &mut trace };
        let mut stream = Seed(8).stream("trace");
        let found = compute_transition(&shapes, &costs, *from, to, &settings(), &mut stream, &mut observer);
        (found, searches)
    };
    let whole = Progress::new(&Stop::new());
    let (found, searches) = solve(&whole);
    let tally = found.finished().unwrap().tally;
    let moments = u64::from(2 * settings().span() + 1);
    let begun = tally.programs - tally.culled;
    assert!(whole.questions() >= to.len() as u64 + searches + begun * moments);
    // Shapes are made and pairs tested between two questions: those of one moment, or of one change.
    assert!(tally.work <= whole.questions() * moments * 4, "{} for {} questions", tally.work, whole.questions());
    for question in (1..=whole.questions()).step_by(101) {
        assert_eq!(solve(&Progress::stopping_at(question)).0, Completion::Stopped, "question {question}");
    }
}

#[test]
fn a_detour_leads_from_the_source_to_the_destination() {
    let data = plates::plates(1, 300);
    let at = |frame| Moment { sequence: 1, frame };
    let splice = Splice::Detour { by: at(150), first: -5, second: 5 };
    let (from, to) = (at(50), at(220));
    let transition = Transition { from, to, blend: 6, span: 11, splices: vec![splice], cost: 0.0, tolerance: 0.0 };
    let coordinates = |frame: f64| {
        let mut coordinates = Vec::new();
        transition.coordinates(&data, 0, frame, &mut coordinates);
        coordinates
    };
    let plain = |frame: u32| {
        let mut coordinates = Vec::new();
        data.shapes()[0].coordinates_at(at(frame), &mut coordinates);
        coordinates
    };
    assert_eq!(coordinates(-11.0), plain(39));
    assert_eq!(coordinates(0.0), plain(150));
    assert_eq!(coordinates(11.0), plain(231));
    assert!(transition.is_blending(0, -5.0) && !transition.is_blending(0, 0.0) && transition.is_blending(0, 5.0));
}
