//! What was learned of a kind of city, as a file.

use proscenium_work::Artifact;
use serde::{Deserialize, Serialize};

use super::excess::{Excess, ExcessFit};
use super::following::Following;
use crate::error::CityError;
use crate::map::Control;

/// A `.learned` file.
const FILE: Artifact =
    Artifact::new("learned", "what was learned of a city", 3, "learn it again: proscenium city learn CITY")
        .reading_first_release(b"PROSLRND\x02\0\0\0");

/// What `proscenium city learn` makes of a generated city.
const USUAL: &[u8] = include_bytes!("usual.learned");

/// Kinds of control at the end of a path.
pub(crate) const CONTROLS: usize = 3;
/// Levels of how many cars come to a junction: quarters of an octave from 1/256
/// to 4 cars per second, more than any junction takes.
pub(crate) const LEVELS: usize = 40;

/// Steps from one level to the next. Chosen: few tables, and small steps.
const PARTS: f64 = 8.0;

/// A place among the levels that were measured: the classes below and above,
/// and how far from one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Between {
    low: u8,
    high: u8,
    part: u8,
}

/// The kind of a control: those at which cars wait alike.
pub(crate) fn kind(control: Control) -> usize {
    match control {
        Control::AllWayStop => 0,
        Control::Signals => 1,
        Control::Priority | Control::Free | Control::DeadEnd => 2,
    }
}

/// The level of a number of cars that come to a junction each second: quarters
/// of an octave from 1/256 on. Near what a junction can take, a quarter of an
/// octave doubles the time that cars wait.
pub(crate) fn level(inflow: f64) -> f64 {
    (4.0 * libm::log2((inflow * 256.0).max(1.0))).min(LEVELS as f64 - 1.0)
}

/// What traffic does to a car: how long it is held up at junctions of a kind
/// to which a number of cars come, and how it follows another.
///
/// Paths share what was learned: it is the same for all that lead to the same
/// kind of control and about equally busy junctions, so that it does not grow
/// with the map, and what was learned on a part of a city holds for the rest
/// (Chenney 2000, 6.3.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedTraffic {
    /// By kind of control, then level; `None` where nothing was measured.
    pub(crate) classes: Vec<Option<Excess>>,
    pub(crate) following: Following,
    pub(crate) fit: ExcessFit,
    /// How many traversals were measured.
    pub(crate) traversals: u64,
    /// The densities learned from, cars for each kilometre of lane.
    pub(crate) densities: Vec<f64>,
    /// Densities at which the city stood still.
    pub(crate) gridlocked: Vec<f64>,
    /// The slope by which roads are fuller than usual beside roads that are.
    pub(crate) neighbourhood: f64,
}

impl Default for LearnedTraffic {
    /// Nothing is known: nobody is held up.
    fn default() -> Self {
        Self {
            classes: vec![None; CONTROLS * LEVELS],
            following: Following::default(),
            fit: ExcessFit::WaitingMixture,
            traversals: 0,
            densities: Vec::new(),
            gridlocked: Vec::new(),
            neighbourhood: 0.0,
        }
    }
}

impl LearnedTraffic {
    /// What is usual in generated cities, for those that were not studied: a
    /// study of one with about 600 roads.
    pub fn usual() -> Self {
        Self::from_bytes(USUAL).unwrap_or_default()
    }

    /// How many traversals were measured.
    pub fn traversals(&self) -> u64 {
        self.traversals
    }

    /// The densities that were learned from, cars for each kilometre of lane.
    pub fn densities(&self) -> &[f64] {
        &self.densities
    }

    /// Densities at which cars stood in a gridlock, from which nothing was learned.
    pub fn gridlocked(&self) -> &[f64] {
        &self.gridlocked
    }

    /// Mean and standard deviation of the excess at junctions with this
    /// control, where so many cars come each second.
    pub fn excess(&self, control: Control, inflow: f64) -> (f64, f64) {
        let excess = self.at(self.between(kind(control), level(inflow)));
        (excess.mean(), excess.deviation())
    }

