//! Maps of other people: do they import, and does traffic on them stay sound?

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proscenium_chance::Seed;
use proscenium_city::map::RoadId;
use proscenium_city::{City, CityError, Detail, Map, Settings, import};

use super::routes;
use super::sumo::Programs;
use super::watch::{LOCKED, Watch};
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::number::show_number;
use crate::results::Row;
use crate::timing::Stopwatch;

/// Cars for each kilometre of lane at which a map is judged.
const CARS_PER_KM: f64 = 8.0;
/// Where locks are looked for then, cars for each kilometre of lane.
const DENSER: [f64; 4] = [10.0, 15.0, 20.0, 30.0];
/// Frames per second.
const RATE: f64 = 10.0;
/// Frames between two looks at all bodies.
const LOOKS: u32 = 5;
/// Networks of `netgenerate`.
const GENERATED: u64 = 20;
/// Road networks that are part of the tests of cities.
const OURS: [(&str, &[u8]); 5] = [
    ("cologne8", include_bytes!("../../../../crates/city/tests/data/cologne8.net.xml")),
    ("luxembourg-part", include_bytes!("../../../../crates/city/tests/data/luxembourg-part.osm")),
    ("soderleden", include_bytes!("../../../../crates/city/tests/data/soderleden.xodr")),
    ("highway", include_bytes!("../../../../crates/city/tests/data/highway_example_with_merge_and_split.xodr")),
    ("lane-offset", include_bytes!("../../../../crates/city/tests/data/lane_offset_intersection.xodr")),
];

/// The experiment `city-maps`.
pub(crate) struct CityMaps;

/// A network as bytes, and what it is called.
struct Stranger {
    name: String,
    bytes: Vec<u8>,
    /// Trips that come with it.
    routes: Option<PathBuf>,
}

/// What an hour of traffic showed.
#[derive(Clone, Copy, Debug, Default)]
struct Verdict {
    cars: u32,
    on_the_road: usize,
    overlaps: usize,
    /// Overlaps of cars on roads that cross without meeting.
    on_bridges: usize,
    /// The most that were locked at once.
    locks: usize,
    waved: u64,
    circles: u64,
    other_ways: u64,
}

impl Experiment for CityMaps {
    fn name(&self) -> &'static str {
        "city-maps"
    }

    fn reproduces(&self) -> &'static str {
        "our own question: other people's maps"
    }

    fn summary(&self) -> &'static str {
        "imports, overlaps and locks on networks that the engine has not seen"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "map",
            "imported",
            "inserted_share",
            "dropped",
            "km_of_lane",
            "cars",
            "hours",
            "overlaps",
            "locks",
            "first_lock_cars_per_km",
            "geh_below_5_share",
            "trip_time_ratio_median",
            "trip_time_ratio_p90",
            "us_per_vehicle_step",
            "sumo_us_per_vehicle_step",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let programs = Programs::find(context, "maps");
        let strangers = strangers(programs.as_ref(), context)?;
        context.plan(strangers.len() as f64);
        for stranger in &strangers {
            context.doing(&stranger.name);
            rows.push(judge(stranger, programs.as_ref(), context)?);
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let sum = |key: &str| rows.iter().filter_map(|row| row.number(key)).sum::<f64>();
        let failed = rows.iter().filter(|row| row.get("imported").and_then(|value| value.as_bool()) == Some(false));
        let locked = rows.iter().filter(|row| row.number("locks").is_some_and(|locks| locks > 0.0));
        let first = rows.iter().filter_map(|row| row.number("first_lock_cars_per_km")).fold(f64::INFINITY, f64::min);
        let mut notes = vec![
            format!(
                "Of {} networks {} could not be imported (wanted: 0); {} pairs of bodies overlap in {} samples (wanted: \
                 0); {} have a lasting lock at {CARS_PER_KM} cars for each kilometre of lane (wanted: 0).",
                rows.len(),
                failed.count(),
                show_number(sum("overlaps")),
                show_number(sum("samples")),
                locked.count()
            ),
            format!(
                "A lock is a circle of lanes whose foremost cars have not moved for {LOCKED} s, or a car that has stood \
                 in a junction for as long. Bodies are compared twice a second. Cars turn at random. Inserted are \
                 those on the road at the end over those asked for."
            ),
            format!(
                "Besides, {} pairs are on roads that cross without meeting (bridges, and streets that the map draws \
                 onto each other): maps are flat, and traffic does not know of such places.",
                show_number(sum("over_or_under"))
            ),
            beside_sumo(rows),
        ];
        if first.is_finite() {
            notes.push(format!("The first lock comes at {} cars for each kilometre of lane.", show_number(first)));
        }
        Ok(Conclusion { notes, figures: Vec::new() })
    }
}

