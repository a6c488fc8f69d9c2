//! From a file to its deforming meshes.

use std::collections::BTreeMap;

use glam::{DMat4, DQuat, DVec3};

use crate::ClipError;

use super::super::accessor::Source;
use super::super::hierarchy::{self, Names};
use super::super::schema::{self, Document, Kind, TargetPath};
use super::super::{container, geometry, read};
use super::curve::Curve;
use super::{Channel, DeformingGlb, DeformingPart, Joint, Motion, Placement, Skin, Target};

pub(super) fn load(file: &[u8]) -> Result<DeformingGlb, ClipError> {
    let (json, binary) = container::split(file)?;
    let document: Document =
        serde_json::from_slice(json).map_err(|error| ClipError::malformed("the JSON chunk", error.to_string()))?;
    read::check_version(&document)?;
    let mut source = Source::new(&document, binary, file.len());
    let parents = hierarchy::parents(&document)?;
    let order = hierarchy::parents_first(&parents)?;
    let shown = hierarchy::shown(&document, &parents, &order)?;
    let mut nodes = Vec::with_capacity(parents.len());
    for (index, node) in document.nodes.iter().enumerate() {
        nodes.push(Joint { parent: parents[index], rest: placement(node, index)? });
    }
    let skins = skins(&mut source)?;
    let parts = parts(&mut source, &parents, &order, &shown, &skins)?;
    let mut animations = Vec::with_capacity(document.animations.len());
    for index in 0..document.animations.len() {
        animations.push(animation(&mut source, index, &mut nodes)?);
    }
    Ok(DeformingGlb { nodes, order, skins, parts, animations })
}

fn placement(node: &schema::Node, index: usize) -> Result<Placement, ClipError> {
    // The checks, and the words for what they refuse, are those of a clip.
    let (rest, scale) = hierarchy::placement(node, index, "", &mut Vec::new())?;
    Ok(match &node.matrix {
        Some(matrix) => Placement::Matrix(DMat4::from_cols_array(&matrix.map(f64::from))),
        None => Placement::Parts {
            translation: rest.position.as_dvec3(),
            rotation: rest.orientation.as_dquat().normalize(),
            scale: scale.as_dvec3(),
        },
    })
}

fn skins(source: &mut Source) -> Result<Vec<Skin>, ClipError> {
    let document = source.document;
    let mut skins = Vec::with_capacity(document.skins.len());
    for (index, skin) in document.skins.iter().enumerate() {
        let place = format!("skins[{index}]");
        if let Some(joint) = skin.joints.iter().find(|&&joint| joint >= document.nodes.len()) {
            return Err(ClipError::malformed(place, format!("there is no node {joint}")));
        }
        let inverse_binds = match skin.inverse_bind_matrices {
            Some(accessor) => {
                let matrices = source.accessor(accessor, Kind::Mat4, &place)?.vectors::<16>(source, &place)?;
                matrices.iter().map(|matrix| DMat4::from_cols_array(&matrix.map(f64::from))).collect()
            }
            None => vec![DMat4::IDENTITY; skin.joints.len()],
        };
        if inverse_binds.len() < skin.joints.len() {
            let (matrices, joints) = (inverse_binds.len(), skin.joints.len());
            return Err(ClipError::malformed(place, format!("it has {matrices} matrices for {joints} joints")));
        }
        skins.push(Skin { joints: skin.joints.clone(), inverse_binds });
    }
    Ok(skins)
}

