//! The model file: from its text to a model that cannot be wrong.

mod assembly;
mod drive;
mod library;
mod look;
mod modes;
mod recorded;
mod table;

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use proscenium_expression::{Binding, Curve, Names, Operation, Tape, Tree, Writer};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::compile::CompileSettings;
use crate::error::ModelErrors;
use crate::model::{FIRST_VARIABLE, MODE, Model, Output, Statistic, TIME};
use crate::recorded::RecordedMotion;
use crate::system::{MOST_VARIABLES, Variable, Wrap};

use table::{Reader, Value};

const SECTIONS: &[&str] = &[
    "format",
    "name",
    "use",
    library::LIBRARY,
    "parameters",
    "curves",
    "inputs",
    "state",
    "define",
    "forcing",
    "modes",
    "motion",
    "switch",
    "signal",
    "output",
    "energy",
    "copies",
    "part",
    "cull",
    "statistic",
];

/// What a file may say about a motion that was recorded.
const RECORDED_SECTIONS: &[&str] =
    &["format", "name", "parameters", "curves", "define", "output", "copies", "part", "cull"];

/// Acceleration of gravity, metres per second squared; a parameter `g`
/// replaces it.
const GRAVITY: f64 = 9.81;

impl Model {
    /// Reads the text of a model file; `name` is what messages call it.
    ///
    /// # Errors
    /// Everything that is wrong, each with its place and what was expected.
    pub fn parse(name: &str, text: &str) -> Result<Self, ModelErrors> {
        Self::read(name, text, None)
    }

    fn read(name: &str, text: &str, recorded: Option<Arc<RecordedMotion>>) -> Result<Self, ModelErrors> {
        let mut reader = Reader { file: name, text, errors: Vec::new(), recorded };
        let table = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                reader.error(span, "", format!("this is not TOML: {}", error.message()), "");
                return reader.finish(None);
            }
        };
        match library::completed(text, table.get_ref()) {
            Ok(None) => {}
            Ok(Some(whole)) => return Self::read(name, &whole, reader.recorded),
            Err((message, help)) => {
                let span = table.get_ref().get("use").map_or(0..0, Spanned::span);
                reader.error(span, "use", message, help);
                return reader.finish(None);
            }
        }
        let span = table.span();
        let document = Value::new(span, DeValue::Table(table.into_inner()));
        let model = reader.model(&document);
        reader.finish(model)
    }
}

/// A result of a tape, still to be resolved, with the place it came from.
pub(super) struct Pending<'v, 'i> {
    pub tree: Tree,
    pub value: &'v Value<'i>,
    pub key: String,
    /// Whether it stands where a condition does.
    pub is_condition: bool,
}

