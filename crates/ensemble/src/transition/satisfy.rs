//! SATISFY-MEMG-CSP (11), LOCAL-SEARCH (12) and what they call.

use std::collections::BTreeMap;

use proscenium_chance::Stream;
use proscenium_work::Stopped;

use super::abrupt::Limit;
use super::program::{Constraint, Program};
use super::{Observer, Splice, Step, Trace, TransitionSettings};
use crate::data::Moment;

/// A feasible point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FeasiblePoint {
    /// φ.
    pub cost: f64,
    /// τ.
    pub splices: Vec<Splice>,
    /// How often LOCAL-SEARCH was called.
    pub searches: u64,
    /// |C| at the end.
    pub known: usize,
    /// How many pairs of groups the unconstrained minimum made interpenetrate.
    pub first_bad: usize,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ProgramOutcome {
    /// With a feasible point.
    Feasible(FeasiblePoint),
    /// It cost too much.
    Culled,
    /// It took too long.
    TimedOut {
        /// The constraints that were still violated, by name.
        stubborn: Vec<String>,
    },
}

/// The ways by a third moment (i → m → j) that groups in stubborn contacts may
/// take.
#[derive(Clone, Debug)]
pub(crate) struct Detours<'call, 'data> {
    /// What splices cost, and how abrupt they may be.
    pub limit: Limit<'call, 'data>,
    /// The source (i).
    pub from: Moment,
    /// The destination (j).
    pub to: Moment,
    /// The moments that detours may lead by (m); none if there are no detours.
    pub by: Vec<Moment>,
}

// The paper has neither weights nor a rule for detours. These three are chosen: weights
// grow slowly beside the first of one, and few changes go by detours, since each of
// those makes shapes that nothing else uses.

/// From this weight on a contact is stubborn, and detours may be tried.
const STUBBORN: f64 = 12.0;
/// How much heavier a contact gets each time a change for it is refused.
const HEAVIER: f64 = 0.25;
/// The share of changes of stubborn contacts that are detours.
const DETOURS: f64 = 0.25;

/// A constraint that was violated once.
struct Contact {
    constraint: Constraint,
    clique: Vec<usize>,
    /// How much it counts: more, the longer it resists.
    weight: f64,
    is_bad: bool,
}

/// The state of a search.
struct Search<'table> {
    /// Φ_k(τ_k).
    table: &'table [Vec<f64>],
    reach: i64,
    /// C.
    known: Vec<Contact>,
    number: BTreeMap<Constraint, usize>,
    /// A_k.
    affected: Vec<Vec<usize>>,
    splices: Vec<Splice>,
    /// What each group's splice costs.
    costs: Vec<f64>,
    searches: u64,
}

/// Finds splices that violate no constraint, starting from the cheapest of
/// all: SATISFY-MEMG-CSP (11).
///
/// `table` has Φ_k of each group ([`Costs::table`]). The work that is allowed is
/// counted in shapes and pairs, as a multiple of one test of the whole
/// transition.
pub(crate) fn satisfy(
    program: &mut Program,
    table: &[Vec<f64>],
    detours: &Detours,
    cutoff: f64,
    settings: &TransitionSettings,
    stream: &mut Stream,
    observer: &mut Observer,
) -> Result<ProgramOutcome, Stopped> {
    let mut search = Search::new(table, settings);
    // It costs infinitely much if a group has no splice that is not too abrupt.
    if search.cost() > cutoff || search.cost().is_infinite() {
        return Ok(ProgramOutcome::Culled);
    }
    let start = program.work;
    for moment in 0..program.moments() {
        observer.progress.check()?;
        let bad = program.violations(moment, &search.splices, |_| false);
        search.update_contacts(program, bad);
    }
    let first_bad = search.bad_count();
    // Searches that are answered from memory count too, or none would end.
    let collision_work = (program.work - start).max(1);
    let allowed = settings.patience * collision_work as f64;
    while search.bad_count() > 0 {
        observer.progress.check()?;
        (observer.trace)(search.trace(Step::Search, program));
        if search.cost() > cutoff {
            return Ok(ProgramOutcome::Culled);
        }
        if (program.work - start + search.searches - collision_work) as f64 > allowed {
            let bad = search.known.iter().filter(|contact| contact.is_bad);
            let stubborn = bad.map(|contact| program.shapes.name_of(contact.constraint)).collect();
            return Ok(ProgramOutcome::TimedOut { stubborn });
        }
        search.local_search(program, detours, settings, stream, observer)?;
    }
    if search.cost() > cutoff {
        return Ok(ProgramOutcome::Culled);
    }
    let known = search.known.len();
    Ok(ProgramOutcome::Feasible(FeasiblePoint {
        cost: search.cost(),
        splices: search.splices,
        searches: search.searches,
        known,
        first_bad,
    }))
}

