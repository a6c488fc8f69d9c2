//! From a clip to a file.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use crate::track::same_side;
use crate::{Clip, ClipError, Key, Material, Mesh, Node};

use super::schema::{
    ARRAY_BUFFER, Accessor, Animation, Asset, Attributes, Buffer, BufferView, Channel, Document, ELEMENT_ARRAY_BUFFER,
    Extras, FLOAT, Interpolation, Kind, MOST_ITEMS, MetallicRoughness, Primitive, Sampler, Scene, Target, TargetPath,
    UNSIGNED_INT, UNSIGNED_SHORT,
};
use super::{FORMAT, GlbAdditions, Morph, container, schema};

/// Indices up to this one fit in 16 bits; 65535 itself has another meaning.
const LAST_SHORT_INDEX: usize = 65534;

/// Writes a clip and additions that have been validated.
pub(super) fn write(clip: &Clip, additions: &GlbAdditions) -> Result<Vec<u8>, ClipError> {
    let mut writer = Writer::default();
    let held_node = held_node(clip);
    writer.document.asset = asset(clip, held_node)?;
    writer.document.materials = clip.materials.iter().map(material).collect();
    for mesh in &clip.meshes {
        writer.mesh(mesh);
    }
    for (&mesh, coordinates) in &additions.texture_coordinates {
        let accessor = writer.vectors(Section::Coordinates, Kind::Vec2, coordinates);
        let attributes = &mut writer.document.meshes[mesh].primitives[0].attributes;
        // A second set needs a first.
        (attributes.texcoord_0, attributes.texcoord_1) = (Some(accessor), Some(accessor));
    }
    for morph in &additions.morphs {
        writer.targets(clip, morph);
    }
    writer.nodes(clip);
    writer.animation(clip, held_node, &additions.morphs);
    let (document, binary) = writer.finish();
    if document.accessors.len().max(document.nodes.len()) > MOST_ITEMS {
        return Err(ClipError::TooLarge { what: format!("more than {MOST_ITEMS} nodes or tracks") });
    }
    let json =
        serde_json::to_vec(&document).map_err(|error| ClipError::malformed("the JSON chunk", error.to_string()))?;
    container::join(&json, &binary)
}

/// The node that gets a last key at the end of the clip, if no track reaches
/// it: players take the last key of all for the end.
fn held_node(clip: &Clip) -> Option<usize> {
    let tracks = || clip.nodes.iter().filter_map(|node| node.track.as_ref());
    if tracks().any(|track| track.end_secs() >= clip.duration_secs) {
        return None;
    }
    clip.nodes.iter().position(|node| node.track.is_some())
}

fn asset(clip: &Clip, held_node: Option<usize>) -> Result<Asset, ClipError> {
    let extras = Extras { format: FORMAT, duration_secs: clip.duration_secs, held_node };
    let extras = serde_json::to_value(extras).map_err(|error| ClipError::malformed("asset", error.to_string()))?;
    Ok(Asset {
        version: "2.0".to_string(),
        min_version: None,
        generator: Some(concat!("proscenium ", env!("CARGO_PKG_VERSION")).to_string()),
        extras: Some(serde_json::json!({ "proscenium": extras })),
    })
}

fn named(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| name.to_string())
}

fn material(material: &Material) -> schema::Material {
    schema::Material {
        name: named(&material.name),
        pbr_metallic_roughness: MetallicRoughness {
            base_color_factor: material.base_color,
            metallic_factor: material.metallic,
            roughness_factor: material.roughness,
            base_color_texture: None,
        },
        alpha_mode: (material.base_color[3] < 1.0).then(|| "BLEND".to_string()),
    }
}

/// The parts of the binary chunk, each of which becomes a buffer view.
#[derive(Clone, Copy)]
enum Section {
    Indices,
    Vertices,
    Coordinates,
    Motion,
}

impl Section {
    const ALL: [Section; 4] = [Section::Indices, Section::Vertices, Section::Coordinates, Section::Motion];

    fn target(self) -> Option<u32> {
        match self {
            Section::Indices => Some(ELEMENT_ARRAY_BUFFER),
            Section::Vertices | Section::Coordinates => Some(ARRAY_BUFFER),
            Section::Motion => None,
        }
    }

    /// Vertices of several meshes share a view, which must say how far apart
    /// they are.
    fn stride(self) -> Option<u64> {
        match self {
            Section::Vertices => Some(12),
            Section::Coordinates => Some(8),
            Section::Indices | Section::Motion => None,
        }
    }
}

#[derive(Default)]
struct Writer {
    document: Document,
    sections: [Vec<u8>; 4],
    /// The accessors of times, to use again for tracks with the same times.
    times: BTreeMap<Vec<u8>, usize>,
}

