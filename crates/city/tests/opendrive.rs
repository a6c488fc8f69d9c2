//! Promise: OpenDRIVE files become maps whose lanes lie where the file has them, and
//! traffic on them is sound.
#![allow(clippy::unwrap_used)]

use crate::common::{all_roads, cars_on, overlaps};
use proscenium_city::glam::DVec2;
use proscenium_city::import::ImportFormat;
use proscenium_city::map::Control;
use proscenium_city::{City, Detail, Map, Settings, import};

const SUBURB: &str = include_str!("data/soderleden.xodr");
const MOTORWAY: &str = include_str!("data/highway_example_with_merge_and_split.xodr");
const OFFSETS: &str = include_str!("data/lane_offset_intersection.xodr");

fn map(text: &str) -> Map {
    let imported = import::read(text.as_bytes()).unwrap();
    assert_eq!(imported.report.format, ImportFormat::OpenDrive);
    Map::build(&imported.plan).unwrap()
}

/// How far a place is from the nearest lane, metres.
fn from_lanes(map: &Map, place: DVec2) -> f64 {
    let far = |points: &[DVec2]| {
        points
            .windows(2)
            .map(|pair| {
                let way = pair[1] - pair[0];
                let at = ((place - pair[0]).dot(way) / way.length_squared()).clamp(0.0, 1.0);
                place.distance(pair[0] + at * way)
            })
            .fold(f64::INFINITY, f64::min)
    };
    let inside = map.lanes().filter(|lane| !map.road(map.lane(*lane).road).is_beyond);
    inside.map(|lane| far(map.lane_points(lane))).fold(f64::INFINITY, f64::min)
}

#[test]
fn roads_of_opendrive_are_driven_on_without_overlaps_and_locks() {
    for (name, text) in [("suburb", SUBURB), ("motorway", MOTORWAY), ("offsets", OFFSETS)] {
        let map = map(text);
        let roads = all_roads(&map);
        let km = map.statistics().lane_metres / 1e3;
        let settings = Settings { detail: Detail::Complete, ..Settings::default() };
        let mut city = City::new(map).with_cars((8.0 * km).ceil() as u32).seed(5).with_settings(settings);
        let mut moved = 0.0;
        for frame in 0..6000 {
            let cars = cars_on(&mut city, 0.1 * f64::from(frame), &roads);
            assert!(overlaps(cars).is_empty(), "{name}, frame {frame}");
            if frame >= 5000 {
                moved += cars.iter().map(|car| 0.1 * car.speed).sum::<f64>();
            }
        }
        assert!(moved > 100.0, "{name}: cars went {moved} m in the last 100 s");
    }
}

/// The motorway begins at the origin towards east with a clothoid, and its lanes are
/// 3 m wide. Where it goes is found by small steps; the file itself says where the
/// clothoid ends.
#[test]
fn lanes_lie_where_the_file_has_them() {
    let map = map(MOTORWAY);
    let (mut place, mut heading, step) = (DVec2::ZERO, 0.0_f64, 1e-3);
    for number in 0..100_000 {
        let s = step * f64::from(number);
        // North is towards −z.
        let ahead = DVec2::new(libm::cos(heading), -libm::sin(heading));
        if number % 5000 == 0 && (8.0..46.0).contains(&s) {
            for right in [-4.5, -1.5, 1.5, 4.5, 7.5] {
                let off = from_lanes(&map, place + right * ahead.perp());
                assert!(off < 0.05, "{off} m beside the lane {right} m to the right at {s} m");
            }
        }
        place += step * ahead;
        heading += step * (-0.004 + 0.004_01 * s / 100.0);
    }
    assert!(place.distance(DVec2::new(98.939_019_68, 13.256_087_62)) < 1e-2, "{place}");
    // Four lanes to the right where the ramp begins, three before.
    let widest = map.roads().filter(|road| !map.road(*road).is_beyond).map(|road| map.road(road).along).max();
    assert_eq!(widest, Some(4));
}

#[test]
fn ways_through_junctions_lead_from_lane_to_lane() {
    let map = map(OFFSETS);
    let junction = map.junctions().find(|junction| map.roads_at(*junction).len() == 3).unwrap();
    assert_eq!(map.junction(junction).control, Control::Priority);
    // The file has six ways, each of one lane.
    assert_eq!(map.paths_through(junction).len(), 6);
}

/// Numbers and names changed at random are a map or an error, never a panic.
#[test]
fn changed_files_do_no_harm() {
    let mut stream = proscenium_chance::Seed(1).stream("damage");
    let numbers = ["-1", "0", "1e308", "-1e300", "9223372036854775807", "-2147483648", "1e-300", "7"];
    for text in [SUBURB, MOTORWAY, OFFSETS] {
        let quotes: Vec<usize> = text.match_indices('"').map(|(place, _)| place).collect();
        for _ in 0..60 {
            let pair = 2 * stream.below(quotes.len() as u64 / 2) as usize;
            let number = numbers[stream.below(numbers.len() as u64) as usize];
            let changed = format!("{}\"{number}{}", &text[..quotes[pair]], &text[quotes[pair + 1]..]);
            if let Ok(imported) = import::read(changed.as_bytes()) {
                let _ = Map::build(&imported.plan);
            }
        }
        for end in (40..text.len() - 20).step_by(997).filter(|end| text.is_char_boundary(*end)) {
            assert!(import::read(&text.as_bytes()[..end]).is_err(), "cut at {end}");
        }
    }
}
