//! Between the engine and a page: errors, progress, and objects of arrays.

use js_sys::{Error, Float32Array, Function, Object, Reflect};
use proscenium_work::{Progress, Remedy, Stop};
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

/// An error with the engine's words, and its remedy beside them.
pub fn error(message: &str, remedy: Option<&str>) -> JsValue {
    let error = Error::new(message);
    if let Some(remedy) = remedy {
        set(&error, "remedy", remedy);
    }
    error.into()
}

/// The same of an error that knows its remedy.
pub fn remedied(found: &dyn Remedy) -> JsValue {
    error(&found.to_string(), found.remedy().as_deref())
}

/// What an engine says, as a page gets it.
#[cfg(any(feature = "city", feature = "cull", feature = "direct", feature = "ensemble", feature = "rigid"))]
#[allow(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
pub fn wrong(found: impl Remedy) -> JsValue {
    remedied(&found)
}

/// What a page orders, or the `Error`.
#[cfg(any(feature = "city", feature = "cull", feature = "direct", feature = "ensemble", feature = "rigid"))]
pub fn read<T: DeserializeOwned>(text: &str, remedy: &str) -> Result<T, JsValue> {
    order(text, remedy).map_err(|(message, help)| error(&message, Some(&help)))
}

/// What a page orders; what is wrong is said with where it stands.
pub fn order<T: DeserializeOwned>(text: &str, remedy: &str) -> Result<T, (String, String)> {
    serde_json::from_str(text).map_err(|found| (format!("this cannot be ordered: {found}"), remedy.to_owned()))
}

/// Somebody who is told how far the work is, and stops it by answering `true`. Nobody is
/// told more than a hundred times, and what he throws is a stop too.
pub fn progress(told: Option<Function>) -> Progress {
    let stop = Stop::new();
    let Some(told) = told else {
        return Progress::new(&stop);
    };
    let switch = stop.clone();
    let told = ProgressCallback { function: told, last: std::sync::Mutex::new(-1.0) };
    Progress::watched(&stop, move |report| {
        if told.tell(report.doing, report.done) {
            switch.press();
        }
    })
}

struct ProgressCallback {
    function: Function,
    last: std::sync::Mutex<f64>,
}

impl ProgressCallback {
    fn tell(&self, doing: &str, done: f64) -> bool {
        let Ok(mut last) = self.last.lock() else {
            return false;
        };
        if done < *last + 0.01 {
            return false;
        }
        *last = done;
        let answer = self.function.call2(&JsValue::NULL, &JsValue::from(done), &JsValue::from(doing));
        answer.map_or(true, |answer| answer.is_truthy())
    }
}

/// Sets a field of an object.
pub fn set(object: &JsValue, name: &str, value: impl Into<JsValue>) {
    // It fails for what is frozen or no object, and ours is neither.
    let _ = Reflect::set(object, &JsValue::from(name), &value.into());
}

/// An object with these fields.
pub fn object(fields: impl IntoIterator<Item = (&'static str, JsValue)>) -> JsValue {
    let object: JsValue = Object::new().into();
    for (name, value) in fields {
        set(&object, name, value);
    }
    object
}

#[cfg(any(feature = "dice", feature = "city", feature = "cull", feature = "ensemble"))]
/// A typed array of its own, which can be handed over.
pub fn floats(values: impl IntoIterator<Item = f32>) -> JsValue {
    Float32Array::from(values.into_iter().collect::<Vec<_>>().as_slice()).into()
}
