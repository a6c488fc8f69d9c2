//! Tells cargo when the front end that a release embeds has changed.

// This is how a build script speaks to cargo.
#![allow(clippy::print_stdout)]

const PAGES: &str = "../../web/dist";

fn main() {
    // Other profiles read the files while they run, and need no new build; but
    // they find the folder only if it was there when they were built.
    let embeds = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let waits = !std::path::Path::new(PAGES).is_dir();
    println!("cargo::rerun-if-changed={}", if embeds || waits { PAGES } else { "build.rs" });
}
