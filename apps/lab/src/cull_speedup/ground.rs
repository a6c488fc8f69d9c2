//! A fairground, and somebody who walks in it.

use std::sync::Arc;

use glam::DVec3;
use proscenium_chance::Seed;
use proscenium_cull::{CompiledModel, CullError, State, System as _, World};
use proscenium_view::{Camera, Frustum};

use crate::error::Halt;
use crate::experiment::Context;
use crate::timing::Stopwatch;

/// From one ride to the next, metres.
const SPACING: f64 = 30.0;

/// Seconds for one walk around the world, and for one swing of the look.
const ROUND: f64 = 120.0;
const SWING: f64 = 24.0;

/// The complete side runs until it has taken this long, seconds.
const ENOUGH: f64 = 0.5;

pub(super) struct Ground {
    pub world: World,
    rides: Vec<(Arc<CompiledModel>, DVec3)>,
    side: f64,
    far: f64,
    seed: Seed,
}

impl Ground {
    /// Rides on a square grid, one after another.
    pub(super) fn new(total: usize, rides: &[Arc<CompiledModel>], seed: Seed) -> Result<Self, Halt> {
        let columns = (total as f64).sqrt().ceil() as usize;
        let side = columns as f64 * SPACING;
        let mut world = World::new(seed);
        let mut placed = Vec::with_capacity(total);
        for index in 0..total {
            let (x, z) = ((index % columns) as f64, (index / columns) as f64);
            let position = DVec3::new((x + 0.5) * SPACING - 0.5 * side, 0.0, (z + 0.5) * SPACING - 0.5 * side);
            let ride = &rides[index % rides.len()];
            world.add(ride, position)?;
            placed.push((Arc::clone(ride), position));
        }
        Ok(Self { world, rides: placed, side, far: 2.0 * side, seed })
    }

    /// Where the walker looks at a time: the middle of the view goes around the
    /// world while the direction swings through a right angle.
    pub(super) fn view(&self, now: f64) -> Result<Frustum, Halt> {
        let around = std::f64::consts::TAU * now / ROUND;
        // Larger worlds are walked in as that of 35 is: around them it would be a
        // flight.
        let radius = 0.3 * self.side.min(6.0 * SPACING);
        let eye = DVec3::new(radius * libm::cos(around), 1.7, radius * libm::sin(around));
        let swing = 0.25 * std::f64::consts::PI * libm::sin(std::f64::consts::TAU * now / SWING);
        let heading = around + std::f64::consts::FRAC_PI_2 + swing;
        let target = eye + DVec3::new(libm::cos(heading), 0.0, libm::sin(heading));
        let mut camera = Camera::look_at(eye, target, 0.9, 16.0 / 9.0)?;
        (camera.near, camera.far) = (0.1, self.far);
        Ok(Frustum::of(&camera)?)
    }

    /// How many rides are in view, on average from one time to another.
    pub(super) fn in_view(&self, (from, to): (f64, f64)) -> f64 {
        const LOOKS: u32 = 240;
        let mut sum = 0;
        for look in 0..LOOKS {
            let Ok(view) = self.view(from + (to - from) * f64::from(look) / f64::from(LOOKS)) else {
                continue;
            };
            let near = |(ride, position): &&(Arc<CompiledModel>, DVec3)| {
                let bounds = ride.bounds().moved(*position);
                view.intersects_aabb(bounds.min, bounds.max)
            };
            sum += self.rides.iter().filter(near).count();
        }
        sum as f64 / f64::from(LOOKS)
    }

    /// Chooses how far one sees so that so many are in view.
    pub(super) fn see_as_many(&mut self, wanted: f64, times: (f64, f64)) {
        // Only what is near can come into view: the rest need not be asked.
        let reach = 500.0;
        let all = std::mem::take(&mut self.rides);
        self.rides = all.iter().filter(|(_, position)| position.length() < reach + 60.0).cloned().collect();
        let (mut low, mut high) = (1.0, 400.0);
        for _ in 0..24 {
            self.far = 0.5 * (low + high);
            if self.in_view(times) > wanted {
                high = self.far;
            } else {
                low = self.far;
            }
        }
        self.rides = all;
    }

    /// What a frame costs if every ride is computed by the complete model.
    pub(super) fn complete_us(&self, context: &Context) -> Result<f64, Halt> {
        let mut states: Vec<Vec<State>> = Vec::with_capacity(self.rides.len());
        let mut stream = self.seed.stream("complete");
        for (ride, _) in &self.rides {
            states.push(ride.model().copies().iter().map(|_| ride.model().initial(&mut stream)).collect());
        }
        let mut watch = Stopwatch::default();
        let mut shown = Vec::new();
        let mut frames = 0_u32;
        while watch.seconds() < ENOUGH && frames < 600 || frames < 3 {
            context.check()?;
            let (from, to) = (f64::from(frames) / super::RATE, f64::from(frames + 1) / super::RATE);
            watch
                .time(|| {
                    for ((ride, _), states) in self.rides.iter().zip(&mut states) {
                        let model = ride.model();
                        for (state, ahead) in states.iter_mut().zip(model.copies()) {
                            model.advance(state, from + ahead, to + ahead, &mut stream)?;
                            model.show(state, to + ahead, &[], &mut shown);
                        }
                    }
                    Ok::<(), proscenium_cull::system::MotionError>(())
                })
                .map_err(CullError::from)?;
            frames += 1;
        }
        Ok(watch.seconds() * 1e6 / f64::from(frames))
    }
}
