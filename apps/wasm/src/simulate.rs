//! The part of `proscenium/direct` that needs no sampler: scenes simulated to what a page
//! plays and to glTF.

use js_sys::{Function, Uint8Array};
use proscenium_scenes::{Seed, SimulateOptions, builtin};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::scene::{self, Order};
use crate::telling::{self, object};

/// The names of the built-in scenes.
#[must_use]
#[wasm_bindgen(js_name = sceneNames)]
pub fn scene_names() -> Vec<String> {
    builtin().iter().map(|entry| entry.name.to_owned()).collect()
}

/// Simulates a scene; `undefined` if it was stopped.
///
/// # Errors
///
/// An `Error` with the engine's words, and its `remedy`.
#[wasm_bindgen(js_name = simulateScene)]
pub fn simulate_scene(order: &str, told: Option<Function>) -> Result<JsValue, JsValue> {
    let order: Order = telling::read(order, scene::REMEDY)?;
    let drawn = order.scene()?.draw(Seed(order.seed));
    let options = SimulateOptions { duration: order.duration, ..SimulateOptions::default() };
    let run = drawn.simulate(&options, &telling::progress(told));
    let run = run.map_err(telling::wrong)?;
    if run.stopped {
        return Ok(JsValue::UNDEFINED);
    }
    let glb = scene::glb(&run.clip)?;
    Ok(object([
        ("glb", Uint8Array::from(glb.as_slice()).into()),
        ("duration", f64::from(run.clip.duration_secs).into()),
        ("stateHash", format!("{:016x}", run.state_hash).into()),
        ("engine", crate::version().into()),
    ]))
}
