//! A ball among pegs: it falls through staggered rows, hits at most one peg of
//! each with an uncertain normal, and should land at a place that it seldom
//! reaches. There are several ways there, which a sampler must find in the right
//! proportions.

use proscenium_chance::Density;
use proscenium_direct::{Abandon, Evaluation, Model, Request, Space, VariableId};

use crate::error::Halt;

/// Lengths are in distances between rows, which are those between pegs; times
/// such that gravity is one.
const ROWS: usize = 5;
/// The radius of a peg and the ball together.
const RADIUS: f64 = 0.27;
const RESTITUTION: f64 = 0.2;
/// The standard deviation of a normal's inclination, 10 degrees.
pub(crate) const INCLINATION: f64 = 10.0 * std::f64::consts::PI / 180.0;
/// The standard deviation of the place of release.
const RELEASE: f64 = 0.15;
/// How many ways through are told apart: left or right at each row but the last.
pub(crate) const MODES: usize = 1 << (ROWS - 1);

/// The ball among pegs.
pub(crate) struct Pegs {
    space: Space,
    release: VariableId,
    normals: Vec<VariableId>,
    target: f64,
    tolerance: f64,
}

impl Pegs {
    /// Wants the ball to land within the tolerance of `target`.
    pub fn new(target: f64, tolerance: f64) -> Result<Self, Halt> {
        let mut space = Space::new();
        let ball = space.group("ball")?;
        let release = space.variable(ball, "release", Density::normal(0.0, RELEASE)?)?;
        let mut normals = Vec::new();
        for index in 1..=ROWS {
            let row = space.group(format!("row {index}"))?;
            normals.push(space.variable(row, format!("normal {index}"), Density::normal(0.0, INCLINATION)?)?);
        }
        Ok(Self { space, release, normals, target, tolerance })
    }

    /// The standard deviation of the want.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Falling {
    x: f64,
    across: f64,
    down: f64,
}

impl Falling {
    /// Meets a row, every second of which is shifted by half a gap: bounces off
    /// the peg below it, if there is one.
    fn meet(&mut self, row: usize, inclination: f64) {
        let shift = if row.is_multiple_of(2) { 0.0 } else { 0.5 };
        let off = self.x - shift - (self.x - shift).round();
        if off.abs() >= RADIUS {
            return;
        }
        let angle = libm::asin(off / RADIUS) + inclination;
        let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
        let approach = self.down * cosine - self.across * sine;
        if approach > 0.0 {
            self.across += (1.0 + RESTITUTION) * approach * sine;
            self.down -= (1.0 + RESTITUTION) * approach * cosine;
        }
    }

    /// Flies to the next row.
    fn fly(&mut self) {
        let arrival = (self.down * self.down + 2.0).sqrt();
        self.x += self.across * (arrival - self.down);
        self.down = arrival;
    }
}

impl Model for Pegs {
    /// Which way the ball went: to the left or right of each row, as one number.
    type Outcome = usize;

    fn space(&self) -> &Space {
        &self.space
    }

    fn greatest_log_score(&self) -> f64 {
        0.0
    }

    fn simulate(&self, request: &Request<'_, usize>) -> Result<Evaluation<usize>, Abandon> {
        let mut ball = Falling { x: request.values.at(self.release), across: 0.0, down: 0.0 };
        ball.fly();
        let mut mode = 0;
        for (row, normal) in self.normals.iter().enumerate() {
            ball.meet(row, request.values.at(*normal));
            ball.fly();
            if row + 1 < ROWS {
                mode = 2 * mode + usize::from(ball.across > 0.0);
            }
        }
        let miss = (ball.x - self.target).abs();
        let log_score = -0.5 * (miss / self.tolerance) * (miss / self.tolerance);
        Ok(Evaluation { log_score, satisfied: miss <= self.tolerance, outcome: mode })
    }

    fn quantities(&self) -> Vec<String> {
        vec!["mode".to_owned()]
    }

    fn measure(&self, outcome: &usize) -> Vec<f64> {
        vec![*outcome as f64]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_bounces_off_a_peg_and_falls_through_a_gap() {
        // Straight onto the peg: back up, slower.
        let mut ball = Falling { x: 0.0, across: 0.0, down: 2.0 };
        ball.meet(0, 0.0);
        assert_eq!((ball.x, ball.across), (0.0, 0.0));
        assert!((ball.down + 2.0 * RESTITUTION).abs() < 1e-12);
        // Up for one unit of time, and down again to one below: 1 + √3.
        let mut ball = Falling { x: 0.0, across: 1.0, down: -1.0 };
        ball.fly();
        assert!((ball.x - (1.0 + 3.0_f64.sqrt())).abs() < 1e-12);
        // Between the pegs of the next row, which is shifted.
        let mut ball = Falling { x: 0.0, across: 0.3, down: 2.0 };
        let before = ball;
        ball.meet(1, 0.2);
        assert_eq!(ball, before);
    }

    #[test]
    fn energy_is_lost_in_the_normal_direction_only() {
        let mut ball = Falling { x: 0.1, across: 0.4, down: 1.5 };
        let before = ball;
        ball.meet(0, 0.1);
        let angle = libm::asin(0.1 / RADIUS) + 0.1;
        let normal = (libm::sin(angle), libm::cos(angle));
        let along = |ball: Falling| ball.across * normal.1 + ball.down * normal.0;
        let against = |ball: Falling| ball.across * normal.0 - ball.down * normal.1;
        assert!((along(ball) - along(before)).abs() < 1e-12);
        assert!((against(ball) + RESTITUTION * against(before)).abs() < 1e-12);
    }
}
