//! Arithmetic in place of a number: what it may come to, and what it does.

use std::f64::consts::PI;
use std::ops::Range;

use proscenium_expression::{Binding, Names, Node, One, Operation, Tape, Two, Writer};

use crate::file::{Number, NumberFile};
use crate::moves::CoursePlan;
use crate::plan::{Formula, Quantity};
use crate::report::Path;

use super::Checker;
use super::quantity::Rule;

/// Whatever a value can be, as far as can be told.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    low: f64,
    high: f64,
}

impl Checker<'_, '_> {
    /// Whether a text is meant to be more than the name of a variable.
    pub(super) fn is_arithmetic(&self, text: &str) -> bool {
        let is_name = self.named_index.contains_key(text);
        !is_name && Names::default().parse(text).map_or(text.contains(' '), |tree| !matches!(tree.node, Node::Name(_)))
    }

    /// Arithmetic with variables that must obey a rule.
    pub(super) fn arithmetic(&mut self, text: &str, number: &Number, path: &Path<'_>, rule: &Rule) -> Option<Quantity> {
        let tape = self.tape(text, number, path, None)?;
        let inputs: Vec<usize> =
            (0..self.named.len()).filter(|k| tape.reads(|input| usize::from(input) == *k)).collect();
        for index in &inputs {
            self.named[*index].used = true;
        }
        let support = |index: usize| {
            let density = self.named[index].density.as_ref()?;
            let support = density.support();
            Some(Span { low: support.low, high: support.high })
        };
        let spans: Option<Vec<Span>> = (0..self.named.len()).map(support).collect();
        // A variable that is wrong was told before.
        let Some(span) = outcome(&tape, &spans?) else {
            let help = "keep roots and logarithms of what may be below zero, and divisions of zero by zero, out of it";
            self.error(&number.span, path, format!("`{text}` could be no number"), help);
            return None;
        };
        let (low, high) = (span.low, span.high);
        if !(rule.range.holds(low) && rule.range.holds(high)) {
            let must = rule.range.in_words();
            let message = format!("{} must {must}, but this could be anything from {low} to {high}", rule.what);
            let help = "restrict it with min(…, …) and max(…, …), or restrict the variables";
            self.error(&number.span, path, message, help);
            return None;
        }
        if inputs.is_empty() {
            return Some(Quantity::Fixed(low));
        }
        self.uncertain += 1;
        self.formulas.push(Formula { tape });
        Some(Quantity::Derived(self.formulas.len() - 1))
    }
}

impl Checker<'_, '_> {
    /// A number that may change with the time `t`, in which no density stands.
    pub(super) fn course(&mut self, number: &Number, path: &Path<'_>) -> Option<CoursePlan> {
        let text = match &number.value {
            NumberFile::Value(value) => return Some(CoursePlan::Fixed(*value)),
            NumberFile::Variable(text) => text,
            NumberFile::Density(_) => {
                let help = "name it in the section [variables], and write its name here";
                self.error(&number.span, path, "a density cannot stand where the time does", help);
                return None;
            }
        };
        let count = self.named.len();
        if self.named_index.contains_key("t") {
            let help = "give the variable another name: t is the time here";
            self.error(&number.span, path, "there is a variable \"t\"", help);
            return None;
        }
        let tape = self.tape(text, number, path, u16::try_from(count).ok())?;
        let inputs: Vec<usize> = (0..count).filter(|k| tape.reads(|input| usize::from(input) == *k)).collect();
        self.uncertain += usize::from(!inputs.is_empty());
        inputs.into_iter().for_each(|index| self.named[index].used = true);
        Some(CoursePlan::Changing(tape))
    }

