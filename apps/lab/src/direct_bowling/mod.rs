//! Bowling shots that end as wanted (Chenney 2000, section 2.4.2).

mod conclude;

use proscenium_scenes::{DirectedScene, Scene, SceneErrors, find};
use rayon::prelude::*;

use crate::directing::{Enough, Tally, cost, search};
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;

/// The logarithm of the paper's λ.
const WEIGHT: f64 = 2.5;
/// So many different shots are enough, of those that can be found easily.
pub(super) const MANY: usize = 40;
/// Five and thirty minutes of two processors.
const FIVE_MINUTES: f64 = 600.0;
const HALF_AN_HOUR: f64 = 3600.0;

/// A shot to be found.
pub(super) struct Shot {
    pub name: &'static str,
    scene: &'static str,
    hook: f64,
    stand: &'static [u32],
}

pub(super) const SHOTS: [Shot; 4] = [
    Shot { name: "strike", scene: "bowling", hook: 0.0, stand: &[] },
    Shot { name: "6-7 leave", scene: "bowling", hook: 0.0, stand: &[6, 7] },
    Shot { name: "6-7 spare", scene: "bowling=6,7", hook: 0.0, stand: &[] },
    Shot { name: "7-10 conversion", scene: "bowling=7,10", hook: 1.0, stand: &[] },
];

impl Shot {
    /// The alley with what is wanted.
    pub fn scene(&self) -> Result<Scene, SceneErrors> {
        let mut scene = find(self.scene, &[("hook", self.hook)])?;
        for pin in self.stand {
            scene = scene.with_wants(&format!("{{ body = \"pin-{pin}\", upright = true, weight = {WEIGHT} }}"))?;
        }
        scene.with_wants(&format!("{{ body = \"others\", upright = false, weight = {WEIGHT} }}"))
    }

    /// Whether it is one of the paper's three.
    pub fn is_easy(&self) -> bool {
        self.hook == 0.0
    }
}

/// The experiment `direct-bowling`.
pub(crate) struct DirectBowling;

impl Experiment for DirectBowling {
    fn name(&self) -> &'static str {
        "direct-bowling"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, section 2.4.2 and figures 2.5 and 2.6"
    }

    fn summary(&self) -> &'static str {
        "a strike, the 6-7 split and its spare, and the 7-10 split that the paper could not convert"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "want",
            "ms_per_simulation",
            "prior_success",
            "method",
            "seconds_to_first",
            "distinct_in_5_min",
            "acceptance",
            "simulations",
            "abandoned",
            "seconds",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let (draws, seconds) = if context.quick() { (60, [8.0, 8.0]) } else { (2000, [FIVE_MINUTES, HALF_AN_HOUR]) };
        context.plan(SHOTS.iter().map(|shot| if shot.is_easy() { seconds[0] } else { seconds[1] }).sum());
        // Each shot on a processor of its own; the seconds are of one. What is
        // known when the run is stopped stays.
        let found: Vec<Result<Row, Halt>> =
            SHOTS.par_iter().enumerate().map(|(place, shot)| measured(shot, place, draws, seconds, context)).collect();
        let mut ended = Ok(());
        for row in found {
            match row {
                Ok(row) => rows.push(row),
                Err(error) => ended = Err(error),
            }
        }
        ended
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

fn measured(shot: &Shot, place: usize, draws: u64, seconds: [f64; 2], context: &Context) -> Result<Row, Halt> {
    context.doing(shot.name);
    let model = DirectedScene::new(&shot.scene()?)?;
    let prior = cost(&model, context.seed(), draws, context)?;
    let (seconds, distinct) = if shot.is_easy() { (seconds[0], MANY) } else { (seconds[1], 1) };
    let enough = Enough { simulations: u64::MAX, seconds, distinct };
    let seed = context.seed().child("direct-bowling", place as u64);
    let (tally, why) = search(&model, seed, enough, context)?;
    context.done(seconds);
    Ok(row(shot, &prior, &tally, &why))
}

fn row(shot: &Shot, prior: &Tally, tally: &Tally, why: &str) -> Row {
    let method = why.rsplit_once(": ").map_or(why, |(_, method)| method);
    Row::new()
        .with("want", shot.name)
        .with("ms_per_simulation", 1e3 * prior.seconds / prior.simulations as f64)
        .with("prior_draws", prior.simulations)
        .with("prior_success", prior.successes as f64 / prior.simulations as f64)
        .with("method", method)
        .with("why", why)
        .with("seconds_to_first", tally.first.map(|(_, seconds)| seconds))
        .with("first_success", tally.first.map(|(simulation, _)| simulation))
        .with("distinct_in_5_min", tally.distinct.iter().filter(|found| **found <= FIVE_MINUTES).count())
        .with("acceptance", tally.acceptance)
        .with("simulations", tally.simulations)
        .with("abandoned", tally.abandoned)
        .with("seconds", tally.seconds)
        .with("found_s", tally.distinct.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shot_can_be_directed() {
        for shot in &SHOTS {
            let model = DirectedScene::new(&shot.scene().unwrap()).unwrap();
            assert_eq!(model.wants().len(), shot.stand.len() + 1, "{}", shot.name);
        }
    }
}
