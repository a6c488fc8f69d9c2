//! Models that come from files.

use std::sync::Arc;

use proscenium_chance::{Density, Seed, Stream};
use proscenium_expression::{Curve, Tape};
use proscenium_work::{Completion, Progress};

use crate::compile::CompileSettings;
use crate::compile::invariants::Invariant;
use crate::error::CullError;
use crate::geometry::Part;
use crate::integrate::{FINE_TOLERANCE, ROUGH_TOLERANCE, TOLERANCE};
use crate::learned::{LearnedBehaviour, Regime};
use crate::recorded::{RecordedMotion, learn};
use crate::system::{MotionError, State, System, Values, Variable, Wrap};

pub use crate::driven::DrivenModel;
pub use crate::error::{ModelError, Place};

/// The inputs of a tape: time, mode, variables, outside inputs.
pub(crate) const TIME: u16 = 0;
pub(crate) const MODE: u16 = 1;
pub(crate) const FIRST_VARIABLE: u16 = 2;

/// A state is moved to its energy in at most so many rounds of Newton's method, and is
/// there when it is off by no more than this.
const RESTORING_ROUNDS: u32 = 4;
const RESTORED: f64 = 1e-12;

/// Seconds over which it is counted what a second costs, at least; under a forcing for one
/// of its periods, but no longer than the second number. Chosen.
const WORK_SECONDS: (f64, f64) = (20.0, 1800.0);

/// A dynamical system from a model file.
///
/// ```
/// use proscenium_chance::Seed;
/// use proscenium_cull::{Model, System};
///
/// let model = Model::parse("pendulum.toml", r#"
///     format = 1
///     name = "pendulum"
///     [parameters]
///     length = 2.0
///     [state]
///     angle = { angle = true, initial = 1.0 }
///     speed = { initial = 0.0 }
///     [motion]
///     angle = "speed"
///     speed = "-g / length * sin(angle) - 0.1 speed"
/// "#)?;
/// let mut stream = Seed(1).stream("example");
/// let mut state = model.initial(&mut stream);
/// model.advance(&mut state, 0.0, 60.0, &mut stream)?;
/// assert!(state.values[0].abs() < 0.2, "it has lost most of its energy");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) name: String,
    pub(crate) source: Arc<str>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) initial: Vec<Density>,
    pub(crate) inputs: Vec<(String, f64)>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) modes: Vec<String>,
    pub(crate) first_mode: u8,
    /// One tape per mode.
    pub(crate) motion: Vec<Tape>,
    pub(crate) output: Tape,
    pub(crate) energy: Option<Tape>,
    /// Which variables are corrected when the energy is restored; all, where it grows
    /// fastest, if none is named.
    pub(crate) energy_of: Vec<usize>,
    /// How many quantities the motion keeps, of which the energy is one.
    pub(crate) kept: usize,
    pub(crate) switches: Vec<Switch>,
    pub(crate) signals: Vec<Signal>,
    pub(crate) curves: Vec<Curve>,
    pub(crate) forcing_period: Option<f64>,
    /// Whether its equations depend on time and never come around.
    pub(crate) is_endless: bool,
    /// How long a step may be at most, seconds, so that nothing that time or a condition
    /// brings about is stepped over.
    pub(crate) longest_step: f64,
    /// Variables that go around, where equations tell rounds apart: they are given the value
    /// within the range.
    pub(crate) folds: Vec<(usize, Wrap)>,
    /// By how much each of the copies is ahead in time, seconds.
    pub(crate) copies: Vec<f64>,
    pub(crate) parts: Vec<Part>,
    pub(crate) settings: CompileSettings,
    pub(crate) statistics: Vec<Statistic>,
    /// The motion, if it was recorded and has no equations.
    pub(crate) recorded: Option<Arc<RecordedMotion>>,
}

/// A number that is computed from the state and shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// What it is called.
    pub name: String,
    /// Whether it depends on the state, and not on time alone.
    pub of_state: bool,
}

