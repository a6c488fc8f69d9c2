//! The engine in a web page: what the package in `npm/` is built from.
//!
//! A feature for each module: `dice`, `direct`, `city`, `cull`, `ensemble` and `rigid`. Orders come as JSON and are checked
//! once; results go as typed arrays, which a worker hands over without a copy; what is
//! wrong becomes an `Error` with the engine's words and a `remedy`. A page can stop work
//! from the function that it is told its progress by.
//!
//! Deliberately absent: drawing, workers and downloads, which are the business of the
//! TypeScript in `npm/src`; threads; and any state between calls but for worlds that go on
//! (a city, a fairground, an ensemble, rigid bodies), which are objects that a page frees.

#[cfg(feature = "city")]
pub mod city;
#[cfg(feature = "cull")]
pub mod cull;
#[cfg(feature = "dice")]
pub mod dice;
#[cfg(feature = "direct")]
pub mod direct;
#[cfg(feature = "ensemble")]
pub mod ensemble;
#[cfg(feature = "rigid")]
pub mod rigid;
#[cfg(any(feature = "direct", feature = "rigid"))]
pub mod scene;
#[cfg(feature = "direct")]
pub mod simulate;
mod telling;

use wasm_bindgen::prelude::wasm_bindgen;

/// Which engine this is: throws are the same wherever it is the same.
#[must_use]
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
