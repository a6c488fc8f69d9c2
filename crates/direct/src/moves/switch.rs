use proscenium_chance::Stream;

use super::{Move, Proposal, pick_where};
use crate::error::{DirectError, chance};
use crate::space::{GroupId, Point, Space};

/// Lets one group take part that does not, or the reverse: each optional group
/// is equally likely to be flipped.
///
/// Variables that come into being are drawn from the world's distribution, so
/// that their densities cancel and only the chances of the group remain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlipOne {
    name: String,
}

impl FlipOne {
    /// The move, with its name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}

impl Move for FlipOne {
    fn name(&self) -> &str {
        &self.name
    }

    fn propose(&self, space: &Space, current: &Point, stream: &mut Stream) -> Option<Proposal> {
        let group = pick_where(space.optional_groups(), |_| true, stream)?;
        let mut point = current.clone();
        let takes_part = !current.active[group.0];
        point.switch(space, group, takes_part, stream);
        Some(Proposal { point, log_ratio: log_odds(space, group, takes_part) })
    }
}

/// Lets one more group take part, or one fewer, with equal chances: any of those
/// that do not, or any of those that do.
///
/// Where nearly all take part, the few that do not are as likely to be tried as
/// one of the many that do, which flipping any group is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneMoreOrLess {
    name: String,
}

impl OneMoreOrLess {
    /// The move, with its name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}

impl Move for OneMoreOrLess {
    fn name(&self) -> &str {
        &self.name
    }

    fn propose(&self, space: &Space, current: &Point, stream: &mut Stream) -> Option<Proposal> {
        let more = stream.uniform() < 0.5;
        let candidates = space.optional_groups().filter(|group| current.active[group.0] != more).count();
        let others = space.optional_groups().count() - candidates;
        let group = pick_where(space.optional_groups(), |group| current.active[group.0] != more, stream)?;
        let mut point = current.clone();
        point.switch(space, group, more, stream);
        // One of the candidates there, one of the others and itself back.
        let log_choice = libm::log(candidates as f64 / (others + 1) as f64);
        Some(Proposal { point, log_ratio: log_odds(space, group, more) + log_choice })
    }
}

/// Switches some groups off, or some on, as the balls that spell do (Chenney
/// 2000, A.2.2): each group that could be switched is, with the same chance.
///
/// Going back from `d` switched off, of `on` that took part and `off` that did
/// not, has another probability than going there: (1 − chance)^(off + d) against
/// (1 − chance)^(on − d). The paper's ratio leaves this out.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    name: String,
    chance: f64,
    log_kept: f64,
    printed: bool,
}

impl Switch {
    /// Switches each group that could be switched with this chance.
    pub fn new(name: impl Into<String>, each: f64) -> Result<Self, DirectError> {
        let name = name.into();
        let each = chance(|| format!("the chance of \"{name}\" to switch a group"), each)?;
        Ok(Self { name, chance: each, log_kept: libm::log1p(-each), printed: false })
    }

    /// The same with the ratio that the paper prints: inverted, and without the
    /// choice of groups. It does not sample what it says it does.
    pub fn as_printed(name: impl Into<String>, each: f64) -> Result<Self, DirectError> {
        Ok(Self { printed: true, ..Self::new(name, each)? })
    }
}

impl Move for Switch {
    fn name(&self) -> &str {
        &self.name
    }

    fn propose(&self, space: &Space, current: &Point, stream: &mut Stream) -> Option<Proposal> {
        let turn_on = stream.uniform() < 0.5;
        let mut point = current.clone();
        let mut log_ratio = 0.0;
        let (mut switched, mut candidates, mut others) = (0_u32, 0_u32, 0_u32);
        for group in space.optional_groups() {
            if current.active[group.0] == turn_on {
                others += 1;
                continue;
            }
            candidates += 1;
            if stream.uniform() < self.chance {
                switched += 1;
                point.switch(space, group, turn_on, stream);
                log_ratio += if self.printed {
                    printed_ratio(space, current, &point, group, turn_on)
                } else {
                    log_odds(space, group, turn_on)
                };
            }
        }
        if switched > 0 && !self.printed {
            let back = f64::from(others) - f64::from(candidates) + f64::from(switched);
            log_ratio += back * self.log_kept;
        }
        Some(Proposal { point, log_ratio })
    }
}

/// How much more likely a group's new status is than its old one.
pub(super) fn log_odds(space: &Space, group: GroupId, takes_part: bool) -> f64 {
    let Some(chance) = space.chance_of(group) else {
        return 0.0;
    };
    let odds = libm::log(chance) - libm::log1p(-chance);
    if takes_part { odds } else { -odds }
}

/// The paper scores each active ball with its density 1/a, and gives the ratio a
/// for one that is switched off: the density counts twice.
fn printed_ratio(space: &Space, current: &Point, proposed: &Point, group: GroupId, turn_on: bool) -> f64 {
    let holder = if turn_on { proposed } else { current };
    let log_density: f64 = space.variables_of(group).iter().map(|id| space.log_density_of(holder, *id)).sum();
    if turn_on { 2.0 * log_density } else { -2.0 * log_density }
}
