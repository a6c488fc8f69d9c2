//! Wants about stretches of time, relations, openings and pictures.

use std::collections::BTreeMap;

use glam::DVec3;
use proscenium_view::Camera;

use crate::file::{
    At, BodiesFile, CameraFile, FaceFile, HitsFile, NearFile, OnScreenFile, PassesFile, PlaceFile, SpeedFile, WantFile,
};
use crate::report::Path;
use crate::want::{
    Condition, Event, FALLEN, Gate, Grade, LIES, Opening, Order, RegionWant, Signal, Step, Subject, TOUCHES, Watch,
};

use super::Checker;
use super::want::Cast;

/// How far a side may point elsewhere that faces something, degrees.
const FACING: f64 = 20.0;
/// A miss of an opening by this, metres, is half a miss, where it has no size of its own.
const NEAR: f64 = 0.1;
/// The angle from the lower to the upper edge of a picture, degrees.
const FOV: f64 = 40.0;
const ASPECT: f64 = 16.0 / 9.0;
/// Out of a picture by this share of it is half a miss.
const NEAR_SCREEN: f64 = 0.25;

/// Parts of a picture: left, top, right and bottom.
const PARTS: &[(&str, [f64; 4])] = &[
    ("left third", [0.0, 0.0, 1.0 / 3.0, 1.0]),
    ("middle third", [1.0 / 3.0, 0.0, 2.0 / 3.0, 1.0]),
    ("right third", [2.0 / 3.0, 0.0, 1.0, 1.0]),
    ("top third", [0.0, 0.0, 1.0, 1.0 / 3.0]),
    ("bottom third", [0.0, 2.0 / 3.0, 1.0, 1.0]),
    ("left half", [0.0, 0.0, 0.5, 1.0]),
    ("right half", [0.5, 0.0, 1.0, 1.0]),
    ("top half", [0.0, 0.0, 1.0, 0.5]),
    ("bottom half", [0.0, 0.5, 1.0, 1.0]),
];

/// When something should be so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum When {
    /// Whenever it has come to rest.
    Rest,
    At(f64),
    /// At some time of a stretch, or happen then.
    Sometime(f64, f64),
    /// Throughout a stretch.
    Always(f64, f64),
}

impl When {
    /// The stretch in which something may happen.
    pub(super) fn window(self, duration: f64) -> (f64, f64) {
        match self {
            Self::Sometime(from, until) | Self::Always(from, until) => (from, until),
            Self::Rest | Self::At(_) => (0.0, duration),
        }
    }
}

/// A condition, before it is known which body it is about.
#[derive(Clone, Debug)]
pub(super) enum Draft {
    Plain(Condition),
    /// A number that should be small.
    Number(Signal, Grade),
    /// Something that happens at a moment, how often, and how far from it is half a miss.
    Happens(Subject, (usize, usize), f64),
}

impl Checker<'_, '_> {
    pub(super) fn cameras(&mut self, cameras: &[CameraFile]) -> BTreeMap<String, Camera> {
        let mut all = BTreeMap::new();
        let section = Path::ROOT;
        let section = section.key("camera");
        for (index, file) in cameras.iter().enumerate() {
            let path = &section.index(index).of("camera", &file.name.value);
            let fov = file.fov_degrees.as_ref().map_or(FOV, |fov| fov.value).to_radians();
            let aspect = file.aspect.as_ref().map_or(ASPECT, |aspect| aspect.value);
            let (eye, target) = (DVec3::from_array(file.position.value), DVec3::from_array(file.target.value));
            match Camera::look_at(eye, target, fov, aspect) {
                Ok(camera) => {
                    if all.insert(file.name.value.clone(), camera).is_some() {
                        let message = format!("there is a camera \"{}\" already", file.name.value);
                        self.error(&file.name.span, path, message, "give every camera a name of its own");
                    }
                }
                Err(error) => {
                    let help = "as in position = [0, 1, 2], target = [0, 0, 0], fov_degrees = 40, aspect = 1.78";
                    self.error(&file.name.span, path, format!("this camera sees nothing: {error}"), help);
                }
            }
        }
        all
    }

