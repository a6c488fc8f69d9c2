//! Many animations side by side: on a sheet, and as one moving picture.

use glam::DVec3;
use proscenium_clip::Clip;
use proscenium_picture::{Look, Picture, PictureError, Trail, contact_sheet, film, frame_clip_with, render};
use proscenium_view::{Camera, Framing};
use proscenium_work::{Completion, Progress, parallel};

use crate::moment::{self, Moment};

/// Pixels of one picture on a sheet, and in a moving one.
const STILL: (u32, u32) = (320, 180);
const MOVING: (u32, u32) = (160, 90);
/// Pictures per second of a moving one.
const FRAMES: f64 = 12.5;
/// More animations than this are not shown in motion.
const MOST_MOVING: usize = 16;

/// A steep look, which shows where things ended and which side is up.
const FROM_ABOVE: DVec3 = DVec3::new(-0.3, -1.1, -0.8);

/// The share of an animation, from its end, that a camera frames.
const SHOWN: f64 = 0.3;

/// Animations that are shown together.
pub struct Wall<'a> {
    clips: &'a [Clip],
    labels: &'a [String],
    cameras: Vec<Camera>,
    columns: u32,
}

impl<'a> Wall<'a> {
    /// So many animations are shown at the most, the first ones: a sheet has to be looked
    /// at, and a picture has a largest size.
    pub const MOST: usize = 100;

    /// Shows clips, each with its label, and of them the bodies of interest.
    ///
    /// # Errors
    /// When a clip makes no sense.
    pub fn new(clips: &'a [Clip], labels: &'a [String], focus: &[String]) -> Result<Self, PictureError> {
        let clips = &clips[..clips.len().min(Self::MOST)];
        let labels = &labels[..labels.len().min(Self::MOST)];
        let cameras: Result<Vec<Camera>, PictureError> = clips.iter().map(|clip| camera(clip, focus)).collect();
        Ok(Self { clips, labels, cameras: cameras?, columns: columns(clips.len()) })
    }

    /// How each of them ends, and how it came to that.
    ///
    /// # Errors
    /// When a clip cannot be drawn.
    pub fn sheet(&self, progress: &Progress) -> Result<Completion<Picture>, PictureError> {
        let draw = |index: usize| {
            let clip = &self.clips[index];
            let moment = Moment::at_the_end(clip);
            let look = Look { trail: moment.trail, ..Look::sized(STILL.0, STILL.1) };
            render(clip, moment.time, &self.cameras[index], &look, progress)
        };
        together((0..self.clips.len()).map(draw).collect(), self.labels, self.columns)
    }

    /// All of them in motion, as the bytes of a GIF.
    ///
    /// # Errors
    /// When a clip cannot be drawn.
    pub fn film(&self, progress: &Progress) -> Result<Completion<Vec<u8>>, PictureError> {
        let clips = &self.clips[..self.clips.len().min(MOST_MOVING)];
        // Nobody wants to watch what rests.
        let last = clips.iter().map(|clip| Moment::at_the_end(clip).time).fold(0.0, f32::max);
        let look = Look::sized(MOVING.0, MOVING.1);
        let draw = |time: f64| {
            let one = |index: usize| {
                let time = (time as f32).min(clips[index].duration_secs);
                render(&clips[index], time, &self.cameras[index], &look, progress)
            };
            together(parallel::times(clips.len(), one), self.labels, columns(clips.len()))
        };
        let mut bytes = Vec::new();
        let footage = film(f64::from(last) + 0.8, FRAMES, draw, &mut bytes, progress)?;
        Ok(if footage.stopped { Completion::Stopped } else { Completion::Finished(bytes) })
    }
}

/// One sheet of all pictures, unless one of them was stopped.
fn together(
    drawn: Vec<Result<Completion<Picture>, PictureError>>,
    labels: &[String],
    columns: u32,
) -> Result<Completion<Picture>, PictureError> {
    let mut pictures = Vec::with_capacity(drawn.len());
    for one in drawn {
        match one? {
            Completion::Finished(picture) => pictures.push(picture),
            Completion::Stopped => return Ok(Completion::Stopped),
        }
    }
    contact_sheet(&pictures, labels, columns).map(Completion::Finished)
}

fn columns(count: usize) -> u32 {
    match count {
        0..=4 => 2,
        5..=9 => 3,
        _ => 4,
    }
}

/// The camera that sees how the bodies of interest come to where they end.
fn camera(clip: &Clip, focus: &[String]) -> Result<Camera, PictureError> {
    let end = Moment::at_the_end(clip).time;
    let trail = Trail { ghosts: 1, spacing_secs: SHOWN * f64::from(end), ..Trail::default() };
    let mut shown = moment::around(clip, &Moment { time: end, trail: Some(trail) });
    // A child is shown if its parent is, which comes before it.
    let mut is_shown: Vec<bool> = Vec::with_capacity(shown.nodes.len());
    for node in &mut shown.nodes {
        let with_parent = node.parent.and_then(|parent| is_shown.get(parent.0 as usize).copied());
        let visible = with_parent.unwrap_or_else(|| focus.contains(&node.name));
        node.mesh = node.mesh.filter(|_| visible);
        is_shown.push(visible);
    }
    let framing = Framing::default().from_direction(FROM_ABOVE).with_aspect(Look::sized(STILL.0, STILL.1).aspect());
    frame_clip_with(&shown, framing)
}
