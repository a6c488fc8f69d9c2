//! From transitions to a graph that can be walked for ever.

use std::collections::BTreeMap;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::stationary::{Stationary, TAKEN, even_out};
use super::{MotionGraph, Node};
use crate::compressed::CompressedEnsemble;
use crate::data::Moment;
use crate::error::EnsembleError;
use crate::file::GRAPH;
use crate::transition::{Tally, Transition};

/// What was kept of the transitions, and what was left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphReport {
    /// Transitions before anything was left out.
    pub found: usize,
    /// Transitions that can be walked for ever.
    pub kept: usize,
    /// For each condition: the seconds of data that the walk can be in.
    pub seconds: Vec<f64>,
    /// For each condition: the seconds of data that there are.
    pub recorded: Vec<f64>,
    /// Conditions that cannot be reached from the others and left again: the
    /// data shows hysteresis there, or too few transitions were found.
    pub left_out: Vec<String>,
}

impl GraphReport {
    /// The share of all recorded seconds that the walk can be in.
    pub fn walkable_share(&self) -> f64 {
        let recorded: f64 = self.recorded.iter().sum();
        if recorded > 0.0 { self.seconds.iter().sum::<f64>() / recorded } else { 0.0 }
    }
}

/// Whether all transitions fit the data.
pub(super) fn check(data: &CompressedEnsemble, transitions: &[Transition]) -> Result<(), EnsembleError> {
    let groups = data.groups().len();
    for transition in transitions {
        let detours = transition.splices.iter().filter_map(|splice| match splice {
            crate::transition::Splice::Detour { by, .. } => Some(*by),
            crate::transition::Splice::Direct(_) => None,
        });
        let inside = |moment: Moment| {
            let frames = data.sequences().get(moment.sequence as usize).map_or(0, |sequence| sequence.frames as u64);
            moment.frame >= transition.span && u64::from(moment.frame) + u64::from(transition.span) < frames
        };
        let sound = transition.splices.len() == groups
            && transition.blend > 0
            && [transition.from, transition.to].into_iter().chain(detours).all(inside);
        if !sound {
            let what = format!("the transition from {:?} does not fit the data", transition.from);
            return Err(GRAPH.damaged(what).into());
        }
    }
    Ok(())
}

fn level_of(data: &CompressedEnsemble, moment: Moment) -> usize {
    data.sequences()[moment.sequence as usize].condition
}

/// Where a transition begins, and where it ends.
fn ends(transition: &Transition) -> (Moment, Moment) {
    let begins = Moment { frame: transition.from.frame - transition.span, ..transition.from };
    let arrives = Moment { frame: transition.to.frame + transition.span, ..transition.to };
    (begins, arrives)
}

/// The first of sorted transitions that begins at or after a moment of its
/// sequence.
fn first_after(sorted: &[Transition], moment: Moment) -> Option<usize> {
    let index = sorted.partition_point(|transition| ends(transition).0 < moment);
    (index < sorted.len() && sorted[index].from.sequence == moment.sequence).then_some(index)
}

/// Those of sorted transitions that form the largest strongly connected
/// component, by the frames that it covers.
fn largest_component(sorted: &[Transition]) -> Vec<Transition> {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    let nodes: Vec<NodeIndex> = sorted.iter().map(|_| graph.add_node(())).collect();
    for (index, transition) in sorted.iter().enumerate() {
        if let Some(next) = first_after(sorted, ends(transition).1) {
            graph.add_edge(nodes[index], nodes[next], ());
        }
        if sorted.get(index + 1).is_some_and(|next| next.from.sequence == transition.from.sequence) {
            graph.add_edge(nodes[index], nodes[index + 1], ());
        }
    }
    let mut best: (u64, Vec<Transition>) = (0, Vec::new());
    for component in tarjan_scc(&graph) {
        let mut component: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        component.sort_unstable();
        let kept = walkable(component.into_iter().map(|index| sorted[index].clone()).collect());
        let frames = covered_frames(&kept, &kept).values().copied().map(u64::from).sum();
        // Of two that cover as much, the one that begins first.
        let begins = |kept: &[Transition]| std::cmp::Reverse(kept.first().map(ends));
        if !kept.is_empty() && (best.1.is_empty() || (frames, begins(&kept)) > (best.0, begins(&best.1))) {
            best = (frames, kept);
        }
    }
    best.1
}

