//! From a simulation to an endless walk: two flags on a rope.

#![allow(clippy::print_stdout)]

use proscenium_ensemble::{
    Banner, BuildSettings, Builder, ContactTest, MotionGraph, Player, Seed, TransitionSettings, compress,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A few seconds of cloth in three winds.
    let generator = Banner { flags: 2, ..Banner::default() }.generator();
    let ensemble = generator.gather(generator.record_all(7.0, Seed(1), &|_, _| true)?)?;
    let (data, _) = compress(&ensemble, 0.001)?.cleaned()?;
    println!("{} frames, {} bytes, compressed to {}", data.frame_count(), ensemble.bytes(), data.bytes());

    // Ways from every second to others.
    let transition = TransitionSettings { reach: 12, samples: 4, ..TransitionSettings::default() };
    let settings = BuildSettings { transition, ..BuildSettings::default() };
    let builder = Builder::new(&data, settings, Vec::new(), Seed(1))?;
    let (transitions, tally) = builder.build(Vec::new(), &|_, _| true)?;
    println!("{} transitions from {} programs", transitions.len(), tally.programs);
    drop(builder);
    let graph = std::sync::Arc::new(MotionGraph::new(data, transitions, tally)?);

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
