//! How the event loop scales: spheres and polyhedra in boxes, from a thousand
//! to a million.

mod conclude;
mod measure;
mod start;

use proscenium_rigid::BoundsKind;

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::overlap::overlap;
use crate::results::Row;

use measure::{Peer, rapier, run};
use start::{Boxed, Content};

/// The experiment `rigid-scale`.
pub(crate) struct RigidScale;

impl Experiment for RigidScale {
    fn name(&self) -> &'static str {
        "rigid-scale"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, section 3.4 (bounds where bodies cluster), beside EDMD and DynamO"
    }

    fn summary(&self) -> &'static str {
        "collisions per second of spheres and icosahedra in a box, up to a million bodies"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "shape",
            "packing",
            "n",
            "collisions",
            "collisions_per_s",
            "mark_per_s",
            "ns_per_event",
            "lists_ns_per_event",
            "energy_drift",
            "max_overlap",
            "rapier_s_per_sim_s",
            "rapier_energy_drift",
            "rapier_max_overlap",
            "ours_s_per_sim_s",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let plan = plan(context.quick());
        context.plan(plan.iter().map(Case::work).sum());
        for case in &plan {
            rows.push(case.measure(context)?);
            context.done(case.work());
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// Collisions per second that another code of the same kind was measured at,
/// on such a machine: DynamO for spheres, and a code that works with closest
/// points for icosahedra.
fn mark(boxed: &Boxed) -> Option<f64> {
    match (boxed.content, boxed.n) {
        (Content::Spheres, 1000) if boxed.packing == 0.3 => Some(110_000.0),
        (Content::Spheres, 100_000) if boxed.packing == 0.3 => Some(49_000.0),
        (Content::Icosahedra, _) => Some(8_000.0),
        _ => None,
    }
}

/// One row to be measured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Case {
    boxed: Boxed,
    /// Collisions that are timed, with the grid and with the sorted lists.
    collisions: u64,
    lists_collisions: Option<u64>,
    /// Simulated seconds of rapier.
    rapier: Option<f64>,
}

/// What is measured. The full plan takes about ten minutes, the quick one
/// about half a minute.
fn plan(quick: bool) -> Vec<Case> {
    let case = |content, packing, n: usize, collisions: u64, lists: Option<u64>, rapier: Option<f64>| Case {
        boxed: Boxed { content, packing, n },
        collisions,
        lists_collisions: lists,
        rapier,
    };
    use Content::{Heap, Icosahedra, Spheres};
    if quick {
        return vec![
            case(Spheres, 0.08, 1000, 100_000, Some(20_000), Some(1.0)),
            case(Spheres, 0.08, 10_000, 50_000, Some(10_000), None),
            case(Spheres, 0.3, 1000, 300_000, Some(50_000), Some(1.0)),
            case(Spheres, 0.3, 10_000, 200_000, Some(20_000), None),
            case(Icosahedra, 0.08, 64, 20_000, Some(20_000), Some(1.0)),
            case(Icosahedra, 0.08, 1000, 20_000, Some(10_000), None),
            case(Heap, 0.05, 1000, 30_000, Some(10_000), None),
        ];
    }
    let mut plan = Vec::new();
    for packing in [0.08, 0.3] {
        plan.extend([
            case(Spheres, packing, 1000, 500_000, Some(100_000), Some(5.0)),
            case(Spheres, packing, 10_000, 500_000, Some(20_000), Some(0.1)),
            case(Spheres, packing, 100_000, 500_000, (packing == 0.3).then_some(5_000), None),
            case(Spheres, packing, 1_000_000, 500_000, None, None),
        ]);
    }
    for (n, rapier) in [(64, 5.0), (512, 5.0), (1000, 5.0), (10_000, 0.1)] {
        plan.push(case(Icosahedra, 0.08, n, 100_000, Some(20_000), Some(rapier)));
    }
    plan.extend([
        case(Heap, 0.05, 1000, 100_000, Some(50_000), None),
        case(Heap, 0.05, 10_000, 100_000, Some(20_000), None),
    ]);
    plan
}

