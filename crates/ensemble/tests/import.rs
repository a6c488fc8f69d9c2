//! Promise: what other programs write comes in as it was: vertex caches with an
//! OBJ or glTF mesh, and glTF with morph targets; cut into groups that hang on
//! each other as they did. What does not fit together is refused by name.

#![allow(clippy::unwrap_used)]

use crate::common::{self, Plant, away};
use proptest::prelude::*;
use proscenium_clip::DeformingGlb;
use proscenium_ensemble::cache::{CacheFormat, CacheTimes, VertexCache};
use proscenium_ensemble::export::{Take, base_obj, to_glb, to_mdd, to_pc2};
use proscenium_ensemble::import::{Grouping, ImportError, ImportOptions, SourceMesh, SourceMotion, Up, assemble};
use proscenium_ensemble::{Ensemble, compress};
use proscenium_work::Progress;

fn options() -> ImportOptions {
    ImportOptions { name: "plant".to_owned(), grouping: Grouping::Automatic, reach: None, thickness: 0.002 }
}

fn motions(ensemble: &Ensemble) -> Vec<SourceMotion> {
    let sequences = ensemble.clone().into_parts().sequences.into_iter();
    sequences
        .map(|sequence| SourceMotion {
            condition: ensemble.conditions()[sequence.condition].name.clone(),
            frames: sequence.frames,
            frames_per_second: 30.0,
        })
        .collect()
}

fn same_frames(one: &Ensemble, other: &Ensemble, error: f64) {
    assert_eq!(one.frame_count(), other.frame_count());
    assert_eq!(one.sequences(), other.sequences());
    for moment in one.moments() {
        for (vertex, (a, b)) in one.positions_at(moment).iter().zip(other.positions_at(moment)).enumerate() {
            assert!(away(*a, *b) <= error, "vertex {vertex} at {moment:?}");
        }
    }
}

