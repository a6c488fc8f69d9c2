//! Which crate may know which: a crate exists because something must not know
//! something else.

use super::Finding;
use super::layers::Layer;
use super::manifests::{Dependency, Member};

/// What a package of ours may depend on.
pub struct Arrow {
    /// Its name.
    pub package: &'static str,
    /// Where it stands; it may use nothing above.
    pub layer: Layer,
    /// What it may use, besides `work`.
    pub uses: &'static [&'static str],
    /// What only its tests may use besides.
    pub tests_use: &'static [&'static str],
    /// Why not more.
    pub reason: &'static str,
}

const LIBRARIES: &[&str] = &[
    "proscenium",
    "proscenium-bodies",
    "proscenium-chance",
    "proscenium-city",
    "proscenium-clip",
    "proscenium-cull",
    "proscenium-diagnostics",
    "proscenium-direct",
    "proscenium-director",
    "proscenium-ensemble",
    "proscenium-expression",
    "proscenium-gallery",
    "proscenium-geometry",
    "proscenium-lod",
    "proscenium-picture",
    "proscenium-rigid",
    "proscenium-scenes",
    "proscenium-show",
    "proscenium-study",
    "proscenium-view",
    "proscenium-work",
];

/// How a job is done: every package of the engine may know it.
const WORK: &str = "proscenium-work";

