//! Promise: meshes that bend are read as glTF defines them, to the vertex:
//! morph targets, skins and moving, growing nodes; and what is broken in them
//! is an error that names its place.

#![allow(clippy::unwrap_used)]

use crate::common;

use proptest::prelude::*;
use proscenium_clip::glam::{DQuat, DVec3, Quat, Vec3};
use proscenium_clip::{Clip, ClipError, DeformingGlb};
use serde_json::{Value, json};

fn near(found: [f32; 3], expected: DVec3) {
    let found = Vec3::from_array(found).as_dvec3();
    assert!((found - expected).length() < 1e-6, "{found} in place of {expected}");
}

fn place(positions: &[Vec<[f32; 3]>], part: usize, vertex: usize) -> [f32; 3] {
    positions[part][vertex]
}

#[test]
fn morphs_come_back_as_they_were_written() {
    let (clip, additions) = common::waving();
    let bytes = clip.to_glb_with(&additions).unwrap();
    let deforming = DeformingGlb::from_glb(&bytes).unwrap();
    assert_eq!(deforming.animations().collect::<Vec<_>>(), [("waving", 2.0)]);
    let part = &deforming.parts()[0];
    assert_eq!(part.name, "flag");
    // The cuboid's 24 corners are 8 places, but the targets tell some apart.
    let morph = &additions.morphs[0];
    let mesh = &clip.meshes[0];
    for (time, weights) in [(0.0, [0.0, 0.25]), (1.0, [1.0, 0.5]), (1.5, [0.5, 0.75]), (9.0, [0.0, 1.0])] {
        let found = deforming.positions(Some(0), time);
        let node = clip.nodes[0].track.as_ref().unwrap().sample(time as f32);
        let expected = mesh.positions.iter().enumerate().map(|(vertex, base)| {
            let offset = |target: usize| Vec3::from_array(morph.targets[target].offsets[vertex]).as_dvec3();
            let bent = Vec3::from_array(*base).as_dvec3() + weights[0] * offset(0) + weights[1] * offset(1);
            node.orientation.as_dquat() * bent + node.position.as_dvec3()
        });
        for expected in expected {
            let nearest = found[0].iter().map(|place| (Vec3::from_array(*place).as_dvec3() - expected).length());
            assert!(nearest.fold(f64::MAX, f64::min) < 1e-5, "nothing at {expected} at {time} s");
        }
    }
    // The rest of the clip reads as before, and what bends is left out.
    assert_eq!(Clip::from_glb(&bytes).unwrap().nodes, clip.nodes);
}

/// A strip of three vertices on two bones, the second of which turns.
fn skinned() -> (Value, Vec<u8>) {
    let mut binary = Vec::new();
    let mut put = |numbers: &[f32]| {
        let offset = binary.len();
        binary.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        json!({ "buffer": 0, "byteOffset": offset, "byteLength": binary.len() - offset })
    };
    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let mut up_by_one = identity;
    up_by_one[13] = -1.0;
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let views = [
        put(&[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0]),
        put(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        put(&[1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        put(&[identity, up_by_one].concat()),
        put(&[0.0, 1.0]),
        put(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half]),
    ];
    // Joints are bytes; the floats of view 1 are replaced by them.
    let joints = binary.len();
    binary.extend([0u8, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]);
    let mut views = views.to_vec();
    views[1] = json!({ "buffer": 0, "byteOffset": joints, "byteLength": 12 });
    let accessor = |view: usize, component: u32, count: usize, kind: &str| json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
    let document = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [
            // The place of a skinned mesh's own node does not matter.
            { "name": "strip", "mesh": 0, "skin": 0, "translation": [5.0, 5.0, 5.0] },
            { "name": "foot", "children": [2] },
            { "name": "knee", "translation": [0.0, 1.0, 0.0] },
        ],
        "skins": [{ "joints": [1, 2], "inverseBindMatrices": 3 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 } }] }],
        "animations": [{
            "name": "kick",
            "channels": [{ "sampler": 0, "target": { "node": 2, "path": "rotation" } }],
            "samplers": [{ "input": 4, "output": 5 }],
        }],
        "accessors": [
            accessor(0, 5126, 3, "VEC3"), accessor(1, 5121, 3, "VEC4"), accessor(2, 5126, 3, "VEC4"),
            accessor(3, 5126, 2, "MAT4"), accessor(4, 5126, 2, "SCALAR"), accessor(5, 5126, 2, "VEC4"),
        ],
        "bufferViews": views,
        "buffers": [{ "byteLength": binary.len() }],
    });
    (document, binary)
}