/// Those of the sorted transitions of a component after which the walk can go on: some
/// belong to it only by being passed, and taking them would be an end.
fn walkable(mut kept: Vec<Transition>) -> Vec<Transition> {
    loop {
        let leads_on: Vec<bool> =
            kept.iter().map(|transition| first_after(&kept, ends(transition).1).is_some()).collect();
        if leads_on.iter().all(|&leads| leads) {
            return kept;
        }
        let mut leads_on = leads_on.into_iter();
        kept.retain(|_| leads_on.next().unwrap_or(false));
    }
}

/// How many frames of each sequence a walk can play: from where the first of `arriving`
/// comes to it until the last of `leaving` begins.
fn covered_frames<'kept>(
    arriving: impl IntoIterator<Item = &'kept Transition>,
    leaving: impl IntoIterator<Item = &'kept Transition>,
) -> BTreeMap<u32, u32> {
    let mut last: BTreeMap<u32, u32> = BTreeMap::new();
    for begins in leaving.into_iter().map(|transition| ends(transition).0) {
        let frame = last.entry(begins.sequence).or_default();
        *frame = begins.frame.max(*frame);
    }
    let mut covered = BTreeMap::new();
    for arrives in arriving.into_iter().map(|transition| ends(transition).1) {
        let frames = last.get(&arrives.sequence).map_or(0, |last| last.saturating_sub(arrives.frame));
        let most: &mut u32 = covered.entry(arrives.sequence).or_default();
        *most = frames.max(*most);
    }
    covered
}

/// Whether a walk along sorted transitions passes a moment.
pub(crate) fn passes(kept: &[Transition], moment: Moment) -> bool {
    let arrives_before = kept.iter().any(|transition| {
        let end = ends(transition).1;
        end.sequence == moment.sequence && end.frame <= moment.frame
    });
    arrives_before && leads_on(kept, moment)
}

/// Whether a walk along sorted transitions can go on from a moment.
pub(crate) fn leads_on(kept: &[Transition], moment: Moment) -> bool {
    first_after(kept, moment).is_some()
}

/// Of the transitions within conditions, those that can be walked for ever,
/// sorted.
pub(crate) fn kept_within(data: &CompressedEnsemble, transitions: &[Transition]) -> Vec<Transition> {
    let mut kept = Vec::new();
    for level in 0..data.conditions().len() {
        let inside = transitions
            .iter()
            .filter(|transition| level_of(data, transition.from) == level && level_of(data, transition.to) == level);
        let mut inside: Vec<Transition> = inside.cloned().collect();
        sort(&mut inside);
        kept.extend(largest_component(&inside));
    }
    sort(&mut kept);
    kept
}

fn sort(transitions: &mut [Transition]) {
    transitions.sort_by_key(|transition| (ends(transition).0, transition.to));
}

/// The largest set of conditions that can all be reached from each other.
fn reachable_levels(count: usize, links: &[(usize, usize)], usable: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    let nodes: Vec<NodeIndex> = (0..count).map(|_| graph.add_node(())).collect();
    for &(from, to) in links {
        graph.add_edge(nodes[from], nodes[to], ());
    }
    let mut best = Vec::new();
    for component in tarjan_scc(&graph) {
        let mut levels: Vec<usize> = component.into_iter().map(NodeIndex::index).filter(|&n| usable(n)).collect();
        levels.sort_unstable();
        if (levels.len(), best.first()) > (best.len(), levels.first()) {
            best = levels;
        }
    }
    best
}

