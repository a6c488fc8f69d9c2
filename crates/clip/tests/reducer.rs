//! Promise: a reduced track stays within its error bounds of the original, at
//! every dropped key strictly and at every other time up to the rounding of
//! `f32`; its keys are keys of the original; and a hundred thousand keys are
//! no trouble.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use proscenium_clip::glam::{DQuat, DVec3, Quat};
use proscenium_clip::{Key, Track};

/// The angle between orientations, by the vector part of their quotient: another
/// formula than the reducer's.
fn angle(a: Quat, b: Quat) -> f64 {
    let quotient = a.as_dquat().normalize().conjugate() * b.as_dquat().normalize();
    2.0 * libm::atan2(quotient.xyz().length(), quotient.w.abs())
}

fn distance(a: &Key, b: &Key) -> f64 {
    (a.position.as_dvec3() - b.position.as_dvec3()).length()
}

fn check(track: &Track, max_position_error: f32, max_angle_error: f32) {
    let reduced = track.reduce(max_position_error, max_angle_error);
    // A subset of the keys, in order, with both ends.
    let mut kept = reduced.keys.iter().peekable();
    for key in &track.keys {
        kept.next_if(|next| *next == key);
    }
    assert!(kept.peek().is_none(), "a key is not one of the original's");
    assert_eq!(reduced.keys.first(), track.keys.first());
    assert_eq!(reduced.keys.last(), track.keys.last());

    // f32 resolves angles of quaternions to about 1e-7.
    let rounding = 5e-7;
    for key in &track.keys {
        let ours = reduced.sample(key.time);
        assert!(distance(&ours, key) <= f64::from(max_position_error));
        let turned = angle(ours.orientation, key.orientation);
        assert!(turned <= f64::from(max_angle_error) + rounding, "{turned} at a key");
    }
    for pair in track.keys.windows(2) {
        for step in 1..8 {
            let time = pair[0].time + (pair[1].time - pair[0].time) * step as f32 / 8.0;
            let (ours, original) = (reduced.sample(time), track.sample(time));
            let size = original.position.length().max(1.0);
            let off = distance(&ours, &original);
            assert!(off <= f64::from(max_position_error + 2e-7 * size), "{off} between keys");
            let turned = angle(ours.orientation, original.orientation);
            assert!(turned <= f64::from(max_angle_error) + rounding, "{turned} between keys");
        }
    }
}

/// Steps of a walk: pause, displacement, axis and angle of a turn. Smooth,
/// jerky and resting stretches all occur.
fn tracks() -> impl Strategy<Value = Track> {
    let step = (
        1e-3..0.2f64,
        prop::array::uniform3(-1.0..1.0f64),
        prop::array::uniform3(-1.0..1.0f64),
        prop_oneof![Just(0.0), -0.01..0.01f64, -0.3..0.3f64, -3.0..3.0f64],
    );
    (prop::collection::vec(step, 1..120), prop_oneof![Just(0.0), Just(1e-3), Just(1.0)]).prop_map(|(steps, jitter)| {
        let (mut time, mut place, mut turn) = (0.0, DVec3::ZERO, DQuat::IDENTITY);
        Track::from_samples(steps.into_iter().map(|(pause, offset, axis, angle)| {
            time += pause;
            place += pause * DVec3::X + jitter * DVec3::from_array(offset);
            if let Some(axis) = DVec3::from_array(axis).try_normalize() {
                turn = (turn * DQuat::from_axis_angle(axis, jitter.max(0.01) * angle)).normalize();
            }
            (time, place, turn)
        }))
        .expect("samples of a walk are in order")
    })
}

proptest! {
    // Failures are kept beside the test, to be committed and run again.
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_bounds_hold_everywhere(
        track in tracks(),
        max_position_error in prop_oneof![Just(0.0f32), 1e-5..1e-3f32, 1e-3..0.5f32],
        max_angle_error in prop_oneof![Just(0.0f32), 1e-4..1e-2f32, 1e-2..0.5f32],
    ) {
        check(&track, max_position_error, max_angle_error);
    }
}

#[test]
fn a_hundred_thousand_keys_of_a_tumbling_flight() {
    let keys = 100_000;
    let samples = (0..keys).map(|index| {
        let time = f64::from(index) * 1e-4;
        let place = DVec3::new(time, libm::sin(3.0 * time), libm::cos(2.0 * time));
        (time, place, DQuat::from_rotation_y(5.0 * time) * DQuat::from_rotation_x(time))
    });
    let track = Track::from_samples(samples).unwrap();
    let reduced = track.reduce(1e-3, 1e-3);
    assert!((100..1000).contains(&reduced.keys.len()), "{}", reduced.keys.len());
    check(&track, 1e-3, 1e-3);
}

#[test]
fn a_hundred_thousand_keys_at_rest_or_at_random() {
    let rest = Track::from_samples((0..100_000).map(|index| (f64::from(index), DVec3::ONE, DQuat::IDENTITY)));
    assert_eq!(rest.unwrap().reduce(0.0, 0.0).keys.len(), 2);
    let noise = Track::from_samples((0..100_000u32).map(|index| {
        let high = index.wrapping_mul(2_654_435_761) >> 31;
        (f64::from(index), f64::from(high) * DVec3::X, DQuat::IDENTITY)
    }))
    .unwrap();
    check(&noise, 0.1, 0.0);
}

/// An independent reducer, slow and exact: the fewest keys by dynamic
/// programming over all spans that hold at their dropped keys.
#[test]
fn the_count_is_close_to_the_least_possible() {
    let track = Track::from_samples((0..200).map(|index| {
        let time = 0.02 * f64::from(index);
        let bounce = libm::fabs(libm::sin(2.0 * time));
        (time, DVec3::new(time, bounce, 0.0), DQuat::from_rotation_z(time * time * 0.2))
    }))
    .unwrap();
    let (position_error, angle_error) = (2e-3, 5e-3);
    let holds = |from: usize, to: usize| {
        let span = Track { keys: vec![track.keys[from], track.keys[to]] };
        track.keys[from..=to].iter().all(|key| {
            let ours = span.sample(key.time);
            distance(&ours, key) <= position_error && angle(ours.orientation, key.orientation) <= angle_error
        })
    };
    let mut least = vec![1usize; track.keys.len()];
    for to in 1..track.keys.len() {
        least[to] = (0..to).filter(|&from| holds(from, to)).map(|from| least[from] + 1).min().unwrap();
    }
    let optimum = *least.last().unwrap();
    let reduced = track.reduce(position_error as f32, angle_error as f32).keys.len();
    assert!(optimum <= reduced && reduced <= optimum + 2, "{reduced} keys, {optimum} possible");
}
