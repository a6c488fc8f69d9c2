//! The papers' experiments, beside the papers' figures.
//!
//! An [`Experiment`] measures rows and draws conclusions from them. The lab
//! runs it, prints its table, and writes `NAME.json` and `NAME*.svg`;
//! [`report`] gathers a folder of results into one page. The lab is the only
//! place where wall-clock time is a result.
//!
//! Deliberately absent: anything that an experiment measures. The simulators,
//! the scenes and the plots are other crates'; programs of other people are
//! run as they are and answer in JSON.
//!
//! ```
//! use proscenium_lab::{Conclusion, Context, Experiment, Halt, LabError, Row, run};
//!
//! struct Squares;
//!
//! impl Experiment for Squares {
//!     fn name(&self) -> &'static str { "squares" }
//!     fn reproduces(&self) -> &'static str { "a school book, page 7" }
//!     fn summary(&self) -> &'static str { "the first squares" }
//!     fn columns(&self) -> &'static [&'static str] { &["n", "square"] }
//!     fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
//!         for n in 1..4_u64 {
//!             context.check()?;
//!             rows.push(Row::new().with("n", n).with("square", n * n));
//!         }
//!         Ok(())
//!     }
//!     fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
//!         Ok(Conclusion { notes: vec![format!("{} squares", rows.len())], figures: Vec::new() })
//!     }
//! }
//!
//! let finished = run(&Squares, &Context::new(1, true))?;
//! assert_eq!(finished.results.rows[2].number("square"), Some(9.0));
//! assert_eq!(finished.results.notes, ["3 squares"]);
//! # Ok::<(), LabError>(())
//! ```

mod command;
mod error;
mod experiment;
mod figures;
mod files;
mod number;
mod overlap;
mod paper;
mod peer;
mod race;
mod report;
mod results;
mod speedup;
mod table;
mod telling;
mod timing;
mod trees;

mod city;
mod cluster_scale;
mod cull_quality;
mod cull_rides;
mod cull_speedup;
mod cull_strangers;
mod direct_ball;
mod direct_bowling;
mod direct_calibration;
mod direct_dice;
mod direct_mixing;
mod direct_peers;
mod direct_spell;
mod direct_throughput;
mod direct_worlds;
mod directing;
mod ensemble_build;
mod ensemble_data;
mod ensemble_field;
mod ensemble_strangers;
mod ensemble_transitions;
mod ensemble_walk;
mod lod_collisions;
mod lod_frames;
mod lod_levels;
mod lod_peers;
mod lod_piles;
mod lod_reduction;
mod lod_schedulers;
mod rides;
mod rigid_box;
mod rigid_costs;
mod rigid_funnel;
mod rigid_rest;
mod rigid_reuse;
mod rigid_scale;
mod rigid_strikes;
mod studio_load;
mod web_speed;

pub use command::main;
pub use error::{Halt, LabError};
pub use experiment::{Conclusion, Context, Ending, Experiment, Figure, FinishedRun, run};
pub use files::write_finished;
pub use number::show;
pub use report::{page, report};
pub use results::{Results, Row};
pub use table::table;

/// Every experiment, by name.
pub fn experiments() -> &'static [&'static dyn Experiment] {
    &[
        &city::CityDensity,
        &city::CityDirect,
        &city::CityEqual,
        &city::CityMaps,
        &city::CityPeers,
        &city::CityQuality,
        &city::CityScale,
        &city::CitySize,
        &cluster_scale::ClusterScale,
        &cull_quality::CullQuality,
        &cull_rides::CullRides,
        &cull_speedup::CullSpeedup,
        &cull_strangers::CullStrangers,
        &direct_ball::DirectBall,
        &direct_bowling::DirectBowling,
        &direct_calibration::DirectCalibration,
        &direct_dice::DirectDice,
        &direct_mixing::DirectMixing,
        &direct_peers::DirectPeers,
        &direct_spell::DirectSpell,
        &direct_throughput::DirectThroughput,
        &ensemble_build::EnsembleBuild,
        &ensemble_field::EnsembleField,
        &ensemble_strangers::EnsembleStrangers,
        &ensemble_transitions::EnsembleTransitions,
        &ensemble_walk::EnsembleWalk,
        &lod_frames::LodFrames,
        &lod_levels::LodLevels,
        &lod_peers::LodPeers,
        &lod_piles::LodPiles,
        &lod_reduction::LodReduction,
        &lod_schedulers::LodSchedulers,
        &rigid_box::RigidBox,
        &rigid_costs::RigidCosts,
        &rigid_funnel::RigidFunnel,
        &rigid_rest::RigidRest,
        &rigid_reuse::RigidReuse,
        &rigid_scale::RigidScale,
        &rigid_strikes::RigidStrikes,
        &studio_load::StudioLoad,
        &web_speed::WebSpeed,
    ]
}

/// The experiment with this name; an unknown name suggests the nearest.
pub fn find(name: &str) -> Result<&'static dyn Experiment, LabError> {
    let found = experiments().iter().find(|experiment| experiment.name() == name);
    found.copied().ok_or_else(|| {
        let names = experiments().iter().map(|experiment| experiment.name());
        let nearest = names.clone().min_by_key(|known| strsim::levenshtein(name, known)).unwrap_or_default();
        LabError::UnknownExperiment {
            name: name.to_owned(),
            nearest: nearest.to_owned(),
            known: names.collect::<Vec<_>>().join(", "),
        }
    })
}

#[cfg(test)]
mod tests {
    use proscenium_work::Remedy as _;

    use super::*;

    #[test]
    fn names_are_sorted_and_found() {
        let names: Vec<&str> = experiments().iter().map(|experiment| experiment.name()).collect();
        assert!(names.is_sorted());
        assert!(names.iter().all(|name| find(name).is_ok_and(|found| found.name() == *name)));
    }

    #[test]
    fn an_unknown_name_suggests_the_nearest() {
        let message = find("rigid-bx").map(|_| ()).unwrap_err().explain();
        assert!(message.contains("\"rigid-bx\"") && message.contains("\"rigid-box\""), "{message}");
    }

    #[test]
    fn every_experiment_describes_itself() {
        for experiment in experiments() {
            assert!(!experiment.reproduces().is_empty() && !experiment.summary().is_empty());
            assert!(!experiment.columns().is_empty());
            let name = experiment.name();
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
        }
    }

    #[test]
    fn conclusions_from_nothing_are_possible() {
        for experiment in experiments() {
            assert!(experiment.conclude(&[]).is_ok(), "{}", experiment.name());
        }
    }
}
