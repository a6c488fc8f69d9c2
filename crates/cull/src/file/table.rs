//! Reading single values, with a message for each that is not what it should
//! be. `None` means that an error was noted.

use std::ops::Range;
use std::sync::Arc;

use proscenium_chance::Density;
use proscenium_diagnostics::nearest;
use proscenium_expression::{ExpressionError, Names, Node, Tree};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{ModelError, ModelErrors, Place};
use crate::recorded::RecordedMotion;

pub(super) type Value<'i> = Spanned<DeValue<'i>>;

/// More errors than this at once help nobody.
const MOST_ERRORS: usize = 50;

/// Reads values and keeps what is wrong with them.
pub(super) struct Reader<'t> {
    pub file: &'t str,
    pub text: &'t str,
    pub errors: Vec<ModelError>,
    /// The motion that the file is about, if it was recorded.
    pub recorded: Option<Arc<RecordedMotion>>,
}

impl<'t> Reader<'t> {
    pub(super) fn error(&mut self, span: Range<usize>, key: &str, message: impl Into<String>, help: impl Into<String>) {
        if self.errors.len() >= MOST_ERRORS {
            return;
        }
        let label = if key.is_empty() { String::new() } else { format!("in {key}") };
        let place = Some(Place::new(self.file, self.text, span, key, label));
        let help = Some(help.into()).filter(|help| !help.is_empty());
        self.errors.push(ModelError { message: message.into(), place, help });
    }

    pub(super) fn finish<T>(mut self, made: Option<T>) -> Result<T, ModelErrors> {
        if let (Some(made), true) = (made, self.errors.is_empty()) {
            return Ok(made);
        }
        if self.errors.is_empty() {
            self.error(0..0, "", "this is not a model", "begin with: format = 1");
        }
        self.errors.sort_by_key(|error| error.place.as_ref().map(|place| place.span.start));
        Err(ModelErrors { errors: self.errors, text: self.text.to_owned() })
    }

    pub(super) fn expected<T>(&mut self, what: &str, value: &Value<'_>, key: &str) -> Option<T> {
        let found = match value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.error(value.span(), key, format!("this is {found}"), format!("expected {what}"));
        None
    }

    /// The keys and values of a table in the order of the file.
    pub(super) fn entries<'v, 'i>(
        &mut self,
        value: &'v Value<'i>,
        key: &str,
    ) -> Vec<(String, Range<usize>, &'v Value<'i>)> {
        match value.get_ref() {
            DeValue::Table(table) => in_order(table),
            _ => {
                self.expected::<()>("a table", value, key);
                Vec::new()
            }
        }
    }

    /// A table whose keys are all known.
    pub(super) fn fields<'v, 'i>(
        &mut self,
        value: &'v Value<'i>,
        key: &str,
        known: &[&str],
    ) -> Option<&'v DeTable<'i>> {
        let DeValue::Table(table) = value.get_ref() else {
            return self.expected("a table", value, key);
        };
        for (name, span, _) in in_order(table) {
            if known.contains(&name.as_str()) {
                continue;
            }
            let help = match nearest(&name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("expected one of: {}", known.join(", ")),
            };
            let short: String = name.chars().take(40).collect();
            self.error(span, key, format!("unknown key `{short}`"), help);
        }
        Some(table)
    }

    pub(super) fn number(&mut self, value: &Value<'_>, key: &str) -> Option<f64> {
        let number = match value.get_ref() {
            DeValue::Float(float) => float.as_str().parse::<f64>().ok(),
            DeValue::Integer(whole) => {
                i64::from_str_radix(whole.as_str(), whole.radix()).ok().map(|whole| whole as f64)
            }
            _ => return self.expected("a number", value, key),
        };
        match number.filter(|number| number.is_finite()) {
            Some(number) => Some(number),
            None => {
                self.error(value.span(), key, "this is not a finite number", "expected a number such as 0.25");
                None
            }
        }
    }

    pub(super) fn positive(&mut self, value: &Value<'_>, key: &str) -> Option<f64> {
        let number = self.number(value, key)?;
        if number > 0.0 {
            return Some(number);
        }
        self.error(value.span(), key, format!("this is {number}"), "expected a number above zero");
        None
    }

