//! Shapes and orientations.

use proscenium_geometry::{Decomposition, Hull, ShapeError, ShapeKind, TriangleMesh};
use proscenium_work::Remedy as _;

use crate::file::{
    At, MeshFile, MeshUse, Number, OrientationFile, ShapeFile, SolidFile, SplineFieldFile, TrianglesFile,
};
use crate::plan::{PartPlan, Quantity, ShapePlan, ShapeSource, SolidPlan, SplinesPlan, TurnPlan, Values};
use crate::report::Path;

use super::quantity::{LocalDensities, Range, Rule};
use super::{Checker, FRICTION, RESTITUTION};

/// More control points than this are a mistake.
const MOST_POINTS: usize = 1_000_000;
/// A finer mesh takes too long to cut into pieces.
const MOST_CUT_TRIANGLES: usize = 200_000;

const fn size(what: &'static str) -> Rule {
    Rule { what, range: Range::Positive, help: "lengths are in metres: a die is 0.016, a football 0.11" }
}

const ROUNDING: Rule =
    Rule { what: "the rounding of a box", range: Range::NotNegative, help: "lengths are in metres; 0 is a sharp edge" };
const SCALE: Rule =
    Rule { what: "the scale of a mesh", range: Range::Positive, help: "0.01 if the file is in centimetres" };

type Made = (ShapeSource, Option<(TriangleMesh, Quantity)>);

impl Checker<'_, '_> {
    /// A shape, made at once if it is certain, and what is drawn in its place.
    pub(super) fn shape(
        &mut self,
        own: &mut LocalDensities,
        shape: &At<ShapeFile>,
        path: &Path<'_>,
        fixed: bool,
    ) -> Option<Made> {
        let uncertain_before = self.uncertain;
        let (plan, picture) = self.shape_plan(own, shape, path)?;
        let cannot_move = match &shape.value {
            ShapeFile::HalfSpace { .. } => Some("a half-space"),
            ShapeFile::SplineField { .. } => Some("a spline field"),
            ShapeFile::Triangles { .. } => Some("a shape of triangles"),
            ShapeFile::Mesh(mesh) if mesh.usage.value == MeshUse::Triangles => Some("a mesh used as triangles"),
            _ => None,
        };
        if let Some(what) = cannot_move.filter(|_| !fixed) {
            let help = "add fixed = true; what moves is made of convex solids";
            self.error(&shape.span, path, format!("{what} cannot move"), help);
            return None;
        }
        if self.uncertain != uncertain_before {
            return Some((ShapeSource::Uncertain(plan), picture));
        }
        match plan.shape(Values { all: &[], first: 0 }) {
            Ok(made) => Some((ShapeSource::Certain(made), picture)),
            Err(error) => {
                self.shape_error(&shape.span, path, &error);
                None
            }
        }
    }

    fn shape_error(&mut self, span: &std::ops::Range<usize>, path: &Path<'_>, error: &ShapeError) {
        let help = error.remedy().unwrap_or("change the numbers of this shape".into());
        self.error(span, path, error.to_string(), &help);
    }

