//! The studio as a program: built, started, asked, weighed and stopped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::error::LabError;

/// A studio that runs.
pub(super) struct Server {
    child: Child,
    /// Such as `127.0.0.1:43210`.
    pub address: String,
    folder: PathBuf,
    /// From its start until it said where it listens.
    pub started: Duration,
}

impl Server {
    pub(super) fn start(program: &Path) -> Result<Self, LabError> {
        let failed = |message: String| LabError::Studio(message);
        let folder = std::env::temp_dir().join(format!("proscenium-load-{}", std::process::id()));
        let began = Instant::now();
        let mut command = Command::new(program);
        command.args(["--port", "0", "--workspace"]).arg(&folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A group of its own: Ctrl-C reaches the lab, which decides.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(LabError::file("run", program))?;
        let mut line = String::new();
        let output = child.stdout.take().map(BufReader::new);
        if let Some(mut output) = output {
            output.read_line(&mut line).map_err(|error| failed(error.to_string()))?;
        }
        let started = began.elapsed();
        let address = line.split_whitespace().find_map(|word| word.strip_prefix("http://")).map(str::to_owned);
        let mut server = Self { child, address: String::new(), folder, started };
        server.address = address.ok_or_else(|| failed(format!("it did not say where it is: {line}")))?;
        Ok(server)
    }

    /// Asks for something, and reads the answer as JSON.
    pub(super) fn ask(&self, method: &str, path: &str, body: &str) -> Result<Value, LabError> {
        let (_, content) = fetch(&self.address, method, path, body.as_bytes())?;
        Ok(serde_json::from_slice(&content)?)
    }

    /// The memory that it holds, MB, where the system tells.
    pub(super) fn memory_mb(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
    }

    /// The processor time that it has used, seconds, where the system tells.
    pub(super) fn processor_s(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        let (_, fields) = status.rsplit_once(") ")?;
        let mut ticks = fields.split_whitespace().skip(11).map(|field| field.parse::<f64>().ok());
        // Linux counts hundredths.
        Some((ticks.next()?? + ticks.next()??) / 100.0)
    }
}

/// Asks a server for something: the status of the answer, and what is in it.
pub(super) fn fetch(address: &str, method: &str, path: &str, body: &[u8]) -> Result<(u16, Vec<u8>), LabError> {
    let failed = |error: std::io::Error| LabError::Studio(error.to_string());
    let mut stream = TcpStream::connect(address).map_err(failed)?;
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    let kind = format!("content-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{kind}").as_bytes()).map_err(failed)?;
    stream.write_all(body).map_err(failed)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).map_err(failed)?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").map_or(answer.len(), |end| end + 4);
    let status = answer.get(9..12).and_then(|code| std::str::from_utf8(code).ok()?.parse().ok());
    let status = status.ok_or_else(|| LabError::Studio(format!("no answer to {method} {path}")))?;
    Ok((status, answer.split_off(end)))
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that has ended already needs no end, and what it leaves is temporary.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The studio's program beside the lab's own, built if it is not there.
pub(super) fn program() -> Result<PathBuf, LabError> {
    let lab = std::env::current_exe().map_err(LabError::file("find", "the lab"))?;
    let path = lab.with_file_name(format!("proscenium-studio{}", std::env::consts::EXE_SUFFIX));
    let is_release = lab.parent().and_then(Path::file_name).is_some_and(|name| name == "release");
    if let Some(cargo) = std::env::var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--package=proscenium-studio"]).stdin(Stdio::null());
        if is_release {
            build.arg("--release");
        }
        // Where it cannot be built, an older one may do.
        let _ = build.status();
    }
    if path.is_file() {
        return Ok(path);
    }
    Err(LabError::Studio(format!(
        "{} is not there: build it with `cargo build --release -p proscenium-studio`",
        path.display()
    )))
}
