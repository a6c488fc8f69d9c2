//! One simulation for all turns of a die.
//!
//! A die that a rotation maps to itself moves in the same way whichever of its turns it
//! starts in; only the names of its faces differ. So a simulation stands for all of them:
//! its score is the mean over the turns, and which turn is shown is drawn at the end, in
//! proportion to what each scores. What is drawn depends on the values alone, so that
//! whoever simulates them again, to export or to compare, shows the same turn.

use glam::{DQuat, DVec3};
use proscenium_chance::{Density, Seed};

use crate::plan::{BodyPlan, Plan, Quantity, ShapeSource, TurnPlan};
use crate::want::{Condition, Evidence, Fact, Measure, Part, Statement, Verdict, WantPlan};

/// More turns of bodies that wants connect are not tried: each is judged at the end of
/// every simulation, which then takes 0.1 ms of a few.
const MOST_TURNS: usize = 256;
/// Directions this close are the same direction.
const SAME_DIRECTION: f64 = 1e-9;
/// What separates the drawing of turns from all other streams.
const SEED: Seed = Seed(0x7475_726e);

/// Which wants ask how symmetric bodies are turned, and what turns there are.
#[derive(Debug, Default)]
pub(crate) struct Symmetry {
    /// Wants, whole or in part, that ask for none.
    plain: Vec<WantPart>,
    factors: Vec<Factor>,
    /// The turn in which each body is shown, where that is given.
    given: Vec<DQuat>,
}

/// A want, or one part of a want whose parts are independent.
#[derive(Clone, Copy, Debug, PartialEq)]
struct WantPart {
    want: usize,
    part: Option<usize>,
}

/// Wants that bodies connect, with the turns of these bodies.
#[derive(Debug)]
struct Factor {
    asked: Vec<WantPart>,
    /// The bodies by their places in the world, each with its turns.
    bodies: Vec<(usize, Vec<DQuat>)>,
    /// No simulation's mean over the turns is greater.
    greatest: f64,
}

/// What a simulation has shown, over all turns.
#[derive(Debug)]
pub(crate) struct Judgement {
    /// The score, or what it can still become.
    pub best: f64,
    /// Whether nothing can change it any more.
    pub is_final: bool,
}

impl Symmetry {
    /// No body has more than one turn.
    pub(crate) fn none(plan: &Plan) -> Self {
        let plain = (0..plan.wants.len()).map(|want| WantPart { want, part: None }).collect();
        Self { plain, ..Self::default() }
    }

    /// Bodies are shown in turns that are given; none for all as they are.
    pub(crate) fn given(plan: &Plan, turns: Vec<DQuat>) -> Self {
        Self { given: turns, ..Self::none(plan) }
    }

    /// What the wants of a scene leave open.
    pub(crate) fn of(plan: &Plan) -> Self {
        Self::with(plan, |body| turns_of(plan, body))
    }

    /// The same with given turns of each body.
    fn with(plan: &Plan, turns_of: impl Fn(&BodyPlan) -> Vec<DQuat>) -> Self {
        let mut symmetry = Self::default();
        let mut place = 0;
        let mut turns = Vec::new();
        for body in &plan.bodies {
            // What a joint holds is not as before when it is turned.
            let places = place..place + body.copies.count();
            let is_held = |k: usize| plan.joints.iter().any(|joint| joint.held.contains(&k) || joint.to == Some(k));
            let all = if places.into_iter().any(is_held) { vec![DQuat::IDENTITY] } else { turns_of(body) };
            for _ in 0..body.copies.count() {
                turns.push(distinguished(&all, place, &plan.wants));
                place += 1;
            }
        }
        for (want, planned) in plan.wants.iter().enumerate() {
            symmetry.add(want, planned, &turns);
        }
        for factor in std::mem::take(&mut symmetry.factors) {
            match factor.combinations() <= MOST_TURNS {
                true => symmetry.factors.push(Factor { greatest: factor.bound(plan), ..factor }),
                false => symmetry.plain.extend(factor.asked),
            }
        }
        // A want that is plain in all of its parts is judged whole.
        symmetry.plain.sort_by_key(|asked| (asked.want, asked.part));
        for (want, planned) in plan.wants.iter().enumerate() {
            let parts = symmetry.plain.iter().filter(|asked| asked.want == want && asked.part.is_some()).count();
            if parts == planned.parts.len() {
                symmetry.plain.retain(|asked| asked.want != want || asked.part == Some(0));
                symmetry.plain.iter_mut().filter(|asked| asked.want == want).for_each(|asked| asked.part = None);
            }
        }
        symmetry
    }

