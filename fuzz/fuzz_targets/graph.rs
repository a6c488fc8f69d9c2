//! A motion graph: any bytes are one or an error, and one can be walked for a
//! while, in every wind that it has.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use proscenium_ensemble::built_in::Banner;
use proscenium_ensemble::simulate::{Generator, Part};
use proscenium_ensemble::{MotionGraph, Player, Seed};

/// Whose recorded stretches the bytes may be.
static FLAG: LazyLock<Generator> = LazyLock::new(|| Banner { flags: 1, ..Banner::default() }.generator());

fuzz_target!(|data: &[u8]| {
    let part = Part { level: 0, number: 0, seconds: 1.0 };
    let _ = FLAG.stretch_from_bytes(part, Seed(1), data);
    let Ok(graph) = MotionGraph::from_bytes(data) else {
        return;
    };
    let graph = Arc::new(graph);
    let Ok(mut player) = Player::new(&graph, Seed(1)) else {
        return;
    };
    let mut positions = Vec::new();
    let mut frame = 0;
    for level in graph.levels().collect::<Vec<_>>() {
        let _ = player.want(level);
        for step in [1, 2, 30, 1000] {
            frame += step;
            player.see(frame);
            player.positions(&mut positions);
        }
    }
    let _ = graph.to_bytes();
});
