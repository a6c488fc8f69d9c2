//! The banners: motion graphs that are made beside the server, once, and kept.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use proscenium_ensemble::export::{Take, to_glb};
use proscenium_ensemble::{Banner, Generator, Making, MotionGraph, Part, Seed, compress};

use crate::api::FieldMaking;
use crate::failure::Failure;
use crate::takes::lock;
use crate::workspace::Workspace;

/// How much is simulated of each wind, s, and how far a vertex may be from where
/// it was, m.
const SECONDS: f64 = 12.0;
const ERROR: f64 = 0.002;

/// What the first page shows: flags, and seconds; and how many modes of each.
const SHOWN: (u32, f64) = (3, 4.0);
const MODES: usize = 12;

/// The banners of the studio, by the number of their flags.
pub struct Banners {
    folder: PathBuf,
    known: Mutex<BTreeMap<u32, State>>,
    clip: Mutex<Option<Vec<u8>>>,
    stop: AtomicBool,
}

/// How far a banner is.
#[derive(Clone)]
pub enum State {
    /// It is being made.
    Making(FieldMaking),
    /// It is there, and so many bytes large.
    Ready(Arc<MotionGraph>, usize),
    /// It could not be made.
    Failed(String),
}

/// The banner with so many flags.
pub fn banner(flags: u32) -> Generator {
    Banner { flags, ..Banner::default() }.generator()
}

impl Banners {
    /// The banners of a workspace; nothing is made yet.
    pub fn new(workspace: &Workspace) -> Self {
        Self {
            folder: workspace.ensembles(),
            known: Mutex::default(),
            clip: Mutex::default(),
            stop: AtomicBool::new(false),
        }
    }

    /// How far the banner with so many flags is; it is begun if nobody asked
    /// for it before.
    pub fn look(self: &Arc<Self>, flags: u32) -> State {
        let mut known = lock(&self.known);
        if let Some(state) = known.get(&flags) {
            return state.clone();
        }
        let state = State::Making(FieldMaking { doing: "beginning".to_owned(), done: 0.0 });
        known.insert(flags, state.clone());
        let banners = Arc::clone(self);
        std::thread::spawn(move || banners.make(flags));
        state
    }

    /// A few flags in a breeze, as a short animation for the first page.
    ///
    /// # Errors
    ///
    /// A banner that cannot be simulated.
    pub fn clip(&self) -> Result<Vec<u8>, Failure> {
        let mut clip = lock(&self.clip);
        if let Some(bytes) = &*clip {
            return Ok(bytes.clone());
        }
        let bytes = flutter().map_err(|error| Failure::machine(&error))?;
        Ok(clip.insert(bytes).clone())
    }

    /// Breaks off what is being made.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn file(&self, flags: u32) -> PathBuf {
        self.folder.join(format!("banner-{flags}.memg"))
    }

    fn make(&self, flags: u32) {
        let state = self.recall(flags).unwrap_or_else(|| self.make_anew(flags));
        lock(&self.known).insert(flags, state);
    }

    /// Takes what was kept, if it can be read.
    fn recall(&self, flags: u32) -> Option<State> {
        let bytes = std::fs::read(self.file(flags)).ok()?;
        let graph = MotionGraph::from_bytes(&bytes).ok()?;
        Some(State::Ready(Arc::new(graph), bytes.len()))
    }

    fn make_anew(&self, flags: u32) -> State {
        let tell = |making: Making| {
            let making = FieldMaking { doing: making.doing.to_owned(), done: making.done };
            lock(&self.known).insert(flags, State::Making(making));
            !self.stop.load(Ordering::Relaxed)
        };
        let made = MotionGraph::make(&banner(flags), SECONDS, ERROR, Seed(1), &tell);
        match made.and_then(|graph| Ok((graph.to_bytes()?, graph))) {
            Ok((bytes, graph)) => {
                // What cannot be kept is made again at the next start.
                let part = self.file(flags).with_extension("part");
                let _ = std::fs::write(&part, &bytes).and_then(|()| std::fs::rename(&part, self.file(flags)));
                State::Ready(Arc::new(graph), bytes.len())
            }
            Err(error) => State::Failed(error.to_string()),
        }
    }
}

/// The animation of the first page.
fn flutter() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let generator = banner(SHOWN.0);
    let part = Part { level: 1, number: 0, seconds: SHOWN.1 };
    let recorded = generator.record(&part, Seed(1), &mut || true)?;
    let data = compress(&generator.gather(vec![(part, recorded)])?, 10.0 * ERROR)?;
    Ok(to_glb(&Take::of_sequence(&data, 0), MODES)?.bytes)
}
