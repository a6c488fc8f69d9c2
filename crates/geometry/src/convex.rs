//! Convex solids as the narrow phase sees them: a core and a radius.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use parry3d_f64::shape::SharedShape;

use crate::hull::corner_signs;
use crate::shape::ShapeKind;
use crate::{Bounds, Pose, Shape};

/// What lies inside the rounding of a convex part.
#[derive(Clone, Debug)]
pub enum Core {
    /// The hull of some points: one for a sphere, two for a capsule.
    Points(Arc<[DVec3]>),
    /// A cylinder along the y axis of its pose.
    Cylinder {
        /// Where it sits.
        pose: Pose,
        /// Half its length.
        half_height: f64,
        /// Its radius.
        radius: f64,
    },
    /// Two balls, and all that lies between them.
    Balls {
        /// Their centres.
        centers: [DVec3; 2],
        /// How much larger each is than the rounding.
        radii: [f64; 2],
    },
}

/// A part is long beside another if its sphere is so many times larger.
const LONG: f64 = 2.0;

/// A convex solid in the frame of its body: all points within `radius` of its
/// core.
#[derive(Clone)]
pub struct ConvexPart {
    core: Core,
    radius: f64,
    center: DVec3,
    reach: f64,
    bounds: Bounds,
    /// parry's solid; it has none for balls of different size.
    solid: Option<SharedShape>,
    frame_from_solid: Pose,
    facets: Arc<[Facet]>,
}

/// A flat side of a part: the part lies where `normal · p ≤ offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet {
    /// Unit vector outwards.
    pub normal: DVec3,
    /// The distance of its plane from the origin, along the normal.
    pub offset: f64,
}

impl std::fmt::Debug for ConvexPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConvexPart").field("core", &self.core).field("radius", &self.radius).finish()
    }
}

impl ConvexPart {
    /// The part that a convex shape is; `None` for shapes that are not convex.
    pub(crate) fn new(shape: &Shape, frame_from_shape: &Pose) -> Option<Self> {
        let place = |point: DVec3| frame_from_shape.transform_point(point);
        let (core, radius) = match shape.kind() {
            ShapeKind::Sphere { radius } => (Core::Points([place(DVec3::ZERO)].into()), *radius),
            ShapeKind::Box { half_extents, rounding } => {
                let inner = *half_extents - *rounding;
                (Core::Points(corner_signs().iter().map(|s| place(*s * inner)).collect()), *rounding)
            }
            ShapeKind::Capsule { half_height, radius } => {
                let ends = [place(-*half_height * DVec3::Y), place(*half_height * DVec3::Y)];
                (Core::Points(ends.into()), *radius)
            }
            ShapeKind::Cylinder { half_height, radius } => {
                (Core::Cylinder { pose: *frame_from_shape, half_height: *half_height, radius: *radius }, 0.0)
            }
            ShapeKind::Hull(hull) => (Core::Points(hull.vertices().iter().map(|v| place(*v)).collect()), 0.0),
            _ => return None,
        };
        let (center, reach) = bounding_sphere(&core, radius);
        let solid = Some(crate::check::convex_solid(shape)?);
        let facets = facets(shape, frame_from_shape);
        let bounds = Bounds::EMPTY;
        let part = Self { core, radius, center, reach, bounds, solid, frame_from_solid: *frame_from_shape, facets };
        Some(part.boxed())
    }

    /// Two balls, each a centre and a radius, and all that lies between them.
    pub(crate) fn between_balls(a: (DVec3, f64), b: (DVec3, f64)) -> Self {
        let radius = a.1.min(b.1);
        let core = Core::Balls { centers: [a.0, b.0], radii: [a.1 - radius, b.1 - radius] };
        let (center, reach) = bounding_sphere(&core, radius);
        let (bounds, facets) = (Bounds::EMPTY, Arc::new([]));
        Self { core, radius, center, reach, bounds, solid: None, frame_from_solid: Pose::IDENTITY, facets }.boxed()
    }

    /// A triangle of scenery.
    pub fn triangle(corners: [DVec3; 3]) -> Self {
        let core = Core::Points(corners.into());
        let (center, reach) = bounding_sphere(&core, 0.0);
        let solid = Some(SharedShape::triangle(corners[0], corners[1], corners[2]));
        let (bounds, facets) = (Bounds::EMPTY, Arc::new([]));
        Self { core, radius: 0.0, center, reach, bounds, solid, frame_from_solid: Pose::IDENTITY, facets }.boxed()
    }

    /// The flat sides of a box or a polyhedron, in the frame of its body;
    /// none for solids with curved sides.
    pub fn facets(&self) -> &[Facet] {
        &self.facets
    }

