//! The road network: immutable, compact, and quick to ask.

mod build;
mod clearance;
mod connect;
mod curve;
mod error;
mod grid;
mod ids;
mod outline;
mod plan;
pub mod shape;
mod signals;
mod statistics;
mod waiting;

use glam::DVec2;

pub use curve::{CurvePoint, PathCurve};
pub use error::MapError;
pub use grid::Near;
pub use ids::{JunctionId, LaneId, PathId, RoadId};
pub use outline::{CrossSection, Outline, Side as OutlineSide};
pub use plan::{Connection, ControlPlan, JunctionPlan, Light, PhasePlan, Plan, RoadPlan, Side, SignalsPlan};
pub use statistics::MapStatistics;

pub(crate) use connect::{crosses, from_segment};
use grid::Grid;
pub(crate) use grid::contains;
pub(crate) use outline::setbacks;
pub(crate) use signals::Go;
use signals::Signals;

/// A road network that is ready to be driven on: what [`Plan`] says and all
/// that follows from it, in flat arrays. A million roads take some hundred
/// megabytes. Nothing in it changes once it is built.
///
/// A *road* joins two *junctions* and has *lanes* in one or both directions. A
/// lane runs from the stop line where it leaves a junction to the stop line
/// where it enters the next. A *path* is what a car follows (Chenney 2000,
/// figure B.2): from the stop line at the end of one lane through the junction,
/// `u ∈ [0, 1)`, and down another lane to its stop line, `u ∈ [1, 2)`. All
/// paths that enter the same lane share it.
///
/// The second component of a plan coordinate is the world's z; y is up and
/// roads lie at y = 0.
#[derive(Clone, Debug)]
pub struct Map {
    name: String,
    side: Side,
    junctions: Vec<Junction>,
    /// Roads at each junction, clockwise as seen from above with north up.
    junction_roads: Vec<RoadId>,
    roads: Vec<Road>,
    /// Middle lines of roads, from mouth to mouth.
    road_points: Vec<DVec2>,
    lanes: Vec<Lane>,
    lane_points: Vec<DVec2>,
    /// Distance of each lane point from the start of its lane, metres.
    lane_stations: Vec<f64>,
    /// Sorted by junction, then by the lane that they come from.
    paths: Vec<Path>,
    /// Paths that enter each lane.
    entering: Vec<PathId>,
    /// For each path of a junction that is no all-way stop, a bit for each
    /// path of the same junction that it conflicts with.
    conflicts: Vec<u64>,
    signals: Vec<Signals>,
    names: Vec<Box<str>>,
    /// Lanes in which bodies have less room than they need.
    cramped: Vec<LaneId>,
    grid: Grid,
    fingerprint: u64,
}

/// Who goes first at a junction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// All stop; first in, first out; one car inside at a time.
    AllWayStop,
    /// Traffic lights: ask [`Map::light`].
    Signals,
    /// No stop; whoever [`Map::gives_way`] waits for the other.
    Priority,
    /// Two roads meet, and cars pass as on one.
    Free,
    /// One road ends, and cars turn back.
    DeadEnd,
}

/// How a path turns in its junction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Within some forty degrees of straight on.
    Straight,
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Back where it came from.
    Back,
}

/// A junction of a [`Map`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Junction {
    /// Its middle, metres.
    pub position: DVec2,
    /// Who goes first.
    pub control: Control,
    first_road: u32,
    first_path: u32,
    /// Where its bits of conflicts start, or its signals are.
    first_conflict: u32,
    signals: u32,
}

/// A road of a [`Map`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Road {
    /// Where it starts.
    pub from: JunctionId,
    /// Where it ends.
    pub to: JunctionId,
    /// Its first lane: those along it come first, then those against it, each
    /// from the kerb inwards.
    pub first_lane: LaneId,
    /// Lanes from start to end.
    pub along: u8,
    /// Lanes from end to start.
    pub against: u8,
    /// Speed limit, metres per second.
    pub limit: f32,
    /// Width of a lane, metres.
    pub lane_width: f32,
    /// From the middle line to the walls, metres.
    pub half_width: f32,
    /// Of the middle line from mouth to mouth, metres.
    pub length: f32,
    /// Whether it lies beyond the rim: see [`RoadPlan::is_beyond`].
    pub is_beyond: bool,
    first_point: u32,
    name: u32,
}

impl Road {
    /// From the middle line to the kerb, metres.
    pub fn half_carriageway(&self) -> f64 {
        0.5 * f64::from(self.along + self.against) * f64::from(self.lane_width)
    }
}

