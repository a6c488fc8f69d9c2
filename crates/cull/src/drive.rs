//! How equations depend on time: not at all, periodically, or otherwise.
//!
//! Each value of a tape is taken apart into what grows evenly with time and a rest
//! that comes around: a t + p(t), where p may depend on the state too. Functions that
//! come around themselves (sines, remainders, closed curves) make a rest of what grows;
//! everything else that is given something that grows makes it a value that never comes
//! around.

use std::f64::consts::TAU;

use proscenium_expression::{Curve, One, Operation, Tape, Two};

use crate::model::TIME;

/// Periods whose common multiple is looked for may fit into it so often. Chosen: a
/// longer one is no shorter than the time in which anything is forgotten.
const MOST_TURNS: u32 = 64;

/// Periods are the same if they differ by no more than this share: written with six
/// digits, a drive loses a hundredth of a turn in ten thousand.
const SAME_PERIOD: f64 = 1e-6;

/// No step is longer than this share of the shortest period in the equations: what rests
/// would else be asked nothing while it is pushed. Chosen: of the places within a step that
/// are looked at two neighbours are at most half a step apart.
const SHARE_OF_PERIOD: f64 = 0.25;

/// Nor longer than this where equations jump or have corners at times, seconds. Chosen: as
/// with modes.
const LONGEST_STEP_WITH_CORNERS: f64 = 0.25;

/// How equations depend on time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Drive {
    /// They do not.
    Steady,
    /// They are the same again after so many seconds.
    Periodic(f64),
    /// They come around after these periods, which have no multiple in common.
    Several(Vec<f64>),
    /// They never come around.
    Endless,
}

/// a t + p(t); a value that never comes around has no slope.
#[derive(Clone, Debug)]
struct Growth {
    slope: Option<f64>,
    periods: Vec<f64>,
    constant: Option<f64>,
}

impl Growth {
    fn steady() -> Self {
        Self { slope: Some(0.0), periods: Vec::new(), constant: None }
    }

    fn endless() -> Self {
        Self { slope: None, ..Self::steady() }
    }

    /// What comes around, if this value goes into a function that comes around
    /// after `turn`.
    fn around(&self, turn: f64) -> Self {
        let Some(slope) = self.slope else {
            return Self::endless();
        };
        let mut periods = self.periods.clone();
        if slope != 0.0 {
            periods.push((turn / slope).abs());
        }
        Self { periods, ..Self::steady() }
    }

    /// A function of several values, none of which may grow.
    fn of(values: &[&Growth]) -> Self {
        if values.iter().any(|value| value.slope != Some(0.0)) {
            return Self::endless();
        }
        let periods = values.iter().flat_map(|value| value.periods.iter().copied()).collect();
        Self { periods, ..Self::steady() }
    }

    /// The sum of two values, the second times `sign`.
    fn sum(&self, other: &Growth, sign: f64) -> Self {
        let (Some(a), Some(b)) = (self.slope, other.slope) else {
            return Self::endless();
        };
        let periods = self.periods.iter().chain(&other.periods).copied().collect();
        Self { slope: Some(a + sign * b), periods, constant: None }
    }

    fn times(&self, factor: f64) -> Self {
        Self { slope: self.slope.map(|slope| factor * slope), periods: self.periods.clone(), constant: None }
    }
}

fn two(function: Two, x: &Growth, y: &Growth) -> Growth {
    match (function, x.constant, y.constant) {
        (Two::Add, ..) => x.sum(y, 1.0),
        (Two::Subtract, ..) => x.sum(y, -1.0),
        (Two::Multiply, Some(factor), _) => y.times(factor),
        (Two::Multiply, _, Some(factor)) => x.times(factor),
        (Two::Divide, _, Some(divisor)) if divisor != 0.0 => x.times(1.0 / divisor),
        (Two::Modulo, _, Some(turn)) if turn != 0.0 => x.around(turn),
        _ => Growth::of(&[x, y]),
    }
}

