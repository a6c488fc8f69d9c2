//! A moment of an ensemble as a clip that stands still, to be drawn.

use std::collections::BTreeMap;

use proscenium_clip::{Clip, ClipError, Material, Mesh, Node};

use crate::data::Group;

/// Linear colours for groups, one after another.
const COLOURS: [[f32; 3]; 6] = [
    [0.70, 0.10, 0.08],
    [0.85, 0.55, 0.06],
    [0.08, 0.30, 0.16],
    [0.06, 0.20, 0.48],
    [0.80, 0.78, 0.70],
    [0.35, 0.08, 0.28],
];
/// Linear colours for the parts of plants, by words in their names.
const PARTS: [(&str, [[f32; 3]; 2]); 7] = [
    ("petal", [[0.22, 0.07, 0.45], [0.30, 0.12, 0.55]]),
    ("pistil", [[0.75, 0.50, 0.05], [0.80, 0.60, 0.10]]),
    ("leaf", [[0.07, 0.26, 0.05], [0.11, 0.33, 0.07]]),
    ("blade", [[0.10, 0.28, 0.05], [0.16, 0.36, 0.07]]),
    ("stalk", [[0.16, 0.34, 0.09], [0.14, 0.30, 0.08]]),
    ("stem", [[0.10, 0.24, 0.08], [0.12, 0.27, 0.08]]),
    ("trunk", [[0.22, 0.26, 0.11], [0.22, 0.26, 0.11]]),
];
/// Groups that others hang on.
const PARENT: [f32; 3] = [0.32, 0.24, 0.15];
/// Groups in transition.
const BLENDING: [f32; 3] = [1.0, 0.85, 0.05];

/// The groups where their vertices are now; those for which `highlight` is
/// true glow.
///
/// # Errors
/// Positions that are not finite.
pub fn still(
    name: &str,
    groups: &[Group],
    positions: &[[f32; 3]],
    highlight: impl Fn(usize) -> bool,
) -> Result<Clip, ClipError> {
    let mut clip = Clip::new(name);
    let materials = materials(&mut clip, groups);
    let blending = clip.add_material(Material::new("in transition", BLENDING).with_roughness(0.9));
    let mut first = 0;
    for (index, group) in groups.iter().enumerate() {
        let material = if highlight(index) { blending } else { materials[index] };
        let range = first..first + group.rest.len();
        first = range.end;
        let mesh = Mesh::smooth(&positions[range], &group.triangles, 0.9)?.with_material(material);
        let mesh = clip.add_mesh(mesh.with_name(group.name.clone()));
        clip.add_node(Node::new(group.name.clone()).with_mesh(mesh));
    }
    Ok(clip)
}

/// Adds the groups where their vertices are to a clip of many: one of the instances of a
/// field. What they look like is added once.
///
/// # Errors
/// Positions that are not finite.
pub fn add_groups(clip: &mut Clip, name: &str, groups: &[Group], positions: &[[f32; 3]]) -> Result<(), ClipError> {
    let materials = materials(clip, groups);
    let mut first = 0;
    for (group, material) in groups.iter().zip(materials) {
        let range = first..first + group.rest.len();
        first = range.end;
        let mesh = Mesh::smooth(&positions[range], &group.triangles, 0.9)?.with_material(material);
        let name = format!("{name} {}", group.name);
        let mesh = clip.add_mesh(mesh.with_name(name.clone()));
        clip.add_node(Node::new(name).with_mesh(mesh));
    }
    Ok(())
}

/// A material for each group: that of its part of a plant, if its name says so;
/// else one for all that others hang on, and colours by turns for the rest.
pub(crate) fn materials(clip: &mut Clip, groups: &[Group]) -> Vec<usize> {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut material = |name: String, colour: [f32; 3]| {
        let add = || match clip.materials.iter().position(|material| material.name == name) {
            Some(there) => there,
            None => clip.add_material(Material::new(name.clone(), colour).with_roughness(0.9)),
        };
        *known.entry(name.clone()).or_insert_with(add)
    };
    let mut is_parent = vec![false; groups.len()];
    for attachment in groups.iter().filter_map(|group| group.attachment) {
        is_parent[attachment.parent] = true;
    }
    let mut of_group = |(index, group): (usize, &Group)| {
        let part = PARTS.iter().find(|(word, _)| group.name.contains(word));
        match part {
            Some((word, colours)) => material(format!("{word} {}", index % 2), colours[index % 2]),
            None if is_parent[index] => material("parent".to_owned(), PARENT),
            None => material(format!("colour {}", index % COLOURS.len()), COLOURS[index % COLOURS.len()]),
        }
    };
    groups.iter().enumerate().map(&mut of_group).collect()
}