#[test]
fn skins_bend_by_the_bones() {
    let (document, binary) = skinned();
    let deforming = DeformingGlb::from_glb(&common::glb(&document, &binary)).unwrap();
    assert_eq!(deforming.animations().collect::<Vec<_>>(), [("kick", 1.0)]);
    for (time, angle) in [(0.0, 0.0), (0.5, 0.25), (1.0, 0.5)] {
        let turn = DQuat::from_rotation_z(angle * std::f64::consts::PI);
        let positions = deforming.positions(Some(0), time);
        near(place(&positions, 0, 0), DVec3::ZERO);
        near(place(&positions, 0, 1), DVec3::Y);
        near(place(&positions, 0, 2), DVec3::Y + turn * DVec3::Y);
    }
    assert_eq!(deforming.positions(None, 0.7), deforming.positions(Some(0), 0.0));
}

#[test]
fn nodes_may_grow_and_carry_others() {
    let (mut document, binary) = skinned();
    // A mesh without a skin, below the knee, which turns.
    document["meshes"][0]["primitives"][0]["attributes"] = json!({ "POSITION": 0 });
    document["nodes"][0] = json!({ "name": "strip", "mesh": 0, "scale": [2.0, 3.0, 1.0] });
    document["nodes"][2]["children"] = json!([0]);
    document["nodes"][1]["mesh"] = json!(0);
    document["scenes"][0]["nodes"] = json!([1]);
    let deforming = DeformingGlb::from_glb(&common::glb(&document, &binary)).unwrap();
    let strip = deforming.parts().iter().position(|part| part.name == "strip").unwrap();
    let foot = deforming.parts().iter().position(|part| part.name == "foot").unwrap();
    assert_eq!(deforming.parts()[strip].parent, Some(foot));
    assert_eq!(deforming.parts()[foot].parent, None);
    let positions = deforming.positions(Some(0), 1.0);
    near(place(&positions, strip, 2), DVec3::new(-6.0, 1.0, 0.0));
}

#[test]
fn what_is_broken_is_named() {
    let (document, binary) = skinned();
    let error = |change: &dyn Fn(&mut Value)| {
        let mut document = document.clone();
        change(&mut document);
        DeformingGlb::from_glb(&common::glb(&document, &binary)).unwrap_err().to_string()
    };
    let missing = error(&|document| {
        document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"].take();
    });
    assert!(missing.contains("nodes[0]") && missing.contains("joints and weights"), "{missing}");
    let joint = error(&|document| document["skins"][0]["joints"] = json!([1]));
    assert!(joint.contains("no joint 1"), "{joint}");
    let node = error(&|document| document["skins"][0]["joints"] = json!([1, 7]));
    assert!(node.contains("skins[0]") && node.contains("no node 7"), "{node}");
    let skin = error(&|document| document["nodes"][0]["skin"] = json!(3));
    assert!(skin.contains("skin 3"), "{skin}");
    let counts = error(&|document| document["accessors"][2]["count"] = json!(2));
    assert!(counts.contains("2 items for 3 positions"), "{counts}");
    let times = error(&|document| document["accessors"][4]["count"] = json!(1));
    assert!(times.contains("animations[0].channels[0]"), "{times}");
    let circle = error(&|document| document["nodes"][2]["children"] = json!([1]));
    assert!(circle.contains("its own ancestor"), "{circle}");
}

#[test]
fn additions_that_do_not_fit_are_refused() {
    let (clip, additions) = common::waving();
    let refused = |change: &dyn Fn(&mut proscenium_clip::GlbAdditions)| {
        let mut changed = additions.clone();
        change(&mut changed);
        clip.to_glb_with(&changed).unwrap_err()
    };
    let short = refused(&|additions| additions.morphs[0].targets[1].offsets.truncate(3));
    assert!(matches!(short, ClipError::Count { .. }), "{short}");
    let weights = refused(&|additions| additions.morphs[0].weights.push(1.0));
    assert!(matches!(weights, ClipError::Count { .. }), "{weights}");
    let infinite = refused(&|additions| additions.morphs[0].weights[0] = f32::NAN);
    assert!(matches!(infinite, ClipError::NotFinite { .. }), "{infinite}");
    let times = refused(&|additions| additions.morphs[0].times[2] = 0.5);
    assert!(matches!(times, ClipError::TimesNotIncreasing { .. }), "{times}");
    let twice = refused(&|additions| additions.morphs.push(additions.morphs[0].clone()));
    assert!(matches!(twice, ClipError::MeshShared { .. }), "{twice}");
    let node = refused(&|additions| additions.morphs[0].node = proscenium_clip::NodeId(9));
    assert!(matches!(node, ClipError::NoSuchIndex { .. }), "{node}");
    let coordinates = refused(&|additions| drop(additions.texture_coordinates.insert(0, vec![[0.5; 2]; 3])));
    assert!(matches!(coordinates, ClipError::Count { .. }), "{coordinates}");
    assert_eq!(Quat::IDENTITY, clip.nodes[0].rest.orientation);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Any change of any byte is read or refused, without a panic.
    #[test]
    fn damaged_files_are_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let (document, binary) = skinned();
        let mut bytes = common::glb(&document, &binary);
        for (index, value) in changes {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(deforming) = DeformingGlb::from_glb(&bytes) {
            let _ = deforming.positions(Some(0), 0.3);
        }
    }
}
