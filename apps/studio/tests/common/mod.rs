//! A studio to be asked, without a network.

#![allow(clippy::unwrap_used, reason = "only tests call it")]

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode};
use proscenium_studio::{Guard, Studio, Workspace};
use serde_json::Value;
use tokio_tungstenite::tungstenite::Message;
use tower::ServiceExt;

pub struct TestStudio {
    pub router: Router,
    pub folder: tempfile::TempDir,
}

impl TestStudio {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let router = open(folder.path());
        Self { router, folder }
    }

    pub async fn bytes(&self, method: &str, path: &str, body: impl Into<Body>) -> (StatusCode, Bytes) {
        ask(&self.router, method, path, body).await
    }

    pub async fn json(&self, method: &str, path: &str, body: &Value) -> (StatusCode, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, bytes) = self.bytes(method, path, body).await;
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    /// The answer, which must be a good one.
    pub async fn good(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.json(method, path, body).await;
        assert_eq!(status, StatusCode::OK, "{method} {path}: {answer}");
        answer
    }

    /// Asks again until the answer is as it should be.
    pub async fn until(&self, path: &str, is_right: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..600 {
            let answer = self.good("GET", path, &Value::Null).await;
            if is_right(&answer) {
                return answer;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("{path} did not become what it should");
    }
}

/// What a message says, packed or not.
pub fn told(message: &Message) -> Value {
    let Message::Binary(bytes) = message else { return serde_json::from_str(message.to_text().unwrap()).unwrap() };
    let (mark, packed) = bytes.split_at(4);
    assert_eq!(mark, [0; 4], "a frame, and nothing that is told");
    serde_json::from_reader(flate2::read::GzDecoder::new(packed)).unwrap()
}

pub fn open(folder: &std::path::Path) -> Router {
    let workspace = Workspace::open(folder).unwrap();
    Studio::new(workspace).router(Guard { port: 7777, token: None })
}

pub async fn ask(router: &Router, method: &str, path: &str, body: impl Into<Body>) -> (StatusCode, Bytes) {
    let request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:7777").body(body.into());
    let response = router.clone().oneshot(request.unwrap()).await.unwrap();
    let status = response.status();
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 30).await.unwrap();
    (status, bytes)
}
