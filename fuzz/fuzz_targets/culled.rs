//! A compiled model: any bytes are one or an error, and one can be run.
#![no_main]

#[path = "../../crates/cull/tests/fuzzed/any.rs"]
mod any;

libfuzzer_sys::fuzz_target!(|data: &[u8]| any::compiled(data));
