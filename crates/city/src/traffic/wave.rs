//! What drivers do for each other where rules alone leave them standing.
//!
//! Once a second the foremost cars that have stood for long are looked at:
//!
//! - One that stands because others go first is waved through: those whose ways
//!   conflict with its own wait for it. While the lane that it wants to is full,
//!   only those wait that want to the same lane, so that the next room is its
//!   own.
//! - Those that wait for each other in a circle (each wants into a lane that is
//!   full, whose foremost car is the next one) go round together: all of them
//!   enter their junctions, each follows the last car of the lane ahead, and
//!   when the circle has moved on by one car, all have left them again. Room is
//!   theirs, as the junctions were empty.
//! - Where they cannot go round (two of them would meet in a junction), one that
//!   has another way with room takes it.
//!
//! Nobody is removed, moved or driven through.

use super::{NONE, Traffic};
use crate::map::{Control, JunctionId, LaneId, PathId};
use serde::{Deserialize, Serialize};

/// Who has stood so long at a stop line is waved through, seconds. Chosen: a
/// plain programme of lights comes round in a minute, so that lights are not
/// what holds it up.
const PATIENCE: f64 = 60.0;

/// Who is waved through a junction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Wave {
    pub(crate) slot: u32,
    /// Whether it is one of a circle, and enters though its way out is full.
    pub(crate) is_round: bool,
    /// Since when, seconds.
    since: f64,
}

/// What drivers did for each other so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Courtesies {
    /// Cars that had stood for long and were waved through.
    pub waved: u64,
    /// Circles of cars that went round together.
    pub circles: u64,
    /// Cars of circles that took another way.
    pub other_ways: u64,
    /// Cars that planned their way again because it jams.
    pub replanned: u64,
}

impl Traffic {
    /// Ends what a car was waved through for: it has gone.
    pub(super) fn stop_waving(&mut self, junction: JunctionId, slot: u32) {
        let crossing = &mut self.crossings[junction.index()];
        crossing.wave = crossing.wave.filter(|wave| wave.slot != slot);
    }

    /// Looks for those who have stood for long.
    pub(super) fn wave_through(&mut self) {
        let mut patient: Vec<LaneId> = Vec::new();
        for &lane in &self.active_lanes {
            let front = self.lanes[lane.index()].front;
            if front == NONE {
                continue;
            }
            let car = &self.cars[front as usize];
            let waits_inside = car.waits_at > 0.0;
            let is_free = !(car.is_admitted || car.is_driven || car.is_held || waits_inside);
            if self.now - car.stands_since > PATIENCE * f64::from(car.driver.patience) && is_free {
                patient.push(lane);
            }
        }
        if patient.is_empty() {
            return;
        }
        // Whoever has stood longest comes first.
        let since = |lane: &LaneId| self.cars[self.lanes[lane.index()].front as usize].stands_since;
        patient.sort_by(|a, b| since(a).total_cmp(&since(b)).then(a.cmp(b)));
        for &lane in &patient {
            let slot = self.lanes[lane.index()].front;
            let junction = self.map.lane(lane).to;
            if self.crossings[junction.index()].wave.is_none() && self.waits_for_others(junction) {
                self.crossings[junction.index()].wave = Some(Wave { slot, is_round: false, since: self.now });
                self.courtesies.waved += 1;
            }
        }
        for circle in self.circles(&patient) {
            self.go_round(&circle);
        }
        self.give_up(&patient);
    }

    /// Whether a car may be waved through: at an all-way stop everybody's turn comes.
    /// Where one road goes on as another, or cars turn back, lanes that lead into one
    /// are asked in their order, so that the last of them would never have its turn.
    fn waits_for_others(&self, junction: JunctionId) -> bool {
        match self.map.junction(junction).control {
            Control::Priority | Control::Signals | Control::Free | Control::DeadEnd => true,
            Control::AllWayStop => false,
        }
    }

    /// A wave that could not be followed for long ends: another may be next.
    fn give_up(&mut self, patient: &[LaneId]) {
        for lane in patient {
            let junction = self.map.lane(*lane).to;
            let crossing = &mut self.crossings[junction.index()];
            crossing.wave = crossing.wave.filter(|wave| self.now - wave.since <= PATIENCE);
        }
    }

