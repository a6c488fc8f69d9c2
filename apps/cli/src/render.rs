//! A clip as the bytes of a file.

use proscenium_clip::Clip;
use proscenium_picture::{Look, Trail, animate, frame_clip};
use proscenium_show::moment::{self, Moment};
use proscenium_view::Camera;

use crate::arguments::Simulate;
use crate::console::Console;
use crate::failure::Failure;
use crate::output::{Kind, Output};
use crate::progress::{Bar, Interrupt};
use crate::text::{counted, three_digits};

const PNG_SIZE: (u32, u32) = (960, 540);
const GIF_SIZE: (u32, u32) = (480, 270);

/// A file to be, and what it shows.
pub struct Rendered {
    pub bytes: Vec<u8>,
    pub what: String,
}

/// Turns a clip into what a file should hold; `None` if Ctrl-C left nothing
/// of it.
pub fn render(
    output: &Output,
    clip: &Clip,
    (options, camera): (&Simulate, Option<&Camera>),
    interrupt: &Interrupt,
    console: Console,
) -> Result<Option<Rendered>, Failure> {
    let interrupt = &interrupt.for_what_follows();
    match output.kind {
        Kind::Glb => {
            let what = format!("an animation of {}", counted(clip.nodes.len(), "node", "nodes"));
            Ok(Some(Rendered { bytes: clip.to_glb()?, what }))
        }
        Kind::Json => {
            let what = "the same for scripts".to_owned();
            Ok(Some(Rendered { bytes: clip.to_json()?.into_bytes(), what }))
        }
        Kind::Png => picture(clip, (options, camera), interrupt),
        Kind::Gif => moving_picture(clip, (options, camera), interrupt, console),
    }
}

fn picture(
    clip: &Clip,
    (options, camera): (&Simulate, Option<&Camera>),
    interrupt: &Interrupt,
) -> Result<Option<Rendered>, Failure> {
    let end = f64::from(clip.duration_secs);
    if let Some(at) = options.at.filter(|at| *at > end) {
        return Err(Failure::AfterTheEnd { at, end });
    }
    let moment = match options.at {
        Some(at) => Moment { time: at as f32, trail: None },
        None => Moment::worth_seeing(clip),
    }
    .with_ghosts(options.trail);
    let drawn = match camera {
        Some(camera) => {
            let (camera, (_, height)) = sized(camera, options.size, PNG_SIZE);
            moment::draw_by(&camera, clip, &moment, height, &interrupt.progress())?
        }
        None => moment::draw(clip, &moment, options.size.unwrap_or(PNG_SIZE), &interrupt.progress())?,
    };
    let Some(picture) = drawn.finished() else { return Ok(None) };
    let at = three_digits(f64::from(moment.time));
    let what = match moment.trail {
        Some(Trail { ghosts, .. }) => {
            format!("a picture at {at} s, and {} before it", counted(ghosts as usize, "moment", "moments"))
        }
        None => format!("a picture at {at} s"),
    };
    Ok(Some(Rendered { bytes: picture.to_png()?, what }))
}

/// A camera whose pictures have the size that was asked for; without one they are as high as
/// others, and as wide as the camera says.
fn sized(camera: &Camera, size: Option<(u32, u32)>, usual: (u32, u32)) -> (Camera, (u32, u32)) {
    match size {
        Some((width, height)) => (Camera { aspect: f64::from(width) / f64::from(height), ..*camera }, (width, height)),
        None => (*camera, (moment::width(camera, usual.1), usual.1)),
    }
}

fn moving_picture(
    clip: &Clip,
    (options, camera): (&Simulate, Option<&Camera>),
    interrupt: &Interrupt,
    console: Console,
) -> Result<Option<Rendered>, Failure> {
    let given = camera.map(|camera| sized(camera, options.size, GIF_SIZE));
    let (width, height) = given.map_or_else(|| options.size.unwrap_or(GIF_SIZE), |(_, size)| size);
    let look = Look::sized(width, height);
    let camera = match given {
        Some((camera, _)) => camera,
        None => frame_clip(clip, look.aspect())?,
    };
    let bar = Bar::new(console, "drawing", interrupt);
    let mut bytes = Vec::new();
    let footage = animate(clip, &camera, &look, f64::from(options.fps), &mut bytes, bar.progress())?;
    if footage.frames == 0 {
        return Ok(None);
    }
    let early = if footage.stopped { ", stopped early" } else { "" };
    let what = format!("{} of {width}x{height}{early}", counted(footage.frames, "picture", "pictures"));
    Ok(Some(Rendered { bytes, what }))
}
