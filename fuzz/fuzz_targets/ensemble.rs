//! A compressed ensemble, and the mesh that one is imported from: any bytes are
//! one or an error, and one can be played.
#![no_main]

use proscenium_ensemble::CompressedEnsemble;
use proscenium_ensemble::import::SourceMesh;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(compressed) = CompressedEnsemble::from_bytes(data) {
        let mut positions = Vec::new();
        for moment in compressed.moments().take(3) {
            compressed.positions_at(moment, &mut positions);
        }
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = SourceMesh::from_obj(text);
    }
});
