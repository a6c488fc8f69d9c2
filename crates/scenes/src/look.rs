//! What a simulated scene looks like.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Quat, Vec3};
use proscenium_clip::{Clip, ClipError, Material, Mesh, Node, NodeId, Track};
use proscenium_geometry::{HeightField, Shape, ShapeKind, TriangleMesh};
use proscenium_rigid::{BodyId, Region, World};

use crate::colour::{Colour, PIPS, SCENERY};
use crate::drawn::{DrawnScene, PlacedBody};
use crate::error::SceneErrors;
use crate::marks::{pips, spot};
use crate::motion::{Accuracy, track};
use crate::plan::BodyPlan;
use crate::simulate::SimulateOptions;

/// Half a degree.
const ANGLE_ERROR: f64 = std::f64::consts::PI / 360.0;
/// Per metre of the action's extent.
const POSITION_ERROR: f64 = 2e-4;
/// Drawn surfaces are this close to the true ones, relative to the radius that
/// they are rounded by.
const SURFACE_ERROR: f64 = 0.003;
/// Faces that meet at a larger angle show an edge.
const CREASE: f32 = 0.7;
/// How many meshes are searched for one that is the same.
const RECENT: usize = 32;

/// The clip of a world that has run, of whose bodies `placed` are the first. Bodies are
/// shown in symmetric turns, if there are any.
pub(crate) fn clip(
    drawn: &DrawnScene,
    placed: &[PlacedBody],
    world: &World,
    turns: &[DQuat],
    options: &SimulateOptions,
) -> Result<Clip, SceneErrors> {
    build(drawn, placed, world, turns, options)
        .map_err(|error| SceneErrors::plain(format!("the motion cannot be shown: {error}"), "use smaller numbers"))
}

fn build(
    drawn: &DrawnScene,
    placed: &[PlacedBody],
    world: &World,
    turns: &[DQuat],
    options: &SimulateOptions,
) -> Result<Clip, ClipError> {
    let until = world.now();
    let action = Action::of(world, until);
    let reach = action.extent.clamp(0.05, 5.0);
    let accuracy = Accuracy {
        position: options.position_error.unwrap_or(POSITION_ERROR * reach),
        angle: options.angle_error.unwrap_or(ANGLE_ERROR),
    };
    let mut stage = Stage {
        clip: Clip::new(drawn.scene().name()),
        surfaces: BTreeMap::new(),
        meshes: Vec::new(),
        action,
        planes: placed.iter().filter_map(plane).collect(),
        moving: 0,
        pips: Vec::new(),
        extras: Vec::new(),
    };
    for (place, (id, body)) in world.bodies().zip(placed).enumerate() {
        let plan = &drawn.plan().bodies[body.plan];
        if body.absent {
            // The colours of the others stay as they are.
            stage.moving += usize::from(!plan.fixed);
            continue;
        }
        let turn = turns.get(place).copied();
        let motion = match world.recording().filter(|_| !plan.fixed) {
            Some(recording) => track(recording, id, until, turn, accuracy)?,
            None => None,
        };
        stage.add(drawn, plan, body, turn, motion)?;
    }
    // Bodies are the first nodes of a clip.
    for extra in std::mem::take(&mut stage.extras) {
        stage.clip.add_node(extra);
    }
    stage.clip.duration_secs = stage.clip.duration_secs.max(until as f32);
    stage.clip.validate()?;
    Ok(stage.clip)
}

/// Where things happen.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Action {
    centre: DVec3,
    /// The longest edge of the box around all motion.
    extent: f64,
}

impl Action {
    fn of(world: &World, until: f64) -> Self {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for body in world.bodies().filter(|body| world.inertia(*body).is_some()) {
            let size = size_of(world.shape(body));
            for place in places(world, body, until) {
                low = low.min(place - 0.5 * size);
                high = high.max(place + 0.5 * size);
            }
        }
        if !(low.is_finite() && high.is_finite()) {
            return Self { centre: DVec3::ZERO, extent: 1.0 };
        }
        Self { centre: 0.5 * (low + high), extent: (high - low).max_element().max(1e-6) }
    }
}