    /// When a want is about.
    pub(super) fn when(&mut self, want: &WantFile, path: &Path<'_>, duration: f64) -> Option<When> {
        let within = 0.0..=duration;
        let times = [
            (&want.at, "at", within.contains(&want.at.as_ref().map_or(0.0, |at| at.value))),
            (&want.before, "before", within.contains(&want.before.as_ref().map_or(0.0, |at| at.value))),
            (&want.after, "after", within.contains(&want.after.as_ref().map_or(0.0, |at| at.value))),
        ];
        let help = format!("give a time from 0 to the duration of the scene, {duration} s");
        for (time, key, is_right) in &times {
            if let Some(time) = time.as_ref().filter(|_| !is_right) {
                self.error(&time.span, &path.key(key), "the time of a want lies outside of the scene", &help);
                return None;
            }
        }
        let value = |time: &Option<At<f64>>| time.as_ref().map(|time| time.value);
        let stretch = match &want.between {
            Some(between) => {
                let [from, until] = between.value;
                if !(within.contains(&from) && within.contains(&until) && from <= until) {
                    let message = "the times of a want lie outside of the scene, or the later one comes first";
                    self.error(&between.span, &path.key("between"), message, &help);
                    return None;
                }
                if want.before.is_some() || want.after.is_some() {
                    let help = "keep `between`, or `after` and `before`";
                    self.error(&between.span, path, "when a want is about is said in one way", help);
                    return None;
                }
                Some((from, until))
            }
            None if want.before.is_some() || want.after.is_some() => {
                Some((value(&want.after).unwrap_or(0.0), value(&want.before).unwrap_or(duration)))
            }
            None => None,
        };
        let always = want.always.as_ref().filter(|always| always.value);
        match (&want.at, stretch, always) {
            (Some(at), None, None) => Some(When::At(at.value)),
            (Some(at), _, _) => {
                let help = "keep `at`, or say from when to when";
                self.error(&at.span, path, "when a want is about is said in one way", help);
                None
            }
            (None, Some((from, until)), _) if from > until => {
                let span = want.after.as_ref().map_or(0..0, |after| after.span.clone());
                self.error(&span, &path.key("after"), "this stretch of time is empty", &help);
                None
            }
            (None, Some((from, until)), Some(_)) => Some(When::Always(from, until)),
            (None, Some((from, until)), None) => Some(When::Sometime(from, until)),
            (None, None, Some(_)) => Some(When::Always(0.0, duration)),
            (None, None, None) => Some(When::Rest),
        }
    }

    /// The condition of a draft for a body.
    pub(super) fn condition_for(&mut self, draft: &Draft, body: usize, when: When, duration: f64) -> Condition {
        let window = when.window(duration);
        let until = window.1;
        match draft {
            Draft::Plain(condition) => condition.clone(),
            Draft::Number(signal, grade) if matches!(when, When::Rest | When::At(_)) => {
                Condition::Measured { signal: signal.clone(), grade: *grade }
            }
            Draft::Number(signal, grade) => {
                let watch = self.watch(Watch { body, subject: Subject::Number(signal.clone()), window });
                let always = matches!(when, When::Always(..));
                Condition::Watched { watch, always, grade: *grade, turned: signal.asks_for_turn(), until }
            }
            Draft::Happens(subject, times, scale) => {
                let watch = self.watch(Watch { body, subject: subject.clone(), window });
                Condition::Happens { watch, times: *times, scale: *scale, until }
            }
        }
    }

    fn watch(&mut self, watch: Watch) -> usize {
        self.watches.push(watch);
        self.watches.len() - 1
    }

