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
    match Process::cargo(&["build", "--release", "--locked", MANIFEST, TARGET], root).run() {
        Outcome::Passed => {}
        failed => return failed,
    }
    sumo(root);
    cma(root)
}

/// Where SUMO is installed, beside the other peers.
const SUMO: &str = "peers/target/sumo";

/// Installs SUMO in a Python environment of its own. Without Python or the
/// network the lab does without it.
fn sumo(root: &Path) {
    if let Err(reason) = environment(root, SUMO, "peers/sumo/requirements.txt") {
        println!("SUMO is left out: {reason}");
    }
}

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

/// A Python environment in a folder with what a file requires: its interpreter,
/// or why there is none.
fn environment(root: &Path, folder: &str, requirements: &str) -> Result<PathBuf, String> {
    if !is_installed("python3", root) {
        return Err("needs Python 3 with its module venv".into());
    }
    let python = root.join(folder).join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !python.is_file() && Process::new("python3", &["-m", "venv", folder], root).run() != Outcome::Passed {
        return Err("needs Python's module venv; on Debian run: apt-get install python3-venv".into());
    }
    let install = ["-m", "pip", "install", "--quiet", "--requirement", requirements];
    if Process::new(&python, &install, root).run() != Outcome::Passed {
        return Err(format!("{requirements} could not be installed: it needs the network once"));
    }
    Ok(python)
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
    let python = match environment(root, ARVIZ, "peers/arviz/requirements.txt") {
        Ok(python) => python,
        Err(reason) => return Outcome::Skipped(reason),
    };
    let test = ["test", "--package=proscenium-direct", "--test=arviz", "--locked"];
    Process::cargo(&test, root).with("PROSCENIUM_ARVIZ", &python.to_string_lossy()).run_counting(counts)
}
