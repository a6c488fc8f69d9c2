//! The banner that the ensemble experiments share.

use proscenium_ensemble::{Banner, Compressed, EnsembleError, compress};

use crate::error::LabError;
use crate::experiment::Context;

/// How far a vertex may be from where it was, metres.
const ERROR: f64 = 0.001;

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
    context.doing(&format!("{flags} flags, simulated"));
    let recorded = generator.record_all(seconds, context.seed(), &|done, frames| {
        if done.is_multiple_of(30) {
            context.done(0.4 * 30.0 / frames as f64);
        }
        context.check().is_ok()
    });
    let recorded = recorded.map_err(|error| stopped(context, error))?;
    let retried = recorded.iter().map(|(_, recorded)| recorded.retried).sum();
    let dropped: usize = recorded.iter().map(|(_, recorded)| recorded.dropped.len()).sum();
    let ensemble = generator.gather(recorded)?;
    let (data, dirty) = compress(&ensemble, ERROR)?.cleaned()?;
    let motion_s = start.elapsed().as_secs_f64();
    let (frames, dropped) = (data.frame_count(), dropped + dirty);
    Ok(BannerData { data, frames, retried, dropped, plain_bytes: ensemble.bytes(), motion_s })
}

/// A stop is what the user wanted.
pub(crate) fn stopped(context: &Context, error: EnsembleError) -> LabError {
    match (error, context.check()) {
        (EnsembleError::Stopped, Err(interrupted)) => interrupted,
        (error, _) => error.into(),
    }
}
