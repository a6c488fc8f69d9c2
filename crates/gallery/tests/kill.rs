//! Promise: a run that is killed at any moment loses no sample that it has
//! reported, and goes on to the same chain as a run that was never killed.
//!
//! The test starts itself as another process, kills that twenty times at moments
//! drawn at random, and compares what the file holds with a run in memory.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::world::{Sum, advance, batch, options, sampler};
use proscenium_chance::Seed;
use proscenium_direct::Sampler;
use proscenium_gallery::{Entry, Gallery, GalleryError, Run};

const FILE: &str = "PROSCENIUM_TEST_GALLERY";
const SEED: u64 = 11;

/// The other process: works until it is killed, and says what it has committed.
#[test]
fn writer() {
    let Some(path) = std::env::var_os(FILE) else {
        return;
    };
    let model = Sum::new();
    let mix = model.mix();
    let (mut gallery, mut sampler) = resume(Path::new(&path), &model, &mix);
    loop {
        advance(&mut gallery, &mut sampler, |sum| vec![(sum - 3.0).abs() < 0.5]).unwrap();
        println!("committed {}", gallery.count().unwrap());
    }
}

/// Opens the gallery, or begins it where it is not there or empty.
fn resume<'a>(path: &Path, model: &'a Sum, mix: &'a proscenium_direct::Mix) -> (Gallery, Sampler<'a, Sum>) {
    let run = Run::of(model, "sum", SEED, options()).with_wants(vec!["near three".to_owned()]);
    let gallery = match Gallery::open(path) {
        Ok(gallery) => gallery,
        Err(GalleryError::Missing { .. } | GalleryError::Empty { .. }) => Gallery::create(path, &run).unwrap(),
        Err(other) => panic!("{other}"),
    };
    assert_eq!(gallery.run().unwrap(), run);
    let sampler = sampler(model, mix, SEED, options(), gallery.state().unwrap());
    (gallery, sampler)
}

/// Starts the writer, kills it after a while, and returns the last count that
/// it reported.
fn killed_after(path: &Path, wait: Duration) -> Option<u64> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["kill::writer", "--exact", "--nocapture"])
        .env(FILE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(wait);
    child.kill().unwrap();
    let output = child.stdout.take().unwrap();
    child.wait().unwrap();
    let lines = BufReader::new(output).lines().map_while(Result::ok);
    // The last line may have been cut short.
    let counts: Vec<u64> = lines.filter_map(|line| line.strip_prefix("committed ")?.parse().ok()).collect();
    counts.iter().rev().nth(1).copied()
}

#[test]
fn twenty_kills_lose_nothing_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gallery.sqlite");
    let mut moments = Seed(3).stream("moments");
    let mut entries: Vec<Entry> = Vec::new();
    for _ in 0..20 {
        let reported = killed_after(&path, Duration::from_micros((90_000.0 * moments.uniform()) as u64));
        if let Ok(gallery) = Gallery::open(&path) {
            let stored = gallery.entries().unwrap();
            assert!(stored.len() as u64 >= reported.unwrap_or(0), "{} of {reported:?}", stored.len());
            assert_eq!(stored[..entries.len()], entries);
            entries = stored;
        } else {
            assert!(entries.is_empty() && reported.is_none());
        }
    }

    // As many batches in one go, in memory.
    let model = Sum::new();
    let mix = model.mix();
    let (mut gallery, mut resumed) = resume(&path, &model, &mix);
    for _ in 0..5 {
        advance(&mut gallery, &mut resumed, |sum| vec![(sum - 3.0).abs() < 0.5]).unwrap();
    }
    let mut sampler = sampler(&model, &mix, SEED, options(), None);
    let (mut samples, mut draws) = (Vec::new(), Vec::new());
    while sampler.state() != resumed.state() {
        let batch = batch(&mut sampler);
        samples.extend(batch.successes.into_iter().map(|success| success.sample));
        draws.extend(batch.draws);
        assert!(draws.len() <= gallery.draws().unwrap().len(), "the runs differ");
    }
    let stored: Vec<_> = gallery.entries().unwrap().into_iter().map(|entry| entry.sample).collect();
    assert_eq!(stored, samples);
    assert_eq!(gallery.draws().unwrap(), draws);
    assert!(samples.len() > 20, "only {} samples: the kills came too early", samples.len());
}
