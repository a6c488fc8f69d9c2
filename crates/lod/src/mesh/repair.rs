//! From a soup of triangles to a closed, outward surface, or a reason why not.

use glam::DVec3;
use proscenium_work::{Halt, Progress, Stopped};

use super::winding::{CELLS, WindingNumbers};
use super::{MOST_TRIANGLES, SolidMesh, Soup, signed_volume};
use crate::LodError;

/// What had to be done to a mesh to make it a solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Vertices that were at the place of another.
    pub welded_vertices: usize,
    /// Triangles with two equal corners, or listed twice.
    pub dropped_triangles: usize,
    /// Triangles that faced the wrong way.
    pub flipped_triangles: usize,
    /// Holes that were closed.
    pub filled_holes: usize,
    /// Triangles that close them.
    pub filling_triangles: usize,
    /// Surfaces that do not touch each other.
    pub parts: usize,
    /// Edges at which the surface branched, or a rim that did not close: the
    /// surface was rebuilt around all that its winding numbers say is inside.
    pub branching_edges: usize,
    /// Whether it was rebuilt, and so is another surface.
    pub is_rebuilt: bool,
}

impl Repair {
    /// Whether the mesh was right as it was, but for vertices listed twice,
    /// as files have them along seams.
    pub fn is_clean(&self) -> bool {
        !self.is_rebuilt && self.dropped_triangles + self.flipped_triangles + self.filled_holes == 0
    }
}

/// What was mended, in words: `1 holes filled, 2 triangles turned`.
impl std::fmt::Display for Repair {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [
            (self.filled_holes, "holes filled"),
            (self.flipped_triangles, "triangles turned"),
            (self.dropped_triangles, "useless triangles dropped"),
        ];
        let mut said: Vec<String> = parts
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
        if self.is_rebuilt {
            let why = match self.branching_edges {
                0 => "the rim of a hole does not close".to_owned(),
                edges => format!("the surface branches at {edges} edges"),
            };
            said.push(format!("rebuilt on a grid of {CELLS} cells by winding numbers, since {why}"));
        }
        formatter.write_str(&said.join(", "))
    }
}

pub(super) fn repair(
    vertices: Vec<DVec3>,
    triangles: &[[u32; 3]],
    progress: &Progress,
) -> Result<(SolidMesh, Repair), Halt<LodError>> {
    const DOING: &str = "mending the mesh";
    check(&vertices, triangles)?;
    let mut report = Repair::default();
    progress.tell(DOING, 0.0)?;
    let (mut vertices, mut triangles) = weld(&vertices, triangles, &mut report);
    progress.tell(DOING, 0.25)?;
    drop_useless(&mut triangles, &mut report);
    if triangles.is_empty() {
        return Err(LodError::NoTriangles.into());
    }
    progress.tell(DOING, 0.5)?;
    let given = triangles.clone();
    match fill_holes(&vertices, &mut triangles, &mut report, progress) {
        Err(Halt::Failed(reason)) => {
            (vertices, triangles) = rebuilt(&vertices, &given, reason, &mut report, &progress.part(0.5, 0.75))?;
        }
        other => other?,
    }
    progress.tell(DOING, 0.75)?;
    turn(&vertices, &mut triangles, &mut report, progress)?;
    let volume = signed_volume(&vertices, &triangles);
    let mesh = SolidMesh { vertices, triangles };
    let (low, high) = mesh.bounds();
    let size = (high - low).length();
    if !(volume.is_finite() && volume > 1e-12 * size * size * size) {
        return Err(LodError::NoVolume { volume }.into());
    }
    Ok((mesh, report))
}

/// The surface of what the winding numbers of a surface say is inside, where the
/// surface itself cannot be mended.
fn rebuilt(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    reason: LodError,
    report: &mut Repair,
    progress: &Progress,
) -> Result<Soup, Halt<LodError>> {
    let (vertices, triangles) = WindingNumbers::new(vertices, triangles).surface(progress)?;
    if triangles.is_empty() {
        return Err(reason.into());
    }
    (report.filled_holes, report.filling_triangles, report.is_rebuilt) = (0, 0, true);
    if let LodError::Branching { edges, .. } = reason {
        report.branching_edges = edges;
    }
    Ok((vertices, triangles))
}

