//! Several systems that stand together and may read each other's outputs: one file, and
//! each is culled by itself, within the box around all.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use proscenium_chance::Seed;
use proscenium_work::{Artifact, Completion, Progress};
use serde::{Deserialize, Serialize};

use crate::compile::CompileSettings;
use crate::compiled::CompiledModel;
use crate::error::CullError;
use crate::geometry::{Bounds, PartMesh};
use crate::model::Model;
use crate::world::{SystemId, World};

const FILE: Artifact =
    Artifact::new("cull-assembly", "compiled systems", 1, "compile them again: proscenium cull MODEL -o FILE");

/// Several systems from one file.
///
/// ```
/// use proscenium_cull::glam::{DQuat, DVec3};
/// use proscenium_cull::{Assembly, CompileSettings, CompiledAssembly, Seed, World};
/// use proscenium_work::Progress;
///
/// let assembly = Assembly::parse("lamps.toml", r#"
///     format = 1
///     name = "lamps"
///     [[system]]
///     name = "switch"
///     [system.state]
///     on = { initial = 1.0, range = [-0.5, 1.5] }
///     [system.motion]
///     on = 0.0
///     [[system]]
///     name = "lamp"
///     [system.inputs]
///     on = 0.0
///     [system.state]
///     glow = { initial = 0.0, range = [-0.1, 1.1] }
///     [system.motion]
///     glow = "3 (on - glow)"
///     [place.lamp]
///     position = [0.0, 3.0, 0.0]
///     reads = { on = "switch.on" }
/// "#)?;
/// let compiled = CompiledAssembly::compile(assembly, |_| CompileSettings::quick(), Seed(1), &Progress::none())?;
/// let compiled = compiled.finished().expect("nobody stops it");
/// let mut world = World::new(Seed(1));
/// let systems = world.add_assembly(&compiled, DVec3::ZERO, DQuat::IDENTITY)?;
/// let seen = world.advance_visible(4.0, &systems)?;
/// assert!(seen[1].copies[0].1[0] > 0.99, "the lamp is told by the switch");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Assembly {
    pub(crate) name: String,
    pub(crate) members: Vec<Member>,
}

/// One of several systems.
#[derive(Clone, Debug)]
pub struct Member {
    pub(crate) model: Model,
    pub(crate) position: DVec3,
    pub(crate) orientation: DQuat,
    pub(crate) reads: Vec<Reading>,
}

/// An input that is told an output of another.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Reading {
    pub input: usize,
    pub system: usize,
    pub output: usize,
}

impl Member {
    pub(crate) fn new(model: Model) -> Self {
        Self { model, position: DVec3::ZERO, orientation: DQuat::IDENTITY, reads: Vec::new() }
    }

    /// Its model.
    pub fn model(&self) -> &Model {
        &self.model
    }
}

impl Assembly {
    /// What the file calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its systems, in the order of the file.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// With the meshes that parts name, as [`Model::with_meshes`].
    ///
    /// # Errors
    /// What the loader says.
    pub fn with_meshes<E>(mut self, mut load: impl FnMut(&str) -> Result<PartMesh, E>) -> Result<Self, E> {
        for member in &mut self.members {
            member.model = member.model.clone().with_meshes(&mut load)?;
        }
        Ok(self)
    }
}

/// Several systems, compiled.
#[derive(Clone, Debug)]
pub struct CompiledAssembly {
    name: String,
    members: Vec<CompiledMember>,
}

#[derive(Clone, Debug)]
struct CompiledMember {
    culled: Arc<CompiledModel>,
    position: DVec3,
    orientation: DQuat,
    reads: Vec<Reading>,
}

#[derive(Serialize, Deserialize)]
struct AssemblyFile {
    name: String,
    members: Vec<MemberFile>,
}

#[derive(Serialize, Deserialize)]
struct MemberFile {
    culled: Vec<u8>,
    position: [f64; 3],
    orientation: [f64; 4],
    reads: Vec<Reading>,
}

