//! OpenStreetMap as PBF.

use std::collections::BTreeMap;

use osmpbf::{Element, ElementReader};

use super::ImportError;
use super::raw::{RawNode, RawOsm, RawWay, is_signals};

/// Whether bytes start as a PBF file does: the length of a header that says so.
pub(super) fn is_pbf(bytes: &[u8]) -> bool {
    bytes.get(4..15) == Some(b"\x0a\x09OSMHeader")
}

pub(super) fn read(bytes: &[u8]) -> Result<RawOsm, ImportError> {
    let wrong = |error: osmpbf::Error| ImportError::Pbf { what: error.to_string() };
    let mut osm = RawOsm::default();
    // Ways first: most nodes of an extract belong to houses, and are never kept.
    let ways = ElementReader::new(bytes).for_each(|element| match element {
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
    });
    ways.map_err(wrong)?;
    let mut used: Vec<i64> = osm.ways.iter().flat_map(|way| way.nodes.iter().copied()).collect();
    used.sort_unstable();
    used.dedup();
    let mut keep = |id: i64, latitude: f64, longitude: f64, signals: bool| {
        if used.binary_search(&id).is_ok() {
            osm.place(id, RawNode { latitude, longitude, signals });
        }
    };
    let read = ElementReader::new(bytes).for_each(|element| match element {
        Element::Node(node) => {
            let signals = node.tags().any(|(key, value)| is_signals(key, value));
            keep(node.id(), node.lat(), node.lon(), signals);
        }
        Element::DenseNode(node) => {
            let signals = node.tags().any(|(key, value)| is_signals(key, value));
            keep(node.id(), node.lat(), node.lon(), signals);
        }
        _ => {}
    });
    read.map_err(wrong)?;
    Ok(osm)
}
