//! Promise: a walk never ends, no groups interpenetrate in any frame, no vertex
//! jumps, wanted conditions are reached when they were promised, the same seed
//! gives the same walk for any number of threads, and an instance that nobody saw is where the walk would
//! be in the long run.

#![allow(clippy::unwrap_used)]

use std::sync::{Arc, OnceLock};

use proscenium_ensemble::build::{BuildSettings, GraphBuild};
use proscenium_ensemble::transition::{Shapes, TransitionSettings};
use proscenium_ensemble::{CompressedEnsemble, EnsembleError, MotionGraph, Player, Seed};
use proscenium_work::{Memory, Progress, Remedy as _};

use crate::plates;

const PLATES: usize = 5;

fn settings() -> BuildSettings {
    let transition =
        TransitionSettings { reach: 8, blend: 6, samples: 3, patience: 10.0, ..TransitionSettings::default() };
    BuildSettings { transition, interval: 0.6, ..BuildSettings::default() }
}

fn build(data: &CompressedEnsemble) -> MotionGraph {
    let build = |store: &Memory| GraphBuild::new(store, Seed(4)).connect(data.clone(), settings(), &Progress::none());
    build(&Memory::default()).unwrap().finished().unwrap()
}

fn graph() -> &'static Arc<MotionGraph> {
    static GRAPH: OnceLock<Arc<MotionGraph>> = OnceLock::new();
    GRAPH.get_or_init(|| Arc::new(build(&plates::plates(PLATES, 400))))
}

/// The longest way of a vertex from one frame to the next.
fn longest_step(before: &[[f32; 3]], after: &[[f32; 3]]) -> f32 {
    let length = |(a, b): (&[f32; 3], &[f32; 3])| (0..3).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum::<f32>().sqrt();
    before.iter().zip(after).map(length).fold(0.0, f32::max)
}

#[test]
fn a_walk_is_clean_and_smooth() {
    let graph = graph();
    let shapes = Shapes::new(graph.data());
    let (mut here, mut next) = (Vec::new(), Vec::new());
    let mut longest = 0.0_f32;
    for moment in graph.data().moments() {
        graph.data().positions_at(moment, &mut next);
        if moment.frame > 0 {
            longest = longest.max(longest_step(&here, &next));
        }
        std::mem::swap(&mut here, &mut next);
    }
    let mut player = Player::new(graph, Seed(9)).unwrap();
    player.positions(&mut here);
    let mut crossed = 0;
    for frame in 1..3000 {
        if frame % 700 == 0 {
            player.want((frame / 700 % 2) as usize).unwrap();
        }
        player.see(frame);
        player.positions(&mut next);
        assert_eq!(shapes.contact_test().touching(&next), [], "frame {frame}");
        assert!(longest_step(&here, &next) <= 2.0 * longest, "frame {frame}");
        crossed += usize::from(player.transition().is_some());
        std::mem::swap(&mut here, &mut next);
    }
    assert!(crossed > 300, "{crossed}");
}

#[test]
fn wanted_conditions_are_reached_when_promised() {
    let graph = graph();
    assert_eq!(graph.levels().count(), 2, "{:?}", graph.report());
    let mut player = Player::new(graph, Seed(5)).unwrap();
    let mut frame = 0;
    for round in 0..40 {
        frame += 37 * round;
        player.see(frame);
        let level = (round % 2) as usize;
        let promised = player.want(level).unwrap();
        for later in 1..=promised {
            player.see(frame + later);
            assert_eq!(player.frames_until(level), Some(promised - later), "round {round}");
        }
        frame += promised;
        assert_eq!(player.level(), level);
    }
}

#[test]
fn an_unknown_condition_is_refused() {
    let graph = graph();
    assert!(graph.level("storm").unwrap_err().explain().contains("known: light, strong"));
    let mut player = Player::new(graph, Seed(5)).unwrap();
    assert!(matches!(player.want(7), Err(EnsembleError::Unreachable { .. })));
}

#[test]
fn one_thread_and_four_build_the_same_graph() {
    let data = plates::plates(3, 250);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| build(&data).to_bytes())
    };
    assert!(with(1) == with(4));
}

#[test]
fn damaged_files_are_told() {
    let bytes = build(&plates::plates(2, 250)).to_bytes();
    let message = |bytes: &[u8]| MotionGraph::from_bytes(bytes).map(|_| ()).unwrap_err().explain();
    assert!(message(&bytes[..bytes.len() / 2]).contains("cut short"));
    assert!(message(&[&bytes[..], b"..."].concat()).contains("3 bytes follow the end"));
    let mut other = bytes.clone();
    *other.last_mut().unwrap() ^= 1;
    assert!(message(&other).contains("damaged") && message(&other).contains("proscenium ensemble build"));
    assert!(message(b"something else").contains("not a motion graph"));
    assert!(message(b"proscenium motion graph 7\n...").contains("not a motion graph"));
    assert!(message(b"proscenium motion-graph 7 3 00000000\n...").contains("version 7 is newer"));
}

/// The transitions of older graphs were tested with straight blends: played with eased
/// ones, groups could interpenetrate.
#[test]
fn graphs_that_were_tested_with_other_blends_are_refused() {
    let bytes = graph().to_bytes();
    assert!(MotionGraph::from_bytes(&bytes).is_ok());
    let content = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let message = |bytes: &[u8]| MotionGraph::from_bytes(bytes).map(|_| ()).unwrap_err().explain();
    let first = message(&[b"proscenium motion graph 1\n", &bytes[content..]].concat());
    assert!(first.contains("release 0.1") && first.contains("proscenium ensemble build"), "{first}");
    let header = String::from_utf8(bytes[..content].to_vec()).unwrap().replace("motion-graph 3", "motion-graph 2");
    let second = message(&[header.as_bytes(), &bytes[content..]].concat());
    assert!(second.contains("version 2") && second.contains("proscenium ensemble build"), "{second}");
}

/// A chi-square test over tenths of the data, from 2000 absences, against the
/// time that one long walk spends there. Fails by chance once in a thousand.
#[test]
fn after_a_long_absence_the_walk_is_where_it_would_be() {
    let graph = graph();
    let cells = 10;
    let frames = graph.data().sequences()[0].frames as u32;
    let cell = |player: &Player| (player.moment().frame * cells / frames) as usize;
    let mut long = vec![0.0; cells as usize];
    let mut player = Player::new(graph, Seed(21)).unwrap();
    let total = 400_000;
    for frame in 0..total {
        player.see(frame);
        long[cell(&player)] += 1.0 / total as f64;
    }
    let absences = 2000;
    let mut seen = vec![0.0; cells as usize];
    let away = 2 * graph.stationary(0).unwrap().forgets_after() + 100;
    let mut player = Player::new(graph, Seed(22)).unwrap();
    for visit in 1..=absences {
        player.see(visit * away);
        seen[cell(&player)] += 1.0;
    }
    let (mut statistic, mut freedom) = (0.0, -1.0);
    for (seen, share) in seen.iter().zip(&long) {
        let expected = share * absences as f64;
        if expected > 5.0 {
            statistic += (seen - expected) * (seen - expected) / expected;
            freedom += 1.0;
        }
    }
    // The 99.9 % quantile, by Wilson and Hilferty.
    let spread = 2.0 / (9.0 * freedom);
    let quantile = freedom * libm::pow(1.0 - spread + 3.09 * libm::sqrt(spread), 3.0);
    assert!(statistic < quantile, "{statistic} {quantile} {seen:?} {long:?}");
}
