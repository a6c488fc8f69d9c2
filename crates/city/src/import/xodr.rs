//! From roads and lanes of OpenDRIVE to junctions and roads.
//!
//! A road is cut where its lanes change in number (at lane sections), and in two
//! where what lies between its directions is wide. Roads within a junction are ways
//! from lane to lane.

use std::collections::BTreeMap;

use glam::DVec2;
use proscenium_work::{Halt, Progress, Stopped};

use super::tidy::tidy;
use super::xodr_shape::{station, value};
use super::xodr_xml::{Meets, RawDrive, RawJunction, RawLane, RawRoad, RawSection};
use super::{ImportError, ImportReport};
use crate::map::{Connection, ControlPlan, JunctionPlan, Plan, RoadPlan, Side, SignalsPlan};

/// Lanes that are nowhere in their section wider than this are none, metres.
const LEAST_WIDTH: f64 = 1.9;
/// Directions that are farther apart than this are separate roads, metres.
const APART: f64 = 1.5;
/// Between two places at which a line is looked at, metres.
const STEP: f64 = 4.0;
/// What is left free between two pieces that meet, metres: a path needs a length.
const JOINT: f64 = 2.0;
/// Lights this near to the end of a road are those of its junction, metres.
const LIGHTS_REACH: f64 = 40.0;

/// No road is longer than this, metres.
const LONGEST: f64 = 200e3;

/// An end of a road: which, and whether it is its end or its start.
type End<'raw> = (&'raw str, bool);

/// Where a lane went.
#[derive(Clone, Copy)]
struct Place {
    road: u32,
    lane: u8,
    /// Whether it runs along the line of the file.
    is_along: bool,
}

/// Lanes by road, section and number.
type Places<'raw> = BTreeMap<(&'raw str, usize, i64), Place>;

struct Lay<'raw> {
    plan: Plan,
    places: Places<'raw>,
    /// The junction at each end of a road.
    nodes: BTreeMap<End<'raw>, u32>,
    /// Sections of each road that became roads.
    sections: BTreeMap<&'raw str, Vec<usize>>,
    /// The junction at the end of each of them.
    borders: BTreeMap<(&'raw str, usize), u32>,
}

pub(super) fn plan(
    drive: &RawDrive,
    report: &mut ImportReport,
    progress: &Progress,
) -> Result<Plan, Halt<ImportError>> {
    progress.tell("roads", 0.0)?;
    let left = drive.roads.iter().filter(|road| road.keeps_left).count();
    let side = if 2 * left > drive.roads.len() { Side::Left } else { Side::Right };
    let mut lay = Lay {
        plan: Plan { name: "OpenDRIVE roads".into(), side, ..Plan::default() },
        places: BTreeMap::new(),
        nodes: BTreeMap::new(),
        sections: BTreeMap::new(),
        borders: BTreeMap::new(),
    };
    let mut own: Vec<&RawRoad> = drive.roads.iter().filter(|road| road.within.is_none()).collect();
    own.retain(|road| {
        let is_possible = (0.0..LONGEST).contains(&road.length);
        if !is_possible {
            report.note("roads with a length that is none: left out", &road.id);
        }
        is_possible
    });
    lay.nodes = nodes(&own, &drive.junctions, &mut lay.plan);
    for road in &own {
        progress.check()?;
        notes(road, report);
        lay.road(road, report);
    }
    let read = lay.plan.roads.len();
    progress.tell("connections", 0.4)?;
    lay.connect_roads(&own, progress)?;
    lay.connect_junctions(drive, report, progress)?;
    progress.tell("junctions", 0.6)?;
    lay.control(drive, &own);
    let mut plan = lay.plan;
    tidy(&mut plan, report, &progress.part(0.7, 1.0))?;
    if plan.roads.is_empty() {
        return Err(ImportError::NoRoads { format: report.format, read }.into());
    }
    Ok(plan)
}

fn notes(road: &RawRoad, report: &mut ImportReport) {
    if road.is_raised {
        report.note("roads with hills: laid flat", &road.id);
    }
    for _ in 0..road.signs {
        report.note("signs: left out", &road.id);
    }
}

