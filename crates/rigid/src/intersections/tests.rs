//! Every structure reports the pairs of all-pairs tests, whatever is done.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proscenium_geometry::Bounds;
use proscenium_geometry::glam::DVec3;

use super::*;

/// Boxes of very different sizes, some without end, some no more than points.
fn a_box() -> impl Strategy<Value = Bounds> {
    let size = prop_oneof![
        8 => (0u8..5, 0u8..5, 0u8..5).prop_map(|(x, y, z)| DVec3::new(f64::from(x), f64::from(y), f64::from(z))),
        2 => (0.0..0.1).prop_map(DVec3::splat),
        1 => (5.0..2000.0).prop_map(DVec3::splat),
        1 => (0usize..8).prop_map(|far| DVec3::new(1.0, 1.0, 1.0).with_x(if far < 4 { f64::INFINITY } else { 2.0 })),
        1 => Just(DVec3::INFINITY),
    ];
    let place = prop_oneof![
        8 => (0u8..12, 0u8..12, 0u8..12).prop_map(|(x, y, z)| DVec3::new(f64::from(x), f64::from(y), f64::from(z))),
        1 => (-1e6..1e6).prop_map(DVec3::splat),
        1 => Just(DVec3::splat(1e300)),
    ];
    (place, size).prop_map(|(min, size)| Bounds { min, max: min + size })
}

fn brute_force(boxes: &[Option<Bounds>]) -> BTreeSet<(u32, u32)> {
    let mut pairs = BTreeSet::new();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if let (Some(a), Some(b)) = (a, b)
                && a.intersects(b)
            {
                pairs.insert((i as u32, j as u32));
            }
        }
    }
    pairs
}

fn apply(pairs: &mut BTreeSet<(u32, u32)>, changes: &Changes) {
    for pair in &changes.ended {
        assert!(pairs.remove(pair), "{pair:?} ended but had not started");
    }
    for pair in &changes.started {
        assert!(pairs.insert(*pair), "{pair:?} started twice");
    }
}

fn both() -> [Box<dyn IntersectingBounds>; 2] {
    [Box::new(SortedLists::new()), Box::new(HashGrid::new())]
}

/// What is done to a structure: an index, a box, and what to do with them.
type Step = (u32, Bounds, u8);

fn follow(structure: &mut dyn IntersectingBounds, steps: &[Step]) {
    let mut boxes: Vec<Option<Bounds>> = vec![None; 12];
    let mut pairs = BTreeSet::new();
    for (index, bounds, action) in steps.iter().copied() {
        let mut changes = Changes::default();
        let slot = &mut boxes[index as usize];
        match (slot.is_some(), action) {
            (true, 0) => {
                *slot = None;
                structure.remove(index, &mut changes);
            }
            (true, 1) => {
                let shift = bounds.min - 6.0;
                for b in boxes.iter_mut().flatten() {
                    *b = Bounds { min: b.min + shift, max: b.max + shift };
                }
                let all: Vec<(u32, Bounds)> =
                    boxes.iter().enumerate().filter_map(|(i, b)| b.map(|b| (i as u32, b))).collect();
                structure.update_all(&mut all.into_iter(), &mut changes);
            }
            (true, _) => {
                *slot = Some(bounds);
                structure.update(index, &bounds, &mut changes);
            }
            (false, _) => {
                *slot = Some(bounds);
                structure.insert(index, &bounds, &mut changes);
            }
        }
        apply(&mut pairs, &changes);
        assert_eq!(pairs, brute_force(&boxes));
    }
}

proptest! {
    /// After any sequence of changes the pairs are those of all-pairs tests,
    /// for every structure.
    #[test]
    fn pairs_are_those_of_brute_force(steps in prop::collection::vec((0u32..12, a_box(), 0u8..8), 1..120)) {
        for mut structure in both() {
            follow(structure.as_mut(), &steps);
        }
    }

    /// Many at once are as good as one after the other.
    #[test]
    fn many_at_once(boxes in prop::collection::vec(a_box(), 1..200), later in a_box()) {
        for mut structure in both() {
            let mut changes = Changes::default();
            let all: Vec<(u32, Bounds)> = (0..).zip(boxes.iter().copied()).collect();
            structure.insert_all(&all, &mut changes);
            let mut pairs = BTreeSet::new();
            apply(&mut pairs, &changes);
            let mut model: Vec<Option<Bounds>> = boxes.iter().copied().map(Some).collect();
            prop_assert_eq!(&pairs, &brute_force(&model));
            changes.clear();
            structure.update(0, &later, &mut changes);
            model[0] = Some(later);
            apply(&mut pairs, &changes);
            prop_assert_eq!(&pairs, &brute_force(&model));
        }
    }
}

#[test]
fn infinite_boxes_are_welcome() {
    for mut structure in both() {
        let mut changes = Changes::default();
        let floor = Bounds { min: DVec3::NEG_INFINITY, max: DVec3::new(f64::INFINITY, 0.0, f64::INFINITY) };
        structure.insert(0, &floor, &mut changes);
        structure.insert(1, &Bounds { min: DVec3::splat(1.0), max: DVec3::splat(2.0) }, &mut changes);
        assert!(changes.started.is_empty());
        structure.update(1, &Bounds { min: DVec3::splat(-1.0), max: DVec3::splat(2.0) }, &mut changes);
        assert_eq!(changes.started, [(0, 1)]);
    }
}
