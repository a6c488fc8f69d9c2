//! The paper's proposal mixes (Chenney 2000, Algorithm 2.2, 2.4.4, A.1.2 and A.2.2),
//! for its figures: as printed, and corrected. What is printed serves only comparisons.

use proscenium_chance::Stream;

use super::walk::Offset;
use super::{Choose, Edges, FromPrior, Mix, Move, Proposal, Switch, Together, Walk};
use crate::error::DirectError;
use crate::space::{Point, Space, VariableId};

/// Which Hastings ratios the paper's moves have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperRatio {
    /// As they should be: the chain samples the world as stated.
    Corrected,
    /// As in the paper, for its figures. *Change-all* is taken for symmetric,
    /// which it is not, and switching has its ratio inverted: what such a chain
    /// samples is not the world as stated.
    AsPrinted,
}

/// The proposals for the 2D ball (Algorithm 2.2): each variable is changed with
/// chance one half, by an offset uniform between minus and plus `half_width`.
///
/// They are symmetric, and need no correction.
pub fn ball_mix(space: &Space, half_width: f64) -> Result<Mix, DirectError> {
    let vectors = space.variables().map(|variable| vec![variable]).collect();
    let walk = Walk::new("normals", space, vectors, Choose::Each(0.5), Offset::Uniform(half_width), Edges::Refuse)?;
    Mix::new(vec![(1.0, Box::new(walk))])
}

/// The proposals for balls that spell (A.2.2), with the paper's weights:
/// *change-all*, some partition vertices, one ball, balls off and balls on.
///
/// `vertices` are the offsets of each partition vertex, with the standard
/// deviation `vertex_deviation`; `balls` are the drop positions of each ball,
/// which move by `bin` and wrap at the edges.
pub fn spelling_mix(
    space: &Space,
    vertices: Vec<Vec<VariableId>>,
    vertex_deviation: f64,
    balls: Vec<Vec<VariableId>>,
    bin: f64,
    ratio: PaperRatio,
) -> Result<Mix, DirectError> {
    let half = Offset::Directed(0.5 * vertex_deviation);
    let some = Walk::new("some vertices", space, vertices.clone(), Choose::Each(0.02), half, Edges::Refuse)?;
    let one = Walk::new("one ball", space, balls, Choose::One, Offset::Directed(bin), Edges::Wrap)?;
    let switch = match ratio {
        PaperRatio::Corrected => Switch::new("balls on or off", 0.25)?,
        PaperRatio::AsPrinted => Switch::as_printed("balls on or off (as printed)", 0.25)?,
    };
    let all = change_all(ratio, vertices, vertex_deviation);
    Mix::new(vec![(0.04, all), (0.32, Box::new(some)), (0.32, Box::new(one)), (0.32, Box::new(switch))])
}

/// What is uncertain of a bowling shot, as [`bowling_mix`] moves it; what a scene does
/// not have is left empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shot {
    /// The radius of the ball, and that of the largest, metres.
    pub radius: Option<(VariableId, f64)>,
    /// The density of the ball, and that of the densest.
    pub density: Option<(VariableId, f64)>,
    /// Where it begins across the lane, and how wide the lane is, metres.
    pub across: Option<(VariableId, f64)>,
    /// How high it begins, and the radius of the largest ball, metres.
    pub height: Option<(VariableId, f64)>,
    /// How fast it is down the lane.
    pub down: Option<VariableId>,
    /// How fast it is across the lane.
    pub sideways: Option<VariableId>,
    /// Its angular velocity.
    pub spin: Vec<VariableId>,
    /// The places of the pins.
    pub pins: Vec<Vec<VariableId>>,
    /// How far a pin is from its spot, standard deviation, metres.
    pub pin_deviation: f64,
}

