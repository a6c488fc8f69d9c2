//! Tempered sequential Monte Carlo.

use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish as _, Halt, Progress};
use serde::{Deserialize, Serialize};

use crate::error::DirectError;
use crate::model::{Current, Model};
use crate::moves::Mix;
use crate::step::{Effort, MoveCount, Stepper, StoredPoint, Tally};
use crate::walkers::Walkers;

/// The stream of a stage's resampling: no population has so many particles.
const RESAMPLING: u64 = u64::MAX;
/// The least a stage raises β by, so that a want without nuances ends as well:
/// chosen small, since it matters only where one animation in all is possible.
const LEAST_RISE: f64 = 1e-9;

/// How a population is led from the world to the wants.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PopulationOptions {
    /// How many animations are led together.
    pub particles: usize,
    /// How many steps each makes at every stage.
    pub moves: usize,
    /// A stage raises β until the effective share of the population is this.
    pub effective: f64,
}

impl Default for PopulationOptions {
    fn default() -> Self {
        // Half of the population is usual (Del Moral, Doucet, Jasra 2012); the other
        // two are chosen so that a population takes seconds on a small scene.
        Self { particles: 512, moves: 8, effective: 0.5 }
    }
}

/// Tempered sequential Monte Carlo (Del Moral, Doucet, Jasra 2006).
///
/// A population is drawn from the world. Each stage raises β as far as half of
/// the population still counts, resamples by weight, and lets every particle
/// make some steps. At β = 1 the population is a sample.
pub struct Population<'a, M: Model> {
    seed: Seed,
    options: PopulationOptions,
    course: Course,
    particles: Walkers<'a, M>,
}

// Written out, since a derived one would ask the model to be cloned.
impl<M: Model> Clone for Population<'_, M> {
    fn clone(&self) -> Self {
        let (seed, options) = (self.seed, self.options);
        Self { seed, options, course: self.course.clone(), particles: self.particles.clone() }
    }
}

/// A population as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PopulationState {
    #[serde(rename = "progress")]
    course: Course,
    particles: Vec<StoredPoint>,
}

/// How far a population has been led.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Course {
    /// Which population of the run.
    number: u64,
    stage: u64,
    beta: f64,
    log_evidence: f64,
    tally: Tally,
}

impl<'a, M: Model> Population<'a, M> {
    /// A population drawn from the world; `number` tells it from others.
    ///
    /// # Errors
    /// When an option makes no population, or the model fails.
    pub fn start(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        number: u64,
        options: PopulationOptions,
        progress: &Progress,
    ) -> Result<Completion<Self>, DirectError> {
        Self::try_start(model, mix, seed, number, options, progress).finish()
    }

    pub(crate) fn try_start(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        number: u64,
        options: PopulationOptions,
        progress: &Progress,
    ) -> Result<Self, Halt<DirectError>> {
        for (option, value, least) in [("particles", options.particles, 2), ("moves", options.moves, 1)] {
            if value < least {
                return Err(DirectError::Option { option, value: value as u64, least: least as u64 }.into());
            }
        }
        crate::error::chance(|| "the effective share of a population".to_owned(), options.effective)?;
        let stepper = Stepper { model, mix, abandon: true };
        let stream = seed.stream("direct population").at(number).at(0);
        let particles = Walkers::start(stepper, options.particles, &stream, progress)?;
        let mut tally = Tally::new(mix.len());
        tally.effort.simulations = options.particles as u64;
        let course = Course { number, stage: 0, beta: 0.0, log_evidence: 0.0, tally };
        Ok(Self { seed, options, course, particles })
    }

    /// Goes on from where a population was stored.
    ///
    /// # Errors
    /// When the state is of another model, or the model fails.
    pub fn resume(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: PopulationOptions,
        state: PopulationState,
        progress: &Progress,
    ) -> Result<Completion<Self>, DirectError> {
        Self::try_resume(model, mix, seed, options, state, progress).finish()
    }

    pub(crate) fn try_resume(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: PopulationOptions,
        state: PopulationState,
        progress: &Progress,
    ) -> Result<Self, Halt<DirectError>> {
        let stepper = Stepper { model, mix, abandon: true };
        let particles = Walkers::resume(stepper, &state.particles, progress)?;
        Ok(Self { seed, options, course: state.course, particles })
    }

    /// Lets every simulation go to its end. The population is the same.
    #[must_use]
    pub fn without_abandoning(mut self) -> Self {
        self.particles = self.particles.without_abandoning();
        self
    }

    /// One stage: raise β, resample, move. At β = 1 there is nothing to do. One
    /// that is stopped has not been made.
    ///
    /// # Errors
    /// When no particle is possible, or the model fails.
    pub fn stage(&mut self, progress: &Progress) -> Result<Completion<()>, DirectError> {
        self.try_stage(progress).finish()
    }

