//! Collecting errors with their places.

use std::fmt::Write as _;
use std::ops::Range;

use crate::error::{Place, SceneError, SceneErrors, Source};

/// More errors than this at once help nobody.
const MOST_ERRORS: usize = 50;

/// Where in the structure of a file something is; made on the way down,
/// written out only if there is something to report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
    owner: Option<Owner<'a>>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

/// What a part of a file describes, with its name.
#[derive(Clone, Copy, Debug)]
struct Owner<'a> {
    kind: &'static str,
    name: &'a str,
}

impl<'a> Path<'a> {
    pub(crate) const ROOT: Path<'static> = Path { parent: None, step: Step::Root, owner: None };

    pub(crate) fn key(&'a self, key: &'a str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Key(key), owner: self.owner }
    }

    pub(crate) fn index(&'a self, index: usize) -> Path<'a> {
        Path { parent: Some(self), step: Step::Index(index), owner: self.owner }
    }

    /// The same place, known to describe the thing of this kind and name.
    pub(crate) fn of(self, kind: &'static str, name: &'a str) -> Path<'a> {
        Path { owner: Some(Owner { kind, name }), ..self }
    }

    /// As `body[2].shape.box`.
    pub(crate) fn written(&self) -> String {
        let mut text = self.parent.map_or_else(String::new, Path::written);
        match self.step {
            Step::Root => {}
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => {
                text.push('.');
                text.push_str(key);
            }
            Step::Index(index) => {
                // Writing to a string cannot fail.
                let _ = write!(text, "[{index}]");
            }
        }
        text
    }

    /// The last key on the way, for messages.
    pub(crate) fn last_key(&self) -> &str {
        match self.step {
            Step::Key(key) => key,
            _ => self.parent.map_or("the scene", Path::last_key),
        }
    }

    fn label(&self) -> String {
        self.owner.map_or_else(String::new, |owner| format!("in {} \"{}\"", owner.kind, owner.name))
    }
}

/// The errors found so far.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    source: Option<&'a Source>,
    errors: Vec<SceneError>,
    left_out: usize,
}

impl<'a> Report<'a> {
    /// An empty report about a text, or about a scene that has none.
    pub(crate) fn new(source: Option<&'a Source>) -> Self {
        Self { source, errors: Vec::new(), left_out: 0 }
    }

    /// Notes an error; `span` is ignored where there is no text.
    pub(crate) fn error(
        &mut self,
        span: &Range<usize>,
        path: &Path<'_>,
        message: impl Into<String>,
        help: impl Into<Option<String>>,
    ) {
        if self.is_full() {
            self.left_out += 1;
            return;
        }
        let place = self.source.map(|source| place(source, span, path));
        let message = match (&place, path.label()) {
            (None, label) if !label.is_empty() => format!("{} ({label})", message.into()),
            _ => message.into(),
        };
        self.errors.push(SceneError { message, place, help: help.into() });
    }

    /// Whether further errors are only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= MOST_ERRORS
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.errors.is_empty()
    }

    /// Passes what was made if nothing is wrong with it.
    pub(crate) fn finish<T>(mut self, made: Option<T>) -> Result<T, SceneErrors> {
        if let (Some(made), true) = (made, self.is_clean()) {
            return Ok(made);
        }
        self.errors.sort_by_key(|error| error.place.as_ref().map(|place| place.span.start));
        if self.left_out > 0 {
            let message = format!("{} more errors are not shown", self.left_out);
            self.errors.push(SceneError { message, place: None, help: None });
        }
        Err(SceneErrors { errors: self.errors, source: self.source.cloned() })
    }
}

fn place(source: &Source, span: &Range<usize>, path: &Path<'_>) -> Place {
    Place::new(&source.name, &source.text, span.clone(), path.written(), path.label())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let source = Source::inline("a.toml", "x = 1\nü = \"ä\"; y = 2\n");
        let mut report = Report::new(Some(&source));
        let root = Path::ROOT;
        let body = root.key("body");
        let third = body.index(2).of("body", "die");
        let at = source.text.find("y =").unwrap();
        report.error(&(at..at + 1), &third.key("shape"), "wrong", None);
        let errors = report.finish::<()>(Some(())).unwrap_err();
        let place = errors.errors[0].place.clone().unwrap();
        assert_eq!((place.line, place.column), (2, 10));
        assert_eq!((place.key.as_str(), place.label.as_str()), ("body[2].shape", "in body \"die\""));
    }

    #[test]
    fn spans_outside_of_the_text_are_brought_inside() {
        let source = Source::inline("a.toml", "ä");
        let mut report = Report::new(Some(&source));
        report.error(&(1..700), &Path::ROOT, "wrong", None);
        let errors = report.finish::<()>(None).unwrap_err();
        assert_eq!(errors.errors[0].place.as_ref().unwrap().span, 0..2);
    }

    #[test]
    fn too_many_errors_are_counted_only() {
        let mut report = Report::new(None);
        for _ in 0..1000 {
            report.error(&(0..0), &Path::ROOT, "wrong", None);
        }
        let errors = report.finish::<()>(None).unwrap_err().errors;
        assert_eq!(errors.len(), MOST_ERRORS + 1);
        assert!(errors[MOST_ERRORS].message.starts_with("950 more"));
    }
}
