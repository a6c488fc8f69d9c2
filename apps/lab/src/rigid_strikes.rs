//! How often a ball that is bowled at one place throws a strike, by how the pins were put down.

use proscenium_chance::statistics::Moments;
use proscenium_rigid::glam::DVec3;
use proscenium_scenes::{Scene, Source, find};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;

/// The experiment `rigid-strikes`.
pub(crate) struct RigidStrikes;

/// How a pin is put down: what it is called, how far above the deck it begins, m, and whether
/// it is at rest there.
const STANDS: [(&str, f64, bool); 5] = [
    ("let down on the deck", 0.0, false),
    ("let fall by 10 micrometres", 1e-5, false),
    ("at rest on the deck", 0.0, true),
    ("at rest 1 micrometre above", 1e-6, true),
    ("at rest 10 micrometres above", 1e-5, true),
];

/// The throw: where across the lane the ball begins, m, and how fast it is, m/s.
const THROW: [(&str, f64); 4] = [("place", 0.08), ("speed", 7.5), ("drift", 0.0), ("ball_radius", 0.108)];
/// When everything that can fall has fallen, s.
const END: f64 = 6.0;

impl Experiment for RigidStrikes {
    fn name(&self) -> &'static str {
        "rigid-strikes"
    }

    fn reproduces(&self) -> &'static str {
        "a check of our own: how a pin stands within a hundredth of a millimetre must not matter"
    }

    fn summary(&self) -> &'static str {
        "the share of strikes of one throw, by how the pins were put down"
    }

    fn columns(&self) -> &'static [&'static str] {
        &["pins", "throws", "strikes", "share", "standard_error", "pins_fallen"]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let throws: u32 = if context.quick() { 40 } else { 400 };
        context.plan(STANDS.len() as f64 * f64::from(throws));
        for (name, height, rests) in STANDS {
            context.doing(name);
            let scene = lane(height, rests)?;
            let mut fallen = Vec::new();
            for throw in 0..throws {
                context.check()?;
                fallen.push(pins_that_fall(&scene, u64::from(throw), context)?);
                context.done(1.0);
            }
            rows.push(row(name, &fallen)?);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let mut notes = vec![
            "Pins are off their spots by a millimetre along and across, by chance, and the same in every row; the ball begins at one place. A strike is ten pins that lean by more than 60 degrees or have left the deck after six seconds.".to_owned(),
        ];
        let shares = rows.iter().filter_map(|row| row.number("share"));
        let errors = rows.iter().filter_map(|row| row.number("standard_error"));
        if let Some(least) = shares.clone().reduce(f64::min) {
            let (most, error) = (shares.fold(least, f64::max), errors.fold(0.0, f64::max));
            notes.push(format!(
                "Shares differ by {:.3} at most; a standard error of a difference is {:.3}.",
                most - least,
                error * std::f64::consts::SQRT_2
            ));
        }
        Ok(Conclusion { notes, figures: Vec::new() })
    }
}

fn row(name: &str, fallen: &[f64]) -> Result<Row, Halt> {
    let strikes = fallen.iter().filter(|count| **count >= 10.0).count();
    let share = strikes as f64 / fallen.len() as f64;
    Ok(Row::new()
        .with("pins", name)
        .with("throws", fallen.len())
        .with("strikes", strikes)
        .with("share", share)
        .with("standard_error", (share * (1.0 - share) / fallen.len() as f64).sqrt())
        .with("pins_fallen", Moments::of(fallen)?.mean()))
}

/// The scene `bowling` with one throw, and pins that stand so.
fn lane(height: f64, rests: bool) -> Result<Scene, Halt> {
    let mut scene = find("bowling", &[])?;
    for (name, value) in THROW {
        scene = scene.with_variable(name, value)?;
    }
    let blocks: Vec<String> = scene.to_toml().split("[[body]]").map(|block| put_down(block, height, rests)).collect();
    let text = blocks.join("[[body]]");
    Ok(Scene::parse(&text, &Source::inline("bowling.toml", text.clone()))?)
}

/// A part of the file, with other pins if it is about one.
fn put_down(block: &str, height: f64, rests: bool) -> String {
    if !block.contains("name = \"pin-") {
        return block.to_owned();
    }
    let resting = if rests { "resting = true\n" } else { "" };
    block.replacen("}, 0.0, {", &format!("}}, {height:?}, {{"), 1).replacen(
        "position",
        &format!("{resting}position"),
        1,
    )
}

fn pins_that_fall(scene: &Scene, throw: u64, context: &Context) -> Result<f64, Halt> {
    let mut world = scene.draw(context.seed().child("rigid-strikes", throw)).world()?;
    world.advance(END)?;
    let has_fallen = |pose: proscenium_geometry::Pose| (pose.rotation * DVec3::Y).y < 0.5 || pose.translation.y < -0.05;
    let pins = world.bodies().filter(|body| world.name(*body).starts_with("pin-"));
    Ok(pins.filter_map(|pin| world.pose(pin)).filter(|pose| has_fallen(*pose)).count() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_put_down_a_pin_is_a_scene() {
        for (_, height, rests) in STANDS {
            let scene = lane(height, rests).unwrap();
            let builder = scene.draw(proscenium_chance::Seed(1)).builder().unwrap();
            let pins: Vec<_> = builder.bodies().iter().filter(|body| body.name.starts_with("pin-")).collect();
            assert_eq!(pins.len(), 10);
            assert!(pins.iter().all(|pin| pin.resting == rests && pin.pose.translation.y == height));
        }
        let counted = row("all", &[10.0, 9.0, 10.0, 10.0]).unwrap();
        assert_eq!((counted.number("strikes"), counted.number("share")), (Some(3.0), Some(0.75)));
    }
}
