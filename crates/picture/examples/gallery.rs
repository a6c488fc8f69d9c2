//! Draws the test scenes into the current folder: a still of each, a contact
//! sheet, and a short animation.

#![allow(clippy::print_stderr, reason = "an example tells what it does")]

use std::fs::File;
use std::io::BufWriter;

use proscenium_picture::{Look, Trail, animate, contact_sheet, frame_clip};
use proscenium_work::{Progress, Stop};
use scenes::render;

#[path = "../tests/scenes/mod.rs"]
mod scenes;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let look = Look::default();
    let strobe = look.clone().with_trail(Trail { ghosts: 16, spacing_secs: 0.14, ..Trail::default() });
    let stills = [
        (scenes::bouncing_ball(), 2.3, &strobe),
        (scenes::glass_box(64), 1.0, &look),
        (scenes::cradle(), 0.4, &look),
        (scenes::dice(), 1.6, &look),
    ];
    for (clip, time, look) in &stills {
        let camera = frame_clip(clip, look.aspect())?;
        let start = std::time::Instant::now();
        let picture = render(clip, *time, &camera, look)?;
        eprintln!("{}: {:.0} ms", clip.name, 1e3 * start.elapsed().as_secs_f64());
        picture.write_png(format!("{}.png", clip.name.replace(' ', "-")))?;
    }

    let small = Look::sized(288, 162);
    let (mut thumbs, mut labels) = (Vec::new(), Vec::new());
    for (clip, ..) in &stills {
        let camera = frame_clip(clip, small.aspect())?;
        for third in [0.1, 0.5, 0.9] {
            let time = third * clip.duration_secs;
            thumbs.push(render(clip, time, &camera, &small)?);
            labels.push(format!("{} · {time:.1} s", clip.name));
        }
    }
    contact_sheet(&thumbs, &labels, 3)?.write_png("sheet.png")?;

    let cradle = scenes::cradle();
    let look = Look::sized(480, 270);
    let file = BufWriter::new(File::create("cradle.gif")?);
    let progress = Progress::watched(&Stop::new(), |report| {
        eprintln!("cradle.gif: {} {:.0} %", report.doing, 100.0 * report.done);
    });
    animate(&cradle, &frame_clip(&cradle, look.aspect())?, &look, 20.0, file, &progress)?;
    Ok(())
}
