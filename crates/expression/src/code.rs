//! A tape as it is run: constants and inputs have their places before it
//! begins, operations that share their work are one, and so are a product and
//! the sum that it goes into.

use crate::curve::Curve;

use crate::tape::{One, Operation, Two, operands};

/// One thing to do, with the slots of its operands. Its results go to the next
/// free slots.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Instruction {
    Add(u16, u16),
    Subtract(u16, u16),
    Multiply(u16, u16),
    Divide(u16, u16),
    /// x y + z
    ProductPlus(u16, u16, u16),
    /// x y − z
    ProductLess(u16, u16, u16),
    /// z − x y
    LessProduct(u16, u16, u16),
    /// The sine, then the cosine.
    SineAndCosine(u16),
    One(One, u16),
    Two(Two, u16, u16),
    Select(u16, u16, u16),
    /// All three components.
    Curve {
        curve: u16,
        derivative: u8,
        at: u16,
    },
}

/// What a tape is run from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Code {
    constants: Vec<f64>,
    /// How many of the inputs are read: those up to the last that is.
    inputs: usize,
    instructions: Vec<Instruction>,
    /// How many slots there are in all.
    slots: usize,
    results: Vec<u16>,
}

impl Code {
    pub(crate) fn of(operations: &[Operation], results: &[u16]) -> Self {
        Assembler::new(operations, results).code(results)
    }

    /// Makes working space ready: puts the constants in place.
    pub(crate) fn load(&self, slots: &mut Vec<f64>) {
        if slots.len() < self.slots {
            slots.resize(self.slots, 0.0);
        }
        slots[..self.constants.len()].copy_from_slice(&self.constants);
    }

    /// Runs in working space that was made ready for this code.
    pub(crate) fn run(&self, inputs: &[f64], curves: &[Curve], slots: &mut [f64]) {
        let slots = &mut slots[..self.slots];
        let mut next = self.constants.len();
        for input in &inputs[..self.inputs] {
            slots[next] = *input;
            next += 1;
        }
        for instruction in &self.instructions {
            let at = |slot: u16| slots[usize::from(slot)];
            let value = match *instruction {
                Instruction::Add(x, y) => at(x) + at(y),
                Instruction::Subtract(x, y) => at(x) - at(y),
                Instruction::Multiply(x, y) => at(x) * at(y),
                Instruction::Divide(x, y) => at(x) / at(y),
                Instruction::ProductPlus(x, y, z) => at(x) * at(y) + at(z),
                Instruction::ProductLess(x, y, z) => at(x) * at(y) - at(z),
                Instruction::LessProduct(x, y, z) => at(z) - at(x) * at(y),
                Instruction::SineAndCosine(x) => {
                    let (sine, cosine) = libm::sincos(at(x));
                    slots[next] = sine;
                    next += 1;
                    cosine
                }
                Instruction::One(function, x) => function.apply(at(x)),
                Instruction::Two(function, x, y) => function.apply(at(x), at(y)),
                Instruction::Select(condition, yes, no) => at(if at(condition) >= 0.0 { yes } else { no }),
                Instruction::Curve { curve, derivative, at: parameter } => {
                    let [x, y, z] = curves[usize::from(curve)].at(derivative, at(parameter));
                    slots[next] = x;
                    slots[next + 1] = y;
                    next += 2;
                    z
                }
            };
            slots[next] = value;
            next += 1;
        }
    }

    pub(crate) fn result(&self, index: usize, slots: &[f64]) -> f64 {
        self.results.get(index).map_or(0.0, |&slot| slots[usize::from(slot)])
    }
}

/// Turns operations into instructions.
struct Assembler<'o> {
    operations: &'o [Operation],
    /// Products that are part of the only sum that needs them.
    is_absorbed: Vec<bool>,
    /// The slot of each operation's value, once it has one.
    places: Vec<Option<u16>>,
    code: Code,
    next: usize,
}

