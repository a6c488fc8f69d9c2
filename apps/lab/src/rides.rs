//! The rides of the fairground, compiled.

use proscenium_cull::{CompileSettings, Culled, Model};

use crate::error::LabError;
use crate::experiment::Context;

/// A ride, with what the papers say of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ride {
    pub name: &'static str,
    text: &'static str,
    pub paper: Option<PaperRide>,
}

/// A column of table 5.1 of Chenney 2000 (or section 5.1 of the 1998 paper).
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaperRide {
    pub variables: u32,
    pub dimensions: u32,
    pub period_s: Option<f64>,
    pub medium_s: Option<f64>,
    pub long_s: Option<f64>,
    pub networks: u32,
    pub compile_s: Option<f64>,
}

const fn chaotic(variables: u32, medium: f64, long: f64, networks: u32, compile_s: f64) -> Option<PaperRide> {
    Some(PaperRide {
        variables,
        dimensions: 2,
        period_s: None,
        medium_s: Some(medium),
        long_s: Some(long),
        networks,
        compile_s: Some(compile_s),
    })
}

const fn periodic(variables: u32, period: f64) -> Option<PaperRide> {
    Some(PaperRide {
        variables,
        dimensions: 2,
        period_s: Some(period),
        medium_s: None,
        long_s: None,
        networks: 1,
        compile_s: None,
    })
}

const HOUR: f64 = 3600.0;

/// The seven rides of the dissertation's experiments, and a traffic light.
pub(crate) const RIDES: [Ride; 8] = [
    Ride {
        name: "tilt-a-whirl",
        text: include_str!("../../../models/tilt-a-whirl.toml"),
        paper: chaotic(26, 3.08, 18.46, 3, 2.0 * HOUR),
    },
    Ride {
        name: "octopus",
        text: include_str!("../../../models/octopus.toml"),
        paper: chaotic(10, 15.0, 30.0, 1, 11.0 * HOUR + 53.0 * 60.0),
    },
    Ride {
        name: "dive-bomber",
        text: include_str!("../../../models/dive-bomber.toml"),
        paper: chaotic(5, 8.0, 16.0, 1, 10.0 * HOUR + 47.0 * 60.0),
    },
    Ride {
        name: "pendulum",
        text: include_str!("../../../models/pendulum.toml"),
        paper: chaotic(3, 1.92, 23.1, 4, 6.0 * HOUR + 46.0 * 60.0),
    },
    Ride { name: "pendulum-long", text: include_str!("../../../models/pendulum-long.toml"), paper: None },
    Ride { name: "ship", text: include_str!("../../../models/ship.toml"), paper: periodic(1, 3.07) },
    Ride {
        name: "roller-coaster",
        text: include_str!("../../../models/roller-coaster.toml"),
        paper: periodic(6, 12.13),
    },
    Ride { name: "traffic-light", text: include_str!("../../../models/traffic-light.toml"), paper: None },
];

impl Ride {
    pub fn model(&self) -> Result<Model, LabError> {
        Model::parse(self.name, self.text).map_err(|error| LabError::Cull(error.to_string()))
    }

    /// Compiles the ride, with less effort where there is no time.
    pub fn compile(&self, context: &Context) -> Result<Culled, LabError> {
        self.compile_with(context, context.quick())
    }

    /// Compiles the ride, with little effort if in a hurry.
    pub fn compile_with(&self, context: &Context, hurry: bool) -> Result<Culled, LabError> {
        let model = self.model()?;
        let settings = if hurry {
            let longest = model.settings().longest.unwrap_or(120.0).min(120.0);
            CompileSettings { longest: Some(longest), ..model.settings().with_effort_of(&hurried()) }
        } else {
            model.settings().clone()
        };
        Culled::compile(model, &settings, context.seed(), &mut |_| context.check().is_ok())
            .map_err(|error| context.check().err().unwrap_or(LabError::Cull(error.to_string())))
    }
}

/// So little effort that all rides are compiled in a few seconds each.
fn hurried() -> CompileSettings {
    CompileSettings {
        most_cells: 4,
        paths_per_cell: 400,
        paths: 24,
        examples: 6000,
        training_rounds: 1,
        kept_states: 1024,
        ..CompileSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ride_is_a_model() {
        for ride in RIDES {
            let model = ride.model().unwrap();
            assert!(!model.parts().is_empty(), "{}", ride.name);
        }
    }
}
