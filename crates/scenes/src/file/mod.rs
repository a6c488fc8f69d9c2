//! The scene file as plain data: what it may say, before anyone asks whether
//! it makes sense.
//!
//! It is read by hand from the parsed TOML: deriving the reader would stop at
//! the first error and not know what to suggest.

mod density;
mod joint;
mod read;
mod schema;
mod shape;
mod table;
pub(crate) mod want;
mod write;

use std::collections::BTreeMap;
use std::ops::Range;

use schemars::JsonSchema;

pub(crate) use joint::{JointFile, JointWord};
pub(crate) use read::read;
pub(crate) use schema::schema;
pub(crate) use want::{
    BodiesFile, CameraFile, FaceFile, FaceUpFile, HitsFile, InsideFile, NearFile, OnScreenFile, PassesFile, PlaceFile,
    SpeedFile, UnmovedFile, WantFile,
};
pub(crate) use write::{key, quoted, write};

/// A value, and the bytes of the text that it was read from (none for scenes
/// that were not read from a text). Equality is that of the values.
#[derive(Clone, Debug, Default)]
pub(crate) struct At<T> {
    pub value: T,
    pub span: Range<usize>,
}

impl<T> At<T> {
    pub(crate) fn new(value: T, span: Range<usize>) -> Self {
        Self { value, span }
    }
}

impl<T> From<T> for At<T> {
    fn from(value: T) -> Self {
        Self { value, span: 0..0 }
    }
}

impl<T: PartialEq> PartialEq for At<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// A number: itself, the name of a variable or arithmetic, or a density in place.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Number")]
pub(crate) enum NumberFile {
    /// The number itself.
    Value(f64),
    /// The name of one of the `[variables]`, or arithmetic with them.
    Variable(String),
    /// A density that the number is drawn from.
    Density(DensityFile),
}

/// A number with its place.
pub(crate) type Number = At<NumberFile>;

/// Three numbers.
pub(crate) type Vector = At<[Number; 3]>;

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        NumberFile::Value(value).into()
    }
}

/// Three certain numbers.
pub(crate) fn vector(x: f64, y: f64, z: f64) -> Vector {
    [Number::from(x), Number::from(y), Number::from(z)].into()
}

/// The distribution of an uncertain number.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(rename = "Density", rename_all = "snake_case")]
pub(crate) enum DensityFile {
    /// One value, for certain.
    Constant(f64),
    /// Mean and standard deviation.
    Normal([f64; 2]),
    /// Lower and upper end.
    Uniform([f64; 2]),
    /// A normal density restricted to an interval.
    TruncatedNormal(TruncatedNormalFile),
    /// The mean.
    Exponential(f64),
    /// Mean and standard deviation of the natural logarithm.
    LogNormal([f64; 2]),
    /// One of some values.
    Discrete(DiscreteFile),
    /// One of several densities: pairs of weight and density (or number).
    Mixture(Vec<(f64, ComponentFile)>),
}

/// A normal density restricted to an interval.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "TruncatedNormal")]
pub(crate) enum TruncatedNormalFile {
    /// Mean, standard deviation, lower and upper end.
    Row([f64; 4]),
    /// The same by name; an end that is left out is at infinity.
    Named {
        /// The mean before truncation.
        mean: f64,
        /// The standard deviation before truncation.
        standard_deviation: f64,
        /// The lower end.
        low: Option<f64>,
        /// The upper end.
        high: Option<f64>,
    },
}

/// One of some values.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Discrete")]
pub(crate) struct DiscreteFile {
    /// The values.
    pub values: Vec<f64>,
    /// How likely each is, relative to the others; equally if left out.
    pub weights: Option<Vec<f64>>,
}

/// A part of a mixture.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Component")]
pub(crate) enum ComponentFile {
    /// One value, for certain.
    Value(f64),
    /// A density.
    Density(DensityFile),
}

