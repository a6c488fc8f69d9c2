//! Writes small PBF files, so that the reader has something to read that was
//! not made by it.

/// A node: number, degrees, and whether it has traffic signals.
pub type Node = (i64, f64, f64, bool);
/// A way: number, nodes and tags.
pub type Way = (i64, Vec<i64>, Vec<(String, String)>);

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// A field that holds bytes.
fn bytes(field: u64, content: &[u8], out: &mut Vec<u8>) {
    varint(field << 3 | 2, out);
    varint(content.len() as u64, out);
    out.extend_from_slice(content);
}

/// A field that holds a number.
fn number(field: u64, value: u64, out: &mut Vec<u8>) {
    varint(field << 3, out);
    varint(value, out);
}

/// Differences of numbers, packed.
fn deltas(field: u64, values: impl Iterator<Item = i64>, out: &mut Vec<u8>) {
    let (mut packed, mut last) = (Vec::new(), 0);
    for value in values {
        varint(zigzag(value - last), &mut packed);
        last = value;
    }
    bytes(field, &packed, out);
}

fn blob(kind: &str, content: &[u8], out: &mut Vec<u8>) {
    let mut inner = Vec::new();
    bytes(1, content, &mut inner);
    let mut header = Vec::new();
    bytes(1, kind.as_bytes(), &mut header);
    number(3, inner.len() as u64, &mut header);
    out.extend_from_slice(&(header.len() as u32).to_be_bytes());
    out.extend_from_slice(&header);
    out.extend_from_slice(&inner);
}

/// A whole file.
pub fn file(nodes: &[Node], ways: &[Way]) -> Vec<u8> {
    let mut strings = vec![String::new(), "highway".into(), "traffic_signals".into()];
    let mut text = |text: &str| match strings.iter().position(|known| known == text) {
        Some(place) => place as u64,
        None => {
            strings.push(text.to_string());
            strings.len() as u64 - 1
        }
    };
    let mut groups = Vec::new();
    let mut dense = Vec::new();
    deltas(1, nodes.iter().map(|node| node.0), &mut dense);
    deltas(8, nodes.iter().map(|node| (node.1 * 1e7).round() as i64), &mut dense);
    deltas(9, nodes.iter().map(|node| (node.2 * 1e7).round() as i64), &mut dense);
    let tags: Vec<u8> = nodes.iter().flat_map(|node| if node.3 { vec![1, 2, 0] } else { vec![0] }).collect();
    bytes(10, &tags, &mut dense);
    let mut group = Vec::new();
    bytes(2, &dense, &mut group);
    groups.push(group);
    let mut group = Vec::new();
    for (id, refs, tags) in ways {
        let mut way = Vec::new();
        number(1, *id as u64, &mut way);
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for (key, value) in tags {
            varint(text(key), &mut keys);
            varint(text(value), &mut values);
        }
        bytes(2, &keys, &mut way);
        bytes(3, &values, &mut way);
        deltas(8, refs.iter().copied(), &mut way);
        bytes(3, &way, &mut group);
    }
    groups.push(group);
    let mut table = Vec::new();
    for text in &strings {
        bytes(1, text.as_bytes(), &mut table);
    }
    let mut block = Vec::new();
    bytes(1, &table, &mut block);
    for group in groups {
        bytes(2, &group, &mut block);
    }
    let mut header = Vec::new();
    bytes(4, b"OsmSchema-V0.6", &mut header);
    bytes(4, b"DenseNodes", &mut header);
    let mut out = Vec::new();
    blob("OSMHeader", &header, &mut out);
    blob("OSMData", &block, &mut out);
    out
}