    fn shape_plan(
        &mut self,
        own: &mut LocalDensities,
        shape: &At<ShapeFile>,
        path: &Path<'_>,
    ) -> Option<(ShapePlan, Option<(TriangleMesh, Quantity)>)> {
        let plan = match &shape.value {
            ShapeFile::Solid(solid) => ShapePlan::Solid(self.solid(own, solid, path, "shape")?),
            ShapeFile::Compound { compound } => {
                let section = &path.key("compound");
                let mut parts = Vec::with_capacity(compound.len());
                for (index, part) in compound.iter().enumerate() {
                    let path = &section.index(index);
                    let name = format!("shape.compound.{}", index + 1);
                    let shape = self.solid(own, &part.shape.value, &path.key("shape"), &name);
                    let position = match &part.position {
                        Some(position) => {
                            self.vector(own, position, &path.key("position"), &format!("{name}.position"))
                        }
                        None => Some([Quantity::Fixed(0.0); 3]),
                    };
                    let orientation = match &part.orientation {
                        Some(turn) => {
                            self.orientation(own, turn, &path.key("orientation"), &format!("{name}.orientation"))
                        }
                        None => Some(TurnPlan::Fixed(glam::DQuat::IDENTITY)),
                    };
                    parts.push(PartPlan { shape: shape?, position: position?, orientation: orientation? });
                }
                ShapePlan::Compound(parts)
            }
            ShapeFile::HalfSpace { half_space } => {
                ShapePlan::HalfSpace(self.vector(own, half_space, &path.key("half_space"), "shape.half_space")?)
            }
            ShapeFile::Mesh(mesh) => return self.mesh(own, mesh, path),
            ShapeFile::Triangles { triangles } => self.triangles(own, triangles, &path.key("triangles"))?,
            ShapeFile::SplineField { spline_field } => self.field(own, spline_field, &path.key("spline_field"))?,
        };
        Some((plan, None))
    }

    fn solid(&mut self, own: &mut LocalDensities, solid: &SolidFile, path: &Path<'_>, name: &str) -> Option<SolidPlan> {
        let round = |checker: &mut Self,
                     own: &mut LocalDensities,
                     round: &crate::file::RoundFile,
                     kind: &str,
                     rules: [&Rule; 2]| {
            let path = &path.key(kind);
            let mut number = |number: &Number, key: &str, rule: &Rule| {
                checker.quantity(own, number, &path.key(key), &format!("{name}.{kind}.{key}"), rule)
            };
            let radius = number(&round.radius, "radius", rules[0]);
            let height = number(&round.height, "height", rules[1]);
            Some((radius?, height?))
        };
        Some(match solid {
            SolidFile::Sphere { sphere } => {
                let rule = &size("the radius of a sphere");
                SolidPlan::Sphere(self.quantity(own, sphere, &path.key("sphere"), &format!("{name}.sphere"), rule)?)
            }
            SolidFile::Icosahedron { icosahedron } => {
                let rule = &size("the radius of an icosahedron");
                let name = format!("{name}.icosahedron");
                SolidPlan::Icosahedron(self.quantity(own, icosahedron, &path.key("icosahedron"), &name, rule)?)
            }
            SolidFile::Box { edges, rounding } => {
                let rule = &size("an edge of a box");
                let places = ["x", "y", "z"];
                let edges = self.row(own, &edges.value, &path.key("box"), &format!("{name}.box"), places, rule);
                let rounding = match rounding {
                    Some(rounding) => {
                        self.quantity(own, rounding, &path.key("rounding"), &format!("{name}.rounding"), &ROUNDING)
                    }
                    None => Some(Quantity::Fixed(0.0)),
                };
                SolidPlan::Box { edges: edges?, rounding: rounding? }
            }
            SolidFile::Capsule { capsule } => {
                let rules = [&size("the radius of a capsule"), &size("the height of a capsule")];
                let (radius, height) = round(self, own, capsule, "capsule", rules)?;
                SolidPlan::Capsule { radius, height }
            }
            SolidFile::Cylinder { cylinder } => {
                let rules = [&size("the radius of a cylinder"), &size("the height of a cylinder")];
                let (radius, height) = round(self, own, cylinder, "cylinder", rules)?;
                SolidPlan::Cylinder { radius, height }
            }
            SolidFile::Turned { turned } => {
                let section = &path.key("turned");
                let mut rings = Vec::with_capacity(turned.value.len());
                for (index, ring) in turned.value.iter().enumerate() {
                    let (path, name) = (&section.index(index), format!("{name}.turned.{}", index + 1));
                    rings.push(self.row(own, &ring.value, path, &name, ["height", "radius"], &Rule::ANY)?);
                }
                SolidPlan::Turned(rings)
            }
            SolidFile::Hull { hull } => {
                let section = &path.key("hull");
                let mut points = Vec::with_capacity(hull.value.len());
                for (index, point) in hull.value.iter().enumerate() {
                    let name = format!("{name}.hull.{}", index + 1);
                    points.push(self.vector(own, point, &section.index(index), &name)?);
                }
                SolidPlan::Hull(points)
            }
        })
    }

