//! A vertex cache, PC2 or MDD: any bytes are one or an error, and one comes
//! back from being written.
#![no_main]

use proscenium_ensemble::cache::{CacheFormat, VertexCache};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for format in [CacheFormat::Pc2, CacheFormat::Mdd] {
        if let Ok(cache) = VertexCache::read(format, data) {
            let _ = cache.frames_per_second(30.0);
            let written = match format {
                CacheFormat::Pc2 => cache.to_pc2(),
                CacheFormat::Mdd => cache.to_mdd(30.0),
            };
            let written = written.expect("what was read can be written");
            assert_eq!(VertexCache::read(format, &written).as_ref(), Ok(&cache));
        }
    }
});