fn check(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), LodError> {
    if triangles.is_empty() {
        return Err(LodError::NoTriangles);
    }
    if triangles.len() > MOST_TRIANGLES {
        return Err(LodError::TooManyTriangles { count: triangles.len(), most: MOST_TRIANGLES });
    }
    // Beyond this, volumes and squares of distances stop being numbers.
    let sound = |vertex: &DVec3| vertex.is_finite() && vertex.abs().max_element() < 1e60;
    if let Some(index) = vertices.iter().position(|vertex| !sound(vertex)) {
        return Err(LodError::NotFinite { index });
    }
    for (index, triangle) in triangles.iter().enumerate() {
        if let Some(&vertex) = triangle.iter().find(|vertex| **vertex as usize >= vertices.len()) {
            return Err(LodError::NoSuchVertex { triangle: index, vertex, count: vertices.len() });
        }
    }
    Ok(())
}

/// Makes one vertex of those at the same place, and leaves out unused ones.
fn weld(vertices: &[DVec3], triangles: &[[u32; 3]], report: &mut Repair) -> Soup {
    let mut used = vec![false; vertices.len()];
    triangles.iter().flatten().for_each(|vertex| used[*vertex as usize] = true);
    // Adding zero makes −0 and 0 the same coordinate.
    let bits = |index: u32| (vertices[index as usize] + DVec3::ZERO).to_array().map(f64::to_bits);
    let mut order: Vec<u32> = (0..vertices.len() as u32).filter(|index| used[*index as usize]).collect();
    order.sort_unstable_by_key(|&index| (bits(index), index));
    let mut first_of = vec![u32::MAX; vertices.len()];
    let mut first = u32::MAX;
    for &index in &order {
        if first == u32::MAX || bits(first) != bits(index) {
            first = index;
        } else {
            report.welded_vertices += 1;
        }
        first_of[index as usize] = first;
    }
    let mut new_index = vec![u32::MAX; vertices.len()];
    let mut kept = Vec::new();
    for index in 0..vertices.len() {
        if first_of[index] == index as u32 {
            new_index[index] = kept.len() as u32;
            kept.push(vertices[index]);
        }
    }
    let renamed = |vertex: u32| new_index[first_of[vertex as usize] as usize];
    (kept, triangles.iter().map(|triangle| triangle.map(renamed)).collect())
}

fn drop_useless(triangles: &mut Vec<[u32; 3]>, report: &mut Repair) {
    let before = triangles.len();
    triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    let sorted = |triangle: &[u32; 3]| {
        let mut corners = *triangle;
        corners.sort_unstable();
        corners
    };
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    order.sort_unstable_by_key(|&index| (sorted(&triangles[index as usize]), index));
    let mut twice = vec![false; triangles.len()];
    for pair in order.windows(2) {
        twice[pair[1] as usize] = sorted(&triangles[pair[0] as usize]) == sorted(&triangles[pair[1] as usize]);
    }
    let mut index = 0;
    triangles.retain(|_| {
        index += 1;
        !twice[index - 1]
    });
    report.dropped_triangles = before - triangles.len();
}

/// An edge of a triangle: its ends in order, the triangle, and whether the
/// triangle runs along it from the lower to the higher end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    low: u32,
    high: u32,
    triangle: u32,
    ascending: bool,
}

fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (index, &[a, b, c]) in triangles.iter().enumerate() {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let (low, high) = (from.min(to), from.max(to));
            sides.push(Side { low, high, triangle: index as u32, ascending: from < to });
        }
    }
    sides.sort_unstable();
    sides
}

fn same_edge(a: &Side, b: &Side) -> bool {
    (a.low, a.high) == (b.low, b.high)
}

