//! The moment of a clip that a single picture should show.

use glam::Vec3;
use proscenium_clip::{Clip, Key};
use proscenium_picture::{Look, Picture, PictureError, Trail, frame_clip, render};
use proscenium_view::Camera;
use proscenium_work::{Completion, Progress};

/// Times at which a clip is looked at.
const LOOKS: usize = 240;

/// With more bodies in motion than this, trails hide more than they show.
const MOST_WITH_TRAILS: usize = 12;

/// Ghosts of a body stand so many of its sizes apart.
const STRIDE: f32 = 1.3;

/// The share of ghosts that may coincide with others: beyond it, a trail is a
/// heap.
const MOST_CROWDED: f32 = 0.3;

/// A moment, and the ones before it that are shown faintly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// When, s.
    pub time: f32,
    /// Those before it.
    pub trail: Option<Trail>,
}

impl Moment {
    /// A moment in the thick of it. With few bodies in motion, a trail shows
    /// how they came there.
    pub fn worth_seeing(clip: &Clip) -> Self {
        let paths = Paths::of(clip);
        let still = Self { time: paths.when(0.5), trail: None };
        if !(1..=MOST_WITH_TRAILS).contains(&paths.movers.len()) {
            return still;
        }
        let time = paths.when(0.8);
        let ghosts = (0.8 * paths.strides).clamp(3.0, 24.0) as u32;
        let trail = Trail { ghosts, spacing_secs: f64::from(time) / f64::from(ghosts), ..Trail::default() };
        if trail.spacing_secs < 1e-6 || paths.crowding(clip, time, ghosts) > MOST_CROWDED {
            return still;
        }
        Self { time, trail: Some(trail) }
    }

    /// The moment when all is over, and how it came to that.
    pub fn at_the_end(clip: &Clip) -> Self {
        let paths = Paths::of(clip);
        let time = paths.when(0.9999);
        let ghosts = (0.8 * paths.strides).clamp(3.0, 24.0) as u32;
        let trail = Trail { ghosts, spacing_secs: f64::from(time) / f64::from(ghosts), ..Trail::default() };
        let is_clear = trail.spacing_secs >= 1e-6 && (1..=MOST_WITH_TRAILS).contains(&paths.movers.len());
        Self { time, trail: Some(trail).filter(|_| is_clear && paths.crowding(clip, time, ghosts) <= MOST_CROWDED) }
    }

    /// The same moment with another number of ghosts.
    pub fn with_ghosts(self, ghosts: Option<u32>) -> Self {
        match ghosts {
            None => self,
            Some(0) => Self { trail: None, ..self },
            Some(ghosts) => {
                let spacing_secs = (f64::from(self.time) / f64::from(ghosts)).max(1e-6);
                Self { trail: Some(Trail { ghosts, spacing_secs, ..Trail::default() }), ..self }
            }
        }
    }
}

/// A picture of a moment, of so many pixels, by a camera that frames what it shows.
///
/// # Errors
///
/// A clip without anything to look at, and a picture that is too large.
pub fn draw(
    clip: &Clip,
    moment: &Moment,
    (width, height): (u32, u32),
    progress: &Progress,
) -> Result<Completion<Picture>, PictureError> {
    let look = Look { trail: moment.trail, ..Look::sized(width, height) };
    let camera = frame_clip(&around(clip, moment), look.aspect())?;
    render(clip, moment.time, &camera, &look, progress)
}

/// A picture of a moment, as high as asked and as wide as the camera's pictures are.
///
/// # Errors
///
/// A camera that sees nothing, and a picture that is too large.
pub fn draw_by(
    camera: &Camera,
    clip: &Clip,
    moment: &Moment,
    height: u32,
    progress: &Progress,
) -> Result<Completion<Picture>, PictureError> {
    let look = Look { trail: moment.trail, ..Look::sized(width(camera, height), height) };
    render(clip, moment.time, camera, &look, progress)
}