/// The allowed arrows. A package that is not listed may not exist.
pub const ARROWS: &[Arrow] = &[
    Arrow {
        package: WORK,
        layer: Layer::Base,
        uses: &[],
        tests_use: &[],
        reason: "how a job is done does not depend on the job",
    },
    Arrow {
        package: "proscenium-chance",
        layer: Layer::Base,
        uses: &[],
        tests_use: &[],
        reason: "randomness knows nothing of what is random",
    },
    Arrow {
        package: "proscenium-geometry",
        layer: Layer::Base,
        uses: &[],
        tests_use: &[],
        reason: "shapes know nothing of what moves them",
    },
    Arrow {
        package: "proscenium-view",
        layer: Layer::Base,
        uses: &[],
        tests_use: &[],
        reason: "a view knows nothing of what is looked at",
    },
    Arrow {
        package: "proscenium-clip",
        layer: Layer::Base,
        uses: &[],
        tests_use: &[],
        reason: "a clip knows nothing of what made it or what draws it",
    },
    Arrow {
        package: "proscenium-diagnostics",
        layer: Layer::Base,
        uses: &[],
        tests_use: &[],
        reason: "what is wrong with a text is told alike, whatever the text says",
    },
    Arrow {
        package: "proscenium-expression",
        layer: Layer::Base,
        uses: &["proscenium-diagnostics"],
        tests_use: &[],
        reason: "arithmetic is the same in every file",
    },
    Arrow {
        package: "proscenium-picture",
        layer: Layer::Show,
        uses: &["proscenium-clip", "proscenium-view"],
        tests_use: &[],
        reason: "a picture is drawn from a clip and a camera, never from a simulation",
    },
    Arrow {
        package: "proscenium-bodies",
        layer: Layer::Engines,
        uses: &["proscenium-geometry"],
        tests_use: &[],
        reason: "bodies know no simulator",
    },
    Arrow {
        package: "proscenium-rigid",
        layer: Layer::Engines,
        uses: &["proscenium-bodies", "proscenium-geometry"],
        tests_use: &["proscenium-chance"],
        reason: "a simulator is given its numbers, and knows neither files nor clips",
    },
    Arrow {
        package: "proscenium-cull",
        layer: Layer::Engines,
        uses: &["proscenium-chance", "proscenium-view", "proscenium-diagnostics", "proscenium-expression"],
        tests_use: &[],
        reason: "a culled system asks a view what is seen, and knows no other simulator",
    },
    Arrow {
        package: "proscenium-lod",
        layer: Layer::Engines,
        uses: &["proscenium-bodies", "proscenium-chance", "proscenium-clip", "proscenium-geometry", "proscenium-view"],
        tests_use: &[],
        reason: "time-critical collisions ask a view what matters, and know no other simulator",
    },
    Arrow {
        package: "proscenium-city",
        layer: Layer::Engines,
        uses: &["proscenium-chance", "proscenium-view"],
        tests_use: &[],
        reason: "a city asks a view what is seen, and knows no other simulator",
    },
    Arrow {
        package: "proscenium-direct",
        layer: Layer::Engines,
        uses: &["proscenium-chance"],
        tests_use: &[],
        reason: "the sampler knows neither what it samples nor where samples are kept",
    },
    Arrow {
        package: "proscenium-ensemble",
        layer: Layer::Engines,
        uses: &["proscenium-chance", "proscenium-clip", "proscenium-view"],
        tests_use: &["proscenium-picture"],
        reason: "an ensemble is played from data, and knows no other simulator",
    },
    Arrow {
        package: "proscenium-gallery",
        layer: Layer::Jobs,
        uses: &["proscenium-direct"],
        tests_use: &["proscenium-chance"],
        reason: "a gallery keeps values and scores, and knows no motion",
    },
    Arrow {
        package: "proscenium-scenes",
        layer: Layer::Jobs,
        uses: &[
            "proscenium-bodies",
            "proscenium-chance",
            "proscenium-clip",
            "proscenium-direct",
            "proscenium-geometry",
            "proscenium-rigid",
            "proscenium-diagnostics",
            "proscenium-expression",
            "proscenium-view",
        ],
        tests_use: &[],
        reason: "scenes combine the systems; they draw nothing and store nothing",
    },
    Arrow {
        package: "proscenium-study",
        layer: Layer::Jobs,
        uses: &["proscenium-bodies", "proscenium-chance", "proscenium-clip", "proscenium-geometry", "proscenium-lod"],
        tests_use: &[],
        reason: "a study shows people what one engine does; who asks them is an application's business",
    },
    Arrow {
        package: "proscenium-show",
        layer: Layer::Show,
        uses: &[
            "proscenium-chance",
            "proscenium-city",
            "proscenium-clip",
            "proscenium-cull",
            "proscenium-ensemble",
            "proscenium-lod",
            "proscenium-picture",
            "proscenium-view",
        ],
        tests_use: &[],
        reason: "what is shown is drawn from what engines say, by nothing but pictures",
    },
    Arrow {
        package: "proscenium-director",
        layer: Layer::Jobs,
        uses: &["proscenium-chance", "proscenium-direct", "proscenium-gallery", "proscenium-scenes"],
        tests_use: &[],
        reason: "the director ties scenes, sampler and gallery; it shows nothing",
    },
    Arrow {
        package: "proscenium",
        layer: Layer::Apps,
        uses: LIBRARIES,
        tests_use: &[],
        reason: "the facade re-exports libraries, never applications",
    },
    Arrow {
        package: "proscenium-cli",
        layer: Layer::Apps,
        uses: LIBRARIES,
        tests_use: &[],
        reason: "applications do not know each other",
    },
    Arrow {
        package: "proscenium-lab",
        layer: Layer::Apps,
        uses: LIBRARIES,
        tests_use: &[],
        reason: "applications do not know each other",
    },
    Arrow {
        package: "proscenium-python",
        layer: Layer::Apps,
        uses: LIBRARIES,
        tests_use: &[],
        reason: "applications do not know each other",
    },
    Arrow {
        package: "proscenium-studio",
        layer: Layer::Apps,
        uses: LIBRARIES,
        tests_use: &[],
        reason: "applications do not know each other",
    },
    Arrow {
        package: "proscenium-wasm",
        layer: Layer::Apps,
        uses: LIBRARIES,
        tests_use: &[],
        reason: "applications do not know each other",
    },
    Arrow {
        package: "xtask",
        layer: Layer::Apart,
        uses: &[],
        tests_use: &[],
        reason: "the checks must build while the engine does not",
    },
];

/// A package from elsewhere that only some of ours may know.
struct Fence {
    /// How its name starts.
    prefix: &'static str,
    allowed: &'static [&'static str],
    reason: &'static str,
}

const FENCES: &[Fence] = &[
    Fence { prefix: "parry", allowed: &["proscenium-geometry"], reason: "parry stays inside geometry" },
    Fence { prefix: "rapier", allowed: &[], reason: "peers live in peers/, a workspace of its own" },
    Fence {
        prefix: "toml",
        allowed: &[
            "proscenium-scenes",
            "proscenium-cull",
            "proscenium-cli",
            "proscenium-lab",
            "proscenium-studio",
            "xtask",
        ],
        reason: "nothing below scenes knows a scene file, and only cull knows a model file",
    },
    Fence {
        prefix: "schemars",
        allowed: &["proscenium-scenes", "proscenium-cli"],
        reason: "nothing below scenes knows a scene file",
    },
    Fence {
        prefix: "rusqlite",
        allowed: &["proscenium-gallery"],
        reason: "only the gallery knows how samples are stored",
    },
    Fence {
        prefix: "clap",
        allowed: &["proscenium-cli", "proscenium-lab", "proscenium-studio"],
        reason: "only applications have a command line",
    },
    Fence { prefix: "axum", allowed: &["proscenium-studio"], reason: "nothing below the studio knows HTTP" },
    Fence { prefix: "tokio", allowed: &["proscenium-studio"], reason: "nothing below the studio waits for a network" },
];

