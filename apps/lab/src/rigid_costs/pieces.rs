//! Operations that can be called on their own.

use glam::{DQuat, DVec3};
use proscenium_bodies::{CollidingBody, Encounter, Flight, Inertia, Motion, PairSurface, collide};
use proscenium_chance::{Seed, Stream};
use proscenium_geometry::{Bounds, ConvexPart, Hull, Pose, Shape, Warmth, gap};
use proscenium_rigid::intersections::{Changes, IntersectingBounds, SortedLists};

use crate::error::Halt;
use crate::experiment::Context;
use crate::timing::Timer;

use super::gauge::{Cost, gauge, gauge_each};

const BATCH: usize = 4096;

/// A bound that moves along the sorted lists, among `n` in the volume per
/// bound of a box of 64 bodies.
pub(super) fn bound_update(context: &Context, n: u32) -> Result<Cost, Halt> {
    let mut stream = context.seed().stream("bounds");
    let width = libm::cbrt(f64::from(n) * 0.0166);
    let mut centres: Vec<DVec3> = (0..n).map(|_| width * uniform_vector(&mut stream)).collect();
    let mut lists = SortedLists::new();
    let mut changes = Changes::default();
    for (index, centre) in (0_u32..).zip(&centres) {
        lists.insert(index, &Bounds::around_sphere(*centre, 0.06), &mut changes);
    }
    gauge(context, || {
        let moves: Vec<(u32, Bounds)> = (0..BATCH)
            .map(|_| {
                let index = stream.below(u64::from(n)) as u32;
                let centre = &mut centres[index as usize];
                *centre = (*centre + 0.05 * stream.unit_vector()).clamp(DVec3::ZERO, DVec3::splat(width));
                (index, Bounds::around_sphere(*centre, 0.06))
            })
            .collect();
        let start = Timer::start();
        for (index, bounds) in &moves {
            changes.clear();
            lists.update(*index, bounds, &mut changes);
        }
        Ok((start.elapsed(), moves.len() as u64))
    })
}

/// The gap between two icosahedra that move a little from query to query,
/// or that have never met before.
pub(super) fn distance_query(context: &Context, warm: bool) -> Result<Cost, Halt> {
    let parts = icosahedron()?;
    let part = &parts[0];
    let mut stream = context.seed().stream("distance");
    let mut poses = Vec::with_capacity(BATCH);
    for _ in 0..BATCH / 64 {
        let place = Pose::new(0.11 * stream.unit_vector(), stream.rotation());
        let (drift, axis) = (stream.unit_vector(), stream.unit_vector());
        poses.extend((0..64).map(|step| {
            let time = f64::from(step) * 1e-3;
            let turn = DQuat::from_axis_angle(axis, 5.0 * time);
            Pose::new(place.translation + 0.1 * time * drift, turn * place.rotation)
        }));
    }
    let mut warmth = Warmth::default();
    gauge_each(context, &poses, |pose| {
        if !warm {
            warmth = Warmth::default();
        }
        gap(part, &Pose::IDENTITY, part, pose, &mut warmth)
    })
}

/// The impulse between two bodies at random places and speeds.
pub(super) fn resolution(context: &Context, friction: f64) -> Result<Cost, Halt> {
    let mut stream = context.seed().stream("resolution");
    let inertia = Inertia { mass: 0.5, moments: DVec3::splat(5e-4) };
    let surface = PairSurface::new(1.0, friction);
    let meetings: Vec<(Motion, Motion, Encounter)> = (0..BATCH)
        .map(|_| {
            let normal = stream.unit_vector();
            let mut motion = |position: DVec3, towards: DVec3| Motion {
                position,
                orientation: stream.rotation(),
                velocity: 0.5 * towards + 0.2 * stream.unit_vector(),
                spin: 2.0 * stream.unit_vector(),
            };
            let (a, b) = (motion(-0.05 * normal, normal), motion(0.05 * normal, -normal));
            let point = 0.02 * stream.unit_vector();
            (a, b, Encounter { point: point - point.dot(normal) * normal, normal, surface })
        })
        .collect();
    gauge_each(context, &meetings, |(a, b, meeting)| {
        let mut first = CollidingBody { motion: *a, inertia: Some(&inertia) };
        let mut second = CollidingBody { motion: *b, inertia: Some(&inertia) };
        (collide(&mut first, &mut second, meeting), first, second)
    })
}

/// The moments of a ball, of a top, and of a body with three different ones.
pub(super) const BALL: DVec3 = DVec3::splat(1e-3);
pub(super) const TOP: DVec3 = DVec3::new(1e-3, 1e-3, 2e-3);
pub(super) const TUMBLING: DVec3 = DVec3::new(1e-3, 1.5e-3, 2e-3);

/// A body that turns, with these moments.
fn turning(seed: Seed, moments: DVec3) -> (Motion, Inertia) {
    let mut stream = seed.stream("turning");
    let spin = 5.0 * stream.unit_vector() + DVec3::ONE;
    let motion = Motion { orientation: stream.rotation(), spin, velocity: stream.unit_vector(), ..Motion::AT_REST };
    (motion, Inertia { mass: 0.5, moments })
}

/// The pose at a time, of a flight that has begun.
pub(super) fn evaluation(context: &Context, moments: DVec3) -> Result<Cost, Halt> {
    let (motion, inertia) = turning(context.seed(), moments);
    let flight = Flight::new(0.0, motion, &inertia, DVec3::ZERO);
    let mut stream = context.seed().stream("times");
    let times: Vec<f64> = (0..BATCH).map(|_| 10.0 * stream.uniform()).collect();
    gauge_each(context, &times, |time| flight.pose(*time))
}

/// The beginning of a flight, as after a collision.
pub(super) fn beginning(context: &Context, moments: DVec3) -> Result<Cost, Halt> {
    let (motion, inertia) = turning(context.seed(), moments);
    let mut stream = context.seed().stream("beginnings");
    let motions: Vec<Motion> =
        (0..BATCH / 8).map(|_| Motion { spin: 5.0 * stream.unit_vector() + 0.1 * DVec3::ONE, ..motion }).collect();
    gauge_each(context, &motions, |motion| Flight::new(0.0, *motion, &inertia, DVec3::ZERO))
}

/// An icosahedron of the box experiment, as the queries see it.
fn icosahedron() -> Result<Vec<ConvexPart>, Halt> {
    Ok(Shape::hull(Hull::icosahedron(0.05)?).convex_parts(&Pose::IDENTITY))
}

fn uniform_vector(stream: &mut Stream) -> DVec3 {
    DVec3::new(stream.uniform(), stream.uniform(), stream.uniform())
}
