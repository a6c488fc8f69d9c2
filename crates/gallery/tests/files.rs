//! Promise: what was written is read back to the last bit, and a file that is
//! not a gallery, or not one that can be read, is refused with the remedy.

#![allow(clippy::unwrap_used)]

use crate::world::{Sum, advance, options, sampler};
use proscenium_direct::{Method, Model, Request, SamplerOptions};
use proscenium_gallery::{Gallery, GalleryError, Run};
use proscenium_work::{Progress, Remedy as _};

#[test]
fn every_method_is_read_back_as_it_was() {
    let model = Sum::new();
    let mix = model.mix();
    for method in [Method::Rejection, Method::Chain, Method::Tempering, Method::Population] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gallery.sqlite");
        let options = SamplerOptions { method: Some(method), ..options() };
        let run = Run::of(&model, "a scene\nwith \"lines\"", u64::MAX - 5, options.clone());
        let mut gallery = Gallery::create(&path, &run).unwrap();
        let mut sampler = sampler(&model, &mix, run.seed, options, None);
        assert_eq!(gallery.state().unwrap(), None);
        let (mut samples, mut draws) = (Vec::new(), Vec::new());
        for _ in 0..30 {
            let batch = advance(&mut gallery, &mut sampler, |_| vec![true, false]).unwrap();
            samples.extend(batch.successes.into_iter().map(|success| success.sample));
            draws.extend(batch.draws);
        }
        drop(gallery);
        let gallery = Gallery::open(&path).unwrap();
        assert_eq!(gallery.run().unwrap(), run);
        assert_eq!(gallery.state().unwrap(), Some(sampler.state()));
        assert_eq!(gallery.simulations().unwrap(), sampler.effort().simulations);
        let entries = gallery.entries().unwrap();
        assert!(entries.iter().all(|entry| entry.wants_met == [true, false]));
        assert!(!samples.is_empty(), "{method}");
        assert_eq!(entries.into_iter().map(|entry| entry.sample).collect::<Vec<_>>(), samples);
        assert_eq!(gallery.draws().unwrap(), draws);
        assert_eq!(gallery.count().unwrap(), samples.len() as u64);

        // Simulated again, every sample meets what it was stored with.
        for sample in samples {
            let values = model.space().values(&sample.point);
            let again = model.simulate(&Request::whole(&values, &Progress::none())).unwrap();
            assert!(again.satisfied && again.log_score.to_bits() == sample.log_score.to_bits());
        }
    }
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::of(&Sum::new(), "sum", 1, options());
    let path = |name: &str| folder.path().join(name);
    assert!(matches!(Gallery::open(path("none")), Err(GalleryError::Missing { .. })));

    std::fs::write(path("text"), "a text that is long enough not to be taken for an empty database").unwrap();
    assert!(matches!(Gallery::open(path("text")), Err(GalleryError::NotGallery { .. })));
    assert!(matches!(Gallery::create(path("text"), &run), Err(GalleryError::NotGallery { .. })));

    std::fs::write(path("empty"), "").unwrap();
    assert!(matches!(Gallery::open(path("empty")), Err(GalleryError::Empty { .. })));
    drop(Gallery::create(path("empty"), &run).unwrap());
    assert!(matches!(Gallery::create(path("empty"), &run), Err(GalleryError::Exists { .. })));

    let other = rusqlite::Connection::open(path("other")).unwrap();
    other.execute_batch("CREATE TABLE birds (name TEXT)").unwrap();
    drop(other);
    assert!(matches!(Gallery::open(path("other")), Err(GalleryError::NotGallery { .. })));

    let newer = rusqlite::Connection::open(path("empty")).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    drop(newer);
    let refused = Gallery::open(path("empty")).err().unwrap().explain();
    assert!(refused.contains("format 99") && refused.contains("newer version"), "{refused}");
}

#[test]
fn two_runs_at_once_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gallery.sqlite");
    let model = Sum::new();
    let mix = model.mix();
    let options = SamplerOptions { method: Some(Method::Chain), ..options() };
    let mut first = Gallery::create(&path, &Run::of(&model, "sum", 1, options.clone())).unwrap();
    let mut second = Gallery::open(&path).unwrap();
    let start = || sampler(&model, &mix, 1, options.clone(), None);
    advance(&mut first, &mut start(), |_| Vec::new()).unwrap();
    let refused = advance(&mut second, &mut start(), |_| Vec::new()).unwrap_err();
    assert!(matches!(refused, GalleryError::Concurrent { .. }), "{refused}");
    // The refused commit has left nothing.
    assert_eq!(second.draws().unwrap().len(), 128);
}

/// Written by version 0.1: a die that shows a six, by a chain.
const OLD: &[u8] = include_bytes!("data/version-0.1.sqlite");

#[test]
fn a_gallery_of_version_0_1_is_read_and_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gallery.sqlite");
    std::fs::write(&path, OLD).unwrap();
    let mut gallery = Gallery::open(&path).unwrap();
    let (run, entries, draws) = (gallery.run().unwrap(), gallery.entries().unwrap(), gallery.draws().unwrap());
    assert_eq!((run.engine.as_str(), run.wants.as_slice()), ("0.1", ["die shows 6".to_owned()].as_slice()));
    assert_eq!((entries.len(), draws.len(), gallery.simulations().unwrap()), (75, 128, 130));
    // It was stopped in its warm-up.
    assert!(entries.iter().all(|entry| entry.sample.phase == 0) && draws.iter().all(|draw| draw.phase == 0));
    // Each sample was held for as long as its chain did not move on.
    for entry in &entries {
        let held =
            |draw: &&proscenium_direct::Draw| (draw.chain, draw.since) == (entry.sample.chain, entry.sample.iteration);
        let held: Vec<u64> = draws.iter().filter(held).map(|draw| draw.iteration).collect();
        assert_eq!(held.first(), Some(&entry.sample.iteration));
        assert!(held.windows(2).all(|pair| pair[1] == pair[0] + 1), "{held:?}");
    }
    let refused = gallery.state().unwrap_err().explain();
    assert!(refused.contains("version 0.1") && refused.contains("begin at another place"), "{refused}");
    let state = sampler(&Sum::new(), &Sum::new().mix(), 1, options(), None).state();
    assert!(matches!(gallery.commit(&[], &[], &state, 0), Err(GalleryError::Older { .. })));
}
