//! A road network of OpenStreetMap (PBF or XML) or SUMO: any bytes are one
//! that can be built or an error.
#![no_main]

#[path = "../../crates/city/tests/fuzzed/any.rs"]
mod any;

libfuzzer_sys::fuzz_target!(|data: &[u8]| any::network(data));