/// The junctions at the ends of roads. Ends that meet, directly or in a junction of
/// the file, have the same.
fn nodes<'raw>(roads: &[&'raw RawRoad], junctions: &[RawJunction], plan: &mut Plan) -> BTreeMap<End<'raw>, u32> {
    let ends: Vec<End> = roads.iter().flat_map(|road| [(road.id.as_str(), false), (road.id.as_str(), true)]).collect();
    let number: BTreeMap<End, usize> = ends.iter().enumerate().map(|(number, end)| (*end, number)).collect();
    // The first of those that meet stands for all.
    let mut first: Vec<usize> = (0..ends.len()).collect();
    let mut of_junction: BTreeMap<&str, usize> = BTreeMap::new();
    fn root(first: &[usize], mut at: usize) -> usize {
        while first[at] != at {
            at = first[at];
        }
        at
    }
    for road in roads {
        for (at_end, meets) in [(false, &road.meets[0]), (true, &road.meets[1])] {
            let own = number[&(road.id.as_str(), at_end)];
            let other = match meets {
                Some(Meets::Road(id, at_end)) => number.get(&(id.as_str(), *at_end)).copied(),
                Some(Meets::Junction(id)) if junctions.iter().any(|junction| junction.id == *id) => {
                    Some(*of_junction.entry(id).or_insert(own))
                }
                _ => None,
            };
            if let Some(other) = other {
                let (a, b) = (root(&first, own), root(&first, other));
                first[a.max(b)] = a.min(b);
            }
        }
    }
    let mut sums: BTreeMap<usize, (DVec2, f64)> = BTreeMap::new();
    for road in roads {
        for at_end in [false, true] {
            let place = station(&road.geometry, if at_end { road.length } else { 0.0 });
            let sum = sums.entry(root(&first, number[&(road.id.as_str(), at_end)])).or_default();
            sum.0 += place.map_or(DVec2::ZERO, |place| place.beside(value(&road.offsets, 0.0)));
            sum.1 += 1.0;
        }
    }
    let of_root: BTreeMap<usize, u32> =
        sums.iter().map(|(root, (sum, count))| (*root, plan.junction(JunctionPlan::at(*sum / *count)))).collect();
    number.iter().map(|(end, number)| (*end, of_root[&root(&first, *number)])).collect()
}

/// The width of a lane at a place of its section.
fn width(lane: &RawLane, at: f64) -> f64 {
    value(&lane.widths, at).max(0.0)
}

/// From where to where a section goes.
fn span(road: &RawRoad, section: usize) -> [f64; 2] {
    let start = road.sections[section].start.clamp(0.0, road.length);
    let end = road.sections.get(section + 1).map_or(road.length, |next| next.start.clamp(start, road.length));
    [start, end]
}

/// The lanes for cars on one side of a section, from the middle outwards.
fn side(section: &RawSection, is_left: bool, length: f64) -> Vec<&RawLane> {
    // One that opens or ends in its section is there.
    let widest =
        |lane: &RawLane| [0.0, 0.5, 1.0].map(|share| width(lane, share * length)).into_iter().fold(0.0, f64::max);
    let is_there =
        |lane: &&RawLane| lane.for_cars && lane.id != 0 && (lane.id > 0) == is_left && widest(lane) >= LEAST_WIDTH;
    let mut lanes: Vec<&RawLane> = section.lanes.iter().filter(is_there).collect();
    lanes.sort_by_key(|lane| lane.id.abs());
    lanes.truncate(16);
    lanes
}

/// How far to the left of the reference line the inner and the outer edge of some
/// lanes of one side lie.
fn edges(road: &RawRoad, section: &RawSection, lanes: &[&RawLane], at: f64) -> [f64; 2] {
    let (inner, outer) = (lanes[0].id, lanes[lanes.len() - 1].id);
    let sign = if inner > 0 { 1.0 } else { -1.0 };
    let within = |most: i64| {
        let nearer = section.lanes.iter().filter(|lane| lane.id * inner > 0 && lane.id.abs() <= most);
        nearer.map(|lane| width(lane, at - section.start)).sum::<f64>()
    };
    let base = value(&road.offsets, at);
    [base + sign * within(inner.abs() - 1), base + sign * within(outer.abs())]
}

