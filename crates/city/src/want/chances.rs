//! The chance h(path, time) that an unseen car does what is wished for: a backward sum
//! over the ways that lead there and the times that they take.
//!
//! Time has bins. A car takes a path in its least time and what it is held up beyond
//! (decision 430), each spread over the two bins beside it, so that means stay; nothing
//! else is approximated, and within the model that unseen cars follow the sums are exact.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use proscenium_chance::Stream;

use crate::culling::{Moment, Ways};
use crate::map::{LaneId, PathId};

/// A bin of time, seconds.
pub(crate) const BIN: f64 = 0.5;
/// The most lanes that lead to a place which are looked at, the nearest first. Chosen as
/// a bound of the work.
const MOST_LANES: usize = 1200;

/// For each path the chance that it is a success to start on it, bin by bin.
pub(crate) type Rewards = BTreeMap<PathId, Vec<f64>>;

/// What cars are held up at a kind of junction, bin by bin, and the chance of more.
#[derive(Clone, Debug)]
struct Delays {
    mass: Vec<f64>,
    beyond: Vec<f64>,
}

/// What is the same for all plans of a city.
#[derive(Clone, Debug, Default)]
pub(crate) struct DelayTables {
    tables: BTreeMap<u32, Delays>,
}

impl DelayTables {
    fn note(&mut self, class: u32, ways: &Ways, path: PathId) {
        self.tables.entry(class).or_insert_with(|| {
            let mut mass = Vec::new();
            for (low, high) in ways.expectations.excess(ways.map, path).pieces() {
                spread(&mut mass, low / BIN, high / BIN, 1.0);
            }
            let total: f64 = mass.iter().sum();
            mass.iter_mut().for_each(|part| *part /= total.max(1e-300));
            let mut left = 1.0;
            let beyond = mass.iter().map(|part| {
                left -= part;
                f64::max(left, 0.0)
            });
            Delays { beyond: beyond.collect(), mass }
        });
    }
}

/// Spreads what lies evenly between two places over the bins, keeping its mean.
fn spread(mass: &mut Vec<f64>, low: f64, high: f64, amount: f64) {
    /// Points that stand for a piece.
    const POINTS: u32 = 4;
    for point in 0..POINTS {
        let at = low + (high - low) * (f64::from(point) + 0.5) / f64::from(POINTS);
        let (bin, part) = (at.max(0.0) as usize, at.max(0.0).fract());
        if mass.len() < bin + 2 {
            mass.resize(bin + 2, 0.0);
        }
        mass[bin] += amount * (1.0 - part) / f64::from(POINTS);
        mass[bin + 1] += amount * part / f64::from(POINTS);
    }
}

/// A way on from a lane.
#[derive(Clone, Copy, Debug)]
struct Onward {
    path: PathId,
    share: f64,
    /// The least time: whole bins, and the part of one more.
    bins: usize,
    part: f64,
    /// The lane that it leads to, if success can be reached from there.
    to: Option<u32>,
    /// Its rewards, if it has any.
    reward: Option<u32>,
}

/// A lane from which success can be reached.
#[derive(Clone, Debug)]
struct Reached {
    lane: LaneId,
    class: u32,
    first: u32,
    count: u32,
    /// The last bin in which a car may leave it and succeed.
    last: usize,
}

/// The chances of one wish at one moment.
#[derive(Debug)]
pub(crate) struct Chances<'a> {
    tables: &'a DelayTables,
    now: f64,
    bins: usize,
    lanes: Vec<Reached>,
    onward: Vec<Onward>,
    rewards: Vec<Vec<f64>>,
    /// For each lane and bin: the chance of who leaves it then, and of who comes to its
    /// end then and is yet to be held up.
    leaving: Vec<f64>,
    coming: Vec<f64>,
}

/// What an unseen car does to succeed: the paths that it starts on and how long each
/// takes, but the last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Success {
    pub(crate) ways: Vec<PathId>,
    pub(crate) seconds: Vec<f64>,
    /// When the last begins, seconds.
    pub(crate) at: f64,
}

