//! How far two things are apart, where they touch, and what they weigh:
//! `cargo run -p proscenium-geometry --example how_far`.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;

use proscenium_geometry::glam::{DQuat, DVec3};
use proscenium_geometry::{Pose, Shape, Warmth, gap, separation};

fn main() -> Result<(), Box<dyn Error>> {
    let die = Shape::cuboid(DVec3::splat(0.008), 0.001)?;
    let can = Shape::cylinder(0.06, 0.033)?;
    for (name, shape, density) in [("die", &die, 1850.0), ("can", &can, 1000.0)] {
        let mass = shape.mass_properties(density).ok_or("a solid has a mass")??;
        println!("{name}: {:.1} g", 1e3 * mass.mass);
    }

    // The die comes closer and turns; the can stands still.
    for step in 0..5 {
        let turn = DQuat::from_rotation_y(0.2 * f64::from(step));
        let pose = Pose::new(DVec3::new(0.10 - 0.014 * f64::from(step), 0.02, 0.0), turn);
        println!("at {:.3} m: {:+.4} m apart", pose.translation.x, separation(&die, &pose, &can, &Pose::IDENTITY));
    }

    // The nearest points, found from where they were last time.
    let (dice, cans) = (die.convex_parts(&Pose::IDENTITY), can.convex_parts(&Pose::IDENTITY));
    let beside = Pose::from_translation(DVec3::new(0.06, 0.0, 0.0));
    let nearest = gap(&dice[0], &beside, &cans[0], &Pose::IDENTITY, &mut Warmth::default());
    println!("{:.4} m from {:.3} to {:.3}", nearest.distance, nearest.point_a, nearest.point_b);
    Ok(())
}
