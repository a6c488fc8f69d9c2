//! How far to reach and how long to try, from the data.

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Completion, Finish as _, Halt, Progress, parallel};

use super::search::{BuildSettings, Task, TransitionSearch};
use crate::compressed::CompressedEnsemble;
use crate::data::Moment;
use crate::error::EnsembleError;
use crate::transition::Tally;

/// Pairs of moments whose costs tell how far to reach, and departures that tell how
/// hard programs are. Chosen: few, since each is solved.
const PAIRS: usize = 32;
const PROBES: u64 = 4;
/// Reaches that are compared, frames; the paper's are 30 and 40 (table I).
const REACHES: [u32; 5] = [5, 10, 20, 30, 40];
/// A reach is enough with which costs are at most so many times those of the longest.
/// Chosen: beyond it costs hardly fall any more.
const ENOUGH: f64 = 1.15;

/// Chooses τ_max, the number of samples and η from the data: the reach beyond
/// which costs hardly fall, and the effort with which nearly all departures
/// succeed.
///
/// # Errors
/// As [`TransitionSearch::new`].
pub fn choose_settings(
    data: &CompressedEnsemble,
    seed: Seed,
    progress: &Progress,
) -> Result<Completion<BuildSettings>, EnsembleError> {
    choose(data, seed, progress).finish()
}

fn choose(data: &CompressedEnsemble, seed: Seed, progress: &Progress) -> Result<BuildSettings, Halt<EnsembleError>> {
    let mut settings = BuildSettings::default();
    let shortest = data.sequences().iter().map(|sequence| sequence.frames as u32).min().unwrap_or(0);
    // Three transitions must fit one after another.
    let longest = (shortest / 8).saturating_sub(settings.transition.blend / 2).clamp(1, 40);
    let mut stream = seed.stream("choose");
    settings.transition.reach = longest;
    let search = TransitionSearch::new(data, settings, Vec::new(), seed, &progress.part(0.0, 0.5))?.or_stopped()?;
    settings.transition.reach = reach(&search, longest, &mut stream, &progress.part(0.5, 0.6))?;
    // How hard are programs? A few tell.
    settings.transition.samples = 3;
    let probe = search.with_settings(settings);
    let tasks = probe.within();
    let chosen: Vec<Task> = (0..PROBES).filter_map(|_| stream.pick(&tasks).copied()).collect();
    let tallies = parallel::try_map(&chosen, |&task| probe.probe(task, &progress.part(0.6, 1.0)))?;
    let mut tally = Tally::default();
    tallies.iter().for_each(|other| tally.add(other));
    let tried = (tally.feasible + tally.timed_out).max(1) as f64;
    let chance = (tally.feasible as f64 / tried).clamp(0.05, 0.95);
    // So many that nineteen of twenty departures succeed, and no fewer than
    // let the best of some be chosen.
    let needed = (libm::log(0.05) / libm::log(1.0 - chance)).ceil();
    settings.transition.samples = needed.clamp(4.0, 12.0) as u32;
    settings.transition.patience = if chance > 0.5 { 10.0 } else { 20.0 };
    Ok(settings)
}

/// The reach beyond which costs hardly fall.
fn reach(
    search: &TransitionSearch,
    longest: u32,
    stream: &mut Stream,
    progress: &Progress,
) -> Result<u32, Halt<EnsembleError>> {
    let reaches: Vec<u32> = REACHES.into_iter().filter(|&reach| reach <= longest).chain([longest]).collect();
    let tasks = search.within();
    let mut falls = vec![0.0; reaches.len()];
    let counter = progress.counter("choosing how far to reach", PAIRS);
    for _ in 0..PAIRS {
        counter.count()?;
        let Some(task) = stream.pick(&tasks) else {
            break;
        };
        let from = Moment { sequence: task.sequence, frame: task.first };
        let candidates = search.candidates(task, from, None);
        let Some(&to) = stream.pick(&candidates) else {
            continue;
        };
        let table = search.costs().table(from, to, longest);
        let middle = longest as usize;
        for (fall, &reach) in falls.iter_mut().zip(&reaches) {
            let window = middle - reach as usize..=middle + reach as usize;
            let best = table.iter().map(|costs| costs[window.clone()].iter().copied().fold(f64::INFINITY, f64::min));
            *fall += best.sum::<f64>();
        }
    }
    let enough = falls[falls.len() - 1] * ENOUGH;
    let chosen = falls.iter().position(|&fall| fall <= enough).unwrap_or(falls.len() - 1);
    Ok(reaches[chosen])
}
