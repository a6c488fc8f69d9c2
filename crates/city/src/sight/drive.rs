//! Recorded drives: a viewer's way through the streets, frame by frame.

use std::borrow::Cow;

use glam::{DVec2, DVec3};
use proscenium_chance::{Seed, Stream};
use proscenium_view::{Camera, ViewError};
use proscenium_work::{Artifact, ArtifactError, Completion, Finish, Halt, Progress, Remedy};
use serde::{Deserialize, Serialize};

use super::{EYE_HEIGHT, Eye, SightError};
use crate::map::{Control, Map, PathId};

/// A viewer's way through a city, recorded at a constant number of frames per
/// second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drive {
    frames_per_second: f64,
    frames: Vec<DriveFrame>,
}

/// A frame of a [`Drive`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriveFrame {
    /// Where the viewer is, plan coordinates, metres.
    pub position: DVec2,
    /// Where the viewer looks: a unit vector.
    pub direction: DVec2,
}

/// Why there is no drive.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DriveError {
    /// A number is not in its range.
    #[error("the {what} of a drive is {value}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// A file is no drive.
    #[error(transparent)]
    File(#[from] ArtifactError),
}

impl Remedy for DriveError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Number { remedy, .. } => Some(Cow::Borrowed(remedy)),
            Self::File(error) => error.remedy(),
        }
    }
}

impl From<DriveError> for Halt<DriveError> {
    fn from(error: DriveError) -> Self {
        Self::Failed(error)
    }
}

/// How a recorded driver drives: metres and seconds. Chosen as calm: the cars
/// of the city speed up alike, and turn at about this speed.
const ACCELERATION: f64 = 2.0;
const CROSSING_SPEED: f64 = 7.0;
const WAIT: f64 = 1.0;
/// A `.drive` file.
const FILE: Artifact =
    Artifact::new("drive", "a recorded drive", 2, "record it again").reading_first_release(b"PROSDRIV\x01\0\0\0");
/// The most frames that are recorded.
const MOST_FRAMES: f64 = 1e8;

/// Who drives while a drive is recorded.
struct Driver<'map> {
    map: &'map Map,
    path: PathId,
    distance: f64,
    speed: f64,
    wait: f64,
}

impl Drive {
    /// Drives through a city at random, as if the streets were empty: within
    /// the limits, slowly through junctions, with a stop where all stop.
    ///
    /// # Errors
    /// When the time or the frames are not positive, or too many.
    pub fn record(map: &Map, seed: Seed, seconds: f64, frames_per_second: f64) -> Result<Self, DriveError> {
        Self::record_watched(map, seed, seconds, frames_per_second, &Progress::none())
            .map(|drive| drive.finished().expect("nobody stops it"))
    }

    /// As [`Drive::record`], for those who watch or may want it to stop.
    ///
    /// # Errors
    /// As [`Drive::record`].
    pub fn record_watched(
        map: &Map,
        seed: Seed,
        seconds: f64,
        frames_per_second: f64,
        progress: &Progress,
    ) -> Result<Completion<Self>, DriveError> {
        Self::record_frames(map, seed, seconds, frames_per_second, progress).finish()
    }

    fn record_frames(
        map: &Map,
        seed: Seed,
        seconds: f64,
        frames_per_second: f64,
        progress: &Progress,
    ) -> Result<Self, Halt<DriveError>> {
        let number = |what, value, remedy| Err(DriveError::Number { what, value, remedy }.into());
        if !(frames_per_second > 0.0 && frames_per_second <= 1e4) {
            return number("number of frames per second", frames_per_second, "give more than 0, at most 10 000");
        }
        if !(seconds > 0.0 && seconds * frames_per_second <= MOST_FRAMES) {
            return number("time", seconds, "give more than 0 s, and at most 100 million frames");
        }
        let mut stream = seed.stream("city drive");
        let path = PathId(stream.below(map.path_count() as u64) as u32);
        let mut driver = Driver { map, path, distance: 0.5 * map.path_length(path), speed: 0.0, wait: 0.0 };
        let count = (seconds * frames_per_second).round() as usize + 1;
        let mut frames = Vec::with_capacity(count);
        let recorded = progress.counter("recording", count);
        for _ in 0..count {
            recorded.count()?;
            frames.push(driver.frame());
            driver.go_on(1.0 / frames_per_second, &mut stream);
        }
        Ok(Self { frames_per_second, frames })
    }

