//! Decisions have one form, so that whoever looks for what was measured, or for
//! what would change our mind, finds it in the same place in all of them.

use super::{Finding, Tree};

/// Where they are.
const FOLDER: &str = "docs/decisions/";

/// The parts of a decision, in their order.
const PARTS: [&str; 5] = ["Context", "Choice", "Measured", "What would change our mind", "Status"];

/// How a status may begin.
const STATUSES: [&str; 3] = ["In force.", "Replaced by ", "Withdrawn"];

/// Decisions that have another form, or a number that another has too.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut last = None;
    for (path, text) in tree.texts_ending(".md") {
        let Some(name) = path.strip_prefix(FOLDER) else {
            continue;
        };
        let number =
            name.get(..4).filter(|_| name.as_bytes().get(4) == Some(&b'-')).and_then(|digits| digits.parse().ok());
        let Some(number): Option<u32> = number else {
            findings.push(Finding::new(path, "is not named NNNN-title.md"));
            continue;
        };
        if last == Some(number) {
            findings.push(Finding::new(
                path,
                format!("has the number {number} of another decision: take the next free one"),
            ));
        }
        last = Some(number);
        findings.extend(form(text, number).map(|message| Finding::new(path, message)));
    }
    findings
}

/// What is wrong with the form of a decision.
fn form(text: &str, number: u32) -> Option<String> {
    let title = text.lines().next().unwrap_or_default();
    if !title.starts_with(&format!("# {number}. ")) {
        return Some(format!("must begin with `# {number}. ` and its title"));
    }
    let mut fenced = false;
    let mut parts: Vec<(&str, bool)> = Vec::new();
    let mut status = None;
    for line in text.lines().skip(1) {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        match (line.strip_prefix("## ").filter(|_| !fenced), parts.last_mut()) {
            (Some(part), _) => parts.push((part, false)),
            (None, Some((part, filled))) if !line.trim().is_empty() => {
                if *part == "Status" && !*filled {
                    status = Some(line);
                }
                *filled = true;
            }
            _ => {}
        }
    }
    if !parts.iter().map(|(part, _)| *part).eq(PARTS) {
        return Some(format!("must have the parts {}, as headings of the second level", PARTS.join(", ")));
    }
    if let Some((part, _)) = parts.iter().find(|(_, filled)| !filled) {
        return Some(format!("says nothing under `{part}`"));
    }
    let known = status.is_some_and(|status| STATUSES.iter().any(|start| status.starts_with(start)));
    (!known).then(|| format!("its status must begin with one of: {}", STATUSES.map(str::trim).join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: &str = "# 7. Seven\n\n## Context\n\nMany.\n\n## Choice\n\n```sh\n## no heading\n```\n\n## Measured\n\n\
                         Little.\n\n## What would change our mind\n\nMore.\n\n## Status\n\nIn force.\n";

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_decision_in_the_form_is_accepted() {
        assert_eq!(findings(&[("docs/decisions/0007-seven.md", RIGHT)]), [""; 0]);
        assert_eq!(findings(&[("docs/other.md", "# Any\n")]), [""; 0]);
    }

    #[test]
    fn what_differs_is_said() {
        for (wrong, why) in [
            (RIGHT.replace("# 7. ", "# 0007: "), "must begin with `# 7. `"),
            (RIGHT.replace("## Measured\n\nLittle.\n\n", ""), "must have the parts"),
            (RIGHT.replace("Little.\n", ""), "says nothing under `Measured`"),
            (RIGHT.replace("In force.", "Perhaps."), "its status must begin"),
        ] {
            let found = findings(&[("docs/decisions/0007-seven.md", &wrong)]);
            assert!(found.len() == 1 && found[0].contains(why), "{found:?}");
        }
    }

    #[test]
    fn numbers_are_given_once() {
        let found = findings(&[("docs/decisions/0007-a.md", RIGHT), ("docs/decisions/0007-b.md", RIGHT)]);
        assert!(found.len() == 1 && found[0].contains("of another decision"), "{found:?}");
        assert!(findings(&[("docs/decisions/seven.md", RIGHT)])[0].contains("NNNN"));
    }
}
