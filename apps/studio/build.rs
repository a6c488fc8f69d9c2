//! Tells cargo when the front end that a release embeds has changed.

// This is how a build script speaks to cargo.
#![allow(clippy::print_stdout)]

fn main() {
    // Other profiles read the files while they run, and need no new build.
    let embeds = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    println!("cargo::rerun-if-changed={}", if embeds { "../../web/dist" } else { "build.rs" });
}
