//! Cars that nobody has seen for long: densities by region, not cars
//! (Chenney 2000, 6.3.4).

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Progress, Stopped};

use super::counts::{binomial, poisson, shares};
use super::divide::divide;
use super::moment::Moment;
use super::tracked::{TrackedCars, Ways};
use crate::learn::Expectations;
use crate::map::{LaneId, Map, PathId, RoadId};
use crate::traffic::Newcomer;
use crate::wander::{CarId, Course};

/// How much denser than usual a region may be; arrivals are drawn for this and
/// thinned. Chosen: twice as dense as pools are at most when they are woken, and
/// more.
const DENSEST: f64 = 3.0;
/// Other regions that are asked for a car, or to take one. Chosen as a bound of
/// the work.
const ASKED: usize = 64;
/// The share of its usual cars that may be anywhere, whatever is known there.
/// Chosen: above 0, so that chances can be divided by their sum.
const LEAST_UNKNOWN: f64 = 0.05;

/// What wakes regions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<'a> {
    pub now: f64,
    /// Until when they stay awake if nothing else happens.
    pub until: f64,
    /// How much fuller than usual what is seen is.
    pub crowding: f64,
    /// When each road was wanted last; −∞ if never.
    pub wanted: &'a [f64],
}

/// A part of the city whose unseen cars are one number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Region {
    /// Numbers of cars in the pool: a range that was never touched, and others.
    first: u32,
    count: u32,
    others: Vec<u32>,
    /// Cars on its roads on average.
    expected: f32,
    /// How long a car stays in it on average, seconds.
    residence: f32,
    /// When its number of cars was right.
    updated: f64,
    /// How often it was woken.
    visits: u32,
    /// Until when it stays awake; asleep if this is −∞.
    awake_until: f64,
    /// Cars in it that are tracked one by one while it sleeps.
    tracked: u32,
}

impl Region {
    fn is_awake(&self) -> bool {
        self.awake_until > f64::NEG_INFINITY
    }

    fn pooled(&self) -> u32 {
        self.count + self.others.len() as u32
    }

    /// Its share among pools: the cars that it should have and that are not
    /// tracked one by one.
    fn weight(&self) -> f64 {
        let expected = f64::from(self.expected);
        (expected - f64::from(self.tracked)).max(LEAST_UNKNOWN * expected)
    }

    /// Any of the cars in the pool: a car that was seen is as likely to be met
    /// again as any other that is here.
    fn take(&mut self, stream: &mut Stream) -> Option<CarId> {
        if self.pooled() == 0 {
            return None;
        }
        let place = stream.below(u64::from(self.pooled())) as usize;
        if let Some(known) = place.checked_sub(self.count as usize) {
            return Some(CarId(self.others.swap_remove(known)));
        }
        self.count -= 1;
        self.first += 1;
        Some(CarId(self.first - 1))
    }
}

impl Region {
    /// Any of the cars in the pool that fit, as far as is looked.
    fn take_fitting(&mut self, fits: &dyn Fn(CarId) -> bool, stream: &mut Stream) -> Option<CarId> {
        let mut passed = Vec::new();
        let mut found = None;
        for _ in 0..ASKED {
            match self.take(stream) {
                Some(id) if fits(id) => {
                    found = Some(id);
                    break;
                }
                Some(id) => passed.push(id.0),
                None => break,
            }
        }
        self.others.extend(passed);
        found
    }
}

/// All regions.
#[derive(Clone, Debug)]
pub(crate) struct Pools {
    region_of: Vec<u32>,
    pub(super) regions: Vec<Region>,
    /// Roads of each region.
    first_road: Vec<u32>,
    roads: Vec<RoadId>,
    /// Paths that lead into each region from another.
    first_entrance: Vec<u32>,
    entrances: Vec<PathId>,
    pub(super) arrivals: BinaryHeap<Reverse<(Moment, u32, u32)>>,
    counts: Stream,
    places: Stream,
    arriving: Stream,
    /// Regions that are awake.
    pub(super) awake: Vec<u32>,
    /// Regions that sleep and have cars that are tracked one by one.
    pub(super) noted: Vec<u32>,
    /// Of the regions that sleep: cars in pools, and the sum of weights.
    pub(super) asleep: [f64; 2],
}

