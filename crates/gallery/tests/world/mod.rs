//! A small world for a gallery.

#![allow(dead_code, reason = "each test uses some of it")]

use proscenium_chance::Density;
use proscenium_direct::{
    Halt, Mix, Model, PopulationOptions, Request, SamplerOptions, Simulated, Space, TemperingOptions, VariableId,
};

/// Bodies that come and go, and whose numbers should add up to three.
pub struct Sum {
    space: Space,
    ids: Vec<VariableId>,
}

impl Sum {
    pub fn new() -> Self {
        let mut space = Space::new();
        let mut ids = Vec::new();
        for index in 0..6 {
            let group = space.optional_group(format!("body {index}"), 0.5).unwrap();
            ids.push(space.variable(group, format!("x{index}"), Density::uniform(-1.0, 1.0).unwrap()).unwrap());
        }
        Self { space, ids }
    }

    pub fn mix(&self) -> Mix {
        Mix::standard(&self.space).unwrap()
    }
}

impl Model for Sum {
    type Outcome = f64;

    fn space(&self) -> &Space {
        &self.space
    }

    fn greatest_log_score(&self) -> f64 {
        0.0
    }

    fn simulate(&self, request: &Request<'_, f64>) -> Result<Simulated<f64>, Halt> {
        let sum: f64 = self.ids.iter().filter_map(|id| request.values.get(*id)).sum();
        let miss = (sum - 3.0).abs();
        Ok(Simulated { log_score: -8.0 * miss * miss, satisfied: miss < 0.5, outcome: sum })
    }

    fn quantities(&self) -> Vec<String> {
        vec!["sum".to_owned()]
    }

    fn measure(&self, outcome: &f64) -> Vec<f64> {
        vec![*outcome]
    }
}

/// Left to itself: first rejection, then tempering.
pub fn options() -> SamplerOptions {
    SamplerOptions {
        tempering: TemperingOptions { warm_up_rounds: 2, ..TemperingOptions::default() },
        population: PopulationOptions { particles: 30, moves: 3, effective: 0.5 },
        ..SamplerOptions::default()
    }
}
