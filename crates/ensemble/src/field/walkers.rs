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
/// What is this near to somebody, in radii, is pushed aside altogether; what is nearer less, and
/// nothing that is right below them: it could not know to which side, and would jump from one
/// to the other as they walk over it. Chosen: nobody who walks moves it faster than themselves
/// by more than a quarter.
const ASIDE: f64 = 0.8;
/// What is not pushed aside is trodden down: all of it up to the first of these distances in
/// radii, nothing from the second on. Chosen: from the first on, pushing is enough.
const TRODDEN: [f64; 2] = [0.5, 1.25];
/// How high what is trodden down is at most, as a share of how high it stands by itself.
const FLAT: f64 = 0.4;
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

impl Walker {
    /// Whether anything in a ball can be pushed aside. Nobody is near who is not finite or
    /// has no radius.
    pub(super) fn is_near(&self, centre: DVec3, radius: f64) -> bool {
        let away = self.place - centre;
        let pushes = self.place.is_finite() && self.radius.is_finite() && self.radius > 0.0;
        pushes && libm::hypot(away.x, away.z) < 2.0 * self.radius + radius
    }
}

/// How an instance is bent by all who walk there. Each has a bend of its own, by its number:
/// who comes nearer than another does not take over from them at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Pushes(Vec<Push>);

impl Pushes {
    /// Of a plant that nobody has seen before: who is near has stood there already.
    pub fn begun(walkers: &[Walker], is_near: impl Fn(&Walker) -> bool) -> Self {
        let mut pushes = Pushes::default();
        pushes.advance(walkers, is_near, 0.0);
        pushes.0.iter_mut().filter(|push| push.by.is_some()).for_each(|push| push.strength = 1.0);
        pushes
    }

    /// Goes on by some seconds, with who walks in the field and who of them is near.
    pub fn advance(&mut self, walkers: &[Walker], is_near: impl Fn(&Walker) -> bool, seconds: f64) {
        let near = |number: usize| walkers.get(number).copied().filter(&is_near);
        // Whoever is far from all plants, as most are, costs nothing.
        let last = (0..walkers.len()).rev().find(|&number| near(number).is_some()).map_or(0, |last| last + 1);
        self.0.resize(self.0.len().max(last), Push::default());
        for (number, push) in self.0.iter_mut().enumerate() {
            push.advance(near(number), seconds);
        }
        let bent = self.0.iter().rposition(|push| push.by.is_some()).map_or(0, |last| last + 1);
        self.0.truncate(bent);
    }

    /// Bends vertices that stand on the ground at a height, of a plant so high.
    pub fn bend(&self, ground: f64, height: f64, positions: &mut [[f32; 3]]) {
        self.0.iter().for_each(|push| push.bend(ground, height, positions));
    }
}

/// How an instance is bent by somebody.
#[derive(Clone, Copy, Debug, Default)]
struct Push {
    by: Option<Walker>,
    strength: f64,
    speed: f64,
}

impl Push {
    /// Goes on by some seconds; `near` is who stands near, if anybody does.
    fn advance(&mut self, near: Option<Walker>, seconds: f64) {
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

    fn bend(&self, ground: f64, height: f64, positions: &mut [[f32; 3]]) {
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
            // From half to 2 radii goes to from 1 to 2: what is left within the first is flat.
            let share = smooth(above / rises);
            let near = distance / walker.radius;
            let aside = self.strength * share * smooth(near / ASIDE) * (walker.radius - 0.5 * distance);
            let (x_way, z_way) = if distance > 0.0 { (along / distance, across / distance) } else { (0.0, 0.0) };
            // What is bent aside comes down, as it keeps its length.
            let bent = libm::sqrt((above * above - aside * aside).max(0.25 * above * above));
            let trodden = self.strength * (1.0 - smooth((near - TRODDEN[0]) / (TRODDEN[1] - TRODDEN[0])));
            let flat = above * FLAT * rises / (FLAT * rises + above);
            let down = above - bent - trodden * (flat - bent).min(0.0);
            *position = [x + aside * x_way, y - down, z + aside * z_way].map(|x| x as f32);
        }
    }
}