    /// What a want says beside what is judged at rest.
    pub(super) fn relations(
        &mut self,
        want: &WantFile,
        path: &Path<'_>,
        cast: &Cast<'_>,
        drafts: &mut Vec<Option<Draft>>,
    ) {
        let number = |signal: Option<Signal>, grade: Grade| signal.map(|signal| Draft::Number(signal, grade));
        let touching = Grade::up_to(TOUCHES, None, 1.0);
        if let Some(on) = &want.on {
            drafts.push(number(self.any_of(on, &path.key("on"), cast).map(Signal::On), touching));
        }
        if let Some(touches) = &want.touches {
            drafts.push(number(self.any_of(touches, &path.key("touches"), cast).map(Signal::Gap), touching));
        }
        if let Some(faces) = &want.faces {
            let path = &path.key("faces");
            let faces = &faces.value;
            let radians = 1f64.to_radians();
            let within = match &faces.within_degrees {
                Some(within) => self.tolerance(within, &path.key("within_degrees"), radians),
                None => Some(FACING * radians),
            };
            let face = faces.face.clone().unwrap_or(FaceFile::Axis("+z".to_owned()));
            let axis = self.axis_of(&face, &faces.body.span, path);
            let others = self.any_of(&faces.body, &path.key("body"), cast);
            let signal = others.zip(axis).map(|(others, axis)| Signal::Facing { others, axis });
            drafts.push(within.and_then(|within| number(signal, Grade::up_to(within, None, within))));
        }
        for (speed, key, spin) in [(&want.speed, "speed", false), (&want.spin, "spin", true)] {
            if let Some(speed) = speed {
                drafts.push(self.speed(speed, &path.key(key), spin));
            }
        }
        if let Some(passes) = &want.passes {
            drafts.push(self.passes(passes, &path.key("passes"), cast));
        }
        if let Some(on_screen) = &want.on_screen {
            drafts.push(self.on_screen(&on_screen.value, &path.key("on_screen"), cast));
        }
    }

    /// Where a body should be near.
    pub(super) fn near(&mut self, near: &NearFile, path: &Path<'_>, cast: &Cast<'_>) -> Option<Draft> {
        let path = &path.key("near");
        let (signal, within) = match near {
            NearFile::Place { position, within } => {
                let signal = match position.value {
                    PlaceFile::Space(place) => Signal::Place { place: place.into(), level: false },
                    PlaceFile::Ground([x, z]) => Signal::Place { place: DVec3::new(x, 0.0, z), level: true },
                };
                (Some(signal), within)
            }
            NearFile::Body { body, within } => {
                (self.any_of(body, &path.key("body"), cast).map(Signal::Distance), within)
            }
        };
        let within = self.tolerance(within, &path.key("within"), 1.0)?;
        Some(Draft::Number(signal?, Grade::near(within)))
    }

    /// A region in which a body should be at some time, or always.
    pub(super) fn region_in_time(region: RegionWant, within: Option<f64>) -> Draft {
        let scale = match &region {
            RegionWant::Box { low, high } => 0.5 * (*high - *low).min_element(),
            RegionWant::Ball { radius, .. } => *radius,
            RegionWant::Around(_) => NEAR,
        };
        Draft::Number(Signal::Outside(region), Grade::up_to(0.0, within, scale))
    }

    /// Standing, or having fallen over, at some time or always.
    pub(super) fn upright_in_time(upright: bool, when: When) -> Draft {
        match (upright, when) {
            (true, _) => Draft::Number(Signal::Lean, Grade::up_to(FALLEN, None, FALLEN)),
            (false, When::Always(..)) => Draft::Number(Signal::Standing, Grade::up_to(0.0, None, LIES)),
            (false, _) => Draft::Happens(Subject::Falls, (1, usize::MAX), LIES),
        }
    }

    fn speed(&mut self, speed: &At<SpeedFile>, path: &Path<'_>, spin: bool) -> Option<Draft> {
        let value = |limit: &Option<At<f64>>| limit.as_ref().map(|limit| limit.value);
        let (least, most) = (value(&speed.value.at_least), value(&speed.value.at_most));
        let range = (least.unwrap_or(0.0), most.unwrap_or(f64::INFINITY));
        let is_right = (least.is_some() || most.is_some()) && range.0 >= 0.0 && range.0 <= range.1;
        if !is_right {
            let help = "write { at_least = 2.0 }, { at_most = 0.2 } or both, zero or more, the lower first";
            self.error(&speed.span, path, "these are no limits of a speed", help);
            return None;
        }
        let within = match &speed.value.within {
            Some(within) => Some(self.tolerance(within, &path.key("within"), 1.0)?),
            None => None,
        };
        let scale = if range.0 > 0.0 { range.0 } else { range.1.max(0.01) };
        Some(Draft::Number(Signal::Speed { spin, range }, Grade::up_to(0.0, within, scale)))
    }