/// What the same trips showed in SUMO and here.
fn beside_sumo(rows: &[Row]) -> String {
    let of = |key: &str| -> Vec<f64> { rows.iter().filter_map(|row| row.number(key)).collect() };
    let (flows, medians, p90) = (of("geh_below_5_share"), of("trip_time_ratio_median"), of("trip_time_ratio_p90"));
    if medians.is_empty() {
        return "SUMO or the package `sumo-rl` is not installed: nothing is compared with it.".to_owned();
    }
    let agree = flows.iter().filter(|share| **share >= 0.85).count();
    let within = |ratios: &[f64]| ratios.iter().filter(|ratio| (0.9..=1.1).contains(*ratio)).count();
    format!(
        "With the trips of RESCO, and trips that are drawn for the other networks, as many as SUMO carries, on the \
         same ways, none planned again: GEH is below 5 on 85 % of the edges with 100 \
         vehicles an hour in {agree} of {} networks that have such edges; the median trip time is within 10 % of \
         SUMO's in {} of {}, and the 90 % quantile in {}. SUMO with another seed is the floor (sumo_…). SUMO runs in \
         steps of a second, and its start counts as its own time; ours are a tenth of it.",
        flows.len(),
        within(&medians),
        medians.len(),
        within(&p90)
    )
}

/// All networks that can be had.
fn strangers(programs: Option<&Programs>, context: &Context) -> Result<Vec<Stranger>, Halt> {
    let ours = OURS.iter();
    let mut strangers: Vec<Stranger> =
        ours.map(|(name, bytes)| Stranger { name: (*name).to_owned(), bytes: bytes.to_vec(), routes: None }).collect();
    let Some(programs) = programs else {
        return Ok(strangers);
    };
    for path in resco(programs) {
        let name = path.file_name().map(|name| name.to_string_lossy().replace(".net.xml", ""));
        let bytes =
            std::fs::read(&path).map_err(|error| LabError::File { action: "read", path: path.clone(), error })?;
        let name = name.unwrap_or_default();
        let beside = ["", "_1"].map(|ending| path.with_file_name(format!("{name}{ending}.rou.xml")));
        let routes = beside.into_iter().find(|routes| routes.is_file());
        match strangers.iter_mut().find(|known| known.name == name) {
            // The same network, as it is in its package.
            Some(known) => (known.bytes, known.routes) = (bytes, routes),
            None => strangers.push(Stranger { name, bytes, routes }),
        }
    }
    let count = if context.quick() { 6 } else { GENERATED };
    for number in 0..count {
        context.check()?;
        strangers.push(generated(programs, context.seed(), number, context)?);
    }
    Ok(strangers)
}

/// The RESCO networks, if the package `sumo-rl` is installed beside SUMO.
fn resco(programs: &Programs) -> Vec<PathBuf> {
    let Some(packages) = programs.folder().ancestors().nth(2) else {
        return Vec::new();
    };
    let folders = |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let inside = folders(&packages.join("sumo_rl/nets/RESCO")).flat_map(|folder| folders(&folder).collect::<Vec<_>>());
    let mut found: Vec<PathBuf> = inside.filter(|path| path.to_string_lossy().ends_with(".net.xml")).collect();
    found.sort();
    found
}

/// A network that SUMO makes, of a kind that follows from the seed.
fn generated(programs: &Programs, seed: Seed, number: u64, context: &Context) -> Result<Stranger, Halt> {
    let mut stream = seed.stream("network").at(number);
    let shape = ["grid", "spider", "rand"][number as usize % 3];
    let control = ["priority", "traffic_light", "allway_stop", "right_before_left"][number as usize / 3 % 4];
    let lanes = 1 + stream.below(4);
    let side = 4 + stream.below(4);
    let metres = 90 + stream.below(120);
    let of_shape = match shape {
        "grid" => vec![format!("--grid.number={side}"), format!("--grid.length={metres}")],
        "spider" => vec![
            format!("--spider.arm-number={}", side + 1),
            format!("--spider.circle-number={}", side - 1),
            format!("--spider.space-radius={metres}"),
        ],
        _ => vec![format!("--rand.iterations={}", 12 * side)],
    };
    let mut arguments = vec![
        format!("--{shape}"),
        format!("--default-junction-type={control}"),
        format!("--default.lanenumber={lanes}"),
        format!("--seed={}", stream.below(1 << 30)),
        "--output-file=made.net.xml".to_owned(),
    ];
    arguments.extend(of_shape);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    programs.run("netgenerate", &arguments, context)?;
    Ok(Stranger {
        name: format!("{shape}-{control}-{lanes}-{number}"),
        bytes: programs.read("made.net.xml")?,
        routes: None,
    })
}

