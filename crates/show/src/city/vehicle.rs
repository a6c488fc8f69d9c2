//! A vehicle for the eye, of about a thousand triangles: a body that is lofted from
//! cross-sections, of another shape for each kind, and wheels that turn.

use std::f64::consts::TAU;

use glam::DVec3;
use proscenium_city::driving::{Vehicle, VehicleKind};

use super::surface::Surface;

/// A cross-section: where (−1 is the rear end), the sill, the belt and the roof (m above
/// the ground), and how wide (of the half width).
type Section = (f64, f64, f64, f64, f64);

/// How the body of a kind of vehicle is lofted, from the rear to the front.
struct Shape {
    sections: &'static [Section],
    /// The sections after which a post stands in place of glass.
    posts: &'static [usize],
    /// Between which places there are windows.
    glazed: (f64, f64),
    /// By how much of its width the cabin leans inwards, where it is this high, m.
    lean: (f64, f64),
    /// Where the mirrors are: along, and above the ground, m.
    mirrors: (f64, f64),
}

const CAR: Shape = Shape {
    sections: &[
        (-1.00, 0.42, 0.60, 0.62, 0.66),
        (-0.985, 0.34, 0.78, 0.80, 0.84),
        (-0.95, 0.28, 0.86, 0.90, 0.92),
        (-0.90, 0.25, 0.89, 0.96, 0.95),
        (-0.84, 0.23, 0.90, 1.00, 0.97),
        (-0.74, 0.21, 0.91, 1.18, 0.985),
        (-0.64, 0.20, 0.915, 1.33, 0.99),
        (-0.58, 0.20, 0.92, 1.38, 1.0),
        (-0.45, 0.20, 0.92, 1.43, 1.0),
        (-0.28, 0.20, 0.92, 1.455, 1.0),
        (-0.16, 0.20, 0.92, 1.46, 1.0),
        (-0.13, 0.20, 0.92, 1.46, 1.0),
        (0.00, 0.20, 0.92, 1.45, 1.0),
        (0.10, 0.20, 0.92, 1.42, 1.0),
        (0.17, 0.20, 0.92, 1.36, 1.0),
        (0.26, 0.20, 0.915, 1.22, 0.995),
        (0.35, 0.20, 0.91, 1.06, 0.99),
        (0.43, 0.20, 0.90, 0.95, 0.985),
        (0.55, 0.20, 0.87, 0.91, 0.98),
        (0.70, 0.21, 0.83, 0.87, 0.965),
        (0.82, 0.22, 0.78, 0.81, 0.94),
        (0.90, 0.24, 0.72, 0.75, 0.90),
        (0.955, 0.26, 0.65, 0.67, 0.84),
        (0.985, 0.30, 0.56, 0.58, 0.76),
        (1.00, 0.38, 0.48, 0.49, 0.62),
    ],
    posts: &[4, 10, 17],
    glazed: (-1.0, 1.0),
    lean: (0.3, 0.54),
    mirrors: (0.27, 0.98),
};

const VAN: Shape = Shape {
    sections: &[
        (-1.000, 0.36, 1.02, 1.86, 0.92),
        (-0.985, 0.28, 1.04, 1.97, 0.965),
        (-0.955, 0.25, 1.05, 2.02, 0.985),
        (-0.90, 0.23, 1.05, 2.05, 1.0),
        (-0.45, 0.21, 1.05, 2.07, 1.0),
        (0.00, 0.21, 1.05, 2.08, 1.0),
        (0.14, 0.21, 1.05, 2.08, 1.0),
        (0.17, 0.21, 1.05, 2.08, 1.0),
        (0.32, 0.21, 1.05, 2.06, 1.0),
        (0.40, 0.21, 1.05, 2.00, 0.995),
        (0.48, 0.21, 1.05, 1.85, 0.99),
        (0.56, 0.21, 1.04, 1.61, 0.985),
        (0.64, 0.21, 1.03, 1.37, 0.98),
        (0.71, 0.21, 1.01, 1.14, 0.975),
        (0.82, 0.22, 0.95, 1.03, 0.955),
        (0.91, 0.24, 0.85, 0.90, 0.91),
        (0.96, 0.26, 0.75, 0.78, 0.86),
        (0.985, 0.30, 0.62, 0.65, 0.78),
        (1.00, 0.38, 0.50, 0.52, 0.66),
    ],
    posts: &[11],
    glazed: (0.16, 0.72),
    lean: (0.1, 1.0),
    mirrors: (0.58, 1.15),
};

