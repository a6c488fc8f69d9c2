use proscenium_chance::Seed;
use proscenium_direct::record::{Entry, Run};
use proscenium_direct::{Batch, Choice, Draw, Effort, Mix, Model as _, MoveCount, Sampler, Settling};
use proscenium_scenes::{DirectedScene, Outcome};
use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped};

use crate::archive::Archive;
use crate::collection::{Animation, Collection};
use crate::course::{Course, Next};
use crate::error::DirectorError;
use crate::observations::{Closest, ObservedModel, Restless};
use crate::order::{Budget, Order, Pick};

/// What a run knows while it goes on.
#[derive(Clone, Debug)]
pub struct RunStatus<'a> {
    /// How many animations were found of those that are needed: different ones, or
    /// any, as they are to be picked.
    pub found: usize,
    /// How many are needed.
    pub needed: usize,
    /// The share of the way that is behind, from 0 to 1.
    pub done: f64,
    /// Whether chains agree, where there are chains.
    pub settling: Option<&'a Settling>,
    /// How many different animations were found.
    pub different: usize,
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
    /// How many wants were met by what came closest since this start, unless something
    /// met them all.
    pub nearest: Option<usize>,
    /// How many wants there are.
    pub wants: usize,
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
    /// The animations that were picked, at most as many as were ordered.
    pub animations: Vec<Animation>,
    /// Whether chains agree, where there are chains.
    pub settling: Option<Settling>,
    /// About how many more simulations it takes until they do, if they do not.
    pub simulations_left: Option<u64>,
    /// How often each move was made and accepted.
    pub moves: Vec<(String, MoveCount)>,
    /// What came closest without meeting all wants, since this start.
    pub closest: Option<Closest>,
    /// The body that stood in the way by not coming to rest, if one did.
    pub restless: Option<Restless>,
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
/// use proscenium_scenes::{DirectedScene, Scene, Seed, Source};
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
/// let directed = DirectedScene::new(&scene)?;
/// let mut archive = MemoryArchive::default();
/// let report = direct(&directed, &mut archive, &Order::new(3, Seed(1)), &Progress::none(), &mut |_| Ok(()))?;
/// assert_eq!((report.ending, report.animations.len()), (Ending::Enough, 3));
/// assert_eq!(archive.entries()?.len() as u64, report.found);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn direct(
    directed: &DirectedScene,
    archive: &mut dyn Archive,
    order: &Order,
    progress: &Progress,
    observe: &mut dyn FnMut(&RunStatus<'_>) -> Result<(), Stopped>,
) -> Result<RunReport, DirectorError> {
    if order.samples == 0 {
        return Err(DirectorError::NoSamples);
    }
    if !order.breed.is_empty() && order.pick == Pick::Likely {
        return Err(DirectorError::NotFair);
    }
    let is_spent = order.budget.meter();
    let model = ObservedModel::new(directed);
    let mix = directed.mix_of(order.options.moves)?;
    let run = begin(directed, archive, order)?;
    let Completion::Finished((mut sampler, mut course)) =
        restore(&model, &mix, directed, archive, (&run, order), progress).finish()?
    else {
        return Ok(RunReport::unbegun(archive.entries()?.len() as u64));
    };
    let mut draws = Vec::new();
    let ending = loop {
        let status = RunStatus::new(&model, &sampler, &course, order, &draws);
        let is_stopped = observe(&status).is_err() || progress.tell("looking for animations", status.done).is_err();
        let next = course.next();
        if next == Next::End {
            break Ending::Enough;
        } else if is_stopped {
            break Ending::Stopped;
        } else if is_spent(status.simulations) {
            break Ending::Budget;
        }
        if next == Next::BeginPhase {
            sampler.begin_phase();
        }
        let Completion::Finished(batch) = work(&mut sampler, &course, order, progress)? else {
            break Ending::Stopped;
        };
        let entries: Vec<Entry> = batch
            .successes
            .iter()
            .map(|one| Entry { sample: one.sample.clone(), wants_met: one.outcome.wants_met().to_vec() })
            .collect();
        archive.commit(&entries, &batch.draws, &sampler.state(), sampler.effort().simulations)?;
        batch.successes.iter().for_each(|one| course.collection.add(directed.sketch(&one.outcome)));
        course.note(&batch.draws, &entries)?;
        draws = batch.draws;
    };
    let entries = archive.entries()?;
    if entries.is_empty() {
        model.look(order.seed, progress);
    }
    Ok(RunReport {
        ending,
        choice: sampler.final_choice(),
        effort: sampler.effort(),
        first_success: sampler.first_success(),
        found: entries.len() as u64,
        different: course.collection.different(),
        animations: course.animations(&entries, order.seed),
        settling: course.settling().cloned(),
        simulations_left: simulations_left(course.settling(), sampler.effort()),
        moves: sampler.move_counts(),
        closest: model.closest(),
        restless: model.restless(),
        refusal: model.refusal(),
    })
}

