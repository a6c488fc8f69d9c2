//! Moves: how one animation is changed into another that is proposed.

mod aimed;
mod crank_nicolson;
pub mod paper;
mod prior;
mod switch;
mod together;
mod walk;

pub use aimed::{Aim, Aimed};
pub use crank_nicolson::{CrankNicolson, Scope};
pub use prior::FromPrior;
pub use switch::{FlipOne, OneMoreOrLess, Switch};
pub use together::Together;
pub use walk::{Choose, Edges, Offset, Walk};

use proscenium_chance::Stream;
use serde::{Deserialize, Serialize};

use crate::error::{DirectError, positive};
use crate::space::{Point, Space};

/// A way to change a point, with its Hastings ratio.
///
/// A move proposes a new point y for a point x, and the logarithm of
/// p_w(y) q(x|y) / (p_w(x) q(y|x)): what the world's distribution and the move
/// itself say about the pair, without any score. A move that leaves the world's
/// distribution unchanged returns zero. A density changes with the units it is
/// stated in, this ratio does not.
///
/// It must be possible to go back: where x can be reached from y, y must be
/// reachable from x, with the reciprocal ratio.
pub trait Move: Send + Sync {
    /// What it is called in reports.
    fn name(&self) -> &str;

    /// Proposes a point; `None` where it cannot, which counts as a refusal.
    fn propose(&self, space: &Space, current: &Point, stream: &mut Stream) -> Option<Proposal>;
}

/// A point that is proposed.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The new point.
    pub point: Point,
    /// The logarithm of p_w(y) q(x|y) / (p_w(x) q(y|x)).
    pub log_ratio: f64,
}

/// Which moves a run makes, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moves {
    /// Those that suit the model: [`Mix::standard`], and what it adds to them.
    #[default]
    Suited,
    /// Those of the paper for its own scenes, with their ratios corrected.
    Paper,
    /// Those of the paper with the ratios that it prints. They do not sample the world
    /// as stated.
    PaperAsPrinted,
}

/// Moves with weights: each step makes one of them, with a chance proportional
/// to its weight.
///
/// ```
/// use proscenium_chance::Density;
/// use proscenium_direct::moves::{CrankNicolson, FromPrior, Mix, Scope};
/// use proscenium_direct::Space;
///
/// let mut space = Space::new();
/// let ball = space.group("ball")?;
/// space.variable(ball, "speed", Density::normal(7.0, 1.0)?)?;
/// let mix = Mix::new(vec![
///     (0.9, Box::new(CrankNicolson::new("small and large", Scope::All, 1e-4, 1.0)?)),
///     (0.1, Box::new(FromPrior::new("start over"))),
/// ])?;
/// assert_eq!(mix.names().collect::<Vec<_>>(), ["small and large", "start over"]);
///
/// // Or whatever suits the space:
/// assert!(Mix::standard(&space)?.names().count() >= 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Mix {
    moves: Vec<(f64, Box<dyn Move>)>,
    total: f64,
}

impl Mix {
    /// A mix of moves, each with its weight. Weights of zero drop out.
    pub fn new(moves: Vec<(f64, Box<dyn Move>)>) -> Result<Self, DirectError> {
        let mut kept = Vec::with_capacity(moves.len());
        for (weight, one) in moves {
            if weight != 0.0 {
                positive(|| format!("the weight of the move \"{}\"", one.name()), weight)?;
                kept.push((weight, one));
            }
        }
        let total = kept.iter().map(|(weight, _)| weight).sum();
        if kept.is_empty() { Err(DirectError::EmptyMix) } else { Ok(Self { moves: kept, total }) }
    }

    /// Moves that suit any space: steps over four decades of size of one
    /// variable, of one group and of all; draws from the world; and, where
    /// groups can take part or not, switching them and drawing one of them anew.
    pub fn standard(space: &Space) -> Result<Self, DirectError> {
        let steps = |name, scope, least| CrankNicolson::new(name, scope, least, 1.0);
        let switches = space.optional_groups().next().is_some();
        // What is switched tells more than what is moved a little.
        let (one, all, anew) = if switches { (0.10, 0.10, 0.02) } else { (0.30, 0.35, 0.05) };
        let mut moves: Vec<(f64, Box<dyn Move>)> = vec![
            (one, Box::new(steps("one variable", Scope::One, SMALLEST_STEP)?)),
            (all, Box::new(steps("all variables", Scope::All, SMALLEST_STEP)?)),
            (anew, Box::new(FromPrior::new("start over"))),
        ];
        if space.groups().len() > 1 {
            moves.push((0.30, Box::new(steps("one group", Scope::Group, SMALLEST_STEP)?)));
        }
        if switches {
            moves.push((0.20, Box::new(steps("one group, far", Scope::Group, 0.3)?)));
            moves.push((0.50, Box::new(OneMoreOrLess::new("one group more or less"))));
            moves.push((0.10, Box::new(Switch::new("switch some groups", 0.25)?)));
        }
        Self::new(moves)
    }

    /// The same with one more.
    ///
    /// # Errors
    /// A weight that is not positive.
    pub fn with(self, weight: f64, one: Box<dyn Move>) -> Result<Self, DirectError> {
        Self::new(self.moves.into_iter().chain([(weight, one)]).collect())
    }

    /// The names of the moves, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.moves.iter().map(|(_, one)| one.name())
    }

    /// How many moves there are.
    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Picks a move and lets it propose.
    pub(crate) fn propose(&self, space: &Space, current: &Point, stream: &mut Stream) -> (usize, Option<Proposal>) {
        let mut left = stream.uniform() * self.total;
        let mut picked = self.moves.len() - 1;
        for (index, (weight, _)) in self.moves.iter().enumerate() {
            if left < *weight {
                picked = index;
                break;
            }
            left -= weight;
        }
        let proposal = self.moves[picked].1.propose(space, current, stream);
        // What the condition rules out has no density.
        (picked, proposal.filter(|proposal| space.allows(&proposal.point)))
    }
}

/// The smallest step of the standard mix, in standard deviations: chosen, so that
/// steps cover four decades.
const SMALLEST_STEP: f64 = 1e-4;

/// One of the items that pass, each equally likely; the same words are drawn
/// whichever it is.
fn pick_where<T>(items: impl Iterator<Item = T>, pass: impl Fn(&T) -> bool, stream: &mut Stream) -> Option<T> {
    let mut passing: Vec<T> = items.filter(pass).collect();
    let index = stream.below(passing.len() as u64) as usize;
    (index < passing.len()).then(|| passing.swap_remove(index))
}
