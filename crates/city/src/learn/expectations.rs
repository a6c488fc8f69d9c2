//! What was learned, applied to a map and a number of cars.

use std::sync::Arc;

use proscenium_chance::Stream;

use super::excess::Excess;
use super::flows::{lane_rates, walked};
use super::learned::{Learned, kind, level};
use crate::driving::Vehicle;
use crate::map::{Map, PathId, RoadId};
use crate::wander::{CarId, Draws, Wander};

/// How often paths are taken and how long cars take for them, on a map with a
/// number of cars.
#[derive(Clone, Debug)]
pub(crate) struct Expectations {
    pub(crate) learned: Arc<Learned>,
    /// For each lane the rate at which cars use it, 1/s.
    rates: Vec<f32>,
    /// For each path how often it is taken, where ways are not chosen alike.
    path_shares: Option<Vec<f32>>,
    /// For each lane the number of ways on.
    ways: Vec<u16>,
    /// For each junction the class of the time that cars are held up at it.
    classes: Vec<u8>,
    tables: Vec<Excess>,
}

impl Expectations {
    /// Finds the flow at which this many cars are on the allowed roads: the
    /// more flow, the longer they are held up.
    pub(crate) fn new(
        map: &Map,
        vehicle: &Vehicle,
        draws: &Draws,
        learned: &Arc<Learned>,
        cars: f64,
        is_allowed: &(dyn Fn(RoadId) -> bool + Sync),
    ) -> Self {
        let path_shares = (draws.wander() == Wander::Destinations).then(|| walked(map, draws));
        let rates = match &path_shares {
            Some(shares) => {
                map.lanes().map(|lane| map.paths_from(lane).map(|path| shares[path.index()]).sum()).collect()
            }
            None => lane_rates(map, is_allowed),
        };
        let tables: Vec<Excess> =
            learned.classes.iter().map(|class| class.clone().unwrap_or_else(Excess::none)).collect();
        let on = |lane| map.paths_from(lane).filter(|path| is_allowed(map.road_of(*path))).count() as u16;
        let ways: Vec<u16> = map.lanes().map(on).collect();
        let mut this = Self { learned: Arc::clone(learned), rates, path_shares, ways, classes: Vec::new(), tables };
        let inflows = this.inflows(map);
        // The least time of all paths, weighted, and the mean weight.
        let mut least = 0.0;
        for path in map.paths() {
            let rate = this.path_rate(map, path);
            if rate > 0.0 {
                least += rate * vehicle.free_run(map, path).duration();
            }
        }
        let (mut low, mut high) = (0.0, cars / least.max(1e-9));
        for _ in 0..30 {
            let scale = 0.5 * (low + high);
            let held: f64 = inflows
                .iter()
                .map(|(control, inflow)| {
                    let excess = this.learned.class(*control, level(scale * inflow));
                    scale * inflow * excess.map_or(0.0, Excess::mean)
                })
                .sum();
            if scale * least + held > cars { high = scale } else { low = scale }
        }
        let scale = 0.5 * (low + high);
        for rate in this.rates.iter_mut().chain(this.path_shares.iter_mut().flatten()) {
            *rate *= scale as f32;
        }
        this.classes = inflows
            .iter()
            .map(|(control, inflow)| this.learned.nearest(*control, level(scale * inflow)) as u8)
            .collect();
        this
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
        self.rates.capacity() * 6 + self.classes.capacity() + shares
    }
}