impl Reader<'_> {
    fn model(&mut self, document: &Value<'_>) -> Option<Model> {
        let sections = if self.recorded.is_some() { RECORDED_SECTIONS } else { SECTIONS };
        let root = self.fields(document, "", sections)?;
        self.format(root)?;
        let mut names = Names { mode_input: MODE, ..Names::default() };
        names.bindings.insert("pi".into(), Binding::Constant(PI));
        names.bindings.insert("g".into(), Binding::Constant(GRAVITY));
        names.bindings.insert("t".into(), Binding::Input(TIME));
        let curves = self.curves(root, &mut names);
        self.parameters(root, &mut names);
        let (variables, initial) = match self.recorded.clone() {
            Some(recorded) => (self.channels(&recorded, &mut names), Vec::new()),
            None => self.state(root, &mut names),
        };
        let inputs = self.inputs(root, variables.len(), &mut names);
        let modes = self.mode_names(root, &mut names);
        self.definitions(root, &mut names);

        let motion = match &self.recorded {
            Some(_) => Vec::new(),
            None => self.motion(root, &names, &variables, &modes),
        };
        let first_mode = self.first_mode(root, &modes);
        let switches = self.switches(root, &names, &variables, &modes);
        let signals = self.signals(root, &names, &variables, &modes);
        let (outputs, output) = self.outputs(root, &names, &variables);
        let (energy, energy_of) = self.energy(root, &names, &variables);
        let driven = self.drive(root, &names, (&motion, &switches), &curves, &variables);
        let copies = self.copies(root, &names);
        let parts = self.parts(root, &names, &outputs);
        let settings = self.settings(root);
        let statistics = self.statistics(root, &outputs);
        let name = root.get("name").and_then(|value| self.text(value, "name")).unwrap_or("model").to_owned();
        if !self.errors.is_empty() {
            return None;
        }
        let variables = if self.recorded.is_some() { RecordedMotion::hidden() } else { variables };
        Some(Model {
            name,
            source: self.text.into(),
            variables,
            initial,
            inputs,
            outputs,
            modes,
            first_mode,
            motion,
            output,
            kept: usize::from(energy.is_some()),
            energy,
            energy_of,
            switches,
            signals,
            curves,
            forcing_period: driven.period,
            is_endless: driven.is_endless,
            longest_step: driven.longest_step,
            folds: driven.folds,
            copies,
            parts,
            settings,
            statistics,
            recorded: self.recorded.clone(),
        })
    }

    fn format(&mut self, root: &DeTable<'_>) -> Option<()> {
        let Some(value) = root.get("format") else {
            self.error(0..0, "format", "the file does not say its format", "begin it with: format = 1");
            return Some(());
        };
        if self.number(value, "format")? == 1.0 {
            return Some(());
        }
        self.error(
            value.span(),
            "format",
            "this format is not known here",
            "expected format = 1, or a newer version of this program",
        );
        None
    }

    /// Writes expressions to one tape.
    pub(super) fn tape(&mut self, names: &Names, pending: &[Pending<'_, '_>]) -> Tape {
        let mut writer = Writer::default();
        let mut results = Vec::new();
        for one in pending {
            let written = match one.is_condition {
                true => names.write_condition(&one.tree, &mut writer),
                false => names.write(&one.tree, &mut writer),
            };
            match written {
                Ok(slot) => results.push(slot),
                Err(wrong) => {
                    self.wrong::<()>(wrong, one.value, &one.key);
                    return Tape::default();
                }
            }
        }
        if writer.is_too_long() {
            if let Some(first) = pending.first() {
                self.error(
                    first.value.span(),
                    &first.key,
                    "the expressions are too long",
                    "expected fewer than 4000 operations",
                );
            }
            return Tape::default();
        }
        writer.finish(results)
    }

    pub(super) fn pending<'v, 'i>(
        &mut self,
        value: &'v Value<'i>,
        key: String,
        names: &Names,
    ) -> Option<Pending<'v, 'i>> {
        let tree = self.expression(value, &key, names)?;
        Some(Pending { tree, value, key, is_condition: false })
    }

    /// Gives a name a meaning, once.
    pub(super) fn bind(
        &mut self,
        names: &mut Names,
        name: &str,
        span: std::ops::Range<usize>,
        key: &str,
        binding: Binding,
    ) {
        let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_')
            && name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if !is_word || matches!(name, "and" | "or" | "not" | "t") || names.is_function(name) {
            let help = "expected letters, digits and _, not beginning with a digit, and not the name of a function";
            self.error(span, key, format!("`{name}` cannot be a name"), help);
        } else if names.bindings.contains_key(name) && !matches!(name, "g" | "pi") {
            self.error(span, key, format!("`{name}` has a meaning already"), "expected another name");
        } else {
            names.bindings.insert(name.to_owned(), binding);
        }
    }

    fn curves(&mut self, root: &DeTable<'_>, names: &mut Names) -> Vec<Curve> {
        let mut curves = Vec::new();
        let Some(section) = root.get("curves") else {
            return curves;
        };
        for (name, span, value) in self.entries(section, "curves") {
            let key = format!("curves.{name}");
            let Some(items) = self.items(value, &key) else {
                continue;
            };
            let points: Vec<[f64; 3]> = items.iter().filter_map(|item| self.numbers(item, &key)).collect();
            if !(4..=10_000).contains(&points.len()) {
                self.error(
                    span,
                    &key,
                    format!("a closed curve of {} points", points.len()),
                    "expected from 4 to 10000 points",
                );
                continue;
            }
            names.curves.insert(name.clone(), curves.len() as u16);
            curves.push(Curve { name, points });
        }
        curves
    }

    fn parameters(&mut self, root: &DeTable<'_>, names: &mut Names) {
        let own = root.get("parameters").map(|section| self.entries(section, "parameters")).unwrap_or_default();
        let used = root.get(library::LIBRARY).map(|section| self.entries(section, "parameters")).unwrap_or_default();
        let is_own = |name: &str| own.iter().any(|(own, ..)| own == name);
        let rest: Vec<_> = used.into_iter().filter(|(name, ..)| !is_own(name)).collect();
        for (name, span, value) in own.into_iter().chain(rest) {
            let key = format!("parameters.{name}");
            let number = match value.get_ref() {
                DeValue::Table(_) => self.unit(value, &key),
                DeValue::String(_) => self.constant(value, &key, names),
                _ => self.number(value, &key),
            };
            if let Some(number) = number {
                self.bind(names, &name, span, &key, Binding::Constant(number));
            }
        }
    }

    /// A number in a unit that is not SI.
    fn unit(&mut self, value: &Value<'_>, key: &str) -> Option<f64> {
        let fields = self.fields(value, key, &["rpm", "degrees", "hertz"])?;
        let units = [("rpm", TAU / 60.0), ("degrees", PI / 180.0), ("hertz", TAU)];
        let found = units.iter().find_map(|(unit, factor)| Some((fields.get(*unit)?, *factor)));
        let (inner, factor) = found?;
        Some(factor * self.number(inner, key)?)
    }

    /// An expression that is a number.
    pub(super) fn constant(&mut self, value: &Value<'_>, key: &str, names: &Names) -> Option<f64> {
        let tree = self.expression(value, key, names)?;
        match names.constant(&tree) {
            Ok(number) => Some(number),
            Err(wrong) => self.wrong(wrong, value, key),
        }
    }

    fn state(&mut self, root: &DeTable<'_>, names: &mut Names) -> (Vec<Variable>, Vec<proscenium_chance::Density>) {
        let (mut variables, mut initial) = (Vec::new(), Vec::new());
        let Some(section) = root.get("state") else {
            return (variables, initial);
        };
        for (name, span, value) in self.entries(section, "state") {
            let key = format!("state.{name}");
            if variables.len() == MOST_VARIABLES {
                let help = format!("expected at most {MOST_VARIABLES} state variables");
                self.error(span, &key, "there are too many state variables", help);
                break;
            }
            let Some(fields) = self.fields(value, &key, &["angle", "wrap", "initial", "range", "uncertainty"]) else {
                continue;
            };
            let is_angle = fields.get("angle").and_then(|value| self.boolean(value, &key)).unwrap_or(false);
            let period = fields.get("wrap").and_then(|value| self.positive(value, &key));
            let wrap = match (is_angle, period) {
                (true, _) => Some(Wrap { low: -PI, period: TAU }),
                (false, Some(period)) => Some(Wrap { low: 0.0, period }),
                (false, None) => None,
            };
            let range = fields.get("range").and_then(|value| self.numbers(value, &key)).map(|[low, high]| (low, high));
            if range.is_some_and(|(low, high)| low >= high) {
                self.error(
                    value.span(),
                    &key,
                    "the range is empty",
                    "expected range = [low, high] with low below high",
                );
            }
            let uncertainty = fields.get("uncertainty").and_then(|value| self.positive(value, &key));
            let help = "expected initial = 0.0, or initial = { uniform = [-1, 1] }";
            match fields.get("initial") {
                Some(start) => initial.extend(self.density(start, &key)),
                None => self.error(value.span(), &key, "`initial` is missing", help),
            }
            let input = FIRST_VARIABLE + variables.len() as u16;
            self.bind(names, &name, span, &key, Binding::Input(input));
            variables.push(Variable { name, wrap, range, uncertainty });
        }
        (variables, initial)
    }

    fn inputs(&mut self, root: &DeTable<'_>, variables: usize, names: &mut Names) -> Vec<(String, f64)> {
        let mut inputs = Vec::new();
        let Some(section) = root.get("inputs") else {
            return inputs;
        };
        for (name, span, value) in self.entries(section, "inputs") {
            let key = format!("inputs.{name}");
            let Some(number) = self.number(value, &key) else {
                continue;
            };
            let input = FIRST_VARIABLE + (variables + inputs.len()) as u16;
            self.bind(names, &name, span, &key, Binding::Input(input));
            inputs.push((name, number));
        }
        inputs
    }

    fn definitions(&mut self, root: &DeTable<'_>, names: &mut Names) {
        let Some(section) = root.get("define") else {
            return;
        };
        let mut trees = Vec::new();
        for (name, span, value) in self.entries(section, "define") {
            let key = format!("define.{name}");
            if let Some(tree) = self.expression(value, &key, names) {
                self.bind(names, &name, span, &key, Binding::Define(tree.clone()));
                trees.push(Pending { tree, value, key, is_condition: false });
            }
        }
        // Definitions are checked where they stand, used or not.
        for pending in &trees {
            self.tape(names, std::slice::from_ref(pending));
        }
    }

    fn outputs(&mut self, root: &DeTable<'_>, names: &Names, variables: &[Variable]) -> (Vec<Output>, Tape) {
        let mut pending = Vec::new();
        let mut outputs = Vec::new();
        let after = FIRST_VARIABLE + variables.len() as u16;
        let of_state = |input: u16| (MODE..after).contains(&input);
        match root.get("output") {
            Some(section) => {
                for (name, _, value) in self.entries(section, "output") {
                    if let Some(one) = self.pending(value, format!("output.{name}"), names) {
                        let alone = self.tape(names, std::slice::from_ref(&one));
                        outputs.push(Output { name, of_state: alone.reads(of_state) });
                        pending.push(one);
                    }
                }
            }
            // Without outputs the state is shown.
            None => {
                let mut writer = Writer::default();
                let mut results = Vec::new();
                for (index, variable) in variables.iter().enumerate() {
                    results.push(writer.push(Operation::Input(FIRST_VARIABLE + index as u16)));
                    outputs.push(Output { name: variable.name.clone(), of_state: true });
                }
                return (outputs, writer.finish(results));
            }
        }
        let tape = self.tape(names, &pending);
        (outputs, tape)
    }

    fn energy(&mut self, root: &DeTable<'_>, names: &Names, variables: &[Variable]) -> (Option<Tape>, Vec<usize>) {
        let Some(section) = root.get("energy") else {
            return (None, Vec::new());
        };
        let help = "expected value = \"…\", and speed = \"…\" if only one state variable is to be corrected, or several: [\"…\", \"…\"]";
        let Some(fields) = self.fields(section, "energy", &["value", "speed"]) else {
            return (None, Vec::new());
        };
        let Some(value) = fields.get("value") else {
            self.error(section.span(), "energy", "`value` is missing", help);
            return (None, Vec::new());
        };
        let each: Vec<&Value<'_>> = match fields.get("speed").map(|speed| (speed, speed.get_ref())) {
            Some((_, DeValue::Array(items))) => items.iter().collect(),
            Some((speed, _)) => vec![speed],
            None => Vec::new(),
        };
        let mut speeds = Vec::new();
        for speed in each {
            let name = self.text(speed, "energy.speed").unwrap_or_default().to_owned();
            match variables.iter().position(|variable| variable.name == name) {
                Some(index) => speeds.push(index),
                None => self.error(speed.span(), "energy.speed", format!("`{name}` is not a state variable"), help),
            }
        }
        let pending = self.pending(value, "energy.value".to_owned(), names);
        (pending.map(|one| self.tape(names, std::slice::from_ref(&one))), speeds)
    }

    /// By how much each copy is ahead; `k` counts them from 0.
    fn copies(&mut self, root: &DeTable<'_>, names: &Names) -> Vec<f64> {
        let Some(section) = root.get("copies") else {
            return vec![0.0];
        };
        let Some(fields) = self.fields(section, "copies", &["count", "ahead"]) else {
            return vec![0.0];
        };
        let count = fields.get("count").and_then(|value| self.whole(value, "copies.count", 1..=1000)).unwrap_or(1);
        let Some(value) = fields.get("ahead") else {
            return vec![0.0; count as usize];
        };
        let mut names = names.clone();
        let mut ahead = Vec::new();
        for k in 0..count {
            names.bindings.insert("k".into(), Binding::Constant(k as f64));
            match self.constant(value, "copies.ahead", &names) {
                Some(seconds) => ahead.push(seconds),
                None => return vec![0.0],
            }
        }
        ahead
    }

    fn settings(&mut self, root: &DeTable<'_>) -> CompileSettings {
        let mut settings = CompileSettings::default();
        let Some(section) = root.get("cull") else {
            return settings;
        };
        let known = ["step", "buffer_step", "important", "paths", "cells", "difference", "longest", "unseen"];
        let Some(fields) = self.fields(section, "cull", &known) else {
            return settings;
        };
        let mut positive =
            |name: &str| fields.get(name).and_then(|value| self.positive(value, &format!("cull.{name}")));
        let step = positive("step");
        let buffer_step = positive("buffer_step");
        let important = positive("important");
        let difference = positive("difference");
        let longest = positive("longest");
        let unseen = positive("unseen");
        settings.step = step;
        settings.buffer_step = buffer_step.unwrap_or(settings.buffer_step);
        settings.important = important.unwrap_or(settings.important).min(1.0);
        settings.difference = difference.unwrap_or(settings.difference);
        settings.longest = longest;
        settings.unseen = unseen.unwrap_or(settings.unseen);
        let mut whole =
            |name: &str, range| fields.get(name).and_then(|value| self.whole(value, &format!("cull.{name}"), range));
        settings.paths_per_cell = whole("paths", 10..=1_000_000).unwrap_or(settings.paths_per_cell as u64) as usize;
        settings.cells_per_variable =
            whole("cells", 4..=200).map(|cells| cells as usize).or(settings.cells_per_variable);
        settings
    }

    fn statistics(&mut self, root: &DeTable<'_>, outputs: &[Output]) -> Vec<Statistic> {
        let mut statistics = Vec::new();
        let Some(items) = root.get("statistic").and_then(|value| self.items(value, "statistic")) else {
            return statistics;
        };
        let places: BTreeMap<&str, usize> =
            outputs.iter().enumerate().map(|(index, output)| (output.name.as_str(), index)).collect();
        for item in items {
            let Some(fields) = self.fields(item, "statistic", &["of", "within"]) else {
                continue;
            };
            let of = fields.get("of").and_then(|value| self.text(value, "statistic.of"));
            let within =
                fields.get("within").and_then(|value| self.positive(value, "statistic.within")).unwrap_or(0.05);
            match of.and_then(|name| places.get(name)) {
                Some(&output) => statistics.push(Statistic { output, within }),
                None => {
                    self.error(item.span(), "statistic.of", "this names no output", "expected the name of an output")
                }
            }
        }
        statistics
    }
}
