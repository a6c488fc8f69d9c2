//! What a map promises: paths are continuous, lead on everywhere, and know
//! their lengths; what cannot be driven on is refused by name.
#![allow(clippy::unwrap_used)]

use proscenium_city::glam::DVec2;
use proscenium_city::map::{
    Connection, Control, ControlPlan, JunctionPlan, Light, MapError, PhasePlan, RoadPlan, Side, SignalsPlan, Turn,
};
use proscenium_city::{Map, Plan};
use proscenium_work::Remedy;

/// Four roads of different widths that meet in the middle, and one more.
fn crossing(control: ControlPlan) -> Plan {
    let mut plan = Plan { name: "crossing".into(), ..Plan::default() };
    let middle = plan.junction(JunctionPlan { control, ..JunctionPlan::at(DVec2::new(3.0, -2.0)) });
    for (x, y, lanes) in [(120.0, 0.0, 1), (10.0, 130.0, 2), (-140.0, 5.0, 1), (-5.0, -110.0, 2)] {
        let end = plan.junction(JunctionPlan::at(DVec2::new(x, y)));
        plan.road(RoadPlan::two_way(middle, end, lanes));
    }
    // A bent one-way road between two of the ends.
    plan.road(RoadPlan {
        shape: vec![DVec2::new(110.0, 60.0), DVec2::new(90.0, 90.0)],
        name: "Bow".into(),
        ..RoadPlan::one_way(1, 2, 1)
    });
    plan
}

fn close(a: DVec2, b: DVec2, tolerance: f64) -> bool {
    a.distance(b) <= tolerance
}

#[test]
fn paths_are_continuous_and_lead_on() {
    for side in [Side::Right, Side::Left] {
        let map = Map::build(&Plan { side, ..crossing(ControlPlan::Automatic) }).unwrap();
        for path in map.paths() {
            let curve = map.curve(path);
            let before = map.lane_points(map.path(path).from);
            assert!(close(curve.position(0.0), before[before.len() - 1], 1e-9));
            assert!(close(curve.position(1.0 - 1e-12), curve.position(1.0), 1e-6));
            let (near, far) = (curve.at(1.0 - 1e-9), curve.at(1.0));
            assert!(close(near.tangent, far.tangent, 1e-6), "the tangent jumps at the mouth");
            assert!(map.successors(path).len() > 0);
            for next in map.successors(path) {
                assert!(close(curve.position(2.0), map.curve(next).position(0.0), 1e-9));
                assert!(map.predecessors(next).contains(&path));
                assert_eq!(map.end_of(path), map.start_of(next));
            }
            assert!(map.paths_onto(map.path(path).to).contains(&path));
            assert!(map.paths_from(map.path(path).from).any(|other| other == path));
        }
    }
}

/// Distance and parameter against a fine polygon.
#[test]
fn arc_length_agrees_with_a_fine_polygon() {
    let map = Map::build(&crossing(ControlPlan::Automatic)).unwrap();
    for path in map.paths() {
        let curve = map.curve(path);
        let steps = 4000;
        let mut measured = 0.0;
        for step in 1..=steps {
            let u = 2.0 * f64::from(step) / f64::from(steps);
            let before = curve.position(2.0 * f64::from(step - 1) / f64::from(steps));
            measured += before.distance(curve.position(u));
            assert!((curve.distance(u) - measured).abs() < 2e-3 * measured.max(1.0), "{path:?} at {u}");
            assert!((curve.parameter(curve.distance(u)) - u).abs() < 1e-4, "{path:?} at {u}");
        }
        assert!((measured - map.path_length(path)).abs() < 1e-2);
        let at = curve.at(0.4);
        let step = (curve.position(0.4 + 1e-6) - curve.position(0.4 - 1e-6)) / 2e-6;
        assert!(close(step, at.tangent * at.scale, 1e-4 * at.scale));
        let [crossing, lane] = map.limits(path);
        let least = curve.crossing_length() / crossing + curve.lane_length() / lane;
        assert!((map.least_time(path) - least).abs() < 1e-9);
        let [first, second] = map.transition_points(path, 2.5);
        assert!((curve.distance(first) - curve.crossing_length() - 2.5).abs() < 1e-9);
        assert!((curve.length() - curve.distance(second) - 2.5).abs() < 1e-9);
    }
}

