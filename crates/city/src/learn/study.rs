//! Runs of the complete model to learn from.

use std::sync::Arc;

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Artifact, Completion, Finish, Progress, Stopped};
use serde::{Deserialize, Serialize};

use super::excess::{Excess, ExcessFit};
use super::expectations::Expectations;
use super::following::Following;
use super::learned::{Approach, KINDS, LEVELS, LearnedTraffic, level};
use crate::culling::{Ways, meet};
use crate::driving::Vehicle;
use crate::error::CityError;
use crate::map::{Map, PathId, RoadId};
use crate::traffic::Traffic;
use crate::wander::{CarId, Draws, Wander};

/// A `.study` file.
const FILE: Artifact = Artifact::new("study", "a study of a city", 4, "begin it anew: proscenium city learn CITY");
/// Traversals of a class that are kept. Chosen: quantiles of so many are exact to
/// a percent, beyond what the fit tells apart.
const KEPT: usize = 20_000;
/// Length of a step, seconds: that of a city unless it is set otherwise.
const STEP: f64 = 0.1;

/// How a city is studied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudySettings {
    /// Cars for each kilometre of lane, run after run.
    pub densities: Vec<f64>,
    /// Simulated time of a run that is not measured, seconds.
    pub warm_up: f64,
    /// Simulated time of a run that is measured, seconds.
    pub measured: f64,
    /// Roads of the part that is run at most; the whole city if it is smaller.
    pub roads: usize,
    /// What is fitted.
    pub fit: ExcessFit,
    /// What everything uncertain follows from.
    pub seed: u64,
}

impl Default for StudySettings {
    fn default() -> Self {
        Self {
            densities: vec![0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 15.0, 20.0],
            warm_up: 240.0,
            measured: 1200.0,
            roads: 600,
            fit: ExcessFit::WaitingMixture,
            seed: 1,
        }
    }
}

/// A study of a city: runs of the complete model at several densities, one
/// after the other. What is known after any of them can be kept as a file and
/// gone on from, and is the same as without the pause.
///
/// ```
/// use proscenium_city::learn::StudySettings;
/// use proscenium_city::map::{JunctionPlan, RoadPlan};
/// use proscenium_city::{Map, Plan, Study, glam::DVec2};
/// use proscenium_work::{Completion, Progress};
///
/// let mut plan = Plan::default();
/// let corners: Vec<u32> = (0..9)
///     .map(|n| plan.junction(JunctionPlan::at(DVec2::new(80.0 * f64::from(n % 3), 80.0 * f64::from(n / 3)))))
///     .collect();
/// for (a, b) in [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (3, 6), (1, 4), (4, 7), (2, 5), (5, 8)] {
///     plan.road(RoadPlan::two_way(corners[a], corners[b], 1));
/// }
/// let map = std::sync::Arc::new(Map::build(&plan)?);
/// let settings = StudySettings { densities: vec![2.0, 5.0], measured: 300.0, ..StudySettings::default() };
/// let mut study = Study::new(settings)?;
/// while study.run_next(&map, &Progress::none()) == Completion::Finished(true) {}
/// let learned = study.conclude();
/// assert!(learned.traversals() > 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    settings: StudySettings,
    done: usize,
    /// By class: how many traversals were seen, and those kept.
    seen: Vec<u64>,
    kept: Vec<Vec<f32>>,
    following: Following,
    gridlocked: Vec<f64>,
    /// Traversals of the last run, and those of each car in the first.
    flow: f64,
    first_flow: f64,
    /// Sums for the slope between neighbouring roads: count, x, y, xx, xy.
    neighbours: [f64; 5],
    /// The fingerprint of the map; 0 before the first run.
    map: u64,
}

