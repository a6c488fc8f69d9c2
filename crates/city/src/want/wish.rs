//! What can be wished for.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use proscenium_work::Remedy;
use serde::{Deserialize, Serialize};

use crate::driving::VehicleKind;
use crate::traffic::DriverError;
use crate::wander::CarId;

/// How long a wish may take if it is not said, seconds.
pub(super) const USUALLY: f64 = 60.0;
/// The longest time that can be planned for, seconds: what is unseen is mixed by then.
pub(super) const LONGEST: f64 = 120.0;

/// A side of the viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hand {
    /// The left.
    Left,
    /// The right.
    Right,
}

/// What an author wants to be seen. In words, with [`FromStr`], as
/// [`Display`](fmt::Display) tells them:
///
/// ```
/// use proscenium_city::Wish;
///
/// for words in [
///     "a car runs the red light ahead within 30 s",
///     "a bus comes round the next corner",
///     "three cars in a row arrive from the left",
///     "car 17 comes back within a minute",
///     "the street ahead is empty for ten seconds",
///     "a car cuts in with 3 m to spare",
///     "an accident is avoided at the next junction",
/// ] {
///     let wish: Wish = words.parse()?;
///     assert_eq!(wish.to_string().parse::<Wish>()?, wish);
/// }
/// # Ok::<(), proscenium_city::WishError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Wish {
    /// A car passes a light ahead that has just turned red.
    RunsRed {
        /// Within so many seconds; here and below.
        within: f64,
    },
    /// A vehicle of a kind turns at the next junction.
    ComesRound {
        /// What it is.
        kind: VehicleKind,
        /// Seconds.
        within: f64,
    },
    /// Cars come to the next junction from one side, each at most 8 s after the last.
    InARow {
        /// How many.
        count: u32,
        /// From where.
        from: Hand,
        /// Seconds.
        within: f64,
    },
    /// A car is seen again.
    ComesBack {
        /// Which one.
        car: CarId,
        /// Seconds.
        within: f64,
    },
    /// Nobody else is on the street that the viewer is on, before the viewer.
    Empty {
        /// For so many seconds.
        seconds: f64,
        /// Seconds.
        within: f64,
    },
    /// A car goes before one that goes first, so that the other has to brake.
    CutsIn {
        /// How far they are from each other at the least, at most, metres.
        spare: f64,
        /// Seconds.
        within: f64,
    },
    /// A car brakes at the last moment before the next junction.
    AccidentAvoided {
        /// Seconds.
        within: f64,
    },
}

/// Why a wish is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WishError {
    /// The words are not understood.
    #[error("{} of \"{words}\" is not understood", which(*.place))]
    Words {
        /// The words.
        words: String,
        /// The first word that does not fit, from 1; 0 if there are none.
        place: usize,
        /// What would fit there.
        expected: String,
    },
    /// A number is out of range.
    #[error("the {what} of a wish is {value}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
}

fn which(place: usize) -> String {
    if place == 0 { "nothing".to_owned() } else { format!("word {place}") }
}

impl Remedy for WishError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Words { expected, .. } => Some(format!("there may be {expected}").into()),
            Self::Number { remedy, .. } => Some(Cow::Borrowed(remedy)),
        }
    }
}

impl Wish {
    /// Within how many seconds.
    pub fn within(&self) -> f64 {
        match *self {
            Self::RunsRed { within }
            | Self::ComesRound { within, .. }
            | Self::InARow { within, .. }
            | Self::ComesBack { within, .. }
            | Self::Empty { within, .. }
            | Self::CutsIn { within, .. }
            | Self::AccidentAvoided { within } => within,
        }
    }

    /// What a driver does wrong for it.
    pub fn error(&self) -> Option<DriverError> {
        match self {
            Self::RunsRed { .. } => Some(DriverError::RedLight),
            Self::CutsIn { .. } => Some(DriverError::ShortGap),
            Self::AccidentAvoided { .. } => Some(DriverError::LateBrake),
            _ => None,
        }
    }

    /// The same, if its numbers can be.
    ///
    /// # Errors
    /// When one cannot.
    pub fn checked(self) -> Result<Self, WishError> {
        let wrong = |what, value, remedy| Err(WishError::Number { what, value, remedy });
        let within = self.within();
        if !(1.0..=LONGEST).contains(&within) {
            return wrong("time", within, "give 1 to 120 s");
        }
        match self {
            Self::InARow { count, .. } if !(2..=5).contains(&count) => {
                wrong("number of cars", f64::from(count), "give 2 to 5 cars")
            }
            Self::Empty { seconds, .. } if !(seconds >= 1.0 && seconds <= within) => {
                wrong("emptiness", seconds, "give at least a second, and no more than there is")
            }
            Self::CutsIn { spare, .. } if !(0.5..=20.0).contains(&spare) => {
                wrong("distance", spare, "give 0.5 to 20 m")
            }
            _ => Ok(self),
        }
    }
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RunsRed { .. } => write!(f, "a car runs the red light ahead")?,
            Self::ComesRound { kind, .. } => write!(f, "a {kind} comes round the next corner")?,
            Self::InARow { count, from, .. } => {
                let side = if *from == Hand::Left { "left" } else { "right" };
                write!(f, "{count} cars in a row arrive from the {side}")?;
            }
            Self::ComesBack { car, .. } => write!(f, "car {} comes back", car.0)?,
            Self::Empty { seconds, .. } => write!(f, "the street ahead is empty for {seconds} s")?,
            Self::CutsIn { spare, .. } => write!(f, "a car cuts in with {spare} m to spare")?,
            Self::AccidentAvoided { .. } => write!(f, "an accident is avoided at the next junction")?,
        }
        write!(f, " within {} s", self.within())
    }
}

impl FromStr for Wish {
    type Err = WishError;

    fn from_str(words: &str) -> Result<Self, WishError> {
        super::parse::parse(words)?.checked()
    }
}
