//! Where it is promising to let bodies start: over the places where they should end.

use glam::DVec3;
use proscenium_direct::moves::{Aim, Aimed};
use proscenium_direct::{DirectError, Mix, Space, VariableId};

use crate::plan::Plan;
use crate::want::{Condition, Measure, Part, RegionWant, WantPlan};

/// The share of the moves that aim, beside others that add up to about one. Chosen.
const WEIGHT: f64 = 0.4;

/// Where a body starts is worth aiming if it varies by so many times what is aimed at.
const WIDE: f64 = 3.0;

/// A place where a body should end, and how far from it is near.
struct Target {
    body: usize,
    place: DVec3,
    near: f64,
}

/// Adds a move that lets bodies start over the places where they should end, if there are
/// such bodies.
pub(super) fn with_aim(mix: Mix, plan: &Plan, space: &Space) -> Result<Mix, DirectError> {
    let mut targets = Vec::new();
    plan.wants.iter().for_each(|want| collect(want, &mut targets));
    let names = plan.bodies.iter().flat_map(|body| (0..body.copies.count()).map(|copy| body.name_of(copy)));
    let aims: Vec<Aim> = names.enumerate().filter_map(|(place, name)| aim(space, &name, place, &targets)).collect();
    if aims.is_empty() {
        return Ok(mix);
    }
    mix.with(WEIGHT, Box::new(Aimed::new("over a place", space, aims)?))
}

fn collect(want: &WantPlan, targets: &mut Vec<Target>) {
    for part in &want.parts {
        match part {
            Part::Want(want) => collect(want, targets),
            Part::Statement(statement) => {
                targets.extend(statement.facts.iter().filter_map(|fact| {
                    let (place, near) = place(&fact.condition)?;
                    Some(Target { body: statement.body, place, near })
                }));
            }
        }
    }
}

/// Where a condition wants a body, and how near.
fn place(condition: &Condition) -> Option<(DVec3, f64)> {
    match condition {
        Condition::Graded { measure: Measure::Place { place, .. }, within } => Some((*place, *within)),
        Condition::Inside { region: RegionWant::Box { low, high }, .. } => {
            let half = 0.5 * (*high - *low);
            Some((0.5 * (*low + *high), half.x.min(half.z)))
        }
        Condition::Inside { region: RegionWant::Ball { centre, radius }, .. } => Some((*centre, *radius)),
        _ => None,
    }
}

/// How one body is aimed: its start along the ground, if that is uncertain by much.
fn aim(space: &Space, name: &str, body: usize, targets: &[Target]) -> Option<Aim> {
    let of_body: Vec<&Target> = targets.iter().filter(|target| target.body == body).collect();
    let near = of_body.iter().map(|target| target.near).fold(f64::INFINITY, f64::min);
    let axes: Vec<(usize, VariableId)> = [(0, "x"), (2, "z")]
        .into_iter()
        .filter_map(|(axis, letter)| {
            let variable = format!("{name}.position.{letter}");
            let id = space.variables().find(|id| space.variable_name(*id) == variable)?;
            (space.density(id).variance().sqrt() > WIDE * near).then_some((axis, id))
        })
        .collect();
    // Half of what is near: two in three fall within it.
    (!axes.is_empty() && near > 0.0 && near.is_finite()).then(|| Aim {
        vector: axes.iter().map(|(_, id)| *id).collect(),
        targets: of_body.iter().map(|target| axes.iter().map(|(axis, _)| target.place[*axis]).collect()).collect(),
        spread: 0.5 * near,
    })
}

#[cfg(test)]
mod tests {
    use crate::{DirectedScene, find};

    /// Marbles may be dropped anywhere over the bins; dice are thrown from one place.
    #[test]
    fn what_starts_anywhere_is_aimed() {
        let aims = |name: &str| {
            let directed = DirectedScene::new(&find(name, &[]).unwrap()).unwrap();
            directed.mix().unwrap().names().any(|name| name == "over a place")
        };
        assert!(aims("spell=HI"));
        assert!(!aims("table"));
    }
}