impl<'raw> Lay<'raw> {
    /// Lays the sections of a road, one after the other.
    fn road(&mut self, road: &'raw RawRoad, report: &mut ImportReport) {
        let used: Vec<usize> = (0..road.sections.len())
            .filter(|number| {
                let [start, end] = span(road, *number);
                let (section, length) = (&road.sections[*number], end - start);
                length > 0.5 && !(side(section, true, length).is_empty() && side(section, false, length).is_empty())
            })
            .collect();
        if used.is_empty() {
            report.note("roads without lanes for cars: left out", &road.id);
            return;
        }
        let mut from = self.nodes[&(road.id.as_str(), false)];
        for (place, &section) in used.iter().enumerate() {
            let [_, end] = span(road, section);
            let to = if place + 1 == used.len() {
                self.nodes[&(road.id.as_str(), true)]
            } else {
                let at = station(&road.geometry, end).map_or(DVec2::ZERO, |at| at.beside(value(&road.offsets, end)));
                self.plan.junction(JunctionPlan::at(at))
            };
            self.borders.insert((&road.id, section), to);
            self.section(road, section, [from, to], report);
            from = to;
        }
        self.sections.insert(&road.id, used);
    }

    /// Lays a section: as one road, or as two.
    fn section(&mut self, road: &'raw RawRoad, number: usize, ends: [u32; 2], report: &mut ImportReport) {
        let section = &road.sections[number];
        let [start, end] = span(road, number);
        let middle = 0.5 * (start + end);
        let (left, right) = (side(section, true, end - start), side(section, false, end - start));
        let gap = match (left.is_empty(), right.is_empty()) {
            (false, false) => edges(road, section, &left, middle)[0] - edges(road, section, &right, middle)[0],
            _ => 0.0,
        };
        if gap > APART {
            report.note("directions with something wide between them: two roads", &road.id);
            self.piece(road, number, ends, &left, &[]);
            self.piece(road, number, ends, &[], &right);
        } else {
            self.piece(road, number, ends, &left, &right);
        }
    }

    /// Lays one road of the lanes of both sides, or of one.
    fn piece(&mut self, road: &'raw RawRoad, number: usize, ends: [u32; 2], left: &[&RawLane], right: &[&RawLane]) {
        let section = &road.sections[number];
        let [start, end] = span(road, number);
        let border = |at: f64, lanes: &[&RawLane], place: usize| edges(road, section, lanes, at)[place];
        let sides = |at: f64| match (left.is_empty(), right.is_empty()) {
            (false, false) => [border(at, left, 1), border(at, right, 1)],
            (false, true) => [border(at, left, 1), border(at, left, 0)],
            _ => [border(at, right, 0), border(at, right, 1)],
        };
        let joint = JOINT.min(0.1 * (end - start));
        let (low, high) = (start + joint, end - joint);
        let steps = ((high - low) / STEP).ceil().max(1.0);
        let mut shape: Vec<DVec2> = (0..=steps as u32)
            .filter_map(|step| {
                let at = low + (high - low) * f64::from(step) / steps;
                let [left, right] = sides(at);
                station(&road.geometry, at).map(|place| place.beside(0.5 * (left + right)))
            })
            .collect();
        simplify(&mut shape);
        let lanes = (left.len() + right.len()) as f64;
        let [outer_left, outer_right] = sides(0.5 * (start + end));
        let lane_width = ((outer_left - outer_right) / lanes).clamp(2.0, 8.0);
        // Cars that keep right go along the line on its right side.
        let (mut along, mut against) = if self.plan.side == Side::Right { (right, left) } else { (left, right) };
        let (mut from, mut to, mut is_along) = (ends[0], ends[1], true);
        if along.is_empty() {
            shape.reverse();
            (along, against, from, to, is_along) = (against, along, to, from, false);
        }
        let limit = road.limit.unwrap_or(match road.kind.as_str() {
            "motorway" => 110.0 / 3.6,
            "rural" => 80.0 / 3.6,
            "lowSpeed" => 30.0 / 3.6,
            _ => RoadPlan::LIMIT,
        });
        let id = |lanes: &[&RawLane]| match lanes.first() {
            Some(lane) => format!("{}{}", if lane.id > 0 { "-" } else { "" }, road.id).into(),
            None => "".into(),
        };
        let made = self.plan.road(RoadPlan {
            shape,
            along: along.len() as u8,
            against: against.len() as u8,
            lane_width,
            limit: limit.clamp(1.0, 60.0),
            name: road.name.as_str().into(),
            ids: [id(along), id(against)],
            ..RoadPlan::two_way(from, to, 1)
        });
        for (lanes, runs_along) in [(along, is_along), (against, !is_along)] {
            // Places are counted from the kerb, which is outside.
            for (lane, place) in lanes.iter().zip((0..lanes.len()).rev()) {
                let place = Place { road: made, lane: place as u8, is_along: runs_along };
                self.places.insert((&road.id, number, lane.id), place);
            }
        }
    }

