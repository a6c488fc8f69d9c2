//! What draws: one or several of the methods' own samplers.

use proscenium_chance::Seed;
use proscenium_work::{Halt, Progress, parallel};
use serde::{Deserialize, Serialize};

use super::{Batch, Method, SamplerOptions};
use crate::chain::{Chain, ChainState};
use crate::error::DirectError;
use crate::model::Model;
use crate::moves::Mix;
use crate::population::{Population, PopulationState};
use crate::rejection::{Rejection, RejectionState};
use crate::step::{Effort, MoveCount};
use crate::tempering::{Tempering, TemperingState};

// How much is done between two reports: chosen so that a batch of a small scene
// takes a fraction of a second. The batches of a run are part of its result.

/// Draws of the world between two reports of a rejection sampler, at most: it begins
/// with one, and doubles what it has.
const DRAWS: u64 = 256;
/// Iterations of each chain between two reports.
const ITERATIONS: u64 = 64;
/// Scans of each ladder between two reports.
const SCANS: u64 = 8;

/// What draws.
pub(super) enum Engine<'a, M: Model> {
    Rejection(Rejection<'a, M>),
    Chains(Vec<Chain<'a, M>>),
    Tempering(Vec<Tempering<'a, M>>),
    Population { population: Population<'a, M>, spent: Costs },
}

// Written out, since a derived one would ask the model to be cloned.
impl<M: Model> Clone for Engine<'_, M> {
    fn clone(&self) -> Self {
        match self {
            Engine::Rejection(rejection) => Engine::Rejection(rejection.clone()),
            Engine::Chains(chains) => Engine::Chains(chains.clone()),
            Engine::Tempering(ladders) => Engine::Tempering(ladders.clone()),
            Engine::Population { population, spent } => {
                Engine::Population { population: population.clone(), spent: spent.clone() }
            }
        }
    }
}

/// What the populations before the present one have cost and counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Costs {
    effort: Effort,
    moves: Vec<MoveCount>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum EngineState {
    Rejection(RejectionState),
    Chains(Vec<ChainState>),
    Tempering(Vec<TemperingState>),
    Population { population: PopulationState, spent: Costs },
}

impl<'a, M: Model> Engine<'a, M> {
    pub fn start(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: &SamplerOptions,
        method: Method,
        progress: &Progress,
    ) -> Result<Self, Halt<DirectError>> {
        Ok(match method {
            Method::Rejection => Engine::Rejection(Rejection::start(model, seed)),
            Method::Chain => {
                let chain = |chain| Chain::try_start(model, mix, seed, chain, progress);
                Engine::Chains((0..options.chains).map(chain).collect::<Result<_, _>>()?)
            }
            Method::Tempering => {
                let ladder = |chain| Tempering::try_start(model, mix, seed, chain, options.tempering, progress);
                Engine::Tempering((0..options.chains).map(ladder).collect::<Result<_, _>>()?)
            }
            Method::Exploration => return Err(DirectError::NoDraws.into()),
            Method::Population => Engine::Population {
                population: Population::try_start(model, mix, seed, 0, options.population, progress)?,
                spent: Costs::default(),
            },
        }
        .abandoning(options.abandon))
    }

    pub fn resume(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: &SamplerOptions,
        state: EngineState,
        progress: &Progress,
    ) -> Result<Self, Halt<DirectError>> {
        Ok(match state {
            EngineState::Rejection(state) => Engine::Rejection(Rejection::resume(model, seed, state)),
            EngineState::Chains(states) => {
                let chain = |state| Chain::try_resume(model, mix, seed, state, progress);
                Engine::Chains(states.iter().map(chain).collect::<Result<_, _>>()?)
            }
            EngineState::Tempering(states) => {
                let ladder = |state| Tempering::try_resume(model, mix, seed, options.tempering, state, progress);
                Engine::Tempering(states.into_iter().map(ladder).collect::<Result<_, _>>()?)
            }
            EngineState::Population { population, spent } => Engine::Population {
                population: Population::try_resume(model, mix, seed, options.population, population, progress)?,
                spent,
            },
        }
        .abandoning(options.abandon))
    }

    fn abandoning(self, abandon: bool) -> Self {
        if abandon {
            return self;
        }
        match self {
            Engine::Rejection(rejection) => Engine::Rejection(rejection.without_abandoning()),
            Engine::Chains(chains) => Engine::Chains(chains.into_iter().map(Chain::without_abandoning).collect()),
            Engine::Tempering(ladders) => {
                Engine::Tempering(ladders.into_iter().map(Tempering::without_abandoning).collect())
            }
            Engine::Population { population, spent } => {
                Engine::Population { population: population.without_abandoning(), spent }
            }
        }
    }

    pub fn state(&self) -> EngineState {
        match self {
            Engine::Rejection(rejection) => EngineState::Rejection(rejection.state().clone()),
            Engine::Chains(chains) => EngineState::Chains(chains.iter().map(Chain::state).collect()),
            Engine::Tempering(ladders) => EngineState::Tempering(ladders.iter().map(Tempering::state).collect()),
            Engine::Population { population, spent } => {
                EngineState::Population { population: population.state(), spent: spent.clone() }
            }
        }
    }

    pub fn effort(&self) -> Effort {
        let mut sum = Effort::default();
        match self {
            Engine::Rejection(rejection) => sum.add(rejection.state().effort),
            Engine::Chains(chains) => chains.iter().for_each(|chain| sum.add(chain.effort())),
            Engine::Tempering(ladders) => ladders.iter().for_each(|ladder| sum.add(ladder.effort())),
            Engine::Population { population, spent } => {
                sum.add(spent.effort);
                sum.add(population.effort());
            }
        }
        sum
    }

    pub fn move_counts(&self) -> Vec<MoveCount> {
        match self {
            Engine::Rejection(_) => Vec::new(),
            Engine::Chains(chains) => sums(chains.iter().map(Chain::move_counts)),
            Engine::Tempering(ladders) => sums(ladders.iter().map(Tempering::move_counts)),
            Engine::Population { population, spent } => {
                sums([spent.moves.as_slice(), population.move_counts()].into_iter())
            }
        }
    }

    /// Whether it is still finding its way.
    pub fn is_warming_up(&self, warm_up: u64) -> bool {
        match self {
            Engine::Rejection(_) | Engine::Population { .. } => false,
            Engine::Chains(chains) => chains.iter().any(|chain| chain.iteration() < warm_up),
            Engine::Tempering(ladders) => ladders.iter().any(Tempering::is_warming_up),
        }
    }

    /// Adapts itself to what it has seen.
    pub fn adapt(&mut self) {
        if let Engine::Tempering(ladders) = self {
            ladders.iter_mut().for_each(Tempering::adapt);
        }
    }

    pub fn advance(
        &mut self,
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: &SamplerOptions,
        phase: u32,
        progress: &Progress,
    ) -> Result<Batch<M::Outcome>, Halt<DirectError>> {
        match self {
            Engine::Rejection(rejection) => {
                let mut batch = Batch::of(phase);
                let count = rejection.state().draws.clamp(1, DRAWS);
                for accepted in rejection.draw(count, progress)? {
                    batch.push(model, &accepted.current, (Method::Rejection, 0, accepted.draw), accepted.draw);
                }
                Ok(batch)
            }
            Engine::Chains(chains) => in_order(chains, phase, |chain| advance_chain(model, chain, phase, progress)),
            Engine::Tempering(ladders) => {
                in_order(ladders, phase, |ladder| advance_ladder(model, ladder, phase, progress))
            }
            Engine::Population { population, spent } => {
                population.try_stage(progress)?;
                let mut batch = Batch::of(phase);
                if population.is_finished() {
                    for (index, particle) in (0..).zip(population.particles()) {
                        batch.push(model, particle, (Method::Population, population.number(), index), index);
                    }
                    spent.effort.add(population.effort());
                    spent.moves = sums([spent.moves.as_slice(), population.move_counts()].into_iter());
                    let number = population.number() + 1;
                    let next = Population::try_start(model, mix, seed, number, options.population, progress)?;
                    *population = if options.abandon { next } else { next.without_abandoning() };
                }
                Ok(batch)
            }
        }
    }
}

/// Lets all work beside each other, and puts what they give in their order.
fn in_order<T: Send, Outcome: Send>(
    items: &mut [T],
    phase: u32,
    advance: impl Fn(&mut T) -> Result<Batch<Outcome>, Halt<DirectError>> + Send + Sync,
) -> Result<Batch<Outcome>, Halt<DirectError>> {
    let mut all = Batch::of(phase);
    for batch in parallel::try_map_mut(items, advance)? {
        all.successes.extend(batch.successes);
        all.draws.extend(batch.draws);
    }
    Ok(all)
}

fn advance_chain<M: Model>(
    model: &M,
    chain: &mut Chain<'_, M>,
    phase: u32,
    progress: &Progress,
) -> Result<Batch<M::Outcome>, Halt<DirectError>> {
    let mut batch = Batch::of(phase);
    for _ in 0..ITERATIONS {
        chain.try_step(progress)?;
        let at = (Method::Chain, chain.number(), chain.iteration());
        batch.push(model, chain.current(), at, chain.since());
    }
    Ok(batch)
}

fn advance_ladder<M: Model>(
    model: &M,
    ladder: &mut Tempering<'_, M>,
    phase: u32,
    progress: &Progress,
) -> Result<Batch<M::Outcome>, Halt<DirectError>> {
    let mut batch = Batch::of(phase);
    for _ in 0..SCANS {
        ladder.try_scan(progress)?;
        let at = (Method::Tempering, ladder.chain(), ladder.scans());
        batch.push(model, ladder.top(), at, ladder.since());
    }
    Ok(batch)
}

fn sums<'c>(all: impl Iterator<Item = &'c [MoveCount]>) -> Vec<MoveCount> {
    let mut sums: Vec<MoveCount> = Vec::new();
    for counts in all {
        sums.resize(sums.len().max(counts.len()), MoveCount::default());
        for (sum, count) in sums.iter_mut().zip(counts) {
            sum.add(*count);
        }
    }
    sums
}
