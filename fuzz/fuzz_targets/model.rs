//! A model file: any text is a model or an error with a place, never a panic.
#![no_main]

#[path = "../../crates/cull/tests/fuzzed/any.rs"]
mod any;

libfuzzer_sys::fuzz_target!(|data: &[u8]| any::model(data));