/// A box behind a cabin, with a gap between them.
const LORRY: Shape = Shape {
    sections: &[
        (-1.000, 0.60, 1.2, 2.58, 0.97),
        (-0.995, 0.55, 1.2, 2.62, 1.0),
        (0.300, 0.55, 1.2, 2.62, 1.0),
        (0.305, 0.60, 1.2, 2.58, 0.97),
        (0.310, 0.45, 0.76, 0.82, 0.72),
        (0.370, 0.45, 0.76, 0.82, 0.72),
        (0.375, 0.34, 1.15, 1.98, 0.95),
        (0.40, 0.28, 1.15, 2.10, 0.985),
        (0.46, 0.26, 1.15, 2.14, 1.0),
        (0.49, 0.26, 1.15, 2.14, 1.0),
        (0.70, 0.26, 1.15, 2.13, 1.0),
        (0.79, 0.26, 1.15, 2.08, 1.0),
        (0.85, 0.26, 1.15, 1.92, 0.995),
        (0.91, 0.26, 1.14, 1.56, 0.985),
        (0.95, 0.27, 1.12, 1.20, 0.975),
        (0.98, 0.30, 0.92, 0.96, 0.95),
        (1.00, 0.36, 0.62, 0.66, 0.90),
    ],
    posts: &[12],
    glazed: (0.48, 0.96),
    lean: (0.08, 1.0),
    mirrors: (0.84, 1.5),
};

const BUS: Shape = Shape {
    sections: &[
        (-1.000, 0.42, 1.2, 2.38, 0.94),
        (-0.990, 0.34, 1.2, 2.48, 0.975),
        (-0.960, 0.30, 1.2, 2.53, 1.0),
        (-0.92, 0.28, 1.2, 2.54, 1.0),
        (-0.53, 0.28, 1.2, 2.55, 1.0),
        (-0.50, 0.28, 1.2, 2.55, 1.0),
        (-0.13, 0.28, 1.2, 2.55, 1.0),
        (-0.10, 0.28, 1.2, 2.55, 1.0),
        (0.27, 0.28, 1.2, 2.55, 1.0),
        (0.30, 0.28, 1.2, 2.55, 1.0),
        (0.67, 0.28, 1.2, 2.54, 1.0),
        (0.70, 0.28, 1.2, 2.54, 1.0),
        (0.86, 0.28, 1.2, 2.52, 1.0),
        (0.90, 0.28, 1.2, 2.45, 0.995),
        (0.935, 0.28, 1.19, 2.20, 0.99),
        (0.96, 0.28, 1.17, 1.78, 0.98),
        (0.98, 0.29, 1.12, 1.22, 0.97),
        (0.99, 0.30, 0.88, 0.92, 0.95),
        (1.00, 0.36, 0.60, 0.62, 0.88),
    ],
    posts: &[4, 6, 8, 10, 13],
    glazed: (-0.93, 0.975),
    lean: (0.06, 1.3),
    mirrors: (0.95, 1.7),
};

impl Shape {
    fn of(kind: VehicleKind) -> &'static Self {
        match kind {
            VehicleKind::Car => &CAR,
            VehicleKind::Van => &VAN,
            VehicleKind::Lorry => &LORRY,
            VehicleKind::Bus => &BUS,
        }
    }
}

/// Between a belt and a roof that are this far from each other is a window, m.
const WINDOW: f64 = 0.22;
/// The points of half a cross-section: up the side and over the roof.
const POINTS: usize = 9;
/// The strips of a side that may be glass, and those of the top.
const SIDE_WINDOW: usize = 5;
const SCREENS: [usize; 2] = [6, 7];

