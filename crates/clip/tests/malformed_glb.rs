//! Promise: no bytes make the reader panic, hang, or take more memory than the
//! size of the file warrants; it answers with an error that names the place.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use crate::common;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use proscenium_clip::glam::Vec3;
use proscenium_clip::{Clip, Node, shapes};
use proscenium_work::Remedy as _;
use serde_json::{Value, json};

/// A small file with a bit of everything.
fn small() -> Vec<u8> {
    let mut clip = Clip::new("small");
    let cube = clip.add_mesh(shapes::cuboid(Vec3::ONE, 0.0).unwrap());
    let root = clip.add_node(Node::new("root").with_mesh(cube).with_track(common::flight(6, 0.0)));
    clip.add_node(Node::new("leaf").with_parent(root).with_scale(Vec3::splat(2.0)));
    clip.to_glb().unwrap()
}

/// The JSON and the binary chunk of a file.
fn parts(file: &[u8]) -> (Value, Vec<u8>) {
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&file[20..20 + length]).unwrap(), file[20 + length + 8..].to_vec())
}

/// Replaces one value in the JSON of the small file, and expects an error.
fn check(pointer: &str, value: Value, expected: &str) {
    let (mut json, binary) = parts(&small());
    match json.pointer_mut(pointer) {
        Some(place) => *place = value,
        None => {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            json.pointer_mut(parent).unwrap()[key] = value;
        }
    }
    let error = Clip::from_glb(&common::glb(&json, &binary)).unwrap_err().explain();
    assert!(error.contains(expected), "{pointer}: {error:?} lacks {expected:?}");
}

#[test]
fn wrong_numbers_are_named() {
    let huge = json!(u32::MAX);
    check("/accessors/0/count", huge.clone(), "accessors[0]: 4294967295 items do not fit");
    check("/accessors/0/count", json!(u64::MAX), "accessors[0]");
    check("/accessors/0/count", json!(-1), "the JSON chunk: invalid value");
    check("/accessors/0/byteOffset", json!(u64::MAX), "accessors[0]");
    check("/accessors/0/componentType", json!(5124), "no component type 5124");
    check("/accessors/0/type", json!("VEC2"), "of type Vec2 in place of Vec3");
    check("/accessors/0/type", json!("VEC5"), "unknown variant");
    check("/accessors/0/bufferView", json!(9), "buffer view 9");
    check("/accessors/2/componentType", json!(5122), "not unsigned");
    check("/accessors/2/count", json!(100_000), "accessors[2]");
    check("/bufferViews/1/byteLength", huge.clone(), "bufferViews[1]");
    check("/bufferViews/1/byteOffset", json!(u64::MAX), "bufferViews[1]");
    check("/bufferViews/1/byteStride", json!(0), "stride of 0");
    check("/bufferViews/1/byteStride", json!(u64::MAX), "accessors[0]");
    check("/bufferViews/1/buffer", json!(1), "no buffer 1");
    check("/meshes/0/primitives/0/attributes/POSITION", huge.clone(), "uses accessor 4294967295");
    check("/meshes/0/primitives/0/material", json!(0), "uses material 0");
    check("/nodes/0/mesh", json!(7), "nodes[0]: it uses mesh 7");
    check("/nodes/0/children", json!([7]), "no node 7");
    check("/nodes/0/children", json!([1, 1]), "has a parent already");
    check("/nodes/1/children", json!([1]), "has a parent already");
    check("/nodes/0/translation", json!([1e300, 0, 0]), "nodes[0]: its placement is not finite");
    check("/nodes/0/rotation", json!([0, 0, 0, 0]), "nodes[0].rotation: it has no direction");
    check("/scene", json!(3), "no scene 3");
    check("/scenes/0/nodes", json!([8]), "no node 8");
    check("/animations/0/channels/0/sampler", json!(5), "no sampler 5");
    check("/animations/0/channels/0/target/node", json!(5), "no node 5");
    check("/animations/0/channels/1/target/path", json!("translation"), "moved twice");
    check("/animations/0/samplers/0/output", json!(0), "values for 6 times");
    check("/animations/0/samplers/0/input", json!(0), "of type Vec3 in place of Scalar");
    check("/animations/0/samplers/0/interpolation", json!("CUBICSPLINE"), "6 values for 6 times");
    check("/asset/extras/proscenium/duration_secs", json!("long"), "asset.extras.proscenium");
    check("/asset/extras/proscenium/format", json!("x"), "asset.extras.proscenium");
}

#[test]
fn loops_in_the_hierarchy_are_refused() {
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "children": [1] }, { "children": [2] }, { "children": [0] }],
    });
    let error = Clip::from_glb(&common::glb(&json, &[])).unwrap_err().explain();
    assert!(error.contains("its own ancestor"), "{error}");
}

