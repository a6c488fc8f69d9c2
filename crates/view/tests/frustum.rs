//! Promise: a frustum never misses what is visible. Its tests are compared
//! with a brute-force search for one visible point of the thing, which is
//! projected into the picture without the frustum's planes.

use glam::DVec3;
use proptest::prelude::*;
use proscenium_view::{Camera, Frustum};

fn vector(range: f64) -> impl Strategy<Value = DVec3> {
    (-range..range, -range..range, -range..range).prop_map(DVec3::from)
}

fn camera() -> impl Strategy<Value = Camera> {
    (vector(6.0), vector(6.0), 0.3..1.8, 0.5..2.0, 0.2..1.0, 3.0..12.0, any::<bool>()).prop_filter_map(
        "eye and target apart",
        |(eye, target, angle, aspect, near, far, flat)| {
            let camera = if flat {
                Camera::orthographic(eye, target, 3.0 * angle, aspect)
            } else {
                Camera::look_at(eye, target, angle, aspect)
            };
            camera.ok().map(|camera| Camera { near, far, ..camera })
        },
    )
}

fn visible(camera: &Camera, point: DVec3) -> bool {
    camera.project(point).is_some_and(|screen| screen.is_inside() && screen.depth <= camera.far)
}

/// A grid of points that fills the unit cube, edges included.
fn grid() -> impl Iterator<Item = DVec3> {
    (0..9 * 9 * 9).map(|i| DVec3::new(f64::from(i % 9), f64::from(i / 9 % 9), f64::from(i / 81)) / 8.0)
}

proptest! {
    #[test]
    fn a_point_is_inside_exactly_when_it_is_in_the_picture(
        camera in camera(), point in vector(10.0),
    ) {
        let frustum = Frustum::of(&camera).unwrap();
        let distance = frustum.planes.iter()
            .map(|plane| plane.signed_distance(point).abs())
            .fold(f64::INFINITY, f64::min);
        prop_assume!(distance > 1e-9);
        prop_assert_eq!(frustum.contains_point(point), visible(&camera, point));
    }

    #[test]
    fn no_visible_box_is_missed(camera in camera(), corner in vector(8.0), size in vector(4.0)) {
        let size = size.abs();
        let frustum = Frustum::of(&camera).unwrap();
        if grid().any(|part| visible(&camera, corner + part * size)) {
            prop_assert!(frustum.intersects_aabb(corner, corner + size));
        }
    }

    #[test]
    fn no_visible_sphere_is_missed(camera in camera(), center in vector(8.0), radius in 0.0..3.0f64) {
        let frustum = Frustum::of(&camera).unwrap();
        let mut ball = grid()
            .map(|part| (part * 2.0 - 1.0) * radius)
            .filter(|offset| offset.length() <= radius);
        if ball.any(|offset| visible(&camera, center + offset)) {
            prop_assert!(frustum.intersects_sphere(center, radius));
        }
    }

    #[test]
    fn the_corners_lie_on_three_planes_each(camera in camera()) {
        let frustum = Frustum::of(&camera).unwrap();
        for corner in frustum.corners {
            let touching = frustum.planes.iter()
                .filter(|plane| plane.signed_distance(corner).abs() < 1e-9)
                .count();
            prop_assert_eq!(touching, 3);
        }
    }
}

/// The tests also reject: of boxes spread over a wide space, few are kept
/// that a fine grid does not find visible.
#[test]
fn most_invisible_boxes_are_rejected() {
    let camera = Camera::look_at(DVec3::new(0.0, 1.0, 6.0), DVec3::ZERO, 0.7, 1.5).unwrap();
    let camera = Camera { near: 0.5, far: 20.0, ..camera };
    let frustum = Frustum::of(&camera).unwrap();
    let (mut wrong, mut kept) = (0, 0);
    for place in grid() {
        let min = (place - 0.5) * 40.0;
        let max = min + 1.0;
        let seen = grid().any(|part| visible(&camera, min + part * (max - min)));
        kept += usize::from(frustum.intersects_aabb(min, max));
        wrong += usize::from(frustum.intersects_aabb(min, max) && !seen);
    }
    assert!(kept > 10 && wrong * 5 <= kept, "{wrong} of {kept} kept boxes are invisible");
}
