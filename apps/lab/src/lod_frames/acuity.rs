//! How well people see: Reddy's model (2001) of the finest detail that can be
//! seen, by eccentricity and speed. It judges schedulers, and none uses it.

use glam::DVec3;
use proscenium_view::Camera;

/// The finest detail at the gaze, cycles per degree.
const FINEST: f64 = 60.0;

/// G(v): cycles per degree at an apparent speed, degrees per second.
fn by_speed(speed: f64) -> f64 {
    if speed <= 0.825 {
        FINEST
    } else if speed <= 118.3 {
        57.69 - 27.78 * libm::log10(speed)
    } else {
        0.1
    }
}

/// M(e): what is left of it at an eccentricity, degrees.
fn by_eccentricity(degrees: f64) -> f64 {
    if degrees <= 5.79 { 1.0 } else { 7.49 / ((0.3 * degrees + 1.0) * (0.3 * degrees + 1.0)) }
}

/// How much of what happens to a body is noticed: the detail that can be seen
/// there, as a share of the finest, times how large the body appears, in
/// degrees; zero out of view.
pub(super) fn weight(camera: &Camera, position: DVec3, velocity: DVec3, radius: f64) -> f64 {
    if !camera.project(position).is_some_and(|screen| screen.is_inside()) {
        return 0.0;
    }
    let towards = position - camera.position;
    let distance = towards.length().max(1e-9);
    let direction = towards / distance;
    let forward = camera.ray(0.5, 0.5).direction;
    let eccentricity = libm::atan2(direction.cross(forward).length(), direction.dot(forward)).to_degrees();
    let speed = (velocity.reject_from_normalized(direction).length() / distance).to_degrees();
    let size = (2.0 * libm::atan(radius / distance)).to_degrees();
    by_speed(speed) * by_eccentricity(eccentricity) / FINEST * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_the_model_meet() {
        assert!((by_speed(0.825) - by_speed(0.826)).abs() < 0.1);
        assert!((by_speed(118.3) - 0.1).abs() < 0.1);
        assert!((by_eccentricity(5.79) - by_eccentricity(5.8)).abs() < 0.01);
        assert!(by_eccentricity(30.0) < 0.1);
    }

    #[test]
    fn near_the_gaze_and_slow_is_noticed() {
        let camera = Camera::look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, 1.2, 1.5).unwrap();
        let still = |x: f64| weight(&camera, DVec3::new(x, 0.0, 0.0), DVec3::ZERO, 0.2);
        assert!(still(0.0) > still(2.0) && still(2.0) > 0.0);
        assert_eq!(weight(&camera, DVec3::new(0.0, 0.0, 9.0), DVec3::ZERO, 0.2), 0.0);
        assert!(weight(&camera, DVec3::ZERO, 9.0 * DVec3::X, 0.2) < still(0.0));
    }
}
