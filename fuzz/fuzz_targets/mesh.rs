//! A Wavefront OBJ file as a body: any bytes are a mesh or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proscenium_scenes::{Scene, Source};

const SCENE: &str = r#"
format = 1
[materials.any]
density = 1000.0
restitution = 0.5
friction = 0.5
[[body]]
name = "found"
material = "any"
shape = { mesh = "fuzz.obj", use = "hull" }
"#;

fuzz_target!(|data: &[u8]| {
    let folder = std::env::temp_dir().join(format!("proscenium-fuzz-{}", std::process::id()));
    if std::fs::create_dir_all(&folder).is_err() || std::fs::write(folder.join("fuzz.obj"), data).is_err() {
        return;
    }
    let source = Source::inline("fuzz.toml", SCENE).with_folder(folder);
    let _ = Scene::parse(SCENE, &source);
});