/// A scene of Proscenium: bodies, what they are made of, and what of it is
/// uncertain. Metres, kilograms, seconds, radians; y points up.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Scene")]
pub(crate) struct SceneFile {
    /// The version of the format: 1.
    pub format: Format,
    /// What the scene is called; the name of the file if left out.
    pub name: Option<At<String>>,
    /// How long it is simulated, seconds; 5 if left out.
    pub duration: Option<At<f64>>,
    /// The acceleration of everything that can move, m/s²; [0, -9.81, 0] if
    /// left out.
    pub gravity: Option<Vector>,
    /// The gap that counts as contact, metres; a millionth of the smallest
    /// moving body if left out.
    pub tolerance: Option<At<f64>>,
    /// What is uncertain, by name.
    #[schemars(with = "Option<BTreeMap<String, ComponentFile>>")]
    pub variables: Vec<(At<String>, At<ComponentFile>)>,
    /// What bodies are made of, by name.
    #[schemars(with = "Option<BTreeMap<String, MaterialFile>>")]
    pub materials: Vec<(At<String>, MaterialFile)>,
    /// How two materials meet, where the geometric means are not right.
    #[schemars(rename = "pair", with = "Option<Vec<PairFile>>")]
    pub pairs: Vec<PairFile>,
    /// What is other about single collisions of two bodies.
    #[schemars(rename = "collision", with = "Option<Vec<CollisionFile>>")]
    pub collisions: Vec<CollisionFile>,
    /// The bodies.
    #[schemars(rename = "body", with = "Option<Vec<BodyFile>>")]
    pub bodies: Vec<BodyFile>,
    /// What holds bodies together.
    #[schemars(rename = "joint", with = "Option<Vec<JointFile>>")]
    pub joints: Vec<JointFile>,
    /// Bodies that wants can name together.
    #[schemars(with = "Option<BTreeMap<String, Vec<String>>>")]
    pub groups: Vec<(At<String>, At<Vec<String>>)>,
    /// Places to look from, for wants about what is seen.
    #[schemars(rename = "camera", with = "Option<Vec<CameraFile>>")]
    pub cameras: Vec<CameraFile>,
    /// What should happen, for those who direct the scene.
    #[schemars(rename = "want", with = "Option<Vec<WantFile>>")]
    pub wants: Vec<WantFile>,
}

impl SceneFile {
    /// What is left of it when nobody looks: all that its motion follows from.
    pub(crate) fn without_looks(&self) -> Self {
        let mut file = Self { name: None, ..self.clone() };
        for (_, material) in &mut file.materials {
            (material.colour, material.roughness, material.metallic) = (None, None, None);
        }
        for body in &mut file.bodies {
            (body.colour, body.hidden, body.pips) = (None, false, false);
        }
        file
    }
}

/// The version of the format, of which there is one so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Format;

/// What bodies are made of.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Material")]
pub(crate) struct MaterialFile {
    /// kg/m³; 1000 if left out.
    pub density: Option<Number>,
    /// The share of the speed that a bounce keeps, 0 to 1; 0.5 if left out.
    pub restitution: Option<Number>,
    /// Coulomb's coefficient; 0.3 if left out.
    pub friction: Option<Number>,
    /// Rolling resistance as a share of the load; 0 if left out.
    pub rolling: Option<Number>,
    /// `#rrggbb`, `#rrggbbaa` or a name.
    pub colour: Option<At<String>>,
    /// 0 (mirror) to 1 (chalk); 0.5 if left out.
    pub roughness: Option<At<f64>>,
    /// 0 (stone) to 1 (metal); 0 if left out.
    pub metallic: Option<At<f64>>,
}

/// How two materials meet.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Pair")]
pub(crate) struct PairFile {
    /// The names of the two materials.
    pub materials: At<[At<String>; 2]>,
    /// The share of the speed that a bounce keeps, 0 to 1; the geometric mean
    /// of the two materials if left out.
    pub restitution: Option<Number>,
    /// Coulomb's coefficient; the geometric mean if left out.
    pub friction: Option<Number>,
    /// Rolling resistance as a share of the load; the geometric mean if left
    /// out.
    pub rolling: Option<Number>,
}

/// What is other about each of the first collisions of two bodies: every number is drawn
/// for each of them.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Collision")]
pub(crate) struct CollisionFile {
    /// The names of the two bodies; all copies of a body are meant by its name.
    pub bodies: At<[At<String>; 2]>,
    /// How many collisions of each two; later ones are as the materials say.
    pub count: At<u64>,
    /// By how much the normal, from the second body to the first, leans, degrees: for one
    /// straight up towards +x and towards +z.
    pub lean: Option<At<[Number; 2]>>,
    /// The share of the speed that the bounce keeps, 0 to 1.
    pub restitution: Option<Number>,
    /// Coulomb's coefficient.
    pub friction: Option<Number>,
}

