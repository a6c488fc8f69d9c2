//! What has no machine below it does not reach for one: engines, and all that
//! must run in a browser, use no files, no clock, no threads and no processes
//! but through `work`.
//!
//! Only what the crate itself does counts: comments, and the tests at the end of
//! a file, may do as they like.

use super::layers::{self, Layer};
use super::{Finding, Tree};

/// A word of the standard library or of another crate that reaches outside.
struct Reach {
    word: &'static str,
    /// What to do instead.
    instead: &'static str,
    /// Whether it is only kept from engines.
    engines_only: bool,
}

const FILES: &str = "take bytes, or a `work::Store` with a name";
const CLOCK: &str = "count work, or let the caller bring a clock";
const THREADS: &str = "use `work::parallel`";
const MACHINE: &str = "be given what you need";

const REACHES: &[Reach] = &[
    Reach { word: "std::fs", instead: FILES, engines_only: false },
    Reach { word: "fs::", instead: FILES, engines_only: false },
    Reach { word: "File::", instead: FILES, engines_only: false },
    Reach { word: "OpenOptions", instead: FILES, engines_only: false },
    Reach { word: "std::path", instead: FILES, engines_only: true },
    Reach { word: "PathBuf", instead: FILES, engines_only: true },
    Reach { word: "std::time", instead: CLOCK, engines_only: false },
    Reach { word: "Instant", instead: CLOCK, engines_only: false },
    Reach { word: "SystemTime", instead: CLOCK, engines_only: false },
    Reach { word: "std::thread", instead: THREADS, engines_only: false },
    Reach { word: "thread::", instead: THREADS, engines_only: false },
    Reach { word: "rayon", instead: THREADS, engines_only: false },
    Reach { word: "std::process", instead: MACHINE, engines_only: false },
    Reach { word: "process::", instead: MACHINE, engines_only: false },
    Reach { word: "std::env", instead: MACHINE, engines_only: false },
    Reach { word: "std::net", instead: MACHINE, engines_only: false },
];

/// Crates above the engines that must run in a browser too.
const ALSO: &[&str] = &["scenes", "study", "picture", "show"];

/// The one crate below that does these things for the others.
const EXCEPT: &str = "work";

/// Lines of sources that reach outside where nothing may.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts_ending(".rs") {
        let Some((folder, _)) = path.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/")) else {
            continue;
        };
        let layer = layers::of_folder(folder);
        let bound = layer <= Some(Layer::Engines) && layer.is_some() || ALSO.contains(&folder);
        if !bound || folder == EXCEPT {
            continue;
        }
        let reaches = REACHES.iter().filter(|reach| !reach.engines_only || layer == Some(Layer::Engines));
        let reaches: Vec<&Reach> = reaches.collect();
        for (index, line) in code_lines(text) {
            // One finding is enough for a line.
            if let Some(reach) = reaches.iter().find(|reach| has_word(line, reach.word)) {
                let message = format!("`{}` reaches outside of `{folder}`: {}", reach.word, reach.instead);
                findings.push(Finding::at_line(path, index, message));
            }
        }
    }
    findings
}

/// The lines of a file that are neither comments nor its tests.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let tests = |line: &str| line.trim_start().starts_with("#[cfg(test)]");
    let lines = text.lines().enumerate().take_while(move |(_, line)| !tests(line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Whether a line has a word that is not the end or the start of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let part_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(part_of_name) && (word.ends_with(':') || !after.is_some_and(part_of_name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|finding| finding.place).collect()
    }

    #[test]
    fn an_engine_that_reaches_outside_is_found_with_its_line() {
        let code = "use std::fmt;\nuse std::fs;\n\nfn f() {\n    let start = Instant::now();\n}\n";
        assert_eq!(places("crates/rigid/src/a.rs", code), ["crates/rigid/src/a.rs:2", "crates/rigid/src/a.rs:5"]);
        assert_eq!(places("crates/cull/src/b/c.rs", "use rayon::prelude::*;\n").len(), 1);
        assert_eq!(places("crates/city/src/d.rs", "use std::{fs, io};\nfs::read(p)\n").len(), 1);
    }

    #[test]
    fn comments_tests_and_longer_words_are_left_alone() {
        let code = "//! As `std::fs` does.\n/// Not rayon.\nlet defs::A = Profile::new(crayon);\n\
                    #[cfg(test)]\nmod tests { use std::thread; }\n";
        assert_eq!(places("crates/lod/src/a.rs", code), [""; 0]);
    }

    #[test]
    fn scenes_and_pictures_may_speak_of_paths_but_not_follow_them() {
        for folder in ["scenes", "picture", "clip"] {
            assert_eq!(places(&format!("crates/{folder}/src/a.rs"), "use std::path::Path;\n"), [""; 0]);
            assert_eq!(places(&format!("crates/{folder}/src/a.rs"), "std::fs::read(path)\n").len(), 1);
        }
        assert_eq!(places("crates/rigid/src/a.rs", "use std::path::Path;\n").len(), 1);
    }

    #[test]
    fn what_has_a_machine_below_it_may_use_it() {
        for path in ["crates/work/src/a.rs", "crates/gallery/src/a.rs", "apps/cli/src/a.rs", "crates/rigid/tests/a.rs"]
        {
            assert_eq!(places(path, "use std::fs;\n"), [""; 0], "{path}");
        }
    }
}
