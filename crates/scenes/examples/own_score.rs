//! A score of one's own for a scene: the later the ball first hits the floor, the better.
//!
//! `cargo run -p proscenium-scenes --example own_score`

use std::io::Write;

use proscenium_direct::{Abandon, Evaluation, Mix, Model, Request, Sampler, SamplerOptions, Space};
use proscenium_scenes::{DirectedScene, Outcome, Scene, Seed, Source};
use proscenium_work::Progress;

const SCENE: &str = r#"
format = 1
duration = 2.0
[[body]]
name = "floor"
fixed = true
shape = { half_space = [0, 1, 0] }
[[body]]
name = "ball"
shape = { sphere = 0.05 }
position = [0, 0.5, 0]
velocity = [0, { normal = [0.0, 1.5] }, { normal = [0.0, 1.0] }]
"#;

/// The scene, judged in another way.
struct Late(DirectedScene);

fn flight(outcome: &Outcome) -> f64 {
    outcome.contacts().next().map_or(2.0, |(time, ..)| time)
}

impl Model for Late {
    type Outcome = Outcome;

    fn space(&self) -> &Space {
        self.0.space()
    }

    fn greatest_log_score(&self) -> f64 {
        0.0
    }

    fn simulate(&self, request: &Request<'_, Outcome>) -> Result<Evaluation<Outcome>, Abandon> {
        let outcome = self.0.simulate(&Request::whole(request.values, request.progress))?.outcome;
        let late = flight(&outcome) - 0.8;
        Ok(Evaluation { log_score: late.min(0.0) / 0.05, satisfied: late >= 0.0, outcome })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse(SCENE, &Source::inline("late.toml", SCENE))?.with_wants("ball hits floor")?;
    let model = Late(DirectedScene::new(&scene)?);
    let (mix, progress) = (Mix::standard(model.space())?, Progress::none());
    let started = Sampler::start(&model, &mix, Seed(1), SamplerOptions::default(), &progress)?;
    let batch = started.finished().ok_or("stopped")?.advance(&progress)?.finished().ok_or("stopped")?;
    for success in &batch.successes {
        writeln!(std::io::stdout(), "the ball flies for {:.2} s", flight(&success.outcome))?;
    }
    Ok(())
}
