//! Answers that say no: each names what is wrong and what would be right.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use proscenium_director::DirectorError;
use proscenium_gallery::GalleryError;
use proscenium_scenes::{SceneError, SceneErrors};

use crate::api::{Problem, Spot};

/// A request that is refused.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The status of the answer.
    pub status: StatusCode,
    /// Its body.
    pub problem: Problem,
}

impl Failure {
    /// A failure with its remedy.
    pub fn new(status: StatusCode, error: impl Into<String>, help: impl Into<String>) -> Self {
        let problem = Problem { error: error.into(), help: help.into(), place: None, more: Vec::new() };
        Self { status, problem }
    }

    /// What was sent makes no sense.
    pub fn bad(error: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error, help)
    }

    /// What was asked for is not there.
    pub fn missing(error: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, error, help)
    }

    /// The machine does not do its part: a full disk, say.
    pub fn machine(error: &dyn std::fmt::Display) -> Self {
        let help = "look at the studio's folder and the space on its disk, and try again";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string(), help)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, Json(self.problem)).into_response()
    }
}

impl From<SceneErrors> for Failure {
    fn from(errors: SceneErrors) -> Self {
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, problem: problem_of(&errors) }
    }
}

impl From<GalleryError> for Failure {
    fn from(error: GalleryError) -> Self {
        Self::machine(&error)
    }
}

impl From<DirectorError> for Failure {
    fn from(error: DirectorError) -> Self {
        match error {
            DirectorError::Scene(errors) => errors.into(),
            DirectorError::Gallery(error) => error.into(),
            DirectorError::OtherRun { what, .. } => {
                Self::bad(format!("this run was begun with {what}"), "start a new run")
            }
            other => Self::bad(other.to_string(), "change the order, or the scene"),
        }
    }
}

/// The first of several errors, with the others behind it.
pub fn problem_of(errors: &SceneErrors) -> Problem {
    let mut problems = errors.errors.iter().map(|error| one(error, errors));
    let mut first = problems.next().unwrap_or(Problem {
        error: "the scene cannot be used".to_owned(),
        help: String::new(),
        place: None,
        more: Vec::new(),
    });
    first.more = problems.collect();
    first
}

fn one(error: &SceneError, errors: &SceneErrors) -> Problem {
    let meant = |place: &proscenium_scenes::Place| {
        let text = errors.source.as_ref().and_then(|source| source.text.get(place.span.clone()));
        text.map_or(0, |text| text.lines().next().unwrap_or_default().chars().count())
    };
    let place = error.place.as_ref().map(|place| Spot {
        line: place.line as u32,
        column: place.column as u32,
        length: meant(place) as u32,
        label: place.label.clone(),
    });
    Problem { error: error.message.clone(), help: error.help.clone().unwrap_or_default(), place, more: Vec::new() }
}