pub(super) fn connect(
    data: CompressedEnsemble,
    transitions: Vec<Transition>,
    tally: Tally,
) -> Result<MotionGraph, EnsembleError> {
    let found = transitions.len();
    let levels = |transition: &Transition| (level_of(&data, transition.from), level_of(&data, transition.to));
    let count = data.conditions().len();
    let mut kept = kept_within(&data, &transitions);
    let mut between = transitions;
    between.retain(|transition| {
        let (begins, arrives) = ends(transition);
        levels(transition).0 != levels(transition).1 && passes(&kept, begins) && leads_on(&kept, arrives)
    });
    let links: Vec<(usize, usize)> = between.iter().map(levels).collect();
    let is_walked = |level: usize| kept.iter().any(|transition| levels(transition).0 == level);
    let usable = reachable_levels(count, &links, is_walked);
    if usable.is_empty() {
        return Err(EnsembleError::NoWalk { found });
    }
    kept.extend(between);
    kept.retain(|transition| {
        let (from, to) = levels(transition);
        usable.contains(&from) && usable.contains(&to)
    });
    sort(&mut kept);
    let mut nodes = nodes(&data, &kept);
    let left_out = (0..count).filter(|level| !usable.contains(level));
    let seconds = |frames: u64| frames as f64 / data.frames_per_second();
    let report = GraphReport {
        found,
        kept: kept.len(),
        seconds: (0..count).map(|level| seconds(walked_frames(&data, &kept, level))).collect(),
        recorded: (0..count).map(|level| seconds(recorded_frames(&data, level))).collect(),
        left_out: left_out.map(|level| data.conditions()[level].name.clone()).collect(),
    };
    let within: Vec<Vec<usize>> = (0..count)
        .map(|level| {
            let inside = |&node: &usize| nodes[node].level == level && nodes[node].to_level == level;
            (0..nodes.len()).filter(inside).collect()
        })
        .collect();
    within.iter().for_each(|inside| even_out(&mut nodes, inside));
    let away = (0..count).map(|level| frames_away(&nodes, &kept, level)).collect();
    let stationary = within.iter().map(|inside| Stationary::of(&nodes, inside)).collect();
    Ok(MotionGraph { data, transitions: kept, nodes, within, away, stationary, report, tally })
}

/// The decisions of the walk, one for each transition, in the same order.
fn nodes(data: &CompressedEnsemble, kept: &[Transition]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(kept.len());
    for (index, transition) in kept.iter().enumerate() {
        let (begins, arrives) = ends(transition);
        let level = level_of(data, transition.from);
        let next = kept.get(index + 1).filter(|next| next.from.sequence == transition.from.sequence);
        // What is passed by must be followed by a way on within the level.
        let goes_on = kept[index + 1..]
            .iter()
            .take_while(|later| later.from.sequence == transition.from.sequence)
            .any(|later| level_of(data, later.to) == level);
        let passed = next.filter(|_| goes_on).map(|_| index + 1);
        let first = first_after(kept, arrives).unwrap_or(index);
        // A transition back to where it begins is passed by the next time, if it can be:
        // taken again and again, it would be a loop that anybody sees.
        let taken = passed.filter(|_| first == index).unwrap_or(first);
        nodes.push(Node {
            at: begins,
            level,
            to_level: level_of(data, transition.to),
            taken,
            passed,
            taken_frames: 2 * transition.span + (ends(&kept[taken]).0.frame - arrives.frame),
            chance: TAKEN,
            passed_frames: passed.map_or(0, |next| ends(&kept[next]).0.frame - begins.frame),
        });
    }
    nodes
}

/// How many frames of a condition the walk can play.
fn walked_frames(data: &CompressedEnsemble, kept: &[Transition], level: usize) -> u64 {
    let arriving = kept.iter().filter(|transition| level_of(data, transition.to) == level);
    let leaving = arriving.clone().filter(|transition| level_of(data, transition.from) == level);
    covered_frames(arriving, leaving).values().copied().map(u64::from).sum()
}

