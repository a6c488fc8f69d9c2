//! Bodies of cars: where they are in the world and how they stand.

use glam::{DAffine3, DMat3, DVec2, DVec3};
use proscenium_chance::Stream;

use super::Traffic;
use crate::cubic::PiecewiseCubic;
use crate::driving::Vehicle;
use crate::map::{Map, PathId};

/// How the body of a car stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The car's frame: the origin is on the ground under the middle of the
    /// car, x points to its front, y up, z to its right.
    pub world_from_body: DAffine3,
    /// Angle of the steered wheel against the body, radians, positive to the
    /// right.
    pub steering: f64,
    /// Turns of the steered, the rear left and the rear right wheel, radians.
    pub wheels: [f64; 3],
}

/// A wheel that differs less from the body's direction is straight, radians.
const STRAIGHT: f64 = 1e-4;

/// An angle between −π and π.
fn wrapped(angle: f64) -> f64 {
    libm::remainder(angle, std::f64::consts::TAU)
}

fn angle_of(direction: DVec2) -> f64 {
    libm::atan2(direction.y, direction.x)
}

/// The direction of the body along a path, which follows the steered wheel:
/// dθ/ds = sin(φ − θ) / wheelbase. It depends on the path alone, as the body is
/// aligned with the lane where the path starts: ô of the paper. Fitted over u.
pub(crate) fn orientation(map: &Map, vehicle: &Vehicle, path: PathId) -> PiecewiseCubic {
    let curve = map.curve(path);
    let (mut heading, mut distance) = (angle_of(curve.at(0.0).tangent), 0.0);
    let mut samples = Vec::with_capacity(200);
    let length = curve.length();
    let settled = (curve.crossing_length() + 20.0 * vehicle.wheelbase).min(length);
    let steps = 160;
    let ds = settled / f64::from(steps);
    let slope = |distance: f64, heading: f64| {
        let tangent = angle_of(curve.at(curve.parameter(distance)).tangent);
        libm::sin(tangent - heading) / vehicle.wheelbase
    };
    for _ in 0..=steps {
        samples.push((curve.parameter(distance), heading));
        let middle = heading + 0.5 * ds * slope(distance, heading);
        heading += ds * slope(distance + 0.5 * ds, middle);
        distance += ds;
    }
    let end = curve.parameter(settled);
    samples.extend((0..16).map(|step| (end + (2.0 - end) * f64::from(step) / 15.0, heading)));
    let after = |share: f64| 1.0 + share * (end - 1.0).max(1e-6);
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
        // Far from the junction the body is aligned with the lane.
        let gone = car.lane_length - car.remaining;
        let heading =
            if gone > 12.0 * self.vehicle.wheelbase && self.map.lane_points(self.map.path(car.path).to).len() == 2 {
                angle_of(curve.at(u).tangent)
            } else {
                orientation(&self.map, &self.vehicle, car.path).at(u)
            };
        let car = &mut self.cars[slot as usize];
        car.heading = heading;
        car.wheels = std::array::from_fn(|_| (std::f64::consts::TAU * stream.uniform()) as f32);
    }

    /// The pose of a car in this frame, which took so long.
    pub(crate) fn embody(&mut self, slot: u32, elapsed: f64) -> Pose {
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
    fn pose(&mut self, slot: u32, dt: f64) -> Pose {
        let vehicle = self.vehicle;
        let car = &self.cars[slot as usize];
        let curve = self.map.curve(car.path);
        let point = curve.at(curve.parameter(curve.length() - car.remaining));
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
        Pose {
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
