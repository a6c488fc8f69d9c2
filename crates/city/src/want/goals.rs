//! Where and when a wish comes true, by the drives that the viewer may make.

use super::chances::{BIN, Rewards};
use super::viewer::{FUTURES, Leg};
use super::wish::{Hand, Wish};
use crate::culling::Ways;
use crate::map::{Control, JunctionId, Light, PathId, RoadId, Turn};
use crate::traffic::{DriverErrors, is_just_red};

/// A viewer who stops on the way looks at a junction from this far at the most, metres.
pub(crate) const LIKELY: f64 = 400.0;
/// Who goes first is near for so long, seconds: as at junctions.
const NEAR: f64 = 5.0;

/// What goals depend on.
pub(crate) struct Scene<'a> {
    pub(crate) ways: &'a Ways<'a>,
    pub(crate) errors: DriverErrors,
    pub(crate) futures: &'a [Vec<Leg>],
    /// The roads in view now.
    pub(crate) in_view: &'a [RoadId],
    pub(crate) now: f64,
    /// Until when, seconds.
    pub(crate) until: f64,
}

impl Scene<'_> {
    fn bins(&self) -> usize {
        ((self.until - self.now) / BIN).ceil().max(1.0) as usize
    }

    /// Where and when a wish comes true, or why nowhere.
    pub(crate) fn rewards(&self, wish: &Wish) -> Result<Rewards, String> {
        if let Some(error) = wish.error()
            && self.errors.rate(error) <= 0.0
        {
            return Err("drivers of this city never do that: give Settings::errors (--errors) a rate".into());
        }
        let mut rewards = Rewards::new();
        for legs in self.futures {
            for (number, leg) in legs.iter().enumerate() {
                self.of_leg(wish, leg, number == 0, &mut rewards);
            }
        }
        rewards.retain(|_, bins| bins.iter().any(|reward| *reward > 0.0));
        if rewards.is_empty() { Err(self.why_not(wish)) } else { Ok(rewards) }
    }

    /// What can happen while the viewer is on a path.
    fn of_leg(&self, wish: &Wish, leg: &Leg, is_first: bool, rewards: &mut Rewards) {
        let map = self.ways.map;
        let (junction, road) = (map.end_of(leg.path), map.road_of(leg.path));
        let through = || map.paths_through(junction).filter(move |path| map.lane(map.path(*path).from).road != road);
        let always = |_: f64| 1.0;
        match wish {
            Wish::RunsRed { .. } => {
                if map.junction(junction).control != Control::Signals {
                    return;
                }
                for path in through() {
                    let chance = |time| if is_just_red(map, path, time) { self.errors.red_light } else { 0.0 };
                    self.add(rewards, path, leg, &chance);
                }
            }
            Wish::ComesRound { .. } => {
                for path in through().filter(|path| matches!(map.path(*path).turn, Turn::Left | Turn::Right)) {
                    self.add(rewards, path, leg, &always);
                }
            }
            Wish::InARow { from, .. } => {
                let side = side_roads(self.ways, leg.path, *from);
                for path in through().filter(|path| side.contains(&map.lane(map.path(*path).from).road)) {
                    self.add(rewards, path, leg, &always);
                }
            }
            Wish::ComesBack { .. } | Wish::Empty { .. } => {
                let mut roads = vec![road];
                if is_first && matches!(wish, Wish::ComesBack { .. }) {
                    roads.extend(self.in_view.iter().filter(|other| **other != road));
                }
                for lane in roads.into_iter().flat_map(|road| map.lanes_of(road)) {
                    for path in map.paths_onto(lane).iter().filter(|path| map.lane(map.path(**path).from).road != road)
                    {
                        self.add(rewards, *path, leg, &always);
                    }
                }
            }
            Wish::CutsIn { .. } => self.cuts_in(leg, through(), rewards),
            Wish::AccidentAvoided { .. } => {
                let late = self.errors.late_brake;
                for path in through().filter(|path| self.stops(junction, *path)) {
                    self.add(rewards, path, leg, &|time| if self.is_stopped(path, time) { late } else { 0.0 });
                }
            }
        }
    }

    /// Ways on which somebody gives way to others, where these are expected.
    fn cuts_in(&self, leg: &Leg, through: impl Iterator<Item = PathId>, rewards: &mut Rewards) {
        let map = self.ways.map;
        if !matches!(map.junction(map.end_of(leg.path)).control, Control::Priority | Control::Signals) {
            return;
        }
        for path in through.filter(|path| map.path(*path).rank > 0) {
            let first = map.paths_through(map.start_of(path)).filter(|other| map.gives_way(path, *other));
            let rate: f64 = first.map(|other| self.ways.expectations.path_rate(map, other)).sum();
            let chance = self.errors.short_gap * (1.0 - libm::exp(-NEAR * rate));
            self.add(rewards, path, leg, &|time| if map.light(path, time) >= Light::Permissive { chance } else { 0.0 });
        }
    }

    /// Whether cars may have to stop before a path: at an all-way stop or at lights.
    fn stops(&self, junction: JunctionId, path: PathId) -> bool {
        let map = self.ways.map;
        matches!(map.junction(junction).control, Control::AllWayStop | Control::Signals)
            && map.lane(map.path(path).from).length > 30.0
    }

    fn is_stopped(&self, path: PathId, time: f64) -> bool {
        self.ways.map.light(path, time) < Light::Permissive
            || self.ways.map.junction(self.ways.map.start_of(path)).control == Control::AllWayStop
    }

    fn add(&self, rewards: &mut Rewards, path: PathId, leg: &Leg, chance: &dyn Fn(f64) -> f64) {
        let bins = self.bins();
        let row = rewards.entry(path).or_insert_with(|| vec![0.0; bins]);
        let first = ((leg.from - self.now) / BIN).ceil().max(0.0) as usize;
        let end = (((leg.until - self.now) / BIN).ceil().max(0.0) as usize).min(bins);
        for (bin, reward) in row.iter_mut().enumerate().take(end).skip(first) {
            *reward = (*reward + chance(self.now + BIN * bin as f64) / FUTURES as f64).min(1.0);
        }
    }

    fn why_not(&self, wish: &Wish) -> String {
        let seconds = self.until - self.now;
        match wish {
            Wish::RunsRed { .. } => {
                let metres = LIKELY.min(14.0 * seconds);
                format!("no light turns red within {metres:.0} m of any likely way in the {seconds:.0} s that are left")
            }
            Wish::CutsIn { .. } => "no junction on any likely way at which some go before others".into(),
            Wish::InARow { from: Hand::Left, .. } => "no street comes from the left on any likely way".into(),
            Wish::InARow { from: Hand::Right, .. } => "no street comes from the right on any likely way".into(),
            Wish::AccidentAvoided { .. } => "no junction on any likely way at which cars have to stop".into(),
            Wish::ComesRound { .. } => "no corner on any likely way".into(),
            Wish::ComesBack { .. } | Wish::Empty { .. } => "the viewer is on no street".into(),
        }
    }
}

/// The roads that come from one side to the junction at the end of a path.
pub(crate) fn side_roads(ways: &Ways, path: PathId, hand: Hand) -> Vec<RoadId> {
    let map = ways.map;
    let (junction, road) = (map.end_of(path), map.road_of(path));
    let ahead = -map.away(road, junction);
    map.roads_at(junction)
        .iter()
        .copied()
        .filter(|other| *other != road && is_on(hand, ahead, map.away(*other, junction)))
        .collect()
}

/// Whether a direction is to one side of another. With x to the east and y to the south
/// left is at a quarter turn against the clock.
pub(crate) fn is_on(hand: Hand, ahead: glam::DVec2, direction: glam::DVec2) -> bool {
    let to_the_left = ahead.y * direction.x - ahead.x * direction.y;
    match hand {
        Hand::Left => to_the_left > 0.5,
        Hand::Right => to_the_left < -0.5,
    }
}
