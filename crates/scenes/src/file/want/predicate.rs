//! What a sentence says of a body: the words behind its verb.

use super::more::{FacesFile, OnScreenFile, PassesFile, SpeedFile};
use super::sentence::{Word, bodies, joined, number, span, texts, whole};
use super::{At, FaceFile, FaceUpFile, HitsFile, InsideFile, NearFile, PlaceFile, UnmovedFile, WantFile};

pub(super) const NOT_UNDERSTOOD: &str = "write one of: BODY shows 6; BODY rests near X Y Z within R (or X Z, or OTHER); \
     BODY rests in OTHER; BODY on OTHER; BODY stands; BODY falls; BODY stays; BODY touches OTHER; BODY faces OTHER; \
     BODY slower than V; BODY faster than V; BODY spins faster than W; BODY hits OTHER; BODY hits OTHER 2 times; \
     BODY hits OTHER harder than J; BODY hits OTHER before THIRD; BODY hits OTHER at T within DT; BODY hits OTHER \
     then THIRD; BODY passes OTHER; BODY ends in frame of camera NAME; with \"never\" or \"always\" before the verb, \
     \"at T\", \"between T and T\", \"before T\" or \"after T\" behind it, \"not\" or \"at least N of\" before all, \
     \"either … or …\"; BODY is a body, a group, a pattern such as pin-*, \"all\", \"others\", or several with \
     \"and\" between them; or a table as in the file, { body = \"…\", … }";

/// When, as the end of a sentence says it.
#[derive(Clone, Debug, Default)]
pub(super) struct Time {
    at: Option<At<f64>>,
    between: Option<At<[f64; 2]>>,
    before: Option<At<f64>>,
    after: Option<At<f64>>,
    /// A time, and how far it may be missed.
    pub around: Option<(At<f64>, At<f64>)>,
}

impl Time {
    /// A want about a body at this time.
    pub(super) fn of_plain(&self, want: WantFile) -> WantFile {
        let at = self.at.clone().or(want.at.clone());
        WantFile { at, ..self.of_stretch(want) }
    }

    /// A want in this stretch of time.
    pub(super) fn of_stretch(&self, want: WantFile) -> WantFile {
        let around = self.around.as_ref().map(|(at, within)| {
            At::new([(at.value - within.value).max(0.0), at.value + within.value], at.span.start..within.span.end)
        });
        WantFile {
            between: self.between.clone().or(around).or(want.between.clone()),
            before: self.before.clone().or(want.before.clone()),
            after: self.after.clone().or(want.after.clone()),
            ..want
        }
    }
}

/// The words before the time at their end, and that time.
pub(super) fn time<'w, 't>(words: &'w [Word<'t>]) -> (&'w [Word<'t>], Time) {
    let none = Time::default();
    let read = |count: usize| words.split_at_checked(words.len().checked_sub(count)?);
    if let Some((rest, end)) = read(4) {
        let two = number(end[1]).zip(number(end[3]));
        match (&texts(end)[..], two) {
            (["between", _, "and", _] | ["from", _, "to", _], Some((from, until))) => {
                let between = Some(At::new([from.value, until.value], span(end)));
                return (rest, Time { between, ..none });
            }
            (["at", _, "within", _], Some(around)) => return (rest, Time { around: Some(around), ..none }),
            _ => (),
        }
    }
    if let Some((rest, end)) = read(2)
        && let Some(time) = number(end[1])
    {
        match end[0].text {
            "at" => return (rest, Time { at: Some(time), ..none }),
            "before" => return (rest, Time { before: Some(time), ..none }),
            "after" => return (rest, Time { after: Some(time), ..none }),
            _ => (),
        }
    }
    (words, none)
}

