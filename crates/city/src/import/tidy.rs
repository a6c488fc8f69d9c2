//! What every import needs: short roads merged away, and one connected part.

use std::cmp::Reverse;

use glam::DVec2;
use proscenium_work::{Progress, Stopped};

use super::ImportReport;
use crate::map::{ControlPlan, JunctionPlan, Plan, RoadPlan};

/// Roads shorter than this between the middles of their junctions are merged
/// away, metres. Chosen: three cars in a queue; shorter ones lie within a
/// junction.
const SHORTEST: f64 = 14.0;

/// Length of a road of a plan, with its shape.
pub(super) fn length(plan: &Plan, road: &RoadPlan) -> f64 {
    let ends = [road.from, road.to].map(|end| plan.junctions[end as usize].position);
    let mut last = ends[0];
    let mut total = 0.0;
    for point in road.shape.iter().chain([&ends[1]]) {
        total += last.distance(*point);
        last = *point;
    }
    total
}

/// Makes a network one that can be driven on: short roads are merged away, and
/// what one cannot reach or return from is left out.
pub(super) fn tidy(plan: &mut Plan, report: &mut ImportReport, progress: &Progress) -> Result<(), Stopped> {
    progress.tell("merging short roads", 0.0)?;
    merge_short(plan, report, progress)?;
    progress.tell("rings", 0.4)?;
    split_loops(plan, report);
    progress.tell("what can be reached", 0.6)?;
    for (number, road) in keep_connected(plan, progress)?.iter().enumerate() {
        let what = "roads that cannot be reached from the rest, or not left for it: left out";
        report.note(what, describe(road, number));
    }
    progress.tell("connections", 0.8)?;
    complete_connections(plan, report, progress)
}

/// Merges the junctions at both ends of short roads.
fn merge_short(plan: &mut Plan, report: &mut ImportReport, progress: &Progress) -> Result<(), Stopped> {
    let count = plan.junctions.len();
    let mut group: Vec<u32> = (0..count as u32).collect();
    fn find(group: &mut [u32], mut junction: u32) -> u32 {
        while group[junction as usize] != junction {
            group[junction as usize] = group[group[junction as usize] as usize];
            junction = group[junction as usize];
        }
        junction
    }
    let mut short = vec![false; plan.roads.len()];
    for (number, road) in plan.roads.iter().enumerate() {
        progress.check()?;
        if length(plan, road) < SHORTEST {
            let ends = [road.from, road.to].map(|end| find(&mut group, end));
            group[ends[0].max(ends[1]) as usize] = ends[0].min(ends[1]);
            short[number] = true;
            report.note("roads shorter than 14 m: their junctions are made one", describe(road, number));
        }
    }
    let mut sums = vec![(DVec2::ZERO, 0.0); count];
    for junction in 0..count as u32 {
        let into = find(&mut group, junction) as usize;
        sums[into].0 += plan.junctions[junction as usize].position;
        sums[into].1 += 1.0;
    }
    for junction in 0..count as u32 {
        progress.check()?;
        let into = find(&mut group, junction);
        if into != junction {
            // Lights win; what was said of lanes no longer holds.
            let lost = std::mem::take(&mut plan.junctions[junction as usize].control);
            let merged = &mut plan.junctions[into as usize];
            merged.connections.clear();
            merged.control = match (&merged.control, lost) {
                (ControlPlan::Signals(_), _) | (_, ControlPlan::Signals(_)) => ControlPlan::Signals(Default::default()),
                (_, ControlPlan::AllWayStop) | (ControlPlan::AllWayStop, _) => ControlPlan::AllWayStop,
                _ => ControlPlan::Automatic,
            };
        }
        let (sum, count) = sums[junction as usize];
        if count > 1.0 {
            plan.junctions[junction as usize].position = sum / count;
        }
    }
    let mut kept = Vec::with_capacity(plan.roads.len());
    for (number, mut road) in std::mem::take(&mut plan.roads).into_iter().enumerate() {
        if !short[number] {
            (road.from, road.to) = (find(&mut group, road.from), find(&mut group, road.to));
            kept.push(Some(road));
        } else {
            kept.push(None);
        }
    }
    renumber(plan, kept);
    Ok(())
}

