//! The Python package: its wheel in an environment of its own, and its tests.

use std::path::{Path, PathBuf};

use crate::process::{Process, is_installed};
use crate::report::{Outcome, TestCounts};
use crate::setup::{Installer, installer};

/// Where the tests install it.
const ENVIRONMENT: &str = "target/python";
/// What its build and its tests need.
const REQUIREMENTS: &str = "python/requirements.txt";

/// What its tests on clusters need besides.
const RAY: &str = "peers/ray/requirements.txt";

/// Builds the package as users do, installs it, and runs its tests against it.
pub fn test(root: &Path, counts: &mut TestCounts) -> Outcome {
    if let Err(reason) = interpreter(root) {
        return Outcome::Skipped(reason);
    }
    let python = match environment(root, ENVIRONMENT, REQUIREMENTS) {
        Ok(python) => python,
        Err(reason) => return Outcome::Skipped(reason),
    };
    let folder = root.join("python");
    match install(root, &python, ENVIRONMENT) {
        Outcome::Passed => {}
        failed => return failed,
    }
    let command = target(root).join("debug").join(format!("proscenium{}", std::env::consts::EXE_SUFFIX));
    let tests = Process::new(&python, &["-m", "pytest", "--quiet", "-p", "no:cacheprovider"], &folder);
    // With the variable set, files are compared with the command's.
    let tests = if command.is_file() { tests.with("PROSCENIUM_COMMAND", &command.to_string_lossy()) } else { tests };
    // Ray comes for some versions of Python and some machines only, and the package does without it.
    let tests = match environment(root, ENVIRONMENT, RAY) {
        Ok(_) => tests.with("PROSCENIUM_RAY", "two workers"),
        Err(reason) => {
            println!("the tests on Ray are skipped: {reason}");
            tests
        }
    };
    tests.run_counting(counts)
}

/// The longer tests on clusters of Ray, where workers, nodes and drivers are killed.
pub fn test_with_ray(root: &Path, counts: &mut TestCounts) -> Outcome {
    let folder = "peers/target/ray";
    let python = match environment(root, folder, RAY) {
        Ok(python) => python,
        Err(reason) => return Outcome::Skipped(reason),
    };
    match install(root, &python, folder) {
        Outcome::Passed => {}
        failed => return failed,
    }
    let tests = ["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "tests/test_cluster.py", "-k", "ray"];
    Process::new(&python, &tests, &root.join("python")).with("PROSCENIUM_RAY", "all").run_counting(counts)
}

/// The notebook that opens a result in Blender, in an environment that has Blender as a module.
pub fn test_in_blender(root: &Path, counts: &mut TestCounts) -> Outcome {
    let folder = "peers/target/blender";
    let python = match environment(root, folder, "peers/blender/requirements.txt")
        .and_then(|_| environment(root, folder, REQUIREMENTS))
    {
        Ok(python) => python,
        Err(reason) => return Outcome::Skipped(reason),
    };
    match install(root, &python, folder) {
        Outcome::Passed => {}
        failed => return failed,
    }
    let tests = ["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "tests/test_notebooks.py", "-k", "blender"];
    Process::new(&python, &tests, &root.join("python")).run_counting(counts)
}

/// Builds the package and installs it in an environment.
fn install(root: &Path, python: &Path, environment: &str) -> Outcome {
    // The profile of all tests: what is promised of the bytes holds in any.
    let build = ["-m", "maturin", "develop", "--profile", "dev", "--locked"];
    Process::new(python, &build, &root.join("python"))
        .with("VIRTUAL_ENV", &root.join(environment).to_string_lossy())
        .with("CARGO_TARGET_DIR", &target(root).to_string_lossy())
        .run()
}

/// Python with what makes environments, from Debian where it is missing.
fn interpreter(root: &Path) -> Result<(), String> {
    let is_ready = || Process::new("python3", &["-c", "import ensurepip, venv"], root).succeeds();
    if !is_ready() && installer(root) == Installer::Apt {
        println!("Python is missing: installing the Debian packages python3 and python3-venv");
        for arguments in [&["update"][..], &["install", "-y", "--no-install-recommends", "python3", "python3-venv"]] {
            // What does not work out is told below.
            let _ = Process::new("apt-get", arguments, root).with("DEBIAN_FRONTEND", "noninteractive").run();
        }
    }
    if !is_ready() {
        return Err("needs Python 3.10 or newer with venv; on Debian run: sudo apt-get install python3-venv".into());
    }
    Ok(())
}

/// A Python environment in a folder with what a file requires: its interpreter,
/// or why there is none.
pub fn environment(root: &Path, folder: &str, requirements: &str) -> Result<PathBuf, String> {
    if !is_installed("python3", root) {
        return Err("needs Python 3 with its module venv".into());
    }
    let python = root.join(folder).join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !python.is_file() && Process::new("python3", &["-m", "venv", folder], root).run() != Outcome::Passed {
        return Err("needs Python's module venv; on Debian run: apt-get install python3-venv".into());
    }
    let install = ["-m", "pip", "install", "--quiet", "--requirement", requirements];
    if Process::new(&python, &install, root).run() != Outcome::Passed {
        return Err(format!(
            "{requirements} could not be installed: it needs the network once, and a Python that it was built for"
        ));
    }
    Ok(python)
}

/// Where cargo puts what it builds.
pub fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}
