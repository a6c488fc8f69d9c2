//! What OpenStreetMap says of nodes and ways, whichever file it comes from.

use std::collections::BTreeMap;

/// Nodes and ways of an extract. Only ways with the tag `highway` are kept, and
/// only nodes that they name.
#[derive(Debug, Default)]
pub(super) struct RawOsm {
    pub(super) nodes: BTreeMap<i64, RawNode>,
    pub(super) ways: Vec<RawWay>,
    /// Relations that forbid or prescribe turns.
    pub(super) turn_restrictions: usize,
}

impl RawOsm {
    /// Keeps a node, if it is on Earth: what is not is as if it were outside the
    /// extract.
    pub(super) fn place(&mut self, id: i64, node: RawNode) {
        if node.latitude.abs() <= 90.0 && node.longitude.abs() <= 180.0 {
            self.nodes.insert(id, node);
        }
    }
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawNode {
    /// Degrees.
    pub(super) latitude: f64,
    pub(super) longitude: f64,
    /// Whether it is a traffic signal.
    pub(super) signals: bool,
}

/// A way.
#[derive(Clone, Debug)]
pub(super) struct RawWay {
    pub(super) id: i64,
    pub(super) nodes: Vec<i64>,
    pub(super) tags: BTreeMap<String, String>,
}

/// The tags of ways that matter.
const TAGS: &[&str] = &[
    "access",
    "area",
    "bridge",
    "highway",
    "junction",
    "lanes",
    "lanes:backward",
    "lanes:forward",
    "layer",
    "maxspeed",
    "motor_vehicle",
    "name",
    "oneway",
    "tunnel",
    "width",
];

impl RawWay {
    /// Keeps a tag if it matters.
    pub(super) fn tag(&mut self, key: &str, value: &str) {
        if TAGS.contains(&key) {
            self.tags.insert(key.to_string(), value.to_string());
        }
    }

    /// What a tag says; empty for nothing.
    pub(super) fn get(&self, key: &str) -> &str {
        self.tags.get(key).map_or("", String::as_str)
    }
}

/// Whether a tag says that a node is a traffic signal.
pub(super) fn is_signals(key: &str, value: &str) -> bool {
    key == "highway" && value == "traffic_signals"
}
