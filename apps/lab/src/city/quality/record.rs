//! What a viewer can write down of the cars in view.

use std::collections::BTreeMap;

use proscenium_city::map::{RoadId, Turn};
use proscenium_city::{CarId, Map, VisibleCar};

/// What is written down of each run.
pub(super) const NAMES: [&str; 18] = [
    "cars in view",
    "variance of cars in view",
    "cars per road and minute",
    "mean speed",
    "deviation of speed",
    "share that stands",
    "mean gap between bumpers",
    "short gaps",
    "mean headway",
    "mean queue",
    "queues of two or more",
    "cars seen",
    "returns per minute",
    "time to return",
    "returns within 30 s",
    "travel time of the returned",
    "turns to the left",
    "GEH of flows",
];

/// A car that stands is slower than this, m/s.
const STANDS: f64 = 0.1;
/// A car that was away for longer has returned, seconds.
const AWAY: f64 = 3.0;
/// Windows for the classifier, seconds.
const WINDOW: f64 = 60.0;
/// Length of a car, metres.
const LENGTH: f64 = 4.2;

/// Sums of a window of time.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    frames: f64,
    cars: f64,
    cars_squared: f64,
    speeds: f64,
    speeds_squared: f64,
    standing: f64,
    gaps: f64,
    gap_count: f64,
    short_gaps: f64,
    headways: f64,
    headway_count: f64,
    queues: f64,
    queued: f64,
    long_queues: f64,
    roads: f64,
    entries: f64,
    first_sightings: f64,
    returns: f64,
    return_times: f64,
    quick_returns: f64,
    travelled: f64,
    travel_count: f64,
    turns: f64,
    left_turns: f64,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        let Sums { frames, cars, cars_squared, speeds, speeds_squared, standing, gaps, gap_count, .. } = *other;
        self.frames += frames;
        self.cars += cars;
        self.cars_squared += cars_squared;
        self.speeds += speeds;
        self.speeds_squared += speeds_squared;
        self.standing += standing;
        self.gaps += gaps;
        self.gap_count += gap_count;
        self.short_gaps += other.short_gaps;
        self.headways += other.headways;
        self.headway_count += other.headway_count;
        self.queues += other.queues;
        self.queued += other.queued;
        self.long_queues += other.long_queues;
        self.roads += other.roads;
        self.entries += other.entries;
        self.first_sightings += other.first_sightings;
        self.returns += other.returns;
        self.return_times += other.return_times;
        self.quick_returns += other.quick_returns;
        self.travelled += other.travelled;
        self.travel_count += other.travel_count;
        self.turns += other.turns;
        self.left_turns += other.left_turns;
    }
}

/// A car as it was last seen.
#[derive(Clone, Copy, Debug)]
struct Sighting {
    time: f64,
    path: u32,
    /// When it came onto its path, if that was seen.
    since: Option<f64>,
}

/// What a viewer wrote down in one drive.
pub(super) struct Recording<'map> {
    map: &'map Map,
    windows: Vec<Sums>,
    last: BTreeMap<CarId, Sighting>,
    entries: BTreeMap<RoadId, f64>,
    /// When a car last passed into each lane in view.
    passed: BTreeMap<u32, f64>,
}

impl<'map> Recording<'map> {
    pub fn new(map: &'map Map) -> Self {
        Self { map, windows: Vec::new(), last: BTreeMap::new(), entries: BTreeMap::new(), passed: BTreeMap::new() }
    }

    /// Writes down a frame.
    pub fn see(&mut self, now: f64, view: &[RoadId], cars: &[VisibleCar]) {
        let window = (now / WINDOW) as usize;
        self.windows.resize(self.windows.len().max(window + 1), Sums::default());
        let mut sums = Sums { frames: 1.0, cars: cars.len() as f64, roads: view.len() as f64, ..Sums::default() };
        sums.cars_squared = sums.cars * sums.cars;
        let mut lanes: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
        for car in cars {
            sums.speeds += car.speed;
            sums.speeds_squared += car.speed * car.speed;
            sums.standing += f64::from(u8::from(car.speed < STANDS));
            lanes.entry(self.map.path(car.path).to.0).or_default().push((car.remaining, car.speed));
            self.follow(now, car, &mut sums);
        }
        for lane in lanes.values_mut() {
            lane.sort_by(|a, b| a.0.total_cmp(&b.0));
            queue(lane, &mut sums);
        }
        self.windows[window].add(&sums);
    }

