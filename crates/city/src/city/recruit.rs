//! Who makes a wish come true: drawn among those of whom nobody knows what they will do.

use std::sync::Arc;

use proscenium_chance::Stream;

use super::State;
use super::wishes::Outlook;
use crate::culling::{Ways, course_at, poisson};
use crate::map::{LaneId, PathId, RoadId};
use crate::traffic::Newcomer;
use crate::wander::{CarId, Course};
use crate::want::chances::{Chances, DelayTables, Rewards, Source, Success, drawn};
use crate::want::goals::Scene;
use crate::want::watch::ROW;
use crate::want::{Recruit, Script, Wish};

/// A road that was near a view so lately has nobody on it who is not known, seconds.
const KNOWN: f64 = 20.0;
/// How often cars are asked who may be anybody.
const ASKED: usize = 256;
/// How often a draw of who succeeds is made anew.
const DRAWS: usize = 1000;

/// One who may make a wish come true.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    /// A car that is tracked.
    Tracked(u32),
    /// A car that drives by the complete model where nobody sees it.
    Driving(u32),
    /// A car of whom nobody knows anything.
    Unknown,
}

/// All who may, and how likely.
struct Candidates {
    known: Vec<(Who, f64)>,
    sources: Vec<Source>,
    /// How many successes are expected of those of whom nobody knows anything.
    unknown: f64,
    /// The chance that none of those in view does it, who are not asked.
    none_in_view: f64,
}

impl Candidates {
    fn sum(&self) -> f64 {
        self.known.iter().map(|(_, chance)| chance).sum::<f64>() + self.unknown
    }

    /// The chance that any of them succeeds.
    fn chance(&self) -> f64 {
        let nobody: f64 = self.known.iter().map(|(_, chance)| 1.0 - chance).product();
        1.0 - nobody * self.none_in_view * libm::exp(-self.unknown)
    }

    /// Who succeeds, given that somebody does: one is drawn in proportion to its chance,
    /// the others by theirs, and where N succeed it counts with 1/N, so that what has
    /// several to do it is not drawn more often than it happens.
    fn draw(&self, stream: &mut Stream) -> Vec<Who> {
        let mut all = Vec::new();
        for _ in 0..DRAWS {
            all.clear();
            let weighted = self.known.iter().copied().chain([(Who::Unknown, self.unknown)]);
            let Some(first) = drawn(weighted, stream) else {
                return all;
            };
            all.push(first);
            for (who, chance) in self.known.iter().filter(|(who, _)| *who != first) {
                if stream.uniform() < *chance {
                    all.push(*who);
                }
            }
            all.extend((0..poisson(self.unknown, stream)).map(|_| Who::Unknown));
            if stream.uniform() * (all.len() as f64) < 1.0 {
                break;
            }
        }
        all
    }
}

impl State {
    /// Plans a wish: keeps who is on the way, and looks for who is missing.
    pub(super) fn plan_wish(&mut self, index: usize, outlook: &Outlook) -> Result<(), String> {
        let mut tables = std::mem::take(&mut self.wishes.tables);
        let planned = self.plan_with(index, outlook, &mut tables);
        self.wishes.tables = tables;
        planned
    }

    fn plan_with(&mut self, index: usize, outlook: &Outlook, tables: &mut DelayTables) -> Result<(), String> {
        let wish = self.wishes.list[index].report.wish;
        let rewards = self.rewards(index, outlook)?;
        if matches!(wish, Wish::Empty { .. }) {
            return self.keep_away(index, rewards, tables);
        }
        self.review(index, &rewards);
        let needed = if let Wish::InARow { count, .. } = wish { count as usize } else { 1 };
        let mut rewards = rewards;
        if let Some(first) = self.wishes.list[index].report.recruits.first().copied() {
            let script = self.traffic.draws.scripts.get(&first.car);
            if let Some(goal) = script.and_then(|script| script.ways.last().copied()) {
                self.like_first(&mut rewards, (goal, first.at), needed);
            }
        }
        while self.wishes.list[index].report.recruits.len() < needed {
            let had = self.wishes.list[index].report.recruits.len();
            let goal = self.recruit(index, outlook, rewards.clone(), tables)?;
            if let Some(goal) = goal {
                self.like_first(&mut rewards, goal, needed);
            }
            if self.wishes.list[index].report.recruits.len() == had {
                break;
            }
        }
        Ok(())
    }

