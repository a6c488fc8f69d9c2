//! Junctions at both ends of short roads made one, with what led through them.

use std::collections::BTreeMap;

use glam::DVec2;
use proscenium_work::{Progress, Stopped};

use super::ImportReport;
use super::tidy::{describe, renumber};
use crate::map::{Connection, ControlPlan, JunctionPlan, Light, PhasePlan, Plan, SignalsPlan};

/// A connection of one of the junctions that are made one.
#[derive(Clone, Copy, PartialEq)]
struct Hop {
    junction: u32,
    place: usize,
}

/// A way through all of them.
struct Way {
    connection: Connection,
    hops: Vec<Hop>,
}

/// Merges the junctions at both ends of short roads. Ways that led over a short
/// road lead on; lights, stops and priorities stay.
pub(super) fn merge(
    plan: &mut Plan,
    short: &[bool],
    report: &mut ImportReport,
    progress: &Progress,
) -> Result<(), Stopped> {
    let count = plan.junctions.len();
    let mut group: Vec<u32> = (0..count as u32).collect();
    for (number, road) in plan.roads.iter().enumerate().filter(|(number, _)| short[*number]) {
        let ends = [road.from, road.to].map(|end| find(&mut group, end));
        group[ends[0].max(ends[1]) as usize] = ends[0].min(ends[1]);
        report.note(
            "roads too short for cars to wait on, or drawn onto others: their junctions are made one",
            describe(road, number),
        );
    }
    let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for junction in 0..count as u32 {
        members.entry(find(&mut group, junction)).or_default().push(junction);
    }
    members.retain(|_, members| members.len() > 1);
    for (into, members) in &members {
        progress.check()?;
        let ways = ways(plan, members, short);
        let control = control(plan, members, &ways, report);
        let sum: DVec2 = members.iter().map(|member| plan.junctions[*member as usize].position).sum();
        let connections = ways.iter().map(|way| way.connection).collect();
        plan.junctions[*into as usize] = JunctionPlan { position: sum / members.len() as f64, control, connections };
        for member in members.iter().filter(|member| *member != into) {
            plan.junctions[*member as usize].connections.clear();
            plan.junctions[*member as usize].control = ControlPlan::Automatic;
        }
    }
    let mut kept = Vec::with_capacity(plan.roads.len());
    for (number, mut road) in std::mem::take(&mut plan.roads).into_iter().enumerate() {
        (road.from, road.to) = (find(&mut group, road.from), find(&mut group, road.to));
        kept.push((!short[number]).then_some(road));
    }
    renumber(plan, kept);
    Ok(())
}

fn find(group: &mut [u32], mut junction: u32) -> u32 {
    while group[junction as usize] != junction {
        group[junction as usize] = group[group[junction as usize] as usize];
        junction = group[junction as usize];
    }
    junction
}

/// The ways from lanes that enter the junctions to lanes that leave them: over
/// short roads between them as well.
fn ways(plan: &Plan, members: &[u32], short: &[bool]) -> Vec<Way> {
    let mut found: Vec<Way> = Vec::new();
    for &member in members {
        for (place, connection) in plan.junctions[member as usize].connections.iter().enumerate() {
            if !short[connection.from_road as usize] {
                go_on(plan, short, *connection, &mut vec![Hop { junction: member, place }], &mut found);
            }
        }
    }
    found
}

/// Follows a way over short roads until it leaves on a longer one.
fn go_on(plan: &Plan, short: &[bool], start: Connection, hops: &mut Vec<Hop>, found: &mut Vec<Way>) {
    let last = hops[hops.len() - 1];
    let at = plan.junctions[last.junction as usize].connections[last.place];
    let connection = Connection { to_road: at.to_road, to_lane: at.to_lane, ..start };
    if !short[at.to_road as usize] {
        if found.iter().all(|way| way.connection != connection) {
            found.push(Way { connection, hops: hops.clone() });
        }
        return;
    }
    let road = &plan.roads[at.to_road as usize];
    let junction = if road.from == last.junction { road.to } else { road.from };
    for (place, next) in plan.junctions[junction as usize].connections.iter().enumerate() {
        let follows = (next.from_road, next.from_lane) == (at.to_road, at.to_lane);
        let hop = Hop { junction, place };
        // A way that turns back on a short road is none.
        if follows && next.to_road != at.to_road && !hops.contains(&hop) && hops.len() < 8 {
            hops.push(hop);
            go_on(plan, short, start, hops, found);
            hops.pop();
        }
    }
}

