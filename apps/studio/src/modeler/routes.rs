//! What is asked about rides that one builds.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};

use crate::api::{ModelCheck, ModelKept, ModelListed, ModelOffer, ModelOrder, ModelPreview, ModelText, RideReport};
use crate::failure::Failure;
use crate::routes::{Answer, Body, Studio, beside};

/// The requests.
pub fn routes() -> Router<Studio> {
    Router::new()
        .route("/models", get(list))
        .route("/models/check", post(check))
        .route("/models/preview", post(preview))
        .route("/models/previews/{id}", get(preview_clip))
        .route("/models/{name}", get(text).put(keep).delete(take_away))
        .route("/models/{name}/compiled", get(compiled))
        .route("/models/{name}/compile", post(compile))
        .route("/models/{name}/stop", post(stop))
        .route("/models/{name}/report.html", get(report))
        .route("/models/{name}/export/{ending}", get(export))
}

async fn list(State(studio): State<Studio>) -> Answer<Vec<ModelListed>> {
    beside(move || Ok(studio.modeler().list())).await.map(Json)
}

async fn check(Body(text): Body<ModelText>) -> Answer<ModelCheck> {
    beside(move || Ok(super::tree::check(&text.toml))).await.map(Json)
}

async fn preview(State(studio): State<Studio>, Body(text): Body<ModelText>) -> Answer<ModelPreview> {
    beside(move || studio.modeler().preview(&text.toml)).await.map(Json)
}

async fn preview_clip(State(studio): State<Studio>, Path(id): Path<String>) -> Result<Response, Failure> {
    let bytes = studio.modeler().preview_clip(&id)?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("model/gltf-binary"))], bytes.to_vec()).into_response())
}

async fn text(State(studio): State<Studio>, Path(name): Path<String>) -> Answer<ModelKept> {
    beside(move || studio.modeler().kept(&name)).await.map(Json)
}

async fn keep(
    State(studio): State<Studio>,
    Path(name): Path<String>,
    Body(offer): Body<ModelOffer>,
) -> Answer<ModelCheck> {
    beside(move || studio.modeler().keep(&name, &offer)).await.map(Json)
}

async fn take_away(State(studio): State<Studio>, Path(name): Path<String>) -> Answer<Vec<ModelListed>> {
    beside(move || studio.modeler().take_away(&name)).await.map(Json)
}

async fn compiled(State(studio): State<Studio>, Path(name): Path<String>) -> Answer<RideReport> {
    beside(move || studio.modeler().compiled(&name)).await.map(Json)
}

async fn compile(
    State(studio): State<Studio>,
    Path(name): Path<String>,
    Body(order): Body<ModelOrder>,
) -> Answer<RideReport> {
    // Work is begun where the runtime is at hand.
    Ok(Json(studio.modeler().compile(&name, order.thorough)?))
}

async fn stop(State(studio): State<Studio>, Path(name): Path<String>) -> Answer<RideReport> {
    Ok(Json(studio.modeler().stop(&name)?))
}

async fn report(State(studio): State<Studio>, Path(name): Path<String>) -> Result<Html<String>, Failure> {
    beside(move || studio.modeler().report(&name)).await.map(Html)
}

async fn export(
    State(studio): State<Studio>,
    Path((name, ending)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let file = format!("attachment; filename=\"{name}.{ending}\"");
    let (kind, bytes) = beside(move || studio.modeler().export(&name, &ending)).await?;
    let file = HeaderValue::from_str(&file).unwrap_or(HeaderValue::from_static("attachment"));
    let headers = [(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_DISPOSITION, file)];
    Ok((headers, bytes).into_response())
}
