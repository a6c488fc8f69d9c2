//! Promise: every tree bounds its solid, on its surface and inside, at every
//! level; refinement only removes false contacts; normals converge.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::{Arc, Mutex};

use proscenium_chance::{Seed, Stream};
use proscenium_geometry::Pose;
use proscenium_lod::contact::PlacedPair;
use proscenium_lod::glam::DVec3;
use proscenium_lod::mesh::{BUILT_IN, built_in};
use proscenium_lod::{SolidMesh, TreeKind, TreeSettings, VolumeModel};
use proscenium_work::{Progress, Stop};

fn model(name: &str, kind: TreeKind, depth: u32) -> VolumeModel {
    let mesh = built_in(name, 1500).unwrap();
    VolumeModel::build(name, &mesh, TreeSettings { kind, depth }, &Progress::none()).unwrap().finished().unwrap()
}

/// A point of the surface.
fn surface_point(mesh: &SolidMesh, stream: &mut Stream) -> DVec3 {
    let triangle = mesh.triangles()[stream.below(mesh.triangles().len() as u64) as usize];
    let [a, b, c] = triangle.map(|vertex| mesh.vertices()[vertex as usize]);
    let (mut u, mut v) = (stream.uniform(), stream.uniform());
    if u + v > 1.0 {
        (u, v) = (1.0 - u, 1.0 - v);
    }
    a + u * (b - a) + v * (c - a)
}

/// Whether a point is inside: the solid angle of the surface around it.
fn is_inside(mesh: &SolidMesh, point: DVec3) -> bool {
    let angle: f64 = mesh
        .triangles()
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|vertex| mesh.vertices()[vertex as usize] - point);
            let (x, y, z) = (a.length(), b.length(), c.length());
            let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
            2.0 * libm::atan2(a.dot(b.cross(c)), below)
        })
        .sum();
    angle > std::f64::consts::TAU
}

#[test]
fn every_tree_bounds_its_mesh() {
    for name in BUILT_IN {
        let mut stream = Seed(2).stream(name);
        let points: Vec<DVec3> = {
            let mesh = model(name, TreeKind::Octree, 0).mesh().clone();
            let on = (0..100).map(|_| surface_point(&mesh, &mut stream)).collect::<Vec<_>>();
            let low = mesh.vertices().iter().copied().reduce(DVec3::min).unwrap();
            let high = mesh.vertices().iter().copied().reduce(DVec3::max).unwrap();
            let mut any = || low + (high - low) * DVec3::new(stream.uniform(), stream.uniform(), stream.uniform());
            let inside: Vec<DVec3> = (0..250).map(|_| any()).filter(|point| is_inside(&mesh, *point)).collect();
            assert!(inside.len() > 10, "{name}");
            on.into_iter().chain(inside).collect()
        };
        for kind in TreeKind::ALL {
            let model = model(name, kind, 4);
            for level in 0..=4 {
                let cover = model.cover(level);
                for point in &points {
                    let bounds = cover.iter().any(|node| model.nodes()[*node].volume.contains(*point));
                    assert!(bounds, "{name} {kind:?} level {level}: {point}");
                }
            }
        }
    }
}

#[test]
fn nodes_say_what_they_hold() {
    for kind in TreeKind::ALL {
        let model = model("torus", kind, 4);
        for node in model.nodes() {
            assert!((0.0..=1.0).contains(&node.occupancy));
            assert!(node.normal == DVec3::ZERO || (node.normal.length() - 1.0).abs() < 1e-9);
            assert!(node.group().is_none_or(|group| group < model.groups()));
        }
        // The parts of a level together are the solid.
        for level in 0..=4 {
            let nodes = model.cover(level).into_iter().map(|node| &model.nodes()[node]);
            let filled: f64 = nodes.map(|node| node.occupancy * node.volume.size()).sum();
            assert!((filled / model.mesh().volume() - 1.0).abs() < 0.03, "{kind:?} level {level}");
        }
    }
}