impl Study {
    /// A study that has not begun.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(settings: StudySettings) -> Result<Self, CityError> {
        let wrong = |what, value, remedy| Err(CityError::Number { what, value, remedy });
        for &density in &settings.densities {
            if !(density > 0.0 && density <= 100.0) {
                return wrong("a density", density, "give cars for each kilometre of lane, above 0 and up to 100");
            }
        }
        for (what, value) in [("the warm-up", settings.warm_up), ("the measured time", settings.measured)] {
            if !(0.0..=1e6).contains(&value) {
                return wrong(what, value, "give seconds, from 0 to a million");
            }
        }
        let classes = KINDS * LEVELS;
        Ok(Self {
            settings,
            done: 0,
            seen: vec![0; classes],
            kept: vec![Vec::new(); classes],
            following: Following::default(),
            gridlocked: Vec::new(),
            flow: 0.0,
            first_flow: 0.0,
            neighbours: [0.0; 5],
            map: 0,
        })
    }

    /// How it was set.
    pub fn settings(&self) -> &StudySettings {
        &self.settings
    }

    /// How many runs are done.
    pub fn runs_done(&self) -> usize {
        self.done
    }

    /// How many runs there are in all: one per density.
    pub fn runs(&self) -> usize {
        self.settings.densities.len()
    }

    /// Does one run, and tells whether another follows. A run that is stopped is
    /// given up, and can be done anew later.
    pub fn run_next(&mut self, map: &Arc<Map>, progress: &Progress) -> Completion<bool> {
        self.go_on(map, progress).finish()
    }

    fn go_on(&mut self, map: &Arc<Map>, progress: &Progress) -> Result<bool, Stopped> {
        let Some(&density) = self.settings.densities.get(self.done) else {
            return Ok(false);
        };
        // Beyond a standstill nothing is learned.
        if self.gridlocked.is_empty() {
            self.run(map, density, progress)?;
        }
        self.map = map.fingerprint();
        self.done += 1;
        Ok(self.done < self.settings.densities.len())
    }

    fn run(&mut self, map: &Arc<Map>, density: f64, progress: &Progress) -> Result<(), Stopped> {
        let seed = Seed(self.settings.seed).child("study", self.done as u64);
        let part = part(map, self.settings.roads);
        let kilometres: f64 =
            part.iter().flat_map(|road| map.lanes_of(*road)).map(|lane| map.lane(lane).length).sum::<f64>() / 1000.0;
        let cars = ((density * kilometres).round() as u32).max(1);
        let doing = format!("{density} cars per kilometre of lane");
        progress.tell(&doing, 0.0)?;
        let mut traffic = confined(map, &part, cars, seed, &Arc::new(self.learned_so_far(progress)?), progress)?;
        let steps = |seconds: f64| (seconds / STEP).ceil() as u64;
        let (warm, all) = (steps(self.settings.warm_up), steps(self.settings.warm_up + self.settings.measured));
        let mut neighbours = [0.0; 5];
        let mut following = Following::default();
        let counter = progress.counter(&doing, all as usize);
        for step in 0..all {
            counter.count()?;
            if step == warm {
                traffic.traversals = Some(Vec::new());
            }
            traffic.step(STEP);
            if step > warm && step % 50 == 0 {
                watch(&traffic, &mut following, &mut neighbours);
            }
        }
        // More cars that do not come farther together are a jam: what they do
        // depends on where it began, and nothing is learned from it.
        let flow = traffic.traversals.as_ref().map_or(0, Vec::len) as f64;
        let each = flow / f64::from(cars);
        if !traffic.gridlocks().is_empty() || flow < 1.03 * self.flow || each < 0.5 * self.first_flow {
            self.gridlocked.push(density);
            return Ok(());
        }
        self.flow = flow;
        if self.first_flow == 0.0 {
            self.first_flow = each;
        }
        self.following.add(&following);
        for (sum, more) in self.neighbours.iter_mut().zip(neighbours) {
            *sum += more;
        }
        self.classify(map, &traffic, seed.stream("kept"));
        Ok(())
    }

    /// Sorts the traversals of a run into classes, by how many cars came to the
    /// junctions at their ends.
    fn classify(&mut self, map: &Map, traffic: &Traffic, mut stream: Stream) {
        let Some(traversals) = &traffic.traversals else {
            return;
        };
        let mut inflow = vec![0_u32; map.junction_count()];
        for traversal in traversals {
            inflow[map.end_of(traversal.path).index()] += 1;
        }
        for traversal in traversals {
            let end = map.end_of(traversal.path);
            let rate = f64::from(inflow[end.index()]) / self.settings.measured.max(STEP);
            let approach = Approach::of(map, map.path(traversal.path).to);
            let class = approach as usize * LEVELS + level(rate).round() as usize;
            let excess = traversal.seconds - traffic.vehicle.free_run(map, traversal.path).duration();
            // A reservoir: each traversal has the same chance to be kept.
            let (seen, kept) = (&mut self.seen[class], &mut self.kept[class]);
            *seen += 1;
            if kept.len() < KEPT {
                kept.push(excess as f32);
            } else if let Some(place) = kept.get_mut(stream.below(*seen) as usize) {
                *place = excess as f32;
            }
        }
    }

    /// What follows from the runs so far.
    pub fn conclude(&self) -> LearnedTraffic {
        self.learned_so_far(&Progress::none()).expect("nobody stops it")
    }

    fn learned_so_far(&self, progress: &Progress) -> Result<LearnedTraffic, Stopped> {
        let fit = |kept: &Vec<f32>| {
            progress.check()?;
            let samples: Vec<f64> = kept.iter().map(|excess| f64::from(*excess)).collect();
            Ok((samples.len() >= 100).then(|| Excess::fit(&samples, self.settings.fit)))
        };
        let classes = self.kept.iter().map(fit).collect::<Result<_, Stopped>>()?;
        let [count, x, y, xx, xy] = self.neighbours;
        let spread = xx - x * x / count.max(1.0);
        let slope = if spread > 0.0 { (xy - x * y / count) / spread } else { 0.0 };
        Ok(LearnedTraffic {
            classes,
            following: self.following.clone(),
            fit: self.settings.fit,
            traversals: self.seen.iter().sum(),
            densities: self.settings.densities[..self.done].to_vec(),
            gridlocked: self.gridlocked.clone(),
            neighbourhood: slope.clamp(0.0, 1.0),
            map: self.map,
            waits: 1.0,
        })
    }

    /// The excesses that were kept of each class, seconds: kind of approach,
    /// level, samples. For whoever wants to judge the fits.
    pub fn samples(&self) -> impl Iterator<Item = (usize, usize, &[f32])> {
        self.kept.iter().enumerate().map(|(class, kept)| (class / LEVELS, class % LEVELS, kept.as_slice()))
    }

    /// As a `.study` file, to go on from.
    pub fn to_bytes(&self) -> Vec<u8> {
        FILE.seal(self)
    }

    /// Reads a `.study` file.
    ///
    /// # Errors
    /// When the bytes are no such file, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CityError> {
        let study: Self = FILE.open(bytes)?;
        let classes = KINDS * LEVELS;
        let is_whole = study.seen.len() == classes && study.kept.len() == classes && study.following.is_whole();
        if is_whole && study.done <= study.settings.densities.len() {
            Ok(study)
        } else {
            Err(FILE.damaged("it is not whole").into())
        }
    }
}

