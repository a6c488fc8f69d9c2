//! Directed runs: animations that end as wanted.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use numpy::PyArray2;
use proscenium_chance::Seed;
use proscenium_direct::record::Entry;
use proscenium_direct::{Method, Model as _, MoveCount, Moves, SamplerOptions, Traces};
use proscenium_director::{
    self as director, Archive, Budget, DirectorError, Ending, MemoryArchive, Order, Pick, RunReport, open_gallery,
};
use proscenium_scenes::{DirectedScene, SimulateOptions};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;

use crate::clip::Clip;
use crate::errors::{Raised as _, of};
use crate::scene::Scene;
use crate::work::work;

/// The file of a run in its folder, as the command has it.
const GALLERY: &str = "gallery.sqlite";

/// One animation that ends as wanted.
#[pyclass(frozen, module = "proscenium")]
pub struct Sample {
    directed: Arc<DirectedScene>,
    index: usize,
    entry: Entry,
    /// Simulated when it is first asked for: a sample is its values.
    clip: OnceLock<Arc<proscenium_clip::Clip>>,
}

#[pymethods]
impl Sample {
    /// Its place among all that the run found, from 0.
    #[getter]
    fn index(&self) -> usize {
        self.index
    }

    /// Its variables.
    #[getter]
    fn values(&self, py: Python<'_>) -> PyResult<BTreeMap<String, f64>> {
        Ok(self.directed.drawn(&self.entry.sample.point).raised(py)?.values().clone())
    }

    /// How well it meets the wants: 0 is as well as can be.
    #[getter]
    fn log_score(&self) -> f64 {
        self.entry.sample.log_score
    }

    #[getter]
    fn wants_met(&self) -> Vec<bool> {
        self.entry.wants_met.clone()
    }

    /// How it was found.
    #[getter]
    fn method(&self) -> &'static str {
        self.entry.sample.method.name()
    }

    /// What is seen of it.
    fn clip(&self, py: Python<'_>) -> PyResult<Clip> {
        if let Some(clip) = self.clip.get() {
            return Ok(Clip { clip: clip.clone() });
        }
        let drawn = self.directed.drawn(&self.entry.sample.point).raised(py)?;
        let simulated = work(py, |progress| drawn.simulate(&SimulateOptions::default(), progress))?.raised(py)?;
        Ok(Clip { clip: self.clip.get_or_init(|| Arc::new(simulated.clip)).clone() })
    }

    /// Where a body was: x, y, z and its turn as a quaternion x, y, z, w, a row per
    /// moment; `fps` moments in a second, or those of `times`.
    #[pyo3(signature = (body, *, fps = 60.0, times = None))]
    fn poses<'py>(
        &self,
        py: Python<'py>,
        body: &str,
        fps: f64,
        times: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.clip(py)?.poses(py, body, fps, times)
    }

    fn __repr__(&self) -> String {
        format!("<proscenium.Sample {} by {}>", self.index, self.method())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.clip(py)?._repr_html_(py)
    }
}

/// What a directed run came to.
#[pyclass(frozen, module = "proscenium")]
pub struct Run {
    report: RunReport,
    traces: Traces,
    /// Those that were picked.
    #[pyo3(get)]
    samples: Vec<Py<Sample>>,
}

#[pymethods]
impl Run {
    /// Why it ended: "enough" or "budget".
    #[getter]
    fn ending(&self) -> &'static str {
        match self.report.ending {
            Ending::Enough => "enough",
            Ending::Budget => "budget",
            Ending::Stopped => "stopped",
        }
    }

    /// Which method ran, and why, in a sentence.
    #[getter]
    fn choice(&self) -> Option<String> {
        self.report.choice.as_ref().map(ToString::to_string)
    }

    #[getter]
    fn simulations(&self) -> u64 {
        self.report.effort.simulations
    }

    /// How many animations were found that meet all wants.
    #[getter]
    fn found(&self) -> u64 {
        self.report.found
    }

    /// How many of them a viewer could tell from each other.
    #[getter]
    fn different(&self) -> usize {
        self.report.different
    }

    /// Whether what was found is a fair sample; `None` where there are no chains.
    #[getter]
    fn settled(&self) -> Option<bool> {
        self.report.settling.as_ref().map(proscenium_direct::Settling::is_settled)
    }

    /// The same in words, with R-hat and effective size.
    #[getter]
    fn settling(&self) -> Option<String> {
        self.report.settling.as_ref().map(ToString::to_string)
    }

    /// How often each move was made and accepted.
    #[getter]
    fn moves(&self) -> BTreeMap<String, (u64, u64)> {
        let counted = |count: &MoveCount| (count.proposed, count.accepted);
        self.report.moves.iter().map(|(name, count)| (name.clone(), counted(count))).collect()
    }

    /// Which wants were met by what came closest, if nothing met them all.
    #[getter]
    fn closest(&self) -> Option<Vec<bool>> {
        self.report.closest.as_ref().map(|closest| closest.wants_met.clone())
    }

    /// What the chains did, as the text of a file that ArviZ reads.
    fn traces_json(&self) -> PyResult<String> {
        self.traces.to_arviz_json().map_err(|error| PyOSError::new_err(error.to_string()))
    }

    fn __len__(&self) -> usize {
        self.samples.len()
    }

    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<Py<Sample>> {
        let place = if index < 0 { index + self.samples.len() as isize } else { index };
        let sample = usize::try_from(place).ok().and_then(|place| self.samples.get(place));
        sample
            .map(|sample| sample.clone_ref(py))
            .ok_or_else(|| pyo3::exceptions::PyIndexError::new_err(format!("there are {} samples", self.samples.len())))
    }

    fn __repr__(&self) -> String {
        let (samples, simulations) = (self.samples.len(), self.simulations());
        format!("<proscenium.Run: {samples} samples in {simulations} simulations>")
    }
}