/// Where a body's flights begin, and where it is at the end.
fn places(world: &World, body: BodyId, until: f64) -> impl Iterator<Item = DVec3> {
    let recording = world.recording();
    let starts = recording.into_iter().flat_map(move |recording| recording.flights(body));
    let last = recording.and_then(|recording| recording.pose(body, until));
    starts.map(|flight| flight.initial().position).chain(last.map(|pose| pose.translation))
}

/// The longest edge of the box around a solid.
fn size_of(shape: &Shape) -> f64 {
    shape.bounds(&proscenium_geometry::Pose::IDENTITY).size().max_element()
}

/// The plane of a half-space: a point of it, and the direction out of the
/// solid.
fn plane(body: &PlacedBody) -> Option<(DVec3, DVec3)> {
    match body.def.shape.kind() {
        ShapeKind::HalfSpace { normal } => Some((body.def.pose.translation, body.def.pose.rotation * *normal)),
        _ => None,
    }
}

/// A clip in the making.
struct Stage {
    clip: Clip,
    /// The materials of the clip, by colour and the bits of roughness and
    /// metallic.
    surfaces: BTreeMap<(Colour, u64, u64), usize>,
    /// The meshes of the clip that other bodies may share.
    meshes: Vec<(Shape, usize, usize)>,
    action: Action,
    planes: Vec<(DVec3, DVec3)>,
    /// How many bodies that can move were added.
    moving: usize,
    /// Meshes of pips, by half the lengths of a die's edges.
    pips: Vec<(DVec3, usize)>,
    /// What is drawn on bodies: pips and spots.
    extras: Vec<Node>,
}

impl Stage {
    fn add(
        &mut self,
        drawn: &DrawnScene,
        plan: &BodyPlan,
        body: &PlacedBody,
        turn: Option<DQuat>,
        motion: Option<Track>,
    ) -> Result<(), ClipError> {
        let pose = body.def.pose;
        let rotation = turn.map_or(pose.rotation, |turn| pose.rotation * turn);
        let mut node = Node::new(&body.def.name).with_rest(pose.translation.as_vec3(), unit(rotation));
        if let Some(motion) = motion {
            node = node.with_track(motion);
        }
        let nth = self.moving;
        self.moving += usize::from(!plan.fixed);
        if plan.hidden {
            self.clip.add_node(node);
            return Ok(());
        }
        let surface = self.surface(drawn, plan, nth);
        if let Some((point, normal)) = plane(body) {
            if let Some((foot, turn, mesh)) = self.ground(point, normal)? {
                node = node.with_rest(foot, turn);
                node.mesh = Some(self.clip.add_mesh(mesh.with_name(&body.def.name).with_material(surface)));
            }
        } else {
            let picture =
                plan.picture.as_ref().map(|(mesh, scale)| (mesh, plan.values(drawn.all(), body.copy).number(*scale)));
            node.mesh = self.mesh(&body.def.shape, picture, surface, &plan.name)?;
        }
        let id = self.clip.add_node(node);
        match body.def.shape.kind() {
            ShapeKind::Box { half_extents, .. } if plan.pips => {
                let mesh = self.pips(*half_extents)?;
                let name = format!("{} pips", body.def.name);
                self.extras.push(Node::new(name).with_parent(id).with_mesh(mesh));
            }
            ShapeKind::HeightField(field) => self.spots(drawn, plan, body, field, id)?,
            _ => {}
        }
        Ok(())
    }

    /// The mesh of the pips of a die, shared with dice of the same size.
    fn pips(&mut self, half_extents: DVec3) -> Result<usize, ClipError> {
        if let Some((_, mesh)) = self.pips.iter().find(|(size, _)| *size == half_extents) {
            return Ok(*mesh);
        }
        let [red, green, blue, _] = PIPS.linear();
        let ink = self.clip.add_material(Material::new("pips", [red, green, blue]).with_roughness(0.4));
        let mesh = self.clip.add_mesh(pips(half_extents)?.with_name("pips").with_material(ink));
        self.pips.push((half_extents, mesh));
        Ok(mesh)
    }

