//! Whether a run of chains has forgotten where it began, and how long it has to
//! be for that.

use std::fmt;

use crate::diagnostics::{Diagnosis, diagnose};
use crate::error::DirectError;
use crate::trace::Traces;

/// Chains agree below this R-hat (Gelman and Rubin 1992). Vehtari and others ask for
/// 1.01 where means are reported to three digits; what is delivered here are single
/// animations.
const AGREEING: f64 = 1.1;
/// So many effective draws let R-hat tell that chains agree: 25 for each half of two
/// chains, at which R-hat is 1.02 if they do.
const LEAST_EFFECTIVE: f64 = 100.0;
/// A phase is planned for so many times the effective draws that it must have, since
/// the plan is from a warm-up.
const MARGIN: f64 = 2.0;
/// The least draws of a chain in its first phase, and how many times the warm-up it is
/// at most: chosen, since a warm-up in which chains did not agree tells little.
const LENGTHS: (f64, f64) = (64.0, 8.0);

/// Whether the last phase of a run is long enough, and whether its chains agree.
///
/// The length of a phase is fixed before it begins: the first by how the warm-up
/// went, each further one as twice the one before. A run that ends when it has found
/// enough would prefer what is found early.
#[derive(Clone, Debug, PartialEq)]
pub struct Settling {
    /// The phase: 0 while the run finds its way.
    pub phase: u32,
    /// How many draws each chain has made in it.
    pub length: u64,
    /// How many it has made in all phases.
    pub all: u64,
    /// How many it is to make; `None` while the run finds its way.
    pub planned: Option<u64>,
    /// The share of these draws that meet all wants.
    pub satisfied: f64,
    /// The largest R-hat of any quantity; `None` if nothing can be said yet.
    pub r_hat: Option<f64>,
    /// As many independent draws that meet all wants would tell as much, for the
    /// quantity that is known worst.
    pub effective_size: f64,
    /// As many are needed.
    pub wanted: f64,
    /// What is known of each quantity.
    pub quantities: Vec<(String, Diagnosis)>,
}

impl Settling {
    /// Whether the phase is as long as it was planned.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.planned.is_some_and(|planned| self.length >= planned)
    }

    /// Whether its draws are a fair sample: as long as was planned, chains that
    /// agree, and enough that is independent.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.is_complete() && self.r_hat.is_some_and(|r_hat| r_hat < AGREEING) && self.effective_size >= self.wanted
    }
}

impl fmt::Display for Settling {
    /// In plain words, on one line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(planned) = self.planned else {
            return write!(formatter, "not settled: still finding its way");
        };
        let agreement = match self.r_hat {
            Some(r_hat) if r_hat < AGREEING => format!("chains agree (R-hat {r_hat:.2})"),
            Some(r_hat) => format!("chains disagree (R-hat {r_hat:.2}, where {AGREEING} would do)"),
            None => "nothing varies yet".to_owned(),
        };
        let worth = format!("as good as {:.0} independent animations", self.effective_size);
        if self.is_settled() {
            return write!(formatter, "settled: {agreement}, {worth}");
        }
        let part = 100.0 * self.length as f64 / planned as f64;
        write!(formatter, "not settled: {agreement}, {worth} of {:.0}, {part:.0} % of what is planned", self.wanted)
    }
}

impl Traces {
    /// Whether the run has settled for so many samples to be drawn from it.
    ///
    /// # Errors
    /// None for draws that a sampler has made.
    pub fn settling(&self, samples: usize) -> Result<Settling, DirectError> {
        let wanted = (samples as f64).max(LEAST_EFFECTIVE);
        let phase = self.phase();
        let now = self.of_phase(phase);
        let (satisfied, quantities) = (now.satisfied_share(), now.diagnose_all()?);
        let r_hat = quantities.iter().map(|(_, diagnosis)| diagnosis.r_hat).reduce(f64::max);
        Ok(Settling {
            phase,
            length: now.chains().map(<[_]>::len).min().unwrap_or(0) as u64,
            all: self.chains().map(<[_]>::len).min().unwrap_or(0) as u64,
            planned: self.planned(phase, wanted)?,
            satisfied,
            r_hat,
            effective_size: satisfied * least_effective(&quantities),
            wanted,
            quantities,
        })
    }

