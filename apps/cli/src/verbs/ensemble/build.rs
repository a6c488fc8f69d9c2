//! `proscenium ensemble build`: data, compressed, and its transitions.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use proscenium_chance::Seed;
use proscenium_ensemble::{
    Banner, BuildSettings, Builder, Compressed, EnsembleError, Generator, Journal, MotionGraph, Part, Recorded, Step,
    Trace, built_in, choose_settings, compress_with,
};
use serde::Serialize;

use super::{GRAPH, import};
use crate::Outcome;
use crate::arguments::EnsembleBuild;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Interrupt, bar};
use crate::text::{bytes, columns, counted, seconds, three_digits};

const DATA: &str = "data.ensemble";
const JOURNAL: &str = "transitions.journal";
/// How far a vertex of brought data may be from where it was, metres.
const ERROR: f64 = 0.001;

pub fn run(options: &EnsembleBuild, seed: u64, console: Console) -> Result<Outcome, Failure> {
    let folder = &options.output;
    fs::create_dir_all(folder).map_err(|source| Failure::Write { path: folder.clone(), source })?;
    let work = Work { options, seed: Seed(seed), console, interrupt: Interrupt::watch()? };
    match work.build() {
        Err(Failure::Ensemble(EnsembleError::Stopped)) => {
            console
                .remark(&format!("stopped; what is done is in {}: the same command goes on with it", folder.display()));
            Ok(Outcome::Interrupted)
        }
        Err(failure) => Err(failure),
        Ok(report) => {
            console.report(|| report.text(), &report)?;
            Ok(Outcome::Complete)
        }
    }
}

struct Work<'run> {
    options: &'run EnsembleBuild,
    seed: Seed,
    console: Console,
    interrupt: Interrupt,
}