/// The proposals for bowling (A.1.2), with the paper's weights: *change-all*, the ball's
/// radius, density, position, velocity or spin, and each pin with chance one half.
pub fn bowling_mix(space: &Space, shot: &Shot, ratio: PaperRatio) -> Result<Mix, DirectError> {
    let mut moves: Vec<(f64, Box<dyn Move>)> = vec![(0.05, change_all(ratio, shot.pins.clone(), shot.pin_deviation))];
    let scaled = |one: Option<(VariableId, f64)>, share: f64| one.map(|(id, scale)| (id, share * scale));
    let with = |one: Option<VariableId>, deviation: f64| one.map(|id| (id, deviation));
    let spins = shot.spin.iter().map(|id| Some((*id, 0.1))).collect();
    for (weight, name, changed) in [
        (0.075, "radius", vec![scaled(shot.radius, 0.04)]),
        (0.075, "density", vec![scaled(shot.density, 0.04)]),
        (0.2, "position", vec![scaled(shot.across, 0.2), scaled(shot.height, 0.05)]),
        (0.2, "velocity", vec![with(shot.down, 0.5), with(shot.sideways, 0.05)]),
        (0.2, "spin", spins),
    ] {
        let walks = changed.into_iter().flatten().map(|(id, deviation)| one(name, space, id, deviation));
        let walks = walks.collect::<Result<Vec<_>, _>>()?;
        if !walks.is_empty() {
            moves.push((weight, Box::new(Together::new(name, walks)?)));
        }
    }
    if !shot.pins.is_empty() {
        let half = Offset::Directed(0.5 * shot.pin_deviation);
        let pins = Walk::new("some pins", space, shot.pins.clone(), Choose::Each(0.5), half, Edges::Refuse)?;
        moves.push((0.2, Box::new(pins)));
    }
    Mix::new(moves)
}

/// The proposals for dice (2.4.4): one control point of the table, one component of a
/// start, or everything. The paper left the chances to its user and the offsets unsaid:
/// one in twenty is *change-all*, the others are shared equally between table and starts,
/// and an offset has half the deviation of what it changes.
pub fn dice_mix(
    space: &Space,
    points: &[VariableId],
    starts: &[VariableId],
    ratio: PaperRatio,
) -> Result<Mix, DirectError> {
    let mut moves = vec![(0.05, change_all(ratio, Vec::new(), 1.0))];
    let kinds = [("one control point", points), ("one of a start", starts)];
    let used = kinds.iter().filter(|(_, ids)| !ids.is_empty()).count();
    for (name, ids) in kinds {
        for id in ids {
            let deviation = 0.5 * space.density(*id).variance().sqrt();
            moves.push((0.95 / (used * ids.len()) as f64, one(name, space, *id, deviation)?));
        }
    }
    Mix::new(moves)
}

/// A normal step of one variable, closed to a ring where it has two ends.
fn one(name: &str, space: &Space, id: VariableId, deviation: f64) -> Result<Box<dyn Move>, DirectError> {
    let offset = Offset::Normal(deviation);
    Ok(Box::new(Walk::new(name, space, vec![vec![id]], Choose::One, offset, Edges::Wrap)?))
}

/// Everything anew; as printed, with these vectors drawn as the paper draws them.
fn change_all(ratio: PaperRatio, vectors: Vec<Vec<VariableId>>, deviation: f64) -> Box<dyn Move> {
    match ratio {
        PaperRatio::Corrected => Box::new(FromPrior::new("change all")),
        PaperRatio::AsPrinted => Box::new(PrintedChangeAll { vectors, offset: Offset::Directed(deviation) }),
    }
}

/// *Change-all* as printed: vectors get a random direction and a normal length,
/// whose density is not the isotropic one they are scored with, and the
/// proposal is taken for symmetric.
struct PrintedChangeAll {
    vectors: Vec<Vec<VariableId>>,
    offset: Offset,
}

impl Move for PrintedChangeAll {
    fn name(&self) -> &str {
        "change all (as printed)"
    }

    fn propose(&self, space: &Space, current: &Point, stream: &mut Stream) -> Option<Proposal> {
        let mut point = space.draw(stream);
        for vector in &self.vectors {
            for (id, offset) in vector.iter().zip(self.offset.draw(vector.len(), stream)) {
                let density = space.density(*id);
                let whitened = density.to_standard_normal(density.mean() + offset);
                if space.exists(&point, *id) && whitened.is_finite() {
                    point.whitened[id.0] = whitened;
                }
            }
        }
        let score = |point: &Point| space.variables().map(|id| space.log_density_of(point, id)).sum::<f64>();
        let log_ratio = score(&point) - score(current);
        Some(Proposal { point, log_ratio })
    }
}
