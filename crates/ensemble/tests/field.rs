//! Promise: in a field no two instances ever meet, whatever each of them does;
//! what a view does not see costs nothing, and what it sees is shown as near as
//! its detail says.

#![allow(clippy::unwrap_used)]

use std::sync::{Arc, OnceLock};

use crate::common::{Plant, away};
use crate::plates;
use proscenium_ensemble::build::{BuildSettings, TransitionSearch};
use proscenium_ensemble::contact::triangle_distance;
use proscenium_ensemble::data::Moment;
use proscenium_ensemble::field::{
    Detail, Field, Instance, Kind, PlaceSettings, SweptVolume, TravellingWind, Walker, place, reduce, side_for,
};
use proscenium_ensemble::glam::DVec3;
use proscenium_ensemble::transition::{Costs, Tally, Transition, TransitionSettings};
use proscenium_ensemble::{CompressedEnsemble, MotionGraph, Player, Seed, compress};
use proscenium_view::Camera;
use proscenium_work::{Memory, Progress};

const SEED: Seed = Seed(11);
const VOXEL: f64 = 0.05;

fn graph() -> &'static Arc<MotionGraph> {
    static GRAPH: OnceLock<Arc<MotionGraph>> = OnceLock::new();
    GRAPH.get_or_init(|| {
        let data = plates::plates(3, 240);
        let transition =
            TransitionSettings { reach: 8, blend: 6, samples: 3, patience: 10.0, ..TransitionSettings::default() };
        let settings = BuildSettings { transition, interval: 0.6, ..BuildSettings::default() };
        let search =
            TransitionSearch::new(&data, settings, Vec::new(), SEED, &Progress::none()).unwrap().finished().unwrap();
        let (transitions, tally) = search.find_all(&Memory::default(), &Progress::none()).unwrap().finished().unwrap();
        Arc::new(MotionGraph::new(data, transitions, tally).unwrap())
    })
}

fn settings(count: usize) -> PlaceSettings {
    let turns = std::f64::consts::PI;
    PlaceSettings { area: [14.0, 12.0], count, sizes: [0.8, 1.2], attempts: 4000, heading: 0.0, turns }
}

/// Voxels were chosen by the height of data at rest, and a flag that blows higher was refused.
#[test]
fn the_height_that_is_swept_says_how_small_voxels_can_be() {
    let height = SweptVolume::height_of_graph(graph(), &Progress::none()).finished().unwrap();
    let swept = |voxels: f64| SweptVolume::of_graph(graph(), height / voxels, &Progress::none());
    assert!(swept(63.5).is_ok() && swept(65.0).is_err());
}

/// Every vertex of a long walk, and every middle of its edges between frames,
/// lies in a swept voxel.
#[test]
fn a_walk_stays_within_what_it_sweeps() {
    let graph = graph();
    let swept = SweptVolume::of_graph(graph, VOXEL, &Progress::none()).unwrap().finished().unwrap();
    let mut player = Player::new(graph, SEED).unwrap();
    let (mut before, mut now) = (Vec::new(), Vec::new());
    for frame in 0..1500u64 {
        if frame % 300 == 0 {
            player.want((frame / 300 % 2) as usize).unwrap();
        }
        player.see(frame);
        player.positions(&mut now);
        let between =
            before.iter().zip(&now).map(|(a, b): (&[f32; 3], &[f32; 3])| [0, 1, 2].map(|i| 0.5 * (a[i] + b[i])));
        for point in now.iter().copied().chain(between) {
            assert!(swept.contains(point.map(f64::from)), "{point:?} in frame {frame}");
        }
        std::mem::swap(&mut before, &mut now);
    }
    assert!(!swept.contains([0.0, 5.0, 0.0]));
    assert!(
        SweptVolume::of_data(graph.data(), VOXEL, &Progress::none()).unwrap().finished().unwrap().count()
            <= swept.count()
    );
}

