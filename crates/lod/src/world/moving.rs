//! How bodies move between frames.

use glam::{DQuat, DVec3};
use proscenium_bodies::{Flight, Inertia, Motion};

use super::{Body, Wall};
use crate::LodError;

/// Moves every body on by a step.
pub(crate) fn move_on(bodies: &mut [Body], walls: &[Wall], step: f64) -> Result<(), LodError> {
    for (index, body) in bodies.iter_mut().enumerate() {
        if body.fixed {
            continue;
        }
        if body.asleep.is_some() {
            continue;
        }
        body.motion.position += match body.stopped.take() {
            // A hair before they would touch.
            Some((velocity, time)) => 0.999 * time * velocity,
            None => step * body.motion.velocity,
        };
        (body.motion.orientation, body.motion.spin) = turned(&body.motion, &body.inertia, step);
        keep_inside(body, walls);
        if !body.motion.is_finite() {
            return Err(LodError::Diverged { body: index as u32 });
        }
    }
    Ok(())
}

/// The centre of mass of a body never leaves the room, whatever pushes.
fn keep_inside(body: &mut Body, walls: &[Wall]) {
    for wall in walls {
        let below = wall.offset - wall.normal.dot(body.motion.position);
        if below > 0.0 {
            body.motion.position += below * wall.normal;
            let into = -wall.normal.dot(body.motion.velocity);
            if into > 0.0 {
                body.motion.velocity += into * wall.normal;
            }
        }
    }
}

/// A body that turns by more than this in a step is turned in closed form,
/// radians; chosen: the series below is for small turns.
const LARGE_TURN: f64 = 0.3;

/// The torque-free rotation of a step: Magnus' series to the fourth order, from
/// the spin in the frame of the body at the start, the middle and the end.
/// Angular momentum is kept by construction; what energy would rise by is taken
/// out of both.
///
/// The closed form is exact and takes ten times as long: with many bodies it
/// would be most of a frame.
fn turned(motion: &Motion, inertia: &Inertia, step: f64) -> (DQuat, DVec3) {
    if motion.spin.length() * step > LARGE_TURN {
        let turned = Flight::new(0.0, *motion, inertia, DVec3::ZERO).at(step);
        return (turned.orientation, turned.spin);
    }
    let start = motion.orientation.inverse() * motion.spin;
    let middle = euler_step(start, inertia.moments, 0.5 * step);
    let end = euler_step(middle, inertia.moments, 0.5 * step);
    let turn = step / 6.0 * (start + 4.0 * middle + end) + step * step / 12.0 * start.cross(end);
    let orientation = (motion.orientation * DQuat::from_scaled_axis(turn)).normalize();
    let momentum = inertia.angular_momentum(motion.orientation, motion.spin);
    let spin = inertia.spin(orientation, momentum);
    let (before, after) = (momentum.dot(motion.spin), momentum.dot(spin));
    (orientation, if after > before { spin * (before / after).sqrt() } else { spin })
}

/// Euler's equations for the spin in the frame of the body, by one step of
/// Runge and Kutta.
fn euler_step(spin: DVec3, moments: DVec3, step: f64) -> DVec3 {
    let rate = |spin: DVec3| (moments * spin).cross(spin) / moments;
    let a = rate(spin);
    let b = rate(spin + 0.5 * step * a);
    let c = rate(spin + 0.5 * step * b);
    let d = rate(spin + step * c);
    spin + step / 6.0 * (a + 2.0 * b + 2.0 * c + d)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;

    /// Against the closed form, over a second of steps.
    #[test]
    fn rotation_follows_the_closed_form() {
        let seed = Seed(2).stream("turns");
        for sample in 0..20 {
            let mut stream = seed.at(sample);
            let inertia = Inertia { mass: 1.0, moments: DVec3::new(1.0, 1.3 + stream.uniform(), 1.9) };
            let spin = 6.0 * stream.uniform() * stream.unit_vector();
            let start = Motion { orientation: stream.rotation(), spin, ..Motion::AT_REST };
            let exact = Flight::new(0.0, start, &inertia, DVec3::ZERO).at(1.0);
            let mut motion = start;
            let mut energy = inertia.rotational_energy(&start);
            for _ in 0..60 {
                (motion.orientation, motion.spin) = turned(&motion, &inertia, 1.0 / 60.0);
                assert!(inertia.rotational_energy(&motion) <= energy * (1.0 + 1e-12));
                energy = inertia.rotational_energy(&motion);
            }
            assert!(motion.orientation.angle_between(exact.orientation) < 1e-4);
            assert!(motion.spin.distance(exact.spin) < 1e-4 * (1.0 + spin.length()));
            let momentum = |motion: &Motion| inertia.angular_momentum(motion.orientation, motion.spin);
            assert!(momentum(&motion).distance(momentum(&start)) < 1e-5 * (1.0 + spin.length()));
        }
    }
}