impl Pools {
    /// Divides the map, and the cars among its parts.
    pub(crate) fn new(
        map: &Map,
        expectations: &Expectations,
        cars: u32,
        seed: Seed,
        progress: &Progress,
    ) -> Result<Self, Stopped> {
        let (region_of, count) = divide(map);
        let mut first_road = vec![0_u32; count + 1];
        for region in &region_of {
            first_road[*region as usize + 1] += 1;
        }
        accumulate(&mut first_road);
        let mut roads: Vec<RoadId> = map.roads().collect();
        roads.sort_by_key(|road| region_of[road.index()]);
        let mut expected = vec![0.0_f64; count];
        let mut leaving = vec![0.0_f64; count];
        let mut first_entrance = vec![0_u32; count + 1];
        let region = |path: PathId| region_of[map.road_of(path).index()] as usize;
        let source = |path: PathId| region_of[map.lane(map.path(path).from).road.index()] as usize;
        for lane in map.lanes() {
            progress.check()?;
            expected[region_of[map.lane(lane).road.index()] as usize] += expectations.cars_towards(lane);
        }
        for path in map.paths() {
            progress.check()?;
            if source(path) != region(path) {
                leaving[source(path)] += expectations.path_rate(map, path);
                first_entrance[region(path) + 1] += 1;
            }
        }
        accumulate(&mut first_entrance);
        let mut entrances: Vec<PathId> = map.paths().filter(|path| source(*path) != region(*path)).collect();
        entrances.sort_by_key(|path| region(*path));
        let counts = seed.stream("pool count");
        progress.check()?;
        let drawn = shares(&expected, cars, &counts);
        let mut first = 0;
        let regions: Vec<Region> = (0..count)
            .map(|index| {
                let count = drawn[index];
                first += count;
                Region {
                    first: first - count,
                    count,
                    others: Vec::new(),
                    expected: expected[index] as f32,
                    residence: (expected[index] / leaving[index].max(1e-9)) as f32,
                    updated: 0.0,
                    visits: 0,
                    awake_until: f64::NEG_INFINITY,
                    tracked: 0,
                }
            })
            .collect();
        let asleep = [f64::from(cars), expected.iter().sum()];
        let (places, arriving) = (seed.stream("pool place"), seed.stream("pool arrival"));
        let arrivals = BinaryHeap::new();
        Ok(Self {
            region_of,
            regions,
            first_road,
            roads,
            first_entrance,
            entrances,
            arrivals,
            counts,
            places,
            arriving,
            awake: Vec::new(),
            noted: Vec::new(),
            asleep,
        })
    }

    /// Takes over what is expected with another number of cars.
    pub(crate) fn expect(&mut self, map: &Map, expectations: &Expectations) {
        let mut sums = vec![[0.0_f64; 2]; self.regions.len()];
        for lane in map.lanes() {
            sums[self.region(map.lane(lane).road)][0] += expectations.cars_towards(lane);
        }
        for path in &self.entrances {
            let source = self.region(map.lane(map.path(*path).from).road);
            sums[source][1] += expectations.path_rate(map, *path);
        }
        for (region, [expected, leaving]) in self.regions.iter_mut().zip(sums) {
            (region.expected, region.residence) = (expected as f32, (expected / leaving.max(1e-9)) as f32);
        }
        let asleep = self.regions.iter().filter(|region| !region.is_awake());
        self.asleep[1] = asleep.map(Region::weight).sum();
    }

    /// Puts a car into a pool that sleeps, if there is one: each as likely as cars are there.
    pub(crate) fn add(&mut self, id: CarId, stream: &mut Stream) -> bool {
        let mut wanted = self.asleep[1] * stream.uniform();
        let asleep = (0..self.regions.len()).filter(|region| !self.regions[*region].is_awake());
        let mut last = None;
        for region in asleep {
            last = Some(region);
            wanted -= self.regions[region].weight();
            if wanted <= 0.0 {
                break;
            }
        }
        last.inspect(|region| self.dissolve_into(*region, id)).is_some()
    }

    /// Drops a car of whom nobody knows anything, if there is one.
    pub(crate) fn drop_one(&mut self, stream: &mut Stream) -> bool {
        let mut wanted = stream.below(self.count().max(1));
        for region in 0..self.regions.len() {
            let pooled = u64::from(self.regions[region].pooled());
            if wanted < pooled {
                self.asleep[0] -= f64::from(u8::from(!self.regions[region].is_awake()));
                return self.regions[region].take(stream).is_some();
            }
            wanted -= pooled;
        }
        false
    }

    /// Cars in pools.
    pub(crate) fn count(&self) -> u64 {
        self.regions.iter().map(|region| u64::from(region.pooled())).sum()
    }

    fn region(&self, road: RoadId) -> usize {
        self.region_of[road.index()] as usize
    }