fn triangles(data: &CompressedEnsemble, positions: &[[f32; 3]], instance: &Instance) -> Vec<[DVec3; 3]> {
    let groups = data.groups().iter().enumerate();
    groups
        .flat_map(|(group, own)| {
            let first = data.vertices_of(group).start;
            own.triangles.iter().map(move |triangle| {
                let corner = |vertex: u32| DVec3::from_array(positions[first + vertex as usize].map(f64::from));
                triangle.map(|vertex| instance.to_field(corner(vertex)))
            })
        })
        .collect()
}

/// Instances at any moments of the data, each at its own, do not touch.
#[test]
fn instances_never_meet() {
    let graph = graph();
    let data = graph.data();
    let swept = SweptVolume::of_graph(graph, VOXEL, &Progress::none()).unwrap().finished().unwrap();
    let placement = place(&[(&swept, 1.0)], &settings(40), SEED, &Progress::none()).unwrap().finished().unwrap();
    assert!(placement.instances.len() > 12, "{}", placement.instances.len());
    let moments: Vec<Moment> = data.moments().collect();
    let mut stream = SEED.stream("moments");
    let mut positions = Vec::new();
    let mut nearest = f64::INFINITY;
    for _ in 0..6 {
        let bodies: Vec<Vec<[DVec3; 3]>> = placement
            .instances
            .iter()
            .map(|instance| {
                data.positions_at(*stream.pick(&moments).unwrap(), &mut positions);
                triangles(data, &positions, instance)
            })
            .collect();
        for (at, one) in bodies.iter().enumerate() {
            for (other, instance) in bodies[at + 1..].iter().zip(&placement.instances[at + 1..]) {
                if instance.place.distance(placement.instances[at].place) > 4.0 {
                    continue;
                }
                let pairs = one.iter().flat_map(|a| other.iter().map(move |b| triangle_distance(a, b)));
                nearest = pairs.fold(nearest, f64::min);
            }
        }
    }
    assert!(nearest > 0.0, "two instances cross");
    assert!(nearest < 1.0, "they are packed, not only apart: {nearest}");
}

