//! What is sampled: a model turns values into an outcome and a score.

use proscenium_chance::Stream;
use proscenium_work::{Halt, Progress};

use crate::error::DirectError;
use crate::space::{Point, Space, Values};

/// A world that can be simulated, with what its author wants.
///
/// The density that is sampled is p(A) ∝ p_w(A) p_c(A) (Chenney 2000, equation
/// 2.1): [`space`](Model::space) has p_w, and the score of a simulation is
/// log p_c.
///
/// A simulation depends on its request's values and on nothing else: the same
/// values give the same outcome and score to the last bit, on every thread.
///
/// ```
/// use proscenium_chance::Density;
/// use proscenium_direct::{Abandon, Model, Request, Evaluation, Space, VariableId};
///
/// /// A coin slides; it should stop within a centimetre of the edge.
/// struct Slide { space: Space, speed: VariableId }
///
/// impl Model for Slide {
///     type Outcome = f64;
///     fn space(&self) -> &Space { &self.space }
///     fn greatest_log_score(&self) -> f64 { 0.0 }
///     fn simulate(&self, request: &Request<'_, f64>) -> Result<Evaluation<f64>, Abandon> {
///         let speed = request.values.at(self.speed);
///         let miss = (speed * speed / (2.0 * 0.2 * 9.81) - 1.0).abs();
///         let log_score = -0.5 * (miss / 0.01) * (miss / 0.01);
///         Ok(Evaluation { log_score, satisfied: miss < 0.01, outcome: miss })
///     }
/// }
/// ```
pub trait Model: Sync {
    /// What a simulation leaves: where things came to rest, which contacts
    /// there were.
    type Outcome: Clone + Send + Sync;

    /// What is uncertain, and how it is distributed.
    fn space(&self) -> &Space;

    /// No simulation scores more than this. The tighter it is, the fewer draws
    /// plain rejection needs.
    fn greatest_log_score(&self) -> f64;

    /// Simulates, and scores how well the wants are met.
    ///
    /// May call [`Request::check`] with what the score can still become, and
    /// pass on what it returns: a simulation that cannot be accepted any more
    /// is abandoned, and the chain is the same as if it had gone on. One that
    /// takes long calls it every few milliseconds, so that it can be stopped.
    fn simulate(&self, request: &Request<'_, Self::Outcome>) -> Result<Evaluation<Self::Outcome>, Abandon>;

    /// A change of a point after which something that is missed might be met; `None` if
    /// nothing is known that might help. Only searches ask for it: it may see the outcome,
    /// and no ratio stands for it.
    fn mend(&self, _point: &Point, _outcome: &Self::Outcome, _stream: &mut Stream) -> Option<Point> {
        None
    }

    /// The names of the outcome's numbers that traces follow.
    fn quantities(&self) -> Vec<String> {
        Vec::new()
    }

    /// The numbers themselves, as many as there are names.
    fn measure(&self, _outcome: &Self::Outcome) -> Vec<f64> {
        Vec::new()
    }
}

/// A simulation to be made.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a, Outcome> {
    /// The variables in natural units.
    pub values: &'a Values,
    /// The animation that this one was changed from, if any: what did not
    /// change may be replayed rather than computed.
    pub previous: Option<Previous<'a, Outcome>>,
    /// The least score that would be accepted.
    pub needed: f64,
    /// Whether to stop.
    pub progress: &'a Progress,
}

/// An animation that a request was changed from.
#[derive(Clone, Copy, Debug)]
pub struct Previous<'a, Outcome> {
    /// Its variables.
    pub values: &'a Values,
    /// What came of it.
    pub outcome: &'a Outcome,
}

impl<'a, Outcome> Request<'a, Outcome> {
    /// A simulation to its end, whatever it scores.
    pub fn whole(values: &'a Values, progress: &'a Progress) -> Self {
        Self { values, previous: None, needed: f64::NEG_INFINITY, progress }
    }

    /// Whether it is worth going on if the score cannot rise above `bound`, and
    /// whether somebody wants the work to end.
    ///
    /// # Errors
    /// If it is not, or somebody does: to be passed on.
    pub fn check(&self, bound: f64) -> Result<(), Abandon> {
        if self.progress.is_stopped() {
            return Err(Abandon::Stopped);
        }
        if bound < self.needed { Err(Abandon::Hopeless) } else { Ok(()) }
    }
}

/// What a simulation gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation<Outcome> {
    /// The logarithm of p_c up to a constant; −∞ for what may not be.
    pub log_score: f64,
    /// Whether all wants are met.
    pub satisfied: bool,
    /// What came of it.
    pub outcome: Outcome,
}

/// Why a simulation did not go to its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Abandon {
    /// It could not have been accepted: what [`Request::check`] returns.
    Hopeless,
    /// Somebody wanted the work to end: what [`Request::check`] returns.
    Stopped,
    /// It cannot be simulated, which ends the run. A world that merely may not
    /// be scores −∞ instead.
    Failed(String),
}

/// A point with what its simulation gave.
#[derive(Clone, Debug)]
pub(crate) struct Current<Outcome> {
    pub point: Point,
    pub values: Values,
    pub log_score: f64,
    pub satisfied: bool,
    pub outcome: Outcome,
}

/// Simulates a point to its end, or until it cannot reach `needed`.
pub(crate) fn simulate<M: Model>(
    model: &M,
    point: Point,
    needed: f64,
    previous: Option<&Current<M::Outcome>>,
    progress: &Progress,
) -> Result<Option<Current<M::Outcome>>, Halt<DirectError>> {
    progress.check()?;
    let values = model.space().values(&point);
    let previous = previous.map(|current| Previous { values: &current.values, outcome: &current.outcome });
    match model.simulate(&Request { values: &values, previous, needed, progress }) {
        Err(Abandon::Hopeless) => Ok(None),
        Err(Abandon::Stopped) => Err(Halt::Stopped),
        Err(Abandon::Failed(message)) => Err(DirectError::Simulation { message }.into()),
        Ok(Evaluation { log_score, satisfied, outcome }) => {
            let greatest = model.greatest_log_score();
            if log_score.is_nan() || log_score > greatest {
                return Err(DirectError::Score { score: log_score, greatest }.into());
            }
            Ok(Some(Current { point, values, log_score, satisfied, outcome }))
        }
    }
}

/// Simulates a point to its end.
pub(crate) fn simulate_whole<M: Model>(
    model: &M,
    point: Point,
    progress: &Progress,
) -> Result<Current<M::Outcome>, Halt<DirectError>> {
    let whole = simulate(model, point, f64::NEG_INFINITY, None, progress)?;
    let message = "it was abandoned though nothing was needed";
    whole.ok_or_else(|| DirectError::Simulation { message: message.to_owned() }.into())
}
