//! Part of a found animation, given for others: a stretch of it that is kept, or what is
//! held of it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use glam::DQuat;
use proscenium_chance::Seed;
use proscenium_diagnostics::nearest;
use proscenium_direct::{Abandon, Condition, DirectError, Freedom, Model as _, Point};
use proscenium_rigid::{Take, World, WorldBuilder};
use proscenium_work::{Completion, Progress};

use super::reads::{Reads, reads};
use super::run::{BLOCK, Failure};
use super::{DirectedScene, Outcome, Symmetry};
use crate::drawn::DrawnScene;
use crate::error::SceneErrors;

/// So many draws of what is free are compared with the animation, to tell whether any of it
/// still matters.
const LOOKS: u64 = 64;
const WAYS_ON: &str = "push a body at that time (--push BODY=0.02: another world, with a push that has a density), \
                       or draw everything anew and want it near the kept path (--near 0.05: a want, met by what \
                       happens to come that way)";

/// An animation that was found, with the names of what is uncertain in it: part of it can be
/// given for others, also of a scene that has other wants or pushes.
#[derive(Clone, Debug)]
pub struct FoundAnimation {
    variables: BTreeMap<String, f64>,
    groups: BTreeMap<String, bool>,
    outcome: Outcome,
}

impl FoundAnimation {
    /// What came of it.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Wants that are met by what stays near the path of this animation until a time: for
    /// each of some bodies, and eight moments, its place within so many metres.
    pub fn path_wants(&self, bodies: &[String], until: f64, within: f64) -> Vec<String> {
        const MOMENTS: u32 = 8;
        let moments = (1..=MOMENTS).map(|k| until * f64::from(k) / f64::from(MOMENTS));
        let all = moments.flat_map(|time| bodies.iter().map(move |body| (time, body)));
        let want = |(time, body): (f64, &String)| {
            let [x, y, z] = self.outcome.pose(body, time)?.translation.to_array();
            Some(format!(
                "{{ body = {body:?}, near = {{ position = [{x:?}, {y:?}, {z:?}], within = {within:?} }}, at = {time:?} }}"
            ))
        };
        all.filter_map(want).collect()
    }
}

/// The stretch that all animations have in common.
pub(super) struct KeptStretch {
    until: f64,
    drawn: DrawnScene,
    /// Whether it is not simulated again.
    reuse: bool,
    take: OnceLock<Option<Take>>,
}

impl KeptStretch {
    fn new(drawn: DrawnScene, until: f64) -> Self {
        Self { until, drawn, reuse: true, take: OnceLock::new() }
    }

    pub(super) fn with_reuse(self, reuse: bool) -> Self {
        Self { reuse, ..self }
    }

    /// Whether the same bodies enter until then, and the same pushes are done: of what comes
    /// later it is given that it does.
    pub(super) fn agrees_with(&self, drawn: &DrawnScene) -> bool {
        let enters = |time: &f64| (*time <= self.until).then_some(time.to_bits());
        let early = |drawn: &DrawnScene| drawn.entries().map(|time| enters(&time)).collect::<Vec<_>>();
        let pushes = |drawn: &DrawnScene| drawn.pushes().filter(|(_, (at, _))| *at < self.until).collect::<Vec<_>>();
        early(drawn) == early(&self.drawn) && pushes(drawn) == pushes(&self.drawn)
    }

    /// Why an animation that does not agree cannot be.
    pub(super) fn refusal(&self) -> String {
        format!("before {} s it is another than the one that is kept", self.until)
    }

    /// The world where the stretch ends, to go on from; `None` if it has to be simulated.
    pub(super) fn begun(
        &self,
        drawn: &DrawnScene,
        builder: WorldBuilder,
        progress: &Progress,
    ) -> Result<Option<World>, Failure> {
        if !self.reuse || self.drawn.pushes().any(|(_, (at, _))| at < self.until) {
            return Ok(None);
        }
        if self.take.get().is_none() {
            let taken = Take::record_watched(self.drawn.builder()?, self.until, BLOCK, progress)?;
            let taken = taken.finished().ok_or(Abandon::Stopped)?;
            // Whoever was first has recorded the same.
            let _ = self.take.set(Some(taken));
        }
        let Some(take) = self.take.get().and_then(Option::as_ref) else {
            return Ok(None);
        };
        match take.onward(builder.recording())? {
            Some(world) => Ok(Some(drawn.pushed(world, self.until)?)),
            None => Ok(None),
        }
    }
}

impl DirectedScene {
    /// An animation of the scene, by its point: for part of it to be given for others.
    ///
    /// # Errors
    ///
    /// A point of another space.
    pub fn found(&self, point: &Point, progress: &Progress) -> Result<Completion<FoundAnimation>, DirectError> {
        let space = self.space();
        Ok(self.outcome(point, progress)?.map(|evaluation| FoundAnimation {
            variables: space
                .variables()
                .filter(|variable| space.exists(point, *variable))
                .map(|variable| (space.variable_name(variable).to_owned(), point.whitened()[variable.index()]))
                .collect(),
            groups: space
                .groups()
                .map(|group| (space.group_name(group).to_owned(), point.active()[group.index()]))
                .collect(),
            outcome: evaluation.outcome,
        }))
    }

