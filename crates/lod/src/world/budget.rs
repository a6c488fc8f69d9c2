//! One budget for detection, contact modelling and response (section 3.3.1).

use core::time::Duration;

/// What a frame may cost.
#[derive(Clone, Copy)]
pub enum Budget<'a> {
    /// As much as there is to do.
    Unlimited,
    /// So many node tests, or what costs as much: see [`ROOT_TESTS`],
    /// [`PRIMITIVE_TESTS`] and [`CONTACT_TESTS`]. It is never passed
    /// but by what joints take, and replays exactly.
    Tests(u64),
    /// So much time on a clock, which says how long it has been running. It is
    /// the only budget on which results depend on the machine.
    Time(Duration, &'a dyn Fn() -> Duration),
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unlimited => formatter.write_str("Unlimited"),
            Self::Tests(tests) => write!(formatter, "Tests({tests})"),
            Self::Time(time, _) => write!(formatter, "Time({time:?})"),
        }
    }
}

/// What a contact primitive costs, in node tests. These four are proportions of
/// what each takes, fixed so that a counted budget replays (decision 50).
pub const PRIMITIVE_TESTS: u64 = 16;
/// What the response at the root level costs, in node tests: one contact of two
/// balls, with its random spins.
pub const ROOT_TESTS: u64 = 116;
/// What the response to a contact costs, in node tests: its row and as many
/// rounds of the solver as are done at any budget.
pub const CONTACT_TESTS: u64 = 100;
/// What a joint costs, in node tests: its rows, and as many rounds of the solver as
/// are done at any budget.
pub const JOINT_TESTS: u64 = 600;
/// What one more round of the solver costs for a contact, in node tests.
pub const ROUND_TESTS: u64 = 8;

/// A time budget is used up to this share: what a processor does for others
/// within a frame is not known before (decision 66).
const AIM: f64 = 0.97;

/// How often the clock is read, in node tests (decision 50).
const BETWEEN_LOOKS: u64 = 2000;

/// What things take, seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// A node test and its share of everything around it.
    pub(crate) test: f64,
    /// What is to be done after detection, per unit that was reserved for it.
    pub(crate) reserved: f64,
    /// What follows the response: every body moves on.
    pub(crate) tail: f64,
}

/// What things took in the last frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rates {
    pub(crate) test: Rate,
    pub(crate) reserved: Rate,
    pub(crate) tail: Rate,
}

impl Rates {
    /// What things will take. Before the first frame, on the slow side, so that
    /// it is not late.
    pub(crate) fn costs(&self) -> Costs {
        Costs { test: self.test.value(2e-8), reserved: self.reserved.value(2e-8), tail: self.tail.value(0.0) }
    }
}

/// The last measurements of something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rate {
    recent: [f64; Self::KEPT],
    count: usize,
}

impl Rate {
    /// How many are remembered (decision 66).
    const KEPT: usize = 15;

    pub(crate) fn learn(&mut self, measured: f64) {
        if measured.is_finite() && measured > 0.0 {
            self.recent[self.count % Self::KEPT] = measured;
            self.count += 1;
        }
    }

    /// The upper third of the last measurements: rather coarse than late, but
    /// one frame that something else held up does not count.
    fn value(&self, otherwise: f64) -> f64 {
        let many = self.count.min(Self::KEPT);
        let mut sorted = self.recent;
        sorted[..many].sort_unstable_by(f64::total_cmp);
        if many == 0 { otherwise } else { sorted[many * 2 / 3] }
    }
}

/// Runs down while a frame is handled (equation 3.9).
pub(crate) struct Meter<'a> {
    budget: Budget<'a>,
    rates: Costs,
    start: Duration,
    /// Units that were spent on detection.
    pub(crate) spent: u64,
    /// Units that the response to what was found so far will take.
    pub(crate) reserved: u64,
    looked_at: (u64, f64),
    /// Where refinement began: units and seconds.
    began: (u64, f64),
    /// What the current band may use up: units, or seconds.
    ceiling: f64,
}

