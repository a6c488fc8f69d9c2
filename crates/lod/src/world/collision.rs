//! A collision while it is handled: the pairs of nodes that meet so far.

use glam::DVec3;
use proscenium_bodies::Motion;
use proscenium_geometry::Pose;

use super::{Body, BodyId, Wall};
use crate::contact::pair::{Hit, NO_NODE, PlacedPair, Places, PlanePair, most_plane_tests, most_tests};
use crate::contact::{Contact, Primitive};

/// What a body collides with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Partner {
    /// Another body, of a higher number.
    Body(BodyId),
    /// A wall, by its number.
    Wall(u32),
}

/// More pairs of nodes than this are not refined further: the bodies are so
/// deep in each other that detail says nothing. Chosen, as a bound on the work.
const MOST_HITS: usize = 512;

/// Nodes count as meeting within this share of the smaller radius and what the
/// bodies move in a step, so that what comes near is known before it touches
/// (decision 140).
const MARGIN: f64 = 0.02;
/// Recursion is capped where nodes are smaller than this share of what the
/// bodies move against each other in a step (algorithm 5.3.1); chosen: the margin
/// sees what comes, and smaller nodes say nothing about where it will be.
const CAPPED: f64 = 0.25;

/// Two bodies, or a body and a wall, that may touch.
#[derive(Clone, Debug)]
pub(crate) struct Collision {
    pub(crate) a: u32,
    pub(crate) partner: Partner,
    places: Places,
    pub(crate) hits: Vec<Hit>,
    /// Half levels that were descended: one tree goes ahead, the other follows.
    pub(crate) rounds: u32,
    /// Where recursion is capped (algorithm 5.3.1).
    pub(crate) cap: u32,
    /// How far the two can move against each other in the step, metres.
    pub(crate) displacement: f64,
    /// Nodes within this distance count as meeting, metres.
    pub(crate) margin: f64,
    /// What a contact primitive of the two costs, in node tests.
    pub(crate) primitive_cost: u64,
    /// For pairs that would pass each other in a step: when their bounds meet,
    /// seconds, and the normal then.
    pub(crate) swept: Option<(f64, DVec3)>,
    /// `None` if nobody sees it.
    pub(crate) score: Option<f64>,
    pub(crate) band: u32,
    pub(crate) contacts: Vec<Contact>,
    /// Which nodes each of the contacts is of.
    pub(crate) nodes: Vec<Hit>,
    /// The rows of the solver that are its contacts: the first of them.
    pub(crate) first_row: usize,
    /// Whether the contacts of a frame before stand for it without a new look.
    pub(crate) is_reused: bool,
    /// Whether the contacts of a frame before stand for it, reused or because
    /// the budget did not allow for as fine ones.
    pub(crate) is_held: bool,
    /// How many of them: those that press most.
    pub(crate) held_contacts: usize,
    pub(crate) shown_rounds: u32,
}

/// What became of a collision in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollisionReport {
    /// The body.
    pub a: BodyId,
    /// What it met.
    pub partner: Partner,
    /// The level of the trees that answered.
    pub level: u32,
    /// The band of priority, 0 the highest.
    pub band: u32,
    /// Its score; `None` if nobody sees it.
    pub score: Option<f64>,
    /// The first contact that was responded to.
    pub contact: Option<Contact>,
    /// Whether the contact of the frame before was kept, so that the level
    /// does not fall while the pair touches and is watched.
    pub is_held: bool,
    /// The middle of the collision, as the scores saw it.
    pub point: DVec3,
}