impl CompiledAssembly {
    /// Compiles each system with the settings that its model is given.
    ///
    /// # Errors
    /// As [`CompiledModel::compile`].
    pub fn compile(
        assembly: Assembly,
        settings: impl Fn(&Model) -> CompileSettings,
        seed: Seed,
        progress: &Progress,
    ) -> Result<Completion<Self>, CullError> {
        let count = assembly.members.len().max(1) as f64;
        let mut members = Vec::with_capacity(assembly.members.len());
        for (index, member) in assembly.members.into_iter().enumerate() {
            let Member { model, position, orientation, reads } = member;
            let settings = settings(&model);
            let part = progress.part(index as f64 / count, (index + 1) as f64 / count);
            let Completion::Finished(culled) = CompiledModel::compile(model, &settings, seed, &part)? else {
                return Ok(Completion::Stopped);
            };
            members.push(CompiledMember { culled: Arc::new(culled), position, orientation, reads });
        }
        Ok(Completion::Finished(Self { name: assembly.name, members }))
    }

    /// What the file called it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The compiled systems, in the order of the file.
    pub fn systems(&self) -> impl Iterator<Item = &Arc<CompiledModel>> {
        self.members.iter().map(|member| &member.culled)
    }

    /// A box around all of them.
    pub fn bounds(&self) -> Bounds {
        let each = self.members.iter().map(|one| one.culled.bounds().turned(one.orientation).moved(one.position));
        each.fold(Bounds::NOTHING, Bounds::with)
    }

    /// The compiled file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let members = self.members.iter().map(|one| MemberFile {
            culled: one.culled.to_bytes(),
            position: one.position.to_array(),
            orientation: one.orientation.to_array(),
            reads: one.reads.clone(),
        });
        FILE.seal(&AssemblyFile { name: self.name.clone(), members: members.collect() })
    }

    /// Reads a compiled file.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CullError> {
        let file: AssemblyFile = FILE.open(bytes)?;
        let mut members = Vec::with_capacity(file.members.len());
        for one in file.members {
            let culled = Arc::new(CompiledModel::from_bytes(&one.culled)?);
            let (position, orientation) = (DVec3::from_array(one.position), DQuat::from_array(one.orientation));
            if !position.is_finite() || (orientation.length() - 1.0).abs() > 1e-6 {
                return Err(FILE.damaged("a system stands nowhere").into());
            }
            members.push(CompiledMember { culled, position, orientation, reads: one.reads });
        }
        let fits = |member: &CompiledMember| {
            member.reads.iter().all(|reading| {
                let source = members.get(reading.system).map(|source| source.culled.model.outputs.len());
                source.is_some_and(|outputs| reading.output < outputs)
                    && reading.input < member.culled.model.inputs.len()
            })
        };
        if !members.iter().all(fits) {
            return Err(FILE.damaged("a link leads nowhere").into());
        }
        Ok(Self { name: file.name, members })
    }
}

impl World {
    /// Adds several systems that stand together: each is culled by itself.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn add_assembly(
        &mut self,
        assembly: &CompiledAssembly,
        position: DVec3,
        orientation: DQuat,
    ) -> Result<Vec<SystemId>, CullError> {
        let mut systems = Vec::with_capacity(assembly.members.len());
        for member in &assembly.members {
            let id = self.add(&member.culled, position)?;
            self.place(id, position + orientation * member.position, orientation * member.orientation)?;
            systems.push(id);
        }
        for (member, &to) in assembly.members.iter().zip(&systems) {
            for reading in &member.reads {
                let from = systems[reading.system];
                let output = assembly.members[reading.system].culled.model.outputs[reading.output].name.clone();
                let input = member.culled.model.inputs[reading.input].0.clone();
                self.link(from, &output, to, &input)?;
            }
        }
        Ok(systems)
    }
}
