//! Promise: a compressed ensemble is as near to the data as was asked, in every
//! vertex of every frame and of every mix of frames, with the fewest modes that do it; the
//! same for any number of threads; and comes back from its file as it was.

#![allow(clippy::unwrap_used)]

use crate::common::{Plant, away, strip};
use proptest::prelude::*;
use proscenium_ensemble::built_in::Banner;
use proscenium_ensemble::data::{Condition, EnsembleParts, Moment, Sequence};
use proscenium_ensemble::glam::{DAffine3, DMat3, DVec3};
use proscenium_ensemble::{CompressedEnsemble, Ensemble, Seed, compress};
use proscenium_work::{Completion, Progress, Remedy as _, Stop};

fn largest_error(ensemble: &Ensemble, compressed: &CompressedEnsemble) -> f64 {
    let mut positions = Vec::new();
    let mut worst = 0.0_f64;
    for moment in ensemble.moments() {
        let truth = ensemble.positions_at(moment);
        compressed.positions_at(moment, &mut positions);
        worst = positions.iter().zip(truth).map(|(now, was)| away(*now, *was)).fold(worst, f64::max);
    }
    worst
}

#[test]
fn the_stated_error_holds_and_size_follows_it() {
    let ensemble = Plant::new(4).ensemble(2, 150);
    let mut bytes = Vec::new();
    for error in [1e-2, 1e-3, 1e-4] {
        let compressed = compress(&ensemble, error, &Progress::none()).unwrap().finished().unwrap();
        let measured = largest_error(&ensemble, &compressed);
        assert!(measured <= error, "{measured} for {error}");
        let reported = compressed.largest_error();
        assert!(measured <= reported && reported <= error, "{measured} of {reported} for {error}");
        assert!(compressed.bytes() < ensemble.plain_bytes());
        bytes.push(compressed.bytes());
    }
    assert!(bytes.is_sorted(), "{bytes:?}");
}

/// The frame of three points, in double precision.
fn frame_of(points: [DVec3; 3]) -> DAffine3 {
    let [a, b, c] = points;
    let first = (b - a).normalize();
    let third = first.cross(c - a).normalize();
    DAffine3::from_mat3_translation(DMat3::from_cols(first, third.cross(first), third), (a + b + c) / 3.0)
}

/// Where the vertices of a group are in plain data if each group is as at a moment of its
/// own, in the frame that its parent then has.
fn mixed(ensemble: &Ensemble, moments: &[Moment], group: usize) -> Vec<DVec3> {
    let wide = |point: &[f32; 3]| DVec3::from_array(point.map(f64::from));
    let data = ensemble.positions_at(moments[group]);
    let own = data[ensemble.vertices_of(group)].iter().map(wide);
    let Some(attachment) = ensemble.groups()[group].attachment else { return own.collect() };
    let parent = mixed(ensemble, moments, attachment.parent);
    let first = ensemble.vertices_of(attachment.parent).start;
    let was = frame_of(attachment.anchor.map(|vertex| wide(&data[first + vertex as usize])));
    let is = frame_of(attachment.anchor.map(|vertex| parent[vertex as usize]));
    own.map(|point| is.transform_point3(was.inverse().transform_point3(point))).collect()
}

/// In a transition groups are at different moments. Children made up for what their
/// parents had lost at their own, and a stem turned in jumps under its flower.
#[test]
fn the_error_holds_for_any_mix_of_moments() {
    let swaying = Plant::new(4).ensemble(2, 120);
    let banner = Banner { flags: 2, ..Banner::default() }.generator();
    let record = |part| {
        let motion = banner.record(&part, None, Seed(1), &Progress::none()).unwrap().finished().unwrap();
        (part, motion)
    };
    let banner = banner.gather(banner.parts(1.0).unwrap().into_iter().map(record).collect()).unwrap();
    for (ensemble, error) in [(&swaying, 1e-3), (&swaying, 1e-4), (&banner, 2e-3), (&banner, 2e-4)] {
        let compressed = compress(ensemble, error, &Progress::none()).unwrap().finished().unwrap();
        let moments: Vec<Moment> = ensemble.moments().collect();
        let mut stream = Seed(5).stream("mixes");
        let mut worst = 0.0_f64;
        for _ in 0..200 {
            let mix: Vec<Moment> = ensemble.groups().iter().map(|_| *stream.pick(&moments).unwrap()).collect();
            let coordinates = compressed.shapes().iter().zip(&mix).map(|(shape, &moment)| {
                let mut coordinates = Vec::new();
                shape.coordinates_at(moment, &mut coordinates);
                coordinates
            });
            let mut positions = Vec::new();
            compressed.place(&coordinates.collect::<Vec<_>>(), &mut positions);
            for group in 0..ensemble.groups().len() {
                let truth = mixed(ensemble, &mix, group);
                let now = &positions[ensemble.vertices_of(group)];
                let away = |(now, was): (&[f32; 3], &DVec3)| DVec3::from_array(now.map(f64::from)).distance(*was);
                worst = now.iter().zip(&truth).map(away).fold(worst, f64::max);
            }
        }
        let reported = compressed.largest_error();
        // Places are single precision: a ten-thousandth of a millimetre at a metre.
        assert!(worst <= reported + 1e-6 && reported <= error, "{worst} of {reported} for {error}");
        assert!(worst > 0.1 * error, "{worst} for {error} wastes memory");
    }
}

