//! How far a run is on its way to what was ordered, and what it delivers.

use std::collections::BTreeMap;

use proscenium_chance::Seed;
use proscenium_direct::record::Entry;
use proscenium_direct::{Draw, ExplorationState, Method, Parent, Settling, Traces};

use crate::collection::{Animation, Collection};
use crate::error::DirectorError;
use crate::order::{Order, Pick};

/// Whether chains agree is asked again when there are so many times as many draws.
const LOOK_AGAIN: f64 = 1.25;
/// So many simulations of each kind are taken for granted before their gains are compared.
const BATCH: u64 = 64;
/// Of the simulations that look near what was found, so many more draw.
const DRAWN_SHARE: f64 = 0.1;
/// A population is worth so many samples: its particles share ancestors.
const SAMPLES_OF_POPULATION: usize = 64;

/// What a run does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It goes on.
    Draw,
    /// What was drawn so far is a warm-up, and a longer phase begins.
    BeginPhase,
    /// There is what was ordered.
    End,
}

/// How far a run is on its way to what was ordered.
///
/// What it does next follows from the draws and the samples alone: a run that was
/// stopped decides as if it had not been.
pub(crate) struct Course {
    samples: usize,
    pick: Pick,
    pub collection: Collection,
    traces: Traces,
    /// How many draws there were when was last asked whether chains agree.
    looked_at: usize,
    settling: Option<Settling>,
    /// Samples by method.
    found: BTreeMap<Method, usize>,
    /// What is looked near, and how many of it were found by looking near others.
    parents: Vec<Parent>,
    explored: usize,
    /// Whether looking near what was found is part of the order.
    explores: bool,
}

impl Course {
    pub fn new(order: &Order, quantities: Vec<String>, collection: Collection) -> Self {
        Self {
            samples: order.samples,
            pick: order.pick,
            collection,
            traces: Traces::new(quantities),
            looked_at: 0,
            settling: None,
            found: BTreeMap::new(),
            parents: Vec::new(),
            explored: 0,
            explores: order.pick == Pick::Different && order.options.method.is_none(),
        }
    }

    /// Notes what a batch gave.
    pub fn note(&mut self, draws: &[Draw], entries: &[Entry]) -> Result<(), DirectorError> {
        self.traces.extend(draws.iter().cloned());
        for (place, entry) in (self.found.values().sum::<usize>()..).zip(entries) {
            *self.found.entry(entry.sample.method).or_default() += 1;
            if self.explores && self.collection.is_different(place) {
                let (point, log_score) = (entry.sample.point.clone(), entry.sample.log_score);
                self.parents.push(Parent { point, log_score });
                self.explored += usize::from(entry.sample.method == Method::Exploration);
            }
        }
        if !self.is_chained() {
            self.settling = None;
            return Ok(());
        }
        let count = self.traces.chains().map(<[Draw]>::len).sum::<usize>();
        let phase = draws.last().map(|draw| draw.phase);
        let is_due = match &mut self.settling {
            Some(known) if Some(known.phase) == phase => {
                let last = draws.last().map_or(0, |last| last.chain);
                let made = draws.iter().filter(|draw| draw.chain == last).count() as u64;
                (known.length, known.all) = (known.length + made, known.all + made);
                known.is_complete()
            }
            _ => true,
        };
        if is_due || count as f64 >= LOOK_AGAIN * self.looked_at as f64 {
            self.looked_at = count;
            self.settling = Some(self.traces.settling(self.samples)?);
        }
        Ok(())
    }

    fn method(&self) -> Option<Method> {
        self.traces.method()
    }

    fn is_chained(&self) -> bool {
        matches!(self.method(), Some(Method::Chain | Method::Tempering))
    }

    /// What to look near next, if that finds more than drawing does: of each the
    /// different animations that were found in so many simulations, as if each had found
    /// one more and made a batch more. Draws go on in a tenth of all simulations at
    /// least, since what is near is not all there is.
    pub fn explores(&self, drawn: u64, exploration: &ExplorationState) -> Option<&[Parent]> {
        if !self.explores || self.parents.is_empty() {
            return None;
        }
        let explored = exploration.effort.simulations;
        let gain = |found: usize, simulations: u64| (found + 1) as f64 / (simulations + BATCH) as f64;
        let by_drawing = gain(self.parents.len() - self.explored, drawn);
        let pays = gain(self.explored, explored) >= by_drawing && DRAWN_SHARE * explored as f64 <= drawn as f64;
        pays.then_some(&self.parents)
    }

