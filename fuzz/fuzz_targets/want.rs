//! What should happen, in words: any text is wants of a scene or an error that
//! says why not.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use proscenium_scenes::{DirectedScene, Scene, find};

/// A scene with dice, and one with groups of bodies.
static SCENES: LazyLock<[Scene; 2]> = LazyLock::new(|| {
    ["table", "bowling"].map(|name| {
        find(name, &[]).expect("it is built in").without_wants().expect("it needs no wants")
    })
});

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for scene in &*SCENES {
        match scene.with_wants(text) {
            Ok(wanting) => {
                let _ = DirectedScene::new(&wanting);
            }
            Err(errors) => assert!(!errors.to_string().is_empty()),
        }
    }
});
