//! Runs that re-use each other.
//!
//! A take is a run kept in blocks of time: for each block the state at its
//! beginning, how every body moved, how far it went, and whom it met. When
//! the run is repeated with something changed, only the bodies that changed
//! are simulated, with those that they reach, or reached before; the others
//! are as they were. The result is bit for bit that of a fresh run.

mod block;
mod late;
mod rerun;

use std::collections::BTreeSet;
use std::sync::Arc;

use proscenium_bodies::Motion;
use proscenium_geometry::{Bounds, Pose};
use proscenium_work::{Completion, Finish as _, Halt, Progress};

use crate::body::{BodyId, Presence};
use crate::builder::{Differences, WorldBuilder};
use crate::error::TakeError;
use crate::record::Recording;
use crate::statistics::Statistics;
use crate::world::World;
use crate::world::mark::Mark;

pub(crate) use block::Block;
pub(crate) use late::{LateInput, Past};
pub(crate) use rerun::{Change, rerun};

/// A run that later runs can re-use.
///
/// ```
/// use proscenium_rigid::{BodyDef, Material, Take, World, WorldBuilder, geometry::{Pose, Shape}, glam::DVec3};
///
/// // Two balls that never meet, dropped one after the other.
/// let drop = |height: f64| -> Result<WorldBuilder, Box<dyn std::error::Error>> {
///     let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
///     let rubber = builder.material(Material::new(1100.0, 0.7, 0.6));
///     builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y)?, rubber));
///     for (x, y, start) in [(0.0, 1.0, 0.0), (3.0, height, 0.5)] {
///         let place = Pose::from_translation(DVec3::new(x, y, 0.0));
///         builder.body(BodyDef::moving("ball", Shape::sphere(0.1)?, rubber).at(place).starting_at(start));
///     }
///     Ok(builder)
/// };
/// let first = Take::record(drop(1.0)?, 2.0, 0.1)?;
/// let second = first.again(drop(2.0)?)?;
/// assert_eq!(second.state_hash(), Take::record(drop(2.0)?, 2.0, 0.1)?.state_hash());
/// assert!(second.reuse().share() > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Take {
    /// The world as described, before anything happened.
    described: World,
    builder: WorldBuilder,
    length: f64,
    blocks: Vec<Arc<Block>>,
    end: Mark,
    reuse: Reuse,
    statistics: Statistics,
}

/// How much of a run was re-used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reuse {
    /// Blocks of time, times bodies that can move.
    pub body_blocks: u64,
    /// How many of them were replayed.
    pub replayed: u64,
    /// Blocks that were simulated, with repetitions.
    pub blocks_simulated: u64,
}

impl Reuse {
    /// The share of the motion that was replayed.
    pub fn share(&self) -> f64 {
        self.replayed as f64 / (self.body_blocks as f64).max(1.0)
    }
}

impl Take {
    /// Runs a world until a time, in blocks of so many seconds.
    pub fn record(builder: WorldBuilder, until: f64, block: f64) -> Result<Self, TakeError> {
        let take = Self::record_watched(builder, until, block, &Progress::none())?;
        Ok(take.finished().expect("nobody stops it"))
    }

    /// As [`Take::record`], for as long as nobody wants it to end.
    pub fn record_watched(
        builder: WorldBuilder,
        until: f64,
        block: f64,
        progress: &Progress,
    ) -> Result<Completion<Self>, TakeError> {
        Self::try_record(builder, until, block, progress).finish()
    }

    fn try_record(builder: WorldBuilder, until: f64, block: f64, progress: &Progress) -> Result<Self, Halt<TakeError>> {
        if !(block.is_finite() && block > 0.0) {
            return Err(TakeError::Block { seconds: block }.into());
        }
        let described = World::described(builder.clone()).map_err(TakeError::from)?;
        let mut world = World::new(WorldBuilder { taped: true, ..builder.clone() }).map_err(TakeError::from)?;
        let mut blocks = Vec::new();
        let mut start = described.mark();
        start.time = world.now();
        while world.now() < until {
            let next = (world.now() + block).min(until);
            let next = if next + 1e-9 * block >= until { until } else { next };
            progress.tell("running", world.now() / until)?;
            world.advance_watched(next, progress).map_err(TakeError::from)?.or_stopped()?;
            blocks.push(Arc::new(Block::take(&mut world, start, |_| true)));
            start = world.mark();
        }
        let bodies = world.movable_count();
        let reuse = Reuse { body_blocks: bodies * blocks.len() as u64, ..Reuse::default() };
        let statistics = world.statistics();
        Ok(Self { described, builder, length: block, blocks, end: start, reuse, statistics })
    }

    /// The same run with another description: what is the same in both is
    /// re-used where nothing that differs has reached it. Bodies that can move
    /// may differ, and where the corners of fixed meshes are. The result is
    /// that of a fresh run.
    pub fn again(&self, builder: WorldBuilder) -> Result<Self, TakeError> {
        let take = self.again_watched(builder, &Progress::none())?;
        Ok(take.finished().expect("nobody stops it"))
    }

    /// As [`Take::again`], for as long as nobody wants it to end.
    pub fn again_watched(&self, builder: WorldBuilder, progress: &Progress) -> Result<Completion<Self>, TakeError> {
        self.try_again(builder, progress).finish()
    }