/// A lane of a [`Map`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lane {
    /// The road it belongs to.
    pub road: RoadId,
    /// The junction it leaves.
    pub from: JunctionId,
    /// The junction it leads to.
    pub to: JunctionId,
    /// From stop line to stop line, metres.
    pub length: f64,
    first_point: u32,
    first_entering: u32,
    first_path: u32,
    paths: u16,
    /// Place in its direction, from the kerb inwards.
    pub place: u8,
    /// Whether it runs against the road's direction.
    pub against: bool,
}

/// A path of a [`Map`]: through a junction and down a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// The lane at whose end the path starts.
    pub from: LaneId,
    /// The lane that it follows to its end.
    pub to: LaneId,
    /// Length of the curve through the junction, metres.
    pub crossing: f32,
    /// How it turns in the junction.
    pub turn: Turn,
    /// Who gives way at a junction with priorities or lights: the higher rank
    /// to the lower. 0 for straight on and towards the kerb from a major road,
    /// 1 for its other turns, 2 and 3 for the same from a minor one.
    pub rank: u8,
    /// How far down the lane the front of a car is when its body has left the
    /// junction and stands straight, metres; 0 where its length is enough.
    pub clear: f32,
}

/// The paths with consecutive numbers from `start` up to, not including, `end`.
fn path_range(start: u32, end: u32) -> impl ExactSizeIterator<Item = PathId> + DoubleEndedIterator + Clone {
    (start..end).map(PathId)
}

impl Map {
    /// What the city is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The side of the road that cars keep to.
    pub fn side(&self) -> Side {
        self.side
    }

    /// A number that two maps share only if they are the same: what was
    /// learned on a map is kept with it.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// How many junctions there are; their numbers are below this.
    pub fn junction_count(&self) -> usize {
        self.junctions.len() - 1
    }

    /// How many roads there are.
    pub fn road_count(&self) -> usize {
        self.roads.len() - 1
    }

    /// How many lanes there are.
    pub fn lane_count(&self) -> usize {
        self.lanes.len() - 1
    }

    /// How many paths there are.
    pub fn path_count(&self) -> usize {
        self.paths.len()
    }

    /// All junctions.
    pub fn junctions(&self) -> impl ExactSizeIterator<Item = JunctionId> + use<> {
        (0..self.junction_count() as u32).map(JunctionId)
    }

    /// All roads.
    pub fn roads(&self) -> impl ExactSizeIterator<Item = RoadId> + use<> {
        (0..self.road_count() as u32).map(RoadId)
    }

    /// All lanes.
    pub fn lanes(&self) -> impl ExactSizeIterator<Item = LaneId> + use<> {
        (0..self.lane_count() as u32).map(LaneId)
    }

