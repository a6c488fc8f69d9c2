//! Throws of a die that end with a six, no two alike.
//!
//! `cargo run -p proscenium-director --example sixes`

use std::io::Write;

use proscenium_chance::Seed;
use proscenium_director::{MemoryArchive, Order, direct};
use proscenium_scenes::{Directed, Scene, Source};
use proscenium_work::Progress;

const THROW: &str = r#"
format = 1
duration = 2.0
[[body]]
name = "table"
fixed = true
shape = { half_space = [0, 1, 0] }
[[body]]
name = "die"
shape = { box = [0.02, 0.02, 0.02], rounding = 0.002 }
position = [0, 0.1, 0]
orientation = "uniform"
velocity = [{ normal = [0.6, 0.2] }, 0, { normal = [0, 0.1] }]
spin = { normal = [0, 12] }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse(THROW, &Source::inline("throw.toml", THROW))?.with_wants("die shows 6")?;
    let (directed, mut archive) = (Directed::new(&scene)?, MemoryArchive::default());
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
