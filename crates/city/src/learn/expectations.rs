//! What was learned, applied to a map and a number of cars.

use std::sync::Arc;

use proscenium_chance::Stream;
use proscenium_work::{Progress, Stopped, parallel};

use super::excess::Excess;
use super::flows::{lane_rates, walked};
use super::learned::{Approach, Between, KINDS, LearnedTraffic, level};
use super::lights::{AtLights, GAP, HEADWAY, gap_wait};
use crate::driving::Vehicle;
use crate::map::{Control, Go, LaneId, Map, PathId, RoadId};
use crate::wander::{CarId, Draws, Wander};

/// How often paths are taken and how long cars take for them, on a map with a
/// number of cars.
#[derive(Clone, Debug)]
pub(crate) struct Expectations {
    pub(crate) learned: Arc<LearnedTraffic>,
    /// For each lane the rate at which cars use it, 1/s.
    rates: Vec<f32>,
    /// For each path how often it is taken, where ways are not chosen alike.
    path_shares: Option<Vec<f32>>,
    /// For each lane the number of ways on.
    ways: Vec<u16>,
    /// For each lane the number of cars on it, and on the ways through the
    /// junction before it, on average.
    cars: Vec<f32>,
    /// For each lane the class of the time that cars are held up at its end.
    classes: Vec<u32>,
    tables: Vec<Excess>,
}

/// Lanes that lead to one junction and are held up alike.
#[derive(Clone, Copy, Debug)]
struct Stop {
    approach: Approach,
    /// How many cars come to the junction, and to these lanes, each second.
    inflow: f64,
    rate: f64,
    /// The lane, where each is held up in its own way.
    lane: Option<LaneId>,
}

impl Expectations {
    /// Finds the flow at which this many cars are on the allowed roads: the
    /// more flow, the longer they are held up.
    pub(crate) fn new(
        map: &Map,
        vehicle: &Vehicle,
        draws: &Draws,
        learned: &Arc<LearnedTraffic>,
        cars: f64,
        is_allowed: &(dyn Fn(RoadId) -> bool + Sync),
        progress: &Progress,
    ) -> Result<Self, Stopped> {
        let trips = draws.journeys.as_ref().filter(|journeys| journeys.are_trips());
        let path_shares = match (trips, draws.wander()) {
            (Some(journeys), _) => Some(journeys.travelled(map, progress)?.0),
            (None, Wander::Destinations | Wander::Planned) => Some(walked(map, draws, progress)?),
            (None, Wander::Random) => None,
        };
        let rates = match &path_shares {
            Some(shares) => {
                map.lanes().map(|lane| map.paths_from(lane).map(|path| shares[path.index()]).sum()).collect()
            }
            None => lane_rates(map, is_allowed, progress)?,
        };
        let on =
            |lane| map.paths_from(LaneId(lane as u32)).filter(|path| is_allowed(map.road_of(*path))).count() as u16;
        let ways: Vec<u16> = parallel::times(map.lane_count(), on);
        let learned = Arc::clone(learned);
        let (cars_on, classes, tables) = (Vec::new(), Vec::new(), Vec::new());
        let mut this = Self { learned, rates, path_shares, ways, cars: cars_on, classes, tables };
        let least = this.least_times(map, vehicle, progress)?;
        let stops = this.stops(map);
        let scale = this.scale(map, cars, least.iter().map(|[times, _]| times).sum(), &stops, progress)?;
        for rate in this.rates.iter_mut().chain(this.path_shares.iter_mut().flatten()) {
            *rate *= scale as f32;
        }
        this.classify(map, progress)?;
        let on = |(lane, [times, arriving]): (LaneId, &[f64; 2])| {
            let held = &this.tables[this.classes[lane.index()] as usize];
            (scale * (times + arriving * held.mean())) as f32
        };
        this.cars = map.lanes().zip(&least).map(on).collect();
        Ok(this)
    }

    /// For each lane how often it is entered, and that times the least time
    /// from the stop line before.
    fn least_times(&self, map: &Map, vehicle: &Vehicle, progress: &Progress) -> Result<Vec<[f64; 2]>, Stopped> {
        let of = |lane: usize| {
            progress.check()?;
            let mut sums = [0.0; 2];
            for path in map.paths_onto(LaneId(lane as u32)) {
                let rate = self.path_rate(map, *path);
                if rate > 0.0 {
                    sums[0] += rate * vehicle.free_run(map, *path).duration();
                    sums[1] += rate;
                }
            }
            Ok(sums)
        };
        parallel::times(map.lane_count(), of).into_iter().collect()
    }

