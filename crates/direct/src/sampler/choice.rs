use std::fmt;

use serde::{Deserialize, Serialize};

use crate::rejection::RejectionState;

/// Draws of the world after which a method is chosen at the latest: chosen, since none
/// in so many says that success has a chance below 0.003, where tempering takes over.
const PILOT: u64 = 1024;
/// Successes that are enough to know the chance.
const ENOUGH: u64 = 8;
/// Above this chance of success, drawing until it fits is best.
const LIKELY: f64 = 1e-3;

/// Simulations until tempering has settled for a fair draw: 28 000 and 64 000 for two rare
/// wants of `direct-calibration`. What costs less is drawn until it fits.
const SETTLING: f64 = 3e4;

/// How samples are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Drawing until it fits: exact and independent, where success is likely.
    Rejection,
    /// A single chain (Chenney 2000, Algorithm 2.1).
    Chain,
    /// Non-reversible parallel tempering.
    Tempering,
    /// Tempered sequential Monte Carlo.
    Population,
    /// Changes of what was found before: no way to draw, but to find more.
    Exploration,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Rejection, Self::Chain, Self::Tempering, Self::Population, Self::Exploration];

    /// Its name in one word, as files and commands have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Method::Rejection => "rejection",
            Method::Chain => "chain",
            Method::Tempering => "tempering",
            Method::Population => "population",
            Method::Exploration => "exploration",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Method::Rejection => "drawing until it fits (rejection)",
            Method::Chain => "a single chain",
            Method::Tempering => "tempering",
            Method::Population => "tempered populations (sequential Monte Carlo)",
            Method::Exploration => "looking near what was found",
        })
    }
}

/// Which method runs, and what was known when it was chosen. Displays as one
/// line that says so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The method.
    pub method: Method,
    /// How many of how many draws of the world succeeded; `None` if the method
    /// was asked for.
    pub pilot: Option<(u64, u64)>,
}

impl Choice {
    pub(super) fn forced(method: Method) -> Self {
        Self { method, pilot: None }
    }

    /// What was done if a run ends before a choice was needed; `None` if nothing was
    /// found.
    pub(super) fn drawn(state: &RejectionState) -> Option<Self> {
        let pilot = Some((state.successes, state.draws));
        (state.successes > 0).then_some(Self { method: Method::Rejection, pilot })
    }

    /// The choice after some draws of the world, if they are enough; `fair` is how many
    /// fair draws are wanted, if that is what is wanted.
    pub(super) fn after(state: &RejectionState, fair: Option<u64>) -> Option<Self> {
        // As if one more had succeeded, so that none so far does not mean never.
        let each = (state.draws + 1) as f64 / (state.successes + 1) as f64;
        let is_cheap = fair.is_some_and(|fair| fair.saturating_sub(state.successes) as f64 * each <= SETTLING);
        if state.successes < ENOUGH && (state.draws < PILOT || is_cheap) {
            return None;
        }
        let likely = fair.map_or(LIKELY, |fair| LIKELY.min(fair as f64 / SETTLING));
        let method =
            if state.successes > 0 && state.chance() >= likely { Method::Rejection } else { Method::Tempering };
        Some(Self { method, pilot: Some((state.successes, state.draws)) })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pilot {
            None => write!(formatter, "as asked: {}", self.method),
            Some((successes, draws)) => {
                let state = RejectionState { successes, draws, ..RejectionState::default() };
                let about = if successes == 0 { "under" } else { "about" };
                let chance = state.chance();
                write!(
                    formatter,
                    "chance of success in one simulation {about} {chance} ({successes} of {draws}): {}",
                    self.method,
                    chance = Digits(chance)
                )
            }
        }
    }
}

/// A chance with two digits that count.
struct Digits(f64);

impl fmt::Display for Digits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = (1.0 - libm::log10(self.0).floor()).clamp(0.0, 12.0) as usize;
        write!(formatter, "{:.decimals$}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(successes: u64, draws: u64) -> Option<Choice> {
        Choice::after(&RejectionState { successes, draws, ..RejectionState::default() }, None)
    }

    #[test]
    fn the_choice_follows_the_chance() {
        assert_eq!(after(7, 1023), None);
        assert_eq!(after(8, 12).unwrap().method, Method::Rejection);
        assert_eq!(after(2, 1024).unwrap().method, Method::Rejection);
        assert_eq!(after(1, 1024).unwrap().method, Method::Tempering);
        assert_eq!(after(0, 1024).unwrap().method, Method::Tempering);
    }

    /// Few fair draws are had sooner than chains settle.
    #[test]
    fn a_few_fair_draws_are_waited_for() {
        let after = |successes, draws, fair| {
            Choice::after(&RejectionState { successes, draws, ..RejectionState::default() }, Some(fair))
        };
        assert_eq!(after(0, 1024, 4), None);
        assert_eq!(after(1, 4000, 4), None);
        assert_eq!(after(0, 8000, 4).unwrap().method, Method::Tempering);
        assert_eq!(after(8, 10_000, 100).unwrap().method, Method::Tempering);
        assert_eq!(after(8, 10_000, 20).unwrap().method, Method::Rejection);
        assert_eq!(after(1, 1024, 1_000_000).unwrap().method, Method::Tempering);
    }

    #[test]
    fn one_line_says_which_and_why() {
        let line = after(8, 256).unwrap().to_string();
        assert_eq!(
            line,
            "chance of success in one simulation about 0.031 (8 of 256): drawing until it fits (rejection)"
        );
        let line = after(0, 1024).unwrap().to_string();
        assert_eq!(line, "chance of success in one simulation under 0.0029 (0 of 1024): tempering");
        assert_eq!(Choice::forced(Method::Chain).to_string(), "as asked: a single chain");
    }
}
