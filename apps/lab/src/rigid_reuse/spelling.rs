//! The box in which marbles spell (Chenney 2000, appendix A.2).
//!
//! The partitions are exactly as they should be: in this experiment it is a
//! marble that changes, and never the box.

use glam::DVec3;
use proscenium_chance::Stream;
use proscenium_geometry::{Hull, Pose, Shape};
use proscenium_rigid::{BodyDef, Material, MaterialId, World, WorldBuilder};

use crate::error::Halt;

/// Bins along x and z.
const BINS: [usize; 2] = [7, 5];
/// The side of a bin, how thick and how high a partition is, how deep the box
/// is, and how high above its bottom marbles are dropped, m.
const BIN: f64 = 0.020;
const PARTITION: f64 = 0.002;
const HIGH: f64 = 0.012;
const DEEP: f64 = 0.036;
pub(super) const DROP: f64 = 0.072;
/// From one bin to the next.
const PITCH: f64 = BIN + PARTITION;
/// The rise of a bin's floor to its middle, m.
const DOME: f64 = 0.001;
/// The radius of a marble, m.
pub(super) const RADIUS: f64 = 0.007;
/// From one marble to the next, and after the last, s.
const INTERVAL: f64 = 0.2;
const SETTLE: f64 = 2.0;

/// Half the inner width of the box along x or z.
fn half(axis: usize) -> f64 {
    0.5 * (BINS[axis] as f64 * PITCH - PARTITION)
}

/// Where each marble is dropped, x and z; they follow each other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drops(Vec<[f64; 2]>);

impl Drops {
    /// So many marbles, each somewhere above the box.
    pub fn draw(count: usize, stream: &mut Stream) -> Self {
        let mut place = |axis: usize| (2.0 * stream.uniform() - 1.0) * room(axis);
        Self((0..count).map(|_| [place(0), place(1)]).collect())
    }

    /// The same with one marble moved as the paper proposes: in a random
    /// direction, by a normal distance of the size of a bin, wrapped at the
    /// edges.
    pub fn moved(&self, stream: &mut Stream) -> Self {
        let mut drops = self.0.clone();
        let which = stream.below(drops.len() as u64) as usize;
        let angle = std::f64::consts::TAU * stream.uniform();
        let distance = BIN * stream.normal();
        for (axis, along) in [libm::cos(angle), libm::sin(angle)].into_iter().enumerate() {
            let room = room(axis);
            let place = drops[which][axis] + distance * along + room;
            drops[which][axis] = place.rem_euclid(2.0 * room) - room;
        }
        Self(drops)
    }

    /// When it is over, s.
    pub fn duration(&self) -> f64 {
        INTERVAL * self.0.len() as f64 + SETTLE
    }

    /// The box with its marbles.
    pub fn builder(&self) -> Result<WorldBuilder, Halt> {
        let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
        let wood = builder.material(Material { rolling: 0.02, ..Material::new(700.0, 0.4, 0.4) });
        let glass = builder.material(Material { rolling: 0.02, ..Material::new(2500.0, 0.7, 0.3) });
        add_box(&mut builder, wood)?;
        for (index, [x, z]) in self.0.iter().enumerate() {
            let marble = BodyDef::moving(format!("marble-{}", index + 1), Shape::sphere(RADIUS)?, glass);
            let place = Pose::from_translation(DVec3::new(*x, DROP, *z));
            builder.body(marble.at(place).starting_at(INTERVAL * index as f64));
        }
        Ok(builder)
    }
}

/// How far from the middle a marble may be dropped: clear of the walls.
fn room(axis: usize) -> f64 {
    half(axis) - RADIUS
}

/// A table, four walls, the partitions, and a domed floor in each bin.
fn add_box(builder: &mut WorldBuilder, wood: MaterialId) -> Result<(), Halt> {
    const WALL: f64 = 0.006;
    const BELOW: f64 = -0.004;
    let table = BodyDef::fixed("table", Shape::half_space(DVec3::Y)?, wood);
    builder.body(table.at(Pose::from_translation(DVec3::new(0.0, BELOW, 0.0))));
    let mut block = |name: String, middle: DVec3, half_extents: DVec3| -> Result<(), Halt> {
        let shape = Shape::cuboid(half_extents, 0.0)?;
        builder.body(BodyDef::fixed(name, shape, wood).at(Pose::from_translation(middle)));
        Ok(())
    };
    let upright = |top: f64| (0.5 * (top + BELOW), 0.5 * (top - BELOW));
    for axis in [0, 1] {
        let (along, across) = if axis == 0 { (DVec3::X, DVec3::Z) } else { (DVec3::Z, DVec3::X) };
        let place = |offset: f64, thick: f64, top: f64| {
            let (height, half_height) = upright(top);
            let half_extents = 0.5 * thick * along + half_height * DVec3::Y + half(1 - axis) * across;
            (offset * along + height * DVec3::Y, half_extents)
        };
        for side in [-1.0, 1.0] {
            let (middle, half_extents) = place(side * (half(axis) + 0.5 * WALL), WALL, DEEP);
            block(format!("wall {axis} {side}"), middle, half_extents)?;
        }
        for index in 1..BINS[axis] {
            let offset = PITCH * index as f64 - 0.5 * PARTITION - half(axis);
            let (middle, half_extents) = place(offset, PARTITION, HIGH);
            block(format!("partition {axis} {index}"), middle, half_extents)?;
        }
    }
    for bin in 0..BINS[0] * BINS[1] {
        let middle = |axis: usize, place: usize| PITCH * place as f64 + 0.5 * BIN - half(axis);
        let place = DVec3::new(middle(0, bin % BINS[0]), 0.0, middle(1, bin / BINS[0]));
        let floor = BodyDef::fixed(format!("floor {bin}"), dome()?, wood);
        builder.body(floor.at(Pose::from_translation(place)));
    }
    Ok(())
}

/// A flat pyramid on a slab.
fn dome() -> Result<Shape, Halt> {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let ring = |y: f64| corners.map(|(x, z)| DVec3::new(0.5 * BIN * x, y, 0.5 * BIN * z));
    let mut points = vec![DVec3::new(0.0, DOME, 0.0)];
    points.extend(ring(0.0));
    points.extend(ring(-0.003));
    Ok(Shape::hull(Hull::new(&points)?))
}

#[cfg(test)]
mod tests {
    use proscenium_chance::Seed;

    use super::*;

    #[test]
    fn one_marble_moves_and_stays_above_the_box() {
        let mut stream = Seed(5).stream("spelling");
        let before = Drops::draw(10, &mut stream);
        for _ in 0..100 {
            let after = before.moved(&mut stream);
            assert_eq!(before.0.iter().zip(&after.0).filter(|(p, q)| p != q).count(), 1);
            assert!(after.0.iter().all(|place| (0..2).all(|axis| place[axis].abs() <= room(axis))));
        }
    }

    #[test]
    fn marbles_come_to_rest_and_most_lie_in_bins() {
        let drops = Drops::draw(6, &mut Seed(2).stream("spelling"));
        let mut world = drops.builder().unwrap().build().unwrap();
        world.advance(drops.duration() + 2.0).unwrap();
        let marbles = world.bodies().filter(|body| world.inertia(*body).is_some());
        let height = |body| world.pose(body).unwrap().translation.y;
        let (lie, rest): (Vec<bool>, Vec<bool>) =
            marbles.map(|body| (height(body) < HIGH, world.is_resting(body))).unzip();
        assert!(lie.iter().filter(|lies| **lies).count() >= 5, "{lie:?}");
        assert!(rest.iter().filter(|rests| **rests).count() >= 5, "{rest:?}");
    }
}
