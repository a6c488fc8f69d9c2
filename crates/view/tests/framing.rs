//! Promise: a framing has everything in the picture, with its margin, and no
//! nearer eye in the same direction would.

use glam::DVec3;
use proptest::prelude::*;
use proscenium_view::{Camera, Framing, ViewError};

fn vector(range: f64) -> impl Strategy<Value = DVec3> {
    (-range..range, -range..range, -range..range).prop_map(DVec3::from)
}

fn framing() -> impl Strategy<Value = Framing> {
    (vector(1.0), 0.2..1.6f64, 0.4..2.5f64, 0.0..0.5f64).prop_filter_map(
        "a direction with a length",
        |(direction, fov_y, aspect, margin)| {
            (direction.length() > 0.1).then_some(Framing { direction, fov_y, aspect, margin })
        },
    )
}

/// How far out the outermost point is: 1 at the edge of the allowed part.
fn reach(camera: &Camera, points: &[DVec3], margin: f64) -> f64 {
    let reach = |point: &DVec3| {
        let screen = camera.project(*point).expect("in front of the camera");
        (2.0 * screen.x - 1.0).abs().max((2.0 * screen.y - 1.0).abs())
    };
    points.iter().map(reach).fold(0.0, f64::max) / (1.0 - margin)
}

proptest! {
    #[test]
    fn all_points_are_inside_and_the_frame_is_full(
        framing in framing(), points in proptest::collection::vec(vector(5.0), 4..40),
    ) {
        let camera = framing.points(&points).unwrap();
        let outermost = reach(&camera, &points, framing.margin);
        prop_assert!(outermost <= 1.0 + 1e-9);

        // Optimality, by search: no eye a little nearer, wherever it slides
        // sideways, still has all points inside. The search is skipped where
        // the air before the lens, not the picture, decides the distance.
        prop_assume!(outermost > 1.0 - 1e-6);
        let axes = camera.axes();
        let size = 10.0;
        for i in -20..=20 {
            for j in -20..=20 {
                let sideways = axes.x_axis * f64::from(i) + axes.y_axis * f64::from(j);
                let position =
                    camera.position + camera.forward * 1e-3 * size + sideways * 2e-4 * size;
                let nearer = Camera { position, near: 1e-9, ..camera };
                let inside = points.iter().all(|&point| nearer.project(point).is_some())
                    && reach(&nearer, &points, framing.margin) < 1.0;
                prop_assert!(!inside, "a nearer eye has everything in the picture");
            }
        }
    }

    #[test]
    fn spheres_stay_inside(
        framing in framing(),
        spheres in proptest::collection::vec((vector(5.0), 0.01..2.0f64), 1..12),
    ) {
        let camera = framing.spheres(&spheres).unwrap();
        for &(center, radius) in &spheres {
            for i in 0..400 {
                // A spiral of points over the sphere.
                let y = 1.0 - (f64::from(i) + 0.5) / 200.0;
                let turn = f64::from(i) * 2.399963;
                let ring = libm::sqrt(1.0 - y * y);
                let point = DVec3::new(ring * libm::cos(turn), y, ring * libm::sin(turn));
                let reach = reach(&camera, &[center + radius * point], framing.margin);
                prop_assert!(reach <= 1.0 + 1e-9);
            }
        }
    }
}

#[test]
fn a_box_fills_the_picture() {
    let camera = Framing { margin: 0.0, ..Framing::default() }
        .aabb(DVec3::new(-4.0, 0.0, -1.0), DVec3::new(4.0, 1.0, 1.0))
        .unwrap();
    let corners = [DVec3::new(-4.0, 0.0, 1.0), DVec3::new(4.0, 0.0, 1.0), DVec3::new(4.0, 1.0, 1.0)];
    assert!(reach(&camera, &corners, 0.0) > 0.9);
}

#[test]
fn one_point_has_a_camera() {
    let point = DVec3::new(3.0, 4.0, 5.0);
    let camera = Framing::default().points(&[point]).unwrap();
    let screen = camera.project(point).unwrap();
    assert!((screen.x - 0.5).abs() < 1e-9 && (screen.y - 0.5).abs() < 1e-9);
}

#[test]
fn nonsense_is_refused() {
    let framing = Framing::default();
    assert_eq!(framing.points(&[]), Err(ViewError::NothingToFrame));
    assert!(framing.points(&[DVec3::NAN]).is_err());
    assert!(framing.spheres(&[(DVec3::ZERO, -1.0)]).is_err());
    assert!(Framing { margin: 1.0, ..framing }.points(&[DVec3::ZERO]).is_err());
    assert!(framing.from_direction(DVec3::ZERO).points(&[DVec3::ZERO]).is_err());
    assert!(framing.with_aspect(f64::INFINITY).points(&[DVec3::ZERO]).is_err());
}