    /// The same scene, of whose animations those are wanted that are one until a time and
    /// what was not read by then is drawn anew.
    ///
    /// # Errors
    ///
    /// A time that is not within the scene, an animation that the scene does not have, and
    /// one of which nothing is left to be drawn.
    pub fn keeping(
        self,
        found: &FoundAnimation,
        until: f64,
        progress: &Progress,
    ) -> Result<Completion<Self>, SceneErrors> {
        let duration = self.scene.duration();
        if !(until > 0.0 && until < duration) {
            let message = format!("an animation of {duration} s cannot be kept until {until} s");
            return Err(SceneErrors::plain(message, "give a time after its beginning and before its end, seconds"));
        }
        let point = self.point_of(found);
        let drawn = self.drawn_with(&self.space.values(&point));
        let read = match read_until(&drawn, until, progress)? {
            Completion::Finished(read) => read,
            Completion::Stopped => return Ok(Completion::Stopped),
        };
        let mut freedom = vec![Freedom::Anew; self.space.variables().len()];
        for (time, (id, _)) in read.variables.iter().zip(&self.sources) {
            if let Some(id) = id.filter(|_| *time <= until) {
                freedom[id.index()] = Freedom::Held;
            }
        }
        let held = self.optional.iter().filter(|(place, _)| read.bodies[*place] <= until);
        let held: Vec<_> = held.map(|(_, group)| *group).collect();
        let nothing_left = |error: DirectError| SceneErrors::plain(error.to_string(), "");
        let given = Condition::new(&self.space, point, freedom).map_err(nothing_left)?;
        let given = given.holding(held).kept_until(until).with_own(turns_of(found));
        if !self.left(&given).map_err(nothing_left)? {
            let message =
                format!("everything that is uncertain was read before {until} s: nothing is left to be drawn anew");
            return Err(SceneErrors::plain(message, WAYS_ON));
        }
        let kept = self.given(given).map_err(nothing_left)?;
        Ok(match kept.differ(progress).map_err(nothing_left)? {
            Completion::Stopped => Completion::Stopped,
            Completion::Finished(true) => Completion::Finished(kept),
            Completion::Finished(false) => {
                let message = format!(
                    "nothing is left that matters: what was not read before {until} s made no difference in {LOOKS} draws"
                );
                return Err(SceneErrors::plain(message, WAYS_ON));
            }
        })
    }

    /// Whether draws of what is free come to anything else than the animation itself.
    fn differ(&self, progress: &Progress) -> Result<Completion<bool>, DirectError> {
        let Some(given) = self.what_is_given() else {
            return Ok(Completion::Finished(true));
        };
        let Completion::Finished(own) = self.outcome(given.point(), progress)? else {
            return Ok(Completion::Stopped);
        };
        let ends = |outcome: &Outcome| {
            let (recording, ids) = (outcome.recording(), &outcome.ran().ids);
            let last = ids.iter().map(|id| recording.flights(*id).last().map(|flight| *flight.initial()));
            (recording.contacts.len(), last.collect::<Vec<_>>())
        };
        let (known, stream) = (ends(&own.outcome), Seed(0).stream("kept differ"));
        for index in 0..LOOKS {
            let point = self.space.draw(&mut stream.at(index));
            let Completion::Finished(drawn) = self.outcome(&point, progress)? else {
                return Ok(Completion::Stopped);
            };
            if drawn.outcome.refusal().is_none() && ends(&drawn.outcome) != known {
                return Ok(Completion::Finished(true));
            }
        }
        Ok(Completion::Finished(false))
    }

    /// The same scene, of whose animations those are wanted that have what is held of one:
    /// chains begin there. What may move little stays within so many standard deviations of
    /// what it is. Names are those of variables, of bodies, of parts of them
    /// (`ball.velocity`), or have a `*` in them.
    ///
    /// # Errors
    ///
    /// A name of nothing that is uncertain, a reach that is not positive, and nothing left
    /// that may move.
    pub fn like(
        self,
        found: &FoundAnimation,
        held: &[String],
        little: &[String],
        reach: f64,
    ) -> Result<Self, SceneErrors> {
        let space = &self.space;
        let mut freedom = vec![Freedom::Anew; space.variables().len()];
        let mut groups = Vec::new();
        // What is held is held, whatever else is said of it.
        for (names, how) in [(little, Freedom::Little(reach)), (held, Freedom::Held)] {
            for name in names {
                let variables = space.variables().filter(|variable| is_of(space.variable_name(*variable), name));
                let variables: Vec<_> = variables.collect();
                let optional = self.optional.iter().map(|(_, group)| *group);
                let named: Vec<_> = optional.filter(|group| is_of(space.group_name(*group), name)).collect();
                if variables.is_empty() && named.is_empty() {
                    return Err(self.unknown(name));
                }
                variables.into_iter().for_each(|variable| freedom[variable.index()] = how);
                groups.extend(named);
            }
        }
        let explained = |error: DirectError| SceneErrors::plain(error.to_string(), "");
        let given = Condition::new(space, self.point_of(found), freedom).map_err(explained)?;
        let given = given.holding(groups).beginning_there().with_own(turns_of(found));
        if !self.left(&given).map_err(explained)? {
            return Err(SceneErrors::plain("everything that is uncertain is held", "let something move"));
        }
        self.given(given).map_err(explained)
    }

