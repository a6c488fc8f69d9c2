//! What can be culled: systems with a state that moves on.

use std::borrow::Cow;

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Completion, Progress, Remedy};
use serde::{Deserialize, Serialize};

use crate::compile::CompileSettings;
use crate::error::CullError;
use crate::learned::{LearnedBehaviour, Regime};

/// A system may have this many state variables.
pub const MOST_VARIABLES: usize = 8;

/// The values of state variables; those that a system does not have are zero.
pub type Values = [f64; MOST_VARIABLES];

/// Everything that determines how a system goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The state variables.
    pub values: Values,
    /// Which of its modes the system is in.
    pub mode: u8,
}

impl State {
    /// A state in the first mode.
    pub fn new(values: &[f64]) -> Self {
        let mut state = State::default();
        for (place, value) in state.values.iter_mut().zip(values) {
            *place = *value;
        }
        state
    }
}

/// A state variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// What it is called.
    pub name: String,
    /// If it goes around, as an angle does: where its values begin, and after
    /// how much they come again.
    pub wrap: Option<Wrap>,
    /// The range, where the author knows it.
    pub range: Option<(f64, f64)>,
    /// How much of it a viewer cannot tell, where the author knows.
    pub uncertainty: Option<f64>,
}

impl Variable {
    /// A variable on a line.
    pub fn line(name: impl Into<String>) -> Self {
        Self { name: name.into(), wrap: None, range: None, uncertainty: None }
    }

    /// An angle from −π to π.
    pub fn angle(name: impl Into<String>) -> Self {
        let wrap = Wrap { low: -std::f64::consts::PI, period: std::f64::consts::TAU };
        Self { wrap: Some(wrap), ..Self::line(name) }
    }
}

/// Values that come again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrap {
    /// The least value.
    pub low: f64,
    /// After how much the same value is meant.
    pub period: f64,
}

impl Wrap {
    /// The value from `low` to `low + period` that means the same.
    #[inline]
    pub fn apply(self, value: f64) -> f64 {
        let above = value - self.low;
        self.low + (above - self.period * (above / self.period).floor())
    }

    /// The shortest way from 0 to this difference.
    #[inline]
    pub fn difference(self, difference: f64) -> f64 {
        difference - self.period * (difference / self.period + 0.5).floor()
    }
}

/// Why a system cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// A variable grew without bound, or stopped being a number.
    #[error("{system}: {variable} explodes at t = {time} s")]
    Explosive {
        /// The system.
        system: String,
        /// The variable.
        variable: String,
        /// When, seconds.
        time: f64,
    },
    /// The motion has a jump that it does not leave, or is far faster than anything that
    /// can be seen: steps have to be so short that nobody could wait for it.
    #[error("{system}: from t = {time} s on the motion needs steps of {step:.1e} s: it jumps, or is very stiff")]
    Jagged {
        /// The system.
        system: String,
        /// Since when, seconds.
        time: f64,
        /// How long a step is, seconds.
        step: f64,
    },
    /// Bounces accumulated on something that moves.
    #[error("{system}: at t = {time} s it comes to rest on something that moves")]
    Carried {
        /// The system.
        system: String,
        /// When, seconds.
        time: f64,
    },
    /// Modes followed each other without end at one moment.
    #[error("{system}: modes change for ever at t = {time} s, from {mode} on")]
    Chatter {
        /// The system.
        system: String,
        /// One of the modes.
        mode: String,
        /// When, seconds.
        time: f64,
    },
}

impl Remedy for MotionError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::Explosive { .. } => {
                "check the signs in its equation, add damping, or give initial values that are nearer to rest"
            }
            Self::Jagged { .. } => {
                "make a jump a mode with a [[switch]], or smooth it, as tanh(v / 0.02) for sign(v); what is far faster than \
                 the rest may take its end value at once"
            }
            Self::Carried { .. } => {
                "make riding on it a mode of its own: a [[switch]] that leads, when both are as fast, into a mode whose \
                 equations are those of what carries it"
            }
            Self::Chatter { .. } => "let a reset make the condition false, or leave a gap between the conditions",
        }))
    }
}

/// A complete model: the most accurate that is wanted.
///
/// Systems that are plain functions of time have no variables, and need no
/// compiling.
///
/// ```
/// use proscenium_chance::{Seed, Stream};
/// use proscenium_cull::system::{MotionError, State, System, Variable};
/// use proscenium_cull::{CompileSettings, compile};
/// use proscenium_work::Progress;
///
/// /// A wheel on a motor.
/// struct Wheel(Vec<Variable>);
///
/// impl System for Wheel {
///     fn name(&self) -> &str { "wheel" }
///     fn variables(&self) -> &[Variable] { &self.0 }
///     fn initial(&self, stream: &mut Stream) -> State { State::new(&[stream.uniform()]) }
///     fn advance(&self, state: &mut State, from: f64, to: f64, _: &mut Stream) -> Result<(), MotionError> {
///         state.values[0] += 2.0 * (to - from);
///         Ok(())
///     }
/// }
///
/// let wheel = Wheel(vec![Variable::angle("turn")]);
/// let learned = compile(&wheel, &CompileSettings::quick(), Seed(1), &Progress::none())?;
/// let learned = learned.finished().expect("nobody stops it");
/// // It never forgets: its phase is kept.
/// let period = learned.period().expect("a wheel comes around");
/// assert!((period - std::f64::consts::PI).abs() < 1e-6);
/// # Ok::<(), proscenium_cull::CullError>(())
/// ```
pub trait System: Sync {
    /// What it is called.
    fn name(&self) -> &str;

