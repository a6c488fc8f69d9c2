//! `cargo xtask site`: a folder that any static host can serve: pages to play with, the
//! book, and the documentation.
//!
//! Everything in it is a file, and every link is relative, so that it may lie anywhere.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::process::Process;
use crate::report::{Outcome, Report};
use crate::{book, npm, test};

/// Where it is written.
const FOLDER: &str = "target/site";
/// What of three.js the pages load.
const THREE: [&str; 6] = [
    "build/three.module.js",
    "build/three.core.js",
    "examples/jsm/loaders/GLTFLoader.js",
    "examples/jsm/geometries/RoundedBoxGeometry.js",
    "examples/jsm/utils/BufferGeometryUtils.js",
    "examples/jsm/utils/SkeletonUtils.js",
];
/// What of the package pages have no use for.
const NOT_FOR_PAGES: [&str; 1] = ["node"];

/// Builds all parts, and puts them together.
pub fn build(root: &Path, report: &mut Report) {
    let mut package = Outcome::Passed;
    report.step("npm", || {
        package = npm::build(root);
        package.clone()
    });
    report.step("book", || book::build(root));
    report.step("documentation", || test::documentation(root));
    report.step("site", || match &package {
        Outcome::Passed => assemble(root),
        Outcome::Skipped(why) | Outcome::Failed(why) => Outcome::Skipped(format!("needs the package: {why}")),
    });
}

fn assemble(root: &Path) -> Outcome {
    let site = root.join(FOLDER);
    let parts = || -> io::Result<()> {
        let _ = fs::remove_dir_all(&site);
        copy(&root.join("npm/site"), &site, &["prepare.mjs"])?;
        copy(&root.join("npm/dist"), &site.join("proscenium"), &NOT_FOR_PAGES)?;
        for file in THREE {
            let to = site.join("three").join(file);
            fs::create_dir_all(to.parent().unwrap_or(&site))?;
            fs::copy(root.join("npm/node_modules/three").join(file), to)?;
        }
        copy(&root.join("target/book"), &site.join("book"), &[])?;
        copy(&root.join("target/doc"), &site.join("doc"), &[])
    };
    if let Err(error) = parts() {
        return Outcome::Failed(format!("{FOLDER}: {error}"));
    }
    let data = site.join("data");
    match Process::new("node", &["site/prepare.mjs", &data.to_string_lossy()], &root.join("npm")).run() {
        Outcome::Passed => {}
        other => return other,
    }
    let missing = missing_links(&site);
    if missing.is_empty() {
        println!("the site is in {FOLDER}: give that folder to any static host");
        Outcome::Passed
    } else {
        Outcome::Failed(format!("{FOLDER} links to what is not there: {}", missing.join(", ")))
    }
}

/// Copies a folder, without some of its entries.
fn copy(from: &Path, to: &Path, without: &[&str]) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if without.iter().any(|without| name.to_string_lossy() == **without) {
            continue;
        }
        let (from, to) = (entry.path(), to.join(&name));
        match entry.file_type()?.is_dir() {
            true => copy(&from, &to, &[])?,
            false => fs::copy(&from, &to).map(|_| ())?,
        }
    }
    Ok(())
}

/// What the pages at the top link to, and is not there.
fn missing_links(site: &Path) -> Vec<String> {
    let pages = fs::read_dir(site).into_iter().flatten().flatten().map(|entry| entry.path());
    let pages = pages.filter(|path| path.extension().is_some_and(|ending| ending == "html" || ending == "js"));
    let mut pages: Vec<PathBuf> = pages.collect();
    pages.sort();
    let is_missing = |link: &String| !site.join(link).is_file();
    pages.iter().flat_map(|page| links(&fs::read_to_string(page).unwrap_or_default())).filter(is_missing).collect()
}

/// The files that a page names: between quotes, relative, and with an ending.
fn links(page: &str) -> Vec<String> {
    let named = page.split(['"', '\'']);
    let is_file = |text: &&str| {
        let ending = [".html", ".js", ".css"].iter().any(|ending| text.ends_with(ending));
        ending && !text.contains("://") && !text.contains(char::is_whitespace)
    };
    let bare = |text: &str| text.trim_start_matches("./").to_owned();
    named.filter(is_file).map(bare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_a_page_are_found_and_those_elsewhere_left_out() {
        let page = r#"<a href="dice.html">it is "not a link"</a> <script src="./page.js"> "https://x.org/a.js" 'book/index.html'"#;
        assert_eq!(links(page), ["dice.html", "page.js", "book/index.html"]);
        let script = r#"import { roll } from "proscenium/dice.js"; const names = ["a", "b c.html"];"#;
        assert_eq!(links(script), ["proscenium/dice.js"]);
    }

    #[test]
    fn a_folder_is_copied_without_what_is_left_out() {
        let folder = std::env::temp_dir().join(format!("proscenium-site-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        fs::create_dir_all(from.join("in")).unwrap();
        for file in ["a.html", "b.mjs", "in/c.js"] {
            fs::write(from.join(file), file).unwrap();
        }
        copy(&from, &to, &["b.mjs"]).unwrap();
        let there = ["a.html", "b.mjs", "in/c.js"].map(|file| to.join(file).is_file());
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(there, [true, false, true]);
    }
}