    /// Adds a want, in parts if they are independent.
    fn add(&mut self, want: usize, planned: &WantPlan, turns: &[Vec<DQuat>]) {
        let parts = match planned.count {
            None => (0..planned.parts.len()).map(Some).collect(),
            Some(_) => vec![None],
        };
        for part in parts {
            let asked = WantPart { want, part };
            let mut bodies = Vec::new();
            asked.statements(planned, &mut |statement| {
                let is_turned = turns[statement.body].len() > 1 && statement.facts.iter().any(asks_for_turn);
                if is_turned && !bodies.contains(&statement.body) {
                    bodies.push(statement.body);
                }
            });
            match bodies.is_empty() {
                true => self.plain.push(asked),
                false => self.connect(asked, &bodies, turns),
            }
        }
    }

    /// Adds a part to the factor of its bodies, which joins those that it connects.
    fn connect(&mut self, asked: WantPart, bodies: &[usize], turns: &[Vec<DQuat>]) {
        let of = |body: usize| (body, turns[body].clone());
        let mut joined =
            Factor { asked: vec![asked], bodies: bodies.iter().map(|body| of(*body)).collect(), greatest: 0.0 };
        for factor in std::mem::take(&mut self.factors) {
            if factor.bodies.iter().all(|(body, _)| !bodies.contains(body)) {
                self.factors.push(factor);
                continue;
            }
            joined.asked.splice(0..0, factor.asked);
            let new = factor.bodies.into_iter().filter(|(body, _)| !bodies.contains(body));
            joined.bodies.extend(new);
        }
        joined.bodies.sort_by_key(|(body, _)| *body);
        self.factors.push(joined);
    }

    /// Whether one simulation stands for several turns.
    pub(crate) fn is_used(&self) -> bool {
        !self.factors.is_empty()
    }

    /// Whether bodies may be shown in other turns than those they are simulated in.
    pub(crate) fn turns_bodies(&self) -> bool {
        self.is_used() || !self.given.is_empty()
    }

    /// What is known about the score.
    pub(crate) fn judge(&self, plan: &Plan, seen: &Evidence<'_>) -> Judgement {
        let seen = &Evidence { turns: &self.given, ..*seen };
        let plain: Vec<Verdict> = self.plain.iter().map(|asked| asked.judge(plan, seen)).collect();
        let mut best: f64 = plain.iter().map(|verdict| verdict.best).sum();
        let mut is_final = plain.iter().all(|verdict| verdict.is_final);
        for factor in &self.factors {
            let verdicts = factor.verdicts(plan, seen);
            // Not all turns of a die show a six: what can be had scores zero, as elsewhere.
            best += mean(&verdicts).min(factor.greatest) - factor.greatest;
            is_final &= verdicts.iter().all(|verdict| verdict.is_final);
        }
        Judgement { best, is_final }
    }

    /// One turn of each body of the world, drawn from all in proportion to what they
    /// score. Equal values have equal turns.
    pub(crate) fn draw(&self, plan: &Plan, seen: &Evidence<'_>, values: impl Iterator<Item = u64>) -> Vec<DQuat> {
        if self.factors.is_empty() {
            return self.given.clone();
        }
        let mut turns = vec![DQuat::IDENTITY; seen.placed.len()];
        let mut stream = values.fold(SEED, |seed, value| seed.child("value", value)).stream("turns");
        for factor in &self.factors {
            let verdicts = factor.verdicts(plan, seen);
            let most = verdicts.iter().map(|verdict| verdict.best).fold(f64::NEG_INFINITY, f64::max);
            let shares: Vec<f64> = verdicts.iter().map(|verdict| libm::exp(verdict.best - most)).collect();
            let mut left = stream.uniform() * shares.iter().sum::<f64>();
            let chosen = shares.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            factor.turn(chosen.unwrap_or(0), &mut turns);
        }
        turns
    }
}

impl WantPart {
    /// Visits what it says about bodies.
    fn statements(self, want: &WantPlan, visit: &mut impl FnMut(&Statement)) {
        match self.part {
            Some(part) => statements(&want.parts[part..=part], visit),
            None => statements(&want.parts, visit),
        }
    }

    fn judge(self, plan: &Plan, seen: &Evidence<'_>) -> Verdict {
        let want = &plan.wants[self.want];
        match self.part {
            Some(part) => want.judge_part(part, seen),
            None => want.judge(seen),
        }
    }

