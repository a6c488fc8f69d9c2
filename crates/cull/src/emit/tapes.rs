//! Expressions and densities as source text.

use proscenium_chance::Density;
use proscenium_expression::{One, Operation, Tape, Two};

use crate::model::{FIRST_VARIABLE, MODE, Model, Reset, ResetValue, TIME};

use super::Dialect;

/// A tape as statements; `v0`, `v1`, … are its slots.
pub(super) fn statements(dialect: &dyn Dialect, model: &Model, tape: &Tape) -> String {
    named(dialect, tape, &|input| match input {
        TIME => "time".to_owned(),
        MODE => dialect.mode().to_owned(),
        input if input < model.first_input() => {
            let variable = usize::from(input - FIRST_VARIABLE);
            let value = format!("values[{variable}]");
            match model.folds.iter().find(|(index, _)| *index == variable) {
                Some((_, wrap)) => {
                    let [low, period] = [wrap.low, wrap.period].map(|number| dialect.number(number));
                    format!("{}({value}, {low}, {period})", dialect.own("fold"))
                }
                None => value,
            }
        }
        input => format!("inputs[{}]", input - model.first_input()),
    })
}

/// The same of a tape whose inputs are called otherwise.
pub(super) fn named(dialect: &dyn Dialect, tape: &Tape, input: &dyn Fn(u16) -> String) -> String {
    let each = tape.operations.iter().enumerate();
    each.map(|(index, one)| dialect.binding(&format!("v{index}"), &operation(dialect, input, *one))).collect()
}

fn operation(dialect: &dyn Dialect, input: &dyn Fn(u16) -> String, operation: Operation) -> String {
    match operation {
        Operation::Constant(value) => dialect.number(value),
        Operation::Input(which) => input(which),
        Operation::One(function, x) => one(dialect, function, x),
        Operation::Two(function, x, y) => two(dialect, function, x, y),
        Operation::Select(condition, yes, no) => {
            let condition = format!("v{condition} >= {}", dialect.number(0.0));
            dialect.choice(&condition, &format!("v{yes}"), &format!("v{no}"))
        }
        Operation::Curve { curve, component, derivative, at } => {
            format!("curve(CURVES[{curve}], {component}, {derivative}, v{at})")
        }
    }
}

fn one(dialect: &dyn Dialect, function: One, x: u16) -> String {
    let name = match function {
        One::Negative => return format!("-v{x}"),
        One::Sign => return format!("sign(v{x})"),
        One::Log => "log",
        One::Sin => "sin",
        One::Cos => "cos",
        One::Tan => "tan",
        One::Asin => "asin",
        One::Acos => "acos",
        One::Atan => "atan",
        One::Sinh => "sinh",
        One::Cosh => "cosh",
        One::Tanh => "tanh",
        One::Exp => "exp",
        One::Sqrt => "sqrt",
        One::Abs => "abs",
        One::Floor => "floor",
    };
    dialect.library(name, &format!("v{x}"))
}

fn two(dialect: &dyn Dialect, function: Two, x: u16, y: u16) -> String {
    let name = match function {
        Two::Add => return format!("v{x} + v{y}"),
        Two::Subtract => return format!("v{x} - v{y}"),
        Two::Multiply => return format!("v{x} * v{y}"),
        Two::Divide => return format!("v{x} / v{y}"),
        Two::Modulo => return format!("modulo(v{x}, v{y})"),
        Two::Equal => return format!("equal(v{x}, v{y})"),
        Two::Power => "pow",
        Two::Atan2 => "atan2",
        Two::Minimum => "min",
        Two::Maximum => "max",
    };
    dialect.library(name, &format!("v{x}, v{y}"))
}

/// An expression that draws from a density.
pub(super) fn draw(dialect: &dyn Dialect, density: &Density) -> String {
    let (name, numbers) = match density {
        Density::Uniform(uniform) => ("draw_uniform", vec![uniform.low(), uniform.high()]),
        Density::Normal(normal) => ("draw_normal", vec![normal.mean(), normal.standard_deviation()]),
        Density::Exponential(exponential) => ("draw_exponential", vec![exponential.rate()]),
        // Model files have no other density.
        other => ("draw_constant", vec![other.mean()]),
    };
    let numbers: Vec<String> = numbers.into_iter().map(|number| dialect.number(number)).collect();
    format!("{}(stream, {})", dialect.own(name), numbers.join(", "))
}

/// The statements of a reset: `after` holds the new values.
pub(super) fn resets(dialect: &dyn Dialect, model: &Model, resets: &[Reset]) -> String {
    let each = resets.iter().map(|reset| {
        let (before, value) = match &reset.value {
            ResetValue::Random(density) => (String::new(), draw(dialect, density)),
            ResetValue::Expression(tape) => {
                let slot = tape.results.first().copied().unwrap_or(0);
                (statements(dialect, model, tape), format!("v{slot}"))
            }
        };
        // Each in a block of its own, since slots have the same names.
        format!("    {{\n{before}    after[{}] = {value};\n    }}\n", reset.variable)
    });
    each.collect()
}
