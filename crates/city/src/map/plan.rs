//! What a map is built from, and what a file of a city holds.

use glam::DVec2;
use proscenium_work::{Artifact, ArtifactError};
use serde::{Deserialize, Serialize};

use super::error::MapError;

/// A road network as it is drawn or read: plain data, nothing derived.
/// [`Map::build`](crate::Map::build) checks it and derives the rest.
///
/// Places are plan coordinates in metres: x is east, and the second component
/// is the world's z, which points south, so that north is up in a picture.
///
/// ```
/// use proscenium_city::map::{JunctionPlan, RoadPlan};
/// use proscenium_city::{Map, Plan, glam::DVec2};
///
/// let mut plan = Plan::default();
/// let west = plan.junction(JunctionPlan::at(DVec2::new(0.0, 0.0)));
/// let east = plan.junction(JunctionPlan::at(DVec2::new(120.0, 0.0)));
/// plan.road(RoadPlan::two_way(west, east, 1));
/// let map = Map::build(&plan)?;
/// // Two dead ends, at which cars turn back.
/// assert_eq!((map.road_count(), map.lane_count(), map.path_count()), (1, 2, 2));
/// # Ok::<(), proscenium_city::map::MapError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What the city is called.
    pub name: String,
    /// The side of the road that cars keep to.
    pub side: Side,
    /// Where roads meet, bend sharply, or end.
    pub junctions: Vec<JunctionPlan>,
    /// What joins them.
    pub roads: Vec<RoadPlan>,
}

/// The side of the road that cars keep to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// Most of the world.
    #[default]
    Right,
    /// Britain, Ireland, Malta, Cyprus, Japan, India, Australia …
    Left,
}

impl Side {
    /// 1 for the right and −1 for the left.
    pub fn sign(self) -> f64 {
        match self {
            Side::Right => 1.0,
            Side::Left => -1.0,
        }
    }
}

/// A junction of a [`Plan`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JunctionPlan {
    /// Its middle, metres.
    pub position: DVec2,
    /// Who goes first.
    pub control: ControlPlan,
    /// Which lane leads to which; empty for every lane to every other road.
    pub connections: Vec<Connection>,
}

impl JunctionPlan {
    /// A junction whose control follows from its roads.
    pub fn at(position: DVec2) -> Self {
        Self { position, control: ControlPlan::Automatic, connections: Vec::new() }
    }
}

/// Who goes first at a junction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum ControlPlan {
    /// A dead end where one road ends, nothing where two meet, an all-way stop
    /// where there are more.
    #[default]
    Automatic,
    /// All stop; first in, first out; one car inside at a time.
    AllWayStop,
    /// Cars from these roads (numbers of the plan) go first; others give way.
    Priority {
        /// The roads that go first; empty for first come, first served.
        major: Vec<u32>,
    },
    /// Traffic lights.
    Signals(SignalsPlan),
}

/// The programme of traffic lights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SignalsPlan {
    /// What the lights show, in turn; empty for a plain programme that is made
    /// from the junction's shape.
    pub phases: Vec<PhasePlan>,
    /// By how much the programme starts late, seconds.
    pub offset: f64,
}

/// One phase of a programme of lights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhasePlan {
    /// How long it lasts.
    pub seconds: f64,
    /// What each of the junction's [`connections`](JunctionPlan::connections) is shown, in their order.
    pub lights: Vec<Light>,
}

/// What a light shows to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Light {
    /// Stop.
    Red,
    /// Stop if you can.
    Amber,
    /// Go, but give way to conflicting paths that are [`Light::Green`].
    Permissive,
    /// Go.
    Green,
}

/// A way from a lane to another, through a junction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Connection {
    /// The road that is left, a number of the plan.
    pub from_road: u32,
    /// Its lane among those that enter the junction: 0 is nearest the kerb.
    pub from_lane: u8,
    /// The road that is entered.
    pub to_road: u32,
    /// Its lane among those that leave the junction: 0 is nearest the kerb.
    pub to_lane: u8,
}

/// A road of a [`Plan`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoadPlan {
    /// Where it starts: a number of the plan's junctions.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// Points between the two junctions, metres; empty for a straight road.
    pub shape: Vec<DVec2>,
    /// Lanes from start to end.
    pub along: u8,
    /// Lanes from end to start.
    pub against: u8,
    /// Width of a lane, metres.
    pub lane_width: f64,
    /// Width of the pavement on each side, from the kerb to the walls, metres.
    pub pavement: f64,
    /// Speed limit, metres per second.
    pub limit: f64,
    /// What it is called; empty for nothing.
    pub name: Box<str>,
    /// What its two directions, along and against, are called in the file that
    /// they come from; empty for nothing. Trips name them so.
    pub ids: [Box<str>; 2],
    /// Whether it lies beyond the rim of the map: cars that leave by one road
    /// take it to come back by another. Nobody sees it, and it is not drawn.
    pub is_beyond: bool,
}

