//! A frame: what is in view is brought up to the present, within a budget.
//!
//! 1. What is in view is found, or given.
//! 2. Who can be afforded: systems that were seen a moment ago cost nothing; of those that
//!    return the budget decides, in the order of their numbers, and the rest come a little
//!    nearer. This takes place one after another, and depends on nothing but the past.
//! 3. Systems are computed, each by itself and in parallel; those that read from each other
//!    one after another.
//! 4. States are computed ahead, as far as the frame's share of work goes.

use proscenium_view::Frustum;
use proscenium_work::parallel;

use glam::{DQuat, DVec3};

use crate::error::CullError;
use crate::learned::Regime;
use crate::player::Counters;

use super::placed::{PlacedSystem, Present};
use super::{Failure, FrameWork, Link, SystemId, VisibleSystem, World};

/// Systems that read each other's outputs do so at most this deep: those in a
/// circle would never end. Chosen.
const DEEPEST_LINK: usize = 16;

/// With fewer systems in view it is faster to compute them one after another: handing work
/// to threads takes longer than a system does.
const FEWEST_IN_PARALLEL: usize = 64;

/// One system of a frame.
struct Seat {
    index: usize,
    placed: Box<PlacedSystem>,
    seen: VisibleSystem,
    outcome: Result<Counters, CullError>,
    /// How many states may be computed ahead.
    ahead: usize,
}

impl World {
    /// Moves on to a time, and returns what the views show then. Only that is
    /// computed. A system that explodes is in [`failures`](World::failures), and begins
    /// anew; the others go on.
    ///
    /// # Errors
    /// When the time is not finite or lies in the past.
    pub fn advance(&mut self, now: f64, views: &[Frustum]) -> Result<&[VisibleSystem], CullError> {
        self.begin(now)?;
        let mut found = std::mem::take(&mut self.marks);
        found.clear();
        self.found(views, &mut found);
        for &index in &found {
            self.at(index as usize)?.look(views);
        }
        self.show(found)
    }

    /// Moves on to a time, and returns these systems as they are then: for callers that
    /// know by themselves what is in view.
    ///
    /// # Errors
    /// When the time is not finite or lies in the past, or there is no such system.
    pub fn advance_visible(&mut self, now: f64, visible: &[SystemId]) -> Result<&[VisibleSystem], CullError> {
        for id in visible {
            self.placed(*id)?;
        }
        self.begin(now)?;
        let mut found = std::mem::take(&mut self.marks);
        found.clear();
        found.extend(visible.iter().map(|id| id.0));
        found.sort_unstable();
        found.dedup();
        for &index in &found {
            self.at(index as usize)?.look_at_all();
        }
        self.show(found)
    }

    fn begin(&mut self, now: f64) -> Result<(), CullError> {
        if !now.is_finite() || now < self.now {
            let remedy = "give times in order, none before the last";
            return Err(CullError::Number { what: "the time", value: now, remedy });
        }
        self.now = now;
        self.frame = FrameWork::default();
        self.failures.clear();
        Ok(())
    }

    /// Computes what is in view.
    fn show(&mut self, mut found: Vec<u32>) -> Result<&[VisibleSystem], CullError> {
        self.frame.in_view = found.len() as u64;
        self.afford(&mut found);
        self.follow_links(&found);
        let told = self.told(&found);
        let mut old = std::mem::take(&mut self.visible);
        let (now, seed) = (self.now, self.seed);
        let mut seats: Vec<Seat> = Vec::with_capacity(found.len());
        for &number in &found {
            let index = number as usize;
            if let Some(placed) = self.systems.get_mut(index).and_then(Option::take) {
                let seen = old.pop().unwrap_or_else(VisibleSystem::nothing);
                seats.push(Seat { index, placed, seen, outcome: Ok(Counters::default()), ahead: 0 });
            }
        }
        let see = |seat: &mut Seat| {
            let place = told.partition_point(|(index, _)| *index < seat.index);
            let outside = told.get(place).filter(|(index, _)| *index == seat.index).map_or(&[][..], |(_, told)| told);
            seat.seen.system = SystemId(seat.index as u32);
            seat.placed.prepare(seed, seat.index);
            seat.outcome = seat.placed.see(Present { now, outside }, &mut seat.seen);
        };
        for_each(&mut seats, see);
        let mut failures = std::mem::take(&mut self.failures);
        for seat in &mut seats {
            if let Err(error) = &seat.outcome {
                failures.push(Failure { system: SystemId(seat.index as u32), error: error.clone() });
                seat.placed.restart(seed, seat.index, now);
                seat.outcome = seat.placed.see(Present { now, outside: &[] }, &mut seat.seen);
            }
        }
        let mut ahead = self.work_per_frame;
        for seat in &mut seats {
            seat.ahead = if seat.outcome.is_ok() { seat.placed.short_of_states().min(ahead) } else { 0 };
            ahead -= seat.ahead;
        }
        // What explodes ahead of the viewer is told when the viewer gets there.
        for_each(&mut seats, |seat| {
            let done = seat.placed.look_ahead(seat.ahead).unwrap_or(0);
            if let Ok(work) = &mut seat.outcome {
                work.buffered += done as u64;
            }
        });
        let mut visible = Vec::with_capacity(seats.len());
        for seat in seats {
            self.systems[seat.index] = Some(seat.placed);
            if let Ok(work) = seat.outcome {
                self.frame.players.add(&work);
                visible.push(seat.seen);
            }
        }
        self.visible = visible;
        self.failures = failures;
        self.marks = found;
        Ok(&self.visible)
    }

