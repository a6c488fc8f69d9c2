//! A model that is run for a while, to be looked at before it is compiled.

use std::time::{Duration, Instant};

use proscenium_cull::system::MotionError;
use proscenium_cull::{Model, Seed, System as _};
use proscenium_work::{Progress, Remedy as _};

use crate::api::ModelPreview;
use crate::failure::Failure;
use crate::fairground::animation;

/// How long a preview is, s, and how many keys there are in a second.
const SECONDS: u32 = 20;
const KEYS: u32 = 20;
/// How long the model is watched to find its bound, s.
const BOUNDS_SECONDS: f64 = 60.0;
/// A model that takes longer than this to run is not previewed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs a model; the animation is a binary glTF file.
///
/// # Errors
///
/// A model that does not stay finite, or is too slow to wait for.
pub(super) fn run(id: String, model: &Model) -> Result<(ModelPreview, Vec<u8>), Failure> {
    let outputs = outputs(model)?;
    let bounds = model.bounds(Seed(1), BOUNDS_SECONDS, &Progress::none()).map_err(|error| unsound(&error))?;
    let bounds = bounds.finished().expect("nobody stops it");
    let clip = animation(model, SECONDS, KEYS)?;
    let preview = ModelPreview {
        id,
        seconds: f64::from(SECONDS),
        rate: f64::from(KEYS),
        outputs,
        bounds: [bounds.min.to_array(), bounds.max.to_array()],
    };
    Ok((preview, clip))
}

/// The model does not stay finite.
fn unsound(error: &MotionError) -> Failure {
    Failure::bad(error.to_string(), error.remedy().unwrap_or_default())
}

/// The outputs of the first copy over time.
fn outputs(model: &Model) -> Result<Vec<(String, Vec<f64>)>, Failure> {
    let began = Instant::now();
    let mut stream = Seed(3).stream("clip").at(0);
    let mut state = model.initial(&mut stream);
    let ahead = model.copies().first().copied().unwrap_or(0.0);
    let mut found: Vec<(String, Vec<f64>)> =
        model.outputs().iter().map(|output| (output.name.clone(), Vec::new())).collect();
    let mut shown = Vec::new();
    for key in 0..=SECONDS * KEYS {
        let now = ahead + f64::from(key) / f64::from(KEYS);
        model.show(&state, now, &[], &mut shown);
        for ((_, values), value) in found.iter_mut().zip(&shown) {
            values.push(if value.is_finite() { *value } else { 0.0 });
        }
        let moved = model.advance(&mut state, now, now + 1.0 / f64::from(KEYS), &mut stream);
        moved.map_err(|error| unsound(&error))?;
        if began.elapsed() > PATIENCE {
            let help = "look for numbers that are far too large or small: the steps have become tiny";
            return Err(Failure::bad("the model is too slow to be shown", help));
        }
    }
    Ok(found)
}
