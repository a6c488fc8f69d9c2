//! OpenStreetMap as XML.

use std::collections::BTreeMap;

use proscenium_work::{Halt, Progress};

use super::ImportError;
use super::raw::{RawNode, RawOsm, RawWay, is_signals};
use super::xml::{Elements, Tag};

/// What is being read.
enum Open {
    Nothing,
    Node(i64),
    Way(RawWay),
    Relation { restricts: bool },
}

pub(super) fn read(text: &str, progress: &Progress) -> Result<RawOsm, Halt<ImportError>> {
    let mut osm = RawOsm::default();
    let mut elements = Elements::of(text, progress);
    let mut open = Open::Nothing;
    while let Some(tag) = elements.next()? {
        match tag {
            Tag::Start(start, ends) => {
                match start.name().as_ref() {
                    "node" => {
                        let id = elements.whole(&start, "id")?;
                        let latitude = elements.number(&start, "lat")?;
                        let longitude = elements.number(&start, "lon")?;
                        osm.place(id, RawNode { latitude, longitude, signals: false });
                        open = Open::Node(id);
                    }
                    "way" => {
                        let id = elements.whole(&start, "id")?;
                        open = Open::Way(RawWay { id, nodes: Vec::new(), tags: BTreeMap::new() });
                    }
                    "relation" => open = Open::Relation { restricts: false },
                    "nd" => {
                        if let Open::Way(way) = &mut open {
                            way.nodes.push(elements.whole(&start, "ref")?);
                        }
                    }
                    "tag" => {
                        let key = elements.required(&start, "k")?;
                        let value = elements.required(&start, "v")?;
                        apply(&mut osm, &mut open, &key, &value);
                    }
                    _ => {}
                }
                if ends {
                    close(&mut osm, &mut open, start.name().as_ref());
                }
            }
            Tag::End(name) => close(&mut osm, &mut open, &name),
        }
    }
    let RawOsm { nodes, ways, .. } = &mut osm;
    let mut used: Vec<i64> = ways.iter().flat_map(|way| way.nodes.iter().copied()).collect();
    used.sort_unstable();
    nodes.retain(|id, _| used.binary_search(id).is_ok());
    Ok(osm)
}

fn apply(osm: &mut RawOsm, open: &mut Open, key: &str, value: &str) {
    match open {
        Open::Node(id) if is_signals(key, value) => {
            if let Some(node) = osm.nodes.get_mut(id) {
                node.signals = true;
            }
        }
        Open::Way(way) => way.tag(key, value),
        Open::Relation { restricts } => *restricts |= key == "type" && value == "restriction",
        _ => {}
    }
}

fn close(osm: &mut RawOsm, open: &mut Open, name: &str) {
    if !matches!(name, "node" | "way" | "relation") {
        return;
    }
    match std::mem::replace(open, Open::Nothing) {
        Open::Way(way) if way.tags.contains_key("highway") => osm.ways.push(way),
        Open::Relation { restricts: true } => osm.turn_restrictions += 1,
        _ => {}
    }
}