impl Writer {
    fn accessor(&mut self, section: Section, kind: Kind, component_type: u32, count: usize, bytes: &[u8]) -> usize {
        let data = &mut self.sections[section as usize];
        let byte_offset = data.len() as u64;
        data.extend(bytes);
        // Every component is at most four bytes, and aligned to its size.
        data.resize(data.len().next_multiple_of(4), 0);
        self.document.accessors.push(Accessor {
            // The number of the section, until the views are known.
            buffer_view: Some(section as usize),
            byte_offset,
            component_type,
            normalized: false,
            count: count as u64,
            kind,
            min: Vec::new(),
            max: Vec::new(),
            sparse: None,
        });
        self.document.accessors.len() - 1
    }

    fn vectors<const N: usize>(&mut self, section: Section, kind: Kind, vectors: &[[f32; N]]) -> usize {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        self.accessor(section, kind, FLOAT, vectors.len(), &bytes)
    }

    /// Positions, or offsets of positions, which come with their bounds.
    fn positions(&mut self, positions: &[[f32; 3]]) -> usize {
        let accessor = self.vectors(Section::Vertices, Kind::Vec3, positions);
        let bound = |pick: fn(f32, f32) -> f32| {
            let pick = |a: [f32; 3], b: &[f32; 3]| [0, 1, 2].map(|axis| pick(a[axis], b[axis]));
            positions
                .iter()
                .skip(1)
                .fold(positions.first().copied(), |bound, next| bound.map(|bound| pick(bound, next)))
        };
        self.document.accessors[accessor].min = bound(f32::min).into_iter().flatten().collect();
        self.document.accessors[accessor].max = bound(f32::max).into_iter().flatten().collect();
        accessor
    }

    /// The shapes of a mesh, and their names where Blender and three.js look
    /// for them.
    fn targets(&mut self, clip: &Clip, morph: &Morph) {
        let Some(mesh) = clip.nodes[morph.node.0 as usize].mesh else { return };
        for target in &morph.targets {
            let position = Some(self.positions(&target.offsets));
            let attributes = Attributes { position, ..Attributes::default() };
            self.document.meshes[mesh].primitives[0].targets.push(attributes);
        }
        let names: Vec<&str> = morph.targets.iter().map(|target| target.name.as_str()).collect();
        let written = &mut self.document.meshes[mesh];
        written.extras = Some(serde_json::json!({ "targetNames": names }));
        written.weights = Some(morph.weights[..morph.targets.len()].to_vec());
    }

    fn mesh(&mut self, mesh: &Mesh) {
        let position = self.positions(&mesh.positions);
        let normal = self.vectors(Section::Vertices, Kind::Vec3, &mesh.normals);
        let corners = mesh.triangles.iter().flatten();
        let (component_type, bytes): (u32, Vec<u8>) = if mesh.positions.len() <= LAST_SHORT_INDEX + 1 {
            (UNSIGNED_SHORT, corners.flat_map(|&corner| (corner as u16).to_le_bytes()).collect())
        } else {
            (UNSIGNED_INT, corners.flat_map(|corner| corner.to_le_bytes()).collect())
        };
        let indices = self.accessor(Section::Indices, Kind::Scalar, component_type, 3 * mesh.triangles.len(), &bytes);
        self.document.meshes.push(schema::Mesh {
            name: named(&mesh.name),
            primitives: vec![Primitive {
                attributes: Attributes { position: Some(position), normal: Some(normal), ..Attributes::default() },
                indices: Some(indices),
                material: mesh.material,
                mode: None,
                targets: Vec::new(),
            }],
            weights: None,
            extras: None,
        });
    }

    fn nodes(&mut self, clip: &Clip) {
        let mut roots = Vec::new();
        for (index, node) in clip.nodes.iter().enumerate() {
            self.document.nodes.push(placed(node));
            match node.parent {
                // An earlier node, as validated.
                Some(parent) => self.document.nodes[parent.0 as usize].children.push(index),
                None => roots.push(index),
            }
        }
        self.document.scenes.push(Scene { name: named(&clip.name), nodes: roots });
        self.document.scene = Some(0);
    }

    fn animation(&mut self, clip: &Clip, held_node: Option<usize>, morphs: &[Morph]) {
        let mut animation = Animation { name: named(&clip.name), channels: Vec::new(), samplers: Vec::new() };
        for (index, node) in clip.nodes.iter().enumerate() {
            let Some(track) = &node.track else { continue };
            let curves = Curves::new(&track.keys, (held_node == Some(index)).then_some(clip.duration_secs));
            let translations = self.vectors(Section::Motion, Kind::Vec3, &curves.positions);
            let rotations = self.vectors(Section::Motion, Kind::Vec4, &curves.orientations);
            for (path, output, count) in [
                (TargetPath::Translation, translations, curves.positions.len()),
                (TargetPath::Rotation, rotations, curves.orientations.len()),
            ] {
                let input = self.times(&curves.times[..count]);
                animation.push(index, path, input, output);
            }
        }
        for morph in morphs {
            let weights = self.vectors(Section::Motion, Kind::Scalar, morph.weights.as_chunks::<1>().0);
            let input = self.times(&morph.times);
            animation.push(morph.node.0 as usize, TargetPath::Weights, input, weights);
        }
        // An animation of nothing is not allowed.
        if !animation.channels.is_empty() {
            self.document.animations.push(animation);
        }
    }

