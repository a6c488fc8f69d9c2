//! From a plan to a map: checked once, then derived in flat arrays.

use glam::DVec2;
use proscenium_work::{Completion, Finish, Halt, Progress, Stopped};

use super::connect::{self, Arrivals};
use super::error::MapError;
use super::grid::Grid;
use super::ids::{JunctionId, LaneId, PathId, RoadId};
use super::plan::{ControlPlan, Plan, RoadPlan};
use super::signals::Signals;
use super::waiting::Waits;
use super::{Control, Junction, Lane, Map, Road, outline, shape};

/// The least length of a road between the middles of its junctions, metres: that
/// of a car.
const LEAST_LENGTH: f64 = 4.0;
/// The share of a road that stays road, however wide its junctions would be.
/// Chosen: some of it must, or cars would have no lane to wait in.
const LEAST_SHARE: f64 = 0.3;
/// The most of anything.
const MOST: u64 = u32::MAX as u64 - 1;

impl Map {
    /// Builds a map from a plan.
    ///
    /// # Errors
    /// Names the first road or junction that cannot be built, and why.
    pub fn build(plan: &Plan) -> Result<Self, MapError> {
        Self::build_watched(plan, &Progress::none()).map(|map| map.finished().expect("nobody stops it"))
    }

    /// As [`Map::build`], for those who watch or may want it to stop: a million
    /// roads take seconds.
    ///
    /// # Errors
    /// As [`Map::build`].
    pub fn build_watched(plan: &Plan, progress: &Progress) -> Result<Completion<Self>, MapError> {
        Self::derive(plan, progress).finish()
    }

    fn derive(plan: &Plan, progress: &Progress) -> Result<Self, Halt<MapError>> {
        progress.tell("junctions", 0.0)?;
        check(plan)?;
        let mut map = Self {
            name: plan.name.clone(),
            side: plan.side,
            junctions: Vec::with_capacity(plan.junctions.len() + 1),
            junction_roads: Vec::with_capacity(2 * plan.roads.len()),
            roads: Vec::with_capacity(plan.roads.len() + 1),
            road_points: Vec::with_capacity(2 * plan.roads.len()),
            lanes: Vec::new(),
            lane_points: Vec::new(),
            lane_stations: Vec::new(),
            paths: Vec::new(),
            entering: Vec::new(),
            conflicts: Vec::new(),
            signals: Vec::new(),
            names: vec!["".into()],
            cramped: Vec::new(),
            grid: Grid::default(),
            fingerprint: 0,
        };
        map.place_junctions(plan, progress)?;
        let setbacks = map.setbacks(plan, progress)?;
        progress.tell("roads", 0.2)?;
        let narrowed = map.lay_roads(plan, &setbacks, progress)?;
        progress.tell("paths", 0.4)?;
        map.connect(plan, progress)?;
        map.enter();
        progress.tell("stop lines", 0.6)?;
        map.clear_stop_lines(&narrowed, progress)?;
        progress.tell("who gives way", 0.8)?;
        map.find_conflicts(&narrowed, progress)?;
        map.set_signals(plan, progress)?;
        progress.tell("places", 0.9)?;
        map.grid = Grid::of(&map, progress)?;
        map.fingerprint = map.hash();
        for list in [&mut map.lane_points, &mut map.road_points] {
            list.shrink_to_fit();
        }
        map.lane_stations.shrink_to_fit();
        map.lanes.shrink_to_fit();
        map.paths.shrink_to_fit();
        Ok(map)
    }

