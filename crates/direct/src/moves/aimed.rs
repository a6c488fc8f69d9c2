use proscenium_chance::Stream;

use super::switch::log_odds;
use super::walk::is_continuous;
use super::{Move, Proposal, pick_where};
use crate::error::{DirectError, positive};
use crate::space::{GroupId, Point, Space, VariableId};

/// The share of proposals that are drawn from the world as they are: without them a
/// vector far from all targets could never be left.
const ANYWHERE: f64 = 0.2;

/// A vector of variables, and values of it that look promising.
#[derive(Clone, Debug, PartialEq)]
pub struct Aim {
    /// The variables, all of one group.
    pub vector: Vec<VariableId>,
    /// Values that each may have, one for each variable.
    pub targets: Vec<Vec<f64>>,
    /// How far from a target a proposal is, standard deviation.
    pub spread: f64,
}

impl Aim {
    /// A value near a target, or any of the world.
    fn draw(&self, space: &Space, point: &mut Point, stream: &mut Stream) -> Option<()> {
        let anywhere = stream.uniform() < ANYWHERE;
        let target = stream.pick(&self.targets)?;
        for (id, target) in self.vector.iter().zip(target) {
            let near = target + self.spread * stream.normal();
            let whitened = if anywhere { stream.normal() } else { space.density(*id).to_standard_normal(near) };
            if !whitened.is_finite() {
                return None;
            }
            point.whitened[id.0] = whitened;
        }
        Some(())
    }

    /// The logarithm of how much more likely a proposal is to have the vector of a point
    /// than a draw of the world.
    fn log_excess(&self, space: &Space, point: &Point) -> f64 {
        let values: Vec<(f64, f64)> = self
            .vector
            .iter()
            .map(|id| (space.density(*id).from_standard_normal(point.whitened[id.0]), space.log_density_of(point, *id)))
            .collect();
        let world: f64 = values.iter().map(|(_, log_density)| log_density).sum();
        let density = |target: &Vec<f64>| {
            let log_near = |(value, target): (&(f64, f64), &f64)| {
                let off = (value.0 - target) / self.spread;
                -0.5 * off * off - libm::log(self.spread) - 0.5 * libm::log(std::f64::consts::TAU)
            };
            libm::exp(values.iter().zip(target).map(log_near).sum::<f64>() - world)
        };
        let near = self.targets.iter().map(density).sum::<f64>() / self.targets.len() as f64;
        libm::log(ANYWHERE + (1.0 - ANYWHERE) * near)
    }
}

/// Draws one of some vectors anew, mostly near values that look promising: where a body
/// should end is a good place to drop it. Where groups may take part or not, half of the
/// proposals let one more take part, aimed, or one fewer.
///
/// How much more often it proposes a value than the world has it is known, and stands in
/// the ratio: what is sampled does not depend on where it aims.
///
/// ```
/// use proscenium_chance::Density;
/// use proscenium_direct::moves::{Aim, Aimed};
/// use proscenium_direct::{Mix, Space};
///
/// let mut space = Space::new();
/// let marble = space.group("marble")?;
/// let x = space.variable(marble, "x", Density::uniform(-1.0, 1.0)?)?;
/// let over_a_cup = Aim { vector: vec![x], targets: vec![vec![-0.3], vec![0.4]], spread: 0.02 };
/// let aimed = Aimed::new("over a cup", &space, vec![over_a_cup])?;
/// let mix = Mix::standard(&space)?.with(0.3, Box::new(aimed))?;
/// assert!(mix.names().any(|name| name == "over a cup"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Aimed {
    name: String,
    aims: Vec<(GroupId, Aim)>,
    switches: bool,
}

impl Aimed {
    /// A move of these vectors of a space.
    ///
    /// # Errors
    /// Nothing to move, a spread that is none, a variable whose values have probabilities
    /// of their own, or vectors that are not each of a group of their own.
    pub fn new(name: impl Into<String>, space: &Space, aims: Vec<Aim>) -> Result<Self, DirectError> {
        let name = name.into();
        if aims.is_empty() || aims.iter().any(|aim| aim.vector.is_empty() || aim.targets.is_empty()) {
            return Err(DirectError::EmptyMove { name });
        }
        let mut with_groups: Vec<(GroupId, Aim)> = Vec::with_capacity(aims.len());
        for aim in aims {
            positive(|| format!("the spread of \"{name}\""), aim.spread)?;
            for id in &aim.vector {
                if !is_continuous(space.density(*id)) {
                    return Err(DirectError::NotContinuous { name: space.variable_name(*id).to_owned() });
                }
            }
            let group = space.group_of(aim.vector[0]);
            let of_another = aim.vector.iter().find(|id| space.group_of(**id) != group);
            let known = with_groups.iter().any(|(known, _)| *known == group).then_some(&aim.vector[0]);
            if let Some(id) = of_another.or(known) {
                return Err(DirectError::Overlapping { name, variable: space.variable_name(*id).to_owned() });
            }
            with_groups.push((group, aim));
        }
        let switches = with_groups.iter().any(|(group, _)| space.chance_of(*group).is_some());
        Ok(Self { name, aims: with_groups, switches })
    }

    /// One that takes part is drawn anew.
    fn moved(&self, space: &Space, current: &Point, stream: &mut Stream) -> Option<Proposal> {
        let is_free = |place: &usize| self.aims[*place].1.vector.iter().all(|id| space.is_free(current, *id));
        let (_, aim) = &self.aims[pick_where(0..self.aims.len(), is_free, stream)?];
        let mut point = current.clone();
        aim.draw(space, &mut point, stream)?;
        let log_ratio = aim.log_excess(space, current) - aim.log_excess(space, &point);
        Some(Proposal { point, log_ratio })
    }

    /// One more takes part, or one fewer.
    fn switched(&self, space: &Space, current: &Point, stream: &mut Stream) -> Option<Proposal> {
        let more = stream.uniform() < 0.5;
        let optional = |place: &usize| space.is_optional(self.aims[*place].0);
        let could = |place: &usize| optional(place) && current.active[self.aims[*place].0.0] != more;
        let places = 0..self.aims.len();
        let candidates = places.clone().filter(could).count();
        let others = places.clone().filter(optional).count() - candidates;
        let (group, aim) = &self.aims[pick_where(places, could, stream)?];
        let mut point = current.clone();
        point.switch(space, *group, more, stream);
        let log_excess = if more {
            aim.draw(space, &mut point, stream)?;
            -aim.log_excess(space, &point)
        } else {
            aim.log_excess(space, current)
        };
        let log_choice = libm::log(candidates as f64 / (others + 1) as f64);
        Some(Proposal { point, log_ratio: log_odds(space, *group, more) + log_choice + log_excess })
    }
}

impl Move for Aimed {
    fn name(&self) -> &str {
        &self.name
    }

    fn propose(&self, space: &Space, current: &Point, stream: &mut Stream) -> Option<Proposal> {
        if self.switches && stream.uniform() < 0.5 {
            self.switched(space, current, stream)
        } else {
            self.moved(space, current, stream)
        }
    }
}
