//! From nodes and ways of OpenStreetMap to junctions and roads.

use std::collections::BTreeMap;

use glam::DVec2;
use proscenium_work::{Halt, Progress, Stopped};

use super::raw::{RawOsm, RawWay};
use super::tidy::tidy;
use super::{ImportError, ImportReport};
use crate::map::{ControlPlan, JunctionPlan, Plan, RoadPlan, SignalsPlan};

/// Mean radius of the Earth, metres.
const EARTH: f64 = 6_371_008.8;
/// Signals on a road are those of the junction at its end, if they stand no
/// farther from it than this, metres. Chosen: across a wide junction, and not to
/// the next one.
const SIGNALS_REACH: f64 = 40.0;

/// Roads for cars: the tag's value, lanes in each direction, speed limit in
/// km/h, and whether it is in one direction unless said otherwise.
const CLASSES: &[(&str, u8, f64, bool)] = &[
    ("motorway", 2, 110.0, true),
    ("motorway_link", 1, 60.0, true),
    ("trunk", 2, 80.0, false),
    ("trunk_link", 1, 60.0, false),
    ("primary", 1, 50.0, false),
    ("primary_link", 1, 50.0, false),
    ("secondary", 1, 50.0, false),
    ("secondary_link", 1, 50.0, false),
    ("tertiary", 1, 50.0, false),
    ("tertiary_link", 1, 50.0, false),
    ("unclassified", 1, 50.0, false),
    ("residential", 1, 40.0, false),
    ("living_street", 1, 10.0, false),
    ("road", 1, 40.0, false),
];

/// What a way becomes, but for its place.
#[derive(Clone, Debug, PartialEq)]
struct Kind {
    along: u8,
    against: u8,
    limit: f64,
    name: String,
}

/// A piece of a way between two junctions.
struct Piece {
    kind: Kind,
    nodes: Vec<i64>,
}

pub(super) fn plan(osm: RawOsm, report: &mut ImportReport, progress: &Progress) -> Result<Plan, Halt<ImportError>> {
    for _ in 0..osm.turn_restrictions {
        report.note("turn restrictions: all turns are allowed", "relations");
    }
    progress.tell("streets for cars", 0.0)?;
    let lines = lines(&osm, report, progress)?;
    let uses = uses(&lines, progress)?;
    progress.tell("roads between junctions", 0.2)?;
    let pieces = join(pieces(lines, &uses, progress)?, progress)?;
    let read = pieces.len();
    progress.tell("roads between junctions", 0.4)?;
    let mut plan = lay(&osm, &pieces, report, progress)?;
    progress.tell("lights", 0.6)?;
    set_signals(&osm, &pieces, &mut plan, report, progress)?;
    tidy(&mut plan, report, &progress.part(0.7, 1.0))?;
    if plan.roads.is_empty() {
        return Err(ImportError::NoRoads { format: report.format, read }.into());
    }
    Ok(plan)
}

/// The ways for cars, as lines of nodes that are all there.
fn lines(osm: &RawOsm, report: &mut ImportReport, progress: &Progress) -> Result<Vec<Piece>, Stopped> {
    let mut lines = Vec::new();
    for way in &osm.ways {
        progress.check()?;
        let Some(mut kind) = kind(way, report) else {
            continue;
        };
        let mut nodes = way.nodes.clone();
        nodes.dedup();
        if way.get("oneway") == "-1" {
            nodes.reverse();
            (kind.along, kind.against) = (kind.along.max(kind.against), 0);
        }
        // Extracts end within ways: what is missing cuts them.
        let parts = nodes.split(|node| !osm.nodes.contains_key(node));
        let before = lines.len();
        lines
            .extend(parts.filter(|part| part.len() > 1).map(|part| Piece { kind: kind.clone(), nodes: part.to_vec() }));
        if nodes.iter().any(|node| !osm.nodes.contains_key(node)) {
            report.note("ways with nodes outside the extract: cut there", way.id);
        } else if lines.len() == before {
            report.note("ways without length: left out", way.id);
        }
    }
    Ok(lines)
}

/// What a way becomes, if cars may use it.
fn kind(way: &RawWay, report: &mut ImportReport) -> Option<Kind> {
    let class = CLASSES.iter().find(|class| class.0 == way.get("highway"));
    let Some((_, lanes, limit, one_way)) = class else {
        report.note("ways that are not streets for cars: left out", format!("highway={}", way.get("highway")));
        return None;
    };
    let closed = |key: &str| matches!(way.get(key), "no" | "private");
    if closed("access") && way.get("motor_vehicle") != "yes" || closed("motor_vehicle") || way.get("area") == "yes" {
        report.note("ways that are closed to cars, or places: left out", way.id);
        return None;
    }
    if !matches!(way.get("bridge"), "" | "no") || !matches!(way.get("tunnel"), "" | "no") {
        report.note("bridges and tunnels: laid flat, so that roads cross there without meeting", way.id);
    }
    if way.get("highway") == "motorway" {
        report.note("motorways: ordinary roads, with no overtaking", way.id);
    }
    let round = matches!(way.get("junction"), "roundabout" | "circular");
    if round {
        report.note("roundabouts: rings of one-way roads", way.id);
    }
    let one_way = match way.get("oneway") {
        "yes" | "1" | "true" | "-1" => true,
        "no" | "0" | "false" => false,
        "" => *one_way || round,
        other => {
            report.note("ways whose direction changes: both directions", format!("oneway={other}"));
            false
        }
    };
    let (along, against) = lanes_of(way, one_way, *lanes, report);
    let limit = limit_of(way, *limit, report);
    Some(Kind { along, against, limit, name: way.get("name").to_string() })
}