#[test]
fn deep_hierarchies_do_not_overflow_the_stack() {
    let nodes: Vec<Value> =
        (0..100_000).map(|index| if index == 0 { json!({}) } else { json!({ "children": [index - 1] }) }).collect();
    let json = json!({ "asset": { "version": "2.0" }, "nodes": nodes });
    let clip = Clip::from_glb(&common::glb(&json, &[])).unwrap();
    assert_eq!(clip.nodes.len(), 100_000);
    let mut nested = b"[".repeat(100_000);
    nested.resize(nested.len().next_multiple_of(4), b' ');
    assert!(Clip::from_glb(&with_json(&nested)).is_err());
}

fn with_json(json: &[u8]) -> Vec<u8> {
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend((20 + json.len() as u32).to_le_bytes());
    file.extend((json.len() as u32).to_le_bytes());
    file.extend(b"JSON");
    file.extend(json);
    file
}

/// Counts without data behind them, and data that is used again and again.
#[test]
fn small_files_cannot_unfold_to_large_ones() {
    let zeros = |kind: &str, count: u64| json!({ "componentType": 5126, "count": count, "type": kind });
    let mesh = |count: usize| {
        let primitive = json!({ "attributes": { "POSITION": 0, "NORMAL": 0 } });
        json!([{ "primitives": vec![primitive; count] }])
    };
    for (count, primitives) in [(u64::MAX, 1), (4_000_000_000, 1), (3_000_000, 500)] {
        let json = json!({
            "asset": { "version": "2.0" },
            "accessors": [zeros("VEC3", count)],
            "meshes": mesh(primitives),
        });
        let error = Clip::from_glb(&common::glb(&json, &[])).unwrap_err().explain();
        assert!(error.contains("far more than the file's size"), "{error}");
    }
    // The same hundred thousand keys for a thousand nodes.
    let times: Vec<u8> = (0..100_000u32).flat_map(|time| (time as f32).to_le_bytes()).collect();
    let channel = |node: usize| json!({ "sampler": 0, "target": { "node": node, "path": "translation" } });
    let json = json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "byteLength": times.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": times.len() }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 100_000, "type": "SCALAR" },
            zeros("VEC3", 100_000),
        ],
        "nodes": vec![json!({}); 1000],
        "animations": [{
            "channels": (0..1000).map(channel).collect::<Vec<_>>(),
            "samplers": [{ "input": 0, "output": 1 }],
        }],
    });
    let error = Clip::from_glb(&common::glb(&json, &times)).unwrap_err().explain();
    assert!(error.contains("animations[0]") && error.contains("far more"), "{error}");
    // Millions of empty nodes.
    let mut nodes = br#"{"asset":{"version":"2.0"},"nodes":["#.to_vec();
    nodes.extend(b"{},".repeat((1 << 21) + 1));
    nodes.extend(b"{}]}");
    let error = Clip::from_glb(&with_json(&nodes)).unwrap_err().explain();
    assert!(error.contains("more than 2097152 items"), "{error}");
}

#[test]
fn every_truncation_is_refused() {
    let file = small();
    for length in 0..file.len() {
        assert!(Clip::from_glb(&file[..length]).is_err(), "cut to {length}");
    }
    assert!(Clip::from_glb(&[]).is_err());
}

/// Whatever is read must also be writable.
fn survive(bytes: &[u8]) {
    if let Ok(clip) = Clip::from_glb(bytes) {
        clip.to_glb().unwrap();
    }
}

#[test]
fn every_flipped_bit_is_survived() {
    let mut file = small();
    for index in 0..file.len() {
        for bit in 0..8 {
            file[index] ^= 1 << bit;
            survive(&file);
            file[index] ^= 1 << bit;
        }
    }
}

proptest! {
    // Failures are kept beside the test, to be committed and run again.
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        cases: 1000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damage_is_survived(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        end in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let mut file = small();
        for (index, byte) in damage {
            *index.get_mut(&mut file) = byte;
        }
        if cut {
            file.truncate(end.index(file.len()));
        }
        survive(&file);
    }

    /// Digits replaced by others: files that parse, but lie.
    #[test]
    fn lies_are_survived(
        lies in prop::collection::vec((any::<prop::sample::Index>(), "[0-9]"), 1..6),
        swap in prop::option::of((any::<prop::sample::Index>(), prop::sample::select(vec!["STEP", "CUBICSPLINE"]))),
    ) {
        let (mut json, binary) = parts(&small());
        if let Some((sampler, interpolation)) = swap {
            let samplers = json["animations"][0]["samplers"].as_array_mut().unwrap();
            sampler.get_mut(samplers)["interpolation"] = json!(interpolation);
        }
        let mut text = json.to_string();
        let digits: Vec<usize> = text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
        for (index, digit) in lies {
            let at = *index.get(&digits);
            text.replace_range(at..=at, &digit);
        }
        if let Ok(json) = serde_json::from_str::<Value>(&text) {
            survive(&common::glb(&json, &binary));
        }
    }
}
