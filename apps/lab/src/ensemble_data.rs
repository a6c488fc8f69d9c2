//! Data and graphs that the ensemble experiments share.

use std::time::Instant;

use proscenium_ensemble::{
    Banner, BuildSettings, Builder, Compressed, EnsembleError, Generator, MotionGraph, Tally, Transition,
    TransitionSettings, compress,
};

use crate::error::LabError;
use crate::experiment::Context;
use crate::results::Row;
use crate::timing::Timer;

/// What making the data came to.
pub(crate) struct MadeData {
    pub data: Compressed,
    pub frames: usize,
    pub retried: usize,
    pub dropped: usize,
    pub plain_bytes: usize,
    /// How long it took, seconds on the wall.
    pub motion_s: f64,
}

/// Simulates so many seconds of each condition and compresses them. `work` is
/// the share of the experiment that this is.
pub(crate) fn make(generator: &Generator, seconds: f64, work: f64, context: &Context) -> Result<MadeData, LabError> {
    let start = Instant::now();
    context.doing(&format!("{}, simulated", generator.name));
    let recorded = generator.record_all(seconds, context.seed(), &|done, frames| {
        if done.is_multiple_of(30) {
            context.done(work * 30.0 / frames as f64);
        }
        context.check().is_ok()
    });
    let recorded = recorded.map_err(|error| stopped(context, error))?;
    let retried = recorded.iter().map(|(_, recorded)| recorded.retried).sum();
    let dropped: usize = recorded.iter().map(|(_, recorded)| recorded.dropped.len()).sum();
    let ensemble = generator.gather(recorded)?;
    let (data, dirty) = compress(&ensemble, generator.error)?.cleaned()?;
    let motion_s = start.elapsed().as_secs_f64();
    let (frames, dropped) = (data.frame_count(), dropped + dirty);
    Ok(MadeData { data, frames, retried, dropped, plain_bytes: ensemble.bytes(), motion_s })
}

/// The banner at three wind levels; a small one if the context is quick.
pub(crate) fn banner(context: &Context) -> Result<MadeData, LabError> {
    let (flags, seconds) = if context.quick() { (6, 9.0) } else { (100, 20.0) };
    make(&Banner { flags, ..Banner::default() }.generator(), seconds, 0.4, context)
}

/// Finds the transitions of data, and how long it took on the wall, seconds.
pub(crate) fn connect(
    data: Compressed,
    settings: BuildSettings,
    context: &Context,
) -> Result<(MotionGraph, f64), LabError> {
    let start = Instant::now();
    let builder = Builder::new(&data, settings, Vec::new(), context.seed())?;
    let built = builder.build(Vec::new(), &|_, at| {
        context.doing(&format!("{}: {} of {} stretches can be left", data.name(), at.done, at.known));
        context.check().is_ok()
    });
    let (transitions, tally) = built.map_err(|error| stopped(context, error))?;
    drop(builder);
    Ok((MotionGraph::new(data, transitions, tally)?, start.elapsed().as_secs_f64()))
}

/// What the data is, as table I has it.
pub(crate) fn with_data(row: Row, made: &MadeData, data: &Compressed) -> Row {
    row.with("vertices", data.vertex_count())
        .with("triangles", data.groups().iter().map(|group| group.triangles.len()).sum::<usize>())
        .with("groups", data.groups().len())
        .with("dof", 2 * data.rank())
        .with("frames", made.frames)
        .with("retried", made.retried)
        .with("dropped", made.dropped)
        .with("wind_levels", data.conditions().len())
        .with("motion_s", made.motion_s)
        .with("bytes", data.bytes())
        .with("plain_bytes", made.plain_bytes)
        .with("largest_error_m", data.parts().largest_error)
}

/// How hard transitions were to find, as table I has it.
pub(crate) fn with_tally(row: Row, tally: &Tally) -> Row {
    let feasible = tally.feasible.max(1) as f64;
    let share = |part: u64| part as f64 / tally.programs.max(1) as f64;
    row.with("local_searches", tally.searches as f64 / feasible)
        .with("contact_set", tally.known as f64 / feasible)
        .with("wins", tally.wins)
        .with("programs", tally.programs)
        .with("ok", share(tally.feasible))
        .with("culled", share(tally.culled))
        .with("timed_out", share(tally.timed_out))
}

/// The processor's time for one test of all groups in all frames of a
/// transition (t_CD).
pub(crate) fn collision_seconds(
    data: &Compressed,
    settings: &TransitionSettings,
    context: &Context,
) -> Result<f64, LabError> {
    let settings = BuildSettings { transition: *settings, ..BuildSettings::default() };
    let builder = Builder::new(data, settings, Vec::new(), context.seed())?;
    let mut seconds = Vec::new();
    for index in 0..5 {
        let mut stream = context.seed().stream("collisions").at(index);
        if let Some((from, candidates)) = builder.random_departure(&mut stream) {
            let offsets = builder.costs().cheapest(from, candidates[0], settings.transition.reach);
            let ends = [from, candidates[0]];
            let way = Transition::with_splices(builder.costs(), ends, &offsets, &settings.transition);
            let timer = Timer::start();
            std::hint::black_box(way.pair_frames(builder.shapes()));
            seconds.push(timer.elapsed().as_secs_f64());
        }
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds.get(seconds.len() / 2).copied().unwrap_or(0.0))
}

/// A stop is what the user wanted.
pub(crate) fn stopped(context: &Context, error: EnsembleError) -> LabError {
    match (error, context.check()) {
        (EnsembleError::Stopped, Err(interrupted)) => interrupted,
        (error, _) => error.into(),
    }
}
