//! Materials and meshes of a file.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::validate::unit;
use crate::{ClipError, Material, Mesh};

use super::accessor::Source;
use super::read::GlbWarning;
use super::schema::{self, Kind, Primitive};

/// Primitive modes that make triangles.
const TRIANGLES: u32 = 4;
const TRIANGLE_STRIP: u32 = 5;
const TRIANGLE_FAN: u32 = 6;

pub(super) fn materials(document: &schema::Document, warnings: &mut Vec<GlbWarning>) -> Vec<Material> {
    let clamped = |value: f32| if value.is_nan() { 1.0 } else { value.clamp(0.0, 1.0) };
    let read = |material: &schema::Material| {
        let factors = &material.pbr_metallic_roughness;
        let name = material.name.clone().unwrap_or_default();
        if factors.base_color_texture.is_some() {
            warnings.push(GlbWarning::Texture { material: name.clone() });
        }
        let mut base_color = factors.base_color_factor.map(clamped);
        // In the other modes, opacity does not blend.
        if material.alpha_mode.as_deref() != Some("BLEND") {
            base_color[3] = 1.0;
        }
        Material {
            name,
            base_color,
            roughness: clamped(factors.roughness_factor),
            metallic: clamped(factors.metallic_factor),
        }
    };
    document.materials.iter().map(read).collect()
}

/// The meshes of a clip, and for each mesh of the file the ones that its
/// primitives became.
pub(super) struct Meshes {
    pub meshes: Vec<Mesh>,
    pub of_file: Vec<Vec<usize>>,
}

pub(super) fn meshes(source: &mut Source, warnings: &mut Vec<GlbWarning>) -> Result<Meshes, ClipError> {
    let document = source.document;
    let mut uses: BTreeMap<usize, u32> = BTreeMap::new();
    for primitive in document.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        if let Some(position) = primitive.attributes.position {
            *uses.entry(position).or_default() += 1;
        }
    }
    let mut result = Meshes { meshes: Vec::new(), of_file: Vec::new() };
    for (index, file) in document.meshes.iter().enumerate() {
        let name = file.name.clone().unwrap_or_default();
        let mut parts = Vec::new();
        for (part, primitive) in file.primitives.iter().enumerate() {
            let place = format!("meshes[{index}].primitives[{part}]");
            let shared = primitive.attributes.position.is_some_and(|position| uses[&position] > 1);
            match mesh(source, primitive, shared, &place)? {
                Some(mesh) => {
                    parts.push(result.meshes.len());
                    result.meshes.push(Mesh { name: name.clone(), ..mesh });
                }
                None => warnings.push(GlbWarning::NoTriangles { mesh: name.clone(), primitive: part }),
            }
        }
        result.of_file.push(parts);
    }
    Ok(result)
}

