//! Wind that travels over a field.

use glam::DVec2;
use proscenium_chance::{Seed, Stream};

use crate::error::EnsembleError;

/// Wind as particles that travel over a field and return at its other side,
/// each time with another level; around a particle, its level blows.
///
/// All travel with the wind, so where they are at a time is known without
/// having followed them.
#[derive(Clone, Debug)]
pub struct TravellingWind {
    area: DVec2,
    velocity: DVec2,
    starts: Vec<DVec2>,
    levels: usize,
    strength: f64,
    stream: Stream,
}

impl TravellingWind {
    /// Wind of several levels over an area around the origin, metres along x
    /// and z, with gusts `gust` metres apart that travel with a velocity,
    /// metres per second.
    ///
    /// # Errors
    /// No levels, and numbers that are not finite or not positive.
    pub fn new(
        area: [f64; 2],
        gust: f64,
        velocity: [f64; 2],
        levels: usize,
        seed: Seed,
    ) -> Result<Self, EnsembleError> {
        for (what, value) in
            [("the length of the field", area[0]), ("the width of the field", area[1]), ("the distance of gusts", gust)]
        {
            crate::data::positive(what, value, "use metres above zero")?;
        }
        if let Some(&value) = velocity.iter().find(|x| !x.is_finite()) {
            let what = "the velocity of the wind".to_owned();
            return Err(EnsembleError::Number { what, value, remedy: "use finite metres per second" });
        }
        if levels == 0 {
            let place = "the wind".to_owned();
            return Err(EnsembleError::Empty { place, what: "levels", remedy: "give it those of the ensemble" });
        }
        let count = libm::ceil(area[0] / gust) * libm::ceil(area[1] / gust);
        if count > 1e6 {
            let what = "the distance of gusts".to_owned();
            return Err(EnsembleError::Number { what, value: gust, remedy: "use more metres for so large a field" });
        }
        let stream = seed.stream("wind");
        let mut places = seed.stream("gusts");
        let starts = (0..count as usize).map(|_| DVec2::new(places.uniform() * area[0], places.uniform() * area[1]));
        let starts = starts.collect();
        let (area, velocity) = (DVec2::from_array(area), DVec2::from_array(velocity));
        Ok(Self { area, velocity, starts, levels, strength: 0.5, stream })
    }

    /// How strong it is, from 0, always the weakest level, to 1, always the
    /// strongest.
    pub fn set_strength(&mut self, strength: f64) {
        if strength.is_finite() {
            self.strength = strength.clamp(0.0, 1.0);
        }
    }

    /// The level that blows at a place (x and z, metres) and a time, seconds:
    /// that of the nearest particle.
    pub fn level_at(&self, place: [f64; 2], time: f64) -> usize {
        let travelled = self.velocity * time;
        // Seen from the wind, the particles stand still and the place moves.
        let here = DVec2::from_array(place) + 0.5 * self.area - travelled;
        let mut nearest = (f64::INFINITY, 0);
        for (particle, start) in self.starts.iter().enumerate() {
            let away = *start - here;
            let laps = DVec2::new(libm::round(away.x / self.area.x), libm::round(away.y / self.area.y));
            let distance = (away - laps * self.area).length_squared();
            if distance < nearest.0 {
                nearest = (distance, particle);
            }
        }
        let place = self.starts.get(nearest.1).copied().unwrap_or_default() + travelled;
        let lap = [libm::floor(place.x / self.area.x), libm::floor(place.y / self.area.y)];
        self.drawn(nearest.1, lap)
    }

    /// The level that a particle carries on its way over the field: heads among
    /// as many coins as there are steps between levels.
    fn drawn(&self, particle: usize, [x, z]: [f64; 2]) -> usize {
        let key = (particle as u64) ^ ((x as i64 as u64) << 20) ^ ((z as i64 as u64) << 42);
        let mut stream = self.stream.at(key);
        (1..self.levels).filter(|_| stream.uniform() < self.strength).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wind() -> TravellingWind {
        TravellingWind::new([80.0, 60.0], 8.0, [5.0, -1.0], 3, Seed(3)).unwrap()
    }

    /// What blows here now blows downwind later, unless the particle has left
    /// the field in between.
    #[test]
    fn levels_travel_with_the_wind() {
        let wind = wind();
        let (mut same, mut all) = (0, 0);
        for step in 0..400 {
            let (x, z) = (f64::from(step % 20) - 20.0, f64::from(step / 20) - 10.0);
            all += 1;
            same += u32::from(wind.level_at([x, z], 2.0) == wind.level_at([x + 15.0, z - 3.0], 5.0));
        }
        assert!(same >= all - 2, "{same} of {all}");
    }

    #[test]
    fn strength_is_the_share_of_the_way_up() {
        for strength in [0.0, 0.3, 1.0] {
            let mut wind = wind();
            wind.set_strength(strength);
            let sum: usize = (0..4000u32).map(|n| wind.level_at([0.0, 0.0], 7.0 * f64::from(n))).sum();
            // Four standard deviations of a sum of 8000 coins, at most; correlation of gusts doubles them.
            let mean = sum as f64 / 8000.0;
            assert!((mean - strength).abs() <= 0.045 * (4.0 * strength * (1.0 - strength)), "{mean} for {strength}");
        }
    }

    #[test]
    fn wrong_numbers_are_refused() {
        assert!(TravellingWind::new([0.0, 1.0], 1.0, [0.0; 2], 1, Seed(1)).is_err());
        assert!(TravellingWind::new([1.0, 1.0], 1.0, [f64::NAN, 0.0], 1, Seed(1)).is_err());
        assert!(TravellingWind::new([1.0, 1.0], 1.0, [0.0; 2], 0, Seed(1)).is_err());
        assert!(TravellingWind::new([1e6, 1e6], 1.0, [0.0; 2], 1, Seed(1)).is_err());
    }
}