/// How many pixels wide the pictures of a camera are that are so high.
pub fn width(camera: &Camera, height: u32) -> u32 {
    (f64::from(height) * camera.aspect).round().clamp(1.0, f64::from(u16::MAX)) as u32
}

/// The part of a clip that a picture of a moment shows, so that a camera can
/// frame that and not all that happens before and after.
pub fn around(clip: &Clip, moment: &Moment) -> Clip {
    // What moves must be seen to move, or a camera takes it for furniture.
    let margin = 0.02 * clip.duration_secs;
    let shown = moment.trail.map_or(0.0, |trail| trail.spacing_secs * f64::from(trail.ghosts));
    let from = (moment.time - shown as f32 - margin).max(0.0);
    let to = (moment.time + margin).min(clip.duration_secs).max(from);
    let mut part = clip.clone();
    for track in part.nodes.iter_mut().filter_map(|node| node.track.as_mut()) {
        let (first, last) = (track.sample(from), track.sample(to));
        track.keys.retain(|key| key.time > from && key.time < to);
        track.keys.insert(0, Key { time: from, ..first });
        track.keys.extend((to > from).then_some(Key { time: to, ..last }));
        for key in &mut track.keys {
            key.time -= from;
        }
        // Times that were different can become equal when they are shifted.
        track.keys.dedup_by(|later, earlier| later.time <= earlier.time);
    }
    part.duration_secs = to - from;
    part
}

/// How far the bodies of a clip travel.
struct Paths {
    /// The nodes that move.
    movers: Vec<usize>,
    /// For each node, how far its mesh reaches from its origin.
    radii: Vec<f32>,
    /// The longest path, in strides of its body.
    strides: f32,
    /// At each look, the share of all paths that lies behind.
    behind: Vec<f32>,
    duration: f32,
}

impl Paths {
    fn of(clip: &Clip) -> Self {
        let radius = |mesh: usize| {
            let positions = clip.meshes.get(mesh).map_or(&[][..], |mesh| &mesh.positions);
            positions.iter().map(|position| Vec3::from(*position).length()).fold(0.0, f32::max)
        };
        let radii: Vec<f32> = clip.nodes.iter().map(|node| node.mesh.map_or(0.0, radius)).collect();
        let mut lengths = vec![0.0_f32; clip.nodes.len()];
        let mut behind = vec![0.0_f32];
        let (mut before, mut now) = (Vec::new(), Vec::new());
        clip.world_poses(0.0, &mut before);
        for look in 1..=LOOKS {
            clip.world_poses(clip.duration_secs * look as f32 / LOOKS as f32, &mut now);
            let mut all = behind.last().copied().unwrap_or(0.0);
            for (node, (before, now)) in before.iter().zip(&now).enumerate() {
                if radii[node] > 0.0 {
                    // Turning moves the outermost points, too.
                    let turned = (now.x_axis - before.x_axis).length().max((now.y_axis - before.y_axis).length());
                    let step = (now.w_axis - before.w_axis).length() + turned * radii[node];
                    lengths[node] += step;
                    all += step;
                }
            }
            behind.push(all);
            std::mem::swap(&mut before, &mut now);
        }
        let movers: Vec<usize> = (0..radii.len()).filter(|node| lengths[*node] > 1e-3 * radii[*node]).collect();
        let strides = movers.iter().map(|node| lengths[*node] / (STRIDE * 2.0 * radii[*node])).fold(0.0, f32::max);
        Self { movers, radii, strides, behind, duration: clip.duration_secs }
    }

    /// The share of ghosts that would stand where a later one of the same
    /// body does, or the body itself.
    fn crowding(&self, clip: &Clip, time: f32, ghosts: u32) -> f32 {
        let mut poses = Vec::new();
        let mut places: Vec<Vec<Vec3>> = vec![Vec::new(); self.movers.len()];
        let mut crowded = 0;
        for ghost in 0..=ghosts {
            clip.world_poses(time * (1.0 - ghost as f32 / ghosts as f32), &mut poses);
            for (node, places) in self.movers.iter().zip(&mut places) {
                let place = poses[*node].w_axis.truncate();
                let near = 0.5 * self.radii[*node];
                crowded += u32::from(places.iter().any(|other| place.distance(*other) < near));
                places.push(place);
            }
        }
        crowded as f32 / (ghosts as f32 * self.movers.len() as f32)
    }

