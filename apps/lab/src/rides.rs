//! The rides of the fairground, compiled.

use proscenium_cull::builtin::Builtin;
use proscenium_cull::{CompiledModel, CullError, Model};

use crate::error::Halt;
use crate::experiment::Context;

/// A ride, with what the papers say of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ride {
    /// The name of its file, among the models that come with the engine.
    pub name: &'static str,
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
    Ride { name: "tilt-a-whirl", paper: chaotic(26, 3.08, 18.46, 3, 2.0 * HOUR) },
    Ride { name: "octopus", paper: chaotic(10, 15.0, 30.0, 1, 11.0 * HOUR + 53.0 * 60.0) },
    Ride { name: "dive-bomber", paper: chaotic(5, 8.0, 16.0, 1, 10.0 * HOUR + 47.0 * 60.0) },
    Ride { name: "pendulum", paper: chaotic(3, 1.92, 23.1, 4, 6.0 * HOUR + 46.0 * 60.0) },
    Ride { name: "pendulum-long", paper: None },
    Ride { name: "ship", paper: periodic(1, 3.07) },
    Ride { name: "roller-coaster", paper: periodic(6, 12.13) },
    Ride { name: "traffic-light", paper: None },
];

impl Ride {
    pub fn model(&self) -> Result<Model, Halt> {
        let builtin = Builtin::find(self.name).expect("a test looks for all of them");
        Ok(builtin.model().map_err(CullError::from)?)
    }

    /// Compiles the ride, with less effort where there is no time.
    pub fn compile(&self, context: &Context) -> Result<CompiledModel, Halt> {
        self.compile_with(context, context.quick())
    }

    /// Compiles the ride, with little effort if in a hurry.
    pub fn compile_with(&self, context: &Context, hurry: bool) -> Result<CompiledModel, Halt> {
        let model = self.model()?;
        let settings = if hurry { model.settings().hurried() } else { model.settings().clone() };
        let compiled = CompiledModel::compile(model, &settings, context.seed(), &context.progress())?;
        Ok(compiled.or_stopped()?)
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