    /// Junctions, and the roads around each in the order of their angles.
    fn place_junctions(&mut self, plan: &Plan, progress: &Progress) -> Result<(), Stopped> {
        let mut counts = vec![0_u32; plan.junctions.len() + 1];
        for road in &plan.roads {
            counts[road.from as usize] += 1;
            counts[road.to as usize] += 1;
        }
        let mut first_road = 0;
        for (junction, count) in plan.junctions.iter().zip(&counts) {
            let control = match (&junction.control, count) {
                (ControlPlan::Automatic, 0 | 1) => Control::DeadEnd,
                (ControlPlan::Automatic, 2) => Control::Free,
                (ControlPlan::Automatic | ControlPlan::AllWayStop, _) => Control::AllWayStop,
                (ControlPlan::Priority { .. }, _) => Control::Priority,
                (ControlPlan::Signals(_), _) => Control::Signals,
            };
            self.junctions.push(Junction {
                position: junction.position,
                control,
                first_road,
                first_path: 0,
                first_conflict: 0,
                signals: 0,
            });
            first_road += count;
        }
        self.junctions.push(Junction {
            position: DVec2::ZERO,
            control: Control::Free,
            first_road,
            first_path: 0,
            first_conflict: 0,
            signals: 0,
        });
        let mut next: Vec<u32> = self.junctions.iter().map(|junction| junction.first_road).collect();
        self.junction_roads = vec![RoadId(0); 2 * plan.roads.len()];
        for (number, road) in plan.roads.iter().enumerate() {
            for end in [road.from, road.to] {
                self.junction_roads[next[end as usize] as usize] = RoadId::at(number);
                next[end as usize] += 1;
            }
        }
        for number in 0..plan.junctions.len() {
            progress.check()?;
            let range = self.junctions[number].first_road as usize..self.junctions[number + 1].first_road as usize;
            let angle = |road: &RoadId| {
                let away = away(plan, *road, JunctionId::at(number));
                libm::atan2(away.y, away.x)
            };
            self.junction_roads[range].sort_by(|a, b| angle(a).total_cmp(&angle(b)).then(a.cmp(b)));
        }
        Ok(())
    }

    /// How far the mouths of each road lie from the middles of its junctions.
    fn setbacks(&self, plan: &Plan, progress: &Progress) -> Result<Vec<[f64; 2]>, Stopped> {
        let mut setbacks = vec![[0.0; 2]; plan.roads.len()];
        for number in 0..plan.junctions.len() {
            progress.check()?;
            let junction = JunctionId::at(number);
            let around = self.roads_at(junction);
            for (place, road) in around.iter().enumerate() {
                let next = around[(place + 1) % around.len()];
                let (this_away, next_away) = (away(plan, *road, junction), away(plan, next, junction));
                let (this, other) = (&plan.roads[road.index()], &plan.roads[next.index()]);
                let [mine, its] = if *road == next {
                    [outline::LEAST_SETBACK; 2]
                } else {
                    outline::setbacks(this_away, this.half_width(), next_away, other.half_width())
                };
                for (road, setback) in [(*road, mine), (next, its)] {
                    let end = usize::from(plan.roads[road.index()].from != number as u32);
                    let known: &mut f64 = &mut setbacks[road.index()][end];
                    *known = known.max(setback);
                }
            }
        }
        Ok(setbacks)
    }

