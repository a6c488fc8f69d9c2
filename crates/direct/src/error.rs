//! Why something cannot be sampled.

use std::borrow::Cow;

use proscenium_work::{Halt, Remedy};
use thiserror::Error;

/// Why a space, a mix of moves or a run is refused or stopped, and what would
/// help.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DirectError {
    /// Two variables or two groups with one name.
    #[error("there are two {what}s called \"{name}\"")]
    DuplicateName {
        /// `variable` or `group`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A variable of a group of another space.
    #[error("variable \"{name}\" is put in group {group}, but there are {groups}")]
    UnknownGroup {
        /// The variable.
        name: String,
        /// Where it should go.
        group: usize,
        /// How many groups there are.
        groups: usize,
    },
    /// A chance that is none.
    #[error("{what} is {value}")]
    NotChance {
        /// What it is the chance of.
        what: String,
        /// The number.
        value: f64,
    },
    /// A size that is not positive, or not finite.
    #[error("{what} is {value}")]
    NotPositive {
        /// What it is the size of.
        what: String,
        /// The number.
        value: f64,
    },
    /// A move in natural units over a variable that jumps between values.
    #[error("variable \"{name}\" has values with a probability of their own, which a walk cannot leave")]
    NotContinuous {
        /// The variable.
        name: String,
    },
    /// A move that has nothing to move.
    #[error("the move \"{name}\" has nothing to move")]
    EmptyMove {
        /// The move.
        name: String,
    },
    /// A move that would change a variable twice, and count its ratio twice.
    #[error("the move \"{name}\" has the variable \"{variable}\" twice")]
    Overlapping {
        /// The move.
        name: String,
        /// The variable.
        variable: String,
    },
    /// The paper's moves for what the paper does not have.
    #[error("the paper has no moves for \"{scene}\"")]
    NotInPaper {
        /// The scene.
        scene: String,
    },
    /// A mix of moves without any.
    #[error("a mix has no move with a weight above zero")]
    EmptyMix,
    /// An option that makes no run.
    #[error("the option {option} is {value}")]
    Option {
        /// Which option.
        option: &'static str,
        /// What it is.
        value: u64,
        /// What it has to be.
        least: u64,
    },
    /// A point that does not belong to the space of the model.
    #[error("a point has {found} {what}, the model has {expected}")]
    OtherSpace {
        /// `variables` or `groups`.
        what: &'static str,
        /// How many the point has.
        found: usize,
        /// How many the space has.
        expected: usize,
    },
    /// A number that is not finite where one was read.
    #[error("variable \"{name}\" has the whitened value {value}")]
    NotFinite {
        /// The variable.
        name: String,
        /// The number.
        value: f64,
    },
    /// A score that is not a number, or above what the model says is possible.
    #[error("a simulation scored {score}, and the model's greatest score is {greatest}")]
    Score {
        /// What it scored.
        score: f64,
        /// What the model promised.
        greatest: f64,
    },
    /// A simulation that failed.
    #[error("a simulation failed: {message}")]
    Simulation {
        /// What the model said.
        message: String,
    },
    /// A stored score that the model does not give any more.
    #[error("a stored state scored {stored} and now scores {now}: the scene or the simulator has changed since")]
    Changed {
        /// The stored score.
        stored: f64,
        /// What it is now.
        now: f64,
    },
    /// A population in which every particle is impossible.
    #[error("none of {particles} animations drawn is possible at all")]
    AllImpossible {
        /// How many were drawn.
        particles: usize,
    },
    /// A method that draws nothing by itself.
    #[error("exploration looks near what was found, and draws nothing by itself")]
    NoDraws,
    /// Draws that a diagnostic cannot use.
    #[error("the draws of chain {chain} are {found}, the first chain has {expected}")]
    UnequalChains {
        /// Which chain.
        chain: usize,
        /// How many draws it has.
        found: usize,
        /// How many the first has.
        expected: usize,
    },
}

impl Remedy for DirectError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::DuplicateName { .. } => "give each a name of its own".into(),
            Self::UnknownGroup { .. } => "use the number that `group` returned".into(),
            Self::NotChance { .. } => "give a number above zero and below one".into(),
            Self::NotPositive { .. } => "give a finite number above zero".into(),
            Self::NotContinuous { .. } => "move it with `CrankNicolson` or `FromPrior`".into(),
            Self::EmptyMove { .. } => "name the variables or groups it may change".into(),
            Self::Overlapping { .. } => "let its vectors have no variable in common".into(),
            Self::NotInPaper { .. } => {
                "direct `spell`, `table`, `dice` or `bowling`, or let the moves be chosen".into()
            }
            Self::EmptyMix => "give it at least one".into(),
            Self::Option { least, .. } => format!("give at least {least}").into(),
            Self::OtherSpace { .. } => "the run belongs to another model; resume it with its own".into(),
            Self::NotFinite { .. } => "only finite numbers can be simulated".into(),
            Self::Score { .. } => "scores must be numbers up to `greatest_log_score`".into(),
            Self::Simulation { .. } => return None,
            Self::Changed { .. } => "start a new run".into(),
            Self::AllImpossible { .. } => "use more particles, or a want that says how near a miss was".into(),
            Self::NoDraws => "ask for another method, and then call `Sampler::explore`".into(),
            Self::UnequalChains { .. } => "give chains of equal length".into(),
        })
    }
}

impl From<DirectError> for Halt<DirectError> {
    fn from(error: DirectError) -> Self {
        Self::Failed(error)
    }
}

/// Refuses what is not above zero and finite.
pub(crate) fn positive(what: impl FnOnce() -> String, value: f64) -> Result<f64, DirectError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(DirectError::NotPositive { what: what(), value }) }
}

/// Refuses what is not strictly between zero and one.
pub(crate) fn chance(what: impl FnOnce() -> String, value: f64) -> Result<f64, DirectError> {
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err(DirectError::NotChance { what: what(), value }) }
}
