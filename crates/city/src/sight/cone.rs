//! A view in the plan: what lies between two directions.

use glam::DVec2;

/// The widest cone, radians: narrower than half a turn, so that a cone is what
/// lies to the right of one line and to the left of another.
pub(super) const MOST_ANGLE: f64 = 2.0;

/// What lies clockwise of one direction and anticlockwise of another, as seen
/// from a place; less than half a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Where it is seen from, metres.
    pub apex: DVec2,
    /// Its left edge, a direction of any length.
    pub left: DVec2,
    /// Its right edge.
    pub right: DVec2,
}

impl Cone {
    pub(super) fn new(apex: DVec2, left: DVec2, right: DVec2) -> Self {
        Self { apex, left, right }
    }

    /// The part of a segment that lies in the cone.
    pub(crate) fn clip(&self, segment: [DVec2; 2]) -> Option<[DVec2; 2]> {
        let [mut a, mut b] = segment;
        // Two half-planes: right of the left edge, and left of the right edge.
        for edge in [self.left, -self.right] {
            let (at_a, at_b) = (edge.perp_dot(a - self.apex), edge.perp_dot(b - self.apex));
            if at_a < 0.0 && at_b < 0.0 {
                return None;
            }
            if at_a < 0.0 {
                a += (b - a) * (at_a / (at_a - at_b));
            } else if at_b < 0.0 {
                b += (a - b) * (at_b / (at_b - at_a));
            }
        }
        Some([a, b])
    }

    /// What is left of the cone behind an opening (`crop` of algorithm B.1):
    /// nothing when the opening is beside it, or farther away than `reach`.
    pub(super) fn crop(&self, opening: [DVec2; 2], reach: f64) -> Option<Self> {
        let [a, b] = self.clip(opening)?;
        let (to_a, to_b) = (a - self.apex, b - self.apex);
        if crate::map::from_segment(self.apex, &[a, b]) > reach {
            return None;
        }
        let turn = to_a.perp_dot(to_b);
        // A sliver without an inside shows nothing.
        if turn.abs() <= 1e-12 * to_a.length() * to_b.length() {
            return None;
        }
        let (left, right) = if turn > 0.0 { (to_a, to_b) } else { (to_b, to_a) };
        Some(Self { apex: self.apex, left, right })
    }

    /// Whether another cone with the same apex lies within this one.
    pub(super) fn contains(&self, other: &Self) -> bool {
        let holds = |edge: DVec2| self.left.perp_dot(edge) >= 0.0 && edge.perp_dot(self.right) >= 0.0;
        self.apex == other.apex && holds(other.left) && holds(other.right)
    }

    /// The direction half way between the edges: a unit vector.
    pub fn middle(&self) -> DVec2 {
        (self.left.normalize_or_zero() + self.right.normalize_or_zero()).normalize_or(DVec2::X)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cone_is_cropped_at_an_opening() {
        let cone = Cone::new(DVec2::ZERO, DVec2::new(1.0, -1.0), DVec2::new(1.0, 1.0));
        let whole = cone.crop([DVec2::new(10.0, -2.0), DVec2::new(10.0, 2.0)], 100.0).unwrap();
        assert_eq!((whole.left, whole.right), (DVec2::new(10.0, -2.0), DVec2::new(10.0, 2.0)));
        assert!(cone.contains(&whole) && !whole.contains(&cone));
        let part = cone.crop([DVec2::new(10.0, 40.0), DVec2::new(10.0, 2.0)], 100.0).unwrap();
        assert_eq!((part.left, part.right), (DVec2::new(10.0, 2.0), DVec2::new(10.0, 10.0)));
        assert_eq!(cone.crop([DVec2::new(-10.0, -2.0), DVec2::new(-10.0, 2.0)], 100.0), None);
        assert_eq!(cone.crop([DVec2::new(10.0, 30.0), DVec2::new(10.0, 20.0)], 100.0), None);
        assert_eq!(cone.crop([DVec2::new(10.0, -2.0), DVec2::new(10.0, 2.0)], 9.0), None);
    }
}