    fn rewards(&self, index: usize, outlook: &Outlook) -> Result<Rewards, String> {
        let wanted = &self.wishes.list[index];
        let is_active = |road| self.traffic.is_active(road);
        let ways = Self::ways(&self.traffic, &self.expectations, &is_active);
        let scene = Scene {
            ways: &ways,
            errors: self.settings.errors,
            futures: &outlook.futures,
            in_view: &self.in_view,
            now: self.traffic.now,
            until: wanted.until,
        };
        scene.rewards(&wanted.report.wish)
    }

    /// Leaves only what is at the same street as the first of a row, at about the same time.
    fn like_first(&self, rewards: &mut Rewards, (path, at): (PathId, f64), needed: usize) {
        let road = |path: PathId| self.traffic.map.lane(self.traffic.map.path(path).from).road;
        rewards.retain(|other, _| road(*other) == road(path));
        let most = ROW * (needed.saturating_sub(1)) as f64 * 0.8;
        for row in rewards.values_mut() {
            for (bin, reward) in row.iter_mut().enumerate() {
                let time = self.traffic.now + crate::want::chances::BIN * bin as f64;
                if (time - at).abs() > most {
                    *reward = 0.0;
                }
            }
        }
    }

    /// Dismisses those recruits who cannot make it any more, as long as nobody has seen
    /// what they do.
    fn review(&mut self, index: usize, rewards: &Rewards) {
        let recruits = std::mem::take(&mut self.wishes.list[index].report.recruits);
        let mut kept = Vec::new();
        for recruit in recruits {
            if self.may_still(&recruit, rewards) {
                kept.push(recruit);
            } else {
                self.dismiss(recruit.car);
            }
        }
        self.wishes.list[index].report.recruits = kept;
    }

    fn may_still(&self, recruit: &Recruit, rewards: &Rewards) -> bool {
        let Some(script) = self.traffic.draws.scripts.get(&recruit.car) else {
            return false;
        };
        let Some(goal) = script.ways.last() else {
            return false;
        };
        let last = script.visit + script.ways.len() as u32;
        let driving = self.traffic.slots().map(|slot| &self.traffic.cars[slot as usize]);
        if let Some(car) = driving.into_iter().find(|car| car.id == recruit.car) {
            // What is seen goes on; what nobody sees may be given up where it is of no use.
            let is_seen = car.seen >= self.traffic.now;
            return car.course.visit < last && (is_seen || rewards.contains_key(goal));
        }
        let bin = ((recruit.at - self.traffic.now) / crate::want::chances::BIN).round();
        bin >= 0.0 && rewards.get(goal).and_then(|row| row.get(bin as usize)).is_some_and(|reward| *reward > 0.0)
    }