#[test]
fn levels_fit_ever_better() {
    for kind in TreeKind::ALL {
        let measures = model("knot", kind, 4).measure(&Progress::none()).unwrap().finished().unwrap();
        for pair in measures.windows(2) {
            assert!(pair[1].nodes > pair[0].nodes, "{kind:?}");
            assert!(pair[1].excess_volume < pair[0].excess_volume, "{kind:?}: {pair:?}");
            assert!(pair[1].hausdorff < pair[0].hausdorff * 1.02, "{kind:?}: {pair:?}");
            assert!(pair[1].excess_volume > -0.05);
        }
    }
    let excess =
        |kind| model("torus", kind, 3).measure(&Progress::none()).unwrap().finished().unwrap()[2].excess_volume;
    assert!(excess(TreeKind::Adaptive) < excess(TreeKind::Octree), "the adaptive spheres fit tighter");
    assert!(excess(TreeKind::Mixed) < excess(TreeKind::Adaptive));
}

#[test]
fn refinement_only_removes_false_contacts() {
    let seed = Seed(8).stream("pairs");
    let (mut false_contacts, mut true_contacts) = (0, 0);
    for kind in TreeKind::ALL {
        let (a, b) = (model("knot", kind, 4), model("torus", kind, 4));
        for sample in 0..40 {
            let mut stream = seed.at(sample);
            let pose_a = Pose::new(DVec3::ZERO, stream.rotation());
            let pose_b = Pose::new(2.2 * stream.uniform() * stream.unit_vector(), stream.rotation());
            let pair = PlacedPair::new(&a, &pose_a, &b, &pose_b);
            let meet: Vec<bool> = (0..=4).map(|level| pair.meet_at(level)).collect();
            // Once refinement has shown that they do not touch, they do not.
            assert!(meet.windows(2).all(|pair| pair[0] || !pair[1]), "{kind:?}: {meet:?}");
            // A vertex of one inside the other is a contact at every level.
            let inside = a.mesh().vertices().iter().any(|vertex| {
                let local = pose_b.inverse_transform_point(pose_a.transform_point(*vertex));
                let at = b.mesh_from_model().transform_point(local);
                let from_ring = length(length(at.x, at.z) - 0.72, at.y);
                from_ring < 0.27
            });
            assert!(!inside || meet.iter().all(|meet| *meet), "{kind:?}: {meet:?}");
            true_contacts += u32::from(inside);
            false_contacts += u32::from(meet[0] && !meet[4]);
        }
    }
    assert!(false_contacts > 5 && true_contacts > 20, "{false_contacts} {true_contacts}");
}

fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// The normals of nodes from the occupancy gradient, against the normal of the
/// torus at the node: the mean angle falls with the level.
#[test]
fn normals_converge() {
    let ring = |point: DVec3| {
        let axis = DVec3::new(point.x, 0.0, point.z).normalize_or_zero();
        (point - 0.72 * axis).normalize_or_zero()
    };
    let error = |depth: u32| {
        let model = model("torus", TreeKind::Octree, depth);
        let pose = model.mesh_from_model();
        let surface = model.cover(depth);
        let angles =
            surface.iter().map(|node| &model.nodes()[*node]).filter(|node| node.group().is_some()).map(|node| {
                let truth = ring(pose.transform_point(node.volume.center));
                (pose.rotation * node.normal).dot(truth).clamp(-1.0, 1.0)
            });
        angles.clone().sum::<f64>() / angles.count() as f64
    };
    let cosines = [2, 3, 4, 5].map(error);
    assert!(cosines.is_sorted(), "{cosines:?}");
    assert!(cosines[3] > 0.97, "{cosines:?}");
}

#[test]
fn a_million_triangles_become_a_model() {
    let mesh = built_in("torus", 1_000_000).unwrap();
    let settings = TreeSettings { kind: TreeKind::Octree, depth: 3 };
    let told = Arc::new(Mutex::new(Vec::new()));
    let list = told.clone();
    let watched = Progress::watched(&Stop::new(), move |report| list.lock().unwrap().push(report.done));
    let built = VolumeModel::build("fine", &mesh, settings, &watched).unwrap().finished();
    assert!(built.unwrap().mesh().triangles().len() >= 1_000_000);
    let told = told.lock().unwrap();
    assert!(told.is_sorted() && told.len() > 4, "{told:?}");
    // And the work can be stopped: every triangle asks.
    assert!(watched.questions() > 1_000_000);
    let stopped = VolumeModel::build("fine", &mesh, settings, &Progress::stopping_at(1000)).unwrap();
    assert!(stopped.finished().is_none());
}
