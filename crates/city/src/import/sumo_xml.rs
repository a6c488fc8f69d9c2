//! A network of SUMO (`.net.xml`), as it is written.

use glam::DVec2;
use proscenium_work::{Halt, Progress};

use super::ImportError;
use super::xml::{Elements, Tag};

/// What matters of a network.
#[derive(Debug, Default)]
pub(super) struct RawSumo {
    pub(super) left_hand: bool,
    pub(super) junctions: Vec<RawJunction>,
    pub(super) edges: Vec<RawEdge>,
    pub(super) connections: Vec<RawConnection>,
    pub(super) programmes: Vec<RawProgramme>,
    /// Roundabouts, crossings and the like that are only counted.
    pub(super) roundabouts: usize,
}

#[derive(Debug)]
pub(super) struct RawJunction {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) position: DVec2,
}

#[derive(Debug)]
pub(super) struct RawEdge {
    pub(super) id: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) name: String,
    pub(super) lanes: Vec<RawLane>,
}

#[derive(Debug)]
pub(super) struct RawLane {
    pub(super) index: usize,
    pub(super) speed: f64,
    pub(super) width: Option<f64>,
    pub(super) for_cars: bool,
    pub(super) shape: Vec<DVec2>,
}

#[derive(Debug)]
pub(super) struct RawConnection {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) from_lane: usize,
    pub(super) to_lane: usize,
    /// The programme of lights, and the place in it.
    pub(super) light: Option<(String, usize)>,
    pub(super) major: bool,
}

#[derive(Debug)]
pub(super) struct RawProgramme {
    pub(super) id: String,
    pub(super) offset: f64,
    pub(super) phases: Vec<(f64, String)>,
}

pub(super) fn read(text: &str, progress: &Progress) -> Result<RawSumo, Halt<ImportError>> {
    let mut net = RawSumo::default();
    let mut elements = Elements::of(text, progress);
    // Whether lanes belong to an edge that is kept.
    let mut in_edge = false;
    while let Some(tag) = elements.next()? {
        let Tag::Start(start, _) = tag else {
            continue;
        };
        let optional = |name| elements.attribute(&start, name);
        match start.name().as_ref() {
            "net" => net.left_hand = optional("lefthand")?.is_some_and(|value| value == "true" || value == "1"),
            "edge" => {
                let function = optional("function")?.unwrap_or_default();
                in_edge = matches!(function.as_str(), "" | "normal" | "connector");
                if in_edge {
                    net.edges.push(RawEdge {
                        id: elements.required(&start, "id")?,
                        from: elements.required(&start, "from")?,
                        to: elements.required(&start, "to")?,
                        name: optional("name")?.unwrap_or_default(),
                        lanes: Vec::new(),
                    });
                }
            }
            "lane" if in_edge => {
                let shape = elements.required(&start, "shape")?;
                let width = match optional("width")? {
                    Some(width) => Some(elements.finite("width", &width)?),
                    None => None,
                };
                let lane = RawLane {
                    index: elements.whole(&start, "index")?,
                    speed: elements.number(&start, "speed")?,
                    width,
                    for_cars: for_cars(optional("allow")?.as_deref(), optional("disallow")?.as_deref()),
                    shape: points(&elements, &shape)?,
                };
                if let Some(edge) = net.edges.last_mut() {
                    edge.lanes.push(lane);
                }
            }
            "junction" => {
                let position = DVec2::new(elements.number(&start, "x")?, -elements.number(&start, "y")?);
                let id = elements.required(&start, "id")?;
                net.junctions.push(RawJunction { id, kind: optional("type")?.unwrap_or_default(), position });
            }
            "connection" => {
                // A connection that the lights leave alone has the index −1, or none.
                let light = match (optional("tl")?, optional("linkIndex")?) {
                    (Some(id), Some(_)) => {
                        let index: i64 = elements.whole(&start, "linkIndex")?;
                        usize::try_from(index).ok().map(|index| (id, index))
                    }
                    _ => None,
                };
                net.connections.push(RawConnection {
                    from: elements.required(&start, "from")?,
                    to: elements.required(&start, "to")?,
                    from_lane: elements.whole(&start, "fromLane")?,
                    to_lane: elements.whole(&start, "toLane")?,
                    light,
                    major: optional("state")?.is_some_and(|state| state == "M"),
                });
            }
            "tlLogic" => net.programmes.push(RawProgramme {
                id: elements.required(&start, "id")?,
                offset: match optional("offset")? {
                    Some(offset) => elements.finite("offset", &offset)?,
                    None => 0.0,
                },
                phases: Vec::new(),
            }),
            "phase" => {
                let phase = (elements.number(&start, "duration")?, elements.required(&start, "state")?);
                if let Some(programme) = net.programmes.last_mut() {
                    programme.phases.push(phase);
                }
            }
            "roundabout" => net.roundabouts += 1,
            _ => {}
        }
    }
    Ok(net)
}

/// Whether cars may use a lane.
fn for_cars(allow: Option<&str>, disallow: Option<&str>) -> bool {
    let lists = |text: &str| text.split_whitespace().any(|class| matches!(class, "passenger" | "all" | "private"));
    match (allow, disallow) {
        (Some(allow), _) if !allow.trim().is_empty() => lists(allow),
        (_, Some(disallow)) => !lists(disallow),
        _ => true,
    }
}

/// Points of a shape: north is towards −z.
fn points(elements: &Elements, text: &str) -> Result<Vec<DVec2>, ImportError> {
    let point = |text: &str| {
        let mut numbers = text.split(',').map(|number| elements.finite("shape", number));
        match (numbers.next(), numbers.next()) {
            (Some(x), Some(y)) => Ok(DVec2::new(x?, -y?)),
            _ => Err(elements.error(format!("\"shape\" holds \"{text}\": points are x,y"))),
        }
    };
    text.split_whitespace().map(point).collect()
}
