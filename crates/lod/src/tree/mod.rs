//! Volume models: a solid, its mass, and a tree of volumes that bound it ever
//! more closely (chapters 3 and 4).

mod blocks;
mod build;
mod crumbs;
mod file;
mod fit;
mod groups;
mod mass;
mod measure;
mod show;
mod volume;

use std::sync::Arc;

use glam::{DVec3, Vec3};
use proscenium_bodies::Inertia;
use proscenium_geometry::Pose;
use proscenium_work::{Completion, Finish as _, Halt, Progress};
use serde::{Deserialize, Serialize};

pub(crate) use blocks::Block;
pub use measure::LevelMeasure;
pub use volume::{Kind, Volume};

use crate::LodError;
use crate::mesh::SolidMesh;
use crate::world::PRIMITIVE_TESTS;

/// The group of a node without surface.
pub(crate) const NO_GROUP: u32 = u32::MAX;

/// Levels below the root that a tree may have.
pub const DEEPEST: u32 = 7;

/// How a tree is built and what its nodes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TreeKind {
    /// Spheres around the cells of an octree.
    Octree,
    /// Spheres around clusters: fewer, tighter.
    Adaptive,
    /// The cells of an octree themselves (section 4.1.2).
    Voxels,
    /// Clusters in spheres, capsules or swept rectangles (section 4.1.3).
    Swept,
    /// Clusters in whatever fits best, boxes too (section 4.3).
    Mixed,
}

impl TreeKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Octree, Self::Adaptive, Self::Voxels, Self::Swept, Self::Mixed];

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Octree => "octree",
            Self::Adaptive => "adaptive",
            Self::Voxels => "voxels",
            Self::Swept => "swept",
            Self::Mixed => "mixed",
        }
    }

    /// The kind with this name.
    ///
    /// # Errors
    /// When there is none; the error lists them.
    pub fn find(name: &str) -> Result<Self, LodError> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| LodError::Unknown {
            what: "kind of tree",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }

    /// Whether nodes are the cells of an octree.
    pub(crate) fn is_regular(self) -> bool {
        matches!(self, Self::Octree | Self::Voxels)
    }
}

/// What tree to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeSettings {
    /// How it is built.
    pub kind: TreeKind,
    /// Levels below the root, up to [`DEEPEST`].
    pub depth: u32,
}

impl Default for TreeSettings {
    fn default() -> Self {
        Self { kind: TreeKind::Adaptive, depth: 5 }
    }
}

/// A node of a tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// What bounds its part of the solid.
    pub volume: Volume,
    /// ρ: the share of the volume that the part fills (4.2.4).
    pub occupancy: f64,
    /// The outward normal from the gradient of the occupancy; zero where the
    /// sides of the part face all ways.
    pub normal: DVec3,
    pub(crate) group: u32,
    /// Steps from the root.
    pub level: u32,
    pub(crate) first_child: u32,
    pub(crate) children: u8,
    pub(crate) block: u32,
}

impl Node {
    /// The surface group that it covers most of; `None` inside the solid.
    pub fn group(&self) -> Option<u32> {
        (self.group != NO_GROUP).then_some(self.group)
    }

    /// Whether it has no children.
    pub fn is_leaf(&self) -> bool {
        self.children == 0
    }

    /// The indices of its children.
    pub fn children(&self) -> std::ops::Range<usize> {
        let first = self.first_child as usize;
        first..first + usize::from(self.children)
    }
}

/// A solid with its tree. Its frame has the origin in the centre of mass and
/// its axes along the principal axes, as a [`Motion`](proscenium_bodies::Motion)
/// has them.
///
/// ```
/// use proscenium_lod::{TreeKind, TreeSettings, VolumeModel, mesh::built_in};
/// use proscenium_work::Progress;
///
/// let settings = TreeSettings { kind: TreeKind::Octree, depth: 4 };
/// let model = VolumeModel::build("torus", &built_in("torus", 2000)?, settings, &Progress::none())?;
/// let model = model.finished().expect("nobody stops it");
/// let counts: Vec<usize> = (0..=4).map(|level| model.cover(level).len()).collect();
/// assert!(counts[0] == 1 && counts.is_sorted());
/// # Ok::<(), proscenium_lod::LodError>(())
/// ```
#[derive(Clone, Debug)]
pub struct VolumeModel {
    name: String,
    settings: TreeSettings,
    mesh: SolidMesh,
    mesh_from_model: Pose,
    /// For a density of 1.
    inertia: Inertia,
    nodes: Vec<Node>,
    blocks: Vec<Block>,
    /// Centre and reach of every node.
    spheres: Vec<(Vec3, f32)>,
    /// What testing the children of every node against one of each kind can cost.
    descent_costs: Vec<[u32; Kind::ALL.len()]>,
    /// The mean reach of the nodes of each level.
    level_reach: Vec<f64>,
    /// Of the sphere about the centre of mass that holds the root.
    radius: f64,
    groups: u32,
    /// Changes of spin in accurate collisions, times the radius and divided by
    /// the speed of approach; learned when the model is built.
    spins: Arc<[f64]>,
}

/// All children are tested by their spheres, and all but spheres against spheres by
/// their kinds.
fn descent_cost(nodes: &[Node], node: &Node, other: Kind) -> u32 {
    let of = |child: usize| {
        let kind = nodes[child].volume.kind;
        let by_kind = kind != Kind::Sphere || other != Kind::Sphere;
        1 + if by_kind { crate::contact::pair_model(kind, other).cost as u32 } else { 0 }
    };
    node.children().map(of).sum()
}

impl VolumeModel {
    /// Builds a model.
    ///
    /// # Errors
    /// When the tree would be too deep.
    pub fn build(
        name: &str,
        mesh: &SolidMesh,
        settings: TreeSettings,
        progress: &Progress,
    ) -> Result<Completion<Self>, LodError> {
        Self::try_build(name, mesh, settings, progress).finish()
    }

