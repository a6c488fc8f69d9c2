//! Arithmetic in files: read once, resolved once, run often.
//!
//! An expression such as `2 sin(t) + v` is parsed to a [`Tree`], its names are resolved
//! by [`Names`], and it is written to a [`Tape`]: straight-line code in which equal
//! operations are done once and what is constant is folded. Model files and scene files
//! have the same language.
//!
//! ```
//! use proscenium_expression::{Binding, Names, Writer};
//!
//! let mut names = Names::default();
//! names.bindings.insert("v".to_owned(), Binding::Input(0));
//! let tree = names.parse("2 v + 0.1")?;
//! let mut writer = Writer::default();
//! let slot = names.write(&tree, &mut writer)?;
//! let tape = writer.finish(vec![slot]);
//! assert_eq!(tape.value(&[3.0], &[], &mut Vec::new()), 6.1);
//! # Ok::<(), proscenium_expression::ExpressionError>(())
//! ```
//!
//! It may not know what its names mean, nor the files that it stands in. Deliberately
//! absent: definitions of functions, loops and texts.

mod code;
mod curve;
mod parse;
mod tape;

use std::collections::BTreeMap;
use std::ops::Range;

pub use curve::Curve;
pub use parse::{ExpressionError, Node, Operator, Tree};
pub use tape::{One, Operation, Tape, Two, Writer};

use proscenium_diagnostics::nearest;

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A number.
    Constant(f64),
    /// A slot of the inputs.
    Input(u16),
    /// Another expression.
    Define(Tree),
    /// 1 while the system is in this mode, else 0.
    Mode(u16),
}

/// Everything that an expression may name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// What names stand for.
    pub bindings: BTreeMap<String, Binding>,
    /// Curves by name, with their number.
    pub curves: BTreeMap<String, u16>,
    /// Which input holds the mode.
    pub mode_input: u16,
}

const FUNCTIONS: &[(&str, usize)] = &[
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("sinh", 1),
    ("cosh", 1),
    ("tanh", 1),
    ("exp", 1),
    ("log", 1),
    ("sqrt", 1),
    ("abs", 1),
    ("floor", 1),
    ("sign", 1),
    ("atan2", 2),
    ("min", 2),
    ("max", 2),
    ("mod", 2),
    ("if", 3),
];

/// The components of a curve and of its first two derivatives.
const CURVE_PARTS: [(&str, u8, u8); 9] = [
    ("_x", 0, 0),
    ("_y", 1, 0),
    ("_z", 2, 0),
    ("_x'", 0, 1),
    ("_y'", 1, 1),
    ("_z'", 2, 1),
    ("_x''", 0, 2),
    ("_y''", 1, 2),
    ("_z''", 2, 2),
];

fn one(name: &str) -> Option<One> {
    Some(match name {
        "sin" => One::Sin,
        "cos" => One::Cos,
        "tan" => One::Tan,
        "asin" => One::Asin,
        "acos" => One::Acos,
        "atan" => One::Atan,
        "sinh" => One::Sinh,
        "cosh" => One::Cosh,
        "tanh" => One::Tanh,
        "exp" => One::Exp,
        "log" => One::Log,
        "sqrt" => One::Sqrt,
        "abs" => One::Abs,
        "floor" => One::Floor,
        "sign" => One::Sign,
        _ => return None,
    })
}

/// Whether expressions know a name without being told.
pub fn is_reserved(name: &str) -> bool {
    matches!(name, "t" | "g" | "pi" | "and" | "or" | "not") || FUNCTIONS.iter().any(|(known, _)| *known == name)
}

/// Less than zero for 0, more for 1: what a tape takes for true is zero or more.
fn above_zero(writer: &mut Writer, number: u16) -> u16 {
    let least = writer.constant(f64::MIN_POSITIVE);
    writer.two(Two::Subtract, number, least)
}

impl Names {
    /// Whether a name is that of a function, so that a parenthesis behind it is a call.
    pub fn is_function(&self, name: &str) -> bool {
        FUNCTIONS.iter().any(|(known, _)| *known == name) || self.curve_part(name).is_some()
    }

    fn curve_part(&self, name: &str) -> Option<(u16, u8, u8)> {
        CURVE_PARTS.iter().find_map(|(suffix, component, derivative)| {
            let curve = self.curves.get(name.strip_suffix(suffix)?)?;
            Some((*curve, *component, *derivative))
        })
    }

    /// Reads an expression; names are resolved when it is written to a tape.
    pub fn parse(&self, text: &str) -> Result<Tree, ExpressionError> {
        parse::parse(text, &|name| self.is_function(name))
    }