impl<'a> Chances<'a> {
    /// Sums up the chances from the end of the time backwards.
    pub(crate) fn new(ways: &Ways, tables: &'a mut DelayTables, rewards: Rewards, now: f64) -> Self {
        let bins = rewards.values().map(Vec::len).max().unwrap_or(0);
        let least = least_times(ways, &rewards, BIN * bins as f64);
        let mut places: Vec<(LaneId, f64)> = least.into_iter().collect();
        if places.len() > MOST_LANES {
            places.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            places.truncate(MOST_LANES);
            places.sort_by_key(|place| place.0);
        }
        for (lane, _) in &places {
            if let Some(path) = ways.map.paths_onto(*lane).first() {
                tables.note(ways.expectations.class_of(*lane), ways, *path);
            }
        }
        let mut this = Self {
            tables,
            now,
            bins,
            lanes: Vec::with_capacity(places.len()),
            onward: Vec::new(),
            rewards: Vec::new(),
            leaving: vec![0.0; places.len() * bins],
            coming: vec![0.0; places.len() * bins],
        };
        let mut numbers = BTreeMap::new();
        for (path, reward) in rewards {
            numbers.insert(path, this.rewards.len() as u32);
            this.rewards.push(reward);
        }
        for (lane, seconds) in &places {
            this.add_lane(ways, (*lane, *seconds), &numbers, &places);
        }
        this.sum_up();
        this
    }

    fn add_lane(
        &mut self,
        ways: &Ways,
        (lane, seconds): (LaneId, f64),
        numbers: &BTreeMap<PathId, u32>,
        places: &[(LaneId, f64)],
    ) {
        let first = self.onward.len() as u32;
        let options: Vec<PathId> = ways.map.paths_from(lane).collect();
        let is_open = |path: &PathId| !ways.draws.is_closed(ways.map.road_of(*path));
        let any_open = options.iter().any(is_open);
        let rate = |path: &PathId| {
            if any_open && !is_open(path) { 0.0 } else { ways.expectations.path_rate(ways.map, *path) }
        };
        let total: f64 = options.iter().map(rate).sum();
        for path in &options {
            let share = if total > 0.0 { rate(path) / total } else { 1.0 / options.len() as f64 };
            let to = places.binary_search_by_key(&ways.map.path(*path).to, |place| place.0).ok().map(|at| at as u32);
            let reward = numbers.get(path).copied();
            if share > 0.0 && (to.is_some() || reward.is_some()) {
                let free = (ways.vehicle.free_run(ways.map, *path).duration() / BIN).max(1.0);
                let (bins, part) = (free as usize, free.fract());
                self.onward.push(Onward { path: *path, share, bins, part, to, reward });
            }
        }
        let class = ways.expectations.class_of(lane);
        let last = (self.bins as f64 - seconds / BIN).max(0.0) as usize;
        let count = self.onward.len() as u32 - first;
        self.lanes.push(Reached { lane, class, first, count, last: last.min(self.bins.saturating_sub(1)) });
    }

    fn sum_up(&mut self) {
        for bin in (0..self.bins).rev() {
            for index in 0..self.lanes.len() {
                let lane = &self.lanes[index];
                let (first, count, last) = (lane.first as usize, lane.count as usize, lane.last);
                if bin > last {
                    continue;
                }
                let ways = &self.onward[first..first + count];
                let leaving: f64 = ways.iter().map(|way| way.share * self.of_way(way, bin)).sum();
                let row = index * self.bins;
                self.leaving[row + bin] = leaving;
                let chances = &self.leaving[row + bin..=row + last];
                let coming = match self.tables.tables.get(&lane.class) {
                    Some(held) => held.mass.iter().zip(chances).map(|(mass, chance)| mass * chance).sum(),
                    None => leaving,
                };
                self.coming[row + bin] = coming;
            }
        }
    }

