//! Promise: a clip that is written to a `.glb` file and read again is the same
//! clip, key by key and to the bit, and the same clip always gives the same
//! bytes.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use crate::common;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use proscenium_clip::glam::{DQuat, DVec3, Quat, Vec3};
use proscenium_clip::{Clip, GlbImport, Key, Material, Mesh, Node, NodeId, Track};

#[test]
fn clips_come_back_the_same() {
    for (name, clip) in common::clips() {
        let bytes = clip.to_glb().unwrap();
        assert_eq!(bytes, clip.to_glb().unwrap(), "{name} differs from itself");
        let import = GlbImport::from_glb(&bytes).unwrap();
        assert_eq!(import.clip, clip, "{name}");
        assert!(import.warnings.is_empty(), "{name}: {:?}", import.warnings);
    }
}

#[test]
fn tracks_with_the_same_times_share_them() {
    let clip = |phases: &[f64]| {
        let mut clip = Clip::new("shared");
        for (index, &phase) in phases.iter().enumerate() {
            clip.add_node(Node::new(format!("{index}")).with_track(common::flight(1000, phase)));
        }
        clip.to_glb().unwrap().len()
    };
    // Positions and orientations of 28 bytes per key, and some JSON.
    let grown = clip(&[0.0, 1.0]) - clip(&[0.0]);
    assert!((28_000..28_800).contains(&grown), "{grown}");
}

#[test]
fn what_never_moves_has_one_key() {
    let mut clip = Clip::new("constant");
    let mut track = common::flight(1000, 0.0);
    for (index, key) in track.keys.iter_mut().enumerate() {
        *key = Key { time: key.time, ..Key::new(0.0, Vec3::ONE, Quat::from_rotation_x(1.0)) };
        // The same orientation by its other quaternion.
        if index % 2 == 1 {
            key.orientation = -key.orientation;
        }
    }
    clip.add_node(Node::new("rock").with_track(track));
    let bytes = clip.to_glb().unwrap();
    assert!(bytes.len() < 2000, "{}", bytes.len());
    let back = Clip::from_glb(&bytes).unwrap();
    assert_eq!(back.duration_secs, clip.duration_secs);
    assert_eq!(back.nodes[0].track.as_ref().unwrap().keys.len(), 1);
    assert_eq!(back.world_from_node(NodeId(0), 3.0), clip.world_from_node(NodeId(0), 3.0));
}

#[test]
fn neighbouring_quaternions_have_the_same_sign() {
    let mut clip = Clip::new("signs");
    let mut track = common::flight(100, 0.0);
    for key in track.keys.iter_mut().step_by(3) {
        key.orientation = -key.orientation;
    }
    clip.add_node(Node::new("spinner").with_track(track));
    let back = Clip::from_glb(&clip.to_glb().unwrap()).unwrap();
    let keys = &back.nodes[0].track.as_ref().unwrap().keys;
    assert!(keys.windows(2).all(|pair| pair[0].orientation.dot(pair[1].orientation) > 0.0));
    for step in 0..500 {
        let time = step as f32 * 0.002;
        let (ours, theirs) = (clip.nodes[0].pose(time), back.nodes[0].pose(time));
        assert_eq!(ours.position, theirs.position);
        assert!(ours.orientation == theirs.orientation || ours.orientation == -theirs.orientation);
    }
}

#[test]
fn files_appear_whole_and_errors_name_them() {
    let folder = std::env::temp_dir().join(format!("proscenium-clip-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("carousel.glb");
    let (_, clip) = common::clips().swap_remove(0);
    clip.write_glb(&path).unwrap();
    clip.write_glb(&path).unwrap();
    assert_eq!(Clip::read_glb(&path).unwrap(), clip);
    // No temporary file stays, not even after a failure.
    assert!(clip.write_glb(folder.join("missing").join("x.glb")).is_err());
    assert!(clip.write_glb(&folder).is_err());
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["carousel.glb"]);
    std::fs::write(&path, "junk").unwrap();
    let error = Clip::read_glb(&path).unwrap_err();
    assert!(error.to_string().contains("carousel.glb"), "{error}");
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("does not begin with \"glTF\""));
    std::fs::remove_dir_all(&folder).unwrap();
    let error = Clip::read_glb(&path).unwrap_err().to_string();
    assert!(error.contains("cannot read"), "{error}");
}

#[test]
fn invalid_clips_are_not_written() {
    let mut clip = Clip::new("bad");
    clip.add_node(Node::new("lost").with_mesh(3));
    assert!(clip.to_glb().unwrap_err().to_string().contains("mesh index of node \"lost\" is 3"));
}

fn numbers() -> impl Strategy<Value = f32> {
    prop_oneof![-10.0..10.0f32, -1e30..1e30f32, prop::num::f32::SUBNORMAL, Just(0.0f32), Just(f32::MAX)]
}

fn orientations() -> impl Strategy<Value = Quat> {
    prop::array::uniform4(-1.0..1.0f64)
        .prop_filter("needs a direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 0.01)
        .prop_map(|q| DQuat::from_array(q).normalize().as_quat())
}

fn vectors() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(numbers()).prop_map(Vec3::from_array)
}

/// With two positions at least, so that no track is constant.
fn tracks() -> impl Strategy<Value = Track> {
    prop::collection::btree_map(0u32..100_000, (vectors(), orientations()), 2..20).prop_map(|samples| {
        let mut step = 0.0;
        Track::from_samples(samples.into_iter().map(|(time, (position, orientation))| {
            step += 1.0;
            let time = f64::from(time) * 0.01 + step;
            (time, DVec3::new(step, f64::from(position.y), f64::from(position.z)), orientation.as_dquat())
        }))
        .unwrap()
    })
}

fn nodes() -> impl Strategy<Value = Vec<Node>> {
    let node =
        (any::<prop::sample::Index>(), any::<bool>(), vectors(), orientations(), vectors(), prop::option::of(tracks()));
    prop::collection::vec(node, 0..8).prop_map(|nodes| {
        let mut result: Vec<Node> = Vec::new();
        for (index, (parent, has_parent, position, orientation, scale, track)) in nodes.into_iter().enumerate() {
            let mut node = Node::new(format!("node {index}")).with_rest(position, orientation).with_scale(scale);
            node.track = track;
            if index > 0 && has_parent {
                node.parent = Some(NodeId(parent.index(index) as u32));
            }
            if index % 2 == 0 {
                node.mesh = Some(0);
            }
            result.push(node);
        }
        result
    })
}

proptest! {
    // Failures are kept beside the test, to be committed and run again.
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_clip_comes_back_the_same(
        nodes in nodes(),
        extra in prop_oneof![Just(0.0f32), 0.0..100.0f32],
        color in prop::array::uniform4(0.0..=1.0f32),
        positions in prop::array::uniform3(prop::array::uniform3(numbers())),
    ) {
        let mut clip = Clip::new("any");
        clip.add_material(Material { base_color: color, ..Material::new("", [0.0; 3]) });
        clip.add_mesh(Mesh::flat_shaded(&positions, &[[0, 1, 2]]).unwrap().with_material(0));
        for node in nodes {
            clip.add_node(node);
        }
        clip.duration_secs += extra;
        let back = Clip::from_glb(&clip.to_glb().unwrap()).unwrap();
        prop_assert_eq!(back, clip);
    }
}
