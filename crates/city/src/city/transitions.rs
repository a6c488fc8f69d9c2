//! Roads that come to life and go to sleep, and cars that come into view and
//! leave it.

use super::{Detail, State, VisibleCar};
use crate::culling::Look;
use crate::map::{Control, JunctionId, RoadId};
use crate::traffic::{Car, Newcomer, Traffic, Waiting};

/// A region stays awake so long after one of its roads was needed, seconds.
/// Chosen: who looks over a shoulder and back wakes nothing twice.
const AWAKE: f64 = 20.0;

impl State {
    /// Brings to life what the view needs: the roads in view, those that meet
    /// them up to the margin, and those that stand still.
    pub(super) fn look(&mut self, now: f64, in_view: &[RoadId]) {
        self.traffic.frame += 1;
        let is_new = self.in_view != in_view;
        if is_new {
            self.in_view.clear();
            self.in_view.extend_from_slice(in_view);
            self.in_view.sort_unstable();
            self.in_view.dedup();
        }
        let is_everything = self.traffic.active_roads().len() == self.marks.len();
        let is_settled = (!is_new && now < self.recheck) || (is_everything && self.settings.detail == Detail::Complete);
        let has_changed = !is_settled && self.bring_to_life(now);
        if is_new || has_changed {
            self.note_lanes();
        }
    }

    /// Changes the roads on which the complete model runs to those that are
    /// wanted; tells whether they are others.
    fn bring_to_life(&mut self, now: f64) -> bool {
        let wanted = self.wanted_roads(now);
        let crowding = self.crowding(&wanted);
        if let Some(pools) = &mut self.pools {
            let is_active = |road| self.traffic.is_active(road);
            let ways = Self::ways(&self.traffic, &self.expectations, &is_active);
            let look = Look { now: self.traffic.now, until: now + AWAKE, crowding, wanted: &self.wanted };
            pools.wake(&wanted, &look, &mut self.tracked, &ways);
        }
        let has_changed = wanted != self.traffic.active_roads();
        if has_changed {
            self.activate(&wanted);
        }
        has_changed
    }

    /// Notes the lanes on which cars are in view, and those from which they reach
    /// into a junction that is.
    pub(super) fn note_lanes(&mut self) {
        let (map, traffic) = (&self.traffic.map, &self.traffic);
        for road in &self.in_view {
            self.marks[road.index()] = traffic.frame;
        }
        self.view_lanes.clear();
        self.edge_lanes.clear();
        for &road in &self.in_view {
            self.view_lanes.extend(map.lanes_of(road));
            for junction in [map.road(road).from, map.road(road).to] {
                for &other in map.roads_at(junction) {
                    let is_hidden = map.road(other).is_beyond;
                    if self.marks[other.index()] != traffic.frame && traffic.is_active(other) && !is_hidden {
                        let lanes = map.lanes_of(other).map(|lane| (lane, map.lane(lane).from == junction));
                        self.edge_lanes.extend(lanes);
                    }
                }
            }
        }
        self.edge_lanes.sort_unstable();
        self.edge_lanes.dedup();
    }