    /// Whether to climb: while nothing was found that could be looked near, as much as is
    /// drawn, since either may be what finds it.
    pub fn climbs(&self, drawn: u64, climbed: u64) -> bool {
        self.explores && self.is_chained() && self.parents.is_empty() && climbed <= drawn
    }

    /// How many are needed: neighbours, in a chain or of what was found, are alike, so that of
    /// twice as many different ones the half that differs most is chosen.
    pub fn needed(&self) -> usize {
        match self.pick {
            Pick::Different if self.is_chained() || self.explored > 0 => 2 * self.samples,
            _ => self.samples,
        }
    }

    /// How many of those that are needed were found.
    pub fn found(&self) -> usize {
        match self.pick {
            Pick::Different => self.collection.different(),
            Pick::Likely => self.method().and_then(|method| self.found.get(&method)).copied().unwrap_or(0),
        }
    }

    /// Whether chains agree, where there are chains.
    pub fn settling(&self) -> Option<&Settling> {
        self.settling.as_ref()
    }

    /// The share of the way that is behind.
    pub fn done(&self) -> f64 {
        let share = match (self.pick, &self.settling) {
            (Pick::Likely, Some(settling)) => {
                settling.planned.map_or(0.0, |planned| settling.length as f64 / planned as f64)
            }
            _ => self.found() as f64 / self.needed() as f64,
        };
        share.min(1.0)
    }

    /// What to do next.
    pub fn next(&self) -> Next {
        let is_done = match (self.pick, self.method()) {
            (Pick::Different, _) => self.found() >= self.needed(),
            (Pick::Likely, Some(Method::Population)) => {
                self.traces.chains().len() >= self.samples.div_ceil(SAMPLES_OF_POPULATION)
            }
            (Pick::Likely, _) => match &self.settling {
                Some(settling) if settling.is_complete() && !settling.is_settled() => return Next::BeginPhase,
                Some(settling) => settling.is_settled(),
                None => self.found() >= self.samples,
            },
        };
        if is_done { Next::End } else { Next::Draw }
    }

    /// What is delivered.
    pub fn animations(&self, entries: &[Entry], seed: Seed) -> Vec<Animation> {
        match self.pick {
            Pick::Different => self.collection.most_different(entries, self.samples),
            Pick::Likely => {
                let chosen = self.likely(entries, seed);
                let animation = |index: usize| {
                    entries.get(index).map(|entry| Animation { index, entry: entry.clone(), difference: None })
                };
                chosen.into_iter().filter_map(animation).collect()
            }
        }
    }

    /// A fair draw: of independent samples the first, of chains and populations at even
    /// steps through all draws that count, so that what was held for longer is chosen
    /// more often.
    fn likely(&self, entries: &[Entry], seed: Seed) -> Vec<usize> {
        let method = self.method();
        let key = |entry: &Entry| (entry.sample.chain, entry.sample.iteration);
        let of_method = entries.iter().enumerate().filter(|(_, entry)| Some(entry.sample.method) == method);
        let places: BTreeMap<(u64, u64), usize> = of_method.map(|(index, entry)| (key(entry), index)).collect();
        let settled = self.traces.last_phase();
        let satisfied = settled.chains().flatten().filter(|draw| draw.satisfied);
        let held: Vec<usize> = satisfied.filter_map(|draw| places.get(&(draw.chain, draw.since)).copied()).collect();
        if method == Some(Method::Rejection) {
            return held.into_iter().take(self.samples).collect();
        }
        let offset = seed.stream("director pick").uniform();
        let step = held.len() as f64 / self.samples as f64;
        let place = |number: usize| ((number as f64 + offset) * step) as usize;
        (0..self.samples).filter_map(|number| held.get(place(number)).copied()).collect()
    }
}
