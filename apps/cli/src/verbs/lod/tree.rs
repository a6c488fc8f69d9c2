//! `proscenium lod tree`: the levels of a tree, measured and drawn.

use proscenium_lod::VolumeModel;
use proscenium_lod::tree::LevelMeasure;
use proscenium_picture::{Ground, Look, Picture, contact_sheet, frame_clip, render};
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use super::{model, tree_settings};
use crate::VerbEnding;
use crate::arguments::LodTree;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::{columns, count, three_digits};

pub fn run(options: &LodTree, console: Console) -> Result<VerbEnding, Failure> {
    let interrupt = Interrupt::watch()?;
    let settings = tree_settings(&options.tree)?;
    let Some(model) = model(&options.mesh, settings, options.mesh_size, &interrupt, console)? else {
        return Ok(VerbEnding::Interrupted);
    };
    let bar = Bar::new(console, "measuring", &interrupt);
    let Completion::Finished(levels) = model.measure(bar.progress())? else {
        return Ok(VerbEnding::Interrupted);
    };
    drop(bar);
    let mut written = Vec::new();
    if let Some(path) = &options.save {
        output::write(path, &model.to_bytes())?;
        written.push(path.display().to_string());
    }
    if let Some(path) = &options.output {
        let bar = Bar::new(console, "drawing", &interrupt);
        let Some(picture) = draw(&model, &levels, bar.progress())? else {
            return Ok(VerbEnding::Interrupted);
        };
        output::write(path, &picture.to_png()?)?;
        written.push(path.display().to_string());
    }
    let report = Report::new(&model, &levels, written);
    console.report(|| report.text(), &report)?;
    Ok(VerbEnding::Complete)
}

/// Every level side by side, and the solid itself at the end; `None` if Ctrl-C
/// stopped it.
fn draw(model: &VolumeModel, levels: &[LevelMeasure], progress: &Progress) -> Result<Option<Picture>, Failure> {
    let look = Look { ground: Ground::None, ..Look::sized(360, 300) };
    let (mut pictures, mut labels) = (Vec::new(), Vec::new());
    let mut camera = None;
    for (done, level) in levels.iter().enumerate() {
        let share = |done: usize| done as f64 / (levels.len() + 1) as f64;
        let part = progress.part(share(done), share(done + 1));
        let Completion::Finished(clip) = model.level_clip(level.level, &part)? else {
            return Ok(None);
        };
        let camera = match &camera {
            Some(camera) => *camera,
            None => *camera.insert(frame_clip(&clip, look.aspect())?),
        };
        let Completion::Finished(picture) = render(&clip, 0.0, &camera, &look, &part)? else {
            return Ok(None);
        };
        pictures.push(picture);
        labels.push(format!("level {}: {} nodes", level.level, level.nodes));
    }
    if let Some(camera) = &camera {
        let mut clip = proscenium_clip::Clip::new(model.name());
        let mesh = clip.add_mesh(model.clip_mesh()?);
        clip.add_node(proscenium_clip::Node::new(model.name()).with_mesh(mesh));
        let Completion::Finished(picture) = render(&clip, 0.0, camera, &look, progress)? else {
            return Ok(None);
        };
        pictures.push(picture);
        labels.push(format!("{} triangles", model.mesh().triangles().len()));
    }
    Ok(Some(contact_sheet(&pictures, &labels, 4)?))
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