/// A strip that moves in exactly three ways has three modes, and they span
/// what it was moved by.
#[test]
fn modes_are_as_many_as_there_are_ways_to_move() {
    let group = strip("flag", [0.0; 3], 12, 1.0, 0.3);
    let way = |n: u32, [x, y, _]: [f32; 3]| match n {
        0 => [0.0, 0.0, x * y],
        1 => [0.3 * y * y, 0.0, 0.0],
        _ => [0.0, 0.1 * x, -y],
    };
    let frame = |n: u32| {
        let weights = [1.3, 2.1, 0.7].map(|rate| libm::sin(0.1 * rate * f64::from(n)) as f32);
        let place = |&point: &[f32; 3]| {
            let ways = [0, 1, 2].map(|at| way(at, point).map(|x| x * weights[at as usize]));
            std::array::from_fn(|axis| point[axis] + ways.iter().map(|offset| offset[axis]).sum::<f32>())
        };
        group.rest.iter().map(place).collect::<Vec<[f32; 3]>>()
    };
    let ensemble = Ensemble::new(EnsembleParts {
        name: "flag".to_owned(),
        groups: vec![group.clone()],
        conditions: vec![Condition { name: "wind".to_owned(), intensity: 1.0 }],
        sequences: vec![Sequence { condition: 0, frames: (0..400).map(frame).collect() }],
        frames_per_second: 30.0,
        thickness: 0.01,
    })
    .unwrap();
    let compressed = compress(&ensemble, 1e-4, &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(compressed.rank(), 3);
    let basis = &compressed.shapes()[0].basis;
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    for (i, one) in basis.iter().enumerate() {
        for (j, other) in basis.iter().enumerate() {
            let expected = if i == j { 1.0 } else { 0.0 };
            assert!((dot(one, other) - expected).abs() < 1e-5, "modes {i} and {j}");
        }
    }
    for at in 0..3 {
        let given: Vec<f32> = group.rest.iter().flat_map(|&point| way(at, point)).collect();
        let within: f64 = basis.iter().map(|mode| dot(mode, &given) * dot(mode, &given)).sum();
        assert!((within / dot(&given, &given) - 1.0).abs() < 1e-4, "way {at} is not spanned");
    }
    let energy = |mode: usize| -> f64 {
        let coordinates = compressed.shapes()[0].coordinates[0].iter().skip(mode).step_by(3);
        coordinates.map(|&c| f64::from(c) * f64::from(compressed.shapes()[0].steps[mode])).map(|q| q * q).sum()
    };
    assert!(energy(0) >= energy(1) && energy(1) >= energy(2), "strongest first");
}

#[test]
fn a_group_that_stands_still_takes_no_modes() {
    let plant = Plant::new(1);
    let mut parts = plant.parts(1, 20);
    let rest: Vec<[f32; 3]> = plant.groups.iter().flat_map(|group| group.rest.clone()).collect();
    parts.sequences[0].frames = vec![rest; 20];
    let compressed = compress(&Ensemble::new(parts).unwrap(), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(compressed.rank(), 0);
    let back = CompressedEnsemble::from_bytes(&compressed.to_bytes()).unwrap();
    let mut positions = Vec::new();
    back.positions_at(Moment { sequence: 0, frame: 7 }, &mut positions);
    assert!(away(positions[3], plant.groups[0].rest[3]) < 1e-6);
}

#[test]
fn threads_do_not_change_a_bit() {
    let ensemble = Plant::new(5).ensemble(2, 90);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| compress(&ensemble, 1e-4, &Progress::none())).unwrap().finished().unwrap()
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
}

#[test]
fn an_error_that_16_bits_cannot_reach_is_refused_with_the_group() {
    let mut parts = Plant::new(1).parts(1, 60);
    for (n, frame) in parts.sequences[0].frames.iter_mut().enumerate() {
        frame.iter_mut().for_each(|point| point[0] += 1e4 * libm::sinf(n as f32));
    }
    let message = compress(&Ensemble::new(parts).unwrap(), 1e-4, &Progress::none()).unwrap_err().to_string();
    assert!(message.contains("\"stem\"") && message.contains("16 bits"), "{message}");
}

#[test]
fn work_stops_when_told_to() {
    let ensemble = Plant::new(3).ensemble(1, 30);
    let whole = Progress::new(&Stop::new());
    let compressed = compress(&ensemble, 1e-3, &whole).unwrap().finished().unwrap();
    for question in 1..=whole.questions() {
        let stopped = compress(&ensemble, 1e-3, &Progress::stopping_at(question)).unwrap();
        assert_eq!(stopped, Completion::Stopped, "question {question}");
    }
    let cleaned = Progress::new(&Stop::new());
    let clean = compressed.clone().cleaned(&cleaned).unwrap();
    assert_eq!(clean, Completion::Finished((compressed.clone(), 0)));
    assert_eq!(cleaned.questions(), 30, "one for each frame");
    let stopped = compressed.cleaned(&Progress::stopping_at(7)).unwrap();
    assert_eq!(stopped, Completion::Stopped);
}

/// Between two questions lies at most the work on one frame, one mode or one row of
/// a matrix: their number grows with the data.
#[test]
fn questions_are_as_many_as_there_is_work() {
    let questions = |leaves: u32, frames: u32| {
        let progress = Progress::new(&Stop::new());
        let done = compress(&Plant::new(leaves).ensemble(1, frames), 1e-3, &progress).unwrap();
        assert!(done.finished().is_some());
        progress.questions()
    };
    // Every group reads all frames, asks for the coordinates of each, and is checked in each.
    for (leaves, frames) in [(1, 30), (3, 30), (3, 90)] {
        let (groups, asked) = (u64::from(leaves + 1), questions(leaves, frames));
        assert!(asked >= 3 * groups * u64::from(frames), "{asked} questions for {groups} groups, {frames} frames");
    }
}

#[test]
fn files_come_back_and_damage_is_refused() {
    let compressed = compress(&Plant::new(3).ensemble(2, 60), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let bytes = compressed.to_bytes();
    assert_eq!(CompressedEnsemble::from_bytes(&bytes).unwrap(), compressed);
    for cut in [0, 5, 21, 22, 40, bytes.len() / 2, bytes.len() - 1] {
        assert!(CompressedEnsemble::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
    }
    let message = CompressedEnsemble::from_bytes(b"proscenium ensemble 9 0 00000000\n").unwrap_err().explain();
    assert!(message.contains("version 9 is newer") && message.contains("update this program"), "{message}");
    let message = CompressedEnsemble::from_bytes(b"proscenium motion-graph 2 0 00000000\n").unwrap_err().explain();
    assert!(message.contains("not a compressed ensemble") && message.contains("`motion-graph`"), "{message}");
    let message = CompressedEnsemble::from_bytes(&bytes[..bytes.len() - 1]).unwrap_err().explain();
    assert!(message.contains("was cut short") && message.contains("proscenium ensemble import"), "{message}");
    let message = CompressedEnsemble::from_bytes(&[&bytes[..], b"!"].concat()).unwrap_err().explain();
    assert!(message.contains("1 bytes follow the end"), "{message}");
}

/// Files of release 0.1 have another header before the same content.
#[test]
fn files_of_the_first_release_are_read() {
    let compressed = compress(&Plant::new(2).ensemble(2, 40), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let bytes = compressed.to_bytes();
    let content = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let old = [b"proscenium ensemble 1\n", &bytes[content..]].concat();
    assert_eq!(CompressedEnsemble::from_bytes(&old).unwrap(), compressed);
    assert!(CompressedEnsemble::from_bytes(&old[..old.len() - 1]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever happens to a file, it is read or refused, and what is read can
    /// be played.
    #[test]
    fn damaged_files_are_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let compressed = compress(&Plant::new(1).ensemble(1, 12), 1e-3, &Progress::none()).unwrap().finished().unwrap();
        let mut bytes = compressed.to_bytes();
        for (index, value) in changes {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(read) = CompressedEnsemble::from_bytes(&bytes) {
            let mut positions = Vec::new();
            for moment in read.moments().take(3) {
                read.positions_at(moment, &mut positions);
            }
        }
    }

    /// Any motion, however wild, is kept to the error, or refused with the group whose
    /// vertices are too far apart in 16 bits for what hangs on them.
    #[test]
    fn noise_is_kept_to_the_error(seed in any::<u64>(), frames in 1u32..20, hangs in any::<bool>()) {
        let plant = Plant::new(1);
        let mut parts = plant.parts(1, frames);
        if !hangs {
            parts.groups[1].attachment = None;
        }
        let mut state = seed | 1;
        for point in parts.sequences[0].frames.iter_mut().flatten() {
            for x in point {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                *x += (state >> 40) as f32 / (1 << 24) as f32 - 0.5;
            }
        }
        let ensemble = Ensemble::new(parts).unwrap();
        match compress(&ensemble, 1e-3, &Progress::none()) {
            Ok(compressed) => prop_assert!(largest_error(&ensemble, &compressed.finished().unwrap()) <= 1e-3),
            Err(error) => prop_assert!(hangs && error.to_string().contains("\"stem\""), "{error}"),
        }
    }
}
