//! The solids that dice are, and how their sides are numbered.

use glam::{DQuat, DVec3};
use proscenium_geometry::{Hull, Shape, ShapeError};

/// The golden ratio, of which dodecahedra and icosahedra are made.
const GOLDEN: f64 = 1.618_033_988_749_895;
/// Outer radii as they are sold, m; of a cube, half its edge and how round its edges are.
const RADIUS_D4: f64 = 0.0125;
const HALF_EDGE_D6: f64 = 0.008;
const ROUNDING_D6: f64 = 0.0015;
const RADIUS_D8: f64 = 0.0125;
const RADIUS_D10: f64 = 0.0115;
const RADIUS_D12: f64 = 0.0118;
const RADIUS_D20: f64 = 0.0122;
/// How far the corners around a ten-sided die lie above and below its middle, as a share
/// of its radius.
const ZIGZAG: f64 = 0.105;
/// Cosine and sine of the multiples of 36 degrees, of which a ten-sided die is made.
const TENTHS: [[f64; 2]; 10] = [
    [1.0, 0.0],
    [0.809_016_994_374_947_4, 0.587_785_252_292_473_1],
    [0.309_016_994_374_947_4, 0.951_056_516_295_153_5],
    [-0.309_016_994_374_947_4, 0.951_056_516_295_153_5],
    [-0.809_016_994_374_947_4, 0.587_785_252_292_473_1],
    [-1.0, 0.0],
    [-0.809_016_994_374_947_4, -0.587_785_252_292_473_1],
    [-0.309_016_994_374_947_4, -0.951_056_516_295_153_5],
    [0.309_016_994_374_947_4, -0.951_056_516_295_153_5],
    [0.809_016_994_374_947_4, -0.587_785_252_292_473_1],
];
/// The numbers of an icosahedron in the order of [`icosahedron_sides`].
const NUMBERS_D20: [u32; 20] = [20, 10, 6, 3, 18, 15, 11, 1, 2, 8, 14, 12, 16, 4, 9, 5, 17, 19, 13, 7];

/// A side of a die, or a corner of one with four: where it points, and its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// Where it points in the die's own axes, of length one: up, when it is read.
    pub direction: DVec3,
    /// What is on it.
    pub number: u32,
}

/// One of the six solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Solid {
    /// A tetrahedron, read at the corner that points up.
    D4,
    /// A cube with round edges.
    D6,
    /// An octahedron.
    D8,
    /// A pentagonal trapezohedron, with the numbers 0 to 9.
    D10,
    /// A dodecahedron.
    D12,
    /// An icosahedron.
    D20,
}

impl Solid {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::D4, Self::D6, Self::D8, Self::D10, Self::D12, Self::D20];

    /// Its shape, with its middle at the origin.
    ///
    /// # Errors
    ///
    /// None: the corners are those of solids.
    pub fn shape(self) -> Result<Shape, ShapeError> {
        match self {
            Self::D6 => Shape::cuboid(DVec3::splat(HALF_EDGE_D6), ROUNDING_D6),
            _ => Hull::new(&self.corners()).map(Shape::hull),
        }
    }

    /// How round its edges are, m.
    #[must_use]
    pub fn rounding(self) -> f64 {
        if self == Self::D6 { ROUNDING_D6 } else { 0.0 }
    }

    /// What it is called where solids are told apart.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::D4 => "d4",
            Self::D6 => "d6",
            Self::D8 => "d8",
            Self::D10 => "d10",
            Self::D12 => "d12",
            Self::D20 => "d20",
        }
    }

    /// Its corners, before edges are rounded, m.
    pub(super) fn corners(self) -> Vec<DVec3> {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let (radius, corners): (f64, Vec<DVec3>) = match self {
            Self::D4 => (RADIUS_D4, self.directions()),
            Self::D6 => {
                let corner = |index: u32| {
                    let sign = |bit: u32| if index >> bit & 1 == 0 { HALF_EDGE_D6 } else { -HALF_EDGE_D6 };
                    DVec3::new(sign(0), sign(1), sign(2))
                };
                return (0..8).map(corner).collect();
            }
            Self::D8 => (RADIUS_D8, axes.into_iter().flat_map(|v| [v, -v]).collect()),
            Self::D10 => (RADIUS_D10, trapezohedron_corners()),
            // The sides of the one are the corners of the other.
            Self::D12 => (RADIUS_D12, Self::D20.directions()),
            Self::D20 => (RADIUS_D20, Self::D12.directions()),
        };
        let outer = corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
        corners.iter().map(|corner| *corner * (radius / outer)).collect()
    }

    /// Its sides. Opposite numbers add up to the same, but on four sides: 7, 9, 13 and 21,
    /// and 9 where they begin with 0. The neighbours on twenty sides are the usual ones (2,
    /// 8 and 14 around 20, clockwise); makers differ in those on eight, ten and twelve.
    #[must_use]
    pub fn sides(self) -> Vec<Side> {
        let numbers: &[u32] = match self {
            Self::D4 => &[1, 2, 3, 4],
            Self::D6 => &[1, 2, 3, 4, 5, 6],
            Self::D8 => &[1, 6, 4, 7, 8, 3, 5, 2],
            Self::D10 => &[1, 7, 3, 9, 5, 8, 2, 6, 0, 4],
            Self::D12 => &[1, 2, 3, 4, 5, 6, 12, 11, 10, 9, 8, 7],
            Self::D20 => &NUMBERS_D20,
        };
        let sides = self.directions().into_iter().zip(numbers);
        sides.map(|(direction, number)| Side { direction: direction.normalize(), number: *number }).collect()
    }

    /// Where the sides point, in the order of their numbers in [`Solid::sides`].
    fn directions(self) -> Vec<DVec3> {
        let with_opposites = |half: Vec<DVec3>| half.iter().copied().chain(half.iter().map(|v| -*v)).collect();
        let g = GOLDEN;
        match self {
            Self::D4 => vec![
                DVec3::new(1.0, 1.0, 1.0),
                DVec3::new(1.0, -1.0, -1.0),
                DVec3::new(-1.0, 1.0, -1.0),
                DVec3::new(-1.0, -1.0, 1.0),
            ],
            Self::D6 => vec![DVec3::Y, DVec3::Z, DVec3::X, DVec3::NEG_X, DVec3::NEG_Z, DVec3::NEG_Y],
            Self::D8 => with_opposites(vec![
                DVec3::new(1.0, 1.0, 1.0),
                DVec3::new(-1.0, 1.0, 1.0),
                DVec3::new(-1.0, 1.0, -1.0),
                DVec3::new(1.0, 1.0, -1.0),
            ]),
            Self::D10 => with_opposites(trapezohedron_upper_sides()),
            Self::D12 => with_opposites(vec![
                DVec3::new(0.0, 1.0, g),
                DVec3::new(0.0, 1.0, -g),
                DVec3::new(1.0, g, 0.0),
                DVec3::new(-1.0, g, 0.0),
                DVec3::new(g, 0.0, 1.0),
                DVec3::new(g, 0.0, -1.0),
            ]),
            Self::D20 => icosahedron_sides(),
        }
    }

    /// The turns that bring a side to where another one is, of those that leave the shape
    /// as it is.
    pub(super) fn turns(shape: &Shape, from: DVec3, to: DVec3) -> Vec<DQuat> {
        let brings = |turn: &DQuat| (*turn * from).abs_diff_eq(to, 1e-6);
        shape.rotations().into_iter().filter(brings).collect()
    }
}

