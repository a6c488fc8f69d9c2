//! When a recorded motion comes near a moment that it had before.

use proscenium_chance::Seed;
use proscenium_work::{Progress, Stopped, parallel};

use super::motion::{Moment, RecordedMotion};

/// Places that are compared with, at most. Chosen: a search then takes a millisecond.
const MOST_PLACES: f64 = 50_000.0;

/// Moments that are asked how often they come again.
const ASKED: usize = 200;

/// They must come again so often, and this share of them.
const TIMES: usize = 3;
const MOST: f64 = 0.9;

/// The dimension of what was recorded is told from so many nearest moments.
const NEAREST: usize = 12;

/// And of those moments only whose visits are rarer than those of this share.
const RARE: f64 = 0.7;

/// How much more to ask for than is thought to do. Chosen.
const MARGIN: f64 = 1.15;

/// Moments of a motion that others are compared with: one for each visit.
pub(super) struct Visits<'m> {
    pub motion: &'m RecordedMotion,
    /// After how long two moments know nothing of each other, seconds.
    change: f64,
    /// Without a drive: places, and what they are compared by.
    places: Vec<(f64, Moment)>,
}

impl<'m> Visits<'m> {
    pub(super) fn new(motion: &'m RecordedMotion, change: f64) -> Self {
        let mut places = Vec::new();
        if motion.drive.is_none() {
            let step = motion.step * (motion.seconds() / motion.step / MOST_PLACES).ceil().max(1.0);
            for take in &motion.takes {
                let count = ((take.exit - motion.start(take)) / step).floor() as u32;
                let all = (0..=count).map(|index| motion.start(take) + f64::from(index) * step);
                places.extend(all.map(|place| (place, motion.features(place))));
            }
        }
        Self { motion, change, places }
    }

    /// The visits of the neighbourhood of a place, nearest first: how far off, and where.
    /// The visit that the place belongs to is none.
    pub(super) fn near(&self, place: f64) -> Vec<(f64, f64)> {
        let here = self.motion.features(place);
        let mut found: Vec<(f64, f64)> = Vec::new();
        match self.motion.drive {
            Some(drive) => {
                let own = self.motion.take(place);
                let phase = own.phase + place - self.motion.start(own);
                for take in &self.motion.takes {
                    let start = self.motion.start(take);
                    let mut other = start + (phase - take.phase).rem_euclid(drive);
                    while other <= take.exit {
                        if (other - place).abs() > 0.5 * drive {
                            found.push((self.motion.features_apart(&here, &self.motion.features(other)), other));
                        }
                        other += drive;
                    }
                }
            }
            None => {
                // The nearest of each stretch in which nothing changes much.
                let mut block = f64::NEG_INFINITY;
                for (other, moment) in &self.places {
                    if (other - place).abs() < self.change {
                        continue;
                    }
                    let off = self.motion.features_apart(&here, moment);
                    match found.last_mut() {
                        Some(last) if other - block < self.change => {
                            if off < last.0 {
                                *last = (off, *other);
                            }
                        }
                        _ => {
                            block = *other;
                            found.push((off, *other));
                        }
                    }
                }
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        found
    }
}

/// How many seconds would do, if what was recorded is too little: if hardly any moment
/// comes again as near as a viewer can tell.
///
/// The number of visits within a distance grows with the length of a recording, and with
/// the distance to the power of the dimension of where the motion goes, which is told from
/// the distances of the nearest visits (Levina and Bickel 2005).
pub(super) fn wanted(visits: &Visits<'_>, progress: &Progress) -> Result<Option<f64>, Stopped> {
    let motion = visits.motion;
    let asked = parallel::try_tasks(ASKED, |index| {
        progress.check()?;
        let mut stream = Seed(0).stream("asked").at(index as u64);
        let phase = motion.drive.map_or(0.0, |drive| drive * stream.uniform());
        let near = visits.near(motion.any_place(phase, &mut stream));
        let often = near.get(TIMES - 1).map_or(f64::INFINITY, |(off, _)| *off);
        let last = near.get(NEAREST).map(|(off, _)| *off);
        let logs = last.map(|last| {
            let each = near[..NEAREST].iter().map(|(off, _)| libm::log(last / off.max(1e-9 * last)));
            each.sum::<f64>() / (NEAREST as f64 - 1.0)
        });
        Ok::<_, Stopped>((often, logs))
    })?;
    let mut often: Vec<f64> = asked.iter().map(|(often, _)| *often).collect();
    often.sort_by(f64::total_cmp);
    let far = often[(MOST * (ASKED - 1) as f64) as usize];
    if far <= 1.0 {
        return Ok(None);
    }
    // Where visits are rare decides.
    let rare = often[(RARE * (ASKED - 1) as f64) as usize];
    let logs: Vec<f64> = asked.iter().filter(|(often, _)| *often >= rare).filter_map(|(_, logs)| *logs).collect();
    if logs.is_empty() || far.is_infinite() {
        // Too short to tell how much too short: enough to tell.
        return Ok(Some((4.0 * NEAREST as f64 * visits.change).max(4.0 * motion.seconds())));
    }
    let dimension = (logs.len() as f64 / logs.iter().sum::<f64>().max(1e-9)).clamp(0.5, 16.0);
    Ok(Some(MARGIN * motion.seconds() * libm::pow(far, dimension)))
}
