//! `proscenium/dice`.

use js_sys::{Array, Function};
use proscenium_clip::Track;
use proscenium_scenes::dice::{DiceOrder, Die, Label, Solid, Throw, roll};
use proscenium_scenes::{SceneErrors, Seed};
use proscenium_work::{Completion, Remedy as _};
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::telling::{self, floats, object};

const REMEDY: &str = "give dice: [\"d6\", …], and if you like show: [3, …], seed: 42, \
                      tray: [0.4, 0.3], places: [[0.1, 0], null, …], near: 0.05";

/// What a page orders.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    dice: Vec<String>,
    show: Option<Vec<u32>>,
    #[serde(default)]
    seed: u64,
    tray: Option<[f64; 2]>,
    places: Option<Vec<Option<[f64; 2]>>>,
    near: Option<f64>,
}

/// What is wrong with an order, and what to do.
type Wrong = (String, String);

fn wrong(errors: &SceneErrors) -> Wrong {
    (errors.to_string(), errors.remedy().unwrap_or_default().into_owned())
}

/// An order as the engine takes it.
///
/// # Errors
///
/// A text that is no order, and dice that there are not; each with what to do.
pub fn read(text: &str) -> Result<DiceOrder, (String, String)> {
    let order: Order = telling::order(text, REMEDY)?;
    let dice: Result<Vec<Die>, SceneErrors> = order.dice.iter().map(|name| Die::parse(name)).collect();
    let dice = dice.map_err(|errors| wrong(&errors))?;
    let plain = DiceOrder::new(&dice, Seed(order.seed));
    let (tray, near) = (order.tray.unwrap_or(plain.tray), order.near.unwrap_or(plain.near));
    Ok(DiceOrder { show: order.show, tray, places: order.places, near, ..plain })
}

/// Throws dice; `undefined` if it was stopped.
///
/// # Errors
///
/// An `Error` with the engine's words, and its `remedy`.
#[wasm_bindgen(js_name = rollDice)]
pub fn roll_dice(order: &str, told: Option<Function>) -> Result<JsValue, JsValue> {
    let error = |(message, help): Wrong| telling::error(&message, Some(help.as_str()).filter(|help| !help.is_empty()));
    let order = read(order).map_err(error)?;
    match roll(&order, &telling::progress(told)) {
        Ok(Completion::Finished(throw)) => Ok(thrown(&order, &throw)),
        Ok(Completion::Stopped) => Ok(JsValue::UNDEFINED),
        Err(errors) => Err(error(wrong(&errors))),
    }
}

fn thrown(order: &DiceOrder, throw: &Throw) -> JsValue {
    let solids: Array = throw
        .solids
        .iter()
        .map(|solid| {
            let [times, positions, rotations] = keys(&solid.track);
            object([
                ("die", JsValue::from(solid.die as u32)),
                ("solid", JsValue::from(solid.solid.name())),
                ("tens", JsValue::from(solid.tens)),
                ("number", JsValue::from(solid.number)),
                ("times", times),
                ("positions", positions),
                ("rotations", rotations),
            ])
        })
        .collect();
    object([
        ("values", throw.values.iter().map(|value| JsValue::from(*value)).collect::<Array>().into()),
        ("solids", solids.into()),
        ("duration", throw.duration.into()),
        ("thrownAgain", throw.thrown_again.into()),
        ("elsewhere", throw.elsewhere.into()),
        ("tray", order.tray.into_iter().map(JsValue::from).collect::<Array>().into()),
        ("engine", crate::version().into()),
    ])
}

/// Times, places and turns, as players of keyframes take them.
fn keys(track: &Track) -> [JsValue; 3] {
    let keys = &track.keys;
    [
        floats(keys.iter().map(|key| key.time)),
        floats(keys.iter().flat_map(|key| key.position.to_array())),
        floats(keys.iter().flat_map(|key| key.orientation.to_array())),
    ]
}

/// What a solid looks like: its faces with what is written on them, by the name that a
/// throw has for it.
///
/// # Errors
///
/// A name that no solid has.
#[wasm_bindgen(js_name = solidFaces)]
pub fn solid_faces(name: &str, tens: bool) -> Result<JsValue, JsValue> {
    let Some(solid) = Solid::ALL.into_iter().find(|solid| solid.name() == name) else {
        let known = Solid::ALL.map(Solid::name).join(", ");
        return Err(telling::error(
            &format!("there is no solid \"{name}\""),
            Some(&format!("the solids are: {known}")),
        ));
    };
    let label = |label: &Label| {
        object([
            ("text", JsValue::from(label.text(tens))),
            ("place", floats(label.place.as_vec3().to_array())),
            ("up", floats(label.up.as_vec3().to_array())),
            ("height", label.height.into()),
        ])
    };
    let faces: Array = solid
        .faces()
        .iter()
        .map(|face| {
            let corners = face.corners.iter().flat_map(|corner| corner.as_vec3().to_array());
            object([
                ("normal", floats(face.normal.as_vec3().to_array())),
                ("corners", floats(corners)),
                ("labels", face.labels.iter().map(label).collect::<Array>().into()),
            ])
        })
        .collect();
    let sides: Array = solid
        .sides()
        .iter()
        .map(|side| object([("number", side.number.into()), ("up", floats(side.direction.as_vec3().to_array()))]))
        .collect();
    Ok(object([
        ("name", name.into()),
        ("rounding", solid.rounding().into()),
        ("faces", faces.into()),
        ("sides", sides.into()),
    ]))
}