    /// Frames per second.
    pub fn frames_per_second(&self) -> f64 {
        self.frames_per_second
    }

    /// All frames.
    pub fn frames(&self) -> &[DriveFrame] {
        &self.frames
    }

    /// From the first frame to the last, seconds.
    pub fn seconds(&self) -> f64 {
        (self.frames.len() - 1) as f64 / self.frames_per_second
    }

    /// As a `.drive` file.
    pub fn to_bytes(&self) -> Vec<u8> {
        FILE.seal(self)
    }

    /// Reads a `.drive` file.
    ///
    /// # Errors
    /// When the bytes are no such file, of a newer version, cut short, or hold
    /// what is no drive.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DriveError> {
        let drive: Self = FILE.open(bytes)?;
        let is_sound = |frame: &DriveFrame| frame.position.is_finite() && frame.direction.is_normalized();
        let rate = drive.frames_per_second;
        if drive.frames.is_empty() || !drive.frames.iter().all(is_sound) || !(rate > 0.0 && rate <= 1e4) {
            return Err(FILE.damaged("its frames are not places and directions at a positive rate").into());
        }
        Ok(drive)
    }
}

impl DriveFrame {
    /// What the viewer sees of the plan: a full angle in radians, up to a distance.
    ///
    /// # Errors
    /// When the angle or the distance is not positive.
    pub fn eye(&self, angle: f64, reach: f64) -> Result<Eye, SightError> {
        Eye::new(self.position, self.direction, angle, reach)
    }

    /// The camera of the viewer.
    ///
    /// # Errors
    /// When the angle of view or the aspect is out of range.
    pub fn camera(&self, fov_y: f64, aspect: f64) -> Result<Camera, ViewError> {
        let eye = DVec3::new(self.position.x, EYE_HEIGHT, self.position.y);
        let mut camera =
            Camera::look_at(eye, eye + DVec3::new(self.direction.x, 0.0, self.direction.y), fov_y, aspect)?;
        (camera.near, camera.far) = (0.3, 2000.0);
        Ok(camera)
    }
}

impl Driver<'_> {
    fn frame(&self) -> DriveFrame {
        let curve = self.map.curve(self.path);
        let at = curve.at(curve.parameter(self.distance));
        DriveFrame { position: at.position, direction: at.tangent.normalize_or(DVec2::X) }
    }

    /// Whether the driver stops at the end of the path.
    fn stops(&self) -> bool {
        let control = self.map.junction(self.map.end_of(self.path)).control;
        !matches!(control, Control::Free | Control::DeadEnd)
    }

    /// The rules of Chenney 2000, B.2, with no other car in the way.
    fn go_on(&mut self, seconds: f64, stream: &mut Stream) {
        if self.wait > 0.0 {
            self.wait -= seconds;
            return;
        }
        let crossing = f64::from(self.map.path(self.path).crossing);
        let [crossing_limit, limit] = self.map.limits(self.path);
        let left = self.map.path_length(self.path) - self.distance;
        let end_speed = if self.stops() { 0.0 } else { CROSSING_SPEED };
        let allowed = if self.distance < crossing { crossing_limit.min(CROSSING_SPEED) } else { limit };
        // Fast enough to brake in what is left, and never quite standing still before the line.
        let braking = libm::sqrt(end_speed * end_speed + 2.0 * ACCELERATION * left.max(0.0)).max(0.5);
        self.speed = (self.speed + ACCELERATION * seconds).min(allowed).min(braking);
        self.distance += self.speed * seconds;
        if self.distance >= self.map.path_length(self.path) {
            if self.stops() {
                (self.wait, self.speed) = (WAIT, 0.0);
            }
            let mut next = self.map.successors(self.path);
            let choice = stream.below(next.len() as u64) as usize;
            self.distance -= self.map.path_length(self.path);
            self.path = next.nth(choice).expect("the choice is one of them");
        }
    }
}
