//! Promise: an animated picture shows the same as its frames drawn one by
//! one, at the right times, and is the same for any number of threads.
#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

mod scenes;

use proscenium_picture::{Look, animate, frame_clip, render};

/// What each frame of a film shows, and for how many hundredths of a second.
fn shown(film: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(film).unwrap();
    let width = usize::from(decoder.width());
    let mut canvas = vec![0; 4 * width * usize::from(decoder.height())];
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (index, pixel) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
            let (x, y) = (index % usize::from(frame.width), index / usize::from(frame.width));
            let place = 4 * ((usize::from(frame.top) + y) * width + usize::from(frame.left) + x);
            canvas[place..place + 4].copy_from_slice(pixel);
        }
        frames.push((frame.delay, canvas.clone()));
    }
    frames
}

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

    let frames = shown(&gif);
    assert_eq!(frames.len(), 24);
    for (number, (hundredths, shown)) in frames.iter().enumerate() {
        assert_eq!(*hundredths, 10);
        let still = render(&clip, number as f32 / 10.0, &camera, &look).unwrap();
        let error: f64 = shown.iter().zip(&still.rgba).map(|(&a, &b)| f64::from(a.abs_diff(b))).sum::<f64>();
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
