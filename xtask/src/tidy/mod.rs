//! The rules of the code base that no compiler checks.
//!
//! Every check is a function of a [`Tree`], the text of the checkout in
//! memory, so that its tests are strings.

mod architecture;
mod arrows;
mod decisions;
mod layers;
mod links;
mod manifests;
mod outside_world;
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use crate::report::Outcome;

pub use arrows::ARROWS;
pub use layers::Layer;

/// Folders that hold what is built or installed, at any depth.
const SKIPPED_FOLDERS: &[&str] = &[".git", "dist", "node_modules", "shots", "target"];

/// Folders that hold results, at the root only.
const SKIPPED_AT_ROOT: &[&str] = &["out", "results"];

/// Extensions of files that are read; of others only the path is known.
const TEXT: &[&str] = &["css", "html", "js", "json", "lock", "md", "mjs", "rs", "sh", "toml", "ts", "yaml", "yml"];

/// The paths of a checkout and the text of its text files. Paths are relative
/// to the root and separated by `/`.
#[derive(Default)]
pub struct Tree {
    texts: BTreeMap<String, String>,
    paths: BTreeSet<String>,
}

impl Tree {
    /// Reads a checkout.
    fn read(root: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        tree.read_folder(root, "")?;
        Ok(tree)
    }

    fn read_folder(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            let kind = entry.file_type()?;
            if kind.is_dir() {
                let skipped = SKIPPED_FOLDERS.contains(&name.as_str())
                    || prefix.is_empty() && SKIPPED_AT_ROOT.contains(&name.as_str());
                if !skipped {
                    self.read_folder(&entry.path(), &format!("{path}/"))?;
                    self.paths.insert(path);
                }
            } else {
                if kind.is_file() && is_text(&name) {
                    // A file that is not UTF-8 is not text, whatever its name.
                    if let Ok(text) = String::from_utf8(fs::read(entry.path())?) {
                        self.texts.insert(path.clone(), text);
                    }
                }
                self.paths.insert(path);
            }
        }
        Ok(())
    }

    /// A tree of the given files, with the folders above them.
    #[cfg(test)]
    fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.texts.insert((*path).to_string(), (*text).to_string());
            let mut path = *path;
            tree.paths.insert(path.to_string());
            while let Some((folder, _)) = path.rsplit_once('/') {
                tree.paths.insert(folder.to_string());
                path = folder;
            }
        }
        tree
    }

    fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    fn exists(&self, path: &str) -> bool {
        self.paths.contains(path.trim_end_matches('/'))
    }

    /// Text files whose path ends as given.
    fn texts_ending(&self, end: &'static str) -> impl Iterator<Item = (&str, &str)> {
        let all = self.texts.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        all.filter(move |(path, _)| path.ends_with(end))
    }
}

fn is_text(name: &str) -> bool {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => TEXT.contains(&extension),
        // Scripts and licences have no extension.
        _ => true,
    }
}

/// Something that breaks a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The file, with a line where there is one.
    place: String,
    /// What is wrong and what would be right.
    message: String,
}

impl Finding {
    fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    fn at_line(path: &str, line_index: usize, message: impl Into<String>) -> Self {
        Self::new(format!("{path}:{}", line_index + 1), message)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.message)
    }
}

/// Reads the checkout, prints what breaks a rule, and fails if anything does.
pub fn run(root: &Path) -> Outcome {
    let tree = match Tree::read(root) {
        Ok(tree) => tree,
        Err(error) => return Outcome::Failed(format!("the checkout could not be read: {error}")),
    };
    for finding in sources::long_files(&tree) {
        println!("warning: {finding}");
    }
    let findings = check(&tree);
    for finding in &findings {
        println!("error: {finding}");
    }
    match findings.len() {
        0 => Outcome::Passed,
        1 => Outcome::Failed("1 rule broken".into()),
        count => Outcome::Failed(format!("{count} rules broken")),
    }
}

/// Every check whose findings are errors.
fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    match manifests::read(tree) {
        Ok(members) => {
            findings.extend(arrows::check(&members));
            findings.extend(manifests::check_lints(&members));
        }
        Err(finding) => findings.push(finding),
    }
    findings.extend(sources::missing_crate_docs(tree));
    findings.extend(sources::unfinished_code(tree));
    findings.extend(sources::outside_references(tree));
    findings.extend(outside_world::check(tree));
    findings.extend(layers::check_table());
    findings.extend(layers::check_page(tree));
    findings.extend(architecture::check(tree));
    findings.extend(decisions::check(tree));
    findings.extend(links::check(tree));
    findings.extend(links::check_summary(tree));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_checkout_can_be_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let tree = Tree::read(&root).unwrap();
        assert!(tree.exists("xtask/src/tidy/mod.rs"));
        assert!(tree.exists("crates/"));
        assert!(!tree.exists("target"));
        assert!(tree.text("Cargo.toml").unwrap().contains("[workspace]"));
        assert!(manifests::read(&tree).unwrap().iter().any(|member| member.name == "xtask"));
    }

    #[test]
    fn files_are_told_from_pictures_by_name() {
        for text in ["lib.rs", "Cargo.lock", "run", "LICENSE-MIT", ".gitignore"] {
            assert!(is_text(text), "{text}");
        }
        for other in ["a.png", "b.glb", "c.svg"] {
            assert!(!is_text(other), "{other}");
        }
    }
}