/// The height of an apex for which the kites are flat.
fn apex() -> f64 {
    let [cosine, _] = TENTHS[1];
    ZIGZAG * (1.0 + cosine) / (1.0 - cosine)
}

fn trapezohedron_corners() -> Vec<DVec3> {
    let ring = TENTHS.iter().enumerate().map(|(index, [cosine, sine])| {
        let height = if index % 2 == 0 { -ZIGZAG } else { ZIGZAG };
        DVec3::new(*cosine, height, *sine)
    });
    ring.chain([apex() * DVec3::Y, -apex() * DVec3::Y]).collect()
}

fn trapezohedron_upper_sides() -> Vec<DVec3> {
    let slope = ZIGZAG + apex();
    TENTHS.iter().step_by(2).map(|[cosine, sine]| DVec3::new(slope * cosine, 1.0, slope * sine)).collect()
}

/// Where the sides of an icosahedron point: the corners of a cube, then the rest.
fn icosahedron_sides() -> Vec<DVec3> {
    let (long, short, signs) = (GOLDEN, 1.0 / GOLDEN, [1.0, -1.0]);
    let mut sides = Vec::with_capacity(20);
    for x in signs {
        for y in signs {
            sides.extend(signs.map(|z| DVec3::new(x, y, z)));
        }
    }
    for a in signs {
        for b in signs {
            let (a, b) = (a * long, b * short);
            sides.extend([DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)]);
        }
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_sides_add_up() {
        for (solid, sum) in [(Solid::D6, 7), (Solid::D8, 9), (Solid::D10, 9), (Solid::D12, 13), (Solid::D20, 21)] {
            let sides = solid.sides();
            for side in &sides {
                let opposite = sides.iter().find(|other| other.direction.dot(side.direction) < -1.0 + 1e-9).unwrap();
                assert_eq!(side.number + opposite.number, sum, "{solid:?}");
            }
        }
    }

    /// Every number is there once, and a turn of the solid brings any side to any other:
    /// so the die is fair, and a simulation serves all numbers.
    #[test]
    fn every_side_can_take_the_place_of_every_other() {
        for solid in Solid::ALL {
            let (shape, sides) = (solid.shape().unwrap(), solid.sides());
            let mut numbers: Vec<u32> = sides.iter().map(|side| side.number).collect();
            numbers.sort_unstable();
            let first = u32::from(solid != Solid::D10);
            assert_eq!(numbers, (first..first + sides.len() as u32).collect::<Vec<_>>(), "{solid:?}");
            for a in &sides {
                for b in &sides {
                    let turns = Solid::turns(&shape, a.direction, b.direction).len();
                    let expected = shape.rotations().len() / sides.len();
                    assert!(turns == expected && turns > 0, "{solid:?} {turns}");
                }
            }
        }
    }

    #[test]
    fn twenty_sides_have_their_usual_neighbours() {
        const NEIGHBOURS: [[u32; 3]; 10] = [
            [7, 13, 19],
            [12, 18, 20],
            [16, 17, 19],
            [11, 14, 18],
            [13, 15, 18],
            [9, 14, 16],
            [1, 15, 17],
            [10, 16, 20],
            [6, 11, 19],
            [8, 12, 17],
        ];
        let sides = Solid::D20.sides();
        for (index, expected) in NEIGHBOURS.iter().enumerate() {
            let side = sides.iter().find(|side| side.number == index as u32 + 1).unwrap();
            let near = |other: &&Side| (0.7..0.9).contains(&other.direction.dot(side.direction));
            let mut found: Vec<u32> = sides.iter().filter(near).map(|other| other.number).collect();
            found.sort_unstable();
            assert_eq!(found, expected);
        }
        let at = |number: u32| sides.iter().find(|side| side.number == number).unwrap().direction;
        assert!(at(2).cross(at(8)).dot(at(20)) < 0.0, "clockwise, seen from outside");
    }
}
