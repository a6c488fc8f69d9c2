//! More or fewer cars, while the city runs.

use std::sync::Arc;

use proscenium_chance::Stream;
use proscenium_work::Progress;

use super::control::BY_HAND;
use super::start::most_cars;
use super::{City, State};
use crate::culling::meet;
use crate::error::CityError;
use crate::learn::Expectations;
use crate::map::PathId;
use crate::wander::CarId;
use crate::want::chances::DelayTables;

impl City {
    /// Changes the number of cars, without a new start: others come where nobody looks, and
    /// those go whom nobody sees and of whom nothing is wished. Gives how many there are then:
    /// more than was asked for where too many are in view, or are remembered by the author.
    ///
    /// ```
    /// use proscenium_city::{City, Map, Recipe, Seed};
    ///
    /// let mut city = City::new(Map::build(&Recipe::with_roads(200).generate(Seed(1))?)?).with_cars(50);
    /// city.advance(10.0)?;
    /// assert_eq!(city.set_cars(120)?, 120);
    /// city.advance(20.0)?;
    /// assert_eq!(city.counts().iter().sum::<u64>(), 120);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When they do not fit, or the cars of this city make trips.
    pub fn set_cars(&mut self, cars: u32) -> Result<u32, CityError> {
        let most = most_cars(&self.map);
        if u64::from(cars) > most {
            return Err(CityError::TooManyCars { cars: u64::from(cars), most });
        }
        if self.trips.is_some() {
            let remedy = "give it other trips: there are as many cars as are under way";
            return Err(CityError::Number {
                what: "the number of cars of a city with trips",
                value: f64::from(cars),
                remedy,
            });
        }
        let learned = Arc::clone(&self.learned);
        let state = self.started()?;
        let map = Arc::clone(&state.traffic.map);
        let (vehicle, draws) = (state.traffic.vehicle, &state.traffic.draws);
        let made = Expectations::new(&map, &vehicle, draws, &learned, f64::from(cars), &|_| true, &Progress::none());
        let expectations = Arc::new(made.expect("nobody stops it"));
        state.expectations = Arc::clone(&expectations);
        if state.traffic.expectations.is_some() {
            state.traffic.expectations = Some(Arc::clone(&expectations));
        }
        state.wishes.tables = DelayTables::default();
        if let Some(pools) = &mut state.pools {
            pools.expect(&map, &expectations);
        }
        let now = state.present();
        let mut stream = state.seed.stream("number of cars").at(u64::from(state.made)).at(state.traffic.now.to_bits());
        if now < cars {
            state.add_cars(cars - now, &mut stream);
        } else {
            state.remove_cars(now - cars, &mut stream);
        }
        self.cars = cars;
        Ok(self.state.as_ref().map_or(0, |state| state.present()))
    }
}

impl State {
    /// How many cars there are, without the viewer's own.
    fn present(&self) -> u32 {
        let pooled = self.pools.as_ref().map_or(0, crate::culling::Pools::count);
        let near = self.traffic.count() - usize::from(self.own_slot.is_some()) + self.waiting();
        near as u32 + self.tracked.count() as u32 + pooled as u32
    }

    fn add_cars(&mut self, count: u32, stream: &mut Stream) {
        let map = Arc::clone(&self.traffic.map);
        let expectations = Arc::clone(&self.expectations);
        let mut sums = Vec::new();
        for _ in 0..count {
            let id = CarId(BY_HAND + self.made);
            self.made += 1;
            if self.pools.as_mut().is_some_and(|pools| pools.add(id, stream)) {
                continue;
            }
            if sums.is_empty() {
                let mut total = 0.0;
                sums.extend(map.paths().map(|path| {
                    total += expectations.cars_on(&map, &self.traffic.vehicle, path);
                    total
                }));
            }
            let wanted = sums.last().copied().unwrap_or(0.0) * stream.uniform();
            let chosen = sums.partition_point(|sum| *sum < wanted).min(sums.len().saturating_sub(1));
            let is_active = |road| self.traffic.is_active(road);
            let ways = Self::ways(&self.traffic, &expectations, &is_active);
            let (car, leaves) = meet(id, PathId(chosen as u32), self.traffic.now, &ways, stream);
            if self.traffic.is_active(map.road_of(car.path)) {
                self.traffic.place(&car, &expectations.learned.following);
            } else {
                self.tracked.add(car, leaves, &ways);
            }
        }
    }

    /// Those of whom least is known go first.
    fn remove_cars(&mut self, count: u32, stream: &mut Stream) {
        let mut left = count;
        while left > 0 && self.pools.as_mut().is_some_and(|pools| pools.drop_one(stream)) {
            left -= 1;
        }
        let is_kept = |id: CarId| self.followed.contains(&id) || self.wishes.told.contains_key(&id);
        let mut unseen: Vec<(f64, u32)> = self
            .tracked
            .iter()
            .filter(|(_, unseen)| !is_kept(unseen.car.id))
            .map(|(slot, unseen)| (unseen.car.seen, slot))
            .collect();
        unseen.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        unseen.truncate(left as usize);
        left -= unseen.len() as u32;
        let driving = self.traffic.slots().filter(|slot| {
            let car = &self.traffic.cars[*slot as usize];
            car.seen < self.traffic.now && !car.is_driven && !is_kept(car.id)
        });
        let driving: Vec<u32> = driving.take(left as usize).collect();
        for (_, slot) in unseen {
            self.tracked.remove(slot);
        }
        for slot in driving {
            self.traffic.remove(slot);
        }
    }
}
