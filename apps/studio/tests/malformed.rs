//! The promise: nothing that is sent takes the studio down. Ten thousand
//! malformed requests and messages are generated from a fixed seed; each gets a
//! 4xx with a reason or a close with one, and the studio answers afterwards.

#![allow(clippy::unwrap_used)]

use crate::common::{TestStudio, ask, told};
use futures_util::{SinkExt, StreamExt};
use proscenium_chance::{Seed, Stream};
use proscenium_studio::{Guard, Studio, Workspace};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Message, protocol::frame::coding::CloseCode};

const REQUESTS: usize = 9_000;
const MESSAGES: usize = 960;
const LIVE_MESSAGES: usize = 40;

const PATHS: &[&str] = &[
    "/api/scenes/check",
    "/api/takes",
    "/api/takes/x",
    "/api/takes/%2e%2e%2f",
    "/api/takes/x/clip.glb",
    "/api/takes/x/motion",
    "/api/runs",
    "/api/runs/..%2f..",
    "/api/runs/x/entries/1/favourite",
    "/api/runs/x/entries/-1/clip.glb",
    "/api/runs/x/resume",
    "/api/live/city",
    "/api/live/collisions",
    "/api/live/fairground",
    "/api/studies/gaze/people/-3",
    "/api/studies/gaze/people",
    "/api/studies/gap/people/1/answers",
    "/api/studies/..%2f/answers.csv",
    "/api/studies/gap/clips/99",
    "/api/live/field",
    "/api/live/meadow",
    "/api/live/..%2f",
    "/api/meshes/..%2f..%2fx.obj",
    "/api/meshes/x.obj",
    "/api/meshes/x.glb",
    "/api/networks/..%2f..%2fx",
    "/api/networks/x",
    "/api/rides/x/learn",
    "/api/rides/..%2f/report.html",
    "/api/takes/x/bounds",
    "/api/lab/x/run",
    "/api/lab/..%2f..%2fx/results.json",
    "/api/lab/rigid-box/pictures/..%2f..%2fx.svg",
    "/api/lab/rigid-box/stop",
    "/api/models/check",
    "/api/models/preview",
    "/api/models/..%2fx",
    "/api/models/octopus/compile",
    "/api/models/octopus/export/exe",
    "/api/models/previews/x",
    "/api/nothing",
    "/assets/../../Cargo.toml",
];
const METHODS: &[&str] = &["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "null",
    "true",
    "-1",
    "1e999",
    "NaN",
    "\"scene\"",
    "\"seed\"",
    "\"samples\"",
    "\"builtin\"",
    "\"spell\"",
    "\"toml\"",
    "\"wants\"",
    "\"text\"",
    "\u{0}",
    "\\",
    "\"say\"",
    "\"play\"",
    "\"ack\"",
    "\u{fffd}",
    "99999999999999999999",
    " ",
];

