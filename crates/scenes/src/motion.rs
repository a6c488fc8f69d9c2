//! From exact flights to keys with straight lines between them.

use std::f64::consts::FRAC_PI_4;

use glam::DQuat;
use proscenium_clip::{ClipError, Track};
use proscenium_rigid::{BodyId, Flight, Recording};

/// How far a track may be from the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Accuracy {
    /// Metres.
    pub position: f64,
    /// Radians.
    pub angle: f64,
}

/// The most keys per second within a flight; what moves faster is a blur.
const MOST_KEYS: f64 = 960.0;

/// The motion of a body until a time, with a key wherever a flight begins or
/// ends and as few as possible in between; `None` if it never entered. A symmetric body
/// may be shown in another turn than it was simulated in.
pub(crate) fn track(
    recording: &Recording,
    body: BodyId,
    until: f64,
    turn: Option<DQuat>,
    accuracy: Accuracy,
) -> Result<Option<Track>, ClipError> {
    let flights = recording.flights(body);
    let mut samples = Vec::with_capacity(2 * flights.len());
    let mut sample = |time: f64| {
        if let Some(pose) = recording.pose(body, time) {
            samples.push((time, pose.translation, turn.map_or(pose.rotation, |turn| pose.rotation * turn)));
        }
    };
    let end = recording.end(body).unwrap_or(until).min(until);
    for (index, flight) in flights.iter().enumerate() {
        let (begin, next) = (flight.start(), flights.get(index + 1).map_or(end, Flight::start).min(end));
        if begin > end {
            break;
        }
        let Some(pose) = recording.pose(body, begin) else {
            continue;
        };
        let arm = pose.translation.distance(flight.position(begin));
        // Sampling and reducing share what is allowed.
        let count = pieces(flight, next - begin, arm, accuracy.position / 2.0, accuracy.angle / 2.0);
        for piece in 0..count {
            sample(begin + (next - begin) * (f64::from(piece) / f64::from(count)));
        }
    }
    sample(end);
    if samples.is_empty() {
        return Ok(None);
    }
    let full = Track::from_samples(samples)?;
    Ok(Some(full.reduce((accuracy.position / 2.0) as f32, (accuracy.angle / 2.0) as f32)))
}

/// How many straight pieces follow a flight closely enough. A chord of a
/// curve with the acceleration a strays from it by a dt² / 8.
fn pieces(flight: &Flight, duration: f64, arm: f64, position: f64, angle: f64) -> u32 {
    let acceleration = flight.acceleration().length() + arm * flight.max_turning();
    let by_position = (8.0 * position / acceleration).sqrt();
    // A steady spin is straight for quaternions too, as long as a piece is
    // well below half a turn.
    let by_turn = FRAC_PI_4 / flight.max_spin();
    let wobble = flight.max_turning() - flight.max_spin() * flight.max_spin();
    let by_wobble = if wobble > 0.0 { (8.0 * angle / wobble).sqrt() } else { f64::INFINITY };
    let step = by_position.min(by_turn).min(by_wobble).max(1.0 / MOST_KEYS);
    (duration / step).ceil().clamp(1.0, 1e8) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use proscenium_geometry::{Pose, Shape};
    use proscenium_rigid::{BodyDef, Material, World};

    /// The stated error holds at many instants, by the exact motion.
    #[test]
    fn tracks_stay_within_their_accuracy() {
        let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0)).recording();
        let material = builder.material(Material::new(1000.0, 0.8, 0.4));
        builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y).unwrap(), material));
        let long = Shape::cuboid(DVec3::new(0.05, 0.1, 0.2), 0.0).unwrap();
        let body = builder.body(
            BodyDef::moving("brick", long, material)
                .at(Pose::from_translation(DVec3::Y))
                .with_spin(DVec3::new(0.1, 9.0, 0.3))
                .with_velocity(DVec3::X),
        );
        let mut world = builder.build().unwrap();
        world.advance(2.0).unwrap();
        let recording = world.recording().unwrap();
        let accuracy = Accuracy { position: 1e-3, angle: 0.01 };
        let track = track(recording, body, 2.0, None, accuracy).unwrap().unwrap();
        let mut worst = (0.0_f64, 0.0_f64);
        for step in 0..=4000 {
            let time = 2.0 * f64::from(step) / 4000.0;
            let exact = recording.pose(body, time).unwrap();
            let key = track.sample(time as f32);
            let turned: DQuat = key.orientation.as_dquat().normalize();
            worst.0 = worst.0.max(key.position.as_dvec3().distance(exact.translation));
            worst.1 = worst.1.max(turned.angle_between(exact.rotation));
        }
        assert!(worst.0 < accuracy.position && worst.1 < accuracy.angle, "{worst:?}");
        // Nor does it keep what is not needed: a track per millisecond is 2000.
        assert!(track.keys.len() < 400, "{}", track.keys.len());
    }
}
