//! From edges and lanes of SUMO to junctions and roads.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec2;
use proscenium_work::{Halt, Progress, Stopped};

use super::sumo_xml::{RawConnection, RawEdge, RawProgramme, RawSumo};
use super::tidy::tidy;
use super::{ImportError, ImportReport};
use crate::map::{Connection, ControlPlan, JunctionPlan, Light, PhasePlan, Plan, RoadPlan, Side, SignalsPlan, shape};

/// Width of a lane unless said otherwise, metres.
const LANE_WIDTH: f64 = 3.2;
/// Lines of opposite edges that are farther apart than their lanes need, by
/// more than this, are separate roads, metres.
const APART: f64 = 3.0;

/// The lanes of an edge that are for cars.
struct Edge<'net> {
    raw: &'net RawEdge,
    from: u32,
    to: u32,
    /// For each lane of the file its place among those for cars.
    places: BTreeMap<usize, u8>,
    width: f64,
    limit: f64,
    /// The line of the leftmost lane.
    leftmost: Vec<DVec2>,
}

impl Edge<'_> {
    fn lanes(&self) -> u8 {
        self.places.len() as u8
    }

    /// The line between this direction and the other.
    fn inner(&self, side: f64) -> Vec<DVec2> {
        shape::moved(&self.leftmost, -0.5 * self.width * side).collect()
    }
}

/// Where an edge of the file went: the road, and whether it runs against it.
type Places = BTreeMap<String, (u32, bool)>;

pub(super) fn plan(net: RawSumo, report: &mut ImportReport, progress: &Progress) -> Result<Plan, Halt<ImportError>> {
    progress.tell("edges", 0.0)?;
    let side = if net.left_hand { Side::Left } else { Side::Right };
    let mut plan = Plan { name: "SUMO network".into(), side, ..Plan::default() };
    let mut numbers = BTreeMap::new();
    for junction in net.junctions.iter().filter(|junction| junction.kind != "internal") {
        numbers.insert(junction.id.as_str(), plan.junction(JunctionPlan::at(junction.position)));
    }
    for number in 0..net.roundabouts {
        report.note("roundabouts: rings of one-way roads", number);
    }
    let edges = edges(&net, &numbers, report, progress)?;
    let read = edges.len();
    let mut roads: Places = BTreeMap::new();
    progress.tell("roads", 0.2)?;
    let pairs = pair(&edges, side.sign(), progress)?;
    for (number, edge) in edges.iter().enumerate() {
        progress.check()?;
        match pairs[number] {
            Some(other) if other < number => {}
            other => lay(&mut plan, edge, other.map(|other| &edges[other]), &mut roads),
        }
    }
    progress.tell("connections", 0.4)?;
    let links = connect(&net, &edges, &roads, &mut plan, report, progress)?;
    let mut degrees = vec![0_u32; plan.junctions.len()];
    for road in &plan.roads {
        degrees[road.from as usize] += 1;
        degrees[road.to as usize] += 1;
    }
    let programmes: BTreeMap<&str, &RawProgramme> =
        net.programmes.iter().map(|programme| (programme.id.as_str(), programme)).collect();
    progress.tell("junctions", 0.6)?;
    for junction in &net.junctions {
        progress.check()?;
        if let Some(number) = numbers.get(junction.id.as_str()) {
            let at = At { kind: &junction.kind, number: *number, degree: degrees[*number as usize] };
            plan.junctions[*number as usize].control = control(&at, &links[*number as usize], &programmes, report);
        }
    }
    tidy(&mut plan, report, &progress.part(0.7, 1.0))?;
    if plan.roads.is_empty() {
        return Err(ImportError::NoRoads { format: report.format, read }.into());
    }
    Ok(plan)
}

