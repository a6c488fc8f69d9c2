//! Self-contained modules: the complete model, what was learned, and the logic
//! to choose between them, as source text without dependencies. What a module
//! says is written here once; a [`Dialect`] knows how its language says it.

mod javascript;
mod literal;
mod page;
mod rust;
mod tables;
mod tapes;

use proscenium_expression::Tape;

use crate::compiled::CompiledModel;
use crate::error::CullError;
use crate::model::Reset;

use javascript::JavaScript;
use literal::Literal;
use rust::Rust;

impl CompiledModel {
    /// An ES module without dependencies: `new Player(seed)` and `see(now)`.
    /// From equal seeds it goes through the same states as a
    /// [`Player`](crate::Player).
    ///
    /// # Errors
    /// When the motion was recorded: a module is made of equations.
    pub fn to_javascript(&self) -> Result<String, CullError> {
        self.module(&JavaScript)
    }

    /// A Rust module that needs nothing but the standard library.
    ///
    /// # Errors
    /// As [`to_javascript`](CompiledModel::to_javascript).
    pub fn to_rust(&self) -> Result<String, CullError> {
        self.module(&Rust)
    }

    fn module(&self, dialect: &dyn Dialect) -> Result<String, CullError> {
        match self.model.is_recorded() {
            true => Err(CullError::NoEquations { model: self.model.name.clone() }),
            false => Ok(module(self, dialect)),
        }
    }
}

/// How a language says things.
trait Dialect {
    /// The logic that all modules share.
    fn template(&self) -> &'static str;

    /// What a module begins with; the name is in one line.
    fn opening(&self, name: &str) -> String;

    fn literal(&self, literal: &Literal<'_>) -> String;

    /// A definition; `kind` is the type, in Rust.
    fn constant(&self, constant: &Constant<'_>) -> String;

    fn function(&self, function: &Function) -> String;

    /// A statement that gives a value a name.
    fn binding(&self, name: &str, value: &str) -> String;

    /// One of two values, by a condition.
    fn choice(&self, condition: &str, yes: &str, no: &str) -> String;

    /// A function of the language's own library.
    fn library(&self, name: &str, arguments: &str) -> String;

    /// The name of a function of the template, given as words with `_`.
    fn own(&self, name: &str) -> String;

    /// The mode as a number.
    fn mode(&self) -> &'static str;

    fn number(&self, value: f64) -> String {
        self.literal(&Literal::Number(value))
    }
}

/// Something that is defined once.
struct Constant<'a> {
    /// What it is, if users of the module may read it.
    public: Option<&'static str>,
    name: &'static str,
    kind: String,
    value: Literal<'a>,
}

/// What a function is given besides mode, time, values and inputs, and what it
/// returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A number.
    Number,
    /// A number for each state variable.
    Rates,
    /// A number for each output.
    Outputs,
    /// Is given a random stream too, and returns new values of the variables.
    Reset,
    /// Is given a random stream only, and returns values of the variables.
    Initial,
}

struct Function {
    name: String,
    kind: Kind,
    /// Statements, one a line.
    body: String,
    /// The numbers that are returned; of a reset none, for it returns `after`.
    results: Vec<String>,
}

/// A module under construction.
struct Module<'a> {
    culled: &'a CompiledModel,
    dialect: &'a dyn Dialect,
    text: String,
}

fn module(culled: &CompiledModel, dialect: &dyn Dialect) -> String {
    let name = culled.model.name.replace(|character: char| character.is_control() || character == '*', " ");
    let mut module = Module { culled, dialect, text: dialect.opening(&name) };
    module.names();
    module.functions();
    module.tables();
    module.text.push('\n');
    module.text.push_str(dialect.template());
    module.text
}

impl<'a> Module<'a> {
    fn public(&mut self, what: &'static str, name: &'static str, kind: &str, value: Literal<'_>) {
        let constant = Constant { public: Some(what), name, kind: kind.to_owned(), value };
        self.text.push_str(&self.dialect.constant(&constant));
    }

    fn private(&mut self, name: &'static str, kind: &str, value: Literal<'_>) {
        let constant = Constant { public: None, name, kind: kind.to_owned(), value };
        self.text.push_str(&self.dialect.constant(&constant));
    }

    fn names(&mut self) {
        let model = &self.culled.model;
        let texts = |names: Vec<&'a str>| {
            let kind = format!("[&str; {}]", names.len());
            (kind, Literal::Array(names.into_iter().map(Literal::Text).collect()))
        };
        let mut signals: Vec<&str> = Vec::new();
        for signal in model.signals() {
            if !signals.contains(&signal) {
                signals.push(signal);
            }
        }
        self.public("What the model is called.", "NAME", "&str", Literal::Text(&model.name));
        for (what, name, names) in [
            ("The state variables.", "VARIABLES", model.variables.iter().map(|one| one.name.as_str()).collect()),
            ("What it shows.", "OUTPUTS", model.outputs.iter().map(|one| one.name.as_str()).collect()),
            ("Its modes.", "MODES", model.modes.iter().map(String::as_str).collect()),
            ("What it is told by others.", "INPUTS", model.inputs.iter().map(|(name, _)| name.as_str()).collect()),
            ("What may happen to it.", "SIGNALS", signals),
        ] {
            let (kind, names) = texts(names);
            self.public(what, name, &kind, names);
        }
        let copies = format!("[f64; {}]", model.copies.len());
        let numbers = |all: &[f64]| Literal::Array(all.iter().map(|value| Literal::Number(*value)).collect());
        self.public("By how much each copy is ahead in time, seconds.", "COPIES", &copies, numbers(&model.copies));
        let usual = model.default_inputs();
        self.public("The inputs when nobody tells it anything.", "USUAL", "[f64; I]", numbers(&usual));
    }

    fn function(&mut self, function: &Function) {
        self.text.push_str(&self.dialect.function(function));
    }

    /// A function that runs a tape.
    fn tape(&mut self, name: String, kind: Kind, tape: &Tape) {
        let body = tapes::statements(self.dialect, &self.culled.model, tape);
        let results = tape.results.iter().map(|slot| format!("v{slot}")).collect();
        self.function(&Function { name, kind, body, results });
    }

    fn reset(&mut self, name: String, resets: &[Reset]) {
        let body = tapes::resets(self.dialect, &self.culled.model, resets);
        self.function(&Function { name, kind: Kind::Reset, body, results: Vec::new() });
    }

    fn functions(&mut self) {
        let model = &self.culled.model;
        for (mode, tape) in model.motion.iter().enumerate() {
            self.tape(format!("motion{mode}"), Kind::Rates, tape);
        }
        self.tape("outputs".to_owned(), Kind::Outputs, &model.output);
        if let Some(energy) = &model.energy {
            self.tape("energy".to_owned(), Kind::Number, energy);
        }
        let results = model.initial.iter().map(|density| tapes::draw(self.dialect, density)).collect();
        self.function(&Function { name: "initial".to_owned(), kind: Kind::Initial, body: String::new(), results });
        for (index, switch) in model.switches.iter().enumerate() {
            self.tape(format!("when{index}"), Kind::Number, &switch.when);
            self.reset(format!("reset{index}"), &switch.resets);
        }
        for (index, signal) in model.signals.iter().enumerate() {
            self.reset(format!("effect{index}"), &signal.resets);
        }
    }
}
