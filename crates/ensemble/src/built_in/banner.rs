//! `banner`: cloth flags on a rope, in three winds.

use glam::DVec3;

use crate::data::Condition;
use crate::simulate::{Generator, SimulateSettings, SoftModel, Stuff, Wind};

/// A rope with cloth flags sewn to it, held at both ends and at posts between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Banner {
    /// How many flags hang on the rope.
    pub flags: u32,
    /// From one flag to the next, metres.
    pub spacing: f64,
    /// How wide a flag is at the rope, metres.
    pub width: f64,
    /// How long a flag is, metres.
    pub length: f64,
    /// The rope is held at every so many flags.
    pub post_every: u32,
}

impl Default for Banner {
    fn default() -> Self {
        Self { flags: 100, spacing: 0.3, width: 0.24, length: 0.52, post_every: 20 }
    }
}

/// Vertices of a flag: across and down.
const COLUMNS: u32 = 7;
const ROWS: u32 = 14;
/// The rope's radius, metres.
const RADIUS: f64 = 0.02;
/// How far below the rope a flag is tied, metres: far enough that nothing of it is joined
/// to the rope, so that all of it is tested.
const STRAP: f64 = 0.012;
/// The first row of a flag is this long, metres: long enough that the second
/// does not touch the rope when the wind folds the flag around it.
const HEM: f64 = 0.06;
/// Wind levels: name and mean speed, metres per second.
const LEVELS: [(&str, f64); 3] = [("calm", 1.5), ("breeze", 4.0), ("gale", 7.0)];

impl Banner {
    /// The rope and its flags, at rest.
    pub fn model(&self) -> SoftModel {
        let mut model = SoftModel::new();
        let rings = self.flags + 1;
        let length = f64::from(self.flags) * self.spacing;
        let rope_stuff = Stuff { density: 3.0, stretch: 20_000.0, bend: 500.0, damping: 0.01 };
        let rope = model.tube("rope", rings, RADIUS, &rope_stuff, |share| DVec3::X * (length * (share - 0.5)));
        for ring in (0..rings).filter(|ring| ring % self.post_every.max(1) == 0 || *ring == rings - 1) {
            (0..4).for_each(|corner| model.pin(rope, 4 * ring + corner));
        }
        let cloth = Stuff { density: 0.15, stretch: 400.0, bend: 0.6, damping: 0.01 };
        for flag in 0..self.flags {
            let middle = length * (f64::from(flag) + 0.5) / f64::from(self.flags) - 0.5 * length;
            let group = model.sheet(format!("flag-{}", flag + 1), [ROWS, COLUMNS], &cloth, |down, across| {
                let width = self.width * (1.0 - 0.25 * down);
                let row = down * f64::from(ROWS - 1);
                let below = HEM * row.min(1.0) + (self.length - HEM) * (row - 1.0).max(0.0) / f64::from(ROWS - 2);
                DVec3::new(middle + width * (across - 0.5), -RADIUS - STRAP - below, 0.0)
            });
            let sewn: Vec<u32> = (0..COLUMNS).collect();
            // Along the rope on one side, and across it.
            model.strap(group, rope, [4 * flag, 4 * flag + 4, 4 * flag + 3, 4 * flag + 1], &sewn);
        }
        model
    }

    /// The banner in its winds, which blow across the rope and a little along
    /// it.
    pub fn generator(&self) -> Generator {
        let level = |(name, speed): (&str, f64)| {
            let mean = DVec3::new(0.5, 0.05, 1.0).normalize() * speed;
            let wind = Wind { mean, gusts: 0.35, gust_time: 1.2, turbulence: 0.45, eddy: 0.7 };
            (Condition { name: name.to_owned(), intensity: speed }, wind)
        };
        Generator {
            name: "banner".to_owned(),
            model: self.model(),
            levels: LEVELS.map(level).to_vec(),
            settings: SimulateSettings::default(),
            error: 0.002,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactTest;

    /// Hems were joined to the rope, and cut it whenever the wind folded a flag.
    #[test]
    fn hems_are_tested_against_the_rope() {
        let model = Banner { flags: 2, ..Banner::default() }.model();
        let test = ContactTest::new(model.groups(), 0.004);
        assert!((1..3).all(|flag| test.skip(0, flag).first.is_empty()));
        let mut blown: Vec<[f32; 3]> = model.groups().iter().flat_map(|group| group.rest.clone()).collect();
        let first = model.groups()[0].rest.len();
        // The hem of the first flag is pushed up into the rope.
        blown[first..first + 7].iter_mut().for_each(|place| place[1] = 0.0);
        assert_eq!(test.touching(&blown), [(0, 1)]);
    }

    #[test]
    fn a_hundred_flags_hang_on_a_rope() {
        let model = Banner::default().model();
        assert_eq!(model.groups().len(), 101);
        let parents = model.groups().iter().filter_map(|group| group.attachment).map(|attachment| attachment.parent);
        assert_eq!(parents.filter(|&parent| parent == 0).count(), 100);
        let rest: Vec<[f32; 3]> = model.groups().iter().flat_map(|group| group.rest.clone()).collect();
        assert_eq!(ContactTest::new(model.groups(), 0.004).touching(&rest), []);
    }
}
