use std::fmt;

use serde::{Deserialize, Serialize};

use crate::rejection::RejectionState;

/// Draws of the world after which a method is chosen at the latest.
const PILOT: u64 = 4096;
/// Successes that are enough to know the chance.
const ENOUGH: u64 = 8;
/// Above this chance of success, drawing until it fits is best.
const LIKELY: f64 = 1e-3;

/// How samples are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Drawing until it fits: exact and independent, where success is likely.
    Rejection,
    /// The paper's chain (Algorithm 2.1).
    Chain,
    /// Non-reversible parallel tempering.
    Tempering,
    /// Tempered sequential Monte Carlo.
    Population,
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Method::Rejection => "drawing until it fits (rejection)",
            Method::Chain => "the paper's chain",
            Method::Tempering => "tempering",
            Method::Population => "tempered populations (sequential Monte Carlo)",
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

    /// The choice after some draws of the world, if they are enough.
    pub(super) fn after(state: &RejectionState) -> Option<Self> {
        if state.successes < ENOUGH && state.draws < PILOT {
            return None;
        }
        let method =
            if state.successes > 0 && state.chance() >= LIKELY { Method::Rejection } else { Method::Tempering };
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
        Choice::after(&RejectionState { successes, draws, ..RejectionState::default() })
    }

    #[test]
    fn the_choice_follows_the_chance() {
        assert_eq!(after(7, 1024), None);
        assert_eq!(after(8, 1024).unwrap().method, Method::Rejection);
        assert_eq!(after(5, 4096).unwrap().method, Method::Rejection);
        assert_eq!(after(4, 4096).unwrap().method, Method::Tempering);
        assert_eq!(after(0, 4096).unwrap().method, Method::Tempering);
    }

    #[test]
    fn one_line_says_which_and_why() {
        let line = after(8, 256).unwrap().to_string();
        assert_eq!(
            line,
            "chance of success in one simulation about 0.031 (8 of 256): drawing until it fits (rejection)"
        );
        let line = after(0, 4096).unwrap().to_string();
        assert_eq!(line, "chance of success in one simulation under 0.00073 (0 of 4096): tempering");
        assert_eq!(Choice::forced(Method::Chain).to_string(), "as asked: the paper's chain");
    }
}