fn fill_holes(
    vertices: &[DVec3],
    triangles: &mut Vec<[u32; 3]>,
    report: &mut Repair,
    progress: &Progress,
) -> Result<(), Halt<LodError>> {
    let sides = sides(triangles);
    let branching: Vec<&Side> =
        sides.chunk_by(same_edge).filter(|edge| edge.len() % 2 == 1 && edge.len() > 1).map(|edge| &edge[0]).collect();
    if let Some(first) = branching.first() {
        let place = vertices[first.low as usize];
        return Err(LodError::Branching { edges: branching.len(), x: place.x, y: place.y, z: place.z }.into());
    }
    // The rims: from each vertex the others that a free edge leads to.
    let mut rims: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
    for edge in sides.chunk_by(same_edge).filter(|edge| edge.len() == 1) {
        rims.entry(edge[0].low).or_default().push(edge[0].high);
        rims.entry(edge[0].high).or_default().push(edge[0].low);
    }
    while let Some((&start, _)) = rims.iter().find(|(_, ends)| !ends.is_empty()) {
        let mut rim = vec![start];
        loop {
            progress.check()?;
            let here = rim[rim.len() - 1];
            let Some(next) = rims.get_mut(&here).and_then(Vec::pop) else {
                let place = vertices[here as usize];
                return Err(LodError::OpenRim { x: place.x, y: place.y, z: place.z }.into());
            };
            if let Some(back) = rims.get_mut(&next) {
                back.retain(|end| *end != here);
            }
            // A rim that meets itself is closed there, and the rest follows.
            if let Some(met) = rim.iter().position(|vertex| *vertex == next) {
                fill(vertices, &rim[met..], triangles, report);
                rim.truncate(met + 1);
                if met == 0 {
                    break;
                }
            } else {
                rim.push(next);
            }
        }
        rims.retain(|_, ends| !ends.is_empty());
    }
    Ok(())
}

/// Closes a rim by cutting off the sharpest corner, again and again: no new
/// vertex, and no sliver before its time.
fn fill(vertices: &[DVec3], rim: &[u32], triangles: &mut Vec<[u32; 3]>, report: &mut Repair) {
    let mut rim = rim.to_vec();
    let at = |index: u32| vertices[index as usize];
    let before = triangles.len();
    while rim.len() > 3 {
        let count = rim.len();
        // Long rims are halved instead, which keeps the work in bounds.
        let cut = if count > 256 {
            let half = rim.split_off(count / 2);
            let (mut first, mut second) = (rim.clone(), half.clone());
            first.push(half[0]);
            second.push(rim[0]);
            fill(vertices, &first, triangles, report);
            rim = second;
            report.filled_holes -= 1;
            continue;
        } else {
            let chord = |i: usize| at(rim[(i + count - 1) % count]).distance_squared(at(rim[(i + 1) % count]));
            (0..count).min_by(|a, b| chord(*a).total_cmp(&chord(*b))).unwrap_or(0)
        };
        triangles.push([rim[(cut + count - 1) % count], rim[cut], rim[(cut + 1) % count]]);
        rim.remove(cut);
    }
    if let [a, b, c] = rim[..] {
        triangles.push([a, b, c]);
    }
    report.filled_holes += 1;
    report.filling_triangles += triangles.len() - before;
}

