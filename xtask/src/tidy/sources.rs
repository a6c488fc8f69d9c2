//! Rules about the text of source files.

use super::{Finding, Tree};

/// A longer file is asking to be two.
const LONGEST_FILE: usize = 600;

/// What marks unfinished code. Clippy knows these too, but not in code that a
/// configuration leaves out. Written in two parts, so as not to find themselves.
const UNFINISHED: &[&str] = &[concat!("todo", "!("), concat!("unimplemented", "!("), concat!("dbg", "!(")];

/// What no file may mention, since it lies outside the checkout.
const OUTSIDE: &str = concat!("..", "/shared");

/// Rust files that are longer than they should be.
pub fn long_files(tree: &Tree) -> Vec<Finding> {
    let lengths = tree.texts_ending(".rs").map(|(path, text)| (path, text.lines().count()));
    let long = lengths.filter(|(_, lines)| *lines > LONGEST_FILE);
    long.map(|(path, lines)| Finding::new(path, format!("{lines} lines; above {LONGEST_FILE}, consider two files")))
        .collect()
}

/// Crates and programs that do not say first what they are.
pub fn missing_crate_docs(tree: &Tree) -> Vec<Finding> {
    let undocumented = tree.texts_ending(".rs").filter(|(path, text)| is_crate_root(path) && !text.starts_with("//!"));
    undocumented
        .map(|(path, _)| Finding::new(path, "must open with a `//!` comment that says what the crate does"))
        .collect()
}

/// `src/lib.rs` and `src/main.rs` of any package.
fn is_crate_root(path: &str) -> bool {
    path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs")
}

/// Code that its author meant to come back to.
pub fn unfinished_code(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts_ending(".rs") {
        for (index, line) in text.lines().enumerate() {
            for marker in UNFINISHED.iter().filter(|marker| line.contains(**marker)) {
                let name = marker.trim_end_matches('(');
                findings.push(Finding::at_line(path, index, format!("`{name}` marks unfinished code: finish it")));
            }
        }
    }
    findings
}

/// Mentions of what lies outside the checkout.
pub fn outside_references(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts_ending("") {
        for (index, line) in text.lines().enumerate() {
            if line.contains(OUTSIDE) {
                let message = format!("mentions `{OUTSIDE}`, which is not part of the project: say it here instead");
                findings.push(Finding::at_line(path, index, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_rust_files_are_listed() {
        let long = "x\n".repeat(601);
        let tree = Tree::of(&[("a.rs", &long), ("b.rs", &long[2..]), ("c.json", &long)]);
        let found = long_files(&tree);
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().starts_with("a.rs: 601 lines"));
    }

    #[test]
    fn a_crate_must_say_what_it_is() {
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", "//! Counts.\n"),
            ("crates/b/src/lib.rs", "use std::fmt;\n//! Late.\n"),
            ("apps/c/src/main.rs", "fn main() {}\n"),
            ("crates/a/src/inner.rs", "fn f() {}\n"),
        ]);
        let places: Vec<_> = missing_crate_docs(&tree).into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["apps/c/src/main.rs", "crates/b/src/lib.rs"]);
    }

    #[test]
    fn unfinished_code_is_found_with_its_line() {
        let code = format!("fn f() {{\n    {}\"later\")\n}}\n", UNFINISHED[0]);
        let found = unfinished_code(&Tree::of(&[("a.rs", &code), ("b.md", &code), ("c.rs", "let todo = 1;")]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "a.rs:2");
    }

    #[test]
    fn references_to_the_outside_are_found_in_any_file() {
        let text = format!("see\n{OUTSIDE}/plan\n");
        let found = outside_references(&Tree::of(&[("docs/a.md", &text), ("b.rs", "see ../share/x")]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "docs/a.md:2");
    }
}
