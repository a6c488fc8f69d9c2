//! Who may speak to the studio.
//!
//! A page of another site can make a browser send requests to this machine. It
//! cannot choose the headers `Host` and `Origin`: only requests that name the
//! studio's own address in both are answered. Where the studio listens to other
//! machines, a token is asked for besides.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use crate::failure::Failure;

/// What a request must show.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The port of the studio.
    pub port: u16,
    /// What has to be known, if the studio is open to other machines.
    pub token: Option<String>,
}

const COOKIE: &str = "proscenium";

impl Guard {
    /// Whether a request may pass.
    fn admit(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let forbidden = |error: &str, help: &str| Err(Failure::new(StatusCode::FORBIDDEN, error, help));
        let host = text(headers, header::HOST);
        if self.token.is_none() && !self.is_own(host) {
            return forbidden("this address is not the studio's", "open the address that the studio prints");
        }
        let origin = headers.get(header::ORIGIN).map(|_| text(headers, header::ORIGIN));
        if origin.is_some_and(|origin| origin.strip_prefix("http://") != Some(host)) {
            return forbidden("another site may not use the studio", "use the studio's own page");
        }
        match &self.token {
            Some(token) if !knows(headers, token) => {
                let help = "open the address with `?token=…` that the studio prints";
                Err(Failure::new(StatusCode::UNAUTHORIZED, "the token is missing or wrong", help))
            }
            _ => Ok(()),
        }
    }

    fn is_own(&self, host: &str) -> bool {
        let name = host.strip_suffix(&format!(":{}", self.port)).unwrap_or(if self.port == 80 { host } else { "" });
        ["127.0.0.1", "localhost", "[::1]"].contains(&name)
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn knows(headers: &HeaderMap, token: &str) -> bool {
    let bearer = text(headers, header::AUTHORIZATION).strip_prefix("Bearer ");
    let cookies = text(headers, header::COOKIE).split("; ");
    let cookie = cookies.filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == COOKIE);
    bearer.into_iter().chain(cookie.map(|(_, value)| value)).any(|given| same(given, token))
}

/// Compares in a time that does not tell where two texts differ.
fn same(given: &str, token: &str) -> bool {
    let differences = given.bytes().zip(token.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    given.len() == token.len() && differences == 0
}

/// The layer in front of everything.
pub async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    if let Some(answer) = welcome(&guard, &request) {
        return answer;
    }
    let mut response = match guard.admit(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    let policy = "default-src 'self'; img-src 'self' data: blob:; connect-src 'self' blob:; style-src 'self' \
                  'unsafe-inline'; frame-ancestors 'none'";
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

/// Someone who opens the page with the right token gets it as a cookie.
fn welcome(guard: &Guard, request: &Request) -> Option<Response> {
    let token = guard.token.as_ref()?;
    let given = request.uri().query()?.split('&').find_map(|pair| pair.strip_prefix("token="))?;
    if request.uri().path() != "/" || !same(given, token) {
        return None;
    }
    let cookie = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict");
    let mut answer = Redirect::to("/").into_response();
    answer.headers_mut().insert(header::SET_COOKIE, HeaderValue::from_str(&cookie).ok()?);
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(guard: &Guard, pairs: &[(header::HeaderName, &str)]) -> bool {
        let value = |text: &str| HeaderValue::from_str(text).unwrap();
        let headers: HeaderMap = pairs.iter().map(|(name, text)| (name.clone(), value(text))).collect();
        guard.admit(&headers).is_ok()
    }

    #[test]
    fn only_the_own_address_and_page_are_admitted() {
        let guard = Guard { port: 7777, token: None };
        let host = |text| vec![(header::HOST, text)];
        assert!(admits(&guard, &host("127.0.0.1:7777")));
        assert!(admits(&guard, &host("localhost:7777")));
        for foreign in ["127.0.0.1", "127.0.0.1:80", "evil.example:7777", "localhost.evil.example:7777", ""] {
            assert!(!admits(&guard, &host(foreign)), "{foreign}");
        }
        let from = |origin| vec![(header::HOST, "localhost:7777"), (header::ORIGIN, origin)];
        assert!(admits(&guard, &from("http://localhost:7777")));
        for foreign in ["http://evil.example", "null", "http://localhost:7778", "https://localhost:7777"] {
            assert!(!admits(&guard, &from(foreign)), "{foreign}");
        }
    }

    #[test]
    fn other_machines_need_the_token() {
        let guard = Guard { port: 7777, token: Some("secret".to_owned()) };
        let host = (header::HOST, "studio.example:7777");
        assert!(!admits(&guard, std::slice::from_ref(&host)));
        assert!(admits(&guard, &[host.clone(), (header::AUTHORIZATION, "Bearer secret")]));
        assert!(admits(&guard, &[host.clone(), (header::COOKIE, "a=b; proscenium=secret")]));
        assert!(!admits(&guard, &[host, (header::COOKIE, "proscenium=secre")]));
    }
}
