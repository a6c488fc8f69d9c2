//! Promise: Pixar's USD opens our `.usda` and `.usdc` files, and finds every vertex of
//! every frame where it is.
//!
//! Needs the real package: `PROSCENIUM_USD` names the Python that has it, as
//! `cargo xtask test --peers` installs it. Without, the test says so and passes.

#![allow(clippy::unwrap_used)]

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::common::{Plant, away};
use proscenium_ensemble::export::{Take, to_usda, to_usdc};
use proscenium_ensemble::{CompressedEnsemble, compress};
use proscenium_work::Progress;
use serde_json::Value;

const FRAMES: u32 = 12;

#[test]
fn usd_finds_every_vertex() {
    let Some(python) = std::env::var_os("PROSCENIUM_USD") else {
        println!("skipped: no USD; run: cargo xtask test --peers");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut plant = Plant::new(3);
    // Names that are no identifiers, and two that become the same one.
    plant.groups[1].name = "leaf \"à\" 1".to_owned();
    plant.groups[2].name = "1st-leaf".to_owned();
    plant.groups[3].name = "1st leaf".to_owned();
    let compressed = compress(&plant.ensemble(1, FRAMES), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let take = Take::of_sequence(&compressed, 0);
    let text = to_usda(&take, &Progress::none()).finished().unwrap().into_bytes();
    let binary = to_usdc(&take, &Progress::none()).finished().unwrap();
    for (name, bytes) in [("plant.usda", text), ("plant.usdc", binary)] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        check(&python, &path, &compressed, &take);
    }
}

fn check(python: &OsStr, path: &Path, compressed: &CompressedEnsemble, take: &Take) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/usd/check.py");
    let output = Command::new(python).arg(script).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["up"], &found["metres"], &found["rate"]), (&"Y".into(), &1.0.into(), &30.0.into()));
    assert_eq!(found["default"], "plant");
    let frames: Vec<Vec<[f32; 3]>> = take.frames().collect();
    for (group, data) in compressed.groups().iter().enumerate() {
        let mesh = &found["meshes"][group];
        assert_eq!(mesh["name"], data.name);
        let indices: Vec<u32> = serde_json::from_value(mesh["indices"].clone()).unwrap();
        assert_eq!(indices, data.triangles.as_flattened());
        let theirs: Vec<Vec<[f32; 3]>> = serde_json::from_value(mesh["frames"].clone()).unwrap();
        assert_eq!(theirs.len(), FRAMES as usize);
        for (ours, theirs) in frames.iter().zip(&theirs) {
            assert_eq!(&ours[compressed.vertices_of(group)], theirs.as_slice(), "to the bit");
        }
        let extents: Vec<[[f32; 3]; 2]> = serde_json::from_value(mesh["extents"].clone()).unwrap();
        for ([low, high], places) in extents.iter().zip(&theirs) {
            assert!(places.iter().all(|place| (0..3).all(|axis| (low[axis]..=high[axis]).contains(&place[axis]))));
            assert!(away(*low, *high) > 0.1);
        }
    }
}

#[test]
fn names_become_identifiers() {
    let mut plant = Plant::new(2);
    plant.groups[1].name = "7 \"leaves\"".to_owned();
    plant.groups[2].name = "7.\"leaves\"".to_owned();
    let compressed = compress(&plant.ensemble(1, 3), 1e-3, &Progress::none()).unwrap().finished().unwrap();
    let text = to_usda(&Take::of_sequence(&compressed, 0), &Progress::none()).finished().unwrap();
    assert!(text.starts_with("#usda 1.0\n"));
    assert!(text.contains("def Mesh \"_7__leaves_\" (\n        displayName = \"7 \\\"leaves\\\"\""));
    assert!(text.contains("def Mesh \"_7__leaves__2\""));
    assert_eq!(text.matches("            3: [").count(), 6, "points and extents of three groups");
}
