//! The parts of a model.

use glam::DVec3;
use proscenium_expression::{Binding, Names, Node, Tree};
use toml::de::DeTable;

use crate::geometry::{Part, Solid};
use crate::model::Output;

use super::Pending;
use super::table::{Reader, Value};

const KEYS: &[&str] = &["name", "parent", "each", "move", "axis", "angle", "box", "ball", "mesh", "colour"];

/// A model may have so many parts.
const MOST_PARTS: usize = 1000;

impl Reader<'_> {
    pub(super) fn parts(&mut self, root: &DeTable<'_>, names: &Names, outputs: &[Output]) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let Some(items) = root.get("part").and_then(|value| self.items(value, "part")) else {
            return parts;
        };
        // A part sees parameters, outputs and the number of its copy.
        let mut names = names.clone();
        names.bindings.retain(|_, binding| matches!(binding, Binding::Constant(_)));
        for (index, output) in outputs.iter().enumerate() {
            names.bindings.insert(output.name.clone(), Binding::Input(index as u16));
        }
        names.bindings.insert("k".into(), Binding::Input(outputs.len() as u16));
        for item in items.iter().take(MOST_PARTS) {
            let part = self.part(item, &names, &parts);
            parts.extend(part);
        }
        parts
    }

    fn part(&mut self, item: &Value<'_>, names: &Names, earlier: &[Part]) -> Option<Part> {
        let fields = self.fields(item, "part", KEYS)?;
        let Some(name) = fields.get("name").and_then(|value| self.text(value, "part.name")) else {
            self.error(item.span(), "part", "a part has no name", "expected name = \"car\"");
            return None;
        };
        let name = name.to_owned();
        let mut parent = None;
        if let Some(value) = fields.get("parent") {
            let wanted = self.text(value, "part.parent")?;
            parent = earlier.iter().position(|part| part.name == wanted);
            if parent.is_none() {
                self.error(
                    value.span(),
                    "part.parent",
                    format!("no earlier part is called `{wanted}`"),
                    "expected a part that stands above",
                );
            }
        }
        let each = fields.get("each").and_then(|value| self.boolean(value, "part.each")).unwrap_or(false);
        let half = fields.get("box").and_then(|value| self.numbers(value, "part.box"));
        let radius = fields.get("ball").and_then(|value| self.positive(value, "part.ball"));
        let solid = half.map(|half| Solid::Box(DVec3::from_array(half))).or(radius.map(Solid::Ball));
        let mesh_file = fields.get("mesh").and_then(|value| self.text(value, "part.mesh")).map(str::to_owned);
        if let (Some(value), true) = (fields.get("mesh"), solid.is_some()) {
            self.error(value.span(), "part.mesh", "a part looks like one thing", "expected one of box, ball and mesh");
        }
        let colour = fields.get("colour").and_then(|value| self.colour(value)).unwrap_or([0.6; 3]);
        let mut pending = Vec::new();
        self.three(fields, "move", [0.0; 3], item, names, &mut pending);
        self.three(fields, "axis", [0.0, 1.0, 0.0], item, names, &mut pending);
        match fields.get("angle") {
            Some(value) => pending.extend(self.pending(value, "part.angle".to_owned(), names)),
            None => pending.push(fixed(0.0, item)),
        }
        let placement = self.tape(names, &pending);
        Some(Part { name, parent, each, solid, mesh_file, mesh: None, colour, placement })
    }

    /// Three expressions, or what stands for them.
    fn three<'v, 'i>(
        &mut self,
        fields: &'v DeTable<'i>,
        key: &str,
        otherwise: [f64; 3],
        item: &'v Value<'i>,
        names: &Names,
        pending: &mut Vec<Pending<'v, 'i>>,
    ) {
        let Some(value) = fields.get(key) else {
            pending.extend(otherwise.map(|number| fixed(number, item)));
            return;
        };
        let key = format!("part.{key}");
        match self.items(value, &key) {
            Some(items) if items.len() == 3 => {
                for item in items {
                    pending.extend(self.pending(item, key.clone(), names));
                }
            }
            _ => self.error(value.span(), &key, "these are not three", "expected three numbers or expressions"),
        }
    }

    fn colour(&mut self, value: &Value<'_>) -> Option<[f32; 3]> {
        let text = self.text(value, "part.colour")?;
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => Some([16, 8, 0].map(|shift| (code >> shift & 255) as f32 / 255.0)),
            None => {
                self.error(value.span(), "part.colour", "this is not a colour", "expected one such as \"#c04020\"");
                None
            }
        }
    }
}

fn fixed<'v, 'i>(number: f64, item: &'v Value<'i>) -> Pending<'v, 'i> {
    Pending {
        tree: Tree { span: 0..0, node: Node::Number(number) },
        value: item,
        key: "part".to_owned(),
        is_condition: false,
    }
}
