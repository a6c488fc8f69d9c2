//! The same trips for SUMO and for us, on ways that are told to both: how many cars come
//! to each edge, and how long trips take.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use proscenium_city::map::RoadId;
use proscenium_city::trips::{Carriageway, Trips};
use proscenium_city::{City, Detail, Map, Plan, Settings, import};

use super::sumo::Programs;
use crate::error::Halt;
use crate::experiment::Context;
use crate::results::Row;

/// Edges with fewer vehicles in an hour than this are not compared.
const BUSY: f64 = 100.0;
/// Flows whose GEH is below this agree.
const AGREES: f64 = 5.0;
/// Shares of the trips of a file with which SUMO and we are run.
const SHARES: [f64; 3] = [1.0, 0.8, 0.5];

/// Trips that are drawn: so many each hour for each kilometre of lane at first, and by so much
/// less, at most so often, until SUMO has carried this share of them at the end of an hour.
const FIRST_PER_KM: f64 = 120.0;
const LESS: f64 = 0.7;
const TRIES: u32 = 8;
const CARRIED: f64 = 0.9;
const HOUR: f64 = 3600.0;
/// The file of trips that are drawn.
const DRAWN: &str = "drawn.trips.xml";

/// What became of the trips of a run.
struct Outcome {
    /// How many vehicles came to each edge, in an hour.
    flows: BTreeMap<String, f64>,
    /// How long trips took that have ended, seconds, in order.
    durations: Vec<f64>,
}

impl Outcome {
    /// The share of busy edges whose flows agree with another's, and how many are busy.
    /// Only edges that both have are compared.
    fn agreement(&self, judge: &Self) -> (Option<f64>, usize) {
        let both = judge.flows.iter().filter_map(|(edge, flow)| Some((*flow, *self.flows.get(edge)?)));
        let busy: Vec<bool> = both.filter(|(flow, _)| *flow >= BUSY).map(|(a, b)| geh(a, b) < AGREES).collect();
        let agree = busy.iter().filter(|agrees| **agrees).count();
        ((!busy.is_empty()).then(|| agree as f64 / busy.len() as f64), busy.len())
    }

    /// How long trips took over how long another's took, at a quantile.
    fn trip_time_ratio(&self, judge: &Self, quantile: f64) -> Option<f64> {
        let at = |durations: &[f64]| durations.get((quantile * (durations.len().max(1) - 1) as f64) as usize).copied();
        Some(at(&self.durations)? / at(&judge.durations)?)
    }
}

/// How far two hourly flows are apart, by Geoffrey E. Havers.
fn geh(one: f64, other: f64) -> f64 {
    (2.0 * (one - other) * (one - other) / (one + other).max(1e-9)).sqrt()
}

/// Adds to a row what SUMO and we make of the trips of a file.
pub(super) fn compare(
    row: Row,
    (map, plan): (&Arc<Map>, &Plan),
    (network, routes): (&[u8], &Path),
    programs: &Programs,
    context: &Context,
) -> Result<Row, Halt> {
    let routed = routed(network, routes, programs, context)?;
    let departs = values(&routed, "<vehicle", "depart");
    let begin = departs.iter().copied().fold(f64::INFINITY, f64::min).floor();
    let times = [begin, begin + if context.quick() { 600.0 } else { 3600.0 }];
    let mut row = row;
    for share in SHARES.into_iter().filter(|share| *share == 1.0 || !context.quick()) {
        let text = thinned(&routed, share);
        let (theirs, seconds) = sumo(&text, times, 1, programs, context)?;
        let (ours, inserted) = ours((map, plan), &text, times, context)?;
        let (agree, busy) = ours.agreement(&theirs);
        let [median, p90] = [0.5, 0.9].map(|quantile| ours.trip_time_ratio(&theirs, quantile));
        if share < 1.0 {
            let named = |what: &str| format!("{what}_{:.0}", 100.0 * share);
            row = row
                .with(&named("geh_below_5_share"), agree)
                .with(&named("trip_time_ratio_median"), median)
                .with(&named("trip_time_ratio_p90"), p90);
            continue;
        }
        let (again, _) = sumo(&text, times, 2, programs, context)?;
        row = row
            .with("geh_below_5_share", agree)
            .with("trip_time_ratio_median", median)
            .with("trip_time_ratio_p90", p90)
            .with("sumo_us_per_vehicle_step", 1e6 * seconds)
            .with("trips_inserted_share", inserted)
            .with("edges_compared", busy)
            .with("sumo_geh_below_5_share", again.agreement(&theirs).0)
            .with("sumo_trip_time_ratio_median", again.trip_time_ratio(&theirs, 0.5))
            .with("sumo_trip_time_ratio_p90", again.trip_time_ratio(&theirs, 0.9));
    }
    Ok(row)
}

