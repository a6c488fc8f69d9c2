//! What was learned of traffic, a study of it, and a drive: any bytes are one of
//! them or an error, and what was read can be used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proscenium_city::{Drive, LearnedTraffic, Study};

fuzz_target!(|data: &[u8]| {
    if let Ok(learned) = LearnedTraffic::from_bytes(data) {
        assert!(LearnedTraffic::from_bytes(&learned.to_bytes()).is_ok());
    }
    if let Ok(study) = Study::from_bytes(data) {
        let _ = study.conclude();
    }
    if let Ok(drive) = Drive::from_bytes(data) {
        let _ = drive.seconds();
        for frame in drive.frames().iter().take(3) {
            let _ = frame.camera(0.8, 1.5);
        }
    }
});
