//! Experiments with people about what they notice, after Dingliana 2002 (sections
//! 6.2.1, 6.2.2 and 6.3.1): stimuli, a schedule, and the analysis of answers.
//!
//! A [`Study`] has factors of some levels each. It makes a clip of every
//! combination, says who sees which clip when, so that order and habit even out,
//! and finds in a table of ratings which factors people minded. Low ratings are
//! good, but for the experiment with the gaze.
//!
//! It may know the engine whose stimuli it shows (`proscenium-lod`) and nothing
//! above: no pictures, no files (tables are text that comes in and goes out) and
//! no clock. Deliberately absent: asking people (applications do), keeping
//! answers, and statistics, which are in `proscenium_chance::statistics`.
//!
//! ```
//! use proscenium_chance::Seed;
//! use proscenium_study::Study;
//!
//! let study = Study::find("gap")?;
//! let trials = study.schedule(2, Seed(1));
//! let table = study.schedule_csv(&trials);
//! // Both people find everything alike.
//! let answered = table.replace(",\n", ",2\n");
//! assert_eq!(study.analyse(&answered)?.complete, 2);
//! # Ok::<(), proscenium_study::StudyError>(())
//! ```

mod answers;
mod effects;
mod error;
mod schedule;
mod stimuli;

use std::fmt::Write as _;

use proscenium_chance::Seed;
use proscenium_clip::Clip;
use proscenium_work::{Completion, Finish as _, Progress};

pub use answers::Analysis;
pub use effects::{Contrast, Effects, FactorResult, LevelResult};
pub use error::StudyError;
pub use schedule::Trial;

/// How often each person sees each condition (section 6.2).
const REPETITIONS: u32 = 3;

/// An experiment: factors of some levels each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Study {
    /// Two balls that collide, and part after a delay.
    Causality,
    /// Two L-shapes that turn back at a distance which depends on the level.
    Gap,
    /// Two L-shapes whose response depends on the level.
    Dynamics,
    /// Bodies in a box, of which those near the gaze collide finely; it runs
    /// live, where there is a gaze.
    Gaze,
}

/// A combination of levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The level of each factor, from 0.
    pub levels: Vec<usize>,
}

/// A factor and what its levels are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// What is varied.
    pub name: &'static str,
    /// The levels, in order.
    pub levels: &'static [&'static str],
}

impl Study {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Causality, Self::Gap, Self::Dynamics, Self::Gaze];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Causality => "causality",
            Self::Gap => "gap",
            Self::Dynamics => "dynamics",
            Self::Gaze => "gaze",
        }
    }

    /// The study with this name.
    ///
    /// # Errors
    /// When there is none; the error lists them.
    pub fn find(name: &str) -> Result<Self, StudyError> {
        let found = Self::ALL.into_iter().find(|study| study.name() == name);
        found.ok_or_else(|| StudyError::Unknown { name: name.to_owned(), known: Self::ALL.map(Self::name).join(", ") })
    }

    /// What is varied.
    pub fn factors(self) -> &'static [Factor] {
        const SPEED: Factor = Factor { name: "speed", levels: &["50 %", "100 %", "150 %"] };
        const VIEWPOINT: Factor = Factor { name: "viewpoint", levels: &["0 degrees", "45 degrees", "85 degrees"] };
        match self {
            Self::Causality => &[Factor { name: "delay", levels: &["0 ms", "100 ms", "300 ms"] }, SPEED, VIEWPOINT],
            Self::Gap | Self::Dynamics => {
                &[Factor { name: "level", levels: &["coarse", "middle", "fine"] }, SPEED, VIEWPOINT]
            }
            Self::Gaze => &[
                Factor { name: "simulation", levels: &["all good", "all bad", "tracked", "random"] },
                Factor { name: "objects", levels: &["5", "10", "15"] },
            ],
        }
    }

    /// All conditions, the last factor the fastest.
    pub fn conditions(self) -> Vec<Condition> {
        let mut all = vec![Vec::new()];
        for factor in self.factors() {
            let with = |known: &Vec<usize>, level: usize| known.iter().copied().chain([level]).collect::<Vec<usize>>();
            all = all.iter().flat_map(|known| (0..factor.levels.len()).map(|level| with(known, level))).collect();
        }
        all.into_iter().map(|levels| Condition { levels }).collect()
    }

    /// The highest rating; the lowest is 1.
    pub fn highest_rating(self) -> f64 {
        if self.low_is_good() { 3.0 } else { 5.0 }
    }

    /// Whether 1 is the best rating, and not the worst.
    pub fn low_is_good(self) -> bool {
        self != Self::Gaze
    }

    /// Whether people click where a collision looks wrong, beside rating it all.
    pub fn counts_clicks(self) -> bool {
        self == Self::Gaze
    }

    /// The clip of a condition.
    ///
    /// # Errors
    /// When the experiment runs live, and for want of memory.
    pub fn clip(self, condition: &Condition, progress: &Progress) -> Result<Completion<Clip>, StudyError> {
        stimuli::clip(self, condition, progress).finish()
    }

    /// Who sees what when.
    pub fn schedule(self, participants: u32, seed: Seed) -> Vec<Trial> {
        schedule::schedule(self.conditions().len(), REPETITIONS, participants, seed)
    }

    /// The schedule as a table, with an empty column for the ratings.
    pub fn schedule_csv(self, trials: &[Trial]) -> String {
        let conditions = self.conditions();
        let factors = self.factors();
        let names: Vec<&str> = factors.iter().map(|factor| factor.name).collect();
        let mut text = format!("participant,trial,repetition,condition,clip,{},rating\n", names.join(","));
        for trial in trials {
            let condition = &conditions[trial.condition];
            let levels: Vec<&str> = condition.levels.iter().zip(factors).map(|(at, of)| of.levels[*at]).collect();
            let _ = writeln!(
                text,
                "{},{},{},{},{}.glb,{},",
                trial.participant,
                trial.number,
                trial.repetition,
                trial.condition + 1,
                condition.file_name(self),
                levels.join(",")
            );
        }
        text
    }
}

impl Condition {
    /// What its files are called, without an ending.
    pub fn file_name(&self, study: Study) -> String {
        let factors = study.factors().iter();
        let number = self.levels.iter().zip(factors).fold(0, |sum, (level, factor)| factor.levels.len() * sum + level);
        format!("{}-{:02}", study.name(), number + 1)
    }
}
