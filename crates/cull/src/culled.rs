//! A model and what was learned of it: the result of compiling, and its file.

use proscenium_chance::Seed;
use serde::{Deserialize, Serialize};

use crate::compile::{CompileSettings, Progress, compile};
use crate::error::CullError;
use crate::geometry::Bounds;
use crate::learned::{Behaviour, Learned};
use crate::model::Model;

/// What a compiled file begins with; the number is the version of the format.
const HEADER: &[u8] = b"proscenium cull 2\n";

/// Seconds for which the parts of a model are watched to find their bounds.
const WATCHED: f64 = 120.0;

/// A compiled model: everything that a world needs of it.
///
/// ```
/// use proscenium_cull::{CompileSettings, Culled, Model, Seed};
///
/// let model = Model::parse("wheel.toml", r#"
///     format = 1
///     [state]
///     turn = { angle = true, initial = 0.0 }
///     [motion]
///     turn = 1.5
/// "#)?;
/// let culled = Culled::compile(model, &CompileSettings::quick(), Seed(1), &mut |_| true)?;
/// let bytes = culled.to_bytes()?;
/// assert_eq!(Culled::from_bytes(&bytes)?.to_bytes()?, bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Culled {
    pub(crate) model: Model,
    pub(crate) learned: Learned,
    pub(crate) bounds: Bounds,
}

#[derive(Serialize, Deserialize)]
struct CulledFile {
    source: String,
    bounds: [[f64; 3]; 2],
    learned: Learned,
}

impl Culled {
    /// Compiles a model; see [`compile`].
    ///
    /// # Errors
    /// As [`compile`].
    pub fn compile(
        model: Model,
        settings: &CompileSettings,
        seed: Seed,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Self, CullError> {
        let learned = compile(&model, settings, seed, progress)?;
        let bounds = model.bounds(seed, WATCHED)?;
        Ok(Self { model, learned, bounds })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What was learned of it.
    pub fn learned(&self) -> &Learned {
        &self.learned
    }

    /// A box around everything that is seen of it.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The compiled file. Findings that only reports need are left out.
    ///
    /// # Errors
    /// Never for what [`compile`](Culled::compile) made.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CullError> {
        let mut learned = self.learned.clone();
        let findings = std::mem::take(&mut learned.findings);
        learned.findings.variables = findings.variables;
        learned.findings.ranges = findings.ranges;
        let bounds = [self.bounds.min.to_array(), self.bounds.max.to_array()];
        let file = CulledFile { source: self.model.source().to_owned(), bounds, learned };
        let body = postcard::to_stdvec(&file).map_err(|error| CullError::File { what: error.to_string() })?;
        Ok([HEADER, &body].concat())
    }

    /// Reads a compiled file.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CullError> {
        let wrong = |what: &str| CullError::File { what: what.to_owned() };
        let Some(body) = bytes.strip_prefix(HEADER) else {
            let is_ours = bytes.starts_with(b"proscenium cull ");
            return Err(wrong(if is_ours {
                "the file is of another version: compile its model again"
            } else {
                "this is not a compiled model"
            }));
        };
        let file: CulledFile = postcard::from_bytes(body).map_err(|_| wrong("the file is damaged"))?;
        let model = Model::parse("the compiled file", &file.source)?;
        if !file.learned.is_sound(&model) {
            return Err(wrong("the file is damaged"));
        }
        let [min, max] = file.bounds.map(glam::DVec3::from_array);
        if !(min.is_finite() && max.is_finite()) {
            return Err(wrong("the file is damaged"));
        }
        Ok(Self { model, learned: file.learned, bounds: Bounds { min, max } })
    }
}

impl Learned {
    /// Whether all tables have the sizes that others rely on.
    fn is_sound(&self, model: &Model) -> bool {
        let dimensions = model.variables.len();
        let axes = self.grid.axes.iter();
        let grid = self.grid.axes.len() == dimensions
            && axes.clone().all(|axis| axis.low.is_finite() && axis.high > axis.low && axis.high.is_finite())
            && axes.clone().all(|axis| axis.cells > 0)
            && self.grid.modes > 0
            && usize::from(self.grid.modes) == model.modes.len().max(1);
        let step = self.buffer_step > 0.0 && self.buffer_step.is_finite();
        grid && step
            && match &self.behaviour {
                Behaviour::ClosedForm => dimensions == 0,
                Behaviour::Periodic(periodic) => periodic.is_sound(dimensions),
                Behaviour::Forgetful(forgetful) => forgetful.is_sound(&self.grid),
            }
    }
}