    /// Middle lines and lanes. Tells of each junction whether a road of it is
    /// shorter than its mouths need, or drawn with its ends.
    fn lay_roads(
        &mut self,
        plan: &Plan,
        setbacks: &[[f64; 2]],
        progress: &Progress,
    ) -> Result<Vec<bool>, Halt<MapError>> {
        let mut narrowed = vec![false; plan.junctions.len()];
        let mut names = std::collections::BTreeMap::new();
        for (number, road) in plan.roads.iter().enumerate() {
            progress.check()?;
            let drawn = drawn_ends(plan, road);
            let mut line = Vec::with_capacity(road.shape.len() + 2);
            line.extend((!drawn[0]).then_some(plan.junctions[road.from as usize].position));
            line.extend(&road.shape);
            line.extend((!drawn[1]).then_some(plan.junctions[road.to as usize].position));
            let line = shape::rounded(line);
            let total = shape::length(&line);
            if total < LEAST_LENGTH {
                let place = place(plan, number);
                return Err(MapError::TooShort { place, length: total, least: LEAST_LENGTH }.into());
            }
            let [start, end] = [0, 1].map(|side| if drawn[side] { 0.0 } else { setbacks[number][side] });
            let scale = ((1.0 - LEAST_SHARE) * total / (start + end)).min(1.0);
            for (junction, drawn) in [(road.from, drawn[0]), (road.to, drawn[1])] {
                narrowed[junction as usize] |= drawn || scale < 1.0;
            }
            let line = shape::trimmed(&line, scale * start, total - scale * end);
            let name = if road.name.is_empty() {
                0
            } else {
                *names.entry(&road.name).or_insert_with(|| {
                    self.names.push(road.name.clone());
                    (self.names.len() - 1) as u32
                })
            };
            self.roads.push(Road {
                from: JunctionId(road.from),
                to: JunctionId(road.to),
                first_lane: LaneId::at(self.lanes.len()),
                along: road.along,
                against: road.against,
                limit: road.limit as f32,
                lane_width: road.lane_width as f32,
                half_width: road.half_width() as f32,
                length: shape::length(&line) as f32,
                is_beyond: road.is_beyond,
                first_point: self.road_points.len() as u32,
                name,
            });
            self.lay_lanes(road, RoadId::at(number), &line);
            self.road_points.extend_from_slice(&line);
        }
        let end = Road { first_lane: LaneId::at(self.lanes.len()), ..self.roads[0] };
        self.roads.push(Road { first_point: self.road_points.len() as u32, ..end });
        self.lanes.push(Lane { first_point: self.lane_points.len() as u32, ..self.lanes[0] });
        let points = self.lane_points.len().max(self.road_points.len());
        if points as u64 > MOST {
            return Err(MapError::TooMany { what: "points", most: MOST }.into());
        }
        Ok(narrowed)
    }

    /// The lanes of a road whose middle line is given.
    fn lay_lanes(&mut self, road: &RoadPlan, id: RoadId, line: &[DVec2]) {
        let half = 0.5 * f64::from(road.along + road.against) * road.lane_width;
        for place in 0..road.along + road.against {
            let against = place >= road.along;
            let place = if against { place - road.along } else { place };
            // Lanes are counted from the kerb, which is on the side that cars keep to.
            let offset = (half - (f64::from(place) + 0.5) * road.lane_width) * self.side.sign();
            let first_point = self.lane_points.len();
            if against {
                self.lane_points.extend(shape::moved(line, -offset).rev());
            } else {
                self.lane_points.extend(shape::moved(line, offset));
            }
            let mut length = 0.0;
            self.lane_stations.push(0.0);
            for at in first_point + 1..self.lane_points.len() {
                length += self.lane_points[at - 1].distance(self.lane_points[at]);
                self.lane_stations.push(length);
            }
            let (from, to) = if against { (road.to, road.from) } else { (road.from, road.to) };
            self.lanes.push(Lane {
                road: id,
                from: JunctionId(from),
                to: JunctionId(to),
                length,
                first_point: first_point as u32,
                first_entering: 0,
                first_path: 0,
                paths: 0,
                place,
                against,
            });
        }
    }

    /// Paths through every junction.
    fn connect(&mut self, plan: &Plan, progress: &Progress) -> Result<(), Halt<MapError>> {
        let mut arrivals = Arrivals::default();
        for number in 0..plan.junctions.len() {
            progress.check()?;
            self.junctions[number].first_path = self.paths.len() as u32;
            arrivals.find(self, JunctionId::at(number));
            let paths = connect::paths(self, plan, number, &arrivals)?;
            for lane in &arrivals.entering {
                let first = paths.partition_point(|path| path.from < *lane);
                let count = paths[first..].partition_point(|path| path.from == *lane);
                if count == 0 {
                    let place = place(plan, self.lane(*lane).road.index());
                    return Err(MapError::NoWayOut { place, junction: number as u32 }.into());
                }
                let lane = &mut self.lanes[lane.index()];
                lane.first_path = (self.paths.len() + first) as u32;
                lane.paths = u16::try_from(count)
                    .map_err(|_| MapError::TooMany { what: "ways out of a lane", most: u64::from(u16::MAX) })?;
            }
            self.paths.extend(paths);
            if self.paths.len() as u64 > MOST {
                return Err(MapError::TooMany { what: "paths", most: MOST }.into());
            }
        }
        self.junctions[plan.junctions.len()].first_path = self.paths.len() as u32;
        Ok(())
    }