impl RoadPlan {
    /// Width of a lane unless said otherwise, metres.
    pub const LANE_WIDTH: f64 = 3.2;
    /// Width of the pavement unless said otherwise, metres.
    pub const PAVEMENT: f64 = 2.0;
    /// Speed limit unless said otherwise: 50 km/h.
    pub const LIMIT: f64 = 50.0 / 3.6;

    /// A straight road with this many lanes in each direction.
    pub fn two_way(from: u32, to: u32, lanes: u8) -> Self {
        Self {
            from,
            to,
            shape: Vec::new(),
            along: lanes,
            against: lanes,
            lane_width: Self::LANE_WIDTH,
            pavement: Self::PAVEMENT,
            limit: Self::LIMIT,
            name: "".into(),
            ids: ["".into(), "".into()],
            is_beyond: false,
        }
    }

    /// A straight road with this many lanes in one direction.
    pub fn one_way(from: u32, to: u32, lanes: u8) -> Self {
        Self { against: 0, ..Self::two_way(from, to, lanes) }
    }

    /// Half the width between the walls, metres.
    pub fn half_width(&self) -> f64 {
        0.5 * (f64::from(self.along) + f64::from(self.against)) * self.lane_width + self.pavement
    }
}

/// A `.city` file.
const FILE: Artifact = Artifact::new("city", "a city", 3, "make it again: proscenium city generate, or city import");
/// One of version 2, or of the first release, whose content is the same: roads
/// have neither names of directions nor a beyond.
const FILE_2: Artifact = Artifact::new("city", "a city", 2, "make it again: proscenium city generate, or city import")
    .reading_first_release(FIRST_RELEASE);
/// What a file of the first release begins with.
const FIRST_RELEASE: &[u8] = b"PROSCITY\x01\0\0\0";

/// What a file of version 2 holds.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Serialize))]
struct PlanFile2 {
    name: String,
    side: Side,
    junctions: Vec<JunctionPlan>,
    roads: Vec<RoadFile2>,
}

/// A road of a file of version 2.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Serialize))]
struct RoadFile2 {
    from: u32,
    to: u32,
    shape: Vec<DVec2>,
    along: u8,
    against: u8,
    lane_width: f64,
    pavement: f64,
    limit: f64,
    name: Box<str>,
}

impl From<PlanFile2> for Plan {
    fn from(file: PlanFile2) -> Self {
        let road = |road: RoadFile2| {
            let RoadFile2 { from, to, shape, along, against, lane_width, pavement, limit, name } = road;
            let plain = RoadPlan::two_way(from, to, along);
            RoadPlan { shape, against, lane_width, pavement, limit, name, ..plain }
        };
        let PlanFile2 { name, side, junctions, roads } = file;
        Self { name, side, junctions, roads: roads.into_iter().map(road).collect() }
    }
}

impl Plan {
    /// Adds a junction and returns its number.
    pub fn junction(&mut self, junction: JunctionPlan) -> u32 {
        self.junctions.push(junction);
        (self.junctions.len() - 1) as u32
    }

    /// Adds a road and returns its number.
    pub fn road(&mut self, road: RoadPlan) -> u32 {
        self.roads.push(road);
        (self.roads.len() - 1) as u32
    }

    /// As a `.city` file.
    pub fn to_bytes(&self) -> Vec<u8> {
        FILE.seal(self)
    }

    /// Reads a `.city` file, of this release or an earlier one. What it holds is checked when a map is built.
    ///
    /// # Errors
    /// When the bytes are no such file, of a newer version, or cut short.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MapError> {
        let older = |file: PlanFile2| Self::from(file);
        if bytes.starts_with(FIRST_RELEASE) {
            return Ok(FILE_2.open(bytes).map(older)?);
        }
        match FILE.open(bytes) {
            Err(ArtifactError::Older { found: 2, .. }) => Ok(FILE_2.open(bytes).map(older)?),
            plan => Ok(plan?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_earlier_releases_are_read() {
        let mut plan = Plan { name: "old".into(), ..Plan::default() };
        let ends = [0.0, 120.0].map(|x| plan.junction(JunctionPlan::at(DVec2::new(x, 3.0))));
        plan.road(RoadPlan { name: "Bow".into(), limit: 9.0, ..RoadPlan::one_way(ends[0], ends[1], 2) });
        let road = |road: &RoadPlan| {
            let RoadPlan { from, to, shape, along, against, lane_width, pavement, limit, name, .. } = road.clone();
            RoadFile2 { from, to, shape, along, against, lane_width, pavement, limit, name }
        };
        let Plan { name, side, junctions, roads } = plan.clone();
        let file = PlanFile2 { name, side, junctions, roads: roads.iter().map(road).collect() };
        let second = FILE_2.seal(&file);
        let content = second.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let first = [FIRST_RELEASE, &second[content..]].concat();
        for old in [first, second] {
            assert_eq!(Plan::from_bytes(&old).unwrap(), plan);
            assert!(Plan::from_bytes(&old[..old.len() - 1]).is_err());
            assert!(Plan::from_bytes(&[&old[..], &[0]].concat()).is_err());
        }
        assert_eq!(Plan::from_bytes(&plan.to_bytes()).unwrap(), plan);
    }
}
