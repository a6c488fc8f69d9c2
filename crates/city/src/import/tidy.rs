//! What every import needs: short roads merged away, and one connected part.

use std::cmp::Reverse;

use proscenium_work::{Completion, Progress, Stopped};

use super::ImportReport;
use super::merge::merge;
use super::rim::lead_round;
use crate::map::{Connection, ControlPlan, JunctionPlan, Light, Map, Plan, RoadPlan, shape};

/// Roads shorter than this between the middles of their junctions are merged
/// away, metres. Chosen: three cars in a queue; shorter ones lie within a
/// junction.
pub(super) const SHORTEST: f64 = 14.0;
/// No lane is shorter than this, metres: two cars, and the gap between them.
const LEAST_LANE: f64 = 11.0;

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
/// what one cannot reach or return from is left out. What is left has no lane
/// in which a car and its gap do not fit.
pub(super) fn tidy(plan: &mut Plan, report: &mut ImportReport, progress: &Progress) -> Result<(), Stopped> {
    let mut short: Vec<bool> = plan.roads.iter().map(|road| is_short(plan, road)).collect();
    for round in 0..ROUNDS {
        let part = progress.part(f64::from(round) / f64::from(ROUNDS), f64::from(round + 1) / f64::from(ROUNDS));
        part.tell("merging short roads", 0.0)?;
        merge(plan, &short, report, &part)?;
        part.tell("rings", 0.3)?;
        split_loops(plan, report);
        if round == 0 {
            let_begin_and_end(plan, report);
            part.tell("the rim", 0.35)?;
            lead_round(plan, report, &part)?;
        }
        part.tell("what can be reached", 0.4)?;
        for (number, road) in keep_connected(plan, &part)?.iter().enumerate() {
            let what = "roads that cannot be reached from the rest, or not left for it: left out";
            report.note(what, describe(road, number));
        }
        part.tell("connections", 0.6)?;
        complete_connections(plan, report, &part)?;
        part.tell("lanes", 0.8)?;
        short = short_lanes(plan, &part)?;
        if !short.contains(&true) {
            return Ok(());
        }
        if round + 2 == ROUNDS {
            leave_out(plan, &short, report);
            short = vec![false; plan.roads.len()];
        }
    }
    Ok(())
}

/// How often short roads are looked for: merging some makes others shorter.
const ROUNDS: u32 = 8;

/// Whether a road lies within a junction: by its middles, or by its stop lines
/// where they are drawn.
fn is_short(plan: &Plan, road: &RoadPlan) -> bool {
    let is_drawn = |end: u32| !plan.junctions[end as usize].connections.is_empty();
    let drawn = is_drawn(road.from) && is_drawn(road.to) && road.shape.len() > 1;
    length(plan, road) < SHORTEST || drawn && shape::length(&road.shape) < LEAST_LANE
}

/// Roads with a lane in which a car and its gap do not fit once stop lines are
/// where bodies need them.
fn short_lanes(plan: &Plan, progress: &Progress) -> Result<Vec<bool>, Stopped> {
    let mut short = vec![false; plan.roads.len()];
    // What cannot be built is told when it is built.
    match Map::build_watched(plan, progress) {
        Ok(Completion::Finished(map)) => {
            for lane in map.lanes().filter(|lane| map.lane(*lane).length < LEAST_LANE) {
                short[map.lane(lane).road.index()] = true;
            }
            for road in map.cramped_dead_ends() {
                short[road.index()] = true;
            }
        }
        Ok(Completion::Stopped) => return Err(Stopped),
        Err(_) => {}
    }
    Ok(short)
}

/// One-way roads onto which nothing leads, or which lead nowhere, at a junction that has
/// other connections, begin or end beside it: cars come there, and leave.
fn let_begin_and_end(plan: &mut Plan, report: &mut ImportReport) {
    for number in 0..plan.roads.len() {
        let road = &plan.roads[number];
        let (from, to) = (road.from as usize, road.to as usize);
        if (road.along == 0) == (road.against == 0) || road.shape.len() < 2 || road.from == road.to {
            continue;
        }
        for (end, is_start) in [(from, true), (to, false)] {
            let is_entered = is_start == (plan.roads[number].along > 0);
            let connections = &plan.junctions[end].connections;
            let mut known = connections.iter();
            let is_used = match is_entered {
                true => known.any(|known| known.to_road == number as u32),
                false => known.any(|known| known.from_road == number as u32),
            };
            if is_used || connections.is_empty() {
                continue;
            }
            let shape = &plan.roads[number].shape;
            let place = if is_start { shape[0] } else { shape[shape.len() - 1] };
            let beside = plan.junction(JunctionPlan::at(place));
            let road = &mut plan.roads[number];
            *(if is_start { &mut road.from } else { &mut road.to }) = beside;
            let what = "one-way roads that nothing leads onto, or that lead nowhere: cars come there, and leave";
            report.note(what, describe(&plan.roads[number], number));
        }
    }
}