#[test]
fn cars_keep_to_their_side() {
    for side in [Side::Right, Side::Left] {
        let map = Map::build(&Plan { side, ..crossing(ControlPlan::Automatic) }).unwrap();
        for lane in map.lanes().filter(|lane| map.road(map.lane(*lane).road).against > 0) {
            let road = map.road_points(map.lane(lane).road);
            let points = map.lane_points(lane);
            let direction = points[1] - points[0];
            // In plan coordinates a positive product is to the right.
            let offset = direction.perp_dot(points[0] - road[0]);
            assert!(offset * side.sign() > 0.0, "lane {lane:?} lies on the wrong side");
        }
    }
}

#[test]
fn turns_and_controls_follow_from_the_shape() {
    let map = Map::build(&crossing(ControlPlan::Automatic)).unwrap();
    let controls: Vec<Control> = map.junctions().map(|junction| map.junction(junction).control).collect();
    use Control::{AllWayStop, DeadEnd, Free};
    assert_eq!(controls, [AllWayStop, Free, Free, DeadEnd, DeadEnd]);
    let middle = map.junctions().next().unwrap();
    // Every lane to every lane of the three other roads: 1·5 + 2·4 + 1·5 + 2·4.
    assert_eq!(map.paths_through(middle).len(), 26);
    let turns = |turn| map.paths_through(middle).filter(|path| map.path(*path).turn == turn).count();
    assert_eq!((turns(Turn::Straight), turns(Turn::Left), turns(Turn::Right)), (10, 8, 8));
    assert_eq!(map.road_name(proscenium_city::map::RoadId(4)), "Bow");
    let statistics = map.statistics();
    assert_eq!((statistics.parts, statistics.one_way, statistics.wide), (1, 1, 2));
}

#[test]
fn conflicts_and_ranks_at_a_priority_crossing() {
    let map = Map::build(&crossing(ControlPlan::Priority { major: vec![0, 2] })).unwrap();
    let middle = map.junctions().next().unwrap();
    for one in map.paths_through(middle) {
        assert!(!map.conflict(one, one));
        for other in map.paths_through(middle) {
            assert_eq!(map.conflict(one, other), map.conflict(other, one));
            let (first, second) = (map.path(one), map.path(other));
            if first.from == second.from {
                assert!(!map.conflict(one, other));
            } else if first.to == second.to {
                assert!(map.conflict(one, other));
            }
            assert!(!(map.gives_way(one, other) && map.gives_way(other, one)));
        }
    }
    // Straight on from east to west against north to south.
    let straight = |road: u32| {
        let from = |path: &_| map.lane(map.path(*path).from).road.0 == road && map.path(*path).turn == Turn::Straight;
        map.paths_through(middle).find(from).unwrap()
    };
    assert!(map.gives_way(straight(1), straight(0)));
    assert!(!map.conflict(straight(0), straight(2)), "oncoming traffic passes");
}

#[test]
fn lights_follow_their_programme() {
    let mut plan = crossing(ControlPlan::Automatic);
    let roads = [0, 2];
    plan.junctions[0].connections = (0..4)
        .flat_map(|from| (0..4).filter(move |to| *to != from).map(move |to| (from, to)))
        .flat_map(|(from_road, to_road)| {
            let lanes = if from_road % 2 == 0 { 1 } else { 2 };
            (0..lanes).map(move |from_lane| Connection { from_road, from_lane, to_road, to_lane: 0 })
        })
        .collect();
    let light = |connection: &Connection, group: bool| {
        if roads.contains(&connection.from_road) == group { Light::Green } else { Light::Red }
    };
    let lights = |group| plan.junctions[0].connections.iter().map(|one| light(one, group)).collect();
    let phases =
        vec![PhasePlan { seconds: 20.0, lights: lights(true) }, PhasePlan { seconds: 30.0, lights: lights(false) }];
    plan.junctions[0].control = ControlPlan::Signals(SignalsPlan { phases, offset: 5.0 });
    let map = Map::build(&plan).unwrap();
    let middle = map.junctions().next().unwrap();
    assert_eq!(map.cycle(middle), Some(50.0));
    assert_eq!(map.next_change(middle, 5.0), Some(25.0));
    assert_eq!(map.next_change(middle, 26.0), Some(55.0));
    for path in map.paths_through(middle) {
        let group = roads.contains(&map.lane(map.path(path).from).road.0);
        assert_eq!(map.light(path, 10.0), if group { Light::Green } else { Light::Red });
        assert_eq!(map.light(path, 1000.0 + 30.0), if group { Light::Red } else { Light::Green });
    }
}

