//! The programs that the lab compares with. They are a workspace of their own,
//! with a target folder of their own, where the lab looks for them.

use std::path::Path;

use crate::process::{Process, is_installed};
use crate::report::{Outcome, Report, TestCounts};

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
    for package in &PACKAGES {
        report.step_with_tests(package.step, |counts| package.test(root, counts));
    }
}

/// A Python package that opens what we write, in an environment of its own.
struct Package {
    step: &'static str,
    /// What it is called in a sentence.
    name: &'static str,
    /// Its folder in `peers`, with `requirements.txt` and the script that the
    /// test runs.
    folder: &'static str,
    /// How the test is told which Python to run.
    variable: &'static str,
    /// The package and the test of ours.
    test: [&'static str; 2],
}

const PACKAGES: [Package; 3] = [
    Package {
        step: "peers: arviz",
        name: "ArviZ",
        folder: "arviz",
        variable: "PROSCENIUM_ARVIZ",
        test: ["--package=proscenium-direct", "--test=arviz"],
    },
    Package {
        step: "peers: usd",
        name: "USD",
        folder: "usd",
        variable: "PROSCENIUM_USD",
        test: ["--package=proscenium-ensemble", "--test=usd"],
    },
    Package {
        step: "peers: blender",
        name: "Blender as a module",
        folder: "blender",
        variable: "PROSCENIUM_BLENDER",
        test: ["--package=proscenium-ensemble", "--test=blender"],
    },
];

impl Package {
    /// Installs the package beside the other peers, and runs the test with it.
    fn test(&self, root: &Path, counts: &mut TestCounts) -> Outcome {
        if !is_installed("python3", root) {
            return Outcome::Skipped("needs Python 3 with its module venv".into());
        }
        let environment = format!("peers/target/{}", self.folder);
        let python = root.join(&environment).join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        if !python.is_file() && Process::new("python3", &["-m", "venv", &environment], root).run() != Outcome::Passed {
            return Outcome::Skipped("needs Python's module venv; on Debian run: apt-get install python3-venv".into());
        }
        let requirements = format!("peers/{}/requirements.txt", self.folder);
        let install = ["-m", "pip", "install", "--quiet", "--requirement", &requirements];
        if Process::new(&python, &install, root).run() != Outcome::Passed {
            return Outcome::Skipped(format!(
                "{} could not be installed: it needs the network once, and a Python that it was built for",
                self.name
            ));
        }
        let test = ["test", self.test[0], self.test[1], "--locked"];
        Process::cargo(&test, root).with(self.variable, &python.to_string_lossy()).run_counting(counts)
    }
}
