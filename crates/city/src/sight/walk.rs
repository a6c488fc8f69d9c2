//! Walking roads with a view that is cropped at each opening (algorithm B.1).

use glam::DVec2;

use super::cone::Cone;
use super::{Eye, NONE, Opening, Standing, VisibleRoads, WALL_HEIGHT};
use crate::map::{CrossSection, JunctionId, Map, Outline, OutlineSide, RoadId, contains};

/// A view that is about to enter a road at one of its ends.
struct Entry {
    road: RoadId,
    from_start: bool,
    cone: Cone,
}

/// The views of one viewer that are still to be followed.
struct Walk<'map> {
    map: &'map Map,
    viewer: usize,
    reach: f64,
    waiting: std::collections::VecDeque<Entry>,
    outline: Outline,
}

fn open(section: CrossSection) -> [DVec2; 2] {
    [section.left, section.right]
}

impl VisibleRoads {
    /// Marks what one viewer sees.
    pub(super) fn walk(&mut self, map: &Map, viewer: usize, eye: &Eye) -> Standing {
        if eye.height > WALL_HEIGHT {
            self.look_over(map, eye);
            return Standing::Above;
        }
        let mut walk = Walk {
            map,
            viewer,
            reach: eye.reach,
            waiting: std::collections::VecDeque::new(),
            outline: Outline::default(),
        };
        let standing = stand(map, eye.position);
        for cone in eye.cones() {
            match standing {
                Standing::Road(road) => self.start_on_road(&mut walk, road, cone),
                Standing::Junction(junction) => self.start_in_junction(&mut walk, junction, cone),
                Standing::Above | Standing::OffTheMap => {}
            }
        }
        while let Some(entry) = walk.waiting.pop_front() {
            self.follow(&mut walk, entry);
        }
        standing
    }

    /// `renderRoad` of algorithm B.1: marks the road and follows the view to
    /// the roads behind its other end.
    fn follow(&mut self, walk: &mut Walk, entry: Entry) {
        let Entry { road, from_start, cone } = entry;
        if !self.enter(walk, road, Some(from_start), cone) {
            return;
        }
        let last = walk.map.road_points(road).len() - 1;
        let sections = 1..=last;
        let at = |section: usize| if from_start { section } else { last - section };
        self.along(walk, road, sections.map(at), cone);
    }

    /// Crops a view at the lines across a road, one after the other, and lets
    /// what is left into the junction behind the last.
    fn along(&mut self, walk: &mut Walk, road: RoadId, sections: impl Iterator<Item = usize>, mut cone: Cone) {
        let mut end = 0;
        for section in sections {
            self.cells += 1;
            match cone.crop(open(walk.map.cross_section(road, section)), walk.reach) {
                Some(left) => cone = left,
                None => return,
            }
            end = section;
        }
        let junction = if end == 0 { walk.map.road(road).from } else { walk.map.road(road).to };
        self.through(walk, junction, road, cone);
    }

    /// Marks a road, and says whether the view shows anything new of it: the
    /// guard without which views could go round for ever.
    fn enter(&mut self, walk: &Walk, road: RoadId, from_start: Option<bool>, cone: Cone) -> bool {
        self.mark(road);
        let mut known = self.road_frames[road.index()][1];
        while known != NONE {
            let opening = &self.openings[known as usize];
            if opening.viewer == walk.viewer && opening.from_start == from_start && opening.cone.contains(&cone) {
                return false;
            }
            known = opening.previous;
        }
        let previous = self.road_frames[road.index()][1];
        self.road_frames[road.index()][1] = self.openings.len() as u32;
        self.openings.push(Opening { road, viewer: walk.viewer, cone, previous, from_start });
        true
    }

    /// Follows a view from the mouth of a road through a junction. Its outline
    /// is cut into triangles around its middle; a view that enters one by the
    /// mouth leaves it by the lines to the middle, and goes on to both sides.
    fn through(&mut self, walk: &mut Walk, junction: JunctionId, road: RoadId, cone: Cone) {
        self.mark_junction(junction);
        walk.map.outline_into(junction, &mut walk.outline);
        let Some(side) = walk.outline.sides.iter().position(|side| *side == OutlineSide::Mouth(road)) else {
            return;
        };
        self.around(walk, junction, side, cone);
    }

    /// Goes from one triangle of a junction clockwise and anticlockwise.
    fn around(&mut self, walk: &mut Walk, junction: JunctionId, start: usize, cone: Cone) {
        let count = walk.outline.points.len();
        let middle = walk.map.junction(junction).position;
        for clockwise in [true, false] {
            let mut left = cone;
            let mut triangle = start;
            for _ in 1..count {
                // The line from the middle between this triangle and the next.
                let spoke = if clockwise { (triangle + 1) % count } else { triangle };
                self.cells += 1;
                match left.crop([middle, walk.outline.points[spoke]], walk.reach) {
                    Some(cropped) => left = cropped,
                    None => break,
                }
                triangle = if clockwise { spoke } else { (triangle + count - 1) % count };
                self.out_of(walk, junction, triangle, left);
            }
        }
    }

