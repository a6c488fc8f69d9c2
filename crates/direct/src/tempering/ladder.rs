//! The ladder of temperatures, and what is known about the way up and down.

use serde::{Deserialize, Serialize};

/// Below this, a rejection rate is taken to be this: the barrier has to grow
/// from rung to rung for the ladder to be spaced along it.
const LEAST_REJECTION: f64 = 1e-4;

/// Inverse temperatures from 0 (the world alone) to 1 (with all wants), who is
/// at which, and how often neighbours refused to swap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Ladder {
    pub betas: Vec<f64>,
    /// For each pair of neighbours: the sum of the chances not to swap.
    refusals: Vec<f64>,
    attempts: Vec<u64>,
    trips: RoundTrips,
}

impl Ladder {
    /// A first ladder, closer where it is hot: scores differ most there.
    pub fn first(rungs: usize) -> Self {
        let last = (rungs - 1) as f64;
        let beta = |rung: usize| {
            let part = rung as f64 / last;
            part * part * part
        };
        Self::with((0..rungs).map(beta).collect())
    }

    fn with(betas: Vec<f64>) -> Self {
        let rungs = betas.len();
        Self { betas, refusals: vec![0.0; rungs - 1], attempts: vec![0; rungs - 1], trips: RoundTrips::new(rungs) }
    }

    /// The chance of the states at `lower` and the rung above to swap.
    pub fn swap_chance(&self, lower: usize, lower_score: f64, upper_score: f64) -> f64 {
        // Two impossible animations are as good as each other.
        if lower_score == upper_score {
            return 1.0;
        }
        let log_chance = (self.betas[lower + 1] - self.betas[lower]) * (lower_score - upper_score);
        libm::exp(log_chance.min(0.0))
    }

    /// Notes what came of one attempt.
    pub fn note(&mut self, lower: usize, chance: f64, swapped: bool) {
        self.refusals[lower] += 1.0 - chance;
        self.attempts[lower] += 1;
        if swapped {
            self.trips.swap(lower);
        }
    }

    /// Notes that all swaps of a scan were made.
    pub fn end_scan(&mut self) {
        self.trips.look();
    }

    /// How often each pair of neighbours refuses to swap.
    pub fn rejections(&self) -> Vec<f64> {
        let pairs = self.refusals.iter().zip(&self.attempts);
        pairs.map(|(sum, &attempts)| if attempts == 0 { 0.0 } else { sum / attempts as f64 }).collect()
    }

    /// What a round of so many scans has shown.
    pub fn report(&self, scans: u64) -> Round {
        let rejections = self.rejections();
        Round {
            scans,
            barrier: rejections.iter().sum(),
            observed_rate: self.trips.finished as f64 / scans.max(1) as f64,
            predicted_rate: predicted_rate(&rejections),
            betas: self.betas.clone(),
            rejections,
        }
    }

    /// The same ladder, of which nothing was counted yet.
    pub fn counted_anew(&self) -> Self {
        Self::with(self.betas.clone())
    }

    /// A new ladder with so many rungs, evenly spaced along the communication
    /// barrier that this one has measured.
    pub fn respaced(&self, rungs: usize) -> Self {
        let mut barrier = vec![0.0];
        for rejection in self.rejections() {
            barrier.push(barrier[barrier.len() - 1] + rejection.max(LEAST_REJECTION));
        }
        let whole = barrier[barrier.len() - 1];
        let at = |rung: usize| -> f64 {
            let height = whole * rung as f64 / (rungs - 1) as f64;
            let above = barrier.partition_point(|known| *known < height).clamp(1, barrier.len() - 1);
            let part = (height - barrier[above - 1]) / (barrier[above] - barrier[above - 1]);
            self.betas[above - 1] + part.clamp(0.0, 1.0) * (self.betas[above] - self.betas[above - 1])
        };
        let mut betas: Vec<f64> = (0..rungs).map(at).collect();
        betas[0] = 0.0;
        betas[rungs - 1] = 1.0;
        Self::with(betas)
    }
}

/// What one round of a tempered run has shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// How many scans it had.
    pub scans: u64,
    /// The inverse temperatures.
    pub betas: Vec<f64>,
    /// How often each pair of neighbours refused to swap.
    pub rejections: Vec<f64>,
    /// The communication barrier Λ: the sum of the rejections.
    pub barrier: f64,
    /// Ways from β = 0 to β = 1 and back per scan, counted.
    pub observed_rate: f64,
    /// The same as the rejections predict: 1 / (2 + 2 Σ r / (1 − r)) (Syed and
    /// others 2022).
    pub predicted_rate: f64,
}

fn predicted_rate(rejections: &[f64]) -> f64 {
    let inefficiency: f64 = rejections.iter().map(|r| r / (1.0 - r)).sum();
    1.0 / (2.0 + 2.0 * inefficiency)
}

/// Which replica is on which rung, and where each was last of the two ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RoundTrips {
    replica: Vec<usize>,
    heading: Vec<Heading>,
    finished: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Heading {
    Unknown,
    Up,
    Down,
}

impl RoundTrips {
    fn new(rungs: usize) -> Self {
        let mut trips = Self { replica: (0..rungs).collect(), heading: vec![Heading::Unknown; rungs], finished: 0 };
        trips.look();
        trips
    }

    fn swap(&mut self, lower: usize) {
        self.replica.swap(lower, lower + 1);
    }

    /// Looks who is at the ends.
    fn look(&mut self) {
        let (bottom, top) = (self.replica[0], self.replica[self.replica.len() - 1]);
        self.finished += u64::from(self.heading[bottom] == Heading::Down);
        self.heading[bottom] = Heading::Up;
        if self.heading[top] == Heading::Up {
            self.heading[top] = Heading::Down;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_is_spaced_evenly_along_the_barrier() {
        let mut ladder = Ladder::with(vec![0.0, 0.5, 1.0]);
        for _ in 0..10 {
            ladder.note(0, 0.2, false);
            ladder.note(1, 0.8, false);
        }
        // The barrier is 0.8 up to β = 0.5 and 1.0 at β = 1.
        let betas = ladder.respaced(6).betas;
        let expected = [0.0, 0.125, 0.25, 0.375, 0.5, 1.0];
        for (beta, expected) in betas.iter().zip(expected) {
            assert!((beta - expected).abs() < 1e-12, "{betas:?}");
        }
        let same = Ladder::with(vec![0.0, 0.3, 1.0]).respaced(3).betas;
        assert!((same[1] - 0.3).abs() < 1e-12, "{same:?}");
    }

    #[test]
    fn impossible_animations_go_down_and_never_up() {
        let ladder = Ladder::first(3);
        let impossible = f64::NEG_INFINITY;
        assert_eq!(ladder.swap_chance(0, impossible, -1.0), 0.0);
        assert_eq!(ladder.swap_chance(0, -1.0, impossible), 1.0);
        assert_eq!(ladder.swap_chance(0, impossible, impossible), 1.0);
    }

    #[test]
    fn a_round_trip_is_to_the_top_and_back() {
        let mut trips = RoundTrips::new(3);
        for (lower, finished) in [(0, 0), (1, 0), (1, 0), (0, 1), (0, 1)] {
            trips.swap(lower);
            trips.look();
            assert_eq!(trips.finished, finished);
        }
    }

    #[test]
    fn the_predicted_rate_is_that_of_syed_and_others() {
        assert_eq!(predicted_rate(&[0.0; 5]), 0.5);
        assert!((predicted_rate(&[0.5, 0.5]) - 1.0 / 6.0).abs() < 1e-15);
        assert_eq!(predicted_rate(&[1.0]), 0.0);
    }
}
