//! What can be wrong with a scene, and where.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use proscenium_diagnostics::Remedy;
pub use proscenium_diagnostics::{Mistake as SceneError, Place};

/// The text of a scene, and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The name of the file, as the user gave it.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// The folder that the names of mesh files are relative to.
    pub folder: PathBuf,
}

impl Source {
    /// A text that does not come from a file; meshes are sought in the
    /// current folder.
    pub fn inline(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), folder: PathBuf::new() }
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
