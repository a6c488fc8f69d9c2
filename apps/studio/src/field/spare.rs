//! What was made for pages: it stays while one of them has it, and the last of
//! what nobody has stays for who comes back. All else is let go of.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::jobs::{Job, State};

/// So much stays that nobody has.
const SPARE: usize = 2;

/// Jobs by what they make.
pub struct Spare<Key, T> {
    jobs: BTreeMap<Key, CachedJob<T>>,
    asked: u64,
}

struct CachedJob<T> {
    job: Arc<Job<T>>,
    /// When it was last asked for, in questions.
    asked: u64,
}

impl<Key, T> Default for Spare<Key, T> {
    fn default() -> Self {
        Self { jobs: BTreeMap::new(), asked: 0 }
    }
}

impl<Key: Copy + Ord, T> Spare<Key, T> {
    /// The job that makes something, a new one if nobody asked for it lately; and
    /// lets go of what was made before the last that nobody has.
    pub fn job(&mut self, key: Key, is_held: impl Fn(&Arc<T>) -> bool) -> Arc<Job<T>> {
        self.asked += 1;
        let asked = self.asked;
        let kept = self.jobs.entry(key).or_insert_with(|| CachedJob { job: Arc::default(), asked });
        kept.asked = asked;
        let job = Arc::clone(&kept.job);
        let is_spare = |kept: &CachedJob<T>| matches!(kept.job.state(), State::Ready(made) if !is_held(&made));
        let others = self.jobs.iter().filter(|(other, kept)| **other != key && is_spare(kept));
        let mut spare: Vec<(u64, Key)> = others.map(|(other, kept)| (kept.asked, *other)).collect();
        spare.sort_unstable_by(|a, b| b.cmp(a));
        for (_, other) in spare.iter().skip(SPARE) {
            self.jobs.remove(other);
        }
        job
    }

    /// All jobs.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Job<T>>> {
        self.jobs.values().map(|kept| &kept.job)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proscenium_work::Completion;

    use super::*;
    use crate::jobs::Bench;

    #[tokio::test]
    async fn the_last_of_what_nobody_has_stays_and_what_somebody_has() {
        let (bench, mut kept) = (Bench::new(1), Spare::<u32, u32>::default());
        // A state holds what was made, and so does its job.
        let is_held = |made: &Arc<u32>| Arc::strong_count(made) > 2;
        let mut held = None;
        for key in 0..6 {
            let job = kept.job(key, is_held);
            bench.begin(&job, move |_| Ok(Completion::Finished(10 * key)));
            let made = job.wait().await.unwrap();
            if key == 1 {
                held = Some(made);
            }
        }
        assert_eq!(kept.jobs.keys().copied().collect::<Vec<_>>(), [1, 3, 4, 5]);
        assert_eq!(*kept.job(1, is_held).wait().await.unwrap(), 10);
        drop(held);
        // Nobody has it now, but it was asked for a moment ago.
        kept.job(5, is_held);
        assert_eq!(kept.jobs.keys().copied().collect::<Vec<_>>(), [1, 4, 5]);
        assert!(matches!(kept.job(0, is_held).state(), State::Idle));
    }
}
