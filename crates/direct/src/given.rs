//! What is given of an animation, so that only the rest is drawn.

use proscenium_chance::Density;
use serde::{Deserialize, Serialize};

use crate::error::{DirectError, positive};
use crate::space::{GroupId, Point, Space, VariableId};

/// How free a variable is where an animation is given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Freedom {
    /// It is drawn anew from its density.
    Anew,
    /// It is drawn from its density within so many standard deviations of what it is, up and
    /// down (in the whitened form of a [`Point`]).
    Little(f64),
    /// It is what it is.
    Held,
}

/// What is given of an animation: what is sampled has the distribution of the world under
/// the condition that it has the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    point: Point,
    freedom: Vec<Freedom>,
    groups: Vec<bool>,
    begins: bool,
    until: Option<f64>,
    own: Vec<f64>,
}

impl Condition {
    /// An animation of a space, and how free each of its variables is. A group of which one
    /// variable is not free takes part as it does.
    ///
    /// # Errors
    /// A point or a number of freedoms of another space, and a reach that is not positive.
    pub fn new(space: &Space, point: Point, freedom: Vec<Freedom>) -> Result<Self, DirectError> {
        let held = |variable: &VariableId| freedom.get(variable.index()).is_some_and(|free| *free != Freedom::Anew);
        let groups = space.groups().map(|group| space.variables_of(group).iter().any(held)).collect();
        let given = Self { point, freedom, groups, begins: false, until: None, own: Vec::new() };
        given.check(space)?;
        Ok(given)
    }

    /// The same where these groups take part as they do.
    #[must_use]
    pub fn holding(mut self, groups: impl IntoIterator<Item = GroupId>) -> Self {
        for group in groups {
            if let Some(held) = self.groups.get_mut(group.index()) {
                *held = true;
            }
        }
        self
    }

    /// The same, where chains begin at the animation.
    #[must_use]
    pub fn beginning_there(mut self) -> Self {
        self.begins = true;
        self
    }

    /// The same, where nothing that is free was read before a time, seconds: until then
    /// all animations are this one.
    #[must_use]
    pub fn kept_until(mut self, until: f64) -> Self {
        self.until = Some(until);
        self
    }

    /// The same with numbers that mean something to the model alone, as how the animation
    /// is shown.
    #[must_use]
    pub fn with_own(mut self, own: Vec<f64>) -> Self {
        self.own = own;
        self
    }

    /// The animation.
    #[must_use]
    pub fn point(&self) -> &Point {
        &self.point
    }

    /// Until when all animations are this one, seconds, if that is known.
    #[must_use]
    pub fn until(&self) -> Option<f64> {
        self.until
    }

    /// What means something to the model alone.
    #[must_use]
    pub fn own(&self) -> &[f64] {
        &self.own
    }

    /// How free a variable is.
    #[must_use]
    pub fn freedom(&self, variable: VariableId) -> Freedom {
        self.freedom.get(variable.index()).copied().unwrap_or(Freedom::Held)
    }

    pub(crate) fn holds_group(&self, group: GroupId) -> bool {
        self.groups.get(group.index()).copied().unwrap_or(true)
    }

    pub(crate) fn begins_there(&self) -> bool {
        self.begins
    }

    /// Whether it is of a space.
    pub(crate) fn check(&self, space: &Space) -> Result<(), DirectError> {
        space.check(&self.point)?;
        let counts = [
            ("variables", self.freedom.len(), space.variables().len()),
            ("groups", self.groups.len(), space.groups().len()),
        ];
        if let Some((what, found, expected)) = counts.into_iter().find(|(_, found, expected)| found != expected) {
            return Err(DirectError::OtherSpace { what, found, expected });
        }
        for (variable, freedom) in space.variables().zip(&self.freedom) {
            if let Freedom::Little(reach) = freedom {
                positive(|| format!("how far \"{}\" may move", space.variable_name(variable)), *reach)?;
            }
        }
        Ok(())
    }

    /// Whether a point has what is given.
    pub(crate) fn allows(&self, point: &Point) -> bool {
        let groups = self.groups.iter().zip(self.point.active.iter().zip(&point.active));
        let variables = self.freedom.iter().zip(self.point.whitened.iter().zip(&point.whitened));
        groups.into_iter().all(|(held, (own, other))| !held || own == other)
            && variables.into_iter().all(|(freedom, (own, other))| match freedom {
                Freedom::Anew => true,
                Freedom::Little(reach) => (own - reach..=own + reach).contains(other),
                Freedom::Held => own == other,
            })
    }

    /// Whether a group takes part, if that is given.
    pub(crate) fn takes_part(&self, group: usize) -> Option<bool> {
        self.groups.get(group).filter(|held| **held).and_then(|_| self.point.active.get(group)).copied()
    }

    /// The whitened value of a variable that exists, where the world alone would give
    /// `drawn`: it grows with that.
    pub(crate) fn condition(&self, variable: usize, drawn: f64) -> f64 {
        let own = self.point.whitened[variable];
        match self.freedom[variable] {
            Freedom::Anew => drawn,
            Freedom::Held => own,
            Freedom::Little(reach) => {
                let (low, high) = (own - reach, own + reach);
                let near = Density::truncated_normal(0.0, 1.0, low, high);
                near.map_or(own, |near| near.from_standard_normal(drawn).clamp(low, high))
            }
        }
    }
}
