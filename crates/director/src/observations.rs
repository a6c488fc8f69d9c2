//! What is observed of a run: what came closest, and how often each want was met.

use std::sync::{Mutex, PoisonError};

use proscenium_direct::{Abandon, Evaluation, Model, Request, Space, Values};
use proscenium_scenes::{Directed, Drawn, Outcome};

/// What came closest to all wants.
#[derive(Clone, Debug)]
pub struct Closest {
    /// Which wants it meets.
    pub wants_met: Vec<bool>,
    /// What each want scores.
    pub scores: Vec<f64>,
    /// log p_c.
    pub log_score: f64,
    /// It itself, to be simulated again.
    pub drawn: Drawn,
    /// The want that was met least often, of those that this one misses: it
    /// stands in the way.
    pub obstacle: usize,
    /// In how many of how many simulations that went to their end the obstacle
    /// was met.
    pub obstacle_met: (u64, u64),
}

#[derive(Default)]
struct Observations {
    best: Option<Best>,
    /// Simulations that went to their end, and how often each want was met.
    whole: u64,
    met: Vec<u64>,
    refusal: Option<String>,
}

struct Best {
    met: usize,
    log_score: f64,
    values: Values,
    outcome: Outcome,
}

impl Best {
    /// More wants met, then a higher score, then values that come first: which
    /// one is best does not depend on the order in which they are observations.
    fn beats(&self, other: &Best) -> bool {
        let key = |best: &Best| (best.met, best.log_score);
        match key(self).partial_cmp(&key(other)) {
            Some(std::cmp::Ordering::Equal) | None => {
                let pairs = self.values.all().iter().zip(other.values.all());
                pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).is_some_and(std::cmp::Ordering::is_lt)
            }
            Some(order) => order.is_gt(),
        }
    }
}

/// A directed scene that notes how it goes.
pub(crate) struct ObservedModel<'a> {
    directed: &'a Directed,
    observations: Mutex<Observations>,
}

impl<'a> ObservedModel<'a> {
    pub(crate) fn new(directed: &'a Directed) -> Self {
        Self { directed, observations: Mutex::new(Observations::default()) }
    }

    /// What came closest, unless something met all wants.
    pub(crate) fn closest(&self) -> Option<Closest> {
        let observations = self.observations.lock().unwrap_or_else(PoisonError::into_inner);
        let best = observations.best.as_ref()?;
        let missed = best.outcome.wants_met().iter().enumerate().filter(|(_, met)| !**met).map(|(index, _)| index);
        let obstacle = missed.min_by_key(|index| observations.met.get(*index).copied().unwrap_or(0))?;
        Some(Closest {
            wants_met: best.outcome.wants_met().to_vec(),
            scores: best.outcome.scores().to_vec(),
            log_score: best.log_score,
            drawn: self.directed.drawn_with(&best.values),
            obstacle,
            obstacle_met: (observations.met.get(obstacle).copied().unwrap_or(0), observations.whole),
        })
    }

    /// Why animations could not be at all, if none could.
    pub(crate) fn refusal(&self) -> Option<String> {
        let observations = self.observations.lock().unwrap_or_else(PoisonError::into_inner);
        observations.refusal.clone().filter(|_| observations.best.is_none())
    }

    fn note(&self, values: &Values, simulated: &Evaluation<Outcome>) {
        let outcome = &simulated.outcome;
        let mut observations = self.observations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(refusal) = outcome.refusal() {
            observations.refusal.get_or_insert_with(|| refusal.to_owned());
            return;
        }
        observations.whole += 1;
        observations.met.resize(outcome.wants_met().len(), 0);
        for (count, met) in observations.met.iter_mut().zip(outcome.wants_met()) {
            *count += u64::from(*met);
        }
        let best = Best {
            met: outcome.wants_met().iter().filter(|met| **met).count(),
            log_score: simulated.log_score,
            values: values.clone(),
            outcome: outcome.clone(),
        };
        if !simulated.satisfied && observations.best.as_ref().is_none_or(|other| best.beats(other)) {
            observations.best = Some(best);
        }
    }
}

impl Model for ObservedModel<'_> {
    type Outcome = Outcome;

    fn space(&self) -> &Space {
        self.directed.space()
    }

    fn greatest_log_score(&self) -> f64 {
        self.directed.greatest_log_score()
    }

    fn simulate(&self, request: &Request<'_, Outcome>) -> Result<Evaluation<Outcome>, Abandon> {
        let simulated = self.directed.simulate(request)?;
        self.note(request.values, &simulated);
        Ok(simulated)
    }

    fn quantities(&self) -> Vec<String> {
        self.directed.quantities()
    }

    fn measure(&self, outcome: &Outcome) -> Vec<f64> {
        self.directed.measure(outcome)
    }
}
