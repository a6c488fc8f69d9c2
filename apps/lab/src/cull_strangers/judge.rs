//! The judge: it knows the equations and what comes back into view, and nothing
//! of what the compiler learned from.
//!
//! At each of many sightings a viewer knows the state about as well as a cell, or
//! the time to within a moment. From states that agree with that, half go through
//! the complete model and half are culled; boosted trees try to tell on which side
//! a state came back.

use proscenium_chance::{Seed, Stream};
use proscenium_cull::{CompiledModel, CullError, Player, State, System as _};
use rayon::prelude::*;

use crate::trees;

/// A viewer sees a state to this share of what is unsure about it. Chosen: a pixel
/// or so of a system that fills a third of the screen.
const SEEN_TO: f64 = 0.1;

/// The share of sightings that come early, while a system still moves from where it
/// began to where it lives.
const EARLY: usize = 4;

/// A sighting that is told better than this is looked at again, from other states and with
/// so many times as many cases, and what is found then counts: of a thousand sightings with
/// few cases one comes so high by chance.
pub(crate) const RIGHT: f64 = 0.56;
const AGAIN: usize = 4;

/// The longest time out of view may take so many additions, half a minute or so.
const MOST_WORK: f64 = 2e10;

/// How much is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub sightings: usize,
    /// Held-out cases per sighting.
    pub cases: usize,
    /// Nobody is away for longer, seconds. What something learned brings back is away for so
    /// long too, if that is cheap.
    pub longest: f64,
}

/// What may be wrong with returns, to see whether the judge finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// They come a fifth of a period, or of the shortest jump, too late.
    ShiftedPhase,
    /// The last variable is as it was when it was last seen.
    FrozenVariable,
    /// The first variable is that of another return.
    NoCorrelation,
}

/// What the judge found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judgement {
    /// For each sighting: seconds out of view and the score.
    pub scores: Vec<(f64, f64)>,
    /// The largest relative error of the output `energy` over all returns.
    pub energy_error: Option<f64>,
    pub cases: usize,
}

impl Judgement {
    /// The sighting that is told best.
    pub(crate) fn worst(&self) -> (f64, f64) {
        self.scores.iter().copied().fold((0.0, 0.5), |worst, one| if one.1 > worst.1 { one } else { worst })
    }

    /// Half the width of an interval that holds all scores at once with 95 %:
    /// Hoeffding's bound with Bonferroni's correction.
    pub(crate) fn margin(&self) -> f64 {
        let (count, cases) = (self.scores.len().max(1) as f64, self.cases.max(1) as f64);
        (libm::log(2.0 * count / 0.05) / (2.0 * cases)).sqrt()
    }
}

/// Times out of view in each regime.
fn gaps(compiled: &CompiledModel, effort: Effort) -> Vec<f64> {
    let longest = effort.longest;
    let learned = compiled.learned();
    let medium = learned.period().or(learned.medium()).filter(|medium| medium.is_finite());
    let mut gaps = vec![0.7];
    match medium {
        Some(medium) => gaps.extend([0.5, 1.3, 2.4, 5.3].map(|times| times * medium)),
        None => gaps.extend([4.0, 17.0, 61.0, 143.0]),
    }
    if let Some(long) = learned.long() {
        gaps.extend([0.6, 0.95, 1.05, 2.3].map(|times| times * long));
    } else if let Some(medium) = medium {
        gaps.push(23.7 * medium);
    }
    gaps.retain(|gap| *gap < longest);
    let runs = (2 * effort.cases * effort.sightings.div_ceil(gaps.len() + 1)) as f64;
    let is_cheap = runs * longest * compiled.model().work_per_second() < MOST_WORK;
    if is_cheap && (medium.is_some() || learned.long().is_some()) {
        gaps.push(longest);
    }
    gaps.sort_by(f64::total_cmp);
    gaps
}

/// Judges a compiled model.
pub(crate) fn judge(
    compiled: &CompiledModel,
    along: Option<f64>,
    effort: Effort,
    seed: Seed,
) -> Result<Judgement, CullError> {
    judge_with(compiled, along, effort, None, seed)
}

/// Judges a compiled model with a fault in what comes back.
pub(crate) fn judge_with(
    compiled: &CompiledModel,
    along: Option<f64>,
    effort: Effort,
    fault: Option<Fault>,
    seed: Seed,
) -> Result<Judgement, CullError> {
    let gaps = gaps(compiled, effort);
    let one = |index: usize| {
        let seed = seed.child("sighting", index as u64);
        let sighting = Sighting::find(compiled, along, index, &seed)?;
        // Early and late sightings each go through all gaps.
        let gap = gaps[(index / EARLY + 3 * (index % EARLY)) % gaps.len()];
        let (mut score, mut energy) = sighting.score(gap, effort.cases, fault, &seed)?;
        if fault.is_none() && score > RIGHT {
            let again = sighting.score(gap, AGAIN * effort.cases, fault, &seed.child("again", 0))?;
            (score, energy) = (again.0, energy.into_iter().chain(again.1).reduce(f64::max));
        }
        Ok(((gap, score), energy))
    };
    let found = (0..effort.sightings).into_par_iter().map(one).collect::<Result<Vec<_>, CullError>>()?;
    let energy_error = found.iter().filter_map(|(_, energy)| *energy).reduce(f64::max);
    let scores = found.into_iter().map(|(score, _)| score).collect();
    Ok(Judgement { scores, energy_error, cases: effort.cases })
}