    /// How long the phase is to be, from what was known before it began.
    fn planned(&self, phase: u32, wanted: f64) -> Result<Option<u64>, DirectError> {
        if phase == 0 {
            return Ok(None);
        }
        let warm_up = self.of_phase(0).second_halves();
        let draws: usize = warm_up.chains().map(<[_]>::len).sum();
        let effective = warm_up.satisfied_share() * least_effective(&warm_up.diagnose_all()?);
        let chains = warm_up.chains().len().max(1) as f64;
        let first = if effective > 0.0 {
            MARGIN * wanted * draws as f64 / (effective * chains)
        } else {
            // Nothing was found: as long again as it took to find out.
            2.0 * draws as f64 / chains
        };
        // The second half of the warm-up was looked at.
        let most = LENGTHS.1 * 2.0 * draws as f64 / chains;
        let first = first.min(most).max(LENGTHS.0).ceil();
        Ok(Some((first as u64) << (phase - 1).min(32)))
    }

    /// The share of draws that meet all wants.
    fn satisfied_share(&self) -> f64 {
        let (mut met, mut all) = (0_u64, 0_u64);
        for draw in self.chains().flatten() {
            met += u64::from(draw.satisfied);
            all += 1;
        }
        met as f64 / all.max(1) as f64
    }

    /// R-hat and effective sizes of everything that varies.
    fn diagnose_all(&self) -> Result<Vec<(String, Diagnosis)>, DirectError> {
        let mut known = Vec::new();
        for (name, chains) in self.named_columns() {
            let diagnosis = diagnose(&chains)?.filter(|diagnosis| !diagnosis.r_hat.is_nan());
            known.extend(diagnosis.map(|diagnosis| (name, diagnosis)));
        }
        Ok(known)
    }
}

fn least_effective(quantities: &[(String, Diagnosis)]) -> f64 {
    quantities.iter().map(|(_, diagnosis)| diagnosis.bulk_effective_size).reduce(f64::min).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::{Draw, Method};
    use proscenium_chance::{Seed, Stream};

    /// Chains that remember so much of their last place, in phases of these lengths.
    fn traces(memory: f64, apart: f64, lengths: &[u64]) -> Traces {
        let mut traces = Traces::new(Vec::new());
        for chain in 0..2 {
            let mut stream: Stream = Seed(3).stream("test").at(chain);
            let (mut x, mut iteration) = (stream.normal(), 0);
            for (phase, length) in (0..).zip(lengths) {
                for _ in 0..*length {
                    iteration += 1;
                    x = memory * x + (1.0 - memory * memory).sqrt() * stream.normal();
                    let probe = x + apart * chain as f64;
                    traces.push(Draw {
                        method: Method::Chain,
                        chain,
                        iteration,
                        phase,
                        since: iteration,
                        log_score: 0.0,
                        log_density: -0.5 * probe * probe,
                        satisfied: iteration % 2 == 0,
                        probe,
                        quantities: Vec::new(),
                    });
                }
            }
        }
        traces
    }

    #[test]
    fn chains_that_agree_settle_when_they_are_as_long_as_planned() {
        let warming = traces(0.0, 0.0, &[400]).settling(9).unwrap();
        assert_eq!((warming.phase, warming.planned, warming.is_settled()), (0, None, false));
        let begun = traces(0.0, 0.0, &[400, 20]).settling(9).unwrap();
        let planned = begun.planned.unwrap();
        // 2 · 100 effective draws, of which half meet the wants, of two chains.
        assert!((150..300).contains(&planned) && !begun.is_settled(), "{begun:?}");
        let done = traces(0.0, 0.0, &[400, planned]).settling(9).unwrap();
        assert!(done.planned == Some(planned) && done.is_settled(), "{done:?}");
        // The more is remembered, the longer it takes.
        let slow = traces(0.9, 0.0, &[4000, 1]).settling(9).unwrap();
        assert!((8..40).contains(&(slow.planned.unwrap() / planned)), "{slow:?}");
    }

    #[test]
    fn chains_apart_do_not_settle_and_the_next_phase_is_twice_as_long() {
        let apart = traces(0.0, 3.0, &[400, 4000]).settling(9).unwrap();
        assert!(apart.is_complete() && !apart.is_settled() && apart.r_hat.unwrap() > 1.5, "{apart:?}");
        let next = traces(0.0, 3.0, &[400, 4000, 10]).settling(9).unwrap();
        assert_eq!((next.phase, next.planned), (2, apart.planned.map(|planned| 2 * planned)));
    }
}