    /// How many cars are in the pool of a region that sleeps, on average: what
    /// it had relaxes to what it should have.
    fn mean_now(&self, region: usize, now: f64) -> f64 {
        let this = &self.regions[region];
        let stays = self.stays(region, now);
        stays * f64::from(this.pooled()) + (1.0 - stays) * self.target(region)
    }

    /// The chance that a car of the pool has stayed.
    fn stays(&self, region: usize, now: f64) -> f64 {
        let this = &self.regions[region];
        libm::exp(-(now - this.updated) / f64::from(this.residence.max(1.0)))
    }

    /// What the pool of a region tends to: its share of the cars that are in
    /// any pool, without those of its cars that are known one by one.
    fn target(&self, region: usize) -> f64 {
        let [pooled, weights] = self.asleep;
        pooled * self.regions[region].weight() / weights.max(1e-6)
    }

    /// Whether any of these roads is in a region that sleeps.
    pub(crate) fn sleeps(&self, roads: &[RoadId]) -> bool {
        roads.iter().any(|road| !self.regions[self.region(*road)].is_awake())
    }

    /// Wakes the regions of some roads: their cars become known one by one.
    pub(crate) fn wake(&mut self, roads: &[RoadId], look: &Look, tracked: &mut TrackedCars, ways: &Ways) {
        for &road in roads {
            let region = self.region(road);
            let is_awake = self.regions[region].is_awake();
            if !is_awake {
                self.wake_region(region, look, tracked, ways);
            }
            let this = &mut self.regions[region];
            this.awake_until = this.awake_until.max(look.until);
        }
    }

    /// Lets a region stay awake until a time, if it is.
    pub(crate) fn keep_awake(&mut self, road: RoadId, until: f64) {
        let region = self.region(road);
        let this = &mut self.regions[region];
        if this.is_awake() {
            this.awake_until = this.awake_until.max(until);
        }
    }

    fn wake_region(&mut self, region: usize, look: &Look, tracked: &mut TrackedCars, ways: &Ways) {
        let (now, crowding) = (look.now, look.crowding);
        let visit = self.regions[region].visits;
        let mut stream = self.counts.at(region as u64).at(u64::from(visit));
        let stays = self.stays(region, now);
        let come = (1.0 - stays) * self.target(region) * crowding;
        let this = &self.regions[region];
        // Nobody has looked yet: what was divided at the start is as good as new.
        let (stayed, come) = match visit {
            0 => (binomial(this.pooled(), crowding, &mut stream), (crowding - 1.0) * f64::from(this.pooled())),
            _ => (binomial(this.pooled(), stays, &mut stream), come),
        };
        let come = poisson(come, &mut stream);
        self.asleep[0] -= f64::from(self.regions[region].pooled());
        self.asleep[1] -= self.regions[region].weight();
        self.regions[region].visits += 1;
        self.regions[region].awake_until = now;
        self.regions[region].tracked = 0;
        self.awake.push(region as u32);
        if self.regions[region].expected <= 0.0 {
            // Nobody drives here: what is in the pool stays there.
            return;
        }
        let mut ids: Vec<CarId> = std::iter::from_fn(|| self.regions[region].take(&mut stream)).collect();
        for gone in ids.split_off(stayed as usize) {
            self.give(region, gone);
        }
        ids.extend((0..come).map_while(|_| self.borrow(region, &mut stream)));
        self.populate(region, visit, &ids, look, tracked, ways);
        self.next_arrival(region, now, ways);
    }

    /// Gives each of these cars a place in a region (B.3.5): a path by the time
    /// that cars spend on it, and a moment of a time that is length-biased. Where
    /// the viewer looked not long ago, all cars are known: others come there no
    /// sooner than cars change places in the region.
    fn populate(&self, region: usize, visit: u32, ids: &[CarId], look: &Look, tracked: &mut TrackedCars, ways: &Ways) {
        let range = self.first_road[region] as usize..self.first_road[region + 1] as usize;
        let residence = f64::from(self.regions[region].residence.max(1.0));
        let mut lanes: Vec<LaneId> = Vec::new();
        let mut sums: Vec<f64> = Vec::new();
        let mut total = 0.0;
        for &road in &self.roads[range] {
            let unknown = 1.0 - libm::exp((look.wanted[road.index()] - look.now).min(0.0) / residence);
            for lane in ways.map.lanes_of(road) {
                total += ways.expectations.cars_towards(lane) * unknown.max(LEAST_UNKNOWN);
                lanes.push(lane);
                sums.push(total);
            }
        }
        for &id in ids {
            let mut stream = self.places.at(u64::from(id.0)).at((region as u64) << 32 | u64::from(visit));
            let wanted = total * stream.uniform();
            let chosen = lanes[sums.partition_point(|sum| *sum < wanted).min(lanes.len() - 1)];
            let path = ways.expectations.path_towards(ways.map, ways.vehicle, chosen, &mut stream);
            let path = path.expect("where cars are expected there is a way");
            let (car, leaves) = meet(id, path, look.now, ways, &mut stream);
            tracked.add(car, leaves, ways);
        }
    }