    /// Draws who makes a wish come true, and how. Tells where and when.
    fn recruit(
        &mut self,
        index: usize,
        outlook: &Outlook,
        rewards: Rewards,
        tables: &mut DelayTables,
    ) -> Result<Option<(PathId, f64)>, String> {
        let report = &self.wishes.list[index].report;
        let (wish, id) = (report.wish, report.id);
        let mut stream = self.seed.stream("wish").at(u64::from(id.0)).at(u64::from(report.plans));
        stream = stream.at(report.recruits.len() as u64);
        let map = Arc::clone(&self.traffic.map);
        let is_active = |road| self.traffic.is_active(road);
        let ways = Self::ways(&self.traffic, &self.expectations, &is_active);
        let chances = Chances::new(&ways, tables, rewards, self.traffic.now);
        let candidates = self.candidates(&wish, &chances, &ways);
        self.note_chance(index, &candidates);
        if candidates.sum() <= 0.0 {
            return Err(self.nobody(&wish));
        }
        let mut plans = Vec::new();
        for who in candidates.draw(&mut stream) {
            let plan = match who {
                Who::Tracked(slot) => {
                    let unseen = self.tracked.car(slot);
                    let lane = map.path(unseen.car.path).to;
                    chances
                        .success(lane, shown_next(&unseen.car), unseen.leaves, &mut stream)
                        .map(|plan| (who, None, plan))
                }
                Who::Driving(slot) => {
                    let (lane, next, time) = self.at_its_line(slot);
                    chances.success_of_coming(lane, next, time, &mut stream).map(|plan| (who, None, plan))
                }
                Who::Unknown => {
                    let weighted = candidates.sources.iter().map(|source| (*source, source.expected));
                    drawn(weighted, &mut stream).and_then(|source| {
                        let lane = map.path(source.path).to;
                        let plan = chances.success(lane, None, source.leaves, &mut stream)?;
                        Some((who, Some(source), plan))
                    })
                }
            };
            plans.extend(plan);
        }
        let mut goal = None;
        for (who, source, plan) in plans {
            let at = plan.ways.last().map(|path| (*path, plan.at));
            if self.enlist(index, (who, source), plan, outlook, &mut stream) {
                goal = goal.or(at);
            }
        }
        if goal.is_none() { Err("every car is remembered or has something else to do".into()) } else { Ok(goal) }
    }

    /// Keeps the chance that there was before anything was done for a wish.
    fn note_chance(&mut self, index: usize, candidates: &Candidates) {
        let now = self.traffic.now;
        let wanted = &mut self.wishes.list[index];
        if !wanted.report.chance.is_nan() {
            return;
        }
        wanted.report.chance = match wanted.report.wish {
            Wish::InARow { count, .. } => {
                let expected = candidates.sum();
                let follows = 1.0 - libm::exp(-expected * ROW / (wanted.until - now).max(ROW));
                1.0 - libm::exp(-expected * libm::pow(follows, f64::from(count - 1)))
            }
            _ => candidates.chance(),
        };
    }

    fn nobody(&self, wish: &Wish) -> String {
        match wish {
            Wish::ComesBack { car, .. } if !self.is_known(*car) => {
                format!("it is not known where car {} is: nobody has seen it lately", car.0)
            }
            Wish::ComesBack { car, .. } => format!("car {} is too far away to be here in time", car.0),
            _ => "nobody out of sight can be there in time".into(),
        }
    }

    fn is_known(&self, car: CarId) -> bool {
        self.tracked.iter().any(|(_, unseen)| unseen.car.id == car)
            || self.traffic.slots().any(|slot| self.traffic.cars[slot as usize].id == car)
    }

    /// All who may make a wish come true.
    fn candidates(&self, wish: &Wish, chances: &Chances, ways: &Ways) -> Candidates {
        let fits = |id: CarId| match wish {
            Wish::ComesRound { kind, .. } => ways.draws.kind(id) == *kind,
            Wish::ComesBack { car, .. } => id == *car,
            _ => true,
        };
        let mut known = Vec::new();
        for slot in self.tracked_near(wish, chances) {
            let unseen = self.tracked.car(slot);
            // Of whom nobody knows anything is counted with all others like it.
            let is_remembered = unseen.car.seen > f64::NEG_INFINITY;
            if (is_remembered || matches!(wish, Wish::ComesBack { .. }))
                && fits(unseen.car.id)
                && self.is_free(unseen.car.id)
            {
                let lane = ways.map.path(unseen.car.path).to;
                known.push((Who::Tracked(slot), chances.leaving(lane, shown_next(&unseen.car), unseen.leaves)));
            }
        }
        let mut none_in_view = 1.0;
        for slot in self.traffic.slots() {
            let car = &self.traffic.cars[slot as usize];
            let is_bound = car.is_driven || car.is_held || car.ends || car.change.is_some() || car.is_admitted;
            let is_in_view = car.seen >= self.traffic.now;
            if !fits(car.id) || car.is_driven || (!is_in_view && (is_bound || !self.is_free(car.id))) {
                continue;
            }
            let (lane, next, time) = self.at_its_line(slot);
            if is_in_view {
                none_in_view *= 1.0 - chances.coming(lane, next, time);
                continue;
            }
            known.push((Who::Driving(slot), chances.coming(lane, next, time)));
        }
        known.retain(|(_, chance)| *chance > 0.0);
        let share = match wish {
            Wish::ComesBack { .. } => 0.0,
            Wish::ComesRound { kind, .. } => kind.share(),
            _ => 1.0,
        };
        let mut sources = if share > 0.0 && self.has_unknown() {
            chances.sources(ways, &|lane| self.is_unknown(ways.map.lane(lane).road))
        } else {
            Vec::new()
        };
        sources.iter_mut().for_each(|source| source.expected *= share);
        let unknown = sources.iter().map(|source| source.expected).sum();
        Candidates { known, sources, unknown, none_in_view }
    }

