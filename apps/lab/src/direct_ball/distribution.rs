//! The distribution of the first normal, by every method.

use proscenium_chance::statistics::kolmogorov_smirnov_two_samples;
use proscenium_direct::moves::paper::ball_mix;
use proscenium_direct::population::PopulationOptions;
use proscenium_direct::tempering::TemperingOptions;
use proscenium_direct::{Method, Mix, Model, Sampler, SamplerOptions, Traces};

use crate::direct_worlds::{Ball, INCLINATION};
use crate::error::Halt;
use crate::experiment::Context;
use crate::results::Row;

/// How many samples are compared.
const SAMPLES: usize = 20_000;
/// Bins of the histogram in the picture.
const BINS: usize = 41;
/// The half-width of the histogram, standard deviations of a normal.
const WIDTH: f64 = 3.0;

/// A method, and which of its draws are kept.
pub(super) struct Way {
    pub name: &'static str,
    method: Method,
    /// One in so many draws is kept; in a full run one in five times as many.
    quick_thinning: usize,
    paper_moves: bool,
}

pub(super) const METHODS: [Way; 5] = [
    Way { name: "rejection", method: Method::Rejection, quick_thinning: 1, paper_moves: false },
    Way { name: "chain, the paper's moves", method: Method::Chain, quick_thinning: 200, paper_moves: true },
    Way { name: "chain, our moves", method: Method::Chain, quick_thinning: 200, paper_moves: false },
    Way { name: "tempering", method: Method::Tempering, quick_thinning: 20, paper_moves: false },
    Way { name: "populations", method: Method::Population, quick_thinning: 1, paper_moves: false },
];

pub(super) fn measure(context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
    let ball = Ball::new()?;
    let mut reference: Vec<f64> = Vec::new();
    for way in &METHODS {
        context.doing(way.name);
        let (samples, row) = way.draw(context, &ball)?;
        let mut row = row.with("histogram", histogram(&samples));
        if reference.is_empty() {
            reference = samples;
        } else {
            // Only as many are compared as they are worth, evenly spaced.
            let independent = row.number("effective").map_or(samples.len(), |size| size as usize);
            let independent = independent.clamp(1, samples.len());
            let compared: Vec<f64> =
                (0..independent).map(|index| samples[index * samples.len() / independent]).collect();
            let test = kolmogorov_smirnov_two_samples(&compared, &reference)?;
            row = row.with("compared", compared.len());
            row = row.with("ks_statistic", test.statistic).with("ks_p", test.p_value);
        }
        rows.push(row);
        context.done(1.0);
    }
    Ok(())
}

impl Way {
    fn draw(&self, context: &Context, ball: &Ball) -> Result<(Vec<f64>, Row), Halt> {
        let mix =
            if self.paper_moves { ball_mix(ball.space(), 0.5 * INCLINATION)? } else { Mix::standard(ball.space())? };
        let options = SamplerOptions {
            method: Some(self.method),
            chains: 4,
            tempering: TemperingOptions { explore: 3, ..TemperingOptions::default() },
            population: PopulationOptions { particles: 2500, moves: 25, effective: 0.5 },
            ..SamplerOptions::default()
        };
        let thinning = match self.quick_thinning {
            1 => 1,
            more => {
                if context.quick() {
                    more
                } else {
                    5 * more
                }
            }
        };
        let progress = context.progress();
        let mut sampler = Sampler::start(ball, &mix, context.seed(), options, &progress)?.or_stopped()?;
        let mut traces = Traces::new(ball.quantities());
        let mut settled = 0;
        let timer = std::time::Instant::now();
        while settled < SAMPLES * thinning {
            let draws = sampler.advance(&progress)?.or_stopped()?.draws;
            settled += draws.iter().filter(|draw| draw.phase > 0).count();
            traces.extend(draws);
        }
        let seconds = timer.elapsed().as_secs_f64();
        let chains = traces.settled().quantity(1);
        let effective = match self.method {
            Method::Chain | Method::Tempering => proscenium_direct::diagnostics::diagnose(&thinned(&chains, thinning))?
                .map(|diagnosis| diagnosis.bulk_effective_size),
            _ => None,
        };
        let mut samples = thinned(&chains, thinning).concat();
        samples.truncate(SAMPLES);
        let simulations = sampler.effort().simulations;
        let row = Row::new()
            .with("what", self.name)
            .with("iterations", settled)
            .with("thinning", thinning)
            .with("simulations", simulations)
            .with("abandoned", sampler.effort().abandoned)
            .with("seconds", seconds)
            .with("us_per_simulation", 1e6 * seconds / simulations as f64)
            .with("samples", samples.len())
            .with("effective", effective);
        Ok((samples, row))
    }
}

fn thinned(chains: &[Vec<f64>], thinning: usize) -> Vec<Vec<f64>> {
    chains.iter().map(|draws| draws.iter().copied().skip(thinning / 2).step_by(thinning).collect()).collect()
}

/// Shares of the samples in equal bins about zero.
fn histogram(samples: &[f64]) -> Vec<f64> {
    let mut bins = vec![0.0; BINS];
    for sample in samples {
        let place = (sample / (WIDTH * INCLINATION) + 1.0) * 0.5 * BINS as f64;
        if (0.0..BINS as f64).contains(&place) {
            bins[place as usize] += 1.0 / samples.len() as f64;
        }
    }
    bins
}

/// The middle of a bin, degrees.
pub(super) fn middle(bin: usize) -> f64 {
    let place = (bin as f64 + 0.5) / BINS as f64 * 2.0 - 1.0;
    (place * WIDTH * INCLINATION).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_is_about_zero() {
        let bins = histogram(&[0.0, 0.0, 10.0 * INCLINATION, -0.999 * WIDTH * INCLINATION]);
        assert_eq!((bins[BINS / 2], bins[0], bins.len()), (0.5, 0.25, BINS));
        assert!(middle(BINS / 2).abs() < 1e-12);
    }
}
