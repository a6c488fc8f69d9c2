//! Bodies of cars: where they are in the world and how they stand.

use glam::{DAffine3, DMat3, DVec2, DVec3};
use proscenium_chance::Stream;

use super::Traffic;
use crate::cubic::PiecewiseCubic;
use crate::driving::Vehicle;
use crate::map::{Map, PathId};

/// How the body of a car stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CarPose {
    /// The car's frame: the origin is on the ground under the middle of the
    /// car, x points to its front, y up, z to its right.
    pub world_from_body: DAffine3,
    /// Angle of the steered wheel against the body, radians, positive to the
    /// right.
    pub steering: f64,
    /// Turns of the steered, the rear left and the rear right wheel, radians.
    pub wheels: [f64; 3],
}

/// After so many wheelbases down a straight lane the body is aligned with it.
const ALIGNED: f64 = 12.0;
/// Orientations of so many paths are kept at most: those that cars come into
/// view on.
const MOST_ORIENTATIONS: usize = 4096;
/// A wheel that differs less from the body's direction is straight, radians.
const STRAIGHT: f64 = 1e-4;

/// An angle between −π and π.
fn wrapped(angle: f64) -> f64 {
    libm::remainder(angle, std::f64::consts::TAU)
}

fn angle_of(direction: DVec2) -> f64 {
    libm::atan2(direction.y, direction.x)
}

/// The direction of a body after a steered wheel that keeps its own was pulled
/// along: the tangent of half the angle between them decays with the distance.
/// The exact solution of dθ/ds = sin(φ − θ) / wheelbase.
fn followed(heading: f64, wheel: f64, distance: f64, wheelbase: f64) -> f64 {
    let half = libm::tan(0.5 * wrapped(wheel - heading)) * libm::exp(-distance / wheelbase);
    wheel - 2.0 * libm::atan(half)
}

/// The direction of the body at a distance down a path, by driving there from
/// where it does not matter any more how it stood.
fn heading_at(map: &Map, vehicle: &Vehicle, path: PathId, distance: f64) -> f64 {
    /// Steps of the way, metres.
    const STEP: f64 = 0.5;
    let curve = map.curve(path);
    let wheel = |distance: f64| angle_of(curve.at(curve.parameter(distance)).tangent);
    let start = (distance - ALIGNED * vehicle.wheelbase).max(0.0);
    let steps = ((distance - start) / STEP).ceil().max(1.0);
    let step = (distance - start) / steps;
    (0..steps as u32).fold(wheel(start), |heading, number| {
        followed(heading, wheel(start + (f64::from(number) + 0.5) * step), step, vehicle.wheelbase)
    })
}

/// The direction of the body along a path whose lane is straight; it follows the
/// steered wheel. It depends on the path alone, as the body is aligned with the
/// lane where the path starts: ô of the paper. Fitted over u.
pub(crate) fn orientation(map: &Map, vehicle: &Vehicle, path: PathId) -> PiecewiseCubic {
    /// Steps through the junction, and down the lane until the body is aligned.
    const CROSSING: u32 = 40;
    const LANE: u32 = 48;
    let curve = map.curve(path);
    let settled = (20.0 * vehicle.wheelbase / curve.lane_length()).min(1.0);
    let steps = (0..CROSSING).map(|step| [step, step + 1].map(|edge| f64::from(edge) / f64::from(CROSSING)));
    let lane = (0..LANE).map(|step| [step, step + 1].map(|edge| 1.0 + settled * f64::from(edge) / f64::from(LANE)));
    let mut heading = angle_of(curve.at(0.0).tangent);
    let mut samples = vec![(0.0, heading)];
    for [from, to] in steps.chain(lane) {
        let middle = curve.at(0.5 * (from + to));
        heading = followed(heading, angle_of(middle.tangent), (to - from) * middle.scale, vehicle.wheelbase);
        // Without jumps by a whole turn.
        let last = samples[samples.len() - 1].1;
        heading = last + wrapped(heading - last);
        samples.push((to, heading));
    }
    let end = 1.0 + settled;
    samples.extend((1..16).map(|step| (end + (2.0 - end) * f64::from(step) / 15.0, heading)));
    let after = |share: f64| 1.0 + share * settled;
    let mut breaks = vec![0.0, 0.2, 0.4, 0.6, 0.8, 1.0, after(0.1), after(0.25), after(0.5), after(1.0)];
    if end < 2.0 {
        breaks.push(2.0);
    }
    PiecewiseCubic::fit(&samples, &breaks)
}

