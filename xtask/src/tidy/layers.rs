//! The layers of the workspace, and that ARCHITECTURE.md tells them and the
//! arrows as the table has them.
//!
//! The page has a fenced block with a line for each layer, and a table with a
//! row for each crate. Both follow from [`ARROWS`]; a line that differs is
//! reported together with the line that would be right.

use super::arrows::{ARROWS, Arrow};
use super::{Finding, Tree};

const FILE: &str = "ARCHITECTURE.md";

/// The head of the table of arrows on the page.
const HEAD: &str = "| crate | may use, besides `work` | why not more |";

/// Where a package stands: it may use its own layer and those below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The vocabulary: knows nothing of the systems.
    Base,
    /// The systems: no files, no pictures, no clock.
    Engines,
    /// What ties systems together and keeps what they find.
    Jobs,
    /// What draws.
    Show,
    /// What people start, and the facade for those who write their own.
    Apps,
    /// The checks, which know nothing and are known by nobody.
    Apart,
}

impl Layer {
    /// The layers on the page, the highest first.
    const SHOWN: [Self; 5] = [Self::Apps, Self::Show, Self::Jobs, Self::Engines, Self::Base];

    fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Engines => "engines",
            Self::Jobs => "jobs",
            Self::Show => "show",
            Self::Apps => "apps",
            Self::Apart => "apart",
        }
    }
}

/// The layer that the crate in a folder belongs to.
pub fn of_folder(folder: &str) -> Option<Layer> {
    ARROWS.iter().find(|arrow| short(arrow.package) == folder).map(|arrow| arrow.layer)
}

/// A package by the name of its folder.
fn short(package: &str) -> &str {
    package.strip_prefix("proscenium-").unwrap_or(package)
}

/// Arrows of the table that point up.
pub fn check_table() -> Vec<Finding> {
    let layer = |package: &str| ARROWS.iter().find(|arrow| arrow.package == package).map(|arrow| arrow.layer);
    let mut findings = Vec::new();
    for arrow in ARROWS {
        // Tests may look at what they test from above.
        for used in arrow.uses.iter().filter(|used| layer(used) > Some(arrow.layer)) {
            let message = format!("`{}` would know `{used}`, which is in a layer above", arrow.package);
            findings.push(Finding::new("xtask/src/tidy/arrows.rs", message));
        }
    }
    findings
}

/// Lines of ARCHITECTURE.md about layers and arrows that the table contradicts.
pub fn check_page(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(FILE) else {
        return Vec::new();
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut findings = layers_of_page(&lines);
    findings.extend(arrows_of_page(&lines));
    findings
}

/// The line of a layer, as the page has it: its name and its crates.
fn layer_line(layer: Layer) -> String {
    let crates = ARROWS.iter().filter(|arrow| arrow.layer == layer).map(|arrow| short(arrow.package));
    format!("{:8} {}", layer.name(), crates.collect::<Vec<_>>().join(" "))
}

fn layers_of_page(lines: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for layer in Layer::SHOWN {
        let expected = layer_line(layer);
        let start = format!("{} ", layer.name());
        let told = lines.iter().enumerate().find(|(_, line)| line.starts_with(&start));
        let finding = match told {
            // What a layer may not do follows after two spaces.
            Some((_, line))
                if line.strip_prefix(&expected).is_some_and(|rest| rest.is_empty() || rest.starts_with("  ")) =>
            {
                continue;
            }
            Some((index, _)) => Finding::at_line(FILE, index, format!("the table of layers has: {expected}")),
            None => Finding::new(FILE, format!("has no line for a layer: {expected}")),
        };
        findings.push(finding);
    }
    findings
}

/// The row of a crate in the table on the page.
fn row(arrow: &Arrow) -> String {
    let uses: Vec<&str> = arrow.uses.iter().map(|package| short(package)).collect();
    let mut uses = if uses.is_empty() { "nothing".to_owned() } else { uses.join(", ") };
    if !arrow.tests_use.is_empty() {
        let tests: Vec<&str> = arrow.tests_use.iter().map(|package| short(package)).collect();
        uses += &format!("; its tests also {}", tests.join(", "));
    }
    format!("| `{}` | {uses} | {} |", short(arrow.package), arrow.reason)
}

/// The rows of the crates that do not stand above all others.
fn rows() -> Vec<String> {
    ARROWS.iter().filter(|arrow| arrow.layer < Layer::Apps).map(row).collect()
}

fn arrows_of_page(lines: &[&str]) -> Vec<Finding> {
    let Some(head) = lines.iter().position(|line| *line == HEAD) else {
        return vec![Finding::new(FILE, format!("has no table of arrows, which begins: {HEAD}"))];
    };
    let told: Vec<(usize, &str)> =
        lines.iter().copied().enumerate().skip(head + 2).take_while(|(_, line)| line.starts_with('|')).collect();
    let expected = rows();
    let wrong = told.iter().filter(|(_, line)| !expected.iter().any(|row| row == line));
    let wrong =
        wrong.map(|(index, _)| Finding::at_line(FILE, *index, "is not in the table of arrows: correct or remove it"));
    let missing = expected.iter().filter(|row| !told.iter().any(|(_, line)| line == row));
    let missing = missing.map(|row| Finding::at_line(FILE, head, format!("the table of arrows also has: {row}")));
    wrong.chain(missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> String {
        let layers: Vec<String> = Layer::SHOWN.into_iter().map(layer_line).collect();
        format!("```text\n{}\n```\n\n{HEAD}\n|---|---|---|\n{}\n", layers.join("\n"), rows().join("\n"))
    }

    fn findings(page: &str) -> Vec<String> {
        check_page(&Tree::of(&[(FILE, page)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn no_arrow_points_up() {
        assert_eq!(check_table(), []);
    }

    #[test]
    fn folders_have_the_layer_of_their_crate() {
        assert_eq!(of_folder("rigid"), Some(Layer::Engines));
        assert_eq!(of_folder("work"), Some(Layer::Base));
        assert_eq!(of_folder("magic"), None);
    }

    #[test]
    fn a_page_that_says_what_the_table_says_is_accepted() {
        assert_eq!(findings(&page()), [""; 0]);
        let remark = page().replace("ensemble\n", "ensemble   no files, no pictures, no clock\n");
        assert_eq!(findings(&remark), [""; 0]);
    }

    #[test]
    fn a_layer_that_differs_is_found_with_what_is_right() {
        let found = findings(&page().replace("base     work", "base     words"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("ARCHITECTURE.md:6: ") && found[0].contains("base     work"), "{found:?}");
    }

    #[test]
    fn an_arrow_that_differs_is_found_with_what_is_right() {
        let right = "| `bodies` | geometry |";
        let found = findings(&page().replace(right, "| `bodies` | geometry, scenes |"));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[1].contains(right), "{found:?}");
    }

    #[test]
    fn a_page_without_them_is_asked_for_them() {
        assert_eq!(findings("# Architecture\n").len(), Layer::SHOWN.len() + 1);
    }
}
