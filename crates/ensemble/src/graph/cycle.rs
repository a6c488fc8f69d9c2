//! Walks that come back to where they began, to be played again and again.

use super::{MotionGraph, Node};
use crate::compressed::CompressedEnsemble;
use crate::data::Moment;
use crate::error::EnsembleError;
use crate::smooth::{AccelerationMeter, accelerations_of};

/// A cycle may be longer or shorter than was asked by this share.
const OFF: f64 = 0.25;
/// Where nothing is nearly as long as was asked, cycles of so many seconds are looked for,
/// to tell the nearest.
const LOOKED_FOR: f64 = 30.0;

/// A walk through a motion graph that ends where it begins, frame for frame: what follows
/// the last frame is the first.
///
/// It ends within the data or a transition like any other walk, so nothing is blended to
/// close it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The decisions: a node, whether its transition is taken, and frames to the next.
    steps: Vec<(usize, bool, u32)>,
    frames: u32,
    /// How many frames after its first decision it begins: in plain data if it has any, so
    /// that its seam is that of the data.
    first: u32,
}

impl Cycle {
    /// How many frames it has; the next is the first again.
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// How many transitions it takes.
    pub fn transitions(&self) -> usize {
        self.steps.iter().filter(|(_, taken, _)| *taken).count()
    }

    /// The coordinates of every group in a frame, counted round and round.
    pub fn coordinates(&self, graph: &MotionGraph, frame: u64) -> Vec<Vec<f32>> {
        let data = graph.data();
        let mut gone = ((frame + u64::from(self.first)) % u64::from(self.frames.max(1))) as u32;
        for &(node, taken, frames) in &self.steps {
            if gone >= frames {
                gone -= frames;
                continue;
            }
            let transition = &graph.transitions()[node];
            if taken && gone < 2 * transition.span {
                let frame = f64::from(gone) - f64::from(transition.span);
                let of = |group: usize| {
                    let mut coordinates = Vec::new();
                    transition.coordinates(data, group, frame, &mut coordinates);
                    coordinates
                };
                return (0..data.groups().len()).map(of).collect();
            }
            let moment = match taken {
                true => Moment { frame: transition.to.frame + gone - transition.span, ..transition.to },
                false => Moment { frame: graph.nodes()[node].at.frame + gone, ..graph.nodes()[node].at },
            };
            return at(data, moment);
        }
        // Only a cycle of another graph comes here.
        at(data, Moment { sequence: 0, frame: 0 })
    }

    /// The largest acceleration of a vertex where the last frames meet the first, as a share
    /// of the largest in the data of the conditions that the cycle comes by.
    pub fn seam(&self, graph: &MotionGraph) -> f64 {
        let around = u64::from(self.frames);
        let (mut meter, mut positions) = (AccelerationMeter::default(), Vec::new());
        let mut largest = 0.0_f64;
        for frame in around.saturating_sub(3)..around + 3 {
            graph.data().place(&self.coordinates(graph, frame), &mut positions);
            largest = largest.max(meter.add(&positions).unwrap_or(0.0));
        }
        let accelerations = accelerations_of(graph.data());
        let levels =
            self.steps.iter().flat_map(|&(node, ..)| [graph.nodes()[node].level, graph.nodes()[node].to_level]);
        let allowed = levels.map(|level| accelerations[level]).fold(0.0, f64::max);
        if allowed > 0.0 { largest / allowed } else { 0.0 }
    }
}

fn at(data: &CompressedEnsemble, moment: Moment) -> Vec<Vec<f32>> {
    let of = |shape: &crate::compressed::CompressedGroup| {
        let mut coordinates = Vec::new();
        shape.coordinates_at(moment, &mut coordinates);
        coordinates
    };
    data.shapes().iter().map(of).collect()
}

