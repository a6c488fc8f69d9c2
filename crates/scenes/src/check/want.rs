//! Wants.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;
use proscenium_diagnostics::nearest;
use proscenium_view::Camera;

use crate::file::{
    At, BodiesFile, FaceFile, FaceUpFile, HitsFile, InsideFile, NearFile, NumberFile, OrientationFile, SceneFile,
    UnmovedFile, WantFile,
};
use crate::plan::{BodyPlan, Values};
use crate::report::Path;
use crate::want::{Condition, Fact, Grade, HitsPlan, Measure, Part, RegionWant, Signal, Statement, WantPlan, describe};

use super::Checker;
use super::happening::{Draft, When};
use super::quantity::LocalDensities;

/// How much a miss counts if nothing is said.
const WEIGHT: f64 = 5.0;
/// A larger one leaves nothing of what it is multiplied with.
const LARGEST_WEIGHT: f64 = 700.0;
/// How far a side may lean that is up, degrees.
const LEAN: f64 = 15.0;

/// The names that stand for many, unless a body or a group is called so.
const ALL: &str = "all";
const OTHERS: &str = "others";

/// The bodies of a scene by name, as their places in the world; copies and
/// groups have several.
pub(super) struct Cast<'a> {
    index: BTreeMap<String, Vec<usize>>,
    bodies: &'a [BodyPlan],
    /// What wants have named so far.
    named: BTreeSet<usize>,
    pub(super) cameras: BTreeMap<String, Camera>,
}

impl<'a> Cast<'a> {
    pub(super) fn new(bodies: &'a [BodyPlan]) -> Self {
        let mut index = BTreeMap::new();
        let mut next = 0;
        for body in bodies {
            let count = body.copies.count();
            if count > 1 || body.name_of(0) != body.name {
                for copy in 0..count {
                    index.insert(body.name_of(copy), vec![next + copy]);
                }
            }
            index.insert(body.name.clone(), (next..next + count).collect());
            next += count;
        }
        Self { index, bodies, named: BTreeSet::new(), cameras: BTreeMap::new() }
    }

    /// The body of the file that a body of the world comes from.
    fn plan(&self, world_index: usize) -> Option<&BodyPlan> {
        let mut left = world_index;
        self.bodies.iter().find(|body| {
            let here = left < body.copies.count();
            left = left.saturating_sub(body.copies.count());
            here
        })
    }

    /// Whether nothing can move a body of the world.
    fn is_fixed(&self, world_index: usize) -> bool {
        self.plan(world_index).is_none_or(|body| !body.moves_freely())
    }

    /// The bodies whose names a pattern such as `pin-*` matches, if there are any.
    fn matching(&self, pattern: &str) -> Option<Vec<usize>> {
        let (before, after) = pattern.split_once('*')?;
        let fits = |name: &str| name.len() + 1 >= pattern.len() && name.starts_with(before) && name.ends_with(after);
        let names = self.bodies.iter().flat_map(|body| (0..body.copies.count()).map(|copy| body.name_of(copy)));
        let places: Vec<usize> = names.enumerate().filter(|(_, name)| fits(name)).map(|(place, _)| place).collect();
        (!places.is_empty()).then_some(places)
    }

    /// All bodies that can move; without balls if they should have an up.
    fn all(&self, upright: bool) -> impl Iterator<Item = usize> {
        let places = self.bodies.iter().flat_map(|body| (0..body.copies.count()).map(move |_| body));
        places.enumerate().filter_map(move |(place, body)| {
            let left_out = !body.moves_freely() || (upright && body.shape.is_ball());
            (!left_out).then_some(place)
        })
    }
}

impl Checker<'_, '_> {
    pub(super) fn wants(
        &mut self,
        file: &SceneFile,
        bodies: &[BodyPlan],
        cameras: &BTreeMap<String, Camera>,
        duration: f64,
    ) -> Vec<WantPlan> {
        if file.wants.is_empty() {
            return Vec::new();
        }
        let mut cast = Cast { cameras: cameras.clone(), ..Cast::new(bodies) };
        let root = &Path::ROOT;
        self.groups(file, &root.key("groups"), &mut cast);
        cast.named =
            file.wants.iter().flat_map(names).filter_map(|name| cast.index.get(name)).flatten().copied().collect();
        let section = &root.key("want");
        let wants = file.wants.iter().enumerate();
        wants.filter_map(|(index, want)| self.want(want, &section.index(index), &cast, duration)).collect()
    }

