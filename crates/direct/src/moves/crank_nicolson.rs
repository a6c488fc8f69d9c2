use proscenium_chance::Stream;

use super::{Move, Proposal, pick_where};
use crate::error::{DirectError, positive};
use crate::space::{GroupId, Point, Space, VariableId};

/// Which variables a move changes together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One of those that exist and are free, each equally likely.
    One,
    /// All of one group that takes part, each such group equally likely.
    Group,
    /// All that exist.
    All,
    /// Those of these that exist.
    These(Vec<VariableId>),
}

/// Preconditioned Crank–Nicolson: z' = √(1 − b²) z + b ξ with ξ ~ N(0, 1).
///
/// It leaves the world's distribution unchanged for every b, so that only the
/// score decides. The logarithm of b is drawn uniformly for each step: which
/// size is right differs from place to place, and is not known beforehand.
#[derive(Clone, Debug, PartialEq)]
pub struct CrankNicolson {
    name: String,
    scope: Scope,
    log_least: f64,
    log_greatest: f64,
}

impl CrankNicolson {
    /// Steps of size b from `least` to `greatest` (at most one, a fresh draw).
    pub fn new(name: impl Into<String>, scope: Scope, least: f64, greatest: f64) -> Result<Self, DirectError> {
        let name = name.into();
        let least = positive(|| format!("the least step of \"{name}\""), least)?;
        let greatest = positive(|| format!("the greatest step of \"{name}\""), greatest)?.min(1.0);
        if scope == Scope::These(Vec::new()) {
            return Err(DirectError::EmptyMove { name });
        }
        let log_least = libm::log(least.min(greatest));
        Ok(Self { name, scope, log_least, log_greatest: libm::log(greatest) })
    }

    /// The variables to be changed. Which they are does not depend on their
    /// values, and the choice is as likely afterwards as before.
    fn chosen(&self, space: &Space, point: &Point, stream: &mut Stream) -> Vec<VariableId> {
        let is_free = |variable: &VariableId| space.is_free(point, *variable);
        match &self.scope {
            Scope::One => pick_where(space.variables(), is_free, stream).into_iter().collect(),
            Scope::Group => {
                let movable = |group: &GroupId| space.variables_of(*group).iter().any(is_free);
                let group = pick_where(space.groups(), movable, stream);
                let all = group.map(|group| space.variables_of(group)).unwrap_or_default();
                all.iter().copied().filter(is_free).collect()
            }
            Scope::All => space.variables().filter(is_free).collect(),
            Scope::These(these) => these.iter().copied().filter(is_free).collect(),
        }
    }
}

impl Move for CrankNicolson {
    fn name(&self) -> &str {
        &self.name
    }

    fn propose(&self, space: &Space, current: &Point, stream: &mut Stream) -> Option<Proposal> {
        let b = libm::exp(self.log_least + stream.uniform() * (self.log_greatest - self.log_least)).min(1.0);
        let kept = ((1.0 - b) * (1.0 + b)).sqrt();
        let chosen = self.chosen(space, current, stream);
        let mut point = current.clone();
        for variable in chosen {
            point.whitened[variable.0] = kept * current.whitened[variable.0] + b * stream.normal();
        }
        Some(Proposal { point, log_ratio: 0.0 })
    }
}
