//! Cities: the cars that can be seen, as arrays.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use proscenium_city::glam::DVec2;
use proscenium_city::import::read_watched;
use proscenium_city::learn::StudySettings;
use proscenium_city::map::RoadId;
use proscenium_city::trips::Carriageway;
use proscenium_city::{
    self as city, CarId, CityError, CityEvent, Drive, LearnedTraffic, Map, Recipe, Seed, Study, VisibleCar, Wish,
    WishReport, WishState,
};
use proscenium_work::{Completion, Folder, Progress, read_file};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::clip::rows;
use crate::errors::Raised as _;
use crate::work::work;

/// Larger maps are not read, bytes.
const LARGEST_MAP: u64 = 4 << 30;

/// A viewer in the street: where, in which direction (on the ground, x and z), the full
/// angle of what is seen in radians, and how far, metres.
#[pyclass(frozen, module = "proscenium")]
#[derive(Clone)]
pub struct Eye {
    eye: city::Eye,
}

#[pymethods]
impl Eye {
    #[new]
    #[pyo3(signature = (position, direction, *, angle = 1.2, reach = 400.0))]
    fn new(py: Python<'_>, position: [f64; 2], direction: [f64; 2], angle: f64, reach: f64) -> PyResult<Self> {
        let eye = city::Eye::new(DVec2::from(position), DVec2::from(direction), angle, reach).raised(py)?;
        Ok(Self { eye })
    }

    #[getter]
    fn position(&self) -> (f64, f64) {
        self.eye.position().into()
    }

    #[getter]
    fn direction(&self) -> (f64, f64) {
        self.eye.direction().into()
    }

    fn __repr__(&self) -> String {
        let (place, ahead) = (self.eye.position(), self.eye.direction());
        format!("<proscenium.Eye at ({:.1}, {:.1}) to ({:.2}, {:.2})>", place.x, place.y, ahead.x, ahead.y)
    }
}

/// A city of cars, of which those in view are simulated.
#[pyclass(module = "proscenium")]
pub struct City {
    city: city::City,
}

#[pymethods]
impl City {
    /// A city of generated streets.
    #[staticmethod]
    #[pyo3(signature = (*, roads = 400, cars = 400, seed = 1))]
    fn generate(py: Python<'_>, roads: usize, cars: u32, seed: u64) -> PyResult<Self> {
        let plan =
            ended(work(py, |progress| Recipe::with_roads(roads).generate_watched(Seed(seed), progress))?.raised(py)?)?;
        Self::of(py, |progress| Map::build_watched(&plan, progress).map_err(CityError::from), cars, seed)
    }

    /// A city from a map of OpenStreetMap, SUMO or OpenDRIVE, packed or not, or from a
    /// `.city` that the command has written; of that, with what lies beside it that was learned.
    #[staticmethod]
    #[pyo3(signature = (path, *, cars = 400, seed = 1))]
    fn load(py: Python<'_>, path: PathBuf, cars: u32, seed: u64) -> PyResult<Self> {
        if path.extension().is_some_and(|ending| ending == "city") {
            let folder = Folder::new(path.parent().map(PathBuf::from).unwrap_or_default());
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let loaded = work(py, |progress| city::City::load_watched(&folder, &name, progress))?.raised(py)?;
            return Self::started(py, ended(loaded)?.with_cars(cars).seed(seed));
        }
        let bytes = read_file(&path, LARGEST_MAP)
            .map_err(|error| PyOSError::new_err(format!("cannot read `{}`: {error}", path.display())))?;
        let network = ended(work(py, |progress| read_watched(&bytes, progress))?.raised(py)?)?;
        Self::of(py, |progress| Map::build_watched(&network.plan, progress).map_err(CityError::from), cars, seed)
    }

    /// The viewers of a drive through the streets, `fps` of them in a second.
    #[pyo3(signature = (seconds = 60.0, *, fps = 30.0, seed = 1, angle = 1.2, reach = 400.0))]
    fn drive(&self, py: Python<'_>, seconds: f64, fps: f64, seed: u64, angle: f64, reach: f64) -> PyResult<Vec<Eye>> {
        let drive = work(py, |_| Drive::record(self.city.map(), Seed(seed), seconds, fps))?.raised(py)?;
        let eyes = drive.frames().iter().map(|viewer| viewer.eye(angle, reach).map(|eye| Eye { eye }));
        eyes.collect::<Result<_, _>>().raised(py)
    }

