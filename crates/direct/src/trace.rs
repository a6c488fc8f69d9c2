//! What a run's chains did, iteration by iteration.

use std::collections::BTreeMap;

use crate::diagnostics::{Diagnosis, diagnose};
use crate::error::DirectError;
use crate::sampler::{Draw, Method};

/// The draws of a run, chain by chain: what diagnostics and exports are made
/// from.
///
/// ```
/// use proscenium_direct::{Draw, Method, Traces};
///
/// let mut traces = Traces::new(vec!["rest".to_owned()]);
/// for iteration in 0..100 {
///     let rest = libm::sin(iteration as f64);
///     traces.push(Draw {
///         method: Method::Chain, chain: 0, iteration, phase: u32::from(iteration >= 20), since: iteration,
///         log_score: -rest, log_density: -rest, satisfied: rest > 0.0, probe: rest, quantities: vec![rest],
///     });
/// }
/// assert_eq!(traces.settled().quantity(0)[0].len(), 80);
/// assert!(traces.to_arviz_json()?.contains("\"posterior\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traces {
    pub(crate) quantities: Vec<String>,
    method: Option<Method>,
    pub(crate) chains: BTreeMap<u64, Vec<Draw>>,
}

impl Traces {
    /// Traces without draws, of these quantities.
    #[must_use]
    pub fn new(quantities: Vec<String>) -> Self {
        Self { quantities, method: None, chains: BTreeMap::new() }
    }

    /// Adds a draw to the end of its chain. Traces follow one method: where
    /// another takes over, what was there before is dropped.
    pub fn push(&mut self, draw: Draw) {
        if self.method != Some(draw.method) {
            self.method = Some(draw.method);
            self.chains.clear();
        }
        self.chains.entry(draw.chain).or_default().push(draw);
    }

    /// Adds draws.
    pub fn extend(&mut self, draws: impl IntoIterator<Item = Draw>) {
        draws.into_iter().for_each(|draw| self.push(draw));
    }

    /// The names of the quantities.
    #[must_use]
    pub fn quantities(&self) -> &[String] {
        &self.quantities
    }

    /// The draws of each chain.
    pub fn chains(&self) -> impl ExactSizeIterator<Item = &[Draw]> {
        self.chains.values().map(Vec::as_slice)
    }

    /// The draws of the last phase, and all chains as long as the shortest; none
    /// while the run finds its way.
    #[must_use]
    pub fn settled(&self) -> Traces {
        let mut settled = self.of_phase(self.phase().max(1));
        let shortest = settled.chains.values().map(Vec::len).min().unwrap_or(0);
        for draws in settled.chains.values_mut() {
            draws.truncate(shortest);
        }
        settled
    }

    /// One quantity: its values, chain by chain. Missing values are not numbers.
    #[must_use]
    pub fn quantity(&self, index: usize) -> Vec<Vec<f64>> {
        self.column(|draw| draw.quantities.get(index).copied().unwrap_or(f64::NAN))
    }

    /// Anything about the draws, chain by chain.
    #[must_use]
    pub fn column(&self, of: impl Fn(&Draw) -> f64) -> Vec<Vec<f64>> {
        self.chains().map(|draws| draws.iter().map(&of).collect()).collect()
    }

    /// Which method the draws are of; `None` if there are none.
    #[must_use]
    pub fn method(&self) -> Option<Method> {
        self.method
    }

    /// The draws of the last phase: those that count, or of a run that finds its way,
    /// all.
    #[must_use]
    pub fn last_phase(&self) -> Traces {
        self.of_phase(self.phase())
    }

    /// The phase that the last draws belong to.
    pub(crate) fn phase(&self) -> u32 {
        self.chains().filter_map(<[Draw]>::last).map(|draw| draw.phase).max().unwrap_or(0)
    }

    /// The draws of one phase.
    pub(crate) fn of_phase(&self, phase: u32) -> Traces {
        self.filtered(|draws| draws.iter().filter(|draw| draw.phase == phase).cloned().collect())
    }

    /// The second half of each chain.
    pub(crate) fn second_halves(&self) -> Traces {
        self.filtered(|draws| draws[draws.len() / 2..].to_vec())
    }

    fn filtered(&self, keep: impl Fn(&[Draw]) -> Vec<Draw>) -> Traces {
        let chains = self.chains.iter().map(|(chain, draws)| (*chain, keep(draws))).collect();
        Traces { quantities: self.quantities.clone(), method: self.method, chains }
    }

    /// log p, a mix of all variables, and every quantity, chain by chain.
    pub(crate) fn named_columns(&self) -> Vec<(String, Vec<Vec<f64>>)> {
        let mut all = vec![
            ("log_density".to_owned(), self.column(|draw| draw.log_density)),
            ("probe".to_owned(), self.column(|draw| draw.probe)),
        ];
        all.extend(self.quantities.iter().enumerate().map(|(index, name)| (name.clone(), self.quantity(index))));
        all
    }

    /// R-hat and effective sizes of log p and of every quantity, of what is
    /// settled. Those about which nothing can be said are left out.
    pub fn diagnose(&self) -> Result<Vec<(String, Diagnosis)>, DirectError> {
        let mut diagnoses = Vec::new();
        for (name, chains) in self.settled().named_columns() {
            diagnoses.extend(diagnose(&chains)?.map(|diagnosis| (name, diagnosis)));
        }
        Ok(diagnoses)
    }
}
