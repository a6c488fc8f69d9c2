//! The data of a clip.

use glam::{DMat4, Mat4, Quat, Vec3};

/// The index of a node in [`Clip::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// An animation: what there is to see, and how it moves.
///
/// The fields are open, so that a clip can be made and changed in any way;
/// [`Clip::validate`] tells whether it makes sense, and everything that writes
/// a clip asks it first.
///
/// ```
/// use proscenium_clip::{Clip, Key, Material, Node, Track, shapes};
/// use proscenium_clip::glam::{Mat4, Quat, Vec3};
///
/// # fn main() -> Result<(), proscenium_clip::ClipError> {
/// let mut clip = Clip::new("fall");
/// let ivory = clip.add_material(Material::new("ivory", [0.8, 0.75, 0.6]));
/// let ball = clip.add_mesh(shapes::ico_sphere(0.1, 2)?.with_material(ivory));
/// let track = Track {
///     keys: vec![
///         Key::new(0.0, Vec3::Y, Quat::IDENTITY),
///         Key::new(2.0, Vec3::ZERO, Quat::IDENTITY),
///     ],
/// };
/// let node = clip.add_node(Node::new("ball").with_mesh(ball).with_track(track));
/// clip.validate()?;
///
/// assert_eq!(clip.duration_secs, 2.0);
/// assert_eq!(
///     clip.world_from_node(node, 1.0),
///     Some(Mat4::from_translation(0.5 * Vec3::Y))
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// The name of the animation.
    pub name: String,
    /// Its length in seconds; tracks may end earlier, and hold their last key.
    pub duration_secs: f32,
    /// Nodes, parents before children.
    pub nodes: Vec<Node>,
    /// Meshes, referred to by nodes.
    pub meshes: Vec<Mesh>,
    /// Materials, referred to by meshes.
    pub materials: Vec<Material>,
}

/// A named place in the hierarchy, with an optional mesh and motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Unique within the clip.
    pub name: String,
    /// The node that this one moves with; always an earlier node.
    pub parent: Option<NodeId>,
    /// Where it is, relative to its parent, when it has no track.
    pub rest: Key,
    /// The size of the mesh along each axis, and of the children with it, as
    /// glTF has it; not animated.
    pub scale: Vec3,
    /// Index into [`Clip::meshes`].
    pub mesh: Option<usize>,
    /// How it moves, relative to its parent.
    pub track: Option<Track>,
}

/// A place at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Seconds from the start of the clip.
    pub time: f32,
    /// Metres.
    pub position: Vec3,
    /// A unit quaternion.
    pub orientation: Quat,
}

/// A motion: keys at strictly increasing, irregular times, straight in
/// position and along the shorter arc in orientation between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// At least one key.
    pub keys: Vec<Key>,
}

/// Triangles with one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The name, for the reader of the exported file.
    pub name: String,
    /// Metres.
    pub positions: Vec<[f32; 3]>,
    /// One unit normal per position.
    pub normals: Vec<[f32; 3]>,
    /// Indices into `positions`, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Index into [`Clip::materials`].
    pub material: Option<usize>,
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name, for the reader of the exported file.
    pub name: String,
    /// Linear red, green, blue and opacity, each in `[0, 1]`.
    pub base_color: [f32; 4],
    /// 0 (mirror) to 1 (chalk).
    pub roughness: f32,
    /// 0 (stone) or 1 (metal).
    pub metallic: f32,
}

impl Clip {
    /// An empty clip.
    pub fn new(name: impl Into<String>) -> Self {
        Clip { name: name.into(), ..Clip::default() }
    }

    /// Adds a material, and returns its index.
    pub fn add_material(&mut self, material: Material) -> usize {
        self.materials.push(material);
        self.materials.len() - 1
    }

    /// Adds a mesh, and returns its index.
    pub fn add_mesh(&mut self, mesh: Mesh) -> usize {
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    /// Adds a node. The clip becomes as long as the track of the node, if it
    /// was shorter.
    pub fn add_node(&mut self, node: Node) -> NodeId {
        if let Some(last) = node.track.as_ref().and_then(|track| track.keys.last()) {
            self.duration_secs = self.duration_secs.max(last.time);
        }
        // An index beyond u32 cannot be reached: 2^32 nodes do not fit in memory
        // with their names. Saturating makes `validate` refuse such a clip.
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    /// The node with the given name.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        let index = self.nodes.iter().position(|node| node.name == name)?;
        u32::try_from(index).ok().map(NodeId)
    }

    /// The transform from the coordinates of a node (and of its mesh) to the
    /// world's, at a time; `None` if there is no such node.
    ///
    /// For all nodes at once, [`Clip::world_poses`] is faster.
    pub fn world_from_node(&self, node: NodeId, time: f32) -> Option<Mat4> {
        let mut index = node.0 as usize;
        let mut world = self.nodes.get(index)?.parent_from_node(time);
        // A parent is an earlier node, which bounds the walk even in a clip
        // that was never validated.
        while let Some(parent) = self.nodes[index].parent {
            let earlier = parent.0 as usize;
            if earlier >= index {
                break;
            }
            index = earlier;
            world = self.nodes[index].parent_from_node(time) * world;
        }
        Some(world.as_mat4())
    }

    /// The transforms of all nodes to the world at a time, one per node, in
    /// the order of [`Clip::nodes`]. What `poses` held before is discarded.
    pub fn world_poses(&self, time: f32, poses: &mut Vec<Mat4>) {
        poses.clear();
        poses.reserve(self.nodes.len());
        for node in &self.nodes {
            let local = node.parent_from_node(time);
            let parent = node.parent.and_then(|id| poses.get(id.0 as usize));
            poses.push(match parent {
                Some(parent) => (parent.as_dmat4() * local).as_mat4(),
                None => local.as_mat4(),
            });
        }
    }
}

impl Node {
    /// A node at the origin, without mesh, motion or parent.
    pub fn new(name: impl Into<String>) -> Self {
        Node { name: name.into(), parent: None, rest: Key::IDENTITY, scale: Vec3::ONE, mesh: None, track: None }
    }