    /// The cars that viewers see at a time, seconds, which only goes forward: `id`, `pose`
    /// (a row per car: x, y, z on the ground under its middle, and its turn as a quaternion
    /// x, y, z, w; its front is along its own x), `speed` (m/s) and `steering` (radians).
    fn advance<'py>(&mut self, py: Python<'py>, now: f64, views: Vec<Py<Eye>>) -> PyResult<Bound<'py, PyDict>> {
        let eyes: Vec<city::Eye> = views.iter().map(|view| view.get().eye).collect();
        self.city.look(&eyes);
        py.detach(|| self.city.advance(now).map(|_| ())).raised(py)?;
        table(py, self.city.visible())
    }

    /// What happened in view since the frame before: pairs of what and which car: "came into
    /// view", "left the view", "stopped", "started" or "turned".
    fn events(&self) -> Vec<(&'static str, u32)> {
        self.city.events().into_iter().map(told).collect()
    }

    /// How many roads there are; they are called by numbers from 0.
    #[getter]
    fn roads(&self) -> usize {
        self.city.map().road_count()
    }

    /// Holds a car that is simulated where it is, or lets it go.
    #[pyo3(signature = (car, held = true))]
    fn hold(&mut self, py: Python<'_>, car: u32, held: bool) -> PyResult<()> {
        self.city.hold_car(CarId(car), held).raised(py)
    }

    /// Sends a car to a road by the quickest way, there along it or `against` it.
    #[pyo3(signature = (car, road, *, against = false))]
    fn route(&mut self, py: Python<'_>, car: u32, road: u32, against: bool) -> PyResult<()> {
        self.city.route_car(CarId(car), Carriageway { road: RoadId(road), against }).raised(py)
    }

    /// Closes a road, or opens it again: who has another way takes it.
    #[pyo3(signature = (road, closed = true))]
    fn close(&mut self, py: Python<'_>, road: u32, closed: bool) -> PyResult<()> {
        self.city.close_road(RoadId(road), closed).raised(py)
    }

    /// Puts a car at the beginning of a road; its number.
    #[pyo3(signature = (road, *, against = false))]
    fn add(&mut self, py: Python<'_>, road: u32, against: bool) -> PyResult<u32> {
        Ok(self.city.add_car(Carriageway { road: RoadId(road), against }).raised(py)?.0)
    }

    /// Takes a car away that is simulated or tracked.
    fn remove(&mut self, py: Python<'_>, car: u32) -> PyResult<()> {
        self.city.remove_car(CarId(car)).raised(py)
    }

    /// Simulates a car from now on wherever it is.
    fn follow(&mut self, py: Python<'_>, car: u32) -> PyResult<()> {
        self.city.follow(CarId(car)).raised(py)
    }

    /// Wishes for something to be seen, in words, such as "a bus comes round the next corner
    /// within 30 s": cars that nobody sees are chosen for it as if it had come about by itself. Its
    /// number.
    fn want(&mut self, py: Python<'_>, wish: &str) -> PyResult<u32> {
        let wish = wish.parse::<Wish>().raised(py)?;
        Ok(self.city.want(wish).raised(py)?.0)
    }

    /// What became of the wishes, in their order: `wish`, `state` ("open", "planned", "seen" or
    /// "missed"), `at` (s) and `car` of what was seen, `chance` without the wish, the numbers of the
    /// cars that were `recruited`, and `why` nobody was.
    #[getter]
    fn wishes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.city.wishes().map(|report| became(py, report)).collect()
    }

    /// Learns from runs of the whole model how cars get on in these streets, which `learned`
    /// makes use of: the file that `proscenium city learn` writes. `minutes` are those of each run,
    /// and `roads` those of the part that is run.
    #[pyo3(signature = (*, minutes = 20.0, roads = 600, seed = 1))]
    fn learn<'py>(&self, py: Python<'py>, minutes: f64, roads: usize, seed: u64) -> PyResult<Bound<'py, PyBytes>> {
        let settings = StudySettings { measured: 60.0 * minutes, roads, seed, ..StudySettings::default() };
        let mut study = Study::new(settings).raised(py)?;
        let map = self.city.map();
        while ended(work(py, |progress| study.run_next(map, progress))?)? {}
        let learned = work(py, |_| study.conclude().to_bytes())?;
        Ok(PyBytes::new(py, &learned))
    }

    /// Goes on with what was learned, from the start.
    fn learned(&mut self, py: Python<'_>, learned: &[u8]) -> PyResult<()> {
        let learned = LearnedTraffic::from_bytes(learned).raised(py)?;
        let mut city = self.city.clone().with_learned(learned);
        ended(work(py, |progress| city.start_watched(progress))?.raised(py)?)?;
        self.city = city;
        Ok(())
    }

    /// How many cars are simulated, tracked, and only counted.
    #[getter]
    fn counts(&self) -> (u64, u64, u64) {
        self.city.counts().into()
    }

    fn __repr__(&self) -> String {
        let [simulated, tracked, counted] = self.city.counts();
        format!("<proscenium.City: {simulated} cars simulated, {tracked} tracked, {counted} counted>")
    }
}