    pub(super) fn whole(&mut self, value: &Value<'_>, key: &str, range: std::ops::RangeInclusive<u64>) -> Option<u64> {
        let number = self.number(value, key)?;
        let whole = number as u64;
        if number.fract() == 0.0 && number >= 0.0 && range.contains(&whole) {
            return Some(whole);
        }
        let help = format!("expected a whole number from {} to {}", range.start(), range.end());
        self.error(value.span(), key, format!("this is {number}"), help);
        None
    }

    pub(super) fn text<'v>(&mut self, value: &'v Value<'_>, key: &str) -> Option<&'v str> {
        match value.get_ref() {
            DeValue::String(text) => Some(text),
            _ => self.expected("a text in quotes", value, key),
        }
    }

    pub(super) fn boolean(&mut self, value: &Value<'_>, key: &str) -> Option<bool> {
        match value.get_ref() {
            DeValue::Boolean(boolean) => Some(*boolean),
            _ => self.expected("true or false", value, key),
        }
    }

    pub(super) fn items<'v, 'i>(&mut self, value: &'v Value<'i>, key: &str) -> Option<&'v [Value<'i>]> {
        match value.get_ref() {
            DeValue::Array(items) => Some(items),
            _ => self.expected("an array", value, key),
        }
    }

    pub(super) fn numbers<const N: usize>(&mut self, value: &Value<'_>, key: &str) -> Option<[f64; N]> {
        let items = self.items(value, key)?;
        if items.len() != N {
            self.error(value.span(), key, format!("here are {} numbers", items.len()), format!("expected {N} numbers"));
            return None;
        }
        let mut numbers = [0.0; N];
        for (number, item) in numbers.iter_mut().zip(items) {
            *number = self.number(item, key)?;
        }
        Some(numbers)
    }

    /// A number, or a density in place of one.
    pub(super) fn density(&mut self, value: &Value<'_>, key: &str) -> Option<Density> {
        let density = match value.get_ref() {
            DeValue::Table(_) => {
                let fields = self.fields(value, key, &["uniform", "normal", "exponential"])?;
                let uniform = fields.get("uniform").map(|inner| self.numbers(inner, key));
                let normal = fields.get("normal").map(|inner| self.numbers(inner, key));
                let exponential = fields.get("exponential").map(|inner| self.number(inner, key));
                match (uniform, normal, exponential) {
                    (Some(ends), None, None) => ends.map(|[low, high]| Density::uniform(low, high))?,
                    (None, Some(pair), None) => pair.map(|[mean, deviation]| Density::normal(mean, deviation))?,
                    (None, None, Some(rate)) => rate.map(Density::exponential)?,
                    _ => {
                        let help = "expected one of { uniform = [0, 1] }, { normal = [0, 1] }, { exponential = 1 }";
                        self.error(value.span(), key, "a density has one family", help);
                        return None;
                    }
                }
            }
            _ => Density::constant(self.number(value, key)?),
        };
        match density {
            Ok(density) => Some(density),
            Err(error) => {
                self.error(value.span(), key, error.to_string(), "");
                None
            }
        }
    }

    /// A number or the text of an expression.
    pub(super) fn expression(&mut self, value: &Value<'_>, key: &str, names: &Names) -> Option<Tree> {
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(_) | DeValue::Float(_) => {
                let number = self.number(value, key)?;
                let node = Node::Number(number);
                return Some(Tree { span: 0..0, node });
            }
            _ => return self.expected("an expression in quotes, or a number", value, key),
        };
        match names.parse(&text) {
            Ok(tree) => Some(tree),
            Err(wrong) => self.wrong(wrong, value, key),
        }
    }

    /// Notes what is wrong within the text of an expression.
    pub(super) fn wrong<T>(&mut self, wrong: ExpressionError, value: &Value<'_>, key: &str) -> Option<T> {
        let span = value.span();
        let inside = self.text.get(span.start + 1..span.end.saturating_sub(1));
        let is_plain = matches!(value.get_ref(), DeValue::String(text) if Some(text.as_ref()) == inside);
        let place = if is_plain { span.start + 1 + wrong.span.start..span.start + 1 + wrong.span.end } else { span };
        self.error(place, key, wrong.message, wrong.help);
        None
    }
}

fn in_order<'v, 'i>(table: &'v DeTable<'i>) -> Vec<(String, Range<usize>, &'v Value<'i>)> {
    let mut entries: Vec<_> = table.iter().map(|(key, value)| (key.get_ref().to_string(), key.span(), value)).collect();
    entries.sort_by_key(|(_, span, _)| span.start);
    entries
}