/// Edges with lanes for cars.
fn edges<'net>(
    net: &'net RawSumo,
    numbers: &BTreeMap<&str, u32>,
    report: &mut ImportReport,
    progress: &Progress,
) -> Result<Vec<Edge<'net>>, Stopped> {
    let mut edges = Vec::new();
    for raw in &net.edges {
        progress.check()?;
        let mut cars: Vec<_> = raw.lanes.iter().filter(|lane| lane.for_cars && lane.shape.len() > 1).collect();
        cars.sort_by_key(|lane| lane.index);
        if cars.len() < raw.lanes.len() {
            report.note("lanes that are not for cars: left out", &raw.id);
        }
        cars.truncate(16);
        let (Some(last), Some(from), Some(to)) =
            (cars.last(), numbers.get(raw.from.as_str()), numbers.get(raw.to.as_str()))
        else {
            report.note("edges without lanes for cars, or between unknown junctions: left out", &raw.id);
            continue;
        };
        // Lanes are counted from the kerb on either side of the road, and so here.
        let places = cars.iter().enumerate().map(|(place, lane)| (lane.index, place as u8)).collect();
        let width = last.width.unwrap_or(LANE_WIDTH).clamp(2.0, 8.0);
        let limit = last.speed.clamp(1.0, 60.0);
        if cars.iter().any(|lane| lane.speed != last.speed) {
            report.note("edges whose lanes have different speeds: that of the innermost holds", &raw.id);
        }
        edges.push(Edge { raw, from: *from, to: *to, places, width, limit, leftmost: last.shape.clone() });
    }
    Ok(edges)
}

/// For each edge the one that runs beside it the other way.
fn pair(edges: &[Edge], side: f64, progress: &Progress) -> Result<Vec<Option<usize>>, Stopped> {
    let mut between: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (number, edge) in edges.iter().enumerate() {
        between.entry((edge.from, edge.to)).or_default().push(number);
    }
    let mut pairs = vec![None; edges.len()];
    for (number, edge) in edges.iter().enumerate() {
        progress.check()?;
        if pairs[number].is_some() {
            continue;
        }
        let middle = shape::along(&edge.inner(side), 0.5 * shape::length(&edge.leftmost)).0;
        let gap = |other: &usize| {
            let line = edges[*other].inner(side);
            line.windows(2).map(|segment| crate::map::from_segment(middle, segment)).fold(f64::INFINITY, f64::min)
        };
        let others = between.get(&(edge.to, edge.from)).into_iter().flatten().copied();
        let free = others.filter(|other| pairs[*other].is_none() && *other != number);
        let nearest = free.min_by(|a, b| gap(a).total_cmp(&gap(b)).then(a.cmp(b))).filter(|other| gap(other) < APART);
        if let Some(other) = nearest {
            pairs[number] = Some(other);
            pairs[other] = Some(number);
        }
    }
    Ok(pairs)
}

/// Makes a road of one edge, or of two that run beside each other.
fn lay(plan: &mut Plan, edge: &Edge, other: Option<&Edge>, roads: &mut Places) {
    let against = other.map_or(0, Edge::lanes);
    let along = edge.lanes();
    // From the line of the innermost lane to the middle of all lanes.
    let lanes_left = f64::from(against) - f64::from(along);
    let offset = -(0.5 * edge.width + 0.5 * lanes_left * edge.width) * plan.side.sign();
    let shape: Vec<DVec2> = shape::moved(&edge.leftmost, offset).collect();
    let road = plan.road(RoadPlan {
        shape,
        along,
        against,
        lane_width: edge.width,
        limit: edge.limit.max(other.map_or(0.0, |other| other.limit)),
        name: edge.raw.name.as_str().into(),
        ids: [edge.raw.id.as_str().into(), other.map_or("", |other| other.raw.id.as_str()).into()],
        ..RoadPlan::two_way(edge.from, edge.to, along)
    });
    roads.insert(edge.raw.id.clone(), (road, false));
    if let Some(other) = other {
        roads.insert(other.raw.id.clone(), (road, true));
    }
}

/// A connection of the file as one of the plan, and its junction.
fn connection(
    edges: &BTreeMap<&str, &Edge>,
    roads: &Places,
    from: (&str, usize),
    to: (&str, usize),
) -> Option<(u32, Connection)> {
    let (before, after) = (edges.get(from.0)?, edges.get(to.0)?);
    let connection = Connection {
        from_road: roads.get(from.0)?.0,
        from_lane: *before.places.get(&from.1)?,
        to_road: roads.get(to.0)?.0,
        to_lane: *after.places.get(&to.1)?,
    };
    (before.to == after.from).then_some((before.to, connection))
}

/// A connection of a junction, with what the file says of it.
struct Link<'net> {
    connection: Connection,
    raw: &'net RawConnection,
}

/// A junction whose control is wanted.
struct At<'net> {
    kind: &'net str,
    number: u32,
    degree: u32,
}

