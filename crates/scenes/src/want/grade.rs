//! What a number scores that should be small.

use super::Verdict;

/// How a number that should be small is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grade {
    /// Up to this it is as well as can be.
    pub free: f64,
    /// Up to this the want is met.
    pub limit: f64,
    /// Beyond `free`, so much more is less likely by the factor exp(−½); without it the
    /// want is met or not.
    pub within: Option<f64>,
    /// A miss by this costs three quarters of the weight, where it counts or does not.
    pub scale: f64,
}

impl Grade {
    /// A distance: the nearer the better, and met up to a tolerance.
    pub(crate) fn near(within: f64) -> Self {
        Self { free: 0.0, limit: within, within: Some(within), scale: within }
    }

    /// A limit, perhaps with a tolerance beyond it.
    pub(crate) fn up_to(limit: f64, within: Option<f64>, scale: f64) -> Self {
        Self { free: limit, limit, within, scale: within.unwrap_or(scale) }
    }

    /// What a value scores; never more than a smaller one does.
    pub(crate) fn score(&self, value: f64, weight: f64, counts: bool) -> f64 {
        match self.within.filter(|_| !counts) {
            Some(within) => {
                let off = ((value - self.free) / within).max(0.0);
                -0.5 * off * off
            }
            None if value <= self.limit => 0.0,
            None => missed(weight, (value - self.limit) / self.scale),
        }
    }

    /// What is known once the value is.
    pub(crate) fn verdict(&self, value: f64, weight: f64, counts: bool) -> Verdict {
        let depth = (self.limit - value) / self.scale;
        let holds = value <= self.limit;
        Verdict { depth: if holds { depth } else { 0.0 }, ..Verdict::decided(holds, self.score(value, weight, counts)) }
    }

    /// What is known of the least of many values of which this is the least so far.
    pub(crate) fn of_least(&self, least: f64, is_over: bool, weight: f64, counts: bool) -> Verdict {
        if is_over {
            return self.verdict(least, weight, counts);
        }
        let is_final = self.score(least, weight, counts) == 0.0 && least <= self.limit;
        // How deep it holds is known when all is over.
        Verdict { may_fail: least > self.limit, is_final, depth: 0.0, ..Verdict::OPEN }
    }

    /// What is known of the greatest of many values of which this is the greatest so far.
    pub(crate) fn of_greatest(&self, greatest: f64, is_over: bool, weight: f64, counts: bool) -> Verdict {
        if is_over {
            // What was never there did not hold.
            let value = if greatest == f64::NEG_INFINITY { f64::INFINITY } else { greatest };
            return self.verdict(value, weight, counts);
        }
        Verdict { best: self.score(greatest, weight, counts), may_hold: greatest <= self.limit, ..Verdict::OPEN }
    }
}

/// What a miss costs by a weight: half of it if it was as near as can be, all of it if it
/// was far off.
pub(crate) fn missed(weight: f64, off: f64) -> f64 {
    -weight * (1.0 - 0.5 / (1.0 + off.max(0.0)))
}