impl Traffic {
    /// Gives a car that comes into view the state that a viewer cannot have
    /// predicted (B.3.4): a direction that fits its place, and wheels at random.
    fn show(&mut self, slot: u32, stream: &mut Stream) {
        let car = &self.cars[slot as usize];
        let curve = self.map.curve(car.path);
        let u = curve.parameter(curve.length() - car.remaining);
        let (map, vehicle, path) = (&self.map, &self.vehicle, car.path);
        let heading = if map.lane_points(map.path(path).to).len() > 2 {
            heading_at(map, vehicle, path, curve.length() - car.remaining)
        } else if car.lane_length - car.remaining > ALIGNED * vehicle.wheelbase {
            angle_of(curve.at(u).tangent)
        } else {
            if self.orientations.len() >= MOST_ORIENTATIONS {
                self.orientations.clear();
            }
            self.orientations.entry(path).or_insert_with(|| orientation(map, vehicle, path)).at(u)
        };
        let car = &mut self.cars[slot as usize];
        car.heading = heading;
        car.wheels = std::array::from_fn(|_| (std::f64::consts::TAU * stream.uniform()) as f32);
    }

    /// The pose of a car in this frame, which took so long.
    pub(crate) fn embody(&mut self, slot: u32, elapsed: f64) -> CarPose {
        let car = &self.cars[slot as usize];
        let is_new = car.heading.is_nan() || car.shown + 1 != self.frame;
        if is_new {
            let mut stream = self.draws.state(car.id, car.course.visit);
            self.show(slot, &mut stream);
        }
        self.cars[slot as usize].shown = self.frame;
        self.pose(slot, if is_new { 0.0 } else { elapsed })
    }

    /// The pose of a car whose body is simulated, after it moved for `dt`: the
    /// body follows the steered wheel by its differential equation.
    fn pose(&mut self, slot: u32, dt: f64) -> CarPose {
        let vehicle = self.vehicle;
        let car = &self.cars[slot as usize];
        let curve = self.map.curve(car.path);
        let mut point = curve.at(curve.parameter(curve.length() - car.remaining));
        if let Some(change) = &car.change {
            let (offset, slope) = change.offset();
            let right = point.tangent.perp();
            point.position += offset * right;
            point.tangent = (point.tangent + slope * right).normalize_or(point.tangent);
        }
        let car = &mut self.cars[slot as usize];
        let moved = car.speed * dt;
        let (sin, cos) = libm::sincos(car.heading);
        let mut direction = DVec2::new(cos, sin);
        // Sine and cosine of the angle of the wheel against the body.
        let (across, along) = (direction.perp_dot(point.tangent), direction.dot(point.tangent));
        let (mut steering, mut turned) = (0.0, 0.0);
        if across.abs() > STRAIGHT || along < 0.0 {
            // The exact solution for a wheel that keeps its direction: the
            // tangent of half the angle decays with the distance.
            let turn = libm::atan2(across, along);
            let half = across / (1.0 + along).max(1e-3) * libm::exp(-moved / vehicle.wheelbase);
            steering = 2.0 * libm::atan(half);
            turned = turn - steering;
            car.heading = wrapped(car.heading + turned);
            let (sin, cos) = libm::sincos(car.heading);
            direction = DVec2::new(cos, sin);
        }
        let rear = moved * (1.0 - 0.5 * steering * steering);
        let apart = 0.5 * vehicle.track * turned;
        for (angle, way) in car.wheels.iter_mut().zip([moved, rear + apart, rear - apart]) {
            let turns = (f64::from(*angle) + way / vehicle.wheel_radius) / std::f64::consts::TAU;
            *angle = ((turns - turns.round()) * std::f64::consts::TAU) as f32;
        }
        let middle = point.position - 0.5 * vehicle.length * direction;
        CarPose {
            world_from_body: DAffine3 {
                matrix3: DMat3::from_cols(
                    DVec3::new(direction.x, 0.0, direction.y),
                    DVec3::Y,
                    DVec3::new(-direction.y, 0.0, direction.x),
                ),
                translation: DVec3::new(middle.x, 0.0, middle.y),
            },
            steering,
            wheels: car.wheels.map(f64::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Recipe;
    use proscenium_chance::Seed;

    /// The fit against the equation itself, in steps of a centimetre.
    #[test]
    fn the_fitted_orientation_is_that_of_a_body_that_was_driven_there() {
        let map = Map::build(&Recipe::with_roads(40).generate(Seed(3)).unwrap()).unwrap();
        let vehicle = Vehicle::default();
        for path in map.paths().step_by(9) {
            let (fitted, curve) = (orientation(&map, &vehicle, path), map.curve(path));
            let is_straight = map.lane_points(map.path(path).to).len() == 2;
            let mut heading = angle_of(curve.at(0.0).tangent);
            let (ds, mut distance, mut worst) = (0.01, 0.0, 0.0_f64);
            while distance + ds < curve.length() {
                let wheel = angle_of(curve.at(curve.parameter(distance + 0.5 * ds)).tangent);
                heading += ds * libm::sin(wheel - heading) / vehicle.wheelbase;
                distance += ds;
                if is_straight {
                    worst = worst.max(wrapped(fitted.at(curve.parameter(distance)) - heading).abs());
                }
            }
            worst = worst.max(wrapped(heading_at(&map, &vehicle, path, distance) - heading).abs());
            assert!(worst < 0.03, "{path:?} is off by {worst} rad");
        }
    }
}
