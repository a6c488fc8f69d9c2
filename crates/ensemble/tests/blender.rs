//! Promise: Blender opens what we export and puts every vertex of every frame
//! where it is: morph targets, vertex caches and vertex-animation textures.
//!
//! Needs the real package: `PROSCENIUM_BLENDER` names the Python that has
//! Blender as its module `bpy`, as `cargo xtask test --peers` installs it.
//! Without, the test says so and passes.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use crate::common::{Plant, away};
use proscenium_ensemble::export::{Take, TexturePrecision, base_obj, to_glb, to_mdd, to_pc2, to_vertex_texture};
use proscenium_ensemble::{CompressedEnsemble, compress};
use proscenium_work::Progress;
use serde::Deserialize;

const FRAMES: u32 = 10;

type Frames = Vec<Vec<[f32; 3]>>;

#[derive(Deserialize)]
struct BlenderVertices {
    morphs: std::collections::BTreeMap<String, Frames>,
    pc2: Frames,
    mdd: Frames,
    texture: Texture,
}

#[derive(Deserialize)]
struct Texture {
    places: Frames,
    normals: Frames,
}

fn compare(what: &str, ours: &[Vec<[f32; 3]>], theirs: &[Vec<[f32; 3]>], error: f64) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (frame, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        assert_eq!(ours.len(), theirs.len(), "{what}");
        for (vertex, (a, b)) in ours.iter().zip(theirs).enumerate() {
            let off = away(*a, *b);
            assert!(off <= error, "{what}: vertex {vertex} of frame {frame} is {off} m off: {b:?} for {a:?}");
        }
    }
}

fn write(compressed: &CompressedEnsemble, take: &Take, folder: &Path) {
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    put("plant.glb", &to_glb(take, usize::MAX, &Progress::none()).unwrap().finished().unwrap().bytes);
    put("plant.obj", base_obj(compressed).as_bytes());
    put("plant.pc2", &to_pc2(take, &Progress::none()).unwrap().finished().unwrap());
    put("plant.mdd", &to_mdd(take, &Progress::none()).unwrap().finished().unwrap());
    let texture = to_vertex_texture(take, TexturePrecision::Full, &[], &Progress::none()).unwrap().finished().unwrap();
    put("plant_vat.exr", &texture.picture);
    put("plant-remap_info.json", texture.json.as_bytes());
    put("texture.glb", &texture.glb);
}

#[test]
fn blender_finds_every_vertex() {
    let Some(python) = std::env::var_os("PROSCENIUM_BLENDER") else {
        println!("skipped: no Blender; run: cargo xtask test --peers");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let compressed = compress(&Plant::new(3).ensemble(1, FRAMES), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let take = Take::of_sequence(&compressed, 0);
    write(&compressed, &take, folder.path());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/blender/check.py");
    let output = Command::new(python).arg(script).arg(folder.path()).arg(FRAMES.to_string()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let result = text.lines().find_map(|line| line.strip_prefix("RESULT "));
    let result = result.unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)));
    let found: BlenderVertices = serde_json::from_str(result).unwrap();
    let frames: Frames = take.frames().collect();
    compare("pc2", &frames, &found.pc2, 1e-6);
    compare("mdd", &frames, &found.mdd, 1e-5);
    compare("texture", &frames, &found.texture.places, 1e-5);
    for normal in found.texture.normals.iter().flatten() {
        assert!((away(*normal, [0.0; 3]) - 1.0).abs() < 1e-4);
    }
    assert_eq!(found.morphs.len(), compressed.groups().len());
    for (group, data) in compressed.groups().iter().enumerate() {
        let ours: Frames = frames.iter().map(|frame| frame[compressed.vertices_of(group)].to_vec()).collect();
        compare(&data.name, &ours, &found.morphs[&data.name], 1e-5);
    }
}
