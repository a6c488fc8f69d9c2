//! A volume model, and the mesh that one is built from: any bytes are one or an
//! error, and one can be placed and measured.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proscenium_lod::VolumeModel;
use proscenium_lod::mesh::read_mesh;
use proscenium_work::Progress;

fuzz_target!(|data: &[u8]| {
    if let Ok(model) = VolumeModel::from_bytes(data) {
        assert!(VolumeModel::from_bytes(&model.to_bytes()).is_ok());
    }
    for name in ["any.obj", "any.glb"] {
        let _ = read_mesh(name, data, &Progress::none());
    }
});
