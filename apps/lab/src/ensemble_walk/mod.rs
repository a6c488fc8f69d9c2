//! Ten minutes of walking.

use std::sync::Arc;

use proscenium_ensemble::contact::ContactTest;
use proscenium_ensemble::smooth::{AccelerationMeter, Spectrum, accelerations_of};
use proscenium_ensemble::transition::Shapes;
use proscenium_ensemble::{MotionGraph, Player};
use proscenium_picture::plot::{Plot, Scale};
use serde_json::Value;

use crate::ensemble_data::{banner, choose, connect};
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::number::show_number;
use crate::results::Row;
use crate::timing::Timer;

/// The experiment `ensemble-walk`.
pub(crate) struct EnsembleWalk;

impl Experiment for EnsembleWalk {
    fn name(&self) -> &'static str {
        "ensemble-walk"
    }

    fn reproduces(&self) -> &'static str {
        "James, Twigg, Cove and Wang 2007, section 5 (the paper has no figures for it)"
    }

    fn summary(&self) -> &'static str {
        "a long walk along the graph of a banner: clean, smooth, and where it was wanted in time"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "level",
            "seconds",
            "frames",
            "interpenetrating",
            "largest_step",
            "step_ratio",
            "acceleration_ratio",
            "spectrum_error",
            "crossings_between_frames",
            "wishes",
            "late",
            "longest_promise_s",
            "transitions",
            "again_s",
            "ns_per_group",
            "ns_per_vertex",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        context.plan(1.0);
        let banner = banner(context)?.made.data;
        let settings = choose(&banner, context)?;
        let (graph, _) = connect(banner, settings, 0.4, context)?;
        let graph = Arc::new(graph);
        let (seconds, every) = if context.quick() { (60.0, 10.0) } else { (600.0, 20.0) };
        let walked = walk(&graph, seconds, every, 0.2, context)?;
        let stays = stays(&graph, seconds / 4.0, context)?;
        rows.extend(walked_rows(&graph, &walked, &stays, context)?);
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude(rows)
    }
}

/// How long a walk is whose spectrum is compared, seconds: so long that the comparison does not
/// depend on where it happened to go. A few minutes have but some tens of the slowest sways.
const SPECTRUM_S: f64 = 3600.0;

/// What a walk did while it was wanted in one condition.
#[derive(Clone, Default)]
pub(crate) struct WalkCounts {
    frames: usize,
    pub interpenetrating: usize,
    pub largest_step: f64,
    /// The largest acceleration over the largest in the data of the same condition.
    pub acceleration_ratio: f64,
    pub wishes: usize,
    pub late: usize,
    longest_promise: u64,
    transitions: usize,
}

impl WalkCounts {
    fn add(&mut self, other: &WalkCounts) {
        self.frames += other.frames;
        self.interpenetrating += other.interpenetrating;
        self.largest_step = self.largest_step.max(other.largest_step);
        self.acceleration_ratio = self.acceleration_ratio.max(other.acceleration_ratio);
        self.wishes += other.wishes;
        self.late += other.late;
        self.longest_promise = self.longest_promise.max(other.longest_promise);
        self.transitions += other.transitions;
    }
}

/// What a walk came to, frame by frame.
pub(crate) struct WalkReport {
    /// By condition that was wanted.
    seen: Vec<WalkCounts>,
    pub all: WalkCounts,
    /// The longest step of a vertex in the data, metres.
    pub longest: f64,
    /// Which transitions were taken, and when.
    took: Vec<(usize, u64)>,
}

/// The longest way of a vertex from one frame to the next.
fn step(before: &[[f32; 3]], after: &[[f32; 3]]) -> f64 {
    let squared = |(a, b): (&[f32; 3], &[f32; 3])| (0..3).map(|i| f64::from(a[i] - b[i])).map(|x| x * x).sum::<f64>();
    before.iter().zip(after).map(squared).fold(0.0, f64::max).sqrt()
}

/// The longest step in the data.
fn step_in_data(graph: &MotionGraph) -> f64 {
    let (mut here, mut next) = (Vec::new(), Vec::new());
    let mut longest = 0.0_f64;
    for moment in graph.data().moments() {
        graph.data().positions_at(moment, &mut next);
        if moment.frame > 0 {
            longest = longest.max(step(&here, &next));
        }
        std::mem::swap(&mut here, &mut next);
    }
    longest
}