    /// Arithmetic with the named variables, and with the time if that has an input.
    fn tape(&mut self, text: &str, number: &Number, path: &Path<'_>, time: Option<u16>) -> Option<Tape> {
        let mut names = Names::default();
        names.bindings.insert("pi".to_owned(), Binding::Constant(PI));
        names.bindings.extend(time.map(|input| ("t".to_owned(), Binding::Input(input))));
        for (index, named) in self.named.iter().enumerate() {
            if let Ok(index) = u16::try_from(index) {
                names.bindings.insert(named.name.clone(), Binding::Input(index));
            }
        }
        let mut writer = Writer::default();
        let written = names.parse(text).and_then(|tree| names.write(&tree, &mut writer));
        match written {
            Ok(slot) => Some(writer.finish(vec![slot])),
            Err(wrong) => {
                let known = match time {
                    Some(_) => "add it to the section [variables]; the time is t",
                    None => "add it to the section [variables]",
                };
                let help = wrong.help.replace(
                    "expected a parameter, a state variable, a definition, an input, a mode, t, pi or g",
                    known,
                );
                self.error(&within(&number.span, text, &wrong.span), path, wrong.message, &help);
                None
            }
        }
    }
}

/// The bytes of a part of a text in quotes.
fn within(span: &Range<usize>, text: &str, part: &Range<usize>) -> Range<usize> {
    // One quote on either side, and nothing in between that is written otherwise.
    if span.len() != text.len() + 2 {
        return span.clone();
    }
    let end = part.end.max(part.start + 1).min(text.len() + 1);
    span.start + 1 + part.start..span.start + 1 + end
}

/// What the only result of a tape can be; `None` if that could be no number.
fn outcome(tape: &Tape, inputs: &[Span]) -> Option<Span> {
    let mut values: Vec<Span> = Vec::with_capacity(tape.operations.len());
    for operation in &tape.operations {
        let at = |slot: u16| values[usize::from(slot)];
        let value = match *operation {
            Operation::Constant(value) if !value.is_finite() => return None,
            Operation::Constant(value) => Span { low: value, high: value },
            Operation::Input(index) => inputs[usize::from(index)],
            Operation::One(function, x) => one(function, at(x))?,
            Operation::Two(Two::Multiply, x, y) if x == y => square(at(x)),
            Operation::Two(function, x, y) => two(function, at(x), at(y))?,
            Operation::Select(_, yes, no) => {
                let (yes, no) = (at(yes), at(no));
                Span { low: yes.low.min(no.low), high: yes.high.max(no.high) }
            }
            Operation::Curve { .. } => return None,
        };
        if value.low.is_nan() || value.high.is_nan() {
            return None;
        }
        values.push(value);
    }
    values.get(usize::from(*tape.results.first()?)).copied()
}

const ANY: Span = Span { low: f64::NEG_INFINITY, high: f64::INFINITY };

fn square(x: Span) -> Span {
    let (a, b) = (x.low * x.low, x.high * x.high);
    let low = if x.low <= 0.0 && x.high >= 0.0 { 0.0 } else { a.min(b) };
    Span { low, high: a.max(b) }
}

fn one(function: One, x: Span) -> Option<Span> {
    let ends = |from: f64, to: f64| Span { low: function.apply(from), high: function.apply(to) };
    Some(match function {
        One::Negative => ends(x.high, x.low),
        One::Atan | One::Sinh | One::Tanh | One::Exp | One::Floor | One::Sign => ends(x.low, x.high),
        One::Sqrt | One::Log if x.low < 0.0 => return None,
        One::Asin | One::Acos if x.low < -1.0 || x.high > 1.0 => return None,
        One::Sqrt | One::Log | One::Asin => ends(x.low, x.high),
        One::Acos => ends(x.high, x.low),
        One::Sin | One::Cos => Span { low: -1.0, high: 1.0 },
        One::Tan => ANY,
        One::Cosh => Span { low: 1.0, high: function.apply(x.low).max(function.apply(x.high)) },
        One::Abs => {
            let low = if x.low <= 0.0 && x.high >= 0.0 { 0.0 } else { x.low.abs().min(x.high.abs()) };
            Span { low, high: x.low.abs().max(x.high.abs()) }
        }
    })
}

