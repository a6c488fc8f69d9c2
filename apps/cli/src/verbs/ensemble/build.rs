//! `proscenium ensemble build`: data, compressed, and its transitions.

use std::fs;
use std::path::Path;
use std::time::Instant;

use proscenium_chance::Seed;
use proscenium_ensemble::build::{BuildData, BuildSettings, GRAPH, GraphBuild, choose_settings};
use proscenium_ensemble::built_in::{Banner, built_in};
use proscenium_ensemble::simulate::Generator;
use proscenium_ensemble::{CompressedEnsemble, MotionGraph};
use proscenium_work::{Completion, Folder};
use serde::Serialize;

use super::import;
use crate::VerbEnding;
use crate::arguments::EnsembleBuild;
use crate::console::Console;
use crate::failure::Failure;
use crate::progress::{Bar, Interrupt};
use crate::text::{bytes, columns, seconds, three_digits};

/// How far a vertex of brought data may be from where it was, metres.
const ERROR: f64 = 0.001;
/// A walk repeats itself soon if it can be in less than this share of what was recorded.
const LITTLE: f64 = 0.8;

pub fn run(options: &EnsembleBuild, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let folder = &options.output;
    // Whether it can be written is known before the work, not after it.
    fs::create_dir_all(folder).map_err(|source| Failure::Write { path: folder.clone(), source })?;
    let store = Folder::new(folder);
    let build = GraphBuild::new(&store, Seed(seed));
    let work = Work { options, seed: Seed(seed), build, console, interrupt: Interrupt::watch()? };
    let Completion::Finished(report) = work.build()? else {
        console.remark(&format!("stopped; what is done is in {}: the same command goes on with it", folder.display()));
        return Ok(VerbEnding::Interrupted);
    };
    console.report(|| report.text(), &report)?;
    if report.walkable_share < LITTLE {
        console.remark(&format!(
            "only {:.0} % of what was recorded can be walked; record longer stretches (--seconds), or try more \
             destinations (--samples)",
            100.0 * report.walkable_share
        ));
    }
    Ok(VerbEnding::Complete)
}

struct Work<'run> {
    options: &'run EnsembleBuild,
    seed: Seed,
    build: GraphBuild<'run>,
    console: Console,
    interrupt: Interrupt,
}

impl Work<'_> {
    fn build(&self) -> Result<Completion<Report>, Failure> {
        let start = Instant::now();
        let Completion::Finished((made, dropped)) = self.data()? else { return Ok(Completion::Stopped) };
        let motion = Motion {
            frames: made.data.frame_count(),
            retried: made.retried,
            dropped: dropped + made.dropped,
            plain_bytes: made.plain_bytes,
        };
        let motion_s = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let Completion::Finished(settings) = self.settings(&made.data)? else { return Ok(Completion::Stopped) };
        let bar = Bar::new(self.console, "transitions", &self.interrupt);
        let graph = self.build.connect(made.data, settings, bar.progress())?;
        drop(bar);
        let memg_s = start.elapsed().as_secs_f64();
        let path = self.options.output.join(GRAPH);
        let size = fs::metadata(&path).map_or(0, |file| file.len() as usize);
        Ok(graph.map(|graph| Report::new(&graph, &settings, motion, [motion_s, memg_s], (&path, size))))
    }

    /// The data, recorded or brought, and compressed; and how many frames were
    /// dropped before.
    fn data(&self) -> Result<Completion<(BuildData, usize)>, Failure> {
        let path = Path::new(&self.options.data);
        if import::ending(path) == "ensemble" {
            let content = fs::read(path).map_err(|source| Failure::Read { path: path.to_owned(), source })?;
            return Ok(Completion::Finished((self.build.adopt(CompressedEnsemble::from_bytes(&content)?)?, 0)));
        }
        let bar = Bar::new(self.console, "motion", &self.interrupt);
        if let Some(generator) = self.generator() {
            let error = self.options.error.unwrap_or(generator.error);
            let made = self.build.simulate(&generator, self.options.seconds, error, bar.progress())?;
            return Ok(made.map(|made| (made, 0)));
        }
        let Completion::Finished((ensemble, dropped)) = import::read(self.options, self.console, bar.progress())?
        else {
            return Ok(Completion::Stopped);
        };
        let made = self.build.import(&ensemble, self.options.error.unwrap_or(ERROR), bar.progress())?;
        Ok(made.map(|made| (made, dropped)))
    }

    /// The built-in ensemble, if that is what is wanted.
    fn generator(&self) -> Option<Generator> {
        match self.options.data.as_str() {
            "banner" => Some(Banner { flags: self.options.flags, ..Banner::default() }.generator()),
            name => built_in(name, self.seed),
        }
    }

    fn settings(&self, data: &CompressedEnsemble) -> Result<Completion<BuildSettings>, Failure> {
        let bar = Bar::new(self.console, "choosing", &self.interrupt);
        let chosen = choose_settings(data, self.seed, bar.progress())?;
        Ok(chosen.map(|mut settings| {
            let (transition, options) = (&mut settings.transition, self.options);
            transition.reach = options.reach.unwrap_or(transition.reach);
            transition.acceleration = options.acceleration;
            transition.blend = options.blend.unwrap_or(transition.blend);
            transition.preference = options.preference.unwrap_or(transition.preference);
            transition.samples = options.samples.unwrap_or(transition.samples);
            transition.patience = options.patience.unwrap_or(transition.patience);
            transition.tolerance = options.tolerance;
            settings
        }))
    }
}

