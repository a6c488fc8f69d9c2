//! `proscenium/city`: cities of cars, of which those in view are simulated.

use js_sys::{Array, Float32Array, Function, Uint8Array};
use proscenium_city::glam::{DVec2, DVec3};
use proscenium_city::import::read_watched;
use proscenium_city::map::RoadId;
use proscenium_city::trips::Carriageway;
use proscenium_city::{
    self as city, CarId, CityError, CityEvent, Drive, Eye, Map, Plan, Recipe, Seed, VisibleCar, WishId, WishReport,
    WishState,
};
use proscenium_clip::glam::{Quat, Vec3};
use proscenium_clip::{Clip, Material, Mesh, Node};
use proscenium_show::city::{CarPart, car_parts, roofs, streets_watched, wheel_places};
use proscenium_work::Completion;
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::telling::{self, floats, object};

const REMEDY: &str = "give roads: 400 or a map, and if you like cars: 400, seed: 42";
const LOOK: &str = "give now: 1.5, views: [{ position: [x, z], direction: [x, z] }]";
const WISH: &str = "give a wish, as { hold: car, held: true }, { close: road, closed: true } or { want: \"a bus comes round the next corner\" }";
/// Numbers of a car in a row: which, where, how it is turned, its speed, its steering.
const ROW: usize = 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    roads: Option<usize>,
    cars: Option<u32>,
    #[serde(default)]
    seed: u64,
}

/// A viewer, as a page says it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct View {
    position: [f64; 2],
    direction: [f64; 2],
    angle: Option<f64>,
    reach: Option<f64>,
    height: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    now: f64,
    views: Vec<View>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ride {
    seconds: f64,
    fps: f64,
    #[serde(default)]
    seed: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    around: Option<[f64; 2]>,
    within: Option<f64>,
}

/// What a page wishes of a city.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Wish {
    Hold { hold: u32, held: bool },
    Route { route: u32, road: u32, against: bool },
    Close { close: u32, closed: bool },
    Add { add: u32, against: bool },
    Remove { remove: u32 },
    Follow { follow: u32 },
    Want { want: String },
    Withdraw { withdraw: u32 },
}

/// A city that a page has.
#[wasm_bindgen]
pub struct City {
    city: city::City,
}

/// Makes a city of generated streets, or of a map that is given; `undefined` if it was stopped.
///
/// # Errors
///
/// An `Error` with the engine's words, and its `remedy`.
#[wasm_bindgen(js_name = makeCity)]
pub fn make_city(order: &str, told: Option<Function>, bytes: Option<Vec<u8>>) -> Result<Option<City>, JsValue> {
    let order: Order = telling::read(order, REMEDY)?;
    let progress = telling::progress(told);
    let seed = Seed(order.seed);
    let plan = match (&bytes, order.roads) {
        (Some(bytes), None) => match Plan::from_bytes(bytes) {
            Ok(plan) => Completion::Finished(plan),
            Err(error) if bytes.starts_with(b"proscenium ") => return Err(telling::remedied(&error)),
            Err(_) => {
                read_watched(bytes, &progress.part(0.0, 0.3)).map_err(telling::wrong)?.map(|network| network.plan)
            }
        },
        (None, roads) => Recipe::with_roads(roads.unwrap_or(400))
            .generate_watched(seed, &progress.part(0.0, 0.3))
            .map_err(telling::wrong)?,
        (Some(_), Some(_)) => return Err(telling::error("a map has its own roads", Some(REMEDY))),
    };
    let Completion::Finished(plan) = plan else { return Ok(None) };
    let map =
        Map::build_watched(&plan, &progress.part(0.3, 0.7)).map_err(|error| telling::wrong(CityError::from(error)))?;
    let Completion::Finished(map) = map else { return Ok(None) };
    let mut city = city::City::new(map).with_cars(order.cars.unwrap_or(400)).seed(order.seed);
    let started = city.start_watched(&progress.part(0.7, 1.0)).map_err(telling::wrong)?;
    Ok(started.finished().map(|()| City { city }))
}

#[wasm_bindgen]
impl City {
    /// What does not change: how many roads there are, and the middle of the map.
    #[must_use]
    pub fn about(&self) -> JsValue {
        let map = self.city.map();
        object([
            ("name", map.name().into()),
            ("roads", (map.road_count() as u32).into()),
            ("middle", floats(middle(map).as_vec2().to_array())),
        ])
    }

