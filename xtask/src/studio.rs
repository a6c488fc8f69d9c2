//! `cargo xtask studio`: builds what the studio needs, serves it, and opens the
//! page; and the studio's own checks.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::process::{Process, is_installed};
use crate::report::Outcome;
use crate::setup::{Installer, installer};
use crate::test::WORKSPACE_TESTS;

/// The folder of the pages.
const FOLDER: &str = "web";
/// What the pages are built from.
const SOURCES: &[&str] = &["src", "public", "index.html", "package-lock.json", "vite.config.ts", "tsconfig.json"];
/// What someone who is not root has to run.
const CHROMIUM_REMEDY: &str = "sudo apt-get install -y chromium";
const NODE_REMEDY: &str = "install Node 20 or newer with npm, from nodejs.org or by your package manager";

/// Builds the studio and serves it until it is stopped.
pub fn serve(root: &Path, options: &[String]) -> Outcome {
    let folder = root.join(FOLDER);
    if !is_installed("npm", &folder) {
        return Outcome::Failed(format!("the studio's pages need Node: {NODE_REMEDY}"));
    }
    print!("  building the studio (first time: a few minutes) … ");
    flush();
    for step in [packages_quietly(&folder), pages_quietly(&folder), program_quietly(root)] {
        if step != Outcome::Passed {
            return step;
        }
    }
    println!("done");
    let mut arguments = vec!["--open"];
    if !options.iter().any(|option| option.starts_with("--results")) {
        // Where `cargo lab` writes too.
        arguments.extend(["--results", "results"]);
    }
    arguments.extend(options.iter().map(String::as_str));
    Process::new(program(root, "release"), &arguments, root).run_plainly()
}

fn flush() {
    use std::io::Write;
    // A terminal that cannot be written to misses a word.
    let _ = std::io::stdout().flush();
}

fn packages_quietly(folder: &Path) -> Outcome {
    let installed = newest(&folder.join("node_modules/.package-lock.json"));
    if installed > newest(&folder.join("package-lock.json")) {
        return Outcome::Passed;
    }
    Process::new("npm", &["ci", "--prefer-offline", "--no-audit", "--no-fund"], folder).run_quietly()
}

fn pages_quietly(folder: &Path) -> Outcome {
    let sources = SOURCES.iter().map(|name| newest(&folder.join(name))).max().flatten();
    if newest(&folder.join("dist/index.html")) > sources {
        return Outcome::Passed;
    }
    Process::new("npm", &["run", "build"], folder).run_quietly()
}

/// The studio, and the lab that it runs.
fn program_quietly(root: &Path) -> Outcome {
    let packages = ["--package=proscenium-studio", "--package=proscenium-lab"];
    Process::cargo(&[&["build", "--release"], &packages[..]].concat(), root).run_quietly()
}

/// When a file, or the newest one in a folder, was changed; `None` if there is
/// none.
fn newest(path: &Path) -> Option<SystemTime> {
    let own = std::fs::metadata(path).ok()?.modified().ok();
    let inner = std::fs::read_dir(path).into_iter().flatten().flatten().filter_map(|entry| newest(&entry.path()));
    inner.chain(own).max()
}

/// Installs the packages of the pages, checks their types and builds them.
pub fn pages(root: &Path) -> Outcome {
    let folder = root.join(FOLDER);
    if !is_installed("npm", &folder) {
        return Outcome::Skipped(format!("needs Node: {NODE_REMEDY}"));
    }
    match Process::new("npm", &["ci", "--prefer-offline", "--no-audit", "--no-fund"], &folder).run() {
        Outcome::Passed => Process::new("npm", &["run", "build"], &folder).run(),
        failed => failed,
    }
}

/// Whether there are pages, a browser, and a server to drive them with.
pub fn browser_is_ready(root: &Path, pages: &Outcome) -> Outcome {
    if *pages != Outcome::Passed {
        return Outcome::Skipped("the pages were not built".into());
    }
    if !is_installed("chromium", root) {
        if installer(root) == Installer::None {
            return Outcome::Skipped(format!("needs Chromium; run: {CHROMIUM_REMEDY}"));
        }
        println!("Chromium is missing: installing the Debian package");
        for arguments in [&["update"][..], &["install", "-y", "--no-install-recommends", "chromium"]] {
            let outcome = Process::new("apt-get", arguments, root).with("DEBIAN_FRONTEND", "noninteractive").run();
            if outcome != Outcome::Passed {
                return outcome;
            }
        }
    }
    // Built before, so that the browser does not wait for a compiler, and as the
    // tests build it: alone it would have other features, and most of it be built again.
    Process::cargo(&[&WORKSPACE_TESTS[..], &["--no-run"]].concat(), root).run()
}

/// Drives every page in a browser, against the real server. Also what it says.
pub fn browser(root: &Path) -> (Outcome, String) {
    Process::new("npm", &["run", "e2e"], &root.join(FOLDER))
        .with("STUDIO_PROGRAM", &program(root, "debug").to_string_lossy())
        .run_captured()
}

/// Where cargo puts the studio of a profile.
fn program(root: &Path, profile: &str) -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    root.join(folder).join(profile).join(format!("proscenium-studio{}", std::env::consts::EXE_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_file_of_a_folder_counts() {
        let sources = newest(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
        assert!(sources >= newest(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main.rs")));
        assert_eq!(newest(Path::new("no-such-file")), None);
    }
}
