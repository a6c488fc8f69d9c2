//! What is uncertain: variables, the groups they come in, and points.

use proscenium_chance::{Density, Stream};
use serde::{Deserialize, Serialize};

use crate::error::{DirectError, chance};
use crate::given::{Condition, Freedom};

/// The number of a variable in its [`Space`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub(crate) usize);

/// The number of a group in its [`Space`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub(crate) usize);

impl VariableId {
    /// The place of the variable among all, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

impl GroupId {
    /// The place of the group among all, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Variable {
    name: String,
    density: Density,
    group: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Group {
    name: String,
    /// How likely it takes part; `None` if it always does.
    chance: Option<f64>,
    variables: Vec<VariableId>,
}

/// The uncertain numbers of a world, and the distribution that the world gives
/// them (the paper's p_w).
///
/// Variables come in groups, such as all numbers of one body. A group is always
/// there, or takes part with some chance: then its variables exist only while it
/// does, and the number of variables changes from point to point.
///
/// ```
/// use proscenium_chance::{Density, Seed};
/// use proscenium_direct::Space;
///
/// let mut space = Space::new();
/// let table = space.group("table")?;
/// let bump = space.variable(table, "bump", Density::normal(0.0, 0.003)?)?;
/// let marble = space.optional_group("marble", 0.5)?;
/// let drop = space.variable(marble, "drop", Density::uniform(-0.1, 0.1)?)?;
///
/// let point = space.draw(&mut Seed(1).stream("world"));
/// let values = space.values(&point);
/// assert!(values.get(bump).is_some_and(f64::is_finite));
/// assert_eq!(values.get(drop).is_some(), values.takes_part(marble));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Space {
    variables: Vec<Variable>,
    groups: Vec<Group>,
    /// What is given, if not everything is to be drawn.
    given: Option<Box<Condition>>,
}

impl Space {
    /// A space without variables.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a group that always takes part.
    pub fn group(&mut self, name: impl Into<String>) -> Result<GroupId, DirectError> {
        self.add_group(name.into(), None)
    }

    /// Adds a group that takes part with this chance, independently of all else.
    pub fn optional_group(&mut self, name: impl Into<String>, takes_part: f64) -> Result<GroupId, DirectError> {
        let name = name.into();
        let takes_part = chance(|| format!("the chance of group \"{name}\" to take part"), takes_part)?;
        self.add_group(name, Some(takes_part))
    }

    fn add_group(&mut self, name: String, chance: Option<f64>) -> Result<GroupId, DirectError> {
        if self.groups.iter().any(|group| group.name == name) {
            return Err(DirectError::DuplicateName { what: "group", name });
        }
        self.groups.push(Group { name, chance, variables: Vec::new() });
        Ok(GroupId(self.groups.len() - 1))
    }

    /// Adds a variable to a group.
    pub fn variable(
        &mut self,
        group: GroupId,
        name: impl Into<String>,
        density: Density,
    ) -> Result<VariableId, DirectError> {
        let name = name.into();
        if self.variables.iter().any(|variable| variable.name == name) {
            return Err(DirectError::DuplicateName { what: "variable", name });
        }
        let groups = self.groups.len();
        let Some(owner) = self.groups.get_mut(group.0) else {
            return Err(DirectError::UnknownGroup { name, group: group.0, groups });
        };
        let id = VariableId(self.variables.len());
        owner.variables.push(id);
        self.variables.push(Variable { name, density, group: group.0 });
        Ok(id)
    }

    /// All variables, in the order in which they were added.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = VariableId> + '_ {
        (0..self.variables.len()).map(VariableId)
    }

