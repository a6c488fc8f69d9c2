//! Promise: an animated picture shows the same as its frames drawn one by
//! one, at the right times, and is the same for any number of threads.
#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use std::sync::{Arc, Mutex};

use crate::scenes::{self, render};
use proscenium_picture::{Footage, Look, animate, film, frame_clip};
use proscenium_work::{Completion, Progress, Stop};

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
    let heard = Arc::new(Mutex::new(Vec::new()));
    let list = heard.clone();
    let progress = Progress::watched(&Stop::new(), move |report| {
        list.lock().unwrap().push((report.doing.to_owned(), report.done));
    });
    let footage = animate(&clip, &camera, &look, 10.0, &mut gif, &progress).unwrap();
    assert_eq!(footage, Footage { frames: 24, stopped: false });
    let heard = heard.lock().unwrap();
    assert_eq!(heard.iter().filter(|(doing, _)| doing == "drawing").count(), 24, "each frame is told");
    assert!(heard.is_sorted_by(|a, b| a.1 < b.1) && heard.last().unwrap().1 == 1.0, "{heard:?}");
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
        pool.install(|| animate(&clip, &camera, &look, 3.0, &mut gif, &Progress::none())).unwrap();
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
    assert!(animate(&clip, &camera, &look, 2.0, Full, &Progress::none()).is_err());
}

#[test]
fn a_film_that_is_stopped_at_any_question_is_shorter_and_whole() {
    let clip = scenes::bouncing_ball();
    let look = Look::sized(32, 18);
    let camera = frame_clip(&clip, look.aspect()).unwrap();
    let whole = Progress::new(&Stop::new());
    animate(&clip, &camera, &look, 5.0, &mut Vec::new(), &whole).unwrap();
    // Five passes over the rows of each frame, of the small ones for the colours
    // too, and one question more per frame.
    let (frames, small) = (12, 10);
    let rows = frames * (5 * 18 + 1) + small * (5 * 9 + 1);
    assert!(whole.questions() >= rows + frames + small, "{} questions of {rows} rows", whole.questions());

    let mut before = 0;
    for question in (1..=whole.questions()).step_by(61) {
        let mut gif = Vec::new();
        let progress = Progress::stopping_at(question);
        let footage = animate(&clip, &camera, &look, 5.0, &mut gif, &progress).unwrap();
        assert!(footage.stopped && footage.frames >= before, "{footage:?} at question {question}");
        before = footage.frames;
        assert_eq!(if gif.is_empty() { 0 } else { shown(&gif).len() }, footage.frames);
        // Every row of a pass may have been begun when the switch was pressed.
        assert!(progress.questions() <= question + 19, "{} after {question}", progress.questions());
    }
    assert_eq!(before, 11);
}

#[test]
fn a_film_ends_where_one_of_its_pictures_was_stopped() {
    let picture = proscenium_picture::Picture::filled(8, 8, [9, 9, 9, 255]).unwrap();
    let drawn = |time: f64| Ok(if time < 0.75 { Completion::Finished(picture.clone()) } else { Completion::Stopped });
    let mut gif = Vec::new();
    // The colours are found in all ten.
    assert_eq!(film(1.0, 10.0, drawn, &mut gif, &Progress::none()).unwrap(), Footage { frames: 0, stopped: true });
    assert!(gif.is_empty());
    let calls = Mutex::new(0);
    let later = |_: f64| {
        *calls.lock().unwrap() += 1;
        Ok(if *calls.lock().unwrap() <= 14 { Completion::Finished(picture.clone()) } else { Completion::Stopped })
    };
    assert_eq!(film(1.0, 10.0, later, &mut gif, &Progress::none()).unwrap(), Footage { frames: 4, stopped: true });
    assert_eq!(shown(&gif).len(), 4);
}
