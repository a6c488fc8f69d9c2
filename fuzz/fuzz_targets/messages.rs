//! Messages on a stream, of a motion and of a live world: whatever is said, the
//! stream goes on or ends with a reason, and the studio serves the next one.
#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use libfuzzer_sys::fuzz_target;
use proscenium_studio::{Guard, Studio, Workspace};
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

const VIEW: &str = r#"{"say":"view","position":[0,2,6],"forward":[0,0,-1],"fov_y":0.8,"aspect":1.5,"far":60}"#;
const TAKE: &str = r#"{"scene":{"builtin":"spin"},"seed":1}"#;
/// Longer is what a slow machine takes, and not an answer any more.
const PATIENCE: Duration = Duration::from_secs(30);

/// A studio that listens, and the streams that it has.
static STUDIO: LazyLock<(Runtime, [String; 2])> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("proscenium-fuzz-{}", std::process::id()));
    let workspace = Workspace::open(&folder).expect("the folder for temporary files can be written");
    let runtime = Runtime::new().expect("there are threads");
    let streams = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it listens").port();
        let router = Studio::new(workspace).router(Guard { port, token: None });
        let inner = router.clone();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let request = axum::http::Request::builder().method("POST").uri("/api/takes");
        let request = request.header("host", format!("127.0.0.1:{port}")).body(axum::body::Body::from(TAKE));
        let request = request.expect("method and path are fixed");
        let Ok(answer) = tower::ServiceExt::oneshot(inner, request).await;
        let bytes = axum::body::to_bytes(answer.into_body(), 1 << 20).await.expect("the answer is at hand");
        let take: serde_json::Value = serde_json::from_slice(&bytes).expect("the answer is JSON");
        let id = take["id"].as_str().expect("a take has a name").to_owned();
        [format!("ws://127.0.0.1:{port}/api/takes/{id}/motion"), format!("ws://127.0.0.1:{port}/api/live/collisions")]
    });
    (runtime, streams)
});

fuzz_target!(|data: &[u8]| {
    let Some((first, said)) = data.split_first() else {
        return;
    };
    let (runtime, streams) = &*STUDIO;
    let which = usize::from(*first) % streams.len();
    runtime.block_on(async {
        let connected = timeout(PATIENCE, tokio_tungstenite::connect_async(&streams[which])).await;
        let (mut socket, _) = connected.expect("it answers in time").expect("it takes another client");
        if which == 1 {
            socket.send(Message::text(VIEW)).await.expect("it listens");
        }
        // Several messages may follow each other.
        for part in said.split(|byte| *byte == b'\n').take(4) {
            let message = match std::str::from_utf8(part) {
                Ok(text) => Message::text(text),
                Err(_) => Message::binary(part.to_vec()),
            };
            // It may have hung up already.
            let _ = socket.send(message).await;
        }
        let _ = socket.send(Message::text("enough")).await;
        loop {
            let heard = timeout(PATIENCE, socket.next()).await.expect("it says something in time");
            match heard.expect("it says farewell first") {
                Ok(Message::Close(Some(close))) => break assert_eq!(u16::from(close.code), 4400),
                // A message that is too long ends the stream below.
                Err(_) => break,
                Ok(_) => {}
            }
        }
    });
});
