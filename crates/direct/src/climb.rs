//! Climbing towards what is wanted, while nothing was found that could be looked near.

use proscenium_chance::Seed;
use proscenium_work::{Halt, Progress, parallel};
use serde::{Deserialize, Serialize};

use crate::error::DirectError;
use crate::exploration::Discovery;
use crate::model::{Model, simulate, simulate_whole};
use crate::moves::Mix;
use crate::step::{Effort, StoredPoint};

/// Climbers, and how many steps each makes between two reports. Each is simulated again
/// at the beginning of a report, so that a run which is resumed is the same.
const CLIMBERS: usize = 4;
const STEPS: u64 = 16;
/// Of the steps that could mend what is missed, this share does; the others make a move of
/// the mix, since what blocks the way may be elsewhere.
const MENDING: f64 = 0.7;
/// Who has not got higher in so many steps starts over.
const PATIENCE: u64 = 2000;

/// How far the climbers are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClimbState {
    /// What they have cost.
    pub effort: Effort,
    /// How often each was asked to go on.
    rounds: u64,
    /// Where each is, and in how many steps it has not got higher; none for one that is to
    /// start over.
    climbers: Vec<Option<(StoredPoint, u64)>>,
}

/// What one climber did.
struct Climbed<Outcome> {
    at: Option<(StoredPoint, u64)>,
    effort: Effort,
    found: Option<Discovery<Outcome>>,
}

impl ClimbState {
    /// Lets every climber make some steps: each changes where it is so that something that
    /// is missed might be met, or by a move of the mix, and goes there unless it scores
    /// less. Who meets all wants starts over. A search, which no distribution is promised of.
    ///
    /// A climber's steps have a stream of their own, so that they are the same for any
    /// number of threads.
    pub(crate) fn climb<M: Model>(
        &mut self,
        (model, mix, seed): (&M, &Mix, Seed),
        progress: &Progress,
    ) -> Result<Vec<Discovery<M::Outcome>>, Halt<DirectError>> {
        self.climbers.resize(CLIMBERS, None);
        let one = |climber: usize| self.climb_one((model, mix, seed), climber, progress);
        let climbed = parallel::times(CLIMBERS, one).into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut found = Vec::new();
        for (climber, one) in climbed.into_iter().enumerate() {
            self.climbers[climber] = one.at;
            self.effort.add(one.effort);
            found.extend(one.found);
        }
        self.rounds += 1;
        Ok(found)
    }

    fn climb_one<M: Model>(
        &self,
        (model, mix, seed): (&M, &Mix, Seed),
        climber: usize,
        progress: &Progress,
    ) -> Result<Climbed<M::Outcome>, Halt<DirectError>> {
        let number = self.rounds * CLIMBERS as u64 + climber as u64;
        let mut stream = seed.stream("direct climb").at(number);
        let mut effort = Effort { simulations: 1, ..Effort::default() };
        let (mut current, mut stalled) = match &self.climbers[climber] {
            Some((stored, stalled)) => (stored.restore(model, progress)?, *stalled),
            None => (simulate_whole(model, model.space().draw(&mut stream), progress)?, 0),
        };
        for _ in 0..STEPS {
            if current.satisfied {
                let found = Some(Discovery { number, current });
                return Ok(Climbed { at: None, effort, found });
            }
            let mended =
                (stream.uniform() < MENDING).then(|| model.mend(&current.point, &current.outcome, &mut stream));
            let proposed = mended.flatten().or_else(|| {
                let (_, proposal) = mix.propose(model.space(), &current.point, &mut stream);
                proposal.map(|proposal| proposal.point)
            });
            let Some(point) = proposed.filter(|point| *point != current.point) else {
                effort.skipped += 1;
                continue;
            };
            effort.simulations += 1;
            let next = simulate(model, point, current.log_score, Some(&current), progress)?;
            effort.abandoned += u64::from(next.is_none());
            stalled += 1;
            if let Some(next) = next.filter(|next| next.log_score >= current.log_score) {
                stalled = if next.log_score > current.log_score { 0 } else { stalled };
                current = next;
            }
        }
        let found = current.satisfied.then(|| Discovery { number, current: current.clone() });
        let goes_on = found.is_none() && stalled < PATIENCE;
        Ok(Climbed { at: goes_on.then(|| (StoredPoint::of(&current), stalled)), effort, found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Abandon, Evaluation, Request};
    use crate::space::{Point, Space, VariableId};
    use proscenium_chance::{Density, Stream};

    /// Twelve numbers that should all be above 0.95: once in 10^15 draws.
    struct High {
        space: Space,
        numbers: Vec<VariableId>,
    }

    impl High {
        fn new() -> Self {
            let mut space = Space::new();
            let group = space.group("all").unwrap();
            let density = || Density::uniform(0.0, 1.0).unwrap();
            let numbers = (0..12).map(|k| space.variable(group, format!("n{k}"), density()).unwrap()).collect();
            Self { space, numbers }
        }
    }

    impl Model for High {
        type Outcome = Vec<usize>;

        fn space(&self) -> &Space {
            &self.space
        }

        fn greatest_log_score(&self) -> f64 {
            0.0
        }

        fn simulate(&self, request: &Request<'_, Vec<usize>>) -> Result<Evaluation<Vec<usize>>, Abandon> {
            let low = |place: &usize| request.values.at(self.numbers[*place]) < 0.95;
            let missed: Vec<usize> = (0..self.numbers.len()).filter(low).collect();
            Ok(Evaluation { log_score: -5.0 * missed.len() as f64, satisfied: missed.is_empty(), outcome: missed })
        }

        fn mend(&self, point: &Point, missed: &Vec<usize>, stream: &mut Stream) -> Option<Point> {
            let mut changed = point.clone();
            changed.set(self.numbers[*stream.pick(missed)?], 2.0 + stream.uniform());
            Some(changed)
        }
    }

    #[test]
    fn what_is_missed_is_mended_and_a_stored_climb_goes_on_as_if_it_had_not_been() {
        let model = High::new();
        let mix = Mix::standard(model.space()).unwrap();
        let climb = |state: &mut ClimbState| state.climb((&model, &mix, Seed(1)), &Progress::none()).unwrap().len();
        let mut state = ClimbState::default();
        let mut found = 0;
        for _ in 0..4 {
            let mut stored: ClimbState = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
            let again = climb(&mut stored);
            let now = climb(&mut state);
            assert_eq!((now, &state), (again, &stored));
            found += now;
        }
        assert!(found >= 4 && state.effort.simulations <= 4 * 4 * (STEPS + 1), "{found} {:?}", state.effort);
    }
}
