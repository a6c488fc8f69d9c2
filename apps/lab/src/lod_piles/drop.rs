//! A pile: how it starts, how it is run, and how it is judged.

use std::sync::Arc;

use proscenium_bodies::{Material, Motion};
use proscenium_chance::statistics::quantile;
use proscenium_geometry::Pose;
use proscenium_lod::glam::DVec3;
use proscenium_lod::{BodyId, Budget, Settings, VolumeModel, World};

use super::depth::{DepthMesh, below, depth};
use crate::error::Halt;
use crate::experiment::Context;
use crate::timing::Timer;

/// Frames a second.
pub(super) const RATE: f64 = 60.0;
/// What bodies are made of: kg/m³, restitution, friction.
pub(super) const MATERIAL: Material = Material::new(700.0, 0.3, 0.5);
/// Layers of bodies at the start.
const LAYERS: usize = 6;
/// The distance of bodies at the start, in radii.
const SPACING: f64 = 2.1;
/// Rims slower than this are at rest, radii a second.
const RESTING: f64 = 0.1;

/// What falls.
pub(super) struct Drop<'a> {
    pub(super) models: &'a [Arc<VolumeModel>],
    pub(super) solids: &'a [DepthMesh],
    pub(super) bodies: usize,
    pub(super) seconds: f64,
}

/// What became of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub(super) pairs_over_2: usize,
    pub(super) pairs_over_10: usize,
    /// Of all pairs, in radii.
    pub(super) deepest: f64,
    pub(super) below_floor: usize,
    /// From when on nothing moves; `None` if something does in the end.
    pub(super) rests_at: Option<f64>,
    /// How far bodies moved in the last second, in radii.
    pub(super) later_motion: Option<f64>,
    /// How fast their rims were in the last second, radii a second.
    pub(super) jitter: Option<f64>,
    pub(super) ms_falling: f64,
    pub(super) ms_resting: f64,
    /// What a frame of the busy part took, in node tests.
    pub(super) full_cost: u64,
}

