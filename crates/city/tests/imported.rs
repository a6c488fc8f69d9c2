//! What imports promise: real networks become maps that can be driven on; what
//! cannot be represented is listed; damaged files are refused with a reason.
#![allow(clippy::unwrap_used)]

#[path = "fuzzed/any.rs"]
mod any;
use crate::pbf;

use proscenium_city::import::{ImportError, ImportFormat, ImportedNetwork};
use proscenium_city::map::{Control, Light};
use proscenium_city::{Map, Plan, import};
use proscenium_work::Remedy;

const COLOGNE: &str = include_str!("data/cologne8.net.xml");
const LUXEMBOURG: &str = include_str!("data/luxembourg-part.osm");

fn noted(imported: &ImportedNetwork, part: &str) -> usize {
    imported.report.notes.iter().filter(|note| note.what.contains(part)).map(|note| note.count).sum()
}

/// Every lane leads on, and every junction can be reached from every other.
fn check_drivable(map: &Map) {
    for path in map.paths() {
        assert!(map.successors(path).len() > 0);
        let curve = map.curve(path);
        assert!(curve.position(0.5).is_finite() && curve.length() > 1.0, "{path:?}");
    }
    let mut reached = vec![false; map.junction_count()];
    let start = map.junctions().next().expect("a map has junctions");
    let mut waiting = vec![start];
    while let Some(junction) = waiting.pop() {
        if !std::mem::replace(&mut reached[junction.index()], true) {
            let roads = map.roads_at(junction).iter();
            waiting.extend(roads.flat_map(|road| map.lanes_of(*road)).filter_map(|lane| {
                let lane = map.lane(lane);
                (lane.from == junction).then_some(lane.to)
            }));
        }
    }
    assert!(reached.iter().all(|reached| *reached));
}

#[test]
fn cologne_from_sumo() {
    let imported = import::read(COLOGNE.as_bytes()).unwrap();
    println!("{}", imported.report);
    assert_eq!(imported.report.format, ImportFormat::SumoNet);
    let map = Map::build(&imported.plan).unwrap();
    let statistics = map.statistics();
    println!("{statistics:?}");
    check_drivable(&map);
    assert_eq!(statistics.signals, 8);
    assert!((70..140).contains(&statistics.roads), "149 edges, most of them in pairs: {}", statistics.roads);
    // The file's programmes: a light is green sometimes and red sometimes, and the cycle is the file's.
    let cycles: Vec<f64> = map.junctions().filter_map(|junction| map.cycle(junction)).collect();
    assert!(cycles.iter().all(|cycle| (30.0..200.0).contains(cycle)), "{cycles:?}");
    let mut red = 0;
    for junction in map.junctions().filter(|junction| map.junction(*junction).control == Control::Signals) {
        for path in map.paths_through(junction) {
            let lights: Vec<Light> = (0..200).map(|second| map.light(path, f64::from(second))).collect();
            red += usize::from(lights.contains(&Light::Red));
            assert!(lights.iter().any(|light| *light >= Light::Permissive), "{path:?} never goes");
        }
    }
    assert!(red > 50);
    // 13.89 m/s and 8.33 m/s stay what they are.
    assert!(map.roads().any(|road| (map.road(road).limit - 13.89).abs() < 1e-3));
    assert!(map.roads().any(|road| (map.road(road).limit - 8.33).abs() < 1e-3));
}

#[test]
fn luxembourg_from_openstreetmap() {
    let imported = import::read(LUXEMBOURG.as_bytes()).unwrap();
    println!("{}", imported.report);
    assert_eq!(imported.report.format, ImportFormat::OsmXml);
    assert!(noted(&imported, "outside the extract") > 0);
    let map = Map::build(&imported.plan).unwrap();
    println!("{:?}", map.statistics());
    check_drivable(&map);
    let statistics = map.statistics();
    assert!(statistics.roads > 20 && statistics.signals > 0 && statistics.one_way > 0, "{statistics:?}");
    assert!(statistics.extent[0] < 4000.0 && statistics.extent[1] < 4000.0, "{statistics:?}");
}