/// What recording came to.
#[derive(Clone, Copy, Default, Serialize)]
struct Motion {
    frames: usize,
    retried: usize,
    dropped: usize,
    plain_bytes: usize,
}

#[derive(Serialize)]
struct Report {
    name: String,
    groups: usize,
    vertices: usize,
    rank: usize,
    largest_error: f64,
    compressed_bytes: usize,
    motion: Motion,
    motion_s: f64,
    memg_s: f64,
    reach: u32,
    blend: u32,
    samples: u32,
    patience: f64,
    wins: u64,
    departures: u64,
    programs: u64,
    feasible: u64,
    culled: u64,
    timed_out: u64,
    transitions: usize,
    kept: usize,
    levels: Vec<(String, f64)>,
    walkable_share: f64,
    left_out: Vec<String>,
    path: String,
    bytes: usize,
}

impl Report {
    fn new(
        graph: &MotionGraph,
        settings: &BuildSettings,
        motion: Motion,
        [motion_s, memg_s]: [f64; 2],
        (path, bytes): (&Path, usize),
    ) -> Self {
        let (data, tally, report) = (graph.data(), graph.tally(), graph.report());
        let names = data.conditions().iter().map(|condition| condition.name.clone());
        Self {
            name: data.name().to_owned(),
            groups: data.groups().len(),
            vertices: data.vertex_count(),
            rank: data.rank(),
            largest_error: data.largest_error(),
            compressed_bytes: data.bytes(),
            motion,
            motion_s,
            memg_s,
            reach: settings.transition.reach,
            blend: settings.transition.blend,
            samples: settings.transition.samples,
            patience: settings.transition.patience,
            wins: tally.wins,
            departures: tally.departures,
            programs: tally.programs,
            feasible: tally.feasible,
            culled: tally.culled,
            timed_out: tally.timed_out,
            transitions: report.found,
            kept: report.kept,
            levels: names.zip(report.seconds.iter().copied()).collect(),
            walkable_share: report.walkable_share(),
            left_out: report.left_out.clone(),
            path: path.display().to_string(),
            bytes,
        }
    }

    fn text(&self) -> String {
        let row = |name: &str, text: String| vec![format!("  {name}"), text];
        let mut rows = vec![row("groups", format!("{}, {} vertices", self.groups, self.vertices))];
        let motion = &self.motion;
        let text = format!(
            "{} clean frames; {} tried again, {} dropped   {}",
            motion.frames,
            motion.retried,
            motion.dropped,
            seconds(self.motion_s)
        );
        rows.push(row("motion", text));
        let sizes = (bytes(motion.plain_bytes as u64), bytes(self.compressed_bytes as u64));
        let error = three_digits(self.largest_error * 1000.0);
        rows.push(row("compressed", format!("{} to {}, rank {}, within {error} mm", sizes.0, sizes.1, self.rank)));
        let text = format!(
            "{} kept of {} found: {} departures, {} programs ({} solved, {} too costly, {} too hard)   {}",
            self.kept,
            self.transitions,
            self.departures,
            self.programs,
            self.feasible,
            self.culled,
            self.timed_out,
            seconds(self.memg_s)
        );
        rows.push(row("transitions", text));
        let text = format!(
            "reach {} frames, blends of {}, {} samples, patience {}",
            self.reach, self.blend, self.samples, self.patience
        );
        rows.push(row("chosen", text));
        for (name, walked) in &self.levels {
            rows.push(row(name, format!("{} s of data to walk in", three_digits(*walked))));
        }
        rows.push(row("in all", format!("{:.0} % of what was recorded", 100.0 * self.walkable_share)));
        if !self.left_out.is_empty() {
            rows.push(row("left out", format!("{}: no way there and back", self.left_out.join(", "))));
        }
        format!("{}  wrote {} ({})\n", columns(&rows), self.path, bytes(self.bytes as u64))
    }
}
