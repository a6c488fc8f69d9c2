//! Which lane leads to which, and which ways cannot be driven at once.

use glam::DVec2;

use super::build::place;
use super::clearance::Sweep;
use super::error::MapError;
use super::ids::{JunctionId, LaneId, PathId};
use super::plan::{ControlPlan, Plan, Side};
use super::{Control, Map, Path, Turn};

/// The lanes that enter and leave a junction, by number.
#[derive(Default)]
pub(super) struct Arrivals {
    pub(super) entering: Vec<LaneId>,
    pub(super) leaving: Vec<LaneId>,
}

impl Arrivals {
    pub(super) fn find(&mut self, map: &Map, junction: JunctionId) {
        self.entering.clear();
        self.leaving.clear();
        for road in map.roads_at(junction) {
            for lane in map.lanes_of(*road) {
                let list = if map.lane(lane).to == junction { &mut self.entering } else { &mut self.leaving };
                list.push(lane);
            }
        }
        self.entering.sort_unstable();
        self.leaving.sort_unstable();
    }
}

/// The paths through a junction of the plan, sorted by the lanes they join.
pub(super) fn paths(map: &Map, plan: &Plan, number: usize, arrivals: &Arrivals) -> Result<Vec<Path>, MapError> {
    let junction = &plan.junctions[number];
    let pairs = if junction.connections.is_empty() {
        automatic(map, JunctionId::at(number), arrivals)
    } else {
        explicit(map, plan, number, arrivals)?
    };
    let major = match &junction.control {
        ControlPlan::Priority { major } if !major.is_empty() => Some(major),
        _ => None,
    };
    let path = |(from, to): (LaneId, LaneId)| {
        let turn = turn(map, from, to);
        let is_major = major.is_none_or(|major| major.contains(&map.lane(from).road.0));
        let crosses = match (turn, map.side) {
            (Turn::Straight, _) | (Turn::Right, Side::Right) | (Turn::Left, Side::Left) => 0,
            _ => 1,
        };
        let rank = crosses + if is_major { 0 } else { 2 };
        Path { from, to, crossing: map.crossing(from, to).length_to(1.0) as f32, turn, rank, clear: 0.0 }
    };
    Ok(pairs.into_iter().map(path).collect())
}

