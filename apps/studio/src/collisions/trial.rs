//! The experiment with the gaze (Dingliana 2002, 6.3.1): do people mind coarse
//! collisions where they do not look?

use proscenium_chance::{Seed, Stream};
use proscenium_lod::world::Schedule;
use proscenium_lod::{Crowd, Settings};
use proscenium_study::Study;

use crate::api::Problem;
use crate::stream::problem;

/// The pointer's region of fine collisions, degrees; distractors shrink it.
const REGION: f64 = 10.0;
/// A place at random stays for so many frames.
const STAYS: u32 = 5;
/// The side of the room of an object, in radii: the same for any number.
const ROOM: f64 = 2.2;

/// A condition as it runs.
pub struct Trial {
    pub crowd: Crowd,
    pub settings: Settings,
    pub seed: Seed,
    /// Half the side of the box with the most objects, m.
    pub largest_half: f64,
    wander: Option<Wander>,
}

/// A gaze that jumps about.
struct Wander {
    stream: Stream,
    frames: u32,
    place: [f64; 2],
}

impl Wander {
    fn next(&mut self) -> [f64; 2] {
        if self.frames.is_multiple_of(STAYS) {
            self.place = [0, 1].map(|_| 0.2 + 0.6 * self.stream.uniform());
        }
        self.frames += 1;
        self.place
    }
}

impl Trial {
    /// A condition by its number, from 1.
    ///
    /// # Errors
    ///
    /// One that does not exist.
    pub fn of(number: u32, like: &Crowd) -> Result<Self, Problem> {
        let conditions = Study::Gaze.conditions();
        let Some(condition) = (number as usize).checked_sub(1).and_then(|at| conditions.get(at)) else {
            let help = format!("the conditions are 1 to {}", conditions.len());
            return Err(problem(&format!("there is no condition {number}"), &help));
        };
        let fine = Settings { gravity: proscenium_lod::glam::DVec3::ZERO, hold_levels: false, ..Settings::default() };
        let region = Settings { schedule: Schedule::fine_within(REGION), ..fine.clone() };
        let seed = Seed(u64::from(number));
        let (settings, wander) = match condition.levels[0] {
            0 => (fine, None),
            1 => (Settings { deepest: 0, ..fine }, None),
            2 => (region, None),
            _ => (region, Some(Wander { stream: seed.stream("random gaze"), frames: 0, place: [0.5, 0.5] })),
        };
        let crowd = crowd_of(objects(condition.levels[1]), like);
        let largest = crowd_of(objects(usize::MAX), like);
        Ok(Self { crowd, settings, seed, largest_half: largest.half_box(RADIUS), wander })
    }

    /// Where the fine region is, when somebody looks at a place.
    pub fn gaze(&mut self, looks_at: Option<[f64; 2]>) -> Option<[f64; 2]> {
        self.wander.as_mut().map(Wander::next).or(looks_at)
    }
}

/// The radius of the built-in bodies, m.
const RADIUS: f64 = 0.5;

/// So many objects at the density that all numbers have.
fn crowd_of(count: u32, like: &Crowd) -> Crowd {
    let side = (1_u32..).find(|side| side.pow(3) >= count).unwrap_or(1);
    let spacing = ROOM * libm::cbrt(f64::from(count)) / f64::from(side);
    Crowd { count: count as usize, spacing, figure: None, ..like.clone() }
}

/// How many objects a level of the second factor stands for; the last beyond.
fn objects(level: usize) -> u32 {
    let levels = Study::Gaze.factors()[1].levels;
    levels[level.min(levels.len() - 1)].parse().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_condition_can_be_shown_at_one_density() {
        let mut densities = Vec::new();
        for number in 1..=12 {
            let trial = Trial::of(number, &Crowd::default()).unwrap();
            // Without the rim that every box has.
            let side = 2.0 * (trial.crowd.half_box(RADIUS) - 0.3 * RADIUS);
            densities.push(trial.crowd.count as f64 / (side * side * side));
        }
        assert!(densities.iter().all(|density| (density / densities[0] - 1.0).abs() < 1e-9), "{densities:?}");
        assert!(Trial::of(0, &Crowd::default()).is_err() && Trial::of(13, &Crowd::default()).is_err());
    }

    #[test]
    fn a_random_place_stays_for_five_frames() {
        let mut trial = Trial::of(10, &Crowd::default()).unwrap();
        let places: Vec<_> = (0..10).map(|_| trial.gaze(Some([0.1, 0.1]))).collect();
        assert!(places[..5].iter().all(|place| *place == places[0]) && places[5] != places[0]);
        let mut tracked = Trial::of(7, &Crowd::default()).unwrap();
        assert_eq!(tracked.gaze(Some([0.1, 0.1])), Some([0.1, 0.1]));
    }
}
