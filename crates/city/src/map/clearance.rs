//! Room for bodies: where stop lines must be so that no car that passes a
//! junction touches one that waits at it or has left it, and which ways cannot
//! be driven at once.
//!
//! A car is a line from the middle of its front to that of its rear, drawn
//! along by the front (Chenney 2000, B.2.2), and two cars are apart where their
//! lines are farther apart than a car is wide. The *sweep* of a path is the
//! lines of a car from the stop line until it stands straight in its lane.
//! Where a sweep comes too near to the end of another lane, that lane is cut
//! back, which bends the paths from it, so it is done again until nothing
//! changes.

use std::collections::BTreeSet;

use glam::DVec2;
use proscenium_work::{Progress, Stopped};

use super::connect::{crosses, from_segment};
use super::curve::Hermite;
use super::ids::{JunctionId, LaneId, PathId, RoadId};
use super::{Control, Map, Turn, shape};

/// Length of a car, metres: that of [`Vehicle`](crate::driving::Vehicle).
const LENGTH: f64 = 4.2;
/// Length and gap of a car, metres.
const SPACING: f64 = 5.8;
/// From the steered wheel to the rear axle, metres.
const WHEELBASE: f64 = 2.6;
/// Lines of cars that are nearer than this touch, metres: the width (1.8) and
/// what two steps of a sweep may hide.
const APART: f64 = 1.95;
/// Steps of a sweep, metres.
const STEP: f64 = 0.5;
/// By how much a car may come nearer to the one ahead than its gap where ways part,
/// metres. Chosen: a step of a sweep, and a little more than was seen (0.62).
const CLOSING: f64 = 0.7;
/// The most of them through a junction: 200 m.
const MOST_STEPS: f64 = 400.0;
/// The body is straight where its rear is off by less than this, metres.
const STRAIGHT: f64 = 0.15;
/// No body needs longer than this to be straight in its lane, metres: seven
/// wheelbases, after which a right angle has become a tenth of a degree.
const FARTHEST: f64 = 18.0;
/// How far from its end a lane is looked at, metres.
const TAIL: f64 = 24.0;
/// The most that is cut off a lane at an end, metres. Chosen: across two roads.
const MOST_CUT: f64 = 12.0;
/// What is left of a lane, metres: two cars and their gaps.
const LEAST_LANE: f64 = 12.0;
/// How often all junctions are looked at. Chosen: most need one or two rounds.
const ROUNDS: usize = 6;

/// A car from front to rear.
type Spine = [DVec2; 2];

/// What the body of a car covers on its way through a junction.
pub(super) struct Sweep {
    spines: Vec<Spine>,
    /// How far from the stop line the front is, for each of them.
    gone: Vec<f64>,
    /// From here on it is no longer where the next car of its lane may be.
    first_gone: usize,
    low: DVec2,
    high: DVec2,
    /// How far down the lane the front is when the body is straight in it.
    clear: f64,
}

impl Sweep {
    fn new(from: &[DVec2], to: &[DVec2]) -> Self {
        let last = from.len() - 1;
        let leave = (from[last] - from[last - 1]).normalize_or(DVec2::X);
        let arrive = (to[1] - to[0]).normalize_or(leave);
        let crossing = Hermite::between(from[last], leave, to[0], arrive);
        let length = crossing.length_to(1.0);
        let lane = shape::length(to);
        let mut heading = leave;
        let mut spines = vec![[from[last], from[last] - LENGTH * heading]];
        let mut gone = vec![0.0];
        let steps = (length / STEP).ceil().clamp(2.0, MOST_STEPS);
        for step in 1..=steps as u32 {
            let u = f64::from(step) / steps;
            let tangent = crossing.velocity(u - 0.5 / steps).normalize_or(heading);
            heading = followed(heading, tangent, length / steps);
            let front = crossing.position(u);
            gone.push(crossing.length_to(u));
            spines.push([front, front - LENGTH * heading]);
        }
        let first_gone = ((SPACING / (length / steps)) as usize).min(spines.len());
        let mut clear = 0.0;
        while clear < FARTHEST.min(lane) {
            let (front, tangent) = shape::along(to, clear + STEP);
            if clear > LENGTH + 0.2 && heading.perp_dot(tangent).abs() * LENGTH < STRAIGHT && heading.dot(tangent) > 0.0
            {
                break;
            }
            heading = followed(heading, tangent, STEP);
            clear += STEP;
            gone.push(length + clear);
            spines.push([front, front - LENGTH * heading]);
        }
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for point in spines.iter().flatten() {
            (low, high) = (low.min(*point), high.max(*point));
        }
        Self { spines, gone, first_gone, low, high, clear }
    }

