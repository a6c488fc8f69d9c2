//! Promise: what a player shows of groups that hang on each other, each at its own
//! time, is what the solver tested, to the last bit; and a field shows the same
//! where an instance stands.

#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::{Plant, away};
use proscenium_ensemble::field::{Field, Instance, Kind, Swept, TravellingWind};
use proscenium_ensemble::glam::DVec3;
use proscenium_ensemble::{
    Builder, Costs, Ensemble, Moment, MotionGraph, Player, Seed, Tally, Transition, TransitionSettings, compress,
};
use proscenium_view::Camera;

const SEED: Seed = Seed(5);

/// A stem with leaves, with transitions in which each splices at a random time,
/// whether or not they interpenetrate.
fn graph() -> Arc<MotionGraph> {
    let data = compress(&Ensemble::new(Plant::new(5).parts(1, 300)).unwrap(), 0.001).unwrap();
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
    let builder = Builder::new(graph.data(), Default::default(), Vec::new(), SEED).unwrap();
    let mut player = Player::new(&graph, SEED).unwrap();
    let (mut shown, mut tested, mut blending) = (Vec::new(), Vec::new(), 0);
    for frame in 0..2000 {
        player.see(frame);
        player.positions(&mut shown);
        match player.transition() {
            Some((transition, at)) => {
                transition.positions(builder.shapes(), at as f64, &mut tested);
                blending += 1;
            }
            None => graph.data().positions_at(player.moment(), &mut tested),
        }
        assert_eq!(shown, tested, "frame {frame}");
    }
    assert!(blending > 100, "{blending} frames of transitions");
}

#[test]
fn a_field_shows_the_same_where_an_instance_stands() {
    let graph = graph();
    let swept = Swept::of_graph(&graph, 0.05).unwrap();
    let kind = Kind::new(&graph, &swept, &[]).unwrap();
    let instance = Instance { kind: 0, place: DVec3::new(0.3, 0.0, -0.2), turn: 0.7, size: 1.1 };
    let wind = TravellingWind::new([14.0, 12.0], 3.0, [2.0, 0.5], 1, SEED).unwrap();
    let mut field = Field::new(vec![kind], vec![instance], wind, SEED).unwrap();
    let camera = Camera::look_at(DVec3::new(-6.0, 1.5, 0.0), DVec3::ZERO, 0.9, 1.5).unwrap();
    let mut player = Player::new(&graph, SEED.child("instance", 0).child("sight", 0)).unwrap();
    player.want(0).unwrap();
    let mut positions = Vec::new();
    for frame in 0..600 {
        player.see(frame);
        player.positions(&mut positions);
        let mut shown = Vec::new();
        field.look(frame, std::slice::from_ref(&camera), &mut |seen| shown.extend_from_slice(seen.positions)).unwrap();
        assert_eq!(shown.len(), positions.len());
        let furthest =
            shown.iter().zip(&positions).map(|(&here, &vertex)| away(here, instance.placing().to_field(vertex)));
        let furthest = furthest.fold(0.0, f64::max);
        // Frames that follow turned vertices are rounded differently.
        assert!(furthest < 1e-5, "{furthest} m in frame {frame}");
    }
}