/// From 0 to 1, and level at both ends.
fn smooth(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stem of a metre, and the largest step of any of its vertices.
    fn stem() -> Vec<[f32; 3]> {
        (0..=20).map(|n| [0.0, 0.05 * n as f32, 0.02]).collect()
    }

    fn largest_step(before: &[[f32; 3]], after: &[[f32; 3]]) -> f32 {
        let step = |(a, b): (&[f32; 3], &[f32; 3])| (0..3).map(|axis| (a[axis] - b[axis]).abs()).fold(0.0, f32::max);
        before.iter().zip(after).map(step).fold(0.0, f32::max)
    }

    #[test]
    fn plants_give_way_and_come_back_without_a_jump() {
        let rest = stem();
        for away in [0.0, 0.1, 0.25, 0.35] {
            let walker = Walker { place: DVec3::new(away, 0.0, 0.0), radius: 0.4 };
            let mut push = Push::default();
            let (mut last, mut farthest) = (rest.clone(), 0.0_f32);
            for frame in 0..180 {
                push.advance(Some(walker).filter(|_| frame < 60), 1.0 / 30.0);
                let mut now = rest.clone();
                push.bend(0.0, 1.0, &mut now);
                farthest = farthest.max(largest_step(&last, &now));
                if frame == 59 {
                    // All that is higher than where it stands is out of the way, or flat.
                    let from = |place: &[f32; 3]| libm::hypotf(place[0] - away as f32, place[2]);
                    assert!(now[8..].iter().all(|place| from(place) > 0.38 || place[1] < 0.15), "{away}: {now:?}");
                    assert!((now[0][0], now[0][1]) == (0.0, 0.0), "its foot stays");
                }
                last = now;
            }
            assert_eq!(last, rest);
            assert!(farthest < 0.12, "{away}: {farthest}");
        }
    }

    /// Whoever walked right over a stem pushed it ahead until they were there, and behind from
    /// the next frame on: a jump of two radii.
    #[test]
    fn who_walks_over_a_plant_does_not_make_it_jump() {
        let rest = stem();
        for aside in [0.0, 0.003, 0.1] {
            let (mut push, mut last, mut farthest) = (Push::default(), rest.clone(), 0.0_f32);
            for frame in 0..120 {
                let place = DVec3::new(aside, 0.0, -2.0 + f64::from(frame) / 30.0);
                push.advance(Some(Walker { place, radius: 0.4 }), 1.0 / 30.0);
                let mut now = rest.clone();
                push.bend(0.0, 1.0, &mut now);
                farthest = farthest.max(largest_step(&last, &now));
                last = now;
            }
            assert!(farthest < 0.17, "{aside}: {farthest}");
        }
    }

    /// Only the nearest pushed: plants between two jumped from one side to the other when the
    /// second came nearer than the first.
    #[test]
    fn plants_between_two_do_not_jump() {
        let rest = stem();
        let mut pushes = Pushes::default();
        let (mut last, mut farthest) = (rest.clone(), 0.0_f32);
        for frame in 0..240 {
            // The one stands; the other comes, passes and goes.
            let way = -2.0 + f64::from(frame) / 30.0;
            let walkers =
                [DVec3::new(0.3, 0.0, 0.0), DVec3::new(-0.25, 0.0, way)].map(|place| Walker { place, radius: 0.4 });
            pushes.advance(&walkers, |walker| walker.place.length() < 1.0, 1.0 / 30.0);
            let mut now = rest.clone();
            pushes.bend(0.0, 1.0, &mut now);
            farthest = farthest.max(largest_step(&last, &now));
            last = now;
        }
        assert!(farthest < 0.17, "{farthest}");
        (0..300).for_each(|_| pushes.advance(&[], |_| true, 1.0 / 30.0));
        assert!(pushes.0.is_empty(), "what has come back costs nothing");
        // What is seen for the first time has been pushed already.
        let stands = [Walker { place: DVec3::new(0.25, 0.0, 0.0), radius: 0.4 }];
        let mut now = rest.clone();
        Pushes::begun(&stands, |_| true).bend(0.0, 1.0, &mut now);
        assert!(now[20][0] < -0.2, "{:?}", now[20]);
    }
}
