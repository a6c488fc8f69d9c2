//! `cargo xtask test`: every check and test, the cheap ones first.

use std::path::Path;

use crate::process::Process;
use crate::report::{Outcome, Report, TestCounts};
use crate::{book, licences, npm, peers, python, setup, studio, tidy, wasm};

/// The test that compares state hashes between profiles.
const STATE_HASH: &str = "crates/scenes/tests/state_hash.rs";

/// What to run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Options {
    /// Leave out the studio's pages, the other profiles, Python and the documentation.
    pub fast: bool,
    /// Also test the peers.
    pub peers: bool,
}

impl Options {
    /// Reads the options of the command.
    pub fn parse(arguments: &[&str]) -> Result<Self, String> {
        let mut options = Self::default();
        for &argument in arguments {
            match argument {
                "--fast" => options.fast = true,
                "--peers" => options.peers = true,
                _ => return Err(format!("unknown option `{argument}` of `test`")),
            }
        }
        Ok(options)
    }
}

/// Runs every step, also after one has failed: the summary shows them all.
pub fn run(root: &Path, options: Options, report: &mut Report) {
    report.step("tidy", || tidy::run(root));
    report.step("set-up: toolchain", || setup::toolchain(root));
    let mut node = Outcome::Passed;
    report.step("set-up: node", || {
        node = setup::node(root);
        node.clone()
    });
    // Before anything is built, so that the studio is built once, with its pages.
    let mut pages = Outcome::Passed;
    if !options.fast {
        report.step("studio: pages", || {
            pages = studio::pages(root);
            pages.clone()
        });
    }
    report.step("fmt", || Process::cargo(&["fmt", "--all", "--check"], root).run());
    report.step("clippy", || {
        Process::cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"], root).run()
    });
    if !options.fast {
        report.step("wasm", || wasm::check(root));
    }
    report.step_with_tests("tests", |counts| tests(root, &node, counts));
    report.step_with_tests("tests of documentation", |counts| doc_tests(root, counts));
    if !options.fast {
        let mut browser = Outcome::Passed;
        report.step("set-up: browser", || {
            browser = studio::browser_is_ready(root, &pages);
            browser.clone()
        });
        // Behind the browser's set-up, since it is tested in one, too.
        report.step("npm", || npm::build_and_test(root));
        let others = |report: &mut Report| {
            report.step_with_tests("same bits, unoptimised, no threads", |counts| same_bits(root, UNOPTIMISED, counts));
            report.step_with_tests("same bits, release", |counts| same_bits(root, RELEASE, counts));
            report.step_with_tests("python", |counts| python::test(root, counts));
            report.step("documentation", || documentation(root));
            report.step("book", || book::build(root));
        };
        // A browser waits for animations; compilers have the other core meanwhile.
        match browser {
            Outcome::Passed => report.beside("studio: browser", || studio::browser(root), others),
            _ => others(report),
        }
    }
    report.step("licences", || licences::check(root));
    if options.peers {
        peers::test(root, report);
    }
}

/// What `cargo test` is told in every step that shares what is built: the whole
/// workspace, so that features agree, and no examples, which clippy has checked.
pub const WORKSPACE_TESTS: [&str; 6] = ["test", "--workspace", "--lib", "--bins", "--tests", "--locked"];

/// Unit, property and integration tests of the workspace.
fn tests(root: &Path, node: &Outcome, counts: &mut TestCounts) -> Outcome {
    let process = Process::cargo(&[&WORKSPACE_TESTS[..], &["--no-fail-fast"]].concat(), root);
    match node {
        // With the variable set, a test that finds no Node fails instead of passing by.
        Outcome::Passed => process.with("PROSCENIUM_REQUIRE_NODE", "1").run_counting(counts),
        _ => process.run_counting(counts),
    }
}

/// The examples of the documentation.
fn doc_tests(root: &Path, counts: &mut TestCounts) -> Outcome {
    Process::cargo(&["test", "--workspace", "--doc", "--locked", "--no-fail-fast"], root).run_counting(counts)
}

/// Tests that compare what is computed with the bits that it always had.
struct SameBits {
    packages: &'static [&'static str],
    arguments: &'static [&'static str],
}

/// Everything that threads take part in, in the profile that is built soonest,
/// with the threads off: one build for two promises.
const UNOPTIMISED: SameBits = SameBits {
    packages: &["proscenium-scenes", "proscenium-direct", "proscenium-show"],
    arguments: &["--test=state_hash", "--test=same_bits", "--profile=unoptimised", "--no-default-features"],
};

/// The states of all scenes, as they are computed for users.
const RELEASE: SameBits = SameBits { packages: &["proscenium-scenes"], arguments: &["--test=state_hash", "--release"] };

/// Golden bits again, built in another way: the same bytes are expected.
fn same_bits(root: &Path, what: SameBits, counts: &mut TestCounts) -> Outcome {
    if !root.join(STATE_HASH).is_file() {
        return Outcome::Failed(format!("{STATE_HASH} does not exist"));
    }
    let packages = what.packages.iter().flat_map(|package| ["--package", package]);
    let arguments: Vec<&str> =
        ["test", "--locked"].into_iter().chain(packages).chain(what.arguments.iter().copied()).collect();
    // Neither linking across crates nor larger units change a bit; both take minutes.
    Process::cargo(&arguments, root)
        .with("CARGO_PROFILE_RELEASE_LTO", "off")
        .with("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .run_counting(counts)
}

/// Programs have no page of their own, since the command and the facade share
/// a name and would overwrite each other.
pub fn documentation(root: &Path) -> Outcome {
    Process::cargo(&["doc", "--workspace", "--lib", "--no-deps", "--locked"], root)
        .with("RUSTDOCFLAGS", "-D warnings")
        .run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        assert_eq!(Options::parse(&[]), Ok(Options::default()));
        assert_eq!(Options::parse(&["--peers", "--fast"]), Ok(Options { fast: true, peers: true }));
        assert_eq!(Options::parse(&["--all"]), Err("unknown option `--all` of `test`".into()));
    }
}
