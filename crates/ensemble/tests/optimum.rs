//! Promise: the solver finds the best transition. For two flags every program
//! can be enumerated, and the optimum is the same.

use proscenium_ensemble::Seed;
use proscenium_ensemble::data::Moment;
use proscenium_ensemble::transition::{
    Costs, Observer, Shapes, Splice, Transition, TransitionSettings, compute_transition,
};
use proscenium_work::Progress;

use crate::plates;

/// The cheapest of all (2 reach + 1)² pairs of offsets that is clean, as it is
/// played.
fn by_enumeration(
    shapes: &Shapes,
    costs: &Costs,
    from: Moment,
    to: Moment,
    settings: &TransitionSettings,
) -> Option<f64> {
    let table = costs.table(from, to, settings.reach);
    let reach = settings.reach as i8;
    let mut best: Option<f64> = None;
    for first in -reach..=reach {
        for second in -reach..=reach {
            let cost = table[0][(first + reach) as usize] + table[1][(second + reach) as usize];
            let splices = vec![Splice::Direct(first), Splice::Direct(second)];
            let span = settings.span();
            let transition = Transition { from, to, blend: settings.blend, span, splices, cost, tolerance: 0.0 };
            if best.is_none_or(|best| cost < best) && transition.first_touch(shapes).is_none() {
                best = Some(cost);
            }
        }
    }
    best
}

#[test]
fn the_optimum_of_two_flags_is_that_of_enumeration() {
    // Fast enough for several good times within reach of each other.
    let data = plates::swinging(plates::Swing { spacing: 0.5, own: 0.14, speed: 0.6 }, 2, 200);
    let (shapes, costs) = (Shapes::new(&data), Costs::new(&data));
    let settings = TransitionSettings {
        reach: 8,
        blend: 4,
        samples: 60,
        cutoff: 1.0 - 1e-12,
        detours: false,
        patience: 40.0,
        acceleration: f64::INFINITY,
        ..TransitionSettings::default()
    };
    let (mut solved, mut constrained, mut hopeless) = (0, 0, 0);
    for index in 0..30 {
        let (i, j) = (20 + 53 * index % 160, 20 + 97 * index % 160);
        let (from, to) = (Moment { sequence: 1, frame: i }, Moment { sequence: 1, frame: j });
        let mut stream = Seed(11).stream("optimum").at(u64::from(index));
        let mut observer = Observer { progress: &Progress::none(), trace: &mut |_| () };
        let found = compute_transition(&shapes, &costs, from, &[to], &settings, &mut stream, &mut observer);
        let found = found.finished().unwrap();
        let truth = by_enumeration(&shapes, &costs, from, to, &settings);
        let free: f64 = costs
            .table(from, to, settings.reach)
            .iter()
            .map(|costs| costs.iter().copied().fold(f64::INFINITY, f64::min))
            .sum();
        match (found.transition, truth) {
            (Some(found), Some(truth)) => {
                assert!((found.cost - truth).abs() <= 1e-9 * truth, "{i} to {j}: {} instead of {truth}", found.cost);
                solved += 1;
                constrained += usize::from(truth > free * 1.000_001);
            }
            (None, None) => hopeless += 1,
            (found, truth) => panic!("{i} to {j}: {:?} instead of {truth:?}", found.map(|found| found.cost)),
        }
    }
    // The programs are of all kinds.
    assert!(solved >= 10 && constrained >= 3, "{solved} solved, {constrained} constrained, {hopeless} hopeless");
}
