//! Promise: ArviZ opens our traces, as JSON and as Zarr, and finds the same
//! R-hat and effective sizes.
//!
//! Needs the real package: `PROSCENIUM_ARVIZ` names the Python that has it, as
//! `cargo xtask test --peers` installs it. Without, the test says so and passes.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use crate::worlds::{SEED, Sum, batch, start};
use proscenium_direct::{Method, Mix, Model, SamplerOptions, Traces};
use serde_json::Value;

fn traces() -> Traces {
    let model = Sum::new(&[1.0, 0.5, -0.7], 2.5, 0.3);
    let mix = Mix::standard(model.space()).unwrap();
    let options = SamplerOptions { method: Some(Method::Chain), chains: 3, warm_up: 100, ..SamplerOptions::default() };
    let mut sampler = start(&model, &mix, SEED, options).unwrap();
    let mut traces = Traces::new(model.quantities());
    for _ in 0..12 {
        traces.extend(batch(&mut sampler).draws);
    }
    traces
}

fn write(traces: &Traces, folder: &Path) {
    std::fs::write(folder.join("traces.json"), traces.to_arviz_json().unwrap()).unwrap();
    for (path, bytes) in traces.to_zarr().unwrap() {
        let path = folder.join("traces.zarr").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

#[test]
fn arviz_opens_both_files_and_agrees() {
    let Some(python) = std::env::var_os("PROSCENIUM_ARVIZ") else {
        println!("skipped: no ArviZ; run: cargo xtask test --peers");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let traces = traces();
    write(&traces, folder.path());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/arviz/check.py");
    let output = Command::new(python).arg(script).arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let settled = traces.settled();
    let satisfied = settled.chains().flatten().filter(|draw| draw.satisfied).count() as u64;
    for file in ["json", "zarr"] {
        let found = &found[file];
        assert_eq!(found["satisfied"], satisfied, "{file}");
        assert_eq!(found["dimensions"], serde_json::json!(["chain", "draw"]), "{file}");
        for (name, diagnosis) in traces.diagnose().unwrap().into_iter().skip(1) {
            let theirs = &found["posterior"][&name];
            let draws = settled.chains().next().unwrap().len();
            assert_eq!(theirs["shape"], serde_json::json!([3, draws]), "{file} {name}");
            for (key, ours) in [
                ("r_hat", diagnosis.r_hat),
                ("bulk", diagnosis.bulk_effective_size),
                ("tail", diagnosis.tail_effective_size),
            ] {
                let number = theirs[key].as_f64().unwrap();
                assert!((number - ours).abs() < 1e-8 * ours, "{file} {name} {key}: {ours}, not {number}");
            }
        }
    }
}

#[test]
fn the_files_hold_what_is_settled() {
    let traces = traces();
    let json: Value = serde_json::from_str(&traces.to_arviz_json().unwrap()).unwrap();
    assert_eq!(json["posterior"]["x0"].as_array().unwrap().len(), 3);
    assert_eq!(json["posterior"]["x0"][0].as_array().unwrap().len(), 10 * 64);
    assert!(json["sample_stats"]["satisfied"][0][0].is_boolean());
    let zarr = traces.to_zarr().unwrap();
    let bytes = &zarr["posterior/x0/0.0"];
    assert_eq!(bytes.len(), 3 * (10 * 64) * 8);
    let first = f64::from_le_bytes(bytes[..8].try_into().unwrap());
    assert_eq!(Some(first), json["posterior"]["x0"][0][0].as_f64());
    assert!(zarr.contains_key("sample_stats/chain/0") && zarr.contains_key(".zgroup"));
}