/// Leaves out roads that stay too short.
fn leave_out(plan: &mut Plan, short: &[bool], report: &mut ImportReport) {
    let roads = std::mem::take(&mut plan.roads).into_iter().enumerate();
    let kept = roads.map(|(number, road)| {
        if short[number] {
            report.note("roads with a lane too short for a car: left out", describe(&road, number));
        }
        (!short[number]).then_some(road)
    });
    let kept = kept.collect();
    renumber(plan, kept);
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
pub(super) fn renumber(plan: &mut Plan, kept: Vec<Option<RoadPlan>>) {
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

/// A lane that leads nowhere leads where the lane beside it does, or back; where
/// neither is possible, the junction connects all lanes to all.
fn complete_connections(plan: &mut Plan, report: &mut ImportReport, progress: &Progress) -> Result<(), Stopped> {
    let mut arriving: Vec<Vec<(u32, u8)>> = vec![Vec::new(); plan.junctions.len()];
    let mut leaving: Vec<Vec<(u32, u8)>> = vec![Vec::new(); plan.junctions.len()];
    for (number, road) in plan.roads.iter().enumerate() {
        let number = number as u32;
        arriving[road.to as usize].extend((0..road.along).map(|lane| (number, lane)));
        arriving[road.from as usize].extend((0..road.against).map(|lane| (number, lane)));
        leaving[road.to as usize].extend((0..road.against).map(|lane| (number, lane)));
        leaving[road.from as usize].extend((0..road.along).map(|lane| (number, lane)));
    }
    for (number, junction) in plan.junctions.iter_mut().enumerate() {
        progress.check()?;
        if junction.connections.is_empty() {
            continue;
        }
        for &(road, lane) in &arriving[number] {
            if junction.connections.iter().any(|known| (known.from_road, known.from_lane) == (road, lane)) {
                continue;
            }
            let beside = junction.connections.iter().filter(|known| known.from_road == road);
            let nearest = beside.map(|known| known.from_lane).min_by_key(|place| place.abs_diff(lane));
            let back = leaving[number].iter().filter(|(other, _)| *other == road).map(|(_, place)| *place).max();
            if let Some(nearest) = nearest {
                lead_as(junction, (road, nearest), lane);
                report.note(
                    "lanes that lead nowhere: they lead where the lane beside them does",
                    describe_lane(road, lane),
                );
            } else if let Some(to_lane) = back {
                let back = Connection { from_road: road, from_lane: lane, to_road: road, to_lane };
                add(junction, back, &[]);
                report.note("roads that lead nowhere: cars turn back", describe_lane(road, lane));
            } else {
                junction.connections.clear();
                if let ControlPlan::Signals(signals) = &mut junction.control {
                    signals.phases.clear();
                }
                report.note("junctions with a lane that leads nowhere: all its lanes are connected anew", number);
                break;
            }
        }
        lead_onto(junction, &arriving[number], &leaving[number], report);
    }
    Ok(())
}

/// A lane onto which nothing leads is led onto from where the lane beside it is; where
/// nothing leads onto its road, those turn back there who come by it.
fn lead_onto(junction: &mut JunctionPlan, arriving: &[(u32, u8)], leaving: &[(u32, u8)], report: &mut ImportReport) {
    if junction.connections.is_empty() {
        return;
    }
    for &(road, lane) in leaving {
        let leads_onto = |known: &&Connection| known.to_road == road;
        if junction.connections.iter().filter(leads_onto).any(|known| known.to_lane == lane) {
            continue;
        }
        let nearest = junction.connections.iter().filter(leads_onto).map(|known| known.to_lane);
        if let Some(nearest) = nearest.min_by_key(|place| place.abs_diff(lane)) {
            for place in 0..junction.connections.len() {
                let model = junction.connections[place];
                if (model.to_road, model.to_lane) == (road, nearest) {
                    let lights = lights_of(junction, place);
                    add(junction, Connection { to_lane: lane, ..model }, &lights);
                }
            }
            let what = "lanes that nothing leads onto: they are led onto from where the lane beside them is";
            report.note(what, describe_lane(road, lane));
        } else if let Some(&(_, from_lane)) = arriving.iter().filter(|(other, _)| *other == road).max() {
            add(junction, Connection { from_road: road, from_lane, to_road: road, to_lane: lane }, &[]);
            report.note("roads that nothing leads onto: cars turn back there", describe_lane(road, lane));
        }
    }
}

/// What a connection is shown in each phase.
fn lights_of(junction: &JunctionPlan, place: usize) -> Vec<Light> {
    match &junction.control {
        ControlPlan::Signals(signals) => {
            signals.phases.iter().filter_map(|phase| phase.lights.get(place).copied()).collect()
        }
        _ => Vec::new(),
    }
}

fn describe_lane(road: u32, lane: u8) -> String {
    format!("road {road}, lane {lane}")
}

/// Lets a lane lead where another of the same road does, by the same lights.
fn lead_as(junction: &mut JunctionPlan, (road, known): (u32, u8), lane: u8) {
    for place in 0..junction.connections.len() {
        let model = junction.connections[place];
        if (model.from_road, model.from_lane) == (road, known) {
            let lights = lights_of(junction, place);
            add(junction, Connection { from_lane: lane, ..model }, &lights);
        }
    }
}

/// Adds a connection, with what it is shown in each phase; without, it gives way.
fn add(junction: &mut JunctionPlan, connection: Connection, lights: &[Light]) {
    junction.connections.push(connection);
    if let ControlPlan::Signals(signals) = &mut junction.control {
        for (number, phase) in signals.phases.iter_mut().enumerate() {
            phase.lights.push(lights.get(number).copied().unwrap_or(Light::Permissive));
        }
    }
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
