//! A model and what was learned of it: the result of compiling, and its file.

use proscenium_chance::Seed;
use proscenium_work::{Artifact, Completion, Progress};
use serde::{Deserialize, Serialize};

use crate::compile::{CompileSettings, compile, invariants};
use crate::error::CullError;
use crate::geometry::{Bounds, PartMesh};
use crate::learned::{Behaviour, LearnedBehaviour};
use crate::model::Model;
use crate::recorded::RecordedMotion;

/// The compiled file. Release 0.1 wrote version 2.
const FILE: Artifact =
    Artifact::new("cull", "a compiled model", 6, "compile its model again: proscenium cull MODEL -o FILE")
        .reading_first_release(b"proscenium cull 2\n");

/// Seconds for which the parts of a model are watched closely to find their bounds.
/// Chosen: several rounds of any ride.
const BOUNDS_SECONDS: f64 = 120.0;

/// So many starts are watched: six have been in all basins but one of sixty-four if there are
/// two of equal size. What is usual is added to what they show.
const BOUNDS_STARTS: u64 = 6;

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
    /// Around everything.
    pub(crate) bounds: Bounds,
    /// Around each copy.
    pub(crate) copies: Vec<Bounds>,
}

#[derive(Serialize, Deserialize)]
struct CompiledFile {
    source: String,
    /// Of each copy.
    bounds: Vec<[[f64; 3]; 2]>,
    learned: LearnedBehaviour,
    recorded: Option<RecordedMotion>,
    /// Of parts, by the files that they name.
    meshes: Vec<(String, PartMesh)>,
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
        if let Some((part, file)) = model.missing_mesh() {
            return Err(CullError::Mesh { part: part.to_owned(), file: file.to_owned() });
        }
        let Ok(invariant) = invariants::find(&model, seed, progress) else {
            return Ok(Completion::Stopped);
        };
        let keeping = invariant.as_ref().and_then(|invariant| model.keeping(invariant));
        let is_found = keeping.is_some();
        let model = keeping.unwrap_or(model);
        let Completion::Finished(mut learned) = compile(&model, settings, seed, &progress.part(0.0, LEARNING))? else {
            return Ok(Completion::Stopped);
        };
        learned.findings.keeps = invariant.filter(|_| is_found).map(|invariant| invariant.value);
        let along = (BOUNDS_STARTS, BOUNDS_SECONDS, model.far_looks(BOUNDS_STARTS));
        let bounds = model.bounds_along(seed, along, &learned.usual(seed), &progress.part(LEARNING, 1.0))?;
        Ok(bounds.map(|copies| Self { model, learned, bounds: Bounds::around(&copies), copies }))
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

    /// For each copy a box around everything that is seen of it. Parts that are not on
    /// every copy are in the first.
    pub fn bounds_of_copies(&self) -> &[Bounds] {
        &self.copies
    }

    /// The compiled file. Of the findings it has what the verdict rests on; what only
    /// reports draw is left out.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut learned = self.learned.clone();
        let findings = std::mem::take(&mut learned.findings);
        learned.findings.variables = findings.variables;
        learned.findings.ranges = findings.ranges;
        learned.findings.statistics = findings.statistics;
        learned.findings.trials = findings.trials;
        learned.findings.complete_because = findings.complete_because;
        learned.findings.stays_apart = findings.stays_apart;
        learned.findings.keeps = findings.keeps;
        let bounds = self.copies.iter().map(|bounds| [bounds.min.to_array(), bounds.max.to_array()]).collect();
        let recorded = self.model.recorded.as_deref().cloned();
        FILE.seal(&CompiledFile {
            source: self.model.source().to_owned(),
            bounds,
            learned,
            recorded,
            meshes: self.model.meshes(),
        })
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
        let mesh = |wanted: &str| {
            let known = file.meshes.iter().find(|(name, mesh)| name == wanted && mesh.is_sound());
            known.map(|(_, mesh)| mesh.clone()).ok_or_else(|| FILE.damaged("a mesh is not whole"))
        };
        let model = model.with_meshes(mesh)?;
        if !file.learned.is_sound(&model) {
            return Err(FILE.damaged("its tables do not fit its model").into());
        }
        let of = |corners: [[f64; 3]; 2]| {
            let [min, max] = corners.map(glam::DVec3::from_array);
            Bounds { min, max }
        };
        let copies: Vec<Bounds> = file.bounds.into_iter().map(of).collect();
        if !copies.iter().all(|bounds| bounds.min.is_finite() && bounds.max.is_finite()) {
            return Err(FILE.damaged("its bounds are not finite").into());
        }
        if copies.len() != model.copies.len() {
            return Err(FILE.damaged("its copies have no bounds").into());
        }
        Ok(Self { model, learned: file.learned, bounds: Bounds::around(&copies), copies })
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
