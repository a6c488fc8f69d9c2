//! What visibility promises: exactly the roads that rays of sight reach, at a
//! cost that does not grow with the city; and that no car is overlooked.
#![allow(clippy::unwrap_used)]

use proscenium_city::glam::DVec2;
use proscenium_city::map::OutlineSide;
use proscenium_city::map::{PathId, RoadId, RoadPlan};
use proscenium_city::sight::{Standing, VisibleRoads};
use proscenium_city::{Drive, Eye, Map, Plan, Recipe, Seed};

fn city(roads: usize, seed: u64) -> Map {
    let plan = Recipe::with_roads(roads).generate(Seed(seed)).expect("the recipe is sound");
    Map::build(&plan).expect("what is generated is a map")
}

/// All walls of a map: the independent truth that rays are cast against.
fn walls(map: &Map) -> Vec<[DVec2; 2]> {
    let mut walls = Vec::new();
    for road in map.roads() {
        for at in 1..map.road_points(road).len() {
            let (a, b) = (map.cross_section(road, at - 1), map.cross_section(road, at));
            walls.extend([[a.left, b.left], [a.right, b.right]]);
        }
    }
    for junction in map.junctions() {
        let outline = map.outline(junction);
        for (side, kind) in outline.sides.iter().enumerate() {
            if *kind == OutlineSide::Wall {
                walls.push([outline.points[side], outline.points[(side + 1) % outline.points.len()]]);
            }
        }
    }
    walls
}

/// Distance along a ray to a segment.
fn hit(origin: DVec2, direction: DVec2, segment: &[DVec2; 2]) -> Option<f64> {
    let step = segment[1] - segment[0];
    let across = direction.perp_dot(step);
    let distance = (segment[0] - origin).perp_dot(step) / across;
    let at = (segment[0] - origin).perp_dot(direction) / across;
    (across != 0.0 && distance > 0.0 && (0.0..=1.0).contains(&at)).then_some(distance)
}

/// The roads that a ray of sight passes before it meets a wall, by walking it
/// in small steps and asking every road whether it is there.
fn along_ray(map: &Map, walls: &[[DVec2; 2]], origin: DVec2, direction: DVec2, reach: f64) -> Vec<RoadId> {
    let end = walls.iter().filter_map(|wall| hit(origin, direction, wall)).fold(reach, f64::min);
    let mut found = Vec::new();
    let mut distance = 0.0;
    while distance < end {
        found.extend(map.road_at(origin + direction * distance));
        distance += 0.25;
    }
    found.dedup();
    found
}

/// Both ways: every road that a ray reaches is in the set, and the middle of
/// every opening of the set reaches its road.
#[test]
fn what_is_seen_is_what_rays_reach() {
    let map = city(220, 4);
    let walls = walls(&map);
    let drive = Drive::record(&map, Seed(2), 900.0, 0.05).unwrap();
    let mut visible = VisibleRoads::new(&map);
    let (mut seen, mut openings) = (0, 0);
    for frame in drive.frames() {
        let eye = frame.eye(1.3, 400.0).unwrap();
        visible.look(&map, &[eye]);
        seen += visible.roads().len();
        for step in 0..120 {
            let angle = 1.3 * ((f64::from(step) + 0.5) / 120.0 - 0.5);
            let direction = frame.direction.rotate(DVec2::new(libm::cos(angle), libm::sin(angle)));
            for road in along_ray(&map, &walls, frame.position, direction, 399.0) {
                assert!(visible.sees(road), "{road:?} is overlooked from {}", frame.position);
            }
        }
        for opening in visible.openings().iter().skip(1) {
            openings += 1;
            let direction = opening.cone.middle();
            let end = walls.iter().filter_map(|wall| hit(frame.position, direction, wall)).fold(1e9, f64::min);
            // Where the ray enters the road.
            let ends = [0, map.road_points(opening.road).len() - 1].map(|at| map.cross_section(opening.road, at));
            let entry = ends.iter().filter_map(|mouth| hit(frame.position, direction, &[mouth.left, mouth.right]));
            let entry = entry.fold(f64::INFINITY, f64::min);
            assert!(entry < end + 1e-6, "{:?} is not seen from {}", opening.road, frame.position);
        }
    }
    assert!(seen > 2 * drive.frames().len() && openings > seen / 2, "{seen} roads, {openings} openings");
}