    /// The paths that enter each lane.
    fn enter(&mut self) {
        let mut next = vec![0_u32; self.lanes.len()];
        for path in &self.paths {
            next[path.to.index()] += 1;
        }
        let mut first = 0;
        for (lane, count) in self.lanes.iter_mut().zip(&mut next) {
            lane.first_entering = first;
            first += *count;
            *count = lane.first_entering;
        }
        self.entering = vec![PathId(0); self.paths.len()];
        for (number, path) in self.paths.iter().enumerate() {
            let place = &mut next[path.to.index()];
            self.entering[*place as usize] = PathId::at(number);
            *place += 1;
        }
    }

    fn find_conflicts(&mut self, narrowed: &[bool], progress: &Progress) -> Result<(), Stopped> {
        for junction in self.junctions() {
            progress.check()?;
            let sweeps = if self.is_roomy(junction, narrowed) { Vec::new() } else { self.sweeps(junction) };
            if !sweeps.is_empty() {
                let clear = self.clearing(junction, &sweeps);
                let first = self.junctions[junction.index()].first_path as usize;
                for (path, clear) in self.paths[first..].iter_mut().zip(clear) {
                    path.clear = clear;
                }
            }
            if matches!(self.junction(junction).control, Control::AllWayStop | Control::DeadEnd) {
                continue;
            }
            self.junctions[junction.index()].first_conflict = self.conflicts.len() as u32;
            let rows = connect::conflicts(self, junction, &sweeps);
            self.conflicts.extend(rows);
        }
        Ok(())
    }

    fn set_signals(&mut self, plan: &Plan, progress: &Progress) -> Result<(), Halt<MapError>> {
        for (number, junction) in plan.junctions.iter().enumerate() {
            if let ControlPlan::Signals(signals) = &junction.control {
                progress.check()?;
                let mut made = Signals::make(self, plan, number, signals)?;
                let id = JunctionId::at(number);
                made.waits = Waits::find(self, id, &made, &self.sweeps(id));
                self.junctions[number].signals = self.signals.len() as u32;
                self.signals.push(made);
            }
        }
        Ok(())
    }

    /// A hash of what is driven on.
    fn hash(&self) -> u64 {
        let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
        let mut word = |value: u64| {
            hash = (hash ^ value).wrapping_mul(0xff51_afd7_ed55_8ccd);
            hash ^= hash >> 32;
        };
        for junction in &self.junctions {
            word(junction.control as u64);
            word(u64::from(junction.first_path));
        }
        for point in &self.lane_points {
            word(point.x.to_bits());
            word(point.y.to_bits());
        }
        for road in &self.roads {
            word(u64::from(road.limit.to_bits()));
        }
        for path in &self.paths {
            word(u64::from(path.from.0) << 32 | u64::from(path.to.0));
        }
        hash
    }
}

/// Where lanes are connected one by one, a shape that comes this near to the
/// middle of the junction ends at the stop lines, metres. Chosen: half across a
/// very large junction.
const DRAWN: f64 = 60.0;

/// Whether a road is drawn from stop line to stop line at its start and at its
/// end: where its junction says which lane leads to which, as networks of SUMO
/// do.
fn drawn_ends(plan: &Plan, road: &RoadPlan) -> [bool; 2] {
    if road.shape.len() < 2 || shape::length(&road.shape) < LEAST_LENGTH {
        return [false; 2];
    }
    let is_drawn = |junction: u32, point: DVec2| {
        let junction = &plan.junctions[junction as usize];
        !junction.connections.is_empty() && junction.position.distance(point) < DRAWN
    };
    [is_drawn(road.from, road.shape[0]), is_drawn(road.to, road.shape[road.shape.len() - 1])]
}

