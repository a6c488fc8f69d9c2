//! A generated city and a recorded drive through it.

use std::sync::Arc;

use proscenium_chance::Seed;
use proscenium_city::map::RoadId;
use proscenium_city::sight::VisibleRoads;
use proscenium_city::{City, CityError, Detail, Drive, Map, Recipe, Settings, VisibleCar};

use crate::error::Halt;
use crate::experiment::Context;
use crate::results::Row;
use crate::timing::{Stopwatch, Timer};

/// Frames per second, as in the paper.
pub(super) const RATE: f64 = 10.0;
/// Full angle of view, radians.
const ANGLE: f64 = 1.2;
/// How far the viewer sees, metres.
const REACH: f64 = 400.0;
/// Frames that are not measured.
const WARM: usize = 100;
/// Frames between two looks at the clock.
const BLOCK: usize = 64;

/// A city, and for each frame of a drive the roads in view.
pub(super) struct Ground {
    pub map: Arc<Map>,
    pub views: Vec<Vec<RoadId>>,
}

/// What a drive took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// Cars in view.
    pub in_view: f64,
    /// Time of the processor for a frame, microseconds.
    pub frame_us: f64,
    /// Cars moved by the complete model in a frame.
    pub car_steps: f64,
    /// Bounds made in a frame.
    pub bounds: f64,
    /// What a frame takes with nothing in view and for each car in view,
    /// microseconds: the line nearest to the blocks of the drive.
    pub line: [f64; 2],
}

/// What drives take with cars that nobody sees treated in three ways.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    cars: u32,
    roads: usize,
    paths: usize,
    pub complete: Cost,
    pub tracked: Cost,
    pub pooled: Cost,
}

impl Cost {
    /// Adds a share of another drive's.
    fn add(&mut self, other: &Self, share: f64) {
        self.in_view += share * other.in_view;
        self.frame_us += share * other.frame_us;
        self.car_steps += share * other.car_steps;
        self.bounds += share * other.bounds;
        (0..2).for_each(|part| self.line[part] += share * other.line[part]);
    }

    /// What a frame takes with so many cars in view, microseconds.
    pub fn with_in_view(&self, cars: f64) -> f64 {
        self.line[0] + self.line[1] * cars
    }
}

/// The line nearest to some points (least squares): its height at 0 and its slope.
fn nearest_line(points: &[(f64, f64)]) -> [f64; 2] {
    let share = 1.0 / points.len().max(1) as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + share * point.0, y + share * point.1));
    let away = points.iter().map(|point| (point.0 - x, point.1 - y));
    let (xx, xy) = away.fold((0.0, 0.0), |(xx, xy), (dx, dy)| (xx + dx * dx, xy + dx * dy));
    let slope = if xx > 0.0 { xy / xx } else { 0.0 };
    [y - slope * x, slope]
}

/// Cities of the same kind, each with a drive of its own: what one viewer sees
/// varies too much from drive to drive.
pub(super) struct Drives {
    pub roads: usize,
    pub seconds: f64,
    pub count: u32,
}

impl Drives {
    /// What they take on average in all three ways. The cost of the complete
    /// model does not depend on the view: fewer frames of it may do.
    pub fn costs(&self, cars: u32, complete_frames: usize, context: &Context) -> Result<Costs, Halt> {
        let mut all = Costs { cars, ..Costs::default() };
        let share = 1.0 / f64::from(self.count);
        for drive in 0..self.count {
            let seed = if drive == 0 { context.seed() } else { context.seed().child("city", u64::from(drive)) };
            let ground = Ground::new(&Recipe::with_roads(self.roads), seed, self.seconds, context)?;
            if drive == 0 {
                (all.roads, all.paths) = (ground.map.road_count(), ground.map.path_count());
            }
            let cost = |detail, frames| ground.measure(&mut ground.city(detail, cars, seed.0), frames, context);
            all.complete.add(&cost(Detail::Complete, complete_frames)?, share);
            all.tracked.add(&cost(Detail::Tracked, usize::MAX)?, share);
            all.pooled.add(&cost(Detail::Pooled, usize::MAX)?, share);
        }
        Ok(all)
    }
}

impl Costs {
    /// How many times the complete model takes what this takes.
    pub fn speedup(&self, culled: &Cost) -> f64 {
        self.complete.frame_us / culled.frame_us
    }

    /// The speedup times the share of cars in view.
    pub fn efficiency(&self, culled: &Cost) -> f64 {
        self.speedup(culled) * culled.in_view / f64::from(self.cars)
    }

    /// What a frame takes beyond its share of the complete model's time for the cars in
    /// view: microseconds, and in steps of cars.
    pub fn overhead(&self, culled: &Cost) -> [f64; 2] {
        let each = self.complete.frame_us / f64::from(self.cars);
        let us = culled.frame_us - each * culled.in_view;
        [us, us / each]
    }

