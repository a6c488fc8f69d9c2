//! `proscenium/rigid`: a world of rigid bodies that goes on as long as the page does.

use js_sys::{Array, Float32Array, Function, Uint8Array};
use proscenium_rigid::glam::DVec3;
use proscenium_rigid::{BodyId, Control, SimulationError};
use proscenium_scenes::{DrawnScene, Seed, SimulateOptions};
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::scene::Order;
use crate::telling::{self, object};

/// What is seen of a scene that has run for so long is how it begins, s.
const AT_ONCE: f64 = 1e-6;
/// Numbers of a body in a row: where, and how it is turned.
const ROW: usize = 7;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Now {
    now: f64,
}

/// What is done to a body.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Wish {
    Push { push: u32, impulse: [f64; 3], point: Option<[f64; 3]>, at: Option<f64> },
    Set { set: u32, velocity: [f64; 3], spin: [f64; 3], at: Option<f64> },
    Remove { remove: u32, at: Option<f64> },
}

/// A world that a page has.
#[wasm_bindgen]
pub struct World {
    world: proscenium_rigid::World,
    drawn: DrawnScene,
}

/// Makes the world of a scene, as it is before anything has moved.
///
/// # Errors
///
/// An `Error` with the engine's words, and its `remedy`.
#[wasm_bindgen(js_name = makeWorld)]
pub fn make_world(order: &str) -> Result<World, JsValue> {
    let order: Order = telling::read(order, crate::scene::REMEDY)?;
    if order.duration.is_some() {
        return Err(telling::error("a world has no duration", Some("advance it as far as you like")));
    }
    let drawn = order.scene()?.draw(Seed(order.seed));
    let world = drawn.world().map_err(telling::wrong)?;
    Ok(World { world, drawn })
}

#[wasm_bindgen]
impl World {
    /// What does not change: the bodies by name.
    #[must_use]
    pub fn about(&self) -> JsValue {
        let body = |id: BodyId| {
            let is_fixed = self.world.inertia(id).is_none();
            object([("name", self.world.name(id).into()), ("fixed", is_fixed.into())])
        };
        object([("bodies", self.world.bodies().map(body).collect::<Array>().into())])
    }

    /// How the world looks before anything has moved, as glTF; nodes are called as bodies.
    ///
    /// # Errors
    ///
    /// What cannot be drawn.
    pub fn look(&self, _order: &str, told: Option<Function>) -> Result<JsValue, JsValue> {
        let options = SimulateOptions { duration: Some(AT_ONCE), ..SimulateOptions::default() };
        let begun = self.drawn.simulate(&options, &telling::progress(told)).map_err(telling::wrong)?;
        if begun.stopped {
            return Ok(JsValue::UNDEFINED);
        }
        Ok(Uint8Array::from(crate::scene::glb(&begun.clip)?.as_slice()).into())
    }

    /// Goes on to a time; where all bodies are then, a row each. What is not there has NaN.
    ///
    /// # Errors
    ///
    /// A time that lies in the past, and what can go wrong in a simulation.
    pub fn advance(&mut self, order: &str) -> Result<Float32Array, JsValue> {
        let Now { now } = telling::read(order, "give now: 1.5")?;
        self.world.advance(now).map_err(|error| failed(&error))?;
        let mut rows = Vec::new();
        for body in self.world.bodies() {
            match self.world.pose(body) {
                Some(pose) => {
                    rows.extend(pose.translation.as_vec3().to_array());
                    rows.extend(pose.rotation.as_quat().to_array());
                }
                None => rows.extend([f32::NAN; ROW]),
            }
        }
        Ok(Float32Array::from(rows.as_slice()))
    }

    /// Does something to a body: now, or at a time to come.
    ///
    /// # Errors
    ///
    /// Bodies that there are not, and numbers that are none.
    pub fn wish(&mut self, order: &str) -> Result<(), JsValue> {
        let wish = telling::read(order, "give push: 0, impulse: [0, 1, 0], or set, or remove")?;
        let (at, control) = match wish {
            Wish::Push { push, impulse, point, at } => {
                let (impulse, point) = (DVec3::from(impulse), point.map(DVec3::from));
                (at, Control::Impulse { body: self.body(push)?, impulse, point })
            }
            Wish::Set { set, velocity, spin, at } => {
                let (velocity, spin) = (DVec3::from(velocity), DVec3::from(spin));
                (at, Control::SetVelocity { body: self.body(set)?, velocity, spin })
            }
            Wish::Remove { remove, at } => (at, Control::Remove { body: self.body(remove)? }),
        };
        self.world.schedule(at.unwrap_or(self.world.now()), control).map_err(|error| failed(&error))
    }

    /// A number that depends on every bit of the state.
    #[must_use]
    #[wasm_bindgen(js_name = stateHash)]
    pub fn state_hash(&self) -> String {
        format!("{:016x}", self.world.state_hash())
    }

    fn body(&self, number: u32) -> Result<BodyId, JsValue> {
        let count = self.world.bodies().count();
        let none =
            || telling::error(&format!("there is no body {number}"), Some(&format!("there are {count}, from 0")));
        self.world.bodies().nth(number as usize).ok_or_else(none)
    }
}

fn failed(error: &SimulationError) -> JsValue {
    match error {
        SimulationError::TimeRunsBackwards { .. } => {
            telling::error(&error.to_string(), Some("give times in order, none before the last"))
        }
        _ => telling::remedied(error),
    }
}