/// Walks for so many seconds, wanting another condition every so often, and
/// looks at every frame. `work` is the share of the experiment that this is.
pub(crate) fn walk(
    graph: &Arc<MotionGraph>,
    seconds: f64,
    every: f64,
    work: f64,
    context: &Context,
) -> Result<WalkReport, Halt> {
    let rate = graph.data().frames_per_second();
    let levels: Vec<usize> = graph.levels().collect();
    let test: ContactTest = Shapes::new(graph.data()).contact_test().clone();
    let mut player = Player::new(graph, context.seed())?;
    let mut seen = vec![WalkCounts::default(); graph.data().conditions().len()];
    let (mut here, mut next) = (Vec::new(), Vec::new());
    player.positions(&mut here);
    let accelerations = accelerations_of(graph.data());
    let mut meter = AccelerationMeter::default();
    meter.add(&here);
    let mut before = player.level();
    let mut due: Option<u64> = None;
    let mut stream = context.seed().stream("wishes");
    let mut took: Vec<(usize, u64)> = Vec::new();
    for frame in 1..=(seconds * rate) as u64 {
        context.check()?;
        player.see(frame);
        if frame.is_multiple_of((every * rate) as u64) {
            let level = levels[stream.below(levels.len() as u64) as usize];
            let promise = player.want(level)?;
            due = Some(frame + promise);
            seen[level].wishes += 1;
            seen[level].longest_promise = seen[level].longest_promise.max(promise);
        }
        let now = &mut seen[player.wanted()];
        if due.is_some_and(|due| frame >= due) {
            now.late += usize::from(player.frames_until(player.wanted()) != Some(0));
            due = None;
        }
        if let Some(number) =
            player.transition_number().filter(|&number| took.last().is_none_or(|last| last.0 != number))
        {
            took.push((number, frame));
            now.transitions += 1;
        }
        // Between two winds, the stronger of their accelerations is allowed.
        let allowed = accelerations[before].max(accelerations[player.level()]);
        if player.transition().is_none() {
            before = player.level();
        }
        player.positions(&mut next);
        now.frames += 1;
        let ratio = meter.add(&next).map_or(0.0, |largest| largest / allowed);
        now.acceleration_ratio = now.acceleration_ratio.max(ratio);
        now.interpenetrating += test.touching(&next).len();
        now.largest_step = now.largest_step.max(step(&here, &next));
        std::mem::swap(&mut here, &mut next);
        if frame.is_multiple_of(300) {
            context.doing(&format!("walked {} s", frame / rate as u64));
            context.done(work * 300.0 / (seconds * rate));
        }
    }
    let mut all = WalkCounts::default();
    seen.iter().for_each(|seen| all.add(seen));
    Ok(WalkReport { seen, all, longest: step_in_data(graph), took })
}

/// How a walk is that stays in one condition.
pub(crate) struct Stay {
    pub level: usize,
    /// By which share the amplitude of an octave differs from the data's at most.
    pub spectrum_error: Option<f64>,
    /// Moments half way between two frames at which triangles of two groups intersect.
    pub crossings: usize,
}

/// Walks in each condition: for so many seconds between frames too, and on for the spectrum.
pub(crate) fn stays(graph: &Arc<MotionGraph>, seconds: f64, context: &Context) -> Result<Vec<Stay>, Halt> {
    let data = graph.data();
    let test = Shapes::new(data).contact_test().crossings();
    let frames = |seconds: f64| (seconds * data.frames_per_second()) as u64;
    let mut stays = Vec::new();
    for level in graph.levels() {
        let mut player = Player::new(graph, context.seed())?;
        let first = player.want(level)?;
        let (mut spectrum, mut crossings) = (Spectrum::default(), 0);
        let (mut positions, mut between) = (Vec::new(), Vec::new());
        for frame in 0..frames(seconds.max(if context.quick() { seconds } else { SPECTRUM_S })) {
            context.check()?;
            player.see(first + frame);
            player.positions(&mut positions);
            spectrum.add(&positions);
            if frame < frames(seconds) {
                player.positions_between(0.5, &mut between);
                crossings += usize::from(!test.touching(&between).is_empty());
            }
        }
        let spectrum_error = spectrum.largest_difference(&Spectrum::of_data(data, level));
        stays.push(Stay { level, spectrum_error, crossings });
    }
    Ok(stays)
}

fn walked_rows(
    graph: &Arc<MotionGraph>,
    walked: &WalkReport,
    stays: &[Stay],
    context: &Context,
) -> Result<Vec<Row>, Halt> {
    let WalkReport { seen, all, longest, took } = walked;
    let rate = graph.data().frames_per_second();
    let (ns_per_group, ns_per_vertex) = costs(graph, context)?;
    let names = graph.data().conditions().iter().map(|condition| condition.name.as_str());
    let rows = names.zip(seen).enumerate().map(|(level, (name, seen))| {
        let stay = stays.iter().find(|stay| stay.level == level);
        row(name, seen, rate, *longest)
            .with("spectrum_error", stay.and_then(|stay| stay.spectrum_error))
            .with("crossings_between_frames", stay.map(|stay| stay.crossings))
    });
    let mut rows: Vec<Row> = rows.collect();
    let all = row("all", all, rate, *longest)
        .with("spectrum_error", stays.iter().filter_map(|stay| stay.spectrum_error).reduce(f64::max))
        .with("crossings_between_frames", stays.iter().map(|stay| stay.crossings).sum::<usize>())
        .with("again_s", again(took).map(|frames| frames as f64 / rate))
        .with("ns_per_group", ns_per_group)
        .with("ns_per_vertex", ns_per_vertex)
        .with("groups", graph.data().groups().len())
        .with("kept", graph.report().kept)
        .with("found", graph.report().found)
        .with("left_out", graph.report().left_out.join(", "));
    rows.push(all);
    Ok(rows)
}