/// How the values of a tape grow with one of its inputs.
fn growths(tape: &Tape, input: u16, curves: &[Curve]) -> Vec<Growth> {
    let mut found: Vec<Growth> = Vec::with_capacity(tape.operations.len());
    for operation in &tape.operations {
        let at = |slot: u16| &found[usize::from(slot)];
        let growth = match *operation {
            Operation::Constant(value) => Growth { constant: Some(value), ..Growth::steady() },
            Operation::Input(which) if which == input => Growth { slope: Some(1.0), ..Growth::steady() },
            Operation::Input(_) => Growth::steady(),
            Operation::One(One::Negative, x) => at(x).times(-1.0),
            Operation::One(One::Sin | One::Cos | One::Tan, x) => at(x).around(TAU),
            Operation::One(One::Floor, x) => at(x).sum(&at(x).around(1.0), 1.0),
            Operation::One(_, x) => Growth::of(&[at(x)]),
            Operation::Two(function, x, y) => two(function, at(x), at(y)),
            Operation::Select(condition, yes, no) => Growth::of(&[at(condition), at(yes), at(no)]),
            Operation::Curve { curve, at: parameter, .. } => {
                at(parameter).around(curves.get(usize::from(curve)).map_or(1, |curve| curve.points.len()) as f64)
            }
        };
        found.push(growth);
    }
    found
}

/// How the results of some tapes depend on time.
pub(crate) fn drive<'t>(tapes: impl Iterator<Item = &'t Tape>, curves: &[Curve]) -> Drive {
    let mut periods: Vec<f64> = Vec::new();
    for tape in tapes {
        let growths = growths(tape, TIME, curves);
        for &result in &tape.results {
            let growth = &growths[usize::from(result)];
            if growth.slope != Some(0.0) {
                return Drive::Endless;
            }
            for &period in &growth.periods {
                if !periods.iter().any(|known| (period / known - 1.0).abs() < SAME_PERIOD) {
                    periods.push(period);
                }
            }
        }
    }
    periods.sort_by(f64::total_cmp);
    let Some(&longest) = periods.last() else {
        return Drive::Steady;
    };
    let common = (1..=MOST_TURNS).map(|turns| f64::from(turns) * longest);
    match common.into_iter().find(|whole| periods.iter().all(|period| fits(*whole, *period))) {
        Some(period) => Drive::Periodic(period),
        None => Drive::Several(periods),
    }
}

/// How long a step may be at most, seconds, so that nothing that time alone brings about is
/// stepped over: the integrator sees no more of the equations than where its stages stand.
pub(crate) fn longest_step<'t>(tapes: impl Iterator<Item = &'t Tape>, curves: &[Curve]) -> f64 {
    let mut longest = f64::INFINITY;
    for tape in tapes {
        let periods = growths(tape, TIME, curves).into_iter().flat_map(|growth| growth.periods);
        longest = periods.fold(longest, |longest, period| longest.min(SHARE_OF_PERIOD * period));
        if has_corners_in_time(tape) {
            longest = longest.min(LONGEST_STEP_WITH_CORNERS);
        }
    }
    longest
}

/// Whether something that depends on time goes into a function with a jump or a corner.
fn has_corners_in_time(tape: &Tape) -> bool {
    let mut timed: Vec<bool> = Vec::with_capacity(tape.operations.len());
    let mut found = false;
    for operation in &tape.operations {
        let at = |slot: u16| timed[usize::from(slot)];
        let (is_timed, has_corner) = match *operation {
            Operation::Constant(_) => (false, false),
            Operation::Input(input) => (input == TIME, false),
            Operation::One(function, x) => (at(x), matches!(function, One::Floor | One::Sign | One::Abs)),
            Operation::Two(function, x, y) => {
                let has_corner = matches!(function, Two::Modulo | Two::Equal | Two::Minimum | Two::Maximum);
                (at(x) || at(y), has_corner)
            }
            Operation::Select(condition, yes, no) => (at(condition) || at(yes) || at(no), at(condition)),
            Operation::Curve { at: parameter, .. } => (at(parameter), false),
        };
        found |= is_timed && has_corner;
        timed.push(is_timed);
    }
    found
}

