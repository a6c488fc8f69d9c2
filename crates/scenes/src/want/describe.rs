//! Wants in words.

use crate::file::{
    BodiesFile, FaceFile, FaceUpFile, HitsFile, InsideFile, NearFile, PassesFile, PlaceFile, SpeedFile, UnmovedFile,
    WantFile,
};

/// A sentence that says what a want says, about one body or `several`, with
/// `parts` for the wants that it is made of.
pub(crate) fn describe(want: &WantFile, several: bool, parts: &[&str]) -> String {
    let count = match (&want.exactly, &want.at_least, &want.at_most) {
        (Some(exactly), _, _) => format!("exactly {} of ", exactly.value),
        (None, Some(least), Some(most)) => format!("{} to {} of ", least.value, most.value),
        (None, Some(least), None) => format!("at least {} of ", least.value),
        (None, None, Some(most)) => format!("at most {} of ", most.value),
        (None, None, None) => String::new(),
    };
    let whom = want.body.as_ref().map(|bodies| listed(&bodies.value)).unwrap_or_default();
    let mut text = format!("{count}{whom}");
    let when = time(want);
    let said = said(want, several);
    if !said.is_empty() {
        text.push_str(&format!(" {}{when}", said.join(" and ")));
    }
    if let Some(not) = &want.not {
        let space = if text.is_empty() || text.ends_with(' ') { "" } else { " " };
        text.push_str(&format!("{space}not ({})", inner(not)));
    }
    if !want.then.is_empty() {
        let steps: Vec<String> = want.then.iter().map(inner).collect();
        let space = if text.is_empty() || text.ends_with(' ') { "" } else { " " };
        text.push_str(&format!("{space}{}{when}", steps.join(", then ")));
    }
    if !parts.is_empty() {
        let space = if text.is_empty() || text.ends_with(' ') { "" } else { " " };
        text.push_str(&format!("{space}({})", parts.join("; ")));
    }
    text
}

/// A sentence for a want within another.
fn inner(want: &WantFile) -> String {
    let parts: Vec<String> = want.of.iter().map(inner).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    want.name.as_ref().map_or_else(|| describe(want, false, &parts), |name| name.value.clone())
}

fn said(want: &WantFile, several: bool) -> Vec<String> {
    let mut said = Vec::new();
    // One body falls, several fall.
    let s = if several { "" } else { "s" };
    if let Some(near) = &want.near {
        let (place, within) = match &near.value {
            NearFile::Place { position, within } => match position.value {
                PlaceFile::Space([x, y, z]) => (format!("{x} {y} {z}"), within),
                PlaceFile::Ground([x, z]) => (format!("{x} {z}"), within),
            },
            NearFile::Body { body, within } => (listed(&body.value), within),
        };
        said.push(format!("near {place} within {} m", within.value));
    }
    if let Some(inside) = &want.inside {
        said.push(match &inside.value {
            InsideFile::Box { position, .. } | InsideFile::Sphere { position, .. } => {
                let [x, y, z] = position.as_ref().map_or([0.0; 3], |position| position.value);
                let kind = if matches!(inside.value, InsideFile::Box { .. }) { "box" } else { "sphere" };
                format!("in the {kind} at {x} {y} {z}")
            }
            InsideFile::Body { body, .. } => format!("in {}", listed(&body.value)),
        });
    }
    if let Some(face_up) = &want.face_up {
        let (FaceUpFile::Face(face) | FaceUpFile::Within { face, .. }) = &face_up.value;
        said.push(match face {
            FaceFile::Pips(pips) => format!("show{s} {pips}"),
            FaceFile::Axis(axis) => format!("show{s} {axis}"),
        });
    }
    if let Some(upright) = &want.upright {
        said.push(format!("{}{s}", if upright.value { "stand" } else { "fall" }));
    }
    if let Some(unmoved) = &want.unmoved {
        said.push(format!("{}{s}", if unmoved.value == UnmovedFile::Plain(false) { "move" } else { "stay" }));
    }
    if let Some(turned) = &want.orientation {
        said.push(format!("turned as wanted within {}°", turned.value.within_degrees.value));
    }
    if let Some(pace) = &want.velocity {
        let [x, y, z] = pace.value.like.value;
        said.push(format!("move{s} with {x} {y} {z} m/s"));
    }
    if let Some(hits) = &want.hits {
        said.push(match &hits.value {
            HitsFile::Body(body) => format!("hit{s} {}", body.value),
            HitsFile::When { body, at_least, at_most, harder, before, at, .. } => {
                let times = match (at_least, at_most) {
                    (Some(least), Some(most)) => format!(" {} to {} times", least.value, most.value),
                    (Some(least), None) => format!(" at least {} times", least.value),
                    (None, Some(most)) => format!(" at most {} times", most.value),
                    (None, None) => String::new(),
                };
                let before = before.as_ref().map(|third| format!(" before {}", listed(&third.value)));
                let at = at.as_ref().map(|at| format!(" at {} s", at.value)).unwrap_or_default();
                let harder = harder.as_ref().map(|harder| format!(" harder than {} N s", harder.value));
                let (harder, before) = (harder.unwrap_or_default(), before.unwrap_or_default());
                format!("hit{s} {}{times}{harder}{before}{at}", listed(&body.value))
            }
        });
    }
    said.extend(related(want, s));
    said
}

