//! What a motion keeps, found in a library of functions.
//!
//! The library has the products of up to four factors: variables, the logarithms of those
//! that stay above zero, and the sines and cosines of angles. What is kept is in the null
//! space of their derivatives along the motion, taken at states beside paths too, so that
//! what is only true of one path is not found; the products of fewest factors are asked
//! first. It is believed if it stays the same along paths that nothing was found from.

use std::fmt::Write as _;

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Progress, Stopped};

use crate::model::Model;
use crate::system::{State, System as _, Values};

use super::maps::solve;

/// Products have at most so many factors, and there are at most so many of them. Chosen:
/// the energy of a double pendulum has four.
const MOST_FACTORS: u8 = 4;
const MOST_PRODUCTS: usize = 330;

/// Paths that show where the system moves, for how long, seconds, and at how many moments.
const PATHS: u64 = 12;
const SECONDS: f64 = 40.0;
const MOMENTS: u32 = 40;

/// States beside paths are moved by this share of the range either way.
const BESIDE: f64 = 0.5;

/// States for each product. Chosen: with three the smallest share of a sum of squares that
/// is none by chance is far from zero.
const STATES_FOR_EACH: usize = 3;

/// A sum of products is kept if its derivative is less than this of what its products'
/// are, squared: rounding errors squared are less, all else is more.
const KEPT: f64 = 1e-13;

/// Vectors of the null space that are looked for, and rounds of inverse iteration.
const VECTORS: usize = 4;
const ROUNDS: usize = 4;

/// Along paths that were held out a kept quantity may change by this share of what it
/// differs by from state to state.
const HELD_OUT: u64 = 8;
const STAYS: f64 = 1e-4;

/// Products that matter less than this are left out of what is said.
const NOTHING: f64 = 1e-9;

/// A quantity that the motion keeps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Invariant {
    /// An expression in the variables: its mean is zero, and it differs by one.
    pub value: String,
    /// How many quantities that do not follow from each other are kept.
    pub count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Value,
    Logarithm,
    Sine,
    Cosine,
}

/// What products are made of.
#[derive(Clone, Copy, Debug)]
struct Factor {
    variable: usize,
    kind: Kind,
    /// Values are told in units of this.
    scale: f64,
}

impl Factor {
    /// The factor, and how it grows with its variable.
    fn at(&self, values: &Values) -> (f64, f64) {
        let x = values[self.variable];
        match self.kind {
            Kind::Value => (x / self.scale, 1.0 / self.scale),
            Kind::Logarithm => (libm::log(x), 1.0 / x),
            Kind::Sine => (libm::sin(x), libm::cos(x)),
            Kind::Cosine => (libm::cos(x), -libm::sin(x)),
        }
    }

    /// How often it may stand in a product: the square of a sine is no new function.
    fn most(&self) -> u8 {
        if matches!(self.kind, Kind::Value | Kind::Cosine) { MOST_FACTORS } else { 1 }
    }
}

/// Looks for what a motion keeps. Equations that depend on time, on others or on modes are
/// not asked.
pub(crate) fn find(model: &Model, seed: Seed, progress: &Progress) -> Result<Option<Invariant>, Stopped> {
    let is_plain = model.has_plain_motion() && model.energy.is_none() && (2..=6).contains(&model.variables.len());
    let mut stream = seed.stream("invariants");
    let Some(states) = is_plain.then(|| around_paths(model, &mut stream)).flatten() else {
        return Ok(None);
    };
    let factors = factors(model, &states);
    for most in 1..=MOST_FACTORS {
        let products = products(&factors, most);
        if products.len() > MOST_PRODUCTS {
            return Ok(None);
        }
        progress.check()?;
        let table = Table::new(model, &factors, &products, &states, &mut stream);
        let kept = table.null_space(&mut stream, progress)?;
        let Some(first) = kept.first() else {
            continue;
        };
        let count = table.independent(&kept);
        let value = table.text(model, &factors, &products, first);
        let invariant = Invariant { value, count };
        return Ok(stays(model, &invariant, seed, progress)?.then_some(invariant));
    }
    Ok(None)
}

/// States of paths, in the order of time; `None` if the motion does not stay finite.
fn around_paths(model: &Model, stream: &mut Stream) -> Option<Vec<Values>> {
    let mut states = Vec::new();
    for _ in 0..PATHS {
        let mut state = model.initial(stream);
        for moment in 0..MOMENTS {
            let at = |moment: u32| SECONDS * f64::from(moment) / f64::from(MOMENTS);
            model.advance(&mut state, at(moment), at(moment + 1), stream).ok()?;
            states.push(state.values);
        }
    }
    Some(states)
}

