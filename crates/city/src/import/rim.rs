//! What happens where a road ends at the rim of a map and cannot be driven back:
//! cars leave the map there, and others come.
//!
//! The number of cars of a city is kept, so a road beyond the rim leads from each
//! end at which cars leave to a beginning at which they come. Which to which
//! follows Eswaran and Tarjan (1976): pairs of a beginning and an end that can be
//! reached from it are put in a ring, and what is left over is tied to it. Then
//! every place can be reached from every other.

use std::collections::BTreeMap;

use glam::DVec2;
use proscenium_work::{Progress, Stopped};

use super::ImportReport;
use super::tidy::describe;
use crate::map::{ControlPlan, Plan, RoadPlan};

/// How far a road goes on straight beyond the rim before it turns, metres. Chosen:
/// a body is straight again, and a few cars fit.
const STRAIGHT_ON: f64 = 30.0;
/// Between the directions of two roads that come from beyond to one place, radians.
const FAN: f64 = 0.6;

/// Ways of a plan from junction to junction.
struct Ways {
    onward: Vec<Vec<u32>>,
    /// Lanes that come to each junction, and leave it.
    come: Vec<u32>,
    leave: Vec<u32>,
}

impl Ways {
    fn of(plan: &Plan) -> Self {
        let count = plan.junctions.len();
        let mut ways = Self { onward: vec![Vec::new(); count], come: vec![0; count], leave: vec![0; count] };
        for road in &plan.roads {
            for (from, to, lanes) in [(road.from, road.to, road.along), (road.to, road.from, road.against)] {
                if lanes > 0 {
                    ways.onward[from as usize].push(to);
                    ways.leave[from as usize] += u32::from(lanes);
                    ways.come[to as usize] += u32::from(lanes);
                }
            }
        }
        ways
    }

    /// Where cars can go from a junction; the nearest first.
    fn reached(&self, start: u32) -> Vec<u32> {
        let mut seen = vec![false; self.onward.len()];
        seen[start as usize] = true;
        let mut found = vec![start];
        let mut next = 0;
        while let Some(&junction) = found.get(next) {
            next += 1;
            for &other in &self.onward[junction as usize] {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    found.push(other);
                }
            }
        }
        found
    }
}

/// Lays roads beyond the rim from where cars can only leave to where they can
/// only come.
pub(super) fn lead_round(plan: &mut Plan, report: &mut ImportReport, progress: &Progress) -> Result<(), Stopped> {
    let ways = Ways::of(plan);
    let all = || 0..plan.junctions.len() as u32;
    let ends: Vec<u32> = all().filter(|at| ways.come[*at as usize] > 0 && ways.leave[*at as usize] == 0).collect();
    let starts: Vec<u32> = all().filter(|at| ways.leave[*at as usize] > 0 && ways.come[*at as usize] == 0).collect();
    let mut used = vec![false; plan.junctions.len()];
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut spare = Vec::new();
    for &start in &starts {
        progress.check()?;
        let is_end = |at: &&u32| ways.come[**at as usize] > 0 && ways.leave[**at as usize] == 0;
        match ways.reached(start).iter().filter(is_end).find(|end| !used[**end as usize]) {
            Some(&end) => {
                used[end as usize] = true;
                pairs.push((start, end));
            }
            None => spare.push(start),
        }
    }
    if pairs.is_empty() {
        return Ok(());
    }
    let place = |at: u32| plan.junctions[at as usize].position;
    // The ring: from each end to the nearest beginning that is not in it yet.
    let mut ring = vec![pairs.swap_remove(0)];
    while !pairs.is_empty() {
        progress.check()?;
        let here = place(ring[ring.len() - 1].1);
        let far = |pair: &(u32, u32)| place(pair.0).distance_squared(here);
        let nearest = (0..pairs.len()).min_by(|a, b| far(&pairs[*a]).total_cmp(&far(&pairs[*b])).then(a.cmp(b)));
        ring.push(pairs.swap_remove(nearest.unwrap_or(0)));
    }
    let mut links: Vec<(u32, u32)> =
        (0..ring.len()).map(|number| (ring[number].1, ring[(number + 1) % ring.len()].0)).collect();
    let nearest = |from: u32, of: &mut dyn Iterator<Item = u32>| {
        of.min_by(|a, b| place(*a).distance_squared(place(from)).total_cmp(&place(*b).distance_squared(place(from))))
    };
    for &end in ends.iter().filter(|end| !used[**end as usize]) {
        links.extend(nearest(end, &mut ring.iter().map(|pair| pair.0)).map(|start| (end, start)));
    }
    for start in spare {
        links.extend(nearest(start, &mut ring.iter().map(|pair| pair.1)).map(|end| (end, start)));
    }
    lay(plan, &links, report);
    Ok(())
}

