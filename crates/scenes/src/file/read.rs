//! From the text of a scene file to plain data.

use toml::de::{DeTable, DeValue};

use crate::error::Source;
use crate::report::{Path, Report};

use super::table::{Reader, Value};
use super::{
    At, BodyFile, CollisionFile, MaterialFile, MovesFile, PairFile, PushFile, RepeatFile, SceneFile, SpinFile,
    VelocityFile, ZoneFile,
};

/// The version of the format that this reader reads.
const FORMAT: u64 = 1;

/// In longer texts only the first syntax error is reported: there could be
/// as many as there are bytes.
const LONGEST_FULL_REPORT: usize = 200_000;

const SECTIONS: &[&str] = &[
    "format",
    "name",
    "duration",
    "gravity",
    "tolerance",
    "variables",
    "materials",
    "pair",
    "collision",
    "body",
    "joint",
    "groups",
    "camera",
    "want",
];
const BODY: &[&str] = &[
    "name",
    "shape",
    "fixed",
    "resting",
    "material",
    "colour",
    "position",
    "orientation",
    "velocity",
    "spin",
    "start",
    "takes_part",
    "mass_at_most",
    "zones",
    "pushes",
    "moves",
    "hidden",
    "pips",
    "repeat",
];

/// Reads the text of a source; `None` if that is hopeless. What is wrong is in
/// the report.
pub(crate) fn read(source: &Source, report: &mut Report<'_>) -> Option<SceneFile> {
    let document = parse(&source.text, report)?;
    let mut reader = Reader { report };
    reader.scene(&document)
}

pub(super) fn parse<'i>(text: &'i str, report: &mut Report<'_>) -> Option<Value<'i>> {
    let (table, errors) = if text.len() <= LONGEST_FULL_REPORT {
        let (table, errors) = DeTable::parse_recoverable(text);
        (Some(table), errors)
    } else {
        match DeTable::parse(text) {
            Ok(table) => (Some(table), Vec::new()),
            Err(error) => (None, vec![error]),
        }
    };
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        report.error(&span, &Path::ROOT, format!("this is not TOML: {}", error.message()), None);
    }
    let table = table.filter(|_| errors.is_empty())?;
    let span = table.span();
    Some(Value::new(span, DeValue::Table(table.into_inner())))
}

impl Reader<'_, '_> {
    fn scene(&mut self, document: &Value<'_>) -> Option<SceneFile> {
        let root = &Path::ROOT;
        let fields = self.any_table(document, root)?;
        match fields.get("format") {
            None => {
                self.error(0..0, &root.key("format"), "the file does not say its format", "begin it with: format = 1");
            }
            Some(value) => {
                let format = self.whole(value, &root.key("format"));
                // The other keys of another format would only cause more errors.
                if let Some(format) = format.filter(|format| format.value != FORMAT) {
                    let message = format!("format {} is not known here", format.value);
                    let help = if format.value > FORMAT {
                        "this version reads format 1: update proscenium"
                    } else {
                        "this version reads format 1: write format = 1"
                    };
                    self.error(format.span, &root.key("format"), message, help);
                    return None;
                }
            }
        }
        self.check_keys(fields, root, SECTIONS);
        let mut scene = SceneFile {
            name: self.optional(fields, "name", root, Self::text),
            duration: self.optional(fields, "duration", root, Self::placed),
            gravity: self.optional(fields, "gravity", root, Self::vector),
            tolerance: self.optional(fields, "tolerance", root, Self::placed),
            ..SceneFile::default()
        };
        if let Some(variables) = fields.get("variables") {
            self.variables(variables, &root.key("variables"), &mut scene);
        }
        if let Some(materials) = fields.get("materials") {
            self.materials(materials, &root.key("materials"), &mut scene);
        }
        scene.pairs = self.tables(fields.get("pair"), &root.key("pair"), Self::pair);
        scene.collisions = self.tables(fields.get("collision"), &root.key("collision"), Self::collision);
        scene.bodies = self.tables(fields.get("body"), &root.key("body"), Self::body);
        scene.joints = self.tables(fields.get("joint"), &root.key("joint"), Self::joint);
        if let Some(groups) = fields.get("groups") {
            self.groups(groups, &root.key("groups"), &mut scene);
        }
        scene.cameras = self.tables(fields.get("camera"), &root.key("camera"), Self::camera);
        scene.wants = self.tables(fields.get("want"), &root.key("want"), Self::want);
        Some(scene)
    }

