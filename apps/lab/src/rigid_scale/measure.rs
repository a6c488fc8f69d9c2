//! One row: how fast the bodies of a box collide, and how well.

use proscenium_chance::Seed;
use proscenium_rigid::{BoundsKind, Statistics, World};

use crate::error::Halt;
use crate::experiment::Context;
use crate::peer::ask;
use crate::timing::Stopwatch;

use super::start::Boxed;

/// Collisions between two looks at the clock and at the user's wishes.
const TURN: u64 = 10_000;

/// What was counted and timed in one world.
pub(super) struct Run {
    /// The world afterwards.
    pub world: World,
    /// Counts within the window.
    pub before: Statistics,
    pub after: Statistics,
    /// Simulated seconds of the window, and what they took.
    pub window: f64,
    pub seconds: f64,
    /// What building the world took, seconds.
    pub building: f64,
    /// The relative change of the energy from the start to the end.
    pub energy_drift: f64,
}

impl Run {
    /// The growth of a counter within the window.
    pub fn count(&self, counter: fn(&Statistics) -> u64) -> u64 {
        counter(&self.after) - counter(&self.before)
    }

    pub fn collisions(&self) -> f64 {
        self.count(|s| s.collisions) as f64
    }

    pub fn ns_per_event(&self) -> f64 {
        1e9 * self.seconds / self.count(|s| s.events) as f64
    }

    pub fn ns_per_collision(&self) -> f64 {
        1e9 * self.seconds / self.collisions()
    }
}

/// Runs a box: two collisions of each body melt the lattice, then so many
/// collisions are timed.
pub(super) fn run(
    boxed: &Boxed,
    kind: BoundsKind,
    collisions: u64,
    seed: Seed,
    context: &Context,
) -> Result<Run, Halt> {
    let builder = boxed.builder(seed)?.bounds(kind);
    let mut building = Stopwatch::default();
    let mut world = building.time(|| builder.build())?;
    let energy = world.energy();
    let mut watch = Stopwatch::default();
    advance(&mut world, boxed.n as u64, &mut watch, context)?;
    let (before, begin) = (world.statistics(), world.now());
    let mut watch = Stopwatch::default();
    advance(&mut world, collisions, &mut watch, context)?;
    Ok(Run {
        before,
        after: world.statistics(),
        window: world.now() - begin,
        seconds: watch.seconds(),
        building: building.seconds(),
        energy_drift: world.energy() / energy - 1.0,
        world,
    })
}

/// So many more collisions.
fn advance(world: &mut World, collisions: u64, watch: &mut Stopwatch, context: &Context) -> Result<(), Halt> {
    let end = world.statistics().collisions + collisions;
    while world.statistics().collisions < end {
        context.check()?;
        let pause = end.min(world.statistics().collisions + TURN);
        watch.time(|| {
            while world.statistics().collisions < pause {
                world.step()?;
            }
            Ok::<(), Halt>(())
        })?;
    }
    Ok(())
}

/// What rapier made of the same start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Peer {
    pub s_per_sim_s: Option<f64>,
    pub energy_drift: Option<f64>,
    pub max_overlap: Option<f64>,
}

/// Runs rapier for so many simulated seconds, if it has been built.
pub(super) fn rapier(boxed: &Boxed, seconds: f64, seed: Seed, context: &Context) -> Result<Peer, Halt> {
    let Some(program) = context.peer("peer-rapier") else {
        return Ok(Peer::default());
    };
    let world = boxed.builder(seed)?.build()?;
    let answer = ask(&program, &boxed.request(&world, seconds), context)?;
    let number = |key: &str| answer.get(key).and_then(serde_json::Value::as_f64);
    Ok(Peer {
        s_per_sim_s: number("wall_s").map(|wall| wall / seconds),
        energy_drift: number("energy_drift"),
        max_overlap: number("max_overlap"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlap::overlap;
    use crate::rigid_scale::start::Content;

    /// Both structures give the same physics: as many collisions per second.
    #[test]
    fn structures_agree() {
        let boxed = Boxed { content: Content::Spheres, packing: 0.3, n: 216 };
        let context = Context::new(1, true);
        let rate = |kind| {
            let run = run(&boxed, kind, 20_000, Seed(1), &context).unwrap();
            assert!(run.energy_drift.abs() < 1e-10 && overlap(&run.world) < run.world.tolerance());
            run.collisions() / run.window
        };
        let (grid, lists) = (rate(BoundsKind::Grid), rate(BoundsKind::SortedLists));
        // 20 000 collisions: a spread of about one in a hundred.
        assert!((grid / lists - 1.0).abs() < 0.05, "{grid} {lists}");
    }
}
