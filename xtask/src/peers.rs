//! The programs that the lab compares with. They are a workspace of their own,
//! with a target folder of their own, where the lab looks for them.

use std::path::{Path, PathBuf};

use crate::process::{Process, is_installed};
use crate::report::{Outcome, Report, TestCounts};

/// Always this folder, whatever `CARGO_TARGET_DIR` says: the lab looks here.
const TARGET: &str = "--target-dir=peers/target";
const MANIFEST: &str = "--manifest-path=peers/Cargo.toml";

/// Builds every peer, optimised.
pub fn build(root: &Path) -> Outcome {
    println!("building the peers (first time: a few minutes) into peers/target/release");
    let built = Process::cargo(&["build", "--release", "--locked", MANIFEST, TARGET], root).run();
    if let Outcome::Skipped(reason) = sumo(root) {
        println!("SUMO is left out: {reason}");
    }
    built
}

/// Where SUMO is installed, beside the other peers.
const SUMO: &str = "peers/target/sumo";

/// Installs SUMO from PyPI, in a Python environment of its own.
fn sumo(root: &Path) -> Outcome {
    install(root, SUMO, "peers/sumo/requirements.txt")
}

/// Installs packages in a Python environment of their own.
fn install(root: &Path, environment: &str, requirements: &str) -> Outcome {
    if !is_installed("python3", root) {
        return Outcome::Skipped("needs Python 3 with its module venv".into());
    }
    let python = python(root, environment);
    if !python.is_file() && Process::new("python3", &["-m", "venv", environment], root).run() != Outcome::Passed {
        return Outcome::Skipped("needs Python's module venv; on Debian run: apt-get install python3-venv".into());
    }
    let install = ["-m", "pip", "install", "--quiet", "--requirement", requirements];
    if Process::new(&python, &install, root).run() != Outcome::Passed {
        return Outcome::Skipped("a package could not be installed: it needs the network once".into());
    }
    Outcome::Passed
}

/// The interpreter of an environment.
fn python(root: &Path, environment: &str) -> PathBuf {
    root.join(environment).join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
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
    report.step_with_tests("peers: arviz", |counts| arviz(root, counts));
}

/// Where ArviZ is installed, beside the other peers.
const ARVIZ: &str = "peers/target/arviz";

/// Opens our traces with the real package, in a Python environment of its own.
fn arviz(root: &Path, counts: &mut TestCounts) -> Outcome {
    let installed = install(root, ARVIZ, "peers/arviz/requirements.txt");
    if installed != Outcome::Passed {
        return installed;
    }
    let python = python(root, ARVIZ);
    let test = ["test", "--package=proscenium-direct", "--test=arviz", "--locked"];
    Process::cargo(&test, root).with("PROSCENIUM_ARVIZ", &python.to_string_lossy()).run_counting(counts)
}