/// Something that begins like what is expected, and goes wrong.
fn rubbish(stream: &mut Stream) -> Vec<u8> {
    let whole = [
        json!({ "scene": { "builtin": "table" }, "seed": -1 }),
        json!({ "scene": { "builtin": "tabel" }, "seed": 1, "samples": 0 }),
        json!({ "builtin": "table", "parameters": { "n": 1e300 } }),
        json!({ "builtin": "spell", "text": "\u{1F600}".repeat(50) }),
        json!({ "toml": "format = 1\n[[body]]\nname = 3" }),
        json!({ "builtin": "table", "wants": ["die-1 shows 6, } ] ="] }),
        json!({ "favourite": "yes" }),
        json!([[[[]]]]),
    ];
    match stream.below(3) {
        0 => (0..stream.below(40)).map(|_| stream.word() as u8).collect(),
        1 => (0..stream.below(24)).flat_map(|_| stream.pick(PIECES).unwrap().bytes()).collect(),
        _ => {
            let mut bytes = stream.pick(&whole).unwrap().to_string().into_bytes();
            let length = bytes.len() as u64;
            match stream.below(3) {
                0 => bytes.truncate(stream.below(length) as usize),
                1 => bytes[stream.below(length) as usize] = stream.word() as u8,
                _ => {}
            }
            bytes
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_requests_get_a_reason() {
    let studio = TestStudio::new();
    let mut stream = Seed(11).stream("requests");
    let mut refused = 0;
    for _ in 0..REQUESTS {
        let (path, method) = (*stream.pick(PATHS).unwrap(), *stream.pick(METHODS).unwrap());
        let body = rubbish(&mut stream);
        let (status, answer) = ask(&studio.router, method, path, body.clone()).await;
        assert!(!status.is_server_error(), "{method} {path} {body:?}: {status}");
        if status.is_client_error() {
            let problem: Value = serde_json::from_slice(&answer).unwrap();
            assert!(!problem["error"].as_str().unwrap().is_empty(), "{method} {path}");
            assert!(!problem["help"].as_str().unwrap().is_empty(), "{method} {path}: {problem}");
            refused += 1;
        } else {
            // The lists, and now and then a scene that a changed byte leaves sound.
            assert!(status.is_success(), "{method} {path}: {status}");
        }
    }
    assert!(refused > REQUESTS * 9 / 10, "{refused}");
    studio.good("GET", "/api/scenes", &Value::Null).await;
}

#[tokio::test]
async fn too_much_is_not_read() {
    let studio = TestStudio::new();
    let (status, _) = studio.bytes("POST", "/api/scenes/check", vec![b' '; 3 << 20]).await;
    assert_eq!(status, 413);
}

/// The port at which a studio is served.
async fn served(studio: &Studio) -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = studio.router(Guard { port, token: None });
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

/// A connection that is dropped with something unread is reset, and what was sent
/// last may be lost: the reason and the close.
#[tokio::test(flavor = "multi_thread")]
async fn a_reason_arrives_although_more_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::new(Workspace::open(folder.path()).unwrap());
    let address = format!("ws://127.0.0.1:{}/api/live/fairground", served(&studio).await);
    for _ in 0..40 {
        let (mut socket, _) = tokio_tungstenite::connect_async(&address).await.unwrap();
        socket.next().await.unwrap().unwrap();
        for _ in 0..1000 {
            socket.feed(Message::text("rubbish".repeat(100))).await.unwrap();
        }
        socket.flush().await.unwrap();
        let problem: Value = serde_json::from_str(socket.next().await.unwrap().unwrap().to_text().unwrap()).unwrap();
        assert!(problem["help"].as_str().unwrap().starts_with("say "), "{problem}");
        let Message::Close(Some(close)) = socket.next().await.unwrap().unwrap() else { panic!("it goes on") };
        assert_eq!(close.code, CloseCode::from(4400));
    }
    studio.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_messages_get_a_reason_and_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::new(Workspace::open(folder.path()).unwrap());
    let port = served(&studio).await;
    let order = json!({ "scene": { "builtin": "spin" }, "seed": 1 }).to_string();
    let inner = studio.router(Guard { port: 7777, token: None });
    let (_, answer) = ask(&inner, "POST", "/api/takes", order).await;
    let take: Value = serde_json::from_slice(&answer).unwrap();
    let address = format!("ws://127.0.0.1:{port}/api/takes/{}/motion", take["id"].as_str().unwrap());

    let mut stream = Seed(12).stream("messages");
    for _ in 0..MESSAGES {
        let (mut socket, _) = tokio_tungstenite::connect_async(&address).await.unwrap();
        let hello = socket.next().await.unwrap().unwrap();
        assert!(hello.to_text().unwrap().contains("handle"));
        let bytes = rubbish(&mut stream);
        let message = match String::from_utf8(bytes) {
            Ok(text) => Message::text(text),
            Err(error) => Message::binary(error.into_bytes()),
        };
        socket.send(message).await.unwrap();
        let problem: Value = serde_json::from_str(socket.next().await.unwrap().unwrap().to_text().unwrap()).unwrap();
        assert!(!problem["error"].as_str().unwrap().is_empty());
        let Message::Close(Some(close)) = socket.next().await.unwrap().unwrap() else { panic!("it goes on") };
        assert_eq!(close.code, CloseCode::from(4400));
    }
    // A good client is served as if nothing had been.
    let (mut socket, _) = tokio_tungstenite::connect_async(&address).await.unwrap();
    socket.next().await.unwrap().unwrap();
    socket
        .send(Message::text(json!({ "say": "play", "from": 0.0, "speed": 1.0, "rate": 200.0 }).to_string()))
        .await
        .unwrap();
    let frames = [socket.next().await.unwrap().unwrap(), socket.next().await.unwrap().unwrap()];
    assert!(frames.iter().all(|frame| frame.len() == 12 + 28));
    // Two frames are under way, and no more are sent before one is acknowledged.
    let third = tokio::time::timeout(std::time::Duration::from_millis(150), socket.next()).await;
    assert!(third.is_err());
    socket.send(Message::text(json!({ "say": "ack", "frame": 1 }).to_string())).await.unwrap();
    assert!(socket.next().await.unwrap().unwrap().is_binary());
    live_worlds_refuse_as_well(&format!("ws://127.0.0.1:{port}/api/live/fairground"), &mut stream).await;
    studio.stop();
}

/// What a live world is told must make sense, to the stream and to the world.
async fn live_worlds_refuse_as_well(address: &str, stream: &mut Stream) {
    let view = json!({ "say": "view", "position": [0, 2, 60], "forward": [0, 0, -1], "fov_y": 0.8, "aspect": 1.5,
        "far": 200 });
    for number in 0..LIVE_MESSAGES {
        let (mut socket, _) = tokio_tungstenite::connect_async(address).await.unwrap();
        let hello = told(&socket.next().await.unwrap().unwrap());
        assert_eq!(hello["kind"], "hello");
        let bytes = match number % 4 {
            0 => json!({ "say": "view", "position": [0, 0, 0], "forward": [0, 0, 0], "fov_y": 0.8, "aspect": 1,
                "far": 9 })
            .to_string(),
            1 => json!({ "say": "control", "control": { "rides": 1e9 } }).to_string(),
            2 => {
                json!({ "say": "control", "control": { "signal": { "ride": 4_000_000, "name": "walk" } } }).to_string()
            }
            _ => String::from_utf8_lossy(&rubbish(stream)).into_owned(),
        };
        socket.send(Message::text(bytes)).await.unwrap();
        // What only the world can refuse is refused when it goes on.
        socket.send(Message::text(view.to_string())).await.ok();
        loop {
            match socket.next().await.unwrap().unwrap() {
                Message::Close(Some(close)) => break assert_eq!(close.code, CloseCode::from(4400)),
                Message::Text(text) => assert!(text.contains("\"error\"") || text.contains("\"told\""), "{text}"),
                Message::Binary(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
    let (mut socket, _) = tokio_tungstenite::connect_async(address).await.unwrap();
    socket.next().await.unwrap().unwrap();
    socket.send(Message::text(view.to_string())).await.unwrap();
    let frame = socket.next().await.unwrap().unwrap().into_data();
    let word = |at: usize| u32::from_le_bytes(frame[4 * at..4 * at + 4].try_into().unwrap()) as usize;
    let (instances, shapes) = (word(2), word(3));
    assert!(instances > 20, "{instances}");
    // Nothing bends or grows here: three counts, and no vertices.
    assert_eq!(frame.len(), 16 + 4 * shapes + 36 * instances + 12);
}
