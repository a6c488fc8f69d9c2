//! Wants in words.

use crate::file::{BodiesFile, FaceFile, FaceUpFile, HitsFile, InsideFile, PlaceFile, UnmovedFile, WantFile};

/// A sentence that says what a want says, about one body or `several`, with
/// `parts` for the wants that it is made of.
pub(crate) fn describe<'a>(want: &WantFile, several: bool, parts: impl Iterator<Item = &'a str>) -> String {
    let count = match (&want.exactly, &want.at_least, &want.at_most) {
        (Some(exactly), _, _) => format!("exactly {} of ", exactly.value),
        (None, Some(least), Some(most)) => format!("{} to {} of ", least.value, most.value),
        (None, Some(least), None) => format!("at least {} of ", least.value),
        (None, None, Some(most)) => format!("at most {} of ", most.value),
        (None, None, None) => String::new(),
    };
    let whom = want.body.as_ref().map(|bodies| listed(&bodies.value)).unwrap_or_default();
    let mut text = format!("{count}{whom}");
    let when = want.at.as_ref().map(|at| format!(" at {} s", at.value)).unwrap_or_default();
    let said = said(want, several);
    if !said.is_empty() {
        text.push_str(&format!(" {}{when}", said.join(" and ")));
    }
    let parts: Vec<&str> = parts.collect();
    if !parts.is_empty() {
        let space = if text.is_empty() || text.ends_with(' ') { "" } else { " " };
        text.push_str(&format!("{space}({})", parts.join("; ")));
    }
    text
}

fn said(want: &WantFile, several: bool) -> Vec<String> {
    let mut said = Vec::new();
    // One body falls, several fall.
    let s = if several { "" } else { "s" };
    if let Some(near) = &want.near {
        let place = match near.value.position.value {
            PlaceFile::Space([x, y, z]) => format!("{x} {y} {z}"),
            PlaceFile::Ground([x, z]) => format!("{x} {z}"),
        };
        said.push(format!("near {place} within {} m", near.value.within.value));
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
            HitsFile::When { body, at_least, at_most, before, at, .. } => {
                let times = match (at_least, at_most) {
                    (Some(least), Some(most)) => format!(" {} to {} times", least.value, most.value),
                    (Some(least), None) => format!(" at least {} times", least.value),
                    (None, Some(most)) => format!(" at most {} times", most.value),
                    (None, None) => String::new(),
                };
                let before = before.as_ref().map(|third| format!(" before {}", listed(&third.value)));
                let at = at.as_ref().map(|at| format!(" at {} s", at.value)).unwrap_or_default();
                format!("hit{s} {}{times}{}{at}", listed(&body.value), before.unwrap_or_default())
            }
        });
    }
    said
}

fn listed(bodies: &BodiesFile) -> String {
    match bodies {
        BodiesFile::One(name) => name.clone(),
        BodiesFile::Many(names) => names.join(", "),
    }
}