impl Drop<'_> {
    /// Half the width of the box, and the bodies of one side of a layer.
    fn side(&self) -> usize {
        (1..).find(|side: &usize| side * side * LAYERS >= self.bodies).unwrap_or(1)
    }

    fn radius(&self) -> f64 {
        self.models.iter().map(|model| model.radius()).fold(0.0, f64::max)
    }

    pub(super) fn half_width(&self) -> f64 {
        0.5 * self.side() as f64 * SPACING * self.radius() + 0.1 * self.radius()
    }

    /// Where every body starts: a grid above the floor, turned at random.
    pub(super) fn starts(&self, context: &Context) -> Vec<Motion> {
        let (side, spacing) = (self.side(), SPACING * self.radius());
        let streams = context.seed().stream("lod pile starts");
        let start = |index: usize| {
            let mut stream = streams.at(index as u64);
            let cell = |number: usize| number as f64 - 0.5 * (side as f64 - 1.0);
            let layer = index / (side * side);
            let place = DVec3::new(cell(index % side), 0.6 + layer as f64, cell(index / side % side));
            Motion {
                position: spacing * place,
                orientation: stream.rotation(),
                velocity: 0.3 * stream.unit_vector(),
                spin: stream.unit_vector(),
            }
        };
        (0..self.bodies).map(start).collect()
    }

    fn world(&self, settings: Settings, context: &Context) -> Result<World, Halt> {
        let mut world = World::with(settings, context.seed())?;
        let half = self.half_width();
        world.add_wall(DVec3::Y, DVec3::ZERO)?;
        for axis in [DVec3::X, DVec3::Z] {
            world.add_wall(axis, -half * axis)?;
            world.add_wall(-axis, half * axis)?;
        }
        for (index, start) in self.starts(context).into_iter().enumerate() {
            world.add(&self.models[index % self.models.len()], start, MATERIAL)?;
        }
        Ok(world)
    }

    /// Lets it fall within a budget of so many tests a frame, or without one.
    pub(super) fn run(&self, tests: Option<u64>, context: &Context) -> Result<Outcome, Halt> {
        let budget = tests.map_or(Budget::Unlimited, Budget::Tests);
        let mut world = self.world(Settings { sleeping: false, ..Settings::default() }, context)?;
        let frames = (self.seconds * RATE) as u32;
        let (mut times, mut costs, mut last_motion) = (Vec::new(), Vec::new(), 0.0);
        let (mut jitter, mut before) = (0.0, Vec::new());
        for frame in 1..=frames {
            context.check()?;
            let timer = Timer::start();
            let report = world.advance(f64::from(frame) / RATE, &[], budget)?;
            times.push(timer.elapsed().as_secs_f64() * 1e3);
            costs.push(report.spent as f64);
            let rims = self.rims(&world)?;
            if rims.iter().any(|rim| *rim > RESTING) {
                last_motion = world.now();
            }
            let last_second = frame + RATE as u32 > frames;
            if last_second {
                jitter += rims.iter().sum::<f64>() / rims.len() as f64 / RATE;
                if before.is_empty() {
                    before = self.poses(&world)?;
                }
            }
        }
        let poses = self.poses(&world)?;
        let moved = |(now, then): (&Pose, &Pose)| now.translation.distance(then.translation) / self.radius();
        let mut outcome = self.judge(&poses, context)?;
        outcome.rests_at = (last_motion < world.now()).then_some(last_motion);
        outcome.later_motion = Some(poses.iter().zip(&before).map(moved).sum::<f64>() / poses.len() as f64);
        outcome.jitter = Some(jitter);
        // The busy part: bodies have met and not yet come to rest.
        let busy = frames as usize / 8..frames as usize / 3;
        outcome.ms_falling = times[busy.clone()].iter().sum::<f64>() / busy.len() as f64;
        outcome.full_cost = quantile(&costs[busy], 0.9)? as u64;
        outcome.ms_resting = self.resting(budget, context)?;
        Ok(outcome)
    }

    /// What a frame of the last second takes if bodies may sleep, milliseconds.
    fn resting(&self, budget: Budget<'_>, context: &Context) -> Result<f64, Halt> {
        let mut world = self.world(Settings::default(), context)?;
        let frames = (self.seconds * RATE) as u32;
        let mut total = 0.0;
        for frame in 1..=frames {
            context.check()?;
            let timer = Timer::start();
            world.advance(f64::from(frame) / RATE, &[], budget)?;
            if frame + RATE as u32 > frames {
                total += timer.elapsed().as_secs_f64() * 1e3;
            }
        }
        Ok(total / RATE)
    }

    /// How fast the rims of all bodies are, radii a second.
    fn rims(&self, world: &World) -> Result<Vec<f64>, Halt> {
        let rim = |index: u32| {
            let motion = world.motion(BodyId(index))?;
            Ok(motion.velocity.length() / self.radius() + motion.spin.length())
        };
        (0..self.bodies as u32).map(rim).collect()
    }

    fn poses(&self, world: &World) -> Result<Vec<Pose>, Halt> {
        (0..self.bodies as u32).map(|index| Ok(world.motion(BodyId(index))?.pose())).collect()
    }

    /// How deep bodies at some poses are in each other and in the floor.
    pub(super) fn judge(&self, poses: &[Pose], context: &Context) -> Result<Outcome, Halt> {
        let mut outcome = Outcome::default();
        let solid = |index: usize| &self.solids[index % self.solids.len()];
        for (a, pose) in poses.iter().enumerate() {
            context.check()?;
            outcome.below_floor += usize::from(below(solid(a), pose, 0.0) > 0.02);
            for (b, other) in poses.iter().enumerate().skip(a + 1) {
                let depth = depth(solid(a), pose, solid(b), other);
                outcome.pairs_over_2 += usize::from(depth > 0.02);
                outcome.pairs_over_10 += usize::from(depth > 0.1);
                outcome.deepest = outcome.deepest.max(depth);
            }
        }
        Ok(outcome)
    }
}