    /// A certain number with its place.
    pub(super) fn placed(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<f64>> {
        self.finite(value, path).map(|number| At::new(number, value.span()))
    }

    fn variables(&mut self, value: &Value<'_>, path: &Path<'_>, scene: &mut SceneFile) {
        let Some(fields) = self.any_table(value, path) else {
            return;
        };
        for (key, value) in fields.in_order() {
            let name = key.get_ref().to_string();
            let density = self.component(value, &path.key(&name).of("variable", &name));
            scene
                .variables
                .extend(density.map(|density| (At::new(name.clone(), key.span()), At::new(density, value.span()))));
        }
    }

    fn materials(&mut self, value: &Value<'_>, path: &Path<'_>, scene: &mut SceneFile) {
        let Some(fields) = self.any_table(value, path) else {
            return;
        };
        for (key, value) in fields.in_order() {
            let name = key.get_ref().to_string();
            let material = self.material(value, &path.key(&name).of("material", &name));
            scene.materials.extend(material.map(|material| (At::new(name.clone(), key.span()), material)));
        }
    }

    fn groups(&mut self, value: &Value<'_>, path: &Path<'_>, scene: &mut SceneFile) {
        let Some(fields) = self.any_table(value, path) else {
            return;
        };
        for (key, value) in fields.in_order() {
            let name = key.get_ref().to_string();
            let names = self.names(value, &path.key(&name).of("group", &name));
            scene.groups.extend(names.map(|names| (At::new(name.clone(), key.span()), At::new(names, value.span()))));
        }
    }

    fn material(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<MaterialFile> {
        let known = ["density", "restitution", "friction", "rolling", "colour", "roughness", "metallic"];
        let fields = self.table(value, path, &known)?;
        Some(MaterialFile {
            density: self.optional(fields, "density", path, Self::number),
            restitution: self.optional(fields, "restitution", path, Self::number),
            friction: self.optional(fields, "friction", path, Self::number),
            rolling: self.optional(fields, "rolling", path, Self::number),
            colour: self.optional(fields, "colour", path, Self::text),
            roughness: self.optional(fields, "roughness", path, Self::placed),
            metallic: self.optional(fields, "metallic", path, Self::placed),
        })
    }

    /// An array of tables, as `[[body]]` makes it.
    fn tables<T>(
        &mut self,
        value: Option<&Value<'_>>,
        path: &Path<'_>,
        read: impl Fn(&mut Self, &Value<'_>, &Path<'_>) -> Option<T>,
    ) -> Vec<T> {
        let Some(value) = value else {
            return Vec::new();
        };
        let DeValue::Array(items) = value.get_ref() else {
            let help = format!("write [[{0}]] for each, with double brackets", path.last_key());
            self.expected::<()>("a list of tables", value, path, &help);
            return Vec::new();
        };
        items.iter().enumerate().filter_map(|(index, item)| read(self, item, &path.index(index))).collect()
    }

    fn pair(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<PairFile> {
        let fields = self.table(value, path, &["materials", "restitution", "friction", "rolling"])?;
        let help = "name the two materials, as in materials = [\"ivory\", \"felt\"]";
        let materials = self.required(fields, "materials", value, path, help);
        let restitution = self.optional(fields, "restitution", path, Self::number);
        let friction = self.optional(fields, "friction", path, Self::number);
        let rolling = self.optional(fields, "rolling", path, Self::number);
        let materials = self.row(materials?, &path.key("materials"), "the names of two materials", Self::text)?;
        Some(PairFile { materials, restitution, friction, rolling })
    }

    fn collision(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<CollisionFile> {
        let fields = self.table(value, path, &["bodies", "count", "lean", "restitution", "friction"])?;
        let bodies =
            self.required(fields, "bodies", value, path, "name the two bodies, as in bodies = [\"ball\", \"table\"]");
        let count = self.required(fields, "count", value, path, "say for how many collisions it holds");
        let row = |reader: &mut Self, lean: &Value<'_>, path: &Path<'_>| {
            reader.row(lean, path, "two numbers in brackets", Self::number)
        };
        let lean = self.optional(fields, "lean", path, row);
        let restitution = self.optional(fields, "restitution", path, Self::number);
        let friction = self.optional(fields, "friction", path, Self::number);
        let bodies = self.row(bodies?, &path.key("bodies"), "the names of two bodies", Self::text);
        let count = self.whole(count?, &path.key("count"));
        Some(CollisionFile { bodies: bodies?, count: count?, lean, restitution, friction })
    }

    fn body(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<BodyFile> {
        // The name comes first, so that errors can mention it.
        let name = match value.get_ref() {
            DeValue::Table(table) => table.get("name").and_then(|name| name.get_ref().as_str()).map(str::to_string),
            _ => None,
        };
        let path = &match &name {
            Some(name) => path.of("body", name),
            None => *path,
        };
        let fields = self.table(value, path, BODY)?;
        let name = self.required(fields, "name", value, path, "give every body a name, as in name = \"ball\"");
        let name = name.and_then(|name| self.text(name, &path.key("name")));
        let shape = self.required(fields, "shape", value, path, "give it a shape, as in shape = { sphere = 0.1 }");
        let shape = shape.and_then(|shape| self.shape(shape, &path.key("shape")));
        let fixed = self.optional(fields, "fixed", path, Self::boolean).unwrap_or(false);
        let resting = self.optional(fields, "resting", path, Self::boolean).unwrap_or(false);
        let hidden = self.optional(fields, "hidden", path, Self::boolean).unwrap_or(false);
        let pips = self.optional(fields, "pips", path, Self::boolean).unwrap_or(false);
        let material = self.optional(fields, "material", path, Self::text);
        let colour = self.optional(fields, "colour", path, Self::text);
        let position = self.optional(fields, "position", path, Self::vector);
        let orientation = self.optional(fields, "orientation", path, Self::orientation);
        let velocity = self.optional(fields, "velocity", path, Self::velocity);
        let spin = self.optional(fields, "spin", path, Self::spin);
        let start = self.optional(fields, "start", path, Self::number);
        let takes_part = self.optional(fields, "takes_part", path, Self::placed);
        let mass_at_most = self.optional(fields, "mass_at_most", path, Self::placed);
        let zones = self.optional(fields, "zones", path, Self::zones).unwrap_or_default();
        let pushes = self.tables(fields.get("pushes"), &path.key("pushes"), Self::push);
        let moves = self.optional(fields, "moves", path, Self::moves);
        let repeat = self.optional(fields, "repeat", path, Self::repeat);
        Some(BodyFile {
            name: name?,
            shape: shape?,
            fixed,
            resting,
            material,
            colour,
            position,
            orientation,
            velocity,
            spin,
            start,
            takes_part,
            mass_at_most,
            zones,
            pushes,
            moves,
            hidden,
            pips,
            repeat,
        })
    }

    fn zones(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<Vec<ZoneFile>> {
        let items = self.array(value, path)?;
        let mut zones = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let path = &path.index(index);
            let Some(fields) = self.table(item, path, &["shape", "position", "material"]) else {
                continue;
            };
            let help = "a zone is written as { shape = { box = [1, 1, 1] }, position = [0, 0, 0], material = \"oil\" }";
            let shape = self.required(fields, "shape", item, path, help);
            let shape = shape.and_then(|shape| self.region(shape, &path.key("shape")));
            let position = self.optional(fields, "position", path, Self::vector);
            let material = self.required(fields, "material", item, path, help);
            let material = material.and_then(|material| self.text(material, &path.key("material")));
            zones.extend(shape.zip(material).map(|(shape, material)| ZoneFile { shape, position, material }));
        }
        Some(zones)
    }

    fn push(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<PushFile> {
        let fields = self.table(value, path, &["at", "impulse"])?;
        let help = "a push is written as { at = 1.5, impulse = [0.1, 0.0, 0.0] }";
        let at = self.required(fields, "at", value, path, help);
        let impulse = self.required(fields, "impulse", value, path, help);
        let at = at.and_then(|at| self.number(at, &path.key("at")));
        let impulse = impulse.and_then(|impulse| self.vector(impulse, &path.key("impulse")));
        Some(PushFile { at: at?, impulse: impulse? })
    }

    fn moves(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<MovesFile>> {
        let fields = self.table(value, path, &["position", "axis", "degrees"])?;
        let position = self.optional(fields, "position", path, Self::vector);
        let axis = |reader: &mut Self, value: &Value<'_>, path: &Path<'_>| {
            reader.row(value, path, "an axis [x, y, z]", Self::finite)
        };
        let axis = self.optional(fields, "axis", path, axis);
        let degrees = self.optional(fields, "degrees", path, Self::number);
        if position.is_none() && degrees.is_none() {
            let help = "write { position = [\"0.5 * t\", 0, 0] } or { axis = [0, 1, 0], degrees = \"90 * t\" }";
            return self.expected("a position or degrees", value, path, help);
        }
        Some(At::new(MovesFile { position, axis, degrees }, value.span()))
    }

    fn velocity(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<VelocityFile>> {
        let velocity = match value.get_ref() {
            DeValue::Table(_) => {
                let fields = self.table(value, path, &["speed", "heading", "rise"])?;
                let help = "write [x, y, z] or { speed = 2.5, heading = 0.1, rise = 0.2 }";
                let speed = self.required(fields, "speed", value, path, help);
                let heading = self.optional(fields, "heading", path, Self::number);
                let rise = self.optional(fields, "rise", path, Self::number);
                VelocityFile::Polar { speed: self.number(speed?, &path.key("speed"))?, heading, rise }
            }
            _ => VelocityFile::Components(self.vector(value, path)?),
        };
        Some(At::new(velocity, value.span()))
    }

    fn spin(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<SpinFile>> {
        let spin = match value.get_ref() {
            DeValue::Array(_) => SpinFile::Components(self.vector(value, path)?),
            _ => SpinFile::Each(self.number(value, path)?),
        };
        Some(At::new(spin, value.span()))
    }

    fn repeat(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<RepeatFile>> {
        let fields = self.table(value, path, &["count", "offset", "interval", "grid", "spacing"])?;
        let repeat = match (fields.get("count"), fields.get("grid"), fields.get("spacing")) {
            (Some(count), None, None) => {
                let count = self.whole(count, &path.key("count"));
                let offset = self.optional(fields, "offset", path, Self::certain_vector);
                let interval = self.optional(fields, "interval", path, Self::placed);
                RepeatFile::Row { count: count?, offset, interval }
            }
            (None, Some(grid), Some(spacing)) if !fields.has("offset") && !fields.has("interval") => {
                let what = "three whole numbers in brackets";
                let grid = self.row(grid, &path.key("grid"), what, |reader, value, path| {
                    reader.whole(value, path).map(|whole| whole.value)
                });
                let spacing = self.certain_vector(spacing, &path.key("spacing"));
                RepeatFile::Grid { grid: grid?, spacing: spacing? }
            }
            _ => {
                let help =
                    "write { count = 10, offset = [0.1, 0, 0] } or { grid = [4, 1, 4], spacing = [0.1, 0, 0.1] }";
                self.error(value.span(), path, "`repeat` needs either a count or a grid with its spacing", help);
                return None;
            }
        };
        Some(At::new(repeat, value.span()))
    }
}