    fn passes(&mut self, passes: &At<PassesFile>, path: &Path<'_>, cast: &Cast<'_>) -> Option<Draft> {
        let (span, passes) = (&passes.span, &passes.value);
        let help = "write \"hoop\", the name of a body; { ring = 0.2, position = [0, 1, 0], direction = [1, 0, 0] }; \
                    or { plane = [0, 0, 1], position = [0, 0, 2] }";
        let unit = |vector: &At<[f64; 3]>| DVec3::from_array(vector.value).try_normalize();
        let centre = passes.position.as_ref().map_or(DVec3::ZERO, |position| position.value.into());
        let direction = match &passes.direction {
            Some(direction) => match unit(direction) {
                Some(direction) => Some(direction),
                None => {
                    self.error(&direction.span, &path.key("direction"), "a direction needs a length", help);
                    return None;
                }
            },
            None => None,
        };
        let (opening, scale) = match (&passes.body, &passes.ring, &passes.plane) {
            (Some(body), None, None) if passes.position.is_none() => {
                let places = self.places(&body.value, &body.span, &path.key("body"), cast)?;
                let [place] = places[..] else {
                    let message = format!("\"{}\" stands for several bodies", body.value);
                    self.error(&body.span, path, message, "name the one that is passed");
                    return None;
                };
                (Opening::Body { body: place, direction }, NEAR)
            }
            (None, Some(ring), None) if ring.value > 0.0 && direction.is_some() => {
                let normal = direction.unwrap_or(DVec3::X);
                let (across, along) = normal.any_orthonormal_pair();
                let half = Some([ring.value * across, ring.value * along]);
                (Opening::Given(Gate { centre, normal, either_way: false, half }), ring.value)
            }
            (None, None, Some(plane)) if passes.direction.is_none() && unit(plane).is_some() => {
                let normal = unit(plane).unwrap_or(DVec3::X);
                (Opening::Given(Gate { centre, normal, either_way: false, half: None }), NEAR)
            }
            _ => {
                self.error(span, path, "this is nothing that could be passed", help);
                return None;
            }
        };
        let times = self.times(&passes.at_least, &passes.at_most, span, path)?;
        Some(Draft::Happens(Subject::Passes(opening), times, scale))
    }

    /// How often something should happen: once or more if nothing is said.
    fn times(
        &mut self,
        least: &Option<At<u64>>,
        most: &Option<At<u64>>,
        span: &std::ops::Range<usize>,
        path: &Path<'_>,
    ) -> Option<(usize, usize)> {
        let number = |count: &Option<At<u64>>| count.as_ref().map(|count| count.value as usize);
        let (least, most) = (number(least), number(most));
        let times = (least.unwrap_or(usize::from(most.is_none())), most.unwrap_or(usize::MAX));
        if times.0 > times.1 {
            self.error(span, path, "it cannot happen so often", "ask for at least fewer, or at most more");
            return None;
        }
        Some(times)
    }

