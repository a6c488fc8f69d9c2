//! The book: built by mdBook, which is compiled here where it is not installed.

use std::path::Path;

use crate::process::{Process, is_installed};
use crate::report::Outcome;

/// The release that the book is written for; without its server.
const RELEASE: &str = "0.5.4";

/// Where it is kept, ignored by git.
const TOOLS: &str = "target/tools";

/// Builds the pages. Links are checked by `tidy` in any case.
pub fn build(root: &Path) -> Outcome {
    if is_installed("mdbook", root) {
        return Process::new("mdbook", &["build", "docs"], root).run();
    }
    let own = root.join(TOOLS).join("bin/mdbook");
    if !Process::new(&own, &["--version"], root).output().is_some_and(|version| version.contains(RELEASE)) {
        println!("mdbook is not installed: building it in {TOOLS}, once");
        let arguments = ["install", "mdbook", "--version", RELEASE, "--locked", "--debug", "--root", TOOLS];
        let arguments = [&arguments[..], &["--no-default-features", "--features", "search", "--quiet"]].concat();
        // Not beside what the workspace has built: another folder, kept for the next time.
        let folder = root.join(TOOLS).join("build");
        let installed = Process::cargo(&arguments, root).with("CARGO_TARGET_DIR", &folder.to_string_lossy()).run();
        if installed != Outcome::Passed {
            return installed;
        }
    }
    Process::new(&own, &["build", "docs"], root).run()
}