    /// Cars that come to a region that is awake from those that sleep, by a
    /// time. Each comes by one of the ways in, as often as that is taken.
    pub(crate) fn arrive(&mut self, now: f64, ways: &Ways, mut enter: impl FnMut(Newcomer)) {
        while let Some(Reverse((moment, region, visit))) = self.arrivals.peek().copied() {
            if moment.0 > now {
                break;
            }
            self.arrivals.pop();
            let index = region as usize;
            if !self.regions[index].is_awake() || self.regions[index].visits != visit {
                continue;
            }
            let mut stream = self.arriving.at(u64::from(region)).at(moment.0.to_bits());
            if let Some(path) = self.entrance(index, ways, &mut stream) {
                let source = self.region(ways.map.lane(ways.map.path(path).from).road);
                let full = self.mean_now(source, moment.0) / f64::from(self.regions[source].expected).max(1e-6);
                let is_asleep = !self.regions[source].is_awake();
                if is_asleep
                    && DENSEST * stream.uniform() < full
                    && let Some(id) = self.borrow_from(source, &mut stream)
                {
                    let mut course = course_at(moment.0);
                    let next = ways.draws.next_path(ways.map, id, &mut course, path);
                    enter(Newcomer { id, path, next, course, entered: moment.0, seen: f64::NEG_INFINITY });
                }
            }
            self.next_arrival(index, moment.0, ways);
        }
    }

    fn entrances_of(&self, region: usize) -> &[PathId] {
        &self.entrances[self.first_entrance[region] as usize..self.first_entrance[region + 1] as usize]
    }

    /// One of the ways into a region, by how often they are taken.
    fn entrance(&self, region: usize, ways: &Ways, stream: &mut Stream) -> Option<PathId> {
        let rate = |path: &PathId| ways.expectations.path_rate(ways.map, *path);
        let total: f64 = self.entrances_of(region).iter().map(rate).sum();
        let mut wanted = total * stream.uniform();
        self.entrances_of(region).iter().copied().find(|path| {
            wanted -= rate(path);
            wanted <= 0.0
        })
    }

    fn next_arrival(&mut self, region: usize, now: f64, ways: &Ways) {
        let rate: f64 =
            self.entrances_of(region).iter().map(|path| ways.expectations.path_rate(ways.map, *path)).sum::<f64>()
                * DENSEST;
        if rate > 0.0 {
            let mut stream = self.arriving.at(region as u64).at(now.to_bits()).at(1);
            let time = now - libm::log(stream.uniform()) / rate;
            self.arrivals.push(Reverse((Moment(time), region as u32, self.regions[region].visits)));
        }
    }

    /// Takes a car out of the pool of a region that sleeps.
    fn borrow_from(&mut self, region: usize, stream: &mut Stream) -> Option<CarId> {
        match self.regions[region].take(stream) {
            Some(id) => {
                self.asleep[0] -= 1.0;
                Some(id)
            }
            None => self.borrow(region, stream),
        }
    }

    /// Takes a car from a region near this one that sleeps.
    fn borrow(&mut self, region: usize, stream: &mut Stream) -> Option<CarId> {
        let count = self.regions.len();
        for step in 1..=ASKED.min(count - 1) {
            let other = (region + step) % count;
            if !self.regions[other].is_awake()
                && let Some(id) = self.regions[other].take(stream)
            {
                self.asleep[0] -= 1.0;
                return Some(id);
            }
        }
        None
    }

    /// Takes a car of some kind out of the pool of the region of a road, or of one near it.
    pub(crate) fn call(&mut self, road: RoadId, fits: &dyn Fn(CarId) -> bool, stream: &mut Stream) -> Option<CarId> {
        let (home, count) = (self.region(road), self.regions.len());
        for step in 0..=ASKED.min(count - 1) {
            let region = (home + step) % count;
            let this = &mut self.regions[region];
            let Some(id) = this.take_fitting(fits, stream) else {
                continue;
            };
            if !this.is_awake() {
                self.asleep[0] -= 1.0;
            }
            return Some(id);
        }
        None
    }

