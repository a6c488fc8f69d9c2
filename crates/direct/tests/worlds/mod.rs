//! Small worlds whose answers are known.

#![allow(dead_code, clippy::unwrap_used, reason = "each test uses some of them")]

use proscenium_chance::{Density, Seed};
use proscenium_direct::{
    Abandon, Batch, DirectError, Evaluation, GroupId, Mix, Model, Request, Sampler, SamplerOptions, SamplerState,
    Space, VariableId,
};
use proscenium_work::Progress;

/// A run that nobody stops.
pub fn start<'a, M: Model>(
    model: &'a M,
    mix: &'a Mix,
    seed: Seed,
    options: SamplerOptions,
) -> Result<Sampler<'a, M>, DirectError> {
    Ok(Sampler::start(model, mix, seed, options, &Progress::none())?.finished().expect("nobody stops it"))
}

/// The same from where it was stored.
pub fn resume<'a, M: Model>(
    model: &'a M,
    mix: &'a Mix,
    options: SamplerOptions,
    state: SamplerState,
) -> Result<Sampler<'a, M>, DirectError> {
    Ok(Sampler::resume(model, mix, SEED, options, state, &Progress::none())?.finished().expect("nobody stops it"))
}

/// A batch that nobody stops.
pub fn batch<M: Model>(sampler: &mut Sampler<'_, M>) -> Batch<M::Outcome> {
    sampler.advance(&Progress::none()).expect("the model never fails").finished().expect("nobody stops it")
}

/// Normal numbers whose weighted sum is observed with noise: the posterior is
/// Gaussian.
pub struct Sum {
    space: Space,
    pub ids: Vec<VariableId>,
    weights: Vec<f64>,
    observed: f64,
    noise: f64,
}

impl Sum {
    pub fn new(weights: &[f64], observed: f64, noise: f64) -> Self {
        let mut space = Space::new();
        let ids = (0..weights.len())
            .map(|index| {
                let group = space.group(format!("body {index}")).unwrap();
                space.variable(group, format!("x{index}"), Density::normal(0.0, 1.0).unwrap()).unwrap()
            })
            .collect();
        Self { space, ids, weights: weights.to_vec(), observed, noise }
    }

    /// Mean and standard deviation of a variable, given what is observed.
    pub fn posterior(&self, index: usize) -> (f64, f64) {
        let whole: f64 = self.weights.iter().map(|w| w * w).sum::<f64>() + self.noise * self.noise;
        let gain = self.weights[index] / whole;
        (gain * self.observed, (1.0 - gain * self.weights[index]).sqrt())
    }
}

impl Model for Sum {
    type Outcome = Vec<f64>;

    fn space(&self) -> &Space {
        &self.space
    }

    fn greatest_log_score(&self) -> f64 {
        0.0
    }

    fn simulate(&self, request: &Request<'_, Vec<f64>>) -> Result<Evaluation<Vec<f64>>, Abandon> {
        let sum: f64 = self.ids.iter().zip(&self.weights).map(|(id, weight)| weight * request.values.at(*id)).sum();
        let off = (sum - self.observed) / self.noise;
        let log_score = -0.5 * off * off;
        let outcome = self.ids.iter().map(|id| request.values.at(*id)).collect();
        Ok(Evaluation { log_score, satisfied: off.abs() < 1.0, outcome })
    }

    fn quantities(&self) -> Vec<String> {
        self.ids.iter().map(|id| self.space.variable_name(*id).to_owned()).collect()
    }

    fn measure(&self, outcome: &Vec<f64>) -> Vec<f64> {
        outcome.clone()
    }
}

/// Bodies that take part or not, each with a number; the sum of the numbers of
/// those that do is observed with noise.
pub struct Switched {
    space: Space,
    pub groups: Vec<GroupId>,
    pub ids: Vec<VariableId>,
    chances: Vec<f64>,
    observed: f64,
    noise: f64,
}