/// What was seen last, and when.
struct Sighting<'a> {
    compiled: &'a CompiledModel,
    state: State,
    time: f64,
    /// How much of each variable, or of the time, is unsure.
    sides: Vec<f64>,
    along: Option<f64>,
    energy: Option<usize>,
}

impl<'a> Sighting<'a> {
    fn find(compiled: &'a CompiledModel, along: Option<f64>, index: usize, seed: &Seed) -> Result<Self, CullError> {
        let model = compiled.model();
        let mut stream = seed.stream("sighting");
        let mut state = model.initial(&mut stream);
        let time = if index % EARLY == 1 { 0.3 + 6.0 * stream.uniform() } else { 60.0 + 200.0 * stream.uniform() };
        model.advance(&mut state, 0.0, time, &mut stream)?;
        let along = along.or(compiled.learned().period().map(|period| 0.03 * period));
        let energy = model.outputs().iter().position(|output| output.name == "energy");
        Ok(Self { compiled, state, time, sides: compiled.learned().uncertainty(), along, energy })
    }

    /// A state that a viewer takes for the one that was seen, at the time.
    fn start(&self, stream: &mut Stream) -> Result<State, CullError> {
        let mut state = self.state;
        match self.along {
            Some(seconds) => {
                // The drive, if there is one, is as it was.
                self.compiled.model().advance(&mut state, self.time, self.time + seconds * stream.uniform(), stream)?;
            }
            None => {
                for (value, side) in state.values.iter_mut().zip(&self.sides) {
                    *value += side * (stream.uniform() - 0.5);
                }
            }
        }
        Ok(state)
    }

    fn score(
        &self,
        gap: f64,
        cases: usize,
        fault: Option<Fault>,
        seed: &Seed,
    ) -> Result<(f64, Option<f64>), CullError> {
        let (model, learned) = (self.compiled.model(), self.compiled.learned());
        let (mut truth, mut back) = (Vec::with_capacity(cases), Vec::with_capacity(cases));
        let mut energy_error: Option<f64> = None;
        for index in 0..cases {
            let mut stream = seed.stream("case").at(index as u64);
            let mut state = self.start(&mut stream)?;
            model.advance(&mut state, self.time, self.time + gap, &mut stream)?;
            truth.push(self.features(&state, &mut stream));
            let seen = self.start(&mut stream)?;
            let mut player = Player::new(model, seed.child("player", index as u64), self.time);
            player.interact(model, learned, self.time, |state, _| *state = seen)?;
            let (mut state, _) = player.see(model, learned, self.time + gap)?;
            if let Some(error) = self.energy_error(&seen, &state, gap) {
                energy_error = Some(energy_error.unwrap_or(0.0).max(error));
            }
            self.spoil(&mut state, &seen, gap, fault, &mut stream)?;
            back.push(state);
        }
        if fault == Some(Fault::NoCorrelation) {
            let first: Vec<f64> = back.iter().map(|state| state.values[0]).collect();
            for (index, state) in back.iter_mut().enumerate() {
                state.values[0] = first[(index + 1) % first.len()];
            }
        }
        let mut stream = seed.stream("blur");
        let back: Vec<Vec<f64>> = back.iter().map(|state| self.features(state, &mut stream)).collect();
        Ok((trees::score(&truth, &back), energy_error))
    }

    /// Does to one return what a fault would.
    fn spoil(
        &self,
        state: &mut State,
        seen: &State,
        gap: f64,
        fault: Option<Fault>,
        stream: &mut Stream,
    ) -> Result<(), CullError> {
        let model = self.compiled.model();
        match fault {
            Some(Fault::ShiftedPhase) => {
                let learned = self.compiled.learned();
                let turn = learned.period().or(learned.medium()).filter(|turn| turn.is_finite()).unwrap_or(1.0);
                model.advance(state, self.time + gap, self.time + gap + 0.2 * turn, stream)?;
            }
            Some(Fault::FrozenVariable) => {
                let last = model.variables().len().saturating_sub(1);
                state.values[last] = seen.values[last];
            }
            Some(Fault::NoCorrelation) | None => {}
        }
        Ok(())
    }

    fn energy_error(&self, before: &State, after: &State, gap: f64) -> Option<f64> {
        let output = self.energy?;
        let of = |state: &State, time: f64| {
            let mut shown = Vec::new();
            self.compiled.model().show(state, time, &[], &mut shown);
            shown[output]
        };
        let wanted = of(before, self.time);
        Some((of(after, self.time + gap) - wanted).abs() / wanted.abs().max(1.0))
    }

    /// A state as the viewer sees it.
    fn features(&self, state: &State, stream: &mut Stream) -> Vec<f64> {
        let mut row = vec![f64::from(state.mode)];
        let variables = self.compiled.model().variables().iter();
        for ((variable, value), side) in variables.zip(state.values).zip(&self.sides) {
            let value = value + SEEN_TO * side * (stream.uniform() - 0.5);
            let value = variable.wrap.map_or(value, |wrap| wrap.apply(value));
            row.push(value);
            if let Some(wrap) = variable.wrap {
                let angle = std::f64::consts::TAU * (value - wrap.low) / wrap.period;
                row.extend([libm::sin(angle), libm::cos(angle)]);
            }
        }
        row
    }
}