    /// What every table of costs has.
    pub fn row(&self) -> Row {
        let [overhead_us, overhead_cars] = self.overhead(&self.pooled);
        let [tracked_overhead_us, tracked_overhead_cars] = self.overhead(&self.tracked);
        Row::new()
            .with("stepped_out_of_view", self.pooled.car_steps - self.pooled.in_view)
            .with("overhead_us", overhead_us)
            .with("overhead_cars", overhead_cars)
            .with("tracked_overhead_us", tracked_overhead_us)
            .with("tracked_overhead_cars", tracked_overhead_cars)
            .with("cars", self.cars)
            .with("roads", self.roads)
            .with("paths", self.paths)
            .with("complete_us", self.complete.frame_us)
            .with("complete_car_steps", self.complete.car_steps)
            .with("complete_ns_per_car", self.complete.frame_us * 1e3 / f64::from(self.cars))
            .with("tracked_car_steps", self.tracked.car_steps)
            .with("tracked_bounds", self.tracked.bounds)
            .with("pooled_us", self.pooled.frame_us)
            .with("pooled_efficiency", self.efficiency(&self.pooled))
            .with("pooled_car_steps", self.pooled.car_steps)
            .with("pooled_bounds", self.pooled.bounds)
    }
}

impl Ground {
    /// A city of about so many roads, and a drive through it.
    pub fn new(recipe: &Recipe, seed: Seed, seconds: f64, context: &Context) -> Result<Self, Halt> {
        let progress = context.progress();
        let plan = recipe.generate_watched(seed, &progress)?.or_stopped()?;
        let map = Map::build_watched(&plan, &progress).map_err(CityError::from)?.or_stopped()?;
        let drive = Drive::record_watched(&map, seed.child("drive", 0), seconds, RATE, &progress);
        let drive = drive?.or_stopped()?;
        let mut visible = VisibleRoads::new(&map);
        let mut views = Vec::with_capacity(drive.frames().len());
        for frame in drive.frames() {
            visible.look(&map, &[frame.eye(ANGLE, REACH)?]);
            let mut roads = visible.roads().to_vec();
            roads.sort_unstable();
            views.push(roads);
        }
        Ok(Self { map: Arc::new(map), views })
    }

    /// The city with cars that nobody sees treated in a way.
    pub fn city(&self, detail: Detail, cars: u32, seed: u64) -> City {
        City::new(Arc::clone(&self.map))
            .with_cars(cars)
            .seed(seed)
            .with_settings(Settings { detail, ..Settings::default() })
    }

    /// The time of the slowest frame after the first ones, microseconds.
    pub fn slowest_us(&self, city: &mut City, context: &Context) -> Result<f64, Halt> {
        let mut slowest = 0.0_f64;
        for (frame, view) in self.views.iter().enumerate() {
            if frame % BLOCK == 0 {
                context.check()?;
            }
            let timer = Timer::start();
            city.look_at(view)?;
            city.advance(frame as f64 / RATE)?;
            if frame >= WARM {
                slowest = slowest.max(timer.elapsed().as_secs_f64());
            }
        }
        Ok(slowest * 1e6)
    }

    /// Drives once, and hands over what is seen in each frame.
    pub fn drive(
        &self,
        city: &mut City,
        context: &Context,
        mut see: impl FnMut(f64, &[RoadId], &[VisibleCar]),
    ) -> Result<(), Halt> {
        for (frame, view) in self.views.iter().enumerate() {
            if frame % 64 == 0 {
                context.check()?;
            }
            let now = frame as f64 / RATE;
            city.look_at(view)?;
            see(now, view, city.advance(now)?);
        }
        Ok(())
    }

    /// Drives once, at most so many frames, and measures. Reading the clock
    /// takes as long as a car: it is read once for many frames.
    pub fn measure(&self, city: &mut City, frames: usize, context: &Context) -> Result<Cost, Halt> {
        city.start_watched(&context.progress())?.or_stopped()?;
        let frames = frames.min(self.views.len());
        for (frame, view) in self.views[..frames.min(WARM)].iter().enumerate() {
            city.look_at(view)?;
            city.advance(frame as f64 / RATE)?;
        }
        let before = city.work();
        let mut watch = Stopwatch::default();
        let mut in_view = 0;
        let mut blocks = Vec::new();
        for (block, views) in self.views[frames.min(WARM)..frames].chunks(BLOCK).enumerate() {
            context.check()?;
            let first = WARM + BLOCK * block;
            let (seen_before, spent_before) = (in_view, watch.seconds());
            watch.time(|| {
                for (frame, view) in views.iter().enumerate() {
                    city.look_at(view)?;
                    in_view += city.advance((first + frame) as f64 / RATE)?.len();
                }
                Ok::<(), CityError>(())
            })?;
            let each = 1.0 / views.len() as f64;
            blocks.push((each * (in_view - seen_before) as f64, 1e6 * each * (watch.seconds() - spent_before)));
        }
        let measured = frames.saturating_sub(WARM).max(1) as f64;
        let work = city.work();
        Ok(Cost {
            in_view: in_view as f64 / measured,
            frame_us: watch.seconds() * 1e6 / measured,
            car_steps: (work.car_steps - before.car_steps) as f64 / measured,
            bounds: (work.tracking.bounds - before.tracking.bounds) as f64 / measured,
            line: nearest_line(&blocks),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_through_its_points() {
        let points: Vec<_> = (0..9).map(|x| (f64::from(x), 2.0 + 0.5 * f64::from(x))).collect();
        let [height, slope] = nearest_line(&points);
        assert!((height - 2.0).abs() < 1e-12 && (slope - 0.5).abs() < 1e-12);
        assert_eq!(nearest_line(&[(3.0, 4.0)]), [4.0, 0.0]);
        assert_eq!(nearest_line(&[]), [0.0, 0.0]);
    }
}