    fn is_far_from(&self, low: DVec2, high: DVec2) -> bool {
        (low - self.high).max_element() > APART || (self.low - high).max_element() > APART
    }

    /// Whether a car on this way may touch one on another from the same lane that
    /// follows it, or is followed by it, at its gap along the way.
    pub(super) fn parts_badly_from(&self, other: &Self) -> bool {
        self.hits_follower(other) || other.hits_follower(self)
    }

    fn hits_follower(&self, behind: &Self) -> bool {
        self.gone.iter().zip(&self.spines).any(|(ahead, one)| {
            let reached = behind.gone.partition_point(|gone| *gone <= ahead - SPACING + CLOSING);
            behind.spines[..reached].iter().any(|two| bodies_touch(one, two))
        })
    }

    /// How far from the stop line the front of a car on this way is when its body first
    /// comes where cars on another way may be, metres; infinite if never.
    pub(super) fn first_touch(&self, other: &Self) -> f64 {
        if self.is_far_from(other.low, other.high) {
            return f64::INFINITY;
        }
        let touches = |one: &Spine| other.spines.iter().any(|two| near(one, two));
        let first = self.spines.iter().position(touches);
        first.map_or(f64::INFINITY, |at| self.gone[at])
    }

    /// Whether a car on this way may touch one on another.
    pub(super) fn touches(&self, other: &Self) -> bool {
        !self.is_far_from(other.low, other.high)
            && self.spines.iter().any(|one| other.spines.iter().any(|two| near(one, two)))
    }
}

/// The direction of a body that a steered wheel has drawn along: the tangent of
/// half the angle between them decays with the distance.
fn followed(heading: DVec2, tangent: DVec2, distance: f64) -> DVec2 {
    let (across, along) = (heading.perp_dot(tangent), heading.dot(tangent));
    let half = across / (1.0 + along).max(1e-3) * libm::exp(-distance / WHEELBASE);
    // The cosine and sine of the angle that is left, from the tangent of its half.
    let square = half * half;
    let (sin, cos) = (2.0 * half / (1.0 + square), (1.0 - square) / (1.0 + square));
    DVec2::new(tangent.x * cos + tangent.y * sin, tangent.y * cos - tangent.x * sin).normalize_or(tangent)
}

/// Whether two bodies share a point, each a little wider than it is: no side of
/// either separates them.
fn bodies_touch(one: &Spine, two: &Spine) -> bool {
    /// Half a car's width and a little, metres.
    const HALF: f64 = 1.05;
    let corners = |spine: &Spine| {
        let across = HALF * (spine[0] - spine[1]).normalize_or(DVec2::X).perp();
        [spine[0] + across, spine[0] - across, spine[1] - across, spine[1] + across]
    };
    if one[0].distance_squared(two[0]) > 4.0 * (LENGTH + HALF) * (LENGTH + HALF) {
        return false;
    }
    let (a, b) = (corners(one), corners(two));
    let separates = |axis: DVec2| {
        let range = |points: &[DVec2; 4]| {
            let along = points.map(|point| point.dot(axis));
            along
                .iter()
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(*value), high.max(*value)])
        };
        let (a, b) = (range(&a), range(&b));
        a[1] < b[0] || b[1] < a[0]
    };
    let axes = [one[0] - one[1], (one[0] - one[1]).perp(), two[0] - two[1], (two[0] - two[1]).perp()];
    !axes.into_iter().any(separates)
}

fn near(one: &Spine, two: &Spine) -> bool {
    crosses(*one, *two)
        || one.iter().any(|point| from_segment(*point, two) < APART)
        || two.iter().any(|point| from_segment(*point, one) < APART)
}

