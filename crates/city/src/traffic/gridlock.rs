//! Cars that wait for each other in a circle.

use super::{NONE, Traffic};
use crate::map::{LaneId, RoadId};
use serde::{Deserialize, Serialize};

/// Cars that have stood at a stop line longer than this may be in a gridlock,
/// seconds. Chosen: three phases of a plain programme of lights.
const PATIENCE: f64 = 90.0;

/// Roads whose cars wait for each other in a circle, so that none of them will
/// ever move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gridlock {
    /// The roads of the circle, in the order in which one waits for the next.
    pub roads: Vec<RoadId>,
}

impl Traffic {
    /// Circles of lanes, each of which is full and whose front car wants to the
    /// next.
    pub(crate) fn gridlocks(&self) -> Vec<Gridlock> {
        let mut found = Vec::new();
        let mut visited = vec![0_u32; 0];
        let mut seen = std::collections::BTreeMap::new();
        for (round, &start) in self.active_lanes.iter().enumerate() {
            visited.clear();
            let mut lane = start;
            loop {
                match seen.insert(lane, round) {
                    Some(earlier) if earlier == round => {
                        let from = visited.iter().position(|known| *known == lane.0).unwrap_or(0);
                        let roads = visited[from..].iter().map(|lane| self.map.lane(LaneId(*lane)).road).collect();
                        found.push(Gridlock { roads });
                        break;
                    }
                    Some(_) => break,
                    None => {}
                }
                visited.push(lane.0);
                match self.waits_for(lane) {
                    Some(next) => lane = next,
                    None => break,
                }
            }
        }
        found
    }

    /// The lane that the front car of a lane has waited for, for long, because
    /// it is full.
    fn waits_for(&self, lane: LaneId) -> Option<LaneId> {
        let front = self.lanes[lane.index()].front;
        if front == NONE {
            return None;
        }
        let car = &self.cars[front as usize];
        let is_stuck = self.now - car.stands_since > PATIENCE;
        (is_stuck && !self.has_room(car.next)).then(|| self.map.path(car.next).to)
    }
}