/// A village in both formats: the same plan.
pub fn village() -> (Vec<pbf::Node>, Vec<pbf::Way>) {
    let nodes = vec![
        (1, 49.6, 6.1, false),
        (2, 49.6, 6.102, true),
        (3, 49.6, 6.104, false),
        (4, 49.602, 6.102, false),
        (5, 49.598, 6.102, false),
        (6, 49.601, 6.1025, false),
        // Far away, and alone.
        (7, 49.62, 6.15, false),
        (8, 49.621, 6.151, false),
    ];
    let tags = |pairs: &[(&str, &str)]| pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let ways = vec![
        (10, vec![1, 2, 3], tags(&[("highway", "primary"), ("lanes", "4"), ("name", "Rue de l'Église")])),
        (11, vec![4, 6, 2, 5], tags(&[("highway", "residential"), ("maxspeed", "20 mph")])),
        (12, vec![5, 3], tags(&[("highway", "tertiary"), ("oneway", "yes")])),
        (13, vec![1, 4], tags(&[("highway", "footway")])),
        (14, vec![7, 8], tags(&[("highway", "residential"), ("maxspeed", "signals")])),
        (15, vec![3, 99], tags(&[("highway", "residential")])),
    ];
    (nodes, ways)
}

fn village_xml() -> String {
    let (nodes, ways) = village();
    let mut text = String::from("<?xml version='1.0'?>\n<osm version='0.6'>\n");
    for (id, latitude, longitude, signals) in nodes {
        let tag = if signals { "<tag k='highway' v='traffic_signals'/>" } else { "" };
        text += &format!("<node id='{id}' lat='{latitude}' lon='{longitude}'>{tag}</node>\n");
    }
    for (id, refs, tags) in ways {
        text += &format!("<way id='{id}'>");
        refs.iter().for_each(|node| text += &format!("<nd ref='{node}'/>"));
        tags.iter().for_each(|(key, value)| text += &format!("<tag k='{key}' v='{}'/>", value.replace('\'', "&apos;")));
        text += "</way>\n";
    }
    text + "</osm>\n"
}

#[test]
fn pbf_and_xml_say_the_same() {
    let (nodes, ways) = village();
    let binary = import::read(&pbf::file(&nodes, &ways)).unwrap();
    let text = import::read(village_xml().as_bytes()).unwrap();
    assert_eq!(binary.report.format, ImportFormat::OsmPbf);
    assert_eq!(binary.report.notes, text.report.notes);
    assert_eq!(binary.plan.roads.len(), text.plan.roads.len());
    for (one, other) in binary.plan.junctions.iter().zip(&text.plan.junctions) {
        assert!(one.position.distance(other.position) < 0.02);
        assert_eq!(one.control, other.control);
    }
    let map = Map::build(&text.plan).unwrap();
    check_drivable(&map);
    // Four arms and the one-way road; the lonely street and the footway are gone, and the report says so.
    assert_eq!((map.road_count(), map.statistics().one_way, map.statistics().signals), (5, 1, 1));
    assert!(map.roads().any(|road| map.road_name(road) == "Rue de l'Église" && map.road(road).along == 2));
    assert!(map.roads().any(|road| (f64::from(map.road(road).limit) - 20.0 * 0.44704).abs() < 1e-4));
    for part in ["not streets for cars", "cannot be reached", "not numbers", "outside the extract"] {
        assert_eq!(noted(&text, part), 1, "{part}: {}", text.report);
    }
    // 0.002 degrees of latitude are 222.4 m; of longitude, at 49.6 degrees, 144.1 m.
    let [width, height] = map.statistics().extent;
    assert!((width - 288.3).abs() < 45.0 && (height - 444.8).abs() < 45.0, "{width} by {height}");
}

