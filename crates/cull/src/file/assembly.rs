//! Several systems in one file: each `[[system]]` is a model of its own, whose sections are
//! `[system.state]`, `[system.motion]`, …; `[place.NAME]` says where it stands and what it
//! reads from others.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use toml::de::{DeTable, DeValue};

use crate::assembly::{Assembly, Member, Reading};
use crate::error::ModelErrors;
use crate::model::Model;

use super::table::{Reader, Value};

/// So many systems may stand in one file.
const MOST_SYSTEMS: usize = 100;

const SECTIONS: &[&str] = &["format", "name", "system", "place"];

impl Assembly {
    /// Whether a file has several systems.
    pub fn is_one(text: &str) -> bool {
        DeTable::parse(text).is_ok_and(|table| table.get_ref().get("system").is_some())
    }

    /// Reads the text of a file with several systems; `name` is what messages call it.
    ///
    /// # Errors
    /// Everything that is wrong, each with its place and what was expected.
    pub fn parse(name: &str, text: &str) -> Result<Self, ModelErrors> {
        let mut reader = Reader { file: name, text, errors: Vec::new(), recorded: None };
        let table = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                reader.error(span, "", format!("this is not TOML: {}", error.message()), "");
                return reader.finish(None);
            }
        };
        let span = table.span();
        let document = Value::new(span, DeValue::Table(table.into_inner()));
        let assembly = reader.assembly(&document);
        reader.finish(assembly)
    }
}

impl Reader<'_> {
    fn assembly(&mut self, document: &Value<'_>) -> Option<Assembly> {
        let root = self.fields(document, "", SECTIONS)?;
        self.format(root)?;
        let name = root.get("name").and_then(|value| self.text(value, "name")).unwrap_or("model").to_owned();
        let items = root.get("system").and_then(|value| self.items(value, "system"))?;
        if items.len() > MOST_SYSTEMS {
            self.error(items[MOST_SYSTEMS].span(), "system", "there are too many systems", "expected at most 100");
            return None;
        }
        let mut members: Vec<Member> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match Model::parse(self.file, &alone(self.text, index)) {
                Ok(model) if members.iter().any(|member| member.model.name == model.name) => {
                    let message = format!("two systems are called `{}`", model.name);
                    self.error(item.span(), "system", message, "expected a name of its own for each");
                }
                Ok(model) => members.push(Member::new(model)),
                Err(errors) => self.errors.extend(errors.errors),
            }
        }
        // Who is not there because of a mistake is not missed.
        if !self.errors.is_empty() {
            return None;
        }
        let places = root.get("place").map(|section| self.entries(section, "place")).unwrap_or_default();
        for (name, span, value) in places {
            let key = format!("place.{name}");
            let Some(index) = members.iter().position(|member| member.model.name == name) else {
                self.error(span, &key, format!("no system is called `{name}`"), "expected the name of a system above");
                continue;
            };
            self.place(value, &key, index, &mut members);
        }
        Some(Assembly { name, members })
    }

    /// Where a system stands, and what it reads.
    fn place(&mut self, value: &Value<'_>, key: &str, index: usize, members: &mut [Member]) {
        let Some(fields) = self.fields(value, key, &["position", "turn", "reads"]) else {
            return;
        };
        if let Some(position) = fields.get("position").and_then(|value| self.numbers(value, key)) {
            members[index].position = DVec3::from_array(position);
        }
        if let Some(degrees) = fields.get("turn").and_then(|value| self.number(value, key)) {
            members[index].orientation = DQuat::from_rotation_y(degrees * PI / 180.0);
        }
        let reads = fields.get("reads").map(|section| self.entries(section, key)).unwrap_or_default();
        for (input, span, value) in reads {
            let help = "expected input = \"system.output\"";
            let Some((other, output)) = self.text(value, key).and_then(|text| text.split_once('.')) else {
                self.error(value.span(), key, "this names no output of a system", help);
                continue;
            };
            let source = members.iter().position(|member| member.model.name == other);
            let output = source.and_then(|source| members[source].model.output_index(output));
            let known = members[index].model.inputs.iter().position(|(name, _)| *name == input);
            match (known, source, output) {
                (Some(input), Some(system), Some(output)) => {
                    members[index].reads.push(Reading { input, system, output });
                }
                (None, ..) => self.error(span, key, format!("it has no input `{input}`"), help),
                _ => self.error(value.span(), key, "there is no such output", help),
            }
        }
    }
}

/// A file in which only one of its systems stands, as a model: what is not its own is
/// empty, so that places in messages stay where they are.
fn alone(text: &str, wanted: usize) -> String {
    let mut systems = 0;
    let mut is_own = false;
    let mut alone = String::with_capacity(text.len());
    for line in text.split('\n') {
        let start = line.trim_start();
        let inner = start.trim_start_matches('[');
        let is_header = inner.len() < start.len() && inner.starts_with(|first: char| first.is_ascii_alphabetic());
        if start.starts_with("[[system]]") {
            systems += 1;
            is_own = systems == wanted + 1;
            alone.push_str(if is_own { "format = 1" } else { "" });
        } else if is_header {
            is_own = inner.starts_with("system.") && systems == wanted + 1;
            if is_own {
                alone.push_str(&line.replacen("system.", "", 1));
            }
        } else if is_own {
            alone.push_str(line);
        }
        alone.push('\n');
    }
    alone
}
