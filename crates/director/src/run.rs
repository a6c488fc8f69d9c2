use proscenium_chance::Seed;
use proscenium_direct::record::{Entry, Run};
use proscenium_direct::{Choice, Draw, Effort, Method, Mix, MoveCount, Sampler};
use proscenium_scenes::Directed;
use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped};

use crate::archive::Archive;
use crate::collection::{Animation, Collection};
use crate::error::DirectorError;
use crate::observations::{Closest, ObservedModel};
use crate::order::{Budget, Order};

/// What a run knows while it goes on.
#[derive(Clone, Debug)]
pub struct RunStatus<'a> {
    /// How many different animations were found.
    pub different: usize,
    /// How many are needed.
    pub needed: usize,
    /// How many simulations were made, of all starts of the run.
    pub simulations: u64,
    /// How many may be made, if that is limited.
    pub simulations_allowed: Option<u64>,
    /// Which method runs, and why, once that is settled.
    pub choice: Option<Choice>,
    /// How often each move was made and accepted.
    pub moves: Vec<(String, MoveCount)>,
    /// Where the chains have been since the last call.
    pub draws: &'a [Draw],
    /// Of each sample of the archive, the first one that it is like.
    pub kinds: &'a [u32],
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It found what was ordered.
    Enough,
    /// It has spent what was allowed.
    Budget,
    /// Somebody stopped it.
    Stopped,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// Why it ended.
    pub ending: Ending,
    /// Which method ran, and why; `None` if it ended before that was settled.
    pub choice: Option<Choice>,
    /// What it has cost, of all starts.
    pub effort: Effort,
    /// After how many simulations the first success came.
    pub first_success: Option<u64>,
    /// How many samples the archive has.
    pub found: u64,
    /// How many of them differ from each other.
    pub different: usize,
    /// The animations that differ most, at most as many as were ordered.
    pub animations: Vec<Animation>,
    /// What came closest without meeting all wants, since this start.
    pub closest: Option<Closest>,
    /// Why nothing could be simulated at all, if so.
    pub refusal: Option<String>,
}

/// What an archive holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// How many samples.
    pub found: u64,
    /// How many of them differ from each other.
    pub different: usize,
    /// Those that differ most, at most as many as were asked for.
    pub animations: Vec<Animation>,
}

/// Directs a scene until there are as many animations as ordered, the budget is
/// spent, or somebody stops it. The run is begun in the archive, or continued if
/// the archive holds the same one.
///
/// `observe` is told what the run knows before it begins and after every batch
/// that is kept, and may end it. A batch that is stopped is not kept, and made
/// again when the run goes on. If it is stopped while it simulates again what was
/// found before, the report has no animations.
///
/// # Errors
///
/// An archive of another run or that cannot be written, and what the sampler
/// refuses.
///
/// ```
/// use proscenium_director::{Archive, Ending, MemoryArchive, Order, direct};
/// use proscenium_scenes::{Directed, Scene, Seed, Source};
/// use proscenium_work::Progress;
///
/// let text = r#"
///     format = 1
///     duration = 2.0
///     [[body]]
///     name = "floor"
///     fixed = true
///     shape = { half_space = [0, 1, 0] }
///     [[body]]
///     name = "die"
///     shape = { box = [0.02, 0.02, 0.02] }
///     position = [0, 0.1, 0]
///     orientation = "uniform"
/// "#;
/// let scene = Scene::parse(text, &Source::inline("die.toml", text))?.with_wants("die shows 6")?;
/// let directed = Directed::new(&scene)?;
/// let mut archive = MemoryArchive::default();
/// let report = direct(&directed, &mut archive, &Order::new(3, Seed(1)), &Progress::none(), &mut |_| Ok(()))?;
/// assert_eq!((report.ending, report.animations.len()), (Ending::Enough, 3));
/// assert_eq!(archive.entries()?.len() as u64, report.found);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn direct(
    directed: &Directed,
    archive: &mut dyn Archive,
    order: &Order,
    progress: &Progress,
    observe: &mut dyn FnMut(&RunStatus<'_>) -> Result<(), Stopped>,
) -> Result<RunReport, DirectorError> {
    if order.samples == 0 {
        return Err(DirectorError::NoSamples);
    }
    let is_spent = order.budget.meter();
    let model = ObservedModel::new(directed);
    let mix = directed.mix()?;
    let run = begin(directed, archive, order)?;
    let Completion::Finished((mut sampler, mut collection)) =
        restore(&model, &mix, directed, archive, &run, progress).finish()?
    else {
        return Ok(RunReport::unbegun(archive.entries()?.len() as u64));
    };
    let mut draws = Vec::new();
    let ending = loop {
        let status = RunStatus::new(&sampler, &collection, order, &draws);
        let is_stopped = observe(&status).is_err()
            || progress.tell("looking for animations", status.different as f64 / status.needed as f64).is_err();
        if status.different >= status.needed {
            break Ending::Enough;
        } else if is_stopped {
            break Ending::Stopped;
        } else if is_spent(status.simulations) {
            break Ending::Budget;
        }
        let Completion::Finished(batch) = sampler.advance(progress)? else {
            break Ending::Stopped;
        };
        let entries: Vec<Entry> = batch
            .successes
            .iter()
            .map(|one| Entry { sample: one.sample.clone(), wants_met: one.outcome.wants_met().to_vec() })
            .collect();
        archive.commit(&entries, &batch.draws, &sampler.state(), sampler.effort().simulations)?;
        batch.successes.iter().for_each(|one| collection.add(directed.sketch(&one.outcome)));
        draws = batch.draws;
    };
    let entries = archive.entries()?;
    Ok(RunReport {
        ending,
        choice: sampler.choice().cloned(),
        effort: sampler.effort(),
        first_success: sampler.first_success(),
        found: entries.len() as u64,
        different: collection.different(),
        animations: collection.most_different(&entries, order.samples),
        closest: model.closest(),
        refusal: model.refusal(),
    })
}

