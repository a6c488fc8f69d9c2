//! `proscenium ensemble`: motion graphs of meshes in many parts.

mod build;
mod data_in;
mod data_out;
mod field;
mod files;
mod import;
mod play;
mod show;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proscenium_ensemble::MotionGraph;
use proscenium_ensemble::build::GRAPH;

use crate::VerbEnding;
use crate::arguments::{Ensemble, EnsembleVerb};
use crate::console::Console;
use crate::failure::Failure;

pub fn run(options: &Ensemble, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    match &options.verb {
        EnsembleVerb::Build(options) => build::run(options, seed, console),
        EnsembleVerb::Show(options) => show::run(options, seed, console),
        EnsembleVerb::Play(options) => play::run(options, seed, console),
        EnsembleVerb::Import(options) => data_in::run(options, console),
        EnsembleVerb::Field(options) => field::run(options, seed, console),
        EnsembleVerb::Export(options) => data_out::run(options, seed, console),
    }
}

/// The file of a graph: itself, or in the folder of a build.
fn graph_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(GRAPH) } else { path.to_owned() }
}

fn read_graph(path: &Path) -> Result<Arc<MotionGraph>, Failure> {
    let path = graph_file(path);
    let bytes = std::fs::read(&path).map_err(|source| Failure::Read { path, source })?;
    Ok(Arc::new(MotionGraph::from_bytes(&bytes)?))
}