/// What becomes of a variable when something happens.
#[derive(Clone, Debug)]
pub(crate) struct Reset {
    pub variable: usize,
    pub value: ResetValue,
}

#[derive(Clone, Debug)]
pub(crate) enum ResetValue {
    Expression(Tape),
    Random(Density),
}

/// A change of mode.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub from: u8,
    pub to: u8,
    /// Zero or more when it happens.
    pub when: Tape,
    pub resets: Vec<Reset>,
    /// What is held while it rests, see [`Switch::held`].
    pub held: Option<u8>,
}

/// Something that others may tell the system.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    pub name: String,
    pub from: Option<u8>,
    pub to: Option<u8>,
    pub resets: Vec<Reset>,
}

/// An output whose distribution must match, and how closely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statistic {
    pub output: usize,
    pub within: f64,
}

/// Working space for tapes.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) inputs: Vec<f64>,
    pub(crate) slots: Vec<f64>,
    /// Working space for the motion of one mode, which is run most.
    motion_slots: Vec<f64>,
    motion_mode: Option<u8>,
    pub(crate) tolerance: f64,
    /// Variables that rest, as bits.
    pub(crate) held: u8,
    /// Changes of mode that happened at a moment, and that moment.
    pub(crate) changes: usize,
    pub(crate) moment: f64,
    /// How often the motion was asked for.
    asked: u64,
}

impl Scratch {
    /// For integrating with this error per step.
    pub(crate) fn within(tolerance: f64) -> Self {
        Self { tolerance, moment: f64::NEG_INFINITY, ..Self::default() }
    }
}