/// Turns triangles until neighbours agree, and each part until it faces out
/// (or in, if it is the wall of a cavity).
fn turn(
    vertices: &[DVec3],
    triangles: &mut [[u32; 3]],
    report: &mut Repair,
    progress: &Progress,
) -> Result<(), Stopped> {
    let given = triangles.to_vec();
    let sides = sides(triangles);
    let mut neighbours: Vec<[(u32, bool); 3]> = vec![[(u32::MAX, false); 3]; triangles.len()];
    let mut counts = vec![0_usize; triangles.len()];
    for edge in sides.chunk_by(same_edge) {
        // Where four sheets meet, orientation does not follow from the edge.
        if let [a, b] = edge {
            let agree = a.ascending != b.ascending;
            for (here, there) in [(a, b), (b, a)] {
                let count = &mut counts[here.triangle as usize];
                neighbours[here.triangle as usize][*count] = (there.triangle, agree);
                *count += 1;
            }
        }
    }
    let mut part_of = vec![u32::MAX; triangles.len()];
    let mut parts: Vec<Vec<u32>> = Vec::new();
    for seed in 0..triangles.len() {
        if part_of[seed] != u32::MAX {
            continue;
        }
        progress.check()?;
        let number = parts.len() as u32;
        let mut part = vec![seed as u32];
        let mut flipped = vec![false];
        part_of[seed] = number;
        let mut next = 0;
        while next < part.len() {
            let (here, is_flipped) = (part[next] as usize, flipped[next]);
            next += 1;
            if is_flipped {
                triangles[here].swap(1, 2);
            }
            for &(there, agree) in &neighbours[here][..counts[here]] {
                if part_of[there as usize] == u32::MAX {
                    part_of[there as usize] = number;
                    part.push(there);
                    flipped.push(is_flipped == agree);
                }
            }
        }
        parts.push(part);
    }
    report.parts = parts.len();
    for (number, part) in parts.iter().enumerate() {
        progress.check()?;
        let own: Vec<[u32; 3]> = part.iter().map(|triangle| triangles[*triangle as usize]).collect();
        let faces_in = signed_volume(vertices, &own) < 0.0;
        let in_cavity = parts.len() > 1 && is_enclosed(vertices, triangles, &part_of, number as u32, own[0]);
        if faces_in != in_cavity {
            part.iter().for_each(|triangle| triangles[*triangle as usize].swap(1, 2));
        }
    }
    let canonical = |[a, b, c]: [u32; 3]| {
        if a < b && a < c {
            [a, b, c]
        } else if b < c {
            [b, c, a]
        } else {
            [c, a, b]
        }
    };
    let mut turned = 0;
    for (now, before) in triangles.iter().zip(&given).take(given.len() - report.filling_triangles) {
        turned += usize::from(canonical(*now) != canonical(*before));
    }
    report.flipped_triangles = turned;
    Ok(())
}

/// Whether a part lies inside an odd number of others: how often a ray from
/// one of its corners crosses them.
fn is_enclosed(vertices: &[DVec3], triangles: &[[u32; 3]], part_of: &[u32], part: u32, corner: [u32; 3]) -> bool {
    let origin = vertices[corner[0] as usize];
    // A direction that no modeller chooses, so that edges are not met.
    let direction = DVec3::new(0.531_702_113, 0.219_038_471, 0.817_996_347).normalize();
    let crossings = triangles.iter().zip(part_of).filter(|(triangle, of)| {
        let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize] - origin);
        **of != part && meets(direction, a, b, c)
    });
    crossings.count() % 2 == 1
}