/// How many frames of a condition there are.
fn recorded_frames(data: &CompressedEnsemble, level: usize) -> u64 {
    let sequences = data.sequences().iter().filter(|sequence| sequence.condition == level);
    sequences.map(|sequence| sequence.frames as u64).sum()
}

/// Frames from each node until the walk is in a condition, all groups there:
/// by relaxation until nothing changes.
fn frames_away(nodes: &[Node], kept: &[Transition], level: usize) -> Vec<Option<u32>> {
    let mut away: Vec<Option<u32>> = vec![None; nodes.len()];
    loop {
        let mut changed = false;
        for (index, node) in nodes.iter().enumerate().rev() {
            let taken = match node.to_level == level && node.level != level {
                true => Some(2 * kept[index].span),
                false => away[node.taken].map(|frames| frames + node.taken_frames),
            };
            let passed = node.passed.and_then(|next| away[next]).map(|frames| frames + node.passed_frames);
            let best = [taken, passed].into_iter().flatten().min();
            if best.is_some() && (away[index].is_none() || best < away[index]) {
                away[index] = best;
                changed = true;
            }
        }
        if !changed {
            return away;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::compress;
    use crate::data::{Condition, Ensemble, EnsembleParts, Group, Sequence};
    use proscenium_work::Progress;

    /// A transition that begins at one frame and arrives at another.
    fn way(sequence: u32, begins: u32, arrives: u32) -> Transition {
        let at = |frame: u32| Moment { sequence, frame };
        let (from, to) = (at(begins + 2), at(arrives - 2));
        Transition { from, to, blend: 2, span: 2, splices: Vec::new(), cost: 1.0, tolerance: 0.0 }
    }

    /// Three transitions within twenty frames won over two that cover three hundred.
    #[test]
    fn the_largest_component_is_the_one_that_covers_most() {
        let dense = [way(0, 20, 4), way(0, 21, 5), way(0, 22, 6)];
        let wide = [way(1, 150, 10), way(1, 310, 12)];
        let mut all: Vec<Transition> = dense.into_iter().chain(wide.clone()).collect();
        sort(&mut all);
        assert_eq!(largest_component(&all), wide);
        assert_eq!(covered_frames(&wide, &wide).values().sum::<u32>(), 300);
    }

    /// A transition that led back to just before itself was taken again at once with a
    /// chance of a half, and again.
    #[test]
    fn a_loop_is_passed_the_next_time_where_a_way_leads_on() {
        let group = Group {
            name: "leaf".to_owned(),
            attachment: None,
            rest: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2]],
        };
        let frames = vec![group.rest.clone(); 60];
        let parts = EnsembleParts {
            name: "leaf".to_owned(),
            groups: vec![group],
            conditions: vec![Condition { name: "calm".to_owned(), intensity: 0.0 }],
            sequences: vec![Sequence { condition: 0, frames }],
            frames_per_second: 30.0,
            thickness: 0.01,
        };
        let ensemble = Ensemble::new(parts).unwrap();
        let data = compress(&ensemble, 1e-3, &Progress::none()).unwrap().finished().unwrap();
        let nodes = nodes(&data, &[way(0, 20, 14), way(0, 40, 10)]);
        assert_eq!((nodes[0].taken, nodes[0].taken_frames), (1, 4 + 40 - 14));
        // The last has no other way on than the first, and a lone one none but itself.
        assert_eq!((nodes[1].taken, nodes[1].passed), (0, None));
        assert_eq!(super::nodes(&data, &[way(0, 20, 14)])[0].taken, 0);
    }

    /// What cannot be left again is no part of it.
    #[test]
    fn a_way_to_an_end_is_left_out() {
        let all = [way(0, 20, 4), way(0, 30, 40)];
        assert_eq!(largest_component(&all), all[..1]);
    }
}
