//! Dice that land on what somebody has decided.
//!
//! A throw is simulated once, and every die is then shown in a turn in which the number
//! that was asked for is up. The turn is one that leaves the shape as it is, and how a die
//! lies at the start is uniform over all turns: so a throw with given numbers is a fair
//! draw from all throws that end with them. Neither the numbering nor the motion is
//! touched. A throw in which a die ends cocked is made again, all of it, and counted; so is one in
//! which dice do not lie at the places that were asked for.
//!
//! Deliberately absent: dice of which one is thrown again while the others lie; and
//! pictures, since an application draws the solids as it likes.

mod faces;
mod places;
mod solid;

use std::ops::RangeInclusive;

use glam::{DQuat, DVec3};
use proscenium_chance::{Seed, Stream};
use proscenium_clip::Track;
use proscenium_geometry::{Pose, Shape};
use proscenium_rigid::{BodyDef, BodyId, Material, World, WorldBuilder};
use proscenium_work::{Completion, Finish as _, Halt, Progress, Remedy};

pub use faces::{Face, Label};
pub use solid::{Side, Solid};

use crate::error::SceneErrors;
use crate::motion::{Accuracy, track};

/// More dice are not thrown at once.
pub const MOST_DICE: usize = 50;
/// A throw is not made more often than this.
const MOST_THROWS: u32 = 100;
/// Nor more often than this where dice should lie at places.
const MOST_SOUGHT: u32 = 20_000;
/// How far from its place a die may lie, m, if it is not said; and the least that can be.
const NEAR: f64 = 0.05;
const LEAST_NEAR: f64 = 0.01;
/// A throw that has not come to rest by then counts as cocked, s.
const LONGEST: f64 = 8.0;
/// How often it is looked whether all lie, s.
const LOOK_EVERY: f64 = 0.125;
/// The smallest tray, m: five dice abreast; and the largest.
const TRAY: [f64; 2] = [0.2, 5.0];
/// Between the middles of dice in the hand, m: more than any turn of two needs.
const APART: f64 = 0.03;
/// So many dice lie abreast in the hand.
const ABREAST: usize = 5;
/// How far the lowest dice are from the felt and from the side of the tray, m.
const ABOVE: f64 = 0.06;
/// The speed of a throw with its deviation, and the spin about each axis, m/s and rad/s.
const SPEED: [f64; 2] = [1.2, 0.1];
const SPIN: f64 = 20.0;
/// By how much the velocity of one die differs from that of the hand, m/s.
const STRAY: f64 = 0.05;
/// What lies flat is turned by no more than this (its cosine, 2 degrees), and no higher, m.
const FLAT: f64 = 0.999_39;
const ON_FELT: f64 = 1e-4;
/// How far keys may be from the motion.
const ACCURACY: Accuracy = Accuracy { position: 5e-5, angle: 0.01 };

/// A kind of die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Die {
    /// Four sides.
    D4,
    /// Six sides.
    D6,
    /// Eight sides.
    D8,
    /// Ten sides; the 0 counts as ten.
    D10,
    /// Twelve sides.
    D12,
    /// Twenty sides.
    D20,
    /// Two dice of ten sides, of which the first one has tens; 00 and 0 count as a hundred.
    D100,
}

impl Die {
    /// All of them.
    pub const ALL: [Self; 7] = [Self::D4, Self::D6, Self::D8, Self::D10, Self::D12, Self::D20, Self::D100];

