//! What was learned of a kind of city, as a file.

use proscenium_work::{Artifact, ArtifactError};
use serde::{Deserialize, Serialize};

use super::excess::{Excess, ExcessFit};
use super::following::Following;
use crate::error::CityError;
use crate::map::{Control, LaneId, Map};

/// What to do about a file that cannot be read.
const AGAIN: &str = "learn it again: proscenium city learn CITY";
/// A `.learned` file.
const FILE: Artifact = Artifact::new("learned", "what was learned of a city", 4, AGAIN);
/// One of version 3, or of the first release, whose content is the same: it has one kind for
/// all who have priority or not, and does not know its map.
const FILE_3: Artifact =
    Artifact::new("learned", "what was learned of a city", 3, AGAIN).reading_first_release(FIRST_RELEASE);
/// What a file of the first release begins with.
const FIRST_RELEASE: &[u8] = b"PROSLRND\x02\0\0\0";

/// What `proscenium city learn` makes of a generated city.
const USUAL: &[u8] = include_bytes!("usual.learned");

/// Kinds of approaches.
pub(crate) const KINDS: usize = 4;
/// Kinds in a file of version 3.
const KINDS_3: usize = 3;
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

/// What a lane leads to: where cars wait alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Approach {
    /// An all-way stop.
    AllWayStop,
    /// Lights: what they hold cars up follows from their programme.
    Lights,
    /// A junction at which it goes first, or nobody does; or no junction.
    Major,
    /// A junction at which it gives way.
    Minor,
}

impl Approach {
    /// All of them.
    pub const ALL: [Self; KINDS] = [Self::AllWayStop, Self::Lights, Self::Major, Self::Minor];

    /// What a lane leads to.
    pub fn of(map: &Map, lane: LaneId) -> Self {
        /// Who gives way to those on other roads has this rank or a higher one.
        const MINOR: u8 = 2;
        match map.junction(map.lane(lane).to).control {
            Control::AllWayStop => Self::AllWayStop,
            Control::Signals => Self::Lights,
            Control::Priority if map.paths_from(lane).any(|path| map.path(path).rank >= MINOR) => Self::Minor,
            Control::Priority | Control::Free | Control::DeadEnd => Self::Major,
        }
    }
}

impl std::fmt::Display for Approach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::AllWayStop => "all-way stops",
            Self::Lights => "lights",
            Self::Major => "roads that go first",
            Self::Minor => "roads that give way",
        })
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
    /// By kind of approach, then level; `None` where nothing was measured.
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
    /// The fingerprint of the map that was studied; 0 if it is not known.
    pub(crate) map: u64,
    /// What all waits are multiplied by.
    #[serde(skip, default = "unchanged")]
    pub(crate) waits: f64,
}

fn unchanged() -> f64 {
    1.0
}

/// What a file of version 3 holds.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Serialize))]
struct LearnedFile3 {
    classes: Vec<Option<Excess>>,
    following: Following,
    fit: ExcessFit,
    traversals: u64,
    densities: Vec<f64>,
    gridlocked: Vec<f64>,
    neighbourhood: f64,
}

impl From<LearnedFile3> for LearnedTraffic {
    fn from(file: LearnedFile3) -> Self {
        let LearnedFile3 { mut classes, following, fit, traversals, densities, gridlocked, neighbourhood } = file;
        // Who gives way had no kind of its own.
        if classes.len() == KINDS_3 * LEVELS {
            classes.resize(KINDS * LEVELS, None);
        }
        Self { classes, following, fit, traversals, densities, gridlocked, neighbourhood, map: 0, waits: 1.0 }
    }
}

impl Default for LearnedTraffic {
    /// Nothing is known: nobody is held up.
    fn default() -> Self {
        Self {
            classes: vec![None; KINDS * LEVELS],
            following: Following::default(),
            fit: ExcessFit::WaitingMixture,
            traversals: 0,
            densities: Vec::new(),
            gridlocked: Vec::new(),
            neighbourhood: 0.0,
            map: 0,
            waits: 1.0,
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

    /// Mean and standard deviation of the excess on such approaches, to junctions to which
    /// so many cars come each second. That at lights follows from their programme, not from
    /// this.
    pub fn excess(&self, approach: Approach, inflow: f64) -> (f64, f64) {
        let excess = self.at(self.between(approach as usize, level(inflow)));
        (excess.mean(), excess.deviation())
    }

    /// Whether anything was measured on such approaches.
    pub fn knows(&self, approach: Approach) -> bool {
        let first = approach as usize * LEVELS;
        self.classes[first..first + LEVELS].iter().any(Option::is_some)
    }

    /// With all waits of cars that nobody sees multiplied, at lights as well: wrong on
    /// purpose, to see whether a test finds it.
    #[must_use]
    pub fn with_waits(self, waits: f64) -> Self {
        Self { waits, ..self }
    }

    /// Whether it was learned on a map; nothing if that was not noted, as in what is usual
    /// and in files of before.
    pub fn is_of(&self, map: &Map) -> Option<bool> {
        (self.map != 0).then(|| self.map == map.fingerprint())
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
        self.waits * (mean(low) + (mean(high) - mean(low)) * f64::from(part) / PARTS)
    }

    /// The excess there. Junctions near their limit are held up so much longer
    /// by a few more cars that the nearest level alone would not do.
    pub(crate) fn at(&self, Between { low, high, part }: Between) -> Excess {
        let of = |class: u8| self.classes[usize::from(class)].as_ref();
        let excess = match (of(low), of(high)) {
            (Some(low), Some(high)) => low.towards(high, f64::from(part) / PARTS),
            (one, other) => one.or(other).cloned().unwrap_or_else(Excess::none),
        };
        if self.waits == 1.0 { excess } else { Excess::none().towards(&excess, self.waits) }
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
        let older = |file: LearnedFile3| Self::from(file);
        let learned = match FILE.open(bytes) {
            _ if bytes.starts_with(FIRST_RELEASE) => FILE_3.open(bytes).map(older)?,
            Err(ArtifactError::Older { found: 3, .. }) => FILE_3.open(bytes).map(older)?,
            learned => learned?,
        };
        let is_whole = learned.classes.len() == KINDS * LEVELS
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
        let (calm, _) = learned.excess(Approach::AllWayStop, 0.01);
        let (busy, spread) = learned.excess(Approach::AllWayStop, 0.2);
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
        let newer = String::from_utf8_lossy(&bytes).replacen("learned 4", "learned 9", 1);
        let newer = [&newer.as_bytes()[..newer.find('\n').unwrap()], &bytes[newer.find('\n').unwrap()..]].concat();
        assert!(LearnedTraffic::from_bytes(&newer).unwrap_err().to_string().contains("version 9"));
    }

    #[test]
    fn files_of_earlier_releases_are_read() {
        let learned = LearnedTraffic::usual();
        let LearnedTraffic { mut classes, following, fit, traversals, densities, gridlocked, neighbourhood, .. } =
            learned.clone();
        classes.truncate(KINDS_3 * LEVELS);
        let file = LearnedFile3 { classes, following, fit, traversals, densities, gridlocked, neighbourhood };
        let third = FILE_3.seal(&file);
        let content = third.splitn(2, |byte| *byte == b'\n').nth(1).unwrap();
        let first = [FIRST_RELEASE, content].concat();
        for old in [first, third.clone()] {
            assert_eq!(LearnedTraffic::from_bytes(&old).unwrap(), learned);
            assert!(LearnedTraffic::from_bytes(&old[..old.len() - 1]).is_err());
        }
    }
}