impl MotionGraph {
    /// The cycle within a condition whose length is nearest to so many seconds. Of those
    /// that are as near, the one with the fewest decisions.
    ///
    /// # Errors
    /// Seconds that are not positive, a condition that cannot be walked, and when no cycle
    /// is nearly that long, with the one that is nearest.
    pub fn cycle(&self, level: usize, seconds: f64) -> Result<Cycle, EnsembleError> {
        crate::data::positive("the length of the loop", seconds, "use seconds, such as 8")?;
        let rate = self.data().frames_per_second();
        let wanted = (seconds * rate).round().clamp(1.0, 1e5) as u32;
        let longest = (f64::from(wanted) * (1.0 + OFF)).ceil() as u32;
        let starts: Vec<usize> = self.within.get(level).cloned().unwrap_or_default();
        let mut best: Option<Cycle> = None;
        let off = |cycle: &Cycle| (cycle.frames.abs_diff(wanted), cycle.steps.len());
        // Cycles that are longer than wanted are looked for too, so that there is a nearest.
        for longest in [longest, (4 * longest).max((LOOKED_FOR * rate) as u32)] {
            for &start in &starts {
                let found = cycle_from(self.nodes(), start, wanted, longest);
                if let Some(found) = found.filter(|found| best.as_ref().is_none_or(|best| off(found) < off(best))) {
                    best = Some(found);
                }
            }
            if best.is_some() {
                break;
            }
        }
        let name = self.data().conditions().get(level).map_or_else(|| level.to_string(), |level| level.name.clone());
        let Some(best) = best else {
            return Err(EnsembleError::Unreachable { name, remedy: "choose a condition that can be walked" });
        };
        if f64::from(off(&best).0) > OFF * f64::from(wanted) {
            let what = format!(
                "the length of the loop, in seconds, of \"{name}\", of which the nearest is {:.2} s,",
                f64::from(best.frames) / rate
            );
            return Err(EnsembleError::Number {
                what,
                value: seconds,
                remedy: "ask for that, or build from more data",
            });
        }
        Ok(self.begun_in_data(best))
    }

    /// The same cycle, from the middle of its longest stretch of plain data on.
    fn begun_in_data(&self, cycle: Cycle) -> Cycle {
        let (mut longest, mut first, mut before) = (0, 0, 0);
        for &(node, taken, frames) in &cycle.steps {
            let blends = if taken { 2 * self.transitions()[node].span } else { 0 };
            let plain = frames.saturating_sub(blends);
            if plain > longest {
                (longest, first) = (plain, before + frames - plain / 2);
            }
            before += frames;
        }
        Cycle { first: if cycle.frames > 0 { first % cycle.frames } else { 0 }, ..cycle }
    }
}

/// The cycle from a decision back to it whose length is nearest to `wanted`: by all lengths
/// up to `longest` at which each other decision can be come to.
fn cycle_from(nodes: &[Node], start: usize, wanted: u32, longest: u32) -> Option<Cycle> {
    let level = nodes[start].level;
    // For each length and node, the node before, and whether its transition was taken.
    let mut came: Vec<Vec<Option<(usize, bool)>>> = vec![vec![None; nodes.len()]; longest as usize + 1];
    came[0][start] = Some((start, false));
    for length in 0..=longest {
        for node in 0..nodes.len() {
            if came[length as usize][node].is_none() || (node == start && length > 0) {
                continue;
            }
            let here = &nodes[node];
            let taken = Some((here.taken, here.taken_frames, true)).filter(|_| here.to_level == level);
            let passed = here.passed.map(|next| (next, here.passed_frames, false));
            for (next, frames, is_taken) in taken.into_iter().chain(passed) {
                let later = length + frames;
                // Of decisions at the same frame the later ones come later.
                let goes_on = frames > 0 || next > node;
                if later > longest || !goes_on || nodes[next].level != level {
                    continue;
                }
                let place = &mut came[later as usize][next];
                *place = place.or(Some((node, is_taken)));
            }
        }
    }
    let lengths = (1..=longest).filter(|&length| came[length as usize][start].is_some());
    let frames = lengths.min_by_key(|&length| length.abs_diff(wanted))?;
    let (mut steps, mut at, mut left) = (Vec::new(), start, frames);
    while left > 0 || at != start {
        let (before, taken) = came[left as usize][at]?;
        let length = if taken { nodes[before].taken_frames } else { nodes[before].passed_frames };
        steps.push((before, taken, length));
        (at, left) = (before, left - length);
    }
    steps.reverse();
    Some(Cycle { steps, frames, first: 0 })
}