    /// What players call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::D4 => "d4",
            Self::D6 => "d6",
            Self::D8 => "d8",
            Self::D10 => "d10",
            Self::D12 => "d12",
            Self::D20 => "d20",
            Self::D100 => "d100",
        }
    }

    /// By its name.
    ///
    /// # Errors
    ///
    /// A name that no die has.
    pub fn parse(name: &str) -> Result<Self, SceneErrors> {
        Self::ALL.into_iter().find(|die| die.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            SceneErrors::plain(format!("there is no die \"{name}\""), format!("the dice are: {known}"))
        })
    }

    /// What it can show.
    #[must_use]
    pub fn values(self) -> RangeInclusive<u32> {
        match self {
            Self::D4 => 1..=4,
            Self::D6 => 1..=6,
            Self::D8 => 1..=8,
            Self::D10 => 1..=10,
            Self::D12 => 1..=12,
            Self::D20 => 1..=20,
            Self::D100 => 1..=100,
        }
    }

    /// What it is made of.
    #[must_use]
    pub fn solids(self) -> &'static [Solid] {
        match self {
            Self::D4 => &[Solid::D4],
            Self::D6 => &[Solid::D6],
            Self::D8 => &[Solid::D8],
            Self::D10 => &[Solid::D10],
            Self::D12 => &[Solid::D12],
            Self::D20 => &[Solid::D20],
            Self::D100 => &[Solid::D10, Solid::D10],
        }
    }

    /// The numbers on its solids for a value.
    fn numbers(self, value: u32) -> Vec<u32> {
        match self {
            Self::D10 => vec![value % 10],
            Self::D100 => vec![value / 10 % 10, value % 10],
            _ => vec![value],
        }
    }

    /// The value for the numbers on its solids.
    fn value(self, numbers: &[u32]) -> u32 {
        let sum = numbers.iter().fold(0, |sum, number| 10 * sum + number);
        if sum == 0 { *self.values().end() } else { sum }
    }
}

/// What to throw.
#[derive(Clone, Debug, PartialEq)]
pub struct DiceOrder {
    /// The dice.
    pub dice: Vec<Die>,
    /// What they should show, one value for each; `None` for what comes.
    pub show: Option<Vec<u32>>,
    /// The number that everything follows from.
    pub seed: Seed,
    /// How wide (x) and deep (z) the tray is inside, m. Its sides go on upwards as glass.
    pub tray: [f64; 2],
    /// Where dice should come to lie (x and z from the middle of the tray, m), one for each die, or
    /// none; of a d100, its tens. Throws are made until they do.
    pub places: Option<Vec<Option<[f64; 2]>>>,
    /// How far from its place a die may lie, m.
    pub near: f64,
}

impl DiceOrder {
    /// Dice in a tray of 40 by 30 cm.
    #[must_use]
    pub fn new(dice: &[Die], seed: Seed) -> Self {
        Self { dice: dice.to_vec(), show: None, seed, tray: [0.4, 0.3], places: None, near: NEAR }
    }

    fn check(&self) -> Result<(), SceneErrors> {
        let count: usize = self.dice.iter().map(|die| die.solids().len()).sum();
        if count == 0 || count > MOST_DICE {
            let help = format!("throw 1 to {MOST_DICE} dice; a d100 is two");
            return Err(SceneErrors::plain(format!("a throw cannot have {count} dice"), help));
        }
        if let Some(size) = self.tray.iter().find(|size| !(TRAY[0]..=TRAY[1]).contains(*size)) {
            let help = format!("give {} to {} m", TRAY[0], TRAY[1]);
            return Err(SceneErrors::plain(format!("a tray cannot be {size} m wide or deep"), help));
        }
        self.check_places()?;
        let Some(show) = &self.show else {
            return Ok(());
        };
        if show.len() != self.dice.len() {
            let message = format!("{} values are to be shown by {} dice", show.len(), self.dice.len());
            return Err(SceneErrors::plain(message, "give one value for each die"));
        }
        for (die, value) in self.dice.iter().zip(show) {
            if !die.values().contains(value) {
                let help = format!("give {} to {}", die.values().start(), die.values().end());
                return Err(SceneErrors::plain(format!("a {} cannot show {value}", die.name()), help));
            }
        }
        Ok(())
    }

