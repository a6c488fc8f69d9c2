//! Surfaces as triangles, to be drawn or exported.

use glam::DVec3;

use crate::convex::{ConvexPart, Core};
use crate::hull::Hull;
use crate::shape::ShapeKind;
use crate::{Pose, Ring, Shape, TurnedSolid};

/// Triangles, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Corners.
    pub positions: Vec<DVec3>,
    /// Indices into `positions`.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    fn append(&mut self, other: Self, pose: &Pose) {
        let base = self.positions.len() as u32;
        self.positions.extend(other.positions.iter().map(|p| pose.transform_point(*p)));
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + base)));
    }

    /// A grid of `columns × rows` quads, wrapping around in columns if asked,
    /// with the position of each node given.
    fn grid(columns: u32, rows: u32, wrap: bool, place: impl Fn(u32, u32) -> DVec3) -> Self {
        let width = if wrap { columns } else { columns + 1 };
        let positions = (0..=rows).flat_map(|j| (0..width).map(move |i| (i, j))).map(|(i, j)| place(i, j)).collect();
        let index = |i: u32, j: u32| j * width + if wrap { i % columns } else { i };
        let triangles = (0..rows)
            .flat_map(|j| (0..columns).map(move |i| (i, j)))
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
                [[a, c, b], [a, d, c]]
            })
            .collect();
        Self { positions, triangles }
    }
}

impl Shape {
    /// The surface as triangles that stay within about `error` of it. A
    /// half-space comes as a square of 20 m.
    pub fn surface(&self, error: f64) -> Surface {
        match self.kind() {
            ShapeKind::Sphere { radius } => ball_surface(DVec3::ZERO, *radius, error),
            ShapeKind::Box { half_extents, rounding } => box_surface(*half_extents, *rounding, error),
            ShapeKind::Capsule { half_height, radius } => ball_surface(*half_height * DVec3::Y, *radius, error),
            ShapeKind::Cylinder { half_height, radius } => cylinder_surface(*half_height, *radius, error),
            ShapeKind::Turned(turned) => turned_surface(turned, error),
            ShapeKind::Hull(hull) => hull_surface(hull),
            ShapeKind::Compound(parts) => {
                let mut all = Surface::default();
                for part in parts.iter() {
                    all.append(part.shape.surface(error), &part.pose);
                }
                all
            }
            ShapeKind::HalfSpace { normal } => {
                let (right, ahead) = normal.any_orthonormal_pair();
                Surface::grid(20, 20, false, |i, j| (f64::from(i) - 10.0) * right - (f64::from(j) - 10.0) * ahead)
            }
            ShapeKind::Mesh(mesh) => {
                Surface { positions: mesh.vertices().to_vec(), triangles: mesh.triangles().to_vec() }
            }
            ShapeKind::HeightField(field) => {
                let half = field.half_size();
                let cells = |length: f64| ((2.0 * length / field.spacing()).ceil() * 4.0).clamp(1.0, 512.0) as u32;
                let (columns, rows) = (cells(half.x), cells(half.y));
                Surface::grid(columns, rows, false, |i, j| {
                    let x = half.x * (2.0 * f64::from(i) / f64::from(columns) - 1.0);
                    let z = half.y * (2.0 * f64::from(j) / f64::from(rows) - 1.0);
                    DVec3::new(x, field.height(x, z), z)
                })
            }
        }
    }
}

/// How many segments approximate a circle to within `error`.
fn segments(radius: f64, error: f64) -> u32 {
    let ratio = (error / radius).clamp(1e-6, 0.5);
    (std::f64::consts::PI / libm::acos(1.0 - ratio)).ceil().clamp(8.0, 96.0) as u32
}

