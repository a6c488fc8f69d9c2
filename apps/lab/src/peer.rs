//! Programs of other people, run for comparison.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::error::{Halt, LabError};
use crate::experiment::Context;

/// How often a program that works is looked at.
const PATIENCE: Duration = Duration::from_millis(10);

/// Sends one line of JSON to a program and reads its answer, which is a line
/// as well. An interruption ends the program.
pub(crate) fn ask(program: &Path, request: &Value, context: &Context) -> Result<Value, Halt> {
    ask_with(program, &[], request, context)
}

/// The same of a program that takes arguments, such as a script.
pub(crate) fn ask_with(program: &Path, arguments: &[&Path], request: &Value, context: &Context) -> Result<Value, Halt> {
    let failed = |message: String| LabError::Peer { program: program.to_owned(), message };
    let system = |error: std::io::Error| failed(error.to_string());
    let mut child = start(program, arguments).map_err(system)?;
    if let Some(mut input) = child.stdin.take() {
        // A program that stops reading says why in what it prints.
        let _ = writeln!(input, "{request}");
    }
    while child.try_wait().map_err(system)?.is_none() {
        if let Err(interrupted) = context.check() {
            child.kill().and_then(|()| child.wait()).map_err(system)?;
            return Err(interrupted);
        }
        std::thread::sleep(PATIENCE);
    }
    let output = child.wait_with_output().map_err(system)?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()).into());
    }
    Ok(serde_json::from_slice(&output.stdout).map_err(|error| failed(format!("its answer is not JSON: {error}")))?)
}

/// A program that is asked and answers a line of JSON at a time, until it is
/// dropped.
pub(crate) struct Conversation {
    program: PathBuf,
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Conversation {
    pub fn start(program: &Path) -> Result<Self, Halt> {
        let failed = |message: String| LabError::Peer { program: program.to_owned(), message };
        let mut child = start(program, &[]).map_err(|error| failed(error.to_string()))?;
        let answers = child.stdout.take().map(BufReader::new).ok_or_else(|| failed("it says nothing".to_owned()))?;
        Ok(Self { program: program.to_owned(), child, answers })
    }

    pub fn say(&mut self, value: &Value) -> Result<(), Halt> {
        let said = self.child.stdin.as_mut().map(|input| writeln!(input, "{value}").and_then(|()| input.flush()));
        match said {
            Some(Err(error)) => Err(self.failed(error.to_string()).into()),
            _ => Ok(()),
        }
    }

    pub fn listen(&mut self) -> Result<Value, Halt> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| self.failed(error.to_string()))?;
        Ok(serde_json::from_str(&line).map_err(|error| self.failed(format!("its answer is not JSON: {error}")))?)
    }

    fn failed(&self, message: String) -> LabError {
        LabError::Peer { program: self.program.clone(), message }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // One that has ended by itself cannot be ended again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(program: &Path, arguments: &[&Path]) -> std::io::Result<Child> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own: Ctrl-C reaches the lab, which decides.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use proscenium_work::{Remedy as _, Stop};

    use super::*;

    #[test]
    fn an_answer_comes_back() {
        let request = serde_json::json!({ "scene": "box", "n": 2 });
        assert_eq!(ask(Path::new("cat"), &request, &Context::new(1, true)).unwrap(), request);
    }

    #[test]
    fn a_conversation_goes_on() {
        let mut talk = Conversation::start(Path::new("cat")).unwrap();
        for number in 0..3 {
            talk.say(&serde_json::json!([number])).unwrap();
            assert_eq!(talk.listen().unwrap(), serde_json::json!([number]));
        }
    }

    #[test]
    fn failures_name_the_program_and_the_remedy() {
        for program in ["false", "true", "no-such-program"] {
            let Err(Halt::Failed(error)) = ask(Path::new(program), &Value::Null, &Context::new(1, true)) else {
                panic!("{program} answered");
            };
            let message = error.explain();
            assert!(message.starts_with(program) && message.contains("cargo xtask peers"), "{message}");
        }
    }

    #[test]
    fn an_interruption_ends_the_program() {
        let stop = Stop::new();
        stop.press();
        let context = Context::new(1, true).stopped_by(&stop);
        let endless = std::env::temp_dir().join(format!("proscenium-endless-{}", std::process::id()));
        std::fs::write(&endless, "#!/bin/sh\nexec sleep 60\n").unwrap();
        std::fs::set_permissions(&endless, std::fs::Permissions::from_mode(0o700)).unwrap();
        let start = std::time::Instant::now();
        let ended = ask(&endless, &Value::Null, &context);
        std::fs::remove_file(&endless).unwrap();
        assert!(matches!(ended, Err(Halt::Stopped)), "{ended:?}");
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