/// `None` if the primitive has no triangles.
fn mesh(source: &mut Source, primitive: &Primitive, shared: bool, place: &str) -> Result<Option<Mesh>, ClipError> {
    let Some(position) = primitive.attributes.position.filter(|_| has_triangles(primitive)) else {
        return Ok(None);
    };
    let positions = source.accessor(position, Kind::Vec3, place)?;
    let mut triangles = triangles(source, primitive, positions.count, place)?;
    if triangles.is_empty() {
        return Ok(None);
    }
    // Some files keep the vertices of many primitives in one place; each mesh
    // then takes the vertices that it uses.
    let vertices: Option<Vec<u32>> = if shared {
        source.charge::<[u32; 3]>(place, triangles.len() as u64)?;
        Some(compact(&mut triangles))
    } else {
        None
    };
    let count = vertices.as_ref().map_or(positions.count, |vertices| vertices.len() as u64);
    let vertex = |at: u64| match &vertices {
        Some(vertices) => u64::from(vertices[at as usize]),
        None => at,
    };
    let room = source.charge::<[f32; 3]>(place, count)?;
    let mut mesh = Mesh { material: material(source, primitive, place)?, ..Mesh::default() };
    mesh.positions.reserve_exact(room);
    for at in 0..count {
        mesh.positions.push(positions.finite_vector(vertex(at), place)?);
    }
    mesh.triangles = triangles;
    let Some(normal) = primitive.attributes.normal else {
        // Three positions and normals per triangle.
        source.charge::<[f32; 18]>(place, mesh.triangles.len() as u64)?;
        let flat = Mesh::flat_shaded(&mesh.positions, &mesh.triangles)?;
        return Ok(Some(Mesh { material: mesh.material, ..flat }));
    };
    let normals = source.accessor(normal, Kind::Vec3, place)?;
    if normals.count != positions.count {
        let (normals, positions) = (normals.count, positions.count);
        return Err(ClipError::malformed(place, format!("it has {normals} normals for {positions} positions")));
    }
    let room = source.charge::<[f32; 3]>(place, count)?;
    mesh.normals.reserve_exact(room);
    mesh.normals.extend((0..count).map(|at| unit_normal(normals.vector(vertex(at)))));
    Ok(Some(mesh))
}

fn material(source: &Source, primitive: &Primitive, place: &str) -> Result<Option<usize>, ClipError> {
    let count = source.document.materials.len();
    match primitive.material {
        Some(material) if material >= count => {
            Err(ClipError::malformed(place, format!("it uses material {material}, and there are {count}")))
        }
        material => Ok(material),
    }
}

/// Ours are left as they are; others may be a little off, or missing.
fn unit_normal(normal: [f32; 3]) -> [f32; 3] {
    if unit(&normal) {
        return normal;
    }
    Vec3::from_array(normal).as_dvec3().normalize_or(glam::DVec3::Y).as_vec3().to_array()
}

/// Whether it is made of triangles, and not of points or lines.
pub(super) fn has_triangles(primitive: &Primitive) -> bool {
    (TRIANGLES..=TRIANGLE_FAN).contains(&primitive.mode.unwrap_or(TRIANGLES))
}

/// The triangles of a primitive with that many positions.
pub(super) fn triangles(
    source: &mut Source,
    primitive: &Primitive,
    positions: u64,
    place: &str,
) -> Result<Vec<[u32; 3]>, ClipError> {
    let mode = primitive.mode.unwrap_or(TRIANGLES);
    let indices = primitive.indices.map(|indices| source.accessor(indices, Kind::Scalar, place)).transpose()?;
    let corners = indices.as_ref().map_or(positions, |indices| indices.count);
    let count = if mode == TRIANGLES { corners / 3 } else { corners.saturating_sub(2) };
    let room = source.charge::<[u32; 3]>(place, count)?;
    let corner = |at: u64| {
        let index = match &indices {
            Some(indices) => indices.index(at, place)?,
            None => at as u32,
        };
        if u64::from(index) < positions {
            return Ok(index);
        }
        Err(ClipError::malformed(place, format!("corner {at} is vertex {index}, and there are {positions}")))
    };
    let mut triangles = Vec::with_capacity(room);
    for at in 0..count {
        let [a, b, c] = match mode {
            TRIANGLE_FAN => [at + 1, at + 2, 0],
            // Every other triangle of a strip is turned over.
            TRIANGLE_STRIP => [at, at + 1 + at % 2, at + 2 - at % 2],
            _ => [3 * at, 3 * at + 1, 3 * at + 2],
        };
        triangles.push([corner(a)?, corner(b)?, corner(c)?]);
    }
    Ok(triangles)
}

/// Renumbers the corners to count only the vertices in use, and returns those.
fn compact(triangles: &mut [[u32; 3]]) -> Vec<u32> {
    let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    for corner in triangles.iter_mut().flatten() {
        // All are there, by construction.
        *corner = vertices.partition_point(|vertex| vertex < corner) as u32;
    }
    vertices
}
