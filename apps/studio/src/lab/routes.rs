//! What is asked about the lab.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};

use crate::api::{LabJob, LabOrder, LabReport};
use crate::failure::Failure;
use crate::routes::{Answer, Body, Studio, beside};

use super::results::plain;

/// The requests.
pub fn routes() -> Router<Studio> {
    Router::new()
        .route("/lab", get(lab))
        .route("/lab/report.html", get(report))
        .route("/lab/{name}/results.json", get(results))
        .route("/lab/{name}/pictures/{picture}", get(picture))
        .route("/lab/{name}/run", post(run))
        .route("/lab/{name}/job", get(job))
        .route("/lab/{name}/stop", post(stop))
}

async fn lab(State(studio): State<Studio>) -> Answer<LabReport> {
    beside(move || Ok(studio.lab().told())).await.map(axum::Json)
}

async fn report(State(studio): State<Studio>) -> Result<Html<String>, Failure> {
    beside(move || studio.lab().report()).await.map(Html)
}

async fn results(State(studio): State<Studio>, Path(name): Path<String>) -> Result<Response, Failure> {
    let bytes = beside(move || studio.lab().results(plain(&name)?)).await?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response())
}

async fn picture(
    State(studio): State<Studio>,
    Path((name, picture)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let stem = picture.strip_suffix(".svg").unwrap_or(&picture).to_owned();
    let bytes = beside(move || studio.lab().picture(plain(&name)?, &stem)).await?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"))], bytes).into_response())
}

async fn run(State(studio): State<Studio>, Path(name): Path<String>, Body(order): Body<LabOrder>) -> Answer<LabJob> {
    let job = studio.lab().run(plain(&name)?, order)?;
    Ok(axum::Json(job.told(true)))
}

async fn job(State(studio): State<Studio>, Path(name): Path<String>) -> Answer<LabJob> {
    Ok(axum::Json(studio.lab().job(plain(&name)?)?.told(true)))
}

async fn stop(State(studio): State<Studio>, Path(name): Path<String>) -> Answer<LabJob> {
    let job = studio.lab().job(plain(&name)?)?;
    job.stop();
    Ok(axum::Json(job.told(true)))
}
