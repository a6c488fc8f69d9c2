//! What is asked about experiments with people.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use proscenium_study::Study;

use crate::api::{StudyAnalysis, StudyAnswer, StudyConsent, StudyPerson, StudyRemark, StudyReport};
use crate::failure::Failure;
use crate::routes::{Answer, Body, Studio, beside};

/// The requests.
pub fn routes() -> Router<Studio> {
    Router::new()
        .route("/studies", get(studies))
        .route("/studies/{name}/people", post(join))
        .route("/studies/{name}/people/{number}", get(person))
        .route("/studies/{name}/people/{number}/answers", post(answer))
        .route("/studies/{name}/people/{number}/remark", post(remark))
        .route("/studies/{name}/answers.csv", get(table))
        .route("/studies/{name}/analysis", get(analysis))
        .route("/studies/{name}/clips/{condition}", get(clip))
}

fn find(name: &str) -> Result<Study, Failure> {
    Study::find(name)
        .map_err(|_| Failure::missing("there is no experiment of this name", "GET /api/studies lists them"))
}

/// A number of a path; what is none is nobody's.
fn number(text: &str) -> u32 {
    text.parse().unwrap_or(0)
}

async fn studies(State(studio): State<Studio>) -> Answer<Vec<StudyReport>> {
    beside(move || Ok(studio.studies().told())).await.map(Json)
}

async fn join(
    State(studio): State<Studio>,
    Path(name): Path<String>,
    Body(order): Body<StudyConsent>,
) -> Answer<StudyPerson> {
    let study = find(&name)?;
    beside(move || studio.studies().join(study, order.consent)).await.map(Json)
}

async fn person(State(studio): State<Studio>, Path((name, person)): Path<(String, String)>) -> Answer<StudyPerson> {
    let study = find(&name)?;
    beside(move || studio.studies().person(study, number(&person))).await.map(Json)
}

async fn answer(
    State(studio): State<Studio>,
    Path((name, person)): Path<(String, String)>,
    Body(answer): Body<StudyAnswer>,
) -> Answer<StudyPerson> {
    let study = find(&name)?;
    beside(move || studio.studies().answer(study, number(&person), &answer)).await.map(Json)
}

async fn remark(
    State(studio): State<Studio>,
    Path((name, person)): Path<(String, String)>,
    Body(remark): Body<StudyRemark>,
) -> Answer<StudyPerson> {
    let study = find(&name)?;
    beside(move || studio.studies().remark(study, number(&person), &remark.text)).await.map(Json)
}

async fn table(State(studio): State<Studio>, Path(name): Path<String>) -> Result<Response, Failure> {
    let study = find(&name)?;
    let text = beside(move || studio.studies().table(study)).await?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"))], text).into_response())
}

async fn analysis(State(studio): State<Studio>, Path(name): Path<String>) -> Answer<StudyAnalysis> {
    let study = find(&name)?;
    beside(move || studio.studies().analysis(study)).await.map(Json)
}

async fn clip(
    State(studio): State<Studio>,
    Path((name, condition)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let study = find(&name)?;
    let bytes = beside(move || studio.studies().clip(study, number(&condition))).await?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("model/gltf-binary"))], bytes.to_vec()).into_response())
}
