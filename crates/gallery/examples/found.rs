//! Three dice that should add up to seventeen or more: found, kept, continued.
//!
//! `cargo run -p proscenium-gallery --example found`

use std::io::Write;

use proscenium_chance::{Density, Seed};
use proscenium_direct::{Abandon, Evaluation, Mix, Model, Request, Sampler, SamplerOptions, Space, Success};
use proscenium_gallery::{Entry, Gallery, Run};
use proscenium_work::Progress;

struct Dice(Space);

impl Model for Dice {
    type Outcome = f64;
    fn space(&self) -> &Space {
        &self.0
    }
    fn greatest_log_score(&self) -> f64 {
        0.0
    }
    fn simulate(&self, request: &Request<'_, f64>) -> Result<Evaluation<f64>, Abandon> {
        let sum: f64 = request.values.all().iter().sum();
        Ok(Evaluation { log_score: (sum - 17.0).min(0.0) * 2.0, satisfied: sum >= 17.0, outcome: sum })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut space = Space::new();
    let throw = space.group("throw")?;
    for die in 1..=3 {
        let face = Density::discrete((1..=6).map(|face| (f64::from(face), 1.0)))?;
        space.variable(throw, format!("die {die}"), face)?;
    }
    let model = Dice(space);
    let mix = Mix::standard(model.space())?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("gallery.sqlite");
    let run = Run::of(&model, "three dice", 1, SamplerOptions::default()).with_wants(vec!["at least 17".to_owned()]);
    Gallery::create(&path, &run)?;

    // Each round opens the file anew, as a run does that was stopped.
    let mut out = std::io::stdout().lock();
    for _ in 0..3 {
        let mut gallery = Gallery::open(&path)?;
        let run = gallery.run()?;
        let (seed, progress) = (Seed(run.seed), Progress::none());
        let sampler = match gallery.state()? {
            Some(state) => Sampler::resume(&model, &mix, seed, run.options, state, &progress)?,
            None => Sampler::start(&model, &mix, seed, run.options, &progress)?,
        };
        let mut sampler = sampler.finished().ok_or("somebody stopped it")?;
        let batch = sampler.advance(&progress)?.finished().ok_or("somebody stopped it")?;
        let entry = |one: &Success<f64>| Entry { sample: one.sample.clone(), wants_met: vec![one.outcome >= 17.0] };
        let entries: Vec<Entry> = batch.successes.iter().map(entry).collect();
        gallery.commit(&entries, &batch.draws, &sampler.state(), sampler.effort().simulations)?;
        writeln!(out, "{} found in {} throws", gallery.count()?, gallery.simulations()?)?;
    }
    Ok(())
}