impl Collision {
    /// The roots of two bodies or a wall, if they meet: now, or, for a pair
    /// whose relative motion in a step is larger than its nodes of level 1,
    /// within the step.
    pub(crate) fn begin(
        bodies: &[Body],
        walls: &[Wall],
        a: u32,
        partner: Partner,
        step: f64,
        deepest: u32,
        spare: &mut Vec<Vec<Hit>>,
    ) -> Option<Self> {
        let body = &bodies[a as usize];
        let (displacement, other) = match partner {
            Partner::Body(other) => {
                let other = &bodies[other.0 as usize];
                let relative = (body.motion.velocity - other.motion.velocity).length();
                (step * (relative + rim_speed(body) + rim_speed(other)), Some(other))
            }
            Partner::Wall(_) => (step * (body.motion.velocity.length() + rim_speed(body)), None),
        };
        let pose_b = other.map_or(body.motion.pose(), |other| other.motion.pose());
        let radius = other.map_or(body.model.radius(), |other| body.model.radius().min(other.model.radius()));
        let margin = displacement + MARGIN * radius;
        let is_swept = deepest > 0 && cap_level(body, other, displacement, 1) == 0 && displacement > 0.0;
        let level = if is_swept { 0 } else { cap_level(body, other, CAPPED * displacement, deepest) };
        let mut collision = Self {
            a,
            partner,
            places: Places::new(&body.motion.pose(), &pose_b),
            hits: Vec::new(),
            rounds: 0,
            cap: 2 * level,
            displacement,
            margin,
            primitive_cost: other.map_or(0, |other| other.model.primitive_cost()).max(body.model.primitive_cost()),
            swept: None,
            score: None,
            band: 0,
            contacts: Vec::new(),
            nodes: Vec::new(),
            first_row: 0,
            is_reused: false,
            is_held: false,
            held_contacts: 0,
            shown_rounds: 0,
        };
        if is_swept {
            collision.swept = match (other, partner) {
                (Some(other), _) => balls_meet(body, other, step),
                (None, Partner::Wall(wall)) => ball_meets_wall(body, &walls[wall as usize], step),
                _ => None,
            };
            collision.swept?;
            return Some(collision);
        }
        let meets = match partner {
            Partner::Body(_) => collision.pair(bodies).is_some_and(|pair| pair.roots_meet()),
            Partner::Wall(wall) => collision.plane(bodies, &walls[wall as usize]).root_meets(),
        };
        let second = if other.is_some() { 0 } else { NO_NODE };
        meets.then(|| {
            collision.hits = spare.pop().unwrap_or_default();
            collision.hits.clear();
            collision.hits.push([0, second]);
            collision
        })
    }

    fn pair<'a>(&self, bodies: &'a [Body]) -> Option<PlacedPair<'a>> {
        let Partner::Body(other) = self.partner else {
            return None;
        };
        Some(
            PlacedPair::placed(&bodies[self.a as usize].model, &bodies[other.0 as usize].model, self.places)
                .with_margin(self.margin),
        )
    }

    fn plane<'a>(&self, bodies: &'a [Body], wall: &Wall) -> PlanePair<'a> {
        let body = &bodies[self.a as usize];
        PlanePair::new(&body.model, &body.motion.pose(), wall.normal, wall.offset, self.margin)
    }

    /// The most tests that the next refinement can take; zero if there is
    /// nothing to refine.
    pub(crate) fn next_cost(&self, bodies: &[Body]) -> u64 {
        if self.is_reused || self.rounds >= self.cap || self.hits.len() > MOST_HITS {
            return 0;
        }
        self.refinement_cost(bodies)
    }

    /// Whether the depths of its nodes are those of the solids as far as can be
    /// known: all are leaves, or there are so many that the bodies are deep in
    /// each other.
    pub(crate) fn is_of_leaves(&self, bodies: &[Body]) -> bool {
        self.hits.len() > MOST_HITS || self.refinement_cost(bodies) == 0
    }

    /// Whether the pair was refined as far as it may be.
    pub(crate) fn is_complete(&self, bodies: &[Body]) -> bool {
        self.next_cost(bodies) == 0
    }

    fn refinement_cost(&self, bodies: &[Body]) -> u64 {
        let model = &bodies[self.a as usize].model;
        match self.partner {
            Partner::Body(other) => most_tests(model, &bodies[other.0 as usize].model, &self.hits),
            Partner::Wall(_) => most_plane_tests(model, &self.hits),
        }
    }

    /// Refines all hits by half a level (appendix B.2.2): returns the tests it
    /// took. Without hits the bodies do not touch.
    pub(crate) fn refine(&mut self, bodies: &[Body], walls: &[Wall], spare: &mut Vec<Hit>) -> u64 {
        spare.clear();
        let tests = match self.partner {
            Partner::Body(_) => self.pair(bodies).map_or(0, |pair| pair.refine(&self.hits, spare)),
            // A wall has one side to refine: a round is two half levels.
            Partner::Wall(wall) => self.plane(bodies, &walls[wall as usize]).refine(&self.hits, spare),
        };
        std::mem::swap(&mut self.hits, spare);
        self.rounds += if matches!(self.partner, Partner::Wall(_)) { 2 } else { 1 };
        tests
    }

    /// The contact primitives of the current hits.
    pub(crate) fn primitives(&self, bodies: &[Body], walls: &[Wall], primitives: &mut Vec<Primitive>) {
        primitives.clear();
        match self.partner {
            Partner::Body(_) => {
                if let Some(pair) = self.pair(bodies) {
                    primitives.extend(self.hits.iter().map(|hit| pair.primitive(*hit)));
                }
            }
            Partner::Wall(wall) => {
                let plane = self.plane(bodies, &walls[wall as usize]);
                primitives.extend(self.hits.iter().map(|hit| plane.primitive(*hit)));
            }
        }
    }

    /// Where the second body is, seen from the first; the first, seen from a
    /// wall; and the reach of what is seen.
    pub(crate) fn relative(&self, bodies: &[Body]) -> (Pose, f64) {
        let body = &bodies[self.a as usize];
        match self.partner {
            Partner::Body(other) => (self.places.a_from_b(), bodies[other.0 as usize].model.radius()),
            Partner::Wall(_) => (body.motion.pose(), body.model.radius()),
        }
    }

    /// The distance of the middles, or the height over the wall; where the
    /// bounding balls touch at that distance; and the normal.
    pub(crate) fn balls(&self, bodies: &[Body], walls: &[Wall]) -> (f64, f64, DVec3) {
        let body = &bodies[self.a as usize];
        match self.partner {
            Partner::Body(other) => {
                let other = &bodies[other.0 as usize];
                let offset = other.motion.position - body.motion.position;
                (offset.length(), body.model.radius() + other.model.radius(), offset.normalize_or(DVec3::Y))
            }
            Partner::Wall(wall) => {
                let wall = &walls[wall as usize];
                (wall.normal.dot(body.motion.position) - wall.offset, body.model.radius(), -wall.normal)
            }
        }
    }

    /// The middle of the collision, taken from the bounding spheres.
    pub(crate) fn middle(&self, bodies: &[Body], walls: &[Wall]) -> DVec3 {
        let body = &bodies[self.a as usize];
        let center = body.motion.position;
        match self.partner {
            Partner::Body(other) => {
                let other = &bodies[other.0 as usize];
                let (one, two) = (body.model.radius(), other.model.radius());
                center + one / (one + two) * (other.motion.position - center)
            }
            Partner::Wall(wall) => {
                let wall = &walls[wall as usize];
                center - (wall.normal.dot(center) - wall.offset) * wall.normal
            }
        }
    }
}