    fn groups(&mut self, file: &SceneFile, path: &Path<'_>, cast: &mut Cast<'_>) {
        for (name, bodies) in &file.groups {
            let path = &path.key(&name.value).of("group", &name.value);
            if cast.index.contains_key(&name.value) {
                let message = format!("there is a body or a group named \"{}\" already", name.value);
                self.error(&name.span, path, message, "give the group a name of its own");
                continue;
            }
            let members = bodies.value.iter().map(|body| self.places(body, &bodies.span, path, cast));
            let members: Option<Vec<Vec<usize>>> = members.collect();
            if let Some(members) = members {
                cast.index.insert(name.value.clone(), members.concat());
            }
        }
    }

    fn want(&mut self, want: &WantFile, path: &Path<'_>, cast: &Cast<'_>, duration: f64) -> Option<WantPlan> {
        let weight = match &want.weight {
            Some(weight) if !(weight.value > 0.0 && weight.value <= LARGEST_WEIGHT) => {
                let help = format!("5 is usual: what misses is e^5 = 148 times less likely; at most {LARGEST_WEIGHT}");
                self.error(&weight.span, &path.key("weight"), "the weight of a want must be positive", &help);
                None
            }
            Some(weight) => Some(weight.value),
            None => Some(WEIGHT),
        };
        let mut parts: Vec<Part> = Vec::new();
        let here = &path.key("of");
        for (index, part) in want.of.iter().enumerate() {
            parts.extend(self.want(part, &here.index(index), cast, duration).map(Part::Want));
        }
        let mut whole = parts.len() == want.of.len();
        if let Some(not) = &want.not {
            let not = self.want(not, &path.key("not"), cast, duration);
            whole &= not.is_some();
            parts.extend(not.map(Part::Not));
        }
        parts.extend(self.order(want, path, cast, duration)?.map(Part::Then));
        let statements = self.statements(want, path, cast, duration)?;
        let stands_for_many = |name: &String| name == ALL || name == OTHERS;
        let names_many = want.body.as_ref().is_some_and(|names| names.value.list().iter().any(stands_for_many));
        let several = statements.len() > 1 || names_many;
        let listed = parts.iter().filter_map(|part| match part {
            Part::Want(want) => Some(want.name.as_str()),
            Part::Statement(_) | Part::Not(_) | Part::Then(_) => None,
        });
        let name = want
            .name
            .as_ref()
            .map_or_else(|| describe(want, several, &listed.collect::<Vec<_>>()), |name| name.value.clone());
        parts.extend(statements.into_iter().map(Part::Statement));
        let count = self.count(want, path, parts.len());
        let counts = want.weight.is_some();
        (whole && !parts.is_empty()).then_some(())?;
        Some(WantPlan { name, weight: weight?, counts, count: count?, parts })
    }

    /// How many parts must hold: at least and at most; `None` for all.
    fn count(&mut self, want: &WantFile, path: &Path<'_>, parts: usize) -> Option<Option<(usize, usize)>> {
        let given = [&want.exactly, &want.at_least, &want.at_most];
        if given.iter().all(|count| count.is_none()) {
            return Some(None);
        }
        let number = |count: &Option<At<u64>>| count.as_ref().map(|count| count.value as usize);
        let span = given.into_iter().flatten().next().map_or(0..0, |count| count.span.clone());
        let [exactly, least, most] = given.map(number);
        if exactly.is_some() && (least.is_some() || most.is_some()) {
            let help = "keep `exactly`, or `at_least` and `at_most`";
            self.error(&span, path, "a want is counted in one way", help);
            return None;
        }
        let (least, most) = (exactly.or(least).unwrap_or(0), exactly.or(most).unwrap_or(parts));
        if least > parts || least > most {
            let message = format!("this want is about {parts}, of which {least} cannot be counted");
            self.error(&span, path, message, "ask for fewer, or name more bodies");
            return None;
        }
        Some(Some((least, most)))
    }