/// Found by the fuzzer `network`: a signal that was so far away that cells beside
/// its own had no number.
#[test]
fn nodes_that_are_not_on_earth_are_left_out() {
    let whole = import::read(village_xml().as_bytes()).unwrap();
    let signals = "<node id='77' lat='0' lon='1e300'><tag k='highway' v='traffic_signals'/></node>\n<way id='16'>";
    let way = "<nd ref='1'/><nd ref='77'/><tag k='highway' v='residential'/></way>\n</osm>";
    let text = village_xml().replace("</osm>", &(signals.to_owned() + way));
    let imported = import::read(text.as_bytes()).unwrap();
    assert_eq!(noted(&imported, "outside the extract"), 1 + noted(&whole, "outside the extract"));
    assert_eq!(imported.plan.junctions, whole.plan.junctions);
}

#[test]
fn damaged_files_are_refused() {
    let (nodes, ways) = village();
    let whole = pbf::file(&nodes, &ways);
    let mut refused = 0;
    for end in 15..whole.len() {
        match import::read(&whole[..end]) {
            Err(ImportError::Pbf { what }) => {
                assert!(!what.is_empty());
                refused += 1;
            }
            // Cut before the data, there are no roads in it.
            Err(ImportError::NoRoads { .. }) => assert!(end < 100, "cut at {end}"),
            other => panic!("cut at {end}: {other:?}"),
        }
    }
    assert!(refused > whole.len() / 2);
    let text = village_xml();
    for end in (60..text.len() - 10).step_by(37).filter(|end| text.is_char_boundary(*end)) {
        let error = import::read(&text.as_bytes()[..end]).unwrap_err();
        assert!(matches!(error, ImportError::Xml { .. }), "cut at {end}: {error}");
    }
    let error = import::read(&COLOGNE.as_bytes()[..200_000]).unwrap_err().to_string();
    assert!(error.starts_with("line "), "{error}");
}

#[test]
fn other_things_are_named() {
    let refused = |bytes: &[u8]| import::read(bytes).unwrap_err().explain();
    assert!(refused(b"").contains("no elements"));
    assert!(refused(b"<svg></svg>").contains("<svg>"));
    assert!(refused(&[0x1f, 0x8b, 8, 0]).contains("unpack it first"));
    assert!(refused(&[0xff, 0xfe, 0, 1]).contains("binary"));
    assert!(refused(b"<osm></osm>").contains("no roads"));
    assert!(refused(b"<net></net>").contains("no roads"));
    assert!(refused(b"<osm><node id='1' lat='x' lon='0'/></osm>").contains("line 1: \"lat\" is \"x\""));
    assert!(refused(b"<osm>\n<node id='1' lon='0'/></osm>").contains("line 2: <node> lacks the attribute \"lat\""));
    // A one-way street with no way back.
    let lonely = "<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1.01' lon='1'/>\
        <way id='3'><nd ref='1'/><nd ref='2'/><tag k='highway' v='primary'/><tag k='oneway' v='yes'/></way></osm>";
    assert!(refused(lonely.as_bytes()).contains("1 were read"));
    // A street with two dead ends is a city.
    let both = import::read(lonely.replace("'yes'", "'no'").as_bytes()).unwrap();
    check_drivable(&Map::build(&both.plan).unwrap());
}

/// Bytes changed at random are a network or an error, never a panic.
#[test]
fn changed_bytes_do_no_harm() {
    let (nodes, ways) = village();
    let files = [pbf::file(&nodes, &ways), village_xml().into_bytes(), COLOGNE.as_bytes()[..30_000].to_vec()];
    let mut stream = proscenium_chance::Seed(1).stream("damage");
    for file in &files {
        for _ in 0..if file.len() > 10_000 { 30 } else { 1500 } {
            let mut changed = file.clone();
            for _ in 0..1 + stream.below(3) {
                let place = stream.below(changed.len() as u64) as usize;
                changed[place] = stream.word() as u8;
            }
            any::network(&changed);
        }
    }
    let plan = import::read(&files[0]).unwrap().plan.to_bytes();
    for _ in 0..3000 {
        let mut changed = plan.clone();
        let place = stream.below(changed.len() as u64) as usize;
        changed[place] = stream.word() as u8;
        any::city(&changed);
    }
    assert!(Plan::from_bytes(&plan).is_ok());
}
