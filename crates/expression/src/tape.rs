//! Expressions as straight-line code: each operation has a slot for its value,
//! equal operations are done once, and what is constant is folded.

use std::collections::BTreeMap;

use crate::curve::Curve;

use crate::code::Code;

/// Functions of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum One {
    /// −x
    Negative,
    /// The sine.
    Sin,
    /// The cosine.
    Cos,
    /// The tangent.
    Tan,
    /// The inverse sine.
    Asin,
    /// The inverse cosine.
    Acos,
    /// The inverse tangent.
    Atan,
    /// The hyperbolic sine.
    Sinh,
    /// The hyperbolic cosine.
    Cosh,
    /// The hyperbolic tangent.
    Tanh,
    /// e to the power of x.
    Exp,
    /// The natural logarithm.
    Log,
    /// The square root.
    Sqrt,
    /// The absolute value.
    Abs,
    /// The greatest whole number that is not above.
    Floor,
    /// 1, 0 or −1.
    Sign,
}

/// Functions of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Two {
    /// x + y
    Add,
    /// x − y
    Subtract,
    /// x y
    Multiply,
    /// x / y
    Divide,
    /// x to the power of y.
    Power,
    /// The angle of the point (y, x).
    Atan2,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// The remainder that has the sign of the divisor.
    Modulo,
    /// 1 if both are equal, else 0.
    Equal,
}

/// One operation; operands are the slots of earlier ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// A number.
    Constant(f64),
    /// An input, by its place.
    Input(u16),
    /// A function of one slot.
    One(One, u16),
    /// A function of two slots.
    Two(Two, u16, u16),
    /// The second if the first is zero or more, else the third.
    Select(u16, u16, u16),
    /// A component (0 to 2) of a derivative (0 to 2) of a curve.
    Curve {
        /// The curve, by its number.
        curve: u16,
        /// x, y or z.
        component: u8,
        /// Which derivative.
        derivative: u8,
        /// The slot of the parameter.
        at: u16,
    },
}

impl One {
    /// Its value.
    pub fn apply(self, x: f64) -> f64 {
        match self {
            One::Negative => -x,
            One::Sin => libm::sin(x),
            One::Cos => libm::cos(x),
            One::Tan => libm::tan(x),
            One::Asin => libm::asin(x),
            One::Acos => libm::acos(x),
            One::Atan => libm::atan(x),
            One::Sinh => libm::sinh(x),
            One::Cosh => libm::cosh(x),
            One::Tanh => libm::tanh(x),
            One::Exp => libm::exp(x),
            One::Log => libm::log(x),
            One::Sqrt => x.sqrt(),
            One::Abs => x.abs(),
            One::Floor => x.floor(),
            One::Sign => f64::from(i8::from(x > 0.0) - i8::from(x < 0.0)),
        }
    }

    /// Rough cost, in additions.
    fn cost(self) -> u32 {
        match self {
            One::Negative | One::Abs | One::Floor | One::Sign => 1,
            One::Sqrt => 4,
            _ => 12,
        }
    }
}

impl Two {
    /// Its value.
    pub fn apply(self, x: f64, y: f64) -> f64 {
        match self {
            Two::Add => x + y,
            Two::Subtract => x - y,
            Two::Multiply => x * y,
            Two::Divide => x / y,
            Two::Power => libm::pow(x, y),
            Two::Atan2 => libm::atan2(x, y),
            Two::Minimum => x.min(y),
            Two::Maximum => x.max(y),
            Two::Modulo => x - y * (x / y).floor(),
            Two::Equal => f64::from(u8::from(x == y)),
        }
    }

    fn cost(self) -> u32 {
        match self {
            Two::Power | Two::Atan2 => 20,
            Two::Divide | Two::Modulo => 4,
            _ => 1,
        }
    }
}

/// Straight-line code with several results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tape {
    /// What is done, in order; each value goes to the slot of its place.
    pub operations: Vec<Operation>,
    /// The slots of the results.
    pub results: Vec<u16>,
    code: Code,
}

impl Tape {
    /// Runs the code. `slots` is working space, from which
    /// [`result`](Self::result) takes the results.
    pub fn run(&self, inputs: &[f64], curves: &[Curve], slots: &mut Vec<f64>) {
        self.load(slots);
        self.run_loaded(inputs, curves, slots);
    }

    /// Makes working space ready for many runs of this tape and no other.
    pub fn load(&self, slots: &mut Vec<f64>) {
        self.code.load(slots);
    }

    /// Runs the code in working space that is ready for it.
    #[inline]
    pub fn run_loaded(&self, inputs: &[f64], curves: &[Curve], slots: &mut [f64]) {
        self.code.run(inputs, curves, slots);
    }

    /// A result of the last run.
    #[inline]
    pub fn result(&self, index: usize, slots: &[f64]) -> f64 {
        self.code.result(index, slots)
    }

    /// The value of the only result.
    pub fn value(&self, inputs: &[f64], curves: &[Curve], slots: &mut Vec<f64>) -> f64 {
        self.run(inputs, curves, slots);
        self.result(0, slots)
    }

    /// Whether a result depends on an input that `is_meant`.
    pub fn reads(&self, is_meant: impl Fn(u16) -> bool) -> bool {
        self.operations.iter().any(|operation| matches!(operation, Operation::Input(index) if is_meant(*index)))
    }

