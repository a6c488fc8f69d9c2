//! USD in its binary form, "crate": the same stage as the text has, in a fifth of the space.
//!
//! A file of version 0.8.0: values one after another, and behind them six tables of tokens,
//! fields, sets of fields, paths and specs. The tables are packed as that version wants them:
//! numbers as differences of 8, 16 or 32 bits, and everything as an LZ4 block, here one of
//! literals only.

use proscenium_work::{Completion, Finish as _, Progress, Stopped};

use super::Take;
use super::usd::identifier;
use crate::contact::Extent;

const IDENT: &[u8; 8] = b"PXR-USDC";
const VERSION: [u8; 8] = [0, 8, 0, 0, 0, 0, 0, 0];
/// The bytes before the first value.
const BOOTSTRAP: usize = 88;
/// A field set ends with this.
const END: u32 = u32::MAX;
/// Arrays begin at multiples of this.
const ALIGNED: usize = 8;

/// Kinds of specs, as a crate numbers them.
const ATTRIBUTE: u32 = 1;
const PRIM: u32 = 6;
const ROOT: u32 = 7;

/// Kinds of values, as a crate numbers them.
mod kind {
    pub const BOOL: u64 = 1;
    pub const INT: u64 = 3;
    pub const DOUBLE: u64 = 9;
    pub const STRING: u64 = 10;
    pub const TOKEN: u64 = 11;
    pub const VEC3F: u64 = 24;
    pub const TOKENS: u64 = 41;
    pub const SPECIFIER: u64 = 42;
    pub const VARIABILITY: u64 = 44;
    pub const SAMPLES: u64 = 46;
    pub const DOUBLES: u64 = 48;
}

/// A take as a `.usdc` file: the stage of [`to_usda`](super::to_usda).
pub fn to_usdc(take: &Take, progress: &Progress) -> Completion<Vec<u8>> {
    write(take, progress).finish()
}

fn write(take: &Take, progress: &Progress) -> Result<Vec<u8>, Stopped> {
    let compressed = take.compressed;
    let frames = take.all_frames(&progress.part(0.0, 0.4))?;
    let writing = progress.part(0.4, 1.0);
    let counter = writing.counter("writing groups", compressed.groups().len());
    let mut file = Crate::new();
    let rate = compressed.frames_per_second();
    let stage = identifier(compressed.name(), 0, &[]);
    let times: Vec<f64> = (1..=frames.len()).map(|code| code as f64).collect();
    let times = file.doubles(&times);
    let mut names: Vec<String> = Vec::new();
    let mut groups = Vec::new();
    for (group, data) in compressed.groups().iter().enumerate() {
        counter.count()?;
        names.push(identifier(&data.name, group, &names));
        let corners: Vec<i32> = data.triangles.iter().flatten().map(|&corner| corner as i32).collect();
        let range = compressed.vertices_of(group);
        let (mut points, mut extents) = (Vec::new(), Vec::new());
        for frame in &frames {
            let places = &frame[range.clone()];
            let extent = Extent::of(places);
            points.push(file.points(places));
            extents.push(file.points(&[extent.low, extent.high]));
        }
        let uniform = Crate::inline(kind::VARIABILITY, 1);
        let attributes = [
            ("faceVertexCounts", "int[]", vec![("default", file.ints(&vec![3; data.triangles.len()]))]),
            ("faceVertexIndices", "int[]", vec![("default", file.ints(&corners))]),
            ("subdivisionScheme", "token", vec![("default", file.token("none")), ("variability", uniform)]),
            ("doubleSided", "bool", vec![("default", Crate::inline(kind::BOOL, 1))]),
            (
                "points",
                "point3f[]",
                vec![("default", file.points(&data.rest)), ("timeSamples", file.samples(times, &points))],
            ),
            ("extent", "float3[]", vec![("timeSamples", file.samples(times, &extents))]),
        ];
        groups.push((data.name.clone(), attributes));
    }
    let fields = [
        ("defaultPrim", file.token(&stage)),
        ("documentation", file.string("proscenium, format 1")),
        ("metersPerUnit", file.double(1.0)),
        ("upAxis", file.token("Y")),
        ("startTimeCode", file.double(1.0)),
        ("endTimeCode", file.double(frames.len().max(1) as f64)),
        ("timeCodesPerSecond", file.double(rate)),
        ("framesPerSecond", file.double(rate)),
        ("primChildren", file.tokens([stage.as_str()])),
    ];
    let root = file.spec(ROOT, "", &fields);
    let fields = [
        ("specifier", Crate::inline(kind::SPECIFIER, 0)),
        ("typeName", file.token("Xform")),
        ("primChildren", file.tokens(names.iter().map(String::as_str))),
    ];
    let mut xform = file.spec(PRIM, &stage, &fields);
    for (name, (shown, attributes)) in names.iter().zip(groups) {
        let fields = [
            ("specifier", Crate::inline(kind::SPECIFIER, 0)),
            ("typeName", file.token("Mesh")),
            ("displayName", file.string(&shown)),
            ("properties", file.tokens(attributes.iter().map(|(name, ..)| *name))),
        ];
        let mut mesh = file.spec(PRIM, name, &fields);
        for (name, type_name, values) in attributes {
            let mut fields = vec![("typeName", file.token(type_name))];
            fields.extend(values);
            let attribute = file.spec(ATTRIBUTE, name, &fields);
            mesh.children.push(attribute);
        }
        xform.children.push(mesh);
    }
    Ok(file.finish(Spec { children: vec![xform], ..root }))
}

