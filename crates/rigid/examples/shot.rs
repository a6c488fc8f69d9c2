//! A shot into a row of boxes, as a game would run it: frame by frame, with a
//! control event in between, drawing only where something is.
#![expect(clippy::print_stdout, reason = "an example prints")]

use proscenium_rigid::geometry::{Pose, Shape};
use proscenium_rigid::glam::DVec3;
use proscenium_rigid::{BodyDef, Control, Material, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0)).recording();
    let wood = builder.material(Material::new(600.0, 0.4, 0.5));
    let steel = builder.material(Material::new(7850.0, 0.6, 0.3));
    builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y)?, wood));
    for k in 0..5 {
        let crate_shape = Shape::cuboid(DVec3::splat(0.2), 0.01)?;
        let place = Pose::from_translation(DVec3::new(1.0 + 0.6 * f64::from(k), 0.25, 0.0));
        builder.body(BodyDef::moving(format!("crate-{}", k + 1), crate_shape, wood).at(place));
    }
    let shot = BodyDef::moving("shot", Shape::sphere(0.05)?, steel)
        .at(Pose::from_translation(DVec3::new(-1.0, 0.3, 0.0)))
        .with_velocity(DVec3::new(8.0, 1.0, 0.0));
    let shot = builder.body(shot);
    let mut world = builder.build()?;

    // A gust from the side at half a second.
    world.schedule(0.5, Control::Impulse { body: shot, impulse: DVec3::new(0.0, 0.0, 2.0), point: None })?;
    for frame in 1..=60 {
        world.advance(f64::from(frame) / 60.0)?;
        if frame % 12 == 0 {
            let place = world.pose(shot).map(|pose| pose.translation).unwrap_or_default();
            println!("{:.1} s  the shot is at ({:.2}, {:.2}, {:.2})", world.now(), place.x, place.y, place.z);
        }
    }
    let counts = world.statistics();
    println!("{} events, of which {} collisions", counts.events, counts.collisions);
    if let Some(contact) = world.recording().and_then(|recording| recording.contacts.first()) {
        println!("first: {} meets {}", world.name(contact.a), world.name(contact.b));
    }
    Ok(())
}
