//! Promise: what a player shows of groups that hang on each other, each at its own
//! time, is what the solver tested, to the last bit; and a field shows the same
//! where an instance stands. Far away, what hangs together splices at once.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use crate::common::{Plant, away};
use proscenium_ensemble::build::TransitionSearch;
use proscenium_ensemble::data::Moment;
use proscenium_ensemble::field::{Detail, Field, Instance, Kind, SweptVolume, TravellingWind};
use proscenium_ensemble::glam::DVec3;
use proscenium_ensemble::transition::{Costs, Tally, Transition, TransitionSettings};
use proscenium_ensemble::{Ensemble, MotionGraph, Player, Seed, compress};
use proscenium_view::Camera;
use proscenium_work::Progress;

const SEED: Seed = Seed(5);

/// A stem with leaves, with transitions in which each splices at a random time,
/// whether or not they interpenetrate.
fn graph() -> Arc<MotionGraph> {
    let data = compress(&Ensemble::new(Plant::new(5).parts(1, 300)).unwrap(), 0.001, &Progress::none())
        .unwrap()
        .finished()
        .unwrap();
    assert!(!data.is_flat());
    let settings = TransitionSettings { reach: 12, blend: 8, ..TransitionSettings::default() };
    let costs = Costs::new(&data);
    let mut stream = SEED.stream("splices");
    let mut moment = || Moment { sequence: 0, frame: 20 + stream.below(240) as u32 };
    let ends: Vec<[Moment; 2]> = (0..40).map(|_| [moment(), moment()]).collect();
    let mut stream = SEED.stream("offsets");
    let transitions = ends.into_iter().map(|ends| {
        let offsets: Vec<i8> = data.groups().iter().map(|_| stream.below(25) as i8 - 12).collect();
        Transition::with_splices(&costs, ends, &offsets, &settings)
    });
    let transitions = transitions.collect();
    drop(costs);
    Arc::new(MotionGraph::new(data, transitions, Tally::default()).unwrap())
}

#[test]
fn a_player_shows_what_was_tested() {
    let graph = graph();
    let search = TransitionSearch::new(graph.data(), Default::default(), Vec::new(), SEED, &Progress::none())
        .unwrap()
        .finished()
        .unwrap();
    let mut player = Player::new(&graph, SEED).unwrap();
    let (mut shown, mut tested, mut blending) = (Vec::new(), Vec::new(), 0);
    for frame in 0..2000 {
        player.see(frame);
        player.positions(&mut shown);
        match player.transition() {
            Some((transition, at)) => {
                transition.positions(search.shapes(), at as f64, &mut tested);
                blending += 1;
            }
            None => graph.data().positions_at(player.moment(), &mut tested),
        }
        assert_eq!(shown, tested, "frame {frame}");
    }
    assert!(blending > 100, "{blending} frames of transitions");
}

/// A player took frame numbers only. At any time it shows a frame, or what lies between two:
/// never a longer step than between them, and the frames themselves to a rounding.
#[test]
fn a_player_takes_any_time() {
    let graph = graph();
    let rate = graph.data().frames_per_second();
    let (mut by_frames, mut by_time) = (Player::new(&graph, SEED).unwrap(), Player::new(&graph, SEED).unwrap());
    let (mut here, mut next, mut between, mut before) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    by_frames.positions(&mut here);
    for frame in 1..400 {
        by_frames.see(frame);
        by_frames.positions(&mut next);
        // 120 pictures a second, where the data has 30.
        for quarter in 0..4 {
            by_time.see_at((frame as f64 - 1.0 + 0.25 * f64::from(quarter) + 1e-6) / rate).unwrap();
            by_time.positions(&mut between);
            let step = |one: &[[f32; 3]], other: &[[f32; 3]]| {
                one.iter().zip(other).map(|(&one, &other)| away(one, other)).fold(0.0, f64::max)
            };
            let whole = step(&here, &next);
            // Where a blend begins, 7 of 16 parts of the way are in the last quarter.
            let last = if quarter == 0 { &here } else { &before };
            let gone = step(last, &between);
            assert!(gone < 0.5 * whole + 1e-4, "frame {frame}: {gone} of {whole}");
            assert!(quarter > 0 || gone < 1e-4, "frame {frame} is shown as it is");
            assert!(quarter < 3 || step(&between, &next) < 0.5 * whole + 1e-4, "frame {frame}");
            std::mem::swap(&mut before, &mut between);
        }
        std::mem::swap(&mut here, &mut next);
    }
    assert!(by_time.see_at(f64::NAN).is_err() && by_time.see_at(-1.0).is_err());
}

