//! Promise: a cycle of a graph is about as long as was asked, ends where it begins, and
//! cannot be told from any other walk where it closes.

#![allow(clippy::unwrap_used)]

use crate::plates;
use proscenium_ensemble::build::{BuildSettings, TransitionSearch};
use proscenium_ensemble::export::{Take, to_pc2};
use proscenium_ensemble::transition::{Shapes, TransitionSettings};
use proscenium_ensemble::{MotionGraph, Seed};
use proscenium_work::{Memory, Progress};

fn graph() -> MotionGraph {
    let data = plates::plates(3, 240);
    let transition =
        TransitionSettings { reach: 8, blend: 6, samples: 3, patience: 10.0, ..TransitionSettings::default() };
    let settings = BuildSettings { transition, interval: 0.6, ..BuildSettings::default() };
    let search =
        TransitionSearch::new(&data, settings, Vec::new(), Seed(11), &Progress::none()).unwrap().finished().unwrap();
    let (transitions, tally) = search.find_all(&Memory::default(), &Progress::none()).unwrap().finished().unwrap();
    MotionGraph::new(data, transitions, tally).unwrap()
}

#[test]
fn a_cycle_closes_without_a_seam() {
    let graph = graph();
    let data = graph.data();
    let test = Shapes::new(data).contact_test().clone();
    for level in graph.levels() {
        for seconds in [4.0, 9.0] {
            let cycle = graph.cycle(level, seconds).unwrap();
            let off = (f64::from(cycle.frames()) / data.frames_per_second() - seconds).abs();
            assert!(off <= 0.25 * seconds, "{} frames for {seconds} s", cycle.frames());
            assert!(cycle.transitions() > 0);
            let round = u64::from(cycle.frames());
            assert_eq!(cycle.coordinates(&graph, 3), cycle.coordinates(&graph, round + 3));
            let places = |frame: u64| {
                let mut positions = Vec::new();
                data.place(&cycle.coordinates(&graph, frame), &mut positions);
                positions
            };
            let step = |frame: u64| {
                let (here, next) = (places(frame), places(frame + 1));
                let away =
                    |(a, b): (&[f32; 3], &[f32; 3])| (0..3).map(|axis| (a[axis] - b[axis]).abs()).fold(0.0, f32::max);
                here.iter().zip(&next).map(away).fold(0.0, f32::max)
            };
            let longest = (0..round - 1).map(step).fold(0.0, f32::max);
            assert!(step(round - 1) <= longest, "the seam is the longest step");
            assert!((0..round).all(|frame| test.touching(&places(frame)).is_empty()));
            // It closes in plain data: no more than that, where transitions may be a tenth more.
            assert!(cycle.seam(&graph) <= 1.000_001, "{}", cycle.seam(&graph));
            let take = Take::of_cycle(&graph, &cycle, "loop");
            assert!(take.loops() && !take.clone().shortened(5).loops());
            assert_eq!(take.frame_count() as u64, round);
            let cache = to_pc2(&take, &Progress::none()).unwrap().finished().unwrap();
            assert_eq!(cache.len(), 32 + take.frame_count() * data.vertex_count() * 12);
        }
    }
    for (seconds, word) in [(0.01, "nearest"), (f64::NAN, "loop")] {
        let message = graph.cycle(0, seconds).unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    }
}
