//! Systems without equations: films of systems whose equations the judge knows, and the
//! compiler does not.

use std::f64::consts::TAU;

use proscenium_chance::{Seed, Stream};
use proscenium_cull::builtin::Builtin;
use proscenium_cull::recorded::{Recording, Sample, Variable};
use proscenium_cull::{CompileSettings, CompiledModel, CullError, Model, Player, System as _};
use proscenium_work::{Completion, Progress};

use crate::trees;

use super::judge::Judgement;

/// Between two pictures of a film, seconds.
const STEP: f64 = 0.1;

/// The ride has run for so long when a film begins, seconds.
const RUNNING: f64 = 300.0;

/// Between cases that are taken from the judge's own film, in pictures: more than half a
/// round of the platform, and no part of one.
const APART: usize = 67;

/// Angles are seen to within this, radians: a tenth of a cell, as everywhere else.
const SEEN_TO: f64 = 0.02;

/// How many seconds are filmed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Film {
    pub seconds: u32,
    pub cases: usize,
}

/// The platform and one car of a Tilt-A-Whirl.
fn shot(seconds: u32, seed: Seed) -> Result<Vec<Sample>, CullError> {
    let unknown = || CullError::Unknown { what: "model", name: "tilt-a-whirl".to_owned(), known: String::new() };
    let ride = Builtin::find("tilt-a-whirl").ok_or_else(unknown)?.model()?;
    let mut stream = seed.stream("film");
    let mut state = ride.initial(&mut stream);
    ride.advance(&mut state, 0.0, RUNNING, &mut stream)?;
    let count = (f64::from(seconds) / STEP).round() as u32;
    let mut samples = Vec::with_capacity(count as usize);
    for index in 0..count {
        let [time, next] = [index, index + 1].map(|index| RUNNING + f64::from(index) * STEP);
        samples.push((time - RUNNING, vec![6.5 * TAU / 60.0 * time, state.values[0]]));
        ride.advance(&mut state, time, next, &mut stream)?;
    }
    Ok(samples)
}

impl Film {
    /// Compiles a film.
    pub(super) fn compile(&self, seed: Seed, progress: &Progress) -> Result<Completion<CompiledModel>, CullError> {
        let channels = vec![Variable::angle("platform"), Variable::angle("car")];
        let recording = Recording::new(channels, shot(self.seconds, seed.child("film", 0))?)?;
        let model = Model::recorded("film", "format = 1\nname = \"film\"", &recording, progress)?;
        let Completion::Finished(model) = model else {
            return Ok(Completion::Stopped);
        };
        CompiledModel::compile(model, &CompileSettings::default(), seed, progress)
    }

    /// For each time out of view: two pictures, and two pictures when the ride comes back,
    /// of the film and of one that was shot for the judge. Trees try to tell which is which,
    /// by the pictures together.
    pub(super) fn judge(&self, compiled: &CompiledModel, seed: Seed) -> Result<Judgement, CullError> {
        let learned = compiled.learned();
        let medium = learned.medium().filter(|medium| medium.is_finite()).unwrap_or(4.0);
        let long = learned.long().unwrap_or(60.0);
        let gaps = [0.7, 0.8 * medium, 1.3 * medium, 0.6 * long, 0.95 * long, 1.05 * long, 1.5 * long, 2.3 * long];
        let steps = gaps.map(|gap| (gap / STEP).round().max(1.0) as usize);
        let longest = steps.iter().copied().max().unwrap_or(0);
        // Half of the cases are for learning.
        let count = 2 * self.cases;
        let seconds = ((count * APART + longest + 2) as f64 * STEP).ceil() as u32;
        let truth = shot(seconds, seed.child("truth", 0))?;
        let mut judgement = Judgement { cases: self.cases, ..Judgement::default() };
        for (place, &steps) in steps.iter().enumerate() {
            let mut stream = seed.stream("blur").at(place as u64);
            let mut own = Vec::with_capacity(count);
            for case in 0..count {
                let first = case * APART;
                let at = |index: usize| [truth[index].1[0], truth[index].1[1]];
                let pictures = [at(first), at(first + 1), at(first + 1 + steps), at(first + 2 + steps)];
                own.push(features(blurred(pictures, &mut stream)));
            }
            let mut back = Vec::with_capacity(count);
            for case in 0..count {
                let player = Player::new(compiled.model(), seed.child("case", (place * count + case) as u64), 0.0);
                back.push(features(blurred(pictures(compiled, player, steps as f64 * STEP)?, &mut stream)));
            }
            judgement.scores.push((steps as f64 * STEP, trees::score(&own, &back)));
        }
        Ok(judgement)
    }
}

/// Two pictures, and two after a time out of view.
fn pictures(compiled: &CompiledModel, mut player: Player, gap: f64) -> Result<[[f64; 2]; 4], CullError> {
    let mut pictures = [[0.0; 2]; 4];
    let mut shown = Vec::new();
    for (picture, time) in pictures.iter_mut().zip([0.0, STEP, STEP + gap, 2.0 * STEP + gap]) {
        let (state, _) = player.see(compiled.model(), compiled.learned(), time)?;
        compiled.model().show(&state, time, &[], &mut shown);
        *picture = [shown[0], shown[1]];
    }
    Ok(pictures)
}

/// The pictures as a viewer sees them.
fn blurred(mut pictures: [[f64; 2]; 4], stream: &mut Stream) -> [[f64; 2]; 4] {
    for angle in pictures.iter_mut().flatten() {
        *angle += SEEN_TO * (stream.uniform() - 0.5);
    }
    pictures
}

/// What the pictures show: angles, speeds, and how far the car went.
fn features([first, second, third, fourth]: [[f64; 2]; 4]) -> Vec<f64> {
    let way = |from: f64, to: f64| (to - from + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
    let mut row = vec![way(first[1], second[1]), way(third[1], fourth[1]), way(second[1], third[1])];
    row.push(way(second[0], third[0]));
    for angle in [second[0], second[1], third[1]] {
        row.extend([way(0.0, angle), libm::sin(angle), libm::cos(angle)]);
    }
    row
}
