//! Draws one plot of each kind into the current folder.

use proscenium_picture::plot::{Plot, Scale};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bodies = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];
    let speedups = [0.9, 1.2, 1.7, 2.9, 4.8, 8.1, 14.2, 25.0, 47.0, 88.0];
    let ours: Vec<(f64, f64)> = bodies.into_iter().zip(speedups).collect();
    Plot::new("The asynchronous simulator gains with every body")
        .x("bodies", Scale::Log)
        .y("speedup", Scale::Log)
        .band(ours.iter().map(|&(n, s)| (n, 0.8 * s, 1.25 * s)))
        .line("measured, five seeds", ours.iter().copied())
        .paper_line("Chenney 2000, table 3.1", [(1.0, 0.8), (4.0, 1.6), (16.0, 4.4), (64.0, 12.1)])
        .write_svg("speedup.svg")?;

    let wave = |phase: f64| (0..200).map(move |i| (f64::from(i) * 0.01, libm::sin(f64::from(i) * 0.05 + phase)));
    Plot::new("Energy drift")
        .x("time (s)", Scale::Linear)
        .y("relative drift", Scale::Linear)
        .line("kinetic", wave(0.0).map(|(t, y)| (t, 3e-12 * y)))
        .line("potential", wave(1.6).map(|(t, y)| (t, 3e-12 * y)))
        .points("events", wave(0.8).step_by(12).map(|(t, y)| (t, 2e-12 * y)))
        .write_svg("drift.svg")?;

    Plot::new("Distance queries per event")
        .y("queries", Scale::Linear)
        .categories(["box", "cradle", "spin", "bullet", "gas"])
        .bars("synchronous", [(0.0, 5200.0), (1.0, 310.0), (2.0, 12.0), (3.0, 800.0), (4.0, 12400.0)])
        .bars("asynchronous", [(0.0, 410.0), (1.0, 42.0), (2.0, 9.0), (3.0, 31.0), (4.0, 730.0)])
        .write_svg("queries.svg")?;

    Plot::new("Rest positions")
        .x("x (m)", Scale::Linear)
        .y("samples", Scale::Linear)
        .bars("", (-20..=20).map(|i| (0.05 * f64::from(i), 900.0 * libm::exp(-0.01 * f64::from(i * i)))))
        .write_svg("histogram.svg")?;
    Ok(())
}