    pub(crate) fn try_build(
        name: &str,
        mesh: &SolidMesh,
        settings: TreeSettings,
        progress: &Progress,
    ) -> Result<Self, Halt<LodError>> {
        if settings.depth > DEEPEST {
            let remedy = "a tree has at most 7 levels below its root";
            return Err(LodError::Number { what: "the depth", value: f64::from(settings.depth), remedy }.into());
        }
        progress.tell("weighing the solid", 0.0)?;
        let (mesh, mesh_from_model, inertia) = mass::in_principal_frame(mesh)?;
        let groups = groups::Groups::new(&mesh, &progress.part(0.05, 0.2))?;
        let crumbs = crumbs::Crumbs::new(&mesh, settings.depth, &groups, &progress.part(0.2, 0.4))?;
        let tree = build::build(&crumbs, settings.kind, settings.depth, &progress.part(0.4, 0.9))?;
        let mut model = Self::assembled(name.to_owned(), settings, mesh, mesh_from_model, inertia, tree.nodes);
        model.groups = groups.count;
        debug_assert_eq!(model.blocks.len(), tree.blocks.len());
        model.spins = crate::response::learn_spins(&model, &progress.part(0.9, 1.0))?.into();
        progress.tell("the tree is built", 1.0)?;
        Ok(model)
    }

    /// A model from its parts; what follows from the nodes is computed.
    fn assembled(
        name: String,
        settings: TreeSettings,
        mesh: SolidMesh,
        mesh_from_model: Pose,
        inertia: Inertia,
        nodes: Vec<Node>,
    ) -> Self {
        let inner = nodes.iter().filter(|node| !node.is_leaf()).count();
        let mut blocks = vec![Block::EMPTY; inner];
        for node in nodes.iter().filter(|node| !node.is_leaf()) {
            for (child, index) in node.children().enumerate() {
                let volume = &nodes[index].volume;
                blocks[node.block as usize].set(child, volume.center, volume.reach());
            }
        }
        let sphere = |node: &Node| {
            let (center, reach) = (node.volume.center, node.volume.reach());
            (center.as_vec3(), (reach + 2e-6 * (center.abs().max_element() + reach)) as f32)
        };
        let spheres = nodes.iter().map(sphere).collect();
        let descent_costs = nodes.iter().map(|node| Kind::ALL.map(|other| descent_cost(&nodes, node, other))).collect();
        let deepest = nodes.iter().map(|node| node.level).max().unwrap_or(0);
        let level_reach = (0..=deepest)
            .map(|level| {
                let of_level = nodes.iter().filter(|node| node.level == level).map(|node| node.volume.reach());
                of_level.clone().sum::<f64>() / of_level.count().max(1) as f64
            })
            .collect();
        let root = &nodes[0].volume;
        let radius = root.center.length() + root.reach();
        let (groups, spins) = (0, Arc::from([]));
        Self {
            name,
            settings,
            mesh,
            mesh_from_model,
            inertia,
            nodes,
            blocks,
            spheres,
            descent_costs,
            level_reach,
            radius,
            groups,
            spins,
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it was built.
    pub fn settings(&self) -> TreeSettings {
        self.settings
    }

    /// The solid, in the frame of the model.
    pub fn mesh(&self) -> &SolidMesh {
        &self.mesh
    }

    /// From the model's frame to that of the mesh it was built from.
    pub fn mesh_from_model(&self) -> &Pose {
        &self.mesh_from_model
    }

    /// Its inertia at a density, kg/m³.
    pub fn inertia(&self, density: f64) -> Inertia {
        Inertia { mass: density * self.inertia.mass, moments: density * self.inertia.moments }
    }

    /// All nodes; the first is the root.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The deepest level.
    pub fn depth(&self) -> u32 {
        self.level_reach.len() as u32 - 1
    }

    /// How many surface groups there are.
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// The radius of a sphere about the centre of mass that holds the root.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The nodes that together cover the solid at a level: those of the level,
    /// and leaves above it.
    pub fn cover(&self, level: u32) -> Vec<usize> {
        let covers = |node: &Node| node.level == level || node.is_leaf() && node.level < level;
        (0..self.nodes.len()).filter(|index| covers(&self.nodes[*index])).collect()
    }

    /// The mean reach of the nodes of a level; of the deepest, beyond it.
    pub(crate) fn level_reach(&self, level: u32) -> f64 {
        self.level_reach[(level as usize).min(self.level_reach.len() - 1)]
    }

    pub(crate) fn block(&self, node: &Node) -> &Block {
        &self.blocks[node.block as usize]
    }

    pub(crate) fn sphere(&self, node: u32) -> (Vec3, f32) {
        self.spheres[node as usize]
    }

    /// What testing the children of a node against a node of some kind can cost, in
    /// node tests.
    pub(crate) fn descent_cost(&self, node: u32, other: Kind) -> u64 {
        u64::from(self.descent_costs[node as usize][other as usize])
    }

    /// What a contact primitive with one of its nodes costs, in node tests.
    pub(crate) fn primitive_cost(&self) -> u64 {
        match self.settings.kind {
            TreeKind::Octree | TreeKind::Adaptive | TreeKind::Voxels => PRIMITIVE_TESTS,
            TreeKind::Swept | TreeKind::Mixed => 2 * PRIMITIVE_TESTS,
        }
    }

    pub(crate) fn is_of_spheres(&self) -> bool {
        matches!(self.settings.kind, TreeKind::Octree | TreeKind::Adaptive)
    }

    /// What accurate collisions do to its spin, without units.
    pub fn spins(&self) -> &[f64] {
        &self.spins
    }
}