fn row(name: &str, seen: &WalkCounts, rate: f64, longest: f64) -> Row {
    Row::new()
        .with("level", name)
        .with("seconds", seen.frames as f64 / rate)
        .with("frames", seen.frames)
        .with("interpenetrating", seen.interpenetrating)
        .with("largest_step", seen.largest_step)
        .with("step_ratio", seen.largest_step / longest)
        .with("acceleration_ratio", seen.acceleration_ratio)
        .with("wishes", seen.wishes)
        .with("late", seen.late)
        .with("longest_promise_s", seen.longest_promise as f64 / rate)
        .with("transitions", seen.transitions)
}

/// The median of frames until a transition is taken again after the same one
/// before it: how long until a viewer could see a thing twice.
fn again(took: &[(usize, u64)]) -> Option<u64> {
    let mut gaps = Vec::new();
    for (index, pair) in took.windows(2).enumerate() {
        let later = took[index + 1..].windows(2).find(|other| other[0].0 == pair[0].0 && other[1].0 == pair[1].0);
        gaps.extend(later.map(|other| other[0].1 - pair[0].1));
    }
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).copied()
}

/// What a frame costs, nanoseconds: the coordinates of a group, and all
/// vertices.
fn costs(graph: &Arc<MotionGraph>, context: &Context) -> Result<(f64, f64), Halt> {
    const FRAMES: u64 = 600;
    let mut player = Player::new(graph, context.seed())?;
    let timer = Timer::start();
    for frame in 0..FRAMES {
        player.see(frame);
        std::hint::black_box(player.coordinates());
    }
    let coordinates = timer.elapsed().as_secs_f64();
    let mut positions = Vec::new();
    let mut player = Player::new(graph, context.seed())?;
    let timer = Timer::start();
    for frame in 0..FRAMES {
        player.see(frame);
        player.positions(&mut positions);
        std::hint::black_box(&positions);
    }
    let vertices = timer.elapsed().as_secs_f64();
    let each = |seconds: f64, count: usize| 1e9 * seconds / (FRAMES as f64 * count as f64);
    Ok((each(coordinates, graph.data().groups().len()), each(vertices, graph.data().vertex_count())))
}

fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = vec![
        "Every frame is tested for groups closer than the thickness; a step is the longest way of any vertex from one \
         frame to the next, and its ratio is to the longest in the data. A wish is late when not every group is in the \
         wanted condition at the promised frame. again_s is the median time until the same two transitions follow each \
         other again. acceleration_ratio is the largest acceleration of a vertex over the largest in the data of the \
         same level; spectrum_error the largest share by which the amplitude of an octave differs from that data\u{2019}s, \
         and crossings_between_frames the moments half way between two frames at which groups intersect, both in a walk \
         that stays in the level; the spectrum is that of an hour of it."
            .to_owned(),
    ];
    let all = rows.iter().find(|row| row.get("level").and_then(Value::as_str) == Some("all"));
    if let Some(all) = all {
        let number = |key: &str| all.number(key).map_or_else(|| "?".to_owned(), show_number);
        notes.push(format!(
            "In {} s: {} interpenetrating pairs, largest step {} times that of the data, {} of {} wishes late.",
            number("seconds"),
            number("interpenetrating"),
            number("step_ratio"),
            number("late"),
            number("wishes")
        ));
    }
    let mut figures = Vec::new();
    let named: Vec<&Row> = rows.iter().filter(|row| row.get("level").and_then(Value::as_str) != Some("all")).collect();
    if !named.is_empty() {
        let names = named.iter().map(|row| row.get("level").and_then(Value::as_str).unwrap_or("").to_owned());
        let bars = named.iter().enumerate().filter_map(|(index, row)| Some((index as f64, row.number("step_ratio")?)));
        let plot = Plot::new("The longest step of a vertex, as a share of the longest in the data")
            .categories(names)
            .y("share", Scale::Linear)
            .bars("walk", bars);
        figures.push(Figure { suffix: "steps", svg: plot.to_svg()? });
    }
    Ok(Conclusion { notes, figures })
}
