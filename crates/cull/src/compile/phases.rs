//! Several phases of a forcing, so that a return need not begin and end at phase 0: the
//! stationary distribution at each, and how to get from each to the next phase 0 and back.

use proscenium_work::{Halt, Progress, Stopped, parallel};
use serde::{Deserialize, Serialize};

use crate::error::CullError;
use crate::system::State;

use super::cells::Grid;
use super::choose::{POLYNOMIALS, Question, Starts, wrapped};
use super::maps::{Example, Map, Polynomials};
use super::paths::Paths;
use super::stationary::Distribution;

/// What is being done, in words.
const DOING: &str = "learning phases of the forcing";

/// A period is cut into parts of about this length, seconds, but not into more than so many.
/// Chosen: a return then costs no more than a few seconds of the complete model, and a file
/// is not larger than a few hundred kilobytes.
const LONGEST_PART: f64 = 2.0;
const MOST_PARTS: usize = 4;

/// An approximation that knows where to go from less than this share of the states saves
/// too little to be kept. Chosen.
const LEAST_KNOWN: f64 = 0.5;

/// What is known at one phase of a forcing other than 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Phase {
    /// The kept states of the distribution as they are at this phase, in the same order.
    pub states: Vec<u16>,
    /// From here to the next phase 0.
    pub to_next: Option<Map>,
    /// From phase 0 to here.
    pub from_start: Option<Map>,
}

impl Phase {
    /// Whether its tables have the sizes they should have.
    pub(crate) fn is_sound(&self, grid: &Grid, states: usize) -> bool {
        let maps = [&self.to_next, &self.from_start];
        self.states.len() == states && maps.into_iter().flatten().all(|map| map.is_sound(grid))
    }
}

/// Learns what is known at the phases of a forcing after 0; of systems that change modes
/// nothing is learned.
pub(super) fn phases(
    question: &Question<'_>,
    paths: &Paths,
    distribution: &Distribution,
    progress: &Progress,
) -> Result<Vec<Phase>, Halt<CullError>> {
    let Question { system, grid, step, .. } = *question;
    let parts = ((step / LONGEST_PART).ceil() as usize).clamp(1, MOST_PARTS);
    if system.forcing_period().is_none() || !system.is_smooth() || grid.axes.is_empty() {
        return Ok(Vec::new());
    }
    progress.tell(DOING, 0.0)?;
    let dimensions = grid.axes.len();
    let kept: Vec<State> = distribution.states.chunks(dimensions).map(|codes| grid.decoded(codes, 0)).collect();
    let of_kept = rounds(question, kept.len(), parts, progress, |index| kept[index])?;
    let starts = Starts::new(question, paths);
    let count = question.settings.examples.max(100);
    let shown = rounds(question, count, parts, progress, |index| starts.state(question, index))?;
    let learned = parallel::try_tasks(parts - 1, |index| {
        let part = index + 1;
        let codes = of_kept.iter().flat_map(|round| grid.coded(&wrapped(grid, &round[part])));
        let between = |from: usize, to: usize| -> Vec<Example> {
            shown.iter().map(|round| example(grid, &round[from], &round[to])).collect()
        };
        Ok::<Phase, Stopped>(Phase {
            states: codes.collect(),
            to_next: best(grid, &between(part, parts), progress)?,
            from_start: best(grid, &between(0, part), progress)?,
        })
    })?;
    Ok(learned)
}

/// One period from each of some states, part after part.
fn rounds(
    question: &Question<'_>,
    count: usize,
    parts: usize,
    progress: &Progress,
    start: impl Fn(usize) -> State + Sync,
) -> Result<Vec<Vec<State>>, Halt<CullError>> {
    let Question { system, step, seed, .. } = *question;
    let found = parallel::try_tasks(count, |index| {
        let mut stream = seed.stream("phases").at(index as u64);
        let mut round = vec![start(index)];
        for part in 0..parts {
            progress.check()?;
            let at = |part: usize| step * part as f64 / parts as f64;
            let mut state = round[part];
            // A state that was shaken may be none that the system can have.
            if system.advance(&mut state, at(part), at(part + 1), &mut stream).is_err() {
                return Ok(Vec::new());
            }
            round.push(state);
        }
        Ok::<Vec<State>, Halt<CullError>>(round)
    })?;
    Ok(found.into_iter().filter(|round| !round.is_empty()).collect())
}

fn example(grid: &Grid, start: &State, end: &State) -> Example {
    let mut change = end.values;
    for (change, before) in change.iter_mut().zip(start.values) {
        *change -= before;
    }
    Example { start: wrapped(grid, start), change, end_mode: end.mode }
}

/// The polynomials that know where to go from most states.
fn best(grid: &Grid, examples: &[Example], progress: &Progress) -> Result<Option<Map>, Stopped> {
    let mut stream = proscenium_chance::Seed(0).stream("unused");
    let mut best: (f64, Option<Map>) = (LEAST_KNOWN, None);
    for (finer, degree) in POLYNOMIALS.into_iter().filter(|(_, degree)| grid.axes.len() <= 3 || *degree == 2) {
        let Some(found) = Polynomials::fit(grid, finer, degree, examples, progress)?.map(Map::Polynomials) else {
            continue;
        };
        let known = examples.iter().filter(|one| found.apply(grid, &one.start, &mut stream).is_some()).count();
        let share = known as f64 / examples.len().max(1) as f64;
        if share > best.0 + 0.01 {
            best = (share, Some(found));
        }
    }
    Ok(best.1)
}