    /// Its state variables, at most [`MOST_VARIABLES`].
    fn variables(&self) -> &[Variable];

    /// How many modes it has.
    fn mode_count(&self) -> u8 {
        1
    }

    /// A state to start in at time 0, fixed or random.
    fn initial(&self, stream: &mut Stream) -> State;

    /// Lets one of the things happen to a state that others may do to the
    /// system at any time, so that what follows from them is learned too.
    fn disturb(&self, _state: &mut State, _stream: &mut Stream) {}

    /// Moves a state from one time to a later one. Variables that go around
    /// need not be brought back into their range.
    ///
    /// # Errors
    /// When the state does not stay finite.
    fn advance(&self, state: &mut State, from: f64, to: f64, stream: &mut Stream) -> Result<(), MotionError>;

    /// As [`advance`](System::advance), for one of many states of which only
    /// the distribution matters: it may be less accurate.
    ///
    /// # Errors
    /// When the state does not stay finite.
    fn spread(&self, state: &mut State, from: f64, to: f64, stream: &mut Stream) -> Result<(), MotionError> {
        self.advance(state, from, to, stream)
    }

    /// As [`advance`](System::advance), through a time so long that somebody may
    /// want it to end: systems of which that takes longer than a blink ask on the
    /// way.
    ///
    /// # Errors
    /// When the state does not stay finite.
    fn advance_far(
        &self,
        state: &mut State,
        from: f64,
        to: f64,
        stream: &mut Stream,
        progress: &Progress,
    ) -> Result<Completion<()>, MotionError> {
        if progress.is_stopped() {
            return Ok(Completion::Stopped);
        }
        self.advance(state, from, to, stream).map(Completion::Finished)
    }

    /// How fast the variables change.
    fn rates(&self, state: &State, time: f64) -> Values {
        const STEP: f64 = 1e-5;
        let mut after = *state;
        let mut stream = proscenium_chance::Seed(0).stream("rates");
        let mut rates = Values::default();
        if self.advance(&mut after, time, time + STEP, &mut stream).is_ok() {
            for (rate, (new, old)) in rates.iter_mut().zip(after.values.iter().zip(state.values)) {
                *rate = (new - old) / STEP;
            }
        }
        rates
    }

    /// After how long its equations are the same again, if they depend on time.
    fn forcing_period(&self) -> Option<f64> {
        None
    }

    /// Whether its equations depend on time and never come around: then nothing
    /// that was learned of one time holds at another.
    fn is_endless(&self) -> bool {
        false
    }

    /// Whether chance decides how a state goes on.
    fn is_random(&self) -> bool {
        false
    }

    /// Whether states change smoothly, so that those in between can be
    /// interpolated.
    fn is_smooth(&self) -> bool {
        self.mode_count() == 1 && !self.is_random()
    }

    /// Whether it behaves now as it did when it was compiled, and not otherwise
    /// because of what it is told from outside.
    fn is_as_learned(&self) -> bool {
        true
    }

    /// Brings a state back to the energy it must have.
    fn restore(&self, _state: &mut State, _energy: f64) {}

    /// How many quantities the motion keeps, as far as is known; the energy is one of them.
    fn kept(&self) -> usize {
        0
    }

    /// The energy that the motion keeps, if it is known.
    fn energy(&self, _state: &State, _time: f64) -> Option<f64> {
        None
    }

    /// Roughly what it costs to advance by a second, in additions.
    fn cost_per_second(&self) -> f64 {
        2_000.0
    }

    /// What it costs to advance by a second as it was found to be, in additions.
    fn work_per_second(&self) -> f64 {
        self.cost_per_second()
    }

    /// Where it is after some seconds out of view, for systems that know that better than
    /// anything that is learned of equations: recorded motions. `None` if it has to be
    /// computed.
    fn recall(&self, _state: &State, _seconds: f64, _regime: Regime, _stream: &mut Stream) -> Option<State> {
        None
    }

    /// What is to be known of it, for systems that are not learned by running them.
    ///
    /// # Errors
    /// When nothing can be known of it.
    fn learn(
        &self,
        _settings: &CompileSettings,
        _seed: Seed,
        _progress: &Progress,
    ) -> Option<Result<Completion<LearnedBehaviour>, CullError>> {
        None
    }

    /// Numbers computed from the state for which statistics must match.
    fn statistics(&self, _state: &State, _time: f64) -> Vec<(String, f64, f64)> {
        Vec::new()
    }
}

/// Brings all variables that go around into their range.
pub(crate) fn wrap(variables: &[Variable], state: &mut State) {
    for (variable, value) in variables.iter().zip(&mut state.values) {
        if let Some(wrap) = variable.wrap {
            *value = wrap.apply(*value);
        }
    }
}
