//! Promise: the command explains itself, briefly, and with examples.

use crate::common;

use common::Folder;

const VERBS: [&str; 12] = [
    "new",
    "check",
    "scenes",
    "simulate",
    "direct",
    "gallery",
    "cull",
    "city",
    "lod",
    "ensemble",
    "completions",
    "schema",
];

#[test]
fn the_first_page_fits_a_screen_and_names_every_verb() {
    let help = Folder::new().run("--help").ok().stdout;
    assert!(help.lines().count() <= 40, "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    for verb in VERBS {
        assert!(help.contains(&format!("\n  {verb} ")), "{verb}: {help}");
    }
    assert!(help.contains("Examples:") && help.contains("Exit codes:"), "{help}");
}

#[test]
fn every_verb_has_its_own_page() {
    for verb in VERBS {
        let help = Folder::new().run(&format!("{verb} --help")).ok();
        assert!(help.stdout.contains(&format!("Usage: proscenium {verb}")), "{}", help.stdout);
        assert!(help.stdout.contains("--seed") && help.stdout.contains("--threads"), "{}", help.stdout);
        assert!(help.stdout.contains("--quiet") && help.stdout.contains("--json"), "{}", help.stdout);
        assert_eq!(help.stderr, "");
        // `help VERB` is the same page.
        assert_eq!(Folder::new().run(&format!("help {verb}")).ok().stdout, help.stdout);
    }
}

#[test]
fn without_a_verb_the_help_is_shown_as_a_misuse() {
    let ran = Folder::new().run("").fails(2);
    assert!(ran.stderr.contains("Usage: proscenium"), "{ran:?}");
    assert_eq!(ran.stdout, "");
}

#[test]
fn the_version_is_said() {
    assert_eq!(Folder::new().run("--version").ok().stdout, format!("proscenium {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_slip_of_the_finger_is_understood() {
    let ran = Folder::new().run("simluate box").fails(2);
    assert!(ran.stderr.contains("simulate"), "{ran:?}");
}
