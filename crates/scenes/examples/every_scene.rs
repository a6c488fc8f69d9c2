//! Runs every built-in scene once and tells what happened:
//! `cargo run -p proscenium-scenes --example every_scene [FOLDER]`.
//! With a folder, each scene is also written there as a `.glb` and a `.toml`.

use std::path::PathBuf;

use proscenium_scenes::{Seed, SimulateOptions, builtin};
use proscenium_work::Progress;

#[allow(clippy::print_stdout, reason = "a program for the terminal")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    println!("{:<8} {:>6} {:>8} {:>8} {:>10} {:>8}", "scene", "bodies", "seconds", "events", "collisions", "keys");
    for entry in builtin() {
        let scene = entry.scene(&[])?;
        let drawn = scene.draw(Seed(1));
        let result = drawn.simulate(&SimulateOptions::default(), &Progress::none())?;
        let tracks = result.clip.nodes.iter().filter_map(|node| node.track.as_ref());
        println!(
            "{:<8} {:>6} {:>8} {:>8} {:>10} {:>8}",
            scene.name(),
            scene.body_count(),
            scene.duration(),
            result.statistics.events,
            result.contacts.len(),
            tracks.map(|track| track.keys.len()).sum::<usize>(),
        );
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder)?;
            result.clip.write_glb(folder.join(scene.name()).with_extension("glb"))?;
            std::fs::write(folder.join(scene.name()).with_extension("toml"), scene.to_toml())?;
        }
    }
    Ok(())
}
