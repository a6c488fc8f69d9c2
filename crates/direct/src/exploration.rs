//! Looking near what was found.

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Halt, Progress, parallel};
use serde::{Deserialize, Serialize};

use crate::error::DirectError;
use crate::model::{Current, Model, simulate};
use crate::moves::Mix;
use crate::space::{Point, Space};
use crate::step::Effort;

/// Tries between two reports: as many simulations as a few scans of a ladder.
const TRIES: u64 = 64;
/// A try may score so much less than what it is a change of; further down it is
/// abandoned. A want that is missed costs 5 unless somebody says otherwise.
const LEEWAY: f64 = 5.0;

/// An animation that is known to meet all wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parent {
    /// Its point.
    pub point: Point,
    /// What it scores.
    pub log_score: f64,
}

/// How far an exploration is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplorationState {
    /// How many tries were made.
    pub tries: u64,
    /// What they have cost.
    pub effort: Effort,
}

/// A try that meets all wants.
pub(crate) struct Discovery<Outcome> {
    pub number: u64,
    pub current: Current<Outcome>,
}

impl ExplorationState {
    /// Makes some more tries: each changes one of the parents by one move of the mix, and
    /// counts if it meets all wants. A search, which no distribution is promised of.
    ///
    /// Try i has a stream of its own, so that they are the same for any number of
    /// threads.
    pub(crate) fn explore<M: Model>(
        &mut self,
        (model, mix, seed): (&M, &Mix, Seed),
        parents: &[Parent],
        progress: &Progress,
    ) -> Result<Vec<Discovery<M::Outcome>>, Halt<DirectError>> {
        self.try_all(model, &seed.stream("direct exploration"), progress, &|stream| {
            let parent = stream.pick(parents)?;
            let (_, proposal) = mix.propose(model.space(), &parent.point, stream);
            Some((proposal?.point, parent.log_score - LEEWAY)).filter(|(point, _)| *point != parent.point)
        })
    }

    /// Makes some more tries: each is a child of two of the parents, changed a little, and
    /// counts if it meets all wants. A search as well.
    pub(crate) fn breed<M: Model>(
        &mut self,
        (model, seed): (&M, Seed),
        parents: &[Parent],
        progress: &Progress,
    ) -> Result<Vec<Discovery<M::Outcome>>, Halt<DirectError>> {
        self.try_all(model, &seed.stream("direct breeding"), progress, &|stream| {
            let first = stream.below(parents.len() as u64) as usize;
            let other = stream.below(parents.len().saturating_sub(1) as u64) as usize;
            let second = parents.get(if other < first { other } else { other + 1 })?;
            let first = parents.get(first)?;
            let point = child(model.space(), [&first.point, &second.point], stream);
            Some((point, first.log_score.min(second.log_score) - LEEWAY))
        })
    }

    /// Simulates what each try proposes, as far as it can score what it must.
    fn try_all<M: Model>(
        &mut self,
        model: &M,
        stream: &Stream,
        progress: &Progress,
        propose: &(impl Fn(&mut Stream) -> Option<(Point, f64)> + Sync),
    ) -> Result<Vec<Discovery<M::Outcome>>, Halt<DirectError>> {
        let first = self.tries;
        let one = |index: usize| -> Result<_, Halt<DirectError>> {
            let number = first + index as u64;
            let Some((point, needed)) = propose(&mut stream.at(number)) else {
                return Ok((number, Effort { skipped: 1, ..Effort::default() }, None));
            };
            let simulated = simulate(model, point, needed, None, progress)?;
            let effort = Effort { simulations: 1, abandoned: u64::from(simulated.is_none()), skipped: 0 };
            Ok((number, effort, simulated.filter(|current| current.satisfied)))
        };
        let tried = parallel::times(TRIES as usize, one).into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut found = Vec::new();
        for (number, effort, current) in tried {
            self.effort.add(effort);
            found.extend(current.map(|current| Discovery { number, current }));
        }
        self.tries += TRIES;
        Ok(found)
    }
}

/// How far beyond either parent a child may lie, as a share of the way between them, and the
/// smallest and the largest change of it, in standard deviations. Chosen.
const BEYOND: f64 = 0.25;
const CHANGES: (f64, f64) = (0.003, 0.3);

/// A child of two points: each group comes from one of the two, or lies between and around
/// them; then everything is changed a little.
fn child(space: &Space, [first, second]: [&Point; 2], stream: &mut Stream) -> Point {
    let mut child = first.clone();
    let blends = stream.uniform() < 0.5;
    let share = (1.0 + 2.0 * BEYOND) * stream.uniform() - BEYOND;
    let (least, greatest) = (libm::log(CHANGES.0), libm::log(CHANGES.1));
    let change = libm::exp(least + (greatest - least) * stream.uniform());
    let kept = (1.0 - change * change).sqrt();
    for group in space.groups() {
        let from_second = stream.uniform() < 0.5;
        let place = group.index();
        child.active[place] = if from_second { second.active[place] } else { first.active[place] };
        let both = first.active[place] && second.active[place];
        for variable in space.variables_of(group).iter().map(|variable| variable.index()) {
            let (a, b) = (first.whitened[variable], second.whitened[variable]);
            let value = match (blends && both, from_second) {
                (true, _) => a + share * (b - a),
                (_, true) => b,
                (_, false) => a,
            };
            child.whitened[variable] = if child.active[place] { kept * value + change * stream.normal() } else { 0.0 };
        }
    }
    child
}
