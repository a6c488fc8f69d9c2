//! Wants that compete for bodies: each body can fill one bin only.

use super::{Condition, Part, RegionWant, WantPlan};

/// Wants that bodies of one set come to rest in places of which no two overlap.
/// Together they need as many bodies as they ask for, which a want that is
/// judged alone does not know.
#[derive(Clone, Debug)]
pub(crate) struct Bins {
    wants: usize,
    bodies: Vec<usize>,
    /// How many bodies they need.
    needed: usize,
    /// What each missing one costs at least.
    weight: f64,
}

/// A box along the axes.
type Cell = (glam::DVec3, glam::DVec3);

impl Bins {
    /// The bins among some wants, if there are two or more.
    pub(crate) fn among(wants: &[WantPlan]) -> Option<Self> {
        let mut bins: Option<Self> = None;
        let mut cells: Vec<Cell> = Vec::new();
        for want in wants {
            let Some((cell, bodies)) = bin(want) else {
                continue;
            };
            let overlaps = |(low, high): &Cell| cell.0.cmplt(*high).all() && low.cmplt(cell.1).all();
            let (least, _) = want.count.unwrap_or_default();
            match &mut bins {
                None => bins = Some(Self { wants: 1, bodies, needed: least, weight: want.weight }),
                Some(bins) if bins.bodies == bodies && !cells.iter().any(overlaps) => {
                    bins.wants += 1;
                    bins.needed += least;
                    bins.weight = bins.weight.min(want.weight);
                }
                Some(_) => continue,
            }
            cells.push(cell);
        }
        bins.filter(|bins| bins.wants > 1)
    }

    /// All of them together score no more than this: bodies that do not take
    /// part fill no bin.
    pub(crate) fn best(&self, is_absent: impl Fn(usize) -> bool) -> f64 {
        let present = self.bodies.iter().filter(|body| !is_absent(**body)).count();
        -self.weight * self.needed.saturating_sub(present) as f64
    }
}

/// The box that bodies should come to rest in, and which, if that is all that a
/// want says.
fn bin(want: &WantPlan) -> Option<(Cell, Vec<usize>)> {
    want.count.filter(|(least, _)| *least > 0)?;
    let mut cell = None;
    let mut bodies = Vec::with_capacity(want.parts.len());
    for part in &want.parts {
        let Part::Statement(statement) = part else {
            return None;
        };
        let [fact] = &statement.facts[..] else {
            return None;
        };
        let Condition::Inside { region: RegionWant::Box { low, high }, .. } = &fact.condition else {
            return None;
        };
        if fact.at.is_some() || cell.is_some_and(|cell| cell != (*low, *high)) {
            return None;
        }
        cell = Some((*low, *high));
        bodies.push(statement.body);
    }
    Some((cell?, bodies))
}