    /// What is known of a car from earlier.
    fn follow(&mut self, now: f64, car: &VisibleCar, sums: &mut Sums) {
        let mut since = None;
        match self.last.get(&car.id) {
            None => sums.first_sightings += 1.0,
            Some(last) => {
                let away = now - last.time;
                since = last.since;
                if away > AWAY {
                    sums.returns += 1.0;
                    sums.return_times += away;
                    sums.quick_returns += f64::from(u8::from(away < 30.0));
                }
                if last.path != car.path.0 {
                    let is_watched = away < 0.5;
                    if let Some(start) = since.filter(|_| is_watched) {
                        sums.travelled += now - start;
                        sums.travel_count += 1.0;
                    }
                    since = is_watched.then_some(now);
                    if is_watched {
                        self.pass(now, car, sums);
                    }
                }
            }
        }
        self.last.insert(car.id, Sighting { time: now, path: car.path.0, since });
    }

    /// A car was seen to pass a stop line.
    fn pass(&mut self, now: f64, car: &VisibleCar, sums: &mut Sums) {
        sums.entries += 1.0;
        sums.turns += 1.0;
        sums.left_turns += f64::from(u8::from(self.map.path(car.path).turn == Turn::Left));
        *self.entries.entry(self.map.road_of(car.path)).or_default() += 1.0;
        let lane = self.map.path(car.path).to.0;
        if let Some(before) = self.passed.insert(lane, now).filter(|before| now - before < 60.0) {
            sums.headways += now - before;
            sums.headway_count += 1.0;
        }
    }

    /// Cars that were seen to enter each road, on average.
    pub fn mean_flows(recordings: &[Recording]) -> BTreeMap<RoadId, f64> {
        let mut flows = BTreeMap::new();
        for recording in recordings {
            for (road, count) in &recording.entries {
                *flows.entry(*road).or_insert(0.0) += count / recordings.len() as f64;
            }
        }
        flows
    }

    /// The statistics of the whole drive, in the order of [`NAMES`].
    pub fn statistics(&self, flows: &BTreeMap<RoadId, f64>) -> Vec<f64> {
        let mut all = Sums::default();
        for window in &self.windows {
            all.add(window);
        }
        let minutes = all.frames / (60.0 * super::super::ground::RATE);
        let share = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        let mean_cars = share(all.cars, all.frames);
        let mean_speed = share(all.speeds, all.cars);
        // The formula of traffic counts: differences in units that make 5 a good fit.
        let geh = flows.iter().map(|(road, mean)| {
            let own = self.entries.get(road).copied().unwrap_or(0.0);
            if own + mean > 0.0 { (2.0 * (own - mean) * (own - mean) / (own + mean)).sqrt() } else { 0.0 }
        });
        vec![
            mean_cars,
            share(all.cars_squared, all.frames) - mean_cars * mean_cars,
            share(all.entries, share(all.roads, all.frames) * minutes),
            mean_speed,
            (share(all.speeds_squared, all.cars) - mean_speed * mean_speed).max(0.0).sqrt(),
            share(all.standing, all.cars),
            share(all.gaps, all.gap_count),
            share(all.short_gaps, all.gap_count),
            share(all.headways, all.headway_count),
            share(all.queued, all.queues),
            share(all.long_queues, all.frames),
            all.first_sightings,
            share(all.returns, minutes),
            share(all.return_times, all.returns),
            share(all.quick_returns, minutes),
            share(all.travelled, all.travel_count),
            share(all.left_turns, all.turns),
            geh.sum::<f64>() / flows.len().max(1) as f64,
        ]
    }

    /// Each minute as numbers for a classifier.
    pub fn windows(&self) -> Vec<Vec<f64>> {
        let share = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        let whole = self.windows.iter().enumerate().filter(|(_, window)| window.frames > 500.0);
        whole
            .map(|(minute, window)| {
                vec![
                    minute as f64,
                    share(window.cars, window.frames),
                    share(window.speeds, window.cars),
                    share(window.speeds_squared, window.cars),
                    share(window.standing, window.cars),
                    share(window.gaps, window.gap_count),
                    share(window.headways, window.headway_count),
                    share(window.queued, window.queues),
                    share(window.long_queues, window.frames),
                    window.entries,
                    window.first_sightings,
                    window.returns,
                    share(window.return_times, window.returns),
                    window.quick_returns,
                    share(window.left_turns, window.turns),
                ]
            })
            .collect()
    }
}

/// Gaps and the queue of a lane, nearest the stop line first.
fn queue(lane: &[(f64, f64)], sums: &mut Sums) {
    for pair in lane.windows(2) {
        let gap = pair[1].0 - pair[0].0 - LENGTH;
        if gap < 50.0 {
            sums.gaps += gap;
            sums.gap_count += 1.0;
            sums.short_gaps += f64::from(u8::from(gap < 3.0));
        }
    }
    let mut length = 0.0;
    for (remaining, speed) in lane {
        if *speed >= STANDS || *remaining > 1.0 + 6.5 * length {
            break;
        }
        length += 1.0;
    }
    if length > 0.0 {
        sums.queues += 1.0;
        sums.queued += length;
        sums.long_queues += f64::from(u8::from(length >= 2.0));
    }
}