    /// Gives a car to a region near this one that sleeps, or else to this one.
    fn give(&mut self, region: usize, id: CarId) {
        let count = self.regions.len();
        let other = (1..=ASKED.min(count - 1))
            .map(|step| (region + step) % count)
            .find(|other| !self.regions[*other].is_awake());
        self.dissolve_into(other.unwrap_or(region), id);
    }

    /// Puts a car into a pool.
    fn dissolve_into(&mut self, region: usize, id: CarId) {
        let this = &mut self.regions[region];
        this.others.push(id.0);
        if !this.is_awake() {
            self.asleep[0] += 1.0;
        }
    }

    /// Puts regions to sleep that nobody has needed for a while, and dissolves
    /// tracked cars that are in such regions and were not seen since
    /// `forgotten`.
    pub(crate) fn settle(
        &mut self,
        now: f64,
        forgotten: f64,
        keep: &dyn Fn(CarId) -> bool,
        tracked: &mut TrackedCars,
        map: &Map,
    ) {
        for region in std::mem::take(&mut self.noted) {
            self.note(region as usize, 0);
        }
        for region in std::mem::take(&mut self.awake) {
            let this = &mut self.regions[region as usize];
            if this.awake_until >= now {
                self.awake.push(region);
                continue;
            }
            this.awake_until = f64::NEG_INFINITY;
            this.updated = now;
            self.asleep[0] += f64::from(this.pooled());
            self.asleep[1] += this.weight();
        }
        let slots: Vec<(u32, usize, CarId, f64)> = tracked
            .iter()
            .map(|(slot, unseen)| (slot, self.region(map.road_of(unseen.car.path)), unseen.car.id, unseen.car.seen))
            .filter(|(_, region, ..)| !self.regions[*region].is_awake())
            .collect();
        for (slot, region, id, seen) in slots {
            if seen < forgotten && !keep(id) {
                tracked.remove(slot);
                self.dissolve_into(region, id);
            } else {
                let count = self.regions[region].tracked;
                if count == 0 {
                    self.noted.push(region as u32);
                }
                self.note(region, count + 1);
            }
        }
    }

    /// Keeps how many cars of a region are tracked one by one, if it sleeps.
    fn note(&mut self, region: usize, tracked: u32) {
        let this = &mut self.regions[region];
        if !this.is_awake() {
            self.asleep[1] -= this.weight();
            this.tracked = tracked;
            self.asleep[1] += this.weight();
        }
    }

    /// Cars that each road has on average, while its region sleeps; 0 where it
    /// is awake.
    pub(crate) fn density(&self, road: RoadId, now: f64) -> f64 {
        let region = self.region(road);
        let this = &self.regions[region];
        if this.is_awake() {
            return 0.0;
        }
        let roads = f64::from(self.first_road[region + 1] - self.first_road[region]);
        self.mean_now(region, now) / roads.max(1.0)
    }

    /// Memory for roads and for cars, bytes.
    pub(crate) fn bytes(&self) -> [usize; 2] {
        let roads = 4
            * (self.awake.capacity()
                + self.noted.capacity()
                + self.region_of.capacity()
                + self.first_road.capacity()
                + self.roads.capacity())
            + 4 * (self.first_entrance.capacity() + self.entrances.capacity());
        let cars = self.regions.capacity() * size_of::<Region>()
            + self.regions.iter().map(|region| 4 * region.others.capacity()).sum::<usize>();
        [roads, cars]
    }
}

/// The numbers of paths and destinations of a car by a time, if they are not
/// known: more than it can have, so that no draw is made twice.
pub(crate) fn course_at(now: f64) -> Course {
    let visit = now as u32 + 1;
    Course { visit, trip: visit }
}

/// A car that is met on a path: since when it is on it, and until when.
pub(crate) fn meet(id: CarId, path: PathId, now: f64, ways: &Ways, stream: &mut Stream) -> (Newcomer, f64) {
    let least = ways.vehicle.free_run_by(ways.map, path, ways.draws.driver(id)).duration();
    let total = least + ways.expectations.excess(ways.map, path).draw_met(least, stream);
    let entered = now - total * stream.uniform();
    let mut course = course_at(now);
    let next = ways.draws.next_path(ways.map, id, &mut course, path);
    (Newcomer { id, path, next, course, entered, seen: f64::NEG_INFINITY }, entered + total)
}

fn accumulate(counts: &mut [u32]) {
    for index in 1..counts.len() {
        counts[index] += counts[index - 1];
    }
}
