//! How far to reach and how long to try, from the data.

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Completion, Finish as _, Halt, Progress, parallel};

use super::search::{BuildSettings, Task, TransitionSearch};
use crate::compressed::CompressedEnsemble;
use crate::data::{Group, Moment, SequenceInfo};
use crate::error::EnsembleError;
use crate::transition::{Limit, Tally, TransitionSettings};

/// Pairs of moments whose costs tell how far to reach, and departures that tell how
/// hard programs are. Chosen: few, since each is solved.
const PAIRS: usize = 32;
const PROBES: u64 = 4;
/// Reaches that are compared, frames; the paper's are 30 and 40 (table I).
const REACHES: [u32; 5] = [5, 10, 20, 30, 40];
/// A reach is enough with which costs are at most so many times those of the longest.
/// Chosen: beyond it costs hardly fall any more.
const ENOUGH: f64 = 1.15;
/// The share of recorded frames that lie in stretches into which transitions of the
/// chosen reach fit. Chosen: what is given up for longer transitions.
const LEAST_USED: f64 = 0.9;
/// The share of recorded frames that a walk could play at most, if the first transition
/// came as early and the last as late as they fit. Chosen: so that four fifths are left
/// when they do not.
const LEAST_WALKABLE: f64 = 0.86;
/// Reaches are not made shorter than this for that, frames: already so many make
/// transitions much cheaper.
const SHORT_REACH: u32 = 10;
/// Lengths of blends that are compared, frames: the paper's and longer ones.
const BLENDS: [u32; 3] = [10, 14, 20];
/// A length of blends is enough with which so many of some near pairs of moments have a
/// splice for every group that is not too abrupt. Chosen: some destinations are tried.
const SMOOTH: f64 = 0.5;
/// Destinations of which the nearest is asked for that.
const NEAR: usize = 12;
/// C of the paper's banner.
const BANNER_PREFERENCE: f64 = 2.0;
/// The longest reach that is chosen, frames: the paper's longest (table I).
const LONGEST_REACH: u32 = 40;

/// Chooses τ_max, τ_blend, the number of samples, η and C from the data: blends that are
/// long enough not to be abrupt; the reach beyond
/// which costs hardly fall, if nearly all that was recorded can be walked with it;
/// the effort with which nearly all departures succeed; and the paper's C for a banner or
/// for all else.
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
    settings.transition.preference = preference(data.groups());
    let mut stream = seed.stream("choose");
    settings.transition.reach = longest_reach(data.sequences(), settings.transition);
    let search = TransitionSearch::new(data, settings, Vec::new(), seed, &progress.part(0.0, 0.5))?.or_stopped()?;
    settings.transition.blend = blend(&search, settings.transition, &mut stream, &progress.part(0.5, 0.55))?;
    let longest = longest_reach(data.sequences(), settings.transition);
    settings.transition.reach = longest;
    let search = search.with_settings(settings);
    settings.transition.reach = reach(&search, longest, &mut stream, &progress.part(0.55, 0.6))?;
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

/// The paper's C of (13): 2 for its banner, so that flags are moved rather than the rope
/// that all of them hang on, and 1.1 for all else. Here an ensemble counts as a banner if
/// most of its groups hang on one.
fn preference(groups: &[Group]) -> f64 {
    let mut hanging = vec![0; groups.len()];
    groups.iter().filter_map(|group| group.attachment).for_each(|attachment| hanging[attachment.parent] += 1);
    let most = hanging.into_iter().max().unwrap_or(0);
    if 2 * most > groups.len() { BANNER_PREFERENCE } else { TransitionSettings::default().preference }
}