/// How wide a wheel is, and how far the axles are before the middle between them, m.
const WHEEL_WIDTH: f64 = 0.23;
const AXLES_AHEAD: f64 = 0.02;
/// The corners of a wheel.
const ROUND: u32 = 18;

/// What a part of a car is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarPart {
    /// The body, in the colour of the car.
    Paint,
    /// The windows.
    Glass,
    /// What is black: the floor and the arches of the wheels.
    Trim,
    /// The lamps in front, and the plates.
    Headlamps,
    /// The lamps behind.
    Taillamps,
    /// A wheel about its middle, with its axle along z.
    Tyre,
    /// The metal in a wheel.
    Hub,
}

/// The parts of a car, each as a mesh: all of one in the car's frame (the origin on
/// the ground under its middle, x to its front, y up, z to its right), and one wheel
/// about its own middle.
pub fn car_parts() -> Vec<(CarPart, proscenium_clip::Mesh)> {
    vehicle_parts(VehicleKind::Car)
}

/// The parts of a vehicle, as [`car_parts`] has those of a car. Wheels are the same.
pub fn vehicle_parts(kind: VehicleKind) -> Vec<(CarPart, proscenium_clip::Mesh)> {
    let mut car = CarSurfaces::default();
    let shape = Shape::of(kind);
    car.body(shape);
    car.details(shape);
    let mut tyre = Surface::default();
    let mut hub = Surface::default();
    wheel(&mut tyre, &mut hub);
    let CarSurfaces { paint, glass, trim, headlamps, taillamps } = car;
    let parts = [
        (CarPart::Paint, "body", paint),
        (CarPart::Glass, "glass", glass),
        (CarPart::Trim, "trim", trim),
        (CarPart::Headlamps, "headlamps", headlamps),
        (CarPart::Taillamps, "taillamps", taillamps),
        (CarPart::Tyre, "tyre", tyre),
        (CarPart::Hub, "hub", hub),
    ];
    parts.into_iter().map(|(part, name, surface)| (part, surface.mesh(name, 0))).collect()
}

/// Where the middles of the wheels are in the car's frame: the front ones first, left
/// before right, and whether they are steered.
pub fn wheel_places() -> [(DVec3, bool); 4] {
    let car = Vehicle::default();
    let beside = 0.5 * car.width - 0.5 * WHEEL_WIDTH + 0.012;
    let at = |x: f64, side: f64| (DVec3::new(x, car.wheel_radius, side * beside), x > 0.0);
    let [front, rear] = axles();
    [at(front, -1.0), at(front, 1.0), at(rear, -1.0), at(rear, 1.0)]
}

/// How far before the middle of the car its axles are, m.
fn axles() -> [f64; 2] {
    [0.5, -0.5].map(|side| side * Vehicle::default().wheelbase + AXLES_AHEAD)
}

#[derive(Default)]
struct CarSurfaces {
    paint: Surface,
    glass: Surface,
    trim: Surface,
    headlamps: Surface,
    taillamps: Surface,
}

/// Half a cross-section on the right side, from the middle of the floor to the middle
/// of the roof.
fn cross_section(shape: &Shape, section: usize) -> [DVec3; POINTS] {
    let (along, sill, belt, roof, width) = shape.sections[section];
    let car = Vehicle::default();
    let (x, half) = (0.5 * car.length * along, 0.5 * car.width * width);
    // The cabin leans inwards.
    let lean = 1.0 - shape.lean.0 * ((roof - belt) / shape.lean.1).clamp(0.0, 1.0);
    let middle = sill + 0.55 * (belt - sill);
    [
        (sill, 0.0),
        (sill, 0.88 * half),
        (sill + 0.07, 0.97 * half),
        (middle, half),
        (belt - 0.03, 0.985 * half),
        (belt, 0.95 * half),
        (roof - 0.15 * (roof - belt), 0.95 * half * lean),
        (roof - 0.02 * (roof - belt), 0.82 * half * lean),
        (roof + 0.015, 0.0),
    ]
    .map(|(y, z)| DVec3::new(x, y, z))
}

