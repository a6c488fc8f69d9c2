//! OpenStreetMap as PBF.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::atomic::{AtomicUsize, Ordering};

use osmpbf::{BlobDecode, BlobReader, Element};
use proscenium_work::{Halt, Progress};

use super::ImportError;
use super::raw::{RawNode, RawOsm, RawWay, is_signals};

/// Whether bytes start as a PBF file does: the length of a header that says so.
pub(super) fn is_pbf(bytes: &[u8]) -> bool {
    bytes.get(4..15) == Some(b"\x0a\x09OSMHeader")
}

pub(super) fn read(bytes: &[u8], progress: &Progress) -> Result<RawOsm, Halt<ImportError>> {
    let mut osm = RawOsm::default();
    // Ways first: most nodes of an extract belong to houses, and are never kept.
    for_each(bytes, &progress.part(0.0, 0.5), |element| match element {
        Element::Way(way) => {
            let mut raw = RawWay { id: way.id(), nodes: Vec::new(), tags: BTreeMap::new() };
            way.tags().for_each(|(key, value)| raw.tag(key, value));
            if raw.tags.contains_key("highway") {
                let mut node = 0_i64;
                raw.nodes.extend(way.raw_refs().iter().map(|step| {
                    node = node.wrapping_add(*step);
                    node
                }));
                osm.ways.push(raw);
            }
        }
        Element::Relation(relation) => {
            let restricts = relation.tags().any(|tag| tag == ("type", "restriction"));
            osm.turn_restrictions += usize::from(restricts);
        }
        _ => {}
    })?;
    let mut used: Vec<i64> = osm.ways.iter().flat_map(|way| way.nodes.iter().copied()).collect();
    used.sort_unstable();
    used.dedup();
    let mut keep = |id: i64, latitude: f64, longitude: f64, signals: bool| {
        if used.binary_search(&id).is_ok() {
            osm.place(id, RawNode { latitude, longitude, signals });
        }
    };
    for_each(bytes, &progress.part(0.5, 1.0), |element| match element {
        Element::Node(node) => {
            let signals = node.tags().any(|(key, value)| is_signals(key, value));
            keep(node.id(), node.lat(), node.lon(), signals);
        }
        Element::DenseNode(node) => {
            let signals = node.tags().any(|(key, value)| is_signals(key, value));
            keep(node.id(), node.lat(), node.lon(), signals);
        }
        _ => {}
    })?;
    Ok(osm)
}

/// All elements of a file, block by block: writers put some 8000 into each. It
/// is asked with each block whether to go on.
fn for_each(bytes: &[u8], progress: &Progress, mut with: impl FnMut(Element)) -> Result<(), Halt<ImportError>> {
    let wrong = |error: osmpbf::Error| ImportError::Pbf { what: error.to_string() };
    let left = AtomicUsize::new(bytes.len());
    for blob in BlobReader::new(Remainder { bytes, left: &left }) {
        let blob = blob.map_err(wrong)?;
        progress.tell("reading", 1.0 - left.load(Ordering::Relaxed) as f64 / bytes.len() as f64)?;
        if let BlobDecode::OsmData(block) = blob.decode().map_err(wrong)? {
            block.for_each_element(&mut with);
        }
    }
    Ok(())
}

/// What is left to be read, and how much.
struct Remainder<'bytes> {
    bytes: &'bytes [u8],
    left: &'bytes AtomicUsize,
}

impl Read for Remainder<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.left.store(self.bytes.len(), Ordering::Relaxed);
        Ok(read)
    }
}