    /// The cars that viewers see at a time, a row each.
    ///
    /// # Errors
    ///
    /// Views that are none, and a time that lies in the past.
    pub fn advance(&mut self, order: &str) -> Result<Float32Array, JsValue> {
        let look: Look = telling::read(order, LOOK)?;
        let eyes: Result<Vec<Eye>, JsValue> = look.views.iter().map(eye).collect();
        self.city.look(&eyes?);
        let cars = self.city.advance(look.now).map_err(telling::wrong)?;
        let mut rows = Vec::with_capacity(ROW * cars.len());
        cars.iter().for_each(|car| rows.extend(row(car)));
        Ok(Float32Array::from(rows.as_slice()))
    }

    /// What happened in view since the frame before: what, and which car.
    #[must_use]
    pub fn events(&self) -> Array {
        let told = |event: CityEvent| {
            let (what, car) = match event {
                CityEvent::CameIntoView(car) => ("came into view", car),
                CityEvent::LeftView(car) => ("left the view", car),
                CityEvent::Stopped(car) => ("stopped", car),
                CityEvent::Started(car) => ("started", car),
                CityEvent::Turned(car, _) => ("turned", car),
            };
            object([("what", what.into()), ("car", car.0.into())])
        };
        self.city.events().into_iter().map(told).collect()
    }

    /// Does what is wished; the number of a car that was added.
    ///
    /// # Errors
    ///
    /// Cars and roads that there are not.
    pub fn wish(&mut self, order: &str) -> Result<Option<u32>, JsValue> {
        let done = match telling::read(order, WISH)? {
            Wish::Hold { hold, held } => self.city.hold_car(CarId(hold), held),
            Wish::Route { route, road, against } => {
                self.city.route_car(CarId(route), Carriageway { road: RoadId(road), against })
            }
            Wish::Close { close, closed } => self.city.close_road(RoadId(close), closed),
            Wish::Add { add, against } => {
                let car = self.city.add_car(Carriageway { road: RoadId(add), against }).map_err(telling::wrong)?;
                return Ok(Some(car.0));
            }
            Wish::Remove { remove } => self.city.remove_car(CarId(remove)),
            Wish::Follow { follow } => self.city.follow(CarId(follow)),
            Wish::Want { want } => {
                let wish: city::Wish = want.parse().map_err(|error: city::WishError| telling::wrong(error))?;
                return Ok(Some(self.city.want(wish).map_err(telling::wrong)?.0));
            }
            Wish::Withdraw { withdraw } => {
                self.city.withdraw(WishId(withdraw));
                return Ok(None);
            }
        };
        done.map(|()| None).map_err(telling::wrong)
    }

    /// What became of what is wanted, in its order.
    #[must_use]
    pub fn wishes(&self) -> Array {
        self.city.wishes().map(became).collect()
    }

    /// Who drives through the streets: place and direction of every frame.
    ///
    /// # Errors
    ///
    /// Seconds and frames that cannot be.
    pub fn drive(&self, order: &str) -> Result<Float32Array, JsValue> {
        let order: Ride = telling::read(order, "give seconds: 60, fps: 30")?;
        let drive =
            Drive::record(self.city.map(), Seed(order.seed), order.seconds, order.fps).map_err(telling::wrong)?;
        let mut rows = Vec::with_capacity(4 * drive.frames().len());
        for frame in drive.frames() {
            let eye = frame.eye(1.2, 400.0).map_err(telling::wrong)?;
            rows.extend(eye.position().as_vec2().to_array());
            rows.extend(eye.direction().as_vec2().to_array());
        }
        Ok(Float32Array::from(rows.as_slice()))
    }

    /// The streets and houses around a place, and a car, as glTF.
    ///
    /// # Errors
    ///
    /// A part of the map that cannot be drawn.
    pub fn look(&self, order: &str, told: Option<Function>) -> Result<JsValue, JsValue> {
        let part: Part = telling::read(order, "give around: [x, z], within: 500, or nothing for all of it")?;
        let map = self.city.map();
        let around = part.around.map_or_else(|| middle(map), DVec2::from);
        let within = part.within.unwrap_or(f64::INFINITY);
        let is_near = |road: &RoadId| map.road_points(*road).iter().any(|point| point.distance(around) <= within);
        let roads: Vec<RoadId> = map.roads().filter(is_near).collect();
        let streets = streets_watched(map, &roads, DVec2::ZERO, &telling::progress(told)).map_err(telling::wrong)?;
        let Completion::Finished(mut streets) = streets else { return Ok(JsValue::UNDEFINED) };
        let colours = [[0.21, 0.16, 0.13], [0.39, 0.33, 0.26]];
        for (mesh, colour) in roofs(map, &roads, DVec2::ZERO).into_iter().zip(colours) {
            if mesh.positions.is_empty() {
                continue;
            }
            let name = mesh.name.clone();
            let material = streets.add_material(Material::new(&name, colour));
            let mesh = streets.add_mesh(mesh.with_material(material));
            streets.add_node(Node::new(name).with_mesh(mesh));
        }
        let glb = |clip: &Clip| clip.to_glb().map(|bytes| JsValue::from(Uint8Array::from(bytes.as_slice())));
        Ok(object([
            ("streets", glb(&streets).map_err(telling::wrong)?),
            ("car", car().and_then(|car| glb(&car)).map_err(telling::wrong)?),
        ]))
    }

