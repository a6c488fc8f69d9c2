//! Clips as binary glTF files.
//!
//! The part of glTF 2.0 that is used is written down in `schema`, which reading
//! and writing share. Nothing that a file says is believed: `container` and
//! `accessor` check every offset and count against the bytes that are there.

mod accessor;
mod additions;
mod animation;
mod container;
mod deform;
mod geometry;
mod hierarchy;
mod read;
mod schema;
mod write;

use std::path::Path;

use proscenium_work::{read_file, write_file};

pub use additions::{GlbAdditions, Morph, MorphTarget};
pub use deform::{DeformingGlb, DeformingPart};
pub use read::{GlbImport, GlbWarning};

use crate::{Clip, ClipError};

/// The version of what we add to a file, in `asset.extras.proscenium`.
const FORMAT: u64 = 1;

impl Clip {
    /// The clip as a binary glTF 2.0 file (`.glb`): the hierarchy, the meshes
    /// and materials, and one animation with the name of the clip, linear
    /// between keys.
    ///
    /// What does not move is not repeated: a constant position or orientation
    /// has a single key, and tracks that share their times share them in the
    /// file. Neighbouring quaternions have the same sign, as players expect. If
    /// the clip goes on after its last key, one track gets a last key at the
    /// end, so that players loop at the right moment; [`Clip::from_glb`] takes
    /// it away again.
    ///
    /// # Errors
    ///
    /// Whatever [`Clip::validate`] refuses, and clips beyond 4 GiB.
    ///
    /// ```
    /// use proscenium_clip::{Clip, Node, shapes};
    ///
    /// # fn main() -> Result<(), proscenium_clip::ClipError> {
    /// let mut clip = Clip::new("still life");
    /// let apple = clip.add_mesh(shapes::ico_sphere(0.04, 3)?.with_name("apple"));
    /// clip.add_node(Node::new("apple").with_mesh(apple));
    /// let bytes = clip.to_glb()?;
    /// assert_eq!(&bytes[..4], b"glTF");
    /// assert_eq!(Clip::from_glb(&bytes)?, clip);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_glb(&self) -> Result<Vec<u8>, ClipError> {
        self.to_glb_with(&GlbAdditions::default())
    }

    /// The clip as a binary glTF file, with meshes that bend and a second set
    /// of texture coordinates. [`Clip::from_glb`] leaves those out again;
    /// [`DeformingGlb::from_glb`] reads how the meshes bend.
    ///
    /// # Errors
    ///
    /// What [`Clip::to_glb`] refuses, and additions that do not fit the clip.
    pub fn to_glb_with(&self, additions: &GlbAdditions) -> Result<Vec<u8>, ClipError> {
        self.validate()?;
        additions.validate(self)?;
        write::write(self, additions)
    }

    /// Writes the clip to a `.glb` file; see [`Clip::to_glb`]. The file appears
    /// whole or not at all: an older one stays until the new one is complete.
    ///
    /// # Errors
    ///
    /// What [`Clip::to_glb`] refuses, and what the file system does.
    pub fn write_glb(&self, path: impl AsRef<Path>) -> Result<(), ClipError> {
        let (path, bytes) = (path.as_ref(), self.to_glb()?);
        write_file(path, &bytes).map_err(|source| ClipError::Io { action: "write", path: path.to_owned(), source })
    }

    /// Reads a clip from the bytes of a `.glb` file. Our own files come back
    /// with the same keys, to the bit (but for the signs of quaternions, and
    /// for tracks that never move, of which one key remains).
    ///
    /// Files from elsewhere may hold what a clip cannot; it is left out.
    /// [`GlbImport::from_glb`] tells what that was.
    ///
    /// # Errors
    ///
    /// What is malformed or cannot be read at all, and where.
    pub fn from_glb(bytes: &[u8]) -> Result<Clip, ClipError> {
        GlbImport::from_glb(bytes).map(|import| import.clip)
    }

    /// Reads a clip from a `.glb` file; see [`Clip::from_glb`].
    ///
    /// # Errors
    ///
    /// What [`Clip::from_glb`] refuses, and what the file system does.
    pub fn read_glb(path: impl AsRef<Path>) -> Result<Clip, ClipError> {
        GlbImport::read_glb(path).map(|import| import.clip)
    }
}

impl GlbImport {
    /// Reads a clip from the bytes of a `.glb` file, with a list of what was
    /// left out.
    ///
    /// Read are: nodes of the default scene, with a matrix or with translation,
    /// rotation and scale; triangles, strips and fans, with one mesh per
    /// primitive (further primitives of a mesh become children of the node);
    /// the factors of materials; and the first animation, whose steps and
    /// splines become linear within 0.1 mm and 1 mrad.
    ///
    /// # Errors
    ///
    /// What is malformed or cannot be read at all, and where. Memory stays in
    /// proportion to the size of the file, whatever it claims.
    pub fn from_glb(bytes: &[u8]) -> Result<GlbImport, ClipError> {
        read::read(bytes, None)
    }

    /// Reads a clip from a `.glb` file; see [`GlbImport::from_glb`].
    ///
    /// # Errors
    ///
    /// What [`GlbImport::from_glb`] refuses, and what the file system does.
    pub fn read_glb(path: impl AsRef<Path>) -> Result<GlbImport, ClipError> {
        Self::read_from(path.as_ref(), None)
    }

    /// As [`read_glb`](GlbImport::read_glb), with the animation of a name in place of the
    /// first: a walk of a file that has several.
    ///
    /// # Errors
    ///
    /// When there is no such animation, and as there.
    pub fn read_glb_animation(path: impl AsRef<Path>, name: &str) -> Result<GlbImport, ClipError> {
        Self::read_from(path.as_ref(), Some(name))
    }

    fn read_from(path: &Path, animation: Option<&str>) -> Result<GlbImport, ClipError> {
        let bytes = read_file(path, u64::MAX).map_err(|source| ClipError::Io {
            action: "read",
            path: path.to_path_buf(),
            source,
        })?;
        read::read(&bytes, animation)
            .map_err(|error| ClipError::File { path: path.to_path_buf(), source: Box::new(error) })
    }
}