/// Who goes first at what was several junctions: lights win, then stops, then
/// roads that went first at any of them.
fn control(plan: &Plan, members: &[u32], ways: &[Way], report: &mut ImportReport) -> ControlPlan {
    let controls = || members.iter().map(|member| &plan.junctions[*member as usize].control);
    let lights: Vec<u32> = members
        .iter()
        .copied()
        .filter(|member| matches!(plan.junctions[*member as usize].control, ControlPlan::Signals(_)))
        .collect();
    if !lights.is_empty() {
        let made = programme(plan, &lights, ways);
        if made.is_none() && !ways.is_empty() {
            report.note("lights of junctions that are made one, with cycles that differ: a plain programme", lights[0]);
        }
        return ControlPlan::Signals(made.unwrap_or_default());
    }
    if controls().any(|control| *control == ControlPlan::AllWayStop) {
        return ControlPlan::AllWayStop;
    }
    let majors = controls().filter_map(|control| match control {
        ControlPlan::Priority { major } => Some(major),
        _ => None,
    });
    let lists: Vec<&Vec<u32>> = majors.collect();
    if lists.is_empty() {
        return ControlPlan::Automatic;
    }
    let mut major: Vec<u32> = lists.into_iter().flatten().copied().collect();
    major.sort_unstable();
    major.dedup();
    ControlPlan::Priority { major }
}

/// One programme of several whose cycles are alike: it changes whenever one of
/// them does, and a way is shown the most restrictive of the lights on it.
fn programme(plan: &Plan, lights: &[u32], ways: &[Way]) -> Option<SignalsPlan> {
    let of = |junction: u32| match &plan.junctions[junction as usize].control {
        ControlPlan::Signals(signals) if !signals.phases.is_empty() => Some(signals),
        _ => None,
    };
    let cycle = |signals: &SignalsPlan| signals.phases.iter().map(|phase| phase.seconds).sum::<f64>();
    let whole = cycle(of(lights[0])?);
    let mut changes: Vec<f64> = Vec::new();
    for light in lights {
        let signals = of(*light)?;
        if (cycle(signals) - whole).abs() > 1e-6 {
            return None;
        }
        let mut at = signals.offset;
        for phase in &signals.phases {
            changes.push(at.rem_euclid(whole));
            at += phase.seconds;
        }
    }
    changes.sort_by(f64::total_cmp);
    changes.dedup_by(|a, b| (*a - *b).abs() < 1e-3);
    let shown = |hop: &Hop, time: f64| {
        let signals = of(hop.junction)?;
        let mut within = (time - signals.offset).rem_euclid(whole);
        let phase = signals.phases.iter().find(|phase| {
            within -= phase.seconds;
            within < 0.0
        });
        phase.or(signals.phases.last()).and_then(|phase| phase.lights.get(hop.place).copied())
    };
    let phases = changes.iter().enumerate().map(|(number, start)| {
        let end = changes.get(number + 1).copied().unwrap_or(changes[0] + whole);
        let middle = 0.5 * (start + end);
        let light = |way: &Way| {
            let lights = way.hops.iter().filter_map(|hop| shown(hop, middle));
            // What has no light is not held up by one.
            lights.min().unwrap_or(Light::Permissive)
        };
        PhasePlan { seconds: end - start, lights: ways.iter().map(light).collect() }
    });
    Some(SignalsPlan { phases: phases.collect(), offset: changes[0] })
}