/// Moves junctions at the rim to where their only road ends, if it is drawn up to
/// there: lanes beside the middle of their road end beside it.
fn move_to_ends(plan: &mut Plan, rim: &[u32]) {
    /// A point this near to the end of a road is its end, metres.
    const END: f64 = 5.0;
    let mut roads: BTreeMap<u32, Vec<(usize, bool)>> = rim.iter().map(|at| (*at, Vec::new())).collect();
    for (number, road) in plan.roads.iter().enumerate() {
        for (at, is_start) in [(road.from, true), (road.to, false)] {
            if let Some(list) = roads.get_mut(&at) {
                list.push((number, is_start));
            }
        }
    }
    for (at, list) in roads {
        let position = plan.junctions[at as usize].position;
        for (number, is_start) in &list {
            let shape = &mut plan.roads[*number].shape;
            let end = if *is_start { shape.first() } else { shape.last() };
            let Some(end) = end.copied().filter(|end| end.distance(position) < END && shape.len() > 1) else {
                continue;
            };
            shape.remove(if *is_start { 0 } else { shape.len() - 1 });
            if list.len() == 1 {
                plan.junctions[at as usize].position = end;
            }
        }
    }
}

/// Lays a road beyond the rim for each link.
fn lay(plan: &mut Plan, links: &[(u32, u32)], report: &mut ImportReport) {
    let mut rim: Vec<u32> = links.iter().flat_map(|(end, start)| [*end, *start]).collect();
    rim.sort_unstable();
    rim.dedup();
    move_to_ends(plan, &rim);
    let mut outward: BTreeMap<u32, (DVec2, u8, f64)> = BTreeMap::new();
    for (number, road) in plan.roads.iter().enumerate() {
        for (at, is_start) in [(road.from, true), (road.to, false)] {
            if links.iter().any(|(end, start)| *end == at || *start == at) {
                let line: Vec<DVec2> = std::iter::once(plan.junctions[road.from as usize].position)
                    .chain(road.shape.iter().copied())
                    .chain([plan.junctions[road.to as usize].position])
                    .collect();
                let away = away(&line, is_start);
                let lanes = road.along.max(road.against);
                outward.entry(at).or_insert((-away, lanes, road.limit));
                report.note("roads that end at the rim: cars leave and come there", describe(road, number));
            }
        }
    }
    let mut used: BTreeMap<u32, u32> = BTreeMap::new();
    for &(end, start) in links {
        let mut straight_on = |at: u32| {
            let count = used.entry(at).or_insert(0);
            // Straight on, then to one side and the other.
            let turns = f64::from(count.div_ceil(2)) * if count.is_multiple_of(2) { 1.0 } else { -1.0 };
            *count += 1;
            let (outward, ..) = outward.get(&at).copied().unwrap_or((DVec2::X, 1, 0.0));
            let turn = DVec2::new(libm::cos(turns * FAN), libm::sin(turns * FAN));
            plan.junctions[at as usize].position + STRAIGHT_ON * outward.rotate(turn)
        };
        let shape = vec![straight_on(end), straight_on(start)];
        let (_, lanes, limit) = outward.get(&start).copied().unwrap_or((DVec2::X, 1, RoadPlan::LIMIT));
        plan.road(RoadPlan { shape, limit, is_beyond: true, ..RoadPlan::one_way(end, start, lanes) });
    }
    for (at, count) in used {
        let junction = &mut plan.junctions[at as usize];
        junction.connections.clear();
        junction.control = match count {
            1 => ControlPlan::Automatic,
            _ => ControlPlan::Priority { major: Vec::new() },
        };
    }
}

/// The direction in which a line leaves one of its ends.
fn away(line: &[DVec2], from_start: bool) -> DVec2 {
    let here = if from_start { line[0] } else { line[line.len() - 1] };
    let points = line.iter().copied();
    let far = |point: &DVec2| point.distance_squared(here) > 1.0;
    let next = if from_start { points.clone().find(far) } else { points.rev().find(far) };
    next.map_or(DVec2::X, |next| (next - here).normalize_or(DVec2::X))
}
