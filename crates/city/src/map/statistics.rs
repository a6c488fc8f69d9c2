//! What a map is made of, in numbers.

use glam::DVec2;
use serde::Serialize;

use super::{Control, Map};

/// Numbers that describe a map.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MapStatistics {
    /// How many junctions there are.
    pub junctions: usize,
    /// Of which all-way stops.
    pub all_way_stops: usize,
    /// Of which with lights.
    pub signals: usize,
    /// Of which with priorities.
    pub priorities: usize,
    /// Of which dead ends.
    pub dead_ends: usize,
    /// How many roads there are.
    pub roads: usize,
    /// Besides, roads beyond the rim, by which cars that leave come back.
    pub beyond: usize,
    /// Of all roads, those in one direction only.
    pub one_way: usize,
    /// Of which with two or more lanes in a direction.
    pub wide: usize,
    /// How many lanes there are.
    pub lanes: usize,
    /// How many paths there are.
    pub paths: usize,
    /// Of all lanes together, metres.
    pub lane_metres: f64,
    /// Mean length of a road from mouth to mouth, metres.
    pub mean_road: f64,
    /// Shortest lane, metres.
    pub shortest_lane: f64,
    /// How many parts there are between which no road leads.
    pub parts: usize,
    /// East-west and north-south extent between the middles of junctions, metres.
    pub extent: [f64; 2],
    /// Memory of the map, bytes.
    pub bytes: usize,
}

impl Map {
    /// Counts and lengths.
    pub fn statistics(&self) -> MapStatistics {
        let control = |wanted: Control| self.junctions().filter(|j| self.junction(*j).control == wanted).count();
        let roads = || self.roads().map(|road| self.road(road)).filter(|road| !road.is_beyond);
        let lanes = || self.lanes().map(|lane| self.lane(lane)).filter(|lane| !self.road(lane.road).is_beyond);
        let lengths = || lanes().map(|lane| lane.length);
        let places = || self.junctions().map(|junction| self.junction(junction).position);
        let (low, high) = (places().fold(DVec2::INFINITY, DVec2::min), places().fold(DVec2::NEG_INFINITY, DVec2::max));
        MapStatistics {
            junctions: self.junction_count(),
            all_way_stops: control(Control::AllWayStop),
            signals: control(Control::Signals),
            priorities: control(Control::Priority),
            dead_ends: control(Control::DeadEnd),
            roads: roads().count(),
            beyond: self.road_count() - roads().count(),
            one_way: roads().filter(|road| road.along == 0 || road.against == 0).count(),
            wide: roads().filter(|road| road.along.max(road.against) > 1).count(),
            lanes: lanes().count(),
            paths: self.path_count(),
            lane_metres: lengths().sum(),
            mean_road: roads().map(|road| f64::from(road.length)).sum::<f64>() / roads().count().max(1) as f64,
            shortest_lane: lengths().fold(f64::INFINITY, f64::min),
            parts: self.parts(),
            extent: (high - low).to_array(),
            bytes: self.bytes(),
        }
    }

    /// How many parts there are between which no road leads, whatever its direction.
    fn parts(&self) -> usize {
        let mut seen = vec![false; self.junction_count()];
        let mut parts = 0;
        let mut waiting = Vec::new();
        for start in self.junctions() {
            if seen[start.index()] || self.roads_at(start).is_empty() {
                continue;
            }
            parts += 1;
            seen[start.index()] = true;
            waiting.push(start);
            while let Some(junction) = waiting.pop() {
                for road in self.roads_at(junction) {
                    let other = self.across(*road, junction);
                    if !std::mem::replace(&mut seen[other.index()], true) {
                        waiting.push(other);
                    }
                }
            }
        }
        parts
    }
}
