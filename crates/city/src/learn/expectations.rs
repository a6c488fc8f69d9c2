//! What was learned, applied to a map and a number of cars.

use std::sync::Arc;

use proscenium_chance::Stream;
use proscenium_work::{Progress, Stopped, parallel};

use super::excess::Excess;
use super::flows::{lane_rates, walked};
use super::learned::{Between, LearnedTraffic, kind, level};
use crate::driving::Vehicle;
use crate::map::{JunctionId, LaneId, Map, PathId, RoadId};
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
    /// For each junction the class of the time that cars are held up at it.
    classes: Vec<u16>,
    tables: Vec<Excess>,
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
        let inflows = this.inflows(map);
        let scale = this.scale(cars, least.iter().map(|[times, _]| times).sum(), &inflows, progress)?;
        for rate in this.rates.iter_mut().chain(this.path_shares.iter_mut().flatten()) {
            *rate *= scale as f32;
        }
        let places: Vec<Between> =
            inflows.iter().map(|(control, inflow)| this.learned.between(*control, level(scale * inflow))).collect();
        let mut used = places.clone();
        used.sort_unstable();
        used.dedup();
        this.tables = used.iter().map(|place| this.learned.at(*place)).collect();
        let class = |place| used.binary_search(place).map_or(0, |class| class as u16);
        this.classes = places.iter().map(class).collect();
        let on = |(lane, [times, arriving]): (LaneId, &[f64; 2])| {
            let held = &this.tables[usize::from(this.classes[map.lane(lane).to.index()])];
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
    fn scale(&self, cars: f64, least: f64, inflows: &[(usize, f64)], progress: &Progress) -> Result<f64, Stopped> {
        /// Junctions that are added up at a time.
        const PART: usize = 4096;
        let held_in = |scale: f64, part: &[(usize, f64)]| -> f64 {
            let held = |(control, inflow): &(usize, f64)| {
                scale * inflow * self.learned.mean(self.learned.between(*control, level(scale * inflow)))
            };
            part.iter().map(held).sum()
        };
        let (mut low, mut high) = (0.0, cars / least.max(1e-9));
        let parts: Vec<&[(usize, f64)]> = inflows.chunks(PART).collect();
        for _ in 0..24 {
            progress.check()?;
            let scale = 0.5 * (low + high);
            let parts = parallel::map(&parts, |part| held_in(scale, part));
            if scale * least + parts.iter().sum::<f64>() > cars { high = scale } else { low = scale }
        }
        Ok(0.5 * (low + high))
    }

    /// For each junction the kind of its control, and how many cars come to it
    /// each second.
    pub(super) fn inflows(&self, map: &Map) -> Vec<(usize, f64)> {
        let mut inflows: Vec<(usize, f64)> =
            map.junctions().map(|junction| (kind(map.junction(junction).control), 0.0)).collect();
        for lane in map.lanes() {
            inflows[map.lane(lane).to.index()].1 += f64::from(self.rates[lane.index()]);
        }
        inflows
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

    /// The class of the time that cars are held up at a junction.
    #[inline]
    pub(crate) fn class_of(&self, junction: JunctionId) -> u16 {
        self.classes[junction.index()]
    }

    /// How much longer than possible cars take for a path.
    #[inline]
    pub(crate) fn excess(&self, map: &Map, path: PathId) -> &Excess {
        &self.tables[usize::from(self.classes[map.end_of(path).index()])]
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

    /// When a car leaves a path that it entered: its draw for this visit.
    #[inline]
    pub(crate) fn leaves(
        &self,
        map: &Map,
        vehicle: &Vehicle,
        draws: &Draws,
        (car, path, visit): (CarId, PathId, u32),
        entered: f64,
    ) -> f64 {
        let least = vehicle.free_run(map, path).duration();
        if let Some(seconds) = draws.told_seconds(car, visit) {
            return entered + seconds.max(least);
        }
        entered + least + self.excess(map, path).draw(&mut draws.time(car, path, visit))
    }

    /// When a car leaves that was seen on its path: not before it can.
    pub(crate) fn leaves_beyond(
        &self,
        map: &Map,
        vehicle: &Vehicle,
        path: PathId,
        entered: f64,
        earliest: f64,
        stream: &mut Stream,
    ) -> f64 {
        let least = entered + vehicle.free_run(map, path).duration();
        least + self.excess(map, path).draw_beyond((earliest - least).max(0.0), stream)
    }

    /// Memory that it takes, bytes.
    pub(crate) fn bytes(&self) -> usize {
        let shares = self.path_shares.as_ref().map_or(0, |shares| 4 * shares.capacity());
        self.rates.capacity() * 10 + self.classes.capacity() * 2 + shares
    }
}
