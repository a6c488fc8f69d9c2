//! Wishes of a city: planned every half second, watched in every frame.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec2;
use serde::{Deserialize, Serialize};

use super::own::place_of;
use super::{City, OwnCar, State, VisibleCar};
use crate::error::CityError;
use crate::map::{Map, RoadId};
use crate::sight::Eye;
use crate::wander::CarId;
use crate::want::chances::DelayTables;
use crate::want::viewer::{Leg, Place, futures};
use crate::want::watch::{Before, Memory, Sighting};
use crate::want::{Recruit, Wish, WishId, WishReport, WishState};

/// Wishes are planned again so often, seconds.
const AGAIN: f64 = 0.5;
/// Reasons that are found this late do not replace others, seconds.
const LATE: f64 = 10.0;
/// A viewer who is slower than this stands, m/s.
const STANDS: f64 = 0.3;

/// All wishes of a city.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Wishes {
    pub(super) list: Vec<Wanted>,
    made: u32,
    /// When they were planned last.
    planned: f64,
    before: BTreeMap<CarId, Before>,
    /// Where the viewer was when, and how fast.
    viewer: Option<(DVec2, f64, f64)>,
    /// Cars that do what was drawn for a wish.
    pub(super) told: BTreeMap<CarId, WishId>,
    #[serde(skip)]
    pub(super) tables: DelayTables,
}

/// A wish and what is known of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Wanted {
    pub(super) report: WishReport,
    pub(super) until: f64,
    memory: Memory,
}

/// Where the viewer is and may go.
pub(super) struct Outlook {
    pub(super) eye: DVec2,
    pub(super) futures: Vec<Vec<Leg>>,
}

impl Wanted {
    pub(super) fn is_open(&self) -> bool {
        matches!(self.report.state, WishState::Open | WishState::Planned)
    }
}

impl Wishes {
    /// Says whether all that is named is there.
    pub(super) fn fits(&self, map: &Map) -> bool {
        let roads = map.road_count();
        self.list.iter().flat_map(|wanted| &wanted.report.recruits).all(|recruit| recruit.from.index() < roads)
            && self.before.values().all(|before| before.path.index() < map.path_count())
            && self.list.iter().all(|wanted| wanted.memory.fits(map))
    }
}

impl City {
    /// Wishes that something is seen, within some seconds from now: a car of which
    /// nobody knows what it will do is recruited for it as soon as there is one. What was
    /// seen is never changed. It is planned again every half second while the city runs.
    ///
    /// Who looks is told by [`City::look`].
    ///
    /// ```
    /// use proscenium_city::{City, Drive, Map, Recipe, Seed, WishState};
    ///
    /// let map = Map::build(&Recipe::with_roads(200).generate(Seed(1))?)?;
    /// let drive = Drive::record(&map, Seed(2), 60.0, 10.0)?;
    /// let mut city = City::new(map).with_cars(150).seed(7);
    /// let wish = city.want("a van comes round the next corner".parse()?)?;
    /// for (frame, viewer) in drive.frames().iter().enumerate() {
    ///     city.look(&[viewer.eye(1.2, 400.0)?]);
    ///     city.advance(0.1 * frame as f64)?;
    /// }
    /// let report = city.wishes().find(|report| report.id == wish).expect("it was wished for");
    /// assert!(report.chance > 0.0 && report.chance < 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When its numbers cannot be, or the city cannot start.
    pub fn want(&mut self, wish: Wish) -> Result<WishId, CityError> {
        let wish = wish.checked()?;
        let state = self.started()?;
        let wishes = &mut state.wishes;
        let id = WishId(wishes.made);
        wishes.made += 1;
        wishes.planned = f64::NEG_INFINITY;
        let report = WishReport {
            id,
            wish,
            state: WishState::Open,
            chance: f64::NAN,
            recruits: Vec::new(),
            why: None,
            plans: 0,
        };
        wishes.list.push(Wanted { report, until: state.traffic.now + wish.within(), memory: Memory::default() });
        if let Wish::ComesBack { car, .. } = wish {
            // Whoever is wanted back is not forgotten.
            state.followed.insert(car);
        }
        Ok(id)
    }

    /// Takes a wish back. Who was recruited goes its own way again, as far as nobody has
    /// seen what it does.
    pub fn withdraw(&mut self, wish: WishId) {
        if let Some(state) = &mut self.state {
            state.release(wish);
            state.wishes.list.retain(|wanted| wanted.report.id != wish);
        }
    }

    /// What became of all wishes that were not taken back, in their order.
    pub fn wishes(&self) -> impl Iterator<Item = &WishReport> {
        self.state.iter().flat_map(|state| state.wishes.list.iter().map(|wanted| &wanted.report))
    }

    /// Plans all wishes now, in place of the next half second.
    pub fn plan_wishes(&mut self) {
        let eye = self.eye;
        if let Some(state) = &mut self.state {
            state.plan_wishes(eye);
        }
    }
}

