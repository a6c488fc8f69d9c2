//! A running world as bytes, and back.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use proscenium_chance::Seed;
use proscenium_work::Artifact;
use serde::{Deserialize, Serialize};

use crate::compiled::CompiledModel;
use crate::error::CullError;
use crate::geometry::Bounds;
use crate::player::{Player, SavedPlayer};

use super::placed::PlacedSystem;
use super::{Link, World};

const FILE: Artifact = Artifact::new("culled-world", "a saved world", 1, "save it again with this version");

/// A world as it is saved. Compiled models are not in it.
#[derive(Serialize, Deserialize)]
struct WorldFile {
    seed: u64,
    now: f64,
    work_per_frame: u64,
    seconds_per_frame: f64,
    /// The name of each compiled model, and what tells it from others.
    models: Vec<(String, u64)>,
    systems: Vec<Option<SystemFile>>,
    /// From, output, to, input.
    links: Vec<[u32; 4]>,
}

#[derive(Serialize, Deserialize)]
struct SystemFile {
    model: u32,
    position: [f64; 3],
    orientation: [f64; 4],
    since: f64,
    restarts: u64,
    players: Vec<SavedPlayer>,
    signals: Vec<(f64, String)>,
}

impl World {
    /// The world as it is now, without its compiled models: [`World::from_bytes`] goes on
    /// with the same bits.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut models: Vec<&Arc<CompiledModel>> = Vec::new();
        let mut systems = Vec::with_capacity(self.systems.len());
        for placed in &self.systems {
            systems.push(placed.as_deref().map(|placed| {
                let known = models.iter().position(|model| Arc::ptr_eq(model, &placed.culled));
                let model = known.unwrap_or_else(|| {
                    models.push(&placed.culled);
                    models.len() - 1
                });
                SystemFile {
                    model: model as u32,
                    position: placed.position.to_array(),
                    orientation: placed.orientation.to_array(),
                    since: placed.since,
                    restarts: placed.restarts,
                    players: placed.players.iter().map(Player::to_saved).collect(),
                    signals: placed.signals.clone(),
                }
            }));
        }
        let links = self.links.iter().map(|link| [link.from, link.output, link.to, link.input].map(|one| one as u32));
        FILE.seal(&WorldFile {
            seed: self.seed.0,
            now: self.now,
            work_per_frame: self.work_per_frame as u64,
            seconds_per_frame: self.seconds_per_frame,
            models: models.iter().map(|model| (model.model.name.clone(), fingerprint(model))).collect(),
            systems,
            links: links.collect(),
        })
    }

    /// A world as it was saved. `models` are the compiled models that it had, in any order.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged, or when a model is missing.
    pub fn from_bytes(bytes: &[u8], models: &[Arc<CompiledModel>]) -> Result<Self, CullError> {
        let file: WorldFile = FILE.open(bytes)?;
        let given: Vec<u64> = models.iter().map(|model| fingerprint(model)).collect();
        let mut own: Vec<&Arc<CompiledModel>> = Vec::with_capacity(file.models.len());
        for (name, wanted) in &file.models {
            let Some(place) = given.iter().position(|given| given == wanted) else {
                let known = models.iter().map(|model| model.model.name.as_str()).collect::<Vec<_>>().join(", ");
                let known = format!("{known}, none of them compiled as it was when the world was saved");
                return Err(CullError::Unknown { what: "compiled model", name: name.clone(), known });
            };
            own.push(&models[place]);
        }
        if !file.now.is_finite() || file.seconds_per_frame.is_nan() {
            return Err(FILE.damaged("its time is not a number").into());
        }
        let mut world = World::new(Seed(file.seed))
            .with_work_per_frame(file.work_per_frame as usize)
            .with_seconds_per_frame(file.seconds_per_frame);
        world.now = file.now;
        for (index, system) in file.systems.into_iter().enumerate() {
            let placed = match system {
                Some(system) => Some(Box::new(system.placed(world.seed, index, &own)?)),
                None => None,
            };
            world.boxes.push(placed.as_ref().map_or(Bounds::NOTHING, |placed| placed.bounds()));
            world.systems.push(placed);
        }
        for link in file.links {
            world.restore_link(link.map(|one| one as usize))?;
        }
        Ok(world)
    }

    fn restore_link(&mut self, [from, output, to, input]: [usize; 4]) -> Result<(), CullError> {
        let outputs = self.at(from)?.culled.model.outputs.len();
        let inputs = self.at(to)?.culled.model.inputs.len();
        if output >= outputs || input >= inputs {
            return Err(FILE.damaged("a link leads nowhere").into());
        }
        self.at(from)?.linked = true;
        self.at(to)?.linked = true;
        self.links.push(Link { from, output, to, input });
        Ok(())
    }
}

impl SystemFile {
    fn placed(self, seed: Seed, index: usize, models: &[&Arc<CompiledModel>]) -> Result<PlacedSystem, CullError> {
        let damaged = |what: &str| CullError::from(FILE.damaged(what));
        let culled = models.get(self.model as usize).ok_or_else(|| damaged("a system has no model"))?;
        let mut placed = PlacedSystem::new(culled, DVec3::from_array(self.position), self.since);
        placed.orientation = DQuat::from_array(self.orientation);
        placed.restarts = self.restarts;
        let is_sound = placed.position.is_finite()
            && (placed.orientation.length() - 1.0).abs() < 1e-6
            && self.since.is_finite()
            && self.signals.iter().all(|(time, _)| time.is_finite())
            && (self.players.is_empty() || self.players.len() == culled.model.copies.len());
        if !is_sound {
            return Err(damaged("a system is not whole"));
        }
        placed.signals = self.signals;
        for (copy, saved) in self.players.into_iter().enumerate() {
            let player = Player::from_saved(saved, placed.seed(seed, index, copy));
            placed.players.push(player.ok_or_else(|| damaged("a state is not finite"))?);
        }
        Ok(placed)
    }
}

/// What tells a compiled model from others: the FNV-1a hash of its file.
fn fingerprint(model: &CompiledModel) -> u64 {
    model
        .to_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