/// A body, or many of a kind.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Body")]
pub(crate) struct BodyFile {
    /// The name; copies get `-1`, `-2`, … behind it.
    pub name: At<String>,
    /// What it is.
    pub shape: At<ShapeFile>,
    /// Whether nothing can move it.
    #[schemars(with = "Option<bool>")]
    pub fixed: bool,
    /// Whether it starts at rest: it stays as it is until something hits it.
    #[schemars(with = "Option<bool>")]
    pub resting: bool,
    /// The name of its material.
    pub material: Option<At<String>>,
    /// `#rrggbb`, `#rrggbbaa` or a name; goes before that of the material.
    pub colour: Option<At<String>>,
    /// Where the origin of its shape is, metres.
    pub position: Option<Vector>,
    /// How it is turned.
    pub orientation: Option<At<OrientationFile>>,
    /// How fast its centre of mass moves, m/s.
    pub velocity: Option<At<VelocityFile>>,
    /// How fast it turns, rad/s.
    pub spin: Option<At<SpinFile>>,
    /// When it enters, seconds.
    pub start: Option<Number>,
    /// How likely it is there at all, above 0 and below 1; certain if left
    /// out. Each copy decides for itself.
    pub takes_part: Option<At<f64>>,
    /// The most that it weighs, kg: its density is lowered if it would weigh
    /// more.
    pub mass_at_most: Option<At<f64>>,
    /// Where its surface is of another material; where several overlap, the
    /// last counts.
    #[schemars(with = "Option<Vec<ZoneFile>>")]
    pub zones: Vec<ZoneFile>,
    /// What pushes it, and when.
    #[schemars(with = "Option<Vec<PushFile>>")]
    pub pushes: Vec<PushFile>,
    /// How it moves, if it moves as told, whatever it meets.
    pub moves: Option<At<MovesFile>>,
    /// Whether it is left out of pictures.
    #[schemars(with = "Option<bool>")]
    pub hidden: bool,
    /// Whether a box is drawn with the pips of a die: 1 is +y, 2 is +z, 3 is +x,
    /// and opposite sides add up to seven.
    #[schemars(with = "Option<bool>")]
    pub pips: bool,
    /// Makes many of it.
    pub repeat: Option<At<RepeatFile>>,
}

impl BodyFile {
    /// A body that can move, at rest in the origin.
    pub(crate) fn new(name: impl Into<String>, shape: impl Into<ShapeFile>) -> Self {
        Self {
            name: name.into().into(),
            shape: shape.into().into(),
            fixed: false,
            resting: false,
            material: None,
            colour: None,
            position: None,
            orientation: None,
            velocity: None,
            spin: None,
            start: None,
            takes_part: None,
            mass_at_most: None,
            zones: Vec::new(),
            pushes: Vec::new(),
            moves: None,
            hidden: false,
            pips: false,
            repeat: None,
        }
    }
}

/// An orientation.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Orientation")]
pub(crate) enum OrientationFile {
    /// Every orientation equally likely: `"uniform"`.
    Uniform(UniformWord),
    /// A turn about an axis.
    Axis {
        /// The axis, of any length.
        axis: Vector,
        /// How far, counter-clockwise seen against the axis.
        degrees: Number,
    },
    /// Turns about x, then y, then z, all fixed axes.
    Euler {
        /// How far about each.
        euler_degrees: Vector,
    },
    /// A quaternion x, y, z, w, of any length.
    Quaternion([Number; 4]),
}

/// The word `uniform`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
pub(crate) enum UniformWord {
    /// Every orientation equally likely.
    #[schemars(rename = "uniform")]
    Uniform,
}

/// A velocity.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Velocity")]
pub(crate) enum VelocityFile {
    /// Its three components.
    Components(Vector),
    /// How fast, and where to.
    Polar {
        /// m/s.
        speed: Number,
        /// Radians about the y axis, from +x towards +z.
        heading: Option<Number>,
        /// Radians above the horizontal.
        rise: Option<Number>,
    },
}

/// An angular velocity.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Spin")]
pub(crate) enum SpinFile {
    /// Its three components.
    Components(Vector),
    /// What each component is, or is drawn from.
    Each(Number),
}

/// A part of a body's surface that is of another material.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Zone")]
pub(crate) struct ZoneFile {
    /// What it covers.
    pub shape: At<RegionFile>,
    /// Where its middle is in the frame of the body's shape, metres.
    pub position: Option<Vector>,
    /// The name of the material.
    pub material: At<String>,
}

/// A push at a time.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Push")]
pub(crate) struct PushFile {
    /// When, seconds.
    pub at: Number,
    /// At the centre of mass, N s.
    pub impulse: Vector,
}

/// A motion as told: numbers, or arithmetic with variables and the time `t`.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Moves")]
pub(crate) struct MovesFile {
    /// Where the origin of its shape is, metres; the position of the body if left out.
    pub position: Option<Vector>,
    /// What it turns about through that origin, an axis of the world; y if left out.
    pub axis: Option<At<[f64; 3]>>,
    /// By how much it is turned about it, after its orientation, counter-clockwise seen
    /// against the axis; not at all if left out.
    pub degrees: Option<Number>,
}

/// What a zone covers.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Region")]
pub(crate) enum RegionFile {
    /// A ball.
    Sphere {
        /// The radius, metres.
        sphere: Number,
    },
    /// A box, along the axes of the body's shape.
    Box {
        /// The lengths of its edges, metres.
        #[schemars(rename = "box")]
        edges: Vector,
    },
}

