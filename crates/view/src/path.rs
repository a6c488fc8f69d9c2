//! The way a viewer takes.

use crate::{Camera, Projection, ViewError};
use glam::{DQuat, DVec3};

/// A camera at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraKey {
    /// Seconds.
    pub time: f64,
    /// The camera then.
    pub camera: Camera,
}

/// A camera that moves: keys at strictly increasing times, and a smooth way
/// through them. Before the first and after the last key it stands still.
///
/// Positions follow a cubic whose velocity is continuous; a viewer who stands
/// between two keys stands exactly. Orientations follow the shorter arc.
///
/// ```
/// use proscenium_view::{Camera, CameraKey, ViewerPath, glam::DVec3};
///
/// let at = |x| Camera::look_at(DVec3::new(x, 1.0, 5.0), DVec3::ZERO, 0.8, 1.5);
/// let path = ViewerPath::new(vec![
///     CameraKey { time: 0.0, camera: at(-1.0)? },
///     CameraKey { time: 2.0, camera: at(1.0)? },
/// ])?;
/// assert!(path.at(1.0).position.x.abs() < 1e-12);
/// # Ok::<(), proscenium_view::ViewError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ViewerPath {
    keys: Vec<CameraKey>,
}

impl ViewerPath {
    /// A path through these keys.
    ///
    /// # Errors
    /// When there is no key, a camera is not valid, times do not increase, or
    /// perspective and parallel cameras are mixed.
    pub fn new(keys: Vec<CameraKey>) -> Result<Self, ViewError> {
        let first = keys.first().ok_or(ViewError::NoKeys)?;
        let kind = std::mem::discriminant(&first.camera.projection);
        for (index, key) in keys.iter().enumerate() {
            key.camera.validate()?;
            if !key.time.is_finite() {
                return Err(ViewError::NotFinite { what: "key time" });
            }
            if index > 0 && key.time <= keys[index - 1].time {
                return Err(ViewError::KeyOrder { index, time: key.time });
            }
            if std::mem::discriminant(&key.camera.projection) != kind {
                return Err(ViewError::MixedProjections { index });
            }
        }
        Ok(Self { keys })
    }

    /// A path that stays at one camera for ever.
    ///
    /// # Errors
    /// When the camera is not valid.
    pub fn still(camera: Camera) -> Result<Self, ViewError> {
        Self::new(vec![CameraKey { time: 0.0, camera }])
    }

    /// The keys, in order of time; never empty.
    pub fn keys(&self) -> &[CameraKey] {
        &self.keys
    }

    /// The camera at a time.
    pub fn at(&self, time: f64) -> Camera {
        let after = self.keys.partition_point(|key| key.time <= time);
        if after == 0 || self.keys.len() == 1 {
            return self.keys[0].camera;
        }
        if after == self.keys.len() {
            return self.keys[after - 1].camera;
        }
        let (from, to) = (&self.keys[after - 1], &self.keys[after]);
        let span = to.time - from.time;
        let s = (time - from.time) / span;
        let position = hermite(
            from.camera.position,
            to.camera.position,
            self.velocity(after - 1) * span,
            self.velocity(after) * span,
            s,
        );
        let turned = DQuat::from_mat3(&from.camera.axes()).slerp(DQuat::from_mat3(&to.camera.axes()), s);
        let mix = |a: f64, b: f64| a + (b - a) * s;
        Camera {
            position,
            forward: (turned * DVec3::NEG_Z).normalize(),
            up: (turned * DVec3::Y).normalize(),
            projection: mix_projection(from.camera.projection, to.camera.projection, mix),
            aspect: mix(from.camera.aspect, to.camera.aspect),
            near: mix(from.camera.near, to.camera.near),
            far: mix(from.camera.far, to.camera.far),
        }
    }

    /// The viewer's velocity at a key: the slope of the parabola through the
    /// key and its neighbours, or zero beside a segment of rest.
    fn velocity(&self, index: usize) -> DVec3 {
        let slope = |a: &CameraKey, b: &CameraKey| (b.camera.position - a.camera.position) / (b.time - a.time);
        let before = index.checked_sub(1).map(|i| slope(&self.keys[i], &self.keys[index]));
        let after = self.keys.get(index + 1).map(|next| slope(&self.keys[index], next));
        match (before, after) {
            (Some(before), Some(after)) => {
                if before == DVec3::ZERO || after == DVec3::ZERO {
                    return DVec3::ZERO;
                }
                let span_before = self.keys[index].time - self.keys[index - 1].time;
                let span_after = self.keys[index + 1].time - self.keys[index].time;
                (before * span_after + after * span_before) / (span_before + span_after)
            }
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => DVec3::ZERO,
        }
    }
}

