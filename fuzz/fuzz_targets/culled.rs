//! A compiled model: any bytes are one or an error, and one can be run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proscenium_cull::{Culled, Player, Seed};

fuzz_target!(|data: &[u8]| {
    if let Ok(culled) = Culled::from_bytes(data) {
        let mut player = Player::new(culled.model(), Seed(1), 0.0);
        for time in [0.01, 0.02] {
            let _ = player.see(culled.model(), culled.learned(), time);
        }
    }
});
