//! Somebody walks through a field: plants near them are pushed aside and come back.
//!
//! There is no data for it. What is shown is the walk of the plant with a bend on top, which
//! grows while somebody is near and fades when they are gone.

use glam::DVec3;

/// How quickly plants give way and come back, in turns per second of a spring that does not
/// overshoot. Chosen: they are pushed by legs, and come back by themselves.
const GIVES_WAY: f64 = 10.0;
const COMES_BACK: f64 = 4.0;
/// Up to this share of its height a plant stands where it grew, more or less. Chosen.
const STANDS: f64 = 0.35;
/// A bend that is weaker is not seen.
const GONE: f64 = 1e-3;

/// Somebody in a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walker {
    /// Where their feet are, metres.
    pub place: DVec3,
    /// How far plants are kept from there, metres.
    pub radius: f64,
}

/// How an instance is bent by who walks there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Push {
    by: Option<Walker>,
    strength: f64,
    speed: f64,
}

impl Push {
    /// Goes on by some seconds; `near` is who stands near, if anybody does.
    pub fn advance(&mut self, near: Option<Walker>, seconds: f64) {
        if near.is_some() {
            self.by = near;
        }
        let (rate, target) = if near.is_some() { (GIVES_WAY, 1.0) } else { (COMES_BACK, 0.0) };
        // A critically damped spring, solved exactly.
        let (away, fades) = (self.strength - target, libm::exp(-rate * seconds));
        let turned = (self.speed + rate * away) * seconds;
        self.strength = target + (away + turned) * fades;
        self.speed = (self.speed - rate * turned) * fades;
        if near.is_none() && self.strength < GONE {
            *self = Push::default();
        }
    }

    /// Bends vertices that stand on the ground at a height, of a plant so high.
    pub fn bend(&self, ground: f64, height: f64, positions: &mut [[f32; 3]]) {
        let Some(walker) = self.by else { return };
        let rises = (STANDS * height).max(1e-9);
        for position in positions {
            let [x, y, z] = position.map(f64::from);
            let (along, across) = (x - walker.place.x, z - walker.place.z);
            let distance = libm::hypot(along, across);
            let above = y - ground;
            if distance >= 2.0 * walker.radius || above <= 0.0 {
                continue;
            }
            // From 0 to 2 radii goes to from 1 to 2: nothing is left within the first.
            let share = (above / rises).min(1.0);
            let share = share * share * (3.0 - 2.0 * share);
            let aside = self.strength * share * (walker.radius - 0.5 * distance);
            let (x_way, z_way) = if distance > 0.0 { (along / distance, across / distance) } else { (1.0, 0.0) };
            // What is bent aside comes down, as it keeps its length.
            let down = above - libm::sqrt((above * above - aside * aside).max(0.25 * above * above));
            *position = [x + aside * x_way, y - down, z + aside * z_way].map(|x| x as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plants_give_way_and_come_back_without_a_jump() {
        let walker = Walker { place: DVec3::new(0.1, 0.0, 0.0), radius: 0.4 };
        let rest: Vec<[f32; 3]> = (0..=20).map(|n| [0.0, 0.05 * n as f32, 0.02]).collect();
        let mut push = Push::default();
        let (mut last, mut farthest) = (rest.clone(), 0.0_f32);
        for frame in 0..180 {
            push.advance(Some(walker).filter(|_| frame < 60), 1.0 / 30.0);
            let mut now = rest.clone();
            push.bend(0.0, 1.0, &mut now);
            let step =
                |(a, b): (&[f32; 3], &[f32; 3])| (0..3).map(|axis| (a[axis] - b[axis]).abs()).fold(0.0, f32::max);
            farthest = now.iter().zip(&last).map(step).fold(farthest, f32::max);
            if frame == 59 {
                // All that is higher than where it stands is out of the way.
                let near = |place: &&[f32; 3]| libm::hypotf(place[0] - 0.1, place[2]) < 0.39;
                assert!(now[8..].iter().find(near).is_none(), "{now:?}");
                assert!((now[0][0], now[0][1]) == (0.0, 0.0), "its foot stays");
            }
            last = now;
        }
        assert_eq!(last, rest);
        assert!(farthest < 0.05, "{farthest}");
    }
}
