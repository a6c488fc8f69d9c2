//! How scenes come to rest, and whether they stay there: ours beside rapier.

mod conclude;
pub(crate) mod request;

use proscenium_rigid::{BodyId, World, WorldBuilder};
use serde_json::Value;

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::overlap::overlap;
use crate::peer::ask;
use crate::results::Row;
use crate::timing::Stopwatch;

/// The experiment `rigid-rest`.
pub(crate) struct RigidRest;

/// How often a scene is looked at, and how long after it has come to rest, s.
pub(crate) const PERIOD: f64 = 0.01;
const LATER: f64 = 10.0;

impl Experiment for RigidRest {
    fn name(&self) -> &'static str {
        "rigid-rest"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, section 3.4 (what comes to rest)"
    }

    fn summary(&self) -> &'static str {
        "when the hourglass, the dominoes and the dice come to rest, and whether they stay"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "scene",
            "bodies",
            "rests_at_s",
            "later_motion",
            "max_overlap",
            "cpu_s",
            "ours_s_per_sim_s",
            "rapier_rests_at_s",
            "rapier_later_motion",
            "rapier_max_overlap",
            "rapier_s_per_sim_s",
            "rapier_240_rests_at_s",
            "rapier_240_max_overlap",
            "rapier_240_s_per_sim_s",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let plan = plan(context.quick());
        context.plan(plan.len() as f64);
        for case in &plan {
            context.doing(case.scene);
            rows.push(case.measure(context)?);
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// One row to be measured.
struct Case {
    scene: &'static str,
    parameters: &'static [(&'static str, f64)],
    /// If it moves for longer than this, s, it is given up.
    most: f64,
}

fn plan(quick: bool) -> Vec<Case> {
    let case = |scene, parameters, most| Case { scene, parameters, most };
    if quick {
        return vec![
            case("hourglass", &[("n", 50.0)], 10.0),
            case("dominoes", &[("count", 50.0)], 10.0),
            case("dice", &[], 10.0),
        ];
    }
    vec![case("hourglass", &[("n", 100.0)], 20.0), case("dominoes", &[], 40.0), case("dice", &[], 10.0)]
}

/// How a scene came to rest.
pub(crate) struct Settled {
    /// The first time of those looked at from which nothing moves; `None` if
    /// it has not come.
    pub rests_at: Option<f64>,
    /// The farthest that the middle of a body went afterwards, m.
    later_motion: f64,
    pub max_overlap: f64,
    /// Time of the thread until the scene rests, s.
    pub cpu: f64,
    simulated: f64,
    contact_steps: u64,
    collisions: u64,
}

impl Case {
    fn measure(&self, context: &Context) -> Result<Row, Halt> {
        let scene = proscenium_scenes::find(self.scene, self.parameters)?;
        let builder = scene.draw(context.seed().child("rigid-rest", 0)).builder()?;
        let bodies = builder.bodies().iter().filter(|body| !body.fixed).count();
        let (rapier, fine) = (self.rapier(&builder, 60.0, context)?, self.rapier(&builder, 240.0, context)?);
        let ours = settle(builder, self.most, LATER, context)?;
        let number_of =
            |answer: &Option<Value>, key: &str| answer.as_ref().and_then(|answer| answer.get(key)?.as_f64());
        let number = |key: &str| number_of(&rapier, key);
        Ok(Row::new()
            .with("scene", self.scene)
            .with("bodies", bodies)
            .with("rests_at_s", ours.rests_at)
            .with("later_motion", ours.rests_at.map(|_| ours.later_motion))
            .with("max_overlap", ours.max_overlap)
            .with("cpu_s", ours.cpu)
            .with("ours_s_per_sim_s", ours.cpu / ours.simulated)
            .with("rapier_rests_at_s", number("rests_at_s"))
            .with("rapier_later_motion", number("later_motion"))
            .with("rapier_max_overlap", number("max_overlap"))
            .with("rapier_s_per_sim_s", number("s_per_sim_s"))
            .with("rapier_240_rests_at_s", number_of(&fine, "rests_at_s"))
            .with("rapier_240_max_overlap", number_of(&fine, "max_overlap"))
            .with("rapier_240_s_per_sim_s", number_of(&fine, "s_per_sim_s"))
            .with("contact_steps", ours.contact_steps)
            .with("collisions", ours.collisions)
            .with("watched_s", self.most))
    }

    /// What rapier does, with so many steps per second.
    fn rapier(&self, builder: &WorldBuilder, rate: f64, context: &Context) -> Result<Option<Value>, Halt> {
        let Some(program) = context.peer("peer-rapier") else {
            return Ok(None);
        };
        let request = request::request(builder, self.most, LATER, PERIOD, 1.0 / rate);
        request.map(|request| ask(&program, &request, context)).transpose()
    }
}

/// Runs a scene until nothing moves, and then for some seconds more to see whether it
/// stays so.
pub(crate) fn settle(builder: WorldBuilder, most: f64, later: f64, context: &Context) -> Result<Settled, Halt> {
    let last_start = builder.bodies().iter().map(|body| body.start).fold(0.0, f64::max);
    let mut watch = Stopwatch::default();
    let mut world = watch.time(|| builder.build())?;
    let mut max_overlap = 0.0_f64;
    let mut rests_at = None;
    let mut instant = 0_u32;
    while rests_at.is_none() && world.now() < most {
        context.check()?;
        instant += 1;
        let time = PERIOD * f64::from(instant);
        watch.time(|| world.advance(time))?;
        max_overlap = max_overlap.max(overlap(&world));
        let still = |body: &BodyId| world.inertia(*body).is_none() || world.is_resting(*body);
        rests_at = (time >= last_start && world.bodies().all(|body| still(&body))).then_some(time);
    }
    let (simulated, statistics) = (world.now(), world.statistics());
    let later_motion = if rests_at.is_some() { later_motion(&mut world, later)? } else { 0.0 };
    Ok(Settled {
        rests_at,
        later_motion,
        max_overlap,
        cpu: watch.seconds(),
        simulated,
        contact_steps: statistics.contact_steps,
        collisions: statistics.collisions,
    })
}

fn later_motion(world: &mut World, seconds: f64) -> Result<f64, Halt> {
    let places = |world: &World| -> Vec<_> { world.bodies().filter_map(|body| world.pose(body)).collect() };
    let before = places(world);
    let until = world.now() + seconds;
    world.advance(until)?;
    let moved =
        before.iter().zip(&places(world)).map(|(p, q)| p.translation.distance(q.translation)).fold(0.0, f64::max);
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One small row, measured for real.
    #[test]
    fn dice_rest_and_stay() {
        let case = Case { scene: "dice", parameters: &[], most: 10.0 };
        let row = case.measure(&Context::new(1, true)).unwrap();
        assert!(RigidRest.columns().iter().all(|key| row.get(key).is_some()));
        assert_eq!((row.number("bodies"), row.number("later_motion")), (Some(5.0), Some(0.0)));
        assert!(row.number("rests_at_s").unwrap() < 5.0);
        assert_eq!(row.number("rapier_rests_at_s"), None);
    }
}
