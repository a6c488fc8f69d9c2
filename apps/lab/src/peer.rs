//! Programs of other people, run for comparison.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::error::LabError;

/// Sends one line of JSON to a program and reads its answer.
pub(crate) fn ask(program: &Path, request: &Value) -> Result<Value, LabError> {
    let failed = |message: String| LabError::Peer { program: program.to_owned(), message };
    let system = |error: std::io::Error| failed(error.to_string());
    let piped = || Stdio::piped();
    let mut command = Command::new(program);
    let mut child = command.stdin(piped()).stdout(piped()).stderr(piped()).spawn().map_err(system)?;
    if let Some(mut input) = child.stdin.take() {
        // A program that stops reading says why in what it prints.
        let _ = writeln!(input, "{request}");
    }
    let output = child.wait_with_output().map_err(system)?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(format!("its answer is not JSON: {error}")))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_answer_comes_back() {
        let request = serde_json::json!({ "scene": "box", "n": 2 });
        assert_eq!(ask(Path::new("cat"), &request).unwrap(), request);
    }

    #[test]
    fn failures_name_the_program_and_the_remedy() {
        for program in ["false", "true", "no-such-program"] {
            let message = ask(Path::new(program), &Value::Null).unwrap_err().to_string();
            assert!(message.starts_with(program) && message.contains("cargo xtask peers"), "{message}");
        }
    }
}