impl Model {
    /// What the file calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text it was read from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What it shows.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// The place of an output.
    pub fn output_index(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|output| output.name == name)
    }

    /// What it is told from outside, with the values when nobody tells it.
    pub fn inputs(&self) -> &[(String, f64)] {
        &self.inputs
    }

    /// The signals that it understands.
    pub fn signals(&self) -> impl Iterator<Item = &str> {
        self.signals.iter().map(|signal| signal.name.as_str())
    }

    /// The names of its modes.
    pub fn modes(&self) -> &[String] {
        &self.modes
    }

    /// By how much each of its copies is ahead in time, seconds; one that is 0
    /// if there are no copies.
    pub fn copies(&self) -> &[f64] {
        &self.copies
    }

    /// How it should be compiled.
    pub fn settings(&self) -> &CompileSettings {
        &self.settings
    }

    /// Whether its motion was recorded, and has no equations.
    pub fn is_recorded(&self) -> bool {
        self.recorded.is_some()
    }

    /// Whether it is a plain function of time, which needs no compiling.
    pub fn is_closed_form(&self) -> bool {
        self.variables.is_empty()
    }

    /// How many numbers are animated: those of every copy and those they share.
    pub fn animated_variables(&self) -> usize {
        let own = self.outputs.iter().filter(|output| output.of_state).count();
        own * self.copies.len() + self.outputs.len() - own
    }

    /// Whether what it is told from outside changes how it moves.
    pub fn is_driven(&self) -> bool {
        let first = self.first_input();
        let reads = |tape: &Tape| tape.reads(|input| input >= first);
        self.motion.iter().any(reads) || self.switches.iter().any(|switch| reads(&switch.when))
    }

    /// Whether it moves by its equations alone: without time, others, signals and modes.
    pub(crate) fn has_plain_motion(&self) -> bool {
        let is_alone = self.inputs.is_empty() && self.signals.is_empty() && self.modes.is_empty();
        let reads_time = self.motion.iter().any(|tape| tape.reads(|input| input == TIME));
        self.recorded.is_none() && is_alone && self.switches.is_empty() && !reads_time
    }

    /// The model, which keeps what was found; the file says so from then on.
    pub(crate) fn keeping(&self, invariant: &Invariant) -> Option<Self> {
        let text = format!(
            "{}\n\n# Found when it was compiled.\n[energy]\nvalue = \"{}\"\n",
            self.source.trim_end(),
            invariant.value
        );
        let model = Self::parse("the model", &text).ok()?;
        Some(Self { kept: invariant.count, parts: self.parts.clone(), ..model })
    }

    /// Whether its behaviour is cut into modes.
    pub fn has_switches(&self) -> bool {
        !self.switches.is_empty()
    }

    /// The error that is allowed per step.
    pub(crate) fn tolerance(&self) -> f64 {
        if self.energy.is_some() { FINE_TOLERANCE } else { TOLERANCE }
    }

    pub(crate) fn first_input(&self) -> u16 {
        FIRST_VARIABLE + self.variables.len() as u16
    }

    pub(crate) fn default_inputs(&self) -> Vec<f64> {
        self.inputs.iter().map(|(_, value)| *value).collect()
    }

    pub(crate) fn prepare(&self, scratch: &mut Scratch, outside: &[f64]) {
        scratch.inputs.clear();
        scratch.inputs.resize(usize::from(FIRST_VARIABLE) + self.variables.len(), 0.0);
        if outside.len() == self.inputs.len() {
            scratch.inputs.extend_from_slice(outside);
        } else {
            scratch.inputs.extend(self.inputs.iter().map(|(_, value)| *value));
        }
    }

    pub(crate) fn place(&self, scratch: &mut Scratch, mode: u8, time: f64, values: &Values) {
        scratch.inputs[usize::from(TIME)] = time;
        scratch.inputs[usize::from(MODE)] = f64::from(mode);
        let first = usize::from(FIRST_VARIABLE);
        scratch.inputs[first..first + self.variables.len()].copy_from_slice(&values[..self.variables.len()]);
        for (index, wrap) in &self.folds {
            scratch.inputs[first + index] = wrap.apply(values[*index]);
        }
    }

    pub(crate) fn motion(&self, scratch: &mut Scratch, mode: u8, time: f64, values: &Values, rates: &mut Values) {
        self.place(scratch, mode, time, values);
        scratch.asked += 1;
        let Some(tape) = self.motion.get(usize::from(mode)) else {
            return;
        };
        if scratch.motion_mode != Some(mode) {
            tape.load(&mut scratch.motion_slots);
            scratch.motion_mode = Some(mode);
        }
        tape.run_loaded(&scratch.inputs, &self.curves, &mut scratch.motion_slots);
        for (index, rate) in rates.iter_mut().enumerate().take(self.variables.len()) {
            *rate = tape.result(index, &scratch.motion_slots);
            if scratch.held >> index & 1 == 1 {
                *rate = 0.0;
            }
        }
    }

    /// The outputs of a state, with what outside says.
    pub fn show(&self, state: &State, time: f64, outside: &[f64], shown: &mut Vec<f64>) {
        let mut scratch = Scratch::default();
        match &self.recorded {
            // Expressions see channels where they would see variables.
            Some(recorded) => {
                scratch.inputs.extend([time, 0.0]);
                scratch.inputs.extend_from_slice(&recorded.shown(state)[..recorded.width()]);
            }
            None => {
                self.prepare(&mut scratch, outside);
                self.place(&mut scratch, state.mode, time, &state.values);
            }
        }
        self.output.run(&scratch.inputs, &self.curves, &mut scratch.slots);
        shown.clear();
        shown.extend((0..self.outputs.len()).map(|index| self.output.result(index, &scratch.slots)));
    }

    /// Sets variables; all expressions see the values from before.
    pub(crate) fn reset(&self, state: &mut State, resets: &[Reset], scratch: &mut Scratch, stream: &mut Stream) {
        for reset in resets {
            state.values[reset.variable] = match &reset.value {
                ResetValue::Random(density) => density.sample(stream),
                ResetValue::Expression(tape) => tape.value(&scratch.inputs, &self.curves, &mut scratch.slots),
            };
        }
    }

    /// Tells the system something; whether it understood.
    pub fn signal(&self, state: &mut State, time: f64, name: &str, outside: &[f64], stream: &mut Stream) -> bool {
        let fits = |signal: &&Signal| signal.name == name && signal.from.is_none_or(|mode| mode == state.mode);
        let Some(signal) = self.signals.iter().find(fits) else {
            return false;
        };
        let mut scratch = Scratch::default();
        self.prepare(&mut scratch, outside);
        self.place(&mut scratch, state.mode, time, &state.values);
        self.reset(state, &signal.resets, &mut scratch, stream);
        state.mode = signal.to.unwrap_or(state.mode);
        true
    }

    /// Whether it understands a signal in some mode.
    pub fn knows_signal(&self, name: &str) -> bool {
        self.signals.iter().any(|signal| signal.name == name)
    }

    /// How fast the variables change, with what outside says.
    pub(crate) fn rates_with(&self, state: &State, time: f64, outside: &[f64]) -> Values {
        if self.recorded.is_some() {
            // The place and the seconds since the last seam go on as time does.
            return State::new(&[1.0, 0.0, 1.0]).values;
        }
        let mut scratch = Scratch::default();
        self.prepare(&mut scratch, outside);
        let mut rates = Values::default();
        self.motion(&mut scratch, state.mode, time, &state.values, &mut rates);
        rates
    }

    /// Moves a state to where the energy is as it should be, the way it grows fastest.
    fn restore_along_gradient(&self, tape: &Tape, state: &mut State, energy: f64) {
        for _ in 0..RESTORING_ROUNDS {
            let off = energy - self.single(tape, state, 0.0);
            if off.is_nan() || off.abs() <= RESTORED * (1.0 + energy.abs()) {
                return;
            }
            let mut slopes = Values::default();
            for (variable, slope) in slopes.iter_mut().enumerate().take(self.variables.len()) {
                let aside = 1e-5 * (1.0 + state.values[variable].abs());
                let at = |sign: f64| {
                    let mut moved = *state;
                    moved.values[variable] += sign * aside;
                    self.single(tape, &moved, 0.0)
                };
                *slope = (at(1.0) - at(-1.0)) / (2.0 * aside);
            }
            let square: f64 = slopes.iter().map(|slope| slope * slope).sum();
            let by = off / square;
            if !by.is_finite() {
                return;
            }
            for (value, slope) in state.values.iter_mut().zip(slopes) {
                *value += by * slope;
            }
        }
    }

    fn single(&self, tape: &Tape, state: &State, time: f64) -> f64 {
        let mut scratch = Scratch::default();
        self.prepare(&mut scratch, &[]);
        self.place(&mut scratch, state.mode, time, &state.values);
        tape.value(&scratch.inputs, &self.curves, &mut scratch.slots)
    }
}