    /// The value of an expression that may only name constants.
    pub fn constant(&self, tree: &Tree) -> Result<f64, ExpressionError> {
        let mut writer = Writer::default();
        let slot = self.write(tree, &mut writer)?;
        match writer.constant_of(slot) {
            Some(value) if value.is_finite() => Ok(value),
            Some(value) => {
                Err(ExpressionError::new(tree.span.clone(), format!("this is {value}"), "expected a finite number"))
            }
            None => {
                let message = "this is not a constant";
                Err(ExpressionError::new(tree.span.clone(), message, "expected numbers and parameters only"))
            }
        }
    }

    /// Writes an expression to a tape; its value is in the slot.
    pub fn write(&self, tree: &Tree, writer: &mut Writer) -> Result<u16, ExpressionError> {
        self.write_within(tree, writer, &mut Vec::new())
    }

    fn write_within(&self, tree: &Tree, writer: &mut Writer, open: &mut Vec<String>) -> Result<u16, ExpressionError> {
        if writer.is_too_long() {
            let message = "the expressions are too long";
            return Err(ExpressionError::new(tree.span.clone(), message, "expected fewer than 4000 operations in all"));
        }
        match &tree.node {
            Node::Number(number) => Ok(writer.constant(*number)),
            Node::Name(name) => self.write_name(name, &tree.span, writer, open),
            Node::Negative(inner) => {
                let inner = self.write_within(inner, writer, open)?;
                Ok(writer.push(Operation::One(One::Negative, inner)))
            }
            Node::Not(_) => self.condition_as_number(tree, writer, open),
            Node::Binary(operator, ..) if operator.is_condition() => self.condition_as_number(tree, writer, open),
            Node::Binary(operator, left, right) => {
                let left = self.write_within(left, writer, open)?;
                let right = self.write_within(right, writer, open)?;
                Ok(match operator {
                    Operator::Add => writer.two(Two::Add, left, right),
                    Operator::Subtract => writer.two(Two::Subtract, left, right),
                    Operator::Multiply => writer.two(Two::Multiply, left, right),
                    Operator::Divide => writer.two(Two::Divide, left, right),
                    // Conditions were written above.
                    _ => writer.power(left, right),
                })
            }
            Node::Call(name, arguments) => self.write_call(name, arguments, &tree.span, writer, open),
        }
    }

    /// Writes a condition where a number is wanted: 1 or 0.
    fn condition_as_number(
        &self,
        tree: &Tree,
        writer: &mut Writer,
        open: &mut Vec<String>,
    ) -> Result<u16, ExpressionError> {
        let condition = self.condition_within(tree, writer, open)?;
        let (yes, no) = (writer.constant(1.0), writer.constant(0.0));
        Ok(writer.push(Operation::Select(condition, yes, no)))
    }

    /// Writes an expression that stands where a condition does: its value is zero
    /// or more when it holds, and changes sign where it begins to. A number holds if
    /// it is above 0, so that 1 holds and 0 does not.
    pub fn write_condition(&self, tree: &Tree, writer: &mut Writer) -> Result<u16, ExpressionError> {
        self.condition_within(tree, writer, &mut Vec::new())
    }

    fn condition_within(
        &self,
        tree: &Tree,
        writer: &mut Writer,
        open: &mut Vec<String>,
    ) -> Result<u16, ExpressionError> {
        match &tree.node {
            Node::Not(inner) => {
                let inner = self.condition_within(inner, writer, open)?;
                // What is just true is not false: zero holds on one side only.
                let outside = writer.push(Operation::One(One::Negative, inner));
                Ok(above_zero(writer, outside))
            }
            Node::Binary(
                operator @ (Operator::AtLeast | Operator::Above | Operator::AtMost | Operator::Below),
                left,
                right,
            ) => {
                let left = self.write_within(left, writer, open)?;
                let right = self.write_within(right, writer, open)?;
                let is_left_more = matches!(operator, Operator::AtLeast | Operator::Above);
                let (more, less) = if is_left_more { (left, right) } else { (right, left) };
                let by = writer.two(Two::Subtract, more, less);
                Ok(match operator {
                    Operator::Above | Operator::Below => above_zero(writer, by),
                    _ => by,
                })
            }
            Node::Binary(operator @ (Operator::And | Operator::Or), left, right) => {
                let left = self.condition_within(left, writer, open)?;
                let right = self.condition_within(right, writer, open)?;
                let both = if *operator == Operator::And { Two::Minimum } else { Two::Maximum };
                Ok(writer.two(both, left, right))
            }
            Node::Name(name) => match self.bindings.get(name) {
                Some(Binding::Define(inner)) => {
                    self.defined(name, &tree.span, open, |open| self.condition_within(inner, writer, open))
                }
                _ => self.number_as_condition(tree, writer, open),
            },
            Node::Call(name, arguments) if name == "if" && arguments.len() == 3 => {
                let mut slots = [0; 3];
                for (slot, argument) in slots.iter_mut().zip(arguments) {
                    *slot = self.condition_within(argument, writer, open)?;
                }
                Ok(writer.push(Operation::Select(slots[0], slots[1], slots[2])))
            }
            _ => self.number_as_condition(tree, writer, open),
        }
    }

