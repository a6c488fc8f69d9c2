//! `proscenium ensemble export`: motion for other programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proscenium_chance::Seed;
use proscenium_ensemble::export::{Take, base_obj, to_glb, to_mdd, to_pc2, to_usda, to_vertex_texture};
use proscenium_ensemble::import::ImportError;
use proscenium_ensemble::{CompressedEnsemble, EnsembleError, MotionGraph, Player};
use proscenium_work::{Completion, Finish as _, Progress, Stopped};
use serde::Serialize;

use crate::VerbEnding;
use crate::arguments::EnsembleExport;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::{bytes, columns, three_digits};

/// What a file is to hold, by its ending.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Glb,
    Pc2,
    Mdd,
    Usda,
    Exr,
}

impl Kind {
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        Ok(match super::import::ending(path).as_str() {
            "glb" => Kind::Glb,
            "pc2" => Kind::Pc2,
            "mdd" => Kind::Mdd,
            "usda" => Kind::Usda,
            "exr" => Kind::Exr,
            _ => return Err(Failure::NoExport { path: path.to_owned() }),
        })
    }
}

pub fn run(options: &EnsembleExport, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let kinds = options.outputs.iter().map(|path| Kind::of(path)).collect::<Result<Vec<_>, _>>()?;
    let file = super::graph_file(&options.ensemble);
    let contents = std::fs::read(&file).map_err(|source| Failure::Read { path: file.clone(), source })?;
    let failed = |source: EnsembleError| Failure::Data { path: options.ensemble.clone(), source: source.into() };
    let interrupt = Interrupt::watch()?;
    let bar = Bar::new(console, "exporting", &interrupt);
    let (data, graph);
    let mut seam = None;
    let take = match (options.walk, options.cycle) {
        (_, Some(seconds)) => {
            graph = Arc::new(MotionGraph::from_bytes(&contents).map_err(failed)?);
            let level = match options.level.as_deref() {
                Some(name) => graph.level(name).map_err(failed)?,
                None => graph.levels().next().unwrap_or(0),
            };
            let cycle = graph.cycle(level, seconds)?;
            let rate = graph.data().frames_per_second();
            seam = Some((f64::from(cycle.frames()) / rate, cycle.seam(&graph)));
            Take::of_cycle(&graph, &cycle, graph.data().conditions()[level].name.as_str())
        }
        (Some(seconds), None) => {
            graph = Arc::new(MotionGraph::from_bytes(&contents).map_err(failed)?);
            let walked = walk(&graph, options.level.as_deref(), seconds, seed, bar.progress()).map_err(failed)?;
            let Completion::Finished(take) = walked else { return stopped(console) };
            take
        }
        (None, None) => {
            data = match CompressedEnsemble::from_bytes(&contents) {
                Ok(data) => data,
                // A graph has its data in it; if it is neither, what is wrong with it as data is told.
                Err(error) => {
                    MotionGraph::from_bytes(&contents).map(|graph| graph.data().clone()).map_err(|_| failed(error))?
                }
            };
            let sequence = sequence(&data, options.level.as_deref()).map_err(failed)?;
            let take = Take::of_sequence(&data, sequence);
            match options.seconds {
                Some(seconds) => take.shortened((seconds * data.frames_per_second()).clamp(1.0, 1e9) as usize),
                None => take,
            }
        }
    };
    let take = take.thinned(options.every as usize);
    let mut written = Vec::new();
    for (path, kind) in options.outputs.iter().zip(kinds) {
        let asked = (path.as_path(), options.outputs.as_slice());
        if write(asked, kind, &take, options.modes as usize, &mut written, bar.progress())? == Completion::Stopped {
            return stopped(console);
        }
    }
    drop(bar);
    let (loop_s, seam) = seam.unzip();
    let report = Report { frames: take.frame_count(), loop_s, seam, written };
    console.report(|| report.text(), &report)?;
    Ok(VerbEnding::Complete)
}

fn stopped(console: Console) -> Result<VerbEnding, Failure> {
    console.remark("stopped; files that were written before are whole");
    Ok(VerbEnding::Interrupted)
}

/// The first sequence of a level.
fn sequence(data: &CompressedEnsemble, level: Option<&str>) -> Result<usize, EnsembleError> {
    let Some(level) = level else { return Ok(0) };
    let names = || data.conditions().iter().map(|condition| condition.name.as_str());
    let found = data.sequences().iter().position(|sequence| data.conditions()[sequence.condition].name == level);
    found.ok_or_else(|| EnsembleError::Unknown {
        what: "condition",
        name: level.to_owned(),
        known: names().collect::<Vec<_>>().join(", "),
    })
}

