//! Data and graphs that the ensemble experiments share.

use std::time::Instant;

use proscenium_ensemble::build::{BuildData, BuildSettings, GraphBuild, TransitionSearch, choose_settings};
use proscenium_ensemble::built_in::Banner;
use proscenium_ensemble::simulate::Generator;
use proscenium_ensemble::transition::{Tally, Transition, TransitionSettings};
use proscenium_ensemble::{CompressedEnsemble, MotionGraph};
use proscenium_work::Memory;

use crate::error::Halt;
use crate::experiment::Context;
use crate::results::Row;
use crate::timing::Timer;

/// The data of an experiment, and how long making it took.
pub(crate) struct TimedData {
    pub made: BuildData,
    /// Seconds on the wall.
    pub motion_s: f64,
}

/// Simulates so many seconds of each condition and compresses them. `work` is
/// the share of the experiment that this is.
pub(crate) fn make(generator: &Generator, seconds: f64, work: f64, context: &Context) -> Result<TimedData, Halt> {
    let start = Instant::now();
    let store = Memory::default();
    let build = GraphBuild::new(&store, context.seed());
    let made = build.simulate(generator, seconds, generator.error, &context.part(&generator.name, work))?;
    Ok(TimedData { made: made.or_stopped()?, motion_s: start.elapsed().as_secs_f64() })
}

/// How far to reach and how long to try.
pub(crate) fn choose(data: &CompressedEnsemble, context: &Context) -> Result<BuildSettings, Halt> {
    Ok(choose_settings(data, context.seed(), &context.progress())?.or_stopped()?)
}

/// The banner at three wind levels; a small one if the context is quick.
pub(crate) fn banner(context: &Context) -> Result<TimedData, Halt> {
    let (flags, seconds) = if context.quick() { (6, 9.0) } else { (100, 20.0) };
    make(&Banner { flags, ..Banner::default() }.generator(), seconds, 0.4, context)
}

/// Finds the transitions of data, and how long it took on the wall, seconds. `work` is
/// the share of the experiment that this is.
pub(crate) fn connect(
    data: CompressedEnsemble,
    settings: BuildSettings,
    work: f64,
    context: &Context,
) -> Result<(MotionGraph, f64), Halt> {
    let start = Instant::now();
    let progress = context.part(data.name(), work);
    let graph = GraphBuild::new(&Memory::default(), context.seed()).connect(data, settings, &progress)?;
    Ok((graph.or_stopped()?, start.elapsed().as_secs_f64()))
}

/// What the data is, as table I has it.
pub(crate) fn with_data(row: Row, timed: &TimedData) -> Row {
    let TimedData { made, motion_s } = timed;
    let data = &made.data;
    row.with("vertices", data.vertex_count())
        .with("triangles", data.triangle_count())
        .with("groups", data.groups().len())
        .with("dof", 2 * data.rank())
        .with("frames", data.frame_count())
        .with("retried", made.retried)
        .with("dropped", made.dropped)
        .with("wind_levels", data.conditions().len())
        .with("motion_s", *motion_s)
        .with("bytes", data.bytes())
        .with("plain_bytes", made.plain_bytes)
        .with("largest_error_m", data.largest_error())
}

/// How hard transitions were to find, as table I has it.
pub(crate) fn with_tally(row: Row, tally: &Tally) -> Row {
    let feasible = tally.feasible.max(1) as f64;
    let share = |part: u64| part as f64 / tally.programs.max(1) as f64;
    row.with("local_searches", tally.searches as f64 / feasible)
        .with("contact_set", tally.known as f64 / feasible)
        .with("wins", tally.wins)
        .with("departures", tally.departures)
        .with("programs", tally.programs)
        .with("first_bad_pairs", tally.first_bad as f64 / feasible)
        .with("ok", share(tally.feasible))
        .with("culled", share(tally.culled))
        .with("timed_out", share(tally.timed_out))
}

/// A search for the transitions of data.
pub(crate) fn search<'data>(
    data: &'data CompressedEnsemble,
    settings: BuildSettings,
    context: &Context,
) -> Result<TransitionSearch<'data>, Halt> {
    Ok(TransitionSearch::new(data, settings, Vec::new(), context.seed(), &context.progress())?.or_stopped()?)
}

/// The processor's time for one test of all groups in all frames of a
/// transition (t_CD).
pub(crate) fn collision_seconds(
    data: &CompressedEnsemble,
    settings: &TransitionSettings,
    context: &Context,
) -> Result<f64, Halt> {
    let settings = BuildSettings { transition: *settings, ..BuildSettings::default() };
    let search = search(data, settings, context)?;
    let mut seconds = Vec::new();
    for index in 0..5 {
        let mut stream = context.seed().stream("collisions").at(index);
        if let Some((from, candidates)) = search.random_departure(&mut stream) {
            let offsets = search.costs().cheapest(from, candidates[0], settings.transition.reach);
            let ends = [from, candidates[0]];
            let way = Transition::with_splices(search.costs(), ends, &offsets, &settings.transition);
            let timer = Timer::start();
            std::hint::black_box(way.pair_frames(search.shapes()));
            seconds.push(timer.elapsed().as_secs_f64());
        }
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds.get(seconds.len() / 2).copied().unwrap_or(0.0))
}
