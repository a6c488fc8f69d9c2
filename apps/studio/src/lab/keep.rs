//! What a run of an experiment leaves in the workspace, so that it is found again.

use std::path::Path;

use crate::api::{LabJob, RunState};

use proscenium_work::write_file;

/// So many lines of what was said are kept.
pub(super) const LINES: usize = 400;

/// Keeps how far a run is.
pub(super) fn write(folder: &Path, name: &str, job: &LabJob) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    write_file(&folder.join(format!("{name}.json")), &serde_json::to_vec_pretty(job)?)
}

/// What the lab says at the end goes to this file.
pub(super) fn table(folder: &Path, name: &str) -> std::io::Result<std::fs::File> {
    std::fs::create_dir_all(folder)?;
    std::fs::File::create(folder.join(format!("{name}.txt")))
}

/// What it said at the end, by lines.
pub(super) fn said(folder: &Path, name: &str) -> Vec<String> {
    let text = std::fs::read(folder.join(format!("{name}.txt"))).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().take(LINES).map(str::to_owned).collect()
}

/// All runs of a workspace, with what they said; those that were under way have
/// stopped.
pub(super) fn read_all(folder: &Path) -> Vec<(String, LabJob, Vec<String>)> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let jobs = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    jobs.filter_map(|path| {
        let name = path.file_stem()?.to_str()?.to_owned();
        let mut job: LabJob = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
        if matches!(job.state, RunState::Waiting | RunState::Running) {
            job.state = RunState::Stopped;
        }
        let log = std::mem::take(&mut job.log);
        Some((name, job, log))
    })
    .collect()
}