impl City {
    fn of(
        py: Python<'_>,
        build: impl FnOnce(&Progress) -> Result<Completion<Map>, CityError> + Send,
        cars: u32,
        seed: u64,
    ) -> PyResult<Self> {
        let map = ended(work(py, build)?.raised(py)?)?;
        Self::started(py, city::City::new(map).with_cars(cars).seed(seed))
    }

    fn started(py: Python<'_>, mut city: city::City) -> PyResult<Self> {
        ended(work(py, |progress| city.start_watched(progress))?.raised(py)?)?;
        Ok(Self { city })
    }
}

/// What came of work that ends early only if somebody has pressed Ctrl-C.
fn ended<T>(completion: Completion<T>) -> PyResult<T> {
    completion.finished().ok_or_else(|| PyKeyboardInterrupt::new_err(()))
}

/// A wish as Python reads it.
fn became<'py>(py: Python<'py>, report: &WishReport) -> PyResult<Bound<'py, PyDict>> {
    let (state, at, car) = match report.state {
        WishState::Open => ("open", None, None),
        WishState::Planned => ("planned", None, None),
        WishState::Seen { at, car } => ("seen", Some(at), car.map(|car| car.0)),
        WishState::Missed => ("missed", None, None),
    };
    let wish = PyDict::new(py);
    wish.set_item("wish", report.wish.to_string())?;
    wish.set_item("state", state)?;
    wish.set_item("at", at)?;
    wish.set_item("car", car)?;
    wish.set_item("chance", report.chance)?;
    wish.set_item("recruited", report.recruits.iter().map(|recruit| recruit.car.0).collect::<Vec<u32>>())?;
    wish.set_item("why", report.why.as_deref())?;
    Ok(wish)
}

/// What happened, in words, and which car.
fn told(event: CityEvent) -> (&'static str, u32) {
    match event {
        CityEvent::CameIntoView(car) => ("came into view", car.0),
        CityEvent::LeftView(car) => ("left the view", car.0),
        CityEvent::Stopped(car) => ("stopped", car.0),
        CityEvent::Started(car) => ("started", car.0),
        CityEvent::Turned(car, _) => ("turned", car.0),
    }
}

fn table<'py>(py: Python<'py>, cars: &[VisibleCar]) -> PyResult<Bound<'py, PyDict>> {
    let numbers = |of: fn(&VisibleCar) -> f64| -> Bound<'py, PyArray1<f64>> {
        cars.iter().map(of).collect::<Vec<f64>>().into_pyarray(py)
    };
    let poses = cars.iter().flat_map(|car| {
        let (_, turn, place) = car.world_from_body.to_scale_rotation_translation();
        place.to_array().into_iter().chain(turn.to_array())
    });
    let table = PyDict::new(py);
    table.set_item("id", cars.iter().map(|car| car.id.0).collect::<Vec<u32>>().into_pyarray(py))?;
    table.set_item("pose", rows(py, poses.collect::<Vec<f64>>(), 7)?)?;
    table.set_item("speed", numbers(|car| car.speed))?;
    table.set_item("steering", numbers(|car| car.steering))?;
    Ok(table)
}