    /// Zones of a smooth surface, as spots that lie on it.
    fn spots(
        &mut self,
        drawn: &DrawnScene,
        plan: &BodyPlan,
        body: &PlacedBody,
        field: &HeightField,
        id: NodeId,
    ) -> Result<(), ClipError> {
        for zone in &plan.zones {
            let material = &drawn.plan().materials[zone.material];
            let region = zone.region(plan.values(drawn.all(), body.copy));
            let (Some(colour), Region::Ball { center, radius }) = (material.colour, region) else {
                continue;
            };
            let [red, green, blue, _] = colour.linear();
            let look = Material::new(&material.name, [red, green, blue]).with_roughness(material.roughness as f32);
            let look = self.clip.add_material(look);
            let mesh = spot(field, center, radius)?.with_name(&material.name).with_material(look);
            let mesh = self.clip.add_mesh(mesh);
            let name = format!("{} {}", body.def.name, material.name);
            self.extras.push(Node::new(name).with_parent(id).with_mesh(mesh));
        }
        Ok(())
    }

    /// The clip's material for a body, which is the nth that can move.
    fn surface(&mut self, drawn: &DrawnScene, plan: &BodyPlan, nth: usize) -> usize {
        let material = &drawn.plan().materials[plan.material];
        let given = if plan.fixed { SCENERY } else { Colour::of_body(nth) };
        let colour = plan.colour.or(material.colour).unwrap_or(given);
        let (roughness, metallic) = (material.roughness, material.metallic);
        let key = (colour, roughness.to_bits(), metallic.to_bits());
        if let Some(known) = self.surfaces.get(&key) {
            return *known;
        }
        let [red, green, blue, opacity] = colour.linear();
        let look = Material::new(&material.name, [red, green, blue])
            .with_opacity(opacity)
            .with_roughness(roughness as f32)
            .with_metallic(metallic as f32);
        let index = self.clip.add_material(look);
        self.surfaces.insert(key, index);
        index
    }

    /// A mesh of a shape, shared with bodies that look the same.
    fn mesh(
        &mut self,
        shape: &Shape,
        picture: Option<(&TriangleMesh, f64)>,
        surface: usize,
        name: &str,
    ) -> Result<Option<usize>, ClipError> {
        let recent = self.meshes.iter().rev().take(RECENT);
        let shared = recent.into_iter().find(|(known, look, _)| *look == surface && known == shape);
        if let Some((_, _, mesh)) = shared {
            return Ok(Some(*mesh));
        }
        let mesh = match picture {
            Some((mesh, scale)) => {
                let positions: Vec<[f32; 3]> = mesh.vertices().iter().map(|v| (scale * *v).as_vec3().into()).collect();
                Mesh::smooth(&positions, mesh.triangles(), CREASE)?
            }
            None => shape_mesh(shape)?,
        };
        if mesh.triangles.is_empty() {
            return Ok(None);
        }
        let index = self.clip.add_mesh(mesh.with_name(name).with_material(surface));
        self.meshes.push((shape.clone(), surface, index));
        Ok(Some(index))
    }