/// The direction in which a road leaves a junction: not normalised.
fn away(plan: &Plan, road: RoadId, junction: JunctionId) -> DVec2 {
    let road = &plan.roads[road.index()];
    let here = plan.junctions[junction.index()].position;
    if road.from == junction.0 {
        road.shape.first().copied().unwrap_or(plan.junctions[road.to as usize].position) - here
    } else {
        road.shape.last().copied().unwrap_or(plan.junctions[road.from as usize].position) - here
    }
}

/// How a road of the plan is called in errors.
pub(super) fn place(plan: &Plan, road: usize) -> String {
    match plan.roads.get(road).map(|road| &*road.name) {
        Some("") | None => format!("road {road}"),
        Some(name) => format!("road {road} (\"{name}\")"),
    }
}

/// Checks every number of a plan.
fn check(plan: &Plan) -> Result<(), MapError> {
    if plan.roads.is_empty() {
        return Err(MapError::NoRoads);
    }
    for (what, count) in [("junctions", plan.junctions.len()), ("roads", plan.roads.len())] {
        if count as u64 > MOST {
            return Err(MapError::TooMany { what, most: MOST });
        }
    }
    let mut lanes = 0_u64;
    for (number, junction) in plan.junctions.iter().enumerate() {
        let place = || format!("junction {number}");
        finite_point("the position", place, junction.position)?;
    }
    for (number, road) in plan.roads.iter().enumerate() {
        let place = || place(plan, number);
        for end in [road.from, road.to] {
            if end as usize >= plan.junctions.len() {
                let count = plan.junctions.len() as u64;
                return Err(MapError::Unknown { place: place(), what: "junction", number: u64::from(end), count });
            }
        }
        if road.from == road.to {
            return Err(MapError::Loop { place: place(), junction: road.from });
        }
        if road.along.saturating_add(road.against) == 0 {
            return Err(MapError::NoLanes { place: place() });
        }
        in_range("the number of lanes", place, f64::from(road.along) + f64::from(road.against), 1.0, 64.0)?;
        in_range("the lane width", place, road.lane_width, 1.0, 20.0)?;
        in_range("the pavement", place, road.pavement, 0.0, 100.0)?;
        in_range("the speed limit", place, road.limit, 0.5, 100.0)?;
        for point in &road.shape {
            finite_point("a point of the shape", place, *point)?;
        }
        lanes += u64::from(road.along) + u64::from(road.against);
    }
    if lanes > MOST {
        return Err(MapError::TooMany { what: "lanes", most: MOST });
    }
    Ok(())
}

/// The farthest that anything may lie from the origin, metres: beyond it
/// millimetres are lost.
const FARTHEST: f64 = 1e7;

fn finite_point(what: &'static str, place: impl Fn() -> String, point: DVec2) -> Result<(), MapError> {
    in_range(what, &place, point.x, -FARTHEST, FARTHEST)?;
    in_range(what, &place, point.y, -FARTHEST, FARTHEST)
}

fn in_range(what: &'static str, place: impl Fn() -> String, value: f64, least: f64, most: f64) -> Result<(), MapError> {
    // Written so that a NaN is refused as well.
    if value >= least && value <= most {
        return Ok(());
    }
    let remedy = match what {
        "the speed limit" => "give metres per second, from 0.5 to 100",
        "the lane width" => "give metres, from 1 to 20",
        "the pavement" => "give metres, from 0 to 100",
        "the number of lanes" => "at most 64 fit on a road",
        _ => "give metres, within 10 000 km of the origin",
    };
    Err(MapError::Number { what, place: place(), value, remedy })
}
