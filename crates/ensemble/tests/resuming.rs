//! Promise: a build that was stopped or killed at any moment goes on to the same graph,
//! byte for byte, whatever its store is; and who watches it is told of each phase.

#![allow(clippy::unwrap_used)]

use std::sync::{Arc, Mutex};

use proscenium_ensemble::build::{BuildSettings, GraphBuild, TransitionSearch};
use proscenium_ensemble::built_in::{Banner, Grass};
use proscenium_ensemble::simulate::{Generator, Part};
use proscenium_ensemble::transition::TransitionSettings;
use proscenium_ensemble::{BuildError, CompressedEnsemble, MotionGraph, Seed};
use proscenium_work::{Completion, Folder, Memory, Progress, Stop, Store, StoreError};

use crate::plates;

const SECONDS: f64 = 5.0;

fn settings() -> BuildSettings {
    let transition =
        TransitionSettings { reach: 8, blend: 6, samples: 3, patience: 10.0, ..TransitionSettings::default() };
    BuildSettings { transition, interval: 0.6, ..BuildSettings::default() }
}

fn flag() -> Generator {
    Banner { flags: 1, ..Banner::default() }.generator()
}

/// All of a build, with settings that make it short.
fn make(store: &dyn Store, progress: &Progress) -> Result<Completion<MotionGraph>, BuildError> {
    let build = GraphBuild::new(store, Seed(4));
    let Some(made) = build.simulate(&flag(), SECONDS, 0.005, progress)?.finished() else {
        return Ok(Completion::Stopped);
    };
    build.connect(made.data, settings(), progress)
}

fn finished(store: &dyn Store) -> MotionGraph {
    make(store, &Progress::none()).unwrap().finished().unwrap()
}

#[test]
fn a_build_that_is_stopped_again_and_again_comes_to_the_same_graph() {
    let place = tempfile::tempdir().unwrap();
    let (memory, folder, once) = (Memory::default(), Folder::new(place.path()), Memory::default());
    let whole = finished(&once).to_bytes();
    for store in [&memory as &dyn Store, &folder] {
        let (mut stops, mut questions) = (0, 1);
        let graph = loop {
            match make(store, &Progress::stopping_at(questions)).unwrap() {
                Completion::Finished(graph) => break graph,
                Completion::Stopped => stops += 1,
            }
            // Seldom enough that each time something is done.
            questions *= 2;
        };
        assert!(stops > 9, "{stops} stops");
        assert!(graph.to_bytes() == whole);
        assert!(store.read("graph.memg").unwrap().unwrap() == whole);
    }
    let names = ["data.ensemble", "graph.memg", "stretch-0-0.part", "stretch-1-0.part", "stretch-2-0.part"];
    assert_eq!(memory.names(), [&names[..], &["transitions.journal"]].concat());
    for name in memory.names() {
        // Records of a journal come in the order in which they were done.
        let same = memory.read(&name).unwrap() == once.read(&name).unwrap();
        assert!(same || name == "transitions.journal", "{name}");
    }
}

