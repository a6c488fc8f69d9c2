//! How smooth a walk is beside the data of the same condition: its largest
//! acceleration, and its amplitudes by octave. A walk that kinks has too much of the
//! first, one that is merely smoothed too little of the second.

use crate::compressed::CompressedEnsemble;

/// Frames of a spectrum: six octaves, and short beside what is recorded. Chosen.
const WINDOW: usize = 128;
/// Octaves of a spectrum, from one period in a window on.
const OCTAVES: usize = WINDOW.ilog2() as usize - 1;
/// Vertices that a spectrum follows, evenly chosen. Chosen: more hardly change it.
const FOLLOWED: usize = 32;
/// Octaves that have less than this share of the strongest amplitude are not compared:
/// nobody sees them, and rounding is as strong. Chosen.
const SILENT: f64 = 0.01;

/// The largest acceleration of any vertex, from three frames in a row.
#[derive(Clone, Debug, Default)]
pub struct AccelerationMeter {
    before: Vec<[f32; 3]>,
    last: Vec<[f32; 3]>,
    seen: u32,
}

impl AccelerationMeter {
    /// Takes the next frame. Once there are three: the largest second difference of a
    /// vertex, metres in a frame squared.
    pub fn add(&mut self, positions: &[[f32; 3]]) -> Option<f64> {
        let largest = (self.seen >= 2).then(|| {
            let ways = self.before.iter().zip(&self.last).zip(positions);
            let squared = ways.map(|((before, last), now)| {
                let second = |axis: usize| f64::from(now[axis]) - 2.0 * f64::from(last[axis]) + f64::from(before[axis]);
                (0..3).map(second).map(|x| x * x).sum::<f64>()
            });
            squared.fold(0.0, f64::max).sqrt()
        });
        std::mem::swap(&mut self.before, &mut self.last);
        self.last.clear();
        self.last.extend_from_slice(positions);
        self.seen = (self.seen + 1).min(2);
        largest
    }

    /// Forgets what it has seen: the next frame follows nothing.
    pub fn restart(&mut self) {
        self.seen = 0;
    }
}

/// The largest acceleration in the data of each condition, metres in a frame squared.
pub fn accelerations_of(data: &CompressedEnsemble) -> Vec<f64> {
    let mut largest = vec![0.0_f64; data.conditions().len()];
    let (mut meter, mut positions) = (AccelerationMeter::default(), Vec::new());
    for moment in data.moments() {
        if moment.frame == 0 {
            meter.restart();
        }
        data.positions_at(moment, &mut positions);
        let most = &mut largest[data.sequences()[moment.sequence as usize].condition];
        *most = most.max(meter.add(&positions).unwrap_or(0.0));
    }
    largest
}

/// The amplitudes of some vertices by octave: mean periodograms of windows that overlap
/// by half (Welch 1967).
#[derive(Clone, Debug, Default)]
pub struct Spectrum {
    /// The last frames, each with the numbers of the vertices that are followed.
    frames: Vec<Vec<f32>>,
    powers: [f64; OCTAVES],
    windows: u32,
}

impl Spectrum {
    /// Of the data of a condition; all sequences that are long enough count.
    pub fn of_data(data: &CompressedEnsemble, condition: usize) -> Self {
        let (mut spectrum, mut positions) = (Self::default(), Vec::new());
        for moment in data.moments() {
            if data.sequences()[moment.sequence as usize].condition == condition {
                if moment.frame == 0 {
                    spectrum.restart();
                }
                data.positions_at(moment, &mut positions);
                spectrum.add(&positions);
            }
        }
        spectrum
    }

    /// Takes the next frame.
    pub fn add(&mut self, positions: &[[f32; 3]]) {
        let count = positions.len().min(FOLLOWED);
        let followed = (0..count).flat_map(|at| positions[at * positions.len() / count]);
        self.frames.push(followed.collect());
        if self.frames.len() == WINDOW {
            self.add_window();
            self.frames.drain(..WINDOW / 2);
        }
    }

