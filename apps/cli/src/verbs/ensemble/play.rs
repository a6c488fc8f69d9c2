//! `proscenium ensemble play`: a walk along a motion graph.

use std::path::Path;
use std::sync::Arc;

use proscenium_chance::Seed;
use proscenium_clip::Clip;
use proscenium_ensemble::export::Take;
use proscenium_ensemble::transition::Shapes;
use proscenium_ensemble::{MotionGraph, Player, still};
use proscenium_picture::{Ground, Look, Picture, PictureError, film, frame_clip_with, render};
use proscenium_view::{Camera, Framing};
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use super::files::{Files, Kind, OutputFile};
use crate::VerbEnding;
use crate::arguments::EnsemblePlay;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::{columns, counted, three_digits};

const PNG_SIZE: (u32, u32) = (960, 540);
const GIF_SIZE: (u32, u32) = (480, 270);

pub fn run(options: &EnsemblePlay, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let kinds = options.outputs.iter().map(|path| Output::of(path)).collect::<Result<Vec<_>, _>>()?;
    let graph = super::read_graph(&options.graph)?;
    let interrupt = Interrupt::watch()?;
    let bar = Bar::new(console, "walking", &interrupt);
    let walked = Walk::new(&graph, options, seed, bar.progress())?;
    drop(bar);
    let Completion::Finished(walk) = walked else { return stopped(console) };
    let mut report = Report { seconds: options.seconds, ..walk.report };
    let take =
        Take::of_states(graph.data(), "walk", walk.frames.iter().map(|frame| frame.coordinates.clone()).collect());
    let mut files = Files {
        outputs: &options.outputs,
        modes: options.modes.into(),
        details: &[],
        textures: false,
        written: Vec::new(),
    };
    for (path, kind) in options.outputs.iter().zip(kinds) {
        let bar = Bar::new(console, "drawing", &interrupt);
        let made = match kind {
            Output::Gif => moving_picture(&graph, &walk.frames, options, bar.progress())?,
            Output::Png => picture(&graph, &walk.frames, options, bar.progress())?,
            Output::Take(kind) => {
                if files.write(path, kind, &take, bar.progress())? == Completion::Stopped {
                    return stopped(console);
                }
                continue;
            }
        };
        let Completion::Finished(bytes) = made else { return stopped(console) };
        output::write(path, &bytes)?;
        let note = if options.plain { "a walk" } else { "groups in transition are yellow" }.to_owned();
        files.written.push(OutputFile { path: path.display().to_string(), bytes: bytes.len(), note });
    }
    report.written = files.written;
    console.report(|| report.text(), &report)?;
    Ok(if interrupt.is_pressed() { VerbEnding::Interrupted } else { VerbEnding::Complete })
}

fn stopped(console: Console) -> Result<VerbEnding, Failure> {
    console.remark("stopped; files that were written before are whole");
    Ok(VerbEnding::Interrupted)
}

/// Every frame of a walk.
struct Walk {
    frames: Vec<Frame>,
    report: Report,
}

struct Frame {
    coordinates: Vec<Vec<f32>>,
    positions: Vec<[f32; 3]>,
    blending: Vec<bool>,
}

/// A condition that was wanted.
#[derive(Serialize)]
struct Wish {
    name: String,
    wanted_s: f64,
    promised_s: f64,
    arrived_s: Option<f64>,
}

#[derive(Default, Serialize)]
struct Report {
    seconds: f64,
    frames: usize,
    transitions: usize,
    interpenetrating_pairs: usize,
    blending_share: f64,
    wishes: Vec<Wish>,
    written: Vec<OutputFile>,
}

impl Walk {
    fn new(
        graph: &Arc<MotionGraph>,
        options: &EnsemblePlay,
        seed: u64,
        progress: &Progress,
    ) -> Result<Completion<Self>, Failure> {
        let rate = graph.data().frames_per_second();
        let shapes = Shapes::new(graph.data());
        let mut player = Player::new(graph, Seed(seed))?;
        let mut wants: Vec<(u64, usize)> = Vec::new();
        for (name, time) in &options.wants {
            wants.push(((time * rate) as u64, graph.level(name)?));
        }
        wants.sort_unstable();
        let count = ((options.seconds * rate) as u64).max(1);
        let mut report = Report::default();
        let mut frames = Vec::new();
        let mut last = None;
        for now in 0..count {
            if progress.tell("walking", now as f64 / count as f64).is_err() {
                return Ok(Completion::Stopped);
            }
            player.see(now);
            for &(_, level) in wants.iter().filter(|want| want.0 == now) {
                let promised_s = player.want(level)? as f64 / rate;
                let name = graph.data().conditions()[level].name.clone();
                report.wishes.push(Wish { name, wanted_s: now as f64 / rate, promised_s, arrived_s: None });
            }
            if let Some(wish) = report.wishes.last_mut().filter(|wish| wish.arrived_s.is_none()) {
                let arrived = player.frames_until(player.wanted()) == Some(0);
                wish.arrived_s = arrived.then_some(now as f64 / rate);
            }
            report.transitions += usize::from(player.transition_number().is_some_and(|number| last != Some(number)));
            last = player.transition_number();
            let mut positions = Vec::new();
            player.positions(&mut positions);
            report.interpenetrating_pairs += shapes.contact_test().touching(&positions).len();
            let blending: Vec<bool> = (0..graph.data().groups().len()).map(|group| player.is_blending(group)).collect();
            report.blending_share += blending.iter().filter(|&&blends| blends).count() as f64;
            frames.push(Frame { coordinates: player.coordinates().to_vec(), positions, blending });
        }
        report.frames = frames.len();
        report.blending_share /= (frames.len() * graph.data().groups().len()) as f64;
        Ok(Completion::Finished(Self { frames, report }))
    }
}