    /// All paths.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = PathId> + use<> {
        (0..self.path_count() as u32).map(PathId)
    }

    /// A junction.
    ///
    /// # Panics
    /// Here and below: when the number is not one of this map.
    #[inline]
    pub fn junction(&self, junction: JunctionId) -> &Junction {
        &self.junctions[junction.index()]
    }

    /// A road.
    #[inline]
    pub fn road(&self, road: RoadId) -> &Road {
        &self.roads[road.index()]
    }

    /// What a road is called; empty for nothing.
    pub fn road_name(&self, road: RoadId) -> &str {
        &self.names[self.roads[road.index()].name as usize]
    }

    /// A lane.
    #[inline]
    pub fn lane(&self, lane: LaneId) -> &Lane {
        &self.lanes[lane.index()]
    }

    /// A path.
    #[inline]
    pub fn path(&self, path: PathId) -> &Path {
        &self.paths[path.index()]
    }

    /// The roads that meet at a junction, clockwise as seen from above.
    #[inline]
    pub fn roads_at(&self, junction: JunctionId) -> &[RoadId] {
        let (this, next) = (&self.junctions[junction.index()], &self.junctions[junction.index() + 1]);
        &self.junction_roads[this.first_road as usize..next.first_road as usize]
    }

    /// The paths through a junction.
    #[inline]
    pub fn paths_through(
        &self,
        junction: JunctionId,
    ) -> impl ExactSizeIterator<Item = PathId> + DoubleEndedIterator + Clone + use<> {
        let (this, next) = (&self.junctions[junction.index()], &self.junctions[junction.index() + 1]);
        path_range(this.first_path, next.first_path)
    }

    /// The lanes of a road: those along it first, each direction from the kerb inwards.
    #[inline]
    pub fn lanes_of(&self, road: RoadId) -> impl ExactSizeIterator<Item = LaneId> + Clone + use<> {
        (self.roads[road.index()].first_lane.0..self.roads[road.index() + 1].first_lane.0).map(LaneId)
    }

    /// The junction at the other end of a road.
    #[inline]
    pub fn across(&self, road: RoadId, junction: JunctionId) -> JunctionId {
        let road = self.road(road);
        if road.from == junction { road.to } else { road.from }
    }

    /// Roads that meet this one at its start or its end, without it.
    pub fn adjacent_roads(&self, road: RoadId) -> impl Iterator<Item = RoadId> + '_ {
        let ends = [self.road(road).from, self.road(road).to];
        ends.into_iter().flat_map(|end| self.roads_at(end).iter().copied()).filter(move |other| *other != road)
    }

    /// The paths that start at the end of a lane: at least one.
    #[inline]
    pub fn paths_from(
        &self,
        lane: LaneId,
    ) -> impl ExactSizeIterator<Item = PathId> + DoubleEndedIterator + Clone + use<> {
        let lane = &self.lanes[lane.index()];
        path_range(lane.first_path, lane.first_path + u32::from(lane.paths))
    }

    /// The paths that enter a lane, and share it.
    #[inline]
    pub fn paths_onto(&self, lane: LaneId) -> &[PathId] {
        let (this, next) = (&self.lanes[lane.index()], &self.lanes[lane.index() + 1]);
        &self.entering[this.first_entering as usize..next.first_entering as usize]
    }

    /// The paths that may follow a path: at least one.
    #[inline]
    pub fn successors(
        &self,
        path: PathId,
    ) -> impl ExactSizeIterator<Item = PathId> + DoubleEndedIterator + Clone + use<> {
        self.paths_from(self.path(path).to)
    }

    /// The paths that a path may follow.
    #[inline]
    pub fn predecessors(&self, path: PathId) -> &[PathId] {
        self.paths_onto(self.path(path).from)
    }

    /// The junction that a path passes through at its start.
    #[inline]
    pub fn start_of(&self, path: PathId) -> JunctionId {
        self.lane(self.path(path).from).to
    }

    /// The junction that a path leads to.
    #[inline]
    pub fn end_of(&self, path: PathId) -> JunctionId {
        self.lane(self.path(path).to).to
    }

    /// The road that a path leads down.
    #[inline]
    pub fn road_of(&self, path: PathId) -> RoadId {
        self.lane(self.path(path).to).road
    }

    /// From the stop line where a path starts to that where it ends, metres.
    #[inline]
    pub fn path_length(&self, path: PathId) -> f64 {
        let path = self.path(path);
        f64::from(path.crossing) + self.lane(path.to).length
    }

    /// Speed limits of a path, metres per second: through the junction, and on
    /// the lane. In the junction the lower of both roads holds.
    #[inline]
    pub fn limits(&self, path: PathId) -> [f64; 2] {
        let path = self.path(path);
        let (from, to) = (self.road(self.lane(path.from).road).limit, self.road(self.lane(path.to).road).limit);
        [f64::from(from.min(to)), f64::from(to)]
    }

    /// The least time that any car can take for a path, seconds: at the speed
    /// limits all the way. Nothing that obeys them is faster, so guarantees may
    /// rest on it; what accelerates and stops takes longer.
    #[inline]
    pub fn least_time(&self, path: PathId) -> f64 {
        let [crossing, lane] = self.limits(path);
        f64::from(self.path(path).crossing) / crossing + self.lane(self.path(path).to).length / lane
    }

    /// Where the bound of a car, a circle of this radius, may reach other
    /// places than the path's road (Chenney 2000, B.2.1): values of u on the
    /// lane. Before the first the car counts to all roads of the junction
    /// behind it, after the second to all of the junction ahead. They are
    /// conservative. On a lane that is shorter than the bound the first is
    /// greater than the second.
    #[inline]
    pub fn transition_points(&self, path: PathId, radius: f64) -> [f64; 2] {
        let share = radius / self.lane(self.path(path).to).length;
        [1.0 + share, 2.0 - share]
    }

    /// Whether two paths through the same junction cannot be driven at the
    /// same time: they cross, merge, or come nearer than a car is wide. At an
    /// all-way stop any two conflict. Two that start in the same lane do not:
    /// there a car follows the other, unless one of them turns back, or they
    /// part too late for that. Paths of different junctions never do.
    pub fn conflict(&self, one: PathId, other: PathId) -> bool {
        let junction = self.start_of(one);
        if self.start_of(other) != junction {
            return false;
        }
        let at = self.junction(junction);
        match at.control {
            Control::AllWayStop | Control::DeadEnd => one != other,
            _ => self.bit(at, junction, one, other),
        }
    }

    fn bit(&self, at: &Junction, junction: JunctionId, one: PathId, other: PathId) -> bool {
        let count = self.junctions[junction.index() + 1].first_path - at.first_path;
        let words = count.div_ceil(64);
        let (row, column) = (one.0 - at.first_path, other.0 - at.first_path);
        let word = self.conflicts[(at.first_conflict + row * words + column / 64) as usize];
        word >> (column % 64) & 1 == 1
    }

    /// Paths that conflict with a path. See [`Map::conflict`].
    pub fn conflicts_of(&self, path: PathId) -> impl Iterator<Item = PathId> + '_ {
        self.paths_through(self.start_of(path)).filter(move |other| self.conflict(path, *other))
    }

    /// Whether a car that is about to take `one` waits for a car that takes
    /// `other`: they conflict, and `other` has the lower rank. Between equal
    /// ranks whoever came first goes first.
    pub fn gives_way(&self, one: PathId, other: PathId) -> bool {
        self.path(one).rank > self.path(other).rank && self.conflict(one, other)
    }

    /// What the lights show to a path at a time, seconds. Where there are none,
    /// green.
    pub fn light(&self, path: PathId, time: f64) -> Light {
        match self.programme(self.start_of(path)) {
            Some((signals, junction)) => signals.light(path.0 - junction.first_path, time),
            None => Light::Green,
        }
    }

    /// How the light of a path stands at a time; nothing where there are none.
    pub(crate) fn go(&self, path: PathId, time: f64) -> Option<Go> {
        let (signals, junction) = self.programme(self.start_of(path))?;
        Some(signals.go(path.0 - junction.first_path, time))
    }

    /// When the lights of a junction change next after a time, seconds; never
    /// where there are none.
    pub fn next_change(&self, junction: JunctionId, time: f64) -> Option<f64> {
        self.programme(junction).map(|(signals, _)| signals.next_change(time))
    }

    /// Length of the lights' programme at a junction, seconds.
    pub fn cycle(&self, junction: JunctionId) -> Option<f64> {
        self.programme(junction).map(|(signals, _)| signals.cycle())
    }

    /// How far beyond its stop line a car waits on a path until those who go first have
    /// passed, metres: where it is in nobody's way. 0 where it waits at the line.
    pub fn waiting_place(&self, path: PathId) -> f64 {
        match self.programme(self.start_of(path)) {
            Some((signals, junction)) => signals.waits.place(path.0 - junction.first_path),
            None => 0.0,
        }
    }

    /// Whether a car that waits inside a junction on its way along `waiting` is in the way
    /// of one that takes `other`.
    pub fn is_in_the_way(&self, waiting: PathId, other: PathId) -> bool {
        match self.programme(self.start_of(waiting)) {
            Some((signals, junction)) => {
                signals.waits.is_in_the_way(waiting.0 - junction.first_path, other.0 - junction.first_path)
            }
            None => true,
        }
    }

    fn programme(&self, junction: JunctionId) -> Option<(&Signals, &Junction)> {
        let at = self.junction(junction);
        (at.control == Control::Signals).then(|| (&self.signals[at.signals as usize], at))
    }

    /// The middle line of a road from mouth to mouth, metres.
    #[inline]
    pub fn road_points(&self, road: RoadId) -> &[DVec2] {
        let (this, next) = (&self.roads[road.index()], &self.roads[road.index() + 1]);
        &self.road_points[this.first_point as usize..next.first_point as usize]
    }

    /// The line of a lane from stop line to stop line, metres.
    #[inline]
    pub fn lane_points(&self, lane: LaneId) -> &[DVec2] {
        let (this, next) = (&self.lanes[lane.index()], &self.lanes[lane.index() + 1]);
        &self.lane_points[this.first_point as usize..next.first_point as usize]
    }

    fn lane_stations(&self, lane: LaneId) -> &[f64] {
        let (this, next) = (&self.lanes[lane.index()], &self.lanes[lane.index() + 1]);
        &self.lane_stations[this.first_point as usize..next.first_point as usize]
    }

    /// Memory that the map takes, bytes.
    pub fn bytes(&self) -> usize {
        fn of<T>(items: &Vec<T>) -> usize {
            items.capacity() * size_of::<T>()
        }
        of(&self.junctions)
            + of(&self.junction_roads)
            + of(&self.roads)
            + of(&self.road_points)
            + of(&self.lanes)
            + of(&self.lane_points)
            + of(&self.lane_stations)
            + of(&self.paths)
            + of(&self.entering)
            + of(&self.conflicts)
            + self.signals.iter().map(Signals::bytes).sum::<usize>()
            + self.names.iter().map(|name| name.len() + size_of::<Box<str>>()).sum::<usize>()
            + self.grid.bytes()
    }
}
