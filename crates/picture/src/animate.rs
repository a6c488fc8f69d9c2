//! Moving pictures.

use std::io::Write;

use glam::DVec3;
use proscenium_clip::Clip;
use proscenium_view::{Camera, ViewerPath};
use proscenium_work::{Completion, Halt, Progress};

use crate::palette::{Census, Matcher, UNCHANGED};
use crate::render::render_stage;
use crate::scene::Stage;
use crate::trace::towards_lamp;
use crate::{Look, Picture, PictureError};

/// Frames from which the palette is made.
const PALETTE_FRAMES: usize = 10;

/// The most frames that one animation can have.
const MOST_FRAMES: f64 = 20_000.0;

/// The share of the work that finding the colours is, about: ten small frames.
const PALETTE_SHARE: f64 = 0.05;

/// What was filmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footage {
    /// How many frames were written. With one or more, what was written is
    /// whole; without, nothing was written.
    pub frames: usize,
    /// Whether somebody stopped it before the last frame.
    pub stopped: bool,
}

/// Writes a clip as an animated GIF that repeats for ever.
///
/// One palette serves all frames, and each frame holds only what changed. A film
/// that is stopped is shorter and whole.
///
/// # Errors
/// When the clip, the camera or the look makes no sense, `frames_per_second`
/// is not in `(0, 50]` (the format's limit), or the writer fails.
///
/// ```
/// use proscenium_clip::Clip;
/// use proscenium_picture::{Footage, Look, animate, frame_clip};
/// use proscenium_work::Progress;
///
/// let clip = Clip::new("nothing yet");
/// let look = Look::sized(32, 18);
/// let mut gif = Vec::new();
/// let camera = frame_clip(&clip, look.aspect())?;
/// let footage = animate(&clip, &camera, &look, 20.0, &mut gif, &Progress::none())?;
/// assert_eq!(footage, Footage { frames: 1, stopped: false });
/// assert_eq!(&gif[..6], b"GIF89a");
/// # Ok::<(), proscenium_picture::PictureError>(())
/// ```
pub fn animate(
    clip: &Clip,
    camera: &Camera,
    look: &Look,
    frames_per_second: f64,
    writer: impl Write,
    progress: &Progress,
) -> Result<Footage, PictureError> {
    animate_along(clip, &ViewerPath::still(*camera)?, look, frames_per_second, writer, progress)
}

/// As [`animate`], with a viewer who moves.
///
/// # Errors
/// As [`animate`].
pub fn animate_along(
    clip: &Clip,
    path: &ViewerPath,
    look: &Look,
    frames_per_second: f64,
    writer: impl Write,
    progress: &Progress,
) -> Result<Footage, PictureError> {
    look.validate()?;
    clip.validate()?;
    let frames = frame_count(f64::from(clip.duration_secs), frames_per_second)?;
    let stage = Stage::new(clip);
    // The lamp stays where it is when the viewer moves.
    let lamp: DVec3 = towards_lamp(look, &path.at(0.0));
    let look = Look { towards_lamp: Some(lamp), ..look.clone() };
    let time = |frame: usize| frame as f64 / frames_per_second;
    let draw =
        |frame: usize, look: &Look| render_stage(&stage, time(frame) as f32, &path.at(time(frame)), look, progress);

    // Small frames have the same colours as large ones.
    let small = Look { width: look.width.div_ceil(2), height: look.height.div_ceil(2), ..look.clone() };
    let film = Film { frames, frames_per_second, progress };
    film.write(|frame| draw(frame, &small), |frame| draw(frame, &look), writer)
}

