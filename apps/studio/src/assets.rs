//! The pages. A release carries them; other builds read them from the checkout.

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Pages;

/// What is shown where the pages were not built.
const NOT_BUILT: &str = "<!doctype html><meta charset=utf-8><title>Proscenium studio</title>\
    <body style=\"font:16px/1.5 system-ui;max-width:36em;margin:4em auto;padding:0 1em\">\
    <h1>The studio's pages are not built yet</h1>\
    <p>Stop this server and run <code>cargo xtask studio</code>: it installs what the pages need, builds them, and \
    starts the studio again. It needs Node 20 or newer.</p>\
    <p>The API answers as it is: <a href=/api/scenes>/api/scenes</a>.</p>";

/// A file of the pages, packed if the browser can unpack it.
pub async fn serve(uri: Uri, asked: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let Some(file) = Pages::get(path) else {
        if path == "index.html" {
            return Html(NOT_BUILT).into_response();
        }
        let help = "the pages begin at /, and the API at /api";
        return crate::failure::Failure::new(StatusCode::NOT_FOUND, "there is no such page", help).into_response();
    };
    let kind =
        HeaderValue::from_str(file.metadata.mimetype()).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    // Names of built files carry a hash of what is in them.
    let cache = if path.starts_with("assets/") { "max-age=31536000, immutable" } else { "no-cache" };
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, HeaderValue::from_static(cache))];
    match Pages::get(&format!("{path}.gz")).filter(|_| takes_gzip(&asked)) {
        Some(packed) => {
            let encoding = [(header::CONTENT_ENCODING, "gzip"), (header::VARY, "accept-encoding")];
            (headers, encoding, packed.data.into_owned()).into_response()
        }
        None => (headers, file.data.into_owned()).into_response(),
    }
}

fn takes_gzip(asked: &HeaderMap) -> bool {
    let accepted = asked.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|one| one.trim() == "gzip")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_files_go_to_those_who_can_unpack_them() {
        let asked = |accepted: &'static str| {
            HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted))])
        };
        assert!(takes_gzip(&asked("gzip, deflate, br")));
        assert!(!takes_gzip(&asked("identity")));
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