/// The lanes of a map while stop lines are moved.
struct Lines<'map> {
    map: &'map Map,
    lines: Vec<Option<Vec<DVec2>>>,
    /// Metres cut off at the start and the end.
    cuts: Vec<[f64; 2]>,
    /// Lanes that would have to be shorter than a lane can be, or are drawn onto others.
    cramped: BTreeSet<LaneId>,
}

impl Lines<'_> {
    fn line(&self, lane: LaneId) -> &[DVec2] {
        self.lines[lane.index()].as_deref().unwrap_or_else(|| self.map.lane_points(lane))
    }

    /// Cuts a lane at its end, or its start, so far that it keeps clear of some
    /// lines; returns whether it was cut.
    fn keep_clear(&mut self, lane: LaneId, at_end: bool, spines: &[Spine]) -> bool {
        let line = self.line(lane);
        let length = shape::length(line);
        let mut cut = 0.0_f64;
        let mut at = 0.0;
        while at <= TAIL.min(length - LENGTH) {
            // A car that waits there, or has just come there.
            let (near, far) = if at_end { (length - at, length - at - LENGTH) } else { (at, at + LENGTH) };
            let car = [shape::along(line, near).0, shape::along(line, far).0];
            if spines.iter().any(|spine| bodies_touch(&car, spine)) {
                cut = at + STEP;
            }
            at += STEP;
        }
        // What touches all of the tail is no matter of stop lines: the lane is drawn onto
        // another.
        if cut > length - LEAST_LANE || cut > TAIL - STEP {
            self.cramped.insert(lane);
        }
        let cut = cut.min(length - LEAST_LANE).min(MOST_CUT - self.cuts[lane.index()][usize::from(at_end)]);
        if cut < 0.1 {
            return false;
        }
        let whole = self.map.lane_points(lane);
        let cuts = &mut self.cuts[lane.index()];
        cuts[usize::from(at_end)] += cut;
        let total = shape::length(whole);
        self.lines[lane.index()] = Some(shape::trimmed(whole, cuts[0], total - cuts[1]));
        true
    }
}

