//! ARCHITECTURE.md names only what exists.
//!
//! Two things in it name paths: code spans that look like one, and the map, a
//! fenced block with a line that starts with `crates/`.

use super::{Finding, Tree};

const FILE: &str = "ARCHITECTURE.md";

/// Extensions that make a code span a path even without a `/`.
const EXTENSIONS: &[&str] = &[".lock", ".md", ".rs", ".toml", ".yml"];

/// Words that stand for a name of the reader's choice.
const PLACEHOLDERS: &[&str] = &["DIR", "NAME", "NNNN", "OUT", "SCENE", "…", "*", "<"];

/// Paths that ARCHITECTURE.md names and that do not exist.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(FILE) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let mut report = |index: usize, path: &str| {
        let message = format!("names `{path}`, which does not exist: correct it or remove it");
        findings.push(Finding::at_line(FILE, index, message));
    };
    for section in sections(text) {
        match section {
            Section::Prose { index, line } => {
                for span in code_spans(line).filter(|span| looks_like_path(span)) {
                    if !exists(tree, span) {
                        report(index, span);
                    }
                }
            }
            Section::Block { index, lines } if is_map(&lines) => {
                for (offset, path) in map_paths(&lines) {
                    if !tree.exists(&path) {
                        report(index + offset, &path);
                    }
                }
            }
            Section::Block { .. } => {}
        }
    }
    findings
}

/// A part of a Markdown file, with the index of its first line.
enum Section<'text> {
    Prose { index: usize, line: &'text str },
    Block { index: usize, lines: Vec<&'text str> },
}

/// Splits a text into lines of prose and fenced blocks.
fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    let mut block: Option<(usize, Vec<&str>)> = None;
    for (index, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        match (&mut block, fence) {
            (None, false) => sections.push(Section::Prose { index, line }),
            (None, true) => block = Some((index + 1, Vec::new())),
            (Some((_, lines)), false) => lines.push(line),
            (Some(_), true) => {
                let (index, lines) = block.take().unwrap_or_default();
                sections.push(Section::Block { index, lines });
            }
        }
    }
    sections
}

/// What stands between single backticks in a line.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn looks_like_path(span: &str) -> bool {
    let foreign = span.contains(char::is_whitespace)
        || span.contains("::")
        || span.contains("://")
        || span.starts_with(['/', '-', '$', '#'])
        || PLACEHOLDERS.iter().any(|word| span.contains(word));
    !foreign && (span.contains('/') || EXTENSIONS.iter().any(|end| span.ends_with(end)))
}

/// A path may be given from the root or, inside a crate's section, from the
/// crate; a file by its name alone.
fn exists(tree: &Tree, path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let tail = format!("/{path}");
    tree.exists(path) || tree.paths.iter().any(|known| known.ends_with(&tail))
}

fn is_map(lines: &[&str]) -> bool {
    lines.iter().any(|line| undrawn(line).trim_start().starts_with("crates/"))
}

/// The line without the strokes of a drawn tree, which count as indentation.
fn undrawn(line: &str) -> String {
    line.replace(['│', '├', '└', '─'], " ")
}

/// Every path of a map, with the index of its line. An entry inside a folder
/// is indented below it; a description follows after two spaces.
fn map_paths(lines: &[&str]) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    let mut folders: Vec<(usize, String)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let line = undrawn(line);
        let entry = line.trim_start();
        if entry.is_empty() {
            continue;
        }
        let indent = line.chars().count() - entry.chars().count();
        while folders.last().is_some_and(|(depth, _)| *depth >= indent) {
            folders.pop();
        }
        let prefix = folders.last().map_or(String::new(), |(_, folder)| format!("{folder}/"));
        let mut cells = entry.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        let Some(first) = cells.next() else {
            continue;
        };
        // `Cargo.toml  clippy.toml` are two entries; `chance  seeds and …` is one.
        for cell in std::iter::once(first).chain(cells.filter(|cell| is_file_name(cell))) {
            let name = cell.split(' ').next().unwrap_or(cell).trim_end_matches('/');
            paths.push((index, format!("{prefix}{name}")));
            folders.retain(|(depth, _)| *depth < indent);
            folders.push((indent, format!("{prefix}{name}")));
        }
    }
    paths
}

fn is_file_name(cell: &str) -> bool {
    let marked = cell.contains('/') || cell.starts_with("LICENSE-") || EXTENSIONS.iter().any(|end| cell.ends_with(end));
    marked && !cell.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<String> {
        let files = [
            (FILE, text),
            ("crates/rigid/src/queue.rs", ""),
            ("crates/chance/src/lib.rs", ""),
            ("apps/cli/src/main.rs", ""),
            ("Cargo.toml", ""),
            ("clippy.toml", ""),
            (".ci/run", ""),
        ];
        check(&Tree::of(&files)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn spans_that_exist_are_accepted() {
        let text = "See `crates/rigid`, `crates/rigid/`, `src/queue.rs`, `queue.rs`, `Cargo.toml` and `.ci/run`.";
        assert_eq!(places(text), [""; 0]);
    }

    #[test]
    fn spans_that_do_not_exist_are_found() {
        let found = places("Fine.\nSee `crates/magic` and `lost.rs`.");
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("ARCHITECTURE.md:2: names `crates/magic`"), "{found:?}");
        assert!(found[1].contains("`lost.rs`"));
    }

    #[test]
    fn spans_that_are_no_paths_are_left_alone() {
        let text =
            "`World::advance`, `cargo xtask test`, `https://example.org/a`, `DIR/NAME.json`, `a.glb`, and/or, `/`.";
        assert_eq!(places(text), [""; 0]);
    }

    #[test]
    fn a_true_map_is_accepted() {
        let map = "```\nCargo.toml  clippy.toml  .ci/run\ncrates/\n  chance     seeds and streams; and/or more\n  \
                   rigid      the simulator\napps/\n  cli        the command\n```";
        assert_eq!(places(map), [""; 0]);
        let drawn = "```text\n├── crates/\n│   ├── chance  seeds\n│   └── rigid\n│       └── src\n└── apps/\n```";
        assert_eq!(places(drawn), [""; 0]);
    }

    #[test]
    fn a_false_map_is_found_line_by_line() {
        let found = places("# Map\n```\ncrates/\n  chance   seeds\n  direct   later\nlost/    gone\n```");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("ARCHITECTURE.md:5: names `crates/direct`"), "{found:?}");
        assert!(found[1].starts_with("ARCHITECTURE.md:6: names `lost`"), "{found:?}");
    }

    #[test]
    fn other_blocks_are_not_maps() {
        assert_eq!(places("```rust\nlet a = b / c;\n```\n```console\n$ cargo run lost/\n```"), [""; 0]);
    }

    #[test]
    fn no_file_no_findings() {
        assert!(check(&Tree::of(&[("README.md", "`lost.rs`")])).is_empty());
    }
}