    /// The body whose face shall be up, the face and the angle, and what a miss costs, if
    /// that is all that it asks.
    fn face(self, plan: &Plan) -> Option<(usize, DVec3, f64, f64)> {
        let want = &plan.wants[self.want];
        let Part::Statement(statement) = want.parts.get(self.part?)? else {
            return None;
        };
        let face = statement.facts.iter().find_map(|fact| match fact.condition {
            Condition::FaceUp { axis, within } => Some((axis, within)),
            _ => None,
        });
        face.map(|(axis, within)| (statement.body, axis, within, want.weight))
    }
}

fn statements(parts: &[Part], visit: &mut impl FnMut(&Statement)) {
    for part in parts {
        match part {
            Part::Statement(statement) => visit(statement),
            Part::Want(want) | Part::Not(want) => statements(&want.parts, visit),
            Part::Then(_) => {}
        }
    }
}

impl Factor {
    /// How many turns of all its bodies there are together.
    fn combinations(&self) -> usize {
        self.bodies.iter().map(|(_, turns)| turns.len()).fold(1, usize::saturating_mul)
    }

    /// Sets the turns of its bodies.
    fn turn(&self, mut combination: usize, turns: &mut [DQuat]) {
        for (body, own) in &self.bodies {
            turns[*body] = own[combination % own.len()];
            combination /= own.len();
        }
    }

    /// What is known for every combination of turns.
    fn verdicts(&self, plan: &Plan, seen: &Evidence<'_>) -> Vec<Verdict> {
        let mut turns = vec![DQuat::IDENTITY; seen.placed.len()];
        let one = |combination| {
            self.turn(combination, &mut turns);
            let seen = Evidence { turns: &turns, ..*seen };
            Verdict::all(self.asked.iter().map(|asked| asked.judge(plan, &seen)))
        };
        (0..self.combinations()).map(one).collect()
    }

    /// The most that the mean over all turns can be: however a body lies, only so many
    /// of its turns show the face that is wanted.
    fn bound(&self, plan: &Plan) -> f64 {
        let of_body = |(body, turns): &(usize, Vec<DQuat>)| {
            let faces = self.asked.iter().filter_map(|asked| asked.face(plan)).filter(|(about, ..)| about == body);
            let bounds = faces.map(|(_, axis, within, weight)| {
                let shown = most_shown(turns, axis, within) as f64 / turns.len() as f64;
                libm::log(shown + (1.0 - shown) * libm::exp(-weight))
            });
            bounds.fold(0.0, f64::min)
        };
        self.bodies.iter().map(of_body).sum()
    }
}

/// The logarithm of the mean of what the turns score.
fn mean(verdicts: &[Verdict]) -> f64 {
    let most = verdicts.iter().map(|verdict| verdict.best).fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    let sum: f64 = verdicts.iter().map(|verdict| libm::exp(verdict.best - most)).sum();
    most + libm::log(sum / verdicts.len() as f64)
}

/// How many turns can bring a direction of the body to within an angle of one direction
/// of the world, at most: two that do are no further apart than twice the angle.
fn most_shown(turns: &[DQuat], axis: DVec3, within: f64) -> usize {
    let images: Vec<DVec3> = turns.iter().map(|turn| *turn * axis).collect();
    let cosine = libm::cos((2.0 * within).min(std::f64::consts::PI)) - SAME_DIRECTION;
    let near = |a: &DVec3| images.iter().filter(|b| a.dot(**b) >= cosine * a.length() * b.length()).count();
    images.iter().map(near).max().unwrap_or(1)
}

/// Whether a fact asks how a body is turned, by the names of its sides.
fn asks_for_turn(fact: &Fact) -> bool {
    matches!(fact.condition, Condition::FaceUp { .. } | Condition::Graded { measure: Measure::Turn(_), .. })
}

/// Of the turns of a body, one for each way in which the sides that are asked for can
/// lie.
fn distinguished(turns: &[DQuat], body: usize, wants: &[WantPlan]) -> Vec<DQuat> {
    let (mut axes, mut all, mut fixed) = (Vec::new(), false, false);
    for want in wants {
        statements(&want.parts, &mut |statement| {
            for fact in statement.facts.iter().filter(|_| statement.body == body) {
                match fact.condition {
                    Condition::FaceUp { axis, .. } => axes.push(axis),
                    _ => (all, fixed) = (all | asks_for_turn(fact), fixed | fact.condition.fixes_turn()),
                }
            }
        });
    }
    if fixed {
        return vec![DQuat::IDENTITY];
    }
    if all {
        return turns.to_vec();
    }
    let mut kept: Vec<DQuat> = Vec::new();
    for turn in turns {
        let same = |other: &DQuat| axes.iter().all(|axis| (*turn * *axis).abs_diff_eq(*other * *axis, SAME_DIRECTION));
        if !kept.iter().any(same) {
            kept.push(*turn);
        }
    }
    kept
}