/// The part of a line near its end or its start, as a row of cars would cover it.
fn tail(line: &[DVec2], at_end: bool) -> Vec<Spine> {
    let length = shape::length(line);
    let part = if length <= TAIL {
        line.to_vec()
    } else if at_end {
        shape::trimmed(line, length - TAIL, length)
    } else {
        shape::trimmed(line, 0.0, TAIL)
    };
    part.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

impl Map {
    /// Whether bodies have room at a junction without looking: one car at a time
    /// passes it, or one road goes on as another; none turns back; and its roads
    /// were set back as far as their walls need.
    pub(super) fn is_roomy(&self, junction: JunctionId, narrowed: &[bool]) -> bool {
        matches!(self.junction(junction).control, Control::AllWayStop | Control::Free)
            && !narrowed[junction.index()]
            && self.paths_through(junction).all(|path| self.path(path).turn != Turn::Back)
    }

    /// Roads that end blindly and are too short to turn back on, or are drawn onto others:
    /// who waits there is in the way of who comes back, or passes.
    pub(crate) fn cramped_dead_ends(&self) -> impl Iterator<Item = RoadId> + '_ {
        let is_dead_end = |end: JunctionId| self.junction(end).control == Control::DeadEnd;
        let roads = self
            .cramped
            .iter()
            .map(|lane| self.lane(*lane))
            .filter(move |lane| is_dead_end(lane.from) != is_dead_end(lane.to));
        roads.map(|lane| lane.road)
    }

    /// Moves stop lines back where bodies need room. `narrowed` tells of each
    /// junction whether a road of it is shorter than its mouths need, or was
    /// drawn with its ends.
    pub(super) fn clear_stop_lines(&mut self, narrowed: &[bool], progress: &Progress) -> Result<(), Stopped> {
        let mut lines = Lines {
            map: self,
            lines: vec![None; self.lane_count()],
            cuts: vec![[0.0; 2]; self.lane_count()],
            cramped: BTreeSet::new(),
        };
        let mut left: Vec<JunctionId> =
            self.junctions().filter(|junction| !self.is_roomy(*junction, narrowed)).collect();
        for _ in 0..ROUNDS {
            let mut changed = Vec::new();
            for &junction in &left {
                progress.check()?;
                if self.clear_junction(&mut lines, junction) {
                    changed.push(junction);
                }
            }
            if changed.is_empty() {
                break;
            }
            left = changed;
        }
        let (kept, cramped) = (lines.lines, lines.cramped);
        if kept.iter().any(Option::is_some) {
            self.replace_lanes(&kept);
        }
        self.cramped = cramped.into_iter().collect();
        Ok(())
    }

    /// One junction: lanes are cut back from each other and from sweeps.
    fn clear_junction(&self, lines: &mut Lines, junction: JunctionId) -> bool {
        let around: Vec<(LaneId, bool)> = self
            .roads_at(junction)
            .iter()
            .flat_map(|road| self.lanes_of(*road))
            .map(|lane| (lane, self.lane(lane).to == junction))
            .collect();
        let mut changed = false;
        for &(one, one_ends) in &around {
            for &(two, two_ends) in &around {
                if self.lane(one).road != self.lane(two).road {
                    let other = tail(lines.line(two), two_ends);
                    changed |= lines.keep_clear(one, one_ends, &other);
                }
            }
        }
        let paths: Vec<PathId> = self.paths_through(junction).collect();
        for path in paths {
            let (from, to) = (self.path(path).from, self.path(path).to);
            let sweep = Sweep::new(lines.line(from), lines.line(to));
            for &(lane, ends) in &around {
                if lane == to {
                    continue;
                }
                let spines = if lane == from { &sweep.spines[sweep.first_gone..] } else { &sweep.spines[..] };
                changed |= lines.keep_clear(lane, ends, spines);
            }
        }
        changed
    }

    /// Lanes with other points.
    fn replace_lanes(&mut self, lines: &[Option<Vec<DVec2>>]) {
        let mut points = Vec::with_capacity(self.lane_points.len());
        let mut stations = Vec::with_capacity(self.lane_stations.len());
        for lane in self.lanes() {
            let line = lines[lane.index()].as_deref().unwrap_or_else(|| self.lane_points(lane));
            let first = points.len();
            points.extend_from_slice(line);
            let mut length = 0.0;
            stations.push(0.0);
            for at in first + 1..points.len() {
                length += points[at - 1].distance(points[at]);
                stations.push(length);
            }
            // The points of this lane and those before are not read any more.
            if lines[lane.index()].is_some() {
                self.lanes[lane.index()].length = length;
            }
        }
        let mut first = 0;
        for (number, line) in lines.iter().enumerate() {
            let old = self.lanes[number + 1].first_point - self.lanes[number].first_point;
            self.lanes[number].first_point = first;
            first += line.as_ref().map_or(old, |line| line.len() as u32);
        }
        let last = self.lane_count();
        self.lanes[last].first_point = first;
        (self.lane_points, self.lane_stations) = (points, stations);
        for number in 0..self.paths.len() {
            let (from, to) = (self.paths[number].from, self.paths[number].to);
            self.paths[number].crossing = self.crossing(from, to).length_to(1.0) as f32;
        }
    }

    /// The sweeps of a junction's paths.
    pub(super) fn sweeps(&self, junction: JunctionId) -> Vec<Sweep> {
        let sweep = |path: PathId| {
            let path = self.path(path);
            Sweep::new(self.lane_points(path.from), self.lane_points(path.to))
        };
        self.paths_through(junction).map(sweep).collect()
    }

    /// How far down its lane the front of a car is when its body has left the
    /// junction and is straight in the lane, metres; nothing where a length is
    /// enough.
    pub(super) fn clearing(&self, junction: JunctionId, sweeps: &[Sweep]) -> Vec<f32> {
        // All who come to a lane need as much as the one that needs most: whoever
        // takes the place of another in a queue fits there too.
        let most = |path: PathId| {
            let to = self.path(path).to;
            let into = self.paths_through(junction).zip(sweeps).filter(|(other, _)| self.path(*other).to == to);
            let most = into.map(|(_, sweep)| sweep.clear).fold(0.0, f64::max);
            most.min(self.lane(to).length - 0.5).max(0.0) as f32
        };
        self.paths_through(junction).map(most).collect()
    }
}
