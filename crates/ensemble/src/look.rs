//! A moment of an ensemble as a clip that stands still, to be drawn.

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

/// A material for each group: one for all that others hang on, and colours by
/// turns for the rest.
pub(crate) fn materials(clip: &mut Clip, groups: &[Group]) -> Vec<usize> {
    let mut colour = |(index, &colour): (usize, &[f32; 3])| {
        clip.add_material(Material::new(format!("colour {index}"), colour).with_roughness(0.9))
    };
    let colours: Vec<usize> = COLOURS.iter().enumerate().map(&mut colour).collect();
    let parent = clip.add_material(Material::new("parent", PARENT).with_roughness(0.9));
    let mut is_parent = vec![false; groups.len()];
    for attachment in groups.iter().filter_map(|group| group.attachment) {
        is_parent[attachment.parent] = true;
    }
    let by_turns = |(index, is_parent)| if is_parent { parent } else { colours[index % colours.len()] };
    is_parent.into_iter().enumerate().map(by_turns).collect()
}
