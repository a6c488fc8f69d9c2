//! The JSON of glTF 2.0, as far as a clip needs it. What is not listed here is
//! ignored when it is read.

use serde::de::{Deserialize as De, Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A list that is longer than this is refused: an item can take three bytes of
/// JSON and a hundred times that in memory.
pub(super) const MOST_ITEMS: usize = 1 << 21;

/// Component types.
pub(super) const UNSIGNED_SHORT: u32 = 5123;
pub(super) const UNSIGNED_INT: u32 = 5125;
pub(super) const FLOAT: u32 = 5126;

/// What a buffer view is for.
pub(super) const ARRAY_BUFFER: u32 = 34962;
pub(super) const ELEMENT_ARRAY_BUFFER: u32 = 34963;

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub asset: Asset,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions_required: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scene: Option<usize>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub scenes: Vec<Scene>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Node>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub meshes: Vec<Mesh>,
    #[serde(default, deserialize_with = "list", skip_serializing)]
    pub skins: Vec<Skin>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<Material>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub animations: Vec<Animation>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub accessors: Vec<Accessor>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub buffer_views: Vec<BufferView>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<Buffer>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset {
    pub version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extras: Option<Value>,
}

/// What we add to a file, under `asset.extras.proscenium`.
#[derive(Serialize, Deserialize)]
pub(super) struct Extras {
    pub format: u64,
    /// The length of the clip, which may go on after its last key.
    pub duration_secs: f32,
    /// The node whose last key only stands for the end of the clip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_node: Option<usize>,
}

#[derive(Default, Serialize, Deserialize)]
pub(super) struct Scene {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<usize>,
}

#[derive(Default, Serialize, Deserialize)]
pub(super) struct Node {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<usize>,
    #[serde(skip_serializing)]
    pub skin: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translation: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f32; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<Box<[f32; 16]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f32>>,
}

/// Bones that bend a mesh.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: Option<usize>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Mesh {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(deserialize_with = "list")]
    pub primitives: Vec<Primitive>,
    /// How much of each morph target is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub extras: Option<Value>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Primitive {
    pub attributes: Attributes,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indices: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Attributes>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct Attributes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texcoord_0: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texcoord_1: Option<usize>,
    #[serde(skip_serializing)]
    pub joints_0: Option<usize>,
    #[serde(skip_serializing)]
    pub weights_0: Option<usize>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default)]
    pub pbr_metallic_roughness: MetallicRoughness,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha_mode: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct MetallicRoughness {
    pub base_color_factor: [f32; 4],
    pub metallic_factor: f32,
    pub roughness_factor: f32,
    #[serde(skip_serializing)]
    pub base_color_texture: Option<IgnoredAny>,
}

impl Default for MetallicRoughness {
    fn default() -> Self {
        MetallicRoughness {
            base_color_factor: [1.0; 4],
            metallic_factor: 1.0,
            roughness_factor: 1.0,
            base_color_texture: None,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Animation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(deserialize_with = "list")]
    pub channels: Vec<Channel>,
    #[serde(deserialize_with = "list")]
    pub samplers: Vec<Sampler>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Channel {
    pub sampler: usize,
    pub target: Target,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Target {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
    pub path: TargetPath,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TargetPath {
    Translation,
    Rotation,
    Scale,
    Weights,
    /// From an extension.
    #[serde(other)]
    Other,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    #[serde(default)]
    pub interpolation: Interpolation,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Interpolation {
    #[default]
    Linear,
    Step,
    CubicSpline,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_view: Option<usize>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub byte_offset: u64,
    pub component_type: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub normalized: bool,
    pub count: u64,
    #[serde(rename = "type")]
    pub kind: Kind,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub min: Vec<f32>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub max: Vec<f32>,
    #[serde(skip_serializing)]
    pub sparse: Option<Box<Sparse>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Kind {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub count: u64,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub byte_offset: u64,
    pub byte_length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_stride: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub byte_length: u64,
    #[serde(skip_serializing)]
    pub uri: Option<IgnoredAny>,
}

fn is_zero(offset: &u64) -> bool {
    *offset == 0
}

/// A list of at most [`MOST_ITEMS`].
fn list<'de, D: Deserializer<'de>, T: De<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    struct Items<T>(std::marker::PhantomData<T>);

    impl<'de, T: De<'de>> Visitor<'de> for Items<T> {
        type Value = Vec<T>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
            formatter.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<T>, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = sequence.next_element()? {
                if items.len() == MOST_ITEMS {
                    return Err(A::Error::custom(format_args!("a list of more than {MOST_ITEMS} items")));
                }
                items.push(item);
            }
            Ok(items)
        }
    }

    deserializer.deserialize_seq(Items(std::marker::PhantomData))
}
