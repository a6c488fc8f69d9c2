//! Joints, as a scene file has them.

use schemars::JsonSchema;
use toml::de::DeValue;

use crate::report::Path;

use super::table::{Reader, Value};
use super::write::{bracketed, number, quoted, vector};
use super::{At, Number, Vector};

/// What holds a body to another, or to the world.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Joint")]
pub(crate) struct JointFile {
    /// What messages call it.
    pub name: Option<At<String>>,
    /// `ball`, `hinge`, `rod` or `rope`.
    pub kind: At<JointWord>,
    /// The body that it holds; of a repeated one, every copy by itself.
    pub body: At<String>,
    /// The body that it holds it to; the world if left out.
    pub to: Option<At<String>>,
    /// Where it is at the start, metres in the world; the position of the body if left out.
    pub at: Option<Vector>,
    /// The axis of a hinge, or what a ball may swing, of any length.
    pub axis: Option<Vector>,
    /// How far a hinge may turn from where it is at the start: the least and the largest
    /// angle, counter-clockwise seen against the axis; any if left out.
    pub degrees: Option<At<[Number; 2]>>,
    /// How far the axis of a ball may swing from where it is at the start, degrees; any if left
    /// out.
    pub swing: Option<Number>,
    /// The other end of a rod or a rope at the start, metres in the world.
    pub far: Option<Vector>,
    /// How long a rope is, metres; as long as it is at the start if left out.
    pub length: Option<Number>,
    /// How strongly a ball or a hinge resists turning, N m s; not at all if left out.
    pub damping: Option<Number>,
}

impl JointFile {
    /// A joint of a body with the world, at the body's position.
    pub(crate) fn new(kind: JointWord, body: &str) -> Self {
        Self {
            name: None,
            kind: kind.into(),
            body: body.to_string().into(),
            to: None,
            at: None,
            axis: None,
            degrees: None,
            swing: None,
            far: None,
            length: None,
            damping: None,
        }
    }
}

/// What a joint lets two bodies do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename = "JointKind", rename_all = "snake_case")]
pub(crate) enum JointWord {
    /// Turn about a common point.
    Ball,
    /// Turn about a common axis.
    Hinge,
    /// Keep two points at their distance.
    Rod,
    /// Let two points come no farther apart than this.
    Rope,
}

impl JointWord {
    const ALL: [Self; 4] = [Self::Ball, Self::Hinge, Self::Rod, Self::Rope];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Hinge => "hinge",
            Self::Rod => "rod",
            Self::Rope => "rope",
        }
    }
}

const KEYS: &[&str] = &["name", "kind", "body", "to", "at", "axis", "degrees", "swing", "far", "length", "damping"];

impl Reader<'_, '_> {
    pub(super) fn joint(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<JointFile> {
        let fields = self.table(value, path, KEYS)?;
        let help = "say which body it holds, as in body = \"door\"";
        let body = self.required(fields, "body", value, path, help);
        let body = body.and_then(|body| self.text(body, &path.key("body")));
        let help = "write kind = \"hinge\", \"ball\", \"rod\" or \"rope\"";
        let kind = self.required(fields, "kind", value, path, help);
        let kind = kind.and_then(|kind| self.joint_word(kind, &path.key("kind")));
        let joint = JointFile {
            name: self.optional(fields, "name", path, Self::text),
            to: self.optional(fields, "to", path, Self::text),
            at: self.optional(fields, "at", path, Self::vector),
            axis: self.optional(fields, "axis", path, Self::vector),
            degrees: self.optional(fields, "degrees", path, |reader, value, path| {
                reader.row(value, path, "the least and the largest angle in brackets", Self::number)
            }),
            swing: self.optional(fields, "swing", path, Self::number),
            far: self.optional(fields, "far", path, Self::vector),
            length: self.optional(fields, "length", path, Self::number),
            damping: self.optional(fields, "damping", path, Self::number),
            body: body?,
            kind: kind?,
        };
        Some(joint)
    }

    fn joint_word(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<JointWord>> {
        let word = match value.get_ref() {
            DeValue::String(text) => JointWord::ALL.into_iter().find(|kind| kind.word() == text.as_ref()),
            _ => None,
        };
        match word {
            Some(word) => Some(At::new(word, value.span())),
            None => self.expected("\"ball\", \"hinge\", \"rod\" or \"rope\"", value, path, ""),
        }
    }
}

/// The keys and values of a joint.
pub(super) fn lines(joint: &JointFile) -> Vec<(&'static str, String)> {
    let text = |text: &Option<At<String>>| text.as_ref().map(|text| quoted(&text.value));
    let place = |place: &Option<Vector>| place.as_ref().map(vector);
    let plain = |value: &Option<Number>| value.as_ref().map(number);
    let entries = [
        ("name", text(&joint.name)),
        ("kind", Some(quoted(joint.kind.value.word()))),
        ("body", Some(quoted(&joint.body.value))),
        ("to", text(&joint.to)),
        ("at", place(&joint.at)),
        ("axis", place(&joint.axis)),
        ("degrees", joint.degrees.as_ref().map(|ends| bracketed(ends.value.iter().map(number)))),
        ("swing", plain(&joint.swing)),
        ("far", place(&joint.far)),
        ("length", plain(&joint.length)),
        ("damping", plain(&joint.damping)),
    ];
    entries.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}