    /// Where a level is among those that were measured.
    pub(crate) fn between(&self, kind: usize, level: f64) -> Between {
        let first = kind * LEVELS;
        let is_known = |at: &usize| self.classes[first + at].is_some();
        let split = (level.floor().max(0.0) as usize).min(LEVELS - 1);
        let below = (0..=split).rev().find(is_known);
        let above = (split + 1..LEVELS).find(is_known);
        let (low, high) = match (below, above) {
            (Some(low), Some(high)) => (low, high),
            (Some(one), None) | (None, Some(one)) => (one, one),
            (None, None) => (split, split),
        };
        let share = if high > low { (level - low as f64) / (high - low) as f64 } else { 0.0 };
        Between { low: (first + low) as u8, high: (first + high) as u8, part: (share * PARTS).round() as u8 }
    }

    /// The mean excess there, seconds.
    pub(crate) fn mean(&self, Between { low, high, part }: Between) -> f64 {
        let mean = |class: u8| self.classes[usize::from(class)].as_ref().map_or(0.0, Excess::mean);
        mean(low) + (mean(high) - mean(low)) * f64::from(part) / PARTS
    }

    /// The excess there. Junctions near their limit are held up so much longer
    /// by a few more cars that the nearest level alone would not do.
    pub(crate) fn at(&self, Between { low, high, part }: Between) -> Excess {
        let of = |class: u8| self.classes[usize::from(class)].as_ref();
        match (of(low), of(high)) {
            (Some(low), Some(high)) => low.towards(high, f64::from(part) / PARTS),
            (one, other) => one.or(other).cloned().unwrap_or_else(Excess::none),
        }
    }

    /// As a `.learned` file.
    pub fn to_bytes(&self) -> Vec<u8> {
        FILE.seal(self)
    }

    /// Reads a `.learned` file.
    ///
    /// # Errors
    /// When the bytes are no such file, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CityError> {
        let learned: Self = FILE.open(bytes)?;
        let is_whole = learned.classes.len() == CONTROLS * LEVELS
            && learned.classes.iter().flatten().all(Excess::is_whole)
            && learned.following.is_whole();
        if is_whole { Ok(learned) } else { Err(FILE.damaged("its tables do not have the right size").into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_work::Remedy as _;

    #[test]
    fn what_is_usual_can_be_read_and_busy_junctions_take_longer() {
        let learned = LearnedTraffic::from_bytes(USUAL).unwrap();
        assert!(learned.traversals() > 10_000);
        let (calm, _) = learned.excess(Control::AllWayStop, 0.01);
        let (busy, spread) = learned.excess(Control::AllWayStop, 0.2);
        assert!(calm < 0.5 && busy > 2.0 && spread > 1.0, "{calm} {busy} {spread}");
        assert_eq!(LearnedTraffic::from_bytes(&learned.to_bytes()).unwrap(), learned);
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        let bytes = LearnedTraffic::default().to_bytes();
        for wrong in [&b""[..], b"PROSLRND", &bytes[..bytes.len() - 9], b"something else entirely"] {
            let refused = LearnedTraffic::from_bytes(wrong).unwrap_err();
            assert!(matches!(refused, CityError::File(_)) && refused.explain().contains("learn it again"), "{refused}");
        }
        let newer = String::from_utf8_lossy(&bytes).replacen("learned 3", "learned 9", 1);
        let newer = [&newer.as_bytes()[..newer.find('\n').unwrap()], &bytes[newer.find('\n').unwrap()..]].concat();
        assert!(LearnedTraffic::from_bytes(&newer).unwrap_err().to_string().contains("version 9"));
    }

    #[test]
    fn files_of_the_first_release_are_read() {
        let learned = LearnedTraffic::usual();
        let content = USUAL.splitn(2, |byte| *byte == b'\n').nth(1).unwrap();
        let old = [b"PROSLRND\x02\0\0\0", content].concat();
        assert_eq!(LearnedTraffic::from_bytes(&old).unwrap(), learned);
        assert_eq!(learned.to_bytes(), USUAL, "what is written is what was");
        assert!(LearnedTraffic::from_bytes(&old[..old.len() - 1]).is_err());
    }
}
