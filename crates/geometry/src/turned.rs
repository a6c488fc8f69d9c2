//! Solids turned on a lathe: a profile, turned about the y axis.

use std::f64::consts::{PI, TAU};
use std::sync::{Arc, OnceLock};

use glam::{DVec2, DVec3};
use parry3d_f64::shape::SharedShape;

use crate::convex::ConvexPart;
use crate::error::{ShapeError, not_negative};
use crate::{Bounds, Hull, MassProperties, Pose, Shape};

/// How many sides stand for a circle where a polyhedron does for a solid.
const SIDES: u32 = 16;
/// Balls along the axis closer to their neighbours' hull than this share of
/// the widest ring are left out.
const ENOUGH: f64 = 8e-3;
/// A side of the profile is filled with more than balls if they leave a hole as deep as this
/// share of the widest ring in one of three places; chosen, so that what is rounded off is a
/// matter of looks.
const HOLE: f64 = 0.1;
const PLACES: [f64; 3] = [0.1, 0.5, 0.9];
/// Half the thickness of a disc that stands for a rim, as a share of its radius: chosen, far
/// less than anybody sees.
const RIM: f64 = 1e-3;

/// A solid of revolution about the y axis: between two rings its surface is a
/// cone, and its ends are flat. Cheap to clone.
///
/// It touches others as a row of balls along its axis that touch the profile
/// from inside, with all that lies between neighbours. Where a flat end leaves no
/// room for balls it touches with cylinders, or with polygons of sixteen sides; if
/// there are no balls at all, the rims that it can roll on are round. Mass and
/// pictures are those of the profile itself.
#[derive(Clone, Debug)]
pub struct TurnedSolid {
    data: Arc<TurnedData>,
}

struct TurnedData {
    rings: Box<[Ring]>,
    /// Made when first asked for, and shared by all bodies of this shape.
    pieces: OnceLock<Vec<Hull>>,
    skeleton: OnceLock<Skeleton>,
}

/// What a turned solid touches others with.
#[derive(Clone, Debug, Default)]
struct Skeleton {
    balls: Vec<Ring>,
    blocks: Vec<Block>,
}

/// A convex piece of it that no balls fill.
#[derive(Clone, Debug)]
enum Block {
    /// Where the radius stays the same: it rolls as round things do.
    Cylinder { middle: f64, half_height: f64, radius: f64 },
    /// Where it does not: a polygon stands for each ring.
    Hull(Hull),
}

/// A circle around the axis that the surface passes through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// Along the axis, metres.
    pub height: f64,
    /// Metres; zero for a point on the axis.
    pub radius: f64,
}

impl std::fmt::Debug for TurnedData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TurnedSolid").field(&self.rings).finish()
    }
}

impl PartialEq for TurnedSolid {
    fn eq(&self, other: &Self) -> bool {
        self.data.rings == other.data.rings
    }
}

impl TurnedSolid {
    pub(crate) fn new(profile: &[Ring]) -> Result<Self, ShapeError> {
        for ring in profile {
            not_negative("the radius of a ring", ring.radius)?;
        }
        let rises = |pair: &[Ring]| pair[1].height > pair[0].height && (pair[1].height - pair[0].height).is_finite();
        if profile.len() < 2 || !profile.windows(2).all(rises) {
            return Err(ShapeError::NotAProfile);
        }
        if profile.windows(2).any(|pair| pair[0].radius == 0.0 && pair[1].radius == 0.0)
            || profile[1..profile.len() - 1].iter().any(|ring| ring.radius == 0.0)
        {
            return Err(ShapeError::Flat { thickness: 0.0 });
        }
        let (pieces, skeleton) = (OnceLock::new(), OnceLock::new());
        Ok(Self { data: Arc::new(TurnedData { rings: profile.into(), pieces, skeleton }) })
    }

    /// The profile, from the lowest ring to the highest.
    pub fn rings(&self) -> &[Ring] {
        &self.data.rings
    }

