//! What became of a wish.

use serde::{Deserialize, Serialize};

use super::wish::Wish;
use crate::map::RoadId;
use crate::wander::CarId;

/// A wish of a city.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WishId(pub u32);

/// How far a wish is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum WishState {
    /// Nobody is found for it yet; [`WishReport::why`] says why not.
    Open,
    /// Somebody is on the way, or it is on its way to come true by itself.
    Planned,
    /// It has been seen.
    Seen {
        /// When, seconds.
        at: f64,
        /// By which car; none where it is that nobody came.
        car: Option<CarId>,
    },
    /// Its time is over.
    Missed,
}

/// A car that makes a wish come true.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recruit {
    /// Which one.
    pub car: CarId,
    /// The road that it was on when it was chosen.
    pub from: RoadId,
    /// How far that is from the viewer, metres.
    pub metres: f64,
    /// When it should happen, seconds.
    pub at: f64,
    /// Whether somebody remembers the car: then only what it does from now on was drawn.
    pub is_remembered: bool,
}

/// What is known of a wish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WishReport {
    /// Which one.
    pub id: WishId,
    /// What is wished for.
    pub wish: Wish,
    /// How far it is.
    pub state: WishState,
    /// The chance that it would have come true without the wish, as it was first planned;
    /// `NaN` before.
    pub chance: f64,
    /// Who was recruited.
    pub recruits: Vec<Recruit>,
    /// Why nobody is.
    pub why: Option<String>,
    /// How often it was planned.
    pub plans: u32,
}

impl WishReport {
    /// The chance without the wish in words: "1 in 4000".
    pub fn chance_in_words(&self) -> String {
        match self.chance {
            chance if chance.is_nan() => "not known yet".into(),
            chance if chance >= 0.5 => format!("{:.0} in 100", 100.0 * chance),
            chance if chance > 1e-12 => {
                let inverse = 1.0 / chance;
                let digits = libm::pow(10.0, (libm::log10(inverse).floor() - 1.0).max(0.0));
                format!("1 in {:.0}", (inverse / digits).round() * digits)
            }
            _ => "none".into(),
        }
    }
}
