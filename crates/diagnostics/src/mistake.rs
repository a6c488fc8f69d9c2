//! What is wrong, and where.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use proscenium_work::Remedy;

/// A place in a text.
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

impl Place {
    /// The place of some bytes; a span that is not within the text, or not
    /// between its characters, is brought there.
    pub fn new(
        file: impl Into<String>,
        text: &str,
        span: Range<usize>,
        key: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let end = text.floor_char_boundary(span.end.clamp(start, text.len()));
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            file: file.into(),
            span: start..end,
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            key: key.into(),
            label: label.into(),
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong.
    pub message: String,
    /// Where; `None` if it is not in a file.
    pub place: Option<Place>,
    /// What was expected, or what would be right.
    pub help: Option<String>,
}

impl Mistake {
    /// What is wrong and where, with what stands there if it is given; without help.
    pub fn describe(&self, excerpt: Option<&str>) -> String {
        let place = self.place.as_ref();
        let at = place.map(|place| format!("{}:{}:{}: ", place.file, place.line, place.column)).unwrap_or_default();
        let label = place.map_or("", |place| &place.label);
        let label = if label.is_empty() { String::new() } else { format!(" ({label})") };
        let excerpt = excerpt.map(|excerpt| format!(": {excerpt}")).unwrap_or_default();
        format!("{at}{}{label}{excerpt}", self.message)
    }

    /// As [`describe`](Mistake::describe), with the help on a line of its own.
    pub fn explain_with(&self, excerpt: Option<&str>) -> String {
        let help = self.help.as_ref().map(|help| format!("\n  help: {help}")).unwrap_or_default();
        self.describe(excerpt) + &help
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.describe(None))
    }
}

impl std::error::Error for Mistake {}

impl Remedy for Mistake {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        self.help.as_deref().map(Cow::Borrowed)
    }

    fn explain(&self) -> String {
        self.explain_with(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_count_lines_and_characters() {
        let text = "x = 1\nü = \"ä\"; y = 2\n";
        let at = text.find("y =").unwrap();
        let place = Place::new("a.toml", text, at..at + 1, "y", "");
        assert_eq!((place.line, place.column, place.span), (2, 10, at..at + 1));
    }

    proptest! {
        #[test]
        fn any_span_is_brought_into_the_text(text in "\\PC{0,20}\n?\\PC{0,5}", start in 0_usize..60, end in 0_usize..60) {
            let place = Place::new("a", &text, start..end, "", "");
            prop_assert!(text.get(place.span).is_some());
            prop_assert!(place.line >= 1 && place.column >= 1);
        }
    }
}