    fn mesh(
        &mut self,
        own: &mut LocalDensities,
        file: &MeshFile,
        path: &Path<'_>,
    ) -> Option<(ShapePlan, Option<(TriangleMesh, Quantity)>)> {
        let scale = match &file.scale {
            Some(scale) => self.quantity(own, scale, &path.key("scale"), "shape.scale", &SCALE),
            None => Some(Quantity::Fixed(1.0)),
        };
        let here = &path.key("mesh");
        let mesh = match self.meshes.load(&self.files, &file.path.value) {
            Ok(mesh) => mesh,
            Err(problem) => {
                self.error(&file.path.span, here, problem.message, &problem.help);
                return None;
            }
        };
        let pieces = match file.usage.value {
            MeshUse::Triangles => return Some((ShapePlan::Triangles { mesh, scale: scale? }, None)),
            MeshUse::Hull => mesh.hull().map(|hull| vec![hull]),
            MeshUse::Decomposition if mesh.triangles().len() > MOST_CUT_TRIANGLES => {
                let message = format!("`{}` is too fine to be cut into pieces", file.path.value);
                let help = format!("simplify it to at most {MOST_CUT_TRIANGLES} triangles, or use its hull");
                self.error(&file.path.span, here, message, &help);
                return None;
            }
            MeshUse::Decomposition => mesh.decompose(&Decomposition::default()),
        };
        let pieces: Vec<Hull> = match pieces {
            Ok(pieces) => pieces,
            Err(error) => {
                self.shape_error(&file.path.span, here, &error);
                return None;
            }
        };
        let scale = scale?;
        Some((ShapePlan::Pieces { pieces, scale }, Some((mesh, scale))))
    }

    fn triangles(&mut self, own: &mut LocalDensities, mesh: &TrianglesFile, path: &Path<'_>) -> Option<ShapePlan> {
        let count = mesh.vertices.len();
        let beyond = mesh.faces.value.iter().flatten().find(|corner| **corner as usize > count);
        if let Some(corner) = beyond {
            let message = format!("a face names corner {corner}, but there are {count}");
            self.error(&mesh.faces.span, &path.key("faces"), message, "corners are counted from 1");
            return None;
        }
        let section = &path.key("vertices");
        let mut vertices = Vec::with_capacity(count);
        for (index, vertex) in mesh.vertices.iter().enumerate() {
            let name = format!("shape.vertices.{}", index + 1);
            vertices.push(self.vector(own, vertex, &section.index(index), &name)?);
        }
        let faces = mesh.faces.value.iter().map(|face| face.map(|corner| corner - 1)).collect();
        Some(ShapePlan::Corners { vertices, faces })
    }