    pub(crate) fn try_stage(&mut self, progress: &Progress) -> Result<(), Halt<DirectError>> {
        if self.is_finished() {
            return Ok(());
        }
        let scores: Vec<f64> = self.particles.all().iter().map(|particle| particle.log_score).collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if best == f64::NEG_INFINITY {
            return Err(DirectError::AllImpossible { particles: self.particles.len() }.into());
        }
        let mut course = self.course.clone();
        course.stage += 1;
        course.beta = next_beta(&scores, best, self.course.beta, self.options.effective);
        let beta = course.beta;
        let rise = beta - self.course.beta;
        let weights: Vec<f64> = scores.iter().map(|score| libm::exp(rise * (score - best))).collect();
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        course.log_evidence += libm::log(mean) + rise * best;
        let stream = self.seed.stream("direct population").at(course.number).at(course.stage);
        let parents = systematic(&weights, stream.at(RESAMPLING).uniform());
        let mut particles = self.particles.clone();
        particles.follow(parents.into_iter());
        particles.walk(self.options.moves, &stream, |_| Some(beta), &mut course.tally, progress)?;
        (self.course, self.particles) = (course, particles);
        Ok(())
    }

    /// All that its continuation depends on.
    #[must_use]
    pub fn state(&self) -> PopulationState {
        PopulationState { course: self.course.clone(), particles: self.particles.stored() }
    }

    /// Whether β is 1 and the population a sample.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.course.beta >= 1.0
    }

    /// How far it has come, from 0 to 1.
    #[must_use]
    pub fn beta(&self) -> f64 {
        self.course.beta
    }

    /// The logarithm of the mean of p_c over the world, estimated; at β = 1.
    #[must_use]
    pub fn log_evidence(&self) -> f64 {
        self.course.log_evidence
    }

    /// How often each move was made and accepted.
    #[must_use]
    pub fn move_counts(&self) -> &[MoveCount] {
        &self.course.tally.moves
    }

    /// What it has cost.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.course.tally.effort
    }

    pub(crate) fn number(&self) -> u64 {
        self.course.number
    }

    pub(crate) fn particles(&self) -> &[Current<M::Outcome>] {
        self.particles.all()
    }
}

/// The share of a population that counts if β rises by `rise`.
fn effective(scores: &[f64], best: f64, rise: f64) -> f64 {
    let weights = scores.iter().map(|score| libm::exp(rise * (score - best)));
    let (sum, squares) = weights.fold((0.0, 0.0), |(sum, squares), weight| (sum + weight, squares + weight * weight));
    sum * sum / (squares * scores.len() as f64)
}

/// The largest β at which so large a share counts (by bisection).
fn next_beta(scores: &[f64], best: f64, beta: f64, share: f64) -> f64 {
    if effective(scores, best, 1.0 - beta) >= share {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0 - beta);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if effective(scores, best, middle) >= share {
            low = middle;
        } else {
            high = middle;
        }
    }
    (beta + low.max(LEAST_RISE)).min(1.0)
}

/// Systematic resampling: the parents, with as many children as their weights
/// ask for, to within one.
fn systematic(weights: &[f64], offset: f64) -> Vec<usize> {
    let count = weights.len();
    let unit = weights.iter().sum::<f64>() / count as f64;
    let mut parents = Vec::with_capacity(count);
    let (mut parent, mut reached) = (0, weights[0]);
    for child in 0..count {
        let place = (child as f64 + offset) * unit;
        while reached < place && parent + 1 < count {
            parent += 1;
            reached += weights[parent];
        }
        parents.push(parent);
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_have_the_children_they_weigh() {
        assert_eq!(systematic(&[1.0, 1.0, 1.0], 0.5), [0, 1, 2]);
        assert_eq!(systematic(&[0.0, 3.0, 0.0, 1.0], 0.3), [1, 1, 1, 3]);
        let weights = [0.1, 2.3, 0.6, 1.0];
        for tenth in 0..10 {
            let parents = systematic(&weights, (f64::from(tenth) + 0.5) / 10.0);
            for (parent, weight) in weights.iter().enumerate() {
                let children = parents.iter().filter(|other| **other == parent).count() as f64;
                assert!((children - weight).abs() < 1.0, "{parents:?}");
            }
        }
    }

    #[test]
    fn a_stage_keeps_the_stated_share() {
        let scores: Vec<f64> = (0..1000).map(|index| -0.05 * f64::from(index)).collect();
        let beta = next_beta(&scores, 0.0, 0.0, 0.5);
        assert!((effective(&scores, 0.0, beta) - 0.5).abs() < 1e-9 && beta > 0.0 && beta < 1.0);
        assert_eq!(next_beta(&[0.0; 5], 0.0, 0.2, 0.5), 1.0);
        // One of a thousand possible: β rises all the same.
        let mut hard = vec![f64::NEG_INFINITY; 1000];
        hard[7] = 0.0;
        assert!(next_beta(&hard, 0.0, 0.0, 0.5) > 0.0);
    }
}