    /// When a share of all that is travelled lies behind.
    fn when(&self, share: f32) -> f32 {
        let all = self.behind.last().copied().unwrap_or(0.0);
        let look = self.behind.partition_point(|behind| *behind < share * all);
        self.duration * look.min(LOOKS) as f32 / LOOKS as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use proscenium_clip::{Node, Track, shapes};

    fn slide(bodies: usize) -> Clip {
        let mut clip = Clip::new("slide");
        let ball = clip.add_mesh(shapes::ico_sphere(0.1, 1).unwrap());
        for body in 0..bodies {
            let at = Vec3::Z * body as f32;
            let keys = [(0.0, 0.0), (1.0, 4.0), (10.0, 4.0)];
            let keys = keys.map(|(time, x)| Key::new(time, at + x * Vec3::X, Quat::IDENTITY)).to_vec();
            clip.add_node(Node::new(format!("ball {body}")).with_mesh(ball).with_track(Track { keys }));
        }
        clip
    }

    #[test]
    fn a_picture_shows_the_motion_and_not_the_rest_after_it() {
        let moment = Moment::worth_seeing(&slide(1));
        assert!((moment.time - 0.8).abs() < 0.05, "{moment:?}");
        let trail = moment.trail.unwrap();
        assert!((6..=16).contains(&trail.ghosts), "{trail:?}");
        assert!((trail.spacing_secs * f64::from(trail.ghosts) - f64::from(moment.time)).abs() < 1e-6);
    }

    #[test]
    fn many_bodies_leave_no_trails() {
        let moment = Moment::worth_seeing(&slide(40));
        assert_eq!(moment.trail, None);
        assert!((moment.time - 0.5).abs() < 0.05, "{moment:?}");
    }

    #[test]
    fn a_camera_frames_the_moment_only() {
        let clip = slide(2);
        for trail in [None, Some(Trail { ghosts: 2, spacing_secs: 0.1, ..Trail::default() })] {
            let part = around(&clip, &Moment { time: 0.5, trail });
            part.validate().unwrap();
            let start = if trail.is_some() { 0.4 } else { 1.2 };
            let keys = &part.nodes[0].track.as_ref().unwrap().keys;
            assert!((keys[0].position.x - start).abs() < 1e-3, "{keys:?}");
            assert!((keys.last().unwrap().position.x - 2.8).abs() < 1e-3, "{keys:?}");
        }
        for time in [0.0, 1.0, 10.0] {
            around(&clip, &Moment { time, trail: None }).validate().unwrap();
        }
        around(&Clip::new("nothing"), &Moment { time: 0.0, trail: None }).validate().unwrap();
    }

    #[test]
    fn bodies_that_turn_on_the_spot_leave_no_heap() {
        let mut clip = slide(1);
        let turns = (0..8).map(|turn| Key::new(turn as f32, Vec3::ZERO, Quat::from_rotation_y(turn as f32)));
        clip.nodes[0].track = Some(Track { keys: turns.collect() });
        assert_eq!(Moment::worth_seeing(&clip).trail, None);
    }

    #[test]
    fn a_still_or_empty_clip_is_shown_as_it_is() {
        assert_eq!(Moment::worth_seeing(&Clip::new("nothing")), Moment { time: 0.0, trail: None });
    }

    #[test]
    fn the_user_decides_on_ghosts() {
        let moment = Moment { time: 2.0, trail: None };
        assert_eq!(moment.with_ghosts(Some(4)).trail.unwrap().spacing_secs, 0.5);
        assert_eq!(moment.with_ghosts(Some(4)).with_ghosts(Some(0)), moment);
        assert_eq!(moment.with_ghosts(None), moment);
    }
}