    fn number_as_condition(
        &self,
        tree: &Tree,
        writer: &mut Writer,
        open: &mut Vec<String>,
    ) -> Result<u16, ExpressionError> {
        let number = self.write_within(tree, writer, open)?;
        Ok(above_zero(writer, number))
    }

    /// Writes what a name is defined as; what is wrong inside is told where the
    /// name stands.
    fn defined(
        &self,
        name: &str,
        span: &Range<usize>,
        open: &mut Vec<String>,
        write: impl FnOnce(&mut Vec<String>) -> Result<u16, ExpressionError>,
    ) -> Result<u16, ExpressionError> {
        if open.iter().any(|known| known == name) || open.len() > 60 {
            let message = format!("`{name}` is defined by itself");
            return Err(ExpressionError::new(span.clone(), message, "expected a definition that ends"));
        }
        open.push(name.to_owned());
        let slot = write(open).map_err(|mut wrong| {
            wrong.span = span.clone();
            wrong
        });
        open.pop();
        slot
    }

    fn write_name(
        &self,
        name: &str,
        span: &Range<usize>,
        writer: &mut Writer,
        open: &mut Vec<String>,
    ) -> Result<u16, ExpressionError> {
        match self.bindings.get(name) {
            Some(Binding::Constant(value)) => Ok(writer.constant(*value)),
            Some(Binding::Input(input)) => Ok(writer.push(Operation::Input(*input))),
            Some(Binding::Mode(mode)) => {
                let current = writer.push(Operation::Input(self.mode_input));
                let this = writer.constant(f64::from(*mode));
                Ok(writer.two(Two::Equal, current, this))
            }
            Some(Binding::Define(tree)) => self.defined(name, span, open, |open| self.write_within(tree, writer, open)),
            None => {
                let known = self.bindings.keys().map(String::as_str).chain(FUNCTIONS.iter().map(|(name, _)| *name));
                let help = match nearest(name, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "expected a parameter, a state variable, a definition, an input, a mode, t, pi or g".into(),
                };
                Err(ExpressionError::new(span.clone(), format!("`{name}` is not known"), help))
            }
        }
    }

