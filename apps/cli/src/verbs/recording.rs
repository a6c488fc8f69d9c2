//! Recorded and baked motions: from files to channels.

use std::path::{Path, PathBuf};

use proscenium_clip::glam::{DQuat, DVec3};
use proscenium_clip::{Clip, ClipError, GlbImport, GlbWarning, Node};
use proscenium_cull::recorded::{Recording, Sample, Variable};

use crate::failure::Failure;

/// Baked motions are sampled no more and no less often than this in a second. Chosen: what
/// keys are as dense as is kept.
const RATES: (f64, f64) = (10.0, 120.0);

/// Animations last equally long if they differ by no more than this share.
const SAME_LENGTH: f32 = 1e-3;

/// A coordinate that changes by less, metres, or a turn by less, radians, stands still.
const STILL: f64 = 1e-5;

/// An axis is fixed if turns are off it by no more than this share.
const FIXED: f64 = 1e-3;

/// A turn about no fixed axis may not come nearer than this to half a turn, radians.
const HALF: f64 = 2.9;

/// Reads the takes of a motion: `.csv`, or the nodes of `.glb` that have these names, or
/// all that move, in the animation that is asked for or the first. Also what was left out.
pub fn read(paths: &[PathBuf], nodes: &[String], animation: Option<&str>) -> Result<(Recording, Vec<String>), Failure> {
    let mut warnings = Vec::new();
    let mut all: Option<(Vec<Variable>, Vec<Sample>)> = None;
    let mut are_baked = true;
    for path in paths {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let (channels, samples) = match ending.as_deref() {
            Some("csv" | "tsv" | "txt") => {
                are_baked = false;
                let text =
                    std::fs::read_to_string(path).map_err(|source| Failure::Read { path: path.clone(), source })?;
                let recording =
                    Recording::from_csv(&text).map_err(|source| Failure::Recording { path: path.clone(), source })?;
                (recording.channels().to_vec(), recording.samples())
            }
            Some("glb") => {
                let import = match animation {
                    Some(name) => GlbImport::read_glb_animation(path, name),
                    None => GlbImport::read_glb(path).and_then(|import| with_others(path, import)),
                };
                let import = import.map_err(|source| Failure::Animation { path: path.clone(), source })?;
                warnings.extend(import.warnings.iter().map(ToString::to_string));
                baked(&import.clip, nodes, path)?
            }
            _ => return Err(Failure::NoRecording { path: path.clone() }),
        };
        match &mut all {
            None => all = Some((channels, samples)),
            Some((known, _)) if *known != channels => return Err(Failure::OtherChannels { path: path.clone() }),
            Some((_, takes)) => {
                // A value that is missing parts the takes.
                takes.push((f64::NAN, Vec::new()));
                takes.extend(samples);
            }
        }
    }
    let (channels, samples) = all.unwrap_or_default();
    let path = paths.first().cloned().unwrap_or_default();
    let recording = Recording::new(channels, samples).map_err(|source| Failure::Recording { path, source })?;
    let is_loop = are_baked && paths.len() == 1;
    Ok((if is_loop { recording.as_loop() } else { recording }, warnings))
}

/// Some programs write an animation for each thing that moves. Those of other nodes that last
/// as long as the first belong to it; what else there is stays left out, and is said.
fn with_others(path: &Path, mut import: GlbImport) -> Result<GlbImport, ClipError> {
    if import.clip.nodes.iter().all(|node| node.track.is_none()) {
        return Ok(import);
    }
    let duration = import.clip.duration_secs;
    let mut warnings = Vec::with_capacity(import.warnings.len());
    for warning in std::mem::take(&mut import.warnings) {
        if let GlbWarning::Animation { name } = &warning
            && !name.is_empty()
        {
            let other = GlbImport::read_glb_animation(path, name)?;
            let lasts_as_long = (other.clip.duration_secs - duration).abs() <= SAME_LENGTH * duration;
            let mut pairs = import.clip.nodes.iter().zip(&other.clip.nodes);
            let moves_others = pairs.all(|(node, other)| node.track.is_none() || other.track.is_none());
            if lasts_as_long && moves_others {
                for (node, other) in import.clip.nodes.iter_mut().zip(other.clip.nodes) {
                    node.track = node.track.take().or(other.track);
                }
                continue;
            }
        }
        warnings.push(warning);
    }
    Ok(GlbImport { warnings, ..import })
}

