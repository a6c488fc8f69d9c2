//! A model and what was learned of it: the result of compiling, and its file.

use proscenium_chance::Seed;
use proscenium_work::{Artifact, Completion, Progress};
use serde::{Deserialize, Serialize};

use crate::compile::{CompileSettings, compile};
use crate::error::CullError;
use crate::geometry::Bounds;
use crate::learned::{Behaviour, LearnedBehaviour};
use crate::model::Model;
use crate::recorded::RecordedMotion;

/// The compiled file. Release 0.1 wrote version 2.
const FILE: Artifact =
    Artifact::new("cull", "a compiled model", 5, "compile its model again: proscenium cull MODEL -o FILE")
        .reading_first_release(b"proscenium cull 2\n");

/// Seconds for which the parts of a model are watched to find their bounds.
/// Chosen: several rounds of any ride.
const BOUNDS_SECONDS: f64 = 120.0;

/// The share of the work that is learning; the rest is finding the bounds.
const LEARNING: f64 = 0.97;

/// A compiled model: everything that a world needs of it.
///
/// ```
/// use proscenium_cull::{CompileSettings, CompiledModel, Model, Seed};
/// use proscenium_work::Progress;
///
/// let model = Model::parse("wheel.toml", r#"
///     format = 1
///     [state]
///     turn = { angle = true, initial = 0.0 }
///     [motion]
///     turn = 1.5
/// "#)?;
/// let compiled = CompiledModel::compile(model, &CompileSettings::quick(), Seed(1), &Progress::none())?;
/// let compiled = compiled.finished().expect("nobody stops it");
/// let bytes = compiled.to_bytes();
/// assert_eq!(CompiledModel::from_bytes(&bytes)?.to_bytes(), bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CompiledModel {
    pub(crate) model: Model,
    pub(crate) learned: LearnedBehaviour,
    pub(crate) bounds: Bounds,
}

#[derive(Serialize, Deserialize)]
struct CompiledFile {
    source: String,
    bounds: [[f64; 3]; 2],
    learned: LearnedBehaviour,
    recorded: Option<RecordedMotion>,
}

impl CompiledModel {
    /// Compiles a model; see [`compile`].
    ///
    /// # Errors
    /// As [`compile`].
    pub fn compile(
        model: Model,
        settings: &CompileSettings,
        seed: Seed,
        progress: &Progress,
    ) -> Result<Completion<Self>, CullError> {
        let Completion::Finished(learned) = compile(&model, settings, seed, &progress.part(0.0, LEARNING))? else {
            return Ok(Completion::Stopped);
        };
        let bounds = model.bounds(seed, BOUNDS_SECONDS, &progress.part(LEARNING, 1.0))?;
        Ok(bounds.map(|bounds| Self { model, learned, bounds }))
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What was learned of it.
    pub fn learned(&self) -> &LearnedBehaviour {
        &self.learned
    }

    /// A box around everything that is seen of it.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The compiled file. Findings that only reports need are left out.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut learned = self.learned.clone();
        let findings = std::mem::take(&mut learned.findings);
        learned.findings.variables = findings.variables;
        learned.findings.ranges = findings.ranges;
        let bounds = [self.bounds.min.to_array(), self.bounds.max.to_array()];
        let recorded = self.model.recorded.as_deref().cloned();
        FILE.seal(&CompiledFile { source: self.model.source().to_owned(), bounds, learned, recorded })
    }

    /// Reads a compiled file.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CullError> {
        let file: CompiledFile = FILE.open(bytes)?;
        let model = match file.recorded {
            Some(recorded) if !recorded.is_sound() => return Err(FILE.damaged("its recording is not whole").into()),
            Some(recorded) => Model::parse_recorded("the compiled file", &file.source, recorded)?,
            None => Model::parse("the compiled file", &file.source)?,
        };
        if !file.learned.is_sound(&model) {
            return Err(FILE.damaged("its tables do not fit its model").into());
        }
        let [min, max] = file.bounds.map(glam::DVec3::from_array);
        if !(min.is_finite() && max.is_finite()) {
            return Err(FILE.damaged("its bounds are not finite").into());
        }
        Ok(Self { model, learned: file.learned, bounds: Bounds { min, max } })
    }
}

impl LearnedBehaviour {
    /// Whether all tables have the sizes that others rely on.
    fn is_sound(&self, model: &Model) -> bool {
        let recorded = model.recorded.as_ref();
        let dimensions = recorded.map_or(model.variables.len(), |recorded| recorded.width());
        let axes = self.grid.axes.iter();
        let grid = self.grid.axes.len() == dimensions
            && axes.clone().all(|axis| axis.low.is_finite() && axis.high > axis.low && axis.high.is_finite())
            && axes.clone().all(|axis| axis.cells > 0)
            && self.grid.modes > 0
            && usize::from(self.grid.modes) == model.modes.len().max(1);
        let step = self.buffer_step > 0.0 && self.buffer_step.is_finite();
        grid && step
            && recorded.is_some() == matches!(self.behaviour, Behaviour::Recorded(_))
            && match &self.behaviour {
                Behaviour::ClosedForm => dimensions == 0,
                Behaviour::Periodic(periodic) => periodic.is_sound(dimensions),
                Behaviour::Forgetful(forgetful) => forgetful.is_sound(&self.grid),
                Behaviour::Recorded(recorded) => recorded.is_sound(),
            }
    }
}
