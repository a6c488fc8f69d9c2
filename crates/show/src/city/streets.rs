//! Roads, junctions, stop lines, signs and walls as meshes.

use glam::{DVec2, DVec3};
use proscenium_city::Map;
use proscenium_city::map::{Control, JunctionId, OutlineSide, RoadId, shape};
use proscenium_city::sight::WALL_HEIGHT;
use proscenium_clip::{Clip, ClipError, Material, Node};
use proscenium_work::{Completion, Progress, Stopped};

use super::surface::Surface;

/// Height of the kerb, metres.
const KERB: f64 = 0.12;
/// Markings lie so much above the road that they never flicker, metres.
const PAINT: f64 = 0.015;
/// Tints of walls, of which each wall takes one.
const TINTS: [[f32; 3]; 4] = [[0.55, 0.42, 0.33], [0.62, 0.55, 0.45], [0.45, 0.40, 0.38], [0.66, 0.60, 0.55]];

/// What lies in the streets.
#[derive(Default)]
struct Streets {
    asphalt: Surface,
    pavement: Surface,
    paint: Surface,
    posts: Surface,
    signs: Surface,
    walls: [Surface; 4],
}

/// Some roads of a map, and the junctions at their ends, as a clip without
/// motion. Places are relative to `origin`, so that meshes far from the
/// middle of the map stay exact.
///
/// # Errors
/// When the clip cannot be made, which takes more than 2³² corners.
pub fn streets(map: &Map, roads: &[RoadId], origin: DVec2) -> Result<Clip, ClipError> {
    streets_watched(map, roads, origin, &Progress::none()).map(|clip| clip.finished().expect("nobody stops it"))
}

/// As [`streets`], for those who watch or may want it to stop.
///
/// # Errors
/// As [`streets`].
pub fn streets_watched(
    map: &Map,
    roads: &[RoadId],
    origin: DVec2,
    progress: &Progress,
) -> Result<Completion<Clip>, ClipError> {
    let Ok(streets) = Streets::lay(map, roads, origin, progress) else {
        return Ok(Completion::Stopped);
    };
    let clip = streets.clip(map.name());
    clip.validate()?;
    Ok(Completion::Finished(clip))
}

/// A number in [0, 1) that a road keeps.
fn character(road: RoadId, side: u32) -> f64 {
    let mixed = (road.0 ^ side.rotate_left(16)).wrapping_mul(0x9e37_79b9);
    f64::from((mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b) >> 8) / f64::from(1_u32 << 24)
}

/// How high the wall on a side of a road is, metres.
pub(super) fn wall_height(road: RoadId, side: u32) -> f64 {
    WALL_HEIGHT * (1.0 + 0.6 * character(road, side + 2))
}

impl Streets {
    fn lay(map: &Map, roads: &[RoadId], origin: DVec2, progress: &Progress) -> Result<Self, Stopped> {
        let mut streets = Self::default();
        let mut junctions: Vec<JunctionId> = Vec::new();
        let laid = progress.counter("streets", roads.len());
        for road in roads.iter().filter(|road| !map.road(**road).is_beyond) {
            laid.count()?;
            streets.road(map, *road, origin);
            junctions.extend([map.road(*road).from, map.road(*road).to]);
        }
        junctions.sort_unstable();
        junctions.dedup();
        for junction in junctions {
            progress.check()?;
            streets.junction(map, junction, origin);
        }
        Ok(streets)
    }

    fn road(&mut self, map: &Map, road: RoadId, origin: DVec2) {
        let kerb = map.road(road).half_carriageway();
        let line: Vec<DVec2> = map.road_points(road).iter().map(|point| *point - origin).collect();
        for piece in 1..line.len() {
            let (near, far) = (map.cross_section(road, piece - 1), map.cross_section(road, piece));
            let walls = [near.left, far.left, near.right, far.right].map(|point| point - origin);
            let [left, far_left, right, far_right] = walls;
            let across = |at: usize| shape::across(&line, at) * kerb;
            let kerbs = [
                line[piece - 1] - across(piece - 1),
                line[piece] - across(piece),
                line[piece - 1] + across(piece - 1),
                line[piece] + across(piece),
            ];
            self.asphalt.ground(&[kerbs[0], kerbs[1], kerbs[3], kerbs[2]], 0.0);
            self.pavement.ground(&[left, far_left, kerbs[1], kerbs[0]], KERB);
            self.pavement.ground(&[kerbs[2], kerbs[3], far_right, right], KERB);
            self.pavement.wall(kerbs[0], kerbs[1], 0.0, KERB);
            self.pavement.wall(kerbs[3], kerbs[2], 0.0, KERB);
            self.wall(road, 0, left, far_left);
            self.wall(road, 1, far_right, right);
        }
        self.markings(map, road, &line);
    }

    /// A wall that is seen from the right as one goes.
    fn wall(&mut self, road: RoadId, side: u32, from: DVec2, to: DVec2) {
        let tint = (character(road, side) * TINTS.len() as f64) as usize;
        self.walls[tint].wall(from, to, 0.0, wall_height(road, side));
    }

