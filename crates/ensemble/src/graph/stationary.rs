//! Where a walk is in the long run.

use proscenium_chance::Stream;

use super::Node;

/// The chance that a transition is taken where it could be passed by as well: a coin,
/// before it is known where the walk would come too often.
pub(super) const TAKEN: f64 = 0.5;
/// No way is so much better than the other that its chance leaves these. Chosen: all that can
/// be walked is, and nothing is nearly certain.
const CHANCES: (f64, f64) = (0.1, 0.75);
/// How often chances are corrected, and by which power of how much more often one way is
/// come by than the other. Chosen: they change no more by then.
const CORRECTIONS: u32 = 60;
const CORRECTED_BY: f64 = 0.5;
/// Two distributions that differ by less (in total variation) are the same to a
/// viewer. Chosen.
const FORGOTTEN: f64 = 0.01;
/// Shares that change by less in a step are settled: while chances are corrected, and then.
const ROUGHLY: f64 = 1e-6;
const EXACTLY: f64 = 1e-13;
/// Decisions after which a walk that has not forgotten is taken to never do so.
const MOST_DECISIONS: u32 = 10_000;

/// The stationary distribution of the walk within one condition: how much of
/// its time it spends after each decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Stationary {
    /// Node, whether it is taken, frames until the next decision, and the
    /// share of time, summed up to here.
    spells: Vec<(usize, bool, u32, f64)>,
    /// Frames after which a walk has forgotten where it was.
    forgets_after: u64,
}

/// How a walk within a condition goes on from a node: with which chance to
/// which node, after how many frames, and whether the transition is taken.
pub(crate) fn ways(nodes: &[Node], node: usize) -> [(f64, usize, u32, bool); 2] {
    let here = &nodes[node];
    let chance = match here.passed {
        _ if here.level != here.to_level => 0.0,
        Some(_) => here.chance,
        None => 1.0,
    };
    [
        (chance, here.taken, here.taken_frames, true),
        (1.0 - chance, here.passed.unwrap_or(node), here.passed_frames, false),
    ]
}

impl Stationary {
    pub(super) fn of(nodes: &[Node], within: &[usize]) -> Option<Self> {
        let &first = within.first()?;
        let reached = reached_from(nodes, first);
        let shares = long_run(nodes, &reached, evenly(nodes, &reached), EXACTLY);
        let mut spells = Vec::new();
        let mut sum = 0.0;
        for &node in &reached {
            for (chance, _, frames, taken) in ways(nodes, node) {
                let weight = shares[node] * chance * f64::from(frames);
                if weight > 0.0 {
                    sum += weight;
                    spells.push((node, taken, frames, sum));
                }
            }
        }
        if sum <= 0.0 {
            return None;
        }
        spells.iter_mut().for_each(|spell| spell.3 /= sum);
        let forgets_after = forgets_after(nodes, &reached, &shares);
        Some(Self { spells, forgets_after })
    }

    /// Frames after which a walk has forgotten where it was, to within one
    /// percent.
    pub fn forgets_after(&self) -> u64 {
        self.forgets_after
    }

    /// Node, whether it is taken, frames until the next decision, and the share of time,
    /// summed up to here.
    pub(crate) fn spells(&self) -> &[(usize, bool, u32, f64)] {
        &self.spells
    }

    /// A decision and the frames since then, as the walk has them at any time.
    pub(crate) fn draw(&self, stream: &mut Stream) -> (usize, bool, u32) {
        let share = stream.uniform();
        let index = self.spells.partition_point(|spell| spell.3 < share).min(self.spells.len() - 1);
        let (node, taken, frames, _) = self.spells[index];
        (node, taken, stream.below(u64::from(frames)) as u32)
    }
}

/// One decision later.
fn step(nodes: &[Node], reached: &[usize], shares: &[f64]) -> Vec<f64> {
    let mut next = vec![0.0; shares.len()];
    for &node in reached {
        for (chance, to, _, _) in ways(nodes, node) {
            next[to] += chance * shares[node];
        }
    }
    next
}

/// All nodes that the walk within a condition comes by, from one of them on.
fn reached_from(nodes: &[Node], first: usize) -> Vec<usize> {
    let mut reached = vec![false; nodes.len()];
    let mut waiting = vec![first];
    while let Some(node) = waiting.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            waiting.extend(ways(nodes, node).iter().filter(|way| way.0 > 0.0).map(|way| way.1));
        }
    }
    (0..nodes.len()).filter(|&node| reached[node]).collect()
}