    /// One statement for each body that a want is about.
    fn statements(
        &mut self,
        want: &WantFile,
        path: &Path<'_>,
        cast: &Cast<'_>,
        duration: f64,
    ) -> Option<Vec<Statement>> {
        let when = self.when(want, path, duration)?;
        // What has come to rest has no speed: then any time counts.
        let is_pace = want.speed.is_some() || want.spin.is_some();
        let when = if when == When::Rest && is_pace { When::Sometime(0.0, duration) } else { when };
        let drafts = self.drafts(want, path, cast, when, duration);
        let Some(names) = &want.body else {
            let message = "this want does not say whom it is about";
            let is_made_of_others = !want.of.is_empty() || want.not.is_some() || !want.then.is_empty();
            if !is_made_of_others {
                self.error(&want_span(want), path, message, "name a body, as in body = \"die-1\"");
            } else if drafts.as_ref().is_some_and(|drafts| !drafts.is_empty()) {
                self.error(&want_span(want), path, message, "put the conditions into the wants that `of` lists");
            } else if when != When::Rest && want.then.is_empty() {
                self.error(&want_span(want), path, "this want has a time and no body", "say when in the wants inside");
            } else {
                return Some(Vec::new());
            }
            return None;
        };
        let upright = want.upright.is_some() || want.unmoved.is_some();
        let bodies = self.bodies_named(names, &path.key("body"), cast, upright)?;
        let drafts = drafts?;
        if drafts.is_empty() {
            let help = "add one of: near, inside, on, touches, faces, face_up, upright, unmoved, orientation, velocity, \
                        speed, spin, hits, passes, on_screen";
            self.error(&names.span, path, "this want does not say what should happen", help);
            return None;
        }
        let at = if let When::At(at) = when { Some(at) } else { None };
        let mut statements = Vec::with_capacity(bodies.len());
        for body in bodies {
            let facts = drafts.iter().map(|draft| self.condition_for(draft, body, when, duration));
            let facts = facts.map(|condition| Fact { at, condition }).collect();
            statements.push(Statement { body, facts });
        }
        Some(statements)
    }

    /// The places of the bodies that a want is about.
    pub(super) fn bodies_named(
        &mut self,
        names: &At<BodiesFile>,
        path: &Path<'_>,
        cast: &Cast<'_>,
        upright: bool,
    ) -> Option<Vec<usize>> {
        let mut bodies = Vec::new();
        for name in names.value.list() {
            let places = match name.as_str() {
                ALL if !cast.index.contains_key(ALL) => cast.all(upright).collect(),
                OTHERS if !cast.index.contains_key(OTHERS) => {
                    cast.all(upright).filter(|place| !cast.named.contains(place)).collect()
                }
                _ => self.places(name, &names.span, path, cast)?,
            };
            if places.iter().any(|place| cast.is_fixed(*place)) {
                let help = "name a body that can move";
                self.error(&names.span, path, format!("nothing can move the body \"{name}\""), help);
                return None;
            }
            bodies.extend(places);
        }
        if bodies.is_empty() {
            self.error(&names.span, path, "this list of bodies is empty", "name at least one");
            return None;
        }
        Some(bodies)
    }

    /// The places of some bodies, any of which will do.
    pub(super) fn any_of(&mut self, names: &At<BodiesFile>, path: &Path<'_>, cast: &Cast<'_>) -> Option<Vec<usize>> {
        let places = names.value.list().iter().map(|name| self.places(name, &names.span, path, cast));
        let places: Option<Vec<Vec<usize>>> = places.collect();
        places.map(|places| places.concat())
    }

