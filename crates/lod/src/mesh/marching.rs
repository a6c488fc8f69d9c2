//! Surfaces between points that are inside and points that are not.

use std::collections::HashMap;

use glam::DVec3;

use super::Soup;

/// The points of a grid at which a solid is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleGrid {
    /// The lowest of them.
    pub low: DVec3,
    /// The distance of neighbours, metres.
    pub cell: f64,
    /// How many there are along each axis.
    pub points: [usize; 3],
}

impl SampleGrid {
    /// How many points there are.
    pub fn count(&self) -> usize {
        self.points.iter().product()
    }

    /// Where a point is, by its number: the first axis counts fastest.
    pub fn place(&self, number: usize) -> DVec3 {
        let [wide, deep, _] = self.points;
        let steps = [number % wide, number / wide % deep, number / (wide * deep)];
        self.low + self.cell * DVec3::from(steps.map(|step| step as f64))
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.points[0] * (y + self.points[1] * z)
    }

    /// The surface between the points that are inside and those that are not:
    /// every cell in six tetrahedra, and one or two triangles for each that it
    /// crosses. It is closed where no point of the rim is inside. `cut` says how
    /// far from a point inside to its neighbour outside the surface is, as a
    /// share from 0 to 1.
    ///
    /// ```
    /// use proscenium_lod::SolidMesh;
    /// use proscenium_lod::glam::DVec3;
    /// use proscenium_lod::mesh::SampleGrid;
    ///
    /// let grid = SampleGrid { low: DVec3::splat(-1.2), cell: 0.1, points: [25; 3] };
    /// let inside: Vec<bool> = (0..grid.count()).map(|number| grid.place(number).length() < 1.0).collect();
    /// let cut = |from: DVec3, to: DVec3| ((1.0 - from.length()) / (to.length() - from.length())).clamp(0.1, 0.9);
    /// let (vertices, triangles) = grid.surface(&inside, cut);
    /// let (ball, report) = SolidMesh::new(vertices, &triangles)?;
    /// assert!(report.is_clean() && (ball.volume() - 4.19).abs() < 0.1);
    /// # Ok::<(), proscenium_lod::LodError>(())
    /// ```
    pub fn surface(&self, inside: &[bool], mut cut: impl FnMut(DVec3, DVec3) -> f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        const WAYS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        let is_inside = |number: usize| inside.get(number).copied().unwrap_or(false);
        let mut corners: HashMap<[usize; 2], u32> = HashMap::new();
        let (mut vertices, mut triangles): Soup = (Vec::new(), Vec::new());
        let mut between = |near: usize, far: usize| {
            *corners.entry([near.min(far), near.max(far)]).or_insert_with(|| {
                let (from, to) = (self.place(near), self.place(far));
                vertices.push(from.lerp(to, cut(from, to).clamp(0.0, 1.0)));
                vertices.len() as u32 - 1
            })
        };
        let mut outward: Vec<DVec3> = Vec::new();
        let cells = self.points.map(|points| points.saturating_sub(1));
        for cell in 0..cells.iter().product::<usize>() {
            let base = [cell % cells[0], cell / cells[0] % cells[1], cell / (cells[0] * cells[1])];
            for way in WAYS {
                // From the lowest corner to the highest, one axis after the other.
                let mut at = base;
                let mut tetrahedron = [self.number(at); 4];
                for (step, axis) in way.into_iter().enumerate() {
                    at[axis] += 1;
                    tetrahedron[step + 1] = self.number(at);
                }
                let (within, beyond): (Vec<usize>, Vec<usize>) =
                    tetrahedron.iter().partition(|number| is_inside(**number));
                match (within.as_slice(), beyond.as_slice()) {
                    (&[a], &[b, c, d]) => triangles.push([b, c, d].map(|far| between(a, far))),
                    (&[b, c, d], &[a]) => triangles.push([b, c, d].map(|near| between(near, a))),
                    (&[a, b], &[c, d]) => {
                        let [p, q, r, s] = [(a, c), (a, d), (b, d), (b, c)].map(|(near, far)| between(near, far));
                        triangles.extend([[p, q, r], [p, r, s]]);
                    }
                    _ => continue,
                }
                let middle = |numbers: &[usize]| {
                    numbers.iter().map(|number| self.place(*number)).sum::<DVec3>() / numbers.len() as f64
                };
                outward.resize(triangles.len(), middle(&beyond) - middle(&within));
            }
        }
        for (triangle, outward) in triangles.iter_mut().zip(outward) {
            let [a, b, c] = triangle.map(|corner| vertices[corner as usize]);
            if (b - a).cross(c - a).dot(outward) < 0.0 {
                triangle.swap(1, 2);
            }
        }
        (vertices, triangles)
    }
}
