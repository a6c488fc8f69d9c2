//! When each uncertain number of a scene is first read.
//!
//! A simulation reads how a body begins when the body enters, what pushes it when it is
//! pushed, and how a surface is when something first touches it. Shapes are read from the
//! beginning: the smallest body that can move decides how precisely all are simulated, and
//! the slopes of a whole surface how far ahead is looked over any part of it.

use std::collections::{BTreeMap, BTreeSet};

use proscenium_geometry::ShapeKind;
use proscenium_rigid::Recording;

use crate::drawn::{DrawnScene, PlacedBody};
use crate::moves::{CoursePlan, MovesPlan};
use crate::plan::{
    BodyPlan, PacePlan, PartPlan, Plan, Quantity, RegionPlan, ShapePlan, ShapeSource, SolidPlan, TurnPlan,
};

/// Before anything happens.
const AT_ONCE: f64 = f64::NEG_INFINITY;

/// When everything that is uncertain was first read, seconds; ∞ for what was not.
pub(super) struct Reads {
    /// Each variable of the scene, in its order.
    pub variables: Vec<f64>,
    /// Of each body of the world: whether it takes part.
    pub bodies: Vec<f64>,
}

struct Reader<'a> {
    plan: &'a Plan,
    reads: Vec<f64>,
}

/// What a recording, up to where it goes, has read of what was drawn.
pub(super) fn reads(drawn: &DrawnScene, placed: &[PlacedBody], recording: &Recording) -> Reads {
    let plan = drawn.plan();
    let mut reader = Reader { plan, reads: vec![f64::INFINITY; plan.variables.len()] };
    reader.note_all(&plan.gravity.inner, plan.gravity.first, AT_ONCE);
    let entries: Vec<f64> = drawn.entries().collect();
    let met = Meetings::of(plan, placed, &entries, recording);
    let mut bodies = Vec::with_capacity(placed.len());
    for (place, (entry, at)) in entries.iter().zip(placed).enumerate() {
        let body = &plan.bodies[at.plan];
        let first = body.first + at.copy * body.own_count;
        // When one that does not take part would have entered, if that is known.
        let absent = matches!(body.start, Quantity::Own(_)).then_some(f64::INFINITY);
        let would = absent.unwrap_or_else(|| drawn.start_of(body, at.copy));
        bodies.push(if drawn.is_absent(place) { would } else { *entry });
        reader.body(body, first, *entry, met.bodies.get(&place).copied());
    }
    reader.surfaces(&met);
    reader.pushes(drawn);
    reader.collisions(recording);
    reader.splines(placed, recording);
    Reads { variables: reader.reads, bodies }
}

/// When bodies and materials first met.
struct Meetings {
    bodies: BTreeMap<usize, f64>,
    /// Pairs of materials, the lower first.
    materials: BTreeMap<(usize, usize), f64>,
    /// When bodies first entered that can move and are of a material.
    entered: BTreeMap<usize, f64>,
}

impl Meetings {
    fn of(plan: &Plan, placed: &[PlacedBody], entries: &[f64], recording: &Recording) -> Self {
        let mut met = Self { bodies: BTreeMap::new(), materials: BTreeMap::new(), entered: BTreeMap::new() };
        let contacts = recording.contacts.iter().map(|contact| (contact.time, contact.a, contact.b));
        let touches = recording.touches.iter().map(|touch| (touch.time, touch.a, touch.b));
        for (time, a, b) in contacts.chain(touches) {
            met.note(plan, placed, [a.index(), b.index()], time);
        }
        // What enters at rest may touch from then on, which no recording tells.
        let still = |place: &usize| placed[*place].def.fixed || placed[*place].def.resting;
        let resting = (0..placed.len()).filter(|place| placed[*place].def.resting);
        for (a, b) in resting.flat_map(|a| (0..placed.len()).filter(still).map(move |b| (a, b))).filter(|(a, b)| a != b)
        {
            met.note(plan, placed, [a, b], entries[a].max(entries[b]));
        }
        for (at, entry) in placed.iter().zip(entries).filter(|(at, _)| !at.def.fixed) {
            sooner(&mut met.entered, plan.bodies[at.plan].material, *entry);
        }
        met
    }