    /// The roads on which the complete model is to run, in order.
    fn wanted_roads(&mut self, now: f64) -> Vec<RoadId> {
        self.recheck = f64::INFINITY;
        if self.settings.detail == Detail::Complete {
            return self.traffic.map.roads().collect();
        }
        // Roads of the last margin were wanted until now.
        for road in &self.margin {
            self.wanted[road.index()] = self.traffic.now;
        }
        self.margin = self.with_margin();
        self.margin.sort_unstable();
        let mut wanted = self.margin.clone();
        if self.settings.detail != Detail::SpawnedBaseline {
            for &road in self.traffic.active_roads() {
                let until = self.wanted[road.index()] + self.settings.linger;
                if until >= now && self.margin.binary_search(&road).is_err() {
                    wanted.push(road);
                    self.recheck = self.recheck.min(until + 1e-9);
                }
            }
        }
        wanted.extend(self.gridlocks.iter().flat_map(|gridlock| gridlock.roads.iter().copied()));
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// How much fuller than usual a region is that comes into view, by what is
    /// seen beside it: full roads have full neighbours, as far as was learned.
    fn crowding(&self, wanted: &[RoadId]) -> f64 {
        let is_needed = self.pools.as_ref().is_some_and(|pools| pools.sleeps(wanted));
        let roads = self.traffic.active_roads();
        if !is_needed || roads.is_empty() {
            return 1.0;
        }
        let map = &self.traffic.map;
        let lanes = roads.iter().flat_map(|road| map.lanes_of(*road));
        let usual: f64 = lanes.map(|lane| self.expectations.cars_towards(lane)).sum();
        let seen = self.traffic.count() as f64;
        // As if a few usual cars had been seen too: few roads say little.
        let fuller = (seen + 4.0) / (usual + 4.0) - 1.0;
        (1.0 + self.expectations.learned.neighbourhood * fuller).clamp(0.5, 2.0)
    }

    /// The roads in view, and those up to so many roads further on.
    fn with_margin(&self) -> Vec<RoadId> {
        let map = &self.traffic.map;
        let margin = if self.settings.detail == Detail::SpawnedBaseline { 0 } else { self.settings.margin.max(1) };
        let mut roads = self.in_view.clone();
        let mut from = 0;
        for _ in 0..margin {
            let to = roads.len();
            for index in from..to {
                roads.extend(map.adjacent_roads(roads[index]));
            }
            let mut fresh: Vec<RoadId> = roads.split_off(to);
            fresh.sort_unstable();
            fresh.dedup();
            fresh.retain(|road| !roads.contains(road));
            roads.extend(fresh);
            from = to;
        }
        roads
    }

    /// Cars that wait at a junction where everybody is simulated have found no
    /// place when its roads came to life: they take the next gap there is.
    pub(super) fn place_stranded(&mut self) {
        let map = std::sync::Arc::clone(&self.traffic.map);
        let mut junctions: Vec<JunctionId> =
            self.traffic.active_roads().iter().map(|road| map.road(*road).from).collect();
        junctions.extend(self.traffic.active_roads().iter().map(|road| map.road(*road).to));
        junctions.sort_unstable();
        junctions.dedup();
        let mut stranded = Vec::new();
        for junction in junctions {
            let crossing = &mut self.traffic.crossings[junction.index()];
            if crossing.is_whole && !crossing.queue.is_empty() {
                crossing.queue.retain(|waiting| match waiting {
                    Waiting::Newcomer(car) => {
                        stranded.push(*car);
                        false
                    }
                    Waiting::Car(_) => true,
                });
            }
        }
        let learned = std::sync::Arc::clone(&self.expectations.learned);
        for car in &stranded {
            self.traffic.place(car, &learned.following);
        }
    }

    /// Regions with active roads stay awake.
    pub(super) fn keep_awake(&mut self, now: f64) {
        if let Some(pools) = &mut self.pools {
            for road in self.traffic.active_roads() {
                pools.keep_awake(*road, now + AWAKE);
            }
        }
    }

    /// Changes the roads on which the complete model runs.
    fn activate(&mut self, wanted: &[RoadId]) {
        let left: Vec<RoadId> = difference(self.traffic.active_roads(), wanted);
        let come: Vec<RoadId> = difference(wanted, self.traffic.active_roads());
        let leaving: Vec<Car> = left
            .iter()
            .flat_map(|road| self.traffic.slots_on(*road))
            .collect::<Vec<u32>>()
            .into_iter()
            .map(|slot| self.traffic.remove(slot))
            .filter(|car| !car.is_driven)
            .collect();
        self.own_slot = self.own_slot.filter(|slot| self.traffic.cars[*slot as usize].is_driven);
        self.traffic.activate(wanted);
        let turned_away = self.turn_away(&left);
        if self.settings.detail == Detail::SpawnedBaseline {
            self.spawn_on(&come);
            return;
        }
        for car in &leaving {
            self.track(car);
        }
        for car in turned_away {
            self.track_from_start(car);
        }
        self.place_on(&come);
    }

    /// Cars that waited to enter a road that is not active any more.
    fn turn_away(&mut self, left: &[RoadId]) -> Vec<Newcomer> {
        let (map, mut gone) = (std::sync::Arc::clone(&self.traffic.map), Vec::new());
        let ends = left.iter().flat_map(|road| [map.road(*road).from, map.road(*road).to]);
        let mut junctions: Vec<JunctionId> = ends.collect();
        junctions.sort_unstable();
        junctions.dedup();
        for junction in junctions {
            let mut queue = std::mem::take(&mut self.traffic.crossings[junction.index()].queue);
            queue.retain(|waiting| match waiting {
                Waiting::Newcomer(car) if !self.traffic.is_active(map.road_of(car.path)) => {
                    gone.push(*car);
                    false
                }
                _ => true,
            });
            self.traffic.crossings[junction.index()].queue = queue;
        }
        gone
    }

    /// A car that leaves the active roads where it is: it will leave its path
    /// when it can, or later.
    fn track(&mut self, car: &Car) {
        let now = self.traffic.now;
        let (map, vehicle) = (&self.traffic.map, &self.traffic.vehicle);
        let free = vehicle.free_run_by(map, car.path, car.driver);
        let gone = map.path_length(car.path) - car.remaining;
        let earliest = now + (free.duration() - free.time_at(gone)).max(0.05);
        let newcomer = car.newcomer();
        let mut stream = self.traffic.draws.time(car.id, car.path, car.course.visit);
        let leaves =
            self.expectations.leaves_beyond(map, vehicle, [car.path, car.next], car.entered, earliest, &mut stream);
        let is_active = |road| self.traffic.is_active(road);
        let ways = Self::ways(&self.traffic, &self.expectations, &is_active);
        self.tracked.add(newcomer, leaves, &ways);
    }

    /// A car that has just started on a path on which nobody sees it.
    pub(super) fn track_from_start(&mut self, mut car: Newcomer) {
        car.entered = car.entered.max(self.traffic.now - self.settings.step);
        let is_active = |road| self.traffic.is_active(road);
        let ways = Self::ways(&self.traffic, &self.expectations, &is_active);
        let visit = (car.id, [car.path, car.next], car.course.visit);
        let leaves = self.expectations.leaves(ways.map, ways.vehicle, ways.draws, visit, car.entered);
        self.tracked.add(car, leaves, &ways);
    }

    /// Cars whose bounds have a road that came to life say where they are; those
    /// on such a road are put there, the ones seen last first.
    fn place_on(&mut self, come: &[RoadId]) {
        let mut slots = Vec::new();
        for road in come {
            self.tracked.bounded_by(*road, &mut slots);
        }
        slots.sort_unstable();
        slots.dedup();
        let mut enter: Vec<Newcomer> = slots.into_iter().filter_map(|slot| self.walk_on(slot)).collect();
        self.space_out(&mut enter);
        enter.sort_by(|a, b| b.seen.total_cmp(&a.seen).then(a.entered.total_cmp(&b.entered)).then(a.id.cmp(&b.id)));
        let learned = std::sync::Arc::clone(&self.expectations.learned);
        self.work.placed += enter.len() as u64;
        for car in &enter {
            self.traffic.place(car, &learned.following);
        }
    }

    /// Cars that nobody saw know nothing of each other, but those that came
    /// through the same junction came one after the other: each started on its
    /// path when the last one had cleared the way, or later.
    fn space_out(&self, enter: &mut [Newcomer]) {
        let Traffic { map, vehicle, now, .. } = &self.traffic;
        let way = |car: &Newcomer| {
            let junction = map.start_of(car.path);
            match map.junction(junction).control {
                Control::AllWayStop | Control::DeadEnd => (junction, None),
                _ => (junction, Some(map.path(car.path).to)),
            }
        };
        enter.sort_by(|a, b| way(a).cmp(&way(b)).then(a.entered.total_cmp(&b.entered)).then(a.id.cmp(&b.id)));
        for place in 1..enter.len() {
            let (last, car) = (enter[place - 1], enter[place]);
            if way(&last) == way(&car) {
                let crossing = if way(&car).1.is_none() { f64::from(map.path(last.path).crossing) } else { 0.0 };
                let cleared = vehicle.free_run(map, last.path).time_at(crossing + vehicle.spacing());
                enter[place].entered = car.entered.max(last.entered + cleared).min(*now);
            }
        }
    }

    /// The cars in view, with their bodies.
    pub(super) fn show(&mut self, now: f64, elapsed: f64, visible: &mut Vec<VisibleCar>) {
        visible.clear();
        let mut shown = std::mem::take(&mut self.shown);
        shown.clear();
        self.slots_in_view(&mut shown);
        if self.settings.detail == Detail::Complete {
            // The complete model has bodies everywhere.
            let all: Vec<u32> =
                self.traffic.slots().filter(|slot| !self.traffic.cars[*slot as usize].is_driven).collect();
            let frame = self.traffic.frame;
            for &slot in &shown {
                self.traffic.cars[slot as usize].seen = now;
            }
            for slot in all {
                let pose = self.traffic.embody(slot, elapsed);
                let car = &self.traffic.cars[slot as usize];
                if car.seen == now && frame > 0 && car.seen.is_finite() {
                    visible.push(VisibleCar::new(car, self.traffic.draws.kind(car.id), &pose));
                }
            }
        } else {
            for &slot in &shown {
                let pose = self.traffic.embody(slot, elapsed);
                let car = &mut self.traffic.cars[slot as usize];
                car.seen = now;
                visible.push(VisibleCar::new(car, self.traffic.draws.kind(car.id), &pose));
            }
        }
        self.work.poses += visible.len() as u64;
        self.shown = shown;
    }

    /// Cars on roads in view, and those that reach into a junction of one
    /// (B.3.1).
    fn slots_in_view(&self, shown: &mut Vec<u32>) {
        let traffic = &self.traffic;
        let reach = traffic.vehicle.length + 1.0;
        for &lane in &self.view_lanes {
            shown.extend(traffic.slots_of(lane));
        }
        for &(lane, is_leaving) in &self.edge_lanes {
            shown.extend(traffic.slots_of(lane).filter(|slot| {
                let car = &traffic.cars[*slot as usize];
                if is_leaving { car.remaining > car.lane_length - reach } else { car.remaining < reach }
            }));
        }
        shown.retain(|slot| !traffic.cars[*slot as usize].is_driven);
        shown.sort_unstable();
        shown.dedup();
    }

    /// Cars that wait to enter an active road.
    pub(super) fn waiting(&self) -> usize {
        let is_newcomer = |waiting: &&Waiting| matches!(waiting, Waiting::Newcomer(_));
        self.traffic.crossings.iter().map(|crossing| crossing.queue.iter().filter(is_newcomer).count()).sum()
    }
}

/// What is in one list and not in the other; both are in order.
fn difference(from: &[RoadId], without: &[RoadId]) -> Vec<RoadId> {
    from.iter().copied().filter(|road| without.binary_search(road).is_err()).collect()
}
