//! What is observed of a run: what came closest, and how often each want was met.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use proscenium_chance::{Seed, Stream};
use proscenium_direct::{Abandon, Evaluation, Model, Point, Request, Space, Values};
use proscenium_scenes::{DirectedScene, DrawnScene, Outcome, Unrest};
use proscenium_work::{Progress, parallel};

/// Where everything was abandoned, so many draws of the world are simulated to their end for
/// the account: of a want that is met in a tenth of all, 0.97 tell.
const LOOKS: usize = 32;

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
    pub drawn: DrawnScene,
    /// The want that was met least often, of those that this one misses: it
    /// stands in the way.
    pub obstacle: usize,
    /// In how many of how many simulations that went to their end the obstacle
    /// was met.
    pub obstacle_met: (u64, u64),
    /// How many more were abandoned before, since too much was missed already.
    pub abandoned: u64,
}

/// A body that should come to rest and mostly does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Restless {
    /// Its name.
    pub body: String,
    /// What it did at the end.
    pub unrest: Unrest,
    /// In so many simulations,
    pub times: u64,
    /// of so many that went to their end.
    pub whole: u64,
    /// How many were abandoned before, since they could not be accepted any more.
    pub abandoned: u64,
}

#[derive(Default)]
struct Observations {
    best: Option<Best>,
    /// Simulations that went to their end, and how often each want was met.
    whole: u64,
    met: Vec<u64>,
    abandoned: u64,
    /// How often bodies that should rest did not.
    restless: BTreeMap<(String, Unrest), u64>,
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
    directed: &'a DirectedScene,
    observations: Mutex<Observations>,
}

impl<'a> ObservedModel<'a> {
    pub(crate) fn new(directed: &'a DirectedScene) -> Self {
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
            abandoned: observations.abandoned,
        })
    }

    /// Where all simulations were abandoned, simulates some draws to their end, so that it
    /// is known what usually happens.
    pub(crate) fn look(&self, seed: Seed, progress: &Progress) {
        {
            let observations = self.observations.lock().unwrap_or_else(PoisonError::into_inner);
            if observations.whole > 0 || observations.abandoned == 0 {
                return;
            }
        }
        let stream = seed.stream("director look");
        parallel::times(LOOKS, |index| {
            let point = self.directed.space().draw(&mut stream.at(index as u64));
            let values = self.directed.space().values(&point);
            // One that is stopped, or cannot be, is no account of anything.
            if let Ok(evaluation) = self.directed.simulate(&Request::whole(&values, progress)) {
                self.note(&values, &evaluation);
            }
        });
    }

    /// How many wants there are.
    pub(crate) fn wants(&self) -> usize {
        self.directed.scene().wants().count()
    }

    /// How many wants were met by what came closest, unless something met them all.
    pub(crate) fn nearest(&self) -> Option<usize> {
        let observations = self.observations.lock().unwrap_or_else(PoisonError::into_inner);
        observations.best.as_ref().map(|best| best.met)
    }

    /// The body that most often did not come to rest, if that was in half of all
    /// simulations or more.
    pub(crate) fn restless(&self) -> Option<Restless> {
        let observations = self.observations.lock().unwrap_or_else(PoisonError::into_inner);
        let (whole, abandoned) = (observations.whole, observations.abandoned);
        let ((body, unrest), times) = observations.restless.iter().max_by_key(|(_, times)| **times)?;
        let restless = Restless { body: body.clone(), unrest: *unrest, times: *times, whole, abandoned };
        (2 * restless.times >= whole).then_some(restless)
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
        for (body, unrest) in outcome.unrest() {
            *observations.restless.entry((body.to_owned(), unrest)).or_default() += 1;
        }
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
        let simulated = self.directed.simulate(request);
        match &simulated {
            Ok(evaluation) => self.note(request.values, evaluation),
            Err(Abandon::Hopeless) => {
                self.observations.lock().unwrap_or_else(PoisonError::into_inner).abandoned += 1;
            }
            Err(_) => {}
        }
        simulated
    }

    fn mend(&self, point: &Point, outcome: &Outcome, stream: &mut Stream) -> Option<Point> {
        self.directed.mend(point, outcome, stream)
    }

    fn quantities(&self) -> Vec<String> {
        self.directed.quantities()
    }

    fn measure(&self, outcome: &Outcome) -> Vec<f64> {
        self.directed.measure(outcome)
    }
}