    /// The widest radius.
    pub(crate) fn widest(&self) -> f64 {
        self.data.rings.iter().map(|ring| ring.radius).fold(0.0, f64::max)
    }

    /// The point farthest in a direction.
    fn support(&self, direction: DVec3) -> DVec3 {
        let outwards = DVec2::new(direction.x, direction.z);
        let level = outwards.length();
        let along = |ring: &Ring| ring.radius * level + ring.height * direction.y;
        let rings = &self.data.rings;
        let best = rings.iter().fold(rings[0], |best, ring| if along(ring) > along(&best) { *ring } else { best });
        let rim = if level > 0.0 { best.radius / level * outwards } else { DVec2::ZERO };
        DVec3::new(rim.x, best.height, rim.y)
    }

    /// The box around the solid where a pose places it.
    pub(crate) fn bounds(&self, pose: &Pose) -> Bounds {
        let to_local = pose.rotation.inverse();
        let extreme = |direction: DVec3| pose.transform_point(self.support(to_local * direction)).dot(direction);
        let max = DVec3::new(extreme(DVec3::X), extreme(DVec3::Y), extreme(DVec3::Z));
        let min = -DVec3::new(extreme(-DVec3::X), extreme(-DVec3::Y), extreme(-DVec3::Z));
        Bounds { min, max }
    }