    /// Leaves those out whose return does not fit into the frame, after they came nearer.
    fn afford(&mut self, found: &mut Vec<u32>) {
        if self.seconds_per_frame.is_infinite() {
            return;
        }
        let (now, seed) = (self.now, self.seed);
        let mut left = self.seconds_per_frame;
        let mut late = Vec::new();
        for &index in found.iter() {
            let Ok(placed) = self.at(index as usize) else {
                continue;
            };
            placed.prepare(seed, index as usize);
            let wanted = placed.return_seconds(now);
            // Systems that read from each other are computed together, whatever that takes.
            if wanted <= left || placed.linked {
                left -= wanted.min(left);
                self.frame.return_seconds += wanted;
                continue;
            }
            // Nobody waits for ever: the first comes nearer even without a budget.
            let is_first = self.frame.return_seconds == 0.0;
            if left > 0.0 || is_first {
                match self.at(index as usize).and_then(|placed| placed.approach(now, left)) {
                    Ok(taken) => {
                        left = (left - taken).max(0.0);
                        self.frame.return_seconds += taken;
                    }
                    Err(error) => {
                        self.failures.push(Failure { system: SystemId(index), error });
                        if let Ok(placed) = self.at(index as usize) {
                            placed.restart(seed, index as usize, now);
                        }
                    }
                }
            }
            let still = self.at(index as usize).map_or(0.0, |placed| placed.return_seconds(now));
            if still > 0.0 {
                late.push(index);
            }
        }
        found.retain(|index| late.binary_search(index).is_err());
        self.frame.waiting = late.len() as u64;
    }

    /// What those in view are told by others, in the order of their numbers.
    fn told(&mut self, found: &[u32]) -> Vec<(usize, Vec<f64>)> {
        let mut told = Vec::new();
        for &index in found {
            let index = index as usize;
            if self.at(index).is_ok_and(|placed| placed.linked) {
                match self.outside(index, 0) {
                    Ok(outside) => told.push((index, outside)),
                    Err(error) => self.failures.push(Failure { system: SystemId(index as u32), error }),
                }
            }
        }
        told
    }

    /// What a system is told by those it is linked to, which are computed for
    /// that.
    pub(super) fn outside(&mut self, index: usize, depth: usize) -> Result<Vec<f64>, CullError> {
        let mut outside = self.at(index)?.culled.model.default_inputs();
        if depth >= DEEPEST_LINK {
            return Ok(outside);
        }
        let links: Vec<Link> = self.links.iter().filter(|link| link.to == index).cloned().collect();
        for link in links {
            let told = self.outside(link.from, depth + 1)?;
            let (seed, now) = (self.seed, self.now);
            let source = self.at(link.from)?;
            source.prepare(seed, link.from);
            let mut seen = VisibleSystem::nothing();
            let work = source.see(Present { now, outside: &told }, &mut seen);
            let work = match work {
                Ok(work) => work,
                Err(error) => {
                    source.restart(seed, link.from, now);
                    self.failures.push(Failure { system: SystemId(link.from as u32), error });
                    self.at(link.from)?.see(Present { now, outside: &told }, &mut seen)?
                }
            };
            self.frame.players.add(&work);
            if let Some(value) = seen.copies.first().and_then(|(_, shown)| shown.get(link.output)) {
                outside[link.input] = *value;
            }
        }
        Ok(outside)
    }
}

/// Does something with each seat, in parallel if there are many: each knows nothing of the
/// others, so that the bits are the same.
fn for_each(seats: &mut [Seat], with: impl Fn(&mut Seat) + Send + Sync) {
    if seats.len() < FEWEST_IN_PARALLEL {
        seats.iter_mut().for_each(with);
    } else {
        parallel::map_mut(seats, with);
    }
}

impl VisibleSystem {
    pub(super) fn nothing() -> Self {
        Self {
            system: SystemId(0),
            position: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            regime: Regime::Complete,
            copies: Vec::new(),
        }
    }
}
