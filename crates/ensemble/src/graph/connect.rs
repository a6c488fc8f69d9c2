//! From transitions to a graph that can be walked for ever.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::stationary::Stationary;
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
    /// Conditions that cannot be reached from the others and left again: the
    /// data shows hysteresis there, or too few transitions were found.
    pub left_out: Vec<String>,
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
    let mut best: Vec<usize> = Vec::new();
    for component in tarjan_scc(&graph) {
        let mut component: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        component.sort_unstable();
        let returns = component.len() > 1
            || component.iter().any(|&index| first_after(sorted, ends(&sorted[index]).1) == Some(index));
        if returns && (component.len(), best.first()) > (best.len(), component.first()) {
            best = component;
        }
    }
    let mut kept: Vec<Transition> = best.into_iter().map(|index| sorted[index].clone()).collect();
    // Some belong to it only by being passed: taking them would be an end.
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
    let nodes = nodes(&data, &kept);
    let left_out = (0..count).filter(|level| !usable.contains(level));
    let report = GraphReport {
        found,
        kept: kept.len(),
        seconds: (0..count).map(|level| walked_frames(&nodes, level) as f64 / data.frames_per_second()).collect(),
        left_out: left_out.map(|level| data.conditions()[level].name.clone()).collect(),
    };
    let within: Vec<Vec<usize>> = (0..count)
        .map(|level| {
            let inside = |&node: &usize| nodes[node].level == level && nodes[node].to_level == level;
            (0..nodes.len()).filter(inside).collect()
        })
        .collect();
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
        let taken = first_after(kept, arrives).unwrap_or(index);
        let next = kept.get(index + 1).filter(|next| next.from.sequence == transition.from.sequence);
        // What is passed by must be followed by a way on within the level.
        let goes_on = kept[index + 1..]
            .iter()
            .take_while(|later| later.from.sequence == transition.from.sequence)
            .any(|later| level_of(data, later.to) == level);
        let passed = next.filter(|_| goes_on).map(|_| index + 1);
        nodes.push(Node {
            at: begins,
            level,
            to_level: level_of(data, transition.to),
            taken,
            passed,
            taken_frames: 2 * transition.span + (ends(&kept[taken]).0.frame - arrives.frame),
            passed_frames: passed.map_or(0, |next| ends(&kept[next]).0.frame - begins.frame),
        });
    }
    nodes
}

/// How many frames lie between the nodes of a condition.
fn walked_frames(nodes: &[Node], level: usize) -> u64 {
    nodes.iter().filter(|node| node.level == level).map(|node| u64::from(node.passed_frames)).sum()
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
