//! Reading single values, with a message for each that is not what it should
//! be. `None` means that an error was reported.

use std::ops::Range;

use proscenium_diagnostics::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::report::{Path, Report};

use super::{At, Vector};

pub(super) type Value<'i> = Spanned<DeValue<'i>>;

/// What other programs call things.
const SYNONYMS: &[(&str, &str)] = &[
    ("plane", "half_space"),
    ("ground", "half_space"),
    ("ball", "sphere"),
    ("cube", "box"),
    ("cuboid", "box"),
    ("convex", "hull"),
    ("heightfield", "spline_field"),
    ("rotation", "orientation"),
    ("angular_velocity", "spin"),
    ("bounciness", "restitution"),
    ("static", "fixed"),
    ("mass", "density"),
    ("gaussian", "normal"),
];

/// Reads values and reports what is wrong with them.
pub(super) struct Reader<'r, 's> {
    pub report: &'r mut Report<'s>,
}

/// A table whose keys are all known.
#[derive(Clone, Copy)]
pub(super) struct Fields<'t, 'i> {
    table: &'t DeTable<'i>,
}

impl<'t, 'i> Fields<'t, 'i> {
    pub(super) fn get(&self, key: &str) -> Option<&'t Value<'i>> {
        self.table.get(key)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Keys and values in the order of the file, whatever the order that the
    /// table keeps.
    pub(super) fn in_order(&self) -> Vec<(&'t Spanned<toml::de::DeString<'i>>, &'t Value<'i>)> {
        let mut entries: Vec<_> = self.table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
    }
}

impl Reader<'_, '_> {
    pub(super) fn error(&mut self, span: Range<usize>, path: &Path<'_>, message: impl Into<String>, help: &str) {
        let help = Some(help).filter(|help| !help.is_empty()).map(str::to_string);
        self.report.error(&span, path, message, help);
    }

    /// Reports a value of a wrong kind.
    pub(super) fn expected<T>(&mut self, what: &str, value: &Value<'_>, path: &Path<'_>, help: &str) -> Option<T> {
        let found = kind_of(value.get_ref());
        self.error(value.span(), path, format!("`{}` must be {what}, but is {found}", path.last_key()), help);
        None
    }

    /// A table of any keys.
    pub(super) fn any_table<'t, 'i>(&mut self, value: &'t Value<'i>, path: &Path<'_>) -> Option<Fields<'t, 'i>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(Fields { table }),
            _ => self.expected("a table", value, path, ""),
        }
    }

    /// A table; keys that are not known are reported, and read over.
    pub(super) fn table<'t, 'i>(
        &mut self,
        value: &'t Value<'i>,
        path: &Path<'_>,
        known: &[&str],
    ) -> Option<Fields<'t, 'i>> {
        let fields = self.any_table(value, path)?;
        self.check_keys(fields, path, known);
        Some(fields)
    }