/// What a file is to hold.
enum Output {
    Gif,
    Png,
    Take(Kind),
}

impl Output {
    fn of(path: &Path) -> Result<Self, Failure> {
        Ok(match super::import::ending(path).as_str() {
            "gif" => Output::Gif,
            "png" => Output::Png,
            _ => match Kind::of(path)? {
                kind if kind.is_player() => return Err(Failure::NoWalk { path: path.to_owned() }),
                kind => Output::Take(kind),
            },
        })
    }
}

fn picture(
    graph: &MotionGraph,
    frames: &[Frame],
    options: &EnsemblePlay,
    progress: &Progress,
) -> Result<Completion<Vec<u8>>, Failure> {
    let at = options.at.unwrap_or(0.5 * options.seconds);
    let frame = &frames[((at * graph.data().frames_per_second()) as usize).min(frames.len() - 1)];
    let (width, height) = options.size.unwrap_or(PNG_SIZE);
    let look = look(frames, width, height);
    let camera = camera(graph, frames, &look)?;
    let Completion::Finished(drawn) = draw(graph, frame, &camera, &look, options.plain, progress)? else {
        return Ok(Completion::Stopped);
    };
    Ok(Completion::Finished(drawn.to_png()?))
}

fn moving_picture(
    graph: &MotionGraph,
    frames: &[Frame],
    options: &EnsemblePlay,
    progress: &Progress,
) -> Result<Completion<Vec<u8>>, Failure> {
    let (width, height) = options.size.unwrap_or(GIF_SIZE);
    let look = look(frames, width, height);
    let camera = camera(graph, frames, &look)?;
    let rate = graph.data().frames_per_second();
    let mut bytes = Vec::new();
    let at = |time: f64| &frames[((time * rate) as usize).min(frames.len() - 1)];
    let picture = |time: f64| draw(graph, at(time), &camera, &look, options.plain, progress);
    let footage = film(frames.len() as f64 / rate, f64::from(options.fps), picture, &mut bytes, progress)?;
    // What was drawn before a stop is a film, too.
    Ok(if footage.frames == 0 { Completion::Stopped } else { Completion::Finished(bytes) })
}

/// A floor at the height of zero for what stands on it; else a little below the
/// lowest vertex.
fn look(frames: &[Frame], width: u32, height: u32) -> Look {
    let lowest = frames.iter().flat_map(|frame| &frame.positions).map(|point| point[1]).fold(f32::INFINITY, f32::min);
    let stands = lowest.abs() < 0.02;
    let ground = if stands { 0.0 } else { f64::from(lowest) - 0.15 };
    Look { ground: Ground::At(ground), ..Look::sized(width, height) }
}

/// A camera that has the first frame in the picture.
fn camera(graph: &MotionGraph, frames: &[Frame], look: &Look) -> Result<Camera, Failure> {
    let clip = clip(graph, &frames[0], true)?;
    Ok(frame_clip_with(&clip, Framing::default().with_aspect(look.aspect()))?)
}

fn clip(graph: &MotionGraph, frame: &Frame, plain: bool) -> Result<Clip, PictureError> {
    let highlight = |group: usize| !plain && frame.blending[group];
    Ok(still(graph.data().name(), graph.data().groups(), &frame.positions, highlight)?)
}

fn draw(
    graph: &MotionGraph,
    frame: &Frame,
    camera: &Camera,
    look: &Look,
    plain: bool,
    progress: &Progress,
) -> Result<Completion<Picture>, PictureError> {
    render(&clip(graph, frame, plain)?, 0.0, camera, look, progress)
}

impl Report {
    fn text(&self) -> String {
        let row = |name: &str, text: String| vec![format!("  {name}"), text];
        let mut rows = vec![
            row("walked", format!("{} s, {}", three_digits(self.seconds), counted(self.frames, "frame", "frames"))),
            row(
                "transitions",
                format!(
                    "{}; {} % of all groups blend at a time",
                    self.transitions,
                    three_digits(100.0 * self.blending_share)
                ),
            ),
            row("interpenetrating", counted(self.interpenetrating_pairs, "pair", "pairs")),
        ];
        for wish in &self.wishes {
            let arrived = wish.arrived_s.map_or_else(
                || "not there yet".to_owned(),
                |at| format!("there after {} s", three_digits(at - wish.wanted_s)),
            );
            let text = format!(
                "wanted at {} s, promised in {} s, {arrived}",
                three_digits(wish.wanted_s),
                three_digits(wish.promised_s)
            );
            rows.push(row(&wish.name, text));
        }
        let mut text = columns(&rows);
        for file in &self.written {
            text.push_str(&format!("  wrote {} ({})\n", file.path, file.note));
        }
        text
    }
}