impl Work<'_> {
    fn build(&self) -> Result<Report, Failure> {
        let start = Instant::now();
        let (data, motion) = self.data()?;
        let motion_s = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let settings = self.settings(&data)?;
        let graph = self.graph(data, settings)?;
        let memg_s = start.elapsed().as_secs_f64();
        let path = self.options.output.join(GRAPH);
        let content = graph.to_bytes()?;
        output::write(&path, &content)?;
        Ok(Report::new(&graph, &settings, motion, [motion_s, memg_s], (&path, content.len())))
    }

    /// The data, recorded or brought, and compressed.
    fn data(&self) -> Result<(Compressed, Motion), Failure> {
        let path = Path::new(&self.options.data);
        if import::ending(path) == "ensemble" {
            let content = fs::read(path).map_err(|source| Failure::Read { path: path.to_owned(), source })?;
            let data = Compressed::from_bytes(&content)?;
            output::write(&self.options.output.join(DATA), &content)?;
            let plain_bytes = data.frame_count() * data.vertex_count() * size_of::<[f32; 3]>();
            let motion = Motion { frames: data.frame_count(), plain_bytes, ..Motion::default() };
            return Ok((data, motion));
        }
        let (ensemble, motion, error) = match self.generator() {
            Some(generator) => {
                let (recorded, motion) = self.record(&generator)?;
                (generator.gather(recorded)?, motion, generator.error)
            }
            None => {
                let (ensemble, dropped) = import::read(self.options, self.console)?;
                let motion = Motion { frames: ensemble.frame_count(), dropped, ..Motion::default() };
                (ensemble, motion, ERROR)
            }
        };
        let progress = bar(self.console, 1, "compressing");
        let data = compress_with(&ensemble, self.options.error.unwrap_or(error), &|done, all| {
            progress.set_length(all as u64);
            progress.set_position(done as u64);
            progress.set_message(format!("group {done} of {all}"));
            !self.interrupt.is_pressed()
        });
        progress.finish_and_clear();
        let (data, dirty) = data?.cleaned()?;
        output::write(&self.options.output.join(DATA), &data.to_bytes()?)?;
        let (frames, dropped) = (data.frame_count(), motion.dropped + dirty);
        Ok((data, Motion { plain_bytes: ensemble.bytes(), frames, dropped, ..motion }))
    }

    /// The built-in ensemble, if that is what is wanted.
    fn generator(&self) -> Option<Generator> {
        match self.options.data.as_str() {
            "banner" => Some(Banner { flags: self.options.flags, ..Banner::default() }.generator()),
            name => built_in(name, self.seed),
        }
    }

    /// Simulates what is not there yet, a part on each core.
    fn record(&self, generator: &Generator) -> Result<(Vec<(Part, Recorded)>, Motion), Failure> {
        let parts = generator.parts(self.options.seconds)?;
        let frames: usize = parts.iter().map(|part| generator.frames(part)).sum();
        let progress = bar(self.console, frames as u64, "simulating");
        progress.set_message(counted(parts.len(), "stretch", "stretches"));
        let recorded = generator.each_part(self.options.seconds, |part, begin| {
            let path = self.options.output.join(format!("stretch-{}-{}.part", part.level, part.number));
            let known = fs::read(&path).ok();
            let known = known.and_then(|file| generator.stretch_from_bytes(part, self.seed, &file).ok()?);
            if let Some(known) = known {
                progress.inc(generator.frames(&part) as u64);
                return Ok(known);
            }
            let recorded = generator.record(&part, begin, self.seed, &mut || {
                progress.inc(1);
                !self.interrupt.is_pressed()
            })?;
            output::write(&path, &generator.stretch_to_bytes(part, self.seed, &recorded)?)?;
            Ok::<_, Failure>(recorded)
        });
        progress.finish_and_clear();
        let recorded = recorded?;
        let mut motion = Motion::default();
        for (_, part) in &recorded {
            motion.frames += part.frame_count();
            motion.retried += part.retried;
            motion.dropped += part.dropped.len();
        }
        Ok((recorded, motion))
    }

    fn settings(&self, data: &Compressed) -> Result<BuildSettings, Failure> {
        let progress = bar(self.console, 1, "choosing");
        progress.set_message("how far to reach, how long to try");
        let mut settings = choose_settings(data, self.seed)?;
        progress.finish_and_clear();
        let (transition, options) = (&mut settings.transition, self.options);
        transition.reach = options.reach.unwrap_or(transition.reach);
        transition.samples = options.samples.unwrap_or(transition.samples);
        transition.patience = options.patience.unwrap_or(transition.patience);
        transition.tolerance = options.tolerance;
        Ok(settings)
    }

    /// Finds the transitions that are not in the journal yet.
    fn graph(&self, data: Compressed, settings: BuildSettings) -> Result<MotionGraph, Failure> {
        let path = self.options.output.join(JOURNAL);
        let journal = Journal::new(&data, settings, self.seed)?;
        let done = fs::read(&path).ok().and_then(|file| journal.read(&file)).unwrap_or_default();
        let mut content = journal.begin()?;
        for solved in &done {
            content.extend(Journal::line(solved)?);
        }
        output::write(&path, &content)?;
        let file = Mutex::new(append(&path)?);
        let failed = Mutex::new(None);
        let progress = bar(self.console, 1, "transitions");
        let search = |point: Trace| {
            if point.step == Step::Search {
                let Trace { bad, known, cost, .. } = point;
                progress.set_message(format!("a search: {bad} of {known} contacts bad, cost {}", three_digits(cost)));
            }
        };
        let builder = Builder::new(&data, settings, Vec::new(), self.seed)?.traced(&search);
        let built = builder.build(done, &|solved, at| {
            progress.set_length(at.known as u64);
            progress.set_position(at.done as u64);
            let written = Journal::line(solved).map_err(Failure::from).and_then(|line| {
                let mut file = file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                file.write_all(&line).map_err(|source| Failure::Write { path: path.clone(), source })
            });
            let is_written = written.is_ok();
            if let Err(failure) = written {
                *failed.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(failure);
            }
            is_written && !self.interrupt.is_pressed()
        });
        progress.finish_and_clear();
        if let Some(failure) = failed.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            return Err(failure);
        }
        let (transitions, tally) = built?;
        drop(builder);
        Ok(MotionGraph::new(data, transitions, tally)?)
    }
}

fn append(path: &Path) -> Result<fs::File, Failure> {
    let opened = fs::OpenOptions::new().append(true).open(path);
    opened.map_err(|source| Failure::Write { path: path.to_owned(), source })
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
            largest_error: data.parts().largest_error,
            compressed_bytes: data.bytes(),
            motion,
            motion_s,
            memg_s,
            reach: settings.transition.reach,
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
        let text = format!("reach {} frames, {} samples, patience {}", self.reach, self.samples, self.patience);
        rows.push(row("chosen", text));
        for (name, walked) in &self.levels {
            rows.push(row(name, format!("{} s of data to walk in", three_digits(*walked))));
        }
        if !self.left_out.is_empty() {
            rows.push(row("left out", format!("{}: no way there and back", self.left_out.join(", "))));
        }
        format!("{}  wrote {} ({})\n", columns(&rows), self.path, bytes(self.bytes as u64))
    }
}
