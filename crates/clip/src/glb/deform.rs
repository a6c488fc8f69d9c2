//! Meshes that bend: morph targets, skins and moving nodes, evaluated to the
//! places of vertices.
//!
//! A [`Clip`](crate::Clip) holds what moves rigidly; this holds the rest of
//! what a file says about motion. Everything is evaluated at the moment that is
//! asked for, as glTF defines it, so that nothing is approximated on the way.

mod curve;
mod load;

use std::path::Path;

use glam::{DMat4, DQuat, DVec3};
use proscenium_work::read_file;

use crate::ClipError;

use curve::Curve;

/// Meshes of a `.glb` file that move in any of the ways of glTF, and the
/// animations that move them.
///
/// ```
/// use proscenium_clip::{Clip, DeformingGlb, Node, shapes};
///
/// # fn main() -> Result<(), proscenium_clip::ClipError> {
/// let mut clip = Clip::new("still life");
/// let apple = clip.add_mesh(shapes::ico_sphere(0.04, 1)?);
/// clip.add_node(Node::new("apple").with_mesh(apple));
/// let deforming = DeformingGlb::from_glb(&clip.to_glb()?)?;
/// assert_eq!(deforming.parts()[0].name, "apple");
/// let places = deforming.positions(None, 0.0);
/// assert_eq!(places[0].len(), deforming.parts()[0].vertices());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DeformingGlb {
    nodes: Vec<Joint>,
    /// Nodes, parents first.
    order: Vec<usize>,
    skins: Vec<Skin>,
    parts: Vec<DeformingPart>,
    animations: Vec<Motion>,
}

/// The mesh of one node: all its primitives, with vertices that are one in
/// every way (place, targets, joints) joined.
#[derive(Clone, Debug)]
pub struct DeformingPart {
    /// The name of the node; unique within the file.
    pub name: String,
    /// The nearest ancestor of the node that has a mesh too, as an index into
    /// [`DeformingGlb::parts`].
    pub parent: Option<usize>,
    /// Indices of vertices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    node: usize,
    skin: Option<usize>,
    rest: Vec<[f32; 3]>,
    /// For each target, how far it moves each vertex.
    targets: Vec<Vec<[f32; 3]>>,
    weights: Vec<f64>,
    /// For each vertex, where its influences end in `influences`.
    ends: Vec<u32>,
    influences: Vec<(u16, f32)>,
}

impl DeformingPart {
    /// How many vertices it has.
    pub fn vertices(&self) -> usize {
        self.rest.len()
    }
}

/// A node, and where it is without an animation.
#[derive(Clone, Debug)]
struct Joint {
    parent: Option<usize>,
    rest: Placement,
}

#[derive(Clone, Debug)]
enum Placement {
    Matrix(DMat4),
    Parts { translation: DVec3, rotation: DQuat, scale: DVec3 },
}

#[derive(Clone, Debug)]
struct Skin {
    joints: Vec<usize>,
    inverse_binds: Vec<DMat4>,
}

#[derive(Clone, Debug)]
struct Motion {
    name: String,
    duration_secs: f64,
    channels: Vec<Channel>,
}

#[derive(Clone, Debug)]
struct Channel {
    node: usize,
    target: Target,
    curve: Curve,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// What an animation makes of the nodes at a moment.
struct Pose {
    world_from_node: Vec<DMat4>,
    /// For each node whose weights are animated, these.
    weights: Vec<Option<Vec<f64>>>,
}

impl DeformingGlb {
    /// Reads the bytes of a `.glb` file.
    ///
    /// # Errors
    ///
    /// What is malformed or cannot be read at all, and where. Memory stays in
    /// proportion to the size of the file, whatever it claims.
    pub fn from_glb(bytes: &[u8]) -> Result<DeformingGlb, ClipError> {
        load::load(bytes)
    }

    /// Reads a `.glb` file; see [`DeformingGlb::from_glb`].
    ///
    /// # Errors
    ///
    /// What [`DeformingGlb::from_glb`] refuses, and what the file system does.
    pub fn read_glb(path: impl AsRef<Path>) -> Result<DeformingGlb, ClipError> {
        let path = path.as_ref();
        let bytes = read_file(path, u64::MAX).map_err(|source| ClipError::Io {
            action: "read",
            path: path.to_path_buf(),
            source,
        })?;
        DeformingGlb::from_glb(&bytes)
            .map_err(|error| ClipError::File { path: path.to_path_buf(), source: Box::new(error) })
    }

