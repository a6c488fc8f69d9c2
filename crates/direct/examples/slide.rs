//! A coin slides over a table with a sticky spot; it should stop at the edge.
//!
//! `cargo run -p proscenium-direct --example slide`

use std::io::Write;

use proscenium_chance::{Density, Seed};
use proscenium_direct::{
    Abandon, Evaluation, Mix, Model, Request, Sampler, SamplerOptions, Space, VariableId, most_different,
};
use proscenium_work::Progress;

struct Slide {
    space: Space,
    speed: VariableId,
    spot: VariableId,
}

impl Model for Slide {
    type Outcome = [f64; 2];
    fn space(&self) -> &Space {
        &self.space
    }
    fn greatest_log_score(&self) -> f64 {
        0.0
    }
    fn simulate(&self, request: &Request<'_, [f64; 2]>) -> Result<Evaluation<[f64; 2]>, Abandon> {
        let (mut energy, mut place) = (0.5 * request.values.at(self.speed) * request.values.at(self.speed), 0.0);
        let spot = request.values.at(self.spot);
        while energy > 0.0 {
            let friction = if (place - spot).abs() < 0.05 { 0.6 } else { 0.2 };
            energy -= friction * 9.81 * 0.001;
            place += 0.001;
        }
        let miss = (place - 1.0).abs() / 0.005;
        Ok(Evaluation { log_score: -0.5 * miss * miss, satisfied: miss < 1.0, outcome: [spot, place] })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut space = Space::new();
    let coin = space.group("coin")?;
    let speed = space.variable(coin, "speed", Density::normal(1.5, 0.3)?)?;
    let spot = space.variable(coin, "spot", Density::uniform(0.0, 2.0)?)?;
    let model = Slide { space, speed, spot };
    let mix = Mix::standard(model.space())?;
    let progress = Progress::none();
    let started = Sampler::start(&model, &mix, Seed(1), SamplerOptions::default(), &progress)?;
    let mut sampler = started.finished().ok_or("somebody stopped it")?;
    let mut found = Vec::new();
    while found.len() < 50 {
        found.extend(sampler.advance(&progress)?.finished().ok_or("somebody stopped it")?.successes);
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", sampler.choice().map(ToString::to_string).unwrap_or_default())?;
    for index in most_different(found.len(), 3, |a, b| (found[a].outcome[0] - found[b].outcome[0]).abs()).chosen {
        writeln!(out, "  sticky at {:.2} m, stops at {:.3} m", found[index].outcome[0], found[index].outcome[1])?;
    }
    Ok(())
}
