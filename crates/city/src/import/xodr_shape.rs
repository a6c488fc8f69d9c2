//! Reference lines of OpenDRIVE: lines, arcs, clothoids and polynomials.

use glam::DVec2;

/// A polynomial from a place on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cubic {
    pub(super) start: f64,
    pub(super) factors: [f64; 4],
}

/// The value at a place of that polynomial of a list that holds there.
pub(super) fn value(list: &[Cubic], at: f64) -> f64 {
    let holds = list.iter().rev().find(|cubic| cubic.start <= at + 1e-9).or(list.first());
    holds.map_or(0.0, |cubic| polynomial(&cubic.factors, (at - cubic.start).max(0.0)))
}

fn polynomial([a, b, c, d]: &[f64; 4], x: f64) -> f64 {
    a + x * (b + x * (c + x * d))
}

fn slope([_, b, c, d]: &[f64; 4], x: f64) -> f64 {
    b + x * (2.0 * c + x * 3.0 * d)
}

/// A piece of a reference line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Geometry {
    pub(super) start: f64,
    pub(super) x: f64,
    pub(super) y: f64,
    /// Radians from east towards north.
    pub(super) heading: f64,
    pub(super) length: f64,
    pub(super) piece: Piece,
}

/// The form of a piece, from its own start in its own direction.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Line,
    /// With this curvature, 1/m, positive to the left.
    Arc(f64),
    /// A clothoid from one curvature to another.
    Spiral(f64, f64),
    /// Off by a polynomial of the way straight on.
    Cubic([f64; 4]),
    /// Both coordinates by polynomials of the length, or of its share.
    Parametric {
        u: [f64; 4],
        v: [f64; 4],
        is_normalised: bool,
    },
}

/// A place on a reference line: east, north, and the direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Station {
    pub(super) position: DVec2,
    /// Radians from east towards north.
    pub(super) heading: f64,
}

impl Station {
    /// The place so far to the left, in plan coordinates.
    pub(super) fn beside(&self, left: f64) -> DVec2 {
        let (sin, cos) = libm::sincos(self.heading);
        let at = self.position + left * DVec2::new(-sin, cos);
        DVec2::new(at.x, -at.y)
    }
}

/// The place on a line at so many metres from its start.
pub(super) fn station(line: &[Geometry], at: f64) -> Option<Station> {
    let geometry = line.iter().rev().find(|piece| piece.start <= at + 1e-9).or(line.first())?;
    let (local, turn) = geometry.piece.at((at - geometry.start).clamp(0.0, geometry.length), geometry.length);
    let (sin, cos) = libm::sincos(geometry.heading);
    let position = DVec2::new(geometry.x, geometry.y) + DVec2::new(cos, sin).rotate(local);
    Some(Station { position, heading: geometry.heading + turn })
}

impl Piece {
    /// Place and turn after so many metres of a piece.
    fn at(&self, s: f64, length: f64) -> (DVec2, f64) {
        match *self {
            Self::Line => (DVec2::new(s, 0.0), 0.0),
            Self::Arc(curvature) => arc(curvature, s),
            Self::Spiral(from, to) => spiral(from, (to - from) / length.max(1e-9), s),
            Self::Cubic(factors) => {
                let u = abscissa(&factors, s);
                (DVec2::new(u, polynomial(&factors, u)), libm::atan(slope(&factors, u)))
            }
            Self::Parametric { u, v, is_normalised } => {
                let p = if is_normalised { s / length.max(1e-9) } else { s };
                let place = DVec2::new(polynomial(&u, p), polynomial(&v, p));
                (place, libm::atan2(slope(&v, p), slope(&u, p)))
            }
        }
    }
}

fn arc(curvature: f64, s: f64) -> (DVec2, f64) {
    let turn = curvature * s;
    if turn.abs() < 1e-9 {
        return (DVec2::new(s, 0.5 * turn * s), turn);
    }
    let (sin, cos) = libm::sincos(turn);
    (DVec2::new(sin, 1.0 - cos) / curvature, turn)
}

/// A clothoid by Simpson's rule, in steps over which the direction turns little.
fn spiral(curvature: f64, growth: f64, s: f64) -> (DVec2, f64) {
    /// Steps for each radian, and at least. The error of Simpson's rule is then
    /// below a tenth of a millimetre for each hundred metres.
    const STEPS: f64 = 16.0;
    let turn = |s: f64| s * (curvature + 0.5 * growth * s);
    let most = (curvature.abs() + (growth * s).abs()) * s;
    let steps = (STEPS * most).ceil().clamp(4.0, 4096.0);
    let direction = |s: f64| {
        let (sin, cos) = libm::sincos(turn(s));
        DVec2::new(cos, sin)
    };
    let step = s / steps;
    let sum = (0..steps as u32).fold(DVec2::ZERO, |sum, number| {
        let from = f64::from(number) * step;
        sum + (direction(from) + 4.0 * direction(from + 0.5 * step) + direction(from + step)) / 6.0
    });
    (sum * step, turn(s))
}

/// How far straight on one is after a length of a cubic: by Newton's method on the
/// length, which is found by Simpson's rule.
fn abscissa(factors: &[f64; 4], s: f64) -> f64 {
    let speed = |u: f64| libm::hypot(1.0, slope(factors, u));
    let length = |u: f64| {
        let step = u / 32.0;
        (0..32).map(|n| f64::from(n) * step).fold(0.0, |sum, from| {
            sum + step * (speed(from) + 4.0 * speed(from + 0.5 * step) + speed(from + step)) / 6.0
        })
    };
    (0..8).fold(s, |u, _| u - (length(u) - s) / speed(u))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small straight steps in the direction that a piece has reach the same place.
    #[test]
    fn pieces_lead_where_their_directions_do() {
        let cubic = [0.0, 0.1, 2e-3, -1e-5];
        let pieces =
            [Piece::Line, Piece::Arc(-0.02), Piece::Spiral(0.0, 0.05), Piece::Spiral(0.03, -0.04), Piece::Cubic(cubic)];
        for piece in pieces {
            let (length, count) = (80.0, 40_000);
            let step = length / f64::from(count);
            let mut place = DVec2::new(0.0, 0.0);
            for number in 0..count {
                let (_, turn) = piece.at((f64::from(number) + 0.5) * step, length);
                place += step * DVec2::new(libm::cos(turn), libm::sin(turn));
            }
            let (found, _) = piece.at(length, length);
            assert!(found.distance(place) < 2e-3, "{piece:?}: {found} is not {place}");
        }
    }

    #[test]
    fn the_polynomial_that_holds_is_the_last_before_a_place() {
        let list =
            [Cubic { start: 0.0, factors: [3.0, 0.0, 0.0, 0.0] }, Cubic { start: 10.0, factors: [3.0, 0.5, 0.0, 0.0] }];
        assert_eq!([0.0, 9.0, 10.0, 12.0].map(|at| value(&list, at)), [3.0, 3.0, 3.0, 4.0]);
    }
}
