//! Whether the box keeps its energy and its bodies apart.

use proscenium_rigid::WorldBuilder;

use crate::error::Halt;
use crate::experiment::Context;
use crate::overlap::overlap;
use crate::peer::ask;

use super::start::request;

/// How often energy and overlap are looked at.
const INSTANTS: u32 = 240;

/// What was seen of some worlds: the worst of all of them, and all that rapier
/// did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Quality {
    /// The largest relative change of the energy.
    pub energy_drift: f64,
    /// The deepest overlap, metres.
    pub max_overlap: f64,
    /// The gap that counts as contact, metres.
    pub tolerance: f64,
    /// The relative change of the energy in rapier, from each start.
    pub rapier_energy_drifts: Vec<f64>,
    /// The deepest overlap in rapier, metres, from each start.
    pub rapier_overlaps: Vec<f64>,
}

impl Quality {
    /// Takes the worse of each.
    pub fn worsen(&mut self, other: Self) {
        self.energy_drift = self.energy_drift.max(other.energy_drift);
        self.max_overlap = self.max_overlap.max(other.max_overlap);
        self.tolerance = self.tolerance.max(other.tolerance);
        self.rapier_energy_drifts.extend(other.rapier_energy_drifts);
        self.rapier_overlaps.extend(other.rapier_overlaps);
    }
}

/// The median by size, the lower one of two: a single run that fails does not
/// stand for an engine.
pub(super) fn typical(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}

/// Watches the asynchronous world for some simulated seconds, and rapier from
/// the same start if it has been built. `work` is about how long it takes,
/// seconds.
pub(super) fn watch(builder: WorldBuilder, seconds: f64, context: &Context, work: f64) -> Result<Quality, Halt> {
    let mut world = builder.build()?;
    let mut quality = Quality { tolerance: world.tolerance(), ..Quality::default() };
    if let (Some(program), Some(request)) = (context.peer("peer-rapier"), request(&world, seconds)) {
        let answer = ask(&program, &request, context)?;
        let number = |key: &str| answer.get(key).and_then(serde_json::Value::as_f64);
        quality.rapier_energy_drifts.extend(number("energy_drift"));
        quality.rapier_overlaps.extend(number("max_overlap"));
    }
    let energy = world.energy();
    for instant in 1..=INSTANTS {
        context.check()?;
        world.advance(seconds * f64::from(instant) / f64::from(INSTANTS))?;
        quality.energy_drift = quality.energy_drift.max((world.energy() / energy - 1.0).abs());
        quality.max_overlap = quality.max_overlap.max(overlap(&world));
        context.done(work / f64::from(INSTANTS));
    }
    Ok(quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_counts_for_us_and_the_typical_for_rapier() {
        let quality = |energy_drift, max_overlap, rapier: f64| Quality {
            energy_drift,
            max_overlap,
            rapier_energy_drifts: vec![rapier],
            ..Quality::default()
        };
        let mut all = quality(1e-12, 0.0, 0.2);
        all.worsen(quality(0.0, 1e-9, -0.3));
        assert_eq!((all.energy_drift, all.max_overlap), (1e-12, 1e-9));
        assert_eq!(typical(&all.rapier_energy_drifts), Some(0.2));
        all.worsen(quality(0.0, 0.0, 1e6));
        assert_eq!(typical(&all.rapier_energy_drifts), Some(-0.3));
        assert_eq!(typical(&all.rapier_overlaps), None);
    }
}