impl CarSurfaces {
    fn body(&mut self, shape: &Shape) {
        let last = shape.sections.len() - 1;
        for section in 1..=last {
            let (rear, front) = (cross_section(shape, section - 1), cross_section(shape, section));
            for strip in 1..POINTS {
                let surface = self.made_of(shape, section - 1, strip - 1);
                let right = [front[strip - 1], front[strip], rear[strip], rear[strip - 1]];
                surface.face(&right);
                let left = right.map(|point| point.with_z(-point.z));
                surface.face(&[left[3], left[2], left[1], left[0]]);
            }
        }
        for (section, is_front) in [(0, false), (last, true)] {
            let half = cross_section(shape, section);
            let mut around: Vec<DVec3> = half.to_vec();
            around.extend(half[1..POINTS - 1].iter().rev().map(|point| point.with_z(-point.z)));
            if is_front {
                around.reverse();
            }
            self.paint.face(&around);
        }
    }

    /// What lies between two sections and two of their points.
    fn made_of(&mut self, shape: &Shape, section: usize, strip: usize) -> &mut Surface {
        let (rear, front) = (shape.sections[section], shape.sections[section + 1]);
        let is_cabin =
            (rear.3 - rear.2).max(front.3 - front.2) > WINDOW && rear.0 >= shape.glazed.0 && front.0 <= shape.glazed.1;
        let is_steep = (rear.3 - front.3).abs() > 0.05;
        let is_side = strip == SIDE_WINDOW && !shape.posts.contains(&section);
        let is_screen = is_steep && SCREENS.contains(&strip);
        if strip == 0 {
            &mut self.trim
        } else if is_cabin && (is_side || is_screen) {
            &mut self.glass
        } else {
            &mut self.paint
        }
    }

    fn details(&mut self, shape: &Shape) {
        let car = Vehicle::default();
        let (length, half) = (0.5 * car.length, 0.5 * car.width);
        for side in [-1.0, 1.0] {
            let z = side * half * 0.66;
            self.headlamps.block(DVec3::new(0.955 * length, 0.60, z), DVec3::new(0.07, 0.055, 0.17));
            self.taillamps.block(DVec3::new(-0.972 * length, 0.72, z), DVec3::new(0.05, 0.075, 0.17));
            for axle in axles() {
                let arch = DVec3::new(axle, car.wheel_radius + 0.02, side * (half - 0.02));
                self.trim.disc(arch, side, car.wheel_radius + 0.06);
            }
            let (along, high) = shape.mirrors;
            let mirror = DVec3::new(along * length, high, side * (half + 0.07));
            self.paint.block(mirror, DVec3::new(0.06, 0.06, 0.09));
        }
        self.trim.block(DVec3::new(0.985 * length, 0.40, 0.0), DVec3::new(0.04, 0.07, 0.55 * half));
        self.headlamps.block(DVec3::new(-0.993 * length, 0.52, 0.0), DVec3::new(0.02, 0.055, 0.25));
    }
}

/// A wheel with its axle along z.
fn wheel(tyre: &mut Surface, hub: &mut Surface) {
    let (half, full) = (0.5 * WHEEL_WIDTH, Vehicle::default().wheel_radius);
    let at = |corner: u32, radius: f64, z: f64| {
        let angle = TAU * f64::from(corner) / f64::from(ROUND);
        DVec3::new(radius * libm::cos(angle), radius * libm::sin(angle), z)
    };
    for corner in 0..ROUND {
        let next = corner + 1;
        // The tread, its rounded edges, and the walls, from one side to the other.
        let rings = [(0.66, -half), (0.94, -half), (1.0, -0.75 * half), (1.0, 0.75 * half), (0.94, half), (0.66, half)];
        for pair in rings.windows(2) {
            let [(inner, from), (outer, to)] = [pair[0], pair[1]].map(|(share, z)| (share * full, z));
            tyre.face(&[at(corner, inner, from), at(next, inner, from), at(next, outer, to), at(corner, outer, to)]);
        }
    }
    for side in [-1.0, 1.0] {
        hub.disc(DVec3::new(0.0, 0.0, side * 0.85 * half), side, 0.68 * full);
        // Five spokes stand out, so that one sees the wheel turn.
        for spoke in 0..5 {
            let angle = TAU * f64::from(spoke) / 5.0;
            let (along, across) = (
                DVec3::new(libm::cos(angle), libm::sin(angle), 0.0),
                DVec3::new(-libm::sin(angle), libm::cos(angle), 0.0),
            );
            let corner = |radius: f64, aside: f64| along * radius + across * aside + DVec3::Z * (side * 0.98 * half);
            let plate = [corner(0.03, -0.025), corner(0.2, -0.04), corner(0.2, 0.04), corner(0.03, 0.025)];
            let seen = if side > 0.0 { plate } else { [plate[3], plate[2], plate[1], plate[0]] };
            hub.face(&seen);
        }
    }
}

