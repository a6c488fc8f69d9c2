//! The city: streets with traffic of which only what is seen is computed, or all
//! of it, so that one can see what that costs.

mod clip;
mod looks;
mod networks;

use std::sync::Arc;
use std::time::Instant;

use proscenium_city::glam::{DVec2, DVec3};
use proscenium_city::map::{JunctionId, RoadId};
use proscenium_city::sight::VisibleRoads;
use proscenium_city::{City, CityError, Detail, Drive, Eye, Map, Recipe, Seed, Settings, VisibleCar};
use proscenium_view::Camera;

use crate::api::{CityControl, CityFacts, CityStatistics, LiveHello, Problem};
use crate::failure::Failure;
use crate::live::{Costs, Instances, LiveWorld};
use crate::stream::problem;
use crate::workspace::Workspace;

pub use clip::clip;
pub use networks::{keep, list};

/// So many cars drive here at first, and at most.
const FIRST: u32 = 150;
const MOST: u32 = 100_000;
/// Others who look, at most.
const MOST_VIEWERS: u32 = 8;
/// Cars for each kilometre of lane at most: more of them jam.
const DENSEST: f64 = 6.0;
/// Cars for each kilometre of lane where nobody says how many there are.
const USUAL: f64 = 5.0;
/// One begins where most cars are in sight, of so many places of the drive, which
/// are so many of its frames apart; and cars are in sight up to so far ahead, m.
const STARTS: usize = 60;
const BETWEEN_STARTS: usize = 30;
const IN_SIGHT: std::ops::Range<f64> = 9.0..70.0;
/// A street is one that goes on so far, m, in a direction of which the cosine is at least so much.
const STRAIGHT: f64 = 55.0;
const IN_LINE: f64 = 0.99;
/// How far one sees, m.
const FAR: f64 = 320.0;
/// Streets are drawn so far around, and the map shows so much, m.
const STREETS: f64 = 440.0;
const SHOWN: f64 = 1200.0;
/// After so many metres what is drawn is chosen anew.
const MOVED: f64 = 100.0;
/// How long recorded drives are, s, and how often they are told of in a second.
const DRIVE: f64 = 600.0;
const RATE: f64 = 2.0;
/// How wide others look, rad.
const ANGLE: f64 = 1.2;

/// A city that somebody looks at.
pub struct CityWorld {
    workspace: Workspace,
    network: Option<String>,
    attribution: Option<String>,
    map: Arc<Map>,
    city: City,
    route: Drive,
    /// The frame of the drive at which one begins.
    start: usize,
    others: Vec<Drive>,
    viewers: u32,
    /// As many as suit the roads, if nothing is said.
    wanted: Option<u32>,
    cars: u32,
    culling: bool,
    pools: bool,
    now: f64,
    /// When the present traffic began.
    began: f64,
    /// What is drawn is around this place.
    centre: DVec2,
    shown: Vec<RoadId>,
    /// How many of the shapes are a car's.
    parts: usize,
    is_new: bool,
    costs: Costs,
    /// What the complete model takes for a car, µs.
    complete: f64,
}

impl CityWorld {
    /// A generated city.
    ///
    /// # Errors
    ///
    /// A city that cannot be made.
    pub fn open(workspace: &Workspace) -> Result<Self, Failure> {
        let map = Arc::new(generated(FIRST)?);
        let route = drive(&map, 0)?;
        let mut world = Self {
            workspace: workspace.clone(),
            network: None,
            attribution: None,
            city: City::new(Arc::clone(&map)),
            complete: complete_cost(&map).map_err(|error| Failure::machine(&error))?,
            map,
            route,
            start: 0,
            others: Vec::new(),
            viewers: 0,
            wanted: None,
            cars: FIRST,
            culling: true,
            pools: true,
            now: 0.0,
            began: 0.0,
            centre: DVec2::ZERO,
            shown: Vec::new(),
            parts: looks::car_shapes().len(),
            is_new: true,
            costs: Costs::default(),
        };
        world.begin()?;
        world.find_start()?;
        Ok(world)
    }

    /// Takes another map.
    fn settle_on(&mut self, map: Map) -> Result<(), Failure> {
        self.map = Arc::new(map);
        self.route = drive(&self.map, 0)?;
        self.is_new = true;
        self.begin()?;
        self.find_start()
    }