    fn check_places(&self) -> Result<(), SceneErrors> {
        let Some(places) = &self.places else {
            return Ok(());
        };
        if places.len() != self.dice.len() {
            let message = format!("{} places are given for {} dice", places.len(), self.dice.len());
            return Err(SceneErrors::plain(message, "give one place for each die, or null where it may lie anywhere"));
        }
        let is_inside = |[x, z]: &[f64; 2]| 2.0 * x.abs() < self.tray[0] && 2.0 * z.abs() < self.tray[1];
        if let Some([x, z]) = places.iter().flatten().find(|place| !is_inside(place)) {
            let help =
                format!("give x and z from the middle of the tray, which is {} by {} m", self.tray[0], self.tray[1]);
            return Err(SceneErrors::plain(format!("a die cannot lie at {x}, {z}"), help));
        }
        if !(LEAST_NEAR..=TRAY[1]).contains(&self.near) {
            let message = format!("a die cannot be asked to lie within {} m of its place", self.near);
            return Err(SceneErrors::plain(message, format!("give {LEAST_NEAR} to {} m", TRAY[1])));
        }
        Ok(())
    }

    /// The places of the solids.
    fn places_of_solids(&self) -> Option<Vec<places::Place>> {
        let dice = self.dice.iter().zip(self.places.as_ref()?);
        let of = |(die, place): (&Die, &places::Place)| {
            let place = *place;
            (0..die.solids().len()).map(move |solid| place.filter(|_| solid == 0))
        };
        Some(dice.flat_map(of).collect())
    }
}

/// One solid of a throw.
#[derive(Clone, Debug, PartialEq)]
pub struct ThrownSolid {
    /// To which of the dice it belongs, in their order.
    pub die: usize,
    /// What it is.
    pub solid: Solid,
    /// Whether its numbers are tens: the first one of a d100.
    pub tens: bool,
    /// The number that is up at the end.
    pub number: u32,
    /// How it moves.
    pub track: Track,
}

/// A throw in which all dice lie flat.
#[derive(Clone, Debug, PartialEq)]
pub struct Throw {
    /// What each die shows.
    pub values: Vec<u32>,
    /// The solids, in the order of the dice.
    pub solids: Vec<ThrownSolid>,
    /// When all lie, s.
    pub duration: f64,
    /// How many throws were made again, since a die ended cocked.
    pub thrown_again: u32,
    /// How many were not taken, since dice did not lie at their places.
    pub elsewhere: u32,
}

/// Throws dice.
///
/// ```
/// use proscenium_scenes::Seed;
/// use proscenium_scenes::dice::{DiceOrder, Die, roll};
/// use proscenium_work::Progress;
///
/// let order = DiceOrder { show: Some(vec![3, 17]), ..DiceOrder::new(&[Die::D6, Die::D20], Seed(42)) };
/// let throw = roll(&order, &Progress::none())?.finished().expect("nobody stops it");
/// assert_eq!(throw.values, [3, 17]);
/// # Ok::<(), proscenium_scenes::SceneErrors>(())
/// ```
///
/// # Errors
///
/// Dice, values, places or a tray that cannot be, dice that end cocked in every one of a
/// hundred throws, and places at which dice do not lie in any of twenty thousand.
pub fn roll(order: &DiceOrder, progress: &Progress) -> Result<Completion<Throw>, SceneErrors> {
    order.check()?;
    throws(order, progress).finish()
}

fn throws(order: &DiceOrder, progress: &Progress) -> Result<Throw, Halt<SceneErrors>> {
    let solids: Vec<Solid> = order.dice.iter().flat_map(|die| die.solids()).copied().collect();
    let shapes: Result<Vec<Shape>, _> = solids.iter().map(|solid| solid.shape()).collect();
    let shapes = shapes.map_err(|error| failed(&error))?;
    let wanted = order.places_of_solids();
    let most = if wanted.is_some() { MOST_SOUGHT } else { MOST_THROWS };
    let (mut cocked, mut elsewhere) = (0, 0);
    for attempt in 0..most {
        if elsewhere == 0 && cocked == MOST_THROWS {
            break;
        }
        let part = progress.part(f64::from(attempt) / f64::from(most), f64::from(attempt + 1) / f64::from(most));
        let seed = order.seed.child("throw", u64::from(attempt));
        let Some(mut landed) = land(order, &solids, &shapes, seed, &part)? else {
            cocked += 1;
            continue;
        };
        if let Some(places) = &wanted
            && !landed.stand_in(&solids, places, order.near)
        {
            elsewhere += 1;
            continue;
        }
        let throw = show(order, &solids, &shapes, &landed, seed)?;
        return Ok(Throw { thrown_again: cocked, elsewhere, ..throw });
    }
    Err(Halt::Failed(match elsewhere {
        0 => {
            let message = format!("in each of {MOST_THROWS} throws a die ended cocked");
            SceneErrors::plain(message, "throw fewer dice, or give a larger tray")
        }
        _ => {
            let message = format!("in none of {most} throws the dice lay at their places");
            SceneErrors::plain(message, "give fewer places, a larger `near`, or places farther from the sides")
        }
    }))
}

