//! Scenes by name or as files, for the modules that begin with one.

use std::collections::BTreeMap;

use proscenium_clip::Clip;
use proscenium_scenes::{Scene, SceneErrors, Source, find};
use serde::Deserialize;
use wasm_bindgen::JsValue;

use crate::telling;

/// How a scene is ordered.
pub const REMEDY: &str = "give scene: \"dominoes\" or text: \"format = 1 …\", and if you like seed: 42";

/// The scene that a page means.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// A built-in scene,
    pub scene: Option<String>,
    /// or the text of a scene file.
    pub text: Option<String>,
    /// The number that everything follows from.
    #[serde(default)]
    pub seed: u64,
    /// Parameters of a built-in scene, by name.
    #[serde(default)]
    pub parameters: BTreeMap<String, f64>,
    /// How long it is simulated, s, if not for as long as it says.
    pub duration: Option<f64>,
}

impl Order {
    /// The scene.
    ///
    /// # Errors
    ///
    /// One that there is not, or that is none.
    pub fn scene(&self) -> Result<Scene, JsValue> {
        let found: Result<Scene, SceneErrors> = match (&self.scene, &self.text) {
            (Some(name), None) => {
                let parameters: Vec<(&str, f64)> =
                    self.parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
                find(name, &parameters)
            }
            (None, Some(_)) if !self.parameters.is_empty() => {
                let remedy = "write what should be otherwise into the text";
                return Err(telling::error("only built-in scenes have parameters", Some(remedy)));
            }
            (None, Some(text)) => Scene::parse(text, &Source::inline("scene.toml", text.clone())),
            _ => return Err(telling::error("a scene is given by its name or by its text", Some(REMEDY))),
        };
        found.map_err(telling::wrong)
    }
}

/// A clip as binary glTF.
///
/// # Errors
///
/// A clip that cannot be written.
pub fn glb(clip: &Clip) -> Result<Vec<u8>, JsValue> {
    clip.to_glb().map_err(telling::wrong)
}
