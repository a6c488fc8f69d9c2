//! What can be wrong, and what to do about it.

use std::borrow::Cow;

use proscenium_bodies::MaterialError;
use proscenium_geometry::ShapeError;
use proscenium_view::ViewError;
use proscenium_work::{ArtifactError, Halt, Remedy};

/// Why a mesh, a volume model or a world cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LodError {
    /// The mesh has no triangles.
    #[error("the mesh has no triangles")]
    NoTriangles,
    /// The mesh is too large to be worth it.
    #[error("the mesh has {count} triangles, and at most {most} are read")]
    TooManyTriangles {
        /// How many it has.
        count: usize,
        /// How many it may have.
        most: usize,
    },
    /// A coordinate is not a finite number.
    #[error("vertex {index} of the mesh has a coordinate that is not a finite number")]
    NotFinite {
        /// Which vertex.
        index: usize,
    },
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} refers to vertex {vertex}, but there are only {count}")]
    NoSuchVertex {
        /// Which triangle.
        triangle: usize,
        /// The vertex that it names.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// An edge with three or another odd number of sides.
    #[error(
        "{edges} edges have an odd number of triangles, three or more, the first near ({x:.4}, {y:.4}, {z:.4}): \
         the surface branches, and its winding numbers enclose nothing"
    )]
    Branching {
        /// How many such edges there are.
        edges: usize,
        /// Where the first is.
        x: f64,
        /// Where the first is.
        y: f64,
        /// Where the first is.
        z: f64,
    },
    /// A hole whose rim cannot be followed around.
    #[error("the rim of a hole near ({x:.4}, {y:.4}, {z:.4}) does not close, and winding numbers enclose nothing")]
    OpenRim {
        /// Where it is.
        x: f64,
        /// Where it is.
        y: f64,
        /// Where it is.
        z: f64,
    },
    /// The surface encloses nothing.
    #[error("the surface encloses no volume ({volume:e} m³)")]
    NoVolume {
        /// What it encloses.
        volume: f64,
    },
    /// A file that is no mesh by its ending.
    #[error("{name} cannot be read: it is no mesh by its ending")]
    NotAMesh {
        /// The file's name.
        name: String,
    },
    /// A file that cannot be read as a mesh.
    #[error("{name} cannot be read: {reason}")]
    Unreadable {
        /// The file's name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A name that nothing built in has.
    #[error("there is no built-in {what} \"{name}\"")]
    Unknown {
        /// A mesh, a scene, a kind of tree.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A number out of its range.
    #[error("{what} is {value}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// A saved model that cannot be used.
    #[error(transparent)]
    File(#[from] ArtifactError),
    /// A body whose motion is no longer a number.
    #[error("the motion of body {body} is no longer finite")]
    Diverged {
        /// Which body.
        body: u32,
    },
    /// A body that is not there.
    #[error("there is no body {body}: the world has {count}")]
    NoBody {
        /// Which was asked for.
        body: u32,
        /// How many there are.
        count: usize,
    },
    /// A material that cannot be.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// A shape that cannot be.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A view that makes no sense.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A clip that could not be made.
    #[error("the clip cannot be made: {0}")]
    Clip(String),
}

impl From<LodError> for Halt<LodError> {
    fn from(error: LodError) -> Self {
        Self::Failed(error)
    }
}

impl Remedy for LodError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        let remedy = match self {
            Self::NoTriangles => "give a closed surface",
            Self::TooManyTriangles { .. } => "simplify it first",
            Self::Branching { .. } => "let all triangles face out, or remove the inner sheets",
            Self::OpenRim { .. } => "fill the hole before exporting",
            Self::NoVolume { .. } => "give the object some thickness",
            Self::NotAMesh { .. } => "meshes are read from .glb and .obj files",
            Self::Diverged { .. } => "give it a smaller speed or spin",
            Self::Number { remedy, .. } => remedy,
            Self::Unknown { known, .. } => return Some(format!("known are {known}").into()),
            Self::File(error) => return error.remedy(),
            Self::Material(error) => return error.remedy(),
            Self::Shape(error) => return error.remedy(),
            Self::View(error) => return error.remedy(),
            // What is wrong says what would be right.
            Self::NotFinite { .. }
            | Self::NoSuchVertex { .. }
            | Self::Unreadable { .. }
            | Self::NoBody { .. }
            | Self::Clip(_) => return None,
        };
        Some(remedy.into())
    }
}

pub(crate) fn positive(what: &'static str, value: f64) -> Result<f64, LodError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(LodError::Number { what, value, remedy: "give a positive, finite number" })
    }
}
