//! How far it is to a goal, in seconds, from everywhere: what planned ways follow.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::Carriageway;
use crate::culling::Moment;
use crate::driving::Vehicle;
use crate::map::{Control, LaneId, Map, PathId};

/// What a stop costs on average, seconds, by the control of the junction: half a
/// minute's cycle at lights, some seconds where one stops or gives way. Chosen: it
/// only has to tell ways apart, and a jam is seen when it is there.
fn stop_seconds(control: Control, rank: u8) -> f64 {
    match control {
        Control::Signals => 15.0,
        Control::AllWayStop => 6.0,
        Control::Priority => 2.0 * f64::from(rank),
        Control::Free | Control::DeadEnd => 0.0,
    }
}

/// What changing to the lane beside costs a plan, seconds. Chosen: more than what makes
/// a change needed, and less than any way round.
const CHANGE: f64 = 5.0;
/// On a lane that is shorter than this nobody plans to change, metres: a car's start, a
/// change at walking pace, and what is left before the stop line.
const LEAST_FOR_CHANGE: f64 = 34.0;

/// The lanes beside a lane to which a plan may change.
fn beside(map: &Map, lane: LaneId) -> impl Iterator<Item = LaneId> + '_ {
    let about = *map.lane(lane);
    let is_beside = move |other: &LaneId| {
        let other = map.lane(*other);
        other.against == about.against && other.place.abs_diff(about.place) == 1 && other.length >= LEAST_FOR_CHANGE
    };
    map.lanes_of(about.road).filter(is_beside)
}

/// What a path costs a plan, seconds.
pub(super) fn cost(map: &Map, vehicle: &Vehicle, path: PathId) -> f64 {
    let junction = map.junction(map.start_of(path));
    let [crossing, lane] = vehicle.limits(map, path);
    let seconds = f64::from(map.path(path).crossing) / crossing + map.lane(map.path(path).to).length / lane;
    seconds + stop_seconds(junction.control, map.path(path).rank)
}

/// The seconds from the end of each lane to a goal: the shortest ways by Dijkstra's
/// algorithm, from the goal backwards. Infinite where no way leads there.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    goal: Carriageway,
    seconds: Vec<f32>,
}

impl Field {
    pub(crate) fn new(map: &Map, vehicle: &Vehicle, goal: Carriageway, changes_lanes: bool) -> Self {
        let mut seconds = vec![f32::INFINITY; map.lane_count()];
        let mut waiting = BinaryHeap::new();
        for lane in goal.lanes(map) {
            seconds[lane.index()] = 0.0;
            waiting.push(Reverse((Moment(0.0), lane)));
        }
        while let Some(Reverse((Moment(known), lane))) = waiting.pop() {
            if known as f32 > seconds[lane.index()] {
                continue;
            }
            for other in beside(map, lane).filter(|_| changes_lanes) {
                let total = (known + CHANGE) as f32;
                if total < seconds[other.index()] {
                    seconds[other.index()] = total;
                    waiting.push(Reverse((Moment(f64::from(total)), other)));
                }
            }
            for &path in map.paths_onto(lane) {
                let before = map.path(path).from;
                // Nobody leaves by the rim to come back.
                if map.road(map.lane(lane).road).is_beyond {
                    continue;
                }
                let total = (known + cost(map, vehicle, path)) as f32;
                if total < seconds[before.index()] {
                    seconds[before.index()] = total;
                    waiting.push(Reverse((Moment(f64::from(total)), before)));
                }
            }
        }
        Self { goal, seconds }
    }

    /// Where it leads.
    pub(crate) fn goal(&self) -> Carriageway {
        self.goal
    }

    /// Whether a path leads down the goal.
    pub(crate) fn is_reached(&self, map: &Map, path: PathId) -> bool {
        Carriageway::of(map, map.path(path).to) == self.goal
    }

    /// The path after one by which the goal is reached first; nothing if none leads
    /// there.
    pub(crate) fn quickest(&self, map: &Map, path: PathId) -> Option<PathId> {
        let vehicle = Vehicle::default();
        let total = |next: PathId| cost(map, &vehicle, next) + self.seconds(map.path(next).to);
        let known = map.successors(path).map(|next| (total(next), next)).filter(|(seconds, _)| seconds.is_finite());
        known.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, next)| next)
    }

    /// Seconds from the end of a lane.
    #[inline]
    pub(crate) fn seconds(&self, lane: LaneId) -> f64 {
        f64::from(self.seconds[lane.index()])
    }
}

/// A way that is told: of each lane by which it leads, its place in the way, and the
/// seconds from its end to the goal.
#[derive(Clone, Debug, Default)]
pub(super) struct Corridor {
    lanes: BTreeMap<LaneId, (usize, f64)>,
}

impl Corridor {
    /// From the last carriageway backwards. One that is passed twice counts where
    /// it is passed last: nobody goes round in circles. Where the way breaks off, since
    /// the map does not lead from one to the next, it goes on as the field knows.
    pub(super) fn new(map: &Map, vehicle: &Vehicle, way: &[Carriageway], field: &Field, changes_lanes: bool) -> Self {
        let mut lanes = BTreeMap::new();
        let mut after: BTreeMap<LaneId, f64> = BTreeMap::new();
        for (number, carriageway) in way.iter().enumerate().rev() {
            let mut here = BTreeMap::new();
            for lane in carriageway.lanes(map) {
                let onward = map
                    .paths_from(lane)
                    .filter_map(|path| after.get(&map.path(path).to).map(|rest| rest + cost(map, vehicle, path)));
                let least = if number + 1 == way.len() { 0.0 } else { onward.fold(f64::INFINITY, f64::min) };
                if least.is_finite() {
                    here.insert(lane, least);
                }
            }
            if here.is_empty() {
                let known = carriageway.lanes(map).map(|lane| (lane, field.seconds(lane)));
                here.extend(known.filter(|(_, seconds)| seconds.is_finite()));
            }
            // Lanes have few others beside them: as many rounds as there are lanes reach all.
            for _ in 0..if changes_lanes { here.len().max(carriageway.lanes(map).count()) } else { 0 } {
                for lane in carriageway.lanes(map) {
                    let known = beside(map, lane).filter_map(|other| here.get(&other)).copied();
                    let least = known.fold(f64::INFINITY, f64::min) + CHANGE;
                    if map.lane(lane).length >= LEAST_FOR_CHANGE
                        && here.get(&lane).is_none_or(|now| least < *now)
                        && least.is_finite()
                    {
                        here.insert(lane, least);
                    }
                }
            }
            for (&lane, &least) in &here {
                lanes.entry(lane).or_insert((number, least));
            }
            after = here;
        }
        Self { lanes }
    }

    /// Seconds from the end of a lane; nothing if the way does not lead by it.
    pub(super) fn seconds(&self, lane: LaneId) -> Option<f64> {
        self.lanes.get(&lane).map(|(_, seconds)| *seconds)
    }

    /// The same of a lane that follows another on the way.
    pub(super) fn seconds_after(&self, lane: LaneId, next: LaneId) -> Option<f64> {
        let (place, _) = self.lanes.get(&lane)?;
        self.lanes.get(&next).filter(|(after, _)| *after == place + 1).map(|(_, seconds)| *seconds)
    }
}
