//! `proscenium/direct`, the part that needs no sampler: scenes by name or as files,
//! simulated to what a page plays and to glTF.

use js_sys::{Function, Uint8Array};
use proscenium_scenes::{Scene, SceneErrors, Seed, SimulateOptions, Source, builtin, find};
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::telling::{self, object};

const REMEDY: &str = "give scene: \"dominoes\" or text: \"format = 1 …\", and if you like seed: 42";

/// What a page orders.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    /// A built-in scene,
    scene: Option<String>,
    /// or the text of a scene file.
    text: Option<String>,
    #[serde(default)]
    seed: u64,
}

impl Order {
    fn scene(&self) -> Result<Scene, JsValue> {
        let found: Result<Scene, SceneErrors> = match (&self.scene, &self.text) {
            (Some(name), None) => find(name, &[]),
            (None, Some(text)) => Scene::parse(text, &Source::inline("scene.toml", text.clone())),
            _ => return Err(telling::error("a scene is given by its name or by its text", Some(REMEDY))),
        };
        found.map_err(|errors| telling::remedied(&errors))
    }
}

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
    let order: Order =
        telling::order(order, REMEDY).map_err(|(message, help)| telling::error(&message, Some(&help)))?;
    let drawn = order.scene()?.draw(Seed(order.seed));
    let run = drawn.simulate(&SimulateOptions::default(), &telling::progress(told));
    let run = run.map_err(|errors| telling::remedied(&errors))?;
    if run.stopped {
        return Ok(JsValue::UNDEFINED);
    }
    let glb = run.clip.to_glb().map_err(|found| telling::remedied(&found))?;
    Ok(object([
        ("glb", Uint8Array::from(glb.as_slice()).into()),
        ("duration", f64::from(run.clip.duration_secs).into()),
        ("stateHash", format!("{:016x}", run.state_hash).into()),
        ("engine", crate::version().into()),
    ]))
}