    /// Rough cost of a run, in additions.
    pub fn cost(&self) -> u32 {
        let each = self.operations.iter().map(|operation| match operation {
            Operation::Constant(_) | Operation::Input(_) | Operation::Select(..) => 1,
            Operation::One(function, _) => function.cost(),
            Operation::Two(function, ..) => function.cost(),
            Operation::Curve { .. } => 12,
        });
        each.sum()
    }
}

/// Writes a tape.
#[derive(Debug, Default)]
pub struct Writer {
    tape: Tape,
    known: BTreeMap<[u64; 4], u16>,
}

/// A tape longer than this is refused.
pub const LONGEST: usize = 4000;

impl Writer {
    /// Adds an operation, unless its value is known already.
    pub fn push(&mut self, operation: Operation) -> u16 {
        let operation = self.folded(operation);
        let key = key(operation);
        if let Some(&slot) = self.known.get(&key) {
            return slot;
        }
        // Beyond the limit the tape is refused as a whole; see `is_too_long`.
        let slot = u16::try_from(self.tape.operations.len()).unwrap_or(u16::MAX);
        if self.tape.operations.len() <= LONGEST {
            self.tape.operations.push(operation);
            self.known.insert(key, slot);
        }
        slot.min(LONGEST as u16)
    }

    /// The slot of a number.
    pub fn constant(&mut self, value: f64) -> u16 {
        self.push(Operation::Constant(value))
    }

    /// The slot of a function of two.
    pub fn two(&mut self, function: Two, x: u16, y: u16) -> u16 {
        self.push(Operation::Two(function, x, y))
    }

    /// Whether more was written than a tape may have.
    pub fn is_too_long(&self) -> bool {
        self.tape.operations.len() > LONGEST
    }

    /// The number in a slot, if it is one.
    pub fn constant_of(&self, slot: u16) -> Option<f64> {
        match self.tape.operations.get(usize::from(slot)) {
            Some(Operation::Constant(value)) => Some(*value),
            _ => None,
        }
    }

    fn folded(&self, operation: Operation) -> Operation {
        match operation {
            Operation::One(function, x) => match self.constant_of(x) {
                Some(x) => Operation::Constant(function.apply(x)),
                None => operation,
            },
            Operation::Two(function, x, y) => match (function, self.constant_of(x), self.constant_of(y)) {
                (_, Some(x), Some(y)) => Operation::Constant(function.apply(x, y)),
                _ => operation,
            },
            other => other,
        }
    }

    /// A whole power by repeated multiplication, which is fast and exact.
    pub fn power(&mut self, base: u16, exponent: u16) -> u16 {
        let whole = self.constant_of(exponent).filter(|power| power.fract() == 0.0 && (1.0..=8.0).contains(power));
        let Some(whole) = whole else {
            return self.two(Two::Power, base, exponent);
        };
        (1..whole as u32).fold(base, |product, _| self.two(Two::Multiply, product, base))
    }

    /// The tape with these results, without what none of them needs.
    pub fn finish(mut self, results: Vec<u16>) -> Tape {
        self.tape.results = results;
        self.tape.without_unused()
    }
}

impl Tape {
    /// Leaves out what no result needs.
    fn without_unused(self) -> Self {
        let mut needed = vec![false; self.operations.len()];
        for &result in &self.results {
            needed[usize::from(result)] = true;
        }
        for index in (0..self.operations.len()).rev() {
            if needed[index] {
                for operand in operands(self.operations[index]).into_iter().flatten() {
                    needed[usize::from(operand)] = true;
                }
            }
        }
        let mut places = vec![0_u16; self.operations.len()];
        let mut kept = Vec::new();
        for (index, &operation) in self.operations.iter().enumerate() {
            if needed[index] {
                places[index] = kept.len() as u16;
                kept.push(moved(operation, &places));
            }
        }
        let results: Vec<u16> = self.results.iter().map(|&result| places[usize::from(result)]).collect();
        let code = Code::of(&kept, &results);
        Self { operations: kept, results, code }
    }
}

pub(crate) fn operands(operation: Operation) -> [Option<u16>; 3] {
    match operation {
        Operation::Constant(_) | Operation::Input(_) => [None; 3],
        Operation::One(_, x) => [Some(x), None, None],
        Operation::Two(_, x, y) => [Some(x), Some(y), None],
        Operation::Select(condition, yes, no) => [Some(condition), Some(yes), Some(no)],
        Operation::Curve { at, .. } => [Some(at), None, None],
    }
}

fn moved(operation: Operation, places: &[u16]) -> Operation {
    let to = |slot: u16| places[usize::from(slot)];
    match operation {
        Operation::One(function, x) => Operation::One(function, to(x)),
        Operation::Two(function, x, y) => Operation::Two(function, to(x), to(y)),
        Operation::Select(condition, yes, no) => Operation::Select(to(condition), to(yes), to(no)),
        Operation::Curve { curve, component, derivative, at } => {
            Operation::Curve { curve, component, derivative, at: to(at) }
        }
        other => other,
    }
}

/// What tells operations apart.
fn key(operation: Operation) -> [u64; 4] {
    match operation {
        Operation::Constant(value) => [0, value.to_bits(), 0, 0],
        Operation::Input(index) => [1, index.into(), 0, 0],
        Operation::One(function, x) => [2, function as u64, x.into(), 0],
        Operation::Two(function, x, y) => [3, function as u64, x.into(), y.into()],
        Operation::Select(condition, yes, no) => [4, condition.into(), yes.into(), no.into()],
        Operation::Curve { curve, component, derivative, at } => {
            [5, curve.into(), u64::from(component) << 8 | u64::from(derivative), at.into()]
        }
    }
}
