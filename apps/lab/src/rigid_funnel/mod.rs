//! Sand through a funnel: the asynchronous algorithm against the synchronous
//! one where things come to rest (Chenney 2000, 3.3.2, table 3.2 and figure
//! 3.10).

mod conclude;

use proscenium_chance::Seed;
use proscenium_rigid::baselines::FreezeRule;
use proscenium_rigid::{BoundsKind, SimulationError, WorldBuilder};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::overlap::overlap;
use crate::paper;
use crate::race::{Effort, Efforts, Windows, race, whole};
use crate::results::Row;

/// The experiment `rigid-funnel`.
pub(crate) struct RigidFunnel;

impl Experiment for RigidFunnel {
    fn name(&self) -> &'static str {
        "rigid-funnel"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, table 3.2"
    }

    fn summary(&self) -> &'static str {
        "sand through a funnel, until it rests: asynchronous against synchronous simulation"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "n",
            "window_s",
            "sync_events",
            "sync_us_per_event",
            "sync_s",
            "async_events",
            "async_us_per_event",
            "async_s",
            "speedup",
            "speedup_patient",
            "paper_speedup",
            "sync_overhead_us",
            "bouncing_sync_s",
            "bouncing_async_s",
            "bouncing_async_us_per_event",
            "bouncing_speedup",
            "resting",
            "max_overlap",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let plan = plan(context.quick());
        context.plan(plan.iter().map(|case| case.starts as f64 * case.work()).sum());
        for case in &plan {
            rows.push(case.measure(context)?);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// One row to be measured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Case {
    n: usize,
    starts: u64,
    /// How long both sides are timed, simulated seconds; `None` for the whole
    /// scene, from the first grain to the end.
    window: Option<f64>,
}

/// How grains come to rest in the paper: slow over many collisions.
const FREEZING: FreezeRule = FreezeRule { speed: 0.06, collisions: 20 };

/// What is measured. The paper's rows are whole runs; of larger ones both
/// sides are timed over the same window, from the first grain on.
fn plan(quick: bool) -> Vec<Case> {
    let whole = |n, starts| Case { n, starts, window: None };
    let part = |n, starts, seconds| Case { n, starts, window: Some(seconds) };
    if quick {
        return [10, 20, 30, 40, 50].map(|n| whole(n, 2)).into_iter().chain([part(100, 1, 2.5)]).collect();
    }
    let small = (1..=10).map(|tens| whole(10 * tens, 10));
    small.chain([part(200, 3, 5.0), part(400, 3, 5.0), part(800, 3, 5.0)]).collect()
}

fn start(n: usize, seed: Seed) -> Result<(WorldBuilder, f64), Halt> {
    let scene = proscenium_scenes::find("hourglass", &[("n", n as f64)])?;
    let duration = scene.duration();
    // As in the paper, and as the synchronous side has it: the grid makes twice
    // the predictions where grains fall on a heap.
    Ok((scene.draw(seed).builder()?.bounds(BoundsKind::SortedLists), duration))
}

impl Case {
    /// Roughly how long one start takes, seconds.
    fn work(&self) -> f64 {
        let hundreds = self.n.min(250) as f64 / 100.0;
        6.0 * hundreds * hundreds * hundreds + 0.05
    }

    /// Both sides where contact is as in the paper: bodies bounce until they
    /// freeze. `None` if one is wedged between frozen ones.
    fn bounce(&self, context: &Context) -> Result<Option<[Effort; 2]>, Halt> {
        context.doing(&format!("{} bouncing grains", self.n));
        let (builder, duration) = start(self.n, context.seed().child("rigid-funnel", 0))?;
        let window = self.window.unwrap_or(duration).min(duration);
        let windows = Windows { synchronous: window, asynchronous: window };
        match race(builder.impulses_until_frozen(FREEZING), windows, context, self.work()) {
            Ok(run) => Ok(Some([run.synchronous, run.asynchronous])),
            Err(Halt::Failed(LabError::Simulation(SimulationError::Wedged { .. }))) => Ok(None),
            Err(other) => Err(other),
        }
    }

    fn measure(&self, context: &Context) -> Result<Row, Halt> {
        let mut efforts = Efforts::default();
        let (mut resting, mut deepest, mut seconds) = (0.0, 0.0_f64, 0.0);
        let share = 1.0 / self.starts as f64;
        for index in 0..self.starts {
            context.doing(&format!("{} grains, start {} of {}", self.n, index + 1, self.starts));
            let (builder, duration) = start(self.n, context.seed().child("rigid-funnel", index))?;
            let window = self.window.unwrap_or(duration).min(duration);
            let windows = Windows { synchronous: window, asynchronous: window };
            let run = race(builder, windows, context, self.work())?;
            efforts.add(&run, [share, share]);
            let at_rest = run.world.bodies().filter(|body| run.world.is_resting(*body)).count();
            resting += share * at_rest as f64 / self.n as f64;
            deepest = deepest.max(overlap(&run.world));
            seconds += share * window;
        }
        // Beyond the paper's rows a heap that bounces takes far too long.
        let bouncing = if self.window.is_none() { self.bounce(context)? } else { None };
        let (sync, own) = (&efforts.synchronous, &efforts.asynchronous);
        let row = Row::new().with("n", self.n).with("window_s", seconds);
        let row = efforts
            .columns(row, self.n, &paper::FUNNEL)
            .with("sync_overhead_us", 1e6 * (sync.seconds - own.seconds) / sync.events())
            .with("bouncing_sync_s", bouncing.map(|[sync, _]| sync.seconds))
            .with("bouncing_async_s", bouncing.map(|[_, own]| own.seconds))
            .with("bouncing_sync_events", bouncing.map(|[sync, _]| whole(sync.events())))
            .with("bouncing_async_events", bouncing.map(|[_, own]| whole(own.events())))
            .with("bouncing_sync_us_per_event", bouncing.map(|[sync, _]| sync.microseconds_per_event()))
            .with("bouncing_async_us_per_event", bouncing.map(|[_, own]| own.microseconds_per_event()))
            .with("bouncing_speedup", bouncing.map(|[sync, own]| sync.seconds / own.seconds))
            .with("resting", resting)
            .with("max_overlap", deepest)
            .with("whole", self.window.is_none())
            .with("starts", self.starts);
        Ok(efforts.counts(row, self.n, &paper::FUNNEL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_is_the_papers_and_more() {
        let plan = plan(false);
        let counts: Vec<usize> = plan.iter().map(|case| case.n).collect();
        assert_eq!(counts, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 400, 800]);
        for case in &plan {
            assert_eq!(case.starts, if case.n <= 100 { 10 } else { 3 });
            assert_eq!(case.window.is_none(), case.n <= 100);
        }
    }

    /// One small row, measured for real: both sides see the same motion.
    #[test]
    fn a_row_holds_what_the_contract_names() {
        let row = Case { n: 4, starts: 2, window: None }.measure(&Context::new(1, true)).unwrap();
        assert!(RigidFunnel.columns().iter().all(|key| row.get(key).is_some()));
        assert_eq!(row.number("resting"), Some(1.0));
        assert_eq!(row.number("sync_collisions"), row.number("async_collisions"));
        assert_eq!(row.number("sync_contact_steps"), row.number("async_contact_steps"));
    }
}
