//! What can be wrong with a scene, and where.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

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

/// A place in a scene file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the file, as the user gave it.
    pub file: String,
    /// From the first byte to after the last byte in the text.
    pub span: Range<usize>,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// The key whose value is wrong, such as `body[2].shape.box`.
    pub key: String,
    /// What the place belongs to, such as `in body "die-1"`.
    pub label: String,
}

/// One thing that is wrong with a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// What is wrong.
    pub message: String,
    /// Where; `None` if it is not in a file.
    pub place: Option<Place>,
    /// What would be right.
    pub help: Option<String>,
}

impl SceneError {
    /// Place, message, what stands there, and help.
    fn write(&self, formatter: &mut fmt::Formatter<'_>, excerpt: Option<&str>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(formatter, "{}:{}:{}: ", place.file, place.line, place.column)?;
        }
        formatter.write_str(&self.message)?;
        if let Some(place) = self.place.as_ref().filter(|place| !place.label.is_empty()) {
            write!(formatter, " ({})", place.label)?;
        }
        if let Some(excerpt) = excerpt {
            write!(formatter, ": {excerpt}")?;
        }
        match &self.help {
            Some(help) => write!(formatter, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(formatter, None)
    }
}

impl std::error::Error for SceneError {}

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
        for (index, error) in self.errors.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            error.write(formatter, self.excerpt(error))?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneErrors {}
