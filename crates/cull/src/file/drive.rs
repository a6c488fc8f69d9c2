//! The period of a forcing: found in the equations, or held against them.

use proscenium_chance::Seed;
use proscenium_expression::{Curve, Names, Tape};
use toml::de::DeTable;

use crate::drive::{Drive, comes_around, drive, fits, longest_step};
use crate::model::{FIRST_VARIABLE, ResetValue, Switch, TIME};
use crate::system::{Variable, Wrap};

use super::table::Reader;

/// Times and states at which equations are compared with themselves a period later,
/// and by how much they may differ, of their size. Chosen: a drive that is off by a
/// thousandth of its period differs by six times as much.
const COMPARED: usize = 64;
const SAME: f64 = 1e-6;

/// With modes, steps are no longer than this, so that no condition comes true
/// and false again unseen, seconds. Chosen: conditions of rides and lights last
/// longer.
const LONGEST_STEP_WITH_MODES: f64 = 0.25;

/// How equations depend on time, and on variables that go around.
#[derive(Clone, Debug)]
pub(super) struct Driven {
    pub period: Option<f64>,
    pub is_endless: bool,
    pub longest_step: f64,
    /// Variables that go around and equations that do not.
    pub folds: Vec<(usize, Wrap)>,
}

impl Reader<'_> {
    /// The period of the forcing, whether the equations never come around, and how long a
    /// step may be.
    pub(super) fn drive(
        &mut self,
        root: &DeTable<'_>,
        names: &Names,
        (motion, switches): (&[Tape], &[Switch]),
        curves: &[Curve],
        variables: &[Variable],
    ) -> Driven {
        let resets = switches.iter().flat_map(|switch| &switch.resets);
        let expressions = resets.filter_map(|reset| match &reset.value {
            ResetValue::Expression(tape) => Some(tape),
            ResetValue::Random(_) => None,
        });
        let tapes: Vec<&Tape> =
            motion.iter().chain(switches.iter().map(|switch| &switch.when)).chain(expressions).collect();
        let mut driven = Driven { period: None, is_endless: false, longest_step: f64::INFINITY, folds: Vec::new() };
        if !self.errors.is_empty() {
            return driven;
        }
        driven.longest_step = longest_step(tapes.iter().copied(), curves);
        if !switches.is_empty() {
            driven.longest_step = driven.longest_step.min(LONGEST_STEP_WITH_MODES);
        }
        for (index, variable) in variables.iter().enumerate() {
            let input = FIRST_VARIABLE + index as u16;
            let wrap = variable.wrap.filter(|wrap| !comes_around(tapes.iter().copied(), curves, (input, wrap.period)));
            driven.folds.extend(wrap.map(|wrap| (index, wrap)));
        }
        let found = drive(tapes.iter().copied(), curves);
        let Some((period, span)) = self.forcing(root, names) else {
            (driven.period, driven.is_endless) = match found {
                Drive::Periodic(period) => (Some(period), false),
                Drive::Steady => (None, false),
                Drive::Several(_) | Drive::Endless => (None, true),
            };
            return driven;
        };
        let is_so = match &found {
            Drive::Steady => true,
            Drive::Periodic(known) => fits(period, *known) || is_same_after(&tapes, curves, variables.len(), period),
            Drive::Several(_) | Drive::Endless => is_same_after(&tapes, curves, variables.len(), period),
        };
        if !is_so {
            let help = match found {
                Drive::Periodic(known) => format!("expected period = {known}, or leave [forcing] out: it is found"),
                Drive::Several(periods) => {
                    let all: Vec<String> = periods.iter().map(|period| format!("{period:.4} s")).collect();
                    let all = all.join(" and ");
                    format!(
                        "they come around after {all}, which have no multiple in common: leave [forcing] out, and the complete model is run"
                    )
                }
                _ => "they never come around: leave [forcing] out, and the complete model is run".to_owned(),
            };
            self.error(span, "forcing.period", format!("the equations are not the same again after {period} s"), help);
        }
        Driven { period: Some(period), ..driven }
    }

    fn forcing(&mut self, root: &DeTable<'_>, names: &Names) -> Option<(f64, std::ops::Range<usize>)> {
        let section = root.get("forcing")?;
        let fields = self.fields(section, "forcing", &["period"])?;
        let value = fields.get("period")?;
        let period = self.constant(value, "forcing.period", names)?;
        if period > 0.0 {
            return Some((period, value.span()));
        }
        self.error(value.span(), "forcing.period", format!("the period is {period}"), "expected seconds above zero");
        None
    }
}

/// Whether equations are the same a period later, wherever that is tried.
fn is_same_after(tapes: &[&Tape], curves: &[Curve], variables: usize, period: f64) -> bool {
    let mut stream = Seed(0).stream("forcing");
    let (mut slots, mut later) = (Vec::new(), Vec::new());
    (0..COMPARED).all(|_| {
        // More inputs than any tape reads.
        let mut inputs = vec![0.0; usize::from(FIRST_VARIABLE) + variables + 256];
        inputs[usize::from(TIME)] = 50.0 * period * stream.uniform();
        for value in &mut inputs[usize::from(FIRST_VARIABLE)..] {
            *value = 2.0 * stream.uniform() - 1.0;
        }
        let mut moved = inputs.clone();
        moved[usize::from(TIME)] += period;
        tapes.iter().all(|tape| {
            tape.run(&inputs, curves, &mut slots);
            tape.run(&moved, curves, &mut later);
            (0..tape.results.len()).all(|index| {
                let (a, b) = (tape.result(index, &slots), tape.result(index, &later));
                (a - b).abs() <= SAME * (1.0 + a.abs()) || a.is_nan() && b.is_nan()
            })
        })
    })
}
