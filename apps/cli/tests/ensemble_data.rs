//! Promise: data of other programs comes in by one command and goes out by
//! another, with a report of what it came to; and what is wrong with a file is
//! told with its place.

#![allow(clippy::unwrap_used)]

use crate::common;

use std::fmt::Write as _;

use common::Folder;
use proscenium_ensemble::cache::{CacheFormat, CacheTimes, VertexCache};

const FRAMES: u32 = 40;

/// A stem and two leaves of a quad each, as OBJ, and their places at a time.
fn plant() -> (String, impl Fn(f32, f32) -> Vec<[f32; 3]>) {
    let rest: Vec<[f32; 3]> = vec![
        [0.0, 0.0, 0.0],
        [0.05, 0.0, 0.0],
        [0.0, 0.5, 0.0],
        [0.05, 0.5, 0.0],
        [0.0, 1.0, 0.0],
        [0.05, 1.0, 0.0],
        [0.05, 0.5, 0.001],
        [0.35, 0.5, 0.001],
        [0.05, 0.55, 0.001],
        [0.35, 0.55, 0.001],
        [0.0, 0.9, 0.001],
        [-0.3, 0.9, 0.001],
        [0.0, 0.95, 0.001],
        [-0.3, 0.95, 0.001],
    ];
    let mut text = String::new();
    for [x, y, z] in &rest {
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    text += "o stem\nf 1 2 4 3\nf 3 4 6 5\no left\nf 7 8 10 9\no right\nf 11 12 14 13\n";
    let frame = move |time: f32, wind: f32| {
        // As smooth as needed, and the same on every platform.
        let wave = |x: f32| 4.0 * (x - x.floor()) * (1.0 - (x - x.floor())) - 0.5;
        let bend =
            |[x, y, z]: [f32; 3]| [x, y, z + wind * y * y * wave(0.3 * time) + wind * x * x * wave(1.4 * time + x)];
        rest.iter().map(|&place| bend(place)).collect()
    };
    (text, frame)
}

fn cache(wind: f32) -> VertexCache {
    let (_, frame) = plant();
    let frames = (0..FRAMES).map(|n| frame(n as f32 / 24.0, wind)).collect();
    VertexCache { frames, times: CacheTimes::Frames { start: 1.0, step: 1.0 } }
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("plant.obj", plant().0);
    folder.write("calm.pc2", cache(0.1).to_pc2().unwrap());
    folder.write("gale.mdd", cache(0.4).to_mdd(24.0).unwrap());
    folder
}

const IMPORT: &str = "ensemble import plant.obj --cache calm.pc2 --cache strong=gale.mdd --fps 24 -o plant.ensemble";

#[test]
fn data_comes_in_and_goes_out() {
    let folder = folder();
    let report = folder.run(&format!("{IMPORT} --json")).ok().json();
    assert_eq!((&report["groups"], &report["frames"]), (&3.into(), &(2 * FRAMES).into()));
    assert_eq!(report["levels"], serde_json::json!(["calm", "strong"]));
    assert_eq!(report["roots"], serde_json::json!(["stem"]));
    assert_eq!(report["joints"].as_array().unwrap().len(), 2);
    assert!(report["largest_error_m"].as_f64().unwrap() <= 1e-4);
    let outputs = "-o out.glb -o out.pc2 -o out.usda -o out.usdc -o out_vat.exr -o small_vat.png --details 0.2";
    let ran = folder.run(&format!("ensemble export plant.ensemble --level strong {outputs}")).ok();
    for name in [
        "out.glb",
        "out.pc2",
        "out.obj",
        "out.usda",
        "out_vat.exr",
        "out-remap_info.json",
        "out-mesh.glb",
        "out-mesh-lod1.glb",
        "out-lod1.glb",
        "out-lod1.usdc",
        "out-lod1.pc2",
        "small_vat.png",
        "small.glb",
        "small-lod1.glb",
    ] {
        assert!(ran.stdout.contains(name) && folder.exists(name), "{name}: {}", ran.stdout);
    }
    // The mesh of the texture once took the place of the animation.
    assert!(folder.read("out.glb") != folder.read("out-mesh.glb"));
    let back = VertexCache::read(CacheFormat::Pc2, &folder.read("out.pc2")).unwrap();
    for (ours, theirs) in cache(0.4).frames.iter().flatten().zip(back.frames.iter().flatten()) {
        assert!((0..3).all(|axis| (ours[axis] - theirs[axis]).abs() <= 1.01e-4), "{ours:?} {theirs:?}");
    }
}

#[test]
fn mistakes_are_told_with_their_place() {
    let folder = folder();
    let told = |arguments: &str, words: &[&str]| {
        let ran = folder.run(arguments).fails(1);
        for word in words {
            assert!(ran.stderr.contains(word), "{word:?} is not in: {}", ran.stderr);
        }
    };
    let cut = cache(0.1).to_pc2().unwrap();
    folder.write("cut.pc2", &cut[..1000]);
    told("ensemble import plant.obj --cache cut.pc2 -o x.ensemble", &["cut.pc2", "byte 1000", "frame 5"]);
    folder.write("odd.obj", b"v 0 0 0\nf 1 1 4\n");
    told("ensemble import odd.obj --cache calm.pc2 -o x.ensemble", &["odd.obj", "line 2", "vertex 4"]);
    told("ensemble import plant.obj -o x.ensemble", &["has no motion", "vertex cache"]);
    told("ensemble import plant.obj --cache plant.obj -o x.ensemble", &["no vertex cache", ".pc2"]);
    told("ensemble export calm.pc2 -o x.glb", &["calm.pc2", "not"]);
    told("ensemble export calm.pc2 -o x.fbx", &["x.fbx", ".usda"]);
    folder.run(IMPORT).ok();
    told("ensemble export plant.ensemble --level storm -o x.glb", &["storm", "calm, strong"]);
}