    /// The same scene where something of an animation is given, as a record has it.
    ///
    /// # Errors
    ///
    /// What is given of another scene.
    pub fn given(mut self, given: Condition) -> Result<Self, DirectError> {
        let (turns, bodies) = (given.own().as_chunks::<4>().0, self.scene.body_count());
        if given.own().len() != 4 * turns.len() || !(turns.is_empty() || turns.len() == bodies) {
            return Err(DirectError::OtherSpace { what: "turns of bodies", found: turns.len(), expected: bodies });
        }
        let turns = turns.iter().map(|turn| DQuat::from_array(*turn)).collect();
        self.space = std::mem::take(&mut self.space).given(given.clone())?;
        self.symmetry = Arc::new(Symmetry::given(self.scene.plan(), turns));
        let kept = |until| KeptStretch::new(self.drawn_with(&self.space.values(given.point())), until);
        self.kept = given.until().map(kept);
        Ok(self)
    }

    /// What is given of an animation, if something is.
    pub fn what_is_given(&self) -> Option<&Condition> {
        self.space.what_is_given()
    }

    /// The names of what is drawn anew, and of what may move little.
    pub fn left_free(&self) -> impl Iterator<Item = (&str, Freedom)> {
        let all = self.space.variables().map(|id| (self.space.variable_name(id), self.space.freedom(id)));
        all.filter(|(_, freedom)| *freedom != Freedom::Held)
    }

    /// Whether anything is left that may change.
    fn left(&self, given: &Condition) -> Result<bool, DirectError> {
        let space = self.space.clone().given(given.clone())?;
        let free = space.variables().any(|variable| space.is_free(given.point(), variable));
        Ok(free || space.optional_groups().next().is_some())
    }

    /// The point of an animation in this scene, which may have more that is uncertain.
    fn point_of(&self, found: &FoundAnimation) -> Point {
        let space = &self.space;
        let group = |group| found.groups.get(space.group_name(group)).copied().unwrap_or(true);
        let active: Vec<bool> = space.groups().map(group).collect();
        let value = |variable| {
            let known = found.variables.get(space.variable_name(variable)).copied().unwrap_or(0.0);
            if active[space.group_of(variable).index()] { known } else { 0.0 }
        };
        let whitened = space.variables().map(value).collect();
        Point::new(whitened, active)
    }

    fn unknown(&self, name: &str) -> SceneErrors {
        let space = &self.space;
        let groups = self.optional.iter().map(|(_, group)| space.group_name(*group));
        let variables: Vec<&str> = space.variables().map(|variable| space.variable_name(variable)).collect();
        let bodies = variables.iter().filter_map(|name| name.split_once('.').map(|(body, _)| body));
        let help = match nearest(name, variables.iter().copied().chain(bodies).chain(groups)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "name a variable, or a body of which something is uncertain".to_owned(),
        };
        SceneErrors::plain(format!("nothing that is uncertain is called \"{name}\""), help)
    }
}

/// Whether a variable or a group is meant by a name: its own, that of what it is part of, of
/// a body with copies, or a pattern.
fn is_of(full: &str, name: &str) -> bool {
    if let Some((before, after)) = name.split_once('*') {
        let fits = full.len() + 1 >= name.len() && full.starts_with(before) && full.ends_with(after);
        return fits || full.split_once('.').is_some_and(|(body, _)| is_of(body, name));
    }
    let copy = |body: &str| {
        body.strip_prefix(name).and_then(|rest| rest.strip_prefix('-')).is_some_and(|n| n.parse::<usize>().is_ok())
    };
    let rest = full.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) || full.split('.').next().is_some_and(copy)
}

/// How the bodies of an animation are shown, as a record has it.
fn turns_of(found: &FoundAnimation) -> Vec<f64> {
    found.outcome.ran().turns.iter().flat_map(|turn| turn.to_array()).collect()
}

/// What was read until a time.
fn read_until(drawn: &DrawnScene, until: f64, progress: &Progress) -> Result<Completion<Reads>, SceneErrors> {
    let (builder, placed) = drawn.prepared()?;
    let mut world = drawn.built(builder.recording())?;
    let advanced = world.advance_watched(until, progress).map_err(|error| crate::simulate::explain(drawn, &error))?;
    Ok(match advanced {
        Completion::Stopped => Completion::Stopped,
        Completion::Finished(_) => {
            let recording = world.into_recording().unwrap_or_default();
            Completion::Finished(reads(drawn, &placed, &recording))
        }
    })
}
