//! The programs that the lab compares with. They are a workspace of their own,
//! with a target folder of their own, where the lab looks for them.

use std::path::Path;

use crate::process::Process;
use crate::python::{self, environment};
use crate::report::{Outcome, Report, TestCounts};

/// Always this folder, whatever `CARGO_TARGET_DIR` says: the lab looks here.
const TARGET: &str = "--target-dir=peers/target";
const MANIFEST: &str = "--manifest-path=peers/Cargo.toml";

/// Builds every peer, optimised.
pub fn build(root: &Path) -> Outcome {
    println!("building the peers (first time: a few minutes) into peers/target/release");
    if let Err(reason) = environment(root, SUMO, "peers/sumo/requirements.txt") {
        println!("SUMO is left out: {reason}");
    }
    match Process::cargo(&["build", "--release", "--locked", MANIFEST, TARGET], root).run() {
        Outcome::Passed => cma(root),
        failed => failed,
    }
}

/// Where SUMO is installed, beside the other peers.
const SUMO: &str = "peers/target/sumo";

/// Where CMA-ES is installed, and the program that the lab starts.
const CMA: &str = "peers/target/cma";
const CMA_PROGRAM: &str = "peers/target/release/peer-cma";

/// Installs CMA-ES in a Python environment of its own. Without Python or the
/// network the lab does without it.
fn cma(root: &Path) -> Outcome {
    let python = match environment(root, CMA, "peers/cma/requirements.txt") {
        Ok(python) => python,
        Err(reason) => {
            println!("CMA-ES is left out: {reason}");
            return Outcome::Passed;
        }
    };
    let text = format!("#!/bin/sh\nexec '{}' '{}'\n", python.display(), root.join("peers/cma/ask_tell.py").display());
    let program = root.join(CMA_PROGRAM);
    let written = std::fs::write(&program, text).and_then(|()| make_executable(&program));
    written.map_or_else(|error| Outcome::Failed(format!("cannot write {CMA_PROGRAM}: {error}")), |()| Outcome::Passed)
}

#[cfg(unix)]
fn make_executable(program: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
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
    for package in &PACKAGES {
        report.step_with_tests(package.step, |counts| package.test(root, counts));
    }
    report.step("peers: examples for pages", || examples(root));
    report.step_with_tests("peers: notebook in blender", |counts| python::test_in_blender(root, counts));
    report.step_with_tests("peers: ray", |counts| python::test_with_ray(root, counts));
}

/// Builds the examples of the package for pages as strangers do, and opens them in Chromium.
fn examples(root: &Path) -> Outcome {
    if !root.join("npm/dist/dice.js").is_file() {
        return Outcome::Skipped("needs the package: cargo xtask npm".into());
    }
    Process::new("node", &["examples/test.mjs"], &root.join("npm")).run()
}

/// A Python package that opens what we write, in an environment of its own.
struct Package {
    step: &'static str,
    /// Its folder in `peers`, with `requirements.txt` and the script that the
    /// test runs.
    folder: &'static str,
    /// How the test is told which Python to run.
    variable: &'static str,
    /// The package of ours, and which of its tests.
    test: [&'static str; 2],
}

const PACKAGES: [Package; 4] = [
    Package {
        step: "peers: arviz",
        folder: "arviz",
        variable: "PROSCENIUM_ARVIZ",
        test: ["--package=proscenium-direct", "arviz::"],
    },
    Package {
        step: "peers: usd",
        folder: "usd",
        variable: "PROSCENIUM_USD",
        test: ["--package=proscenium-ensemble", "usd::"],
    },
    Package {
        step: "peers: blender",
        folder: "blender",
        variable: "PROSCENIUM_BLENDER",
        test: ["--package=proscenium-ensemble", "blender::"],
    },
    Package {
        step: "peers: blender, baked",
        folder: "blender",
        variable: "PROSCENIUM_BLENDER",
        test: ["--package=proscenium-cli", "that_blender_baked"],
    },
];

impl Package {
    /// Installs the package beside the other peers, and runs the test with it.
    fn test(&self, root: &Path, counts: &mut TestCounts) -> Outcome {
        let folder = format!("peers/target/{}", self.folder);
        let python = match environment(root, &folder, &format!("peers/{}/requirements.txt", self.folder)) {
            Ok(python) => python,
            Err(reason) => return Outcome::Skipped(reason),
        };
        let test = ["test", self.test[0], "--test=all", "--locked", self.test[1]];
        Process::cargo(&test, root).with(self.variable, &python.to_string_lossy()).run_counting(counts)
    }
}
