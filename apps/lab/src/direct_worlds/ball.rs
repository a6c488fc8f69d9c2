//! The paper's ball (Chenney 2000, 2.2 and 2.4.1): dropped from 4.5 diameters,
//! five collisions with random normals, to rest near x = one diameter.

use proscenium_chance::Density;
use proscenium_direct::{Abandon, Evaluation, Model, Request, Space, VariableId};

use crate::error::Halt;

/// Lengths are in diameters of the ball, times such that gravity is one.
const DROP: f64 = 4.5;
/// The height of the centre when the ball touches the table.
const RADIUS: f64 = 0.5;
/// How much of the normal velocity a collision leaves: 1/√2.
const KEPT: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// The standard deviation of a normal's inclination, 10 degrees.
pub(crate) const INCLINATION: f64 = 10.0 * std::f64::consts::PI / 180.0;
const COLLISIONS: usize = 5;
/// Where the ball should come to rest, and the standard deviation of the want.
pub(crate) const TARGET: f64 = 1.0;
const TOLERANCE: f64 = 0.1;

/// The 2D ball.
pub(crate) struct Ball {
    space: Space,
    normals: Vec<VariableId>,
}

/// Where the ball came to rest, and the normal of its first collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rest {
    pub x: f64,
    pub first_normal: f64,
}

impl Ball {
    pub fn new() -> Result<Self, Halt> {
        let mut space = Space::new();
        let table = space.group("table")?;
        let mut normals = Vec::new();
        for index in 1..=COLLISIONS {
            normals.push(space.variable(table, format!("normal {index}"), Density::normal(0.0, INCLINATION)?)?);
        }
        Ok(Self { space, normals })
    }
}

impl Model for Ball {
    type Outcome = Rest;

    fn space(&self) -> &Space {
        &self.space
    }

    fn greatest_log_score(&self) -> f64 {
        0.0
    }

    fn simulate(&self, request: &Request<'_, Rest>) -> Result<Evaluation<Rest>, Abandon> {
        let fall = (2.0 * (DROP - RADIUS)).sqrt();
        let (mut x, mut across, mut up) = (0.0_f64, 0.0, -fall);
        for (done, normal) in self.normals.iter().enumerate() {
            let inclination = request.values.at(*normal);
            let (sine, cosine) = (libm::sin(inclination), libm::cos(inclination));
            // The velocity is reflected, and its normal component scaled.
            let approach = across * sine + up * cosine;
            if approach < 0.0 {
                across -= (1.0 + KEPT) * approach * sine;
                up -= (1.0 + KEPT) * approach * cosine;
            }
            // A ball that is sent into the table touches it again at once.
            x += across * 2.0 * up.max(0.0);
            up = -up.abs();
            // No collision adds to the energy, so that no flight is longer than this.
            let left = (self.normals.len() - done - 1) as f64;
            let reach = left * (across * across + up * up);
            request.check(log_score(((x - TARGET).abs() - reach).max(0.0)))?;
        }
        let miss = (x - TARGET).abs();
        let outcome = Rest { x, first_normal: request.values.at(self.normals[0]) };
        Ok(Evaluation { log_score: log_score(miss), satisfied: miss <= TOLERANCE, outcome })
    }

    fn quantities(&self) -> Vec<String> {
        vec!["rest".to_owned(), "first_normal".to_owned()]
    }

    fn measure(&self, outcome: &Rest) -> Vec<f64> {
        vec![outcome.x, outcome.first_normal]
    }
}

fn log_score(miss: f64) -> f64 {
    -0.5 * (miss / TOLERANCE) * (miss / TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_direct::Point;

    fn rest(inclinations: [f64; 5]) -> Rest {
        let ball = Ball::new().unwrap();
        let whitened = inclinations.map(|angle| angle / INCLINATION).to_vec();
        let values = ball.space().values(&Point::new(whitened, vec![true]));
        ball.simulate(&Request::whole(&values, &proscenium_work::Progress::none())).unwrap().outcome
    }

    #[test]
    fn on_a_level_table_it_stays_in_place() {
        assert_eq!(rest([0.0; 5]).x, 0.0);
    }

    /// One inclined normal, worked out by hand: the fall's speed v is turned by
    /// twice the angle, less what the collision takes; then four level bounces.
    #[test]
    fn one_inclined_normal_is_as_by_hand() {
        let angle = 0.05;
        let v = 8.0_f64.sqrt();
        let across = (1.0 + KEPT) * v * libm::cos(angle) * libm::sin(angle);
        let mut up = -v + (1.0 + KEPT) * v * libm::cos(angle) * libm::cos(angle);
        let mut expected = 0.0;
        for _ in 0..5 {
            expected += across * 2.0 * up;
            up *= KEPT;
        }
        let found = rest([angle, 0.0, 0.0, 0.0, 0.0]).x;
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
        assert!((rest([-angle, 0.0, 0.0, 0.0, 0.0]).x + expected).abs() < 1e-12);
    }
}