/// A place of the stage: a prim, or one of its attributes.
struct Spec {
    kind: u32,
    /// Its token, and where its fields begin.
    name: u32,
    fields: u32,
    children: Vec<Spec>,
}

/// A file that grows.
struct Crate {
    bytes: Vec<u8>,
    tokens: Vec<String>,
    strings: Vec<u32>,
    /// A name and a value each.
    fields: Vec<(u32, u64)>,
    field_sets: Vec<u32>,
}

impl Crate {
    fn new() -> Self {
        // Attributes are told by the sign of their token, so none may be number 0.
        let tokens = vec!["-".to_owned()];
        Self { bytes: vec![0; BOOTSTRAP], tokens, strings: Vec::new(), fields: Vec::new(), field_sets: Vec::new() }
    }

    fn token_number(&mut self, text: &str) -> u32 {
        // Null ends a token.
        let text = text.replace('\0', " ");
        let known = self.tokens.iter().position(|token| *token == text);
        known.unwrap_or_else(|| {
            self.tokens.push(text);
            self.tokens.len() - 1
        }) as u32
    }

    fn inline(kind: u64, payload: u64) -> u64 {
        1 << 62 | kind << 48 | payload
    }

    fn at(&self, kind: u64) -> u64 {
        kind << 48 | self.bytes.len() as u64
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNED), 0);
    }

    fn token(&mut self, text: &str) -> u64 {
        Self::inline(kind::TOKEN, self.token_number(text).into())
    }

    fn string(&mut self, text: &str) -> u64 {
        let token = self.token_number(text);
        self.strings.push(token);
        Self::inline(kind::STRING, self.strings.len() as u64 - 1)
    }

    fn double(&mut self, value: f64) -> u64 {
        if f64::from(value as f32) == value {
            return Self::inline(kind::DOUBLE, (value as f32).to_bits().into());
        }
        self.align();
        let at = self.at(kind::DOUBLE);
        self.bytes.extend(value.to_le_bytes());
        at
    }

    fn tokens<'text>(&mut self, texts: impl IntoIterator<Item = &'text str>) -> u64 {
        let numbers: Vec<u32> = texts.into_iter().map(|text| self.token_number(text)).collect();
        self.align();
        let at = self.at(kind::TOKENS);
        self.bytes.extend((numbers.len() as u64).to_le_bytes());
        self.bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        at
    }

    fn doubles(&mut self, values: &[f64]) -> u64 {
        self.align();
        let at = self.at(kind::DOUBLES);
        self.bytes.extend((values.len() as u64).to_le_bytes());
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        at
    }

    fn array(&mut self, kind: u64, count: usize, numbers: impl Iterator<Item = [u8; 4]>) -> u64 {
        if count == 0 {
            return 1 << 63 | kind << 48;
        }
        self.align();
        let at = 1 << 63 | self.at(kind);
        self.bytes.extend((count as u64).to_le_bytes());
        self.bytes.extend(numbers.flatten());
        at
    }

    fn ints(&mut self, values: &[i32]) -> u64 {
        self.array(kind::INT, values.len(), values.iter().map(|value| value.to_le_bytes()))
    }

    fn points(&mut self, places: &[[f32; 3]]) -> u64 {
        self.array(kind::VEC3F, places.len(), places.iter().flatten().map(|x| x.to_le_bytes()))
    }

    /// Values over time. Before times and values stands how far on they are: at once.
    fn samples(&mut self, times: u64, values: &[u64]) -> u64 {
        self.align();
        let at = self.at(kind::SAMPLES);
        self.bytes.extend(8_i64.to_le_bytes());
        self.bytes.extend(times.to_le_bytes());
        self.bytes.extend(8_i64.to_le_bytes());
        self.bytes.extend((values.len() as u64).to_le_bytes());
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        at
    }

    fn spec(&mut self, kind: u32, name: &str, fields: &[(&str, u64)]) -> Spec {
        let first = self.field_sets.len() as u32;
        for &(name, value) in fields {
            let field = (self.token_number(name), value);
            let known = self.fields.iter().position(|&known| known == field);
            self.field_sets.push(known.unwrap_or(self.fields.len()) as u32);
            if known.is_none() {
                self.fields.push(field);
            }
        }
        self.field_sets.push(END);
        Spec { kind, name: self.token_number(name), fields: first, children: Vec::new() }
    }

    /// The tables, and where they are.
    fn finish(mut self, root: Spec) -> Vec<u8> {
        let mut sections: Vec<(&str, usize, usize)> = Vec::new();
        let mut add = |bytes: &mut Vec<u8>, name: &'static str, content: Vec<u8>| {
            bytes.resize(bytes.len().next_multiple_of(ALIGNED), 0);
            sections.push((name, bytes.len(), content.len()));
            bytes.extend(content);
        };
        let count = |number: usize| (number as u64).to_le_bytes().to_vec();
        let text: Vec<u8> = self.tokens.iter().flat_map(|token| token.bytes().chain([0])).collect();
        let size = count(text.len());
        add(&mut self.bytes, "TOKENS", [count(self.tokens.len()), size, sized(block(&text))].concat());
        let strings = self.strings.iter().flat_map(|token| token.to_le_bytes()).collect();
        add(&mut self.bytes, "STRINGS", [count(self.strings.len()), strings].concat());
        let (names, values): (Vec<u32>, Vec<u64>) = self.fields.iter().copied().unzip();
        let values: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        add(&mut self.bytes, "FIELDS", [count(names.len()), integers(&names), sized(block(&values))].concat());
        let sets = [count(self.field_sets.len()), integers(&self.field_sets)].concat();
        add(&mut self.bytes, "FIELDSETS", sets);
        let mut paths = Paths::default();
        paths.add(&root, false);
        let all = count(paths.names.len());
        let numbers: Vec<u32> = (0..paths.names.len() as u32).collect();
        let tables = [all.clone(), all.clone(), integers(&numbers), integers(&paths.names), integers(&paths.jumps)];
        add(&mut self.bytes, "PATHS", tables.concat());
        let tables = [all, integers(&numbers), integers(&paths.fields), integers(&paths.kinds)];
        add(&mut self.bytes, "SPECS", tables.concat());
        self.align();
        let contents = self.bytes.len();
        self.bytes.extend((sections.len() as u64).to_le_bytes());
        for (name, start, size) in sections {
            let mut padded = [0; 16];
            padded[..name.len()].copy_from_slice(name.as_bytes());
            self.bytes.extend(padded);
            self.bytes.extend((start as i64).to_le_bytes());
            self.bytes.extend((size as i64).to_le_bytes());
        }
        self.bytes[..8].copy_from_slice(IDENT);
        self.bytes[8..16].copy_from_slice(&VERSION);
        self.bytes[16..24].copy_from_slice(&(contents as i64).to_le_bytes());
        self.bytes
    }
}

