//! Numbers that may be uncertain.

use std::sync::Arc;

use proscenium_chance::{Density, DensityError};
use proscenium_diagnostics::nearest;
use proscenium_work::Remedy as _;

use crate::file::{ComponentFile, DensityFile, Number, NumberFile, TruncatedNormalFile, Vector};
use crate::plan::{Quantity, Variable};
use crate::report::Path;

use super::{Checker, MOST_VARIABLES};

/// What a number must be.
pub(super) struct Rule {
    /// What the number is, for messages.
    pub what: &'static str,
    pub range: Range,
    /// What is usual.
    pub help: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Range {
    Any,
    Positive,
    NotNegative,
    /// From 0 to 1.
    Share,
}

impl Rule {
    pub(super) const ANY: Rule = Rule { what: "the number", range: Range::Any, help: "" };
}

impl Range {
    pub(super) fn holds(self, value: f64) -> bool {
        match self {
            Self::Any => true,
            Self::Positive => value > 0.0,
            Self::NotNegative => value >= 0.0,
            Self::Share => (0.0..=1.0).contains(&value),
        }
    }

    /// Whether everything that can be drawn lies within.
    fn holds_for(self, density: &Density) -> bool {
        let support = density.support();
        match self {
            // A density that begins at zero never gives exactly zero, unless
            // zero has a probability of its own.
            Self::Positive => support.low > 0.0 || (support.low == 0.0 && density.cdf(0.0) == 0.0),
            _ => self.holds(support.low) && self.holds(support.high),
        }
    }

    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Any => "be a number",
            Self::Positive => "be positive",
            Self::NotNegative => "be zero or more",
            Self::Share => "lie between 0 and 1",
        }
    }
}

/// The uncertain numbers in place of one thing, each with its name within it.
#[derive(Default)]
pub(super) struct LocalDensities {
    pub entries: Vec<(String, Arc<Density>)>,
}

impl Checker<'_, '_> {
    /// A number that must obey a rule.
    pub(super) fn quantity(
        &mut self,
        own: &mut LocalDensities,
        number: &Number,
        path: &Path<'_>,
        name: &str,
        rule: &Rule,
    ) -> Option<Quantity> {
        match &number.value {
            NumberFile::Value(value) => {
                if !rule.range.holds(*value) {
                    let message = format!("{} must {}", rule.what, rule.range.in_words());
                    self.error(&number.span, path, message, rule.help);
                    return None;
                }
                Some(Quantity::Fixed(*value))
            }
            NumberFile::Variable(text) if self.is_arithmetic(text) => self.arithmetic(text, number, path, rule),
            NumberFile::Variable(variable) => {
                let index = self.variable(variable, number, path)?;
                self.uncertain += 1;
                if let Some(density) = self.named[index].density.clone() {
                    self.allowed(&density, number, path, rule)?;
                }
                Some(Quantity::Named(index))
            }
            NumberFile::Density(density) => {
                let density = self.density(&ComponentFile::Density(density.clone()), &number.span, path)?;
                self.uncertain += 1;
                self.allowed(&density, number, path, rule)?;
                own.entries.push((name.to_string(), Arc::new(density)));
                Some(Quantity::Own(own.entries.len() - 1))
            }
        }
    }

    /// Three numbers without a rule.
    pub(super) fn vector(
        &mut self,
        own: &mut LocalDensities,
        vector: &Vector,
        path: &Path<'_>,
        name: &str,
    ) -> Option<[Quantity; 3]> {
        self.row(own, &vector.value, path, name, ["x", "y", "z"], &Rule::ANY)
    }

    /// Several numbers, named by their places.
    pub(super) fn row<const N: usize>(
        &mut self,
        own: &mut LocalDensities,
        row: &[Number; N],
        path: &Path<'_>,
        name: &str,
        places: [&str; N],
        rule: &Rule,
    ) -> Option<[Quantity; N]> {
        let mut quantities = [Some(Quantity::Fixed(0.0)); N];
        for index in 0..N {
            // Only a density needs its name.
            let full = match row[index].value {
                NumberFile::Density(_) => format!("{name}.{}", places[index]),
                _ => String::new(),
            };
            quantities[index] = self.quantity(own, &row[index], &path.index(index), &full, rule);
        }
        quantities
            .iter()
            .all(Option::is_some)
            .then(|| quantities.map(|quantity| quantity.unwrap_or(Quantity::Fixed(0.0))))
    }

