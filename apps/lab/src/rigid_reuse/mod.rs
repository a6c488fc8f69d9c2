//! How much of a run the next one can re-use (Chenney 2000, section 3.4):
//! marbles dropped into the spelling box one after the other, and one of them
//! moved.

mod conclude;
mod spelling;

use proscenium_rigid::Take;

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;
use crate::timing::Stopwatch;

use spelling::Drops;

/// The experiment `rigid-reuse`.
pub(crate) struct RigidReuse;

/// The speedup that the paper reports.
const PAPER_SPEEDUP: f64 = 2.0;
/// Changes made to one run before another is drawn.
const CHANGES_PER_RUN: usize = 10;

impl Experiment for RigidReuse {
    fn name(&self) -> &'static str {
        "rigid-reuse"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, section 3.4 (re-use)"
    }

    fn summary(&self) -> &'static str {
        "marbles in the spelling box, one of them moved: what the next run can re-use"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "marbles",
            "block_s",
            "share_replayed",
            "speedup",
            "speedup_mean",
            "paper_speedup",
            "speedup_record",
            "fresh_ms",
            "record_ms",
            "again_ms",
            "blocks",
            "blocks_simulated",
            "fresh_events",
            "again_events",
            "equal",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let plan = plan(context.quick());
        context.plan(plan.iter().map(Case::work).sum());
        for case in &plan {
            rows.extend(case.measure(context)?);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// Some rows to be measured: one number of marbles, several lengths of blocks.
#[derive(Clone, Debug, PartialEq)]
struct Case {
    marbles: usize,
    blocks: &'static [f64],
    changes: usize,
}

fn plan(quick: bool) -> Vec<Case> {
    let (blocks, changes): (&[f64], _) = if quick { (&[0.1], 50) } else { (&[0.02, 0.05, 0.1, 0.2], 100) };
    [10, 20, 30].map(|marbles| Case { marbles, blocks, changes }).to_vec()
}

/// What came of one change with one length of blocks.
#[derive(Clone, Copy, Debug, Default)]
struct ReuseOutcome {
    fresh_ms: f64,
    record_ms: f64,
    again_ms: f64,
    share: f64,
    blocks: f64,
    blocks_simulated: f64,
    fresh_events: f64,
    again_events: f64,
    equal: bool,
}

impl Case {
    /// Roughly how long it takes, seconds.
    fn work(&self) -> f64 {
        2e-3 * (self.marbles * self.changes * (1 + 2 * self.blocks.len())) as f64
    }

    fn measure(&self, context: &Context) -> Result<Vec<Row>, Halt> {
        let mut outcomes: Vec<Vec<ReuseOutcome>> = vec![Vec::new(); self.blocks.len()];
        for run in 0..self.changes.div_ceil(CHANGES_PER_RUN) {
            context.doing(&format!("{} marbles, run {}", self.marbles, run + 1));
            let seed = context.seed().child("rigid-reuse", (1000 * self.marbles + run) as u64);
            let mut stream = seed.stream("drops");
            let before = Drops::draw(self.marbles, &mut stream);
            let builder = before.builder()?;
            let takes = self.blocks.iter().map(|block| Take::record(builder.clone(), before.duration(), *block));
            let takes: Vec<Take> = takes.collect::<Result<_, _>>()?;
            for _ in 0..CHANGES_PER_RUN.min(self.changes - run * CHANGES_PER_RUN) {
                context.check()?;
                let after = before.moved(&mut stream);
                for (take, outcomes) in takes.iter().zip(&mut outcomes) {
                    outcomes.push(compare(take, &after)?);
                }
                context.done(self.work() / self.changes as f64);
            }
        }
        Ok(self.blocks.iter().zip(&outcomes).map(|(block, outcomes)| self.row(*block, outcomes)).collect())
    }

    fn row(&self, block: f64, outcomes: &[ReuseOutcome]) -> Row {
        let typical = |value: fn(&ReuseOutcome) -> f64| median(outcomes.iter().map(value).collect());
        let sum = |value: fn(&ReuseOutcome) -> f64| outcomes.iter().map(value).sum::<f64>();
        Row::new()
            .with("marbles", self.marbles)
            .with("block_s", block)
            .with("share_replayed", typical(|o| o.share))
            .with("speedup", typical(|o| o.fresh_ms / o.again_ms))
            .with("speedup_mean", sum(|o| o.fresh_ms) / sum(|o| o.again_ms))
            .with("paper_speedup", PAPER_SPEEDUP)
            .with("speedup_record", typical(|o| o.record_ms / o.again_ms))
            .with("fresh_ms", typical(|o| o.fresh_ms))
            .with("record_ms", typical(|o| o.record_ms))
            .with("again_ms", typical(|o| o.again_ms))
            .with("blocks", typical(|o| o.blocks))
            .with("blocks_simulated", typical(|o| o.blocks_simulated))
            .with("fresh_events", typical(|o| o.fresh_events))
            .with("again_events", typical(|o| o.again_events))
            .with("equal", outcomes.iter().all(|o| o.equal))
            .with("changes", outcomes.len())
    }
}

/// The same run three times: by a world that keeps nothing, recorded anew, and
/// by re-use. None of them is charged for the description of the world.
fn compare(take: &Take, after: &Drops) -> Result<ReuseOutcome, Halt> {
    let until = after.duration();
    let [mut fresh, mut record, mut repeat] = [Stopwatch::default(); 3];
    let builder = after.builder()?;
    let world = fresh.time(|| -> Result<_, Halt> {
        let mut world = builder.build()?;
        world.advance(until)?;
        Ok(world)
    })?;
    let builder = after.builder()?;
    let again = repeat.time(|| take.again(builder))?;
    let builder = after.builder()?;
    let recorded = record.time(|| Take::record(builder, until, take.block_length()))?;
    let reuse = again.reuse();
    Ok(ReuseOutcome {
        fresh_ms: 1e3 * fresh.seconds(),
        record_ms: 1e3 * record.seconds(),
        again_ms: 1e3 * repeat.seconds(),
        share: reuse.share(),
        blocks: libm::ceil(until / take.block_length() - 1e-9),
        blocks_simulated: reuse.blocks_simulated as f64,
        fresh_events: world.statistics().events as f64,
        again_events: again.statistics().events as f64,
        equal: again.state_hash() == world.state_hash() && recorded.state_hash() == world.state_hash(),
    })
}

/// The value in the middle, the lower one of two; not a number for none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One small row, measured for real.
    #[test]
    fn a_row_holds_what_the_contract_names() {
        let case = Case { marbles: 4, blocks: &[0.1], changes: 3 };
        let rows = case.measure(&Context::new(1, true)).unwrap();
        assert!(RigidReuse.columns().iter().all(|key| rows[0].get(key).is_some()));
        assert_eq!(rows[0].get("equal"), Some(&true.into()));
        assert_eq!(rows[0].number("blocks"), Some(28.0));
        let share = rows[0].number("share_replayed").unwrap();
        assert!(share > 0.3 && share < 1.0, "{share}");
        assert!(rows[0].number("again_events") < rows[0].number("fresh_events"));
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.0);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn many_changes_are_made() {
        assert!(plan(true).iter().chain(&plan(false)).all(|case| case.changes >= 50));
    }
}