impl Surface {
    /// A box with half sides around a middle.
    fn block(&mut self, middle: DVec3, half: DVec3) {
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let mut out = DVec3::ZERO;
                out[axis] = side * half[axis];
                let (mut first, mut second) = (DVec3::ZERO, DVec3::ZERO);
                first[(axis + 1) % 3] = half[(axis + 1) % 3];
                second[(axis + 2) % 3] = side * half[(axis + 2) % 3];
                let at = middle + out;
                self.face(&[at - first - second, at + first - second, at + first + second, at - first + second]);
            }
        }
    }

    /// A disc that is seen from one side of z.
    fn disc(&mut self, middle: DVec3, side: f64, radius: f64) {
        let corner = |at: u32| {
            let angle = side * TAU * f64::from(at) / f64::from(ROUND);
            middle + radius * DVec3::new(libm::cos(angle), libm::sin(angle), 0.0)
        };
        self.face(&(0..ROUND).map(corner).collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vehicles_have_about_a_thousand_triangles_on_their_own_ground() {
        let car = Vehicle::default();
        let mut heights = Vec::new();
        for (kind, _) in VehicleKind::SHARES {
            let parts = vehicle_parts(kind);
            let wheels = |part: &CarPart| matches!(part, CarPart::Tyre | CarPart::Hub);
            let count: usize =
                parts.iter().map(|(part, mesh)| mesh.triangles.len() * if wheels(part) { 4 } else { 1 }).sum();
            assert!((800..2200).contains(&count), "{kind}: {count} triangles");
            let mut highest = 0.0_f64;
            for (part, mesh) in &parts {
                for [x, y, z] in mesh.positions.iter().map(|place| place.map(f64::from)) {
                    assert!(x.abs() <= 0.5 * car.length + 0.03, "{kind} {part:?} {x}");
                    // The mirrors stand out.
                    assert!(z.abs() <= 0.5 * car.width + 0.17, "{kind} {part:?} {z}");
                    highest = highest.max(y);
                }
            }
            heights.push(highest);
        }
        assert!(heights[0] < 1.5 && heights.windows(2).all(|pair| pair[1] > pair[0] - 0.1), "{heights:?}");
    }

    /// A closed surface whose faces look outwards has its volume, by the divergence
    /// theorem, and each edge twice.
    #[test]
    fn the_body_is_closed_and_looks_outwards() {
        for (kind, height) in VehicleKind::SHARES.map(|(kind, _)| kind).into_iter().zip([1.26, 1.87, 2.0, 2.27]) {
            let mut volume = 0.0;
            for (part, mesh) in vehicle_parts(kind) {
                if !matches!(part, CarPart::Paint | CarPart::Glass | CarPart::Trim) {
                    continue;
                }
                for triangle in &mesh.triangles {
                    let [a, b, c] = triangle.map(|corner| DVec3::from(mesh.positions[corner as usize].map(f64::from)));
                    volume += a.dot(b.cross(c)) / 6.0;
                }
            }
            let car = Vehicle::default();
            let around = car.length * car.width * height;
            assert!(volume > 0.55 * around && volume < 0.97 * around, "{kind}: {volume} of {around}");
        }
    }
}
