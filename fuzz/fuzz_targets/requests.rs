//! Bodies of requests: whatever is sent, the studio answers, and says why where
//! it refuses. Requests that begin long work when they are right are left out.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use libfuzzer_sys::fuzz_target;
use proscenium_studio::{Guard, Studio, Workspace};
use tokio::runtime::Runtime;
use tower::ServiceExt;

/// The first byte says which of these is asked; the others are the body.
const ASKED: [(&str, &str); 12] = [
    ("POST", "/api/scenes/check"),
    ("POST", "/api/models/check"),
    ("PUT", "/api/models/any"),
    ("PUT", "/api/meshes/any.obj"),
    ("PUT", "/api/meshes/any.glb"),
    ("PUT", "/api/networks/any"),
    ("POST", "/api/runs/any/resume"),
    ("PUT", "/api/runs/any/entries/1/favourite"),
    ("POST", "/api/studies/gap/people/1/answers"),
    ("POST", "/api/studies/gap/people/1/remark"),
    ("POST", "/api/lab/any/run"),
    ("POST", "/api/rides/any/learn"),
];

static STUDIO: LazyLock<(Runtime, Router)> = LazyLock::new(|| {
    let folder: PathBuf = std::env::temp_dir().join(format!("proscenium-fuzz-{}", std::process::id()));
    let workspace = Workspace::open(&folder).expect("the folder for temporary files can be written");
    let runtime = Runtime::new().expect("there are threads");
    let router = {
        let _inside = runtime.enter();
        Studio::new(workspace).router(Guard { port: 7777, token: None })
    };
    (runtime, router)
});

fuzz_target!(|data: &[u8]| {
    let Some((first, body)) = data.split_first() else {
        return;
    };
    let (method, path) = ASKED[usize::from(*first) % ASKED.len()];
    let (runtime, router) = &*STUDIO;
    let request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:7777");
    let request = request.body(Body::from(body.to_vec())).expect("method and path are fixed");
    let status = runtime.block_on(async {
        let Ok(answer) = router.clone().oneshot(request).await;
        let status = answer.status();
        let bytes = axum::body::to_bytes(answer.into_body(), 1 << 30).await.expect("the answer is at hand");
        assert!(!status.is_client_error() || bytes.starts_with(b"{\"error\":"), "{method} {path}: {status}");
        status
    });
    assert!(!status.is_server_error(), "{method} {path}: {status}");
});
