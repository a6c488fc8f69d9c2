//! Scenes that come with the engine.

use crate::{Scene, SceneErrors};

/// A scene that comes with the engine.
#[derive(Clone, Debug)]
pub struct Builtin {
    /// What it is called.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub summary: &'static str,
    /// What can be changed about it.
    pub parameters: &'static [Parameter],
}

/// A number that a built-in scene is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// What it is called.
    pub name: &'static str,
    /// What it is if nothing is said.
    pub default: f64,
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// The least it may be.
    pub min: f64,
    /// The most it may be.
    pub max: f64,
    /// Whether it is a whole number.
    pub whole: bool,
}

impl Builtin {
    /// The scene with some parameters changed.
    pub fn scene(&self, _parameters: &[(&str, f64)]) -> Result<Scene, SceneErrors> {
        Err(SceneErrors::plain("not yet", "wait"))
    }
}

/// The scenes that come with the engine, by name.
pub fn builtin() -> &'static [Builtin] {
    &[]
}

/// A built-in scene by its name, or else a scene file. The parameters are
/// those of the built-in scene; for a file they fix its variables.
pub fn find(_name_or_path: &str, _parameters: &[(&str, f64)]) -> Result<Scene, SceneErrors> {
    Err(SceneErrors::plain("not yet", "wait"))
}

/// The text of a new scene: commented, working, and worth looking at.
pub fn template(_name: &str) -> String {
    String::new()
}
