//! The traditional algorithm, for comparison.

use crate::body::BodyId;
use crate::builder::WorldBuilder;
use crate::error::{SimulationError, WorldError};
use crate::intersections::BoundsKind;
use crate::statistics::Statistics;
use crate::world::collision::CollisionOutcome;
use crate::world::{Event, World};

/// A world under the synchronous algorithm 3.4 of Chenney 2000: at every
/// event all bodies are integrated and all bounds are made anew. It shares
/// every sub-algorithm with [`World`]: flights, predictions, closest points,
/// collision resolution, contact steps, sorted lists and queue.
#[derive(Clone, Debug)]
pub struct SynchronousWorld {
    world: World,
    poses: Vec<proscenium_geometry::Pose>,
    /// The present bounds are valid until here.
    covered: f64,
}

impl SynchronousWorld {
    pub(crate) fn new(builder: WorldBuilder) -> Result<Self, WorldError> {
        let mut world = builder.bounds(BoundsKind::SortedLists).build()?;
        world.synchronous = true;
        // No bound expires on its own.
        for body in world.bodies.iter().filter(|body| body.is_here()) {
            world.queue.cancel(body.slot);
        }
        let covered = world.now;
        Ok(Self { poses: Vec::with_capacity(world.bodies.len()), world, covered })
    }

    /// The world itself: its time, bodies, energy and hash.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Counts of what was done.
    pub fn statistics(&self) -> Statistics {
        self.world.statistics()
    }

    /// The motion of a body now.
    pub fn motion(&self, body: BodyId) -> Option<proscenium_bodies::Motion> {
        self.world.motion(body)
    }

    /// Simulates until a time.
    pub fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        self.world.check_time(until)?;
        self.cover(self.world.now);
        loop {
            let next = self.world.queue.next_time().unwrap_or(f64::INFINITY);
            if next.min(self.covered) > until {
                break;
            }
            self.step(next)?;
        }
        self.world.now = until;
        Ok(())
    }

    /// One round of algorithm 3.4.
    fn step(&mut self, next: f64) -> Result<(), SimulationError> {
        let before = self.world.now;
        self.world.statistics.events += 1;
        if next <= self.covered {
            // e ← queueDeleteMin(); for all o: integrate(o, e.t); processEvent(e)
            let Some((time, event)) = self.world.queue.pop() else {
                return Ok(());
            };
            self.world.now = time;
            self.integrate_all();
            match event {
                Event::Collision(pair) => self.process_collision(pair)?,
                other => self.world.process(other)?,
            }
        } else {
            // Nothing is expected within the bounds: an arbitrary step.
            self.world.now = self.covered;
            self.world.statistics.bound_expiries += 1;
            self.integrate_all();
        }
        self.cover(before);
        Ok(())
    }

    fn integrate_all(&mut self) {
        let now = self.world.now;
        self.poses.clear();
        self.poses.extend(self.world.bodies.iter().map(|body| body.flight.pose(now)));
        self.world.statistics.integrations += self.poses.len() as u64;
    }

    fn process_collision(&mut self, pair: u32) -> Result<(), SimulationError> {
        let (a, b) = (self.world.pairs[pair as usize].a, self.world.pairs[pair as usize].b);
        match self.world.resolve_collision(pair)? {
            CollisionOutcome::Bounced => {
                for body in [a, b] {
                    if self.world.bodies[body as usize].flight.start() == self.world.now {
                        self.renew_predictions(body);
                    }
                }
                self.world.disturb(a);
                self.world.disturb(b);
            }
            CollisionOutcome::Held => {}
            CollisionOutcome::Missed => {
                self.world.statistics.near_misses += 1;
                if self.world.pairs[pair as usize].intersecting {
                    self.world.look_on(pair);
                } else {
                    self.world.drop_pair(a, b);
                }
            }
        }
        Ok(())
    }

    fn renew_predictions(&mut self, body: u32) {
        let pairs: Vec<u32> = self.world.neighbours[body as usize].iter().map(|(_, pair)| *pair).collect();
        for pair in pairs {
            self.renew_prediction(pair);
        }
    }

    /// Predicts anew, or forgets a pair whose bounds have ceased to intersect.
    fn renew_prediction(&mut self, index: u32) {
        let pair = &self.world.pairs[index as usize];
        let (a, b) = (pair.a, pair.b);
        if pair.intersecting {
            self.world.predict(index);
        } else {
            self.world.drop_pair(a, b);
        }
    }

    /// For all o: generateBound(o, e.t, t_next); updateIntersections().
    fn cover(&mut self, before: f64) {
        let now = self.world.now;
        // With nothing expected, a step as long again as twice the last one.
        let idle = now + (2.0 * (now - before)).max(self.shortest_step());
        let next = self.world.queue.next_time().unwrap_or(f64::INFINITY).min(idle).max(now);
        self.covered = next;
        let tolerance = self.world.tolerance;
        let margin = self.world.contact_margin();
        for body in &mut self.world.bodies {
            if body.moves() {
                let margin = if body.island.is_some() { margin } else { tolerance };
                body.bound = body.temporal_bound(now, next).grow(margin);
                body.bound_expires = next;
            }
        }
        let world = &mut self.world;
        world.changes.clear();
        let bodies = &world.bodies;
        let mut bounds = (0_u32..).zip(bodies).filter(|(_, body)| body.moves()).map(|(k, body)| (k, body.bound));
        world.intersections.structure().update_all(&mut bounds, &mut world.changes);
        self.world.apply_changes();
    }

    /// The fastest body crosses a tenth of its radius.
    fn shortest_step(&self) -> f64 {
        let moving = self.world.bodies.iter().filter(|body| body.moves());
        let times = moving.map(|body| body.reach / (body.flight.velocity(self.world.now).length() + 1e-9));
        0.1 * times.fold(10.0, f64::min)
    }
}
