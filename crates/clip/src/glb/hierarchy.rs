//! Nodes of a file.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat4, DQuat, DVec3, Quat, Vec3};

use crate::validate::is_unit;
use crate::{ClipError, Key, Node, NodeId};

use super::read::GlbWarning;
use super::schema::{self, Document};

/// The nodes of a clip, and which of them a node of the file became.
pub(super) struct Hierarchy {
    pub nodes: Vec<Node>,
    pub of_file: Vec<Option<NodeId>>,
}

/// Reads the nodes of the default scene, parents before children and otherwise
/// in the order of the file. A node whose mesh became several gets a child for
/// each but the first.
pub(super) fn hierarchy(
    document: &Document,
    meshes: &[Vec<usize>],
    warnings: &mut Vec<GlbWarning>,
) -> Result<Hierarchy, ClipError> {
    let parents = parents(document)?;
    let order = parents_first(&parents)?;
    let shown = shown(document, &parents, &order)?;
    let hidden = shown.iter().filter(|shown| !**shown).count();
    if hidden > 0 {
        warnings.push(GlbWarning::OutsideScene { nodes: hidden });
    }
    let mut names = Names::default();
    let mut result = Hierarchy { nodes: Vec::new(), of_file: vec![None; document.nodes.len()] };
    for index in order {
        if !shown[index] {
            continue;
        }
        let file = &document.nodes[index];
        let name = names.unique(file.name.as_deref().unwrap_or_default(), || format!("node-{index}"));
        if file.skin.is_some() {
            warnings.push(GlbWarning::Skin { node: name.clone() });
        }
        let parts = match file.mesh {
            Some(mesh) => meshes.get(mesh).ok_or_else(|| {
                let count = meshes.len();
                ClipError::malformed(format!("nodes[{index}]"), format!("it uses mesh {mesh}, and there are {count}"))
            })?,
            None => &Vec::new(),
        };
        let (rest, scale) = placement(file, index, &name, warnings)?;
        let parent = parents[index].and_then(|parent| result.of_file[parent]);
        let id = NodeId(result.nodes.len() as u32);
        result.of_file[index] = Some(id);
        let mesh = parts.first().copied();
        result.nodes.push(Node { name: name.clone(), parent, rest, scale, mesh, track: None });
        for (part, &mesh) in parts.iter().enumerate().skip(1) {
            let name = names.unique(&format!("{name}-part-{}", part + 1), String::new);
            result.nodes.push(Node::new(name).with_parent(id).with_mesh(mesh));
            if result.nodes.len() > schema::MOST_ITEMS {
                return Err(ClipError::malformed(format!("nodes[{index}]"), "it has far too many primitives in all"));
            }
        }
    }
    Ok(result)
}

pub(super) fn parents(document: &Document) -> Result<Vec<Option<usize>>, ClipError> {
    let count = document.nodes.len();
    let mut parents = vec![None; count];
    for (index, node) in document.nodes.iter().enumerate() {
        for &child in &node.children {
            let place = || format!("nodes[{index}].children");
            match parents.get_mut(child) {
                Some(parent @ None) => *parent = Some(index),
                Some(Some(_)) => {
                    return Err(ClipError::malformed(place(), format!("node {child} has a parent already")));
                }
                None => {
                    return Err(ClipError::malformed(place(), format!("there is no node {child}, only {count}")));
                }
            }
        }
    }
    Ok(parents)
}

/// All nodes in an order in which parents come first: the order of the file, if
/// it is one.
pub(super) fn parents_first(parents: &[Option<usize>]) -> Result<Vec<usize>, ClipError> {
    let mut order = Vec::with_capacity(parents.len());
    let mut placed = vec![false; parents.len()];
    let mut waiting = Vec::new();
    for start in 0..parents.len() {
        let mut next = Some(start);
        while let Some(index) = next.filter(|&index| !placed[index]) {
            if waiting.len() > parents.len() {
                return Err(ClipError::malformed(format!("nodes[{index}]"), "it is its own ancestor"));
            }
            waiting.push(index);
            next = parents[index];
        }
        while let Some(index) = waiting.pop() {
            placed[index] = true;
            order.push(index);
        }
    }
    Ok(order)
}

