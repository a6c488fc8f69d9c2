//! Promise: the engine finds the same collisions in the same order as a
//! simulation that tests all pairs after every collision.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::boxed;
use proscenium_rigid::World;
use proscenium_rigid::baselines::SynchronousWorld;
use proscenium_rigid::geometry::Shape;
use proscenium_rigid::glam::DVec3;

const RADIUS: f64 = 0.05;

/// All-pairs, event-driven, for equal lossless spheres in a cube.
struct BruteForce {
    half_width: f64,
    now: f64,
    bodies: Vec<(DVec3, DVec3)>,
}

impl BruteForce {
    /// The next collision: its time from now and the two indices; a wall has
    /// the index of its axis and sign, as the world under test numbers it.
    fn next(&self) -> (f64, usize, usize) {
        let mut first = (f64::INFINITY, 0, 0);
        for (i, (p, v)) in self.bodies.iter().enumerate() {
            for axis in 0..3 {
                let limit = self.half_width - RADIUS;
                if v[axis] != 0.0 {
                    let time = (limit.copysign(v[axis]) - p[axis]) / v[axis];
                    let wall = 2 * axis + usize::from(v[axis] > 0.0);
                    first = if time < first.0 { (time, wall, i + 6) } else { first };
                }
            }
            for (j, (q, w)) in self.bodies.iter().enumerate().skip(i + 1) {
                let (d, u) = (*q - *p, *w - *v);
                let b = d.dot(u);
                let discriminant = b * b - u.length_squared() * (d.length_squared() - 4.0 * RADIUS * RADIUS);
                if b < 0.0 && discriminant > 0.0 {
                    let time = (-b - discriminant.sqrt()) / u.length_squared();
                    first = if time < first.0 { (time, i + 6, j + 6) } else { first };
                }
            }
        }
        first
    }

    fn step(&mut self) -> (f64, usize, usize) {
        let (time, a, b) = self.next();
        for (p, v) in &mut self.bodies {
            *p += time * *v;
        }
        self.now += time;
        if a < 6 {
            self.bodies[b - 6].1[a / 2] *= -1.0;
        } else {
            let (i, j) = (a - 6, b - 6);
            let n = (self.bodies[j].0 - self.bodies[i].0).normalize();
            let exchange = n.dot(self.bodies[j].1 - self.bodies[i].1) * n;
            self.bodies[i].1 += exchange;
            self.bodies[j].1 -= exchange;
        }
        (self.now, a, b)
    }
}

/// Fifty spheres at 8 % packing, and the brute-force simulation of the same.
fn fifty() -> (proscenium_rigid::WorldBuilder, BruteForce) {
    let volume = 50.0 * 4.0 / 3.0 * std::f64::consts::PI * RADIUS * RADIUS * RADIUS / 0.08;
    let half_width = 0.5 * libm::cbrt(volume);
    let builder = boxed(&Shape::sphere(RADIUS).unwrap(), RADIUS, 50, half_width, 0.0, 21).recording();
    let world = builder.clone().build().unwrap();
    let bodies = world.bodies().skip(6).map(|body| world.motion(body).unwrap());
    let bodies = bodies.map(|motion| (motion.position, motion.velocity)).collect();
    (builder, BruteForce { half_width, now: 0.0, bodies })
}

fn compare(found: &[(f64, usize, usize)], mut brute: BruteForce) {
    for (k, (time, a, b)) in found.iter().take(200).enumerate() {
        let (expected_time, i, j) = brute.step();
        let pair = ((*a).min(*b), (*a).max(*b));
        assert_eq!(pair, (i, j), "collision {k} at {time}");
        assert!((time - expected_time).abs() < 1e-9, "collision {k}: {time} against {expected_time}");
    }
}

fn contacts(world: &World) -> Vec<(f64, usize, usize)> {
    let recording = world.recording().unwrap();
    recording.contacts.iter().map(|c| (c.time, c.a.index(), c.b.index())).collect()
}

#[test]
fn the_first_200_collisions_are_those_of_brute_force() {
    // Later, rounding decides.
    let (builder, brute) = fifty();
    let mut world = builder.build().unwrap();
    while world.statistics().collisions < 200 {
        world.step().unwrap();
    }
    compare(&contacts(&world), brute);
}

#[test]
fn the_synchronous_algorithm_finds_them_too() {
    let (builder, brute) = fifty();
    let mut world: SynchronousWorld = builder.build_synchronous().unwrap();
    let mut time = 0.0;
    while world.statistics().collisions < 200 {
        time += 0.1;
        world.advance(time).unwrap();
    }
    compare(&contacts(world.world()), brute);
}