    /// The meshes, in the order of their nodes in the file.
    pub fn parts(&self) -> &[DeformingPart] {
        &self.parts
    }

    /// The name and the length in seconds of each animation.
    pub fn animations(&self) -> impl ExactSizeIterator<Item = (&str, f64)> {
        self.animations.iter().map(|motion| (motion.name.as_str(), motion.duration_secs))
    }

    /// Where the vertices of each part are at a moment of an animation, in the
    /// world; at rest if there is no such animation. Before its first key and
    /// after its last, an animation holds still.
    pub fn positions(&self, animation: Option<usize>, time_secs: f64) -> Vec<Vec<[f32; 3]>> {
        let motion = animation.and_then(|index| self.animations.get(index));
        let pose = self.pose(motion, time_secs);
        self.parts.iter().map(|part| self.deform(part, &pose)).collect()
    }

    fn pose(&self, motion: Option<&Motion>, time_secs: f64) -> Pose {
        let mut local: Vec<Placement> = self.nodes.iter().map(|node| node.rest.clone()).collect();
        let mut weights = vec![None; self.nodes.len()];
        for channel in motion.iter().flat_map(|motion| &motion.channels) {
            let value = channel.curve.at(time_secs, channel.target == Target::Rotation);
            match (&mut local[channel.node], channel.target) {
                (_, Target::Weights) => weights[channel.node] = Some(value),
                (Placement::Parts { translation, .. }, Target::Translation) => *translation = vector(&value),
                (Placement::Parts { scale, .. }, Target::Scale) => *scale = vector(&value),
                (Placement::Parts { rotation, .. }, Target::Rotation) => {
                    *rotation = DQuat::from_xyzw(value[0], value[1], value[2], value[3]);
                }
                // glTF forbids animating a node with a matrix; loading turned it into parts.
                (Placement::Matrix(_), _) => {}
            }
        }
        let mut world_from_node = vec![DMat4::IDENTITY; self.nodes.len()];
        for &index in &self.order {
            let own = local[index].matrix();
            world_from_node[index] = match self.nodes[index].parent {
                Some(parent) => world_from_node[parent] * own,
                None => own,
            };
        }
        Pose { world_from_node, weights }
    }

    fn deform(&self, part: &DeformingPart, pose: &Pose) -> Vec<[f32; 3]> {
        let weights = pose.weights[part.node].as_ref().unwrap_or(&part.weights);
        let mut places: Vec<DVec3> = part.rest.iter().map(|place| double(*place)).collect();
        for (target, &weight) in part.targets.iter().zip(weights) {
            if weight != 0.0 {
                for (place, offset) in places.iter_mut().zip(target) {
                    *place += weight * double(*offset);
                }
            }
        }
        let placed: Vec<DVec3> = match part.skin.map(|skin| &self.skins[skin]) {
            None => {
                let world_from_mesh = pose.world_from_node[part.node];
                places.iter().map(|place| world_from_mesh.transform_point3(*place)).collect()
            }
            Some(skin) => {
                let bones: Vec<DMat4> = (skin.joints.iter().zip(&skin.inverse_binds))
                    .map(|(&joint, inverse_bind)| pose.world_from_node[joint] * *inverse_bind)
                    .collect();
                let starts = std::iter::once(0).chain(part.ends.iter().copied());
                (places.iter().zip(starts.zip(&part.ends)))
                    .map(|(place, (start, &end))| {
                        skinned(*place, &part.influences[start as usize..end as usize], &bones)
                    })
                    .collect()
            }
        };
        placed.iter().map(|place| place.as_vec3().to_array()).collect()
    }
}

fn skinned(place: DVec3, influences: &[(u16, f32)], bones: &[DMat4]) -> DVec3 {
    let moved = |&(bone, weight): &(u16, f32)| f64::from(weight) * bones[bone as usize].transform_point3(place);
    influences.iter().map(moved).fold(DVec3::ZERO, |sum, place| sum + place)
}

impl Placement {
    fn matrix(&self) -> DMat4 {
        match self {
            Placement::Matrix(matrix) => *matrix,
            Placement::Parts { translation, rotation, scale } => {
                DMat4::from_scale_rotation_translation(*scale, *rotation, *translation)
            }
        }
    }
}

fn vector(value: &[f64]) -> DVec3 {
    DVec3::new(value[0], value[1], value[2])
}

fn double(vector: [f32; 3]) -> DVec3 {
    glam::Vec3::from_array(vector).as_dvec3()
}