/// The mean number of visible roads, and the work, are those of the view: a
/// hundred times the city changes neither.
#[test]
fn the_work_does_not_grow_with_the_city() {
    let work = |roads: usize| {
        let map = city(roads, 5);
        let drive = Drive::record(&map, Seed(3), 600.0, 1.0).unwrap();
        let mut visible = VisibleRoads::new(&map);
        let (mut cells, mut seen) = (0, 0);
        for frame in drive.frames() {
            visible.look(&map, &[frame.eye(1.3, 600.0).unwrap()]);
            cells += visible.cells();
            seen += visible.roads().len();
        }
        (cells as f64 / drive.frames().len() as f64, seen as f64 / drive.frames().len() as f64)
    };
    let (small, large) = (work(400), work(20_000));
    assert!(large.0 < 2.0 * small.0, "cells {small:?} and {large:?}");
    assert!((2.0..30.0).contains(&small.1) && (2.0..30.0).contains(&large.1), "roads {small:?} and {large:?}");
}

/// A car whose circle reaches into what rays of sight pass is never culled.
#[test]
fn no_car_in_sight_is_overlooked() {
    let map = city(220, 6);
    let walls = walls(&map);
    let drive = Drive::record(&map, Seed(8), 600.0, 0.1).unwrap();
    let mut visible = VisibleRoads::new(&map);
    let radius = 2.5;
    let mut in_sight = 0;
    for frame in drive.frames() {
        visible.look(&map, &[frame.eye(1.3, 300.0).unwrap()]);
        for path in map.paths().step_by(3) {
            for u in [0.0, 0.3, 0.7, 1.0, 1.02, 1.1, 1.5, 1.9, 1.98] {
                let place = map.curve(path).position(u);
                let way = place - frame.position;
                let distance = way.length();
                let within = frame.direction.dot(way) > distance * libm::cos(0.5 * 1.25);
                if distance < 250.0 && distance > 1.0 && within {
                    let clear = !walls
                        .iter()
                        .any(|wall| hit(frame.position, way / distance, wall).is_some_and(|at| at < distance));
                    in_sight += usize::from(clear);
                    assert!(
                        !clear || visible.sees_car(&map, path, u, radius),
                        "{path:?} at {u} from {}",
                        frame.position
                    );
                }
            }
        }
    }
    assert!(in_sight > 1000, "{in_sight}");
}

#[test]
fn viewers_off_the_map_above_it_and_several() {
    let map = city(200, 7);
    let mut visible = VisibleRoads::new(&map);
    let eye = |place, angle| Eye::new(place, DVec2::X, angle, 500.0).unwrap();
    visible.look(&map, &[eye(DVec2::splat(-1e5), 1.0)]);
    assert_eq!(visible.standings(), [Standing::OffTheMap]);
    assert!(visible.roads().is_empty());
    // In the middle of a block.
    let blocks = (0..400).map(|step| map.bounds()[0] + DVec2::new(f64::from(step) * 3.1, 400.0));
    let block =
        blocks.clone().find(|place| map.road_at(*place).is_none() && map.junction_at(*place).is_none()).unwrap();
    visible.look(&map, &[eye(block, 6.3)]);
    assert_eq!((visible.standings(), visible.roads().len()), (&[Standing::OffTheMap][..], 0));
    // High above the same place, all that is near is seen.
    visible.look(&map, &[eye(block, 6.3).at_height(80.0)]);
    assert_eq!(visible.standings(), [Standing::Above]);
    for road in map.roads() {
        let near = map.distance_to(road, block) < 499.0;
        assert!(visible.sees(road) || !near);
    }
    // Two viewers see what each sees, together.
    let places = [3, 90].map(|road| {
        let points = map.road_points(RoadId(road));
        points[0].midpoint(points[1])
    });
    let mut alone = Vec::new();
    for place in places {
        visible.look(&map, &[eye(place, 6.3)]);
        alone.extend_from_slice(visible.roads());
    }
    alone.sort_unstable();
    alone.dedup();
    visible.look(&map, &places.map(|place| eye(place, 6.3)));
    let mut together = visible.roads().to_vec();
    together.sort_unstable();
    assert_eq!(together, alone);
    visible.look_everywhere(&map);
    assert_eq!(visible.roads().len(), map.road_count());
    visible.look(&map, &[]);
    assert!(visible.roads().is_empty() && !visible.sees(RoadId(0)));
}