    /// By how much rates are to be multiplied so that there are this many cars:
    /// those on their way at the least times, and those that are held up.
    fn scale(&self, map: &Map, cars: f64, least: f64, stops: &[Stop], progress: &Progress) -> Result<f64, Stopped> {
        /// Stops that are added up at a time.
        const PART: usize = 4096;
        let held_in = |scale: f64, part: &[Stop]| -> f64 {
            let held = |stop: &Stop| {
                let mean = match stop.lane {
                    None => self.learned.mean(self.learned.between(stop.approach as usize, level(scale * stop.inflow))),
                    Some(lane) => self.learned.waits * self.mean_of_its_own(map, lane, scale),
                };
                scale * stop.rate * mean
            };
            part.iter().map(held).sum()
        };
        let (mut low, mut high) = (0.0, cars / least.max(1e-9));
        let parts: Vec<&[Stop]> = stops.chunks(PART).collect();
        for _ in 0..24 {
            progress.check()?;
            let scale = 0.5 * (low + high);
            let parts = parallel::map(&parts, |part| held_in(scale, part));
            if scale * least + parts.iter().sum::<f64>() > cars { high = scale } else { low = scale }
        }
        Ok(0.5 * (low + high))
    }

    /// Where cars are held up: one entry for the lanes to a junction that are alike.
    fn stops(&self, map: &Map) -> Vec<Stop> {
        let inflows = self.inflows(map);
        let mut alike = vec![[0.0; KINDS]; map.junction_count()];
        let mut stops = Vec::new();
        for lane in map.lanes() {
            let (junction, approach) = (map.lane(lane).to.index(), Approach::of(map, lane));
            let rate = f64::from(self.rates[lane.index()]);
            if self.has_its_own(approach) {
                stops.push(Stop { approach, inflow: inflows[junction], rate, lane: Some(lane) });
            } else {
                alike[junction][approach as usize] += rate;
            }
        }
        for (inflow, rates) in inflows.into_iter().zip(alike) {
            let some = Approach::ALL.into_iter().zip(rates).filter(|(_, rate)| *rate > 0.0);
            stops.extend(some.map(|(approach, rate)| Stop { approach, inflow, rate, lane: None }));
        }
        stops
    }

    /// Whether what holds cars up follows from the lane, not from what was learned: at
    /// lights, and where who gives way was not studied.
    fn has_its_own(&self, approach: Approach) -> bool {
        approach == Approach::Lights || approach == Approach::Minor && !self.learned.knows(Approach::Minor)
    }

    /// Finds the classes of all lanes, and their tables.
    fn classify(&mut self, map: &Map, progress: &Progress) -> Result<(), Stopped> {
        let inflows = self.inflows(map);
        let place = |lane: LaneId| {
            let approach = Approach::of(map, lane);
            let inflow = inflows[map.lane(lane).to.index()];
            (!self.has_its_own(approach)).then(|| self.learned.between(approach as usize, level(inflow)))
        };
        let places: Vec<Option<Between>> = map.lanes().map(place).collect();
        let mut used: Vec<Between> = places.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let mut tables: Vec<Excess> = used.iter().map(|place| self.learned.at(*place)).collect();
        let own: Vec<LaneId> =
            map.lanes().zip(&places).filter(|(_, place)| place.is_none()).map(|(lane, _)| lane).collect();
        let made = |lane: &LaneId| {
            progress.check()?;
            let table = self.table_of_its_own(map, *lane);
            Ok(if self.learned.waits == 1.0 { table } else { Excess::none().towards(&table, self.learned.waits) })
        };
        let owned: Vec<Excess> = parallel::map(&own, made).into_iter().collect::<Result<_, Stopped>>()?;
        let class = |(lane, place): (LaneId, &Option<Between>)| match place {
            Some(place) => used.binary_search(place).map_or(0, |class| class as u32),
            None => own.binary_search(&lane).map_or(0, |class| (used.len() + class) as u32),
        };
        let classes = map.lanes().zip(&places).map(class).collect();
        tables.extend(owned);
        (self.classes, self.tables) = (classes, tables);
        Ok(())
    }

