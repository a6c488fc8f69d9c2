//! What is drawn of a die: its faces, and what is written on them.

use glam::DVec3;

use super::solid::Solid;

/// A flat part of a die's surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Where it looks, of length one.
    pub normal: DVec3,
    /// Its corners, counterclockwise as seen from outside, before edges are rounded, m.
    pub corners: Vec<DVec3>,
    /// What is written on it: one number, or on four sides those of its three corners.
    pub labels: Vec<Label>,
}

/// A number on a face.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// What is on it.
    pub number: u32,
    /// Whether it is a 6 or a 9 on a solid that has both, and so has a mark below.
    pub marked: bool,
    /// Its middle, m.
    pub place: DVec3,
    /// Where its upper end is, of length one.
    pub up: DVec3,
    /// How high it may be, m.
    pub height: f64,
}

impl Label {
    /// The letters; `tens` for the first solid of a d100.
    #[must_use]
    pub fn text(&self, tens: bool) -> String {
        match (tens, self.marked) {
            (true, _) => format!("{}0", self.number),
            (false, true) => format!("{}.", self.number),
            (false, false) => self.number.to_string(),
        }
    }
}

impl Solid {
    /// Its faces, in the order of [`Solid::sides`].
    ///
    /// ```
    /// use proscenium_scenes::dice::Solid;
    ///
    /// let faces = Solid::D12.faces();
    /// assert!(faces.len() == 12 && faces.iter().all(|face| face.corners.len() == 5));
    /// ```
    #[must_use]
    pub fn faces(self) -> Vec<Face> {
        let sides = self.sides();
        let numbers = |number| sides.iter().any(|side| side.number == number);
        let both = numbers(6) && numbers(9);
        let corners = self.corners();
        let mut faces = Vec::with_capacity(sides.len());
        for side in &sides {
            // With four sides a number belongs to a corner, and the face is opposite.
            let normal = if self == Self::D4 { -side.direction } else { side.direction };
            let own = around(&corners, normal);
            let middle = own.iter().sum::<DVec3>() / own.len().max(1) as f64;
            let inner = inner_radius(&own, middle);
            let label = |number: u32, place: DVec3, up: DVec3, height: f64| {
                let up = (up - up.dot(normal) * normal).normalize_or_zero();
                Label { number, marked: both && (number == 6 || number == 9), place, up, height }
            };
            let labels = if self == Self::D4 {
                let near = |corner: &DVec3| sides.iter().find(|side| side.direction.dot(corner.normalize()) > 0.99);
                let numbered = own.iter().filter_map(|corner| near(corner).map(|side| (corner, side.number)));
                numbered
                    .map(|(corner, number)| label(number, middle.lerp(*corner, 0.5), *corner, 0.7 * inner))
                    .collect()
            } else {
                // A square has its number along an edge, the others towards a corner; a kite
                // towards its tip, at which it is farthest from the middle.
                let far = own.iter().copied().max_by(|a, b| a.distance(middle).total_cmp(&b.distance(middle)));
                let up = match own.as_slice() {
                    [a, b, _, _] if self == Self::D6 => 0.5 * (*a + *b) - middle,
                    _ => far.unwrap_or(DVec3::Y) - middle,
                };
                vec![label(side.number, middle, up, self.share() * inner)]
            };
            faces.push(Face { normal, corners: own, labels });
        }
        faces
    }

    /// How high a number is, as a share of the radius of the circle inside its face.
    fn share(self) -> f64 {
        match self {
            Self::D6 | Self::D12 => 1.1,
            _ => 0.9,
        }
    }
}

/// The corners that lie farthest along a direction, counterclockwise around it.
fn around(corners: &[DVec3], normal: DVec3) -> Vec<DVec3> {
    let farthest = corners.iter().map(|corner| corner.dot(normal)).fold(f64::MIN, f64::max);
    let mut own: Vec<DVec3> = corners.iter().copied().filter(|corner| corner.dot(normal) > farthest - 1e-6).collect();
    let middle = own.iter().sum::<DVec3>() / own.len().max(1) as f64;
    let first = (own.first().copied().unwrap_or(DVec3::Y) - middle).normalize_or_zero();
    let second = normal.cross(first);
    let angle = |corner: &DVec3| libm::atan2((*corner - middle).dot(second), (*corner - middle).dot(first));
    own.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    own
}

/// From the middle to the nearest edge.
fn inner_radius(corners: &[DVec3], middle: DVec3) -> f64 {
    let edges = corners.iter().zip(corners.iter().cycle().skip(1));
    let distance = |(a, b): (&DVec3, &DVec3)| (middle - *a).reject_from((*b - *a).normalize_or_zero()).length();
    edges.map(distance).fold(f64::MAX, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Euler's formula: the faces close to a solid, with every corner and edge counted.
    #[test]
    fn faces_close_to_a_solid() {
        for (solid, faces, sides, corners) in [
            (Solid::D4, 4, 3, 4),
            (Solid::D6, 6, 4, 8),
            (Solid::D8, 8, 3, 6),
            (Solid::D10, 10, 4, 12),
            (Solid::D12, 12, 5, 20),
            (Solid::D20, 20, 3, 12),
        ] {
            let found = solid.faces();
            assert_eq!((found.len(), solid.corners().len()), (faces, corners), "{solid:?}");
            let edges: usize = found.iter().map(|face| face.corners.len()).sum::<usize>() / 2;
            assert!(found.iter().all(|face| face.corners.len() == sides), "{solid:?}");
            assert_eq!(corners + faces, edges + 2, "{solid:?}");
        }
    }

    /// Each face is flat, counterclockwise, and its numbers lie on it.
    #[test]
    fn numbers_lie_on_flat_faces() {
        for solid in Solid::ALL {
            for face in solid.faces() {
                let [a, b, c, ..] = face.corners[..] else { panic!("{solid:?} has a face of two corners") };
                assert!((b - a).cross(c - b).normalize().dot(face.normal) > 1.0 - 1e-9, "{solid:?}");
                for label in &face.labels {
                    assert!((label.place - a).dot(face.normal).abs() < 1e-9, "{solid:?}");
                    assert!(label.up.dot(face.normal).abs() < 1e-9 && label.up.is_normalized(), "{solid:?}");
                }
            }
        }
    }

    /// A tetrahedron is read at the corner that points up: all three faces around it have
    /// its number there, upright.
    #[test]
    fn four_sides_agree_at_a_corner() {
        for side in Solid::D4.sides() {
            let faces = Solid::D4.faces();
            let mut seen = 0;
            for face in faces.iter().filter(|face| face.normal.dot(side.direction) > 0.0) {
                let upright =
                    face.labels.iter().max_by(|a, b| a.up.dot(side.direction).total_cmp(&b.up.dot(side.direction)));
                assert_eq!(upright.unwrap().number, side.number);
                seen += 1;
            }
            assert_eq!(seen, 3);
        }
    }

    #[test]
    fn sixes_and_nines_can_be_told_apart() {
        let marked =
            |solid: Solid| solid.faces().iter().flat_map(|face| &face.labels).filter(|label| label.marked).count();
        assert_eq!(Solid::ALL.map(marked), [0, 0, 0, 2, 2, 2]);
    }
}