    fn on_screen(&mut self, on_screen: &OnScreenFile, path: &Path<'_>, cast: &Cast<'_>) -> Option<Draft> {
        let name = &on_screen.camera;
        let Some(camera) = cast.cameras.get(&name.value) else {
            let names: Vec<&str> = cast.cameras.keys().map(String::as_str).collect();
            let help = match names.is_empty() {
                true => "add one: [[camera]] with name, position and target".to_owned(),
                false => format!("the cameras are: {}", names.join(", ")),
            };
            self.error(&name.span, &path.key("camera"), format!("there is no camera \"{}\"", name.value), &help);
            return None;
        };
        let part = match &on_screen.part {
            None => [0.0, 0.0, 1.0, 1.0],
            Some(part) => match PARTS.iter().find(|(words, _)| *words == part.value) {
                Some((_, part)) => *part,
                None => {
                    let known: Vec<&str> = PARTS.iter().map(|(words, _)| *words).collect();
                    let help = format!("the parts of a picture are: {}", known.join(", "));
                    self.error(&part.span, &path.key("part"), format!("a picture has no \"{}\"", part.value), &help);
                    return None;
                }
            },
        };
        let within = match &on_screen.within {
            Some(within) => Some(self.tolerance(within, &path.key("within"), 1.0)?),
            None => None,
        };
        let signal = Signal::OffScreen { camera: Box::new(*camera), part };
        Some(Draft::Number(signal, Grade::up_to(0.0, within, NEAR_SCREEN)))
    }

    /// Wants that happen one after the other.
    pub(super) fn order(
        &mut self,
        want: &WantFile,
        path: &Path<'_>,
        cast: &Cast<'_>,
        duration: f64,
    ) -> Option<Option<Order>> {
        if want.then.is_empty() {
            return Some(None);
        }
        let window = self.when(want, path, duration)?.window(duration);
        let here = &path.key("then");
        let mut steps = Vec::new();
        for (index, step) in want.then.iter().enumerate() {
            steps.push(self.step(step, &here.index(index), cast, window));
        }
        Some(Some(Order { steps: steps.into_iter().collect::<Option<_>>()?, window }))
    }

    fn step(&mut self, want: &WantFile, path: &Path<'_>, cast: &Cast<'_>, window: (f64, f64)) -> Option<Step> {
        let alone = WantFile { body: None, hits: None, passes: None, upright: None, ..want.clone() };
        let is_alone = alone == WantFile::default();
        let none: Option<At<BodiesFile>> = None;
        let (names, subject) = match (&want.body, &want.hits, &want.passes, &want.upright) {
            (Some(names), Some(hits), None, None) if is_alone => {
                let plain = match &hits.value {
                    HitsFile::Body(body) => {
                        Some((At::new(BodiesFile::One(body.value.clone()), body.span.clone()), None))
                    }
                    HitsFile::When { body, at_least: None, at_most: None, harder, before: None, at: None, .. } => {
                        Some((body.clone(), harder.as_ref().map(|harder| harder.value)))
                    }
                    HitsFile::When { .. } => None,
                };
                let Some((body, harder)) = plain else {
                    let help = "keep the bodies, and how hard";
                    self.error(&hits.span, path, "the order says when and how often", help);
                    return None;
                };
                let other = self.any_of(&body, &path.key("hits"), cast)?;
                let bodies = self.bodies_named(names, &path.key("body"), cast, false)?;
                return Some(Step { bodies, event: Event::Hits { other, harder } });
            }
            (Some(names), None, Some(passes), None) if is_alone => {
                (names, self.passes(passes, &path.key("passes"), cast)?)
            }
            (Some(names), None, None, Some(upright)) if is_alone && !upright.value => {
                (names, Draft::Happens(Subject::Falls, (1, usize::MAX), LIES))
            }
            (names, ..) => {
                let span = names.as_ref().or(none.as_ref()).map_or(0..0, |names| names.span.clone());
                let help = "each is { body = …, hits = … }, { body = …, passes = … } or { body = …, upright = false }";
                self.error(&span, path, "only what hits, passes or falls has a moment", help);
                return None;
            }
        };
        let Draft::Happens(subject, _, scale) = subject else {
            return None;
        };
        let falls = matches!(subject, Subject::Falls);
        let bodies = self.bodies_named(names, &path.key("body"), cast, falls)?;
        let watches = bodies.iter().map(|body| self.watch(Watch { body: *body, subject: subject.clone(), window }));
        let watches = watches.collect();
        Some(Step { bodies, event: Event::Watched { watches, scale } })
    }
}