    fn field(&mut self, own: &mut LocalDensities, field: &SplineFieldFile, path: &Path<'_>) -> Option<ShapePlan> {
        let spacing = field.spacing.value;
        let [along_x, along_z] = field.size.value;
        if !(spacing > 0.0 && along_x > 0.0 && along_z > 0.0) {
            let message = "the size and the spacing of a spline field must be positive";
            self.error(&field.size.span, path, message, "lengths are in metres");
            return None;
        }
        // The surface spans the grid but for its outermost cells.
        let [columns, rows] = [along_x, along_z].map(|length| (length / spacing - 1e-9).ceil().max(1.0) + 3.0);
        if columns * rows > MOST_POINTS as f64 {
            let message = format!("this spline field has {columns} × {rows} control points");
            self.error(&field.spacing.span, &path.key("spacing"), message, "use a larger spacing");
            return None;
        }
        let (columns, rows) = (columns as usize, rows as usize);
        let mut heights = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                let name = format!("shape.height.{}.{}", column + 1, row + 1);
                heights.push(self.quantity(own, &field.height, &path.key("height"), &name, &Rule::ANY)?);
            }
        }
        Some(ShapePlan::Field { columns, rows, spacing, heights })
    }

    /// Friction and restitution at the control points of a surface that is right.
    pub(super) fn splines(
        &mut self,
        own: &mut LocalDensities,
        shape: &At<ShapeFile>,
        plan: &ShapeSource,
        path: &Path<'_>,
    ) -> Option<Option<SplinesPlan>> {
        let ShapeFile::SplineField { spline_field: field } = &shape.value else {
            return Some(None);
        };
        if field.friction.is_none() && field.restitution.is_none() {
            return Some(None);
        }
        let (columns, rows) = match plan {
            ShapeSource::Uncertain(ShapePlan::Field { columns, rows, .. }) => (*columns, *rows),
            ShapeSource::Certain(shape) => match shape.kind() {
                ShapeKind::HeightField(field) => field.grid(),
                _ => return Some(None),
            },
            ShapeSource::Uncertain(_) => return Some(None),
        };
        let mut all = |value: &Option<Number>, key: &str, rule: &Rule| {
            let Some(value) = value else {
                return Some(None);
            };
            let here = path.key("spline_field");
            let mut points = Vec::with_capacity(columns * rows);
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                let name = format!("shape.{key}.{}.{}", column + 1, row + 1);
                points.push(self.quantity(own, value, &here.key(key), &name, rule)?);
            }
            Some(Some(points))
        };
        let friction = all(&field.friction, "friction", &FRICTION);
        let restitution = all(&field.restitution, "restitution", &RESTITUTION);
        let spacing = field.spacing.value;
        Some(Some(SplinesPlan { columns, rows, spacing, friction: friction?, restitution: restitution? }))
    }

    pub(super) fn orientation(
        &mut self,
        own: &mut LocalDensities,
        orientation: &At<OrientationFile>,
        path: &Path<'_>,
        name: &str,
    ) -> Option<TurnPlan> {
        let uncertain_before = self.uncertain;
        let plan = match &orientation.value {
            OrientationFile::Uniform(_) => {
                let uniform = crate::file::DensityFile::Uniform([0.0, 1.0]);
                let number: Number = At::new(crate::file::NumberFile::Density(uniform), orientation.span.clone());
                let numbers = [number.clone(), number.clone(), number];
                TurnPlan::Uniform(self.row(own, &numbers, path, name, ["u1", "u2", "u3"], &Rule::ANY)?)
            }
            OrientationFile::Axis { axis, degrees } => {
                let axis = self.vector(own, axis, &path.key("axis"), &format!("{name}.axis"));
                let name = format!("{name}.degrees");
                let degrees = self.quantity(own, degrees, &path.key("degrees"), &name, &Rule::ANY);
                TurnPlan::Axis { axis: axis?, degrees: degrees? }
            }
            OrientationFile::Euler { euler_degrees } => {
                let name = format!("{name}.euler_degrees");
                TurnPlan::Euler(self.vector(own, euler_degrees, &path.key("euler_degrees"), &name)?)
            }
            OrientationFile::Quaternion(row) => {
                TurnPlan::Quaternion(self.row(own, row, path, name, ["x", "y", "z", "w"], &Rule::ANY)?)
            }
        };
        if self.uncertain != uncertain_before {
            return Some(plan);
        }
        let made = plan.orientation(Values { all: &[], first: 0 });
        if made.is_none() {
            let message = "an axis or a quaternion must have a length";
            self.error(&orientation.span, path, message, "write, for example, { axis = [0, 1, 0], degrees = 30 }");
        }
        made.map(TurnPlan::Fixed)
    }
}
