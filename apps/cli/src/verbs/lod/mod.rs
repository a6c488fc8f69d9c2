//! `proscenium lod`: concave bodies in a box, within a budget.

mod study;
mod tree;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use proscenium_chance::Seed;
use proscenium_clip::Clip;
use proscenium_lod::contact::Reduction;
use proscenium_lod::glam::DVec3;
use proscenium_lod::mesh::{built_in, read_mesh};
use proscenium_lod::scene::figure_of;
use proscenium_lod::world::Schedule;
use proscenium_lod::{
    Budget, Crowd, FrameReport, LodError, Recorder, Settings, TreeKind, TreeSettings, Viewer, VolumeModel, World,
};
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use crate::VerbEnding;
use crate::arguments::{FrameBudget, Lod, LodVerb, SceneChoice, Simulate, TreeChoice};
use crate::console::Console;
use crate::failure::Failure;
use crate::output::{self, WrittenFile};
use crate::progress::{Bar, Interrupt};
use crate::render;
use crate::text::{bytes, columns, count, seconds, three_digits};

/// Frames per second.
const RATE: f64 = 60.0;

pub fn run(options: &Lod, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    match &options.verb {
        Some(LodVerb::Tree(options)) => return tree::run(options, console),
        Some(LodVerb::Study(options)) => return study::run(options, seed, console),
        None => {}
    }
    output::check(&options.outputs)?;
    let interrupt = Interrupt::watch()?;
    let settings = settings(options)?;
    let figure = options.scene.as_deref().and_then(figure_of);
    let (count, tree) = (options.count as usize, tree_settings(&options.tree)?);
    let crowd = Crowd { count, tree, figure, ..Crowd::default() };
    let Some((name, models)) = models(options, &crowd, &interrupt, console)? else {
        return Ok(VerbEnding::Interrupted);
    };
    let radius = models.iter().map(|model| model.radius()).fold(0.0, f64::max);
    let viewer = Viewer { gaze: options.gaze, ..crowd.viewer(radius, 16.0 / 9.0)? };
    let mut world = crowd.world(&models, settings, Seed(seed))?;
    let mut recorder = Recorder::new();
    recorder.look(&world)?;
    let frames = (options.duration * RATE).ceil().max(1.0) as u32;
    let run = run_frames(&mut world, &mut recorder, &viewer, frames, options.budget, &interrupt, console)?;
    let clip = if options.outputs.is_empty() { None } else { clip(&recorder, &name, &world, &interrupt, console)? };
    let mut written = Vec::new();
    let simulate = Simulate {
        camera: None,
        scene: SceneChoice { scene: name.clone(), settings: Vec::new() },
        outputs: Vec::new(),
        duration: None,
        contacts: false,
        at: options.at,
        trail: Some(0),
        size: options.size,
        fps: 25,
    };
    for (output, clip) in options.outputs.iter().zip(clip.iter().cycle()) {
        if let Some(rendered) = render::render(output, clip, (&simulate, None), &interrupt, console)? {
            written.push(WrittenFile::write(output, rendered)?);
        }
    }
    let report = Report { scene: name, bodies: world.len(), seed, run, outputs: written };
    console.report(|| report.text(options), &report)?;
    if options.outputs.is_empty() && !console.is_json() {
        console.remark("nothing was written: add -o NAME.glb (or .png, .gif, .json) to keep it");
    }
    Ok(if interrupt.is_pressed() { VerbEnding::Interrupted } else { VerbEnding::Complete })
}

fn settings(options: &Lod) -> Result<Settings, LodError> {
    let schedule = Schedule::find(&options.schedule)?;
    let reduction =
        Reduction::ALL.into_iter().find(|reduction| reduction.name() == options.reduction).ok_or_else(|| {
            LodError::Unknown {
                what: "reduction",
                name: options.reduction.clone(),
                known: Reduction::ALL.map(Reduction::name).join(", "),
            }
        })?;
    let gravity = if options.weightless { DVec3::ZERO } else { Settings::default().gravity };
    Ok(Settings { schedule, reduction, gravity, ..Settings::default() })
}

fn tree_settings(tree: &TreeChoice) -> Result<TreeSettings, LodError> {
    Ok(TreeSettings { kind: TreeKind::find(&tree.kind)?, depth: tree.depth })
}

/// The model of a mesh, from a file or by its name, and what it is called; `None`
/// if Ctrl-C stopped it. What had to be mended is told.
fn model(
    name: &str,
    settings: TreeSettings,
    size: Option<f64>,
    interrupt: &Interrupt,
    console: Console,
) -> Result<Option<VolumeModel>, Failure> {
    let bar = Bar::new(console, "building", interrupt);
    let path = Path::new(name);
    let mesh = if path.extension().is_none() {
        built_in(name, 5000)?
    } else {
        let content = std::fs::read(path).map_err(|source| Failure::Read { path: path.to_owned(), source })?;
        let Completion::Finished((mesh, repair)) = read_mesh(name, &content, &bar.progress().part(0.0, 0.3))? else {
            return Ok(None);
        };
        if !repair.is_clean() {
            console.remark(&format!("{name} was mended: {repair}"));
        }
        mesh
    };
    let mesh = match size {
        None => mesh,
        Some(size) => {
            let (scaled, factor) = mesh.sized(size)?;
            console.remark(&format!("{name} was scaled by {} to {size} m", three_digits(factor)));
            scaled
        }
    };
    let stem = path.file_stem().map_or(name.to_owned(), |stem| stem.to_string_lossy().into_owned());
    Ok(VolumeModel::build(&stem, &mesh, settings, &bar.progress().part(0.3, 1.0))?.finished())
}