    /// Lets a view out of a triangle's outer side, if that is the mouth of a road.
    fn out_of(&mut self, walk: &mut Walk, junction: JunctionId, triangle: usize, cone: Cone) {
        let OutlineSide::Mouth(road) = walk.outline.sides[triangle] else {
            return;
        };
        let next = (triangle + 1) % walk.outline.points.len();
        let mouth = [walk.outline.points[triangle], walk.outline.points[next]];
        if let Some(cone) = cone.crop(mouth, walk.reach) {
            let from_start = walk.map.road(road).from == junction;
            walk.waiting.push_back(Entry { road, from_start, cone });
        }
    }

    /// The viewer is on a road: looks towards both ends from the piece of it
    /// where the viewer stands.
    fn start_on_road(&mut self, walk: &mut Walk, road: RoadId, cone: Cone) {
        let last = walk.map.road_points(road).len() - 1;
        let corners = |piece: usize| {
            let (near, far) = (walk.map.cross_section(road, piece), walk.map.cross_section(road, piece + 1));
            [near.left, far.left, far.right, near.right]
        };
        let piece = (0..last).find(|piece| contains(&corners(*piece), cone.apex)).unwrap_or(0);
        let middle = corners(piece).iter().sum::<DVec2>() / 4.0;
        let cone = nudged(cone, middle);
        self.enter(walk, road, None, cone);
        self.along(walk, road, piece + 1..=last, cone);
        self.along(walk, road, (0..=piece).rev(), cone);
    }

    /// The viewer is in a junction: looks out of the triangle where the viewer
    /// stands. The road of the nearest mouth counts as the viewer's.
    fn start_in_junction(&mut self, walk: &mut Walk, junction: JunctionId, cone: Cone) {
        let map = walk.map;
        map.outline_into(junction, &mut walk.outline);
        let middle = map.junction(junction).position;
        let points = &walk.outline.points;
        let corner = |place: usize| points[place % points.len()];
        let is_in = |side: &usize| contains(&[middle, corner(*side), corner(*side + 1)], cone.apex);
        let side = (0..points.len()).find(is_in).unwrap_or(0);
        let cone = nudged(cone, (middle + corner(side) + corner(side + 1)) / 3.0);
        let distance = |road: &RoadId| {
            let CrossSection { left, right } = map.mouth(*road, junction);
            left.midpoint(right).distance_squared(cone.apex)
        };
        let inside = map.roads_at(junction).iter().filter(|road| !map.road(**road).is_beyond);
        let nearest = inside.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(road) = nearest {
            self.mark(*road);
        }
        self.mark_junction(junction);
        self.out_of(walk, junction, side, cone);
        self.around(walk, junction, side, cone);
    }

    /// The viewer is above the walls: all roads that reach into the view.
    fn look_over(&mut self, map: &Map, eye: &Eye) {
        let span = DVec2::splat(eye.reach);
        let cones = eye.cones();
        for road in map.roads_in(eye.position - span, eye.position + span) {
            self.cells += 1;
            let ends = [map.road(road).from, map.road(road).to].map(|end| map.junction(end).position);
            let points = map.road_points(road);
            let line = std::iter::once(ends[0]).chain(points.iter().copied()).chain(std::iter::once(ends[1]));
            let line: Vec<DVec2> = line.collect();
            // As far as the road is wide on all sides, from a little behind the eye.
            let width = 2.0 * f64::from(map.road(road).half_width);
            let reached = |cone: &Cone| {
                let back = cone.middle() * (width / libm::sin(0.5 * cone_angle(cone)).max(0.1));
                let wider = Cone { apex: cone.apex - back, ..*cone };
                line.windows(2).any(|pair| {
                    let near = crate::map::from_segment(eye.position, pair) <= eye.reach + width;
                    near && (wider.clip([pair[0], pair[1]]).is_some() || cone.clip([pair[0], pair[1]]).is_some())
                })
            };
            if cones.iter().any(reached) {
                self.mark(road);
                for end in [map.road(road).from, map.road(road).to] {
                    self.mark_junction(end);
                }
            }
        }
    }
}

/// Where a place is. One on the very line between a road and a junction may be
/// in neither: then what is a millimetre beside it.
fn stand(map: &Map, place: DVec2) -> Standing {
    let steps = [DVec2::ZERO, DVec2::X, DVec2::NEG_X, DVec2::Y, DVec2::NEG_Y];
    let at = |place: DVec2| match map.road_at(place) {
        Some(road) => Some(Standing::Road(road)),
        None => map.junction_at(place).map(Standing::Junction),
    };
    steps.iter().find_map(|step| at(place + *step * 1e-3)).unwrap_or(Standing::OffTheMap)
}

fn cone_angle(cone: &Cone) -> f64 {
    libm::atan2(cone.left.perp_dot(cone.right), cone.left.dot(cone.right))
}

/// A viewer exactly on a line between two cells would see neither side of it.
fn nudged(cone: Cone, inwards: DVec2) -> Cone {
    Cone { apex: cone.apex + (inwards - cone.apex).clamp_length_max(1e-6), ..cone }
}
