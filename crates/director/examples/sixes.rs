//! Throws of a die that end with a six, no two alike.
//!
//! `cargo run -p proscenium-director --example sixes`

use std::io::Write;

use proscenium_chance::Seed;
use proscenium_director::{MemoryArchive, Order, direct};
use proscenium_scenes::DirectedScene;
use proscenium_work::Progress;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = proscenium_scenes::find("dice", &[])?.with_wants("die-1 shows 6")?;
    let (directed, mut archive) = (DirectedScene::new(&scene)?, MemoryArchive::default());
    let report = direct(&directed, &mut archive, &Order::new(4, Seed(1)), &Progress::none(), &mut |_| Ok(()))?;

    let mut out = std::io::stdout().lock();
    if let Some(choice) = &report.choice {
        writeln!(out, "{choice}")?;
    }
    for animation in &report.animations {
        let radii = animation.difference.map_or(f64::INFINITY, |difference| difference.radii);
        writeln!(out, "sample {:2}: {radii:.1} radii from the one most alike", animation.index + 1)?;
    }
    Ok(())
}
