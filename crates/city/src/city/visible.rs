//! What is seen of a car.

use glam::{DAffine3, DVec2, DVec3};

use crate::driving::{Vehicle, VehicleKind};
use crate::map::{PathId, from_segment};
use crate::traffic::{Car, CarPose};
use crate::wander::CarId;

/// A car that can be seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisibleCar {
    /// Which one.
    pub id: CarId,
    /// What it is: to be drawn with its own shape.
    pub kind: VehicleKind,
    /// The car's frame: the origin is on the ground under the middle of the
    /// car, x points to its front, y up, z to its right.
    pub world_from_body: DAffine3,
    /// Angle of the steered wheel against the body, radians, positive to the
    /// right.
    pub steering: f64,
    /// Turns of the steered, the rear left and the rear right wheel, radians.
    pub wheels: [f64; 3],
    /// m/s.
    pub speed: f64,
    /// The path that it is on.
    pub path: PathId,
    /// The path that it will take then: what its indicators tell.
    pub next: PathId,
    /// From its front to the stop line at the end of its path, metres.
    pub remaining: f64,
}

impl VisibleCar {
    /// The corners of its body on the ground, plan coordinates, made smaller by so
    /// much on all sides, metres.
    pub fn footprint(&self, smaller: f64) -> [DVec2; 4] {
        let vehicle = Vehicle::default();
        let (x, z) = (0.5 * vehicle.length - smaller, 0.5 * vehicle.width - smaller);
        [(x, z), (x, -z), (-x, -z), (-x, z)].map(|(x, z)| {
            let corner = self.world_from_body.transform_point3(DVec3::new(x, 0.0, z));
            DVec2::new(corner.x, corner.z)
        })
    }

    /// Whether two bodies, each made smaller by so much, share a point: no side of
    /// either separates them.
    pub fn overlaps(&self, other: &Self, smaller: f64) -> bool {
        let (one, two) = (self.footprint(smaller), other.footprint(smaller));
        let separates = |a: &[DVec2; 4], b: &[DVec2; 4]| {
            (0..4).any(|side| {
                let normal = (a[(side + 1) % 4] - a[side]).perp();
                let range = |points: &[DVec2; 4]| {
                    let along = points.map(|point| point.dot(normal));
                    along.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
                        [low.min(*value), high.max(*value)]
                    })
                };
                let (a, b) = (range(a), range(b));
                a[1] < b[0] || b[1] < a[0]
            })
        };
        !separates(&one, &two) && !separates(&two, &one)
    }

    /// How far two bodies are from each other at least, metres; 0 where they overlap.
    pub fn distance(&self, other: &Self) -> f64 {
        if self.overlaps(other, 0.0) {
            return 0.0;
        }
        let least = |corners: [DVec2; 4], sides: [DVec2; 4]| {
            let near = move |corner: DVec2| {
                (0..4).map(move |side| from_segment(corner, &[sides[side], sides[(side + 1) % 4]]))
            };
            corners.into_iter().flat_map(near).fold(f64::INFINITY, f64::min)
        };
        let (one, two) = (self.footprint(0.0), other.footprint(0.0));
        least(one, two).min(least(two, one))
    }

    pub(super) fn new(car: &Car, kind: VehicleKind, pose: &CarPose) -> Self {
        Self {
            id: car.id,
            kind,
            world_from_body: pose.world_from_body,
            steering: pose.steering,
            wheels: pose.wheels,
            speed: car.speed,
            path: car.path,
            next: car.next,
            remaining: car.remaining,
        }
    }
}