    /// The same node, moving with a parent.
    pub fn with_parent(mut self, parent: NodeId) -> Self {
        self.parent = Some(parent);
        self
    }

    /// The same node, showing a mesh.
    pub fn with_mesh(mut self, mesh: usize) -> Self {
        self.mesh = Some(mesh);
        self
    }

    /// The same node, at a place relative to its parent.
    pub fn with_rest(mut self, position: Vec3, orientation: Quat) -> Self {
        self.rest = Key::new(0.0, position, orientation);
        self
    }

    /// The same node, stretched along its axes.
    pub fn with_scale(mut self, scale: Vec3) -> Self {
        self.scale = scale;
        self
    }

    /// The same node, moving; it rests where the motion begins.
    pub fn with_track(mut self, track: Track) -> Self {
        if let Some(first) = track.keys.first() {
            self.rest = Key { time: 0.0, ..*first };
        }
        self.track = Some(track);
        self
    }

    /// Where the node is at a time, relative to its parent.
    pub fn pose(&self, time: f32) -> Key {
        match &self.track {
            Some(track) if !track.keys.is_empty() => track.sample(time),
            _ => self.rest,
        }
    }

    /// The transform to the coordinates of the parent. In f64, whose glam types
    /// are scalar on every platform and therefore round alike.
    fn parent_from_node(&self, time: f32) -> DMat4 {
        let pose = self.pose(time);
        DMat4::from_scale_rotation_translation(
            self.scale.as_dvec3(),
            pose.orientation.as_dquat(),
            pose.position.as_dvec3(),
        )
    }
}

impl Key {
    /// At the origin, unturned, at time zero.
    pub const IDENTITY: Key = Key { time: 0.0, position: Vec3::ZERO, orientation: Quat::IDENTITY };

    /// A place at a moment.
    pub const fn new(time: f32, position: Vec3, orientation: Quat) -> Self {
        Key { time, position, orientation }
    }
}

impl Mesh {
    /// The same mesh with a name.
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same mesh in a material.
    pub fn with_material(mut self, material: usize) -> Self {
        self.material = Some(material);
        self
    }
}

impl Material {
    /// An opaque, half-rough, non-metallic material of a linear colour.
    pub fn new(name: impl Into<String>, color: [f32; 3]) -> Self {
        let [red, green, blue] = color;
        Material { name: name.into(), base_color: [red, green, blue, 1.0], roughness: 0.5, metallic: 0.0 }
    }

    /// The same material, 0 (invisible) to 1 (opaque).
    pub fn with_opacity(mut self, opacity: f32) -> Self {
        self.base_color[3] = opacity;
        self
    }

    /// The same material, 0 (mirror) to 1 (chalk).
    pub fn with_roughness(mut self, roughness: f32) -> Self {
        self.roughness = roughness;
        self
    }

    /// The same material, 0 (stone) or 1 (metal).
    pub fn with_metallic(mut self, metallic: f32) -> Self {
        self.metallic = metallic;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm() -> Clip {
        let mut clip = Clip::new("arm");
        let turn = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
        let shoulder = clip.add_node(Node::new("shoulder").with_rest(Vec3::Y, turn).with_scale(Vec3::splat(2.0)));
        let swing =
            Track { keys: vec![Key::new(0.0, Vec3::X, Quat::IDENTITY), Key::new(1.0, 3.0 * Vec3::X, Quat::IDENTITY)] };
        clip.add_node(Node::new("hand").with_parent(shoulder).with_track(swing));
        clip
    }

    #[test]
    fn parents_carry_their_children() {
        let clip = arm();
        let hand = clip.node("hand").unwrap();
        let world = clip.world_from_node(hand, 0.5).unwrap();
        // Scaled to 4 m along x, turned to −z, lifted by 1 m.
        let tip = world.transform_point3(Vec3::ZERO);
        assert!(tip.abs_diff_eq(Vec3::new(0.0, 1.0, -4.0), 1e-5), "{tip}");
    }

    #[test]
    fn all_poses_equal_single_poses() {
        let clip = arm();
        let mut poses = vec![Mat4::ZERO; 7];
        clip.world_poses(0.3, &mut poses);
        assert_eq!(poses.len(), 2);
        for (index, pose) in poses.iter().enumerate() {
            let single = clip.world_from_node(NodeId(index as u32), 0.3).unwrap();
            assert!(pose.abs_diff_eq(single, 1e-5));
        }
        assert_eq!(clip.world_from_node(NodeId(2), 0.0), None);
    }

    #[test]
    fn a_parent_that_is_not_earlier_does_not_hang() {
        let mut clip = arm();
        clip.nodes[0].parent = Some(NodeId(1));
        assert!(clip.world_from_node(NodeId(1), 0.0).is_some());
        clip.world_poses(0.0, &mut Vec::new());
    }

    #[test]
    fn nodes_lengthen_the_clip() {
        assert_eq!(arm().duration_secs, 1.0);
    }
}