    /// A piece of a plane that is as large as the action needs, cut off where
    /// other half-spaces begin: a floor is a square, six walls are a box.
    fn ground(&self, point: DVec3, normal: DVec3) -> Result<Option<(Vec3, Quat, Mesh)>, ClipError> {
        let foot = self.action.centre - (self.action.centre - point).dot(normal) * normal;
        let (right, ahead) = normal.any_orthonormal_pair();
        let half = 1.5 * self.action.extent;
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let mut outline: Vec<DVec3> = corners.iter().map(|(u, v)| foot + half * (*u * right + *v * ahead)).collect();
        for (other, out) in &self.planes {
            let same = out.dot(normal).abs() > 1.0 - 1e-9;
            if !same {
                outline = cut(&outline, *other, *out);
            }
        }
        if outline.len() < 3 {
            return Ok(None);
        }
        let positions: Vec<[f32; 3]> = outline.iter().map(|corner| (*corner - foot).as_vec3().into()).collect();
        let triangles: Vec<[u32; 3]> = (2..positions.len() as u32).map(|corner| [0, corner - 1, corner]).collect();
        let facing = (outline[1] - outline[0]).cross(outline[2] - outline[0]).dot(normal) > 0.0;
        let triangles: Vec<[u32; 3]> =
            if facing { triangles } else { triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect() };
        let mesh = Mesh::flat_shaded(&positions, &triangles)?;
        Ok(Some((foot.as_vec3(), Quat::IDENTITY, mesh)))
    }
}

/// The part of a convex outline on the free side of a plane.
fn cut(outline: &[DVec3], point: DVec3, out: DVec3) -> Vec<DVec3> {
    let height = |corner: DVec3| (corner - point).dot(out);
    let mut kept = Vec::with_capacity(outline.len() + 1);
    for (index, &here) in outline.iter().enumerate() {
        let next = outline[(index + 1) % outline.len()];
        let (above, below) = (height(here), height(next));
        if above >= 0.0 {
            kept.push(here);
        }
        if (above > 0.0 && below < 0.0) || (above < 0.0 && below > 0.0) {
            kept.push(here.lerp(next, above / (above - below)));
        }
    }
    kept
}

fn unit(rotation: DQuat) -> Quat {
    rotation.normalize().as_quat()
}

/// The surface of a shape: edges where it has them, smooth where it is round.
fn shape_mesh(shape: &Shape) -> Result<Mesh, ClipError> {
    let surface = shape.surface(SURFACE_ERROR * curvature_radius(shape));
    let positions: Vec<[f32; 3]> = surface.positions.iter().map(|position| position.as_vec3().into()).collect();
    match shape.kind() {
        ShapeKind::Hull(_) => Mesh::flat_shaded(&positions, &surface.triangles),
        ShapeKind::Box { half_extents, rounding } if *rounding > 0.0 => {
            // Averaged normals would tilt at the corners of the flat faces.
            let inner = *half_extents - *rounding;
            let outwards = |p: &DVec3| (*p - p.clamp(-inner, inner)).normalize_or_zero().as_vec3().into();
            let normals = surface.positions.iter().map(outwards).collect();
            Ok(Mesh { positions, normals, triangles: surface.triangles, ..Mesh::default() })
        }
        ShapeKind::HeightField(_) => Mesh::smooth(&positions, &surface.triangles, std::f32::consts::PI),
        _ => Mesh::smooth(&positions, &surface.triangles, CREASE),
    }
}

/// The smallest radius that a shape is rounded by, and 1 if it is not round.
fn curvature_radius(shape: &Shape) -> f64 {
    match shape.kind() {
        ShapeKind::Sphere { radius } | ShapeKind::Capsule { radius, .. } | ShapeKind::Cylinder { radius, .. } => {
            *radius
        }
        ShapeKind::Turned(turned) => turned.rings().iter().map(|ring| ring.radius).fold(0.0, f64::max),
        ShapeKind::Box { rounding, .. } if *rounding > 0.0 => *rounding,
        ShapeKind::Compound(parts) => {
            parts.iter().map(|part| curvature_radius(&part.shape)).fold(f64::INFINITY, f64::min)
        }
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_are_cut_at_planes() {
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| DVec3::new(x, 0.0, z));
        let half = cut(&square, DVec3::new(0.25, 0.0, 0.0), DVec3::X);
        assert_eq!(half.len(), 4);
        assert!(half.iter().all(|corner| corner.x >= 0.25 - 1e-12));
        assert!(cut(&square, DVec3::new(2.0, 0.0, 0.0), DVec3::X).is_empty());
        assert_eq!(cut(&square, DVec3::new(-2.0, 0.0, 0.0), DVec3::X).len(), 4);
    }
}