    /// Looks for a place on the drive where there is traffic ahead, best in a street
    /// that one looks along.
    fn find_start(&mut self) -> Result<(), Failure> {
        let mut most = (false, 0);
        self.start = 0;
        for frame in (0..self.route.frames().len()).step_by(BETWEEN_STARTS).take(STARTS) {
            let (place, direction) = (self.route.frames()[frame].position, self.route.frames()[frame].direction);
            let eye = Eye::new(place, direction, ANGLE, FAR).map_err(|error| Failure::machine(&error))?;
            self.city.look(&[eye]);
            self.city.advance(self.now - self.began).map_err(|error| Failure::machine(&error))?;
            let ahead = |car: &VisibleCar| {
                let there = car.world_from_body.translation;
                let way = DVec2::new(there.x, there.z) - place;
                IN_SIGHT.contains(&way.dot(direction)) && way.perp_dot(direction).abs() < 12.0
            };
            let seen = self.city.visible().iter().filter(|car| ahead(car)).count();
            let found = (seen > 0 && self.goes_straight_on(frame), seen);
            if found > most {
                (most, self.start) = (found, frame);
            }
        }
        self.centre = self.route.frames()[self.start].position;
        Ok(())
    }

    /// Whether the drive goes on as it looks in a frame, for some time.
    fn goes_straight_on(&self, frame: usize) -> bool {
        let frames = &self.route.frames()[frame..];
        let first = frames[0];
        let there = frames.iter().map(|later| later.position - first.position).find(|way| way.length() > STRAIGHT);
        there.is_some_and(|way| way.normalize().dot(first.direction) > IN_LINE)
    }

    /// Lets traffic begin anew.
    fn begin(&mut self) -> Result<(), Failure> {
        let metres: f64 = self.map.lanes().map(|lane| self.map.lane(lane).length).sum();
        let kilometres = metres / 1000.0;
        let suits = if self.network.is_some() { ((USUAL * kilometres) as u32).min(MOST) } else { FIRST };
        self.cars = self.wanted.unwrap_or(suits).min((DENSEST * kilometres) as u32).max(1);
        let detail = match (self.culling, self.pools) {
            (false, _) => Detail::Complete,
            (true, false) => Detail::Tracked,
            (true, true) => Detail::Pooled,
        };
        let settings = Settings { detail, ..Settings::default() };
        self.city = City::new(Arc::clone(&self.map)).with_cars(self.cars).seed(1).with_settings(settings);
        self.began = self.now;
        self.costs.take();
        let drives = (1..=self.viewers).map(|number| drive(&self.map, number));
        self.others = drives.collect::<Result<_, _>>()?;
        self.city.start().map_err(|error| Failure::machine(&error))
    }

    fn change(&mut self, control: CityControl) -> Result<(), Failure> {
        match control {
            CityControl::Culling(culling) => self.culling = culling,
            CityControl::Pools(pools) => self.pools = pools,
            CityControl::Viewers(viewers) if viewers <= MOST_VIEWERS => self.viewers = viewers,
            CityControl::Viewers(_) => {
                return Err(Failure::bad("so many cannot look", format!("give from 0 to {MOST_VIEWERS}")));
            }
            CityControl::Cars(cars) if cars.is_none_or(|cars| (1..=MOST).contains(&cars)) => {
                let is_other = cars.unwrap_or(FIRST) != self.wanted.unwrap_or(FIRST);
                self.wanted = cars;
                if is_other && self.network.is_none() {
                    return self.settle_on(generated(cars.unwrap_or(FIRST))?);
                }
            }
            CityControl::Cars(cars) => {
                let cars = cars.unwrap_or_default();
                return Err(Failure::bad(
                    format!("there is no room for {cars} cars"),
                    format!("give from 1 to {MOST}"),
                ));
            }
            CityControl::Network(network) => {
                let map = match &network {
                    Some(name) => {
                        let (map, format) = networks::open(&self.workspace, name)?;
                        let is_osm = format.starts_with("OpenStreetMap");
                        self.attribution = is_osm.then(|| "© OpenStreetMap contributors, ODbL".to_owned());
                        map
                    }
                    None => {
                        self.attribution = None;
                        generated(self.wanted.unwrap_or(FIRST))?
                    }
                };
                self.network = network;
                return self.settle_on(map);
            }
        }
        self.begin()
    }

