//! The answers of people: any text is analysed or refused, for every experiment.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proscenium_study::Study;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for study in Study::ALL {
        if let Err(error) = study.analyse(text) {
            assert!(!error.to_string().is_empty());
        }
    }
});
