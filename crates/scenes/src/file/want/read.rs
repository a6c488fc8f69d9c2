//! Reading wants.

use toml::de::DeValue;

use crate::report::Path;

use super::super::table::{Reader, Value};
use super::{
    At, BodiesFile, FaceFile, FaceUpFile, HitsFile, InsideFile, NearFile, PaceFile, PlaceFile, TurnedFile, UnmovedFile,
    WantFile,
};

const WANT: &[&str] = &[
    "name",
    "body",
    "at",
    "between",
    "before",
    "after",
    "always",
    "near",
    "inside",
    "face_up",
    "upright",
    "unmoved",
    "orientation",
    "velocity",
    "hits",
    "on",
    "touches",
    "faces",
    "speed",
    "spin",
    "passes",
    "on_screen",
    "not",
    "then",
    "of",
    "exactly",
    "at_least",
    "at_most",
    "weight",
];

impl Reader<'_, '_> {
    pub(in crate::file) fn want(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<WantFile> {
        let fields = self.table(value, path, WANT)?;
        let mut several = |key: &str| match fields.get(key) {
            Some(wants) => {
                let path = &path.key(key);
                let items = self.array(wants, path)?.iter().enumerate();
                Some(items.filter_map(|(index, item)| self.want(item, &path.index(index))).collect())
            }
            None => Some(Vec::new()),
        };
        let (of, then) = (several("of")?, several("then")?);
        let not = fields.get("not").and_then(|want| self.want(want, &path.key("not"))).map(Box::new);
        Some(WantFile {
            name: self.optional(fields, "name", path, Self::text),
            body: self.optional(fields, "body", path, Self::bodies),
            at: self.optional(fields, "at", path, Self::placed),
            between: self.optional(fields, "between", path, Self::stretch),
            before: self.optional(fields, "before", path, Self::placed),
            after: self.optional(fields, "after", path, Self::placed),
            always: self.optional(fields, "always", path, Self::placed_boolean),
            near: self.optional(fields, "near", path, Self::near),
            inside: self.optional(fields, "inside", path, Self::inside),
            face_up: self.optional(fields, "face_up", path, Self::face_up),
            upright: self.optional(fields, "upright", path, Self::placed_boolean),
            unmoved: self.optional(fields, "unmoved", path, Self::unmoved),
            orientation: self.optional(fields, "orientation", path, Self::turned),
            velocity: self.optional(fields, "velocity", path, Self::wanted_velocity),
            hits: self.optional(fields, "hits", path, Self::hits),
            on: self.optional(fields, "on", path, Self::bodies),
            touches: self.optional(fields, "touches", path, Self::bodies),
            faces: self.optional(fields, "faces", path, Self::faces),
            speed: self.optional(fields, "speed", path, Self::speed),
            spin: self.optional(fields, "spin", path, Self::speed),
            passes: self.optional(fields, "passes", path, Self::passes),
            on_screen: self.optional(fields, "on_screen", path, Self::on_screen),
            not,
            then,
            of,
            exactly: self.optional(fields, "exactly", path, Self::whole),
            at_least: self.optional(fields, "at_least", path, Self::whole),
            at_most: self.optional(fields, "at_most", path, Self::whole),
            weight: self.optional(fields, "weight", path, Self::placed),
        })
    }

    fn placed_boolean(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<bool>> {
        self.boolean(value, path).map(|boolean| At::new(boolean, value.span()))
    }

    pub(super) fn bodies(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<BodiesFile>> {
        let bodies = match value.get_ref() {
            DeValue::Array(_) => BodiesFile::Many(self.names(value, path)?),
            _ => BodiesFile::One(self.text(value, path)?.value),
        };
        Some(At::new(bodies, value.span()))
    }

    /// Names in brackets.
    pub(in crate::file) fn names(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<Vec<String>> {
        let items = self.array(value, path)?;
        let names = items.iter().enumerate().map(|(index, item)| self.text(item, &path.index(index)));
        names.map(|name| name.map(|name| name.value)).collect()
    }

    fn near(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<NearFile>> {
        let help = "write { position = [0.2, 0.0, 0.1], within = 0.02 } or { body = \"cup\", within = 0.05 }";
        let fields = self.any_table(value, path)?;
        self.check_keys(fields, path, if fields.has("body") { &["body", "within"] } else { &["position", "within"] });
        let within = self.required(fields, "within", value, path, help);
        let within = within.and_then(|within| self.placed(within, &path.key("within")));
        let near = match fields.get("body") {
            Some(body) => NearFile::Body { body: self.bodies(body, &path.key("body"))?, within: within? },
            None => {
                let position = self.required(fields, "position", value, path, help);
                let position = position.and_then(|position| self.place(position, &path.key("position")));
                NearFile::Place { position: position?, within: within? }
            }
        };
        Some(At::new(near, value.span()))
    }

    fn place(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<PlaceFile>> {
        let place = match value.get_ref() {
            DeValue::Array(items) if items.len() == 2 => {
                PlaceFile::Ground(self.row(value, path, "x and z in brackets", Self::finite)?.value)
            }
            _ => PlaceFile::Space(self.certain_vector(value, path)?.value),
        };
        Some(At::new(place, value.span()))
    }

    fn inside(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<InsideFile>> {
        let fields = self.any_table(value, path)?;
        let within = self.optional(fields, "within", path, Self::placed);
        let inside = match (fields.get("box"), fields.get("sphere"), fields.get("body")) {
            (Some(edges), None, None) => {
                self.check_keys(fields, path, &["box", "position", "within"]);
                let position = self.optional(fields, "position", path, Self::certain_vector);
                let edges = self.row(edges, &path.key("box"), "three edge lengths in brackets", Self::finite)?;
                InsideFile::Box { edges, position, within }
            }
            (None, Some(sphere), None) => {
                self.check_keys(fields, path, &["sphere", "position", "within"]);
                let position = self.optional(fields, "position", path, Self::certain_vector);
                InsideFile::Sphere { sphere: self.placed(sphere, &path.key("sphere"))?, position, within }
            }
            (None, None, Some(body)) => {
                self.check_keys(fields, path, &["body", "within"]);
                InsideFile::Body { body: self.bodies(body, &path.key("body"))?, within }
            }
            _ => {
                let help = "write { box = [1, 1, 1], position = [0, 0, 0] }, { sphere = 0.5, position = [0, 0, 0] } \
                            or { body = \"tray\" }";
                self.error(value.span(), path, "`inside` needs a box, a sphere or a body", help);
                return None;
            }
        };
        Some(At::new(inside, value.span()))
    }

    fn face_up(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<FaceUpFile>> {
        let face_up = match value.get_ref() {
            DeValue::Table(_) => {
                let fields = self.table(value, path, &["face", "within_degrees"])?;
                let face = self.required(fields, "face", value, path, "write { face = 6, within_degrees = 10 }");
                let within_degrees = self.optional(fields, "within_degrees", path, Self::placed);
                FaceUpFile::Within { face: self.face(face?, &path.key("face"))?, within_degrees }
            }
            _ => FaceUpFile::Face(self.face(value, path)?),
        };
        Some(At::new(face_up, value.span()))
    }

    pub(super) fn face(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<FaceFile> {
        match value.get_ref() {
            DeValue::Integer(_) => self.whole(value, path).map(|pips| FaceFile::Pips(pips.value)),
            DeValue::String(axis) => Some(FaceFile::Axis(axis.to_string())),
            _ => self.expected("1 to 6, or an axis such as \"+y\"", value, path, ""),
        }
    }

    fn unmoved(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<UnmovedFile>> {
        let unmoved = match value.get_ref() {
            DeValue::Table(_) => {
                let fields = self.table(value, path, &["within"])?;
                let within = self.required(fields, "within", value, path, "write true, or { within = 0.01 }");
                UnmovedFile::Within { within: self.placed(within?, &path.key("within"))? }
            }
            _ => UnmovedFile::Plain(self.boolean(value, path)?),
        };
        Some(At::new(unmoved, value.span()))
    }

    fn turned(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<TurnedFile>> {
        let help = "write { like = { axis = [0, 1, 0], degrees = 90 }, within_degrees = 10 }";
        let fields = self.table(value, path, &["like", "within_degrees"])?;
        let like = self.required(fields, "like", value, path, help);
        let within = self.required(fields, "within_degrees", value, path, help);
        let like = like.and_then(|like| self.orientation(like, &path.key("like")));
        let within_degrees = within.and_then(|within| self.placed(within, &path.key("within_degrees")));
        Some(At::new(TurnedFile { like: like?, within_degrees: within_degrees? }, value.span()))
    }

    fn wanted_velocity(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<PaceFile>> {
        let help = "write { like = [1.0, 0.0, 0.0], within = 0.1 }";
        let fields = self.table(value, path, &["like", "within"])?;
        let like = self.required(fields, "like", value, path, help);
        let within = self.required(fields, "within", value, path, help);
        let like = like.and_then(|like| self.certain_vector(like, &path.key("like")));
        let within = within.and_then(|within| self.placed(within, &path.key("within")));
        Some(At::new(PaceFile { like: like?, within: within? }, value.span()))
    }

    fn hits(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<HitsFile>> {
        let hits = match value.get_ref() {
            DeValue::Table(_) => {
                let fields =
                    self.table(value, path, &["body", "at_least", "at_most", "harder", "before", "at", "within"])?;
                let help = "write { body = \"drum\", at = 1.5, within = 0.02 } or { body = \"a\", before = \"b\" }";
                let body = self.required(fields, "body", value, path, help);
                let at_least = self.optional(fields, "at_least", path, Self::whole);
                let at_most = self.optional(fields, "at_most", path, Self::whole);
                let harder = self.optional(fields, "harder", path, Self::placed);
                let before = self.optional(fields, "before", path, Self::bodies);
                let at = self.optional(fields, "at", path, Self::placed);
                let within = self.optional(fields, "within", path, Self::placed);
                let body = self.bodies(body?, &path.key("body"))?;
                HitsFile::When { body, at_least, at_most, harder, before, at, within }
            }
            _ => HitsFile::Body(self.text(value, path)?),
        };
        Some(At::new(hits, value.span()))
    }
}