    fn times(&mut self, times: &[f32]) -> usize {
        let bytes: Vec<u8> = times.iter().flat_map(|time| time.to_le_bytes()).collect();
        if let Some(&accessor) = self.times.get(&bytes) {
            return accessor;
        }
        let accessor = self.accessor(Section::Motion, Kind::Scalar, FLOAT, times.len(), &bytes);
        self.document.accessors[accessor].min = times.first().copied().into_iter().collect();
        self.document.accessors[accessor].max = times.last().copied().into_iter().collect();
        self.times.insert(bytes, accessor);
        accessor
    }

    /// Joins the sections that are not empty, and numbers their views.
    fn finish(mut self) -> (Document, Vec<u8>) {
        let mut binary = Vec::new();
        let mut view_of_section = [0; 4];
        for section in Section::ALL {
            let data = &self.sections[section as usize];
            if data.is_empty() {
                continue;
            }
            view_of_section[section as usize] = self.document.buffer_views.len();
            self.document.buffer_views.push(BufferView {
                buffer: 0,
                byte_offset: binary.len() as u64,
                byte_length: data.len() as u64,
                byte_stride: section.stride(),
                target: section.target(),
            });
            binary.extend(data);
        }
        for accessor in &mut self.document.accessors {
            accessor.buffer_view = accessor.buffer_view.map(|section| view_of_section[section]);
        }
        if !binary.is_empty() {
            self.document.buffers.push(Buffer { byte_length: binary.len() as u64, uri: None });
        }
        (self.document, binary)
    }
}

impl Animation {
    fn push(&mut self, node: usize, path: TargetPath, input: usize, output: usize) {
        let sampler = self.samplers.len();
        self.samplers.push(Sampler { input, output, interpolation: Interpolation::Linear });
        self.channels.push(Channel { sampler, target: Target { node: Some(node), path } });
    }
}

fn placed(node: &Node) -> schema::Node {
    let Key { position, orientation, .. } = node.rest;
    schema::Node {
        name: named(&node.name),
        mesh: node.mesh,
        translation: (position != Vec3::ZERO).then(|| position.to_array()),
        rotation: (orientation != Quat::IDENTITY).then(|| orientation.to_array()),
        scale: (node.scale != Vec3::ONE).then(|| node.scale.to_array()),
        ..schema::Node::default()
    }
}

/// The keys of a track by component; a component that never moves has one.
struct Curves {
    times: Vec<f32>,
    positions: Vec<[f32; 3]>,
    orientations: Vec<[f32; 4]>,
}

impl Curves {
    fn new(keys: &[Key], hold_until: Option<f32>) -> Self {
        let mut curves = Curves {
            times: keys.iter().map(|key| key.time).collect(),
            positions: keys.iter().map(|key| key.position.to_array()).collect(),
            orientations: continuous(keys),
        };
        let still = collapse(&mut curves.positions) & collapse(&mut curves.orientations);
        if let Some(end) = hold_until {
            if still {
                curves.times.truncate(1);
            }
            curves.times.push(end);
            // Whatever has a key for each of the other times gets one more.
            if curves.positions.len() + 1 == curves.times.len() {
                curves.positions.extend(curves.positions.last().copied());
            }
            if curves.orientations.len() + 1 == curves.times.len() {
                curves.orientations.extend(curves.orientations.last().copied());
            }
        }
        curves
    }
}

/// The quaternions of the keys, each with the sign that is nearer to the one
/// before.
fn continuous(keys: &[Key]) -> Vec<[f32; 4]> {
    let mut previous: Option<Quat> = None;
    let mut next = |key: &Key| {
        let orientation = previous.map_or(key.orientation, |previous| same_side(key.orientation, previous));
        previous = Some(orientation);
        orientation.to_array()
    };
    keys.iter().map(&mut next).collect()
}

/// Leaves the first of values that are all the same, to the bit, and tells
/// whether they are.
fn collapse<const N: usize>(values: &mut Vec<[f32; N]>) -> bool {
    let bits = |value: &[f32; N]| value.map(f32::to_bits);
    let constant = values.windows(2).all(|pair| bits(&pair[0]) == bits(&pair[1]));
    if constant {
        values.truncate(1);
    }
    constant
}