impl<'o> Assembler<'o> {
    fn new(operations: &'o [Operation], results: &[u16]) -> Self {
        let mut uses = vec![0_u32; operations.len()];
        let needed = operations.iter().flat_map(|operation| operands(*operation)).flatten();
        for slot in needed.chain(results.iter().copied()) {
            uses[usize::from(slot)] += 1;
        }
        let is_product = |slot: u16| matches!(operations[usize::from(slot)], Operation::Two(Two::Multiply, ..));
        let mut is_absorbed = vec![false; operations.len()];
        for operation in operations {
            if let Operation::Two(Two::Add | Two::Subtract, x, y) = *operation {
                let fits = |slot: &u16| is_product(*slot) && uses[usize::from(*slot)] == 1;
                if let Some(slot) = [x, y].into_iter().find(fits) {
                    is_absorbed[usize::from(slot)] = true;
                }
            }
        }
        Self { operations, is_absorbed, places: vec![None; operations.len()], code: Code::default(), next: 0 }
    }

    fn code(mut self, results: &[u16]) -> Code {
        for (index, operation) in self.operations.iter().enumerate() {
            if let Operation::Constant(value) = operation {
                self.places[index] = Some(self.code.constants.len() as u16);
                self.code.constants.push(*value);
            }
        }
        let first_input = self.code.constants.len();
        for (index, operation) in self.operations.iter().enumerate() {
            if let Operation::Input(input) = *operation {
                self.places[index] = Some(first_input as u16 + input);
                self.code.inputs = self.code.inputs.max(usize::from(input) + 1);
            }
        }
        self.next = first_input + self.code.inputs;
        for index in 0..self.operations.len() {
            if self.places[index].is_none() && !self.is_absorbed[index] {
                self.write(index);
            }
        }
        self.code.slots = self.next;
        self.code.results = results.iter().map(|&slot| self.place(slot)).collect();
        self.code
    }

    /// Where the value of an earlier operation is.
    fn place(&self, slot: u16) -> u16 {
        self.places[usize::from(slot)].unwrap_or(0)
    }

    fn write(&mut self, index: usize) {
        let instruction = match self.operations[index] {
            // These have their places before anything is run.
            Operation::Constant(_) | Operation::Input(_) => return,
            Operation::One(function @ (One::Sin | One::Cos), x) => match self.partner(function, x) {
                Some(partner) => {
                    let (sine, cosine) = if function == One::Sin { (index, partner) } else { (partner, index) };
                    self.places[sine] = Some(self.next as u16);
                    self.places[cosine] = Some(self.next as u16 + 1);
                    self.code.instructions.push(Instruction::SineAndCosine(self.place(x)));
                    self.next += 2;
                    return;
                }
                None => Instruction::One(function, self.place(x)),
            },
            Operation::One(function, x) => Instruction::One(function, self.place(x)),
            Operation::Two(function, x, y) => self.of_two(function, x, y),
            Operation::Select(condition, yes, no) => {
                Instruction::Select(self.place(condition), self.place(yes), self.place(no))
            }
            Operation::Curve { curve, derivative, at, .. } => {
                self.share_curve(curve, derivative, at);
                self.code.instructions.push(Instruction::Curve { curve, derivative, at: self.place(at) });
                self.next += 3;
                return;
            }
        };
        self.places[index] = Some(self.next as u16);
        self.code.instructions.push(instruction);
        self.next += 1;
    }

    fn of_two(&self, function: Two, x: u16, y: u16) -> Instruction {
        let product = |slot: u16| match self.operations[usize::from(slot)] {
            Operation::Two(Two::Multiply, a, b) if self.is_absorbed[usize::from(slot)] => {
                Some((self.place(a), self.place(b)))
            }
            _ => None,
        };
        match (function, product(x), product(y)) {
            (Two::Add, Some((a, b)), _) => Instruction::ProductPlus(a, b, self.place(y)),
            (Two::Add, None, Some((a, b))) => Instruction::ProductPlus(a, b, self.place(x)),
            (Two::Subtract, Some((a, b)), _) => Instruction::ProductLess(a, b, self.place(y)),
            (Two::Subtract, None, Some((a, b))) => Instruction::LessProduct(a, b, self.place(x)),
            (Two::Add, ..) => Instruction::Add(self.place(x), self.place(y)),
            (Two::Subtract, ..) => Instruction::Subtract(self.place(x), self.place(y)),
            (Two::Multiply, ..) => Instruction::Multiply(self.place(x), self.place(y)),
            (Two::Divide, ..) => Instruction::Divide(self.place(x), self.place(y)),
            _ => Instruction::Two(function, self.place(x), self.place(y)),
        }
    }

