//! `proscenium/cull`: rides that cost nothing out of view, and worlds of them.

use std::sync::Arc;

use js_sys::{Array, Float32Array, Float64Array, Function, Uint8Array, Uint32Array};
use proscenium_cull::builtin::{Builtin, MODELS};
use proscenium_cull::geometry::Solid;
use proscenium_cull::glam::{DAffine3, DQuat, DVec3};
use proscenium_cull::world::{SystemId, VisibleSystem};
use proscenium_cull::{CompileSettings, CompiledModel, Model, Seed, World};
use proscenium_view::{Camera, Frustum};
use proscenium_work::Completion;
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::telling::{self, floats, object};

const REMEDY: &str = "give model: \"ship\" or text: \"format = 1 …\", and if you like quick: true, seed: 42";
const LOOK: &str = "give now: 1.5, views: [{ eye: [x, y, z], target: [x, y, z] }]";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    /// A model that comes with the engine,
    model: Option<String>,
    /// or the text of a model file.
    text: Option<String>,
    #[serde(default)]
    seed: u64,
    /// Learns less, in seconds.
    #[serde(default)]
    quick: bool,
}

impl Order {
    fn model(&self) -> Result<Model, JsValue> {
        match (&self.model, &self.text) {
            (Some(name), None) => match Builtin::find(name) {
                Some(builtin) => builtin.model().map_err(telling::wrong),
                None => {
                    let known = MODELS.map(|model| model.name).join(", ");
                    let what = format!("there is no model \"{name}\"");
                    Err(telling::error(&what, Some(&format!("give the text of one, or one of: {known}"))))
                }
            },
            (None, Some(text)) => Model::parse("model.toml", text).map_err(telling::wrong),
            _ => Err(telling::error("a model is given by its name or by its text", Some(REMEDY))),
        }
    }
}

/// The names of the models that come with the engine.
#[must_use]
#[wasm_bindgen(js_name = modelNames)]
pub fn model_names() -> Vec<String> {
    MODELS.iter().map(|model| model.name.to_owned()).collect()
}

/// Compiles a model; `undefined` if it was stopped.
///
/// # Errors
///
/// An `Error` with the engine's words, and its `remedy`.
#[wasm_bindgen(js_name = compileRide)]
pub fn compile_ride(order: &str, told: Option<Function>) -> Result<JsValue, JsValue> {
    let order: Order = telling::read(order, REMEDY)?;
    let model = order.model()?;
    let effort = if order.quick { CompileSettings::quick() } else { model.settings().clone() };
    let settings = model.settings().with_effort_of(&effort);
    let compiled = CompiledModel::compile(model, &settings, Seed(order.seed), &telling::progress(told));
    match compiled.map_err(telling::wrong)? {
        Completion::Finished(compiled) => Ok(ride(&compiled)),
        Completion::Stopped => Ok(JsValue::UNDEFINED),
    }
}

/// Reads what was compiled before, here or by the command.
///
/// # Errors
///
/// Bytes that are no compiled model.
#[wasm_bindgen(js_name = readRide)]
pub fn read_ride(_order: &str, _told: Option<Function>, bytes: Option<Vec<u8>>) -> Result<JsValue, JsValue> {
    Ok(ride(&compiled(bytes)?))
}

fn compiled(bytes: Option<Vec<u8>>) -> Result<CompiledModel, JsValue> {
    CompiledModel::from_bytes(&bytes.unwrap_or_default()).map_err(telling::wrong)
}

fn ride(compiled: &CompiledModel) -> JsValue {
    let model = compiled.model();
    let outputs: Array = model.outputs().iter().map(|output| JsValue::from(output.name.as_str())).collect();
    let bounds = compiled.bounds();
    let shape = |part: &proscenium_cull::geometry::Part| {
        let shape = match (&part.mesh, &part.solid) {
            (Some(mesh), _) => Some(object([
                ("positions", floats(mesh.positions().iter().flatten().copied())),
                ("triangles", whole(mesh.triangles().iter().flatten().copied())),
            ])),
            (None, Some(Solid::Box(half))) => Some(object([("box", floats((2.0 * *half).as_vec3().to_array()))])),
            (None, Some(Solid::Ball(radius))) => Some(object([("ball", (*radius).into())])),
            (None, None) => None,
        };
        object([
            ("name", part.name.as_str().into()),
            ("colour", floats(part.colour)),
            ("shape", shape.unwrap_or(JsValue::UNDEFINED)),
        ])
    };
    object([
        ("name", model.name().into()),
        ("verdict", compiled.verdict().into()),
        ("outputs", outputs.into()),
        ("copies", (model.copies().len() as u32).into()),
        ("parts", model.parts().iter().map(shape).collect::<Array>().into()),
        ("bounds", floats([bounds.min, bounds.max].into_iter().flat_map(|corner| corner.as_vec3().to_array()))),
        ("track", track(model)),
        ("bytes", Uint8Array::from(compiled.to_bytes().as_slice()).into()),
    ])
}

/// The rails of a model that has a track, three numbers a point.
fn track(model: &Model) -> JsValue {
    let points = model.curve("track", 10).unwrap_or_default();
    floats(points.iter().flat_map(|point| point.as_vec3().to_array()))
}

fn whole(values: impl IntoIterator<Item = u32>) -> JsValue {
    Uint32Array::from(values.into_iter().collect::<Vec<_>>().as_slice()).into()
}