/// One part for each shown node with triangles, in the order of the file.
fn parts(
    source: &mut Source,
    parents: &[Option<usize>],
    order: &[usize],
    shown: &[bool],
    skins: &[Skin],
) -> Result<Vec<DeformingPart>, ClipError> {
    let document = source.document;
    let mut names = Names::default();
    let mut parts: Vec<DeformingPart> = Vec::new();
    let mut part_of_node = vec![None; document.nodes.len()];
    for (index, node) in document.nodes.iter().enumerate() {
        let Some(mesh) = node.mesh.filter(|_| shown[index]) else { continue };
        let place = format!("nodes[{index}]");
        let count = document.meshes.len();
        let mesh = document
            .meshes
            .get(mesh)
            .ok_or_else(|| ClipError::malformed(&place, format!("it uses mesh {mesh}, and there are {count}")))?;
        let skin = match node.skin {
            Some(skin) => Some(skins.get(skin).map(|found| (skin, found)).ok_or_else(|| {
                ClipError::malformed(&place, format!("it uses skin {skin}, and there are {}", skins.len()))
            })?),
            None => None,
        };
        let mut corners = Corners::default();
        for (primitive, data) in mesh.primitives.iter().enumerate() {
            let place = format!("{place} with primitive {primitive} of its mesh");
            corners.append(source, data, skin.map(|(_, skin)| skin), &place)?;
        }
        if corners.triangles.is_empty() {
            continue;
        }
        let weights = node.weights.as_ref().or(mesh.weights.as_ref()).cloned().unwrap_or_default();
        let name = names.unique(node.name.as_deref().unwrap_or_default(), || format!("node-{index}"));
        part_of_node[index] = Some(parts.len());
        parts.push(corners.weld(name, index, skin.map(|(index, _)| index), &weights));
    }
    // The nearest ancestor with a part of its own, handed down from parents to children.
    let mut above = part_of_node.clone();
    for &index in order {
        let inherited = parents[index].and_then(|parent| above[parent]);
        if let Some(part) = part_of_node[index] {
            parts[part].parent = inherited;
        } else {
            above[index] = inherited;
        }
    }
    Ok(parts)
}

/// The vertices of all primitives of a mesh, as the file has them.
#[derive(Default)]
struct Corners {
    positions: Vec<[f32; 3]>,
    targets: Vec<Vec<[f32; 3]>>,
    joints: Vec<[f32; 4]>,
    weights: Vec<[f32; 4]>,
    triangles: Vec<[u32; 3]>,
}

impl Corners {
    fn append(
        &mut self,
        source: &mut Source,
        primitive: &schema::Primitive,
        skin: Option<&Skin>,
        place: &str,
    ) -> Result<(), ClipError> {
        let Some(position) = primitive.attributes.position.filter(|_| geometry::has_triangles(primitive)) else {
            return Ok(());
        };
        let positions: Vec<[f32; 3]> = source.accessor(position, Kind::Vec3, place)?.vectors(source, place)?;
        let count = positions.len();
        let triangles = geometry::triangles(source, primitive, count as u64, place)?;
        let base = self.positions.len() as u32;
        self.positions.extend(positions);
        self.triangles.extend(triangles.iter().map(|triangle| triangle.map(|corner| base + corner)));
        let same_count = |found: usize| match found == count {
            true => Ok(()),
            false => Err(ClipError::malformed(place, format!("an attribute has {found} items for {count} positions"))),
        };
        for (index, target) in primitive.targets.iter().enumerate() {
            if self.targets.len() <= index {
                self.targets.push(vec![[0.0; 3]; base as usize]);
            }
            match target.position {
                Some(accessor) => {
                    let offsets: Vec<[f32; 3]> =
                        source.accessor(accessor, Kind::Vec3, place)?.vectors(source, place)?;
                    same_count(offsets.len())?;
                    self.targets[index].extend(offsets);
                }
                None => self.targets[index].resize(base as usize + count, [0.0; 3]),
            }
        }
        for target in &mut self.targets {
            source.charge::<[f32; 3]>(place, count as u64)?;
            target.resize(base as usize + count, [0.0; 3]);
        }
        let Some(skin) = skin else { return Ok(()) };
        let (Some(joints), Some(weights)) = (primitive.attributes.joints_0, primitive.attributes.weights_0) else {
            return Err(ClipError::malformed(place, "its node has a skin, but it has no joints and weights"));
        };
        let joints: Vec<[f32; 4]> = source.accessor(joints, Kind::Vec4, place)?.vectors(source, place)?;
        let weights: Vec<[f32; 4]> = source.accessor(weights, Kind::Vec4, place)?.vectors(source, place)?;
        same_count(joints.len())?;
        same_count(weights.len())?;
        let limit = skin.joints.len() as f32;
        let outside = |joint: &&f32| !(0.0..limit).contains(*joint);
        if let Some(joint) = joints.as_flattened().iter().find(outside) {
            return Err(ClipError::malformed(place, format!("there is no joint {joint} in its skin of {limit}")));
        }
        self.joints.extend(joints);
        self.weights.extend(weights);
        Ok(())
    }

