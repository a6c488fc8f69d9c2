//! What can be wrong with a shape.

use std::borrow::Cow;

use proscenium_work::Remedy;

/// Why a shape cannot be made, and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length that must be positive and finite is not.
    #[error("{what} must be positive and finite, but is {value}")]
    NotPositive {
        /// Which length.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// A length that must not be negative is.
    #[error("{what} must be zero or more and finite, but is {value}")]
    Negative {
        /// Which length.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// The rounding does not fit inside the box.
    #[error("a rounding of {rounding} does not fit: the smallest half extent is {smallest}")]
    RoundingTooLarge {
        /// The rounding that was asked for.
        rounding: f64,
        /// What it must stay below.
        smallest: f64,
    },
    /// A coordinate is not a finite number.
    #[error("vertex {index} has a coordinate that is not a finite number")]
    NotFinite {
        /// Which vertex.
        index: usize,
    },
    /// There are too few points to enclose a volume.
    #[error("a hull needs at least 4 different points, but has {count}")]
    TooFewPoints {
        /// How many different points there are.
        count: usize,
    },
    /// The points lie in a plane, on a line, or in one place.
    #[error("the points enclose no volume: they lie in one plane to within {thickness:e} m")]
    Flat {
        /// The extent across the flattest direction.
        thickness: f64,
    },
    /// The hull algorithm gave up.
    #[error("no hull could be built from these points ({reason})")]
    HullFailed {
        /// What the algorithm said.
        reason: String,
    },
    /// A triangle refers to a vertex that is not there.
    #[error("triangle {triangle} refers to vertex {vertex}, but there are only {count} vertices")]
    NoSuchVertex {
        /// Which triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// The rings of a turned solid do not go up.
    #[error("a profile needs at least 2 rings, each higher than the one before")]
    NotAProfile,
    /// There are no triangles at all.
    #[error("the mesh has no triangles of positive area")]
    NoTriangles,
    /// A compound without parts.
    #[error("a compound needs at least one part")]
    NoParts,
    /// A shape that cannot be part of a compound.
    #[error("a {kind} cannot be part of a compound")]
    NotAPart {
        /// The kind of shape.
        kind: &'static str,
    },
    /// A direction of length zero, or not finite.
    #[error("{what} must be a direction of positive, finite length")]
    NotADirection {
        /// Which direction.
        what: &'static str,
    },
    /// A height field with too few heights.
    #[error("a height field needs at least 4 × 4 heights, but has {columns} × {rows}")]
    FieldTooSmall {
        /// Heights along x.
        columns: usize,
        /// Heights along z.
        rows: usize,
    },
    /// The number of heights is not columns times rows.
    #[error("a height field of {columns} × {rows} needs {expected} heights, but {found} are given")]
    FieldSize {
        /// Heights along x.
        columns: usize,
        /// Heights along z.
        rows: usize,
        /// Their product.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// The shape is so large or small that its mass is not a useful number.
    #[error("the volume {volume:e} m³ is out of range")]
    VolumeOutOfRange {
        /// The volume that came out.
        volume: f64,
    },
}

impl Remedy for ShapeError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::Flat { .. } => "give the shape some thickness",
            Self::HullFailed { .. } => "merge points that nearly coincide",
            Self::NotAPart { .. } => "parts are spheres, boxes, capsules, cylinders, turned solids and hulls",
            Self::VolumeOutOfRange { .. } => "sizes are in metres",
            // What is wrong says what would be right.
            _ => return None,
        }))
    }
}

pub(crate) fn positive(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(ShapeError::NotPositive { what, value }) }
}

pub(crate) fn not_negative(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(ShapeError::Negative { what, value }) }
}

pub(crate) fn all_finite(points: &[glam::DVec3]) -> Result<(), ShapeError> {
    match points.iter().position(|p| !p.is_finite()) {
        Some(index) => Err(ShapeError::NotFinite { index }),
        None => Ok(()),
    }
}