/// Roads around the middle of a map, at most so many, on which cars can drive
/// for ever.
fn part(map: &Map, most: usize) -> Vec<RoadId> {
    let middle = map.junctions().map(|junction| map.junction(junction).position).sum::<glam::DVec2>()
        / map.junction_count().max(1) as f64;
    let mut roads: Vec<RoadId> = map.roads().collect();
    let far = |road: &RoadId| map.junction(map.road(*road).from).position.distance_squared(middle);
    if roads.len() > most {
        roads.sort_by(|a, b| far(a).total_cmp(&far(b)));
        roads.truncate(most.max(1));
    }
    let mut inside = vec![false; map.road_count()];
    for road in &roads {
        inside[road.index()] = true;
    }
    loop {
        let goes_on = |road: &RoadId| {
            map.lanes_of(*road).all(|lane| map.paths_from(lane).any(|path| inside[map.road_of(path).index()]))
        };
        let (stay, go): (Vec<RoadId>, Vec<RoadId>) = roads.iter().partition(|road| goes_on(road));
        if go.is_empty() || stay.is_empty() {
            roads.sort_unstable();
            return roads;
        }
        for road in &go {
            inside[road.index()] = false;
        }
        roads = stay;
    }
}

/// Cars on a part of a map that they do not leave.
fn confined(
    map: &Arc<Map>,
    part: &[RoadId],
    cars: u32,
    seed: Seed,
    learned: &Arc<LearnedTraffic>,
    progress: &Progress,
) -> Result<Traffic, Stopped> {
    let mut traffic = Traffic::new(Arc::clone(map), Draws::new(seed, Wander::Random));
    traffic.activate(part);
    traffic.is_confined = part.len() < map.road_count();
    let vehicle = Vehicle::default();
    let mut inside = vec![false; map.road_count()];
    for road in part {
        inside[road.index()] = true;
    }
    let is_inside = |road: RoadId| inside[road.index()];
    // It is told how far the run is, not how far this is.
    let asked = progress.part(0.0, 0.0);
    let expectations = Expectations::new(map, &vehicle, &traffic.draws, learned, f64::from(cars), &is_inside, &asked)?;
    let lanes = part.iter().flat_map(|road| map.lanes_of(*road));
    let paths: Vec<PathId> = lanes
        .flat_map(|lane| map.paths_onto(lane).iter().copied())
        .filter(|path| inside[map.lane(map.path(*path).from).road.index()])
        .collect();
    let mut total = 0.0;
    let sums: Vec<f64> = paths
        .iter()
        .map(|path| {
            total += expectations.cars_on(map, &vehicle, *path);
            total
        })
        .collect();
    let draws = traffic.draws.clone();
    let ways = Ways { map, vehicle: &vehicle, draws: &draws, expectations: &expectations, is_active: &is_inside };
    let places = seed.stream("start");
    for id in 0..cars {
        progress.check()?;
        let mut stream = places.at(u64::from(id));
        let wanted = total * stream.uniform();
        let chosen = sums.partition_point(|sum| *sum < wanted).min(paths.len().saturating_sub(1));
        if let Some(&path) = paths.get(chosen) {
            let (mut car, _) = meet(CarId(id), path, 0.0, &ways, &mut stream);
            car.next = traffic.choose(car.id, &mut car.course, car.path);
            traffic.place(&car, &learned.following);
        }
    }
    Ok(traffic)
}

/// Notes how cars follow each other, and whether full roads have full
/// neighbours.
fn watch(traffic: &Traffic, following: &mut Following, neighbours: &mut [f64; 5]) {
    let length = traffic.vehicle.length;
    for slot in traffic.slots() {
        let car = &traffic.cars[slot as usize];
        if let Some(leader) = traffic.cars.get(car.ahead as usize).filter(|_| !car.is_crossing()) {
            following.count(car.remaining - leader.remaining - length, leader.speed, car.speed);
        }
    }
    let count = |road: RoadId| traffic.slots_on(road).len() as f64;
    for &road in traffic.active_roads().iter().step_by(7) {
        let others: Vec<RoadId> = traffic.map.adjacent_roads(road).filter(|other| traffic.is_active(*other)).collect();
        if others.is_empty() {
            continue;
        }
        let x = others.iter().map(|other| count(*other)).sum::<f64>() / others.len() as f64;
        let y = count(road);
        for (sum, more) in neighbours.iter_mut().zip([1.0, x, y, x * x, x * y]) {
            *sum += more;
        }
    }
}