impl State {
    /// Looks which wishes have come true, and plans the others every half second.
    pub(super) fn attend_to_wishes(&mut self, now: f64, elapsed: f64, eye: Option<Eye>, visible: &[VisibleCar]) {
        if self.wishes.list.iter().all(|wanted| !wanted.is_open()) {
            self.wishes.before.clear();
            return;
        }
        if let Some(eye) = eye {
            self.watch_wishes(now, elapsed, eye, visible);
        }
        for index in 0..self.wishes.list.len() {
            let wanted = &mut self.wishes.list[index];
            if wanted.is_open() && now > wanted.until {
                wanted.report.state = WishState::Missed;
            }
            if !wanted.is_open() {
                let id = wanted.report.id;
                self.release(id);
            }
        }
        self.wishes.before = visible.iter().map(|car| (car.id, Before::of(car))).collect();
        if now - self.wishes.planned >= AGAIN - 1e-9 {
            self.plan_wishes(eye);
        }
    }

    fn watch_wishes(&mut self, now: f64, elapsed: f64, eye: Eye, visible: &[VisibleCar]) {
        let map = Arc::clone(&self.traffic.map);
        let place = eye.position();
        let speed = match self.wishes.viewer {
            Some((last, time, _)) if now > time => place.distance(last) / (now - time),
            Some((.., speed)) => speed,
            None => 0.0,
        };
        self.wishes.viewer = Some((place, now, speed));
        let road = map.nearest_road(place, 15.0).map(|near| near.road);
        let sighting = Sighting {
            map: &map,
            now,
            elapsed,
            eye: place,
            ahead: eye.direction(),
            road,
            before: &self.wishes.before,
            cars: visible,
        };
        for wanted in self.wishes.list.iter_mut().filter(|wanted| wanted.is_open()) {
            if let Some(car) = sighting.comes_true(&wanted.report.wish, &mut wanted.memory) {
                wanted.report.state = WishState::Seen { at: now, car };
                wanted.report.why = None;
            }
        }
    }

    /// Plans all wishes that are open.
    pub(super) fn plan_wishes(&mut self, eye: Option<Eye>) {
        self.wishes.planned = self.traffic.now;
        for index in 0..self.wishes.list.len() {
            if !self.wishes.list[index].is_open() {
                continue;
            }
            let outlook = self.outlook(index, eye);
            let planned = match &outlook {
                Ok(outlook) => self.plan_wish(index, outlook),
                Err(why) => Err(why.clone()),
            };
            // In its last seconds nothing can be done any more, which is not the reason.
            let is_late = self.wishes.list[index].until - self.traffic.now < LATE;
            let report = &mut self.wishes.list[index].report;
            report.plans += 1;
            (report.state, report.why) = match planned {
                Ok(()) => (WishState::Planned, None),
                Err(why) => (WishState::Open, report.why.take().filter(|_| is_late).or(Some(why))),
            };
        }
    }

    /// Where the viewer is and may go until the time of a wish is over.
    fn outlook(&self, index: usize, eye: Option<Eye>) -> Result<Outlook, String> {
        let wanted = &self.wishes.list[index];
        let eye = eye.ok_or("it is not known where the viewer is: let it look (City::look)")?;
        let (map, now) = (&self.traffic.map, self.traffic.now);
        let own = OwnCar { position: eye.position(), direction: eye.direction(), speed: 0.0 };
        let place = place_of(map, &own).or_else(|| place_of(map, &OwnCar { direction: -eye.direction(), ..own }));
        let (path, remaining) = place.ok_or("the viewer is on no street")?;
        let speed = self.wishes.viewer.map_or(0.0, |(.., speed)| speed);
        let place = Place { path, remaining, stands: speed < STANDS };
        let report = &wanted.report;
        let mut stream = self.seed.stream("viewer").at(u64::from(report.id.0)).at(u64::from(report.plans));
        let futures = futures(map, &self.traffic.vehicle, place, [now, wanted.until.max(now + AGAIN)], &mut stream);
        Ok(Outlook { eye: eye.position(), futures })
    }

    /// Lets go of all who do something for a wish.
    pub(super) fn release(&mut self, wish: WishId) {
        let told: Vec<CarId> = self.wishes.told.iter().filter(|(_, its)| **its == wish).map(|(car, _)| *car).collect();
        for car in told {
            self.dismiss(car);
        }
    }

    /// A car goes its own way again.
    pub(super) fn dismiss(&mut self, car: CarId) {
        self.wishes.told.remove(&car);
        self.traffic.draws.scripts.remove(&car);
        // What nobody has seen it do wrong it does not do.
        let slot = self.traffic.slots().find(|slot| self.traffic.cars[*slot as usize].id == car);
        if let Some(slot) = slot {
            let visit = self.traffic.cars[slot as usize].course.visit;
            self.traffic.cars[slot as usize].error = self.traffic.draws.error(car, visit);
        }
    }

    /// Notes who was recruited for a wish.
    pub(super) fn note_recruit(&mut self, index: usize, recruit: Recruit) {
        let report = &mut self.wishes.list[index].report;
        self.wishes.told.insert(recruit.car, report.id);
        report.recruits.push(recruit);
    }

    /// How far the middle of a road is from a place, metres.
    pub(super) fn metres_to(&self, road: RoadId, place: DVec2) -> f64 {
        let points = self.traffic.map.road_points(road);
        points.first().map_or(0.0, |first| first.midpoint(points[points.len() - 1]).distance(place))
    }
}
