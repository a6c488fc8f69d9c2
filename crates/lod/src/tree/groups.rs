//! Surface groups (section 4.2.3): parts of the surface that are nearly flat,
//! found on a reduced mesh, and mapped back onto the fine one.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use glam::DVec3;
use proscenium_work::{Progress, Stopped};

use crate::mesh::SolidMesh;

/// The reduced mesh has at most this many cells of vertices along an edge; chosen,
/// as a bound on the work of joining faces, however fine the mesh is.
const REDUCED_SIDE: f64 = 24.0;

/// A vertex is part of a crease if a face there is turned from the mean of all
/// by more than 20 degrees, the cosine of which this is; chosen.
const CREASE: f64 = 0.94;
/// Normals whose components round to the same multiples of 1 / `TURNS` are
/// turned alike; chosen.
const TURNS: f64 = 2.0;

/// Parts are joined while 1 − |Σ area vectors| / Σ areas stays below this: a
/// round cap of half angle θ has sin²(θ/2), which is 0.047 at 25 degrees; chosen.
const LEAST_FLATNESS: f64 = 0.047;

/// Which part of the surface each triangle belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    of_triangle: Vec<u32>,
    pub(crate) count: u32,
}

impl Groups {
    /// All of the surface as one group.
    #[cfg(test)]
    pub(crate) fn one(mesh: &SolidMesh) -> Self {
        Self { of_triangle: vec![0; mesh.triangles.len()], count: 1 }
    }

    pub(crate) fn of_triangle(&self, triangle: usize) -> u32 {
        self.of_triangle[triangle]
    }

    /// Reduces the mesh by clustering its vertices (Rossignac and Borrel), and
    /// the faces of the reduced mesh by flatness (Garland, Willmott, Heckbert).
    pub(crate) fn new(mesh: &SolidMesh, progress: &Progress) -> Result<Self, Stopped> {
        progress.tell("grouping the surface", 0.0)?;
        let cluster = clusters(mesh, progress)?;
        progress.tell("grouping the surface", 0.4)?;
        let reduced_of = |triangle: &[u32; 3]| triangle.map(|vertex| cluster[vertex as usize]);
        let lives = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
        let mut faces: Vec<[u32; 3]> = Vec::new();
        let mut face_of: BTreeMap<[u32; 3], u32> = BTreeMap::new();
        let mut areas: Vec<DVec3> = Vec::new();
        for (index, triangle) in mesh.triangles.iter().enumerate() {
            progress.check()?;
            let face = reduced_of(triangle);
            if lives(&face) {
                let number = *face_of.entry(first_lowest(face)).or_insert_with(|| {
                    faces.push(face);
                    areas.push(DVec3::ZERO);
                    faces.len() as u32 - 1
                });
                areas[number as usize] += area_vector(mesh, index);
            }
        }
        if faces.is_empty() {
            return Ok(Self { of_triangle: vec![0; mesh.triangles.len()], count: 1 });
        }
        let group = flat_parts(&faces, &areas, progress)?;
        let count = group.iter().max().map_or(0, |last| last + 1);
        // Triangles that vanished go with the face at their place that is
        // turned most alike.
        let mut faces_at: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, face) in faces.iter().enumerate() {
            face.iter().for_each(|vertex| faces_at.entry(*vertex).or_default().push(number as u32));
        }
        let of = |index: usize| {
            progress.check()?;
            let face = reduced_of(&mesh.triangles[index]);
            if let Some(number) = face_of.get(&first_lowest(face)).filter(|_| lives(&face)) {
                return Ok(group[*number as usize]);
            }
            let normal = area_vector(mesh, index);
            let near = face.iter().filter_map(|vertex| faces_at.get(vertex)).flatten();
            let alike = |number: &&u32| areas[**number as usize].normalize_or_zero().dot(normal);
            Ok(near.max_by(|a, b| alike(a).total_cmp(&alike(b))).map_or(0, |number| group[*number as usize]))
        };
        let of_triangle = (0..mesh.triangles.len()).map(of).collect::<Result<_, Stopped>>()?;
        Ok(Self { of_triangle, count })
    }
}

fn area_vector(mesh: &SolidMesh, triangle: usize) -> DVec3 {
    let [a, b, c] = mesh.corners(triangle);
    0.5 * (b - a).cross(c - a)
}

/// The same triangle, its lowest vertex first.
fn first_lowest([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a <= b && a <= c {
        [a, b, c]
    } else if b <= c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// For each vertex the number of its cluster: vertices in one cell whose faces
/// are turned alike. Those of a crease are kept apart from those beside it, or
/// two sides that meet there would share reduced faces and run together.
fn clusters(mesh: &SolidMesh, progress: &Progress) -> Result<Vec<u32>, Stopped> {
    let (low, high) = mesh.bounds();
    let size = (high - low).max_element() / REDUCED_SIDE;
    let normals = vertex_normals(mesh);
    let mut creased = vec![false; mesh.vertices.len()];
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let normal = area_vector(mesh, index).normalize_or_zero();
        for vertex in triangle.map(|vertex| vertex as usize) {
            creased[vertex] |= normal.dot(normals[vertex]) < CREASE;
        }
    }
    let mut numbers: BTreeMap<([u32; 3], [i8; 3], bool), u32> = BTreeMap::new();
    let of = |(vertex, place): (usize, &DVec3)| {
        progress.check()?;
        let cell = ((*place - low) / size).to_array().map(|x| x.max(0.0) as u32);
        let turned = (TURNS * normals[vertex]).round().to_array().map(|x| x as i8);
        let next = numbers.len() as u32;
        Ok(*numbers.entry((cell, turned, creased[vertex])).or_insert(next))
    };
    mesh.vertices.iter().enumerate().map(of).collect()
}

/// The mean normal of the triangles at each vertex.
fn vertex_normals(mesh: &SolidMesh) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; mesh.vertices.len()];
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let area = area_vector(mesh, index);
        triangle.iter().for_each(|vertex| normals[*vertex as usize] += area);
    }
    normals.into_iter().map(DVec3::normalize_or_zero).collect()
}