    fn is_free(&self, car: CarId) -> bool {
        !self.wishes.told.contains_key(&car) && !self.traffic.draws.is_routed(car)
    }

    /// Whether there may be cars on a road of whom nobody knows anything.
    fn is_unknown(&self, road: RoadId) -> bool {
        !self.traffic.is_active(road) && self.wanted[road.index()] < self.traffic.now - KNOWN
    }

    fn has_unknown(&self) -> bool {
        self.pools.is_some() || self.tracked.count() > 0
    }

    /// Tracked cars from where success can be reached.
    fn tracked_near(&self, wish: &Wish, chances: &Chances) -> Vec<u32> {
        if let Wish::ComesBack { car, .. } = wish {
            return self.tracked.iter().filter(|(_, unseen)| unseen.car.id == *car).map(|(slot, _)| slot).collect();
        }
        let mut roads: Vec<RoadId> = chances.lanes().map(|lane| self.traffic.map.lane(lane).road).collect();
        roads.sort_unstable();
        roads.dedup();
        self.tracked.near(&roads)
    }

    /// The lane of a car that drives, where it goes then if that is known, and when it can
    /// be at the line.
    fn at_its_line(&self, slot: u32) -> (LaneId, Option<PathId>, f64) {
        let car = &self.traffic.cars[slot as usize];
        let (map, vehicle) = (&self.traffic.map, &self.traffic.vehicle);
        let free = vehicle.free_run(map, car.path);
        let gone = (map.path_length(car.path) - car.remaining).max(0.0);
        let time = self.traffic.now + (free.duration() - free.time_at(gone)).max(0.0);
        (map.path(car.path).to, shown_next(&car.newcomer()), time)
    }

    /// Lets a car do what was drawn for it.
    fn enlist(
        &mut self,
        index: usize,
        (who, source): (Who, Option<Source>),
        plan: Success,
        outlook: &Outlook,
        stream: &mut Stream,
    ) -> bool {
        let wish = self.wishes.list[index].report.wish;
        let error = wish.error();
        let Some(&first) = plan.ways.first() else {
            return false;
        };
        let (id, path, visit, is_remembered) = match (who, source) {
            (Who::Tracked(slot), _) => {
                self.tracked.car_mut(slot).car.next = first;
                let is_active = |road| self.traffic.is_active(road);
                self.tracked.new_bound(slot, &Self::ways(&self.traffic, &self.expectations, &is_active));
                let car = self.tracked.car(slot).car;
                (car.id, car.path, car.course.visit, car.seen > f64::NEG_INFINITY)
            }
            (Who::Driving(slot), _) => {
                let car = &mut self.traffic.cars[slot as usize];
                car.next = first;
                if plan.ways.len() == 1 && error.is_some() {
                    car.error = error;
                }
                (car.id, car.path, car.course.visit, car.seen > f64::NEG_INFINITY)
            }
            (Who::Unknown, Some(source)) => match self.call_up(&wish, &source, first, stream) {
                Some(car) => (car.id, car.path, car.course.visit, false),
                None => return false,
            },
            (Who::Unknown, None) => return false,
        };
        let script = Script { visit, ways: plan.ways, seconds: plan.seconds, error };
        self.traffic.draws.scripts.insert(id, script);
        let from = self.traffic.map.road_of(path);
        let metres = self.metres_to(from, outlook.eye);
        self.note_recruit(index, Recruit { car: id, from, metres, at: plan.at, is_remembered });
        true
    }

