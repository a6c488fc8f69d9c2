//! A racket that is thrown up turning about its middle axis turns over by itself:
//! `cargo run -p proscenium-bodies --example tennis_racket`.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Flight, Inertia, Motion};
use proscenium_geometry::Shape;

fn main() -> Result<(), Box<dyn Error>> {
    let racket = Shape::cuboid(DVec3::new(0.13, 0.34, 0.02), 0.0)?;
    let mass = racket.mass_properties(200.0).ok_or("a solid has a mass")??;
    let inertia = Inertia::new(&mass);
    // Almost about the middle axis: x, between the longest (y) and the shortest (z).
    let start = Motion { velocity: 8.0 * DVec3::Y, spin: DVec3::new(12.0, 0.01, 0.0), ..Motion::AT_REST };
    let flight = Flight::new(0.0, start, &inertia, DVec3::new(0.0, -9.81, 0.0));

    // A closed form: any moment costs the same, and no energy is lost on the way.
    for step in 0..=8 {
        let time = 0.2 * f64::from(step);
        let now = flight.at(time);
        let face = now.orientation * DVec3::X;
        let energy = inertia.rotational_energy(&now) / inertia.rotational_energy(&start);
        println!(
            "{time:.1} s  height {:5.2} m  handle points to x = {:+.2}  energy {energy:.12}",
            now.position.y, face.x
        );
    }
    Ok(())
}
