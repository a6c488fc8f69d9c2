//! Wants that exclude each other.

use glam::DVec3;

use super::judge::{angle, turned};
use super::{Condition, Fact, Measure, Part, RegionWant, WantPlan};

/// Two wants by their places in the list, or one that contradicts itself, with the body
/// of which they say what cannot both be.
pub(crate) fn exclusive(wants: &[WantPlan]) -> Option<(usize, usize, usize)> {
    let mut required = Vec::new();
    for (index, want) in wants.iter().enumerate() {
        collect(want, index, &mut required);
    }
    for (later, (index, body, fact)) in required.iter().enumerate() {
        let other = required[..later].iter().find(|(_, about, other)| about == body && cannot_both_be(other, fact));
        if let Some((first, ..)) = other {
            return Some((*first, *index, *body));
        }
    }
    None
}

/// Adds what must hold, whatever else does.
fn collect<'w>(want: &'w WantPlan, index: usize, required: &mut Vec<(usize, usize, &'w Fact)>) {
    if want.count.is_some_and(|(least, _)| least < want.parts.len()) {
        return;
    }
    for part in &want.parts {
        match part {
            Part::Statement(statement) => {
                required.extend(statement.facts.iter().map(|fact| (index, statement.body, fact)));
            }
            Part::Want(want) => collect(want, index, required),
            Part::Not(_) | Part::Then(_) => {}
        }
    }
}

/// Whether two facts about one body can never hold together. Where that cannot be told
/// from the facts alone, they can.
fn cannot_both_be(a: &Fact, b: &Fact) -> bool {
    if a.at != b.at {
        return false;
    }
    let conflict = |a: &Condition, b: &Condition| match (a, b) {
        (Condition::FaceUp { axis: a, within: near_a }, Condition::FaceUp { axis: b, within: near_b }) => {
            angle(*a, *b) > near_a + near_b
        }
        (
            Condition::FaceUp { axis, within: near_a },
            Condition::Graded { measure: Measure::Turn(turn), within: near_b },
        ) => angle(*turn * *axis, DVec3::Y) > near_a + near_b,
        (Condition::Graded { measure: a, within: near_a }, Condition::Graded { measure: b, within: near_b }) => {
            apart(a, b) > near_a + near_b
        }
        (Condition::Graded { measure: Measure::Place { place, level }, within }, Condition::Inside { region, .. }) => {
            outside(region, *place, *level) > *within
        }
        (Condition::Inside { region: a, .. }, Condition::Inside { region: b, .. }) => are_disjoint(a, b),
        (Condition::Upright(a), Condition::Upright(b)) => a != b,
        (Condition::Unmoved { wanted: a, within: near_a }, Condition::Unmoved { wanted: b, within: near_b }) => {
            a != b && near_a == near_b
        }
        // What has not moved has not fallen over.
        (Condition::Unmoved { wanted: true, .. }, Condition::Upright(false)) => true,
        (Condition::Hits(a), Condition::Hits(b)) => {
            let same = a.other == b.other && a.before == b.before && a.window == b.window;
            let counted = a.at.is_none() && b.at.is_none() && a.harder.is_none() && b.harder.is_none();
            same && counted && (a.times.1 < b.times.0 || b.times.1 < a.times.0)
        }
        _ => false,
    };
    conflict(&a.condition, &b.condition) || conflict(&b.condition, &a.condition)
}

/// How far apart two things that should both be measured as near are; zero if they are
/// not alike.
fn apart(a: &Measure, b: &Measure) -> f64 {
    match (a, b) {
        (Measure::Place { place: a, level: level_a }, Measure::Place { place: b, level: level_b }) => {
            let off = *a - *b;
            if *level_a || *level_b { off.with_y(0.0).length() } else { off.length() }
        }
        (Measure::Turn(a), Measure::Turn(b)) => turned(*a, *b),
        (Measure::Velocity(a), Measure::Velocity(b)) => a.distance(*b),
        _ => 0.0,
    }
}

/// How far a place is outside a region, with or without its height; zero if that is not
/// known.
fn outside(region: &RegionWant, place: DVec3, level: bool) -> f64 {
    match region {
        RegionWant::Box { low, high } => {
            let off = place - place.clamp(*low, *high);
            if level { off.with_y(0.0).length() } else { off.length() }
        }
        RegionWant::Ball { centre, radius } => {
            let off = place - *centre;
            (if level { off.with_y(0.0).length() } else { off.length() } - radius).max(0.0)
        }
        RegionWant::Around(_) => 0.0,
    }
}

fn are_disjoint(a: &RegionWant, b: &RegionWant) -> bool {
    match (a, b) {
        (RegionWant::Box { low: low_a, high: high_a }, RegionWant::Box { low: low_b, high: high_b }) => {
            low_a.cmpgt(*high_b).any() || low_b.cmpgt(*high_a).any()
        }
        (RegionWant::Ball { centre, radius }, region) | (region, RegionWant::Ball { centre, radius }) => {
            outside(region, *centre, false) > *radius
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn fact(condition: Condition) -> Fact {
        Fact { at: None, condition }
    }

    fn near(x: f64, within: f64) -> Fact {
        let place = DVec3::new(x, 0.0, 0.0);
        fact(Condition::Graded { measure: Measure::Place { place, level: true }, within })
    }

    fn face(axis: DVec3, within: f64) -> Fact {
        fact(Condition::FaceUp { axis, within })
    }

    fn inside(x: f64) -> Fact {
        let (low, high) = (DVec3::new(x, -1.0, -1.0), DVec3::new(x + 1.0, 1.0, 1.0));
        fact(Condition::Inside { region: RegionWant::Box { low, high }, within: None })
    }

    #[test]
    fn what_cannot_both_be_is_told_and_nothing_else() {
        for (a, b, excluded) in [
            (face(DVec3::Y, 0.2), face(DVec3::NEG_Y, 0.2), true),
            (face(DVec3::Y, 0.2), face(DVec3::X, 0.2), true),
            (face(DVec3::Y, 0.2), face(DVec3::Y, 0.1), false),
            (face(DVec3::Y, 0.8), face(DVec3::X, 0.8), false),
            (near(0.0, 0.1), near(0.3, 0.1), true),
            (near(0.0, 0.2), near(0.3, 0.2), false),
            (near(-0.5, 0.2), inside(0.0), true),
            (near(-0.1, 0.2), inside(0.0), false),
            (inside(0.0), inside(1.5), true),
            (inside(0.0), inside(0.5), false),
            (fact(Condition::Upright(true)), fact(Condition::Upright(false)), true),
            (fact(Condition::Unmoved { wanted: true, within: None }), fact(Condition::Upright(false)), true),
            (fact(Condition::Unmoved { wanted: false, within: None }), fact(Condition::Upright(false)), false),
            (face(DVec3::Y, 0.2), inside(0.0), false),
        ] {
            assert_eq!(cannot_both_be(&a, &b), excluded, "{a:?} {b:?}");
            assert_eq!(cannot_both_be(&b, &a), excluded, "{b:?} {a:?}");
        }
        let turn = Condition::Graded { measure: Measure::Turn(DQuat::IDENTITY), within: 0.1 };
        assert!(cannot_both_be(&fact(turn.clone()), &face(DVec3::X, 0.2)));
        assert!(!cannot_both_be(&fact(turn), &face(DVec3::Y, 0.2)));
        // Not at the same moment.
        let early = Fact { at: Some(1.0), ..face(DVec3::X, 0.2) };
        assert!(!cannot_both_be(&early, &face(DVec3::Y, 0.2)));
    }
}
