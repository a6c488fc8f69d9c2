//! What the tests need beyond a Rust toolchain: installed where that is our
//! business, and asked for where it is not.

use std::path::Path;

use crate::process::{Process, is_installed};
use crate::report::Outcome;

/// The folder with the pinned Node packages.
const NODE_FOLDER: &str = "xtask/node";

/// What someone who is not root has to run.
const NODE_REMEDY: &str = "sudo apt-get install -y nodejs npm";

/// rustfmt and clippy, by rustup where they are missing.
pub fn toolchain(root: &Path) -> Outcome {
    let missing: Vec<&str> = [("fmt", "rustfmt"), ("clippy", "clippy")]
        .into_iter()
        .filter(|(command, _)| !Process::cargo(&[command, "--version"], root).succeeds())
        .map(|(_, component)| component)
        .collect();
    if missing.is_empty() {
        println!("rustfmt and clippy are present");
        return Outcome::Passed;
    }
    println!("installing {} with rustup", missing.join(" and "));
    Process::new("rustup", &[&["component", "add"], missing.as_slice()].concat(), root).run()
}

/// Node and the packages that tests run in it.
pub fn node(root: &Path) -> Outcome {
    let folder = root.join(NODE_FOLDER);
    if !folder.join("package-lock.json").is_file() {
        return Outcome::Skipped(format!("{NODE_FOLDER}/package-lock.json is missing"));
    }
    let present = is_installed("node", root) && is_installed("npm", root);
    match plan(present, installer(root)) {
        NodePlan::Packages => {}
        NodePlan::Node => {
            println!("Node is missing: installing the Debian packages nodejs and npm");
            for arguments in [&["update"][..], &["install", "-y", "nodejs", "npm"]] {
                let outcome = Process::new("apt-get", arguments, root).with("DEBIAN_FRONTEND", "noninteractive").run();
                if outcome != Outcome::Passed {
                    return outcome;
                }
            }
        }
        NodePlan::Ask => {
            println!("Node is missing. To run the tests that need it, first run:\n\n  {NODE_REMEDY}\n");
            return Outcome::Skipped(format!("needs Node; run: {NODE_REMEDY}"));
        }
    }
    println!("installing the pinned npm packages in {NODE_FOLDER}/node_modules");
    Process::new("npm", &["ci", "--prefer-offline", "--no-audit", "--no-fund"], &folder).run()
}

/// By what system packages can be installed here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Installer {
    /// By apt, since we are root.
    Apt,
    /// Not at all.
    None,
}

/// System packages are installed only by root, and only by apt.
pub fn installer(root: &Path) -> Installer {
    if is_root(root) && is_installed("apt-get", root) { Installer::Apt } else { Installer::None }
}

#[derive(Debug, PartialEq)]
enum NodePlan {
    /// Node is there: only its packages are needed.
    Packages,
    /// Install Node first.
    Node,
    /// Say what to run.
    Ask,
}

fn plan(present: bool, installer: Installer) -> NodePlan {
    match (present, installer) {
        (true, _) => NodePlan::Packages,
        (false, Installer::Apt) => NodePlan::Node,
        (false, Installer::None) => NodePlan::Ask,
    }
}

fn is_root(root: &Path) -> bool {
    // The standard library does not tell the user's number.
    Process::new("sh", &["-c", "test \"$(id -u)\" = 0"], root).succeeds()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_packages_are_installed_only_by_root_and_only_when_missing() {
        assert_eq!(plan(true, Installer::Apt), NodePlan::Packages);
        assert_eq!(plan(true, Installer::None), NodePlan::Packages);
        assert_eq!(plan(false, Installer::Apt), NodePlan::Node);
        assert_eq!(plan(false, Installer::None), NodePlan::Ask);
    }

    #[test]
    fn a_checkout_without_the_lock_file_says_so() {
        let elsewhere = std::env::temp_dir();
        assert!(matches!(node(&elsewhere), Outcome::Skipped(why) if why.contains("package-lock.json")));
    }
}
