//! `proscenium/direct`, the sampler: animations of a scene that end as wanted.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use js_sys::{Array, Function, Uint8Array};
use proscenium_direct::record::{Entry, Run};
use proscenium_direct::{Draw, Method, SamplerOptions, SamplerState};
use proscenium_director::{
    Archive, Budget, DirectorError, Ending, MemoryArchive, Order as RunOrder, Pick, RunReport, RunStatus,
};
use proscenium_scenes::{DirectedScene, Seed, SimulateOptions};
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::scene::{self, Order as SceneOrder};
use crate::telling::{self, object, set};

const REMEDY: &str = "give scene: \"dice\", want: \"die-1 shows 6\", and if you like samples: 8, seed: 1, \
                      pick: \"different\" or \"likely\", method: \"rejection\", simulations: 10000";

/// What a page orders.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    scene: Option<String>,
    text: Option<String>,
    #[serde(default)]
    parameters: BTreeMap<String, f64>,
    want: Option<String>,
    samples: Option<usize>,
    seed: Option<u64>,
    #[serde(default)]
    pick: PickName,
    method: Option<MethodName>,
    simulations: Option<u64>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PickName {
    #[default]
    Different,
    Likely,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MethodName {
    Rejection,
    Chain,
    Tempering,
    Population,
}

impl Order {
    fn read(self) -> Result<(DirectedScene, RunOrder), JsValue> {
        let seed = Seed(self.seed.unwrap_or(1));
        let Order { scene, text, parameters, .. } = self;
        let scene = SceneOrder { scene, text, seed: seed.0, parameters, duration: None }.scene()?;
        let scene = match &self.want {
            Some(want) => scene.with_wants(want).map_err(telling::wrong)?,
            None => scene,
        };
        let method = self.method.map(|method| match method {
            MethodName::Rejection => Method::Rejection,
            MethodName::Chain => Method::Chain,
            MethodName::Tempering => Method::Tempering,
            MethodName::Population => Method::Population,
        });
        let order = RunOrder {
            samples: self.samples.unwrap_or(8),
            pick: match self.pick {
                PickName::Different => Pick::Different,
                PickName::Likely => Pick::Likely,
            },
            seed,
            options: SamplerOptions { method, ..SamplerOptions::default() },
            budget: self.simulations.map_or(Budget::Unlimited, Budget::Simulations),
            breed: Vec::new(),
        };
        Ok((DirectedScene::new(&scene).map_err(telling::wrong)?, order))
    }
}

/// A run in memory, whose samples others may read while it goes on.
struct Shared {
    inside: MemoryArchive,
    entries: Rc<RefCell<Vec<Entry>>>,
}

impl Archive for Shared {
    fn name(&self) -> String {
        self.inside.name()
    }

    fn begin(&mut self, run: &Run) -> Result<Run, DirectorError> {
        self.inside.begin(run)
    }

    fn restate(&mut self, scene: &str) -> Result<(), DirectorError> {
        self.inside.restate(scene)
    }

    fn state(&self) -> Result<Option<SamplerState>, DirectorError> {
        self.inside.state()
    }

    fn entries(&self) -> Result<Vec<Entry>, DirectorError> {
        self.inside.entries()
    }

    fn draws(&self) -> Result<Vec<Draw>, DirectorError> {
        self.inside.draws()
    }

    fn commit(
        &mut self,
        entries: &[Entry],
        draws: &[Draw],
        state: &SamplerState,
        simulations: u64,
    ) -> Result<(), DirectorError> {
        self.entries.borrow_mut().extend_from_slice(entries);
        self.inside.commit(entries, draws, state, simulations)
    }
}

/// Finds animations that end as wanted; those that a viewer could tell from each other are
/// given to `gave` as they are found. `undefined` if it was stopped.
///
/// # Errors
///
/// An `Error` with the engine's words, and its `remedy`.
#[wasm_bindgen(js_name = directScene)]
pub fn direct_scene(
    order: &str,
    told: Option<Function>,
    _bytes: Option<Vec<u8>>,
    gave: Option<Function>,
) -> Result<JsValue, JsValue> {
    let order: Order = telling::read(order, REMEDY)?;
    let (directed, order) = order.read()?;
    let entries = Rc::new(RefCell::new(Vec::new()));
    let mut archive = Shared { inside: MemoryArchive::default(), entries: Rc::clone(&entries) };
    let (mut known, mut given) = (0, 0);
    let mut observe = |status: &RunStatus<'_>| {
        let Some(gave) = &gave else { return Ok(()) };
        for (index, kind) in status.kinds.iter().enumerate().skip(known) {
            if *kind as usize == index && given < order.samples {
                given += 1;
                let found = entries.borrow().get(index).cloned();
                // What cannot be shown is said at the end, where errors can be.
                if let Some(Ok(sample)) = found.map(|entry| sample(&directed, index, &entry)) {
                    gave.call1(&JsValue::NULL, &sample).map_err(|_| proscenium_work::Stopped)?;
                }
            }
        }
        known = status.kinds.len();
        Ok(())
    };
    let report = proscenium_director::direct(&directed, &mut archive, &order, &telling::progress(told), &mut observe);
    let report = report.map_err(telling::wrong)?;
    if report.ending == Ending::Stopped {
        return Ok(JsValue::UNDEFINED);
    }
    let entries = entries.borrow();
    let picked: Result<Array, JsValue> = report
        .animations
        .iter()
        .filter_map(|animation| Some((animation.index, entries.get(animation.index)?)))
        .map(|(index, entry)| sample(&directed, index, entry))
        .collect();
    Ok(run(&report, picked?))
}

fn run(report: &RunReport, samples: Array) -> JsValue {
    let ending = if report.ending == Ending::Enough { "enough" } else { "budget" };
    let run = object([
        ("samples", samples.into()),
        ("ending", ending.into()),
        ("simulations", (report.effort.simulations as f64).into()),
        ("found", (report.found as f64).into()),
        ("different", (report.different as u32).into()),
        ("engine", crate::version().into()),
    ]);
    if let Some(choice) = &report.choice {
        set(&run, "choice", choice.to_string());
    }
    if let Some(settling) = &report.settling {
        set(&run, "settled", settling.is_settled());
        set(&run, "settling", settling.to_string());
    }
    run
}

/// A sample as a page plays it.
fn sample(directed: &DirectedScene, index: usize, entry: &Entry) -> Result<JsValue, JsValue> {
    let drawn = directed.drawn(&entry.sample.point).map_err(telling::wrong)?;
    let simulated = drawn.simulate(&SimulateOptions::default(), &proscenium_work::Progress::none());
    let simulated = simulated.map_err(telling::wrong)?;
    let values = object([]);
    for (name, value) in drawn.values() {
        set(&values, name, *value);
    }
    let glb = scene::glb(&simulated.clip)?;
    Ok(object([
        ("index", (index as u32).into()),
        ("values", values),
        ("logScore", entry.sample.log_score.into()),
        ("wantsMet", entry.wants_met.iter().map(|met| JsValue::from(*met)).collect::<Array>().into()),
        ("method", entry.sample.method.name().into()),
        ("duration", f64::from(simulated.clip.duration_secs).into()),
        ("glb", Uint8Array::from(glb.as_slice()).into()),
    ]))
}