#[test]
fn a_field_follows_from_its_seed_and_wrong_ones_are_refused() {
    let swept = SweptVolume::of_graph(graph(), VOXEL, &Progress::none()).unwrap().finished().unwrap();
    let kinds = [(&swept, 2.0), (&swept, 1.0)];
    let one = place(&kinds, &settings(20), SEED, &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(one, place(&kinds, &settings(20), SEED, &Progress::none()).unwrap().finished().unwrap());
    assert_ne!(one, place(&kinds, &settings(20), Seed(12), &Progress::none()).unwrap().finished().unwrap());
    assert!(one.instances.iter().any(|instance| instance.kind == 1));
    assert!(one.instances.iter().all(|instance| (0.8..=1.2).contains(&instance.size)));
    let coarse = SweptVolume::of_graph(graph(), 2.0 * VOXEL, &Progress::none()).unwrap().finished().unwrap();
    assert!(place(&[(&swept, 1.0), (&coarse, 1.0)], &settings(5), SEED, &Progress::none()).is_err());
    assert!(place(&[], &settings(5), SEED, &Progress::none()).is_err());
    assert!(place(&[(&swept, 0.0)], &settings(5), SEED, &Progress::none()).is_err());
    assert!(
        place(&[(&swept, 1.0)], &PlaceSettings { sizes: [1.0, 0.5], ..settings(5) }, SEED, &Progress::none()).is_err()
    );
    assert!(
        place(&[(&swept, 1.0)], &PlaceSettings { sizes: [1.0, 50.0], ..settings(5) }, SEED, &Progress::none()).is_err()
    );
    let message = SweptVolume::of_graph(graph(), 0.001, &Progress::none()).unwrap_err().to_string();
    assert!(message.contains("voxel size"), "{message}");
}

/// The boxes around all that is planted are one part in so many of the ground, of
/// each kind its share.
#[test]
fn the_ground_is_as_large_as_it_takes() {
    let [fine, coarse] = [VOXEL, 4.0 * VOXEL]
        .map(|voxel| SweptVolume::of_graph(graph(), voxel, &Progress::none()).unwrap().finished().unwrap());
    let box_of = |swept: &SweptVolume| {
        let (low, high) = swept.bounds();
        (high[0] - low[0]) * (high[2] - low[2])
    };
    assert!(box_of(&coarse) > box_of(&fine));
    let side = side_for(&[(&fine, 3.0), (&coarse, 1.0)], 400, 2.5);
    let covered = 300.0 * box_of(&fine) + 100.0 * box_of(&coarse);
    assert!((side * side / covered - 2.5).abs() < 1e-9, "{side} m");
}

/// Fewer modes and vertices, but the same tree, played with the same
/// coordinates; all modes and no merging is the same again.
#[test]
fn less_detail_is_near_and_hangs_together() {
    let data = compress(&Plant::new(4).ensemble(2, 80), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(&reduce(&data, usize::MAX, 0.0).unwrap(), &data);
    let few = reduce(&data, 2, 0.06).unwrap();
    assert!(few.vertex_count() < data.vertex_count() && few.rank() < data.rank());
    let (mut all, mut coarse) = (Vec::new(), Vec::new());
    for moment in data.moments().step_by(7) {
        let coordinates: Vec<Vec<f32>> = data
            .shapes()
            .iter()
            .map(|shape| {
                let mut coordinates = Vec::new();
                shape.coordinates_at(moment, &mut coordinates);
                coordinates
            })
            .collect();
        data.place(&coordinates, &mut all);
        few.place(&coordinates, &mut coarse);
        for place in &coarse {
            let nearest = all.iter().map(|other| away(*place, *other)).fold(f64::INFINITY, f64::min);
            assert!(nearest < 0.03, "{nearest}");
        }
        let mut own = Vec::new();
        few.positions_at(moment, &mut own);
        assert_eq!(own, coarse, "its own coordinates are the first of the whole");
    }
    assert!(reduce(&data, 1, f64::NAN).is_err());
}

fn field(details: &[Detail]) -> Field {
    let swept = SweptVolume::of_graph(graph(), VOXEL, &Progress::none()).unwrap().finished().unwrap();
    let placement = place(&[(&swept, 1.0)], &settings(60), SEED, &Progress::none()).unwrap().finished().unwrap();
    let wind = TravellingWind::new([14.0, 12.0], 3.0, [2.0, 0.5], 2, SEED).unwrap();
    let kind = Kind::new(graph(), &swept, details).unwrap();
    Field::new(vec![kind], placement.instances, wind, SEED).unwrap()
}

/// What a field shows of an instance is what a player shows of its walk, to the
/// last bit, also where its groups are at different moments.
#[test]
fn a_field_shows_what_a_player_shows() {
    let swept = SweptVolume::of_graph(graph(), VOXEL, &Progress::none()).unwrap().finished().unwrap();
    let kind = Kind::new(graph(), &swept, &[]).unwrap();
    let instance = Instance { kind: 0, place: DVec3::new(0.3, 0.0, -0.2), turn: 0.7, size: 1.1 };
    let wind = TravellingWind::new([14.0, 12.0], 3.0, [2.0, 0.5], 1, SEED).unwrap();
    let mut field = Field::new(vec![kind], vec![instance], wind, SEED).unwrap();
    let camera = Camera::look_at(DVec3::new(-6.0, 1.5, 0.0), DVec3::ZERO, 0.9, 1.5).unwrap();
    let mut player = Player::new(graph(), SEED.child("instance", 0).child("sight", 0)).unwrap();
    player.want(0).unwrap();
    let (mut positions, mut blending) = (Vec::new(), 0);
    for frame in 0..900 {
        player.see(frame);
        player.positions(&mut positions);
        blending += usize::from(player.transition().is_some());
        let wanted: Vec<[f32; 3]> = positions.iter().map(|&vertex| instance.placing().to_field(vertex)).collect();
        let mut shown = Vec::new();
        field.look(frame, std::slice::from_ref(&camera), &mut |seen| shown.extend_from_slice(seen.positions)).unwrap();
        assert_eq!(shown, wanted, "frame {frame}");
    }
    assert!(blending > 100, "{blending} frames of transitions");
}

/// A plant that stands, in one wind.
fn plant() -> Arc<MotionGraph> {
    let data = compress(&Plant::new(3).ensemble(1, 200), 0.001, &Progress::none()).unwrap().finished().unwrap();
    let transition = TransitionSettings { reach: 8, blend: 6, ..TransitionSettings::default() };
    let costs = Costs::new(&data);
    let ends =
        [(160, 40), (120, 30)].map(|ends: (u32, u32)| [ends.0, ends.1].map(|frame| Moment { sequence: 0, frame }));
    let ways = ends.map(|ends| Transition::with_splices(&costs, ends, &vec![0; data.groups().len()], &transition));
    drop(costs);
    Arc::new(MotionGraph::new(data, ways.to_vec(), Tally::default()).unwrap())
}

/// Who walks through a field pushes what is near aside, and nothing else; when they are gone,
/// it is shown to the last bit as if nobody had been there.
#[test]
fn plants_make_way_for_a_walker() {
    let graph = plant();
    let swept = SweptVolume::of_graph(&graph, VOXEL, &Progress::none()).unwrap().finished().unwrap();
    let kind = Kind::new(&graph, &swept, &[]).unwrap();
    let at = |x: f64| Instance { kind: 0, place: DVec3::new(x, 0.0, 0.0), turn: 0.0, size: 1.0 };
    let wind = TravellingWind::new([60.0, 60.0], 30.0, [2.0, 0.5], 1, SEED).unwrap();
    let mut alone = Field::new(vec![kind], vec![at(0.0), at(12.0)], wind, SEED).unwrap();
    let mut field = alone.clone();
    let camera = Camera::look_at(DVec3::new(-9.0, 3.0, 0.0), DVec3::ZERO, 0.9, 1.5).unwrap();
    let look = |field: &mut Field, frame: u64| {
        let mut shown = Vec::new();
        field.look(frame, &[camera], &mut |seen| shown.push(seen.positions.to_vec())).unwrap();
        assert_eq!(shown.len(), 2);
        shown
    };
    let top = look(&mut alone.clone(), 0)[0].iter().copied().max_by(|a, b| a[1].total_cmp(&b[1])).unwrap();
    let walker = |x: f32| Walker { place: DVec3::new(f64::from(x), 0.0, f64::from(top[2])), radius: 0.5 };
    let mut pushed = 0.0_f32;
    for frame in 0..300 {
        // Walkers that are nowhere push nothing.
        let nowhere = Walker { place: DVec3::splat(f64::NAN), radius: 1.0 };
        field.set_walkers(&if frame < 60 { vec![nowhere, walker(top[0] + 0.3)] } else { Vec::new() });
        let (free, shown) = (look(&mut alone, frame), look(&mut field, frame));
        assert_eq!(free[1], shown[1], "nobody is near");
        let aside =
            free[0].iter().zip(&shown[0]).map(|(a, b)| libm::hypotf(a[0] - b[0], a[2] - b[2])).fold(0.0, f32::max);
        pushed = pushed.max(aside);
        assert!(frame < 240 || aside == 0.0, "frame {frame}: {aside}");
    }
    assert!(pushed > 0.2, "{pushed}");
}

#[test]
fn a_view_sees_what_all_tests_together_would() {
    let mut field = field(&[]);
    let camera = Camera::look_at(DVec3::new(-9.0, 1.5, 0.0), DVec3::new(0.0, 0.0, 1.0), 0.5, 1.5).unwrap();
    let mut seen = Vec::new();
    let mut largest = 0.0_f64;
    let looked = field
        .look(5, std::slice::from_ref(&camera), &mut |shown| {
            seen.push(shown.instance);
            largest = shown.positions.iter().map(|place| f64::from(place[1]).abs()).fold(largest, f64::max);
            assert_eq!(shown.positions.len(), graph().data().vertex_count());
        })
        .unwrap();
    assert_eq!(looked.instances, seen.len());
    assert!(looked.instances > 0 && looked.instances < field.instances().len());
    assert!(looked.tested <= field.instances().len());
    assert!(largest < 1.5, "{largest}");
    // Whatever is visible of an instance at rest is among those shown.
    let frustum = proscenium_view::Frustum::of(&camera).unwrap();
    for (number, instance) in (0u32..).zip(field.instances()) {
        let rest = graph().data().groups().iter().flat_map(|group| &group.rest);
        let mut points = rest.map(|place| instance.to_field(DVec3::from_array(place.map(f64::from))));
        if points.any(|point| frustum.contains_point(point)) {
            assert!(seen.contains(&number), "instance {number}");
        }
    }
    let away = Camera::look_at(DVec3::new(-9.0, 1.5, 0.0), DVec3::new(-30.0, 0.0, 0.0), 0.5, 1.5).unwrap();
    let looked = field.look(6, &[away], &mut |_| panic!("nothing is there")).unwrap();
    assert_eq!((looked.instances, looked.tested), (0, 0));
}

#[test]
fn the_same_looks_show_the_same_and_far_ones_less() {
    let details = [Detail { from: 8.0, modes: 2, merge: 0.0 }, Detail { from: 4.0, modes: 4, merge: 0.0 }];
    let camera = Camera::look_at(DVec3::new(-7.0, 1.0, 0.0), DVec3::ZERO, 0.9, 1.5).unwrap();
    let walk = || {
        let mut field = field(&details);
        let (mut sum, mut counts) = (0.0_f64, [0usize; 3]);
        for frame in (0..120).step_by(4) {
            field.wind_mut().set_strength(if frame < 60 { 0.1 } else { 0.9 });
            let draw = &mut |shown: proscenium_ensemble::field::VisibleInstance| {
                counts[shown.detail] += 1;
                sum += shown.positions.iter().flatten().map(|&x| f64::from(x)).sum::<f64>();
            };
            field.look(frame, std::slice::from_ref(&camera), draw).unwrap();
        }
        (sum.to_bits(), counts)
    };
    let (bits, counts) = walk();
    assert_eq!((bits, counts), walk());
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}

/// Only the whole was swept: vertices of a detail, with few modes and merged, left the voxels
/// that were kept free for them.
#[test]
fn a_detail_stays_within_what_its_kind_sweeps() {
    let graph = graph();
    let detail = Detail { from: 5.0, modes: 1, merge: 0.5 };
    let swept = |details: &[Detail]| {
        SweptVolume::of_kind(graph, details, VOXEL, &Progress::none()).unwrap().finished().unwrap()
    };
    let (whole, all) = (swept(&[]), swept(&[detail]));
    let less = reduce(graph.data(), detail.modes, detail.merge).unwrap();
    let mut positions = Vec::new();
    let mut outside = 0;
    for moment in less.moments() {
        less.positions_at(moment, &mut positions);
        for position in &positions {
            let point = position.map(f64::from);
            assert!(all.contains(point), "{point:?} at {moment:?}");
            outside += usize::from(!whole.contains(point));
        }
    }
    assert!(whole.count() <= all.count(), "{} {}", whole.count(), all.count());
    println!("{outside} vertices of the detail would have been outside");
}

/// Figure 17: where the wind stays low, what plants sweep is smaller.
#[test]
fn what_stays_in_weak_winds_sweeps_less() {
    let graph = graph();
    let calm = graph.up_to(0).unwrap();
    assert_eq!(calm.levels().collect::<Vec<_>>(), [0]);
    let swept =
        |graph: &MotionGraph| SweptVolume::of_graph(graph, VOXEL, &Progress::none()).unwrap().finished().unwrap();
    let (low, all) = (swept(&calm), swept(graph));
    assert!(low.count() < all.count(), "{} {}", low.count(), all.count());
    let level = |moment: &Moment| graph.data().sequences()[moment.sequence as usize].condition;
    let mut positions = Vec::new();
    for moment in graph.data().moments().filter(|moment| level(moment) == 0) {
        graph.data().positions_at(moment, &mut positions);
        assert!(positions.iter().all(|place| low.contains(place.map(f64::from))));
    }
}
