//! From a simulation to an endless walk: two flags on a rope.

#![allow(clippy::print_stdout)]

use std::sync::Arc;

use proscenium_ensemble::build::{BuildSettings, GraphBuild};
use proscenium_ensemble::built_in::Banner;
use proscenium_ensemble::contact::ContactTest;
use proscenium_ensemble::transition::TransitionSettings;
use proscenium_ensemble::{Player, Seed};
use proscenium_work::{Memory, Progress};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // What is done is kept in memory; in a folder, it would go on after Ctrl-C.
    let (store, progress) = (Memory::default(), Progress::none());
    let build = GraphBuild::new(&store, Seed(1));

    // A few seconds of cloth in three winds.
    let flags = Banner { flags: 2, ..Banner::default() }.generator();
    let made = build.simulate(&flags, 7.0, 0.001, &progress)?.finished().ok_or("stopped")?;
    let frames = made.data.frame_count();
    println!("{frames} frames, {} bytes, compressed to {}", made.plain_bytes, made.data.bytes());

    // Ways from every second to others.
    let transition = TransitionSettings { reach: 12, samples: 4, ..TransitionSettings::default() };
    let settings = BuildSettings { transition, ..BuildSettings::default() };
    let graph = Arc::new(build.connect(made.data, settings, &progress)?.finished().ok_or("stopped")?);
    println!("{} transitions from {} programs", graph.transitions().len(), graph.tally().programs);

    // A minute of them, in a wind that rises and falls.
    let test = ContactTest::new(graph.data().groups(), graph.data().thickness());
    let mut player = Player::new(&graph, Seed(7))?;
    let levels: Vec<usize> = graph.levels().collect();
    let mut positions = Vec::new();
    for frame in 0..1800 {
        player.see(frame);
        if frame % 300 == 0 {
            let level = levels[frame as usize / 300 % levels.len()];
            let arrives_in = player.want(level)?;
            println!("{:>3} s: {} in {arrives_in} frames", frame / 30, graph.data().conditions()[level].name);
        }
        player.positions(&mut positions);
        assert!(test.touching(&positions).is_empty(), "no flag passes through another");
    }
    Ok(())
}
