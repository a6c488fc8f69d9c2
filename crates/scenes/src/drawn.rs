//! A scene whose values are drawn.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use proscenium_rigid::{World, WorldBuilder};

use crate::{Progress, Scene, SceneErrors, SimulateOptions, Simulation};

/// A scene in which nothing is uncertain any more.
#[derive(Clone, Debug)]
pub struct Drawn {
    scene: Scene,
    values: BTreeMap<String, f64>,
}

impl Drawn {
    pub(crate) fn new(scene: Scene) -> Self {
        Self { scene, values: BTreeMap::new() }
    }

    /// The scene that was drawn from.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The value of everything that was uncertain.
    pub fn values(&self) -> &BTreeMap<String, f64> {
        &self.values
    }

    /// The world to be, with every body in place.
    pub fn builder(&self) -> Result<WorldBuilder, SceneErrors> {
        Ok(World::builder())
    }

    /// Runs the scene. `progress` is called every now and then, and stops the
    /// run early by breaking; what there is then is kept.
    pub fn simulate(
        &self,
        _options: &SimulateOptions,
        _progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Simulation, SceneErrors> {
        Err(SceneErrors::plain("scenes cannot be simulated yet", "wait"))
    }
}