/// What is asked for by a word, or what the words are.
fn word<T: Copy>(py: Python<'_>, what: &str, name: &str, words: &[(&str, T)]) -> PyResult<T> {
    words.iter().find(|(word, _)| *word == name).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        of(py, &format!("there is no {what} \"{name}\""), Some(&format!("give one of {}", names.join(", "))))
    })
}

const PICKS: [(&str, Pick); 2] = [("likely", Pick::Likely), ("different", Pick::Different)];
const METHODS: [(&str, Method); 4] = [
    ("rejection", Method::Rejection),
    ("chain", Method::Chain),
    ("tempering", Method::Tempering),
    ("population", Method::Population),
];
const MOVES: [(&str, Moves); 3] =
    [("suited", Moves::Suited), ("paper", Moves::Paper), ("paper-as-printed", Moves::PaperAsPrinted)];

/// Finds animations of a scene that end as wanted. With a folder, what is found is kept
/// there as the command keeps it, and the same call goes on where it was stopped.
#[pyfunction]
#[pyo3(signature = (
    scene, want = None, *, samples = 8, seed = 1, pick = "different", method = None, moves = "suited",
    simulations = None, seconds = None, folder = None
))]
#[allow(clippy::too_many_arguments, reason = "they are keywords where they are given")]
pub fn direct(
    py: Python<'_>,
    scene: &Scene,
    want: Option<&str>,
    samples: usize,
    seed: u64,
    pick: &str,
    method: Option<&str>,
    moves: &str,
    simulations: Option<u64>,
    seconds: Option<f64>,
    folder: Option<PathBuf>,
) -> PyResult<Run> {
    let options = SamplerOptions {
        method: method.map(|name| word(py, "method", name, &METHODS)).transpose()?,
        moves: word(py, "kind of moves", moves, &MOVES)?,
        ..SamplerOptions::default()
    };
    let pick = word(py, "way to pick", pick, &PICKS)?;
    let budget = budget(py, simulations, seconds)?;
    let order = Order { pick, options, budget, ..Order::new(samples, Seed(seed)) };
    let wanted = match want {
        Some(want) => scene.scene.with_wants(want).raised(py)?,
        None => scene.scene.clone(),
    };
    let directed = Arc::new(DirectedScene::new(&wanted).raised(py)?);
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder)
            .map_err(|error| PyOSError::new_err(format!("cannot make `{}`: {error}", folder.display())))?;
    }
    let (report, traces) = work(py, |progress| -> Result<_, DirectorError> {
        let observe = &mut |_: &director::RunStatus<'_>| Ok(());
        match &folder {
            None => {
                let mut archive = MemoryArchive::default();
                let report = director::direct(&directed, &mut archive, &order, progress, observe)?;
                Ok((report, traces(&directed, &archive)?))
            }
            Some(folder) => {
                let mut gallery = open_gallery(&directed, &folder.join(GALLERY), &order)?;
                let report = director::direct(&directed, &mut gallery, &order, progress, observe)?;
                Ok((report, traces(&directed, &gallery)?))
            }
        }
    })?
    .raised(py)?;
    if report.ending == Ending::Stopped {
        return Err(PyKeyboardInterrupt::new_err(()));
    }
    let made = |animation: &director::Animation| {
        let (index, entry) = (animation.index, animation.entry.clone());
        Py::new(py, Sample { directed: directed.clone(), index, entry, clip: OnceLock::new() })
    };
    let samples = report.animations.iter().map(made).collect::<PyResult<_>>()?;
    Ok(Run { report, traces, samples })
}

fn budget(py: Python<'_>, simulations: Option<u64>, seconds: Option<f64>) -> PyResult<Budget> {
    match (simulations, seconds) {
        (Some(_), Some(_)) => Err(of(py, "two budgets were given", Some("give `simulations` or `seconds`, not both"))),
        (Some(simulations), None) => Ok(Budget::Simulations(simulations)),
        (None, Some(seconds)) => Duration::try_from_secs_f64(seconds)
            .map(Budget::Time)
            .map_err(|_| of(py, &format!("a time of {seconds} s cannot be spent"), Some("give `seconds` above 0"))),
        (None, None) => Ok(Budget::Unlimited),
    }
}

/// What every chain of a run did.
fn traces(directed: &DirectedScene, archive: &dyn Archive) -> Result<Traces, DirectorError> {
    let mut traces = Traces::new(directed.quantities());
    traces.extend(archive.draws()?);
    Ok(traces)
}
