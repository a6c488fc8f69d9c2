//! The studio as a process, asked over plain HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::error::LabError;
use crate::experiment::Context;

const PROGRAM: &str = "proscenium-studio";

/// A studio that runs while this lives.
pub(super) struct Server {
    child: Child,
    /// Where it listens: an address and a port.
    pub(super) address: String,
    workspace: PathBuf,
}

/// Why the studio could not be measured.
pub(super) fn failed(message: impl std::fmt::Display) -> LabError {
    LabError::Peer { program: PathBuf::from(PROGRAM), message: message.to_string() }
}

/// The studio, where cargo puts it beside the lab.
pub(super) fn program() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    std::env::current_exe().ok()?.parent().map(|folder| folder.join(name)).filter(|program| program.is_file())
}

impl Server {
    /// Starts a studio with an empty workspace.
    pub(super) fn start(program: &Path) -> Result<Self, LabError> {
        let workspace = std::env::temp_dir().join(format!("proscenium-studio-load-{}", std::process::id()));
        let mut command = Command::new(program);
        command.args(["--port", "0", "--workspace"]).arg(&workspace).stdout(Stdio::piped()).stdin(Stdio::null());
        let mut child = command.spawn().map_err(failed)?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut line).map_err(failed)?;
        }
        let address = line.split_whitespace().find_map(|word| word.strip_prefix("http://")).map(str::to_owned);
        let mut server = Self { child, address: String::new(), workspace };
        server.address = address.ok_or_else(|| failed("it did not say where it listens"))?;
        Ok(server)
    }

    /// Simulates a scene, and names the take.
    pub(super) fn take(&self, scene: &str, context: &Context) -> Result<String, LabError> {
        let order = format!(r#"{{ "scene": {scene}, "seed": 1 }}"#);
        let mut report = self.ask("POST", "/api/takes", &order)?;
        loop {
            let id = report["id"].as_str().ok_or_else(|| failed(&report))?.to_owned();
            match report["state"].as_str() {
                Some("ready") => return Ok(id),
                Some("running") => {
                    context.check()?;
                    std::thread::sleep(Duration::from_millis(5));
                    report = self.ask("GET", &format!("/api/takes/{id}"), "")?;
                }
                _ => return Err(failed(&report)),
            }
        }
    }

    /// One request, on a connection of its own.
    fn ask(&self, method: &str, path: &str, body: &str) -> Result<Value, LabError> {
        let mut stream = TcpStream::connect(&self.address).map_err(failed)?;
        let (host, length) = (&self.address, body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(format!("{head}{body}").as_bytes()).map_err(failed)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).map_err(failed)?;
        let text = String::from_utf8_lossy(&answer);
        let (_, json) = text.split_once("\r\n\r\n").ok_or_else(|| failed("it did not answer"))?;
        serde_json::from_str(json).map_err(failed)
    }

    /// The memory that the server holds, MB; not a number where the system does
    /// not tell.
    pub(super) fn memory_mb(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse::<f64>().ok());
        kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1e3)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that has ended already needs no end.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.workspace);
    }
}