/// The turns of a body that change neither how it moves nor how likely its start is.
///
/// One material, no zones: then the shape decides centre of mass, inertia and contacts.
/// Velocity and spin are given in the axes of the world. The starting turn is drawn
/// apart from everything else, uniformly over all turns or over those about one axis,
/// and a further turn from the body's side leaves that as it is.
fn turns_of(plan: &Plan, body: &BodyPlan) -> Vec<DQuat> {
    let none = vec![DQuat::IDENTITY];
    let ShapeSource::Certain(shape) = &body.shape else {
        return none;
    };
    if !body.moves_freely() || !body.zones.is_empty() {
        return none;
    }
    match &body.orientation {
        TurnPlan::Uniform(numbers) if numbers.iter().all(|number| matches!(number, Quantity::Own(_))) => {
            shape.rotations()
        }
        TurnPlan::Axis { axis: [Quantity::Fixed(x), Quantity::Fixed(y), Quantity::Fixed(z)], degrees } => {
            let Some(axis) = DVec3::new(*x, *y, *z).try_normalize().filter(|_| is_any_angle(plan, body, *degrees))
            else {
                return none;
            };
            let is_about = |turn: &DQuat| (*turn * axis).abs_diff_eq(axis, SAME_DIRECTION);
            shape.rotations().into_iter().filter(is_about).collect()
        }
        _ => none,
    }
}

/// Whether an angle in degrees is uniform over whole turns.
fn is_any_angle(plan: &Plan, body: &BodyPlan, degrees: Quantity) -> bool {
    let Quantity::Own(index) = degrees else {
        return false;
    };
    let Some(variable) = plan.variables.get(body.first + index) else {
        return false;
    };
    let support = variable.density.support();
    let turns = (support.high - support.low) / 360.0;
    matches!(*variable.density, Density::Uniform(_)) && turns >= 1.0 && turns.fract() == 0.0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::DVec3;
    use proscenium_chance::statistics::kolmogorov_smirnov_two_samples;
    use proscenium_direct::{Method, Sampler, SamplerOptions};
    use proscenium_geometry::Shape;
    use proscenium_work::Progress;

    use super::*;
    use crate::{DirectedScene, Scene, Source};

    /// A brick that should stand on its end.
    fn brick() -> DirectedScene {
        let text = r#"
            format = 1
            duration = 2.0
            [[body]]
            name = "table"
            fixed = true
            shape = { half_space = [0, 1, 0] }
            [[body]]
            name = "brick"
            shape = { box = [0.02, 0.02, 0.03] }
            position = [0, 0.04, 0]
            orientation = "uniform"
            [[want]]
            body = "brick"
            face_up = "+z"
        "#;
        DirectedScene::new(&Scene::parse(text, &Source::inline("brick.toml", text)).unwrap()).unwrap()
    }

    /// How high the brick is at rest, of those that are found.
    fn heights(model: &DirectedScene, seed: u64) -> Vec<f64> {
        let (mix, progress) = (model.mix().unwrap(), Progress::none());
        let options = SamplerOptions { method: Some(Method::Rejection), ..SamplerOptions::default() };
        let mut sampler = Sampler::start(model, &mix, Seed(seed), options, &progress).unwrap().finished().unwrap();
        let mut heights = Vec::new();
        while heights.len() < 40 {
            let batch = sampler.advance(&progress).unwrap().finished().unwrap();
            heights.extend(batch.successes.iter().map(|one| one.outcome.pose("brick", 2.0).unwrap().translation.y));
        }
        heights
    }

    /// The right group agrees with none at all, and the same test tells a wrong one.
    #[test]
    fn a_group_that_is_no_symmetry_is_caught() {
        let truth = heights(&brick().without_symmetry(), 1);
        assert!(brick().is_symmetric());
        let right = kolmogorov_smirnov_two_samples(&heights(&brick(), 2), &truth).unwrap().p_value;
        assert!(right > 1e-4, "{right}");
        let mut planted = brick();
        let cube = Shape::cuboid(DVec3::ONE, 0.0).unwrap().rotations();
        planted.symmetry = Arc::new(Symmetry::with(planted.scene.plan(), |_| cube.clone()));
        let wrong = kolmogorov_smirnov_two_samples(&heights(&planted, 3), &truth).unwrap().p_value;
        assert!(wrong < 1e-4, "{wrong}");
    }
}
