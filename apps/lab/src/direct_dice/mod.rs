//! Dice that are told where to land and what to show (Chenney 2000, section
//! 2.4.4 and figure 2.13).

mod conclude;

use proscenium_scenes::{DirectedScene, find};

use crate::directing::{Enough, cost, search};
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;

/// So many animations of each die are wanted.
pub(super) const DISTINCT: usize = 10;
/// How near a die must come to its spot, m.
const WITHIN: f64 = 0.005;
/// The spot of each die, m, and the face that it must show.
const DICE: [([f64; 2], u32); 6] = [
    ([0.00, -0.08], 1),
    ([0.10, -0.05], 2),
    ([0.02, 0.00], 3),
    ([0.15, 0.02], 4),
    ([0.05, 0.08], 5),
    ([0.12, 0.10], 6),
];

/// The experiment `direct-dice`.
pub(crate) struct DirectDice;

impl Experiment for DirectDice {
    fn name(&self) -> &'static str {
        "direct-dice"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, section 2.4.4 and figure 2.13"
    }

    fn summary(&self) -> &'static str {
        "six dice on random tables, each told its spot and its face"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "what",
            "spot",
            "face",
            "simulations",
            "seconds",
            "ms_per_simulation",
            "first_success",
            "first_success_s",
            "paper_first_s",
            "distinct",
            "tenth_distinct_s",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let (costs, dice, seconds) = if context.quick() { (100, 2, 20.0) } else { (1000, DICE.len(), 300.0) };
        context.plan(dice as f64 * seconds);
        for (what, scene, count) in
            [("one die", "table", 1.0), ("two dice", "table", 2.0), ("five from a cup", "dice", 0.0)]
        {
            let parameters = if count > 0.0 { vec![("n", count)] } else { Vec::new() };
            let scene = find(scene, &parameters)?.with_wants("die-1 shows 6")?;
            context.doing(&format!("what a throw of {what} costs"));
            let model = DirectedScene::new(&scene)?.without_symmetry();
            let tally = cost(&model, context.seed(), costs, context)?;
            rows.push(tally.row(Row::new().with("what", format!("draws of the world, {what}"))));
        }
        for (index, ([x, z], face)) in DICE.into_iter().enumerate().take(dice) {
            context.doing(&format!("die {} shows {face}", index + 1));
            let wants = [("face", f64::from(face)), ("x", x), ("z", z), ("within", WITHIN)];
            let model = DirectedScene::new(&find("table", &wants)?)?;
            let seed = context.seed().child("direct-dice", index as u64);
            let enough = Enough { simulations: u64::MAX, seconds, distinct: DISTINCT };
            let (tally, why) = search(&model, seed, enough, context)?;
            let row = Row::new()
                .with("what", format!("die {}", index + 1))
                .with("spot", format!("{x} {z}"))
                .with("face", face)
                .with("paper_first_s", 3600);
            let row = tally.row(row).with("tenth_distinct_s", tally.distinct.get(DISTINCT - 1).copied());
            rows.push(row.with("found_s", tally.distinct.clone()).with("why", why));
            context.done(seconds);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}