fn failed(error: &dyn Remedy) -> Halt<SceneErrors> {
    Halt::Failed(SceneErrors::plain(error.to_string(), error.remedy().unwrap_or_default()))
}

/// A world in which all dice lie flat, and the side of each that is up as simulated.
struct Landed {
    world: World,
    bodies: Vec<BodyId>,
    up: Vec<Side>,
}

impl Landed {
    /// Lets dice that are alike stand for each other, so that all lie at their places; whether
    /// they do.
    fn stand_in(&mut self, solids: &[Solid], places: &[places::Place], near: f64) -> bool {
        let lie = |body: &BodyId| self.world.pose(*body).map_or(DVec3::NAN, |pose| pose.translation);
        let lie: Vec<DVec3> = self.bodies.iter().map(lie).collect();
        let Some(bodies) = places::assigned(solids, places, near, &lie) else {
            return false;
        };
        self.up = bodies.iter().map(|&body| self.up[body]).collect();
        self.bodies = bodies.iter().map(|&body| self.bodies[body]).collect();
        true
    }
}

/// Simulates a throw; `None` if a die is cocked at the end.
fn land(
    order: &DiceOrder,
    solids: &[Solid],
    shapes: &[Shape],
    seed: Seed,
    progress: &Progress,
) -> Result<Option<Landed>, Halt<SceneErrors>> {
    let (builder, bodies) = thrown(order, shapes, seed).map_err(|error| failed(&error))?;
    let mut world = builder.recording().build().map_err(|error| failed(&error))?;
    while world.now() < LONGEST && !bodies.iter().all(|body| world.is_resting(*body)) {
        progress.tell("throwing", world.now() / LONGEST)?;
        let until = world.now() + LOOK_EVERY;
        world.advance_watched(until, progress).map_err(|error| failed(&error))?.or_stopped()?;
    }
    let up = solids.iter().zip(shapes).zip(&bodies).map(|((solid, shape), body)| {
        let pose = world.pose(*body).filter(|_| world.is_resting(*body))?;
        let above = pose.rotation.inverse() * DVec3::Y;
        let up = solid.sides().into_iter().find(|side| side.direction.dot(above) >= FLAT)?;
        (shape.bounds(&pose).min.y < ON_FELT).then_some(up)
    });
    let up: Option<Vec<Side>> = up.collect();
    Ok(up.map(|up| Landed { world, bodies, up }))
}

