//! How far a model is from the complete one, by what that one differs from
//! itself.

use proscenium_chance::Seed;

/// Divisions of the complete model's runs into halves.
const DIVISIONS: u64 = 2000;

/// Statistics of many runs of the complete model.
pub(super) struct Family {
    runs: Vec<Vec<f64>>,
    pub means: Vec<f64>,
    pub deviations: Vec<f64>,
    /// The largest distance over all statistics that two halves of the runs
    /// stay below in 95 of 100 divisions.
    pub band: f64,
}

/// A model that was judged.
pub(super) struct Verdict {
    pub means: Vec<f64>,
    /// By how many standard errors each statistic differs.
    pub distances: Vec<f64>,
}

impl Family {
    pub fn new(runs: Vec<Vec<f64>>, seed: Seed) -> Self {
        let all: Vec<&Vec<f64>> = runs.iter().collect();
        let (means, deviations) = moments(&all);
        let mut largest: Vec<f64> = (0..DIVISIONS)
            .map(|division| {
                let mut order: Vec<&Vec<f64>> = runs.iter().collect();
                seed.stream("division").at(division).shuffle(&mut order);
                let (one, other) = order.split_at(order.len() / 2);
                distances(one, other).into_iter().map(f64::abs).fold(0.0, f64::max)
            })
            .collect();
        largest.sort_by(f64::total_cmp);
        let band = largest[(0.95 * largest.len() as f64) as usize];
        Self { runs, means, deviations, band }
    }

    pub fn judge(&self, runs: &[Vec<f64>]) -> Verdict {
        let (own, others): (Vec<&Vec<f64>>, Vec<&Vec<f64>>) = (self.runs.iter().collect(), runs.iter().collect());
        Verdict { means: moments(&others).0, distances: distances(&own, &others) }
    }
}

/// Mean and standard deviation of each statistic.
fn moments(runs: &[&Vec<f64>]) -> (Vec<f64>, Vec<f64>) {
    let count = runs.len().max(1) as f64;
    let width = runs.first().map_or(0, |run| run.len());
    let mean = |index: usize| runs.iter().map(|run| run[index]).sum::<f64>() / count;
    let means: Vec<f64> = (0..width).map(mean).collect();
    let deviation = |index: usize| {
        let square = |run: &&Vec<f64>| (run[index] - means[index]) * (run[index] - means[index]);
        (runs.iter().map(square).sum::<f64>() / (count - 1.0).max(1.0)).sqrt()
    };
    let deviations = (0..width).map(deviation).collect();
    (means, deviations)
}

/// Differences of means in standard errors (Welch).
fn distances(one: &[&Vec<f64>], other: &[&Vec<f64>]) -> Vec<f64> {
    let ((a, da), (b, db)) = (moments(one), moments(other));
    (0..a.len())
        .map(|index| {
            let error = da[index] * da[index] / one.len() as f64 + db[index] * db[index] / other.len() as f64;
            if error > 0.0 { (b[index] - a[index]) / error.sqrt() } else { 0.0 }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_holds_what_is_alike_and_not_what_differs() {
        let mut stream = Seed(4).stream("runs");
        let mut runs = |shift: f64| -> Vec<Vec<f64>> {
            (0..24).map(|_| vec![stream.normal() + shift, 5.0 * stream.normal(), stream.uniform()]).collect()
        };
        let family = Family::new(runs(0.0).into_iter().chain(runs(0.0)).collect(), Seed(1));
        // Of three statistics the largest passes 2.4 standard errors once in twenty.
        assert!((2.0..3.2).contains(&family.band), "{}", family.band);
        let farthest = |judged: Verdict| judged.distances.iter().map(|z| z.abs()).fold(0.0, f64::max);
        assert!(farthest(family.judge(&runs(0.0))) < family.band + 0.8);
        assert!(farthest(family.judge(&runs(3.0))) > 2.0 * family.band);
    }
}
