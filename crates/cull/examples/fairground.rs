//! A hundred pendulums, of which a walker sees a few at a time.
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::sync::Arc;

use proscenium_cull::builtin::Builtin;
use proscenium_cull::glam::DVec3;
use proscenium_cull::{CompileSettings, CompiledModel, Seed, World};
use proscenium_view::{Camera, Frustum};
use proscenium_work::Progress;

fn main() -> Result<(), Box<dyn Error>> {
    let model = Builtin::find("pendulum").expect("it comes with the engine").model()?;
    let settings = model.settings().with_effort_of(&CompileSettings::quick());
    let compiled = CompiledModel::compile(model, &settings, Seed(1), &Progress::none())?;
    let pendulum = Arc::new(compiled.finished().expect("nobody stops it"));
    println!("{}", pendulum.verdict());

    let mut world = World::new(Seed(7));
    for index in 0..100 {
        world.add(&pendulum, DVec3::new(8.0 * f64::from(index), 0.0, 0.0))?;
    }
    // The walker passes along the row at two metres a second.
    for frame in 0..=600 {
        let now = f64::from(frame) / 10.0;
        let eye = DVec3::new(2.0 * now, 1.7, 12.0);
        let mut camera = Camera::look_at(eye, eye - DVec3::Z, 0.8, 1.5)?;
        camera.far = 40.0;
        let seen = world.advance(now, &[Frustum::of(&camera)?])?;
        if frame % 100 == 0 {
            let first = &seen[0];
            let angle = first.copies[0].0.values[0];
            println!("{now:>4} s: {} in view, number {} hangs at {angle:.2} rad", seen.len(), first.system.0);
        }
    }
    Ok(())
}