/// The shortest blends with which splices can be found that are not too abrupt.
fn blend(
    search: &TransitionSearch,
    transition: TransitionSettings,
    stream: &mut Stream,
    progress: &Progress,
) -> Result<u32, Halt<EnsembleError>> {
    let tasks = search.within();
    let mut pairs = Vec::new();
    for _ in 0..PAIRS {
        let Some(task) = stream.pick(&tasks) else { break };
        let from = Moment { sequence: task.sequence, frame: task.first };
        let candidates = search.candidates(task, from, None);
        let near = (0..NEAR).filter_map(|_| stream.pick(&candidates).copied());
        let cost = |to: &Moment| search.costs().synchronous(from, *to);
        pairs.extend(near.min_by(|a, b| cost(a).total_cmp(&cost(b))).map(|to| [from, to]));
    }
    let counter = progress.counter("choosing how long to blend", BLENDS.len() * pairs.len());
    for blend in BLENDS {
        // The same room for all lengths: what a blend is longer, its middle moves less.
        let reach = transition.reach.saturating_sub((blend - transition.blend.min(blend)).div_ceil(2));
        let settings = TransitionSettings { blend, ..transition };
        let smooth = parallel::try_map(&pairs, |&pair| {
            counter.count()?;
            let table = Limit::of(search.costs(), pair, &settings).table(pair[0], pair[1], reach);
            Ok::<bool, Halt<EnsembleError>>(table.iter().all(|costs| costs.iter().any(|cost| cost.is_finite())))
        })?;
        let smooth = smooth.into_iter().filter(|&smooth| smooth).count();
        if smooth as f64 >= SMOOTH * pairs.len() as f64 {
            return Ok(blend);
        }
    }
    Ok(BLENDS[BLENDS.len() - 1])
}

/// The longest reach with which nearly all that was recorded can be walked. What is before
/// the first transition of a sequence has arrived, and after the last has begun, cannot be:
/// four spans; so that where sequences are short the reach is, down to a short one, as
/// long as transitions fit into nearly all of what was recorded. A short stretch between
/// frames that were dropped does not shorten the transitions of all others.
fn longest_reach(sequences: &[SequenceInfo], transition: TransitionSettings) -> u32 {
    let recorded: usize = sequences.iter().map(|sequence| sequence.frames).sum();
    let walkable = |&reach: &u32| {
        let lost = 4 * TransitionSettings { reach, ..transition }.span() as usize;
        let walked: usize = sequences.iter().map(|sequence| sequence.frames.saturating_sub(lost)).sum();
        walked as f64 >= LEAST_WALKABLE * recorded as f64
    };
    let fitting = fitting_reach(sequences, transition);
    let walkable = (1..=LONGEST_REACH).rev().find(walkable).unwrap_or(1);
    walkable.max(SHORT_REACH).min(fitting)
}

/// The longest reach of which transitions fit into nearly all of what was recorded.
fn fitting_reach(sequences: &[SequenceInfo], transition: TransitionSettings) -> u32 {
    let recorded: usize = sequences.iter().map(|sequence| sequence.frames).sum();
    let fits = |&reach: &u32| {
        let least = TransitionSettings { reach, ..transition }.least_stretch() as usize;
        let used: usize = sequences.iter().map(|sequence| sequence.frames).filter(|&frames| frames >= least).sum();
        used as f64 >= LEAST_USED * recorded as f64
    };
    (1..=LONGEST_REACH).rev().find(fits).unwrap_or(1)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::{Banana, Banner};

    #[test]
    fn a_banner_prefers_its_flags_and_a_plant_hardly() {
        let banner = Banner { flags: 6, ..Banner::default() }.model();
        assert_eq!(preference(banner.groups()), 2.0);
        let plant = Banana { seed: Seed(1) }.generator("banana").model;
        assert_eq!(preference(plant.groups()), 1.1);
    }

    /// One frame that was dropped near an end left a stretch of a few frames, and took
    /// the reach of all transitions from 40 to 1.
    #[test]
    fn a_short_stretch_does_not_shorten_all_transitions() {
        let reach = |lengths: &[usize]| {
            let sequences: Vec<SequenceInfo> =
                lengths.iter().map(|&frames| SequenceInfo { condition: 0, frames }).collect();
            longest_reach(&sequences, TransitionSettings::default())
        };
        assert_eq!(reach(&[1800, 1800]), 40);
        assert_eq!(reach(&[20, 1779, 1800]), 40);
        assert_eq!(reach(&[20; 30]), 1);
        // Four fifths of twenty seconds remain.
        assert_eq!(reach(&[600, 600]), 16);
        // Where most of the data is short, what is left of it is little, but reaches stay useful.
        assert_eq!(reach(&[150, 150, 150, 600]), 10);
    }
}
