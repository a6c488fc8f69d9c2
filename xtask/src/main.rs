//! Every check and task of the project, runnable on any machine:
//! `cargo xtask help` lists them.
//!
//! Deliberately absent: knowledge of any continuous-integration service, and
//! anything that the engine itself needs to build or run.

// Talking to the terminal is what this program is for.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod book;
mod licences;
mod npm;
mod peers;
mod process;
mod python;
mod report;
mod setup;
mod site;
mod studio;
mod test;
mod tidy;
mod wasm;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use report::{Outcome, Report, Terminal};

const HELP: &str = "\
Every check and task of the project.

  cargo xtask test [--fast] [--peers]   run every check and test, as CI does
      --fast    leave out the studio's pages, the other profiles, Python and the documentation
      --peers   also test the programs of peers/, which build for minutes
  cargo xtask tidy                      check the rules of the code base only
  cargo xtask licences                  check what may be depended on (deny.toml)
  cargo xtask book                      build the book into target/book
  cargo xtask wasm                      check that the engine compiles for the browser
  cargo xtask npm [--test]              build the package for web pages into npm/dist
      --test    build it quickly, in one piece, and test it in Node and in Chromium
  cargo xtask site                      build a folder for static hosts: pages, book, documentation
  cargo xtask studio [OPTIONS]          build the studio, serve it and open its page
      the options are the server's: --port, --workspace, …
  cargo xtask python                    build and test the Python package
  cargo xtask peers                     build what the lab compares with
  cargo xtask help                      print this text

Exit code: 0 when everything passed, 1 when something failed, 2 when the
command was not understood. What is skipped is always named.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let command = match Command::parse(&arguments) {
        Ok(command) => command,
        Err(message) => {
            eprintln!("error: {message}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let root = root();
    let mut report = Report::new(Terminal::detect());
    match command {
        Command::Help => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Command::Test(options) => test::run(&root, options, &mut report),
        Command::Tidy => report.step("tidy", || tidy::run(&root)),
        Command::Licences => report.step("licences", || licences::check(&root)),
        Command::Book => report.step("book", || book::build(&root)),
        Command::Wasm => report.step("wasm", || wasm::check(&root)),
        Command::Python => report.step_with_tests("python", |counts| python::test(&root, counts)),
        Command::Npm { test: false } => report.step("npm", || npm::build(&root)),
        Command::Npm { test: true } => report.step("npm", || npm::build_and_test(&root)),
        Command::Site => site::build(&root, &mut report),
        Command::Peers => report.step("peers", || peers::build(&root)),
        Command::Studio(options) => return plainly(studio::serve(&root, &options)),
    }
    report.finish()
}

/// How a command ends that reports no steps.
fn plainly(outcome: Outcome) -> ExitCode {
    match outcome {
        Outcome::Failed(why) => {
            eprintln!("\n  error: {why}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// The root of the checkout: the folder above this package's own.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}

#[derive(Debug, PartialEq)]
enum Command {
    Help,
    Test(test::Options),
    Tidy,
    Licences,
    Book,
    Wasm,
    Python,
    Npm { test: bool },
    Peers,
    Site,
    Studio(Vec<String>),
}

impl Command {
    fn parse(arguments: &[&str]) -> Result<Self, String> {
        match arguments {
            [] | ["help" | "--help" | "-h"] => Ok(Self::Help),
            ["test", options @ ..] => test::Options::parse(options).map(Self::Test),
            ["tidy"] => Ok(Self::Tidy),
            ["licences"] => Ok(Self::Licences),
            ["book"] => Ok(Self::Book),
            ["wasm"] => Ok(Self::Wasm),
            ["python"] => Ok(Self::Python),
            ["npm"] => Ok(Self::Npm { test: false }),
            ["npm", "--test"] => Ok(Self::Npm { test: true }),
            ["peers"] => Ok(Self::Peers),
            ["site"] => Ok(Self::Site),
            ["studio", options @ ..] => Ok(Self::Studio(options.iter().map(|option| (*option).to_owned()).collect())),
            ["tidy" | "licences" | "book" | "wasm" | "npm" | "python" | "peers" | "site" | "help", extra, ..] => {
                Err(format!("unexpected argument `{extra}`"))
            }
            [name, ..] => Err(format!("unknown command `{name}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_recognised() {
        assert_eq!(Command::parse(&[]), Ok(Command::Help));
        assert_eq!(Command::parse(&["tidy"]), Ok(Command::Tidy));
        assert_eq!(Command::parse(&["wasm"]), Ok(Command::Wasm));
        assert_eq!(Command::parse(&["npm"]), Ok(Command::Npm { test: false }));
        assert_eq!(Command::parse(&["npm", "--test"]), Ok(Command::Npm { test: true }));
        assert_eq!(Command::parse(&["site"]), Ok(Command::Site));
        let fast = test::Options { fast: true, peers: false };
        assert_eq!(Command::parse(&["test", "--fast"]), Ok(Command::Test(fast)));
        assert_eq!(Command::parse(&["tset"]), Err("unknown command `tset`".into()));
        assert_eq!(Command::parse(&["tidy", "now"]), Err("unexpected argument `now`".into()));
        assert!(Command::parse(&["test", "--slow"]).is_err());
    }
}