    /// How many cars are simulated, tracked, and only counted.
    #[must_use]
    pub fn counts(&self) -> Vec<u32> {
        self.city.counts().into_iter().map(|count| u32::try_from(count).unwrap_or(u32::MAX)).collect()
    }
}

/// A wish as a page reads it.
fn became(report: &WishReport) -> JsValue {
    let (state, at, car) = match report.state {
        WishState::Open => ("open", None, None),
        WishState::Planned => ("planned", None, None),
        WishState::Seen { at, car } => ("seen", Some(at), car.map(|car| car.0)),
        WishState::Missed => ("missed", None, None),
    };
    let wish = object([
        ("number", report.id.0.into()),
        ("wish", report.wish.to_string().into()),
        ("state", state.into()),
        ("chance", report.chance.into()),
        ("recruited", report.recruits.iter().map(|recruit| JsValue::from(recruit.car.0)).collect::<Array>().into()),
    ]);
    let more = [
        ("at", at.map(JsValue::from)),
        ("car", car.map(JsValue::from)),
        ("why", report.why.as_deref().map(JsValue::from)),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            telling::set(&wish, name, value);
        }
    }
    wish
}

fn eye(view: &View) -> Result<Eye, JsValue> {
    let (angle, reach) = (view.angle.unwrap_or(1.2), view.reach.unwrap_or(400.0));
    let eye =
        Eye::new(DVec2::from(view.position), DVec2::from(view.direction), angle, reach).map_err(telling::wrong)?;
    match view.height {
        Some(height) if !height.is_finite() => {
            Err(telling::error("the height of a viewer must be finite", Some("give metres above the street")))
        }
        Some(height) => Ok(eye.at_height(height)),
        None => Ok(eye),
    }
}

fn row(car: &VisibleCar) -> [f32; ROW] {
    let (_, turn, place) = car.world_from_body.to_scale_rotation_translation();
    let ([x, y, z], [i, j, k, w]) = (place.as_vec3().to_array(), turn.as_quat().to_array());
    [car.id.0 as f32, x, y, z, i, j, k, w, car.speed as f32, car.steering as f32]
}

fn middle(map: &Map) -> DVec2 {
    map.junctions().map(|junction| map.junction(junction).position).sum::<DVec2>() / map.junction_count().max(1) as f64
}

/// A car with its wheels, standing.
fn car() -> Result<Clip, proscenium_clip::ClipError> {
    let mut clip = Clip::new("car");
    let finish = |part: CarPart| match part {
        CarPart::Paint => ("paint", [0.8, 0.8, 0.8], 0.35),
        CarPart::Glass => ("glass", [0.02, 0.03, 0.04], 0.1),
        CarPart::Trim => ("trim", [0.02, 0.02, 0.02], 0.8),
        CarPart::Headlamps => ("headlamps", [0.9, 0.9, 0.8], 0.3),
        CarPart::Taillamps => ("taillamps", [0.5, 0.02, 0.02], 0.4),
        CarPart::Tyre => ("tyre", [0.02, 0.02, 0.02], 0.9),
        CarPart::Hub => ("hub", [0.5, 0.5, 0.52], 0.4),
    };
    for (part, mesh) in car_parts() {
        let (name, colour, roughness) = finish(part);
        let material = clip.add_material(Material::new(name, colour).with_roughness(roughness));
        let mesh: Mesh = mesh.with_material(material);
        let mesh = clip.add_mesh(mesh);
        let places: Vec<DVec3> = match part {
            CarPart::Tyre | CarPart::Hub => wheel_places().map(|(place, _)| place).to_vec(),
            _ => vec![DVec3::ZERO],
        };
        for (number, place) in places.into_iter().enumerate() {
            let at: Vec3 = place.as_vec3();
            clip.add_node(Node::new(format!("{name} {}", number + 1)).with_mesh(mesh).with_rest(at, Quat::IDENTITY));
        }
    }
    Ok(clip)
}
