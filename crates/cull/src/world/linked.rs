//! Systems that read from each other keep each other company: who is out of view with what it
//! reads comes back by the recent past of both, told in small steps, and not as if it had been
//! told all the time what it is told now.

use super::placed::Present;
use super::{Failure, SystemId, VisibleSystem, World};

/// What is told in the past is told so often, and in the last seconds so often, seconds.
/// Chosen: a tenth is what is computed ahead, a sixtieth a frame.
const BETWEEN: f64 = 0.1;
const BETWEEN_LAST: f64 = 1.0 / 60.0;
const LAST: f64 = 2.0;

/// However long somebody remembers, no more of the past is told than this, seconds.
const MOST_TOLD: f64 = 600.0;

impl World {
    /// Brings those up to the present that read from systems in view or are read by them: all
    /// but what is computed now anyway.
    pub(super) fn follow_links(&mut self, found: &[u32]) {
        if self.links.is_empty() {
            return;
        }
        let mut done: Vec<usize> = Vec::new();
        for &index in found {
            let index = index as usize;
            if !done.contains(&index) && self.at(index).is_ok_and(|placed| placed.linked) {
                let company = self.company(index);
                self.tell_the_past(&company, found);
                done.extend(company);
            }
        }
    }

    /// All that a system reads from, that reads from it, and so on.
    fn company(&self, first: usize) -> Vec<usize> {
        let mut company = vec![first];
        let mut next = 0;
        while let Some(&index) = company.get(next) {
            for link in &self.links {
                for (one, other) in [(link.from, link.to), (link.to, link.from)] {
                    if one == index && !company.contains(&other) {
                        company.push(other);
                    }
                }
            }
            next += 1;
        }
        company.sort_unstable();
        company
    }

    fn tell_the_past(&mut self, company: &[usize], found: &[u32]) {
        let (now, seed) = (self.now, self.seed);
        let readers: Vec<usize> =
            company.iter().copied().filter(|index| self.links.iter().any(|link| link.to == *index)).collect();
        let (mut known, mut memory) = (f64::NEG_INFINITY, 0.0_f64);
        for &index in company {
            if let Ok(placed) = self.at(index) {
                placed.prepare(seed, index);
                known = known.max(placed.known_since());
                memory = memory.max(placed.memory());
            }
        }
        let mut time = known.max(now - memory.min(MOST_TOLD));
        // From frame to frame nothing is missing.
        while now - time > BETWEEN {
            self.now = time;
            readers.iter().for_each(|&index| self.tell(index));
            time += if now - time > LAST { BETWEEN } else { BETWEEN_LAST };
        }
        self.now = now;
        let is_found = |index: &usize| found.binary_search(&(*index as u32)).is_ok();
        readers.iter().filter(|index| !is_found(index)).for_each(|&index| self.tell(index));
    }

    /// Computes a system that is not shown, with what others tell it.
    fn tell(&mut self, index: usize) {
        let (seed, now) = (self.seed, self.now);
        let told = self.outside(index, 0).and_then(|outside| {
            let placed = self.at(index)?;
            placed.look_at_all();
            let mut unseen = VisibleSystem::nothing();
            let work = placed.see(Present { now, outside: &outside }, &mut unseen)?;
            self.frame.players.add(&work);
            Ok(())
        });
        if let Err(error) = told {
            self.failures.push(Failure { system: SystemId(index as u32), error });
            if let Ok(placed) = self.at(index) {
                placed.restart(seed, index, now);
            }
        }
    }
}