/// With no programme given, every path has its turn, and what is green at the
/// same time does not cross.
#[test]
fn a_plain_programme_serves_all_and_is_safe() {
    let map = Map::build(&crossing(ControlPlan::Signals(SignalsPlan::default()))).unwrap();
    let middle = map.junctions().next().unwrap();
    let cycle = map.cycle(middle).unwrap();
    for path in map.paths_through(middle) {
        let shown = |light| (0..600).any(|step| map.light(path, cycle * f64::from(step) / 600.0) == light);
        assert!(shown(Light::Green) || shown(Light::Permissive));
        assert!(shown(Light::Red) && shown(Light::Amber));
        for other in map.paths_through(middle) {
            for step in 0..600 {
                let time = cycle * f64::from(step) / 600.0;
                let both = map.light(path, time) == Light::Green && map.light(other, time) == Light::Green;
                let merge = map.path(path).to == map.path(other).to;
                assert!(!both || merge || !map.conflict(path, other), "{path:?} and {other:?} at {time}");
            }
        }
    }
}

#[test]
fn places_are_found() {
    let map = Map::build(&crossing(ControlPlan::Automatic)).unwrap();
    assert_eq!(map.junction_at(DVec2::new(3.0, -2.0)).unwrap().0, 0);
    assert_eq!(map.road_at(DVec2::new(60.0, 0.0)).unwrap().0, 0);
    assert_eq!(map.road_at(DVec2::new(60.0, 40.0)), None);
    assert_eq!(map.nearest_road(DVec2::new(60.0, 20.0), 100.0).unwrap().road.0, 0);
    assert_eq!(map.nearest_road(DVec2::new(1e6, 20.0), 100.0), None);
    for road in map.roads() {
        let points = map.road_points(road);
        assert_eq!(map.road_at(0.5 * (points[0] + points[1])), Some(road));
        assert!(map.roads_in(points[0], points[0]).contains(&road));
    }
}

#[test]
fn a_file_holds_the_plan() {
    let plan = crossing(ControlPlan::Priority { major: vec![0] });
    let bytes = plan.to_bytes();
    assert_eq!(Plan::from_bytes(&bytes).unwrap(), plan);
    let same = Map::build(&Plan::from_bytes(&bytes).unwrap()).unwrap();
    assert_eq!(same.fingerprint(), Map::build(&plan).unwrap().fingerprint());
    for end in [0, 4, 11, 12, 40, bytes.len() - 1] {
        let refused = Plan::from_bytes(&bytes[..end]).unwrap_err();
        assert!(matches!(refused, MapError::File(_)), "cut at {end}");
        assert!(refused.explain().contains("proscenium city generate"), "{refused}");
    }
    let content = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let newer = [&b"proscenium city 9 5 00000000\n"[..], &bytes[content..]].concat();
    assert!(Plan::from_bytes(&newer).unwrap_err().to_string().contains("version 9"));
    assert!(Plan::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
}

#[test]
fn what_cannot_be_driven_on_is_refused() {
    assert_eq!(Map::build(&Plan::default()).unwrap_err(), MapError::NoRoads);
    let wrong = |change: &dyn Fn(&mut Plan)| {
        let mut plan = crossing(ControlPlan::Automatic);
        change(&mut plan);
        Map::build(&plan).unwrap_err().explain()
    };
    assert!(wrong(&|plan| plan.roads[2].to = 99).contains("road 2 refers to junction 99"));
    assert!(wrong(&|plan| plan.roads[2].to = 0).contains("starts and ends at junction 0"));
    assert!(wrong(&|plan| (plan.roads[1].along, plan.roads[1].against) = (0, 0)).contains("road 1 has no lanes"));
    assert!(wrong(&|plan| plan.roads[4].limit = f64::NAN).contains("road 4 (\"Bow\") is NaN"));
    assert!(wrong(&|plan| plan.junctions[3].position.x = f64::INFINITY).contains("junction 3"));
    assert!(wrong(&|plan| plan.junctions[3].position = plan.junctions[0].position).contains("merge its junctions"));
    assert!(wrong(&|plan| plan.roads[2].against = 0).contains("leads to junction 3, from which no lane goes on"));
    assert!(wrong(&|plan| (plan.roads[2].along, plan.roads[2].against) = (200, 200)).contains("at most 64"));
    let connection = Connection { from_road: 0, from_lane: 3, to_road: 1, to_lane: 0 };
    assert!(wrong(&|plan| plan.junctions[0].connections = vec![connection]).contains("road 0, lane 3"));
}
