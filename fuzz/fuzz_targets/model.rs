//! A model file: any text is a model or an error with a place, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proscenium_cull::{Model, Seed, System};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(model) = Model::parse("fuzz.toml", text) {
        let mut stream = Seed(1).stream("fuzz");
        let mut state = model.initial(&mut stream);
        let _ = model.advance(&mut state, 0.0, 0.01, &mut stream);
    }
});