/// Writes pictures as an animated GIF that repeats for ever: so many seconds
/// of them, each drawn when it is asked for by its time. All must be of one
/// size. Some are asked for twice. A film that is stopped, here or while a
/// picture is drawn, is shorter and whole.
///
/// # Errors
/// When `frames_per_second` is not in `(0, 50]`, a picture cannot be drawn or
/// is of another size, or the writer fails.
///
/// ```
/// use proscenium_picture::{Picture, film};
/// use proscenium_work::{Completion, Progress};
///
/// let mut gif = Vec::new();
/// let fade = |time: f64| Picture::filled(16, 9, [(255.0 * time) as u8, 0, 0, 255]).map(Completion::Finished);
/// let footage = film(1.0, 10.0, fade, &mut gif, &Progress::none())?;
/// assert_eq!(footage.frames, 10);
/// assert_eq!(&gif[..6], b"GIF89a");
/// # Ok::<(), proscenium_picture::PictureError>(())
/// ```
pub fn film(
    seconds: f64,
    frames_per_second: f64,
    draw: impl Fn(f64) -> Result<Completion<Picture>, PictureError>,
    writer: impl Write,
    progress: &Progress,
) -> Result<Footage, PictureError> {
    let frames = frame_count(seconds, frames_per_second)?;
    let draw = |frame: usize| match draw(frame as f64 / frames_per_second)? {
        Completion::Finished(picture) => Ok(picture),
        Completion::Stopped => Err(Halt::Stopped),
    };
    Film { frames, frames_per_second, progress }.write(draw, draw, writer)
}

/// The frames from which the palette is made.
fn palette_frames(frames: usize) -> impl Iterator<Item = usize> {
    let samples = frames.min(PALETTE_FRAMES);
    (0..samples).map(move |sample| sample * frames / samples)
}

/// What is to be written.
struct Film<'a> {
    frames: usize,
    frames_per_second: f64,
    progress: &'a Progress,
}

