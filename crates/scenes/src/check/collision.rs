//! Single collisions that are other than materials and shapes say.

use proscenium_diagnostics::nearest;

use crate::file::{At, CollisionFile, SceneFile};
use crate::plan::{BodyPlan, CollisionPlan, Quantity};
use crate::report::Path;

use super::quantity::{LocalDensities, Rule};
use super::{Checker, FRICTION, MOST_VARIABLES, RESTITUTION};

/// More collisions of two bodies than this are a mistake.
const MOST_COLLISIONS: u64 = 10_000;

impl Checker<'_, '_> {
    pub(super) fn collisions(&mut self, file: &SceneFile, bodies: &[BodyPlan]) -> Vec<CollisionPlan> {
        let root = &Path::ROOT;
        let section = &root.key("collision");
        let all = file.collisions.iter().enumerate();
        let names = file.joints.iter().flat_map(|joint| std::iter::once(&joint.body).chain(&joint.to));
        let held: Vec<usize> = names.flat_map(|name| places(&name.value, bodies)).map(|(place, _)| place).collect();
        let mut seen: Vec<[usize; 2]> = Vec::new();
        let mut plans = Vec::with_capacity(file.collisions.len());
        for (index, collision) in all {
            let path = &section.index(index);
            let Some(plan) = self.collision(collision, path, bodies) else {
                continue;
            };
            if plan.pairs.iter().any(|[a, b]| seen.contains(&[*a.min(b), *a.max(b)])) {
                let message = "collisions of these two were described before";
                self.error(&collision.bodies.span, &path.key("bodies"), message, "keep one of the two");
            }
            if plan.pairs.iter().flatten().any(|place| held.contains(place)) {
                let message = "a joint holds one of these two, and it hits as materials and shapes say";
                let help = "leave this out, or give its material other numbers";
                self.error(&collision.bodies.span, &path.key("bodies"), message, help);
            }
            seen.extend(plan.pairs.iter().map(|[a, b]| [*a.min(b), *a.max(b)]));
            plans.push(plan);
        }
        plans
    }

    fn collision(&mut self, collision: &CollisionFile, path: &Path<'_>, bodies: &[BodyPlan]) -> Option<CollisionPlan> {
        let mut own = LocalDensities::default();
        let names = &path.key("bodies");
        let found = [0, 1].map(|side| self.colliding(&collision.bodies.value[side], &names.index(side), bodies));
        if !(1..=MOST_COLLISIONS).contains(&collision.count.value) {
            let message = format!("`count` must be from 1 to {MOST_COLLISIONS}");
            self.error(&collision.count.span, &path.key("count"), message, "later collisions are as the materials say");
            return None;
        }
        let lean: Option<Option<[Quantity; 2]>> = match &collision.lean {
            Some(lean) => self.row(&mut own, &lean.value, &path.key("lean"), "lean", ["x", "z"], &Rule::ANY).map(Some),
            None => Some(None),
        };
        let mut number = |value: &Option<_>, key: &str, rule: &Rule| {
            value.as_ref().and_then(|value| self.quantity(&mut own, value, &path.key(key), key, rule))
        };
        let restitution = number(&collision.restitution, "restitution", &RESTITUTION);
        let friction = number(&collision.friction, "friction", &FRICTION);
        let (count, own_count) = (collision.count.value as usize, own.entries.len());
        let [Some(first), Some(second)] = found else {
            return None;
        };
        let mut pairs: Vec<([usize; 2], String)> = Vec::new();
        for ((a, one), (b, other)) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
            if a != b && !pairs.iter().any(|(known, _)| *known == [*b, *a]) {
                pairs.push(([*a, *b], format!("collision.{one}.{other}")));
            }
        }
        if pairs.is_empty() {
            let message = "a body does not hit itself";
            self.error(&collision.bodies.span, names, message, "name two bodies, or one with copies twice");
            return None;
        }
        if self.too_many_variables(own_count.saturating_mul(count).saturating_mul(pairs.len())) {
            let message = format!("the scene has more than {MOST_VARIABLES} uncertain values");
            self.error(&collision.count.span, path, message, "give fewer collisions numbers of their own");
            return None;
        }
        let prefixes: Vec<String> = match own_count {
            0 => Vec::new(),
            _ => pairs.iter().flat_map(|(_, name)| (1..=count).map(move |k| format!("{name}.{k}"))).collect(),
        };
        let prefixes: Vec<&str> = prefixes.iter().map(String::as_str).collect();
        let first = self.settle(own, &prefixes);
        let pairs = pairs.into_iter().map(|(pair, _)| pair).collect();
        Some(CollisionPlan { pairs, count, lean: lean?, restitution, friction, first, own_count })
    }

    /// The places and names of a body or of all its copies.
    fn colliding(&mut self, name: &At<String>, path: &Path<'_>, bodies: &[BodyPlan]) -> Option<Vec<(usize, String)>> {
        let found = places(&name.value, bodies);
        if !found.is_empty() {
            return Some(found);
        }
        let help = match nearest(&name.value, bodies.iter().map(|body| body.name.as_str())) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "name a body of the scene".to_string(),
        };
        self.error(&name.span, path, format!("there is no body \"{}\"", name.value), &help);
        None
    }
}

/// The places of a body or of all its copies, with the name of each.
fn places(name: &str, bodies: &[BodyPlan]) -> Vec<(usize, String)> {
    let copies = bodies.iter().flat_map(|body| (0..body.copies.count()).map(move |copy| (body, copy)));
    let all = copies.enumerate().map(|(place, (body, copy))| (place, &body.name, body.name_of(copy)));
    all.filter(|(_, body, own)| *body == name || own == name).map(|(place, _, own)| (place, own)).collect()
}
