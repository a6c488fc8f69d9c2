//! What else a want may say: relations, speeds, openings, pictures and stretches of time.

use schemars::JsonSchema;

use crate::report::Path;

use super::super::table::{Reader, Value};
use super::super::write::{plain, quoted, row};
use super::write::{more, number, written};
use super::{At, BodiesFile, FaceFile};

/// Which side of a body should point at what.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Faces")]
pub(crate) struct FacesFile {
    /// The body that it should point at; of several, any of them.
    pub body: At<BodiesFile>,
    /// The side, by the axis of the shape; `+z` if left out.
    pub face: Option<FaceFile>,
    /// How far it may point elsewhere; 20 if left out.
    pub within_degrees: Option<At<f64>>,
}

/// How fast a body should be.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Speed")]
pub(crate) struct SpeedFile {
    /// At least so fast: m/s, or rad/s of a spin.
    pub at_least: Option<At<f64>>,
    /// At most so fast.
    pub at_most: Option<At<f64>>,
    /// How far beyond is 0.61 times as likely; a miss is a miss if left out.
    pub within: Option<At<f64>>,
}

/// What a body should go through.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Passes")]
pub(crate) struct PassesFile {
    /// The opening of a body, as it is at the start: an ellipse in the box around it,
    /// across its shortest edge.
    pub body: Option<At<String>>,
    /// The radius of a round opening, metres.
    pub ring: Option<At<f64>>,
    /// A plane: the direction across it.
    pub plane: Option<At<[f64; 3]>>,
    /// Where the middle of the opening is; the origin if left out.
    pub position: Option<At<[f64; 3]>>,
    /// In which direction; either way if left out, but for a plane.
    pub direction: Option<At<[f64; 3]>>,
    /// How often at least; 1 if left out.
    pub at_least: Option<At<u64>>,
    /// How often at most.
    pub at_most: Option<At<u64>>,
}

/// In which picture a body should be.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "OnScreen")]
pub(crate) struct OnScreenFile {
    /// The name of a camera of the scene.
    pub camera: At<String>,
    /// In which part of its picture: `left third`, `middle third`, `right third`, `top third`,
    /// `bottom third`, `left half`, `right half`, `top half`, `bottom half`; all of it if
    /// left out.
    pub part: Option<At<String>>,
    /// How far out of it is 0.61 times as likely, as a share of the picture; a miss is a
    /// miss if left out.
    pub within: Option<At<f64>>,
}

/// A place to look from.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Camera")]
pub(crate) struct CameraFile {
    /// What wants call it.
    pub name: At<String>,
    /// Where the eye is, metres.
    pub position: At<[f64; 3]>,
    /// What is in the middle of the picture, metres.
    pub target: At<[f64; 3]>,
    /// The angle from the lower to the upper edge of the picture; 40 if left out.
    pub fov_degrees: Option<At<f64>>,
    /// The width over the height of the picture; 16/9 if left out.
    pub aspect: Option<At<f64>>,
}