/// Dependencies that no arrow allows.
pub fn check(members: &[Member]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in members {
        let Some(arrow) = ARROWS.iter().find(|arrow| arrow.package == member.name) else {
            let message = format!("`{}` is not in the table of xtask/src/tidy/arrows.rs: add it there", member.name);
            findings.push(Finding::new(&member.path, message));
            continue;
        };
        for dependency in &member.dependencies {
            if let Some(reason) = forbidden(member, arrow, dependency) {
                let message = format!("`{}` may not depend on `{}`: {reason}", member.name, dependency.package);
                findings.push(Finding::new(&member.path, message));
            }
        }
    }
    findings
}

/// Why a dependency is not allowed, if it is not.
fn forbidden(member: &Member, arrow: &Arrow, dependency: &Dependency) -> Option<&'static str> {
    let package = dependency.package.as_str();
    if package == "proscenium" || package == "xtask" || package.starts_with("proscenium-") {
        let allowed = package == WORK && !matches!(arrow.package, WORK | "xtask")
            || arrow.uses.contains(&package)
            || dependency.dev && (arrow.tests_use.contains(&package) || package == arrow.package);
        return (!allowed).then_some(arrow.reason);
    }
    let fence = FENCES.iter().find(|fence| package.starts_with(fence.prefix))?;
    (!fence.allowed.contains(&member.name.as_str())).then_some(fence.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(name: &str, uses: &[&str], tests_use: &[&str]) -> Vec<String> {
        let uses = uses.iter().map(|package| (package, false));
        let tests_use = tests_use.iter().map(|package| (package, true));
        let dependencies = uses.chain(tests_use).map(|(package, dev)| Dependency { package: package.to_string(), dev });
        let member = Member {
            path: format!("crates/{name}/Cargo.toml"),
            name: name.to_string(),
            dependencies: dependencies.collect(),
            inherits_lints: true,
        };
        check(&[member]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn arrows_that_point_down_are_allowed() {
        assert!(findings("proscenium-rigid", &["proscenium-bodies", "glam"], &["proscenium-chance"]).is_empty());
        assert!(findings("proscenium-geometry", &["parry3d-f64"], &["proptest"]).is_empty());
        assert!(findings("proscenium-cli", LIBRARIES, &[]).is_empty());
    }

    #[test]
    fn arrows_that_point_up_are_refused_with_the_reason() {
        let found = findings("proscenium-chance", &["proscenium-geometry"], &[]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("`proscenium-chance` may not depend on `proscenium-geometry`: randomness"));
        assert_eq!(findings("proscenium-rigid", &["proscenium-scenes"], &["proscenium-clip"]).len(), 2);
    }

    #[test]
    fn what_tests_may_use_the_crate_may_not() {
        assert_eq!(findings("proscenium-rigid", &["proscenium-chance"], &[]).len(), 1);
    }

    #[test]
    fn nothing_depends_on_an_application() {
        for package in ["proscenium", "proscenium-scenes", "proscenium-lab", "proscenium-rigid", "xtask"] {
            assert_eq!(findings(package, &["proscenium-cli"], &[]).len(), 1, "{package}");
        }
    }

    #[test]
    fn foreign_packages_stay_behind_their_fence() {
        assert!(findings("proscenium-rigid", &["parry3d-f64"], &[])[0].contains("stays inside geometry"));
        assert!(findings("proscenium-lab", &[], &["rapier3d-f64"])[0].contains("peers"));
        assert!(findings("proscenium-clip", &["toml"], &[])[0].contains("scene file"));
    }

    #[test]
    fn an_unknown_package_is_asked_into_the_table() {
        assert!(findings("proscenium-magic", &[], &[])[0].contains("arrows.rs"));
    }

    #[test]
    fn the_table_has_no_cycle() {
        // A package may only use those whose own uses are settled before it.
        let mut settled: Vec<&str> = Vec::new();
        while settled.len() < ARROWS.len() {
            let ready = |arrow: &&Arrow| {
                let uses = arrow.uses.iter().filter(|package| **package != arrow.package);
                let known = |package: &&str| ARROWS.iter().any(|other| other.package == *package);
                !settled.contains(&arrow.package) && uses.filter(|p| known(p)).all(|p| settled.contains(p))
            };
            let next = ARROWS.iter().find(ready).map(|arrow| arrow.package);
            settled.push(next.expect("the arrows form a cycle"));
        }
    }
}