/// The tree of specs, parents before children, as a crate has it.
#[derive(Default)]
struct Paths {
    /// The token of each; negative for attributes, as bits.
    names: Vec<u32>,
    /// What follows: only a child (−1), only a sibling (0), both, with how far on the sibling
    /// is, or nothing (−2).
    jumps: Vec<u32>,
    fields: Vec<u32>,
    kinds: Vec<u32>,
}

impl Paths {
    fn add(&mut self, spec: &Spec, has_sibling: bool) {
        let here = self.names.len();
        let name = if spec.kind == ATTRIBUTE { (spec.name as i32).wrapping_neg() as u32 } else { spec.name };
        self.names.push(name);
        self.jumps.push(0);
        self.fields.push(spec.fields);
        self.kinds.push(spec.kind);
        for (at, child) in spec.children.iter().enumerate() {
            self.add(child, at + 1 < spec.children.len());
        }
        self.jumps[here] = match (spec.children.is_empty(), has_sibling) {
            (true, false) => (-2_i32) as u32,
            (false, false) => (-1_i32) as u32,
            (true, true) => 0,
            (false, true) => (self.names.len() - here) as u32,
        };
    }
}

fn sized(bytes: Vec<u8>) -> Vec<u8> {
    [(bytes.len() as u64).to_le_bytes().to_vec(), bytes].concat()
}

