//! What imports promise: real networks become maps that can be driven on; what
//! cannot be represented is listed; damaged files are refused with a reason.
#![allow(clippy::unwrap_used)]

#[path = "fuzzed/any.rs"]
mod any;
use std::io::Write;

use crate::pbf;

use proscenium_city::import::{ImportError, ImportFormat, ImportedNetwork};
use proscenium_city::map::{Control, Light};
use proscenium_city::{City, Detail, Map, Plan, Settings, import};
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

/// SUMO packs what it writes if the name ends so.
#[test]
fn packed_files_say_the_same() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(COLOGNE.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    assert_eq!(import::read(&packed).unwrap(), import::read(COLOGNE.as_bytes()).unwrap());
    let cut = import::read(&packed[..packed.len() / 2]).unwrap_err();
    assert!(matches!(cut, ImportError::Packed { .. }), "{cut}");
}

/// A network could not be imported because a connection was left alone by the
/// lights of its junction.
#[test]
fn connections_that_lights_leave_alone_are_read() {
    let text = COLOGNE.replacen("linkIndex=\"0\"", "linkIndex=\"-1\"", 1);
    assert_ne!(text, COLOGNE);
    let imported = import::read(text.as_bytes()).unwrap();
    check_drivable(&Map::build(&imported.plan).unwrap());
}

/// Two junctions six metres apart: at the first there are lights, from the second
/// one must not turn to the right when one comes from the west.
fn twin_junctions() -> String {
    let at = |name: &str| match name {
        "w" => (-100.0, 0.0),
        "e" => (106.0, 0.0),
        "n" => (0.0, 100.0),
        "s" => (6.0, -100.0),
        "one" => (0.0, 0.0),
        _ => (6.0, 0.0),
    };
    let mut text = String::from("<net>\n");
    for (from, to) in [("w", "one"), ("n", "one"), ("one", "two"), ("two", "e"), ("two", "s")] {
        for (from, to) in [(from, to), (to, from)] {
            let ((x0, y0), (x1, y1)) = (at(from), at(to));
            let (dx, dy): (f64, f64) = (x1 - x0, y1 - y0);
            let length = (dx * dx + dy * dy).sqrt();
            let (rx, ry) = (1.6 * dy / length, -1.6 * dx / length);
            let shape = format!("{},{} {},{}", x0 + rx, y0 + ry, x1 + rx, y1 + ry);
            text += &format!(
                "<edge id='{from}{to}' from='{from}' to='{to}'><lane id='{from}{to}_0' index='0' speed='13.9' length='{length}' shape='{shape}'/></edge>\n"
            );
        }
    }
    text += "<tlLogic id='one' type='static' offset='7'><phase duration='30' state='GGr'/><phase duration='5' state='yyr'/><phase duration='20' state='rrG'/><phase duration='3' state='rry'/></tlLogic>\n";
    for (name, kind) in [
        ("w", "dead_end"),
        ("e", "dead_end"),
        ("n", "dead_end"),
        ("s", "dead_end"),
        ("one", "traffic_light"),
        ("two", "priority"),
    ] {
        let (x, y) = at(name);
        text += &format!("<junction id='{name}' type='{kind}' x='{x}' y='{y}'/>\n");
    }
    for (from, to, light) in [
        ("wone", "onetwo", Some(0)),
        ("wone", "onen", Some(1)),
        ("none", "onetwo", Some(2)),
        ("none", "onew", Some(2)),
        ("twoone", "onew", Some(0)),
        ("twoone", "onen", Some(1)),
        ("onetwo", "twoe", None),
        ("etwo", "twoone", None),
        ("etwo", "twos", None),
        ("stwo", "twoone", None),
        ("stwo", "twoe", None),
    ] {
        let light = light.map_or(String::new(), |place| format!("tl='one' linkIndex='{place}'"));
        text += &format!("<connection from='{from}' to='{to}' fromLane='0' toLane='0' {light} state='M'/>\n");
    }
    text + "</net>\n"
}