impl Reader<'_, '_> {
    pub(super) fn faces(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<FacesFile>> {
        let fields = self.table(value, path, &["body", "face", "within_degrees"])?;
        let help = "write { body = \"door\", face = \"+z\", within_degrees = 20 }";
        let body = self.required(fields, "body", value, path, help);
        let face = self.optional(fields, "face", path, Self::face);
        let within_degrees = self.optional(fields, "within_degrees", path, Self::placed);
        let body = self.bodies(body?, &path.key("body"))?;
        Some(At::new(FacesFile { body, face, within_degrees }, value.span()))
    }

    pub(super) fn speed(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<SpeedFile>> {
        let fields = self.table(value, path, &["at_least", "at_most", "within"])?;
        let at_least = self.optional(fields, "at_least", path, Self::placed);
        let at_most = self.optional(fields, "at_most", path, Self::placed);
        let within = self.optional(fields, "within", path, Self::placed);
        Some(At::new(SpeedFile { at_least, at_most, within }, value.span()))
    }

    pub(super) fn passes(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<PassesFile>> {
        if let toml::de::DeValue::String(_) = value.get_ref() {
            let body = self.text(value, path);
            return Some(At::new(PassesFile { body, ..PassesFile::default() }, value.span()));
        }
        let known = ["body", "ring", "plane", "position", "direction", "at_least", "at_most"];
        let fields = self.table(value, path, &known)?;
        let passes = PassesFile {
            body: self.optional(fields, "body", path, Self::text),
            ring: self.optional(fields, "ring", path, Self::placed),
            plane: self.optional(fields, "plane", path, Self::certain_vector),
            position: self.optional(fields, "position", path, Self::certain_vector),
            direction: self.optional(fields, "direction", path, Self::certain_vector),
            at_least: self.optional(fields, "at_least", path, Self::whole),
            at_most: self.optional(fields, "at_most", path, Self::whole),
        };
        Some(At::new(passes, value.span()))
    }

    pub(super) fn on_screen(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<OnScreenFile>> {
        let fields = self.table(value, path, &["camera", "part", "within"])?;
        let help = "write { camera = \"main\", part = \"left third\" }";
        let camera = self.required(fields, "camera", value, path, help);
        let part = self.optional(fields, "part", path, Self::text);
        let within = self.optional(fields, "within", path, Self::placed);
        let camera = self.text(camera?, &path.key("camera"))?;
        Some(At::new(OnScreenFile { camera, part, within }, value.span()))
    }

    /// Two times in brackets.
    pub(super) fn stretch(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<[f64; 2]>> {
        self.row(value, path, "two times in brackets", Self::finite)
    }

    pub(in crate::file) fn camera(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<CameraFile> {
        let fields = self.table(value, path, &["name", "position", "target", "fov_degrees", "aspect"])?;
        let help = "write name = \"main\", position = [0, 1, 2] and target = [0, 0, 0]";
        let name = self.required(fields, "name", value, path, help);
        let position = self.required(fields, "position", value, path, help);
        let target = self.required(fields, "target", value, path, help);
        let fov_degrees = self.optional(fields, "fov_degrees", path, Self::placed);
        let aspect = self.optional(fields, "aspect", path, Self::placed);
        let name = self.text(name?, &path.key("name"))?;
        let position = self.certain_vector(position?, &path.key("position"))?;
        let target = self.certain_vector(target?, &path.key("target"))?;
        Some(CameraFile { name, position, target, fov_degrees, aspect })
    }
}

/// The keys of a camera and their values.
pub(in crate::file) fn camera_lines(camera: &CameraFile) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("name", quoted(&camera.name.value)),
        ("position", row(&camera.position.value)),
        ("target", row(&camera.target.value)),
    ];
    lines.extend(camera.fov_degrees.as_ref().map(|fov| ("fov_degrees", plain(fov.value))));
    lines.extend(camera.aspect.as_ref().map(|aspect| ("aspect", plain(aspect.value))));
    lines
}

/// Pairs of keys and values, in braces.
fn table(pairs: [Option<(&str, String)>; 7]) -> String {
    let pairs: Vec<String> = pairs.into_iter().flatten().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", pairs.join(", "))
}

impl FacesFile {
    pub(super) fn text(&self) -> String {
        let face = more("face", self.face.as_ref().map(super::write::face));
        let within = more("within_degrees", self.within_degrees.as_ref().map(number));
        format!("{{ body = {}{face}{within} }}", written(&self.body.value))
    }
}

impl SpeedFile {
    pub(super) fn text(&self) -> String {
        let pair = |key, value: &Option<At<f64>>| value.as_ref().map(|value| (key, number(value)));
        let [least, most] = [pair("at_least", &self.at_least), pair("at_most", &self.at_most)];
        table([least, most, pair("within", &self.within), None, None, None, None])
    }
}

impl PassesFile {
    pub(super) fn text(&self) -> String {
        let vector = |key, value: &Option<At<[f64; 3]>>| value.as_ref().map(|value| (key, row(&value.value)));
        let times = |key, value: &Option<At<u64>>| value.as_ref().map(|value| (key, value.value.to_string()));
        table([
            self.body.as_ref().map(|body| ("body", quoted(&body.value))),
            self.ring.as_ref().map(|ring| ("ring", number(ring))),
            vector("plane", &self.plane),
            vector("position", &self.position),
            vector("direction", &self.direction),
            times("at_least", &self.at_least),
            times("at_most", &self.at_most),
        ])
    }
}

impl OnScreenFile {
    pub(super) fn text(&self) -> String {
        let part = more("part", self.part.as_ref().map(|part| quoted(&part.value)));
        let within = more("within", self.within.as_ref().map(number));
        format!("{{ camera = {}{part}{within} }}", quoted(&self.camera.value))
    }
}
