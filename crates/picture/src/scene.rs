//! A clip at a moment, as triangles to trace.

use std::collections::BTreeMap;

use glam::{DMat4, DVec3, Vec3};
use proscenium_clip::{Clip, Material, Mesh};

use crate::action::Action;
use crate::look::{Ground, Look};
use crate::trace::{Bvh, Hit, Triangle};

/// How a surface answers to light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Surface {
    pub(crate) color: Vec3,
    pub(crate) roughness: f32,
    pub(crate) metallic: f32,
    pub(crate) opacity: f32,
}

impl Surface {
    fn of(material: Option<&Material>) -> Self {
        let Some(material) = material else {
            return Self { color: Vec3::splat(0.6), roughness: 0.6, metallic: 0.0, opacity: 1.0 };
        };
        let [red, green, blue, opacity] = material.base_color;
        Self {
            color: Vec3::new(red, green, blue),
            roughness: material.roughness.max(0.03),
            metallic: material.metallic,
            opacity,
        }
    }
}

/// What there is to know of a triangle beside its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub(crate) normals: [Vec3; 3],
    /// Of the triangle's plane.
    pub(crate) plane: Vec3,
    /// Whether all normals are that of the plane.
    pub(crate) flat: bool,
    pub(crate) surface: Surface,
    /// Which body it belongs to; each ghost is a body of its own.
    pub(crate) object: u32,
    /// Whether only its front is drawn.
    pub(crate) ghost: bool,
    /// Height of each corner above the opposite edge, where that is a crease
    /// or a rim; zero where it is not.
    heights: [f32; 3],
}

impl Facet {
    /// How much of a pixel of a given size a drawn edge covers.
    pub(crate) fn edge_coverage(&self, hit: &Hit, pixel: f32) -> f32 {
        let weights = [1.0 - hit.u - hit.v, hit.u, hit.v];
        let drawn = weights.into_iter().zip(self.heights).filter(|&(_, height)| height > 0.0);
        drawn.map(|(weight, height)| 1.0 - weight * height / (1.1 * pixel)).fold(0.0, f32::max).min(1.0)
    }
}

/// Triangles of one kind, with the hierarchy over them.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) bvh: Bvh,
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) facets: Vec<Facet>,
}

/// The ground plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    pub(crate) height: f32,
    pub(crate) surface: Surface,
    /// Distance between grid lines; zero without a grid.
    pub(crate) grid: f32,
    /// The world's x = 0, z = 0, on which a grid line lies.
    pub(crate) grid_origin: Vec3,
}

/// A clip at a moment. Positions are relative to `origin`, the middle of the
/// action, where single precision is finest.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) origin: DVec3,
    pub(crate) solid: Part,
    pub(crate) clear: Part,
    pub(crate) floor: Option<Floor>,
    /// Whether there are ghosts, whose shadows have rims.
    pub(crate) has_ghosts: bool,
    /// Half the diagonal of the action's box.
    pub(crate) radius: f32,
}

/// What stays the same from frame to frame of a clip.
#[derive(Debug)]
pub(crate) struct Stage<'a> {
    clip: &'a Clip,
    action: Action,
    surfaces: Vec<Surface>,
    sharp_edges: Vec<Vec<[bool; 3]>>,
}

impl<'a> Stage<'a> {
    /// Prepares a valid clip.
    pub(crate) fn new(clip: &'a Clip) -> Self {
        let surfaces: Vec<Surface> = clip
            .meshes
            .iter()
            .map(|mesh| Surface::of(mesh.material.and_then(|index| clip.materials.get(index))))
            .collect();
        let sharp_edges = clip
            .meshes
            .iter()
            .zip(&surfaces)
            .map(|(mesh, surface)| if surface.opacity < 1.0 { sharp_edges(mesh) } else { Vec::new() })
            .collect();
        Self { clip, action: Action::of(clip), surfaces, sharp_edges }
    }

