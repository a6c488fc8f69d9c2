//! `proscenium ensemble import`: a mesh and its caches, compressed.

use std::path::{Path, PathBuf};
use std::time::Instant;

use proscenium_ensemble::import::{Grouping, ImportOptions, ImportReport, Up, assemble};
use proscenium_ensemble::{CompressedEnsemble, Ensemble, compress};
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use super::import::{Sources, stem};
use crate::VerbEnding;
use crate::arguments::{Axis, EnsembleImport, Groups};
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::{bytes, columns, count, counted, three_digits};

/// Joints and roots that are named one by one in the report.
const MOST_NAMED: usize = 8;

pub fn run(options: &EnsembleImport, console: Console) -> Result<VerbEnding, Failure> {
    let interrupt = Interrupt::watch()?;
    let sources = Sources {
        base: &options.base,
        caches: options.caches.iter().map(|cache| labelled(cache)).collect(),
        fps: options.fps,
        base_up: up(options.base_up),
        up: options.up.map(up),
    };
    let import = ImportOptions {
        name: options.name.clone().unwrap_or_else(|| stem(&options.base)),
        grouping: match options.groups {
            Groups::Auto => Grouping::Automatic,
            Groups::Objects => Grouping::Objects,
            Groups::Connected => Grouping::Connected,
            Groups::Motion => Grouping::Motion,
        },
        reach: options.attach_within,
        thickness: options.thickness,
    };
    let bar = Bar::new(console, "importing", &interrupt);
    let Completion::Finished(made) = make(&sources, &import, options.error, bar.progress())? else {
        drop(bar);
        console.remark("the ensemble was not compressed yet, so nothing was written");
        return Ok(VerbEnding::Interrupted);
    };
    drop(bar);
    let ImportedData { ensemble, compressed, found, dropped, compress_s } = made;
    let written = compressed.to_bytes();
    output::write(&options.output, &written)?;
    let mut report = Report::new(&ensemble, &compressed, &found, written.len(), &options.output);
    (report.dropped_frames, report.compress_s) = (dropped, compress_s);
    console.report(|| report.text(&found), &report)?;
    Ok(VerbEnding::Complete)
}

/// What was made of the sources.
struct ImportedData {
    ensemble: Ensemble,
    compressed: CompressedEnsemble,
    found: ImportReport,
    /// Frames in which groups interpenetrate.
    dropped: usize,
    compress_s: f64,
}

fn make(
    sources: &Sources,
    import: &ImportOptions,
    error: f64,
    progress: &Progress,
) -> Result<Completion<ImportedData>, Failure> {
    let Completion::Finished((mesh, motions)) = sources.read(&progress.part(0.0, 0.1))? else {
        return Ok(Completion::Stopped);
    };
    let assembled = assemble(&mesh, motions, import, &progress.part(0.1, 0.2))?;
    let Completion::Finished((ensemble, found)) = assembled else { return Ok(Completion::Stopped) };
    let Completion::Finished((ensemble, dropped)) = ensemble.cleaned(&progress.part(0.2, 0.4))? else {
        return Ok(Completion::Stopped);
    };
    let start = Instant::now();
    let compressed = compress(&ensemble, error, &progress.part(0.4, 1.0))?;
    let compress_s = start.elapsed().as_secs_f64();
    Ok(compressed.map(|compressed| ImportedData { ensemble, compressed, found, dropped, compress_s }))
}

fn up(axis: Axis) -> Up {
    match axis {
        Axis::Y => Up::Y,
        Axis::Z => Up::Z,
    }
}

/// Splits `LEVEL=FILE`; a file that is there under the whole name is meant.
fn labelled(cache: &str) -> (String, PathBuf) {
    match cache.split_once('=') {
        Some((level, path)) if !Path::new(cache).exists() => (level.to_owned(), path.into()),
        _ => {
            let path = PathBuf::from(cache);
            (stem(&path), path)
        }
    }
}

#[derive(Serialize)]
struct Joint {
    child: String,
    parent: String,
    distance_m: f64,
}

