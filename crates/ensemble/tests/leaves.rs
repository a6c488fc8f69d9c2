//! Leaves bend as beams do, and keep the shape that they grew with.

use proscenium_ensemble::Seed;
use proscenium_ensemble::built_in::built_in;
use proscenium_ensemble::glam::DVec3;
use proscenium_ensemble::simulate::{SimulateSettings, Simulator, SoftModel, Stuff, Wind, WindField};

fn still_air() -> WindField {
    let wind = Wind { mean: DVec3::ZERO, gusts: 0.0, gust_time: 1.0, turbulence: 0.0, eddy: 1.0 };
    WindField::new(wind, Seed(1))
}

/// The farthest that a vertex is from where it was.
fn farthest(now: &[[f32; 3]], rest: &[[f32; 3]]) -> f32 {
    let away = |(a, b): (&[f32; 3], &[f32; 3])| (0..3).map(|axis| (a[axis] - b[axis]).abs()).fold(0.0, f32::max);
    now.iter().zip(rest).map(away).fold(0.0, f32::max)
}

/// A level strip that is held at one end sags as a chain does that has a spring
/// in every joint, if it sags little: a joint with n pieces beyond it bears
/// W l n² / 2 and turns by that over `bend` l², which lowers the tip by n l for
/// each radian. (For many pieces that is a beam's w L⁴ / 8 E I, with E I = `bend`
/// l³.) With few steps in a frame stiff strips sag more; here there are many.
#[test]
fn a_strip_sags_as_a_beam_does() {
    let (rows, columns, length, width) = (9_u32, 3_u32, 0.2, 0.04);
    let stuff = Stuff { density: 0.3, stretch: 4000.0, bend: 60.0, damping: 0.0 };
    let mut model = SoftModel::new();
    let strip = model.sheet("strip", [rows, columns], &stuff, |along, across| {
        DVec3::new(length * along, 1.0, width * (across - 0.5))
    });
    (0..2 * columns).for_each(|vertex| model.pin(strip, vertex));
    let settings = SimulateSettings { damping: 4.0, steps: 128, ..SimulateSettings::default() };
    let mut simulator = Simulator::new(&model, settings, still_air()).unwrap();
    let rest = simulator.positions();
    for _ in 0..90 {
        simulator.advance().unwrap();
    }
    let spacing = length / f64::from(rows - 1);
    let piece = 9.81 * stuff.density * width * spacing;
    let lowered = |beyond: u32| piece * f64::from(beyond * beyond * beyond) / (2.0 * f64::from(columns) * stuff.bend);
    let sag: f64 = (1..rows - 1).map(lowered).sum();
    let found = f64::from(farthest(&simulator.positions(), &rest));
    assert!(sag < 0.1 * length, "the closed form is for small sags, not {sag}");
    assert!((found / sag - 1.0).abs() < 0.02, "sags by {found}, not {sag}");
}

/// Stiff leaves that are bent at rest stay as they are: nothing comes apart, and
/// after three seconds in still air nothing moves.
#[test]
fn plants_come_to_rest_as_they_grew() {
    for (name, far, energy) in [("banana", 0.6, 1e-3), ("iris-1", 0.08, 1e-5)] {
        let generator = built_in(name, Seed(1)).unwrap();
        let mut simulator = Simulator::new(&generator.model, generator.settings, still_air()).unwrap();
        let rest = simulator.positions();
        let mut retries = 0;
        for _ in 0..90 {
            let outcome = simulator.advance().unwrap();
            assert_eq!(outcome.touching, []);
            retries += outcome.retries;
        }
        assert_eq!(retries, 0, "{name}");
        let moved = farthest(&simulator.positions(), &rest);
        assert!(moved < far, "{name} sagged by {moved}");
        assert!(simulator.kinetic_energy() < energy, "{name} moves with {} J", simulator.kinetic_energy());
    }
}
