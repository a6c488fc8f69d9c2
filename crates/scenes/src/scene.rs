//! A scene that was checked.

use std::path::Path;

use proscenium_chance::{Density, Seed};

use crate::{Drawn, SceneErrors, Source};

/// A scene: what there is, how it starts, and what of that is uncertain.
/// Checked when it was read; cheap to clone.
#[derive(Clone, Debug)]
pub struct Scene {
    name: String,
    duration: f64,
    variables: Vec<(String, Density)>,
    warnings: Vec<String>,
}

impl Scene {
    /// Reads a scene from the text of a file.
    pub fn parse(_text: &str, _source: &Source) -> Result<Scene, SceneErrors> {
        Err(SceneErrors::plain("scene files cannot be read yet", "wait"))
    }

    /// Reads a scene from a file of at most 16 MB. Meshes are sought beside it.
    pub fn read(_path: &Path) -> Result<Scene, SceneErrors> {
        Err(SceneErrors::plain("scene files cannot be read yet", "wait"))
    }

    /// What the scene is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How long it is simulated, seconds.
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// How many bodies there are, copies included.
    pub fn body_count(&self) -> usize {
        0
    }

    /// How many materials there are.
    pub fn material_count(&self) -> usize {
        0
    }

    /// The scene as a file that reads as the same scene.
    pub fn to_toml(&self) -> String {
        String::new()
    }

    /// Everything that is uncertain: the named variables in the order of the
    /// file, then the densities in place, named as `die-1.position.z`.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Density)> {
        self.variables.iter().map(|(name, density)| (name.as_str(), density))
    }

    /// Draws a value for everything that is uncertain.
    pub fn draw(&self, _seed: Seed) -> Drawn {
        Drawn::new(self.clone())
    }

    /// What is not wrong but probably not meant.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// The JSON Schema of the scene file.
pub fn schema() -> serde_json::Value {
    serde_json::Value::Null
}
