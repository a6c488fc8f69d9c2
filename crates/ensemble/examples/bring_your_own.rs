//! A mesh and its vertex cache, compressed, and out again as glTF.
//!
//! ```console
//! cargo run -p proscenium-ensemble --example bring_your_own -- plant.obj wind.pc2 plant.glb
//! ```

#![allow(clippy::print_stdout)]

use std::error::Error;

use proscenium_ensemble::cache::{CacheFormat, VertexCache};
use proscenium_ensemble::compress;
use proscenium_ensemble::export::{Take, to_glb};
use proscenium_ensemble::import::{Grouping, ImportOptions, SourceMesh, SourceMotion, assemble};
use proscenium_work::Progress;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mesh, cache, output] = arguments.as_slice() else {
        return Err("usage: bring_your_own MESH.obj CACHE.pc2 OUT.glb".into());
    };
    let mesh = SourceMesh::from_obj(&std::fs::read_to_string(mesh)?)?;
    let cache = VertexCache::read(CacheFormat::Pc2, &std::fs::read(cache)?)?;
    let up = mesh.guess_up(&cache);
    let motion = SourceMotion::from_cache("wind", cache, up, 30.0)?;
    let options =
        ImportOptions { name: "plant".to_owned(), grouping: Grouping::Automatic, reach: None, thickness: 0.002 };
    let (ensemble, report) = assemble(&mesh, vec![motion], &options, &Progress::none())?.finished().ok_or("stopped")?;
    println!("{} groups, of which {} stand alone", ensemble.groups().len(), report.roots.len());
    let compressed = compress(&ensemble, 1e-4, &Progress::none())?.finished().ok_or("stopped")?;
    println!("{} modes, {} bytes in place of {}", compressed.rank(), compressed.bytes(), ensemble.plain_bytes());
    let glb = to_glb(&Take::of_sequence(&compressed, 0), 24, &Progress::none())?.finished().ok_or("stopped")?;
    println!("{} of {} modes written, {:.2e} m off at most", glb.modes.0, glb.modes.1, glb.largest_error);
    std::fs::write(output, glb.bytes)?;
    Ok(())
}