    fn write_call(
        &self,
        name: &str,
        arguments: &[Tree],
        span: &Range<usize>,
        writer: &mut Writer,
        open: &mut Vec<String>,
    ) -> Result<u16, ExpressionError> {
        let curve = self.curve_part(name);
        let expected = FUNCTIONS.iter().find(|(known, _)| *known == name).map_or(1, |(_, count)| *count);
        if arguments.len() != expected {
            let message = format!("`{name}` takes {expected} numbers, not {}", arguments.len());
            let sample = ["x", "x, y", "condition, x, y"][expected.clamp(1, 3) - 1];
            return Err(ExpressionError::new(span.clone(), message, format!("expected {name}({sample})")));
        }
        let mut slots = Vec::with_capacity(expected);
        for (place, argument) in arguments.iter().enumerate() {
            let is_condition = name == "if" && place == 0;
            slots.push(match is_condition {
                true => self.condition_within(argument, writer, open)?,
                false => self.write_within(argument, writer, open)?,
            });
        }
        Ok(match (curve, name, &slots[..]) {
            (Some((curve, component, derivative)), _, &[at]) => {
                writer.push(Operation::Curve { curve, component, derivative, at })
            }
            (_, "atan2", &[x, y]) => writer.two(Two::Atan2, x, y),
            (_, "min", &[x, y]) => writer.two(Two::Minimum, x, y),
            (_, "max", &[x, y]) => writer.two(Two::Maximum, x, y),
            (_, "mod", &[x, y]) => writer.two(Two::Modulo, x, y),
            (_, "if", &[condition, yes, no]) => writer.push(Operation::Select(condition, yes, no)),
            (_, _, &[x, ..]) => match one(name) {
                Some(function) => writer.push(Operation::One(function, x)),
                None => x,
            },
            _ => writer.constant(0.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut names = Names::default();
        for (name, value) in [("a", 2.0), ("b", 3.0), ("r2", 0.8), ("pi", std::f64::consts::PI)] {
            names.bindings.insert(name.into(), Binding::Constant(value));
        }
        names.bindings.insert("x".into(), Binding::Input(0));
        names.bindings.insert("twice".into(), Binding::Define(names.parse("2 x").unwrap()));
        names.bindings.insert("loop".into(), Binding::Define(names.parse("loop + 1").unwrap()));
        names
    }

    fn value(text: &str, x: f64) -> Result<f64, ExpressionError> {
        let names = names();
        let mut writer = Writer::default();
        let slot = names.write(&names.parse(text)?, &mut writer)?;
        Ok(writer.finish(vec![slot]).value(&[x], &[], &mut Vec::new()))
    }

    #[test]
    fn values_are_right() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("2 a b", 12.0),
            ("2 (a + b)", 10.0),
            ("a (b + 1) a", 16.0),
            ("-a^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("6 / a / b", 1.0),
            ("6 / (a b)", 1.0),
            ("3 twice + x", 35.0),
            ("sin(0) + cos(0)", 1.0),
            ("max(a, b) min(a, b)", 6.0),
            ("mod(-1, 3)", 2.0),
            ("if(a >= b, 1, 2)", 2.0),
            ("if(a < b and not a > b, 1, 2)", 1.0),
            ("if(a > b or b > a, 1, 2)", 1.0),
            ("1e3 + 2.5e-1 + .5", 1000.75),
            ("3 r2 ** 2", 1.9200000000000004),
            ("2 · a − 1", 3.0),
            ("atan2(1, 1) 4 - pi", 0.0),
            ("sign(-3) abs(-3) floor(1.5)", -3.0),
            // A number holds above 0, and a condition is 1 or 0 where a number is wanted.
            ("if(0, 1, 2)", 2.0),
            ("if(1, 1, 2)", 1.0),
            ("if(not 0, 1, 2)", 1.0),
            ("if(0 or 1, 1, 2)", 1.0),
            ("if(0 or x - 7, 1, 2)", 2.0),
            ("3 (x > 2) + 5 (x < 2)", 3.0),
            ("if(if(x > 2, 0, 1), 1, 2)", 2.0),
            // What is equal is neither above nor below, and at most and at least.
            ("10 (a >= 2) + (a > 2)", 10.0),
            ("10 (a <= 2) + (a < 2)", 10.0),
            ("10 (not a >= 2) + (not a > 2)", 1.0),
            ("10 (a > 2 or a < 2) + (not (a > 2 or a < 2))", 1.0),
            ("10 (not not a >= 2) + (not not a > 2)", 10.0),
            ("if(0 > 0, 1, 2)", 2.0),
        ] {
            let found = value(text, 5.0).unwrap();
            assert!((found - expected).abs() < 1e-15, "{text}: {found}");
        }
    }

    #[test]
    fn what_is_wrong_has_a_place_and_what_was_expected() {
        for (text, place, words) in [
            ("1 + ", 4..4, "expected a number, a name"),
            ("(1 + 2", 6..6, "expected `)`"),
            ("1 + & 2", 4..5, "expected a number, a name, an operator"),
            ("sin 3", 4..5, "expected `(`"),
            ("max(1)", 0..6, "expected max(x, y)"),
            ("twise + 1", 0..5, "did you mean `twice`"),
            ("qqqqqq", 0..6, "expected a parameter"),
            ("loop", 0..4, "expected a definition that ends"),
            ("1 / a b", 6..7, "a / (b c)"),
            ("1 2)", 3..4, "expected an operator"),
            ("1e999", 0..5, "expected a number"),
        ] {
            let wrong = value(text, 0.0).unwrap_err();
            assert_eq!(wrong.span, place, "{text}: {wrong:?}");
            assert!(wrong.help.contains(words), "{text}: {wrong:?}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        for (open, close) in [("(", ")"), ("-", ""), ("not ", ""), ("sin(", ")"), ("2^", "")] {
            let text = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
            assert!(value(&text, 0.0).is_err());
        }
    }

    #[test]
    fn equal_parts_are_computed_once_and_constants_before() {
        let names = names();
        let mut writer = Writer::default();
        let slot = names.write(&names.parse("sin(a b x) + sin(a b x)^2").unwrap(), &mut writer).unwrap();
        let tape = writer.finish(vec![slot]);
        let sines = tape.operations.iter().filter(|o| matches!(o, Operation::One(One::Sin, _))).count();
        assert_eq!((sines, tape.operations.len()), (1, 6), "{tape:?}");
    }
}
