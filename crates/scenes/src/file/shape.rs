//! Reading shapes and how they are turned.

use toml::de::DeValue;

use crate::report::Path;

use super::table::{Fields, Reader, Value};
use super::{
    At, MeshFile, MeshUse, OrientationFile, PartFile, RegionFile, RoundFile, ShapeFile, SolidFile, SplineFieldFile,
    TrianglesFile, UniformWord,
};

/// What can be part of a compound.
const SOLIDS: &[&str] = &["sphere", "box", "capsule", "cylinder", "turned", "hull", "icosahedron"];
/// What a zone of a surface can cover.
const REGIONS: &[&str] = &["sphere", "box"];
/// Every kind of shape.
const SHAPES: &[&str] = &[
    "sphere",
    "box",
    "capsule",
    "cylinder",
    "turned",
    "hull",
    "icosahedron",
    "compound",
    "half_space",
    "mesh",
    "triangles",
    "spline_field",
];

impl Reader<'_, '_> {
    pub(super) fn shape(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<ShapeFile>> {
        let (fields, kind, inner) = self.shape_kind(value, path, SHAPES)?;
        let here = &path.key(kind);
        let shape = match kind {
            "compound" => ShapeFile::Compound { compound: self.compound(inner, here)? },
            "half_space" => ShapeFile::HalfSpace { half_space: self.vector(inner, here)? },
            "mesh" => ShapeFile::Mesh(self.mesh(fields, inner, path)?),
            "triangles" => ShapeFile::Triangles { triangles: self.triangles(inner, here)? },
            "spline_field" => ShapeFile::SplineField { spline_field: self.spline_field(inner, here)? },
            _ => ShapeFile::Solid(self.solid_of_kind(fields, kind, inner, path)?),
        };
        Some(At::new(shape, value.span()))
    }

    fn solid(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<SolidFile>> {
        let (fields, kind, inner) = self.shape_kind(value, path, SOLIDS)?;
        Some(At::new(self.solid_of_kind(fields, kind, inner, path)?, value.span()))
    }

    /// What a zone covers: a solid of the two kinds that it can be.
    pub(super) fn region(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<RegionFile>> {
        let (fields, kind, inner) = self.shape_kind(value, path, REGIONS)?;
        let region = match self.solid_of_kind(fields, kind, inner, path)? {
            SolidFile::Sphere { sphere } => RegionFile::Sphere { sphere },
            SolidFile::Box { edges, rounding: None } => RegionFile::Box { edges },
            _ => {
                self.error(value.span(), path, "a zone has no rounding", "drop the rounding");
                return None;
            }
        };
        Some(At::new(region, value.span()))
    }

    /// The one key of a shape that says what it is.
    fn shape_kind<'t, 'i>(
        &mut self,
        value: &'t Value<'i>,
        path: &Path<'_>,
        kinds: &[&str],
    ) -> Option<(Fields<'t, 'i>, &'t str, &'t Value<'i>)> {
        let DeValue::Table(_) = value.get_ref() else {
            return self.expected("a shape", value, path, "write, for example, shape = { sphere = 0.1 }");
        };
        let fields = self.any_table(value, path)?;
        let entries = fields.in_order();
        let mut found = entries.iter().filter(|(key, _)| kinds.contains(&key.get_ref().as_ref()));
        match (found.next(), found.next()) {
            (Some((key, inner)), None) => {
                let kind = key.get_ref().as_ref();
                let known: &[&str] = match kind {
                    "box" => &["box", "rounding"],
                    "mesh" => &["mesh", "use", "scale"],
                    _ => &[kind],
                };
                self.check_keys(fields, path, known);
                Some((fields, kind, inner))
            }
            (Some((first, _)), Some((second, _))) => {
                let (first, second) = (first.get_ref(), second.get_ref());
                let message = format!("a shape is one thing, but this is a `{first}` and a `{second}`");
                self.error(value.span(), path, message, "join several solids with compound = [ … ]");
                None
            }
            (None, _) if SHAPES.iter().any(|kind| fields.has(kind)) => {
                let (be, article) = if kinds == REGIONS { ("a zone", "") } else { ("part of a compound", "a ") };
                let help = format!("{article}{be} is one of: {}", kinds.join(", "));
                self.error(value.span(), path, format!("this shape cannot be {be}"), &help);
                None
            }
            (None, _) if entries.is_empty() => {
                let help = format!("a shape is one of: {}", kinds.join(", "));
                self.error(value.span(), path, "the shape is empty", &help);
                None
            }
            (None, _) => {
                self.check_keys(fields, path, kinds);
                None
            }
        }
    }

    fn solid_of_kind(
        &mut self,
        fields: Fields<'_, '_>,
        kind: &str,
        inner: &Value<'_>,
        path: &Path<'_>,
    ) -> Option<SolidFile> {
        let here = &path.key(kind);
        Some(match kind {
            "sphere" => SolidFile::Sphere { sphere: self.number(inner, here)? },
            "icosahedron" => SolidFile::Icosahedron { icosahedron: self.number(inner, here)? },
            "capsule" => SolidFile::Capsule { capsule: self.round(inner, here)? },
            "cylinder" => SolidFile::Cylinder { cylinder: self.round(inner, here)? },
            "turned" => SolidFile::Turned { turned: self.profile(inner, here)? },
            "hull" => SolidFile::Hull { hull: self.hull(inner, here)? },
            _ => {
                let edges = self.row(inner, here, "three edge lengths in brackets", Self::number);
                let rounding = self.optional(fields, "rounding", path, Self::number);
                SolidFile::Box { edges: edges?, rounding }
            }
        })
    }

    fn round(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<RoundFile> {
        let fields = self.table(value, path, &["radius", "height"])?;
        let help = "write { radius = 0.02, height = 0.1 }";
        let radius = self.required(fields, "radius", value, path, help);
        let height = self.required(fields, "height", value, path, help);
        let radius = self.number(radius?, &path.key("radius"));
        let height = self.number(height?, &path.key("height"));
        Some(RoundFile { radius: radius?, height: height? })
    }

    fn profile(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<Vec<At<[super::Number; 2]>>>> {
        let rings = self.array(value, path)?;
        let what = "the height and the radius of a ring in brackets";
        let ring = |(index, ring)| self.row(ring, &path.index(index), what, Self::number);
        let rings: Option<Vec<_>> = rings.iter().enumerate().map(ring).collect();
        Some(At::new(rings?, value.span()))
    }

    fn hull(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<Vec<super::Vector>>> {
        let points = self.array(value, path)?;
        let points: Option<Vec<_>> =
            points.iter().enumerate().map(|(index, point)| self.vector(point, &path.index(index))).collect();
        Some(At::new(points?, value.span()))
    }

    fn compound(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<Vec<PartFile>> {
        let items = self.array(value, path)?;
        let mut parts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let path = &path.index(index);
            let Some(fields) = self.table(item, path, &["shape", "position", "orientation"]) else {
                continue;
            };
            let help = "a part is written as { shape = { sphere = 0.1 }, position = [0, 0, 0] }";
            let shape = self.required(fields, "shape", item, path, help);
            let shape = shape.and_then(|shape| self.solid(shape, &path.key("shape")));
            let position = self.optional(fields, "position", path, Self::vector);
            let orientation = self.optional(fields, "orientation", path, Self::orientation);
            parts.extend(shape.map(|shape| PartFile { shape, position, orientation }));
        }
        Some(parts)
    }

    fn mesh(&mut self, fields: Fields<'_, '_>, file: &Value<'_>, path: &Path<'_>) -> Option<MeshFile> {
        let file = self.text(file, &path.key("mesh"));
        let scale = self.optional(fields, "scale", path, Self::number);
        let usage = match fields.get("use") {
            Some(usage) => self.mesh_use(usage, &path.key("use"))?,
            None => MeshUse::default().into(),
        };
        Some(MeshFile { path: file?, usage, scale })
    }

    fn mesh_use(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<MeshUse>> {
        let word = self.text(value, path)?;
        let usage = match word.value.as_str() {
            "hull" => MeshUse::Hull,
            "decomposition" => MeshUse::Decomposition,
            "triangles" => MeshUse::Triangles,
            _ => return self.expected("\"hull\", \"decomposition\" or \"triangles\"", value, path, ""),
        };
        Some(At::new(usage, word.span))
    }

    fn triangles(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<TrianglesFile> {
        let fields = self.table(value, path, &["vertices", "faces"])?;
        let help = "write { vertices = [[0, 0, 0], [1, 0, 0], [0, 0, 1]], faces = [[1, 3, 2]] }";
        let vertices = self.required(fields, "vertices", value, path, help);
        let faces = self.required(fields, "faces", value, path, help);
        let vertices = self.hull(vertices?, &path.key("vertices"));
        let (faces, section) = (faces?, &path.key("faces"));
        let rows = self.array(faces, section)?;
        let mut triangles = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let path = &section.index(index);
            let corners = self.row(row, path, "three numbers of corners in brackets", Self::finite)?;
            let whole = |corner: f64| libm::trunc(corner) == corner && (1.0..=f64::from(u32::MAX)).contains(&corner);
            if !corners.value.iter().all(|corner| whole(*corner)) {
                return self.expected("whole numbers of corners, counted from 1", row, path, help);
            }
            triangles.push(corners.value.map(|corner| corner as u32));
        }
        Some(TrianglesFile { vertices: vertices?.value, faces: At::new(triangles, faces.span()) })
    }

    fn spline_field(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<SplineFieldFile> {
        let fields = self.table(value, path, &["size", "spacing", "height", "friction", "restitution"])?;
        let help = "write { size = [1.0, 0.6], spacing = 0.02, height = { normal = [0.0, 0.0003] } }";
        let size = self.required(fields, "size", value, path, help);
        let spacing = self.required(fields, "spacing", value, path, help);
        let height = self.required(fields, "height", value, path, help);
        let size = self.row(size?, &path.key("size"), "two lengths in brackets, along x and z", Self::finite);
        let spacing_value = spacing?;
        let spacing = self.finite(spacing_value, &path.key("spacing"));
        let height = self.number(height?, &path.key("height"));
        let friction = self.optional(fields, "friction", path, Self::number);
        let restitution = self.optional(fields, "restitution", path, Self::number);
        let spacing = At::new(spacing?, spacing_value.span());
        Some(SplineFieldFile { size: size?, spacing, height: height?, friction, restitution })
    }

    pub(super) fn orientation(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<OrientationFile>> {
        const HELP: &str = "write \"uniform\", { axis = [0, 1, 0], degrees = 30 }, { euler_degrees = [0, 30, 0] } \
                            or a quaternion [x, y, z, w]";
        let orientation = match value.get_ref() {
            DeValue::String(word) if word == "uniform" => OrientationFile::Uniform(UniformWord::Uniform),
            DeValue::Array(_) => {
                let row = self.row(value, path, "a quaternion [x, y, z, w]", Self::number)?;
                OrientationFile::Quaternion(row.value)
            }
            DeValue::Table(_) => {
                let fields = self.table(value, path, &["axis", "degrees", "euler_degrees"])?;
                match (fields.get("axis"), fields.get("degrees"), fields.get("euler_degrees")) {
                    (Some(axis), Some(degrees), None) => {
                        let axis = self.vector(axis, &path.key("axis"));
                        let degrees = self.number(degrees, &path.key("degrees"));
                        OrientationFile::Axis { axis: axis?, degrees: degrees? }
                    }
                    (None, None, Some(angles)) => {
                        let euler_degrees = self.vector(angles, &path.key("euler_degrees"))?;
                        OrientationFile::Euler { euler_degrees }
                    }
                    _ => return self.expected("one of the forms of an orientation", value, path, HELP),
                }
            }
            _ => return self.expected("an orientation", value, path, HELP),
        };
        Some(At::new(orientation, value.span()))
    }
}
