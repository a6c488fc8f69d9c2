//! Every relative link in every Markdown file leads to a file.
//!
//! Deliberately absent: links to other sites, which need the network, and
//! anchors within a page.

use super::{Finding, Tree};

/// Links that lead nowhere.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts_ending(".md") {
        for (index, target) in links(text) {
            let Some(relative) = relative(&target) else {
                continue;
            };
            match resolve(path, relative) {
                Some(resolved) if resolved.is_empty() || tree.exists(&resolved) => {}
                Some(_) => findings.push(Finding::at_line(path, index, format!("links to `{target}`: no such file"))),
                None => {
                    findings.push(Finding::at_line(path, index, format!("links to `{target}`: outside the project")))
                }
            }
        }
    }
    findings
}

/// Pages of the book that its table of contents leaves out.
pub fn check_summary(tree: &Tree) -> Vec<Finding> {
    const SUMMARY: &str = "docs/src/SUMMARY.md";
    let Some(summary) = tree.text(SUMMARY) else {
        return Vec::new();
    };
    let listed: Vec<String> =
        links(summary).iter().filter_map(|(_, target)| resolve(SUMMARY, relative(target)?)).collect();
    let pages = tree.texts_ending(".md").map(|(path, _)| path).filter(|path| path.starts_with("docs/src/"));
    let unlisted = pages.filter(|path| *path != SUMMARY && !listed.iter().any(|listed| listed == path));
    unlisted.map(|path| Finding::new(path, format!("is not listed in {SUMMARY}: add it or remove it"))).collect()
}

/// The targets of all links of a Markdown text, with the index of their line.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if !fenced {
            let line = without_code(line);
            found.extend(targets(&line).into_iter().map(|target| (index, target)));
        }
    }
    found
}

/// The line with its code spans taken out.
fn without_code(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    let closed = parts.len() % 2 == 1;
    let prose = |index: usize| index.is_multiple_of(2) || !closed && index + 1 == parts.len();
    parts.iter().enumerate().filter(|(index, _)| prose(*index)).map(|(_, part)| *part).collect::<Vec<_>>().join("`")
}

/// Inline links, definitions of reference links, and HTML attributes.
fn targets(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (opening, closing) in [("](", ')'), ("src=\"", '"'), ("href=\"", '"')] {
        for rest in line.split(opening).skip(1) {
            let target = rest.split(closing).next().unwrap_or(rest);
            // A title may follow the target.
            found.extend(target.split_whitespace().next().map(str::to_string));
        }
    }
    if let Some((label, target)) = line.trim_start().split_once("]: ")
        && label.starts_with('[')
    {
        found.extend(target.split_whitespace().next().map(str::to_string));
    }
    found
}

/// The path of a link into the project, without its anchor.
fn relative(target: &str) -> Option<&str> {
    let target = target.trim_start_matches('<').trim_end_matches('>');
    let elsewhere = target.contains("://") || target.starts_with("mailto:") || target.starts_with('#');
    (!elsewhere).then(|| target.split('#').next().unwrap_or(target))
}

/// A link's path from the root of the project, or nothing if it leaves it.
fn resolve(page: &str, link: &str) -> Option<String> {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (start, link) = match link.strip_prefix('/') {
        Some(link) => ("", link),
        None => (folder, link),
    };
    let mut parts: Vec<&str> = start.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str) -> Vec<String> {
        let tree = Tree::of(&[("docs/src/page.md", text), ("docs/src/other.md", ""), ("README.md", "")]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_that_lead_somewhere_are_accepted() {
        let text = "[a](other.md) [b](./other.md#part) [c](../../README.md) ![d](/README.md \"title\") [e](#here)\n\
                    [f](https://example.org/x) <img src=\"other.md\"> [g](..)\n[ref]: other.md\n";
        assert_eq!(broken(text), [""; 0]);
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        for text in
            ["[a](lost.md)", "![a](pictures/x.png)", "<img src=\"lost.png\">", "[ref]: lost.md", "[a](../page.md)"]
        {
            assert_eq!(broken(text).len(), 1, "{text}");
        }
        assert!(broken("fine\n\n[a](lost.md)")[0].starts_with("docs/src/page.md:3: links to `lost.md`"));
        assert!(broken("[a](../../../etc/hosts)")[0].contains("outside the project"));
    }

    #[test]
    fn code_is_not_read_as_links() {
        assert_eq!(broken("`[a](lost.md)`\n```\n[b](lost.md)\n```\n"), [""; 0]);
        assert_eq!(broken("a stray ` and then [a](lost.md)").len(), 1);
    }

    #[test]
    fn the_table_of_contents_lists_every_page() {
        let tree = Tree::of(&[
            ("docs/src/SUMMARY.md", "- [One](one.md)\n  - [Two](part/two.md)\n"),
            ("docs/src/one.md", ""),
            ("docs/src/part/two.md", ""),
            ("docs/src/three.md", ""),
            ("docs/decisions/0001.md", ""),
        ]);
        let places: Vec<_> = check_summary(&tree).into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["docs/src/three.md"]);
    }
}