    fn try_again(&self, builder: WorldBuilder, progress: &Progress) -> Result<Self, Halt<TakeError>> {
        let until = self.end.time;
        let Some(Differences { bodies: changed, places }) = self.builder.differences(&builder) else {
            return Self::try_record(builder, until, self.length, progress);
        };
        let mut described = World::described(builder.clone()).map_err(TakeError::from)?;
        if described.settings_differ(&self.described) {
            return Self::try_record(builder, until, self.length, progress);
        }
        let changes: Vec<Change> = changed
            .iter()
            .map(|body| {
                let state = described.mark().bodies[*body as usize].clone();
                let (before, after) = (&self.described.bodies[*body as usize], &described.bodies[*body as usize]);
                Change { body: *body, time: before.start.min(after.start), state: Some(state) }
            })
            .collect();
        // What a step considers may reach a little farther than a body does.
        let margin = 4.0 * described.contact_margin();
        let places: Vec<Bounds> = places.into_iter().map(|place| place.grow(margin)).collect();
        let first = self.blocks.first().map(|block| block.near(&places)).unwrap_or_default();
        described.check_entering(&changed.union(&first).copied().collect()).map_err(TakeError::from)?;
        let pristine = described.clone();
        let outcome = rerun(&mut described, &self.blocks, &self.end, &changes, &places, &[], progress);
        let outcome = outcome.finish().map_err(TakeError::from)?.or_stopped()?;
        let statistics = described.statistics();
        Ok(Self {
            described: pristine,
            builder,
            length: self.length,
            blocks: outcome.blocks,
            end: outcome.end,
            reuse: outcome.reuse,
            statistics,
        })
    }

    /// The world of another description at the end of this take, ready to go on.
    ///
    /// It is the world of a fresh run if nothing in which the two differ was read until
    /// then: how a body begins that has not entered yet, or a surface that nothing has
    /// touched. Whoever asks knows that. `None` if the bodies are not as many, or differ in
    /// what all of a run depends on: gravity, tolerance, the rule of contact.
    ///
    /// ```
    /// use proscenium_rigid::{BodyDef, Material, Take, World, WorldBuilder, geometry::{Pose, Shape}, glam::DVec3};
    ///
    /// // The second ball enters after half a second.
    /// let drop = |height: f64| -> Result<WorldBuilder, Box<dyn std::error::Error>> {
    ///     let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    ///     let rubber = builder.material(Material::new(1100.0, 0.7, 0.6));
    ///     builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y)?, rubber));
    ///     for (y, start) in [(1.0, 0.0), (height, 0.5)] {
    ///         let place = Pose::from_translation(DVec3::new(0.05, y, 0.0));
    ///         builder.body(BodyDef::moving("ball", Shape::sphere(0.1)?, rubber).at(place).starting_at(start));
    ///     }
    ///     Ok(builder)
    /// };
    /// let begun = Take::record(drop(1.5)?, 0.4, 0.1)?;
    /// let mut world = begun.onward(drop(2.0)?)?.ok_or("other settings")?;
    /// world.advance(2.0)?;
    /// let mut fresh = drop(2.0)?.build()?;
    /// fresh.advance(2.0)?;
    /// assert_eq!(world.state_hash(), fresh.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A description that is no world.
    pub fn onward(&self, builder: WorldBuilder) -> Result<Option<World>, TakeError> {
        let mut world = World::described(builder).map_err(TakeError::from)?;
        if world.runs_otherwise(&self.described) || world.bodies.len() != self.end.bodies.len() {
            return Ok(None);
        }
        let mut mark = self.end.clone();
        for (state, own) in mark.bodies.iter_mut().zip(world.mark().bodies) {
            if state.presence == Presence::Waiting {
                *state = own;
            }
        }
        world.load(&mark, |_| true);
        world.replace_recording(&self.recording());
        Ok(Some(world))
    }

    /// The length of a block, seconds.
    pub fn block_length(&self) -> f64 {
        self.length
    }

    /// How much was re-used of the run before.
    pub fn reuse(&self) -> Reuse {
        self.reuse
    }

    /// Counts of what was simulated; what was replayed is not among it.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The pose of a body's shape at the end.
    pub fn pose(&self, body: BodyId) -> Option<Pose> {
        let state = self.end.bodies.get(body.index())?;
        let known = &self.described.bodies[body.index()];
        state.presence.is_here().then(|| state.flight.pose(self.end.time) * known.shape_from_principal.inverse())
    }

    /// Whether a body is at rest at the end.
    pub fn is_resting(&self, body: BodyId) -> bool {
        self.end.bodies.get(body.index()).is_some_and(|state| state.presence == Presence::Resting)
    }

    /// The motion of a body's principal frame at the end.
    pub fn motion(&self, body: BodyId) -> Option<Motion> {
        let state = self.end.bodies.get(body.index())?;
        state.presence.is_here().then(|| state.flight.at(self.end.time))
    }

    /// What happened, as a world that was built with
    /// [`recording`](WorldBuilder::recording) would tell it.
    pub fn recording(&self) -> Recording {
        block::recording(&self.described, &self.blocks)
    }

    /// The hash that the world of a fresh run has at the end.
    pub fn state_hash(&self) -> u64 {
        self.world().state_hash()
    }

    /// The world at the end, ready to go on.
    pub fn world(&self) -> World {
        let mut world = self.described.clone();
        world.load(&self.end, |_| true);
        world
    }
}

/// The numbers of all bodies that can move.
pub(crate) fn movable(world: &World) -> BTreeSet<u32> {
    (0_u32..).zip(&world.bodies).filter(|(_, body)| body.inertia.is_some()).map(|(k, _)| k).collect()
}
