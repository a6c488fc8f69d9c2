//! Knots fall into a box, with so much time for collisions in every frame.
//!
//! ```console
//! $ cargo run --release -p proscenium-lod --example budget -- 1000 8
//! ```
#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use std::time::{Duration, Instant};

use proscenium_chance::Seed;
use proscenium_lod::{Budget, Crowd, LodError, Settings};
use proscenium_work::Progress;

fn main() -> Result<(), LodError> {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(200);
    let budget_ms: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(2.0);

    let crowd = Crowd { count, ..Crowd::default() };
    let models = crowd.models("knots", &Progress::none())?.finished().expect("nobody stops it");
    let mut world = crowd.world(&models, Settings::default(), Seed(1))?;
    let viewer = crowd.viewer(models[0].radius(), 16.0 / 9.0)?;

    let start = Instant::now();
    let clock = || start.elapsed();
    let budget = Budget::Time(Duration::from_secs_f64(budget_ms * 1e-3), &clock);
    for frame in 1..=120_u32 {
        let before = start.elapsed();
        let report = world.advance(f64::from(frame) / 60.0, &[viewer], budget)?;
        let took = (start.elapsed() - before).as_secs_f64() * 1e3;
        if frame % 10 == 0 {
            println!(
                "frame {frame:3}: {took:6.2} ms, {:6} pairs, {:6} collisions, mean level {:.2}, {:8} tests",
                report.pairs, report.collisions, report.mean_level, report.tests
            );
        }
    }
    Ok(())
}
