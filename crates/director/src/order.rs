#[cfg(not(target_family = "wasm"))]
use std::time::{Duration, Instant};

use proscenium_chance::Seed;
use proscenium_direct::{Parent, SamplerOptions};

/// How much may be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// So many simulations, of all starts of the run together. The same order
    /// ends at the same sample.
    Simulations(u64),
    /// So much time, of this start. Where a run ends depends on the machine;
    /// what it finds until then does not. A browser has no such clock: stop the
    /// run from outside.
    #[cfg(not(target_family = "wasm"))]
    Time(Duration),
    /// As much as it takes.
    Unlimited,
}

impl Budget {
    /// From now on, whether it is spent after so many simulations.
    pub(crate) fn meter(self) -> impl Fn(u64) -> bool {
        #[cfg(not(target_family = "wasm"))]
        let started = Instant::now();
        move |simulations| match self {
            Self::Simulations(allowed) => simulations >= allowed,
            #[cfg(not(target_family = "wasm"))]
            Self::Time(allowed) => started.elapsed() >= allowed,
            Self::Unlimited => false,
        }
    }
}

/// Which of those that were found are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// A fair draw from the world given the wants: what is likely comes often, and the
    /// same animation may come twice. The run goes on until its chains have settled.
    Likely,
    /// Those that differ most, no two alike: a search, not a fair draw. The run ends
    /// when there are enough.
    #[default]
    Different,
}

/// What is ordered: how many samples, and how they are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// How many animations are wanted.
    pub samples: usize,
    /// Which of those that were found.
    pub pick: Pick,
    /// The number that everything follows from.
    pub seed: Seed,
    /// How samples are drawn.
    pub options: SamplerOptions,
    /// What may be spent on it.
    pub budget: Budget,
    /// Animations of the scene between and around which others are looked for, in place of
    /// drawing any: a search. None, or two at least.
    pub breed: Vec<Parent>,
}

impl Order {
    /// So many different samples, drawn by whatever method suits.
    pub fn new(samples: usize, seed: Seed) -> Self {
        let (pick, options, budget) = (Pick::default(), SamplerOptions::default(), Budget::Unlimited);
        Self { samples, pick, seed, options, budget, breed: Vec::new() }
    }
}
