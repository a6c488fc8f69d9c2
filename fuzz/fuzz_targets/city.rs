//! A file of a city: any bytes are a plan or an error, and a plan is a map or
//! an error.
#![no_main]

#[path = "../../crates/city/tests/fuzzed/any.rs"]
mod any;

libfuzzer_sys::fuzz_target!(|data: &[u8]| any::city(data));
