//! `proscenium/ensemble`: meshes of many parts that move for ever.

use std::sync::Arc;

use js_sys::{Array, Float32Array, Function, Uint8Array, Uint32Array};
use proscenium_ensemble::built_in::{BUILT_IN, Banner, built_in};
use proscenium_ensemble::{GraphBuild, MotionGraph, Player, Seed};
use proscenium_work::{Completion, Memory};
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::telling::{self, floats, object};

const REMEDY: &str = "give make: \"grass-clump\", and if you like seconds: 20, seed: 42";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    make: String,
    /// Of each strength of the wind.
    seconds: Option<f64>,
    /// Of a banner: how many flags it has.
    flags: Option<u32>,
    #[serde(default)]
    seed: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Open {
    #[serde(default)]
    seed: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct At {
    now: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Level {
    level: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Loop {
    level: usize,
    seconds: f64,
}

/// The names of the ensembles that can be made without data.
#[must_use]
#[wasm_bindgen(js_name = ensembleNames)]
pub fn ensemble_names() -> Vec<String> {
    BUILT_IN.iter().map(|name| (*name).to_owned()).collect()
}

/// Builds the graph of an ensemble: its bytes; `undefined` if it was stopped.
///
/// # Errors
///
/// An `Error` with the engine's words, and its `remedy`.
#[wasm_bindgen(js_name = buildEnsemble)]
pub fn build_ensemble(order: &str, told: Option<Function>) -> Result<JsValue, JsValue> {
    let order: Order = telling::read(order, REMEDY)?;
    let seed = Seed(order.seed);
    let generator = match (order.make.as_str(), order.flags) {
        ("banner", Some(flags @ 1..=100)) => Some(Banner { flags, ..Banner::default() }.generator()),
        (_, Some(_)) => {
            return Err(telling::error("only a banner has flags", Some("give flags: 1 to 100 of a banner")));
        }
        (name, None) => built_in(name, seed),
    };
    let Some(generator) = generator else {
        let what = format!("there is no ensemble \"{}\"", order.make);
        return Err(telling::error(&what, Some(&format!("the ensembles are: {}", BUILT_IN.join(", ")))));
    };
    let store = Memory::default();
    let made = GraphBuild::new(&store, seed).make(&generator, order.seconds.unwrap_or(20.0), &telling::progress(told));
    match made.map_err(telling::wrong)? {
        Completion::Finished(graph) => Ok(Uint8Array::from(graph.to_bytes().as_slice()).into()),
        Completion::Stopped => Ok(JsValue::UNDEFINED),
    }
}

/// A walk through a graph, which a page has.
#[wasm_bindgen]
pub struct Ensemble {
    graph: Arc<MotionGraph>,
    player: Player,
    positions: Vec<[f32; 3]>,
}

/// Reads a graph that was built here or by the command, and begins to walk.
///
/// # Errors
///
/// Bytes that are no graph.
#[wasm_bindgen(js_name = openEnsemble)]
pub fn open_ensemble(order: &str, _told: Option<Function>, bytes: Option<Vec<u8>>) -> Result<Ensemble, JsValue> {
    let order: Open = telling::read(order, "give seed: 42")?;
    let graph = Arc::new(MotionGraph::from_bytes(&bytes.unwrap_or_default()).map_err(telling::wrong)?);
    let player = Player::new(&graph, Seed(order.seed)).map_err(telling::wrong)?;
    Ok(Ensemble { graph, player, positions: Vec::new() })
}

#[wasm_bindgen]
impl Ensemble {
    /// What does not change: the groups with their triangles, and the strengths of the wind.
    #[must_use]
    pub fn about(&self) -> JsValue {
        let data = self.graph.data();
        let mut first = 0;
        let mut groups = Vec::new();
        let mut triangles: Vec<u32> = Vec::new();
        for group in data.groups() {
            triangles.extend(group.triangles.iter().flatten().map(|corner| corner + first));
            groups.push(object([
                ("name", group.name.as_str().into()),
                ("first", first.into()),
                ("count", (group.rest.len() as u32).into()),
            ]));
            first += group.rest.len() as u32;
        }
        let walked: Vec<usize> = self.graph.levels().collect();
        let level = |(number, condition): (usize, &proscenium_ensemble::data::Condition)| {
            object([
                ("level", (number as u32).into()),
                ("name", condition.name.as_str().into()),
                ("intensity", condition.intensity.into()),
                ("walked", walked.contains(&number).into()),
            ])
        };
        let rest = data.groups().iter().flat_map(|group| group.rest.iter().flatten().copied());
        object([
            ("name", data.name().into()),
            ("groups", groups.into_iter().collect::<Array>().into()),
            ("triangles", Uint32Array::from(triangles.as_slice()).into()),
            ("rest", floats(rest)),
            ("levels", data.conditions().iter().enumerate().map(level).collect::<Array>().into()),
            ("fps", data.frames_per_second().into()),
        ])
    }

    /// Where all vertices are at a time, three numbers each.
    ///
    /// # Errors
    ///
    /// A time that is none.
    pub fn at(&mut self, order: &str) -> Result<Float32Array, JsValue> {
        let At { now } = telling::read(order, "give now: 1.5")?;
        let fps = self.graph.data().frames_per_second();
        self.player.see_at(now).map_err(telling::wrong)?;
        let share = now * fps - (now * fps).floor();
        self.player.positions_between(share as f32, &mut self.positions);
        Ok(Float32Array::from(self.positions.as_flattened()))
    }

    /// Walks towards another strength of the wind; how long that takes at most, s.
    ///
    /// # Errors
    ///
    /// A strength that cannot be walked.
    pub fn want(&mut self, order: &str) -> Result<f64, JsValue> {
        let Level { level } = telling::read(order, "give level: 1")?;
        let frames = self.player.want(level).map_err(telling::wrong)?;
        Ok(frames as f64 / self.graph.data().frames_per_second())
    }

    /// The strength of the wind that is played.
    #[must_use]
    pub fn level(&self) -> u32 {
        self.player.level() as u32
    }

    /// A walk that ends where it began, as all vertices of all its frames, for a texture.
    ///
    /// # Errors
    ///
    /// A strength that cannot be walked, and where nothing is nearly that long.
    #[wasm_bindgen(js_name = "loop")]
    pub fn cycle(&self, order: &str) -> Result<JsValue, JsValue> {
        let Loop { level, seconds } = telling::read(order, "give level: 0, seconds: 8")?;
        let cycle = self.graph.cycle(level, seconds).map_err(telling::wrong)?;
        let mut numbers: Vec<f32> = Vec::new();
        let mut positions = Vec::new();
        for frame in 0..cycle.frames() {
            self.graph.data().place(&cycle.coordinates(&self.graph, u64::from(frame)), &mut positions);
            numbers.extend(positions.as_flattened());
        }
        Ok(object([
            ("frames", cycle.frames().into()),
            ("fps", self.graph.data().frames_per_second().into()),
            ("positions", Float32Array::from(numbers.as_slice()).into()),
        ]))
    }
}
