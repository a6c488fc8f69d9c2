//! A clip as the bytes of a file.

use std::cell::{Cell, RefCell};
use std::io;

use proscenium_clip::Clip;
use proscenium_picture::{Look, Trail, animate, frame_clip};

use crate::arguments::Simulate;
use crate::console::Console;
use crate::failure::Failure;
use crate::moment::{self, Moment};
use crate::output::{Kind, Output};
use crate::progress::{Interrupt, bar};
use crate::text::{counted, three_digits};

const PNG_SIZE: (u32, u32) = (960, 540);
const GIF_SIZE: (u32, u32) = (480, 270);

/// The byte that ends a GIF.
const GIF_END: u8 = 0x3b;

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
    options: &Simulate,
    interrupt: &Interrupt,
    console: Console,
) -> Result<Option<Rendered>, Failure> {
    match output.kind {
        Kind::Glb => {
            let what = format!("an animation of {}", counted(clip.nodes.len(), "node", "nodes"));
            Ok(Some(Rendered { bytes: clip.to_glb()?, what }))
        }
        Kind::Json => {
            let what = "the same for scripts".to_owned();
            Ok(Some(Rendered { bytes: clip.to_json()?.into_bytes(), what }))
        }
        Kind::Png => picture(clip, options).map(Some),
        Kind::Gif => moving_picture(clip, options, interrupt, console),
    }
}

fn picture(clip: &Clip, options: &Simulate) -> Result<Rendered, Failure> {
    let end = f64::from(clip.duration_secs);
    if let Some(at) = options.at.filter(|at| *at > end) {
        return Err(Failure::AfterTheEnd { at, end });
    }
    let moment = match options.at {
        Some(at) => Moment { time: at as f32, trail: None },
        None => Moment::worth_seeing(clip),
    }
    .with_ghosts(options.trail);
    let (width, height) = options.size.unwrap_or(PNG_SIZE);
    let look = Look { trail: moment.trail, ..Look::sized(width, height) };
    let camera = frame_clip(&moment::around(clip, &moment), look.aspect())?;
    let picture = proscenium_picture::render(clip, moment.time, &camera, &look)?;
    let at = three_digits(f64::from(moment.time));
    let what = match moment.trail {
        Some(Trail { ghosts, .. }) => {
            format!("a picture at {at} s, and {} before it", counted(ghosts as usize, "moment", "moments"))
        }
        None => format!("a picture at {at} s"),
    };
    Ok(Rendered { bytes: picture.to_png()?, what })
}

fn moving_picture(
    clip: &Clip,
    options: &Simulate,
    interrupt: &Interrupt,
    console: Console,
) -> Result<Option<Rendered>, Failure> {
    let (width, height) = options.size.unwrap_or(GIF_SIZE);
    let look = Look::sized(width, height);
    // A run that was stopped before still becomes a whole moving picture.
    let stopped_before = interrupt.is_pressed();
    let is_stopped = || interrupt.is_pressed() && !stopped_before;
    let bar = bar(console, 1, "drawing");
    let film = film(clip, &look, options.fps, &is_stopped, &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        bar.set_message(format!("picture {done} of {all}"));
    });
    bar.finish_and_clear();
    let Some((bytes, frames)) = film? else { return Ok(None) };
    let early = if is_stopped() { ", stopped early" } else { "" };
    let what = format!("{} of {width}x{height}{early}", counted(frames, "picture", "pictures"));
    Ok(Some(Rendered { bytes, what }))
}

/// A GIF and the number of its frames; if it is stopped, a shorter one, or
/// `None` before the first frame.
fn film(
    clip: &Clip,
    look: &Look,
    fps: u32,
    is_stopped: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Option<(Vec<u8>, usize)>, Failure> {
    let camera = frame_clip(clip, look.aspect())?;
    let bytes = RefCell::new(Vec::new());
    let (frames, whole) = (Cell::new(0), Cell::new(0));
    let pipe = Pipe { bytes: &bytes, is_stopped };
    let drawn = animate(clip, &camera, look, f64::from(fps), pipe, |done, all| {
        frames.set(done);
        whole.set(bytes.borrow().len());
        progress(done, all);
    });
    let mut bytes = bytes.take();
    match drawn {
        Ok(()) => {}
        Err(_) if is_stopped() && frames.get() > 0 => {
            // What is whole so far makes a shorter film.
            bytes.truncate(whole.get());
            bytes.push(GIF_END);
        }
        Err(_) if is_stopped() => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    Ok(Some((bytes, frames.get())))
}

/// Collects the bytes of a file, and breaks when the user has had enough.
struct Pipe<'a> {
    bytes: &'a RefCell<Vec<u8>>,
    is_stopped: &'a dyn Fn() -> bool,
}

impl io::Write for Pipe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.is_stopped)() {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        self.bytes.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};
    use proscenium_clip::{Key, Node, Track, shapes};

    fn slide() -> Clip {
        let mut clip = Clip::new("slide");
        let ball = clip.add_mesh(shapes::ico_sphere(0.1, 1).unwrap());
        let keys = vec![Key::IDENTITY, Key::new(1.0, Vec3::X, Quat::IDENTITY)];
        clip.add_node(Node::new("ball").with_mesh(ball).with_track(Track { keys }));
        clip
    }

    fn decoded(bytes: &[u8]) -> usize {
        let mut decoder = gif::Decoder::new(bytes).unwrap();
        std::iter::from_fn(|| decoder.read_next_frame().unwrap().map(|_| ())).count()
    }

    #[test]
    fn a_film_that_is_stopped_is_shorter_and_whole() {
        let look = Look::sized(32, 18);
        let (bytes, frames) = film(&slide(), &look, 10, &|| false, &mut |_, _| ()).unwrap().unwrap();
        assert_eq!((frames, decoded(&bytes)), (10, 10));
        let stop = Cell::new(false);
        let (bytes, frames) =
            film(&slide(), &look, 10, &|| stop.get(), &mut |done, _| stop.set(done == 3)).unwrap().unwrap();
        assert_eq!((frames, decoded(&bytes)), (3, 3));
        assert!(film(&slide(), &look, 10, &|| true, &mut |_, _| ()).unwrap().is_none());
    }
}
