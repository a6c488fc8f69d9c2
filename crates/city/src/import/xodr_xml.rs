//! Roads of OpenDRIVE (`.xodr`), as they are written.

use proscenium_work::{Halt, Progress};
use quick_xml::events::BytesStart;

use super::ImportError;
use super::xml::{Elements, Tag};
use super::xodr_shape::{Cubic, Geometry, Piece};

/// What matters of a file.
#[derive(Debug, Default)]
pub(super) struct RawDrive {
    pub(super) roads: Vec<RawRoad>,
    pub(super) junctions: Vec<RawJunction>,
}

/// What an end of a road meets.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meets {
    Junction(String),
    /// A road, at its start or at its end.
    Road(String, bool),
}

#[derive(Debug, Default)]
pub(super) struct RawRoad {
    pub(super) id: String,
    pub(super) name: String,
    /// The junction that it is a way through, if it is one.
    pub(super) within: Option<String>,
    pub(super) length: f64,
    pub(super) keeps_left: bool,
    pub(super) kind: String,
    /// Metres per second.
    pub(super) limit: Option<f64>,
    /// What its start and its end meet.
    pub(super) meets: [Option<Meets>; 2],
    pub(super) geometry: Vec<Geometry>,
    pub(super) offsets: Vec<Cubic>,
    pub(super) sections: Vec<RawSection>,
    /// Whether it says how high it lies, other than at zero.
    pub(super) is_raised: bool,
    /// Where lights stand along it, metres.
    pub(super) lights: Vec<f64>,
    /// Other signals.
    pub(super) signs: usize,
}

#[derive(Debug)]
pub(super) struct RawSection {
    pub(super) start: f64,
    pub(super) lanes: Vec<RawLane>,
}

#[derive(Debug)]
pub(super) struct RawLane {
    pub(super) id: i64,
    pub(super) for_cars: bool,
    pub(super) widths: Vec<Cubic>,
    /// The lane before and the lane after it.
    pub(super) links: [Option<i64>; 2],
}

#[derive(Debug)]
pub(super) struct RawJunction {
    pub(super) id: String,
    pub(super) ways: Vec<RawWay>,
    /// Roads through it that go first.
    pub(super) first: Vec<String>,
}

/// A way through a junction.
#[derive(Debug)]
pub(super) struct RawWay {
    pub(super) from: String,
    /// The road through the junction, or in a direct one the road beyond.
    pub(super) by: String,
    pub(super) is_direct: bool,
    /// Whether the way begins at the start of that road.
    pub(super) at_start: bool,
    pub(super) lanes: Vec<(i64, i64)>,
}

/// Kinds of lanes for cars.
const FOR_CARS: &[&str] =
    &["driving", "entry", "exit", "onRamp", "offRamp", "connectingRamp", "slipLane", "bidirectional"];

pub(super) fn read(text: &str, progress: &Progress) -> Result<RawDrive, Halt<ImportError>> {
    let mut elements = Elements::of(text, progress);
    let mut drive = RawDrive::default();
    let (mut in_lane, mut in_road) = (false, false);
    while let Some(tag) = elements.next()? {
        let start = match tag {
            Tag::Start(start, is_empty) => {
                in_lane |= start.name().as_ref() == "lane" && !is_empty;
                in_road |= start.name().as_ref() == "road" && !is_empty;
                start
            }
            Tag::End(name) => {
                in_lane &= name != "lane";
                in_road &= name != "road";
                continue;
            }
        };
        match start.name().as_ref() {
            "road" => drive.roads.push(road(&elements, &start)?),
            "junction" => drive.junctions.push(RawJunction {
                id: elements.required(&start, "id")?,
                ways: Vec::new(),
                first: Vec::new(),
            }),
            "connection" | "laneLink" | "priority" => {
                if let Some(junction) = drive.junctions.last_mut() {
                    part_of_junction(&elements, &start, junction)?;
                }
            }
            _ => {
                if let Some(road) = drive.roads.last_mut().filter(|_| in_road) {
                    part_of_road(&elements, &start, road, in_lane)?;
                }
            }
        }
    }
    Ok(drive)
}

fn road(elements: &Elements, start: &BytesStart) -> Result<RawRoad, ImportError> {
    let within = elements.attribute(start, "junction")?.filter(|junction| junction != "-1" && !junction.is_empty());
    Ok(RawRoad {
        id: elements.required(start, "id")?,
        name: elements.attribute(start, "name")?.unwrap_or_default(),
        within,
        length: elements.number(start, "length")?,
        keeps_left: elements.attribute(start, "rule")?.is_some_and(|rule| rule == "LHT"),
        ..RawRoad::default()
    })
}