/// A road that leads back to where it starts gets a junction half way; a small
/// one goes.
fn split_loops(plan: &mut Plan, report: &mut ImportReport) {
    let mut kept: Vec<Option<RoadPlan>> = std::mem::take(&mut plan.roads).into_iter().map(Some).collect();
    for number in 0..kept.len() {
        let Some(road) = kept[number].take_if(|road| road.from == road.to) else {
            continue;
        };
        if road.shape.len() < 3 || length(plan, &road) < 4.0 * SHORTEST {
            report.note("small rings: left out", describe(&road, number));
            continue;
        }
        let half = road.shape.len() / 2;
        let middle = plan.junction(JunctionPlan::at(road.shape[half]));
        let (first, second) = (road.shape[..half].to_vec(), road.shape[half + 1..].to_vec());
        kept[number] = Some(RoadPlan { to: middle, shape: first, ..road.clone() });
        kept.push(Some(RoadPlan { from: middle, shape: second, ..road }));
        report.note("rings: a junction is put half way", number);
    }
    renumber(plan, kept);
}

/// How a road is called in a report.
pub(super) fn describe(road: &RoadPlan, number: usize) -> String {
    if road.name.is_empty() { format!("road {number}") } else { road.name.to_string() }
}

/// Puts the roads that are kept into a plan, and gives what refers to roads
/// their new numbers.
fn renumber(plan: &mut Plan, kept: Vec<Option<RoadPlan>>) {
    let mut numbers = Vec::with_capacity(kept.len());
    plan.roads = Vec::with_capacity(kept.len());
    for road in kept {
        numbers.push(road.as_ref().map(|_| plan.roads.len() as u32));
        plan.roads.extend(road);
    }
    let new = |road: u32| numbers.get(road as usize).copied().flatten();
    for junction in &mut plan.junctions {
        let before = junction.connections.len();
        let kept: Vec<bool> =
            junction.connections.iter().map(|one| new(one.from_road).is_some() && new(one.to_road).is_some()).collect();
        retain_by(&mut junction.connections, &kept);
        for connection in &mut junction.connections {
            connection.from_road = new(connection.from_road).unwrap_or(0);
            connection.to_road = new(connection.to_road).unwrap_or(0);
        }
        match &mut junction.control {
            ControlPlan::Signals(signals) => {
                if junction.connections.is_empty() {
                    signals.phases.clear();
                }
                for phase in &mut signals.phases {
                    if phase.lights.len() == before {
                        retain_by(&mut phase.lights, &kept);
                    }
                }
            }
            ControlPlan::Priority { major } => {
                *major = major.iter().filter_map(|road| new(*road)).collect();
            }
            ControlPlan::Automatic | ControlPlan::AllWayStop => {}
        }
    }
}

fn retain_by<T>(items: &mut Vec<T>, kept: &[bool]) {
    let mut place = 0;
    items.retain(|_| {
        place += 1;
        kept[place - 1]
    });
}

/// A junction at which some lane leads nowhere connects all lanes to all.
fn complete_connections(plan: &mut Plan, report: &mut ImportReport, progress: &Progress) -> Result<(), Stopped> {
    let mut arriving: Vec<Vec<(u32, u8)>> = vec![Vec::new(); plan.junctions.len()];
    for (number, road) in plan.roads.iter().enumerate() {
        arriving[road.to as usize].extend((0..road.along).map(|lane| (number as u32, lane)));
        arriving[road.from as usize].extend((0..road.against).map(|lane| (number as u32, lane)));
    }
    for (number, junction) in plan.junctions.iter_mut().enumerate() {
        progress.check()?;
        if junction.connections.is_empty() {
            continue;
        }
        let leads = |lane: &(u32, u8)| {
            junction.connections.iter().any(|connection| (connection.from_road, connection.from_lane) == *lane)
        };
        if !arriving[number].iter().all(leads) {
            junction.connections.clear();
            if let ControlPlan::Signals(signals) = &mut junction.control {
                signals.phases.clear();
            }
            report.note("junctions with a lane that leads nowhere: all its lanes are connected anew", number);
        }
    }
    Ok(())
}

