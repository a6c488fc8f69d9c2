//! `proscenium direct`: animations that end as wanted.

use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proscenium_chance::Seed;
use proscenium_clip::Clip;
use proscenium_direct::SamplerOptions;
use proscenium_director::{Animation, Ending, Order, RunReport, RunStatus, direct_to_gallery, gallery_scene};
use proscenium_gallery::Gallery;
use proscenium_scenes::{DIFFERENT, Directed, Drawn, Scene, SimulateOptions, find};
use proscenium_show::wall::Wall;
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use super::gallery::gathered;
use crate::Outcome;
use crate::arguments::Direct;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt, bar};
use crate::text::{columns, count, counted, seconds, three_digits};

/// The file of a run in its folder.
pub const GALLERY: &str = "gallery.sqlite";

pub fn run(options: &Direct, seed: u64, console: Console) -> Result<Outcome, Failure> {
    let (directed, order, folder) = prepare(options, seed)?;
    let interrupt = Interrupt::watch()?;
    let start = Instant::now();
    let report = search(&directed, &folder.join(GALLERY), &order, &interrupt, console)?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let files = write(&directed, &folder, &report, options, &interrupt, console)?;
    let summary = Summary::new(directed.scene(), &report, order.samples, wall_seconds, &folder, files);
    console.report(|| summary.text(), &summary)?;
    Ok(match report.ending {
        Ending::Enough if !interrupt.is_pressed() => Outcome::Complete,
        Ending::Budget => Outcome::Short,
        _ => Outcome::Interrupted,
    })
}

/// What is directed, how, and where to.
fn prepare(options: &Direct, seed: u64) -> Result<(Directed, Order, PathBuf), Failure> {
    let samples = options.samples.into();
    if let Some(folder) = &options.resume {
        let (scene, run) = gallery_scene(&folder.join(GALLERY), Path::new(""))?;
        let order = Order { samples, seed: Seed(run.seed), options: run.options, budget: options.budget };
        return Ok((Directed::new(&scene)?, order, folder.clone()));
    }
    let settings: Vec<(&str, f64)> = options.settings.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let name = options.scene.as_deref().unwrap_or_default();
    let scene = match &options.pins {
        Some(pins) => find(&format!("{name}={pins}"), &settings)?,
        None => find(name, &settings)?,
    };
    let scene = options.wants.iter().try_fold(scene, |scene, want| scene.with_wants(want))?;
    // What cannot be directed is told before a folder is made for it.
    let directed = Directed::new(&scene)?;
    let folder = options.output.clone().unwrap_or_default();
    std::fs::create_dir_all(&folder).map_err(|source| Failure::Write { path: folder.clone(), source })?;
    let sampling = SamplerOptions { method: options.method.map(|method| method.method()), ..SamplerOptions::default() };
    Ok((directed, Order { samples, seed: Seed(seed), options: sampling, budget: options.budget }, folder))
}

fn search(
    directed: &Directed,
    gallery: &Path,
    order: &Order,
    interrupt: &Interrupt,
    console: Console,
) -> Result<RunReport, Failure> {
    let target = if console.shows_progress() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("  {bar:20} {msg} · {elapsed}   (Ctrl-C keeps what is found)")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(Some(1), target).with_style(style.progress_chars("━╸─"));
    let mut said = false;
    let report = direct_to_gallery(directed, gallery, order, &interrupt.progress(), &mut |now: &RunStatus<'_>| {
        if let Some(choice) = now.choice.as_ref().filter(|_| !said) {
            said = true;
            bar.suspend(|| console.remark(&format!("  {choice}")));
        }
        bar.set_length(now.needed as u64);
        bar.set_position(now.different.min(now.needed) as u64);
        bar.set_message(format!("{}/{} found · {} simulations", now.different, now.needed, count(now.simulations)));
        Ok(())
    });
    bar.finish_and_clear();
    Ok(report?)
}

/// A file that was written.
#[derive(Serialize)]
struct Written {
    path: String,
    what: String,
}

impl Written {
    fn new(path: &Path, what: impl Into<String>) -> Self {
        Self { path: path.display().to_string(), what: what.into() }
    }
}