/// Parts and data of a build in which nothing hangs on anything are those of release 0.1, bit
/// for bit; the graph is that of today: bounded accelerations, eased blends, the paper's C and
/// the component that covers most are newer. The 64-bit FNV-1a hashes are of what stands behind the headers.
#[test]
fn what_is_built_is_what_the_first_release_built() {
    let hash = |file: &[u8]| {
        let content = file.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        let next = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        format!("{:016x}", file[content..].iter().fold(0xcbf2_9ce4_8422_2325, next))
    };
    let grass = Grass { blades: 6, ..Grass::clump(Seed(3)) }.generator("grass", 2);
    let part = Part { level: 1, number: 0, seconds: 0.5 };
    let motion = grass.record(&part, None, Seed(1), &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(hash(&grass.stretch_to_bytes(part, Seed(1), &motion)), "62994202da44dd36");
    let store = Memory::default();
    let graph = GraphBuild::new(&store, Seed(1)).make(&grass, 7.0, &Progress::none()).unwrap().finished().unwrap();
    let kept = ["data.ensemble", "graph.memg"].map(|name| hash(&store.read(name).unwrap().unwrap()));
    assert_eq!((graph.transitions().len(), kept), (23, ["9ce94b19509dcdce".into(), "3c5e534d48108626".into()]));
}

fn connect(data: &CompressedEnsemble, store: &dyn Store, progress: &Progress) -> Completion<MotionGraph> {
    GraphBuild::new(store, Seed(4)).connect(data.clone(), settings(), progress).unwrap()
}

#[test]
fn whatever_is_cut_off_a_journal_the_graph_is_the_same() {
    let data = plates::plates(3, 250);
    let store = Memory::default();
    let whole = connect(&data, &store, &Progress::none()).finished().unwrap().to_bytes();
    let journal = store.read("transitions.journal").unwrap().unwrap();
    for length in (0..journal.len()).step_by(journal.len() / 9) {
        store.write("transitions.journal", &journal[..length]).unwrap();
        let again = connect(&data, &store, &Progress::none()).finished().unwrap();
        assert!(again.to_bytes() == whole, "cut at {length} of {}", journal.len());
    }
    // What is in the journal is not done again.
    let progress = Progress::new(&Stop::new());
    assert!(connect(&data, &store, &progress).finished().is_some());
    assert_eq!(progress.questions(), 500 + data.rank() as u64, "one for each frame and mode, and no search");
}

/// Another seed or other settings begin a journal of their own.
#[test]
fn a_journal_of_another_build_is_not_used() {
    let data = plates::plates(2, 250);
    let store = Memory::default();
    let first = connect(&data, &store, &Progress::none()).finished().unwrap().to_bytes();
    for (seed, tries) in [(5, 2), (4, 1)] {
        let settings = BuildSettings { tries, ..settings() };
        let alone = GraphBuild::new(&Memory::default(), Seed(seed))
            .connect(data.clone(), settings, &Progress::none())
            .unwrap()
            .finished()
            .unwrap();
        let beside = GraphBuild::new(&store, Seed(seed)).connect(data.clone(), settings, &Progress::none());
        assert!(beside.unwrap().finished().unwrap().to_bytes() == alone.to_bytes());
    }
    assert!(connect(&data, &store, &Progress::none()).finished().unwrap().to_bytes() == first);
}

/// Tasks that are done are kept, and at most those that were under way are lost.
#[test]
fn a_stop_keeps_every_task_that_is_done() {
    let data = plates::plates(3, 250);
    let asked = Progress::new(&Stop::new());
    let search = TransitionSearch::new(&data, settings(), Vec::new(), Seed(4), &Progress::none());
    let search = search.unwrap().finished().unwrap();
    let (transitions, tally) = search.find_all(&Memory::default(), &asked).unwrap().finished().unwrap();
    // A departure asks for each of its candidates and in each search.
    assert!(asked.questions() > tally.departures + tally.searches);
    for share in [3, 2] {
        let store = Memory::default();
        let stopped = search.find_all(&store, &Progress::stopping_at(asked.questions() / share)).unwrap();
        assert_eq!(stopped, Completion::Stopped);
        let again = Progress::new(&Stop::new());
        let resumed = search.find_all(&store, &again).unwrap().finished().unwrap();
        assert_eq!(resumed, (transitions.clone(), tally));
        assert!(again.questions() < asked.questions(), "what was done is not done again");
    }
}

/// A store that is full after some bytes.
struct Full(Memory, usize);

impl Store for Full {
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.read(name)
    }
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.0.write(name, bytes)
    }
    fn append(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        if self.0.read(name)?.map_or(0, |file| file.len()) > self.1 {
            let source = std::io::ErrorKind::StorageFull.into();
            return Err(StoreError::Write { name: name.to_owned(), source });
        }
        self.0.append(name, bytes)
    }
    fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.0.remove(name)
    }
}

#[test]
fn a_store_that_is_full_ends_the_build_with_its_name() {
    let data = plates::plates(3, 250);
    let store = Full(Memory::default(), 300);
    let failed = GraphBuild::new(&store, Seed(4)).connect(data.clone(), settings(), &Progress::none()).unwrap_err();
    assert!(matches!(failed, BuildError::Store(_)), "{failed}");
    assert!(failed.to_string().contains("transitions.journal"), "{failed}");
    // With room again it goes on to the same graph.
    let resumed = connect(&data, &store.0, &Progress::none()).finished().unwrap();
    assert!(resumed.to_bytes() == connect(&data, &Memory::default(), &Progress::none()).finished().unwrap().to_bytes());
}

#[test]
fn who_watches_is_told_of_each_phase_and_how_far_it_is() {
    let told: Arc<Mutex<Vec<(String, f64)>>> = Arc::default();
    let list = Arc::clone(&told);
    let progress = Progress::watched(&Stop::new(), move |report| {
        list.lock().unwrap().push((report.doing.to_owned(), report.done));
    });
    let store = Memory::default();
    assert!(make(&store, &progress).unwrap().finished().is_some());
    let told = told.lock().unwrap();
    for phase in
        ["simulating", "compressing", "looking for interpenetration", "checking the data", "finding transitions"]
    {
        assert!(told.iter().any(|(doing, _)| doing == phase), "{phase}");
    }
    assert!(told.iter().all(|(_, done)| (0.0..=1.0).contains(done)));
    // Each frame is told of, settling included.
    let frames: usize = flag().parts(SECONDS).unwrap().iter().map(|part| flag().frames(part)).sum();
    assert_eq!(told.iter().filter(|(doing, _)| doing == "simulating").count(), frames);
}