/// The fastest that the rim of a body moves about its middle.
fn rim_speed(body: &Body) -> f64 {
    body.motion.spin.length() * body.model.radius()
}

/// The deepest level whose nodes do not move by more than their own size
/// against each other in a step.
fn cap_level(body: &Body, other: Option<&Body>, displacement: f64, deepest: u32) -> u32 {
    let depth = body.model.depth().max(other.map_or(0, |other| other.model.depth())).min(deepest);
    let reach = |level: u32| {
        let own = body.model.level_reach(level);
        other.map_or(own, |other| own.min(other.model.level_reach(level)))
    };
    (1..=depth).take_while(|level| reach(*level) >= displacement).last().unwrap_or(0)
}

/// When the balls around two bodies meet within a step, and the normal then.
fn balls_meet(a: &Body, b: &Body, step: f64) -> Option<(f64, DVec3)> {
    let offset = b.motion.position - a.motion.position;
    let velocity = b.motion.velocity - a.motion.velocity;
    let both = a.model.radius() + b.model.radius();
    let time = approach_time(offset, velocity, both).filter(|time| *time <= step)?;
    Some((time, (offset + time * velocity).normalize_or(DVec3::Y)))
}

/// When two points that far apart come within a distance, if they ever do.
pub(crate) fn approach_time(offset: DVec3, velocity: DVec3, distance: f64) -> Option<f64> {
    let missing = offset.length_squared() - distance * distance;
    let closing = offset.dot(velocity);
    if missing <= 0.0 {
        return (closing < 0.0).then_some(0.0);
    }
    let squared = velocity.length_squared();
    let discriminant = closing * closing - squared * missing;
    (closing < 0.0 && discriminant >= 0.0).then(|| missing / (discriminant.sqrt() - closing))
}

fn ball_meets_wall(body: &Body, wall: &Wall, step: f64) -> Option<(f64, DVec3)> {
    let height = wall.normal.dot(body.motion.position) - wall.offset - body.model.radius();
    let falling = -wall.normal.dot(body.motion.velocity);
    let time = (height / falling).max(0.0);
    (falling > 0.0 && time <= step).then_some((time, -wall.normal))
}

/// The motions of both sides; a wall stands still where the body is.
pub(crate) fn motions<'a>(bodies: &'a [Body], collision: &Collision) -> [&'a Motion; 2] {
    const STILL: &Motion = &Motion::AT_REST;
    let other = match collision.partner {
        Partner::Body(other) => &bodies[other.0 as usize].motion,
        Partner::Wall(_) => STILL,
    };
    [&bodies[collision.a as usize].motion, other]
}