/// A walk through the graph, frame by frame.
fn walk<'graph>(
    graph: &'graph Arc<MotionGraph>,
    level: Option<&str>,
    seconds: f64,
    seed: u64,
    progress: &Progress,
) -> Result<Completion<Take<'graph>>, EnsembleError> {
    let mut player = Player::new(graph, Seed(seed))?;
    if let Some(level) = level {
        player.want(graph.level(level)?)?;
    }
    let frames = (seconds * graph.data().frames_per_second()).clamp(1.0, 1e7) as u64;
    let counter = progress.counter("walking", frames as usize);
    let states = (0..frames).map(|frame| {
        counter.count()?;
        player.see(frame);
        Ok(player.coordinates().to_vec())
    });
    let states = states.collect::<Result<_, Stopped>>().finish();
    Ok(states.map(|states| Take::of_states(graph.data(), level.unwrap_or("walk"), states)))
}

/// Writes a take to one of the files that were asked for, and what belongs beside it
/// where it is none of the others.
pub(super) fn write(
    (path, all): (&Path, &[PathBuf]),
    kind: Kind,
    take: &Take,
    modes: usize,
    written: &mut Vec<OutputFile>,
    progress: &Progress,
) -> Result<Completion<()>, Failure> {
    let mut put = |path: PathBuf, contents: &[u8], note: String| {
        output::write(&path, contents)?;
        written.push(OutputFile { path: path.display().to_string(), bytes: contents.len(), note });
        Ok::<(), Failure>(())
    };
    let cache = |source| Failure::Data { path: path.to_owned(), source: ImportError::Cache(source) };
    match kind {
        Kind::Glb => {
            let Completion::Finished(glb) = to_glb(take, modes, progress)? else { return Ok(Completion::Stopped) };
            let (kept, all) = glb.modes;
            let error = three_digits(1e3 * glb.largest_error);
            put(path.to_owned(), &glb.bytes, format!("{kept} of {all} modes, {error} mm off at most"))
        }
        Kind::Pc2 | Kind::Mdd => {
            let made = if kind == Kind::Pc2 { to_pc2(take, progress) } else { to_mdd(take, progress) };
            let Completion::Finished(bytes) = made.map_err(cache)? else { return Ok(Completion::Stopped) };
            put(path.to_owned(), &bytes, "vertex cache".to_owned())?;
            put(path.with_extension("obj"), base_obj(take.data()).as_bytes(), "the mesh that it moves".to_owned())
        }
        Kind::Usda => {
            let Completion::Finished(text) = to_usda(take, progress) else { return Ok(Completion::Stopped) };
            put(path.to_owned(), text.as_bytes(), "points over time".to_owned())
        }
        Kind::Exr => {
            let Completion::Finished(texture) = to_vertex_texture(take, progress)? else {
                return Ok(Completion::Stopped);
            };
            let (width, height) = texture.size;
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let name = name.strip_suffix("_vat").unwrap_or(&name).to_owned();
            put(path.to_owned(), &texture.exr, format!("{width} × {height} pixels"))?;
            let json = path.with_file_name(format!("{name}-remap_info.json"));
            put(json, texture.json.as_bytes(), "ranges and frames".to_owned())?;
            let plain = path.with_file_name(format!("{name}.glb"));
            let mesh = if all.contains(&plain) { path.with_file_name(format!("{name}-mesh.glb")) } else { plain };
            put(mesh, &texture.glb, "the mesh that it moves".to_owned())
        }
    }?;
    Ok(Completion::Finished(()))
}

/// A file that was written.
#[derive(Serialize)]
pub(super) struct OutputFile {
    pub path: String,
    pub bytes: usize,
    pub note: String,
}

/// What an export came to.
#[derive(Serialize)]
struct Report {
    frames: usize,
    /// How long a loop is.
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_s: Option<f64>,
    /// Its largest acceleration where it closes, as a share of the data's.
    #[serde(skip_serializing_if = "Option::is_none")]
    seam: Option<f64>,
    written: Vec<OutputFile>,
}

impl Report {
    fn text(&self) -> String {
        let rows: Vec<Vec<String>> = self
            .written
            .iter()
            .map(|file| vec![file.path.clone(), bytes(file.bytes as u64), file.note.clone()])
            .collect();
        let closes = self.loop_s.zip(self.seam).map(|(seconds, seam)| {
            let seam = three_digits(seam);
            format!(
                "  a loop of {} s; accelerations at its seam are {seam} times the data's largest\n",
                three_digits(seconds)
            )
        });
        columns(&rows) + &closes.unwrap_or_default()
    }
}