/// Calls `check` with what a field shows of an instance in a detail, and with the
/// walk that it goes, where that would put a point, and the frame.
fn compare(details: &[Detail], mut check: impl FnMut(&[[f32; 3]], &mut Player, &Instance, u64)) {
    let graph = graph();
    let swept = SweptVolume::of_graph(&graph, 0.05, &Progress::none()).unwrap().finished().unwrap();
    let kind = Kind::new(&graph, &swept, details).unwrap();
    let instance = Instance { kind: 0, place: DVec3::new(0.3, 0.0, -0.2), turn: 0.7, size: 1.1 };
    let wind = TravellingWind::new([14.0, 12.0], 3.0, [2.0, 0.5], 1, SEED).unwrap();
    let mut field = Field::new(vec![kind], vec![instance], wind, SEED).unwrap();
    let camera = Camera::look_at(DVec3::new(-6.0, 1.5, 0.0), DVec3::ZERO, 0.9, 1.5).unwrap();
    let mut player = Player::new(&graph, SEED.child("instance", 0).child("sight", 0)).unwrap();
    player.want(0).unwrap();
    for frame in 0..600 {
        player.see(frame);
        let mut shown = Vec::new();
        field.look(frame, std::slice::from_ref(&camera), &mut |seen| shown.extend_from_slice(seen.positions)).unwrap();
        check(&shown, &mut player, &instance, frame);
    }
}

/// How far vertices are at most from where an instance would put others, metres.
/// Frames that follow turned vertices are rounded differently.
fn furthest(shown: &[[f32; 3]], positions: &[[f32; 3]], instance: &Instance) -> f64 {
    assert_eq!(shown.len(), positions.len());
    let distances = shown.iter().zip(positions).map(|(&here, &there)| away(here, instance.placing().to_field(there)));
    distances.fold(0.0, f64::max)
}

#[test]
fn a_field_shows_the_same_where_an_instance_stands() {
    let mut positions = Vec::new();
    compare(&[], |shown, player, instance, frame| {
        player.positions(&mut positions);
        assert!(furthest(shown, &positions, instance) < 1e-5, "frame {frame}");
    });
}

#[test]
fn far_away_what_hangs_together_splices_at_once() {
    // From here on less detail, but so little less that all vertices remain.
    let detail = Detail { from: 0.0, modes: usize::MAX, merge: 1e-6 };
    let graph = graph();
    let search = TransitionSearch::new(graph.data(), Default::default(), Vec::new(), SEED, &Progress::none())
        .unwrap()
        .finished()
        .unwrap();
    let (mut positions, mut others) = (Vec::new(), 0);
    compare(&[detail], |shown, player, instance, frame| {
        player.positions(&mut positions);
        others += usize::from(furthest(shown, &positions, instance) > 1e-3);
        if let Some((transition, at)) = player.transition() {
            let stem = transition.splices[0];
            let at_once = Transition { splices: vec![stem; transition.splices.len()], ..transition.clone() };
            at_once.positions(search.shapes(), at as f64, &mut positions);
        }
        assert!(furthest(shown, &positions, instance) < 1e-5, "frame {frame}");
    });
    assert!(others > 50, "leaves that splice with their stem are elsewhere in {others} frames");
}
