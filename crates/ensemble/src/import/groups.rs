//! Cutting a mesh into groups.

use std::collections::BTreeMap;

use proscenium_work::{Progress, Stopped};

use super::{ImportError, SourceMesh, motion, size};
use crate::data::Group;
use crate::frame::wide;

/// What the groups of a mesh are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// The objects of the file, if it has several; else what hangs together, and if that is
    /// everything, what moves as one.
    #[default]
    Automatic,
    /// The objects of the file.
    Objects,
    /// Triangles that hang together by their vertices.
    Connected,
    /// What moves as one, within what hangs together.
    Motion,
}

/// A mesh in groups.
pub(super) struct GroupedMesh {
    pub groups: Vec<Group>,
    /// For each group, the group that the file says it hangs on.
    pub hints: Vec<Option<usize>>,
    /// For each vertex of the groups, one after another, its vertex of the mesh.
    pub sources: Vec<u32>,
    pub grouping: Grouping,
    pub unused_vertices: usize,
    pub shared_vertices: usize,
}

/// Cuts a mesh that moves as the frames have it.
pub(super) fn cut(
    mesh: &SourceMesh,
    grouping: Grouping,
    frames: &[&Vec<[f32; 3]>],
    progress: &Progress,
) -> Result<GroupedMesh, Stopped> {
    let (parts, grouping) = match grouping {
        Grouping::Objects => (objects(mesh), Grouping::Objects),
        Grouping::Automatic if mesh.objects.len() > 1 => (objects(mesh), Grouping::Objects),
        Grouping::Connected => (connected(mesh), Grouping::Connected),
        Grouping::Motion => (by_motion(connected(mesh), frames, progress)?, Grouping::Motion),
        Grouping::Automatic => {
            let whole = connected(mesh);
            if whole.len() > 1 {
                (whole, Grouping::Connected)
            } else {
                (by_motion(whole, frames, progress)?, Grouping::Motion)
            }
        }
    };
    let mut cut = GroupedMesh {
        groups: Vec::new(),
        hints: Vec::new(),
        sources: Vec::new(),
        grouping,
        unused_vertices: 0,
        shared_vertices: 0,
    };
    let mut uses = vec![0u32; mesh.vertices.len()];
    for Part { name, hint, triangles } in parts {
        let mut own: Vec<u32> = triangles.iter().flatten().copied().collect();
        own.sort_unstable();
        own.dedup();
        own.iter().for_each(|&vertex| uses[vertex as usize] += 1);
        let number = |vertex: u32| own.partition_point(|&other| other < vertex) as u32;
        let triangles = triangles.iter().map(|triangle| triangle.map(number)).collect();
        let rest = own.iter().map(|&vertex| mesh.vertices[vertex as usize]).collect();
        cut.groups.push(Group { name, attachment: None, rest, triangles });
        cut.hints.push(hint);
        cut.sources.extend(own);
    }
    cut.unused_vertices = uses.iter().filter(|&&uses| uses == 0).count();
    cut.shared_vertices = uses.iter().filter(|&&uses| uses > 1).count();
    Ok(cut)
}

/// What moves as one, of each part.
fn by_motion(parts: Vec<Part>, frames: &[&Vec<[f32; 3]>], progress: &Progress) -> Result<Vec<Part>, Stopped> {
    let mut cut = Vec::new();
    let mut names = BTreeMap::new();
    for part in parts {
        let numbers = motion::parts(&part.triangles, frames, progress)?;
        let count = numbers.iter().max().map_or(0, |most| most + 1);
        for number in 0..count {
            let own = part.triangles.iter().zip(&numbers).filter(|(_, of)| **of == number);
            let name = if count > 1 { format!("{}-{}", part.name, number + 1) } else { part.name.clone() };
            let name = unique(&mut names, &name);
            cut.push(Part { name, hint: None, triangles: own.map(|(triangle, _)| *triangle).collect() });
        }
    }
    Ok(cut)
}

struct Part {
    name: String,
    hint: Option<usize>,
    triangles: Vec<[u32; 3]>,
}

