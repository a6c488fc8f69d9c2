//! Trips that others wrote: SUMO's routes, and matrices of origins and
//! destinations.

use std::borrow::Cow;
use std::collections::BTreeMap;

use proscenium_chance::Seed;
use proscenium_work::{Halt, Progress, Remedy};
use quick_xml::events::BytesStart;

use super::{Carriageway, Trip, Trips};
use crate::import::ImportError;
use crate::import::xml::{Elements, Tag};
use crate::map::{Map, Plan, RoadId};

/// Why trips cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TripError {
    /// A trip cannot be made on this map.
    #[error("trip {number} {what}")]
    Trip {
        /// Its place in the list, from 0.
        number: usize,
        /// What is wrong.
        what: String,
    },
    /// A number is out of range.
    #[error("{what} is {value}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// The text of a file of SUMO is not what it should be.
    #[error(transparent)]
    Xml(#[from] ImportError),
    /// A row of a matrix is not what it should be.
    #[error("row {row}: {what}")]
    Row {
        /// The row, from 1.
        row: usize,
        /// What is wrong there.
        what: String,
    },
    /// Nothing of it can be used.
    #[error("none of {read} trips is between roads of this map")]
    None {
        /// How many were read.
        read: usize,
    },
}

impl Remedy for TripError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::Trip { .. } => "give roads of this map, in directions that have lanes, and seconds from 0 on",
            Self::Number { .. } => "give a number from 0 up to two thousand million",
            Self::Xml(error) => return error.remedy(),
            Self::Row { .. } => "give rows `from,to,trips` with roads of the plan",
            Self::None { .. } => "give the routes of the network that the city was imported from",
        }))
    }
}

/// What was read of a file of routes, and what of it could not be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TripReport {
    /// Trips that the file has.
    pub read: usize,
    /// Of which left out: they begin or end on what is not on the map, or when
    /// something else happens.
    pub left_out: usize,
    /// Of the others, those whose way passes what is not on the map: it is planned
    /// there.
    pub with_gaps: usize,
}

/// What carriageways are called.
#[derive(Clone, Debug, Default)]
pub struct Names {
    by_name: BTreeMap<String, Carriageway>,
    roads: usize,
}

impl Names {
    /// Those of a plan.
    pub fn of(plan: &Plan) -> Self {
        let mut by_name = BTreeMap::new();
        for (number, road) in plan.roads.iter().enumerate() {
            for (against, id) in [(false, &road.ids[0]), (true, &road.ids[1])] {
                if !id.is_empty() {
                    by_name.entry(id.to_string()).or_insert(Carriageway { road: RoadId::at(number), against });
                }
            }
        }
        Self { by_name, roads: plan.roads.len() }
    }

    /// The carriageway of this name: as in the file that the plan comes from, or the
    /// number of a road, with a minus for the direction against.
    pub fn find(&self, name: &str) -> Option<Carriageway> {
        let by_number = || {
            let (against, digits) = name.strip_prefix('-').map_or((false, name), |digits| (true, digits));
            let road: u32 = digits.parse().ok()?;
            ((road as usize) < self.roads).then_some(Carriageway { road: RoadId(road), against })
        };
        self.by_name.get(name).copied().or_else(by_number)
    }
}

/// A way as it is written, and when it is taken.
#[derive(Default)]
struct RawTrip {
    departs: Vec<f64>,
    edges: Vec<String>,
    is_whole: bool,
}

pub(super) fn sumo(map: &Map, names: &Names, text: &str) -> Result<(Trips, TripReport), TripError> {
    let nobody = Progress::none();
    let raw = match read(text, &nobody) {
        Ok(raw) => raw,
        Err(Halt::Failed(error)) => return Err(error.into()),
        Err(Halt::Stopped) => Vec::new(),
    };
    let mut report = TripReport::default();
    let mut trips = Vec::new();
    for raw in &raw {
        report.read += raw.departs.len().max(1);
        let way: Vec<Carriageway> = raw.edges.iter().filter_map(|edge| names.find(edge)).collect();
        let is_there = |edge: Option<&String>| edge.and_then(|edge| names.find(edge)).is_some();
        let (Some(&from), Some(&to)) = (way.first(), way.last()) else {
            report.left_out += raw.departs.len().max(1);
            continue;
        };
        // A way may begin and end where the map does; a trip that is planned needs both.
        let is_known = raw.is_whole || is_there(raw.edges.first()) && is_there(raw.edges.last());
        if !is_known || raw.departs.is_empty() {
            report.left_out += raw.departs.len().max(1);
            continue;
        }
        if raw.is_whole && way.len() < raw.edges.len() {
            report.with_gaps += raw.departs.len();
        }
        let way = if raw.is_whole { way } else { Vec::new() };
        trips.extend(raw.departs.iter().map(|depart| Trip { depart: *depart, from, to, way: way.clone() }));
    }
    if trips.is_empty() && report.read > 0 {
        return Err(TripError::None { read: report.read });
    }
    Ok((Trips::new(map, trips)?, report))
}