/// Relations, speeds, openings and pictures.
fn related(want: &WantFile, s: &str) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(want.on.as_ref().map(|on| format!("on {}", listed(&on.value))));
    said.extend(
        want.touches
            .as_ref()
            .map(|touched| format!("touch{} {}", if s.is_empty() { "" } else { "es" }, listed(&touched.value))),
    );
    said.extend(want.faces.as_ref().map(|faces| format!("face{s} {}", listed(&faces.value.body.value))));
    let pace = |speed: &SpeedFile, unit: &str| match (&speed.at_least, &speed.at_most) {
        (Some(least), Some(most)) => format!("between {} and {} {unit}", least.value, most.value),
        (Some(least), None) => format!("faster than {} {unit}", least.value),
        (_, Some(most)) => format!("slower than {} {unit}", most.value),
        (None, None) => String::new(),
    };
    said.extend(want.speed.as_ref().map(|speed| format!("move{s} {}", pace(&speed.value, "m/s"))));
    said.extend(want.spin.as_ref().map(|spin| format!("spin{s} {}", pace(&spin.value, "rad/s"))));
    said.extend(
        want.passes
            .as_ref()
            .map(|passes| format!("pass{} {}", if s.is_empty() { "" } else { "es" }, gate(&passes.value))),
    );
    said.extend(want.on_screen.as_ref().map(|screen| {
        let part = screen.value.part.as_ref().map_or("frame", |part| &part.value);
        format!("in {part} of camera {}", screen.value.camera.value)
    }));
    said
}

/// What is passed, and how often.
fn gate(passes: &PassesFile) -> String {
    let [x, y, z] = passes.position.as_ref().map_or([0.0; 3], |position| position.value);
    let what = match &passes.body {
        Some(body) => body.value.clone(),
        None if passes.ring.is_some() => format!("the ring at {x} {y} {z}"),
        None => format!("the plane at {x} {y} {z}"),
    };
    let times = match (&passes.at_least, &passes.at_most) {
        (Some(least), None) => format!(" at least {} times", least.value),
        (None, Some(most)) if most.value == 0 => " never".to_owned(),
        (None, Some(most)) => format!(" at most {} times", most.value),
        (Some(least), Some(most)) => format!(" {} to {} times", least.value, most.value),
        (None, None) => String::new(),
    };
    format!("{what}{times}")
}

/// When a want is about, with a space before.
fn time(want: &WantFile) -> String {
    let always = want.always.as_ref().is_some_and(|always| always.value);
    let mut text = String::new();
    let mut add = |more: Option<String>| text.extend(more);
    add(always.then(|| " always".to_owned()));
    add(want.at.as_ref().map(|at| format!(" at {} s", at.value)));
    add(want.between.as_ref().map(|between| format!(" between {} and {} s", between.value[0], between.value[1])));
    add(want.after.as_ref().map(|after| format!(" after {} s", after.value)));
    add(want.before.as_ref().map(|before| format!(" before {} s", before.value)));
    text
}

fn listed(bodies: &BodiesFile) -> String {
    match bodies {
        BodiesFile::One(name) => name.clone(),
        BodiesFile::Many(names) => names.join(", "),
    }
}