    /// The chance of who starts a path in a bin.
    fn of_way(&self, way: &Onward, bin: usize) -> f64 {
        let here = way.reward.map_or(0.0, |reward| self.rewards[reward as usize].get(bin).copied().unwrap_or(0.0));
        let later = way.to.map_or(0.0, |lane| {
            let coming = |bin: usize| if bin < self.bins { self.coming[lane as usize * self.bins + bin] } else { 0.0 };
            (1.0 - way.part) * coming(bin + way.bins) + way.part * coming(bin + way.bins + 1)
        });
        here + (1.0 - here) * later
    }

    fn index(&self, lane: LaneId) -> Option<usize> {
        self.lanes.binary_search_by_key(&lane, |reached| reached.lane).ok()
    }

    fn bin(&self, time: f64) -> Option<usize> {
        let bin = ((time - self.now) / BIN).round().max(0.0) as usize;
        (bin < self.bins).then_some(bin)
    }

    fn ways_of(&self, index: usize) -> &[Onward] {
        let lane = &self.lanes[index];
        &self.onward[lane.first as usize..(lane.first + lane.count) as usize]
    }

    /// The chance of a car that leaves a lane at a time, and takes any way or a known one.
    pub(crate) fn leaving(&self, lane: LaneId, next: Option<PathId>, time: f64) -> f64 {
        let (Some(index), Some(bin)) = (self.index(lane), self.bin(time)) else {
            return 0.0;
        };
        match next {
            None => self.leaving[index * self.bins + bin],
            Some(next) => {
                self.ways_of(index).iter().find(|way| way.path == next).map_or(0.0, |way| self.of_way(way, bin))
            }
        }
    }

    /// The chance of a car that comes to the end of a lane at a time if nothing holds it
    /// up.
    pub(crate) fn coming(&self, lane: LaneId, next: Option<PathId>, time: f64) -> f64 {
        let (Some(index), Some(bin)) = (self.index(lane), self.bin(time)) else {
            return 0.0;
        };
        match (next, self.tables.tables.get(&self.lanes[index].class)) {
            (Some(_), Some(held)) => {
                let later = |(bins, mass): (usize, &f64)| mass * self.leaving(lane, next, time + BIN * bins as f64);
                held.mass.iter().take(self.bins - bin).enumerate().map(later).sum()
            }
            _ => self.coming[index * self.bins + bin],
        }
    }