/// What a crowd is called, and the models that it is made of.
type NamedModels = (String, Vec<Arc<VolumeModel>>);

/// The models of a scene, or of a mesh; `None` if Ctrl-C stopped it.
fn models(
    options: &Lod,
    crowd: &Crowd,
    interrupt: &Interrupt,
    console: Console,
) -> Result<Option<NamedModels>, Failure> {
    if let Some(path) = &options.mesh {
        let model = model(&path.display().to_string(), crowd.tree, options.mesh_size, interrupt, console)?;
        return Ok(model.map(|model| (model.name().to_owned(), vec![Arc::new(model)])));
    }
    let scene = options.scene.clone().unwrap_or_default();
    let bar = Bar::new(console, "building", interrupt);
    let models = crowd.models(&scene, bar.progress())?.finished();
    Ok(models.map(|models| (scene, models)))
}

/// The frames as a clip. Those of a run that was stopped are kept in any case;
/// who stops the clip itself gets none.
fn clip(
    recorder: &Recorder,
    name: &str,
    world: &World,
    interrupt: &Interrupt,
    console: Console,
) -> Result<Option<Clip>, Failure> {
    let bar = Bar::new(console, "keeping", interrupt);
    let progress = if interrupt.is_pressed() { &Progress::none() } else { bar.progress() };
    Ok(recorder.clip(name, world, progress)?.finished())
}

/// What the frames of a run came to.
#[derive(Clone, Debug, Default, Serialize)]
struct Run {
    frames: u32,
    simulated_seconds: f64,
    #[serde(skip)]
    last_collisions: u64,
    mean_collisions: f64,
    mean_level: f64,
    mean_tests: f64,
    most_spent: u64,
    frames_that_missed_the_root_level: u32,
    frame_ms_median: f64,
    frame_ms_longest: f64,
}

impl Run {
    fn add(&mut self, report: &FrameReport) {
        self.frames += 1;
        self.last_collisions = report.collisions;
        self.mean_collisions += report.collisions as f64;
        self.mean_level += report.mean_level;
        self.mean_tests += report.tests as f64;
        self.most_spent = self.most_spent.max(report.spent);
        self.frames_that_missed_the_root_level += u32::from(report.uncovered > 0);
    }

    fn finish(&mut self, now: f64, took: &mut [f64]) {
        let frames = f64::from(self.frames.max(1));
        self.simulated_seconds = now;
        self.mean_collisions /= frames;
        self.mean_level /= frames;
        self.mean_tests /= frames;
        took.sort_by(f64::total_cmp);
        self.frame_ms_median = took.get(took.len() / 2).copied().unwrap_or(0.0);
        self.frame_ms_longest = took.last().copied().unwrap_or(0.0);
    }
}

fn run_frames(
    world: &mut World,
    recorder: &mut Recorder,
    viewer: &Viewer,
    frames: u32,
    budget: FrameBudget,
    interrupt: &Interrupt,
    console: Console,
) -> Result<Run, Failure> {
    let bar = Bar::new(console, "running", interrupt);
    let start = Instant::now();
    let clock = || start.elapsed();
    let budget = match budget {
        FrameBudget::Tests(tests) => Budget::Tests(tests),
        FrameBudget::Time(time) => Budget::Time(time, &clock),
    };
    let (mut run, mut took) = (Run::default(), Vec::new());
    for frame in 1..=frames {
        let doing = format!("{} collisions", count(run.last_collisions));
        if bar.progress().tell(&doing, f64::from(frame - 1) / f64::from(frames)).is_err() {
            break;
        }
        let before = start.elapsed();
        let report = world.advance(f64::from(frame) / RATE, &[*viewer], budget)?;
        took.push((start.elapsed() - before).as_secs_f64() * 1e3);
        run.add(&report);
        recorder.look(world)?;
    }
    run.finish(world.now(), &mut took);
    Ok(run)
}

#[derive(Serialize)]
struct Report {
    scene: String,
    bodies: usize,
    seed: u64,
    #[serde(flatten)]
    run: Run,
    outputs: Vec<WrittenFile>,
}

impl Report {
    fn text(&self, options: &Lod) -> String {
        let run = &self.run;
        let budget = match options.budget {
            FrameBudget::Tests(tests) => {
                format!("{} node tests, at most {} used", count(tests), count(run.most_spent))
            }
            FrameBudget::Time(time) => format!(
                "{}; the longest frame took {}",
                seconds(time.as_secs_f64()),
                seconds(run.frame_ms_longest * 1e-3)
            ),
        };
        let mut rows = vec![
            ("bodies".to_owned(), count(self.bodies as u64)),
            ("simulated".to_owned(), format!("{} s in {} frames", three_digits(run.simulated_seconds), run.frames)),
            (
                "collisions".to_owned(),
                format!("{} per frame, at level {:.2}", three_digits(run.mean_collisions), run.mean_level),
            ),
            ("budget".to_owned(), budget),
            ("a frame".to_owned(), format!("{} (median)", seconds(run.frame_ms_median * 1e-3))),
        ];
        if run.frames_that_missed_the_root_level > 0 {
            let missed =
                format!("{} frames did not reach every pair: give more", run.frames_that_missed_the_root_level);
            rows.push(("too small".to_owned(), missed));
        }
        rows.extend(
            self.outputs.iter().map(|file| (file.path.clone(), format!("{}, {}", bytes(file.bytes as u64), file.what))),
        );
        columns(&rows.into_iter().map(|(key, value)| vec![key, value]).collect::<Vec<_>>())
    }
}