fn factors(model: &Model, states: &[Values]) -> Vec<Factor> {
    let mut factors = Vec::new();
    for (variable, kind) in model.variables.iter().enumerate() {
        let each = || states.iter().map(|values| values[variable]);
        let (low, high) = each().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        // What stands still is kept, and says nothing.
        if high - low <= 1e-9 * (1.0 + low.abs()) {
            continue;
        }
        let scale = low.abs().max(high.abs());
        let factor = |kind| Factor { variable, kind, scale };
        match kind.wrap {
            Some(wrap) if (wrap.period - std::f64::consts::TAU).abs() < 1e-9 => {
                factors.extend([factor(Kind::Sine), factor(Kind::Cosine)]);
            }
            // What goes around otherwise has no value that stays the same.
            Some(_) => {}
            None => {
                factors.push(factor(Kind::Value));
                if low > 1e-3 * high {
                    factors.push(factor(Kind::Logarithm));
                }
            }
        }
    }
    factors
}

/// All products of at most so many factors: how often each factor stands in it.
fn products(factors: &[Factor], most: u8) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    for factor in factors {
        let longer = |product: &Vec<u8>| {
            let used: u8 = product.iter().sum();
            let times = 0..=factor.most().min(most - used);
            times.map(|times| product.iter().copied().chain([times]).collect()).collect::<Vec<Vec<u8>>>()
        };
        all = all.iter().flat_map(longer).collect();
        if all.len() > 4 * MOST_PRODUCTS {
            break;
        }
    }
    all.retain(|product| product.iter().any(|times| *times > 0));
    all
}

/// Values and derivatives of products at states.
struct Table {
    /// The products, of each state.
    values: Vec<Vec<f64>>,
    /// Their derivatives along the motion, in units of `sizes`.
    rates: Vec<Vec<f64>>,
    /// Their gradients at a few states, in the order of the variables.
    gradients: Vec<Vec<Vec<f64>>>,
    /// The root of the mean square of the derivative of each product; 0 if it has none.
    sizes: Vec<f64>,
}

impl Table {
    fn new(model: &Model, factors: &[Factor], products: &[Vec<u8>], states: &[Values], stream: &mut Stream) -> Self {
        let wanted = STATES_FOR_EACH * products.len() + 100;
        let mut table = Table { values: Vec::new(), rates: Vec::new(), gradients: Vec::new(), sizes: Vec::new() };
        for index in 0..2 * wanted {
            if table.values.len() == wanted {
                break;
            }
            let values = beside(model, states, index, stream);
            let speeds = model.rates_with(&State { values, mode: 0 }, 0.0, &[]);
            let (row, gradient) = rows(factors, products, &values);
            let along = |gradient: &Vec<f64>| gradient.iter().zip(speeds).map(|(slope, speed)| slope * speed).sum();
            let rates: Vec<f64> = gradient.iter().map(along).collect();
            // Beside the paths there may be places where the equations have no value.
            if row.iter().chain(&rates).all(|number| number.is_finite()) {
                table.values.push(row);
                table.rates.push(rates);
                if table.gradients.len() < VECTORS {
                    table.gradients.push(gradient);
                }
            }
        }
        let count = table.rates.len().max(1) as f64;
        table.sizes = (0..products.len())
            .map(|product| (table.rates.iter().map(|row| row[product] * row[product]).sum::<f64>() / count).sqrt())
            .collect();
        for row in &mut table.rates {
            for (rate, size) in row.iter_mut().zip(&table.sizes) {
                *rate = if *size > 0.0 { *rate / size } else { 0.0 };
            }
        }
        table
    }

