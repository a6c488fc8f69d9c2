//! Bodies.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DQuat, DVec3};

use crate::file::{At, BodyFile, RegionFile, RepeatFile, SceneFile, SpinFile, VelocityFile, ZoneFile};
use crate::moves::{CoursePlan, MovesPlan};
use crate::plan::{BodyPlan, Copies, MaterialPlan, PacePlan, PushPlan, Quantity, RegionPlan, TurnPlan, ZonePlan};
use crate::report::Path;

use super::quantity::{LocalDensities, Range, Rule};
use super::{Checker, MOST_BODIES, MOST_VARIABLES, Materials};

const START: Rule =
    Rule { what: "a start time", range: Range::NotNegative, help: "0 is the beginning; times are in seconds" };
const ZONE: Rule = Rule { what: "the size of a zone", range: Range::Positive, help: "lengths are in metres" };
const PUSH: Rule = Rule { what: "the time of a push", range: Range::NotNegative, help: "seconds from the beginning" };
const ZERO: [Quantity; 3] = [Quantity::Fixed(0.0); 3];

/// The names of the bodies so far, to find those that occur twice.
#[derive(Default)]
struct Names<'a> {
    single: BTreeSet<&'a str>,
    /// Names with copies, and how many.
    repeated: BTreeMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    /// Adds the names of a body; false if one of them is taken.
    fn add(&mut self, name: &'a str, copies: &Copies) -> bool {
        match copies {
            Copies::Single => {
                let is_copy = name.rsplit_once('-').is_some_and(|(base, number)| {
                    let count = self.repeated.get(base).copied().unwrap_or(0);
                    copy_number(number).is_some_and(|number| number <= count)
                });
                self.single.insert(name) && !is_copy
            }
            _ => {
                let count = copies.count();
                let prefix = format!("{name}-");
                let dashed = self.single.range(prefix.as_str()..).map_while(|other| other.strip_prefix(&prefix));
                let taken = dashed.filter_map(copy_number).any(|number| number <= count);
                self.repeated.insert(name, count).is_none() && !taken
            }
        }
    }
}

/// The number of a copy, from 1, if it is written as copies are.
fn copy_number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|number: &usize| *number > 0 && number.to_string() == text)
}

impl Checker<'_, '_> {
    pub(super) fn bodies(&mut self, file: &SceneFile, materials: &mut Materials) -> Vec<BodyPlan> {
        let root = &Path::ROOT;
        let section = &root.key("body");
        let mut names = Names::default();
        let mut plans = Vec::with_capacity(file.bodies.len());
        let mut default_material = None;
        for (index, body) in file.bodies.iter().enumerate() {
            let path = &section.index(index).of("body", &body.name.value);
            self.name("a body", &body.name, &path.key("name"));
            let copies = self.copies(body, path);
            if !names.add(&body.name.value, &copies.unwrap_or(Copies::Single)) {
                let message = format!("there is another body named \"{}\"", body.name.value);
                let help = "give every body its own name; copies are numbered -1, -2, …";
                self.error(&body.name.span, &path.key("name"), message, help);
            }
            let material = match &body.material {
                Some(name) => {
                    let found = self.material_index(name, &path.key("material"), materials);
                    found.inspect(|index| materials.used[*index] = true)
                }
                None => Some(*default_material.get_or_insert_with(|| {
                    // It has no name that a file could use.
                    materials.plans.push(default_of_bodies());
                    materials.used.push(true);
                    materials.plans.len() - 1
                })),
            };
            plans.extend(self.body(body, path, copies, material, materials));
        }
        plans
    }