impl System for Model {
    fn name(&self) -> &str {
        &self.name
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn mode_count(&self) -> u8 {
        self.modes.len().max(1) as u8
    }

    fn initial(&self, stream: &mut Stream) -> State {
        if let Some(recorded) = &self.recorded {
            return recorded.initial(stream);
        }
        let mut state = State { mode: self.first_mode, ..State::default() };
        for (value, density) in state.values.iter_mut().zip(&self.initial) {
            *value = density.sample(stream);
        }
        state
    }

    fn disturb(&self, state: &mut State, stream: &mut Stream) {
        let fitting: Vec<&Signal> =
            self.signals.iter().filter(|signal| signal.from.is_none_or(|mode| mode == state.mode)).collect();
        if let Some(signal) = stream.pick(&fitting) {
            self.signal(state, 0.0, &signal.name, &[], stream);
        }
    }

    fn advance(&self, state: &mut State, from: f64, to: f64, stream: &mut Stream) -> Result<(), MotionError> {
        self.advance_with(state, from, to, &[], stream)
    }

    fn spread(&self, state: &mut State, from: f64, to: f64, stream: &mut Stream) -> Result<(), MotionError> {
        self.spread_with(state, from, to, &[], stream)
    }

    fn advance_far(
        &self,
        state: &mut State,
        from: f64,
        to: f64,
        stream: &mut Stream,
        progress: &Progress,
    ) -> Result<Completion<()>, MotionError> {
        self.integrate(state, (from, to), &[], self.tolerance(), stream, progress)
    }

    fn rates(&self, state: &State, time: f64) -> Values {
        self.rates_with(state, time, &[])
    }

    fn forcing_period(&self) -> Option<f64> {
        self.forcing_period
    }

    fn is_endless(&self) -> bool {
        self.is_endless
    }

    fn is_random(&self) -> bool {
        let random = |resets: &[Reset]| resets.iter().any(|reset| matches!(reset.value, ResetValue::Random(_)));
        self.switches.iter().any(|switch| random(&switch.resets))
    }

    fn is_smooth(&self) -> bool {
        self.switches.is_empty() && self.recorded.is_none()
    }

    fn recall(&self, state: &State, seconds: f64, regime: Regime, stream: &mut Stream) -> Option<State> {
        let recorded = self.recorded.as_ref()?;
        Some(match regime {
            Regime::Sampled => recorded.draw(state, seconds, stream),
            Regime::Approximate | Regime::Complete => recorded.jump(state, seconds, stream),
        })
    }

    fn learn(
        &self,
        settings: &CompileSettings,
        seed: Seed,
        progress: &Progress,
    ) -> Option<Result<Completion<LearnedBehaviour>, CullError>> {
        self.recorded.as_ref().map(|recorded| learn(recorded, settings, seed, progress))
    }

    fn energy(&self, state: &State, time: f64) -> Option<f64> {
        self.energy.as_ref().map(|tape| self.single(tape, state, time))
    }

    fn kept(&self) -> usize {
        self.kept
    }

    /// Scales the speeds: the energy at rest and the energy now tell by how much.
    fn restore(&self, state: &mut State, energy: f64) {
        let Some(tape) = &self.energy else {
            return;
        };
        if self.energy_of.is_empty() {
            self.restore_along_gradient(tape, state, energy);
            return;
        }
        let now = self.single(tape, state, 0.0);
        let mut resting = *state;
        for &speed in &self.energy_of {
            resting.values[speed] = 0.0;
        }
        let rest = self.single(tape, &resting, 0.0);
        let ratio = (energy - rest) / (now - rest);
        if ratio.is_finite() && ratio > 0.0 {
            for &speed in &self.energy_of {
                state.values[speed] *= ratio.sqrt();
            }
        }
    }

    fn cost_per_second(&self) -> f64 {
        // Seven runs of the motion per step, about five steps per second.
        let run = self.motion.iter().map(Tape::cost).max().unwrap_or(0);
        let steps = if self.has_switches() { 6.0 } else { 5.0 };
        steps * 7.0 * (f64::from(run) + 6.0 * self.variables.len() as f64)
    }

    /// Counted over a while from one start.
    fn work_per_second(&self) -> f64 {
        let mut stream = Seed(0).stream("work");
        let mut state = self.initial(&mut stream);
        let mut scratch = Scratch::within(ROUGH_TOLERANCE);
        let seconds = self.forcing_period.unwrap_or(0.0).clamp(WORK_SECONDS.0, WORK_SECONDS.1);
        let times = (0.0, seconds);
        // What explodes is told by those who need it.
        let _ = self.integrate_in(&mut scratch, &mut state, times, &[], &mut stream, &Progress::none());
        let run = self.motion.iter().map(Tape::cost).max().unwrap_or(0);
        let each = f64::from(run) + 6.0 * self.variables.len() as f64;
        scratch.asked as f64 / seconds * each
    }

    fn statistics(&self, state: &State, time: f64) -> Vec<(String, f64, f64)> {
        if self.statistics.is_empty() {
            return Vec::new();
        }
        let mut shown = Vec::new();
        self.show(state, time, &[], &mut shown);
        let each = self.statistics.iter();
        each.map(|one| (self.outputs[one.output].name.clone(), shown[one.output], one.within)).collect()
    }
}