impl<'table> Search<'table> {
    /// The unconstrained minimum (5): each group at its own cheapest time.
    fn new(table: &'table [Vec<f64>], settings: &TransitionSettings) -> Self {
        let reach = i64::from(settings.reach);
        let best = |costs: &Vec<f64>| {
            let cheapest = costs.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(index, _)| index);
            (Splice::Direct((cheapest as i64 - reach) as i8), costs[cheapest])
        };
        let (splices, costs) = table.iter().map(best).unzip();
        Self {
            table,
            reach,
            known: Vec::new(),
            number: BTreeMap::new(),
            affected: vec![Vec::new(); table.len()],
            splices,
            costs,
            searches: 0,
        }
    }

    /// φ.
    fn cost(&self) -> f64 {
        self.costs.iter().sum()
    }

    /// |B|.
    fn bad_count(&self) -> usize {
        self.known.iter().filter(|contact| contact.is_bad).count()
    }

    fn trace(&self, step: Step, program: &Program) -> Trace {
        Trace {
            step,
            work: program.work,
            cost: self.cost(),
            best: None,
            bad: self.bad_count(),
            known: self.known.len(),
        }
    }

    /// UPDATE-CONTACTS (10).
    fn update_contacts(&mut self, program: &Program, bad: Vec<Constraint>) {
        for constraint in bad {
            let next = self.known.len();
            let number = *self.number.entry(constraint).or_insert(next);
            if number == next {
                let clique = program.shapes.clique_of(constraint);
                clique.iter().for_each(|&group| self.affected[group].push(number));
                self.known.push(Contact { constraint, clique, weight: 1.0, is_bad: true });
            }
            self.known[number].is_bad = true;
        }
    }

    /// LOCAL-SEARCH (12): changes one group's splice, if that does not make
    /// more constraints bad, each counted by how long it has resisted.
    fn local_search(
        &mut self,
        program: &mut Program,
        detours: &Detours,
        settings: &TransitionSettings,
        stream: &mut Stream,
        observer: &Observer,
    ) -> Result<(), Stopped> {
        self.searches += 1;
        let (contact, group) = self.select_variable(settings.preference, stream);
        let stubborn = self.known[contact].weight >= STUBBORN;
        let detour = settings.detours && stubborn && !detours.by.is_empty() && stream.uniform() < DETOURS;
        let way = if detour { Some(self.sample_detour(group, detours, stream)) } else { None };
        let (splice, cost) = way.filter(|(_, cost)| cost.is_finite()).unwrap_or_else(|| self.sample(group, stream));
        let before: f64 = self.weight_of_bad(group);
        let old = std::mem::replace(&mut self.splices[group], splice);
        let bad = self.bad_contacts(program, group);
        let after: f64 = bad.iter().map(|&number| self.known[number].weight).sum();
        if after <= before {
            self.costs[group] = cost;
            for &number in &self.affected[group] {
                self.known[number].is_bad = false;
            }
            bad.iter().for_each(|&number| self.known[number].is_bad = true);
        } else {
            self.splices[group] = old;
            self.known[contact].weight += HEAVIER;
        }
        if self.bad_count() == 0 {
            let new = self.detect_new_contacts(program, stream, observer)?;
            self.update_contacts(program, new);
        }
        Ok(())
    }

    fn weight_of_bad(&self, group: usize) -> f64 {
        let affected = self.affected[group].iter().map(|&number| &self.known[number]);
        affected.filter(|contact| contact.is_bad).map(|contact| contact.weight).sum()
    }

    /// SELECT-VARIABLE (13): a bad contact, and a group of its clique, rather
    /// one whose change affects few contacts.
    fn select_variable(&self, preference: f64, stream: &mut Stream) -> (usize, usize) {
        let bad: Vec<usize> = (0..self.known.len()).filter(|&number| self.known[number].is_bad).collect();
        let contact = bad[stream.below(bad.len() as u64) as usize];
        let clique = &self.known[contact].clique;
        let fewest = clique.iter().map(|&group| self.affected[group].len()).min().unwrap_or(0);
        let weights = clique.iter().map(|&group| {
            let more = (self.affected[group].len() - fewest) as f64;
            libm::pow(preference, -more)
        });
        (contact, clique[pick(weights, stream)])
    }

    /// A time for a group, rather a cheap one: by importance 1 / Φ_k.
    fn sample(&self, group: usize, stream: &mut Stream) -> (Splice, f64) {
        let costs = &self.table[group];
        let chosen = pick(costs.iter().map(|&cost| importance(cost)), stream);
        (Splice::Direct((chosen as i64 - self.reach) as i8), costs[chosen])
    }

    /// A detour for a group: by a moment of which both ways are cheap.
    fn sample_detour(&self, group: usize, detours: &Detours, stream: &mut Stream) -> (Splice, f64) {
        let Detours { limit, from, to, by } = detours;
        let by = by[stream.below(by.len() as u64) as usize];
        let reach = self.reach as u32;
        let (out, back) = (limit.row(group, *from, by, reach), limit.row(group, by, *to, reach));
        let first = pick(out.iter().map(|&cost| importance(cost)), stream);
        // It leaves the detour after it has come to it.
        let second = first + pick(back[first..].iter().map(|&cost| importance(cost)), stream);
        let offset = |index: usize| (index as i64 - self.reach) as i8;
        (Splice::Detour { by, first: offset(first), second: offset(second) }, out[first] + back[second])
    }

    /// GET-BAD-CONTACTS (14): which of the contacts that a group affects are
    /// violated at any moment.
    fn bad_contacts(&self, program: &mut Program, group: usize) -> Vec<usize> {
        let mut bad = Vec::new();
        for &number in &self.affected[group] {
            let contact = &self.known[number];
            let mut moments = 0..program.moments();
            if moments.any(|moment| program.violated(contact.constraint, &contact.clique, moment, &self.splices)) {
                bad.push(number);
            }
        }
        bad
    }

    /// DETECT-NEW-CONTACTS (15): what is violated, beside what is known, at
    /// the first moment of a random order at which anything is.
    fn detect_new_contacts(
        &self,
        program: &mut Program,
        stream: &mut Stream,
        observer: &Observer,
    ) -> Result<Vec<Constraint>, Stopped> {
        let mut moments: Vec<u32> = (0..program.moments()).collect();
        stream.shuffle(&mut moments);
        for moment in moments {
            observer.progress.check()?;
            let new = program.violations(moment, &self.splices, |constraint| self.number.contains_key(&constraint));
            if !new.is_empty() {
                return Ok(new);
            }
        }
        Ok(Vec::new())
    }
}

fn importance(cost: f64) -> f64 {
    1.0 / cost.max(f64::MIN_POSITIVE.sqrt())
}

/// An index with a chance that is proportional to its weight.
pub(super) fn pick(weights: impl Iterator<Item = f64> + Clone, stream: &mut Stream) -> usize {
    let total: f64 = weights.clone().sum();
    let mut left = stream.uniform() * total;
    let mut last = 0;
    for (index, weight) in weights.enumerate() {
        if weight > 0.0 {
            last = index;
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
    }
    last
}