/// Which nodes the default scene shows; all, if there is no scene.
pub(super) fn shown(document: &Document, parents: &[Option<usize>], order: &[usize]) -> Result<Vec<bool>, ClipError> {
    let Some(scene) = super::read::default_scene(document)? else {
        return Ok(vec![true; parents.len()]);
    };
    let mut shown = vec![false; parents.len()];
    for &root in &scene.nodes {
        *shown.get_mut(root).ok_or_else(|| {
            ClipError::malformed("scenes", format!("there is no node {root}, only {}", parents.len()))
        })? = true;
    }
    for &index in order {
        shown[index] |= parents[index].is_some_and(|parent| shown[parent]);
    }
    Ok(shown)
}

/// The rest pose and the scale of a node.
pub(super) fn placement(
    node: &schema::Node,
    index: usize,
    name: &str,
    warnings: &mut Vec<GlbWarning>,
) -> Result<(Key, Vec3), ClipError> {
    let numbers = [
        node.translation.as_ref().map(<[f32; 3]>::as_slice),
        node.rotation.as_ref().map(<[f32; 4]>::as_slice),
        node.scale.as_ref().map(<[f32; 3]>::as_slice),
        node.matrix.as_ref().map(|matrix| matrix.as_slice()),
    ];
    if numbers.into_iter().flatten().flatten().any(|number| !number.is_finite()) {
        return Err(ClipError::malformed(format!("nodes[{index}]"), "its placement is not finite"));
    }
    if let Some(matrix) = &node.matrix {
        return Ok(decompose(&matrix.map(f64::from), name, warnings));
    }
    let rotation = match node.rotation {
        Some(rotation) => unit_quaternion(rotation)
            .ok_or_else(|| ClipError::malformed(format!("nodes[{index}].rotation"), "it has no direction"))?,
        None => Quat::IDENTITY,
    };
    let translation = Vec3::from_array(node.translation.unwrap_or_default());
    Ok((Key::new(0.0, translation, rotation), Vec3::from_array(node.scale.unwrap_or([1.0; 3]))))
}

/// Ours are left as they are; others may be a little off.
pub(super) fn unit_quaternion(rotation: [f32; 4]) -> Option<Quat> {
    let quaternion = Quat::from_array(rotation);
    if is_unit(quaternion) {
        return Some(quaternion);
    }
    let length = quaternion.as_dquat().length();
    (length > 1e-12).then(|| (quaternion.as_dquat() / length).as_quat())
}

/// Splits a matrix into translation, rotation and scale. A shear is left out,
/// with a warning.
fn decompose(matrix: &[f64; 16], name: &str, warnings: &mut Vec<GlbWarning>) -> (Key, Vec3) {
    let matrix = DMat4::from_cols_array(matrix);
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.truncate());
    // A right-handed set of unit axes, by Gram and Schmidt. Axes that vanish
    // are replaced; their scale is zero.
    let x = axes[0].normalize_or(DVec3::X);
    let y = (axes[1] - axes[1].dot(x) * x).normalize_or(x.any_orthonormal_vector());
    let z = x.cross(y);
    let scale = DVec3::new(axes[0].length(), axes[1].length(), axes[2].length().copysign(axes[2].dot(z)));
    let rebuilt = [scale.x * x, scale.y * y, scale.z * z];
    let size = scale.abs().max_element();
    if axes.iter().zip(rebuilt).any(|(axis, rebuilt)| (*axis - rebuilt).length() > 1e-4 * size) {
        warnings.push(GlbWarning::Shear { node: name.to_string() });
    }
    let rotation = DQuat::from_mat3(&glam::DMat3::from_cols(x, y, z)).normalize();
    let translation = matrix.w_axis.truncate();
    (Key::new(0.0, translation.as_vec3(), rotation.as_quat()), scale.as_vec3())
}

/// Names that have been given, so that each is given once.
#[derive(Default)]
pub(super) struct Names {
    given: BTreeSet<String>,
    next: BTreeMap<String, u32>,
}

impl Names {
    pub(super) fn unique(&mut self, wanted: &str, unnamed: impl FnOnce() -> String) -> String {
        let base = if wanted.is_empty() { unnamed() } else { wanted.to_string() };
        let mut name = base.clone();
        while !self.given.insert(name.clone()) {
            let next = self.next.entry(base.clone()).or_insert(1);
            *next += 1;
            name = format!("{base}-{next}");
        }
        name
    }
}