    /// Sums of products whose derivative is none: by inverse iteration of the squares.
    fn null_space(&self, stream: &mut Stream, progress: &Progress) -> Result<Vec<Vec<f64>>, Stopped> {
        let count = self.sizes.len();
        if self.rates.len() < count + VECTORS {
            return Ok(Vec::new());
        }
        let mut squares = vec![0.0; count * count];
        for row in &self.rates {
            progress.check()?;
            for (a, one) in row.iter().enumerate() {
                for (b, other) in row.iter().enumerate() {
                    squares[a * count + b] += one * other / self.rates.len() as f64;
                }
            }
        }
        // A product without a derivative is none of the library.
        for (product, size) in self.sizes.iter().enumerate() {
            squares[product * count + product] += if *size > 0.0 { 0.01 * KEPT } else { 1.0 };
        }
        let vectors = VECTORS.min(count);
        let mut found: Vec<Vec<f64>> =
            (0..vectors).map(|_| (0..count).map(|_| 2.0 * stream.uniform() - 1.0).collect()).collect();
        for _ in 0..ROUNDS {
            progress.check()?;
            let right = (0..count * vectors).map(|place| found[place % vectors][place / vectors]).collect();
            let Some(solution) = solve(squares.clone(), right, count, vectors) else {
                return Ok(Vec::new());
            };
            for (vector, one) in found.iter_mut().enumerate() {
                *one = (0..count).map(|product| solution[product * vectors + vector]).collect();
            }
            orthogonal(&mut found);
        }
        found.retain(|vector| {
            let of = |row: &Vec<f64>| row.iter().zip(vector).map(|(rate, part)| rate * part).sum::<f64>();
            let squares = self.rates.iter().map(|row| of(row) * of(row)).sum::<f64>();
            vector.iter().any(|part| *part != 0.0) && squares / (self.rates.len() as f64) < KEPT
        });
        Ok(found)
    }

    /// In units of the products, and not of their derivatives.
    fn weights(&self, vector: &[f64]) -> Vec<f64> {
        vector.iter().zip(&self.sizes).map(|(part, size)| if *size > 0.0 { part / size } else { 0.0 }).collect()
    }

    /// How many of them do not follow from the others: the rank of their gradients.
    fn independent(&self, kept: &[Vec<f64>]) -> usize {
        let rank = |gradient: &Vec<Vec<f64>>| {
            let slopes = kept.iter().map(|vector| {
                let weights = self.weights(vector);
                let width = gradient.first().map_or(0, Vec::len);
                (0..width)
                    .map(|way| gradient.iter().zip(&weights).map(|(slopes, weight)| weight * slopes[way]).sum::<f64>())
                    .collect::<Vec<f64>>()
            });
            let mut slopes: Vec<Vec<f64>> = slopes.collect();
            orthogonal(&mut slopes);
            slopes.iter().filter(|slope| slope.iter().any(|part| *part != 0.0)).count()
        };
        self.gradients.iter().map(rank).max().unwrap_or(0)
    }

    /// The sum of products as an expression of mean 0 and deviation 1.
    fn text(&self, model: &Model, factors: &[Factor], products: &[Vec<u8>], vector: &[f64]) -> String {
        let weights = self.weights(vector);
        let of = |row: &Vec<f64>| row.iter().zip(&weights).map(|(value, weight)| value * weight).sum::<f64>();
        let count = self.values.len().max(1) as f64;
        let mean = self.values.iter().map(of).sum::<f64>() / count;
        let variance = self.values.iter().map(|row| (of(row) - mean) * (of(row) - mean)).sum::<f64>() / count;
        let deviation = variance.sqrt().max(f64::MIN_POSITIVE);
        let mut text = format!("{:?}", -mean / deviation);
        for (place, (product, weight)) in products.iter().zip(&weights).enumerate() {
            let largest = self.values.iter().map(|row| row[place].abs()).fold(0.0, f64::max);
            if (weight * largest).abs() <= NOTHING * deviation {
                continue;
            }
            let mut coefficient = weight / deviation;
            let mut factors_text = String::new();
            for (factor, times) in factors.iter().zip(product).filter(|(_, times)| **times > 0) {
                let name = &model.variables[factor.variable].name;
                let name = match factor.kind {
                    Kind::Value => {
                        coefficient /= libm::pow(factor.scale, f64::from(*times));
                        name.clone()
                    }
                    Kind::Logarithm => format!("log({name})"),
                    Kind::Sine => format!("sin({name})"),
                    Kind::Cosine => format!("cos({name})"),
                };
                let power = if *times > 1 { format!("^{times}") } else { String::new() };
                // Writing to a string cannot fail.
                let _ = write!(factors_text, " * {name}{power}");
            }
            let sign = if coefficient < 0.0 { '-' } else { '+' };
            let _ = write!(text, " {sign} {:?}{factors_text}", coefficient.abs());
        }
        text
    }
}