    fn variable(&mut self, name: &str, number: &Number, path: &Path<'_>) -> Option<usize> {
        let found = self.named_index.get(name).copied();
        match found {
            Some(index) => self.named[index].used = true,
            None => {
                let known = || self.named.iter().map(|named| named.name.as_str());
                let near = if self.report.is_full() { None } else { nearest(name, known()) };
                let help = match near {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => "add it to the section [variables], or write a number without quotes".to_string(),
                };
                self.error(&number.span, path, format!("there is no variable \"{name}\""), &help);
            }
        }
        found
    }

    fn allowed(&mut self, density: &Density, number: &Number, path: &Path<'_>, rule: &Rule) -> Option<()> {
        if rule.range.holds_for(density) {
            return Some(());
        }
        let support = density.support();
        let (low, high) = (support.low, support.high);
        let message =
            format!("{} must {}, but this could be anything from {low} to {high}", rule.what, rule.range.in_words());
        let help =
            "restrict it: { truncated_normal = [mean, standard deviation, low, high] } or { uniform = [low, high] }";
        self.error(&number.span, path, message, help);
        None
    }

    /// A density, if it can be.
    pub(super) fn density(
        &mut self,
        density: &ComponentFile,
        span: &std::ops::Range<usize>,
        path: &Path<'_>,
    ) -> Option<Density> {
        match made(density) {
            Ok(density) => Some(density),
            Err(error) => {
                self.error(span, path, error.to_string(), &error.remedy().unwrap_or_default());
                None
            }
        }
    }

    /// Lists the uncertain numbers of a thing among all variables, once for
    /// each prefix; returns the index of the first.
    pub(super) fn settle(&mut self, own: LocalDensities, prefixes: &[&str]) -> usize {
        let first = self.variables.len();
        for prefix in prefixes {
            let dot = if prefix.is_empty() { "" } else { "." };
            for (name, density) in &own.entries {
                let name = format!("{prefix}{dot}{name}");
                self.variables.push(Variable { name, density: density.clone() });
            }
        }
        first
    }

    /// Whether so many more uncertain values are too many.
    pub(super) fn too_many_variables(&self, more: usize) -> bool {
        self.variables.len().saturating_add(more) > MOST_VARIABLES
    }
}

fn made(component: &ComponentFile) -> Result<Density, DensityError> {
    let density = match component {
        ComponentFile::Value(value) => return Density::constant(*value),
        ComponentFile::Density(density) => density,
    };
    match density {
        DensityFile::Constant(value) => Density::constant(*value),
        DensityFile::Normal([mean, deviation]) => Density::normal(*mean, *deviation),
        DensityFile::Uniform([low, high]) => Density::uniform(*low, *high),
        DensityFile::TruncatedNormal(truncated) => {
            let [mean, deviation, low, high] = match *truncated {
                TruncatedNormalFile::Row(row) => row,
                TruncatedNormalFile::Named { mean, standard_deviation, low, high } => {
                    [mean, standard_deviation, low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)]
                }
            };
            Density::truncated_normal(mean, deviation, low, high)
        }
        DensityFile::Exponential(mean) => {
            let positive = *mean > 0.0;
            let error = DensityError::NotPositive { family: "exponential", parameter: "mean", value: *mean };
            if positive { Density::exponential(1.0 / mean) } else { Err(error) }
        }
        DensityFile::LogNormal([mean, deviation]) => Density::log_normal(*mean, *deviation),
        DensityFile::Discrete(discrete) => {
            let weight = |index: usize| discrete.weights.as_ref().map_or(1.0, |weights| weights[index]);
            Density::discrete(discrete.values.iter().enumerate().map(|(index, value)| (*value, weight(index))))
        }
        DensityFile::Mixture(parts) => {
            let parts: Result<Vec<_>, DensityError> =
                parts.iter().map(|(weight, part)| Ok((made(part)?, *weight))).collect();
            Density::mixture(parts?)
        }
    }
}
