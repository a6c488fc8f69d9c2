//! Joints.

use proscenium_diagnostics::nearest;

use crate::file::{At, JointFile, JointWord, SceneFile};
use crate::plan::{BodyPlan, Copies, JointKindPlan, JointPlan, Quantity};
use crate::report::Path;

use super::Checker;
use super::quantity::{LocalDensities, Range, Rule};

const LENGTH: Rule = Rule { what: "the length of a rope", range: Range::Positive, help: "lengths are in metres" };
const SWING: Rule =
    Rule { what: "how far a ball may swing", range: Range::Positive, help: "degrees, from above 0 up to 180" };
const DAMPING: Rule = Rule {
    what: "a damping",
    range: Range::NotNegative,
    help: "N m s: a door that stops within a second or two has about 10",
};

impl Checker<'_, '_> {
    pub(super) fn joints(&mut self, file: &SceneFile, bodies: &[BodyPlan]) -> Vec<JointPlan> {
        let root = &Path::ROOT;
        let section = &root.key("joint");
        let joint = |(index, joint): (usize, &JointFile)| self.joint(index, joint, &section.index(index), bodies);
        file.joints.iter().enumerate().filter_map(joint).collect()
    }

    fn joint(&mut self, index: usize, joint: &JointFile, path: &Path<'_>, bodies: &[BodyPlan]) -> Option<JointPlan> {
        let mut own = LocalDensities::default();
        self.keys_fit(joint, path);
        let held = self.held(&joint.body, &path.key("body"), bodies);
        let to = joint.to.as_ref().map(|to| self.single(to, &path.key("to"), bodies));
        let at = joint.at.as_ref().map(|at| self.vector(&mut own, at, &path.key("at"), "at"));
        let axis = joint.axis.as_ref().map(|axis| self.vector(&mut own, axis, &path.key("axis"), "axis"));
        let far = joint.far.as_ref().map(|far| self.vector(&mut own, far, &path.key("far"), "far"));
        let degrees = joint.degrees.as_ref().map(|degrees| {
            self.row(&mut own, &degrees.value, &path.key("degrees"), "degrees", ["least", "largest"], &Rule::ANY)
        });
        let mut number = |value: &Option<_>, key: &str, rule: &Rule| {
            value.as_ref().map(|value| self.quantity(&mut own, value, &path.key(key), key, rule))
        };
        let swing = number(&joint.swing, "swing", &SWING);
        let length = number(&joint.length, "length", &LENGTH);
        let damping = number(&joint.damping, "damping", &DAMPING);
        let first = self.settle(own, &[&format!("joint.{}", index + 1)]);
        let kind = match joint.kind.value {
            JointWord::Ball => JointKindPlan::Ball { swing: axis.flatten().zip(swing.flatten()) },
            JointWord::Hinge => JointKindPlan::Hinge { axis: axis.flatten()?, degrees: degrees.flatten() },
            JointWord::Rod => JointKindPlan::Rod { far: far.flatten()? },
            JointWord::Rope => JointKindPlan::Rope { far: far.flatten()?, length: length.flatten() },
        };
        let name = joint.name.as_ref().map_or_else(|| format!("joint {}", index + 1), |name| name.value.clone());
        let damping = damping.flatten().unwrap_or(Quantity::Fixed(0.0));
        let to = match to {
            Some(to) => Some(to?),
            None => None,
        };
        Some(JointPlan { name, held: held?, to, at: at.flatten(), kind, damping, first })
    }

    /// What a kind of joint needs is there, and what it has no use for is not.
    fn keys_fit(&mut self, joint: &JointFile, path: &Path<'_>) {
        let kind = joint.kind.value;
        let turns = matches!(kind, JointWord::Ball | JointWord::Hinge);
        let span = |value: Option<&std::ops::Range<usize>>| value.cloned();
        let given = [
            ("axis", span(joint.axis.as_ref().map(|value| &value.span)), turns, kind == JointWord::Hinge),
            ("degrees", span(joint.degrees.as_ref().map(|value| &value.span)), kind == JointWord::Hinge, false),
            ("swing", span(joint.swing.as_ref().map(|value| &value.span)), kind == JointWord::Ball, false),
            ("far", span(joint.far.as_ref().map(|value| &value.span)), !turns, !turns),
            ("length", span(joint.length.as_ref().map(|value| &value.span)), kind == JointWord::Rope, false),
            ("damping", span(joint.damping.as_ref().map(|value| &value.span)), turns, false),
        ];
        for (key, span, fits, needed) in given {
            match span {
                Some(span) if !fits => {
                    let message = format!("a {} has no `{key}`", kind.word());
                    self.error(&span, &path.key(key), message, "leave it out, or choose another kind");
                }
                None if needed => {
                    let message = format!("a {} needs `{key}`", kind.word());
                    let help = if key == "axis" { "as in axis = [0, 1, 0]" } else { "as in far = [0, 2, 0]" };
                    self.error(&joint.kind.span, path, message, help);
                }
                _ => {}
            }
        }
        if kind == JointWord::Ball && joint.swing.is_some() != joint.axis.is_some() {
            let help = "a ball that may swing so far says which axis may: axis = [0, 1, 0], swing = 40";
            self.error(&joint.kind.span, path, "`swing` and `axis` of a ball go together", help);
        }
    }

    /// The places in the world of a body's copies, or of one copy.
    fn held(&mut self, name: &At<String>, path: &Path<'_>, bodies: &[BodyPlan]) -> Option<std::ops::Range<usize>> {
        let mut first = 0;
        for body in bodies {
            let count = body.copies.count();
            if body.name == name.value {
                return Some(first..first + count);
            }
            if body.copies != Copies::Single && name.value.starts_with(&body.name) {
                let copy = (0..count).find(|copy| body.name_of(*copy) == name.value);
                if let Some(copy) = copy {
                    return Some(first + copy..first + copy + 1);
                }
            }
            first += count;
        }
        let help = match nearest(&name.value, bodies.iter().map(|body| body.name.as_str())) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "name one of the bodies".to_string(),
        };
        self.error(&name.span, path, format!("there is no body \"{}\"", name.value), &help);
        None
    }

    fn single(&mut self, name: &At<String>, path: &Path<'_>, bodies: &[BodyPlan]) -> Option<usize> {
        let places = self.held(name, path, bodies)?;
        if places.len() != 1 {
            let message = format!("there are {} bodies named \"{}\"", places.len(), name.value);
            self.error(&name.span, path, message, &format!("name one of them, as in \"{}-1\"", name.value));
            return None;
        }
        Some(places.start)
    }
}