/// The tray, and the dice as they leave the hand: at one side of it, in rows.
fn thrown(
    order: &DiceOrder,
    shapes: &[Shape],
    seed: Seed,
) -> Result<(WorldBuilder, Vec<BodyId>), proscenium_geometry::ShapeError> {
    let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    let resin = builder.material(Material::new(1200.0, 0.5, 0.3));
    let felt = builder.material(Material::new(500.0, 0.3, 0.6));
    let [width, depth] = order.tray;
    let walls = [
        ("felt", DVec3::Y, 0.0),
        ("left", DVec3::X, width),
        ("right", DVec3::NEG_X, width),
        ("back", DVec3::Z, depth),
        ("front", DVec3::NEG_Z, depth),
    ];
    for (name, normal, size) in walls {
        let place = Pose::from_translation(-0.5 * size * normal);
        builder.body(BodyDef::fixed(name, Shape::half_space(normal)?, felt).at(place));
    }
    let hand = velocity(&mut seed.stream("hand"));
    let mut bodies = Vec::with_capacity(shapes.len());
    for (index, shape) in shapes.iter().enumerate() {
        let mut stream = seed.child("die", index as u64).stream("start");
        let abreast = ABREAST.min(shapes.len() - index / ABREAST * ABREAST);
        let (row, column) = ((index / ABREAST) as f64, (index % ABREAST) as f64 - 0.5 * (abreast - 1) as f64);
        let place = DVec3::new(-0.5 * width + APART, ABOVE + row * APART, column * APART);
        let stray = STRAY * DVec3::new(stream.normal(), stream.normal(), stream.normal());
        let spin = SPIN * DVec3::new(stream.normal(), stream.normal(), stream.normal());
        let die = BodyDef::moving(format!("die-{}", index + 1), shape.clone(), resin)
            .at(Pose::new(place, stream.rotation()))
            .with_velocity(hand + stray)
            .with_spin(spin);
        bodies.push(builder.body(die));
    }
    Ok((builder, bodies))
}

/// How fast the hand moves, and where to.
fn velocity(stream: &mut Stream) -> DVec3 {
    let speed = (SPEED[0] + SPEED[1] * stream.normal()).max(0.5 * SPEED[0]);
    speed * DVec3::new(1.0, 0.1 * stream.normal(), 0.15 * stream.normal()).normalize()
}

/// Shows every die in a turn in which the wanted number is up: one of those that are
/// equally likely.
fn show(
    order: &DiceOrder,
    solids: &[Solid],
    shapes: &[Shape],
    landed: &Landed,
    seed: Seed,
) -> Result<Throw, Halt<SceneErrors>> {
    let wanted: Option<Vec<u32>> = order.show.as_ref().map(|show| {
        let dice = order.dice.iter().zip(show);
        dice.flat_map(|(die, value)| die.numbers(*value)).collect()
    });
    let owners = order.dice.iter().enumerate().flat_map(|(index, die)| die.solids().iter().map(move |_| index));
    let Some(recording) = landed.world.recording() else {
        return Err(Halt::Failed(SceneErrors::plain("the throw was not recorded", "")));
    };
    let duration = landed.world.now();
    let mut turns = seed.stream("turns");
    let mut thrown = Vec::with_capacity(solids.len());
    for (index, die) in owners.enumerate() {
        let (solid, up) = (solids[index], landed.up[index]);
        let number = wanted.as_ref().map_or(up.number, |wanted| wanted[index]);
        let turn = turn_to(solid, &shapes[index], up, number, &mut turns);
        let moved = track(recording, landed.bodies[index], duration, Some(turn), ACCURACY);
        let moved = moved.map_err(|error| failed(&error))?;
        let Some(track) = moved else {
            return Err(Halt::Failed(SceneErrors::plain("a die was never thrown", "")));
        };
        let tens = order.dice[die] == Die::D100 && thrown.last().is_none_or(|last: &ThrownSolid| last.die != die);
        thrown.push(ThrownSolid { die, solid, tens, number, track });
    }
    let value = |(index, die): (usize, &Die)| {
        let own = thrown.iter().filter(|solid| solid.die == index).map(|solid| solid.number);
        die.value(&own.collect::<Vec<_>>())
    };
    let values = order.dice.iter().enumerate().map(value).collect();
    Ok(Throw { values, solids: thrown, duration, thrown_again: 0, elsewhere: 0 })
}

/// A turn of the solid that brings a number to where the upper side is.
fn turn_to(solid: Solid, shape: &Shape, up: Side, number: u32, stream: &mut Stream) -> DQuat {
    let side = solid.sides().into_iter().find(|side| side.number == number).unwrap_or(up);
    let turns = Solid::turns(shape, side.direction, up.direction);
    stream.pick(&turns).copied().unwrap_or(DQuat::IDENTITY)
}