fn objects(mesh: &SourceMesh) -> Vec<Part> {
    let mut names = BTreeMap::new();
    let objects = mesh.objects.iter().map(|object| Part {
        name: unique(&mut names, &object.name),
        hint: object.parent,
        triangles: mesh.triangles[object.triangles.clone()].to_vec(),
    });
    objects.collect()
}

/// The connected parts, in the order of their first triangles, named after the
/// objects that these belong to.
fn connected(mesh: &SourceMesh) -> Vec<Part> {
    let mut forest: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
    for &[a, b, c] in &mesh.triangles {
        let root = find(&mut forest, a);
        for corner in [b, c] {
            let other = find(&mut forest, corner);
            let root = find(&mut forest, root);
            forest[root.max(other) as usize] = root.min(other);
        }
    }
    let mut of_root: BTreeMap<u32, usize> = BTreeMap::new();
    let mut parts: Vec<(usize, Vec<[u32; 3]>)> = Vec::new();
    for (object, data) in mesh.objects.iter().enumerate() {
        for triangle in &mesh.triangles[data.triangles.clone()] {
            let part = *of_root.entry(find(&mut forest, triangle[0])).or_insert(parts.len());
            if part == parts.len() {
                parts.push((object, Vec::new()));
            }
            parts[part].1.push(*triangle);
        }
    }
    let mut alone = vec![0; mesh.objects.len()];
    parts.iter().for_each(|(object, _)| alone[*object] += 1);
    let mut names = BTreeMap::new();
    let mut numbers = vec![0; mesh.objects.len()];
    let part = |(object, triangles): (usize, Vec<[u32; 3]>)| {
        let base = &mesh.objects[object].name;
        numbers[object] += 1;
        let wanted = if alone[object] > 1 { format!("{base}-{}", numbers[object]) } else { base.clone() };
        Part { name: unique(&mut names, &wanted), hint: None, triangles }
    };
    parts.into_iter().map(part).collect()
}

fn find(forest: &mut [u32], vertex: u32) -> u32 {
    let mut here = vertex;
    while forest[here as usize] != here {
        // Halving the path keeps later walks short.
        forest[here as usize] = forest[forest[here as usize] as usize];
        here = forest[here as usize];
    }
    here
}

/// The wanted name, or the wanted name with a number, if it was given before.
fn unique(given: &mut BTreeMap<String, u32>, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    while given.contains_key(&name) {
        let next = given.entry(wanted.to_owned()).or_insert(1);
        *next += 1;
        name = format!("{wanted}-{next}");
    }
    given.insert(name.clone(), 1);
    name
}

/// For each of the points, the nearest of the others.
pub(super) fn nearest_vertices(points: &[[f32; 3]], others: &[[f32; 3]]) -> Result<Vec<u32>, ImportError> {
    let tolerance = 1e-3 * size(points);
    let cell = |point: &[f32; 3]| point.map(|x| libm::floor(f64::from(x) / tolerance.max(1e-12)) as i64);
    let mut grid: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
    for (index, other) in (0..).zip(others) {
        grid.entry(cell(other)).or_default().push(index);
    }
    let mut partners = Vec::with_capacity(points.len());
    for (vertex, point) in points.iter().enumerate() {
        let [x, y, z] = cell(point);
        let around = (0..27).filter_map(|at| grid.get(&[x + at % 3 - 1, y + at / 3 % 3 - 1, z + at / 9 - 1]));
        let away = |other: u32| wide(others[other as usize]).distance(wide(*point));
        let nearest = around.flatten().copied().min_by(|&a, &b| away(a).total_cmp(&away(b)).then(a.cmp(&b)));
        match nearest.filter(|&partner| away(partner) <= tolerance) {
            Some(partner) => partners.push(partner),
            None => {
                let distance = (0..others.len() as u32).map(away).fold(f64::INFINITY, f64::min);
                return Err(ImportError::Unmatched { vertex, distance });
            }
        }
    }
    Ok(partners)
}