    /// The lane of a road at one of its ends, and whether cars come to that end on it.
    fn lane_at(&self, (road, at_end): End, lane: i64) -> Option<(Place, bool)> {
        let sections = self.sections.get(road)?;
        let section = if at_end { sections.last() } else { sections.first() };
        let place = *self.places.get(&(road, *section?, lane))?;
        Some((place, place.is_along == at_end))
    }

    /// Connects two lanes that meet, whichever way cars go.
    fn join(&mut self, one: (Place, bool), other: (Place, bool), junction: u32) {
        let (from, to) = match (one.1, other.1) {
            (true, false) => (one.0, other.0),
            (false, true) => (other.0, one.0),
            _ => return,
        };
        let connection = Connection { from_road: from.road, from_lane: from.lane, to_road: to.road, to_lane: to.lane };
        let known = &mut self.plan.junctions[junction as usize].connections;
        if !known.contains(&connection) {
            known.push(connection);
        }
    }

    /// Connects the sections of roads, and roads that meet without a junction.
    fn connect_roads(&mut self, roads: &[&'raw RawRoad], progress: &Progress) -> Result<(), Stopped> {
        for road in roads {
            progress.check()?;
            let used = self.sections.get(road.id.as_str()).cloned().unwrap_or_default();
            for pair in used.windows(2) {
                for lane in &road.sections[pair[0]].lanes {
                    let next = follow(road, lane, pair[0], pair[1]);
                    let ends = [(pair[0], Some(lane.id)), (pair[1], next)]
                        .map(|(section, lane)| self.places.get(&(road.id.as_str(), section, lane?)).copied());
                    if let [Some(one), Some(other)] = ends {
                        let junction = self.borders[&(road.id.as_str(), pair[0])];
                        self.join((one, one.is_along), (other, !other.is_along), junction);
                    }
                }
            }
            for at_end in [false, true] {
                let Some(Meets::Road(id, other_end)) = &road.meets[usize::from(at_end)] else {
                    continue;
                };
                let Some(&section) = (if at_end { used.last() } else { used.first() }) else {
                    continue;
                };
                let junction = self.nodes[&(road.id.as_str(), at_end)];
                for lane in &road.sections[section].lanes {
                    let own = self.lane_at((&road.id, at_end), lane.id);
                    let link = lane.links[usize::from(at_end)];
                    let other = link.and_then(|link| self.lane_at((id, *other_end), link));
                    if let (Some(own), Some(other)) = (own, other) {
                        self.join(own, other, junction);
                    }
                }
            }
        }
        Ok(())
    }

    /// Connects lanes through junctions.
    fn connect_junctions(
        &mut self,
        drive: &'raw RawDrive,
        report: &mut ImportReport,
        progress: &Progress,
    ) -> Result<(), Stopped> {
        let by_id: BTreeMap<&str, &RawRoad> = drive.roads.iter().map(|road| (road.id.as_str(), road)).collect();
        for junction in &drive.junctions {
            for way in &junction.ways {
                progress.check()?;
                let Some(incoming) = by_id.get(way.from.as_str()) else {
                    report.note("ways of unknown roads: left out", &way.from);
                    continue;
                };
                let meets = |end: &Option<Meets>| *end == Some(Meets::Junction(junction.id.clone()));
                let at_end = meets(&incoming.meets[1]);
                if !at_end && !meets(&incoming.meets[0]) {
                    report.note("ways of roads that do not meet their junction: left out", &way.from);
                    continue;
                }
                let Some(&node) = self.nodes.get(&(incoming.id.as_str(), at_end)) else {
                    continue;
                };
                for &(from, to) in &way.lanes {
                    let own = self.lane_at((&incoming.id, at_end), from);
                    let other = if way.is_direct {
                        self.lane_at((&way.by, !way.at_start), to)
                    } else {
                        by_id.get(way.by.as_str()).and_then(|by| self.beyond(by, &incoming.id, to))
                    };
                    match (own, other) {
                        (Some(own), Some(other)) => self.join(own, other, node),
                        _ => report.note("ways from or to lanes that are not for cars: left out", &way.from),
                    }
                }
            }
        }
        Ok(())
    }

    /// The lane that a lane of a road through a junction leads to, away from the road
    /// that it comes from.
    fn beyond(&self, by: &RawRoad, from: &str, lane: i64) -> Option<(Place, bool)> {
        let is_from = |end: &Option<Meets>| matches!(end, Some(Meets::Road(id, _)) if id == from);
        // Which end of it is the far one.
        let far = match (is_from(&by.meets[0]), is_from(&by.meets[1])) {
            (true, _) => 1,
            (false, true) => 0,
            (false, false) => return None,
        };
        let Some(Meets::Road(id, at_end)) = &by.meets[far] else {
            return None;
        };
        let mut lane = lane;
        let count = by.sections.len();
        for step in 0..count {
            let section = if far == 1 { step } else { count - 1 - step };
            lane = by.sections[section].lanes.iter().find(|known| known.id == lane)?.links[far]?;
        }
        self.lane_at((id, *at_end), lane)
    }

    /// Who goes first: lights where they stand before the junction, roads that are
    /// said to go first, and otherwise who comes first.
    fn control(&mut self, drive: &RawDrive, roads: &[&RawRoad]) {
        for junction in &drive.junctions {
            let meets =
                |road: &&&RawRoad, place: usize| road.meets[place] == Some(Meets::Junction(junction.id.clone()));
            let around: Vec<(&&RawRoad, bool)> = roads
                .iter()
                .flat_map(|road| [(road, false), (road, true)])
                .filter(|(road, at_end)| meets(road, usize::from(*at_end)))
                .collect();
            let Some(node) = around.first().and_then(|(road, at_end)| self.nodes.get(&(road.id.as_str(), *at_end)))
            else {
                continue;
            };
            let is_lit = around.iter().any(|(road, at_end)| {
                let end = if *at_end { road.length } else { 0.0 };
                road.lights.iter().any(|at| (at - end).abs() < LIGHTS_REACH)
            }) || drive
                .roads
                .iter()
                .any(|road| road.within.as_ref() == Some(&junction.id) && !road.lights.is_empty());
            let firsts =
                junction.ways.iter().filter(|way| junction.first.contains(&way.by)).map(|way| way.from.as_str());
            let firsts: Vec<&str> = firsts.collect();
            let is_major = |number: &u32| {
                let ids = &self.plan.roads[*number as usize].ids;
                firsts.iter().any(|first| ids.iter().any(|id| id.trim_start_matches('-') == *first))
            };
            let at = |number: &u32| {
                let road = &self.plan.roads[*number as usize];
                road.from == *node || road.to == *node
            };
            let major = (0..self.plan.roads.len() as u32).filter(at).filter(is_major).collect();
            self.plan.junctions[*node as usize].control = match (is_lit, around.len()) {
                (true, _) => ControlPlan::Signals(SignalsPlan::default()),
                (false, ..3) => ControlPlan::Automatic,
                (false, _) => ControlPlan::Priority { major },
            };
        }
    }
}

/// The lane of a later section that a lane leads to.
fn follow(road: &RawRoad, lane: &RawLane, from: usize, to: usize) -> Option<i64> {
    let mut at = lane.links[1];
    for section in from + 1..to {
        let id = at?;
        at = road.sections[section].lanes.iter().find(|lane| lane.id == id)?.links[1];
    }
    at
}

/// Leaves out points that lie on the line between their neighbours.
fn simplify(shape: &mut Vec<DVec2>) {
    /// So far from it a point is on the line, metres.
    const ON_THE_LINE: f64 = 0.02;
    let points = std::mem::take(shape);
    let mut start = 0;
    for (place, point) in points.iter().enumerate() {
        let between = &points[start..=place];
        let is_straight = place < 2 || {
            let line = [points[start], *points.get(place + 1).unwrap_or(point)];
            between.iter().all(|point| crate::map::from_segment(*point, &line) < ON_THE_LINE)
        };
        if place == 0 || place + 1 == points.len() || !is_straight {
            shape.push(*point);
            start = place;
        }
    }
}
