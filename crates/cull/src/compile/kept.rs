//! Whether the energy that an author gave is kept.

use proscenium_chance::Seed;
use proscenium_work::{Halt, Progress};

use crate::error::CullError;
use crate::system::{State, System};

/// Starts from which that is asked, for how long, seconds, and at how many moments.
const STARTS: u64 = 6;
const SECONDS: f64 = 20.0;
const MOMENTS: u32 = 20;

/// It may change by this share of what it differs by from state to state. Chosen: what a
/// return may be off by.
const CHANGES: f64 = 0.01;

/// Refuses an energy that changes.
pub(super) fn check(system: &dyn System, seed: Seed, progress: &Progress) -> Result<(), Halt<CullError>> {
    let mut paths: Vec<Vec<(State, f64)>> = Vec::new();
    for start in 0..STARTS {
        let mut stream = seed.stream("energies").at(start);
        let mut state = system.initial(&mut stream);
        let mut path = Vec::new();
        for moment in 0..=MOMENTS {
            progress.check()?;
            let at = |moment: u32| SECONDS * f64::from(moment) / f64::from(MOMENTS);
            let Some(energy) = system.energy(&state, at(moment)) else {
                return Ok(());
            };
            path.push((state, energy));
            system.advance(&mut state, at(moment), at(moment + 1), &mut stream)?;
        }
        paths.push(path);
    }
    let size = difference_of_states(system, &paths, seed);
    for path in &paths {
        let from = path.first().map_or(0.0, |(_, energy)| *energy);
        for (moment, (_, to)) in path.iter().enumerate() {
            let off = (to - from).abs();
            if off.is_nan() || off > CHANGES * size {
                let seconds = SECONDS * moment as f64 / f64::from(MOMENTS);
                return Err(CullError::NotKept { system: system.name().to_owned(), from, to: *to, seconds }.into());
            }
        }
    }
    Ok(())
}

/// By how much energies differ between states whose variables are of several moments.
fn difference_of_states(system: &dyn System, paths: &[Vec<(State, f64)>], seed: Seed) -> f64 {
    let states: Vec<State> = paths.iter().flatten().map(|(state, _)| *state).collect();
    let mut stream = seed.stream("mixed states");
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..256 {
        let mut mixed = *stream.pick(&states).unwrap_or(&State::default());
        for value in 0..system.variables().len() {
            mixed.values[value] = stream.pick(&states).map_or(0.0, |state| state.values[value]);
        }
        let energy = system.energy(&mixed, 0.0).unwrap_or(f64::NAN);
        if energy.is_finite() {
            (low, high) = (low.min(energy), high.max(energy));
        }
    }
    // At rest nothing differs but by rounding.
    (high - low).max(1e-9 * (1.0 + high.abs()))
}
