//! Models to look at.

use glam::{Quat, Vec3};
use proscenium_clip::{Clip, Material, Mesh, Node, shapes};
use proscenium_work::{Completion, Finish as _, Halt, Progress};

use super::{Kind, VolumeModel};
use crate::LodError;

/// Colours by surface group, linear; they repeat.
const COLOURS: [[f32; 3]; 8] = [
    [0.80, 0.30, 0.16],
    [0.16, 0.42, 0.70],
    [0.85, 0.62, 0.10],
    [0.20, 0.55, 0.28],
    [0.55, 0.26, 0.58],
    [0.10, 0.55, 0.55],
    [0.75, 0.38, 0.48],
    [0.42, 0.42, 0.44],
];

impl VolumeModel {
    /// The solid as a mesh for clips.
    ///
    /// # Errors
    /// When a coordinate does not fit in 32 bits.
    pub fn clip_mesh(&self) -> Result<Mesh, LodError> {
        let positions: Vec<[f32; 3]> = self.mesh.vertices.iter().map(|vertex| vertex.as_vec3().to_array()).collect();
        let mesh = Mesh::smooth(&positions, &self.mesh.triangles, 0.6).map_err(clip_error)?;
        Ok(mesh.with_name(self.name.as_str()))
    }

    /// The volumes of a level as a clip, coloured by surface group.
    ///
    /// # Errors
    /// When a volume cannot be drawn.
    pub fn level_clip(&self, level: u32, progress: &Progress) -> Result<Completion<Clip>, LodError> {
        self.try_level_clip(level, progress).finish()
    }

    fn try_level_clip(&self, level: u32, progress: &Progress) -> Result<Clip, Halt<LodError>> {
        let mut clip = Clip::new(format!("{} level {level}", self.name));
        for (number, colour) in COLOURS.iter().enumerate() {
            clip.add_material(Material::new(format!("group {number}"), *colour));
        }
        let cover = self.cover(level);
        let fineness = if cover.len() > 500 { 1 } else { 3 };
        let nodes = progress.counter("shaping the nodes", cover.len());
        for index in cover {
            nodes.count()?;
            let node = &self.nodes[index];
            let colour = node.group().map_or(COLOURS.len() - 1, |group| group as usize % (COLOURS.len() - 1));
            let volume = &node.volume;
            let half = volume.axes.map(|axis| axis.length() as f32);
            let radius = volume.radius as f32;
            let mesh = match volume.kind {
                Kind::Sphere => shapes::ico_sphere(radius, fineness),
                Kind::Line => shapes::capsule(radius, 2.0 * half[0], 16),
                Kind::Rectangle => {
                    let size = 2.0 * Vec3::new(half[0] + radius, half[1] + radius, radius);
                    shapes::cuboid(size, 0.99 * radius)
                }
                Kind::Box => shapes::cuboid(2.0 * Vec3::from(half), 0.0),
            };
            let mesh = clip.add_mesh(mesh.map_err(clip_error)?.with_material(colour));
            let rest = orientation(volume.kind, &volume.axes);
            let node = Node::new(format!("node {index}")).with_mesh(mesh).with_rest(volume.center.as_vec3(), rest);
            clip.add_node(node);
        }
        Ok(clip)
    }
}

/// How a shape of the clip is turned to lie along the axes of a volume.
fn orientation(kind: Kind, axes: &[glam::DVec3; 3]) -> Quat {
    let unit = axes.map(|axis| axis.as_vec3().try_normalize());
    match (kind, unit) {
        // Capsules stand along y.
        (Kind::Line, [Some(x), ..]) => Quat::from_rotation_arc(Vec3::Y, x),
        (Kind::Rectangle | Kind::Box, [Some(x), Some(y), _]) => {
            Quat::from_mat3(&glam::Mat3::from_cols(x, y, x.cross(y))).normalize()
        }
        _ => Quat::IDENTITY,
    }
}

pub(crate) fn clip_error(error: proscenium_clip::ClipError) -> LodError {
    LodError::Clip(error.to_string())
}
