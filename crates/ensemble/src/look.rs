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
    let colours: Vec<usize> = COLOURS
        .iter()
        .enumerate()
        .map(|(index, &colour)| clip.add_material(Material::new(format!("cloth {index}"), colour).with_roughness(0.9)))
        .collect();
    let parent = clip.add_material(Material::new("rope", PARENT).with_roughness(0.9));
    let blending = clip.add_material(Material::new("in transition", BLENDING).with_roughness(0.9));
    let mut is_parent = vec![false; groups.len()];
    for attachment in groups.iter().filter_map(|group| group.attachment) {
        is_parent[attachment.parent] = true;
    }
    let mut first = 0;
    for (index, group) in groups.iter().enumerate() {
        let material = match (highlight(index), is_parent[index]) {
            (true, _) => blending,
            (_, true) => parent,
            _ => colours[index % colours.len()],
        };
        let range = first..first + group.rest.len();
        first = range.end;
        let mesh = Mesh::smooth(&positions[range], &group.triangles, 0.9)?.with_material(material);
        let mesh = clip.add_mesh(mesh.with_name(group.name.clone()));
        clip.add_node(Node::new(group.name.clone()).with_mesh(mesh));
    }
    Ok(clip)
}
