//! `proscenium ensemble field`: a field of motion graphs in one wind.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DVec3;
use proscenium_chance::Seed;
use proscenium_clip::Clip;
use proscenium_ensemble::field::{
    Field, Instance, Kind, PlaceSettings, SweptVolume, TravellingWind, Walker, heading_for, place, side_for,
};
use proscenium_ensemble::{EnsembleError, MotionGraph, add_groups};
use proscenium_picture::{Ground, Look, frame_clip_with, render};
use proscenium_view::{Camera, Framing};
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use super::files::OutputFile;
use crate::VerbEnding;
use crate::arguments::EnsembleField;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::{bytes, columns, counted, three_digits};

/// Voxels in the height that the tallest sweeps. Chosen: a column may have 64, and some are
/// planted larger than they are.
const VOXELS: f64 = 48.0;
/// The boxes around clumps cover about one part in so many of the ground at first, and the
/// side grows by this much until all fit.
const ROOM: f64 = 2.0;
const GROWS: f64 = 1.1;
/// How much smaller and larger clumps are than their data.
const SIZES: [f64; 2] = [0.85, 1.15];
/// Pictures are so large, pixels.
const SIZE: (u32, u32) = (960, 540);

/// What a file is to hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Picture,
    Scene,
    Table,
    Json,
}

impl Target {
    fn of(path: &Path) -> Result<Self, Failure> {
        Ok(match super::import::ending(path).as_str() {
            "png" => Target::Picture,
            "glb" => Target::Scene,
            "csv" => Target::Table,
            "json" => Target::Json,
            _ => return Err(Failure::NoField { path: path.to_owned() }),
        })
    }
}

pub fn run(options: &EnsembleField, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let targets = options.outputs.iter().map(|path| Target::of(path)).collect::<Result<Vec<_>, _>>()?;
    let graphs = options.graphs.iter().map(|path| match &options.up_to {
        Some(name) => {
            let graph = super::read_graph(path)?;
            Ok(Arc::new(graph.up_to(graph.level(name)?)?))
        }
        None => super::read_graph(path),
    });
    let graphs = graphs.collect::<Result<Vec<_>, Failure>>()?;
    let interrupt = Interrupt::watch()?;
    let bar = Bar::new(console, "planting", &interrupt);
    let planted = plant(&graphs, options, Seed(seed), bar.progress())?;
    drop(bar);
    let Completion::Finished(planted) = planted else { return stopped(console) };
    let mut written = Vec::new();
    for (path, target) in options.outputs.iter().zip(targets) {
        let bar = Bar::new(console, "drawing", &interrupt);
        let contents = match target {
            Target::Table => Completion::Finished(planted.table(&options.graphs).into_bytes()),
            Target::Json => Completion::Finished(planted.json(&options.graphs)),
            Target::Scene => Completion::Finished(planted.clip(options.at)?.to_glb()?),
            Target::Picture => planted.picture(options, bar.progress())?,
        };
        let Completion::Finished(contents) = contents else { return stopped(console) };
        output::write(path, &contents)?;
        written.push(OutputFile {
            path: path.display().to_string(),
            bytes: contents.len(),
            note: match target {
                Target::Table | Target::Json => "where clumps stand, how they are turned, and how large they are",
                Target::Scene | Target::Picture => "a moment",
            }
            .to_owned(),
        });
    }
    let report = Report {
        instances: planted.field.instances().len(),
        side_m: planted.side,
        gust_m: planted.gust,
        seconds_between_levels: graphs.iter().map(|graph| graph.seconds_between_levels()).collect(),
        written,
    };
    console.report(|| report.text(), &report)?;
    Ok(VerbEnding::Complete)
}

fn stopped(console: Console) -> Result<VerbEnding, Failure> {
    console.remark("stopped; files that were written before are whole");
    Ok(VerbEnding::Interrupted)
}

/// A field that is planted.
struct Planted {
    field: Field,
    side: f64,
    gust: f64,
}

fn plant(
    graphs: &[Arc<MotionGraph>],
    options: &EnsembleField,
    seed: Seed,
    progress: &Progress,
) -> Result<Completion<Planted>, Failure> {
    let mut tallest = 1e-3_f64;
    for graph in graphs {
        match SweptVolume::height_of_graph(graph, progress) {
            Completion::Finished(height) => tallest = tallest.max(height),
            Completion::Stopped => return Ok(Completion::Stopped),
        }
    }
    let voxel = tallest / VOXELS;
    let mut swept = Vec::new();
    for graph in graphs {
        match SweptVolume::of_graph(graph, voxel, progress)? {
            Completion::Finished(volume) => swept.push(volume),
            Completion::Stopped => return Ok(Completion::Stopped),
        }
    }
    let weighed: Vec<(&SweptVolume, f64)> = swept.iter().map(|swept| (swept, 1.0)).collect();
    let count = options.count as usize;
    let [from, to] = [options.data_wind, options.wind].map(|(x, z)| [x, z]);
    let heading = heading_for(from, to).unwrap_or(0.0);
    let mut side = side_for(&weighed, count, ROOM);
    let instances = loop {
        let settings = PlaceSettings {
            area: [side; 2],
            count,
            sizes: SIZES,
            attempts: 200 * u64::from(options.count),
            heading,
            turns: options.turns.to_radians(),
        };
        let Completion::Finished(placement) = place(&weighed, &settings, seed, progress)? else {
            return Ok(Completion::Stopped);
        };
        if placement.instances.len() >= count {
            break placement.instances;
        }
        side *= GROWS;
    };
    let kinds = graphs.iter().zip(&swept).map(|(graph, swept)| Kind::new(graph, swept, &[]));
    let kinds = kinds.collect::<Result<Vec<_>, _>>()?;
    let levels = graphs.iter().filter_map(|graph| graph.levels().max()).max().map_or(1, |level| level + 1);
    let speed = (to[0] * to[0] + to[1] * to[1]).sqrt();
    let borrowed: Vec<&MotionGraph> = graphs.iter().map(AsRef::as_ref).collect();
    let gust = options.gust.unwrap_or_else(|| TravellingWind::gust_for(&borrowed, speed).max(1.0));
    let mut wind = TravellingWind::new([side.max(3.0 * gust); 2], gust, to, levels, seed)?;
    wind.set_strength(options.strength);
    let mut field = Field::new(kinds, instances, wind, seed)?;
    let walker = |&(x, z, radius): &(f64, f64, f64)| Walker { place: DVec3::new(x, 0.0, z), radius };
    field.set_walkers(&options.walkers.iter().map(walker).collect::<Vec<_>>());
    Ok(Completion::Finished(Planted { field, side, gust }))
}

