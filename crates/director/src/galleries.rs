//! Runs that are kept in galleries.

use std::path::Path;

use proscenium_direct::record::{Entry, Origin, Run};
use proscenium_direct::{Condition, Draw, SamplerState};
use proscenium_gallery::{Gallery, GalleryError};
use proscenium_scenes::{DirectedScene, Scene, Source};
use proscenium_work::{Completion, Progress, Stopped};

use crate::archive::Archive;
use crate::error::DirectorError;
use crate::order::Order;
use crate::run::{RunReport, RunStatus, direct, run_of};

/// What galleries of the first format were written by.
const FIRST_ENGINE: &str = "0.1";

impl Archive for Gallery {
    fn name(&self) -> String {
        self.path().display().to_string()
    }

    fn begin(&mut self, _run: &Run) -> Result<Run, DirectorError> {
        Ok(self.run()?)
    }

    fn restate(&mut self, scene: &str) -> Result<(), DirectorError> {
        Ok(Gallery::restate(self, scene)?)
    }

    fn state(&self) -> Result<Option<SamplerState>, DirectorError> {
        Ok(Gallery::state(self)?)
    }

    fn entries(&self) -> Result<Vec<Entry>, DirectorError> {
        Ok(Gallery::entries(self)?)
    }

    fn draws(&self) -> Result<Vec<Draw>, DirectorError> {
        Ok(Gallery::draws(self)?)
    }

    fn commit(
        &mut self,
        entries: &[Entry],
        draws: &[Draw],
        state: &SamplerState,
        simulations: u64,
    ) -> Result<(), DirectorError> {
        Ok(Gallery::commit(self, entries, draws, state, simulations)?)
    }
}

/// As [`direct`], in a gallery at a path, which is begun, or continued if it
/// holds the same run.
///
/// # Errors
///
/// As [`direct`], and a gallery that cannot be read or written.
///
/// ```
/// use proscenium_director::{Ending, Order, direct_to_gallery};
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
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("gallery.sqlite");
/// let order = Order::new(3, Seed(1));
/// let report = direct_to_gallery(&directed, &path, &order, &Progress::none(), &mut |_| Ok(()))?;
/// assert_eq!((report.ending, report.animations.len()), (Ending::Enough, 3));
/// assert!(report.animations.iter().all(|animation| animation.entry.wants_met == [true]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn direct_to_gallery(
    directed: &DirectedScene,
    path: &Path,
    order: &Order,
    progress: &Progress,
    observe: &mut dyn FnMut(&RunStatus<'_>) -> Result<(), Stopped>,
) -> Result<RunReport, DirectorError> {
    direct(directed, &mut open_gallery(directed, path, order)?, order, progress, observe)
}

/// The gallery of an order, new or to be continued.
///
/// # Errors
///
/// A gallery that cannot be read or written.
pub fn open_gallery(directed: &DirectedScene, path: &Path, order: &Order) -> Result<Gallery, DirectorError> {
    match Gallery::open(path) {
        // One that was stopped before it was begun is begun again.
        Err(GalleryError::Missing { .. } | GalleryError::Empty { .. }) => {
            Ok(Gallery::create(path, &run_of(directed, order))?)
        }
        opened => Ok(opened?),
    }
}

/// The scene that a run of a gallery samples, as the engine sampled it that began the run:
/// with what is given of an animation, and, until version 0.1, with every simulation
/// standing for itself alone.
///
/// # Errors
///
/// A scene that cannot be directed.
pub fn directed_as_recorded(scene: &Scene, run: &Run) -> Result<DirectedScene, DirectorError> {
    let directed = DirectedScene::new(scene)?;
    Ok(match &run.origin {
        Origin::Given(given) => directed.given(Condition::clone(given))?,
        _ if run.engine == FIRST_ENGINE => directed.without_symmetry(),
        _ => directed,
    })
}

/// An animation of a gallery, simulated and judged again: whether it still meets the
/// wants that it met when it was found. A word of warning if it does not.
///
/// # Errors
///
/// A point of another scene.
pub fn judge_again(
    directed: &DirectedScene,
    entry: &Entry,
    run: &Run,
    progress: &Progress,
) -> Result<Completion<Option<String>>, DirectorError> {
    let again = directed.outcome(&entry.sample.point, progress)?;
    Ok(again.map(|again| {
        let met = |met: &[bool]| met.iter().filter(|met| **met).count();
        let (now, then) = (again.outcome.wants_met(), &entry.wants_met[..]);
        let (engine, all) = (env!("CARGO_PKG_VERSION"), then.len());
        (now != then).then(|| {
            format!(
                "it differs from what was found: version {engine} of the engine meets {} of {all} wants, \
                 version {} met {}",
                met(now),
                run.engine,
                met(then)
            )
        })
    }))
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
    let source = Source::inline(name, "").with_folder(folder);
    Ok((Scene::parse(&run.scene, &source)?, run))
}