    /// The scene at a time.
    pub(crate) fn at(&self, time: f32, look: &Look) -> Scene {
        let mut builder = Builder { stage: self, solid: Vec::new(), clear: Vec::new() };
        let mut poses = Vec::new();
        self.clip.world_poses(time, &mut poses);
        let hidden = match look.ground {
            Ground::Auto => self.action.floor.map(|(node, _)| node),
            Ground::At(_) | Ground::None => None,
        };
        let mut object = 0;
        for (node, pose) in poses.iter().enumerate() {
            object += 1;
            if Some(node) != hidden {
                builder.add(node, &pose.as_dmat4(), object, None);
            }
        }
        if let Some(trail) = look.trail {
            for ghost in 1..=trail.ghosts {
                let earlier = f64::from(time) - f64::from(ghost) * trail.spacing_secs;
                if earlier < 0.0 {
                    break;
                }
                self.clip.world_poses(earlier as f32, &mut poses);
                let opacity = trail.opacity * (1.0 - (ghost - 1) as f32 / trail.ghosts as f32);
                for (node, pose) in poses.iter().enumerate().filter(|(node, _)| self.action.moving[*node]) {
                    object += 1;
                    builder.add(node, &pose.as_dmat4(), object, Some(opacity));
                }
            }
        }
        Scene {
            origin: self.action.center(),
            has_ghosts: builder.clear.iter().any(|(_, facet)| facet.ghost),
            solid: part(builder.solid),
            clear: part(builder.clear),
            floor: self.floor(look),
            radius: self.action.radius().max(1e-6) as f32,
        }
    }

    fn floor(&self, look: &Look) -> Option<Floor> {
        let mut color = Vec3::from_array(look.ground_color);
        let height = match look.ground {
            Ground::None => return None,
            Ground::At(height) => height,
            Ground::Auto => match self.action.floor {
                Some((node, height)) => {
                    let mesh = self.clip.nodes[node].mesh;
                    if let Some(mesh) = mesh.filter(|&mesh| self.clip.meshes[mesh].material.is_some()) {
                        color = self.surfaces[mesh].color;
                    }
                    height
                }
                None => self.action.min.y,
            },
        };
        // A hair lower, so that what lies exactly on the ground is in front.
        let origin = self.action.center();
        let below = 1e-4 * self.action.radius();
        let height = (height - below - origin.y) as f32;
        let grid = if look.grid { round_distance(0.5 * self.action.radius()) as f32 } else { 0.0 };
        let surface = Surface { color, roughness: 0.5, metallic: 0.0, opacity: 1.0 };
        Some(Floor { height, surface, grid, grid_origin: (-origin).as_vec3() })
    }
}

/// The largest of 1, 2, 5, 10, 20, … that is not above a distance.
fn round_distance(distance: f64) -> f64 {
    let decade = libm::pow(10.0, libm::floor(libm::log10(distance.max(1e-9))));
    let step = distance / decade;
    decade
        * if step >= 5.0 {
            5.0
        } else if step >= 2.0 {
            2.0
        } else {
            1.0
        }
}

struct Builder<'a> {
    stage: &'a Stage<'a>,
    solid: Vec<(Triangle, Facet)>,
    clear: Vec<(Triangle, Facet)>,
}