    /// The table of a lane that has one of its own.
    fn table_of_its_own(&self, map: &Map, lane: LaneId) -> Excess {
        /// Levels that stand for all.
        const LEVELS: u32 = 200;
        if let Some(cycle) = map.cycle(map.lane(lane).to) {
            let ways: Vec<_> = map.paths_from(lane).map(|path| (path, self.at_lights(map, path))).collect();
            return AtLights::table(map, &ways, cycle);
        }
        let across = self.across(map, lane);
        let queue = self.queueing(lane, across, 1.0);
        let levels = (0..LEVELS).map(|level| (f64::from(level) + 0.5) / f64::from(LEVELS));
        Excess::of_samples(&levels.map(|level| queue * gap_wait(across, GAP, level)).collect::<Vec<_>>())
    }

    /// What is known of a way at lights.
    fn at_lights(&self, map: &Map, path: PathId) -> AtLights {
        let first = map.paths_through(map.start_of(path)).filter(|other| map.gives_way(path, *other));
        let across = first.map(|other| self.path_rate(map, other)).sum();
        AtLights { rate: f64::from(self.rates[map.path(path).from.index()]), across }
    }

    /// How many cars go first that are in the way of those of a lane, 1/s: the mean of its
    /// ways.
    fn across(&self, map: &Map, lane: LaneId) -> f64 {
        let ways = map.paths_from(lane);
        let count = ways.len().max(1) as f64;
        ways.map(|path| self.at_lights(map, path).across).sum::<f64>() / count
    }

    /// How many times longer who gives way waits for the others of its lane to go too.
    fn queueing(&self, lane: LaneId, across: f64, scale: f64) -> f64 {
        /// No lane is longer than so many waits.
        const MOST: f64 = 5.0;
        let each = HEADWAY + mean_gap_wait(scale * across);
        let load = scale * f64::from(self.rates[lane.index()]) * each;
        (1.0 / (1.0 - load).max(1e-9)).min(MOST)
    }

    /// About how long cars are held up at the end of a lane that has a table of its own, if
    /// all rates are multiplied.
    fn mean_of_its_own(&self, map: &Map, lane: LaneId, scale: f64) -> f64 {
        if map.cycle(map.lane(lane).to).is_none() {
            let across = self.across(map, lane);
            return self.queueing(lane, across, scale) * mean_gap_wait(scale * across);
        }
        let [mut sum, mut count] = [0.0; 2];
        for path in map.paths_from(lane) {
            let (red, cycle) = match map.go(path, 0.0) {
                Some(Go::Red { since, left, cycle, .. }) => (since + left, cycle),
                Some(Go::Green { red, cycle, .. }) => (red, cycle),
                _ => (0.0, 1.0),
            };
            // A queue that grows while it is red, and leaves while it is green.
            let load = (scale * f64::from(self.rates[lane.index()]) * HEADWAY).min(1.0 - red / cycle).min(0.9);
            sum += red * red / (2.0 * cycle * (1.0 - load));
            count += 1.0;
        }
        sum / f64::max(count, 1.0)
    }

    /// For each junction how many cars come to it each second.
    fn inflows(&self, map: &Map) -> Vec<f64> {
        let mut inflows = vec![0.0; map.junction_count()];
        for lane in map.lanes() {
            inflows[map.lane(lane).to.index()] += f64::from(self.rates[lane.index()]);
        }
        inflows
    }

    /// Kinds of approaches of which nothing was learned, and how many lanes of a map are
    /// such. Those that go first are taken as not held up, those that give way wait for gaps.
    pub(crate) fn unlearned(&self, map: &Map) -> Vec<(Approach, usize)> {
        let unknown = |approach: &Approach| *approach != Approach::Lights && !self.learned.knows(*approach);
        // Where roads meet without anybody giving way there is nothing to learn.
        let matters =
            |lane: LaneId| matches!(map.junction(map.lane(lane).to).control, Control::AllWayStop | Control::Priority);
        let is_such = |lane: LaneId, approach: Approach| matters(lane) && Approach::of(map, lane) == approach;
        let lanes = |approach: Approach| map.lanes().filter(|lane| is_such(*lane, approach)).count();
        let all = Approach::ALL.into_iter().filter(unknown).map(|approach| (approach, lanes(approach)));
        all.filter(|(_, lanes)| *lanes > 0).collect()
    }