    /// The places of what goes by a name.
    pub(super) fn places(
        &mut self,
        name: &str,
        span: &std::ops::Range<usize>,
        path: &Path<'_>,
        cast: &Cast<'_>,
    ) -> Option<Vec<usize>> {
        let found = cast.index.get(name).cloned().or_else(|| cast.matching(name));
        if found.is_none() {
            let known = || cast.bodies.iter().map(|body| body.name.as_str());
            let help = match nearest(name, cast.index.keys().map(String::as_str)) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("the bodies are: {}", known().take(12).collect::<Vec<_>>().join(", ")),
            };
            self.error(span, path, format!("there is no body \"{name}\""), &help);
        }
        found
    }

    fn drafts(
        &mut self,
        want: &WantFile,
        path: &Path<'_>,
        cast: &Cast<'_>,
        when: When,
        duration: f64,
    ) -> Option<Vec<Draft>> {
        let in_time = matches!(when, When::Sometime(..) | When::Always(..));
        let mut all: Vec<Option<Draft>> = Vec::new();
        if let Some(near) = &want.near {
            all.push(match (&near.value, self.near(&near.value, path, cast)) {
                // What has come to rest is judged as it always was.
                (NearFile::Place { .. }, Some(Draft::Number(Signal::Place { place, level }, grade))) if !in_time => {
                    let measure = Measure::Place { place, level };
                    Some(Draft::Plain(Condition::Graded { measure, within: grade.limit }))
                }
                (_, draft) => draft,
            });
        }
        if let Some(inside) = &want.inside {
            all.push(self.inside(&inside.value, &path.key("inside"), cast).map(|condition| match condition {
                Condition::Inside { region, within } if in_time => Self::region_in_time(region, within),
                condition => Draft::Plain(condition),
            }));
        }
        if let Some(upright) = &want.upright {
            all.push(Some(match in_time {
                true => Self::upright_in_time(upright.value, when),
                false => Draft::Plain(Condition::Upright(upright.value)),
            }));
        }
        if let Some(unmoved) = &want.unmoved {
            all.push(self.unmoved(unmoved, &path.key("unmoved"), in_time));
        }
        self.relations(want, path, cast, &mut all);
        if let Some(hits) = &want.hits {
            let hits_path = &path.key("hits");
            if matches!(when, When::Always(..)) {
                self.error(&hits.span, hits_path, "a hit has a moment", "leave out `always`");
                return None;
            }
            let window = when.window(duration);
            all.push(self.hits(&hits.value, hits_path, cast, duration, window).map(Draft::Plain));
        }
        self.drafts_of_a_moment(want, path, in_time, &mut all);
        all.into_iter().collect()
    }

    fn unmoved(&mut self, unmoved: &At<UnmovedFile>, path: &Path<'_>, in_time: bool) -> Option<Draft> {
        let condition = match &unmoved.value {
            UnmovedFile::Plain(wanted) => Condition::Unmoved { wanted: *wanted, within: None },
            UnmovedFile::Within { within } => {
                Condition::Unmoved { wanted: true, within: Some(self.tolerance(within, path, 1.0)?) }
            }
        };
        match condition {
            condition if !in_time => Some(Draft::Plain(condition)),
            Condition::Unmoved { within: Some(within), .. } => {
                Some(Draft::Number(Signal::Moved, Grade::up_to(within, None, within)))
            }
            _ => {
                let help = "say how far it may move until then, as in unmoved = { within = 0.01 }";
                self.error(&unmoved.span, path, "this does not say what should be so at the time", help);
                None
            }
        }
    }

    /// What is judged at rest or at one time, and at no others.
    fn drafts_of_a_moment(&mut self, want: &WantFile, path: &Path<'_>, in_time: bool, all: &mut Vec<Option<Draft>>) {
        let spans = [
            want.face_up.as_ref().map(|face| &face.span),
            want.orientation.as_ref().map(|turn| &turn.span),
            want.velocity.as_ref().map(|pace| &pace.span),
        ];
        if let Some(span) = spans.into_iter().flatten().next().filter(|_| in_time) {
            let help = "give one time with `at`, or none for when it has come to rest";
            self.error(span, path, "this is judged at one time and not over a stretch", help);
            all.push(None);
            return;
        }
        if let Some(face_up) = &want.face_up {
            all.push(self.face_up(face_up, &path.key("face_up")).map(Draft::Plain));
        }
        if let Some(turned) = &want.orientation {
            let path = &path.key("orientation");
            let within = self.tolerance(&turned.value.within_degrees, &path.key("within_degrees"), 1f64.to_radians());
            let turn = self.certain_turn(&turned.value.like, &path.key("like"));
            let graded =
                turn.zip(within).map(|(turn, within)| Condition::Graded { measure: Measure::Turn(turn), within });
            all.push(graded.map(Draft::Plain));
        }
        if let Some(pace) = &want.velocity {
            let path = &path.key("velocity");
            let within = self.tolerance(&pace.value.within, &path.key("within"), 1.0);
            if want.at.is_none() {
                let help = "say when, as in at = 1.5";
                self.error(&pace.span, path, "what has come to rest has no velocity", help);
            }
            let velocity = Measure::Velocity(DVec3::from_array(pace.value.like.value));
            all.push(within.map(|within| Draft::Plain(Condition::Graded { measure: velocity, within })));
        }
    }

    /// A tolerance in some unit, above zero.
    pub(super) fn tolerance(&mut self, within: &At<f64>, path: &Path<'_>, unit: f64) -> Option<f64> {
        if within.value > 0.0 {
            return Some(within.value * unit);
        }
        let help = "say how far off is still good, as in within = 0.02";
        self.error(&within.span, path, "the tolerance of a want must be positive", help);
        None
    }

    fn inside(&mut self, inside: &InsideFile, path: &Path<'_>, cast: &Cast<'_>) -> Option<Condition> {
        let (region, within) = match inside {
            InsideFile::Box { edges, position, within } => {
                if edges.value.iter().any(|edge| *edge <= 0.0) {
                    self.error(
                        &edges.span,
                        &path.key("box"),
                        "an edge of a box must be positive",
                        "lengths are in metres",
                    );
                    return None;
                }
                let middle = position.as_ref().map_or(DVec3::ZERO, |position| position.value.into());
                let half = 0.5 * DVec3::from_array(edges.value);
                (RegionWant::Box { low: middle - half, high: middle + half }, within)
            }
            InsideFile::Sphere { sphere, position, within } => {
                if sphere.value <= 0.0 {
                    let message = "the radius of a sphere must be positive";
                    self.error(&sphere.span, &path.key("sphere"), message, "lengths are in metres");
                    return None;
                }
                let centre = position.as_ref().map_or(DVec3::ZERO, |position| position.value.into());
                (RegionWant::Ball { centre, radius: sphere.value }, within)
            }
            InsideFile::Body { body, within } => {
                (RegionWant::Around(self.any_of(body, &path.key("body"), cast)?), within)
            }
        };
        let within = match within {
            Some(within) => Some(self.tolerance(within, &path.key("within"), 1.0)?),
            None => None,
        };
        Some(Condition::Inside { region, within })
    }

    fn face_up(&mut self, face_up: &At<FaceUpFile>, path: &Path<'_>) -> Option<Condition> {
        let (face, within) = match &face_up.value {
            FaceUpFile::Face(face) => (face, None),
            FaceUpFile::Within { face, within_degrees } => (face, within_degrees.as_ref()),
        };
        let radians = 1f64.to_radians();
        let within = match within {
            Some(within) => self.tolerance(within, &path.key("within_degrees"), radians)?,
            None => LEAN * radians,
        };
        self.axis_of(face, &face_up.span, path).map(|axis| Condition::FaceUp { axis, within })
    }

    /// The axis of a side.
    pub(super) fn axis_of(&mut self, face: &FaceFile, span: &std::ops::Range<usize>, path: &Path<'_>) -> Option<DVec3> {
        let axis = match face {
            FaceFile::Pips(1) => Some(DVec3::Y),
            FaceFile::Pips(2) => Some(DVec3::Z),
            FaceFile::Pips(3) => Some(DVec3::X),
            FaceFile::Pips(4) => Some(DVec3::NEG_X),
            FaceFile::Pips(5) => Some(DVec3::NEG_Z),
            FaceFile::Pips(6) => Some(DVec3::NEG_Y),
            FaceFile::Pips(_) => None,
            FaceFile::Axis(axis) => match axis.as_str() {
                "+x" | "x" => Some(DVec3::X),
                "-x" => Some(DVec3::NEG_X),
                "+y" | "y" => Some(DVec3::Y),
                "-y" => Some(DVec3::NEG_Y),
                "+z" | "z" => Some(DVec3::Z),
                "-z" => Some(DVec3::NEG_Z),
                _ => None,
            },
        };
        if axis.is_none() {
            let help = "give the pips of a die, 1 to 6, or an axis of the shape: \"+x\", \"-x\", \"+y\", \"-y\", \"+z\", \"-z\"";
            self.error(span, path, "there is no such face", help);
        }
        axis
    }

    /// An orientation in which nothing is uncertain.
    fn certain_turn(&mut self, turn: &At<OrientationFile>, path: &Path<'_>) -> Option<glam::DQuat> {
        let certain = |number: &At<NumberFile>| matches!(number.value, NumberFile::Value(_));
        let all = match &turn.value {
            OrientationFile::Uniform(_) => false,
            OrientationFile::Axis { axis, degrees } => axis.value.iter().all(certain) && certain(degrees),
            OrientationFile::Euler { euler_degrees } => euler_degrees.value.iter().all(certain),
            OrientationFile::Quaternion(parts) => parts.iter().all(certain),
        };
        if !all {
            self.error(&turn.span, path, "a wanted orientation must be certain", "write numbers only");
            return None;
        }
        let plan = self.orientation(&mut LocalDensities::default(), turn, path, "orientation")?;
        plan.orientation(Values { all: &[], first: 0 })
    }

    fn hits(
        &mut self,
        hits: &HitsFile,
        path: &Path<'_>,
        cast: &Cast<'_>,
        duration: f64,
        window: (f64, f64),
    ) -> Option<Condition> {
        let (body, times, harder, before, at, within) = match hits {
            HitsFile::Body(body) => {
                (&At::new(BodiesFile::One(body.value.clone()), body.span.clone()), None, None, None, None, None)
            }
            HitsFile::When { body, at_least, at_most, harder, before, at, within } => {
                let times = (at_least.is_some() || at_most.is_some()).then_some((at_least, at_most));
                (body, times, harder.as_ref(), before.as_ref(), at.as_ref(), within.as_ref())
            }
        };
        let harder = match harder {
            Some(harder) if harder.value <= 0.0 => {
                let help = "an impulse in N s: the mass of what hits, times how much its speed changes";
                self.error(&harder.span, &path.key("harder"), "how hard a hit is must be positive", help);
                return None;
            }
            harder => harder.map(|harder| harder.value),
        };
        let other = self.any_of(body, &path.key("body"), cast)?;
        let before = match before {
            Some(third) => Some(self.any_of(third, &path.key("before"), cast)?),
            None => None,
        };
        let number = |count: &Option<At<u64>>| count.as_ref().map(|count| count.value as usize);
        let times = times.map(|(least, most)| (number(least).unwrap_or(0), number(most).unwrap_or(usize::MAX)));
        if let Some((least, most)) = times
            && (least > most || at.is_some())
        {
            let help = "write { body = \"cushions\", at_least = 2 }, without `at`";
            self.error(&body.span, path, "so many hits cannot be counted", help);
            return None;
        }
        let at = match (at, within) {
            (None, None) => None,
            (Some(at), Some(within)) if (0.0..=duration).contains(&at.value) => {
                Some((at.value, self.tolerance(within, &path.key("within"), 1.0)?))
            }
            (Some(at), Some(_)) => {
                let help = format!("give a time from 0 to the duration of the scene, {duration} s");
                self.error(&at.span, &path.key("at"), "the time of a want lies outside of the scene", &help);
                return None;
            }
            (Some(one), None) | (None, Some(one)) => {
                let help = "write { body = \"drum\", at = 1.5, within = 0.02 }";
                self.error(&one.span, path, "`at` and `within` of a hit belong together", help);
                return None;
            }
        };
        let times = times.unwrap_or((1, usize::MAX));
        Some(Condition::Hits(HitsPlan { other, times, before, at, harder, window, last: duration }))
    }
}

