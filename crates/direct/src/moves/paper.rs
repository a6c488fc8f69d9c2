//! The paper's proposal mixes (Chenney 2000, Algorithm 2.2 and A.2.2), for its
//! figures: as printed, and corrected. What is printed serves only comparisons.

use proscenium_chance::Stream;

use super::walk::Offset;
use super::{Choose, Edges, FromPrior, Mix, Move, Proposal, Switch, Walk};
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
    let (all, switch): (Box<dyn Move>, Switch) = match ratio {
        PaperRatio::Corrected => (Box::new(FromPrior::new("change all")), Switch::new("balls on or off", 0.25)?),
        PaperRatio::AsPrinted => (
            Box::new(PrintedChangeAll { vectors: vertices, offset: Offset::Directed(vertex_deviation) }),
            Switch::as_printed("balls on or off (as printed)", 0.25)?,
        ),
    };
    Mix::new(vec![(0.04, all), (0.32, Box::new(some)), (0.32, Box::new(one)), (0.32, Box::new(switch))])
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
