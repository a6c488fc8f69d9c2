//! Road networks that were uploaded.

use proscenium_city::{Map, Plan, import};
use proscenium_work::{Remedy, write_file};

use crate::api::NetworkReport;
use crate::failure::Failure;
use crate::workspace::Workspace;

/// Reads a file of OpenStreetMap or SUMO, and keeps what became of it.
///
/// # Errors
///
/// A name that cannot be, a file that is none of these, or a full disk.
pub fn keep(workspace: &Workspace, name: &str, bytes: &[u8]) -> Result<NetworkReport, Failure> {
    let path = workspace.network(name)?;
    let help = "send an OpenStreetMap extract (.osm.pbf or .osm) or a SUMO network (.net.xml)";
    let wrong = |error: &dyn Remedy| Failure::bad(error.to_string(), error.remedy().unwrap_or(help.into()));
    let imported = import::read(bytes).map_err(|error| wrong(&error))?;
    let map = Map::build(&imported.plan).map_err(|error| wrong(&error))?;
    let metres: f64 = map.roads().map(|road| f64::from(map.road(road).length)).sum();
    let notes = imported.report.notes.into_iter();
    let report = NetworkReport {
        name: name.to_owned(),
        format: imported.report.format.to_string(),
        roads: map.road_count() as u32,
        kilometres: (metres / 100.0).round() / 10.0,
        notes: notes.map(|note| (note.what, note.count as u32, note.examples)).collect(),
    };
    let text = serde_json::to_vec(&report).map_err(|error| Failure::machine(&error))?;
    // The report last: what has one is whole.
    let written = write_file(&path.with_extension("city"), &imported.plan.to_bytes())
        .and_then(|()| write_file(&path.with_extension("json"), &text));
    written.map_err(|error| Failure::machine(&error))?;
    Ok(report)
}

/// All networks, by name.
pub fn list(workspace: &Workspace) -> Vec<NetworkReport> {
    let files = std::fs::read_dir(workspace.networks()).into_iter().flatten().flatten();
    let is_report = |path: &std::path::PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let reports = files.map(|file| file.path()).filter(is_report);
    let mut found: Vec<NetworkReport> =
        reports.filter_map(|path| serde_json::from_slice(&std::fs::read(path).ok()?).ok()).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// The map of a network, and what kind of file it was.
///
/// # Errors
///
/// One that is not there, or cannot be read any more.
pub fn open(workspace: &Workspace, name: &str) -> Result<(Map, String), Failure> {
    let path = workspace.network(name)?;
    let gone = || Failure::missing("there is no network of this name", "GET /api/networks lists them");
    let read = |extension: &str| std::fs::read(path.with_extension(extension)).map_err(|_| gone());
    let report: NetworkReport = serde_json::from_slice(&read("json")?).map_err(|error| Failure::machine(&error))?;
    let wrong = |error: &dyn std::fmt::Display| Failure::bad(error.to_string(), "upload the network again");
    let plan = Plan::from_bytes(&read("city")?).map_err(|error| wrong(&error))?;
    Ok((Map::build(&plan).map_err(|error| wrong(&error))?, report.format))
}
