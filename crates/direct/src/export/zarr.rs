use std::collections::BTreeMap;

use serde_json::json;

use super::{Column, Kind, groups};
use crate::trace::Traces;

impl Traces {
    /// What is settled, as a Zarr store (version 2, without compression): the
    /// contents of each file, by its path within the store's folder.
    ///
    /// ArviZ opens it with
    /// `InferenceData.from_datatree(xarray.open_datatree(PATH, engine="zarr"))`.
    pub fn to_zarr(&self) -> Result<BTreeMap<String, Vec<u8>>, serde_json::Error> {
        let mut files = BTreeMap::new();
        put_json(&mut files, ".zgroup", &json!({ "zarr_format": 2 }))?;
        put_json(&mut files, ".zattrs", &json!({}))?;
        for (group, columns) in groups(self) {
            put_json(&mut files, &format!("{group}/.zgroup"), &json!({ "zarr_format": 2 }))?;
            put_json(&mut files, &format!("{group}/.zattrs"), &json!({ "inference_library": "proscenium" }))?;
            for column in &columns {
                let shape = [column.chains.len(), column.chains.first().map_or(0, Vec::len)];
                put_array(&mut files, &format!("{group}/{}", column.name), &["chain", "draw"], &shape, column)?;
            }
            let [chains, draws] = [self.chains().len(), self.settled().chains().next().map_or(0, <[_]>::len)];
            for (name, length) in [("chain", chains), ("draw", draws)] {
                let places = (0..length).map(|place| place as f64).collect();
                let column = Column { name: name.to_owned(), kind: Kind::Count, chains: vec![places] };
                put_array(&mut files, &format!("{group}/{name}"), &[name], &[length], &column)?;
            }
        }
        consolidate(&mut files)?;
        Ok(files)
    }
}

/// Gathers all descriptions in one file, as readers expect.
fn consolidate(files: &mut BTreeMap<String, Vec<u8>>) -> Result<(), serde_json::Error> {
    let mut metadata = serde_json::Map::new();
    for (path, bytes) in files.iter() {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name.starts_with(".z") {
            metadata.insert(path.clone(), serde_json::from_slice(bytes)?);
        }
    }
    put_json(files, ".zmetadata", &json!({ "zarr_consolidated_format": 1, "metadata": metadata }))
}

fn put_json(
    files: &mut BTreeMap<String, Vec<u8>>,
    path: &str,
    value: &serde_json::Value,
) -> Result<(), serde_json::Error> {
    files.insert(path.to_owned(), serde_json::to_vec_pretty(value)?);
    Ok(())
}

/// One array in one chunk, row by row, little-endian.
fn put_array(
    files: &mut BTreeMap<String, Vec<u8>>,
    path: &str,
    dimensions: &[&str],
    shape: &[usize],
    column: &Column,
) -> Result<(), serde_json::Error> {
    let (kind, fill) = match column.kind {
        Kind::Number => ("<f8", json!("NaN")),
        Kind::Truth => ("|b1", json!(false)),
        Kind::Count => ("<i8", json!(null)),
    };
    // A chunk has at least one element in each direction, even of an empty array.
    let chunks: Vec<usize> = shape.iter().map(|length| (*length).max(1)).collect();
    let description = json!({
        "zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": kind, "order": "C",
        "compressor": null, "filters": null, "fill_value": fill,
    });
    put_json(files, &format!("{path}/.zarray"), &description)?;
    put_json(files, &format!("{path}/.zattrs"), &json!({ "_ARRAY_DIMENSIONS": dimensions }))?;
    if shape.contains(&0) {
        return Ok(());
    }
    let values = column.chains.iter().flatten();
    let bytes = match column.kind {
        Kind::Number => values.flat_map(|value| value.to_le_bytes()).collect(),
        Kind::Truth => values.map(|value| u8::from(*value != 0.0)).collect(),
        Kind::Count => values.flat_map(|value| (*value as i64).to_le_bytes()).collect(),
    };
    let chunk = vec!["0"; shape.len()].join(".");
    files.insert(format!("{path}/{chunk}"), bytes);
    Ok(())
}
