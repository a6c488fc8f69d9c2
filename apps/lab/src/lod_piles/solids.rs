//! Solids that nobody drew: from the seed of a run.

use proscenium_chance::Stream;
use proscenium_lod::SolidMesh;
use proscenium_lod::glam::DVec3;
use proscenium_lod::mesh::SampleGrid;

use crate::error::Halt;

/// The kinds of solids that are drawn.
pub(crate) const DRAWN: [&str; 3] = ["union", "tube", "ring"];

/// A solid as what is closer to it than nothing: negative inside.
enum Field {
    /// Convex parts, each the common part of half-spaces.
    Union(Vec<Vec<(DVec3, f64)>>),
    /// Everything within a distance of a line of points.
    Tube(Vec<DVec3>, f64),
}

impl Field {
    fn drawn(kind: &str, stream: &mut Stream) -> Self {
        match kind {
            "union" => Self::Union((0..2 + stream.below(3)).map(|_| convex_part(stream)).collect()),
            "tube" => Self::Tube(bent_line(stream), 0.12 + 0.08 * stream.uniform()),
            _ => Self::Tube(closed_line(stream), 0.12 + 0.1 * stream.uniform()),
        }
    }

    fn at(&self, point: DVec3) -> f64 {
        match self {
            Self::Union(parts) => {
                let part = |planes: &Vec<(DVec3, f64)>| {
                    planes.iter().map(|(normal, offset)| normal.dot(point) - offset).fold(f64::NEG_INFINITY, f64::max)
                };
                parts.iter().map(part).fold(f64::INFINITY, f64::min)
            }
            Self::Tube(line, radius) => {
                let of = |ends: &[DVec3]| {
                    let along = ends[1] - ends[0];
                    let share = (point - ends[0]).dot(along) / along.length_squared();
                    point.distance(ends[0] + share.clamp(0.0, 1.0) * along)
                };
                line.windows(2).map(of).fold(f64::INFINITY, f64::min) - radius
            }
        }
    }
}

/// A part that reaches from the middle to somewhere in the unit ball.
fn convex_part(stream: &mut Stream) -> Vec<(DVec3, f64)> {
    let middle = 0.45 * stream.unit_vector();
    let long = stream.unit_vector();
    let mut planes: Vec<(DVec3, f64)> = Vec::new();
    for _ in 0..9 {
        let normal = stream.unit_vector();
        planes.push((normal, normal.dot(middle) + 0.16 + 0.3 * normal.dot(long).abs() + 0.1 * stream.uniform()));
    }
    // Without these a part could be without end.
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        planes.extend([(axis, axis.dot(middle) + 0.5), (-axis, 0.5 - axis.dot(middle))]);
    }
    planes
}

fn bent_line(stream: &mut Stream) -> Vec<DVec3> {
    let mut point = || 0.7 * stream.unit_vector();
    let [a, b, c] = [point(), point(), point()];
    (0..=12)
        .map(|k| {
            let t = f64::from(k) / 12.0;
            (1.0 - t) * (1.0 - t) * a + 2.0 * t * (1.0 - t) * b + t * t * c
        })
        .collect()
}

fn closed_line(stream: &mut Stream) -> Vec<DVec3> {
    let (wide, deep) = (0.55 + 0.2 * stream.uniform(), 0.35 + 0.3 * stream.uniform());
    let bend = 0.25 * stream.uniform();
    let place = |k: u32| {
        let angle = std::f64::consts::TAU * f64::from(k % 24) / 24.0;
        DVec3::new(wide * libm::cos(angle), bend * libm::cos(2.0 * angle), deep * libm::sin(angle))
    };
    (0..=24).map(place).collect()
}

/// A solid of a kind, about as large as the unit ball, with triangles as fine as
/// a grid of so many cells along each axis.
pub(crate) fn drawn(kind: &str, cells: usize, stream: &mut Stream) -> Result<SolidMesh, Halt> {
    // A drawing in parts that do not touch is drawn again.
    for _ in 0..64 {
        let field = Field::drawn(kind, stream);
        let (vertices, triangles) = surface(&field, cells);
        if let Ok((mesh, report)) = SolidMesh::new(vertices, &triangles)
            && report.parts == 1
            && report.is_clean()
        {
            return Ok(mesh);
        }
    }
    let known = DRAWN.join(", ");
    Err(proscenium_lod::LodError::Unknown { what: "solid", name: kind.to_owned(), known }.into())
}

/// The surface where a field is zero.
fn surface(field: &Field, cells: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    const HALF: f64 = 1.15;
    let grid = SampleGrid { low: DVec3::splat(-HALF), cell: 2.0 * HALF / cells as f64, points: [cells + 1; 3] };
    let inside: Vec<bool> = (0..grid.count()).map(|number| field.at(grid.place(number)) < 0.0).collect();
    grid.surface(&inside, |near, far| {
        let (low, high) = (field.at(near), field.at(far));
        // Not too near a corner of the grid, so that no triangle is a needle.
        (low / (low - high)).clamp(0.15, 0.85)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;

    #[test]
    fn every_kind_is_a_solid() {
        for kind in DRAWN {
            for sample in 0..1 {
                let mesh = drawn(kind, 12, &mut Seed(5).stream(kind).at(sample)).unwrap();
                assert!(mesh.volume() > 0.01 && mesh.triangles().len() > 100, "{kind}");
            }
        }
    }
}