/// All trips, vehicles and flows of a text.
fn read(text: &str, progress: &Progress) -> Result<Vec<RawTrip>, Halt<ImportError>> {
    let mut elements = Elements::of(text, progress);
    let mut routes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut found: Vec<RawTrip> = Vec::new();
    // The vehicle or flow that a route may be inside of.
    let mut open: Option<RawTrip> = None;
    while let Some(tag) = elements.next()? {
        let (start, is_empty) = match tag {
            Tag::Start(start, is_empty) => (start, is_empty),
            Tag::End(name) => {
                if matches!(name.as_str(), "vehicle" | "flow" | "trip") {
                    found.extend(open.take());
                }
                continue;
            }
        };
        match start.name().as_ref() {
            "route" => {
                let edges = words(&elements.attribute(&start, "edges")?.unwrap_or_default());
                if let Some(open) = &mut open {
                    (open.edges, open.is_whole) = (edges, true);
                } else if let Some(id) = elements.attribute(&start, "id")? {
                    routes.insert(id, edges);
                }
            }
            "vehicle" | "trip" | "flow" => {
                let raw = one(&elements, &start, &routes)?;
                if is_empty {
                    found.push(raw);
                } else {
                    open = Some(raw);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A vehicle, a trip or a flow, but for a route inside of it.
fn one(
    elements: &Elements,
    start: &BytesStart,
    routes: &BTreeMap<String, Vec<String>>,
) -> Result<RawTrip, Halt<ImportError>> {
    let text = |name: &str| elements.attribute(start, name);
    let number = |name: &str| -> Result<Option<f64>, ImportError> {
        text(name)?.map(|value| elements.finite(name, &value)).transpose()
    };
    let mut raw = RawTrip::default();
    if start.name().as_ref() == "flow" {
        let (begin, end) = (number("begin")?.unwrap_or(0.0), number("end")?.unwrap_or(3600.0));
        let hourly = number("vehsPerHour")?.or(number("perHour")?).map(|hourly| 3600.0 / hourly.max(1e-9));
        let chance = number("probability")?.map(|chance| 1.0 / chance.max(1e-9));
        let count = number("number")?;
        let period = match (number("period").ok().flatten().or(hourly).or(chance), count) {
            (Some(period), _) => period,
            (None, Some(count)) => (end - begin) / count.max(1.0),
            (None, None) => f64::INFINITY,
        };
        let most = count.unwrap_or(f64::INFINITY).min(1e6) as usize;
        let mut at = begin;
        while at < end && period > 0.0 && raw.departs.len() < most {
            raw.departs.push(at);
            at += period;
        }
    } else {
        // One that departs when something else happens has no time.
        raw.departs
            .extend(text("depart")?.and_then(|depart| depart.parse::<f64>().ok()).filter(|time| time.is_finite()));
    }
    if let Some(route) = text("route")?.and_then(|route| routes.get(&route)) {
        (raw.edges, raw.is_whole) = (route.clone(), true);
    } else if let (Some(from), Some(to)) = (text("from")?, text("to")?) {
        raw.edges = vec![from, to];
    }
    Ok(raw)
}

pub(super) fn matrix(map: &Map, names: &Names, csv: &str, seconds: f64, seed: Seed) -> Result<Trips, TripError> {
    if !(seconds > 0.0 && seconds.is_finite()) {
        return Err(TripError::Number { what: "the time in which trips begin", value: seconds });
    }
    let mut trips = Vec::new();
    for (number, line) in csv.lines().enumerate() {
        let wrong = |what: String| TripError::Row { row: number + 1, what };
        let cells: Vec<&str> = line.split([',', ';']).map(str::trim).collect();
        if line.trim().is_empty() || number == 0 && cells[0] == "from" {
            continue;
        }
        let [from, to, count] = cells[..] else {
            return Err(wrong(format!("it has {} cells", cells.len())));
        };
        let place = |name: &str| names.find(name).ok_or_else(|| wrong(format!("there is no road \"{name}\"")));
        let (from, to) = (place(from)?, place(to)?);
        let count: f64 = count.parse().map_err(|_| wrong(format!("\"{count}\" is no number of trips")))?;
        if !(0.0..=1e6).contains(&count) {
            return Err(wrong(format!("{count} trips are not between 0 and a million")));
        }
        let mut stream = seed.stream("matrix").at(number as u64);
        let whole = count.floor() + f64::from(u8::from(stream.uniform() < count - count.floor()));
        trips.extend((0..whole as u64).map(|_| Trip { depart: seconds * stream.uniform(), from, to, way: Vec::new() }));
    }
    Trips::new(map, trips)
}