/// Writes what was found, and what came closest if nothing was.
fn write(
    directed: &Directed,
    folder: &Path,
    report: &RunReport,
    options: &Direct,
    interrupt: &Interrupt,
    console: Console,
) -> Result<Vec<Written>, Failure> {
    let mut files = Vec::new();
    let (mut clips, mut labels) = (Vec::new(), Vec::new());
    let progress = interrupt.for_what_follows().progress();
    let bar = bar(console, report.animations.len() as u64, "writing");
    for (place, animation) in report.animations.iter().enumerate() {
        let drawn = directed.drawn(&animation.entry.sample.point).map_err(|error| Failure::Director(error.into()))?;
        let Some(clip) = simulated(&drawn, &progress)? else {
            break;
        };
        let name = name(place, report.animations.len());
        output::write(&folder.join(format!("{name}.glb")), &clip.to_glb()?)?;
        labels.push(name);
        clips.push(clip);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let (Some(first), Some(last)) = (labels.first(), labels.last()) {
        let names = if clips.len() == 1 { format!("{first}.glb") } else { format!("{first}.glb … {last}.glb") };
        files.push(Written::new(&folder.join(names), alike(report)));
        if !options.no_pictures {
            let wall = Wall::new(&clips, &labels, &directed.scene().wanted_bodies())?;
            pictures(&wall, folder, interrupt, console, &mut files)?;
        }
    } else if let Some(closest) = &report.closest {
        let path = folder.join("closest.glb");
        if let Some(clip) = simulated(&closest.drawn, &progress)? {
            output::write(&path, &clip.to_glb()?)?;
            files.push(Written::new(&path, "what came closest"));
        }
    }
    traces(folder, &mut files)?;
    let more =
        format!("continue with: proscenium direct --resume {} --samples {}", folder.display(), 2 * options.samples);
    files.push(Written::new(&folder.join(GALLERY), more));
    Ok(files)
}

fn pictures(
    wall: &Wall<'_>,
    folder: &Path,
    interrupt: &Interrupt,
    console: Console,
    files: &mut Vec<Written>,
) -> Result<(), Failure> {
    if let Completion::Finished(sheet) = wall.sheet(&interrupt.for_what_follows().progress())? {
        let path = folder.join("sheet.png");
        output::write(&path, &sheet.to_png()?)?;
        files.push(Written::new(&path, "look at all of them"));
    }
    let bar = Bar::new(console, "drawing", interrupt);
    if let Completion::Finished(bytes) = wall.film(bar.progress())? {
        let path = folder.join("sheet.gif");
        output::write(&path, &bytes)?;
        files.push(Written::new(&path, "all of them in motion"));
    }
    Ok(())
}

/// What the chains did, for ArviZ.
fn traces(folder: &Path, files: &mut Vec<Written>) -> Result<(), Failure> {
    let gallery = Gallery::open(folder.join(GALLERY))?;
    let path = folder.join("traces.json");
    output::write(&path, gathered(&gallery)?.to_arviz_json().map_err(Failure::Traces)?.as_bytes())?;
    files.push(Written::new(&path, "for ArviZ: how the run went"));
    Ok(())
}

/// The clip of a scene that was drawn; `None` if it is stopped.
pub fn simulated(drawn: &Drawn, progress: &Progress) -> Result<Option<Clip>, Failure> {
    let simulation = drawn.simulate(&SimulateOptions::default(), progress)?;
    Ok((!simulation.stopped).then_some(simulation.clip))
}

/// `01`, `02`, …
fn name(place: usize, count: usize) -> String {
    let digits = count.to_string().len().max(2);
    format!("{:0digits$}", place + 1)
}

/// How much the chosen animations differ.
fn alike(report: &RunReport) -> String {
    let kept = report.animations.len();
    let least = report.animations.iter().filter_map(|animation| animation.difference.as_ref());
    match least.min_by(|a, b| a.radii.total_cmp(&b.radii)) {
        Some(least) => format!(
            "{kept} animations, no two alike (least difference: {} radii, {})",
            three_digits(least.radii),
            counted(least.contacts, "other contact", "other contacts")
        ),
        None => "one animation".to_owned(),
    }
}

/// A sample, as scripts see it.
#[derive(Serialize)]
struct SampleJson {
    file: String,
    number: usize,
    log_score: f64,
    wants_met: Vec<bool>,
    radii: Option<f64>,
    other_contacts: Option<usize>,
}

impl SampleJson {
    fn new(place: usize, count: usize, animation: &Animation) -> Self {
        Self {
            file: format!("{}.glb", name(place, count)),
            number: animation.index + 1,
            log_score: animation.entry.sample.log_score,
            wants_met: animation.entry.wants_met.clone(),
            radii: animation.difference.map(|difference| difference.radii),
            other_contacts: animation.difference.map(|difference| difference.contacts),
        }
    }
}

/// What came closest, as scripts see it.
#[derive(Serialize)]
struct ClosestJson {
    wants_met: Vec<bool>,
    log_score: f64,
    in_the_way: String,
    met_in: u64,
    of: u64,
}

/// What a run came to.
#[derive(Serialize)]
struct Summary<'a> {
    scene: &'a str,
    wants: Vec<String>,
    method: Option<String>,
    ended: &'static str,
    ordered: usize,
    samples: Vec<SampleJson>,
    found: u64,
    different: usize,
    definition: &'static str,
    simulations: u64,
    abandoned: u64,
    first_success: Option<u64>,
    wall_seconds: f64,
    closest: Option<ClosestJson>,
    refusal: Option<&'a str>,
    folder: String,
    files: Vec<Written>,
}