    /// Integrals over the cones between rings, exact.
    pub(crate) fn mass(&self, density: f64) -> MassProperties {
        let (mut volume, mut first, mut axial, mut second) = (0.0, 0.0, 0.0, 0.0);
        for pair in self.data.rings.windows(2) {
            let [low, high] = [pair[0], pair[1]];
            let rise = high.height - low.height;
            // Legendre's four points are exact up to the seventh power.
            for (place, weight) in [
                (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
                (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
                (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
                (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
            ] {
                let (height, radius) = (low.height + place * rise, low.radius + place * (high.radius - low.radius));
                let disc = weight * rise * PI * radius * radius;
                volume += disc;
                first += disc * height;
                axial += 0.5 * disc * radius * radius;
                second += disc * height * height;
            }
        }
        let centre = first / volume;
        let across = 0.5 * axial + second - volume * centre * centre;
        MassProperties {
            mass: density * volume,
            shape_from_principal: Pose::from_translation(centre * DVec3::Y),
            principal_inertia: density * DVec3::new(across, axial, across),
        }
    }

    /// The points of a ring, evenly spread.
    pub(crate) fn around(ring: Ring, sides: u32) -> impl Iterator<Item = DVec3> {
        (0..sides).map(move |side| {
            let turn = TAU * f64::from(side) / f64::from(sides);
            DVec3::new(ring.radius * libm::cos(turn), ring.height, ring.radius * libm::sin(turn))
        })
    }

    /// Convex polyhedra with their corners on the rings: the profile is cut
    /// where it is hollow.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = SharedShape> {
        let pieces = self.data.pieces.get_or_init(|| {
            let rings = self.rings();
            let slope = |pair: &[Ring]| (pair[1].radius - pair[0].radius) / (pair[1].height - pair[0].height);
            let slopes: Vec<f64> = rings.windows(2).map(slope).collect();
            let mut pieces = Vec::new();
            let mut first = 0;
            for cut in 1..rings.len() {
                if slopes.get(cut).is_none_or(|next| *next > slopes[cut - 1] + 1e-12) {
                    pieces.extend(polyhedron(&rings[first..=cut]));
                    first = cut;
                }
            }
            pieces
        });
        pieces.iter().filter_map(Hull::solid)
    }

    /// What it touches others with, placed.
    pub(crate) fn parts(&self, frame_from_shape: &Pose) -> Vec<ConvexPart> {
        let skeleton = self.data.skeleton.get_or_init(|| Skeleton::new(self.rings()));
        let place = |ball: &Ring| (frame_from_shape.transform_point(ball.height * DVec3::Y), ball.radius);
        let mut parts: Vec<ConvexPart> = match skeleton.balls.as_slice() {
            [ball] => vec![ConvexPart::between_balls(place(ball), place(ball))],
            balls => balls.windows(2).map(|pair| ConvexPart::between_balls(place(&pair[0]), place(&pair[1]))).collect(),
        };
        parts.extend(skeleton.blocks.iter().filter_map(|block| match block {
            Block::Hull(hull) => ConvexPart::new(&Shape::hull(hull.clone()), frame_from_shape),
            Block::Cylinder { middle, half_height, radius } => {
                let pose = *frame_from_shape * Pose::from_translation(*middle * DVec3::Y);
                ConvexPart::new(&Shape::cylinder(*half_height, *radius).ok()?, &pose)
            }
        }));
        parts
    }
}

/// The polyhedron around some rings; none if they enclose nothing.
fn polyhedron(rings: &[Ring]) -> Option<Hull> {
    let corners: Vec<DVec3> = rings.iter().flat_map(|ring| TurnedSolid::around(*ring, SIDES)).collect();
    Hull::new(&corners).ok()
}

impl Skeleton {
    fn new(rings: &[Ring]) -> Self {
        let last = rings.len() - 1;
        let widest = rings.iter().map(|ring| ring.radius).fold(0.0, f64::max);
        let mut balls: Vec<(usize, Ring)> = Vec::new();
        for index in 1..last {
            let [before, here, after] = [rings[index - 1], rings[index], rings[index + 1]];
            let slope = (after.radius - before.radius) / (after.height - before.height);
            let ball = inscribed(rings, here.height + here.radius * slope);
            balls.extend(ball.map(|ball| (index, ball)));
        }
        balls.sort_by(|a, b| a.1.height.total_cmp(&b.1.height));
        while let Some(needless) = (0..balls.len()).find(|i| is_needless(&balls, *i, ENOUGH * widest)) {
            balls.remove(needless);
        }
        let mut runs: Vec<(usize, usize)> = Vec::new();
        // From a flat end to the ring where the first ball takes over.
        if rings[0].radius > 0.0 {
            let until = balls.iter().map(|ball| ball.0).min().unwrap_or(last);
            runs.push((0, convex_start(rings, until)));
        }
        if rings[last].radius > 0.0 && !runs.contains(&(0, last)) {
            let until = last - balls.iter().map(|ball| ball.0).max().unwrap_or(0);
            let downwards: Vec<Ring> = rings.iter().rev().copied().collect();
            runs.push((last - convex_start(&downwards, until), last));
        }
        // What neither balls nor ends fill: the waist of a spool, the tip of a cone.
        let is_filled = |at: usize| {
            runs.iter().any(|(from, to)| (*from..*to).contains(&at))
                || PLACES.into_iter().all(|share| outside(&balls, between(&rings[at..=at + 1], share)) < HOLE * widest)
        };
        let waists: Vec<(usize, usize)> = (0..last).filter(|at| !is_filled(*at)).map(|at| (at, at + 1)).collect();
        let mut blocks: Vec<Block> = runs.into_iter().chain(waists).flat_map(|(a, b)| blocks(&rings[a..=b])).collect();
        if balls.is_empty() {
            blocks.extend(rims(rings));
        }
        Self { balls: balls.into_iter().map(|ball| ball.1).collect(), blocks }
    }
}

/// The place on the side of a profile between two rings, as a ring.
fn between(pair: &[Ring], share: f64) -> Ring {
    Ring {
        height: pair[0].height + share * (pair[1].height - pair[0].height),
        radius: pair[0].radius + share * (pair[1].radius - pair[0].radius),
    }
}

/// How far a ring is outside balls and what lies between neighbours.
fn outside(balls: &[(usize, Ring)], ring: Ring) -> f64 {
    let to = |ball: Ring| DVec2::new(ring.radius, ring.height - ball.height).length() - ball.radius;
    let single = balls.iter().map(|ball| to(ball.1));
    let parts = 1..16;
    let along = |pair: &[(usize, Ring)]| {
        let (a, b) = (pair[0].1, pair[1].1);
        parts.clone().map(|part| to(between(&[a, b], f64::from(part) / 16.0))).fold(f64::INFINITY, f64::min)
    };
    single.chain(balls.windows(2).map(along)).fold(f64::INFINITY, f64::min)
}

/// What stands for a convex piece of a profile: cylinders where its radius stays the same,
/// polyhedra where it does not.
fn blocks(rings: &[Ring]) -> Vec<Block> {
    let is_straight = |pair: &[Ring]| (pair[0].radius - pair[1].radius).abs() <= 1e-12 * pair[0].radius;
    let pairs: Vec<bool> = rings.windows(2).map(is_straight).collect();
    let mut blocks = Vec::new();
    let mut first = 0;
    for (at, straight) in pairs.iter().enumerate() {
        if pairs.get(at + 1) == Some(straight) {
            continue;
        }
        let run = &rings[first..=at + 1];
        first = at + 1;
        match (straight, run) {
            (true, [low, .., high]) => blocks.push(Block::Cylinder {
                middle: 0.5 * (low.height + high.height),
                half_height: 0.5 * (high.height - low.height).abs(),
                radius: low.radius,
            }),
            _ => blocks.extend(polyhedron(run).map(Block::Hull)),
        }
    }
    blocks
}

/// Thin discs in place of polygons at the rims that a solid can roll on: those on the hull of
/// its profile.
fn rims(rings: &[Ring]) -> impl Iterator<Item = Block> {
    let last = rings.len() - 1;
    let is_straight = |a: usize, b: usize| rings[a].radius == rings[b].radius;
    let below_chord = |at: usize, a: &Ring, b: &Ring| {
        let share = (rings[at].height - a.height) / (b.height - a.height);
        rings[at].radius < a.radius + share * (b.radius - a.radius) - 1e-12 * a.radius.max(b.radius)
    };
    let is_outside =
        move |at: usize| !rings[..at].iter().any(|a| rings[at + 1..].iter().any(|b| below_chord(at, a, b)));
    // A cylinder has its own rim.
    let is_corner = move |at: usize| {
        rings[at].radius > 0.0 && (at == 0 || !is_straight(at - 1, at)) && (at == last || !is_straight(at, at + 1))
    };
    (0..=last).filter(move |at| is_corner(*at) && is_outside(*at)).map(move |at| {
        let Ring { height, radius } = rings[at];
        let half_height = RIM * radius;
        let middle = match at {
            0 => height + half_height,
            _ if at == last => height - half_height,
            _ => height,
        };
        Block::Cylinder { middle, half_height, radius }
    })
}

/// The largest ball around a place on the axis that lies within a profile;
/// none if a flat end is in its way.
fn inscribed(rings: &[Ring], height: f64) -> Option<Ring> {
    let (low, high) = (rings[0], rings[rings.len() - 1]);
    let centre = DVec2::new(0.0, height);
    let corner = |ring: &Ring| DVec2::new(ring.radius, ring.height);
    let to_side = |pair: &[Ring]| {
        let (a, along) = (corner(&pair[0]), corner(&pair[1]) - corner(&pair[0]));
        let share = ((centre - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        (a + share * along).distance(centre)
    };
    let radius = rings.windows(2).map(to_side).fold(f64::INFINITY, f64::min);
    let to_end = |end: &Ring| if end.radius > 0.0 { (height - end.height).abs() } else { f64::INFINITY };
    let inside = height > low.height && height < high.height;
    (inside && radius > 0.0 && radius < to_end(&low).min(to_end(&high))).then_some(Ring { height, radius })
}

/// Whether a ball lies within what its neighbours span, or nearly so.
fn is_needless(balls: &[(usize, Ring)], index: usize, enough: f64) -> bool {
    let ball = balls[index].1;
    let within = |other: &Ring| (other.height - ball.height).abs() + ball.radius <= other.radius + 1e-9 * enough;
    let before = index.checked_sub(1).map(|before| balls[before].1);
    let after = balls.get(index + 1).map(|after| after.1);
    if before.iter().chain(&after).any(within) {
        return true;
    }
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    let share = (ball.height - before.height) / (after.height - before.height);
    (before.radius + share * (after.radius - before.radius) - ball.radius).abs() < enough
}

/// Up to which ring, at most `until`, they bulge from the first.
fn convex_start(rings: &[Ring], until: usize) -> usize {
    let slope = |i: usize| (rings[i + 1].radius - rings[i].radius) / (rings[i + 1].height - rings[i].height).abs();
    let mut end = 1;
    while end < until && slope(end) <= slope(end - 1) + 1e-12 {
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(height: f64, radius: f64) -> Ring {
        Ring { height, radius }
    }

    #[test]
    fn mass_is_that_of_the_closed_forms() {
        let (height, radius) = (0.3, 0.2);
        let cylinder = TurnedSolid::new(&[ring(-0.5 * height, radius), ring(0.5 * height, radius)]).unwrap().mass(2.0);
        let expected = MassProperties::cylinder(2.0, 0.5 * height, radius);
        assert!((cylinder.mass - expected.mass).abs() < 1e-15);
        assert!(cylinder.principal_inertia.abs_diff_eq(expected.principal_inertia, 1e-15));
        let cone = TurnedSolid::new(&[ring(0.0, radius), ring(height, 0.0)]).unwrap().mass(1.0);
        let mass = PI * radius * radius * height / 3.0;
        assert!((cone.mass - mass).abs() < 1e-15);
        assert!((cone.shape_from_principal.translation.y - height / 4.0).abs() < 1e-15);
        let across = mass * (3.0 / 20.0 * radius * radius + 3.0 / 80.0 * height * height);
        let moments = DVec3::new(across, 0.3 * mass * radius * radius, across);
        assert!(cone.principal_inertia.abs_diff_eq(moments, 1e-15), "{cone:?}");
    }

    #[test]
    fn the_skeleton_fills_a_bottle() {
        let bottle = TurnedSolid::new(&[
            ring(0.0, 0.03),
            ring(0.02, 0.04),
            ring(0.1, 0.045),
            ring(0.2, 0.012),
            ring(0.3, 0.015),
        ])
        .unwrap();
        let parts = bottle.parts(&Pose::IDENTITY);
        // No part reaches beyond the profile.
        for direction in [DVec3::X, DVec3::Y, -DVec3::Y, DVec3::new(0.6, 0.8, 0.0), DVec3::new(0.8, -0.6, 0.0)] {
            let most = parts.iter().map(|part| part.extent(direction)).fold(f64::NEG_INFINITY, f64::max);
            let whole = bottle.support(direction).dot(direction);
            assert!(most <= whole + 1e-12 && most > whole - 2e-3, "{direction}: {most} of {whole}");
        }
    }

    /// A polyhedron of sixteen sides stands for the bottle: its sides lie within
    /// a fiftieth of the radius, and balls along the axis nearly fill it.
    #[test]
    fn gaps_are_those_of_a_polyhedron() {
        let body = [(0.0, 0.026), (0.02, 0.036), (0.06, 0.05), (0.115, 0.0605), (0.18, 0.047), (0.25, 0.023)];
        let crown = (0..=9).map(|step| {
            let (up, out) = libm::sincos(f64::from(step) * PI / 18.0);
            ring(0.34 + 0.032 * up, if step < 9 { 0.032 * out } else { 0.0 })
        });
        let rings: Vec<Ring> = body.map(|(height, radius)| ring(height, radius)).into_iter().chain(crown).collect();
        let bottle = Shape::turned(&rings).unwrap();
        let block = Shape::cuboid(DVec3::new(0.3, 0.1, 0.2), 0.0).unwrap();
        let ball = Shape::sphere(0.1).unwrap();
        for turn in 0..40 {
            let turn = f64::from(turn);
            let rotation = glam::DQuat::from_euler(glam::EulerRot::XYZ, turn, 0.7 * turn, 0.3 * turn);
            let pose = Pose::new(rotation * DVec3::new(0.5, 0.35, 0.4), rotation * rotation);
            for other in [&block, &ball, &bottle] {
                let expected = crate::separation(&bottle, &pose, other, &Pose::IDENTITY);
                let parts = bottle.convex_parts(&Pose::IDENTITY);
                let others = other.convex_parts(&Pose::IDENTITY);
                let pairs = parts.iter().flat_map(|a| others.iter().map(move |b| (a, b)));
                let gap = |(a, b): (&ConvexPart, &ConvexPart)| {
                    let exact = crate::gap(a, &pose, b, &Pose::IDENTITY, &mut crate::Warmth::default()).distance;
                    assert!(a.least_gap(&pose, b, &Pose::IDENTITY) <= exact + 1e-12);
                    exact
                };
                let found = pairs.map(gap).fold(f64::INFINITY, f64::min);
                assert!(expected > 0.0 && (found - expected).abs() < 3e-3, "{found}, and not {expected}");
            }
        }
    }

    /// A spool had one end and no waist: it sank into the ground by all of the other end.
    #[test]
    fn every_part_of_a_profile_is_touched() {
        let profiles: [&[(f64, f64)]; 5] = [
            &[(-0.1, 0.1), (-0.05, 0.07), (0.05, 0.07), (0.1, 0.1)],
            &[(-0.1, 0.1), (0.1, 0.1)],
            &[(-0.1, 0.1), (0.1, 0.04)],
            &[(-0.1, 0.1), (-0.08, 0.1), (-0.08 + 1e-9, 0.03), (0.08, 0.03), (0.08 + 1e-9, 0.12), (0.1, 0.12)],
            &[(0.0, 0.0), (0.05, 0.05), (0.1, 0.02), (0.2, 0.02), (0.25, 0.06)],
        ];
        for profile in profiles {
            let rings: Vec<Ring> = profile.iter().map(|(height, radius)| ring(*height, *radius)).collect();
            let solid = Shape::turned(&rings).unwrap();
            let parts = solid.convex_parts(&Pose::IDENTITY);
            let probe = ConvexPart::between_balls((DVec3::ZERO, 1e-3), (DVec3::ZERO, 1e-3));
            for pair in rings.windows(2) {
                for share in [0.1, 0.5, 0.9] {
                    let height = pair[0].height + share * (pair[1].height - pair[0].height);
                    let radius = pair[0].radius + share * (pair[1].radius - pair[0].radius);
                    if pair[1].height - pair[0].height < 1e-6 {
                        continue;
                    }
                    let place = DVec3::new(radius, height, 0.0);
                    let gap = |part: &ConvexPart| {
                        let at = Pose::from_translation(place);
                        crate::gap(part, &Pose::IDENTITY, &probe, &at, &mut crate::Warmth::default()).distance
                    };
                    let nearest = parts.iter().map(gap).fold(f64::INFINITY, f64::min);
                    assert!(nearest.abs() < 0.1 * 0.12, "{profile:?} at {place}: {nearest}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        assert_eq!(TurnedSolid::new(&[ring(0.0, 1.0)]), Err(ShapeError::NotAProfile));
        assert_eq!(TurnedSolid::new(&[ring(1.0, 1.0), ring(1.0, 2.0)]), Err(ShapeError::NotAProfile));
        assert_eq!(TurnedSolid::new(&[ring(0.0, 1.0), ring(f64::NAN, 2.0)]), Err(ShapeError::NotAProfile));
        assert!(matches!(TurnedSolid::new(&[ring(0.0, -1.0), ring(1.0, 2.0)]), Err(ShapeError::Negative { .. })));
        assert!(matches!(TurnedSolid::new(&[ring(0.0, 0.0), ring(1.0, 0.0)]), Err(ShapeError::Flat { .. })));
    }
}
