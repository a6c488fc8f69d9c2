//! Promise: whoever stops a mesh, a tree, a measurement or a clip waits for a
//! triangle, a node, a point or a body at most, and for nothing after that.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proscenium_chance::Seed;
use proscenium_lod::mesh::{built_in, read_mesh};
use proscenium_lod::{Budget, Crowd, LodError, Recorder, Settings, TreeKind, TreeSettings, VolumeModel};
use proscenium_work::{Completion, Progress};

/// Stops some work at questions from the first to the last; how many there are.
fn stops<T>(work: impl Fn(&Progress) -> Result<Completion<T>, LodError>) -> u64 {
    let whole = Progress::stopping_at(u64::MAX);
    assert!(work(&whole).unwrap().finished().is_some());
    let all = whole.questions();
    for question in [1, 2, all / 7, all / 3, all / 2, all - all / 5, all - 1, all].map(|question| question.max(1)) {
        let progress = Progress::stopping_at(question);
        assert!(work(&progress).unwrap().finished().is_none(), "question {question} of {all}");
        assert_eq!(progress.questions(), question, "it goes on after a stop");
    }
    all
}

#[test]
fn a_tree_asks_at_every_triangle_and_node() {
    for kind in TreeKind::ALL {
        let settings = TreeSettings { kind, depth: 3 };
        let of = |triangles: usize| {
            let mesh = built_in("knot", triangles).unwrap();
            let asked = stops(|progress| VolumeModel::build("knot", &mesh, settings, progress));
            let model = VolumeModel::build("knot", &mesh, settings, &Progress::none()).unwrap().finished().unwrap();
            let work = mesh.triangles().len() + mesh.vertices().len() + model.nodes().len();
            assert!(asked > work as u64, "{kind:?}: {asked} questions in {work} triangles, vertices and nodes");
            asked
        };
        // As much more as the mesh is larger, but for the nodes.
        assert!(of(4000) > of(1000) + 3 * 3000, "{kind:?}");
    }
}

#[test]
fn a_measurement_asks_at_every_point() {
    let settings = TreeSettings { kind: TreeKind::Adaptive, depth: 2 };
    let mesh = built_in("jack", 300).unwrap();
    let model = VolumeModel::build("jack", &mesh, settings, &Progress::none()).unwrap().finished().unwrap();
    assert!(stops(|progress| model.measure(progress)) > 3 * 20_000, "three levels of 20 000 points each");
    let nodes = model.cover(2).len() as u64;
    assert!(stops(|progress| model.level_clip(2, progress)) >= nodes);
}

#[test]
fn reading_a_mesh_asks_between_its_steps_and_along_every_rim() {
    let mesh = built_in("torus", 600).unwrap();
    let vertices = mesh.vertices().iter().map(|v| format!("v {} {} {}\n", v.x, v.y, v.z)).collect::<String>();
    let text = |from: usize| {
        let faces = mesh.triangles()[from..].iter().map(|t| t.map(|vertex| vertex + 1));
        vertices.clone() + &faces.map(|[a, b, c]| format!("f {a} {b} {c}\n")).collect::<String>()
    };
    let closed = stops(|progress| read_mesh("torus.obj", text(0).as_bytes(), progress));
    let open = stops(|progress| read_mesh("torus.obj", text(40).as_bytes(), progress));
    assert!(closed >= 5, "{closed}");
    // Two rings of the tube are missing, with ten vertices on each rim.
    assert_eq!(open, closed + 20);
}

#[test]
fn a_crowd_and_its_clip_ask_at_every_body() {
    let tree = TreeSettings { depth: 1, ..TreeSettings::default() };
    let crowd = Crowd { count: 8, triangles: 100, tree, ..Crowd::default() };
    let one = stops(|progress| crowd.models("jacks", progress));
    let all = stops(|progress| crowd.models("crowd", progress));
    assert!(all > 3 * one, "six meshes ask more than one: {all} {one}");
    let models = crowd.models("jacks", &Progress::none()).unwrap().finished().unwrap();
    let mut world = crowd.world(&models, Settings::default(), Seed(1)).unwrap();
    let mut recorder = Recorder::new();
    for frame in 1..=5 {
        world.advance(f64::from(frame) / 60.0, &[], Budget::Unlimited).unwrap();
        recorder.look(&world).unwrap();
    }
    assert_eq!(stops(|progress| recorder.clip("jacks", &world, progress)), 8);
}
