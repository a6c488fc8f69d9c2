//! The promise: nobody can take the studio from the others. Who says nothing is
//! hung up on, who says too much is told so, and what is kept is not overwritten
//! in silence.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use proscenium_studio::{Guard, Patience, Studio, Workspace};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::common::{TestStudio, told};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A studio at a port of its own.
struct Served {
    studio: Studio,
    address: String,
    _folder: tempfile::TempDir,
}

impl Served {
    async fn new(patience: Patience) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let studio = Studio::new(Workspace::open(folder.path()).unwrap()).with_patience(patience);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = studio.router(Guard { port: address.port(), token: None });
        tokio::spawn(proscenium_studio::serve(listener, router, patience));
        Self { studio, address: address.to_string(), _folder: folder }
    }

    async fn look(&self, world: &str) -> Socket {
        tokio_tungstenite::connect_async(format!("ws://{}/api/live/{world}", self.address)).await.unwrap().0
    }

    /// Whether a good request is answered.
    async fn answers(&self) {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        let head = format!("GET /api/scenes HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.address);
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.studio.stop();
    }
}

fn short() -> Patience {
    let short = Duration::from_millis(400);
    Patience { head: short, body: short, stream: short }
}

/// What a socket is told as it is hung up on.
async fn farewell(socket: &mut Socket) -> Value {
    let mut told = Value::Null;
    while let Some(Ok(message)) = socket.next().await {
        match message {
            Message::Text(text) => told = serde_json::from_str(&text).unwrap(),
            Message::Close(Some(close)) => {
                assert!([4400, 4408].contains(&u16::from(close.code)));
                break;
            }
            _ => {}
        }
    }
    assert!(!told["help"].as_str().unwrap_or_default().is_empty(), "{told}");
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seventeenth_world_is_told_why_it_is_not_opened() {
    let served = Served::new(Patience::default()).await;
    let mut open = Vec::new();
    for _ in 0..16 {
        let mut socket = served.look("meadow").await;
        assert!(socket.next().await.unwrap().unwrap().to_text().unwrap().contains("hello"));
        open.push(socket);
    }
    let told = farewell(&mut served.look("meadow").await).await;
    assert!(told["error"].as_str().unwrap().starts_with("16 live worlds are open"), "{told}");
    open.pop().unwrap().close(None).await.unwrap();
    // The place is free as soon as the world has ended.
    for tries in 0.. {
        let first = served.look("meadow").await.next().await.unwrap().unwrap();
        if first.to_text().unwrap().contains("hello") {
            break;
        }
        assert!(tries < 50, "the place is not free again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_says_nothing_is_hung_up_on_with_a_reason() {
    let served = Served::new(short()).await;
    let told = farewell(&mut served.look("meadow").await).await;
    assert!(told["error"].as_str().unwrap().starts_with("nothing was heard"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_controls_before_a_view_is_refused() {
    let served = Served::new(Patience::default()).await;
    let mut socket = served.look("meadow").await;
    let control = json!({ "say": "control", "control": { "wind": 0.5 } }).to_string();
    for _ in 0..150_000 {
        // The studio may hang up before all is said.
        if socket.feed(Message::text(&control)).await.is_err() {
            break;
        }
    }
    let _ = socket.flush().await;
    let told = farewell(&mut socket).await;
    assert_eq!(told["error"], "more than 64 controls wait");
    served.answers().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_are_too_long_are_answered_with_a_reason() {
    let served = Served::new(Patience::default()).await;
    // The longest one is not even read to its end.
    for length in [4097, 1 << 21, 1 << 24] {
        let mut socket = served.look("meadow").await;
        let _ = socket.send(Message::text("x".repeat(length))).await;
        let told = farewell(&mut socket).await;
        assert!(told["help"].as_str().unwrap().contains("4096 bytes"), "{length}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn half_requests_end_and_whole_ones_are_answered_meanwhile() {
    let served = Served::new(short()).await;
    let halves = [
        "GET /api/scenes HTT".to_owned(),
        String::new(),
        format!("POST /api/scenes/check HTTP/1.1\r\nhost: {}\r\ncontent-length: 500\r\n\r\n{{", served.address),
    ];
    let mut open = Vec::new();
    for half in halves.iter().cycle().take(300) {
        let mut stream = TcpStream::connect(&served.address).await.unwrap();
        stream.write_all(half.as_bytes()).await.unwrap();
        open.push((half.len(), stream));
    }
    served.answers().await;
    for (said, mut stream) in open {
        let mut answer = Vec::new();
        // It ends by itself, however busy the machine is.
        let closed = tokio::time::timeout(Duration::from_secs(300), stream.read_to_end(&mut answer)).await;
        assert!(closed.is_ok(), "a half request of {said} bytes is open");
        let answer = String::from_utf8_lossy(&answer);
        // Whose head was whole gets a reason.
        let is_body = said == halves[2].len();
        assert!(!is_body || answer.starts_with("HTTP/1.1 4") && answer.contains("\"error\""), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn streets_travel_packed() {
    let served = Served::new(Patience::default()).await;
    let first = served.look("city").await.next().await.unwrap().unwrap();
    let hello = told(&first);
    assert_eq!(hello["kind"], "hello");
    assert!(!hello["still"].as_array().unwrap().is_empty());
    let text = hello.to_string();
    assert!(first.is_binary() && first.len() * 2 < text.len(), "{} of {} bytes", first.len(), text.len());
}

#[tokio::test]
async fn a_ride_that_was_changed_elsewhere_is_not_overwritten() {
    let studio = TestStudio::new();
    let first = studio.good("GET", "/api/models/octopus", &Value::Null).await;
    let text = first["toml"].as_str().unwrap();
    let edited = |word: &str| format!("# {word}\n{text}");
    let offer = |word: &str, replaces: &Value| json!({ "toml": edited(word), "replaces": replaces });
    let path = "/api/models/octopus";
    let kept = studio.good("PUT", path, &offer("one", &first["version"])).await;
    // Another page still has the first version.
    let (status, problem) = studio.json("PUT", path, &offer("two", &first["version"])).await;
    assert_eq!(status, 409, "{problem}");
    let now = studio.good("GET", path, &Value::Null).await;
    assert_eq!((now["toml"].as_str(), &now["version"]), (Some(edited("one").as_str()), &kept["version"]));
    // The same again is no conflict: an answer may have been lost.
    studio.good("PUT", path, &offer("one", &first["version"])).await;
    studio.good("PUT", path, &offer("three", &kept["version"])).await;
    // Without a version the text is kept whatever it replaces.
    studio.good("PUT", path, &json!({ "toml": edited("two") })).await;
    assert_eq!(studio.good("GET", path, &Value::Null).await["toml"], edited("two"));
}

#[tokio::test]
async fn results_that_are_not_there_are_told_of_in_words() {
    let studio = TestStudio::new();
    let (status, problem) = studio.json("GET", "/api/runs/nowhere-1/entries/9", &Value::Null).await;
    assert_eq!(status, 404);
    assert_eq!(problem["error"], "there is no run “nowhere-1”");
    let scene = json!({ "builtin": "table", "parameters": { "n": 1 }, "wants": ["die-1 shows 6"] });
    let run = studio.good("POST", "/api/runs", &json!({ "scene": scene, "seed": 1, "samples": 1 })).await;
    let run = run["id"].as_str().unwrap();
    studio.until(&format!("/api/runs/{run}"), |run| run["state"] == "finished").await;
    let entry = format!("/api/runs/{run}/entries/998");
    studio.json("GET", &entry, &Value::Null).await;
    let failed = studio.until(&entry, |take| take["state"] == "failed").await;
    let said = failed["problem"]["error"].as_str().unwrap();
    assert!(said.starts_with("this run has no animation 999: ") && said.contains("found"), "{said}");
}
