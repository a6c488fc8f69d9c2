//! Operations that only happen inside a world.
//!
//! A world is arranged so that one kind of event does a known number of them;
//! the same event without them is subtracted, and the world's counters prove
//! that it did what was meant.

use glam::{DQuat, DVec3};
use proscenium_geometry::{Hull, Pose, Shape};
use proscenium_rigid::{BodyDef, BodyId, Control, Material, Statistics, World};

use crate::error::Halt;
use crate::experiment::Context;
use crate::timing::Timer;

use super::gauge::{Cost, gauge};

const RADIUS: f64 = 0.05;
/// Events per batch, and between two of them so little time that nothing else
/// happens.
const EVENTS: u64 = 512;
const BETWEEN: f64 = 1e-9;

/// Predictions of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Predictions {
    /// What one of them costs, with its place in the queue.
    pub cost: Cost,
    /// Distance queries that each of them makes.
    pub queries: f64,
}

/// An event that does nothing, scheduled and taken from a queue that holds a
/// thousand others.
pub(super) fn queue_operation(context: &Context) -> Result<Cost, Halt> {
    const WAITING: usize = 1000;
    const TURNOVER: u64 = 20_000;
    let mut stream = context.seed().stream("queue");
    let mut builder = World::builder();
    let material = builder.material(Material::LOSSLESS);
    let fixed = builder.body(BodyDef::fixed("fixed", Shape::sphere(RADIUS)?, material));
    let empty = builder.build()?;
    // Nothing can move a fixed body.
    let nothing = || Control::SetVelocity { body: fixed, velocity: DVec3::ZERO, spin: DVec3::ZERO };
    gauge(context, || {
        let mut world = empty.clone();
        for _ in 0..WAITING {
            world.schedule(stream.uniform(), nothing())?;
        }
        let waits: Vec<f64> = (0..TURNOVER).map(|_| stream.uniform()).collect();
        let start = Timer::start();
        for wait in waits {
            world.step()?;
            world.schedule(world.now() + wait, nothing())?;
        }
        // One operation puts an event in or takes it out.
        Ok((start.elapsed(), 2 * TURNOVER))
    })
}

/// Predictions between icosahedra whose bounding spheres are apart.
pub(super) fn stage_one(context: &Context) -> Result<Predictions, Halt> {
    predictions(context, 2.6 * RADIUS)
}

/// Predictions between icosahedra whose bounding spheres overlap.
pub(super) fn full_prediction(context: &Context) -> Result<Predictions, Halt> {
    predictions(context, 1.75 * RADIUS)
}

/// A body among eight others, each so far away in the direction of a corner,
/// is given one random velocity after the other.
fn predictions(context: &Context, distance: f64) -> Result<Predictions, Halt> {
    let (crowded, body) = surrounded(context, Some(distance))?;
    let (alone, _) = surrounded(context, None)?;
    let with = pushes(context, &crowded, body)?;
    let without = pushes(context, &alone, body)?;
    let each = |key: fn(&Cost) -> f64| (key(&with.cost) - key(&without.cost)) / with.predictions;
    Ok(Predictions {
        cost: Cost {
            nanoseconds: each(|cost| cost.nanoseconds),
            least: each(|cost| cost.least),
            operations: (with.cost.operations as f64 * with.predictions) as u64,
        },
        queries: with.queries / with.predictions,
    })
}

/// An icosahedron at the origin, and eight fixed ones around it or none.
fn surrounded(context: &Context, distance: Option<f64>) -> Result<(World, BodyId), Halt> {
    let mut stream = context.seed().stream("surroundings");
    let mut builder = World::builder();
    let material = builder.material(Material::LOSSLESS);
    let shape = Shape::hull(Hull::icosahedron(RADIUS)?);
    let body = builder.body(BodyDef::moving("middle", shape.clone(), material));
    for corner in 0..8 {
        let sign = |bit: u32| if corner >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let direction = DVec3::new(sign(0), sign(1), sign(2)).normalize();
        // Faces look at each other, a little askew.
        let askew = DQuat::from_axis_angle(stream.unit_vector(), 0.1);
        if let Some(distance) = distance {
            let around = BodyDef::fixed(format!("corner {corner}"), shape.clone(), material);
            builder.body(around.at(Pose::new(distance * direction, askew)));
        }
    }
    Ok((builder.build()?, body))
}

/// Events that give a body another velocity.
struct Pushes {
    cost: Cost,
    /// Per event.
    predictions: f64,
    queries: f64,
}

fn pushes(context: &Context, start: &World, body: BodyId) -> Result<Pushes, Halt> {
    let mut stream = context.seed().stream("pushes");
    let mut done = Statistics::default();
    let cost = gauge(context, || {
        let mut world = start.clone();
        for k in 0..EVENTS {
            let (velocity, spin) = (0.5 * stream.unit_vector(), 2.0 * stream.unit_vector());
            world.schedule((k + 1) as f64 * BETWEEN, Control::SetVelocity { body, velocity, spin })?;
        }
        let before = world.statistics();
        let clock = Timer::start();
        world.advance(EVENTS as f64 * BETWEEN + 0.5 * BETWEEN)?;
        let time = clock.elapsed();
        let after = world.statistics();
        done.other_events += after.other_events - before.other_events;
        done.predictions += after.predictions - before.predictions;
        done.distance_queries += after.distance_queries - before.distance_queries;
        Ok((time, EVENTS))
    })?;
    let events = done.other_events as f64;
    Ok(Pushes { cost, predictions: done.predictions as f64 / events, queries: done.distance_queries as f64 / events })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the subtraction rests on: the counters of each arrangement.
    #[test]
    fn the_arrangements_do_what_is_meant() {
        let context = Context::new(1, true);
        for (distance, predictions, queries) in
            [(None, 0.0, 0.0..=0.0), (Some(2.6 * RADIUS), 8.0, 0.0..=0.0), (Some(1.75 * RADIUS), 8.0, 8.0..=400.0)]
        {
            let (world, body) = surrounded(&context, distance).unwrap();
            let found = pushes(&context, &world, body).unwrap();
            assert_eq!(found.predictions, predictions, "{distance:?}");
            assert!(queries.contains(&found.queries), "{distance:?}: {}", found.queries);
        }
    }
}
