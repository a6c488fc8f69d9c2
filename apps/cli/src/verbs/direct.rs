//! `proscenium direct`: animations that end as wanted.

use std::path::Path;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proscenium_clip::Clip;
use proscenium_direct::Settling;
use proscenium_direct::diagnostics::Diagnosis;
use proscenium_director::{
    Animation, Ending, Order, Pick, Restless, RunReport, RunStatus, direct_to_gallery, judge_again,
};
use proscenium_gallery::Gallery;
use proscenium_scenes::{DIFFERENT, DirectedScene, DrawnScene, Scene, SimulateOptions};
use proscenium_show::wall::Wall;
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use super::begin::{Begun, LIST, Listed, begin};
use super::gallery::gathered;
use crate::VerbEnding;
use crate::arguments::{Direct, PickName};
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt, bar};
use crate::text::{columns, count, counted, log_score, seconds, three_digits};

/// The file of a run in its folder.
pub const GALLERY: &str = "gallery.sqlite";

pub fn run(options: &Direct, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let interrupt = Interrupt::watch()?;
    // What cannot be directed is told before a folder is made for it.
    let Some(Begun { directed, order, remark }) = begin(options, seed, &interrupt.progress())? else {
        return Ok(VerbEnding::Interrupted);
    };
    let folder = options.resume.clone().or_else(|| options.output.clone()).unwrap_or_default();
    std::fs::create_dir_all(&folder).map_err(|source| Failure::Write { path: folder.clone(), source })?;
    if let Some(remark) = remark {
        console.remark(&format!("  {remark}"));
    }
    let start = Instant::now();
    let report = search(&directed, &folder.join(GALLERY), &order, &interrupt, console)?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let files = write(&directed, &folder, &report, options, &interrupt, console)?;
    let summary = Summary::new(directed.scene(), &report, &order, wall_seconds, &folder, files);
    console.report(|| summary.text(), &summary)?;
    Ok(match report.ending {
        Ending::Enough if !interrupt.is_pressed() => VerbEnding::Complete,
        Ending::Budget => VerbEnding::Short,
        _ => VerbEnding::Interrupted,
    })
}

fn search(
    directed: &DirectedScene,
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
    let mut found_before = None;
    let report = direct_to_gallery(directed, gallery, order, &interrupt.progress(), &mut |now: &RunStatus<'_>| {
        if let Some(choice) = now.choice.as_ref().filter(|_| !said) {
            said = true;
            bar.suspend(|| console.remark(&format!("  {choice}")));
        }
        bar.set_length(1000);
        bar.set_position((1000.0 * now.done) as u64);
        let found = now.found - *found_before.get_or_insert(now.found);
        bar.set_message(far(now, order.pick, left(now, found, bar.elapsed().as_secs_f64())));
        Ok(())
    });
    bar.finish_and_clear();
    let report = report?;
    if let Some(choice) = report.choice.as_ref().filter(|_| !said) {
        console.remark(&format!("  {choice}"));
    }
    Ok(report)
}

/// How many seconds it takes to find the rest as fast as some were found.
fn left(now: &RunStatus<'_>, found: usize, elapsed: f64) -> Option<f64> {
    let missing = now.needed.saturating_sub(now.found);
    (found > 0 && missing > 0).then(|| elapsed * missing as f64 / found as f64)
}