    /// The rate at which a path is taken, 1/s.
    #[inline]
    pub(crate) fn path_rate(&self, map: &Map, path: PathId) -> f64 {
        if let Some(shares) = &self.path_shares {
            return f64::from(shares[path.index()]);
        }
        let from = map.path(path).from;
        f64::from(self.rates[from.index()]) / f64::from(self.ways[from.index()].max(1))
    }

    /// The class of the time that cars are held up at the end of a lane.
    #[inline]
    pub(crate) fn class_of(&self, lane: LaneId) -> u32 {
        self.classes[lane.index()]
    }

    /// How much longer than possible cars take for a path, at any time.
    #[inline]
    pub(crate) fn excess(&self, map: &Map, path: PathId) -> &Excess {
        &self.tables[self.classes[map.path(path).to.index()] as usize]
    }

    /// The expected number of cars on a path.
    pub(crate) fn cars_on(&self, map: &Map, vehicle: &Vehicle, path: PathId) -> f64 {
        let rate = self.path_rate(map, path);
        if rate > 0.0 { rate * (vehicle.free_run(map, path).duration() + self.excess(map, path).mean()) } else { 0.0 }
    }

    /// The expected number of cars whose paths lead down a lane.
    #[inline]
    pub(crate) fn cars_towards(&self, lane: LaneId) -> f64 {
        f64::from(self.cars[lane.index()])
    }

    /// One of the paths onto a lane, by how many cars are on each.
    pub(crate) fn path_towards(
        &self,
        map: &Map,
        vehicle: &Vehicle,
        lane: LaneId,
        stream: &mut Stream,
    ) -> Option<PathId> {
        let paths = map.paths_onto(lane);
        let all: f64 = paths.iter().map(|path| self.cars_on(map, vehicle, *path)).sum();
        let mut wanted = all * stream.uniform();
        let found = paths.iter().copied().find(|path| {
            wanted -= self.cars_on(map, vehicle, *path);
            wanted <= 0.0
        });
        found.or(paths.last().copied())
    }

    /// When a car leaves a path that it entered: its draw for this visit. At lights it
    /// depends on where it goes next, and when it comes there.
    #[inline]
    pub(crate) fn leaves(
        &self,
        map: &Map,
        vehicle: &Vehicle,
        draws: &Draws,
        (car, [path, next], visit): (CarId, [PathId; 2], u32),
        entered: f64,
    ) -> f64 {
        let least = vehicle.free_run_by(map, path, draws.driver(car)).duration();
        if let Some(seconds) = draws.told_seconds(car, visit) {
            return entered + seconds.max(least);
        }
        let mut stream = draws.time(car, path, visit);
        match self.held_at_light(map, next, entered + least, &mut stream) {
            Some(held) => entered + least + held,
            None => entered + least + self.excess(map, path).draw(&mut stream),
        }
    }

    /// How long a car that could pass the line at a time is held up by lights; nothing where
    /// there are none.
    #[inline]
    fn held_at_light(&self, map: &Map, next: PathId, comes: f64, stream: &mut Stream) -> Option<f64> {
        map.cycle(map.start_of(next))?;
        let levels = [stream.uniform(), stream.uniform()];
        Some(self.learned.waits * self.at_lights(map, next).held(map, next, comes, levels))
    }

    /// When a car leaves that was seen on its path: not before it can.
    pub(crate) fn leaves_beyond(
        &self,
        map: &Map,
        vehicle: &Vehicle,
        [path, next]: [PathId; 2],
        entered: f64,
        earliest: f64,
        stream: &mut Stream,
    ) -> f64 {
        let least = entered + vehicle.free_run(map, path).duration();
        if let Some(held) = self.held_at_light(map, next, earliest.max(least), stream) {
            return earliest.max(least) + held;
        }
        least + self.excess(map, path).draw_beyond((earliest - least).max(0.0), stream)
    }

    /// Memory that it takes, bytes.
    pub(crate) fn bytes(&self) -> usize {
        let shares = self.path_shares.as_ref().map_or(0, |shares| 4 * shares.capacity());
        self.rates.capacity() * 10 + self.classes.capacity() * 4 + shares
    }
}

/// The mean of [`gap_wait`] over all levels, seconds.
fn mean_gap_wait(rate: f64) -> f64 {
    if rate > 0.0 { ((libm::exp(rate * GAP) - 1.0 - rate * GAP) / rate).min(300.0) } else { 0.0 }
}