/// Bytes as an LZ4 block of literals, after a byte that says that there is but one block.
fn block(bytes: &[u8]) -> Vec<u8> {
    let mut block = vec![0, (bytes.len().min(15) as u8) << 4];
    if let Some(mut rest) = bytes.len().checked_sub(15) {
        while rest >= 255 {
            block.push(255);
            rest -= 255;
        }
        block.push(rest as u8);
    }
    block.extend(bytes);
    block
}

/// Numbers of 32 bits as differences: the commonest one, two bits for each that say how it
/// is written (0: the commonest; else 8, 16 or 32 bits), and what these say.
fn integers(numbers: &[u32]) -> Vec<u8> {
    if numbers.is_empty() {
        return sized(Vec::new());
    }
    let before = std::iter::once(0).chain(numbers.iter().copied());
    let steps: Vec<i32> = numbers.iter().zip(before).map(|(&here, before)| here.wrapping_sub(before) as i32).collect();
    let mut sorted = steps.clone();
    sorted.sort_unstable();
    let common = sorted.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map_or(0, |run| run[0]);
    let mut codes = vec![0_u8; steps.len().div_ceil(4)];
    let mut written = Vec::new();
    for (at, &step) in steps.iter().enumerate() {
        let code = if step == common {
            0
        } else if let Ok(small) = i8::try_from(step) {
            written.extend(small.to_le_bytes());
            1
        } else if let Ok(middle) = i16::try_from(step) {
            written.extend(middle.to_le_bytes());
            2
        } else {
            written.extend(step.to_le_bytes());
            3
        };
        codes[at / 4] |= code << (2 * (at % 4));
    }
    sized(block(&[common.to_le_bytes().to_vec(), codes, written].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads what `integers` writes, by the letter of the format.
    fn read(bytes: &[u8], count: usize) -> Vec<u32> {
        let size = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        assert_eq!(bytes.len(), 8 + size);
        let literals = unblock(&bytes[8..]);
        let common = i32::from_le_bytes(literals[..4].try_into().unwrap());
        let mut at = 4 + count.div_ceil(4);
        let mut last = 0_u32;
        (0..count)
            .map(|index| {
                let width = [0, 1, 2, 4][usize::from(literals[4 + index / 4] >> (2 * (index % 4)) & 3)];
                let mut word = [0; 4];
                word[..width].copy_from_slice(&literals[at..at + width]);
                at += width;
                let step = match width {
                    0 => common,
                    1 => i32::from(word[0] as i8),
                    2 => i32::from(i16::from_le_bytes([word[0], word[1]])),
                    _ => i32::from_le_bytes(word),
                };
                last = last.wrapping_add(step as u32);
                last
            })
            .collect()
    }

    fn unblock(block: &[u8]) -> &[u8] {
        assert_eq!(block[0], 0);
        let (mut length, mut at) = (usize::from(block[1] >> 4), 2);
        if length == 15 {
            loop {
                length += usize::from(block[at]);
                at += 1;
                if block[at - 1] < 255 {
                    break;
                }
            }
        }
        assert_eq!(block.len(), at + length);
        &block[at..]
    }

    #[test]
    fn numbers_come_back() {
        let all: Vec<u32> = vec![0, 1, 2, 3, 4, 200, 70_000, 70_001, u32::MAX, 5, 4, 3, 4_000_000_000];
        for count in 1..all.len() {
            assert_eq!(read(&integers(&all[..count]), count), all[..count]);
        }
        let steps: Vec<u32> = (0..1000).map(|n| n / 3).collect();
        assert_eq!(read(&integers(&steps), 1000), steps);
    }

    #[test]
    fn blocks_of_any_length_come_back() {
        for length in [0, 1, 14, 15, 16, 269, 270, 271, 5000] {
            let bytes: Vec<u8> = (0..length).map(|n| n as u8).collect();
            assert_eq!(unblock(&block(&bytes)), bytes);
        }
    }
}