/// What the words from the verb on say; `None` if that is not understood.
pub(super) fn read(want: WantFile, words: &[Word<'_>]) -> Option<WantFile> {
    let (verb, rest) = words.split_first()?;
    match (verb.text, &texts(rest)[..]) {
        ("shows" | "show", [face]) => Some(WantFile { face_up: Some(FaceUpFile::Face(side(face)).into()), ..want }),
        ("stands" | "stand", []) => Some(WantFile { upright: Some(true.into()), ..want }),
        ("falls" | "fall", []) => Some(WantFile { upright: Some(false.into()), ..want }),
        ("falls" | "fall", ["before", _, ..]) => {
            let falls = |body| WantFile { body, upright: Some(false.into()), ..WantFile::default() };
            let then = vec![falls(want.body.clone()), falls(Some(bodies(&rest[1..])))];
            Some(WantFile { body: None, then, ..want })
        }
        ("stays" | "stay", []) => Some(WantFile { unmoved: Some(UnmovedFile::Plain(true).into()), ..want }),
        ("stays" | "stay", _) => read(WantFile { always: Some(true.into()), ..want }, rest),
        ("rests" | "rest" | "ends" | "end" | "is" | "are" | "lies" | "lie" | "moves" | "move", [_, ..]) => {
            read(want, rest)
        }
        ("near", [.., "within", _]) => near(want, rest),
        ("in", [_, ..]) => inside(want, rest),
        ("on", [_, ..]) => Some(WantFile { on: Some(bodies(rest)), ..want }),
        ("touches" | "touch", [_, ..]) => Some(WantFile { touches: Some(bodies(rest)), ..want }),
        ("faces" | "face", [_, ..]) => faces(want, rest),
        ("slower" | "faster", ["than", _]) => Some(WantFile { speed: Some(pace(words)?), ..want }),
        ("spins" | "spin", ["slower" | "faster", "than", _]) => Some(WantFile { spin: Some(pace(rest)?), ..want }),
        ("passes" | "pass", ["through", _, ..]) => Some(WantFile { passes: Some(passes(&rest[1..])?), ..want }),
        ("passes" | "pass", [_, ..]) => Some(WantFile { passes: Some(passes(rest)?), ..want }),
        ("hits" | "hit", [_, ..]) => Some(WantFile { hits: Some(At::new(hits(rest)?, span(rest))), ..want }),
        _ => None,
    }
}

fn side(face: &str) -> FaceFile {
    face.parse().map_or_else(|_| FaceFile::Axis(face.to_owned()), FaceFile::Pips)
}

fn near(want: WantFile, words: &[Word<'_>]) -> Option<WantFile> {
    let [place @ .., _, within] = words else {
        return None;
    };
    let within = number(*within)?;
    let numbers: Option<Vec<At<f64>>> = place.iter().map(|word| number(*word)).collect();
    let position = numbers.map(|numbers| numbers.iter().map(|number| number.value).collect::<Vec<f64>>());
    let near = match position.as_deref() {
        Some([x, y, z]) => NearFile::Place { position: At::new(PlaceFile::Space([*x, *y, *z]), span(place)), within },
        Some([x, z]) => NearFile::Place { position: At::new(PlaceFile::Ground([*x, *z]), span(place)), within },
        Some(_) => return None,
        None => NearFile::Body { body: bodies(place), within },
    };
    Some(WantFile { near: Some(At::new(near, span(words))), ..want })
}

/// In a body, or in a picture.
fn inside(want: WantFile, words: &[Word<'_>]) -> Option<WantFile> {
    let Some(camera) = words.iter().position(|word| word.text == "camera") else {
        let inside = InsideFile::Body { body: bodies(words), within: None };
        return Some(WantFile { inside: Some(At::new(inside, span(words))), ..want });
    };
    let (part, name) = (&words[..camera], &words[camera + 1..]);
    let [part @ .., of] = part else {
        return None;
    };
    let part = if part.first().is_some_and(|word| matches!(word.text, "the" | "its")) { &part[1..] } else { part };
    let is_right = of.text == "of" && !name.is_empty() && !part.is_empty();
    let camera = is_right.then(|| At::new(joined(name), span(name)))?;
    let part = match &texts(part)[..] {
        ["frame" | "picture"] => None,
        _ => Some(At::new(joined(part), span(part))),
    };
    let on_screen = At::new(OnScreenFile { camera, part, within: None }, span(words));
    Some(WantFile { on_screen: Some(on_screen), ..want })
}

fn faces(want: WantFile, mut words: &[Word<'_>]) -> Option<WantFile> {
    let all = words;
    let (mut face, mut within_degrees) = (None, None);
    if let [rest @ .., within, degrees, unit] = words
        && (within.text, unit.text) == ("within", "degrees")
    {
        (words, within_degrees) = (rest, Some(number(*degrees)?));
    }
    if let [rest @ .., with, own] = words
        && with.text == "with"
    {
        (words, face) = (rest, Some(side(own.text)));
    }
    let body = (!words.is_empty()).then(|| bodies(words))?;
    Some(WantFile { faces: Some(At::new(FacesFile { body, face, within_degrees }, span(all))), ..want })
}

/// `slower than V` or `faster than V`.
fn pace(words: &[Word<'_>]) -> Option<At<SpeedFile>> {
    let [kind, _, limit] = words else {
        return None;
    };
    let limit = Some(number(*limit)?);
    let speed = match kind.text {
        "faster" => SpeedFile { at_least: limit, ..SpeedFile::default() },
        _ => SpeedFile { at_most: limit, ..SpeedFile::default() },
    };
    Some(At::new(speed, span(words)))
}

/// The words before `N times`, and N.
fn often<'w, 't>(words: &'w [Word<'t>]) -> Option<(&'w [Word<'t>], Option<At<u64>>)> {
    match words {
        [rest @ .., count, times] if matches!(times.text, "times" | "time") && !rest.is_empty() => {
            Some((rest, Some(whole(*count)?)))
        }
        words => Some((words, None)),
    }
}

fn passes(words: &[Word<'_>]) -> Option<At<PassesFile>> {
    let (words, at_least) = often(words)?;
    let passes = PassesFile { at_least, ..PassesFile::default() };
    let vector = |words: &[Word<'_>]| {
        let numbers: Option<Vec<f64>> = words.iter().map(|word| number(*word).map(|number| number.value)).collect();
        let array: [f64; 3] = numbers?.try_into().ok()?;
        Some(At::new(array, span(words)))
    };
    let passes = match &texts(words)[..] {
        ["ring", _, "at", _, _, _, "towards", _, _, _] => {
            let (ring, position, direction) = (number(words[1])?, vector(&words[3..6])?, vector(&words[7..])?);
            PassesFile { ring: Some(ring), position: Some(position), direction: Some(direction), ..passes }
        }
        ["plane", "at", _, _, _, "towards", _, _, _] => {
            let (position, plane) = (vector(&words[2..5])?, vector(&words[6..])?);
            PassesFile { plane: Some(plane), position: Some(position), ..passes }
        }
        _ => PassesFile { body: Some(At::new(joined(words), span(words))), ..passes },
    };
    Some(At::new(passes, span(words)))
}

fn hits(words: &[Word<'_>]) -> Option<HitsFile> {
    let end = words.iter().position(|word| word.text == "before").unwrap_or(words.len());
    let (whom, rest) = words.split_at(end);
    let (whom, harder) = match whom {
        [whom @ .., harder, than, impulse] if (harder.text, than.text) == ("harder", "than") => {
            (whom, Some(number(*impulse)?))
        }
        whom => (whom, None),
    };
    let (whom, at_least) = often(whom)?;
    let before = match rest {
        [] => None,
        [_, third @ ..] if !third.is_empty() => Some(bodies(third)),
        _ => return None,
    };
    let is_plain = at_least.is_none() && harder.is_none() && before.is_none();
    let body = (!whom.is_empty()).then(|| bodies(whom))?;
    Some(match body.value {
        super::BodiesFile::One(body) if is_plain => HitsFile::Body(At::new(body, span(whom))),
        _ => HitsFile::When { body, at_least, at_most: None, harder, before, at: None, within: None },
    })
}
