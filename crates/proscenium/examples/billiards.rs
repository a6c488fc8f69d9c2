//! A world from code: a cue ball breaks a triangle of fifteen, and every
//! collision is exact.
//!
//! `cargo run -p proscenium --example billiards`

#![allow(clippy::print_stdout, reason = "an example reports to the terminal")]

use proscenium::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let radius = 0.0286;
    let mut builder = World::builder();
    let phenolic = builder.material(Material::new(1700.0, 0.96, 0.05));
    for (name, normal, at) in [
        ("head cushion", DVec3::X, -1.27 * DVec3::X),
        ("foot cushion", -DVec3::X, 1.27 * DVec3::X),
        ("left cushion", DVec3::Z, -0.635 * DVec3::Z),
        ("right cushion", -DVec3::Z, 0.635 * DVec3::Z),
    ] {
        let cushion = BodyDef::fixed(name, Shape::half_space(normal)?, phenolic);
        builder.body(cushion.at(Pose::from_translation(at)));
    }
    let ball = Shape::sphere(radius)?;
    for row in 0..5 {
        for place in 0..=row {
            // A hair of air between the balls: touching ones count as overlapping.
            let step = 2.001 * radius;
            let x = 0.6 + f64::from(row) * step * 0.75_f64.sqrt();
            let z = (f64::from(place) - 0.5 * f64::from(row)) * step;
            let def = BodyDef::moving(format!("ball {row}-{place}"), ball.clone(), phenolic);
            builder.body(def.at(Pose::from_translation(DVec3::new(x, 0.0, z))));
        }
    }
    let cue = BodyDef::moving("cue ball", ball, phenolic)
        .at(Pose::from_translation(DVec3::new(-0.6, 0.0, 0.004)))
        .with_velocity(DVec3::new(8.0, 0.0, 0.0));
    builder.body(cue);

    let mut world = builder.recording().build()?;
    let before = world.energy();
    world.advance(2.0)?;

    let contacts = &world.recording().ok_or("it was asked to record")?.contacts;
    for contact in contacts.iter().take(8) {
        println!("{:.4} s  {} meets {}", contact.time, world.name(contact.a), world.name(contact.b));
    }
    println!("… {} collisions in 2 s, {} events", contacts.len(), world.statistics().events);
    println!("{:.0} % of the energy is left", 100.0 * world.energy() / before);
    Ok(())
}