/// Where a want that names nobody is.
fn want_span(want: &WantFile) -> std::ops::Range<usize> {
    let spans = [
        want.name.as_ref().map(|at| &at.span),
        want.near.as_ref().map(|at| &at.span),
        want.inside.as_ref().map(|at| &at.span),
        want.face_up.as_ref().map(|at| &at.span),
        want.upright.as_ref().map(|at| &at.span),
        want.unmoved.as_ref().map(|at| &at.span),
        want.orientation.as_ref().map(|at| &at.span),
        want.velocity.as_ref().map(|at| &at.span),
        want.hits.as_ref().map(|at| &at.span),
        want.on.as_ref().map(|at| &at.span),
        want.touches.as_ref().map(|at| &at.span),
        want.faces.as_ref().map(|at| &at.span),
        want.speed.as_ref().map(|at| &at.span),
        want.spin.as_ref().map(|at| &at.span),
        want.passes.as_ref().map(|at| &at.span),
        want.on_screen.as_ref().map(|at| &at.span),
        want.between.as_ref().map(|at| &at.span),
        want.before.as_ref().map(|at| &at.span),
        want.after.as_ref().map(|at| &at.span),
        want.at.as_ref().map(|at| &at.span),
        want.weight.as_ref().map(|at| &at.span),
    ];
    spans.into_iter().flatten().next().map_or(0..0, Clone::clone)
}

/// All bodies and groups that a want is about, by name.
fn names(want: &WantFile) -> Vec<&str> {
    let own = want.body.iter().flat_map(|bodies| bodies.value.list()).map(String::as_str);
    let inner = want.of.iter().chain(&want.then).chain(want.not.as_deref());
    own.chain(inner.flat_map(names)).collect()
}
