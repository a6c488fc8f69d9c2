//! Motions without equations: recorded or baked channels become systems that are culled
//! like any other (Chenney 2000, 5.6).
//!
//! `Recording` is what came in, `RecordedMotion` what goes on for ever. Values between
//! samples are those of a cubic through them; where a take ends the motion goes on in
//! another that is alike there, and what they differ by fades. Which stretches are alike
//! is told by the nearest of all recorded moments, as Lorenz 1969 found analogues of the
//! weather; how soon the motion forgets, by what two halves of the recording agree on.

mod build;
mod csv;
mod learn;
mod motion;
mod period;
mod recording;
mod visits;

pub use recording::{Recording, RecordingError, Sample};

pub use crate::system::Variable;

pub(crate) use learn::learn;
pub(crate) use motion::{Channel, RecordedMotion};