/// A ball, or a capsule if `half_axis` is not zero: the halves of the ball
/// are moved apart along y.
fn ball_surface(half_axis: DVec3, radius: f64, error: f64) -> Surface {
    let around = segments(radius, error).next_multiple_of(4);
    let rows = around / 2 + 1;
    Surface::grid(around, rows, true, |i, j| {
        // The row in the middle stands twice, once for each half.
        let step = if j <= rows / 2 { j } else { j - 1 };
        let polar = std::f64::consts::PI * f64::from(step) / f64::from(around / 2);
        let turn = std::f64::consts::TAU * f64::from(i) / f64::from(around);
        let ring = radius * libm::sin(polar);
        let height = radius * libm::cos(polar);
        let centre = if j <= rows / 2 { half_axis } else { -half_axis };
        centre + DVec3::new(ring * libm::sin(turn), height, ring * libm::cos(turn))
    })
    .without_slivers()
}

impl Surface {
    /// Drops triangles whose corners coincide, as at the poles of a ball.
    fn without_slivers(mut self) -> Self {
        let positions = &self.positions;
        self.triangles.retain(|t| {
            let [a, b, c] = t.map(|v| positions[v as usize]);
            (b - a).cross(c - a).length_squared() > 1e-12 * (b - a).length_squared() * (c - a).length_squared()
        });
        self
    }
}

/// A box whose corners are octants of a ball: the hull of the pieces.
fn box_surface(half: DVec3, rounding: f64, error: f64) -> Surface {
    let inner = half - rounding;
    if rounding == 0.0 {
        return hull_of(crate::hull::corner_signs().map(|s| s * half).to_vec());
    }
    let steps = (segments(rounding, error) / 4).clamp(2, 6);
    let mut points = Vec::new();
    for sign in crate::hull::corner_signs() {
        for i in 0..=steps {
            for j in 0..=(steps - i) {
                let weights = DVec3::new(f64::from(i), f64::from(j), f64::from(steps - i - j));
                points.push(sign * (inner + rounding * weights.normalize()));
            }
        }
    }
    hull_of(points)
}

fn cylinder_surface(half_height: f64, radius: f64, error: f64) -> Surface {
    let around = segments(radius, error);
    let rim = |y: f64| {
        (0..around).map(move |i| {
            let turn = std::f64::consts::TAU * f64::from(i) / f64::from(around);
            DVec3::new(radius * libm::cos(turn), y, radius * libm::sin(turn))
        })
    };
    hull_of(rim(half_height).chain(rim(-half_height)).collect())
}

fn turned_surface(turned: &TurnedSolid, error: f64) -> Surface {
    let around = segments(turned.widest(), error);
    let rings = turned.rings();
    let (low, high) = (rings[0], rings[rings.len() - 1]);
    let ends = [Ring { radius: 0.0, ..low }, Ring { radius: 0.0, ..high }];
    // From the top down, as the rows of a ball.
    let column: Vec<Ring> = std::iter::once(ends[1]).chain(rings.iter().rev().copied()).chain([ends[0]]).collect();
    Surface::grid(around, column.len() as u32 - 1, true, |i, j| {
        let turn = std::f64::consts::TAU * f64::from(i) / f64::from(around);
        let Ring { height, radius } = column[j as usize];
        DVec3::new(radius * libm::sin(turn), height, radius * libm::cos(turn))
    })
    .without_slivers()
}

fn hull_surface(hull: &Hull) -> Surface {
    Surface { positions: hull.vertices().to_vec(), triangles: hull.triangles().to_vec() }
}

fn hull_of(points: Vec<DVec3>) -> Surface {
    Hull::new(&points).map(|hull| hull_surface(&hull)).unwrap_or_default()
}

/// The surface of the core of a part, in the frame of its body.
pub(crate) fn core_surface(part: &ConvexPart, spacing: f64) -> Surface {
    match part.core() {
        Core::Points(points) => hull_of(points.to_vec()),
        Core::Balls { centers, radii } => {
            let mut corners = Vec::new();
            for (center, radius) in centers.iter().zip(radii) {
                let ball = ball_surface(DVec3::ZERO, radius.max(1e-9), 0.1 * spacing);
                corners.extend(ball.positions.iter().map(|p| *center + *p));
            }
            hull_of(corners)
        }
        Core::Cylinder { pose, half_height, radius } => {
            let mut placed = Surface::default();
            placed.append(cylinder_surface(*half_height, *radius, (0.1 * spacing).min(0.1 * radius)), pose);
            placed
        }
    }
}
