//! What is said, and where: results on standard output, everything that
//! comments on them on standard error.

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

use crate::failure::Failure;

/// How the user wants to be spoken to.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    quiet: bool,
    json: bool,
}

impl Console {
    pub fn new(quiet: bool, json: bool) -> Self {
        Self { quiet, json }
    }

    pub fn is_json(self) -> bool {
        self.json
    }

    /// Whether a person watches standard error and wants to.
    pub fn shows_progress(self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Prints what was asked for, such as a file or a list.
    pub fn print(self, text: &str) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            // Whoever read us has seen enough; files are still to be written.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(Failure::StandardOutput),
        }
    }

    /// Reports what was done: as text to a person, as JSON to a script.
    pub fn report(self, text: impl FnOnce() -> String, json: impl Serialize) -> Result<(), Failure> {
        if self.json {
            let mut line =
                serde_json::to_string_pretty(&json).map_err(|error| Failure::StandardOutput(error.into()))?;
            line.push('\n');
            self.print(&line)
        } else if self.quiet {
            Ok(())
        } else {
            self.print(&text())
        }
    }

    /// Says something beside the result: a warning, a hint, a next step.
    pub fn remark(self, text: &str) {
        if !self.quiet {
            complain(text);
        }
    }
}

/// Writes a line to standard error. If nobody listens there, there is nobody
/// to tell.
pub fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether output may be coloured: on a terminal, unless the user objects
/// (see no-color.org) or the terminal cannot.
pub fn is_colourful(stream: &impl io::IsTerminal) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    stream.is_terminal() && !refused && !dumb
}
