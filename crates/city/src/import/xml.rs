//! Elements of an XML text, with lines for errors.

use proscenium_work::{Halt, Progress};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::ImportError;

/// An element that starts, or an end.
pub(crate) enum Tag<'text> {
    /// An element with attributes; whether it ends at once.
    Start(BytesStart<'text>, bool),
    /// The end of the element with this name.
    End(String),
}

/// The elements of a text, one after the other.
pub(crate) struct Elements<'text> {
    text: &'text str,
    reader: Reader<&'text [u8]>,
    depth: usize,
    progress: &'text Progress,
    /// Elements and ends so far.
    count: usize,
}

/// After so many elements it is told how far the reading is; it is asked at
/// each whether to go on.
const TOLD: usize = 4096;

impl<'text> Elements<'text> {
    pub(crate) fn of(text: &'text str, progress: &'text Progress) -> Self {
        Self { text, reader: Reader::from_str(text), depth: 0, progress, count: 0 }
    }

    /// An error here.
    pub(crate) fn error(&self, what: impl Into<String>) -> ImportError {
        let position = (self.reader.buffer_position() as usize).min(self.text.len());
        let line = 1 + self.text.as_bytes()[..position].iter().filter(|byte| **byte == b'\n').count();
        ImportError::Xml { line, what: what.into() }
    }

    /// The next element or end; nothing at the end of the text.
    pub(crate) fn next(&mut self) -> Result<Option<Tag<'text>>, Halt<ImportError>> {
        self.count += 1;
        if self.count.is_multiple_of(TOLD) {
            let share = self.reader.buffer_position() as f64 / self.text.len() as f64;
            self.progress.tell("reading", share)?;
        }
        loop {
            self.progress.check()?;
            match self.reader.read_event() {
                Ok(Event::Start(start)) => {
                    self.depth += 1;
                    return Ok(Some(Tag::Start(start, false)));
                }
                Ok(Event::Empty(start)) => return Ok(Some(Tag::Start(start, true))),
                Ok(Event::End(end)) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Some(Tag::End(end.name().as_ref().to_string())));
                }
                Ok(Event::Eof) if self.depth == 0 => return Ok(None),
                Ok(Event::Eof) => {
                    return Err(self.error("the text ends within an element: it was cut short").into());
                }
                Ok(_) => {}
                Err(error) => return Err(self.error(error.to_string()).into()),
            }
        }
    }

    /// An attribute of an element, if it is there.
    pub(crate) fn attribute(&self, start: &BytesStart, name: &str) -> Result<Option<String>, ImportError> {
        let found = start.try_get_attribute(name).map_err(|error| self.error(error.to_string()))?;
        match found {
            Some(attribute) => {
                let value = attribute
                    .normalized_value(XmlVersion::Implicit1_0)
                    .map_err(|error| self.error(error.to_string()))?;
                Ok(Some(value.into_owned()))
            }
            None => Ok(None),
        }
    }

    /// An attribute that must be there.
    pub(crate) fn required(&self, start: &BytesStart, name: &str) -> Result<String, ImportError> {
        let element = start.name().as_ref().to_string();
        self.attribute(start, name)?.ok_or_else(|| self.error(format!("<{element}> lacks the attribute \"{name}\"")))
    }

    /// An attribute that must be a finite number.
    pub(crate) fn number(&self, start: &BytesStart, name: &str) -> Result<f64, ImportError> {
        let text = self.required(start, name)?;
        self.finite(name, &text)
    }

    /// A finite number.
    pub(crate) fn finite(&self, name: &str, text: &str) -> Result<f64, ImportError> {
        let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| self.error(format!("\"{name}\" is \"{text}\": a finite number is needed")))
    }

    /// An attribute that must be a whole number.
    pub(crate) fn whole<T: std::str::FromStr>(&self, start: &BytesStart, name: &str) -> Result<T, ImportError> {
        let text = self.required(start, name)?;
        text.trim().parse().map_err(|_| self.error(format!("\"{name}\" is \"{text}\": a whole number is needed")))
    }
}

/// The name of a text's first element.
pub(crate) fn root(text: &str) -> Result<Option<String>, Halt<ImportError>> {
    let nobody = Progress::none();
    let mut elements = Elements::of(text, &nobody);
    Ok(match elements.next() {
        Ok(Some(Tag::Start(start, _))) => Some(start.name().as_ref().to_string()),
        Ok(_) => None,
        Err(error) => return Err(error),
    })
}