/// The next batch: of what was found, of what is climbed to, or of draws.
fn work(
    sampler: &mut Sampler<'_, ObservedModel<'_>>,
    course: &Course,
    order: &Order,
    progress: &Progress,
) -> Result<Completion<Batch<Outcome>>, DirectorError> {
    if !order.breed.is_empty() {
        return Ok(sampler.breed(&order.breed, progress)?);
    }
    let exploration = sampler.exploration();
    let climbed = sampler.climbed().simulations;
    let drawn = sampler.effort().simulations - exploration.effort.simulations - climbed;
    Ok(match course.explores(drawn - sampler.first_success().unwrap_or(0).min(drawn), &exploration) {
        Some(parents) => sampler.explore(parents, progress)?,
        None if course.climbs(drawn, climbed) => sampler.climb(progress)?,
        None => sampler.advance(progress)?,
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
            settling: None,
            simulations_left: None,
            moves: Vec::new(),
            closest: None,
            restless: None,
            refusal: None,
        }
    }
}

impl<'a> RunStatus<'a> {
    fn new(
        model: &ObservedModel<'_>,
        sampler: &Sampler<'_, ObservedModel<'_>>,
        course: &'a Course,
        order: &Order,
        draws: &'a [Draw],
    ) -> Self {
        let choice = sampler.choice().cloned();
        let simulations_allowed = match order.budget {
            Budget::Simulations(allowed) => Some(allowed),
            _ => None,
        };
        Self {
            found: course.found(),
            needed: course.needed(),
            done: course.done(),
            settling: course.settling(),
            different: course.collection.different(),
            simulations: sampler.effort().simulations,
            simulations_allowed,
            choice,
            moves: sampler.move_counts(),
            draws,
            kinds: course.collection.kinds(),
            nearest: model.nearest().filter(|_| course.collection.different() == 0),
            wants: model.wants(),
        }
    }
}

/// About how many more simulations it takes until chains have settled.
fn simulations_left(settling: Option<&Settling>, effort: Effort) -> Option<u64> {
    let settling = settling.filter(|settling| !settling.is_settled())?;
    let planned = settling.planned?;
    // A phase that was long enough and did not settle is followed by one of twice its length.
    let left = if settling.is_complete() { 2 * planned } else { planned - settling.length };
    Some((left as f64 * effort.simulations as f64 / settling.all.max(1) as f64) as u64)
}

/// What an archive holds: how many samples, how many of them differ, and those
/// that differ most.
///
/// # Errors
///
/// An archive that cannot be read, or of another scene.
pub fn review(
    directed: &DirectedScene,
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
pub(crate) fn run_of(directed: &DirectedScene, order: &Order) -> Run {
    let scene = directed.scene().to_toml();
    let run = Run::of(directed, scene, order.seed.0, order.options.clone());
    run.bred_from(&order.breed).with_wants(directed.wants())
}

/// Begins the run of an order, unless the archive holds it already.
fn begin(directed: &DirectedScene, archive: &mut dyn Archive, order: &Order) -> Result<Run, DirectorError> {
    let run = run_of(directed, order);
    let stored = archive.begin(&run)?;
    let name = archive.name();
    let other = |what| Err(DirectorError::OtherRun { archive: name.clone(), what });
    if stored.seed != run.seed {
        return other("another seed");
    }
    if stored.options != run.options {
        return other("another method");
    }
    if stored.wants != run.wants {
        return other("other wants");
    }
    if stored.origin != run.origin {
        return other("another beginning");
    }
    if stored.scene != run.scene {
        if !directed.scene().differs_in_looks_only(&stored.scene) {
            return other("another scene");
        }
        archive.restate(&run.scene)?;
    }
    Ok(run)
}

/// The sampler and what was found as the archive has them, or new ones.
fn restore<'a>(
    model: &'a ObservedModel<'a>,
    mix: &'a Mix,
    directed: &DirectedScene,
    archive: &dyn Archive,
    (run, order): (&Run, &Order),
    progress: &Progress,
) -> Result<(Sampler<'a, ObservedModel<'a>>, Course), Halt<DirectorError>> {
    let (seed, options) = (Seed(run.seed), run.options.clone());
    let sampler = match archive.state()? {
        Some(state) => Sampler::resume(model, mix, seed, options, state, progress),
        None => Sampler::start(model, mix, seed, options, progress),
    };
    let sampler = sampler.map_err(DirectorError::from)?.finished().ok_or(Halt::Stopped)?;
    let sampler = match order.pick {
        Pick::Likely => sampler.for_fair_draws(order.samples as u64),
        Pick::Different => sampler,
    };
    let (entries, draws) = (archive.entries()?, archive.draws()?);
    let mut course = Course::new(order, model.quantities(), Collection::of(directed, &entries, progress)?);
    course.note(&draws, &entries)?;
    Ok((sampler, course))
}
