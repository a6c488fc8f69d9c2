//! Promise: the warm distance query agrees with parry's generic one from a
//! cold start, for every pair of convex solids, however stale its warmth.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proscenium_geometry::glam::{DQuat, DVec3};
use proscenium_geometry::{Hull, Pose, Shape, Warmth, gap, gap_to_plane, separation};

fn solid(kind: u8) -> Shape {
    match kind {
        0 => Shape::sphere(0.5),
        1 => Shape::cuboid(DVec3::new(0.3, 0.6, 0.4), 0.0),
        2 => Shape::cuboid(DVec3::new(0.5, 0.4, 0.3), 0.1),
        3 => Shape::capsule(0.5, 0.2),
        4 => Shape::cylinder(0.4, 0.3),
        _ => Hull::icosahedron(0.5).map(Shape::hull),
    }
    .expect("these sizes are positive")
}

fn pose(reach: f64) -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(-reach..reach), prop::array::uniform3(-1.0..1.0_f64), 0.0..3.0_f64).prop_map(
        |(place, axis, angle)| {
            let axis = DVec3::from_array(axis).normalize_or(DVec3::Y);
            Pose::new(DVec3::from_array(place), DQuat::from_axis_angle(axis, angle))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn warm_and_cold_agree(kinds in (0u8..6, 0u8..6), poses in prop::collection::vec(pose(3.0), 4)) {
        let (a, b) = (solid(kinds.0), solid(kinds.1));
        let part = |shape: &Shape| shape.convex_parts(&Pose::IDENTITY).remove(0);
        let (part_a, part_b) = (part(&a), part(&b));
        let mut warmth = Warmth::default();
        for pose_b in &poses {
            let found = gap(&part_a, &Pose::IDENTITY, &part_b, pose_b, &mut warmth);
            let expected = separation(&a, &Pose::IDENTITY, &b, pose_b);
            if expected > 1e-3 {
                // The generic query of curved solids stops a little too far.
                let error = expected - found.distance;
                prop_assert!(error > -1e-9 && error < 1e-4, "{} against {}", found.distance, expected);
                prop_assert!((found.point_b - found.point_a - found.distance * found.normal).length() < 1e-4);
            } else if expected < -1e-3 {
                prop_assert!(found.distance <= 1e-6, "{} where they overlap by {}", found.distance, -expected);
            }
        }
    }

    #[test]
    fn planes_agree(kind in 0u8..6, at in pose(2.0), normal in prop::array::uniform3(-1.0..1.0_f64)) {
        let normal = DVec3::from_array(normal).normalize_or(DVec3::Y);
        let shape = solid(kind);
        let found = gap_to_plane(&shape.convex_parts(&Pose::IDENTITY)[0], &at, DVec3::ZERO, normal);
        let expected = separation(&shape, &at, &Shape::half_space(normal).unwrap(), &Pose::IDENTITY);
        prop_assert!((found.distance - expected).abs() < 1e-6, "{} against {}", found.distance, expected);
    }

    #[test]
    fn bounds_contain_the_surface(kind in 0u8..6, at in pose(2.0)) {
        let shape = solid(kind);
        let bounds = shape.bounds(&at).grow(1e-9);
        let surface = shape.surface(0.01);
        prop_assert!(!surface.triangles.is_empty());
        for p in surface.positions {
            prop_assert!(bounds.contains_point(at.transform_point(p)));
        }
    }
}
