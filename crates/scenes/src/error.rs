//! What can be wrong with a scene, and where.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proscenium_work::{Remedy, Store, read_file};

pub use proscenium_diagnostics::{Mistake as SceneError, Place};

/// The text of a scene, and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The name of the file, as the user gave it.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Where the meshes are that it names.
    pub meshes: MeshFiles,
}

/// Where a scene's meshes are.
#[derive(Clone)]
pub enum MeshFiles {
    /// Names are paths, relative to a folder.
    Folder(PathBuf),
    /// Names are those of a store, as where there are no folders.
    Store(Arc<dyn Store>),
}

impl MeshFiles {
    /// What a mesh is called in messages.
    pub(crate) fn shown(&self, name: &str) -> String {
        match self {
            Self::Folder(folder) => folder.join(name).display().to_string(),
            Self::Store(_) => name.to_owned(),
        }
    }

    /// The bytes of a mesh, of at most so many; or why they cannot be had.
    pub(crate) fn read(&self, name: &str, at_most: u64) -> Result<Vec<u8>, MeshFileError> {
        match self {
            Self::Folder(folder) => read_file(&folder.join(name), at_most).map_err(|error| match error.kind() {
                std::io::ErrorKind::FileTooLarge => MeshFileError::TooLarge,
                std::io::ErrorKind::NotFound => MeshFileError::Missing(error.to_string()),
                _ => MeshFileError::Unreadable(error.to_string()),
            }),
            Self::Store(store) => match store.read(name) {
                Ok(Some(bytes)) if bytes.len() as u64 > at_most => Err(MeshFileError::TooLarge),
                Ok(Some(bytes)) => Ok(bytes),
                Ok(None) => Err(MeshFileError::Missing("there is no file of this name".to_owned())),
                Err(error) => Err(MeshFileError::Unreadable(error.to_string())),
            },
        }
    }
}

/// Why the bytes of a mesh cannot be had.
pub(crate) enum MeshFileError {
    TooLarge,
    Missing(String),
    Unreadable(String),
}

impl fmt::Debug for MeshFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => formatter.debug_tuple("Folder").field(folder).finish(),
            Self::Store(_) => formatter.write_str("Store"),
        }
    }
}

impl PartialEq for MeshFiles {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Folder(one), Self::Folder(other)) => one == other,
            (Self::Store(one), Self::Store(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Source {
    /// A text that does not come from a file; meshes are sought in the
    /// current folder.
    pub fn inline(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), meshes: MeshFiles::Folder(PathBuf::new()) }
    }

    /// The same with meshes that are sought in a folder.
    #[must_use]
    pub fn with_folder(self, folder: impl AsRef<Path>) -> Self {
        Self { meshes: MeshFiles::Folder(folder.as_ref().to_owned()), ..self }
    }

    /// The same with meshes that are in a store, so that a scene needs no files.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use proscenium_scenes::{Scene, Source};
    /// use proscenium_work::{Memory, Store as _};
    ///
    /// let store = Memory::default();
    /// store.write("corner.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")?;
    /// let text = r#"
    ///     format = 1
    ///     [[body]]
    ///     name = "corner"
    ///     shape = { mesh = "corner.obj" }
    /// "#;
    /// let source = Source::inline("corner.toml", text).with_store(Arc::new(store));
    /// assert_eq!(Scene::parse(text, &source)?.body_count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_store(self, store: Arc<dyn Store>) -> Self {
        Self { meshes: MeshFiles::Store(store), ..self }
    }
}

/// Everything that is wrong with a scene: at least one error, in the order of
/// the file.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneErrors {
    /// The errors.
    pub errors: Vec<SceneError>,
    /// The text that the places refer to.
    pub source: Option<Source>,
}

impl SceneErrors {
    /// A single error that has no place in a file.
    pub(crate) fn plain(message: impl Into<String>, help: impl Into<String>) -> Self {
        let help = Some(help.into()).filter(|help| !help.is_empty());
        let error = SceneError { message: message.into(), place: None, help };
        Self { errors: vec![error], source: None }
    }

    /// What stands at the place of an error, if it is short.
    fn excerpt(&self, error: &SceneError) -> Option<&str> {
        let (source, place) = (self.source.as_ref()?, error.place.as_ref()?);
        let text = source.text.get(place.span.clone())?;
        (!text.is_empty() && text.len() <= 60 && !text.contains('\n')).then_some(text)
    }
}

impl fmt::Display for SceneErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.errors.iter().map(|error| error.describe(self.excerpt(error))).collect();
        formatter.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for SceneErrors {}

impl Remedy for SceneErrors {
    /// That of the first error.
    fn remedy(&self) -> Option<Cow<'_, str>> {
        self.errors.first()?.remedy()
    }

    /// Each error with its own help.
    fn explain(&self) -> String {
        let lines: Vec<String> = self.errors.iter().map(|error| error.explain_with(self.excerpt(error))).collect();
        lines.join("\n")
    }
}
