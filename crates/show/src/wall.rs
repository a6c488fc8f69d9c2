//! Many animations side by side: on a sheet, and as one moving picture.

use glam::{DVec3, Vec3};
use proscenium_clip::Clip;
use proscenium_picture::{Look, Picture, PictureError, contact_sheet, film, frame_clip_with, render};
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

/// The share of an animation, from its end, that a camera frames: how bodies arrive, and
/// close enough to tell which side is up.
const SHOWN: f32 = 0.1;
/// How often it is looked at.
const LOOKS: usize = 4;

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

    /// The same, taken by a camera; as far up and down as it sees, and as wide as pictures are.
    #[must_use]
    pub fn taken_by(mut self, camera: &Camera) -> Self {
        let aspect = Look::sized(STILL.0, STILL.1).aspect();
        self.cameras.iter_mut().for_each(|own| *own = Camera { aspect, ..*camera });
        self
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

/// The camera that sees how the bodies of interest come to where they end. All of them are
/// in the picture, also those that came to rest long before the others.
fn camera(clip: &Clip, focus: &[String]) -> Result<Camera, PictureError> {
    let end = Moment::at_the_end(clip).time;
    let framing = Framing::default().from_direction(FROM_ABOVE).with_aspect(Look::sized(STILL.0, STILL.1).aspect());
    // A child is of interest if its parent is, which comes before it.
    let mut is_framed: Vec<bool> = Vec::with_capacity(clip.nodes.len());
    for node in &clip.nodes {
        let with_parent = node.parent.and_then(|parent| is_framed.get(parent.0 as usize).copied());
        is_framed.push(with_parent.unwrap_or_else(|| focus.contains(&node.name)));
    }
    let mut points = Vec::new();
    let mut poses = Vec::new();
    for look in 0..=LOOKS {
        let before = SHOWN * look as f32 / LOOKS as f32;
        clip.world_poses(end * (1.0 - before), &mut poses);
        for ((node, pose), is_framed) in clip.nodes.iter().zip(&poses).zip(&is_framed) {
            let mesh = node.mesh.filter(|_| *is_framed).and_then(|mesh| clip.meshes.get(mesh));
            let corners = mesh.map_or(&[][..], |mesh| &mesh.positions);
            points.extend(corners.iter().map(|corner| pose.transform_point3(Vec3::from(*corner)).as_dvec3()));
        }
    }
    match framing.points(&points) {
        Ok(camera) => Ok(camera),
        // Nothing of interest has a shape: the action is.
        Err(_) => frame_clip_with(&moment::around(clip, &Moment { time: end, trail: None }), framing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use proscenium_clip::{Key, Node, Track, shapes};

    /// Two dice of which one came to rest early, far from where the other did: the camera
    /// saw only the one that had moved last.
    #[test]
    fn a_body_that_rests_early_is_in_the_picture() {
        let mut clip = Clip::new("throw");
        let die = clip.add_mesh(shapes::ico_sphere(0.01, 1).unwrap());
        for (name, until, x) in [("early", 0.5, -0.4), ("late", 3.0, 0.4)] {
            let keys = [(0.0, 0.0), (until, x), (3.0, x)];
            let mut keys: Vec<Key> = keys.map(|(at, x)| Key::new(at, x * Vec3::X, Quat::IDENTITY)).to_vec();
            keys.dedup_by(|later, earlier| later.time <= earlier.time);
            clip.add_node(Node::new(name).with_mesh(die).with_track(Track { keys }));
        }
        let camera = camera(&clip, &["early".into(), "late".into()]).unwrap();
        for x in [-0.4, 0.4] {
            let point = camera.project(DVec3::new(x, 0.0, 0.0)).unwrap();
            assert!((0.0..1.0).contains(&point.x) && (0.0..1.0).contains(&point.y), "{point:?}");
        }
    }

    #[test]
    fn nothing_of_interest_is_no_mistake() {
        let mut clip = Clip::new("nothing");
        assert!(camera(&clip, &[]).is_ok());
        let ball = clip.add_mesh(shapes::ico_sphere(0.1, 1).unwrap());
        clip.add_node(Node::new("ball").with_mesh(ball));
        assert!(camera(&clip, &["another".into()]).is_ok());
    }
}