fn mix_projection(from: Projection, to: Projection, mix: impl Fn(f64, f64) -> f64) -> Projection {
    match (from, to) {
        (Projection::Perspective { fov_y: a }, Projection::Perspective { fov_y: b }) => {
            Projection::Perspective { fov_y: mix(a, b) }
        }
        (Projection::Orthographic { height: a }, Projection::Orthographic { height: b }) => {
            Projection::Orthographic { height: mix(a, b) }
        }
        // The constructor refuses mixed kinds.
        (from, _) => from,
    }
}

/// The cubic from `a` to `b` with these velocities per unit of `s`.
fn hermite(a: DVec3, b: DVec3, velocity_a: DVec3, velocity_b: DVec3, s: f64) -> DVec3 {
    let (s2, s3) = (s * s, s * s * s);
    a * (2.0 * s3 - 3.0 * s2 + 1.0)
        + velocity_a * (s3 - 2.0 * s2 + s)
        + b * (3.0 * s2 - 2.0 * s3)
        + velocity_b * (s3 - s2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time: f64, eye: DVec3) -> CameraKey {
        CameraKey { time, camera: Camera::look_at(eye, DVec3::ZERO, 0.8, 1.5).unwrap() }
    }

    #[test]
    fn passes_through_its_keys_and_holds_the_ends() {
        let keys = vec![
            key(1.0, DVec3::new(0.0, 1.0, 5.0)),
            key(2.0, DVec3::new(3.0, 1.0, 4.0)),
            key(4.5, DVec3::new(5.0, 2.0, 0.0)),
        ];
        let path = ViewerPath::new(keys.clone()).unwrap();
        for key in &keys {
            assert!(path.at(key.time).position.distance(key.camera.position) < 1e-12);
            assert!(path.at(key.time).forward.distance(key.camera.forward) < 1e-12);
        }
        assert_eq!(path.at(-9.0), keys[0].camera);
        assert_eq!(path.at(9.0), keys[2].camera);
        assert_eq!(path.at(f64::NAN), keys[0].camera);
    }

    #[test]
    fn velocity_is_continuous() {
        let path = ViewerPath::new(vec![
            key(0.0, DVec3::new(0.0, 1.0, 5.0)),
            key(1.0, DVec3::new(3.0, 1.0, 4.0)),
            key(3.0, DVec3::new(5.0, 2.0, 0.1)),
        ])
        .unwrap();
        let step = 1e-6;
        let before = (path.at(1.0).position - path.at(1.0 - step).position) / step;
        let after = (path.at(1.0 + step).position - path.at(1.0).position) / step;
        assert!(before.distance(after) < 1e-4);
        for i in 0..=300 {
            path.at(f64::from(i) * 0.01).validate().unwrap();
        }
    }

    #[test]
    fn rest_is_rest() {
        let here = DVec3::new(0.0, 1.0, 5.0);
        let path = ViewerPath::new(vec![
            key(0.0, DVec3::new(4.0, 1.0, 5.0)),
            key(1.0, here),
            key(2.0, here),
            key(3.0, DVec3::new(-4.0, 1.0, 5.0)),
        ])
        .unwrap();
        for i in 0..=10 {
            assert!(path.at(1.0 + 0.1 * f64::from(i)).position.distance(here) < 1e-12);
        }
    }

    #[test]
    fn bad_paths_are_refused() {
        let at = |time| key(time, DVec3::Z);
        assert_eq!(ViewerPath::new(vec![]), Err(ViewError::NoKeys));
        assert!(matches!(ViewerPath::new(vec![at(1.0), at(1.0)]), Err(ViewError::KeyOrder { index: 1, .. })));
        assert!(ViewerPath::new(vec![at(f64::NAN)]).is_err());
        let parallel = Camera::orthographic(DVec3::Z, DVec3::ZERO, 1.0, 1.0).unwrap();
        assert_eq!(
            ViewerPath::new(vec![at(0.0), CameraKey { time: 1.0, camera: parallel }]),
            Err(ViewError::MixedProjections { index: 1 })
        );
    }
}
