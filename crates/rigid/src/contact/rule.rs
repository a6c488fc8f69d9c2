//! When a touch becomes a contact, and how contacts are kept.

use proscenium_bodies::glam::DVec3;

/// When a touch becomes a contact, and how contacts are kept. By default every
/// number follows from gravity and the smallest body; see
/// [`ContactRule::natural`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRule {
    /// Bodies that approach each other more slowly than this do not bounce,
    /// m/s.
    pub speed: f64,
    /// How often an island of touching bodies is stepped, seconds.
    pub step: f64,
    /// How far apart the solver keeps bodies that touch, metres: they stand
    /// on a skin too thin to see, and do not overlap.
    pub skin: f64,
    /// Rounds of the solver per step, at most.
    pub rounds: u32,
    /// An island all of whose points stay slower than this comes to rest, m/s.
    pub rest_speed: f64,
    /// After how long, seconds.
    pub rest_after: f64,
}

/// The angle that a body may turn by in a step (3.4 degrees), unless the step would
/// become shorter than a share of the usual one (an eighth). Chosen: a place at the
/// rim then leaves its tangent by less than two thousandths of the radius.
const LARGEST_TURN: f64 = 0.06;
const SHORTEST_STEP: f64 = 0.125;

impl ContactRule {
    /// The rule for bodies whose smallest has this radius, under gravity: in
    /// a step a body falls a hundredth of its radius at most, and what counts
    /// as a bounce lasts four steps.
    ///
    /// ```
    /// use proscenium_rigid::{ContactRule, glam::DVec3};
    ///
    /// let dice = ContactRule::natural(0.014, DVec3::new(0.0, -9.81, 0.0));
    /// assert!((dice.step - 0.00236).abs() < 1e-5);
    /// assert!(dice.speed < 0.05 && dice.skin < 2e-6);
    /// ```
    pub fn natural(smallest_radius: f64, gravity: DVec3) -> Self {
        // Without gravity slow bodies still have to be told from fast ones.
        let fall = gravity.length().max(0.1);
        let radius = if smallest_radius.is_finite() && smallest_radius > 0.0 { smallest_radius } else { 0.1 };
        // A sixteenth of the time of a fall through the radius, within what is worth
        // stepping; a bounce that lasts four steps (decision 12).
        let step = ((radius / fall).sqrt() / 16.0).clamp(1.0 / 2048.0, 1.0 / 128.0);
        // The rounds, and what counts as rest, are chosen: a tower of five boxes and a
        // heap of a hundred grains come to rest with them (decision 12).
        Self {
            speed: 2.0 * fall * step,
            step,
            skin: 1e-4 * radius,
            rounds: 40,
            rest_speed: 0.25 * fall * step,
            rest_after: 0.2,
        }
    }

    /// The rule for a step in which something turns this fast: what a turning
    /// body does beside its velocity must stay small.
    pub(crate) fn for_spin(&self, spin: f64) -> Self {
        Self { step: self.step.min(LARGEST_TURN / spin).max(SHORTEST_STEP * self.step), ..*self }
    }

    pub(crate) fn check(&self) -> Result<(), (&'static str, f64)> {
        let positive = |what, value: f64| if value.is_finite() && value > 0.0 { Ok(()) } else { Err((what, value)) };
        positive("the speed of contact", self.speed)?;
        positive("the step of contact", self.step)?;
        positive("the skin of contact", self.skin)?;
        positive("the rounds of contact", f64::from(self.rounds))?;
        positive("the speed of rest", self.rest_speed)?;
        positive("the time to rest", self.rest_after)
    }

    /// Places nearer than this take part in a step, if they are at rest.
    pub(crate) fn margin(&self) -> f64 {
        self.speed * self.step + 2.0 * self.skin
    }
}