    /// The lanes from which success can be reached.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = LaneId> + '_ {
        self.lanes.iter().map(|lane| lane.lane)
    }

    /// How many successes are expected of cars that are on the ways to some lanes, and of
    /// whom nothing is known: for each lane, bin by bin when they leave it.
    pub(crate) fn sources(&self, ways: &Ways, is_unknown: &dyn Fn(LaneId) -> bool) -> Vec<Source> {
        let mut sources = Vec::new();
        for (index, reached) in self.lanes.iter().enumerate() {
            let Some(held) = self.tables.tables.get(&reached.class).filter(|_| is_unknown(reached.lane)) else {
                continue;
            };
            for &path in ways.map.paths_onto(reached.lane) {
                let rate = ways.expectations.path_rate(ways.map, path);
                let least = ways.vehicle.free_run(ways.map, path).duration() / BIN;
                for bin in 0..=reached.last {
                    let chance = self.leaving[index * self.bins + bin];
                    let beyond = bin as f64 - least;
                    let still =
                        if beyond < 0.0 { 1.0 } else { held.beyond.get(beyond as usize).copied().unwrap_or(0.0) };
                    let expected = rate * BIN * still * chance;
                    if expected > 0.0 {
                        sources.push(Source { path, leaves: self.now + BIN * bin as f64, expected });
                    }
                }
            }
        }
        sources
    }

    /// How a car that leaves a lane at a time succeeds: its turns and waits, drawn given
    /// that it does. Nothing if it cannot.
    pub(crate) fn success(
        &self,
        lane: LaneId,
        next: Option<PathId>,
        time: f64,
        stream: &mut Stream,
    ) -> Option<Success> {
        let (mut index, mut bin) = (self.index(lane)?, self.bin(time)?);
        let (mut found, mut next) = (Success { at: time, ..Success::default() }, next);
        loop {
            let ways = self.ways_of(index).iter().filter(|way| next.is_none_or(|next| way.path == next));
            let way = drawn(ways.map(|way| (way, way.share * self.of_way(way, bin))), stream)?;
            next = None;
            found.ways.push(way.path);
            let here = way.reward.map_or(0.0, |reward| self.rewards[reward as usize].get(bin).copied().unwrap_or(0.0));
            if stream.uniform() * self.of_way(way, bin) < here {
                return Some(found);
            }
            let to = way.to? as usize;
            let bins = self.time_on(way, to, bin, stream)?;
            found.seconds.push(BIN * bins as f64);
            found.at += BIN * bins as f64;
            (index, bin) = (to, bin + bins);
        }
    }

    /// The same of a car that comes to the end of a lane at a time if nothing holds it up.
    pub(crate) fn success_of_coming(
        &self,
        lane: LaneId,
        next: Option<PathId>,
        time: f64,
        stream: &mut Stream,
    ) -> Option<Success> {
        let index = self.index(lane)?;
        let held = self.tables.tables.get(&self.lanes[index].class)?;
        let later = |(bins, mass): (usize, &f64)| {
            let time = time + BIN * bins as f64;
            (time, mass * self.leaving(lane, next, time))
        };
        let leaves = drawn(held.mass.iter().enumerate().map(later), stream)?;
        self.success(lane, next, leaves, stream)
    }

    /// How many bins a car that succeeds takes for a path.
    fn time_on(&self, way: &Onward, to: usize, bin: usize, stream: &mut Stream) -> Option<usize> {
        let held = self.tables.tables.get(&self.lanes[to].class)?;
        let parts = [(way.bins, 1.0 - way.part), (way.bins + 1, way.part)];
        let options = parts.into_iter().flat_map(|(least, part)| {
            held.mass.iter().enumerate().map_while(move |(more, mass)| {
                let bins = least + more;
                (bin + bins < self.bins).then(|| (bins, part * mass * self.leaving[to * self.bins + bin + bins]))
            })
        });
        drawn(options, stream)
    }
}

/// Cars of whom nothing is known, on a path that they leave at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Source {
    pub(crate) path: PathId,
    pub(crate) leaves: f64,
    /// How many successes are expected of them.
    pub(crate) expected: f64,
}

/// One of some things, each as likely as its weight says.
pub(crate) fn drawn<T>(weighted: impl Iterator<Item = (T, f64)> + Clone, stream: &mut Stream) -> Option<T> {
    let total: f64 = weighted.clone().map(|(_, weight)| weight).sum();
    let mut wanted = total * stream.uniform();
    let mut last = None;
    for (thing, weight) in weighted.filter(|(_, weight)| *weight > 0.0) {
        last = Some(thing);
        wanted -= weight;
        if wanted < 0.0 {
            break;
        }
    }
    last
}

/// For each lane the least time from leaving it to a reward, up to a time.
fn least_times(ways: &Ways, rewards: &Rewards, most: f64) -> BTreeMap<LaneId, f64> {
    let mut least: BTreeMap<LaneId, f64> = BTreeMap::new();
    let mut open: BinaryHeap<Reverse<(Moment, u32)>> =
        rewards.keys().map(|path| Reverse((Moment(0.0), ways.map.path(*path).from.0))).collect();
    while let Some(Reverse((moment, lane))) = open.pop() {
        if moment.0 > most || least.contains_key(&LaneId(lane)) || least.len() >= 2 * MOST_LANES {
            continue;
        }
        least.insert(LaneId(lane), moment.0);
        for path in ways.map.paths_onto(LaneId(lane)) {
            let from = ways.map.path(*path).from;
            if !least.contains_key(&from) {
                // As in the sums: whole bins, and not less than one.
                let seconds = BIN * (ways.vehicle.free_run(ways.map, *path).duration() / BIN).floor().max(1.0);
                open.push(Reverse((Moment(moment.0 + seconds), from.0)));
            }
        }
    }
    least
}
