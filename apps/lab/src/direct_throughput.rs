//! What one simulation costs, of every scene that comes with the engine: ours beside
//! rapier on the same bodies, in the same run.

use proscenium_scenes::{Scene, builtin};
use serde_json::Value;

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::peer::ask;
use crate::results::Row;
use crate::rigid_rest::request::request;
use crate::rigid_rest::{PERIOD, settle};

/// The experiment `direct-throughput`.
pub(crate) struct DirectThroughput;

/// Steps per second of the other engine: what games use, and what overlaps less.
const RATES: [(f64, &str, &str); 2] =
    [(60.0, "rapier_60_ms", "rapier_60_max_overlap_mm"), (240.0, "rapier_240_ms", "rapier_240_max_overlap_mm")];

impl Experiment for DirectThroughput {
    fn name(&self) -> &'static str {
        "direct-throughput"
    }

    fn reproduces(&self) -> &'static str {
        "a comparison of our own: what directing waits for"
    }

    fn summary(&self) -> &'static str {
        "ms per simulation of every built-in scene, beside rapier at 60 and 240 steps, with the overlap of both"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "scene",
            "ms_per_simulation",
            "max_overlap_mm",
            "rapier_60_ms",
            "rapier_60_max_overlap_mm",
            "rapier_240_ms",
            "rapier_240_max_overlap_mm",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let draws = if context.quick() { 1 } else { 10 };
        context.plan(builtin().len() as f64);
        for scene in builtin() {
            context.doing(scene.name);
            rows.push(measured(scene.name, &scene.scene(&[])?, draws, context)?);
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let both = rows.iter().filter_map(|row| Some((row.number("ms_per_simulation")?, row.number("rapier_240_ms")?)));
        let (faster, all) =
            both.fold((0, 0), |(faster, all), (ours, rapier)| (faster + usize::from(ours < rapier), all + 1));
        let mut notes = vec![
            "A simulation runs until nothing moves, or for as long as the scene says; the time is that of one thread, in the mean over draws of the scene. The overlap is the deepest of any two bodies at any of the moments looked at, a hundred per second.".to_owned(),
            "rapier has its default settings, continuous collision detection on, no rolling resistance, and the surfaces of zones are those of their bodies.".to_owned(),
        ];
        if all > 0 {
            notes.insert(0, format!("Faster than rapier at 240 steps per second in {faster} of {all} scenes."));
        }
        Ok(Conclusion { notes, figures: Vec::new() })
    }
}

fn measured(name: &str, scene: &Scene, draws: u64, context: &Context) -> Result<Row, Halt> {
    let (mut cpu, mut overlap) = (0.0, 0.0_f64);
    let mut rapier = [(0.0, 0.0_f64); RATES.len()];
    let mut is_compared = true;
    for draw in 0..draws {
        let builder = scene.draw(context.seed().child("direct-throughput", draw)).builder()?;
        for ((rate, ..), (seconds, deepest)) in RATES.iter().zip(&mut rapier) {
            let program = context.peer("peer-rapier");
            let request = request(&builder, scene.duration(), 0.0, PERIOD, 1.0 / rate);
            let Some((program, request)) = program.zip(request) else {
                is_compared = false;
                continue;
            };
            let answer = ask(&program, &request, context)?;
            let number = |key: &str| answer.get(key).and_then(Value::as_f64);
            let simulated = number("rests_at_s").unwrap_or(scene.duration());
            *seconds += number("s_per_sim_s").unwrap_or(f64::NAN) * simulated;
            *deepest = deepest.max(number("max_overlap").unwrap_or(f64::NAN));
        }
        let ours = settle(builder, scene.duration(), 0.0, context)?;
        (cpu, overlap) = (cpu + ours.cpu, overlap.max(ours.max_overlap));
    }
    let mut row = Row::new()
        .with("scene", name)
        .with("ms_per_simulation", 1e3 * cpu / draws as f64)
        .with("max_overlap_mm", 1e3 * overlap)
        .with("draws", draws);
    for ((_, time, depth), (seconds, deepest)) in RATES.iter().zip(rapier) {
        row = row.with(time, is_compared.then_some(1e3 * seconds / draws as f64));
        row = row.with(depth, is_compared.then_some(1e3 * deepest));
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_scenes::find;

    #[test]
    fn a_row_has_what_was_measured_and_says_what_was_not() {
        let context = Context::new(1, true);
        let row = measured("dice", &find("dice", &[]).unwrap(), 1, &context).unwrap();
        assert!(DirectThroughput.columns().iter().all(|key| row.get(key).is_some()));
        assert!(row.number("ms_per_simulation").unwrap() > 0.0);
        assert!(row.number("max_overlap_mm").unwrap() < 0.1);
    }
}