    fn body(
        &mut self,
        body: &BodyFile,
        path: &Path<'_>,
        copies: Option<Copies>,
        material: Option<usize>,
        materials: &mut Materials,
    ) -> Option<BodyPlan> {
        let mut own = LocalDensities::default();
        let colour = body.colour.as_ref().and_then(|colour| self.colour(colour, &path.key("colour")));
        let position = match &body.position {
            Some(position) => self.vector(&mut own, position, &path.key("position"), "position"),
            None => Some(ZERO),
        };
        let orientation = match &body.orientation {
            Some(turn) => self.orientation(&mut own, turn, &path.key("orientation"), "orientation"),
            None => Some(TurnPlan::Fixed(DQuat::IDENTITY)),
        };
        let velocity = self.velocity(&mut own, body.velocity.as_ref(), &path.key("velocity"));
        let spin = self.spin(&mut own, body.spin.as_ref(), &path.key("spin"));
        let start = match &body.start {
            Some(start) => self.quantity(&mut own, start, &path.key("start"), "start", &START),
            None => Some(Quantity::Fixed(0.0)),
        };
        let takes_part = self.takes_part(body.takes_part.as_ref(), &path.key("takes_part"));
        let mass_at_most = self.mass_at_most(body.mass_at_most.as_ref(), &path.key("mass_at_most"));
        let zones = self.zones(&mut own, &body.zones, &path.key("zones"), materials);
        let pushes = self.pushes(&mut own, body, &path.key("pushes"));
        let moves = self.moves(body, path);
        self.check_rest(body, path);
        let shape = self.shape(&mut own, &body.shape, &path.key("shape"), body.fixed);
        let splines = shape.as_ref().map(|(plan, _)| self.splines(&mut own, &body.shape, plan, &path.key("shape")));
        let own_count = own.entries.len();
        let (shape, picture) = shape?;
        let mut plan = BodyPlan {
            name: body.name.value.clone(),
            copies: copies?,
            fixed: body.fixed,
            resting: body.resting,
            hidden: body.hidden,
            pips: body.pips,
            material: material?,
            colour,
            position: position?,
            orientation: orientation?,
            velocity: velocity?,
            spin: spin?,
            start: start?,
            takes_part: takes_part?,
            mass_at_most: mass_at_most?,
            zones: zones?,
            pushes: pushes?,
            moves: moves?,
            shape,
            splines: splines??,
            picture,
            first: 0,
            own_count,
        };
        let count = plan.copies.count();
        self.bodies = self.bodies.saturating_add(count);
        if self.bodies > MOST_BODIES {
            let message = format!("the scene has more than {MOST_BODIES} bodies");
            self.error(&body.name.span, &path.key("repeat"), message, "repeat fewer");
            return None;
        }
        if self.too_many_variables(own_count.saturating_mul(count)) {
            let message = format!("the scene has more than {MOST_VARIABLES} uncertain values");
            self.error(&body.name.span, path, message, "repeat fewer, or make some of them certain");
            return None;
        }
        if own_count > 0 {
            let names: Vec<String> = (0..count).map(|copy| plan.name_of(copy)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            plan.first = self.settle(own, &names);
        }
        Some(plan)
    }

    fn mass_at_most(&mut self, mass: Option<&At<f64>>, path: &Path<'_>) -> Option<Option<f64>> {
        match mass {
            Some(mass) if mass.value <= 0.0 => {
                let help = "give the most that it may weigh, kg, or leave it out";
                self.error(&mass.span, path, "the greatest mass of a body must be positive", help);
                None
            }
            mass => Some(mass.map(|mass| mass.value)),
        }
    }

    fn takes_part(&mut self, chance: Option<&At<f64>>, path: &Path<'_>) -> Option<Option<f64>> {
        match chance {
            Some(chance) if !(chance.value > 0.0 && chance.value < 1.0) => {
                let message = "the chance to take part must lie between 0 and 1";
                let help = "0.5 is heads or tails; leave it out for a body that is always there";
                self.error(&chance.span, path, message, help);
                None
            }
            chance => Some(chance.map(|chance| chance.value)),
        }
    }

    fn zones(
        &mut self,
        own: &mut LocalDensities,
        zones: &[ZoneFile],
        path: &Path<'_>,
        materials: &mut Materials,
    ) -> Option<Vec<ZonePlan>> {
        let mut plans = Vec::with_capacity(zones.len());
        for (index, zone) in zones.iter().enumerate() {
            let path = &path.index(index);
            let name = format!("zones.{}", index + 1);
            let shape = &path.key("shape");
            let region = match &zone.shape.value {
                RegionFile::Sphere { sphere } => {
                    let radius = self.quantity(own, sphere, &shape.key("sphere"), &format!("{name}.sphere"), &ZONE);
                    radius.map(RegionPlan::Sphere)
                }
                RegionFile::Box { edges } => {
                    let (here, name) = (&shape.key("box"), format!("{name}.box"));
                    let edges = self.row(own, &edges.value, here, &name, ["x", "y", "z"], &ZONE);
                    edges.map(RegionPlan::Box)
                }
            };
            let position = match &zone.position {
                Some(position) => self.vector(own, position, &path.key("position"), &format!("{name}.position")),
                None => Some(ZERO),
            };
            let material = self.material_index(&zone.material, &path.key("material"), materials);
            let material = material.inspect(|index| materials.used[*index] = true);
            plans.extend(region.zip(position).zip(material).map(|((region, position), material)| ZonePlan {
                region,
                position,
                material,
            }));
        }
        (plans.len() == zones.len()).then_some(plans)
    }

    fn pushes(&mut self, own: &mut LocalDensities, body: &BodyFile, path: &Path<'_>) -> Option<Vec<PushPlan>> {
        let mut plans = Vec::with_capacity(body.pushes.len());
        for (index, push) in body.pushes.iter().enumerate() {
            let path = &path.index(index);
            let name = format!("pushes.{}", index + 1);
            if body.fixed {
                self.error(&push.at.span, path, "nothing pushes a fixed body", "drop the push, or drop fixed = true");
                return None;
            }
            let at = self.quantity(own, &push.at, &path.key("at"), &format!("{name}.at"), &PUSH);
            let impulse = self.vector(own, &push.impulse, &path.key("impulse"), &format!("{name}.impulse"));
            plans.extend(at.zip(impulse).map(|(at, impulse)| PushPlan { at, impulse }));
        }
        (plans.len() == body.pushes.len()).then_some(plans)
    }

    /// How a body moves that moves as told: then nothing else says how.
    fn moves(&mut self, body: &BodyFile, path: &Path<'_>) -> Option<Option<MovesPlan>> {
        let Some(At { value: moves, span }) = &body.moves else {
            return Some(None);
        };
        let path = &path.key("moves");
        let others = [
            (body.fixed, "fixed = true"),
            (body.resting, "resting = true"),
            (body.velocity.is_some(), "velocity"),
            (body.spin.is_some(), "spin"),
            (!body.pushes.is_empty(), "pushes"),
            (body.position.is_some() && moves.position.is_some(), "position"),
        ];
        if let Some((_, other)) = others.into_iter().find(|(is_given, _)| *is_given) {
            let help = format!("drop {other}, or drop moves");
            self.error(span, path, format!("what moves as told has no {other}"), &help);
            return None;
        }
        let position = match &moves.position {
            Some(position) => {
                let [x, y, z] = &position.value;
                let here = &path.key("position");
                let parts = [x, y, z].map(|part| self.course(part, here));
                let [Some(x), Some(y), Some(z)] = parts else { return None };
                Some([x, y, z])
            }
            None => None,
        };
        let axis = moves.axis.as_ref().map_or(DVec3::Y, |axis| DVec3::from_array(axis.value));
        let Some(axis) = axis.try_normalize() else {
            let axis = moves.axis.as_ref().map_or(span, |axis| &axis.span);
            self.error(axis, &path.key("axis"), "the axis has no direction", "as in axis = [0, 1, 0]");
            return None;
        };
        let degrees = match &moves.degrees {
            Some(degrees) => self.course(degrees, &path.key("degrees"))?,
            None => CoursePlan::Fixed(0.0),
        };
        Some(Some(MovesPlan { position, axis, degrees }))
    }

    /// A fixed body does not move.
    fn check_rest(&mut self, body: &BodyFile, path: &Path<'_>) {
        for (moving, key) in [
            (body.velocity.as_ref().map(|velocity| &velocity.span), "velocity"),
            (body.spin.as_ref().map(|spin| &spin.span), "spin"),
        ] {
            let (what, why) = if body.fixed { ("a fixed body", "fixed") } else { ("a body at rest", "resting") };
            if let Some(span) = moving.filter(|_| body.fixed || body.resting) {
                let help = format!("drop the {key}, or drop {why} = true");
                self.error(span, &path.key(key), format!("{what} has no {key}"), &help);
            }
        }
    }

    fn velocity(
        &mut self,
        own: &mut LocalDensities,
        velocity: Option<&At<VelocityFile>>,
        path: &Path<'_>,
    ) -> Option<PacePlan> {
        let Some(velocity) = velocity else {
            return Some(PacePlan::Components(ZERO));
        };
        match &velocity.value {
            VelocityFile::Components(components) => {
                self.vector(own, components, path, "velocity").map(PacePlan::Components)
            }
            VelocityFile::Polar { speed, heading, rise } => {
                let speed = self.quantity(own, speed, &path.key("speed"), "velocity.speed", &Rule::ANY);
                let mut angle = |angle: &Option<_>, key: &str, name: &str| match angle {
                    Some(angle) => self.quantity(own, angle, &path.key(key), name, &Rule::ANY),
                    None => Some(Quantity::Fixed(0.0)),
                };
                let heading = angle(heading, "heading", "velocity.heading");
                let rise = angle(rise, "rise", "velocity.rise");
                Some(PacePlan::Polar { speed: speed?, heading: heading?, rise: rise? })
            }
        }
    }

    fn spin(
        &mut self,
        own: &mut LocalDensities,
        spin: Option<&At<SpinFile>>,
        path: &Path<'_>,
    ) -> Option<[Quantity; 3]> {
        match spin.map(|spin| &spin.value) {
            None => Some(ZERO),
            Some(SpinFile::Components(components)) => self.vector(own, components, path, "spin"),
            Some(SpinFile::Each(each)) => {
                let [x, y, z] = ["spin.x", "spin.y", "spin.z"];
                // One density that cannot be is one error, not three.
                let first = self.quantity(own, each, path, x, &Rule::ANY)?;
                let second = self.quantity(own, each, path, y, &Rule::ANY)?;
                Some([first, second, self.quantity(own, each, path, z, &Rule::ANY)?])
            }
        }
    }

    fn copies(&mut self, body: &BodyFile, path: &Path<'_>) -> Option<Copies> {
        let Some(repeat) = &body.repeat else {
            return Some(Copies::Single);
        };
        let path = &path.key("repeat");
        let (copies, span, total) = match &repeat.value {
            RepeatFile::Row { count, offset, interval } => {
                let offset = offset.as_ref().map_or(DVec3::ZERO, |offset| DVec3::from_array(offset.value));
                if let Some(interval) = interval.as_ref().filter(|interval| interval.value < 0.0) {
                    let message = "the interval of a repeat must be zero or more";
                    let help = "each copy starts this many seconds after the one before";
                    self.error(&interval.span, &path.key("interval"), message, help);
                }
                let interval = interval.as_ref().map_or(0.0, |interval| interval.value);
                (Copies::Row { count: count.value as usize, offset, interval }, &count.span, Some(count.value))
            }
            RepeatFile::Grid { grid, spacing } => {
                let total = grid.value.iter().try_fold(1_u64, |product, count| product.checked_mul(*count));
                let counts = grid.value.map(|count| count as usize);
                (Copies::Grid { counts, spacing: DVec3::from_array(spacing.value) }, &grid.span, total)
            }
        };
        match total {
            Some(0) => {
                self.error(span, path, "a body cannot be repeated zero times", "leave the body out, or repeat it once");
                None
            }
            Some(total) if total <= MOST_BODIES as u64 => Some(copies),
            _ => {
                let message = format!("a body can be repeated at most {MOST_BODIES} times");
                self.error(span, path, message, "repeat it less often");
                None
            }
        }
    }
}

/// What bodies are made of that do not say it.
fn default_of_bodies() -> MaterialPlan {
    MaterialPlan {
        name: "default".to_string(),
        density: Quantity::Fixed(1000.0),
        restitution: Quantity::Fixed(0.5),
        friction: Quantity::Fixed(0.3),
        rolling: Quantity::Fixed(0.0),
        first: 0,
        colour: None,
        roughness: 0.5,
        metallic: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_copies_count_as_names() {
        let row = |count| Copies::Row { count, offset: DVec3::ZERO, interval: 0.0 };
        let mut names = Names::default();
        assert!(names.add("a", &row(3)));
        assert!(names.add("a", &Copies::Single));
        assert!(names.add("a-4", &Copies::Single) && names.add("a-03", &Copies::Single));
        assert!(!names.add("a-3", &Copies::Single));
        assert!(!names.add("a", &row(1)));
        assert!(names.add("b-2", &Copies::Single));
        assert!(!names.add("b", &row(2)));
    }
}
