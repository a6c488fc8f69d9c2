//! The programs that the lab compares with. They are a workspace of their own,
//! with a target folder of their own, where the lab looks for them.

use std::path::Path;

use crate::process::Process;
use crate::report::{Outcome, Report};

/// Always this folder, whatever `CARGO_TARGET_DIR` says: the lab looks here.
const TARGET: &str = "--target-dir=peers/target";
const MANIFEST: &str = "--manifest-path=peers/Cargo.toml";

/// Builds every peer, optimised.
pub fn build(root: &Path) -> Outcome {
    println!("building the peers (first time: a few minutes) into peers/target/release");
    Process::cargo(&["build", "--release", "--locked", MANIFEST, TARGET], root).run()
}

/// Formatting, lints and tests of the peers.
pub fn test(root: &Path, report: &mut Report) {
    report.step("peers: build", || build(root));
    report.step("peers: fmt", || Process::cargo(&["fmt", "--check", "--all", MANIFEST], root).run());
    report.step("peers: clippy", || {
        let lints = ["clippy", "--workspace", "--all-targets", "--locked", MANIFEST, TARGET, "--", "-D", "warnings"];
        Process::cargo(&lints, root).run()
    });
    report.step_with_tests("peers: tests", |counts| {
        let tests = ["test", "--workspace", "--release", "--locked", MANIFEST, TARGET];
        Process::cargo(&tests, root).run_counting(counts)
    });
}
