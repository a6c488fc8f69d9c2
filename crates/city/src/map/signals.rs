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

/// How a light that stops a path now and then stands at a time. Amber counts as red.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Go {
    /// It is never red.
    Always,
    /// It is never green.
    Never {
        /// Length of the programme, seconds.
        cycle: f64,
    },
    /// It may not be passed since so many seconds, for as many more, and then for as many
    /// as that green is long.
    Red { since: f64, left: f64, green: f64, cycle: f64 },
    /// It may be passed since so many seconds, for as many more; the red before was as long.
    Green { since: f64, left: f64, red: f64, cycle: f64 },
}

impl Go {
    /// The share of the programme in which the light may be passed; of what has several
    /// greens, by the one that is next.
    pub(crate) fn share(self) -> f64 {
        match self {
            Go::Always => 1.0,
            Go::Never { .. } => 0.0,
            Go::Red { since, left, green, .. } => green / (since + left + green),
            Go::Green { since, left, red, .. } => (since + left) / (since + left + red),
        }
    }
}

impl Signals {
    /// How the light of a path stands at a time.
    pub(super) fn go(&self, path: u32, time: f64) -> Go {
        let goes = |phase: usize| self.lights[phase * self.paths + path as usize] >= Light::Permissive;
        let count = self.ends.len();
        let (now, within) = self.phase(time);
        let start = |phase: usize| if phase == 0 { 0.0 } else { self.ends[phase - 1] };
        let length = |phase: usize| self.ends[phase] - start(phase);
        let cycle = self.cycle();
        // Forwards to the first phase that is otherwise, from there to the next that is as now.
        let first = (1..count).find(|step| goes((now + step) % count) != goes(now));
        let Some(first) = first else {
            return if goes(now) { Go::Always } else { Go::Never { cycle } };
        };
        let sum = |from: usize, to: usize| (from..to).map(|step| length((now + step) % count)).sum::<f64>();
        let left = self.ends[now] - within + sum(1, first);
        let same = |step: &usize| goes((now + count - step) % count) == goes(now);
        let back = (1..count).take_while(same).count();
        let behind = |from: usize, to: usize| (from..to).map(|step| length((now + count - step) % count)).sum::<f64>();
        let since = within - start(now) + behind(1, back + 1);
        if goes(now) {
            let others = (back + 1..count).take_while(|step| !same(step)).count();
            return Go::Green { since, left, red: behind(back + 1, back + 1 + others), cycle };
        }
        let others = (first..count).take_while(|step| goes((now + step) % count)).count();
        Go::Red { since, left, green: sum(first, first + others), cycle }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_light_is_told_with_what_was_before_and_comes() {
        let lights = [Light::Green, Light::Amber, Light::Red, Light::Red, Light::Permissive];
        let ends = vec![20.0, 23.0, 25.0, 45.0, 60.0];
        let signals = Signals { offset: 5.0, ends, paths: 1, lights: lights.to_vec(), waits: Waits::default() };
        // Green from 45 to 80 of the programme, which starts at 5.
        assert_eq!(signals.go(0, 15.0), Go::Green { since: 25.0, left: 10.0, red: 25.0, cycle: 60.0 });
        assert_eq!(signals.go(0, 52.0), Go::Green { since: 2.0, left: 33.0, red: 25.0, cycle: 60.0 });
        assert_eq!(signals.go(0, 26.0), Go::Red { since: 1.0, left: 24.0, green: 35.0, cycle: 60.0 });
        assert_eq!(signals.go(0, 86.0), Go::Red { since: 1.0, left: 24.0, green: 35.0, cycle: 60.0 });
        let always = Signals { lights: vec![Light::Permissive; 5], ..signals.clone() };
        assert_eq!(always.go(0, 3.0), Go::Always);
        let never = Signals { lights: vec![Light::Red; 5], ..signals };
        assert_eq!(never.go(0, 3.0), Go::Never { cycle: 60.0 });
    }
}