/// How far a run is, in a line: what came closest until something is found, then about
/// how long the rest takes.
fn far(now: &RunStatus<'_>, pick: Pick, left: Option<f64>) -> String {
    let simulations = count(now.simulations);
    if let (Pick::Likely, Some(settling)) = (pick, now.settling) {
        return format!("{settling} · {simulations} simulations");
    }
    let nearest = match now.nearest.filter(|_| now.wants > 1) {
        Some(met) => format!(" · nearest: {met} of {} wants", now.wants),
        None => String::new(),
    };
    let left = left.map(|left| format!(" · about {} left", seconds(left))).unwrap_or_default();
    format!("{}/{} found{nearest}{left} · {simulations} simulations", now.found, now.needed)
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
    directed: &DirectedScene,
    folder: &Path,
    report: &RunReport,
    options: &Direct,
    interrupt: &Interrupt,
    console: Console,
) -> Result<Vec<Written>, Failure> {
    let mut files = Vec::new();
    let (mut clips, mut labels) = (Vec::new(), Vec::new());
    let progress = interrupt.for_what_follows().progress();
    let run = Gallery::open(folder.join(GALLERY))?.run()?;
    let bar = bar(console, report.animations.len() as u64, "writing");
    for (place, animation) in report.animations.iter().enumerate() {
        let drawn = directed.drawn(&animation.entry.sample.point).map_err(|error| Failure::Director(error.into()))?;
        let Some(clip) = simulated(&drawn, &progress)? else {
            break;
        };
        let name = name(place, report.animations.len());
        if let Some(Some(warning)) = judge_again(directed, &animation.entry, &run, &progress)?.finished() {
            bar.suspend(|| console.remark(&format!("warning: {name}: {warning}")));
        }
        output::write(&folder.join(format!("{name}.glb")), &clip.to_glb()?)?;
        labels.push(name);
        if clips.len() < Wall::MOST {
            clips.push(clip);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    list(folder, &labels, report)?;
    if let (Some(first), Some(last)) = (labels.first(), labels.last()) {
        let names = if labels.len() == 1 { format!("{first}.glb") } else { format!("{first}.glb … {last}.glb") };
        files.push(Written::new(&folder.join(names), picked(report, options.pick)));
        if !options.no_pictures {
            let wall = Wall::new(&clips, &labels, &directed.scene().wanted_bodies())?;
            // Whoever has put up a camera looks through it.
            let wall = match directed.scene().first_camera() {
                Some(camera) => wall.taken_by(&camera),
                None => wall,
            };
            pictures(&wall, labels.len() <= Wall::MOST, folder, interrupt, console, &mut files)?;
        }
    } else if let Some(closest) = &report.closest {
        let path = folder.join("closest.glb");
        if let Some(clip) = simulated(&closest.drawn, &progress)? {
            output::write(&path, &clip.to_glb()?)?;
            files.push(Written::new(&path, "what came closest"));
        }
    }
    traces(folder, &mut files)?;
    let pick = if options.pick == PickName::Likely { " --pick likely" } else { "" };
    let samples = 2 * options.samples;
    let more = format!("continue with: proscenium direct --resume {} --samples {samples}{pick}", folder.display());
    files.push(Written::new(&folder.join(GALLERY), more));
    Ok(files)
}

/// Notes which sample each animation is, for those who come back for one.
fn list(folder: &Path, names: &[String], report: &RunReport) -> Result<(), Failure> {
    let listed = names.iter().zip(&report.animations);
    let listed: Vec<Listed> =
        listed.map(|(name, animation)| Listed { name: name.clone(), number: animation.index + 1 }).collect();
    let text = serde_json::to_vec(&listed).map_err(Failure::Traces)?;
    output::write(&folder.join(LIST), &text)
}

fn pictures(
    wall: &Wall<'_>,
    is_all: bool,
    folder: &Path,
    interrupt: &Interrupt,
    console: Console,
    files: &mut Vec<Written>,
) -> Result<(), Failure> {
    if let Completion::Finished(sheet) = wall.sheet(&interrupt.for_what_follows().progress())? {
        let path = folder.join("sheet.png");
        output::write(&path, &sheet.to_png()?)?;
        files.push(Written::new(&path, if is_all { "look at all of them" } else { "look at the first of them" }));
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
pub fn simulated(drawn: &DrawnScene, progress: &Progress) -> Result<Option<Clip>, Failure> {
    let simulation = drawn.simulate(&SimulateOptions::default(), progress)?;
    Ok((!simulation.stopped).then_some(simulation.clip))
}

/// `01`, `02`, …
fn name(place: usize, count: usize) -> String {
    let digits = count.to_string().len().max(2);
    format!("{:0digits$}", place + 1)
}

/// What the animations are that were picked.
fn picked(report: &RunReport, pick: PickName) -> String {
    let kept = report.animations.len();
    if pick == PickName::Likely {
        let mut places: Vec<usize> = report.animations.iter().map(|animation| animation.index).collect();
        places.sort_unstable();
        places.dedup();
        let often = if places.len() < kept { format!(", {} of them once", places.len()) } else { String::new() };
        return format!("{}, a fair draw{often}", counted(kept, "animation", "animations"));
    }
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
    phase: u32,
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
            phase: animation.entry.sample.phase,
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
    abandoned: u64,
}

/// What did not come to rest, as scripts see it.
#[derive(Serialize)]
struct RestlessJson<'a> {
    body: &'a str,
    still: &'static str,
    times: u64,
    of: u64,
    abandoned: u64,
    remedy: &'static str,
}

impl<'a> RestlessJson<'a> {
    fn new(restless: &'a Restless) -> Self {
        Self {
            body: &restless.body,
            still: restless.unrest.words(),
            times: restless.times,
            of: restless.whole,
            abandoned: restless.abandoned,
            remedy: restless.unrest.remedy(),
        }
    }

    fn text(&self) -> String {
        let before = abandoned_before(self.abandoned);
        format!(
            "  {} was still {} at the end in {} of {} simulations{before}: {}\n",
            self.body,
            self.still,
            count(self.times),
            count(self.of),
            self.remedy
        )
    }
}

/// How many simulations more are not counted, since they were abandoned.
fn abandoned_before(abandoned: u64) -> String {
    match abandoned {
        0 => String::new(),
        abandoned => format!(" ({} more were abandoned before)", count(abandoned)),
    }
}

/// Whether chains agree, as scripts see it.
#[derive(Serialize)]
struct SettlingJson {
    settled: bool,
    words: String,
    phase: u32,
    r_hat: Option<f64>,
    effective_size: f64,
    wanted: f64,
    simulations_left: Option<u64>,
    quantities: Vec<QuantityJson>,
}

#[derive(Serialize)]
struct QuantityJson {
    name: String,
    r_hat: f64,
    bulk_effective_size: f64,
    tail_effective_size: f64,
}

impl SettlingJson {
    fn new(settling: &Settling, simulations_left: Option<u64>) -> Self {
        let quantity = |(name, diagnosis): &(String, Diagnosis)| QuantityJson {
            name: name.clone(),
            r_hat: diagnosis.r_hat,
            bulk_effective_size: diagnosis.bulk_effective_size,
            tail_effective_size: diagnosis.tail_effective_size,
        };
        Self {
            settled: settling.is_settled(),
            words: settling.to_string(),
            phase: settling.phase,
            r_hat: settling.r_hat,
            effective_size: settling.effective_size,
            wanted: settling.wanted,
            simulations_left,
            quantities: settling.quantities.iter().map(quantity).collect(),
        }
    }
}

/// A move, as scripts see it.
#[derive(Serialize)]
struct MoveJson {
    name: String,
    proposed: u64,
    accepted: f64,
}

/// What a run came to.
#[derive(Serialize)]
struct Summary<'a> {
    scene: &'a str,
    wants: Vec<String>,
    method: Option<String>,
    ended: &'static str,
    pick: &'static str,
    settling: Option<SettlingJson>,
    moves: Vec<MoveJson>,
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
    restless: Option<RestlessJson<'a>>,
    refusal: Option<&'a str>,
    folder: String,
    files: Vec<Written>,
}

impl<'a> Summary<'a> {
    fn new(
        scene: &'a Scene,
        report: &'a RunReport,
        order: &Order,
        wall_seconds: f64,
        folder: &Path,
        files: Vec<Written>,
    ) -> Self {
        let ordered = order.samples;
        let wants: Vec<String> = scene.wants().map(str::to_owned).collect();
        let made = report.moves.iter().filter(|(_, counts)| counts.proposed > 0);
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
            pick: match order.pick {
                Pick::Likely => "likely",
                Pick::Different => "different",
            },
            settling: report.settling.as_ref().map(|settling| SettlingJson::new(settling, report.simulations_left)),
            moves: made
                .map(|(name, counts)| MoveJson {
                    name: name.clone(),
                    proposed: counts.proposed,
                    accepted: counts.acceptance(),
                })
                .collect(),
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
                abandoned: closest.abandoned,
            }),
            restless: report.restless.as_ref().filter(|_| report.animations.len() < ordered).map(RestlessJson::new),
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
        text.push_str(&self.settling_text());
        if let Some(closest) = &self.closest {
            text.push_str(&self.closest_text(closest));
        }
        if let Some(restless) = &self.restless {
            text.push_str(&restless.text());
        }
        if let Some(refusal) = self.refusal {
            text.push_str(&format!("  nothing could be simulated: {refusal}\n"));
        }
        let rows: Vec<Vec<String>> = self.files.iter().map(|file| vec![file.path.clone(), file.what.clone()]).collect();
        text.push_str(&columns(&rows));
        if self.samples.len() > 1 && self.pick == "different" {
            text.push_str(&format!(
                "  picked because they differ (a search; for a fair draw: --pick likely): {} different of {} found: {}\n",
                self.different, self.found, self.definition
            ));
        }
        text
    }

    /// Whether a fair draw is one, what it would take if not, and which moves did it.
    fn settling_text(&self) -> String {
        let Some(settling) = self.settling.as_ref().filter(|_| self.pick == "likely") else {
            return String::new();
        };
        let mut text = format!("  {}\n", settling.words);
        if !settling.settled {
            let total = settling.simulations_left.map(|left| self.simulations + left);
            let budget = total.map_or_else(|| "more".to_owned(), |total| format!("{total}"));
            text.push_str(&format!(
                "  so these meet the wants, but are no fair draw yet; go on with: --resume {} --budget {budget}\n",
                self.folder
            ));
        }
        let moves = self.moves.iter().map(|one| format!("{} {:.0} %", one.name, 100.0 * one.accepted));
        text.push_str(&format!("  accepted: {}\n", moves.collect::<Vec<_>>().join(", ")));
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
            let score = format!("log score {}", log_score(sample.log_score));
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
            "  \"{}\" stands in the way: met in {} of {} simulations{}\n",
            closest.in_the_way,
            count(closest.met_in),
            count(closest.of),
            abandoned_before(closest.abandoned)
        ));
        text.push_str("  try: a larger tolerance, a wider density, or more of --budget\n");
        text
    }
}
