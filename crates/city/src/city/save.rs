//! A city that runs, as a file.
//!
//! What follows from the map, the seed and the settings is made again; what has
//! happened is kept. A city that was saved and loaded goes on as one that was not,
//! bit by bit.

use std::collections::BTreeSet;
use std::sync::Arc;

use proscenium_chance::Seed;
use proscenium_work::{Artifact, Completion, Finish, Halt, Progress};
use serde::{Deserialize, Serialize};

use super::wishes::Wishes;
use super::{City, CityWork, OwnCar, Settings, State, baseline::Baseline, demand::Demand, start};
use crate::culling::{PoolsFile, TrackedFile};
use crate::error::CityError;
use crate::map::{Map, RoadId};
use crate::traffic::{Gridlock, TrafficFile};
use crate::trips::{Carriageway, Trips};
use crate::wander::CarId;
use crate::want::Script;

/// A `.running` file.
const FILE: Artifact = Artifact::new("running", "a city that runs", 3, "save it again from the city that ran");

/// What a file of a city that runs holds.
#[derive(Serialize, Deserialize)]
struct CityFile {
    fingerprint: u64,
    seed: u64,
    cars: u32,
    settings: Settings,
    trips: Option<Trips>,
    in_view: Vec<RoadId>,
    state: Option<StateFile>,
}

/// What has happened.
#[derive(Serialize, Deserialize)]
struct StateFile {
    traffic: TrafficFile,
    tracked: TrackedFile,
    pools: Option<PoolsFile>,
    in_view: Vec<RoadId>,
    margin: Vec<RoadId>,
    wanted: Vec<f64>,
    recheck: f64,
    followed: BTreeSet<CarId>,
    gridlocks: Vec<Gridlock>,
    settled: f64,
    work: CityWork,
    baseline: Baseline,
    demand: Option<Demand>,
    own_car: Option<OwnCar>,
    own_slot: Option<u32>,
    made: u32,
    closed: Vec<RoadId>,
    routed: Vec<(CarId, Carriageway)>,
    wishes: Wishes,
    scripts: Vec<(CarId, Script)>,
}

impl City {
    /// The city as it is now, to be loaded on the same map.
    ///
    /// ```
    /// use proscenium_city::{City, Map, Recipe, Seed};
    /// use std::sync::Arc;
    ///
    /// let map = Arc::new(Map::build(&Recipe::with_roads(60).generate(Seed(1))?)?);
    /// let mut city = City::new(Arc::clone(&map)).with_cars(40);
    /// let roads: Vec<_> = map.roads().take(5).collect();
    /// city.look_at(&roads)?;
    /// city.advance(20.0)?;
    /// let mut again = City::from_running(map, &city.to_running())?;
    /// assert_eq!(again.advance(25.0)?, city.advance(25.0)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_running(&self) -> Vec<u8> {
        FILE.seal(&CityFile {
            fingerprint: self.map.fingerprint(),
            seed: self.seed.0,
            cars: self.cars,
            settings: self.settings,
            trips: self.trips.as_deref().cloned(),
            in_view: self.in_view.clone(),
            state: self.state.as_deref().map(State::to_file),
        })
    }

    /// A city that was saved while it ran. What was learned is the usual; with
    /// something else learned, use [`City::go_on`].
    ///
    /// # Errors
    /// When the bytes are no such file, or of another map.
    pub fn from_running(map: impl Into<Arc<Map>>, bytes: &[u8]) -> Result<Self, CityError> {
        Self::new(map).go_on(bytes)
    }

    /// This city, with its map and what was learned, as it was when it was saved.
    ///
    /// # Errors
    /// When the bytes are no such file, or of another map.
    pub fn go_on(self, bytes: &[u8]) -> Result<Self, CityError> {
        self.go_on_watched(bytes, &Progress::none()).map(|city| city.finished().expect("nobody stops it"))
    }

    /// As [`City::go_on`], for those who watch or may want it to stop.
    ///
    /// # Errors
    /// As [`City::go_on`].
    pub fn go_on_watched(self, bytes: &[u8], progress: &Progress) -> Result<Completion<Self>, CityError> {
        self.restored(bytes, progress).finish()
    }

    fn restored(mut self, bytes: &[u8], progress: &Progress) -> Result<Self, Halt<CityError>> {
        let file: CityFile = FILE.open(bytes).map_err(CityError::from)?;
        if file.fingerprint != self.map.fingerprint() {
            return Err(CityError::OtherMap.into());
        }
        (self.seed, self.cars, self.settings) = (Seed(file.seed), file.cars, file.settings);
        self.trips = file.trips.map(Arc::new);
        self.look_at(&file.in_view)?;
        self.visible.clear();
        self.previous.clear();
        self.state = None;
        if let Some(kept) = file.state {
            let mut state = start::start(&self, progress)?;
            let wrong = |what: &'static str| Halt::Failed(CityError::from(FILE.damaged(what)));
            state.restore(kept, self.trips.as_ref()).map_err(wrong)?;
            self.state = Some(Box::new(state));
        }
        Ok(self)
    }
}

