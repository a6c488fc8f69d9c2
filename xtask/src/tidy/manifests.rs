//! The packages of the workspace, as their manifests describe them.

use toml::Table;

use super::{Finding, Tree};

/// A package of the workspace.
#[derive(Debug)]
pub struct Member {
    /// Its manifest.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Packages it is built with, and packages only its tests are built with.
    pub dependencies: Vec<Dependency>,
    /// Whether its lints are those of the workspace.
    pub inherits_lints: bool,
}

/// A package that a member depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependency {
    /// The package's name, also where the manifest renames it.
    pub package: String,
    /// Whether only tests, examples and benchmarks see it.
    pub dev: bool,
}

/// Reads the manifests of all members.
pub fn read(tree: &Tree) -> Result<Vec<Member>, Finding> {
    let root = parse(tree, "Cargo.toml")?;
    let shared = root.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    let shared = shared.and_then(toml::Value::as_table).cloned().unwrap_or_default();
    let paths = tree.texts_ending("Cargo.toml").map(|(path, _)| path);
    paths.filter(|path| is_member(path)).map(|path| Member::read(tree, path, &shared)).collect()
}

/// The members are `crates/*`, `apps/*` and `xtask`.
fn is_member(path: &str) -> bool {
    match path.split('/').collect::<Vec<_>>()[..] {
        ["xtask", "Cargo.toml"] => true,
        [group, _, "Cargo.toml"] => matches!(group, "crates" | "apps"),
        _ => false,
    }
}

impl Member {
    fn read(tree: &Tree, path: &str, shared: &Table) -> Result<Self, Finding> {
        let manifest = parse(tree, path)?;
        let name = manifest.get("package").and_then(|package| package.get("name"));
        let Some(name) = name.and_then(toml::Value::as_str) else {
            return Err(Finding::new(path, "the package has no name"));
        };
        let mut dependencies = dependencies(&manifest, shared);
        if let Some(targets) = manifest.get("target").and_then(toml::Value::as_table) {
            let tables = targets.values().filter_map(toml::Value::as_table);
            dependencies.extend(tables.flat_map(|table| self::dependencies(table, shared)));
        }
        let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace"));
        Ok(Self {
            path: path.to_string(),
            name: name.to_string(),
            dependencies,
            inherits_lints: inherits.and_then(toml::Value::as_bool) == Some(true),
        })
    }
}

/// The dependencies that one level of a manifest names.
fn dependencies(table: &Table, shared: &Table) -> Vec<Dependency> {
    let kinds = [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)];
    let mut found = Vec::new();
    for (kind, dev) in kinds {
        let Some(entries) = table.get(kind).and_then(toml::Value::as_table) else {
            continue;
        };
        for (key, value) in entries {
            let renamed = value.get("package").or_else(|| shared.get(key).and_then(|entry| entry.get("package")));
            let package = renamed.and_then(toml::Value::as_str).unwrap_or(key);
            found.push(Dependency { package: package.to_string(), dev });
        }
    }
    found
}

fn parse(tree: &Tree, path: &str) -> Result<Table, Finding> {
    let text = tree.text(path).ok_or_else(|| Finding::new(path, "the manifest is missing"))?;
    text.parse().map_err(|error| Finding::new(path, format!("not valid TOML: {error}")))
}

/// Members that do not take the lints of the workspace.
pub fn check_lints(members: &[Member]) -> Vec<Finding> {
    let bare = members.iter().filter(|member| !member.inherits_lints);
    bare.map(|member| Finding::new(&member.path, "does not take the workspace's lints: add `[lints] workspace = true`"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(manifest: &str) -> Vec<Member> {
        let root = "[workspace]\n[workspace.dependencies]\nfast = { package = \"glam\", version = \"1\" }\n";
        let outside = "[package]\nname = \"outside\"";
        let files = [
            ("Cargo.toml", root),
            ("crates/one/Cargo.toml", manifest),
            ("peers/Cargo.toml", outside),
            ("peers/rapier/Cargo.toml", outside),
        ];
        read(&Tree::of(&files)).unwrap()
    }

    #[test]
    fn dependencies_of_every_kind_are_found_under_their_own_names() {
        let members = members(
            "[package]\nname = \"one\"\n[dependencies]\na = \"1\"\nfast.workspace = true\n\
             [build-dependencies]\nb = { version = \"1\", package = \"real-b\" }\n\
             [dev-dependencies]\nc = \"1\"\n[target.'cfg(unix)'.dependencies]\nd = \"1\"\n",
        );
        assert_eq!(members.len(), 1);
        let mut found: Vec<_> = members[0].dependencies.iter().map(|d| (d.package.as_str(), d.dev)).collect();
        found.sort_unstable();
        assert_eq!(found, [("a", false), ("c", true), ("d", false), ("glam", false), ("real-b", false)]);
    }

    #[test]
    fn lints_must_be_inherited() {
        let bare = members("[package]\nname = \"one\"\n[lints]\nworkspace = false\n");
        assert_eq!(check_lints(&bare)[0].place, "crates/one/Cargo.toml");
        assert!(check_lints(&members("[package]\nname = \"one\"\n[lints]\nworkspace = true\n")).is_empty());
    }

    #[test]
    fn a_broken_manifest_is_named() {
        let tree = Tree::of(&[("Cargo.toml", "[workspace]"), ("apps/cli/Cargo.toml", "[package")]);
        assert_eq!(read(&tree).unwrap_err().place, "apps/cli/Cargo.toml");
    }
}
