//! Promise: the files we write pass the Khronos glTF validator without errors
//! and without warnings.
//!
//! The validator is an npm package in `xtask/node`, which `cargo xtask test`
//! installs. Without it this test says that it is skipped; with
//! `PROSCENIUM_REQUIRE_NODE=1` its absence is a failure.

use crate::common;

use std::path::Path;
use std::process::Command;

#[test]
fn exported_files_are_valid() {
    let node = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/node");
    if !node.join("node_modules/gltf-validator").is_dir() {
        let required = std::env::var_os("PROSCENIUM_REQUIRE_NODE").is_some_and(|value| value == "1");
        assert!(!required, "the glTF validator is missing: run `npm ci` in xtask/node");
        println!("skipped: the glTF validator is not installed; run cargo xtask test");
        return;
    }
    let folder = std::env::temp_dir().join(format!("proscenium-validator-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut files = Vec::new();
    for (name, clip) in common::clips() {
        let path = folder.join(format!("{name}.glb"));
        clip.write_glb(&path).unwrap();
        files.push(path);
    }
    let (waving, additions) = common::waving();
    let path = folder.join("waving.glb");
    std::fs::write(&path, waving.to_glb_with(&additions).unwrap()).unwrap();
    files.push(path);
    let output = Command::new("node").arg(node.join("validate-glb.mjs")).args(&files).output();
    std::fs::remove_dir_all(&folder).unwrap();
    let output = output.expect("node runs, since its packages are installed");
    let text = String::from_utf8_lossy(&output.stdout);
    let reports: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), files.len(), "{}", String::from_utf8_lossy(&output.stderr));
    for report in &reports {
        println!("{}: {} infos, {} hints", report["file"], report["infos"], report["hints"]);
        for message in report["messages"].as_array().unwrap() {
            println!("  {message}");
        }
    }
    for report in reports {
        assert_eq!((&report["errors"], &report["warnings"]), (&0.into(), &0.into()), "{report:#}");
    }
    assert!(output.status.success());
}
