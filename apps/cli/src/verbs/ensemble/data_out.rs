//! `proscenium ensemble export`: motion for other programs.

use std::sync::Arc;

use proscenium_chance::Seed;
use proscenium_ensemble::export::Take;
use proscenium_ensemble::{CompressedEnsemble, EnsembleError, MotionGraph, Player};
use proscenium_work::{Completion, Finish as _, Progress, Stopped};
use serde::Serialize;

use super::files::{Files, Kind, OutputFile, graph_of};
use crate::VerbEnding;
use crate::arguments::EnsembleExport;
use crate::console::Console;
use crate::failure::Failure;
use crate::progress::{Bar, Interrupt};
use crate::text::{bytes, columns, three_digits};

pub fn run(options: &EnsembleExport, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let kinds = options.outputs.iter().map(|path| Ok((path, Kind::of(path)?)));
    let kinds = kinds.collect::<Result<Vec<_>, Failure>>()?;
    let (players, motions): (Vec<_>, Vec<_>) = kinds.into_iter().partition(|(_, kind)| kind.is_player());
    let file = super::graph_file(&options.ensemble);
    let contents = std::fs::read(&file).map_err(|source| Failure::Read { path: file.clone(), source })?;
    let failed = |source: EnsembleError| Failure::Data { path: options.ensemble.clone(), source: source.into() };
    let interrupt = Interrupt::watch()?;
    let bar = Bar::new(console, "exporting", &interrupt);
    let mut files = Files {
        outputs: &options.outputs,
        modes: options.modes as usize,
        details: &options.details,
        textures: options.textures,
        written: Vec::new(),
    };
    if !players.is_empty() {
        let graph = graph_of(&contents, &options.ensemble)?;
        for (path, kind) in players {
            if files.player(path, kind, &graph, bar.progress())? == Completion::Stopped {
                return stopped(console);
            }
        }
    }
    if motions.is_empty() {
        drop(bar);
        let report = Report { frames: 0, loop_s: None, seam: None, written: files.written };
        console.report(|| report.text(), &report)?;
        return Ok(VerbEnding::Complete);
    }
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
    for (path, kind) in motions {
        if files.write(path, kind, &take, bar.progress())? == Completion::Stopped {
            return stopped(console);
        }
    }
    drop(bar);
    let (loop_s, seam) = seam.unzip();
    let report = Report { frames: take.frame_count(), loop_s, seam, written: files.written };
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
