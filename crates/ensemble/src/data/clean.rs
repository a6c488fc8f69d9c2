//! Data without the frames that interpenetrate: the one place that says which stretches
//! of it are kept.

use std::borrow::Cow;
use std::collections::BTreeSet;

use proscenium_work::{Completion, Finish as _, Halt, Progress, parallel};

use super::{Ensemble, Moment, Sequence, Structure};
use crate::contact::ContactTest;
use crate::error::EnsembleError;
use crate::transition::TransitionSettings;

/// Frames that are looked at for the least distance, when none is clean. Chosen: enough
/// to see a motion at its calmest and its wildest.
const SAMPLED: usize = 48;
/// How often the interval that holds the least distance is halved.
const HALVINGS: usize = 12;

/// What is left of data without the frames that interpenetrate.
pub(crate) struct CleanStretches {
    /// The frames of each stretch, one after another.
    pub stretches: Vec<Vec<Moment>>,
    /// Frames that were left out: those that interpenetrate, and those between them in
    /// stretches that are too short.
    pub dropped: usize,
}

/// Where all vertices are at a moment.
type Positions<'data> = dyn Fn(Moment) -> Cow<'data, [[f32; 3]]> + Sync + 'data;
/// Where all vertices are a share of the way from a moment to the next frame.
type PositionsBetween<'data> = dyn Fn(Moment, f32) -> Vec<[f32; 3]> + Sync + 'data;

/// Shares of a frame at which groups must not pass through each other.
const BETWEEN: [f32; 3] = [0.25, 0.5, 0.75];

impl Ensemble {
    /// The same ensemble without frames in which groups interpenetrate, cut there into
    /// sequences, of which those are dropped too in which no transition fits; and how
    /// many frames were dropped. Sequences without such frames are kept as they are,
    /// however short.
    ///
    /// # Errors
    /// When groups interpenetrate in all frames, with the least distance between them;
    /// or when what is left between such frames is too short.
    pub fn cleaned(self, progress: &Progress) -> Result<Completion<(Self, usize)>, EnsembleError> {
        clean(self, progress).finish()
    }
}

fn clean(ensemble: Ensemble, progress: &Progress) -> Result<(Ensemble, usize), Halt<EnsembleError>> {
    let positions = |moment: Moment| Cow::Borrowed(ensemble.positions_at(moment));
    let CleanStretches { stretches, dropped } = clean_stretches(&ensemble, &positions, None, progress)?;
    if dropped == 0 {
        return Ok((ensemble, 0));
    }
    let mut parts = ensemble.into_parts();
    let mut old = std::mem::take(&mut parts.sequences);
    for stretch in stretches {
        let source = &mut old[stretch[0].sequence as usize];
        let frames = stretch.iter().map(|moment| std::mem::take(&mut source.frames[moment.frame as usize])).collect();
        parts.sequences.push(Sequence { condition: source.condition, frames });
    }
    Ok((Ensemble::new(parts)?, dropped))
}

/// Which stretches are clean and long enough for transitions; they are also cut where
/// groups pass through each other between two frames, if it is known what is shown there.
/// A frame is one question to the progress.
pub(crate) fn clean_stretches(
    structure: &Structure,
    positions: &Positions,
    between: Option<&PositionsBetween>,
    progress: &Progress,
) -> Result<CleanStretches, Halt<EnsembleError>> {
    let test = ContactTest::new(structure.groups(), structure.thickness());
    let moments: Vec<Moment> = structure.moments().collect();
    let counter = progress.counter("looking for interpenetration", moments.len());
    let crossings = test.crossings();
    // Whether a frame is clean, and whether one can go on from it to the next.
    let clean = parallel::try_map(&moments, |&moment| {
        counter.count()?;
        let clean = test.touching(&positions(moment)).is_empty();
        let is_last = moment.frame as usize + 1 == structure.sequences()[moment.sequence as usize].frames;
        let goes_on = |share| between.is_none_or(|between| crossings.touching(&between(moment, share)).is_empty());
        Ok::<(bool, bool), Halt<EnsembleError>>((clean, is_last || !clean || BETWEEN.into_iter().all(goes_on)))
    })?;
    let crossed: BTreeSet<Moment> =
        moments.iter().zip(&clean).filter(|(_, clean)| !clean.1).map(|(&at, _)| at).collect();
    let kept: Vec<Moment> = moments.iter().zip(clean).filter(|(_, clean)| clean.0).map(|(&at, _)| at).collect();
    if kept.is_empty() {
        let least = least_distance(structure, &moments, positions, progress)?;
        return Err(EnsembleError::NothingClean { thickness: structure.thickness(), least }.into());
    }
    let shortest = least_stretch();
    let follows = |a: &Moment, b: &Moment| a.sequence == b.sequence && a.frame + 1 == b.frame && !crossed.contains(a);
    let is_whole = |stretch: &[Moment]| structure.sequences()[stretch[0].sequence as usize].frames == stretch.len();
    let long = |stretch: &&[Moment]| stretch.len() >= shortest || is_whole(stretch);
    let stretches: Vec<Vec<Moment>> = kept.chunk_by(follows).filter(long).map(<[Moment]>::to_vec).collect();
    if stretches.is_empty() {
        let longest = kept.chunk_by(follows).map(<[Moment]>::len).max().unwrap_or(0);
        return Err(EnsembleError::ShortStretches { longest, shortest }.into());
    }
    let dropped = moments.len() - stretches.iter().map(Vec::len).sum::<usize>();
    Ok(CleanStretches { stretches, dropped })
}

/// The shortest stretch that is of any use, frames: transitions of the shortest reach
/// must fit.
fn least_stretch() -> usize {
    TransitionSettings { reach: 1, ..TransitionSettings::default() }.least_stretch() as usize
}

/// The largest thickness with which no groups interpenetrate in frames all over the data,
/// metres, from below; zero if they pass through each other.
fn least_distance(
    structure: &Structure,
    moments: &[Moment],
    positions: &Positions,
    progress: &Progress,
) -> Result<f64, Halt<EnsembleError>> {
    let count = SAMPLED.min(moments.len());
    let sampled: Vec<Moment> = (0..count).map(|index| moments[index * moments.len() / count]).collect();
    let (mut apart, mut touching) = (0.0, structure.thickness());
    for _ in 0..HALVINGS {
        progress.check()?;
        let middle = 0.5 * (apart + touching);
        let test = ContactTest::new(structure.groups(), middle);
        let found = parallel::find_first(&sampled, |&moment| test.touching(&positions(moment)).first().copied());
        if found.is_some() { touching = middle } else { apart = middle }
    }
    Ok(apart)
}