    /// The cosine of what this is the sine of, or the other way around.
    fn partner(&self, function: One, x: u16) -> Option<usize> {
        let other = if function == One::Sin { One::Cos } else { One::Sin };
        self.operations.iter().position(|operation| *operation == Operation::One(other, x))
    }

    /// Gives all components of a curve at the same parameter their places.
    fn share_curve(&mut self, curve: u16, derivative: u8, at: u16) {
        for (index, operation) in self.operations.iter().enumerate() {
            if let Operation::Curve { curve: c, component, derivative: d, at: a } = *operation
                && (c, d, a) == (curve, derivative, at)
            {
                self.places[index] = Some((self.next + usize::from(component)) as u16);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use proptest::prelude::*;

    /// Doing one operation after another is another way to the same values.
    fn plainly(operations: &[Operation], inputs: &[f64], curves: &[Curve]) -> Vec<f64> {
        let mut values: Vec<f64> = Vec::new();
        for operation in operations {
            let at = |slot: u16| values[usize::from(slot)];
            values.push(match *operation {
                Operation::Constant(value) => value,
                Operation::Input(index) => inputs[usize::from(index)],
                Operation::One(function, x) => function.apply(at(x)),
                Operation::Two(function, x, y) => function.apply(at(x), at(y)),
                Operation::Select(condition, yes, no) => at(if at(condition) >= 0.0 { yes } else { no }),
                Operation::Curve { curve, component, derivative, at: parameter } => {
                    curves[usize::from(curve)].at(derivative, at(parameter))[usize::from(component)]
                }
            });
        }
        values
    }

    fn written(choices: &[(u8, u16, u16, u16)]) -> (Writer, Vec<u16>) {
        let mut writer = Writer::default();
        let mut known = vec![writer.push(Operation::Input(0)), writer.push(Operation::Input(2)), writer.constant(1.5)];
        for &(kind, x, y, z) in choices {
            let [x, y, z] = [x, y, z].map(|choice| known[usize::from(choice) % known.len()]);
            let operation = match kind % 9 {
                0 => Operation::Two(Two::Add, x, y),
                1 => Operation::Two(Two::Subtract, x, y),
                2 | 3 => Operation::Two(Two::Multiply, x, y),
                4 => Operation::One(One::Sin, x),
                5 => Operation::One(One::Cos, x),
                6 => Operation::Select(x, y, z),
                7 => Operation::Two(Two::Divide, x, y),
                _ => Operation::Curve { curve: 0, component: kind / 9 % 3, derivative: kind / 27 % 3, at: x },
            };
            known.push(writer.push(operation));
        }
        (writer, known)
    }

    proptest! {
        #[test]
        fn code_computes_what_its_operations_say(
            choices in prop::collection::vec(any::<(u8, u16, u16, u16)>(), 1..60),
            x in -3.0..3.0_f64,
            y in -3.0..3.0_f64,
        ) {
            let points = vec![[1.0, 0.0, 0.5], [0.0, 2.0, 1.0], [-1.0, 0.3, 0.5], [0.2, -2.0, 0.0]];
            let curves = [Curve { name: "track".to_owned(), points }];
            let (writer, known) = written(&choices);
            let results: Vec<u16> = known.iter().rev().step_by(3).copied().collect();
            let tape = writer.finish(results);
            let plain = plainly(&tape.operations, &[x, 9.0, y], &curves);
            let mut slots = Vec::new();
            tape.run(&[x, 9.0, y], &curves, &mut slots);
            for (index, &slot) in tape.results.iter().enumerate() {
                let (found, expected) = (tape.result(index, &slots), plain[usize::from(slot)]);
                prop_assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan());
            }
        }
    }
}