/// Junctions that were merged lost their lights, their priorities and which lane
/// led where, and lanes were left that were shorter than a car.
#[test]
fn merged_junctions_keep_what_led_through_them() {
    let imported = import::read(twin_junctions().as_bytes()).unwrap();
    assert!(noted(&imported, "too short") == 1, "{}", imported.report);
    let map = Map::build(&imported.plan).unwrap();
    check_drivable(&map);
    assert!(map.statistics().shortest_lane > 11.0, "{:?}", map.statistics());
    assert_eq!((map.road_count(), map.statistics().signals), (4, 1));
    let middle = map.junctions().find(|at| map.junction(*at).control == Control::Signals).unwrap();
    assert_eq!(map.cycle(middle), Some(58.0));
    // Each arm by where its far end lies.
    let arm = |lane: proscenium_city::map::LaneId| {
        let road = map.lane(lane).road;
        let far = map.junction(map.across(road, middle)).position - map.junction(middle).position;
        if far.x.abs() > far.y.abs() {
            if far.x > 0.0 { 'e' } else { 'w' }
        } else if far.y > 0.0 {
            's'
        } else {
            'n'
        }
    };
    let mut ways: Vec<String> = map
        .paths_through(middle)
        .map(|path| [arm(map.path(path).from), arm(map.path(path).to)].iter().collect())
        .collect();
    ways.sort();
    // From the west over the short road to the east, and not to the south.
    assert_eq!(ways, ["en", "es", "ew", "ne", "nw", "se", "sn", "sw", "we", "wn"]);
    let path = |way: &str| {
        let is_it = |path: &proscenium_city::map::PathId| {
            [arm(map.path(*path).from), arm(map.path(*path).to)].iter().collect::<String>() == way
        };
        map.paths_through(middle).find(is_it).unwrap()
    };
    // The programme starts 7 s late.
    for (way, time, light) in [
        ("we", 8.0, Light::Green),
        ("ne", 8.0, Light::Red),
        ("we", 38.0, Light::Amber),
        ("we", 43.0, Light::Red),
        ("ne", 43.0, Light::Green),
        ("sw", 43.0, Light::Red),
        ("se", 43.0, Light::Permissive),
    ] {
        assert_eq!(map.light(path(way), time), light, "{way} at {time}");
    }
}

#[test]
fn cologne_keeps_its_priorities_and_connections() {
    let imported = import::read(COLOGNE.as_bytes()).unwrap();
    let map = Map::build(&imported.plan).unwrap();
    assert!(map.statistics().shortest_lane > 11.0, "{:?}", map.statistics());
    assert_eq!(noted(&imported, "plain programme") + noted(&imported, "connected anew"), 0, "{}", imported.report);
    // Major and minor apart.
    let has_rank = |wanted: fn(u8) -> bool| map.paths().any(|path| wanted(map.path(path).rank));
    assert!(has_rank(|rank| rank < 2) && has_rank(|rank| rank > 1));
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
    assert!(refused(&[0x1f, 0x8b, 8, 0]).contains("cannot be unpacked"));
    assert!(refused(b"BZh91AY").contains("unpack it first"));
    assert!(refused(&[0xff, 0xfe, 0, 1]).contains("binary"));
    assert!(refused(b"<osm></osm>").contains("no roads"));
    assert!(refused(b"<net></net>").contains("no roads"));
    assert!(refused(b"<osm><node id='1' lat='x' lon='0'/></osm>").contains("line 1: \"lat\" is \"x\""));
    assert!(refused(b"<osm>\n<node id='1' lon='0'/></osm>").contains("line 2: <node> lacks the attribute \"lat\""));
    // A one-way street with no way back: cars come at its start and leave at its end.
    let lonely = "<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1.01' lon='1'/>\
        <way id='3'><nd ref='1'/><nd ref='2'/><tag k='highway' v='primary'/><tag k='oneway' v='yes'/></way></osm>";
    let alone = import::read(lonely.as_bytes()).unwrap();
    assert_eq!(Map::build(&alone.plan).unwrap().statistics().beyond, 1);
    let ring = lonely.replace("<nd ref='2'/>", "<nd ref='2'/><nd ref='1'/>").replace("1.01", "1.0001");
    assert!(refused(ring.as_bytes()).contains("were read"));
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

/// `netgenerate` attached blind roads that lie on other roads of the same junction: who
/// waited at the end of one stood in who waited at the end of the other.
#[test]
fn blind_roads_that_are_drawn_onto_others_are_not_kept() {
    let imported = import::read(include_bytes!("data/attached-spider.net.xml.gz")).unwrap();
    assert!(noted(&imported, "drawn onto others") > 0, "{}", imported.report);
    let map = Map::build(&imported.plan).unwrap();
    check_drivable(&map);
    let roads: Vec<_> = map.roads().collect();
    let settings = Settings { detail: Detail::Complete, ..Settings::default() };
    let mut city = City::new(map).with_cars(120).seed(3).with_settings(settings);
    for second in 0..120 {
        let cars = crate::common::cars_on(&mut city, f64::from(second), &roads);
        let found = crate::common::overlaps(cars);
        assert!(found.is_empty(), "{second} s: {:?}", found[0]);
    }
}
