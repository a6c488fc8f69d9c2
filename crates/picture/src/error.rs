//! What can go wrong when drawing.

use std::borrow::Cow;
use std::path::PathBuf;

use proscenium_work::{Halt, Remedy};
use thiserror::Error;

/// Why a picture, an animation or a plot could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The picture's size is zero or beyond the limit.
    #[error("a picture of {width} × {height} pixels cannot be drawn")]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// The largest side.
        limit: u32,
    },
    /// A setting of the look is not finite or out of its range.
    #[error("the {what} is {value}")]
    Setting {
        /// Which setting.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is right.
        allowed: &'static str,
    },
    /// The clip contradicts itself.
    #[error("the clip cannot be drawn: {0}")]
    Clip(#[from] proscenium_clip::ClipError),
    /// The camera makes no sense.
    #[error("the camera cannot be used: {0}")]
    Camera(#[from] proscenium_view::ViewError),
    /// The pixels do not fit the size.
    #[error("a picture of {width} × {height} pixels needs {expected} bytes, but has {actual}")]
    Bytes {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// Four for each pixel.
        expected: usize,
        /// What was given.
        actual: usize,
    },
    /// There is nothing to put on a contact sheet, in an animation or a plot.
    #[error("there is nothing to draw")]
    Nothing {
        /// What to add.
        remedy: &'static str,
    },
    /// A plot's number cannot be placed on its axis.
    #[error("series \"{series}\" of the plot has the {axis} value {value} at index {index}")]
    PlotValue {
        /// Name of the series.
        series: String,
        /// "x" or "y".
        axis: &'static str,
        /// Which of its points.
        index: usize,
        /// The offending number.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// The drawing library refused.
    #[error("the picture could not be encoded: {0}")]
    Encode(String),
    /// A file could not be written.
    #[error("could not write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A stream could not be written.
    #[error("could not write the animation: {0}")]
    Stream(#[from] std::io::Error),
}

impl Remedy for PictureError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::Size { limit, .. } => format!("both sides must be from 1 to {limit}").into(),
            Self::Setting { allowed, .. } => format!("it must be {allowed}").into(),
            Self::Clip(error) => return error.remedy(),
            Self::Nothing { remedy } | Self::PlotValue { remedy, .. } => (*remedy).into(),
            Self::Write { .. } | Self::Stream(_) => {
                "check the permissions and the space that is left, or write elsewhere".into()
            }
            Self::Camera(error) => return error.remedy(),
            Self::Bytes { .. } | Self::Encode(_) => return None,
        })
    }
}

impl From<PictureError> for Halt<PictureError> {
    fn from(error: PictureError) -> Self {
        Self::Failed(error)
    }
}
