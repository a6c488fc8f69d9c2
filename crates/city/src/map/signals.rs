//! Programmes of traffic lights.

use super::error::MapError;
use super::ids::{JunctionId, PathId, RoadId};
use super::plan::{Light, Plan, SignalsPlan};
use super::waiting::Waits;
use super::{Map, Side, Turn};

/// The lights of one junction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Signals {
    offset: f64,
    /// When each phase ends, seconds from the start of the cycle.
    ends: Vec<f64>,
    paths: usize,
    /// What each path is shown, phase by phase.
    lights: Vec<Light>,
    /// Where cars wait inside.
    pub(super) waits: Waits,
}

/// Green, amber and clearing times of a programme that is made here, seconds.
/// Chosen as is usual in towns: amber for 50 km/h, and a minute for two phases.
const PLAIN: [f64; 3] = [25.0, 3.0, 2.0];

impl Signals {
    pub(super) fn make(map: &Map, plan: &Plan, number: usize, signals: &SignalsPlan) -> Result<Self, MapError> {
        let wrong = |what: String| MapError::Signals { junction: number as u32, what };
        let junction = JunctionId::at(number);
        if !signals.offset.is_finite() {
            return Err(wrong("start at a time that is not finite".into()));
        }
        if signals.phases.is_empty() {
            return Ok(Self::plain(map, junction, signals.offset));
        }
        let connections = &plan.junctions[number].connections;
        let mut made = Self { offset: signals.offset, ends: vec![], paths: 0, lights: vec![], waits: Waits::default() };
        let paths: Vec<PathId> = map.paths_through(junction).collect();
        made.paths = paths.len();
        let mut end = 0.0;
        for phase in &signals.phases {
            if !(phase.seconds > 0.0 && phase.seconds < 1e6) {
                return Err(wrong(format!("have a phase of {} s: give more than nothing", phase.seconds)));
            }
            if phase.lights.len() != connections.len() {
                let (have, need) = (phase.lights.len(), connections.len());
                return Err(wrong(format!("show {have} lights for {need} connections: give one for each")));
            }
            end += phase.seconds;
            made.ends.push(end);
            let first = made.lights.len();
            made.lights.resize(first + paths.len(), Light::Red);
            for (connection, light) in connections.iter().zip(&phase.lights) {
                let is_its = |path: &PathId| {
                    let (from, to) = (map.lane(map.path(*path).from), map.lane(map.path(*path).to));
                    (from.road.0, from.place) == (connection.from_road, connection.from_lane)
                        && (to.road.0, to.place) == (connection.to_road, connection.to_lane)
                };
                if let Some(place) = paths.iter().position(is_its) {
                    let shown = &mut made.lights[first + place];
                    *shown = (*shown).max(*light);
                }
            }
        }
        Ok(made)
    }

    /// Opposite roads have green together, one pair after the other; turns
    /// across oncoming traffic give way.
    fn plain(map: &Map, junction: JunctionId, offset: f64) -> Self {
        let paths: Vec<PathId> = map.paths_through(junction).collect();
        let mut left: Vec<RoadId> = map.roads_at(junction).to_vec();
        left.retain(|road| paths.iter().any(|path| map.lane(map.path(*path).from).road == *road));
        let mut made = Self { offset, ends: vec![], paths: paths.len(), lights: vec![], waits: Waits::default() };
        let mut end = 0.0;
        while !left.is_empty() {
            let first = left.remove(0);
            let away = map.away(first, junction);
            let cosine = |road: &RoadId| away.dot(map.away(*road, junction));
            let opposite = (0..left.len()).min_by(|a, b| cosine(&left[*a]).total_cmp(&cosine(&left[*b])));
            let opposite = opposite.filter(|place| cosine(&left[*place]) < -0.7).map(|place| left.remove(place));
            let goes = |path: &PathId| {
                let road = map.lane(map.path(*path).from).road;
                road == first || Some(road) == opposite
            };
            for (step, seconds) in PLAIN.into_iter().enumerate() {
                end += seconds;
                made.ends.push(end);
                made.lights.extend(paths.iter().map(|path| match step {
                    0 if goes(path) && across_oncoming(map, *path) => Light::Permissive,
                    0 if goes(path) => Light::Green,
                    1 if goes(path) => Light::Amber,
                    _ => Light::Red,
                }));
            }
        }
        if made.ends.is_empty() {
            made.ends.push(PLAIN[0]);
            made.lights = vec![Light::Green; made.paths];
        }
        made
    }

    pub(super) fn cycle(&self) -> f64 {
        self.ends[self.ends.len() - 1]
    }

    /// The phase at a time, and the time within the cycle.
    fn phase(&self, time: f64) -> (usize, f64) {
        let within = (time - self.offset).rem_euclid(self.cycle());
        let phase = self.ends.partition_point(|end| *end <= within).min(self.ends.len() - 1);
        (phase, within)
    }

    pub(super) fn light(&self, path: u32, time: f64) -> Light {
        self.lights[self.phase(time).0 * self.paths + path as usize]
    }

    pub(super) fn next_change(&self, time: f64) -> f64 {
        let (phase, within) = self.phase(time);
        time + (self.ends[phase] - within)
    }

    /// Whether a path is shown a light at some time.
    pub(super) fn shows(&self, path: usize, light: Light) -> bool {
        self.lights.chunks(self.paths.max(1)).any(|phase| phase.get(path) == Some(&light))
    }

    /// Whether two paths may go at the same time, by their lights.
    pub(super) fn go_together(&self, one: usize, other: usize) -> bool {
        let goes = |phase: &[Light], path: usize| phase.get(path).is_some_and(|light| *light >= Light::Permissive);
        self.lights.chunks(self.paths.max(1)).any(|phase| goes(phase, one) && goes(phase, other))
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + 8 * self.ends.capacity() + self.lights.capacity() + self.waits.bytes()
    }
}

fn across_oncoming(map: &Map, path: PathId) -> bool {
    matches!((map.path(path).turn, map.side), (Turn::Left, Side::Right) | (Turn::Right, Side::Left) | (Turn::Back, _))
}