    /// Forgets frames of which no window is full: the next one follows nothing.
    pub fn restart(&mut self) {
        self.frames.clear();
    }

    fn add_window(&mut self) {
        self.windows += 1;
        let turn = std::f64::consts::TAU / WINDOW as f64;
        let circle: Vec<(f64, f64)> = (0..WINDOW).map(|at| libm::sincos(turn * at as f64)).collect();
        for series in 0..self.frames[0].len() {
            let values = || self.frames.iter().map(|frame| f64::from(frame[series]));
            let mean = values().sum::<f64>() / WINDOW as f64;
            // Hann's window, so that strong octaves do not leak into weak ones.
            let shaped: Vec<f64> = values().zip(&circle).map(|(x, (_, cos))| (x - mean) * 0.5 * (1.0 - cos)).collect();
            for period in 1..WINDOW / 2 {
                let (mut real, mut imaginary) = (0.0, 0.0);
                for (at, x) in shaped.iter().enumerate() {
                    let (sin, cos) = circle[at * period % WINDOW];
                    real += x * cos;
                    imaginary += x * sin;
                }
                self.powers[period.ilog2() as usize] += real * real + imaginary * imaginary;
            }
        }
    }

    /// The amplitude of each octave, from the lowest; `None` if no window is full.
    pub fn amplitudes(&self) -> Option<[f64; OCTAVES]> {
        (self.windows > 0).then(|| self.powers.map(|power| (power / f64::from(self.windows)).sqrt()))
    }

    /// By which share the amplitude of an octave differs from another's at most;
    /// `None` if one of them is of less than a window.
    pub fn largest_difference(&self, other: &Self) -> Option<f64> {
        let (ours, theirs) = (self.amplitudes()?, other.amplitudes()?);
        let strongest = theirs.iter().copied().fold(0.0, f64::max);
        let heard = ours.iter().zip(&theirs).filter(|(_, theirs)| **theirs > SILENT * strongest);
        Some(heard.map(|(ours, theirs)| (ours / theirs - 1.0).abs()).fold(0.0, f64::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vertex on a circle is accelerated by its radius times the square of its turn.
    #[test]
    fn a_circle_has_the_acceleration_of_its_turn() {
        let turn = 0.05;
        let mut meter = AccelerationMeter::default();
        for frame in 0..100 {
            let (sin, cos) = libm::sincos(turn * f64::from(frame));
            let found = meter.add(&[[2.0 * cos as f32, 2.0 * sin as f32, 0.0]]);
            assert_eq!(found.is_some(), frame >= 2);
            if let Some(found) = found {
                assert!((found / (2.0 * turn * turn) - 1.0).abs() < 1e-3, "{found}");
            }
        }
    }

    #[test]
    fn a_kink_is_seen() {
        let mut meter = AccelerationMeter::default();
        let places = [0.0, 1.0, 2.0, 2.0_f32];
        let seen: Vec<_> = places.iter().map(|&x| meter.add(&[[x, 0.0, 0.0]])).collect();
        assert_eq!(seen, [None, None, Some(0.0), Some(1.0)]);
    }

    #[test]
    fn a_tone_is_in_its_octave_and_half_of_it_is_told() {
        let tone = |size: f64| {
            let mut spectrum = Spectrum::default();
            for frame in 0..1000 {
                let x = size * libm::sin(std::f64::consts::TAU * 11.3 / WINDOW as f64 * f64::from(frame));
                spectrum.add(&[[x as f32, 0.0, 0.0]]);
            }
            spectrum
        };
        let (whole, half) = (tone(1.0), tone(0.5));
        let amplitudes = whole.amplitudes().unwrap();
        assert!((0..OCTAVES).all(|octave| octave == 3 || amplitudes[octave] < 0.02 * amplitudes[3]));
        assert!((half.largest_difference(&whole).unwrap() - 0.5).abs() < 1e-3);
        assert_eq!(Spectrum::default().largest_difference(&whole), None);
    }
}
