//! A small world for a gallery.

#![allow(clippy::unwrap_used, reason = "only tests call it")]

use proscenium_chance::{Density, Seed};
use proscenium_direct::population::PopulationOptions;
use proscenium_direct::tempering::TemperingOptions;
use proscenium_direct::{
    Abandon, Batch, Evaluation, Mix, Model, Request, Sampler, SamplerOptions, SamplerState, Space, VariableId,
};
use proscenium_gallery::{Entry, Gallery, GalleryError};
use proscenium_work::Progress;

/// Bodies that come and go, and whose numbers should add up to three.
pub struct Sum {
    space: Space,
    ids: Vec<VariableId>,
}

impl Sum {
    pub fn new() -> Self {
        let mut space = Space::new();
        let mut ids = Vec::new();
        for index in 0..6 {
            let group = space.optional_group(format!("body {index}"), 0.5).unwrap();
            ids.push(space.variable(group, format!("x{index}"), Density::uniform(-1.0, 1.0).unwrap()).unwrap());
        }
        Self { space, ids }
    }

    pub fn mix(&self) -> Mix {
        Mix::standard(&self.space).unwrap()
    }
}

impl Model for Sum {
    type Outcome = f64;

    fn space(&self) -> &Space {
        &self.space
    }

    fn greatest_log_score(&self) -> f64 {
        0.0
    }

    fn simulate(&self, request: &Request<'_, f64>) -> Result<Evaluation<f64>, Abandon> {
        let sum: f64 = self.ids.iter().filter_map(|id| request.values.get(*id)).sum();
        let miss = (sum - 3.0).abs();
        Ok(Evaluation { log_score: -8.0 * miss * miss, satisfied: miss < 0.5, outcome: sum })
    }

    fn quantities(&self) -> Vec<String> {
        vec!["sum".to_owned()]
    }

    fn measure(&self, outcome: &f64) -> Vec<f64> {
        vec![*outcome]
    }
}

/// Left to itself: first rejection, then tempering.
pub fn options() -> SamplerOptions {
    SamplerOptions {
        tempering: TemperingOptions { warm_up_rounds: 2, ..TemperingOptions::default() },
        population: PopulationOptions { particles: 30, moves: 3, effective: 0.5 },
        ..SamplerOptions::default()
    }
}

/// A run that nobody stops, new or from where it was stored.
pub fn sampler<'a>(
    model: &'a Sum,
    mix: &'a Mix,
    seed: u64,
    options: SamplerOptions,
    state: Option<SamplerState>,
) -> Sampler<'a, Sum> {
    let progress = Progress::none();
    let sampler = match state {
        Some(state) => Sampler::resume(model, mix, Seed(seed), options, state, &progress),
        None => Sampler::start(model, mix, Seed(seed), options, &progress),
    };
    sampler.unwrap().finished().unwrap()
}

/// A batch that nobody stops.
pub fn batch(sampler: &mut Sampler<'_, Sum>) -> Batch<f64> {
    sampler.advance(&Progress::none()).unwrap().finished().unwrap()
}

/// Lets a run work for a while, and hands over what it gave.
pub fn advance(
    gallery: &mut Gallery,
    sampler: &mut Sampler<'_, Sum>,
    wants_met: impl Fn(f64) -> Vec<bool>,
) -> Result<Batch<f64>, GalleryError> {
    let batch = batch(sampler);
    let entry = |success: &proscenium_direct::Success<f64>| Entry {
        sample: success.sample.clone(),
        wants_met: wants_met(success.outcome),
    };
    let entries: Vec<Entry> = batch.successes.iter().map(entry).collect();
    gallery.commit(&entries, &batch.draws, &sampler.state(), sampler.effort().simulations)?;
    Ok(batch)
}