/// The same for trips that are drawn, where a network has none of its own: as many as SUMO
/// carries.
pub(super) fn compare_drawn(row: Row, network: &[u8], programs: &Programs, context: &Context) -> Result<Row, Halt> {
    let network = as_net(network, programs, context)?;
    let read = import::read(&network).ok().and_then(|imported| Some((Map::build(&imported.plan).ok()?, imported.plan)));
    let Some((map, plan)) = read else {
        return Ok(row.with("compared", "what netconvert makes of it is not imported"));
    };
    let map = Arc::new(map);
    let km = map.statistics().lane_metres / 1e3;
    let mut per_hour = FIRST_PER_KM * km;
    for _ in 0..TRIES {
        let trips = written(&map, &plan, per_hour, context);
        programs.write(DRAWN, &trips)?;
        let routed = routed(&network, Path::new(DRAWN), programs, context)?;
        let count = values(&routed, "<vehicle", "depart").len();
        if count == 0 {
            return Ok(row.with("compared", "no trips between roads of the map"));
        }
        let (theirs, _) = sumo(&routed, [0.0, HOUR], 1, programs, context)?;
        if theirs.durations.len() as f64 >= CARRIED * count as f64 {
            break;
        }
        per_hour *= LESS;
    }
    let row = row.with("trips_per_hour", per_hour);
    compare(row, (&map, &plan), (&network, Path::new(DRAWN)), programs, context)
}

/// A network as SUMO has it.
fn as_net(network: &[u8], programs: &Programs, context: &Context) -> Result<Vec<u8>, Halt> {
    let head = String::from_utf8_lossy(&network[..network.len().min(4000)]).into_owned();
    let (name, option) = match (head.contains("<osm"), head.contains("<OpenDRIVE")) {
        (true, _) => ("map.osm", "--osm-files=map.osm"),
        (_, true) => ("map.xodr", "--opendrive-files=map.xodr"),
        _ => return Ok(network.to_vec()),
    };
    programs.write(name, &String::from_utf8_lossy(network))?;
    let arguments =
        [option, "--output-file=converted.net.xml", "--no-warnings=true", "--keep-edges.by-vclass=passenger"];
    programs.run("netconvert", &arguments, context)?;
    programs.read("converted.net.xml")
}

/// Trips of an hour, from anywhere to anywhere, as SUMO reads them.
fn written(map: &Map, plan: &Plan, per_hour: f64, context: &Context) -> String {
    let Ok(drawn) = Trips::drawn(map, context.seed(), per_hour, HOUR) else {
        return "<routes/>\n".to_owned();
    };
    let edge = |at: Carriageway| &plan.roads[at.road.index()].ids[usize::from(at.against)];
    let mut text = String::from("<routes>\n");
    for (number, trip) in drawn.iter().enumerate() {
        let (from, to) = (edge(trip.from), edge(trip.to));
        if !from.is_empty() && !to.is_empty() {
            let depart = trip.depart;
            let _ = writeln!(text, "<trip id=\"{number}\" depart=\"{depart:.2}\" from=\"{from}\" to=\"{to}\"/>");
        }
    }
    text + "</routes>\n"
}

/// The trips of a file with their ways, as `duarouter` finds them.
fn routed(network: &[u8], routes: &Path, programs: &Programs, context: &Context) -> Result<String, Halt> {
    programs.write("map.net.xml", &String::from_utf8_lossy(network))?;
    let from = format!("--route-files={}", routes.display());
    let arguments = [
        "--net-file=map.net.xml",
        &from,
        "--output-file=routed.rou.xml",
        "--ignore-errors=true",
        "--no-warnings=true",
        "--no-step-log=true",
    ];
    programs.run("duarouter", &arguments, context)?;
    Ok(String::from_utf8_lossy(&programs.read("routed.rou.xml")?).into_owned())
}

/// A share of the vehicles of a file, evenly.
fn thinned(text: &str, share: f64) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut pieces = text.split("<vehicle ");
    kept.push_str(pieces.next().unwrap_or_default());
    let mut due = 0.0;
    for piece in pieces {
        let (vehicle, rest) = piece.split_once("</vehicle>").unwrap_or((piece, ""));
        due += share;
        if due >= 1.0 - 1e-9 {
            due -= 1.0;
            kept.extend(["<vehicle ", vehicle, "</vehicle>"]);
        }
        kept.push_str(rest);
    }
    kept
}

/// A number of each element with a name.
fn values(text: &str, element: &str, attribute: &str) -> Vec<f64> {
    let elements = text.split(element).skip(1).filter_map(|rest| rest.split('>').next());
    elements.filter_map(|element| value(element, attribute)?.parse().ok()).collect()
}

fn value<'text>(element: &'text str, attribute: &str) -> Option<&'text str> {
    element.split_once(&format!(" {attribute}=\""))?.1.split('"').next()
}

