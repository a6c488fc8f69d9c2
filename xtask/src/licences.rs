//! What may enter the tree of dependencies: `deny.toml`, by cargo-deny where it is
//! installed, and otherwise by what `cargo tree` says of every package.

use std::fs;
use std::path::Path;

use spdx::{Expression, Licensee, ParseMode};
use toml::{Table, Value};

use crate::process::Process;
use crate::report::Outcome;

/// The rules, as cargo-deny reads them.
const RULES: &str = "deny.toml";

/// Advisories are left out: they need the network and change without us.
pub fn check(root: &Path) -> Outcome {
    if Process::cargo(&["deny", "--version"], root).succeeds() {
        return Process::cargo(&["deny", "--log-level=error", "check", "licenses", "bans", "sources"], root).run();
    }
    let text = match fs::read_to_string(root.join(RULES)) {
        Ok(text) => text,
        Err(why) => return Outcome::Failed(format!("{RULES} cannot be read: {why}")),
    };
    let rules = match Rules::parse(&text) {
        Ok(rules) => rules,
        Err(why) => return Outcome::Failed(format!("{RULES}: {why}")),
    };
    let question =
        ["tree", "--workspace", "--all-features", "--locked", "--target", "all", "--prefix", "none", "--no-dedupe"];
    let question = [&question[..], &["--format", "{p}\t{l}"]].concat();
    let Some(tree) = Process::cargo(&question, root).output() else {
        return Outcome::Failed("`cargo tree` does not know the dependencies".into());
    };
    let mut packages: Vec<&str> = tree.lines().filter(|line| !line.is_empty()).collect();
    packages.sort_unstable();
    packages.dedup();
    let findings: Vec<String> = packages.iter().filter_map(|package| rules.finding(package)).collect();
    println!("{} packages were asked for their licences and their origin", packages.len());
    for finding in &findings {
        println!("error: {finding}");
    }
    match findings.len() {
        0 => Outcome::Passed,
        count => Outcome::Failed(format!("{count} of the packages may not be used: see {RULES}")),
    }
}

/// Which licences and packages are allowed.
struct Rules {
    allowed: Vec<Licensee>,
    denied: Vec<String>,
}

impl Rules {
    fn parse(text: &str) -> Result<Self, String> {
        let rules: Table = text.parse().map_err(|error| format!("{error}"))?;
        let list = |table: &str, key: &str| -> Result<Vec<Value>, String> {
            let values = rules.get(table).and_then(|table| table.get(key)).and_then(Value::as_array);
            values.cloned().ok_or_else(|| format!("[{table}] has no list `{key}`"))
        };
        let names = list("licenses", "allow")?;
        let allowed = names.iter().map(|name| {
            let name = name.as_str().ok_or_else(|| format!("{name} is not the name of a licence"))?;
            Licensee::parse(name).map_err(|error| error.to_string())
        });
        let denied = list("bans", "deny")?;
        let denied = denied.iter().filter_map(|entry| entry.get("crate").and_then(Value::as_str).map(str::to_owned));
        Ok(Self { allowed: allowed.collect::<Result<_, String>>()?, denied: denied.collect() })
    }

    /// What is wrong with a package, as `name v1.2.3 (where from)`, a tab and its licence.
    fn finding(&self, package: &str) -> Option<String> {
        let (package, licence) = package.split_once('\t').unwrap_or((package, ""));
        let name = package.split(' ').next().unwrap_or(package);
        let origin =
            package.split_once(" (").map(|(_, rest)| rest).filter(|rest| *rest != "proc-macro)" && *rest != "*)");
        if self.denied.iter().any(|denied| denied == name) {
            return Some(format!("{package} is not wanted here"));
        }
        match origin {
            // Ours, with the licence of the workspace.
            Some(path) if path.starts_with('/') || path.get(1..3) == Some(":\\") => return None,
            Some(_) if !package.contains("(proc-macro) (") => {
                return Some(format!("{package} is not from the registry"));
            }
            _ => {}
        }
        match Expression::parse_mode(licence, ParseMode::LAX) {
            Ok(expression) => {
                let may = expression.evaluate(|wanted| self.allowed.iter().any(|allowed| allowed.satisfies(wanted)));
                (!may).then(|| format!("{package} has the licence {licence}, which is not allowed"))
            }
            Err(_) => Some(format!("{package} says nothing that is understood of its licence: \"{licence}\"")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[licenses]\nallow = [\"MIT\", \"Apache-2.0\", \"Apache-2.0 WITH LLVM-exception\"]\n\
                        [bans]\ndeny = [{ crate = \"rapier3d\", reason = \"a peer\" }]\n";

    fn finding(package: &str) -> Option<String> {
        Rules::parse(TEXT).expect("the rules are right").finding(package)
    }

    #[test]
    fn one_allowed_licence_is_enough() {
        for licence in ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "Apache-2.0 WITH LLVM-exception OR GPL-2.0"] {
            assert_eq!(finding(&format!("glam v0.33.0\t{licence}")), None, "{licence}");
        }
        assert_eq!(finding("derive v1.0.0 (proc-macro)\tMIT"), None);
        assert_eq!(finding("proscenium v0.1.0 (/somewhere/crates/proscenium)\tMIT OR Apache-2.0"), None);
    }

    #[test]
    fn others_are_told_with_the_reason() {
        assert!(finding("a v1.0.0\tGPL-3.0").is_some_and(|why| why.contains("not allowed")));
        assert!(finding("a v1.0.0\tMIT AND GPL-3.0").is_some_and(|why| why.contains("not allowed")));
        assert!(finding("a v1.0.0\t").is_some_and(|why| why.contains("nothing that is understood")));
        assert!(finding("a v1.0.0 (git+ssh://elsewhere)\tMIT").is_some_and(|why| why.contains("registry")));
        assert!(finding("rapier3d v1.0.0\tApache-2.0").is_some_and(|why| why.contains("not wanted")));
    }

    #[test]
    fn rules_that_say_nothing_are_a_mistake() {
        assert!(Rules::parse("[licenses]\n").is_err());
        assert!(Rules::parse("[licenses]\nallow = [\"Beer\"]\n[bans]\ndeny = []\n").is_err());
    }
}
