//! Draws waiting times from a named stream, finds a density for them, and tests it.
//!
//! `cargo run -p proscenium-chance --example waiting_times`

use std::error::Error;
use std::io::Write;

use proscenium_chance::statistics::{Moments, kolmogorov_smirnov, quantile};
use proscenium_chance::{Density, FitOptions, Seed, fit_exponential_mixture};

fn main() -> Result<(), Box<dyn Error>> {
    // Most cars pass after some seconds; every fifth waits for a long queue.
    let truth = Density::mixture([
        (Density::shifted_exponential(4.0, 1.0 / 2.0)?, 0.8),
        (Density::shifted_exponential(4.0, 1.0 / 30.0)?, 0.2),
    ])?;
    let seed = Seed(7);
    let mut stream = seed.stream("waiting times");
    let samples: Vec<f64> = (0..5000).map(|_| truth.sample(&mut stream)).collect();

    let moments = Moments::of(&samples)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} waiting times, {} random words", samples.len(), stream.position())?;
    writeln!(out, "  mean {:.2} s, median {:.2} s", moments.mean(), quantile(&samples, 0.5)?)?;

    // Fitted to one half, tested on the other.
    let (known, unseen) = samples.split_at(2500);
    for components in 1..=2 {
        let fit = fit_exponential_mixture(known, components, Some(4.0), &FitOptions::default())?;
        let test = kolmogorov_smirnov(unseen, |x| fit.density.cdf(x))?;
        writeln!(
            out,
            "  {components} component(s): mean {:.2} s, one in a hundred above {:.1} s, fits with p = {:.2e}",
            fit.density.mean(),
            fit.density.quantile(0.99),
            test.p_value
        )?;
    }
    Ok(())
}