impl<'a> Summary<'a> {
    fn new(
        scene: &'a Scene,
        report: &'a RunReport,
        ordered: usize,
        wall_seconds: f64,
        folder: &Path,
        files: Vec<Written>,
    ) -> Self {
        let wants: Vec<String> = scene.wants().map(str::to_owned).collect();
        let chosen = report.animations.iter().enumerate();
        let closest = report.closest.as_ref().filter(|_| report.animations.len() < ordered);
        Self {
            scene: scene.name(),
            method: report.choice.as_ref().map(ToString::to_string),
            ended: match report.ending {
                Ending::Enough => "enough",
                Ending::Budget => "budget",
                Ending::Stopped => "stopped",
            },
            ordered,
            samples: chosen.map(|(place, one)| SampleJson::new(place, report.animations.len(), one)).collect(),
            found: report.found,
            different: report.different,
            definition: DIFFERENT,
            simulations: report.effort.simulations,
            abandoned: report.effort.abandoned,
            first_success: report.first_success,
            wall_seconds,
            closest: closest.map(|closest| ClosestJson {
                wants_met: closest.wants_met.clone(),
                log_score: closest.log_score,
                in_the_way: wants.get(closest.obstacle).cloned().unwrap_or_default(),
                met_in: closest.obstacle_met.0,
                of: closest.obstacle_met.1,
            }),
            refusal: report.refusal.as_deref(),
            folder: folder.display().to_string(),
            files,
            wants,
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "  {} of {} found · {} simulations · {}\n",
            self.samples.len(),
            self.ordered,
            count(self.simulations),
            seconds(self.wall_seconds)
        );
        text.push_str(&self.samples_text());
        if let Some(closest) = &self.closest {
            text.push_str(&self.closest_text(closest));
        }
        if let Some(refusal) = self.refusal {
            text.push_str(&format!("  nothing could be simulated: {refusal}\n"));
        }
        let rows: Vec<Vec<String>> = self.files.iter().map(|file| vec![file.path.clone(), file.what.clone()]).collect();
        text.push_str(&columns(&rows));
        if self.samples.len() > 1 {
            text.push_str(&format!("  {} different of {} found: {}\n", self.different, self.found, self.definition));
        }
        text
    }

    /// Which wants each sample meets, and how it differs.
    fn samples_text(&self) -> String {
        let rows = self.samples.iter().map(|sample| {
            let met: String = sample.wants_met.iter().map(|met| if *met { '●' } else { '○' }).collect();
            let differs = match (sample.radii, sample.other_contacts) {
                (Some(radii), Some(contacts)) => {
                    let contacts = counted(contacts, "other contact", "other contacts");
                    format!("{} radii and {contacts} from the one most alike", three_digits(radii))
                }
                _ => String::new(),
            };
            let score = format!("log score {}", three_digits(sample.log_score));
            vec![sample.file.clone(), met, score, differs]
        });
        let mut text = columns(&rows.collect::<Vec<_>>());
        if !self.samples.is_empty() {
            text.push_str(&format!("  ● {}\n", self.wants.join("\n  ● ")));
        }
        text
    }

    fn closest_text(&self, closest: &ClosestJson) -> String {
        let mut text = "  what came closest:\n".to_owned();
        for (want, met) in self.wants.iter().zip(&closest.wants_met) {
            text.push_str(&format!("    {} {want}\n", if *met { '●' } else { '○' }));
        }
        text.push_str(&format!(
            "  \"{}\" stands in the way: met in {} of {} simulations\n",
            closest.in_the_way,
            count(closest.met_in),
            count(closest.of)
        ));
        text.push_str("  try: a larger tolerance, a wider density, or more of --budget\n");
        text
    }
}