    /// Circles of lanes, each full, whose foremost cars have stood for long and
    /// want to the next.
    fn circles(&self, patient: &[LaneId]) -> Vec<Vec<LaneId>> {
        let mut found = Vec::new();
        let mut seen = std::collections::BTreeMap::new();
        for (round, &start) in patient.iter().enumerate() {
            let mut way = Vec::new();
            let mut lane = start;
            loop {
                match seen.insert(lane, round) {
                    Some(earlier) if earlier == round => {
                        let from = way.iter().position(|known| *known == lane).unwrap_or(0);
                        found.push(way.split_off(from));
                        break;
                    }
                    Some(_) => break,
                    None => {}
                }
                way.push(lane);
                match self.full_lane_ahead(lane) {
                    Some(next) => lane = next,
                    None => break,
                }
            }
        }
        found
    }

    /// The full lane that the foremost car of a lane has stood before for long.
    fn full_lane_ahead(&self, lane: LaneId) -> Option<LaneId> {
        let front = self.lanes[lane.index()].front;
        let car = (front != NONE).then(|| &self.cars[front as usize])?;
        let patience = PATIENCE * f64::from(car.driver.patience);
        let waits = self.now - car.stands_since > patience && !car.is_admitted && !car.is_driven && !car.is_held;
        (waits && !self.has_room(car.next)).then(|| self.map.path(car.next).to)
    }

    /// A circle that passes a junction twice is made shorter: one of the two that
    /// meet there takes the way of the other, if there is such a way.
    fn shortened(&mut self, circle: &[LaneId]) -> Vec<LaneId> {
        let mut circle = circle.to_vec();
        let mut at = 0;
        while at < circle.len() {
            let junction = self.map.lane(circle[at]).to;
            let again = (at + 1..circle.len()).find(|other| self.map.lane(circle[*other]).to == junction);
            let Some(again) = again else {
                at += 1;
                continue;
            };
            let (one, other) = (circle[at], circle[again]);
            let after_other = circle[(again + 1) % circle.len()];
            if let Some(path) = self.way(one, after_other) {
                self.take_other_way(one, path);
                circle.drain(at + 1..=again);
            } else if let Some(path) = self.way(other, circle[at + 1]) {
                self.take_other_way(other, path);
                circle = circle[at + 1..=again].to_vec();
                at = 0;
            } else {
                at += 1;
            }
        }
        circle
    }

    /// The path from a lane to another, if there is one.
    fn way(&self, from: LaneId, to: LaneId) -> Option<PathId> {
        self.map.paths_from(from).find(|path| self.map.path(*path).to == to)
    }

    /// The foremost car of a lane takes another way.
    fn take_other_way(&mut self, lane: LaneId, path: PathId) {
        let slot = self.lanes[lane.index()].front;
        self.cars[slot as usize].next = path;
        self.courtesies.other_ways += 1;
    }

    /// Lets a circle go round, or one of it another way.
    fn go_round(&mut self, circle: &[LaneId]) {
        let circle = &self.shortened(circle)[..];
        let mut junctions: Vec<JunctionId> = circle.iter().map(|lane| self.map.lane(*lane).to).collect();
        junctions.sort_unstable();
        let is_simple = junctions.windows(2).all(|two| two[0] != two[1]);
        let is_free = |junction: &JunctionId| self.crossings[junction.index()].wave.is_none_or(|wave| !wave.is_round);
        if is_simple && junctions.iter().all(is_free) {
            for lane in circle {
                let wave = Wave { slot: self.lanes[lane.index()].front, is_round: true, since: self.now };
                self.crossings[self.map.lane(*lane).to.index()].wave = Some(wave);
            }
            self.courtesies.circles += 1;
            return;
        }
        for lane in circle {
            let slot = self.lanes[lane.index()].front;
            let car = &self.cars[slot as usize];
            let (id, course) = (car.id, car.course);
            let others: Vec<PathId> = self.map.successors(car.path).filter(|path| self.has_room(*path)).collect();
            if let Some(path) = self.draws.one_of(&others, id, course.visit) {
                self.take_other_way(*lane, path);
                return;
            }
        }
    }
}