    /// Joins the vertices that are alike in everything. Exporters split a
    /// vertex wherever its normal or texture coordinate has several values.
    fn weld(self, name: String, node: usize, skin: Option<usize>, weights: &[f32]) -> DeformingPart {
        let mut part = DeformingPart {
            name,
            parent: None,
            triangles: Vec::new(),
            node,
            skin,
            rest: Vec::new(),
            targets: vec![Vec::new(); self.targets.len()],
            weights: weights.iter().map(|&weight| f64::from(weight)).collect(),
            ends: Vec::new(),
            influences: Vec::new(),
        };
        part.weights.resize(self.targets.len(), 0.0);
        let mut of_key: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        let mut of_corner = Vec::with_capacity(self.positions.len());
        for corner in 0..self.positions.len() {
            let next = part.rest.len() as u32;
            let vertex = *of_key.entry(self.key(corner)).or_insert(next);
            of_corner.push(vertex);
            if vertex == next {
                part.rest.push(self.positions[corner]);
                for (target, offsets) in part.targets.iter_mut().zip(&self.targets) {
                    target.push(offsets[corner]);
                }
                part.influences.extend(self.influences(corner));
                part.ends.push(part.influences.len() as u32);
            }
        }
        part.triangles =
            self.triangles.iter().map(|triangle| triangle.map(|corner| of_corner[corner as usize])).collect();
        part
    }

    fn key(&self, corner: usize) -> Vec<u32> {
        let vectors = std::iter::once(&self.positions).chain(&self.targets);
        // Adding zero makes −0 and 0 the same coordinate.
        let mut key: Vec<u32> = vectors.flat_map(|vectors| vectors[corner].map(|x| (x + 0.0).to_bits())).collect();
        for vectors in [&self.joints, &self.weights] {
            key.extend(vectors.get(corner).into_iter().flatten().map(|x| (x + 0.0).to_bits()));
        }
        key
    }

    /// The joints that move a vertex, with weights that sum to one.
    fn influences(&self, corner: usize) -> Vec<(u16, f32)> {
        let (Some(joints), Some(weights)) = (self.joints.get(corner), self.weights.get(corner)) else {
            return Vec::new();
        };
        let sum: f32 = weights.iter().sum();
        if sum <= 0.0 {
            return vec![(joints[0] as u16, 1.0)];
        }
        let some = joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        some.map(|(&joint, &weight)| (joint as u16, weight / sum)).collect()
    }
}

fn animation(source: &mut Source, index: usize, nodes: &mut [Joint]) -> Result<Motion, ClipError> {
    let document = source.document;
    let file = &document.animations[index];
    let name = file.name.clone().unwrap_or_else(|| format!("animation-{index}"));
    let mut motion = Motion { name, duration_secs: 0.0, channels: Vec::new() };
    for (channel, data) in file.channels.iter().enumerate() {
        let place = format!("animations[{index}].channels[{channel}]");
        let Some(node) = data.target.node else { continue };
        let sampler = file
            .samplers
            .get(data.sampler)
            .ok_or_else(|| ClipError::malformed(&place, format!("there is no sampler {}", data.sampler)))?;
        let count = nodes.len();
        let joint = nodes
            .get_mut(node)
            .ok_or_else(|| ClipError::malformed(&place, format!("there is no node {node}, only {count}")))?;
        let (target, kind, width) = match data.target.path {
            TargetPath::Translation => (Target::Translation, Kind::Vec3, 3),
            TargetPath::Rotation => (Target::Rotation, Kind::Vec4, 4),
            TargetPath::Scale => (Target::Scale, Kind::Vec3, 3),
            TargetPath::Weights => (Target::Weights, Kind::Scalar, targets(document, node)),
            TargetPath::Other => continue,
        };
        if width == 0 {
            continue;
        }
        let curve = Curve::load(source, sampler, kind, width, &place)?;
        if target != Target::Weights
            && let Placement::Matrix(matrix) = joint.rest
        {
            let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
            joint.rest = parts_of(scale, rotation, translation);
        }
        motion.duration_secs = motion.duration_secs.max(curve.end_secs());
        motion.channels.push(Channel { node, target, curve });
    }
    Ok(motion)
}

fn parts_of(scale: DVec3, rotation: DQuat, translation: DVec3) -> Placement {
    Placement::Parts { translation, rotation: if rotation.is_finite() { rotation } else { DQuat::IDENTITY }, scale }
}

/// How many morph targets the mesh of a node has.
fn targets(document: &Document, node: usize) -> usize {
    let mesh = document.nodes[node].mesh.and_then(|mesh| document.meshes.get(mesh));
    let counts = mesh.iter().flat_map(|mesh| &mesh.primitives).map(|primitive| primitive.targets.len());
    counts.max().unwrap_or(0)
}