/// A state of a path, or one beside a path, all variables of which are of other moments.
fn beside(model: &Model, states: &[Values], index: usize, stream: &mut Stream) -> Values {
    let mut values = *stream.pick(states).unwrap_or(&Values::default());
    if index.is_multiple_of(4) {
        return values;
    }
    for (variable, value) in values.iter_mut().enumerate().take(model.variables.len()) {
        let mut of = || stream.pick(states).map_or(0.0, |values| values[variable]);
        let (one, other) = (of(), of());
        *value = one + BESIDE * (other - one) * (2.0 * stream.uniform() - 1.0);
    }
    values
}

/// The products at a state, and the gradient of each.
fn rows(factors: &[Factor], products: &[Vec<u8>], values: &Values) -> (Vec<f64>, Vec<Vec<f64>>) {
    let at: Vec<(f64, f64)> = factors.iter().map(|factor| factor.at(values)).collect();
    let power = |value: f64, times: u8| (0..times).fold(1.0, |product, _| product * value);
    let mut row = Vec::with_capacity(products.len());
    let mut gradients = Vec::with_capacity(products.len());
    for product in products {
        row.push(product.iter().zip(&at).map(|(times, (value, _))| power(*value, *times)).product());
        let mut gradient = vec![0.0; values.len()];
        for (place, factor) in factors.iter().enumerate().filter(|(place, _)| product[*place] > 0) {
            let others = product.iter().zip(&at).enumerate().filter(|(other, _)| *other != place);
            let others: f64 = others.map(|(_, (times, (value, _)))| power(*value, *times)).product();
            let (value, slope) = at[place];
            gradient[factor.variable] += f64::from(product[place]) * power(value, product[place] - 1) * slope * others;
        }
        gradients.push(gradient);
    }
    (row, gradients)
}

/// Makes vectors orthogonal and of length 1; those that follow from others become zero.
fn orthogonal(vectors: &mut [Vec<f64>]) {
    for index in 0..vectors.len() {
        let before = length(&vectors[index]);
        for _ in 0..2 {
            let (earlier, rest) = vectors.split_at_mut(index);
            for other in earlier {
                let along: f64 = other.iter().zip(&rest[0]).map(|(a, b)| a * b).sum();
                rest[0].iter_mut().zip(other).for_each(|(part, other)| *part -= along * *other);
            }
        }
        let after = length(&vectors[index]);
        let by = if after > 1e-6 * before { 1.0 / after } else { 0.0 };
        vectors[index].iter_mut().for_each(|part| *part *= by);
    }
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|part| part * part).sum::<f64>().sqrt()
}