impl Switched {
    pub fn new(chances: &[f64], observed: f64, noise: f64) -> Self {
        let mut space = Space::new();
        let always = space.group("table").unwrap();
        let mut ids = vec![space.variable(always, "tilt", Density::normal(0.0, 0.5).unwrap()).unwrap()];
        let mut groups = Vec::new();
        for (index, chance) in chances.iter().enumerate() {
            let group = space.optional_group(format!("ball {index}"), *chance).unwrap();
            let density = Density::normal(1.0, 0.5 + 0.25 * index as f64).unwrap();
            ids.push(space.variable(group, format!("x{index}"), density).unwrap());
            groups.push(group);
        }
        Self { space, groups, ids, chances: chances.to_vec(), observed, noise }
    }

    /// The probability of each subset of bodies, given what is observed: bit i
    /// for body i.
    pub fn posterior(&self) -> Vec<f64> {
        let weights: Vec<f64> = (0..1_usize << self.groups.len())
            .map(|subset| {
                let (mut prior, mut mean, mut variance) = (1.0, 0.0, 0.25 + self.noise * self.noise);
                for (index, chance) in self.chances.iter().enumerate() {
                    if subset >> index & 1 == 1 {
                        let density = self.space.density(self.ids[index + 1]);
                        prior *= chance;
                        mean += density.mean();
                        variance += density.variance();
                    } else {
                        prior *= 1.0 - chance;
                    }
                }
                let off = self.observed - mean;
                prior * libm::exp(-0.5 * off * off / variance) / variance.sqrt()
            })
            .collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }

    pub fn subset(&self, active: &[bool]) -> usize {
        self.groups.iter().enumerate().map(|(bit, group)| usize::from(active[group.index()]) << bit).sum()
    }
}

impl Model for Switched {
    type Outcome = usize;

    fn space(&self) -> &Space {
        &self.space
    }

    fn greatest_log_score(&self) -> f64 {
        0.0
    }

    fn simulate(&self, request: &Request<'_, usize>) -> Result<Evaluation<usize>, Abandon> {
        let sum: f64 = self.ids.iter().filter_map(|id| request.values.get(*id)).sum();
        let off = (sum - self.observed) / self.noise;
        let bits = self.groups.iter().enumerate();
        let subset = bits.map(|(bit, group)| usize::from(request.values.takes_part(*group)) << bit).sum();
        Ok(Evaluation { log_score: -0.5 * off * off, satisfied: off.abs() < 1.0, outcome: subset })
    }

    fn quantities(&self) -> Vec<String> {
        vec!["subset".to_owned()]
    }

    fn measure(&self, outcome: &usize) -> Vec<f64> {
        vec![*outcome as f64]
    }
}

/// A long walk that must end near a place, and knows on the way how far it can
/// still get: most simulations can be abandoned early.
pub struct Steps {
    space: Space,
    ids: Vec<VariableId>,
}

impl Steps {
    pub fn new(count: usize) -> Self {
        let mut space = Space::new();
        let mut ids = Vec::new();
        for index in 0..count {
            let group = if index % 2 == 0 {
                space.group(format!("step {index}")).unwrap()
            } else {
                space.optional_group(format!("step {index}"), 0.7).unwrap()
            };
            let density = Density::uniform(-1.0, 1.0).unwrap();
            ids.push(space.variable(group, format!("x{index}"), density).unwrap());
        }
        Self { space, ids }
    }

    /// Where the walk should end.
    const TARGET: f64 = 3.0;
}

impl Model for Steps {
    type Outcome = f64;

    fn space(&self) -> &Space {
        &self.space
    }

    fn greatest_log_score(&self) -> f64 {
        0.0
    }

    fn simulate(&self, request: &Request<'_, f64>) -> Result<Evaluation<f64>, Abandon> {
        let mut place = 0.0;
        for (done, id) in self.ids.iter().enumerate() {
            place += request.values.get(*id).unwrap_or(0.0);
            let left = (self.ids.len() - done - 1) as f64;
            let nearest = ((Self::TARGET - place).abs() - left).max(0.0);
            request.check(-20.0 * nearest * nearest)?;
        }
        let miss = Self::TARGET - place;
        Ok(Evaluation { log_score: -20.0 * miss * miss, satisfied: miss.abs() < 0.2, outcome: place })
    }

    fn quantities(&self) -> Vec<String> {
        vec!["place".to_owned()]
    }

    fn measure(&self, outcome: &f64) -> Vec<f64> {
        vec![*outcome]
    }
}

pub const SEED: Seed = Seed(20_261);
