//! What must hold for any bytes: shared by the fuzz targets and a test.

use proscenium_city::{Map, Plan, import};

/// Bytes are a network that can be driven on, or an error that says why not.
#[allow(dead_code)]
pub fn network(data: &[u8]) {
    match import::read(data) {
        Ok(imported) => {
            // What was imported can be built, unless that says why not.
            let _ = Map::build(&imported.plan);
            assert!(!imported.report.to_string().is_empty());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Bytes are a city, or an error that says why not.
#[allow(dead_code)]
pub fn city(data: &[u8]) {
    if let Ok(plan) = Plan::from_bytes(data) {
        let _ = Map::build(&plan);
    }
}