    /// A car of which nobody knows anything is on a path, and leaves it at a time.
    fn call_up(&mut self, wish: &Wish, source: &Source, next: PathId, stream: &mut Stream) -> Option<Newcomer> {
        let draws = &self.traffic.draws;
        let fits = |id: CarId| match wish {
            Wish::ComesRound { kind, .. } => draws.kind(id) == *kind,
            _ => true,
        };
        let told = &self.wishes.told;
        let is_anybody =
            |id: CarId| fits(id) && !told.contains_key(&id) && !self.followed.contains(&id) && !draws.is_routed(id);
        let mut found = None;
        for _ in 0..ASKED {
            let Some((slot, unseen)) = self.tracked.any(stream) else {
                break;
            };
            if unseen.car.seen == f64::NEG_INFINITY && is_anybody(unseen.car.id) {
                found = Some((slot, unseen.car.id, unseen.car.course.visit));
                break;
            }
        }
        let now = self.traffic.now;
        let (id, visits) = match (found, &mut self.pools) {
            (Some((slot, id, visits)), _) => {
                self.tracked.remove(slot);
                (id, visits)
            }
            (None, Some(pools)) => (pools.call(self.traffic.map.road_of(source.path), &is_anybody, stream)?, 0),
            (None, None) => return None,
        };
        let is_active = |road| self.traffic.is_active(road);
        let ways = Self::ways(&self.traffic, &self.expectations, &is_active);
        let leaves = (source.leaves + crate::want::chances::BIN * (stream.uniform() - 0.5)).max(now + 0.05);
        let least = ways.vehicle.free_run(ways.map, source.path).duration();
        let excess =
            ways.expectations.excess(ways.map, source.path).draw_beyond((leaves - now - least).max(0.0), stream);
        let visit = course_at(now).visit.max(visits + 1);
        let course = Course { visit, trip: visit };
        let entered = leaves - least - excess;
        let car = Newcomer { id, path: source.path, next, course, entered, seen: f64::NEG_INFINITY };
        self.tracked.add(car, leaves, &ways);
        Some(car)
    }

    /// The street ahead is to be empty: those of whom nobody knows where they will turn
    /// are given turns and waits that do not lead there, drawn given that they do not.
    fn keep_away(&mut self, index: usize, rewards: Rewards, tables: &mut DelayTables) -> Result<(), String> {
        let report = &self.wishes.list[index].report;
        let (wish, id) = (report.wish, report.id);
        let streams = self.seed.stream("wish").at(u64::from(id.0)).at(u64::from(report.plans));
        let map = Arc::clone(&self.traffic.map);
        let now = self.traffic.now;
        let mut turned = Vec::new();
        {
            let is_active = |road| self.traffic.is_active(road);
            let ways = Self::ways(&self.traffic, &self.expectations, &is_active);
            let chances = Chances::new(&ways, tables, rewards, now);
            let mut candidates = self.candidates(&wish, &chances, &ways);
            for slot in self.tracked_near(&wish, &chances) {
                let car = self.tracked.car(slot);
                if car.car.seen == f64::NEG_INFINITY && self.is_free(car.car.id) {
                    let lane = map.path(car.car.path).to;
                    candidates.known.push((Who::Tracked(slot), chances.leaving(lane, None, car.leaves)));
                }
            }
            let seconds = if let Wish::Empty { seconds, .. } = wish { seconds } else { 0.0 };
            let until = self.wishes.list[index].until;
            let part = (seconds / (until - now).max(seconds)).min(1.0);
            if self.wishes.list[index].report.chance.is_nan() {
                self.wishes.list[index].report.chance = libm::exp(-part * candidates.sum());
            }
            for (who, _) in candidates.known.iter().filter(|(_, chance)| *chance > 0.0) {
                let (lane, shown, time, id) = match *who {
                    Who::Tracked(slot) => {
                        let unseen = self.tracked.car(slot);
                        (map.path(unseen.car.path).to, shown_next(&unseen.car), unseen.leaves, unseen.car.id)
                    }
                    Who::Driving(slot) => {
                        let (lane, shown, time) = self.at_its_line(slot);
                        (lane, shown, time, self.traffic.cars[slot as usize].id)
                    }
                    Who::Unknown => continue,
                };
                if shown.is_none() {
                    let mut stream = streams.at(u64::from(id.0));
                    let fails = map.paths_from(lane).map(|path| {
                        let rate = ways.expectations.path_rate(&map, path).max(1e-9);
                        (path, rate * (1.0 - chances.leaving(lane, Some(path), time)).max(1e-9))
                    });
                    turned.extend(drawn(fails, &mut stream).map(|next| (*who, next)));
                }
            }
        }
        for (who, next) in turned {
            self.turn(who, next);
        }
        Ok(())
    }