/// As if all nodes were as likely.
fn evenly(nodes: &[Node], reached: &[usize]) -> Vec<f64> {
    let mut shares = vec![0.0; nodes.len()];
    reached.iter().for_each(|&node| shares[node] = 1.0 / reached.len() as f64);
    shares
}

/// Sets the chances of taking transitions so that the walk within a condition comes by all of
/// its data about as often. What is shown just before a decision is shown as often as the
/// decision is made, so that is what is evened out: the way that is come by more often is gone
/// less.
pub(super) fn even_out(nodes: &mut [Node], within: &[usize]) {
    let Some(&first) = within.first() else { return };
    let reached = reached_from(nodes, first);
    let mut shares = evenly(nodes, &reached);
    for _ in 0..CORRECTIONS {
        shares = long_run(nodes, &reached, shares, ROUGHLY);
        for &node in &reached {
            let here = &nodes[node];
            let Some(passed) = here.passed.filter(|_| here.level == here.to_level) else { continue };
            let (by_taking, by_passing) = (shares[here.taken], shares[passed]);
            if by_taking > 0.0 && by_passing > 0.0 {
                let odds = here.chance / (1.0 - here.chance) * libm::pow(by_passing / by_taking, CORRECTED_BY);
                nodes[node].chance = (odds / (1.0 + odds)).clamp(CHANCES.0, CHANCES.1);
            }
        }
    }
}

/// The share of decisions at each node, from a first guess. Averages of two steps converge
/// even if the walk alternates.
fn long_run(nodes: &[Node], reached: &[usize], mut shares: Vec<f64>, settled: f64) -> Vec<f64> {
    for _ in 0..MOST_DECISIONS {
        let next = step(nodes, reached, &shares);
        let change: f64 = next.iter().zip(&shares).map(|(a, b)| (a - b).abs()).sum();
        shares.iter_mut().zip(&next).for_each(|(share, next)| *share = 0.5 * (*share + next));
        if change < settled {
            break;
        }
    }
    shares
}

/// Frames until walks from every node are distributed alike.
fn forgets_after(nodes: &[Node], reached: &[usize], shares: &[f64]) -> u64 {
    let mean: f64 = reached
        .iter()
        .flat_map(|&node| ways(nodes, node).map(|(chance, _, frames, _)| shares[node] * chance * f64::from(frames)))
        .sum();
    let mut slowest = 0;
    for &start in reached {
        let mut now = vec![0.0; nodes.len()];
        now[start] = 1.0;
        let mut decisions = 0;
        // Two decisions in a row are averaged: where in the alternation a
        // viewer would look is not known either.
        loop {
            let next = step(nodes, reached, &now);
            let away: f64 = (0..nodes.len()).map(|node| (0.5 * (now[node] + next[node]) - shares[node]).abs()).sum();
            decisions += 1;
            if 0.5 * away < FORGOTTEN || decisions >= MOST_DECISIONS {
                break;
            }
            now = next;
        }
        slowest = slowest.max(decisions);
        if slowest >= MOST_DECISIONS {
            break;
        }
    }
    (f64::from(slowest) * mean).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Moment;

    /// With a coin at each decision, what most transitions lead past was hardly ever shown.
    #[test]
    fn all_data_is_come_by_about_as_often() {
        let node = |at: usize, taken: usize, passed: Option<usize>| Node {
            at: Moment { sequence: 0, frame: 30 * at as u32 },
            level: 0,
            to_level: 0,
            taken,
            passed,
            chance: TAKEN,
            taken_frames: 60,
            passed_frames: 30,
        };
        // Six decisions in a row; the first four lead to the fifth, the others to the beginning.
        let mut nodes: Vec<Node> = (0..6).map(|at| node(at, if at < 4 { 4 } else { 0 }, Some(at + 1))).collect();
        nodes[5].passed = None;
        let within: Vec<usize> = (0..6).collect();
        let least_over_most = |nodes: &[Node]| {
            let shares = long_run(nodes, &within, evenly(nodes, &within), EXACTLY);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            shares.iter().copied().fold(1.0, f64::min) / shares.iter().copied().fold(0.0, f64::max)
        };
        let before = least_over_most(&nodes);
        even_out(&mut nodes, &within);
        let after = least_over_most(&nodes);
        assert!(before < 0.2 && after > 0.7, "{before} {after}");
        assert!(nodes.iter().all(|node| (CHANCES.0..=CHANCES.1).contains(&node.chance)), "nothing is certain");
        // What is even stays as it is: two that lead to each other.
        let mut even = vec![node(0, 1, Some(1)), node(1, 0, None)];
        even_out(&mut even, &[0, 1]);
        assert_eq!(even[0].chance, TAKEN);
    }
}