/// Lanes along and against a way.
fn lanes_of(way: &RawWay, one_way: bool, usual: u8, report: &mut ImportReport) -> (u8, u8) {
    let mut count = |key: &str| {
        let text = way.get(key);
        let number = text.trim().parse::<u8>().ok().filter(|number| (1..=16).contains(number));
        if number.is_none() && !text.is_empty() {
            report.note("numbers of lanes that are none: the usual is taken", format!("{key}={text}"));
        }
        number
    };
    let (all, forward, backward) = (count("lanes"), count("lanes:forward"), count("lanes:backward"));
    if one_way {
        return (all.or(forward).unwrap_or(usual), 0);
    }
    let half = all.map(|all| (all / 2).max(1));
    if all.is_some_and(|all| all > 1 && all % 2 == 1) && forward.is_none() && backward.is_none() {
        report.note("odd numbers of lanes for both directions: one lane is left out", way.id);
    }
    let rest = |other: Option<u8>| all.zip(other).map(|(all, other)| all.saturating_sub(other).max(1));
    (forward.or(rest(backward)).or(half).unwrap_or(usual), backward.or(rest(forward)).or(half).unwrap_or(usual))
}

/// Speed limit of a way, metres per second.
fn limit_of(way: &RawWay, usual: f64, report: &mut ImportReport) -> f64 {
    let text = way.get("maxspeed").trim();
    let (number, unit) = match text.strip_suffix("mph") {
        Some(number) => (number.trim(), 1.609_344),
        None => (text.strip_suffix("km/h").unwrap_or(text).trim(), 1.0),
    };
    let limit = match number {
        "" => usual,
        "walk" => 7.0,
        "none" => 130.0,
        number => match number.parse::<f64>() {
            Ok(number) if number.is_finite() && number > 0.0 => number * unit,
            _ => {
                report.note("speed limits that are not numbers: the usual is taken", format!("maxspeed={text}"));
                usual
            }
        },
    };
    (limit / 3.6).clamp(1.0, 60.0)
}

/// How often each node is used; ends count twice.
fn uses(lines: &[Piece], progress: &Progress) -> Result<BTreeMap<i64, u32>, Stopped> {
    let mut uses = BTreeMap::new();
    for line in lines {
        progress.check()?;
        let last = line.nodes.len() - 1;
        for (place, node) in line.nodes.iter().enumerate() {
            *uses.entry(*node).or_insert(0) += if place == 0 || place == last { 2 } else { 1 };
        }
    }
    Ok(uses)
}

/// Lines, cut where they meet others.
fn pieces(lines: Vec<Piece>, uses: &BTreeMap<i64, u32>, progress: &Progress) -> Result<Vec<Piece>, Stopped> {
    let mut pieces = Vec::new();
    for line in lines {
        progress.check()?;
        let mut start = 0;
        for end in 1..line.nodes.len() {
            if uses[&line.nodes[end]] > 1 {
                pieces.push(Piece { kind: line.kind.clone(), nodes: line.nodes[start..=end].to_vec() });
                start = end;
            }
        }
    }
    Ok(pieces)
}

/// Joins pieces of the same kind where nothing else meets them.
fn join(pieces: Vec<Piece>, progress: &Progress) -> Result<Vec<Piece>, Stopped> {
    let mut ends: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (number, piece) in pieces.iter().enumerate() {
        progress.check()?;
        for node in [piece.nodes[0], piece.nodes[piece.nodes.len() - 1]] {
            ends.entry(node).or_default().push(number);
        }
    }
    // Where a piece that ends at a node is followed by the only other one there.
    let follower = |number: usize, node: i64| {
        let [one, other] = ends[&node][..] else {
            return None;
        };
        let next = if one == number { other } else { one };
        let fits = next != number && pieces[next].nodes[0] == node && pieces[next].kind == pieces[number].kind;
        fits.then_some(next)
    };
    let last = |number: usize| pieces[number].nodes[pieces[number].nodes.len() - 1];
    let mut follows = vec![false; pieces.len()];
    let mut next: Vec<Option<usize>> = Vec::with_capacity(pieces.len());
    for number in 0..pieces.len() {
        progress.check()?;
        next.push(follower(number, last(number)));
    }
    for next in next.iter().flatten() {
        follows[*next] = true;
    }
    let mut used = vec![false; pieces.len()];
    let mut joined = Vec::new();
    // First what starts a chain, then the rings.
    let heads = (0..pieces.len()).filter(|number| !follows[*number]).chain(0..pieces.len());
    for head in heads.collect::<Vec<usize>>() {
        progress.check()?;
        if std::mem::replace(&mut used[head], true) {
            continue;
        }
        let mut nodes = pieces[head].nodes.clone();
        let mut at = head;
        while let Some(number) = next[at].filter(|number| !used[*number]) {
            used[number] = true;
            nodes.extend_from_slice(&pieces[number].nodes[1..]);
            at = number;
        }
        joined.push(Piece { kind: pieces[head].kind.clone(), nodes });
    }
    Ok(joined)
}

