//! Promise: roads that end at the rim are kept; cars leave there, and come.
#![allow(clippy::unwrap_used)]

use crate::common::{all_roads, cars_on, overlaps};
use proscenium_city::{City, Detail, Map, Settings, import};

/// A crossing of two one-way streets, cut off at the rim: nothing of it could be
/// imported, as cars could not go on for ever.
const CROSSING: &str = r#"<net>
<edge id="a" from="west" to="middle"><lane id="a_0" index="0" speed="13.9" length="140" shape="-150,0 -10,0"/></edge>
<edge id="b" from="middle" to="east"><lane id="b_0" index="0" speed="13.9" length="140" shape="10,0 150,0"/></edge>
<edge id="c" from="south" to="middle"><lane id="c_0" index="0" speed="13.9" length="140" shape="0,-150 0,-10"/></edge>
<edge id="d" from="middle" to="north"><lane id="d_0" index="0" speed="13.9" length="140" shape="0,10 0,150"/></edge>
<junction id="west" type="dead_end" x="-150" y="0"/>
<junction id="east" type="dead_end" x="150" y="0"/>
<junction id="south" type="dead_end" x="0" y="-150"/>
<junction id="north" type="dead_end" x="0" y="150"/>
<junction id="middle" type="priority" x="0" y="0"/>
<connection from="a" to="b" fromLane="0" toLane="0" state="M"/>
<connection from="a" to="d" fromLane="0" toLane="0" state="M"/>
<connection from="c" to="d" fromLane="0" toLane="0" state="m"/>
<connection from="c" to="b" fromLane="0" toLane="0" state="m"/>
</net>"#;

#[test]
fn one_way_streets_that_end_at_the_rim_are_kept() {
    let imported = import::read(CROSSING.as_bytes()).unwrap();
    let map = Map::build(&imported.plan).unwrap();
    let statistics = map.statistics();
    assert_eq!((statistics.roads, statistics.beyond), (4, 2), "{}", imported.report);
    assert!(imported.report.notes.iter().any(|note| note.what.contains("cars leave and come there")));
    assert!(imported.report.notes.iter().all(|note| !note.what.ends_with("left out")), "{}", imported.report);
}

#[test]
fn cars_leave_at_the_rim_and_come_without_overlapping() {
    let map = Map::build(&import::read(CROSSING.as_bytes()).unwrap().plan).unwrap();
    let (west, east) = (-150.0, 150.0);
    for detail in [Detail::Complete, Detail::Tracked, Detail::Pooled] {
        let settings = Settings { detail, ..Settings::default() };
        let mut city = City::new(map.clone()).with_cars(12).seed(3).with_settings(settings);
        let (mut came, mut left, mut before) = (0, 0, Vec::new());
        for frame in 0..6000 {
            let cars = cars_on(&mut city, 0.1 * f64::from(frame), &all_roads(&map));
            assert!(overlaps(cars).is_empty(), "{detail:?} frame {frame}");
            assert!(cars.iter().all(|car| !map.road(map.road_of(car.path)).is_beyond));
            let now: Vec<_> = cars.iter().map(|car| (car.id, car.world_from_body.translation.x)).collect();
            let is_in = |id, list: &[(_, f64)]| list.iter().any(|(known, _)| *known == id);
            came += now.iter().filter(|(id, x)| !is_in(*id, &before) && *x < west + 30.0 && frame > 0).count();
            left += before.iter().filter(|(id, x)| !is_in(*id, &now) && *x > east - 30.0).count();
            before = now;
        }
        assert!(came > 10 && left > 10, "{detail:?}: {came} came and {left} left");
    }
}
