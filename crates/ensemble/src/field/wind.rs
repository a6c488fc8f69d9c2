//! Wind that travels over a field.

use glam::DVec2;
use proscenium_chance::{Seed, Stream};

use crate::error::EnsembleError;
use crate::graph::MotionGraph;

/// How many times as long as a change of level a gust lasts that plants can follow. Chosen:
/// what is missed is half a change at either end.
const GUST_LASTS: f64 = 5.0;

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
    /// Squares, about as many as particles, with the particles in each.
    squares: Squares,
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
        let starts: Vec<DVec2> = starts.collect();
        let (area, velocity) = (DVec2::from_array(area), DVec2::from_array(velocity));
        let squares = Squares::new(area, gust, &starts);
        Ok(Self { area, velocity, starts, squares, levels, strength: 0.5, stream })
    }

    /// How far apart gusts should be that plants can follow, metres, if they travel so fast:
    /// so that one lasts several times as long as a walk takes from one level to another.
    pub fn gust_for(graphs: &[&MotionGraph], speed: f64) -> f64 {
        let slowest = graphs.iter().map(|graph| graph.seconds_between_levels()).fold(1.0, f64::max);
        GUST_LASTS * slowest * speed.abs()
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
        let nearest = self.nearest(self.inside(here));
        let place = self.starts.get(nearest).copied().unwrap_or_default() + travelled;
        let lap = [libm::floor(place.x / self.area.x), libm::floor(place.y / self.area.y)];
        self.drawn(nearest, lap)
    }

    /// The same place within the area.
    fn inside(&self, place: DVec2) -> DVec2 {
        place - self.area * DVec2::new(libm::floor(place.x / self.area.x), libm::floor(place.y / self.area.y))
    }

    /// The particle that is nearest to a place, as the wind sees it: ring after
    /// ring of squares around it, until no farther ring can hold a nearer one.
    fn nearest(&self, here: DVec2) -> usize {
        let [columns, rows] = self.squares.size;
        let at = |x: f64, edge: f64, count: i64| ((x / edge) as i64).clamp(0, count - 1);
        let (column, row) = (at(here.x, self.squares.edge.x, columns), at(here.y, self.squares.edge.y, rows));
        let least = self.squares.edge.min_element();
        let mut nearest = (f64::INFINITY, 0);
        for ring in 0..=columns.max(rows) {
            // What lies in this ring is at least this far away.
            let beyond = (ring - 1).max(0) as f64 * least;
            if beyond * beyond > nearest.0 {
                break;
            }
            for down in -ring..=ring {
                let step = if down.abs() == ring { 1 } else { (2 * ring).max(1) };
                for along in (-ring..=ring).step_by(step as usize) {
                    let square = (row + down).rem_euclid(rows) * columns + (column + along).rem_euclid(columns);
                    for &particle in self.squares.particles(square as usize) {
                        let distance = self.distance_squared(self.starts[particle as usize], here);
                        if (distance, particle) < nearest {
                            nearest = (distance, particle);
                        }
                    }
                }
            }
        }
        nearest.1 as usize
    }

    /// How far two places of the area are from each other, the shorter way
    /// round.
    #[inline]
    fn distance_squared(&self, a: DVec2, b: DVec2) -> f64 {
        let away = (a - b).abs();
        away.min((self.area - away).abs()).length_squared()
    }

    /// The level that a particle carries on its way over the field: heads among
    /// as many coins as there are steps between levels.
    fn drawn(&self, particle: usize, [x, z]: [f64; 2]) -> usize {
        let key = (particle as u64) ^ ((x as i64 as u64) << 20) ^ ((z as i64 as u64) << 42);
        let mut stream = self.stream.at(key);
        (1..self.levels).filter(|_| stream.uniform() < self.strength).count()
    }
}

/// Particles by the squares in which they are.
#[derive(Clone, Debug)]
struct Squares {
    edge: DVec2,
    size: [i64; 2],
    /// The first particle of each square among `particles`, and their number.
    first: Vec<u32>,
    particles: Vec<u32>,
}

impl Squares {
    fn new(area: DVec2, gust: f64, starts: &[DVec2]) -> Self {
        let size = [area.x, area.y].map(|length| libm::ceil(length / gust).max(1.0) as i64);
        let edge = area / DVec2::new(size[0] as f64, size[1] as f64);
        let square = |start: &DVec2| {
            let at = *start / edge;
            let inside = |x: f64, count: i64| (x as i64).clamp(0, count - 1);
            (inside(at.y, size[1]) * size[0] + inside(at.x, size[0])) as u32
        };
        let mut sorted: Vec<(u32, u32)> = starts.iter().map(square).zip(0..).collect();
        sorted.sort_unstable();
        let count = (size[0] * size[1]) as u32;
        let first = (0..=count).map(|square| sorted.partition_point(|&(of, _)| of < square) as u32).collect();
        Self { edge, size, first, particles: sorted.into_iter().map(|(_, particle)| particle).collect() }
    }

    fn particles(&self, square: usize) -> &[u32] {
        &self.particles[self.first[square] as usize..self.first[square + 1] as usize]
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

    /// Squares find what a look at all particles finds.
    #[test]
    fn the_nearest_of_all_is_found() {
        for (area, gust) in [([80.0, 60.0], 8.0), ([7.0, 90.0], 5.0), ([3.0, 4.0], 9.0)] {
            let wind = TravellingWind::new(area, gust, [5.0, -1.0], 3, Seed(3)).unwrap();
            let mut stream = Seed(4).stream("places");
            for _ in 0..500 {
                let here = 300.0 * DVec2::new(stream.uniform() - 0.5, stream.uniform() - 0.5);
                let laps = (-1..=1).flat_map(|x| (-1..=1).map(move |z| DVec2::new(f64::from(x), f64::from(z))));
                let inside = wind.inside(here);
                let away = |particle: &usize| {
                    let start = wind.starts[*particle];
                    laps.clone().map(|lap| (start + lap * wind.area).distance_squared(inside)).fold(f64::MAX, f64::min)
                };
                let truth = (0..wind.starts.len()).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap();
                assert_eq!(wind.nearest(inside), truth);
            }
        }
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