impl<'a> Meter<'a> {
    pub(crate) fn start(budget: Budget<'a>, rates: Costs) -> Self {
        let start = if let Budget::Time(_, clock) = budget { clock() } else { Duration::ZERO };
        Self {
            budget,
            rates,
            start,
            spent: 0,
            reserved: 0,
            looked_at: (0, 0.0),
            began: (0, 0.0),
            ceiling: f64::INFINITY,
        }
    }

    /// Seconds since the start; zero where no clock runs.
    pub(crate) fn seconds(&self) -> f64 {
        match self.budget {
            Budget::Time(_, clock) => clock().saturating_sub(self.start).as_secs_f64(),
            _ => 0.0,
        }
    }

    /// Whether so many tests fit, and what they may add to the reserve.
    pub(crate) fn allows(&mut self, tests: u64, reserve: u64) -> bool {
        let (spent, reserved) = (self.spent + tests, self.reserved + reserve);
        match self.budget {
            Budget::Unlimited => true,
            Budget::Tests(most) => spent + reserved <= most && (spent + reserved) as f64 <= self.ceiling,
            Budget::Time(most, _) => {
                if self.spent >= self.looked_at.0 + BETWEEN_LOOKS {
                    self.looked_at = (self.spent, self.seconds());
                }
                self.used(spent, reserved) <= self.ceiling.min(AIM * most.as_secs_f64())
            }
        }
    }

    /// What is used up of a budget: units, or seconds as far as they are known.
    fn used(&self, spent: u64, reserved: u64) -> f64 {
        match self.budget {
            Budget::Time(..) => {
                let since = (spent - self.looked_at.0) as f64 * self.rates.test;
                self.looked_at.1 + since + reserved as f64 * self.rates.reserved + self.rates.tail
            }
            _ => (spent + reserved) as f64,
        }
    }

    /// Lets what follows use up a share of what is left.
    pub(crate) fn set_ceiling(&mut self, share: f64) {
        let most = match self.budget {
            Budget::Unlimited => return,
            Budget::Tests(most) => most as f64,
            Budget::Time(most, _) => AIM * most.as_secs_f64(),
        };
        let used = self.used(self.spent, self.reserved);
        self.ceiling = used + share * (most - used).max(0.0);
    }

    /// Whether a time budget would be passed if this much more is done.
    pub(crate) fn is_late(&self, units: u64) -> bool {
        match self.budget {
            Budget::Time(most, _) => {
                self.seconds() + units as f64 * self.rates.reserved + self.rates.tail > most.as_secs_f64()
            }
            _ => false,
        }
    }

    /// Takes so many units more than was kept back, if they are there.
    pub(crate) fn affords(&mut self, units: u64) -> bool {
        self.ceiling = f64::INFINITY;
        let is_there = !self.is_late(units) && self.allows(0, units);
        if is_there {
            self.reserved += units;
        }
        is_there
    }

    /// Reads the clock, since refinement begins.
    pub(crate) fn look(&mut self) {
        self.looked_at = (self.spent, self.seconds());
        self.began = self.looked_at;
    }

    /// Seconds a node test took in refinement, which ended at a time.
    pub(crate) fn refining_rate(&self, end: f64) -> f64 {
        let tests = self.spent - self.began.0;
        if tests < 1000 { f64::NAN } else { (end - self.began.1) / tests as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_frame_does_not_count() {
        let mut rate = Rate::default();
        assert_eq!(rate.value(7.0), 7.0);
        (0..9).for_each(|_| rate.learn(1.0));
        rate.learn(50.0);
        rate.learn(f64::NAN);
        assert_eq!(rate.value(7.0), 1.0);
        // Many of them do.
        (0..8).for_each(|_| rate.learn(3.0));
        assert_eq!(rate.value(7.0), 3.0);
    }
}
