//! The traditional algorithm, for comparison.

use crate::body::BodyId;
use crate::builder::WorldBuilder;
use crate::error::{SimulationError, WorldError};
use crate::intersections::IntersectingBounds;
use crate::statistics::Statistics;
use crate::world::{Event, World};

/// A world under the synchronous algorithm 3.4 of Chenney 2000: at every
/// event all bodies are integrated and all bounds are made anew. It shares
/// every sub-algorithm with [`World`]: flights, predictions, closest points,
/// collision resolution, sorted lists and queue.
///
/// It knows collisions, and bodies that are there from the beginning.
#[derive(Clone, Debug)]
pub struct SynchronousWorld {
    world: World,
    poses: Vec<proscenium_geometry::Pose>,
    /// The present bounds are valid until here.
    covered: f64,
}

impl SynchronousWorld {
    pub(crate) fn new(builder: WorldBuilder) -> Result<Self, WorldError> {
        let mut world = builder.build()?;
        // No bound expires on its own.
        for body in &world.bodies {
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
            self.world.now = before.max(time);
            self.integrate_all();
            if let Event::Collision(pair) = event {
                self.process_collision(pair)?;
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
        if self.world.resolve_collision(pair)? {
            for body in [a, b] {
                if self.world.bodies[body as usize].flight.start() == self.world.now {
                    self.renew_predictions(body);
                }
            }
        } else {
            self.world.statistics.near_misses += 1;
            self.renew_prediction(pair);
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
        for body in &mut self.world.bodies {
            if body.moves() {
                body.bound = body.temporal_bound(now, next);
                body.bound_expires = next;
            }
        }
        let world = &mut self.world;
        world.changes.clear();
        let bodies = &world.bodies;
        let mut bounds = (0_u32..).zip(bodies).filter(|(_, body)| body.moves()).map(|(k, body)| (k, body.bound));
        world.intersections.update_all(&mut bounds, &mut world.changes);
        self.apply_changes();
    }

    /// New intersections are predicted. Those that cease keep the event that
    /// is already in the queue (event hysteresis): if the bounds meet again
    /// before it, nothing need be predicted.
    fn apply_changes(&mut self) {
        let world = &mut self.world;
        let changes = std::mem::take(&mut world.changes);
        for (a, b) in &changes.ended {
            if let Some(pair) = world.pair_between(*a, *b) {
                world.pairs[pair as usize].intersecting = false;
                if !world.queue.is_scheduled(world.pairs[pair as usize].slot) {
                    world.drop_pair(*a, *b);
                }
            }
        }
        for (a, b) in &changes.started {
            if let Some(pair) = world.pair_between(*a, *b) {
                world.pairs[pair as usize].intersecting = true;
                continue;
            }
            world.make_pair(*a, *b);
            if let Some(pair) = world.pair_between(*a, *b) {
                world.predict(pair);
            }
        }
        world.changes = changes;
    }

    /// The fastest body crosses a tenth of its radius.
    fn shortest_step(&self) -> f64 {
        let moving = self.world.bodies.iter().filter(|body| body.moves());
        let times = moving.map(|body| body.reach / (body.flight.velocity(self.world.now).length() + 1e-9));
        0.1 * times.fold(10.0, f64::min)
    }
}
