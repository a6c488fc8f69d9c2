//! All contacts of a frame, solved together by the contact core of `bodies`.
//!
//! Velocity rounds come before the bodies move on, position rounds after. As
//! many of both as [`CONTACT_TESTS`] covers are done at any budget; more follow
//! while something still changes and the budget has room. A timed budget is asked
//! after every round.
//!
//! [`CONTACT_TESTS`]: super::CONTACT_TESTS

use proscenium_bodies::Motion;
use proscenium_bodies::contact::{ContactBody, ContactPoint, ContactSettings, ContactSolver};

use super::World;
use super::budget::{Meter, ROUND_TESTS};
use super::collision::Partner;
use super::frame::FrameReport;
use super::joints::GROUND;

/// Velocity rounds at any budget, and with all there is to spend; chosen: with
/// warm starts a pile settles with few.
const LEAST_ROUNDS: u32 = 4;
const MOST_ROUNDS: u32 = 24;
/// Position rounds at any budget, and with all there is to spend.
const LEAST_PUSHES: u32 = 2;
const MOST_PUSHES: u32 = 8;
/// The same where there are joints, which pass what happens at one end of a figure on
/// to the other; what they cost covers them.
const LEAST_JOINT_ROUNDS: u32 = 12;
const LEAST_JOINT_PUSHES: u32 = 4;
/// Rounds that change no velocity by more than this share of what gravity adds
/// in a step are the last.
const SETTLED: f64 = 0.002;
/// Overlap that stays, and the most that a round pushes apart at a contact, as
/// shares of the bodies' radius; chosen, so that nothing is seen to jump.
const SLOP: f64 = 0.004;
const MOST_PUSH: f64 = 0.02;
/// The share of an overlap that a position round takes out.
const PUSH: f64 = 0.25;
/// What gravity adds in this many frames does not bounce, or nothing would rest.
const RESTING_FRAMES: f64 = 2.0;

/// The solver of a frame, and which body each of its bodies is.
pub(super) struct FrameSolver {
    solver: ContactSolver,
    members: Vec<u32>,
}

impl FrameSolver {
    /// What one more round costs, in node tests: a joint has about as many rows as
    /// four contacts.
    fn round_cost(&self) -> u64 {
        (self.solver.len() + 4 * self.solver.joints()) as u64 * ROUND_TESTS
    }
}

impl World {
    /// The speed below which nothing bounces.
    pub(super) fn rest_speed(&self, step: f64) -> f64 {
        RESTING_FRAMES * step * self.settings.gravity.length()
    }

    /// The solver for the contacts of all collisions.
    pub(super) fn solver(&mut self, contacts: &mut [ContactPoint], step: f64) -> FrameSolver {
        // The first body of the solver is the ground that nothing moves.
        let mut slots = vec![0; self.bodies.len()];
        let mut members = vec![u32::MAX];
        let mut bodies = vec![ContactBody::new(Motion::AT_REST, None)];
        let mut largest = 0.0_f64;
        let mut next = 0;
        let mut place = |index: u32| {
            let body = &self.bodies[index as usize];
            if slots[index as usize] == 0 {
                slots[index as usize] = bodies.len() as u32;
                members.push(index);
                bodies.push(ContactBody::new(body.motion, body.is_awake().then_some(&body.inertia)));
                largest = largest.max(body.model.radius());
            }
            slots[index as usize]
        };
        let mut joints = self.joints.clone_awake(&self.bodies);
        for joint in &mut joints {
            joint.bodies = joint.bodies.map(|index| if index == GROUND { 0 } else { place(index) });
        }
        for collision in &self.collisions {
            let both = match collision.partner {
                Partner::Body(other) => [Some(collision.a), Some(other.0)],
                Partner::Wall(_) => [Some(collision.a), None],
            };
            let places = both.map(|index| index.map_or(0, &mut place));
            for contact in &mut contacts[next..next + collision.contacts.len()] {
                contact.bodies = places;
            }
            next += collision.contacts.len();
        }
        let settings = ContactSettings {
            step,
            rest_speed: self.rest_speed(step),
            slop: SLOP * largest,
            push: PUSH,
            most_push: MOST_PUSH * largest,
        };
        FrameSolver { solver: ContactSolver::new(bodies, contacts, settings).with_joints(&joints), members }
    }

    /// Velocities that no contact forbids.
    pub(super) fn solve_velocities(
        &mut self,
        solving: &mut FrameSolver,
        step: f64,
        meter: &mut Meter<'_>,
        report: &mut FrameReport,
    ) {
        let round_cost = solving.round_cost();
        let solver = &mut solving.solver;
        let least = if solver.joints() > 0 { LEAST_JOINT_ROUNDS } else { LEAST_ROUNDS };
        let enough = SETTLED * (step * self.settings.gravity.length()).max(1e-3);
        solver.warm_start();
        for round in 0..MOST_ROUNDS {
            if round >= least && !meter.affords(round_cost) {
                break;
            }
            report.rounds += 1;
            if solver.velocity_round() < enough {
                break;
            }
        }
        solver.bounce();
        for (body, member) in solver.bodies().iter().zip(&solving.members).skip(1) {
            self.bodies[*member as usize].motion = body.motion;
        }
    }

    /// Positions in which nothing overlaps, as far as rounds allow.
    pub(super) fn solve_positions(
        &mut self,
        solving: &mut FrameSolver,
        meter: &mut Meter<'_>,
        report: &mut FrameReport,
    ) {
        let round_cost = solving.round_cost();
        let solver = &mut solving.solver;
        let least = if solver.joints() > 0 { LEAST_JOINT_PUSHES } else { LEAST_PUSHES };
        for (body, member) in solver.bodies_mut().iter_mut().zip(&solving.members).skip(1) {
            body.motion = self.bodies[*member as usize].motion;
        }
        for round in 0..MOST_PUSHES {
            if round >= least && !meter.affords(round_cost) {
                break;
            }
            report.pushes += 1;
            if solver.position_round() <= 0.0 {
                break;
            }
        }
        for (body, member) in solver.bodies().iter().zip(&solving.members).skip(1) {
            self.bodies[*member as usize].motion = body.motion;
        }
    }

    /// Keeps the impulses for the next frame to begin with.
    pub(super) fn keep_impulses(&mut self, solving: &FrameSolver) {
        self.joints.keep_impulses(&self.bodies, |number| solving.solver.joint_impulse(number));
        for collision in &self.collisions {
            let Some(memory) = self.memory.of_mut((collision.a, collision.partner)) else {
                continue;
            };
            if let Some((frame, impulse)) = &mut memory.coarse
                && *frame == self.frame
                && collision.shown_rounds == 0
            {
                *impulse = solving.solver.impulse(collision.first_row);
            }
            if collision.shown_rounds > 0 {
                for (number, kept) in memory.contacts.iter_mut().enumerate().take(collision.contacts.len()) {
                    kept.impulse = solving.solver.impulse(collision.first_row + number);
                }
            }
        }
    }
}