/// Whether tapes are the same again when an input has grown by this.
pub(crate) fn comes_around<'t>(
    mut tapes: impl Iterator<Item = &'t Tape>,
    curves: &[Curve],
    (input, turn): (u16, f64),
) -> bool {
    tapes.all(|tape| {
        let growths = growths(tape, input, curves);
        tape.results.iter().all(|result| {
            let growth = &growths[usize::from(*result)];
            growth.slope == Some(0.0) && growth.periods.iter().all(|period| fits(turn, *period))
        })
    })
}

/// Whether a period fits into another a whole number of times.
pub(crate) fn fits(whole: f64, period: f64) -> bool {
    let turns = (whole / period).round();
    turns >= 1.0 && (whole / period / turns - 1.0).abs() < SAME_PERIOD
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_expression::{Binding, Names, Writer};

    fn of(text: &str) -> Drive {
        let mut names = Names { mode_input: 1, ..Names::default() };
        names.bindings.insert("t".into(), Binding::Input(TIME));
        names.bindings.insert("x".into(), Binding::Input(2));
        let mut writer = Writer::default();
        let slot = names.write(&names.parse(text).unwrap(), &mut writer).unwrap();
        drive(std::iter::once(&writer.finish(vec![slot])), &[])
    }

    #[test]
    fn periods_are_found() {
        assert_eq!(of("3 x - sin(x)"), Drive::Steady);
        for (text, expected) in [
            ("x + cos(2 t)", TAU / 2.0),
            ("x sin(3 t - x) + cos(2 t)", TAU),
            ("sin(t / 4 + sin(t))^2", 4.0 * TAU),
            ("if(mod(t, 10) > 6, x, 0)", 10.0),
            ("t - floor(t)", 1.0),
            ("sin(x + 5 t) tan(2.5 t)", TAU / 2.5),
        ] {
            let Drive::Periodic(period) = of(text) else {
                panic!("{text}: {:?}", of(text));
            };
            assert!((period - expected).abs() < 1e-9, "{text}: {period}");
        }
    }

    #[test]
    fn steps_are_no_longer_than_what_time_brings() {
        let longest = |text: &str| {
            let mut names = Names { mode_input: 1, ..Names::default() };
            names.bindings.insert("t".into(), Binding::Input(TIME));
            names.bindings.insert("x".into(), Binding::Input(2));
            let mut writer = Writer::default();
            let slot = names.write(&names.parse(text).unwrap(), &mut writer).unwrap();
            longest_step(std::iter::once(&writer.finish(vec![slot])), &[])
        };
        for (text, expected) in [
            ("3 x - abs(x)", f64::INFINITY),
            ("x + cos(50 pi t)", 0.01),
            ("if(mod(t, 30) < 0.5, 1, 0)", 0.25),
            ("max(0, sin(2 pi t / 400))", 0.25),
            ("exp(-t) sin(2 pi t)", 0.25),
        ] {
            let found = longest(&text.replace("pi", "3.14159265358979"));
            assert!(found == expected || (found / expected - 1.0).abs() < 1e-9, "{text}: {found}");
        }
    }

    #[test]
    fn what_never_comes_around_is_known() {
        for text in ["t", "exp(-t)", "x t", "if(t > 3, x, 0)", "sin(t^2)", "sin(x t)"] {
            assert_eq!(of(text), Drive::Endless, "{text}");
        }
        assert!(matches!(of("sin(t) + sin(1.41421356 t)"), Drive::Several(periods) if periods.len() == 2));
    }
}