    /// Whether the part is a ball.
    pub fn is_ball(&self) -> bool {
        matches!(&self.core, Core::Points(points) if points.len() == 1)
    }

    /// What lies inside the rounding.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// How far the solid extends beyond its core.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The centre of a sphere around the part.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The radius of the sphere around the part.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The point of the core that lies farthest in a direction.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        match &self.core {
            Core::Points(points) => {
                let mut best = points[0];
                let mut most = best.dot(direction);
                for point in &points[1..] {
                    let along = point.dot(direction);
                    if along > most {
                        (most, best) = (along, *point);
                    }
                }
                best
            }
            Core::Cylinder { pose, half_height, radius } => {
                let local = pose.rotation.inverse() * direction;
                let flat = DVec3::new(local.x, 0.0, local.z);
                let rim = *radius * flat.normalize_or_zero();
                pose.transform_point(rim + DVec3::Y * half_height.copysign(local.y))
            }
            Core::Balls { centers, radii } => {
                let unit = direction.normalize_or_zero();
                let [a, b] = [centers[0] + radii[0] * unit, centers[1] + radii[1] * unit];
                if a.dot(direction) >= b.dot(direction) { a } else { b }
            }
        }
    }

    /// How far the solid extends in a direction: the distance of its farthest
    /// point along it. Of a direction that is not of unit length, roundings do
    /// not count as many times.
    #[inline]
    pub fn extent(&self, direction: DVec3) -> f64 {
        match &self.core {
            Core::Balls { centers: [a, b], radii } => {
                (a.dot(direction) + radii[0]).max(b.dot(direction) + radii[1]) + self.radius
            }
            _ => self.support(direction).dot(direction) + self.radius,
        }
    }

    /// The farthest distance of the part's points from the origin.
    pub fn farthest(&self) -> f64 {
        let core = match &self.core {
            Core::Points(points) => points.iter().map(|p| p.length()).fold(0.0, f64::max),
            Core::Cylinder { .. } => return self.center.length() + self.reach,
            Core::Balls { centers: [a, b], radii } => (a.length() + radii[0]).max(b.length() + radii[1]),
        };
        core + self.radius
    }

    /// A ball of this radius around the origin lies within the part; zero if
    /// there is none, or none that is easily told.
    pub fn inner_radius(&self) -> f64 {
        let ball = match &self.core {
            Core::Points(points) if points.len() == 1 => self.radius - points[0].length(),
            Core::Points(_) if !self.facets.is_empty() => {
                self.facets.iter().map(|facet| facet.offset).fold(f64::INFINITY, f64::min)
            }
            Core::Balls { centers: [a, b], radii } => {
                let along = *b - *a;
                let share = (-a.dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
                let at =
                    |share: f64| self.radius + radii[0] + share * (radii[1] - radii[0]) - (*a + share * along).length();
                at(share).max(at(0.0)).max(at(1.0))
            }
            _ => 0.0,
        };
        ball.max(0.0)
    }

    /// The box around the part, in the frame of its body.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The part with the box around it measured.
    fn boxed(mut self) -> Self {
        let extreme = |direction: DVec3| self.extent(direction);
        let max = DVec3::new(extreme(DVec3::X), extreme(DVec3::Y), extreme(DVec3::Z));
        let min = -DVec3::new(extreme(-DVec3::X), extreme(-DVec3::Y), extreme(-DVec3::Z));
        self.bounds = Bounds { min, max };
        self
    }

    /// The gap to another part is no less than this: that between the spheres
    /// around them, or between a small sphere and the box around what is long, or
    /// between balls and a flat side.
    #[inline]
    pub fn least_gap(&self, pose: &Pose, other: &ConvexPart, other_pose: &Pose) -> f64 {
        let (own, far) = (pose.transform_point(self.center), other_pose.transform_point(other.center));
        let spheres = own.distance(far) - self.reach - other.reach;
        if let Some(outside) = outside_sides(self, pose, other, other_pose) {
            spheres.max(outside)
        } else if let Some(outside) = outside_sides(other, other_pose, self, pose) {
            spheres.max(outside)
        } else if other.reach > LONG * self.reach {
            spheres.max(other.outside_box(other_pose.inverse_transform_point(own)) - self.reach)
        } else if self.reach > LONG * other.reach {
            spheres.max(self.outside_box(pose.inverse_transform_point(far)) - other.reach)
        } else {
            spheres
        }
    }

    /// The distance of a point from the box around the part.
    fn outside_box(&self, point: DVec3) -> f64 {
        point.distance(point.clamp(self.bounds.min, self.bounds.max))
    }

    /// Places on the core no farther apart than `spacing`, for contact with a
    /// smooth surface: corners, and points between them.
    pub fn surface_points(&self, spacing: f64) -> Vec<DVec3> {
        match &self.core {
            Core::Points(points) if points.len() <= 2 => spread_over_segment(points, spacing),
            _ => {
                let mesh = crate::tessellate::core_surface(self, spacing);
                spread_over_triangles(&mesh.positions, &mesh.triangles, spacing)
            }
        }
    }

    /// parry's solid and its place; none for balls of different size.
    pub(crate) fn solid(&self) -> Option<(&SharedShape, Pose)> {
        self.solid.as_ref().map(|solid| (solid, self.frame_from_solid))
    }
}