    /// Where another viewer is.
    fn place(&self, drive: &Drive) -> (DVec2, DVec2) {
        let frame = (self.now * drive.frames_per_second()) as usize % drive.frames().len();
        (drive.frames()[frame].position, drive.frames()[frame].direction)
    }

    /// Roads with an end near the middle of what is drawn.
    fn around(&self, reach: f64) -> Vec<RoadId> {
        let near = |junction: JunctionId| self.map.junction(junction).position.distance(self.centre) < reach;
        self.map.roads().filter(|road| near(self.map.road(*road).from) || near(self.map.road(*road).to)).collect()
    }

    fn map_facts(&mut self) -> CityFacts {
        self.shown = self.around(SHOWN);
        let tenths = |value: f64| (value * 10.0).round() / 10.0;
        let road = |road: &RoadId| {
            let points = self.map.road_points(*road).iter().flat_map(|point| [tenths(point.x), tenths(point.y)]);
            let about = self.map.road(*road);
            (road.0, u32::from(about.along) + u32::from(about.against), points.collect())
        };
        let frames = self.route.frames().iter();
        let every = (self.route.frames_per_second() / RATE) as usize;
        CityFacts {
            name: self.map.name().to_owned(),
            roads: self.shown.iter().map(road).collect(),
            route: frames
                .step_by(every)
                .map(|frame| [frame.position.x, frame.position.y, frame.direction.x, frame.direction.y])
                .collect(),
            start: (self.start / every) as u32,
            attribution: self.attribution.clone(),
        }
    }
}

impl LiveWorld for CityWorld {
    type Control = CityControl;
    type Facts = CityFacts;
    type Statistics = CityStatistics;
    const CONTROLS: &'static str = "say { \"culling\": true }, { \"pools\": true }, { \"cars\": 150 }, \
        { \"viewers\": 2 } or { \"network\": \"name\" }";

    fn hello(&mut self) -> LiveHello {
        let mut shapes = looks::car_shapes();
        let (streets, still) = looks::street_shapes(&self.map, &self.around(STREETS), shapes.len());
        shapes.extend(streets);
        let first = self.route.frames()[self.start];
        let raised = |place: DVec2, height: f64| [place.x, height, place.y];
        LiveHello {
            shapes,
            still,
            bounds: [raised(self.centre - DVec2::splat(FAR), 0.0), raised(self.centre + DVec2::splat(FAR), 12.0)],
            eye: raised(first.position, 1.6),
            target: raised(first.position + 10.0 * first.direction, 1.5),
            far: FAR,
            ..LiveHello::default()
        }
    }

    fn facts(&mut self) -> CityFacts {
        self.map_facts()
    }

    fn is_new(&mut self) -> &mut bool {
        &mut self.is_new
    }

    fn control(&mut self, control: CityControl) -> Result<(), Problem> {
        self.change(control).map_err(|failure| failure.problem)
    }

    fn advance(&mut self, seconds: f64, view: &Camera, instances: &mut Instances) -> Result<(), Problem> {
        self.now += seconds;
        let here = DVec2::new(view.position.x, view.position.z);
        if here.distance(self.centre) > MOVED {
            self.centre = here;
            self.is_new = true;
        }
        let mut eyes = vec![Eye::from_camera(view).map_err(|error| broken(&error))?];
        for drive in &self.others {
            let (place, direction) = self.place(drive);
            eyes.push(Eye::new(place, direction, ANGLE, FAR).map_err(|error| broken(&error))?);
        }
        self.city.look(&eyes);
        let began = Instant::now();
        self.city.advance(self.now - self.began).map_err(|error| broken(&error))?;
        self.costs.since(began, self.now);
        for car in self.city.visible() {
            looks::draw(car, self.parts, instances);
        }
        Ok(())
    }