/// SUMO in steps of a second, and what a step of a vehicle took, seconds: its start is
/// counted too.
fn sumo(
    text: &str,
    [begin, end]: [f64; 2],
    seed: u32,
    programs: &Programs,
    context: &Context,
) -> Result<(Outcome, f64), Halt> {
    programs.write("trips.rou.xml", text)?;
    let told = [format!("--begin={begin}"), format!("--end={end}"), format!("--seed={seed}")];
    let mut arguments = vec![
        "--net-file=map.net.xml",
        "--route-files=trips.rou.xml",
        "--no-step-log=true",
        "--no-warnings=true",
        "--time-to-teleport=-1",
        "--edgedata-output=edges.xml",
        "--tripinfo-output=ended.xml",
    ];
    arguments.extend(told.iter().map(String::as_str));
    let seconds = programs.run("sumo", &arguments, context)?;
    let edges = String::from_utf8_lossy(&programs.read("edges.xml")?).into_owned();
    let ended = String::from_utf8_lossy(&programs.read("ended.xml")?).into_owned();
    let hours = (end - begin) / 3600.0;
    let elements = edges.split("<edge ").skip(1).filter_map(|rest| rest.split('>').next());
    let flows = elements.filter_map(|element| {
        let count = |name: &str| value(element, name)?.parse::<f64>().ok();
        let id = element.split_once("id=\"")?.1.split('"').next()?;
        Some((id.to_owned(), (count("entered")? + count("departed")?) / hours))
    });
    let flows = flows.collect();
    let mut durations = values(&ended, "<tripinfo ", "duration");
    durations.sort_by(f64::total_cmp);
    let steps: f64 = values(&edges, "<edge ", "sampledSeconds").iter().sum();
    Ok((Outcome { flows, durations }, seconds / steps.max(1.0)))
}

/// Our complete model with the same vehicles, none of which plans again; and the share of
/// those that should have begun that have.
fn ours(
    (map, plan): (&Arc<Map>, &Plan),
    text: &str,
    [begin, end]: [f64; 2],
    context: &Context,
) -> Result<(Outcome, Option<f64>), Halt> {
    let Ok((trips, _)) = Trips::from_sumo(map, plan, text) else {
        return Ok((Outcome { flows: BTreeMap::new(), durations: Vec::new() }, None));
    };
    let settings = Settings { detail: Detail::Complete, lane_changes: true, ..Settings::default() };
    let mut city =
        City::new(Arc::clone(map)).seed(context.seed().0).with_settings(settings).with_trips(trips.replanned(false));
    let mut now = begin;
    while now <= end {
        context.check()?;
        city.advance(now)?;
        now += 1.0;
    }
    let hours = (end - begin) / 3600.0;
    let mut flows = BTreeMap::new();
    for (number, road) in plan.roads.iter().enumerate() {
        for (against, id) in [(false, &road.ids[0]), (true, &road.ids[1])].into_iter().filter(|(_, id)| !id.is_empty())
        {
            let lanes = Carriageway { road: RoadId(number as u32), against }.lanes(map);
            let count: u32 = lanes.map(|lane| city.entries(lane)).sum();
            flows.insert(id.to_string(), f64::from(count) / hours);
        }
    }
    let mut durations: Vec<f64> = city.arrivals().iter().map(|arrival| arrival.arrived - arrival.departed).collect();
    durations.sort_by(f64::total_cmp);
    let counts = city.trip_counts();
    Ok((Outcome { flows, durations }, Some(f64::from(counts.inserted) / f64::from(counts.demanded.max(1)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_and_times_are_compared_as_they_are_defined() {
        assert!((geh(100.0, 150.0) - (2.0_f64 * 2500.0 / 250.0).sqrt()).abs() < 1e-12);
        let outcome = |flows: &[(&str, f64)], durations: &[f64]| Outcome {
            flows: flows.iter().map(|(edge, flow)| ((*edge).to_owned(), *flow)).collect(),
            durations: durations.to_vec(),
        };
        let judge = outcome(&[("a", 400.0), ("b", 400.0), ("c", 50.0), ("d", 200.0)], &[10.0, 20.0, 30.0]);
        let ours = outcome(&[("a", 420.0), ("b", 600.0), ("c", 5.0)], &[10.0, 25.0, 60.0]);
        assert_eq!(ours.agreement(&judge), (Some(0.5), 2));
        assert_eq!(ours.trip_time_ratio(&judge, 0.5), Some(1.25));
    }

    #[test]
    fn a_share_of_the_vehicles_is_kept() {
        let text = "<routes>\n<vType id=\"x\"/>\n".to_owned()
            + &(0..10)
                .map(|n| format!("<vehicle id=\"{n}\" depart=\"{n}.0\"><route edges=\"a b\"/></vehicle>\n"))
                .collect::<String>()
            + "</routes>\n";
        assert_eq!(thinned(&text, 1.0), text);
        let half = thinned(&text, 0.5);
        assert_eq!(values(&half, "<vehicle", "depart"), [1.0, 3.0, 5.0, 7.0, 9.0]);
        assert!(half.starts_with("<routes>\n<vType") && half.trim_end().ends_with("</routes>"));
    }
}