/// Junctions and roads in the plane around the middle of the extract.
fn lay(osm: &RawOsm, pieces: &[Piece], report: &mut ImportReport, progress: &Progress) -> Result<Plan, Stopped> {
    let mut plan = Plan { name: "OpenStreetMap extract".into(), ..Plan::default() };
    let place = projection(osm, pieces);
    let mut numbers: BTreeMap<i64, u32> = BTreeMap::new();
    for piece in pieces {
        progress.check()?;
        let points: Vec<DVec2> = piece.nodes.iter().map(|node| place(*node)).collect();
        let last = points.len() - 1;
        let mut ends = [0, last]
            .map(|at| *numbers.entry(piece.nodes[at]).or_insert_with(|| plan.junction(JunctionPlan::at(points[at]))));
        let Kind { along, against, limit, name } = &piece.kind;
        let (mut along, mut against) = (*along, *against);
        let mut shape = points[1..last].to_vec();
        if along == 0 {
            shape.reverse();
            ends.reverse();
            (along, against) = (against, along);
        }
        if points.iter().any(|point| !point.is_finite()) {
            report.note("ways with places that are none: left out", name);
            continue;
        }
        let road = RoadPlan::two_way(ends[0], ends[1], along);
        plan.road(RoadPlan { along, against, shape, limit: *limit, name: name.as_str().into(), ..road });
    }
    Ok(plan)
}

/// Degrees to metres around the middle of what is used: right to some metres
/// over the size of a city.
fn projection<'osm>(osm: &'osm RawOsm, pieces: &[Piece]) -> impl Fn(i64) -> DVec2 + use<'osm> {
    let mut low = DVec2::INFINITY;
    let mut high = DVec2::NEG_INFINITY;
    for node in pieces.iter().flat_map(|piece| &piece.nodes) {
        let node = &osm.nodes[node];
        let degrees = DVec2::new(node.longitude, node.latitude);
        low = low.min(degrees);
        high = high.max(degrees);
    }
    let middle = if low.is_finite() { low.midpoint(high) } else { DVec2::ZERO };
    let metre = EARTH.to_radians();
    let shrink = libm::cos(middle.y.to_radians());
    move |node: i64| {
        let node = &osm.nodes[&node];
        // North is towards −z.
        DVec2::new((node.longitude - middle.x) * metre * shrink, (middle.y - node.latitude) * metre)
    }
}

/// Lights at junctions: signals stand at a junction, or at the stop lines before it.
fn set_signals(
    osm: &RawOsm,
    pieces: &[Piece],
    plan: &mut Plan,
    report: &mut ImportReport,
    progress: &Progress,
) -> Result<(), Stopped> {
    let mut degrees = vec![0_u32; plan.junctions.len()];
    for road in &plan.roads {
        degrees[road.from as usize] += 1;
        degrees[road.to as usize] += 1;
    }
    let place = projection(osm, pieces);
    let crossings: BTreeMap<(i64, i64), Vec<u32>> = {
        let mut cells = BTreeMap::new();
        for (number, junction) in plan.junctions.iter().enumerate().filter(|(number, _)| degrees[*number] > 2) {
            cells.entry(cell(junction.position)).or_insert_with(Vec::new).push(number as u32);
        }
        cells
    };
    let mut seen: Vec<i64> =
        pieces.iter().flat_map(|piece| &piece.nodes).copied().filter(|node| osm.nodes[node].signals).collect();
    seen.sort_unstable();
    seen.dedup();
    for node in seen {
        progress.check()?;
        let here = place(node);
        let (column, row) = cell(here);
        let around = (column - 1..=column + 1).flat_map(|x| (row - 1..=row + 1).map(move |y| (x, y)));
        let near = around.filter_map(|cell| crossings.get(&cell)).flatten().copied();
        let distance = |junction: &u32| plan.junctions[*junction as usize].position.distance(here);
        let nearest = near.min_by(|a, b| distance(a).total_cmp(&distance(b))).filter(|at| distance(at) < SIGNALS_REACH);
        match nearest {
            Some(junction) => {
                plan.junctions[junction as usize].control = ControlPlan::Signals(SignalsPlan::default());
            }
            None => report.note("signals away from junctions (for those on foot): left out", node),
        }
    }
    Ok(())
}

fn cell(point: DVec2) -> (i64, i64) {
    ((point.x / SIGNALS_REACH).floor() as i64, (point.y / SIGNALS_REACH).floor() as i64)
}
