//! Chains of one run that walk side by side: the rungs of a ladder, the
//! particles of a population.

use proscenium_chance::Stream;
use proscenium_work::{Halt, Progress, parallel};

use crate::error::DirectError;
use crate::model::{Current, Model};
use crate::step::{Effort, Stepper, StoredPoint, Tally};

/// Chains that walk side by side, each from where it is.
///
/// Walker w of a walk has the w-th stream below that of the walk, so that the
/// walk is the same for any number of threads. A walk is made whole or not at
/// all: one that is stopped leaves every walker where it was.
pub(crate) struct Walkers<'a, M: Model> {
    stepper: Stepper<'a, M>,
    at: Vec<Current<M::Outcome>>,
}

// Written out, since a derived one would ask the model to be cloned.
impl<M: Model> Clone for Walkers<'_, M> {
    fn clone(&self) -> Self {
        Self { stepper: self.stepper, at: self.at.clone() }
    }
}

impl<'a, M: Model> Walkers<'a, M> {
    /// So many, each at a draw of the world of its own.
    pub fn start(
        stepper: Stepper<'a, M>,
        count: usize,
        stream: &Stream,
        progress: &Progress,
    ) -> Result<Self, Halt<DirectError>> {
        Self::each(stepper, count, |walker| {
            // Every draw is one simulation, which the caller counts.
            stepper.fresh(&mut stream.at(walker as u64), &mut Effort::default(), progress)
        })
    }

    /// So many, each where a chain begins.
    pub fn begin(
        stepper: Stepper<'a, M>,
        count: usize,
        stream: &Stream,
        progress: &Progress,
    ) -> Result<Self, Halt<DirectError>> {
        Self::each(stepper, count, |walker| {
            stepper.begin(&mut stream.at(walker as u64), &mut Effort::default(), progress)
        })
    }

    fn each(
        stepper: Stepper<'a, M>,
        count: usize,
        draw: impl Fn(usize) -> Result<Current<M::Outcome>, Halt<DirectError>> + Sync + Send,
    ) -> Result<Self, Halt<DirectError>> {
        let at = parallel::times(count, draw).into_iter().collect::<Result<_, _>>()?;
        Ok(Self { stepper, at })
    }

    /// Each where it was stored.
    pub fn resume(
        stepper: Stepper<'a, M>,
        stored: &[StoredPoint],
        progress: &Progress,
    ) -> Result<Self, Halt<DirectError>> {
        let at = parallel::try_map(stored, |stored| stored.restore(stepper.model, progress))?;
        Ok(Self { stepper, at })
    }

    /// Lets every simulation go to its end. The walks are the same.
    pub fn without_abandoning(mut self) -> Self {
        self.stepper.abandon = false;
        self
    }

    /// Each makes so many steps at its inverse temperature; one without a
    /// temperature starts over from the world.
    pub fn walk(
        &mut self,
        steps: usize,
        stream: &Stream,
        beta: impl Fn(usize) -> Option<f64> + Sync,
        tally: &mut Tally,
        progress: &Progress,
    ) -> Result<(), Halt<DirectError>> {
        let stepper = self.stepper;
        let walk = |walker: usize| -> Result<_, Halt<DirectError>> {
            let mut stream = stream.at(walker as u64);
            let mut tally = Tally::new(stepper.mix.len());
            let Some(beta) = beta(walker) else {
                return Ok((stepper.fresh(&mut stream, &mut tally.effort, progress)?, tally));
            };
            let mut current = self.at[walker].clone();
            for _ in 0..steps {
                stepper.step(&mut current, beta, &mut stream, &mut tally, progress)?;
            }
            Ok((current, tally))
        };
        let walked: Vec<_> = parallel::times(self.at.len(), walk).into_iter().collect::<Result<_, _>>()?;
        for (at, (current, own)) in self.at.iter_mut().zip(walked) {
            *at = current;
            tally.add(&own);
        }
        Ok(())
    }

    /// Each goes to where another is.
    pub fn follow(&mut self, others: impl Iterator<Item = usize>) {
        self.at = others.map(|other| self.at[other].clone()).collect();
    }

    /// Two change places.
    pub fn swap(&mut self, one: usize, other: usize) {
        self.at.swap(one, other);
    }

    /// Where each is.
    pub fn all(&self) -> &[Current<M::Outcome>] {
        &self.at
    }

    /// What is stored of where each is.
    pub fn stored(&self) -> Vec<StoredPoint> {
        self.at.iter().map(StoredPoint::of).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.at.len()
    }
}