    pub(super) fn check_keys(&mut self, fields: Fields<'_, '_>, path: &Path<'_>, known: &[&str]) {
        for (key, _) in fields.in_order() {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let synonym = SYNONYMS.iter().find(|(word, ours)| *word == name && known.contains(ours));
            let help = match synonym.map(|(_, ours)| *ours).or_else(|| nearest(name, known.iter().copied())) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", known.join(", ")),
            };
            self.error(key.span(), &path.key(name), format!("unknown key `{}`", shortened(name)), &help);
        }
    }

    /// What stands under a key that must be there.
    pub(super) fn required<'t, 'i>(
        &mut self,
        fields: Fields<'t, 'i>,
        key: &str,
        of: &Value<'_>,
        path: &Path<'_>,
        help: &str,
    ) -> Option<&'t Value<'i>> {
        let found = fields.get(key);
        if found.is_none() {
            self.error(of.span(), &path.key(key), format!("`{key}` is missing"), help);
        }
        found
    }

    /// A finite number.
    pub(super) fn finite(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<f64> {
        let number = self.number_or_infinity(value, path)?;
        if !number.is_finite() {
            let message = format!("`{}` must be a finite number, but is {number}", path.last_key());
            self.error(value.span(), path, message, "write an ordinary number, such as 0.25");
            return None;
        }
        Some(number)
    }

    /// A number that is not NaN.
    pub(super) fn number_or_infinity(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<f64> {
        let number = match value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            // Beyond 2⁵³ the nearest floating-point number is meant.
            DeValue::Integer(integer) => integer_value(integer).map(|whole| whole as f64),
            _ => return self.expected("a number", value, path, ""),
        };
        match number {
            Some(number) if !f64::is_nan(number) => Some(number),
            _ => {
                let message = format!("`{}` must be a finite number", path.last_key());
                self.error(value.span(), path, message, "write an ordinary number, such as 0.25");
                None
            }
        }
    }

    /// A whole number, zero or more.
    pub(super) fn whole(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<u64>> {
        let whole = match value.get_ref() {
            DeValue::Integer(integer) => integer_value(integer).and_then(|whole| u64::try_from(whole).ok()),
            _ => None,
        };
        match whole {
            Some(whole) => Some(At::new(whole, value.span())),
            None => self.expected("a whole number, zero or more", value, path, ""),
        }
    }

    pub(super) fn text(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<String>> {
        match value.get_ref() {
            DeValue::String(text) => Some(At::new(text.to_string(), value.span())),
            _ => self.expected("a text in quotes", value, path, ""),
        }
    }

    pub(super) fn boolean(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<bool> {
        match value.get_ref() {
            DeValue::Boolean(boolean) => Some(*boolean),
            _ => self.expected("true or false", value, path, ""),
        }
    }

    pub(super) fn array<'t, 'i>(&mut self, value: &'t Value<'i>, path: &Path<'_>) -> Option<&'t [Value<'i>]> {
        match value.get_ref() {
            DeValue::Array(items) => Some(items),
            _ => self.expected("an array", value, path, ""),
        }
    }

    /// An array of as many items as are needed, each read by `read`.
    pub(super) fn row<T: std::fmt::Debug, const N: usize>(
        &mut self,
        value: &Value<'_>,
        path: &Path<'_>,
        what: &str,
        read: impl Fn(&mut Self, &Value<'_>, &Path<'_>) -> Option<T>,
    ) -> Option<At<[T; N]>> {
        let DeValue::Array(items) = value.get_ref() else {
            return self.expected(what, value, path, "");
        };
        if items.len() != N {
            let message = format!("`{}` must be {what}, but has {} items", path.last_key(), items.len());
            self.error(value.span(), path, message, "");
            return None;
        }
        let read: Vec<Option<T>> =
            items.iter().enumerate().map(|(index, item)| read(self, item, &path.index(index))).collect();
        let read: Vec<T> = read.into_iter().collect::<Option<_>>()?;
        // The length was checked above, so the conversion succeeds.
        read.try_into().ok().map(|row| At::new(row, value.span()))
    }

    /// Three numbers, each of which may be uncertain.
    pub(super) fn vector(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<Vector> {
        self.row(value, path, "three numbers in brackets", Self::number)
    }

    /// Three certain numbers.
    pub(super) fn certain_vector(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<At<[f64; 3]>> {
        self.row(value, path, "three numbers in brackets", Self::finite)
    }

    /// Reads what stands under a key that may be left out.
    pub(super) fn optional<T>(
        &mut self,
        fields: Fields<'_, '_>,
        key: &str,
        path: &Path<'_>,
        read: impl FnOnce(&mut Self, &Value<'_>, &Path<'_>) -> Option<T>,
    ) -> Option<T> {
        fields.get(key).and_then(|value| read(self, value, &path.key(key)))
    }
}

fn integer_value(integer: &toml::de::DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// What a value is, in words.
fn kind_of(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text \"{}\"", shortened(text)),
        DeValue::Integer(integer) => shortened(integer.as_str()),
        DeValue::Float(float) => shortened(float.as_str()),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(_) => "a date".to_string(),
        DeValue::Array(items) => format!("an array of {}", items.len()),
        DeValue::Table(_) => "a table".to_string(),
    }
}

/// The beginning of a text that may be very long.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    let mut short: String = text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}
