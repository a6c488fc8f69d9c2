use std::collections::BTreeSet;
use std::f64::consts::TAU;

use proscenium_chance::{Density, Stream};

use super::{Move, Proposal, pick_where};
use crate::error::{DirectError, chance, positive};
use crate::space::{Point, Space, VariableId};

/// How far a [`Walk`] goes, in the units of the variables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Offset {
    /// Each component uniform between minus and plus this.
    Uniform(f64),
    /// Each component normal with this standard deviation.
    Normal(f64),
    /// In a uniformly random direction, by a distance that is normal with this
    /// standard deviation; for vectors of one, two or three components.
    Directed(f64),
}

impl Offset {
    fn size(self) -> f64 {
        match self {
            Offset::Uniform(size) | Offset::Normal(size) | Offset::Directed(size) => size,
        }
    }

    /// Draws the components of an offset.
    pub(super) fn draw(self, components: usize, stream: &mut Stream) -> Vec<f64> {
        match self {
            Offset::Uniform(half) => (0..components).map(|_| half * (2.0 * stream.uniform() - 1.0)).collect(),
            Offset::Normal(deviation) => (0..components).map(|_| deviation * stream.normal()).collect(),
            Offset::Directed(deviation) => {
                let length = deviation * stream.normal();
                match components {
                    1 => vec![length],
                    2 => {
                        let angle = TAU * stream.uniform();
                        vec![length * libm::cos(angle), length * libm::sin(angle)]
                    }
                    _ => (length * stream.unit_vector()).to_array().to_vec(),
                }
            }
        }
    }
}

/// Which of its vectors a [`Walk`] changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choose {
    /// One of those that exist, each equally likely.
    One,
    /// Each with this chance.
    Each(f64),
}

/// What happens at the ends of a variable's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edges {
    /// A step beyond is refused.
    Refuse,
    /// What leaves at one end comes in at the other; a range without ends
    /// refuses nothing.
    Wrap,
}

/// A random walk in natural units, as the paper's proposals are (Algorithm 2.2,
/// A.1.2 and A.2.2): an offset that is as likely in one direction as in the
/// other is added to some vectors of variables.
///
/// Its ratio is that of the densities of the values.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    name: String,
    vectors: Vec<Vec<VariableId>>,
    choose: Choose,
    offset: Offset,
    edges: Edges,
}

impl Walk {
    /// A walk of these vectors of variables of a space. All variables of a
    /// vector belong to one group, and no variable to two vectors: its ratio would
    /// count twice.
    pub fn new(
        name: impl Into<String>,
        space: &Space,
        vectors: Vec<Vec<VariableId>>,
        choose: Choose,
        offset: Offset,
        edges: Edges,
    ) -> Result<Self, DirectError> {
        let name = name.into();
        if vectors.is_empty() || vectors.iter().any(Vec::is_empty) {
            return Err(DirectError::EmptyMove { name });
        }
        positive(|| format!("the offset of \"{name}\""), offset.size())?;
        if let Choose::Each(each) = choose
            && each != 1.0
        {
            chance(|| format!("the chance of \"{name}\" to change a vector"), each)?;
        }
        let mut changed = BTreeSet::new();
        for id in vectors.iter().flatten() {
            if !changed.insert(id.0) {
                return Err(DirectError::Overlapping { name, variable: space.variable_name(*id).to_owned() });
            }
            if !is_continuous(space.density(*id)) {
                return Err(DirectError::NotContinuous { name: space.variable_name(*id).to_owned() });
            }
        }
        Ok(Self { name, vectors, choose, offset, edges })
    }

    /// Which vectors to change; how likely a choice is does not depend on the
    /// values.
    fn chosen(&self, space: &Space, point: &Point, stream: &mut Stream) -> Vec<usize> {
        let is_free = |index: &usize| self.vectors[*index].iter().all(|id| space.is_free(point, *id));
        match self.choose {
            Choose::One => pick_where(0..self.vectors.len(), is_free, stream).into_iter().collect(),
            Choose::Each(each) => {
                (0..self.vectors.len()).filter(|index| stream.uniform() < each && is_free(index)).collect()
            }
        }
    }
}

impl Move for Walk {
    fn name(&self) -> &str {
        &self.name
    }

    fn propose(&self, space: &Space, current: &Point, stream: &mut Stream) -> Option<Proposal> {
        let mut point = current.clone();
        let mut log_ratio = 0.0;
        for index in self.chosen(space, current, stream) {
            let vector = &self.vectors[index];
            for (id, offset) in vector.iter().zip(self.offset.draw(vector.len(), stream)) {
                let density = space.density(*id);
                let before = density.from_standard_normal(current.whitened[id.0]);
                let after = at_edges(density, before + offset, self.edges);
                let whitened = density.to_standard_normal(after);
                if !whitened.is_finite() {
                    return None;
                }
                log_ratio += density.log_density(after) - density.log_density(before);
                point.whitened[id.0] = whitened;
            }
        }
        Some(Proposal { point, log_ratio })
    }
}

/// Where a step ends, with the range closed to a ring if it wraps.
fn at_edges(density: &Density, value: f64, edges: Edges) -> f64 {
    let support = density.support();
    let width = support.high - support.low;
    if edges == Edges::Refuse || !width.is_finite() || support.contains(value) {
        return value;
    }
    let turns = ((value - support.low) / width).floor();
    value - turns * width
}

/// Whether no value has a probability of its own.
pub(super) fn is_continuous(density: &Density) -> bool {
    match density {
        Density::Constant(_) | Density::Discrete(_) => false,
        // A mixture may have such values, and may have gaps that no step crosses.
        Density::Mixture(_) => false,
        _ => true,
    }
}