/// One who stands exactly on a mouth, a corner or in the middle of a junction.
#[test]
fn any_place_is_a_place_to_stand() {
    let map = city(200, 8);
    let mut visible = VisibleRoads::new(&map);
    for junction in map.junctions() {
        let roads = map.roads_at(junction);
        // The middle sees into every road, and a mouth at least into its own.
        let mut places = vec![(map.junction(junction).position, roads.to_vec())];
        for road in roads {
            let mouth = map.mouth(*road, junction);
            places.extend([0.001, 0.3, 0.5, 0.999].map(|share| (mouth.left.lerp(mouth.right, share), vec![*road])));
        }
        for (place, seen) in places {
            let eye = Eye::new(place, DVec2::X, std::f64::consts::TAU, 300.0).unwrap();
            visible.look(&map, &[eye]);
            assert_ne!(visible.standings(), [Standing::OffTheMap], "{place} at {junction:?}");
            for road in seen {
                assert!(visible.sees(road), "{road:?} from {place} at {junction:?}");
            }
        }
    }
}

/// A one-road city: all of it is seen from within.
#[test]
fn a_city_of_one_road() {
    let mut plan = Plan::default();
    let west = plan.junction(proscenium_city::map::JunctionPlan::at(DVec2::ZERO));
    let east = plan.junction(proscenium_city::map::JunctionPlan::at(DVec2::new(90.0, 0.0)));
    plan.road(RoadPlan::two_way(west, east, 1));
    let map = Map::build(&plan).unwrap();
    let drive = Drive::record(&map, Seed(1), 120.0, 10.0).unwrap();
    let mut visible = VisibleRoads::new(&map);
    for frame in drive.frames() {
        visible.look(&map, &[frame.eye(1.0, 500.0).unwrap()]);
        assert!(visible.sees(RoadId(0)));
        assert!(visible.sees_car(&map, PathId(0), 1.5, 2.5));
    }
}

#[test]
fn drives_are_recorded_and_read() {
    let map = city(200, 9);
    let drive = Drive::record(&map, Seed(1), 900.0, 10.0).unwrap();
    assert_eq!(drive.frames().len(), 9001);
    assert_eq!(Drive::from_bytes(&drive.to_bytes()).unwrap(), drive);
    assert_eq!(Drive::record(&map, Seed(1), 900.0, 10.0).unwrap(), drive);
    // A driver keeps to the streets and to the limits.
    let mut visible = VisibleRoads::new(&map);
    let fastest = drive.frames().windows(2).map(|pair| pair[0].position.distance(pair[1].position)).fold(0.0, f64::max);
    assert!(fastest < 1.45 && fastest > 0.9, "{fastest}");
    for frame in drive.frames() {
        visible.look(&map, &[frame.eye(1.0, 200.0).unwrap()]);
        assert_ne!(visible.standings(), [Standing::OffTheMap], "{}", frame.position);
        assert!(frame.camera(0.9, 1.6).is_ok());
    }
    let bytes = drive.to_bytes();
    for end in [0, 7, 11, 30, bytes.len() - 1] {
        assert!(Drive::from_bytes(&bytes[..end]).is_err());
    }
    assert!(Drive::record(&map, Seed(1), -1.0, 10.0).is_err());
    assert!(Drive::record(&map, Seed(1), 1.0, f64::NAN).is_err());
}

/// The angle of a camera holds its whole picture.
#[test]
fn a_camera_becomes_an_eye() {
    use proscenium_city::glam::DVec3;
    use proscenium_view::Camera;
    let from = DVec3::new(10.0, 1.5, -4.0);
    for (target, wide) in [(DVec3::new(20.0, 1.5, -4.0), 1.18), (DVec3::new(20.0, -3.0, 8.0), 1.18)] {
        let camera = Camera::look_at(from, target, 0.8, 1.6).unwrap();
        let eye = Eye::from_camera(&camera).unwrap();
        assert!(eye.angle() > wide && eye.angle() < 3.0, "{}", eye.angle());
        for (x, y) in [(0.0, 0.0), (1.0, 1.0), (0.5, 1.0), (0.3, 0.7)] {
            let ray = camera.ray(x, y).direction;
            let flat = DVec2::new(ray.x, ray.z).normalize();
            assert!(flat.dot(eye.direction()) >= libm::cos(0.5 * eye.angle()) - 1e-9);
        }
    }
    let down = Camera::look_at(from + 50.0 * DVec3::Y, from, 0.8, 1.6).unwrap();
    assert!(Eye::from_camera(&down).unwrap().angle() > 6.2);
    assert!(Eye::new(DVec2::ZERO, DVec2::ZERO, 1.0, 1.0).is_err());
    assert!(Eye::new(DVec2::NAN, DVec2::X, 1.0, 1.0).is_err());
}
