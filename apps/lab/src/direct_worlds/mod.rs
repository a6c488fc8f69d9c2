//! Two small worlds in the plane that a sampler can be measured on: a
//! simulation takes about a microsecond, so that the truth can be had by brute
//! force.

mod ball;
mod pegs;

pub(crate) use ball::{Ball, INCLINATION, TARGET};
pub(crate) use pegs::{INCLINATION as PEG_INCLINATION, MODES, Pegs};