impl Film<'_> {
    /// First finds the colours, in frames that may be drawn `small`, then writes
    /// frame after frame.
    fn write(
        &self,
        small: impl Fn(usize) -> Result<Picture, Halt<PictureError>>,
        draw: impl Fn(usize) -> Result<Picture, Halt<PictureError>>,
        writer: impl Write,
    ) -> Result<Footage, PictureError> {
        match self.census(small).and_then(|census| Ok((census, draw(0)?))) {
            Ok((census, first)) => self.encode(&census, first, draw, writer),
            Err(Halt::Stopped) => Ok(Footage { frames: 0, stopped: true }),
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    fn census(
        &self,
        draw: impl Fn(usize) -> Result<Picture, Halt<PictureError>>,
    ) -> Result<Census, Halt<PictureError>> {
        let progress = self.progress.part(0.0, PALETTE_SHARE);
        let counter = progress.counter("finding colours", self.frames.min(PALETTE_FRAMES));
        let mut census = Census::default();
        for frame in palette_frames(self.frames) {
            census.add(&draw(frame)?.rgba);
            counter.count()?;
        }
        Ok(census)
    }

    fn encode(
        &self,
        census: &Census,
        first: Picture,
        draw: impl Fn(usize) -> Result<Picture, Halt<PictureError>>,
        writer: impl Write,
    ) -> Result<Footage, PictureError> {
        let palette = census.palette();
        let mut matcher = Matcher::new(&palette);
        let (width, height) = (first.width, first.height);
        let encode = |error: gif::EncodingError| match error {
            gif::EncodingError::Io(error) => PictureError::Stream(error),
            other => PictureError::Encode(other.to_string()),
        };
        let mut encoder =
            gif::Encoder::new(writer, width as u16, height as u16, &palette.colors.concat()).map_err(encode)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(encode)?;
        let progress = self.progress.part(PALETTE_SHARE, 1.0);
        let counter = progress.counter("drawing", self.frames);
        let mut before: Option<Vec<u8>> = None;
        let mut next = Ok(first);
        let mut footage = Footage { frames: 0, stopped: false };
        while footage.frames < self.frames {
            let picture = match next {
                Ok(picture) => picture,
                Err(Halt::Failed(error)) => return Err(error),
                Err(Halt::Stopped) => {
                    footage.stopped = true;
                    break;
                }
            };
            if (picture.width, picture.height) != (width, height) {
                let (what, allowed) = ("width of a frame", "that of the first frame");
                return Err(PictureError::Setting { what, value: f64::from(picture.width), allowed });
            }
            let indices = matcher.indices(&picture.rgba, width as usize);
            let mut encoded = difference(before.as_deref(), &indices, width as usize);
            encoded.delay = delay(footage.frames, self.frames_per_second);
            encoder.write_frame(&encoded).map_err(encode)?;
            before = Some(indices);
            footage.frames += 1;
            next = match counter.count() {
                Ok(()) if footage.frames < self.frames => draw(footage.frames),
                Ok(()) => break,
                Err(stopped) => Err(stopped.into()),
            };
        }
        encoder.into_inner().map_err(encode)?.flush().map_err(PictureError::Stream)?;
        Ok(footage)
    }
}

fn frame_count(seconds: f64, frames_per_second: f64) -> Result<usize, PictureError> {
    if !(frames_per_second > 0.0 && frames_per_second <= 50.0) {
        let (what, allowed) = ("number of frames per second", "above 0 and at most 50, which is what GIF can do");
        return Err(PictureError::Setting { what, value: frames_per_second, allowed });
    }
    let frames = libm::round(seconds * frames_per_second);
    if frames > MOST_FRAMES {
        let (what, allowed) = ("number of frames", "at most 20000: use fewer per second, or a shorter clip");
        return Err(PictureError::Setting { what, value: frames, allowed });
    }
    Ok((frames as usize).max(1))
}

/// How long a frame is shown, in hundredths of a second: rounded so that the
/// errors do not add up.
fn delay(frame: usize, frames_per_second: f64) -> u16 {
    let ends = |frame: usize| libm::round(100.0 * frame as f64 / frames_per_second);
    (ends(frame + 1) - ends(frame)).clamp(2.0, 65_535.0) as u16
}

/// A frame with the smallest rectangle that changed, in which pixels that did
/// not change are transparent.
fn difference(before: Option<&[u8]>, now: &[u8], width: usize) -> gif::Frame<'static> {
    let height = now.len() / width;
    let changed = |row: usize, column: usize| {
        before.is_none_or(|before| before[row * width + column] != now[row * width + column])
    };
    let row_changed = |row: &usize| (0..width).any(|column| changed(*row, column));
    let column_changed = |column: &usize| (0..height).any(|row| changed(row, *column));
    // A frame in which nothing changed still takes its time: one pixel.
    let top = (0..height).find(row_changed).unwrap_or(0);
    let bottom = (0..height).rev().find(row_changed).unwrap_or(0);
    let left = (0..width).find(column_changed).unwrap_or(0);
    let right = (0..width).rev().find(column_changed).unwrap_or(0);
    let mut buffer = Vec::with_capacity((bottom + 1 - top) * (right + 1 - left));
    for row in top..=bottom {
        for column in left..=right {
            buffer.push(if changed(row, column) { now[row * width + column] } else { UNCHANGED });
        }
    }
    gif::Frame {
        left: left as u16,
        top: top as u16,
        width: (right + 1 - left) as u16,
        height: (bottom + 1 - top) as u16,
        buffer: buffer.into(),
        transparent: before.map(|_| UNCHANGED),
        dispose: gif::DisposalMethod::Keep,
        ..gif::Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_add_up_to_the_length() {
        for rate in [10.0, 24.0, 30.0, 33.3, 50.0] {
            let total: u32 = (0..120).map(|frame| u32::from(delay(frame, rate))).sum();
            assert!((f64::from(total) - 12_000.0 / rate).abs() <= 1.0, "{rate}: {total}");
        }
    }

    #[test]
    fn a_difference_holds_what_changed_only() {
        let before = [1u8; 12];
        let mut now = before;
        now[5] = 2;
        now[10] = 3;
        let frame = difference(Some(&before), &now, 4);
        assert_eq!((frame.left, frame.top, frame.width, frame.height), (1, 1, 2, 2));
        assert_eq!(frame.buffer.as_ref(), [2, UNCHANGED, UNCHANGED, 3]);
        let still = difference(Some(&before), &before, 4);
        assert_eq!(still.buffer.as_ref(), [UNCHANGED]);
        assert_eq!(difference(None, &now, 4).buffer.len(), 12);
    }

    #[test]
    fn impossible_rates_are_refused() {
        assert!([0.0, -1.0, 51.0, f64::NAN, f64::INFINITY].iter().all(|&rate| frame_count(2.0, rate).is_err()));
        assert_eq!(frame_count(2.0, 25.0).unwrap(), 50);
        assert!(frame_count(1e9, 25.0).is_err());
    }
}