    /// A car of whom nobody knows where it will turn takes a way.
    fn turn(&mut self, who: Who, next: PathId) {
        match who {
            Who::Tracked(slot) => {
                self.tracked.car_mut(slot).car.next = next;
                let is_active = |road| self.traffic.is_active(road);
                self.tracked.new_bound(slot, &Self::ways(&self.traffic, &self.expectations, &is_active));
            }
            Who::Driving(slot) => self.traffic.cars[slot as usize].next = next,
            Who::Unknown => {}
        }
    }
}

/// The path that a car takes next, if somebody has seen it indicate that.
fn shown_next(car: &Newcomer) -> Option<PathId> {
    (car.seen >= car.entered).then_some(car.next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;
    use std::collections::BTreeMap;

    /// Three cars that succeed by themselves with some chance, each by itself: who is
    /// drawn is distributed as in the cases in which somebody does, within four and a half
    /// standard errors for each of the seven sets.
    #[test]
    fn who_succeeds_is_drawn_as_often_as_it_happens() {
        let chances = [0.5, 0.4, 0.1];
        let known = chances.iter().enumerate().map(|(car, chance)| (Who::Tracked(car as u32), *chance)).collect();
        let candidates = Candidates { known, sources: Vec::new(), unknown: 0.0, none_in_view: 1.0 };
        let mut stream = Seed(2).stream("who");
        let (count, mut found) = (20_000, BTreeMap::new());
        for _ in 0..count {
            let set = candidates.draw(&mut stream).iter().fold(0_u32, |set, who| match who {
                Who::Tracked(car) => set | 1 << car,
                _ => set,
            });
            *found.entry(set).or_insert(0.0) += 1.0 / f64::from(count);
        }
        assert!((candidates.chance() - 0.73).abs() < 1e-12);
        for set in 1..8_u32 {
            let is_in = |car: usize| set >> car & 1 == 1;
            let all: f64 = (0..3).map(|car| if is_in(car) { chances[car] } else { 1.0 - chances[car] }).product();
            let wanted = all / 0.73;
            let got = found.get(&set).copied().unwrap_or(0.0);
            let error = 4.5 * (wanted * (1.0 - wanted) / f64::from(count)).sqrt();
            assert!((got - wanted).abs() < error, "{set:b}: {got}, not {wanted}");
        }
    }

    /// The same for cars of which only their number is uncertain: at least one, and as many
    /// as then happens.
    #[test]
    fn a_number_of_cars_is_drawn_given_that_it_is_not_none() {
        let candidates = Candidates { known: Vec::new(), sources: Vec::new(), unknown: 1.2, none_in_view: 1.0 };
        let mut stream = Seed(3).stream("who");
        let count = 20_000;
        let mean = (0..count).map(|_| candidates.draw(&mut stream).len() as f64).sum::<f64>() / f64::from(count);
        // The mean of a Poisson number that is not 0, within four standard errors.
        let wanted = 1.2 / (1.0 - libm::exp(-1.2));
        assert!((mean - wanted).abs() < 4.0 * (1.0 / f64::from(count)).sqrt(), "{mean}, not {wanted}");
    }
}
