//! Motion, modes, changes of mode, and signals.

use proscenium_expression::{Binding, Names, Tape};
use toml::de::{DeTable, DeValue};

use crate::model::{Reset, ResetValue, Signal, Switch};
use crate::system::Variable;

use super::table::{Reader, Value};

impl Reader<'_> {
    /// The modes, in the order of the file.
    pub(super) fn mode_names(&mut self, root: &DeTable<'_>, names: &mut Names) -> Vec<String> {
        let mut modes = Vec::new();
        let Some(section) = root.get("modes") else {
            return modes;
        };
        for (name, span, _) in self.entries(section, "modes") {
            if name == "first" {
                continue;
            }
            let key = format!("modes.{name}");
            if modes.len() == 100 {
                self.error(span, &key, "there are too many modes", "expected at most 100");
                break;
            }
            self.bind(names, &name, span, &key, Binding::Mode(modes.len() as u16));
            modes.push(name);
        }
        modes
    }

    pub(super) fn first_mode(&mut self, root: &DeTable<'_>, modes: &[String]) -> u8 {
        let Some(DeValue::Table(section)) = root.get("modes").map(|value| value.get_ref()) else {
            return 0;
        };
        match section.get("first") {
            Some(value) => self.mode(value, "modes.first", modes).unwrap_or(0),
            None => 0,
        }
    }

    fn mode(&mut self, value: &Value<'_>, key: &str, modes: &[String]) -> Option<u8> {
        let name = self.text(value, key)?;
        let place = modes.iter().position(|mode| mode == name);
        if place.is_none() {
            let known = if modes.is_empty() { "there are none".to_owned() } else { modes.join(", ") };
            self.error(value.span(), key, format!("`{name}` is not a mode"), format!("expected one of: {known}"));
        }
        place.map(|place| place as u8)
    }

    /// One tape per mode. A mode may replace equations of `[motion]`.
    pub(super) fn motion(
        &mut self,
        root: &DeTable<'_>,
        names: &Names,
        variables: &[Variable],
        modes: &[String],
    ) -> Vec<Tape> {
        let common = root.get("motion");
        self.check_motion(common, "motion", variables);
        let own = |mode: &str| match root.get("modes").map(|value| value.get_ref()) {
            Some(DeValue::Table(section)) => section.get(mode),
            _ => None,
        };
        let tables: Vec<(Option<&Value<'_>>, String)> = if modes.is_empty() {
            vec![(None, String::new())]
        } else {
            modes.iter().map(|mode| (own(mode), format!("modes.{mode}"))).collect()
        };
        let mut tapes = Vec::new();
        for (table, key) in tables {
            self.check_motion(table, &key, variables);
            let mut pending = Vec::new();
            for variable in variables {
                let within = |value: Option<&'_ Value<'_>>| match value.map(|value| value.get_ref()) {
                    Some(DeValue::Table(table)) => table.contains_key(variable.name.as_str()),
                    _ => false,
                };
                let (source, key) = if within(table) { (table, key.as_str()) } else { (common, "motion") };
                let Some(DeValue::Table(source)) = source.map(|value| value.get_ref()) else {
                    continue;
                };
                if let Some(value) = source.get(variable.name.as_str()) {
                    pending.extend(self.pending(value, format!("{key}.{}", variable.name), names));
                }
            }
            if pending.len() < variables.len() && self.errors.is_empty() {
                let missing = variables.iter().find(|variable| {
                    !pending.iter().any(|one| one.key.rsplit('.').next() == Some(variable.name.as_str()))
                });
                let name = missing.map_or("a variable", |variable| variable.name.as_str());
                let span = common.map_or(0..0, |value| value.span());
                let help = format!("expected {name} = \"…\" under [motion], how fast it changes per second");
                self.error(span, "motion", format!("nothing says how `{name}` moves"), help);
            }
            tapes.push(self.tape(names, &pending));
        }
        tapes
    }

    fn check_motion(&mut self, table: Option<&Value<'_>>, key: &str, variables: &[Variable]) {
        if let Some(table) = table {
            let known: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
            self.fields(table, key, &known);
        }
    }

    pub(super) fn switches(
        &mut self,
        root: &DeTable<'_>,
        names: &Names,
        variables: &[Variable],
        modes: &[String],
    ) -> Vec<Switch> {
        let mut switches = Vec::new();
        let Some(items) = root.get("switch").and_then(|value| self.items(value, "switch")) else {
            return switches;
        };
        for item in items {
            let Some(fields) = self.fields(item, "switch", &["from", "to", "when", "reset"]) else {
                continue;
            };
            let (Some(from), Some(to), Some(when)) = (fields.get("from"), fields.get("to"), fields.get("when")) else {
                let help = "expected from = \"…\", to = \"…\" and when = \"clock >= 3\"";
                self.error(item.span(), "switch", "a switch is incomplete", help);
                continue;
            };
            let from = self.mode(from, "switch.from", modes);
            let to = self.mode(to, "switch.to", modes);
            let when = self.pending(when, "switch.when".to_owned(), names);
            let resets = self.resets(fields.get("reset"), "switch.reset", names, variables);
            if let (Some(from), Some(to), Some(mut when)) = (from, to, when) {
                when.is_condition = true;
                let when = self.tape(names, std::slice::from_ref(&when));
                let mut switch = Switch { from, to, when, resets, held: None };
                switch.held = switch.held();
                switches.push(switch);
            }
        }
        switches
    }

    pub(super) fn signals(
        &mut self,
        root: &DeTable<'_>,
        names: &Names,
        variables: &[Variable],
        modes: &[String],
    ) -> Vec<Signal> {
        let mut signals = Vec::new();
        let Some(items) = root.get("signal").and_then(|value| self.items(value, "signal")) else {
            return signals;
        };
        for item in items {
            let Some(fields) = self.fields(item, "signal", &["name", "from", "to", "set"]) else {
                continue;
            };
            let Some(name) = fields.get("name").and_then(|value| self.text(value, "signal.name")) else {
                self.error(item.span(), "signal", "a signal has no name", "expected name = \"press\"");
                continue;
            };
            let name = name.to_owned();
            let from = fields.get("from").map(|value| self.mode(value, "signal.from", modes).unwrap_or(0));
            let to = fields.get("to").map(|value| self.mode(value, "signal.to", modes).unwrap_or(0));
            let resets = self.resets(fields.get("set"), "signal.set", names, variables);
            signals.push(Signal { name, from, to, resets });
        }
        signals
    }

    fn resets(&mut self, value: Option<&Value<'_>>, key: &str, names: &Names, variables: &[Variable]) -> Vec<Reset> {
        let mut resets = Vec::new();
        let Some(value) = value else {
            return resets;
        };
        for (name, span, value) in self.entries(value, key) {
            let Some(variable) = variables.iter().position(|variable| variable.name == name) else {
                self.error(span, key, format!("`{name}` is not a state variable"), "expected the name of one");
                continue;
            };
            let key = format!("{key}.{name}");
            let value = match value.get_ref() {
                DeValue::Table(_) => self.density(value, &key).map(ResetValue::Random),
                _ => self
                    .pending(value, key, names)
                    .map(|one| ResetValue::Expression(self.tape(names, std::slice::from_ref(&one)))),
            };
            resets.extend(value.map(|value| Reset { variable, value }));
        }
        resets
    }
}