/// Imports a network and drives on it.
fn judge(stranger: &Stranger, programs: Option<&Programs>, context: &Context) -> Result<Row, Halt> {
    let row = Row::new().with("map", stranger.name.as_str());
    let built = import::read(&stranger.bytes).map_err(|error| error.to_string()).and_then(|imported| {
        let map = Map::build(&imported.plan).map_err(|error| error.to_string())?;
        Ok((imported, Arc::new(map)))
    });
    let (imported, map) = match built {
        Ok(built) => built,
        Err(reason) => return Ok(row.with("imported", false).with("reason", reason)),
    };
    let left_out = imported.report.notes.iter().filter(|note| note.what.ends_with("left out"));
    let dropped: usize = left_out.map(|note| note.count).sum();
    let km = map.statistics().lane_metres / 1e3;
    let hours = if context.quick() { 1.0 / 6.0 } else { 1.0 };
    let verdict = drive(&map, CARS_PER_KM, km, hours, context)?;
    let mut first_lock = (verdict.locks > 0).then_some(CARS_PER_KM);
    for denser in DENSER {
        if first_lock.is_none() && !context.quick() {
            first_lock = (drive(&map, denser, km, hours, context)?.locks > 0).then_some(denser);
        }
    }
    let seconds = step_seconds(&map, verdict.cars, context)?;
    let row = row
        .with("imported", true)
        .with("inserted_share", verdict.on_the_road as f64 / (CARS_PER_KM * km).max(1.0))
        .with("dropped", dropped)
        .with("km_of_lane", km)
        .with("cars", verdict.cars)
        .with("hours", hours)
        .with("overlaps", verdict.overlaps)
        .with("locks", verdict.locks)
        .with("first_lock_cars_per_km", first_lock)
        .with("us_per_vehicle_step", 1e6 * seconds)
        .with("samples", (3600.0 * hours * RATE) as u32 / LOOKS)
        .with("waved", verdict.waved)
        .with("over_or_under", verdict.on_bridges)
        .with("circles", verdict.circles)
        .with("other_ways", verdict.other_ways)
        .with("shortest_lane", map.statistics().shortest_lane);
    if let (Some(programs), Some(path)) = (programs, &stranger.routes) {
        return routes::compare(row, (&map, &imported.plan), (&stranger.bytes, path), programs, context);
    }
    if let Some(programs) = programs.filter(|_| !context.quick()) {
        return routes::compare_drawn(row, &stranger.bytes, programs, context);
    }
    let nothing = None::<f64>;
    Ok(row
        .with("geh_below_5_share", nothing)
        .with("trip_time_ratio_median", nothing)
        .with("trip_time_ratio_p90", nothing)
        .with("sumo_us_per_vehicle_step", nothing))
}

fn city(map: &Arc<Map>, cars: u32, context: &Context) -> City {
    let settings = Settings { detail: Detail::Complete, ..Settings::default() };
    City::new(Arc::clone(map)).with_cars(cars).seed(context.seed().0).with_settings(settings)
}

/// Drives for some hours, and watches.
fn drive(map: &Arc<Map>, cars_per_km: f64, km: f64, hours: f64, context: &Context) -> Result<Verdict, Halt> {
    // Those beyond the rim are not seen: they come on top.
    let whole = map.lanes().map(|lane| map.lane(lane).length).sum::<f64>() / 1e3;
    let mut verdict = Verdict { cars: (cars_per_km * whole.max(km)) as u32, ..Verdict::default() };
    let roads: Vec<RoadId> = map.roads().collect();
    let mut city = city(map, verdict.cars, context);
    let mut watch = Watch::new(map);
    for frame in 0..(3600.0 * hours * RATE) as u32 {
        let now = f64::from(frame) / RATE;
        city.look_at(&roads)?;
        let cars = city.advance(now)?;
        verdict.on_the_road = cars.len();
        if frame % LOOKS == 0 {
            context.check()?;
            let [meeting, on_bridges] = watch.overlaps(cars);
            (verdict.overlaps, verdict.on_bridges) = (verdict.overlaps + meeting, verdict.on_bridges + on_bridges);
            verdict.locks = verdict.locks.max(watch.locks(cars, now));
        }
    }
    let courtesies = city.courtesies();
    (verdict.waved, verdict.circles, verdict.other_ways) =
        (courtesies.waved, courtesies.circles, courtesies.other_ways);
    Ok(verdict)
}

/// What a step of a vehicle takes, seconds: two minutes after one that is not
/// measured.
fn step_seconds(map: &Arc<Map>, cars: u32, context: &Context) -> Result<f64, Halt> {
    let roads: Vec<RoadId> = map.roads().collect();
    let mut city = city(map, cars, context);
    city.look_at(&roads)?;
    let mut watch = Stopwatch::default();
    let mut before = 0;
    for minute in 0..3_u32 {
        context.check()?;
        let mut run = || {
            for frame in 0..(60.0 * RATE) as u32 {
                city.advance(60.0 * f64::from(minute) + f64::from(frame) / RATE)?;
            }
            Ok::<(), CityError>(())
        };
        if minute == 0 {
            run()?;
            before = city.work().car_steps;
        } else {
            watch.time(run)?;
        }
    }
    Ok(watch.seconds() / (city.work().car_steps - before).max(1) as f64)
}