    /// All groups, in the order in which they were added.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = GroupId> + '_ {
        (0..self.groups.len()).map(GroupId)
    }

    /// The groups that do not always take part, and of which it is not given whether they do.
    pub fn optional_groups(&self) -> impl Iterator<Item = GroupId> + '_ {
        self.groups().filter(|group| self.is_optional(*group))
    }

    pub(crate) fn is_optional(&self, group: GroupId) -> bool {
        self.groups[group.0].chance.is_some() && !self.holds_group(group)
    }

    /// The same space where something is given: its draws are those of the world that have
    /// what is given.
    ///
    /// ```
    /// use proscenium_chance::{Density, Seed};
    /// use proscenium_direct::{Freedom, Condition, Space};
    ///
    /// let mut space = Space::new();
    /// let ball = space.group("ball")?;
    /// let speed = space.variable(ball, "speed", Density::normal(7.0, 1.0)?)?;
    /// let spin = space.variable(ball, "spin", Density::normal(0.0, 5.0)?)?;
    /// let point = space.draw(&mut Seed(1).stream("world"));
    ///
    /// let freedom = vec![Freedom::Held, Freedom::Anew];
    /// let space = space.clone().given(Condition::new(&space, point.clone(), freedom)?)?;
    /// let again = space.draw(&mut Seed(2).stream("world"));
    /// assert_eq!(again.whitened()[speed.index()], point.whitened()[speed.index()]);
    /// assert_ne!(again.whitened()[spin.index()], point.whitened()[spin.index()]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What is given of another space.
    pub fn given(mut self, given: Condition) -> Result<Self, DirectError> {
        self.given = None;
        given.check(&self)?;
        self.given = Some(Box::new(given));
        Ok(self)
    }

    /// What is given, if anything is.
    #[must_use]
    pub fn what_is_given(&self) -> Option<&Condition> {
        self.given.as_deref()
    }

    /// Whether a variable exists at a point, and may be another.
    #[must_use]
    pub fn is_free(&self, point: &Point, variable: VariableId) -> bool {
        self.exists(point, variable) && self.freedom(variable) != Freedom::Held
    }

    /// How free a variable is.
    #[must_use]
    pub fn freedom(&self, variable: VariableId) -> Freedom {
        self.given.as_ref().map_or(Freedom::Anew, |given| given.freedom(variable))
    }

    fn holds_group(&self, group: GroupId) -> bool {
        self.given.as_ref().is_some_and(|given| given.holds_group(group))
    }

    /// Whether a point of the space has what is given.
    #[must_use]
    pub fn allows(&self, point: &Point) -> bool {
        self.given.as_ref().is_none_or(|given| given.allows(point))
    }

    /// Where a chain begins: at what is given, or at a draw.
    pub(crate) fn begin(&self, stream: &mut Stream) -> Point {
        let at = self.given.as_ref().filter(|given| given.begins_there());
        at.map_or_else(|| self.draw(stream), |given| given.point().clone())
    }

    /// The name of a variable.
    #[must_use]
    pub fn variable_name(&self, variable: VariableId) -> &str {
        &self.variables[variable.0].name
    }

    /// The name of a group.
    #[must_use]
    pub fn group_name(&self, group: GroupId) -> &str {
        &self.groups[group.0].name
    }

    /// The density of a variable.
    #[must_use]
    pub fn density(&self, variable: VariableId) -> &Density {
        &self.variables[variable.0].density
    }

    /// The variables of a group.
    #[must_use]
    pub fn variables_of(&self, group: GroupId) -> &[VariableId] {
        &self.groups[group.0].variables
    }

    /// The group of a variable.
    #[must_use]
    pub fn group_of(&self, variable: VariableId) -> GroupId {
        GroupId(self.variables[variable.0].group)
    }

    /// How likely a group takes part; `None` if it always does.
    #[must_use]
    pub fn chance_of(&self, group: GroupId) -> Option<f64> {
        self.groups[group.0].chance
    }

    /// Whether a variable exists at a point.
    #[must_use]
    pub fn exists(&self, point: &Point, variable: VariableId) -> bool {
        point.active[self.variables[variable.0].group]
    }

    /// Draws a point from the distribution of the world, with what is given.
    #[must_use]
    pub fn draw(&self, stream: &mut Stream) -> Point {
        let given = self.given.as_deref();
        let takes_part = |(index, group): (usize, &Group)| {
            let drawn = group.chance.is_none_or(|chance| stream.uniform() < chance);
            given.and_then(|given| given.takes_part(index)).unwrap_or(drawn)
        };
        let active: Vec<bool> = self.groups.iter().enumerate().map(takes_part).collect();
        let value = |(index, variable): (usize, &Variable)| {
            if !active[variable.group] {
                return 0.0;
            }
            let drawn = stream.normal();
            given.map_or(drawn, |given| given.condition(index, drawn))
        };
        let whitened = self.variables.iter().enumerate().map(value).collect();
        Point { whitened, active }
    }

    /// The point in natural units.
    #[must_use]
    pub fn values(&self, point: &Point) -> Values {
        let natural = self.variables.iter().zip(&point.whitened);
        let natural = natural
            .map(
                |(variable, &z)| {
                    if point.active[variable.group] { variable.density.from_standard_normal(z) } else { f64::NAN }
                },
            )
            .collect();
        Values { natural, active: point.active.clone() }
    }

    /// The logarithm of the density of a point in natural units (the paper's
    /// log p_w), normalised, with the chances of the groups.
    #[must_use]
    pub fn log_density(&self, point: &Point) -> f64 {
        let groups = self.groups.iter().zip(&point.active).filter_map(|(group, &active)| {
            let chance = group.chance?;
            Some(libm::log(if active { chance } else { 1.0 - chance }))
        });
        groups.sum::<f64>() + self.variables().map(|variable| self.log_density_of(point, variable)).sum::<f64>()
    }

    /// The part of one variable in it, zero where it does not exist.
    pub(crate) fn log_density_of(&self, point: &Point, variable: VariableId) -> f64 {
        if !self.exists(point, variable) {
            return 0.0;
        }
        let density = &self.variables[variable.0].density;
        density.log_density(density.from_standard_normal(point.whitened[variable.0]))
    }

    /// A fixed mix of the variables that exist and of the groups that take part, with
    /// weights between −1 and 1 that no two of them share.
    pub(crate) fn probe(&self, point: &Point) -> f64 {
        // The multiples of the golden ratio spread evenly.
        let weight = |place: usize| 2.0 * (0.618_033_988_749_894_9 * (place + 1) as f64).fract() - 1.0;
        let existing = self.variables().filter(|variable| self.exists(point, *variable));
        let values: f64 = existing.map(|variable| weight(variable.0) * point.whitened[variable.0]).sum();
        let first = self.variables.len();
        let present = point.active.iter().enumerate().filter(|(_, active)| **active);
        values + present.map(|(group, _)| weight(first + group)).sum::<f64>()
    }

    /// Whether a point belongs to this space: as many variables and groups, all
    /// finite, and no group absent that always takes part.
    pub fn check(&self, point: &Point) -> Result<(), DirectError> {
        let other = |what, found, expected| Err(DirectError::OtherSpace { what, found, expected });
        if point.whitened.len() != self.variables.len() {
            return other("variables", point.whitened.len(), self.variables.len());
        }
        let required = self.groups.iter().zip(&point.active).all(|(group, active)| *active || group.chance.is_some());
        if point.active.len() != self.groups.len() || !required {
            return other("groups", point.active.iter().filter(|active| **active).count(), self.groups.len());
        }
        match point.whitened.iter().position(|z| !z.is_finite()) {
            Some(index) => {
                Err(DirectError::NotFinite { name: self.variables[index].name.clone(), value: point.whitened[index] })
            }
            None => Ok(()),
        }
    }
}