/// The least and the greatest of what the ends give; nothing times anything is nothing.
fn corners(function: Two, x: Span, y: Span) -> Span {
    let all = [(x.low, y.low), (x.low, y.high), (x.high, y.low), (x.high, y.high)];
    let value = |(x, y): (f64, f64)| match function {
        Two::Multiply if x == 0.0 || y == 0.0 => 0.0,
        _ => function.apply(x, y),
    };
    let values = all.map(value);
    Span {
        low: values.into_iter().fold(f64::INFINITY, f64::min),
        high: values.into_iter().fold(f64::NEG_INFINITY, f64::max),
    }
}

fn two(function: Two, x: Span, y: Span) -> Option<Span> {
    Some(match function {
        Two::Add | Two::Multiply | Two::Minimum | Two::Maximum => corners(function, x, y),
        Two::Subtract => corners(Two::Add, x, Span { low: -y.high, high: -y.low }),
        Two::Divide if y.low <= 0.0 && y.high >= 0.0 => {
            // Nothing over nothing is no number; a variable is hardly ever nothing at all.
            if y.low == 0.0 && y.high == 0.0 {
                return None;
            }
            ANY
        }
        Two::Divide => corners(Two::Multiply, x, Span { low: 1.0 / y.high, high: 1.0 / y.low }),
        Two::Power if x.low < 0.0 || (x.low == 0.0 && y.low < 0.0) => return None,
        Two::Power => corners(function, x, y),
        Two::Atan2 => Span { low: -PI, high: PI },
        Two::Modulo if y.low > 0.0 => Span { low: 0.0, high: y.high },
        Two::Modulo => return None,
        Two::Equal => Span { low: 0.0, high: 1.0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str, x: (f64, f64), y: (f64, f64)) -> Option<(f64, f64)> {
        let (tape, inputs) = (tape(text), [x, y].map(|(low, high)| Span { low, high }));
        outcome(&tape, &inputs).map(|span| (span.low, span.high))
    }

    fn tape(text: &str) -> Tape {
        let mut names = Names::default();
        for (index, name) in ["x", "y"].into_iter().enumerate() {
            names.bindings.insert(name.to_owned(), Binding::Input(index as u16));
        }
        let mut writer = Writer::default();
        let slot = names.write(&names.parse(text).unwrap(), &mut writer).unwrap();
        writer.finish(vec![slot])
    }

    #[test]
    fn what_arithmetic_can_come_to_is_enclosed() {
        let texts = [
            "x + y",
            "x - y",
            "x y",
            "x / (y + 3)",
            "x^2",
            "x^3 - y",
            "abs(x) y",
            "sin(x) + cos(y)",
            "max(x, min(y, 0))",
            "exp(x) / (1 + y^2)",
            "if(x > y, x, 2 y)",
            "sqrt(x^2)",
            "atan2(x, y)",
            "floor(3 x)",
            "-x + 2",
        ];
        for text in texts {
            let (x, y) = ((-1.5, 2.0), (-0.5, 1.25));
            let (low, high) = spans(text, x, y).unwrap();
            let tape = tape(text);
            for k in 0..400 {
                let at = |(low, high): (f64, f64), share: f64| low + (high - low) * share;
                let values = [at(x, f64::from(k % 20) / 19.0), at(y, f64::from(k / 20) / 19.0)];
                let value = tape.value(&values, &[], &mut Vec::new());
                assert!(
                    (low - 1e-12..=high + 1e-12).contains(&value),
                    "{text} at {values:?}: {value} in {low} to {high}"
                );
            }
        }
    }

    #[test]
    fn what_could_be_no_number_is_told() {
        for text in ["sqrt(x)", "log(x)", "x^0.5", "acos(2 x)", "mod(1, x)", "1 / 0"] {
            assert_eq!(spans(text, (-1.0, 1.0), (0.0, 1.0)), None, "{text}");
        }
        assert_eq!(spans("2 x + 0.1", (f64::NEG_INFINITY, 1.0), (0.0, 1.0)), Some((f64::NEG_INFINITY, 2.1)));
    }
}
