//! How bodies move between frames.

use glam::DVec3;
use proscenium_bodies::Flight;

use super::{Body, Wall};
use crate::LodError;

/// Moves every body on by a step.
pub(crate) fn move_on(bodies: &mut [Body], walls: &[Wall], step: f64) -> Result<(), LodError> {
    for (index, body) in bodies.iter_mut().enumerate() {
        if body.fixed {
            continue;
        }
        let (stopped, held, pushed) = (body.stopped.take(), body.held, body.pushed);
        (body.held, body.pushed) = (false, DVec3::ZERO);
        body.motion.position += match stopped {
            // A hair before they would touch.
            Some((velocity, time)) => 0.999 * time * velocity,
            None if held => DVec3::ZERO,
            None => step * body.motion.velocity,
        };
        body.motion.position += pushed;
        if !held {
            let turned = Flight::new(0.0, body.motion, &body.inertia, DVec3::ZERO).at(step);
            (body.motion.orientation, body.motion.spin) = (turned.orientation, turned.spin);
        }
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