impl Planted {
    /// All clumps at a moment.
    fn clip(&self, at: f64) -> Result<Clip, Failure> {
        let mut field = self.field.clone();
        let rate = field.kinds()[0].data(0).frames_per_second();
        // Over all of it, from so far away that nothing is left out.
        let far = 4.0 * self.side + 10.0;
        let above = DVec3::new(-0.01 * far, far, 0.0);
        let view = |error: proscenium_view::ViewError| EnsembleError::View { reason: error.to_string() };
        let camera = Camera { far: 3.0 * far, ..Camera::look_at(above, DVec3::ZERO, 1.0, 1.0).map_err(view)? };
        let mut clip = Clip::new("field");
        let mut wrong = None;
        let kinds = self.field.kinds();
        let instances: Vec<Instance> = field.instances().to_vec();
        // Frames are looked at one after another, so that clumps follow the wind until then.
        let last = (at * rate).clamp(0.0, 1e6) as u64;
        let first = last.saturating_sub((10.0 * rate) as u64);
        for frame in first..=last {
            field.look(frame, std::slice::from_ref(&camera), &mut |seen| {
                if frame == last {
                    let kind = instances[seen.instance as usize].kind;
                    let name = format!("clump-{}", seen.instance);
                    let added = add_groups(&mut clip, &name, kinds[kind].data(0).groups(), seen.positions);
                    wrong = wrong.take().or(added.err());
                }
            })?;
        }
        match wrong {
            Some(error) => Err(error.into()),
            None => Ok(clip),
        }
    }

    fn picture(&self, options: &EnsembleField, progress: &Progress) -> Result<Completion<Vec<u8>>, Failure> {
        let (width, height) = options.size.unwrap_or(SIZE);
        let look = Look { ground: Ground::At(0.0), ..Look::sized(width, height) };
        let clip = self.clip(options.at)?;
        let camera = frame_clip_with(&clip, Framing::default().with_aspect(look.aspect()))?;
        Ok(match render(&clip, 0.0, &camera, &look, progress)? {
            Completion::Finished(picture) => Completion::Finished(picture.to_png()?),
            Completion::Stopped => Completion::Stopped,
        })
    }

    fn rows<'all>(&'all self, graphs: &'all [PathBuf]) -> impl Iterator<Item = Clump> + 'all {
        self.field.instances().iter().map(|instance| Clump {
            graph: graphs[instance.kind].display().to_string(),
            x: instance.place.x,
            y: instance.place.y,
            z: instance.place.z,
            turn_degrees: instance.turn.to_degrees(),
            size: instance.size,
        })
    }

    fn table(&self, graphs: &[PathBuf]) -> String {
        let mut table = "graph,x,y,z,turn_degrees,size\n".to_owned();
        for Clump { graph, x, y, z, turn_degrees, size } in self.rows(graphs) {
            // Commas and quotes in names of files, as tables have them.
            let graph = if graph.contains([',', '"']) { format!("\"{}\"", graph.replace('"', "\"\"")) } else { graph };
            table += &format!("{graph},{x},{y},{z},{turn_degrees},{size}\n");
        }
        table
    }

    fn json(&self, graphs: &[PathBuf]) -> Vec<u8> {
        let clumps: Vec<Clump> = self.rows(graphs).collect();
        serde_json::to_vec_pretty(&clumps).expect("numbers and names are JSON")
    }
}

/// Where a clump stands: y up, metres, turned about y.
#[derive(Serialize)]
struct Clump {
    graph: String,
    x: f64,
    y: f64,
    z: f64,
    turn_degrees: f64,
    size: f64,
}

#[derive(Serialize)]
struct Report {
    instances: usize,
    side_m: f64,
    gust_m: f64,
    seconds_between_levels: Vec<f64>,
    written: Vec<OutputFile>,
}

impl Report {
    fn text(&self) -> String {
        let row = |name: &str, text: String| vec![format!("  {name}"), text];
        let side = three_digits(self.side_m);
        let clumps = counted(self.instances, "clump", "clumps");
        let slowest = self.seconds_between_levels.iter().copied().fold(0.0, f64::max);
        let mut rows = vec![
            row("planted", format!("{clumps} on {side} × {side} m")),
            row(
                "wind",
                format!(
                    "gusts {} m apart; clumps take {} s to another level",
                    three_digits(self.gust_m),
                    three_digits(slowest)
                ),
            ),
        ];
        rows.extend(
            self.written.iter().map(|file| row(&file.path, format!("{}, {}", bytes(file.bytes as u64), file.note))),
        );
        columns(&rows)
    }
}