/// Many rides, of which those in view are computed.
#[wasm_bindgen]
pub struct Fairground {
    world: World,
    /// What stands there, each kind once, with the bytes that it came as.
    kinds: Vec<(Vec<u8>, Arc<CompiledModel>)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Begin {
    #[serde(default)]
    seed: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    position: [f64; 3],
    /// About the vertical, radians.
    #[serde(default)]
    turn: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct View {
    eye: [f64; 3],
    target: [f64; 3],
    fov: Option<f64>,
    aspect: Option<f64>,
    far: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    now: f64,
    views: Vec<View>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    ride: u32,
    signal: Option<String>,
}

/// Makes a fairground without rides.
///
/// # Errors
///
/// What is no order.
#[wasm_bindgen(js_name = makeFairground)]
pub fn make_fairground(order: &str) -> Result<Fairground, JsValue> {
    let order: Begin = telling::read(order, "give seed: 42")?;
    Ok(Fairground { world: World::new(Seed(order.seed)), kinds: Vec::new() })
}

#[wasm_bindgen]
impl Fairground {
    /// What does not change: nothing yet.
    #[must_use]
    pub fn about(&self) -> JsValue {
        object([("rides", (self.world.len() as u32).into())])
    }

    /// Places a ride that was compiled; its number.
    ///
    /// # Errors
    ///
    /// What is no ride, and a place that is none.
    pub fn add(&mut self, order: &str, _told: Option<Function>, bytes: Option<Vec<u8>>) -> Result<u32, JsValue> {
        let place: Place = telling::read(order, "give position: [x, y, z], and if you like turn: 1.57")?;
        let bytes = bytes.unwrap_or_default();
        let kind = match self.kinds.iter().find(|(known, _)| *known == bytes) {
            Some((_, kind)) => Arc::clone(kind),
            None => {
                let kind = Arc::new(CompiledModel::from_bytes(&bytes).map_err(telling::wrong)?);
                self.kinds.push((bytes, Arc::clone(&kind)));
                kind
            }
        };
        let position = DVec3::from(place.position);
        let id = self.world.add(&kind, position).map_err(telling::wrong)?;
        if let Err(error) = self.world.place(id, position, DQuat::from_rotation_y(place.turn)) {
            self.world.remove(id).map_err(telling::wrong)?;
            return Err(telling::wrong(error));
        }
        Ok(id.0)
    }

    /// Takes a ride away, or gives it a signal.
    ///
    /// # Errors
    ///
    /// Rides and signals that there are not.
    pub fn wish(&mut self, order: &str) -> Result<(), JsValue> {
        let wish: Wish = telling::read(order, "give ride: 1, and signal: \"start\" unless it goes")?;
        let done = match &wish.signal {
            Some(signal) => self.world.signal(SystemId(wish.ride), signal),
            None => self.world.remove(SystemId(wish.ride)),
        };
        done.map_err(telling::wrong)
    }

    /// What cameras see at a time: where the parts are (a row each: ride, part, place and turn), and the
    /// outputs of every copy.
    ///
    /// # Errors
    ///
    /// Cameras that are none, and a time that lies in the past.
    pub fn advance(&mut self, order: &str) -> Result<JsValue, JsValue> {
        let look: Look = telling::read(order, LOOK)?;
        let views: Result<Vec<Frustum>, JsValue> = look.views.iter().map(frustum).collect();
        self.world.advance(look.now, &views?).map_err(telling::wrong)?;
        let mut parts = Vec::new();
        let mut rides = Vec::new();
        for seen in self.world.visible() {
            let kind = self.world.model(seen.system).map_err(telling::wrong)?;
            add_parts(seen, kind.model(), &mut parts);
            let outputs: Vec<f64> = seen.copies.iter().flat_map(|(_, outputs)| outputs.iter().copied()).collect();
            rides.push(object([
                ("ride", seen.system.0.into()),
                ("outputs", Float64Array::from(outputs.as_slice()).into()),
            ]));
        }
        Ok(object([
            ("parts", Float32Array::from(parts.as_slice()).into()),
            ("rides", rides.into_iter().collect::<Array>().into()),
        ]))
    }
}

/// The rows of all parts of a ride that can be seen.
fn add_parts(seen: &VisibleSystem, model: &Model, rows: &mut Vec<f32>) {
    let placed = DAffine3::from_rotation_translation(seen.orientation, seen.position);
    for (copy, (_, outputs)) in seen.copies.iter().enumerate() {
        // It is not in view.
        if outputs.is_empty() && !model.outputs().is_empty() {
            continue;
        }
        for (index, (part, pose)) in model.parts().iter().zip(model.poses(copy, outputs)).enumerate() {
            let is_seen = part.solid.is_some() || part.mesh.is_some();
            if !is_seen || (copy > 0 && !part.each) {
                continue;
            }
            let (_, turn, place) = (placed * pose).to_scale_rotation_translation();
            rows.extend([seen.system.0 as f32, index as f32]);
            rows.extend(place.as_vec3().to_array());
            rows.extend(turn.as_quat().to_array());
        }
    }
}

fn frustum(view: &View) -> Result<Frustum, JsValue> {
    let (fov, aspect) = (view.fov.unwrap_or(0.8), view.aspect.unwrap_or(1.5));
    let (eye, target) = (DVec3::from(view.eye), DVec3::from(view.target));
    let mut camera = Camera::look_at(eye, target, fov, aspect).map_err(telling::wrong)?;
    camera.far = view.far.unwrap_or(200.0);
    Frustum::of(&camera).map_err(telling::wrong)
}
