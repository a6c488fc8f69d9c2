//! Running other programs: what is run is printed first.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::report::{Outcome, TestCounts, is_ci};

/// A program to run, with its arguments.
pub struct Process {
    shown: String,
    command: Command,
}

/// Whether somebody builds the project here piece by piece: then notes are there.
fn is_developed(root: &Path) -> bool {
    let notes = std::fs::read_dir(root.join("target/debug/incremental"));
    let of_ours = |name: OsString| name.to_string_lossy().starts_with("proscenium");
    notes.is_ok_and(|mut notes| notes.any(|note| note.is_ok_and(|note| of_ours(note.file_name()))))
}

impl Process {
    /// A program run in the given folder.
    pub fn new(program: impl AsRef<OsStr>, arguments: &[&str], folder: &Path) -> Self {
        let name = Path::new(program.as_ref()).file_stem().unwrap_or(program.as_ref());
        let shown = std::iter::once(name.to_string_lossy().as_ref())
            .chain(arguments.iter().copied())
            .collect::<Vec<_>>()
            .join(" ");
        let mut command = Command::new(program.as_ref());
        command.args(arguments).current_dir(folder);
        if is_ci() {
            command.env("CARGO_TERM_COLOR", "never").env("CARGO_TERM_PROGRESS_WHEN", "never");
            // Nobody steps through these builds; what fails says where.
            command.env("CARGO_PROFILE_RELEASE_DEBUG", "false");
        }
        Self { shown, command }
    }

    /// The cargo that started this program, or else the one on the path.
    pub fn cargo(arguments: &[&str], folder: &Path) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut process = Self::new(cargo, arguments, folder);
        if is_ci() || !is_developed(folder) {
            // What is built once has no use for notes on how to build it again.
            process.command.env("CARGO_INCREMENTAL", "0");
        }
        process
    }

    /// Sets an environment variable, which is shown with the command.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.shown = format!("{name}={} {}", quoted(value), self.shown);
        self.command.env(name, value);
        self
    }

    /// Runs to the end, with the output going where ours goes.
    pub fn run(mut self) -> Outcome {
        println!("$ {}", self.shown);
        let status = self.command.status();
        self.outcome(status)
    }

    /// As [`Self::run`], and adds up the test results that pass by.
    pub fn run_counting(mut self, counts: &mut TestCounts) -> Outcome {
        println!("$ {}", self.shown);
        let child = self.command.stdout(Stdio::piped()).spawn();
        let status = child.and_then(|mut child| {
            copy_lines(&mut child, counts)?;
            child.wait()
        });
        self.outcome(status)
    }

    /// Runs to the end without a word of its own, for what talks to the user.
    pub fn run_plainly(mut self) -> Outcome {
        let status = self.command.status();
        self.outcome(status)
    }

    /// Runs to the end; what it says is shown only if it fails.
    pub fn run_quietly(mut self) -> Outcome {
        let output = self.command.stdin(Stdio::null()).output();
        if let Ok(output) = &output
            && !output.status.success()
        {
            println!("\n$ {}", self.shown);
            println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        }
        self.outcome(output.map(|output| output.status))
    }

    /// Runs to the end; what it says is returned, for who shows it later.
    pub fn run_captured(mut self) -> (Outcome, String) {
        let output = self.command.stdin(Stdio::null()).output();
        let said = output.as_ref().map_or_else(
            |_| String::new(),
            |output| format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)),
        );
        let outcome = self.outcome(output.map(|output| output.status));
        (outcome, format!("$ {}\n{said}", self.shown))
    }

    /// Runs silently and says whether it succeeded.
    pub fn succeeds(mut self) -> bool {
        let command = self.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// Runs silently and returns what it printed, if it succeeded.
    pub fn output(mut self) -> Option<String> {
        let output = self.command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn outcome(&self, status: std::io::Result<std::process::ExitStatus>) -> Outcome {
        match status {
            Ok(status) if status.success() => Outcome::Passed,
            Ok(status) => Outcome::Failed(format!("`{}` ended with {status}", self.shown)),
            Err(error) => Outcome::Failed(format!("`{}` did not run: {error}", self.shown)),
        }
    }
}

/// Copies the child's output to ours line by line, counting results.
fn copy_lines(child: &mut Child, counts: &mut TestCounts) -> std::io::Result<()> {
    let Some(output) = child.stdout.take() else {
        return Ok(());
    };
    let mut reader = BufReader::new(output);
    let mut line = Vec::new();
    // Bytes, not text: a test may print anything.
    while reader.read_until(b'\n', &mut line)? > 0 {
        counts.add_line(String::from_utf8_lossy(&line).trim_end());
        std::io::stdout().write_all(&line)?;
        line.clear();
    }
    Ok(())
}

fn quoted(value: &str) -> String {
    if value.contains(' ') { format!("\"{value}\"") } else { value.to_string() }
}

/// Whether a program is on the path and starts.
pub fn is_installed(program: &str, folder: &Path) -> bool {
    Process::new(program, &["--version"], folder).succeeds()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_tell_success_failure_and_absence_apart() {
        let here = Path::new(".");
        assert_eq!(Process::cargo(&["--version"], here).run(), Outcome::Passed);
        let Outcome::Failed(why) = Process::cargo(&["no-such-command"], here).run() else {
            panic!("an unknown command succeeded");
        };
        assert!(why.contains("cargo no-such-command"), "{why}");
        let Outcome::Failed(why) = Process::new("no-such-program", &[], here).run() else {
            panic!("an absent program ran");
        };
        assert!(why.contains("did not run"), "{why}");
        assert!(!is_installed("no-such-program", here));
        assert!(Process::cargo(&["--version"], here).output().is_some_and(|text| text.starts_with("cargo ")));
        assert_eq!(Process::cargo(&["no-such-command"], here).output(), None);
    }

    #[test]
    fn the_shown_command_can_be_pasted() {
        let process = Process::cargo(&["doc"], Path::new(".")).with("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(process.shown, "RUSTDOCFLAGS=\"-D warnings\" cargo doc");
    }
}
