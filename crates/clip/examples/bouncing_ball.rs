//! Writes a bouncing ball to `bouncing-ball.glb`, or to the path that is given:
//!
//! ```console
//! $ cargo run -p proscenium-clip --example bouncing_ball
//! ```

use proscenium_clip::glam::{DQuat, DVec3, Vec3};
use proscenium_clip::{Clip, ClipError, Material, Node, Track, shapes};

const RADIUS: f64 = 0.1;
const GRAVITY: f64 = 9.81;
const RESTITUTION: f64 = 0.8;

/// Height of the ball's centre: parabolas between bounces, each lower.
fn height(time: f64) -> f64 {
    let mut since_bounce = time;
    let mut speed = libm::sqrt(2.0 * GRAVITY);
    while since_bounce > 2.0 * speed / GRAVITY && speed > 0.05 {
        since_bounce -= 2.0 * speed / GRAVITY;
        speed *= RESTITUTION;
    }
    RADIUS + (speed * since_bounce - 0.5 * GRAVITY * since_bounce * since_bounce).max(0.0)
}

fn main() -> Result<(), ClipError> {
    let samples = (0..=4000).map(|step| {
        let time = f64::from(step) / 1000.0;
        let travelled = 0.5 * time;
        // Rolling forwards, it turns about −z.
        let turn = DQuat::from_rotation_z(-travelled / RADIUS);
        (time, DVec3::new(travelled - 1.0, height(time), 0.0), turn)
    });
    let flight = Track::from_samples(samples)?;
    let reduced = flight.reduce(1e-3, 1e-2);
    let counts = (flight.keys.len(), reduced.keys.len());

    let mut clip = Clip::new("bounce");
    let orange = clip.add_material(Material::new("orange", [0.9, 0.25, 0.03]));
    let grey = clip.add_material(Material::new("grey", [0.4, 0.4, 0.42]).with_roughness(0.9));
    let ball = clip.add_mesh(shapes::ico_sphere(RADIUS as f32, 3)?.with_material(orange));
    let floor = clip.add_mesh(shapes::cuboid(Vec3::new(3.0, 0.1, 1.0), 0.02)?.with_material(grey));
    clip.add_node(Node::new("floor").with_mesh(floor).with_rest(-0.05 * Vec3::Y, Default::default()));
    clip.add_node(Node::new("ball").with_mesh(ball).with_track(reduced));

    let path = std::env::args().nth(1).unwrap_or_else(|| "bouncing-ball.glb".to_string());
    clip.write_glb(&path)?;
    report(&path, counts);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example reports to the terminal")]
fn report(path: &str, (sampled, kept): (usize, usize)) {
    println!("wrote {path}: {kept} keys of {sampled}");
}