impl Case {
    /// Roughly how long it takes, seconds.
    fn work(&self) -> f64 {
        let n = self.boxed.n as f64;
        let collision = if self.boxed.content == Content::Icosahedra { 3e-5 } else { 1e-5 } * (1.0 + n / 1e5).min(3.0);
        let lists = 1e-5 * libm::pow(n / 1000.0, 2.0 / 3.0);
        (n + self.collisions as f64) * collision
            + self.lists_collisions.map_or(0.0, |count| (n + count as f64) * lists)
            + self.rapier.map_or(0.0, |seconds| seconds * n * 3e-4)
    }

    fn measure(&self, context: &Context) -> Result<Row, Halt> {
        let Boxed { content, packing, n } = self.boxed;
        context.doing(&format!("{n} {} at {} %", content.name(), 100.0 * packing));
        let seed = context.seed().child("rigid-scale", n as u64);
        let own = run(&self.boxed, BoundsKind::Grid, self.collisions, seed, context)?;
        let max_overlap = overlap(&own.world);
        let lists = match self.lists_collisions {
            Some(count) => Some(run(&self.boxed, BoundsKind::SortedLists, count, seed, context)?),
            None => None,
        };
        let peer = match self.rapier {
            Some(seconds) => rapier(&self.boxed, seconds, seed, context)?,
            None => Peer::default(),
        };
        Ok(Row::new()
            .with("shape", content.name())
            .with("packing", packing)
            .with("n", n)
            .with("collisions", self.collisions)
            .with("collisions_per_s", own.collisions() / own.seconds)
            .with("mark_per_s", mark(&self.boxed))
            .with("ns_per_event", own.ns_per_event())
            .with("lists_ns_per_event", lists.as_ref().map(|run| run.ns_per_event()))
            .with("energy_drift", own.energy_drift)
            .with("max_overlap", max_overlap)
            .with("rapier_s_per_sim_s", peer.s_per_sim_s)
            .with("rapier_energy_drift", peer.energy_drift)
            .with("rapier_max_overlap", peer.max_overlap)
            .with("ours_s_per_sim_s", own.seconds / own.window)
            .with("ns_per_collision", own.ns_per_collision())
            .with("lists_ns_per_collision", lists.as_ref().map(|run| run.ns_per_collision()))
            .with("build_s", own.building)
            .with("window_s", own.window)
            .with("tolerance", own.world.tolerance())
            .with("events", own.count(|s| s.events))
            .with("bound_expiries", own.count(|s| s.bound_expiries))
            .with("near_misses", own.count(|s| s.near_misses))
            .with("predictions", own.count(|s| s.predictions))
            .with("distance_queries", own.count(|s| s.distance_queries))
            .with("bound_comparisons", own.count(|s| s.bound_comparisons)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_spans_what_is_promised() {
        let plan = plan(false);
        for (content, packing, least, most) in [
            (Content::Spheres, 0.08, 1000, 1_000_000),
            (Content::Spheres, 0.3, 1000, 1_000_000),
            (Content::Icosahedra, 0.08, 64, 10_000),
        ] {
            let chosen = plan.iter().filter(|case| case.boxed.content == content && case.boxed.packing == packing);
            let counts: Vec<usize> = chosen.map(|case| case.boxed.n).collect();
            assert_eq!((counts.first(), counts.last()), (Some(&least), Some(&most)));
        }
        assert!(plan.iter().all(|case| case.rapier.is_none() || case.boxed.n <= 10_000));
    }

    #[test]
    fn quick_is_quick() {
        let work = |quick| plan(quick).iter().map(Case::work).sum::<f64>();
        assert!(work(true) < 40.0, "{}", work(true));
        assert!(work(false) < 900.0, "{}", work(false));
    }

    /// One small row, measured for real.
    #[test]
    fn a_row_holds_what_the_contract_names() {
        let boxed = Boxed { content: Content::Heap, packing: 0.05, n: 64 };
        let case = Case { boxed, collisions: 500, lists_collisions: Some(200), rapier: Some(0.1) };
        let row = case.measure(&Context::new(1, true)).unwrap();
        assert!(RigidScale.columns().iter().all(|key| row.get(key).is_some()));
        assert_eq!((row.number("n"), row.number("rapier_energy_drift")), (Some(64.0), None));
        assert!(row.number("energy_drift").unwrap().abs() < 1e-10);
        assert!(row.number("max_overlap").unwrap() <= row.number("tolerance").unwrap());
    }
}