/// What an import came to.
#[derive(Serialize)]
struct Report {
    name: String,
    groups: usize,
    roots: Vec<String>,
    joints: Vec<Joint>,
    vertices: usize,
    triangles: usize,
    frames: usize,
    frames_per_second: f64,
    levels: Vec<String>,
    unused_vertices: usize,
    shared_vertices: usize,
    dropped_frames: usize,
    modes: usize,
    cache_bytes: usize,
    memory_bytes: usize,
    file_bytes: usize,
    largest_error_m: f64,
    compress_s: f64,
    output: String,
}

impl Report {
    fn new(
        ensemble: &Ensemble,
        compressed: &CompressedEnsemble,
        found: &ImportReport,
        file_bytes: usize,
        output: &Path,
    ) -> Self {
        let joint = |joint: &proscenium_ensemble::import::Joint| Joint {
            child: joint.child.clone(),
            parent: joint.parent.clone(),
            distance_m: joint.distance,
        };
        Report {
            name: ensemble.name().to_owned(),
            groups: ensemble.groups().len(),
            roots: found.roots.clone(),
            joints: found.joints.iter().map(joint).collect(),
            vertices: ensemble.vertex_count(),
            triangles: ensemble.triangle_count(),
            frames: ensemble.frame_count(),
            frames_per_second: ensemble.frames_per_second(),
            levels: ensemble.conditions().iter().map(|condition| condition.name.clone()).collect(),
            unused_vertices: found.unused_vertices,
            shared_vertices: found.shared_vertices,
            modes: compressed.rank(),
            cache_bytes: ensemble.plain_bytes(),
            memory_bytes: compressed.bytes(),
            file_bytes,
            largest_error_m: compressed.largest_error(),
            dropped_frames: 0,
            compress_s: 0.0,
            output: output.display().to_string(),
        }
    }

    fn text(&self, found: &ImportReport) -> String {
        let what = match found.grouping {
            Grouping::Objects => "the objects of the file",
            Grouping::Motion => "what moves as one",
            _ => "connected parts",
        };
        let row = |name: &str, text: String| vec![name.to_owned(), text];
        let mut rows = vec![
            row("groups", format!("{} ({what}), {} stand alone", self.groups, self.roots.len())),
            row(
                "mesh",
                format!("{} vertices, {} triangles", count(self.vertices as u64), count(self.triangles as u64)),
            ),
            row("levels", self.levels.join(", ")),
            row(
                "frames",
                format!("{} at {} per second", count(self.frames as u64), three_digits(self.frames_per_second)),
            ),
            row("modes", format!("{} in all", count(self.modes as u64))),
            row("error", format!("{} mm at most", three_digits(1e3 * self.largest_error_m))),
            row(
                "size",
                format!(
                    "{} in memory, {} in the file; as a plain cache {}",
                    bytes(self.memory_bytes as u64),
                    bytes(self.file_bytes as u64),
                    bytes(self.cache_bytes as u64)
                ),
            ),
        ];
        for joint in self.joints.iter().take(MOST_NAMED) {
            let distance = three_digits(1e3 * joint.distance_m);
            rows.push(row("attached", format!("{} to {}, within {distance} mm", joint.child, joint.parent)));
        }
        if self.joints.len() > MOST_NAMED {
            rows.push(row("attached", format!("… and {} more", self.joints.len() - MOST_NAMED)));
        }
        for (vertices, why) in [
            (self.unused_vertices, "of no triangle, left out"),
            (self.shared_vertices, "of several groups, given to each"),
        ] {
            if vertices > 0 {
                rows.push(row("note", format!("{} {why}", counted(vertices, "vertex", "vertices"))));
            }
        }
        if self.dropped_frames > 0 {
            let frames = counted(self.dropped_frames, "frame", "frames");
            rows.push(row("note", format!("{frames} in which groups interpenetrate, dropped")));
        }
        rows.push(row("wrote", format!("{} in {} s", self.output, three_digits(self.compress_s))));
        columns(&rows)
    }
}
