use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use proscenium_chance::Seed;
use proscenium_direct::{Choice, DirectError, Draw, Effort, Method, Mix, MoveCount, Sampler, most_different};
use proscenium_gallery::{Entry, Gallery, GalleryError, Run};
use proscenium_scenes::{Directed, Outcome, Scene, Sketch, Source};
use rayon::prelude::*;

use crate::error::DirectorError;
use crate::order::{Budget, Order};
use crate::watch::{Closest, Watched};

/// Of more samples than this, only the first are compared.
const MOST_COMPARED: usize = 1000;
/// Animations are of one kind while no body is further from its place in the
/// other than so many of its radii.
const ALIKE: f64 = 3.0;

/// How far a run is.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
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
    /// Of each sample of the gallery, the first one that it is like.
    pub kinds: &'a [u32],
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It found what was ordered.
    Enough,
    /// It has spent what was allowed.
    Budget,
    /// It was told to stop.
    Stopped,
}

/// An animation that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// Its place in the gallery, from 0.
    pub index: usize,
    /// The sample, and which wants it meets.
    pub entry: Entry,
    /// How it differs from the one among the others that is most alike.
    pub difference: Option<Difference>,
}

/// How two animations differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// How far apart the paths of a body get, in its radii, for the body for
    /// which that is most.
    pub radii: f64,
    /// How many contacts only one of the two has.
    pub contacts: usize,
}

