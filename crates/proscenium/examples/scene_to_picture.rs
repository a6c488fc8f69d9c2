//! A scene, simulated with three seeds, as animations and pictures.
//!
//! `cargo run -p proscenium --example scene_to_picture [SCENE]`
//! writes into the folder `scene-to-picture`.

#![allow(clippy::print_stdout, reason = "an example reports to the terminal")]

use proscenium::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "bounce".to_owned());
    let folder = std::path::Path::new("scene-to-picture");
    std::fs::create_dir_all(folder)?;

    let scene = proscenium::scenes::find(&name, &[])?;
    for seed in 1..=3 {
        // A longer run would show its progress here, and could be stopped.
        let run = scene.draw(Seed(seed)).simulate(&SimulateOptions::default(), &Progress::none())?;
        println!("seed {seed}: {} collisions", run.statistics.collisions);

        let look = Look::sized(480, 270);
        let camera = frame_clip(&run.clip, look.aspect())?;
        let picture = render(&run.clip, 0.5 * run.clip.duration_secs, &camera, &look, &Progress::none())?;
        let picture = picture.finished().ok_or("somebody stopped it")?;
        picture.write_png(folder.join(format!("{seed}.png")))?;
        run.clip.write_glb(folder.join(format!("{seed}.glb")))?;
    }
    println!("look into {}", folder.display());
    Ok(())
}