/// What the plan says, checked.
fn explicit(map: &Map, plan: &Plan, number: usize, arrivals: &Arrivals) -> Result<Vec<(LaneId, LaneId)>, MapError> {
    let find = |lanes: &[LaneId], road: u32, at: u8| {
        let found = lanes.iter().find(|lane| map.lane(**lane).road.0 == road && map.lane(**lane).place == at);
        found.copied().ok_or_else(|| {
            let place = format!("{}, lane {at}", place(plan, road as usize));
            MapError::NotAdjacent { junction: number as u32, place }
        })
    };
    let mut pairs = Vec::new();
    for connection in &plan.junctions[number].connections {
        let from = find(&arrivals.entering, connection.from_road, connection.from_lane)?;
        let to = find(&arrivals.leaving, connection.to_road, connection.to_lane)?;
        pairs.push((from, to));
    }
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

/// At an all-way stop every lane leads to all lanes of all other roads, as in
/// the paper. Elsewhere more than one car may be inside: lanes keep their
/// order, and turns are made from the lane on that side. A road leads back to
/// itself only where nothing else goes on.
fn automatic(map: &Map, junction: JunctionId, arrivals: &Arrivals) -> Vec<(LaneId, LaneId)> {
    let mut pairs = Vec::new();
    for from in &arrivals.entering {
        let road = map.lane(*from).road;
        let onward = |to: &&LaneId| map.lane(**to).road != road;
        let any_onward = arrivals.leaving.iter().any(|to| map.lane(*to).road != road);
        let targets = arrivals.leaving.iter().filter(|to| onward(to) || !any_onward);
        let ordered = map.junction(junction).control != Control::AllWayStop;
        pairs.extend(targets.filter(|to| !ordered || in_order(map, *from, **to)).map(|to| (*from, *to)));
        // A lane that turns nowhere (the middle one of three at the end of a road) takes any way.
        if pairs.last().is_none_or(|(last, _)| last != from) {
            let targets = arrivals.leaving.iter().filter(|to| onward(to) || !any_onward);
            pairs.extend(targets.map(|to| (*from, *to)));
        }
    }
    if map.junction(junction).control != Control::AllWayStop {
        lead_onto_all(map, arrivals, &mut pairs);
    }
    pairs
}

/// A lane onto which nothing leads is led onto from where the lane beside it is, or from
/// wherever cars come.
fn lead_onto_all(map: &Map, arrivals: &Arrivals, pairs: &mut Vec<(LaneId, LaneId)>) {
    for &to in arrivals.leaving.iter() {
        if pairs.iter().any(|(_, known)| *known == to) {
            continue;
        }
        let about = map.lane(to);
        let beside = pairs.iter().map(|(_, known)| *known).filter(|known| {
            let known = map.lane(*known);
            (known.road, known.against) == (about.road, about.against)
        });
        let nearest = beside.min_by_key(|known| map.lane(*known).place.abs_diff(about.place));
        let onto: Vec<LaneId> = match nearest {
            Some(nearest) => pairs.iter().filter(|(_, known)| *known == nearest).map(|(from, _)| *from).collect(),
            None => {
                let others = arrivals.entering.iter().copied().filter(|from| map.lane(*from).road != about.road);
                let onto: Vec<LaneId> = others.collect();
                // Who comes by the same road turns back.
                let back = arrivals.entering.iter().copied().max_by_key(|from| map.lane(*from).place);
                if onto.is_empty() { back.into_iter().collect() } else { onto }
            }
        };
        pairs.extend(onto.into_iter().map(|from| (from, to)));
    }
    pairs.sort_unstable();
}

/// How many lanes of its road go the same way.
fn beside(map: &Map, lane: LaneId) -> u8 {
    let road = map.road(map.lane(lane).road);
    if map.lane(lane).against { road.against } else { road.along }
}

/// Whether lanes keep their order: straight on from place to place, the spare
/// ones to the last; turns from the outermost lane of that side to the same.
fn in_order(map: &Map, from: LaneId, to: LaneId) -> bool {
    let (here, there) = (map.lane(from).place, map.lane(to).place);
    let (before, after) = (beside(map, from), beside(map, to));
    let kerbwards = match map.side {
        Side::Right => Turn::Right,
        Side::Left => Turn::Left,
    };
    match turn(map, from, to) {
        Turn::Straight => here.min(after - 1) == there || there >= before && here == before - 1,
        turn if turn == kerbwards => here == 0 && there == 0,
        _ => here == before - 1 && there == after - 1,
    }
}

/// How a way from lane to lane turns.
fn turn(map: &Map, from: LaneId, to: LaneId) -> Turn {
    let direction = |pair: [DVec2; 2]| (pair[1] - pair[0]).normalize_or(DVec2::X);
    let (before, after) = (map.lane_points(from), map.lane_points(to));
    let last = before.len() - 1;
    let leave = direction([before[last - 1], before[last]]);
    let arrive = direction([after[0], after[1]]);
    let (cosine, sine) = (leave.dot(arrive), leave.perp_dot(arrive));
    if map.lane(from).road == map.lane(to).road || cosine < -0.94 {
        Turn::Back
    } else if cosine > 0.766 {
        Turn::Straight
    } else if sine > 0.0 {
        Turn::Right
    } else {
        Turn::Left
    }
}

/// Nearer than this two ways cannot be driven at once, metres: the width of a car
/// (1.8) and a little.
const CLEARANCE: f64 = 2.2;
/// Into how many pieces a curve is cut to measure distances. Chosen: the sagitta
/// of a piece is centimetres, well below the clearance.
const PIECES: usize = 8;

/// For each path of a junction, of which the sweeps are given where bodies have
/// to be looked at, the bits of those it conflicts with.
pub(super) fn conflicts(map: &Map, junction: JunctionId, sweeps: &[Sweep]) -> Vec<u64> {
    let paths: Vec<PathId> = map.paths_through(junction).collect();
    let words = paths.len().div_ceil(64);
    let line = |path: &PathId| -> [DVec2; PIECES + 1] {
        let path = map.path(*path);
        let curve = map.crossing(path.from, path.to);
        std::array::from_fn(|at| curve.position(at as f64 / PIECES as f64))
    };
    let lines: Vec<[DVec2; PIECES + 1]> = paths.iter().map(line).collect();
    let mut rows = vec![0_u64; paths.len() * words];
    for (row, one) in paths.iter().enumerate() {
        if map.path(*one).turn == Turn::Back && !sweeps.is_empty() {
            // Nor does one that turns back follow another that does.
            rows[row * words + row / 64] |= 1 << (row % 64);
        }
        for (column, other) in paths.iter().enumerate().skip(row + 1) {
            let (first, second) = (map.path(*one), map.path(*other));
            // From the same lane one follows the other, unless one of them comes
            // back or their ways part so late that it would touch the other.
            let meet = if first.from == second.from {
                let turns_back = first.turn == Turn::Back || second.turn == Turn::Back;
                !sweeps.is_empty() && (turns_back || sweeps[row].parts_badly_from(&sweeps[column]))
            } else {
                first.to == second.to
                    || nearer(&lines[row], &lines[column], CLEARANCE)
                    || !sweeps.is_empty() && sweeps[row].touches(&sweeps[column])
            };
            if meet {
                rows[row * words + column / 64] |= 1 << (column % 64);
                rows[column * words + row / 64] |= 1 << (row % 64);
            }
        }
    }
    rows
}

/// Whether two lines of points come nearer to each other than a distance.
fn nearer(one: &[DVec2], other: &[DVec2], distance: f64) -> bool {
    one.windows(2).any(|a| {
        other.windows(2).any(|b| {
            crosses([a[0], a[1]], [b[0], b[1]])
                || from_segment(a[0], b) < distance
                || from_segment(a[1], b) < distance
                || from_segment(b[0], a) < distance
                || from_segment(b[1], a) < distance
        })
    })
}

/// Whether two segments cross.
pub(crate) fn crosses(a: [DVec2; 2], b: [DVec2; 2]) -> bool {
    let side = |line: [DVec2; 2], point: DVec2| (line[1] - line[0]).perp_dot(point - line[0]);
    side(a, b[0]) * side(a, b[1]) < 0.0 && side(b, a[0]) * side(b, a[1]) < 0.0
}

/// Distance of a point from a segment.
pub(crate) fn from_segment(point: DVec2, segment: &[DVec2]) -> f64 {
    let step = segment[1] - segment[0];
    let square = step.length_squared();
    let at = if square > 0.0 { ((point - segment[0]).dot(step) / square).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(segment[0] + step * at)
}
