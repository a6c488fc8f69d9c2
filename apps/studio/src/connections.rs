//! Connections: accepted, given a time to say what they want, and served.

use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

/// How long the studio waits for those who say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For the head of a request: a connection that does not send it is closed.
    pub head: Duration,
    /// For the next piece of a request's body.
    pub body: Duration,
    /// For a word on a stream; the pages acknowledge every frame.
    pub stream: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { head: seconds(15), body: seconds(30), stream: seconds(60) }
    }
}

/// Between two tries to accept where the machine has no room for a connection.
const NO_ROOM: Duration = Duration::from_millis(100);

/// Serves whoever connects, for ever.
pub async fn serve(listener: TcpListener, router: Router, patience: Patience) -> Infallible {
    let mut connections = http1::Builder::new();
    connections.timer(TokioTimer::new()).header_read_timeout(patience.head);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(NO_ROOM).await;
            continue;
        };
        // Frames are small, and each is waited for. Where that cannot be set they
        // come a little later.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = connections.serve_connection(TokioIo::new(stream), service).with_upgrades();
        // Who broke off needs no answer.
        tokio::spawn(async move { drop(connection.await) });
    }
}
