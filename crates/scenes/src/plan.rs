//! What a scene is once it is known to make sense.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use proscenium_chance::Density;
use proscenium_expression::Tape;
use proscenium_geometry::{CompoundPart, HeightField, Hull, Pose, Ring, Shape, ShapeError, ShapeKind, TriangleMesh};
use proscenium_rigid::{CollisionChange, Region, SurfaceSplines};
use proscenium_view::Camera;

use crate::colour::Colour;
use crate::error::Source;
use crate::file::SceneFile;
use crate::moves::MovesPlan;
use crate::want::{WantPlan, Watch};

/// A checked scene.
#[derive(Debug)]
pub(crate) struct Plan {
    pub file: SceneFile,
    pub source: Option<Source>,
    pub name: String,
    pub duration: f64,
    pub gravity: Scoped<[Quantity; 3]>,
    pub tolerance: Option<f64>,
    /// First the named ones, then those in place.
    pub variables: Vec<Variable>,
    pub materials: Vec<MaterialPlan>,
    pub pairs: Vec<PairPlan>,
    pub collisions: Vec<CollisionPlan>,
    pub bodies: Vec<BodyPlan>,
    pub joints: Vec<JointPlan>,
    pub wants: Vec<WantPlan>,
    /// Places to look from, by name.
    pub cameras: BTreeMap<String, Camera>,
    /// What wants ask about stretches of time.
    pub watches: Vec<Watch>,
    /// The arithmetic in place of numbers.
    pub formulas: Vec<Formula>,
    /// How many variables have a name: the inputs of all arithmetic.
    pub named: usize,
    /// Named variables that nothing reads.
    pub unread: Vec<String>,
    pub warnings: Vec<String>,
}

impl Plan {
    /// The values of all variables, and what all arithmetic comes to with them.
    pub(crate) fn with_derived(&self, mut values: Vec<f64>) -> Vec<f64> {
        let mut slots = Vec::new();
        let derived = self.formulas.iter().rev().map(|formula| formula.tape.value(&values, &[], &mut slots));
        let derived: Vec<f64> = derived.collect();
        values.extend(derived);
        values
    }

    /// The bodies that may take part or not: their places in the world, their
    /// names, and how likely they do.
    pub(crate) fn optional_bodies(&self) -> impl Iterator<Item = (usize, String, f64)> {
        let firsts = self.bodies.iter().scan(0, |next, body| {
            let first = *next;
            *next += body.copies.count();
            Some((first, body))
        });
        firsts.flat_map(|(first, body)| {
            let copies = if body.takes_part.is_some() { body.copies.count() } else { 0 };
            (0..copies).map(move |copy| (first + copy, body.name_of(copy), body.takes_part.unwrap_or(1.0)))
        })
    }
}

/// Arithmetic with the named variables, which are its inputs.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub tape: Tape,
}

/// An uncertain number.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub density: Arc<Density>,
}

/// A number of a scene, once values are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Quantity {
    /// Certain.
    Fixed(f64),
    /// The value of a named variable.
    Named(usize),
    /// The value of arithmetic, by its place among all of it.
    Derived(usize),
    /// The value of a variable in place, counted from the first one of the
    /// thing (and the copy) that it belongs to.
    Own(usize),
}

/// Something with uncertain numbers in place.
#[derive(Clone, Debug)]
pub(crate) struct Scoped<T> {
    pub inner: T,
    /// The index of the first of its own variables.
    pub first: usize,
}

/// The values of all variables, as one thing sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'a> {
    pub all: &'a [f64],
    pub first: usize,
}

