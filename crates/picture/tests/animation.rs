//! Promise: an animated picture shows the same as its frames drawn one by
//! one, at the right times, and is the same for any number of threads.

mod scenes;

use image::AnimationDecoder;
use image::codecs::gif::GifDecoder;
use proscenium_picture::{Look, animate, frame_clip, render};

#[test]
fn frames_are_the_pictures_at_their_times() {
    let clip = scenes::bouncing_ball();
    let look = Look::sized(128, 72);
    let camera = frame_clip(&clip, look.aspect()).unwrap();
    let mut gif = Vec::new();
    let mut heard = Vec::new();
    animate(&clip, &camera, &look, 10.0, &mut gif, |done, total| heard.push((done, total))).unwrap();
    assert_eq!(heard, (1..=24).map(|done| (done, 24)).collect::<Vec<_>>());
    assert!(gif.len() < 24 * 128 * 72 / 3, "{} bytes: frames hold only what changed", gif.len());

    let frames = GifDecoder::new(std::io::Cursor::new(&gif)).unwrap().into_frames().collect_frames().unwrap();
    assert_eq!(frames.len(), 24);
    for (number, frame) in frames.iter().enumerate() {
        assert_eq!(frame.delay().numer_denom_ms(), (100, 1));
        let still = render(&clip, number as f32 / 10.0, &camera, &look).unwrap();
        let shown = frame.buffer();
        let error: f64 = shown.as_raw().iter().zip(&still.rgba).map(|(&a, &b)| f64::from(a.abs_diff(b))).sum::<f64>();
        let mean = error / still.rgba.len() as f64;
        assert!(mean < 2.5, "frame {number} differs by {mean} of 255 on average");
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let clip = scenes::glass_box(8);
    let look = Look::sized(48, 27);
    let camera = frame_clip(&clip, look.aspect()).unwrap();
    let draw = |threads| {
        let mut gif = Vec::new();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| animate(&clip, &camera, &look, 3.0, &mut gif, |_, _| {})).unwrap();
        gif
    };
    assert!(draw(1) == draw(3));
}

#[test]
fn a_writer_that_fails_is_reported() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let clip = scenes::bouncing_ball();
    let look = Look::sized(16, 9);
    let camera = frame_clip(&clip, look.aspect()).unwrap();
    assert!(animate(&clip, &camera, &look, 2.0, Full, |_, _| {}).is_err());
}
