//! Wants as text.

use super::super::write::{bracketed, orientation, plain, quoted, row};
use super::{At, BodiesFile, FaceFile, FaceUpFile, HitsFile, InsideFile, NearFile, PlaceFile, UnmovedFile, WantFile};

/// The keys of a want and their values.
pub(in crate::file) fn lines(want: &WantFile) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    let mut add = |key, value: Option<String>| lines.extend(value.map(|value| (key, value)));
    add("name", want.name.as_ref().map(|name| quoted(&name.value)));
    add("body", want.body.as_ref().map(|bodies| written(&bodies.value)));
    add("at", want.at.as_ref().map(number));
    add("between", want.between.as_ref().map(|between| row(&between.value)));
    add("before", want.before.as_ref().map(number));
    add("after", want.after.as_ref().map(number));
    add("always", want.always.as_ref().map(|always| always.value.to_string()));
    add(
        "near",
        want.near.as_ref().map(|near| {
            let (what, within) = match &near.value {
                NearFile::Place { position, within } => match &position.value {
                    PlaceFile::Space(place) => (format!("position = {}", row(place)), within),
                    PlaceFile::Ground(place) => (format!("position = {}", row(place)), within),
                },
                NearFile::Body { body, within } => (format!("body = {}", written(&body.value)), within),
            };
            format!("{{ {what}, within = {} }}", number(within))
        }),
    );
    add("inside", want.inside.as_ref().map(|inside| region(&inside.value)));
    add(
        "face_up",
        want.face_up.as_ref().map(|face_up| match &face_up.value {
            FaceUpFile::Face(side) => face(side),
            FaceUpFile::Within { face: side, within_degrees } => {
                format!("{{ face = {}{} }}", face(side), more("within_degrees", within_degrees.as_ref().map(number)))
            }
        }),
    );
    add("upright", want.upright.as_ref().map(|upright| upright.value.to_string()));
    add(
        "unmoved",
        want.unmoved.as_ref().map(|unmoved| match &unmoved.value {
            UnmovedFile::Plain(plain) => plain.to_string(),
            UnmovedFile::Within { within } => format!("{{ within = {} }}", number(within)),
        }),
    );
    add(
        "orientation",
        want.orientation.as_ref().map(|turned| {
            let turned = &turned.value;
            let within = number(&turned.within_degrees);
            format!("{{ like = {}, within_degrees = {within} }}", orientation(&turned.like.value))
        }),
    );
    add(
        "velocity",
        want.velocity.as_ref().map(|pace| {
            format!("{{ like = {}, within = {} }}", row(&pace.value.like.value), number(&pace.value.within))
        }),
    );
    add("hits", want.hits.as_ref().map(|hit| hits(&hit.value)));
    add("on", want.on.as_ref().map(|bodies| written(&bodies.value)));
    add("touches", want.touches.as_ref().map(|bodies| written(&bodies.value)));
    add("faces", want.faces.as_ref().map(|faces| faces.value.text()));
    add("speed", want.speed.as_ref().map(|speed| speed.value.text()));
    add("spin", want.spin.as_ref().map(|spin| spin.value.text()));
    add("passes", want.passes.as_ref().map(|passes| passes.value.text()));
    add("on_screen", want.on_screen.as_ref().map(|on_screen| on_screen.value.text()));
    add("not", want.not.as_ref().map(|not| inline(not)));
    add("then", (!want.then.is_empty()).then(|| several(&want.then)));
    add("of", (!want.of.is_empty()).then(|| several(&want.of)));
    for (key, count) in [("exactly", &want.exactly), ("at_least", &want.at_least), ("at_most", &want.at_most)] {
        add(key, count.as_ref().map(|count| count.value.to_string()));
    }
    add("weight", want.weight.as_ref().map(number));
    lines
}

fn several(wants: &[WantFile]) -> String {
    format!("[\n{}]", wants.iter().map(|want| format!("  {},\n", inline(want))).collect::<String>())
}

/// A want as one value.
fn inline(want: &WantFile) -> String {
    let pairs: Vec<String> = lines(want).iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", pairs.join(", "))
}

pub(super) fn number(value: &At<f64>) -> String {
    plain(value.value)
}

/// A key that may be left out, behind others.
pub(super) fn more(key: &str, value: Option<String>) -> String {
    value.map_or_else(String::new, |value| format!(", {key} = {value}"))
}

pub(super) fn written(bodies: &BodiesFile) -> String {
    match bodies {
        BodiesFile::One(name) => quoted(name),
        BodiesFile::Many(names) => bracketed(names.iter().map(|name| quoted(name))),
    }
}

fn region(inside: &InsideFile) -> String {
    let place = |position: &Option<At<[f64; 3]>>| more("position", position.as_ref().map(|at| row(&at.value)));
    match inside {
        InsideFile::Box { edges, position, within } => {
            let within = more("within", within.as_ref().map(number));
            format!("{{ box = {}{}{within} }}", row(&edges.value), place(position))
        }
        InsideFile::Sphere { sphere, position, within } => {
            let within = more("within", within.as_ref().map(number));
            format!("{{ sphere = {}{}{within} }}", number(sphere), place(position))
        }
        InsideFile::Body { body, within } => {
            format!("{{ body = {}{} }}", written(&body.value), more("within", within.as_ref().map(number)))
        }
    }
}

pub(super) fn face(face: &FaceFile) -> String {
    match face {
        FaceFile::Pips(pips) => pips.to_string(),
        FaceFile::Axis(axis) => quoted(axis),
    }
}

fn hits(hits: &HitsFile) -> String {
    match hits {
        HitsFile::Body(body) => quoted(&body.value),
        HitsFile::When { body, at_least, at_most, harder, before, at, within } => {
            let times = |count: &Option<At<u64>>| count.as_ref().map(|count| count.value.to_string());
            let (least, most) = (more("at_least", times(at_least)), more("at_most", times(at_most)));
            let harder = more("harder", harder.as_ref().map(number));
            let before = more("before", before.as_ref().map(|before| written(&before.value)));
            let (at, within) = (more("at", at.as_ref().map(number)), more("within", within.as_ref().map(number)));
            format!("{{ body = {}{least}{most}{harder}{before}{at}{within} }}", written(&body.value))
        }
    }
}