impl State {
    fn to_file(&self) -> StateFile {
        StateFile {
            traffic: self.traffic.to_file(),
            tracked: self.tracked.to_file(),
            pools: self.pools.as_ref().map(crate::culling::Pools::to_file),
            in_view: self.in_view.clone(),
            margin: self.margin.clone(),
            wanted: self.wanted.clone(),
            recheck: self.recheck,
            followed: self.followed.clone(),
            gridlocks: self.gridlocks.clone(),
            settled: self.settled,
            work: self.work,
            baseline: self.baseline.clone(),
            demand: self.demand.clone(),
            own_car: self.own_car,
            own_slot: self.own_slot,
            made: self.made,
            closed: self.traffic.draws.closed().collect(),
            routed: self.traffic.draws.routed().collect(),
            wishes: self.wishes.clone(),
            scripts: self.traffic.draws.scripts.iter().map(|(car, script)| (*car, script.clone())).collect(),
        }
    }

    /// Takes over what has happened; says what is wrong with it.
    fn restore(&mut self, file: StateFile, trips: Option<&Arc<Trips>>) -> Result<(), &'static str> {
        let roads = self.marks.len();
        let are_roads = |list: &[RoadId]| list.iter().all(|road| road.index() < roads);
        if !are_roads(&file.in_view) || !are_roads(&file.margin) || file.wanted.len() != roads {
            return Err("it names roads that are not there");
        }
        if !file.gridlocks.iter().all(|gridlock| are_roads(&gridlock.roads)) {
            return Err("it names roads that are not there");
        }
        if file.own_slot.is_some_and(|slot| slot as usize >= file.traffic.cars()) {
            return Err("it names cars that are not there");
        }
        let is_there = |end: &Carriageway| end.road.index() < roads && end.lanes(&self.traffic.map).next().is_some();
        if !are_roads(&file.closed) || !file.routed.iter().all(|(_, to)| is_there(to)) {
            return Err("it names roads that are not there");
        }
        let paths = self.traffic.map.path_count();
        let is_way = |(_, script): &(CarId, Script)| script.ways.iter().all(|path| path.index() < paths);
        if !file.wishes.fits(&self.traffic.map) || !file.scripts.iter().all(is_way) {
            return Err("its wishes name roads that are not there");
        }
        self.traffic.draws.scripts = file.scripts.into_iter().collect();
        self.wishes = file.wishes;
        for road in file.closed {
            self.traffic.draws.close(road, true);
        }
        for (car, to) in file.routed {
            let map = Arc::clone(&self.traffic.map);
            self.traffic.draws.route(&map, car, to);
        }
        self.traffic.restore(file.traffic)?;
        self.tracked.restore(file.tracked, &self.traffic.map)?;
        match (&mut self.pools, file.pools) {
            (Some(pools), Some(file)) => pools.restore(file)?,
            (None, None) => {}
            _ => return Err("its pools are not those of its settings"),
        }
        (self.in_view, self.margin, self.wanted) = (file.in_view, file.margin, file.wanted);
        (self.recheck, self.followed, self.gridlocks) = (file.recheck, file.followed, file.gridlocks);
        (self.settled, self.work, self.baseline, self.made) = (file.settled, file.work, file.baseline, file.made);
        (self.own_car, self.own_slot) = (file.own_car, file.own_slot);
        self.demand = match (file.demand, trips) {
            (Some(demand), Some(trips)) => Some(demand.with_trips(trips)?),
            (None, None) => None,
            _ => return Err("its trips are not there"),
        };
        self.note_lanes();
        Ok(())
    }
}
