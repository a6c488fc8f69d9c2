//! Self-contained modules: the complete model, what was learned, and the logic
//! to choose between them, as source text without dependencies.

mod javascript;
mod rust;

use std::fmt::Write as _;

use proscenium_chance::Density;

use crate::culled::Culled;
use crate::expression::{One, Operation, Tape, Two};
use crate::model::{FIRST_VARIABLE, MODE, Reset, ResetValue, TIME};

impl Culled {
    /// An ES module without dependencies: `new Player(seed)` and `see(now)`.
    /// From equal seeds it goes through the same states as a
    /// [`Player`](crate::Player).
    pub fn to_javascript(&self) -> String {
        javascript::module(self)
    }

    /// A Rust module that needs nothing but the standard library.
    pub fn to_rust(&self) -> String {
        rust::module(self)
    }
}

/// What differs between the languages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    JavaScript,
    Rust,
}

impl Language {
    /// A number that reads back as the same.
    fn number(self, value: f64) -> String {
        match self {
            _ if value.is_nan() => self.pick("NaN", "f64::NAN"),
            _ if value.is_infinite() && value > 0.0 => self.pick("Infinity", "f64::INFINITY"),
            _ if value.is_infinite() => self.pick("-Infinity", "f64::NEG_INFINITY"),
            Language::JavaScript => format!("{value:?}"),
            Language::Rust => format!("{value:?}_f64"),
        }
    }

    fn pick(self, javascript: &str, rust: &str) -> String {
        if self == Language::JavaScript { javascript.to_owned() } else { rust.to_owned() }
    }

    /// A tape as statements; `v0`, `v1`, … are its slots.
    fn statements(self, culled: &Culled, tape: &Tape) -> String {
        let mut text = String::new();
        for (index, operation) in tape.operations.iter().enumerate() {
            let value = self.operation(culled, *operation);
            // Writing to a string cannot fail.
            let _ = match self {
                Language::JavaScript => writeln!(text, "    const v{index} = {value};"),
                Language::Rust => writeln!(text, "    let v{index} = {value};"),
            };
        }
        text
    }

    fn operation(self, culled: &Culled, operation: Operation) -> String {
        match operation {
            Operation::Constant(value) => self.number(value),
            Operation::Input(TIME) => "time".to_owned(),
            Operation::Input(MODE) => self.pick("mode", "f64::from(mode)"),
            Operation::Input(input) if input < culled.model.first_input() => {
                format!("values[{}]", input - FIRST_VARIABLE)
            }
            // A module stands alone: what it is told is what is usual.
            Operation::Input(input) => {
                let place = usize::from(input - culled.model.first_input());
                self.number(culled.model.inputs.get(place).map_or(0.0, |(_, usual)| *usual))
            }
            Operation::One(function, x) => self.one(function, x),
            Operation::Two(function, x, y) => self.two(function, x, y),
            Operation::Select(condition, yes, no) => match self {
                Language::JavaScript => format!("v{condition} >= 0 ? v{yes} : v{no}"),
                Language::Rust => format!("if v{condition} >= 0.0 {{ v{yes} }} else {{ v{no} }}"),
            },
            Operation::Curve { curve, component, derivative, at } => match self {
                Language::JavaScript => format!("curve(CURVES[{curve}], {component}, {derivative}, v{at})"),
                Language::Rust => format!("curve(CURVES[{curve}], {component}, {derivative}, v{at})"),
            },
        }
    }

    fn one(self, function: One, x: u16) -> String {
        let name = match function {
            One::Negative => return format!("-v{x}"),
            One::Sign => return self.pick(&format!("Math.sign(v{x})"), &format!("sign(v{x})")),
            One::Log => self.pick("log", "ln"),
            One::Sin => "sin".into(),
            One::Cos => "cos".into(),
            One::Tan => "tan".into(),
            One::Asin => "asin".into(),
            One::Acos => "acos".into(),
            One::Atan => "atan".into(),
            One::Sinh => "sinh".into(),
            One::Cosh => "cosh".into(),
            One::Tanh => "tanh".into(),
            One::Exp => "exp".into(),
            One::Sqrt => "sqrt".into(),
            One::Abs => "abs".into(),
            One::Floor => "floor".into(),
        };
        self.pick(&format!("Math.{name}(v{x})"), &format!("f64::{name}(v{x})"))
    }

    fn two(self, function: Two, x: u16, y: u16) -> String {
        match function {
            Two::Add => format!("v{x} + v{y}"),
            Two::Subtract => format!("v{x} - v{y}"),
            Two::Multiply => format!("v{x} * v{y}"),
            Two::Divide => format!("v{x} / v{y}"),
            Two::Modulo => format!("modulo(v{x}, v{y})"),
            Two::Power => self.pick(&format!("Math.pow(v{x}, v{y})"), &format!("f64::powf(v{x}, v{y})")),
            Two::Atan2 => self.pick(&format!("Math.atan2(v{x}, v{y})"), &format!("f64::atan2(v{x}, v{y})")),
            Two::Minimum => self.pick(&format!("Math.min(v{x}, v{y})"), &format!("f64::min(v{x}, v{y})")),
            Two::Maximum => self.pick(&format!("Math.max(v{x}, v{y})"), &format!("f64::max(v{x}, v{y})")),
            Two::Equal => {
                self.pick(&format!("v{x} === v{y} ? 1 : 0"), &format!("if v{x} == v{y} {{ 1.0 }} else {{ 0.0 }}"))
            }
        }
    }

    /// The results of a tape, in brackets.
    fn results(tape: &Tape) -> String {
        let each: Vec<String> = tape.results.iter().map(|slot| format!("v{slot}")).collect();
        format!("[{}]", each.join(", "))
    }

    /// An expression that draws from a density.
    fn draw(self, density: &Density) -> String {
        let number = |value: f64| self.number(value);
        let name = |javascript: &str, rust: &str| self.pick(javascript, rust);
        match density {
            Density::Uniform(uniform) => {
                let name = name("drawUniform", "draw_uniform");
                format!("{name}(stream, {}, {})", number(uniform.low()), number(uniform.high()))
            }
            Density::Normal(normal) => {
                let name = name("drawNormal", "draw_normal");
                format!("{name}(stream, {}, {})", number(normal.mean()), number(normal.standard_deviation()))
            }
            Density::Exponential(exponential) => {
                let name = name("drawExponential", "draw_exponential");
                format!("{name}(stream, {})", number(exponential.rate()))
            }
            // Model files have no other density.
            other => format!("{}(stream, {})", name("drawConstant", "draw_constant"), number(other.mean())),
        }
    }

    /// The statements of a reset: `after` holds the new values.
    fn resets(self, culled: &Culled, resets: &[Reset]) -> String {
        let mut text = String::new();
        for reset in resets {
            let (before, value) = match &reset.value {
                ResetValue::Random(density) => (String::new(), self.draw(density)),
                ResetValue::Expression(tape) => {
                    let slot = tape.results.first().copied().unwrap_or(0);
                    (self.statements(culled, tape), format!("v{slot}"))
                }
            };
            // Each in a block of its own, since slots have the same names.
            let _ = write!(text, "    {{\n{before}    after[{}] = {value};\n    }}\n", reset.variable);
        }
        text
    }
}

/// The identity of the stream that players draw from, low word first.
fn stream_identity() -> [u32; 2] {
    // As `Stream` documents it: the SplitMix64 finaliser of the FNV-1a hash.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in b"player" {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let mut z = hash;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    [z as u32, (z >> 32) as u32]
}
