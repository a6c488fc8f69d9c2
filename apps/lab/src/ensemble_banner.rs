//! The banner that the ensemble experiments share.

use std::sync::atomic::{AtomicUsize, Ordering};

use proscenium_ensemble::{Banner, Compressed, EnsembleError, Part, Recorded, compress};
use rayon::prelude::*;

use crate::error::LabError;
use crate::experiment::Context;

/// How far a vertex may be from where it was, metres.
const ERROR: f64 = 0.0005;

/// What making the data came to.
pub(crate) struct BannerData {
    pub data: Compressed,
    pub frames: usize,
    pub retried: usize,
    pub dropped: usize,
    pub plain_bytes: usize,
    pub motion_s: f64,
}

/// Simulates the banner at three wind levels and compresses it; a small one if
/// the context is quick.
pub(crate) fn banner(context: &Context) -> Result<BannerData, LabError> {
    let start = std::time::Instant::now();
    let (flags, seconds) = if context.quick() { (6, 9.0) } else { (100, 20.0) };
    let generator = Banner { flags, ..Banner::default() }.generator();
    let parts = generator.parts(seconds)?;
    let frames: usize = parts.iter().map(|part| generator.frames(part)).sum();
    let done = AtomicUsize::new(0);
    context.doing(&format!("{flags} flags, simulated"));
    let recorded: Result<Vec<(Part, Recorded)>, EnsembleError> = parts
        .into_par_iter()
        .with_max_len(1)
        .map(|part| {
            let recorded = generator.record(&part, context.seed(), &mut || {
                let now = done.fetch_add(1, Ordering::Relaxed) + 1;
                if now.is_multiple_of(30) {
                    context.done(0.4 * 30.0 / frames as f64);
                }
                context.check().is_ok()
            })?;
            Ok((part, recorded))
        })
        .collect();
    let recorded = recorded.map_err(|error| stopped(context, error))?;
    let retried = recorded.iter().map(|(_, recorded)| recorded.retried).sum();
    let dropped = recorded.iter().map(|(_, recorded)| recorded.dropped.len()).sum();
    let frames = recorded.iter().map(|(_, recorded)| recorded.frame_count()).sum();
    let ensemble = generator.gather(recorded)?;
    let data = compress(&ensemble, ERROR)?;
    let motion_s = start.elapsed().as_secs_f64();
    Ok(BannerData { data, frames, retried, dropped, plain_bytes: ensemble.bytes(), motion_s })
}

/// A stop is what the user wanted.
pub(crate) fn stopped(context: &Context, error: EnsembleError) -> LabError {
    match (error, context.check()) {
        (EnsembleError::Stopped, Err(interrupted)) => interrupted,
        (error, _) => error.into(),
    }
}