impl Values<'_> {
    pub(crate) fn number(&self, quantity: Quantity) -> f64 {
        match quantity {
            Quantity::Fixed(value) => value,
            Quantity::Named(index) => self.all[index],
            // They come last, the first one at the end.
            Quantity::Derived(index) => self.all[self.all.len() - 1 - index],
            Quantity::Own(index) => self.all[self.first + index],
        }
    }

    pub(crate) fn vector(&self, quantities: &[Quantity; 3]) -> DVec3 {
        DVec3::from_array(quantities.map(|quantity| self.number(quantity)))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct MaterialPlan {
    pub name: String,
    pub density: Quantity,
    pub restitution: Quantity,
    pub friction: Quantity,
    pub rolling: Quantity,
    pub first: usize,
    pub colour: Option<Colour>,
    pub roughness: f64,
    pub metallic: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct PairPlan {
    pub materials: [usize; 2],
    pub restitution: Option<Quantity>,
    pub friction: Option<Quantity>,
    pub rolling: Option<Quantity>,
    pub first: usize,
}

/// What is other about the first collisions of some pairs of bodies.
#[derive(Clone, Debug)]
pub(crate) struct CollisionPlan {
    /// The bodies by their places in the world.
    pub pairs: Vec<[usize; 2]>,
    pub count: usize,
    /// Degrees.
    pub lean: Option<[Quantity; 2]>,
    pub restitution: Option<Quantity>,
    pub friction: Option<Quantity>,
    /// The index of the first variable of the first collision of the first pair, and how
    /// many each collision has.
    pub first: usize,
    pub own_count: usize,
}

impl CollisionPlan {
    /// The index of the first variable of a collision of a pair.
    pub(crate) fn first_of(&self, pair: usize, collision: usize) -> usize {
        self.first + (pair * self.count + collision) * self.own_count
    }

    /// Its numbers.
    pub(crate) fn quantities(&self) -> impl Iterator<Item = &Quantity> {
        self.lean.iter().flatten().chain(&self.restitution).chain(&self.friction)
    }

    /// What is other about a collision of a pair.
    pub(crate) fn change(&self, all: &[f64], pair: usize, collision: usize) -> CollisionChange {
        let values = Values { all, first: self.first_of(pair, collision) };
        let number = |quantity: &Quantity| values.number(*quantity);
        CollisionChange {
            lean: self.lean.map_or([0.0; 2], |lean| lean.map(|lean| number(&lean).to_radians())),
            restitution: self.restitution.as_ref().map(number),
            friction: self.friction.as_ref().map(number),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct BodyPlan {
    pub name: String,
    pub copies: Copies,
    pub fixed: bool,
    pub resting: bool,
    pub hidden: bool,
    pub pips: bool,
    pub material: usize,
    pub colour: Option<Colour>,
    pub position: [Quantity; 3],
    pub orientation: TurnPlan,
    pub velocity: PacePlan,
    pub spin: [Quantity; 3],
    pub start: Quantity,
    /// How likely it takes part; `None` if it always does.
    pub takes_part: Option<f64>,
    /// The most that it weighs, kg.
    pub mass_at_most: Option<f64>,
    pub zones: Vec<ZonePlan>,
    pub pushes: Vec<PushPlan>,
    pub moves: Option<MovesPlan>,
    pub shape: ShapeSource,
    pub splines: Option<SplinesPlan>,
    /// What is drawn in place of the shape, before it is scaled.
    pub picture: Option<(TriangleMesh, Quantity)>,
    /// The index of the first variable of the first copy, and how many each
    /// copy has.
    pub first: usize,
    pub own_count: usize,
}

impl BodyPlan {
    /// The values as one copy sees them.
    pub(crate) fn values<'a>(&self, all: &'a [f64], copy: usize) -> Values<'a> {
        Values { all, first: self.first + copy * self.own_count }
    }

    /// The name of a copy.
    pub(crate) fn name_of(&self, copy: usize) -> String {
        match self.copies {
            Copies::Single => self.name.clone(),
            _ => format!("{}-{}", self.name, copy + 1),
        }
    }
}

/// A joint, of one body or of each of its copies.
#[derive(Clone, Debug)]
pub(crate) struct JointPlan {
    pub name: String,
    /// The places of those held, and of what holds them, in the world.
    pub held: std::ops::Range<usize>,
    pub to: Option<usize>,
    pub at: Option<[Quantity; 3]>,
    pub kind: JointKindPlan,
    pub damping: Quantity,
    pub first: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum JointKindPlan {
    Ball { swing: Option<([Quantity; 3], Quantity)> },
    Hinge { axis: [Quantity; 3], degrees: Option<[Quantity; 2]> },
    Rod { far: [Quantity; 3] },
    Rope { far: [Quantity; 3], length: Option<Quantity> },
}

/// Friction and restitution at the control points of a surface.
#[derive(Clone, Debug)]
pub(crate) struct SplinesPlan {
    pub columns: usize,
    pub rows: usize,
    pub spacing: f64,
    pub friction: Option<Vec<Quantity>>,
    pub restitution: Option<Vec<Quantity>>,
}

impl SplinesPlan {
    pub(crate) fn splines(&self, values: Values<'_>) -> Result<SurfaceSplines, ShapeError> {
        let spline = |all: &Option<Vec<Quantity>>| {
            let all = all.as_ref().map(|all| all.iter().map(|one| values.number(*one)).collect());
            all.map(|all| HeightField::new(self.columns, self.rows, self.spacing, all)).transpose()
        };
        Ok(SurfaceSplines { friction: spline(&self.friction)?, restitution: spline(&self.restitution)? })
    }
}

/// When a body is pushed, and by what impulse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PushPlan {
    pub at: Quantity,
    pub impulse: [Quantity; 3],
}

impl BodyPlan {
    /// Whether what it meets can move it.
    pub(crate) fn moves_freely(&self) -> bool {
        !self.fixed && self.moves.is_none()
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ZonePlan {
    pub region: RegionPlan,
    pub position: [Quantity; 3],
    pub material: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum RegionPlan {
    Sphere(Quantity),
    Box([Quantity; 3]),
}

impl ZonePlan {
    /// What the zone covers, in the frame of the body's shape.
    pub(crate) fn region(&self, values: Values<'_>) -> Region {
        let center = values.vector(&self.position);
        match &self.region {
            RegionPlan::Sphere(radius) => Region::Ball { center, radius: values.number(*radius) },
            RegionPlan::Box(edges) => {
                let half = 0.5 * values.vector(edges);
                Region::Box { min: center - half, max: center + half }
            }
        }
    }
}

/// How many of a body there are, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Copies {
    Single,
    Row { count: usize, offset: DVec3, interval: f64 },
    Grid { counts: [usize; 3], spacing: DVec3 },
}

impl Copies {
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Single => 1,
            Self::Row { count, .. } => *count,
            Self::Grid { counts, .. } => counts.iter().product(),
        }
    }

    /// How much later than the first a copy starts.
    pub(crate) fn delay(&self, copy: usize) -> f64 {
        match self {
            Self::Row { interval, .. } => copy as f64 * *interval,
            _ => 0.0,
        }
    }

    /// How far a copy is from the first.
    pub(crate) fn offset(&self, copy: usize) -> DVec3 {
        match self {
            Self::Single => DVec3::ZERO,
            Self::Row { offset, .. } => copy as f64 * *offset,
            Self::Grid { counts: [x, y, _], spacing } => {
                let place = [copy % x, copy / x % y, copy / x / y];
                DVec3::from_array(place.map(|step| step as f64)) * *spacing
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum TurnPlan {
    Fixed(DQuat),
    /// Three of its own variables, each uniform between 0 and 1.
    Uniform([Quantity; 3]),
    Axis {
        axis: [Quantity; 3],
        degrees: Quantity,
    },
    Euler([Quantity; 3]),
    Quaternion([Quantity; 4]),
}

impl TurnPlan {
    /// The orientation; `None` if an axis or a quaternion has no direction.
    pub(crate) fn orientation(&self, values: Values<'_>) -> Option<DQuat> {
        match self {
            Self::Fixed(orientation) => Some(*orientation),
            Self::Uniform(quantities) => Some(uniform_rotation(values.vector(quantities))),
            Self::Axis { axis, degrees } => {
                let axis = values.vector(axis).try_normalize()?;
                Some(turn(axis, values.number(*degrees)))
            }
            Self::Euler(angles) => {
                let [x, y, z] = angles.map(|angle| values.number(angle));
                Some((turn(DVec3::Z, z) * turn(DVec3::Y, y) * turn(DVec3::X, x)).normalize())
            }
            Self::Quaternion(parts) => {
                let quaternion = DQuat::from_array(parts.map(|part| values.number(part)));
                let length = quaternion.length();
                (length.is_finite() && length > 1e-150).then(|| quaternion / length).map(DQuat::normalize)
            }
        }
    }
}

pub(crate) fn turn(axis: DVec3, degrees: f64) -> DQuat {
    let half = 0.5 * degrees.to_radians();
    let (sine, cosine) = (libm::sin(half), libm::cos(half));
    DQuat::from_xyzw(sine * axis.x, sine * axis.y, sine * axis.z, cosine)
}

/// Three uniform numbers as a rotation (Shoemake 1992).
fn uniform_rotation(numbers: DVec3) -> DQuat {
    let (first, second) = ((1.0 - numbers.x).sqrt(), numbers.x.sqrt());
    let [a, b] = [numbers.y, numbers.z].map(|number| std::f64::consts::TAU * number);
    DQuat::from_xyzw(first * libm::sin(a), first * libm::cos(a), second * libm::sin(b), second * libm::cos(b))
}

#[derive(Clone, Debug)]
pub(crate) enum PacePlan {
    Components([Quantity; 3]),
    Polar { speed: Quantity, heading: Quantity, rise: Quantity },
}

impl PacePlan {
    pub(crate) fn velocity(&self, values: Values<'_>) -> DVec3 {
        match self {
            Self::Components(components) => values.vector(components),
            Self::Polar { speed, heading, rise } => {
                let [speed, heading, rise] = [speed, heading, rise].map(|quantity| values.number(*quantity));
                let level = libm::cos(rise);
                speed * DVec3::new(level * libm::cos(heading), libm::sin(rise), level * libm::sin(heading))
            }
        }
    }
}

/// A shape that is made once, or anew for each draw.
#[derive(Clone, Debug)]
pub(crate) enum ShapeSource {
    Certain(Shape),
    Uncertain(ShapePlan),
}

impl ShapeSource {
    /// Whether it is a ball, of whatever size.
    pub(crate) fn is_ball(&self) -> bool {
        match self {
            Self::Certain(shape) => matches!(shape.kind(), ShapeKind::Sphere { .. }),
            Self::Uncertain(plan) => matches!(plan, ShapePlan::Solid(SolidPlan::Sphere(_))),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum ShapePlan {
    Solid(SolidPlan),
    Compound(Vec<PartPlan>),
    HalfSpace([Quantity; 3]),
    /// Convex pieces of a mesh.
    Pieces {
        pieces: Vec<Hull>,
        scale: Quantity,
    },
    Triangles {
        mesh: TriangleMesh,
        scale: Quantity,
    },
    /// Triangles whose corners may be uncertain.
    Corners {
        vertices: Vec<[Quantity; 3]>,
        faces: Vec<[u32; 3]>,
    },
    Field {
        columns: usize,
        rows: usize,
        spacing: f64,
        heights: Vec<Quantity>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct PartPlan {
    pub shape: SolidPlan,
    pub position: [Quantity; 3],
    pub orientation: TurnPlan,
}

#[derive(Clone, Debug)]
pub(crate) enum SolidPlan {
    Sphere(Quantity),
    Box { edges: [Quantity; 3], rounding: Quantity },
    Capsule { radius: Quantity, height: Quantity },
    Cylinder { radius: Quantity, height: Quantity },
    Turned(Vec<[Quantity; 2]>),
    Hull(Vec<[Quantity; 3]>),
    Icosahedron(Quantity),
}

impl ShapeSource {
    pub(crate) fn shape(&self, values: Values<'_>) -> Result<Shape, ShapeError> {
        match self {
            Self::Certain(shape) => Ok(shape.clone()),
            Self::Uncertain(plan) => plan.shape(values),
        }
    }
}

impl ShapePlan {
    pub(crate) fn shape(&self, values: Values<'_>) -> Result<Shape, ShapeError> {
        match self {
            Self::Solid(solid) => solid.shape(values),
            Self::Compound(parts) => {
                let parts: Result<Vec<_>, ShapeError> = parts.iter().map(|part| part.part(values)).collect();
                Shape::compound(parts?)
            }
            Self::HalfSpace(normal) => Shape::half_space(values.vector(normal)),
            Self::Pieces { pieces, scale } => {
                let scale = values.number(*scale);
                let mut hulls = Vec::with_capacity(pieces.len());
                for piece in pieces {
                    hulls.push(Shape::hull(scaled(piece, scale)?));
                }
                if hulls.len() == 1 {
                    return Ok(hulls.remove(0));
                }
                Shape::compound(hulls.into_iter().map(|shape| CompoundPart { pose: Pose::IDENTITY, shape }).collect())
            }
            Self::Triangles { mesh, scale } => mesh.scaled(values.number(*scale)).map(Shape::mesh),
            Self::Corners { vertices, faces } => {
                let vertices = vertices.iter().map(|vertex| values.vector(vertex)).collect();
                TriangleMesh::new(vertices, faces).map(Shape::mesh)
            }
            Self::Field { columns, rows, spacing, heights } => {
                let heights = heights.iter().map(|height| values.number(*height)).collect();
                HeightField::new(*columns, *rows, *spacing, heights).map(Shape::height_field)
            }
        }
    }
}

fn scaled(hull: &Hull, scale: f64) -> Result<Hull, ShapeError> {
    if scale == 1.0 {
        return Ok(hull.clone());
    }
    let points: Vec<DVec3> = hull.vertices().iter().map(|vertex| scale * *vertex).collect();
    Hull::new(&points)
}

impl PartPlan {
    fn part(&self, values: Values<'_>) -> Result<CompoundPart, ShapeError> {
        let orientation = self.orientation.orientation(values);
        let rotation = orientation.ok_or(ShapeError::NotADirection { what: "the orientation of a part" })?;
        let pose = Pose::new(values.vector(&self.position), rotation);
        Ok(CompoundPart { pose, shape: self.shape.shape(values)? })
    }
}

impl SolidPlan {
    fn shape(&self, values: Values<'_>) -> Result<Shape, ShapeError> {
        match self {
            Self::Sphere(radius) => Shape::sphere(values.number(*radius)),
            Self::Box { edges, rounding } => Shape::cuboid(0.5 * values.vector(edges), values.number(*rounding)),
            Self::Capsule { radius, height } => Shape::capsule(0.5 * values.number(*height), values.number(*radius)),
            Self::Cylinder { radius, height } => Shape::cylinder(0.5 * values.number(*height), values.number(*radius)),
            Self::Turned(rings) => {
                let ring = |ring: &[Quantity; 2]| {
                    let [height, radius] = ring.map(|quantity| values.number(quantity));
                    Ring { height, radius }
                };
                Shape::turned(&rings.iter().map(ring).collect::<Vec<_>>())
            }
            Self::Hull(points) => {
                let points: Vec<DVec3> = points.iter().map(|point| values.vector(point)).collect();
                Hull::new(&points).map(Shape::hull)
            }
            Self::Icosahedron(radius) => Hull::icosahedron(values.number(*radius)).map(Shape::hull),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Values<'static> = Values { all: &[], first: 0 };

    fn fixed<const N: usize>(values: [f64; N]) -> [Quantity; N] {
        values.map(Quantity::Fixed)
    }

    #[test]
    fn headings_go_from_x_towards_z() {
        let polar = |heading: f64, rise: f64| {
            let [speed, heading, rise] = fixed([2.0, heading, rise]);
            PacePlan::Polar { speed, heading, rise }.velocity(NOTHING)
        };
        let quarter = std::f64::consts::FRAC_PI_2;
        assert!(polar(0.0, 0.0).abs_diff_eq(2.0 * DVec3::X, 1e-12));
        assert!(polar(quarter, 0.0).abs_diff_eq(2.0 * DVec3::Z, 1e-12));
        assert!(polar(0.3, quarter).abs_diff_eq(2.0 * DVec3::Y, 1e-12));
    }

    #[test]
    fn orientations_agree_with_each_other() {
        let about_y = TurnPlan::Axis { axis: fixed([0.0, 7.0, 0.0]), degrees: Quantity::Fixed(90.0) };
        let by_angles = TurnPlan::Euler(fixed([0.0, 90.0, 0.0]));
        let by_parts = TurnPlan::Quaternion(fixed([0.0, 3.0, 0.0, 3.0]));
        for turn in [about_y, by_angles, by_parts] {
            let turned = turn.orientation(NOTHING).unwrap() * DVec3::X;
            assert!(turned.abs_diff_eq(-DVec3::Z, 1e-12), "{turned}");
        }
        // About x first, then about the fixed z.
        let both = TurnPlan::Euler(fixed([90.0, 0.0, 90.0])).orientation(NOTHING).unwrap();
        assert!((both * DVec3::Y).abs_diff_eq(DVec3::Z, 1e-12));
        assert!((both * DVec3::X).abs_diff_eq(DVec3::Y, 1e-12));
        assert!(TurnPlan::Quaternion(fixed([0.0; 4])).orientation(NOTHING).is_none());
        assert!(TurnPlan::Axis { axis: fixed([0.0; 3]), degrees: Quantity::Fixed(1.0) }.orientation(NOTHING).is_none());
    }

    #[test]
    fn copies_of_a_grid_run_along_x_first() {
        let grid = Copies::Grid { counts: [2, 3, 2], spacing: DVec3::new(1.0, 10.0, 100.0) };
        assert_eq!(grid.count(), 12);
        assert_eq!(grid.offset(1), DVec3::X);
        assert_eq!(grid.offset(2), 10.0 * DVec3::Y);
        assert_eq!(grid.offset(11), DVec3::new(1.0, 20.0, 100.0));
    }
}