/// Two neighbouring parts, by how flat they would be together.
struct Join {
    cost: f64,
    parts: [u32; 2],
    /// How often each part had grown when the cost was computed.
    ages: [u32; 2],
}

impl PartialEq for Join {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Join {}

impl PartialOrd for Join {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Join {
    /// The flattest is the greatest; ties go to the earliest parts.
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then_with(|| other.parts.cmp(&self.parts))
    }
}

/// Joins neighbouring faces, the flattest pair first, while parts stay flat.
fn flat_parts(faces: &[[u32; 3]], face_areas: &[DVec3], progress: &Progress) -> Result<Vec<u32>, Stopped> {
    let mut parent: Vec<u32> = (0..faces.len() as u32).collect();
    let mut vectors = face_areas.to_vec();
    let mut areas: Vec<f64> = vectors.iter().map(|vector| vector.length()).collect();
    let mut ages = vec![0_u32; faces.len()];
    let mut neighbours = neighbours(faces);
    let cost = |vectors: &[DVec3], areas: &[f64], a: u32, b: u32| {
        let area = areas[a as usize] + areas[b as usize];
        1.0 - (vectors[a as usize] + vectors[b as usize]).length() / area.max(f64::MIN_POSITIVE)
    };
    let mut heap = BinaryHeap::new();
    for (a, others) in neighbours.iter().enumerate() {
        for &b in others.iter().filter(|b| **b as usize > a) {
            heap.push(Join { cost: cost(&vectors, &areas, a as u32, b), parts: [a as u32, b], ages: [0, 0] });
        }
    }
    while let Some(Join { cost: lost, parts: [a, b], ages: then }) = heap.pop() {
        progress.check()?;
        if lost > LEAST_FLATNESS {
            break;
        }
        let current = |part: u32, age: u32| parent[part as usize] == part && ages[part as usize] == age;
        if !current(a, then[0]) || !current(b, then[1]) {
            continue;
        }
        parent[b as usize] = a;
        vectors[a as usize] = vectors[a as usize] + vectors[b as usize];
        areas[a as usize] += areas[b as usize];
        ages[a as usize] += 1;
        let mut others = std::mem::take(&mut neighbours[b as usize]);
        others.append(&mut neighbours[a as usize]);
        others.iter_mut().for_each(|other| *other = root(&parent, *other));
        others.sort_unstable();
        others.dedup();
        others.retain(|other| *other != a);
        for &other in &others {
            let ages = [ages[a as usize], ages[other as usize]];
            heap.push(Join { cost: cost(&vectors, &areas, a, other), parts: [a, other], ages });
            neighbours[other as usize].push(a);
        }
        neighbours[a as usize] = others;
    }
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    let number = |face: u32| {
        let next = numbers.len() as u32;
        *numbers.entry(root(&parent, face)).or_insert(next)
    };
    Ok((0..faces.len() as u32).map(number).collect())
}

fn root(parent: &[u32], mut part: u32) -> u32 {
    while parent[part as usize] != part {
        part = parent[part as usize];
    }
    part
}

/// For each face those that it shares an edge with.
fn neighbours(faces: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * faces.len());
    for (face, [a, b, c]) in faces.iter().enumerate() {
        edges.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([*p.min(q), *p.max(q)], face as u32)));
    }
    edges.sort_unstable();
    let mut neighbours = vec![Vec::new(); faces.len()];
    for edge in edges.chunk_by(|a, b| a.0 == b.0) {
        for pair in edge.windows(2) {
            neighbours[pair[0].1 as usize].push(pair[1].1);
            neighbours[pair[1].1 as usize].push(pair[0].1);
        }
    }
    neighbours
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::built_in;

    #[test]
    fn the_faces_of_a_block_are_its_groups() {
        for triangles in [300, 2000, 5000] {
            check_sides(&built_in("l-shape", triangles).unwrap());
        }
    }

    fn check_sides(mesh: &SolidMesh) {
        let groups = Groups::new(mesh, &Progress::none()).unwrap();
        assert_eq!(groups.count, 8, "an L has eight flat sides, here of {} triangles", mesh.triangles.len());
        for (index, _) in mesh.triangles.iter().enumerate() {
            let normal = area_vector(mesh, index).normalize();
            let same =
                (0..mesh.triangles.len()).filter(|other| groups.of_triangle(*other) == groups.of_triangle(index));
            for other in same.step_by(50) {
                assert!(area_vector(mesh, other).normalize().dot(normal) > 0.999);
            }
        }
    }

    #[test]
    fn a_curved_surface_falls_into_some_groups() {
        let groups = Groups::new(&built_in("torus", 5000).unwrap(), &Progress::none()).unwrap();
        assert!((20..400).contains(&groups.count), "{}", groups.count);
    }
}