    /// Lines between lanes, and stop lines with signs.
    fn markings(&mut self, map: &Map, road: RoadId, line: &[DVec2]) {
        let about = map.road(road);
        let (along, against) = (f64::from(about.along), f64::from(about.against));
        let width = f64::from(about.lane_width);
        let kerb = about.half_carriageway();
        let side = map.side().sign();
        for lane in 1..(about.along + about.against) {
            // From the kerb of those that go along, inwards.
            let offset = (kerb - f64::from(lane) * width) * side;
            let solid = lane == about.along && about.along + about.against > 2;
            self.dashes(&shape::moved(line, offset).collect::<Vec<_>>(), solid);
        }
        for (junction, arriving, at_end) in [(about.to, along, true), (about.from, against, false)] {
            let stops = !matches!(map.junction(junction).control, Control::Free | Control::DeadEnd);
            if arriving == 0.0 || !stops {
                continue;
            }
            let last = line.len() - 1;
            let (end, before) = if at_end { (line[last], line[last - 1]) } else { (line[0], line[1]) };
            let ahead = (end - before).normalize_or(DVec2::X);
            let right = shape::right_of(ahead) * side;
            let (outer, inner) = (end + right * kerb, end + right * (kerb - arriving * width));
            let corners = [outer - ahead * 0.5, inner - ahead * 0.5, inner - ahead * 0.1, outer - ahead * 0.1];
            if side > 0.0 {
                self.paint.ground(&corners, PAINT);
            } else {
                self.paint.ground(&[corners[1], corners[0], corners[3], corners[2]], PAINT);
            }
            if map.junction(junction).control == Control::AllWayStop {
                self.stop_sign(outer + right * 0.5 - ahead * 0.3, ahead);
            }
        }
    }

    /// Two metres of paint every five, or all along.
    fn dashes(&mut self, line: &[DVec2], solid: bool) {
        let length = shape::length(line);
        let (stroke, step) = if solid { (5.0, 5.0) } else { (2.0, 5.0) };
        let count = (length / step) as usize;
        let start = 0.5 * (length - step * count as f64);
        for dash in 0..count {
            let at = start + step * dash as f64;
            let (from, ahead) = shape::along(line, at);
            let to = shape::along(line, at + stroke).0;
            let half = shape::right_of(ahead) * 0.07;
            self.paint.ground(&[from - half, to - half, to + half, from + half], PAINT);
        }
    }

    /// A pole with eight red edges, for those who come along `ahead`.
    fn stop_sign(&mut self, place: DVec2, ahead: DVec2) {
        self.posts.post(place, ahead, DVec2::splat(0.03), KERB, 2.6);
        let (right, front) = (shape::right_of(ahead), place - ahead * 0.05);
        // A regular octagon with a side of the width times tan 22.5°.
        let (flat, edge) = (0.4, 0.4 * 0.414_213_562);
        let corners = [
            (flat, edge),
            (edge, flat),
            (-edge, flat),
            (-flat, edge),
            (-flat, -edge),
            (-edge, -flat),
            (edge, -flat),
            (flat, -edge),
        ];
        let plate: Vec<DVec3> =
            corners.iter().map(|(x, y)| super::surface::raised(front + right * *x, 2.3 + y)).collect();
        self.signs.face(&plate);
    }

    fn junction(&mut self, map: &Map, junction: JunctionId, origin: DVec2) {
        let outline = map.outline(junction);
        let middle = map.junction(junction).position - origin;
        let roads = map.roads_at(junction);
        for (side, kind) in outline.sides.iter().enumerate() {
            let from = outline.points[side] - origin;
            let to = outline.points[(side + 1) % outline.points.len()] - origin;
            self.asphalt.ground(&[middle, from, to], 0.0);
            if *kind == OutlineSide::Wall {
                self.wall(roads[side % roads.len()], 4, from, to);
            }
        }
    }

    fn clip(self, name: &str) -> Clip {
        let mut clip = Clip::new(name);
        let Self { asphalt, pavement, paint, posts, signs, walls } = self;
        let [first, second, third, fourth] = walls;
        let parts = [
            ("asphalt", asphalt, [0.10, 0.10, 0.11]),
            ("pavement", pavement, [0.38, 0.37, 0.35]),
            ("paint", paint, [0.85, 0.85, 0.82]),
            ("posts", posts, [0.45, 0.45, 0.47]),
            ("signs", signs, [0.65, 0.04, 0.05]),
            ("brick", first, TINTS[0]),
            ("plaster", second, TINTS[1]),
            ("stone", third, TINTS[2]),
            ("lime", fourth, TINTS[3]),
        ];
        for (name, surface, color) in parts {
            if !surface.is_empty() {
                let material = clip.add_material(Material::new(name, color).with_roughness(0.9));
                let mesh = clip.add_mesh(surface.mesh(name, material));
                clip.add_node(Node::new(name).with_mesh(mesh));
            }
        }
        clip
    }
}
