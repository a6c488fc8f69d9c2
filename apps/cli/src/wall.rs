//! Many animations side by side: on a sheet, and as one moving picture.

use std::cell::RefCell;
use std::io;

use proscenium_clip::Clip;
use proscenium_picture::{Look, Picture, PictureError, contact_sheet, film, frame_clip, render};
use proscenium_view::Camera;
use rayon::prelude::*;

use crate::failure::Failure;
use crate::moment::Moment;

/// Pixels of one picture on a sheet, and in a moving one.
const STILL: (u32, u32) = (320, 180);
const MOVING: (u32, u32) = (160, 90);
/// Pictures per second of a moving one.
const FRAMES: f64 = 12.5;
/// More animations than this are not shown in motion.
const MOST_MOVING: usize = 16;

/// Animations that are shown together, through one camera.
pub struct Wall<'a> {
    clips: &'a [Clip],
    labels: &'a [String],
    camera: Camera,
    columns: u32,
}

impl<'a> Wall<'a> {
    pub fn new(clips: &'a [Clip], labels: &'a [String]) -> Result<Self, Failure> {
        let aspect = Look::sized(STILL.0, STILL.1).aspect();
        let camera = frame_clip(&together(clips), aspect)?;
        Ok(Self { clips, labels, camera, columns: columns(clips.len()) })
    }

    /// How each of them ends, and how it came to that.
    pub fn sheet(&self) -> Result<Picture, Failure> {
        let draw = |clip: &Clip| {
            let moment = Moment::at_the_end(clip);
            let look = Look { trail: moment.trail, ..Look::sized(STILL.0, STILL.1) };
            render(clip, moment.time, &self.camera, &look)
        };
        let pictures: Result<Vec<Picture>, PictureError> = self.clips.iter().map(draw).collect();
        Ok(contact_sheet(&pictures?, self.labels, self.columns)?)
    }

    /// All of them in motion, as the bytes of a GIF; `None` if it is stopped.
    pub fn film(
        &self,
        is_stopped: &(dyn Fn() -> bool + Sync),
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Option<Vec<u8>>, Failure> {
        let clips = &self.clips[..self.clips.len().min(MOST_MOVING)];
        // Nobody wants to watch what rests.
        let last = clips.iter().map(|clip| Moment::at_the_end(clip).time).fold(0.0, f32::max);
        let look = Look::sized(MOVING.0, MOVING.1);
        let draw = |time: f64| {
            if is_stopped() {
                return Err(PictureError::Stream(io::ErrorKind::ConnectionAborted.into()));
            }
            let one = |clip: &Clip| render(clip, (time as f32).min(clip.duration_secs), &self.camera, &look);
            let pictures: Result<Vec<Picture>, PictureError> = clips.par_iter().map(one).collect();
            contact_sheet(&pictures?, self.labels, columns(clips.len()))
        };
        let bytes = RefCell::new(Vec::new());
        let drawn = film(f64::from(last) + 0.8, FRAMES, draw, &mut *bytes.borrow_mut(), progress);
        match drawn {
            Ok(()) => Ok(Some(bytes.take())),
            Err(_) if is_stopped() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn columns(count: usize) -> u32 {
    match count {
        0..=4 => 2,
        5..=9 => 3,
        _ => 4,
    }
}

/// All that moves in any of the clips, so that one camera sees all of it.
fn together(clips: &[Clip]) -> Clip {
    let mut all = clips.first().cloned().unwrap_or_else(|| Clip::new("nothing"));
    for (number, clip) in clips.iter().enumerate().skip(1) {
        let meshes = all.meshes.len();
        let materials = all.materials.len();
        all.materials.extend(clip.materials.iter().cloned());
        all.meshes.extend(clip.meshes.iter().cloned().map(|mut mesh| {
            mesh.material = mesh.material.map(|material| material + materials);
            mesh
        }));
        for node in clip.nodes.iter().filter(|node| node.track.is_some() && node.parent.is_none()) {
            let mut node = node.clone();
            node.name = format!("{} of {}", node.name, number + 1);
            node.mesh = node.mesh.map(|mesh| mesh + meshes);
            all.nodes.push(node);
        }
        all.duration_secs = all.duration_secs.max(clip.duration_secs);
    }
    all
}
