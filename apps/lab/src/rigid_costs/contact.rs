//! What it costs to stand.

use glam::DVec3;
use proscenium_geometry::{Pose, Shape, touch_points};
use proscenium_rigid::{BodyDef, ContactRule, Material, World};

use crate::error::Halt;
use crate::experiment::Context;
use crate::timing::Timer;

use super::gauge::{Cost, gauge};

const HALF: f64 = 0.1;
const BOXES: u64 = 10;
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// A step of a tower that never falls asleep, for one of its boxes.
pub(super) fn contact_step(context: &Context) -> Result<Cost, Halt> {
    let rule = ContactRule { rest_after: 1e9, ..ContactRule::natural(HALF * 3.0_f64.sqrt(), GRAVITY) };
    let mut builder = World::builder().gravity(GRAVITY).contact(rule);
    let wood = builder.material(Material::new(600.0, 0.2, 0.5));
    builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y)?, wood));
    for k in 0..BOXES {
        let place = DVec3::new(0.0, HALF + k as f64 * 2.0001 * HALF, 0.0);
        let shape = Shape::cuboid(DVec3::splat(HALF), 0.0)?;
        builder.body(BodyDef::moving(format!("box {k}"), shape, wood).at(Pose::from_translation(place)));
    }
    let mut tower = builder.build()?;
    tower.advance(1.0)?;
    gauge(context, || {
        let mut world = tower.clone();
        let start = Timer::start();
        world.advance(1.2)?;
        let steps = world.statistics().contact_steps - tower.statistics().contact_steps;
        Ok((start.elapsed(), BOXES * steps))
    })
}

/// All the places where a box stands on another.
pub(super) fn touches(context: &Context) -> Result<Cost, Halt> {
    const TIMES: u64 = 2000;
    let part = Shape::cuboid(DVec3::splat(HALF), 0.0)?.convex_parts(&Pose::IDENTITY).remove(0);
    let mut stream = context.seed().stream("touches");
    gauge(context, || {
        let poses: Vec<Pose> = (0..TIMES)
            .map(|_| {
                Pose::from_translation(DVec3::new(0.05 * stream.uniform(), 2.0001 * HALF, 0.05 * stream.uniform()))
            })
            .collect();
        let mut found = Vec::new();
        let mut places = 0;
        let start = Timer::start();
        for pose in &poses {
            found.clear();
            touch_points(&part, &Pose::IDENTITY, &part, pose, 1e-3, &mut found);
            places += found.len();
        }
        let time = start.elapsed();
        debug_assert!(places >= 4 * poses.len());
        Ok((time, TIMES))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tower_is_stepped() {
        assert!(contact_step(&Context::new(1, true)).unwrap().operations > 0);
    }
}
