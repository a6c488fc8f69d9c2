//! A scene file: any text is a scene or an error with a place, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proscenium_scenes::{Scene, Seed, Source};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let source = Source::inline("fuzz.toml", text).with_folder("nowhere");
    if let Ok(scene) = Scene::parse(text, &source) {
        let drawn = scene.draw(Seed(1));
        let _ = drawn.builder();
    }
});