    fn statistics(&mut self) -> CityStatistics {
        let costs = self.costs.take();
        let in_view = self.city.visible().len() as u32;
        let mean = costs.iter().map(|(_, cost)| cost).sum::<f64>() / costs.len().max(1) as f64;
        let densities = if self.is_new { Vec::new() } else { self.city.densities() };
        let place = |at: DVec3| [at.x, at.z].map(|value| (value * 10.0).round() / 10.0);
        CityStatistics {
            time: self.now,
            culling: self.culling,
            pools: self.pools,
            cars: self.cars,
            roads: self.map.road_count() as u32,
            in_view,
            counts: self.city.counts().map(|count| count as f64),
            complete: self.complete,
            efficiency: (self.culling && mean > 0.0).then(|| self.complete * f64::from(in_view) / mean),
            costs,
            seen: self.city.sight().map_or(&[][..], VisibleRoads::roads).iter().map(|road| road.0).collect(),
            active: if self.culling {
                self.city.active_roads().iter().map(|road| road.0).collect()
            } else {
                Vec::new()
            },
            // Of another city the roads are told first.
            densities: self.shown.iter().filter_map(|road| densities.get(road.index()).copied()).collect(),
            places: self.city.visible().iter().map(|car| place(car.world_from_body.translation)).collect(),
            viewers: self
                .others
                .iter()
                .map(|drive| self.place(drive))
                .map(|(place, direction)| [place.x, place.y, direction.x, direction.y])
                .collect(),
            gridlocks: self.city.gridlocks().len() as u32,
        }
    }
}

/// The city cannot go on.
fn broken(error: &dyn std::fmt::Display) -> Problem {
    problem(&error.to_string(), "reload the page")
}

/// A city that has room for so many cars.
fn generated(cars: u32) -> Result<Map, Failure> {
    let made = Recipe::with_roads((cars as usize * 4).div_ceil(3).max(40)).generate(Seed(1));
    let plan = made.map_err(|error| Failure::machine(&error))?;
    Map::build(&plan).map_err(|error| Failure::machine(&error))
}

/// A drive that goes on for a while, one of several.
fn drive(map: &Map, number: u32) -> Result<Drive, Failure> {
    let seed = Seed(1).child("viewer", u64::from(number));
    Drive::record(map, seed, DRIVE, 10.0).map_err(|error| Failure::machine(&error))
}

/// What the complete model takes for a car and a frame here, µs: the quickest of
/// some short runs, as others may use the machine too.
fn complete_cost(map: &Arc<Map>) -> Result<f64, CityError> {
    let settings = Settings { detail: Detail::Complete, ..Settings::default() };
    let mut city = City::new(Arc::clone(map)).with_cars(FIRST).seed(1).with_settings(settings);
    city.advance(0.0)?;
    let mut quickest = f64::INFINITY;
    for run in 0..8 {
        let began = Instant::now();
        for frame in 1..=20_u32 {
            city.advance(f64::from(20 * run + frame) / 60.0)?;
        }
        quickest = quickest.min(began.elapsed().as_secs_f64() * 1e6 / 20.0);
    }
    Ok(quickest / f64::from(FIRST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::AnyWorld;

    #[test]
    fn a_city_goes_on_however_it_is_told_to() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let mut world = CityWorld::open(&workspace).unwrap();
        let hello = world.greet();
        assert!(hello.shapes.len() > 6 && !hello.still.is_empty() && !world.has_changed());
        let mut view = Camera::look_at(hello.eye.into(), hello.target.into(), 0.8, 1.5).unwrap();
        view.far = FAR;
        let mut seen = 0;
        let orders = ["{\"viewers\":3}", "{\"pools\":false}", "{\"culling\":false}", "{\"cars\":40}"];
        for order in orders {
            world.obey(serde_json::from_str(order).unwrap()).unwrap();
            for _ in 0..100 {
                let mut instances = Instances::default();
                world.advance(0.1, &view, &mut instances).unwrap();
                seen += instances.len();
            }
            let told = world.told();
            assert!(
                told["counts"].as_array().unwrap().iter().filter_map(serde_json::Value::as_f64).sum::<f64>() >= 40.0
            );
        }
        assert!(seen > 100, "{seen} parts of cars were drawn");
        assert!(world.has_changed(), "a smaller city is another one");
        assert!(world.obey(serde_json::json!({ "viewers": 900 })).is_err());
        assert!(world.obey(serde_json::json!({ "network": "nowhere" })).is_err());
    }

    #[test]
    fn networks_are_read_kept_and_refused() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let bytes = include_bytes!("../../../../crates/city/tests/data/luxembourg-part.osm");
        let report = keep(&workspace, "harbour", bytes).unwrap();
        assert!(report.roads > 3, "{report:?}");
        assert_eq!(list(&workspace), [report]);
        let mut world = CityWorld::open(&workspace).unwrap();
        world.obey(serde_json::json!({ "network": "harbour" })).unwrap();
        assert!(world.has_changed());
        assert!(keep(&workspace, "harbour", b"no roads").is_err());
        assert!(keep(&workspace, "../x", bytes).is_err());
    }
}