impl Builder<'_> {
    fn add(&mut self, node: usize, world_from_mesh: &DMat4, object: u32, ghost: Option<f32>) {
        let stage = self.stage;
        let Some(index) = stage.clip.nodes[node].mesh else { return };
        let mesh = &stage.clip.meshes[index];
        let mut surface = stage.surfaces[index];
        surface.opacity *= ghost.unwrap_or(1.0);
        if surface.opacity <= 0.0 {
            return;
        }
        let origin = stage.action.center();
        let place = |&[x, y, z]: &[f32; 3]| {
            let point = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
            (world_from_mesh.transform_point3(point) - origin).as_vec3()
        };
        let positions: Vec<Vec3> = mesh.positions.iter().map(place).collect();
        // Normals go by the inverse transpose, which the cofactors give
        // without a division; a mirroring turns them inside out again.
        let [x, y, z] = [world_from_mesh.x_axis, world_from_mesh.y_axis, world_from_mesh.z_axis].map(|a| a.truncate());
        let (cofactor_x, cofactor_y, cofactor_z) = (y.cross(z), z.cross(x), x.cross(y));
        let mirrored = x.dot(cofactor_x) < 0.0;
        let turn = |&[a, b, c]: &[f32; 3]| {
            let normal = cofactor_x * f64::from(a) + cofactor_y * f64::from(b) + cofactor_z * f64::from(c);
            (if mirrored { -normal } else { normal }).normalize_or(DVec3::Y).as_vec3()
        };
        let normals: Vec<Vec3> = mesh.normals.iter().map(turn).collect();
        let target = if surface.opacity < 1.0 { &mut self.clear } else { &mut self.solid };
        for (number, corners) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|corner| corner as usize);
            let (b, c) = if mirrored { (c, b) } else { (b, c) };
            let triangle = Triangle::new(positions[a], positions[b], positions[c]);
            let reach = positions[a].abs().max(positions[b].abs()).max(positions[c].abs()).max_element();
            // Beyond this, products of coordinates leave the range of f32.
            if !reach.is_finite() || reach > 1e12 {
                continue;
            }
            let [of_a, of_b, of_c] = stage.sharp_edges[index].get(number).copied().unwrap_or([false; 3]);
            let sharp = match (ghost, mirrored) {
                (Some(_), _) => [false; 3],
                (None, true) => [of_a, of_c, of_b],
                (None, false) => [of_a, of_b, of_c],
            };
            let heights = heights(&triangle, sharp);
            let normals = [normals[a], normals[b], normals[c]];
            let plane = triangle.normal();
            let flat = normals.iter().all(|normal| normal.dot(plane) > 0.999_999);
            let ghost = ghost.is_some();
            target.push((triangle, Facet { normals, plane, flat, surface, object, ghost, heights }));
        }
    }
}

fn heights(triangle: &Triangle, sharp: [bool; 3]) -> [f32; 3] {
    let twice_area = triangle.edge1.cross(triangle.edge2).length();
    let opposite = [triangle.edge2 - triangle.edge1, triangle.edge2, triangle.edge1];
    let mut heights = [0.0; 3];
    for corner in 0..3 {
        // A triangle without extent has no heights, and is never met.
        if sharp[corner] && twice_area > 0.0 {
            heights[corner] = twice_area / opposite[corner].length();
        }
    }
    heights
}

fn part(triangles: Vec<(Triangle, Facet)>) -> Part {
    let (triangles, facets): (Vec<Triangle>, Vec<Facet>) = triangles.into_iter().unzip();
    Part { bvh: Bvh::new(&triangles), triangles, facets }
}

/// For each triangle of a mesh, whether the edge opposite each corner is a
/// crease or a rim: these are drawn on transparent bodies.
fn sharp_edges(mesh: &Mesh) -> Vec<[bool; 3]> {
    let place = |corner: u32| mesh.positions[corner as usize].map(|x| (x + 0.0).to_bits());
    let edge = |triangle: &[u32; 3], corner: usize| {
        let (a, b) = (place(triangle[(corner + 1) % 3]), place(triangle[(corner + 2) % 3]));
        if a <= b { (a, b) } else { (b, a) }
    };
    let normal = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| Vec3::from_array(mesh.positions[corner as usize]));
        Triangle::new(a, b, c).normal()
    };
    let mut faces: BTreeMap<_, Vec<Vec3>> = BTreeMap::new();
    for triangle in &mesh.triangles {
        for corner in 0..3 {
            faces.entry(edge(triangle, corner)).or_default().push(normal(triangle));
        }
    }
    let is_sharp = |normals: &Vec<Vec3>| match normals[..] {
        [one, other] => one.dot(other) < 0.9,
        _ => true,
    };
    let of_triangle = |triangle: &[u32; 3]| [0, 1, 2].map(|corner| is_sharp(&faces[&edge(triangle, corner)]));
    mesh.triangles.iter().map(of_triangle).collect()
}