/// The channels of what moves in a clip, and their samples.
fn baked(clip: &Clip, nodes: &[String], path: &Path) -> Result<(Vec<Variable>, Vec<Sample>), Failure> {
    let moving: Vec<&Node> = clip.nodes.iter().filter(|node| node.track.is_some()).collect();
    for name in nodes {
        if !moving.iter().any(|node| node.name == *name) {
            let known = moving.iter().map(|node| node.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(Failure::NoNode { path: path.to_owned(), name: name.clone(), known });
        }
    }
    let times = times(clip);
    let mut channels: Vec<(Variable, Vec<f64>)> = Vec::new();
    for node in moving.into_iter().filter(|node| nodes.is_empty() || nodes.contains(&node.name)) {
        of_node(node, &times, path, &mut channels)?;
    }
    let row = |index: usize| channels.iter().map(|(_, values)| values[index]).collect();
    let samples = times.iter().enumerate().map(|(index, time)| (*time, row(index))).collect();
    Ok((channels.into_iter().map(|(variable, _)| variable).collect(), samples))
}

/// When a clip is looked at: as often as its keys are dense.
fn times(clip: &Clip) -> Vec<f64> {
    let tracks = clip.nodes.iter().filter_map(|node| node.track.as_ref());
    let steps = tracks.flat_map(|track| track.keys.windows(2).map(|pair| f64::from(pair[1].time - pair[0].time)));
    let densest = steps.fold(f64::INFINITY, f64::min).clamp(1.0 / RATES.1, 1.0 / RATES.0);
    let duration = f64::from(clip.duration_secs);
    let count = (duration / densest).round().max(1.0) as u32;
    (0..=count).map(|index| duration * f64::from(index) / f64::from(count)).collect()
}

fn of_node(node: &Node, times: &[f64], path: &Path, channels: &mut Vec<(Variable, Vec<f64>)>) -> Result<(), Failure> {
    let poses: Vec<_> = times.iter().map(|time| node.pose(*time as f32)).collect();
    let places: Vec<DVec3> = poses.iter().map(|pose| pose.position.as_dvec3()).collect();
    for (name, axis) in [("x", DVec3::X), ("y", DVec3::Y), ("z", DVec3::Z)] {
        let values: Vec<f64> = places.iter().map(|place| place.dot(axis)).collect();
        if range(&values) > STILL {
            channels.push((Variable::line(named(&node.name, name)), values));
        }
    }
    let first = poses.first().map_or(DQuat::IDENTITY, |pose| pose.orientation.as_dquat());
    let turns: Vec<DVec3> = poses.iter().map(|pose| turn(first.inverse() * pose.orientation.as_dquat())).collect();
    let largest =
        turns.iter().copied().fold(DVec3::ZERO, |most, turn| if turn.length() > most.length() { turn } else { most });
    if largest.length() <= STILL {
        return Ok(());
    }
    let axis = largest.normalize();
    if turns.iter().all(|turn| (*turn - axis * turn.dot(axis)).length() <= FIXED * turn.length().max(STILL)) {
        let values = turns.iter().map(|turn| turn.dot(axis)).collect();
        channels.push((Variable::angle(named(&node.name, "turn")), values));
        return Ok(());
    }
    if largest.length() > HALF {
        return Err(Failure::Tumbling { path: path.to_owned(), node: node.name.clone() });
    }
    for (name, axis) in [("turn_x", DVec3::X), ("turn_y", DVec3::Y), ("turn_z", DVec3::Z)] {
        let values: Vec<f64> = turns.iter().map(|turn| turn.dot(axis)).collect();
        if range(&values) > STILL {
            channels.push((Variable::line(named(&node.name, name)), values));
        }
    }
    Ok(())
}

fn range(values: &[f64]) -> f64 {
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)));
    high - low
}

/// The axis of a turn, as long as its angle (at most half a turn).
fn turn(orientation: DQuat) -> DVec3 {
    let orientation = if orientation.w < 0.0 { -orientation } else { orientation };
    orientation.to_scaled_axis()
}

/// A name that expressions can use.
fn named(node: &str, what: &str) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '_' };
    let name: String = node.chars().map(plain).collect();
    let name = if name.starts_with(|first: char| first.is_numeric()) { format!("_{name}") } else { name };
    format!("{name}_{what}")
}
