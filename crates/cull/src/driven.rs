//! A model together with what drives it from outside.

use proscenium_chance::Stream;

use crate::learned::Regime;
use crate::model::Model;
use crate::system::{MotionError, State, System, Values, Variable};

/// A model whose inputs have values other than the usual ones, as a system.
///
/// ```
/// use proscenium_cull::{CompileSettings, Model, Player, Seed, compile};
/// use proscenium_work::Progress;
///
/// let lamp = Model::parse("lamp.toml", r#"
///     format = 1
///     [inputs]
///     on = 0.0
///     [state]
///     glow = { initial = 0.0, range = [0.0, 1.0] }
///     [motion]
///     glow = "3 (on - glow)"
/// "#)?;
/// let learned = compile(&lamp, &CompileSettings::quick(), Seed(1), &Progress::none())?;
/// let learned = learned.finished().expect("nobody stops it");
/// let mut player = Player::new(&lamp, Seed(1), 0.0);
/// // Somebody turns it on at 2 s.
/// let lit = lamp.driven_by(&[1.0]);
/// player.tell(&lamp, &lit, &learned, 2.0)?;
/// let (state, _) = player.see(&lit, &learned, 5.0)?;
/// assert!(state.values[0] > 0.99);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DrivenModel<'a> {
    model: &'a Model,
    inputs: &'a [f64],
}

impl Model {
    /// The model while it is driven by these inputs, in the order of
    /// [`inputs`](Model::inputs); the usual ones if there are not as many.
    pub fn driven_by<'a>(&'a self, inputs: &'a [f64]) -> DrivenModel<'a> {
        DrivenModel { model: self, inputs }
    }
}

impl<'a> DrivenModel<'a> {
    /// The model.
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// What it is told.
    pub fn inputs(&self) -> &'a [f64] {
        self.inputs
    }
}

impl System for DrivenModel<'_> {
    fn name(&self) -> &str {
        &self.model.name
    }

    fn variables(&self) -> &[Variable] {
        &self.model.variables
    }

    fn mode_count(&self) -> u8 {
        self.model.mode_count()
    }

    fn initial(&self, stream: &mut Stream) -> State {
        self.model.initial(stream)
    }

    fn advance(&self, state: &mut State, from: f64, to: f64, stream: &mut Stream) -> Result<(), MotionError> {
        self.model.advance_with(state, from, to, self.inputs, stream)
    }

    fn spread(&self, state: &mut State, from: f64, to: f64, stream: &mut Stream) -> Result<(), MotionError> {
        self.model.spread_with(state, from, to, self.inputs, stream)
    }

    fn rates(&self, state: &State, time: f64) -> Values {
        self.model.rates_with(state, time, self.inputs)
    }

    fn forcing_period(&self) -> Option<f64> {
        self.model.forcing_period
    }

    fn is_endless(&self) -> bool {
        self.model.is_endless()
    }

    fn is_random(&self) -> bool {
        self.model.is_random()
    }

    fn is_smooth(&self) -> bool {
        self.model.is_smooth()
    }

    fn recall(&self, state: &State, seconds: f64, regime: Regime, stream: &mut Stream) -> Option<State> {
        self.model.recall(state, seconds, regime, stream)
    }

    fn is_as_learned(&self) -> bool {
        let usual = || self.model.inputs().iter().zip(self.inputs).all(|((_, usual), now)| usual == now);
        self.inputs.is_empty() || !self.model.is_driven() || usual()
    }

    fn kept(&self) -> usize {
        self.model.kept
    }

    /// Who is driven from outside keeps nothing.
    fn energy(&self, state: &State, time: f64) -> Option<f64> {
        self.is_as_learned().then(|| self.model.energy(state, time)).flatten()
    }

    fn restore(&self, state: &mut State, energy: f64) {
        self.model.restore(state, energy);
    }
}