/// Whether a ray from the origin meets a triangle.
fn meets(direction: DVec3, a: DVec3, b: DVec3, c: DVec3) -> bool {
    let side = |p: DVec3, q: DVec3| direction.dot(p.cross(q));
    let (u, v, w) = (side(a, b), side(b, c), side(c, a));
    let inside = (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
    let normal = (b - a).cross(c - a);
    inside && normal.dot(a) * normal.dot(direction) > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::built_in;
    use proscenium_work::Remedy as _;

    fn torus() -> Soup {
        let mesh = built_in("torus", 2000).unwrap();
        (mesh.vertices, mesh.triangles)
    }

    #[test]
    fn a_hole_is_filled_and_told() {
        let (vertices, mut triangles) = torus();
        let volume = signed_volume(&vertices, &triangles);
        triangles.drain(100..160);
        let (mesh, report) = SolidMesh::new(vertices, &triangles).unwrap();
        assert!(report.filled_holes >= 1 && report.filling_triangles >= 1, "{report:?}");
        assert!((mesh.volume() / volume - 1.0).abs() < 0.1);
        assert!(sides(&mesh.triangles).chunk_by(same_edge).all(|edge| edge.len() % 2 == 0));
    }

    #[test]
    fn flipped_triangles_are_turned_back() {
        let (vertices, right) = torus();
        let mut triangles = right.clone();
        (0..triangles.len()).step_by(7).for_each(|index| triangles[index].swap(0, 1));
        let (mesh, report) = SolidMesh::new(vertices.clone(), &triangles).unwrap();
        assert_eq!(report.flipped_triangles, right.len().div_ceil(7));
        assert!((mesh.volume() - signed_volume(&vertices, &right)).abs() < 1e-12);
        let inside_out: Vec<[u32; 3]> = right.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
        let (mesh, report) = SolidMesh::new(vertices, &inside_out).unwrap();
        assert_eq!(report.flipped_triangles, right.len());
        assert!(mesh.volume() > 0.0);
    }

    #[test]
    fn a_cavity_stays_hollow() {
        let (vertices, triangles) = torus();
        let around = built_in("jack", 600).unwrap().scaled(20.0).unwrap();
        let shift = vertices.len() as u32;
        let all: Vec<DVec3> = vertices.iter().copied().chain(around.vertices.iter().copied()).collect();
        let faces: Vec<[u32; 3]> =
            triangles.iter().copied().chain(around.triangles.iter().map(|t| t.map(|v| v + shift))).collect();
        let (mesh, report) = SolidMesh::new(all, &faces).unwrap();
        let hollow = around.volume() - signed_volume(&vertices, &triangles);
        assert!((mesh.volume() / hollow - 1.0).abs() < 1e-9);
        assert_eq!((report.parts, report.flipped_triangles), (2, triangles.len()));
    }

    /// Two cubes that share a side, which is there once: a wall within the solid.
    #[test]
    fn a_surface_that_branches_is_rebuilt_and_told() {
        let corner = |x: u32, y: u32, z: u32| x + 3 * (y + 2 * z);
        let vertices = (0..12).map(|k| DVec3::new(f64::from(k % 3), f64::from(k / 3 % 2), f64::from(k / 6))).collect();
        let mut quads: Vec<[u32; 4]> = Vec::new();
        for x in [0_u32, 1] {
            let at = |dx: u32, y, z| corner(x + dx, y, z);
            quads.push([at(0, 0, 0), at(0, 1, 0), at(1, 1, 0), at(1, 0, 0)]);
            quads.push([at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)]);
            quads.push([at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1)]);
            quads.push([at(0, 1, 0), at(0, 1, 1), at(1, 1, 1), at(1, 1, 0)]);
        }
        for x in [0, 1, 2] {
            let side = [corner(x, 0, 0), corner(x, 0, 1), corner(x, 1, 1), corner(x, 1, 0)];
            quads.push(if x == 0 { side } else { [side[0], side[3], side[2], side[1]] });
        }
        let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
        let (mesh, report) = SolidMesh::new(vertices, &triangles).unwrap();
        assert!(report.is_rebuilt && report.branching_edges == 4 && !report.is_clean(), "{report:?}");
        assert!(report.to_string().contains("branches at 4 edges"), "{report}");
        assert!((mesh.volume() / 2.0 - 1.0).abs() < 0.02, "{}", mesh.volume());
        assert!(sides(&mesh.triangles).chunk_by(same_edge).all(|edge| edge.len() == 2));
    }

    #[test]
    fn what_cannot_be_mended_is_refused_with_the_reason() {
        let square = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        let flat = SolidMesh::new(square.clone(), &[[0, 1, 2], [0, 2, 3]]).unwrap_err();
        assert!(matches!(flat, LodError::NoVolume { .. }), "{flat}");
        assert_eq!(SolidMesh::new(square.clone(), &[]), Err(LodError::NoTriangles));
        assert_eq!(SolidMesh::new(square.clone(), &[[1, 1, 2]]), Err(LodError::NoTriangles));
        assert!(matches!(SolidMesh::new(square.clone(), &[[0, 1, 9]]), Err(LodError::NoSuchVertex { vertex: 9, .. })));
        assert!(matches!(SolidMesh::new(vec![DVec3::NAN; 3], &[[0, 1, 2]]), Err(LodError::NotFinite { index: 0 })));
        // Three sheets on one edge.
        let mut book = square;
        book.push(DVec3::Z);
        let read =
            SolidMesh::new(book, &[[0, 1, 2], [0, 2, 3], [0, 2, 4]]).map(|(mesh, report)| (mesh.volume(), report));
        assert!(matches!(read, Err(LodError::Branching { edges: 1, .. })), "{read:?}");
        let many = vec![[0, 1, 2]; MOST_TRIANGLES + 1];
        let error = SolidMesh::new(vec![DVec3::ZERO; 3], &many).unwrap_err();
        assert!(error.explain().contains("simplify"), "{error}");
    }
}
