//! `proscenium lod tree`: the levels of a tree, measured and drawn.

use std::path::Path;

use proscenium_lod::{LevelMeasure, VolumeModel};
use proscenium_picture::{Ground, Look, Picture, contact_sheet, frame_clip, render};
use proscenium_work::Progress;
use serde::Serialize;

use super::{build, mesh, tree_settings};
use crate::Outcome;
use crate::arguments::LodTree;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Interrupt, bar};
use crate::text::{columns, count, three_digits};

pub fn run(options: &LodTree, console: Console) -> Result<Outcome, Failure> {
    let interrupt = Interrupt::watch()?;
    let settings = tree_settings(&options.tree)?;
    let mesh = mesh(&options.mesh, console)?;
    let path = Path::new(&options.mesh);
    let name = path.file_stem().map_or(options.mesh.clone(), |stem| stem.to_string_lossy().into_owned());
    let model = build(&name, &mesh, settings, console)?;
    let progress = bar(console, 1000, "measuring");
    let measured = model.measure(&mut |share| {
        progress.set_position((1000.0 * share) as u64);
        !interrupt.is_pressed()
    });
    progress.finish_and_clear();
    let levels = match measured {
        Err(proscenium_lod::LodError::Stopped) => return Ok(Outcome::Interrupted),
        measured => measured?,
    };
    let mut written = Vec::new();
    if let Some(path) = &options.save {
        output::write(path, &model.to_bytes()?)?;
        written.push(path.display().to_string());
    }
    if let Some(path) = &options.output {
        output::write(path, &draw(&model, &levels)?.to_png()?)?;
        written.push(path.display().to_string());
    }
    let report = Report::new(&model, &levels, written);
    console.report(|| report.text(), &report)?;
    Ok(Outcome::Complete)
}

/// Every level side by side, and the solid itself at the end.
fn draw(model: &VolumeModel, levels: &[LevelMeasure]) -> Result<Picture, Failure> {
    let look = Look { ground: Ground::None, ..Look::sized(360, 300) };
    let (mut pictures, mut labels) = (Vec::new(), Vec::new());
    let mut camera = None;
    for level in levels {
        let clip = model.level_clip(level.level)?;
        let camera = match &camera {
            Some(camera) => *camera,
            None => *camera.insert(frame_clip(&clip, look.aspect())?),
        };
        pictures.extend(render(&clip, 0.0, &camera, &look, &Progress::none())?.finished());
        labels.push(format!("level {}: {} nodes", level.level, level.nodes));
    }
    if let Some(camera) = &camera {
        let mut clip = proscenium_clip::Clip::new(model.name());
        let mesh = clip.add_mesh(model.clip_mesh()?);
        clip.add_node(proscenium_clip::Node::new(model.name()).with_mesh(mesh));
        pictures.extend(render(&clip, 0.0, camera, &look, &Progress::none())?.finished());
        labels.push(format!("{} triangles", model.mesh().triangles().len()));
    }
    Ok(contact_sheet(&pictures, &labels, 4)?)
}

#[derive(Serialize)]
struct Level {
    level: u32,
    nodes: usize,
    excess_volume: f64,
    hausdorff_m: f64,
    mean_reach_m: f64,
}

#[derive(Serialize)]
struct Report {
    mesh: String,
    triangles: usize,
    volume_m3: f64,
    kind: &'static str,
    groups: u32,
    levels: Vec<Level>,
    written: Vec<String>,
}

impl Report {
    fn new(model: &VolumeModel, levels: &[LevelMeasure], written: Vec<String>) -> Self {
        let levels = levels.iter().map(|level| Level {
            level: level.level,
            nodes: level.nodes,
            excess_volume: level.excess_volume,
            hausdorff_m: level.hausdorff,
            mean_reach_m: level.mean_reach,
        });
        Self {
            mesh: model.name().to_owned(),
            triangles: model.mesh().triangles().len(),
            volume_m3: model.mesh().volume(),
            kind: model.settings().kind.name(),
            groups: model.groups(),
            levels: levels.collect(),
            written,
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "  {}: {} triangles, {} m³, {} surface groups; {} tree\n",
            self.mesh,
            count(self.triangles as u64),
            three_digits(self.volume_m3),
            self.groups,
            self.kind
        );
        let heading = ["level", "nodes", "excess volume", "Hausdorff (m)", "mean reach (m)"];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        rows.extend(self.levels.iter().map(|level| {
            vec![
                level.level.to_string(),
                count(level.nodes as u64),
                format!("{} %", three_digits(100.0 * level.excess_volume)),
                three_digits(level.hausdorff_m),
                three_digits(level.mean_reach_m),
            ]
        }));
        text.push_str(&columns(&rows));
        for path in &self.written {
            text.push_str(&format!("  wrote {path}\n"));
        }
        text
    }
}