    fn note(&mut self, plan: &Plan, placed: &[PlacedBody], bodies: [usize; 2], time: f64) {
        let materials = bodies.map(|place| {
            sooner(&mut self.bodies, place, time);
            let body = &plan.bodies[placed[place].plan];
            let all = body.zones.iter().map(|zone| zone.material).chain([body.material]);
            all.collect::<BTreeSet<usize>>()
        });
        for (a, b) in materials[0].iter().flat_map(|a| materials[1].iter().map(move |b| (*a, *b))) {
            sooner(&mut self.materials, (a.min(b), a.max(b)), time);
        }
    }
}

fn sooner<K: Ord>(times: &mut BTreeMap<K, f64>, key: K, time: f64) {
    let known = times.entry(key).or_insert(f64::INFINITY);
    *known = known.min(time);
}

impl Reader<'_> {
    /// Notes that a number was read, whose own variables begin at `first`.
    fn note(&mut self, quantity: &Quantity, first: usize, time: f64) {
        let mut at = |index: usize| {
            if let Some(known) = self.reads.get_mut(index) {
                *known = known.min(time);
            }
        };
        match *quantity {
            Quantity::Fixed(_) => {}
            Quantity::Named(index) => at(index),
            Quantity::Own(index) => at(first + index),
            Quantity::Derived(index) => {
                let Some(formula) = self.plan.formulas.get(index) else { return };
                let named = (0..=u16::MAX).take(self.plan.variables.len());
                named
                    .filter(|input| formula.tape.reads(|read| read == *input))
                    .for_each(|input| at(usize::from(input)));
            }
        }
    }

    fn note_all<'q>(&mut self, quantities: impl IntoIterator<Item = &'q Quantity>, first: usize, time: f64) {
        quantities.into_iter().for_each(|quantity| self.note(quantity, first, time));
    }

    fn body(&mut self, body: &BodyPlan, first: usize, entry: f64, met: Option<f64>) {
        self.note_all(&body.position, first, entry);
        self.turn(&body.orientation, first, entry);
        match &body.velocity {
            PacePlan::Components(components) => self.note_all(components, first, entry),
            PacePlan::Polar { speed, heading, rise } => self.note_all([speed, heading, rise], first, entry),
        }
        self.note_all(&body.spin, first, entry);
        self.note(&body.start, first, entry);
        // A course is read as a whole.
        let tapes = body.moves.iter().flat_map(MovesPlan::courses).filter_map(|course| match course {
            CoursePlan::Changing(tape) => Some(tape),
            CoursePlan::Fixed(_) => None,
        });
        for tape in tapes {
            let named = (0..self.plan.named).filter(|input| tape.reads(|read| usize::from(read) == *input));
            named.for_each(|input| self.note(&Quantity::Named(input), first, entry));
        }
        let touched = met.unwrap_or(f64::INFINITY);
        for zone in &body.zones {
            self.note_all(&zone.position, first, touched);
            match &zone.region {
                RegionPlan::Sphere(radius) => self.note(radius, first, touched),
                RegionPlan::Box(edges) => self.note_all(edges, first, touched),
            }
        }
        if let ShapeSource::Uncertain(shape) = &body.shape {
            self.shape(shape, first, AT_ONCE);
        }
        if let Some((_, scale)) = &body.picture {
            self.note(scale, first, AT_ONCE);
        }
    }

    /// What materials are like.
    fn surfaces(&mut self, met: &Meetings) {
        let plan = self.plan;
        for (material, time) in &met.entered {
            let material = &plan.materials[*material];
            self.note(&material.density, material.first, *time);
        }
        for (&(a, b), time) in &met.materials {
            let pair = plan.pairs.iter().find(|pair| {
                let [c, d] = pair.materials;
                (c.min(d), c.max(d)) == (a, b)
            });
            let given = |of: fn(&crate::plan::PairPlan) -> Option<Quantity>| {
                pair.and_then(|pair| of(pair).map(|quantity| (quantity, pair.first)))
            };
            for (given, own) in [
                (given(|pair| pair.restitution), (|of| &of.restitution) as fn(&crate::plan::MaterialPlan) -> &Quantity),
                (given(|pair| pair.friction), |of| &of.friction),
                (given(|pair| pair.rolling), |of| &of.rolling),
            ] {
                match given {
                    Some((quantity, first)) => self.note(&quantity, first, *time),
                    None => {
                        for of in [a, b].map(|material| &plan.materials[material]) {
                            self.note(own(of), of.first, *time);
                        }
                    }
                }
            }
        }
    }

    /// A push is read just after its time: what happens at that time is kept without it.
    fn pushes(&mut self, drawn: &DrawnScene) {
        for body in &self.plan.bodies {
            for copy in 0..body.copies.count() {
                let values = body.values(drawn.all(), copy);
                for push in &body.pushes {
                    let time = values.number(push.at).next_up();
                    self.note_all(push.impulse.iter().chain([&push.at]), values.first, time);
                }
            }
        }
    }

    /// What is other about a collision is read when it happens.
    fn collisions(&mut self, recording: &Recording) {
        let plan = self.plan;
        for collision in &plan.collisions {
            for (number, pair) in collision.pairs.iter().enumerate() {
                let of_pair = recording.contacts.iter().filter(|contact| {
                    let bodies = [contact.a.index(), contact.b.index()];
                    bodies == *pair || [bodies[1], bodies[0]] == *pair
                });
                for (k, contact) in of_pair.take(collision.count).enumerate() {
                    self.note_all(collision.quantities(), collision.first_of(number, k), contact.time);
                }
            }
        }
    }

    /// What friction and restitution are at the control points of a surface is read where
    /// something hits it; all of it where something stays on it.
    fn splines(&mut self, placed: &[PlacedBody], recording: &Recording) {
        let plan = self.plan;
        for (place, at) in placed.iter().enumerate() {
            let (body, def) = (&plan.bodies[at.plan], &at.def);
            let (Some(splines), ShapeKind::HeightField(field)) = (&body.splines, def.shape.kind()) else {
                continue;
            };
            let first = body.first + at.copy * body.own_count;
            let kinds = [&splines.friction, &splines.restitution];
            let of_body = |a: usize, b: usize| a == place || b == place;
            for touch in recording.touches.iter().filter(|touch| of_body(touch.a.index(), touch.b.index())) {
                kinds.into_iter().flatten().for_each(|all| self.note_all(all, first, touch.time));
            }
            for contact in recording.contacts.iter().filter(|contact| of_body(contact.a.index(), contact.b.index())) {
                let local = def.pose.inverse_transform_point(contact.point);
                for point in field.control_points_at(local.x, local.z) {
                    let all = kinds.into_iter().flatten().filter_map(|all| all.get(point));
                    self.note_all(all, first, contact.time);
                }
            }
        }
    }

    fn turn(&mut self, turn: &TurnPlan, first: usize, time: f64) {
        match turn {
            TurnPlan::Fixed(_) => {}
            TurnPlan::Uniform(quantities) | TurnPlan::Euler(quantities) => self.note_all(quantities, first, time),
            TurnPlan::Axis { axis, degrees } => self.note_all(axis.iter().chain([degrees]), first, time),
            TurnPlan::Quaternion(parts) => self.note_all(parts, first, time),
        }
    }

    fn shape(&mut self, shape: &ShapePlan, first: usize, time: f64) {
        match shape {
            ShapePlan::Solid(solid) => self.solid(solid, first, time),
            ShapePlan::Compound(parts) => parts.iter().for_each(|part| self.part(part, first, time)),
            ShapePlan::HalfSpace(normal) => self.note_all(normal, first, time),
            ShapePlan::Pieces { scale, .. } | ShapePlan::Triangles { scale, .. } => self.note(scale, first, time),
            ShapePlan::Corners { vertices, .. } => self.note_all(vertices.iter().flatten(), first, time),
            ShapePlan::Field { heights, .. } => self.note_all(heights, first, time),
        }
    }

    fn part(&mut self, part: &PartPlan, first: usize, time: f64) {
        self.note_all(&part.position, first, time);
        self.turn(&part.orientation, first, time);
        self.solid(&part.shape, first, time);
    }

    fn solid(&mut self, solid: &SolidPlan, first: usize, time: f64) {
        match solid {
            SolidPlan::Sphere(radius) | SolidPlan::Icosahedron(radius) => self.note(radius, first, time),
            SolidPlan::Box { edges, rounding } => self.note_all(edges.iter().chain([rounding]), first, time),
            SolidPlan::Capsule { radius, height } | SolidPlan::Cylinder { radius, height } => {
                self.note_all([radius, height], first, time);
            }
            SolidPlan::Turned(rings) => self.note_all(rings.iter().flatten(), first, time),
            SolidPlan::Hull(points) => self.note_all(points.iter().flatten(), first, time),
        }
    }
}