/// Connects lanes, and returns the connections of each junction in their order.
fn connect<'net>(
    net: &'net RawSumo,
    edges: &[Edge],
    roads: &Places,
    plan: &mut Plan,
    report: &mut ImportReport,
    progress: &Progress,
) -> Result<Vec<Vec<Link<'net>>>, Stopped> {
    let by_name: BTreeMap<&str, &Edge> = edges.iter().map(|edge| (edge.raw.id.as_str(), edge)).collect();
    let mut links: Vec<Vec<Link>> = plan.junctions.iter().map(|_| Vec::new()).collect();
    for raw in net.connections.iter().filter(|raw| !raw.from.starts_with(':')) {
        progress.check()?;
        let (from, to) = ((raw.from.as_str(), raw.from_lane), (raw.to.as_str(), raw.to_lane));
        match connection(&by_name, roads, from, to) {
            Some((junction, connection)) => links[junction as usize].push(Link { connection, raw }),
            None => report.note("connections of lanes that are left out", format!("{} to {}", raw.from, raw.to)),
        }
    }
    for (junction, links) in links.iter_mut().enumerate() {
        progress.check()?;
        let onward: BTreeSet<(u32, u8)> = links
            .iter()
            .filter(|link| link.connection.from_road != link.connection.to_road)
            .map(|link| (link.connection.from_road, link.connection.from_lane))
            .collect();
        links.retain(|link| {
            let Connection { from_road, from_lane, to_road, .. } = link.connection;
            let turns_back = from_road == to_road && onward.contains(&(from_road, from_lane));
            if turns_back {
                report.note("turning back where other ways lead on: left out", &link.raw.from);
            }
            !turns_back
        });
        plan.junctions[junction].connections = links.iter().map(|link| link.connection).collect();
    }
    Ok(links)
}

/// Who goes first at a junction.
fn control(
    at: &At,
    links: &[Link],
    programmes: &BTreeMap<&str, &RawProgramme>,
    report: &mut ImportReport,
) -> ControlPlan {
    match at.kind {
        "traffic_light" | "traffic_light_unregulated" | "traffic_light_right_on_red" => {
            ControlPlan::Signals(signals(at, links, programmes, report))
        }
        _ if at.degree < 3 => ControlPlan::Automatic,
        "allway_stop" => ControlPlan::AllWayStop,
        "priority" | "priority_stop" => {
            let majors = links.iter().filter(|link| link.raw.major);
            let mut major: Vec<u32> = majors.map(|link| link.connection.from_road).collect();
            major.sort_unstable();
            major.dedup();
            ControlPlan::Priority { major }
        }
        "right_before_left" | "left_before_right" => {
            report.note("junctions where the right (or left) goes first: first come, first served", at.number);
            ControlPlan::Priority { major: Vec::new() }
        }
        "unregulated" | "zipper" => ControlPlan::Priority { major: Vec::new() },
        other => {
            report.note("junctions of other kinds: control follows from their shape", other);
            ControlPlan::Automatic
        }
    }
}

/// The programme of a junction's lights: one light for each of its connections.
fn signals(
    at: &At,
    links: &[Link],
    programmes: &BTreeMap<&str, &RawProgramme>,
    report: &mut ImportReport,
) -> SignalsPlan {
    let name = links.iter().find_map(|link| link.raw.light.as_ref()).map(|(name, _)| name.as_str());
    let programme = name.and_then(|name| programmes.get(name)).filter(|programme| !programme.phases.is_empty());
    let Some(programme) = programme else {
        report.note("lights without a programme: a plain one is made", at.number);
        return SignalsPlan::default();
    };
    let light = |state: &str, link: &Link| match &link.raw.light {
        Some((_, place)) => match state.as_bytes().get(*place) {
            Some(b'G') => Light::Green,
            Some(b'g' | b's' | b'o' | b'O') => Light::Permissive,
            Some(b'y' | b'Y') => Light::Amber,
            _ => Light::Red,
        },
        // What has no light is not held up by one.
        None => Light::Permissive,
    };
    let phases = programme.phases.iter().map(|(seconds, state)| PhasePlan {
        seconds: seconds.clamp(0.1, 1e5),
        lights: links.iter().map(|link| light(state, link)).collect(),
    });
    SignalsPlan { phases: phases.collect(), offset: programme.offset }
}