/// Leaves out all roads but those of the largest part in which every
/// junction can be reached from every other, and all junctions without
/// roads. Returns the roads that were left out.
fn keep_connected(plan: &mut Plan, progress: &Progress) -> Result<Vec<RoadPlan>, Stopped> {
    let part = parts(plan, progress)?;
    let count = part.iter().max().map_or(0, |most| *most as usize + 1);
    let mut sizes = vec![0_usize; count];
    let known = |end: u32| part.get(end as usize).copied();
    for road in &plan.roads {
        if known(road.from).is_some() && known(road.from) == known(road.to) {
            sizes[part[road.from as usize] as usize] += 1;
        }
    }
    let largest = (0..count).max_by_key(|number| (sizes[*number], Reverse(*number)));
    let inside = |end: u32| known(end).is_some_and(|part| Some(part as usize) == largest);
    let mut lost = Vec::new();
    let kept = std::mem::take(&mut plan.roads)
        .into_iter()
        .map(|road| {
            if inside(road.from) && inside(road.to) {
                return Some(road);
            }
            lost.push(road);
            None
        })
        .collect();
    renumber(plan, kept);
    drop_empty_junctions(plan);
    Ok(lost)
}

fn drop_empty_junctions(plan: &mut Plan) {
    let mut used = vec![false; plan.junctions.len()];
    for road in &plan.roads {
        used[road.from as usize] = true;
        used[road.to as usize] = true;
    }
    let mut numbers = vec![0; used.len()];
    let mut next = 0;
    for (number, used) in numbers.iter_mut().zip(&used) {
        *number = next;
        next += u32::from(*used);
    }
    retain_by(&mut plan.junctions, &used);
    for road in &mut plan.roads {
        (road.from, road.to) = (numbers[road.from as usize], numbers[road.to as usize]);
    }
}

/// The part that each junction belongs to: strongly connected components,
/// by Tarjan's algorithm without recursion.
fn parts(plan: &Plan, progress: &Progress) -> Result<Vec<u32>, Stopped> {
    let count = plan.junctions.len();
    let mut ways: Vec<Vec<u32>> = vec![Vec::new(); count];
    for road in &plan.roads {
        if (road.from as usize) < count && (road.to as usize) < count {
            if road.along > 0 {
                ways[road.from as usize].push(road.to);
            }
            if road.against > 0 {
                ways[road.to as usize].push(road.from);
            }
        }
    }
    const NEW: u32 = u32::MAX;
    let (mut order, mut low) = (vec![NEW; count], vec![0_u32; count]);
    let (mut part, mut on_stack) = (vec![NEW; count], vec![false; count]);
    let (mut stack, mut next_order, mut next_part) = (Vec::new(), 0, 0);
    for start in 0..count as u32 {
        let mut calls = if order[start as usize] == NEW { vec![(start, 0_usize)] } else { Vec::new() };
        while let Some((junction, step)) = calls.pop() {
            progress.check()?;
            let at = junction as usize;
            if step == 0 {
                (order[at], low[at]) = (next_order, next_order);
                next_order += 1;
                stack.push(junction);
                on_stack[at] = true;
            } else {
                low[at] = low[at].min(low[ways[at][step - 1] as usize]);
            }
            let mut deeper = None;
            for (place, other) in ways[at].iter().enumerate().skip(step) {
                let other = *other as usize;
                if order[other] == NEW {
                    deeper = Some(place);
                    break;
                }
                if on_stack[other] {
                    low[at] = low[at].min(order[other]);
                }
            }
            if let Some(place) = deeper {
                calls.push((junction, place + 1));
                calls.push((ways[at][place], 0));
            } else if low[at] == order[at] {
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    part[member as usize] = next_part;
                    if member == junction {
                        break;
                    }
                }
                next_part += 1;
            }
        }
    }
    Ok(part)
}
