//! The outlines of roads and junctions: where walls stand, and what is open.

use glam::DVec2;

use super::Map;
use super::ids::{JunctionId, RoadId};
use super::shape;

/// The least distance of a road's mouth from the middle of its junction, metres.
/// Chosen: about a lane, so that a curve through the junction has a length.
pub(super) const LEAST_SETBACK: f64 = 3.0;
/// What is left between a corner and a stop line, metres. Chosen: as painted.
const MARGIN: f64 = 1.0;

/// How far two neighbouring roads must be set back so that their walls meet
/// before their mouths do: directions away from the junction, the second
/// clockwise of the first, with half widths.
pub(crate) fn setbacks(this: DVec2, half: f64, next: DVec2, next_half: f64) -> [f64; 2] {
    let (this, next) = (this.normalize_or(DVec2::X), next.normalize_or(DVec2::X));
    let (cosine, sine) = (this.dot(next), this.perp_dot(next));
    // From 170 degrees on there is no corner worth a setback.
    if sine <= 0.0 && cosine < 0.999 || cosine < -0.985 {
        return [LEAST_SETBACK; 2];
    }
    let sine = sine.max(1e-3);
    let reach = |own: f64, other: f64| ((other + own * cosine) / sine + MARGIN).max(LEAST_SETBACK);
    [reach(half, next_half), reach(next_half, half)]
}

/// What stands at a side of a junction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A wall.
    Wall,
    /// The mouth of a road.
    Mouth(RoadId),
}

/// The outline of a junction: a polygon around its middle, clockwise as seen
/// from above, which the middle sees all of (unless roads are so short that
/// they overlap there).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Corners, metres.
    pub points: Vec<DVec2>,
    /// What stands between each corner and the next.
    pub sides: Vec<Side>,
}

/// A line across a road between its walls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossSection {
    /// On the left of the road's direction, metres.
    pub left: DVec2,
    /// On the right.
    pub right: DVec2,
}

impl Map {
    /// The line across a road at one of its [points](Map::road_points). The
    /// first and the last are its mouths. Between two of them a road is a
    /// quadrilateral, whose left and right sides are walls.
    #[inline]
    pub fn cross_section(&self, road: RoadId, point: usize) -> CrossSection {
        let points = self.road_points(road);
        let across = shape::across(points, point) * f64::from(self.road(road).half_width);
        CrossSection { left: points[point] - across, right: points[point] + across }
    }

    /// The mouth of a road at a junction, as one looks away from the junction.
    pub fn mouth(&self, road: RoadId, junction: JunctionId) -> CrossSection {
        if self.road(road).from == junction {
            self.cross_section(road, 0)
        } else {
            let CrossSection { left, right } = self.cross_section(road, self.road_points(road).len() - 1);
            CrossSection { left: right, right: left }
        }
    }

    /// The direction in which a road leaves a junction, at its mouth: a unit vector.
    pub fn away(&self, road: RoadId, junction: JunctionId) -> DVec2 {
        let points = self.road_points(road);
        let last = points.len() - 1;
        let step =
            if self.road(road).from == junction { points[1] - points[0] } else { points[last - 1] - points[last] };
        step.normalize_or(DVec2::X)
    }

    /// The outline of a junction.
    pub fn outline(&self, junction: JunctionId) -> Outline {
        let mut outline = Outline::default();
        self.outline_into(junction, &mut outline);
        outline
    }

    /// The outline of a junction, into one that is used again.
    pub fn outline_into(&self, junction: JunctionId, outline: &mut Outline) {
        outline.points.clear();
        outline.sides.clear();
        let all = self.roads_at(junction);
        let inside: Vec<RoadId>;
        let around = if all.iter().any(|road| self.road(*road).is_beyond) {
            inside = all.iter().copied().filter(|road| !self.road(*road).is_beyond).collect();
            &inside[..]
        } else {
            all
        };
        for (place, road) in around.iter().enumerate() {
            let next = around[(place + 1) % around.len()];
            let (mouth, next_mouth) = (self.mouth(*road, junction), self.mouth(next, junction));
            outline.points.extend([mouth.left, mouth.right]);
            outline.sides.extend([Side::Mouth(*road), Side::Wall]);
            let half = 0.5 * (self.road(*road).half_width + self.road(next).half_width);
            let (this_away, next_away) = (self.away(*road, junction), self.away(next, junction));
            let middle = self.junction(junction).position;
            match corner(mouth.right, this_away, next_mouth.left, next_away) {
                Some(corner) => outline.add(corner),
                None => outline.go_round(middle, f64::from(half), mouth.right, next_mouth.left),
            }
        }
    }
}

/// Where the walls of two neighbouring roads meet, if that is before both mouths.
fn corner(right: DVec2, away: DVec2, left: DVec2, next_away: DVec2) -> Option<DVec2> {
    let sine = away.perp_dot(next_away);
    if sine < 0.1 {
        return None;
    }
    let back = (right - left).perp_dot(next_away) / sine;
    let next_back = (right - left).perp_dot(away) / sine;
    (back > 1e-6 && next_back > 1e-6).then(|| right - away * back)
}

impl Outline {
    fn add(&mut self, corner: DVec2) {
        self.points.push(corner);
        self.sides.push(Side::Wall);
    }

    /// A wall around the middle from one point to another, clockwise, where no
    /// road is for more than 150 degrees.
    fn go_round(&mut self, middle: DVec2, radius: f64, from: DVec2, to: DVec2) {
        let (from, to) = (from - middle, to - middle);
        let start = libm::atan2(from.y, from.x);
        let gap = libm::atan2(from.perp_dot(to), from.dot(to));
        let gap = if gap < -0.5 { gap + std::f64::consts::TAU } else { gap };
        let pieces = if gap > 2.6 { (gap / 1.75).ceil() as usize } else { 1 };
        for piece in 1..pieces {
            let angle = start + gap * piece as f64 / pieces as f64;
            self.add(middle + radius * DVec2::new(libm::cos(angle), libm::sin(angle)));
        }
    }
}