/// Whether a quantity stays the same along paths that it was not found from.
fn stays(model: &Model, invariant: &Invariant, seed: Seed, progress: &Progress) -> Result<bool, Stopped> {
    let Some(keeping) = model.keeping(invariant) else {
        return Ok(false);
    };
    for index in 0..HELD_OUT {
        let mut stream = seed.stream("held out of invariants").at(index);
        let mut state = keeping.initial(&mut stream);
        let Some(first) = keeping.energy(&state, 0.0) else {
            return Ok(false);
        };
        for moment in 0..MOMENTS {
            progress.check()?;
            let at = |moment: u32| SECONDS * f64::from(moment) / f64::from(MOMENTS);
            let went = keeping.advance(&mut state, at(moment), at(moment + 1), &mut stream);
            let now = keeping.energy(&state, at(moment + 1)).unwrap_or(f64::NAN);
            if went.is_err() || (now - first).is_nan() || (now - first).abs() > STAYS {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(state: &str, motion: &str) -> Option<Invariant> {
        let model = Model::parse("test", &format!("format = 1\n[state]\n{state}[motion]\n{motion}")).unwrap();
        find(&model, Seed(1), &Progress::none()).unwrap()
    }

    /// The value of what was found, less that at the start of the same line.
    fn is_function_of(invariant: &Invariant, text: &str, energy: &str) {
        let model = Model::parse("test", text).unwrap();
        let given = Model::parse("test", &format!("{text}[energy]\nvalue = \"{energy}\"\n")).unwrap();
        let keeping = model.keeping(invariant).unwrap();
        let mut stream = Seed(2).stream("states");
        let mut draw =
            || State::new(&[0.5 + stream.uniform(), 0.5 + stream.uniform(), stream.uniform(), stream.uniform()]);
        let each: Vec<(f64, f64)> = (0..30)
            .map(|_| {
                let state = draw();
                (given.energy(&state, 0.0).unwrap(), keeping.energy(&state, 0.0).unwrap())
            })
            .collect();
        let slope = (each[1].1 - each[0].1) / (each[1].0 - each[0].0);
        for (energy, value) in &each {
            let off = value - each[0].1 - slope * (energy - each[0].0);
            assert!(off.abs() < 1e-6 * slope.abs(), "{energy}: {value} {}", invariant.value);
        }
    }

    #[test]
    fn energies_of_the_textbooks_are_found() {
        for (state, motion, energy) in [
            ("x = { initial = 1.0 }\nv = { initial = 0.0 }\n", "x = \"v\"\nv = \"-4 x\"\n", "0.5 v^2 + 2 x^2"),
            (
                "a = { angle = true, initial = 1.2 }\nv = { initial = 0.0 }\n",
                "a = \"v\"\nv = \"-g sin(a)\"\n",
                "0.5 v^2 - g cos(a)",
            ),
            (
                "x = { initial = 2.0 }\ny = { initial = 1.0 }\n",
                "x = \"x - 0.8 x y\"\ny = \"0.6 x y - 0.9 y\"\n",
                "0.6 x - 0.9 log(x) + 0.8 y - log(y)",
            ),
            (
                "x = { initial = 0.1 }\ny = { initial = 0.2 }\nu = { initial = 0.3 }\nv = { initial = 0.1 }\n",
                "x = \"u\"\ny = \"v\"\nu = \"-x - 2 x y\"\nv = \"-y - x^2 + y^2\"\n",
                "0.5 (u^2 + v^2 + x^2 + y^2) + x^2 y - y^3 / 3",
            ),
        ] {
            let invariant = found(state, motion).unwrap_or_else(|| panic!("{motion}"));
            assert_eq!(invariant.count, 1, "{}", invariant.value);
            is_function_of(&invariant, &format!("format = 1\n[state]\n{state}[motion]\n{motion}"), energy);
        }
    }

    #[test]
    fn a_double_pendulum_keeps_its_energy() {
        let text = "format = 1\n[state]\na = { angle = true, initial = 1.6 }\nb = { angle = true, initial = 1.2 }\n\
            u = { initial = 0.0 }\nv = { initial = 0.0 }\n[define]\nd = \"a - b\"\nbelow = \"2 - cos(d)^2\"\n\
            [motion]\na = \"u\"\nb = \"v\"\nu = \"(g sin(b) cos(d) - sin(d) (u^2 cos(d) + v^2) - 2 g sin(a)) / below\"\n\
            v = \"(2 (u^2 sin(d) - g sin(b) + g sin(a) cos(d)) + v^2 sin(d) cos(d)) / below\"\n";
        let invariant = find(&Model::parse("test", text).unwrap(), Seed(1), &Progress::none()).unwrap().unwrap();
        is_function_of(&invariant, text, "u^2 + 0.5 v^2 + u v cos(d) - 2 g cos(a) - g cos(b)");
    }

    #[test]
    fn what_is_lost_or_driven_keeps_nothing() {
        for (state, motion) in [
            ("x = { initial = 1.0 }\nv = { initial = 0.0 }\n", "x = \"v\"\nv = \"-4 x - 1e-4 v\"\n"),
            ("x = { initial = 1.0 }\nv = { initial = 0.0 }\n", "x = \"v\"\nv = \"(1 - x^2) v - x\"\n"),
            ("x = { initial = 1.0 }\nv = { initial = 0.0 }\n", "x = \"v\"\nv = \"-x + cos(t)\"\n"),
            (
                "x = { initial = 1.0 }\ny = { initial = 1.0 }\nz = { initial = 20.0 }\n",
                "x = \"10 (y - x)\"\ny = \"x (28 - z) - y\"\nz = \"x y - 8 z / 3\"\n",
            ),
        ] {
            assert_eq!(found(state, motion), None, "{motion}");
        }
    }

    #[test]
    fn two_springs_keep_two_energies() {
        let state = "x = { initial = 1.0 }\ny = { initial = 0.5 }\nu = { initial = 0.0 }\nv = { initial = 0.7 }\n";
        let invariant = found(state, "x = \"u\"\ny = \"v\"\nu = \"-x\"\nv = \"-3.1 y\"\n").unwrap();
        assert_eq!(invariant.count, 2, "{}", invariant.value);
    }
}