/// How far two balls with all between them are outside the flat side of a solid
/// that they are farthest outside of; `None` for other solids.
#[inline]
fn outside_sides(balls: &ConvexPart, pose: &Pose, solid: &ConvexPart, solid_pose: &Pose) -> Option<f64> {
    let Core::Balls { centers, radii } = &balls.core else {
        return None;
    };
    if solid.facets.is_empty() {
        return None;
    }
    let [a, b] = centers.map(|center| solid_pose.inverse_transform_point(pose.transform_point(center)));
    let outside = |side: &Facet| (side.normal.dot(a) - radii[0]).min(side.normal.dot(b) - radii[1]) - side.offset;
    Some(solid.facets.iter().map(outside).fold(f64::NEG_INFINITY, f64::max) - balls.radius)
}

fn facets(shape: &Shape, frame_from_shape: &Pose) -> Arc<[Facet]> {
    let place = |normal: DVec3, point: DVec3| {
        let normal = frame_from_shape.rotation * normal;
        Facet { normal, offset: normal.dot(frame_from_shape.transform_point(point)) }
    };
    match shape.kind() {
        ShapeKind::Box { half_extents, .. } => {
            let sides = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
            sides.map(|side| place(side, side * *half_extents)).collect()
        }
        ShapeKind::Hull(hull) => hull.facets().iter().map(|(normal, point)| place(*normal, *point)).collect(),
        _ => Arc::new([]),
    }
}

fn bounding_sphere(core: &Core, radius: f64) -> (DVec3, f64) {
    match core {
        Core::Points(points) => {
            let center = Bounds::from_points(points.iter().copied()).center();
            let reach = points.iter().map(|p| p.distance(center)).fold(0.0, f64::max);
            (center, reach + radius)
        }
        Core::Cylinder { pose, half_height, radius: rim } => {
            (pose.translation, (half_height * half_height + rim * rim).sqrt() + radius)
        }
        Core::Balls { centers: [a, b], radii } => {
            // The ball around both: its diameter goes through their centres.
            let between = a.distance(*b);
            let reach = 0.5 * (between + radii[0] + radii[1]);
            let share = if between > 0.0 { (reach - radii[0]) / between } else { 0.0 };
            (a.lerp(*b, share.clamp(0.0, 1.0)), reach.max(radii[0]).max(radii[1]) + radius)
        }
    }
}

fn spread_over_segment(points: &[DVec3], spacing: f64) -> Vec<DVec3> {
    let [a, b] = [points[0], points[points.len() - 1]];
    let pieces = steps(a.distance(b), spacing);
    (0..=pieces)
        .map(|i| a.lerp(b, f64::from(i) / f64::from(pieces.max(1))))
        .take(if pieces == 0 { 1 } else { usize::MAX })
        .collect()
}

fn spread_over_triangles(positions: &[DVec3], triangles: &[[u32; 3]], spacing: f64) -> Vec<DVec3> {
    let mut spread = Vec::new();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| positions[v as usize]);
        let n = steps(a.distance(b).max(b.distance(c)).max(c.distance(a)), spacing).max(1);
        for i in 0..=n {
            for j in 0..=(n - i) {
                let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                spread.push(DMat3::from_cols(a, b, c) * DVec3::new(1.0 - u - v, u, v));
            }
        }
    }
    // Corners and edges are shared between triangles.
    spread.sort_by(|p, q| p.to_array().partial_cmp(&q.to_array()).unwrap_or(std::cmp::Ordering::Equal));
    spread.dedup_by(|p, q| p.distance_squared(*q) < 1e-20);
    spread
}

/// How many steps of at most `spacing` cover a length; at most 64, because a
/// body much larger than the grid is not meant to feel every bump.
fn steps(length: f64, spacing: f64) -> u32 {
    if spacing > 0.0 { (length / spacing).ceil().clamp(0.0, 64.0) as u32 } else { 0 }
}