/// Out to OBJ and PC2, and in again: the same groups, tree and frames.
#[test]
fn caches_come_back_with_their_groups_and_tree() {
    let ensemble = Plant::new(4).ensemble(2, 60);
    let compressed = compress(&ensemble, 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let mesh = SourceMesh::from_obj(&base_obj(&compressed)).unwrap();
    let motion = |sequence: usize, format: CacheFormat| {
        let take = Take::of_sequence(&compressed, sequence);
        let write = if format == CacheFormat::Pc2 { to_pc2 } else { to_mdd };
        let bytes = write(&take, &Progress::none()).map(|bytes| bytes.finished().unwrap());
        let cache = VertexCache::read(format, &bytes.unwrap()).unwrap();
        assert_eq!(mesh.guess_up(&cache), Up::Y);
        SourceMotion::from_cache(take.name.clone(), cache, Up::Y, 30.0).unwrap()
    };
    let motions = vec![motion(0, CacheFormat::Pc2), motion(1, CacheFormat::Mdd)];
    let (back, report) = assemble(&mesh, motions, &options(), &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(report.grouping, Grouping::Objects);
    assert_eq!((report.unused_vertices, report.shared_vertices), (0, 0));
    assert_eq!(report.roots, ["stem"]);
    assert_eq!(report.joints.len(), 4);
    for joint in &report.joints {
        assert_eq!(joint.parent, "stem");
        assert!(joint.distance < 0.012, "{joint:?}");
    }
    for (one, other) in ensemble.groups().iter().zip(back.groups()) {
        assert_eq!((&one.name, &one.triangles), (&other.name, &other.triangles));
    }
    assert_eq!(ensemble.conditions(), back.conditions());
    same_frames(&ensemble, &back, 1e-4);
}

#[test]
fn connected_parts_are_found_in_one_object() {
    let plant = Plant::new(3);
    let ensemble = plant.ensemble(1, 40);
    let compressed = compress(&ensemble, 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let text: String =
        base_obj(&compressed).lines().filter(|line| !line.starts_with("g ")).collect::<Vec<_>>().join("\n");
    let mesh = SourceMesh::from_obj(&text).unwrap();
    assert_eq!(mesh.objects.len(), 1);
    let (back, report) =
        assemble(&mesh, motions(&ensemble), &options(), &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(report.grouping, Grouping::Connected);
    let names: Vec<&str> = back.groups().iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["plant-1", "plant-2", "plant-3", "plant-4"]);
    assert_eq!(report.roots, ["plant-1"]);
    same_frames(&ensemble, &back, 0.0);
}

/// Branches of branches: the root is what stands still, not what has most
/// neighbours; and groups that only pass by each other are not joined.
#[test]
fn the_tree_grows_from_what_stands_still() {
    let strip = |name: &str, base, height| common::strip(name, base, 5, height, 0.05);
    let groups = vec![
        strip("twig", [0.0, 1.0, 0.0], 1.0),
        strip("leaf", [0.0, 2.0, 0.0], 0.5),
        strip("trunk", [0.0, 0.0, 0.0], 1.0),
        strip("weed", [0.3, 0.0, 0.0], 1.0),
    ];
    let frame = |n: u32| -> Vec<[f32; 3]> {
        let wave = 0.2 * libm::sinf(0.3 * n as f32);
        let bend = |[x, y, z]: [f32; 3]| [x, y, z + wave * y * y];
        // The weed swings into the trunk now and then.
        let weed = |[x, y, z]: [f32; 3]| [x - (0.27 + wave) * y * 0.6, y, z + wave * y * y];
        let places = groups.iter().flat_map(|group| {
            group.rest.iter().map(move |&point| if group.name == "weed" { weed(point) } else { bend(point) })
        });
        places.collect()
    };
    let mut text = String::new();
    for [x, y, z] in groups.iter().flat_map(|group| &group.rest) {
        text += &format!("v {x} {y} {z}\n");
    }
    let mut first = 1;
    for group in &groups {
        text += &format!("o {}\n", group.name);
        for [a, b, c] in &group.triangles {
            text += &format!("f {} {} {}\n", a + first, b + first, c + first);
        }
        first += group.rest.len() as u32;
    }
    let mesh = SourceMesh::from_obj(&text).unwrap();
    let motion =
        SourceMotion { condition: "wind".to_owned(), frames: (0..60).map(frame).collect(), frames_per_second: 30.0 };
    let (ensemble, report) = assemble(&mesh, vec![motion], &options(), &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(report.roots, ["trunk", "weed"]);
    let parent = |name: &str| {
        let group = ensemble.groups().iter().find(|group| group.name == name).unwrap();
        group.attachment.map(|attachment| ensemble.groups()[attachment.parent].name.as_str())
    };
    assert_eq!(parent("twig"), Some("trunk"));
    assert_eq!(parent("leaf"), Some("twig"));
}

/// Out to glTF with all modes as morph targets, and in again.
#[test]
fn morph_targets_come_back_as_frames() {
    let ensemble = Plant::new(3).ensemble(1, 45);
    let compressed = compress(&ensemble, 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let written =
        to_glb(&Take::of_sequence(&compressed, 0), usize::MAX, &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(written.modes, (compressed.rank(), compressed.rank()));
    assert_eq!(written.largest_error, 0.0);
    let deforming = DeformingGlb::from_glb(&written.bytes).unwrap();
    for (frame, expected) in Take::of_sequence(&compressed, 0).frames().enumerate() {
        let found = deforming.positions(Some(0), frame as f64 / 30.0).concat();
        for (vertex, (a, b)) in found.iter().zip(&expected).enumerate() {
            assert!(away(*a, *b) < 2e-6, "vertex {vertex} of frame {frame}: {}", away(*a, *b));
        }
    }
    let mesh = SourceMesh::from_deforming(&deforming);
    let motions = SourceMotion::from_deforming(&deforming, 30.0, &Progress::none()).finished().unwrap();
    assert_eq!(motions.len(), 1);
    let (back, report) = assemble(&mesh, motions, &options(), &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(report.grouping, Grouping::Objects);
    same_frames(&ensemble, &back, 2e-4);
}

#[test]
fn a_gltf_mesh_takes_a_cache_of_another_order() {
    let ensemble = Plant::new(2).ensemble(1, 30);
    let compressed = compress(&ensemble, 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let still = Take::of_sequence(&compressed, 0).shortened(1);
    let deforming =
        DeformingGlb::from_glb(&to_glb(&still, usize::MAX, &Progress::none()).unwrap().finished().unwrap().bytes)
            .unwrap();
    let mesh = SourceMesh::from_deforming(&deforming);
    // The mesh at the first frame, and a cache that lists the vertices backwards.
    let mesh = SourceMesh { vertices: deforming.positions(Some(0), 0.0).concat(), ..mesh };
    let mut backwards = motions(&ensemble).remove(0);
    backwards.frames.iter_mut().for_each(|frame| frame.reverse());
    let matched = backwards.clone().matched(&mesh).unwrap();
    let (back, _) = assemble(&mesh, vec![matched], &options(), &Progress::none()).unwrap().finished().unwrap();
    same_frames(&ensemble, &back, 1e-9);
    backwards.frames.rotate_left(12);
    let error = backwards.matched(&mesh).unwrap_err();
    assert!(matches!(error, ImportError::Unmatched { .. }), "{error}");
}

#[test]
fn the_way_up_is_guessed() {
    let ensemble = Plant::new(1).ensemble(1, 5);
    let compressed = compress(&ensemble, 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let mesh = SourceMesh::from_obj(&base_obj(&compressed)).unwrap();
    let truth = motions(&ensemble).remove(0).frames;
    let frames = truth.iter().map(|frame| frame.iter().map(|&place| Up::Z.revert(place)).collect());
    let cache = VertexCache { frames: frames.collect(), times: CacheTimes::Frames { start: 1.0, step: 1.0 } };
    assert_eq!(mesh.guess_up(&cache), Up::Z);
    let motion = SourceMotion::from_cache("calm", cache, Up::Z, 30.0).unwrap();
    assert_eq!(motion.frames, truth);
    let turned =
        SourceMesh { vertices: mesh.vertices.iter().map(|&place| Up::Z.revert(place)).collect(), ..mesh.clone() };
    assert_eq!(turned.turned(Up::Z), mesh);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let ensemble = Plant::new(1).ensemble(2, 5);
    let compressed = compress(&ensemble, 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let mesh = SourceMesh::from_obj(&base_obj(&compressed)).unwrap();
    let refused = |change: &dyn Fn(&mut Vec<SourceMotion>)| {
        let mut motions = motions(&ensemble);
        change(&mut motions);
        assemble(&mesh, motions, &options(), &Progress::none()).unwrap_err().to_string()
    };
    let points = refused(&|motions| motions[1].frames[2].truncate(7));
    assert!(points.contains("\"breeze\" has 7 vertices, and the mesh has 30"), "{points}");
    let rate = refused(&|motions| motions[1].frames_per_second = 24.0);
    assert!(rate.contains("\"breeze\" has 24 frames per second"), "{rate}");
    let nothing = refused(&|motions| motions.clear());
    assert!(nothing.contains("has no motion"), "{nothing}");
    let nan = refused(&|motions| motions[0].frames[3][20][1] = f32::NAN);
    assert!(nan.contains("\"leaf 0\" is not finite in frame 3"), "{nan}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Any cache comes back from both formats to the bit.
    #[test]
    fn caches_round_trip(
        (points, frames) in (1usize..6, 1usize..8),
        numbers in prop::collection::vec(prop::num::f32::NORMAL | prop::num::f32::ZERO, 144),
        start in -50f32..50.0,
        step in 0.01f32..4.0,
    ) {
        let place = |at: usize| [0, 1, 2].map(|axis| numbers[(3 * at + axis) % numbers.len()]);
        let frames: Vec<Vec<[f32; 3]>> =
            (0..frames).map(|frame| (0..points).map(|point| place(frame * points + point)).collect()).collect();
        let times = CacheTimes::Seconds((0..frames.len()).map(|frame| frame as f32 * step).collect());
        let pc2 = VertexCache { frames: frames.clone(), times: CacheTimes::Frames { start, step } };
        prop_assert_eq!(&VertexCache::read(CacheFormat::Pc2, &pc2.to_pc2().unwrap()).unwrap(), &pc2);
        let mdd = VertexCache { frames, times };
        prop_assert_eq!(&VertexCache::read(CacheFormat::Mdd, &mdd.to_mdd(30.0).unwrap()).unwrap(), &mdd);
    }

    /// Any bytes are a cache or an error.
    #[test]
    fn any_bytes_are_a_cache_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200), counts in (0u32..5, 0u32..5)) {
        let _ = VertexCache::read(CacheFormat::Mdd, &bytes);
        let header = [&counts.0.to_be_bytes()[..], &counts.1.to_be_bytes(), &bytes].concat();
        let _ = VertexCache::read(CacheFormat::Mdd, &header);
        let header = [b"POINTCACHE2\0\x01\0\0\0", &counts.0.to_le_bytes()[..], &bytes].concat();
        let _ = VertexCache::read(CacheFormat::Pc2, &header);
    }

    /// Any text is a mesh or an error.
    #[test]
    fn any_text_is_a_mesh_or_an_error(text in "([vfog#] ?[-0-9./ a]{0,12}\n){0,12}") {
        if let Ok(mesh) = SourceMesh::from_obj(&text) {
            prop_assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < mesh.vertices.len()));
        }
    }
}

/// A stem with leaves that are welded to it, of one object: one surface.
fn welded(leaves: usize) -> (SourceMesh, impl Fn(f64) -> Vec<[f32; 3]>) {
    let rows = 3 * leaves + 3;
    let mut rest: Vec<[f32; 3]> = (0..rows).flat_map(|row| [0.0, 0.3].map(|x| [x, 0.1 * row as f32, 0.0])).collect();
    let quad = |[a, b, c, d]: [u32; 4]| [[a, b, c], [b, d, c]];
    let mut triangles: Vec<[u32; 3]> =
        (0..rows as u32 - 1).flat_map(|row| quad([2 * row, 2 * row + 1, 2 * row + 2, 2 * row + 3])).collect();
    let mut of_leaf = vec![None; rest.len()];
    for leaf in 0..leaves {
        // Its first row are two vertices of the stem.
        let foot = 2 * (3 * leaf as u32 + 2) + 1;
        let (mut low, mut high) = (foot, foot + 2);
        for step in 1..=5 {
            let first = rest.len() as u32;
            rest.extend([low, high].map(|at| [0.3 + 0.1 * step as f32, rest[at as usize][1], 0.0]));
            of_leaf.extend([Some(leaf); 2]);
            triangles.extend(quad([low, first, high, first + 1]));
            (low, high) = (first, first + 1);
        }
    }
    let names = format!("o plant\n{}", obj_of(&rest, &triangles));
    let frame = move |time: f64| -> Vec<[f32; 3]> {
        let place = |(&[x, y, z], leaf): (&[f32; 3], &Option<usize>)| {
            let sway = 0.02 * f64::from(y) * libm::sin(2.0 * time);
            let angle = leaf.map_or(0.0, |leaf| 0.7 * libm::sin((3.0 + 0.7 * leaf as f64) * time + leaf as f64));
            let out = f64::from(x) - 0.3;
            let (x, z) = if leaf.is_some() {
                (0.3 + out * libm::cos(angle), out * libm::sin(angle))
            } else {
                (f64::from(x), f64::from(z))
            };
            [(x + sway) as f32, y, z as f32]
        };
        rest.iter().zip(&of_leaf).map(place).collect()
    };
    (SourceMesh::from_obj(&names).unwrap(), frame)
}

fn obj_of(rest: &[[f32; 3]], triangles: &[[u32; 3]]) -> String {
    let vertices = rest.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    vertices.chain(triangles.iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1))).collect()
}

/// All of a mesh that hangs together was one group, which splices all at once.
#[test]
fn a_connected_mesh_is_cut_by_how_it_moves() {
    let (mesh, frame) = welded(3);
    let motion = |frame: &dyn Fn(f64) -> Vec<[f32; 3]>| {
        let frames = (0..60).map(|n| frame(f64::from(n) / 30.0)).collect();
        vec![SourceMotion { condition: "wind".to_owned(), frames, frames_per_second: 30.0 }]
    };
    let cut = |mesh: &SourceMesh, frame: &dyn Fn(f64) -> Vec<[f32; 3]>| {
        assemble(mesh, motion(frame), &options(), &Progress::none()).unwrap().finished().unwrap()
    };
    let (back, report) = cut(&mesh, &frame);
    assert_eq!(report.grouping, Grouping::Motion);
    let sizes: Vec<usize> = back.groups().iter().map(|group| group.triangles.len()).collect();
    assert_eq!(sizes, [22, 10, 10, 10], "the stem, and leaves of five quads");
    assert_eq!((report.roots.len(), report.joints.len()), (1, 3), "{report:?}");
    assert!(report.joints.iter().all(|joint| joint.parent == "plant-1" && joint.distance < 1e-6));
    // What bends everywhere cannot be cut: it would tear.
    let cloth = mesh_of_cloth(12);
    let rest = cloth.vertices.clone();
    let waves = move |time: f64| -> Vec<[f32; 3]> {
        let place = |&[x, y, z]: &[f32; 3]| {
            let wave = libm::sin(6.0 * f64::from(x) + 5.0 * time) * libm::sin(4.0 * f64::from(y) - 3.0 * time);
            [x, y, z + 0.12 * wave as f32]
        };
        rest.iter().map(place).collect()
    };
    assert_eq!(cut(&cloth, &waves).0.groups().len(), 1);
    // Nor need what does not move, or moves as one.
    let (mesh, _) = welded(3);
    let rest = mesh.vertices.clone();
    let still = move |time: f64| -> Vec<[f32; 3]> { rest.iter().map(|&[x, y, z]| [x + time as f32, y, z]).collect() };
    assert_eq!(cut(&mesh, &still).0.groups().len(), 1);
}

fn mesh_of_cloth(side: u32) -> SourceMesh {
    let at = |n: u32| n as f32 / side as f32;
    let rest: Vec<[f32; 3]> = (0..=side).flat_map(|y| (0..=side).map(move |x| [at(x), at(y), 0.0])).collect();
    let squares = (0..side).flat_map(|y| (0..side).map(move |x| y * (side + 1) + x));
    let triangles: Vec<[u32; 3]> =
        squares.flat_map(|a| [[a, a + 1, a + side + 1], [a + 1, a + side + 2, a + side + 1]]).collect();
    SourceMesh::from_obj(&obj_of(&rest, &triangles)).unwrap()
}
