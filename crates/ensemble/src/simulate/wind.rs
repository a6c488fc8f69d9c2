//! Wind: noise on a lattice that is carried along, driven by an intensity
//! that changes in time.

use glam::DVec3;
use proscenium_chance::Seed;

/// A wind of a certain strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// The mean wind, metres per second.
    pub mean: DVec3,
    /// How far the intensity rises and falls about its mean, as a share.
    pub gusts: f64,
    /// How long a gust takes, seconds.
    pub gust_time: f64,
    /// The speed of eddies, as a share of the mean speed.
    pub turbulence: f64,
    /// The size of eddies, metres.
    pub eddy: f64,
}

/// A wind with a seed: a function of time and place.
#[derive(Clone, Copy, Debug)]
pub struct WindField {
    wind: Wind,
    seed: u64,
}

impl WindField {
    /// The wind that follows from a seed.
    pub fn new(wind: Wind, seed: Seed) -> Self {
        Self { wind, seed: seed.0 }
    }

    /// The intensity at a time: about one.
    pub fn intensity(&self, time: f64) -> f64 {
        let gust = noise(self.seed ^ 1, DVec3::new(time / self.wind.gust_time, 0.5, 0.5));
        let slow = noise(self.seed ^ 2, DVec3::new(time / (4.0 * self.wind.gust_time), 0.5, 0.5));
        (1.0 + self.wind.gusts * (gust + slow)).max(0.0)
    }

    /// The velocity of the air, metres per second.
    pub fn at(&self, place: DVec3, time: f64) -> DVec3 {
        let wind = &self.wind;
        let speed = wind.mean.length();
        let carried = (place - wind.mean * time) / wind.eddy;
        // Eddies also change as they are carried.
        let change = DVec3::new(0.0, time * speed / (3.0 * wind.eddy), 0.0);
        let eddies = DVec3::new(
            noise(self.seed ^ 3, carried + change),
            noise(self.seed ^ 4, carried + change),
            noise(self.seed ^ 5, carried - change),
        );
        self.intensity(time) * (wind.mean + wind.turbulence * speed * eddies)
    }
}

/// Smooth noise in [−1, 1]: a value at each lattice point, blended between.
fn noise(seed: u64, place: DVec3) -> f64 {
    let base = place.floor();
    let part = place - base;
    let smooth = part * part * part * (part * (part * 6.0 - 15.0) + 10.0);
    let corner = |dx: i64, dy: i64, dz: i64| value(seed, [base.x as i64 + dx, base.y as i64 + dy, base.z as i64 + dz]);
    let mix = |a: f64, b: f64, share: f64| a + (b - a) * share;
    let along_x = |dy, dz| mix(corner(0, dy, dz), corner(1, dy, dz), smooth.x);
    let along_y = |dz| mix(along_x(0, dz), along_x(1, dz), smooth.y);
    mix(along_y(0), along_y(1), smooth.z)
}

/// The value at a lattice point, in [−1, 1] (the finaliser of SplitMix64).
fn value(seed: u64, [x, y, z]: [i64; 3]) -> f64 {
    let step = 0x9e37_79b9_7f4a_7c15_u64;
    let mut hash = seed;
    for coordinate in [x, y, z] {
        hash = hash.wrapping_add(coordinate as u64).wrapping_mul(step);
        hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^= hash >> 31;
    }
    (hash >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breeze() -> WindField {
        let wind = Wind { mean: DVec3::new(3.0, 0.0, 1.0), gusts: 0.4, gust_time: 1.0, turbulence: 0.3, eddy: 0.5 };
        WindField::new(wind, Seed(3))
    }

    #[test]
    fn wind_is_continuous() {
        let field = breeze();
        for n in 0..500 {
            let time = 0.037 * f64::from(n);
            let place = DVec3::new(0.01 * f64::from(n), 0.3, -0.2);
            let here = field.at(place, time);
            assert!((field.at(place, time + 1e-4) - here).length() < 0.05);
            assert!((field.at(place + DVec3::splat(1e-4), time) - here).length() < 0.05);
        }
    }

    #[test]
    fn wind_blows_as_hard_as_told_on_average() {
        let field = breeze();
        let places = (0..4000).map(|n| (DVec3::new(0.37 * f64::from(n % 20), 0.0, 0.0), 0.11 * f64::from(n)));
        let mean = places.map(|(place, time)| field.at(place, time)).sum::<DVec3>() / 4000.0;
        assert!((mean - DVec3::new(3.0, 0.0, 1.0)).length() < 0.5, "{mean}");
    }
}