/// One draw of all variables, in whitened form.
///
/// Each variable that exists is a number z with the distribution N(0, 1), which
/// its density maps to natural units; one that does not exist is zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub(crate) whitened: Vec<f64>,
    pub(crate) active: Vec<bool>,
}

impl Point {
    /// A point from its parts. [`Space::check`] says whether a space has it.
    #[must_use]
    pub fn new(whitened: Vec<f64>, active: Vec<bool>) -> Self {
        Self { whitened, active }
    }

    /// The whitened variables; zero where one does not exist.
    #[must_use]
    pub fn whitened(&self) -> &[f64] {
        &self.whitened
    }

    /// Which groups take part.
    #[must_use]
    pub fn active(&self) -> &[bool] {
        &self.active
    }

    /// Puts a variable that exists at a whitened value.
    pub fn set(&mut self, variable: VariableId, whitened: f64) {
        self.whitened[variable.0] = whitened;
    }

    /// Lets a group take part, with its variables drawn from the world's
    /// distribution, or takes it out.
    pub fn switch(&mut self, space: &Space, group: GroupId, takes_part: bool, stream: &mut Stream) {
        self.active[group.0] = takes_part;
        for variable in space.variables_of(group) {
            self.whitened[variable.0] = if takes_part { stream.normal() } else { 0.0 };
        }
    }
}

/// The variables of a point in natural units: what a simulation is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    natural: Vec<f64>,
    active: Vec<bool>,
}

impl Values {
    /// The value of a variable, if it exists.
    #[must_use]
    pub fn get(&self, variable: VariableId) -> Option<f64> {
        self.natural.get(variable.0).copied().filter(|value| !value.is_nan())
    }

    /// The value of a variable; not a number if it does not exist.
    #[must_use]
    pub fn at(&self, variable: VariableId) -> f64 {
        self.natural.get(variable.0).copied().unwrap_or(f64::NAN)
    }

    /// All values in the order of the variables; not a number where one does
    /// not exist.
    #[must_use]
    pub fn all(&self) -> &[f64] {
        &self.natural
    }

    /// Whether a group takes part.
    #[must_use]
    pub fn takes_part(&self, group: GroupId) -> bool {
        self.active.get(group.0).copied().unwrap_or(false)
    }
}