/// Many of a thing.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Repeat")]
pub(crate) enum RepeatFile {
    /// A row.
    Row {
        /// How many.
        count: At<u64>,
        /// From each to the next, metres; none if left out.
        offset: Option<At<[f64; 3]>>,
        /// From the start of each to that of the next, seconds; none if left
        /// out.
        interval: Option<At<f64>>,
    },
    /// A block.
    Grid {
        /// How many along x, y and z.
        grid: At<[u64; 3]>,
        /// From each to the next along x, y and z, metres.
        spacing: At<[f64; 3]>,
    },
}

/// A shape.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Shape")]
pub(crate) enum ShapeFile {
    /// A convex solid.
    Solid(SolidFile),
    /// Several convex solids, joined.
    Compound {
        /// The solids.
        compound: Vec<PartFile>,
    },
    /// Everything behind a plane through the position; for fixed bodies.
    HalfSpace {
        /// The direction out of the solid, of any length.
        half_space: Vector,
    },
    /// A mesh from a file.
    Mesh(MeshFile),
    /// A mesh in place; for fixed bodies.
    Triangles {
        /// What it is made of.
        triangles: TrianglesFile,
    },
    /// A smooth surface, solid below; for fixed bodies.
    SplineField {
        /// What it is like.
        spline_field: SplineFieldFile,
    },
}

/// A convex solid, which can be part of a compound.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Solid")]
pub(crate) enum SolidFile {
    /// A ball.
    Sphere {
        /// The radius, metres.
        sphere: Number,
    },
    /// A box.
    Box {
        /// The lengths of its edges, metres.
        #[schemars(rename = "box")]
        edges: Vector,
        /// The radius of its edges, metres; sharp if left out.
        rounding: Option<Number>,
    },
    /// A cylinder along y with half balls at its ends.
    Capsule {
        /// How thick and how long; the height is that of the cylinder.
        capsule: RoundFile,
    },
    /// A cylinder along y.
    Cylinder {
        /// How thick and how long.
        cylinder: RoundFile,
    },
    /// A profile, turned about y: what a lathe makes.
    Turned {
        /// The height and the radius of each ring, metres, from the lowest to
        /// the highest.
        turned: At<Vec<At<[Number; 2]>>>,
    },
    /// The convex hull of some points.
    Hull {
        /// The points, metres; four at least.
        hull: At<Vec<Vector>>,
    },
    /// A regular icosahedron.
    Icosahedron {
        /// The distance from its centre to its corners, metres.
        icosahedron: Number,
    },
}

impl From<SolidFile> for ShapeFile {
    fn from(solid: SolidFile) -> Self {
        Self::Solid(solid)
    }
}

/// A round solid along y.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Round")]
pub(crate) struct RoundFile {
    /// Metres.
    pub radius: Number,
    /// The length of the straight part, metres.
    pub height: Number,
}

/// A part of a compound.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Part")]
pub(crate) struct PartFile {
    /// What it is.
    pub shape: At<SolidFile>,
    /// Where it sits in the compound, metres.
    pub position: Option<Vector>,
    /// How it is turned in the compound.
    pub orientation: Option<At<OrientationFile>>,
}

/// A mesh from a file.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Mesh")]
pub(crate) struct MeshFile {
    /// A `.glb` or `.obj` file, relative to the scene file.
    #[schemars(rename = "mesh")]
    pub path: At<String>,
    /// What is made of it; its hull if left out.
    #[schemars(rename = "use", with = "Option<MeshUse>")]
    pub usage: At<MeshUse>,
    /// How many metres a unit of the file is; 1 if left out.
    pub scale: Option<Number>,
}

/// What is made of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(crate) enum MeshUse {
    /// The convex hull of it.
    #[default]
    Hull,
    /// Convex pieces that fill it.
    Decomposition,
    /// Its triangles; for fixed bodies.
    Triangles,
}

/// A mesh in place.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Triangles")]
pub(crate) struct TrianglesFile {
    /// The corners, metres.
    pub vertices: Vec<Vector>,
    /// For each triangle the numbers of its corners, counted from 1.
    pub faces: At<Vec<[u32; 3]>>,
}

/// A smooth surface over a rectangle.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "SplineField")]
pub(crate) struct SplineFieldFile {
    /// Along x and z, metres.
    pub size: At<[f64; 2]>,
    /// Between neighbouring control points, metres.
    pub spacing: At<f64>,
    /// Of each control point, metres.
    pub height: Number,
    /// Coulomb's coefficient at each control point; the material's if left out.
    pub friction: Option<Number>,
    /// The share of the speed that a bounce keeps at each control point, 0 to 1; the
    /// material's if left out.
    pub restitution: Option<Number>,
}
