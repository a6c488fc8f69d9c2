//! A binary glTF file: any bytes are a clip or an error, never a panic, and a
//! clip that was read can be written; and its meshes can be bent.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proscenium_clip::{DeformingGlb, GlbImport};

fuzz_target!(|data: &[u8]| {
    if let Ok(import) = GlbImport::from_glb(data) {
        let _ = import.clip.to_glb();
    }
    if let Ok(deforming) = DeformingGlb::from_glb(data) {
        let _ = deforming.positions(Some(0), 0.5);
    }
});
