//! What can go wrong in the lab.

use std::borrow::Cow;
use std::path::PathBuf;

use proscenium_chance::DensityError;
use proscenium_chance::statistics::StatisticsError;
use proscenium_city::CityError;
use proscenium_city::generate::RecipeError;
use proscenium_city::import::ImportError;
use proscenium_city::sight::{DriveError, SightError};
use proscenium_clip::ClipError;
use proscenium_cull::CullError;
use proscenium_direct::DirectError;
use proscenium_director::DirectorError;
use proscenium_ensemble::{BuildError, EnsembleError};
use proscenium_geometry::ShapeError;
use proscenium_lod::LodError;
use proscenium_picture::PictureError;
use proscenium_rigid::{SimulationError, TakeError, WorldError};
use proscenium_scenes::SceneErrors;
use proscenium_view::ViewError;
use proscenium_work::{Remedy, Stopped};

/// Why the lab could not do what was asked. A figure that differs from the
/// paper's is not among them: it is a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// No experiment has this name.
    #[error("there is no experiment \"{name}\"")]
    UnknownExperiment {
        /// What was asked for.
        name: String,
        /// The name most like it.
        nearest: String,
        /// All names.
        known: String,
    },
    /// A file or folder cannot be read or written.
    #[error("cannot {action} {}: {error}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A results file is not one.
    #[error("{} is not a file of results: {error}", path.display())]
    NotResults {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// A folder without results.
    #[error("there are no results in {}", folder.display())]
    NoResults {
        /// Which folder.
        folder: PathBuf,
    },
    /// A volume model or a world of them failed.
    #[error(transparent)]
    Lod(#[from] LodError),
    /// Results that JSON cannot hold.
    #[error("the results cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Another program failed.
    #[error("{} failed: {message}", program.display())]
    Peer {
        /// Which program.
        program: PathBuf,
        /// What it said.
        message: String,
    },
    /// The studio does not do what it should.
    #[error("the studio: {0}")]
    Studio(String),
    /// A scene cannot be made.
    #[error("the scene cannot be made: {0}")]
    Scene(#[from] SceneErrors),
    /// A dynamical system cannot be compiled or run.
    #[error("the ride cannot be run: {0}")]
    Cull(#[from] CullError),
    /// A city cannot be made or run.
    #[error("the city cannot be run: {0}")]
    City(#[from] CityError),
    /// A city cannot be generated.
    #[error("the city cannot be made: {0}")]
    Recipe(#[from] RecipeError),
    /// A drive cannot be recorded.
    #[error("the drive cannot be recorded: {0}")]
    Drive(#[from] DriveError),
    /// A map of other people cannot be read.
    #[error("the map cannot be read: {0}")]
    Import(#[from] ImportError),
    /// A viewer cannot be.
    #[error("the city cannot be looked at: {0}")]
    Sight(#[from] SightError),
    /// A camera cannot be made.
    #[error("the view cannot be made: {0}")]
    View(#[from] ViewError),
    /// A shape cannot be made.
    #[error("a shape cannot be made: {0}")]
    Shape(#[from] ShapeError),
    /// A world cannot be built.
    #[error("the world cannot be built: {0}")]
    World(#[from] WorldError),
    /// A simulation stopped.
    #[error("the simulation stopped: {0}")]
    Simulation(#[from] SimulationError),
    /// A density cannot be.
    #[error("a density cannot be made: {0}")]
    Density(#[from] DensityError),
    /// Something cannot be sampled.
    #[error("nothing can be sampled: {0}")]
    Direct(#[from] DirectError),
    /// A scene cannot be directed.
    #[error("the scene cannot be directed: {0}")]
    Director(#[from] DirectorError),
    /// A clip cannot be written or read.
    #[error("the clip cannot be written or read: {0}")]
    Clip(#[from] ClipError),
    /// An ensemble cannot be made or walked.
    #[error("the ensemble cannot be walked: {0}")]
    Ensemble(#[from] EnsembleError),
    /// A motion graph cannot be built.
    #[error("the ensemble cannot be built: {0}")]
    Build(#[from] BuildError),
    /// A statistic cannot be computed.
    #[error("a statistic cannot be computed: {0}")]
    Statistics(#[from] StatisticsError),
    /// A run cannot be kept or repeated.
    #[error("the run cannot be kept: {0}")]
    Take(#[from] TakeError),
    /// A picture cannot be drawn.
    #[error("a picture cannot be drawn: {0}")]
    Picture(#[from] PictureError),
}

impl LabError {
    /// For `map_err`: a file that cannot be read or written.
    pub(crate) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |error| Self::File { action, path, error }
    }
}

impl Remedy for LabError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::UnknownExperiment { nearest, known, .. } => {
                format!("did you mean \"{nearest}\"? There are: {known}").into()
            }
            Self::File { .. } => "check the name, the permissions and the space that is left".into(),
            Self::NotResults { .. } => "write it anew with `cargo lab run`".into(),
            Self::NoResults { folder } => {
                format!("write some with `cargo lab run NAME --out {}`", folder.display()).into()
            }
            Self::Peer { .. } => "build it anew with `cargo xtask peers`".into(),
            Self::Json(_) | Self::Studio(_) => return None,
            Self::Lod(error) => return error.remedy(),
            Self::Scene(errors) => return errors.remedy(),
            Self::Cull(error) => return error.remedy(),
            Self::City(error) => return error.remedy(),
            Self::Recipe(error) => return error.remedy(),
            Self::Drive(error) => return error.remedy(),
            Self::Import(error) => return error.remedy(),
            Self::Sight(error) => return error.remedy(),
            Self::View(error) => return error.remedy(),
            Self::Shape(error) => return error.remedy(),
            Self::World(error) => return error.remedy(),
            Self::Simulation(error) => return error.remedy(),
            Self::Density(error) => return error.remedy(),
            Self::Direct(error) => return error.remedy(),
            Self::Director(error) => return error.remedy(),
            Self::Clip(error) => return error.remedy(),
            Self::Ensemble(error) => return error.remedy(),
            Self::Build(error) => return error.remedy(),
            Self::Statistics(error) => return error.remedy(),
            Self::Take(error) => return error.remedy(),
            Self::Picture(error) => return error.remedy(),
        })
    }
}

/// Why a measurement ended before its end; both travel by `?`.
#[derive(Debug)]
pub enum Halt {
    /// The user wants the run to end.
    Stopped,
    /// Something is wrong.
    Failed(LabError),
}

impl From<Stopped> for Halt {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl<E> From<E> for Halt
where
    LabError: From<E>,
{
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}