impl Difference {
    fn between(a: &Sketch, b: &Sketch) -> Self {
        Self { radii: a.apart(b), contacts: a.other_contacts(b) }
    }
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Report {
    /// Why it ended.
    pub ended: Ended,
    /// Which method ran, and why; `None` if it ended before that was settled.
    pub choice: Option<Choice>,
    /// What it has cost, of all starts.
    pub effort: Effort,
    /// After how many simulations the first success came.
    pub first_success: Option<u64>,
    /// How many samples the gallery has.
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

/// What was found, as far as it is compared.
#[derive(Default)]
struct Found {
    sketches: Vec<Sketch>,
    /// Those that differ from all before them.
    different: Vec<usize>,
    /// Of each, the first one that it is like; of one that is not compared,
    /// itself.
    kinds: Vec<u32>,
}

impl Found {
    fn add(&mut self, sketch: Sketch) {
        let place = self.sketches.len();
        if place >= MOST_COMPARED {
            self.add_uncompared();
            return;
        }
        if self.different.iter().all(|other| self.sketches[*other].differs(&sketch)) {
            self.different.push(place);
        }
        let mut firsts = self.kinds.iter().enumerate().filter(|(index, kind)| **kind as usize == *index);
        let like = firsts.find(|(index, _)| self.sketches[*index].apart(&sketch) <= ALIKE);
        self.kinds.push(like.map_or(place, |(index, _)| index) as u32);
        self.sketches.push(sketch);
    }

    fn add_uncompared(&mut self) {
        self.kinds.push(self.kinds.len() as u32);
    }
}

/// Directs a scene until there are as many animations as ordered, the budget is
/// spent, or `progress` breaks. The gallery at `path` is begun, or continued if
/// it holds the same run.
///
/// # Errors
///
/// A scene that cannot be directed, a gallery of another run or that cannot be
/// written, and what the sampler refuses.
///
/// ```
/// use std::ops::ControlFlow;
/// use proscenium_director::{Ended, Order, direct};
/// use proscenium_scenes::{Scene, Seed, Source};
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
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("gallery.sqlite");
/// let report = direct(&scene, &path, &Order::new(3, Seed(1)), &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!((report.ended, report.animations.len()), (Ended::Enough, 3));
/// assert!(report.animations.iter().all(|animation| animation.entry.wants_met == [true]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn direct(
    scene: &Scene,
    path: &Path,
    order: &Order,
    progress: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Report, DirectorError> {
    if order.samples == 0 {
        return Err(DirectorError::NoSamples);
    }
    let started = Instant::now();
    let directed = Directed::new(scene)?;
    let watched = Watched::new(&directed);
    let mix = directed.mix()?;
    let (mut gallery, run) = open(&directed, path, order)?;
    let mut sampler = sampler(&watched, &mix, &gallery, &run)?;
    let mut found = compared(&directed, &gallery)?;
    let mut draws = Vec::new();
    let ended = loop {
        let simulations = sampler.effort().simulations;
        let choice = sampler.choice().cloned();
        // Neighbours in a chain are alike: of twice as many, the half that
        // differs most is chosen.
        let in_chains =
            choice.as_ref().is_some_and(|choice| matches!(choice.method, Method::Chain | Method::Tempering));
        let needed = if in_chains { 2 * order.samples } else { order.samples };
        let simulations_allowed = match order.budget {
            Budget::Simulations(allowed) => Some(allowed),
            _ => None,
        };
        let different = found.different.len();
        let now = Progress {
            different,
            needed,
            simulations,
            simulations_allowed,
            choice,
            moves: sampler.move_counts(),
            draws: &draws,
            kinds: &found.kinds,
        };
        let told_to_stop = progress(&now).is_break();
        let spent = match order.budget {
            Budget::Simulations(allowed) => simulations >= allowed,
            Budget::Time(allowed) => started.elapsed() >= allowed,
            Budget::Unlimited => false,
        };
        if found.different.len() >= needed {
            break Ended::Enough;
        } else if told_to_stop {
            break Ended::Stopped;
        } else if spent {
            break Ended::Budget;
        }
        let batch = gallery.advance(&mut sampler, |outcome: &Outcome| outcome.wants_met().to_vec())?;
        batch.found.iter().for_each(|one| found.add(directed.sketch(&one.outcome)));
        draws = batch.draws;
    };
    Ok(Report {
        ended,
        choice: sampler.choice().cloned(),
        effort: sampler.effort(),
        first_success: sampler.first_success(),
        found: gallery.count()?,
        different: found.different.len(),
        animations: chosen(&gallery, &found, order.samples)?,
        closest: watched.closest(),
        refusal: watched.refusal(),
    })
}

/// What a gallery holds: how many samples, how many of them differ, and those
/// that differ most.
///
/// # Errors
///
/// A gallery that cannot be read, or of another scene.
pub fn review(scene: &Scene, path: &Path, samples: usize) -> Result<(u64, usize, Vec<Animation>), DirectorError> {
    let directed = Directed::new(scene)?;
    let gallery = Gallery::open(path)?;
    let found = compared(&directed, &gallery)?;
    Ok((gallery.count()?, found.different.len(), chosen(&gallery, &found, samples)?))
}

/// The scene that a gallery belongs to, and its run. Meshes are sought in
/// `folder`.
///
/// # Errors
///
/// A gallery that cannot be read, or a scene that needs what is not there.
pub fn gallery_scene(path: &Path, folder: &Path) -> Result<(Scene, Run), DirectorError> {
    let run = Gallery::open(path)?.run()?;
    let name = path.display().to_string();
    let source = Source { name, text: String::new(), folder: folder.to_path_buf() };
    Ok((Scene::parse(&run.scene, &source)?, run))
}

/// The gallery of an order, new or continued.
fn open(directed: &Directed, path: &Path, order: &Order) -> Result<(Gallery, Run), DirectorError> {
    let scene = directed.scene().to_toml();
    let run = Run::of(directed, scene, order.seed.0, order.options.clone()).with_wants(directed.wants());
    let gallery = match Gallery::open(path) {
        Ok(gallery) => gallery,
        // One that was stopped before it was begun is begun again.
        Err(GalleryError::Missing { .. } | GalleryError::Empty { .. }) => Gallery::create(path, &run)?,
        Err(other) => return Err(other.into()),
    };
    let stored = gallery.run()?;
    let other = |what| Err(DirectorError::OtherRun { path: path.to_owned(), what });
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
    Ok((gallery, run))
}

fn sampler<'a>(
    model: &'a Watched<'a>,
    mix: &'a Mix,
    gallery: &Gallery,
    run: &Run,
) -> Result<Sampler<'a, Watched<'a>>, DirectorError> {
    let (seed, options) = (Seed(run.seed), run.options.clone());
    Ok(match gallery.state()? {
        Some(state) => Sampler::resume(model, mix, seed, options, state)?,
        None => Sampler::start(model, mix, seed, options)?,
    })
}

/// What a gallery holds already, simulated again.
fn compared(directed: &Directed, gallery: &Gallery) -> Result<Found, DirectorError> {
    let entries = gallery.entries()?;
    let compared = &entries[..entries.len().min(MOST_COMPARED)];
    let sketch = |entry: &Entry| directed.outcome(&entry.sample.point).map(|again| directed.sketch(&again.outcome));
    let sketches: Result<Vec<Sketch>, DirectError> = compared.par_iter().map(sketch).collect();
    let mut found = Found::default();
    sketches?.into_iter().for_each(|sketch| found.add(sketch));
    (compared.len()..entries.len()).for_each(|_| found.add_uncompared());
    Ok(found)
}

/// Those of the different animations that differ most.
fn chosen(gallery: &Gallery, found: &Found, samples: usize) -> Result<Vec<Animation>, DirectorError> {
    let sketch = |place: usize| &found.sketches[found.different[place]];
    let selection = most_different(found.different.len(), samples, |a, b| sketch(a).distance(sketch(b)));
    let entries = gallery.entries()?;
    let animation = |place: &usize| {
        let others = selection.chosen.iter().filter(|other| *other != place);
        let nearest =
            others.min_by(|a, b| sketch(*place).distance(sketch(**a)).total_cmp(&sketch(*place).distance(sketch(**b))));
        let index = found.different[*place];
        let difference = nearest.map(|other| Difference::between(sketch(*place), sketch(*other)));
        entries.get(index).map(|entry| Animation { index, entry: entry.clone(), difference })
    };
    Ok(selection.chosen.iter().filter_map(animation).collect())
}