fn part_of_junction(elements: &Elements, start: &BytesStart, junction: &mut RawJunction) -> Result<(), ImportError> {
    match start.name().as_ref() {
        "connection" => {
            let direct = elements.attribute(start, "linkedRoad")?;
            let by = direct.clone().or(elements.attribute(start, "connectingRoad")?);
            // Ways of virtual junctions have no road.
            if let (Some(from), Some(by)) = (elements.attribute(start, "incomingRoad")?, by) {
                let at_start = elements.attribute(start, "contactPoint")?.is_none_or(|contact| contact == "start");
                junction.ways.push(RawWay { from, by, is_direct: direct.is_some(), at_start, lanes: Vec::new() });
            }
        }
        "laneLink" => {
            let pair = (elements.whole(start, "from")?, elements.whole(start, "to")?);
            if let Some(way) = junction.ways.last_mut() {
                way.lanes.push(pair);
            }
        }
        _ => junction.first.extend(elements.attribute(start, "high")?),
    }
    Ok(())
}

/// A polynomial of an element, with the name of where it starts.
fn cubic(elements: &Elements, start: &BytesStart, from: &str) -> Result<Cubic, ImportError> {
    let factors = ["a", "b", "c", "d"].map(|name| elements.number(start, name));
    let [a, b, c, d] = factors;
    Ok(Cubic { start: elements.number(start, from)?, factors: [a?, b?, c?, d?] })
}

fn part_of_road(elements: &Elements, start: &BytesStart, road: &mut RawRoad, in_lane: bool) -> Result<(), ImportError> {
    let number = |name: &str| elements.number(start, name);
    let optional = |name: &str| elements.attribute(start, name);
    let name = start.name();
    match name.as_ref() {
        "predecessor" | "successor" => {
            let place = usize::from(name.as_ref() == "successor");
            if in_lane {
                let link = elements.whole(start, "id")?;
                if let Some(lane) = road.sections.last_mut().and_then(|section| section.lanes.last_mut()) {
                    lane.links[place] = Some(link);
                }
            } else if let (Some(kind), Some(id)) = (optional("elementType")?, optional("elementId")?) {
                let at_end = optional("contactPoint")?.is_some_and(|contact| contact == "end");
                road.meets[place] =
                    Some(if kind == "junction" { Meets::Junction(id) } else { Meets::Road(id, at_end) });
            }
        }
        "type" => road.kind = optional("type")?.unwrap_or_default(),
        "speed" if !in_lane => {
            let unit = match optional("unit")?.as_deref() {
                Some("km/h") => 1.0 / 3.6,
                Some("mph") => 0.447_04,
                _ => 1.0,
            };
            let most = optional("max")?.and_then(|most| most.parse::<f64>().ok());
            road.limit = most.map(|most| most * unit).filter(|limit| limit.is_finite() && *limit > 0.0).or(road.limit);
        }
        "geometry" => road.geometry.push(Geometry {
            start: number("s")?,
            x: number("x")?,
            y: number("y")?,
            heading: number("hdg")?,
            length: number("length")?,
            piece: Piece::Line,
        }),
        "line" | "arc" | "spiral" | "poly3" | "paramPoly3" if !in_lane => {
            let piece = match name.as_ref() {
                "arc" => Piece::Arc(number("curvature")?),
                "spiral" => Piece::Spiral(number("curvStart")?, number("curvEnd")?),
                "poly3" => Piece::Cubic([number("a")?, number("b")?, number("c")?, number("d")?]),
                "paramPoly3" => Piece::Parametric {
                    u: [number("aU")?, number("bU")?, number("cU")?, number("dU")?],
                    v: [number("aV")?, number("bV")?, number("cV")?, number("dV")?],
                    is_normalised: optional("pRange")?.is_none_or(|range| range == "normalized"),
                },
                _ => Piece::Line,
            };
            if let Some(geometry) = road.geometry.last_mut() {
                geometry.piece = piece;
            }
        }
        "elevation" => road.is_raised |= cubic(elements, start, "s")?.factors != [0.0; 4],
        "laneOffset" => road.offsets.push(cubic(elements, start, "s")?),
        "laneSection" => road.sections.push(RawSection { start: number("s")?, lanes: Vec::new() }),
        "lane" => {
            let kind = optional("type")?.unwrap_or_default();
            let lane = RawLane {
                // So that its square is a number too.
                id: i64::from(elements.whole::<i32>(start, "id")?),
                for_cars: FOR_CARS.contains(&kind.as_str()),
                widths: Vec::new(),
                links: [None, None],
            };
            if let Some(section) = road.sections.last_mut() {
                section.lanes.push(lane);
            }
        }
        "width" if in_lane => {
            let width = cubic(elements, start, "sOffset")?;
            if let Some(lane) = road.sections.last_mut().and_then(|section| section.lanes.last_mut()) {
                lane.widths.push(width);
            }
        }
        "signal" => {
            if optional("dynamic")?.as_deref() == Some("yes") {
                road.lights.push(number("s")?);
            } else {
                road.signs += 1;
            }
        }
        _ => {}
    }
    Ok(())
}