impl RunReport {
    /// Of a run that was stopped before it began, or went on.
    fn unbegun(found: u64) -> Self {
        Self {
            ending: Ending::Stopped,
            choice: None,
            effort: Effort::default(),
            first_success: None,
            found,
            different: 0,
            animations: Vec::new(),
            closest: None,
            refusal: None,
        }
    }
}

impl<'a> RunStatus<'a> {
    fn new(
        sampler: &Sampler<'_, ObservedModel<'_>>,
        collection: &'a Collection,
        order: &Order,
        draws: &'a [Draw],
    ) -> Self {
        let choice = sampler.choice().cloned();
        // Neighbours in a chain are alike: of twice as many, the half that
        // differs most is chosen.
        let in_chains =
            choice.as_ref().is_some_and(|choice| matches!(choice.method, Method::Chain | Method::Tempering));
        let simulations_allowed = match order.budget {
            Budget::Simulations(allowed) => Some(allowed),
            _ => None,
        };
        Self {
            different: collection.different(),
            needed: if in_chains { 2 * order.samples } else { order.samples },
            simulations: sampler.effort().simulations,
            simulations_allowed,
            choice,
            moves: sampler.move_counts(),
            draws,
            kinds: collection.kinds(),
        }
    }
}

/// What an archive holds: how many samples, how many of them differ, and those
/// that differ most.
///
/// # Errors
///
/// An archive that cannot be read, or of another scene.
pub fn review(
    directed: &Directed,
    archive: &dyn Archive,
    samples: usize,
    progress: &Progress,
) -> Result<Completion<Review>, DirectorError> {
    let entries = archive.entries()?;
    let collection = Collection::of(directed, &entries, progress).finish()?;
    Ok(collection.map(|collection| Review {
        found: entries.len() as u64,
        different: collection.different(),
        animations: collection.most_different(&entries, samples),
    }))
}

/// What an order comes to on record.
pub(crate) fn run_of(directed: &Directed, order: &Order) -> Run {
    let scene = directed.scene().to_toml();
    Run::of(directed, scene, order.seed.0, order.options.clone()).with_wants(directed.wants())
}

/// Begins the run of an order, unless the archive holds it already.
fn begin(directed: &Directed, archive: &mut dyn Archive, order: &Order) -> Result<Run, DirectorError> {
    let run = run_of(directed, order);
    let stored = archive.begin(&run)?;
    let other = |what| Err(DirectorError::OtherRun { archive: archive.name(), what });
    if stored.seed != run.seed {
        return other("another seed");
    }
    if stored.options != run.options {
        return other("another method");
    }
    if stored.wants != run.wants {
        return other("other wants");
    }
    if stored.scene != run.scene {
        return other("another scene");
    }
    Ok(run)
}

/// The sampler and what was found as the archive has them, or new ones.
fn restore<'a>(
    model: &'a ObservedModel<'a>,
    mix: &'a Mix,
    directed: &Directed,
    archive: &dyn Archive,
    run: &Run,
    progress: &Progress,
) -> Result<(Sampler<'a, ObservedModel<'a>>, Collection), Halt<DirectorError>> {
    let (seed, options) = (Seed(run.seed), run.options.clone());
    let sampler = match archive.state()? {
        Some(state) => Sampler::resume(model, mix, seed, options, state, progress),
        None => Sampler::start(model, mix, seed, options, progress),
    };
    let sampler = sampler.map_err(DirectorError::from)?.finished().ok_or(Halt::Stopped)?;
    Ok((sampler, Collection::of(directed, &archive.entries()?, progress)?))
}
